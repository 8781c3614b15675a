/* SPDX-License-Identifier: Apache-2.0 */
/* Reports a run while it goes on: the live report, the result file, and progress on a terminal.
 * Rank 0 only. */
#ifndef WEIR_COMMANDS_RECORDER_H
#define WEIR_COMMANDS_RECORDER_H

#include "live.h"
#include "rank_csv_file.h"
#include "side_report.h"

#include "weir/engine/engine.h"
#include "weir/report/report.h"

#include <pthread.h>
#include <stdio.h>

struct weir_recorder {
    /* Held by the observer's functions while they work, and for good by the thread that ends the
     * run (weir_recorder_seize). */
    pthread_mutex_t lock;
    const struct weir_plan *plan;
    struct weir_result *result;
    const struct weir_resumption *resumption;
    const struct weir_reporter *reporter;
    const struct weir_remedy_word *words; /* of the present test's dialect; NULL: neutral ones */
    struct weir_text text;                /* not yet printed */
    /* Where warnings are errors and the report is not one for people: the plan with the dialect's
     * report in its place, of which only the warnings are counted. */
    struct weir_plan shadow;
    struct weir_text shadow_text;
    unsigned warning_count; /* lines that warn, in what was printed */
    FILE *out;              /* where the report goes; NULL until the first test begins */
    struct weir_rank_csv_file side;
    struct weir_record_file record;
    struct weir_spare_report spare;
    bool is_out_lost; /* standard output is closed, and the run goes on for its result file */
    struct weir_live live;
};

/* Prepares a recorder and the observer that feeds it. Nothing is opened or printed before a test
 * begins. `helper` runs commands of the plan's --on-phase (NULL = it has none), until *stop_signal
 * is set. Tests that the engine skips are those of which `resumption`, which must outlive the
 * result, has the records. */
void weir_recorder_open(struct weir_recorder *recorder, const struct weir_plan *plan,
                        struct weir_result *result, const struct weir_resumption *resumption,
                        struct weir_shell_helper *helper, const volatile sig_atomic_t *stop_signal,
                        struct weir_observer *observer);

/* Keeps the observer's functions from working any more, for a thread that is about to close the
 * recorder and end the process while the main thread may be in one of them. False if the main
 * thread does not return from one for some seconds: then the recorder must not be used. */
bool weir_recorder_seize(struct weir_recorder *recorder);

/* Refuses what could not be written later: the report, the result file, and files beside them, of
 * all tests. Makes and changes nothing. 0, or a usage error. Rank 0 only, before the run. */
int weir_recorder_check_files(const struct weir_plan *plan,
                              const struct weir_resumption *resumption, struct weir_error *error);

/* Number of lines of the report that warn, so far. */
unsigned weir_recorder_warnings(const struct weir_recorder *recorder);

/* Ends the report and the result file, and closes both. */
int weir_recorder_close(struct weir_recorder *recorder, struct weir_error *error);

#endif
