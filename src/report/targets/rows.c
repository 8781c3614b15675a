/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of targets by mean over repetitions, in order, with what is usual among them. */
#include "rows.h"

#include "figures.h"

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

static void judge(struct weir_targets_table *table, struct weir_arena *arena)
{
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
    judge(table, arena);
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
