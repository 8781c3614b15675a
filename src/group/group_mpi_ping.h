/* SPDX-License-Identifier: Apache-2.0 */
/* Whether other nodes are alive: a rank that waits asks, and ranks that listen answer. */
#ifndef WEIR_GROUP_GROUP_MPI_PING_H
#define WEIR_GROUP_GROUP_MPI_PING_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct weir_group;

/* All zero: no rank was asked. */
struct weir_mpi_ping {
    struct weir_mpi_pinged *peers; /* by node, on a rank that has asked; else NULL */
    MPI_Request answer;            /* the latest one, if has_answered */
    bool has_answered;
};

/* Rank 0 asks the first rank of any other node, and that of the second node asks rank 0: see
 * weir_group_ping. These three return at once. */
void weir_mpi_ping_send(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm,
                        int node);
bool weir_mpi_ping_is_open(const struct weir_mpi_ping *ping, int node);
/* Sends an answer to a question that is there, and takes answers. */
void weir_mpi_ping_serve(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm);

/* After all ranks know that one has asked: takes what is on its way, and forgets all. 0 or -errno.
 * Collective. */
int weir_mpi_ping_end(struct weir_mpi_ping *ping, const struct weir_group *group, MPI_Comm comm);

#endif
