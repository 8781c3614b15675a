/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the page cache before a phase that reads: emptied if asked for, and then measured.
 */
#ifndef WEIR_ENGINE_CACHE_STATE_H
#define WEIR_ENGINE_CACHE_STATE_H

#include "phase_windows.h"
#include "weir/system/page_cache.h"

/* Before anything is touched: may the caches be emptied as the test wants it? Collective. */
int weir_cache_state_check(struct weir_run *run, struct weir_error *error);

/* For each phase, when its share, its path and its depth are known (the search for a depth reads)
 * and before its start; does nothing for phases that do not read. Empties caches (every rank its
 * own file and the one that it reads, the first rank of each node a shared file or the whole),
 * waits for all ranks, and then sets data->facts.resident_asked_bytes and .resident_bytes; this
 * takes at most a second or so. Collective. */
int weir_cache_state_prepare(struct weir_data_phase *data, struct weir_error *error);

/* ---- which parts of a file are asked for ---- */

#define WEIR_SURVEY_RUNS_MAX 4096
#define WEIR_SURVEY_PIECE_BYTES (UINT64_C(64) << 20)

/* What a share reads, as runs of transfers that lie one behind the other, in pieces that are asked
 * about one by one. Of more runs than WEIR_SURVEY_RUNS_MAX it holds as many, evenly spread. */
struct weir_cache_survey {
    const struct weir_share *share;
    uint64_t op_limit;
    uint64_t ops_per_run;
    uint64_t run_count; /* all that there are */
    uint64_t runs_asked;
    uint64_t pieces_per_run;
    uint64_t piece_count;
    uint64_t share_bytes; /* of all runs */
};

/* The first `op_limit` transfers of `share`, which must outlive the survey. Pure. */
void weir_cache_survey_init(struct weir_cache_survey *survey, const struct weir_share *share,
                            uint64_t op_limit);

/* Piece `index` (< piece_count); it is empty where the limit leaves nothing of it. Pure. */
struct weir_extent weir_cache_survey_piece(const struct weir_cache_survey *survey, uint64_t index);

#endif
