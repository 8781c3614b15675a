/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of the tree of steps: what makes no sense, and what the engine does not do. */
#ifndef WEIR_PLAN_CHECK_STEPS_H
#define WEIR_PLAN_CHECK_STEPS_H

#include "weir/plan/plan.h"

/* 0, or a usage error at `place`. */
int weir_plan_check_steps(const struct weir_test *test, const char *place,
                          struct weir_error *error);

#endif
