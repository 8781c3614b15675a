/* SPDX-License-Identifier: Apache-2.0 */
/* Where this process runs: putting it there, and looking where it really was. */
#ifndef WEIR_SYSTEM_RUNNING_H
#define WEIR_SYSTEM_RUNNING_H

#include "weir/base/cpu_set.h"

#include <stdint.h>

/* All threads of this process, those of libraries too, from now on run on `cpus` only. 0 or
 * -errno. */
int weir_running_bind(const struct weir_cpu_set *cpus);

/* The processors that the calling thread may run on. 0 or -errno. */
int weir_running_cpus(struct weir_cpu_set *cpus);

/* Lets the calling thread run on those processors of a NUMA node that it may use already; on all of
 * them as before if there are none, or the node is not known (negative). */
void weir_running_bind_near(int32_t numa_node);

struct weir_run_probe;

/* Counters of this process and of what holds it back, as they stand. WEIR_UNKNOWN
 * (base/execution.h) where the kernel does not tell. */
struct weir_running {
    struct weir_cpu_set cpus;
    uint32_t cpu;          /* that it runs on right now */
    uint64_t migrations;   /* of the first thread */
    uint64_t preemptions;  /* of all threads */
    uint64_t throttled_ns; /* grows from reading to reading as the group does that waited most */
    uint64_t at_ns;        /* CLOCK_MONOTONIC_RAW */
};

/* Finds out where the counters are, once: /proc/self/sched, /proc/thread-self/schedstat, cpu.stat
 * of each control group from this process's own up to the root (versions 1 and 2), below `root` (""
 * but for tests). What is not there stays unknown. NULL if there is no memory. */
struct weir_run_probe *weir_run_probe_open(const char *root);
void weir_run_probe_close(struct weir_run_probe *probe);

/* Nanoseconds for which the thread that opened the probe has been runnable and has waited for a
 * CPU; WEIR_UNKNOWN if the kernel does not count them. One system call. */
uint64_t weir_run_probe_waited(const struct weir_run_probe *probe);
/* Bytes that this process, all of its threads together, has read from block devices so far;
 * WEIR_UNKNOWN if /proc/self/io is hidden or does not have them. One system call. */
uint64_t weir_run_probe_storage_read(const struct weir_run_probe *probe);

/* Reads them. Costs some ten microseconds, and allocates nothing. */
void weir_run_probe_read(struct weir_run_probe *probe, struct weir_running *running);

#endif
