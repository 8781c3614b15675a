/* SPDX-License-Identifier: Apache-2.0 */
/* Values of expressions on one rank: integers, comparisons and assignments. */
#include "expr_tree.h"

#include "weir/base/random.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int weir_expr_fail(struct weir_scope *scope, int code, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(scope->reason, sizeof scope->reason, format, arguments);
    va_end(arguments);
    return code;
}

int64_t weir_internal_value(struct weir_scope *scope, enum weir_internal internal)
{
    assert(internal != WEIR_INTERNAL_HOST);
    if (internal == WEIR_INTERNAL_RANDOM)
        return (int64_t)(weir_random_at(scope->random_seed, scope->random_count++) >> 32);
    if (internal == WEIR_INTERNAL_COMMON_RANDOM)
        return (int64_t)(weir_random_at(scope->common_seed, (*scope->common_count)++) >> 32);
    return scope->internals[internal];
}

/* ---- operators ---- */

/* Overflow is found in the last product that counts. */
static int raise(int64_t base, int64_t exponent, int64_t *power)
{
    int64_t result = 1;

    if (exponent < 0) {
        if (base == 0)
            return -EDOM;
        *power = base == 1 ? 1 : base != -1 ? 0 : exponent % 2 ? -1 : 1;
        return 0;
    }
    for (;;) {
        if (exponent & 1 && __builtin_mul_overflow(result, base, &result))
            return -ERANGE;
        exponent >>= 1;
        if (exponent == 0)
            break;
        if (__builtin_mul_overflow(base, base, &base))
            return -ERANGE;
    }
    *power = result;
    return 0;
}

static int compute(enum weir_operator operation, int64_t left, int64_t right, int64_t *value)
{
    switch (operation) {
    case WEIR_ADD:
        return __builtin_add_overflow(left, right, value) ? -ERANGE : 0;
    case WEIR_SUBTRACT:
        return __builtin_sub_overflow(left, right, value) ? -ERANGE : 0;
    case WEIR_MULTIPLY:
        return __builtin_mul_overflow(left, right, value) ? -ERANGE : 0;
    case WEIR_DIVIDE:
        if (right == 0)
            return -EDOM;
        if (right == -1)
            return __builtin_sub_overflow(0, left, value) ? -ERANGE : 0;
        *value = left / right;
        return 0;
    case WEIR_MODULO:
        if (right == 0)
            return -EDOM;
        *value = right == -1 ? 0 : left % right;
        return 0;
    case WEIR_POWER:
        return raise(left, right, value);
    case WEIR_NEGATE:
        return __builtin_sub_overflow(0, left, value) ? -ERANGE : 0;
    case WEIR_EQUAL:
        *value = left == right;
        return 0;
    case WEIR_NOT_EQUAL:
        *value = left != right;
        return 0;
    case WEIR_LESS:
        *value = left < right;
        return 0;
    case WEIR_LESS_EQUAL:
        *value = left <= right;
        return 0;
    case WEIR_GREATER:
        *value = left > right;
        return 0;
    default:
        *value = left >= right;
        return 0;
    }
}

__attribute__((cold, noinline)) static int tell_failure(struct weir_scope *scope, int code,
                                                        int64_t left, int64_t right)
{
    if (code == -EDOM)
        return weir_expr_fail(scope, code, "division by zero");
    return weir_expr_fail(scope, code,
                          "the result is beyond 64 bits (operands %" PRId64 " and %" PRId64 ")",
                          left, right);
}

/* ---- texts as operands ---- */

static bool is_text_now(const struct weir_expr *expr, const struct weir_scope *scope)
{
    if (expr->kind == WEIR_EXPR_VARIABLE)
        return scope->values[expr->variable].kind == WEIR_VALUE_TEXT;
    return weir_expr_is_text(expr);
}

/* Apart from evaluation, whose frames would all be as large. */
__attribute__((noinline)) static int compare_texts(const struct weir_expr *expr,
                                                   struct weir_scope *scope, int64_t *value)
{
    char left[WEIR_VALUE_BYTES], right[WEIR_VALUE_BYTES];
    size_t length;
    int status = weir_expr_evaluate_text(expr->operands[0], scope, left, &length);

    status = status ? status : weir_expr_evaluate_text(expr->operands[1], scope, right, &length);
    return status ? status : compute(expr->operation, strcmp(left, right), 0, value);
}

/* Digits alone, as most texts are that stand for numbers. */
static bool read_digits(const char *text, size_t length, int64_t *value)
{
    int64_t number = 0;

    if (length == 0 || length > 18)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';

        if (digit > 9)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

__attribute__((noinline)) static int number_of_text(const struct weir_expr *expr,
                                                    struct weir_scope *scope, int64_t *value)
{
    char text[WEIR_VALUE_BYTES];
    size_t length;
    int status = weir_expr_evaluate_text(expr, scope, text, &length);

    if (status || read_digits(text, length, value))
        return status;
    status = weir_integer_parse(text, value);
    if (status == -ERANGE)
        return weir_expr_fail(scope, status, "\"%.64s\" is beyond 64 bits", text);
    return status ? weir_expr_fail(scope, status, "\"%.64s\" is no number", text) : 0;
}

static int number_of_variable(const struct weir_expr *expr, struct weir_scope *scope,
                              int64_t *value)
{
    const struct weir_value *variable = &scope->values[expr->variable];

    if (variable->kind == WEIR_VALUE_FILE)
        return weir_expr_fail(scope, -EINVAL, "$%s is a file, and no number",
                              scope->variables->names[expr->variable]);
    if (variable->kind == WEIR_VALUE_TEXT && read_digits(variable->text, variable->length, value))
        return 0;
    return number_of_text(expr, scope, value);
}

/* ---- evaluating ---- */

/* Constants and integers, as most operands are, without a call. */
static inline int evaluate_operand(const struct weir_expr *expr, struct weir_scope *scope,
                                   int64_t *value)
{
    if (expr->kind == WEIR_EXPR_INTEGER) {
        *value = expr->integer;
        return 0;
    }
    if (expr->kind == WEIR_EXPR_VARIABLE &&
        scope->values[expr->variable].kind == WEIR_VALUE_INTEGER) {
        *value = scope->values[expr->variable].integer;
        return 0;
    }
    return weir_expr_evaluate_integer(expr, scope, value);
}

static int operate(const struct weir_expr *expr, struct weir_scope *scope, int64_t *value)
{
    const struct weir_expr *left_operand = expr->operands[0], *right_operand = expr->operands[1];
    int64_t left, right = 0, result;
    int status;

    if (expr->operation >= WEIR_EQUAL && is_text_now(left_operand, scope) &&
        is_text_now(right_operand, scope))
        return compare_texts(expr, scope, value);
    status = evaluate_operand(left_operand, scope, &left);
    if (status == 0 && right_operand)
        status = evaluate_operand(right_operand, scope, &right);
    if (status)
        return status;
    status = compute(expr->operation, left, right, &result);
    if (status)
        return tell_failure(scope, status, left, right);
    *value = result;
    return 0;
}

int weir_expr_evaluate_integer(const struct weir_expr *expr, struct weir_scope *scope,
                               int64_t *value)
{
    switch (expr->kind) {
    case WEIR_EXPR_OPERATION:
        return operate(expr, scope, value);
    case WEIR_EXPR_INTEGER:
        *value = expr->integer;
        return 0;
    case WEIR_EXPR_VARIABLE:
        if (scope->values[expr->variable].kind != WEIR_VALUE_INTEGER)
            return number_of_variable(expr, scope, value);
        *value = scope->values[expr->variable].integer;
        return 0;
    case WEIR_EXPR_INTERNAL:
        if (expr->internal == WEIR_INTERNAL_HOST)
            return number_of_text(expr, scope, value);
        *value = weir_internal_value(scope, expr->internal);
        return 0;
    default:
        return number_of_text(expr, scope, value);
    }
}

/* ---- assigning ---- */

int weir_value_set_text(struct weir_value *value, const char *text, size_t length)
{
    if (length >= WEIR_VALUE_BYTES)
        return -ENAMETOOLONG;
    if (!value->text)
        value->text = malloc(WEIR_VALUE_BYTES);
    if (!value->text)
        return -ENOMEM;
    memcpy(value->text, text, length);
    value->text[length] = '\0';
    value->length = length;
    value->is_plain = memchr(text, '$', length) == NULL;
    value->kind = WEIR_VALUE_TEXT;
    return 0;
}

static int set_text(struct weir_scope *scope, struct weir_value *value, const char *text,
                    size_t length)
{
    int status = weir_value_set_text(value, text, length);

    return status ? weir_expr_fail(scope, status, "a text: %s", strerror(-status)) : 0;
}

static int copy_variable(const struct weir_expr *expr, struct weir_scope *scope,
                         struct weir_value *value)
{
    const struct weir_value *source = &scope->values[expr->variable];

    if (source->kind == WEIR_VALUE_NONE)
        return weir_expr_fail(scope, -ENODATA, "$%s is not set",
                              scope->variables->names[expr->variable]);
    if (source == value)
        return 0;
    if (source->kind == WEIR_VALUE_TEXT)
        return set_text(scope, value, source->text, source->length);
    value->kind = source->kind;
    value->integer = source->integer;
    value->file = source->file;
    return 0;
}

int weir_expr_assign(const struct weir_expr *expr, struct weir_scope *scope,
                     struct weir_value *value)
{
    char text[WEIR_VALUE_BYTES];
    size_t length;
    int64_t number = 0;
    int status;

    if (expr->kind == WEIR_EXPR_VARIABLE)
        return copy_variable(expr, scope, value);
    if (weir_expr_is_text(expr)) {
        status = weir_expr_evaluate_text(expr, scope, text, &length);
        return status ? status : set_text(scope, value, text, length);
    }
    status = weir_expr_evaluate_integer(expr, scope, &number);
    if (status == 0) {
        value->kind = WEIR_VALUE_INTEGER;
        value->integer = number;
    }
    return status;
}
