/* SPDX-License-Identifier: Apache-2.0 */
/* Slow directories: what is kept of many, against lists of all operations. */
#include "weir/measure/visits.h"

#include "weir/base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEPT WEIR_SLOW_DIRECTORIES_KEPT
#define DIRECTORIES_MAX 5000

static struct weir_visits *visits_of(void **state)
{
    struct weir_visits *visits = *state;

    memset(visits, 0, sizeof *visits);
    return visits;
}

/* An operation that is counted, and noted in the model, which forgets nothing. */
static void add(struct weir_visits *visits, struct weir_visit *model, uint64_t directory,
                uint64_t ns)
{
    weir_visits_add(visits, directory, ns);
    model[directory].directory = directory;
    model[directory].op_count++;
    model[directory].sum_ns += ns;
    if (ns > model[directory].max_ns)
        model[directory].max_ns = ns;
}

static double mean_of(const struct weir_visit *visit)
{
    return visit->op_count > 0 ? (double)visit->sum_ns / (double)visit->op_count : -1.0;
}

static int compare_means(const void *one, const void *other)
{
    double a = mean_of(one), b = mean_of(other);

    return a < b ? 1 : a > b ? -1 : 0;
}

static void assert_are_slowest(struct weir_visits *visits, struct weir_visit *model)
{
    unsigned count = 0;

    weir_visits_end(visits);
    qsort(model, DIRECTORIES_MAX, sizeof *model, compare_means);
    while (count < KEPT && model[count].op_count > 0)
        count++;
    assert_int_equal(visits->slowest_count, count);
    for (unsigned i = 0; i < count; i++)
        assert_memory_equal(&visits->slowest[i], &model[i], sizeof model[i]);
}

/* Directories differ in how slow they are, and operations in one do, too; no two means are equal.
 */
static uint64_t time_of(uint64_t seed, uint64_t directory, uint64_t op)
{
    return 1000 + weir_random_below(weir_random_at(seed, directory), 1000000) +
           weir_random_below(weir_random_at(seed + 1, directory << 20 | op), 100000);
}

static void in_order_the_slowest_of_any_number_are_found(void **state)
{
    static const uint64_t counts[] = {1, 2, 3, 4, 13, 255, 256, 257, 1000, DIRECTORIES_MAX};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct weir_visits *visits = visits_of(state);
        struct weir_visit *model = calloc(DIRECTORIES_MAX, sizeof *model);

        for (uint64_t directory = 0; directory < counts[i]; directory++)
            for (uint64_t op = 0; op < 1 + directory % 7; op++)
                add(visits, model, directory, time_of(i, directory, op));
        assert_are_slowest(visits, model);
        free(model);
    }
}

static void in_any_order_the_slowest_of_few_are_found(void **state)
{
    static const uint64_t counts[] = {2, 13, 255, 256};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct weir_visits *visits = visits_of(state);
        struct weir_visit *model = calloc(DIRECTORIES_MAX, sizeof *model);

        for (uint64_t op = 0; op < 5000; op++) {
            uint64_t directory = weir_random_below(weir_random_at(77 + i, op), counts[i]);

            add(visits, model, directory, time_of(i, directory, op));
        }
        assert_are_slowest(visits, model);
        free(model);
    }
}

/* With several in flight the ends of two directories are mixed. */
static void directories_side_by_side_are_told_apart(void **state)
{
    struct weir_visits *visits = visits_of(state);
    struct weir_visit *model = calloc(DIRECTORIES_MAX, sizeof *model);

    for (uint64_t op = 0; op < 100000; op++) {
        uint64_t early = weir_random_below(weir_random_at(5, op), 300);
        uint64_t directory = (op > early ? op - early : 0) / 100;

        add(visits, model, directory, time_of(9, directory, op));
    }
    assert_are_slowest(visits, model);
    free(model);
}

/* Of many in any order there are visits: each is one, and no directory is there twice. */
static void shuffled_many_keep_different_ones(void **state)
{
    struct weir_visits *visits = visits_of(state);
    uint64_t slowest = 0;

    for (uint64_t op = 0; op < 100000; op++) {
        uint64_t directory = weir_random_below(weir_random_at(5, op), DIRECTORIES_MAX);
        uint64_t ns = time_of(3, directory, op);

        slowest = ns > slowest ? ns : slowest;
        weir_visits_add(visits, directory, ns);
    }
    weir_visits_end(visits);
    assert_int_equal(visits->slowest_count, KEPT);
    assert_true(mean_of(&visits->slowest[0]) >= mean_of(&visits->slowest[1]));
    assert_true(mean_of(&visits->slowest[1]) >= mean_of(&visits->slowest[2]));
    assert_true(visits->slowest[0].max_ns <= slowest);
    for (unsigned i = 0; i < KEPT; i++)
        for (unsigned k = 0; k < i; k++)
            assert_int_not_equal(visits->slowest[i].directory, visits->slowest[k].directory);
}

/* A directory that comes back slower takes the place of what was kept of it, and a faster one none.
 */
static void a_directory_that_comes_twice_is_there_once(void **state)
{
    static const struct {
        uint64_t directory, ns;
    } ops[] = {{0, 500}, {256, 100}, {0, 900},   {256, 50},
               {0, 600}, {512, 300}, {768, 700}, {1, 400}};
    static const uint64_t expected[KEPT] = {0, 768, 1};
    struct weir_visits *visits = visits_of(state);

    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        weir_visits_add(visits, ops[i].directory, ops[i].ns);
    weir_visits_end(visits);
    assert_int_equal(visits->slowest_count, KEPT);
    for (unsigned i = 0; i < KEPT; i++)
        assert_int_equal(visits->slowest[i].directory, expected[i]);
    assert_int_equal(visits->slowest[0].sum_ns, 900);
}

static void ranks_are_put_together(void **state)
{
    struct weir_visits *visits = visits_of(state);
    const struct weir_visit of_ranks[] = {
        {7, 10, 400, 1000, 1}, {9, 1, 200, 200, 1},  {7, 30, 100, 1000, 1},
        {8, 5, 90, 300, 2},    {263, 2, 60, 100, 1}, {11, 1, 1, 1, 1},
    };

    for (size_t i = 0; i < sizeof of_ranks / sizeof *of_ranks; i++)
        weir_visits_merge(visits, &of_ranks[i]);
    weir_visits_end(visits);
    assert_int_equal(visits->slowest_count, KEPT);
    assert_memory_equal(&visits->slowest[0], &of_ranks[1], sizeof of_ranks[1]);
    assert_memory_equal(&visits->slowest[1], &of_ranks[3], sizeof of_ranks[3]);
    assert_int_equal(visits->slowest[2].directory, 7);
    assert_int_equal(visits->slowest[2].op_count, 40);
    assert_int_equal(visits->slowest[2].sum_ns, 2000);
    assert_int_equal(visits->slowest[2].max_ns, 400);
    assert_int_equal(visits->slowest[2].rank_count, 2);
}

static void sums_of_long_runs_are_compared(void **state)
{
    struct weir_visits *visits = visits_of(state);
    const struct weir_visit long_ones[] = {
        {.directory = 1, .op_count = UINT64_C(1) << 40, .sum_ns = UINT64_C(1) << 60},
        {.directory = 2,
         .op_count = UINT64_C(1) << 40,
         .sum_ns = (UINT64_C(1) << 60) + (UINT64_C(1) << 40)},
    };

    weir_visits_merge(visits, &long_ones[0]);
    weir_visits_merge(visits, &long_ones[1]);
    weir_visits_end(visits);
    assert_int_equal(visits->slowest[0].directory, 2);
}

static int set_up(void **state)
{
    *state = malloc(sizeof(struct weir_visits));
    return *state == NULL;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_the_slowest_of_any_number_are_found),
        cmocka_unit_test(in_any_order_the_slowest_of_few_are_found),
        cmocka_unit_test(directories_side_by_side_are_told_apart),
        cmocka_unit_test(shuffled_many_keep_different_ones),
        cmocka_unit_test(a_directory_that_comes_twice_is_there_once),
        cmocka_unit_test(ranks_are_put_together),
        cmocka_unit_test(sums_of_long_runs_are_compared),
    };

    return cmocka_run_group_tests_name("visits", tests, set_up, tear_down);
}
