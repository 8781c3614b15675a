/* SPDX-License-Identifier: Apache-2.0 */
/* The places that a policy offers to ranks, in the order in which they are taken. */
#ifndef WEIR_SYSTEM_BINDING_PLACES_H
#define WEIR_SYSTEM_BINDING_PLACES_H

#include "weir/base/pinning.h"
#include "weir/system/topology.h"

/* Room for one rank. Where a rank gets a whole NUMA node, the node offers as many places as it has
 * usable cores. */
struct weir_place {
    struct weir_cpu_set cpus;
    unsigned core; /* index of its part */
    bool is_far;
    unsigned rank_count; /* on it */
};

struct weir_places {
    struct weir_place *items;
    unsigned count;
};

/* Those of CORE, PU, NUMA, PACKAGE, STORAGE and NIC that have a processor in `usable`. `near` is
 * for STORAGE and NIC: processors near to the device. */
void weir_places_make(struct weir_places *places, const struct weir_topology *topology,
                      const struct weir_pinning *pinning, const struct weir_cpu_set *usable,
                      const struct weir_cpu_set *near);
void weir_places_close(struct weir_places *places);

#endif
