/* SPDX-License-Identifier: Apache-2.0 */
/* One transfer on its way through a loop: prepared, completed, recorded. Private to the loops of
 * loop.c and loop_queued.c; what happens to every transfer is here, and what happens to few, or
 * only if the phase asks for it, in loop_step.c. */
#ifndef WEIR_ENGINE_LOOP_STEP_H
#define WEIR_ENGINE_LOOP_STEP_H

#include "loop_events.h"

/* ---- seldom ---- */

/* True if the layout is to be started again; then it has been. */
WEIR_COLD bool weir_loop_restart_layout(struct weir_loop *loop);

/* The transfer was prepared but never handed over: as if it had not been. */
WEIR_COLD void weir_loop_unget(struct weir_loop *loop);

/* Of a result that is not that of a whole transfer. False if something is to be sent now. */
WEIR_COLD bool weir_loop_complete_unusual(struct weir_loop *loop, struct weir_op *op);

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
    op->verb = loop->phase->verb == WEIR_READ ? WEIR_OP_READ : WEIR_OP_WRITE;
    op->is_collective = loop->phase->transfers.is_collective;
    op->may_wait = false;
    op->file = loop->file;
    op->window = op->slot * loop->buffers->windows;
    op->data = weir_buffers_window(loop->buffers, op->window);
    op->size = loop->phase->transfers.layout.transfer_bytes;
    op->due_ns = 0;
}

/* The slot's next window, in turn. */
static inline unsigned weir_loop_next_window(struct weir_loop *loop, struct weir_op *op)
{
    unsigned window = op->window + (loop->turn++ & loop->turn_mask);

    op->data = weir_buffers_window(loop->buffers, window);
    return window;
}

static inline void weir_loop_put_stamp(struct weir_loop *loop, struct weir_op *op)
{
    unsigned window = weir_loop_next_window(loop, op);

    weir_source_stamp(loop->source, op->data, op->offset, window % WEIR_FILLER_PIECES);
}

static inline void weir_loop_prepare(struct weir_loop *loop, struct weir_op *op)
{
    op->offset = weir_walk_next(&loop->walk);
    if (loop->must_stamp)
        weir_loop_put_stamp(loop, op);
    else if (loop->must_prepare)
        weir_loop_prepare_buffer(loop, op);
}

/* Whether to prepare another transfer. */
static inline bool weir_loop_has_next(struct weir_loop *loop, bool is_collective)
{
    if (is_collective)
        weir_loop_agree(loop);
    return loop->walk.index < loop->until;
}

/* The same where there is no need to let everything come back before the layout is started again.
 */
static inline bool weir_loop_has_next_or_restarts(struct weir_loop *loop)
{
    return weir_loop_has_next(loop, loop->is_collective) ||
           (loop->phase->stop.minimum_ns != 0 && weir_loop_restart_layout(loop));
}

/* Looks up from the work. */
static inline void weir_loop_poll(struct weir_loop *loop, uint64_t now_ns)
{
    if (__builtin_expect(now_ns >= loop->timer_ns, 0))
        weir_loop_check_timers(loop, now_ns);
    if (__builtin_expect(*loop->stop_signal != 0, 0))
        weir_loop_on_signal(loop);
}

/* ---- the loops of queues that do not block ---- */

/* Until everything is done, or something asks to stop and nothing is in flight. */
void weir_loop_run_queued(struct weir_loop *loop);

#endif
