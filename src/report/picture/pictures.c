/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of phases: rates over time, latencies, ranks, repetitions, operations. */
#include "pictures.h"

#include "weir/base/memory.h"
#include "weir/measure/median.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HEAT_ROWS_OF_MANY 128
#define INTERVALS_MIN 16    /* of a series: fewer are no picture */
#define REPETITIONS_SHOWN 5 /* lines in one picture: more are not distinguishable */

const struct weir_picture_kind weir_picture_kinds[];

/* ---- building ---- */

/* "File creation" -> "file-creation" */
static const char *slug(struct weir_arena *arena, const char *kind, const char *subject)
{
    char *name = weir_arena_printf(arena, "%s%s%.80s", kind, subject[0] ? "-" : "", subject);
    char *to = name;

    for (const char *from = name; *from != '\0'; from++) {
        if (isalnum((unsigned char)*from))
            *to++ = (char)tolower((unsigned char)*from);
        else if (to > name && to[-1] != '-')
            *to++ = '-';
    }
    *to = '\0';
    return name;
}

struct weir_picture *weir_pictures_add(struct weir_pictures *pictures, const char *kind,
                                       const char *subject, unsigned layers, const char *title,
                                       const char *caption)
{
    const char *name = slug(&pictures->arena, kind, subject);
    size_t length = strlen(kind);
    struct weir_picture *picture;
    unsigned same = 0, alike = 0;
    unsigned most = pictures->has_whole ? WEIR_PICTURES_OF_KIND / 3 : WEIR_PICTURES_OF_KIND;

    for (unsigned i = 0; i < pictures->count; i++) {
        const char *other = pictures->list[i]->name;

        same +=
            strncmp(other, kind, length) == 0 && (other[length] == '-' || other[length] == '\0');
        alike += strncmp(other, name, strlen(name)) == 0;
    }
    if (same >= most) {
        pictures->left_out++;
        return NULL;
    }
    if (alike > 0)
        name = weir_arena_printf(&pictures->arena, "%s-%u", name, alike + 1);
    if (pictures->count == pictures->capacity) {
        pictures->capacity = pictures->capacity > 0 ? 2 * pictures->capacity : 16;
        pictures->list =
            weir_memory_grow(pictures->list, pictures->capacity * sizeof *pictures->list);
    }
    picture = weir_arena_take(&pictures->arena, sizeof *picture);
    *picture = (struct weir_picture){
        .name = name,
        .title = title,
        .caption = caption,
        .x.label = "",
        .y.label = "",
        .layers = weir_arena_take(&pictures->arena, (layers + 1) * sizeof *picture->layers)};
    pictures->list[pictures->count++] = picture;
    return picture;
}

struct weir_points weir_pictures_add_layer(struct weir_pictures *pictures,
                                           struct weir_picture *picture, enum weir_mark mark,
                                           unsigned tone, const char *name, size_t count,
                                           unsigned arrays)
{
    struct weir_arena *arena = &pictures->arena;
    size_t bytes = (count + 1) * sizeof(double);
    struct weir_points points = {
        .x = arrays & WEIR_HAS_X ? weir_arena_take(arena, bytes) : NULL,
        .y = arrays & WEIR_HAS_Y ? weir_arena_take(arena, bytes) : NULL,
        .low = arrays & WEIR_HAS_RANGE ? weir_arena_take(arena, bytes) : NULL,
        .high = arrays & WEIR_HAS_RANGE ? weir_arena_take(arena, bytes) : NULL,
        .labels = arrays & WEIR_HAS_LABELS ? weir_arena_take(arena, bytes) : NULL,
        .is_odd = arrays & WEIR_HAS_ODD ? weir_arena_take(arena, count + 1) : NULL,
        .layer = (struct weir_layer *)(uintptr_t)&picture->layers[picture->layer_count++]};

    *points.layer = (struct weir_layer){.mark = mark,
                                        .tone = tone,
                                        .name = name,
                                        .count = count,
                                        .x = points.x,
                                        .y = points.y,
                                        .low = points.low,
                                        .high = points.high,
                                        .labels = points.labels,
                                        .is_odd = points.is_odd};
    return points;
}

const char *weir_pictures_text(struct weir_pictures *pictures, enum weir_quantity quantity,
                               double value)
{
    struct weir_text text = {0};
    const char *copy;

    weir_quantity_add(&text, quantity, value);
    copy = weir_arena_copy(&pictures->arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

/* ---- kinds of phases ---- */

static bool is_same_kind(const struct weir_measured_phase *one,
                         const struct weir_measured_phase *other)
{
    return one->test == other->test && one->phase == other->phase &&
           strcmp(one->name, other->name) == 0;
}

static double rate_of(const struct weir_measured_phase *phase, bool is_in_bytes)
{
    const struct weir_measured_figure *figure =
        weir_measured_find(phase, is_in_bytes ? "rate" : "ops");

    return figure != NULL ? figure->value : NAN;
}

/* All kinds of timed phases that have a result; `*count` of them, in the arena. */
static struct weir_phase_kind *find_kinds(struct weir_pictures *pictures, unsigned *count)
{
    const struct weir_measured_run *run = pictures->run;
    struct weir_arena *arena = &pictures->arena;
    struct weir_phase_kind *kinds = pictures->kinds;
    unsigned *kind_of = weir_arena_take(arena, (run->phase_count + 1) * sizeof *kind_of);
    const struct weir_measured_phase **all;
    unsigned tests = 0;

    *count = pictures->kind_count;
    if (kinds != NULL)
        return kinds;
    kinds = weir_arena_take(arena, (run->phase_count + 1) * sizeof *kinds);
    all = weir_arena_take(arena, (run->phase_count + 1) * sizeof *all);
    for (unsigned i = 0; i < run->phase_count; i++)
        tests = run->phases[i].test > tests ? run->phases[i].test : tests;
    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *phase = &run->phases[i];
        unsigned k = *count;

        kind_of[i] = UINT_MAX;
        if (phase->part[0] != '\0' || !phase->is_timed || phase->found == NULL)
            continue;
        while (k > 0 && !is_same_kind(kinds[k - 1].first, phase))
            k--;
        kind_of[i] = k > 0 ? k - 1 : (*count)++;
        if (k == 0) {
            kinds[kind_of[i]] = (struct weir_phase_kind){.first = phase, .name = phase->name};
            if (phase->step[0] != '\0')
                kinds[kind_of[i]].name =
                    weir_arena_printf(arena, "%s, %s", phase->name, phase->step);
            else if (tests > 0)
                kinds[kind_of[i]].name =
                    weir_arena_printf(arena, "%s, test %u", phase->name, phase->test);
        }
        kinds[kind_of[i]].is_in_bytes |= isfinite(rate_of(phase, true));
        kinds[kind_of[i]].count++;
    }
    for (unsigned k = 0; k < *count; k++) {
        kinds[k].all = all;
        all += kinds[k].count;
        kinds[k].count = 0;
    }
    for (unsigned i = 0; i < run->phase_count; i++)
        if (kind_of[i] != UINT_MAX)
            kinds[kind_of[i]].all[kinds[kind_of[i]].count++] = &run->phases[i];
    pictures->kinds = kinds;
    pictures->kind_count = *count;
    return kinds;
}

static struct weir_axis rate_axis(bool is_in_bytes)
{
    return (struct weir_axis){.label = "rate",
                              .quantity =
                                  is_in_bytes ? WEIR_QUANTITY_BYTES_PER_S : WEIR_QUANTITY_OPS_PER_S,
                              .has_zero = true};
}

static double median_rate(struct weir_pictures *pictures, const struct weir_phase_kind *kind)
{
    double *rates = weir_arena_take(&pictures->arena, (kind->count + 1) * sizeof *rates);
    unsigned count = 0;

    for (unsigned i = 0; i < kind->count; i++) {
        double rate = rate_of(kind->all[i], kind->is_in_bytes);

        if (isfinite(rate) && kind->all[i]->outcome == WEIR_OUTCOME_COMPLETE)
            rates[count++] = rate;
    }
    return count > 0 ? weir_median_sort(rates, count) : NAN;
}

/* The repetition whose rate is nearest to the median; the first, if none has a rate. */
static unsigned typical(struct weir_pictures *pictures, const struct weir_phase_kind *kind)
{
    double median = median_rate(pictures, kind), least = INFINITY;
    unsigned nearest = 0;

    for (unsigned i = 0; i < kind->count; i++) {
        double distance = fabs(rate_of(kind->all[i], kind->is_in_bytes) - median);

        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    return nearest;
}

/* ---- rate over time ---- */

static int compare_doubles(const void *one, const void *other)
{
    double a = *(const double *)one, b = *(const double *)other;

    return a < b ? -1 : a > b;
}

/* The band over ranks, each times the number of ranks, so that equal ranks are at the rate of all.
 */
static void add_band(struct weir_pictures *pictures, struct weir_picture *picture,
                     const struct weir_phase_result *found)
{
    const struct weir_rank_series *series = &found->rank_series;
    double *column = weir_arena_take(&pictures->arena, (series->rows + 1) * sizeof *column);
    double seconds = (double)series->interval_ns / 1e9;
    const char *name =
        weir_arena_printf(&pictures->arena, "5 to 95 %% of ranks, times %u", found->rank_count);
    struct weir_points band;

    if (series->rows < 4 || !(seconds > 0))
        return;
    band = weir_pictures_add_layer(pictures, picture, WEIR_MARK_BAND, 0, name, series->columns,
                                   WEIR_HAS_X | WEIR_HAS_RANGE);
    for (unsigned k = 0; k < series->columns; k++) {
        for (unsigned i = 0; i < series->rows; i++)
            column[i] = weir_rank_series_rate(series, i, k) * found->rank_count;
        qsort(column, series->rows, sizeof *column, compare_doubles);
        band.x[k] = (k + 0.5) * seconds;
        band.low[k] = column[(size_t)(0.05 * (series->rows - 1))];
        band.high[k] = column[(size_t)ceil(0.95 * (series->rows - 1))];
    }
}

/* Intervals are merged to at most 128: of a phase of seconds they are about 1 ms, in which few
 * operations end. */
static void add_series(struct weir_pictures *pictures, struct weir_picture *picture,
                       const struct weir_phase_result *found, unsigned tone, const char *name,
                       bool is_in_bytes)
{
    const struct weir_series *series = found->series;
    unsigned merged = 1 + series->used / 128, count = (series->used + merged - 1) / merged;
    const uint64_t *values = is_in_bytes ? series->bytes : series->ops;
    double seconds = ldexp(1e-9, (int)series->shift) * merged;
    struct weir_points line = weir_pictures_add_layer(pictures, picture, WEIR_MARK_LINE, tone, name,
                                                      count, WEIR_HAS_X | WEIR_HAS_Y);

    for (unsigned i = 0; i < series->used; i++)
        line.y[i / merged] += (double)values[i] / seconds;
    for (unsigned i = 0; i < count; i++)
        line.x[i] = (i + 0.5) * seconds;
    /* The last interval is a part of one. */
    if (count > 1 && series->used % merged != 0)
        line.layer->count--;
}

static void make_rate(struct weir_pictures *pictures)
{
    unsigned count, typical_one;
    struct weir_phase_kind *kinds = find_kinds(pictures, &count);

    for (unsigned k = 0; k < count; k++) {
        const struct weir_phase_kind *kind = &kinds[k];
        struct weir_picture *picture;
        unsigned shown = 0;

        typical_one = typical(pictures, kind);
        if (kind->all[typical_one]->found->series == NULL ||
            kind->all[typical_one]->found->series->used < INTERVALS_MIN)
            continue;
        picture = weir_pictures_add(
            pictures, "rate", kind->name, REPETITIONS_SHOWN + 5,
            weir_arena_printf(&pictures->arena, "%s: rate over time", kind->name),
            "Data or operations completed in each interval, over the time since the common start.");
        if (picture == NULL)
            continue;
        picture->x = (struct weir_axis){
            .label = "time", .quantity = WEIR_QUANTITY_SECONDS, .has_zero = true};
        picture->y = rate_axis(kind->is_in_bytes);
        add_band(pictures, picture, kind->all[typical_one]->found);
        for (unsigned n = 0; n < kind->count && shown < 3; n++) {
            unsigned i = n == 0 ? typical_one : n <= typical_one ? n - 1 : n;
            const struct weir_phase_result *found = kind->all[i]->found;

            if (found->series == NULL)
                continue;
            add_series(pictures, picture, found, shown,
                       kind->count == 1
                           ? "all ranks"
                           : weir_arena_printf(&pictures->arena, "repetition %u%s",
                                               kind->all[i]->repetition,
                                               n == 0 && kind->count > 2 ? " (median)" : ""),
                       kind->is_in_bytes);
            shown++;
        }
        for (unsigned i = 0, marks = 0; i < kind->count && marks < 3; i++) {
            const struct weir_phase_result *found = kind->all[i]->found;
            bool has_failed = found->failure[0] != '\0' || found->outcome == WEIR_OUTCOME_PARTIAL;
            struct weir_points rule;

            if (!has_failed && !(found->stonewall.is_hit && i == typical_one))
                continue;
            rule = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE,
                                           has_failed ? WEIR_TONE_ODD : WEIR_TONE_REFERENCE, NULL,
                                           1, WEIR_HAS_X | WEIR_HAS_LABELS);
            rule.x[0] = has_failed ? found->windows.total_s : found->stonewall.seconds;
            rule.labels[0] = has_failed ? "failed" : "stonewall";
            marks++;
        }
    }
}

/* ---- latency ---- */

static const double fractions[] = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999};
#define FRACTION_COUNT (sizeof fractions / sizeof *fractions)
static const char *const fraction_names[FRACTION_COUNT + 1] = {"50", "75",   "90",    "95",
                                                               "99", "99.9", "99.99", "max"};

static void add_quantiles(struct weir_pictures *pictures, struct weir_picture *picture,
                          const struct weir_histogram *histogram, const char *name)
{
    struct weir_points line = weir_pictures_add_layer(pictures, picture, WEIR_MARK_LINE,
                                                      picture->layer_count % WEIR_TONES, name,
                                                      FRACTION_COUNT + 1, WEIR_HAS_X | WEIR_HAS_Y);

    line.layer->count = 0;
    for (unsigned i = 0; i <= FRACTION_COUNT; i++) {
        double ns = i == FRACTION_COUNT
                        ? (double)histogram->max_ns
                        : (double)weir_histogram_percentile(histogram, fractions[i]);

        if (i < FRACTION_COUNT && !weir_histogram_has_quantile(histogram, fractions[i]))
            continue;
        line.x[line.layer->count] = i;
        line.y[line.layer->count++] = ns * 1e-9;
    }
}

static void make_latency(struct weir_pictures *pictures)
{
    unsigned count;
    struct weir_phase_kind *kinds = find_kinds(pictures, &count);

    for (unsigned k = 0; k < count; k++) {
        const struct weir_phase_kind *kind = &kinds[k];
        const struct weir_phase_result *first = kind->first->found;
        struct weir_picture *picture;

        if (first->latency == NULL || first->latency->total < 100)
            continue;
        picture = weir_pictures_add(
            pictures, "latency", kind->name, REPETITIONS_SHOWN + WEIR_VERB_RESULTS_MAX + 3,
            weir_arena_printf(&pictures->arena, "%s: time of an operation", kind->name),
            first->response != NULL
                ? "Quantiles in percent of the times from when operations were due."
                : "Quantiles in percent of the times of single operations, as far as there are "
                  "enough of them.");
        if (picture == NULL)
            continue;
        picture->x = (struct weir_axis){.label = "% of operations",
                                        .scale = WEIR_SCALE_NAMES,
                                        .names = fraction_names,
                                        .name_count = FRACTION_COUNT + 1};
        picture->y = (struct weir_axis){
            .label = "latency", .quantity = WEIR_QUANTITY_SECONDS, .scale = WEIR_SCALE_LOG};
        for (unsigned i = 0; i < kind->count && i < REPETITIONS_SHOWN; i++) {
            const struct weir_phase_result *found = kind->all[i]->found;

            if (found->latency != NULL && found->latency->total > 0)
                add_quantiles(pictures, picture, found->response ? found->response : found->latency,
                              kind->count == 1
                                  ? "all operations"
                                  : weir_arena_printf(&pictures->arena, "repetition %u",
                                                      kind->all[i]->repetition));
        }
        if (first->read_latency != NULL && first->read_latency->total > 0)
            add_quantiles(pictures, picture, first->read_latency, "reads");
        if (first->write_latency != NULL && first->write_latency->total > 0)
            add_quantiles(pictures, picture, first->write_latency, "writes");
        for (unsigned i = 0; i < first->verb_count && i < 6; i++)
            if (first->verbs[i].latency != NULL && first->verbs[i].latency->total > 0 &&
                first->verbs[i].verb < WEIR_VERB_COUNT)
                add_quantiles(pictures, picture, first->verbs[i].latency,
                              weir_verb_names[first->verbs[i].verb]);
    }
}

/* ---- ranks ---- */

static const char *host_of(const struct weir_phase_result *found, unsigned rank)
{
    for (unsigned i = 0; i < found->slowest_count; i++)
        if (found->slowest[i].rank == rank)
            return found->slowest[i].host;
    if (found->rank_places != NULL && found->node_places != NULL && rank < found->rank_count &&
        found->rank_places[rank].node < found->node_count)
        return found->node_places[found->rank_places[rank].node].host;
    return NULL;
}

static void make_ranks(struct weir_pictures *pictures)
{
    unsigned count;
    struct weir_phase_kind *kinds = find_kinds(pictures, &count);

    for (unsigned k = 0; k < count; k++) {
        const struct weir_phase_kind *kind = &kinds[k];
        const struct weir_phase_result *found = kind->all[typical(pictures, kind)]->found;
        unsigned n = found->rank_rates.count, ranks = found->rank_count;
        struct weir_picture *picture;
        struct weir_points dots, median;
        double middle;

        if (n < 3)
            continue;
        picture =
            weir_pictures_add(pictures, "ranks", kind->name, 2,
                              weir_arena_printf(&pictures->arena, "%s: ranks by rate", kind->name),
                              "Each rank over its own time, the slowest first.");
        if (picture == NULL)
            continue;
        middle = found->rank_rates.list[n / 2].per_s;
        picture->x = (struct weir_axis){.label = "ranks"};
        picture->y = rate_axis(found->rank_rates.is_in_bytes);
        median = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RULE, WEIR_TONE_REFERENCE,
                                         "median", 1, WEIR_HAS_Y);
        median.y[0] = middle;
        dots = weir_pictures_add_layer(pictures, picture, n <= 64 ? WEIR_MARK_DOTS : WEIR_MARK_LINE,
                                       0, NULL, n,
                                       WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS | WEIR_HAS_ODD);
        for (unsigned i = 0; i < n; i++) {
            const struct weir_rank_rate *at = &found->rank_rates.list[i];
            const char *host = host_of(found, at->rank);

            dots.x[i] = 1 + (double)i * (ranks - 1) / (n - 1);
            dots.y[i] = at->per_s;
            dots.is_odd[i] = at->per_s < 0.7 * middle;
            if (i < 3 && at->per_s < 0.9 * middle)
                dots.labels[i] =
                    weir_arena_printf(&pictures->arena, "rank %u%s%s", at->rank,
                                      host != NULL ? ", " : "", host != NULL ? host : "");
        }
    }
}

/* ---- time by rank ---- */

static void make_heat(struct weir_pictures *pictures)
{
    unsigned count;
    struct weir_phase_kind *kinds = find_kinds(pictures, &count);

    for (unsigned k = 0; k < count; k++) {
        const struct weir_phase_kind *kind = &kinds[k];
        const struct weir_phase_result *found = kind->all[typical(pictures, kind)]->found;
        const struct weir_rank_series *series = &found->rank_series;
        /* With many phases two rows are merged: pages must stay below 1 MB. */
        unsigned merged = count > 4 && series->rows > HEAT_ROWS_OF_MANY ? 2 : 1;
        unsigned rows = (series->rows + merged - 1) / merged;
        double seconds = (double)series->interval_ns / 1e9, *values;
        struct weir_picture *picture;
        struct weir_cells *cells;

        if (series->rows < 2 || !(seconds > 0))
            continue;
        picture = weir_pictures_add(
            pictures, "heat", kind->name, 0,
            weir_arena_printf(&pictures->arena, "%s: rate by rank and time", kind->name),
            "Each row is a rank, or the mean of some successive ones. Bars at the edges are means "
            "of columns "
            "and rows.");
        if (picture == NULL)
            continue;
        cells = weir_arena_take(&pictures->arena, sizeof *cells);
        values = weir_arena_take(&pictures->arena, (size_t)rows * series->columns * sizeof *values);
        for (size_t i = 0; i < (size_t)series->rows * series->columns; i++)
            values[i / series->columns / merged * series->columns + i % series->columns] +=
                weir_rank_series_rate(series, (unsigned)(i / series->columns),
                                      (unsigned)(i % series->columns)) /
                fmin(merged, series->rows - i / series->columns / merged * merged);
        *cells = (struct weir_cells){.rows = rows,
                                     .columns = series->columns,
                                     .values = values,
                                     .quantity = series->is_in_bytes ? WEIR_QUANTITY_BYTES_PER_S
                                                                     : WEIR_QUANTITY_OPS_PER_S,
                                     .x_high = series->columns * seconds,
                                     .y_high = (double)rows * merged * series->ranks_per_row,
                                     .has_sums = true};
        picture->cells = cells;
        picture->x = (struct weir_axis){
            .label = "time", .quantity = WEIR_QUANTITY_SECONDS, .has_zero = true};
        picture->y = (struct weir_axis){.label = "rank"};
    }
}

/* ---- repetitions ---- */

static void make_repetitions(struct weir_pictures *pictures)
{
    unsigned count;
    struct weir_phase_kind *kinds = find_kinds(pictures, &count);

    for (unsigned is_in_bytes = 2; is_in_bytes-- > 0;) {
        const char **names = weir_arena_take(&pictures->arena, (count + 1) * sizeof *names);
        struct weir_points dots, medians;
        struct weir_picture *picture;
        unsigned shown = 0, total = 0, at = 0;

        for (unsigned k = 0; k < count; k++)
            if (kinds[k].is_in_bytes == is_in_bytes && kinds[k].count >= 3 && shown < 40) {
                names[shown++] = kinds[k].name;
                total += kinds[k].count;
            }
        if (shown == 0)
            continue;
        picture = weir_pictures_add(pictures, "repetitions", is_in_bytes ? "" : "ops", 2,
                                    "Rates of repetitions",
                                    "Each dot is a repetition, in the order in which they ran.");
        if (picture == NULL)
            return;
        picture->x = (struct weir_axis){
            .label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = shown};
        picture->y = rate_axis(is_in_bytes);
        dots = weir_pictures_add_layer(pictures, picture, WEIR_MARK_DOTS, 0, "repetition", total,
                                       WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_ODD);
        /* A stroke for each: two points, and none between it and the next. */
        medians = weir_pictures_add_layer(pictures, picture, WEIR_MARK_LINE, WEIR_TONE_REFERENCE,
                                          "median", (size_t)3 * shown, WEIR_HAS_X | WEIR_HAS_Y);
        shown = 0;
        for (unsigned k = 0; k < count; k++) {
            const struct weir_phase_kind *kind = &kinds[k];

            if (kind->is_in_bytes != is_in_bytes || kind->count < 3 || shown == 40)
                continue;
            for (unsigned i = 0; i < kind->count; i++, at++) {
                dots.x[at] = shown + ((double)i / (kind->count - 1) - 0.5) * 0.6;
                dots.y[at] = rate_of(kind->all[i], is_in_bytes);
                dots.is_odd[at] = kind->all[i]->outcome != WEIR_OUTCOME_COMPLETE;
            }
            for (unsigned i = 0; i < 3; i++) {
                medians.x[3 * shown + i] = shown + (i == 0 ? -0.4 : 0.4);
                medians.y[3 * shown + i] = i == 2 ? NAN : median_rate(pictures, kind);
            }
            shown++;
        }
    }
}

/* ---- load: depths, open loops ---- */

/* In a closed loop, operations in flight = rate x mean latency (Little): what --depth auto tried is
 * a curve of latency over rate. */
static void make_load(struct weir_pictures *pictures)
{
    unsigned count;
    struct weir_phase_kind *kinds = find_kinds(pictures, &count);

    for (unsigned k = 0; k < count; k++) {
        const struct weir_phase_kind *kind = &kinds[k];
        const struct weir_phase_result *found = kind->first->found;
        const struct weir_depth_curve *curve = &found->depth_curve;
        struct weir_picture *picture;
        struct weir_points points;

        if (curve->count >= 2) {
            picture = weir_pictures_add(
                pictures, "load", kind->name, 2,
                weir_arena_printf(&pictures->arena, "%s: latency over rate", kind->name),
                "Depths that were tried, with the mean latency = depth x ranks / rate. A cross "
                "marks "
                "the chosen one.");
            if (picture == NULL)
                continue;
            picture->x = rate_axis(false);
            picture->y = (struct weir_axis){.label = "mean latency",
                                            .quantity = WEIR_QUANTITY_SECONDS,
                                            .scale = WEIR_SCALE_LOG};
            for (unsigned is_dots = 0; is_dots < 2; is_dots++) {
                points = weir_pictures_add_layer(
                    pictures, picture, is_dots ? WEIR_MARK_DOTS : WEIR_MARK_LINE, 0, NULL,
                    curve->count, WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS | WEIR_HAS_ODD);
                for (unsigned i = 0; i < curve->count; i++) {
                    points.x[i] = curve->points[i].ops_per_s;
                    points.y[i] = curve->points[i].depth * (double)found->rank_count /
                                  curve->points[i].ops_per_s;
                    points.is_odd[i] = curve->points[i].depth == found->depth;
                    points.labels[i] = is_dots ? weir_arena_printf(&pictures->arena, "depth %u",
                                                                   curve->points[i].depth)
                                               : NULL;
                }
            }
        }
        if (found->pace.asked_per_s > 0 && found->series != NULL &&
            found->series->used >= INTERVALS_MIN) {
            const struct weir_series *series = found->series;

            picture = weir_pictures_add(
                pictures, "backlog", kind->name, 1,
                weir_arena_printf(
                    &pictures->arena, "%s: backlog over time, %s asked for", kind->name,
                    weir_pictures_text(pictures, WEIR_QUANTITY_OPS_PER_S, found->pace.asked_per_s)),
                "Operations that were due and not yet issued, summed over ranks. If it grows, the "
                "rate exceeds that of the storage.");
            if (picture == NULL)
                continue;
            picture->x = (struct weir_axis){
                .label = "time", .quantity = WEIR_QUANTITY_SECONDS, .has_zero = true};
            picture->y = (struct weir_axis){.label = "operations", .has_zero = true};
            points = weir_pictures_add_layer(pictures, picture, WEIR_MARK_LINE, 0, NULL,
                                             series->used, WEIR_HAS_X | WEIR_HAS_Y);
            for (unsigned i = 0; i < series->used; i++) {
                points.x[i] = ldexp((i + 0.5) * 1e-9, (int)series->shift);
                points.y[i] = (double)series->backlog[i];
            }
        }
    }
}

/* ---- operations on names ---- */

static void make_operations(struct weir_pictures *pictures)
{
    unsigned count, shown = 0;
    const struct weir_phase_kind *all = find_kinds(pictures, &count);
    struct weir_phase_kind *kinds = weir_arena_take(&pictures->arena, (count + 1) * sizeof *kinds);
    const char **names = weir_arena_take(&pictures->arena, (count + 1) * sizeof *names);
    struct weir_picture *picture;
    struct weir_points bars, ranges;

    for (unsigned k = 0; k < count; k++)
        if (!all[k].is_in_bytes && isfinite(median_rate(pictures, &all[k])) &&
            all[k].first->planned != NULL && all[k].first->planned->program == NULL)
            kinds[shown++] = all[k];
    if (shown < 2)
        return;
    shown = shown < 40 ? shown : 40;
    picture = weir_pictures_add(pictures, "operations", "", 2, "Operations per second",
                                "Medians of repetitions, with the least and the greatest.");
    if (picture == NULL)
        return;
    picture->x = rate_axis(false);
    picture->y = (struct weir_axis){
        .label = "", .scale = WEIR_SCALE_NAMES, .names = names, .name_count = shown};
    bars = weir_pictures_add_layer(pictures, picture, WEIR_MARK_BARS, 0, NULL, shown,
                                   WEIR_HAS_X | WEIR_HAS_Y | WEIR_HAS_LABELS);
    ranges = weir_pictures_add_layer(pictures, picture, WEIR_MARK_RANGES, WEIR_TONE_REFERENCE, NULL,
                                     shown, WEIR_HAS_Y | WEIR_HAS_RANGE);
    for (unsigned k = 0; k < shown; k++) {
        names[k] = kinds[k].name;
        bars.y[k] = ranges.y[k] = k;
        bars.x[k] = median_rate(pictures, &kinds[k]);
        bars.labels[k] = weir_pictures_text(pictures, WEIR_QUANTITY_OPS_PER_S, bars.x[k]);
        ranges.low[k] = ranges.high[k] = NAN;
        for (unsigned i = 0; i < kinds[k].count && kinds[k].count > 1; i++) {
            double rate = rate_of(kinds[k].all[i], false);

            ranges.low[k] = fmin(rate, ranges.low[k]);
            ranges.high[k] = fmax(rate, ranges.high[k]);
        }
    }
}

/* ---- all kinds ---- */

const struct weir_picture_kind weir_picture_kinds[] = {
    {"sweep", "rate over the axis of a sweep, with spread, ideal line, limit and knee",
     weir_pictures_make_sweep},
    {"records", "rate by record and file size (iozone)", weir_pictures_make_records},
    {"targets", "storage targets by rate, with outliers", weir_pictures_make_targets},
    {"pairs", "rates of pairs of ranks (weir net)", weir_pictures_make_pairs},
    {"operations", "operations per second of each kind", make_operations},
    {"repetitions", "rates of repetitions, with medians", make_repetitions},
    {"rate", "rate over time, with the band over ranks", make_rate},
    {"latency", "quantiles of the times of operations", make_latency},
    {"load", "latency over rate (--depth auto), and backlog over time (--rate)", make_load},
    {"ranks", "ranks by rate, the slowest first", make_ranks},
    {"heat", "rate by rank and time", make_heat},
    {"labels", "labels of programs over time", weir_pictures_make_labels},
    {0}};

void weir_pictures_open(struct weir_pictures *pictures, const struct weir_measured_run *run)
{
    *pictures = (struct weir_pictures){.run = run};
    for (const struct weir_picture_kind *kind = weir_picture_kinds; kind->name != NULL; kind++) {
        kind->make(pictures);
        pictures->has_whole |= pictures->count > 0 && kind->make == weir_pictures_make_targets;
    }
}

void weir_pictures_close(struct weir_pictures *pictures)
{
    free(pictures->list);
    weir_arena_close(&pictures->arena);
}
