/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that moves data: the same for every backend, depth, order and load. */
#ifndef WEIR_ENGINE_LOOP_H
#define WEIR_ENGINE_LOOP_H

#include "items.h"
#include "op_log.h"
#include "op_source.h"
#include "pace.h"
#include "run.h"
#include "weir/payload/verify.h"

/* What becomes of the transfer in a slot, beyond what the slot itself says. */
struct weir_op_state {
    bool
        is_continued; /* it came back unfinished and was sent again: what it was at first is here */
    bool is_synced;   /* its sync is on the way; the stamps of the write are here */
    bool must_init;   /* a read has overwritten what writes find in the buffer */
    void *data;
    uint64_t offset;
    uint64_t size;
    uint64_t issued_ns;
    uint64_t accepted_ns;
    uint64_t resume_ns;   /* of a slot that pauses: when it may go on */
    struct weir_op *next; /* the slot that pauses behind this one */
};

/* Set by the caller of weir_loop_run, but for the part below. */
struct weir_loop {
    struct weir_run *run;
    const struct weir_phase *phase;
    struct weir_file *file;
    const char *path; /* for messages */
    const struct weir_share *share;
    const struct weir_source *source; /* of the payload */
    struct weir_expectation reading;  /* file number, writer and reader are set */
    uint64_t limit;                   /* transfers to make */
    uint64_t
        first_index;   /* start there, and at the beginning again after the end: trials of depth */
    unsigned depth;    /* transfers in flight, 1 to the queue's depth */
    unsigned batch;    /* transfers that are waited for at once, 1 to depth */
    uint64_t mix_seed; /* of mixed phases and of random arrivals; the same on all ranks */
    struct weir_op_log *log; /* of each transfer; NULL: none */
    /* not NULL: operations on items of trees. `share` then has a transfer of one byte for each of
     * them, whose offset is the number of the item; there is no file */
    struct weir_items *items;
    struct weir_op_state *op_states; /* one per slot of the queue, all zero */

    /* Set by weir_loop_run. What every transfer needs stands together, in front. */
    uint64_t
        look_ns; /* look up from the work when the clock is past this: timer_ns or series_end_ns */
    /* Operations from this index on are not prepared: the limit; 0 once this rank is to stop. In
     * collective loops ranks set it together (weir_loop_agree). */
    uint64_t until;
    struct weir_tally *tally;
    struct weir_verb_tally *counted; /* of `verb`, in it */
    const volatile sig_atomic_t *stop_signal;
    const struct weir_buffers *buffers;
    unsigned turn; /* buffers used so far: each slot uses its own in turn */
    unsigned turn_mask;
    bool must_stamp;    /* a stamp is all that the buffer needs */
    bool must_prepare;  /* it needs more */
    bool has_post_op;   /* something beyond recording follows each transfer, or one came in parts */
    bool is_collective; /* ranks go on and stop together */
    bool wants_over;    /* collective phases: this rank would stop, once all agree */
    bool is_open_loop;
    bool is_wearing_out; /* the phase itself is over, but other ranks went further */
    bool has_seen_signal;
    bool has_heard_alarm;
    bool is_queue_full;     /* queued loops: there is more to prepare, but no free slot */
    enum weir_op_verb verb; /* of all transfers, or of those that the source does not vary */
    struct weir_op_source ops;
    unsigned read_buffer; /* mixed: which of a slot's buffers is the first to read into */
    unsigned continued_count;
    uint64_t furthest; /* transfers of the longest pass over the layout */
    int code;          /* not 0: ranks could not agree */
    /* collective phases: the latest agreement on going on, and before which transfer the next is */
    uint64_t agreed_ns;
    uint64_t agree_index;
    uint64_t agree_stride;
    uint64_t started_ns;
    uint64_t timer_ns;    /* the next of those that follow */
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint64_t listen_ns;   /* next look for an alarm of another rank; UINT64_MAX: never */
    uint64_t wall_ns;     /* next look for the stonewall; UINT64_MAX: never */
    uint64_t heard_ops;   /* transfers done at the latest one */
    /* of the series: the interval that is being counted, and what earlier ones have got */
    uint64_t series_ns;
    uint64_t series_end_ns;
    uint64_t series_ops;
    uint64_t series_bytes;
    struct weir_pacer pacer;
    /* queued loops: */
    uint64_t quiet_since_ns; /* after a signal: when the last transfer came back */
    struct weir_op *next_op; /* prepared with its buffer, but not due yet */
    struct weir_op *paused;  /* slots that pause, the one that may go on first in front */
    struct weir_op *paused_last;
};

/* Lays out buffer number `number` for writes: one transfer, or all of an operation that moves
 * `transfers` of them. */
void weir_loop_init_buffer(const struct weir_source *source, uint64_t transfers, void *buffer,
                           unsigned number);

/* Moves the rank's part, with everything the plan's stop rule asks, and leaves the counts in
 * run->tally. Returns 0, or -errno if ranks could not agree; failed transfers, and a session that
 * broke, are counted in the tally instead: a session that is broken from the start is one more
 * failure, and nothing moves. Collective if the phase is, or wears out.
 *
 * The pause that a phase asks for after each transfer is the rank's if transfers block, else that
 * of each slot: the others go on, and no completion is seen late because of it. In an open loop
 * there is nothing to wait for in batches: what is due is handed over. */
int weir_loop_run(struct weir_loop *loop);

#endif
