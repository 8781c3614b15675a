/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect parabench: "parabench" (the three reports of the original, and our
 * tables unless the output is plain), "parabench labels" (our tables alone), and "parabench xml"
 * (the original's results.xml). */
#ifndef WEIR_REPORT_PARABENCH_PARABENCH_H
#define WEIR_REPORT_PARABENCH_PARABENCH_H

#include "dialect.h"

extern const struct weir_reporter weir_reporter_parabench;
extern const struct weir_reporter weir_reporter_parabench_labels;
extern const struct weir_reporter weir_reporter_parabench_xml;

#define WEIR_PARABENCH_LABELS_BEGIN "program "

/* Bytes/s from the first begin of any rank to the last end, and over the time of executions alone;
 * 0: no bytes, or that time is not known. */
double weir_parabench_label_rate(const struct weir_label_result *label);
double weir_parabench_inside_rate(const struct weir_label_result *label);

/* Each appends whole lines, for phases that have a program's result: the verdict, one line that
 * begins with WEIR_PARABENCH_LABELS_BEGIN; the parameters and groups with which it ran, a line if
 * there are any; the tables. */
void weir_parabench_verdict(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_phase_result *phase);
void weir_parabench_parameters(struct weir_text *text, const struct weir_plan *plan,
                               const struct weir_phase_result *phase);
void weir_parabench_labels(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_phase_result *phase);

#define WEIR_PARABENCH_OWN "weir parabench: " /* begins our lines among those of the original */

/* What a phase of the plan has done as a program; NULL: it is none, or was not begun. */
const struct weir_program_result *weir_parabench_program(const struct weir_plan *plan,
                                                         const struct weir_phase_result *phase);

/* Bytes/s of the calls of an event, and calls/s, over the time of the calls. */
double weir_parabench_bytes_per_s(const struct weir_program_event *event);
double weir_parabench_calls_per_s(const struct weir_program_event *event);

/* The Time Report, the Core Time Report and the Command Report, and, behind them, the times of the
 * run (looked at in its outputs). Of events the first 1000 of a kind; none of a run that was
 * interrupted. What is left out a line of ours tells. */
void weir_parabench_original(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_phase_result *phase);
void weir_parabench_summary(struct weir_text *text, const struct weir_program_result *program);

#endif
