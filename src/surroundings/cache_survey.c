/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel is asked about pieces of a file in random order, and for a second at most. */
#include "weir/surroundings/cache_survey.h"

/* Asking takes time where the kernel walks page by page: with mincore, and with cachestat where
 * much is cached. After this time the pieces asked so far are a fair sample. */
#define SURVEY_NS UINT64_C(1000000000)
/* Dirty pages are asked for right after a phase, for a time that may be shorter than it takes to
 * walk 64 MiB of single pages: 4 MiB of them take about 20 us. */
#define DIRTY_PIECE_BYTES (UINT64_C(4) << 20)
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

/* Pieces that were not asked about count like those that were. */
static void conclude(const struct weir_cache_survey *survey, const struct weir_residency *sum,
                     uint64_t seen_bytes, struct weir_residency *seen)
{
    double scale = (double)survey->share_bytes / (double)seen_bytes;

    *seen = *sum;
    if (seen_bytes == survey->share_bytes)
        return;
    seen->asked_bytes = (uint64_t)((double)sum->asked_bytes * scale);
    seen->resident_bytes = (uint64_t)((double)sum->resident_bytes * scale);
    seen->dirty_bytes = (uint64_t)((double)sum->dirty_bytes * scale);
}

/* In random order, so that a survey cut short by time is no special part of the file: caches
 * tend to hold the end of what was written, or the beginning. Pieces of operations that read, as
 * `mix` says, are left out. */
static void ask(struct weir_residency_probe *probe, const struct weir_cache_survey *survey,
                struct weir_mix *mix, const struct weir_clock *clock, uint64_t limit_ns,
                struct weir_residency *seen)
{
    const uint64_t begun_ns = weir_clock_ns(clock);
    struct weir_permutation order;
    struct weir_residency sum = {0};
    uint64_t seen_bytes = 0;

    weir_permutation_init(&order, survey->piece_count, SURVEY_SEED);
    for (uint64_t i = 0; i < survey->piece_count; i++) {
        uint64_t index = weir_permutation_at(&order, i);
        struct weir_extent piece = weir_cache_survey_piece(survey, index);

        if (mix != NULL && weir_mix_is_read(mix, find_run(survey, index / survey->pieces_per_run)))
            continue;
        if (weir_residency_add(probe, piece, &sum) != 0)
            return;
        seen_bytes += piece.bytes;
        if (weir_clock_ns(clock) - begun_ns > limit_ns)
            break;
    }
    if (seen_bytes > 0 && mix == NULL)
        conclude(survey, &sum, seen_bytes, seen);
    else
        *seen = sum;
}

void weir_cache_survey_measure(const char *path, const struct weir_share *share, uint64_t op_limit,
                               const struct weir_clock *clock, struct weir_residency *seen)
{
    struct weir_cache_survey survey;
    struct weir_residency_probe *probe;

    *seen = (struct weir_residency){0};
    if (weir_residency_open(path, &probe) != 0)
        return;
    weir_cache_survey_init(&survey, share, op_limit, WEIR_SURVEY_PIECE_BYTES, false);
    ask(probe, &survey, NULL, clock, SURVEY_NS, seen);
    weir_residency_close(probe);
}

void weir_cache_survey_dirty(const char *path, const struct weir_share *share, uint64_t op_limit,
                             struct weir_mix *mix, const struct weir_clock *clock,
                             uint64_t limit_ns, struct weir_residency *seen)
{
    struct weir_cache_survey survey;
    struct weir_residency_probe *probe;

    *seen = (struct weir_residency){0};
    if (weir_residency_open(path, &probe) != 0)
        return;
    if (weir_residency_knows_dirty(probe)) {
        weir_cache_survey_init(&survey, share, op_limit, DIRTY_PIECE_BYTES, mix != NULL);
        ask(probe, &survey, mix, clock, limit_ns, seen);
    }
    weir_residency_close(probe);
}
