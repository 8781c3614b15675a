/* SPDX-License-Identifier: Apache-2.0 */
/* The loops of queues that do not block: as many transfers in flight as there may be, and, where
 * transfers have times of their own, no more than are due. Nothing is allocated, opened or logged
 * here. */
#include "loop_step.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Nothing came back for so long after a signal: nothing will. */
#define DRAIN_NS UINT64_C(10000000000)
/* Interval between two samples of the number of transfers that wait for a slot. */
#define BACKLOG_LOOK_NS UINT64_C(100000000)

static unsigned in_flight(const struct weir_loop *loop)
{
    return weir_queue_outstanding(&loop->run->queue);
}

/* ---- waiting ---- */

/* How long to wait for transfers, if nothing else happens before `horizon_ns`. */
static uint64_t wait_limit_ns(const struct weir_loop *loop, uint64_t horizon_ns)
{
    uint64_t now_ns = loop->run->queue.last_ns;

    if (loop->timer_ns < horizon_ns)
        horizon_ns = loop->timer_ns;
    if (loop->has_seen_signal && loop->quiet_since_ns + DRAIN_NS < horizon_ns)
        horizon_ns = loop->quiet_since_ns + DRAIN_NS;
    if (horizon_ns == UINT64_MAX)
        return WEIR_FOREVER;
    return horizon_ns > now_ns ? horizon_ns - now_ns : 1;
}

/* Most completions of one reap: a quarter of the depth. The device has the other transfers while
 * these are recorded and sent again, and a system call still serves many where the queue is deep.
 */
static unsigned reap_limit(const struct weir_loop *loop)
{
    unsigned quarter = (loop->depth + 3) / 4;

    return loop->batch > quarter ? loop->batch : quarter;
}

/* How many came back; less than 0 if the session broke. */
static int reap(struct weir_loop *loop, struct weir_op *done[], unsigned min, uint64_t timeout_ns)
{
    int count = weir_queue_reap(&loop->run->queue, done, min, reap_limit(loop), timeout_ns);

    if (count < 0)
        weir_loop_fail_session(loop, count, "the session broke in the middle of");
    return count;
}

WEIR_COLD static void abandon(struct weir_loop *loop)
{
    char what[96];

    snprintf(what, sizeof what, "%u transfers did not come back within %d s after a signal, of",
             in_flight(loop), (int)(DRAIN_NS / 1000000000));
    weir_loop_fail_session(loop, -ETIMEDOUT, what);
}

/* After whatever came back was recorded. */
static inline void poll_events(struct weir_loop *loop, int count)
{
    uint64_t now_ns = loop->run->queue.last_ns;

    if (count > 0 || !loop->has_seen_signal)
        loop->quiet_since_ns = now_ns;
    else if (now_ns - loop->quiet_since_ns >= DRAIN_NS && in_flight(loop) > 0)
        abandon(loop);
    weir_loop_poll(loop, now_ns);
}

/* ---- recording ---- */

/* Nothing is to be done about it but to record it. */
static inline bool is_plain(const struct weir_loop *loop, const struct weir_op *op)
{
    return __builtin_expect(op->result == (int64_t)op->size && !loop->has_post_op, 1);
}

/* Records the plain transfers from done[begin] on that have equal stamps, as most of a batch
 * have. Returns where they end. */
static inline int record_equal(struct weir_loop *loop, struct weir_op *const done[], int begin,
                               int end)
{
    struct weir_histogram *submission = loop->tally->submission;
    uint64_t issued_ns = done[begin]->issued_ns, accepted_ns = done[begin]->accepted_ns;
    uint64_t done_ns = done[begin]->done_ns;
    uint64_t count;
    int i = begin + 1;

    while (i < end && done[i]->issued_ns == issued_ns && done[i]->done_ns == done_ns &&
           done[i]->accepted_ns == accepted_ns && is_plain(loop, done[i]))
        i++;
    count = (uint64_t)(i - begin);
    weir_loop_count(loop->counted, done_ns - issued_ns, count,
                    count * weir_layout_op_bytes(&loop->phase->transfers.layout));
    if (submission != NULL)
        weir_histogram_add_many(submission, accepted_ns - issued_ns, count);
    return i;
}

/* A completion that is short, failed, or followed by a post-op. False if it was sent again. */
WEIR_COLD static bool complete_apart(struct weir_loop *loop, struct weir_op *op)
{
    bool is_over = loop->items != NULL               ? weir_loop_complete_item(loop, op)
                   : op->result == (int64_t)op->size ? weir_loop_post_op(loop, op)
                                                     : weir_loop_complete_unusual(loop, op);

    if (!is_over)
        weir_queue_send(&loop->run->queue, op);
    return is_over;
}

/* Records what came back and sends what is not over again. The others are left in done[]; returns
 * how many. */
static int complete(struct weir_loop *loop, struct weir_op *done[], int count)
{
    int over = 0, i = 0;

    if (__builtin_expect(loop->run->queue.last_ns >= loop->look_ns, 0))
        weir_loop_end_interval(loop, loop->run->queue.last_ns);
    while (i < count) {
        int begin = i;

        if (!is_plain(loop, done[begin])) {
            struct weir_op *op = done[i++];

            if (complete_apart(loop, op))
                done[over++] = op;
            continue;
        }
        i = record_equal(loop, done, begin, count);
        if (over != begin)
            memmove(done + over, done + begin, (size_t)(i - begin) * sizeof(struct weir_op *));
        over += i - begin;
    }
    return over;
}

/* ---- a closed loop: what came back goes out again ---- */

static void prepare_first(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;

    weir_queue_touch(queue);
    while (weir_queue_has_free(queue) && weir_loop_has_next_or_restarts(loop)) {
        struct weir_op *op = weir_queue_take(queue);

        weir_loop_init_op(loop, op);
        weir_loop_prepare(loop, op, loop->must_stamp);
        weir_queue_send(queue, op);
    }
}

static void prepare_again(struct weir_loop *loop, struct weir_op *const idle[], int count)
{
    struct weir_queue *queue = &loop->run->queue;

    /* What one transfer costs us is too little to look at the clock again. */
    if (count > 1)
        weir_queue_touch(queue);
    for (int i = 0; i < count; i++) {
        if (!weir_loop_has_next_or_restarts(loop)) {
            weir_queue_give(queue, idle[i]);
            continue;
        }
        weir_loop_prepare(loop, idle[i], loop->must_stamp);
        weir_queue_send(queue, idle[i]);
    }
}

static void run_closed(struct weir_loop *loop)
{
    struct weir_op *done[WEIR_DEPTH_MAX];

    prepare_first(loop);
    while (in_flight(loop) > 0) {
        int count = reap(loop, done, loop->batch, wait_limit_ns(loop, UINT64_MAX));
        int over;

        if (count < 0)
            return;
        over = complete(loop, done, count);
        poll_events(loop, count);
        prepare_again(loop, done, over);
    }
}

/* ---- transfers with times of their own: an open loop, or pauses ---- */

static void pause_slot(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_op_state *state = &loop->op_states[op->slot];

    state->resume_ns = op->done_ns + loop->phase->think_ns;
    state->next = NULL;
    if (loop->paused == NULL)
        loop->paused = op;
    else
        loop->op_states[loop->paused_last->slot].next = op;
    loop->paused_last = op;
}

/* All pause for the same time, so they wake up in the order in which they went to sleep. */
static void resume(struct weir_loop *loop, uint64_t now_ns)
{
    while (loop->paused != NULL) {
        struct weir_op_state *state = &loop->op_states[loop->paused->slot];

        if (state->resume_ns > now_ns)
            return;
        weir_queue_give(&loop->run->queue, loop->paused);
        loop->paused = state->next;
    }
}

/* Gives back the slots of transfers that are prepared or paused: nothing more is submitted. */
static void cancel_paused(struct weir_loop *loop)
{
    if (loop->next_op != NULL) {
        weir_queue_give(&loop->run->queue, loop->next_op);
        loop->next_op = NULL;
        weir_op_source_unget(&loop->ops);
    }
    resume(loop, UINT64_MAX);
}

/* Prepares the next transfer before it is due, so that its buffer is ready when it is. */
static bool take_next_op(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;
    struct weir_op *op;

    loop->is_queue_full = false;
    if (!weir_loop_has_next_or_restarts(loop))
        return false;
    loop->is_queue_full = !weir_queue_has_free(queue);
    if (loop->is_queue_full)
        return false;
    op = weir_queue_take(queue);
    weir_loop_init_op(loop, op);
    weir_loop_prepare(loop, op, loop->must_stamp);
    if (loop->is_open_loop)
        op->due_ns = weir_loop_next_due(loop);
    loop->next_op = op;
    return true;
}

static void submit_next_op(struct weir_loop *loop)
{
    weir_queue_send(&loop->run->queue, loop->next_op);
    loop->next_op = NULL;
    if (loop->is_open_loop)
        weir_pacer_advance(&loop->pacer);
}

/* Does preparing a buffer take so long that others had better not wait for it? */
static bool is_long(const struct weir_loop *loop)
{
    return loop->is_open_loop && loop->must_prepare && !loop->must_stamp;
}

/* Sends what is due. Returns true if that may not be all: one whose buffer took long to prepare is
 * to be on its way before the next one is. */
static bool submit_due(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;
    bool has_sent = false;

    for (;;) {
        resume(loop, weir_queue_now(queue));
        if (has_sent && is_long(loop))
            return true;
        if (loop->next_op == NULL && !take_next_op(loop))
            return false;
        if (loop->next_op->due_ns > weir_queue_now(queue))
            return false;
        weir_loop_record_lag(loop, loop->next_op->due_ns, queue->last_ns);
        submit_next_op(loop);
        has_sent = true;
    }
}

/* When something other than a completion happens. */
static uint64_t next_event_ns(const struct weir_loop *loop)
{
    uint64_t event_ns = UINT64_MAX;

    if (loop->next_op != NULL)
        return loop->next_op->due_ns;
    if (!loop->is_queue_full)
        return UINT64_MAX;
    if (loop->is_open_loop)
        event_ns = loop->run->queue.last_ns + BACKLOG_LOOK_NS;
    if (loop->paused != NULL && loop->op_states[loop->paused->slot].resume_ns < event_ns)
        event_ns = loop->op_states[loop->paused->slot].resume_ns;
    return event_ns;
}

/* With nothing in flight. */
static void sleep_until(struct weir_loop *loop, uint64_t event_ns)
{
    struct weir_queue *queue = &loop->run->queue;

    weir_pace_wait(queue->clock, event_ns < loop->timer_ns ? event_ns : loop->timer_ns,
                   loop->stop_signal);
    weir_queue_now(queue);
}

/* What comes back until the next event; the last stretch before a transfer is due is watched
 * without sleeping. */
static int wait(struct weir_loop *loop, struct weir_op *done[], bool must_hurry)
{
    uint64_t event_ns = next_event_ns(loop);
    uint64_t now_ns = loop->run->queue.last_ns;

    if (must_hurry)
        return reap(loop, done, 0, 0);
    if (in_flight(loop) == 0) {
        sleep_until(loop, event_ns);
        return 0;
    }
    if (loop->next_op == NULL)
        return reap(loop, done, loop->is_open_loop ? 1 : loop->batch,
                    wait_limit_ns(loop, event_ns));
    if (event_ns <= now_ns + WEIR_PACE_SPIN_NS)
        return reap(loop, done, 0, 0);
    return reap(loop, done, 1, wait_limit_ns(loop, event_ns - WEIR_PACE_SPIN_NS));
}

static void pause_or_give(struct weir_loop *loop, struct weir_op *const idle[], int count)
{
    for (int i = 0; i < count; i++)
        if (loop->phase->think_ns != 0)
            pause_slot(loop, idle[i]);
        else
            weir_queue_give(&loop->run->queue, idle[i]);
}

static void run_paced(struct weir_loop *loop)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    int count = 0;

    while (count >= 0) {
        bool must_hurry = submit_due(loop);

        if (in_flight(loop) == 0 && loop->next_op == NULL && !loop->is_queue_full)
            break;
        count = wait(loop, done, must_hurry);
        if (loop->is_queue_full && loop->is_open_loop && count >= 0)
            weir_loop_record_backlog(loop, loop->run->queue.last_ns);
        if (count > 0)
            pause_or_give(loop, done, complete(loop, done, count));
        if (count >= 0)
            poll_events(loop, count);
        if (loop->until == 0)
            cancel_paused(loop);
    }
    cancel_paused(loop);
}

void weir_loop_run_queued(struct weir_loop *loop)
{
    if (loop->is_open_loop || loop->phase->think_ns != 0 ||
        loop->phase->transfers.layout.listing.pauses_ns != 0)
        run_paced(loop);
    else
        run_closed(loop);
}
