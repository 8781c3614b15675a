/* SPDX-License-Identifier: Apache-2.0 */
/* Reporters of IOR's formats, and the releases of IOR that they look like. */
#ifndef WEIR_FRONT_IOR_VERSION_H
#define WEIR_FRONT_IOR_VERSION_H

#include "weir/plan/plan.h"

/* Names of reporters, as in src/report/report.c. */
#define WEIR_IOR_REPORTER "ior"
#define WEIR_IOR_REPORTER_CSV "ior csv"
#define WEIR_IOR_REPORTER_JSON "ior json"

/* Reads "3.0", or a release of that line such as "3.0.1", as a style of the reporters: "IOR 3.0".
 * A `word` of NULL sets *style to NULL, the newest layout with Weir's version. Returns 0, or a
 * usage error at `place`. */
int weir_ior_version_read(const char *word, const char *place, struct weir_error *error,
                          const char **style);

/* Refuses a reporter of IOR's whose format the release did not have. 0, or a usage error. */
int weir_ior_version_check(const struct weir_output *output, const char *place,
                           struct weir_error *error);

#endif
