/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded, for net_silent.sh: the last rank receives no more data after a while. WEIR_DEAF says
 * how: "failing", MPI says so; "silent", receives wait for what nobody sends. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { DATA_BYTES = 1024, HEARD = 200, NO_TAG = 4711 };

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    static int calls;
    const char *how = getenv("WEIR_DEAF");
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (how == NULL || rank + 1 < size || count < DATA_BYTES || ++calls < HEARD)
        return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
    if (strcmp(how, "failing") == 0)
        return MPI_ERR_OTHER;
    return PMPI_Irecv(buffer, count, type, source, NO_TAG, comm, request);
}
