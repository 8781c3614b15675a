/* SPDX-License-Identifier: Apache-2.0 */
/* What a test needs of the storage: files and trees, as much of them as there is at one time. */
#ifndef WEIR_PLAN_NEED_H
#define WEIR_PLAN_NEED_H

#include "weir/plan/plan.h"

/* The files of a test, as many of them as there are at one time. */
struct weir_need {
    const struct weir_target *target; /* NULL: nothing is written, or only what is there already */
    uint64_t bytes_per_rank;          /* of one repetition, at most */
    uint64_t copies;                  /* repetitions whose files are there together */
    uint64_t rank_limit;              /* of the phases that write, as of a phase */
    bool may_be_cut;                  /* a deadline may end a write earlier */
};
void weir_test_need(const struct weir_test *test, struct weir_need *need);

/* The trees of a test, as much of them as there is at one time. Counts that would be more are
 * UINT64_MAX. */
struct weir_tree_need {
    /* that makes items, or else the directories; NULL: nothing is made. Which rank does it,
     * and in whose tree, it says. */
    const struct weir_phase *phase;
    uint64_t items;       /* of one rank, or of all together where they share them */
    uint64_t bytes;       /* in these */
    uint64_t directories; /* of one rank's tree, or of that of all */
    uint64_t tops;        /* directories around these, of all trees together */
    bool may_be_cut;      /* a deadline may end a creation earlier */
};
void weir_test_tree_need(const struct weir_test *test, struct weir_tree_need *need);

#endif
