/* SPDX-License-Identifier: Apache-2.0 */
/* From the rows of all ranks to what a record says of nodes: places, residency, traffic, memory. */
#ifndef WEIR_ENGINE_GATHER_PLACES_H
#define WEIR_ENGINE_GATHER_PLACES_H

#include "weir/measure/result.h"

/* Sets node_places, rank_places, residency, traffic and node_memory_bytes of `record`, which knows
 * its rank_count, node_count and arena. `hosts` names each rank's host. Places of a phase in which
 * no rank looked stay NULL. */
void weir_gather_places(const struct weir_rank_row *rows, const char *const *hosts,
                        struct weir_phase_result *record);

#endif
