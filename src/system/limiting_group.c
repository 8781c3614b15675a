/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the limits of all groups up to the outermost. */
#include "weir/system/limiting_group.h"

#include "weir/system/control_group.h"

#include <inttypes.h>
#include <stdio.h>

/* Version 1 has no word for "no limit" of memory, but the greatest number of whole pages. */
#define NO_MEMORY_LIMIT (UINT64_C(1) << 62)

struct search {
    enum weir_group_limit kind;
    struct weir_limiting_group least;
};

static bool read_quota(const struct weir_control_group *group, uint64_t *limit)
{
    char line[64];
    uint64_t quota, period;

    if (group->version == 1) {
        if (!weir_control_group_number(group, "cpu.cfs_quota_us", "", &quota) ||
            !weir_control_group_number(group, "cpu.cfs_period_us", "", &period))
            return false;
    } else if (!weir_control_group_line(group, "cpu.max", line, sizeof line) ||
               sscanf(line, "%" SCNu64 " %" SCNu64, &quota, &period) != 2) {
        return false;
    }
    if (period == 0)
        return false;
    *limit = quota * 1000 / period;
    return true;
}

static bool read_memory(const struct weir_control_group *group, uint64_t *limit)
{
    const char *file = group->version == 1 ? "memory.limit_in_bytes" : "memory.max";

    return weir_control_group_number(group, file, "", limit) && *limit < NO_MEMORY_LIMIT;
}

static void compare(void *context, const struct weir_control_group *group)
{
    static const char *const files[][2] = {
        [WEIR_GROUP_CPU_QUOTA] = {"cpu.cfs_quota_us", "cpu.max"},
        [WEIR_GROUP_MEMORY] = {"memory.limit_in_bytes", "memory.max"},
    };
    struct search *search = context;
    struct weir_limiting_group *least = &search->least;
    uint64_t limit;
    bool is_limited = search->kind == WEIR_GROUP_CPU_QUOTA ? read_quota(group, &limit)
                                                           : read_memory(group, &limit);

    if (!is_limited || limit >= least->limit)
        return;
    least->limit = limit;
    least->unlimited = group->version == 1 ? "-1" : "max";
    snprintf(least->file, sizeof least->file, "%s/%s", group->directory,
             files[search->kind][group->version - 1]);
}

bool weir_limiting_group_find(const char *root, enum weir_group_limit kind,
                              struct weir_limiting_group *group)
{
    struct search search = {.kind = kind, .least = {.limit = UINT64_MAX}};

    weir_control_groups_visit(root, kind == WEIR_GROUP_CPU_QUOTA ? "cpu" : "memory", compare,
                              &search);
    if (search.least.limit == UINT64_MAX)
        return false;
    *group = search.least;
    return true;
}
