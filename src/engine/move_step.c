/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to few transfers, or only if the phase asks for it: rests of short ones, syncs,
 * mixes, filling and checking, lateness. Nothing is allocated, opened or logged here. */
#include "move_step.h"

#include <assert.h>
#include <errno.h>
#include <time.h>

static bool is_blocking(const struct weir_mover *mover)
{
    return mover->run->queue.is_blocking;
}

/* An open loop that has begun does not wait for anybody: transfers become due all the time. */
static bool is_load_due(const struct weir_mover *mover)
{
    return mover->is_open_loop && mover->pacer.next.number > 0;
}

/* What the processor did since then for the data alone. Transfers that are in flight, or become
 * due, go on meanwhile: what that costs the phase is not known. */
static void charge(struct weir_mover *mover, uint64_t before_ns)
{
    struct weir_queue *queue = &mover->run->queue;
    uint64_t spent_ns = weir_queue_now(queue) - before_ns;

    if (queue->flying_count == 0 && !is_load_due(mover))
        mover->tally->data_ns += spent_ns;
    else
        mover->tally->overlapped_data_ns += spent_ns;
}

/* Since when time has been spent on something new. */
static uint64_t begin_ns(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;

    return queue->is_last_usable ? queue->last_ns : weir_queue_now(queue);
}

/* ---- before a transfer ---- */

/* What is read goes where writes do not find it: their buffers hold noise already. */
static void choose_verb(struct weir_mover *mover, struct weir_op *op)
{
    if (!weir_mix_is_read(&mover->mix, mover->walk.index - 1)) {
        op->verb = WEIR_OP_WRITE;
        return;
    }
    op->verb = WEIR_OP_READ;
    op->data = weir_buffers_window(mover->buffers, op->window + mover->read_window);
    mover->flights[op->slot].must_lay = mover->read_window == 0;
}

static void fill(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];
    uint32_t noise = weir_source_first_noise(mover->source, weir_mover_turn_window(mover, op));

    if (flight->must_lay)
        weir_source_lay(mover->source, op->data, noise);
    flight->must_lay = false;
    weir_source_fill(mover->source, op->data, op->offset, noise);
}

void weir_mover_prepare(struct weir_mover *mover, struct weir_op *op)
{
    const struct weir_source *source = mover->source;
    uint64_t before_ns;

    if (mover->is_mixed)
        choose_verb(mover, op);
    if (op->verb == WEIR_OP_READ) {
        if (!mover->phase->must_verify)
            return;
        before_ns = begin_ns(mover);
        weir_source_spoil(source, op->data);
    } else if (mover->flights[op->slot].must_lay ||
               (weir_source_varies(source) && !source->is_one_stamp)) {
        before_ns = begin_ns(mover);
        fill(mover, op);
    } else {
        /* Less than reading the clock. */
        if (source->is_one_stamp)
            weir_mover_put_stamp(mover, op);
        else
            weir_mover_turn_window(mover, op);
        return;
    }
    charge(mover, before_ns);
}

uint64_t weir_mover_next_due(struct weir_mover *mover)
{
    if (mover->pacer.next.number == 0)
        weir_pacer_resume(&mover->pacer, weir_queue_now(&mover->run->queue));
    return weir_pacer_next_due(&mover->pacer);
}

/* ---- after a part of one ---- */

/* The rest of a short direct transfer may not be aligned any more. */
static bool can_go_on_from(const struct weir_run *run, uint64_t moved)
{
    const struct weir_alignment *alignment = &run->alignment;

    return moved % alignment->memory == 0 && moved % alignment->offset == 0;
}

/* Of the operation, not of the phase: a mixed one has both. */
static const char *word_of(const struct weir_op *op)
{
    return op->verb == WEIR_OP_READ ? "read" : "write";
}

/* Of transfers that did not move anything, true for those that are just to be sent again. */
static bool is_to_be_tried_again(const struct weir_mover *mover, const struct weir_op *op)
{
    /* Whatever a transfer waits for, a lock maybe, may never come: it is not tried again if the
     * signal that came into it is to end the run. */
    if (op->result == -EINTR)
        return *mover->stop_signal == 0;
    /* Where waiting was forbidden, it is not the second time. Without that order it is the kernel
     * that had no room, which is tried once more. */
    return op->result == -EAGAIN && !op->may_wait;
}

/* False, and the transfer has failed, if it cannot go on. */
static bool can_go_on(struct weir_mover *mover, const struct weir_op *op)
{
    uint64_t moved = op->result > 0 ? (uint64_t)op->result : 0;
    bool reads = op->verb == WEIR_OP_READ;

    if (op->result < 0 && is_to_be_tried_again(mover, op))
        return true;
    if (op->result < 0)
        weir_mover_fail(mover, (int)op->result, op->offset, word_of(op));
    else if (moved == 0 || mover->phase->is_single_attempt)
        weir_mover_fail(mover, reads ? -ENODATA : -EIO, op->offset + moved,
                        reads ? "short read" : "short write");
    else if (!can_go_on_from(mover->run, moved))
        weir_mover_fail(mover, -EIO, op->offset + moved, "unaligned short transfer");
    else
        return true;
    return false;
}

static void remember_whole(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];

    if (flight->is_continued)
        return;
    flight->is_continued = true;
    flight->data = op->data;
    flight->offset = op->offset;
    flight->size = op->size;
    flight->issued_ns = op->issued_ns;
    flight->accepted_ns = op->accepted_ns;
    mover->continued_count++;
    mover->has_aftermath = true;
}

/* By earlier parts of a transfer. */
static uint64_t moved_before(const struct weir_mover *mover, const struct weir_op *op)
{
    const struct weir_flight *flight = &mover->flights[op->slot];

    return flight->is_continued ? op->offset - flight->offset : 0;
}

/* Aims at the rest of a short transfer. Returns false if there is none to try: then the transfer
 * has failed. */
static bool aim_at_rest(struct weir_mover *mover, struct weir_op *op)
{
    uint64_t moved = op->result > 0 ? (uint64_t)op->result : 0;

    assert(op->result < (int64_t)op->size);
    if (op->result == -EINTR && *mover->stop_signal != 0)
        weir_mover_heed_signal(mover);
    if (!can_go_on(mover, op)) {
        mover->tally->partial_bytes += moved + moved_before(mover, op);
        return false;
    }
    remember_whole(mover, op);
    if (op->result == -EAGAIN) {
        op->may_wait = true;
        mover->tally->blocked_count += op->is_nowait;
    }
    mover->tally->short_count += moved > 0;
    op->data = (unsigned char *)op->data + moved;
    op->offset += moved;
    op->size -= moved;
    /* The others are not in a short part of their own. */
    op->is_collective = false;
    return true;
}

/* Puts the parts of a continued transfer together again, and forgets them. */
static void join_parts(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];

    if (!flight->is_continued)
        return;
    op->data = flight->data;
    op->offset = flight->offset;
    op->size = flight->size;
    op->issued_ns = flight->issued_ns;
    op->accepted_ns = flight->accepted_ns;
    op->is_collective = mover->phase->is_collective;
    op->may_wait = false;
    flight->is_continued = false;
    mover->continued_count--;
    mover->has_aftermath = mover->continued_count != 0 || weir_mover_has_aftermath(mover);
}

/* ---- after a transfer ---- */

bool weir_mover_has_aftermath(const struct weir_mover *mover)
{
    return mover->phase->must_verify || mover->phase->must_sync_each || mover->is_mixed ||
           mover->is_open_loop || mover->log != NULL ||
           (mover->phase->think_ns != 0 && is_blocking(mover));
}

static bool is_synced(const struct weir_mover *mover, const struct weir_op *op)
{
    return mover->phase->must_sync_each && op->verb == WEIR_OP_WRITE;
}

static void sync_now(struct weir_mover *mover, struct weir_op *op)
{
    int code = mover->run->backend->file->sync(mover->run->session, mover->file);

    op->done_ns = weir_queue_now(&mover->run->queue);
    if (code != 0)
        weir_mover_fail(mover, code, op->offset, "sync");
}

/* The slot takes its sync along: no other transfer gets between them. */
static void aim_at_sync(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];

    flight->is_synced = true;
    flight->issued_ns = op->issued_ns;
    flight->accepted_ns = op->accepted_ns;
    op->verb = WEIR_OP_SYNC;
}

/* How late it was, seen from when it was due. What other ranks left to do was due to nobody. */
static void note_lateness(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_pace_tally *pace = &mover->tally->pace;
    uint64_t offered_ns = op->due_ns - mover->started_ns;
    uint64_t lag_ns = op->issued_ns - op->due_ns;

    assert(op->issued_ns >= op->due_ns);
    if (mover->is_wearing_out)
        return;
    if (lag_ns > pace->max_lag_ns)
        pace->max_lag_ns = lag_ns;
    if (offered_ns >= pace->offered_ns) {
        pace->offered_ns = offered_ns;
        pace->end_lag_ns = lag_ns;
    }
}

void weir_mover_note_backlog(struct weir_mover *mover, uint64_t now_ns)
{
    struct weir_tally *tally = mover->tally;
    uint64_t backlog;

    if (mover->is_wearing_out)
        return;
    backlog = weir_pacer_backlog(&mover->pacer, now_ns);
    if (backlog == 0)
        return;
    weir_series_note_backlog(&tally->series, now_ns, backlog);
    if (backlog > tally->pace.max_backlog)
        tally->pace.max_backlog = backlog;
}

static void record(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_tally *tally = mover->tally;
    uint64_t latency_ns = op->done_ns - op->issued_ns;

    weir_histogram_add(&tally->latency, latency_ns);
    weir_series_add(&tally->series, op->done_ns, op->size);
    if (mover->is_mixed)
        weir_histogram_add(op->verb == WEIR_OP_READ ? &tally->read_latency : &tally->write_latency,
                           latency_ns);
    if (mover->run->queue.times_submission)
        weir_histogram_add(&tally->submission, op->accepted_ns - op->issued_ns);
    if (mover->log != NULL)
        weir_op_log_add(mover->log, op);
    if (mover->is_open_loop) {
        note_lateness(mover, op);
        weir_histogram_add(&tally->response, op->done_ns - op->due_ns);
    }
}

static void check(struct weir_mover *mover, const struct weir_op *op)
{
    uint64_t before_ns = begin_ns(mover);

    mover->reading.offset = op->offset;
    mover->reading.bytes = op->size;
    if (!weir_verify(mover->source, &mover->reading, op->data, &mover->tally->mismatches) &&
        mover->phase->ends_at_mismatch)
        weir_mover_ask_to_stop(mover);
    charge(mover, before_ns);
}

/* Unless something asks to stop meanwhile: in slices, for a signal may come just before a sleep,
 * or to another thread. */
static void pause_for(struct weir_mover *mover, uint64_t ns)
{
    struct weir_queue *queue = &mover->run->queue;
    uint64_t now_ns = weir_queue_now(queue);
    uint64_t until_ns = now_ns + ns;

    while (now_ns < until_ns && *mover->stop_signal == 0 && !weir_mover_listens(mover, now_ns)) {
        uint64_t left_ns = until_ns - now_ns;
        struct timespec time = {
            .tv_nsec = (long)(left_ns < WEIR_GROUP_TICK_NS ? left_ns : WEIR_GROUP_TICK_NS)};

        nanosleep(&time, NULL);
        now_ns = weir_queue_now(queue);
    }
}

/* Of a transfer that is over, with its sync. */
static void finish(struct weir_mover *mover, struct weir_op *op)
{
    record(mover, op);
    /* Of those that came back together, all are recorded before anybody looks up. */
    if (is_blocking(mover))
        weir_mover_look_up(mover, op->done_ns);
    if (mover->phase->must_verify && op->verb == WEIR_OP_READ)
        check(mover, op);
    if (mover->phase->think_ns != 0 && is_blocking(mover)) {
        pause_for(mover, mover->phase->think_ns);
        weir_queue_touch(&mover->run->queue);
    }
}

bool weir_mover_follow_up(struct weir_mover *mover, struct weir_op *op)
{
    if (mover->continued_count != 0)
        join_parts(mover, op);
    if (is_synced(mover, op)) {
        if (!is_blocking(mover)) {
            aim_at_sync(mover, op);
            return false;
        }
        sync_now(mover, op);
    }
    finish(mover, op);
    return true;
}

static bool end_sync(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];

    assert(flight->is_synced);
    if (op->result < 0 && is_to_be_tried_again(mover, op)) {
        op->may_wait = op->result == -EAGAIN;
        return false;
    }
    flight->is_synced = false;
    op->verb = WEIR_OP_WRITE;
    op->may_wait = false;
    op->issued_ns = flight->issued_ns;
    op->accepted_ns = flight->accepted_ns;
    if (op->result < 0)
        weir_mover_fail(mover, (int)op->result, op->offset, "sync");
    finish(mover, op);
    return true;
}

/* A failed transfer is over. Its sync is not, if the others are waiting in theirs. */
static void give_up(struct weir_mover *mover, struct weir_op *op)
{
    join_parts(mover, op);
    if (mover->is_open_loop)
        note_lateness(mover, op);
    if (is_synced(mover, op) && mover->is_collective)
        sync_now(mover, op);
}

bool weir_mover_settle_oddly(struct weir_mover *mover, struct weir_op *op)
{
    if (op->verb == WEIR_OP_SYNC)
        return end_sync(mover, op);
    if (aim_at_rest(mover, op))
        return false;
    give_up(mover, op);
    return true;
}
