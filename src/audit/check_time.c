/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the time: clocks, the length of a phase, what else was in it. */
#include "checks.h"

#include "weir/base/remedy.h"

#include <stdio.h>

/* 1 % of the time measured: below, the clocks' error is less than repetitions differ. */
#define CLOCK_ERROR_SHARE 0.01
/* 500 ppm: the kernel's time services correct no more, and oscillators are within 100. */
#define DRIFT_PPM 500.0
/* Filling and checking data, as a share of the ranks' time: repetitions differ by less than this
 * takes from the rate. */
#define DATA_SHARE 0.1
#define MIB 1048576.0

static void check_drift(const struct weir_audit_input *input)
{
    const struct weir_clock_quality *clock = &input->record->clock;
    double ppm = clock->odd_ppm < 0.0 ? -clock->odd_ppm : clock->odd_ppm;

    if (clock->odd_host[0] == '\0' || ppm <= DRIFT_PPM + clock->odd_error_ppm)
        return;
    if (clock->odd_other[0] != '\0')
        weir_result_find(input->record, WEIR_FINDING_CLOCK_DRIFT,
                         "clocks of %s and %s drift apart by %.0f ppm -> check their clock sources",
                         clock->odd_host, clock->odd_other, ppm);
    else
        weir_result_find(
            input->record, WEIR_FINDING_CLOCK_DRIFT, "the clock of %s is %.0f ppm %s than %s -> %s",
            clock->odd_host, ppm, clock->odd_ppm < 0.0 ? "slower" : "faster",
            clock->is_against_kernel ? "its kernel's" : "the others'",
            clock->is_against_kernel ? "check clocksource, LD_PRELOAD" : "check its clock source");
}

void weir_audit_clock(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    double window = record->windows.transfer_s;

    check_drift(input);
    if (!record->clock.is_cross_node || record->clock.error_s <= window * CLOCK_ERROR_SHARE)
        return;
    weir_result_find(input->record, WEIR_FINDING_CLOCK_ERROR,
                     "clocks of nodes agree to %.1f us, %.1f %% of the %.3g s measured -> %s",
                     record->clock.error_s * 1e6,
                     window > 0 ? record->clock.error_s / window * 100 : 100, window,
                     weir_audit_advice_more(input));
}

static void check_length(const struct weir_audit_input *input)
{
    /* Through a page cache, a longer phase would move the same data again: in memory. */
    bool helps_longer =
        !weir_verb_works_on_trees(input->phase->verb) && !weir_audit_uses_page_cache(input);

    if (input->test->is_dry_run || input->record->windows.total_s >= WEIR_SHORT_PHASE_S ||
        input->record->outcome != WEIR_OUTCOME_COMPLETE)
        return;
    weir_result_find(input->record, WEIR_FINDING_SHORT, "the phase took %.3g ms -> %s%s",
                     input->record->windows.total_s * 1e3, weir_audit_advice_more(input),
                     helps_longer ? " with " WEIR_REMEDY_LONGER_PHASE : "");
}

/* An upper bound: ranks that share a storage lose less time by filling while others transfer. Of
 * transfers that failed or held wrong data there is no rate to estimate, and the rate of a phase
 * on trees is not one of bytes. */
static void format_estimate(const struct weir_audit_input *input, char text[96])
{
    const struct weir_phase_result *record = input->record;
    double seconds = weir_result_estimate_s(record);

    text[0] = '\0';
    if (seconds > 0.0 && !weir_verb_works_on_trees(input->phase->verb) &&
        record->mismatches.wrong_transfers == 0 && record->error_count == 0)
        snprintf(text, 96, " (else up to %.*f MiB/s)",
                 (double)record->byte_count / MIB / seconds < 100.0 ? 2 : 0,
                 (double)record->byte_count / MIB / seconds);
}

/* More ranks help where a core is left for them on each node, as far as that is known. */
static bool has_room_for_ranks(const struct weir_phase_result *record)
{
    const struct weir_node_places *nodes = record->node_places;

    for (unsigned i = 0; nodes != NULL && i < record->node_count; i++)
        if (nodes[i].core_count > 0 && nodes[i].rank_count >= nodes[i].core_count)
            return false;
    return true;
}

static void check_data_share(const struct weir_audit_input *input)
{
    double share = input->record->data_share;
    char estimate[96];

    if (share < DATA_SHARE)
        return;
    format_estimate(input, estimate);
    weir_result_find(input->record, WEIR_FINDING_DATA_SHARE,
                     "%s data took %.0f %% of the time%s -> more %s%s", weir_audit_activity(input),
                     share * 100, estimate, has_room_for_ranks(input->record) ? "ranks" : "nodes",
                     weir_audit_data_advice(input));
}

static void check_overlap(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;

    if (record->rank_count < 2 || record->common_s > 0 || record->windows.transfer_s <= 0 ||
        record->outcome != WEIR_OUTCOME_COMPLETE || input->test->is_dry_run)
        return;
    weir_result_find(input->record, WEIR_FINDING_NO_OVERLAP,
                     "all %u ranks at no time %s together -> %s", record->rank_count,
                     weir_verb_works_on_trees(input->phase->verb) ? "worked" : "transferred",
                     weir_audit_advice_more(input));
}

void weir_audit_time(const struct weir_audit_input *input)
{
    weir_audit_clock(input);
    check_length(input);
    check_overlap(input);
    check_data_share(input);
}
