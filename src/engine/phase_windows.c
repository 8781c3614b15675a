/* SPDX-License-Identifier: Apache-2.0 */
/* The three windows are IOR's. Nothing is allocated here, nor between their stamps. */
#include "phase_windows.h"

#include "cache_state.h"
#include "claim.h"
#include "watchdog.h"

#include "weir/base/call_watch.h"
#include "weir/base/saturate.h"
#include "weir/system/processor.h"

#include <string.h>

/* Limit of a survey of dirty pages between the transfers and IOzone's sync after them. In throughput
 * mode this time is part of the "Parent sees" rate, which a sync of milliseconds dominates. */
#define BEFORE_SYNC_NS UINT64_C(100000)

bool weir_phase_syncs_in_time(const struct weir_data_phase *data)
{
    return data->phase->transfers.must_sync_at_end || data->phase->transfers.must_sync_each;
}

bool weir_phase_handles_made_file(const struct weir_data_phase *data)
{
    return weir_phase_makes_file(data) && data->run->backend->names != NULL &&
           weir_run_handles_name(data->run, data->target);
}

/* A slot uses its buffers in turn, so a phase of few transfers does not need all of them. Trials of
 * depths and phases that start their layout again make more transfers than the limit says. */
static unsigned buffers_of_slot(const struct weir_data_phase *data)
{
    unsigned per_slot = data->run->buffers.per_slot;
    bool is_limited = weir_verb_makes_files(data->phase->verb) &&
                      data->phase->stop.minimum_ns == 0 && !data->phase->must_find_depth;

    return is_limited && data->facts.op_limit < per_slot ? (unsigned)data->facts.op_limit
                                                         : per_slot;
}

static int prepare_filler(const struct weir_data_phase *data, unsigned per_slot)
{
    const struct weir_identity *identity = &data->facts.identity;
    uint64_t pieces = WEIR_FILLER_PIECES;

    if (identity->mode != WEIR_PAYLOAD_STAMP)
        return 0;
    if (weir_verb_makes_files(data->phase->verb) && data->run->buffers.slots == 1)
        pieces = per_slot * data->share.transfers_per_op *
                 (identity->transfer_bytes / WEIR_PIECE_BYTES + 1);
    if (pieces > WEIR_FILLER_PIECES)
        pieces = WEIR_FILLER_PIECES;
    return weir_filler_prepare(&data->run->filler, weir_filler_seed(identity), (uint32_t)pieces);
}

/* Windows get their filler once; the loop then only puts stamps. */
int weir_phase_init_buffers(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    const struct weir_buffers *buffers = &run->buffers;
    unsigned per_slot = buffers_of_slot(data);
    int code = prepare_filler(data, per_slot);

    weir_source_init(&data->source, &data->facts.identity, run->filler.bytes,
                     weir_run_file_number(data->target, data->owner), (uint32_t)data->owner);
    memset(data->op_states, 0, run->queue.depth * sizeof *data->op_states);
    if (code != 0 || !weir_verb_writes(data->phase->verb))
        return code;
    for (unsigned i = 0; i < buffers->slots * per_slot; i++) {
        unsigned buffer = i / per_slot * buffers->per_slot + i % per_slot;

        weir_loop_init_buffer(&data->source, data->share.transfers_per_op,
                              weir_buffers_at(buffers, buffer), buffer);
    }
    return 0;
}

/* Far from the beginning of the seed's sequence, which the order of transfers uses. */
static uint64_t mix_seed(uint64_t seed)
{
    return weir_random_at(seed, UINT32_MAX);
}

/* ---- the three windows ---- */

static void stamp(struct weir_data_phase *data, enum weir_stamp which)
{
    data->run->tally->stamps_ns[which] = weir_run_now(data->run);
}

/* Of a layout in order: one block in each segment. */
static struct weir_file_part part_of(const struct weir_share *share,
                                     const struct weir_layout *layout)
{
    if (layout->order != WEIR_ORDER_SEQUENTIAL)
        return (struct weir_file_part){0};
    return (struct weir_file_part){
        .first_byte = share->first,
        .block_bytes = share->block_bytes,
        .stride_bytes = share->segment_bytes,
        .block_count = layout->segment_count,
    };
}

/* True where rank 0 makes the file and the others open it when it is there: they cannot tell a
 * foreign file from that of rank 0. Names of servers are the job's own. */
static bool is_made_by_one(const struct weir_data_phase *data)
{
    const struct weir_run *run = data->run;

    return data->must_create && data->target->is_shared && run->group->size > 1 &&
           weir_run_has_storage(run) && (weir_test_abilities(run->test) & WEIR_OPENS_TOGETHER) == 0;
}

/* What the first rank tells of the file that it made. */
struct made {
    int code;
    struct weir_file_id id;
};

static int open_made(struct weir_data_phase *data, struct weir_file_params *params)
{
    struct weir_run *run = data->run;
    bool is_maker = run->group->rank == 0;
    struct made made = {0};
    int code;

    if (is_maker) {
        made.code = run->backend->file->open(run->session, params, &data->file);
        if (made.code == 0)
            made.id = data->file->id;
    }
    code = weir_group_broadcast(run->group, &made, sizeof made, 0);
    if (is_maker || code != 0 || made.code != 0)
        return code != 0 ? code : made.code;
    params->must_create = false;
    if (params->claim == WEIR_CLAIM_NEW) {
        params->claim = WEIR_CLAIM_OWN;
        params->id = weir_claim_translate(run, made.id);
    }
    return run->backend->file->open(run->session, params, &data->file);
}

static struct weir_file_params file_params_of(const struct weir_data_phase *data)
{
    const struct weir_run *run = data->run;

    return (struct weir_file_params){
        .path = data->path,
        .can_write = weir_verb_writes(data->phase->verb),
        .can_read = weir_verb_reads(data->phase->verb) || data->phase->leaves_open,
        .must_create = data->must_create,
        .claim = data->claim,
        .id = data->id,
        .group = weir_run_file_group(run, data->target),
        .expected_bytes =
            weir_layout_extent(&data->phase->transfers.layout, data->target->is_shared,
                               data->target->is_shared ? (uint64_t)run->group->size : 1),
        .transfer_bytes = data->phase->transfers.layout.transfer_bytes,
        .part = part_of(&data->share, &data->phase->transfers.layout),
        .is_random = data->phase->transfers.layout.order != WEIR_ORDER_SEQUENTIAL,
        .mode = data->target->file_mode,
    };
}

static void fail_to_open(struct weir_data_phase *data, int code)
{
    const char *reason =
        data->claim == WEIR_CLAIM_ANY ? weir_run_reason(code) : weir_claim_reason(code);

    weir_tally_fail(data->run->tally, WEIR_OP_OPEN, code, 0);
    weir_run_fail_for(data->run, code, "open", data->path, reason);
    data->file = NULL;
}

/* The phase before has left it open. */
static void take_open_file(struct weir_data_phase *data)
{
    stamp(data, WEIR_STAMP_OPEN_START);
    data->file = data->run->open_file;
    data->run->open_file = NULL;
    stamp(data, WEIR_STAMP_OPEN_STOP);
}

void weir_phase_open_file(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    struct weir_file_params params = file_params_of(data);
    int code;

    if (run->open_file != NULL) {
        take_open_file(data);
        return;
    }
    weir_watchdog_say(run, WEIR_ACTIVITY_OPEN, data->path);
    stamp(data, WEIR_STAMP_OPEN_START);
    if (is_made_by_one(data))
        code = open_made(data, &params);
    else
        code = run->backend->file->open(run->session, &params, &data->file);
    stamp(data, WEIR_STAMP_OPEN_STOP);
    /* There is room for it: nothing is allocated. */
    if (code != 0)
        fail_to_open(data, code);
    else if (data->claim == WEIR_CLAIM_NEW && weir_run_handles_name(run, data->target))
        weir_claim_add(run, data->file->id);
}

static bool opens_together(const struct weir_data_phase *data)
{
    return data->target->is_shared && data->run->group->size > 1 &&
           (weir_test_abilities(data->run->test) & WEIR_OPENS_TOGETHER) != 0;
}

void weir_phase_try_to_open(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    struct weir_file_params params = file_params_of(data);

    if (!opens_together(data) || run->open_file != NULL)
        return;
    data->open_error = run->backend->file->may_open(run->session, &params);
    data->is_void = weir_group_any(run->group, data->open_error != 0);
}

/* If ranks open or transfer together and one has failed to open, the others neither transfer nor
 * close collectively. */
static void agree_on_open(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;

    if (!opens_together(data) && !data->phase->transfers.is_collective)
        return;
    data->is_void = weir_group_any(run->group, data->file == NULL);
    if (!data->is_void || data->file == NULL || !opens_together(data))
        return;
    run->backend->file->abandon(run->session, data->file);
    data->file = NULL;
}

/* Instead of an open that could keep the others waiting for ever. */
static void refrain_from_open(struct weir_data_phase *data)
{
    stamp(data, WEIR_STAMP_OPEN_START);
    stamp(data, WEIR_STAMP_OPEN_STOP);
    if (data->open_error != 0)
        fail_to_open(data, data->open_error);
}

void weir_phase_prepare_loop(struct weir_data_phase *data)
{
    data->loop = (struct weir_loop){
        .run = data->run,
        .phase = data->phase,
        .file = data->file,
        .path = data->path,
        .share = &data->share,
        .source = &data->source,
        .reading = {.file_number = weir_run_file_number(data->target, data->owner),
                    .writer = (uint32_t)data->owner,
                    .reader = (uint32_t)data->run->group->rank,
                    .is_own_file = !data->target->is_shared,
                    .ranks = (uint32_t)data->run->group->size,
                    .any_writer = data->target->is_shared &&
                                  weir_order_is_random(data->phase->transfers.layout.order)},
        .limit = data->file == NULL || data->trials.has_failed ? 0 : data->facts.op_limit,
        .depth = data->facts.depth,
        .batch = data->facts.batch,
        .mix_seed = mix_seed(data->facts.order_seed),
        .op_states = data->op_states,
        .log = data->log.entries != NULL ? &data->log : NULL,
    };
}

static void count_processor_time(struct weir_tally *tally, struct weir_processor_time before)
{
    struct weir_processor_time now = weir_processor_time();

    tally->cpu_user_ns = now.user_ns - before.user_ns;
    tally->cpu_system_ns = now.system_ns - before.system_ns;
    tally->stonewall_cpu_ns -= tally->hit_deadline ? before.user_ns + before.system_ns : 0;
}

static enum weir_activity activity_of(const struct weir_phase *phase)
{
    if (phase->verb == WEIR_MIXED)
        return WEIR_ACTIVITY_MIX;
    return phase->verb == WEIR_READ ? WEIR_ACTIVITY_READ : WEIR_ACTIVITY_WRITE;
}

/* Whether the stonewall came before the turn of this rank. If it has to do its part all the same,
 * it still waits, and tells others what it hears. */
static bool is_too_late(const struct weir_data_phase *data)
{
    return data->run->has_wall && weir_group_hears_alarm(data->run->group, WEIR_ALARM_WALL) &&
           !data->phase->stop.has_wear_out;
}

/* Until the turn of this rank to begin; others may fail meanwhile. */
static void stagger(const struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    bool has_barriers = data->phase->transfers.has_inner_barriers;
    uint64_t until_ns = weir_plus(has_barriers ? weir_run_now(run) : data->facts.start_ns,
                                  weir_times(data->phase->stagger_ns, (uint64_t)run->group->rank));
    uint64_t now_ns;

    if (data->phase->stagger_ns == 0)
        return;
    while ((now_ns = weir_run_now(run)) < until_ns && !weir_run_hears_call_off(run) &&
           !weir_run_must_stop(run) && !is_too_late(data)) {
        uint64_t slice_ns = now_ns + WEIR_GROUP_TICK_NS;

        weir_pace_wait(run->params->clock, slice_ns < until_ns ? slice_ns : until_ns,
                       run->params->stop_signal);
        weir_watchdog_beat(data->run, UINT64_MAX);
    }
}

static void sync_file(struct weir_data_phase *data, struct weir_file *file)
{
    struct weir_run *run = data->run;
    int code;

    weir_watchdog_say(run, WEIR_ACTIVITY_SYNC, NULL);
    code = run->backend->file->sync(run->session, file);
    if (code != 0) {
        weir_tally_fail(run->tally, WEIR_OP_SYNC, code, 0);
        weir_run_fail(run, code, "sync", data->path);
    }
}

/* The window of the open ends after it: the ranks begin to transfer with clean files. */
static void sync_before(struct weir_data_phase *data)
{
    if (!data->phase->transfers.must_sync_before || data->file == NULL ||
        weir_run_must_stop(data->run))
        return;
    sync_file(data, data->file);
    stamp(data, WEIR_STAMP_OPEN_STOP);
}

/* Opens a file again whose close is part of the time, and syncs it after all windows. */
static void sync_closed_file(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    struct weir_file_params params = file_params_of(data);
    struct weir_file *file;
    int code;

    params.can_write = params.must_create = false;
    params.can_read = true;
    params.claim = WEIR_CLAIM_ANY;
    code = run->backend->file->open(run->session, &params, &file);
    if (code == 0) {
        sync_file(data, file);
        code = run->backend->file->close(run->session, file);
    }
    if (code != 0) {
        weir_tally_fail(run->tally, WEIR_OP_OPEN, code, 0);
        weir_run_fail(run, code, "open and sync", data->path);
    }
}

static int move_data(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    struct weir_processor_time before;
    int code = 0;

    weir_phase_prepare_loop(data);
    stagger(data);
    before = weir_processor_time();
    weir_watchdog_say(run, activity_of(data->phase), NULL);
    stamp(data, WEIR_STAMP_MOVE_START);
    if (!data->is_void)
        code = weir_loop_run(&data->loop);
    /* A sync is no part of an interrupted phase: the launcher kills soon, and the report is due. */
    if (code == 0 && data->file != NULL && data->phase->transfers.must_sync_at_end &&
        !weir_run_must_stop(run))
        sync_file(data, data->file);
    stamp(data, WEIR_STAMP_MOVE_STOP);
    count_processor_time(run->tally, before);
    return code;
}

void weir_phase_close_file(struct weir_data_phase *data)
{
    const struct weir_transfers *transfers = &data->phase->transfers;
    struct weir_run *run = data->run;
    bool must_sync =
        transfers->must_sync_after && data->file != NULL && !weir_run_must_stop(data->run);
    /* Only this survey shows what the rate leaves to the sync after the transfers. */
    bool must_survey = must_sync && !weir_phase_syncs_in_time(data);
    int code = 0;

    if (must_survey && !transfers->counts_close)
        weir_cache_state_count_dirty(data, BEFORE_SYNC_NS, &data->facts.unstored);
    stamp(data, WEIR_STAMP_CLOSE_START);
    if (must_sync && !transfers->counts_close)
        sync_file(data, data->file);
    weir_watchdog_say(run, WEIR_ACTIVITY_CLOSE, NULL);
    if (data->phase->leaves_open)
        run->open_file = data->file;
    else if (data->file != NULL)
        code = run->backend->file->close(run->session, data->file);
    stamp(data, WEIR_STAMP_CLOSE_STOP);
    if (code != 0) {
        weir_tally_fail(run->tally, WEIR_OP_CLOSE, code, 0);
        weir_run_fail(run, code, "close", data->path);
    }
    if (must_sync && transfers->counts_close && code == 0) {
        if (must_survey)
            weir_cache_state_count_dirty(data, 0, &data->facts.unstored);
        sync_closed_file(data);
    }
}

void weir_phase_close_left_file(struct weir_run *run)
{
    int code;

    if (run->open_file == NULL)
        return;
    weir_call_begin("close", "the file that a phase left open");
    code = run->backend->file->close(run->session, run->open_file);
    weir_call_end();
    run->open_file = NULL;
    if (code != 0)
        weir_error_set(&run->late_error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
                       "close the file that a phase left open: %s", strerror(-code));
}

int weir_phase_pass_windows(struct weir_data_phase *data)
{
    bool has_barriers = data->phase->transfers.has_inner_barriers;
    struct weir_group *group = data->run->group;
    int code = 0;

    if (data->is_void) {
        refrain_from_open(data);
    } else {
        weir_phase_open_file(data);
        agree_on_open(data);
        sync_before(data);
    }
    if (has_barriers)
        code = weir_group_barrier(group);
    if (code == 0)
        code = move_data(data);
    if (code == 0 && has_barriers)
        code = weir_group_barrier(group);
    weir_phase_close_file(data);
    weir_surroundings_leave(data->run->surroundings);
    return code;
}
