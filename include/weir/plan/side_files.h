/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the files with figures of single ranks. */
#ifndef WEIR_PLAN_SIDE_FILES_H
#define WEIR_PLAN_SIDE_FILES_H

#include "weir/plan/plan.h"

#include <stddef.h>

/* Of transfers with their offsets, in phases that have a `log_name` for them, and of latencies.
 * `rank` is its number, or "%r" for that of any, without its directory. Written to `name` and
 * returned as by snprintf. */
int weir_test_offset_file(const struct weir_test *test, const char *log_name, const char *rank,
                          char *name, size_t bytes);
int weir_test_latency_file(const struct weir_test *test, const char *rank, char *name,
                           size_t bytes);

#endif
