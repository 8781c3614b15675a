/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of how much a phase asks of the storage at once: depth, batch, rate and mix. */
#ifndef WEIR_PLAN_CHECK_LOAD_H
#define WEIR_PLAN_CHECK_LOAD_H

#include "weir/plan/plan.h"

/* `phase` moves data. 0, or a usage error at `place`. */
int weir_plan_check_load(const struct weir_test *test, const struct weir_phase *phase,
                         const char *place, struct weir_error *error);

#endif
