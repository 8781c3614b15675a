/* SPDX-License-Identifier: Apache-2.0 */
/* A group whose ranks are threads of one test, and whose messages go through sockets. */
#ifndef WEIR_TESTS_THREAD_GROUP_H
#define WEIR_TESTS_THREAD_GROUP_H

#include "weir/group/group.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANKS_MAX = 12, REDUCED_AT_ONCE = 512 };

struct world {
    int size;
    int node_count;
    int node_of_rank[RANKS_MAX];
    int node_leader[RANKS_MAX];
    int node_start[RANKS_MAX + 1];
    char node_names[RANKS_MAX][WEIR_NODE_NAME_BYTES];
    int sockets[RANKS_MAX][RANKS_MAX]; /* [a][b]: the end that a uses to talk to b */
};

struct thread_group {
    struct weir_group base;
    struct world *world;
    bool owns_world; /* and itself: a part of another group */
};

static inline struct thread_group *thread_group_of(struct weir_group *group)
{
    return (struct thread_group *)group;
}

static inline int thread_send(struct weir_group *group, const void *data, size_t bytes, int to)
{
    int fd = thread_group_of(group)->world->sockets[group->rank][to];

    return write(fd, data, bytes) == (ssize_t)bytes ? 0 : -EIO;
}

static inline int thread_receive(struct weir_group *group, void *data, size_t bytes, int from)
{
    int fd = thread_group_of(group)->world->sockets[group->rank][from];

    return recv(fd, data, bytes, MSG_WAITALL) == (ssize_t)bytes ? 0 : -EIO;
}

static inline bool thread_has_message(struct weir_group *group, int from)
{
    struct pollfd end = {.fd = thread_group_of(group)->world->sockets[group->rank][from],
                         .events = POLLIN};

    return poll(&end, 1, 0) == 1;
}

static inline int thread_broadcast(struct weir_group *group, void *data, size_t bytes, int root)
{
    if (group->rank != root)
        return thread_receive(group, data, bytes, root);
    for (int rank = 0; rank < group->size; rank++)
        if (rank != root && thread_send(group, data, bytes, rank) < 0)
            return -EIO;
    return 0;
}

static inline int thread_gather(struct weir_group *group, const void *mine, size_t bytes, void *all)
{
    if (group->rank != 0)
        return thread_send(group, mine, bytes, 0);
    memcpy(all, mine, bytes);
    for (int rank = 1; rank < group->size; rank++)
        if (thread_receive(group, (unsigned char *)all + (size_t)rank * bytes, bytes, rank) < 0)
            return -EIO;
    return 0;
}

static inline int thread_barrier(struct weir_group *group)
{
    unsigned char mine = 0;
    unsigned char all[RANKS_MAX];
    int rc = thread_gather(group, &mine, 1, all);

    return rc < 0 ? rc : thread_broadcast(group, &mine, 1, 0);
}

static inline uint64_t combine(uint64_t a, uint64_t b, enum weir_reduction reduction)
{
    if (reduction == WEIR_SUM)
        return a + b;
    return (reduction == WEIR_MIN) == (a < b) ? a : b;
}

/* Many values in one message: each message wakes up a thread, for which a busy host takes its time.
 */
static inline int thread_reduce(struct weir_group *group, uint64_t *values, size_t count,
                                enum weir_reduction reduction)
{
    uint64_t all[RANKS_MAX * REDUCED_AT_ONCE];

    for (size_t done = 0, some; done < count; done += some, values += some) {
        some = count - done < REDUCED_AT_ONCE ? count - done : REDUCED_AT_ONCE;
        if (thread_gather(group, values, some * sizeof *values, all) < 0)
            return -EIO;
        for (size_t i = some; group->rank == 0 && i < (size_t)group->size * some; i++)
            values[i % some] = combine(values[i % some], all[i], reduction);
        if (thread_broadcast(group, values, some * sizeof *values, 0) < 0)
            return -EIO;
    }
    return 0;
}

static inline int thread_part(struct weir_group *group, bool is_member, struct weir_group **part);

static inline void thread_close(struct weir_group *group)
{
    if (!thread_group_of(group)->owns_world)
        return;
    free(thread_group_of(group)->world);
    free(group);
}

static const struct weir_group_ops thread_ops = {
    .barrier = thread_barrier,
    .broadcast = thread_broadcast,
    .reduce = thread_reduce,
    .gather = thread_gather,
    .send = thread_send,
    .receive = thread_receive,
    .part = thread_part,
    .has_message = thread_has_message,
    .close = thread_close,
};

static inline void open_world(struct world *world, int size, int ranks_per_node)
{
    memset(world, 0, sizeof *world);
    world->size = size;
    world->node_count = (size + ranks_per_node - 1) / ranks_per_node;
    for (int node = 0; node <= world->node_count; node++)
        world->node_start[node] = node * ranks_per_node < size ? node * ranks_per_node : size;
    for (int rank = size - 1; rank >= 0; rank--) {
        world->node_of_rank[rank] = rank / ranks_per_node;
        world->node_leader[rank / ranks_per_node] = rank;
        snprintf(world->node_names[rank / ranks_per_node], WEIR_NODE_NAME_BYTES, "host-%d",
                 rank / ranks_per_node);
        for (int peer = 0; peer < rank; peer++) {
            int pair[2];

            assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
            world->sockets[rank][peer] = pair[0];
            world->sockets[peer][rank] = pair[1];
        }
    }
}

static inline void close_world(struct world *world)
{
    for (int rank = 0; rank < world->size; rank++)
        for (int peer = 0; peer < world->size; peer++)
            if (peer != rank)
                close(world->sockets[rank][peer]);
}

/* Rank `rank` of the world, for its own thread. */
static inline void join_world(struct thread_group *member, struct world *world, int rank)
{
    int node = world->node_of_rank[rank];

    member->world = world;
    member->base = (struct weir_group){
        .ops = &thread_ops,
        .rank = rank,
        .size = world->size,
        .node = node,
        .node_count = world->node_count,
        .node_rank = rank - world->node_leader[node],
        .node_size = world->node_start[node + 1] - world->node_start[node],
        .node_of_rank = world->node_of_rank,
        .node_leader = world->node_leader,
        .node_start = world->node_start,
        .node_names = (const char(*)[WEIR_NODE_NAME_BYTES])world->node_names,
    };
}

/* Each member has the world of its part for itself, with the sockets of the whole one: the rest of
 * the ranks must not talk to members meanwhile. */
static inline int thread_part(struct weir_group *group, bool is_member, struct weir_group **part)
{
    const struct world *whole = thread_group_of(group)->world;
    uint64_t is_in[RANKS_MAX] = {0}, mine = is_member;
    int ranks[RANKS_MAX], size = 0, rank = 0;
    struct thread_group *member;
    struct world *world;

    if (thread_gather(group, &mine, sizeof mine, group->rank == 0 ? is_in : NULL) < 0 ||
        thread_broadcast(group, is_in, sizeof is_in, 0) < 0)
        return -EIO;
    *part = NULL;
    if (!is_member)
        return 0;
    for (int i = 0; i < group->size; i++) {
        if (i == group->rank)
            rank = size;
        if (is_in[i])
            ranks[size++] = i;
    }
    world = calloc(1, sizeof *world);
    member = calloc(1, sizeof *member);
    assert_true(world != NULL && member != NULL);
    world->size = size;
    for (int i = 0; i < size; i++) {
        bool is_first =
            i == 0 || group->node_of_rank[ranks[i]] != group->node_of_rank[ranks[i - 1]];

        if (is_first) {
            int node = world->node_count++;

            world->node_leader[node] = world->node_start[node] = i;
            memcpy(world->node_names[node], whole->node_names[group->node_of_rank[ranks[i]]],
                   WEIR_NODE_NAME_BYTES);
        }
        world->node_of_rank[i] = world->node_count - 1;
        for (int k = 0; k < size; k++)
            world->sockets[i][k] = whole->sockets[ranks[i]][ranks[k]];
    }
    world->node_start[world->node_count] = size;
    join_world(member, world, rank);
    member->owns_world = true;
    *part = &member->base;
    return 0;
}

#endif
