/* SPDX-License-Identifier: Apache-2.0 */
/* Questions and answers have no content; a question of one byte is the last one. Only
 * non-blocking sends are used: a peer that is stopped may not even have a connection yet. */
#include "group_mpi_ping.h"

#include "weir/group/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTION_TAG = 3, ANSWER_TAG = 4, NO_RANK = -1 };

struct weir_mpi_pinged {
    bool is_open;
    bool was_asked;
    MPI_Request question;
};

/* The rank that asks this one. */
static int asker_of(const struct weir_group *group)
{
    if (group->node_count < 2)
        return NO_RANK;
    if (group->rank == 0)
        return group->node_leader[1];
    return group->node_rank == 0 && group->node > 0 ? 0 : NO_RANK;
}

static bool asks(const struct weir_group *group, int node)
{
    if (group->rank == 0)
        return node > 0;
    return node == 0 && group->node_count > 1 && group->rank == group->node_leader[1];
}

void weir_mpi_ping_send(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm,
                        int node)
{
    struct weir_mpi_pinged *peer;

    if (!asks(group, node))
        return;
    if (ping->peers == NULL)
        ping->peers = calloc((size_t)group->node_count, sizeof *ping->peers);
    if (ping->peers == NULL || ping->peers[node].is_open)
        return;
    peer = &ping->peers[node];
    if (peer->was_asked)
        MPI_Wait(&peer->question, MPI_STATUS_IGNORE); /* it was answered */
    peer->was_asked = MPI_Isend(NULL, 0, MPI_BYTE, group->node_leader[node], QUESTION_TAG, comm,
                                &peer->question) == MPI_SUCCESS;
    peer->is_open = peer->was_asked;
}

bool weir_mpi_ping_is_open(const struct weir_mpi_ping *ping, int node)
{
    return ping->peers != NULL && ping->peers[node].is_open;
}

static int take_answer(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm,
                       int from)
{
    if (MPI_Recv(NULL, 0, MPI_BYTE, from, ANSWER_TAG, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -ECOMM;
    ping->peers[group->node_of_rank[from]].is_open = false;
    return 0;
}

/* `is_last`: no other question follows, and this one wants no answer. */
static int take_question(struct weir_mpi_ping *ping, MPI_Comm comm, int from, bool *is_last)
{
    char last;
    int bytes;
    MPI_Status status;

    if (MPI_Recv(&last, 1, MPI_BYTE, from, QUESTION_TAG, comm, &status) != MPI_SUCCESS)
        return -ECOMM;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    *is_last = bytes > 0;
    if (*is_last)
        return 0;
    if (ping->has_answered)
        MPI_Wait(&ping->answer, MPI_STATUS_IGNORE); /* a rank that asks again has received it */
    ping->has_answered =
        MPI_Isend(NULL, 0, MPI_BYTE, from, ANSWER_TAG, comm, &ping->answer) == MPI_SUCCESS;
    return ping->has_answered ? 0 : -ECOMM;
}

void weir_mpi_ping_serve(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm)
{
    int from = asker_of(group), is_there = 0;
    bool is_last;
    MPI_Status status;

    if (from != NO_RANK &&
        MPI_Iprobe(from, QUESTION_TAG, comm, &is_there, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
        is_there)
        take_question(ping, comm, from, &is_last);
    while (ping->peers != NULL &&
           MPI_Iprobe(MPI_ANY_SOURCE, ANSWER_TAG, comm, &is_there, &status) == MPI_SUCCESS &&
           is_there && take_answer(ping, group, comm, status.MPI_SOURCE) == 0)
        ;
}

/* Tells all ranks that this one may have asked that no question follows. */
static int say_last(const struct weir_group *group, MPI_Comm comm, MPI_Request *requests,
                    int *count)
{
    static const char last = 1;

    for (int node = 0; node < group->node_count; node++)
        if (asks(group, node) &&
            MPI_Isend(&last, 1, MPI_BYTE, group->node_leader[node], QUESTION_TAG, comm,
                      &requests[(*count)++]) != MPI_SUCCESS)
            return -ECOMM;
    return 0;
}

int weir_mpi_ping_end(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm)
{
    MPI_Request *requests = malloc((size_t)group->node_count * sizeof *requests);
    int count = 0, from = asker_of(group);
    int code = requests == NULL ? -ENOMEM : say_last(group, comm, requests, &count);
    bool is_last = from == NO_RANK;

    while (code == 0 && !is_last)
        code = take_question(ping, comm, from, &is_last);
    for (int node = 0; ping->peers != NULL && node < group->node_count; node++) {
        if (code == 0 && ping->peers[node].is_open)
            code = take_answer(ping, group, comm, group->node_leader[node]);
        if (code == 0 && ping->peers[node].was_asked)
            MPI_Wait(&ping->peers[node].question, MPI_STATUS_IGNORE);
    }
    if (code == 0 && ping->has_answered)
        MPI_Wait(&ping->answer, MPI_STATUS_IGNORE);
    /* One by one: gcc takes MPICH's MPI_STATUSES_IGNORE for an array without room. */
    for (int i = 0; i < count && code == 0; i++)
        if (MPI_Wait(&requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
            code = -ECOMM;
    free(requests);
    free(ping->peers);
    memset(ping, 0, sizeof *ping);
    return code;
}
