/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of IOR's lowering: one request on its way to one test. */
#ifndef WEIR_FRONT_IOR_LOWERING_H
#define WEIR_FRONT_IOR_LOWERING_H

#include "options.h"

#include "weir/plan/plan.h"

/* How much is asked of the storage at once. */
struct weir_ior_load {
    unsigned depth, batch;               /* of timed phases */
    bool must_find_depth;                /* up to `depth` */
    unsigned steady_depth, steady_batch; /* of all others: nothing is searched there */
    struct weir_rate rate;               /* of timed phases */
};

/* Everything that lowering one test needs. */
struct weir_ior_lowering {
    struct weir_plan *plan;
    struct weir_test *test;
    const struct weir_ior_request *request;
    const struct weir_ior_config *ior;
    const char *place;
    struct weir_error *error;
    const struct weir_target *target;
    struct weir_payload payload;
    const struct weir_descriptor *loop; /* the backend that moves the data, if it is no dry run */
    bool is_collective;                 /* asked for, and the backend can */
    struct weir_ior_load load;
    struct weir_phase *latest; /* that moves data, in the same repetition; NULL: none yet */
};

/* -a and the options of backends: fills in the test's backend, `loop` and `is_collective`. 0, or a
 * usage error. */
int weir_ior_lower_backend(struct weir_ior_lowering *lowering);

/* Depth, batch and rate: fills in `load`; the backend must be known. 0, or a usage error. */
int weir_ior_lower_load(struct weir_ior_lowering *lowering);

/* Places of tasks and of their buffers, the state of the page cache, and the time to end: what has
 * nothing to do with transfers. The steps must be known. 0, or a usage error. */
int weir_ior_lower_place(struct weir_ior_lowering *lowering);

/* -l, -G and --data. */
struct weir_payload weir_ior_lower_payload(const struct weir_ior_request *request);

/* Files, phases and their order: fills in `target` and the test's steps. 0, or a usage error. */
int weir_ior_lower_steps(struct weir_ior_lowering *lowering);

#endif
