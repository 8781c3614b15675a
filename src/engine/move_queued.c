/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of queues that do not block: as many transfers in flight as there may be, and, where
 * transfers have times of their own, no more than are due. Nothing is allocated, opened or logged
 * here. */
#include "move_step.h"

#include <errno.h>
#include <stdio.h>

/* Nothing came back for so long after a signal: nothing will. */
#define DRAIN_NS UINT64_C(10000000000)
/* How often somebody looks how many transfers wait for a slot. */
#define BACKLOG_LOOK_NS UINT64_C(100000000)

static unsigned in_flight(const struct weir_mover *mover)
{
    return weir_queue_outstanding(&mover->run->queue);
}

/* ---- waiting ---- */

/* How long to wait for transfers, if nothing else happens before `horizon_ns`. */
static uint64_t patience(const struct weir_mover *mover, uint64_t horizon_ns)
{
    uint64_t now_ns = mover->run->queue.last_ns;

    if (mover->alert_ns < horizon_ns)
        horizon_ns = mover->alert_ns;
    if (mover->has_seen_signal && mover->quiet_since_ns + DRAIN_NS < horizon_ns)
        horizon_ns = mover->quiet_since_ns + DRAIN_NS;
    if (horizon_ns == UINT64_MAX)
        return WEIR_FOREVER;
    return horizon_ns > now_ns ? horizon_ns - now_ns : 1;
}

/* So many are taken back at once, at most: while all of them are recorded and sent again, the
 * device would run dry, and then find all its work at once. A quarter of the depth keeps it busy,
 * and still shares a system call among many where the queue is deep. */
static unsigned portion(const struct weir_mover *mover)
{
    unsigned quarter = (mover->depth + 3) / 4;

    return mover->batch > quarter ? mover->batch : quarter;
}

/* How many came back; less than 0 if the session broke. */
static int reap(struct weir_mover *mover, struct weir_op *done[], unsigned min,
                uint64_t patience_ns)
{
    int count = weir_queue_reap(&mover->run->queue, done, min, portion(mover), patience_ns);

    if (count < 0)
        weir_mover_fail_session(mover, count, "the session broke in the middle of");
    return count;
}

WEIR_SELDOM static void abandon(struct weir_mover *mover)
{
    char what[96];

    snprintf(what, sizeof what, "%u transfers did not come back within %d s after a signal, of",
             in_flight(mover), (int)(DRAIN_NS / 1000000000));
    weir_mover_fail_session(mover, -ETIMEDOUT, what);
}

/* After whatever came back was recorded. */
static inline void look_up(struct weir_mover *mover, int count)
{
    uint64_t now_ns = mover->run->queue.last_ns;

    if (count > 0 || !mover->has_seen_signal)
        mover->quiet_since_ns = now_ns;
    else if (now_ns - mover->quiet_since_ns >= DRAIN_NS && in_flight(mover) > 0)
        abandon(mover);
    weir_mover_look_up(mover, now_ns);
}

/* ---- recording ---- */

/* Transfers that went and came together: submitted and reaped in batches, most do. */
struct flock {
    uint64_t issued_ns;
    uint64_t accepted_ns;
    uint64_t done_ns;
    uint64_t count;
};

static inline bool is_of_flock(const struct flock *flock, const struct weir_op *op)
{
    return flock->issued_ns == op->issued_ns && flock->done_ns == op->done_ns &&
           flock->accepted_ns == op->accepted_ns;
}

static inline void record_flock(struct weir_mover *mover, const struct flock *flock)
{
    struct weir_tally *tally = mover->tally;

    if (flock->count == 0)
        return;
    weir_histogram_add_many(&tally->latency, flock->done_ns - flock->issued_ns, flock->count);
    if (mover->run->queue.times_submission)
        weir_histogram_add_many(&tally->submission, flock->accepted_ns - flock->issued_ns,
                                flock->count);
    weir_series_add_many(&tally->series, flock->done_ns, flock->count,
                         flock->count * mover->phase->layout.transfer_bytes);
}

/* Of a transfer that is no matter of course: true if it is over. */
WEIR_SELDOM static bool settle_apart(struct weir_mover *mover, struct weir_op *op)
{
    bool is_over = op->result == (int64_t)op->size ? weir_mover_follow_up(mover, op)
                                                   : weir_mover_settle_oddly(mover, op);

    if (!is_over)
        weir_queue_send(&mover->run->queue, op);
    return is_over;
}

/* Records what came back and sends what is not over again. The others are left in done[]; returns
 * how many. */
static int settle(struct weir_mover *mover, struct weir_op *done[], int count)
{
    struct flock flock = {0};
    int over = 0;

    for (int i = 0; i < count; i++) {
        struct weir_op *op = done[i];

        if (__builtin_expect(op->result != (int64_t)op->size || mover->has_aftermath, 0)) {
            if (settle_apart(mover, op))
                done[over++] = op;
            continue;
        }
        if (!is_of_flock(&flock, op)) {
            record_flock(mover, &flock);
            flock = (struct flock){
                .issued_ns = op->issued_ns, .accepted_ns = op->accepted_ns, .done_ns = op->done_ns};
        }
        flock.count++;
        done[over++] = op;
    }
    record_flock(mover, &flock);
    return over;
}

/* ---- a closed loop: what came back goes out again ---- */

static void launch_first(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;

    weir_queue_touch(queue);
    while (weir_queue_has_free(queue) && weir_mover_goes_round(mover)) {
        struct weir_op *op = weir_queue_take(queue);

        weir_mover_aim(mover, op);
        weir_mover_launch(mover, op);
        weir_queue_send(queue, op);
    }
}

static void launch_again(struct weir_mover *mover, struct weir_op *const idle[], int count)
{
    struct weir_queue *queue = &mover->run->queue;

    /* What one transfer costs us is too little to look at the clock again. */
    if (count > 1)
        weir_queue_touch(queue);
    for (int i = 0; i < count; i++) {
        if (!weir_mover_goes_round(mover)) {
            weir_queue_give(queue, idle[i]);
            continue;
        }
        weir_mover_launch(mover, idle[i]);
        weir_queue_send(queue, idle[i]);
    }
}

static void pass_closed(struct weir_mover *mover)
{
    struct weir_op *done[WEIR_DEPTH_MAX];

    launch_first(mover);
    while (in_flight(mover) > 0) {
        int count = reap(mover, done, mover->batch, patience(mover, UINT64_MAX));
        int over;

        if (count < 0)
            return;
        over = settle(mover, done, count);
        look_up(mover, count);
        launch_again(mover, done, over);
    }
}

/* ---- transfers with times of their own: an open loop, or pauses ---- */

static void rest(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_flight *flight = &mover->flights[op->slot];

    flight->rested_ns = op->done_ns + mover->phase->think_ns;
    flight->next = NULL;
    if (mover->resting == NULL)
        mover->resting = op;
    else
        mover->flights[mover->resting_last->slot].next = op;
    mover->resting_last = op;
}

/* All pause for the same time, so they wake up in the order in which they went to sleep. */
static void wake_up(struct weir_mover *mover, uint64_t now_ns)
{
    while (mover->resting != NULL) {
        struct weir_flight *flight = &mover->flights[mover->resting->slot];

        if (flight->rested_ns > now_ns)
            return;
        weir_queue_give(&mover->run->queue, mover->resting);
        mover->resting = flight->next;
    }
}

/* Nothing is launched any more, and nobody waits for those that were about to be. */
static void lay_down(struct weir_mover *mover)
{
    if (mover->in_hand != NULL) {
        weir_queue_give(&mover->run->queue, mover->in_hand);
        mover->in_hand = NULL;
        weir_mover_take_back(mover);
    }
    wake_up(mover, UINT64_MAX);
}

/* Prepares the next transfer before it is due, so that its buffer is ready when it is. */
static bool take_in_hand(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *op;

    mover->is_starved = false;
    if (!weir_mover_goes_round(mover))
        return false;
    mover->is_starved = !weir_queue_has_free(queue);
    if (mover->is_starved)
        return false;
    op = weir_queue_take(queue);
    weir_mover_aim(mover, op);
    weir_mover_launch(mover, op);
    op->due_ns = mover->is_open_loop ? weir_mover_next_due(mover) : 0;
    mover->in_hand = op;
    return true;
}

static void send_in_hand(struct weir_mover *mover)
{
    weir_queue_send(&mover->run->queue, mover->in_hand);
    mover->in_hand = NULL;
    if (mover->is_open_loop)
        weir_pacer_advance(&mover->pacer);
}

/* Does preparing a buffer take so long that others had better not wait for it? */
static bool takes_long(const struct weir_mover *mover)
{
    return mover->is_open_loop && mover->must_prepare && !mover->must_stamp;
}

/* Sends what is due. Returns true if that may not be all: one whose buffer took long to prepare is
 * to be on its way before the next one is. */
static bool launch_due(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;
    bool has_sent = false;

    for (;;) {
        wake_up(mover, weir_queue_now(queue));
        if (has_sent && takes_long(mover))
            return true;
        if (mover->in_hand == NULL && !take_in_hand(mover))
            return false;
        if (mover->in_hand->due_ns > weir_queue_now(queue))
            return false;
        weir_mover_note_lag(mover, mover->in_hand->due_ns, queue->last_ns);
        send_in_hand(mover);
        has_sent = true;
    }
}

/* When something other than a completion happens. */
static uint64_t next_event_ns(const struct weir_mover *mover)
{
    uint64_t event_ns = UINT64_MAX;

    if (mover->in_hand != NULL)
        return mover->in_hand->due_ns;
    if (!mover->is_starved)
        return UINT64_MAX;
    if (mover->is_open_loop)
        event_ns = mover->run->queue.last_ns + BACKLOG_LOOK_NS;
    if (mover->resting != NULL && mover->flights[mover->resting->slot].rested_ns < event_ns)
        event_ns = mover->flights[mover->resting->slot].rested_ns;
    return event_ns;
}

/* With nothing in flight. */
static void sleep_until(struct weir_mover *mover, uint64_t event_ns)
{
    struct weir_queue *queue = &mover->run->queue;

    weir_pace_wait(queue->clock, event_ns < mover->alert_ns ? event_ns : mover->alert_ns,
                   mover->stop_signal);
    weir_queue_now(queue);
}

/* What comes back until the next event; the last stretch before a transfer is due is watched
 * without sleeping. */
static int wait(struct weir_mover *mover, struct weir_op *done[], bool must_hurry)
{
    uint64_t event_ns = next_event_ns(mover);
    uint64_t now_ns = mover->run->queue.last_ns;

    if (must_hurry)
        return reap(mover, done, 0, 0);
    if (in_flight(mover) == 0) {
        sleep_until(mover, event_ns);
        return 0;
    }
    if (mover->in_hand == NULL)
        return reap(mover, done, mover->is_open_loop ? 1 : mover->batch, patience(mover, event_ns));
    if (event_ns <= now_ns + WEIR_PACE_SPIN_NS)
        return reap(mover, done, 0, 0);
    return reap(mover, done, 1, patience(mover, event_ns - WEIR_PACE_SPIN_NS));
}

static void put_aside(struct weir_mover *mover, struct weir_op *const idle[], int count)
{
    for (int i = 0; i < count; i++)
        if (mover->phase->think_ns != 0)
            rest(mover, idle[i]);
        else
            weir_queue_give(&mover->run->queue, idle[i]);
}

static void pass_paced(struct weir_mover *mover)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    int count = 0;

    while (count >= 0) {
        bool must_hurry = launch_due(mover);

        if (in_flight(mover) == 0 && mover->in_hand == NULL && !mover->is_starved)
            break;
        count = wait(mover, done, must_hurry);
        if (mover->is_starved && mover->is_open_loop && count >= 0)
            weir_mover_note_backlog(mover, mover->run->queue.last_ns);
        if (count > 0)
            put_aside(mover, done, settle(mover, done, count));
        if (count >= 0)
            look_up(mover, count);
        if (mover->until == 0)
            lay_down(mover);
    }
    lay_down(mover);
}

void weir_move_queued(struct weir_mover *mover)
{
    if (mover->run->queue.is_broken)
        return;
    if (mover->is_open_loop || mover->phase->think_ns != 0)
        pass_paced(mover);
    else
        pass_closed(mover);
}
