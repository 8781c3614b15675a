/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a net run on one rank, and how its parts fit together. */
#ifndef WEIR_NETWORK_NET_RUN_H
#define WEIR_NETWORK_NET_RUN_H

#include "barrier.h"
#include "tally.h"
#include "transport.h"

#include "weir/measure/histogram.h"
#include "weir/net/net.h"
#include "weir/system/pressure.h"
#include "weir/system/running.h"

#define NET_FAILURE_BYTES 160

/* A peer rank, and the links to it: of either direction there is one at most. */
struct net_peer {
    struct net_link *opened;
    struct net_link *accepted;
    bool was_tried;                  /* opening it */
    char failure[NET_FAILURE_BYTES]; /* of the one that was opened */
};

enum net_endpoint_state {
    NET_ENDPOINT_RUNNING,
    NET_ENDPOINT_ENDING, /* opener: has told the end, and waits for the answer */
    NET_ENDPOINT_OVER
};

/* This rank's end of a flow, in one round. */
struct net_endpoint {
    uint32_t flow; /* number in the round */
    uint32_t peer;
    bool is_opener; /* it posts and counts */
    enum net_endpoint_state state;
    struct net_link *link;
    struct net_transfer transfer;
    uint64_t remote_offset;
    uint64_t seed; /* of stamps */
    char failure[NET_FAILURE_BYTES];
    uint64_t heard_ns; /* when the other end last took or answered anything */
    uint64_t wrong_count;
    /* opener */
    struct net_tally tally;
    struct weir_histogram *latency;
    uint32_t *free_tokens; /* a ring of `depth` */
    uint64_t *post_ns;     /* by token */
    uint64_t *last_number; /* by place, if stamps are checked */
    uint32_t free_head;
    uint32_t free_count;
    uint64_t next_slot;
    uint64_t done_now; /* in this look at events */
    /* acceptor */
    uint64_t received;
    uint64_t number_sum; /* of stamps */
    uint64_t expected;   /* UINT64_MAX: not told yet */
    uint64_t end_values[4];
    bool has_told_stop;
    /* latency: */
    unsigned char awaited;  /* the last byte of what is to come; 0: nothing is awaited */
    bool must_post;         /* there was no room */
    uint64_t round_trip_ns; /* when it began */
};

/* One measurement, or one try. */
struct net_trial {
    uint64_t bytes;
    uint64_t stride;
    uint64_t slot_count;
    unsigned depth;
    unsigned batch;
    uint64_t warm_up_ns;
    uint64_t duration_ns;
    uint64_t iterations;
    uint64_t interval_ns;
    bool must_verify;
    bool is_ping_pong;
    uint64_t number; /* of all trials: makes stamps differ */
};

/* What an opener has counted, for rank 0. */
struct net_report {
    uint32_t flow;
    uint32_t is_used;
    uint64_t count;
    uint64_t begin_ns; /* after the start */
    uint64_t end_ns;
    double peak_per_s;
    uint64_t wrong_count;
    uint64_t retransmit_count;
    uint64_t latency_min_ns;
    uint64_t latency_median_ns;
    uint64_t latency_max_ns;
    char failure[NET_FAILURE_BYTES];
};

/* Everything that it needs is taken before it begins: a rank that has no memory then cannot leave
 * the others in a collective. */
struct net_run {
    const struct weir_net_params *params;
    const struct weir_net_plan *plan;
    struct weir_group *group;
    const struct weir_clock *clock;
    struct net_transport *transport;
    struct net_block *blocks; /* all memory below */
    struct net_peer *peers;   /* one for each rank */
    char (*addresses)[WEIR_ADDRESS_BYTES];
    struct weir_net_flow *flows; /* of the round */
    uint32_t flow_count;
    struct net_endpoint *endpoints;
    uint32_t endpoint_count;
    uint32_t endpoint_capacity; /* on this rank */
    uint32_t *openers;          /* of the round, on each rank: flows that it posts */
    uint32_t openers_most;      /* of these */
    uint64_t area_bytes;        /* memory of an end */
    uint32_t interval_capacity;
    uint64_t *intervals;            /* of each opener of this rank interval_capacity */
    uint32_t *stages;               /* of each flow of the round, while links are opened */
    uint32_t *accepted;             /* of each rank, meanwhile */
    struct net_transfer *transfers; /* of this rank's ends, while they begin */
    struct net_report *reports;     /* of this rank's openers */
    struct net_report *all_reports; /* rank 0: of all openers, in the order of ranks */
    uint64_t *all_intervals;        /* the same */
    struct weir_histogram *latency; /* of all openers */
    uint64_t *latency_sums;         /* while ranks add theirs */
    uint64_t trial_count;
    uint64_t cpu_ns;           /* that this rank took in the last trial */
    uint64_t retransmit_count; /* of this host; UINT64_MAX: not known */
    uint64_t elapsed_ns;       /* from its start to its end */
    struct weir_run_probe *probe;
    struct weir_pressure_watch *pressure_watch; /* first rank of each node */
    uint64_t waited_ns;                         /* for a CPU in the last trial; WEIR_UNKNOWN */
    struct weir_pressure pressure;              /* of the node in the last trial: its first rank */
    double clock_ppm;     /* of the node's clock beyond the error: its first rank */
    struct net_extremes { /* of all ranks: value << 32 | rank */
        uint64_t latency_ns;
        uint64_t waited_permille;
        uint64_t excess_permille;
        uint64_t clock_ppm;
    } extremes;
    bool must_close_links; /* after each round */
    bool is_closing;       /* links end because they are closed */
    bool has_many_flows;   /* the result does not keep all */
    bool must_yield;       /* more ranks on this node than processors */
    bool has_stopped;      /* all know it: a signal has come */
};

static inline bool net_is_stopping(const struct net_run *run)
{
    return run->params->stop_signal != NULL && *run->params->stop_signal != 0;
}

/* The rank that opens a flow's link and posts: its source, or who reads. */
static inline uint32_t net_opener_of(const struct net_run *run, const struct weir_net_flow *flow)
{
    return run->plan->verb == WEIR_NET_READ ? flow->sink : flow->source;
}

static inline uint32_t net_acceptor_of(const struct net_run *run, const struct weir_net_flow *flow)
{
    return run->plan->verb == WEIR_NET_READ ? flow->source : flow->sink;
}

/* ---- links.c ---- */

/* Opens the links of the round that were not tried before, few at a time to one rank. 0 or -errno
 * if ranks cannot talk any more; a link that fails is noted with its peer. Collective. */
int net_links_open(struct net_run *run);
/* Closes all links of all ranks: those of the next round are opened anew. The same. */
int net_links_close(struct net_run *run);

/* ---- ends.c: what both kinds of measurement do ---- */

/* This rank's ends of the round. */
void net_endpoints_list(struct net_run *run);
/* Prepares all for a trial, with their links. 0 or the error. */
int net_endpoints_begin(struct net_run *run, const struct net_trial *trial,
                        struct weir_error *error);
/* It ends with this sentence, unless it has one. */
void net_endpoint_fail(struct net_run *run, struct net_endpoint *end, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An opener has nothing in flight any more: tells the other end. */
void net_endpoint_finish(struct net_run *run, struct net_endpoint *end);
/* Control messages, messages to acceptors, and lost links: what the loops need not see themselves.
 */
void net_endpoint_hear(struct net_run *run, const struct net_trial *trial,
                       const struct net_event *event);
/* True if all that this rank has opened is over. Openers whose other end keeps silent fail. */
bool net_endpoints_are_over(struct net_run *run, const struct net_trial *trial);
/* What has happened, as transports tell it; a rank that has nothing to do but wait for the end
 * sleeps, and takes no part of a processor from those who measure. */
int net_endpoints_poll(struct net_run *run, const struct net_trial *trial,
                       struct net_event events[], unsigned max, uint64_t timeout_ns);
/* The network of this rank is: none of its ends goes on. */
void net_endpoints_break(struct net_run *run);
/* A signal has come: openers count no more, acceptors tell theirs. */
void net_endpoints_stop(struct net_run *run);

/* ---- bandwidth.c, latency.c ---- */

/* From `start_ns` on, until all ranks are done. 0 or -errno if ranks cannot talk any more. */
int net_bandwidth_run(struct net_run *run, const struct net_trial *trial, uint64_t start_ns);
int net_latency_run(struct net_run *run, const struct net_trial *trial, uint64_t start_ns);

/* ---- rounds.c ---- */

/* One message of the largest size over each link of the round that was just opened. Collective. */
int net_round_try(struct net_run *run, struct weir_error *error);
/* Collective. */
int net_round_measure(struct net_run *run, uint32_t round, uint32_t repetition, uint64_t bytes,
                      struct weir_net_result *result, struct weir_error *error);
/* How messages of a size lie in memory, and how many are in flight. */
struct net_trial net_trial_of(const struct weir_net_plan *plan, uint64_t bytes);

#endif
