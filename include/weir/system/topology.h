/* SPDX-License-Identifier: Apache-2.0 */
/* Packages, NUMA nodes, cores and processors of a host, and which of them a device is near to:
 * hwloc's picture, reduced to what placing ranks needs. */
#ifndef WEIR_SYSTEM_TOPOLOGY_H
#define WEIR_SYSTEM_TOPOLOGY_H

#include "weir/base/cpu_set.h"
#include "weir/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_topology;

/* Which host. At most one is given; both NULL: this one, or what HWLOC_XMLFILE and HWLOC_SYNTHETIC
 * say. */
struct weir_topology_source {
    const char *xml_path;  /* as lstopo --of xml writes it */
    const char *synthetic; /* hwloc's form: "pack:2 numa:4 core:8 pu:2" */
};

struct weir_topology_counts {
    unsigned packages;
    unsigned numa_nodes; /* with processors: some have memory only */
    unsigned cores;
    unsigned processors;
};

/* The NUMA node, package and core of a processor. Numbers of NUMA nodes are the kernel's; of
 * cores and packages, hwloc's logical ones. */
struct weir_processor_place {
    unsigned core;
    unsigned first_of_core; /* number of the first processor of its core */
    unsigned numa_node;
    unsigned package;
};

/* Has hwloc load none of its plugins for accelerators, screens and XML in this process: a node's
 * first rank would spend tens of milliseconds on them, for which all others wait. A user's
 * HWLOC_PLUGINS_BLACKLIST is left alone. Before MPI and its threads are started: it sets a variable
 * of the environment. */
void weir_topology_leave_out_plugins(void);

/* 0, or an error that names the file or the text; exit code 3 for this host, 2 for what the user
 * named. Takes some milliseconds. */
int weir_topology_open(const struct weir_topology_source *source, struct weir_topology **topology,
                       struct weir_error *error);
/* NULL is allowed. */
void weir_topology_close(struct weir_topology *topology);

/* False if it is the picture of another one, from a file or a text. */
bool weir_topology_is_this_host(const struct weir_topology *topology);

struct weir_topology_counts weir_topology_count(const struct weir_topology *topology);

/* Processors that exist, and those of them that control groups let this process use. */
void weir_topology_processors(const struct weir_topology *topology, struct weir_cpu_set *all,
                              struct weir_cpu_set *allowed);

/* False if the host has no such processor. */
bool weir_topology_place(const struct weir_topology *topology, unsigned cpu,
                         struct weir_processor_place *place);

/* The first processors of all cores that have one in `cpus`; NUMA nodes of `cpus` as bits. */
struct weir_cpu_set weir_topology_cores(const struct weir_topology *topology,
                                        const struct weir_cpu_set *cpus);
uint64_t weir_topology_numa_nodes(const struct weir_topology *topology,
                                  const struct weir_cpu_set *cpus);

/* Processors that are nearest to a device, by its name: "nvme0n1", "mlx5_0", "eth0"; a partition
 * means its disk, a port ("mlx5_0/1") its adapter. 0; -ENODEV if the host has none of that name;
 * -ENODATA if nothing tells where it is attached (of a host with one NUMA node, all processors are
 * near, and it is no error). */
int weir_topology_near(const struct weir_topology *topology, const char *device,
                       struct weir_cpu_set *cpus);

/* The network device that a policy takes where none is named: an RDMA device that is up or does not
 * tell, else an Ethernet device that is up (known of this host only), else the first RDMA device,
 * else the first Ethernet device. Borrowed from the topology; NULL if there is none. */
const char *weir_topology_standard_nic(const struct weir_topology *topology);

#endif
