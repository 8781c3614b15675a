/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a rate over the steps of a series, and how often that is wrong. */
#include "weir/measure/trend.h"

#include "normal_noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DRAWS 1000
#define STEPS_MAX 16
#define REPETITIONS_MAX 40

struct world {
    unsigned steps, repetitions;
    double noise;      /* deviation of repetitions, in parts of the rate */
    double odd_noise;  /* of the step in the middle */
    double last_share; /* rate of the last step, in parts of the others; 1: all are alike */
    double outliers;   /* so often a repetition has half of the rate */
};

struct counts {
    unsigned grows; /* draws in which the rate is said to grow, ... */
    unsigned falls; /* ... to fall at a step before the last, ... */
    unsigned last;  /* ... to fall at the last step */
    unsigned any;
};

static struct counts count(const struct world *world)
{
    static double rates[STEPS_MAX][REPETITIONS_MAX];
    struct noise noise = {.seed = 18};
    struct counts counts = {0};

    for (unsigned d = 0; d < DRAWS; d++) {
        struct weir_trend_step steps[STEPS_MAX] = {{0}};
        struct weir_trend trend = {.steps = steps, .count = world->steps};
        struct weir_arena arena = {0};
        bool falls = false, last = false;
        unsigned reference;

        for (unsigned i = 0; i < world->steps; i++) {
            double deviation = i == world->steps / 2 ? world->odd_noise : world->noise;
            double share = i == world->steps - 1 ? world->last_share : 1.0;

            steps[i] = (struct weir_trend_step){.rates = rates[i], .count = world->repetitions};
            for (unsigned k = 0; k < world->repetitions; k++) {
                uint64_t chance = weir_random_at(noise.seed, noise.index++) >> 11;

                rates[i][k] = 1e9 * share * fmax(1.0 + deviation * draw(&noise), 0.01);
                if ((double)chance / 0x1p53 < world->outliers)
                    rates[i][k] /= 2;
            }
        }
        weir_trend_find(&trend, &arena);
        for (unsigned i = 0; i < world->steps; i++)
            if (weir_trend_falls(&trend, i, &reference))
                *(i == world->steps - 1 ? &last : &falls) = true;
        counts.grows += trend.knee > 0;
        counts.falls += falls;
        counts.last += last;
        counts.any += trend.knee > 0 || falls || last;
        weir_arena_close(&arena);
    }
    return counts;
}

static void flat_series_seldom_grows_or_falls(void **state)
{
    /* Draws in a thousand, at most. */
    static const struct {
        struct world world;
        unsigned most;
    } cases[] = {
        {{8, 3, 0.05, 0.05, 1, 0}, 60},     {{8, 5, 0.05, 0.05, 1, 0}, 60},
        {{8, 10, 0.05, 0.05, 1, 0}, 60},    {{8, 40, 0.05, 0.05, 1, 0}, 80},
        {{8, 2, 0.05, 0.05, 1, 0}, 60},     {{2, 2, 0.05, 0.05, 1, 0}, 60},
        {{2, 3, 0.05, 0.05, 1, 0}, 60},     {{3, 3, 0.05, 0.05, 1, 0}, 60},
        {{5, 3, 0.05, 0.05, 1, 0}, 60},     {{16, 3, 0.05, 0.05, 1, 0}, 60},
        {{16, 5, 0.05, 0.05, 1, 0}, 60},    {{8, 5, 0.01, 0.01, 1, 0}, 10},
        {{8, 3, 0.05, 0.2, 1, 0}, 150},     {{8, 5, 0.05, 0.2, 1, 0}, 120},
        {{8, 10, 0.05, 0.2, 1, 0}, 120},    {{8, 5, 0.05, 0.05, 1, 0.05}, 60},
        {{8, 3, 0.05, 0.05, 1, 0.05}, 100},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct world *world = &cases[i].world;
        struct counts counts = count(world);

        print_message("%2u steps, %2u repetitions, noise %2.0f %%, one of %2.0f %%, outliers %2.0f "
                      "%%: %3u of %u draws grow or fall\n",
                      world->steps, world->repetitions, 100 * world->noise, 100 * world->odd_noise,
                      100 * world->outliers, counts.any, DRAWS);
        assert_true(counts.any <= cases[i].most);
    }
}

/* The first step may be as good as any, for all that is known of it; the others surely grow. */
static void growth_behind_a_noisy_step_is_seen(void **state)
{
    double first[] = {900, 404, 250}, second[] = {565, 567, 569}, third[] = {725, 731, 737};
    struct weir_trend_step steps[] = {
        {.rates = first, .count = 3}, {.rates = second, .count = 3}, {.rates = third, .count = 3}};
    struct weir_trend trend = {.steps = steps, .count = 3};
    struct weir_arena arena = {0};

    weir_trend_find(&trend, &arena);
    assert_false(weir_trend_is_below(&trend, 0, 2));
    assert_true(weir_trend_is_below(&trend, 1, 2));
    assert_int_equal(trend.knee, 2);
    weir_arena_close(&arena);
}

static void fall_of_the_last_step_is_named(void **state)
{
    static const struct {
        struct world world;
        unsigned least;
    } cases[] = {
        {{8, 5, 0.05, 0.05, 0.75, 0}, 950},  {{8, 10, 0.05, 0.05, 0.75, 0}, 990},
        {{8, 3, 0.05, 0.05, 0.75, 0}, 850},  {{2, 5, 0.05, 0.05, 0.75, 0}, 950},
        {{16, 5, 0.05, 0.05, 0.75, 0}, 950}, {{8, 5, 0.05, 0.05, 0.75, 0.05}, 900},
        {{8, 5, 0.01, 0.01, 0.93, 0}, 950},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct world *world = &cases[i].world;
        struct counts counts = count(world);

        print_message("%2u steps, %2u repetitions, noise %2.0f %%, the last at %2.0f %%: named in "
                      "%4u of %u draws, another one in %u\n",
                      world->steps, world->repetitions, 100 * world->noise, 100 * world->last_share,
                      counts.last, DRAWS, counts.falls);
        assert_true(counts.last >= cases[i].least);
        assert_true(counts.falls <= 60);
    }
}

/* ---- what is found ---- */

static void find(struct weir_trend *trend, struct weir_trend_step steps[], double rates[][3],
                 unsigned count, unsigned repetitions, struct weir_arena *arena)
{
    for (unsigned i = 0; i < count; i++)
        steps[i] = (struct weir_trend_step){.rates = rates[i],
                                            .count = rates[i][0] > 0.0 ? repetitions : 0};
    *trend = (struct weir_trend){.steps = steps, .count = count};
    weir_trend_find(trend, arena);
}

static void knee_is_the_first_that_is_as_good_as_the_best(void **state)
{
    double rates[][3] = {{100, 101, 99},  {199, 200, 202}, {0, 0, 0},
                         {398, 400, 401}, {404, 402, 401}, {300, 302, 303}};
    struct weir_trend_step steps[6];
    struct weir_trend trend;
    struct weir_arena arena = {0};
    unsigned reference = 99;

    find(&trend, steps, rates, 6, 3, &arena);
    assert_true(trend.can_tell);
    assert_int_equal(trend.measured, 5);
    assert_int_equal(trend.best, 4);
    assert_int_equal(trend.knee, 3);
    assert_float_equal(steps[1].median, 200, 1e-9);
    assert_float_equal(steps[1].spread, 1.5 / 200, 1e-9);
    assert_false(weir_trend_falls(&trend, 2, &reference));
    assert_false(weir_trend_falls(&trend, 4, &reference));
    assert_true(weir_trend_falls(&trend, 5, &reference));
    assert_int_equal(reference, 4);
    weir_arena_close(&arena);
}

static void single_repetitions_tell_nothing(void **state)
{
    double rates[][3] = {{100}, {200}, {50}};
    struct weir_trend_step steps[3];
    struct weir_trend trend;
    struct weir_arena arena = {0};
    unsigned reference;

    find(&trend, steps, rates, 3, 1, &arena);
    assert_false(trend.can_tell);
    assert_int_equal(trend.best, 1);
    assert_int_equal(trend.knee, 0);
    assert_false(weir_trend_falls(&trend, 2, &reference));
    rates[0][0] = rates[1][0] = rates[2][0] = 0;
    find(&trend, steps, rates, 3, 3, &arena);
    assert_int_equal(trend.measured, 0);
    assert_false(trend.can_tell);
    weir_arena_close(&arena);
}

/* Repetitions that are equal by chance do not make 2 % a finding. */
static void small_differences_never_count(void **state)
{
    double rates[][3] = {{100, 100, 100}, {98, 98, 98}, {96, 96, 96}};
    struct weir_trend_step steps[3];
    struct weir_trend trend;
    struct weir_arena arena = {0};
    unsigned reference = 99;

    find(&trend, steps, rates, 3, 3, &arena);
    assert_false(weir_trend_falls(&trend, 1, &reference));
    assert_true(weir_trend_falls(&trend, 2, &reference));
    assert_int_equal(reference, 0);
    weir_arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_series_seldom_grows_or_falls),
        cmocka_unit_test(growth_behind_a_noisy_step_is_seen),
        cmocka_unit_test(fall_of_the_last_step_is_named),
        cmocka_unit_test(knee_is_the_first_that_is_as_good_as_the_best),
        cmocka_unit_test(single_repetitions_tell_nothing),
        cmocka_unit_test(small_differences_never_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
