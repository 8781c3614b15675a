/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of our block: what they are made from, and how a line of them is made. */
#ifndef WEIR_REPORT_TRUST_TABLES_H
#define WEIR_REPORT_TRUST_TABLES_H

#include "repetitions.h"

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>

/* The data of the tables. */
struct weir_trust_view {
    const struct weir_plan *plan;
    const struct weir_result *result;
    const struct weir_repetitions *phases;
    unsigned phase_count;
};

/* Adds one line with our name before it; control characters in names and messages do not begin
 * another. */
void weir_trust_line(struct weir_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds lines of at most 100 columns: `head`, then the sentence, broken before "->" or at blanks. */
void weir_trust_broken(struct weir_text *text, const char *head, const char *sentence);

/* Why a run without a phase that is to blame is PARTIAL; NULL = it is not. */
const char *weir_trust_end(const struct weir_result *result);

/* The phase of a line and its repetition: the first columns of every table.
 * Returns `buffer`. */
#define WEIR_TRUST_PHASE_HEADER "  test iter phase "
#define WEIR_TRUST_NAMES_HEADER "  test iter phase          " /* of phases on trees */
#define WEIR_TRUST_PHASE_BYTES 48
char *weir_trust_phase(const struct weir_repetitions *all, const char *iteration,
                       char buffer[WEIR_TRUST_PHASE_BYTES]);
char *weir_trust_repetition(const struct weir_repetitions *all,
                            const struct weir_phase_result *result,
                            char buffer[WEIR_TRUST_PHASE_BYTES]);

/* Is it told in operations, in the tables of work on names? Phases on trees are, and programs. */
bool weir_trust_counts_ops(const struct weir_phase *phase);

/* "write", "create files", "program FILE" */
void weir_trust_add_phase(struct weir_text *text, const struct weir_phase *phase);

/* A title and the names of the columns, before the first line. */
struct weir_trust_table {
    const char *title;
    const char *columns; /* NULL: the lines need none */
    bool is_begun;
};

/* Before each line of a table. */
void weir_trust_begin(struct weir_text *text, struct weir_trust_table *table);

/* Adds the lines of a phase, or of many as one, to a table. */
struct weir_trust_rows {
    struct weir_trust_table table;
    bool counts_ops; /* else it is of phases that move data */
    bool (*is_due)(const struct weir_phase_result *result); /* NULL: always */
    void (*add)(struct weir_text *text, const char *name, const struct weir_phase *phase,
                const struct weir_phase_result *result);
};

/* A table with a row for each repetition of each phase of its kind, or for all of a phase if they
 * are many. */
void weir_trust_rows(struct weir_text *text, const struct weir_trust_view *view,
                     struct weir_trust_rows rows);

/* ---- cells ---- */

/* ---- findings ---- */

/* Findings that are alike in several phases: one line for all of them, and which phases. In
 * `arena`.
 */
struct weir_trust_fold;
struct weir_trust_fold *weir_trust_fold(const struct weir_trust_view *view,
                                        struct weir_arena *arena);

/* Lines of findings and of outcomes, by weight: "LEVEL NAME PHASE: TEXT". */
struct weir_trust_facts {
    struct weir_text lines[WEIR_FINDING_WEIGHTS];
};

/* Adds the line of one finding. `fold` has the phases that it is alike in; NULL = this one alone.
 */
void weir_trust_fact(struct weir_trust_facts *facts, const struct weir_trust_view *view,
                     const struct weir_repetitions *all, const struct weir_phase_result *phase,
                     const struct weir_finding *finding, const struct weir_trust_fold *fold);

/* Adds the findings of a repetition, but for those that the line of an earlier one includes. */
void weir_trust_findings(struct weir_trust_facts *facts, const struct weir_trust_view *view,
                         const struct weir_repetitions *all, const struct weir_phase_result *phase,
                         const struct weir_trust_fold *folds);
void weir_trust_fold_close(struct weir_trust_fold *folds);

/* ---- the tables ---- */

/* Times of single transfers, and of the ranks. */
void weir_trust_times(struct weir_text *text, const struct weir_trust_view *view);

/* The same of phases that work on trees. */
void weir_trust_names(struct weir_text *text, const struct weir_trust_view *view);

/* The load: open loops, searches for a depth, limits that the system set. */
void weir_trust_load(struct weir_text *text, const struct weir_trust_view *view);

/* Residency of the data, traffic of devices and networks, and placement of the ranks. */
void weir_trust_places(struct weir_text *text, const struct weir_trust_view *view);

/* On which nodes, by which job, and in front of which storage. */
void weir_trust_environment(struct weir_text *text, const struct weir_trust_view *view);

#endif
