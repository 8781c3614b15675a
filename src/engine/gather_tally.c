/* SPDX-License-Identifier: Apache-2.0 */
#include "gather_tally.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All verbs, as a program may have them, submission and response. */
#define HISTOGRAMS_MAX (WEIR_TALLY_VERBS + 2)
/* Of a histogram: greatest and least value. Of the series: its interval and its end. */
#define GREATEST_WORDS (WEIR_GREATEST_COUNT + 2 * HISTOGRAMS_MAX + 2)
#define SUM_WORDS                                                                                  \
    (WEIR_SUM_COUNT + HISTOGRAMS_MAX * (2 + WEIR_HISTOGRAM_BUCKETS) + 3 * WEIR_SERIES_INTERVALS)

/* What single ranks are told by. */
static int open_times(struct weir_run *run)
{
    struct weir_gather_memory *memory = &run->gather;
    size_t ranks = (size_t)run->group->size;

    if (!run->test->tells_ranks)
        return 0;
    memory->times = calloc(ranks, sizeof *memory->times);
    memory->earlier_rows = calloc(ranks, sizeof *memory->earlier_rows);
    memory->earlier_times = calloc(ranks, sizeof *memory->earlier_times);
    return memory->times && memory->earlier_rows && memory->earlier_times ? 0 : -ENOMEM;
}

int weir_gather_open(struct weir_run *run)
{
    const struct weir_group *group = run->group;
    struct weir_gather_memory *memory = &run->gather;

    memory->words = malloc(SUM_WORDS * sizeof *memory->words);
    if (memory->words == NULL)
        return -ENOMEM;
    if (group->rank != 0)
        return 0;
    memory->rows = calloc((size_t)group->size, sizeof *memory->rows);
    memory->hosts = calloc((size_t)group->size, sizeof *memory->hosts);
    memory->visits =
        calloc((size_t)group->size * WEIR_SLOW_DIRECTORIES_KEPT, sizeof *memory->visits);
    memory->levels = malloc((size_t)WEIR_RANK_SERIES_ROWS * WEIR_RANK_SERIES_COLUMNS);
    if (memory->levels == NULL || memory->rows == NULL || memory->hosts == NULL ||
        memory->visits == NULL || open_times(run) != 0)
        return -ENOMEM;
    for (int rank = 0; rank < group->size; rank++)
        memory->hosts[rank] = group->node_names[group->node_of_rank[rank]];
    return 0;
}

void weir_gather_close(struct weir_run *run)
{
    free(run->gather.words);
    free(run->gather.rows);
    free(run->gather.times);
    free(run->gather.earlier_rows);
    free(run->gather.earlier_times);
    free(run->gather.hosts);
    free(run->gather.visits);
    free(run->gather.levels);
    run->gather = (struct weir_gather_memory){0};
}

/* ---- what the tally of the phase has ---- */

struct parts {
    struct weir_histogram *histograms[HISTOGRAMS_MAX];
    unsigned histogram_count;
    struct weir_series *series;
    bool has_backlog;
};

static void add_part(struct parts *parts, struct weir_histogram *histogram)
{
    if (histogram == NULL)
        return;
    assert(parts->histogram_count < HISTOGRAMS_MAX);
    parts->histograms[parts->histogram_count++] = histogram;
}

static struct parts parts_of(struct weir_tally *tally)
{
    struct parts parts = {.series = &tally->series, .has_backlog = tally->response != NULL};

    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++)
        add_part(&parts, tally->verbs[verb].latency);
    add_part(&parts, tally->submission);
    add_part(&parts, tally->response);
    return parts;
}

/* ---- the messages ---- */

/* A message is packed and unpacked by the same walk over its parts. */
struct message {
    uint64_t *words;
    size_t count;
    bool is_read; /* else it is being written */
};

static void pack_or_unpack(struct message *message, uint64_t *values, size_t count)
{
    uint64_t *place = message->words + message->count;

    memcpy(message->is_read ? values : place, message->is_read ? place : values,
           count * sizeof *values);
    message->count += count;
}

static void pack_or_unpack_least(struct message *message, uint64_t *value)
{
    *value = ~*value;
    pack_or_unpack(message, value, 1);
    *value = ~*value;
}

static void pack_or_unpack_extremes(struct message *message, struct weir_gathered *gathered,
                                    struct parts *parts)
{
    (void)gathered;
    for (unsigned i = 0; i < parts->histogram_count; i++) {
        pack_or_unpack(message, &parts->histograms[i]->max_ns, 1);
        pack_or_unpack_least(message, &parts->histograms[i]->min_ns);
    }
}

/* Series begin at the agreed start, so interval k is the same time on every rank once they are
 * equally coarse. */
static void pack_or_unpack_greatest(struct message *message, struct weir_gathered *gathered,
                                    struct parts *parts)
{
    uint64_t shift = parts->series->shift;
    uint64_t end = (uint64_t)parts->series->used << shift;

    pack_or_unpack(message, gathered->greatest, WEIR_GREATEST_COUNT);
    pack_or_unpack_extremes(message, gathered, parts);
    pack_or_unpack(message, &shift, 1);
    pack_or_unpack(message, &end, 1);
    weir_series_coarsen(parts->series, (uint32_t)shift);
    parts->series->used = (uint32_t)((end + (UINT64_C(1) << shift) - 1) >> shift);
}

static void pack_or_unpack_histogram(struct message *message, struct weir_histogram *histogram)
{
    unsigned first, end;

    if (histogram->min_ns > histogram->max_ns)
        return;
    first = weir_histogram_bucket(histogram->min_ns);
    end = weir_histogram_bucket(histogram->max_ns) + 1;
    pack_or_unpack(message, &histogram->total, 1);
    pack_or_unpack(message, &histogram->sum_ns, 1);
    pack_or_unpack(message, histogram->counts + first, end - first);
}

static void pack_or_unpack_histograms(struct message *message, struct weir_gathered *gathered,
                                      struct parts *parts)
{
    (void)gathered;
    for (unsigned i = 0; i < parts->histogram_count; i++)
        pack_or_unpack_histogram(message, parts->histograms[i]);
}

static void pack_or_unpack_sums(struct message *message, struct weir_gathered *gathered,
                                struct parts *parts)
{
    struct weir_series *series = parts->series;

    pack_or_unpack(message, gathered->sums, WEIR_SUM_COUNT);
    pack_or_unpack_histograms(message, gathered, parts);
    pack_or_unpack(message, series->ops, series->used);
    pack_or_unpack(message, series->bytes, series->used);
    if (parts->has_backlog)
        pack_or_unpack(message, series->backlog, series->used);
}

typedef void packing(struct message *message, struct weir_gathered *gathered, struct parts *parts);

/* The same walk over the parts packs the message and, after the reduction, unpacks it. The length
 * of the second message depends on what the first one brought: ranges of histograms, and how coarse
 * the series are, are those of all ranks by then. */
static int exchange(struct weir_run *run, packing *pack_or_unpack_parts,
                    enum weir_reduction reduction, struct weir_gathered *gathered,
                    struct parts *parts)
{
    struct message message = {.words = run->gather.words};
    int code;

    pack_or_unpack_parts(&message, gathered, parts);
    code = weir_group_reduce(run->group, message.words, message.count, reduction);
    if (code != 0)
        return code;
    message.is_read = true;
    message.count = 0;
    pack_or_unpack_parts(&message, gathered, parts);
    return 0;
}

/* Before the series become those of all ranks, and after all are equally coarse: each rank adds its
 * own to its row of a matrix. */
static int gather_rank_series(struct weir_run *run, const struct weir_series *series,
                              bool is_in_bytes)
{
    const uint64_t *own = is_in_bytes ? series->bytes : series->ops;
    uint64_t *cells = run->gather.words;
    unsigned size = (unsigned)run->group->size, rank = (unsigned)run->group->rank;
    unsigned merged = (series->used + WEIR_RANK_SERIES_COLUMNS - 1) / WEIR_RANK_SERIES_COLUMNS;
    unsigned per_row = (size + WEIR_RANK_SERIES_ROWS - 1) / WEIR_RANK_SERIES_ROWS;
    struct weir_rank_series all = {
        .ranks_per_row = per_row, .is_in_bytes = is_in_bytes, .levels = run->gather.levels};
    int code;

    run->gather.rank_series = (struct weir_rank_series){0};
    if (run->repetition >= WEIR_RANK_SERIES_REPETITIONS ||
        (uint64_t)series->used << series->shift < WEIR_RANK_SERIES_NS_MIN)
        return 0;
    all.rows = (size + per_row - 1) / per_row;
    all.columns = (series->used + merged - 1) / merged;
    all.interval_ns = (uint64_t)merged << series->shift;
    memset(cells, 0, (size_t)all.rows * all.columns * sizeof *cells);
    for (unsigned i = 0; i < series->used; i++)
        cells[(size_t)(rank / per_row) * all.columns + i / merged] += own[i];
    code = weir_group_reduce(run->group, cells, (size_t)all.rows * all.columns, WEIR_SUM);
    if (code != 0 || rank != 0)
        return code;
    /* The last row and the last column may have fewer ranks and intervals. */
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < all.rows; i++)
            for (unsigned k = 0; k < all.columns; k++) {
                size_t at = (size_t)i * all.columns + k;
                unsigned ranks = i + 1 < all.rows ? per_row : size - i * per_row;
                unsigned intervals = k + 1 < all.columns ? merged : series->used - k * merged;
                double mean = (double)cells[at] / ranks * merged / intervals;

                if (pass == 0)
                    all.greatest = fmax(all.greatest, mean);
                else if (all.greatest > 0)
                    run->gather.levels[at] = (uint8_t)(sqrt(mean / all.greatest) * 255.0 + 0.5);
            }
    if (all.greatest > 0)
        run->gather.rank_series = all;
    return 0;
}

int weir_gather_tally(struct weir_run *run, struct weir_gathered *gathered, bool is_in_bytes)
{
    struct parts parts = parts_of(run->tally);
    int code = 0;

    _Static_assert(GREATEST_WORDS <= SUM_WORDS, "one memory for both messages");
    if (run->group->size > 1)
        code = exchange(run, pack_or_unpack_greatest, WEIR_MAX, gathered, &parts);
    _Static_assert(WEIR_RANK_SERIES_ROWS * WEIR_RANK_SERIES_COLUMNS <= SUM_WORDS, "likewise");
    if (run->group->size > 1 && code == 0)
        code = gather_rank_series(run, parts.series, is_in_bytes);
    if (run->group->size > 1 && code == 0)
        code = exchange(run, pack_or_unpack_sums, WEIR_SUM, gathered, &parts);
    weir_tally_join(run->tally);
    return code;
}

/* As many at once as there is memory for. */
int weir_gather_histograms(struct weir_run *run, struct weir_histogram *histograms[],
                           unsigned count)
{
    int code = 0;

    for (unsigned done = 0; run->group->size > 1 && code == 0 && done < count;) {
        struct parts parts = {0};

        while (done < count && parts.histogram_count < HISTOGRAMS_MAX)
            add_part(&parts, histograms[done++]);
        code = exchange(run, pack_or_unpack_extremes, WEIR_MAX, NULL, &parts);
        if (code == 0)
            code = exchange(run, pack_or_unpack_histograms, WEIR_SUM, NULL, &parts);
    }
    return code;
}

/* Up to the stonewall, if the rank went on behind it. */
void weir_gather_count_own(const struct weir_tally *tally, const struct weir_phase *phase,
                           struct weir_rank_row *row)
{
    const uint64_t *stamps = tally->stamps_ns;
    bool went_on = tally->hit_deadline && phase->stop.has_wear_out;
    uint64_t paused_ns = went_on ? tally->stonewall_paused_ns : tally->paused_ns;

    row->counted_ops = went_on ? tally->stonewall_ops : row->op_count;
    row->counted_bytes = went_on ? tally->stonewall_bytes : row->byte_count;
    row->counted_ns = went_on ? tally->stonewall_ns
                              : stamps[WEIR_STAMP_MOVE_STOP] - stamps[WEIR_STAMP_MOVE_START];
    row->counted_cpu_ns =
        went_on ? tally->stonewall_cpu_ns : tally->cpu_user_ns + tally->cpu_system_ns;
    if (phase->transfers.leaves_think_out)
        row->counted_ns -= paused_ns < row->counted_ns ? paused_ns : row->counted_ns;
    if (phase->transfers.counts_close)
        row->counted_ns += stamps[WEIR_STAMP_CLOSE_STOP] - stamps[WEIR_STAMP_CLOSE_START];
}
