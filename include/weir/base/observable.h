/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about a figure that the readings of ranks and the counters of a node can answer for a
 * target. The audit records this for each phase, and weir doctor prints it before a run. */
#ifndef WEIR_BASE_OBSERVABLE_H
#define WEIR_BASE_OBSERVABLE_H

#include "weir/base/facts.h"
#include "weir/base/finding.h"

#include <stdbool.h>
#include <stdint.h>

/* Facts of the node and the target. */
struct weir_probes {
    const struct weir_storage_facts *storage;
    const struct weir_traffic *traffic; /* only its has_... members are used */
    bool knows_residency;               /* the kernel reports which pages of the files it caches */
    bool knows_cpu_wait;                /* the kernel reports how long a task waited for a CPU */
    bool knows_dirty;  /* the kernel counts dirty pages of the files, or of their layer */
    bool counts_reads; /* the kernel counts for each rank what devices supplied for its reads */
};

/* The reason why a question cannot be answered, and a remedy. */
struct weir_obstacle {
    const char *reason; /* NULL = a reading answers it */
    const char *remedy; /* NULL = none is known */
};

/* Returns the obstacle to answering a question; its reason is NULL if there is none. */
struct weir_obstacle weir_obstacle_find(enum weir_evidence_question question,
                                        const struct weir_probes *probes);

/* Returns the name of the reading that answers a question without an obstacle: "counters of the
 * devices". Not of a file system in memory, of which no question about storage is asked. */
const char *weir_observer_name(enum weir_evidence_question question,
                               const struct weir_probes *probes);

/* ---- counters behind a target ---- */

enum weir_counted_by {
    WEIR_COUNTED_NOWHERE, /* no counter that this node can read */
    WEIR_COUNTED_BY_DEVICES,
    WEIR_COUNTED_BY_CLIENT, /* exact bytes of the mount */
    WEIR_COUNTED_BY_PORTS,  /* bytes of all processes on all networks */
    WEIR_COUNTED_BY_ALL     /* upper bound: ports and all disks of the node together */
};

/* Returns the counters of the bytes that move between the node's memory and the storage. With
 * WEIR_COUNTED_BY_ALL a small sum proves that a cache answered, and a large one proves nothing. */
enum weir_counted_by weir_counted_by(const struct weir_storage_facts *storage,
                                     const struct weir_traffic *traffic);

/* Sets *bytes to the bytes in one direction by these counters; false if there are none. */
bool weir_counted_bytes(const struct weir_storage_facts *storage,
                        const struct weir_traffic *traffic, bool writes, uint64_t *bytes);

/* ---- caches below the page cache of the target's own files ---- */

/* Returns the loop device below the target whose backing file goes through the page cache of this
 * node (losetup without --direct-io); NULL = none. */
const struct weir_device_facts *
weir_storage_buffered_loop(const struct weir_storage_facts *storage);

/* True if a FUSE daemon or the client of a parallel file system (GPFS page pool) may cache data
 * outside of the page cache, where --drop-caches has no effect. */
bool weir_storage_has_client_cache(const struct weir_storage_facts *storage);

/* Whether data that were written may still be in memory of this node while all pages of their file
 * are clean, or were never used: with all of the above, FUSE over a device, ZFS, and clients with
 * buffers. */
bool weir_storage_hides_writes(const struct weir_storage_facts *storage);

/* Whether an option of the mount has the file system compress data (btrfs, F2FS). */
bool weir_storage_compresses(const struct weir_storage_facts *storage);

/* Whether this type of file system is memory, without storage under it: tmpfs(5), and ramfs and
 * hugetlbfs in the documentation of the kernel. */
bool weir_filesystem_is_memory(const char *type);

#endif
