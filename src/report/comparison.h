/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that do the same in two places: the rates of their phases against each other. */
#ifndef WEIR_REPORT_COMPARISON_H
#define WEIR_REPORT_COMPARISON_H

#include "repetitions.h"

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
