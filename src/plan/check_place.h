/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of where ranks and their buffers are, and of the page cache that they find. */
#ifndef WEIR_PLAN_CHECK_PLACE_H
#define WEIR_PLAN_CHECK_PLACE_H

#include "weir/plan/plan.h"

/* 0, or a usage error at `place`. */
int weir_plan_check_place(const struct weir_test *test, const char *place,
                          struct weir_error *error);

#endif
