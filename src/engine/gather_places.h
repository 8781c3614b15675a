/* SPDX-License-Identifier: Apache-2.0 */
/* From the rows of all ranks to what a record says of nodes: places, residency, traffic, memory. */
#ifndef WEIR_ENGINE_GATHER_PLACES_H
#define WEIR_ENGINE_GATHER_PLACES_H

#include "weir/measure/result.h"

/* Sets node_places, rank_places, residency, traffic and node_memory_bytes of `record`, which knows
 * its rank_count and node_count. `hosts` names each rank's host. Places of a phase in which no rank
 * looked stay NULL. What is kept is in `arena`; rank_places may be those of `earlier`, a record in
 * the same arena or NULL. */
void weir_gather_places(struct weir_arena *arena, const struct weir_rank_row *rows,
                        const char *const *hosts, const struct weir_phase_result *earlier,
                        struct weir_phase_result *record);

#endif
