/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of whole runs: sweeps, record by file size, targets, pairs of weir net, programs. */
#include "picture/pictures.h"

#include "sweep/sweep.h"
#include "targets/targets.h"

#include "weir/measure/median.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sweeps ---- */

/* A number, or a size with its unit; NAN = neither. */
static double number_of(const char *value)
{
    uint64_t size;

    return value != NULL && weir_size_parse(value, &size) == 0 && size > 0 ? (double)size : NAN;
}

static const char *shown_rate(struct weir_pictures *pictures, double rate, bool counts_ops)
{
    return weir_pictures_text(
        pictures, counts_ops ? WEIR_QUANTITY_OPS_PER_S : WEIR_QUANTITY_BYTES_PER_S, rate);
}

static void set_axis(struct weir_pictures *pictures, struct weir_axis *axis,
                     const struct weir_sweep_axis *sweep)
{
    const char *last = sweep->count > 0 ? sweep->values[sweep->count - 1] : "";
    bool is_size = last[0] != '\0' && strchr("kmgtKMGTbB", last[strlen(last) - 1]) != NULL;
    const char **names = weir_arena_take(&pictures->arena, (sweep->count + 1) * sizeof *names);

    *axis = (struct weir_axis){.label = sweep->name,
                               .quantity = is_size ? WEIR_QUANTITY_BYTES : WEIR_QUANTITY_NUMBER,
                               .scale = WEIR_SCALE_LOG2,
                               .names = names,
                               .name_count = sweep->count};
    for (unsigned i = 0; i < sweep->count; i++) {
        names[i] = sweep->values[i];
        if (isnan(number_of(sweep->values[i])))
            axis->scale = WEIR_SCALE_NAMES;
    }
}

static void add_curve(struct weir_pictures *pictures, const struct weir_sweep *sweep,
                      const struct weir_sweep_table *table)
{
    const struct weir_trend *trend = &table->trends[0];
    double limit = table->counts_ops ? 0 : table->limit, first = 0, parts_first = 1;
    struct weir_points ideal = {0}, ranges, dots, rule;
    struct weir_picture *picture = weir_pictures_add(
        pictures, "sweep", table->name, 5,
        weir_arena_printf(&pictures->arena, "%s over %s", table->name, sweep->axes[0].name),
        "Medians of repetitions with the least and the greatest. The knee is the first step that "
        "is not below the best one by more than the noise.");

    if (picture == NULL)
        return;
    set_axis(pictures, &picture->x, &sweep->axes[0]);
    picture->y = (struct weir_axis){.label = "rate",
                                    .quantity = table->counts_ops ? WEIR_QUANTITY_OPS_PER_S
                                                                  : WEIR_QUANTITY_BYTES_PER_S,
                                    .has_zero = true};
    dots = weir_pictures_add_layer(pictures, picture, WEIR_MARK_DOTS, 0, "median", table->count,
                                   WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS | WEIR_HAS_ODD);
    rule = weir_pictures_add_layer(pictures, picture, WEIR_MARK_LINE, 0, NULL, table->count, 0);
    *rule.layer = *dots.layer;
    rule.layer->mark = WEIR_MARK_LINE;
    rule.layer->name = NULL;
    rule.layer->labels = NULL;
    ranges = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RANGES, 0, NULL, table->count,
                                     WEIR_HAS_RANGE);
    ranges.layer->x = dots.x;
    if (table->has_efficiency) {
        ideal = weir_pictures_add_layer(pictures, picture, WEIR_MARK_LINE, WEIR_TONE_REFERENCE,
                                        "ideal: as many times the first", table->count,
                                        WEIR_HAS_X | WEIR_HAS_Y);
    }
    for (unsigned i = 0; i < table->count; i++) {
        const struct weir_sweep_row *row = &table->rows[i];
        double median = row->count > 0 ? trend->steps[i].median : NAN;

        dots.x[i] = picture->x.scale == WEIR_SCALE_NAMES ? i : number_of(row->values[0]);
        dots.y[i] = median;
        dots.is_odd[i] = row->state != WEIR_SWEEP_COMPLETE;
        ranges.low[i] = row->count > 0 ? row->rate_min : NAN;
        ranges.high[i] = row->count > 0 ? row->rate_max : NAN;
        if (first <= 0 && median > 0) {
            first = median;
            parts_first = row->rank_count > 0 ? row->rank_count : 1;
        }
        if (table->has_efficiency) {
            ideal.x[i] = dots.x[i];
            ideal.y[i] = row->rank_count > 0 ? first * row->rank_count / parts_first : NAN;
        }
        if (trend->can_tell && i == trend->knee && row->count > 0)
            dots.labels[i] = limit > 0
                                 ? weir_arena_printf(&pictures->arena, "knee, %.0f %% of limit",
                                                     100 * median / limit)
                                 : "knee";
        else if (i == trend->best && row->count > 0 && limit > 0)
            dots.labels[i] =
                weir_arena_printf(&pictures->arena, "%.0f %% of limit", 100 * median / limit);
        else if (i == trend->best && row->count > 0)
            dots.labels[i] = shown_rate(pictures, median, table->counts_ops);
    }
    if (table->has_efficiency) {
        double top = limit > 0 ? limit : 0;

        for (unsigned i = 0; i < table->count; i++)
            top = fmax(top, isnan(ranges.high[i]) ? 0 : ranges.high[i]);
        /* The line ends 10 % above the greatest rate, so that it does not flatten the curve. */
        for (unsigned i = 0; i < table->count && ideal.layer->count == table->count; i++)
            if (ideal.y[i] > 1.1 * top) {
                ideal.x[i] *= picture->x.scale == WEIR_SCALE_NAMES ? 1 : 1.1 * top / ideal.y[i];
                ideal.y[i] = 1.1 * top;
                ideal.layer->count = i + 1;
            }
    }
    if (limit > 0) {
        rule = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE, WEIR_TONE_ODD, NULL, 1,
                                       WEIR_HAS_Y | WEIR_HAS_LABELS);
        rule.y[0] = limit;
        rule.labels[0] = weir_arena_printf(&pictures->arena, "limit %s",
                                           shown_rate(pictures, limit, table->counts_ops));
    }
}

static void add_grid(struct weir_pictures *pictures, const struct weir_sweep *sweep,
                     const struct weir_sweep_table *table)
{
    struct weir_cells *cells = weir_arena_take(&pictures->arena, sizeof *cells);
    double *values = weir_arena_take(&pictures->arena, (table->count + 1) * sizeof *values);
    bool *is_odd = weir_arena_take(&pictures->arena, table->count + 1);
    struct weir_picture *picture =
        weir_pictures_add(pictures, "sweep", table->name, 0,
                          weir_arena_printf(&pictures->arena, "%s over %s and %s", table->name,
                                            sweep->axes[0].name, sweep->axes[1].name),
                          "Medians of repetitions.");

    if (picture == NULL)
        return;
    set_axis(pictures, &picture->y, &sweep->axes[0]);
    set_axis(pictures, &picture->x, &sweep->axes[1]);
    picture->x.scale = picture->y.scale = WEIR_SCALE_NAMES;
    for (unsigned i = 0; i < table->count; i++) {
        const struct weir_trend_step *step =
            &table->trends[i / table->group_size].steps[i % table->group_size];

        values[i] = table->rows[i].count > 0 ? step->median : NAN;
        is_odd[i] = table->rows[i].state != WEIR_SWEEP_COMPLETE;
    }
    *cells = (struct weir_cells){.rows = table->group_count,
                                 .columns = table->group_size,
                                 .values = values,
                                 .is_odd = is_odd,
                                 .odd_name = "incomplete",
                                 .quantity = table->counts_ops ? WEIR_QUANTITY_OPS_PER_S
                                                               : WEIR_QUANTITY_BYTES_PER_S};
    picture->cells = cells;
}

/* Latency over rate of the steps of a sweep, as far as their phases have both. */
static void add_latencies(struct weir_pictures *pictures, const struct weir_sweep *sweep)
{
    const struct weir_measured_run *run = pictures->run;
    static const char *const figures[] = {"p50", "p99"};
    const struct weir_measured_phase *first = NULL;
    struct weir_picture *picture = NULL;

    if (sweep->axis_count != 1 ||
        (strcmp(sweep->axes[0].name, "depth") != 0 && strcmp(sweep->axes[0].name, "rate") != 0))
        return;
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];

        if (phase->is_timed && phase->part[0] == '\0' && weir_measured_find(phase, "p50") != NULL &&
            (first == NULL || strcmp(first->name, phase->name) != 0) &&
            (picture = weir_pictures_add(
                 pictures, "load", phase->name, 2,
                 weir_arena_printf(&pictures->arena, "%s: latency over rate", phase->name),
                 "A point for each step and repetition.")) != NULL) {
            first = phase;
            picture->x = (struct weir_axis){
                .label = "rate", .quantity = WEIR_QUANTITY_OPS_PER_S, .has_zero = true};
            picture->y = (struct weir_axis){.label = "time of an operation",
                                            .quantity = WEIR_QUANTITY_SECONDS,
                                            .scale = WEIR_SCALE_LOG};
            for (unsigned f = 0; f < 2; f++) {
                struct weir_points dots = weir_pictures_add_layer(
                    pictures, picture, WEIR_MARK_DOTS, f, figures[f], run->phase_count,
                    WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS);

                dots.layer->count = 0;
                for (unsigned k = i; k < run->phase_count; k++) {
                    const struct weir_measured_phase *at = &run->phases[k];
                    const struct weir_measured_figure *rate = weir_measured_find(at, "ops");
                    const struct weir_measured_figure *value = weir_measured_find(at, figures[f]);

                    if (rate == NULL || value == NULL || strcmp(at->name, phase->name) != 0)
                        continue;
                    dots.x[dots.layer->count] = rate->value;
                    dots.y[dots.layer->count] = value->value;
                    dots.labels[dots.layer->count++] =
                        at->repetition == 0 && f == 0 ? at->step : NULL;
                }
            }
        }
        if (first == NULL && phase->step[0] != '\0' && i > 4096)
            return;
    }
}

void weir_pictures_make_sweep(struct weir_pictures *pictures)
{
    const struct weir_plan *plan = pictures->run->plan;
    const struct weir_sweep_table *tables;
    unsigned count = 0;

    if (plan == NULL || plan->sweep.axis_count == 0)
        return;
    tables = weir_sweep_tables(&pictures->arena, plan, pictures->run->result, &count);
    for (unsigned i = 0; i < count; i++)
        (plan->sweep.axis_count == 1 ? add_curve : add_grid)(pictures, &plan->sweep, &tables[i]);
    add_latencies(pictures, &plan->sweep);
}

/* ---- record by file size ---- */

#define CELLS_MAX 65536

static int compare_sizes(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return a < b ? -1 : a > b;
}

/* Sorts sizes and removes duplicates. Returns the number of sizes left. */
static unsigned sort_sizes(uint64_t sizes[], unsigned count)
{
    unsigned kept = 0;

    qsort(sizes, count, sizeof *sizes, compare_sizes);
    for (unsigned i = 0; i < count; i++)
        if (kept == 0 || sizes[i] != sizes[kept - 1])
            sizes[kept++] = sizes[i];
    return kept;
}

static const char **name_sizes(struct weir_pictures *pictures, const uint64_t sizes[],
                               unsigned count)
{
    const char **names = weir_arena_take(&pictures->arena, (count + 1) * sizeof *names);

    for (unsigned i = 0; i < count; i++) {
        char room[WEIR_SIZE_TEXT_BYTES];

        names[i] = weir_arena_copy(&pictures->arena, weir_size_format_exact(sizes[i], room));
    }
    return names;
}

static unsigned find_size(const uint64_t sizes[], unsigned count, uint64_t size)
{
    for (unsigned i = 0; i < count; i++)
        if (sizes[i] == size)
            return i;
    return 0;
}

/* The phases of one name, if they have several sizes of records or files. */
static void add_record_grid(struct weir_pictures *pictures, const char *name)
{
    const struct weir_measured_run *run = pictures->run;
    size_t bytes = (run->phase_count + 1) * sizeof(uint64_t);
    uint64_t *files = weir_arena_take(&pictures->arena, bytes);
    uint64_t *records = weir_arena_take(&pictures->arena, bytes);
    unsigned count = 0, rows, columns;
    struct weir_picture *picture;
    struct weir_cells *cells;
    double *values;
    bool *is_odd;

    for (unsigned i = 0; i < run->phase_count; i++)
        if (strcmp(run->phases[i].name, name) == 0 && run->phases[i].is_timed &&
            weir_measured_find(&run->phases[i], "rate") != NULL) {
            files[count] = run->phases[i].block_bytes;
            records[count++] = run->phases[i].transfer_bytes;
        }
    rows = sort_sizes(files, count);
    columns = sort_sizes(records, count);
    if (rows < 2 || (size_t)rows * columns < 4 || (size_t)rows * columns > CELLS_MAX)
        return;
    picture = weir_pictures_add(
        pictures, "records", name, 0,
        weir_arena_printf(&pictures->arena, "%s: rate by record and file size", name),
        "The last repetition of each. Hatched rates are not the storage's.");
    if (picture == NULL)
        return;
    cells = weir_arena_take(&pictures->arena, sizeof *cells);
    values = weir_arena_take(&pictures->arena, (size_t)rows * columns * sizeof *values);
    is_odd = weir_arena_take(&pictures->arena, (size_t)rows * columns);
    for (unsigned i = 0; i < rows * columns; i++)
        values[i] = NAN;
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        const struct weir_measured_figure *rate = weir_measured_find(phase, "rate");
        unsigned at = find_size(files, rows, phase->block_bytes) * columns +
                      find_size(records, columns, phase->transfer_bytes);

        if (strcmp(phase->name, name) != 0 || !phase->is_timed || rate == NULL)
            continue;
        values[at] = rate->value;
        is_odd[at] =
            phase->believed != WEIR_BELIEVED_OK && phase->believed != WEIR_BELIEVED_CAUTION;
    }
    *cells = (struct weir_cells){.rows = rows,
                                 .columns = columns,
                                 .values = values,
                                 .is_odd = is_odd,
                                 .odd_name = "not the storage's",
                                 .quantity = WEIR_QUANTITY_BYTES_PER_S};
    picture->cells = cells;
    picture->x = (struct weir_axis){.label = "record",
                                    .scale = WEIR_SCALE_NAMES,
                                    .names = name_sizes(pictures, records, columns),
                                    .name_count = columns};
    picture->y = (struct weir_axis){.label = "file size per process",
                                    .scale = WEIR_SCALE_NAMES,
                                    .names = name_sizes(pictures, files, rows),
                                    .name_count = rows};
}

void weir_pictures_make_records(struct weir_pictures *pictures)
{
    const struct weir_measured_run *run = pictures->run;

    if (strcmp(run->dialect, "iozone") != 0 || run->plan->sweep.axis_count > 0)
        return;
    for (unsigned i = 0; i < run->phase_count; i++) {
        bool is_known = false;

        for (unsigned k = 0; k < i && !is_known; k++)
            is_known = strcmp(run->phases[k].name, run->phases[i].name) == 0;
        if (!is_known)
            add_record_grid(pictures, run->phases[i].name);
    }
}

/* ---- targets ---- */

void weir_pictures_make_targets(struct weir_pictures *pictures)
{
    const struct weir_plan *plan = pictures->run->plan;
    struct weir_targets_table *tables;
    unsigned count = 0;

    if (plan == NULL || strcmp(plan->dialect, "targets") != 0)
        return;
    tables = weir_targets_tables(&pictures->arena, plan, pictures->run->result, &count);
    for (unsigned k = 0; k < count; k++) {
        const struct weir_targets_table *table = &tables[k];
        const char *verb = weir_verb_names[table->verb];
        const char **names = weir_arena_take(&pictures->arena, (table->count + 1) * sizeof *names);
        struct weir_points bars, ranges, rule;
        struct weir_picture *picture = weir_pictures_add(
            pictures, "targets", verb, 4,
            weir_arena_printf(&pictures->arena, "%s: each target alone", verb),
            "Means of repetitions, with the least and the greatest. Outliers are hatched.");

        if (picture == NULL)
            return;
        picture->x = (struct weir_axis){
            .label = "rate", .quantity = WEIR_QUANTITY_BYTES_PER_S, .has_zero = true};
        picture->y = (struct weir_axis){
            .label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = table->count};
        bars = weir_pictures_add_layer(pictures, picture, WEIR_MARK_BARS, 0, NULL, table->count,
                                       WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS | WEIR_HAS_ODD);
        ranges = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RANGES, WEIR_TONE_REFERENCE,
                                         NULL, table->count, WEIR_HAS_Y | WEIR_HAS_RANGE);
        for (unsigned i = 0; i < table->count; i++) {
            const struct weir_targets_row *row = &table->rows[i];
            bool is_alone = row->rate.count < 2;

            names[i] = row->name;
            bars.y[i] = ranges.y[i] = i;
            bars.x[i] = row->rate.mean;
            bars.is_odd[i] = row->verdict != WEIR_PEER_ALIKE;
            bars.labels[i] = weir_arena_printf(&pictures->arena, "%s %s",
                                               shown_rate(pictures, row->rate.mean, false),
                                               weir_targets_verdict(row->verdict));
            ranges.low[i] = is_alone ? NAN : row->rate.min;
            ranges.high[i] = is_alone ? NAN : row->rate.max;
        }
        rule = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE, WEIR_TONE_REFERENCE,
                                       "median", 1, WEIR_HAS_X);
        rule.x[0] = table->peers.median;
        if (table->limit > 0) {
            rule = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE, WEIR_TONE_ODD,
                                           "limit", 1, WEIR_HAS_X);
            rule.x[0] = table->limit;
        }
    }
}

/* ---- pairs ---- */

/* Ranks of a pair "0->1" below `most`. */
static bool read_pair(const struct weir_measured_phase *phase, unsigned most, unsigned *source,
                      unsigned *sink)
{
    return strcmp(phase->part, "pair") == 0 && sscanf(phase->target, "%u->%u", source, sink) == 2 &&
           *source < most && *sink < most;
}

#define MATRIX_RANKS_MAX 256

static void add_matrix(struct weir_pictures *pictures, const char *figure, unsigned ranks,
                       uint64_t bytes)
{
    const struct weir_measured_run *run = pictures->run;
    size_t count = (size_t)ranks * ranks;
    double *values = weir_arena_take(&pictures->arena, count * sizeof *values), median;
    double *sorted = weir_arena_take(&pictures->arena, count * sizeof *sorted);
    unsigned *counts = weir_arena_take(&pictures->arena, count * sizeof *counts), source, sink;
    const char **names = weir_arena_take(&pictures->arena, ranks * sizeof *names);
    bool *is_odd = weir_arena_take(&pictures->arena, count), is_rate = strcmp(figure, "rate") == 0;
    struct weir_cells *cells = weir_arena_take(&pictures->arena, sizeof *cells);
    char room[WEIR_SIZE_TEXT_BYTES];
    struct weir_picture *picture =
        weir_pictures_add(pictures, "pairs", "matrix", 0,
                          weir_arena_printf(&pictures->arena, "%s of pairs, messages of %s",
                                            is_rate ? "Rates" : "Median latencies",
                                            weir_size_format_exact(bytes, room)),
                          "From the rank of the row to the rank of the column: means of "
                          "repetitions. Hatched ones are "
                          "more than a tenth worse than the median.");
    unsigned found = 0;

    if (picture == NULL)
        return;
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_figure *value = weir_measured_find(&run->phases[i], figure);

        if (!read_pair(&run->phases[i], ranks, &source, &sink) || value == NULL ||
            run->phases[i].transfer_bytes != bytes)
            continue;
        values[source * ranks + sink] += value->value;
        counts[source * ranks + sink]++;
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = counts[i] > 0 ? values[i] / counts[i] : NAN;
        if (counts[i] > 0)
            sorted[found++] = values[i];
    }
    median = found > 0 ? weir_median_sort(sorted, found) : NAN;
    for (size_t i = 0; i < count; i++)
        is_odd[i] = is_rate ? values[i] < 0.9 * median : values[i] > 1.1 * median;
    for (unsigned i = 0; i < ranks; i++)
        names[i] = weir_arena_printf(&pictures->arena, "%u", i);
    *cells = (struct weir_cells){.rows = ranks,
                                 .columns = ranks,
                                 .values = values,
                                 .is_odd = is_odd,
                                 .odd_name = is_rate ? "slower" : "longer",
                                 .quantity =
                                     is_rate ? WEIR_QUANTITY_BYTES_PER_S : WEIR_QUANTITY_SECONDS};
    picture->cells = cells;
    picture->x = (struct weir_axis){
        .label = "to rank", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = ranks};
    picture->y = (struct weir_axis){
        .label = "from rank", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = ranks};
}

/* Each pair alone and while all run, and the sums: bars. */
static void add_alone(struct weir_pictures *pictures, unsigned ranks, uint64_t bytes)
{
    const struct weir_measured_run *run = pictures->run;
    const char **names = weir_arena_take(&pictures->arena, (run->phase_count + 2) * sizeof *names);
    double *sums[2], *counts[2];
    unsigned pairs = 0, source, sink, k;
    struct weir_picture *picture;

    for (unsigned all = 0; all < 2; all++) {
        sums[all] = weir_arena_take(&pictures->arena, (run->phase_count + 2) * sizeof **sums);
        counts[all] = weir_arena_take(&pictures->arena, (run->phase_count + 2) * sizeof **counts);
    }
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        const struct weir_measured_figure *rate = weir_measured_find(phase, "rate");
        bool is_pair = read_pair(phase, ranks, &source, &sink);
        bool is_alone = strstr(phase->name, " alone") != NULL;

        /* A pair that ran alone is the whole of its measurement. */
        if (rate == NULL || phase->transfer_bytes != bytes || (!is_pair && !is_alone) ||
            pairs >= 64)
            continue;
        if (is_pair) {
            for (k = 0; k < pairs && strcmp(names[k], phase->target) != 0;)
                k++;
        } else {
            k = (unsigned)strtoul(phase->loops, NULL, 10);
            if (k >= 64)
                continue;
        }
        if (is_pair && k == pairs)
            names[pairs++] = phase->target;
        sums[is_pair && !is_alone][k] += rate->value;
        counts[is_pair && !is_alone][k]++;
    }
    if (pairs < 2)
        return;
    picture = weir_pictures_add(
        pictures, "pairs", "sum", 2, "Pairs alone and all at once, with their sums",
        "If their rate together is below the sum of the rates that each has "
        "alone, they share a part of the network.");
    if (picture == NULL)
        return;
    names[pairs] = "sum";
    picture->x = (struct weir_axis){
        .label = "rate", .quantity = WEIR_QUANTITY_BYTES_PER_S, .has_zero = true};
    picture->y = (struct weir_axis){
        .label = "pair", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = pairs + 1};
    for (unsigned all = 0; all < 2; all++) {
        struct weir_points bars = weir_pictures_add_layer(
            pictures, picture, WEIR_MARK_BARS, all, all ? "all at once" : "alone", pairs + 1,
            WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS);

        for (k = 0; k <= pairs; k++) {
            bars.y[k] = k;
            if (k < pairs)
                bars.x[k] = counts[all][k] > 0 ? sums[all][k] / counts[all][k] : NAN;
            if (k < pairs && isfinite(bars.x[k]))
                bars.x[pairs] += bars.x[k];
            bars.labels[k] = isfinite(bars.x[k]) ? shown_rate(pictures, bars.x[k], false) : NULL;
        }
    }
}

void weir_pictures_make_pairs(struct weir_pictures *pictures)
{
    const struct weir_measured_run *run = pictures->run;
    unsigned ranks = run->ranks, source, sink, different = 0;
    const char *last = "";
    bool has_rate = false, has_alone = false;
    uint64_t bytes = 0;

    if (run->plan != NULL || ranks < 2)
        return;
    ranks = ranks < MATRIX_RANKS_MAX ? ranks : MATRIX_RANKS_MAX;
    for (unsigned i = 0; i < run->phase_count; i++) {
        has_alone |= strstr(run->phases[i].name, " alone") != NULL;
        if (!read_pair(&run->phases[i], ranks, &source, &sink))
            continue;
        different += strcmp(last, run->phases[i].target) != 0;
        last = run->phases[i].target;
        has_rate |= weir_measured_find(&run->phases[i], "rate") != NULL;
        bytes = run->phases[i].transfer_bytes > bytes ? run->phases[i].transfer_bytes : bytes;
    }
    if (different < 2)
        return;
    if (has_rate && has_alone)
        add_alone(pictures, ranks, bytes);
    if (different >= ranks)
        add_matrix(pictures, has_rate ? "rate" : "p50", ranks, bytes);
}

/* ---- labels of programs ---- */

/* Rows are ranks if single executions were kept and ranks are few, else labels. */
static void add_label_spans(struct weir_pictures *pictures, const struct weir_measured_phase *phase,
                            const struct weir_program_result *program)
{
    unsigned ranks = phase->found->rank_count, shown = program->label_count;
    bool has_ranks = program->event_count > 0 && ranks > 1 && ranks <= 64 && shown <= WEIR_TONES;
    unsigned rows = has_ranks ? ranks : shown < 40 ? shown : 40;
    const char **names = weir_arena_take(&pictures->arena, (rows + 1) * sizeof *names);
    struct weir_picture *picture = weir_pictures_add(
        pictures, "labels", phase->name, shown + 1,
        weir_arena_printf(&pictures->arena, "%s: labels over time", phase->name),
        has_ranks ? "Each box is an execution of a label on a rank."
                  : "Each box is the time from the first begin of a label to its last end.");

    if (picture == NULL)
        return;
    for (unsigned i = 0; i < rows; i++)
        names[i] =
            has_ranks ? weir_arena_printf(&pictures->arena, "rank %u", i) : program->labels[i].name;
    picture->x =
        (struct weir_axis){.label = "time", .quantity = WEIR_QUANTITY_SECONDS, .has_zero = true};
    picture->y = (struct weir_axis){
        .label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = rows};
    for (unsigned k = 0; k < (has_ranks ? shown : 1); k++) {
        size_t count = 0, most = has_ranks ? program->event_count : rows;
        struct weir_points spans = weir_pictures_add_layer(
            pictures, picture, WEIR_MARK_SPANS, k % WEIR_TONES,
            has_ranks ? program->labels[k].name : NULL, most, WEIR_HAS_Y | WEIR_HAS_RANGE);

        for (size_t i = 0; i < most; i++) {
            const struct weir_program_event *event = has_ranks ? &program->events[i] : NULL;

            if (has_ranks && (event->label != k || event->rank >= ranks))
                continue;
            spans.y[count] = has_ranks ? event->rank : i;
            spans.low[count] = has_ranks ? event->begin_s : program->labels[i].first_begin_s;
            spans.high[count] =
                has_ranks ? event->begin_s + event->seconds : program->labels[i].last_end_s;
            count++;
        }
        spans.layer->count = count;
    }
}

void weir_pictures_make_labels(struct weir_pictures *pictures)
{
    const struct weir_measured_run *run = pictures->run;

    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];

        if (phase->part[0] == '\0' && phase->found != NULL && phase->found->program != NULL &&
            phase->found->program->label_count > 0)
            add_label_spans(pictures, phase, phase->found->program);
    }
}
