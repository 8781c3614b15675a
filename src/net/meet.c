/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier along a binomial tree of messages, for which nobody spins. */
#include "meet.h"

#include <stdint.h>

/* Looking costs a call of MPI. */
#define LOOK_EVERY_NS (200 * 1000)

void net_meet_begin(struct net_meet *meet, struct weir_group *group, const struct weir_clock *clock)
{
    *meet = (struct net_meet){.group = group, .clock = clock, .next_child = 1};
}

/* Rank 0 has all powers of two as children, others those below their lowest bit. */
static bool has_child(const struct weir_group *group, int distance)
{
    return (group->rank == 0 || distance < (group->rank & -group->rank)) &&
           group->rank + distance < group->size;
}

static int hear_children(struct net_meet *meet)
{
    struct weir_group *group = meet->group;

    while (has_child(group, meet->next_child)) {
        int child = group->rank + meet->next_child;
        unsigned char flag;
        int code;

        if (!group->ops->has_message(group, child))
            return 0;
        code = group->ops->receive(group, &flag, sizeof flag, child);
        if (code < 0)
            return code;
        meet->flag |= flag;
        meet->next_child *= 2;
    }
    return 1;
}

static int release_children(struct net_meet *meet)
{
    struct weir_group *group = meet->group;

    for (int distance = 1; has_child(group, distance); distance *= 2) {
        int code = group->ops->send(group, &meet->flag, sizeof meet->flag, group->rank + distance);

        if (code < 0)
            return code;
    }
    meet->is_over = true;
    return 1;
}

static int look(struct net_meet *meet, bool flag)
{
    struct weir_group *group = meet->group;
    int parent = group->rank & (group->rank - 1);
    int code;

    if (!meet->has_arrived) {
        code = hear_children(meet);
        if (code <= 0)
            return code;
        meet->has_arrived = true;
        meet->flag |= flag;
        if (group->rank == 0)
            return release_children(meet);
        code = group->ops->send(group, &meet->flag, sizeof meet->flag, parent);
        if (code < 0)
            return code;
    }
    if (!group->ops->has_message(group, parent))
        return 0;
    code = group->ops->receive(group, &meet->flag, sizeof meet->flag, parent);
    return code < 0 ? code : release_children(meet);
}

int net_meet_step(struct net_meet *meet, bool has_arrived, bool flag)
{
    uint64_t now_ns;

    if (meet->is_over)
        return 1;
    if (!has_arrived)
        return 0;
    now_ns = weir_clock_ns(meet->clock);
    if (now_ns - meet->looked_ns < LOOK_EVERY_NS)
        return 0;
    meet->looked_ns = now_ns;
    return look(meet, flag);
}
