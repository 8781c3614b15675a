/* SPDX-License-Identifier: Apache-2.0 */
/* The one queue between the engine and every backend: lends request slots, stamps them, and asserts
 * the contract. */
#ifndef WEIR_IO_QUEUE_H
#define WEIR_IO_QUEUE_H

#include "weir/base/clock.h"
#include "weir/io/backend.h"

#include <assert.h>

#define WEIR_DEPTH_MAX 4096

/* take -> (fill) -> send -> reap -> (record) -> give. `depth` ops are made once; none is allocated
 * later. */
struct weir_queue {
    struct weir_session *session;
    const struct weir_transfer_ops *transfer;
    const struct weir_clock *clock;
    const volatile sig_atomic_t *stop_signal; /* not 0: what EINTR cuts is over. NULL: never */
    bool is_broken;        /* the session failed: nothing that it has comes back */
    bool is_blocking;      /* transfers happen inside of send */
    bool times_submission; /* it takes time of its own, which the stamps tell */
    unsigned depth;
    unsigned reserved;      /* ops in `free` that are not lent: depth less the limit */
    unsigned free_count;    /* ops in `free` */
    unsigned pending_count; /* sent, not yet taken by the backend */
    unsigned flying_count;  /* with the backend */
    unsigned done_count;    /* completed, not yet reaped (blocking only) */
    uint64_t last_ns;       /* latest clock reading */
    bool is_last_usable;    /* nothing that counts has happened since */
    struct weir_op *ops;
    struct weir_op **free;
    struct weir_op **pending;
    struct weir_op **done;
};

/* A queue over an open session, as deep as the session allows. The queue blocks if the backend
 * offers `transfer` and the depth is 1, or if it offers nothing else. 0 or -ENOMEM. */
int weir_queue_open(struct weir_queue *queue, struct weir_session *session,
                    const struct weir_clock *clock);

/* Nothing may be in flight. */
void weir_queue_close(struct weir_queue *queue);

/* From now on no more than `limit` slots (1 to depth) are lent at once. Nothing may be lent or in
 * flight. */
void weir_queue_limit(struct weir_queue *queue, unsigned limit);

static inline bool weir_queue_has_free(const struct weir_queue *queue)
{
    return queue->free_count > queue->reserved;
}

/* A slot to fill, or NULL if as many as may be are in use. */
struct weir_op *weir_queue_take(struct weir_queue *queue);

/* Hands a filled slot over: one that was taken, or one that was reaped and is to go on. It may wait
 * in the queue until the next reap. */
void weir_queue_send(struct weir_queue *queue, struct weir_op *op);

/* Says that time has passed since the last stamp that must not count as the next operation's
 * (filling, checking). */
static inline void weir_queue_touch(struct weir_queue *queue)
{
    queue->is_last_usable = false;
}

/* Now; serves as the issue stamp of the next operation unless weir_queue_touch is called after
 * it. */
static inline uint64_t weir_queue_now(struct weir_queue *queue)
{
    queue->last_ns = weir_clock_ns(queue->clock);
    queue->is_last_usable = true;
    return queue->last_ns;
}

/* Blocking queues only: send and reap in one, for the loop that has one slot and goes round with
 * it. The caller looks at the result; the op counts as accepted when it is done, and has no stamp
 * of it. */
static inline void weir_queue_transfer(struct weir_queue *queue, struct weir_op *op)
{
    op->issued_ns = queue->is_last_usable ? queue->last_ns : weir_queue_now(queue);
    op->result = queue->transfer->transfer(queue->session, op);
    op->done_ns = weir_queue_now(queue);
}

/* Does a sync or an operation on names at once, in any kind of queue, with the stamps
 * and the result that reap would show. `op` is the caller's own, not a slot; the backend must have
 * the operation. */
void weir_queue_perform(struct weir_queue *queue, struct weir_op *op);

/* Does steps that belong together, open, write, sync and close of one file for instance, one after
 * the other and at once, with one pair of stamps around them. The file that a step opens is that of
 * the steps behind it; a step that fails leaves out those behind it, but for the close of a file
 * that is open. op->result is 0, or the -errno of the first failure; transfers are of op->size
 * bytes at op->offset, and go on where they come back short, or with EINTR before the stop signal.
 * Nothing may be in flight. */
void weir_queue_perform_chain(struct weir_queue *queue, struct weir_op *op,
                              const enum weir_op_verb steps[], unsigned count);

/* Submits what waits, then hands back completed ops: at least `min` (never more than are
 * outstanding; fewer if `timeout_ns` is over before, or a signal comes), at most `max`. Returns
 * how many, or -errno if the session is broken. */
int weir_queue_reap(struct weir_queue *queue, struct weir_op *done[], unsigned min, unsigned max,
                    uint64_t timeout_ns);

/* Returns a slot that was reaped, or taken and not sent. */
void weir_queue_give(struct weir_queue *queue, struct weir_op *op);

/* Ops sent and not yet reaped; none of a session that broke. */
static inline unsigned weir_queue_outstanding(const struct weir_queue *queue)
{
    return queue->is_broken ? 0 : queue->pending_count + queue->flying_count + queue->done_count;
}

#endif
