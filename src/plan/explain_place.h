/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a plan's text that is about places of ranks and memory. */
#ifndef WEIR_PLAN_EXPLAIN_PLACE_H
#define WEIR_PLAN_EXPLAIN_PLACE_H

#include "weir/plan/plan.h"

/* Appends a line for each policy that is not the default. */
void weir_plan_explain_place(struct weir_text *text, const struct weir_test *test);

#endif
