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
    if (record->failure[0] != '\0' || record->error_count > 0)
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

static void doubt_sizes(const struct subject *subject)
{
    if (subject->record->has_differing_sizes)
        weir_result_find(
            subject->record, WEIR_WARNING, "sizes-differ",
            "ranks were told different sizes of the same file: nodes do not see the same "
            "file system, or not yet the same state of it");
}

static void doubt_log(const struct subject *subject)
{
    if (subject->record->unlogged_ops > 0)
        weir_result_find(subject->record, WEIR_WARNING, "unlogged",
                         "%" PRIu64 " transfers are not in the files of savePerOpDataCSV, whose "
                         "room was full: --result counts them all",
                         subject->record->unlogged_ops);
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

static bool goes_full_circle(const struct subject *subject)
{
    const struct weir_shift *shift = &subject->phase->shift;
    unsigned nodes = subject->record->node_count;

    return shift->kind == WEIR_SHIFT_NODES && weir_shift_distance(shift, nodes) % nodes == 0;
}

/* Of two nodes the check stays on its own, as the timed reads are to find nothing cached on the
 * other one. */
static bool leaves_reads_alone(const struct subject *subject)
{
    return subject->phase->is_check && subject->record->node_count == 2 &&
           weir_test_phase(subject->test, WEIR_READ) != NULL;
}

/* Why ranks stay on their own node, and the way out. */
static void explain_nearness(const struct subject *subject, struct weir_text *text)
{
    const struct weir_phase_result *record = subject->record;
    const struct weir_shift *shift = &subject->phase->shift;
    const struct weir_test *test = subject->test;
    const char *letter = shift->kind == WEIR_SHIFT_NODES ? "-C" : "-Z";

    if (shift->kind == WEIR_SHIFT_NONE)
        weir_text_add(text, "use -C on several nodes");
    else if (record->node_count < 2)
        weir_text_add(text, "%s finds no other node: use several", letter);
    else if (shift->kind == WEIR_SHIFT_PERMUTATION)
        weir_text_add(text, "-Z -Z takes near ranks too: use -Z");
    else if (test->given_nodes > 0 || test->given_ranks_per_node > 0)
        weir_text_add(text, "%s took the given numbers of nodes and ranks for true: leave them out",
                      letter);
    else if (shift->distance == 0)
        weir_text_add(text, "-Q 0 asks for no other node: use -Q 1");
    else if (goes_full_circle(subject) && leaves_reads_alone(subject))
        weir_text_add(text, "-W leaves the other node to -r: verify with -R");
    else if (goes_full_circle(subject))
        weir_text_add(text, "%" PRIu64 " nodes further is a full circle of %u: use another -Q",
                      shift->distance, record->node_count);
    else /* Rank shifts leave 2L - N ranks where L of N are on one node, and else none. */
        weir_text_add(text, "one node has %u of the %u ranks: spread them evenly",
                      (record->rank_count + record->near_rank_count) / 2, record->rank_count);
}

static void doubt_nearness(const struct subject *subject, bool may_be_cached)
{
    struct weir_phase_result *record = subject->record;
    enum weir_shift_kind kind = subject->phase->shift.kind;
    struct weir_text why = {0};

    explain_nearness(subject, &why);
    if (may_be_cached && is_written_before(subject))
        weir_result_find(record, WEIR_NOTE, "cache",
                         "%u of %u ranks read back what their own node wrote, through a page cache "
                         "that may have served it: %s, or direct I/O",
                         record->near_rank_count, record->rank_count, weir_text_string(&why));
    else if (kind == WEIR_SHIFT_NODES || kind == WEIR_SHIFT_RANDOM)
        weir_result_find(record, WEIR_NOTE, "near",
                         "%u of %u ranks read what their own node writes: %s",
                         record->near_rank_count, record->rank_count, weir_text_string(&why));
    weir_text_close(&why);
}

/* A check under -Z draws the same parts as the reads after it; under -C, parts of other nodes. */
static bool is_checked_before(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    enum weir_shift_kind kind = subject->phase->shift.kind;

    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->is_check && test->phases[i]->number < subject->phase->number)
            return kind == WEIR_SHIFT_RANDOM || kind == WEIR_SHIFT_PERMUTATION;
    return false;
}

static void doubt_cache(const struct subject *subject)
{
    bool may_be_cached = passes_cache(subject->test);

    if (subject->phase->verb != WEIR_READ || subject->test->is_dry_run ||
        (weir_test_abilities(subject->test) & WEIR_CAN_KEEP) == 0)
        return;
    if (subject->record->near_rank_count > 0)
        doubt_nearness(subject, may_be_cached);
    if (may_be_cached && !subject->phase->is_check && is_checked_before(subject))
        weir_result_find(subject->record, WEIR_NOTE, "checked-before",
                         "each rank reads what it has read for -W, through a page cache that may "
                         "have served it: verify with -R instead, or use direct I/O");
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

    weir_result_find(record, WEIR_WARNING, "outlier",
                     "rank %u on %s %s %.6f s %s, ranks on average %.6f s, standard deviation "
                     "%.6f s (-j)",
                     outlier->rank, outlier->host, words[outlier->kind].before, outlier->value_s,
                     words[outlier->kind].after, outlier->mean_s, outlier->stddev_s);
}

static void doubt_outliers(const struct subject *subject)
{
    struct weir_phase_result *record = subject->record;
    uint32_t told = record->outlier_count < OUTLIERS_TOLD ? record->outlier_count : OUTLIERS_TOLD;

    for (uint32_t i = 0; i < told; i++)
        tell_outlier(record, &record->outliers[i]);
    if (record->outlier_count > told)
        weir_result_find(
            record, WEIR_WARNING, "outliers", "%u more times are as far from the average (-j)%s",
            record->outlier_count - told,
            record->outlier_count > WEIR_OUTLIERS_KEPT ? ": --result keeps the first of them"
                                                       : ": --result keeps them all");
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
    doubt_sizes(&subject);
    doubt_log(&subject);
    doubt_data(&subject);
    doubt_cache(&subject);
    if (subject.phase->is_check || subject.phase->is_prefill)
        return;
    doubt_clock(&subject);
    doubt_length(&subject);
    doubt_overlap(&subject);
    doubt_data_share(&subject);
    doubt_balance(&subject);
    doubt_outliers(&subject);
}

/* ---- is there anything at all? ---- */

static bool warns_of_test(const struct weir_test *test, const struct weir_test_result *begun)
{
    return test->remark_count > 0 || test->rank_limit > begun->rank_count ||
           begun->existing_count > 0;
}

static bool warns_of_phase(const struct weir_plan *plan, const struct weir_phase_result *record)
{
    const struct weir_phase *phase = weir_plan_find_phase(plan, record->test, record->phase);
    bool has_size = phase->verb != WEIR_REMOVE && !plan->tests[record->test]->is_dry_run &&
                    record->outcome != WEIR_OUTCOME_SKIPPED;

    for (unsigned i = 0; i < record->finding_count; i++)
        if (record->findings[i].severity == WEIR_WARNING)
            return true;
    return has_size && weir_result_has_odd_size(record, phase->stop.minimum_ns > 0);
}

bool weir_audit_warns(const struct weir_plan *plan, const struct weir_result *result)
{
    for (unsigned i = 0; i < result->test_count; i++)
        if (warns_of_test(plan->tests[result->tests[i].test], &result->tests[i]))
            return true;
    for (unsigned i = 0; i < result->phase_count; i++)
        if (warns_of_phase(plan, &result->phases[i]))
            return true;
    return false;
}
