/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of mdtest's options: one request becomes one test for each number of tasks. */
#ifndef WEIR_FRONT_MDTEST_LOWER_H
#define WEIR_FRONT_MDTEST_LOWER_H

#include "options.h"

#include "weir/plan/plan.h"

/* Appends the tests that `request` asks for, which must live in the plan's arena, and says where
 * their results go. 0, or a usage error. */
int weir_mdtest_lower(struct weir_plan *plan, const struct weir_mdtest_request *request,
                      struct weir_error *error);

#endif
