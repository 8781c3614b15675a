/* SPDX-License-Identifier: Apache-2.0 */
/* Series: doubling keeps sums and places, merging adds. */
#include "weir/measure/series.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FIRST_INTERVAL_NS (UINT64_C(1) << WEIR_SERIES_FIRST_SHIFT)
#define START_NS UINT64_C(5000000)

static uint64_t sum_of(const uint64_t *values)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < WEIR_SERIES_INTERVALS; i++)
        sum += values[i];
    return sum;
}

static void operations_count_where_they_are_done(void **state)
{
    static struct weir_series series;

    (void)state;
    weir_series_reset(&series, START_NS);
    weir_series_add(&series, START_NS, 10);
    weir_series_add(&series, START_NS + FIRST_INTERVAL_NS - 1, 20);
    weir_series_add(&series, START_NS + FIRST_INTERVAL_NS, 40);
    assert_int_equal(series.used, 2);
    assert_int_equal(series.ops[0], 2);
    assert_int_equal(series.bytes[0], 30);
    assert_int_equal(series.ops[1], 1);
    assert_int_equal(series.bytes[1], 40);
}

static void doubling_keeps_sums_and_places(void **state)
{
    static struct weir_series fine;
    static struct weir_series coarse;
    uint64_t bytes = 0;
    unsigned count = 0;

    (void)state;
    weir_series_reset(&fine, START_NS);
    weir_series_reset(&coarse, START_NS);
    weir_series_coarsen(&coarse, WEIR_SERIES_FIRST_SHIFT + 4);
    for (uint64_t at = 0; at < 5000 * FIRST_INTERVAL_NS; at += 777777) {
        weir_series_add(&fine, START_NS + at, at % 4096);
        weir_series_add(&coarse, START_NS + at, at % 4096);
        bytes += at % 4096;
        count++;
    }
    assert_int_equal(fine.shift, WEIR_SERIES_FIRST_SHIFT + 4);
    assert_int_equal(sum_of(fine.ops), count);
    assert_int_equal(sum_of(fine.bytes), bytes);
    assert_memory_equal(&fine, &coarse, sizeof fine);
}

static void an_odd_number_of_intervals_doubles_without_loss(void **state)
{
    static struct weir_series series;

    (void)state;
    weir_series_reset(&series, 0);
    for (unsigned i = 0; i < 3; i++)
        weir_series_add(&series, i * FIRST_INTERVAL_NS, 1u << i);
    weir_series_coarsen(&series, WEIR_SERIES_FIRST_SHIFT + 1);
    assert_int_equal(series.used, 2);
    assert_int_equal(series.bytes[0], 3);
    assert_int_equal(series.bytes[1], 4);
    assert_int_equal(series.ops[1], 1);
}

static void any_time_finds_room(void **state)
{
    static struct weir_series series;

    (void)state;
    weir_series_reset(&series, 0);
    weir_series_add(&series, 1, 1);
    weir_series_add(&series, UINT64_MAX, 1);
    assert_int_equal(sum_of(series.ops), 2);
    assert_in_range(series.used, 2, WEIR_SERIES_INTERVALS);
}

static void a_stamp_before_the_start_counts_into_the_first_interval(void **state)
{
    static struct weir_series series;

    (void)state;
    weir_series_reset(&series, START_NS);
    weir_series_add(&series, START_NS - 3, 7);
    weir_series_add(&series, START_NS - 1, 7);
    assert_int_equal(series.ops[0], 2);
    assert_int_equal(series.used, 1);
    assert_int_equal(series.shift, WEIR_SERIES_FIRST_SHIFT);
}

static void merge_adds_interval_by_interval(void **state)
{
    static struct weir_series a;
    static struct weir_series b;

    (void)state;
    weir_series_reset(&a, START_NS);
    weir_series_reset(&b, START_NS);
    weir_series_add(&a, START_NS, 1);
    weir_series_add(&b, START_NS, 2);
    weir_series_add(&b, START_NS + 9 * FIRST_INTERVAL_NS, 4);
    weir_series_merge(&a, &b);
    assert_int_equal(a.used, 10);
    assert_int_equal(a.ops[0], 2);
    assert_int_equal(a.bytes[0], 3);
    assert_int_equal(a.bytes[9], 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_count_where_they_are_done),
        cmocka_unit_test(doubling_keeps_sums_and_places),
        cmocka_unit_test(an_odd_number_of_intervals_doubles_without_loss),
        cmocka_unit_test(any_time_finds_room),
        cmocka_unit_test(a_stamp_before_the_start_counts_into_the_first_interval),
        cmocka_unit_test(merge_adds_interval_by_interval),
    };

    return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
