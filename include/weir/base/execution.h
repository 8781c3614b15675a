/* SPDX-License-Identifier: Apache-2.0 */
/* Where a rank really ran during a phase, and who kept it from running: plain data, read by system,
 * gathered by the engine, judged by audit, told by report. */
#ifndef WEIR_BASE_EXECUTION_H
#define WEIR_BASE_EXECUTION_H

#include "weir/base/cpu_set.h"

#include <stdbool.h>
#include <stdint.h>

/* A value that the kernel does not report. */
#define WEIR_UNKNOWN UINT64_MAX

/* The growth of a counter between two readings; WEIR_UNKNOWN if either reading is. */
static inline uint64_t weir_growth(uint64_t before, uint64_t after)
{
    if (before == WEIR_UNKNOWN || after == WEIR_UNKNOWN)
        return WEIR_UNKNOWN;
    return after > before ? after - before : 0;
}

/* NUMA nodes as bits: bit n is the node with number n. A host with more is refused
 * (weir_topology_open). */
#define WEIR_NUMA_NODES_MAX 64

/* Room for the name of a process in /proc/PID/stat (TASK_COMM_LEN). */
#define WEIR_TASK_NAME_BYTES 16

/* CPU pressure on one node in one phase. All zero = not observed. */
struct weir_pressure {
    uint32_t load_hundredths;  /* load average of the last minute */
    uint32_t some_permille;    /* of the time, some task waited for a CPU (PSI); 0 = unknown */
    bool is_sampled;           /* CPU times of all processes of the node; the members below */
    uint32_t foreign_permille; /* CPU time of all processes outside of this job, kernel threads
                                  left out: of one CPU, since the previous sample */
    uint32_t busiest_pid;      /* that process of these that used most CPU time */
    uint32_t busiest_permille; /* 0 = none used any */
    char busiest[WEIR_TASK_NAME_BYTES];
};

/* False if processes outside of the job used less CPU time than a rank waited for, `waited` in
 * parts of its time: kernel threads or other ranks had the rest. True if that is not known. */
static inline bool weir_pressure_is_foreign(const struct weir_pressure *pressure, double waited)
{
    return !pressure->is_sampled || (double)pressure->foreign_permille >= 1000.0 * waited;
}

/* A rank alone on its core waits for 1 to 5 % of its time, and with one busy process per core for
 * 33 % or more: 10 % is between them. */
#define WEIR_WAITED_PERMILLE 100

/* Returns `waited`, the share of `seconds` in which a rank waited for a CPU, if that is CPU
 * pressure, else 0. `own` is the share that ranks of the job and quotas explain; 0 = none. */
static inline double weir_pressure_weigh(const struct weir_pressure *pressure, double waited,
                                         double seconds, double own)
{
    /* Kernel threads that write back pages, serve loop devices or clean up inodes take 10 to 20 %
     * where all CPUs have a rank. */
    double least = weir_pressure_is_foreign(pressure, waited) ? 0.001 * WEIR_WAITED_PERMILLE : 0.25;

    /* 20 ms are several time slices of 3 ms, of which a short phase may lose one. Waits for one
     * another were up to 7 % more than counted. */
    return waited >= least && waited * seconds >= 0.02 && (own <= 0.0 || waited >= own + 0.15)
               ? waited
               : 0.0;
}

/* Of one rank, in one phase: between two looks just outside of its timed windows. All zero: nothing
 * was looked at. */
struct weir_execution {
    bool is_known;
    bool is_pinned;   /* by --pin */
    bool is_moved;    /* its processors are not those that it had when the test began, or it has run
                         elsewhere in between */
    bool is_narrowed; /* the launcher or a control group left it less than --pin wanted for it */
    bool is_far;      /* no processor near the device was left for it */
    bool asks_nodes;  /* the user has asked for the NUMA nodes of its memory: by --membind, or by a
                         policy that the process was started with (numactl) */
    uint32_t last_cpu;
    struct weir_cpu_set cpus;  /* that it may run on, at the end of the phase */
    struct weir_cpu_set cores; /* the first processor of each core of these */
    uint32_t given_core_count; /* cores that its launcher let it use, --pin or not; 0: not known */
    uint64_t cpu_nodes;        /* NUMA nodes of `cpus` */
    uint64_t wanted_nodes;     /* where its buffers should be: as asked, else cpu_nodes */
    uint64_t page_nodes;       /* where pages of its buffers are; 0: not known */
    uint32_t away_permille;    /* of these pages, outside of wanted_nodes */
    uint64_t wall_ns;          /* between the two looks */
    uint64_t migrations;       /* from processor to processor; WEIR_UNKNOWN */
    uint64_t preemptions;      /* involuntary context switches */
    uint64_t throttled_ns;     /* its control groups had used up their quota of processor time: sum
                                  over their processors; WEIR_UNKNOWN if there is no such group */
    uint64_t stolen_ns;        /* of the processors it started with, taken by the hypervisor */
    uint32_t stolen_cpus;      /* how many these are */
    uint64_t waited_ns;        /* time that its thread was runnable and waited for a CPU, ... */
    uint64_t waited_of_ns;     /* ... of the time from the start to its last stamp */
    /* of the node: first rank of each node only */
    struct weir_pressure pressure;
    double clock_ppm;            /* excess of the rate of Weir's clock over the kernel's */
    double clock_error_ppm;      /* bound of the error of clock_ppm; 0 = unknown */
    uint64_t storage_read_bytes; /* from block devices, by all of its threads; WEIR_UNKNOWN */
};

#endif
