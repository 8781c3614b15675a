/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the page cache before a phase that reads: emptied if asked for, and then measured.
 */
#ifndef WEIR_ENGINE_CACHE_STATE_H
#define WEIR_ENGINE_CACHE_STATE_H

#include "items.h"
#include "phase_windows.h"
#include "weir/surroundings/cache_survey.h"

/* Before anything is touched: may the caches be emptied as the test wants it? Collective. */
int weir_cache_state_check(struct weir_run *run, struct weir_error *error);

/* For each phase, when its share, its path and its depth are known (the search for a depth reads)
 * and before its start; does nothing for phases that do not read. Empties caches (every rank its
 * own file and the one that it reads, the first rank of each node a shared file or the whole),
 * waits for all ranks, and then sets data->facts.resident_asked_bytes and .resident_bytes; this
 * takes at most a second or so. Collective. */
int weir_cache_state_prepare(struct weir_data_phase *data, struct weir_error *error);

/* What of the data that this rank wrote is dirty in the page cache now: asks the kernel for
 * `limit_ns` at most (0: 0.5 ms, or 20 ms after a phase of a second or more). All zero where that
 * is not known, and in phases that write nothing. */
void weir_cache_state_count_dirty(const struct weir_data_phase *data, uint64_t limit_ns,
                                  struct weir_residency *seen);

/* The same of the first `made` items that a phase on a tree created, in the order of its share: of
 * a sample of them, as far as they are still there. Uses slot 0. */
void weir_cache_state_count_dirty_items(struct weir_items *items, const struct weir_share *order,
                                        uint64_t made, struct weir_residency *seen);

/* The same of one range of a file. */
void weir_cache_state_count_dirty_range(const struct weir_run *run, const char *path,
                                        struct weir_extent range, struct weir_residency *seen);

/* Called after the phase, outside of its windows. Finds the pages that direct I/O left in the page
 * cache, and the extents under bytes that no block device supplied: sets data->facts.origin. Takes
 * 0.5 ms at most, or 10 ms where bytes are missing. */
void weir_cache_state_conclude(struct weir_data_phase *data);

/* For each phase on a tree, before trials of depths and before the start: what the test wants
 * dropped before this phase, on all nodes once ranks have agreed behind it. True if that is
 * anything. Uses slot 0. Collective. */
bool weir_cache_state_drop_tree(struct weir_items *items, struct weir_error *error);

#endif
