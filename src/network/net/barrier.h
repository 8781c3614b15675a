/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier that does not spin: ranks look now and then whether all have come, and do their part of
 * others' measurements meanwhile. Of ranks that are not heard of for long, it tells. */
#ifndef WEIR_NETWORK_NET_BARRIER_H
#define WEIR_NETWORK_NET_BARRIER_H

#include "weir/flows/plan.h"
#include "weir/group/group.h"

/* A rank that says now and then that it is alive. */
struct net_neighbour {
    uint64_t heard_ns;
    bool is_late; /* told */
};

struct net_barrier {
    struct weir_group *group;
    const struct weir_clock *clock;
    uint64_t late_ns;    /* a rank that is silent for so long is told of; 0: none */
    uint64_t give_up_ns; /* and after so long, the run ends; 0: never */
    uint64_t looked_ns;
    uint64_t said_ns; /* when this rank last said that it is alive */
    unsigned calls;   /* before it has arrived */
    int next_child;   /* distance to the child that is waited for; doubled each time */
    struct net_neighbour child;
    struct net_neighbour parent; /* of rank 1, which watches rank 0 */
    bool has_arrived;
    bool is_over;
    unsigned char flag;
};

/* The plan says for how long ranks may be silent; NULL: for ever. */
void net_barrier_begin(struct net_barrier *barrier, struct weir_group *group,
                       const struct weir_clock *clock, const struct weir_net_plan *plan);

/* To be called again and again; `has_arrived`: this rank is ready to leave. 1: all have come, and
 * meet->flag is set if it was for any rank when it arrived; 0: not yet; or -errno. Never waits.
 * Ends the job where the plan gives up. */
int net_barrier_step(struct net_barrier *barrier, bool has_arrived, bool flag);

#endif
