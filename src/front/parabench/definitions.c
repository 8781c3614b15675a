/* SPDX-License-Identifier: Apache-2.0 */
/* What stands before the first statement: parameters, groups of ranks, patterns of files. */
#include "parser.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int check_room(struct weir_pbl_parser *parser, const char *at, unsigned count,
                      const char *what)
{
    if (count < WEIR_PBL_DEFINITIONS_MAX)
        return 0;
    return WEIR_PBL_REFUSE(parser, at, "more than %d %s", WEIR_PBL_DEFINITIONS_MAX, what);
}

/* ---- parameters ---- */

static int check_parameter(struct weir_pbl_parser *parser, const char *at, unsigned variable)
{
    for (unsigned i = 0; i < parser->program->parameter_count; i++)
        if (parser->defined->parameters[i].variable == variable)
            return WEIR_PBL_REFUSE(parser, at, "$%s is a parameter already",
                                   parser->program->variables.names[variable]);
    return check_room(parser, at, parser->program->parameter_count, "parameters");
}

/* A text, or a number as it is typed. */
static int take_default(struct weir_pbl_parser *parser, const char **value)
{
    const struct weir_pbl_token *token = parser->token;
    size_t length = token->length;
    const char *text = token->at;

    if (token->kind == WEIR_PBL_TEXT)
        text = weir_pbl_text_of(token, &length);
    else if (token->kind != WEIR_PBL_NUMBER)
        return WEIR_PBL_REFUSE(parser, token->at,
                               "the value of the parameter is missing, such as \"100\"");
    parser->token++;
    *value = weir_arena_printf(parser->arena, "%.*s", (int)length, text);
    return 0;
}

static int parameter(struct weir_pbl_parser *parser)
{
    struct weir_parameter one = {.origin = "default"};
    const struct weir_pbl_token *variable;

    if (weir_pbl_take_name(parser, "the name of the parameter", &one.text))
        return -EINVAL;
    variable = parser->token;
    if (variable->kind != WEIR_PBL_VARIABLE)
        return WEIR_PBL_REFUSE(parser, variable->at,
                               "the variable of the parameter is missing, such as $count");
    one.variable = (unsigned)variable->value;
    parser->token++;
    if (check_parameter(parser, variable->at, one.variable) || take_default(parser, &one.value))
        return -EINVAL;
    parser->variables[one.variable].is_set = true;
    parser->defined->parameters[parser->program->parameter_count++] = one;
    return 0;
}

/* ---- groups ---- */

int weir_pbl_find_group(struct weir_pbl_parser *parser, const char *name, const char *at,
                        unsigned *group)
{
    struct weir_nearest nearest = {.typed = name, .length = strlen(name)};

    for (unsigned i = 0; i < parser->program->group_count; i++) {
        weir_nearest_offer(&nearest, parser->defined->groups[i].name);
        if (strcmp(parser->defined->groups[i].name, name) == 0) {
            *group = i;
            return 0;
        }
    }
    return WEIR_PBL_REFUSE(parser, at, "no group \"%s\" is defined%s", name,
                           weir_pbl_guess(parser, &nearest, "\""));
}

int weir_pbl_take_ranks(struct weir_pbl_parser *parser, const char *what, unsigned *group)
{
    const char *at = parser->token->at;
    const char *name;

    if (weir_pbl_take_name(parser, what, &name))
        return -EINVAL;
    *group = WEIR_ALL_RANKS;
    return strcmp(name, "world") == 0 ? 0 : weir_pbl_find_group(parser, name, at, group);
}

static uint64_t size_of_group(const struct weir_pbl_parser *parser, const char *name)
{
    for (size_t i = 0; i < parser->job->size_count; i++)
        if (strcmp(parser->job->sizes[i].name, name) == 0)
            return parser->job->sizes[i].size;
    return 0;
}

/* S and D, with the number of the group right behind them or apart. */
static int take_tag(struct weir_pbl_parser *parser, struct weir_program_group *group)
{
    const struct weir_pbl_token *token = parser->token;
    char letter = token->kind == WEIR_PBL_WORD ? (char)tolower((unsigned char)token->at[0]) : '\0';

    if (letter != 's' && letter != 'd')
        return WEIR_PBL_REFUSE(parser, token->at, "the tag of a group is S or D");
    group->tag = letter == 's' ? WEIR_GROUP_SINGLE : WEIR_GROUP_DISJOINT;
    for (size_t i = 1; i < token->length; i++) {
        if (!isdigit((unsigned char)token->at[i]) || i > 9)
            return WEIR_PBL_REFUSE(parser, token->at, "the tag of a group is S or D and a number");
        group->order = 10 * group->order + (uint64_t)(token->at[i] - '0');
    }
    parser->token++;
    return 0;
}

static int take_order(struct weir_pbl_parser *parser, struct weir_program_group *group)
{
    const struct weir_pbl_token *first = parser->token;
    int64_t order = 0;

    weir_pbl_take_sign(parser, "/");
    if (weir_pbl_next_is(parser, ",") || weir_pbl_next_is(parser, "}"))
        return first == parser->token
                   ? 0
                   : WEIR_PBL_REFUSE(parser, parser->token->at, "the number behind / is missing");
    if (weir_pbl_constant(parser, "the number of a group", &order))
        return -EINVAL;
    if (order < 0)
        return WEIR_PBL_REFUSE(parser, first->at, "the number of a group is negative");
    group->order = (uint64_t)order;
    return 0;
}

static int group(struct weir_pbl_parser *parser)
{
    struct weir_program_group one = {.tag = WEIR_GROUP_PLAIN, .line = parser->token->line};
    const char *at = parser->token->at;

    if (weir_pbl_take_name(parser, "the name of the group", &one.name) ||
        check_room(parser, at, parser->program->group_count, "groups"))
        return -EINVAL;
    if (strcmp(one.name, "world") == 0)
        return WEIR_PBL_REFUSE(parser, at, "\"world\" is the group of all ranks");
    for (unsigned i = 0; i < parser->program->group_count; i++)
        if (strcmp(parser->defined->groups[i].name, one.name) == 0)
            return WEIR_PBL_REFUSE(parser, at, "group \"%s\" is defined twice, first in line %u",
                                   one.name, parser->defined->groups[i].line);
    if ((weir_pbl_take_sign(parser, ":") && take_tag(parser, &one)) || take_order(parser, &one))
        return -EINVAL;
    one.size = size_of_group(parser, one.name);
    parser->defined->groups[parser->program->group_count++] = one;
    return 0;
}

static int groups(struct weir_pbl_parser *parser, const char *at)
{
    int failure = weir_pbl_expect(parser, "{", "define groups");

    if (!failure && parser->program->group_count > 0)
        return WEIR_PBL_REFUSE(parser, at, "groups are defined once, and line %u does",
                               parser->defined->groups[0].line);
    do {
        failure = failure ? failure : group(parser);
    } while (!failure && weir_pbl_take_sign(parser, ","));
    return failure ? failure : weir_pbl_expect(parser, "}", "the groups");
}

/* ---- patterns ---- */

struct number_of_pattern {
    const char *what;
    int64_t least, most;
};

static int take_number(struct weir_pbl_parser *parser, const struct number_of_pattern *number,
                       int64_t *value)
{
    const char *at;

    if (weir_pbl_expect(parser, ",", "the value before"))
        return -EINVAL;
    at = parser->token->at;
    if (weir_pbl_constant(parser, number->what, value))
        return -EINVAL;
    if (*value >= number->least && *value <= number->most)
        return 0;
    if (number->most == INT64_MAX)
        return WEIR_PBL_REFUSE(parser, at, "%s is %" PRId64 "; give %" PRId64 " or more",
                               number->what, *value, number->least);
    return WEIR_PBL_REFUSE(parser, at, "%s is %" PRId64 "; there are %" PRId64 " to %" PRId64,
                           number->what, *value, number->least, number->most);
}

static int take_numbers(struct weir_pbl_parser *parser, const char *at,
                        struct weir_pattern *pattern)
{
    static const struct number_of_pattern numbers[4] = {
        {"the type of a pattern", 1, 2},
        {"the number of rounds of a pattern", 1, INT64_MAX},
        {"the number of bytes of a pattern", 1, INT64_MAX},
        {"the level of a pattern", 0, 3},
    };
    int64_t values[4], bytes;

    for (int i = 0; i < 4; i++)
        if (take_number(parser, &numbers[i], &values[i]))
            return -EINVAL;
    if (__builtin_mul_overflow(values[1], values[2], &bytes))
        return WEIR_PBL_REFUSE(parser, at, "the rounds of this pattern are more than 2^63 bytes");
    pattern->type = (unsigned)values[0];
    pattern->iter = (uint64_t)values[1];
    pattern->elem = (uint64_t)values[2];
    pattern->level = (unsigned)values[3];
    return 0;
}

static int pattern(struct weir_pbl_parser *parser)
{
    struct weir_pattern one = {.group = WEIR_ALL_RANKS, .line = parser->token->line};
    const struct weir_pattern *earlier;
    const char *at;

    if (weir_pbl_expect(parser, "{", "define pattern"))
        return -EINVAL;
    at = parser->token->at;
    if (weir_pbl_take_name(parser, "the name of the pattern", &one.name) ||
        check_room(parser, at, parser->program->pattern_count, "patterns"))
        return -EINVAL;
    earlier = weir_program_find_pattern(parser->program, one.name);
    if (earlier != NULL)
        return WEIR_PBL_REFUSE(parser, at, "pattern \"%s\" is defined twice, first in line %u",
                               one.name, earlier->line);
    if (take_numbers(parser, at, &one))
        return -EINVAL;
    if (weir_pbl_take_sign(parser, ",") &&
        weir_pbl_take_ranks(parser, "the group of the pattern", &one.group))
        return -EINVAL;
    parser->defined->patterns[parser->program->pattern_count++] = one;
    return weir_pbl_expect(parser, "}", "the pattern");
}

int weir_pbl_definition(struct weir_pbl_parser *parser)
{
    const char *at = parser->token->at;

    weir_pbl_take_word(parser, "define");
    if (weir_pbl_take_word(parser, "param"))
        return parameter(parser);
    if (weir_pbl_take_word(parser, "groups"))
        return groups(parser, at);
    if (weir_pbl_take_word(parser, "pattern"))
        return pattern(parser);
    return WEIR_PBL_REFUSE(parser, parser->token->at,
                           "define is followed by param, groups or pattern");
}
