/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of IOR's lowering: one request on its way to one test. */
#ifndef WEIR_FRONT_IOR_LOWERING_H
#define WEIR_FRONT_IOR_LOWERING_H

#include "common_lowering.h"
#include "options.h"

/* Everything that lowering one test needs. */
struct weir_ior_lowering {
    struct weir_lowering base;
    const struct weir_ior_request *request;
    const struct weir_ior_config *ior;
    const struct weir_target *target;
    struct weir_payload payload;
    bool is_collective;           /* asked for, and the backend can */
    unsigned batch, steady_batch; /* as the depths of base.load */
    struct weir_phase *latest;    /* that moves data, in the same repetition; NULL: none yet */
};

/* -a and the options of backends: fills in the test's backend, base.loop and `is_collective`. 0, or
 * a usage error. */
int weir_ior_lower_backend(struct weir_ior_lowering *lowering);

/* Depth, batch and rate: fills in base.load, `batch` and `steady_batch`; the backend must be known.
 * 0, or a usage error. */
int weir_ior_lower_load(struct weir_ior_lowering *lowering);

/* Files, phases and their order: fills in `target` and the test's steps. 0, or a usage error. */
int weir_ior_lower_steps(struct weir_ior_lowering *lowering);

#endif
