/* SPDX-License-Identifier: Apache-2.0 */
/* What the nodes of a job are, for commands that run no plan of the engine. */
#ifndef WEIR_ENGINE_NODES_H
#define WEIR_ENGINE_NODES_H

#include "weir/base/error.h"
#include "weir/group/group.h"
#include "weir/measure/result.h"

/* Tells rank 0 the kinds of nodes, the job and the MPI library (node_groups, job, mpi_library of
 * `result`; the other ranks give NULL). 0, or the error, the same on every rank. Collective. */
int weir_engine_describe_nodes(struct weir_group *group, struct weir_result *result,
                               struct weir_error *error);

#endif
