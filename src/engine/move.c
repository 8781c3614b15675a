/* SPDX-License-Identifier: Apache-2.0 */
/* Take, fill, send, reap, record, give. Nothing is allocated, opened or logged here. */
#include "move.h"

#include "stop.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Collective phases agree on going on every so many transfers; with a deadline, at each. */
#define COLLECTIVE_STRIDE 16

/* A rank may leave a collective phase only together with the others. */
static void ask_to_stop(struct weir_mover *mover)
{
    if (mover->phase->is_collective)
        mover->wants_over = true;
    else
        mover->is_over = true;
}

static void fail(struct weir_mover *mover, int code, uint64_t offset, const char *what)
{
    char place[64];

    snprintf(place, sizeof place, "%s at offset %llu of", what, (unsigned long long)offset);
    weir_tally_fail(mover->run->tally, code, offset);
    weir_run_fail(mover->run, code, place, mover->path);
    ask_to_stop(mover);
}

/* ---- what does not happen at every transfer ---- */

static void note_stonewall(struct weir_mover *mover, uint64_t now_ns)
{
    struct weir_tally *tally = mover->run->tally;

    tally->stonewall_ops = tally->op_count;
    tally->stonewall_bytes = tally->byte_count;
    tally->stonewall_ns = now_ns - mover->started_ns;
}

static void set_alert(struct weir_mover *mover)
{
    mover->alert_ns = mover->deadline_ns < mover->progress_ns ? mover->deadline_ns
                                                              : mover->progress_ns;
}

static void tell_progress(struct weir_mover *mover, uint64_t now_ns)
{
    const struct weir_observer *observer = mover->run->params->observer;
    struct weir_progress progress = {
        .phase = mover->phase,
        .repetition = (unsigned)mover->run->repetition,
        .ops_done = mover->next,
        .ops_total = mover->limit,
        .bytes_done = mover->run->tally->byte_count,
        .seconds = (double)(now_ns - mover->started_ns) * 1e-9,
    };

    observer->progress(observer->context, &progress);
    mover->progress_ns = now_ns + observer->progress_interval_ns;
}

static void attend(struct weir_mover *mover, uint64_t now_ns)
{
    if (now_ns >= mover->deadline_ns) {
        mover->run->tally->hit_deadline = true;
        note_stonewall(mover, now_ns);
        mover->deadline_ns = UINT64_MAX;
        ask_to_stop(mover);
    }
    if (now_ns >= mover->progress_ns)
        tell_progress(mover, now_ns);
    set_alert(mover);
}

static void pause_for(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    nanosleep(&time, NULL);
}

/* The rest of a short direct transfer may not be aligned any more. */
static bool can_go_on_from(const struct weir_op *op, uint64_t moved)
{
    const struct weir_alignment *alignment = &op->file->alignment;

    return moved % alignment->memory == 0 && moved % alignment->offset == 0;
}

/* Sends the rest of a short transfer. Returns false if there is nothing to send: then the transfer has failed. */
static bool continue_transfer(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];
    uint64_t moved = op->result > 0 ? (uint64_t)op->result : 0;

    if (op->result < 0 && op->result != -EINTR) {
        fail(mover, (int)op->result, op->offset, weir_verb_name(mover->phase->verb));
        return false;
    }
    if (op->result == 0 || (mover->phase->is_single_attempt && moved < op->size)) {
        fail(mover, op->verb == WEIR_OP_READ ? -ENODATA : -EIO, op->offset + moved,
             op->verb == WEIR_OP_READ ? "short read" : "short write");
        return false;
    }
    if (!can_go_on_from(op, moved)) {
        fail(mover, -EIO, op->offset + moved, "unaligned short transfer");
        return false;
    }
    if (!flight->is_continued) {
        *flight = (struct weir_flight){.is_continued = true, .data = op->data,
                                       .offset = op->offset, .size = op->size,
                                       .issued_ns = op->issued_ns};
        mover->continued_count++;
    }
    mover->run->tally->short_count += moved > 0;
    op->data = (unsigned char *)op->data + moved;
    op->offset += moved;
    op->size -= moved;
    /* The others are not in a short part of their own. */
    op->is_collective = false;
    weir_queue_send(&mover->run->queue, op);
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
    flight->is_continued = false;
    mover->continued_count--;
}

static void sync_now(struct weir_mover *mover, struct weir_op *op)
{
    int code = mover->run->backend->file->sync(mover->run->session, mover->file);

    op->done_ns = weir_queue_now(&mover->run->queue);
    if (code != 0)
        fail(mover, code, op->offset, "sync");
}

static void check(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_tally *tally = mover->run->tally;

    mover->reading.offset = op->offset;
    mover->reading.bytes = op->size;
    weir_verify(mover->source, &mover->reading, op->data, &tally->mismatches);
    tally->data_ns += weir_queue_now(&mover->run->queue) - op->done_ns;
}

/* ---- every transfer ---- */

static inline void fill(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_queue *queue = &mover->run->queue;
    uint64_t before_ns = queue->last_ns;

    weir_source_fill(mover->source, op->data, op->offset,
                     (uint32_t)((op->slot * mover->run->buffers.windows + op->window) *
                                mover->source->piece_count % WEIR_NOISE_PIECES));
    /* One stamp takes less time than reading the clock. */
    if (mover->must_time_fill)
        mover->run->tally->data_ns += weir_queue_now(queue) - before_ns;
}

static inline void launch(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_buffers *buffers = &mover->run->buffers;

    op->window = mover->must_fill ? mover->turn++ & (buffers->windows - 1) : 0;
    op->verb = mover->phase->verb == WEIR_WRITE ? WEIR_OP_WRITE : WEIR_OP_READ;
    op->is_collective = mover->phase->is_collective;
    op->file = mover->file;
    op->data = weir_buffers_window(buffers, op->slot, op->window);
    op->offset = weir_walk_next(&mover->walk);
    op->size = mover->phase->layout.transfer_bytes;
    mover->next++;
    if (mover->must_fill)
        fill(mover, op);
    else if (mover->must_verify)
        weir_source_spoil(mover->source, op->data);
    weir_queue_send(&mover->run->queue, op);
}

/* Records a transfer that came back. Returns true if its slot is free again. */
static inline bool settle(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_tally *tally = mover->run->tally;

    if (__builtin_expect(op->result != (int64_t)op->size, 0)) {
        if (continue_transfer(mover, op))
            return false;
        join_parts(mover, op);
        return true;
    }
    if (__builtin_expect(mover->continued_count != 0, 0))
        join_parts(mover, op);
    if (mover->phase->must_sync_each)
        sync_now(mover, op);
    tally->op_count++;
    tally->byte_count += op->size;
    weir_histogram_add(&tally->latency, op->done_ns - op->issued_ns);
    if (!mover->run->queue.is_blocking)
        weir_histogram_add(&tally->submission, op->accepted_ns - op->issued_ns);
    weir_series_add(&tally->series, op->done_ns, op->size);
    if (mover->must_verify)
        check(mover, op);
    if (__builtin_expect(mover->phase->think_ns != 0, 0)) {
        pause_for(mover->phase->think_ns);
        weir_queue_touch(&mover->run->queue);
    }
    if (__builtin_expect(op->done_ns >= mover->alert_ns, 0))
        attend(mover, op->done_ns);
    if (__builtin_expect(weir_run_must_stop(mover->run), 0))
        ask_to_stop(mover);
    return true;
}

/* Before a collective transfer: do all ranks go on? */
static int agree_to_go_on(struct weir_mover *mover)
{
    uint64_t wants_over = mover->wants_over;
    int code;

    if (mover->phase->stop.deadline_ns == 0 && mover->next % COLLECTIVE_STRIDE != 0)
        return 0;
    code = weir_group_reduce(mover->run->group, &wants_over, 1, WEIR_MAX);
    if (wants_over != 0)
        mover->is_over = true;
    weir_queue_touch(&mover->run->queue);
    return code;
}

/* Until the limit is reached or something asks to stop. */
static int pass(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *op, *done[64];

    for (;;) {
        while (!mover->is_over && mover->next < mover->limit &&
               (op = weir_queue_take(queue)) != NULL) {
            if (mover->phase->is_collective && agree_to_go_on(mover) != 0)
                return -ECOMM;
            if (mover->is_over)
                weir_queue_give(queue, op);
            else
                launch(mover, op);
        }
        if (weir_queue_outstanding(queue) == 0)
            return 0;
        int count = weir_queue_reap(queue, done, 1, 64);

        if (count < 0)
            return count;
        for (int i = 0; i < count; i++)
            if (settle(mover, done[i]))
                weir_queue_give(queue, done[i]);
    }
}

/* ---- passes ---- */

static bool must_go_again(struct weir_mover *mover)
{
    uint64_t minimum_ns = mover->phase->stop.minimum_ns;
    bool is_early;

    if (minimum_ns == 0)
        return false;
    is_early = !mover->is_over && mover->limit > 0 &&
               weir_run_now(mover->run) - mover->started_ns < minimum_ns;
    return mover->phase->is_collective ? weir_group_any(mover->run->group, is_early) : is_early;
}

static int wear_out(struct weir_mover *mover)
{
    bool is_sound = mover->run->tally->error_count == 0 && !weir_run_must_stop(mover->run);
    uint64_t furthest;
    int code = weir_stop_furthest(mover->run->group, mover->run->tally->hit_deadline, mover->next,
                                  &furthest);

    if (code != 0 || furthest <= mover->next || !is_sound)
        return code;
    if (furthest < mover->limit)
        mover->limit = furthest;
    mover->is_over = false;
    weir_queue_now(&mover->run->queue);
    return pass(mover);
}

static void begin(struct weir_mover *mover)
{
    const struct weir_observer *observer = mover->run->params->observer;
    const struct weir_phase *phase = mover->phase;
    bool tells_progress = mover->run->group->rank == 0 && observer->progress != NULL &&
                          observer->progress_interval_ns != 0;

    mover->started_ns = weir_queue_now(&mover->run->queue);
    mover->deadline_ns =
        phase->stop.deadline_ns == 0 ? UINT64_MAX : mover->started_ns + phase->stop.deadline_ns;
    mover->progress_ns =
        tells_progress ? mover->started_ns + observer->progress_interval_ns : UINT64_MAX;
    set_alert(mover);
    mover->must_verify = phase->must_verify;
    mover->must_fill =
        phase->verb == WEIR_WRITE && mover->source->identity.mode != WEIR_PAYLOAD_NONE;
    mover->must_time_fill =
        mover->source->piece_count > 1 || mover->source->identity.mode == WEIR_PAYLOAD_FULL;
}

int weir_move(struct weir_mover *mover)
{
    int code;

    begin(mover);
    do {
        weir_walk_start(&mover->walk, mover->share, 0);
        mover->next = 0;
        code = pass(mover);
    } while (code == 0 && must_go_again(mover));
    if (mover->phase->stop.deadline_ns != 0 && !mover->run->tally->hit_deadline)
        note_stonewall(mover, weir_run_now(mover->run));
    if (code == 0 && mover->phase->stop.has_wear_out)
        code = wear_out(mover);
    return code;
}
