/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's summaryFormat=JSON: the keys of each version in its order, but always valid and with
 * numbers in full. */
#include "ior.h"
#include "json_report.h"

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
    weir_json_put_text(context, key, value);
}

static void say_number(void *context, const char *key, double value)
{
    weir_json_put_number(context, key, value);
}

static json_t *row_of(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    struct weir_ior_row row = weir_figures_row(plan, phase);
    json_t *object = json_object();

    weir_json_put_text(object, "access", row.access);
    weir_json_put_real(object, "bwMiB", row.mib_per_s);
    weir_json_put_real(object, "blockKiB", row.block_kib);
    weir_json_put_real(object, "xferKiB", row.transfer_kib);
    if (!is_version_3_2(plan)) {
        weir_json_put_real(object, "iops", row.ops_per_s);
        weir_json_put_real(object, "latency", row.latency_s);
    }
    weir_json_put_real(object, "openTime", row.windows.open_s);
    weir_json_put_real(object, "wrRdTime", row.windows.transfer_s);
    weir_json_put_real(object, "closeTime", row.windows.close_s);
    weir_json_put_real(object, "totalTime", row.windows.total_s);
    return object;
}

static json_t *removal_of(const struct weir_phase_result *phase)
{
    json_t *object = json_object();

    weir_json_put_text(object, "access", "remove");
    weir_json_put_real(object, "totalTime", phase->windows.total_s);
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
        weir_json_put_real(maxima, rows[i].mib_key, summary.mib_per_s.max);
        weir_json_put_real(maxima, rows[i].mb_key, summary.mib_per_s.max * WEIR_MIB / 1e6);
    }
    return maxima;
}

static json_t *test_of(const struct weir_plan *plan, const struct weir_result *result,
                       const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    json_t *parameters = json_object();
    json_t *options = json_object();
    struct weir_words_listener listener = {.text = say_text, .number = say_number};
    struct weir_text path = {0};
    json_t *object;

    listener.context = parameters;
    weir_parameters_say(&listener, plan, result, begun);
    listener.context = options;
    weir_words_options(&listener, plan, test, begun);
    weir_words_path(&path, plan, begun);
    object = weir_json_test(begun, weir_text_string(&path));
    weir_text_close(&path);
    weir_json_put_value(object, "Parameters", parameters);
    weir_json_put_value(object, "Options", options);
    weir_json_put_value(object, "Results", rows_of(plan, result, begun->test));
    if (says_all(plan))
        weir_json_put_value(object, "max", maxima_of(plan, result, test));
    return object;
}

/* ---- summary ---- */

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
            weir_json_put_text(object, "operation", weir_verb_name(verb));

            const struct weir_phase *phase = weir_words_data_phase(test);
            struct weir_shift shift = weir_words_shift(test);

            weir_json_put_text(object, "API", test->label);
            weir_json_put_integer(object, "TestID", test->number);
            weir_json_put_integer(object, "ReferenceNumber", test->reference);
            weir_json_put_integer(object, "segmentCount",
                                  (int64_t)phase->transfers.layout.segment_count);
            weir_json_put_integer(object, "blockSize",
                                  (int64_t)phase->transfers.layout.block_bytes);
            weir_json_put_integer(object, "transferSize",
                                  (int64_t)phase->transfers.layout.transfer_bytes);
            weir_json_put_integer(object, "numTasks", begun->rank_count);
            weir_json_put_integer(object, "tasksPerNode", begun->ranks_per_node);
            weir_json_put_integer(object, "repetitions", (int64_t)summary.repetitions);
            weir_json_put_integer(object, "filePerProc", !phase->target->is_shared);
            weir_json_put_integer(object, "reorderTasks", shift.kind == WEIR_SHIFT_NODES);
            weir_json_put_integer(object, "taskPerNodeOffset", (int64_t)shift.distance);
            weir_json_put_integer(object, "reorderTasksRandom",
                                  weir_words_random_shift_count(&shift));
            weir_json_put_integer(object, "reorderTasksRandomSeed", weir_words_shift_seed(&shift));

            weir_json_put_real(object, "bwMaxMIB", summary.mib_per_s.max);
            weir_json_put_real(object, "bwMinMIB", summary.mib_per_s.min);
            weir_json_put_real(object, "bwMeanMIB", summary.mib_per_s.mean);
            weir_json_put_real(object, "bwStdMIB", summary.mib_per_s.stddev);
            weir_json_put_real(object, "OPsMax", summary.ops_per_s.max);
            weir_json_put_real(object, "OPsMin", summary.ops_per_s.min);
            weir_json_put_real(object, "OPsMean", summary.ops_per_s.mean);
            weir_json_put_real(object, "OPsSD", summary.ops_per_s.stddev);
            weir_json_put_real(object, "MeanTime", summary.mean_s);
            if (summary.has_stonewall && !is_version_3_2(plan)) {
                weir_json_put_real(object, "StoneWallTime", summary.stonewall_s);
                weir_json_put_real(object, "StoneWallbwMeanMIB", summary.stonewall_mib_per_s);
            }
            weir_json_put_real(object, "xsizeMiB", (double)summary.first_bytes / WEIR_MIB);
            json_array_append_new(list, object);
        }
    }
    return list;
}

/* ---- the whole ---- */

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    char bytes[WEIR_REPORT_VERSION_BYTES];
    const char *version = is_version_3_2(plan) ? NULL : weir_words_version(plan, bytes);
    json_t *report = weir_json_begin(plan, result, version);
    json_t *tests = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, test_of(plan, result, &result->tests[i]));
    weir_json_put_value(report, "tests", tests);
    weir_json_put_value(report, "summary", summary_of(plan, result));
    weir_json_end(text, report, plan, result);
}

const struct weir_reporter weir_reporter_ior_json = {
    .name = "ior json",
    .is_document = true,
    .is_held = weir_ior_holds_json,
    .end = end,
};
