/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of IOR's reports, by IOR's definitions, whatever the format. */
#ifndef WEIR_REPORT_FIGURES_H
#define WEIR_REPORT_FIGURES_H

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_KIB 1024.0
#define WEIR_MIB 1048576.0
#define WEIR_GIB 1073741824.0

/* The plan's words for a phase that ran. NULL if the plan's test has no such phase: a result file
 * may hold anything. */
const struct weir_phase *weir_figures_phase(const struct weir_plan *plan,
                                            const struct weir_phase_result *result);

/* Phases that dialects time and show: writes, reads, our mixes of both, work on trees, and
 * programs, if they are complete, or did something before they failed, and of the last two, if they
 * did anything; a check of
 * what was written is not among them, nor is a fill before the write. */
bool weir_figures_has_row(const struct weir_plan *plan, const struct weir_phase_result *result);

/* Did operations of it fail, so that its rate is not that of what was asked for? */
bool weir_figures_has_failed(const struct weir_phase_result *result);

/* False of a run that failed before its first row: like IOR's, it has no summary, and does not say
 * that it has finished. */
bool weir_figures_has_end(const struct weir_plan *plan, const struct weir_result *result);

/* Removals that were begun; shown at -v only. */
bool weir_figures_has_removal(const struct weir_plan *plan, const struct weir_phase_result *result);

/* 0 where there is no time, or no finite quotient. */
double weir_figures_rate(double amount, double seconds);

/* Part of a whole in per cent; 0 where there is no whole, or no finite quotient: a result file may
 * be damaged. */
double weir_figures_percent(double part, double whole);

/* True if wear-out went on after a deadline, so that the stonewall is worth a line. For phases
 * that have a row. */
bool weir_figures_has_wear_out(const struct weir_plan *plan,
                               const struct weir_phase_result *result);

/* One line of the table. */
struct weir_ior_row {
    const char *access;
    double mib_per_s; /* bytes moved / total */
    double ops_per_s; /* whole transfers / transfer window */
    double latency_s;
    double block_kib;
    double transfer_kib;
    struct weir_windows windows;
};

struct weir_ior_row weir_figures_row(const struct weir_plan *plan,
                                     const struct weir_phase_result *result);

/* ---- phases that work on trees ---- */

/* One rank does the work of all. */
bool weir_figures_is_of_one_rank(const struct weir_phase *phase);

/* Operations of a rank, as many as that one did which did the fewest; where one rank works for all,
 * all of them. A chain of renames counts once for each item. */
double weir_figures_rank_ops(const struct weir_phase *phase,
                             const struct weir_phase_result *result);

/* The rate of all ranks, by mdtest's definition: those operations times the ranks, over the whole
 * window. */
double weir_figures_ops_per_s(const struct weir_phase *phase,
                              const struct weir_phase_result *result);

/* Part of the window, in per cent, that ranks spent on average waiting for those that began or
 * ended later: what is not the time of their operations. 0 where one rank works for all. */
double weir_figures_waiting(const struct weir_phase *phase, const struct weir_phase_result *result);

/* ---- over repetitions ---- */

/* Repetitions of a test that were asked for; with --until-interval, those that ran. */
uint64_t weir_figures_repetitions(const struct weir_result *result, const struct weir_test *test);

struct weir_spread {
    double max;
    double min;
    double mean;
    double stddev; /* of the population */
};

/* There is at least one value. */
struct weir_spread weir_figures_spread(const struct weir_sums *all);

/* One line of the summary: a verb of a test over its complete repetitions, or, if there is none,
 * over what interrupted ones moved. What failed is never in it. */
struct weir_ior_summary {
    unsigned count;       /* repetitions that are in it */
    uint64_t repetitions; /* that were asked for; of a test that failed or was cut: `count` */
    struct weir_spread mib_per_s;
    struct weir_spread ops_per_s; /* by total time, other than in the table */
    double mean_s;
    uint64_t first_bytes; /* moved in the first of them */
    bool has_stonewall;
    double stonewall_s;         /* mean */
    double stonewall_mib_per_s; /* of one rank, mean */
};

/* False, and an untouched summary, if the verb has no row. */
bool weir_figures_summary(const struct weir_plan *plan, const struct weir_result *result,
                          const struct weir_test *test, enum weir_verb verb,
                          struct weir_ior_summary *summary);

#define WEIR_DATE_BYTES 80 /* six numbers of struct tm, whatever they hold */

/* Seconds since 1970 as ctime(3) prints them, in local time and without a line end: "Sat Nov 21
 * 00:01:41 2026". Returns `buffer`. */
char *weir_date_format(double seconds, char buffer[WEIR_DATE_BYTES]);

/* In local time, as mdtest prints it: "11/21/2026 00:01:41". Returns `buffer`. */
char *weir_date_format_american(double seconds, char buffer[WEIR_DATE_BYTES]);

/* The same as "2026-11-21 00:01:41". */
char *weir_date_format_iso(double seconds, char buffer[WEIR_DATE_BYTES]);

/* In UTC, as "2026-11-21T00:01:41.250Z"; "" for 0, which is no date. Returns `buffer`. */
char *weir_date_format_utc(double seconds, char buffer[WEIR_DATE_BYTES]);

#endif
