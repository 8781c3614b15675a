/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier along a binomial tree of messages, for which nobody spins. A rank that has not come for
 * long says to its parent that it is alive, and rank 0 says so to rank 1: who is silent is held, or
 * cannot be reached. */
#include "barrier.h"

#include "weir/base/log.h"

#include <stdint.h>

/* Looking costs a call of MPI. */
#define LOOK_EVERY_NS (200 * 1000)
/* The clock is read once in so many calls of a rank that has not come yet: it is measuring. */
enum { CALLS_PER_LOOK = 64 };
/* A message that says no more than that; others are the flag, 0 or 1. */
enum { ALIVE = 2 };

void net_barrier_begin(struct net_barrier *barrier, struct weir_group *group,
                       const struct weir_clock *clock, const struct weir_net_plan *plan)
{
    uint64_t now_ns = weir_clock_ns(clock);

    *barrier = (struct net_barrier){.group = group,
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

static void hear(const struct net_barrier *barrier, struct net_neighbour *neighbour, int rank)
{
    const struct weir_group *group = barrier->group;

    neighbour->heard_ns = barrier->looked_ns;
    if (neighbour->is_late)
        weir_log(WEIR_LOG_WARNING, "rank %d on host %s answers again", rank,
                 group->node_names[group->node_of_rank[rank]]);
    neighbour->is_late = false;
}

static void judge(const struct net_barrier *barrier, struct net_neighbour *neighbour, int rank)
{
    const struct weir_group *group = barrier->group;
    const char *host = group->node_names[group->node_of_rank[rank]];
    uint64_t silent_ns = barrier->looked_ns - neighbour->heard_ns;
    double silent_s = (double)silent_ns * 1e-9;

    if (barrier->late_ns == 0 || silent_ns < barrier->late_ns)
        return;
    if (!neighbour->is_late)
        weir_log(WEIR_LOG_WARNING, "rank %d on host %s has not answered for %.0f s", rank, host,
                 silent_s);
    neighbour->is_late = true;
    if (barrier->give_up_ns == 0 || silent_ns < barrier->give_up_ns)
        return;
    weir_log(WEIR_LOG_ERROR,
             "--give-up: rank %d on host %s has not answered for %.0f s: the run ends", rank, host,
             silent_s);
    weir_group_abort(barrier->group, WEIR_EXIT_FLAWED);
}

/* To whoever waits for this rank. */
static int say_alive(struct net_barrier *barrier)
{
    struct weir_group *group = barrier->group;
    const unsigned char alive = ALIVE;

    if (barrier->late_ns == 0 || barrier->looked_ns - barrier->said_ns < barrier->late_ns / 4)
        return 0;
    barrier->said_ns = barrier->looked_ns;
    if (group->rank == 0)
        return group->size > 1 ? group->ops->send(group, &alive, sizeof alive, 1) : 0;
    return barrier->has_arrived
               ? 0
               : group->ops->send(group, &alive, sizeof alive, group->rank & (group->rank - 1));
}

/* ---- the tree ---- */

/* 1: the flag has come; 0: not yet; or -errno. */
static int take(struct net_barrier *barrier, struct net_neighbour *neighbour, int from,
                unsigned char *flag)
{
    struct weir_group *group = barrier->group;

    while (group->ops->has_message(group, from)) {
        int code = group->ops->receive(group, flag, sizeof *flag, from);

        if (code < 0)
            return code;
        hear(barrier, neighbour, from);
        if (*flag != ALIVE)
            return 1;
    }
    judge(barrier, neighbour, from);
    return 0;
}

static int hear_children(struct net_barrier *barrier)
{
    while (has_child(barrier->group, barrier->next_child)) {
        unsigned char flag;
        int code =
            take(barrier, &barrier->child, barrier->group->rank + barrier->next_child, &flag);

        if (code <= 0)
            return code;
        barrier->flag |= flag;
        barrier->next_child *= 2;
    }
    return 1;
}

static int release_children(struct net_barrier *barrier)
{
    struct weir_group *group = barrier->group;

    for (int distance = 1; has_child(group, distance); distance *= 2) {
        int code =
            group->ops->send(group, &barrier->flag, sizeof barrier->flag, group->rank + distance);

        if (code < 0)
            return code;
    }
    barrier->is_over = true;
    return 1;
}

/* A parent other than rank 0 is heard of by its own one. */
static int hear_parent(struct net_barrier *barrier)
{
    struct weir_group *group = barrier->group;
    unsigned char flag;
    int code;

    if (group->rank != 1)
        barrier->parent.heard_ns = barrier->looked_ns;
    code = take(barrier, &barrier->parent, group->rank & (group->rank - 1), &flag);
    if (code > 0)
        barrier->flag = flag;
    return code;
}

/* Once all below have come, and this rank: 1 if that is all. */
static int arrive(struct net_barrier *barrier, bool has_come, bool flag)
{
    struct weir_group *group = barrier->group;
    int code = hear_children(barrier);

    if (code <= 0 || !has_come)
        return code < 0 ? code : 0;
    barrier->has_arrived = true;
    barrier->flag |= flag;
    if (group->rank == 0)
        return release_children(barrier);
    return group->ops->send(group, &barrier->flag, sizeof barrier->flag,
                            group->rank & (group->rank - 1));
}

static int look(struct net_barrier *barrier, bool has_come, bool flag)
{
    int code = say_alive(barrier);

    if (code == 0 && !barrier->has_arrived)
        code = arrive(barrier, has_come, flag);
    if (code != 0 || barrier->group->rank == 0 ||
        (!barrier->has_arrived && barrier->group->rank != 1))
        return code;
    code = hear_parent(barrier);
    return code > 0 ? release_children(barrier) : code;
}

int net_barrier_step(struct net_barrier *barrier, bool has_arrived, bool flag)
{
    uint64_t now_ns;

    if (barrier->is_over)
        return 1;
    if (!has_arrived && (barrier->late_ns == 0 || ++barrier->calls % CALLS_PER_LOOK != 0))
        return 0;
    now_ns = weir_clock_ns(barrier->clock);
    if (now_ns - barrier->looked_ns < (has_arrived ? LOOK_EVERY_NS : barrier->late_ns / 4))
        return 0;
    /* After a time in which this rank was held itself, the others get another one. */
    if (now_ns - barrier->looked_ns > barrier->late_ns / 2 + LOOK_EVERY_NS)
        barrier->child.heard_ns = barrier->parent.heard_ns = now_ns;
    barrier->looked_ns = now_ns;
    return look(barrier, has_arrived, flag);
}
