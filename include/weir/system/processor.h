/* SPDX-License-Identifier: Apache-2.0 */
/* Where on its host a process runs, and how much of its processors it has used. What is asked of
 * topology.h has more answers; this is for ranks that have no topology. */
#ifndef WEIR_SYSTEM_PROCESSOR_H
#define WEIR_SYSTEM_PROCESSOR_H

#include "weir/base/cpu_set.h"

#include <stdint.h>

/* The number of the processor package (socket) that this process runs on right now, as
 * sys/devices/system/cpu below `root` ("" but for tests) says; 0 if it does not. */
unsigned weir_processor_package(const char *root);

/* The first processors of the cores of `cpus`, and the NUMA nodes of `cpus` as bits, as
 * sys/devices/system below `root` says; a processor of which it says nothing is a core, and no
 * node. One small file is read for each processor. */
struct weir_cpu_set weir_processor_cores(const char *root, const struct weir_cpu_set *cpus);
/* The processors of a node; empty if there is no such. */
struct weir_cpu_set weir_processor_of_node(const char *root, unsigned node);
uint64_t weir_processor_numa_nodes(const char *root, const struct weir_cpu_set *cpus);

/* The largest cache of the first CPU (its last level), as sys/devices/system/cpu below `root` says;
 * 0 = unknown. */
uint64_t weir_processor_cache_bytes(const char *root);

/* Processor time of this process with all of its threads, since it began. */
struct weir_processor_time {
    uint64_t user_ns;
    uint64_t system_ns; /* in the kernel, and of threads that the kernel made for it */
};

/* The kernel counts whole microseconds at best. */
struct weir_processor_time weir_processor_time(void);

#endif
