/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel is asked about pieces of a file in random order, and for a second at most. */
#include "weir/surroundings/cache_survey.h"

/* Asking takes time where the kernel walks page by page: with mincore, and with cachestat where
 * much is cached. After this time the pieces asked so far are a fair sample. */
#define SURVEY_NS UINT64_C(1000000000)
/* Dirty pages are asked for right after a phase, for a time that may be shorter than it takes to
 * walk 64 MiB of single pages: 4 MiB of them take about 20 us. */
#define DIRTY_PIECE_BYTES (UINT64_C(4) << 20)
/* Surveys after a phase: of pages, within the budget of a phase, and of extents, which only a
 * finding needs. */
#define AFTER_NS UINT64_C(500000)
#define EXTENTS_NS UINT64_C(10000000)
/* Of the order of pieces: any number. */
#define SURVEY_SEED 1

static uint64_t divide_up(uint64_t count, uint64_t by)
{
    return (count + by - 1) / by;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Transfers of a share that are contiguous in the file. */
static uint64_t count_neighbours(const struct weir_share *share, uint64_t op_limit)
{
    if (share->order != WEIR_ORDER_SEQUENTIAL && share->order != WEIR_ORDER_RANDOM_BLOCKS)
        return 1;
    if (share->order == WEIR_ORDER_SEQUENTIAL && share->segment_bytes == share->block_bytes)
        return op_limit;
    return share->ops_per_block;
}

void weir_cache_survey_init(struct weir_cache_survey *survey, const struct weir_share *share,
                            uint64_t op_limit, uint64_t piece_bytes, bool are_single)
{
    op_limit *= share->transfers_per_op;
    *survey = (struct weir_cache_survey){
        .share = share, .op_limit = op_limit, .piece_bytes = piece_bytes};
    if (op_limit == 0)
        return;
    survey->ops_per_run = are_single ? 1 : count_neighbours(share, op_limit);
    survey->run_count = divide_up(op_limit, survey->ops_per_run);
    survey->runs_asked = least(survey->run_count, WEIR_SURVEY_RUNS_MAX);
    survey->pieces_per_run = divide_up(survey->ops_per_run * share->transfer_bytes, piece_bytes);
    survey->piece_count = survey->runs_asked * survey->pieces_per_run;
    survey->share_bytes = share->listed != NULL ? share->block_bytes / share->op_count * op_limit
                                                : op_limit * share->transfer_bytes;
}

/* As index * run_count / runs_asked, which may be too large for a word in between. */
static uint64_t find_run(const struct weir_cache_survey *survey, uint64_t index)
{
    return survey->run_count / survey->runs_asked * index +
           survey->run_count % survey->runs_asked * index / survey->runs_asked;
}

struct weir_extent weir_cache_survey_piece(const struct weir_cache_survey *survey, uint64_t index)
{
    uint64_t first_op = find_run(survey, index / survey->pieces_per_run) * survey->ops_per_run;
    uint64_t ops = least(survey->ops_per_run, survey->op_limit - first_op);
    uint64_t run_bytes =
        ops * (survey->share->listed != NULL ? weir_share_bytes(survey->share, first_op)
                                             : survey->share->transfer_bytes);
    uint64_t start = index % survey->pieces_per_run * survey->piece_bytes;

    if (start >= run_bytes)
        return (struct weir_extent){0};
    return (struct weir_extent){
        .offset = weir_share_transfer_offset(survey->share, first_op) + start,
        .bytes = least(run_bytes - start, survey->piece_bytes),
    };
}

/* ---- measuring ---- */

/* A survey in progress. */
struct inquiry {
    struct weir_residency_probe *probe;
    const struct weir_clock *clock;
    uint64_t limit_ns;
    uint64_t piece_bytes;
    struct weir_mix *mix; /* NULL = no operation is left out; else those that read are */
    struct weir_residency *seen;
    struct weir_extent_map *extents; /* NULL = only pages are counted */
};

static uint64_t scaled(uint64_t bytes, double scale)
{
    return (uint64_t)((double)bytes * scale);
}

/* Pieces that were not asked about count like those that were. */
static void conclude(const struct inquiry *inquiry, double scale)
{
    struct weir_extent_map *extents = inquiry->extents;
    struct weir_residency *seen = inquiry->seen;

    seen->asked_bytes = scaled(seen->asked_bytes, scale);
    seen->resident_bytes = scaled(seen->resident_bytes, scale);
    seen->dirty_bytes = scaled(seen->dirty_bytes, scale);
    if (extents == NULL)
        return;
    *extents = (struct weir_extent_map){
        .asked_bytes = scaled(extents->asked_bytes, scale),
        .mapped_bytes = scaled(extents->mapped_bytes, scale),
        .unwritten_bytes = scaled(extents->unwritten_bytes, scale),
        .inline_bytes = scaled(extents->inline_bytes, scale),
        .encoded_bytes = scaled(extents->encoded_bytes, scale),
        .shared_bytes = scaled(extents->shared_bytes, scale),
    };
}

/* In random order, so that a survey cut short by time is no special part of the file: caches
 * tend to hold the end of what was written, or the beginning. False if the kernel refuses. */
static bool ask(const struct inquiry *inquiry, const struct weir_cache_survey *survey)
{
    const uint64_t begun_ns = weir_clock_ns(inquiry->clock);
    struct weir_permutation order;
    uint64_t seen_bytes = 0;

    weir_permutation_init(&order, survey->piece_count, SURVEY_SEED);
    for (uint64_t i = 0; i < survey->piece_count; i++) {
        uint64_t index = weir_permutation_at(&order, i);
        struct weir_extent piece = weir_cache_survey_piece(survey, index);

        if (inquiry->mix != NULL &&
            weir_mix_is_read(inquiry->mix, find_run(survey, index / survey->pieces_per_run)))
            continue;
        if (weir_residency_add(inquiry->probe, piece, inquiry->seen) != 0 ||
            (inquiry->extents != NULL &&
             weir_extent_map_add(inquiry->probe, piece, inquiry->extents) != 0))
            return false;
        seen_bytes += piece.bytes;
        if (weir_clock_ns(inquiry->clock) - begun_ns > inquiry->limit_ns)
            break;
    }
    if (seen_bytes > 0 && seen_bytes != survey->share_bytes && inquiry->mix == NULL)
        conclude(inquiry, (double)survey->share_bytes / (double)seen_bytes);
    return true;
}

static void survey_file(const char *path, const struct weir_share *share, uint64_t op_limit,
                        bool needs_dirty, struct inquiry *inquiry)
{
    struct weir_cache_survey survey;

    *inquiry->seen = (struct weir_residency){0};
    if (weir_residency_open(path, &inquiry->probe) != 0)
        return;
    weir_cache_survey_init(&survey, share, op_limit, inquiry->piece_bytes, inquiry->mix != NULL);
    if ((!needs_dirty || weir_residency_knows_dirty(inquiry->probe)) && !ask(inquiry, &survey)) {
        *inquiry->seen = (struct weir_residency){0};
        if (inquiry->extents != NULL)
            *inquiry->extents = (struct weir_extent_map){0};
    }
    weir_residency_close(inquiry->probe);
}

void weir_cache_survey_measure(const char *path, const struct weir_share *share, uint64_t op_limit,
                               const struct weir_clock *clock, struct weir_residency *seen)
{
    struct inquiry inquiry = {.clock = clock,
                              .limit_ns = SURVEY_NS,
                              .piece_bytes = WEIR_SURVEY_PIECE_BYTES,
                              .seen = seen};

    survey_file(path, share, op_limit, false, &inquiry);
}

void weir_cache_survey_dirty(const char *path, const struct weir_share *share, uint64_t op_limit,
                             struct weir_mix *mix, const struct weir_clock *clock,
                             uint64_t limit_ns, struct weir_residency *seen)
{
    struct inquiry inquiry = {.clock = clock,
                              .limit_ns = limit_ns,
                              .piece_bytes = DIRTY_PIECE_BYTES,
                              .mix = mix,
                              .seen = seen};

    survey_file(path, share, op_limit, true, &inquiry);
}

void weir_cache_survey_after(const char *path, const struct weir_share *share, uint64_t op_count,
                             const struct weir_clock *clock, bool asks_extents,
                             struct weir_residency *left, struct weir_extent_map *extents)
{
    struct inquiry inquiry = {.clock = clock,
                              .limit_ns = asks_extents ? EXTENTS_NS : AFTER_NS,
                              .piece_bytes = DIRTY_PIECE_BYTES,
                              .seen = left,
                              .extents = asks_extents ? extents : NULL};

    *extents = (struct weir_extent_map){0};
    survey_file(path, share, op_count, false, &inquiry);
}
