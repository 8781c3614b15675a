/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of hosts and file systems as plain data: gathered by system, stored in results, read by
 * reports. */
#ifndef WEIR_BASE_FACTS_H
#define WEIR_BASE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* uname(2), cut to fit. */
struct weir_host_facts {
    char system[64];
    char node[64];
    char release[128];
    char version[128];
    char machine[64];
};

struct weir_filesystem_facts {
    bool is_known;
    uint64_t bytes_total;
    uint64_t bytes_used;   /* total minus free, as df counts it */
    uint64_t inodes_total; /* 0 where the file system does not count them */
    uint64_t inodes_used;
    char type[32]; /* as in /proc/self/mountinfo: "ext4", "fuse.glusterfs"; "" if unknown */
};

#endif
