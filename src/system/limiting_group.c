/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the limits of all groups up to the outermost. */
#include "weir/system/limiting_group.h"

#include "weir/system/control_group.h"
#include "weir/system/small_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- reads and writes ---- */

/* Names of the limits: files of version 1, and keys of io.max of version 2. */
static const struct {
    const char *file;
    const char *key;
} io_names[WEIR_IO_LIMITS] = {
    [WEIR_LIMIT_READ_BYTES] = {"blkio.throttle.read_bps_device", " rbps="},
    [WEIR_LIMIT_WRITE_BYTES] = {"blkio.throttle.write_bps_device", " wbps="},
    [WEIR_LIMIT_READ_OPS] = {"blkio.throttle.read_iops_device", " riops="},
    [WEIR_LIMIT_WRITE_OPS] = {"blkio.throttle.write_iops_device", " wiops="},
};

struct io_search {
    const char *root;
    struct weir_storage_facts *facts;
    bool has_own; /* a group of version 1 has been visited: the kernel ignores its parents */
};

/* The device of the facts that a line is about, by its number; NULL if it is another one. */
static const char *find_device(const struct io_search *search, const char *line)
{
    const struct weir_storage_facts *facts = search->facts;
    char number[32];

    for (uint32_t i = 0; i < facts->device_count; i++) {
        size_t length;

        if (!weir_small_file_line(number, sizeof number, "%s/sys/class/block/%s/dev", search->root,
                                  facts->devices[i].name))
            continue;
        length = strlen(number);
        if (strncmp(line, number, length) == 0 && line[length] == ' ')
            return facts->devices[i].name;
    }
    return NULL;
}

/* Keeps the least limit of each kind. `value` is NULL or "max" for no limit. */
static void add_io_limit(struct weir_io_limits *limits, unsigned kind, const char *device,
                         const char *value)
{
    uint64_t limit = value != NULL ? strtoull(value, NULL, 10) : 0;

    if (limit == 0 || (limits->per_s[kind] != 0 && limits->per_s[kind] <= limit))
        return;
    limits->per_s[kind] = limit;
    if (limits->device[0] == '\0')
        weir_small_text_copy(limits->device, sizeof limits->device, device);
}

/* Reads lines "8:16 1048576" of version 1, a file for each kind; or, if `kind` is WEIR_IO_LIMITS,
 * "8:16 rbps=max wbps=1048576 riops=max wiops=120" of version 2. */
static void read_io_file(const struct io_search *search, const char *directory, unsigned kind)
{
    struct weir_io_limits *limits = &search->facts->limits;
    char path[2 * PATH_MAX], line[256];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", directory,
             kind < WEIR_IO_LIMITS ? io_names[kind].file : "io.max");
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *device = find_device(search, line);

        if (device == NULL)
            continue;
        if (kind < WEIR_IO_LIMITS)
            add_io_limit(limits, kind, device, strchr(line, ' '));
        for (unsigned i = 0; kind == WEIR_IO_LIMITS && i < WEIR_IO_LIMITS; i++) {
            const char *key = strstr(line, io_names[i].key);

            add_io_limit(limits, i, device, key != NULL ? key + strlen(io_names[i].key) : NULL);
        }
    }
    if (file != NULL)
        fclose(file);
}

static void read_io_limits(void *context, const struct weir_control_group *group)
{
    struct io_search *search = context;

    if (group->version == 2) {
        read_io_file(search, group->directory, WEIR_IO_LIMITS);
        return;
    }
    for (unsigned kind = 0; kind < WEIR_IO_LIMITS && !search->has_own; kind++)
        read_io_file(search, group->directory, kind);
    search->has_own = true;
}

void weir_io_limits_find(const char *root, struct weir_storage_facts *facts)
{
    struct io_search search = {.root = root, .facts = facts};

    memset(&facts->limits, 0, sizeof facts->limits);
    if (facts->device_count > 0)
        weir_control_groups_visit(root, "blkio", read_io_limits, &search);
}
