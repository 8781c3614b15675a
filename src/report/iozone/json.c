/* SPDX-License-Identifier: Apache-2.0 */
/* A report as JSON, which IOzone does not have: the numbers of its lines, by test. */
#include "ior/signature.h"
#include "iozone.h"
#include "json_report.h"
#include "rows.h"

#include <string.h>

static json_t *row_of(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    struct weir_iozone_figures figures = weir_iozone_figures(plan, phase);
    json_t *object = json_object();

    weir_json_put_text(object, "access", weir_iozone_name(weir_iozone_test_of(plan, phase)));
    weir_json_put_integer(object, "iteration", phase->repetition);
    weir_json_put_text(object, "unit",
                       weir_iozone_counts_ops(plan->tests[phase->test]) ? "ops" : "kB");
    weir_json_put_integer(object, "children", phase->rank_count);
    weir_json_put_real(object, "childrenSum", figures.children);
    weir_json_put_real(object, "parent", figures.parent);
    weir_json_put_real(object, "min", figures.min);
    weir_json_put_real(object, "max", figures.max);
    weir_json_put_real(object, "mean", figures.mean);
    weir_json_put_real(object, "minXfer", figures.min_xfer);
    weir_json_put_real(object, "totalTime", figures.wall_s);
    return object;
}

static json_t *test_of(const struct weir_plan *plan, const struct weir_result *result,
                       const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    json_t *object = weir_json_test(begun, begun->path);
    json_t *options = json_object(), *rows = json_array();

    for (size_t i = 0; i < test->setting_count; i++)
        weir_json_put_text(options, test->settings[i].key, test->settings[i].value);
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->test == begun->test && weir_iozone_test_of(plan, phase) != WEIR_IOZONE_TESTS &&
            weir_iozone_has_number(plan, phase))
            json_array_append_new(rows, row_of(plan, phase));
    }
    weir_json_put_value(object, "Options", options);
    weir_json_put_value(object, "Results", rows);
    return object;
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    json_t *report = weir_json_begin(plan, result, NULL);
    json_t *tests = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, test_of(plan, result, &result->tests[i]));
    weir_json_put_value(report, "tests", tests);
    weir_json_end(text, report, plan, result);
}

const struct weir_reporter weir_reporter_iozone_json = {
    .name = "iozone json",
    .is_document = true,
    .is_held = weir_ior_holds_json, /* the same first keys */
    .end = end,
};
