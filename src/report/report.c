/* SPDX-License-Identifier: Apache-2.0 */
/* The table of dialects, and a whole report from a finished result. */

#include "dialect.h"
#include "trust/tables.h"

#include "weir/base/memory.h"
#include "weir/base/version.h"
#include "weir/report/expect.h"
#include "weir/report/measures.h"
#include "weir/report/pictures.h"

#include <assert.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct weir_dialect_reports *const dialects[] = {
    &weir_ior_reports, &weir_mdtest_reports,    &weir_mdworkbench_reports, &weir_iozone_reports,
    &weir_dd_reports,  &weir_parabench_reports, &weir_targets_reports,     &weir_sweep_reports,
    &weir_ci_reports,  &weir_measured_reports};
#define DIALECT_COUNT (sizeof dialects / sizeof *dialects)

void weir_report_use_reserve(void)
{
    json_set_alloc_funcs(weir_memory_take, free);
}

const struct weir_reporter *weir_reporter_find(const struct weir_output *output)
{
    for (size_t i = 0; i < DIALECT_COUNT; i++)
        for (const struct weir_reporter *const *row = dialects[i]->reporters; *row != NULL; row++)
            if (strcmp((*row)->name, output->reporter) == 0)
                return (*row)->in_style ? (*row)->in_style(output->style) : *row;
    assert(!"a front end names a reporter of the table");
    return *dialects[0]->reporters;
}

/* Columns of our own, after those of the header. */
static const char believed_columns[] = ",believed,findings\n";

bool weir_report_has_own_columns(const struct weir_plan *plan)
{
    return !plan->output.is_plain && !plan->output.is_apart && plan->output.style == NULL;
}

static bool is_held(const struct weir_reporter *reporter, const char *begin)
{
    if (reporter->header) {
        size_t length = strlen(reporter->header) - 1;

        return strncmp(begin, reporter->header, length) == 0 &&
               (begin[length] == '\n' || weir_text_begins(begin + length, believed_columns));
    }
    if (!reporter->openings)
        return reporter->is_held(begin);
    for (const char *const *opening = reporter->openings; *opening; opening++)
        if (weir_text_begins(begin, *opening))
            return true;
    return false;
}

bool weir_report_is_held(const char *begin)
{
    /* Comparisons: of sides, of the groups of --by, and as JSON. */
    static const char *const compared[] = {"A  ", "runs  ", "{\n  \"schema\": \"weir-compare-"};

    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        if (weir_text_begins(begin, compared[i]) &&
            isdigit((unsigned char)begin[strlen(compared[i])]))
            return true;
    for (size_t i = 0; i < DIALECT_COUNT; i++)
        for (const struct weir_reporter *const *row = dialects[i]->reporters; *row != NULL; row++)
            if (is_held(*row, begin))
                return true;
    return weir_page_is_own(begin);
}

void weir_report_notes(struct weir_text *text, const struct weir_phase_result *phase)
{
    size_t begin = text->length;

    weir_text_add(text, "%s", phase->notes);
    weir_text_make_visible(text->data + begin, "\n\t");
}

void weir_report_sentence(struct weir_text *text, const char *label, const char *sentence)
{
    weir_text_add(text, "%s", label);
    weir_text_add_visible(text, sentence);
    weir_text_add(text, "\n");
}

void weir_report_add_xml(struct weir_text *text, const char *string)
{
    struct weir_text visible = {0};

    weir_text_add_visible(&visible, string);
    weir_xml_add(text, weir_text_string(&visible));
    weir_text_close(&visible);
}

void weir_report_remarks(struct weir_text *text, const char *label, const struct weir_plan *plan,
                         const struct weir_test *test)
{
    for (size_t i = 0; i < test->remark_count; i++)
        if (!weir_plan_repeats_remark(plan, test, i))
            weir_report_sentence(text, label, test->remarks[i]);
}

void weir_report_room(struct weir_text *text, const char *label,
                      const struct weir_test_result *test)
{
    if (test->no_room[0] != '\0')
        weir_report_sentence(text, label, test->no_room);
}

const char *weir_report_version(const struct weir_plan *plan, const char *original,
                                char version[WEIR_REPORT_VERSION_BYTES])
{
    bool is_bare = plan->output.is_plain || plan->output.style != NULL;

    snprintf(version, WEIR_REPORT_VERSION_BYTES, "%s%s", original,
             is_bare ? "" : "+weir-" WEIR_VERSION);
    return version;
}

const struct weir_dialect_reports *weir_report_dialect(const char *dialect)
{
    for (size_t i = 0; dialect != NULL && i < DIALECT_COUNT; i++)
        if (strcmp(dialects[i]->dialect, dialect) == 0)
            return dialects[i];
    return NULL;
}

bool weir_report_fits(const struct weir_plan *plan)
{
    const struct weir_dialect_reports *whole = weir_report_dialect(plan->dialect);

    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];
        const struct weir_dialect_reports *dialect = weir_report_dialect(test->dialect);
        unsigned moving = 0, fitting = 0;

        if (whole != NULL && whole->work != WEIR_WORKS_ON_ANY && whole != dialect)
            return false;
        if (dialect == NULL)
            continue;
        for (size_t j = 0; j < test->phase_count; j++) {
            enum weir_verb verb = test->phases[j]->verb;
            enum weir_dialect_work work = weir_verb_works_on_trees(verb) ? WEIR_WORKS_ON_TREES
                                          : verb == WEIR_PROGRAM         ? WEIR_WORKS_ON_PROGRAMS
                                                                         : WEIR_WORKS_ON_FILES;

            fitting += work == dialect->work;
            moving += weir_verb_moves_data(verb);
        }
        if (fitting < test->phase_count || (dialect->work == WEIR_WORKS_ON_FILES && moving == 0))
            return false;
    }
    return true;
}

unsigned weir_report_count_warnings(const char *text)
{
    static const char label[] = "WARNING: ";
    static const char *const sizes[] = {"Expected aggregate file size", "Stat() of aggregate",
                                        "Using actual aggregate bytes", "Maybe caused by"};
    unsigned count = 0;

    for (const char *line = text; line != NULL && *line != '\0';) {
        bool is_warning = weir_text_begins(line, label);

        for (size_t i = 0; is_warning && i < sizeof sizes / sizeof *sizes; i++)
            is_warning = !weir_text_begins(line + strlen(label), sizes[i]);
        count += is_warning;
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    return count;
}

/* ---- a second report ---- */

const char *weir_report_side_path(const struct weir_plan *plan, unsigned test, const char **option)
{
    const struct weir_dialect_reports *dialect = weir_report_dialect(plan->tests[test]->dialect);

    if (dialect == NULL || dialect->side == NULL)
        return NULL;
    *option = dialect->side->option;
    return weir_test_setting(plan->tests[test], dialect->side->setting);
}

void weir_report_side(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_dialect_reports *dialect =
        weir_report_dialect(plan->tests[phase->test]->dialect);

    if (dialect != NULL && dialect->side != NULL)
        dialect->side->reporter->phase_done(text, plan, result, phase);
}

bool weir_report_has_details(const struct weir_output *output)
{
    return output->has_details || output->verbosity > 0;
}

/* ---- phases in our own reports ---- */

void weir_report_phase_name(const struct weir_test *test, const struct weir_phase *phase,
                            char name[WEIR_SHOWN_NAME_BYTES])
{
    struct weir_arena arena = {0};

    snprintf(name, WEIR_SHOWN_NAME_BYTES, "%s",
             phase->program != NULL ? "program" : weir_measures_name_phase(&arena, test, phase));
    weir_arena_close(&arena);
}

bool weir_report_shown_figure(const struct weir_plan *plan, const struct weir_result *result,
                              const struct weir_phase_result *phase,
                              struct weir_shown_figure *figure)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    const struct weir_dialect_reports *dialect =
        planned != NULL ? weir_report_dialect(plan->tests[phase->test]->dialect) : NULL;

    if (planned == NULL)
        return false;
    if (dialect != NULL && dialect->find_figure != NULL)
        return dialect->find_figure(plan, result, phase, figure);
    if (weir_verb_works_on_trees(planned->verb))
        *figure = (struct weir_shown_figure){
            .value = weir_figures_ops_per_s(planned, phase), .unit = "ops/s", .decimals = 3};
    else
        *figure = (struct weir_shown_figure){
            .value =
                weir_figures_rate((double)phase->byte_count, phase->windows.total_s) / WEIR_MIB,
            .unit = "MiB/s",
            .decimals = 2};
    return true;
}

/* ---- figures of ranks ---- */

static const struct weir_rank_csv_format *rank_csv_of(const struct weir_plan *plan, unsigned test)
{
    const struct weir_dialect_reports *dialect = weir_report_dialect(plan->tests[test]->dialect);

    return (dialect != NULL ? dialect : dialects[0])->rank_csv;
}

const char *weir_rank_csv_header(const struct weir_plan *plan, unsigned test)
{
    const struct weir_rank_csv_format *format = rank_csv_of(plan, test);

    return !weir_report_has_own_columns(plan) && format->plain_header != NULL ? format->plain_header
                                                                              : format->header;
}

void weir_rank_csv_add(struct weir_rank_csv *held, struct weir_text *text,
                       const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    rank_csv_of(plan, phase->test)->add(held, text, plan, phase);
}

void weir_rank_csv_end(struct weir_rank_csv *held, struct weir_text *text,
                       const struct weir_plan *plan, unsigned test)
{
    if (rank_csv_of(plan, test)->end)
        rank_csv_of(plan, test)->end(held, text);
}

/* ---- remedies ---- */

const struct weir_remedy_word *weir_report_words(const char *dialect)
{
    const struct weir_dialect_reports *reports = weir_report_dialect(dialect);

    return reports != NULL ? reports->remedies : NULL;
}

const struct weir_remedy_word *weir_report_words_of(const struct weir_plan *plan, unsigned test)
{
    const struct weir_dialect_reports *reports =
        weir_report_dialect(test < plan->test_count ? plan->tests[test]->dialect : plan->dialect);

    if (reports == NULL)
        return NULL;
    return reports->remedies_of != NULL && test < plan->test_count
               ? reports->remedies_of(plan->tests[test])
               : reports->remedies;
}

void weir_report_spell(struct weir_text *text, size_t begin, const struct weir_remedy_word *words)
{
    struct weir_text plain = {0};
    char *spelt;
    size_t bytes;

    if (text->length <= begin || strchr(text->data + begin, '{') == NULL)
        return;
    weir_text_add(&plain, "%s", text->data + begin);
    text->length = begin;
    text->data[begin] = '\0';
    bytes = weir_remedy_spell(words, plain.data, NULL, 0) + 1;
    spelt = weir_memory_grow(NULL, bytes);
    weir_remedy_spell(words, plain.data, spelt, bytes);
    weir_text_add(text, "%s", spelt);
    free(spelt);
    weir_text_close(&plain);
}

/* ---- the report, piece by piece ---- */

void weir_report_begin(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    const struct weir_reporter *reporter = weir_reporter_find(&plan->output);
    size_t begin = text->length;

    if (reporter->header && !weir_report_has_own_columns(plan))
        weir_text_add(text, "%s", reporter->header);
    else if (reporter->header)
        weir_text_add(text, "%.*s%s", (int)strlen(reporter->header) - 1, reporter->header,
                      believed_columns);
    if (reporter->begin)
        reporter->begin(text, plan, result);
    if (reporter->warning_label != NULL && result->launch_mismatch != NULL)
        weir_report_sentence(text, reporter->warning_label, result->launch_mismatch);
    weir_report_spell(text, begin, weir_report_words_of(plan, 0));
}

void weir_report_test_begins(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result, const struct weir_test_result *test)
{
    const struct weir_reporter *reporter = weir_reporter_find(&plan->output);
    size_t begin = text->length;

    if (reporter->test_begins)
        reporter->test_begins(text, plan, result, test);
    weir_report_spell(text, begin, weir_report_words_of(plan, test->test));
}

void weir_report_add_findings(struct weir_text *text, const struct weir_phase_result *phase)
{
    const struct weir_finding *finding = NULL;
    const char *separator = "";

    while ((finding = weir_finding_next(phase->findings, phase->finding_count, finding)) != NULL) {
        if (finding->explained_by != NULL)
            continue;
        weir_text_add(text, "%s%s", separator, finding->name);
        separator = ";";
    }
}

void weir_report_phase_done(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_reporter *reporter = weir_reporter_find(&plan->output);
    size_t begin = text->length;

    if (reporter->phase_done)
        reporter->phase_done(text, plan, result, phase);
    if (reporter->header && weir_report_has_own_columns(plan)) {
        /* Adds the verdict and the names of findings of a phase to the lines of values from `begin`
         * on. */
        struct weir_text lines = {0};
        const char *line = text->length > begin ? text->data + begin : "";

        for (size_t length; *line != '\0'; line += length + (line[length] == '\n')) {
            length = strcspn(line, "\n");
            weir_text_add_bytes(&lines, line, length);
            weir_text_add(&lines, ",%s,", weir_believed_names[phase->believed]);
            weir_report_add_findings(&lines, phase);
            weir_text_add(&lines, "\n");
        }
        if (lines.length > 0) {
            text->length = begin;
            weir_text_add(text, "%s", weir_text_string(&lines));
        }
        weir_text_close(&lines);
    }
    weir_report_spell(text, begin, weir_report_words_of(plan, phase->test));
}

void weir_report_test_ends(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test_result *test)
{
    const struct weir_reporter *reporter = weir_reporter_find(&plan->output);
    size_t begin = text->length;

    if (reporter->test_ends)
        reporter->test_ends(text, plan, result, test);
    weir_report_spell(text, begin, weir_report_words_of(plan, test->test));
}

bool weir_report_has_conditions(const struct weir_plan *plan)
{
    return weir_reporter_find(&plan->output)->is_text && !plan->output.is_plain;
}

void weir_report_conditions(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result)
{
    struct weir_arena arena = {0};

    if (plan->output.expect != NULL)
        weir_expect_add_lines(text, weir_expect_judge(&arena, plan, result));
    weir_arena_close(&arena);
}

void weir_report_end(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result, bool has_trust)
{
    const struct weir_reporter *reporter = weir_reporter_find(&plan->output);
    size_t begin = text->length;

    if (reporter->end)
        reporter->end(text, plan, result);
    if (has_trust)
        weir_report_trust(text, plan, result);
    if (has_trust && weir_report_has_conditions(plan))
        weir_report_conditions(text, plan, result);
    weir_report_spell(text, begin, weir_report_words_of(plan, 0));
}

void weir_report_whole(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    weir_report_begin(text, plan, result);
    for (unsigned i = 0; i < result->test_count; i++) {
        weir_report_test_begins(text, plan, result, &result->tests[i]);
        for (unsigned k = 0; k < result->phase_count; k++)
            if (result->phases[k].test == result->tests[i].test)
                weir_report_phase_done(text, plan, result, &result->phases[k]);
        weir_report_test_ends(text, plan, result, &result->tests[i]);
    }
    weir_report_end(text, plan, result, true);
}
