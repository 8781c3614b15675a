/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks ran, node by node. */
#include "weir/measure/places.h"
#include <stddef.h>
void weir_places_derive(struct weir_arena *arena, const struct weir_placed_rank *placed,
                        unsigned rank_count, const char *const *hosts, unsigned node_count,
                        struct weir_node_places **nodes, struct weir_rank_place **ranks)
{
    (void)arena;
    (void)placed;
    (void)rank_count;
    (void)hosts;
    (void)node_count;
    *nodes = NULL;
    *ranks = NULL;
}
const char *weir_hosts_fold(struct weir_arena *arena, const char *const *names, unsigned count,
                            unsigned shown_max)
{
    (void)arena;
    (void)count;
    (void)shown_max;
    return names[0];
}
