/* SPDX-License-Identifier: Apache-2.0 */
/* From md-workbench's words to the plan. */
#ifndef WEIR_FRONT_MDWORKBENCH_LOWER_H
#define WEIR_FRONT_MDWORKBENCH_LOWER_H

#include "options.h"
#include "weir/plan/plan.h"

/* Appends the test that `request` asks for, which must live in the plan's arena, and says where its
 * results go. 0, or a usage error. */
int weir_mdworkbench_lower(struct weir_plan *plan, const struct weir_mdworkbench_request *request,
                           struct weir_error *error);

#endif
