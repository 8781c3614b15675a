/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the kernel for the core, package and NUMA node of the running processor, and for the time
 * used. */
#include "weir/system/processor.h"

#include "weir/base/execution.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
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
    /* Virtual machines that hide it report -1. */
    if (fscanf(file, "%d", &package) != 1 || package < 0)
        package = 0;
    fclose(file);
    return (unsigned)package;
}

uint64_t weir_processor_cache_bytes(const char *root)
{
    uint64_t most = 0;

    for (unsigned index = 0;; index++) {
        char path[PATH_MAX], unit = '\0';
        unsigned long long size = 0;
        FILE *file;

        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cache/index%u/size", root,
                 index);
        file = fopen(path, "re");
        if (file == NULL)
            return most;
        if (fscanf(file, "%llu%c", &size, &unit) < 1)
            size = 0;
        fclose(file);
        size *= unit == 'K' ? 1024u : unit == 'M' ? 1024u * 1024 : 1;
        most = size > most ? size : most;
    }
}

/* ---- cores and NUMA nodes ---- */

/* A file below sys/devices/system with a list of numbers; empty where there is none. */
static struct weir_cpu_set read_list(const char *root, const char *directory, unsigned number,
                                     const char *name)
{
    struct weir_cpu_set set = {0};
    char path[PATH_MAX], line[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/sys/devices/system/%s%u/%s", root, directory, number, name);
    file = fopen(path, "re");
    if (file == NULL)
        return set;
    if (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        weir_cpu_set_parse(line, &set);
    }
    fclose(file);
    return set;
}

struct weir_cpu_set weir_processor_cores(const char *root, const struct weir_cpu_set *cpus)
{
    struct weir_cpu_set cores = {0};

    for (unsigned cpu = weir_cpu_set_next(cpus, 0); cpu < WEIR_CPUS_MAX;
         cpu = weir_cpu_set_next(cpus, cpu + 1)) {
        struct weir_cpu_set siblings =
            read_list(root, "cpu/cpu", cpu, "topology/thread_siblings_list");

        weir_cpu_set_add(&siblings, cpu);
        weir_cpu_set_add(&cores, weir_cpu_set_next(&siblings, 0));
    }
    return cores;
}

struct weir_cpu_set weir_processor_of_node(const char *root, unsigned node)
{
    return read_list(root, "node/node", node, "cpulist");
}

/* Numbers of nodes may have gaps. */
uint64_t weir_processor_numa_nodes(const char *root, const struct weir_cpu_set *cpus)
{
    uint64_t nodes = 0;

    for (unsigned node = 0; node < WEIR_NUMA_NODES_MAX; node++) {
        struct weir_cpu_set here = weir_processor_of_node(root, node);

        here = weir_cpu_set_and(&here, cpus);
        if (!weir_cpu_set_is_empty(&here))
            nodes |= UINT64_C(1) << node;
    }
    return nodes;
}

/* ---- time ---- */

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
