/* SPDX-License-Identifier: Apache-2.0 */
/* How much more can be written behind a path. */
#ifndef WEIR_SYSTEM_ROOM_H
#define WEIR_SYSTEM_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct statvfs;

/* Of the file system of a path that need not exist, for the user of this process. */
struct weir_room_facts {
    bool is_known;
    bool is_quota;        /* a quota of the user allows less than the file system has */
    uint64_t store;       /* equal on ranks that see the same file system, as far as can be told */
    uint64_t bytes_free;  /* as df tells: without what is kept for root; UINT64_MAX: not known */
    uint64_t inodes_free; /* likewise */
    uint64_t file_bytes;  /* blocks that the file has already, and another content would reuse */
    bool is_there;        /* the file, or whatever has its path */
};

/* From statvfs(3), stat(2) and, on kernels from 5.14 on, quotactl_fd(2); quotas of network file
 * systems are not told by the kernel. `node` is the number of this rank's node: file systems of
 * disks and of memory differ between nodes, all others are taken to be shared. */
void weir_room_describe(const char *path, int node, struct weir_room_facts *facts);

/* Counts free bytes and inodes as statvfs(3) reports them. A file system that has more free than it
 * has at all, or counts no blocks or inodes, does not report its room: UINT64_MAX. */
void weir_room_count(const struct statvfs *reported, struct weir_room_facts *facts);

#endif
