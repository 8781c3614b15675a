/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of rules: the scope of a rule, and how it refuses. */
#ifndef WEIR_PLAN_CHECK_H
#define WEIR_PLAN_CHECK_H

#include "weir/plan/plan.h"

struct weir_check_scope {
    const struct weir_plan *plan;
    const struct weir_test *test;
    const struct weir_phase *phase; /* NULL in rules of tests */
    struct weir_error *error;
    char place[64]; /* what errors begin with */
};

#define REFUSE(scope, ...) weir_error_usage((scope)->error, (scope)->place, __VA_ARGS__)

/* 0, or a usage error. */
typedef int weir_check_rule(const struct weir_check_scope *scope);

/* Applies rules until one refuses; the list ends with NULL. */
int weir_check_apply(weir_check_rule *const rules[], const struct weir_check_scope *scope);

/* How much a phase that moves data asks of the storage at once: depth, batch, rate and mix. */
weir_check_rule weir_check_load;
/* The same of a phase on the items of trees. */
weir_check_rule weir_check_load_of_names;
/* A phase on the items or directories of trees: all that is not said by check_verb. */
weir_check_rule weir_check_names;
/* A phase that is a program, and what its backend must have. */
weir_check_rule weir_check_program;
/* Where the ranks of a test and their buffers are, and the page cache that they find. */
weir_check_rule weir_check_place;
/* A test's tree of steps: what makes no sense, and what the engine does not do. */
weir_check_rule weir_check_steps;

/* Exact names: what their patterns say, and that no two of the files have one name as far as the
 * plan tells. */
weir_check_rule weir_check_exact_names;

/* When a phase stops, as far as it is the same for transfers and items. */
weir_check_rule weir_check_stop;

/* What the data of a phase are, and whether they can be verified. */
int weir_check_payload(const struct weir_check_scope *scope, const struct weir_payload *payload);
int weir_check_verifiable(const struct weir_check_scope *scope, const struct weir_payload *payload);

/* Refuses a plan of which one file, of data or not, could be another one. The same path by another
 * name (links, other mounts) is not found out. 0, or a usage error. */
int weir_check_paths(const struct weir_plan *plan, struct weir_error *error);

#endif
