/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel for the package of the processor that runs this. */
#include "weir/system/processor.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>

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
