/* SPDX-License-Identifier: Apache-2.0 */
/* The table of reporters, and a whole report from a finished result. */
#include "weir/report/report.h"

#include "reporters.h"

#include <assert.h>

const struct weir_reporter *weir_reporter_of(const struct weir_output *output)
{
    static const struct weir_reporter *const reporters[] = {
        [WEIR_FORMAT_IOR] = &weir_reporter_ior, /* of most versions */
        [WEIR_FORMAT_IOR_CSV] = &weir_reporter_ior_csv,
        [WEIR_FORMAT_IOR_JSON] = &weir_reporter_ior_json,
    };

    assert((unsigned)output->format < sizeof reporters / sizeof *reporters);
    if (output->format == WEIR_FORMAT_IOR && output->compat == WEIR_COMPAT_IOR_3_0)
        return &weir_reporter_ior_3_0;
    if (output->format == WEIR_FORMAT_IOR && output->compat == WEIR_COMPAT_IOR_2_10)
        return &weir_reporter_ior_2_10;
    return reporters[output->format];
}

void weir_report_notes(struct weir_text *text, const struct weir_phase_result *phase)
{
    size_t begin = text->length;

    weir_text_add(text, "%s", phase->notes);
    weir_text_make_visible(text->data + begin, "\n\t");
}

static void report_test(struct weir_text *text, const struct weir_reporter *reporter,
                        const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_test_result *test)
{
    if (reporter->test_begins)
        reporter->test_begins(text, plan, result, test);
    for (unsigned i = 0; reporter->phase_done && i < result->phase_count; i++)
        if (result->phases[i].test == test->test)
            reporter->phase_done(text, plan, result, &result->phases[i]);
    if (reporter->test_ends)
        reporter->test_ends(text, plan, result, test);
}

void weir_report_whole(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    const struct weir_reporter *reporter = weir_reporter_of(&plan->output);

    if (reporter->begin)
        reporter->begin(text, plan, result);
    for (unsigned i = 0; i < result->test_count; i++)
        report_test(text, reporter, plan, result, &result->tests[i]);
    if (reporter->end)
        reporter->end(text, plan, result);
    weir_report_trust(text, plan, result);
}
