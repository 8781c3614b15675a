/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of the job, their nodes, and their collective operations. All communication between
 * ranks goes through here. */
#ifndef WEIR_GROUP_GROUP_H
#define WEIR_GROUP_GROUP_H

#include "weir/base/clock.h"
#include "weir/base/error.h"
#include "weir/base/launch.h"
#include "weir/base/placement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define WEIR_NODE_NAME_BYTES 64

enum weir_reduction { WEIR_SUM, WEIR_MIN, WEIR_MAX };

struct weir_group;

/* What an alarm says. Each kind travels by itself. */
enum weir_alarm {
    WEIR_ALARM_CALL_OFF, /* a rank has failed, or was told to end */
    WEIR_ALARM_WALL      /* the stonewall that the first rank to be done raises */
};
#define WEIR_ALARMS 2

/* The operations of an implementation. Functions return 0 or -errno unless stated otherwise; all
 * but send, receive, has_message, raise_alarm, hears_alarm and pings are collective. */
struct weir_group_ops {
    /* The first four, and reorder, are not called in a group of one rank, and may be NULL there. */
    int (*barrier)(struct weir_group *group);
    int (*broadcast)(struct weir_group *group, void *data, size_t bytes, int root);
    /* Element-wise over all ranks; every rank gets the result in place. */
    int (*reduce)(struct weir_group *group, uint64_t *values, size_t count,
                  enum weir_reduction reduction);
    /* `all` (on rank 0 only; else NULL) receives size * bytes, in rank order. */
    int (*gather)(struct weir_group *group, const void *mine, size_t bytes, void *all);
    int (*send)(struct weir_group *group, const void *data, size_t bytes, int to);
    int (*receive)(struct weir_group *group, void *data, size_t bytes, int from);
    /* The ranks that are members, in their order, as a group of their own; the others get NULL. */
    int (*part)(struct weir_group *group, bool is_member, struct weir_group **part);
    /* All ranks as a group of their own, in which this one is number `rank`. */
    int (*reorder)(struct weir_group *group, int rank, struct weir_group **ordered);
    /* True if `receive` from that rank would not wait. Not collective. */
    bool (*has_message)(struct weir_group *group, int from);
    /* See weir_group_raise_alarm. NULL: a group whose ranks need none. */
    void (*raise_alarm)(struct weir_group *group, enum weir_alarm alarm);
    bool (*hears_alarm)(struct weir_group *group, enum weir_alarm alarm);
    int (*end_alarm)(struct weir_group *group, enum weir_alarm alarm);
    /* See weir_group_ping. NULL: a group of one node. */
    void (*ping)(struct weir_group *group, int node);
    bool (*is_pinged)(const struct weir_group *group, int node);
    bool (*has_pinged)(const struct weir_group *group);
    int (*end_pings)(struct weir_group *group);
    void (*close)(struct weir_group *group);
};

struct weir_group {
    const struct weir_group_ops *ops;
    int rank;
    int size;
    int node; /* number of this rank's node: nodes are numbered in order of their first rank */
    int node_count;
    int node_rank;           /* number of this rank on its node */
    int node_size;           /* ranks on this rank's node */
    const int *node_of_rank; /* `size` entries */
    const int *node_leader;  /* `node_count` entries: first rank of each node */
    const int *node_start;   /* `node_count` + 1 entries: ranks on the nodes below each one */
    const char (*node_names)[WEIR_NODE_NAME_BYTES]; /* `node_count` host names */
    /* Of which `part` made this group, while that one is open; NULL: all ranks of the job. */
    struct weir_group *around;
    void *native;        /* MPI_Comm * of an MPI group, else NULL; for backends that speak MPI */
    const char *library; /* see weir_group_library; NULL: no MPI */
    /* The launcher's number of tasks against that of MPI, of parts as of all ranks. */
    struct weir_launch_mismatch mismatch;
    /* Called every WEIR_GROUP_TICK_NS while this rank waits for others in a barrier or in a
     * reduction of few values. It must not wait itself. NULL: nothing. Set by the group's owner. */
    void (*idle)(void *context);
    void *idle_context;
};

#define WEIR_GROUP_TICK_NS UINT64_C(50000000)

/* A group of one: no MPI. */
int weir_group_self_open(struct weir_group **group);

/* True if a launcher (mpiexec, srun) has started this process, as far as its environment tells. */
bool weir_group_is_launched(void);

/* Starts MPI and describes all of its ranks. Errors of MPI calls are returned from now on. */
int weir_group_mpi_open(int *argc, char ***argv, struct weir_group **group,
                        struct weir_error *error);

/* The version of the MPI library, one line; "" without MPI. Borrowed, valid as long as the group.
 */
const char *weir_group_library(const struct weir_group *group);

/* Cuts the version text of an MPI library to one line that says it once, with single blanks. MPICH
 * prints it in the first of many lines, after a tab or several blanks; Open MPI prints it twice in
 * one long line. */
void weir_group_shorten_version(char *version);

/* Rank 0 receives `bytes` bytes from the first rank of each node, in the order of nodes, into `all`
 * (NULL elsewhere). Other ranks' `mine` is not looked at. 0 or -errno, if for any rank then for
 * all. Collective. */
int weir_group_gather_nodes(struct weir_group *group, const void *mine, size_t bytes, void *all);

/* The first rank of each node receives `bytes` bytes from each rank of its node, in the order of
 * ranks, into `all` (NULL elsewhere); or sends to each of them what `all` holds. 0 or -errno, if
 * for any rank then for all. Collective. */
int weir_group_gather_on_node(struct weir_group *group, const void *mine, size_t bytes, void *all);
int weir_group_scatter_on_node(struct weir_group *group, const void *all, size_t bytes, void *mine);
/* Likewise, but ranks do not agree: 0 or -errno of this rank. */
int weir_group_deal_on_node(struct weir_group *group, const void *all, size_t bytes, void *mine);

/* Gathers the process IDs of the ranks of each node: *pids has group->node_size of them on the
 * first rank of the node, which frees it, and is NULL elsewhere. 0 or -errno, if for any rank then
 * for all. Collective. */
int weir_group_gather_pids(struct weir_group *group, pid_t **pids);

/* Closes the group; the MPI group of all ranks also ends MPI. NULL is allowed. */
void weir_group_close(struct weir_group *group);

/* Ends all ranks at once. For the one case that agreement itself has failed; only main calls it. */
void weir_group_abort(struct weir_group *group, int exit_code) __attribute__((noreturn));

static inline int weir_group_barrier(struct weir_group *group)
{
    return group->size == 1 ? 0 : group->ops->barrier(group);
}

static inline int weir_group_broadcast(struct weir_group *group, void *data, size_t bytes, int root)
{
    return group->size == 1 ? 0 : group->ops->broadcast(group, data, bytes, root);
}

static inline int weir_group_reduce(struct weir_group *group, uint64_t *values, size_t count,
                                    enum weir_reduction reduction)
{
    return group->size == 1 ? 0 : group->ops->reduce(group, values, count, reduction);
}

static inline int weir_group_gather(struct weir_group *group, const void *mine, size_t bytes,
                                    void *all)
{
    if (group->size > 1)
        return group->ops->gather(group, mine, bytes, all);
    if (bytes > 0)
        memcpy(all, mine, bytes);
    return 0;
}

/* The same ranks with other numbers: this one gets `rank`, and each number is given once. The group
 * stays, and is closed after the new one. 0 or -errno. Collective. */
static inline int weir_group_reorder(struct weir_group *group, int rank,
                                     struct weir_group **ordered)
{
    return group->ops->reorder(group, rank, ordered);
}

/* True on every rank if `flag` is true on any. */
bool weir_group_any(struct weir_group *group, bool flag);

/* An alarm reaches every rank that looks for it, without a wait on any: within a second or so where
 * all ranks look every WEIR_GROUP_TICK_NS, for each hands it on to others. True from the alarm on,
 * on the rank that raised it as well. */
void weir_group_raise_alarm(struct weir_group *group, enum weir_alarm alarm);
bool weir_group_hears_alarm(struct weir_group *group, enum weir_alarm alarm);

/* Once all ranks know that the time of the alarm is over, whether one was raised or not: none is on
 * its way any more, and the next one can be raised. 0 or -errno. Collective. */
int weir_group_end_alarm(struct weir_group *group, enum weir_alarm alarm);

/* Whether another node is alive. Rank 0 may ask the first rank of any other node, the first rank of
 * the second node may ask rank 0; of other ranks and nodes the first function does nothing. A rank
 * answers when it looks for an alarm. No call waits; who owes an answer is not asked again. */
void weir_group_ping(struct weir_group *group, int node);
/* True while that node owes this rank an answer. */
bool weir_group_is_pinged(const struct weir_group *group, int node);
/* True if this rank has asked since the last end of all pings. */
bool weir_group_has_pinged(const struct weir_group *group);
/* Once all ranks know that one has asked: no message is on its way any more. 0 or -errno.
 * Collective. */
int weir_group_end_pings(struct weir_group *group);

/* All ranks state their error; every rank then holds that of the lowest rank that has one, with
 * "rank 3 on host n2: " before it if it is not common to all, and returns its code; 0 if no rank
 * has one. */
int weir_group_agree(struct weir_group *group, struct weir_error *error);

/* How the ranks are placed, as shifts need it. Valid as long as the group. */
struct weir_placement weir_group_placement(const struct weir_group *group);

/* ---- one time for all nodes ---- */

/* How to turn this node's clock into that of the first node. */
struct weir_time_point {
    uint64_t local_ns; /* when it was measured, on this node's clock */
    int64_t offset_ns; /* first node's clock minus this node's */
    uint64_t error_ns; /* bound: half of the best round trip, summed along the tree */
};

/* Ping-pong between node leaders along a binomial tree rooted at the first node (rounds in
 * parallel, best of several round trips each), then one broadcast per node. Collective. All zero on
 * a single node. Source of the method: Cristian 1989 (offset and bound from the shortest round
 * trip), Hunold and Carpen-Amarie 2018 (tree). */
int weir_group_synchronise(struct weir_group *group, const struct weir_clock *clock,
                           struct weir_time_point *point);

/* `local_ns` on the clock of the first node, by interpolation between two measurements (drift
 * included). */
int64_t weir_time_global(const struct weir_time_point *before, const struct weir_time_point *after,
                         uint64_t local_ns);

/* Calibrates on the first rank of each node and hands the calibration to the others of the node.
 * Collective. */
int weir_group_share_clock(struct weir_group *group, struct weir_clock *clock);

/* All ranks return from this at one agreed instant (within the synchronisation error): rank 0 names
 * one in the near future, and everyone waits for it. Returns that instant on this node's clock, or
 * 0 on failure. Collective. */
uint64_t weir_group_start_together(struct weir_group *group, const struct weir_clock *clock,
                                   const struct weir_time_point *point);

#endif
