/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of two groups of repetitions: which verdict a row gets, and how often a verdict is
 * wrong. */
#include "weir/measure/compare.h"

#include "normal_noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define DRAWS 1000
#define ROWS_MAX 64
#define REPETITIONS_MAX 8

/* ---- how often a verdict is wrong ---- */

struct world {
    unsigned rate_rows, latency_rows, repetitions;
    double slow;  /* part of the repetitions at half rate, or twice the latency */
    double share; /* rate of row 0 in B, in parts of A; 1 = A and B are equal */
};

struct counts {
    unsigned alarms;  /* comparisons with a row that is wrongly called different */
    unsigned beyond;  /* with a row beyond the noise: alarms, were 2 repetitions judged */
    unsigned found;   /* row 0 is SLOWER */
    unsigned same;    /* row 0 is the same within 5 % */
    unsigned drifts;  /* comparisons in which a drift is reported */
    unsigned unclear; /* row 0 cannot be judged */
};

static double uniform(struct noise *noise)
{
    return (double)(weir_random_at(noise->seed, noise->index++) >> 11) / 0x1p53;
}

/* Rates have noise of 1 to 5 % by row, 3 % in row 0; latencies 5 to 25 %. */
static struct counts count(const struct world *world)
{
    static double values[2 * ROWS_MAX][REPETITIONS_MAX];
    struct noise noise = {.seed = 39};
    struct counts counts = {0};

    for (unsigned d = 0; d < DRAWS; d++) {
        struct weir_compare_row rows[ROWS_MAX] = {{0}};
        struct weir_compare compare = {
            .rows = rows, .count = world->rate_rows + world->latency_rows, .limit = 0.05};
        struct weir_arena arena = {0};
        unsigned wrong = 0, beyond = 0;

        for (unsigned i = 0; i < compare.count; i++) {
            bool is_latency = i >= world->rate_rows;
            double spread = i == 0 ? 0.03 : 0.01 + 0.04 * uniform(&noise);

            rows[i] = (struct weir_compare_row){
                .kind = is_latency ? WEIR_COMPARE_LATENCIES : WEIR_COMPARE_RATES,
                .is_lower_better = is_latency,
                .a = {.values = values[2 * i], .count = world->repetitions, .run_count = 1},
                .b = {.values = values[2 * i + 1], .count = world->repetitions, .run_count = 1}};
            for (unsigned k = 0; k < 2 * world->repetitions; k++) {
                double value = exp((is_latency ? 5 : 1) * spread * draw(&noise));

                if (uniform(&noise) < world->slow)
                    value *= is_latency ? 2.0 : 0.5;
                values[2 * i + k % 2][k / 2] = 1e9 * value * (i == 0 && k % 2 ? world->share : 1);
            }
        }
        weir_compare_judge(&compare, &arena);
        for (unsigned i = world->share < 1; i < compare.count; i++) {
            wrong += rows[i].verdict <= WEIR_COMPARE_SLOWER;
            beyond +=
                fabs(log(rows[i].ratio)) >
                (rows[i].is_lower_better ? log1p(rows[i].detectable) : -log1p(-rows[i].detectable));
        }
        counts.alarms += wrong > 0;
        counts.beyond += beyond > 0;
        counts.found += rows[0].verdict == WEIR_COMPARE_SLOWER;
        counts.same += rows[0].verdict == WEIR_COMPARE_SAME;
        counts.unclear += rows[0].verdict == WEIR_COMPARE_CANNOT_TELL;
        counts.drifts += weir_compare_drift(&compare) != 0.0;
        weir_arena_close(&arena);
    }
    return counts;
}

/* Any of the rows: what makes a gate red without a change. */
static void equal_groups_seldom_differ(void **state)
{
    static const unsigned rows[] = {1, 12, 40}, repetitions[] = {2, 3, 5, 8};
    static const double slow[] = {0, 0.05};

    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 4; k++) {
                struct world world = {rows[i], 0, repetitions[k], slow[s], 1};
                struct counts counts = count(&world);

                print_message("A/A, %2u rows, %u repetitions, %.0f %% slow: %2u of %u with an "
                              "alarm (%3u beyond the noise); row 0: same %3u, unclear %3u; "
                              "drift %2u\n",
                              rows[i], repetitions[k], 100 * slow[s], counts.alarms, DRAWS,
                              counts.beyond, counts.same, counts.unclear, counts.drifts);
                assert_true(counts.alarms <= (repetitions[k] < WEIR_COMPARE_LEAST ? 0 : 50));
                assert_true(counts.drifts <= 80);
            }
}

static void latencies_beside_rates_raise_no_alarm(void **state)
{
    static const struct world cases[] = {
        {1, 1, 3, 0, 1},      {1, 1, 3, 0.05, 1},   {1, 1, 8, 0.05, 1},   {1, 12, 3, 0, 1},
        {12, 1, 3, 0, 1},     {12, 12, 3, 0, 1},    {12, 12, 3, 0.05, 1}, {12, 12, 5, 0.05, 1},
        {12, 12, 8, 0.05, 1}, {30, 30, 3, 0.05, 1}, {2, 2, 3, 0, 1},      {1, 1, 5, 0, 1},
        {1, 1, 8, 0, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counts counts = count(&cases[i]);

        print_message("A/A, %2u rates, %2u latencies, %u repetitions, %.0f %% slow: %2u of %u with "
                      "an alarm\n",
                      cases[i].rate_rows, cases[i].latency_rows, cases[i].repetitions,
                      100 * cases[i].slow, counts.alarms, DRAWS);
        assert_true(counts.alarms <= 50);
    }
}

static void loss_of_a_fifth_is_found(void **state)
{
    static const struct {
        struct world world;
        unsigned least;
    } cases[] = {
        {{12, 0, 3, 0, 0.8}, 800},     {{12, 0, 3, 0.05, 0.8}, 600}, {{12, 12, 3, 0, 0.8}, 800},
        {{12, 12, 3, 0.05, 0.8}, 600}, {{12, 0, 5, 0.05, 0.8}, 850}, {{1, 0, 3, 0, 0.8}, 800},
        {{40, 0, 8, 0.05, 0.8}, 950},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct world *world = &cases[i].world;
        struct counts counts = count(world);

        print_message("-20 %%, %2u rates, %2u latencies, %u repetitions, %.0f %% slow: found in "
                      "%4u of %u, another row in %2u\n",
                      world->rate_rows, world->latency_rows, world->repetitions, 100 * world->slow,
                      counts.found, DRAWS, counts.alarms);
        assert_true(counts.found >= cases[i].least);
        assert_true(counts.alarms <= 50);
    }
}

/* ---- the verdict of a row ---- */

struct one_row {
    struct weir_compare_row row;
    struct weir_compare compare;
    struct weir_arena arena;
};

static void judge(struct one_row *one, const double a[], unsigned a_count, const double b[],
                  unsigned b_count)
{
    one->row.a = (struct weir_compare_group){.values = a, .count = a_count, .run_count = 1};
    one->row.b = (struct weir_compare_group){.values = b, .count = b_count, .run_count = 1};
    one->compare = (struct weir_compare){.rows = &one->row, .count = 1, .limit = 0.05};
    weir_compare_judge(&one->compare, &one->arena);
}

static void each_verdict_has_its_case(void **state)
{
    static const struct {
        const char *name;
        double a[5], b[5];
        unsigned a_count, b_count;
        bool is_lower_better;
        enum weir_compare_verdict verdict;
    } cases[] = {
        {"loss", {100, 101, 99}, {80, 81, 79}, 3, 3, false, WEIR_COMPARE_SLOWER},
        {"gain", {80, 81, 79}, {100, 101, 99}, 3, 3, false, WEIR_COMPARE_FASTER},
        {"latency grows", {80, 81, 79}, {100, 101, 99}, 3, 3, true, WEIR_COMPARE_SLOWER},
        {"latency falls", {100, 101, 99}, {80, 81, 79}, 3, 3, true, WEIR_COMPARE_FASTER},
        {"equal", {100, 101, 99}, {100, 101, 100}, 3, 3, false, WEIR_COMPARE_SAME},
        {"small and sure", {100, 100, 100}, {96, 96, 96}, 3, 3, false, WEIR_COMPARE_SLOWER},
        {"below the floor", {100, 100, 100}, {98, 98, 98}, 3, 3, false, WEIR_COMPARE_SAME},
        {"2 % noise", {100, 102, 98}, {97, 99, 95}, 3, 3, false, WEIR_COMPARE_NO_DIFFERENCE},
        {"noisy", {100, 140, 60}, {90, 120, 50}, 3, 3, false, WEIR_COMPARE_CANNOT_TELL},
        {"two repetitions, great loss",
         {100, 101},
         {50, 51},
         2,
         2,
         false,
         WEIR_COMPARE_CANNOT_TELL},
        {"two repetitions, equal",
         {100, 100.5},
         {100, 100.5},
         2,
         2,
         false,
         WEIR_COMPARE_NO_DIFFERENCE},
        {"one repetition", {100}, {50}, 1, 1, false, WEIR_COMPARE_CANNOT_TELL},
        {"one against many", {100}, {50, 51, 49}, 1, 3, false, WEIR_COMPARE_CANNOT_TELL},
        {"no value", {100, 101, 99}, {0}, 3, 0, false, WEIR_COMPARE_NOT_COMPARABLE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct one_row one = {.row = {.is_lower_better = cases[i].is_lower_better}};

        judge(&one, cases[i].a, cases[i].a_count, cases[i].b, cases[i].b_count);
        print_message("%s: %u, needs %u, range %.3f to %.3f, detectable %.3f\n", cases[i].name,
                      one.row.verdict, one.row.runs_needed, one.row.ratio_low, one.row.ratio_high,
                      one.row.detectable);
        assert_int_equal(one.row.verdict, cases[i].verdict);
        assert_int_equal(one.compare.verdicts[cases[i].verdict], 1);
        weir_arena_close(&one.arena);
    }
}

/* The range, the smallest change and the number of runs by hand: scale of {98, 100, 102} is
 * 1.0483 * ln(102 / 100) and of {95, 97, 99} 1.0483 * ln(99 / 97), the pooled one is between. */
static void figures_of_a_row_follow_from_the_rule(void **state)
{
    static const double a[] = {100, 102, 98}, b[] = {94, 96, 92};
    double scale = 1.0483 * log(94.0 / 92), deviation = scale * sqrt(acos(-1) / 3.5);
    double cut = 1.4 + 0.55 * log(2), distance = log(0.94);
    struct one_row one = {0};

    judge(&one, a, 3, b, 3);
    assert_int_equal(one.row.verdict, WEIR_COMPARE_SLOWER);
    assert_float_equal(one.row.ratio, 0.94, 1e-9);
    assert_float_equal(one.row.ratio_low, exp(distance - 2 * deviation), 1e-9);
    assert_float_equal(one.row.ratio_high, exp(distance + 2 * deviation), 1e-9);
    assert_float_equal(one.row.detectable, 1 - exp(-cut * deviation), 1e-9);
    weir_arena_close(&one.arena);
}

static void needed_runs_decide(void **state)
{
    static const double a[] = {100, 108, 92}, b[] = {92, 100, 85};
    double scale = 1.0483 * fmax(log(108.0 / 100), log(100.0 / 92)), distance = log(100.0 / 92);
    double cut = 1.4 + 0.55 * log(2);
    struct one_row one = {0};
    unsigned n;

    judge(&one, a, 3, b, 3);
    n = one.row.runs_needed;
    assert_int_equal(one.row.verdict, WEIR_COMPARE_CANNOT_TELL);
    assert_true(n > 3);
    assert_true(distance > cut * scale * sqrt(2 * weir_trend_variance(n)));
    assert_true(distance < cut * scale * sqrt(2 * weir_trend_variance(n - 1)));
    weir_arena_close(&one.arena);
}

static void runs_are_not_named_below_the_floor(void **state)
{
    static const double a[] = {100, 120, 83}, b[] = {98, 118, 82};
    struct one_row one = {0};

    judge(&one, a, 3, b, 3);
    assert_int_equal(one.row.verdict, WEIR_COMPARE_CANNOT_TELL);
    assert_int_equal(one.row.runs_needed, 0);
    weir_arena_close(&one.arena);
}

/* ---- noise ---- */

/* Latencies that differ by half do not hide the loss of a rate; in one pool they do. */
static void noise_is_pooled_by_kind(void **state)
{
    static const double rates[2][3] = {{100, 102, 98}, {85, 87, 83}};
    static const double latencies[2][3] = {{1, 1.5, 0.7}, {1.1, 1.6, 0.6}};

    for (unsigned is_one_pool = 0; is_one_pool < 2; is_one_pool++) {
        struct weir_compare_row rows[5] = {{0}};
        struct weir_compare compare = {.rows = rows, .count = 5, .limit = 0.05};
        struct weir_arena arena = {0};

        for (unsigned i = 0; i < 5; i++) {
            bool is_latency = i > 0;

            rows[i].kind = is_latency && !is_one_pool ? WEIR_COMPARE_LATENCIES : WEIR_COMPARE_RATES;
            rows[i].a = (struct weir_compare_group){is_latency ? latencies[0] : rates[0], 3, 1, 0};
            rows[i].b = (struct weir_compare_group){is_latency ? latencies[1] : rates[1], 3, 1, 0};
        }
        weir_compare_judge(&compare, &arena);
        assert_int_equal(rows[0].verdict,
                         is_one_pool ? WEIR_COMPARE_CANNOT_TELL : WEIR_COMPARE_SLOWER);
        assert_int_equal(compare.judged, 5);
        weir_arena_close(&arena);
    }
}

static void excluded_rows_are_in_no_pool(void **state)
{
    static const double rates[2][3] = {{100, 102, 98}, {85, 87, 83}};
    static const double wild[2][3] = {{100, 1000, 10}, {100, 1000, 10}};
    struct weir_compare_row rows[3] = {
        {.a = {.values = rates[0], .count = 3}, .b = {.values = rates[1], .count = 3}},
        {.a = {.values = wild[0], .count = 3},
         .b = {.values = wild[1], .count = 3},
         .is_excluded = true},
        {.a = {.values = wild[0], .count = 3}}};
    struct weir_compare compare = {.rows = rows, .count = 3, .limit = 0.05};
    struct weir_arena arena = {0};

    weir_compare_judge(&compare, &arena);
    assert_int_equal(compare.judged, 1);
    assert_int_equal(rows[0].verdict, WEIR_COMPARE_SLOWER);
    assert_int_equal(compare.verdicts[WEIR_COMPARE_NOT_COMPARABLE], 2);
    assert_float_equal(rows[1].a.median, 100, 1e-9);
    assert_float_equal(rows[2].ratio, 0, 0);
    weir_arena_close(&arena);
}

static void earlier_runs_state_the_noise(void **state)
{
    static const double a[] = {100}, b[] = {97}, low[] = {90, 91, 89};
    static const double calm[] = {99, 100, 101, 100.5, 99.5};
    static const double wild[] = {60, 80, 100, 120, 140};
    static const double high[] = {100, 101, 99};
    struct one_row one = {.row = {.earlier = calm, .earlier_count = 5}};

    /* A single repetition gets a range, and is never called different. */
    judge(&one, a, 1, b, 1);
    assert_true(one.row.has_range);
    assert_true(one.row.ratio_low < 0.97 && one.row.ratio_high > 0.97);
    assert_true(one.row.verdict > WEIR_COMPARE_SAME);
    /* Four runs are too few. */
    one.row.earlier_count = 4;
    judge(&one, a, 1, b, 1);
    assert_false(one.row.has_range);
    assert_int_equal(one.row.verdict, WEIR_COMPARE_CANNOT_TELL);
    /* Three repetitions in one run each say little of the noise between runs. */
    judge(&one, high, 3, low, 3);
    assert_int_equal(one.row.verdict, WEIR_COMPARE_SLOWER);
    one.row.earlier = wild;
    one.row.earlier_count = 5;
    judge(&one, high, 3, low, 3);
    assert_int_equal(one.row.verdict, WEIR_COMPARE_CANNOT_TELL);
    weir_arena_close(&one.arena);
}

static void only_a_loss_beyond_the_limit_is_one(void **state)
{
    static const double a[] = {100, 100, 100}, slower[] = {96, 96, 96}, slow[] = {90, 90, 90};
    struct one_row one = {0};

    judge(&one, a, 3, slower, 3);
    assert_int_equal(one.row.verdict, WEIR_COMPARE_SLOWER);
    assert_false(weir_compare_is_loss(&one.compare, &one.row));
    judge(&one, a, 3, slow, 3);
    assert_true(weir_compare_is_loss(&one.compare, &one.row));
    judge(&one, slow, 3, a, 3);
    assert_false(weir_compare_is_loss(&one.compare, &one.row));
    weir_arena_close(&one.arena);
}

/* ---- order ---- */

static void order_of_runs_is_a_share(void **state)
{
    static const double first[] = {1, 2, 3}, second[] = {4, 5, 6}, odd[] = {1, 3, 5},
                        even[] = {2, 4, 6};

    assert_float_equal(weir_compare_precedence(first, 3, second, 3), 1, 1e-9);
    assert_float_equal(weir_compare_precedence(second, 3, first, 3), 0, 1e-9);
    assert_float_equal(weir_compare_precedence(odd, 3, even, 3), 6.0 / 9, 1e-9);
    assert_float_equal(weir_compare_precedence(odd, 3, odd, 3), 0.5, 1e-9);
}

static void drift_of_repetitions_is_found(void **state)
{
    static const double falls[] = {100, 97, 95, 92, 90}, rises[] = {1, 2, 3, 4, 5},
                        mixed[] = {3, 5, 1, 4, 2};
    struct weir_compare_row rows[2] = {
        {.a = {.values = falls, .count = 5}, .b = {.values = falls, .count = 5}},
        {.a = {.values = rises, .count = 5},
         .b = {.values = rises, .count = 5},
         .is_lower_better = true}};
    struct weir_compare compare = {.rows = rows, .count = 2, .limit = 0.05};
    struct weir_arena arena = {0};

    weir_compare_judge(&compare, &arena);
    assert_float_equal(weir_compare_drift(&compare), -1, 1e-9);
    rows[1].is_lower_better = false;
    assert_float_equal(weir_compare_drift(&compare), 0, 0);
    rows[1].a.values = rows[1].b.values = rows[0].a.values = rows[0].b.values = mixed;
    assert_float_equal(weir_compare_drift(&compare), 0, 0);
    weir_arena_close(&arena);
}

static void interval_narrows_with_repetitions(void **state)
{
    static const double values[] = {100, 102, 98, 100, 102, 98, 100, 102, 98, 100, 102, 98};
    struct weir_arena arena = {0};

    assert_true(isinf(weir_compare_interval(values, 2, &arena)));
    assert_true(weir_compare_interval(values, 3, &arena) > 0.02);
    assert_true(weir_compare_interval(values, 12, &arena) <
                weir_compare_interval(values, 6, &arena));
    weir_arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_groups_seldom_differ),
        cmocka_unit_test(latencies_beside_rates_raise_no_alarm),
        cmocka_unit_test(loss_of_a_fifth_is_found),
        cmocka_unit_test(each_verdict_has_its_case),
        cmocka_unit_test(figures_of_a_row_follow_from_the_rule),
        cmocka_unit_test(needed_runs_decide),
        cmocka_unit_test(runs_are_not_named_below_the_floor),
        cmocka_unit_test(noise_is_pooled_by_kind),
        cmocka_unit_test(excluded_rows_are_in_no_pool),
        cmocka_unit_test(earlier_runs_state_the_noise),
        cmocka_unit_test(only_a_loss_beyond_the_limit_is_one),
        cmocka_unit_test(order_of_runs_is_a_share),
        cmocka_unit_test(drift_of_repetitions_is_found),
        cmocka_unit_test(interval_narrows_with_repetitions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
