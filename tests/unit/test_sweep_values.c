/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a sweep's axis, and what a rank does of a sweep's total. */
#include "front/sweep/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

#define COUNT(table) (sizeof(table) / sizeof *(table))

static void lists_and_ranges_are_read(void **state)
{
    static const struct {
        const char *text;
        bool are_sizes;
        unsigned count;
        uint64_t numbers[6];
    } cases[] = {
        {"1,2,4", false, 3, {1, 2, 4}},
        {"4,1", false, 2, {4, 1}},
        {"1..32x2", false, 6, {1, 2, 4, 8, 16, 32}},
        {"1..32*2", false, 6, {1, 2, 4, 8, 16, 32}},
        {"1..6x2", false, 3, {1, 2, 4}},
        {"4..12+4,100", false, 4, {4, 8, 12, 100}},
        {"3..3+1", false, 1, {3}},
        {"4k..1m*4", true, 5, {4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB}},
        {"1m..3m+1m", true, 3, {MIB, 2 * MIB, 3 * MIB}},
        {"9223372036854775807..9223372036854775807x3", false, 1, {INT64_MAX}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_arena arena = {0};
        struct weir_error error = {0};
        struct weir_sweep_values values;

        assert_int_equal(weir_sweep_values_read(cases[i].text, cases[i].are_sizes, "axis", &arena,
                                                &values, &error),
                         0);
        assert_int_equal(values.count, cases[i].count);
        for (unsigned j = 0; j < values.count; j++)
            assert_int_equal(values.numbers[j], cases[i].numbers[j]);
        weir_arena_close(&arena);
    }
}

static void what_is_no_list_is_refused(void **state)
{
    static const char *const cases[] = {"",       "0",      "1,",        "1,,2",   "1,2,1",
                                        "4k",     "x",      "1..8",      "8..1x2", "1..8x1",
                                        "1..8x0", "1..8+0", "1..2000+1", "..8x2",  "1..x2"};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_arena arena = {0};
        struct weir_error error = {0};
        struct weir_sweep_values values;

        assert_int_not_equal(
            weir_sweep_values_read(cases[i], false, "ranks", &arena, &values, &error), 0);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        weir_arena_close(&arena);
    }
}

static void shares_are_whole_transfers(void **state)
{
    assert_int_equal(weir_sweep_share(8 * GIB, 32, MIB), 256 * MIB);
    assert_int_equal(weir_sweep_share(10 * MIB, 4, MIB), 3 * MIB);
    assert_int_equal(weir_sweep_share(10 * MIB, 3, MIB), 3 * MIB);
    assert_int_equal(weir_sweep_share(MIB, 4, MIB), MIB);
    assert_int_equal(weir_sweep_share(7, 2, 1), 4);
    assert_int_equal(weir_sweep_share(7, 4, 1), 2);
    assert_int_equal(weir_sweep_share(5, 4, 1), 1);
    assert_int_equal(weir_sweep_share(INT64_MAX, 1 << 20, UINT64_C(1) << 60), UINT64_C(1) << 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_and_ranges_are_read),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(shares_are_whole_transfers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
