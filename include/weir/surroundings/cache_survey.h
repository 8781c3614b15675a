/* SPDX-License-Identifier: Apache-2.0 */
/* How much of what a rank is about to read is in the page cache of its node. */
#ifndef WEIR_SURROUNDINGS_CACHE_SURVEY_H
#define WEIR_SURROUNDINGS_CACHE_SURVEY_H

#include "weir/base/clock.h"
#include "weir/plan/layout.h"
#include "weir/system/page_cache.h"

/* Asks the kernel about the first `op_limit` operations of `share` in the file, for a second or so
 * at most; all zero where it does not tell. `path` as the kernel knows it. */
void weir_cache_survey_measure(const char *path, const struct weir_share *share, uint64_t op_limit,
                               const struct weir_clock *clock, struct weir_residency *seen);

/* Samples the dirty pages after a write of the first `op_limit` operations of `share`, for
 * `limit_ns` at most. Operations that read by `mix` are left out; NULL = all write. All zero where
 * the kernel does not report dirty pages. */
void weir_cache_survey_dirty(const char *path, const struct weir_share *share, uint64_t op_limit,
                             struct weir_mix *mix, const struct weir_clock *clock,
                             uint64_t limit_ns, struct weir_residency *seen);

/* Samples the page cache after a phase of the first `op_count` operations of `share`, and the
 * extents under them if `asks_extents`, for 0.5 or 10 ms. All zero if the kernel reports nothing.
 */
void weir_cache_survey_after(const char *path, const struct weir_share *share, uint64_t op_count,
                             const struct weir_clock *clock, bool asks_extents,
                             struct weir_residency *left, struct weir_extent_map *extents);

/* ---- which parts of a file are asked for ---- */

#define WEIR_SURVEY_RUNS_MAX 4096
#define WEIR_SURVEY_PIECE_BYTES (UINT64_C(64) << 20)

/* The transfers of a share as contiguous runs, cut into pieces whose residency is asked for one
 * by one. Of more runs than WEIR_SURVEY_RUNS_MAX it holds that many, evenly spread. */
struct weir_cache_survey {
    const struct weir_share *share;
    uint64_t op_limit; /* transfers, also where one operation moves all of them */
    uint64_t ops_per_run;
    uint64_t run_count; /* all that there are */
    uint64_t runs_asked;
    uint64_t piece_bytes; /* of all pieces but the last one of a run */
    uint64_t pieces_per_run;
    uint64_t piece_count;
    uint64_t share_bytes; /* of all runs */
};

/* The first `op_limit` operations of `share`, which must outlive the survey; `are_single`: each is
 * a run. Pure. */
void weir_cache_survey_init(struct weir_cache_survey *survey, const struct weir_share *share,
                            uint64_t op_limit, uint64_t piece_bytes, bool are_single);

/* Piece `index` (< piece_count); it is empty where the limit leaves nothing of it. Pure. */
struct weir_extent weir_cache_survey_piece(const struct weir_cache_survey *survey, uint64_t index);

#endif
