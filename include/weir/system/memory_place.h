/* SPDX-License-Identifier: Apache-2.0 */
/* On which NUMA nodes memory is: asking for it, and asking the kernel where it came to be. NUMA
 * nodes are bits (base/execution.h). */
#ifndef WEIR_SYSTEM_MEMORY_PLACE_H
#define WEIR_SYSTEM_MEMORY_PLACE_H

#include "weir/base/execution.h"
#include "weir/base/pinning.h"

#include <stddef.h>

/* The NUMA nodes that `membind` means for a rank on the processors of `cpu_nodes`; 0: it leaves
 * that to the kernel. `has_own_policy`: see weir_memory_has_policy. */
uint64_t weir_memory_wanted(const struct weir_membind *membind, uint64_t cpu_nodes,
                            bool has_own_policy);

/* True if the process was started with a policy for its memory that is not the kernel's standard
 * (numactl, a launcher). */
bool weir_memory_has_policy(void);

/* NUMA nodes with memory that this process may use (Mems_allowed); 0 if the kernel does not tell.
 */
uint64_t weir_memory_nodes(void);

/* From now on pages of the memory are taken as `membind` says; none may have been touched. 0;
 * -EINVAL if the host has no such node or this process may not use it; -ENOSYS without NUMA in the
 * kernel, which is no error where `membind` asks for nothing (AUTO, NONE, and LOCAL with one node);
 * or -errno. */
int weir_memory_bind(void *memory, size_t bytes, const struct weir_membind *membind,
                     uint64_t cpu_nodes);

/* Wishes for pages of the memory on this NUMA node, such as that of the device that moves them;
 * below 0: on any. For `place` of servers (`context` is not looked at). 0: where the wish cannot be
 * told, the kernel decides. */
int weir_memory_place_near(void *context, void *memory, size_t bytes, int32_t numa_node);

/* Where the pages of memory that was touched are, by asking the kernel for some of them (at most
 * 1024, one from each of equal parts). */
struct weir_page_places {
    uint64_t nodes; /* with pages; 0: the kernel does not tell */
    unsigned pages; /* asked about, that are on these */
    unsigned on_node[WEIR_NUMA_NODES_MAX];
};

/* 0 or -errno. */
int weir_memory_sample_places(const void *memory, size_t bytes, struct weir_page_places *places);

/* How much of memory that was touched is in huge pages, of whichever kind (/proc/self/smaps below
 * `root`, "" but for tests); 0 if the kernel does not tell. Takes a millisecond or so. */
uint64_t weir_memory_huge_bytes(const char *root, const void *memory, size_t bytes);

/* Thousandths of the pages that are on none of `nodes`. */
unsigned weir_memory_away_permille(const struct weir_page_places *places, uint64_t nodes);

#endif
