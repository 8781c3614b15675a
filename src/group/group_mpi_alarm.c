/* SPDX-License-Identifier: Apache-2.0 */
/* Messages without content. A rank that raises the alarm, or hears it first, passes it to its
 * neighbours. */
#include "group_mpi_alarm.h"

#include <errno.h>
#include <string.h>

/* -1: there is none. */
static int neighbour(MPI_Comm comm, int number)
{
    int rank, size, child;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (number == 0)
        return rank == 0 ? -1 : (rank - 1) / WEIR_ALARM_CHILDREN;
    if (rank > (size - 1 - number) / WEIR_ALARM_CHILDREN)
        return -1;
    child = rank * WEIR_ALARM_CHILDREN + number;
    return child < size ? child : -1;
}

static int tell_neighbours(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag)
{
    int code = 0;

    for (int i = 0; i < WEIR_ALARM_NEIGHBOURS; i++) {
        int to = neighbour(comm, i);

        if (to < 0 || alarm->has_sent[i])
            continue;
        if (MPI_Isend(NULL, 0, MPI_BYTE, to, tag, comm, &alarm->requests[i]) == MPI_SUCCESS)
            alarm->has_sent[i] = true;
        else
            code = -ECOMM;
    }
    return code;
}

static int receive(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag, int number, int from)
{
    if (MPI_Recv(NULL, 0, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return -ECOMM;
    alarm->has_received[number] = true;
    return 0;
}

void weir_mpi_alarm_raise(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag)
{
    if (alarm->is_raised)
        return;
    alarm->is_raised = true;
    tell_neighbours(alarm, comm, tag);
}

bool weir_mpi_alarm_hears(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag)
{
    MPI_Status status;
    int is_there = 0;

    /* Open MPI looks first, and sees to the network after that. */
    for (int looks = 0; looks < 2 && !alarm->is_raised; looks++) {
        if (MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &is_there, &status) != MPI_SUCCESS)
            return false;
        for (int i = 0; is_there && i < WEIR_ALARM_NEIGHBOURS; i++)
            if (neighbour(comm, i) == status.MPI_SOURCE &&
                receive(alarm, comm, tag, i, status.MPI_SOURCE) == 0)
                weir_mpi_alarm_raise(alarm, comm, tag);
    }
    return alarm->is_raised;
}

int weir_mpi_alarm_end(struct weir_mpi_alarm *alarm, MPI_Comm comm, int tag)
{
    int code = tell_neighbours(alarm, comm, tag);

    for (int i = 0; i < WEIR_ALARM_NEIGHBOURS; i++) {
        int from = neighbour(comm, i);

        if (from >= 0 && !alarm->has_received[i] && receive(alarm, comm, tag, i, from) != 0)
            code = -ECOMM;
    }
    for (int i = 0; i < WEIR_ALARM_NEIGHBOURS; i++)
        if (alarm->has_sent[i] && MPI_Wait(&alarm->requests[i], MPI_STATUS_IGNORE) != MPI_SUCCESS)
            code = -ECOMM;
    memset(alarm, 0, sizeof *alarm);
    return code;
}
