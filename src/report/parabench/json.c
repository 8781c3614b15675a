/* SPDX-License-Identifier: Apache-2.0 */
/* A run of programs as a JSON document: shaped as IOR's, with the keys of the result file, but
 * quantiles in the place of histograms. */
#include "ior/signature.h"
#include "json_report.h"
#include "original.h"
#include "parabench.h"
#include "record/record.h"

#define IMITATED "1.0.0"

static json_t *quantiles_of(const struct weir_histogram *histogram)
{
    return histogram != NULL && histogram->total > 0 ? weir_json_latency(histogram) : json_null();
}

static json_t *program_of(const struct weir_program_result *program)
{
    json_t *object = weir_json_object(weir_record_program_fields, program);
    json_t *labels = json_object_get(object, "labels"), *calls = json_object_get(object, "calls");

    for (unsigned i = 0; i < program->label_count; i++)
        weir_json_put_value(json_array_get(labels, i), "duration",
                            quantiles_of(program->labels[i].duration));
    for (unsigned i = 0; i < program->call_count; i++)
        weir_json_put_value(json_array_get(calls, i), "latency",
                            quantiles_of(program->calls[i].latency));
    return object;
}

static json_t *test_of(const struct weir_plan *plan, const struct weir_result *result,
                       const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    json_t *object = weir_json_test(begun, begun->path), *options = json_object();
    json_t *list = json_array();

    weir_json_put_text(options, "api", test->label);
    for (size_t i = 0; i < test->setting_count; i++)
        weir_json_put_text(options, test->settings[i].key, test->settings[i].value);
    weir_json_put_value(object, "Options", options);
    if (test->phase_count > 0 && test->phases[0]->program != NULL)
        weir_json_put_value(
            object, "program",
            weir_json_object(weir_record_planned_program_fields, test->phases[0]->program));
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        const struct weir_program_result *program = weir_parabench_program(plan, phase);

        if (phase->test == begun->test && program != NULL)
            json_array_append_new(list, program_of(program));
    }
    weir_json_put_value(object, "Results", list);
    return object;
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    json_t *report = weir_json_begin(plan, result, IMITATED);
    json_t *tests = json_array();

    for (unsigned i = 0; i < result->test_count; i++)
        json_array_append_new(tests, test_of(plan, result, &result->tests[i]));
    weir_json_put_value(report, "tests", tests);
    weir_json_end(text, report, plan, result);
}

const struct weir_reporter weir_reporter_parabench_json = {
    .name = "parabench json",
    .is_document = true,
    .is_held = weir_ior_holds_json, /* the same first keys */
    .end = end,
};
