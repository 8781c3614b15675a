/* SPDX-License-Identifier: Apache-2.0 */
/* The host's memory as the kernel counts it, cut down by the control groups that this process is
 * in. */
#include "weir/system/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the files of a control group are called, which differs between the two versions. */
struct group_words {
    const char *controller; /* in /proc/self/cgroup; "" is version 2 */
    const char *mount;
    const char *limit;
    const char *usage;
    const char *cache[2]; /* lines of memory.stat: what can be dropped */
};

static const struct group_words group_versions[] = {
    {"", "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "active_file"}},
    {"memory",
     "/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_active_file"}},
};

/* The number behind `name` at the beginning of a line; false if no line has it. */
static bool find_number(const char *path, const char *name, uint64_t *number)
{
    FILE *file = fopen(path, "re");
    size_t length = strlen(name);
    char line[256];
    bool is_found = false;

    if (file == NULL)
        return false;
    while (!is_found && fgets(line, sizeof line, file) != NULL)
        is_found =
            strncmp(line, name, length) == 0 && sscanf(line + length, " %" SCNu64, number) == 1;
    fclose(file);
    return is_found;
}

/* ---- control groups ---- */

static bool find_in_group(const char *directory, const char *file, const char *name,
                          uint64_t *number)
{
    char path[2 * PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", directory, file);
    return find_number(path, name, number);
}

/* A group without limit says "max", or the greatest number there is. */
static void apply_limit(const struct group_words *words, const char *directory,
                        struct weir_memory_facts *facts)
{
    uint64_t limit, used, cache, available;

    if (!find_in_group(directory, words->limit, "", &limit))
        return;
    if (limit < facts->bytes_total)
        facts->bytes_total = limit;
    if (!find_in_group(directory, words->usage, "", &used))
        used = 0;
    for (size_t i = 0; i < 2; i++)
        if (find_in_group(directory, "memory.stat", words->cache[i], &cache))
            used -= cache < used ? cache : used;
    available = limit > used ? limit - used : 0;
    if (available < facts->bytes_available)
        facts->bytes_available = available;
}

/* From the group itself up to the one around all. */
static void apply_limits(const struct group_words *words, const char *root, const char *group,
                         struct weir_memory_facts *facts)
{
    char directory[PATH_MAX];
    size_t stem = strlen(root) + strlen(words->mount);
    char *slash;

    if (snprintf(directory, sizeof directory, "%s%s%s", root, words->mount, group) >=
        (int)sizeof directory)
        return;
    for (;;) {
        apply_limit(words, directory, facts);
        slash = strrchr(directory, '/');
        if (slash == NULL || (size_t)(slash - directory) < stem)
            return;
        *slash = '\0';
    }
}

/* True if one of the names, which commas separate, is `name`. */
static bool is_listed(const char *names, const char *name)
{
    size_t length = strlen(name);

    for (;;) {
        size_t size = strcspn(names, ",");

        if (size == length && strncmp(names, name, length) == 0)
            return true;
        if (names[size] == '\0')
            return false;
        names += size + 1;
    }
}

/* A line of /proc/self/cgroup: number, controllers, path. */
static void apply_line(char *line, const char *root, struct weir_memory_facts *facts)
{
    char *names = strchr(line, ':');
    char *group = names != NULL ? strchr(names + 1, ':') : NULL;

    if (group == NULL)
        return;
    names++;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    for (size_t i = 0; i < sizeof group_versions / sizeof *group_versions; i++)
        if (is_listed(names, group_versions[i].controller))
            apply_limits(&group_versions[i], root, group, facts);
}

static void apply_groups(const char *root, struct weir_memory_facts *facts)
{
    char path[PATH_MAX];
    char *line = NULL;
    size_t capacity = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (getline(&line, &capacity, file) > 0)
        apply_line(line, root, facts);
    free(line);
    fclose(file);
}

int weir_memory_describe(const char *root, struct weir_memory_facts *facts)
{
    struct weir_memory_facts host;
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (!find_number(path, "MemTotal:", &host.bytes_total) ||
        !find_number(path, "MemAvailable:", &host.bytes_available))
        return -ENODATA;
    host.bytes_total *= 1024;
    host.bytes_available *= 1024;
    apply_groups(root, &host);
    *facts = host;
    return 0;
}
