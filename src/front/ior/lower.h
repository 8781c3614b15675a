/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of IOR's options: one request becomes one test of the plan. */
#ifndef WEIR_FRONT_IOR_LOWER_H
#define WEIR_FRONT_IOR_LOWER_H

#include "options.h"

#include "weir/plan/plan.h"

/* Appends the test that `request` asks for; the request must live in the plan's arena. 0, or a
 * usage error. */
int weir_ior_lower(struct weir_plan *plan, const struct weir_ior_request *request,
                   struct weir_error *error);

/* Output of the whole run, as the last request of a script left it. 0, or a usage error. */
int weir_ior_lower_output(struct weir_output *output, const struct weir_ior_request *request,
                          struct weir_error *error);

#endif
