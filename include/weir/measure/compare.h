/* SPDX-License-Identifier: Apache-2.0 */
/* Two groups of repetitions, A and B, row by row: where B is faster or slower than A by more than
 * the noise of repetitions. */
#ifndef WEIR_MEASURE_COMPARE_H
#define WEIR_MEASURE_COMPARE_H

#include "weir/base/arena.h"
#include "weir/measure/trend.h"

#include <stdbool.h>

/* With fewer repetitions on one side no row is decided: at 2, outliers cause false alarms in 5 to
 * 17 % of comparisons (unit.compare). */
#define WEIR_COMPARE_LEAST WEIR_TREND_LEAST

/* Fewer earlier runs are not used: their noise is known no better than that of A and B. */
#define WEIR_COMPARE_EARLIER_LEAST 5

/* 95 % of differences between medians of equal rows are within +-2.0 deviations. */
#define WEIR_COMPARE_RANGE_CUT 2.0

/* Noise is pooled over rows of one kind: quantiles of latency are several times as noisy as rates,
 * and would hide differences of rates. */
enum weir_compare_kind {
    WEIR_COMPARE_RATES,
    WEIR_COMPARE_OPERATIONS,
    WEIR_COMPARE_LATENCIES,
    WEIR_COMPARE_KIND_COUNT
};

enum weir_compare_verdict {
    WEIR_COMPARE_FASTER,
    WEIR_COMPARE_SLOWER,
    WEIR_COMPARE_SAME, /* the range is within the limit; the last of the decided ones */
    WEIR_COMPARE_NO_DIFFERENCE,
    WEIR_COMPARE_CANNOT_TELL, /* a difference of the limit would not have been seen */
    WEIR_COMPARE_NOT_COMPARABLE,
    WEIR_COMPARE_VERDICT_COUNT
};

struct weir_compare_group {
    const double *values; /* > 0, of repetitions in the order they ran */
    unsigned count;       /* 0 = no value: the row is not comparable */
    unsigned run_count;   /* runs that the values are of */
    double median;        /* found; 0 = no value */
};

/* A figure of a case. */
struct weir_compare_row {
    enum weir_compare_kind kind;
    bool is_lower_better;
    bool is_excluded; /* not comparable: a figure of one side cannot be used */
    struct weir_compare_group a, b;
    /* Medians of earlier runs of the case, one per run (--noise-from). */
    const double *earlier;
    unsigned earlier_count;
    /* found: */
    enum weir_compare_verdict verdict;
    double ratio; /* median of B / median of A; 0 = a side has no value */
    /* The noise is known, and with it the range and the smallest change; false with a single
     * repetition on a side and fewer than WEIR_COMPARE_EARLIER_LEAST earlier runs. */
    bool has_range;
    double ratio_low, ratio_high; /* 95 % range of the ratio */
    double detectable;            /* smallest loss that is called different, in parts of A */
    unsigned runs_needed; /* CANNOT_TELL: repetitions of each side that decide; 0 = not known, or
                             the difference is below WEIR_TREND_SHARE_MIN */
};

/* The rule is that of trend.h with the repetitions of A and B of each row as steps:
 *
 *     different: |ln(B / A)| > cut * s * sqrt(v(m) + v(n))  and  > WEIR_TREND_DISTANCE_MIN,
 *     s = max(scale pooled over the rows of the kind, scale of A, scale of B),
 *     cut = that of 2 * (rows of the kind + number of other kinds) steps,
 *     95 % range: ln(B / A) +- 2.0 * s * sqrt(v(m) + v(n)).
 *
 * The other kinds are in the cut since their rows can cause false alarms, too: counted as one row
 * each, any alarm is in at most 5 % of comparisons of equal groups (unit.compare).
 *
 * With earlier runs of the case, their scale replaces the pooled one, and v is that of the numbers
 * of runs: repetitions in one run do not average what changes between runs. */
struct weir_compare {
    struct weir_compare_row *rows;
    unsigned count;
    double limit; /* a change up to this part of A is "the same" */
    /* found: */
    unsigned judged; /* rows with a value on both sides that are not excluded */
    unsigned verdicts[WEIR_COMPARE_VERDICT_COUNT];
};

/* Finds the verdict of each row. */
void weir_compare_judge(struct weir_compare *compare, struct weir_arena *arena);

/* True if the row is SLOWER and its estimate is beyond the limit. */
bool weir_compare_is_loss(const struct weir_compare *compare, const struct weir_compare_row *row);

/* The part, 0 to 1, of pairs of a run of A and one of B in which that of A began first. Near 0 or 1
 * the sides are not interleaved, and drift of the system looks like a difference. */
double weir_compare_precedence(const double a_begun_s[], unsigned a_count, const double b_begun_s[],
                               unsigned b_count);
#define WEIR_COMPARE_PRECEDENCE_MAX 0.8 /* and 0.2: A A A B A B is 0.88, A B A B is 0.75 */

/* Rank correlation (Kendall's tau) of values with their order within each side, over all judged
 * rows: > 0 if later repetitions are better, 0 if it is within chance. Rows count as fully
 * correlated: their number adds no certainty. */
double weir_compare_drift(const struct weir_compare *compare);

/* Half the width of the 95 % interval of the median of `count` values > 0, in parts of the median;
 * INFINITY below WEIR_COMPARE_LEAST values. */
double weir_compare_interval(const double values[], unsigned count, struct weir_arena *arena);

#endif
