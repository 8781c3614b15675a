/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's summaryFormat=JSON: the keys of each version in its order, but always valid and with
 * numbers in full. */
#include "dates.h"
#include "figures.h"
#include "ior.h"
#include "json_fields.h"
#include "layout.h"
#include "parameters.h"
#include "record/record.h"
#include "signature.h"
#include "words.h"

#include "weir/base/version.h"

#include <math.h>
#include <stdlib.h>

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void put_text(json_t *object, const char *key, const char *value)
{
    put(object, key, weir_json_readable(value));
}

static void put_integer(json_t *object, const char *key, int64_t value)
{
    put(object, key, json_integer(value));
}

static void put_real(json_t *object, const char *key, double value)
{
    put(object, key, weir_json_number(value));
}

/* Seconds and minutes are whole numbers in IOR, and may have fractions here. */
static void put_number(json_t *object, const char *key, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        put_integer(object, key, (int64_t)value);
    else
        put_real(object, key, value);
}

static void put_date(json_t *object, const char *key, double seconds)
{
    char date[WEIR_DATE_BYTES];

    put_text(object, key, weir_date_format(seconds, date));
}

/* ---- versions ---- */

static bool is_version_3(const struct weir_plan *plan)
{
    return weir_ior_layout_of(plan)->release >= WEIR_IOR_3_3;
}

/* 3.2 was the first with JSON: what is older has its shape too. */
static bool is_version_3_2(const struct weir_plan *plan)
{
    return weir_ior_layout_of(plan)->release >= WEIR_IOR_3_2;
}

/* Removals and maxima, which 4.x has at -v only. */
static bool says_all(const struct weir_plan *plan)
{
    return is_version_3(plan) || plan->output.verbosity > 0;
}

/* ---- tests ---- */

static void say_text(void *context, const char *key, const char *value)
{
    put_text(context, key, value);
}

static void say_number(void *context, const char *key, double value)
{
    put_number(context, key, value);
}

static json_t *row_of(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    struct weir_ior_row row = weir_figures_row(plan, phase);
    json_t *object = json_object();

    put_text(object, "access", row.access);
    put_real(object, "bwMiB", row.mib_per_s);
    put_real(object, "blockKiB", row.block_kib);
    put_real(object, "xferKiB", row.transfer_kib);
    if (!is_version_3_2(plan)) {
        put_real(object, "iops", row.ops_per_s);
        put_real(object, "latency", row.latency_s);
    }
    put_real(object, "openTime", row.windows.open_s);
    put_real(object, "wrRdTime", row.windows.transfer_s);
    put_real(object, "closeTime", row.windows.close_s);
    put_real(object, "totalTime", row.windows.total_s);
    return object;
}

static json_t *removal_of(const struct weir_phase_result *phase)
{
    json_t *object = json_object();

    put_text(object, "access", "remove");
    put_real(object, "totalTime", phase->windows.total_s);
    return object;
}

/* The name of a phase in the results; NULL if it is not in them. */
static json_t *entry_of(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    if (weir_figures_has_row(plan, phase))
        return row_of(plan, phase);
    if (says_all(plan) && weir_figures_has_removal(plan, phase))
        return removal_of(phase);
    return NULL;
}

/* 4.x has one list in the order of time, 3.x a list of such lists, one for each repetition. */
static json_t *rows_of(const struct weir_plan *plan, const struct weir_result *result,
                       unsigned test)
{
    json_t *rows = json_array();
    json_t *repetition = NULL; /* the last list in `rows` */
    unsigned number = 0;

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        json_t *entry = phase->test == test ? entry_of(plan, phase) : NULL;

        if (!entry)
            continue;
        if (is_version_3(plan) && (!repetition || phase->repetition != number)) {
            repetition = json_array();
            number = phase->repetition;
            json_array_append_new(rows, repetition);
        }
        json_array_append_new(repetition ? repetition : rows, entry);
    }
    return rows;
}

static json_t *maxima_of(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_test *test)
{
    static const struct {
        enum weir_verb verb;
        const char *mib_key;
        const char *mb_key;
    } rows[] = {{WEIR_WRITE, "writeMiB", "writeMB"},
                {WEIR_READ, "readMiB", "readMB"},
                {WEIR_MIXED, "mixedMiB", "mixedMB"}};
    json_t *maxima = json_object();
    struct weir_ior_summary summary;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!weir_figures_summary(plan, result, test, rows[i].verb, &summary))
            continue;
        put_real(maxima, rows[i].mib_key, summary.mib_per_s.max);
        put_real(maxima, rows[i].mb_key, summary.mib_per_s.max * WEIR_MIB / 1e6);
    }
    return maxima;
}

static json_t *test_of(const struct weir_plan *plan, const struct weir_result *result,
                       const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    struct weir_words_filesystem words = weir_words_filesystem(&begun->filesystem);
    json_t *object = json_object();
    json_t *parameters = json_object();
    json_t *options = json_object();
    struct weir_words_listener listener = {.text = say_text, .number = say_number};
    struct weir_text path = {0};

    listener.context = parameters;
    weir_parameters_say(&listener, plan, result, begun);
    listener.context = options;
    weir_words_options(&listener, plan, test, begun);
    put_integer(object, "TestID", begun->test);
    put_date(object, "StartTime", begun->begun_s);
    weir_words_path(&path, plan, begun);
    put_text(object, "Path", weir_text_string(&path));
    weir_text_close(&path);
    put_text(object, "Capacity", words.capacity);
    put_text(object, "Used Capacity", words.used_capacity);
    put_text(object, "Inodes", words.inodes);
    put_text(object, "Used Inodes", words.used_inodes);
    put(object, "Parameters", parameters);
    put(object, "Options", options);
    put(object, "Results", rows_of(plan, result, begun->test));
    if (says_all(plan))
        put(object, "max", maxima_of(plan, result, test));
    return object;
}

/* ---- summary ---- */

static void put_test(json_t *object, const struct weir_test *test,
                     const struct weir_test_result *begun, const struct weir_ior_summary *summary)
{
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);

    put_text(object, "API", test->label);
    put_integer(object, "TestID", test->number);
    put_integer(object, "ReferenceNumber", test->reference);
    put_integer(object, "segmentCount", (int64_t)phase->transfers.layout.segment_count);
    put_integer(object, "blockSize", (int64_t)phase->transfers.layout.block_bytes);
    put_integer(object, "transferSize", (int64_t)phase->transfers.layout.transfer_bytes);
    put_integer(object, "numTasks", begun->rank_count);
    put_integer(object, "tasksPerNode", begun->ranks_per_node);
    put_integer(object, "repetitions", (int64_t)summary->repetitions);
    put_integer(object, "filePerProc", !phase->target->is_shared);
    put_integer(object, "reorderTasks", shift.kind == WEIR_SHIFT_NODES);
    put_integer(object, "taskPerNodeOffset", (int64_t)shift.distance);
    put_integer(object, "reorderTasksRandom", weir_words_random_shift_count(&shift));
    put_integer(object, "reorderTasksRandomSeed", weir_words_shift_seed(&shift));
}

static void put_figures(json_t *object, const struct weir_plan *plan,
                        const struct weir_ior_summary *summary)
{
    put_real(object, "bwMaxMIB", summary->mib_per_s.max);
    put_real(object, "bwMinMIB", summary->mib_per_s.min);
    put_real(object, "bwMeanMIB", summary->mib_per_s.mean);
    put_real(object, "bwStdMIB", summary->mib_per_s.stddev);
    put_real(object, "OPsMax", summary->ops_per_s.max);
    put_real(object, "OPsMin", summary->ops_per_s.min);
    put_real(object, "OPsMean", summary->ops_per_s.mean);
    put_real(object, "OPsSD", summary->ops_per_s.stddev);
    put_real(object, "MeanTime", summary->mean_s);
    if (summary->has_stonewall && !is_version_3_2(plan)) {
        put_real(object, "StoneWallTime", summary->stonewall_s);
        put_real(object, "StoneWallbwMeanMIB", summary->stonewall_mib_per_s);
    }
    put_real(object, "xsizeMiB", (double)summary->first_bytes / WEIR_MIB);
}

static json_t *summary_of(const struct weir_plan *plan, const struct weir_result *result)
{
    json_t *list = json_array();
    struct weir_ior_summary summary;

    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test_result *begun = &result->tests[i];
        const struct weir_test *test = plan->tests[begun->test];

        for (enum weir_verb verb = WEIR_WRITE; verb < WEIR_VERB_COUNT; verb++) {
            json_t *object;

            if (!weir_figures_summary(plan, result, test, verb, &summary))
                continue;
            object = json_object();
            put_text(object, "operation", weir_verb_name(verb));
            put_test(object, test, begun, &summary);
            put_figures(object, plan, &summary);
            json_array_append_new(list, object);
        }
    }
    return list;
}

/* ---- our own object: how far the numbers can be believed ---- */

static json_t *latency_of(const struct weir_histogram *histogram)
{
    static const struct {
        const char *key;
        double fraction;
    } percentiles[] = {{"p50_ns", 0.5}, {"p90_ns", 0.9}, {"p99_ns", 0.99}, {"p999_ns", 0.999}};
    json_t *object = json_object();

    put_real(object, "mean_ns", weir_histogram_mean_ns(histogram));
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++)
        put_integer(object, percentiles[i].key,
                    (int64_t)weir_histogram_percentile(histogram, percentiles[i].fraction));
    put_integer(object, "max_ns", (int64_t)histogram->max_ns);
    return object;
}

/* The facts of a test before its phases. */
static json_t *facts_of(const struct weir_plan *plan, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    json_t *object = json_object();
    json_t *texts = json_array();

    for (size_t i = 0; i < test->remark_count; i++)
        json_array_append_new(texts, weir_json_readable(test->remarks[i]));
    put_integer(object, "test", begun->test);
    put_integer(object, "existing_files", (int64_t)begun->existing_count);
    put(object, "remarks", texts);
    if (begun->no_room[0] != '\0')
        put(object, "no_room", weir_json_readable(begun->no_room));
    return object;
}

static void put_latencies(json_t *entry, const struct weir_phase_result *phase)
{
    const struct {
        const char *key;
        const struct weir_histogram *histogram;
    } rows[] = {
        {"latency", phase->latency},           {"submission", phase->submission},
        {"response", phase->response},         {"write_latency", phase->write_latency},
        {"read_latency", phase->read_latency},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].histogram && rows[i].histogram->total > 0)
            put(entry, rows[i].key, latency_of(rows[i].histogram));
}

static json_t *trust_of(const struct weir_plan *plan, const struct weir_result *result)
{
    json_t *object = json_object();
    json_t *tests = json_array();
    json_t *phases = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, facts_of(plan, &result->tests[i]));
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        json_t *entry;

        if (!weir_figures_phase(plan, phase))
            continue;
        entry = weir_record_phase_object(plan, phase);
        put_text(entry, "failure", phase->failure);
        put_latencies(entry, phase);
        json_array_append_new(phases, entry);
    }
    put_text(object, "version", WEIR_VERSION);
    put_text(object, "plan_id", plan->id);
    put_text(object, "clock", result->clock_name);
    put(object, "interrupted", json_boolean(result->is_interrupted));
    put_integer(object, "exit_code", result->exit_code);
    put(object, "tests", tests);
    put(object, "phases", phases);
    return object;
}

/* ---- the whole ---- */

static void put_machine(json_t *object, const struct weir_plan *plan,
                        const struct weir_host_facts *host)
{
    struct weir_text text = {0};

    weir_words_machine(&text, plan, host);
    put_text(object, "Machine", weir_text_string(&text));
    weir_text_close(&text);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    json_t *report = json_object();
    json_t *tests = json_array();
    char *dump;

    if (!is_version_3_2(plan))
        put_text(report, "Version", weir_words_version(plan));
    put_date(report, "Began", result->begun_s);
    put_text(report, "Command line", plan->command_line);
    put_machine(report, plan, &result->host);
    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, test_of(plan, result, &result->tests[i]));
    put(report, "tests", tests);
    put(report, "summary", summary_of(plan, result));
    if (result->finished_s > 0.0)
        put_date(report, "Finished", result->finished_s);
    else
        put(report, "Finished", json_null());
    if (!plan->output.is_plain)
        put(report, "Weir", trust_of(plan, result));
    dump = json_dumps(report, JSON_INDENT(2));
    if (dump)
        weir_text_add(text, "%s\n", dump);
    free(dump);
    json_decref(report);
}

const struct weir_reporter weir_reporter_ior_json = {
    .name = "ior json",
    .is_document = true,
    .is_held = weir_ior_holds_json,
    .end = end,
};
