/* SPDX-License-Identifier: Apache-2.0 */
/* How many transfers a rank is to make: less than its layout (limit, status file), or as many as
 * the furthest rank (wear-out). What stops it while it transfers is in loop.c. */
#ifndef WEIR_ENGINE_STOP_H
#define WEIR_ENGINE_STOP_H

#include "run.h"

/* How many transfers `owner`'s part has in this phase: those of the layout, or fewer if the plan, a
 * status file or a write that was cut short say so. The status file is read by rank 0.
 * Collective. */
int weir_stop_limit(struct weir_run *run, const struct weir_phase *phase, uint64_t owner,
                    uint64_t layout_ops, uint64_t *limit, struct weir_error *error);

/* For items of trees that another run made: no more of them than the status file says, if the plan
 * names one. Collective. */
int weir_stop_limit_by_status(struct weir_run *run, const struct weir_phase *phase, uint64_t *limit,
                              struct weir_error *error);

/* Remembers how far each rank came with a write that has been gathered. Collective. */
int weir_stop_remember(struct weir_run *run, uint64_t ops_done);

/* Stores how far the furthest rank came with a write that went well, if the plan names a status
 * file and is no dry run. Collective. */
int weir_stop_store(struct weir_run *run, const struct weir_phase *phase, uint64_t ops_done,
                    struct weir_error *error);

/* Refuses a status file that holds something else, or cannot be made. */
int weir_stop_check_status(const struct weir_test *test, const char *path,
                           struct weir_error *error);

/* The furthest of all ranks, if any has hit the deadline; else 0. Collective. */
int weir_stop_furthest(struct weir_group *group, bool hit_deadline, uint64_t ops_done,
                       uint64_t *furthest);

#endif
