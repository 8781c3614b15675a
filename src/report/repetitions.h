/* SPDX-License-Identifier: Apache-2.0 */
/* The repetitions of each phase of the plan, and many of them as one. */
#ifndef WEIR_REPORT_REPETITIONS_H
#define WEIR_REPORT_REPETITIONS_H

#include "weir/base/arena.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>

/* More repetitions than these share one line. */
#define WEIR_REPETITIONS_SHOWN 3

/* All that ran of one phase of the plan. */
struct weir_repetitions {
    unsigned test;
    const struct weir_phase *phase;
    const struct weir_phase_result **members; /* in the order they ran */
    unsigned count;
    const struct weir_phase_result **rows; /* the members that have a row in the dialect's table */
    unsigned row_count;
    const struct weir_phase_history *history; /* of those without a record; NULL: none */
    unsigned folded_count;                    /* so many */
    const struct weir_phase_result *whole;    /* many rows as one; NULL if they are few */
};

/* One for each phase of the tests that have begun, in the order of the plan; `*count` of them, in
 * `arena`. Results that are of no phase of the plan are in none. */
struct weir_repetitions *weir_repetitions_find(struct weir_arena *arena,
                                               const struct weir_plan *plan,
                                               const struct weir_result *result, unsigned *count);

/* With fewer repetitions of either test their spread says nothing. */
#define WEIR_COMPARISON_LEAST 3

/* A phase of a test that is compared, and the same phase of the test before it. */
struct weir_comparison {
    const struct weir_repetitions *all;
    unsigned count;        /* repetitions of it, and ... */
    unsigned before_count; /* ... of that of the test before, both > 0 */
    double ops_per_s;      /* means */
    double before_ops_per_s;
    double ratio;
    bool is_known; /* there are repetitions enough, so that the ratio is within ... */
    double margin; /* ... so much of the true one in 95 of 100 cases, as long as it is small */
    bool differs;  /* and the means differ by more than chance would have it so often */
};

/* Of complete repetitions in which nothing failed; `*count` of them, in `arena`. `phases` are those
 * of weir_repetitions_find. */
struct weir_comparison *weir_comparisons_find(struct weir_arena *arena,
                                              const struct weir_plan *plan,
                                              const struct weir_repetitions *phases,
                                              unsigned phase_count, unsigned *count);

/* "slower", "faster", or that it cannot be told. */
const char *weir_comparison_verdict(const struct weir_comparison *comparison);

#endif
