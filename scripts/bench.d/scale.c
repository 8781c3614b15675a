/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into a run: counts the MPI calls of rank 0 and their bytes, and prints them when MPI
 * ends, as a line of JSON on standard error. */
#include <mpi.h>
#include <stdio.h>

enum call { BARRIER, ALLREDUCE, BROADCAST, GATHER, SEND, RECEIVE, CALLS };

static const char *const names[] = {"barrier", "allreduce", "broadcast",
                                    "gather",  "send",      "receive"};
static long long calls[CALLS], bytes[CALLS];

static void note(enum call call, int count, MPI_Datatype type)
{
    int size = 0;

    PMPI_Type_size(type, &size);
    calls[call]++;
    bytes[call] += (long long)count * size;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    calls[BARRIER]++;
    return PMPI_Ibarrier(comm, request);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request *request)
{
    note(ALLREDUCE, count, type);
    return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    note(ALLREDUCE, count, type);
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    note(BROADCAST, count, type);
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Gather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
               MPI_Datatype all_type, int root, MPI_Comm comm)
{
    note(GATHER, count, type);
    return PMPI_Gather(mine, count, type, all, all_count, all_type, root, comm);
}

int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    note(SEND, count, type);
    return PMPI_Send(data, count, type, to, tag, comm);
}

int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    note(RECEIVE, count, type);
    return PMPI_Recv(data, count, type, from, tag, comm, status);
}

int MPI_Finalize(void)
{
    int rank = 0;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        for (int i = 0; i < CALLS; i++)
            fprintf(stderr, "%s\"%s\": [%lld, %lld]%s", i == 0 ? "mpi calls: {" : ", ", names[i],
                    calls[i], bytes[i], i + 1 == CALLS ? "}\n" : "");
    return PMPI_Finalize();
}
