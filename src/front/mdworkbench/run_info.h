/* SPDX-License-Identifier: Apache-2.0 */
/* The file with the place of the working set: "pos: N". */
#ifndef WEIR_FRONT_MDWORKBENCH_RUN_INFO_H
#define WEIR_FRONT_MDWORKBENCH_RUN_INFO_H

#include "weir/base/error.h"

#include <stdint.h>

/* Reads the position; without a file it stays. 0, or a usage error: there is something else in
 * it. */
int weir_run_info_read(const char *path, uint64_t *position, const char *place,
                       struct weir_error *error);

/* Refuses a path whose file would be lost. 0, or a usage error. */
int weir_run_info_check(const char *path, const char *place, struct weir_error *error);

#endif
