/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier along a binomial tree of messages, for which nobody spins. A rank that has not come for
 * long says to its parent that it is alive, and rank 0 says so to rank 1: who is silent is held, or
 * cannot be reached. */
#include "meet.h"

#include "weir/base/log.h"

#include <stdint.h>

/* Looking costs a call of MPI. */
#define LOOK_EVERY_NS (200 * 1000)
/* The clock is read once in so many calls of a rank that has not come yet: it is measuring. */
enum { CALLS_PER_LOOK = 64 };
/* A message that says no more than that; others are the flag, 0 or 1. */
enum { ALIVE = 2 };

void net_meet_begin(struct net_meet *meet, struct weir_group *group, const struct weir_clock *clock,
                    const struct weir_net_plan *plan)
{
    uint64_t now_ns = weir_clock_ns(clock);

    *meet = (struct net_meet){.group = group,
                              .clock = clock,
                              .late_ns = plan != NULL ? plan->watchdog_ns : 0,
                              .give_up_ns = plan != NULL ? plan->give_up_ns : 0,
                              .looked_ns = now_ns,
                              .said_ns = now_ns,
                              .next_child = 1,
                              .child.heard_ns = now_ns,
                              .parent.heard_ns = now_ns};
}

/* Rank 0 has all powers of two as children, others those below their lowest bit. */
static bool has_child(const struct weir_group *group, int distance)
{
    return (group->rank == 0 || distance < (group->rank & -group->rank)) &&
           group->rank + distance < group->size;
}

/* ---- who is late ---- */

static void hear(const struct net_meet *meet, struct net_neighbour *neighbour, int rank)
{
    const struct weir_group *group = meet->group;

    neighbour->heard_ns = meet->looked_ns;
    if (neighbour->is_late)
        weir_log(WEIR_LOG_WARNING, "rank %d on host %s answers again", rank,
                 group->node_names[group->node_of_rank[rank]]);
    neighbour->is_late = false;
}

static void judge(const struct net_meet *meet, struct net_neighbour *neighbour, int rank)
{
    const struct weir_group *group = meet->group;
    const char *host = group->node_names[group->node_of_rank[rank]];
    uint64_t silent_ns = meet->looked_ns - neighbour->heard_ns;
    double silent_s = (double)silent_ns * 1e-9;

    if (meet->late_ns == 0 || silent_ns < meet->late_ns)
        return;
    if (!neighbour->is_late)
        weir_log(WEIR_LOG_WARNING, "rank %d on host %s has not answered for %.0f s", rank, host,
                 silent_s);
    neighbour->is_late = true;
    if (meet->give_up_ns == 0 || silent_ns < meet->give_up_ns)
        return;
    weir_log(WEIR_LOG_ERROR,
             "--give-up: rank %d on host %s has not answered for %.0f s: the run ends", rank, host,
             silent_s);
    weir_group_abort(meet->group, WEIR_EXIT_FLAWED);
}

/* To whoever waits for this rank. */
static int say_alive(struct net_meet *meet)
{
    struct weir_group *group = meet->group;
    const unsigned char alive = ALIVE;

    if (meet->late_ns == 0 || meet->looked_ns - meet->said_ns < meet->late_ns / 4)
        return 0;
    meet->said_ns = meet->looked_ns;
    if (group->rank == 0)
        return group->size > 1 ? group->ops->send(group, &alive, sizeof alive, 1) : 0;
    return meet->has_arrived
               ? 0
               : group->ops->send(group, &alive, sizeof alive, group->rank & (group->rank - 1));
}

/* ---- the tree ---- */

/* 1: the flag has come; 0: not yet; or -errno. */
static int take(struct net_meet *meet, struct net_neighbour *neighbour, int from,
                unsigned char *flag)
{
    struct weir_group *group = meet->group;

    while (group->ops->has_message(group, from)) {
        int code = group->ops->receive(group, flag, sizeof *flag, from);

        if (code < 0)
            return code;
        hear(meet, neighbour, from);
        if (*flag != ALIVE)
            return 1;
    }
    judge(meet, neighbour, from);
    return 0;
}

static int hear_children(struct net_meet *meet)
{
    while (has_child(meet->group, meet->next_child)) {
        unsigned char flag;
        int code = take(meet, &meet->child, meet->group->rank + meet->next_child, &flag);

        if (code <= 0)
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

/* A parent other than rank 0 is heard of by its own one. */
static int hear_parent(struct net_meet *meet)
{
    struct weir_group *group = meet->group;
    unsigned char flag;
    int code;

    if (group->rank != 1)
        meet->parent.heard_ns = meet->looked_ns;
    code = take(meet, &meet->parent, group->rank & (group->rank - 1), &flag);
    if (code > 0)
        meet->flag = flag;
    return code;
}

/* Once all below have come, and this rank: 1 if that is all. */
static int arrive(struct net_meet *meet, bool has_come, bool flag)
{
    struct weir_group *group = meet->group;
    int code = hear_children(meet);

    if (code <= 0 || !has_come)
        return code < 0 ? code : 0;
    meet->has_arrived = true;
    meet->flag |= flag;
    if (group->rank == 0)
        return release_children(meet);
    return group->ops->send(group, &meet->flag, sizeof meet->flag, group->rank & (group->rank - 1));
}

static int look(struct net_meet *meet, bool has_come, bool flag)
{
    int code = say_alive(meet);

    if (code == 0 && !meet->has_arrived)
        code = arrive(meet, has_come, flag);
    if (code != 0 || meet->group->rank == 0 || (!meet->has_arrived && meet->group->rank != 1))
        return code;
    code = hear_parent(meet);
    return code > 0 ? release_children(meet) : code;
}

int net_meet_step(struct net_meet *meet, bool has_arrived, bool flag)
{
    uint64_t now_ns;

    if (meet->is_over)
        return 1;
    if (!has_arrived && (meet->late_ns == 0 || ++meet->calls % CALLS_PER_LOOK != 0))
        return 0;
    now_ns = weir_clock_ns(meet->clock);
    if (now_ns - meet->looked_ns < (has_arrived ? LOOK_EVERY_NS : meet->late_ns / 4))
        return 0;
    /* After a time in which this rank was held itself, the others get another one. */
    if (now_ns - meet->looked_ns > meet->late_ns / 2 + LOOK_EVERY_NS)
        meet->child.heard_ns = meet->parent.heard_ns = now_ns;
    meet->looked_ns = now_ns;
    return look(meet, has_arrived, flag);
}
