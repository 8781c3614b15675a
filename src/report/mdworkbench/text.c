/* SPDX-License-Identifier: Apache-2.0 */
/* md-workbench's lines, byte for byte as parsers of them know them. */
#include "dates.h"
#include "figures.h"
#include "mdtest/mdtest.h"
#include "mdtest/rows.h"
#include "mdworkbench.h"
#include "rows.h"

#include "weir/base/version.h"

#include <stdlib.h>
#include <string.h>

static const char *const line_names[] = {"precreate", "benchmark", "cleanup"};
static const char *const op_names[WEIR_MDWORKBENCH_OPS] = {"read", "stat", "create", "delete"};

/* ---- the head ---- */

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    const struct weir_plan_source *source = &plan->source;

    (void)result;
    if (plan->test_count > 0 && weir_mdtest_is_set(plan->tests[0], "quiet"))
        return;
    weir_text_add(text, "Args:");
    for (size_t i = 0; i < source->word_count; i++) {
        weir_text_add(text, i > 0 ? " \"" : " ");
        weir_text_add_visible(text, source->words[i]);
        weir_text_add(text, i > 0 ? "\"" : "");
    }
    weir_text_add(text, "\n");
}

/* Returns a size option as a number: a setting is the text that was given, such as "1m". */
static double number_of(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);
    uint64_t number;

    return value != NULL && weir_size_parse(value, &number) == 0 ? (double)number : 0.0;
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    double sets = begun->rank_count * number_of(test, "data-sets");
    double there = number_of(test, "precreate-per-set");
    /* As md-workbench counts: with -1 and -3, too, those of all iterations. */
    double rounds = weir_mdworkbench_rounds(test);
    double made =
        (rounds > 0 ? rounds : number_of(test, "iterations")) * number_of(test, "obj-per-proc");
    char date[WEIR_DATE_BYTES], version[WEIR_REPORT_VERSION_BYTES];

    (void)result;
    if (begun->node_map != NULL)
        weir_text_add(text, "Nodemap: %s\n", begun->node_map);
    weir_text_add(text,
                  "MD-Workbench total objects: %.0f workingset size: %.3f MiB (version: "
                  "%s) time: %s\n",
                  sets * (there + made), sets * there * number_of(test, "object-size") / WEIR_MIB,
                  weir_report_version(plan, WEIR_IOR_VERSION, version),
                  weir_date_format_iso(begun->begun_s, date));
    if (weir_mdtest_is_set(test, "print-detailed-stats"))
        weir_text_add(text, "phase\t\td name\tcreate\tdelete\tob nam\tcreate\tread\tstat\tdelete\t"
                            "t_inc_b\tt_no_bar\tthp\tmax_t\n");
    weir_report_remarks(text, "WARNING: ", plan, test);
    weir_report_room(text, "WARNING: ", begun);
}

/* ---- phases ---- */

static void add_quantiles(struct weir_text *text, const struct weir_mdworkbench_row *row)
{
    for (int op = 0; op < WEIR_MDWORKBENCH_OPS; op++) {
        if (!row->is_timed[op])
            continue;
        weir_text_add(text, " %s", op_names[op]);
        for (size_t i = 0; i < WEIR_QUANTILES; i++)
            weir_text_add(text, "%s%.4es", i > 0 ? ", " : "(",
                          (double)row->quantile_ns[op][i] / 1e9);
        weir_text_add(text, ")");
    }
}

static void add_rates(struct weir_text *text, const struct weir_mdworkbench_row *row)
{
    unsigned long long objects = row->object_count, sets = row->data_sets;
    double objects_per_s = weir_figures_rate((double)objects, row->max_s);
    double sets_per_s = weir_figures_rate((double)sets, row->max_s);

    weir_text_add(text, " rate:%.1f iops/s", weir_figures_rate((double)row->op_count, row->max_s));
    if (row->line == WEIR_MDWORKBENCH_PRECREATE)
        weir_text_add(text, " dsets: %llu objects:%llu rate:%.3f dset/s rate:%.1f obj/s", sets,
                      objects, sets_per_s, objects_per_s);
    else if (row->line == WEIR_MDWORKBENCH_BENCHMARK)
        weir_text_add(text, " objects:%llu rate:%.1f obj/s", objects, objects_per_s);
    else
        weir_text_add(text, " objects:%llu dsets: %llu rate:%.1f obj/s rate:%.3f dset/s", objects,
                      sets, objects_per_s, sets_per_s);
    if (row->line != WEIR_MDWORKBENCH_CLEANUP)
        weir_text_add(text, " tp:%.1f MiB/s",
                      weir_figures_rate(row->moved_bytes / WEIR_MIB, row->max_s));
    weir_text_add(text, " op-max:%.4es (%llu errs%s)", row->op_max_s,
                  (unsigned long long)row->error_count, row->error_count > 0 ? "!!!" : "");
}

static void add_row(struct weir_text *text, const struct weir_mdworkbench_row *row, bool is_of_all)
{
    weir_text_add(text, "%s process max:%.2fs", line_names[row->line], row->max_s);
    if (is_of_all)
        weir_text_add(text, " min:%.2fs mean: %.2fs balance:%.1f stddev:%.1f", row->min_s,
                      row->mean_s, weir_figures_percent(row->min_s, row->max_s), row->stddev_s);
    add_rates(text, row);
    if (row->stonewall_iteration > 0)
        weir_text_add(text, " stonewall-iter:%llu", (unsigned long long)row->stonewall_iteration);
    add_quantiles(text, row);
    if (row->waiting >= 0.0)
        weir_text_add(text, " waiting:%.4f", row->waiting);
    weir_text_add(text, "\n");
}

static void add_details(struct weir_text *text, const struct weir_mdworkbench_row *row,
                        double own_s)
{
    unsigned long long made = row->line == WEIR_MDWORKBENCH_PRECREATE ? row->data_sets : 0;
    unsigned long long removed = row->line == WEIR_MDWORKBENCH_CLEANUP ? row->data_sets : 0;

    weir_text_add(text, "%s \t%llu\t%llu\t%llu\t%llu\t%llu\t%llu\t%.3fs\t%.3fs\t%.2f MiB/s %.4e\n",
                  line_names[row->line], made, removed,
                  (unsigned long long)row->done[WEIR_MDWORKBENCH_CREATE],
                  (unsigned long long)row->done[WEIR_MDWORKBENCH_READ],
                  (unsigned long long)row->done[WEIR_MDWORKBENCH_STAT],
                  (unsigned long long)row->done[WEIR_MDWORKBENCH_DELETE], row->max_s, own_s,
                  weir_figures_rate(row->moved_bytes / WEIR_MIB, row->max_s), row->op_max_s);
}

static void add_problems(struct weir_text *text, const struct weir_phase *planned,
                         const struct weir_phase_result *phase)
{
    if (phase->failure[0] != '\0') {
        weir_text_add(text, "ERROR: %s: ", weir_verb_name(planned->verb));
        weir_text_add_visible(text, phase->failure);
        weir_text_add(text, "\n");
    } else if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
        weir_text_add(text, "WARNING: %s %s after %llu operations\n", weir_verb_name(planned->verb),
                      weir_figures_has_failed(phase) ? "failed" : "was interrupted",
                      (unsigned long long)phase->op_count);
    }
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    struct weir_mdworkbench_row row;
    bool has_details;

    if (planned == NULL || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (phase->notes)
        weir_report_notes(text, phase);
    add_problems(text, planned, phase);
    if (!weir_mdworkbench_row(plan, result, phase, &row))
        return;
    has_details = weir_mdtest_is_set(plan->tests[phase->test], "print-detailed-stats");
    if (has_details)
        add_details(text, &row, row.directories_s + row.objects->rank_s_max);
    else
        add_row(text, &row, true);
    /* Figures of single ranks are there while their phase is the latest one. */
    if (row.rows == NULL || row.times == NULL ||
        !weir_mdtest_is_set(plan->tests[phase->test], "process-reports"))
        return;
    for (unsigned rank = 0; rank < row.objects->rank_count; rank++) {
        struct weir_mdworkbench_row part = weir_mdworkbench_row_of_rank(plan, &row, rank);

        weir_text_add(text, "%u: ", rank);
        if (has_details)
            add_details(text, &part, part.max_s);
        else
            add_row(text, &part, false);
    }
}

/* ---- the end ---- */

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    char date[WEIR_DATE_BYTES];

    if (!weir_figures_has_end(plan, result))
        return;
    weir_text_add(text, "Total runtime: %.0fs time: %s\n", result->finished_s - result->begun_s,
                  weir_date_format_iso(result->finished_s, date));
}

const struct weir_reporter weir_reporter_mdworkbench = {
    .name = "md-workbench",
    .is_text = true,
    .warning_label = "WARNING: ",
    .openings = (const char *const[]){"Args: ", "Nodemap: ", "MD-Workbench total objects: ", NULL},
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .end = end,
};

/* ---- the dialect ---- */

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_DETAILS, "-v"},
    {WEIR_REMEDY_PATH, "-o"},
    {WEIR_REMEDY_BACKEND, "-a"},
    {WEIR_REMEDY_KEEP, "-1"},
    {WEIR_REMEDY_REMOVE, "-3"},
    {WEIR_REMEDY_WRITE, "-1"},
    {WEIR_REMEDY_READ, "-2"},
    {WEIR_REMEDY_TRANSFER_SIZE, "-S"},
    {WEIR_REMEDY_REPETITIONS, "-R"},
    {WEIR_REMEDY_LONGER_PHASE, "-I"},
    {WEIR_REMEDY_SHIFT_DISTANCE, "-O"},
    {WEIR_REMEDY_PATTERN, "--dataPacketType"},
    {WEIR_REMEDY_SEED, "-G"},
    {WEIR_REMEDY_VERIFY_READS, "-X"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_OP_FILES, "-L"},
    {0},
};

/* The line that the phase is part of. */
static const char *name_row(const struct weir_test *test, const struct weir_phase *phase)
{
    (void)test;
    if (phase->verb == WEIR_CYCLE)
        return "benchmark";
    return weir_verb_makes_items(phase->verb) ? "precreate" : "cleanup";
}

static const struct weir_reporter *const reporters[] = {&weir_reporter_mdworkbench, NULL};

static bool find_figure(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure)
{
    struct weir_mdworkbench_row row;

    if (!weir_mdworkbench_row(plan, result, phase, &row))
        return false;
    *figure =
        (struct weir_shown_figure){.value = weir_figures_rate((double)row.op_count, row.max_s),
                                   .unit = "iops/s",
                                   .decimals = 1};
    return true;
}

const struct weir_dialect_reports weir_mdworkbench_reports = {.dialect = "md-workbench",
                                                              .work = WEIR_WORKS_ON_TREES,
                                                              .reporters = reporters,
                                                              .remedies = remedies,
                                                              .rank_csv = &weir_mdtest_rank_csv,
                                                              .name_row = name_row,
                                                              .find_figure = find_figure};
