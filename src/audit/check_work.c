/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that all was done that was asked for, and that the data are right. */
#include "checks.h"

#include "weir/base/remedy.h"

#include <inttypes.h>
#include <math.h>

/* Ranks that share a storage differ by 5 to 15 % in the work that they do until a deadline. */
#define STONEWALL_SHARE 0.2

/* ---- was all of it done? ---- */

void weir_audit_completeness(const struct weir_audit_input *input)
{
    struct weir_phase_result *record = input->record;

    if (record->outcome == WEIR_OUTCOME_SKIPPED)
        weir_result_find(record, WEIR_FINDING_SKIPPED,
                         "the time limit was over, and the rest did not begin -> a longer limit");
    if (record->is_interrupted)
        weir_result_find(record, WEIR_FINDING_INTERRUPTED,
                         "%s ended the phase after %" PRIu64 " of its %ss -> repeat it",
                         input->plan->has_stop_before ? "a signal, or the end of the job's time,"
                                                      : "a signal",
                         record->op_count, weir_audit_unit(input));
    if (record->error_count > 0)
        weir_result_find(record, WEIR_FINDING_FAILED,
                         "%" PRIu64 " operation%s failed, and %" PRIu64 " succeeded",
                         record->error_count, record->error_count == 1 ? "" : "s",
                         record->op_count);
    else if (record->failure[0] != '\0')
        weir_result_find(record, WEIR_FINDING_FAILED, "the phase failed after %" PRIu64 " %ss",
                         record->op_count, weir_audit_unit(input));
    if (record->short_count > 0)
        weir_result_find(record, WEIR_FINDING_SHORT_TRANSFERS,
                         "%" PRIu64 " of %" PRIu64 " transfers moved less than asked for%s",
                         record->short_count, record->op_count,
                         record->error_count > 0 ? " (storage full, or end of file)"
                                                 : ", and were continued");
}

static void check_stonewall(const struct weir_audit_input *input)
{
    const struct weir_stonewall *stonewall = &input->record->stonewall;
    const struct weir_layout *layout = &input->phase->transfers.layout;
    uint64_t all = UINT64_MAX;
    double share;

    if (!stonewall->is_hit || input->phase->stop.has_wear_out || input->phase->stop.ends_with_first)
        return;
    if (layout->transfer_bytes > 0)
        all = weir_layout_ops_per_rank(layout);
    share = 1.0 - (double)stonewall->ops_min / fmax((double)stonewall->ops_max, 1.0);
    if (share >= STONEWALL_SHARE)
        weir_result_find(input->record, WEIR_FINDING_STONEWALL,
                         "ranks did %" PRIu64 " to %" PRIu64 " %ss until the deadline (%.0f %% "
                         "apart%s) -> " WEIR_REMEDY_WEAR_OUT,
                         stonewall->ops_min, stonewall->ops_max, weir_audit_unit(input),
                         100.0 * share, stonewall->ops_max >= all ? ", some were done" : "");
}

static void check_size(const struct weir_audit_input *input)
{
    const struct weir_phase_result *record = input->record;
    const struct weir_layout *layout = &input->phase->transfers.layout;
    uint64_t extent =
        weir_layout_extent(layout, input->phase->target->is_shared, record->rank_count);
    bool is_whole = record->byte_count == weir_layout_bytes_per_rank(layout) * record->rank_count &&
                    layout->order != WEIR_ORDER_RANDOM_BLOCKS;
    bool may_be_longer = !input->phase->transfers.must_replace && record->file_bytes > extent;

    if (!weir_verb_makes_files(input->phase->verb) || record->outcome != WEIR_OUTCOME_COMPLETE ||
        !is_whole || record->file_bytes == UINT64_MAX || record->file_bytes == extent ||
        may_be_longer)
        return;
    /* Where one rank sees more, the others may be late. */
    input->record->has_lost_bytes = record->file_bytes < extent && !record->has_differing_sizes;
    weir_result_find(input->record, WEIR_FINDING_FILE_SIZE,
                     "the files hold %" PRIu64 " bytes, and %" PRIu64 " were written",
                     record->file_bytes, extent);
}

static void check_sizes(const struct weir_audit_input *input)
{
    if (input->record->has_differing_sizes)
        weir_result_find(input->record, WEIR_FINDING_SIZES_DIFFER,
                         "ranks see different sizes of one file -> check the mounts of all nodes");
}

static void check_log(const struct weir_audit_input *input)
{
    if (input->record->unlogged_ops > 0)
        weir_result_find(input->record, WEIR_FINDING_UNLOGGED,
                         "%" PRIu64 " %ss are missing in the log of times, which was full -> "
                         "--result",
                         input->record->unlogged_ops, weir_audit_unit(input));
}

/* ---- is the data right? ---- */

/* The evidence is removed with the rest, unless the plan says otherwise. */
static const char *keeping_advice(const struct weir_test *test)
{
    const struct weir_phase *removal = weir_test_phase(test, WEIR_REMOVE);

    return removal == NULL || removal->names.only_if_clean
               ? ""
               : ", and the files are removed -> " WEIR_REMEDY_KEEP_FAILED;
}

void weir_audit_data(const struct weir_audit_input *input)
{
    const struct weir_mismatch_summary *log = &input->record->mismatches;

    if (log->wrong_transfers > 0)
        weir_result_find(input->record, WEIR_FINDING_WRONG_DATA,
                         "%" PRIu64 " of %" PRIu64 " %s held wrong data%s", log->wrong_transfers,
                         log->checked_transfers,
                         weir_verb_works_on_trees(input->phase->verb) ? "files" : "transfers",
                         keeping_advice(input->test));
}

void weir_audit_work(const struct weir_audit_input *input)
{
    check_stonewall(input);
    check_size(input);
    check_sizes(input);
    check_log(input);
    weir_audit_data(input);
}
