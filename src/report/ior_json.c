/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's summaryFormat=JSON: the same keys in the same order, but always valid and with numbers in
 * full. */
#include "dates.h"
#include "ior_figures.h"
#include "ior_words.h"
#include "json_fields.h"
#include "record.h"
#include "reporters.h"

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

/* ---- parameters ---- */

static double setting_seconds(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);
    uint64_t ns;

    return value && weir_duration_parse(value, UINT64_C(1000000000), &ns) == 0 ? (double)ns / 1e9
                                                                               : 0.0;
}

/* The letter of the data, and its number in IOR. */
static const char *data_letter(const struct weir_test *test, int *number)
{
    static const char *const letters[] = {"t", "o", "i", "r"};
    const char *value = weir_test_setting(test, "dataPacketType");

    *number = 0;
    for (int i = 0; value && i < 4; i++)
        if (value[0] == letters[i][0])
            *number = i;
    return letters[*number];
}

/* The user's name of the machine, else IOR's: node(system). */
static void put_platform(json_t *parameters, const struct weir_result *result,
                         const struct weir_test *test)
{
    const char *given = weir_test_setting(test, "platform");
    struct weir_text text = {0};

    if (given && *given)
        weir_text_add(&text, "%s", given);
    else
        weir_text_add(&text, "%s(%s)", result->host.node, result->host.system);
    put_text(parameters, "platform", weir_text_string(&text));
    weir_text_close(&text);
}

static void put_names(json_t *parameters, const struct weir_result *result,
                      const struct weir_test *test)
{
    const char *remark = weir_words_remark(test);
    struct weir_text text = {0};

    put_integer(parameters, "testID", test->number);
    put_integer(parameters, "refnum", test->reference);
    put_text(parameters, "api", test->label);
    put_platform(parameters, result, test);
    if (remark)
        put_text(parameters, "debug", remark);
    weir_words_file_name(&text, test);
    put_text(parameters, "testFileName", weir_text_string(&text));
    weir_text_close(&text);
}

static void put_limits(json_t *parameters, const struct weir_test *test,
                       const struct weir_test_result *begun, const struct weir_phase *phase)
{
    put_number(parameters, "deadlineForStonewall", (double)phase->stop.deadline_ns / 1e9);
    put_integer(parameters, "stoneWallingWearOut", phase->stop.has_wear_out);
    put_number(parameters, "maxTimeDuration", (double)test->time_limit_ns / 60e9);
    put_number(parameters, "outlierThreshold", (double)test->outlier_ns / 1e9);
    put_text(parameters, "options", "(null)");
    put_integer(parameters, "dryRun", test->is_dry_run);
    put_integer(parameters, "nodes", begun->node_count);
    put_integer(parameters, "memoryPerTask", 0); /* refused: hogging memory is not built */
    put_integer(parameters, "memoryPerNode", 0);
    put_integer(parameters, "tasksPerNode", begun->ranks_per_node);
    put_integer(parameters, "repetitions", (int64_t)test->repetitions);
    put_integer(parameters, "multiFile", phase->target->is_new_each_repetition);
    put_number(parameters, "interTestDelay", setting_seconds(test, "interTestDelay"));
}

static void put_actions(json_t *parameters, const struct weir_test *test,
                        const struct weir_phase *phase)
{
    const struct weir_phase *write = weir_test_phase(test, WEIR_WRITE);
    const struct weir_phase *read = weir_test_phase(test, WEIR_READ);
    bool keeps_existing =
        write ? !write->must_replace : weir_words_setting(test, "useExistingTestFile", 0) != 0;

    put_integer(parameters, "fsync", write && write->must_sync_at_end);
    put_integer(parameters, "fsyncperwrite", write && write->must_sync_each);
    put_integer(parameters, "useExistingTestFile", keeps_existing);
    put_integer(parameters, "uniqueDir", phase->target->has_own_directory);
    put_integer(parameters, "singleXferAttempt", phase->is_single_attempt);
    put_integer(parameters, "readFile", read != NULL);
    put_integer(parameters, "writeFile", write != NULL);
    put_integer(parameters, "filePerProc", !phase->target->is_shared);
}

static void put_order(json_t *parameters, const struct weir_test *test,
                      const struct weir_phase *phase)
{
    static const int random_offset[] = {
        [WEIR_ORDER_SEQUENTIAL] = 0,
        [WEIR_ORDER_SHUFFLED] = 1,
        [WEIR_ORDER_RANDOM_BLOCKS] = 2,
    };
    struct weir_shift shift = weir_words_shift(test);

    put_integer(parameters, "reorderTasks", shift.kind == WEIR_SHIFT_NODES);
    put_integer(parameters, "reorderTasksRandom", weir_words_random_shift_count(&shift));
    put_integer(parameters, "reorderTasksRandomSeed", (int64_t)shift.seed);
    put_integer(parameters, "randomOffset", random_offset[phase->layout.order]);
}

static bool has_check(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->is_check)
            return true;
    return false;
}

/* As it was given: -G -1 is -1 in IOR, and seed 2^32 - 1 here. */
static int64_t signature_of(const struct weir_test *test, const struct weir_phase *phase)
{
    int64_t given = weir_words_setting(test, "setTimeStampSignature", 0);

    if (!phase->payload.seed_is_given)
        return 0;
    return given < 0 ? (int32_t)phase->payload.seed : (int64_t)phase->payload.seed;
}

static void put_data(json_t *parameters, const struct weir_plan *plan, const struct weir_test *test,
                     const struct weir_phase *phase)
{
    const struct weir_phase *read = weir_test_phase(test, WEIR_READ);
    const struct weir_phase *removal = weir_test_phase(test, WEIR_REMOVE);
    int type;
    const char *letter = data_letter(test, &type);

    put_integer(parameters, "checkWrite", has_check(test));
    put_integer(parameters, "checkRead", read && read->must_verify);
    put_integer(parameters, "dataPacketType", type);
    put_integer(parameters, "keepFile", test->must_keep);
    put_integer(parameters, "keepFileWithError", removal && removal->only_if_clean);
    put_integer(parameters, "warningAsErrors", plan->output.warnings_are_errors);
    put_integer(parameters, "verbose", plan->output.verbosity);
    put_text(parameters, "data packet type", letter);
    put_integer(parameters, "setTimeStampSignature/incompressibleSeed", signature_of(test, phase));
    put_integer(parameters, "collective", phase->is_collective);
    put_integer(parameters, "segmentCount", (int64_t)phase->layout.segment_count);
    put_integer(parameters, "transferSize", (int64_t)phase->layout.transfer_bytes);
    put_integer(parameters, "blockSize", (int64_t)phase->layout.block_bytes);
}

static json_t *parameters_of(const struct weir_plan *plan, const struct weir_result *result,
                             const struct weir_test *test, const struct weir_test_result *begun)
{
    const struct weir_phase *phase = weir_words_data_phase(test);
    json_t *parameters = json_object();

    put_names(parameters, result, test);
    if (!phase)
        return parameters;
    put_limits(parameters, test, begun, phase);
    put_actions(parameters, test, phase);
    put_order(parameters, test, phase);
    put_data(parameters, plan, test, phase);
    return parameters;
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
    put_real(object, "iops", row.ops_per_s);
    put_real(object, "latency", row.latency_s);
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

static json_t *rows_of(const struct weir_plan *plan, const struct weir_result *result,
                       unsigned test)
{
    json_t *rows = json_array();

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->test != test)
            continue;
        if (weir_figures_has_row(plan, phase))
            json_array_append_new(rows, row_of(plan, phase));
        else if (plan->output.verbosity > 0 && weir_figures_has_removal(plan, phase))
            json_array_append_new(rows, removal_of(phase));
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
    } rows[] = {{WEIR_WRITE, "writeMiB", "writeMB"}, {WEIR_READ, "readMiB", "readMB"}};
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
    json_t *options = json_object();
    const struct weir_words_listener listener = {
        .context = options,
        .text = say_text,
        .number = say_number,
    };

    weir_words_options(&listener, plan, test, begun);
    put_integer(object, "TestID", begun->test);
    put_date(object, "StartTime", begun->begun_s);
    put_text(object, "Path", begun->path);
    put_text(object, "Capacity", words.capacity);
    put_text(object, "Used Capacity", words.used_capacity);
    put_text(object, "Inodes", words.inodes);
    put_text(object, "Used Inodes", words.used_inodes);
    put(object, "Parameters", parameters_of(plan, result, test, begun));
    put(object, "Options", options);
    put(object, "Results", rows_of(plan, result, begun->test));
    if (plan->output.verbosity > 0)
        put(object, "max", maxima_of(plan, result, test));
    return object;
}

/* ---- summary ---- */

static void put_test(json_t *object, const struct weir_test *test,
                     const struct weir_test_result *begun)
{
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);

    put_text(object, "API", test->label);
    put_integer(object, "TestID", test->number);
    put_integer(object, "ReferenceNumber", test->reference);
    put_integer(object, "segmentCount", (int64_t)phase->layout.segment_count);
    put_integer(object, "blockSize", (int64_t)phase->layout.block_bytes);
    put_integer(object, "transferSize", (int64_t)phase->layout.transfer_bytes);
    put_integer(object, "numTasks", begun->rank_count);
    put_integer(object, "tasksPerNode", begun->ranks_per_node);
    put_integer(object, "repetitions", (int64_t)test->repetitions);
    put_integer(object, "filePerProc", !phase->target->is_shared);
    put_integer(object, "reorderTasks", shift.kind == WEIR_SHIFT_NODES);
    put_integer(object, "taskPerNodeOffset", (int64_t)shift.distance);
    put_integer(object, "reorderTasksRandom", weir_words_random_shift_count(&shift));
    put_integer(object, "reorderTasksRandomSeed", (int64_t)shift.seed);
}

static void put_figures(json_t *object, const struct weir_ior_summary *summary)
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
    if (summary->has_stonewall) {
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

        for (enum weir_verb verb = WEIR_WRITE; verb <= WEIR_READ; verb++) {
            json_t *object;

            if (!weir_figures_summary(plan, result, test, verb, &summary))
                continue;
            object = json_object();
            put_text(object, "operation", weir_verb_name(verb));
            put_test(object, test, begun);
            put_figures(object, &summary);
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

static json_t *trust_of(const struct weir_plan *plan, const struct weir_result *result)
{
    json_t *object = json_object();
    json_t *phases = json_array();

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        json_t *entry;

        if (!weir_figures_phase(plan, phase))
            continue;
        entry = weir_record_phase_object(plan, phase);
        put_text(entry, "failure", phase->failure);
        if (phase->latency && phase->latency->total > 0)
            put(entry, "latency", latency_of(phase->latency));
        json_array_append_new(phases, entry);
    }
    put_text(object, "version", WEIR_VERSION);
    put_text(object, "plan_id", plan->id);
    put_text(object, "clock", result->clock_name);
    put(object, "interrupted", json_boolean(result->is_interrupted));
    put_integer(object, "exit_code", result->exit_code);
    put(object, "phases", phases);
    return object;
}

/* ---- the whole ---- */

static void put_machine(json_t *object, const struct weir_plan *plan,
                        const struct weir_host_facts *host)
{
    struct weir_text text = {0};

    weir_text_add(&text, "%s %s", host->system, host->node);
    if (plan->output.verbosity >= 2)
        weir_text_add(&text, " %s %s %s", host->release, host->version, host->machine);
    put_text(object, "Machine", weir_text_string(&text));
    weir_text_close(&text);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    json_t *report = json_object();
    json_t *tests = json_array();
    char *dump;

    put_text(report, "Version", weir_ior_version);
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

const struct weir_reporter weir_reporter_ior_json = {.end = end};
