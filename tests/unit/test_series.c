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

static void operations_that_are_done_at_once_count_as_one_by_one(void **state)
{
    static struct weir_series together;
    static struct weir_series single;

    (void)state;
    weir_series_reset(&together, START_NS);
    weir_series_reset(&single, START_NS);
    weir_series_add_many(&together, START_NS + 3 * FIRST_INTERVAL_NS, 5, 50);
    for (unsigned i = 0; i < 5; i++)
        weir_series_add(&single, START_NS + 3 * FIRST_INTERVAL_NS, 10);
    assert_int_equal(together.ops[3], 5);
    assert_memory_equal(&together, &single, sizeof single);
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

static void a_backlog_is_noted_where_it_was_seen_and_the_longest_stays(void **state)
{
    static struct weir_series series;

    (void)state;
    weir_series_reset(&series, START_NS);
    weir_series_note_backlog(&series, START_NS, 7);
    weir_series_note_backlog(&series, START_NS + 1, 3);
    weir_series_note_backlog(&series, START_NS + 5 * FIRST_INTERVAL_NS, 9);
    weir_series_note_backlog(&series, START_NS - 1, 8); /* the clock's grain */
    assert_int_equal(series.used, 6);
    assert_int_equal(series.backlog[0], 8);
    assert_int_equal(series.backlog[4], 0);
    assert_int_equal(series.backlog[5], 9);
    assert_int_equal(sum_of(series.ops), 0);
}

/* Not the sum: the same transfers wait in both. */
static void the_longest_backlog_of_two_intervals_is_that_of_both(void **state)
{
    static struct weir_series series;

    (void)state;
    weir_series_reset(&series, 0);
    for (unsigned i = 0; i < 5; i++)
        weir_series_note_backlog(&series, i * FIRST_INTERVAL_NS, 10 - i);
    weir_series_coarsen(&series, WEIR_SERIES_FIRST_SHIFT + 1);
    assert_int_equal(series.used, 3);
    assert_int_equal(series.backlog[0], 10);
    assert_int_equal(series.backlog[1], 8);
    assert_int_equal(series.backlog[2], 6);
    assert_int_equal(sum_of(series.backlog), 24);
    weir_series_note_backlog(&series, 2000 * FIRST_INTERVAL_NS, 4);
    assert_int_equal(series.backlog[0], 10);
    assert_int_equal(sum_of(series.backlog), 20);
}

/* At the same time those of one rank wait beside those of another. */
static void backlogs_of_ranks_add_up(void **state)
{
    static struct weir_series a;
    static struct weir_series b;

    (void)state;
    weir_series_reset(&a, START_NS);
    weir_series_reset(&b, START_NS);
    weir_series_note_backlog(&a, START_NS, 5);
    weir_series_note_backlog(&b, START_NS, 6);
    weir_series_note_backlog(&b, START_NS + 2 * FIRST_INTERVAL_NS, 2);
    weir_series_merge(&a, &b);
    assert_int_equal(a.used, 3);
    assert_int_equal(a.backlog[0], 11);
    assert_int_equal(a.backlog[2], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_count_where_they_are_done),
        cmocka_unit_test(operations_that_are_done_at_once_count_as_one_by_one),
        cmocka_unit_test(doubling_keeps_sums_and_places),
        cmocka_unit_test(an_odd_number_of_intervals_doubles_without_loss),
        cmocka_unit_test(any_time_finds_room),
        cmocka_unit_test(a_stamp_before_the_start_counts_into_the_first_interval),
        cmocka_unit_test(merge_adds_interval_by_interval),
        cmocka_unit_test(a_backlog_is_noted_where_it_was_seen_and_the_longest_stays),
        cmocka_unit_test(the_longest_backlog_of_two_intervals_is_that_of_both),
        cmocka_unit_test(backlogs_of_ranks_add_up),
    };

    return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
