/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and their arguments: how many and of which kind, and where ranks that meet in a call would
 * wait for ever. */
#include "parser.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- arguments ---- */

/* The parenthesis that is next holds all arguments, and is not the first part of one: print (1+2)*3
 */
static bool holds_all(const struct weir_pbl_parser *parser)
{
    const struct weir_pbl_token *token = parser->token;
    unsigned open = 0;

    for (; token->kind != WEIR_PBL_END; token++) {
        open += weir_pbl_is_sign(token, "(");
        if (weir_pbl_is_sign(token, ")") && --open == 0)
            break;
        if (weir_pbl_is_sign(token, ";"))
            return true;
    }
    if (token->kind == WEIR_PBL_END)
        return true;
    return token[1].kind != WEIR_PBL_SIGN || strchr("+-%*/^,<>=!", token[1].at[0]) == NULL;
}

static int add_argument(struct weir_pbl_parser *parser, struct weir_pbl_arguments *arguments)
{
    if (arguments->count == WEIR_PBL_ARGUMENTS_MAX)
        return WEIR_PBL_REFUSE(parser, parser->token->at, "more than %d arguments",
                               WEIR_PBL_ARGUMENTS_MAX);
    arguments->at[arguments->count] = parser->token->at;
    return weir_pbl_expression(parser, &arguments->exprs[arguments->count++]);
}

int weir_pbl_arguments(struct weir_pbl_parser *parser, struct weir_pbl_arguments *arguments)
{
    bool has_parentheses = weir_pbl_next_is(parser, "(") && holds_all(parser);
    const char *end = has_parentheses ? ")" : ";";
    int failure = 0;

    arguments->count = 0;
    if (has_parentheses)
        parser->token++;
    weir_pbl_take_sign(parser, ",");
    if (!weir_pbl_next_is(parser, end)) {
        do {
            failure = add_argument(parser, arguments);
        } while (!failure && weir_pbl_take_sign(parser, ","));
    }
    return !failure && has_parentheses ? weir_pbl_expect(parser, ")", "the arguments") : failure;
}

void weir_pbl_set_arguments(struct weir_pbl_parser *parser, struct weir_statement *statement,
                            const struct weir_pbl_arguments *arguments)
{
    size_t bytes = arguments->count * sizeof *arguments->exprs;
    const struct weir_expr **copy = weir_arena_take(parser->arena, bytes);

    memcpy(copy, arguments->exprs, bytes);
    statement->arguments = copy;
    statement->argument_count = arguments->count;
}

/* ---- ranks that meet ---- */

static bool is_alone(const struct weir_pbl_parser *parser, unsigned group)
{
    return group != WEIR_ALL_RANKS && parser->defined->groups[group].size <= 1;
}

int weir_pbl_note_meeting(struct weir_pbl_parser *parser, unsigned group, const char *what,
                          const char *at)
{
    unsigned meant = group == WEIR_INNERMOST ? parser->group : group;

    if (is_alone(parser, meant))
        return 0;
    parser->has_meeting = true;
    if (parser->master == NULL)
        return 0;
    return WEIR_PBL_REFUSE(parser, at,
                           "%s inside of master would wait for ever: only one rank comes to it, "
                           "and all ranks%s%s%s must; put it behind the block of master",
                           what, meant == WEIR_ALL_RANKS ? "" : " of group \"",
                           meant == WEIR_ALL_RANKS ? "" : parser->defined->groups[meant].name,
                           meant == WEIR_ALL_RANKS ? "" : "\"");
}

/* ---- kinds of arguments ---- */

struct argument {
    struct weir_pbl_parser *parser;
    struct weir_statement *statement;
    const struct weir_expr *expr;
    const char *at;
};

#define REFUSE(argument, ...) WEIR_PBL_REFUSE((argument)->parser, (argument)->at, __VA_ARGS__)

static int check_name(const struct argument *argument)
{
    const char *text = weir_expr_constant_text(argument->expr);

    if (!weir_expr_is_text(argument->expr) && weir_expr_single_variable(argument->expr) < 0)
        return REFUSE(argument, "the name of a file is expected, as a text or in a variable");
    if (text != NULL && *text == '\0')
        return REFUSE(argument, "the name of a file is empty");
    return 0;
}

/* A text must be a number: "4k". */
static bool is_number(const struct argument *argument, int64_t *value)
{
    const char *text = weir_expr_constant_text(argument->expr);

    return text != NULL ? weir_integer_parse(text, value) == 0
                        : weir_expr_is_constant(argument->expr, value);
}

static int check_number(const struct argument *argument, const char *what, int64_t least)
{
    const char *text = weir_expr_constant_text(argument->expr);
    int64_t value = 0;

    if (!is_number(argument, &value))
        return text == NULL ? 0
                            : REFUSE(argument, "%s is expected, and \"%s\" is none", what, text);
    if (value < least)
        return REFUSE(argument, "%s is %" PRId64 "; give %" PRId64 " or more", what, value, least);
    return 0;
}

static int check_whence(const struct argument *argument)
{
    int64_t value;

    if (weir_expr_is_constant(argument->expr, &value) && (value < 0 || value > 2))
        return REFUSE(argument, "there are SEEK_SET, SEEK_CUR and SEEK_END");
    return check_number(argument, "SEEK_SET, SEEK_CUR or SEEK_END", 0);
}

static int check_handle(const struct argument *argument)
{
    int variable = weir_expr_single_variable(argument->expr);

    if (variable < 0)
        return REFUSE(argument, "a variable with an open file is expected");
    return weir_pbl_need(argument->parser, WEIR_PBL_NEEDS_FILE, (unsigned)variable, argument->at);
}

/* Flags are known before anything runs, as in the original. That of pfopen is not looked at. */
static int check_mode(const struct argument *argument)
{
    const char *text = weir_expr_constant_text(argument->expr);
    struct weir_text modes = {0};

    if (argument->statement->call != WEIR_CALL_FOPEN)
        return 0;
    if (text == NULL)
        return REFUSE(argument, "the mode of fopen must be a text without variables");
    if (weir_pbl_open_flags(text, &argument->statement->open_flags))
        return 0;
    weir_pbl_add_open_modes(&modes);
    REFUSE(argument, "there is no mode \"%.40s\"; there are %s", text, weir_text_string(&modes));
    weir_text_close(&modes);
    return -EINVAL;
}

static int refuse_pattern(const struct argument *argument, const char *name)
{
    struct weir_nearest nearest = {.typed = name, .length = strlen(name)};

    for (unsigned i = 0; i < argument->parser->program->pattern_count; i++)
        weir_nearest_offer(&nearest, argument->parser->defined->patterns[i].name);
    return REFUSE(argument, "no pattern \"%s\" is defined%s", name,
                  weir_pbl_guess(argument->parser, &nearest, "\""));
}

/* Its layout is that of the ranks that it names: those of other statements would leave holes. */
static int check_pattern(const struct argument *argument)
{
    const struct weir_pbl_parser *parser = argument->parser;
    const char *name = weir_expr_constant_text(argument->expr);
    const struct weir_pattern *pattern;

    if (name == NULL &&
        (weir_expr_is_text(argument->expr) || weir_expr_single_variable(argument->expr) >= 0))
        return 0;
    if (name == NULL)
        return REFUSE(argument, "the name of a pattern is expected");
    pattern = weir_program_find_pattern(parser->program, name);
    if (pattern == NULL)
        return refuse_pattern(argument, name);
    if (pattern->group == parser->group)
        return 0;
    return REFUSE(
        argument,
        "pattern \"%s\" is laid out for the ranks of \"%s\", and those of \"%s\" come "
        "here: define one for them",
        name,
        pattern->group == WEIR_ALL_RANKS ? "world" : parser->defined->groups[pattern->group].name,
        parser->group == WEIR_ALL_RANKS ? "world" : parser->defined->groups[parser->group].name);
}

static int check_argument(const struct argument *argument, char kind)
{
    /* -1: the whole file, or where the handle is. */
    bool is_read =
        argument->statement->call == WEIR_CALL_READ || argument->statement->call == WEIR_CALL_FREAD;
    bool is_seek = argument->statement->call == WEIR_CALL_FSEEK;

    switch (toupper((unsigned char)kind)) {
    case 'N':
        return check_name(argument);
    case 'S':
        return check_number(argument, "a size in bytes", is_read ? -1 : 0);
    case 'O':
        return check_number(argument, "an offset in bytes", is_seek ? INT64_MIN : -1);
    case 'W':
        return check_whence(argument);
    case 'H':
        return check_handle(argument);
    case 'M':
        return check_mode(argument);
    default:
        return check_pattern(argument);
    }
}

/* ---- calls ---- */

static unsigned needed(const char *kinds)
{
    unsigned count = 0;

    while (isupper((unsigned char)kinds[count]))
        count++;
    return count;
}

/* The original takes a third argument of pread, and does nothing with it. */
static void drop_ignored(const struct weir_pbl_parser *parser,
                         const struct weir_statement *statement,
                         struct weir_pbl_arguments *arguments)
{
    if (statement->call == WEIR_CALL_PREAD && arguments->count == 3) {
        arguments->count = 2;
        WEIR_REMARK(parser->lowering, "line %u: pread: its third argument changes nothing",
                    statement->line);
    }
}

static int check_call(struct weir_pbl_parser *parser, struct weir_statement *statement,
                      const struct weir_pbl_arguments *arguments, const char *at)
{
    const struct weir_call_row *row = &weir_calls[statement->call];
    unsigned count = arguments->count;
    int failure = 0;

    if (count < needed(row->arguments) || count > strlen(row->arguments))
        return WEIR_PBL_REFUSE(parser, at, "%u argument%s; %s", count, count == 1 ? "" : "s",
                               row->help);
    for (unsigned i = 0; i < count && !failure; i++) {
        const struct argument argument = {parser, statement, arguments->exprs[i], arguments->at[i]};

        failure = check_argument(&argument, row->arguments[i]);
    }
    return failure;
}

static int check_assignment(struct weir_pbl_parser *parser, const struct weir_statement *statement,
                            const char *at)
{
    const struct weir_call_row *row = &weir_calls[statement->call];
    bool is_assigned = statement->variable != WEIR_NO_VARIABLE;

    if (row->gives_handle && !is_assigned)
        return WEIR_PBL_REFUSE(parser, at, "%s gives a file, which must be kept: $f = %s(...)",
                               row->word, row->word);
    if (!row->gives_handle && is_assigned)
        return WEIR_PBL_REFUSE(parser, at, "%s gives nothing that a variable could hold",
                               row->word);
    return 0;
}

int weir_pbl_call(struct weir_pbl_parser *parser, struct weir_statement *statement)
{
    const struct weir_pbl_token *word = parser->token++;
    const struct weir_call_row *row = &weir_calls[statement->call];
    struct weir_pbl_arguments arguments;

    if (check_assignment(parser, statement, word->at) || weir_pbl_arguments(parser, &arguments))
        return -EINVAL;
    drop_ignored(parser, statement, &arguments);
    if (check_call(parser, statement, &arguments, word->at))
        return -EINVAL;
    weir_pbl_set_arguments(parser, statement, &arguments);
    parser->program->uses_patterns |= row->is_together || statement->call == WEIR_CALL_PDELETE;
    return row->is_together ? weir_pbl_note_meeting(parser, WEIR_INNERMOST, row->word, word->at)
                            : 0;
}
