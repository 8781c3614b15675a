/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms are added in one reduction, rows of ranks are gathered, and the record is derived from
 * them on rank 0. */
#include "gather.h"

#include "gather_places.h"
#include "watchdog.h"

#include "weir/base/memory.h"
#include "weir/system/memory_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole sentences about what one session did not get. */
#define SHORTFALL_BYTES 1024
/* What one rank was in, cut where its path is long. */
#define STALL_BYTES 512

static struct weir_rank_row make_row(const struct weir_run *run,
                                     const struct weir_phase_facts *facts)
{
    const struct weir_tally *tally = run->tally;
    struct weir_series_gap gap = weir_series_longest_gap(&tally->series);
    int64_t start = weir_time_global(&facts->before, &facts->after, facts->start_ns);
    struct weir_rank_row row = {
        .op_count = tally->op_count,
        .byte_count = tally->byte_count,
        .short_count = tally->short_count,
        .error_count = tally->error_count,
        .data_ns = tally->data_ns,
        .overlapped_data_ns = tally->overlapped_data_ns,
        .gap_ns = (uint64_t)gap.count << tally->series.shift,
        .gap_begin_ns = (uint64_t)gap.first << tally->series.shift,
        .cpu_user_ns = tally->cpu_user_ns,
        .cpu_system_ns = tally->cpu_system_ns,
        .blocked_count = tally->blocked_count,
        .pace = tally->pace,
        .has_deadline = facts->phase->stop.deadline_ns != 0,
        .hit_deadline = tally->hit_deadline,
        .stonewall_ops = tally->stonewall_ops,
        .stonewall_bytes = tally->stonewall_bytes,
        .stonewall_ns = tally->stonewall_ns,
        .offset_ns = facts->before.offset_ns,
        .drift_ns = facts->after.offset_ns - facts->before.offset_ns,
        .error_ns = facts->before.error_ns > facts->after.error_ns ? facts->before.error_ns
                                                                   : facts->after.error_ns,
        .node = (uint32_t)run->group->node,
        .execution = facts->execution,
        .resident_asked_bytes = facts->resident_asked_bytes,
        .resident_bytes = facts->resident_bytes,
        .machine = run->host->machine,
        .traffic = facts->traffic,
        .node_memory_bytes = run->host->memory_bytes,
    };

    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        row.stamps_ns[i] =
            weir_time_global(&facts->before, &facts->after, tally->stamps_ns[i]) - start;
    return row;
}

/* Who removes a file for all takes longer than those who have nothing to remove, and is no outlier
 * for that. */
static double outlier_s(const struct weir_run *run, const struct weir_phase *phase)
{
    return phase->verb == WEIR_REMOVE ? 0.0 : (double)run->test->outlier_ns * 1e-9;
}

static void derive(const struct weir_run *run, const struct weir_phase *phase,
                   const struct weir_rank_row *rows, const char **hosts,
                   struct weir_phase_result *record)
{
    const struct weir_group *group = run->group;

    for (int rank = 0; rank < group->size; rank++)
        hosts[rank] = group->node_names[group->node_of_rank[rank]];
    weir_result_derive(record, rows, (unsigned)group->size, hosts, outlier_s(run, phase));
    weir_gather_places(&run->result->arena, rows, hosts, record);
    record->rows = rows;
}

/* The rows, which the record then shows, are to be freed. */
static int gather_rows(struct weir_run *run, const struct weir_phase_facts *facts,
                       struct weir_phase_result *record, struct weir_rank_row **rows)
{
    struct weir_group *group = run->group;
    struct weir_rank_row mine = make_row(run, facts);
    const char **hosts = NULL;
    int code = -ENOMEM;

    if (record != NULL) {
        *rows = calloc((size_t)group->size, sizeof **rows);
        hosts = calloc((size_t)group->size, sizeof *hosts);
    }
    if (!weir_group_any(group, record != NULL && (*rows == NULL || hosts == NULL)))
        code = weir_group_gather(group, &mine, sizeof mine, *rows);
    if (code == 0 && hosts != NULL)
        derive(run, facts->phase, *rows, hosts, record);
    free(hosts);
    return code;
}

static int add_histogram(struct weir_group *group, const struct weir_histogram *mine,
                         struct weir_histogram *sum)
{
    struct weir_histogram all = *mine;
    int code = weir_group_reduce(group, &all.total, 1, WEIR_SUM);

    if (code == 0)
        code = weir_group_reduce(group, &all.sum_ns, 1, WEIR_SUM);
    if (code == 0)
        code = weir_group_reduce(group, &all.min_ns, 1, WEIR_MIN);
    if (code == 0)
        code = weir_group_reduce(group, &all.max_ns, 1, WEIR_MAX);
    if (code == 0)
        code = weir_group_reduce(group, all.counts, WEIR_HISTOGRAM_BUCKETS, WEIR_SUM);
    if (code == 0 && sum != NULL)
        *sum = all;
    return code;
}

/* All series begin at the agreed start, so interval k is the same time on every rank once they are
 * equally coarse. */
static int add_series(struct weir_group *group, struct weir_series *mine, bool has_backlog,
                      struct weir_series *sum)
{
    uint64_t shift_and_used[2] = {mine->shift, 0};
    int code = weir_group_reduce(group, shift_and_used, 1, WEIR_MAX);

    if (code != 0)
        return code;
    weir_series_coarsen(mine, (uint32_t)shift_and_used[0]);
    shift_and_used[1] = mine->used;
    code = weir_group_reduce(group, &shift_and_used[1], 1, WEIR_MAX);
    if (code == 0)
        code = weir_group_reduce(group, mine->ops, shift_and_used[1], WEIR_SUM);
    if (code == 0)
        code = weir_group_reduce(group, mine->bytes, shift_and_used[1], WEIR_SUM);
    if (code == 0 && has_backlog)
        code = weir_group_reduce(group, mine->backlog, shift_and_used[1], WEIR_SUM);
    if (code == 0 && sum != NULL) {
        *sum = *mine;
        sum->start_ns = 0;
        sum->used = (uint32_t)shift_and_used[1];
    }
    return code;
}

/* ---- histograms ---- */

static bool is_open_loop(const struct weir_phase *phase)
{
    return phase->rate.arrivals != WEIR_ARRIVALS_CLOSED;
}

/* Where the phase has no such times the record has no histogram, and nothing travels. */
static void leave_out_histograms(const struct weir_run *run, const struct weir_phase *phase,
                                 struct weir_phase_result *record)
{
    if (!run->queue.times_submission)
        record->submission = NULL;
    if (!is_open_loop(phase))
        record->response = NULL;
    if (phase->verb != WEIR_MIXED) {
        record->write_latency = NULL;
        record->read_latency = NULL;
    }
}

static int add_histograms(struct weir_run *run, const struct weir_phase *phase,
                          struct weir_phase_result *record)
{
    const struct weir_tally *tally = run->tally;
    struct weir_group *group = run->group;
    int code = add_histogram(group, &tally->latency, record ? record->latency : NULL);

    if (code == 0 && run->queue.times_submission)
        code = add_histogram(group, &tally->submission, record ? record->submission : NULL);
    if (code == 0 && is_open_loop(phase))
        code = add_histogram(group, &tally->response, record ? record->response : NULL);
    if (code == 0 && phase->verb == WEIR_MIXED)
        code = add_histogram(group, &tally->write_latency, record ? record->write_latency : NULL);
    if (code == 0 && phase->verb == WEIR_MIXED)
        code = add_histogram(group, &tally->read_latency, record ? record->read_latency : NULL);
    return code;
}

/* Logs travel only if there is something in them. */
static int gather_mismatches(struct weir_run *run, struct weir_phase_result *record)
{
    struct weir_group *group = run->group;
    struct weir_mismatch_log *mine = &run->tally->mismatches, *all = NULL;
    uint64_t counts[2] = {mine->checked_transfers, mine->wrong_transfers};
    int code = weir_group_reduce(group, counts, 2, WEIR_SUM);

    if (code != 0)
        return code;
    run->is_dirty |= counts[1] != 0;
    if (counts[1] == 0) {
        if (record != NULL)
            record->mismatches.checked_transfers = counts[0];
        return 0;
    }
    if (record != NULL)
        all = calloc((size_t)group->size, sizeof *all);
    code = weir_group_any(group, record != NULL && all == NULL)
               ? -ENOMEM
               : weir_group_gather(group, mine, sizeof *mine, all);
    for (int rank = 0; code == 0 && all != NULL && rank < group->size; rank++)
        weir_mismatch_log_merge(&record->mismatches, &all[rank]);
    free(all);
    return code;
}

/* Sizes of own files add up; of a shared file only rank 0 tells. */
static int add_sizes(struct weir_run *run, const struct weir_phase_facts *facts,
                     struct weir_phase_result *record)
{
    uint64_t transfer_bytes = facts->phase->layout.transfer_bytes;
    uint64_t sums[5] = {
        facts->op_limit * transfer_bytes,
        facts->file_bytes == UINT64_MAX ? 0 : facts->file_bytes,
        facts->file_bytes == UINT64_MAX && weir_run_handles_name(run, facts->phase->target),
        facts->is_near,
        facts->unlogged,
    };
    int code = weir_group_reduce(run->group, sums, 5, WEIR_SUM);

    if (record != NULL) {
        record->expected_bytes = sums[0];
        record->file_bytes = sums[2] == 0 ? sums[1] : UINT64_MAX;
        record->near_rank_count = (unsigned)sums[3];
        record->unlogged_ops = sums[4];
    }
    return code;
}

/* Ranks that were told nothing agree with any. */
static int compare_sizes(struct weir_run *run, const struct weir_phase_facts *facts,
                         struct weir_phase_result *record)
{
    uint64_t most = facts->shared_bytes == UINT64_MAX ? 0 : facts->shared_bytes;
    uint64_t fewest = facts->shared_bytes;
    int code;

    if (facts->phase->verb != WEIR_WRITE || !facts->phase->target->is_shared)
        return 0;
    code = weir_group_reduce(run->group, &fewest, 1, WEIR_MIN);
    if (code == 0)
        code = weir_group_reduce(run->group, &most, 1, WEIR_MAX);
    if (record != NULL)
        record->has_differing_sizes = fewest < most;
    return code;
}

/* ---- what the sessions got ---- */

/* What the engine asked for on behalf of the session. */
static void describe_memory(const struct weir_run *run, struct weir_session_facts *facts)
{
    const struct weir_buffers *buffers = &run->buffers;
    uint64_t huge;

    if (!weir_run_wants_huge_pages(run))
        return;
    huge = weir_memory_huge_bytes("", buffers->memory, buffers->bytes);
    if (buffers->is_huge)
        weir_session_got(facts, "reserved huge pages");
    else if (huge > 0)
        weir_session_got(facts, "%.0f%% of the buffers in huge pages that the kernel made",
                         100.0 * (double)huge / (double)buffers->bytes);
    else
        weir_session_missed(facts, "there are no huge pages for buffers: reserve some with sysctl "
                                   "vm.nr_hugepages, or have the kernel make them: "
                                   "/sys/kernel/mm/transparent_hugepage/enabled");
}

/* The shortfall of the lowest rank that has one. */
static int share_shortfall(struct weir_run *run, const struct weir_session_facts *mine,
                           char shortfall[SHORTFALL_BYTES], uint64_t *rank_count)
{
    struct weir_group *group = run->group;
    bool falls_short = mine->shortfall.length > 0;
    uint64_t first = falls_short ? (uint64_t)group->rank : UINT64_MAX;
    int code;

    *rank_count = falls_short;
    code = weir_group_reduce(group, rank_count, 1, WEIR_SUM);
    if (code != 0 || *rank_count == 0)
        return code;
    code = weir_group_reduce(group, &first, 1, WEIR_MIN);
    snprintf(shortfall, SHORTFALL_BYTES, "%s", weir_text_string(&mine->shortfall));
    if (code == 0)
        code = weir_group_broadcast(group, shortfall, SHORTFALL_BYTES, (int)first);
    return code;
}

/* With each phase: what is granted for files is known when they were open. */
static int gather_session(struct weir_run *run, struct weir_phase_result *record)
{
    struct weir_session_facts facts = {0};
    char shortfall[SHORTFALL_BYTES];
    uint64_t rank_count;
    int code;

    if (run->backend->describe != NULL)
        run->backend->describe(run->session, &facts);
    describe_memory(run, &facts);
    code = share_shortfall(run, &facts, shortfall, &rank_count);
    if (code == 0 && record != NULL) {
        struct weir_arena *arena = &run->result->arena;

        if (facts.granted.length > 0)
            record->granted = weir_arena_copy(arena, weir_text_string(&facts.granted));
        if (rank_count > 0)
            record->shortfall = weir_arena_copy(arena, shortfall);
        record->shortfall_rank_count = (unsigned)rank_count;
    }
    weir_text_close(&facts.granted);
    weir_text_close(&facts.shortfall);
    return code;
}

/* ---- the record ---- */

/* Transfers of all ranks that the plan wants each second; 0 in a closed loop. */
static double asked_per_s(const struct weir_run *run, const struct weir_phase *phase)
{
    const struct weir_rate *rate = &phase->rate;
    double per_s = rate->per_s;

    if (!is_open_loop(phase))
        return 0.0;
    if (rate->is_in_bytes)
        per_s /= (double)phase->layout.transfer_bytes;
    return rate->is_per_rank ? per_s * run->group->size : per_s;
}

static void fill_record(struct weir_run *run, const struct weir_phase_facts *facts,
                        struct weir_phase_result *record)
{
    record->test = run->test->number;
    record->phase = facts->phase->number;
    record->repetition = (unsigned)run->repetition;
    record->begun_s = facts->begun_s;
    record->rank_count = (unsigned)run->group->size;
    record->node_count = (unsigned)run->group->node_count;
    record->generation = facts->identity.generation;
    record->data_seed = facts->identity.seed;
    record->order_seed = facts->order_seed;
    record->depth = facts->depth;
    record->batch = facts->batch;
    record->depth_curve = facts->depth_curve;
    record->pace.asked_per_s = asked_per_s(run, facts->phase);
    leave_out_histograms(run, facts->phase, record);
    if (run->notes.length > 0)
        record->notes = weir_arena_copy(&run->result->arena, weir_text_string(&run->notes));
}

/* What the watchdog saw of each rank, and said when it did. */
static int gather_stalls(struct weir_run *run, struct weir_phase_result *record)
{
    struct weir_group *group = run->group;
    struct weir_text text = {0};
    char stall[STALL_BYTES];
    uint64_t longest_ns = weir_watchdog_stall(run, &text);
    uint64_t count = longest_ns != 0;
    uint64_t first = longest_ns != 0 ? (uint64_t)group->rank : UINT64_MAX;
    int code = weir_group_reduce(group, &count, 1, WEIR_SUM);

    snprintf(stall, sizeof stall, "rank %d on host %s: %s", group->rank,
             group->node_names[group->node], weir_text_string(&text));
    weir_text_close(&text);
    if (code != 0 || count == 0)
        return code;
    code = weir_group_reduce(group, &longest_ns, 1, WEIR_MAX);
    if (code == 0)
        code = weir_group_reduce(group, &first, 1, WEIR_MIN);
    if (code == 0)
        code = weir_group_broadcast(group, stall, sizeof stall, (int)first);
    if (record != NULL) {
        record->stalled_rank_count = (unsigned)count;
        record->stall_s = (double)longest_ns * 1e-9;
        record->stall = weir_arena_copy(&run->result->arena, stall);
    }
    return code;
}

/* What all ranks must know before they go on: has one failed, or been told to stop? */
static int agree_on_outcome(struct weir_run *run, struct weir_phase_result *record)
{
    struct weir_error failure = run->failure;
    bool is_told = weir_run_must_stop(run);
    bool is_heard = weir_group_hears_alarm(run->group);
    uint64_t seen[6] = {is_told,  run->is_cut,        weir_error_is_set(&failure),
                        is_heard, run->is_called_off, weir_group_has_pinged(run->group)};
    int code = weir_group_reduce(run->group, seen, 6, WEIR_MAX);
    bool is_cut;

    if (code == 0 && seen[3] != 0)
        code = weir_group_end_alarm(run->group);
    if (code == 0 && seen[5] != 0)
        code = weir_group_end_pings(run->group);
    if (code != 0)
        return code;
    weir_group_agree(run->group, &failure);
    run->is_interrupted |= seen[0] != 0;
    run->has_failed |= seen[2] != 0;
    run->is_ending |= seen[0] != 0 || (seen[2] != 0 && !run->test->goes_on_after_errors);
    is_cut = seen[1] != 0 || (seen[0] != 0 && seen[4] != 0);
    if (record != NULL) {
        record->is_interrupted = is_cut;
        record->outcome =
            is_cut || seen[2] != 0 || seen[4] != 0 ? WEIR_OUTCOME_PARTIAL : WEIR_OUTCOME_COMPLETE;
        snprintf(record->failure, sizeof record->failure, "%s", failure.text);
        run->result->is_interrupted |= run->is_interrupted;
    }
    return 0;
}

static int show(struct weir_run *run, struct weir_phase_result *record, struct weir_error *error)
{
    const struct weir_observer *observer = run->params->observer;

    if (record != NULL && observer->phase_done != NULL)
        observer->phase_done(observer->context, record, error);
    if (weir_memory_is_short())
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL,
                       "out of memory for the description of the run");
    return weir_group_agree(run->group, error);
}

static int gather_all(struct weir_run *run, const struct weir_phase_facts *facts,
                      struct weir_phase_result *record, struct weir_rank_row **rows)
{
    int code = gather_rows(run, facts, record, rows);

    if (code == 0)
        code = add_histograms(run, facts->phase, record);
    if (code == 0)
        code = add_series(run->group, &run->tally->series, is_open_loop(facts->phase),
                          record ? record->series : NULL);
    if (code == 0 && facts->phase->verb != WEIR_REMOVE)
        code = gather_session(run, record);
    if (code == 0)
        code = gather_mismatches(run, record);
    if (code == 0)
        code = add_sizes(run, facts, record);
    if (code == 0)
        code = compare_sizes(run, facts, record);
    if (code == 0)
        code = gather_stalls(run, record);
    if (code == 0)
        code = agree_on_outcome(run, record);
    return code;
}

/* ---- times of single transfers ---- */

/* As large as they may become. The record has them while it is gathered and shown. */
struct whole_times {
    struct weir_histogram latency;
    struct weir_histogram submission;
    struct weir_histogram response;
    struct weir_histogram write_latency;
    struct weir_histogram read_latency;
    struct weir_series series;
};

static void lend_times(struct weir_phase_result *record, struct whole_times *times)
{
    record->latency = &times->latency;
    record->submission = &times->submission;
    record->response = &times->response;
    record->write_latency = &times->write_latency;
    record->read_latency = &times->read_latency;
    record->series = &times->series;
}

/* What is told at the end of a run of many thousand phases: percentiles, and of an open loop how
 * its backlog grew. */
static void keep_times(struct weir_phase_result *record, const struct weir_phase *phase)
{
    struct weir_arena *arena = record->arena;
    const struct weir_series *series = record->series;

    record->latency = weir_histogram_trim(arena, record->latency);
    record->submission = weir_histogram_trim(arena, record->submission);
    record->response = weir_histogram_trim(arena, record->response);
    record->write_latency = weir_histogram_trim(arena, record->write_latency);
    record->read_latency = weir_histogram_trim(arena, record->read_latency);
    record->series = NULL;
    if (is_open_loop(phase))
        record->series = memcpy(weir_arena_take(arena, sizeof *series), series, sizeof *series);
}

int weir_gather(struct weir_run *run, const struct weir_phase_facts *facts,
                struct weir_error *error)
{
    struct weir_phase_result *record = NULL;
    struct weir_rank_row *rows = NULL;
    struct whole_times *times = NULL;
    int code;

    if (run->result != NULL) {
        times = weir_memory_take(sizeof *times);
        record = weir_result_begin_phase(run->result);
        lend_times(record, times);
        fill_record(run, facts, record);
    }
    code = gather_all(run, facts, record, &rows);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "results could not be gathered: %s", strerror(-code));
    if (code == 0)
        code = show(run, record, error);
    if (record != NULL) {
        record->rows = NULL;
        keep_times(record, facts->phase);
    }
    free(times);
    free(rows);
    return code;
}

int weir_gather_skipped(struct weir_run *run, const struct weir_phase *phase,
                        struct weir_error *error)
{
    struct weir_phase_facts facts = {.phase = phase, .begun_s = weir_wall_clock_s()};
    struct weir_phase_result *record = NULL;

    if (run->result != NULL) {
        record = weir_result_begin_phase(run->result);
        fill_record(run, &facts, record);
        record->outcome = WEIR_OUTCOME_SKIPPED;
        record->file_bytes = UINT64_MAX;
    }
    return show(run, record, error);
}
