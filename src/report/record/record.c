/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the result file: a run, its tests and its phases as JSON lines. */
#include "record.h"

#include "ior/figures.h"

#include "weir/base/version.h"
#include "weir/report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the shape ---- */

#define END_OF_FIELDS                                                                              \
    {                                                                                              \
        .key = NULL                                                                                \
    }

const struct weir_json_field weir_record_host_fields[] = {
    WEIR_JSON_FIELD(weir_host_facts, "system", system, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "node", node, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "release", release, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "version", version, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_host_facts, "machine", machine, WEIR_JSON_TEXT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_test_fields[] = {
    WEIR_JSON_FIELD(weir_test_result, "test", test, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_test_result, "begun_s", begun_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_test_result, "ranks", rank_count, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_test_result, "nodes", node_count, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_test_result, "ranks_per_node", ranks_per_node, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_test_result, "path", path, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_test_result, "existing_files", existing_count, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_test_result, "existing_path", existing_path, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_test_result, "no_room", no_room, WEIR_JSON_TEXT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_filesystem_fields[] = {
    WEIR_JSON_FIELD(weir_filesystem_facts, "type", type, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_filesystem_facts, "bytes_total", bytes_total, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_filesystem_facts, "bytes_used", bytes_used, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_filesystem_facts, "inodes_total", inodes_total, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_filesystem_facts, "inodes_used", inodes_used, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_phase_fields[] = {
    WEIR_JSON_FIELD(weir_phase_result, "test", test, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "phase", phase, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "repetition", repetition, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "interrupted", is_interrupted, WEIR_JSON_FLAG),
    WEIR_JSON_FIELD(weir_phase_result, "begun_s", begun_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "ranks", rank_count, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "nodes", node_count, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "near_ranks", near_rank_count, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "ops", op_count, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "bytes", byte_count, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "expected_bytes", expected_bytes, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "differing_sizes", has_differing_sizes, WEIR_JSON_FLAG),
    WEIR_JSON_FIELD(weir_phase_result, "unlogged_ops", unlogged_ops, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "short_transfers", short_count, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "errors", error_count, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "failure", failure, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_phase_result, "generation", generation, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "data_seed", data_seed, WEIR_JSON_SEED),
    WEIR_JSON_FIELD(weir_phase_result, "order_seed", order_seed, WEIR_JSON_SEED),
    WEIR_JSON_FIELD(weir_phase_result, "common_s", common_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "op_s_min", op_s_min, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "data_share", data_share, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "overlapped_data_share", overlapped_data_share,
                    WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "storage_s", storage_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "blocked_transfers", blocked_count, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_phase_result, "depth", depth, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "batch", batch, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_phase_result, "outlier_count", outlier_count, WEIR_JSON_UNSIGNED),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_windows_fields[] = {
    WEIR_JSON_FIELD(weir_windows, "open_s", open_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_windows, "transfer_s", transfer_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_windows, "close_s", close_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_windows, "total_s", total_s, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_spread_fields[] = {
    WEIR_JSON_FIELD(weir_phase_result, "min_s", rank_s_min, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "mean_s", rank_s_mean, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "max_s", rank_s_max, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "stddev_s", rank_s_stddev, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_slow_rank_fields[] = {
    WEIR_JSON_FIELD(weir_slow_rank, "rank", rank, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_slow_rank, "host", host, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_slow_rank, "seconds", seconds, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_outlier_fields[] = {
    WEIR_JSON_FIELD(weir_outlier, "rank", rank, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_outlier, "host", host, WEIR_JSON_TEXT),
    WEIR_JSON_FIELD(weir_outlier, "value_s", value_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_outlier, "mean_s", mean_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_outlier, "stddev_s", stddev_s, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_cpu_fields[] = {
    WEIR_JSON_FIELD(weir_phase_result, "user_s", cpu_user_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_phase_result, "system_s", cpu_system_s, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_depth_point_fields[] = {
    WEIR_JSON_FIELD(weir_depth_point, "depth", depth, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_depth_point, "ops_per_s", ops_per_s, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_pace_fields[] = {
    WEIR_JSON_FIELD(weir_pace_result, "asked_per_s", asked_per_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_pace_result, "offered_s", offered_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_pace_result, "end_lag_s", end_lag_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_pace_result, "max_lag_s", max_lag_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_pace_result, "max_backlog", max_backlog, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_stonewall_fields[] = {
    WEIR_JSON_FIELD(weir_stonewall, "hit", is_hit, WEIR_JSON_FLAG),
    WEIR_JSON_FIELD(weir_stonewall, "ops_min", ops_min, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_stonewall, "ops_max", ops_max, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_stonewall, "seconds", seconds, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_stonewall, "bytes_min", bytes_min, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_stonewall, "bytes_mean", bytes_mean, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_clock_fields[] = {
    WEIR_JSON_FIELD(weir_clock_quality, "cross_node", is_cross_node, WEIR_JSON_FLAG),
    WEIR_JSON_FIELD(weir_clock_quality, "offset_s", offset_s, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_clock_quality, "drift_ppm", drift_ppm, WEIR_JSON_REAL),
    WEIR_JSON_FIELD(weir_clock_quality, "error_s", error_s, WEIR_JSON_REAL),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_verification_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch_log, "checked_transfers", checked_transfers, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_mismatch_log, "wrong_transfers", wrong_transfers, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_mismatch_log, "wrong_bytes", wrong_bytes, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_mismatch_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch, "file", file_number, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "offset", offset, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "bytes", bytes, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "writer", writer, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "reader", reader, WEIR_JSON_UNSIGNED),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_found_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch, "file", found_file, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "offset", found_offset, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_mismatch, "writer", found_writer, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "generation", found_generation, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_found_writer_fields[] = {
    WEIR_JSON_FIELD(weir_mismatch, "file", found_file, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "writer", found_writer, WEIR_JSON_UNSIGNED),
    WEIR_JSON_FIELD(weir_mismatch, "generation", found_generation, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

const struct weir_json_field weir_record_histogram_fields[] = {
    WEIR_JSON_FIELD(weir_histogram, "total", total, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_histogram, "sum_ns", sum_ns, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_histogram, "min_ns", min_ns, WEIR_JSON_COUNT),
    WEIR_JSON_FIELD(weir_histogram, "max_ns", max_ns, WEIR_JSON_COUNT),
    END_OF_FIELDS,
};

const char *const weir_record_outcomes[3] = {
    [WEIR_OUTCOME_COMPLETE] = "complete",
    [WEIR_OUTCOME_PARTIAL] = "partial",
    [WEIR_OUTCOME_SKIPPED] = "skipped",
};

const char *const weir_record_severities[2] = {
    [WEIR_NOTE] = "note",
    [WEIR_WARNING] = "warning",
};

const char *const weir_record_outlier_kinds[WEIR_OUTLIER_KINDS] = {
    [WEIR_OUTLIER_START] = "start",       [WEIR_OUTLIER_OPEN] = "open",
    [WEIR_OUTLIER_TRANSFER] = "transfer", [WEIR_OUTLIER_CLOSE] = "close",
    [WEIR_OUTLIER_END] = "end",
};

/* ---- pieces of a phase ---- */

static json_t *object_of(const struct weir_json_field *fields, const void *values)
{
    json_t *object = json_object();

    weir_json_put(object, fields, values);
    return object;
}

static json_t *slowest_of(const struct weir_phase_result *phase)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < phase->slowest_count; i++)
        json_array_append_new(list, object_of(weir_record_slow_rank_fields, &phase->slowest[i]));
    return list;
}

static json_t *outliers_of(const struct weir_phase_result *phase)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < phase->outlier_count && i < WEIR_OUTLIERS_KEPT; i++) {
        const struct weir_outlier *outlier = &phase->outliers[i];
        json_t *object = json_object();

        json_object_set_new(object, "kind", json_string(weir_record_outlier_kinds[outlier->kind]));
        weir_json_put(object, weir_record_outlier_fields, outlier);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *mismatch_of(const struct weir_mismatch *mismatch)
{
    const char *kind = weir_mismatch_name((enum weir_mismatch_kind)mismatch->kind);
    json_t *object = json_object();

    json_object_set_new(object, "kind", json_string(kind));
    weir_json_put(object, weir_record_mismatch_fields, mismatch);
    if (mismatch->has_found == WEIR_FOUND_PLACE)
        json_object_set_new(object, "found", object_of(weir_record_found_fields, mismatch));
    else if (mismatch->has_found == WEIR_FOUND_WRITER)
        json_object_set_new(object, "found", object_of(weir_record_found_writer_fields, mismatch));
    return object;
}

static json_t *verification_of(const struct weir_mismatch_log *log)
{
    json_t *object = object_of(weir_record_verification_fields, log);
    json_t *kinds = json_object();
    json_t *first = json_array();

    for (unsigned i = 0; i < WEIR_MISMATCH_KIND_COUNT; i++)
        if (log->kinds[i] > 0)
            json_object_set_new(kinds, weir_mismatch_name((enum weir_mismatch_kind)i),
                                json_integer((json_int_t)log->kinds[i]));
    for (uint64_t i = 0; i < log->kept; i++)
        json_array_append_new(first, mismatch_of(&log->first[i]));
    json_object_set_new(object, "kinds", kinds);
    json_object_set_new(object, "first", first);
    return object;
}

json_t *weir_record_findings(const struct weir_finding *findings, unsigned count,
                             json_t *(*write)(const char *text))
{
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++) {
        json_t *object = json_object();

        json_object_set_new(object, "severity",
                            json_string(weir_record_severities[findings[i].severity]));
        json_object_set_new(object, "name", json_string(findings[i].name));
        json_object_set_new(object, "text", write(findings[i].text));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *depth_curve_of(const struct weir_depth_curve *curve)
{
    json_t *list;

    if (curve->count == 0)
        return json_null();
    list = json_array();
    for (unsigned i = 0; i < curve->count; i++)
        json_array_append_new(list, object_of(weir_record_depth_point_fields, &curve->points[i]));
    return list;
}

static json_t *shortfall_of(const struct weir_phase_result *phase)
{
    json_t *object;

    if (!phase->shortfall)
        return json_null();
    object = json_object();
    json_object_set_new(object, "text", weir_json_exact(phase->shortfall));
    json_object_set_new(object, "ranks", json_integer(phase->shortfall_rank_count));
    return object;
}

static bool is_open_loop(const struct weir_phase_result *phase)
{
    return phase->pace.asked_per_s > 0.0;
}

/* How the load was made, and what the session was like that it went through. */
static void put_load(json_t *object, const struct weir_phase_result *phase)
{
    json_object_set_new(object, "cpu", object_of(weir_record_cpu_fields, phase));
    json_object_set_new(object, "depth_curve", depth_curve_of(&phase->depth_curve));
    json_object_set_new(object, "pace",
                        is_open_loop(phase) ? object_of(weir_record_pace_fields, &phase->pace)
                                            : json_null());
    json_object_set_new(object, "granted",
                        phase->granted ? weir_json_exact(phase->granted) : json_null());
    json_object_set_new(object, "shortfall", shortfall_of(phase));
}

json_t *weir_record_phase_object(const struct weir_plan *plan,
                                 const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    json_t *object = json_object();

    json_object_set_new(object, "verb", json_string(weir_verb_name(planned->verb)));
    json_object_set_new(object, "check", json_boolean(planned->is_check));
    json_object_set_new(object, "prefill", json_boolean(planned->is_prefill));
    json_object_set_new(object, "outcome", json_string(weir_record_outcomes[phase->outcome]));
    weir_json_put(object, weir_record_phase_fields, phase);
    json_object_set_new(object, "file_bytes",
                        phase->file_bytes == UINT64_MAX
                            ? json_null()
                            : json_integer((json_int_t)phase->file_bytes));
    json_object_set_new(object, "windows", object_of(weir_record_windows_fields, &phase->windows));
    json_object_set_new(object, "rank_s", object_of(weir_record_spread_fields, phase));
    put_load(object, phase);
    json_object_set_new(object, "slowest", slowest_of(phase));
    json_object_set_new(object, "outliers", outliers_of(phase));
    json_object_set_new(object, "stonewall",
                        phase->stonewall.has_deadline
                            ? object_of(weir_record_stonewall_fields, &phase->stonewall)
                            : json_null());
    json_object_set_new(object, "clock", object_of(weir_record_clock_fields, &phase->clock));
    json_object_set_new(object, "verification", verification_of(&phase->mismatches));
    weir_record_put_cache(object, phase);
    if (phase->notes)
        json_object_set_new(object, "notes", weir_json_exact(phase->notes));
    json_object_set_new(
        object, "findings",
        weir_record_findings(phase->findings, phase->finding_count, weir_json_exact));
    return object;
}

static json_t *histogram_of(const struct weir_histogram *histogram)
{
    json_t *object;
    json_t *buckets;

    if (!histogram)
        return json_null();
    object = object_of(weir_record_histogram_fields, histogram);
    buckets = json_array();
    assert(histogram->first == 0);
    for (unsigned i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++)
        if (histogram->counts[i] > 0)
            json_array_append_new(buckets,
                                  json_pack("[I,I]", (json_int_t)weir_histogram_bucket_low(i),
                                            (json_int_t)histogram->counts[i]));
    json_object_set_new(object, "buckets", buckets);
    return object;
}

static json_t *intervals_of(const uint64_t *values, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)values[i]));
    return list;
}

static json_t *series_of(const struct weir_phase_result *phase)
{
    const struct weir_series *series = phase->series;
    json_t *object;

    if (!series)
        return json_null();
    object = json_object();
    json_object_set_new(object, "interval_ns", json_integer((json_int_t)1 << series->shift));
    json_object_set_new(object, "ops", intervals_of(series->ops, series->used));
    json_object_set_new(object, "bytes", intervals_of(series->bytes, series->used));
    if (is_open_loop(phase))
        json_object_set_new(object, "backlog", intervals_of(series->backlog, series->used));
    return object;
}

/* ---- lines ---- */

/* Each record says whose it is: runs may append to one file at the same time. */
json_t *weir_record_of(const char *kind, uint64_t run_id)
{
    json_t *record = json_object();
    char id[WEIR_RUN_ID_BYTES];

    json_object_set_new(record, "record", json_string(kind));
    snprintf(id, sizeof id, "%016" PRIx64, run_id);
    if (run_id != 0)
        json_object_set_new(record, "run_id", json_string(id));
    return record;
}

void weir_record_add_line(struct weir_text *text, json_t *record)
{
    char *line = json_dumps(record, JSON_COMPACT);

    json_decref(record);
    if (line)
        weir_text_add(text, "%s\n", line);
    free(line);
}

void weir_record_run(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result)
{
    json_t *record = weir_record_of("run", result->run_id);
    json_t *words = json_array();

    for (size_t i = 0; i < plan->source.word_count; i++)
        json_array_append_new(words, weir_json_exact(plan->source.words[i]));
    json_object_set_new(record, "schema", json_string(WEIR_RECORD_SCHEMA));
    json_object_set_new(record, "weir", json_string(WEIR_VERSION));
    json_object_set_new(record, "dialect", json_string(plan->dialect));
    json_object_set_new(record, "plan_id", json_string(plan->id));
    json_object_set_new(record, "words", words);
    if (plan->source.script)
        json_object_set_new(record, "script", weir_json_exact(plan->source.script));
    json_object_set_new(record, "host", object_of(weir_record_host_fields, &result->host));
    json_object_set_new(record, "clock", json_string(result->clock_name));
    json_object_set_new(record, "begun_s", weir_json_number(result->begun_s));
    weir_record_put_environment(record, result);
    weir_record_add_line(text, record);
}

/* Words that are empty or 0 are left out: most of them say only that an option was not given. */
static json_t *settings_of(const struct weir_test *test)
{
    json_t *object = json_object();

    for (size_t i = 0; i < test->setting_count; i++) {
        const struct weir_setting *setting = &test->settings[i];

        if (*setting->value && strcmp(setting->value, "0") != 0)
            json_object_set_new(object, setting->key, weir_json_exact(setting->value));
    }
    return object;
}

static json_t *remarks_of(const struct weir_test *test)
{
    json_t *list = json_array();

    for (size_t i = 0; i < test->remark_count; i++)
        json_array_append_new(list, weir_json_exact(test->remarks[i]));
    return list;
}

void weir_record_test(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *test)
{
    json_t *record = weir_record_of("test", result->run_id);
    const struct weir_test *planned = plan->tests[test->test];
    const struct weir_filesystem_facts *facts = &test->filesystem;

    weir_json_put(record, weir_record_test_fields, test);
    if (test->no_room[0] == '\0')
        json_object_del(record, "no_room");
    json_object_set_new(record, "given_nodes", json_integer((json_int_t)planned->given_nodes));
    json_object_set_new(record, "given_ranks_per_node",
                        json_integer((json_int_t)planned->given_ranks_per_node));
    json_object_set_new(record, "settings", settings_of(planned));
    json_object_set_new(record, "placement", weir_record_placement(planned));
    json_object_set_new(record, "remarks", remarks_of(planned));
    json_object_set_new(record, "filesystem",
                        facts->is_known ? object_of(weir_record_filesystem_fields, facts)
                                        : json_null());
    json_object_set_new(record, "storage", weir_record_storages(test));
    weir_record_add_line(text, record);
}

void weir_record_phase(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    json_t *record = weir_record_of("phase", result->run_id);
    json_t *object = weir_record_phase_object(plan, phase);

    json_object_update(record, object);
    json_decref(object);
    json_object_set_new(record, "latency", histogram_of(phase->latency));
    json_object_set_new(record, "submission", histogram_of(phase->submission));
    json_object_set_new(record, "response", histogram_of(phase->response));
    json_object_set_new(record, "write_latency", histogram_of(phase->write_latency));
    json_object_set_new(record, "read_latency", histogram_of(phase->read_latency));
    json_object_set_new(record, "series", series_of(phase));
    weir_record_put_places(record, phase);
    weir_record_add_line(text, record);
}

void weir_record_end(struct weir_text *text, const struct weir_result *result)
{
    json_t *record = weir_record_of("end", result->run_id);

    json_object_set_new(record, "finished_s", weir_json_number(result->finished_s));
    json_object_set_new(record, "exit_code", json_integer(result->exit_code));
    json_object_set_new(record, "interrupted", json_boolean(result->is_interrupted));
    json_object_set_new(record, "out_of_time", json_boolean(result->is_out_of_time));
    weir_record_add_line(text, record);
}
