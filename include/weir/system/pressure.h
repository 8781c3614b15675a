/* SPDX-License-Identifier: Apache-2.0 */
/* CPU pressure of a host: load average, pressure stall information, and the process outside of this
 * job that used most CPU time. */
#ifndef WEIR_SYSTEM_PRESSURE_H
#define WEIR_SYSTEM_PRESSURE_H

#include "weir/base/execution.h"

#include <sys/types.h>

struct weir_pressure_watch;

/* Opens the files below `root` ("" except in tests) and samples the CPU time of all processes.
 * `own` are the processes of this job on this host, which are left out. Never NULL. */
struct weir_pressure_watch *weir_pressure_open(const char *root, const pid_t own[], size_t count);
void weir_pressure_close(struct weir_pressure_watch *watch);

/* Begins a phase, with one system call. */
void weir_pressure_begin(struct weir_pressure_watch *watch);
/* Ends a phase, with two system calls. After a second or more, and after 20 ms if PSI or this rank
 * (`waited_ns`, WEIR_UNKNOWN) shows waits for CPUs, reads /proc/PID/stat of all processes, too, in
 * some 5 us each; their CPU time is counted from the previous sample. */
void weir_pressure_end(struct weir_pressure_watch *watch, uint64_t waited_ns,
                       struct weir_pressure *pressure);

#endif
