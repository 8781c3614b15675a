/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions: comparisons are weakest, then + and -, then %, then * and /, and ^ is strongest. */
#include "parser.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define REASON_BYTES 256
#define POWER_LEVEL 4

static const struct operator
{
    const char *sign;
    enum weir_operator operation;
    unsigned level;
}
operators[] = {
    {"==", WEIR_EQUAL, 0},      {"!=", WEIR_NOT_EQUAL, 0}, {"<", WEIR_LESS, 0},
    {"<=", WEIR_LESS_EQUAL, 0}, {">", WEIR_GREATER, 0},    {">=", WEIR_GREATER_EQUAL, 0},
    {"+", WEIR_ADD, 1},         {"-", WEIR_SUBTRACT, 1},   {"%", WEIR_MODULO, 2},
    {"*", WEIR_MULTIPLY, 3},    {"/", WEIR_DIVIDE, 3},     {"^", WEIR_POWER, POWER_LEVEL},
};

static int climb(struct weir_pbl_parser *parser, unsigned level, const struct weir_expr **expr);

static const struct operator* next_operator(const struct weir_pbl_parser *parser)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (weir_pbl_next_is(parser, operators[i].sign))
            return &operators[i];
    return NULL;
}

static int build(struct weir_pbl_parser *parser, const char *at, enum weir_operator operation,
                 const struct weir_expr *left, const struct weir_expr *right,
                 const struct weir_expr **expr)
{
    char reason[REASON_BYTES];
    int64_t divisor;

    if ((operation == WEIR_DIVIDE || operation == WEIR_MODULO) &&
        weir_expr_is_constant(right, &divisor) && divisor == 0)
        return WEIR_PBL_REFUSE(parser, at, "division by zero");
    *expr = weir_expr_operation(parser->arena, operation, left, right, reason, sizeof reason);
    return *expr != NULL ? 0 : WEIR_PBL_REFUSE(parser, at, "%s", reason);
}

/* ---- operands ---- */

struct visit {
    struct weir_pbl_parser *parser;
    const char *at;
    int failure;
};

static bool has(const struct weir_pbl_variable *variable, enum weir_pbl_need need)
{
    return need == WEIR_PBL_NEEDS_VALUE ? variable->is_set : variable->was_file;
}

static int refuse_need(const struct weir_pbl_parser *parser, enum weir_pbl_need need,
                       unsigned variable, const char *at)
{
    const char *name = parser->program->variables.names[variable];
    struct weir_nearest nearest = {.typed = name, .length = strlen(name)};

    if (need == WEIR_PBL_NEEDS_FILE)
        return WEIR_PBL_REFUSE(parser, at, "no statement before this one opens a file in $%s",
                               name);
    if (parser->variables[variable].taken_line > 0)
        return WEIR_PBL_REFUSE(parser, at,
                               "$%s is not set here: the loop of line %u took it away at its end",
                               name, parser->variables[variable].taken_line);
    for (unsigned i = 0; i < parser->program->variables.count; i++)
        if (parser->variables[i].is_set)
            weir_nearest_offer(&nearest, parser->program->variables.names[i]);
    return WEIR_PBL_REFUSE(parser, at, "$%s is not set by any statement before this one%s", name,
                           weir_pbl_guess(parser, &nearest, "$"));
}

/* Only a loop comes from a statement further down to one before it. */
int weir_pbl_need(struct weir_pbl_parser *parser, enum weir_pbl_need need, unsigned number,
                  const char *at)
{
    struct weir_pbl_variable *variable = &parser->variables[number];

    if (has(variable, need))
        return 0;
    if (parser->loops == 0)
        return refuse_need(parser, need, number, at);
    parser->has_doubts = true;
    if (variable->missing_at[need] == NULL)
        variable->missing_at[need] = at;
    return 0;
}

int weir_pbl_settle_doubts(struct weir_pbl_parser *parser)
{
    int failure = 0;

    for (unsigned i = 0; i < parser->program->variables.count && parser->has_doubts; i++)
        for (int need = 0; need < WEIR_PBL_NEEDS && !failure; need++) {
            const char **at = &parser->variables[i].missing_at[need];

            if (has(&parser->variables[i], (enum weir_pbl_need)need))
                *at = NULL;
            else if (*at != NULL && parser->loops == 0)
                failure = refuse_need(parser, (enum weir_pbl_need)need, i, *at);
        }
    parser->has_doubts &= parser->loops > 0;
    return failure;
}

static void check_variable(void *context, unsigned variable)
{
    struct visit *visit = context;

    if (!visit->failure)
        visit->failure = weir_pbl_need(visit->parser, WEIR_PBL_NEEDS_VALUE, variable, visit->at);
}

static int check_variables(struct weir_pbl_parser *parser, const char *at,
                           const struct weir_expr *expr)
{
    struct visit visit = {parser, at, 0};

    weir_expr_visit(expr, check_variable, &visit);
    return visit.failure;
}

static int internal(struct weir_pbl_parser *parser, const struct weir_pbl_token *token,
                    const struct weir_expr **expr)
{
    const char *name = token->at + 2;
    struct weir_nearest nearest = {.typed = name, .length = token->length - 2};
    unsigned found = weir_internal_find(name, nearest.length);

    if (found < WEIR_INTERNAL_COUNT) {
        *expr = weir_expr_internal(parser->arena, (enum weir_internal)found);
        return 0;
    }
    if (nearest.length == 3 && memcmp(name, "env", 3) == 0)
        return WEIR_PBL_REFUSE(parser, token->at,
                               "$$env(NAME) stands only inside of texts: write \"$$env(NAME)\"");
    for (unsigned i = 0; i < WEIR_INTERNAL_COUNT; i++)
        weir_nearest_offer(&nearest, weir_internal_names[i]);
    return WEIR_PBL_REFUSE(parser, token->at,
                           "there is no %.*s%s; there are $$rank, $$size, $$grank, $$gsize, "
                           "$$node, $$host, $$rand and $$crand",
                           (int)token->length, token->at, weir_pbl_guess(parser, &nearest, "$$"));
}

static int text(struct weir_pbl_parser *parser, const struct weir_pbl_token *token,
                const struct weir_expr **expr)
{
    char reason[REASON_BYTES];
    size_t length;
    const char *inner = weir_pbl_text_of(token, &length);

    *expr = weir_expr_text(parser->arena, &parser->program->variables, inner, length, reason,
                           sizeof reason);
    if (*expr == NULL)
        return WEIR_PBL_REFUSE(parser, token->at, "%s", reason);
    return check_variables(parser, token->at, *expr);
}

static int word(struct weir_pbl_parser *parser, const struct weir_pbl_token *token,
                const struct weir_expr **expr)
{
    static const char *const whences[] = {"SEEK_SET", "SEEK_CUR", "SEEK_END"};

    for (int i = 0; i < 3; i++)
        if (weir_pbl_is_word(token, whences[i])) {
            *expr = weir_expr_integer(parser->arena, i);
            return 0;
        }
    return WEIR_PBL_REFUSE(parser, token->at,
                           "a number, a text or a variable is expected, and not the word %.*s",
                           (int)token->length, token->at);
}

static int negation(struct weir_pbl_parser *parser, const char *at, const struct weir_expr **expr)
{
    const struct weir_expr *operand;

    if (climb(parser, POWER_LEVEL, &operand))
        return -EINVAL;
    return build(parser, at, WEIR_NEGATE, operand, NULL, expr);
}

static int operand(struct weir_pbl_parser *parser, const struct weir_expr **expr)
{
    const struct weir_pbl_token *token = parser->token;

    if (weir_pbl_take_sign(parser, "-"))
        return negation(parser, token->at, expr);
    if (weir_pbl_take_sign(parser, "("))
        return climb(parser, 0, expr) ? -EINVAL : weir_pbl_expect(parser, ")", "the expression");
    if (token->kind == WEIR_PBL_SIGN || token->kind == WEIR_PBL_END)
        return WEIR_PBL_REFUSE(parser, token->at, "a number, a text or a variable is missing");
    parser->token++;
    switch (token->kind) {
    case WEIR_PBL_NUMBER:
        *expr = weir_expr_integer(parser->arena, token->value);
        return 0;
    case WEIR_PBL_VARIABLE:
        *expr = weir_expr_variable(parser->arena, (unsigned)token->value);
        return check_variables(parser, token->at, *expr);
    case WEIR_PBL_INTERNAL:
        return internal(parser, token, expr);
    case WEIR_PBL_TEXT:
        return text(parser, token, expr);
    case WEIR_PBL_TIME:
        return WEIR_PBL_REFUSE(parser, token->at,
                               "%.*s is a time, which only repeat takes; sleep takes microseconds",
                               (int)token->length, token->at);
    default:
        return word(parser, token, expr);
    }
}

static int climb(struct weir_pbl_parser *parser, unsigned level, const struct weir_expr **expr)
{
    const struct operator* found;
    int failure;

    if (parser->expression_depth == WEIR_EXPR_NESTING_MAX)
        return WEIR_PBL_REFUSE(parser, parser->token->at,
                               "more than %d operators and parentheses around one another",
                               WEIR_EXPR_NESTING_MAX);
    parser->expression_depth++;
    failure = operand(parser, expr);
    while (!failure && (found = next_operator(parser)) != NULL && found->level >= level) {
        const char *at = parser->token->at;
        const struct weir_expr *right = NULL;

        parser->token++;
        /* ^ takes all that is behind it first. */
        failure = climb(parser, found->level + (found->operation != WEIR_POWER), &right);
        if (!failure)
            failure = build(parser, at, found->operation, *expr, right, expr);
    }
    parser->expression_depth--;
    return failure;
}

int weir_pbl_expression(struct weir_pbl_parser *parser, const struct weir_expr **expr)
{
    return climb(parser, 0, expr);
}

int weir_pbl_constant(struct weir_pbl_parser *parser, const char *what, int64_t *value)
{
    const char *at = parser->token->at;
    const struct weir_expr *expr;

    if (weir_pbl_expression(parser, &expr))
        return -EINVAL;
    if (!weir_expr_is_constant(expr, value))
        return WEIR_PBL_REFUSE(parser, at,
                               "%s must be a number that is known now, without variables", what);
    return 0;
}
