/* SPDX-License-Identifier: Apache-2.0 */
/* What a rank knows of its host. The first rank of each node looks at what its ranks have in
 * common: topology, environment, storage and traffic. */
#ifndef WEIR_ENGINE_HOST_VIEW_H
#define WEIR_ENGINE_HOST_VIEW_H

#include "weir/measure/result.h"
#include "weir/system/running.h"
#include "weir/system/topology.h"

struct weir_run;
struct weir_engine_params;

/* Kept over all tests of a run. */
struct weir_host_view {
    struct weir_topology
        *topology;                 /* first rank of each node only; NULL if it cannot be had, ... */
    struct weir_error no_topology; /* ... and why */
    struct weir_cpu_set given;     /* where the launcher lets this rank run */
    struct weir_run_probe *probe;
    uint64_t machine;
    uint64_t memory_bytes;  /* of the node, or of the control groups that this rank is in */
    bool has_memory_policy; /* of its own (weir_memory_has_policy) */
};

/* Before the first test; tells rank 0 what all nodes are (result->node_groups, job, mpi_library).
 * Collective. */
int weir_host_view_open(struct weir_host_view *view, const struct weir_engine_params *params,
                        struct weir_result *result, struct weir_error *error);
void weir_host_view_close(struct weir_host_view *view);

/* What the nodes see behind the target of the test, and what is counted there: run->storage and
 * run->traffic_watch on the first rank of each node. */
void weir_host_view_aim(struct weir_run *run);
/* And on rank 0, of all nodes: into run->test_result. 0 or -errno. Collective. */
int weir_host_view_tell_storages(struct weir_run *run);

#endif
