/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions of programs: every operator at its edges, texts with variables in them, assignments
 * and random numbers. */
#include "weir/base/random.h"
#include "weir/plan/expr.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { A, B, F, HOME, I, UNSET, X1, VARIABLE_COUNT };
static const char *const names[VARIABLE_COUNT] = {"a", "b", "f", "home", "i", "unset", "x1"};

struct scene {
    struct weir_arena arena;
    struct weir_variables variables;
    struct weir_value values[VARIABLE_COUNT];
    struct weir_scope scope;
    uint64_t common_count;
    char reason[256]; /* of building */
    char text[WEIR_VALUE_BYTES];
    size_t length;
};

static void set_integer(struct scene *x, unsigned variable, int64_t value)
{
    x->values[variable].kind = WEIR_VALUE_INTEGER;
    x->values[variable].integer = value;
}

static const struct weir_expr *text_of(struct scene *x, const char *text)
{
    x->reason[0] = '\0';
    return weir_expr_text(&x->arena, &x->variables, text, strlen(text), x->reason,
                          sizeof x->reason);
}

/* As a parameter is: what is in it is read when it is used. */
static void set_text(struct scene *x, unsigned variable, const char *text)
{
    struct weir_value *value = &x->values[variable];

    assert_int_equal(weir_value_set_text(value, text, strlen(text)), 0);
}

static int set_up(void **state)
{
    struct scene *x = calloc(1, sizeof *x);

    if (!x)
        return -1;
    x->variables = (struct weir_variables){names, VARIABLE_COUNT};
    x->scope.variables = &x->variables;
    x->scope.values = x->values;
    x->scope.host = "n7";
    x->scope.random_seed = 11;
    x->scope.common_seed = 12;
    x->scope.common_count = &x->common_count;
    for (unsigned i = 0; i < WEIR_INTERNAL_COUNT; i++)
        x->scope.internals[i] = 100 + i;
    set_integer(x, I, 42);
    set_text(x, HOME, "/scratch/u");
    *state = x;
    return 0;
}

static int tear_down(void **state)
{
    struct scene *x = *state;

    for (unsigned i = 0; i < VARIABLE_COUNT; i++)
        free(x->values[i].text);
    weir_arena_close(&x->arena);
    free(x);
    return 0;
}

/* ---- operators ---- */

static const struct {
    enum weir_operator operation;
    int64_t left, right;
    int status;
    int64_t value;
} operations[] = {
    {WEIR_ADD, 2, 3, 0, 5},
    {WEIR_ADD, INT64_MAX, -1, 0, INT64_MAX - 1},
    {WEIR_ADD, INT64_MAX, 1, -ERANGE, 0},
    {WEIR_ADD, INT64_MIN, -1, -ERANGE, 0},
    {WEIR_SUBTRACT, 2, 3, 0, -1},
    {WEIR_SUBTRACT, INT64_MIN, 1, -ERANGE, 0},
    {WEIR_SUBTRACT, 0, INT64_MIN, -ERANGE, 0},
    {WEIR_SUBTRACT, -1, INT64_MIN, 0, INT64_MAX},
    {WEIR_MULTIPLY, -3, 7, 0, -21},
    {WEIR_MULTIPLY, INT64_MIN, -1, -ERANGE, 0},
    {WEIR_MULTIPLY, INT64_C(1) << 32, INT64_C(1) << 31, -ERANGE, 0},
    {WEIR_MULTIPLY, INT64_C(1) << 32, -(INT64_C(1) << 31), 0, INT64_MIN},
    {WEIR_DIVIDE, 7, 2, 0, 3},
    {WEIR_DIVIDE, -7, 2, 0, -3},
    {WEIR_DIVIDE, 7, -1, 0, -7},
    {WEIR_DIVIDE, INT64_MIN, -1, -ERANGE, 0},
    {WEIR_DIVIDE, INT64_MIN, 1, 0, INT64_MIN},
    {WEIR_DIVIDE, 1, 0, -EDOM, 0},
    {WEIR_MODULO, 7, 3, 0, 1},
    {WEIR_MODULO, -7, 3, 0, -1},
    {WEIR_MODULO, 7, -3, 0, 1},
    {WEIR_MODULO, INT64_MIN, -1, 0, 0},
    {WEIR_MODULO, 1, 0, -EDOM, 0},
    {WEIR_POWER, 2, 10, 0, 1024},
    {WEIR_POWER, 3, 39, 0, INT64_C(4052555153018976267)},
    {WEIR_POWER, 3, 40, -ERANGE, 0},
    {WEIR_POWER, 2, 62, 0, INT64_C(1) << 62},
    {WEIR_POWER, 2, 63, -ERANGE, 0},
    {WEIR_POWER, -2, 63, 0, INT64_MIN},
    {WEIR_POWER, -2, 64, -ERANGE, 0},
    {WEIR_POWER, 0, 0, 0, 1},
    {WEIR_POWER, 0, INT64_MAX, 0, 0},
    {WEIR_POWER, 1, INT64_MAX, 0, 1},
    {WEIR_POWER, -1, INT64_MAX, 0, -1},
    {WEIR_POWER, 5, -1, 0, 0},
    {WEIR_POWER, 1, -5, 0, 1},
    {WEIR_POWER, -1, -5, 0, -1},
    {WEIR_POWER, -1, INT64_MIN, 0, 1},
    {WEIR_POWER, 0, -1, -EDOM, 0},
    {WEIR_NEGATE, 5, 0, 0, -5},
    {WEIR_NEGATE, INT64_MIN, 0, -ERANGE, 0},
    {WEIR_EQUAL, 4, 4, 0, 1},
    {WEIR_EQUAL, 4, 5, 0, 0},
    {WEIR_NOT_EQUAL, 4, 4, 0, 0},
    {WEIR_NOT_EQUAL, 4, 5, 0, 1},
    {WEIR_LESS, INT64_MIN, INT64_MAX, 0, 1},
    {WEIR_LESS, 4, 4, 0, 0},
    {WEIR_LESS_EQUAL, 4, 4, 0, 1},
    {WEIR_LESS_EQUAL, 5, 4, 0, 0},
    {WEIR_GREATER, 5, 4, 0, 1},
    {WEIR_GREATER, 4, 4, 0, 0},
    {WEIR_GREATER_EQUAL, 4, 4, 0, 1},
    {WEIR_GREATER_EQUAL, 3, 4, 0, 0},
};

static const struct weir_expr *operation_of(struct scene *x, enum weir_operator operation,
                                            const struct weir_expr *left,
                                            const struct weir_expr *right)
{
    x->reason[0] = '\0';
    return weir_expr_operation(&x->arena, operation, left, operation == WEIR_NEGATE ? NULL : right,
                               x->reason, sizeof x->reason);
}

static void operators_compute_and_find_what_they_cannot(void **state)
{
    struct scene *x = *state;
    const struct weir_expr *a = weir_expr_variable(&x->arena, A);
    const struct weir_expr *b = weir_expr_variable(&x->arena, B);

    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct weir_expr *expr = operation_of(x, operations[i].operation, a, b);
        int64_t value = 77;

        set_integer(x, A, operations[i].left);
        set_integer(x, B, operations[i].right);
        x->scope.reason[0] = '\0';
        if (weir_expr_evaluate_integer(expr, &x->scope, &value) != operations[i].status ||
            value != (operations[i].status ? 77 : operations[i].value))
            fail_msg("row %zu: %ld, %s", i, (long)value, x->scope.reason);
        assert_int_equal(x->scope.reason[0] != '\0', operations[i].status != 0);
    }
}

static void constants_are_folded_or_refused(void **state)
{
    struct scene *x = *state;

    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        const struct weir_expr *expr = operation_of(
            x, operations[i].operation, weir_expr_integer(&x->arena, operations[i].left),
            weir_expr_integer(&x->arena, operations[i].right));
        int64_t value;

        assert_int_equal(expr == NULL, operations[i].status != 0);
        assert_int_equal(x->reason[0] != '\0', operations[i].status != 0);
        if (!expr)
            continue;
        assert_true(weir_expr_is_constant(expr, &value));
        assert_int_equal(value, operations[i].value);
    }
}

static void constant_texts_are_numbers_where_they_are_used_so(void **state)
{
    struct scene *x = *state;
    const struct weir_expr *one = weir_expr_integer(&x->arena, 1);
    int64_t value;

    assert_true(weir_expr_is_constant(operation_of(x, WEIR_ADD, text_of(x, "4k"), one), &value));
    assert_int_equal(value, 4097);
    assert_null(operation_of(x, WEIR_ADD, text_of(x, "four"), one));
    assert_non_null(strstr(x->reason, "four"));
}

static void operators_are_nested_as_deep_as_is_allowed(void **state)
{
    struct scene *x = *state;
    const struct weir_expr *expr = weir_expr_variable(&x->arena, I);
    int64_t value;

    for (unsigned i = 0; i < WEIR_EXPR_NESTING_MAX; i++)
        expr = operation_of(x, WEIR_NEGATE, expr, NULL);
    assert_int_equal(weir_expr_evaluate_integer(expr, &x->scope, &value), 0);
    assert_int_equal(value, 42);
    assert_null(operation_of(x, WEIR_ADD, weir_expr_integer(&x->arena, 1), expr));
    assert_string_not_equal(x->reason, "");
}

/* ---- numbers ---- */

static void texts_are_read_as_numbers(void **state)
{
    static const struct {
        const char *text;
        int status;
        int64_t value;
    } rows[] = {
        {"12", 0, 12},
        {"-12", 0, -12},
        {"4k", 0, 4096},
        {"1M", 0, 1 << 20},
        {"2g", 0, INT64_C(2) << 30},
        {"1T", 0, INT64_C(1) << 40},
        {"$i", 0, 42},
        {"9223372036854775807", 0, INT64_MAX},
        {"9223372036854775808", -ERANGE, 0},
        {"", -EINVAL, 0},
        {"12x", -EINVAL, 0},
        {"$unset", -ENODATA, 0},
    };
    struct scene *x = *state;
    const struct weir_expr *a = weir_expr_variable(&x->arena, A);

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t by_variable = 0, by_text = 0;

        set_text(x, A, rows[i].text);
        assert_int_equal(weir_expr_evaluate_integer(a, &x->scope, &by_variable), rows[i].status);
        assert_int_equal(weir_expr_evaluate_integer(text_of(x, rows[i].text), &x->scope, &by_text),
                         rows[i].status);
        assert_int_equal(by_variable, rows[i].value);
        assert_int_equal(by_text, rows[i].value);
    }
}

static void what_is_no_number_is_an_error(void **state)
{
    struct scene *x = *state;
    int64_t value;

    assert_int_equal(
        weir_expr_evaluate_integer(weir_expr_variable(&x->arena, UNSET), &x->scope, &value),
        -ENODATA);
    assert_non_null(strstr(x->scope.reason, "$unset"));
    x->values[F].kind = WEIR_VALUE_FILE;
    assert_int_equal(
        weir_expr_evaluate_integer(weir_expr_variable(&x->arena, F), &x->scope, &value), -EINVAL);
    assert_int_equal(weir_expr_evaluate_integer(weir_expr_internal(&x->arena, WEIR_INTERNAL_HOST),
                                                &x->scope, &value),
                     -EINVAL);
}

static void texts_are_compared_as_texts_and_with_numbers_as_numbers(void **state)
{
    struct scene *x = *state;
    const struct weir_expr *a = weir_expr_variable(&x->arena, A);
    const struct weir_expr *b = weir_expr_variable(&x->arena, B);
    const struct weir_expr *equal = operation_of(x, WEIR_EQUAL, a, b);
    int64_t value;

    set_text(x, A, "4k");
    set_text(x, B, "4096");
    assert_int_equal(weir_expr_evaluate_integer(equal, &x->scope, &value), 0);
    assert_int_equal(value, 0);
    set_integer(x, B, 4096);
    assert_int_equal(weir_expr_evaluate_integer(equal, &x->scope, &value), 0);
    assert_int_equal(value, 1);
    set_text(x, B, "4l");
    assert_int_equal(
        weir_expr_evaluate_integer(operation_of(x, WEIR_LESS, a, b), &x->scope, &value), 0);
    assert_int_equal(value, 1);
    assert_int_equal(
        weir_expr_evaluate_integer(operation_of(x, WEIR_EQUAL, text_of(x, "n7"),
                                                weir_expr_internal(&x->arena, WEIR_INTERNAL_HOST)),
                                   &x->scope, &value),
        0);
    assert_int_equal(value, 1);
}

static void internal_variables_have_the_values_of_the_scope(void **state)
{
    struct scene *x = *state;

    for (unsigned i = 0; i < WEIR_INTERNAL_HOST; i++) {
        int64_t value;

        assert_int_equal(
            weir_expr_evaluate_integer(weir_expr_internal(&x->arena, i), &x->scope, &value), 0);
        assert_int_equal(value, 100 + i);
    }
}

static void random_numbers_are_those_of_the_seed(void **state)
{
    struct scene *x = *state;
    const struct weir_expr *own = weir_expr_internal(&x->arena, WEIR_INTERNAL_RANDOM);
    const struct weir_expr *common = weir_expr_internal(&x->arena, WEIR_INTERNAL_COMMON_RANDOM);

    for (uint64_t i = 0; i < 3; i++) {
        int64_t value;

        assert_int_equal(weir_expr_evaluate_integer(own, &x->scope, &value), 0);
        assert_true(value == (int64_t)(weir_random_at(11, i) >> 32));
        assert_int_equal(weir_expr_evaluate_integer(common, &x->scope, &value), 0);
        assert_true(value == (int64_t)(weir_random_at(12, i) >> 32));
    }
    assert_int_equal(x->scope.random_count, 3);
    assert_int_equal(x->common_count, 3);
}

/* ---- texts ---- */

static int text_status(struct scene *x, const char *text)
{
    const struct weir_expr *expr = text_of(x, text);

    x->text[0] = '\0';
    if (!expr)
        return 1;
    return weir_expr_evaluate_text(expr, &x->scope, x->text, &x->length);
}

static void variables_in_texts_stand_for_their_values(void **state)
{
    static const struct {
        const char *text, *value;
    } rows[] = {
        {"", ""},
        {"plain", "plain"},
        {"$i", "42"},
        {"$home/idx$i/attr/names$b", "/scratch/u/idx42/attr/names-7"},
        {"$i_x", "42_x"},
        {"$i$i", "4242"},
        {"$x1.", "one."},
        {"a\\$i", "a$i"},
        {"\\$\\$i", "$$i"},
        {"\\n\\\"$i", "\\n\\\"42"},
        {"\\\\$i", "\\$i"},
        {"$$rank.$$size-$$host", "100.101-n7"},
        {"$$env(WEIR_TEST_NAME)/$i", "a b$c/42"},
        {"long pieces are copied as short ones: $i", "long pieces are copied as short ones: 42"},
    };
    struct scene *x = *state;

    setenv("WEIR_TEST_NAME", "a b$c", 1);
    set_integer(x, B, -7);
    set_text(x, X1, "one");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(text_status(x, rows[i].text), 0);
        assert_string_equal(x->text, rows[i].value);
        assert_int_equal(x->length, strlen(rows[i].value));
    }
}

static void what_a_text_cannot_name_is_refused_when_it_is_built(void **state)
{
    static const struct {
        const char *text, *clause;
    } rows[] = {
        {"$none", "$none"},
        {"$i5", "$i5"},
        {"$", "$ without"},
        {"5$ a", "$ without"},
        {"$$", "$$ without"},
        {"$$myrank", "$$myrank"},
        {"$$ranks", "$$ranks"},
        {"$$env", "$$env"},
        {"$$env(", "$$env"},
        {"$$env()", "$$env"},
        {"$$env(WEIR_NOT_THERE)", "WEIR_NOT_THERE"},
    };
    struct scene *x = *state;

    unsetenv("WEIR_NOT_THERE");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(text_of(x, rows[i].text));
        assert_non_null(strstr(x->reason, rows[i].clause));
    }
    assert_null(weir_expr_text(&x->arena, &x->variables, "a\0b", 3, x->reason, sizeof x->reason));
}

static void texts_of_variables_are_read_when_they_are_used(void **state)
{
    static const struct {
        const char *text;
        int status;
        const char *value;
    } rows[] = {
        {"$home/$i", 0, "/scratch/u/42"},
        {"<\\$i>", 0, "<$i>"},
        {"$$rank$$env(WEIR_TEST_NAME)", 0, "100v"},
        {"$none", -ENODATA, ""},
        {"$unset", -ENODATA, ""},
        {"$$none", -ENODATA, ""},
        {"$$env(WEIR_NOT_THERE)", -ENODATA, ""},
        {"1$", -EINVAL, ""},
        {"$f", -EINVAL, ""},
    };
    struct scene *x = *state;

    setenv("WEIR_TEST_NAME", "v", 1);
    x->values[F].kind = WEIR_VALUE_FILE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_text(x, A, rows[i].text);
        x->scope.reason[0] = '\0';
        assert_int_equal(text_status(x, "$a"), rows[i].status);
        assert_int_equal(x->scope.reason[0] != '\0', rows[i].status != 0);
        if (rows[i].status == 0)
            assert_string_equal(x->text, rows[i].value);
    }
}

/* Variables v00, v01, ..., each of which names the next one; the last is empty. */
#define CHAIN (WEIR_INTERPOLATION_MAX + 2)

struct chain {
    char names[CHAIN][8];
    const char *sorted[CHAIN];
    struct weir_value values[CHAIN];
    char texts[CHAIN][16];
    struct weir_variables variables;
};

static void make_chain(struct chain *chain, struct weir_scope *scope, const char *format)
{
    for (unsigned i = 0; i < CHAIN; i++) {
        snprintf(chain->names[i], sizeof chain->names[i], "v%02u", i % 100);
        chain->sorted[i] = chain->names[i];
        snprintf(chain->texts[i], sizeof chain->texts[i], format, (i + 1) % 100, (i + 1) % 100);
        chain->values[i] = (struct weir_value){
            .kind = WEIR_VALUE_TEXT, .text = chain->texts[i], .length = strlen(chain->texts[i])};
    }
    chain->values[CHAIN - 1].length = 0;
    chain->values[CHAIN - 1].is_plain = true;
    chain->variables = (struct weir_variables){chain->sorted, CHAIN};
    scope->variables = &chain->variables;
    scope->values = chain->values;
}

static int status_of_variable(struct scene *x, unsigned variable)
{
    return weir_expr_evaluate_text(weir_expr_variable(&x->arena, variable), &x->scope, x->text,
                                   &x->length);
}

static void names_lead_to_names_as_deep_as_is_allowed(void **state)
{
    struct scene *x = *state;
    struct chain chain;

    make_chain(&chain, &x->scope, "$v%02u");
    assert_int_equal(status_of_variable(x, 1), 0);
    assert_string_equal(x->text, "");
    assert_int_equal(status_of_variable(x, 0), -ELOOP);
    /* Twice as many at each level. */
    make_chain(&chain, &x->scope, "$v%02u$v%02u");
    assert_int_equal(status_of_variable(x, CHAIN - 10), 0);
    assert_int_equal(status_of_variable(x, 1), -ELOOP);
}

static void a_text_names_itself_without_end(void **state)
{
    struct scene *x = *state;

    set_text(x, A, "$a");
    assert_int_equal(text_status(x, "$a"), -ELOOP);
    assert_non_null(strstr(x->scope.reason, "$a"));
}

static void texts_are_as_long_as_paths_may_be(void **state)
{
    struct scene *x = *state;
    char longest[WEIR_VALUE_BYTES + 1];

    memset(longest, 'x', sizeof longest);
    longest[WEIR_VALUE_BYTES - 1] = '\0';
    assert_int_equal(text_status(x, longest), 0);
    assert_int_equal(x->length, WEIR_VALUE_BYTES - 1);
    set_text(x, A, longest);
    assert_int_equal(text_status(x, "$a"), 0);
    assert_int_equal(text_status(x, "$a."), -ENAMETOOLONG);
    assert_int_equal(text_status(x, ".$a"), -ENAMETOOLONG);
    assert_int_equal(text_status(x, "$a$i"), -ENAMETOOLONG);
    longest[WEIR_VALUE_BYTES - 1] = 'x';
    longest[WEIR_VALUE_BYTES] = '\0';
    assert_null(text_of(x, longest));
}

static void integers_are_told_as_decimal(void **state)
{
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},       {9, "9"},
        {10, "10"},     {99, "99"},
        {100, "100"},   {-1, "-1"},
        {-100, "-100"}, {INT64_MAX, "9223372036854775807"},
        {1001, "1001"}, {INT64_MIN, "-9223372036854775808"},
    };
    struct scene *x = *state;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(weir_expr_evaluate_text(weir_expr_integer(&x->arena, rows[i].value),
                                                 &x->scope, x->text, &x->length),
                         0);
        assert_string_equal(x->text, rows[i].text);
        set_integer(x, A, rows[i].value);
        assert_int_equal(text_status(x, "<$a>"), 0);
        assert_memory_equal(x->text + 1, rows[i].text, strlen(rows[i].text));
        assert_int_equal(x->length, strlen(rows[i].text) + 2);
    }
}

/* ---- assignments ---- */

static int assign(struct scene *x, unsigned variable, const struct weir_expr *expr)
{
    return weir_expr_assign(expr, &x->scope, &x->values[variable]);
}

static void a_variable_takes_the_kind_of_what_it_is_given(void **state)
{
    struct scene *x = *state;
    char *memory;

    assert_int_equal(assign(x, A, text_of(x, "$i/x")), 0);
    assert_int_equal(x->values[A].kind, WEIR_VALUE_TEXT);
    assert_string_equal(x->values[A].text, "42/x");
    assert_int_equal(x->values[A].length, 4);
    memory = x->values[A].text;
    assert_int_equal(assign(x, A, weir_expr_integer(&x->arena, 5)), 0);
    assert_int_equal(x->values[A].kind, WEIR_VALUE_INTEGER);
    assert_int_equal(x->values[A].integer, 5);
    assert_int_equal(assign(x, A, weir_expr_internal(&x->arena, WEIR_INTERNAL_HOST)), 0);
    assert_string_equal(x->values[A].text, "n7");
    assert_ptr_equal(x->values[A].text, memory);
}

static void a_text_may_be_made_of_what_the_variable_held(void **state)
{
    struct scene *x = *state;

    assert_int_equal(assign(x, HOME, text_of(x, "$home/$home")), 0);
    assert_string_equal(x->values[HOME].text, "/scratch/u//scratch/u");
}

static void a_single_variable_is_copied_as_it_is(void **state)
{
    struct scene *x = *state;

    set_text(x, A, "<$i>");
    assert_int_equal(assign(x, B, weir_expr_variable(&x->arena, A)), 0);
    assert_string_equal(x->values[B].text, "<$i>");
    assert_ptr_not_equal(x->values[B].text, x->values[A].text);
    assert_int_equal(assign(x, A, weir_expr_variable(&x->arena, A)), 0);
    assert_string_equal(x->values[A].text, "<$i>");
    x->values[F] = (struct weir_value){.kind = WEIR_VALUE_FILE, .file = x};
    assert_int_equal(assign(x, A, weir_expr_variable(&x->arena, F)), 0);
    assert_int_equal(x->values[A].kind, WEIR_VALUE_FILE);
    assert_ptr_equal(x->values[A].file, x);
    assert_int_equal(assign(x, A, weir_expr_variable(&x->arena, I)), 0);
    assert_int_equal(x->values[A].integer, 42);
}

static void a_failed_assignment_changes_nothing(void **state)
{
    struct scene *x = *state;

    assert_int_equal(assign(x, I, weir_expr_variable(&x->arena, UNSET)), -ENODATA);
    assert_int_equal(assign(x, I, text_of(x, "$unset")), -ENODATA);
    assert_int_equal(assign(x, I,
                            operation_of(x, WEIR_DIVIDE, weir_expr_variable(&x->arena, I),
                                         weir_expr_integer(&x->arena, 0))),
                     -EDOM);
    assert_string_equal(x->scope.reason, "division by zero");
    assert_int_equal(x->values[I].kind, WEIR_VALUE_INTEGER);
    assert_int_equal(x->values[I].integer, 42);
}

/* ---- reading ---- */

static void note(void *context, unsigned variable)
{
    *(unsigned *)context |= 1u << variable;
}

static void an_expression_tells_what_it_is(void **state)
{
    struct scene *x = *state;
    const struct weir_expr *a = weir_expr_variable(&x->arena, A);
    const struct weir_expr *text = text_of(x, "$home/$$rank\\$");
    const struct weir_expr *sum =
        operation_of(x, WEIR_ADD, operation_of(x, WEIR_NEGATE, a, NULL), text);
    struct weir_text told = {0};
    unsigned visited = 0;
    int64_t value;

    assert_int_equal(weir_expr_single_variable(a), A);
    assert_int_equal(weir_expr_single_variable(text_of(x, "$a")), -1);
    assert_true(weir_expr_is_text(text) && !weir_expr_is_text(a) && !weir_expr_is_text(sum));
    assert_string_equal(weir_expr_constant_text(text_of(x, "a\\$")), "a$");
    assert_null(weir_expr_constant_text(text));
    assert_null(weir_expr_constant_text(a));
    assert_false(weir_expr_is_constant(a, &value));
    assert_true(weir_expr_differs(sum));
    assert_false(weir_expr_differs(a));
    assert_false(weir_expr_differs(text_of(x, "$a$$size$$gsize$$crand")));
    weir_expr_visit(sum, note, &visited);
    assert_int_equal(visited, 1u << A | 1u << HOME);
    weir_expr_explain(&told, &x->variables, sum);
    assert_string_equal(weir_text_string(&told), "((-$a) + \"$home/$$rank\\$\")");
    weir_text_close(&told);
}

static void variables_are_found_by_their_whole_names(void **state)
{
    struct scene *x = *state;

    for (unsigned i = 0; i < VARIABLE_COUNT; i++)
        assert_int_equal(weir_variables_find(&x->variables, names[i], strlen(names[i])), i);
    assert_int_equal(weir_variables_find(&x->variables, "home", 3), VARIABLE_COUNT);
    assert_int_equal(weir_variables_find(&x->variables, "homes", 5), VARIABLE_COUNT);
    assert_int_equal(weir_variables_find(&x->variables, "", 0), VARIABLE_COUNT);
    assert_int_equal(weir_variables_find(&(struct weir_variables){NULL, 0}, "a", 1), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operators_compute_and_find_what_they_cannot),
        TEST(constants_are_folded_or_refused),
        TEST(constant_texts_are_numbers_where_they_are_used_so),
        TEST(operators_are_nested_as_deep_as_is_allowed),
        TEST(texts_are_read_as_numbers),
        TEST(what_is_no_number_is_an_error),
        TEST(texts_are_compared_as_texts_and_with_numbers_as_numbers),
        TEST(internal_variables_have_the_values_of_the_scope),
        TEST(random_numbers_are_those_of_the_seed),
        TEST(variables_in_texts_stand_for_their_values),
        TEST(what_a_text_cannot_name_is_refused_when_it_is_built),
        TEST(texts_of_variables_are_read_when_they_are_used),
        TEST(names_lead_to_names_as_deep_as_is_allowed),
        TEST(a_text_names_itself_without_end),
        TEST(texts_are_as_long_as_paths_may_be),
        TEST(integers_are_told_as_decimal),
        TEST(a_variable_takes_the_kind_of_what_it_is_given),
        TEST(a_text_may_be_made_of_what_the_variable_held),
        TEST(a_single_variable_is_copied_as_it_is),
        TEST(a_failed_assignment_changes_nothing),
        TEST(an_expression_tells_what_it_is),
        TEST(variables_are_found_by_their_whole_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
