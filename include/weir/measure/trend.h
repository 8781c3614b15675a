/* SPDX-License-Identifier: Apache-2.0 */
/* A rate over the steps of a series: where it grows, is flat, or falls, by more than the noise of
 * its repetitions. */
#ifndef WEIR_MEASURE_TREND_H
#define WEIR_MEASURE_TREND_H

#include "weir/base/arena.h"

#include <stdbool.h>

/* With fewer repetitions of a step, its own noise says little. */
#define WEIR_TREND_LEAST 3

/* Differences below this part of the greater one never count: steps are not measured at the same
 * time, and repetitions that follow one another do not show what changes between them. */
#define WEIR_TREND_SHARE_MIN 0.03
#define WEIR_TREND_DISTANCE_MIN 0.030459207484708574 /* -ln(1 - WEIR_TREND_SHARE_MIN) */

struct weir_trend_step {
    const double *rates; /* > 0, of its repetitions in the order they ran */
    unsigned count;      /* 0: it has no rate, and is passed over */
    double median;
    double spread; /* half of the range, in parts of the median; 0 of a single repetition */
    double scale;  /* noise of one repetition, as below; 0 of a single repetition */
};

/* The noise of one repetition is the deviation of ln rate, estimated from the distances between
 * repetitions of the same step:
 *
 *     scale = 1.0483 * median of |ln x - ln y| over all pairs of repetitions of a step.
 *
 * 1 / (0.6745 * sqrt 2) = 1.0483 makes it the standard deviation of normally distributed values.
 * Distances need no centre, which of three repetitions would be one of them (P. Rousseeuw and
 * C. Croux, Alternatives to the Median Absolute Deviation, 1993). One scale is pooled from the
 * pairs of all steps, and each step has its own. Two steps with medians of m and n repetitions
 * differ if
 *
 *     |ln M - ln N| > cut * s * sqrt(v(m) + v(n))  and  by more than WEIR_TREND_SHARE_MIN,
 *     s = max(pooled scale, scales of the two steps),
 *     v(m) = (pi / 2) / (m + 1/2), the variance of the median of m normally distributed values,
 *     cut = 1.4 + 0.55 ln(steps), and 1.6 more if one of the two has fewer than 3 repetitions.
 *
 * The cut is ours, by draws: of steps that are all alike, some pair differs in about 5 % of the
 * series, whatever their number (unit.trend). */
struct weir_trend {
    struct weir_trend_step *steps;
    unsigned count;
    /* found: */
    unsigned measured; /* steps with a rate */
    double scale;      /* pooled */
    bool can_tell;     /* two steps have a rate, and one of them was repeated */
    unsigned best;     /* the greatest median */
    unsigned knee;     /* the first step that is not below the best one */
};

/* Finds what is to be found from `steps` and `count`. */
void weir_trend_find(struct weir_trend *trend, struct weir_arena *arena);

/* The variance v of the median of `count` values, and the cut for `steps` steps of which the two
 * that are compared have at least `least` repetitions. Both are parts of the rule above, which
 * weir_compare_judge uses too. */
double weir_trend_variance(unsigned count);
double weir_trend_cut(unsigned steps, unsigned least);

/* The smallest distance of the logarithms of two steps' rates that counts. */
double weir_trend_noise(const struct weir_trend *trend, unsigned one, unsigned other);

/* The rate of a step is below that of another by more than the noise. Both have one. */
bool weir_trend_is_below(const struct weir_trend *trend, unsigned step, unsigned other);

/* Whether the rate has fallen at a step: it is below the best of the steps before, which is put
 * into `*reference`. */
bool weir_trend_falls(const struct weir_trend *trend, unsigned step, unsigned *reference);

#endif
