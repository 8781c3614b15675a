/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/measure/compare.h"

#include "weir/measure/median.h"

#include <assert.h>
#include <math.h>

#define PI 3.14159265358979323846

/* A drift is reported beyond this many standard deviations of Kendall's statistic: 5 % by chance.
 */
#define DRIFT_CUT 1.96

/* Repetitions of each side that would decide: the noise falls below the distance there, with equal
 * counts: distance = cut s sqrt(pi / (n + 1/2)). */
static unsigned count_needed(double distance, double scale, unsigned steps)
{
    double ratio = weir_trend_cut(steps, WEIR_COMPARE_LEAST) * scale / distance;
    double count = ceil(PI * ratio * ratio - 0.5);

    if (fabs(distance) <= WEIR_TREND_DISTANCE_MIN)
        return 0;
    return (unsigned)fmin(fmax(count, WEIR_COMPARE_LEAST), 1e6);
}

/* What rows of one kind have in common. */
struct pool {
    double scale;
    unsigned steps; /* for the cut */
    double limit;
};

/* `steps` are A and B. */
static void judge_row(struct weir_compare_row *row, const struct weir_trend_step steps[2],
                      const struct pool *pool, struct weir_arena *arena)
{
    const struct weir_trend_step *a = &steps[0], *b = &steps[1];
    const unsigned least = a->count < b->count ? a->count : b->count;
    const bool has_earlier = row->earlier_count >= WEIR_COMPARE_EARLIER_LEAST;
    const double own = fmax(a->scale, b->scale);
    const double distance = log(b->median / a->median);
    double deviation = sqrt(weir_trend_variance(a->count) + weir_trend_variance(b->count));
    double scale = fmax(own, pool->scale), noise;

    row->verdict = WEIR_COMPARE_CANNOT_TELL;
    row->runs_needed = 0;
    row->has_range = least > 1 || has_earlier;
    if (!row->has_range)
        return;

    /* The noise of the difference. */
    if (has_earlier) {
        struct weir_trend_step earlier = {.rates = row->earlier, .count = row->earlier_count};
        struct weir_trend trend = {.steps = &earlier, .count = 1};

        weir_trend_find(&trend, arena);
        scale = fmax(own, earlier.scale);
        deviation =
            fmax(own * deviation, earlier.scale * sqrt(weir_trend_variance(row->a.run_count) +
                                                       weir_trend_variance(row->b.run_count)));
    } else {
        deviation *= scale;
    }
    noise = fmax(weir_trend_cut(pool->steps, least) * deviation, WEIR_TREND_DISTANCE_MIN);
    row->ratio_low = exp(distance - WEIR_COMPARE_RANGE_CUT * deviation);
    row->ratio_high = exp(distance + WEIR_COMPARE_RANGE_CUT * deviation);
    row->detectable = row->is_lower_better ? exp(noise) - 1 : 1 - exp(-noise);

    if (least >= WEIR_COMPARE_LEAST && fabs(distance) > noise)
        row->verdict =
            (distance > 0) == row->is_lower_better ? WEIR_COMPARE_SLOWER : WEIR_COMPARE_FASTER;
    else if (least >= WEIR_COMPARE_LEAST && row->ratio_low >= 1 - pool->limit &&
             row->ratio_high <= 1 + pool->limit)
        row->verdict = WEIR_COMPARE_SAME;
    else if (row->detectable > pool->limit || fabs(distance) > noise)
        row->runs_needed = count_needed(distance, scale, pool->steps);
    else
        row->verdict = WEIR_COMPARE_NO_DIFFERENCE;
}

static void find_median(struct weir_compare_group *group, struct weir_arena *arena)
{
    double *sorted = weir_arena_take(arena, (group->count + 1) * sizeof *sorted);

    for (unsigned i = 0; i < group->count; i++)
        sorted[i] = group->values[i];
    group->median = group->count > 0 ? weir_median_sort(sorted, group->count) : 0.0;
}

static bool can_judge(const struct weir_compare_row *row)
{
    return !row->is_excluded && row->a.count > 0 && row->b.count > 0;
}

void weir_compare_judge(struct weir_compare *compare, struct weir_arena *arena)
{
    struct weir_trend_step *steps =
        weir_arena_take(arena, 2 * (compare->count + 1) * sizeof *steps);

    bool has_kind[WEIR_COMPARE_KIND_COUNT] = {false};
    unsigned kinds_judged = 0;

    compare->judged = 0;
    for (unsigned i = 0; i < compare->count; i++) {
        struct weir_compare_row *row = &compare->rows[i];

        find_median(&row->a, arena);
        find_median(&row->b, arena);
        if (row->a.count > 0 && row->b.count > 0)
            row->ratio = row->b.median / row->a.median;
        if (!can_judge(row))
            continue;
        compare->judged++;
        kinds_judged += !has_kind[row->kind];
        has_kind[row->kind] = true;
    }
    for (unsigned kind = 0; kind < WEIR_COMPARE_KIND_COUNT; kind++) {
        struct weir_trend trend = {.steps = steps};
        struct pool pool = {.limit = compare->limit};

        for (unsigned i = 0; i < compare->count; i++) {
            const struct weir_compare_row *row = &compare->rows[i];

            if (row->kind != kind || !can_judge(row))
                continue;
            steps[trend.count++] =
                (struct weir_trend_step){.rates = row->a.values, .count = row->a.count};
            steps[trend.count++] =
                (struct weir_trend_step){.rates = row->b.values, .count = row->b.count};
        }
        weir_trend_find(&trend, arena);
        pool.scale = trend.scale;
        pool.steps = trend.count + 2 * (kinds_judged - 1);
        for (unsigned i = 0, k = 0; i < compare->count; i++)
            if (compare->rows[i].kind == kind && can_judge(&compare->rows[i])) {
                judge_row(&compare->rows[i], &steps[k], &pool, arena);
                k += 2;
            }
    }
    for (unsigned i = 0; i < WEIR_COMPARE_VERDICT_COUNT; i++)
        compare->verdicts[i] = 0;
    for (unsigned i = 0; i < compare->count; i++) {
        if (!can_judge(&compare->rows[i]))
            compare->rows[i].verdict = WEIR_COMPARE_NOT_COMPARABLE;
        compare->verdicts[compare->rows[i].verdict]++;
    }
}

bool weir_compare_is_loss(const struct weir_compare *compare, const struct weir_compare_row *row)
{
    return row->verdict == WEIR_COMPARE_SLOWER && fabs(row->ratio - 1) > compare->limit;
}

double weir_compare_precedence(const double a_begun_s[], unsigned a_count, const double b_begun_s[],
                               unsigned b_count)
{
    double first = 0;

    assert(a_count > 0 && b_count > 0);
    for (unsigned i = 0; i < a_count; i++)
        for (unsigned k = 0; k < b_count; k++)
            first += a_begun_s[i] < b_begun_s[k] ? 1.0 : a_begun_s[i] == b_begun_s[k] ? 0.5 : 0.0;
    return first / a_count / b_count;
}

/* Adds pairs of one side: how many rise minus how many fall, all, and the variance by chance. */
static void add_ranks(const struct weir_compare_group *group, double sums[3])
{
    double n = group->count;

    for (unsigned i = 0; i < group->count; i++)
        for (unsigned k = 0; k < i; k++)
            sums[0] +=
                (group->values[i] > group->values[k]) - (group->values[i] < group->values[k]);
    sums[1] += n * (n - 1) / 2;
    sums[2] += n * (n - 1) * (2 * n + 5) / 18;
}

double weir_compare_drift(const struct weir_compare *compare)
{
    double rising = 0, pairs = 0, deviation = 0;

    for (unsigned i = 0; i < compare->count; i++) {
        const struct weir_compare_row *row = &compare->rows[i];
        double sums[3] = {0};

        if (row->verdict == WEIR_COMPARE_NOT_COMPARABLE)
            continue;
        add_ranks(&row->a, sums);
        add_ranks(&row->b, sums);
        rising += row->is_lower_better ? -sums[0] : sums[0];
        pairs += sums[1];
        deviation += sqrt(sums[2]);
    }
    return pairs > 0 && fabs(rising) > DRIFT_CUT * deviation ? rising / pairs : 0.0;
}

double weir_compare_interval(const double values[], unsigned count, struct weir_arena *arena)
{
    struct weir_trend_step step = {.rates = values, .count = count};
    struct weir_trend trend = {.steps = &step, .count = 1};

    if (count < WEIR_COMPARE_LEAST)
        return INFINITY;
    weir_trend_find(&trend, arena);
    return exp(WEIR_COMPARE_RANGE_CUT * step.scale * sqrt(weir_trend_variance(count))) - 1;
}
