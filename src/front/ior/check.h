/* SPDX-License-Identifier: Apache-2.0 */
/* Which words of IOR do not go together. */
#ifndef WEIR_FRONT_IOR_CHECK_H
#define WEIR_FRONT_IOR_CHECK_H

#include "options.h"

#include "weir/plan/plan.h"

/* Refuses combinations of options that mean nothing, with a sentence that names the option. 0, or a
 * usage error. */
int weir_ior_check(const struct weir_ior_request *request, const struct weir_payload *payload,
                   const char *place, struct weir_error *error);

#endif
