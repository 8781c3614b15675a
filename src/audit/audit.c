/* SPDX-License-Identifier: Apache-2.0 */
/* One function per doubt: each looks at the record of a phase and says its sentence, or nothing. */
#include "weir/audit/audit.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A phase below this is over before caches, schedulers and networks have come to rest. */
#define SHORT_PHASE_S 0.1
/* Shares of a window above which something else than I/O is worth a sentence. */
#define CLOCK_ERROR_SHARE 0.01
#define DATA_SHARE 0.1
/* The slowest rank against the mean. */
#define IMBALANCE 1.5

struct subject {
    const struct weir_plan *plan;
    const struct weir_test *test;
    const struct weir_phase *phase;
    struct weir_phase_result *record;
};

static bool moves_data(const struct subject *subject)
{
    return subject->phase->verb != WEIR_REMOVE && subject->record->op_count > 0;
}

/* ---- was all of it done? ---- */

static void doubt_completeness(const struct subject *subject)
{
    struct weir_phase_result *record = subject->record;

    if (record->outcome == WEIR_OUTCOME_SKIPPED)
        weir_result_find(record, WEIR_WARNING, "skipped",
                         "the time limit was over before this phase: it and what follows were not "
                         "begun");
    if (record->is_interrupted)
        weir_result_find(record, WEIR_WARNING, "interrupted",
                         "a signal ended this phase: the numbers are of what was done until then");
    if (record->failure[0] != '\0')
        weir_result_find(record, WEIR_WARNING, "failed",
                         "%" PRIu64 " operations failed: the numbers are of what was done",
                         record->error_count);
    if (record->short_count > 0)
        weir_result_find(record, WEIR_NOTE, "short-transfers",
                         "%" PRIu64 " transfers came back short and were continued",
                         record->short_count);
}

static void doubt_stonewall(const struct subject *subject)
{
    const struct weir_stonewall *stonewall = &subject->record->stonewall;

    if (!stonewall->is_hit || subject->phase->stop.has_wear_out)
        return;
    if (stonewall->ops_max > stonewall->ops_min)
        weir_result_find(subject->record, WEIR_NOTE, "stonewall",
                         "ranks stopped at the deadline after %" PRIu64 " to %" PRIu64
                         " transfers: unequal work, which stoneWallingWearOut=1 would level",
                         stonewall->ops_min, stonewall->ops_max);
}

static void doubt_size(const struct subject *subject)
{
    const struct weir_phase_result *record = subject->record;
    uint64_t extent = weir_layout_bytes_per_rank(&subject->phase->layout) * record->rank_count;
    bool is_whole =
        record->byte_count == extent && subject->phase->layout.order != WEIR_ORDER_RANDOM_BLOCKS;
    bool may_be_longer = !subject->phase->must_replace && record->file_bytes > extent;

    if (subject->phase->verb != WEIR_WRITE || record->outcome != WEIR_OUTCOME_COMPLETE ||
        !is_whole || record->file_bytes == UINT64_MAX || record->file_bytes == extent ||
        may_be_longer)
        return;
    weir_result_find(subject->record, WEIR_WARNING, "size",
                     "the files hold %" PRIu64 " bytes, not the %" PRIu64 " that were written",
                     record->file_bytes, extent);
}

/* ---- is the data right? ---- */

/* The evidence is removed with the rest, unless the plan says otherwise. */
static const char *keeping_advice(const struct weir_test *test)
{
    const struct weir_phase *removal = weir_test_phase(test, WEIR_REMOVE);

    return removal == NULL || removal->only_if_clean
               ? ""
               : ": the files are removed, and -K would keep them";
}

static void doubt_data(const struct subject *subject)
{
    const struct weir_mismatch_log *log = &subject->record->mismatches;

    if (log->wrong_transfers > 0)
        weir_result_find(subject->record, WEIR_WARNING, "data",
                         "%" PRIu64 " of %" PRIu64 " transfers held wrong data%s",
                         log->wrong_transfers, log->checked_transfers,
                         keeping_advice(subject->test));
}

/* ---- is the time right? ---- */

static void doubt_clock(const struct subject *subject)
{
    const struct weir_phase_result *record = subject->record;
    double window = record->windows.transfer_s;

    if (!record->clock.is_cross_node || record->clock.error_s <= window * CLOCK_ERROR_SHARE)
        return;
    weir_result_find(subject->record, WEIR_WARNING, "clock-error",
                     "the nodes' clocks agree to %.1f us only, which is %.1f %% of the %.6f s that "
                     "were measured",
                     record->clock.error_s * 1e6,
                     window > 0 ? record->clock.error_s / window * 100 : 100, window);
}

static void doubt_length(const struct subject *subject)
{
    if (subject->test->is_dry_run || subject->record->windows.total_s >= SHORT_PHASE_S ||
        subject->record->outcome != WEIR_OUTCOME_COMPLETE)
        return;
    weir_result_find(subject->record, WEIR_NOTE, "short",
                     "the phase took %.3g ms: start-up and caches weigh heavily, so move more data "
                     "or use minTimeDuration",
                     subject->record->windows.total_s * 1e3);
}

static void doubt_data_share(const struct subject *subject)
{
    double share = subject->record->data_share;

    if (share <= DATA_SHARE)
        return;
    weir_result_find(
        subject->record, WEIR_NOTE, "data-share",
        "%.0f %% of the ranks' time went into %s data and is not in the numbers: ranks "
        "that share a device had it more to themselves than the numbers suggest",
        share * 100, subject->phase->verb == WEIR_WRITE ? "making" : "checking");
}

static void doubt_overlap(const struct subject *subject)
{
    const struct weir_phase_result *record = subject->record;

    if (record->rank_count < 2 || record->common_s > 0 || record->windows.transfer_s <= 0 ||
        record->outcome != WEIR_OUTCOME_COMPLETE || subject->test->is_dry_run)
        return;
    weir_result_find(
        subject->record, WEIR_NOTE, "no-overlap",
        "at no time were all ranks transferring at once: this is not the rate of all of "
        "them together");
}

/* ---- is it the storage that was measured? ---- */

static bool passes_cache(const struct weir_test *test)
{
    const char *odirect = weir_test_setting(test, "posix.odirect");

    return (weir_test_abilities(test) & WEIR_BYPASSES_CACHE) == 0 &&
           (odirect == NULL || strcmp(odirect, "0") == 0);
}

static bool is_written_before(const struct subject *subject)
{
    const struct weir_phase *write = weir_test_phase(subject->test, WEIR_WRITE);

    return write != NULL && write->number < subject->phase->number;
}

static void doubt_cache(const struct subject *subject)
{
    const struct weir_phase_result *record = subject->record;

    if (subject->phase->verb != WEIR_READ || subject->test->is_dry_run ||
        record->near_rank_count == 0 || (weir_test_abilities(subject->test) & WEIR_CAN_KEEP) == 0 ||
        !passes_cache(subject->test) || !is_written_before(subject))
        return;
    weir_result_find(
        subject->record, WEIR_NOTE, "cache",
        "%u of %u ranks read back what their own node wrote, through a page cache that "
        "may have served it: use -C on several nodes, or direct I/O",
        record->near_rank_count, record->rank_count);
}

/* ---- were the ranks alike? ---- */

static void doubt_balance(const struct subject *subject)
{
    const struct weir_phase_result *record = subject->record;

    if (record->rank_count < 2 || record->rank_s_max < SHORT_PHASE_S ||
        record->rank_s_max <= record->rank_s_mean * IMBALANCE)
        return;
    weir_result_find(subject->record, WEIR_NOTE, "imbalance",
                     "the slowest rank took %.1f times as long as ranks on average, and others "
                     "waited for it",
                     record->rank_s_max / record->rank_s_mean);
}

static void doubt_outliers(const struct subject *subject)
{
    const struct weir_phase_result *record = subject->record;
    double threshold = (double)subject->test->outlier_ns * 1e-9;

    for (unsigned i = 0; threshold > 0 && i < record->slowest_count; i++) {
        const struct weir_slow_rank *slow = &record->slowest[i];

        if (slow->seconds - record->rank_s_mean > threshold)
            weir_result_find(subject->record, WEIR_WARNING, "outlier",
                             "rank %u on %s took %.3f s, ranks on average %.3f s (-j)", slow->rank,
                             slow->host, slow->seconds, record->rank_s_mean);
    }
}

void weir_audit_phase(const struct weir_plan *plan, struct weir_phase_result *record)
{
    const struct weir_test *test = plan->tests[record->test];
    struct subject subject = {.plan = plan,
                              .test = test,
                              .phase = weir_plan_find_phase(plan, record->test, record->phase),
                              .record = record};

    assert(subject.phase != NULL);
    doubt_completeness(&subject);
    if (!moves_data(&subject))
        return;
    doubt_stonewall(&subject);
    doubt_size(&subject);
    doubt_data(&subject);
    doubt_cache(&subject);
    if (subject.phase->is_check)
        return;
    doubt_clock(&subject);
    doubt_length(&subject);
    doubt_overlap(&subject);
    doubt_data_share(&subject);
    doubt_balance(&subject);
    doubt_outliers(&subject);
}
