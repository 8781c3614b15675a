/* SPDX-License-Identifier: Apache-2.0 */
/* Take, fill, send, reap, record, give. Nothing is allocated, opened or logged here. */
#include "move.h"

#include "stop.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Collective phases agree on going on every so many transfers; with a deadline, at each. */
#define COLLECTIVE_STRIDE 16
#define REAPED_AT_ONCE 64

/* Kept out of the loop, so that the compiler spends its registers on what happens at every
 * transfer. */
#define SELDOM __attribute__((noinline, cold))

/* A rank may leave a collective phase only together with the others. */
SELDOM static void ask_to_stop(struct weir_mover *mover)
{
    if (mover->is_collective)
        mover->wants_over = true;
    else
        mover->until = 0;
}

static void fail(struct weir_mover *mover, int code, uint64_t offset, const char *what)
{
    char place[64];

    snprintf(place, sizeof place, "%s at offset %llu of", what, (unsigned long long)offset);
    weir_tally_fail(mover->tally, code, offset);
    weir_run_fail(mover->run, code, place, mover->path);
    ask_to_stop(mover);
}

/* ---- what does not happen at every transfer ---- */

/* The histogram has counted the transfers, and all of them are of one size. */
static void count_transfers(struct weir_mover *mover)
{
    struct weir_tally *tally = mover->tally;

    tally->op_count = tally->latency.total;
    tally->byte_count = tally->op_count * mover->phase->layout.transfer_bytes;
}

static void note_stonewall(struct weir_mover *mover, uint64_t now_ns)
{
    struct weir_tally *tally = mover->tally;

    count_transfers(mover);
    tally->stonewall_ops = tally->op_count;
    tally->stonewall_bytes = tally->byte_count;
    tally->stonewall_ns = now_ns - mover->started_ns - tally->data_ns;
}

static void set_alert(struct weir_mover *mover)
{
    mover->alert_ns =
        mover->deadline_ns < mover->progress_ns ? mover->deadline_ns : mover->progress_ns;
}

static void tell_progress(struct weir_mover *mover, uint64_t now_ns)
{
    const struct weir_observer *observer = mover->run->params->observer;
    struct weir_progress progress = {
        .phase = mover->phase,
        .repetition = (unsigned)mover->run->repetition,
        .ops_done = mover->walk.index,
        .ops_total = mover->limit,
        .bytes_done = mover->tally->latency.total * mover->phase->layout.transfer_bytes,
        .seconds = (double)(now_ns - mover->started_ns) * 1e-9,
    };

    observer->progress(observer->context, &progress);
    mover->progress_ns = now_ns + observer->progress_interval_ns;
    weir_queue_touch(&mover->run->queue);
}

SELDOM static void attend(struct weir_mover *mover, uint64_t now_ns)
{
    if (now_ns >= mover->deadline_ns) {
        mover->tally->hit_deadline = true;
        note_stonewall(mover, now_ns);
        mover->deadline_ns = UINT64_MAX;
        ask_to_stop(mover);
    }
    if (now_ns >= mover->progress_ns)
        tell_progress(mover, now_ns);
    set_alert(mover);
}

/* Whether the phase had more to do is known when the loop has ended. */
SELDOM static void heed_signal(struct weir_mover *mover)
{
    mover->has_seen_signal = true;
    ask_to_stop(mover);
}

static void pause_for(uint64_t ns)
{
    struct timespec time = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    nanosleep(&time, NULL);
}

/* Whether the phase asks for something beyond recording after each transfer. */
static bool has_aftermath(const struct weir_mover *mover)
{
    return mover->phase->must_verify || mover->phase->must_sync_each ||
           mover->phase->think_ns != 0 || mover->log != NULL || !mover->run->queue.is_blocking;
}

/* The rest of a short direct transfer may not be aligned any more. */
static bool can_go_on_from(const struct weir_run *run, uint64_t moved)
{
    const struct weir_alignment *alignment = &run->alignment;

    return moved % alignment->memory == 0 && moved % alignment->offset == 0;
}

/* Aims at the rest of a short transfer. Returns false if there is none to try: then the transfer
 * has failed. */
SELDOM static bool aim_at_rest(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];
    uint64_t moved = op->result > 0 ? (uint64_t)op->result : 0;

    /* Whatever a transfer waits for, a lock maybe, may never come: it is not tried again if the
     * signal that came into it is to end the run. */
    bool is_over = op->result == -EINTR && *mover->stop_signal != 0;

    assert(op->result < (int64_t)op->size);
    if (is_over)
        heed_signal(mover);
    if (op->result < 0 && (op->result != -EINTR || is_over)) {
        fail(mover, (int)op->result, op->offset, weir_verb_name(mover->phase->verb));
        return false;
    }
    if (op->result == 0 || (mover->phase->is_single_attempt && op->result > 0)) {
        fail(mover, op->verb == WEIR_OP_READ ? -ENODATA : -EIO, op->offset + moved,
             op->verb == WEIR_OP_READ ? "short read" : "short write");
        return false;
    }
    if (!can_go_on_from(mover->run, moved)) {
        fail(mover, -EIO, op->offset + moved, "unaligned short transfer");
        return false;
    }
    if (!flight->is_continued) {
        *flight = (struct weir_flight){.is_continued = true,
                                       .data = op->data,
                                       .offset = op->offset,
                                       .size = op->size,
                                       .issued_ns = op->issued_ns};
        mover->continued_count++;
        mover->has_aftermath = true;
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
SELDOM static void join_parts(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];

    if (!flight->is_continued)
        return;
    op->data = flight->data;
    op->offset = flight->offset;
    op->size = flight->size;
    op->issued_ns = flight->issued_ns;
    op->is_collective = mover->phase->is_collective;
    flight->is_continued = false;
    mover->continued_count--;
    mover->has_aftermath = mover->continued_count != 0 || has_aftermath(mover);
}

SELDOM static void sync_now(struct weir_mover *mover, struct weir_op *op)
{
    int code = mover->run->backend->file->sync(mover->run->session, mover->file);

    op->done_ns = weir_queue_now(&mover->run->queue);
    if (code != 0)
        fail(mover, code, op->offset, "sync");
}

/* A failed transfer is over. Its sync is not, if the others are waiting in theirs. */
SELDOM static void give_up(struct weir_mover *mover, struct weir_op *op)
{
    join_parts(mover, op);
    if (mover->phase->must_sync_each && mover->is_collective)
        sync_now(mover, op);
}

static void check(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_tally *tally = mover->tally;

    mover->reading.offset = op->offset;
    mover->reading.bytes = op->size;
    if (!weir_verify(mover->source, &mover->reading, op->data, &tally->mismatches) &&
        mover->phase->ends_at_mismatch)
        ask_to_stop(mover);
    tally->data_ns += weir_queue_now(&mover->run->queue) - op->done_ns;
}

/* ---- every transfer: each instruction here is paid for millions of times ---- */

/* What is the same for all transfers of a slot. */
static void aim(const struct weir_mover *mover, struct weir_op *op)
{
    op->verb = mover->phase->verb == WEIR_WRITE ? WEIR_OP_WRITE : WEIR_OP_READ;
    op->is_collective = mover->phase->is_collective;
    op->file = mover->file;
    op->window = op->slot * mover->buffers->windows;
    op->data = weir_buffers_window(mover->buffers, op->window);
    op->size = mover->phase->layout.transfer_bytes;
}

/* The slot's next window, in turn. */
static inline unsigned turn_window(struct weir_mover *mover, struct weir_op *op)
{
    unsigned window = op->window + (mover->turn++ & mover->turn_mask);

    op->data = weir_buffers_window(mover->buffers, window);
    return window;
}

/* Whatever the buffer needs that takes longer than reading the clock. */
static __attribute__((noinline)) void prepare_buffer(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_queue *queue = &mover->run->queue;
    uint64_t before_ns = queue->is_last_usable ? queue->last_ns : weir_queue_now(queue);
    unsigned window;

    if (op->verb == WEIR_OP_READ) {
        weir_source_spoil(mover->source, op->data);
    } else {
        window = turn_window(mover, op);
        weir_source_fill(mover->source, op->data, op->offset,
                         weir_source_first_noise(mover->source, window));
    }
    mover->tally->data_ns += weir_queue_now(queue) - before_ns;
}

static inline void put_stamp(struct weir_mover *mover, struct weir_op *op)
{
    unsigned window = turn_window(mover, op);

    weir_stamp_write(op->data, mover->source, op->offset, window % WEIR_NOISE_PIECES);
}

static inline void launch(struct weir_mover *mover, struct weir_op *op)
{
    op->offset = weir_walk_next(&mover->walk);
    if (mover->must_stamp)
        put_stamp(mover, op);
    else if (mover->must_prepare)
        prepare_buffer(mover, op);
}

static inline void record(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_tally *tally = mover->tally;

    weir_histogram_add(&tally->latency, op->done_ns - op->issued_ns);
    weir_series_add(&tally->series, op->done_ns, op->size);
    if (__builtin_expect(op->done_ns >= mover->alert_ns, 0))
        attend(mover, op->done_ns);
    if (__builtin_expect(*mover->stop_signal != 0, 0))
        heed_signal(mover);
}

SELDOM static void log_transfer(struct weir_mover *mover, const struct weir_op *op)
{
    weir_op_log_add(mover->log, op);
}

/* Records a transfer of a phase that asks for more than moving data, or of one that came in
 * parts. */
SELDOM static bool follow_up(struct weir_mover *mover, struct weir_op *op)
{
    if (mover->continued_count != 0)
        join_parts(mover, op);
    if (mover->phase->must_sync_each)
        sync_now(mover, op);
    if (!mover->run->queue.is_blocking)
        weir_histogram_add(&mover->tally->submission, op->accepted_ns - op->issued_ns);
    if (mover->log != NULL)
        log_transfer(mover, op);
    record(mover, op);
    if (mover->phase->must_verify)
        check(mover, op);
    if (mover->phase->think_ns != 0) {
        pause_for(mover->phase->think_ns);
        weir_queue_touch(&mover->run->queue);
    }
    return true;
}

/* Deals with a transfer that came back. Returns false if the rest of it has to be sent. */
static inline __attribute__((always_inline)) bool settle(struct weir_mover *mover,
                                                         struct weir_op *op)
{
    if (__builtin_expect(op->result != (int64_t)op->size, 0)) {
        if (aim_at_rest(mover, op))
            return false;
        give_up(mover, op);
        return true;
    }
    if (__builtin_expect(mover->has_aftermath, 0))
        return follow_up(mover, op);
    record(mover, op);
    return true;
}

/* Before a collective transfer: do all ranks go on? */
SELDOM static void agree_to_go_on(struct weir_mover *mover)
{
    uint64_t wants_over = mover->wants_over;

    if (mover->walk.index >= mover->until ||
        (mover->phase->stop.deadline_ns == 0 && mover->walk.index % COLLECTIVE_STRIDE != 0))
        return;
    mover->code = weir_group_reduce(mover->run->group, &wants_over, 1, WEIR_MAX);
    if (wants_over != 0 || mover->code != 0)
        mover->until = 0;
    weir_queue_touch(&mover->run->queue);
}

/* Whether to launch another transfer. */
static inline bool goes_on(struct weir_mover *mover, bool is_collective)
{
    if (is_collective)
        agree_to_go_on(mover);
    return mover->walk.index < mover->until;
}

/* One slot, round and round. */
static inline void pass_blocking(struct weir_mover *mover, bool is_collective)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *op = weir_queue_take(queue);

    aim(mover, op);
    while (goes_on(mover, is_collective)) {
        launch(mover, op);
        do
            weir_queue_transfer(queue, op);
        while (!settle(mover, op));
    }
    weir_queue_give(queue, op);
}

static void launch_all_free(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *op;

    while (weir_queue_has_free(queue) && goes_on(mover, mover->is_collective)) {
        op = weir_queue_take(queue);
        aim(mover, op);
        launch(mover, op);
        weir_queue_send(queue, op);
    }
}

/* As many slots in flight as there are. */
static void pass_queued(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *done[REAPED_AT_ONCE];
    int count;

    for (;;) {
        launch_all_free(mover);
        if (weir_queue_outstanding(queue) == 0)
            return;
        count = weir_queue_reap(queue, done, 1, REAPED_AT_ONCE, WEIR_FOREVER);
        if (count < 0) {
            fail(mover, count, 0, "the session broke");
            mover->until = 0;
            return;
        }
        for (int i = 0; i < count; i++)
            if (settle(mover, done[i]))
                weir_queue_give(queue, done[i]);
            else
                weir_queue_send(queue, done[i]);
    }
}

/* Until the limit is reached or something asks to stop. */
static int pass(struct weir_mover *mover)
{
    /* Two copies of the blocking loop: the one that most runs need has no question in it. */
    if (!mover->run->queue.is_blocking)
        pass_queued(mover);
    else if (mover->is_collective)
        pass_blocking(mover, true);
    else
        pass_blocking(mover, false);
    if (mover->walk.index > mover->furthest)
        mover->furthest = mover->walk.index;
    return mover->code;
}

/* ---- passes ---- */

static bool is_early(const struct weir_mover *mover)
{
    return mover->phase->stop.minimum_ns != 0 && mover->limit > 0 &&
           weir_run_now(mover->run) - mover->started_ns < mover->phase->stop.minimum_ns;
}

static bool must_go_again(struct weir_mover *mover)
{
    bool must = is_early(mover) && mover->until > 0;

    if (mover->phase->stop.minimum_ns == 0)
        return false;
    return mover->is_collective ? weir_group_any(mover->run->group, must) : must;
}

static int wear_out(struct weir_mover *mover)
{
    bool is_spoilt = mover->phase->ends_at_mismatch && mover->tally->mismatches.wrong_transfers > 0;
    bool is_sound = mover->tally->error_count == 0 && !is_spoilt;
    uint64_t furthest;
    int code = weir_stop_furthest(mover->run->group, mover->tally->hit_deadline, mover->furthest,
                                  &furthest);

    if (code != 0 || furthest <= mover->furthest || !is_sound)
        return code;
    /* A signal that came after the last transfer, in a pause maybe, cuts what is left to do. */
    if (weir_run_must_stop(mover->run)) {
        heed_signal(mover);
        return 0;
    }
    if (furthest < mover->limit)
        mover->limit = furthest;
    mover->until = mover->limit;
    weir_queue_now(&mover->run->queue);
    return pass(mover);
}

/* A sync that needs all ranks makes the phase collective, whatever its transfers are. */
static bool syncs_together(const struct weir_mover *mover)
{
    return mover->phase->must_sync_each && mover->phase->target->is_shared &&
           (weir_test_abilities(mover->run->test) & WEIR_SYNCS_TOGETHER) != 0;
}

static void begin(struct weir_mover *mover)
{
    const struct weir_observer *observer = mover->run->params->observer;
    const struct weir_phase *phase = mover->phase;
    bool tells_progress = mover->run->group->rank == 0 && observer->progress != NULL &&
                          observer->progress_interval_ns != 0;

    mover->tally = mover->run->tally;
    mover->buffers = &mover->run->buffers;
    mover->turn_mask = mover->buffers->windows - 1;
    mover->started_ns = weir_queue_now(&mover->run->queue);
    mover->deadline_ns =
        phase->stop.deadline_ns == 0 ? UINT64_MAX : mover->started_ns + phase->stop.deadline_ns;
    mover->progress_ns =
        tells_progress ? mover->started_ns + observer->progress_interval_ns : UINT64_MAX;
    set_alert(mover);
    mover->until = mover->limit;
    mover->is_collective = phase->is_collective || syncs_together(mover);
    mover->stop_signal = mover->run->params->stop_signal;
    mover->has_aftermath = has_aftermath(mover);
    mover->must_stamp = phase->verb == WEIR_WRITE && mover->source->is_one_stamp;
    mover->must_prepare =
        phase->must_verify || (phase->verb == WEIR_WRITE && weir_source_varies(mover->source));
}

int weir_move(struct weir_mover *mover)
{
    int code;

    begin(mover);
    do {
        weir_walk_start(&mover->walk, mover->share, 0);
        code = pass(mover);
    } while (code == 0 && must_go_again(mover));
    if (mover->phase->stop.deadline_ns != 0 && !mover->tally->hit_deadline)
        note_stonewall(mover, weir_run_now(mover->run));
    if (code == 0 && mover->phase->stop.has_wear_out)
        code = wear_out(mover);
    count_transfers(mover);
    mover->run->is_cut =
        mover->has_seen_signal && (mover->walk.index < mover->limit || is_early(mover));
    return code;
}
