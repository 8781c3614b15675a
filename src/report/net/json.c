/* SPDX-License-Identifier: Apache-2.0 */
/* A net result as one JSON document: SI units, every measurement with its flows, and what the other
 * formats make of them. docs/net.md has the keys. */
#include "formats.h"
#include "json_fields.h"
#include "record/record.h"

#include "weir/base/version.h"
#include "weir/report/net_report.h"

/* ---- fields ---- */

#define PLAN(key, member, type) WEIR_JSON_FIELD(weir_net_plan, key, member, type)
#define RESULT(key, member, type) WEIR_JSON_FIELD(weir_net_result, key, member, type)
#define RANK(key, member, type) WEIR_JSON_FIELD(weir_net_rank, key, member, type)
#define FLOW(key, member, type) WEIR_JSON_FIELD(weir_net_flow_result, key, member, type)
#define MEASURED(key, member, ...) WEIR_JSON_FIELD(weir_net_measurement, key, member, __VA_ARGS__)
#define TOTALS(key, member, type) WEIR_JSON_FIELD(weir_net_totals, key, member, type)
#define INTERVAL(key, member, type) WEIR_JSON_FIELD(weir_net_interval, key, member, type)
#define SUMMARY(key, member, type) WEIR_JSON_FIELD(weir_net_summary, key, member, type)
#define PAIR(key, member, type) WEIR_JSON_FIELD(weir_net_odd_pair, key, member, type)

static const struct weir_json_field plan_fields[] = {
    PLAN("both_ways", is_both_ways, FLAG),
    PLAN("iterations", iterations, COUNT),
    PLAN("depth", depth, UNSIGNED),
    PLAN("in_flight_bytes", in_flight_bytes, COUNT),
    PLAN("batch", batch, UNSIGNED),
    PLAN("pairs", pairs, UNSIGNED),
    PLAN("signal_every", signal_every, UNSIGNED),
    PLAN("working_set_bytes", working_set_bytes, COUNT),
    PLAN("huge_pages", wants_huge_pages, FLAG),
    PLAN("repetitions", repetitions, UNSIGNED),
    PLAN("verify", must_verify, FLAG),
    {0},
};

/* Label and tags of the user; left out if there are none. */
static const struct weir_json_field name_fields[] = {
    WEIR_JSON_IF_ANY(weir_net_plan, "label", label, STRING),
    WEIR_JSON_FIELD(weir_net_plan, "tags", tags, PAIRS, .flags = WEIR_JSON_OMITTED,
                    WEIR_JSON_WHEN(weir_net_plan, tag_count),
                    WEIR_JSON_COUNT_IN(weir_net_plan, tag_count)),
    {0},
};

static const struct weir_json_field network_fields[] = {
    RESULT("provider", provider, TEXT),
    RESULT("transport", transport, TEXT),
    RESULT("library", library, TEXT),
    RESULT("mtu_bytes", mtu_bytes, UNSIGNED),
    RESULT("inline_bytes", inline_bytes, UNSIGNED),
    RESULT("read_depth", read_depth, UNSIGNED),
    RESULT("link_bits_per_s", link_bits_per_s, COUNT),
    RESULT("working_set_bytes", working_set_bytes, COUNT),
    RESULT("cache_bytes", cache_bytes, COUNT),
    RESULT("copy_bytes_per_s", copy_bytes_per_s, REAL),
    RESULT("ranks", rank_count, UNSIGNED),
    RESULT("nodes", node_count, UNSIGNED),
    {0},
};

static const struct weir_json_field rank_fields[] = {
    RANK("host", host, TEXT),
    RANK("device", device, TEXT),
    RANK("address", address, TEXT),
    RANK("numa_node", numa_node, PLACE),
    RANK("mtu_bytes", mtu_bytes, UNSIGNED),
    RANK("buffer_bytes", buffer_bytes, COUNT),
    RANK("huge_page_bytes", huge_page_bytes, KNOWN),
    {0},
};

static const struct weir_json_field flow_fields[] = {
    FLOW("source", source, UNSIGNED),
    FLOW("sink", sink, UNSIGNED),
    FLOW("messages", message_count, COUNT),
    FLOW("bytes", byte_count, COUNT),
    FLOW("begin_s", begin_s, REAL),
    FLOW("seconds", seconds, REAL),
    FLOW("peak_bytes_per_s", peak_bytes_per_s, REAL),
    FLOW("latency_min_s", latency_min_s, REAL),
    FLOW("latency_median_s", latency_median_s, REAL),
    FLOW("latency_max_s", latency_max_s, REAL),
    FLOW("wrong_messages", wrong_count, COUNT),
    FLOW("retransmits", retransmit_count, KNOWN),
    FLOW("failure", failure, STRING),
    {0},
};

static const struct weir_json_field totals_fields[] = {
    TOTALS("flows", flow_count, UNSIGNED),
    TOTALS("failed", failed_count, UNSIGNED),
    TOTALS("within_hosts", inside_count, UNSIGNED),
    TOTALS("messages", message_count, COUNT),
    TOTALS("wrong_messages", wrong_count, COUNT),
    TOTALS("retransmits", retransmit_count, KNOWN),
    TOTALS("slowest_bytes_per_s", slowest_bytes_per_s, REAL),
    TOTALS("fastest_bytes_per_s", fastest_bytes_per_s, REAL),
    TOTALS("peak_bytes_per_s", peak_bytes_per_s, REAL),
    TOTALS("p1", first_percentile, REAL),
    TOTALS("median", median, REAL),
    TOTALS("p99", last_percentile, REAL),
    TOTALS("odd", odd_count, UNSIGNED),
    {0},
};

static json_t *write_totals(const void *values)
{
    const struct weir_net_totals *totals = ((const struct weir_net_measurement *)values)->totals;

    return totals != NULL ? weir_json_object(totals_fields, totals) : json_null();
}

static json_t *write_latency(const void *values)
{
    const struct weir_histogram *latency = ((const struct weir_net_measurement *)values)->latency;

    return latency && latency->total > 0 ? weir_json_object(weir_record_histogram_fields, latency)
                                         : json_null();
}

static const struct weir_json_field measurement_fields[] = {
    MEASURED("round", round, UNSIGNED),
    MEASURED("repetition", repetition, UNSIGNED),
    MEASURED("alone", is_alone, FLAG),
    MEASURED("message_bytes", message_bytes, COUNT),
    MEASURED("begun_s", begun_s, REAL),
    MEASURED("seconds", seconds, REAL),
    MEASURED("overlap_s", common_s, REAL),
    MEASURED("bytes_per_s", bytes_per_s, REAL),
    MEASURED("cpu_s", cpu_s, REAL),
    MEASURED("latency_is_bound", is_latency_bound, FLAG),
    MEASURED("flows", flows, VECTOR, WEIR_JSON_OF(flow_fields, weir_net_flow_result),
             WEIR_JSON_COUNT_IN(weir_net_measurement, flow_count)),
    MEASURED("totals", totals, OWN, .write = write_totals),
    MEASURED("latency", latency, OWN, .write = write_latency),
    {0},
};

static const struct weir_json_field interval_fields[] = {
    INTERVAL("measurement", measurement, UNSIGNED),
    INTERVAL("flow", flow, UNSIGNED),
    INTERVAL("begin_s", begin_s, REAL),
    INTERVAL("end_s", end_s, REAL),
    INTERVAL("bytes", byte_count, COUNT),
    {0},
};

static const struct weir_json_field summary_fields[] = {
    SUMMARY("message_bytes", message_bytes, COUNT),
    SUMMARY("messages", message_count, COUNT),
    SUMMARY("seconds", seconds, REAL),
    SUMMARY("bytes_per_s", bytes_per_s, REAL),
    SUMMARY("bytes_per_s_min", bytes_per_s_min, REAL),
    SUMMARY("bytes_per_s_max", bytes_per_s_max, REAL),
    SUMMARY("peak_bytes_per_s", peak_bytes_per_s, REAL),
    SUMMARY("messages_per_s", messages_per_s, REAL),
    SUMMARY("flow_bytes_per_s_min", flow_bytes_per_s_min, REAL),
    SUMMARY("flow_bytes_per_s_max", flow_bytes_per_s_max, REAL),
    SUMMARY("alone_bytes_per_s", alone_bytes_per_s, REAL),
    SUMMARY("cpu_cores", cpu_cores, REAL),
    {0},
};

static const struct weir_json_field pair_fields[] = {
    PAIR("source", source, UNSIGNED),
    PAIR("sink", sink, UNSIGNED),
    PAIR("value", value, REAL),
    PAIR("median", median, REAL),
    {0},
};

/* ---- objects ---- */

static json_t *word(const char *text)
{
    return text ? weir_json_exact(text) : json_null();
}

static json_t *sizes_of(const struct weir_net_plan *plan)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < plan->size_count; i++)
        json_array_append_new(list, json_integer((json_int_t)plan->sizes[i]));
    return list;
}

static json_t *plan_of(const struct weir_net_plan *plan)
{
    json_t *object = json_object();

    json_object_set_new(object, "measure", word(weir_net_measure_name(plan->measure)));
    json_object_set_new(object, "pattern", word(weir_net_pattern_name(plan->pattern)));
    json_object_set_new(object, "verb", word(weir_net_verb_name(plan->verb)));
    json_object_set_new(object, "sizes", sizes_of(plan));
    json_object_set_new(object, "duration_s", weir_json_number((double)plan->duration_ns / 1e9));
    json_object_set_new(object, "warm_up_s", weir_json_number((double)plan->warm_up_ns / 1e9));
    weir_json_put(object, plan_fields, plan);
    return object;
}

/* ---- what is derived ---- */

static json_t *latency_of(const struct weir_net_summary *line)
{
    static const char *const keys[WEIR_NET_LATENCY_COUNT] = {
        [WEIR_NET_LATENCY_MIN] = "min_s",       [WEIR_NET_LATENCY_MEAN] = "mean_s",
        [WEIR_NET_LATENCY_MEDIAN] = "median_s", [WEIR_NET_LATENCY_P90] = "p90_s",
        [WEIR_NET_LATENCY_P99] = "p99_s",       [WEIR_NET_LATENCY_P999] = "p999_s",
        [WEIR_NET_LATENCY_MAX] = "max_s",       [WEIR_NET_LATENCY_STDDEV] = "stddev_s",
    };
    json_t *object;

    if (line->latency_s[WEIR_NET_LATENCY_MAX] <= 0)
        return json_null();
    object = json_object();
    for (unsigned i = 0; i < WEIR_NET_LATENCY_COUNT; i++)
        if (weir_net_latency_is_known(i, line->message_count))
            json_object_set_new(object, keys[i], weir_json_number(line->latency_s[i]));
    json_object_set_new(object, "is_bound", json_boolean(line->is_latency_bound));
    return object;
}

/* A row for each source; null where there is no flow, or no matrix. */
static json_t *matrix_of(const struct weir_net_result *result, uint64_t message_bytes)
{
    size_t cell_count = (size_t)result->rank_count * result->rank_count;
    struct weir_arena arena = {0};
    double *matrix;
    json_t *rows;

    if (result->kept_flow_count > 0)
        return json_null();
    matrix = weir_arena_take(&arena, (cell_count + 1) * sizeof *matrix);
    rows = json_array();
    weir_net_result_matrix(result, message_bytes, matrix);
    for (uint32_t i = 0; i < result->rank_count; i++) {
        json_t *row = json_array();

        for (uint32_t j = 0; j < result->rank_count; j++) {
            double value = matrix[i * result->rank_count + j];

            json_array_append_new(row, value > 0 ? weir_json_number(value) : json_null());
        }
        json_array_append_new(rows, row);
    }
    weir_arena_close(&arena);
    return rows;
}

static json_t *odd_pairs_of(const struct weir_net_result *result, uint64_t message_bytes)
{
    uint32_t count = weir_net_result_odd_pairs(result, message_bytes, NULL, 0);
    struct weir_arena arena = {0};
    struct weir_net_odd_pair *odd = weir_arena_take(&arena, (count + 1) * sizeof *odd);
    json_t *list;

    weir_net_result_odd_pairs(result, message_bytes, odd, count);
    list = weir_json_list(pair_fields, odd, sizeof *odd, count);
    weir_arena_close(&arena);
    return list;
}

static json_t *line_of(const struct weir_net_result *result, const struct weir_net_summary *line)
{
    json_t *object = weir_json_object(summary_fields, line);

    json_object_set_new(object, "latency", latency_of(line));
    json_object_set_new(object, "matrix", matrix_of(result, line->message_bytes));
    json_object_set_new(object, "odd_pairs", odd_pairs_of(result, line->message_bytes));
    return object;
}

static json_t *summary_of(const struct weir_net_view *view)
{
    struct weir_arena arena = {0};
    uint32_t count;
    struct weir_net_summary *lines = weir_net_view_summary(view, &arena, &count);
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, line_of(view->result, &lines[i]));
    weir_arena_close(&arena);
    return list;
}

/* ---- the parts of the document, which are records of the result file as well ---- */

static void put_network(json_t *object, const struct weir_net_result *result)
{
    json_object_set_new(object, "network", weir_json_object(network_fields, result));
    json_object_set_new(object, "ranks",
                        weir_json_list(rank_fields, result->ranks, sizeof *result->ranks,
                                       result->ranks ? result->rank_count : 0));
}

static void put_conclusion(json_t *object, const struct weir_net_view *view)
{
    const struct weir_net_result *result = view->result;

    json_object_set_new(object, "finished_s", weir_json_number(result->finished_s));
    json_object_set_new(object, "summary", summary_of(view));
    json_object_set_new(object, "intervals",
                        weir_json_list(interval_fields, result->intervals,
                                       sizeof *result->intervals, result->interval_count));
    json_object_set_new(object, "findings",
                        weir_json_list(weir_record_finding_fields, result->findings,
                                       sizeof *result->findings, result->finding_count));
    json_object_set_new(object, "believed", json_string(weir_believed_names[result->believed]));
    /* Unless --measure named something else. */
    json_object_set_new(object, "measured",
                        json_string(result->believed_as == WEIR_MEASURE_STORAGE
                                        ? "network"
                                        : weir_measure_names[result->believed_as]));
    json_object_set_new(object, "is_interrupted", json_boolean(result->is_interrupted));
    json_object_set_new(object, "has_failed", json_boolean(result->has_failed));
    json_object_set_new(object, "exit_code", json_integer(result->exit_code));
    json_object_set_new(object, "exit_reason",
                        result->exit_reason != NULL ? weir_json_readable(result->exit_reason)
                                                    : json_null());
}

/* ---- the document ---- */

static json_t *document_of(const struct weir_net_view *view)
{
    json_t *document = json_object();

    json_object_set_new(document, "format", json_string("weir-net 1"));
    json_object_set_new(document, "version", json_string(WEIR_VERSION));
    json_object_set_new(document, "command_line", word(view->plan->command_line));
    json_object_set_new(document, "begun_s", weir_json_number(view->result->begun_s));
    json_object_set_new(document, "plan", plan_of(view->plan));
    put_network(document, view->result);
    json_object_set_new(document, "measurements",
                        weir_json_list(measurement_fields, view->result->measurements,
                                       sizeof *view->result->measurements,
                                       view->result->measurement_count));
    put_conclusion(document, view);
    return document;
}

static void end(const struct weir_net_view *view)
{
    weir_json_add(view->text, document_of(view), JSON_INDENT(1));
}

const struct weir_net_format_ops weir_net_json_ops = {.end = end};

/* ---- records ---- */

void weir_net_record_run(struct weir_text *text, const struct weir_net_plan *plan,
                         const struct weir_net_result *result, const struct weir_result *host)
{
    json_t *record = weir_record_of("run", result->run_id);

    weir_record_put_build(record);
    json_object_set_new(record, "dialect", json_string("net"));
    json_object_set_new(record, "command_line", word(plan->command_line));
    json_object_set_new(record, "plan", plan_of(plan));
    weir_json_put(record, name_fields, plan);
    weir_json_put(record, weir_record_run_fields, host);
    json_object_del(record, "clock");
    json_object_set_new(record, "begun_s", weir_json_number(result->begun_s));
    weir_record_add_line(text, record);
}

void weir_net_record_network(struct weir_text *text, const struct weir_net_result *result)
{
    json_t *record = weir_record_of("network", result->run_id);

    put_network(record, result);
    weir_record_add_line(text, record);
}

void weir_net_record_measurement(struct weir_text *text, const struct weir_net_result *result,
                                 uint32_t measurement)
{
    json_t *record = weir_record_of("measurement", result->run_id);

    weir_json_put(record, measurement_fields, &result->measurements[measurement]);
    weir_record_add_line(text, record);
}

void weir_net_record_end(struct weir_text *text, const struct weir_net_plan *plan,
                         const struct weir_net_result *result)
{
    const struct weir_net_view view = {plan, result, text};
    json_t *record = weir_record_of("end", result->run_id);

    put_conclusion(record, &view);
    weir_record_add_line(text, record);
}
