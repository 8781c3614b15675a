/* SPDX-License-Identifier: Apache-2.0 */
/* Where this rank sits: the first rank of each node knows the node's topology, and gives all of its
 * ranks their processors. */
#ifndef WEIR_ENGINE_SEAT_H
#define WEIR_ENGINE_SEAT_H

#include "weir/base/execution.h"
#include "weir/measure/result.h"
#include "weir/system/running.h"
#include "weir/system/seats.h"

struct weir_run;
struct weir_engine_params;

/* What a rank keeps of its host over all tests of a run. */
struct weir_host_view {
    struct weir_topology *topology; /* first rank of each node only */
    struct weir_cpu_set given;      /* where the launcher lets this rank run */
    struct weir_run_probe *probe;
    uint64_t machine;
    bool has_memory_policy; /* of its own (weir_memory_has_policy) */
};

/* Before the first test; tells rank 0 what all nodes are (result->node_groups, job, mpi_library).
 * Collective. */
int weir_host_view_open(struct weir_host_view *view, const struct weir_engine_params *params,
                        struct weir_result *result, struct weir_error *error);
void weir_host_view_close(struct weir_host_view *view);

/* Gives this rank its seat as the test wants it (run->seat), and binds it there. Collective. */
int weir_seat_take(struct weir_run *run, struct weir_error *error);
/* The rank may run again where its launcher let it. */
void weir_seat_leave(struct weir_run *run);

/* For weir_buffers_params.place: `context` is the run. */
int weir_seat_place_memory(void *context, void *memory, size_t bytes);

/* Two looks at what happens to this rank, outside of all timed windows. */
void weir_seat_look_before(struct weir_run *run);
void weir_seat_look_after(struct weir_run *run, struct weir_execution *execution);

#endif
