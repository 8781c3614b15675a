/* SPDX-License-Identifier: Apache-2.0 */
/* Names, hosts, file systems and figures as IOR's lines hold them, whatever the layout. */
#include "lines.h"

#include "layout.h"
#include "words.h"

#include <math.h>

void weir_lines_machine(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_host_facts *host)
{
    struct weir_text words = {0};

    weir_words_machine(&words, plan, host);
    weir_text_add_visible(text, weir_text_string(&words));
    weir_text_close(&words);
}

void weir_lines_filesystem(struct weir_text *text, const struct weir_filesystem_facts *facts)
{
    struct weir_words_filesystem words = weir_words_filesystem(facts);

    weir_text_add(text, "%s   Used FS: %s   Inodes: %s   Used Inodes: %s", words.capacity,
                  words.used_capacity, words.inodes, words.used_inodes);
}

void weir_lines_remark(struct weir_text *text, const struct weir_test *test)
{
    const char *remark = weir_words_remark(test);

    if (!remark)
        return;
    weir_text_add(text, "\n*** DEBUG MODE ***\n*** ");
    weir_text_add_visible(text, remark);
    weir_text_add(text, " ***\n");
}

/* ---- at -v, before the options ---- */

static bool says_skew(const struct weir_plan *plan)
{
    return plan->output.verbosity >= 1 && weir_ior_layout_of(plan)->has_skew;
}

static void add_skew(struct weir_text *text, double seconds)
{
    weir_text_add(text, "Start time skew across all tasks: %.2f sec\n",
                  isfinite(seconds) ? fabs(seconds) : 0.0);
}

void weir_lines_skew_of_one_node(struct weir_text *text, const struct weir_plan *plan,
                                 const struct weir_result *result)
{
    if (says_skew(plan) && result->test_count > 0 && result->tests[0].node_count <= 1)
        add_skew(text, 0.0);
}

void weir_lines_skew_of_nodes(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result,
                              const struct weir_phase_result *phase)
{
    if (says_skew(plan) && phase == &result->phases[0] && result->tests[0].node_count > 1)
        add_skew(text, phase->clock.is_cross_node ? phase->clock.offset_s : 0.0);
}

void weir_lines_tasks(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_test_result *begun)
{
    const struct weir_ior_layout *layout = weir_ior_layout_of(plan);
    struct weir_shift shift = weir_words_shift(plan->tests[begun->test]);

    if (plan->output.verbosity < 1)
        return;
    if (layout->participants)
        weir_text_add(text, "%s%u\n", layout->participants, begun->rank_count);
    if (layout->has_skew && shift.kind == WEIR_SHIFT_NODES)
        weir_text_add(text, "Using reorderTasks '-C' (expecting block, not cyclic, task "
                            "assignment)\n");
}

/* ---- over repetitions ---- */

void weir_lines_maxima(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_test *test)
{
    static const char *const words[] = {
        [WEIR_WRITE] = "Max Write: ",
        [WEIR_READ] = "Max Read:  ",
        [WEIR_MIXED] = "Max Mixed: ",
    };
    struct weir_ior_summary summary;

    if (plan->output.verbosity < 1 && !weir_ior_layout_of(plan)->has_all_maxima)
        return;
    for (enum weir_verb verb = WEIR_WRITE; verb <= WEIR_MIXED; verb++)
        if (weir_figures_summary(plan, result, test, verb, &summary))
            weir_text_add(text, "%s%.2f MiB/sec (%.2f MB/sec)\n", words[verb],
                          summary.mib_per_s.max, summary.mib_per_s.max * WEIR_MIB / 1e6);
}

void weir_lines_spread(struct weir_text *text, const struct weir_spread *spread)
{
    weir_text_add(text, "%10.2f %10.2f %10.2f %10.2f ", spread->max, spread->min, spread->mean,
                  spread->stddev);
}

void weir_lines_summary(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun,
                        weir_lines_summary_row *add_row)
{
    const struct weir_test *test = plan->tests[begun->test];
    struct weir_ior_summary summary;

    for (enum weir_verb verb = WEIR_WRITE; verb < WEIR_VERB_COUNT; verb++)
        if (weir_figures_summary(plan, result, test, verb, &summary))
            add_row(text, plan, begun, verb, &summary);
}
