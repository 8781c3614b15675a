/* SPDX-License-Identifier: Apache-2.0 */
/* Which words of IOR do not go together. */
#ifndef WEIR_FRONT_IOR_CHECK_H
#define WEIR_FRONT_IOR_CHECK_H

#include "ior_options.h"

#include "weir/plan/plan.h"

/* Refuses combinations of options that mean nothing, with a sentence that names the option. 0, or a
 * usage error. */
int weir_ior_check(const struct weir_ior_config *ior, enum weir_payload_mode payload_mode,
                   const char *place, struct weir_error *error);

/* The same for what the backend of the test does not have. */
int weir_ior_check_backend(const struct weir_ior_config *ior, const struct weir_test *test,
                           const char *place, struct weir_error *error);

#endif
