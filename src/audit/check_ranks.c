/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that ranks were alike. */
#include "checks.h"

#include "weir/base/remedy.h"
#include "weir/base/text.h"

#include <stdio.h>
#include <string.h>

/* The share of their time that the others lose to the slowest rank: quiet runs lose up to 10 %, and
 * of two ranks, where there is no mean of many, up to 20 %. */
#define LOST_SHARE 0.2
#define LOST_SHARE_OF_TWO 0.3
/* A cause accounts for half of the time lost, or more. */
#define CAUSE_SHARE 0.5

static const struct weir_node_places *find_node(const struct weir_phase_result *record,
                                                const char *host)
{
    for (unsigned i = 0; record->node_places != NULL && i < record->node_count; i++)
        if (strcmp(record->node_places[i].host, host) == 0)
            return &record->node_places[i];
    return NULL;
}

/* Work of the slowest rank, against the mean of the others. */
static double excess_of_work(const struct weir_phase_result *record, unsigned rank)
{
    double mine, others;

    if (record->rows == NULL || rank >= record->rank_count || record->byte_count == 0)
        return 0.0;
    mine = (double)record->rows[rank].byte_count;
    others = ((double)record->byte_count - mine) / (record->rank_count - 1);
    return others > 0.0 ? mine / others - 1.0 : 0.0;
}

/* What the record knows of the slowest rank: the likely cause of its delay, a remedy, and the
 * finding that says the same of this node (NULL = none does). */
struct slow_cause {
    const char *clause;
    const char *remedy;
    enum weir_finding_kind kind;
    bool has_kind;
};

static struct slow_cause find_cause(const struct weir_audit_input *input, double lost_s)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_slow_rank *slowest = &record->slowest[0];
    const struct weir_node_places *node = find_node(record, slowest->host);
    double least_s = CAUSE_SHARE * lost_s;

    if (input->stop_s >= least_s && input->stop_s > 0.0)
        return (struct slow_cause){"; it stopped", "repeat", WEIR_FINDING_STALL, true};
    if (node != NULL && node->throttled_s >= least_s &&
        weir_audit_has_finding(record, WEIR_FINDING_THROTTLED, WEIR_INFORM))
        return (struct slow_cause){"; a CPU quota stopped it", "more CPUs", WEIR_FINDING_THROTTLED,
                                   true};
    if (slowest->waited_s >= least_s)
        return (struct slow_cause){"; it waited for a CPU", "use an idle node",
                                   WEIR_FINDING_CPU_PRESSURE,
                                   node != NULL && weir_audit_pressure(node) > 0.0};
    if (node != NULL && node->stolen_share * node->wall_s >= least_s)
        return (struct slow_cause){"; the hypervisor used its CPU", "quiet host",
                                   WEIR_FINDING_STEAL, true};
    if (excess_of_work(record, slowest->rank) * (slowest->seconds - lost_s) >= least_s)
        return (struct slow_cause){"; it moved more", "equal work", WEIR_FINDING_IMBALANCE, false};
    return (struct slow_cause){"", record->node_count > 1 ? "compare its node" : "repeat",
                               WEIR_FINDING_IMBALANCE, false};
}

/* A rank that failed, or was stopped, has not done its part faster. */
static void check_balance(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    unsigned count = record->rank_count;
    double slowest_s = record->rank_s_max, others_s;
    char slowest[WEIR_DURATION_TEXT_BYTES];
    char others[WEIR_DURATION_TEXT_BYTES];
    struct slow_cause cause;

    if (count < 2 || slowest_s < WEIR_SHORT_PHASE_S || record->slowest_count == 0 ||
        record->outcome != WEIR_OUTCOME_COMPLETE)
        return;
    others_s = (record->rank_s_mean * count - slowest_s) / (count - 1);
    if (slowest_s - others_s < (count == 2 ? LOST_SHARE_OF_TWO : LOST_SHARE) * slowest_s)
        return;
    cause = find_cause(input, slowest_s - others_s);
    weir_result_find(record, WEIR_FINDING_IMBALANCE,
                     "rank %u on %s took %s, the others %s (%.0f %% lost)%s -> %s",
                     record->slowest[0].rank, record->slowest[0].host,
                     weir_duration_format(slowest_s, slowest),
                     weir_duration_format(others_s, others),
                     100.0 * (slowest_s - others_s) / slowest_s, cause.clause, cause.remedy);
    if (cause.has_kind && weir_audit_has_finding(record, cause.kind, WEIR_INFORM))
        record->findings[record->finding_count - 1].explained_by =
            weir_finding_rows[cause.kind].name;
}

/* 4 outliers have sentences of their own, so that other findings have room; the record has more. */
#define OUTLIERS_TOLD 4

static void tell_outlier(struct weir_phase_result *record, const struct weir_outlier *outlier)
{
    static const struct {
        const char *before;
        const char *after;
    } words[WEIR_OUTLIER_KINDS] = {
        [WEIR_OUTLIER_START] = {"began", "after the agreed start"},
        [WEIR_OUTLIER_OPEN] = {"took", "to open"},
        [WEIR_OUTLIER_TRANSFER] = {"took", "to transfer"},
        [WEIR_OUTLIER_CLOSE] = {"took", "to close"},
        [WEIR_OUTLIER_END] = {"ended", "after the agreed start"},
    };

    weir_result_find(record, WEIR_FINDING_OUTLIER,
                     "rank %u on %s %s %.3f s %s, mean %.3f s, stddev %.3f s -> check its node, or "
                     "raise " WEIR_REMEDY_OUTLIERS,
                     outlier->rank, outlier->host, words[outlier->kind].before, outlier->value_s,
                     words[outlier->kind].after, outlier->mean_s, outlier->stddev_s);
}

static void check_outliers(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    uint32_t told = record->outlier_count < OUTLIERS_TOLD ? record->outlier_count : OUTLIERS_TOLD;

    for (uint32_t i = 0; i < told; i++)
        tell_outlier(record, &record->outliers[i]);
    if (record->outlier_count > told)
        weir_result_find(record, WEIR_FINDING_MORE_OUTLIERS,
                         "%u more times are as far from the mean (" WEIR_REMEDY_OUTLIERS
                         ") -> --result keeps %s",
                         record->outlier_count - told,
                         record->outlier_count > WEIR_OUTLIERS_KEPT ? "the first of them"
                                                                    : "them all");
}

void weir_audit_movement(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;
    char first[WEIR_FINDING_TEXT_BYTES];
    char *colon;

    if (record->stalled_rank_count == 0)
        return;
    /* "rank 3 on host n2: write f": the colon becomes a comma, as each finding has one after its
     * name. */
    snprintf(first, sizeof first, "%.200s", record->stall);
    colon = strstr(first, ": ");
    if (colon != NULL)
        *colon = ',';
    weir_result_find(record, WEIR_FINDING_NO_PROGRESS,
                     "%u rank%s made no progress for up to %.0f s, first %s -> --give-up ends such "
                     "runs",
                     record->stalled_rank_count, record->stalled_rank_count == 1 ? "" : "s",
                     record->stall_s, first);
}

void weir_audit_ranks(const struct weir_audit_input *input)
{
    weir_audit_movement(input);
    check_balance(input);
    check_outliers(input);
}
