/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a program as lines: how it went, those of Parabench, and behind them our tables.
 * Each line of ours begins with our name. */
#include "parabench.h"
#include "ior/ior.h"
#include "trust/tables.h"

#include <string.h>

static bool is_silent(const struct weir_test *test)
{
    const char *value = weir_test_setting(test, "silent");

    return value != NULL && strcmp(value, "1") == 0;
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];

    (void)result;
    weir_report_remarks(text, WEIR_PARABENCH_OWN, plan, test);
    weir_report_room(text, WEIR_PARABENCH_OWN, begun);
}

/* Each line behind our name: no script takes it for one of Parabench's. */
static void move_own(struct weir_text *text, struct weir_text *own)
{
    char *line, *rest;

    for (line = rest = own->data; line != NULL && *line != '\0'; line = rest) {
        rest = strchr(line, '\n');
        *rest++ = '\0';
        weir_trust_line(text, "%s", line);
    }
    weir_text_close(own);
}

static void add_own(struct weir_text *text, const struct weir_plan *plan,
                    const struct weir_phase_result *phase)
{
    struct weir_text own = {0};

    weir_parabench_verdict(&own, plan, phase);
    weir_parabench_labels(&own, plan, phase);
    weir_text_add(text, "\n");
    move_own(text, &own);
}

static void add_notes(struct weir_text *text, const struct weir_phase_result *phase)
{
    if (phase->notes)
        weir_report_notes(text, phase);
    if (phase->failure[0] != '\0')
        weir_report_sentence(text, WEIR_PARABENCH_OWN, phase->failure);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_program_result *program = weir_parabench_program(plan, phase);
    bool is_short = program != NULL && is_silent(plan->tests[phase->test]);
    bool has_own = !is_short && !plan->output.is_plain;
    bool is_brief = has_own && !weir_report_has_details(&plan->output);

    (void)result;
    if (program == NULL)
        return;
    if (has_own && !is_brief) {
        /* Before the lists of the original, which may be long. */
        struct weir_text own = {0};

        weir_parabench_verdict(&own, plan, phase);
        weir_parabench_parameters(&own, plan, phase);
        move_own(text, &own);
    }
    weir_text_add(text, "%s", program->warnings != NULL ? program->warnings : "");
    add_notes(text, phase);
    if (!is_short && !is_brief)
        weir_parabench_original(text, plan, phase);
    if (phase->outcome == WEIR_OUTCOME_COMPLETE && !phase->is_interrupted)
        weir_parabench_summary(text, program);
    if (has_own && !is_brief)
        add_own(text, plan, phase);
}

/* Without our own lines it tells of groups that are not mapped before all else. */
const struct weir_reporter weir_reporter_parabench = {
    .name = "parabench",
    .is_text = true,
    .warning_label = WEIR_PARABENCH_OWN,
    .openings =
        (const char *const[]){"\n********************** Time Report ",
                              "\nRuntime: ", "Warning: Mapping for group ", "Warning: Group ",
                              WEIR_PARABENCH_OWN, "weir  " WEIR_PARABENCH_LABELS_BEGIN, NULL},
    .test_begins = test_begins,
    .phase_done = phase_done,
};

/* ---- our tables alone ---- */

static void labels_done(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_phase_result *phase)
{
    (void)result;
    if (weir_parabench_program(plan, phase) == NULL)
        return;
    add_notes(text, phase);
    weir_parabench_verdict(text, plan, phase);
    weir_parabench_parameters(text, plan, phase);
    weir_parabench_labels(text, plan, phase);
}

const struct weir_reporter weir_reporter_parabench_labels = {
    .name = "parabench labels",
    .is_text = true,
    .warning_label = WEIR_PARABENCH_OWN,
    .openings = (const char *const[]){WEIR_PARABENCH_LABELS_BEGIN, WEIR_PARABENCH_OWN, NULL},
    .test_begins = test_begins,
    .phase_done = labels_done,
};

/* ---- the dialect ---- */

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_PATH, "--root"},
    {WEIR_REMEDY_ROOT, "--root"},
    {WEIR_REMEDY_ANYWHERE, "allow all with --anywhere"},
    {WEIR_REMEDY_BACKEND, "--backend"},
    {WEIR_REMEDY_DEVICE, "weir ior --device allow"},
    {WEIR_REMEDY_DEVICE_FORCE, "weir ior --device force"},
    {WEIR_REMEDY_KEEP, "a program without delete"},
    {WEIR_REMEDY_FILE_PER_RANK, "$$rank in the name"},
    {WEIR_REMEDY_REPETITIONS, "repeat"},
    {WEIR_REMEDY_DEADLINE, "--time-limit"},
    {WEIR_REMEDY_LONGER_PHASE, "repeat"},
    {WEIR_REMEDY_SYNC, "fsync"},
    {WEIR_REMEDY_TRANSFER_SIZE, "the size of the command"},
    {WEIR_REMEDY_SEED, "--seed"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_VERIFY_READS, "--verify"},
    {0},
};

static const struct weir_reporter *const reporters[] = {
    &weir_reporter_parabench, &weir_reporter_parabench_labels, &weir_reporter_parabench_xml, NULL};

/* results.xml */
static const struct weir_side_format side = {
    .setting = "xml", .option = "-e", .reporter = &weir_reporter_parabench_xml};

const struct weir_dialect_reports weir_parabench_reports = {.dialect = "parabench",
                                                            .work = WEIR_WORKS_ON_PROGRAMS,
                                                            .reporters = reporters,
                                                            .remedies = remedies,
                                                            .rank_csv = &weir_ior_rank_csv,
                                                            .side = &side};
