/* SPDX-License-Identifier: Apache-2.0 */
/* Identifies a block device, its users and its content. Nothing here writes to it. */
#ifndef WEIR_SYSTEM_BLOCK_DEVICE_H
#define WEIR_SYSTEM_BLOCK_DEVICE_H

#include "weir/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_DEVICE_TEXT_BYTES 320

/* Which device a path leads to, through links; every path to one device on one host gives the same
 * `number`. */
struct weir_block_device {
    uint64_t number; /* st_rdev; 0: unknown */
    uint64_t bytes;
};

/* 0; -ENOTBLK if it is something else, or -errno. */
int weir_block_device_find(const char *path, struct weir_block_device *device);

/* Whether the kernel has it, or a part of it, open for exclusive use: by a mounted file system,
 * swap space, a volume manager, a RAID, or a program that wants it so. `where` gets where it is
 * mounted,
 * "" if that is not why, or not known. 1 or 0; or -errno. */
int weir_block_device_is_used(const char *path, char where[WEIR_DEVICE_TEXT_BYTES]);

/* Looks for signatures of file systems, volumes and tables of partitions: `what` gets the first of
 * them, "xfs file system labelled scratch", with no byte in it that steers a terminal; "" if there
 * is none. 0 or -errno. */
int weir_block_device_signature(const char *path, char what[WEIR_DEVICE_TEXT_BYTES]);

/* Refuses a device with such a signature, for those who know no word that allows the loss. 0, or
 * the error. */
int weir_block_device_check_empty(const char *path, struct weir_error *error);

#endif
