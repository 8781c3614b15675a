/* SPDX-License-Identifier: Apache-2.0 */
/* The host's memory as the kernel counts it, cut down by the control groups that this process is
 * in. */
#include "weir/system/memory.h"

#include "weir/system/control_group.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

/* The names of the files of a control group, which differ between the two versions. */
struct group_words {
    const char *limit;
    const char *usage;
    const char *cache[2]; /* lines of memory.stat: what can be dropped */
};

static const struct group_words group_versions[] = {
    [1] = {"memory.limit_in_bytes",
           "memory.usage_in_bytes",
           {"total_inactive_file", "total_active_file"}},
    [2] = {"memory.max", "memory.current", {"inactive_file", "active_file"}},
};

/* A group without limit says "max", or the greatest number there is. */
static void apply_limit(void *context, const struct weir_control_group *group)
{
    const struct group_words *words = &group_versions[group->version];
    struct weir_memory_facts *facts = context;
    uint64_t limit, used, cache, available;

    if (!weir_control_group_number(group, words->limit, "", &limit))
        return;
    if (limit < facts->bytes_total)
        facts->bytes_total = limit;
    if (!weir_control_group_number(group, words->usage, "", &used))
        used = 0;
    for (size_t i = 0; i < 2; i++)
        if (weir_control_group_number(group, "memory.stat", words->cache[i], &cache))
            used -= cache < used ? cache : used;
    available = limit > used ? limit - used : 0;
    if (available < facts->bytes_available)
        facts->bytes_available = available;
}

int weir_memory_describe(const char *root, struct weir_memory_facts *facts)
{
    struct weir_memory_facts host;
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (!weir_number_find(path, "MemTotal", &host.bytes_total) ||
        !weir_number_find(path, "MemAvailable", &host.bytes_available))
        return -ENODATA;
    host.bytes_total *= 1024;
    host.bytes_available *= 1024;
    weir_control_groups_visit(root, "memory", apply_limit, &host);
    *facts = host;
    return 0;
}
