/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations computed by index: complete, different for each seed, and random to the eye of
 * simple statistics. */
#include "weir/base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define SOME_SEEDS 3

static bool visits_each_once(uint64_t count, uint64_t seed)
{
    struct weir_permutation permutation;
    unsigned char *is_seen = calloc(count, 1);
    bool is_bijection = true;

    assert_non_null(is_seen);
    weir_permutation_init(&permutation, count, seed);
    for (uint64_t i = 0; i < count && is_bijection; i++) {
        uint64_t element = weir_permutation_at(&permutation, i);

        is_bijection = element < count && !is_seen[element];
        if (is_bijection)
            is_seen[element] = 1;
    }
    free(is_seen);
    return is_bijection;
}

static void permutation_of_every_small_count_is_a_bijection(void **state)
{
    (void)state;
    for (uint64_t count = 1; count <= 300; count++)
        for (uint64_t seed = 0; seed < SOME_SEEDS; seed++)
            if (!visits_each_once(count, seed))
                fail_msg("count %lu, seed %lu", (unsigned long)count, (unsigned long)seed);
}

static void permutation_of_large_counts_is_a_bijection(void **state)
{
    static const uint64_t counts[] = {65535,   65536,         65537,        1000003,
                                      1 << 20, (1 << 20) + 1, (1 << 21) - 1};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint64_t seed = 0; seed < SOME_SEEDS; seed++)
            assert_true(visits_each_once(counts[i], seed));
}

static void permutation_of_nothing_has_one_element(void **state)
{
    struct weir_permutation permutation;

    (void)state;
    weir_permutation_init(&permutation, 0, 5);
    assert_int_equal(permutation.count, 1);
    assert_int_equal(weir_permutation_at(&permutation, 0), 0);
}

/* What cannot be counted can be sampled: no two of many indices go to the same place. */
static void permutation_of_huge_counts_stays_inside_and_apart(void **state)
{
    static const uint64_t counts[] = {(UINT64_C(1) << 40) + 1, (UINT64_C(1) << 61) + 12345,
                                      UINT64_C(1) << 62, UINT64_MAX};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct weir_permutation permutation;
        uint64_t values[200];

        weir_permutation_init(&permutation, counts[i], 7);
        for (uint64_t k = 0; k < 200; k++) {
            values[k] = weir_permutation_at(&permutation, k * (counts[i] / 200));
            assert_true(values[k] < counts[i]);
            for (uint64_t other = 0; other < k; other++)
                assert_true(values[other] != values[k]);
        }
    }
}

static void permutation_is_the_same_on_any_machine(void **state)
{
    static const struct {
        uint64_t count;
        uint64_t seed;
        uint64_t first[3];
    } rows[] = {
        {13, 1, {3, 11, 5}},
        {1000, 1, {454, 855, 724}},
        {UINT64_C(1) << 40, 2, {8585346759, 412606607559, 911996908144}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_permutation permutation;

        weir_permutation_init(&permutation, rows[i].count, rows[i].seed);
        for (uint64_t k = 0; k < 3; k++)
            assert_int_equal(weir_permutation_at(&permutation, k), rows[i].first[k]);
    }
}

static void fill_equals_element_by_element(void **state)
{
    static const uint64_t counts[] = {1,
                                      2,
                                      7,
                                      16,
                                      17,
                                      100,
                                      129,
                                      1024,
                                      1025,
                                      1000003,
                                      UINT64_C(1) << 32,
                                      (UINT64_C(1) << 32) - 7,
                                      (UINT64_C(1) << 32) + 1,
                                      UINT64_C(3) << 40};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint64_t step = 1; step < 9; step++) {
            struct weir_permutation permutation;
            uint64_t values[WEIR_PERMUTATION_BATCH];
            uint64_t first = counts[i] / 3;
            uint64_t room = (counts[i] - first + step - 1) / step;
            unsigned count =
                room < WEIR_PERMUTATION_BATCH ? (unsigned)room : WEIR_PERMUTATION_BATCH;

            weir_permutation_init(&permutation, counts[i], step);
            weir_permutation_fill(&permutation, first, step, count, values);
            for (unsigned k = 0; k < count; k++)
                assert_int_equal(values[k], weir_permutation_at(&permutation, first + k * step));
        }
    }
}

static void different_seeds_give_different_orders(void **state)
{
    static const uint64_t counts[] = {30, 64, 1000, 4096, 1000003};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct weir_permutation one, other;
            unsigned equal = 0;

            weir_permutation_init(&one, counts[i], seed);
            weir_permutation_init(&other, counts[i], seed + 1);
            for (uint64_t k = 0; k < 30; k++)
                equal += weir_permutation_at(&one, k) == weir_permutation_at(&other, k);
            assert_true(equal < 15);
        }
    }
}

static void all_orders_of_three_are_equally_likely(void **state)
{
    unsigned orders[3][3] = {{0}};

    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        struct weir_permutation permutation;

        weir_permutation_init(&permutation, 3, seed);
        orders[weir_permutation_at(&permutation, 0)][weir_permutation_at(&permutation, 1)]++;
    }
    for (unsigned first = 0; first < 3; first++)
        for (unsigned second = 0; second < 3; second++)
            if (first != second)
                assert_in_range(orders[first][second], 850, 1150);
}

/* Standard deviations that chi-square lies above its mean, when `bins` should be equally full. */
static double excess_of_chi_square(const unsigned histogram[], unsigned bins, double expected)
{
    double sum = 0;

    for (unsigned i = 0; i < bins; i++)
        sum += (histogram[i] - expected) * (histogram[i] - expected) / expected;
    return (sum - (bins - 1)) / sqrt(2.0 * (bins - 1));
}

static void any_element_is_spread_evenly_over_seeds(void **state)
{
    enum { PER_BIN = 500, MOST = 64 };

    (void)state;
    for (unsigned count = 2; count <= MOST; count++) {
        unsigned first[MOST] = {0}, middle[MOST] = {0};

        for (uint64_t seed = 0; seed < (uint64_t)count * PER_BIN; seed++) {
            struct weir_permutation permutation;

            weir_permutation_init(&permutation, count, seed);
            first[weir_permutation_at(&permutation, 0)]++;
            middle[weir_permutation_at(&permutation, count / 2)]++;
        }
        assert_true(excess_of_chi_square(first, count, PER_BIN) < 6);
        assert_true(excess_of_chi_square(middle, count, PER_BIN) < 6);
    }
}

/* Ranks take every stride-th element: that subsequence must look random too. */
static void strided_walks_fill_all_parts_evenly(void **state)
{
    enum { BINS = 16, STEPS = 8192 };
    static const uint64_t counts[] = {1 << 20, 1000003, (1 << 20) + 1, UINT64_C(1) << 40};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (uint64_t stride = 1; stride <= 64; stride *= 2) {
            struct weir_permutation permutation;
            unsigned histogram[BINS] = {0};

            weir_permutation_init(&permutation, counts[i], stride);
            for (uint64_t k = 0; k < STEPS; k++) {
                uint64_t element = weir_permutation_at(&permutation, k * stride);

                histogram[(unsigned __int128)element * BINS / counts[i]]++;
            }
            assert_true(excess_of_chi_square(histogram, BINS, STEPS / (double)BINS) < 6);
        }
    }
}

static void neighbours_are_rare_and_steps_long(void **state)
{
    enum { SEEDS = 40 };
    static const uint64_t counts[] = {1000, 1024, 1025, 4096, 5000};

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        double neighbours = 0, steps = 0, count = (double)counts[i];

        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct weir_permutation permutation;
            uint64_t last;

            weir_permutation_init(&permutation, counts[i], seed);
            last = weir_permutation_at(&permutation, 0);
            for (uint64_t k = 1; k < counts[i]; k++) {
                uint64_t next = weir_permutation_at(&permutation, k);

                neighbours += next == last + 1;
                steps += fabs((double)next - (double)last);
                last = next;
            }
        }
        /* One in `count` steps leads to the neighbour, and the mean step is a third of the
         * range. */
        assert_true(neighbours / SEEDS > 0.4 && neighbours / SEEDS < 2.0);
        assert_true(fabs(steps / SEEDS / count / count - 1.0 / 3) < 0.01);
    }
}

static void random_below_stays_below(void **state)
{
    (void)state;
    assert_int_equal(weir_random_below(UINT64_MAX, 1), 0);
    assert_int_equal(weir_random_below(UINT64_MAX, 10), 9);
    assert_int_equal(weir_random_below(0, 10), 0);
    assert_int_equal(weir_random_below(UINT64_C(1) << 63, 10), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation_of_every_small_count_is_a_bijection),
        cmocka_unit_test(permutation_of_large_counts_is_a_bijection),
        cmocka_unit_test(permutation_of_nothing_has_one_element),
        cmocka_unit_test(permutation_of_huge_counts_stays_inside_and_apart),
        cmocka_unit_test(permutation_is_the_same_on_any_machine),
        cmocka_unit_test(fill_equals_element_by_element),
        cmocka_unit_test(different_seeds_give_different_orders),
        cmocka_unit_test(all_orders_of_three_are_equally_likely),
        cmocka_unit_test(any_element_is_spread_evenly_over_seeds),
        cmocka_unit_test(strided_walks_fill_all_parts_evenly),
        cmocka_unit_test(neighbours_are_rare_and_steps_long),
        cmocka_unit_test(random_below_stays_below),
    };

    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
