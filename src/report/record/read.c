/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a run of a result file back. */
#include "record.h"

#include "weir/report/report.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int damaged(struct weir_error *error, const char *path, const char *what)
{
    return weir_error_set(error, WEIR_EXIT_USAGE, -EBADMSG, path,
                          "the record \"%s\" of the run is damaged", what);
}

/* ---- words ---- */

static const char *const *words_of(const json_t *list, struct weir_arena *arena)
{
    size_t count = json_array_size(list);
    const char **words = weir_arena_take(arena, (count + 1) * sizeof *words);

    if (count == 0)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        words[i] = weir_json_exact_read(json_array_get(list, i), arena);
        if (!words[i])
            return NULL;
    }
    return words;
}

int weir_record_read_source(const char *path, unsigned run, struct weir_arena *arena,
                            struct weir_plan_source *source, char id[17], struct weir_error *error)
{
    const char *const *found;
    const char *plan_id;
    const json_t *record, *script;
    json_t *records = NULL;
    int code = weir_record_load(path, run, &records, error);

    if (code)
        return code;
    record = json_array_get(records, 0);
    script = json_object_get(record, "script");
    plan_id = json_string_value(json_object_get(record, "plan_id"));
    found = words_of(json_object_get(record, "words"), arena);
    if (found && plan_id && strlen(plan_id) < 17) {
        *source = (struct weir_plan_source){
            .words = found,
            .word_count = json_array_size(json_object_get(record, "words")),
            .script = script ? weir_json_exact_read(script, arena) : NULL,
        };
        snprintf(id, 17, "%s", plan_id);
    } else {
        code = damaged(error, path, "run");
    }
    json_decref(records);
    return code;
}

/* ---- pieces of a phase ---- */

/* Position of the name that `value` holds, or -1. */
static int position_of(const json_t *value, const char *const *names, int count)
{
    const char *name = json_string_value(value);

    for (int i = 0; name && i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int kind_of(const char *name)
{
    for (int i = 0; name && i < WEIR_MISMATCH_KIND_COUNT; i++)
        if (strcmp(weir_mismatch_name((enum weir_mismatch_kind)i), name) == 0)
            return i;
    return -1;
}

static bool read_mismatch(const json_t *object, struct weir_mismatch *mismatch)
{
    const json_t *found = json_object_get(object, "found");
    int kind = kind_of(json_string_value(json_object_get(object, "kind")));

    if (kind < 0 || !weir_json_take(object, weir_record_mismatch_fields, mismatch))
        return false;
    mismatch->kind = (uint32_t)kind;
    if (!found)
        return true;
    if (json_object_get(found, "offset")) {
        mismatch->has_found = WEIR_FOUND_PLACE;
        return weir_json_take(found, weir_record_found_fields, mismatch);
    }
    mismatch->has_found = WEIR_FOUND_WRITER;
    return weir_json_take(found, weir_record_found_writer_fields, mismatch);
}

static bool read_verification(json_t *object, struct weir_mismatch_log *log)
{
    json_t *first = json_object_get(object, "first");
    const char *name;
    json_t *count;

    if (!weir_json_take(object, weir_record_verification_fields, log) ||
        json_array_size(first) > WEIR_MISMATCHES_KEPT)
        return false;
    json_object_foreach(json_object_get(object, "kinds"), name, count)
    {
        if (kind_of(name) < 0)
            return false;
        log->kinds[kind_of(name)] = (uint64_t)json_integer_value(count);
    }
    for (size_t i = 0; i < json_array_size(first); i++)
        if (!read_mismatch(json_array_get(first, i), &log->first[log->kept++]))
            return false;
    return true;
}

static bool read_findings(const json_t *list, struct weir_result *result,
                          struct weir_phase_result *phase)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        int severity = position_of(json_object_get(object, "severity"), weir_record_severities, 2);
        const char *name = json_string_value(json_object_get(object, "name"));
        const char *text = weir_json_exact_read(json_object_get(object, "text"), &result->arena);

        if (severity < 0 || !name || !text)
            return false;
        weir_result_find(phase, (enum weir_severity)severity, weir_arena_copy(&result->arena, name),
                         "%s", text);
    }
    return true;
}

static bool read_slowest(const json_t *list, struct weir_phase_result *phase)
{
    if (json_array_size(list) > WEIR_SLOWEST_KEPT)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!weir_json_take(json_array_get(list, i), weir_record_slow_rank_fields,
                            &phase->slowest[phase->slowest_count++]))
            return false;
    return true;
}

/* Those that are kept; their number is among the fields. Files of older versions have none. */
static bool read_outliers(const json_t *list, struct weir_phase_result *phase)
{
    const uint32_t count = phase->outlier_count;

    if (json_array_size(list) > WEIR_OUTLIERS_KEPT || json_array_size(list) > phase->outlier_count)
        return false;
    if (json_array_size(list) < phase->outlier_count && json_array_size(list) != WEIR_OUTLIERS_KEPT)
        return false;
    phase->outlier_count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *object = json_array_get(list, i);
        int kind = position_of(json_object_get(object, "kind"), weir_record_outlier_kinds,
                               WEIR_OUTLIER_KINDS);
        struct weir_outlier *outlier = weir_result_add_outlier(phase);

        if (kind < 0 || !weir_json_take(object, weir_record_outlier_fields, outlier))
            return false;
        outlier->kind = (enum weir_outlier_kind)kind;
    }
    phase->outlier_count = count;
    return true;
}

static bool read_depth_curve(const json_t *list, struct weir_depth_curve *curve)
{
    if (json_array_size(list) > WEIR_DEPTH_POINTS_MAX)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!weir_json_take(json_array_get(list, i), weir_record_depth_point_fields,
                            &curve->points[curve->count++]))
            return false;
    return true;
}

/* Leaves NULL where the record has none; false if it has something else than a text. */
static bool read_text(const json_t *value, struct weir_result *result, const char **text)
{
    if (!value || json_is_null(value))
        return true;
    *text = weir_json_exact_read(value, &result->arena);
    return *text != NULL;
}

static bool read_shortfall(const json_t *object, struct weir_result *result,
                           struct weir_phase_result *phase)
{
    json_int_t ranks = json_integer_value(json_object_get(object, "ranks"));

    if (!json_is_object(object))
        return true;
    if (ranks < 0 || ranks > UINT_MAX)
        return false;
    phase->shortfall_rank_count = (unsigned)ranks;
    return read_text(json_object_get(object, "text"), result, &phase->shortfall);
}

/* Files of older versions have none of it. */
static bool read_load(json_t *record, struct weir_result *result, struct weir_phase_result *phase)
{
    return weir_json_take(json_object_get(record, "cpu"), weir_record_cpu_fields, phase) &&
           read_depth_curve(json_object_get(record, "depth_curve"), &phase->depth_curve) &&
           weir_json_take(json_object_get(record, "pace"), weir_record_pace_fields, &phase->pace) &&
           read_text(json_object_get(record, "granted"), result, &phase->granted) &&
           read_shortfall(json_object_get(record, "shortfall"), result, phase);
}

/* Leaves NULL where the record has none. */
static bool read_histogram(const json_t *object, struct weir_histogram **histogram)
{
    const json_t *buckets = json_object_get(object, "buckets");

    if (!json_is_object(object)) {
        *histogram = NULL;
        return true;
    }
    if (!weir_json_take(object, weir_record_histogram_fields, *histogram))
        return false;
    for (size_t i = 0; i < json_array_size(buckets); i++) {
        const json_t *pair = json_array_get(buckets, i);
        json_int_t low = json_integer_value(json_array_get(pair, 0));
        json_int_t count = json_integer_value(json_array_get(pair, 1));

        if (low < 0 || count < 0)
            return false;
        (*histogram)->counts[weir_histogram_bucket((uint64_t)low)] += (uint64_t)count;
    }
    return true;
}

/* All the histograms that a record may have. */
static bool read_histograms(const json_t *record, struct weir_phase_result *phase)
{
    return read_histogram(json_object_get(record, "latency"), &phase->latency) &&
           read_histogram(json_object_get(record, "submission"), &phase->submission) &&
           read_histogram(json_object_get(record, "response"), &phase->response) &&
           read_histogram(json_object_get(record, "write_latency"), &phase->write_latency) &&
           read_histogram(json_object_get(record, "read_latency"), &phase->read_latency);
}

static void read_intervals(const json_t *list, uint64_t *values)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        values[i] = (uint64_t)json_integer_value(json_array_get(list, i));
}

static bool read_series(const json_t *object, struct weir_series **series)
{
    const json_t *ops = json_object_get(object, "ops");
    const json_t *bytes = json_object_get(object, "bytes");
    const json_t *backlog = json_object_get(object, "backlog"); /* of open loops */
    json_int_t interval_ns = json_integer_value(json_object_get(object, "interval_ns"));

    if (!json_is_object(object)) {
        *series = NULL;
        return true;
    }
    if (interval_ns < 1 || json_array_size(ops) > WEIR_SERIES_INTERVALS ||
        json_array_size(ops) != json_array_size(bytes) ||
        (backlog && json_array_size(ops) != json_array_size(backlog)))
        return false;
    (*series)->shift = (uint32_t)__builtin_ctzll((unsigned long long)interval_ns);
    (*series)->used = (uint32_t)json_array_size(ops);
    read_intervals(ops, (*series)->ops);
    read_intervals(bytes, (*series)->bytes);
    read_intervals(backlog, (*series)->backlog);
    return true;
}

/* ---- records ---- */

static bool read_numbers(json_t *record, struct weir_phase_result *phase)
{
    const json_t *file_bytes = json_object_get(record, "file_bytes");
    const json_t *stonewall = json_object_get(record, "stonewall");
    int outcome = position_of(json_object_get(record, "outcome"), weir_record_outcomes, 3);

    if (outcome < 0)
        return false;
    phase->outcome = (enum weir_outcome)outcome;
    phase->file_bytes =
        json_is_integer(file_bytes) ? (uint64_t)json_integer_value(file_bytes) : UINT64_MAX;
    /* Older files have it only if the deadline was hit. */
    phase->stonewall.has_deadline = phase->stonewall.is_hit = json_is_object(stonewall);
    return weir_json_take(record, weir_record_phase_fields, phase) &&
           weir_json_take(json_object_get(record, "windows"), weir_record_windows_fields,
                          &phase->windows) &&
           weir_json_take(json_object_get(record, "rank_s"), weir_record_spread_fields, phase) &&
           weir_json_take(stonewall, weir_record_stonewall_fields, &phase->stonewall) &&
           weir_json_take(json_object_get(record, "clock"), weir_record_clock_fields,
                          &phase->clock);
}

static bool has_begun(const struct weir_result *result, unsigned test, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (result->tests[i].test == test)
            return true;
    return false;
}

/* Without the record of its test a phase would lead reports astray. */
static bool read_phase(json_t *record, struct weir_result *result)
{
    struct weir_phase_result *phase = weir_result_add_phase(result);

    return read_text(json_object_get(record, "notes"), result, &phase->notes) &&
           read_numbers(record, phase) && read_load(record, result, phase) &&
           has_begun(result, phase->test, result->test_count) &&
           read_slowest(json_object_get(record, "slowest"), phase) &&
           read_outliers(json_object_get(record, "outliers"), phase) &&
           read_verification(json_object_get(record, "verification"), &phase->mismatches) &&
           read_findings(json_object_get(record, "findings"), result, phase) &&
           read_histograms(record, phase) &&
           read_series(json_object_get(record, "series"), &phase->series) &&
           weir_record_take_places(record, &result->arena, phase);
}

static bool read_test(const json_t *record, unsigned test_capacity, struct weir_result *result)
{
    const json_t *filesystem = json_object_get(record, "filesystem");
    struct weir_test_result *test;

    if (result->test_count >= test_capacity)
        return false;
    test = &result->tests[result->test_count++];
    test->filesystem.is_known = json_is_object(filesystem);
    return weir_json_take(record, weir_record_test_fields, test) && test->test < test_capacity &&
           !has_begun(result, test->test, result->test_count - 1) &&
           weir_json_take(filesystem, weir_record_filesystem_fields, &test->filesystem) &&
           weir_record_take_storages(json_object_get(record, "storage"), &result->arena, test);
}

static bool read_run(const json_t *record, struct weir_result *result)
{
    const char *clock = json_string_value(json_object_get(record, "clock"));

    result->begun_s = json_number_value(json_object_get(record, "begun_s"));
    snprintf(result->clock_name, sizeof result->clock_name, "%s", clock ? clock : "");
    return weir_json_take(json_object_get(record, "host"), weir_record_host_fields,
                          &result->host) &&
           weir_record_take_environment(record, result);
}

static void read_end(const json_t *record, struct weir_result *result)
{
    result->finished_s = json_number_value(json_object_get(record, "finished_s"));
    result->exit_code = (int)json_integer_value(json_object_get(record, "exit_code"));
    result->is_interrupted = json_is_true(json_object_get(record, "interrupted"));
    result->is_out_of_time = json_is_true(json_object_get(record, "out_of_time"));
}

static int read_records(const json_t *run, unsigned test_capacity, struct weir_result *result,
                        const char *path, struct weir_error *error)
{
    /* A run that was killed wrote no end. */
    result->is_interrupted = true;
    for (size_t i = 0; i < json_array_size(run); i++) {
        json_t *record = json_array_get(run, i);

        if (weir_record_is(record, "run") && !read_run(record, result))
            return damaged(error, path, "run");
        if (weir_record_is(record, "test") && !read_test(record, test_capacity, result))
            return damaged(error, path, "test");
        if (weir_record_is(record, "phase") && !read_phase(record, result))
            return damaged(error, path, "phase");
        if (weir_record_is(record, "end"))
            read_end(record, result);
    }
    return 0;
}

/* ---- plans of other versions ---- */

static bool is_phase_of(const json_t *record, const struct weir_plan *plan)
{
    json_int_t test = json_integer_value(json_object_get(record, "test"));
    json_int_t number = json_integer_value(json_object_get(record, "phase"));
    const char *verb = json_string_value(json_object_get(record, "verb"));
    const struct weir_phase *phase = NULL;

    if (test >= 0 && test < (json_int_t)plan->test_count && number >= 0 && number <= UINT_MAX)
        phase = weir_plan_find_phase(plan, (unsigned)test, (unsigned)number);
    return phase && verb && strcmp(verb, weir_verb_name(phase->verb)) == 0 &&
           json_is_true(json_object_get(record, "check")) == phase->is_check &&
           json_is_true(json_object_get(record, "prefill")) == phase->is_prefill;
}

bool weir_record_fits(const char *path, unsigned run, const struct weir_plan *plan)
{
    struct weir_error error = {0};
    json_t *records = NULL;
    bool fits = weir_record_load(path, run, &records, &error) == 0;

    for (size_t i = 0; fits && i < json_array_size(records); i++)
        if (weir_record_is(json_array_get(records, i), "phase"))
            fits = is_phase_of(json_array_get(records, i), plan);
    json_decref(records);
    return fits;
}

/* ---- all of it ---- */

int weir_record_read(const char *path, unsigned run, unsigned test_capacity,
                     struct weir_result **result, struct weir_error *error)
{
    struct weir_result *made;
    json_t *records = NULL;
    int code = weir_record_load(path, run, &records, error);

    if (code)
        return code;
    made = weir_result_open(test_capacity);
    code = read_records(records, test_capacity, made, path, error);
    json_decref(records);
    if (code == 0)
        *result = made;
    else
        weir_result_close(made);
    return code;
}
