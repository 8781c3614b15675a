/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of targets by mean over repetitions, in order, with what is usual among them. */
#include "targets.h"
#include "ior/ior.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

double weir_targets_setting(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);

    return value != NULL ? strtod(value, NULL) : 0.0;
}

const char *weir_targets_verdict(enum weir_peer_verdict verdict)
{
    return verdict == WEIR_PEER_SLOW ? "slow" : verdict == WEIR_PEER_FAST ? "fast" : "";
}

static void add_rates(struct weir_sums *sums, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test *test,
                      enum weir_verb verb)
{
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (phase->test == test->number && weir_figures_has_row(plan, phase) &&
            weir_figures_phase(plan, phase)->verb == verb &&
            phase->outcome == WEIR_OUTCOME_COMPLETE && !weir_figures_has_failed(phase))
            weir_sums_add(sums,
                          weir_figures_rate((double)phase->byte_count, phase->windows.total_s));
    }
}

static struct weir_targets_rate rate_of(const struct weir_sums *sums)
{
    if (sums->count == 0)
        return (struct weir_targets_rate){0};
    return (struct weir_targets_rate){.count = sums->count,
                                      .mean = sums->sum / sums->count,
                                      .stddev = weir_sums_stddev(sums),
                                      .min = sums->min,
                                      .max = sums->max};
}

/* Added up over the ranks. */
static double sum_of_ranks(const struct weir_plan *plan, const struct weir_result *result,
                           const struct weir_test *test, enum weir_verb verb)
{
    struct weir_sums sums = {0};

    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        const struct weir_phase *planned = weir_figures_phase(plan, phase);

        if (phase->test == test->number && planned != NULL && planned->verb == verb &&
            phase->outcome == WEIR_OUTCOME_COMPLETE && !weir_figures_has_failed(phase))
            weir_sums_add(&sums, phase->rank_ops_per_s_mean * phase->rank_count *
                                     (double)planned->transfers.layout.transfer_bytes);
    }
    return sums.count > 0 ? sums.sum / sums.count : 0.0;
}

/* The fastest first, and alike ones in the order of the plan. */
static int compare(const void *a, const void *b)
{
    const struct weir_targets_row *one = a, *other = b;

    if (one->rate.mean != other->rate.mean)
        return one->rate.mean > other->rate.mean ? -1 : 1;
    return one->test < other->test ? -1 : one->test > other->test;
}

/* Of the targets that were measured, each with the tests that repeat it. Returns how many there
 * are in the plan. */
static unsigned gather(struct weir_targets_table *table, struct weir_arena *arena,
                       const struct weir_plan *plan, const struct weir_result *result)
{
    const char **names = weir_arena_take(arena, plan->test_count * sizeof *names);
    unsigned *tests = weir_arena_take(arena, plan->test_count * sizeof *tests);
    struct weir_sums *sums = weir_arena_take(arena, plan->test_count * sizeof *sums);
    struct weir_sums *own = weir_arena_take(arena, plan->test_count * sizeof *own);
    unsigned planned = 0;

    for (size_t i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];
        unsigned k = 0;

        while (test->peer != NULL && k < planned && strcmp(names[k], test->peer) != 0)
            k++;
        if (test->peer != NULL && k == planned) {
            sums[planned] = own[planned] = (struct weir_sums){0};
            tests[planned] = test->number;
            names[planned++] = test->peer;
        }
        if (test->peer != NULL) {
            double rate = sum_of_ranks(plan, result, test, table->verb);

            add_rates(&sums[k], plan, result, test, table->verb);
            if (rate > 0.0)
                weir_sums_add(&own[k], rate);
        }
    }
    for (unsigned k = 0; k < planned; k++)
        if (own[k].count > 0)
            table->alone_ranks_sum += own[k].sum / own[k].count;
    for (unsigned k = 0; k < planned; k++)
        if (sums[k].count > 0)
            table->rows[table->count++] = (struct weir_targets_row){
                .name = names[k], .test = tests[k], .rate = rate_of(&sums[k])};
    return planned;
}

static void fill(struct weir_targets_table *table, struct weir_arena *arena,
                 const struct weir_plan *plan, const struct weir_result *result)
{
    const struct weir_test *last = plan->tests[plan->test_count - 1];
    unsigned planned;

    table->rows = weir_arena_take(arena, plan->test_count * sizeof *table->rows);
    planned = gather(table, arena, plan, result);
    if (last->peer == NULL) {
        struct weir_sums sums = {0};

        add_rates(&sums, plan, result, last, table->verb);
        table->together = rate_of(&sums);
        table->together_sum = sum_of_ranks(plan, result, last, table->verb);
    }
    table->is_whole = table->count == planned;
    table->limit = weir_targets_setting(plan->tests[0], "limit");
    table->limit_together = weir_targets_setting(plan->tests[0], "limit-together");
    if (!(table->limit_together > 0.0))
        table->limit_together = table->limit * planned;
    qsort(table->rows, table->count, sizeof *table->rows, compare);

    struct weir_peer *all = weir_arena_take(arena, table->count * sizeof *all);
    double *work = weir_arena_take(arena, table->count * sizeof *work);

    for (unsigned i = 0; i < table->count; i++)
        all[i] = (struct weir_peer){table->rows[i].rate.mean, table->rows[i].rate.stddev};
    table->peers = weir_peers_of(all, table->count, work);
    for (unsigned i = 0; i < table->count; i++) {
        table->rows[i].verdict = weir_peers_judge(&table->peers, table->rows[i].rate.mean);
        table->alone_sum += table->rows[i].rate.mean;
    }
}

struct weir_targets_table *weir_targets_tables(struct weir_arena *arena,
                                               const struct weir_plan *plan,
                                               const struct weir_result *result, unsigned *count)
{
    static const enum weir_verb verbs[] = {WEIR_WRITE, WEIR_READ};
    struct weir_targets_table *tables = weir_arena_take(arena, 2 * sizeof *tables);

    *count = 0;
    for (size_t i = 0; plan->test_count > 0 && i < sizeof verbs / sizeof *verbs; i++) {
        struct weir_targets_table *table = &tables[*count];

        *table = (struct weir_targets_table){.verb = verbs[i]};
        fill(table, arena, plan, result);
        *count += table->count > 0;
    }
    return tables;
}

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
                      "the test for unusual targets needs %d; the slowest has %.1f %% of the "
                      "fastest\n",
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

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct weir_targets_table *tables = weir_targets_tables(&arena, plan, result, &count);

    for (unsigned i = 0; i < count; i++) {
        int width = name_width(&tables[i]);

        weir_text_add(text, "\n");
        add_name(text, tables[i].verb == WEIR_WRITE ? "write, each alone" : "read, each alone",
                 width);
        weir_text_add(text, " %11s %11s %11s", "MB/s", "deviation", "of median");
        if (tables[i].limit > 0.0)
            weir_text_add(text, " %11s", "of limit");
        weir_text_add(text, "\n");
        for (unsigned k = 0; k < tables[i].count; k++) {
            add_name(text, tables[i].rows[k].name, width);
            weir_text_add(text, " %11.1f", tables[i].rows[k].rate.mean / WEIR_MB);
            add_deviation(text, &tables[i].rows[k].rate);
            add_share(text, tables[i].rows[k].rate.mean, tables[i].peers.median);
            add_share(text, tables[i].rows[k].rate.mean, tables[i].limit);
            if (tables[i].rows[k].verdict != WEIR_PEER_ALIKE)
                weir_text_add(text, "  %s%s", weir_targets_verdict(tables[i].rows[k].verdict),
                              tables[i].peers.knows_noise ? "" : "?");
            weir_text_add(text, "\n");
        }
        add_judgement(text, &tables[i]);
        add_together(text, &tables[i], width);
    }
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
