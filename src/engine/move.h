/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that moves data: the same for every backend, depth and order. */
#ifndef WEIR_ENGINE_MOVE_H
#define WEIR_ENGINE_MOVE_H

#include "op_log.h"
#include "run.h"
#include "verify.h"

/* A transfer that came back short and is being continued. */
struct weir_flight {
    bool is_continued;
    void *data;
    uint64_t offset;
    uint64_t size;
    uint64_t issued_ns;
};

struct weir_mover {
    struct weir_run *run;
    const struct weir_phase *phase;
    struct weir_file *file;
    const char *path; /* for messages */
    const struct weir_share *share;
    const struct weir_source *source; /* of the payload */
    struct weir_reading reading;      /* file number, writer and reader are set */
    uint64_t limit;                   /* transfers to make */
    uint64_t
        first_index;   /* start there, and at the beginning again after the end: trials of depth */
    unsigned depth;    /* transfers in flight, 1 to the queue's depth */
    unsigned batch;    /* transfers that are waited for at once, 1 to depth */
    uint64_t mix_seed; /* of mixed phases */
    struct weir_op_log *log; /* of each transfer; NULL: none */

    /* set by weir_move */
    struct weir_tally *tally;
    struct weir_walk walk; /* its index is the number of the next transfer */
    uint64_t furthest;     /* transfers of the longest pass over the layout */
    bool has_seen_signal;
    uint64_t started_ns;
    uint64_t alert_ns;    /* look up from the work when the clock is past this */
    uint64_t deadline_ns; /* UINT64_MAX: none */
    uint64_t progress_ns; /* next call of the observer */
    int code;             /* not 0: ranks could not agree */
    uint64_t until;     /* launch nothing from here on: the limit, or 0 if something asks to stop */
    bool is_collective; /* ranks go on and stop together */
    bool wants_over;    /* collective phases: this rank would stop, once all agree */
    bool must_stamp;    /* a stamp is all that the buffer needs */
    bool must_prepare;  /* it needs more */
    bool has_aftermath; /* something beyond recording follows each transfer, or one came in parts */
    const struct weir_buffers *buffers;
    unsigned turn; /* windows used so far: each slot goes round its own */
    unsigned turn_mask;
    unsigned continued_count;
    const volatile sig_atomic_t *stop_signal;
    struct weir_flight *flights; /* one per slot */
};

/* Moves the rank's part, with everything the plan's stop rule asks, and leaves the counts in
 * run->tally. Returns 0, or -errno if the session broke or ranks could not agree; failed transfers
 * are counted in the tally instead. Collective if the phase is, or wears out. */
int weir_move(struct weir_mover *mover);

#endif
