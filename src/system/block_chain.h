/* SPDX-License-Identifier: Apache-2.0 */
/* The block devices behind a device or a mount: a partition and its disk, what a volume or a RAID
 * is made of, and the device behind the file of a loop device. */
#ifndef WEIR_SYSTEM_BLOCK_CHAIN_H
#define WEIR_SYSTEM_BLOCK_CHAIN_H

#include "mounts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More is left out. */
#define WEIR_CHAIN_MAX 256

struct weir_block_link {
    char name[32]; /* in /sys/class/block */
    uint32_t level;
    bool is_partition;
    bool has_parts; /* what passes it, passes devices below it, which are in the chain too */
};

/* Each device once; its parts follow it, one level below. Begin with all zero. */
struct weir_block_chain {
    size_t count;
    struct weir_block_link links[WEIR_CHAIN_MAX];
};

/* Adds a device, of level 0, and all below it; files below `root`. Nothing if it is not there. */
void weir_block_chain_add(struct weir_block_chain *chain, const char *root, const char *name);

/* The same by its number, as stat(2) tells it. */
void weir_block_chain_add_number(struct weir_block_chain *chain, const char *root, dev_t number);

/* The same for a mounted file system, on one device or on several. */
void weir_block_chain_add_mount(struct weir_block_chain *chain, const char *root,
                                const struct weir_mount *mount);

#endif
