/* SPDX-License-Identifier: Apache-2.0 */
/* Where this rank sits: the first rank of each node knows the node's topology, and gives all of its
 * ranks their processors. Then what becomes of the rank there, by two looks around each phase. */
#ifndef WEIR_ENGINE_BINDING_H
#define WEIR_ENGINE_BINDING_H

#include "host_view.h"

#include "weir/system/bindings.h"

struct weir_phase_facts;

/* Gives this rank its binding as the test wants it (run->binding), and binds it there. Collective.
 */
int weir_binding_take(struct weir_run *run, struct weir_error *error);
/* The rank may run again where its launcher let it. */
void weir_binding_release(struct weir_run *run);

/* For weir_buffers_params.place: `context` is the run. Why it was not 0 stands in run->failure. */
int weir_binding_place_memory(void *context, void *memory, size_t bytes);

/* Counters of this rank: before it waits for the start, and when its last stamp is taken. */
void weir_binding_sample_before(struct weir_run *run);
void weir_binding_sample_after(struct weir_run *run, struct weir_execution *execution);

/* Once no rank moves data any more: where the pages of the buffers are, and what has passed the
 * node's devices and networks. To be called after weir_binding_sample_after. 0 or -errno.
 * Collective. */
int weir_binding_sample_node(struct weir_run *run, struct weir_phase_facts *facts);

#endif
