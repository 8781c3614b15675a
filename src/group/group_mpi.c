/* SPDX-License-Identifier: Apache-2.0 */
/* The ranks of an MPI job, or the first of them, as a group; with native communicator for backends
 * that speak MPI. */
#include "weir/group/group.h"

#include "group_mpi_alarm.h"
#include "group_mpi_ping.h"

#include "weir/base/text.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE_TAG = 1, LIBRARY_BYTES = 128 };

static const int alarm_tags[WEIR_ALARMS] = {[WEIR_ALARM_CALL_OFF] = 2, [WEIR_ALARM_WALL] = 9};

/* Tests of the message before a wait begins to yield. */
#define BUSY_LOOKS 1000
/* After this time, in steps of the coarse clock, a wait sleeps between its tests: the sleep
 * delays its end by less than it has lasted already, and leaves the processor to ranks that work.
 * */
#define NAP_AFTER_NS UINT64_C(4000000)
#define NAP_NS 100000
/* Reductions of so many values are waited for in that way: ranks that are done meet in them. */
#define WATCHED_VALUES 64

struct mpi_group {
    struct weir_group base;
    MPI_Comm comm;
    bool must_finalize; /* closing it ends MPI */
    int *node_of_rank;
    int *node_leader;
    int *node_start;
    char (*node_names)[WEIR_NODE_NAME_BYTES];
    char library[LIBRARY_BYTES];
    struct weir_mpi_alarm alarms[WEIR_ALARMS];
    struct weir_mpi_ping ping;
};

static struct mpi_group *mpi_group_of(struct weir_group *group)
{
    return (struct mpi_group *)group;
}

static int to_errno(int mpi_code)
{
    return mpi_code == MPI_SUCCESS ? 0 : -ECOMM;
}

/* ---- messages of any size ---- */

/* MPI counts in int: what is longer travels as one element of a type made for it. */
struct extent {
    MPI_Datatype type;
    int count;
};

static int extent_open(struct extent *extent, size_t bytes)
{
    const size_t piece = (size_t)1 << 30;
    int lengths[2] = {(int)(bytes / piece), (int)(bytes % piece)};
    MPI_Aint places[2] = {0, (MPI_Aint)(bytes - bytes % piece)};
    MPI_Datatype types[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    int code;

    *extent = (struct extent){.type = MPI_BYTE, .count = (int)bytes};
    if (bytes <= INT_MAX)
        return 0;
    extent->count = 1;
    code = MPI_Type_contiguous((int)piece, MPI_BYTE, &types[0]);
    if (code != MPI_SUCCESS)
        return -ECOMM;
    code = MPI_Type_create_struct(2, lengths, places, types, &extent->type);
    MPI_Type_free(&types[0]);
    if (code != MPI_SUCCESS)
        return -ECOMM;
    return to_errno(MPI_Type_commit(&extent->type));
}

static void extent_close(struct extent *extent)
{
    if (extent->type != MPI_BYTE)
        MPI_Type_free(&extent->type);
}

/* ---- waits for all ranks, in which this one stays awake ---- */

struct wait {
    uint64_t begun_ns; /* 0: not yet */
    uint64_t next_ns;  /* next call of group->idle */
};

/* In steps of a few milliseconds, which is exact enough. */
static uint64_t coarse_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* A short wait spins; a longer one means that a rank still works, which may need this processor.
 * */
static void stay_awake(const struct weir_group *group, struct wait *wait)
{
    static const struct timespec nap = {.tv_nsec = NAP_NS};
    uint64_t now_ns = coarse_ns();

    if (wait->begun_ns == 0) {
        wait->begun_ns = now_ns;
        wait->next_ns = now_ns + WEIR_GROUP_TICK_NS;
    }
    if (now_ns >= wait->next_ns) {
        if (group->idle != NULL)
            group->idle(group->idle_context);
        wait->next_ns = now_ns + WEIR_GROUP_TICK_NS;
    }
    if (now_ns - wait->begun_ns < NAP_AFTER_NS)
        sched_yield();
    else
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

static int await(struct weir_group *group, MPI_Request *request)
{
    struct wait wait = {0};
    int is_done = 0;

    for (unsigned looks = 0;; looks++) {
        if (MPI_Test(request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return -ECOMM;
        if (is_done)
            return 0;
        if (looks >= BUSY_LOOKS)
            stay_awake(group, &wait);
    }
}

static int mpi_barrier(struct weir_group *group)
{
    MPI_Request request;

    if (MPI_Ibarrier(mpi_group_of(group)->comm, &request) != MPI_SUCCESS)
        return -ECOMM;
    return await(group, &request);
}

static int mpi_broadcast(struct weir_group *group, void *data, size_t bytes, int root)
{
    struct extent extent;
    int rc = extent_open(&extent, bytes);

    if (rc < 0)
        return rc;
    rc = to_errno(MPI_Bcast(data, extent.count, extent.type, root, mpi_group_of(group)->comm));
    extent_close(&extent);
    return rc;
}

/* Keeps the order of unsigned values where they are compared as signed ones; its own inverse. */
static void flip_top_bits(uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] ^= UINT64_C(1) << 63;
}

static int reduce_few(struct weir_group *group, uint64_t *values, int count, MPI_Datatype type,
                      MPI_Op operation)
{
    MPI_Request request;

    if (MPI_Iallreduce(MPI_IN_PLACE, values, count, type, operation, mpi_group_of(group)->comm,
                       &request) != MPI_SUCCESS)
        return -ECOMM;
    return await(group, &request);
}

static int reduce_in_pieces(struct weir_group *group, uint64_t *values, size_t count,
                            MPI_Datatype type, MPI_Op operation)
{
    if (count <= WATCHED_VALUES)
        return reduce_few(group, values, (int)count, type, operation);
    while (count > 0) {
        int piece = count < INT_MAX ? (int)count : INT_MAX;
        int rc = to_errno(
            MPI_Allreduce(MPI_IN_PLACE, values, piece, type, operation, mpi_group_of(group)->comm));

        if (rc < 0)
            return rc;
        values += piece;
        count -= (size_t)piece;
    }
    return 0;
}

/* MPICH 4.0 compares all unsigned integers as signed ones, and Open MPI 4.1 those of type long. */
static int mpi_reduce(struct weir_group *group, uint64_t *values, size_t count,
                      enum weir_reduction reduction)
{
    int rc;

    if (reduction == WEIR_SUM)
        return reduce_in_pieces(group, values, count, MPI_UINT64_T, MPI_SUM);
    flip_top_bits(values, count);
    rc = reduce_in_pieces(group, values, count, MPI_INT64_T,
                          reduction == WEIR_MIN ? MPI_MIN : MPI_MAX);
    flip_top_bits(values, count);
    return rc;
}

static int mpi_gather(struct weir_group *group, const void *mine, size_t bytes, void *all)
{
    struct extent extent;
    int rc = extent_open(&extent, bytes);

    if (rc < 0)
        return rc;
    rc = to_errno(MPI_Gather(mine, extent.count, extent.type, all, extent.count, extent.type, 0,
                             mpi_group_of(group)->comm));
    extent_close(&extent);
    return rc;
}

static int mpi_send(struct weir_group *group, const void *data, size_t bytes, int to)
{
    struct extent extent;
    int rc = extent_open(&extent, bytes);

    if (rc < 0)
        return rc;
    rc = to_errno(
        MPI_Send(data, extent.count, extent.type, to, MESSAGE_TAG, mpi_group_of(group)->comm));
    extent_close(&extent);
    return rc;
}

static int mpi_receive(struct weir_group *group, void *data, size_t bytes, int from)
{
    struct extent extent;
    int rc = extent_open(&extent, bytes);

    if (rc < 0)
        return rc;
    rc = to_errno(MPI_Recv(data, extent.count, extent.type, from, MESSAGE_TAG,
                           mpi_group_of(group)->comm, MPI_STATUS_IGNORE));
    extent_close(&extent);
    return rc;
}

static bool mpi_has_message(struct weir_group *group, int from)
{
    int is_there = 0;

    return MPI_Iprobe(from, MESSAGE_TAG, mpi_group_of(group)->comm, &is_there, MPI_STATUS_IGNORE) ==
               MPI_SUCCESS &&
           is_there != 0;
}

/* ---- alarms ---- */

static void mpi_raise_alarm(struct weir_group *group, enum weir_alarm alarm)
{
    struct mpi_group *own = mpi_group_of(group);

    weir_mpi_alarm_raise(&own->alarms[alarm], own->comm, alarm_tags[alarm]);
}

/* A rank that looks for a call to end answers pings as well. */
static bool mpi_hears_alarm(struct weir_group *group, enum weir_alarm alarm)
{
    struct mpi_group *own = mpi_group_of(group);

    if (alarm == WEIR_ALARM_CALL_OFF)
        weir_mpi_ping_serve(&own->ping, group, own->comm);
    return weir_mpi_alarm_hears(&own->alarms[alarm], own->comm, alarm_tags[alarm]);
}

static int mpi_end_alarm(struct weir_group *group, enum weir_alarm alarm)
{
    struct mpi_group *own = mpi_group_of(group);

    return weir_mpi_alarm_end(&own->alarms[alarm], own->comm, alarm_tags[alarm]);
}

static void mpi_ping(struct weir_group *group, int node)
{
    weir_mpi_ping_send(&mpi_group_of(group)->ping, group, mpi_group_of(group)->comm, node);
}

static bool mpi_is_pinged(const struct weir_group *group, int node)
{
    return weir_mpi_ping_is_open(&((const struct mpi_group *)group)->ping, node);
}

static bool mpi_has_pinged(const struct weir_group *group)
{
    return ((const struct mpi_group *)group)->ping.peers != NULL;
}

static int mpi_end_pings(struct weir_group *group)
{
    return weir_mpi_ping_end(&mpi_group_of(group)->ping, group, mpi_group_of(group)->comm);
}

/* ---- nodes ---- */

struct resident {
    int rank;
    char node_name[WEIR_NODE_NAME_BYTES];
};

/* The lowest rank that shares both memory and host name with this one. `shared` is in rank
 * order. */
static int find_leader(MPI_Comm shared, const struct resident *me, int *leader)
{
    struct resident *residents;
    int count;
    int code = MPI_Comm_size(shared, &count);

    if (code != MPI_SUCCESS)
        return -ECOMM;
    residents = calloc((size_t)count, sizeof *residents);
    if (!residents)
        return -ENOMEM;
    code =
        MPI_Allgather(me, (int)sizeof *me, MPI_BYTE, residents, (int)sizeof *me, MPI_BYTE, shared);
    *leader = me->rank;
    for (int i = count - 1; code == MPI_SUCCESS && i >= 0; i--)
        if (strcmp(residents[i].node_name, me->node_name) == 0)
            *leader = residents[i].rank;
    free(residents);
    return to_errno(code);
}

/* Ranks that share memory are on one node, whatever the host is called; equal host names alone
 * prove nothing. */
static int agree_on_leader(struct mpi_group *group, struct resident *me, int *leader)
{
    MPI_Comm shared;
    int rc;

    memset(me, 0, sizeof *me);
    me->rank = group->base.rank;
    if (gethostname(me->node_name, sizeof me->node_name - 1) != 0)
        strncpy(me->node_name, "localhost", sizeof me->node_name - 1);
    if (MPI_Comm_split_type(group->comm, MPI_COMM_TYPE_SHARED, group->base.rank, MPI_INFO_NULL,
                            &shared) != MPI_SUCCESS)
        return -ECOMM;
    rc = find_leader(shared, me, leader);
    MPI_Comm_free(&shared);
    return rc;
}

/* Turns node_of_rank, which holds each rank's leader, into node numbers; a leader is never above
 * its ranks. */
static int number_nodes(struct mpi_group *group)
{
    struct weir_group *base = &group->base;
    int *node_of_rank = group->node_of_rank;

    base->node_count = 0;
    for (int rank = 0; rank < base->size; rank++) {
        bool is_leader = node_of_rank[rank] == rank;

        node_of_rank[rank] = is_leader ? base->node_count : node_of_rank[node_of_rank[rank]];
        base->node_count += is_leader;
    }
    assert(base->node_count > 0);
    group->node_leader = calloc((size_t)base->node_count, sizeof *group->node_leader);
    group->node_start = calloc((size_t)base->node_count + 1, sizeof *group->node_start);
    group->node_names = calloc((size_t)base->node_count, sizeof *group->node_names);
    if (!group->node_leader || !group->node_start || !group->node_names)
        return -ENOMEM;
    base->node = node_of_rank[base->rank];
    for (int rank = base->size - 1; rank >= 0; rank--) {
        group->node_leader[node_of_rank[rank]] = rank;
        group->node_start[node_of_rank[rank] + 1]++;
        base->node_size += node_of_rank[rank] == base->node;
        base->node_rank += rank < base->rank && node_of_rank[rank] == base->node;
    }
    for (int node = 0; node < base->node_count; node++)
        group->node_start[node + 1] += group->node_start[node];
    return 0;
}

static int describe_nodes(struct mpi_group *group)
{
    struct weir_group *base = &group->base;
    struct resident me;
    int leader;
    int rc = agree_on_leader(group, &me, &leader);

    if (rc < 0)
        return rc;
    group->node_of_rank = calloc((size_t)base->size, sizeof *group->node_of_rank);
    if (!group->node_of_rank)
        return -ENOMEM;
    rc = to_errno(MPI_Allgather(&leader, 1, MPI_INT, group->node_of_rank, 1, MPI_INT, group->comm));
    if (rc < 0)
        return rc;
    rc = number_nodes(group);
    if (rc < 0)
        return rc;
    if (base->node_rank == 0)
        memcpy(group->node_names[base->node], me.node_name, sizeof me.node_name);
    base->node_of_rank = group->node_of_rank;
    base->node_leader = group->node_leader;
    base->node_start = group->node_start;
    base->node_names = (const char(*)[WEIR_NODE_NAME_BYTES])group->node_names;
    /* Each name has one author and zeros from all others. */
    return to_errno(MPI_Allreduce(MPI_IN_PLACE, group->node_names,
                                  base->node_count * WEIR_NODE_NAME_BYTES, MPI_BYTE, MPI_BOR,
                                  group->comm));
}

/* ---- the library ---- */

static void describe_library(struct mpi_group *group)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;

    if (MPI_Get_library_version(version, &length) != MPI_SUCCESS)
        return;
    weir_group_shorten_version(version);
    memcpy(group->library, version, strnlen(version, sizeof group->library - 1));
    weir_text_make_visible(group->library, "");
    group->base.library = group->library;
}

/* ---- opening and closing ---- */

static void mpi_close(struct weir_group *base)
{
    struct mpi_group *group = mpi_group_of(base);
    bool must_finalize = group->must_finalize;

    MPI_Comm_free(&group->comm);
    free(group->node_of_rank);
    free(group->node_leader);
    free(group->node_start);
    free(group->node_names);
    free(group);
    if (must_finalize)
        MPI_Finalize();
}

static int adopt(MPI_Comm comm, struct weir_group **group);

static int mpi_part(struct weir_group *group, bool is_member, struct weir_group **part)
{
    MPI_Comm comm;

    int code = 0;

    *part = NULL;
    if (MPI_Comm_split(mpi_group_of(group)->comm, is_member ? 0 : MPI_UNDEFINED, group->rank,
                       &comm) != MPI_SUCCESS)
        return -ECOMM;
    if (is_member)
        code = adopt(comm, part);
    if (*part != NULL) {
        (*part)->around = group;
        (*part)->mismatch = group->mismatch;
    }
    return code;
}

static int mpi_reorder(struct weir_group *group, int rank, struct weir_group **ordered)
{
    MPI_Comm comm;
    int code;

    if (MPI_Comm_split(mpi_group_of(group)->comm, 0, rank, &comm) != MPI_SUCCESS)
        return -ECOMM;
    code = adopt(comm, ordered);
    if (code == 0)
        (*ordered)->mismatch = group->mismatch;
    return code;
}

static const struct weir_group_ops mpi_ops = {
    .barrier = mpi_barrier,
    .broadcast = mpi_broadcast,
    .reduce = mpi_reduce,
    .gather = mpi_gather,
    .send = mpi_send,
    .receive = mpi_receive,
    .part = mpi_part,
    .reorder = mpi_reorder,
    .has_message = mpi_has_message,
    .raise_alarm = mpi_raise_alarm,
    .hears_alarm = mpi_hears_alarm,
    .end_alarm = mpi_end_alarm,
    .ping = mpi_ping,
    .is_pinged = mpi_is_pinged,
    .has_pinged = mpi_has_pinged,
    .end_pings = mpi_end_pings,
    .close = mpi_close,
};

/* Makes a group of a communicator, which is freed with it, and in any case of failure. */
static int adopt(MPI_Comm comm, struct weir_group **opened)
{
    struct mpi_group *group = calloc(1, sizeof *group);
    int rc;

    if (!group) {
        MPI_Comm_free(&comm);
        return -ENOMEM;
    }
    group->comm = comm;
    group->base.ops = &mpi_ops;
    group->base.native = &group->comm;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &group->base.rank);
    MPI_Comm_size(comm, &group->base.size);
    describe_library(group);
    rc = describe_nodes(group);
    if (rc < 0) {
        mpi_close(&group->base);
        return rc;
    }
    *opened = &group->base;
    return 0;
}

bool weir_group_is_launched(void)
{
    struct weir_launch launch;

    weir_launch_read(NULL, &launch);
    return launch.has_rank;
}

int weir_group_mpi_open(int *argc, char ***argv, struct weir_group **group,
                        struct weir_error *error)
{
    struct weir_group *all = NULL;
    struct weir_launch launch;
    MPI_Comm comm;
    int provided;
    int rc;

    weir_launch_read(NULL, &launch);
    if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "mpi", "MPI does not start");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    rc = to_errno(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    if (rc == 0)
        rc = adopt(comm, &all);
    if (rc < 0) {
        MPI_Finalize();
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "mpi",
                              "the ranks cannot be described: %s", strerror(-rc));
    }
    mpi_group_of(all)->must_finalize = true;
    weir_launch_compare(&launch, (unsigned)all->size, weir_group_library(all), &all->mismatch);
    *group = all;
    return 0;
}

void weir_group_abort(struct weir_group *group, int exit_code)
{
    if (group && group->native)
        MPI_Abort(mpi_group_of(group)->comm, exit_code);
    _exit(exit_code);
}
