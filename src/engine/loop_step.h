/* SPDX-License-Identifier: Apache-2.0 */
/* One transfer on its way through a loop: prepared, completed, recorded. Private to the files of
 * the loop: what happens to every transfer is here; what happens to few, or only if the phase asks
 * for it, in loop_step.c; what ends a loop or interrupts it for a moment, in loop.c. */
#ifndef WEIR_ENGINE_LOOP_STEP_H
#define WEIR_ENGINE_LOOP_STEP_H

#include "loop.h"

/* ---- what ends a loop or interrupts it ---- */

/* Kept out of the loop, so that the compiler spends its registers on what happens at every
 * transfer. */
#define WEIR_COLD __attribute__((noinline, cold))

/* A rank may leave a collective phase only together with the others. */
WEIR_COLD void weir_loop_request_stop(struct weir_loop *loop);

/* Counts a failure and asks to stop: of a transfer, or of the session, which nothing more is asked
 * of then. `what` begins a sentence that ends with the path. */
WEIR_COLD void weir_loop_fail(struct weir_loop *loop, enum weir_op_verb verb, int code,
                              uint64_t offset, const char *what);
WEIR_COLD void weir_loop_fail_session(struct weir_loop *loop, int code, const char *what);

/* Sets the timers of the phase that begins. */
void weir_loop_set_timers(struct weir_loop *loop);

/* Does what is due when the clock is past timer_ns, and sets the next one. */
WEIR_COLD void weir_loop_check_timers(struct weir_loop *loop, uint64_t now_ns);

/* Before a transfer that was done at `now_ns` is recorded, if that is past look_ns: ends the
 * interval of the series if it is over. */
WEIR_COLD void weir_loop_end_interval(struct weir_loop *loop, uint64_t now_ns);

/* Records a transfer that was done past look_ns, and does what is due then. */
WEIR_COLD void weir_loop_record_late(struct weir_loop *loop, const struct weir_op *op);

/* True if another rank has raised an alarm: then nothing more is prepared. Looks for one only now
 * and then. */
WEIR_COLD bool weir_loop_check_alarm(struct weir_loop *loop, uint64_t now_ns);

/* Whether the phase had more to do is known when the loop has ended. */
WEIR_COLD void weir_loop_on_signal(struct weir_loop *loop);

/* Before a collective transfer: do all ranks go on? */
__attribute__((noinline)) void weir_loop_agree(struct weir_loop *loop);

/* Records how far the rank was at its deadline. */
void weir_loop_record_stonewall(struct weir_loop *loop, uint64_t now_ns);

/* ---- seldom ---- */

/* True if the layout is to be started again; then it has been. */
WEIR_COLD bool weir_loop_restart_layout(struct weir_loop *loop);

/* Of a result that is not that of a whole transfer. False if something is to be sent now. */
WEIR_COLD bool weir_loop_complete_unusual(struct weir_loop *loop, struct weir_op *op);

/* Of operations that did nothing, true for those that are just to be sent again. */
bool weir_loop_is_retried(const struct weir_loop *loop, const struct weir_op *op);

/* Is something beyond recording asked for after each transfer? */
bool weir_loop_needs_post_op(const struct weir_loop *loop);

/* ---- every transfer of a phase that asks for more than moving data ---- */

/* Verb and buffer of a transfer. */
__attribute__((noinline)) void weir_loop_prepare_buffer(struct weir_loop *loop, struct weir_op *op);

/* When the transfer that was just prepared is due in an open loop, whose load begins when the first
 * one is ready. */
uint64_t weir_loop_next_due(struct weir_loop *loop);

/* Notes how many transfers of an open loop are late. */
void weir_loop_record_backlog(struct weir_loop *loop, uint64_t now_ns);

/* The same before one is handed over, unless it is as punctual as it can be. */
static inline void weir_loop_record_lag(struct weir_loop *loop, uint64_t due_ns, uint64_t now_ns)
{
    if (loop->is_open_loop && now_ns - due_ns > WEIR_PACE_SPIN_NS)
        weir_loop_record_backlog(loop, now_ns);
}

/* Of a transfer in whole, or the last part of one. False if something is to be sent now. */
__attribute__((noinline)) bool weir_loop_post_op(struct weir_loop *loop, struct weir_op *op);

/* ---- every transfer: each instruction here is paid for millions of times ---- */

/* What is the same for all transfers of a slot. */
static inline void weir_loop_init_op(const struct weir_loop *loop, struct weir_op *op)
{
    op->verb = loop->verb;
    op->is_collective = loop->phase->transfers.is_collective;
    op->may_wait = false;
    op->file = loop->file;
    op->first_buffer = op->slot * loop->buffers->per_slot;
    op->data = weir_buffers_at(loop->buffers, op->first_buffer);
    op->size = weir_layout_op_bytes(&loop->phase->transfers.layout);
    op->due_ns = 0;
}

/* The next buffer of the slot, in turn. */
static inline unsigned weir_loop_next_buffer(struct weir_loop *loop, struct weir_op *op)
{
    unsigned buffer = op->first_buffer + (loop->turn++ & loop->turn_mask);

    op->data = weir_buffers_at(loop->buffers, buffer);
    return buffer;
}

static inline void weir_loop_put_stamp(struct weir_loop *loop, struct weir_op *op)
{
    unsigned buffer = weir_loop_next_buffer(loop, op);

    weir_source_stamp(loop->source, op->data, op->offset, buffer % WEIR_FILLER_PIECES);
}

/* `must_stamp` is that of the loop. */
static inline void weir_loop_prepare(struct weir_loop *loop, struct weir_op *op, bool must_stamp)
{
    weir_op_source_next(&loop->ops, op);
    if (must_stamp)
        weir_loop_put_stamp(loop, op);
    else if (loop->must_prepare)
        weir_loop_prepare_buffer(loop, op);
}

/* Whether to prepare another transfer. */
static inline bool weir_loop_has_next(struct weir_loop *loop, bool is_collective)
{
    if (is_collective)
        weir_loop_agree(loop);
    return weir_op_source_index(&loop->ops) < loop->until;
}

/* The same where there is no need to let everything come back before the layout is started again.
 */
static inline bool weir_loop_has_next_or_restarts(struct weir_loop *loop)
{
    return weir_loop_has_next(loop, loop->is_collective) ||
           (loop->phase->stop.minimum_ns != 0 && weir_loop_restart_layout(loop));
}

/* Counts `count` transfers (> 0) of one verb, of `bytes` altogether, each of which took
 * `latency_ns`. */
static inline void weir_loop_count(struct weir_verb_tally *verb, uint64_t latency_ns,
                                   uint64_t count, uint64_t bytes)
{
    weir_histogram_add_many(verb->latency, latency_ns, count);
    verb->byte_count += bytes;
}

/* Looks at the stop signal and the timers. */
static inline void weir_loop_poll(struct weir_loop *loop, uint64_t now_ns)
{
    if (__builtin_expect(now_ns >= loop->timer_ns, 0))
        weir_loop_check_timers(loop, now_ns);
    if (__builtin_expect(*loop->stop_signal != 0, 0))
        weir_loop_on_signal(loop);
}

/* ---- items of trees ---- */

/* One slot, round and round, for queues that block and for operations that do. */
void weir_loop_run_items(struct weir_loop *loop);

/* Does all verbs of the item that the source has chosen for `op`, and records them. */
void weir_loop_perform_item(struct weir_loop *loop, struct weir_op *op);

/* Where several items are in flight: makes `op` the first step of the item that the source has
 * chosen; and after a step, records what is over and makes it the next one. False if that is to be
 * sent now. */
void weir_loop_begin_item(struct weir_loop *loop, struct weir_op *op);
bool weir_loop_complete_item(struct weir_loop *loop, struct weir_op *op);

/* Time that was spent since then on data alone; and since when time is spent on something new. */
void weir_loop_add_data_ns(struct weir_loop *loop, uint64_t before_ns);
uint64_t weir_loop_begin_ns(struct weir_loop *loop);
void weir_loop_record_lateness(struct weir_loop *loop, const struct weir_op *op);
void weir_loop_pause_for(struct weir_loop *loop, uint64_t ns);

/* ---- the loops of queues that do not block ---- */

/* Until everything is done, or something asks to stop and nothing is in flight. */
void weir_loop_run_queued(struct weir_loop *loop);

#endif
