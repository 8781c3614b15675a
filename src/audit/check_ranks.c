/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that ranks were alike. */
#include "checks.h"

#include "weir/base/remedy.h"
#include "weir/base/text.h"

/* The slowest rank against the mean, and against the fastest: where half of them are on a slow node
 * the mean is near the slowest. */
#define IMBALANCE_OF_MEAN 1.5
#define IMBALANCE_OF_FASTEST 1.8

static void check_balance(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double slowest_s = record->rank_s_max;
    char slowest[WEIR_DURATION_TEXT_BYTES];
    char fastest[WEIR_DURATION_TEXT_BYTES];
    char mean[WEIR_DURATION_TEXT_BYTES];

    /* A rank that failed, or was stopped, has not done its part faster. */
    if (record->rank_count < 2 || slowest_s < WEIR_SHORT_PHASE_S ||
        record->outcome != WEIR_OUTCOME_COMPLETE ||
        (slowest_s <= record->rank_s_mean * IMBALANCE_OF_MEAN &&
         slowest_s <= record->rank_s_min * IMBALANCE_OF_FASTEST))
        return;
    weir_result_find(input->record, WEIR_FINDING_IMBALANCE,
                     "the slowest rank took %s, the fastest %s, ranks on average %s: others waited "
                     "for it",
                     weir_duration_format(slowest_s, slowest),
                     weir_duration_format(record->rank_s_min, fastest),
                     weir_duration_format(record->rank_s_mean, mean));
}

/* So many have a sentence of their own: other findings need room too, and the record has more of
 * them. */
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
                     "rank %u on %s %s %.6f s %s, ranks on average %.6f s, standard deviation "
                     "%.6f s (" WEIR_REMEDY_OUTLIERS ")",
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
                         "%u more times are as far from the average (" WEIR_REMEDY_OUTLIERS ")%s",
                         record->outlier_count - told,
                         record->outlier_count > WEIR_OUTLIERS_KEPT
                             ? ": --result keeps the first of them"
                             : ": --result keeps them all");
}

void weir_audit_movement(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;

    if (record->stalled_rank_count > 0)
        weir_result_find(record, WEIR_FINDING_NO_PROGRESS,
                         "%u rank%s did not move for up to %.0f s (--watchdog); the first: %s",
                         record->stalled_rank_count, record->stalled_rank_count == 1 ? "" : "s",
                         record->stall_s, record->stall);
}

void weir_audit_ranks(const struct weir_audit_input *input)
{
    weir_audit_movement(input);
    check_balance(input);
    check_outliers(input);
}
