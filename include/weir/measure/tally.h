/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank did in one phase. One writer; gathered after the phase. */
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
    WEIR_STAMP_OPEN_STOP,
    WEIR_STAMP_MOVE_START,
    WEIR_STAMP_MOVE_STOP, /* after the sync, if the phase syncs */
    WEIR_STAMP_CLOSE_START,
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

struct weir_tally {
    uint64_t stamps_ns[WEIR_STAMP_COUNT]; /* this node's clock */
    uint64_t op_count; /* transfers done, each counted once however often it was continued */
    uint64_t byte_count;
    uint64_t partial_bytes; /* of these: parts of transfers that failed */
    uint64_t short_count;   /* transfers that came back short and were continued */
    uint64_t error_count;   /* transfers, opens, syncs and closes that failed */
    int first_error;        /* -errno of the first of them */
    uint64_t first_error_offset;
    /* between the MOVE stamps, spent on filling and checking buffers while no transfer of this rank
     * was in flight; and while there were some, or an open loop went on */
    uint64_t data_ns;
    uint64_t overlapped_data_ns;
    uint64_t cpu_user_ns; /* processor time of this process between the MOVE stamps */
    uint64_t cpu_system_ns;
    uint64_t blocked_count; /* transfers that would have blocked where that was forbidden */
    bool hit_deadline;
    uint64_t stonewall_ops; /* done when the deadline was seen */
    uint64_t stonewall_bytes;
    uint64_t stonewall_ns; /* from MOVE_START to then */
    struct weir_pace_tally pace;
    struct weir_mismatch_log mismatches;
    struct weir_histogram latency;    /* issued to done */
    struct weir_histogram submission; /* issued to accepted; empty where transfers block */
    struct weir_histogram response;   /* due to done; empty in a closed loop */
    struct weir_histogram
        write_latency; /* of a mixed phase, whose `latency` has both; else empty */
    struct weir_histogram read_latency;
    struct weir_series series;
};

/* Empties the tally, which is zeroed memory or was in use, for a phase that starts at `start_ns` on
 * this node's clock. */
void weir_tally_reset(struct weir_tally *tally, uint64_t start_ns);

/* Counts a failed operation; the first one is kept. `error` is negative. */
void weir_tally_fail(struct weir_tally *tally, int error, uint64_t offset);

#endif
