/* SPDX-License-Identifier: Apache-2.0 */
/* CPU binding of this process, and counters of its waits, migrations and reads. */
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

/* A reading of the counters. WEIR_UNKNOWN (base/execution.h) = not provided by the kernel. */
struct weir_running {
    struct weir_cpu_set cpus;
    uint32_t cpu;         /* that the thread runs on */
    uint64_t migrations;  /* of the first thread */
    uint64_t preemptions; /* of all threads */
    uint64_t
        throttled_ns; /* by CPU quotas: sum over readings of the most throttled group's growth */
    uint64_t at_ns;   /* CLOCK_MONOTONIC_RAW */
};

/* Opens the counters below `root` ("" except in tests): /proc/self/sched, /proc/self/io,
 * /proc/thread-self/schedstat, and cpu.stat of each control group from that of this process up to
 * the root (versions 1 and 2). Missing ones are WEIR_UNKNOWN in each reading. Returns NULL if no
 * memory is left. */
struct weir_run_probe *weir_run_probe_open(const char *root);
void weir_run_probe_close(struct weir_run_probe *probe);

/* Returns the nanoseconds that the thread that opened the probe has waited for a CPU while it was
 * runnable; WEIR_UNKNOWN if the kernel does not count them. One system call. */
uint64_t weir_run_probe_waited(const struct weir_run_probe *probe);
/* Returns the bytes that all threads of this process have read from block devices; WEIR_UNKNOWN if
 * /proc/self/io is hidden or has no such counter. One system call. */
uint64_t weir_run_probe_storage_read(const struct weir_run_probe *probe);

/* Reads all counters in some ten microseconds, without an allocation. */
void weir_run_probe_read(struct weir_run_probe *probe, struct weir_running *running);

#endif
