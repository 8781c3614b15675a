/* SPDX-License-Identifier: Apache-2.0 */
/* The reports that Parabench 1.0.0 ends with, and what our own have in common with them. */
#ifndef WEIR_REPORT_PARABENCH_ORIGINAL_H
#define WEIR_REPORT_PARABENCH_ORIGINAL_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

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
