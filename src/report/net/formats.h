/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of net reports, and what several of them need. */
#ifndef WEIR_REPORT_NET_FORMATS_H
#define WEIR_REPORT_NET_FORMATS_H

#include "weir/base/text.h"
#include "weir/flows/plan.h"
#include "weir/flows/result.h"

/* The arguments of all functions of a format. */
struct weir_net_view {
    const struct weir_net_plan *plan;
    const struct weir_net_result *result;
    struct weir_text *text;
};

/* Functions that are NULL have nothing to say. */
struct weir_net_format_ops {
    void (*begin)(const struct weir_net_view *view);
    void (*measurement)(const struct weir_net_view *view,
                        const struct weir_net_measurement *measurement);
    void (*end)(const struct weir_net_view *view);
};

extern const struct weir_net_format_ops weir_net_table_ops;
extern const struct weir_net_format_ops weir_net_json_ops;
extern const struct weir_net_format_ops weir_net_iperf_ops;
extern const struct weir_net_format_ops weir_net_perftest_ops;

/* The lines of the summary, in `arena`. */
struct weir_net_summary *weir_net_view_summary(const struct weir_net_view *view,
                                               struct weir_arena *arena, uint32_t *count);

/* The name of a rank's device or address, made visible: "-" if there is none. */
void weir_net_view_add_name(const struct weir_net_view *view, const char *name);

/* Findings, a line each behind `prefix`. */
void weir_net_view_add_findings(const struct weir_net_view *view, const char *prefix);

#endif
