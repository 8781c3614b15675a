/* SPDX-License-Identifier: Apache-2.0 */
/* Where this rank sits: the first rank of each node knows the node's topology, and gives all of its
 * ranks their processors. Then what becomes of the rank there, by two looks around each phase. */
#ifndef WEIR_ENGINE_SEAT_H
#define WEIR_ENGINE_SEAT_H

#include "host_view.h"

#include "weir/system/seats.h"

struct weir_phase_facts;

/* Gives this rank its seat as the test wants it (run->seat), and binds it there. Collective. */
int weir_seat_take(struct weir_run *run, struct weir_error *error);
/* The rank may run again where its launcher let it. */
void weir_seat_leave(struct weir_run *run);

/* For weir_buffers_params.place: `context` is the run. Why it was not 0 stands in run->failure. */
int weir_seat_place_memory(void *context, void *memory, size_t bytes);

/* Counters of this rank: before it waits for the start, and when its last stamp is taken. */
void weir_seat_look_before(struct weir_run *run);
void weir_seat_look_after(struct weir_run *run, struct weir_execution *execution);

/* Once no rank moves data any more: where the pages of the buffers are, and what has passed the
 * node's devices and networks. To be called after weir_seat_look_after. 0 or -errno. Collective. */
int weir_seat_look_around(struct weir_run *run, struct weir_phase_facts *facts);

#endif
