/* SPDX-License-Identifier: Apache-2.0 */
/* A net result as text: the format that the plan asks for. */
#include "weir/report/net_report.h"

#include "formats.h"

#include <assert.h>

static const struct weir_net_format_ops *ops_of(const struct weir_net_plan *plan)
{
    static const struct weir_net_format_ops of_data = {0}; /* printed from records of the run */
    static const struct weir_net_format_ops *const formats[] = {
        [WEIR_NET_TABLE] = &weir_net_table_ops, [WEIR_NET_JSON] = &weir_net_json_ops,
        [WEIR_NET_IPERF] = &weir_net_iperf_ops, [WEIR_NET_PERFTEST] = &weir_net_perftest_ops,
        [WEIR_NET_CSV_LONG] = &of_data,         [WEIR_NET_JSON_LONG] = &of_data,
    };

    assert((size_t)plan->format < sizeof formats / sizeof *formats);
    return formats[plan->format];
}

void weir_net_report_begin(const struct weir_net_plan *plan, const struct weir_net_result *result,
                           struct weir_text *text)
{
    struct weir_net_view view = {plan, result, text};

    if (ops_of(plan)->begin)
        ops_of(plan)->begin(&view);
}

void weir_net_report_measurement(const struct weir_net_plan *plan,
                                 const struct weir_net_result *result, uint32_t measurement,
                                 struct weir_text *text)
{
    struct weir_net_view view = {plan, result, text};

    assert(measurement < result->measurement_count);
    if (ops_of(plan)->measurement)
        ops_of(plan)->measurement(&view, &result->measurements[measurement]);
}

void weir_net_report_end(const struct weir_net_plan *plan, const struct weir_net_result *result,
                         struct weir_text *text)
{
    struct weir_net_view view = {plan, result, text};

    if (ops_of(plan)->end)
        ops_of(plan)->end(&view);
}

struct weir_net_summary *weir_net_view_summary(const struct weir_net_view *view,
                                               struct weir_arena *arena, uint32_t *count)
{
    uint32_t capacity = view->result->measurement_count;
    struct weir_net_summary *lines = weir_arena_take(arena, (capacity + 1) * sizeof *lines);

    *count = weir_net_result_summarise(view->result, lines, capacity);
    return lines;
}

void weir_net_view_add_name(const struct weir_net_view *view, const char *name)
{
    weir_text_add_visible(view->text, name[0] ? name : "-");
}

void weir_net_view_add_findings(const struct weir_net_view *view, const char *prefix)
{
    const struct weir_net_result *result = view->result;
    const struct weir_finding *finding = NULL;

    while ((finding = weir_finding_next(result->findings, result->finding_count, finding)) !=
           NULL) {
        if (finding->explained_by != NULL)
            continue;
        weir_text_add(view->text, "%s%s %s: ", prefix, weir_severity_names[finding->severity],
                      finding->name);
        weir_text_add_visible(view->text, finding->text);
        weir_text_add(view->text, "\n");
    }
}
