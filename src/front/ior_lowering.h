/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of IOR's lowering share: one request on its way to one test. */
#ifndef WEIR_FRONT_IOR_LOWERING_H
#define WEIR_FRONT_IOR_LOWERING_H

#include "ior_options.h"

#include "weir/plan/plan.h"

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
    bool is_collective; /* asked for, and the backend can */
};

/* -a and the options of backends: fills in the test's backend and `is_collective`. 0, or a usage
 * error. */
int weir_ior_lower_backend(struct weir_ior_lowering *lowering);

/* -l, -G and --data. */
struct weir_payload weir_ior_lower_payload(const struct weir_ior_request *request);

/* Files, phases and their order: fills in `target` and the test's steps. 0, or a usage error. */
int weir_ior_lower_steps(struct weir_ior_lowering *lowering);

#endif
