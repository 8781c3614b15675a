/* SPDX-License-Identifier: Apache-2.0 */
/* The tallies of all ranks as one, in two messages: the greatest values first, then the sums, whose
 * length follows from them. Least values travel as their complement. */
#ifndef WEIR_ENGINE_GATHER_TALLY_H
#define WEIR_ENGINE_GATHER_TALLY_H

#include "run.h"

enum weir_sum {
    WEIR_SUM_EXPECTED_BYTES,
    WEIR_SUM_FILE_BYTES,    /* of the ranks that asked */
    WEIR_SUM_UNKNOWN_FILES, /* ranks that should have known the size of a file */
    WEIR_SUM_NEAR_RANKS,
    WEIR_SUM_UNLOGGED,
    WEIR_SUM_ABSENT,
    WEIR_SUM_FOUND,
    WEIR_SUM_LEFT,
    WEIR_SUM_CHECKED,
    WEIR_SUM_WRONG,
    WEIR_SUM_SHORTFALLS, /* ranks */
    WEIR_SUM_STALLS,     /* ranks */
    WEIR_SUM_COUNT
};

/* One reduction, MAX, brings all of these. Least values and the first ranks with something to tell
 * travel as complements (~value, see weir_gathered_least); 0 is then "no rank has one", and a first
 * rank counts only where the sum that belongs to it is not 0. */
enum weir_greatest {
    WEIR_GREATEST_SHARED_BYTES,
    WEIR_LEAST_SHARED_BYTES,
    WEIR_FIRST_SHORTFALL, /* least rank */
    WEIR_FIRST_STALL,     /* likewise */
    WEIR_GREATEST_DEPTH,
    WEIR_LEAST_DEPTH,
    WEIR_GREATEST_STALL_NS,
    WEIR_LEAST_FAILURE_NS, /* since the agreed start */
    WEIR_ANY_LOST, /* 0 or 1, as those that follow: what a node tells its ranks did not arrive */
    WEIR_ANY_INCOMPLETE,
    WEIR_ANY_MUST_STOP,
    WEIR_ANY_CUT,
    WEIR_ANY_FAILED,
    WEIR_ANY_ALARM,
    WEIR_ANY_CALLED_OFF,
    WEIR_ANY_PINGED,
    WEIR_GREATEST_COUNT
};

/* Of one rank before, of all ranks after. */
struct weir_gathered {
    uint64_t sums[WEIR_SUM_COUNT];
    uint64_t greatest[WEIR_GREATEST_COUNT];
};

/* The least of values, of which each rank gave the complement. */
static inline uint64_t weir_gathered_least(const struct weir_gathered *gathered,
                                           enum weir_greatest which)
{
    return ~gathered->greatest[which];
}

/* Memory for the messages of a phase, and on rank 0 for the rows of all ranks: taken once for a
 * test. 0 or -ENOMEM. */
int weir_gather_open(struct weir_run *run);
void weir_gather_close(struct weir_run *run);

/* Makes *gathered, and the histograms and the series of run->tally, those of all ranks, on every
 * rank; on rank 0 also the series of single ranks, in bytes or in operations. 0 or -errno.
 * Collective. */
int weir_gather_tally(struct weir_run *run, struct weir_gathered *gathered, bool is_in_bytes);

/* Makes further histograms, as many on every rank, those of all ranks. 0 or -errno. Collective. */
int weir_gather_histograms(struct weir_run *run, struct weir_histogram *histograms[],
                           unsigned count);

/* What counts of this rank for struct weir_counted. */
void weir_gather_count_own(const struct weir_tally *tally, const struct weir_phase *phase,
                           struct weir_rank_row *row);

#endif
