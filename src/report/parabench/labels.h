/* SPDX-License-Identifier: Apache-2.0 */
/* Our tables of a program: labels over all ranks and executions, commands, and what failed. */
#ifndef WEIR_REPORT_PARABENCH_LABELS_H
#define WEIR_REPORT_PARABENCH_LABELS_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

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

#endif
