/* SPDX-License-Identifier: Apache-2.0 */
/* The part of hwloc's topology that is kept: placement and drawing of ranks read only this. */
#ifndef WEIR_SYSTEM_TOPOLOGY_PARTS_H
#define WEIR_SYSTEM_TOPOLOGY_PARTS_H

#include "weir/base/arena.h"
#include "weir/system/topology.h"

#include <stdbool.h>
#include <stdint.h>

struct weir_core_part {
    struct weir_cpu_set cpus; /* not empty */
    unsigned first;           /* the least of them */
    unsigned node;            /* index of its part */
    unsigned package;
};

/* All NUMA nodes in hwloc's order, those without processors too: there `cpus` is empty. A processor
 * is in one node only, the smallest that has it. */
struct weir_node_part {
    struct weir_cpu_set cpus;
    unsigned number; /* the kernel's */
    unsigned package;
};

enum weir_device_kind {
    WEIR_DEVICE_DISK,
    WEIR_DEVICE_NETWORK,
    WEIR_DEVICE_RDMA,
    WEIR_DEVICE_OTHER
};

enum weir_link_state { WEIR_LINK_UNKNOWN, WEIR_LINK_UP, WEIR_LINK_DOWN };

struct weir_device_part {
    const char *name;
    enum weir_device_kind kind;
    enum weir_link_state link; /* of networks */
    bool is_located;
    struct weir_cpu_set cpus; /* if located: nearest to it */
};

struct weir_topology {
    struct weir_arena arena; /* owns what is pointed to */
    bool is_this_host;
    struct weir_cpu_set all, allowed;
    struct weir_core_part *cores; /* in hwloc's logical order */
    unsigned core_count;
    int core_of[WEIR_CPUS_MAX]; /* -1: no such processor */
    struct weir_node_part *nodes;
    unsigned node_count;
    struct weir_cpu_set *packages;
    unsigned package_count;
    struct weir_device_part *devices;
    unsigned device_count;
    const uint64_t *distances; /* from node to node, by index, row by row; NULL: not known */
};

/* The device that a name means: partitions mean their disk, ports their adapter. NULL: none. */
const struct weir_device_part *weir_topology_device(const struct weir_topology *topology,
                                                    const char *name);

#endif
