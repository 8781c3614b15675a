/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a file is in this node's page cache, and emptying that and the caches of names. */
#ifndef WEIR_SYSTEM_PAGE_CACHE_H
#define WEIR_SYSTEM_PAGE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a file, [offset, offset + bytes). */
struct weir_extent {
    uint64_t offset;
    uint64_t bytes;
};

struct weir_residency {
    uint64_t asked_bytes;    /* as far as the file goes, in whole pages */
    uint64_t resident_bytes; /* of these */
    uint64_t dirty_bytes;    /* of these: dirty or being written back; 0 with mincore */
};

struct weir_residency_probe;

/* cachestat(2) where the kernel has it and allows it, else mincore(2). Of a file on an overlay the
 * pages are those of its layer: cachestat is asked about the file in the upper directory, if that
 * can be opened. 0, or -errno: the file is
 * not there, is no regular file or device, or the kernel does not tell this user (-EPERM: mincore
 * calls all pages of a file resident that is neither this user's nor writable). */
int weir_residency_open(const char *path, struct weir_residency_probe **probe);
void weir_residency_close(struct weir_residency_probe *probe);

/* "cachestat" or "mincore". */
const char *weir_residency_source(const struct weir_residency_probe *probe);

/* True if dirty pages are counted: mincore does not know them. */
bool weir_residency_knows_dirty(const struct weir_residency_probe *probe);

/* True if the pages of files that are written below `path` can be found: of an overlay, if its
 * upper directory is visible here and is not memory. */
bool weir_residency_finds_pages(const char *path);

/* Adds the extent to `sum`. 0 or -errno. Time grows with the pages that are resident (cachestat) or
 * with the size (mincore). */
int weir_residency_add(struct weir_residency_probe *probe, struct weir_extent extent,
                       struct weir_residency *sum);

/* Extents of a part of a file, by kind. */
struct weir_extent_map {
    uint64_t asked_bytes;     /* 0 = not known */
    uint64_t mapped_bytes;    /* the rest are holes, and these are ... */
    uint64_t unwritten_bytes; /* ... allocated and never written, ... */
    uint64_t inline_bytes;    /* ... in the inode or in metadata, ... */
    uint64_t encoded_bytes;   /* ... compressed or encrypted, ... */
    uint64_t shared_bytes;    /* ... and in other files, too */
};

/* Adds up to 64 extents on the storage that lie under the part `extent` to `sum` (FS_IOC_FIEMAP).
 * Returns 0 or -errno: the file system has no extent map, or its data are in memory (DAX). */
int weir_extent_map_add(const struct weir_residency_probe *probe, struct weir_extent extent,
                        struct weir_extent_map *sum);

/* ---- emptying ---- */

/* Writes dirty pages of the file back and has the kernel drop all that no process uses. No
 * privilege is needed. 0 (a file that is not there, too) or -errno. */
int weir_cache_drop_file(const char *path);

/* The same of a file that has no dirty pages, as after weir_cache_write_back: a sync of its own
 * would have the device flushed for each file. */
int weir_cache_drop_clean_file(const char *path);

/* True if this process may empty the whole page cache of its node. Changes nothing. */
bool weir_cache_may_drop_node(const char *root);

/* Writes what is dirty in the file system of `path`, or of its nearest existing parent, back. 0 or
 * -errno. */
int weir_cache_write_back(const char *path);

/* The same, and empties the whole page cache of the node, and `with_names` its caches of names and
 * inodes. 0 or -errno. `root` is "" but for tests. */
int weir_cache_drop_node(const char *root, const char *path, bool with_names);

#endif
