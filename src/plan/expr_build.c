/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions are built, constants folded, and what was built is told. */
#include "expr_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const weir_internal_names[WEIR_INTERNAL_COUNT] = {
    [WEIR_INTERNAL_RANK] = "rank",        [WEIR_INTERNAL_SIZE] = "size",
    [WEIR_INTERNAL_GROUP_RANK] = "grank", [WEIR_INTERNAL_GROUP_SIZE] = "gsize",
    [WEIR_INTERNAL_NODE] = "node",        [WEIR_INTERNAL_HOST] = "host",
    [WEIR_INTERNAL_RANDOM] = "rand",      [WEIR_INTERNAL_COMMON_RANDOM] = "crand",
};

static const char *const operator_signs[] = {
    [WEIR_ADD] = "+",
    [WEIR_SUBTRACT] = "-",
    [WEIR_MULTIPLY] = "*",
    [WEIR_DIVIDE] = "/",
    [WEIR_MODULO] = "%",
    [WEIR_POWER] = "^",
    [WEIR_NEGATE] = "-",
    [WEIR_EQUAL] = "==",
    [WEIR_NOT_EQUAL] = "!=",
    [WEIR_LESS] = "<",
    [WEIR_LESS_EQUAL] = "<=",
    [WEIR_GREATER] = ">",
    [WEIR_GREATER_EQUAL] = ">=",
};

unsigned weir_internal_find(const char *name, size_t length)
{
    unsigned i = 0;

    while (i < WEIR_INTERNAL_COUNT && (strncmp(weir_internal_names[i], name, length) != 0 ||
                                       weir_internal_names[i][length] != '\0'))
        i++;
    return i;
}

unsigned weir_variables_find(const struct weir_variables *variables, const char *name,
                             size_t length)
{
    unsigned low = 0, high = variables->count;

    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        int order = strncmp(variables->names[middle], name, length);

        if (order == 0 && variables->names[middle][length] == '\0')
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return variables->count;
}

/* ---- building ---- */

static struct weir_expr *take(struct weir_arena *arena, enum weir_expr_kind kind)
{
    struct weir_expr *expr = weir_arena_take(arena, sizeof *expr);

    expr->kind = kind;
    return expr;
}

const struct weir_expr *weir_expr_integer(struct weir_arena *arena, int64_t value)
{
    struct weir_expr *expr = take(arena, WEIR_EXPR_INTEGER);

    expr->integer = value;
    return expr;
}

const struct weir_expr *weir_expr_variable(struct weir_arena *arena, unsigned variable)
{
    struct weir_expr *expr = take(arena, WEIR_EXPR_VARIABLE);

    expr->variable = variable;
    return expr;
}

static bool internal_differs(unsigned internal)
{
    return internal != WEIR_INTERNAL_SIZE && internal != WEIR_INTERNAL_GROUP_SIZE &&
           internal != WEIR_INTERNAL_COMMON_RANDOM;
}

const struct weir_expr *weir_expr_internal(struct weir_arena *arena, enum weir_internal internal)
{
    struct weir_expr *expr = take(arena, WEIR_EXPR_INTERNAL);

    expr->internal = internal;
    expr->differs = internal_differs(internal);
    return expr;
}

/* A text under construction: pieces are known when a variable ends them. */
struct draft {
    struct weir_arena *arena;
    struct weir_piece *pieces;
    unsigned count;
    struct weir_text literal; /* of the next piece */
    size_t length;            /* of all literals */
    bool differs;
};

static void end_piece(struct draft *draft, enum weir_piece_kind kind, unsigned number)
{
    struct weir_piece *piece = &draft->pieces[draft->count++];

    *piece = (struct weir_piece){
        .literal = weir_arena_copy(draft->arena, weir_text_string(&draft->literal)),
        .length = draft->literal.length,
        .kind = kind,
        .number = number,
    };
    draft->length += piece->length;
    weir_text_clear(&draft->literal);
}

/* False, with the clause in `reason`. */
static bool add_token(struct draft *draft, const struct weir_variables *variables,
                      enum weir_token token, const struct weir_scan *scan, struct weir_text *reason)
{
    int length = (int)scan->length;
    const char *value;
    unsigned number;

    switch (token) {
    case WEIR_TOKEN_VARIABLE:
        number = weir_variables_find(variables, scan->word, scan->length);
        if (number == variables->count)
            weir_text_add(reason, "there is no variable $%.*s", length, scan->word);
        else
            end_piece(draft, WEIR_PIECE_VARIABLE, number);
        break;
    case WEIR_TOKEN_INTERNAL:
        number = weir_internal_find(scan->word, scan->length);
        if (number == WEIR_INTERNAL_COUNT)
            weir_text_add(reason, "there is no internal variable $$%.*s", length, scan->word);
        else
            end_piece(draft, WEIR_PIECE_INTERNAL, number);
        draft->differs |= internal_differs(number);
        break;
    case WEIR_TOKEN_ENVIRONMENT:
        if (weir_scan_environment(scan, &value))
            weir_text_add(reason, "the environment has no %.*s", length, scan->word);
        else
            weir_text_add(&draft->literal, "%s", value);
        break;
    case WEIR_TOKEN_WRONG:
        weir_text_add(reason, "%.*s without a name: write \\$ for the sign", length, scan->word);
        break;
    default:
        weir_text_add_bytes(&draft->literal, scan->word, scan->length);
    }
    return reason->length == 0;
}

static unsigned count_dollars(const char *text, size_t length)
{
    unsigned count = 0;

    for (size_t i = 0; i < length; i++)
        count += text[i] == '$';
    return count;
}

const struct weir_expr *weir_expr_text(struct weir_arena *arena,
                                       const struct weir_variables *variables, const char *text,
                                       size_t length, char *reason, size_t reason_bytes)
{
    struct weir_scan scan = {.at = text, .end = text + length};
    struct draft draft = {.arena = arena};
    struct weir_text clause = {0};
    struct weir_expr *expr = NULL;
    enum weir_token token;

    draft.pieces = weir_arena_take(arena, (count_dollars(text, length) + 1) * sizeof *draft.pieces);
    do
        token = weir_scan_next(&scan);
    while (token != WEIR_TOKEN_END && add_token(&draft, variables, token, &scan, &clause));
    end_piece(&draft, WEIR_PIECE_END, 0);
    if (clause.length == 0 && memchr(text, '\0', length))
        weir_text_add(&clause, "a text with a NUL in it");
    if (clause.length == 0 && draft.length >= WEIR_VALUE_BYTES)
        weir_text_add(&clause, "a text of more than %d bytes", WEIR_VALUE_BYTES - 1);
    if (clause.length > 0) {
        snprintf(reason, reason_bytes, "%s", weir_text_string(&clause));
    } else {
        expr = take(arena, WEIR_EXPR_TEXT);
        expr->pieces = draft.pieces;
        expr->differs = draft.differs;
    }
    weir_text_close(&clause);
    weir_text_close(&draft.literal);
    return expr;
}

static bool is_constant(const struct weir_expr *expr)
{
    return !expr || expr->kind == WEIR_EXPR_INTEGER || weir_expr_constant_text(expr);
}

const struct weir_expr *weir_expr_operation(struct weir_arena *arena, enum weir_operator operation,
                                            const struct weir_expr *left,
                                            const struct weir_expr *right, char *reason,
                                            size_t reason_bytes)
{
    struct weir_expr *expr = take(arena, WEIR_EXPR_OPERATION);
    unsigned right_height = right ? right->height : 0;
    struct weir_scope nothing = {.reason = ""};
    int64_t value;

    expr->operation = operation;
    expr->operands[0] = left;
    expr->operands[1] = right;
    expr->height = 1 + (left->height > right_height ? left->height : right_height);
    expr->differs = left->differs || (right && right->differs);
    if (expr->height > WEIR_EXPR_NESTING_MAX) {
        snprintf(reason, reason_bytes, "more than %d operators around an operand",
                 WEIR_EXPR_NESTING_MAX);
        return NULL;
    }
    if (!is_constant(left) || !is_constant(right))
        return expr;
    if (weir_expr_evaluate_integer(expr, &nothing, &value)) {
        snprintf(reason, reason_bytes, "%s", nothing.reason);
        return NULL;
    }
    return weir_expr_integer(arena, value);
}

/* ---- reading ---- */

bool weir_expr_is_text(const struct weir_expr *expr)
{
    return expr->kind == WEIR_EXPR_TEXT ||
           (expr->kind == WEIR_EXPR_INTERNAL && expr->internal == WEIR_INTERNAL_HOST);
}

bool weir_expr_is_constant(const struct weir_expr *expr, int64_t *value)
{
    if (expr->kind != WEIR_EXPR_INTEGER)
        return false;
    *value = expr->integer;
    return true;
}

const char *weir_expr_constant_text(const struct weir_expr *expr)
{
    bool is_plain = expr->kind == WEIR_EXPR_TEXT && expr->pieces[0].kind == WEIR_PIECE_END;

    return is_plain ? expr->pieces[0].literal : NULL;
}

int weir_expr_single_variable(const struct weir_expr *expr)
{
    return expr->kind == WEIR_EXPR_VARIABLE ? (int)expr->variable : -1;
}

bool weir_expr_differs(const struct weir_expr *expr)
{
    return expr->differs;
}

void weir_expr_visit(const struct weir_expr *expr, void (*visit)(void *context, unsigned variable),
                     void *context)
{
    if (expr->kind == WEIR_EXPR_VARIABLE)
        visit(context, expr->variable);
    for (unsigned i = 0; expr->kind == WEIR_EXPR_OPERATION && i < 2 && expr->operands[i]; i++)
        weir_expr_visit(expr->operands[i], visit, context);
    if (expr->kind != WEIR_EXPR_TEXT)
        return;
    for (const struct weir_piece *piece = expr->pieces; piece->kind != WEIR_PIECE_END; piece++)
        if (piece->kind == WEIR_PIECE_VARIABLE)
            visit(context, piece->number);
}

/* Whatever variables hold. */
static bool is_surely_number(const struct weir_expr *expr)
{
    return expr->kind == WEIR_EXPR_INTEGER || expr->kind == WEIR_EXPR_OPERATION;
}

void weir_expr_visit_numbers(const struct weir_expr *expr, bool is_number,
                             void (*visit)(void *context, unsigned variable), void *context)
{
    const struct weir_expr *const *operands = expr->operands;

    if (expr->kind == WEIR_EXPR_VARIABLE && is_number)
        visit(context, expr->variable);
    for (unsigned i = 0; expr->kind == WEIR_EXPR_OPERATION && i < 2 && operands[i]; i++)
        weir_expr_visit_numbers(operands[i],
                                expr->operation < WEIR_EQUAL || is_surely_number(operands[1 - i]),
                                visit, context);
}

/* ---- as text ---- */

/* In the form in which it would be written. */
static void add_literal(struct weir_text *text, const char *literal)
{
    for (const char *at = literal; *at != '\0';) {
        size_t length = strcspn(at, "$");

        weir_text_add_bytes(text, at, length);
        at += length;
        if (*at == '$')
            weir_text_add(text, "\\%c", *at++);
    }
}

static void add_pieces(struct weir_text *text, const struct weir_variables *variables,
                       const struct weir_piece *piece)
{
    size_t begin = text->length;

    weir_text_add(text, "\"");
    for (;; piece++) {
        add_literal(text, piece->literal);
        if (piece->kind == WEIR_PIECE_END)
            break;
        if (piece->kind == WEIR_PIECE_VARIABLE)
            weir_text_add(text, "$%s", variables->names[piece->number]);
        else
            weir_text_add(text, "$$%s", weir_internal_names[piece->number]);
    }
    weir_text_add(text, "\"");
    weir_text_make_visible(text->data + begin, "");
}

void weir_expr_explain(struct weir_text *text, const struct weir_variables *variables,
                       const struct weir_expr *expr)
{
    switch (expr->kind) {
    case WEIR_EXPR_INTEGER:
        weir_text_add(text, "%" PRId64, expr->integer);
        break;
    case WEIR_EXPR_VARIABLE:
        weir_text_add(text, "$%s", variables->names[expr->variable]);
        break;
    case WEIR_EXPR_INTERNAL:
        weir_text_add(text, "$$%s", weir_internal_names[expr->internal]);
        break;
    case WEIR_EXPR_TEXT:
        add_pieces(text, variables, expr->pieces);
        break;
    case WEIR_EXPR_OPERATION:
        weir_text_add(text, "(");
        if (expr->operands[1]) {
            weir_expr_explain(text, variables, expr->operands[0]);
            weir_text_add(text, " ");
        }
        weir_text_add(text, "%s", operator_signs[expr->operation]);
        weir_text_add(text, "%s", expr->operands[1] ? " " : "");
        weir_expr_explain(text, variables, expr->operands[expr->operands[1] != NULL]);
        weir_text_add(text, ")");
        break;
    }
}
