/* SPDX-License-Identifier: Apache-2.0 */
/* The mounts of this process, from /proc/self/mountinfo. */
#ifndef WEIR_SYSTEM_MOUNTS_H
#define WEIR_SYSTEM_MOUNTS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Texts as they are, not made visible: options cut to fit, all others whole or "". */
struct weir_mount {
    uint64_t id;
    dev_t device;
    char part[PATH_MAX]; /* of the file system, that is mounted: "/" is all of it */
    char point[PATH_MAX];
    char type[64];
    char source[PATH_MAX];
    char options[1024];       /* of the mount */
    char super_options[4096]; /* of the file system */
};

/* Cuts `path` to its nearest parent that exists. False if there is none. */
bool weir_path_find_existing(const char *path, char existing[PATH_MAX], struct stat *found);

/* The mount that a path, which exists, is on. Its own line is found by the number that statx(2)
 * returns; files below `root`, but `path` is as it is. In a chroot whose "/" is no mount point
 * there is no such line: device, type and "ro" or "rw" come from sysfs and statfs. */
bool weir_mount_find(const char *root, const char *path, struct weir_mount *mount);

/* The mount at `point` itself; of several, the last, which hides the others. */
bool weir_mount_find_at(const char *root, const char *point, struct weir_mount *mount);

/* A path as a field of mountinfo has it: blanks, ends of lines and backslashes are written as
 * three octal digits. "" if it is too long. */
void weir_mount_path(const char *field, char path[PATH_MAX]);

#endif
