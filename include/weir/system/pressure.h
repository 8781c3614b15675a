/* SPDX-License-Identifier: Apache-2.0 */
/* CPU pressure of a host: load average, pressure stall information, and the process outside of this
 * job that used most CPU time. */
#ifndef WEIR_SYSTEM_PRESSURE_H
#define WEIR_SYSTEM_PRESSURE_H

#include "weir/base/execution.h"

#include <sys/types.h>

struct weir_pressure_watch;

/* `own` are the processes of this job on this host: they are never the busiest. Files below `root`
 * ("" but for tests). Samples the CPU time of all processes. Never NULL. */
struct weir_pressure_watch *weir_pressure_open(const char *root, const pid_t own[], size_t count);
void weir_pressure_close(struct weir_pressure_watch *watch);

/* Begins a phase: one read. */
void weir_pressure_begin(struct weir_pressure_watch *watch);
/* Ends it: two reads. `samples_tasks`: reads /proc/PID/stat of all processes, too, some 5 us for
 * each; their CPU time is that since the sample before. */
void weir_pressure_end(struct weir_pressure_watch *watch, bool samples_tasks,
                       struct weir_pressure *pressure);

#endif
