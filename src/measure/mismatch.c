/* SPDX-License-Identifier: Apache-2.0 */
/* The log of what verification found. */
#include "weir/measure/mismatch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const char *const weir_mismatch_names[WEIR_MISMATCH_KIND_COUNT] = {
    [WEIR_MISMATCH_MISPLACED] = "misplaced", [WEIR_MISMATCH_STALE] = "stale",
    [WEIR_MISMATCH_NEWER] = "newer",         [WEIR_MISMATCH_FOREIGN] = "foreign",
    [WEIR_MISMATCH_TORN] = "torn",           [WEIR_MISMATCH_ZERO] = "zero",
    [WEIR_MISMATCH_FLIP] = "flip",           [WEIR_MISMATCH_GARBAGE] = "garbage",
};

const char *weir_mismatch_name(enum weir_mismatch_kind kind)
{
    assert((unsigned)kind < WEIR_MISMATCH_KIND_COUNT);
    return weir_mismatch_names[kind];
}

/* True if `next` carries on where `stretch` ends, in the file and in what was found there. */
static bool continues(const struct weir_mismatch *stretch, const struct weir_mismatch *next)
{
    if (stretch->bytes == 0 || stretch->kind != next->kind ||
        stretch->file_number != next->file_number ||
        stretch->offset + stretch->bytes != next->offset || stretch->reader != next->reader ||
        stretch->has_found != next->has_found)
        return false;
    if (stretch->has_found == WEIR_FOUND_NOTHING)
        return true;
    return stretch->found_file == next->found_file && stretch->found_writer == next->found_writer &&
           stretch->found_generation == next->found_generation &&
           (stretch->has_found == WEIR_FOUND_WRITER ||
            stretch->found_offset + stretch->bytes == next->found_offset);
}

void weir_mismatch_log_add(struct weir_mismatch_log *log, const struct weir_mismatch *mismatch)
{
    assert(mismatch->kind < WEIR_MISMATCH_KIND_COUNT);
    log->wrong_bytes += mismatch->bytes;
    if (continues(&log->latest, mismatch)) {
        log->latest.bytes += mismatch->bytes;
        if (log->latest_is_kept)
            log->first[log->kept - 1].bytes = log->latest.bytes;
        return;
    }
    log->kinds[mismatch->kind]++;
    log->latest = *mismatch;
    log->latest_is_kept = log->kept < WEIR_MISMATCHES_KEPT;
    if (log->latest_is_kept)
        log->first[log->kept++] = *mismatch;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right)
{
    const struct weir_mismatch *a = left;
    const struct weir_mismatch *b = right;
    int order = compare_numbers(a->file_number, b->file_number);

    if (order == 0)
        order = compare_numbers(a->offset, b->offset);
    return order ? order : compare_numbers(a->reader, b->reader);
}

static void merge_kept(struct weir_mismatch_log *into, const struct weir_mismatch_log *from)
{
    struct weir_mismatch all[2 * WEIR_MISMATCHES_KEPT];
    size_t count = into->kept + from->kept;

    memcpy(all, into->first, into->kept * sizeof *all);
    memcpy(all + into->kept, from->first, from->kept * sizeof *all);
    qsort(all, count, sizeof *all, compare_places);
    into->kept = count < WEIR_MISMATCHES_KEPT ? count : WEIR_MISMATCHES_KEPT;
    memcpy(into->first, all, into->kept * sizeof *all);
}

void weir_mismatch_log_merge(struct weir_mismatch_log *into, const struct weir_mismatch_log *from)
{
    into->checked_transfers += from->checked_transfers;
    into->wrong_transfers += from->wrong_transfers;
    into->wrong_bytes += from->wrong_bytes;
    for (unsigned i = 0; i < WEIR_MISMATCH_KIND_COUNT; i++)
        into->kinds[i] += from->kinds[i];
    merge_kept(into, from);
}

struct weir_mismatch_summary weir_mismatch_summarise(struct weir_arena *arena,
                                                     const struct weir_mismatch_log *log)
{
    struct weir_mismatch_summary summary = {.checked_transfers = log->checked_transfers,
                                            .wrong_transfers = log->wrong_transfers,
                                            .wrong_bytes = log->wrong_bytes,
                                            .kept = log->kept};
    size_t bytes = log->kept * sizeof *log->first;

    memcpy(summary.kinds, log->kinds, sizeof summary.kinds);
    if (log->kept > 0)
        summary.first = memcpy(weir_arena_take(arena, bytes), log->first, bytes);
    return summary;
}
