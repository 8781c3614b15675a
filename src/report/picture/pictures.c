/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of phases: rates over time, latencies, ranks, repetitions, operations. */
#include "pictures.h"

#include "dialect.h"

#include "weir/base/memory.h"
#include "weir/measure/median.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PICTURES_OF_KIND 12  /* of a run: the first ones */
#define HEAT_CELLS_MAX 65536 /* of all maps of a run */
#define BAND_OPS 4           /* of a row in an interval of the band over ranks */
#define INTERVALS_MIN 16     /* of a series: fewer are no picture */
#define REPETITIONS_SHOWN 5  /* lines in one picture: more are not distinguishable */
#define SERIES_SHOWN 3
#define RANKS_NAMED 3

_Static_assert(WEIR_PICTURE_LAYERS_MAX >= REPETITIONS_SHOWN + 3 + WEIR_VERB_RESULTS_MAX &&
                   WEIR_PICTURE_LAYERS_MAX >= 2 * SERIES_SHOWN + 4 &&
                   WEIR_PICTURE_LAYERS_MAX >= 2 * WEIR_PICTURE_SIDES_MAX,
               "layers of latencies, of series, of bars");

enum axis { NONE, TIME, RATE, LATENCY, OPERATIONS, RANK, RANKS, CHANGE };
static const struct weir_axis axes[] = {
    [NONE] = {.label = ""},
    [TIME] = {.label = "time", .quantity = WEIR_QUANTITY_SECONDS, .has_zero = true},
    [RATE] = {.label = "rate", .quantity = WEIR_QUANTITY_OPS_PER_S, .has_zero = true},
    [LATENCY] = {"latency", WEIR_QUANTITY_SECONDS, .scale = WEIR_SCALE_LOG},
    [OPERATIONS] = {.label = "operations", .has_zero = true},
    [RANK] = {.label = "rank"},
    [RANKS] = {.label = "ranks"},
    [CHANGE] = {.label = "change", .quantity = WEIR_QUANTITY_SHARE}};

#define MEDIANS "Medians of repetitions, with the least and the greatest."
#define UNUSABLE "not to be used"

/* The kind of a picture is the key up to "-". %s of titles is the subject: a phase, or all that the
 * picture says of itself. `odd` is the entry of odd marks in the legend; NULL = none. */
static const struct text {
    const char *key, *title, *caption, *odd;
    enum axis x, y;
} texts[] = {
    {"sweep", "%s", MEDIANS, UNUSABLE, NONE, RATE},
    {"sweep-grid", "%s", "Medians of repetitions.", UNUSABLE, NONE, NONE},
    {"records", "%s: rate by record and file size", "The last repetition of each.", UNUSABLE, NONE,
     NONE},
    {"targets", "%s: each target alone",
     "Means of repetitions, with the least and the greatest. Outliers are hatched.", NULL, RATE,
     NONE},
    {"pairs", "%s",
     "From the rank of the row to the rank of the column: medians of repetitions. Slow: more than "
     "a "
     "tenth worse than the median.",
     "slow", NONE, NONE},
    {"pairs-sum", "Pairs alone and all at once, with their sums",
     MEDIANS " If the sum at once is below the sum alone, pairs share a part of the network.", NULL,
     RATE, NONE},
    {"operations", "Operations per second", MEDIANS, UNUSABLE, RATE, NONE},
    {"repetitions", "Rates of repetitions",
     "Each dot is a repetition, in the order in which they ran.", UNUSABLE, NONE, RATE},
    {"rate", "%s: rate over time",
     "Data or operations completed in each interval since the common start.", NULL, TIME, RATE},
    {"latency", "%s: time of an operation",
     "Quantiles in percent of the times of single operations, as far as there are enough of them.",
     NULL, NONE, LATENCY},
    {"load", "%s: latency over rate", "A point for each step or test, and each repetition of it.",
     UNUSABLE, RATE, LATENCY},
    {"load-depths", "%s: median latency over rate", "A point for each depth that was tried.",
     "chosen", RATE, LATENCY},
    {"backlog", "%s: backlog over time",
     "Operations that were due and not yet issued, summed over ranks. If it grows, the rate "
     "exceeds that of the storage.",
     NULL, TIME, OPERATIONS},
    {"ranks", "%s: ranks by rate", "Each rank over its own time, the slowest first.",
     "below 70 % of the median", RANKS, RATE},
    {"heat", "%s: rate by rank and time",
     "Each row is a rank, or the mean of successive ones. Bars at the edges are means of columns "
     "and rows.",
     NULL, TIME, RANK},
    {"labels", "%s: labels over time", "Each box is an execution of a label on a rank.", NULL, TIME,
     NONE},
    {"change", "Change from %s, with its 95 %% range",
     "Right of 0 a rate is faster, and a time is slower. Where a range includes 0, the direction "
     "is not known.",
     "loss beyond the limit (dotted)", CHANGE, NONE},
    {"sides", "Rates of %s", MEDIANS " Hatched: not comparable.", NULL, RATE, NONE},
    {"times", "Times of %s", MEDIANS " Hatched: not comparable.", NULL, TIME, NONE}};

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
    to[to > name && to[-1] == '-' ? -1 : 0] = '\0';
    return name;
}

struct weir_axis weir_axis_of_names(const char *label, const char *const *names, unsigned count)
{
    return (struct weir_axis){
        .label = label, .scale = WEIR_SCALE_NAMES, .names = names, .name_count = count};
}

const char *weir_pictures_short(struct weir_pictures *set, const char *name)
{
    const char *path = name + strlen("program "), *at;

    if (!weir_text_begins(name, "program "))
        return name;
    for (at = path + strcspn(path, ","); at > path && at[-1] != '/';)
        at--;
    return weir_arena_printf(&set->arena, "program %s", at);
}

const char *weir_pictures_text(struct weir_pictures *set, enum weir_quantity quantity, double value)
{
    struct weir_text text = {0};
    const char *copy;

    weir_quantity_add(&text, quantity, value);
    copy = weir_arena_copy(&set->arena, weir_text_string(&text));
    weir_text_close(&text);
    return copy;
}

void weir_caption_add(struct weir_pictures *set, const char *sentence)
{
    set->latest->caption = weir_arena_printf(&set->arena, "%s %s", set->latest->caption, sentence);
}

unsigned weir_pictures_limit(struct weir_pictures *set, unsigned count, unsigned most,
                             const char *thing)
{
    if (count <= most)
        return count;
    weir_caption_add(set, weir_arena_printf(&set->arena, "%u %s%s left out.", count - most, thing,
                                            count - most == 1 ? " is" : "s are"));
    return most;
}

void weir_verdict_note(struct weir_pictures *set, enum weir_believed believed)
{
    set->verdict = believed > set->verdict ? believed : set->verdict;
}

bool weir_picture_is_of(const struct weir_picture *picture, const char *name)
{
    size_t length = strlen(name);

    return strncmp(picture->name, name, length) == 0 &&
           (picture->name[length] == '-' || picture->name[length] == '\0');
}

struct weir_points weir_layer_add(struct weir_pictures *set, enum weir_mark mark, unsigned tone,
                                  const char *name, size_t count)
{
    struct weir_arena *arena = &set->arena;
    size_t bytes = (count + 1) * sizeof(double);
    bool is_range = mark == WEIR_MARK_BAND || mark == WEIR_MARK_RANGES || mark == WEIR_MARK_SPANS;
    bool has_labels = !is_range && mark != WEIR_MARK_LINE;
    struct weir_points points = {
        .x = !is_range || mark == WEIR_MARK_BAND ? weir_arena_take(arena, bytes) : NULL,
        .y = mark != WEIR_MARK_BAND ? weir_arena_take(arena, bytes) : NULL,
        .low = is_range ? weir_arena_take(arena, bytes) : NULL,
        .high = is_range ? weir_arena_take(arena, bytes) : NULL,
        .labels = has_labels ? weir_arena_take(arena, bytes) : NULL,
        .is_odd = has_labels ? weir_arena_take(arena, count + 1) : NULL,
        .layer = &set->layers[set->latest->layer_count]};

    assert(set->latest->layer_count < WEIR_PICTURE_LAYERS_MAX);
    set->points[set->latest->layer_count++] = points;
    *points.layer =
        (struct weir_layer){mark,     tone,       name,        count,         points.x,
                            points.y, points.low, points.high, points.labels, points.is_odd};
    return points;
}

/* Adds a layer of crosses with an entry in the legend: odd dots are moved into it, as thinning
 * drops dots; bars and cells get them, as hatching is not in scripts and texts. Cells that are all
 * hatched have none, nor have more than CROSSES_MAX, which would be thinned. */
#define CROSSES_MAX 300

static void add_crosses(struct weir_pictures *set)
{
    const struct weir_picture *latest = set->latest;
    const struct weir_cells *cells = latest->cells;
    size_t cell_count = cells != NULL ? (size_t)cells->rows * cells->columns : 0;
    size_t known = 0, hatched = 0, count = 0, n = 0;
    unsigned layer_count = latest->layer_count;
    struct weir_points odd;

    for (size_t i = 0; i < cell_count; i++) {
        known += isfinite(cells->values[i]);
        hatched += isfinite(cells->values[i]) && cells->is_odd[i];
    }
    if (cells != NULL && (hatched == known || hatched > CROSSES_MAX)) {
        set->cells->odd_name = hatched > 0 ? set->odd_name : NULL;
        hatched = 0; /* no crosses */
    }
    for (unsigned k = 0; k < layer_count; k++)
        for (size_t i = 0; latest->layers[k].is_odd != NULL && i < latest->layers[k].count; i++)
            count += latest->layers[k].is_odd[i];
    if (count + hatched == 0)
        return;
    odd = weir_layer_add(set, WEIR_MARK_DOTS, WEIR_TONE_ODD, set->odd_name, count + hatched);
    for (unsigned k = 0; k < layer_count; k++) {
        struct weir_points *points = &set->points[k];

        for (size_t i = 0; points->is_odd != NULL && i < points->layer->count; i++)
            if (points->is_odd[i]) {
                odd.x[n] = points->layer->x[i];
                odd.y[n] = points->y[i];
                odd.is_odd[n] = true;
                if (points->layer->mark == WEIR_MARK_DOTS) {
                    odd.labels[n] = points->labels[i];
                    points->y[i] = NAN;
                }
                n++;
            }
    }
    for (size_t i = 0; i < cell_count && hatched > 0; i++)
        if (isfinite(cells->values[i]) && cells->is_odd[i]) {
            odd.x[n] = (double)(i % cells->columns) - 0.4; /* next to the value */
            odd.y[n] = (double)(i / cells->columns);
            odd.is_odd[n++] = true;
        }
}

void weir_pictures_finish(struct weir_pictures *set)
{
    struct weir_picture *latest = set->latest;

    if (latest == NULL)
        return;
    if (set->odd_name != NULL)
        add_crosses(set);
    if (set->verdict != WEIR_BELIEVED_OK)
        latest->title = weir_arena_printf(&set->arena, "[%s] %s", weir_believed_names[set->verdict],
                                          latest->title);
    set->verdict = WEIR_BELIEVED_OK;
    /* Readers reserve room for labels. */
    for (unsigned k = 0; k < latest->layer_count; k++) {
        struct weir_layer *layer = set->points[k].layer;
        size_t n = 0;

        while (layer->labels != NULL && n < layer->count && layer->labels[n] == NULL)
            n++;
        if (n == layer->count)
            layer->labels = NULL;
    }
    set->latest = NULL;
}

static bool has_name(const struct weir_pictures *set, const char *name)
{
    for (unsigned i = 0; i < set->count; i++)
        if (strcmp(set->list[i]->name, name) == 0)
            return true;
    return false;
}

struct weir_picture *weir_pictures_add(struct weir_pictures *set, const char *key,
                                       const char *subject, const char *shown)
{
    struct weir_arena *arena = &set->arena;
    const char *kind = weir_arena_printf(arena, "%.*s", (int)strcspn(key, "-"), key);
    const char *name = slug(arena, kind, subject), *unique = name;
    const struct text *text = texts;
    struct weir_picture *picture;
    unsigned same = 0;

    for (unsigned i = 0; i < set->count; i++)
        same += weir_picture_is_of(set->list[i], kind);
    if (same >= PICTURES_OF_KIND) {
        set->left_out++;
        return NULL;
    }
    weir_pictures_finish(set);
    for (unsigned n = 2; has_name(set, unique); n++)
        unique = weir_arena_printf(arena, "%s-%u", name, n);
    while (strcmp(text->key, key) != 0)
        text++;
    picture = weir_arena_take(arena, sizeof *picture);
    set->layers = weir_arena_take(arena, WEIR_PICTURE_LAYERS_MAX * sizeof *set->layers);
    set->points = weir_arena_take(arena, WEIR_PICTURE_LAYERS_MAX * sizeof *set->points);
    *picture = (struct weir_picture){
        .name = unique,
        .title = weir_arena_printf(arena, text->title, shown != NULL ? shown : subject),
        .caption = text->caption,
        .x = axes[text->x],
        .y = axes[text->y],
        .layers = set->layers};
    set->odd_name = text->odd;
    set->list = weir_memory_grow(set->list, (set->count + 1) * sizeof *set->list);
    set->list[set->count++] = set->latest = picture;
    return picture;
}

void weir_rule_add(struct weir_pictures *set, bool is_level, unsigned tone, const char *name,
                   double value, const char *label)
{
    struct weir_points rule = weir_layer_add(set, WEIR_MARK_RULE, tone, name, 1);

    rule.x[0] = rule.y[0] = value;
    rule.layer->x = is_level ? NULL : rule.x;
    rule.layer->y = is_level ? rule.y : NULL;
    rule.labels[0] = label;
}

/* Sets a logarithmic axis for values that a linear one does not show: the least is below 2 % of the
 * greatest. */
static void set_scale(struct weir_axis *axis, const double values[], size_t count)
{
    double least = INFINITY, greatest = 0;

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, values[i]);
        greatest = fmax(greatest, values[i]);
    }
    if (least > 0 && least < 0.02 * greatest)
        axis->scale = WEIR_SCALE_LOG;
}

struct weir_bar weir_bar_of(double value, const double values[], unsigned count)
{
    struct weir_bar bar = {.value = value, .low = NAN, .high = NAN};

    for (unsigned i = 0; i < count; i++) {
        bar.low = fmin(bar.low, values[i]);
        bar.high = fmax(bar.high, values[i]);
    }
    return bar;
}

void weir_bars_add(struct weir_pictures *set, unsigned side, unsigned sides, const char *legend,
                   const struct weir_bar bars[], unsigned count)
{
    unsigned shown = side == 0 ? weir_pictures_limit(set, count, WEIR_PICTURE_ROWS_MAX, "row")
                               : set->latest->y.name_count;
    const char **names = weir_arena_take(&set->arena, (shown + 1) * sizeof *names);
    struct weir_points layer = weir_layer_add(set, WEIR_MARK_BARS, side, legend, shown);
    struct weir_points ranges =
        weir_layer_add(set, WEIR_MARK_RANGES, WEIR_TONE_REFERENCE, NULL, shown);

    for (unsigned i = 0; i < shown; i++) {
        names[i] = bars[i].name;
        layer.x[i] = bars[i].value;
        layer.y[i] = i;
        layer.is_odd[i] = bars[i].is_odd;
        layer.labels[i] = bars[i].label;
        if (bars[i].label == NULL && isfinite(bars[i].value))
            layer.labels[i] = weir_pictures_text(set, set->latest->x.quantity, bars[i].value);
        ranges.y[i] = i + WEIR_BARS_SPREAD / sides * (side - (sides - 1) / 2.0);
        ranges.low[i] = bars[i].high > bars[i].low ? bars[i].low : NAN;
        ranges.high[i] = bars[i].high;
    }
    set_scale(&set->latest->x, layer.x, shown);
    if (side == 0)
        set->latest->y = weir_axis_of_names(set->latest->y.label, names, shown);
}

struct weir_grid weir_grid_add(struct weir_pictures *set, unsigned rows, unsigned columns,
                               enum weir_quantity quantity)
{
    size_t count = (size_t)rows * columns;
    struct weir_grid grid = {weir_arena_take(&set->arena, (count + 1) * sizeof *grid.values),
                             weir_arena_take(&set->arena, count + 1),
                             weir_arena_take(&set->arena, sizeof *grid.cells)};

    for (size_t i = 0; i < count; i++)
        grid.values[i] = NAN;
    *grid.cells = (struct weir_cells){.rows = rows,
                                      .columns = columns,
                                      .values = grid.values,
                                      .is_odd = grid.is_odd,
                                      .quantity = quantity};
    set->latest->cells = set->cells = grid.cells;
    return grid;
}

enum weir_quantity weir_pictures_quantity(const char *unit)
{
    return strcmp(unit, "bytes/s") == 0 ? WEIR_QUANTITY_BYTES_PER_S
           : strcmp(unit, "1/s") == 0   ? WEIR_QUANTITY_OPS_PER_S
           : strcmp(unit, "s") == 0     ? WEIR_QUANTITY_SECONDS
           : strcmp(unit, "bytes") == 0 ? WEIR_QUANTITY_BYTES
                                        : WEIR_QUANTITY_NUMBER;
}

/* ---- kinds of phases ---- */

/* A round of weir net is a phase of its own, and so is each pair in it. */
static bool is_repetition(const struct weir_measured_phase *first,
                          const struct weir_measured_phase *phase)
{
    return phase->is_timed && phase->test == first->test && phase->phase == first->phase &&
           phase->transfer_bytes == first->transfer_bytes &&
           strcmp(phase->name, first->name) == 0 && strcmp(phase->part, first->part) == 0 &&
           strcmp(phase->target, first->target) == 0 &&
           (first->planned != NULL || first->part[0] != '\0' ||
            strcmp(phase->loops, first->loops) == 0);
}

/* Sets the rates of a kind, their median, and the repetition that is nearest to it. Operations are
 * counted as the dialect counts them: md-workbench shows the rate of two phases as one. */
static void set_rates(struct weir_pictures *set, struct weir_phase_kind *kind)
{
    double *sorted = weir_arena_take(&set->arena, (kind->count + 1) * sizeof *sorted);
    double least = INFINITY;
    unsigned count = 0;

    kind->rates = weir_arena_take(&set->arena, (kind->count + 1) * sizeof *kind->rates);
    for (unsigned i = 0; i < kind->count; i++) {
        const struct weir_measured_figure *figure =
            weir_measured_find(kind->all[i], kind->quantity == WEIR_QUANTITY_BYTES_PER_S ? "rate"
                                             : kind->quantity == WEIR_QUANTITY_SECONDS   ? "p50"
                                                                                         : "ops");

        kind->rates[i] = figure != NULL ? figure->value : NAN;
        if (kind->all[i]->believed > kind->believed)
            kind->believed = kind->all[i]->believed;
        if (kind->quantity == WEIR_QUANTITY_OPS_PER_S && kind->all[i]->planned != NULL) {
            struct weir_shown_figure shown;
            bool is_shown = weir_report_shown_figure(set->run->plan, set->run->result,
                                                     kind->all[i]->found, &shown);

            if (!is_shown || (shown.unit != NULL && strstr(shown.unit, "ops/s") != NULL))
                kind->rates[i] = is_shown && shown.value > 0 ? shown.value : NAN;
        }
        if (isfinite(kind->rates[i]) && kind->all[i]->outcome == WEIR_OUTCOME_COMPLETE)
            sorted[count++] = kind->rates[i];
    }
    kind->median = count > 0 ? weir_median_sort(sorted, count) : NAN;
    kind->bar = weir_bar_of(kind->median, kind->rates, kind->count);
    for (unsigned i = 0; i < kind->count; i++)
        if (fabs(kind->rates[i] - kind->median) < least) {
            least = fabs(kind->rates[i] - kind->median);
            kind->typical = i;
        }
}

static void find_kinds(struct weir_pictures *set)
{
    const struct weir_measured_run *run = set->run;
    struct weir_arena *arena = &set->arena;
    struct weir_phase_kind *kinds = weir_arena_take(arena, (run->phase_count + 1) * sizeof *kinds);
    const struct weir_measured_phase **all =
        weir_arena_take(arena, (run->phase_count + 1) * sizeof *all);
    bool *is_known = weir_arena_take(arena, run->phase_count + 1);
    unsigned tests = 0, count = 0;

    for (unsigned i = 0; i < run->phase_count; i++) {
        const struct weir_measured_phase *first = &run->phases[i];
        struct weir_phase_kind *kind = &kinds[count];

        tests = first->test > tests ? first->test : tests;
        if (is_known[i] || !first->is_timed || (first->part[0] != '\0' && first->found != NULL))
            continue;
        *kind = (struct weir_phase_kind){.first = first, .all = all};
        for (unsigned k = i; k < run->phase_count; k++)
            if (is_repetition(first, &run->phases[k])) {
                is_known[k] = true;
                kind->all[kind->count++] = &run->phases[k];
                /* A repetition that failed may have operations alone. */
                if (kind->quantity != WEIR_QUANTITY_BYTES_PER_S)
                    kind->quantity =
                        weir_pictures_quantity(weir_measured_default(&run->phases[k])->unit);
            }
        all += kind->count;
        count++;
        set_rates(set, kind);
    }
    for (unsigned k = 0; k < count; k++) {
        const struct weir_measured_phase *first = kinds[k].first;
        const char *verb = "", *suffix = "", *line;
        char sizes[2][WEIR_SIZE_TEXT_BYTES];

        for (unsigned other = 0; other < count; other++) {
            if (other == k || strcmp(kinds[other].first->name, first->name) != 0)
                continue;
            kinds[k].is_later |= other < k;
            if (kinds[other].first->test == first->test && first->planned != NULL)
                verb = first->verb;
        }
        line = weir_pictures_short(set, first->name);
        if (strcmp(first->dialect, "md-workbench") == 0 && verb[0] != '\0')
            verb = strstr(verb, "dir") != NULL ? "data sets" : "objects";
        if (first->step[0] != '\0')
            suffix = weir_arena_printf(arena, ", %s", first->step);
        else if (tests > 0 && strcmp(first->dialect, "targets") == 0)
            suffix = weir_arena_printf(arena, ", %s",
                                       first->target[0] != '\0' ? first->target : "all at once");
        else if (tests > 0 && strcmp(first->dialect, "iozone") == 0)
            suffix = weir_arena_printf(arena, ", %s/%s",
                                       weir_size_format_exact(first->block_bytes, sizes[0]),
                                       weir_size_format_exact(first->transfer_bytes, sizes[1]));
        else if (tests > 0)
            suffix = weir_arena_printf(arena, ", test %u", first->test);
        kinds[k].name = weir_arena_printf(arena, "%s%s%s%s%s", line, verb[0] != '\0' ? " (" : "",
                                          verb, verb[0] != '\0' ? ")" : "", suffix);
        kinds[k].bar.name = weir_arena_printf(arena, "%s%s", line, suffix);
    }
    set->kinds = kinds;
    set->kind_count = count;
}

static const char *name_repetition(struct weir_pictures *set, const struct weir_phase_kind *kind,
                                   unsigned i, const char *single)
{
    if (kind->count == 1)
        return single;
    return weir_arena_printf(&set->arena, "repetition %u", kind->all[i]->repetition);
}

/* ---- rate over time ---- */

/* The band over ranks, each times the number of ranks, so that equal ranks are at the rate of all.
 */
static void add_band(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *found = kind->all[kind->typical]->found;
    const struct weir_rank_series *series = &found->rank_series;
    double *column = weir_arena_take(&set->arena, (series->rows + 1) * sizeof *column);
    bool is_in_bytes = kind->quantity == WEIR_QUANTITY_BYTES_PER_S;
    const char *rows = "ranks";
    struct weir_points band;
    unsigned merged, count;

    if (series->rows < 4 || series->interval_ns == 0 || series->is_in_bytes != is_in_bytes)
        return;
    /* Intervals are merged until a row completes BAND_OPS in each: a band of single operations says
     * how long an interval is, and not how ranks differ. */
    merged = (unsigned)fmin(
        ceil(BAND_OPS * (double)series->rows * series->columns / fmax((double)found->op_count, 1)),
        series->columns);
    count = (series->columns + merged - 1) / merged;
    if (count < 4)
        return;
    /* With up to 20 rows, these quantiles are the least and the greatest. */
    if (series->ranks_per_row > 1)
        rows = weir_arena_printf(&set->arena, "groups of %u ranks", series->ranks_per_row);
    band = weir_layer_add(set, WEIR_MARK_BAND, kind->typical % WEIR_TONES,
                          weir_arena_printf(&set->arena, "%s of %s, times %u",
                                            series->rows > 20 ? "5 to 95 %" : "least to greatest",
                                            rows, found->rank_count),
                          count);
    for (unsigned k = 0; k < count; k++) {
        unsigned first = k * merged;
        unsigned end = first + merged < series->columns ? first + merged : series->columns;

        for (unsigned i = 0; i < series->rows; i++) {
            column[i] = 0;
            for (unsigned at = first; at < end; at++)
                column[i] +=
                    weir_rank_series_rate(series, i, at) * found->rank_count / (end - first);
        }
        weir_median_sort(column, series->rows);
        band.x[k] = (first + end) / 2.0 * (double)series->interval_ns / 1e9;
        band.low[k] = column[(size_t)(0.05 * (series->rows - 1))];
        band.high[k] = column[(size_t)ceil(0.95 * (series->rows - 1))];
    }
}

/* Amounts per second, or their means. Intervals are merged to at most 128: of a phase of seconds
 * they are about 1 ms, in which few operations end. */
static void add_series(struct weir_pictures *set, const struct weir_series *series,
                       const uint64_t values[], bool is_mean, unsigned tone, const char *name)
{
    unsigned merged = 1 + series->used / 128, count = (series->used + merged - 1) / merged;
    double seconds = ldexp(1e-9, (int)series->shift) * merged;
    struct weir_points line = weir_layer_add(set, WEIR_MARK_LINE, tone, name, count);

    for (unsigned i = 0; i < series->used; i++)
        line.y[i / merged] += (double)values[i] / (is_mean ? merged : seconds);
    for (unsigned i = 0; i < count; i++)
        line.x[i] = (i + 0.5) * seconds;
    /* The last interval is a part of one. */
    if (count > 1 && series->used % merged != 0)
        line.layer->count--;
}

/* The typical repetition and the first others. A repetition has one tone in all pictures. */
static void make_rate(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *typical = kind->all[kind->typical]->found;
    bool is_in_bytes = kind->quantity == WEIR_QUANTITY_BYTES_PER_S;
    double last;

    if (typical->series == NULL || typical->series->used < INTERVALS_MIN ||
        weir_pictures_add(set, "rate", kind->name, NULL) == NULL)
        return;
    set->latest->y.quantity = kind->quantity;
    /* A line of the report that two phases share is the rate of neither. */
    if (isfinite(kind->median) && strcmp(kind->name, kind->bar.name) == 0)
        weir_rule_add(set, true, WEIR_TONE_REFERENCE,
                      weir_arena_printf(&set->arena, "%s %s",
                                        kind->count > 1 ? "median" : "whole phase",
                                        weir_pictures_text(set, kind->quantity, kind->median)),
                      kind->median, NULL);
    add_band(set, kind);
    for (unsigned i = 0, others = 0; i < kind->count; i++) {
        const struct weir_phase_result *found = kind->all[i]->found;
        const struct weir_series *series = found->series;
        bool has_failed = found->failure[0] != '\0';
        bool is_odd = has_failed || found->outcome == WEIR_OUTCOME_PARTIAL;

        if (series == NULL || (i != kind->typical && others == SERIES_SHOWN - 1))
            continue;
        others += i != kind->typical;
        add_series(set, series, is_in_bytes ? series->bytes : series->ops, false, i % WEIR_TONES,
                   name_repetition(set, kind, i, "all ranks"));
        if (!is_odd && !(found->stonewall.is_hit && i == kind->typical))
            continue;
        /* Failures are marked where a rank first failed, phases that were cut at their end. */
        weir_rule_add(set, false, is_odd ? WEIR_TONE_ODD : WEIR_TONE_REFERENCE, NULL,
                      !is_odd                ? found->stonewall.seconds
                      : found->failure_s > 0 ? found->failure_s
                                             : found->windows.total_s,
                      weir_arena_printf(&set->arena, "%s%s%s", name_repetition(set, kind, i, ""),
                                        kind->count > 1 ? " " : "",
                                        has_failed ? "failed"
                                        : is_odd   ? "was cut"
                                                   : "stonewall"));
    }
    weir_pictures_limit(set, kind->count, SERIES_SHOWN, "repetition");
    /* The time of a rate includes syncing and closing files, during which no transfer ends. */
    last = ldexp(1e-9 * typical->series->used, (int)typical->series->shift);
    if (typical->windows.total_s > 1.05 * last) {
        weir_rule_add(set, false, WEIR_TONE_REFERENCE, NULL, last, "last transfer");
        weir_caption_add(set, "After the last transfer, files are synced and closed.");
        weir_rule_add(set, false, WEIR_TONE_REFERENCE, NULL, typical->windows.total_s, NULL);
    }
}

static void make_backlog(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *found = kind->first->found;
    double asked = found->pace.asked_per_s;

    if (asked > 0 && found->series != NULL && found->series->used >= INTERVALS_MIN &&
        weir_pictures_add(set, "backlog", kind->name, NULL) != NULL)
        add_series(set, found->series, found->series->backlog, true, 0,
                   weir_arena_printf(&set->arena, "%s asked for",
                                     weir_pictures_text(set, WEIR_QUANTITY_OPS_PER_S, asked)));
}

/* ---- latency ---- */

static const double fractions[] = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999};
#define FRACTION_COUNT (sizeof fractions / sizeof *fractions)
static const char *const fraction_names[FRACTION_COUNT + 1] = {"50", "75",   "90",    "95",
                                                               "99", "99.9", "99.99", "max"};

static void add_quantiles(struct weir_pictures *set, const struct weir_histogram *histogram,
                          unsigned tone, const char *kind, const char *name)
{
    struct weir_points line;
    unsigned n = 0;

    if (histogram == NULL || histogram->total == 0)
        return;
    line = weir_layer_add(set, WEIR_MARK_LINE, tone % WEIR_TONES,
                          weir_arena_printf(&set->arena, "%s%s", kind, name), FRACTION_COUNT + 1);
    for (unsigned i = 0; i < FRACTION_COUNT; i++)
        if (weir_histogram_has_quantile(histogram, fractions[i])) {
            line.x[n] = i;
            line.y[n++] = 1e-9 * (double)weir_histogram_percentile(histogram, fractions[i]);
        }
    line.x[n] = FRACTION_COUNT;
    line.y[n++] = 1e-9 * (double)histogram->max_ns;
    line.layer->count = n;
}

/* Repetitions, then reads, writes and verbs of the typical one. With --rate, times of repetitions
 * begin when operations were due (response), the others when they were issued (service). */
static void make_latency(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *typical = kind->all[kind->typical]->found;
    bool has_response = typical->response != NULL;
    const char *service = has_response ? "service, " : "";
    uint64_t most = 0;
    unsigned shown;

    for (unsigned i = 0; i < kind->count; i++) {
        const struct weir_histogram *latency = kind->all[i]->found->latency;

        most = latency != NULL && latency->total > most ? latency->total : most;
    }
    if (most < 100 || weir_pictures_add(set, "latency", kind->name, NULL) == NULL)
        return;
    if (has_response)
        set->latest->caption = "Quantiles in percent of times of operations. Response: since they "
                               "were due. Service: since they were issued.";
    set->latest->x = weir_axis_of_names("% of operations", fraction_names, FRACTION_COUNT + 1);
    shown = weir_pictures_limit(set, kind->count, REPETITIONS_SHOWN, "repetition");
    for (unsigned i = 0; i < shown; i++) {
        const struct weir_phase_result *found = kind->all[i]->found;

        add_quantiles(set, found->response ? found->response : found->latency, i,
                      found->response ? "response, " : "",
                      name_repetition(set, kind, i, "all operations"));
    }
    if (has_response)
        add_quantiles(set, typical->latency, shown++, service, "all operations");
    add_quantiles(set, typical->read_latency, shown++, service, "reads");
    add_quantiles(set, typical->write_latency, shown++, service, "writes");
    for (unsigned i = 0; i < typical->verb_count; i++)
        if (typical->verbs[i].verb < WEIR_VERB_COUNT)
            add_quantiles(set, typical->verbs[i].latency, shown++, service,
                          weir_verb_names[typical->verbs[i].verb]);
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

static void make_ranks(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *found = kind->all[kind->typical]->found;
    const struct weir_rank_rate *rates = found->rank_rates.list;
    unsigned n = found->rank_rates.count;
    struct weir_points dots, named;
    double middle;

    if (n < 3 || weir_pictures_add(set, "ranks", kind->name, NULL) == NULL)
        return;
    middle = (rates[(n - 1) / 2].per_s + rates[n / 2].per_s) / 2;
    if (found->rank_rates.is_in_bytes)
        set->latest->y.quantity = WEIR_QUANTITY_BYTES_PER_S;
    weir_rule_add(set, true, WEIR_TONE_REFERENCE, "median", middle, NULL);
    dots = weir_layer_add(set, WEIR_MARK_DOTS, 0, NULL, n);
    dots.layer->mark = n <= 64 ? WEIR_MARK_DOTS : WEIR_MARK_LINE;
    named = weir_layer_add(set, WEIR_MARK_DOTS, 0, NULL, RANKS_NAMED); /* lines have no labels */
    named.layer->count = 0;
    for (unsigned i = 0; i < n; i++) {
        const char *host = host_of(found, rates[i].rank);

        dots.x[i] = 1 + (double)i * (found->rank_count - 1) / (n - 1);
        dots.y[i] = rates[i].per_s;
        dots.is_odd[i] = rates[i].per_s < 0.7 * middle;
        if (i >= RANKS_NAMED || rates[i].per_s >= 0.9 * middle)
            continue;
        named.x[i] = dots.x[i];
        named.y[i] = dots.y[i];
        named.is_odd[i] = dots.is_odd[i];
        named.labels[i] = weir_arena_printf(&set->arena, "rank %u%s%s", rates[i].rank,
                                            host != NULL ? ", " : "", host != NULL ? host : "");
        named.layer->count = i + 1;
        dots.is_odd[i] = false;
        if (n <= 64)
            dots.y[i] = NAN;
    }
}

static void make_heat(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_rank_series *series = &kind->all[kind->typical]->found->rank_series;
    /* With many phases rows are merged: pages must stay below 1 MB. */
    unsigned kinds = set->kind_count < PICTURES_OF_KIND ? set->kind_count : PICTURES_OF_KIND;
    unsigned merged = 1 + (kinds * series->rows * series->columns - 1) / HEAT_CELLS_MAX;
    struct weir_grid grid;

    if (series->rows < 2 || series->interval_ns == 0 ||
        weir_pictures_add(set, "heat", kind->name, NULL) == NULL)
        return;
    grid = weir_grid_add(set, (series->rows + merged - 1) / merged, series->columns,
                         series->is_in_bytes ? WEIR_QUANTITY_BYTES_PER_S : WEIR_QUANTITY_OPS_PER_S);
    for (unsigned row = 0; row < series->rows; row++)
        for (unsigned column = 0; column < series->columns; column++) {
            double *value = &grid.values[(size_t)(row / merged) * series->columns + column], rate;

            rate = weir_rank_series_rate(series, row, column);
            *value = (row % merged > 0 ? *value : 0) +
                     rate / fmin(merged, series->rows - row / merged * merged);
        }
    grid.cells->x_high = series->columns * (double)series->interval_ns / 1e9;
    grid.cells->y_high = (double)grid.cells->rows * merged * series->ranks_per_row;
    grid.cells->has_sums = true;
}

/* ---- repetitions, and operations on names ---- */

static bool is_bad(const struct weir_measured_phase *phase)
{
    return phase->outcome != WEIR_OUTCOME_COMPLETE || weir_believed_is_bad(phase->believed);
}

static void make_repetitions(struct weir_pictures *set)
{
    for (enum weir_quantity each = WEIR_QUANTITY_BYTES_PER_S; each <= WEIR_QUANTITY_OPS_PER_S;
         each++) {
        size_t bytes = (set->kind_count + 1) * sizeof(void *);
        const struct weir_phase_kind **kinds = weir_arena_take(&set->arena, bytes);
        const char **names = weir_arena_take(&set->arena, bytes);
        unsigned shown = 0, total = 0;
        struct weir_points dots, medians;

        for (unsigned k = 0; k < set->kind_count; k++) {
            const struct weir_phase_kind *kind = &set->kinds[k];

            if (kind->quantity != each || kind->count < 3 || kind->first->part[0] != '\0')
                continue;
            names[shown] = kind->name;
            kinds[shown++] = kind;
            total += kind->count;
        }
        if (shown == 0 ||
            weir_pictures_add(set, "repetitions", each == WEIR_QUANTITY_OPS_PER_S ? "ops" : "",
                              NULL) == NULL)
            continue;
        shown = weir_pictures_limit(set, shown, WEIR_PICTURE_ROWS_MAX, "phase");
        set->latest->x = weir_axis_of_names("", names, shown);
        set->latest->y.quantity = each;
        /* A stroke for each: two points, and none between it and the next. */
        medians =
            weir_layer_add(set, WEIR_MARK_LINE, WEIR_TONE_REFERENCE, "median", (size_t)3 * shown);
        dots = weir_layer_add(set, WEIR_MARK_DOTS, 0, "repetition", total);
        dots.layer->count = 0;
        for (unsigned k = 0; k < shown; k++) {
            weir_verdict_note(set, kinds[k]->believed);
            for (unsigned i = 0; i < kinds[k]->count; i++) {
                size_t at = dots.layer->count++;

                dots.x[at] = k + ((double)i / (kinds[k]->count - 1) - 0.5) * 0.6;
                dots.y[at] = kinds[k]->rates[i];
                dots.is_odd[at] = is_bad(kinds[k]->all[i]);
            }
            for (unsigned i = 0; i < 3; i++) {
                medians.x[3 * k + i] = k + (i == 0 ? -0.4 : 0.4);
                medians.y[3 * k + i] = i == 2 ? NAN : kinds[k]->median;
            }
        }
        set_scale(&set->latest->y, dots.y, dots.layer->count);
    }
}

static void make_operations(struct weir_pictures *set)
{
    struct weir_bar *bars = weir_arena_take(&set->arena, (set->kind_count + 1) * sizeof *bars);
    enum weir_believed worst = WEIR_BELIEVED_OK;
    unsigned count = 0;

    for (unsigned k = 0; k < set->kind_count; k++) {
        const struct weir_phase_kind *kind = &set->kinds[k];

        if (kind->quantity != WEIR_QUANTITY_OPS_PER_S || !isfinite(kind->bar.value) ||
            kind->first->planned == NULL || kind->first->planned->program != NULL)
            continue;
        worst = kind->believed > worst ? kind->believed : worst;
        bars[count] = kind->bar;
        bars[count++].is_odd = weir_believed_is_bad(kind->believed);
    }
    if (count < 2 || weir_pictures_add(set, "operations", "", NULL) == NULL)
        return;
    weir_verdict_note(set, worst);
    weir_bars_add(set, 0, 1, NULL, bars, count);
}

/* ---- load: depths, open loops ---- */

static void make_depths(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *found = kind->first->found;
    const struct weir_depth_curve *curve = &found->depth_curve;
    struct weir_points dots, line;

    /* Files of earlier versions have no times of depths. */
    if (curve->count < 2 || !(curve->points[0].p50_s > 0) ||
        weir_pictures_add(set, "load-depths", kind->name, NULL) == NULL)
        return;
    line = weir_layer_add(set, WEIR_MARK_LINE, 0, NULL, curve->count);
    dots = weir_layer_add(set, WEIR_MARK_DOTS, 0, NULL, curve->count);
    for (unsigned i = 0; i < curve->count; i++) {
        const struct weir_depth_point *point = &curve->points[i];

        line.x[i] = dots.x[i] = point->ops_per_s;
        line.y[i] = dots.y[i] = point->p50_s;
        dots.is_odd[i] = point->depth == found->depth;
        dots.labels[i] = weir_arena_printf(&set->arena, "depth %u", point->depth);
    }
}

/* Latency over rate, of phases of one name in a sweep over depth or rate, or in open loops. */
static void make_load(struct weir_pictures *set)
{
    const struct weir_sweep *sweep = set->run->plan != NULL ? &set->run->plan->sweep : NULL;
    bool is_sweep = sweep != NULL && sweep->axis_count == 1 &&
                    weir_text_list_has("depth,rate", sweep->axes[0].name);

    for (unsigned k = 0; k < set->kind_count; k++) {
        const struct weir_measured_phase *first = set->kinds[k].first;
        bool is_due = weir_measured_find(first, "response_p50") != NULL;
        unsigned count = 0;

        for (unsigned i = k; i < set->kind_count; i++)
            if (strcmp(set->kinds[i].first->name, first->name) == 0)
                count += set->kinds[i].count;
        if (set->kinds[k].is_later || count < 2 || !(is_due || is_sweep) ||
            weir_measured_find(first, "p50") == NULL ||
            weir_pictures_add(set, "load", first->name, NULL) == NULL)
            continue;
        if (is_due)
            set->latest->y.label = "time since an operation was due";
        for (unsigned f = 0; f < 2; f++) {
            const char *name = f == 0 ? "response_p50" : "response_p99";
            const char *quantile = name + strlen("response_");
            struct weir_points dots = weir_layer_add(set, WEIR_MARK_DOTS, f, quantile, count);
            size_t n = 0;

            for (unsigned i = k; i < set->kind_count; i++)
                for (unsigned r = 0; r < set->kinds[i].count; r++) {
                    const struct weir_measured_phase *at = set->kinds[i].all[r];
                    const struct weir_measured_figure *rate = weir_measured_find(at, "ops");
                    const struct weir_measured_figure *value =
                        weir_measured_find(at, is_due ? name : quantile);

                    if (rate == NULL || value == NULL || strcmp(at->name, first->name) != 0)
                        continue;
                    dots.x[n] = rate->value;
                    dots.y[n] = value->value;
                    dots.is_odd[n] = is_bad(at);
                    weir_verdict_note(set, at->believed);
                    dots.labels[n++] = r == 0 && f == 0 && is_sweep ? at->step : NULL;
                }
            dots.layer->count = n;
        }
    }
}

/* ---- all kinds ---- */

/* In the order of a page: pictures of the run, then of each kind of its phases. */
static const struct {
    void (*make)(struct weir_pictures *set);
    void (*make_of)(struct weir_pictures *set, const struct weir_phase_kind *kind);
    bool is_overview; /* it shows all tests: those of phases are folded */
} makers[] = {{.make = weir_pictures_make_sweep, .is_overview = true},
              {.make = weir_pictures_make_records, .is_overview = true},
              {.make = weir_pictures_make_targets, .is_overview = true},
              {.make = weir_pictures_make_pairs},
              {.make = make_load},
              {.make = make_operations},
              {.make = make_repetitions},
              {.make_of = make_rate},
              {.make_of = make_latency},
              {.make_of = make_depths},
              {.make_of = make_backlog},
              {.make_of = make_ranks},
              {.make_of = make_heat},
              {.make_of = weir_pictures_make_labels}};

void weir_pictures_open(struct weir_pictures *set, const struct weir_measured_run *run)
{
    unsigned overviews = 0;

    *set = (struct weir_pictures){.run = run};
    find_kinds(set);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (makers[i].make != NULL)
            makers[i].make(set);
        overviews = makers[i].is_overview ? set->count : overviews;
        set->first_folded = makers[i].make != NULL ? set->count : set->first_folded;
        for (unsigned k = 0; k < set->kind_count && makers[i].make_of != NULL; k++) {
            unsigned before = set->count;

            if (set->kinds[k].first->found != NULL)
                makers[i].make_of(set, &set->kinds[k]);
            if (set->count > before)
                weir_verdict_note(set, set->kinds[k].believed);
        }
    }
    if (overviews == 0)
        set->first_folded = set->count;
    weir_pictures_finish(set);
}

void weir_pictures_add_rates(const struct weir_pictures *set, struct weir_text *text)
{
    for (unsigned i = 0, shown = 0; i < set->kind_count && shown < 3; i++) {
        const struct weir_measured_phase *first = set->kinds[i].first;
        double low = NAN, high = NAN;

        for (unsigned k = i; k < set->kind_count && !set->kinds[i].is_later; k++)
            if (first->part[0] == '\0' && strcmp(set->kinds[k].first->name, first->name) == 0) {
                low = fmin(low, set->kinds[k].median);
                high = fmax(high, set->kinds[k].median);
            }
        if (!isfinite(low))
            continue;
        weir_text_add(text, "%s", shown++ > 0 ? ", " : "");
        weir_xml_add(text, first->name);
        weir_text_add(text, " ");
        weir_quantity_add(text, set->kinds[i].quantity, low);
        weir_text_add(text, "%s", high > low ? " to " : "");
        if (high > low)
            weir_quantity_add(text, set->kinds[i].quantity, high);
    }
}

void weir_pictures_close(struct weir_pictures *set)
{
    free(set->list);
    weir_arena_close(&set->arena);
}
