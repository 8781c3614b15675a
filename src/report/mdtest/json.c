/* SPDX-License-Identifier: Apache-2.0 */
/* A run as a JSON document, which mdtest does not have: shaped as IOR's, with a row per phase and
 * iteration. */
#include "comparison.h"
#include "ior/signature.h"
#include "json_report.h"
#include "layout.h"
#include "mdtest.h"
#include "rows.h"

static json_t *row_of(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    struct weir_mdtest_figures figures = weir_mdtest_figures(plan, phase);
    json_t *object = json_object();

    weir_json_put_text(object, "access",
                       weir_mdtest_row_name(weir_mdtest_row(weir_figures_phase(plan, phase))));
    weir_json_put_integer(object, "iteration", phase->repetition);
    weir_json_put_integer(object, "ops", (int64_t)phase->op_count);
    weir_json_put_real(object, "opsPerSec", figures.all[WEIR_MDTEST_RATE]);
    weir_json_put_real(object, "msPerOp", figures.all[WEIR_MDTEST_OP_MS]);
    weir_json_put_real(object, "totalTime", figures.all[WEIR_MDTEST_SECONDS]);
    return object;
}

static json_t *options_of(const struct weir_test *test)
{
    json_t *object = json_object();

    weir_json_put_text(object, "api", test->label);
    for (size_t i = 0; i < test->setting_count; i++)
        weir_json_put_text(object, test->settings[i].key, test->settings[i].value);
    return object;
}

static json_t *test_of(const struct weir_plan *plan, const struct weir_result *result,
                       const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    json_t *object = weir_json_test(begun, weir_mdtest_path(test, begun));
    json_t *rows = json_array();

    for (unsigned i = 0; i < result->phase_count; i++)
        if (result->phases[i].test == begun->test && weir_mdtest_is_shown(plan, &result->phases[i]))
            json_array_append_new(rows, row_of(plan, &result->phases[i]));
    weir_json_put_value(object, "Options", options_of(test));
    weir_json_put_value(object, "Results", rows);
    return object;
}

static json_t *summary_of(const struct weir_plan *plan, const struct weir_test_result *begun,
                          int row, const struct weir_mdtest_summary *summary)
{
    const struct weir_test *test = plan->tests[begun->test];
    const struct weir_spread *rates = &summary->all[WEIR_MDTEST_RATE];
    json_t *object = json_object();

    weir_json_put_text(object, "operation", weir_mdtest_row_name(row));
    weir_json_put_text(object, "API", test->label);
    weir_json_put_integer(object, "TestID", test->number);
    weir_json_put_integer(object, "itemsPerTask", (int64_t)summary->items);
    weir_json_put_integer(object, "numTasks", begun->rank_count);
    weir_json_put_integer(object, "tasksPerNode", begun->ranks_per_node);
    weir_json_put_integer(object, "repetitions", (int64_t)test->repetitions);
    weir_json_put_integer(object, "measured", summary->count);
    weir_json_put_real(object, "OPsMax", rates->max);
    weir_json_put_real(object, "OPsMin", rates->min);
    weir_json_put_real(object, "OPsMean", rates->mean);
    weir_json_put_real(object, "OPsSD", rates->stddev);
    weir_json_put_real(object, "msPerOpMean", summary->all[WEIR_MDTEST_OP_MS].mean);
    weir_json_put_real(object, "MeanTime", summary->all[WEIR_MDTEST_SECONDS].mean);
    return object;
}

static json_t *summaries_of(const struct weir_plan *plan, const struct weir_result *result)
{
    json_t *list = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        for (int row = 0; weir_mdtest_row_name(row) != NULL; row++) {
            const struct weir_test_result *begun = &result->tests[i];
            struct weir_mdtest_summary summary =
                weir_mdtest_summary(plan, result, plan->tests[begun->test], row);

            if (summary.count > 0)
                json_array_append_new(list, summary_of(plan, begun, row, &summary));
        }
    return list;
}

/* --compare-crowded: a row for each phase of the second test. */
static void put_comparisons(json_t *report, const struct weir_plan *plan,
                            const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned phase_count, count;
    struct weir_repetitions *phases = weir_repetitions_find(&arena, plan, result, &phase_count);
    struct weir_comparison *list = weir_comparisons_find(&arena, plan, phases, phase_count, &count);
    json_t *rows = json_array();

    for (unsigned i = 0; i < count; i++) {
        int row = weir_mdtest_row(list[i].all->phase);
        json_t *object;

        if (row < 0)
            continue;
        object = json_object();
        weir_json_put_text(object, "operation", weir_mdtest_row_name(row));
        weir_json_put_integer(object, "TestID", list[i].all->test);
        weir_json_put_real(object, "OPsMean", list[i].ops_per_s);
        weir_json_put_real(object, "OPsMeanOfTestBefore", list[i].before_ops_per_s);
        weir_json_put_real(object, "ratio", list[i].ratio);
        weir_json_put_value(object, "margin",
                            list[i].is_known ? weir_json_number(list[i].margin) : json_null());
        weir_json_put_text(object, "verdict", weir_comparison_verdict(&list[i]));
        json_array_append_new(rows, object);
    }
    if (json_array_size(rows) > 0)
        weir_json_put_value(report, "comparison", rows);
    else
        json_decref(rows);
    weir_arena_close(&arena);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    char version[WEIR_REPORT_VERSION_BYTES];
    json_t *report = weir_json_begin(
        plan, result, weir_report_version(plan, weir_mdtest_layout_of(plan)->version, version));
    json_t *tests = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, test_of(plan, result, &result->tests[i]));
    weir_json_put_value(report, "tests", tests);
    weir_json_put_value(report, "summary", summaries_of(plan, result));
    put_comparisons(report, plan, result);
    weir_json_end(text, report, plan, result);
}

const struct weir_reporter weir_reporter_mdtest_json = {
    .name = "mdtest json",
    .is_document = true,
    .is_held = weir_ior_holds_json, /* the same first keys */
    .end = end,
};
