/* SPDX-License-Identifier: Apache-2.0 */
/* Reporters of mdtest's formats, and the releases of mdtest that they look like. */
#ifndef WEIR_FRONT_MDTEST_VERSION_H
#define WEIR_FRONT_MDTEST_VERSION_H

#include "weir/base/error.h"

#include <stdbool.h>

/* Names of reporters, as in src/report/report.c. */
#define WEIR_MDTEST_REPORTER "mdtest"

/* Reads "3.3", or a release of that line such as "3.3.0", as a style of the reporters: "mdtest
 * 3.3". A `word` of NULL sets *style to NULL, the newest layout with Weir's version. Returns 0, or
 * a usage error at `place`. */
int weir_mdtest_version_read(const char *word, const char *place, struct weir_error *error,
                             const char **style);

/* Whether the release put a # before the names of the test's directories. */
bool weir_mdtest_version_has_old_names(const char *word);

#endif
