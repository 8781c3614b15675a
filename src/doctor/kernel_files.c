/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lines, numbers and fields. */
#include "kernel_files.h"

#include "weir/base/text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_below(const char *root, const char *path)
{
    char whole[2 * PATH_MAX];

    if (snprintf(whole, sizeof whole, "%s%s", root, path) >= (int)sizeof whole)
        return NULL;
    return fopen(whole, "re");
}

/* A line without blanks at its ends, cut to fit. */
static void copy_trimmed(char *to, size_t bytes, const char *from)
{
    size_t length;

    from += strspn(from, " \t");
    length = strcspn(from, "\n");
    while (length > 0 && strchr(" \t", from[length - 1]) != NULL)
        length--;
    snprintf(to, bytes, "%.*s", (int)length, from);
    weir_text_make_visible(to, "");
}

bool weir_kernel_line(const char *root, const char *path, char *line, size_t bytes)
{
    FILE *file = open_below(root, path);
    char found[1024] = "";
    bool is_there = file != NULL && fgets(found, sizeof found, file) != NULL;

    if (file != NULL)
        fclose(file);
    copy_trimmed(line, bytes, found);
    return is_there;
}

bool weir_kernel_number(const char *root, const char *path, uint64_t *number)
{
    char line[64];

    if (!weir_kernel_line(root, path, line, sizeof line))
        return false;
    if (strncmp(line, "max", 3) == 0) {
        *number = UINT64_MAX;
        return true;
    }
    return sscanf(line, "%" SCNu64, number) == 1;
}

/* The rest of the first line that begins with `name`. */
static bool find_row(const char *root, const char *path, const char *name, char *row, size_t bytes)
{
    FILE *file = open_below(root, path);
    size_t length = strlen(name);
    char line[1024];
    bool is_found = false;

    while (file != NULL && !is_found && fgets(line, sizeof line, file) != NULL)
        is_found = strncmp(line, name, length) == 0;
    if (file != NULL)
        fclose(file);
    if (is_found)
        copy_trimmed(row, bytes, line + length);
    return is_found;
}

bool weir_kernel_field(const char *root, const char *path, const char *name, char *value,
                       size_t bytes)
{
    char whole_name[64];

    snprintf(whole_name, sizeof whole_name, "%s:", name);
    return find_row(root, path, whole_name, value, bytes);
}

bool weir_kernel_memory(const char *root, const char *name, uint64_t *bytes)
{
    char value[64];

    if (!weir_kernel_field(root, "/proc/meminfo", name, value, sizeof value) ||
        sscanf(value, "%" SCNu64, bytes) != 1)
        return false;
    *bytes *= 1024;
    return true;
}

static bool read_limit(const char *word, uint64_t *limit)
{
    *limit = UINT64_MAX;
    return strcmp(word, "unlimited") == 0 || sscanf(word, "%" SCNu64, limit) == 1;
}

bool weir_kernel_limit(const char *root, const char *name, uint64_t *soft, uint64_t *hard)
{
    char row[128], first[32], second[32];

    return find_row(root, "/proc/self/limits", name, row, sizeof row) &&
           sscanf(row, "%31s %31s", first, second) == 2 && read_limit(first, soft) &&
           read_limit(second, hard);
}

bool weir_kernel_has_capability(const char *root, unsigned capability)
{
    char value[64];
    uint64_t inside, outside, count;

    if (!weir_kernel_field(root, "/proc/self/status", "CapEff", value, sizeof value) ||
        !(strtoull(value, NULL, 16) >> capability & 1))
        return false;
    /* The host's own namespace has all numbers of users as they are. */
    if (!weir_kernel_line(root, "/proc/self/uid_map", value, sizeof value))
        return true;
    return sscanf(value, "%" SCNu64 " %" SCNu64 " %" SCNu64, &inside, &outside, &count) == 3 &&
           inside == 0 && outside == 0 && count == UINT32_MAX;
}
