/* SPDX-License-Identifier: Apache-2.0 */
/* One transfer on its way through a loop: launched, settled, recorded. Private to the loops of
 * move.c and move_queued.c; what happens to every transfer is here, and what happens to few, or
 * only if the phase asks for it, in move_step.c. */
#ifndef WEIR_ENGINE_MOVE_STEP_H
#define WEIR_ENGINE_MOVE_STEP_H

#include "move.h"

/* Kept out of the loop, so that the compiler spends its registers on what happens at every
 * transfer. */
#define WEIR_SELDOM __attribute__((noinline, cold))

/* ---- seldom ---- */

/* A rank may leave a collective phase only together with the others. */
WEIR_SELDOM void weir_mover_ask_to_stop(struct weir_mover *mover);

/* Counts a failure and asks to stop: of a transfer, or of the session, which nothing more is asked
 * of then. `what` begins a sentence that ends with the path. */
WEIR_SELDOM void weir_mover_fail(struct weir_mover *mover, int code, uint64_t offset,
                                 const char *what);
WEIR_SELDOM void weir_mover_fail_session(struct weir_mover *mover, int code, const char *what);

/* What is to be done when the clock is past alert_ns. */
WEIR_SELDOM void weir_mover_attend(struct weir_mover *mover, uint64_t now_ns);

/* True if another rank has raised an alarm: then nothing more is launched. Looks for one only now
 * and then. */
WEIR_SELDOM bool weir_mover_listens(struct weir_mover *mover, uint64_t now_ns);

/* Whether the phase had more to do is known when the loop has ended. */
WEIR_SELDOM void weir_mover_heed_signal(struct weir_mover *mover);

/* Before a collective transfer: do all ranks go on? */
WEIR_SELDOM void weir_mover_agree(struct weir_mover *mover);

/* True if the layout is to be started again; then it has been. */
WEIR_SELDOM bool weir_mover_starts_again(struct weir_mover *mover);

/* The transfer was launched but never handed over: as if it had not been. */
WEIR_SELDOM void weir_mover_take_back(struct weir_mover *mover);

/* Of a result that is not that of a whole transfer. False if something is to be sent now. */
WEIR_SELDOM bool weir_mover_settle_oddly(struct weir_mover *mover, struct weir_op *op);

/* Is something beyond recording asked for after each transfer? */
bool weir_mover_has_aftermath(const struct weir_mover *mover);

/* ---- every transfer of a phase that asks for more than moving data ---- */

/* Verb and buffer of a transfer. */
__attribute__((noinline)) void weir_mover_prepare(struct weir_mover *mover, struct weir_op *op);

/* When the transfer that was just launched is due in an open loop, whose load begins when the first
 * one is ready. */
uint64_t weir_mover_next_due(struct weir_mover *mover);

/* Notes how many transfers of an open loop are late. */
void weir_mover_note_backlog(struct weir_mover *mover, uint64_t now_ns);

/* The same before one is handed over, unless it is as punctual as it can be. */
static inline void weir_mover_note_lag(struct weir_mover *mover, uint64_t due_ns, uint64_t now_ns)
{
    if (mover->is_open_loop && now_ns - due_ns > WEIR_PACE_SPIN_NS)
        weir_mover_note_backlog(mover, now_ns);
}

/* Of a transfer in whole, or the last part of one. False if something is to be sent now. */
__attribute__((noinline)) bool weir_mover_follow_up(struct weir_mover *mover, struct weir_op *op);

/* ---- every transfer: each instruction here is paid for millions of times ---- */

/* What is the same for all transfers of a slot. */
static inline void weir_mover_aim(const struct weir_mover *mover, struct weir_op *op)
{
    op->verb = mover->phase->verb == WEIR_READ ? WEIR_OP_READ : WEIR_OP_WRITE;
    op->is_collective = mover->phase->is_collective;
    op->may_wait = false;
    op->file = mover->file;
    op->window = op->slot * mover->buffers->windows;
    op->data = weir_buffers_window(mover->buffers, op->window);
    op->size = mover->phase->layout.transfer_bytes;
    op->due_ns = 0;
}

/* The slot's next window, in turn. */
static inline unsigned weir_mover_turn_window(struct weir_mover *mover, struct weir_op *op)
{
    unsigned window = op->window + (mover->turn++ & mover->turn_mask);

    op->data = weir_buffers_window(mover->buffers, window);
    return window;
}

static inline void weir_mover_put_stamp(struct weir_mover *mover, struct weir_op *op)
{
    unsigned window = weir_mover_turn_window(mover, op);

    weir_source_stamp(mover->source, op->data, op->offset, window % WEIR_NOISE_PIECES);
}

static inline void weir_mover_launch(struct weir_mover *mover, struct weir_op *op)
{
    op->offset = weir_walk_next(&mover->walk);
    if (mover->must_stamp)
        weir_mover_put_stamp(mover, op);
    else if (mover->must_prepare)
        weir_mover_prepare(mover, op);
}

/* Whether to launch another transfer. */
static inline bool weir_mover_goes_on(struct weir_mover *mover, bool is_collective)
{
    if (is_collective)
        weir_mover_agree(mover);
    return mover->walk.index < mover->until;
}

/* The same where there is no need to let everything come back before the layout is started again.
 */
static inline bool weir_mover_goes_round(struct weir_mover *mover)
{
    return weir_mover_goes_on(mover, mover->is_collective) ||
           (mover->phase->stop.minimum_ns != 0 && weir_mover_starts_again(mover));
}

/* Looks up from the work. */
static inline void weir_mover_look_up(struct weir_mover *mover, uint64_t now_ns)
{
    if (__builtin_expect(now_ns >= mover->alert_ns, 0))
        weir_mover_attend(mover, now_ns);
    if (__builtin_expect(*mover->stop_signal != 0, 0))
        weir_mover_heed_signal(mover);
}

/* ---- the loops of queues that do not block ---- */

/* Until everything is done, or something asks to stop and nothing is in flight. */
void weir_move_queued(struct weir_mover *mover);

#endif
