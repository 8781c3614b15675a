/* SPDX-License-Identifier: Apache-2.0 */
/* Processors: how many this process may use and for how long, and how steadily they run. */
#include "kernel_files.h"
#include "subjects.h"
#include "ways_out.h"

#include "weir/base/cpu_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- which ---- */

static bool read_set(const char *list, struct weir_cpu_set *set)
{
    *set = (struct weir_cpu_set){0};
    return weir_cpu_set_parse(list, set) == 0;
}

static void add_parts(const struct weir_node_facts *node, struct weir_text *text)
{
    if (node->cores > 0)
        weir_text_add(text, ": packages: %u, NUMA nodes: %u, cores: %u", node->packages,
                      node->numa_nodes, node->cores);
}

static void tell_allowed(const struct weir_examination *examination)
{
    struct weir_diagnosis *diagnosis = examination->diagnosis;
    char allowed_list[256], online_list[256];
    struct weir_cpu_set allowed, online;
    struct weir_text parts = {0};

    if (!weir_kernel_field(examination->root, "/proc/self/status", "Cpus_allowed_list",
                           allowed_list, sizeof allowed_list) ||
        !weir_kernel_line(examination->root, "/sys/devices/system/cpu/online", online_list,
                          sizeof online_list) ||
        !read_set(allowed_list, &allowed) || !read_set(online_list, &online)) {
        weir_diagnosis_add(diagnosis, WEIR_NOTED, "processors", NULL,
                           "the kernel does not tell which there are, or which may be used");
        return;
    }
    add_parts(examination->node, &parts);
    if (weir_cpu_set_is_within(&online, &allowed)) {
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "processors", NULL, "all %u of this host%s",
                           weir_cpu_set_count(&online), weir_text_string(&parts));
    } else {
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "processors", NULL,
                           "%u of the %u of this host may be used: %s of %s",
                           weir_cpu_set_count(&allowed), weir_cpu_set_count(&online), allowed_list,
                           online_list);
        weir_help_with_group(examination, "other --cpuset-cpus, or without",
                             "--cpus-per-task or --exclusive", NULL);
        weir_diagnosis_help(diagnosis,
                            "in the shell that starts weir: taskset -cp %s $$, unless the control "
                            "group in /proc/self/cpuset forbids it",
                            online_list);
    }
    weir_text_close(&parts);
}

static void tell_quota(const struct weir_examination *examination)
{
    struct weir_limiting_group group;

    if (!weir_limiting_group_find(examination->root, WEIR_GROUP_CPU_QUOTA, &group)) {
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "CPU quota", NULL, "none");
        return;
    }
    weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "CPU quota", NULL,
                       "a control group gives this process the time of %" PRIu64 ".%02" PRIu64
                       " processors, and stops it when that is used up",
                       group.limit / 1000, group.limit % 1000 / 10);
    weir_help_with_group(examination, "a greater --cpus, or none", "--cpus-per-task or --exclusive",
                         &group);
}

/* ---- how steadily ---- */

static void tell_governor(const struct weir_examination *examination)
{
    const char *governor = examination->node->governor;

    if (governor[0] == '\0')
        weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "governor", NULL,
                           "the kernel does not choose frequencies here: a hypervisor or the "
                           "firmware does");
    else if (strcmp(governor, "performance") == 0)
        weir_diagnosis_add(examination->diagnosis, WEIR_GOOD, "governor", NULL, "performance");
    else
        weir_diagnosis_add(examination->diagnosis, WEIR_LIMITED, "governor",
                           "as root: echo performance | tee "
                           "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
                           "%s: frequencies go down where a rank waits for the storage, and "
                           "latencies up",
                           governor);
}

static void tell_smt(const struct weir_examination *examination)
{
    const char *smt = examination->node->smt;

    if (smt[0] == '\0')
        return;
    if (strncmp(smt, "not", 3) == 0)
        smt = "these processors have none, or show none";
    weir_diagnosis_add(examination->diagnosis, WEIR_NOTED, "SMT", NULL, "%s%s", smt,
                       strcmp(smt, "on") == 0
                           ? ": two ranks may come to share a core; --pin core keeps them apart"
                           : "");
}

void weir_examine_processors(const struct weir_examination *examination)
{
    tell_allowed(examination);
    tell_quota(examination);
    tell_governor(examination);
    tell_smt(examination);
}
