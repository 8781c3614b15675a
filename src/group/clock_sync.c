/* SPDX-License-Identifier: Apache-2.0 */
/* One time for all nodes: offsets of node clocks by ping-pong, and starting all ranks at one
 * instant. */
#include "weir/group/group.h"

enum { ROUND_TRIPS = 16 };

/* Why 200 us: what a broadcast and a wake-up cost where the barrier just measured was lucky. */
enum { START_MARGIN_NS = 200 * 1000, START_MARGIN_MAX_NS = 100 * 1000 * 1000 };

/* The answer of a parent: the first node's time, as far as the parent knows it. */
struct time_reply {
    int64_t global_ns;
    uint64_t error_ns;
};

static int64_t to_global(const struct weir_time_point *point, uint64_t local_ns)
{
    return (int64_t)local_ns + point->offset_ns;
}

static int serve_child(struct weir_group *group, const struct weir_clock *clock, int child,
                       const struct weir_time_point *point)
{
    for (int trip = 0; trip < ROUND_TRIPS; trip++) {
        struct time_reply reply = {.error_ns = point->error_ns};
        unsigned char ping;
        int rc = group->ops->receive(group, &ping, sizeof ping, child);

        if (rc < 0)
            return rc;
        reply.global_ns = to_global(point, weir_clock_ns(clock));
        rc = group->ops->send(group, &reply, sizeof reply, child);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* The parent read its clock somewhere within the round trip: the middle is off by half of it at
 * most. */
static int ask_parent(struct weir_group *group, const struct weir_clock *clock, int parent,
                      struct weir_time_point *point)
{
    uint64_t shortest_ns = UINT64_MAX;

    for (int trip = 0; trip < ROUND_TRIPS; trip++) {
        const unsigned char ping = 0;
        struct time_reply reply = {0};
        uint64_t sent_ns = weir_clock_ns(clock);
        uint64_t trip_ns;
        int rc = group->ops->send(group, &ping, sizeof ping, parent);

        if (rc == 0)
            rc = group->ops->receive(group, &reply, sizeof reply, parent);
        if (rc < 0)
            return rc;
        trip_ns = weir_clock_ns(clock) - sent_ns;
        if (trip_ns >= shortest_ns)
            continue;
        shortest_ns = trip_ns;
        point->local_ns = sent_ns + trip_ns / 2;
        point->offset_ns = reply.global_ns - (int64_t)point->local_ns;
        point->error_ns = reply.error_ns + (trip_ns + 1) / 2;
    }
    return 0;
}

/* Node n learns the time in the round of its highest bit, and from then on teaches node n +
 * 2^round. */
static int synchronise_leaders(struct weir_group *group, const struct weir_clock *clock,
                               struct weir_time_point *point)
{
    for (int reach = 1; reach < group->node_count; reach *= 2) {
        int rc = 0;

        if (group->node >= reach && group->node < 2 * reach)
            rc = ask_parent(group, clock, group->node_leader[group->node - reach], point);
        else if (group->node < reach && group->node + reach < group->node_count)
            rc = serve_child(group, clock, group->node_leader[group->node + reach], point);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* From the first rank of a node to its others. */
static int share_on_node(struct weir_group *group, void *data, size_t bytes)
{
    int leader = group->node_leader[group->node];

    if (group->rank != leader)
        return group->ops->receive(group, data, bytes, leader);
    for (int rank = leader + 1; rank < group->size; rank++) {
        int rc = 0;

        if (group->node_of_rank[rank] == group->node)
            rc = group->ops->send(group, data, bytes, rank);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int weir_group_synchronise(struct weir_group *group, const struct weir_clock *clock,
                           struct weir_time_point *point)
{
    struct weir_time_point measured = {0};
    int rc;

    if (group->node_count > 1) {
        measured.local_ns = weir_clock_ns(clock);
        if (group->node_rank == 0) {
            rc = synchronise_leaders(group, clock, &measured);
            if (rc < 0)
                return rc;
        }
        rc = share_on_node(group, &measured, sizeof measured);
        if (rc < 0)
            return rc;
    }
    *point = measured;
    return 0;
}

int64_t weir_time_global(const struct weir_time_point *before, const struct weir_time_point *after,
                         uint64_t local_ns)
{
    double span_ns;
    double change_ns;

    /* Outside of the measured interval the drift would be guessed, and its error would grow. */
    if (local_ns <= before->local_ns || after->local_ns <= before->local_ns)
        return to_global(before, local_ns);
    if (local_ns >= after->local_ns)
        return to_global(after, local_ns);
    span_ns = (double)(after->local_ns - before->local_ns);
    change_ns = (double)(after->offset_ns - before->offset_ns);
    return to_global(before, local_ns) +
           (int64_t)(change_ns * ((double)(local_ns - before->local_ns) / span_ns));
}

int weir_group_share_clock(struct weir_group *group, struct weir_clock *clock)
{
    struct weir_clock calibrated = {0};
    int rc;

    if (group->node_rank == 0)
        weir_clock_calibrate(&calibrated, true);
    rc = share_on_node(group, &calibrated, sizeof calibrated);
    if (rc == 0)
        *clock = calibrated;
    return rc;
}

/* How far ahead the instant must lie for all ranks to hear of it in time: grows with the group as
 * its barrier does. */
static int measure_margin(struct weir_group *group, const struct weir_clock *clock,
                          uint64_t *margin_ns)
{
    uint64_t begin_ns;
    int rc = weir_group_barrier(group);

    if (rc < 0)
        return rc;
    begin_ns = weir_clock_ns(clock);
    rc = weir_group_barrier(group);
    *margin_ns = START_MARGIN_NS + 3 * (weir_clock_ns(clock) - begin_ns);
    if (*margin_ns > START_MARGIN_MAX_NS)
        *margin_ns = START_MARGIN_MAX_NS;
    return rc;
}

uint64_t weir_group_start_together(struct weir_group *group, const struct weir_clock *clock,
                                   const struct weir_time_point *point)
{
    uint64_t margin_ns;
    int64_t instant_ns;
    uint64_t local_ns;

    if (group->size == 1)
        return weir_clock_ns(clock);
    if (measure_margin(group, clock, &margin_ns) < 0)
        return 0;
    instant_ns = to_global(point, weir_clock_ns(clock) + margin_ns);
    if (weir_group_broadcast(group, &instant_ns, sizeof instant_ns, 0) < 0)
        return 0;
    local_ns = (uint64_t)(instant_ns - point->offset_ns);
    /* Returns at once where the instant has passed already. */
    weir_clock_wait(clock, local_ns);
    return local_ns;
}
