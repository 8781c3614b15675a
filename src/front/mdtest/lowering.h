/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of mdtest's lowering: one request on its way to one test. */
#ifndef WEIR_FRONT_MDTEST_LOWERING_H
#define WEIR_FRONT_MDTEST_LOWERING_H

#include "options.h"

#include "weir/plan/plan.h"

/* What is done, and on what. */
struct weir_mdtest_work {
    bool on_directories, on_files; /* items */
    bool creates, stats, reads, renames, removes;
};

/* Everything that lowering one test needs. */
struct weir_mdtest_lowering {
    struct weir_plan *plan;
    struct weir_test *test;
    const struct weir_mdtest_request *request;
    const struct weir_mdtest_config *mdtest;
    const char *place;
    struct weir_error *error;
    struct weir_mdtest_work work;
    struct weir_payload payload;
    const struct weir_target *target;
    uint64_t items; /* of a task and kind, in all sets */
};

#define WEIR_MDTEST_REFUSE(lowering, ...)                                                          \
    weir_error_usage((lowering)->error, (lowering)->place, __VA_ARGS__)
#define WEIR_MDTEST_REMARK(lowering, ...)                                                          \
    weir_plan_add_remark((lowering)->plan, (lowering)->test, __VA_ARGS__)

/* -C -T -E -r -U, -D and -F. */
struct weir_mdtest_work weir_mdtest_lower_work(const struct weir_mdtest_config *mdtest);

/* -d and all that makes the tree: fills in `target` and `items`. 0, or a usage error. */
int weir_mdtest_lower_target(struct weir_mdtest_lowering *lowering);

/* Phases and their order: fills in the test's steps; the target must be known. 0, or a usage
 * error. */
int weir_mdtest_lower_steps(struct weir_mdtest_lowering *lowering);

#endif
