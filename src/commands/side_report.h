/* SPDX-License-Identifier: Apache-2.0 */
/* Reports in files of their own: the second one of a test, if its dialect has one and was asked for
 * it, and that of an interrupted run whose launcher prints nothing more. Rank 0 only. */
#ifndef WEIR_COMMANDS_SIDE_REPORT_H
#define WEIR_COMMANDS_SIDE_REPORT_H

#include "weir/report/report.h"

/* Refuses, before the test is run, a file that holds anything but a report, unless the test may
 * overwrite it. 0, or the error. */
int weir_side_report_check(const struct weir_plan *plan, unsigned test, struct weir_error *error);

/* Writes the file when a phase is done, in the place of an earlier one. 0, or the error. */
int weir_side_report_write(const struct weir_plan *plan, const struct weir_result *result,
                           const struct weir_phase_result *phase, struct weir_error *error);

/* prterun, the mpiexec of Open MPI 5, drops what ranks print after it was told to end. A run
 * without a file for its results keeps a copy of its report, and an interrupted one writes it to
 * "weir-interrupted-RUN.txt" in the current directory. */
struct weir_spare_report {
    bool is_kept;
    struct weir_text text;
};

/* `has_file`: the report, or a result file, is no matter of the launcher's. */
void weir_spare_report_open(struct weir_spare_report *spare, bool has_file);
void weir_spare_report_add(struct weir_spare_report *spare, const struct weir_text *printed);
/* Writes the file if the run was interrupted, and logs its name or why there is none. */
void weir_spare_report_close(struct weir_spare_report *spare, uint64_t run_id, bool is_interrupted);

#endif
