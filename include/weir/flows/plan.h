/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `weir net` shall measure: memory to memory between ranks. Built once by the front
 * end, then const. */
#ifndef WEIR_FLOWS_PLAN_H
#define WEIR_FLOWS_PLAN_H

#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/base/facts.h"
#include "weir/base/finding.h"
#include "weir/base/launch.h"
#include "weir/base/live.h"
#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_net_measure { WEIR_NET_BANDWIDTH, WEIR_NET_LATENCY };

/* Who talks to whom, of n ranks. A flow goes from its source to its sink. */
enum weir_net_pattern {
    WEIR_NET_PAIR,  /* 0 -> 1 */
    WEIR_NET_PAIRS, /* i -> i + n/2: all at once, and before that each pair alone: the trunk test */
    WEIR_NET_ALL,   /* every rank with every other, one pair after the other: the matrix */
    WEIR_NET_INCAST,   /* 1, 2, ... -> 0 */
    WEIR_NET_OUTCAST,  /* 0 -> 1, 2, ... */
    WEIR_NET_BISECTION /* i -> i + n/2 at once, in n/2 rounds with the second half turned by one
                          each time, so that every link between the halves is used */
};

enum weir_net_verb { WEIR_NET_WRITE, WEIR_NET_READ, WEIR_NET_SEND };

enum weir_net_format {
    WEIR_NET_TABLE,
    WEIR_NET_JSON,
    WEIR_NET_IPERF,
    WEIR_NET_PERFTEST,
    WEIR_NET_CSV_LONG, /* the figures of all dialects (weir/report/measures.h), at the end */
    WEIR_NET_JSON_LONG
};

#define WEIR_NET_SIZES_MAX 40
#define WEIR_NET_BATCH_MAX 64u
#define WEIR_NET_PAIRS_MAX 64u /* what a link of the fabric has */

struct weir_net_plan {
    struct weir_arena arena;
    const char *command_line;
    /* "verbs", "tcp", "shm" or "mpi"; NULL: chosen */
    const char *provider;
    const char *device;
    const char *interface;
    int gid_index; /* -1: chosen */
    enum weir_net_measure measure;
    enum weir_net_pattern pattern;
    enum weir_net_verb verb;            /* the mpi provider has SEND only */
    bool is_both_ways;                  /* each pair in both directions at once */
    uint64_t sizes[WEIR_NET_SIZES_MAX]; /* message sizes, one measurement each */
    unsigned size_count;
    uint64_t duration_ns;     /* of each measurement; 0: by `iterations` */
    uint64_t iterations;      /* messages per flow; 0: by `duration_ns` */
    uint64_t warm_up_ns;      /* before each measurement, not counted */
    unsigned depth;           /* messages in flight per flow, at most; 1 for LATENCY */
    uint64_t in_flight_bytes; /* of a flow, at most: see weir_net_plan_depth; 0: as depth says */
    unsigned batch;           /* messages posted at once, at most */
    bool is_batch_given;      /* and no less where bytes in flight limit the depth */
    unsigned pairs;           /* connections per flow: queue pairs (verbs) or sockets (tcp) */
    unsigned signal_every;
    uint64_t working_set_bytes; /* memory that a flow goes round at each end; 0: depth messages */
    bool wants_huge_pages;
    unsigned mtu_bytes;                                /* 0: the port's */
    unsigned read_depth;                               /* 0: the device's */
    unsigned inline_bytes;                             /* 0: not given; UINT_MAX: none */
    unsigned service_level, traffic_class, pkey_index; /* 0: not given */
    uint64_t interval_ns;                              /* iperf's lines while it runs; 0: none */
    unsigned repetitions;                              /* of all of it: medians are told */
    enum weir_net_format format;
    bool is_in_bits;      /* perftest's lines in Gbit/s */
    uint64_t progress_ns; /* as in struct weir_output */
    struct weir_live_request live;
    uint64_t watchdog_ns; /* as in struct weir_test */
    uint64_t give_up_ns;
    const char *result_path;      /* JSON goes there as well; NULL */
    const char *label;            /* of the user for the run; NULL */
    const struct weir_fact *tags; /* likewise, by key */
    size_t tag_count;
    enum weir_measure intent; /* --measure; STORAGE = the network */
    const char *allowed;      /* names of findings without effect, separated by commas; NULL */
    bool is_strict;           /* exit code 1 after a warning or a void finding */
    const char *expect;       /* conditions on figures (--expect); NULL = none */
    bool allows_unverified;   /* figures that are UNVERIFIED may meet them */
    bool must_verify;         /* the sink checks the stamps of place and message in the data */
};

/* Refuses what cannot be: 0 or a usage error. The number of ranks is not looked at. */
int weir_net_plan_check(const struct weir_net_plan *plan, struct weir_error *error);

/* Frees it, and all that it points to. NULL is allowed. */
void weir_net_plan_close(struct weir_net_plan *plan);

/* Messages of that size in flight per flow: `depth`, or as many as fit in_flight_bytes, but 8 of
 * each pair. */
unsigned weir_net_plan_depth(const struct weir_net_plan *plan, uint64_t message_bytes);
/* Messages of that size posted at once: `batch`, or a quarter of what a pair has in flight where
 * bytes limit it, if that is less and nobody asked for more; never more than the depth. */
unsigned weir_net_plan_batch(const struct weir_net_plan *plan, uint64_t message_bytes);

/* The plan as stable text. */
void weir_net_plan_explain(const struct weir_net_plan *plan, struct weir_text *text);

/* Adds the rounds and measurements of the plan on `rank_count` ranks, and the least time of all of
 * them. A single rank measures nothing: it gets the formula for n ranks. */
void weir_net_outlook_add(const struct weir_net_plan *plan, uint32_t rank_count,
                          struct weir_text *text);

const char *weir_net_measure_name(enum weir_net_measure measure); /* "bandwidth" */
const char *weir_net_pattern_name(enum weir_net_pattern pattern); /* "incast" */
const char *weir_net_verb_name(enum weir_net_verb verb);          /* "write" */

/* ---- flows: pure arithmetic ---- */

struct weir_net_flow {
    uint32_t source;
    uint32_t sink;
};

/* A pattern is a number of rounds; in each, its flows run at once. PAIRS: each pair alone, then all
 * of them. ALL: as many pairs at once as are disjoint (a round-robin tournament), in both
 * directions one after the other. `is_both_ways` doubles the flows of a round. */
uint32_t weir_net_round_count(const struct weir_net_plan *plan, uint32_t rank_count);
/* Writes the flows of a round, at most 2 * rank_count; returns how many. */
uint32_t weir_net_round_flows(const struct weir_net_plan *plan, uint32_t rank_count, uint32_t round,
                              struct weir_net_flow *flows);
/* Refuses a single rank, with the mismatch of launcher and MPI as the reason, if there is one.
 * Returns 0 or a usage error. */
int weir_net_ranks_check(uint32_t rank_count, const struct weir_launch_mismatch *mismatch,
                         struct weir_error *error);

#endif
