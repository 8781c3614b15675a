/* SPDX-License-Identifier: Apache-2.0 */
/* Where on its host a process runs, and how much of its processors it has used. */
#ifndef WEIR_SYSTEM_PROCESSOR_H
#define WEIR_SYSTEM_PROCESSOR_H

#include <stdint.h>

/* The number of the processor package (socket) that this process runs on right now, as
 * sys/devices/system/cpu below `root` ("" but for tests) says; 0 if it does not. */
unsigned weir_processor_package(const char *root);

/* Processor time of this process with all of its threads, since it began. */
struct weir_processor_time {
    uint64_t user_ns;
    uint64_t system_ns; /* in the kernel, and of threads that the kernel made for it */
};

/* The kernel counts whole microseconds at best. */
struct weir_processor_time weir_processor_time(void);

#endif
