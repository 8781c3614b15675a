/* SPDX-License-Identifier: Apache-2.0 */
/* What ranks add up and compare goes in two messages (gather_tally.h), their rows in a third: rank
 * 0 derives the record. Texts and logs of wrong data travel only where there are any. */
#include "gather.h"

#include "gather_directories.h"
#include "gather_places.h"
#include "gather_program.h"
#include "gather_tally.h"
#include "items.h"
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

int weir_phase_start(struct weir_run *run, struct weir_phase_facts *facts)
{
    struct weir_tally_parts parts = weir_run_tally_parts(run, facts->phase);
    int code;

    /* The ranks have just agreed: none prepares anything any more. */
    weir_surroundings_begin(run->surroundings);
    code = weir_group_synchronise(run->group, run->params->clock, &facts->before);
    if (code != 0)
        return code;
    facts->begun_s = weir_wall_clock_s();
    weir_surroundings_enter(run->surroundings);
    facts->start_ns = weir_group_start_together(run->group, run->params->clock, &facts->before);
    if (facts->start_ns == 0)
        return -ECOMM;
    weir_tally_reset(run->tally, facts->start_ns, &parts);
    return 0;
}

static struct weir_rank_row make_row(const struct weir_run *run,
                                     const struct weir_phase_facts *facts)
{
    const struct weir_tally *tally = run->tally;
    struct weir_series_gap gap = weir_series_longest_gap(&tally->series);
    int64_t start = weir_time_global(&facts->before, &facts->after, facts->start_ns);
    struct weir_rank_row row = {
        .op_count = weir_tally_ops(tally),
        .byte_count = weir_tally_bytes(tally),
        .short_count = tally->short_count,
        .error_count = weir_tally_errors(tally),
        .data_ns = tally->data_ns,
        .overlapped_data_ns = tally->overlapped_data_ns,
        .gap_ns = (uint64_t)gap.count << tally->series.shift,
        .gap_begin_ns = (uint64_t)gap.first << tally->series.shift,
        .waited_ns = tally->waited_ns,
        .cpu_user_ns = tally->cpu_user_ns,
        .cpu_system_ns = tally->cpu_system_ns,
        .blocked_count = tally->blocked_count,
        .pace = tally->pace,
        .has_deadline = facts->phase->stop.deadline_ns != 0 || facts->phase->stop.ends_with_first,
        .hit_deadline = tally->hit_deadline,
        .stonewall_ops = tally->stonewall_ops,
        .stonewall_bytes = tally->stonewall_bytes,
        .stonewall_ns = tally->stonewall_ns,
        .offset_ns = facts->before.offset_ns,
        .drift_ns = facts->after.offset_ns - facts->before.offset_ns,
        .error_ns = facts->before.error_ns > facts->after.error_ns ? facts->before.error_ns
                                                                   : facts->after.error_ns,
        .drift_span_ns = facts->after.local_ns - facts->before.local_ns,
        .drift_error_ns = facts->before.error_ns + facts->after.error_ns,
        .node = (uint32_t)run->group->node,
        .execution = facts->around.execution,
        .sight = run->sight,
        .resident_asked_bytes = facts->resident_asked_bytes,
        .resident_bytes = facts->resident_bytes,
        .written_asked_bytes = facts->unstored.asked_bytes,
        .unstored_bytes = facts->unstored.dirty_bytes,
        .synced_asked_bytes = facts->unsynced.asked_bytes,
        .unsynced_bytes = facts->unsynced.dirty_bytes,
        .origin = facts->origin,
        .machine = run->surroundings->host.machine,
        .traffic = facts->around.traffic,
        .node_memory_bytes = run->surroundings->host.memory_bytes,
    };

    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++)
        if (tally->verbs[verb].latency != NULL &&
            tally->verbs[verb].latency->max_ns > row.op_max_ns)
            row.op_max_ns = tally->verbs[verb].latency->max_ns;
    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        row.stamps_ns[i] =
            weir_time_global(&facts->before, &facts->after, tally->stamps_ns[i]) - start;
    if (weir_verb_moves_data(facts->phase->verb))
        weir_gather_count_own(tally, facts->phase, &row);
    return row;
}

/* The rank that removes the shared file takes longer than ranks that remove nothing: it does not
 * count as an outlier. */
static double outlier_s(const struct weir_run *run, const struct weir_phase *phase)
{
    return weir_verb_moves_data(phase->verb) || weir_verb_works_on_trees(phase->verb)
               ? (double)run->test->outlier_ns * 1e-9
               : 0.0;
}

/* Two phases may make one line of a report. */
static void keep_earlier(struct weir_gather_memory *memory)
{
    struct weir_gather_memory now = *memory;

    if (now.times == NULL)
        return;
    memory->rows = now.earlier_rows;
    memory->times = now.earlier_times;
    memory->earlier_rows = now.rows;
    memory->earlier_times = now.times;
}

static int gather_rows(struct weir_run *run, const struct weir_phase_facts *facts,
                       const struct weir_rank_row *mine, struct weir_phase_result *record)
{
    struct weir_gather_memory *memory = &run->gather;
    int code;

    keep_earlier(memory);
    code = weir_group_gather(run->group, mine, sizeof *mine, memory->rows);
    if (code != 0 || record == NULL)
        return code;
    weir_result_derive(record, memory->rows, (unsigned)run->group->size, memory->hosts,
                       outlier_s(run, facts->phase));
    /* An estimate is made of the whole time of a phase, and the rate of one that syncs outside of
     * its time is not: none is made. */
    if (facts->phase->transfers.must_sync_before || facts->phase->transfers.must_sync_after)
        record->storage_s = 0.0;
    if (weir_verb_moves_data(facts->phase->verb))
        record->counted = weir_counted_derive(memory->rows, (unsigned)run->group->size);
    if (run->group->size > 1 && run->repetition < WEIR_RANK_SERIES_REPETITIONS)
        weir_rank_rates_derive(record, memory->rows, (unsigned)run->group->size,
                               weir_verb_moves_data(facts->phase->verb));
    record->rank_series = memory->rank_series;
    weir_gather_places(memory->rows, memory->hosts, record);
    record->rows = memory->rows;
    return 0;
}

static bool is_open_loop(const struct weir_phase *phase)
{
    return phase->rate.arrivals != WEIR_ARRIVALS_CLOSED;
}

/* Logs travel only if there is something in them. */
static int gather_mismatches(struct weir_run *run, const struct weir_gathered *gathered,
                             struct weir_phase_result *record)
{
    struct weir_group *group = run->group;
    struct weir_mismatch_log *mine = &run->tally->mismatches, *all = NULL;
    int code;

    run->is_dirty |= gathered->sums[WEIR_SUM_WRONG] != 0;
    if (gathered->sums[WEIR_SUM_WRONG] == 0) {
        if (record != NULL)
            record->mismatches.checked_transfers = gathered->sums[WEIR_SUM_CHECKED];
        return 0;
    }
    if (record != NULL)
        all = calloc((size_t)group->size, sizeof *all);
    code = weir_group_any(group, record != NULL && all == NULL)
               ? -ENOMEM
               : weir_group_gather(group, mine, sizeof *mine, all);
    for (int rank = 1; code == 0 && all != NULL && rank < group->size; rank++)
        weir_mismatch_log_merge(&all[0], &all[rank]);
    if (code == 0 && all != NULL)
        record->mismatches = weir_mismatch_summarise(record->arena, &all[0]);
    free(all);
    return code;
}

/* Fills in sums, the least and the greatest values over all ranks. Sizes of own files add up; the
 * size of a shared file comes from rank 0 alone. */
static void set_reduced(const struct weir_phase_facts *facts, const struct weir_gathered *gathered,
                        struct weir_phase_result *record)
{
    const uint64_t *sums = gathered->sums;

    record->expected_bytes = sums[WEIR_SUM_EXPECTED_BYTES];
    record->file_bytes = sums[WEIR_SUM_UNKNOWN_FILES] == 0 ? sums[WEIR_SUM_FILE_BYTES] : UINT64_MAX;
    record->near_rank_count = (unsigned)sums[WEIR_SUM_NEAR_RANKS];
    record->unlogged_ops = sums[WEIR_SUM_UNLOGGED];
    record->absent_count = sums[WEIR_SUM_ABSENT];
    record->found_count = sums[WEIR_SUM_FOUND];
    record->left_count = sums[WEIR_SUM_LEFT];
    if (gathered->greatest[WEIR_LEAST_FAILURE_NS] != 0)
        record->failure_s = (double)weir_gathered_least(gathered, WEIR_LEAST_FAILURE_NS) * 1e-9;
    record->depth = (unsigned)weir_gathered_least(gathered, WEIR_LEAST_DEPTH);
    record->depth_max = (unsigned)gathered->greatest[WEIR_GREATEST_DEPTH];
    if (record->depth_max == record->depth)
        record->depth_max = 0;
    /* Ranks that were told nothing agree with any. */
    record->has_differing_sizes = weir_verb_makes_files(facts->phase->verb) &&
                                  facts->phase->target->is_shared &&
                                  weir_gathered_least(gathered, WEIR_LEAST_SHARED_BYTES) <
                                      gathered->greatest[WEIR_GREATEST_SHARED_BYTES];
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
        weir_session_missed(facts, "buffers have no huge pages -> sysctl vm.nr_hugepages");
}

/* With each phase: what is granted for files is known when they were open. */
static void describe_session(const struct weir_run *run, const struct weir_phase *phase,
                             struct weir_session_facts *facts)
{
    if (!weir_verb_moves_data(phase->verb) && !weir_verb_works_on_trees(phase->verb) &&
        phase->verb != WEIR_PROGRAM)
        return;
    if (run->backend->describe != NULL)
        run->backend->describe(run->session, facts);
    describe_memory(run, facts);
}

/* The text of the rank that has one first. */
static int gather_text(struct weir_run *run, const char *mine, size_t bytes, uint64_t first,
                       struct weir_phase_result *record, const char **text)
{
    char *first_text = calloc(1, bytes);
    int code;

    if (weir_group_any(run->group, first_text == NULL)) {
        free(first_text);
        return -ENOMEM;
    }
    snprintf(first_text, bytes, "%s", mine);
    code = weir_group_broadcast(run->group, first_text, bytes, (int)first);
    if (code == 0 && record != NULL)
        *text = weir_arena_copy(record->arena, first_text);
    free(first_text);
    return code;
}

static int gather_session(struct weir_run *run, const struct weir_session_facts *facts,
                          const struct weir_gathered *gathered, struct weir_phase_result *record)
{
    if (record != NULL)
        record->bypasses_cache = run->session != NULL && run->session->bypasses_cache;
    if (record != NULL && facts->granted.length > 0)
        record->granted = weir_arena_copy(record->arena, weir_text_string(&facts->granted));
    if (gathered->sums[WEIR_SUM_SHORTFALLS] == 0)
        return 0;
    if (record != NULL)
        record->shortfall_rank_count = (unsigned)gathered->sums[WEIR_SUM_SHORTFALLS];
    return gather_text(run, weir_text_string(&facts->shortfall), SHORTFALL_BYTES,
                       weir_gathered_least(gathered, WEIR_FIRST_SHORTFALL), record,
                       record != NULL ? &record->shortfall : NULL);
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
        per_s /= (double)weir_phase_op_bytes(phase);
    return rate->is_per_rank ? per_s * run->group->size : per_s;
}

/* The repetitions of a phase share it. */
static struct weir_depth_curve keep_curve(struct weir_arena *arena,
                                          struct weir_depth_choice *choice)
{
    size_t bytes;

    if (choice == NULL || choice->table.count == 0)
        return (struct weir_depth_curve){0};
    bytes = choice->table.count * sizeof *choice->table.points;
    if (choice->kept.points == NULL)
        choice->kept = (struct weir_depth_curve){
            .count = choice->table.count,
            .points = memcpy(weir_arena_take(arena, bytes), choice->table.points, bytes)};
    return choice->kept;
}

static void fill_record(struct weir_run *run, const struct weir_phase_facts *facts,
                        struct weir_phase_result *record)
{
    record->test = run->test->number;
    record->phase = facts->phase->number;
    record->repetition = (unsigned)run->repetition;
    record->loop_count = run->loop_count;
    record->loops = weir_run_keep_loops(run);
    record->begun_s = facts->begun_s;
    record->rank_count = (unsigned)run->group->size;
    record->node_count = (unsigned)run->group->node_count;
    record->generation = facts->identity.generation;
    record->data_seed = facts->identity.seed;
    record->order_seed = facts->order_seed;
    record->batch = facts->batch;
    record->has_dropped_caches = facts->has_dropped_caches;
    record->depth_curve = keep_curve(&run->result->arena, facts->choice);
    record->pace.asked_per_s = asked_per_s(run, facts->phase);
    if (run->notes.length > 0)
        record->notes = weir_arena_copy(record->arena, weir_text_string(&run->notes));
}

/* What the watchdog saw of each rank, and said when it did. */
static int gather_stalls(struct weir_run *run, const struct weir_text *mine,
                         const struct weir_gathered *gathered, struct weir_phase_result *record)
{
    const struct weir_group *group = run->group;
    char stall[STALL_BYTES];

    if (gathered->sums[WEIR_SUM_STALLS] == 0)
        return 0;
    if (record != NULL) {
        record->stalled_rank_count = (unsigned)gathered->sums[WEIR_SUM_STALLS];
        record->stall_s = (double)gathered->greatest[WEIR_GREATEST_STALL_NS] * 1e-9;
    }
    snprintf(stall, sizeof stall, "rank %d on host %s: %s", group->rank,
             group->node_names[group->node], weir_text_string(mine));
    return gather_text(run, stall, sizeof stall, weir_gathered_least(gathered, WEIR_FIRST_STALL),
                       record, record != NULL ? &record->stall : NULL);
}

/* What all ranks must know before they go on: has one failed, or been told to stop? */
static int agree_on_outcome(struct weir_run *run, const struct weir_gathered *gathered,
                            struct weir_phase_result *record)
{
    const uint64_t *any = gathered->greatest;
    bool must_stop = any[WEIR_ANY_MUST_STOP] != 0, has_failed = any[WEIR_ANY_FAILED] != 0;
    bool is_called_off = any[WEIR_ANY_CALLED_OFF] != 0;
    bool is_cut = any[WEIR_ANY_CUT] != 0 || (must_stop && is_called_off);
    struct weir_error failure = run->failure;
    int code = any[WEIR_ANY_ALARM] != 0 ? weir_group_end_alarm(run->group, WEIR_ALARM_CALL_OFF) : 0;

    if (code == 0 && any[WEIR_ANY_PINGED] != 0)
        code = weir_group_end_pings(run->group);
    if (code != 0)
        return code;
    if (has_failed)
        weir_group_agree(run->group, &failure);
    run->is_interrupted |= must_stop;
    run->has_failed |= has_failed;
    run->is_ending |= must_stop || (has_failed && !run->test->goes_on_after_errors);
    if (record != NULL) {
        record->is_interrupted = is_cut;
        record->outcome =
            is_cut || has_failed || is_called_off ? WEIR_OUTCOME_PARTIAL : WEIR_OUTCOME_COMPLETE;
        if (has_failed)
            record->failure = weir_arena_copy(record->arena, failure.text);
        run->result->is_interrupted |= run->is_interrupted;
    }
    return 0;
}

/* Ranks agree on what comes of it with all else that may fail before the next phase. */
static void show(struct weir_run *run, struct weir_phase_result *record)
{
    const struct weir_observer *observer = run->params->observer;

    if (record != NULL && observer->phase_done != NULL)
        observer->phase_done(observer->context, record, &run->late_error);
    if (weir_memory_is_short())
        weir_error_set(&run->late_error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL,
                       "out of memory for the description of the run");
}

/* Texts of this rank that travel only if they are asked for. */
struct texts {
    struct weir_session_facts session;
    struct weir_text stall;
};

/* No overflow: see weir_prepare_test. */
static uint64_t expected_bytes(const struct weir_phase_facts *facts)
{
    const struct weir_layout *layout = &facts->phase->transfers.layout;

    if (layout->order == WEIR_ORDER_LISTED)
        return weir_layout_bytes_per_rank(layout);
    return facts->op_limit * weir_phase_op_bytes(facts->phase);
}

/* What this rank has to tell. */
static struct weir_gathered gathered_of(struct weir_run *run, const struct weir_phase_facts *facts,
                                        struct texts *texts)
{
    const struct weir_mismatch_log *mismatches = &run->tally->mismatches;
    uint64_t rank = (uint64_t)run->group->rank, failed_ns = run->tally->failed_ns;
    uint64_t stall_ns = weir_watchdog_stall(run, &texts->stall);
    bool has_size = facts->file_bytes != UINT64_MAX;
    bool falls_short;

    describe_session(run, facts->phase, &texts->session);
    falls_short = texts->session.shortfall.length > 0;
    return (struct weir_gathered){
        .sums = {[WEIR_SUM_EXPECTED_BYTES] = expected_bytes(facts),
                 [WEIR_SUM_ABSENT] = facts->absent_count,
                 [WEIR_SUM_FOUND] = facts->found_count,
                 [WEIR_SUM_LEFT] = facts->left_count,
                 [WEIR_SUM_FILE_BYTES] = has_size ? facts->file_bytes : 0,
                 [WEIR_SUM_UNKNOWN_FILES] =
                     !has_size && weir_run_handles_name(run, facts->phase->target),
                 [WEIR_SUM_NEAR_RANKS] = facts->is_near,
                 [WEIR_SUM_UNLOGGED] = facts->unlogged,
                 [WEIR_SUM_CHECKED] = mismatches->checked_transfers,
                 [WEIR_SUM_WRONG] = mismatches->wrong_transfers,
                 [WEIR_SUM_SHORTFALLS] = falls_short,
                 [WEIR_SUM_STALLS] = stall_ns != 0},
        .greatest = {[WEIR_GREATEST_SHARED_BYTES] =
                         facts->shared_bytes == UINT64_MAX ? 0 : facts->shared_bytes,
                     [WEIR_LEAST_SHARED_BYTES] = ~facts->shared_bytes,
                     [WEIR_FIRST_SHORTFALL] = falls_short ? ~rank : 0,
                     [WEIR_FIRST_STALL] = stall_ns != 0 ? ~rank : 0,
                     [WEIR_GREATEST_DEPTH] = facts->depth,
                     [WEIR_LEAST_DEPTH] = ~(uint64_t)facts->depth,
                     [WEIR_GREATEST_STALL_NS] = stall_ns,
                     [WEIR_LEAST_FAILURE_NS] =
                         failed_ns > facts->start_ns ? ~(failed_ns - facts->start_ns) : 0,
                     [WEIR_ANY_LOST] = facts->around.code != 0,
                     [WEIR_ANY_INCOMPLETE] = facts->is_incomplete,
                     [WEIR_ANY_MUST_STOP] = weir_run_must_stop(run),
                     [WEIR_ANY_CUT] = run->is_cut,
                     [WEIR_ANY_FAILED] = weir_error_is_set(&run->failure),
                     [WEIR_ANY_ALARM] = weir_group_hears_alarm(run->group, WEIR_ALARM_CALL_OFF),
                     [WEIR_ANY_CALLED_OFF] = run->is_called_off,
                     [WEIR_ANY_PINGED] = weir_group_has_pinged(run->group)},
    };
}

/* A verb may be there twice: then it is counted once. */
static void lend_verbs(struct weir_tally *tally, const struct weir_names *names,
                       struct weir_phase_result *record)
{
    for (unsigned i = 0; i < names->cycle_count; i++) {
        unsigned counted = weir_items_counted_as(names->cycle[i]);
        bool is_told = false;

        for (unsigned k = 0; k < i; k++)
            is_told |= names->cycle[k] == names->cycle[i];
        if (!is_told)
            record->verbs[record->verb_count++] = (struct weir_verb_result){
                .verb = names->cycle[i], .latency = tally->verbs[counted].latency};
    }
}

/* Before the histograms of all ranks are added up. */
static struct weir_rank_times make_times(const struct weir_run *run, const struct weir_phase *phase)
{
    struct weir_phase_result verbs = {.verb_count = 0};
    struct weir_rank_times times = {{0}, {{0}}};

    if (!run->test->tells_ranks || !weir_verb_works_on_trees(phase->verb))
        return times;
    if (phase->verb == WEIR_CYCLE)
        lend_verbs(run->tally, &phase->names, &verbs);
    else
        verbs.verbs[verbs.verb_count++].latency = run->tally->latency;
    for (unsigned i = 0; i < verbs.verb_count; i++) {
        times.op_count[i] = verbs.verbs[i].latency->total;
        for (unsigned k = 0; k < WEIR_QUANTILES; k++)
            times.ns[i][k] =
                weir_histogram_percentile(verbs.verbs[i].latency, weir_quantile_fractions[k]);
    }
    return times;
}

static int gather_times(struct weir_run *run, const struct weir_rank_times *mine,
                        struct weir_phase_result *record)
{
    const struct weir_gather_memory *memory = &run->gather;
    int code = 0;

    if (!run->test->tells_ranks)
        return 0;
    code = weir_group_gather(run->group, mine, sizeof *mine, memory->times);
    if (record == NULL)
        return code;
    record->rank_times = memory->times;
    record->earlier_rows = memory->earlier_rows;
    record->earlier_rank_times = memory->earlier_times;
    return code;
}

static int gather_all(struct weir_run *run, const struct weir_phase_facts *facts,
                      struct weir_phase_result *record)
{
    struct texts texts = {0};
    struct weir_gathered gathered = gathered_of(run, facts, &texts);
    /* Made first: weir_gather_tally puts the series of all ranks in the place of this rank's. */
    struct weir_rank_row mine = make_row(run, facts);
    struct weir_rank_times times = make_times(run, facts->phase);
    int code = weir_gather_tally(run, &gathered, weir_verb_moves_data(facts->phase->verb));

    run->has_incomplete_rank = gathered.greatest[WEIR_ANY_INCOMPLETE] != 0;
    if (code == 0 && gathered.greatest[WEIR_ANY_LOST] != 0)
        code = facts->around.code != 0 ? facts->around.code : -ECOMM;
    if (code == 0)
        code = gather_rows(run, facts, &mine, record);
    if (code == 0)
        code = gather_times(run, &times, record);
    if (code == 0)
        code = weir_gather_directories(run, facts, record);
    if (code == 0)
        code = gather_session(run, &texts.session, &gathered, record);
    if (code == 0)
        code = gather_mismatches(run, &gathered, record);
    if (code == 0 && record != NULL)
        set_reduced(facts, &gathered, record);
    if (code == 0)
        code = gather_stalls(run, &texts.stall, &gathered, record);
    if (code == 0)
        code = weir_gather_program(run, facts, record);
    if (code == 0)
        code = agree_on_outcome(run, &gathered, record);
    weir_text_close(&texts.session.granted);
    weir_text_close(&texts.session.shortfall);
    weir_text_close(&texts.stall);
    return code;
}

/* ---- times of single operations ---- */

/* The totals of the histograms are those of all ranks when they are gathered. */
static void count_verbs(struct weir_phase_result *record)
{
    for (unsigned i = 0; i < record->verb_count; i++)
        record->verbs[i].op_count = record->verbs[i].latency->total;
}

/* The record has them while it is gathered and shown. Where the phase has no such times the record
 * has no histogram. */
static void lend_times(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_phase_result *record)
{
    struct weir_tally *tally = run->tally;
    bool is_mixed = weir_verb_writes(phase->verb) && weir_verb_reads(phase->verb);

    record->latency = tally->latency;
    record->submission = tally->submission;
    record->response = tally->response;
    record->write_latency = is_mixed ? tally->verbs[WEIR_OP_WRITE].latency : NULL;
    record->read_latency = is_mixed ? tally->verbs[WEIR_OP_READ].latency : NULL;
    record->series = &tally->series;
    if (phase->verb == WEIR_CYCLE)
        lend_verbs(tally, &phase->names, record);
}

static struct weir_phase_result *begin_record(struct weir_run *run,
                                              const struct weir_phase_facts *facts)
{
    struct weir_phase_result *record;

    if (run->result == NULL)
        return NULL;
    record = weir_result_begin_phase(run->result);
    record->arena = &run->result->shown;
    fill_record(run, facts, record);
    return record;
}

static void keep_record(struct weir_run *run)
{
    if (run->result != NULL)
        weir_result_keep_phase(run->result, run->params->observer->keeps_each_note);
}

int weir_gather(struct weir_run *run, const struct weir_phase_facts *facts,
                struct weir_error *error)
{
    struct weir_phase_result *record;
    int code;

    weir_memory_check();
    record = begin_record(run, facts);
    if (record != NULL)
        lend_times(run, facts->phase, record);
    code = gather_all(run, facts, record);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "results could not be gathered: %s", strerror(-code));
    run->tally->series.start_ns = 0;
    if (code == 0 && record != NULL)
        count_verbs(record);
    if (code == 0)
        show(run, record);
    keep_record(run);
    return code;
}

void weir_gather_skipped(struct weir_run *run, const struct weir_phase *phase)
{
    struct weir_phase_facts facts = {.phase = phase, .begun_s = weir_wall_clock_s()};
    struct weir_phase_result *record = begin_record(run, &facts);

    if (record != NULL) {
        record->outcome = WEIR_OUTCOME_SKIPPED;
        record->file_bytes = UINT64_MAX;
    }
    show(run, record);
    keep_record(run);
}
