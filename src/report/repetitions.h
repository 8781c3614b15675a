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

#endif
