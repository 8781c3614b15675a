/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that storage targets which were measured one by one are alike. */
#include "weir/audit/audit.h"

#include "weir/base/memory.h"
#include "weir/measure/peers.h"

#include <stdlib.h>

/* With so many, others are left to the report. */
#define TOLD_MAX 16
#define MB 1e6

/* True if the record is the last one of its verb among the tests of single targets. */
static bool is_last(const struct weir_plan *plan, const struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];

    if (test->peer == NULL || record->repetition + 1 < test->repetitions)
        return false;
    for (size_t i = test->number + 1; i < plan->test_count; i++)
        if (plan->tests[i]->peer != NULL)
            return false;
    return true;
}

static void add_rate(struct weir_sums *rates, const struct weir_phase_result *record)
{
    if (record->outcome == WEIR_OUTCOME_COMPLETE && record->error_count == 0 &&
        record->windows.total_s > 0.0)
        weir_sums_add(rates, (double)record->byte_count / record->windows.total_s);
}

/* Bytes per second of a test over its repetitions; the latest of them is not yet kept. */
static bool find_rate(const struct weir_plan *plan, const struct weir_result *result,
                      const struct weir_test *test, enum weir_verb verb, struct weir_sums *rates)
{
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *record = &result->phases[i];

        if (record->test == test->number &&
            weir_plan_find_phase(plan, record->test, record->phase)->verb == verb)
            add_rate(rates, record);
    }
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase_history *history =
            weir_result_history(result, test->number, test->phases[i]->number);

        if (history != NULL && test->phases[i]->verb == verb && rates->count > 0)
            weir_sums_merge(rates, &history->bytes_per_s, 1.0);
    }
    return rates->count > 0;
}

static void tell(struct weir_phase_result *record, const char *verb, const char *name,
                 const struct weir_peers *peers, double value)
{
    enum weir_peer_verdict verdict = weir_peers_judge(peers, value);

    if (verdict == WEIR_PEER_SLOW)
        weir_result_find(record, WEIR_WARNING, "slow-target",
                         "%s: %ss at %.1f MB/s, %.1f %% below the median of %u targets, %.1f MB/s; "
                         "up to %.1f MB/s from it are as usual",
                         name, verb, value / MB, 100.0 * (1.0 - value / peers->median),
                         peers->count, peers->median / MB, peers->margin / MB);
    else if (verdict == WEIR_PEER_FAST)
        weir_result_find(record, WEIR_NOTE, "fast-target",
                         "%s: %ss at %.1f MB/s, %.1f %% above the median of %u targets, %.1f MB/s",
                         name, verb, value / MB, 100.0 * (value / peers->median - 1.0),
                         peers->count, peers->median / MB);
}

void weir_audit_peers(const struct weir_plan *plan, const struct weir_result *result,
                      struct weir_phase_result *record)
{
    const enum weir_verb verb = weir_plan_find_phase(plan, record->test, record->phase)->verb;
    struct weir_peer *all;
    const char **names;
    double *work;
    unsigned count = 0;
    struct weir_peers peers;

    if (!weir_verb_moves_data(verb) || !is_last(plan, record))
        return;
    all = weir_memory_grow(NULL, plan->test_count * sizeof *all);
    names = weir_memory_grow(NULL, plan->test_count * sizeof *names);
    work = weir_memory_grow(NULL, plan->test_count * sizeof *work);
    for (size_t i = 0; i < plan->test_count; i++) {
        struct weir_sums rates = {0};

        if (plan->tests[i]->peer == NULL || !find_rate(plan, result, plan->tests[i], verb, &rates))
            continue;
        all[count] = (struct weir_peer){rates.sum / rates.count, weir_sums_stddev(&rates)};
        names[count++] = plan->tests[i]->peer;
    }
    peers = weir_peers_of(all, count, work);
    for (unsigned i = 0, told = 0; i < count && told < TOLD_MAX; i++)
        if (weir_peers_judge(&peers, all[i].mean) != WEIR_PEER_ALIKE) {
            tell(record, weir_verb_name(verb), names[i], &peers, all[i].mean);
            told++;
        }
    free(work);
    free(names);
    free(all);
}
