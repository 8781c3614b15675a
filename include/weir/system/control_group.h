/* SPDX-License-Identifier: Apache-2.0 */
/* The control groups that this process is in, from its own up to the outermost one that can be
 * seen, for both versions and hosts that mix them. */
#ifndef WEIR_SYSTEM_CONTROL_GROUP_H
#define WEIR_SYSTEM_CONTROL_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed, for the time of the visit. */
struct weir_control_group {
    const char *directory; /* with `root` in front; that it is there is not said */
    unsigned version;      /* 1 or 2: what its files are called */
    bool is_own;           /* the process is in it, not in one below it */
};

/* Calls `visit` for each group with `controller` ("memory", "cpu", ...) that the process is in, and
 * for all of version 2, whatever their controllers: what a group does not control, it has no files
 * for. The innermost comes first. Groups, and where they are mounted, are those of
 * /proc/self/cgroup and /proc/self/mountinfo below `root` ("" but for tests); without the latter,
 * the places that are usual. Of a group that is mounted only in part (containers), those that can
 * be seen. */
void weir_control_groups_visit(const char *root, const char *controller,
                               void (*visit)(void *context, const struct weir_control_group *group),
                               void *context);

/* The first line of a file of the group, without its end. False if there is none. */
bool weir_control_group_line(const struct weir_control_group *group, const char *file, char *line,
                             size_t capacity);

/* The number behind `name` ("": nothing) at the beginning of a line of a file of the group. False
 * if there is none: "max" and negative numbers, which mean that there is no limit, are none. */
bool weir_control_group_number(const struct weir_control_group *group, const char *file,
                               const char *name, uint64_t *number);

/* The same for any file in which the kernel tells numbers by line, with blanks or a colon behind
 * their names (/proc/meminfo). */
bool weir_number_find(const char *path, const char *name, uint64_t *number);

/* The same for such a text, which ends with 0. */
bool weir_number_find_in(const char *text, const char *name, uint64_t *number);

#endif
