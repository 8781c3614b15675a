/* SPDX-License-Identifier: Apache-2.0 */
/* Which questions about a figure the readings of ranks and the counters of a node can answer for a
 * target. The audit records it per phase, and weir doctor prints it beforehand: both from here. */
#ifndef WEIR_BASE_OBSERVABLE_H
#define WEIR_BASE_OBSERVABLE_H

#include "weir/base/facts.h"
#include "weir/base/finding.h"

#include <stdbool.h>
#include <stdint.h>

/* What was found out on the node. */
struct weir_probes {
    const struct weir_storage_facts *storage;
    const struct weir_traffic *traffic; /* its has_... members alone are read */
    bool knows_residency;               /* the kernel reports which pages of the files it caches */
    bool knows_cpu_wait;                /* the kernel reports how long a task waited for a CPU */
    bool knows_dirty;  /* the kernel counts dirty pages of the files, or of their layer */
    bool counts_reads; /* the kernel counts for each rank what devices supplied for its reads */
};

/* Why a question cannot be answered, and what would make it answerable. */
struct weir_obstacle {
    const char *reason; /* NULL = a reading answers it */
    const char *remedy; /* NULL = nothing is known to help */
};

struct weir_obstacle weir_obstacle_find(enum weir_evidence_question question,
                                        const struct weir_probes *probes);

/* The reading that answers the question where there is no obstacle: "counters of the devices". */
const char *weir_observer_name(enum weir_evidence_question question,
                               const struct weir_probes *probes);

/* ---- counters behind a target ---- */

enum weir_counted_by {
    WEIR_COUNTED_NOWHERE, /* by nothing that this node can read */
    WEIR_COUNTED_BY_DEVICES,
    WEIR_COUNTED_BY_CLIENT, /* exact bytes of the mount */
    WEIR_COUNTED_BY_PORTS,  /* bytes of all processes on all networks */
    WEIR_COUNTED_BY_ALL     /* upper bound: ports and all disks of the node together */
};

/* Which counters see the bytes that move between the node's memory and the storage. With
 * WEIR_COUNTED_BY_ALL a small sum proves that a cache answered, and a large one proves nothing. */
enum weir_counted_by weir_counted_by(const struct weir_storage_facts *storage,
                                     const struct weir_traffic *traffic);

/* Bytes in one direction by these counters; false if there are none. */
bool weir_counted_bytes(const struct weir_storage_facts *storage,
                        const struct weir_traffic *traffic, bool writes, uint64_t *bytes);

/* ---- caches below the page cache of the target's own files ---- */

/* The loop device of the chain whose file is in the page cache of this node; NULL = none. */
const struct weir_device_facts *
weir_storage_buffered_loop(const struct weir_storage_facts *storage);

/* Whether a program on this node, or the client of a parallel file system, may cache data outside
 * of the page cache: FUSE daemons and page pools. --drop-caches does not reach these. */
bool weir_storage_has_client_cache(const struct weir_storage_facts *storage);

/* Whether data that were written may still be in memory of this node while all pages of their file
 * are clean: with all of the above, FUSE over a device, ZFS, and clients with buffers. */
bool weir_storage_hides_writes(const struct weir_storage_facts *storage);

/* Whether an option of the mount has the file system compress data (btrfs, F2FS). */
bool weir_storage_compresses(const struct weir_storage_facts *storage);

/* Whether this type of file system is memory, without storage under it: tmpfs(5), and ramfs and
 * hugetlbfs in the documentation of the kernel. */
bool weir_filesystem_is_memory(const char *type);

#endif
