/* SPDX-License-Identifier: Apache-2.0 */
/* The rule that whatever a plan writes must not fall upon something else that it writes. */
#ifndef WEIR_PLAN_CHECK_PATHS_H
#define WEIR_PLAN_CHECK_PATHS_H

#include "weir/plan/plan.h"

/* Refuses a plan of which one file, of data or not, could be another one. The same path by another
 * name (links, other mounts) is not found out. 0, or a usage error. */
int weir_plan_check_paths(const struct weir_plan *plan, struct weir_error *error);

#endif
