/* SPDX-License-Identifier: Apache-2.0 */
/* hwloc's picture of a host. */
#include "weir/system/topology.h"
#include <errno.h>
#include <stddef.h>
#include <string.h>
int weir_topology_open(const struct weir_topology_source *source, struct weir_topology **topology,
                       struct weir_error *error)
{
    (void)source;
    (void)error;
    *topology = NULL;
    return 0;
}
void weir_topology_close(struct weir_topology *topology)
{
    (void)topology;
}
struct weir_topology_counts weir_topology_count(const struct weir_topology *topology)
{
    (void)topology;
    return (struct weir_topology_counts){1, 1, 1, 1};
}
void weir_topology_processors(const struct weir_topology *topology, struct weir_cpu_set *all,
                              struct weir_cpu_set *allowed)
{
    (void)topology;
    memset(all, 0, sizeof *all);
    *allowed = *all;
}
bool weir_topology_place(const struct weir_topology *topology, unsigned cpu,
                         struct weir_processor_place *place)
{
    (void)topology;
    *place = (struct weir_processor_place){.core = cpu, .first_of_core = cpu};
    return true;
}
struct weir_cpu_set weir_topology_cores(const struct weir_topology *topology,
                                        const struct weir_cpu_set *cpus)
{
    (void)topology;
    return *cpus;
}
uint64_t weir_topology_numa_nodes(const struct weir_topology *topology,
                                  const struct weir_cpu_set *cpus)
{
    (void)topology;
    (void)cpus;
    return 1;
}
int weir_topology_near(const struct weir_topology *topology, const char *device,
                       struct weir_cpu_set *cpus)
{
    (void)topology;
    (void)device;
    (void)cpus;
    return -ENODEV;
}
const char *weir_topology_standard_nic(const struct weir_topology *topology)
{
    (void)topology;
    return NULL;
}
