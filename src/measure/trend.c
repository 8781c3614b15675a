/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/measure/trend.h"

#include "weir/measure/median.h"

#include <math.h>

#define NORMAL_PER_PAIR 1.0483
#define HALF_PI 1.57079632679489661923
#define CUT 1.4
#define CUT_PER_LOG 0.55
#define CUT_OF_FEW 1.6

/* Of more repetitions so many, from beginning to end, give the pairs: their number grows with the
 * square. */
#define PAIRED_MAX 32
#define PAIRS_MAX (PAIRED_MAX * (PAIRED_MAX - 1) / 2)

static unsigned add_pairs(const struct weir_trend_step *step, double pairs[])
{
    unsigned stride = (step->count + PAIRED_MAX - 1) / PAIRED_MAX, count = 0;

    for (unsigned i = 0; i < step->count; i += stride)
        for (unsigned k = 0; k < i; k += stride)
            pairs[count++] = fabs(log(step->rates[i] / step->rates[k]));
    return count;
}

static void describe(struct weir_trend_step *step, double pairs[], struct weir_arena *arena)
{
    double *sorted = weir_arena_take(arena, step->count * sizeof *sorted);
    unsigned pair_count = add_pairs(step, pairs);

    for (unsigned i = 0; i < step->count; i++)
        sorted[i] = step->rates[i];
    step->median = weir_median_sort(sorted, step->count);
    step->spread = (sorted[step->count - 1] - sorted[0]) / 2 / step->median;
    step->scale = pair_count > 0 ? NORMAL_PER_PAIR * weir_median_sort(pairs, pair_count) : 0.0;
}

/* A step that is much noisier than others is not below the best because nothing can be told of it:
 * growth behind it goes before that. */
static void pass_noisy_knee(struct weir_trend *trend)
{
    for (unsigned i = trend->knee + 1; i < trend->best; i++)
        if (trend->steps[i].count > 0 && weir_trend_is_below(trend, i, trend->best) &&
            weir_trend_noise(trend, trend->knee, trend->best) >
                2 * weir_trend_noise(trend, i, trend->best))
            trend->knee = i + 1;
    while (trend->steps[trend->knee].count == 0)
        trend->knee++;
}

void weir_trend_find(struct weir_trend *trend, struct weir_arena *arena)
{
    double *pairs = weir_arena_take(arena, (trend->count + 1) * PAIRS_MAX * sizeof *pairs);
    unsigned pair_count = 0;

    trend->measured = trend->best = trend->knee = 0;
    for (unsigned i = 0; i < trend->count; i++) {
        struct weir_trend_step *step = &trend->steps[i];

        if (step->count == 0)
            continue;
        describe(step, pairs + pair_count, arena);
        if (trend->measured++ == 0 || step->median > trend->steps[trend->best].median)
            trend->best = i;
        pair_count += add_pairs(step, pairs + pair_count);
    }
    trend->scale = pair_count > 0 ? NORMAL_PER_PAIR * weir_median_sort(pairs, pair_count) : 0.0;
    trend->can_tell = trend->measured > 1 && pair_count > 0;
    if (trend->measured == 0)
        return;
    while (trend->steps[trend->knee].count == 0 ||
           weir_trend_is_below(trend, trend->knee, trend->best))
        trend->knee++;
    pass_noisy_knee(trend);
}

double weir_trend_variance(unsigned count)
{
    return HALF_PI / (count + 0.5);
}

double weir_trend_cut(unsigned steps, unsigned least)
{
    return CUT + CUT_PER_LOG * log(steps) + (least < WEIR_TREND_LEAST ? CUT_OF_FEW : 0.0);
}

double weir_trend_noise(const struct weir_trend *trend, unsigned one, unsigned other)
{
    const struct weir_trend_step *a = &trend->steps[one], *b = &trend->steps[other];
    double cut = weir_trend_cut(trend->measured, a->count < b->count ? a->count : b->count);
    double scale = fmax(trend->scale, fmax(a->scale, b->scale));

    return fmax(cut * scale * sqrt(weir_trend_variance(a->count) + weir_trend_variance(b->count)),
                WEIR_TREND_DISTANCE_MIN);
}

bool weir_trend_is_below(const struct weir_trend *trend, unsigned step, unsigned other)
{
    double distance = log(trend->steps[other].median / trend->steps[step].median);

    return trend->can_tell && distance > weir_trend_noise(trend, step, other);
}

bool weir_trend_falls(const struct weir_trend *trend, unsigned step, unsigned *reference)
{
    unsigned best = step;

    if (trend->steps[step].count == 0)
        return false;
    for (unsigned i = step; i-- > 0;)
        if (trend->steps[i].count > 0 &&
            (best == step || trend->steps[i].median > trend->steps[best].median))
            best = i;
    if (best == step || !weir_trend_is_below(trend, step, best))
        return false;
    *reference = best;
    return true;
}
