/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms: error of the buckets, percentiles against sorted samples, merging. */
#include "weir/measure/histogram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES 20000

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* From 1 ns to 2^40 ns, equally many per octave. */
static uint64_t spread_value(uint64_t *state)
{
    return 1 + (next_random(state) >> (24 + next_random(state) % 40));
}

static void buckets_follow_one_another_without_gaps(void **state)
{
    (void)state;
    assert_int_equal(weir_histogram_bucket_low(0), 0);
    for (unsigned i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        assert_int_equal(weir_histogram_bucket(weir_histogram_bucket_low(i)), i);
        assert_int_equal(weir_histogram_bucket(weir_histogram_bucket_end(i) - 1), i);
    }
    assert_int_equal(weir_histogram_bucket_end(WEIR_HISTOGRAM_BUCKETS - 1),
                     UINT64_C(1) << WEIR_HISTOGRAM_MAX_BITS);
}

static void equal_values_added_at_once_are_those_added_one_by_one(void **state)
{
    static struct weir_histogram together;
    static struct weir_histogram single;

    (void)state;
    weir_histogram_reset(&together);
    weir_histogram_reset(&single);
    weir_histogram_add(&together, 70);
    weir_histogram_add(&single, 70);
    weir_histogram_add_many(&together, 123456, 7);
    for (unsigned i = 0; i < 7; i++)
        weir_histogram_add(&single, 123456);
    assert_int_equal(together.total, 8);
    assert_memory_equal(&together, &single, sizeof single);
}

static void any_value_is_told_within_one_percent(void **state)
{
    static struct weir_histogram histogram;
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t value = spread_value(&seed);
        double told;

        weir_histogram_reset(&histogram);
        weir_histogram_add(&histogram, 0);
        weir_histogram_add(&histogram, value);
        weir_histogram_add(&histogram, UINT64_C(1) << 41);
        told = (double)weir_histogram_percentile(&histogram, 0.5);
        assert_true(fabs(told - (double)value) <= 0.01 * (double)value);
    }
}

static int compare_values(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

static void percentiles_agree_with_sorted_samples(void **state)
{
    static const double fractions[] = {0.0, 0.001, 0.25, 0.5, 0.55, 0.9, 0.99, 0.999, 0.9999, 1.0};
    static struct weir_histogram histogram;
    static uint64_t samples[SAMPLES];
    uint64_t seed = 2463534242u;
    double sum = 0.0;

    (void)state;
    weir_histogram_reset(&histogram);
    for (unsigned i = 0; i < SAMPLES; i++) {
        samples[i] = spread_value(&seed);
        sum += (double)samples[i];
        weir_histogram_add(&histogram, samples[i]);
    }
    qsort(samples, SAMPLES, sizeof *samples, compare_values);
    for (size_t i = 0; i < sizeof fractions / sizeof *fractions; i++) {
        double position = ceil(fractions[i] * SAMPLES - 1e-9);
        double expected = (double)samples[position < 1.0 ? 0 : (size_t)position - 1];
        double told = (double)weir_histogram_percentile(&histogram, fractions[i]);

        assert_true(fabs(told - expected) <= 0.01 * expected);
    }
    assert_int_equal(weir_histogram_percentile(&histogram, 0.0), samples[0]);
    assert_int_equal(weir_histogram_percentile(&histogram, 1.0), samples[SAMPLES - 1]);
    assert_true(fabs(weir_histogram_mean_ns(&histogram) - sum / SAMPLES) < 1e-9 * sum / SAMPLES);
}

static void percentile_takes_the_value_at_which_the_fraction_is_reached(void **state)
{
    static struct weir_histogram histogram;

    (void)state;
    weir_histogram_reset(&histogram);
    for (uint64_t value = 1; value <= 50; value++)
        weir_histogram_add(&histogram, value);
    assert_int_equal(weir_histogram_percentile(&histogram, 0.5), 25);
    assert_int_equal(weir_histogram_percentile(&histogram, 0.51), 26);
    assert_int_equal(weir_histogram_percentile(&histogram, 0.9), 45);
    assert_int_equal(weir_histogram_percentile(&histogram, 0.02), 1);
    assert_int_equal(weir_histogram_percentile(&histogram, 0.021), 2);
}

static void merge_is_the_histogram_of_the_union(void **state)
{
    static struct weir_histogram parts[3];
    static struct weir_histogram whole;
    static struct weir_histogram merged;
    uint64_t seed = 314159265358979u;

    (void)state;
    weir_histogram_reset(&whole);
    weir_histogram_reset(&merged);
    for (unsigned part = 0; part < 3; part++)
        weir_histogram_reset(&parts[part]);
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t value = spread_value(&seed);

        weir_histogram_add(&whole, value);
        weir_histogram_add(&parts[i % 2], value); /* the third one stays empty */
    }
    for (unsigned part = 0; part < 3; part++)
        weir_histogram_merge(&merged, &parts[part]);
    assert_memory_equal(&merged, &whole, sizeof whole);
}

static void empty_histogram_tells_zero(void **state)
{
    static struct weir_histogram histogram;

    (void)state;
    weir_histogram_reset(&histogram);
    assert_int_equal(weir_histogram_percentile(&histogram, 0.5), 0);
    assert_true(weir_histogram_mean_ns(&histogram) == 0.0);
}

static void values_beyond_the_range_keep_their_maximum(void **state)
{
    static struct weir_histogram histogram;
    volatile uint64_t hours_ns =
        UINT64_C(1) << 45; /* not a constant: gcc warns of the branch that it does not take */

    (void)state;
    weir_histogram_reset(&histogram);
    weir_histogram_add(&histogram, 10);
    weir_histogram_add(&histogram, hours_ns);
    assert_int_equal(weir_histogram_percentile(&histogram, 1.0), hours_ns);
    assert_int_equal(histogram.counts[WEIR_HISTOGRAM_BUCKETS - 1], 1);
}

static void long_values_come_in_any_order(void **state)
{
    static const uint64_t values[] = {UINT64_C(1) << 41, UINT64_C(1) << 50, 100,
                                      UINT64_C(1) << 45, UINT64_C(3) << 40, 7};
    struct weir_histogram *histogram = malloc(sizeof *histogram);

    (void)state;
    assert_non_null(histogram);
    weir_histogram_reset(histogram);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        weir_histogram_add(histogram, values[i]);
    assert_int_equal(histogram->max_ns, UINT64_C(1) << 50);
    assert_int_equal(histogram->min_ns, 7);
    assert_int_equal(histogram->counts[WEIR_HISTOGRAM_BUCKETS - 1], 2);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(histogram->counts[weir_histogram_bucket(values[i])] > 0);
    free(histogram);
}

static void a_trimmed_copy_tells_the_same(void **state)
{
    static struct weir_histogram whole, again;
    struct weir_arena arena = {0};
    struct weir_histogram *copy;

    (void)state;
    weir_histogram_reset(&whole);
    weir_histogram_reset(&again);
    copy = weir_histogram_trim(&arena, &whole);
    assert_int_equal(weir_histogram_percentile(copy, 0.5), 0);
    for (uint64_t i = 0; i < 1000; i++)
        weir_histogram_add(&whole, 5000 + i * i * 7);
    copy = weir_histogram_trim(&arena, &whole);
    for (double fraction = 0.0; fraction <= 1.0; fraction += 0.125)
        assert_int_equal(weir_histogram_percentile(copy, fraction),
                         weir_histogram_percentile(&whole, fraction));
    assert_true(weir_histogram_mean_ns(copy) == weir_histogram_mean_ns(&whole));
    weir_histogram_merge(&again, copy);
    assert_memory_equal(&again, &whole, sizeof whole);
    assert_int_equal(copy->first, weir_histogram_bucket(5000));
    assert_null(weir_histogram_trim(&arena, NULL));
    weir_arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_follow_one_another_without_gaps),
        cmocka_unit_test(equal_values_added_at_once_are_those_added_one_by_one),
        cmocka_unit_test(any_value_is_told_within_one_percent),
        cmocka_unit_test(percentiles_agree_with_sorted_samples),
        cmocka_unit_test(percentile_takes_the_value_at_which_the_fraction_is_reached),
        cmocka_unit_test(merge_is_the_histogram_of_the_union),
        cmocka_unit_test(empty_histogram_tells_zero),
        cmocka_unit_test(values_beyond_the_range_keep_their_maximum),
        cmocka_unit_test(long_values_come_in_any_order),
        cmocka_unit_test(a_trimmed_copy_tells_the_same),
    };

    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
