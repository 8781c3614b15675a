/* SPDX-License-Identifier: Apache-2.0 */
/* Which release of IOR the reports look like. */
#ifndef WEIR_FRONT_IOR_VERSION_H
#define WEIR_FRONT_IOR_VERSION_H

#include "weir/plan/plan.h"

/* Reads "3.0", or a release of that line such as "3.0.1". 0, or a usage error at `place`. */
int weir_ior_version_read(const char *word, const char *place, struct weir_error *error,
                          enum weir_compat *compat);

#endif
