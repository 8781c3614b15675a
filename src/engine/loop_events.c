/* SPDX-License-Identifier: Apache-2.0 */
#include "loop_events.h"

#include "watchdog.h"

#include <stdio.h>

/* Collective phases agree on going on every so many transfers; with a deadline, at each. */
#define COLLECTIVE_STRIDE 16

/* ---- stopping ---- */

void weir_loop_request_stop(struct weir_loop *loop)
{
    if (loop->is_collective)
        loop->wants_over = true;
    else
        loop->until = 0;
}

/* Where errors do not stop the test, the rank goes on with its next transfer. */
void weir_loop_fail(struct weir_loop *loop, int code, uint64_t offset, const char *what)
{
    char place[64];

    snprintf(place, sizeof place, "%s at offset %llu of", what, (unsigned long long)offset);
    weir_tally_fail(loop->tally, code, offset);
    weir_run_fail(loop->run, code, place, loop->path);
    if (!loop->run->test->goes_on_after_errors)
        weir_loop_request_stop(loop);
}

/* Nobody waits for this rank in the middle of a queue: it may stop alone. */
void weir_loop_fail_session(struct weir_loop *loop, int code, const char *what)
{
    loop->run->queue.is_broken = true;
    weir_tally_fail(loop->tally, code, 0);
    weir_run_fail(loop->run, code, what, loop->path);
    loop->until = 0;
}

/* ---- deadlines, alarms, signals ---- */

void weir_loop_count(struct weir_loop *loop)
{
    struct weir_tally *tally = loop->tally;

    tally->op_count = tally->latency.total;
    tally->byte_count =
        tally->op_count * loop->phase->transfers.layout.transfer_bytes + tally->partial_bytes;
}

void weir_loop_record_stonewall(struct weir_loop *loop, uint64_t now_ns)
{
    struct weir_tally *tally = loop->tally;

    weir_loop_count(loop);
    tally->stonewall_ops = tally->op_count;
    tally->stonewall_bytes = tally->byte_count;
    tally->stonewall_ns = now_ns - loop->started_ns;
}

static void set_next_timer(struct weir_loop *loop)
{
    loop->timer_ns = loop->deadline_ns < loop->progress_ns ? loop->deadline_ns : loop->progress_ns;
    if (loop->listen_ns < loop->timer_ns)
        loop->timer_ns = loop->listen_ns;
}

static uint64_t latest_offset(const struct weir_loop *loop)
{
    return loop->walk.index == 0 ? UINT64_MAX
                                 : weir_share_offset(loop->share, loop->walk.index - 1);
}

bool weir_loop_check_alarm(struct weir_loop *loop, uint64_t now_ns)
{
    if (now_ns < loop->listen_ns)
        return false;
    loop->listen_ns = now_ns + WEIR_GROUP_TICK_NS;
    /* What is in flight is what it moves; where nothing is, it pauses as it was told to. */
    if (loop->tally->latency.total != loop->heard_ops ||
        weir_queue_outstanding(&loop->run->queue) == 0)
        weir_watchdog_beat(loop->run, latest_offset(loop));
    loop->heard_ops = loop->tally->latency.total;
    /* Collective phases stop together by themselves. */
    if (!loop->is_collective && weir_group_hears_alarm(loop->run->group)) {
        loop->has_heard_alarm = true;
        loop->until = 0;
    }
    weir_queue_touch(&loop->run->queue);
    return loop->has_heard_alarm;
}

static void report_progress(struct weir_loop *loop, uint64_t now_ns)
{
    const struct weir_observer *observer = loop->run->params->observer;
    struct weir_progress progress = {
        .phase = loop->phase,
        .repetition = (unsigned)loop->run->repetition,
        .trial_depth = loop->run->trial_depth,
        .ops_done = loop->walk.index,
        .ops_total = loop->limit,
        .bytes_done = loop->tally->latency.total * loop->phase->transfers.layout.transfer_bytes,
        .seconds = (double)(now_ns - loop->started_ns) * 1e-9,
    };

    observer->progress(observer->context, &progress);
    loop->progress_ns = now_ns + observer->progress_interval_ns;
    weir_queue_touch(&loop->run->queue);
}

void weir_loop_check_timers(struct weir_loop *loop, uint64_t now_ns)
{
    if (now_ns >= loop->deadline_ns) {
        loop->tally->hit_deadline = true;
        weir_loop_record_stonewall(loop, now_ns);
        loop->deadline_ns = UINT64_MAX;
        weir_loop_request_stop(loop);
    }
    if (now_ns >= loop->progress_ns)
        report_progress(loop, now_ns);
    weir_loop_check_alarm(loop, now_ns);
    set_next_timer(loop);
}

void weir_loop_on_signal(struct weir_loop *loop)
{
    if (!loop->has_seen_signal)
        weir_run_call_off(loop->run);
    loop->has_seen_signal = true;
    weir_loop_request_stop(loop);
}

void weir_loop_agree(struct weir_loop *loop)
{
    uint64_t wants_over = loop->wants_over;

    if (loop->walk.index >= loop->until ||
        (loop->phase->stop.deadline_ns == 0 && loop->walk.index % COLLECTIVE_STRIDE != 0))
        return;
    loop->code = weir_group_reduce(loop->run->group, &wants_over, 1, WEIR_MAX);
    if (wants_over != 0 || loop->code != 0)
        loop->until = 0;
    weir_queue_touch(&loop->run->queue);
}

void weir_loop_set_timers(struct weir_loop *loop)
{
    const struct weir_observer *observer = loop->run->params->observer;
    uint64_t deadline_ns = loop->phase->stop.deadline_ns;

    loop->deadline_ns = deadline_ns == 0 ? UINT64_MAX : loop->started_ns + deadline_ns;
    loop->progress_ns = weir_run_tells_progress(loop->run)
                            ? loop->started_ns + observer->progress_interval_ns
                            : UINT64_MAX;
    loop->listen_ns = loop->run->has_alarm ? loop->started_ns + WEIR_GROUP_TICK_NS : UINT64_MAX;
    set_next_timer(loop);
}
