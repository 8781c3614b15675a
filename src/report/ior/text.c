/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's classic text from 3.2 to 4.1. The fixed parts are byte for byte those that parsers of it
 * know. */
#include "dates.h"
#include "ior.h"
#include "layout.h"
#include "lines.h"
#include "notices.h"
#include "old.h"
#include "parameters.h"
#include "rows.h"
#include "signature.h"
#include "verbose.h"
#include "words.h"

#include <string.h>

/* ---- lines of the head ---- */

static void add_key(struct weir_text *text, const char *key)
{
    weir_text_add(text, "%-20s: ", key);
}

static void add_line(struct weir_text *text, const char *key, const char *value)
{
    add_key(text, key);
    weir_text_add_visible(text, value);
    weir_text_add(text, "\n");
}

static void add_date(struct weir_text *text, const char *key, double seconds)
{
    char date[WEIR_DATE_BYTES];

    add_line(text, key, weir_date_format(seconds, date));
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    char version[WEIR_REPORT_VERSION_BYTES];

    weir_notices_begin(text, plan);
    weir_text_add(text, "IOR-%s: MPI Coordinated Test of Parallel I/O\n",
                  weir_words_version(plan, version));
    add_date(text, "Began", result->begun_s);
    add_line(text, "Command line", plan->command_line);
    add_key(text, "Machine");
    weir_lines_machine(text, plan, &result->host);
    weir_text_add(text, "\n");
    weir_lines_skew_of_one_node(text, plan, result);
}

/* ---- tests ---- */

static void say_text(void *context, const char *key, const char *value)
{
    add_line(context, key, value);
}

static void say_number(void *context, const char *key, double value)
{
    add_key(context, key);
    weir_text_add(context, "%.15g\n", value);
}

static void add_place(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_test_result *begun)
{
    struct weir_text path = {0};

    weir_words_path(&path, plan, begun);
    add_line(text, "Path", weir_text_string(&path));
    weir_text_close(&path);
    add_key(text, "FS");
    weir_lines_filesystem(text, &begun->filesystem);
    weir_text_add(text, "\n");
}

static void add_options(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_words_listener listener = {
        .context = text,
        .text = say_text,
        .number = say_number,
    };

    if (plan->output.verbosity >= 3) {
        weir_text_add(text, "\nParameters: \n");
        weir_parameters_say(&listener, plan, result, begun);
    }
    weir_text_add(text, "\nOptions: \n");
    weir_words_options(&listener, plan, plan->tests[begun->test], begun);
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];

    if (begun->test > 0)
        weir_text_add(text, "\n");
    weir_notices_test(text, plan, test);
    weir_text_add(text, "%-20s: %u\n", "TestID", begun->test);
    add_date(text, "StartTime", begun->begun_s);
    add_place(text, plan, begun);
    weir_lines_tasks(text, plan, begun);
    weir_lines_remark(text, test);
    add_options(text, plan, result, begun);
    weir_text_add(text, "\nResults: \n");
    weir_verbose_given_seed(text, plan, test);
    weir_verbose_test(text, plan, test);
    weir_notices_begun(text, test, begun);
    weir_rows_head(text, plan);
}

/* ---- the summary ---- */

static void add_summary_head(struct weir_text *text, const struct weir_ior_layout *layout)
{
    weir_text_add(text,
                  "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  "
                  "Mean(OPs)     StdDev    Mean(s) %sTest# #Tasks tPN reps fPP reord reordoff "
                  "reordrand seed segcnt   blksiz    xsize aggs(MiB)   API RefNum\n",
                  layout->has_stonewall ? "Stonewall(s) Stonewall(MiB) " : "");
}

static void add_summary_figures(struct weir_text *text, const struct weir_ior_layout *layout,
                                const struct weir_ior_summary *summary)
{
    weir_lines_spread(text, &summary->mib_per_s);
    weir_lines_spread(text, &summary->ops_per_s);
    weir_text_add(text, "%10.5f ", summary->mean_s);
    if (!layout->has_stonewall)
        return;
    if (summary->has_stonewall)
        weir_text_add(text, "%10.2f %13.2f ", summary->stonewall_s, summary->stonewall_mib_per_s);
    else
        weir_text_add(text, "%10s %13s ", "NA", "NA");
}

static void add_summary_row(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_test_result *begun, enum weir_verb verb,
                            const struct weir_ior_summary *summary)
{
    const struct weir_test *test = plan->tests[begun->test];
    const struct weir_phase *phase = weir_words_data_phase(test);
    struct weir_shift shift = weir_words_shift(test);

    weir_text_add(text, "%-9s ", weir_verb_name(verb));
    add_summary_figures(text, weir_ior_layout_of(plan), summary);
    weir_text_add(text, "%5u %6u %3u %4llu %3d ", test->number, begun->rank_count,
                  begun->ranks_per_node, (unsigned long long)summary->repetitions,
                  !phase->target->is_shared);
    weir_text_add(text, "%5d %8llu %9u %4lld ", shift.kind == WEIR_SHIFT_NODES,
                  (unsigned long long)shift.distance, weir_words_random_shift_count(&shift),
                  (long long)weir_words_shift_seed(&shift));
    weir_text_add(text, "%6llu %8llu %8llu %9.1f %3s %6lld\n",
                  (unsigned long long)phase->transfers.layout.segment_count,
                  (unsigned long long)phase->transfers.layout.block_bytes,
                  (unsigned long long)phase->transfers.layout.transfer_bytes,
                  (double)summary->first_bytes / WEIR_MIB, test->label, (long long)test->reference);
}

static void test_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const char *summary_always = weir_test_setting(test, "summaryAlways");

    weir_rows_pairs(text, plan, result, begun);
    weir_lines_maxima(text, plan, result, test);
    /* IOR does so at -v alone. */
    if (plan->output.verbosity == 0 || !summary_always || strcmp(summary_always, "0") == 0)
        return;
    weir_text_add(text, "\n");
    add_summary_head(text, weir_ior_layout_of(plan));
    weir_lines_summary(text, plan, result, begun, add_summary_row);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    if (!weir_figures_has_end(plan, result))
        return;
    weir_text_add(text, "\nSummary of all tests:\n");
    add_summary_head(text, weir_ior_layout_of(plan));
    for (unsigned i = 0; i < result->test_count; i++)
        weir_lines_summary(text, plan, result, &result->tests[i], add_summary_row);
    add_date(text, "Finished", result->finished_s);
}

static const struct weir_reporter of_3_2_and_later = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .is_held = weir_ior_holds_text,
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = weir_rows_phase,
    .test_ends = test_ends,
    .end = end,
};

static const struct weir_reporter *in_style(const char *style)
{
    switch (weir_ior_layout_find(style)->release) {
    case WEIR_IOR_2_10:
        return &weir_ior_old_2_10;
    case WEIR_IOR_3_0:
        return &weir_ior_old_3_0;
    default:
        return &of_3_2_and_later;
    }
}

const struct weir_reporter weir_reporter_ior = {
    .name = "ior",
    .is_text = true,
    .warning_label = "WARNING: ",
    .is_held = weir_ior_holds_text,
    .in_style = in_style,
};
