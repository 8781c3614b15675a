/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to few transfers, or only if the phase asks for it: rests of short ones, syncs,
 * mixes, filling and checking, lateness. Nothing is allocated, opened or logged here. */
#include "loop_step.h"

#include "weir/base/saturate.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

static bool is_blocking(const struct weir_loop *loop)
{
    return loop->run->queue.is_blocking;
}

/* Transfers of an open loop that has begun become due all the time. */
static bool is_load_due(const struct weir_loop *loop)
{
    return loop->is_open_loop && loop->pacer.next.number > 0;
}

/* What the processor did since then for the data alone. Transfers that are in flight, or become
 * due, go on meanwhile: what that costs the phase is not known. */
void weir_loop_add_data_ns(struct weir_loop *loop, uint64_t before_ns)
{
    struct weir_queue *queue = &loop->run->queue;
    uint64_t spent_ns = weir_queue_now(queue) - before_ns;

    if (queue->flying_count == 0 && !is_load_due(loop))
        loop->tally->data_ns += spent_ns;
    else
        loop->tally->overlapped_data_ns += spent_ns;
}

/* Since when time has been spent on something new. */
uint64_t weir_loop_begin_ns(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;

    return queue->is_last_usable ? queue->last_ns : weir_queue_now(queue);
}

/* ---- before a transfer ---- */

/* Reads have buffers of their own, so that those of writes keep their filler. */
static void choose_verb(struct weir_loop *loop, struct weir_op *op)
{
    weir_op_source_vary(&loop->ops, op);
    if (op->verb == WEIR_OP_WRITE)
        return;
    op->data = weir_buffers_at(loop->buffers, op->first_buffer + loop->read_buffer);
    loop->op_states[op->slot].must_init = loop->read_buffer == 0;
}

/* The filler of transfer `part` in a buffer: neighbouring transfers continue each other's. */
static uint32_t filler_of(const struct weir_source *source, unsigned buffer, uint64_t transfers,
                          uint64_t part)
{
    return (uint32_t)((buffer * transfers + part) * source->piece_count % WEIR_FILLER_PIECES);
}

void weir_loop_init_buffer(const struct weir_source *source, uint64_t transfers, void *buffer,
                           unsigned number)
{
    for (uint64_t part = 0; part < transfers; part++)
        weir_source_init_buffer(source,
                                (unsigned char *)buffer + part * source->identity.transfer_bytes,
                                filler_of(source, number, transfers, part));
}

static void fill(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_op_state *state = &loop->op_states[op->slot];
    unsigned buffer = weir_loop_next_buffer(loop, op);
    uint64_t transfers = loop->share->transfers_per_op, bytes = loop->share->transfer_bytes;

    if (state->must_init)
        weir_loop_init_buffer(loop->source, transfers, op->data, buffer);
    state->must_init = false;
    if (transfers == 1) {
        weir_source_fill(loop->source, op->data, op->offset, filler_of(loop->source, buffer, 1, 0));
        return;
    }
    for (uint64_t part = 0; part < transfers; part++)
        weir_source_fill(loop->source, (unsigned char *)op->data + part * bytes,
                         weir_share_transfer_offset(loop->share, part),
                         filler_of(loop->source, buffer, transfers, part));
}

/* A transfer of a list has a size of its own and maybe a pause before it: with several in flight,
 * from when it could be handed over on. */
static void begin_listed(struct weir_loop *loop, struct weir_op *op)
{
    const struct weir_listed *listed = &loop->share->listed[weir_op_source_index(&loop->ops) - 1];
    uint64_t pause_ns = listed->pause_us * UINT64_C(1000);

    op->size = listed->bytes;
    if (!is_blocking(loop)) {
        op->due_ns = pause_ns > 0 ? weir_queue_now(&loop->run->queue) + pause_ns : 0;
    } else if (pause_ns > 0) {
        weir_loop_pause_for(loop, pause_ns);
        weir_queue_touch(&loop->run->queue);
    }
}

void weir_loop_prepare_buffer(struct weir_loop *loop, struct weir_op *op)
{
    const struct weir_source *source = loop->source;
    uint64_t before_ns;

    if (loop->items != NULL) {
        if (loop->items->is_queued)
            weir_loop_begin_item(loop, op);
        return;
    }
    if (loop->ops.varies)
        choose_verb(loop, op);
    if (loop->share->listed != NULL)
        begin_listed(loop, op);
    if (op->verb == WEIR_OP_READ) {
        if (!loop->phase->transfers.must_verify)
            return;
        before_ns = weir_loop_begin_ns(loop);
        for (uint64_t at = 0; at < op->size; at += loop->share->transfer_bytes)
            weir_source_poison(source, (unsigned char *)op->data + at);
    } else if (loop->op_states[op->slot].must_init ||
               (weir_source_varies(source) &&
                (!source->is_one_stamp || loop->share->transfers_per_op > 1))) {
        before_ns = weir_loop_begin_ns(loop);
        fill(loop, op);
    } else {
        /* Less than reading the clock. */
        if (source->is_one_stamp)
            weir_loop_put_stamp(loop, op);
        else
            weir_loop_next_buffer(loop, op);
        return;
    }
    weir_loop_add_data_ns(loop, before_ns);
}

uint64_t weir_loop_next_due(struct weir_loop *loop)
{
    if (loop->pacer.next.number == 0)
        weir_pacer_resume(&loop->pacer, weir_queue_now(&loop->run->queue));
    return weir_pacer_next_due(&loop->pacer);
}

/* ---- after a part of one ---- */

/* The rest of a short direct transfer may not be aligned any more. */
static bool can_continue_from(const struct weir_run *run, uint64_t moved)
{
    const struct weir_alignment *alignment = &run->alignment;

    return moved % alignment->memory == 0 && moved % alignment->offset == 0;
}

/* Offset in the file that is `moved` bytes after `offset`, at which an operation begins. */
static uint64_t offset_after(const struct weir_loop *loop, uint64_t offset, uint64_t moved)
{
    const struct weir_share *share = loop->share;
    uint64_t from_first = offset - share->first;

    if (share->transfers_per_op == 1)
        return offset + moved;
    return weir_share_byte_offset(share, from_first / share->segment_bytes * share->block_bytes +
                                             from_first % share->segment_bytes + moved);
}

bool weir_loop_is_retried(const struct weir_loop *loop, const struct weir_op *op)
{
    /* After a signal that ends the run, the transfer is not tried again: it could block for ever,
     * in a lock for instance. */
    if (op->result == -EINTR)
        return *loop->stop_signal == 0;
    /* Tried once more, and then it may wait: after RWF_NOWAIT, or if the kernel had no room. */
    return op->result == -EAGAIN && !op->may_wait;
}

/* Prepares the rest of a short transfer. Returns false if there is none to try: then the transfer
 * has failed. */
static bool continue_op(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_op_state *state = &loop->op_states[op->slot];
    uint64_t moved = op->result > 0 ? (uint64_t)op->result : 0;
    bool reads = op->verb == WEIR_OP_READ;
    const char *failure = NULL;
    int code = -EIO;

    assert(op->result < (int64_t)op->size);
    if (op->result == -EINTR && *loop->stop_signal != 0)
        weir_loop_on_signal(loop);
    if (op->result < 0) {
        code = (int)op->result;
        if (!weir_loop_is_retried(loop, op))
            failure = reads ? "read" : "write";
    } else if (moved == 0 || loop->phase->transfers.is_single_attempt) {
        code = reads ? -ENODATA : -EIO;
        failure = reads ? "short read" : "short write";
    } else if (!can_continue_from(loop->run, moved)) {
        failure = "unaligned short transfer";
    }
    if (failure != NULL) {
        weir_loop_fail(loop, op->verb, code, offset_after(loop, op->offset, moved), failure);
        loop->tally->partial_bytes += moved + (state->is_continued ? state->size - op->size : 0);
        return false;
    }
    /* Kept for join_parts: the whole transfer as it was issued. */
    if (!state->is_continued) {
        state->is_continued = true;
        state->data = op->data;
        state->offset = op->offset;
        state->size = op->size;
        state->issued_ns = op->issued_ns;
        state->accepted_ns = op->accepted_ns;
        loop->continued_count++;
        loop->has_post_op = true;
    }
    if (op->result == -EAGAIN) {
        op->may_wait = true;
        loop->tally->blocked_count += op->is_nowait;
    }
    loop->tally->short_count += moved > 0;
    op->data = (unsigned char *)op->data + moved;
    op->offset = offset_after(loop, op->offset, moved);
    op->size -= moved;
    /* The others are not in a short part of their own. */
    op->is_collective = false;
    return true;
}

/* Puts the parts of a continued transfer together again, and forgets them. */
static void join_parts(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_op_state *state = &loop->op_states[op->slot];

    if (!state->is_continued)
        return;
    op->data = state->data;
    op->offset = state->offset;
    op->size = state->size;
    op->issued_ns = state->issued_ns;
    op->accepted_ns = state->accepted_ns;
    op->is_collective = loop->phase->transfers.is_collective;
    op->may_wait = false;
    state->is_continued = false;
    loop->continued_count--;
    loop->has_post_op = loop->continued_count != 0 || weir_loop_needs_post_op(loop);
}

/* ---- after a transfer ---- */

bool weir_loop_needs_post_op(const struct weir_loop *loop)
{
    return loop->items != NULL || loop->phase->transfers.must_verify ||
           loop->phase->transfers.must_sync_each || loop->ops.varies || loop->is_open_loop ||
           loop->log != NULL || loop->share->listed != NULL ||
           (loop->phase->think_ns != 0 && is_blocking(loop));
}

static bool is_synced(const struct weir_loop *loop, const struct weir_op *op)
{
    return loop->phase->transfers.must_sync_each && op->verb == WEIR_OP_WRITE;
}

static void sync_now(struct weir_loop *loop, struct weir_op *op)
{
    int code = loop->run->backend->file->sync(loop->run->session, loop->file);

    op->done_ns = weir_queue_now(&loop->run->queue);
    if (code != 0)
        weir_loop_fail(loop, WEIR_OP_SYNC, code, op->offset, "sync");
}

/* The slot takes its sync along: no other transfer gets between them. */
static void sync_op(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_op_state *state = &loop->op_states[op->slot];

    state->is_synced = true;
    state->issued_ns = op->issued_ns;
    state->accepted_ns = op->accepted_ns;
    op->verb = WEIR_OP_SYNC;
}

/* How late it was, seen from when it was due. Transfers made for wear-out have no due time. */
void weir_loop_record_lateness(struct weir_loop *loop, const struct weir_op *op)
{
    struct weir_pace_tally *pace = &loop->tally->pace;
    uint64_t offered_ns = op->due_ns - loop->started_ns;
    uint64_t lag_ns = op->issued_ns - op->due_ns;

    assert(op->issued_ns >= op->due_ns);
    if (loop->is_wearing_out)
        return;
    if (lag_ns > pace->max_lag_ns)
        pace->max_lag_ns = lag_ns;
    if (offered_ns >= pace->offered_ns) {
        pace->offered_ns = offered_ns;
        pace->end_lag_ns = lag_ns;
    }
}

void weir_loop_record_backlog(struct weir_loop *loop, uint64_t now_ns)
{
    struct weir_tally *tally = loop->tally;
    uint64_t backlog;

    if (loop->is_wearing_out)
        return;
    backlog = weir_pacer_backlog(&loop->pacer, now_ns);
    if (backlog == 0)
        return;
    weir_series_note_backlog(&tally->series, now_ns, backlog);
    if (backlog > tally->pace.max_backlog)
        tally->pace.max_backlog = backlog;
}

static void check(struct weir_loop *loop, const struct weir_op *op)
{
    const struct weir_share *share = loop->share;
    uint64_t before_ns = weir_loop_begin_ns(loop);
    bool is_right = true;

    loop->reading.offset = op->offset;
    loop->reading.bytes = share->transfers_per_op > 1 ? share->transfer_bytes : op->size;
    for (uint64_t part = 0; part < share->transfers_per_op; part++) {
        if (share->transfers_per_op > 1)
            loop->reading.offset = weir_share_transfer_offset(share, part);
        is_right &= weir_verify(loop->source, &loop->reading,
                                (const unsigned char *)op->data + part * share->transfer_bytes,
                                &loop->tally->mismatches);
    }
    if (!is_right && loop->phase->transfers.ends_at_mismatch)
        weir_loop_request_stop(loop);
    weir_loop_add_data_ns(loop, before_ns);
}

/* A sleep ends so much too late that the end of a pause is waited for awake. */
#define AWAKE_NS UINT64_C(100000)

/* Ends early if something asks to stop meanwhile. The pause is cut into slices, for a signal may
 * arrive just before a sleep, or at another thread. A deadline or a stonewall in a pause is noted
 * at once, with the part of the pause that is over. */
void weir_loop_pause_for(struct weir_loop *loop, uint64_t ns)
{
    struct weir_queue *queue = &loop->run->queue;
    uint64_t now_ns = weir_queue_now(queue);
    uint64_t slice_ns = now_ns, until_ns = weir_plus(now_ns, ns);
    bool had_more = loop->until > 0;

    while (now_ns < until_ns && *loop->stop_signal == 0 && !weir_loop_check_alarm(loop, now_ns) &&
           (loop->until > 0 || !had_more)) {
        uint64_t left_ns = until_ns - now_ns;

        if (left_ns > AWAKE_NS) {
            uint64_t asleep_ns = left_ns - AWAKE_NS;
            struct timespec time = {
                .tv_nsec = (long)(asleep_ns < WEIR_GROUP_TICK_NS ? asleep_ns : WEIR_GROUP_TICK_NS)};

            nanosleep(&time, NULL);
        }
        now_ns = weir_queue_now(queue);
        loop->tally->paused_ns += now_ns - slice_ns;
        slice_ns = now_ns;
        if (now_ns >= loop->timer_ns)
            weir_loop_check_timers(loop, now_ns);
    }
}

/* Records a transfer that is over, with its sync, and does what follows it. */
static void finish(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_tally *tally = loop->tally;

    if (op->done_ns >= loop->look_ns)
        weir_loop_end_interval(loop, op->done_ns);
    weir_loop_count(&tally->verbs[op->verb], op->done_ns - op->issued_ns, 1, op->size);
    if (tally->submission != NULL)
        weir_histogram_add(tally->submission, op->accepted_ns - op->issued_ns);
    if (loop->log != NULL)
        weir_op_log_add(loop->log, op, op->verb);
    if (loop->is_open_loop) {
        weir_loop_record_lateness(loop, op);
        weir_histogram_add(tally->response, op->done_ns - op->due_ns);
    }
    /* Of those that came back together, all are recorded before the next look at the timers. */
    if (is_blocking(loop))
        weir_loop_poll(loop, op->done_ns);
    if (loop->phase->transfers.must_verify && op->verb == WEIR_OP_READ)
        check(loop, op);
    if (loop->phase->think_ns != 0 && is_blocking(loop)) {
        weir_loop_pause_for(loop, loop->phase->think_ns);
        weir_queue_touch(&loop->run->queue);
    }
}

bool weir_loop_post_op(struct weir_loop *loop, struct weir_op *op)
{
    if (loop->continued_count != 0)
        join_parts(loop, op);
    if (is_synced(loop, op)) {
        if (!is_blocking(loop)) {
            sync_op(loop, op);
            return false;
        }
        sync_now(loop, op);
    }
    finish(loop, op);
    return true;
}

static bool end_sync(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_op_state *state = &loop->op_states[op->slot];

    assert(state->is_synced);
    if (op->result < 0 && weir_loop_is_retried(loop, op)) {
        op->may_wait = op->result == -EAGAIN;
        return false;
    }
    state->is_synced = false;
    op->verb = WEIR_OP_WRITE;
    op->may_wait = false;
    op->issued_ns = state->issued_ns;
    op->accepted_ns = state->accepted_ns;
    if (op->result < 0)
        weir_loop_fail(loop, WEIR_OP_SYNC, (int)op->result, op->offset, "sync");
    finish(loop, op);
    return true;
}

bool weir_loop_complete_unusual(struct weir_loop *loop, struct weir_op *op)
{
    if (op->verb == WEIR_OP_SYNC)
        return end_sync(loop, op);
    if (continue_op(loop, op))
        return false;
    /* A failed transfer is over. Its sync is not, if the others are waiting in theirs. */
    join_parts(loop, op);
    if (loop->is_open_loop)
        weir_loop_record_lateness(loop, op);
    if (is_synced(loop, op) && loop->is_collective)
        sync_now(loop, op);
    return true;
}
