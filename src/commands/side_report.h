/* SPDX-License-Identifier: Apache-2.0 */
/* A second report of a test, in a file of its own, if its dialect has one and was asked for it.
 * Rank 0 only. */
#ifndef WEIR_COMMANDS_SIDE_REPORT_H
#define WEIR_COMMANDS_SIDE_REPORT_H

#include "weir/report/report.h"

/* Refuses, before the test is run, a file that holds anything but a report, unless the test may
 * overwrite it. 0, or the error. */
int weir_side_report_check(const struct weir_plan *plan, unsigned test, struct weir_error *error);

/* Writes the file when a phase is done, in the place of an earlier one. 0, or the error. */
int weir_side_report_write(const struct weir_plan *plan, const struct weir_result *result,
                           const struct weir_phase_result *phase, struct weir_error *error);

#endif
