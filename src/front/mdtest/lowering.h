/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of mdtest's lowering: one request on its way to one test. */
#ifndef WEIR_FRONT_MDTEST_LOWERING_H
#define WEIR_FRONT_MDTEST_LOWERING_H

#include "common_lowering.h"
#include "options.h"

/* What is done, and on what. */
struct weir_mdtest_work {
    bool on_directories, on_files; /* items */
    bool creates, stats, reads, renames, removes;
};

/* Words of --also, each at most once. */
#define WEIR_MDTEST_ALSO_MAX 16

/* Everything that lowering one test needs. */
struct weir_mdtest_lowering {
    struct weir_lowering base;
    const struct weir_mdtest_request *request;
    const struct weir_mdtest_config *mdtest;
    struct weir_mdtest_work work;
    unsigned also[WEIR_MDTEST_ALSO_MAX]; /* rows of the table in phases.c */
    unsigned also_count;
    struct weir_payload payload;
    const struct weir_target *target;
    uint64_t items; /* of a task and kind, in all sets */
};

/* -C -T -E -r -U, -D -F -S. */
struct weir_mdtest_work weir_mdtest_lower_work(const struct weir_mdtest_config *mdtest);

/* Refuses combinations of options that mean nothing, with a sentence that names the option. 0, or a
 * usage error. */
int weir_mdtest_check(const struct weir_mdtest_lowering *lowering);

/* Tells of options that change nothing in this test. */
void weir_mdtest_remark(const struct weir_mdtest_lowering *lowering);

/* --also: fills in `also`. 0, or a usage error. */
int weir_mdtest_lower_also(struct weir_mdtest_lowering *lowering);

/* -d and all that makes the tree: fills in `target` and `items`. 0, or a usage error. */
int weir_mdtest_lower_target(struct weir_mdtest_lowering *lowering);

/* Phases and their order: fills in the test's steps; target and load must be known. 0, or a usage
 * error. */
int weir_mdtest_lower_steps(struct weir_mdtest_lowering *lowering);

#endif
