/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of a program, by recursive descent. */
#include "parser.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Statements of one block. */
struct list {
    struct weir_statement *first;
    struct weir_statement *last;
};

/* ---- tokens ---- */

bool weir_pbl_take_sign(struct weir_pbl_parser *parser, const char *sign)
{
    bool is_next = weir_pbl_next_is(parser, sign);

    parser->token += is_next;
    return is_next;
}

bool weir_pbl_take_word(struct weir_pbl_parser *parser, const char *word)
{
    bool is_next = weir_pbl_is_word(parser->token, word);

    parser->token += is_next;
    return is_next;
}

/* Something is missing at the end of what is there, and not before what comes next. */
static const char *end_of_last(const struct weir_pbl_parser *parser)
{
    const struct weir_pbl_token *last = parser->token - 1;

    return parser->token->at == parser->source.text ? parser->token->at : last->at + last->length;
}

int weir_pbl_expect(struct weir_pbl_parser *parser, const char *sign, const char *what)
{
    if (weir_pbl_take_sign(parser, sign))
        return 0;
    if (weir_pbl_next_is(parser, "="))
        return WEIR_PBL_REFUSE(parser, parser->token->at,
                               "%s is missing behind %s; = sets a variable, == compares", sign,
                               what);
    return WEIR_PBL_REFUSE(parser, end_of_last(parser), "%s is missing behind %s", sign, what);
}

int weir_pbl_take_name(struct weir_pbl_parser *parser, const char *what, const char **name)
{
    const struct weir_pbl_token *token = parser->token;
    const char *text;
    size_t length;

    if (token->kind != WEIR_PBL_TEXT)
        return WEIR_PBL_REFUSE(parser, token->at, "%s is missing, a text such as \"a\"", what);
    text = weir_pbl_text_of(token, &length);
    if (memchr(text, '$', length) != NULL)
        return WEIR_PBL_REFUSE(parser, token->at, "%s is known before anything runs: no variables",
                               what);
    if (length == 0)
        return WEIR_PBL_REFUSE(parser, token->at, "%s is empty", what);
    parser->token++;
    *name = weir_arena_printf(parser->arena, "%.*s", (int)length, text);
    return 0;
}

const char *weir_pbl_guess(const struct weir_pbl_parser *parser, const struct weir_nearest *nearest,
                           const char *mark)
{
    const char *word = weir_nearest_word(nearest);

    return word == NULL ? ""
                        : weir_arena_printf(parser->arena, " (did you mean %s%s%s?)", mark, word,
                                            *mark == '"' ? mark : "");
}

/* ---- bodies ---- */

static int statement(struct weir_pbl_parser *parser, struct list *list);

static struct weir_statement *add(struct weir_pbl_parser *parser, struct list *list,
                                  enum weir_statement_kind kind)
{
    struct weir_statement *one = weir_arena_take(parser->arena, sizeof *one);

    *one = (struct weir_statement){.kind = kind,
                                   .line = parser->token->line,
                                   .number = parser->program->statement_count++,
                                   .variable = WEIR_NO_VARIABLE,
                                   .group = WEIR_INNERMOST};
    if (one->number == 0)
        parser->first_line = one->line;
    if (list->last != NULL)
        list->last->next = one;
    else
        list->first = one;
    list->last = one;
    if (parser->nesting + 1 > parser->program->nesting)
        parser->program->nesting = parser->nesting + 1;
    return one;
}

static int block(struct weir_pbl_parser *parser, struct list *list)
{
    const struct weir_pbl_token *open = parser->token - 1;
    int failure = 0;

    while (!failure && !weir_pbl_take_sign(parser, "}")) {
        if (parser->token->kind == WEIR_PBL_END)
            return WEIR_PBL_REFUSE(parser, open->at, "the } of this block is missing");
        failure = statement(parser, list);
    }
    return failure;
}

/* A block, or one statement. */
static int body(struct weir_pbl_parser *parser, const struct weir_statement **first)
{
    struct list list = {0};
    int failure;

    if (parser->nesting + 1 == WEIR_PROGRAM_NESTING_MAX)
        return WEIR_PBL_REFUSE(parser, parser->token->at,
                               "more than %d statements around one another",
                               WEIR_PROGRAM_NESTING_MAX);
    if (parser->token->kind == WEIR_PBL_END)
        return WEIR_PBL_REFUSE(parser, parser->token->at, "a statement or a block is missing");
    parser->nesting++;
    failure = weir_pbl_take_sign(parser, "{") ? block(parser, &list) : statement(parser, &list);
    parser->nesting--;
    *first = list.first;
    return failure;
}

/* The body may be left out, or be done again: what it sets may not be set behind it. */
static int conditional_body(struct weir_pbl_parser *parser, const struct weir_statement **first)
{
    bool was_conditional = parser->is_conditional;
    int failure;

    parser->is_conditional = true;
    failure = body(parser, first);
    parser->is_conditional = was_conditional;
    return failure;
}

/* ---- simple statements ---- */

static enum weir_call next_call(const struct weir_pbl_parser *parser)
{
    const struct weir_pbl_token *token = parser->token;

    return token->kind == WEIR_PBL_WORD ? weir_call_find(token->at, token->length)
                                        : (enum weir_call)WEIR_CALL_COUNT;
}

static int call(struct weir_pbl_parser *parser, struct list *list, enum weir_call which,
                unsigned variable)
{
    struct weir_statement *one = add(parser, list, WEIR_DO_CALL);

    one->call = which;
    one->variable = variable;
    return weir_pbl_call(parser, one) || weir_pbl_expect(parser, ";", "the call") ? -EINVAL : 0;
}

/* An expression is all that the statement takes. */
static int one_argument(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    struct weir_pbl_arguments value = {.count = 1};

    if (weir_pbl_expression(parser, &value.exprs[0]))
        return -EINVAL;
    weir_pbl_set_arguments(parser, one, &value);
    return 0;
}

/* A copy of a file is one, too. */
static void note_assignment(struct weir_pbl_parser *parser, unsigned variable,
                            const struct weir_expr *expr)
{
    struct weir_pbl_variable *target = &parser->variables[variable];
    int source = weir_expr_single_variable(expr);

    target->is_set = true;
    target->was_file |= source >= 0 && parser->variables[source].was_file;
}

static int assignment(struct weir_pbl_parser *parser, struct list *list)
{
    unsigned variable = (unsigned)parser->token->value;
    struct weir_statement *one;

    parser->token++;
    if (weir_pbl_expect(parser, "=", "the variable"))
        return -EINVAL;
    if ((int)next_call(parser) != WEIR_CALL_COUNT) {
        if (call(parser, list, next_call(parser), variable))
            return -EINVAL;
        parser->variables[variable].is_set = parser->variables[variable].was_file = true;
        return 0;
    }
    one = add(parser, list, WEIR_DO_ASSIGN);
    one->variable = variable;
    if (one_argument(parser, one))
        return -EINVAL;
    note_assignment(parser, variable, one->arguments[0]);
    return weir_pbl_expect(parser, ";", "the value");
}

static int print(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    struct weir_pbl_arguments arguments;

    if (weir_pbl_arguments(parser, &arguments))
        return -EINVAL;
    weir_pbl_set_arguments(parser, one, &arguments);
    return weir_pbl_expect(parser, ";", "what is printed");
}

static int sleep(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    const char *at = parser->token[-1].at;
    struct weir_pbl_arguments arguments;
    const char *text;
    int64_t value = 0;

    if (weir_pbl_arguments(parser, &arguments))
        return -EINVAL;
    if (arguments.count != 1)
        return WEIR_PBL_REFUSE(parser, at, "%u arguments; sleep(microseconds): wait so long",
                               arguments.count);
    text = weir_expr_constant_text(arguments.exprs[0]);
    if (text != NULL && weir_integer_parse(text, &value) != 0)
        return WEIR_PBL_REFUSE(parser, arguments.at[0],
                               "a number of microseconds is expected, and \"%s\" is none", text);
    if (text == NULL && !weir_expr_is_constant(arguments.exprs[0], &value))
        value = 0;
    if (value < 0)
        return WEIR_PBL_REFUSE(parser, arguments.at[0], "a sleep of negative length");
    if (value > WEIR_SLEEP_US_MAX)
        return WEIR_PBL_REFUSE(parser, arguments.at[0],
                               "a sleep of more than %" PRId64 " microseconds (292 years)",
                               WEIR_SLEEP_US_MAX);
    weir_pbl_set_arguments(parser, one, &arguments);
    return weir_pbl_expect(parser, ";", "the time");
}

static int barrier(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    const char *at = parser->token[-1].at;
    bool is_open = weir_pbl_take_sign(parser, "(");

    if ((parser->token->kind == WEIR_PBL_TEXT &&
         weir_pbl_take_ranks(parser, "the group of the barrier", &one->group)) ||
        (is_open && weir_pbl_expect(parser, ")", "the group")) ||
        weir_pbl_note_meeting(parser, one->group, "a barrier", at))
        return -EINVAL;
    return weir_pbl_expect(parser, ";", "the barrier");
}

/* ---- statements with a body ---- */

static int label(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    struct weir_pbl_arguments none = {.count = 1};
    char reason[64];

    if (weir_pbl_take_sign(parser, "["))
        return one_argument(parser, one) ? -EINVAL : weir_pbl_expect(parser, "]", "the label");
    none.exprs[0] =
        weir_expr_text(parser->arena, &parser->program->variables, "", 0, reason, sizeof reason);
    weir_pbl_set_arguments(parser, one, &none);
    return 0;
}

static int timed(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    return label(parser, one) ? -EINVAL : body(parser, &one->body);
}

/* In an order in which each one of these has ranks that others of another line have not. */
static bool are_apart(const struct weir_program_group *a, const struct weir_program_group *b)
{
    if (a == b)
        return false;
    if (a->tag == WEIR_GROUP_SINGLE || b->tag == WEIR_GROUP_SINGLE)
        return true;
    return a->tag == WEIR_GROUP_DISJOINT && b->tag == WEIR_GROUP_DISJOINT && a->order == b->order;
}

static int group(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    unsigned outer = parser->group;
    bool is_open = weir_pbl_take_sign(parser, "(");
    const char *at = parser->token->at;
    const char *name;
    int failure;

    if (weir_pbl_take_name(parser, "the name of the group", &name) ||
        weir_pbl_find_group(parser, name, at, &one->group) ||
        (is_open && weir_pbl_expect(parser, ")", "the name of the group")))
        return -EINVAL;
    if (outer != WEIR_ALL_RANKS &&
        are_apart(&parser->defined->groups[outer], &parser->defined->groups[one->group]))
        WEIR_REMARK(parser->lowering,
                    "line %u: group \"%s\" inside of group \"%s\": they have no rank in common, "
                    "and the block is skipped",
                    one->line, name, parser->defined->groups[outer].name);
    parser->defined->is_group_used[one->group] = true;
    parser->group = one->group;
    failure = conditional_body(parser, &one->body);
    parser->group = outer;
    return failure;
}

static int master(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    const char *outer = parser->master;
    int failure;

    parser->master = outer != NULL ? outer : parser->token[-1].at;
    failure = conditional_body(parser, &one->body);
    parser->master = outer;
    return failure;
}

static int condition(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    if (weir_pbl_expect(parser, "(", "if") || one_argument(parser, one) ||
        weir_pbl_expect(parser, ")", "the condition") || conditional_body(parser, &one->body))
        return -EINVAL;
    return weir_pbl_take_word(parser, "else") ? conditional_body(parser, &one->otherwise) : 0;
}

/* ---- loops ---- */

/* How often, or for how long. */
static int bound(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    const struct weir_pbl_token *first = parser->token;
    int64_t count;

    if (first->kind == WEIR_PBL_TIME) {
        parser->token++;
        one->duration_ns = (uint64_t)first->value;
        return one->duration_ns > 0
                   ? 0
                   : WEIR_PBL_REFUSE(parser, first->at, "no time: give more than 0");
    }
    if (one->variable == WEIR_NO_VARIABLE)
        return WEIR_PBL_REFUSE(parser, first->at,
                               "repeat takes a variable and a count, or a time with the unit ms, "
                               "s, min or h, such as 60s");
    if (one_argument(parser, one))
        return -EINVAL;
    if (weir_expr_is_constant(one->arguments[0], &count) && count < 0)
        return WEIR_PBL_REFUSE(parser, first->at, "a loop of %" PRId64 " rounds", count);
    if (weir_expr_is_text(one->arguments[0]))
        return WEIR_PBL_REFUSE(parser, first->at, "the number of rounds is expected");
    return 0;
}

static int head(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    bool is_open = weir_pbl_take_sign(parser, "(");

    if (parser->token->kind == WEIR_PBL_VARIABLE) {
        one->variable = (unsigned)parser->token->value;
        parser->token++;
        if (is_open && weir_pbl_expect(parser, ",", "the variable"))
            return -EINVAL;
    }
    if (bound(parser, one))
        return -EINVAL;
    return is_open ? weir_pbl_expect(parser, ")", "the number of rounds") : 0;
}

/* The loop takes its variable away, even an older one; one that was not set before may not be set
 * behind it in any case. */
static void note_loop_end(struct weir_pbl_parser *parser, const struct weir_statement *one,
                          struct weir_pbl_variable before)
{
    struct weir_pbl_variable *variable = &parser->variables[one->variable];

    for (int need = 0; need < WEIR_PBL_NEEDS; need++)
        if (before.missing_at[need] == NULL)
            before.missing_at[need] = variable->missing_at[need];
    *variable = before;
    if (!parser->is_conditional || !before.is_set) {
        variable->is_set = false;
        variable->taken_line = one->line;
    }
}

static int repeat(struct weir_pbl_parser *parser, struct weir_statement *one)
{
    bool had_meeting = parser->has_meeting;
    struct weir_pbl_variable before = {0};
    bool has_variable;
    int failure;

    if (head(parser, one))
        return -EINVAL;
    has_variable = one->variable != WEIR_NO_VARIABLE;
    if (has_variable) {
        before = parser->variables[one->variable];
        parser->variables[one->variable] = (struct weir_pbl_variable){.is_set = true};
    }
    parser->has_meeting = false;
    parser->loops++;
    failure = conditional_body(parser, &one->body);
    parser->loops--;
    one->is_together = one->duration_ns > 0 && parser->has_meeting;
    parser->has_meeting |= had_meeting;
    if (has_variable && !failure)
        note_loop_end(parser, one, before);
    return failure ? failure : weir_pbl_settle_doubts(parser);
}

/* ---- which one ---- */

static const struct keyword {
    const char *word;
    enum weir_statement_kind kind;
    int (*parse)(struct weir_pbl_parser *parser, struct weir_statement *one);
} keywords[] = {
    {"print", WEIR_DO_PRINT, print},       {"sleep", WEIR_DO_SLEEP, sleep},
    {"repeat", WEIR_DO_REPEAT, repeat},    {"if", WEIR_DO_IF, condition},
    {"time", WEIR_DO_TIME, timed},         {"ctime", WEIR_DO_CORE_TIME, timed},
    {"group", WEIR_DO_GROUP, group},       {"master", WEIR_DO_MASTER, master},
    {"barrier", WEIR_DO_BARRIER, barrier},
};

static int refuse_word(const struct weir_pbl_parser *parser)
{
    const struct weir_pbl_token *token = parser->token;
    struct weir_nearest nearest = {.typed = token->at, .length = token->length};

    if (weir_pbl_is_word(token, "define"))
        return WEIR_PBL_REFUSE(parser, token->at,
                               "definitions stand before the first statement, in line %u",
                               parser->first_line);
    if (weir_pbl_is_word(token, "else"))
        return WEIR_PBL_REFUSE(parser, token->at, "there is no if before this else");
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        weir_nearest_offer(&nearest, keywords[i].word);
    for (int i = 0; i < WEIR_CALL_WORDS; i++)
        weir_nearest_offer(&nearest, weir_calls[i].word);
    return WEIR_PBL_REFUSE(parser, token->at, "unknown word \"%.*s\"%s",
                           token->length < 80 ? (int)token->length : 80, token->at,
                           weir_pbl_guess(parser, &nearest, ""));
}

static int word(struct weir_pbl_parser *parser, struct list *list)
{
    enum weir_call which = next_call(parser);

    if ((int)which != WEIR_CALL_COUNT)
        return call(parser, list, which, WEIR_NO_VARIABLE);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (weir_pbl_is_word(parser->token, keywords[i].word)) {
            struct weir_statement *one = add(parser, list, keywords[i].kind);

            parser->token++;
            return keywords[i].parse(parser, one);
        }
    return refuse_word(parser);
}

static int statement(struct weir_pbl_parser *parser, struct list *list)
{
    const struct weir_pbl_token *token = parser->token;

    if (weir_pbl_take_sign(parser, ";"))
        return 0;
    if (token->kind == WEIR_PBL_VARIABLE)
        return assignment(parser, list);
    if (token->kind == WEIR_PBL_WORD)
        return word(parser, list);
    if (weir_pbl_is_sign(token, "{"))
        return WEIR_PBL_REFUSE(parser, token->at,
                               "a block stands behind repeat, if, else, time, ctime, group or "
                               "master");
    return WEIR_PBL_REFUSE(parser, token->at, "a statement is expected, and not %.*s",
                           token->length < 80 ? (int)token->length : 80, token->at);
}

/* ---- all of it ---- */

static int all(struct weir_pbl_parser *parser)
{
    struct list list = {0};
    int failure = 0;

    while (!failure && (weir_pbl_next_is(parser, ";") || weir_pbl_is_word(parser->token, "define")))
        failure = weir_pbl_take_sign(parser, ";") ? 0 : weir_pbl_definition(parser);
    while (!failure && parser->token->kind != WEIR_PBL_END)
        failure = statement(parser, &list);
    parser->program->statements = list.first;
    return failure;
}

static void remark(const struct weir_pbl_parser *parser, const struct weir_pbl_tokens *tokens)
{
    const struct weir_program *program = parser->program;

    if (tokens->large_suffix_line > 0)
        WEIR_REMARK(parser->lowering,
                    "line %u: K, M and G multiply by powers of 1024, as k, m and g do; the "
                    "original took 1M for 1",
                    tokens->large_suffix_line);
    for (unsigned i = 0; i < program->group_count; i++) {
        const struct weir_program_group *group = &program->groups[i];
        bool is_used = parser->defined->is_group_used[i];

        if (!is_used && group->size > 0)
            WEIR_REMARK(parser->lowering, "line %u: no block is for group \"%s\"", group->line,
                        group->name);
        else if (is_used && group->size == 0)
            WEIR_REMARK(parser->lowering, "-g: group \"%s\" has no ranks: its blocks are skipped",
                        group->name);
    }
    if (program->statements == NULL)
        WEIR_REMARK(parser->lowering, "%s: there are no statements in it", program->path);
}

int weir_pbl_compile(const struct weir_lowering *lowering, const struct weir_pbl_job *job,
                     struct weir_program *program)
{
    struct weir_arena *arena = &lowering->plan->arena;
    struct weir_pbl_tokens tokens = {0};
    struct weir_pbl_parser parser = {
        .lowering = lowering,
        .job = job,
        .source = {job->path, job->text, lowering->place, lowering->error},
        .arena = arena,
        .program = program,
        .group = WEIR_ALL_RANKS,
    };
    int failure = weir_pbl_scan(&parser.source, arena, &tokens);

    program->path = job->path;
    program->source = job->text;
    if (!failure) {
        program->variables = tokens.variables;
        parser.variables =
            weir_arena_take(arena, (tokens.variables.count + 1) * sizeof *parser.variables);
        parser.defined = weir_arena_take(arena, sizeof *parser.defined);
        program->parameters = parser.defined->parameters;
        program->groups = parser.defined->groups;
        program->patterns = parser.defined->patterns;
        parser.token = tokens.list;
        failure = all(&parser);
        if (!failure)
            remark(&parser, &tokens);
    }
    weir_pbl_tokens_close(&tokens);
    return failure;
}
