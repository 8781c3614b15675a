/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all storage targets of a plan are there, before the first of them is measured. */
#ifndef WEIR_COMMANDS_CHECK_TARGETS_H
#define WEIR_COMMANDS_CHECK_TARGETS_H

#include "weir/group/group.h"
#include "weir/plan/plan.h"

/* Refuses directories that are missing, or cannot be written to where files are to be made, on any
 * rank that would work in them; all of them are named. Collective. */
int weir_check_targets(struct weir_group *group, const struct weir_plan *plan,
                       struct weir_error *error);

#endif
