/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel for the package of the processor that runs this, and for the time it took. */
#include "weir/system/processor.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

unsigned weir_processor_package(const char *root)
{
    char path[PATH_MAX];
    int processor = sched_getcpu();
    int package = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
             root, processor < 0 ? 0 : processor);
    file = fopen(path, "re");
    if (file == NULL)
        return 0;
    /* Virtual machines that do not tell say -1. */
    if (fscanf(file, "%d", &package) != 1 || package < 0)
        package = 0;
    fclose(file);
    return (unsigned)package;
}

static uint64_t ns_of(const struct timeval *time)
{
    return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

struct weir_processor_time weir_processor_time(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return (struct weir_processor_time){0};
    return (struct weir_processor_time){.user_ns = ns_of(&usage.ru_utime),
                                        .system_ns = ns_of(&usage.ru_stime)};
}
