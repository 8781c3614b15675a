/* SPDX-License-Identifier: Apache-2.0 */
/* The work of one rank in one phase. One writer; gathered after the phase. */
#ifndef WEIR_MEASURE_TALLY_H
#define WEIR_MEASURE_TALLY_H

#include "weir/measure/histogram.h"
#include "weir/measure/mismatch.h"
#include "weir/measure/series.h"

#include <stdbool.h>
#include <stdint.h>

/* The six stamps of IOR's three windows. */
enum weir_stamp {
    WEIR_STAMP_OPEN_START,
    WEIR_STAMP_OPEN_STOP, /* after the untimed sync, if the phase syncs before */
    WEIR_STAMP_MOVE_START,
    WEIR_STAMP_MOVE_STOP,   /* after the sync, if the phase syncs */
    WEIR_STAMP_CLOSE_START, /* before the untimed sync, if the phase syncs after */
    WEIR_STAMP_CLOSE_STOP
};
#define WEIR_STAMP_COUNT 6

/* How an open loop kept up. All zero in a closed one. */
struct weir_pace_tally {
    uint64_t offered_ns;  /* from MOVE_START to when the last transfer that was issued was due */
    uint64_t end_lag_ns;  /* how late that one was issued */
    uint64_t max_lag_ns;  /* how late any was issued */
    uint64_t max_backlog; /* most transfers due and not yet issued */
};

/* Verbs of operations, as the room io numbers them. */
#define WEIR_TALLY_VERBS 20

/* Totals of the operations of one verb. */
struct weir_verb_tally {
    uint64_t byte_count; /* of operations that were done */
    uint64_t error_count;
    /* Issued to done. Its total is the number of operations that were done, each counted once
     * however often it was continued. NULL: the phase times none of this verb. */
    struct weir_histogram *latency;
};

/* Which operations a phase times. */
struct weir_tally_parts {
    unsigned verbs;      /* 1u << verb of each */
    bool has_submission; /* operations do not block: the time until they are accepted as well */
    bool has_response;   /* they are due at times of their own: the time since then as well */
};

struct weir_tally {
    struct weir_verb_tally verbs[WEIR_TALLY_VERBS];
    struct weir_histogram *submission; /* issued to accepted; NULL where operations block */
    struct weir_histogram *response;   /* due to done; NULL in a closed loop */
    struct weir_histogram *latency;    /* of all verbs, once weir_tally_join has put them together;
                                          NULL    if the phase times nothing */
    uint64_t stamps_ns[WEIR_STAMP_COUNT]; /* this node's clock */
    uint64_t partial_bytes;               /* parts of transfers that failed */
    uint64_t short_count;                 /* transfers that came back short and were continued */
    int first_error;                      /* -errno of the first operation that failed */
    uint64_t first_error_offset;
    uint64_t failed_ns; /* this node's clock, when the first failure was noted; 0 = none */
    /* between the MOVE stamps, spent on filling and checking buffers while no transfer of this rank
     * was in flight; and while there were some, or an open loop went on */
    uint64_t data_ns;
    uint64_t overlapped_data_ns;
    uint64_t waited_ns;   /* for other ranks, between the MOVE stamps */
    uint64_t cpu_user_ns; /* processor time of this process between the MOVE stamps */
    uint64_t cpu_system_ns;
    uint64_t blocked_count; /* transfers that would have blocked where that was forbidden */
    bool hit_deadline;
    uint64_t stonewall_ops; /* done when the deadline was seen */
    uint64_t stonewall_bytes;
    uint64_t stonewall_ns;     /* from MOVE_START to then */
    uint64_t stonewall_cpu_ns; /* processor time of this process since then, as the system has it */
    uint64_t stonewall_paused_ns;
    uint64_t paused_ns; /* of the rank, after transfers, as the plan wants */
    struct weir_mismatch_log mismatches;
    struct weir_pace_tally pace;
    struct weir_series series;         /* of all verbs */
    struct weir_histogram *histograms; /* those that phases use in turn */
    unsigned histogram_count;
};

/* Histograms that a phase of these parts uses. */
unsigned weir_tally_histograms(const struct weir_tally_parts *parts);

/* Memory for phases that use up to so many histograms. 0 or -ENOMEM. */
int weir_tally_open(struct weir_tally *tally, unsigned histogram_count);
void weir_tally_close(struct weir_tally *tally);

/* Empties the tally for a phase that starts at `start_ns` on this node's clock. */
void weir_tally_reset(struct weir_tally *tally, uint64_t start_ns,
                      const struct weir_tally_parts *parts);

/* Counts a failed operation; the first one is kept. `error` is negative. */
void weir_tally_fail(struct weir_tally *tally, unsigned verb, int error, uint64_t offset);

/* Counts an operation that is done and moved nothing. */
void weir_tally_add(struct weir_tally *tally, unsigned verb, uint64_t latency_ns);

/* Of all verbs so far: operations done, bytes moved, failures. */
uint64_t weir_tally_ops(const struct weir_tally *tally);
uint64_t weir_tally_bytes(const struct weir_tally *tally);
uint64_t weir_tally_errors(const struct weir_tally *tally);

/* Makes tally->latency of those of the verbs. Once, after the last operation. */
void weir_tally_join(struct weir_tally *tally);

#endif
