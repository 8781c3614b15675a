/* SPDX-License-Identifier: Apache-2.0 */
/* Take, fill, send, reap, record, give: the passes over a layout, what ends them or interrupts them
 * for a moment, and the loops of queues that block. Nothing is allocated, opened or logged here. */
#include "loop_step.h"
#include "stop.h"
#include "watchdog.h"

#include "weir/system/processor.h"

#include <errno.h>
#include <stdio.h>

/* Collective phases agree on going on about so often, that a signal or a failure is heard soon and
 * agreements take next to no time; with a deadline, before each transfer. */
#define AGREEMENT_NS UINT64_C(10000000)
/* A rank looks so often for the stonewall of the first one that is done. */
#define WALL_TICK_NS UINT64_C(1000000)

/* ---- what ends a loop or interrupts it: failures ---- */

void weir_loop_request_stop(struct weir_loop *loop)
{
    if (loop->is_collective)
        loop->wants_over = true;
    else
        loop->until = 0;
}

/* If errors do not stop the test, the rank goes on with its next transfer. */
void weir_loop_fail(struct weir_loop *loop, enum weir_op_verb verb, int code, uint64_t offset,
                    const char *what)
{
    char place[64];

    snprintf(place, sizeof place, "%s at offset %llu of", what, (unsigned long long)offset);
    weir_tally_fail(loop->tally, verb, code, offset);
    weir_run_fail(loop->run, code, place, loop->path);
    if (!loop->run->test->goes_on_after_errors)
        weir_loop_request_stop(loop);
}

/* Transfers in a queue are not collective, so this rank may stop alone. */
void weir_loop_fail_session(struct weir_loop *loop, int code, const char *what)
{
    loop->run->queue.is_broken = true;
    weir_tally_fail(loop->tally, loop->verb, code, 0);
    weir_run_fail(loop->run, code, what, loop->path);
    loop->until = 0;
}

/* ---- deadlines, alarms, signals ---- */

void weir_loop_record_stonewall(struct weir_loop *loop, uint64_t now_ns)
{
    struct weir_processor_time cpu = weir_processor_time();
    struct weir_tally *tally = loop->tally;

    tally->stonewall_ops = weir_tally_ops(tally);
    tally->stonewall_bytes = weir_tally_bytes(tally);
    tally->stonewall_ns = now_ns - loop->started_ns;
    tally->stonewall_paused_ns = tally->paused_ns;
    tally->stonewall_cpu_ns = cpu.user_ns + cpu.system_ns;
}

static void set_next_timer(struct weir_loop *loop)
{
    loop->timer_ns = loop->deadline_ns < loop->listen_ns ? loop->deadline_ns : loop->listen_ns;
    if (loop->wall_ns < loop->timer_ns)
        loop->timer_ns = loop->wall_ns;
    loop->look_ns = loop->timer_ns < loop->series_end_ns ? loop->timer_ns : loop->series_end_ns;
}

/* What was done since series_ns was done in one interval. */
static void count_interval(struct weir_loop *loop)
{
    struct weir_tally *tally = loop->tally;
    uint64_t ops = weir_tally_ops(tally);
    uint64_t bytes = weir_tally_bytes(tally) - tally->partial_bytes;

    if (ops > loop->series_ops)
        weir_series_add_many(&tally->series, loop->series_ns, ops - loop->series_ops,
                             bytes - loop->series_bytes);
    loop->series_ops = ops;
    loop->series_bytes = bytes;
}

void weir_loop_end_interval(struct weir_loop *loop, uint64_t now_ns)
{
    if (now_ns < loop->series_end_ns)
        return;
    count_interval(loop);
    loop->series_ns = now_ns;
    loop->series_end_ns = weir_series_interval_end(&loop->tally->series, now_ns);
    set_next_timer(loop);
}

void weir_loop_record_late(struct weir_loop *loop, const struct weir_op *op)
{
    weir_loop_end_interval(loop, op->done_ns);
    weir_loop_count(loop->counted, op->done_ns - op->issued_ns, 1, op->size);
    if (op->done_ns >= loop->timer_ns)
        weir_loop_check_timers(loop, op->done_ns);
}

bool weir_loop_check_alarm(struct weir_loop *loop, uint64_t now_ns)
{
    uint64_t ops = weir_tally_ops(loop->tally);
    bool is_called_off;

    if (now_ns < loop->listen_ns)
        return false;
    loop->listen_ns = now_ns + WEIR_GROUP_TICK_NS;
    /* What is in flight is what it moves; where nothing is, it pauses as it was told to. */
    if (ops != loop->heard_ops || weir_queue_outstanding(&loop->run->queue) == 0)
        weir_watchdog_beat(loop->run, weir_op_source_latest_offset(&loop->ops));
    loop->heard_ops = ops;
    weir_watchdog_count(loop->run, weir_op_source_index(&loop->ops), loop->limit);
    is_called_off = loop->run->has_alarm && weir_run_hears_call_off(loop->run);
    /* Collective phases stop together by themselves; and what is ours is removed, whatever fails.
     */
    if (is_called_off && !loop->is_collective && !weir_run_must_do(loop->run, loop->phase)) {
        loop->has_heard_alarm = true;
        loop->until = 0;
    }
    weir_queue_touch(&loop->run->queue);
    return loop->has_heard_alarm;
}

/* The sync of a rank that goes on is in the time that is noted. With transfers in flight there is
 * none: it would wait for these, too. */
static uint64_t sync_at_wall(struct weir_loop *loop)
{
    struct weir_run *run = loop->run;
    int code = 0;

    if (loop->phase->transfers.must_sync_at_end && loop->verb == WEIR_OP_WRITE &&
        run->queue.is_blocking)
        code = run->backend->file->sync(run->session, loop->file);
    if (code != 0)
        weir_loop_fail(loop, WEIR_OP_SYNC, code, weir_op_source_latest_offset(&loop->ops), "sync");
    return weir_queue_now(&run->queue);
}

/* All of a rank counts that has no more to begin. */
static void check_wall(struct weir_loop *loop, uint64_t now_ns)
{
    const struct weir_stop *stop = &loop->phase->stop;
    bool has_more = weir_op_source_index(&loop->ops) < loop->until;

    if (now_ns < loop->wall_ns)
        return;
    loop->wall_ns = now_ns + WALL_TICK_NS;
    if (!weir_group_hears_alarm(loop->run->group, WEIR_ALARM_WALL))
        return;
    loop->wall_ns = UINT64_MAX;
    if (!has_more)
        return;
    loop->tally->hit_deadline = true;
    if (!stop->has_wear_out)
        weir_loop_request_stop(loop);
    weir_loop_record_stonewall(loop, stop->has_wear_out ? sync_at_wall(loop) : now_ns);
}

void weir_loop_check_timers(struct weir_loop *loop, uint64_t now_ns)
{
    if (now_ns >= loop->deadline_ns) {
        loop->tally->hit_deadline = true;
        weir_loop_record_stonewall(loop, now_ns);
        loop->deadline_ns = UINT64_MAX;
        weir_loop_request_stop(loop);
    }
    weir_loop_check_alarm(loop, now_ns);
    check_wall(loop, now_ns);
    set_next_timer(loop);
}

void weir_loop_on_signal(struct weir_loop *loop)
{
    if (!loop->has_seen_signal)
        weir_run_call_off(loop->run);
    loop->has_seen_signal = true;
    weir_loop_request_stop(loop);
}

/* From the longest time between the latest two agreements, which all ranks know. */
static uint64_t next_stride(uint64_t stride, uint64_t interval_ns)
{
    if (interval_ns < AGREEMENT_NS / 2)
        return stride * 2;
    return interval_ns > AGREEMENT_NS * 2 && stride > 1 ? stride / 2 : stride;
}

void weir_loop_agree(struct weir_loop *loop)
{
    uint64_t index = weir_op_source_index(&loop->ops);
    uint64_t now_ns, seen[2];

    if (index >= loop->until || (loop->phase->stop.deadline_ns == 0 && index < loop->agree_index))
        return;
    now_ns = weir_queue_now(&loop->run->queue);
    seen[0] = loop->wants_over;
    seen[1] = now_ns - loop->agreed_ns;
    loop->code = weir_group_reduce(loop->run->group, seen, 2, WEIR_MAX);
    if (seen[0] != 0 || loop->code != 0)
        loop->until = 0;
    loop->agreed_ns = now_ns;
    loop->agree_stride = next_stride(loop->agree_stride, seen[1]);
    loop->agree_index = index + loop->agree_stride;
    weir_queue_touch(&loop->run->queue);
}

void weir_loop_set_timers(struct weir_loop *loop)
{
    uint64_t deadline_ns = loop->phase->stop.deadline_ns;

    loop->deadline_ns = deadline_ns == 0 ? UINT64_MAX : loop->started_ns + deadline_ns;
    loop->series_ns = loop->started_ns;
    loop->series_end_ns = weir_series_interval_end(&loop->tally->series, loop->started_ns);
    /* A removal hears no alarm, and beats for the watchdog all the same. */
    loop->listen_ns = loop->run->has_alarm || loop->run->watchdog != NULL
                          ? loop->started_ns + WEIR_GROUP_TICK_NS
                          : UINT64_MAX;
    loop->wall_ns = loop->run->has_wall ? loop->started_ns : UINT64_MAX;
    set_next_timer(loop);
}

/* ---- passes over the layout ---- */

static void record_furthest(struct weir_loop *loop)
{
    if (weir_op_source_index(&loop->ops) > loop->furthest)
        loop->furthest = weir_op_source_index(&loop->ops);
}

/* Is there time left that the phase is to fill? */
static bool is_early(const struct weir_loop *loop)
{
    return loop->phase->stop.minimum_ns != 0 && loop->limit > 0 &&
           weir_run_now(loop->run) - loop->started_ns < loop->phase->stop.minimum_ns;
}

bool weir_loop_restart_layout(struct weir_loop *loop)
{
    if (loop->is_collective || loop->is_wearing_out || loop->until == 0 || !is_early(loop))
        return false;
    record_furthest(loop);
    weir_op_source_start(&loop->ops, loop->share, 0);
    return true;
}

/* ---- queues that block ---- */

static inline void record(struct weir_loop *loop, const struct weir_op *op)
{
    if (__builtin_expect(op->done_ns >= loop->look_ns, 0))
        weir_loop_record_late(loop, op);
    else
        weir_loop_count(loop->counted, op->done_ns - op->issued_ns, 1, op->size);
    if (__builtin_expect(*loop->stop_signal != 0, 0))
        weir_loop_on_signal(loop);
}

/* Deals with a transfer that came back. Returns false if the rest of it has to be sent. */
static inline __attribute__((always_inline)) bool complete(struct weir_loop *loop,
                                                           struct weir_op *op)
{
    if (__builtin_expect(op->result != (int64_t)op->size, 0))
        return weir_loop_complete_unusual(loop, op);
    if (__builtin_expect(loop->has_post_op, 0))
        return weir_loop_post_op(loop, op);
    record(loop, op);
    return true;
}

/* One slot, round and round. */
static inline __attribute__((always_inline)) void run_blocking(struct weir_loop *loop,
                                                               bool is_collective, bool must_stamp)
{
    struct weir_queue *queue = &loop->run->queue;
    struct weir_op *op = weir_queue_take(queue);

    weir_loop_init_op(loop, op);
    while (weir_loop_has_next(loop, is_collective)) {
        weir_loop_prepare(loop, op, must_stamp);
        do
            weir_queue_transfer(queue, op);
        while (!complete(loop, op));
    }
    weir_queue_give(queue, op);
}

/* Until the transfer is due; its stamp of issue is not before that. Returns false if it is not to
 * be made any more. */
static bool wait_for_turn(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_queue *queue = &loop->run->queue;

    op->due_ns = weir_loop_next_due(loop);
    while (weir_queue_now(queue) < op->due_ns) {
        uint64_t until_ns = op->due_ns < loop->timer_ns ? op->due_ns : loop->timer_ns;

        weir_pace_wait(queue->clock, until_ns, loop->stop_signal);
        weir_loop_poll(loop, weir_queue_now(queue));
        /* The source is one ahead: this operation has been taken from it. */
        if (weir_op_source_index(&loop->ops) > loop->until)
            return false;
        /* All ranks make what they have agreed to make; after a signal without delay. */
        if (loop->has_seen_signal)
            op->due_ns = queue->last_ns;
    }
    weir_loop_record_lag(loop, op->due_ns, queue->last_ns);
    return true;
}

/* The same when each transfer is due at a time of its own. */
static void run_blocking_paced(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;
    struct weir_op *op = weir_queue_take(queue);

    weir_loop_init_op(loop, op);
    while (weir_loop_has_next(loop, loop->is_collective)) {
        weir_loop_prepare(loop, op, loop->must_stamp);
        if (!wait_for_turn(loop, op)) {
            weir_op_source_unget(&loop->ops);
            break;
        }
        weir_pacer_advance(&loop->pacer);
        if (loop->items != NULL) {
            weir_loop_perform_item(loop, op);
            continue;
        }
        do
            weir_queue_transfer(queue, op);
        while (!complete(loop, op));
    }
    weir_queue_give(queue, op);
}

/* ---- passes ---- */

/* Copies of the blocking loop, in which those that most runs need have no question. */
static __attribute__((noinline)) void run_blocking_stamped(struct weir_loop *loop)
{
    run_blocking(loop, false, true);
}

static __attribute__((noinline)) void run_blocking_plain(struct weir_loop *loop)
{
    run_blocking(loop, false, false);
}

static __attribute__((noinline)) void run_blocking_together(struct weir_loop *loop)
{
    run_blocking(loop, true, loop->must_stamp);
}

/* Until the limit is reached or something asks to stop. */
static int pass(struct weir_loop *loop)
{
    const struct weir_queue *queue = &loop->run->queue;

    if (queue->is_broken)
        return loop->code;
    loop->agree_index = weir_op_source_index(&loop->ops);
    loop->agree_stride = 1;
    loop->agreed_ns = loop->started_ns;
    if (loop->items != NULL ? loop->items->is_queued : !queue->is_blocking)
        weir_loop_run_queued(loop);
    else if (loop->is_open_loop)
        run_blocking_paced(loop);
    else if (loop->items != NULL)
        weir_loop_run_items(loop);
    else if (loop->is_collective)
        run_blocking_together(loop);
    else if (loop->must_stamp)
        run_blocking_stamped(loop);
    else
        run_blocking_plain(loop);
    record_furthest(loop);
    return loop->code;
}

static bool needs_restart(struct weir_loop *loop)
{
    bool must = is_early(loop) && loop->until > 0;

    if (loop->phase->stop.minimum_ns == 0)
        return false;
    return loop->is_collective ? weir_group_any(loop->run->group, must) : must;
}

static int wear_out(struct weir_loop *loop)
{
    bool is_spoilt =
        loop->phase->transfers.ends_at_mismatch && loop->tally->mismatches.wrong_transfers > 0;
    bool is_sound = loop->tally->first_error == 0 && !is_spoilt && !loop->has_heard_alarm;
    uint64_t furthest;
    int code =
        weir_stop_furthest(loop->run->group, loop->tally->hit_deadline, loop->furthest, &furthest);

    if (loop->items != NULL)
        furthest = weir_items_even(loop->items, furthest);
    if (code != 0 || furthest <= loop->furthest || !is_sound)
        return code;
    /* A signal that came after the last transfer, in a pause maybe, cuts what is left to do. */
    if (weir_run_must_stop(loop->run)) {
        weir_loop_on_signal(loop);
        return 0;
    }
    if (furthest < loop->limit)
        loop->limit = furthest;
    loop->until = loop->limit;
    loop->is_wearing_out = true;
    if (loop->is_open_loop)
        weir_pacer_resume(&loop->pacer, weir_run_now(loop->run));
    weir_queue_now(&loop->run->queue);
    return pass(loop);
}

/* ---- the beginning ---- */

/* A sync that needs all ranks makes the phase collective, whatever its transfers are. */
static bool syncs_together(const struct weir_loop *loop)
{
    return loop->phase->transfers.must_sync_each && loop->phase->target->is_shared &&
           (weir_test_abilities(loop->run->test) & WEIR_SYNCS_TOGETHER) != 0;
}

/* A slot of a mixed phase reads into one half of its buffers and writes from the other. */
static void share_windows(struct weir_loop *loop)
{
    unsigned per_slot = loop->buffers->per_slot;

    loop->turn_mask = per_slot - 1;
    loop->read_buffer = 0;
    if (!loop->ops.varies)
        return;
    loop->turn_mask = per_slot > 1 ? per_slot / 2 - 1 : 0;
    loop->read_buffer = per_slot / 2;
    weir_mix_init(&loop->ops.mix, loop->phase->transfers.read_percent,
                  weir_random_at(loop->mix_seed, (uint64_t)loop->run->group->rank));
}

static void set_verbs(struct weir_loop *loop)
{
    const struct weir_phase *phase = loop->phase;
    bool writes = weir_verb_writes(phase->verb), reads = weir_verb_reads(phase->verb);

    if (phase->transfers.mixes_by_rank) {
        reads = weir_transfers_rank_reads(&phase->transfers, (uint64_t)loop->run->group->rank,
                                          (uint64_t)loop->run->group->size);
        writes = !reads;
    }
    if (loop->items != NULL) {
        loop->verb = loop->items->verbs[0].counted;
        loop->is_open_loop = phase->rate.arrivals != WEIR_ARRIVALS_CLOSED;
        loop->must_prepare = loop->has_post_op = true;
        loop->turn_mask = loop->buffers->per_slot - 1;
        return;
    }
    loop->verb = writes ? WEIR_OP_WRITE : WEIR_OP_READ;
    loop->counted = &loop->tally->verbs[loop->verb];
    loop->ops.varies = writes && reads;
    loop->is_open_loop = phase->rate.arrivals != WEIR_ARRIVALS_CLOSED;
    loop->must_stamp = !reads && loop->source->is_one_stamp && loop->share->listed == NULL &&
                       loop->share->transfers_per_op == 1;
    loop->must_prepare = loop->ops.varies || loop->share->listed != NULL ||
                         phase->transfers.must_verify ||
                         (!reads && weir_source_varies(loop->source));
    share_windows(loop);
    loop->has_post_op = weir_loop_needs_post_op(loop);
}

static unsigned between(unsigned least, unsigned value, unsigned greatest)
{
    return value < least ? least : value > greatest ? greatest : value;
}

/* What is in flight in a session that broke may come back into any slot: none is used again. */
static void set_depth(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;

    if (queue->is_broken) {
        weir_loop_fail_session(loop, -EPIPE, "the session broke before any transfer of");
        return;
    }
    loop->depth = between(1, loop->depth, queue->depth);
    loop->batch = between(1, loop->batch, loop->depth);
    weir_queue_limit(queue, loop->depth);
}

/* After a signal, names are removed as fast as they can be: the launcher soon kills. */
static void set_pace(struct weir_loop *loop)
{
    static const struct weir_rate unlimited = {.per_s = 1e12, .is_per_rank = true};
    const struct weir_group *group = loop->run->group;
    const struct weir_run *run = loop->run;
    bool is_hurried =
        (run->is_ending || weir_run_must_stop(run)) && weir_run_must_do(run, loop->phase);

    if (!loop->is_open_loop)
        return;
    weir_pacer_open(&loop->pacer,
                    &(struct weir_pacer_params){
                        .rate = is_hurried ? &unlimited : &loop->phase->rate,
                        .rank = (uint64_t)group->rank,
                        .ranks = (uint64_t)group->size,
                        .transfer_bytes = weir_phase_op_bytes(loop->phase),
                        .start_ns = loop->started_ns,
                        .seed = loop->mix_seed,
                        .limit = loop->phase->stop.minimum_ns == 0 ? loop->limit : UINT64_MAX,
                    });
}

/* A signal ends the measurement: what was made for it is removed all the same. */
static const volatile sig_atomic_t no_signal;

static void begin(struct weir_loop *loop)
{
    loop->tally = loop->run->tally;
    loop->buffers = &loop->run->buffers;
    loop->stop_signal =
        weir_run_must_do(loop->run, loop->phase) ? &no_signal : loop->run->params->stop_signal;
    loop->until = loop->limit;
    loop->is_collective = loop->phase->transfers.is_collective || syncs_together(loop);
    if (loop->first_index >= loop->limit)
        loop->first_index = 0;
    set_verbs(loop);
    set_depth(loop);
    loop->started_ns = weir_queue_now(&loop->run->queue);
    weir_loop_set_timers(loop);
    set_pace(loop);
    weir_op_source_start(&loop->ops, loop->share, loop->first_index);
    weir_watchdog_count(loop->run, loop->first_index, loop->limit);
}

int weir_loop_run(struct weir_loop *loop)
{
    bool has_more;
    int code;

    begin(loop);
    check_wall(loop, loop->started_ns);
    code = pass(loop);
    while (code == 0 && needs_restart(loop)) {
        weir_op_source_start(&loop->ops, loop->share, 0);
        code = pass(loop);
    }
    if (loop->run->has_wall && loop->until > 0 && loop->tally->first_error == 0)
        weir_group_raise_alarm(loop->run->group, WEIR_ALARM_WALL);
    if ((loop->phase->stop.deadline_ns != 0 || loop->run->has_wall) && !loop->tally->hit_deadline)
        weir_loop_record_stonewall(loop, weir_run_now(loop->run));
    if (code == 0 && loop->phase->stop.has_wear_out && loop->phase->stop.deadline_ns != 0)
        code = wear_out(loop);
    if (loop->is_open_loop)
        weir_pacer_close(&loop->pacer);
    count_interval(loop);
    has_more = weir_op_source_index(&loop->ops) < loop->limit || is_early(loop);
    weir_watchdog_count(loop->run, weir_op_source_index(&loop->ops), loop->limit);
    loop->run->is_cut = loop->has_seen_signal && has_more;
    loop->run->is_called_off = loop->has_heard_alarm && has_more;
    return code;
}
