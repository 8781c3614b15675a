/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier that does not spin: ranks look now and then whether all have come, and do their part of
 * others' measurements meanwhile. */
#ifndef WEIR_NET_MEET_H
#define WEIR_NET_MEET_H

#include "weir/group/group.h"

struct net_meet {
    struct weir_group *group;
    const struct weir_clock *clock;
    uint64_t looked_ns;
    int next_child; /* distance to the child that is waited for; doubled each time */
    bool has_arrived;
    bool is_over;
    unsigned char flag;
};

void net_meet_begin(struct net_meet *meet, struct weir_group *group,
                    const struct weir_clock *clock);

/* To be called again and again; `has_arrived`: this rank is ready to leave. 1: all have come, and
 * meet->flag is set if it was for any rank when it arrived; 0: not yet; or -errno. Never waits. */
int net_meet_step(struct net_meet *meet, bool has_arrived, bool flag);

#endif
