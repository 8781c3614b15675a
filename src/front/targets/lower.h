/* SPDX-License-Identifier: Apache-2.0 */
/* What the words of weir targets ask for, as a plan. */
#ifndef WEIR_FRONT_TARGETS_LOWER_H
#define WEIR_FRONT_TARGETS_LOWER_H

#include "options.h"
#include "weir/plan/plan.h"

/* Appends a test for each target, and one for all together. 0, or a usage error. */
int weir_targets_lower(struct weir_plan *plan, const struct weir_targets_request *request,
                       struct weir_error *error);

#endif
