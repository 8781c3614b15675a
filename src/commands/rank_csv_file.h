/* SPDX-License-Identifier: Apache-2.0 */
/* The file with the figures of each rank, in the format of the test's dialect. Rank 0 only. */
#ifndef WEIR_COMMANDS_RANK_CSV_FILE_H
#define WEIR_COMMANDS_RANK_CSV_FILE_H

#include "weir/report/report.h"

#include <stdbool.h>
#include <stdio.h>

/* All zero: none is open. */
struct weir_rank_csv_file {
    FILE *file;
    const char *path;
    const struct weir_plan *plan;
    unsigned test;
    struct weir_rank_csv held;
};

/* Refuses, before anything is run, to overwrite what is not such a file, unless the test may, and
 * to append to a file of an earlier run in which the rows that are kept cannot be found. Returns 0,
 * or a usage error. */
int weir_rank_csv_file_check(const struct weir_plan *plan, const struct weir_resumption *resumption,
                             struct weir_error *error);

/* Opens the file of a test, if it has one: anew, or after the rows of earlier tests of the run and
 * the rows that an earlier run wrote of what is kept. Other rows of the earlier run are cut off. */
int weir_rank_csv_file_open(struct weir_rank_csv_file *side, const struct weir_plan *plan,
                            const struct weir_resumption *resumption, unsigned test,
                            struct weir_error *error);

/* Adds the ranks of a phase; they can be read when it returns. */
int weir_rank_csv_file_add(struct weir_rank_csv_file *side, const struct weir_plan *plan,
                           const struct weir_phase_result *phase, struct weir_error *error);

int weir_rank_csv_file_close(struct weir_rank_csv_file *side, struct weir_error *error);

#endif
