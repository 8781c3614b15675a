/* SPDX-License-Identifier: Apache-2.0 */
/* Which depth of the queue is worth its price: the least one that does nearly as well as any. */
#ifndef WEIR_ENGINE_DEPTH_SEARCH_H
#define WEIR_ENGINE_DEPTH_SEARCH_H

#include "weir/measure/result.h"

#include <stdbool.h>
#include <stdint.h>

/* One depth, tried for a while by all ranks at the same time. */
struct weir_depth_trial {
    unsigned depth;
    uint64_t length_ns; /* no transfer is begun later than this */
    /* set by the trial, the same on all ranks: */
    uint64_t op_count; /* of all ranks */
    uint64_t spent_ns; /* by the rank that took longest, until its last transfer was done */
    uint64_t p50_ns;   /* median time of an operation of all ranks; 0 = none completed */
    bool must_end;     /* there shall be no further trial, and this one does not count */
};

struct weir_depth_search {
    unsigned depth_max; /* 1 to WEIR_PLAN_DEPTH_MAX */
    void *context;
    /* 0, or -errno, which ends the search. Collective. */
    int (*try_depth)(void *context, struct weir_depth_trial *trial);
};

/* What each depth that was tried is worth, by depth. */
struct weir_depth_table {
    unsigned count;
    struct weir_depth_point points[WEIR_DEPTH_POINTS_MAX];
};

/* No depth is worth less than this of the best one. */
#define WEIR_DEPTH_WORTH 0.98
/* All trials together are planned for no more than this. */
#define WEIR_DEPTH_SEARCH_NS UINT64_C(10000000000)

/* Tries 1, 2, 4 ... and `depth_max` in three rounds, up, down and up again, so that neither a drift
 * of the device nor the order speaks for a depth, and takes medians. Then it halves the gap below
 * the least depth that is worth it, until there is none. Every rank comes to the same choice: it
 * depends on nothing but what the trials say. If a trial must end, what is known so far decides;
 * nothing: `depth_max`. 0 or -errno. Collective. */
int weir_depth_search(const struct weir_depth_search *search, struct weir_depth_table *table,
                      unsigned *depth);

#endif
