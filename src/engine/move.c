/* SPDX-License-Identifier: Apache-2.0 */
/* Take, fill, send, reap, record, give: the passes over a layout, and the loops of queues that
 * block. Nothing is allocated, opened or logged here. */
#include "move.h"

#include "move_step.h"
#include "stop.h"
#include "watchdog.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>

/* Collective phases agree on going on every so many transfers; with a deadline, at each. */
#define COLLECTIVE_STRIDE 16

/* ---- stopping ---- */

void weir_mover_ask_to_stop(struct weir_mover *mover)
{
    if (mover->is_collective)
        mover->wants_over = true;
    else
        mover->until = 0;
}

/* Where errors do not stop the test, the rank goes on with its next transfer. */
void weir_mover_fail(struct weir_mover *mover, int code, uint64_t offset, const char *what)
{
    char place[64];

    snprintf(place, sizeof place, "%s at offset %llu of", what, (unsigned long long)offset);
    weir_tally_fail(mover->tally, code, offset);
    weir_run_fail(mover->run, code, place, mover->path);
    if (!mover->run->test->goes_on_after_errors)
        weir_mover_ask_to_stop(mover);
}

/* Nobody waits for this rank in the middle of a queue: it may stop alone. */
void weir_mover_fail_session(struct weir_mover *mover, int code, const char *what)
{
    mover->run->queue.is_broken = true;
    weir_tally_fail(mover->tally, code, 0);
    weir_run_fail(mover->run, code, what, mover->path);
    mover->until = 0;
}

/* ---- what does not happen at every transfer ---- */

/* The histogram has counted the transfers, and all of them are of one size. Of those that failed a
 * part may have been moved. */
static void count_transfers(struct weir_mover *mover)
{
    struct weir_tally *tally = mover->tally;

    tally->op_count = tally->latency.total;
    tally->byte_count =
        tally->op_count * mover->phase->layout.transfer_bytes + tally->partial_bytes;
}

static void note_stonewall(struct weir_mover *mover, uint64_t now_ns)
{
    struct weir_tally *tally = mover->tally;

    count_transfers(mover);
    tally->stonewall_ops = tally->op_count;
    tally->stonewall_bytes = tally->byte_count;
    tally->stonewall_ns = now_ns - mover->started_ns;
}

static void set_alert(struct weir_mover *mover)
{
    mover->alert_ns =
        mover->deadline_ns < mover->progress_ns ? mover->deadline_ns : mover->progress_ns;
    if (mover->listen_ns < mover->alert_ns)
        mover->alert_ns = mover->listen_ns;
}

static uint64_t latest_offset(const struct weir_mover *mover)
{
    return mover->walk.index == 0 ? UINT64_MAX
                                  : weir_share_offset(mover->share, mover->walk.index - 1);
}

bool weir_mover_listens(struct weir_mover *mover, uint64_t now_ns)
{
    if (now_ns < mover->listen_ns)
        return false;
    mover->listen_ns = now_ns + WEIR_GROUP_TICK_NS;
    /* What is in flight is what it moves; where nothing is, it pauses as it was told to. */
    if (mover->tally->latency.total != mover->heard_ops ||
        weir_queue_outstanding(&mover->run->queue) == 0)
        weir_watchdog_beat(mover->run, latest_offset(mover));
    mover->heard_ops = mover->tally->latency.total;
    /* Collective phases stop together by themselves. */
    if (!mover->is_collective && weir_group_hears_alarm(mover->run->group)) {
        mover->has_heard_alarm = true;
        mover->until = 0;
    }
    weir_queue_touch(&mover->run->queue);
    return mover->has_heard_alarm;
}

static void tell_progress(struct weir_mover *mover, uint64_t now_ns)
{
    const struct weir_observer *observer = mover->run->params->observer;
    struct weir_progress progress = {
        .phase = mover->phase,
        .repetition = (unsigned)mover->run->repetition,
        .trial_depth = mover->run->trial_depth,
        .ops_done = mover->walk.index,
        .ops_total = mover->limit,
        .bytes_done = mover->tally->latency.total * mover->phase->layout.transfer_bytes,
        .seconds = (double)(now_ns - mover->started_ns) * 1e-9,
    };

    observer->progress(observer->context, &progress);
    mover->progress_ns = now_ns + observer->progress_interval_ns;
    weir_queue_touch(&mover->run->queue);
}

void weir_mover_attend(struct weir_mover *mover, uint64_t now_ns)
{
    if (now_ns >= mover->deadline_ns) {
        mover->tally->hit_deadline = true;
        note_stonewall(mover, now_ns);
        mover->deadline_ns = UINT64_MAX;
        weir_mover_ask_to_stop(mover);
    }
    if (now_ns >= mover->progress_ns)
        tell_progress(mover, now_ns);
    weir_mover_listens(mover, now_ns);
    set_alert(mover);
}

void weir_mover_heed_signal(struct weir_mover *mover)
{
    if (!mover->has_seen_signal)
        weir_run_call_off(mover->run);
    mover->has_seen_signal = true;
    weir_mover_ask_to_stop(mover);
}

void weir_mover_agree(struct weir_mover *mover)
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

static void note_furthest(struct weir_mover *mover)
{
    if (mover->walk.index > mover->furthest)
        mover->furthest = mover->walk.index;
}

/* Is there time left that the phase is to fill? */
static bool is_early(const struct weir_mover *mover)
{
    return mover->phase->stop.minimum_ns != 0 && mover->limit > 0 &&
           weir_run_now(mover->run) - mover->started_ns < mover->phase->stop.minimum_ns;
}

bool weir_mover_starts_again(struct weir_mover *mover)
{
    if (mover->is_collective || mover->is_wearing_out || mover->until == 0 || !is_early(mover))
        return false;
    note_furthest(mover);
    weir_walk_start(&mover->walk, mover->share, 0);
    return true;
}

void weir_mover_take_back(struct weir_mover *mover)
{
    assert(mover->walk.index > 0);
    mover->walk.index--;
}

/* ---- queues that block ---- */

static inline void record(struct weir_mover *mover, const struct weir_op *op)
{
    struct weir_tally *tally = mover->tally;

    weir_histogram_add(&tally->latency, op->done_ns - op->issued_ns);
    weir_series_add(&tally->series, op->done_ns, op->size);
    weir_mover_look_up(mover, op->done_ns);
}

/* Deals with a transfer that came back. Returns false if the rest of it has to be sent. */
static inline __attribute__((always_inline)) bool settle(struct weir_mover *mover,
                                                         struct weir_op *op)
{
    if (__builtin_expect(op->result != (int64_t)op->size, 0))
        return weir_mover_settle_oddly(mover, op);
    if (__builtin_expect(mover->has_aftermath, 0))
        return weir_mover_follow_up(mover, op);
    record(mover, op);
    return true;
}

/* One slot, round and round. */
static inline void pass_blocking(struct weir_mover *mover, bool is_collective)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *op = weir_queue_take(queue);

    weir_mover_aim(mover, op);
    while (weir_mover_goes_on(mover, is_collective)) {
        weir_mover_launch(mover, op);
        do
            weir_queue_transfer(queue, op);
        while (!settle(mover, op));
    }
    weir_queue_give(queue, op);
}

/* Until the transfer is due; its stamp of issue is not before that. Returns false if it is not to
 * be made any more. */
static bool wait_for_turn(struct weir_mover *mover, struct weir_op *op)
{
    struct weir_queue *queue = &mover->run->queue;

    op->due_ns = weir_mover_next_due(mover);
    while (weir_queue_now(queue) < op->due_ns) {
        uint64_t until_ns = op->due_ns < mover->alert_ns ? op->due_ns : mover->alert_ns;

        weir_pace_wait(queue->clock, until_ns, mover->stop_signal);
        weir_mover_look_up(mover, weir_queue_now(queue));
        if (mover->walk.index > mover->until)
            return false;
        /* All ranks make what they have agreed to make; after a signal without delay. */
        if (mover->has_seen_signal)
            op->due_ns = queue->last_ns;
    }
    weir_mover_note_lag(mover, op->due_ns, queue->last_ns);
    return true;
}

/* The same when each transfer is due at a time of its own. */
static void pass_blocking_paced(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;
    struct weir_op *op = weir_queue_take(queue);

    weir_mover_aim(mover, op);
    while (weir_mover_goes_on(mover, mover->is_collective)) {
        weir_mover_launch(mover, op);
        if (!wait_for_turn(mover, op)) {
            weir_mover_take_back(mover);
            break;
        }
        weir_pacer_advance(&mover->pacer);
        do
            weir_queue_transfer(queue, op);
        while (!settle(mover, op));
    }
    weir_queue_give(queue, op);
}

/* ---- passes ---- */

/* Until the limit is reached or something asks to stop. */
static int pass(struct weir_mover *mover)
{
    const struct weir_queue *queue = &mover->run->queue;

    /* Two copies of the blocking loop: the one that most runs need has no question in it. */
    if (!queue->is_blocking)
        weir_move_queued(mover);
    else if (mover->is_open_loop)
        pass_blocking_paced(mover);
    else if (mover->is_collective)
        pass_blocking(mover, true);
    else
        pass_blocking(mover, false);
    note_furthest(mover);
    return mover->code;
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
    bool is_sound = mover->tally->error_count == 0 && !is_spoilt && !mover->has_heard_alarm;
    uint64_t furthest;
    int code = weir_stop_furthest(mover->run->group, mover->tally->hit_deadline, mover->furthest,
                                  &furthest);

    if (code != 0 || furthest <= mover->furthest || !is_sound)
        return code;
    /* A signal that came after the last transfer, in a pause maybe, cuts what is left to do. */
    if (weir_run_must_stop(mover->run)) {
        weir_mover_heed_signal(mover);
        return 0;
    }
    if (furthest < mover->limit)
        mover->limit = furthest;
    mover->until = mover->limit;
    mover->is_wearing_out = true;
    if (mover->is_open_loop)
        weir_pacer_resume(&mover->pacer, weir_run_now(mover->run));
    weir_queue_now(&mover->run->queue);
    return pass(mover);
}

/* ---- the beginning ---- */

/* A sync that needs all ranks makes the phase collective, whatever its transfers are. */
static bool syncs_together(const struct weir_mover *mover)
{
    return mover->phase->must_sync_each && mover->phase->target->is_shared &&
           (weir_test_abilities(mover->run->test) & WEIR_SYNCS_TOGETHER) != 0;
}

static void set_alerts(struct weir_mover *mover)
{
    const struct weir_observer *observer = mover->run->params->observer;
    uint64_t deadline_ns = mover->phase->stop.deadline_ns;

    mover->deadline_ns = deadline_ns == 0 ? UINT64_MAX : mover->started_ns + deadline_ns;
    mover->progress_ns = weir_run_tells_progress(mover->run)
                             ? mover->started_ns + observer->progress_interval_ns
                             : UINT64_MAX;
    mover->listen_ns = mover->run->has_alarm ? mover->started_ns + WEIR_GROUP_TICK_NS : UINT64_MAX;
    set_alert(mover);
}

/* A slot of a mixed phase reads into one half of its windows and writes from the other. */
static void share_windows(struct weir_mover *mover)
{
    unsigned windows = mover->buffers->windows;

    mover->turn_mask = windows - 1;
    mover->read_window = 0;
    if (!mover->is_mixed)
        return;
    mover->turn_mask = windows > 1 ? windows / 2 - 1 : 0;
    mover->read_window = windows / 2;
    weir_mix_init(&mover->mix, mover->phase->read_percent,
                  weir_random_at(mover->mix_seed, (uint64_t)mover->run->group->rank));
}

static void set_verbs(struct weir_mover *mover)
{
    const struct weir_phase *phase = mover->phase;

    mover->is_mixed = phase->verb == WEIR_MIXED;
    mover->is_open_loop = phase->rate.arrivals != WEIR_ARRIVALS_CLOSED;
    mover->must_stamp = phase->verb == WEIR_WRITE && mover->source->is_one_stamp;
    mover->must_prepare = mover->is_mixed || phase->must_verify ||
                          (phase->verb == WEIR_WRITE && weir_source_varies(mover->source));
    share_windows(mover);
    mover->has_aftermath = weir_mover_has_aftermath(mover);
}

static unsigned between(unsigned least, unsigned value, unsigned greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

/* What is in flight in a session that broke may come back into any slot: none is used again. */
static void set_depth(struct weir_mover *mover)
{
    struct weir_queue *queue = &mover->run->queue;

    if (queue->is_broken) {
        weir_mover_fail_session(mover, -EPIPE, "the session broke before any transfer of");
        return;
    }
    mover->depth = between(1, mover->depth, queue->depth);
    mover->batch = between(1, mover->batch, mover->depth);
    weir_queue_limit(queue, mover->depth);
}

static void set_pace(struct weir_mover *mover)
{
    const struct weir_group *group = mover->run->group;

    if (!mover->is_open_loop)
        return;
    weir_pacer_open(&mover->pacer,
                    &(struct weir_pacer_params){
                        .rate = &mover->phase->rate,
                        .rank = (uint64_t)group->rank,
                        .ranks = (uint64_t)group->size,
                        .transfer_bytes = mover->phase->layout.transfer_bytes,
                        .start_ns = mover->started_ns,
                        .seed = mover->mix_seed,
                        .limit = mover->phase->stop.minimum_ns == 0 ? mover->limit : UINT64_MAX,
                    });
}

static void begin(struct weir_mover *mover)
{
    mover->tally = mover->run->tally;
    mover->buffers = &mover->run->buffers;
    mover->stop_signal = mover->run->params->stop_signal;
    mover->until = mover->limit;
    mover->is_collective = mover->phase->is_collective || syncs_together(mover);
    if (mover->first_index >= mover->limit)
        mover->first_index = 0;
    set_verbs(mover);
    set_depth(mover);
    mover->started_ns = weir_queue_now(&mover->run->queue);
    set_alerts(mover);
    set_pace(mover);
    weir_walk_start(&mover->walk, mover->share, mover->first_index);
}

int weir_move(struct weir_mover *mover)
{
    bool has_more;
    int code;

    begin(mover);
    code = pass(mover);
    while (code == 0 && must_go_again(mover)) {
        weir_walk_start(&mover->walk, mover->share, 0);
        code = pass(mover);
    }
    if (mover->phase->stop.deadline_ns != 0 && !mover->tally->hit_deadline)
        note_stonewall(mover, weir_run_now(mover->run));
    if (code == 0 && mover->phase->stop.has_wear_out)
        code = wear_out(mover);
    if (mover->is_open_loop)
        weir_pacer_close(&mover->pacer);
    count_transfers(mover);
    has_more = mover->walk.index < mover->limit || is_early(mover);
    mover->run->is_cut = mover->has_seen_signal && has_more;
    mover->run->is_called_off = mover->has_heard_alarm && has_more;
    return code;
}
