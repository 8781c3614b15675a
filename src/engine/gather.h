/* SPDX-License-Identifier: Apache-2.0 */
/* From the tallies of all ranks to one record of the result. */
#ifndef WEIR_ENGINE_GATHER_H
#define WEIR_ENGINE_GATHER_H

#include "run.h"

#include "weir/system/page_cache.h"

struct weir_program_walk;

/* What a phase knows of itself beside its tally. */
struct weir_phase_facts {
    const struct weir_phase *phase;
    double begun_s;                /* wall clock */
    uint64_t start_ns;             /* the agreed start, on this node's clock */
    struct weir_time_point before; /* clock synchronisation before and after the phase */
    struct weir_time_point after;
    bool is_near;               /* this rank's part is that of a rank of its own node */
    uint64_t op_limit;          /* transfers this rank was to make */
    uint64_t file_bytes;        /* of the files this rank answers for; UINT64_MAX: not asked */
    uint64_t shared_bytes;      /* written together, as this rank was told; UINT64_MAX: not asked */
    bool is_incomplete;         /* a write: this rank did less than its layout */
    uint64_t unlogged;          /* transfers for which the log had no room */
    uint64_t absent_count;      /* names that were to be removed and were not there */
    uint64_t found_count;       /* items that were to be made and were there */
    uint64_t left_count;        /* directories that were not empty */
    struct weir_visits *visits; /* NULL on all ranks: nothing is done in several directories */
    struct weir_program_walk *walk; /* of a program; else NULL on all ranks */
    struct weir_identity identity;
    uint64_t order_seed;
    unsigned depth; /* transfers in flight that were allowed; 0: nothing is moved */
    unsigned batch;
    bool has_dropped_caches;
    struct weir_depth_choice *choice; /* NULL: nothing is moved */
    struct weir_phase_surroundings around;
    /* of this rank's part, before the phase; asked 0: not a read, or the kernel does not tell */
    uint64_t resident_asked_bytes;
    uint64_t resident_bytes;
    /* of what this rank wrote, when the part of the phase that is timed ended, and after the syncs
     * that the plan asks for; asked 0: not known */
    struct weir_residency unstored;
    struct weir_residency unsynced;
    struct weir_data_origin origin;
};

/* Gathers run->tally and run->failure of all ranks into a record on rank 0, shows it to the
 * observer, and lets all ranks know whether to go on (run->is_ending, is_interrupted, is_dirty). An
 * error of the observer is left in run->late_error. Collective. */
int weir_gather(struct weir_run *run, const struct weir_phase_facts *facts,
                struct weir_error *error);

/* The start of a phase, once ranks have agreed: what surrounds it is looked at, clocks are
 * compared, and run->tally is empty when this returns at the agreed instant. Sets the times of
 * *facts. 0 or -errno. Collective. */
int weir_phase_start(struct weir_run *run, struct weir_phase_facts *facts);

/* Records a phase that was not begun. Collective in that all ranks may call it; only rank 0 does
 * anything. */
void weir_gather_skipped(struct weir_run *run, const struct weir_phase *phase);

#endif
