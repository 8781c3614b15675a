/* SPDX-License-Identifier: Apache-2.0 */
/* The table of reporters, and a whole report from a finished result. */
#include "weir/report/report.h"

#include "reporters.h"

#include <assert.h>
#include <string.h>

static const struct weir_reporter *const reporters[] = {
    &weir_reporter_ior,
    &weir_reporter_ior_csv,
    &weir_reporter_ior_json,
};
#define REPORTER_COUNT (sizeof reporters / sizeof *reporters)

const struct weir_reporter *weir_reporter_find(const struct weir_output *output)
{
    size_t i = 0;

    while (i + 1 < REPORTER_COUNT && strcmp(reporters[i]->name, output->reporter) != 0)
        i++;
    assert(strcmp(reporters[i]->name, output->reporter) == 0);
    return reporters[i]->in_style ? reporters[i]->in_style(output->style) : reporters[i];
}

bool weir_report_is_held(const char *begin)
{
    for (size_t i = 0; i < REPORTER_COUNT; i++)
        if (reporters[i]->is_held(begin))
            return true;
    return false;
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
    const struct weir_reporter *reporter = weir_reporter_find(&plan->output);

    if (reporter->begin)
        reporter->begin(text, plan, result);
    for (unsigned i = 0; i < result->test_count; i++)
        report_test(text, reporter, plan, result, &result->tests[i]);
    if (reporter->end)
        reporter->end(text, plan, result);
    weir_report_trust(text, plan, result);
}
