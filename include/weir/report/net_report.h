/* SPDX-License-Identifier: Apache-2.0 */
/* A net result as text: our own table, JSON, and lines that parsers of iperf and perftest read.
 * Pure functions of plan and result. */
#ifndef WEIR_REPORT_NET_REPORT_H
#define WEIR_REPORT_NET_REPORT_H

#include "weir/base/text.h"
#include "weir/flows/plan.h"
#include "weir/flows/result.h"

/* The lines before the first measurement; those of a measurement as soon as it is finished (none
 * in JSON); and those of the end. The three together are the report. */
void weir_net_report_begin(const struct weir_net_plan *plan, const struct weir_net_result *result,
                           struct weir_text *text);
void weir_net_report_measurement(const struct weir_net_plan *plan,
                                 const struct weir_net_result *result, uint32_t measurement,
                                 struct weir_text *text);
void weir_net_report_end(const struct weir_net_plan *plan, const struct weir_net_result *result,
                         struct weir_text *text);

struct weir_measured_run;

/* The verdict of a stored run, as text or as Markdown. */
void weir_net_report_verdict(struct weir_text *text, const struct weir_measured_run *run,
                             bool is_markdown);

/* ---- the result file: a line (with its newline) each; keys in docs/net.md ---- */

/* Before anything is measured; `host` has the host, the job and the nodes. */
void weir_net_record_run(struct weir_text *text, const struct weir_net_plan *plan,
                         const struct weir_net_result *result, const struct weir_result *host);
/* The network in use, and the ranks that use it: before the first measurement. */
void weir_net_record_network(struct weir_text *text, const struct weir_net_result *result);
void weir_net_record_measurement(struct weir_text *text, const struct weir_net_result *result,
                                 uint32_t measurement);
/* The figures over all measurements, and how the run ended. */
void weir_net_record_end(struct weir_text *text, const struct weir_net_plan *plan,
                         const struct weir_net_result *result);

#endif
