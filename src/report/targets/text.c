/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of storage targets for people: each alone in order of rate, then all together. */
#include "figures.h"
#include "ior/ior.h"
#include "ior/words.h"
#include "rows.h"
#include "targets.h"

#include <inttypes.h>
#include <string.h>

#define NAME_COLUMNS 24

/* ---- the head ---- */

/* By their names: later tests repeat them. */
static unsigned count_peers(const struct weir_plan *plan)
{
    unsigned count = 0;

    for (; count < plan->test_count; count++) {
        const char *peer = plan->tests[count]->peer;

        if (peer == NULL || (count > 0 && strcmp(peer, plan->tests[0]->peer) == 0))
            break;
    }
    return count;
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    const struct weir_test *test = plan->test_count > 0 ? plan->tests[0] : NULL;
    char bytes[WEIR_SIZE_TEXT_BYTES], transfer[WEIR_SIZE_TEXT_BYTES];
    int64_t ranks, repetitions;

    (void)result;
    if (test == NULL)
        return;
    repetitions = weir_words_setting(test, "repetitions", 1);
    ranks = weir_words_setting(test, "ranks-per-target", 1);
    weir_text_add(text,
                  "targets: %u, with %" PRId64 " rank%s each; %s on each in transfers of %s, %s; "
                  "%" PRId64 " repetition%s\n",
                  count_peers(plan), ranks, ranks == 1 ? "" : "s",
                  weir_size_format((uint64_t)weir_words_setting(test, "size", 0), bytes),
                  weir_size_format((uint64_t)weir_words_setting(test, "transfer", 0), transfer),
                  weir_targets_setting(test, "buffered") > 0.0 ? "through the page cache"
                                                               : "past the page cache",
                  repetitions, repetitions == 1 ? "" : "s");
    /* They are the same in all tests but for what was left out. */
    for (size_t i = 0; i < test->remark_count; i++)
        weir_report_sentence(text, "WARNING: ", test->remarks[i]);
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    (void)plan;
    (void)result;
    weir_report_room(text, "WARNING: ", begun);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    const char *peer = planned != NULL ? plan->tests[phase->test]->peer : NULL;

    (void)result;
    if (planned == NULL || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (phase->notes)
        weir_report_notes(text, phase);
    if (phase->failure[0] == '\0' && phase->outcome != WEIR_OUTCOME_PARTIAL)
        return;
    weir_text_add(text, "%s: %s of ", phase->failure[0] != '\0' ? "ERROR" : "WARNING",
                  weir_verb_name(planned->verb));
    weir_text_add_visible(text, peer != NULL ? peer : "all together");
    weir_text_add(text, ": ");
    weir_text_add_visible(text, phase->failure[0] != '\0' ? phase->failure : "was not finished");
    weir_text_add(text, "\n");
}

/* ---- tables ---- */

static void add_name(struct weir_text *text, const char *name, int width)
{
    size_t begun = text->length;

    weir_text_add_visible(text, name);
    weir_text_add(text, "%*s", width - (int)(text->length - begun), "");
}

static void add_share(struct weir_text *text, double part, double whole)
{
    if (whole > 0.0)
        weir_text_add(text, " %9.1f %%", weir_figures_percent(part, whole));
}

static void add_deviation(struct weir_text *text, const struct weir_targets_rate *rate)
{
    if (rate->count > 1)
        weir_text_add(text, " %9.1f %%", weir_figures_percent(rate->stddev, rate->mean));
    else
        weir_text_add(text, " %11s", "-");
}

static void add_row(struct weir_text *text, const struct weir_targets_table *table,
                    const struct weir_targets_row *row, int width)
{
    add_name(text, row->name, width);
    weir_text_add(text, " %11.1f", row->rate.mean / WEIR_MB);
    add_deviation(text, &row->rate);
    add_share(text, row->rate.mean, table->peers.median);
    add_share(text, row->rate.mean, table->limit);
    if (row->verdict != WEIR_PEER_ALIKE)
        weir_text_add(text, "  %s%s", weir_targets_verdict(row->verdict),
                      table->peers.knows_noise ? "" : "?");
    weir_text_add(text, "\n");
}

static void add_judgement(struct weir_text *text, const struct weir_targets_table *table)
{
    const struct weir_peers *peers = &table->peers;
    const struct weir_targets_row *slowest = &table->rows[table->count - 1];
    unsigned slow = 0, fast = 0;

    for (unsigned i = 0; i < table->count; i++) {
        slow += table->rows[i].verdict == WEIR_PEER_SLOW;
        fast += table->rows[i].verdict == WEIR_PEER_FAST;
    }
    if (table->count < 2)
        return;
    if (!peers->can_tell) {
        weir_text_add(text,
                      "fewer than %d targets do not tell which of them is unusual; the slowest has "
                      "%.1f %% of the fastest\n",
                      WEIR_PEERS_MIN,
                      weir_figures_percent(slowest->rate.mean, table->rows[0].rate.mean));
        return;
    }
    weir_text_add(text, "median %.1f MB/s, usual are %.1f to %.1f MB/s; ", peers->median / WEIR_MB,
                  peers->low / WEIR_MB, peers->high / WEIR_MB);
    if (slow == 0 && peers->is_wide)
        weir_text_add(text, "slow: cannot tell, only below %.1f %% of the median would one be seen",
                      weir_figures_percent(peers->low, peers->median));
    else
        weir_text_add(text, "slow: %u", slow);
    weir_text_add(text, ", fast: %u\n", fast);
    if (!peers->knows_noise)
        weir_report_sentence(
            text, "",
            "with 1 repetition the noise is unknown, and a slow one may be chance: "
            "2 with " WEIR_REMEDY_REPETITIONS " tell, 3 tell more surely");
}

static void add_together(struct weir_text *text, const struct weir_targets_table *table, int width)
{
    const struct weir_targets_rate *together = &table->together;

    if (table->count > 1) {
        add_name(text, "all alone, added up", width);
        weir_text_add(text, " %11.1f\n", table->alone_sum / WEIR_MB);
    }
    if (together->count == 0)
        return;
    add_name(text, "all at once, added up", width);
    weir_text_add(text, " %11.1f", table->together_sum / WEIR_MB);
    if (table->is_whole)
        weir_text_add(text, "  %.1f %% of all alone",
                      weir_figures_percent(table->together_sum, table->alone_ranks_sum));
    weir_text_add(text, "\n");
    add_name(text, "all at once, to the end", width);
    weir_text_add(text, " %11.1f", together->mean / WEIR_MB);
    add_deviation(text, together);
    if (table->limit_together > 0.0)
        weir_text_add(text, "  %.1f %% of %.1f MB/s",
                      weir_figures_percent(together->mean, table->limit_together),
                      table->limit_together / WEIR_MB);
    weir_text_add(text, "\n");
}

static int name_width(const struct weir_targets_table *table)
{
    size_t width = NAME_COLUMNS;

    for (unsigned i = 0; i < table->count; i++)
        if (strlen(table->rows[i].name) > width)
            width = strlen(table->rows[i].name);
    return (int)width;
}

static void add_table(struct weir_text *text, const struct weir_targets_table *table)
{
    int width = name_width(table);

    weir_text_add(text, "\n");
    add_name(text, table->verb == WEIR_WRITE ? "write, each alone" : "read, each alone", width);
    weir_text_add(text, " %11s %11s %11s", "MB/s", "deviation", "of median");
    if (table->limit > 0.0)
        weir_text_add(text, " %11s", "of limit");
    weir_text_add(text, "\n");
    for (unsigned i = 0; i < table->count; i++)
        add_row(text, table, &table->rows[i], width);
    add_judgement(text, table);
    add_together(text, table, width);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct weir_targets_table *tables = weir_targets_tables(&arena, plan, result, &count);

    for (unsigned i = 0; i < count; i++)
        add_table(text, &tables[i]);
    weir_arena_close(&arena);
}

const struct weir_reporter weir_reporter_targets = {
    .name = "targets",
    .is_text = true,
    .warning_label = "WARNING: ",
    .openings = (const char *const[]){"targets: ", NULL},
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .end = end,
};

/* ---- the dialect ---- */

static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_PATH, "the path of a target"},
    {WEIR_REMEDY_BACKEND, "-a"},
    {WEIR_REMEDY_DEVICE, "--devices"},
    {WEIR_REMEDY_DEVICE_FORCE, "--write force"},
    {WEIR_REMEDY_KEEP, "--keep"},
    {WEIR_REMEDY_TRANSFER_SIZE, "--transfer"},
    {WEIR_REMEDY_BLOCK_SIZE, "--size"},
    {WEIR_REMEDY_LESS_DATA, "--size"},
    {WEIR_REMEDY_REPETITIONS, "-i"},
    {WEIR_REMEDY_LONGER_PHASE, "--size"},
    {WEIR_REMEDY_BUFFERED, "give --buffered"},
    {WEIR_REMEDY_FEWER_RANKS, "give --alone-only"},
    {0},
};

static const struct weir_reporter *const reporters[] = {&weir_reporter_targets, NULL};

static bool find_figure(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure)
{
    (void)plan;
    (void)result;
    *figure = (struct weir_shown_figure){
        .value = weir_figures_rate((double)phase->byte_count, phase->windows.total_s) / WEIR_MB,
        .unit = "MB/s",
        .decimals = 1};
    return true;
}

const struct weir_dialect_reports weir_targets_reports = {.dialect = "targets",
                                                          .work = WEIR_WORKS_ON_FILES,
                                                          .reporters = reporters,
                                                          .remedies = remedies,
                                                          .rank_csv = &weir_ior_rank_csv,
                                                          .find_figure = find_figure};
