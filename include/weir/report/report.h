/* SPDX-License-Identifier: Apache-2.0 */
/* Reports: pure functions from (plan, result) to text. Live rows are the reporter called after each
 * phase. */
#ifndef WEIR_REPORT_REPORT_H
#define WEIR_REPORT_REPORT_H

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* One way to tell a result. Each function appends what is due at that point; any may be NULL. */
struct weir_reporter {
    void (*begin)(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result);
    void (*test_begins)(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *test);
    void (*phase_done)(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase);
    void (*test_ends)(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test);
    void (*end)(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result);
};

/* By the output's format and compat. Never NULL. */
const struct weir_reporter *weir_reporter_of(const struct weir_output *output);

/* Our own block: what the dialect's format has no place for. Appended after its end, unless the
 * output is plain. */
void weir_report_trust(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result);

/* Appends what the backend told of its files, whole lines, as it may be shown. For phases that have
 * notes. */
void weir_report_notes(struct weir_text *text, const struct weir_phase_result *phase);

/* The whole report at once, from a finished result. */
void weir_report_whole(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result);

/* ---- IOR's file with the figures of each rank ---- */

/* Its first line. */
extern const char weir_rank_csv_header[];

/* A line for each rank of a phase; none for phases without a row in IOR's table, or once the rows
 * of the ranks are gone. */
void weir_rank_csv_rows(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_phase_result *phase);

/* ---- the result file: JSON lines; schema in docs/result-file.md ---- */

/* One line (with its newline) each. */
void weir_record_run(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result);
void weir_record_test(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test);
void weir_record_phase(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase);
void weir_record_end(struct weir_text *text, const struct weir_result *result);

/* Appends lines to a file and makes them stable before it returns. Runs that append to one file at
 * the same time take turns. */
int weir_record_append(int descriptor, const struct weir_text *text);

#define WEIR_RUN_ID_BYTES 17 /* 16 hexadecimal digits */

/* A run in a file, without what it found. */
struct weir_recorded_run {
    char id[WEIR_RUN_ID_BYTES]; /* "" in files of older versions */
    char dialect[16];           /* "ior", "net" */
    double begun_s;
    unsigned phase_count; /* of "net": measurements */
    bool has_ended;       /* else it was cut, or still goes on */
};

/* All runs of a file in the order in which they began, in `arena`. */
int weir_record_list(const char *path, struct weir_arena *arena, struct weir_recorded_run **runs,
                     unsigned *count, struct weir_error *error);

/* For `run` below: positions in the list, or the last one. Records of runs that were made at the
 * same time are told apart by their ids. */
#define WEIR_LAST_RUN UINT_MAX

/* What the plan of a run was made from, in `arena`; and its id. */
int weir_record_read_source(const char *path, unsigned run, struct weir_arena *arena,
                            struct weir_plan_source *source, char id[17], struct weir_error *error);

/* True if each phase of a run is one of the plan, by its number and what it does. Of another
 * version of weir the same words may give a plan with another id. */
bool weir_record_fits(const char *path, unsigned run, const struct weir_plan *plan);

/* A run as a result. Lines cut off by a crash are left out. */
int weir_record_read(const char *path, unsigned run, unsigned test_capacity,
                     struct weir_result **result, struct weir_error *error);

#endif
