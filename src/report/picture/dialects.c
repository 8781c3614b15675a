/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of single dialects: sweep, iozone, targets, net, parabench; and of comparisons. */
#include "compare/compare.h"
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

static enum weir_quantity quantity_of(const struct weir_sweep_table *table)
{
    return table->counts_ops ? WEIR_QUANTITY_OPS_PER_S : WEIR_QUANTITY_BYTES_PER_S;
}

static bool is_flagged(const struct weir_sweep_row *row)
{
    return row->state != WEIR_SWEEP_COMPLETE || weir_believed_is_bad(row->believed);
}

static void set_axis(struct weir_axis *axis, const struct weir_sweep_axis *sweep)
{
    const char *last = sweep->count > 0 ? sweep->values[sweep->count - 1] : "";
    bool is_size = last[0] != '\0' && strchr("kmgtKMGTbB", last[strlen(last) - 1]) != NULL;

    *axis = weir_axis_of_names(sweep->name, sweep->values, sweep->count);
    axis->quantity = is_size ? WEIR_QUANTITY_BYTES : WEIR_QUANTITY_NUMBER;
    axis->scale = WEIR_SCALE_LOG2;
    axis->has_zero = true;
    for (unsigned i = 0; i < sweep->count; i++) {
        double value = number_of(sweep->values[i]);

        if (isnan(value))
            axis->scale = WEIR_SCALE_NAMES;
        else if (axis->scale == WEIR_SCALE_LOG2 && log2(value) != floor(log2(value)))
            axis->scale = WEIR_SCALE_LINEAR;
    }
}

/* Efficiency 1: the first rate in the order of the sweep, in proportion to ranks. `order` has the
 * rows by x. The line ends 10 % above the greatest rate, so that it does not flatten the curve. */
static void add_ideal(struct weir_pictures *set, const struct weir_sweep_table *table,
                      const unsigned order[], const double x[], double top)
{
    struct weir_points ideal = weir_layer_add(set, WEIR_MARK_LINE, WEIR_TONE_REFERENCE,
                                              "ideal: as many times the first", table->count);
    double each = NAN; /* rate per rank */
    unsigned n = 0;

    for (unsigned i = 0; i < table->count && isnan(each); i++)
        if (table->rows[i].count > 0 && table->rows[i].rank_count > 0)
            each = table->trends[0].steps[i].median / table->rows[i].rank_count;
    for (unsigned i = 0; i < table->count && (n == 0 || ideal.y[n - 1] < top); i++) {
        double y = each * table->rows[order[i]].rank_count, share = 1;

        if (!(y > 0)) /* the step was not reached */
            continue;
        if (n > 0 && y > top)
            share = (top - ideal.y[n - 1]) / (y - ideal.y[n - 1]);
        ideal.x[n] = n > 0 ? ideal.x[n - 1] + share * (x[i] - ideal.x[n - 1]) : x[i];
        ideal.y[n] = n > 0 ? ideal.y[n - 1] + share * (y - ideal.y[n - 1]) : y;
        n++;
    }
    ideal.layer->count = n;
}

/* Curves of one table, or of several that count alike. A line joins numbers alone: names have no
 * order. */
static void add_curves(struct weir_pictures *set, const struct weir_sweep_table *const tables[],
                       unsigned count)
{
    const struct weir_plan *plan = set->run->plan;
    const struct weir_sweep_axis *axis = &plan->sweep.axes[0];
    struct weir_arena *arena = &set->arena;
    unsigned steps = tables[0]->count;
    unsigned *order = weir_arena_take(arena, (steps + 1) * sizeof *order);
    double *x = weir_arena_take(arena, (steps + 1) * sizeof *x), top = 0, limit;
    enum weir_quantity quantity = quantity_of(tables[0]);
    const char *name = count > 1 ? "Phases" : tables[0]->name;
    bool has_knees = false, is_common = true, has_names;

    if (weir_pictures_add(set, "sweep",
                          count == 1              ? name
                          : tables[0]->counts_ops ? "all ops"
                                                  : "all",
                          weir_arena_printf(arena, "%s over %s", name, axis->name)) == NULL)
        return;
    count = weir_pictures_limit(set, count, WEIR_TONES, "phase");
    for (unsigned t = 1; t < count; t++)
        is_common &= tables[t]->limit == tables[0]->limit;
    set_axis(&set->latest->x, axis);
    set->latest->y.quantity = quantity;
    has_names = set->latest->x.scale == WEIR_SCALE_NAMES;
    for (unsigned i = 0, k; i < steps; i++) {
        double value = has_names ? i : number_of(axis->values[i]);

        for (k = i; k > 0 && x[k - 1] > value; k--) {
            order[k] = order[k - 1];
            x[k] = x[k - 1];
        }
        order[k] = i;
        x[k] = value;
    }
    for (unsigned t = 0; t < count; t++) {
        const struct weir_sweep_table *table = tables[t];
        const struct weir_trend *trend = &table->trends[0];
        bool has_knee = weir_sweep_has_knee(plan, table, 0);
        unsigned first = 0;
        struct weir_points dots, ranges, line = {0};

        has_knees |= has_knee;
        limit = table->counts_ops ? 0 : table->limit;
        while (first < t && tables[first]->limit != table->limit)
            first++;
        top = fmax(top, limit);
        dots = weir_layer_add(set, WEIR_MARK_DOTS, t, count > 1 ? table->name : "median", steps);
        ranges = weir_layer_add(set, WEIR_MARK_RANGES, t, NULL, steps);
        ranges.layer->y = NULL;
        dots.x = x;
        dots.layer->x = ranges.layer->x = x;
        if (!has_names) {
            line = weir_layer_add(set, WEIR_MARK_LINE, t, NULL, steps);
            line.layer->x = x;
        }
        for (unsigned i = 0; i < steps; i++) {
            const struct weir_sweep_row *row = &table->rows[order[i]];
            bool is_knee = has_knee && order[i] == trend->knee;

            weir_verdict_note(set, row->believed);
            dots.y[i] = row->count > 0 ? trend->steps[order[i]].median : NAN;
            dots.is_odd[i] = is_flagged(row);
            if (line.y != NULL)
                line.y[i] = dots.y[i];
            ranges.low[i] = row->count > 0 ? row->rate_min : NAN;
            ranges.high[i] = row->count > 0 ? row->rate_max : NAN;
            top = fmax(top, row->count > 0 ? row->rate_max : 0);
            if (row->count > 0 && (is_knee || order[i] == trend->best))
                dots.labels[i] =
                    limit > 0 ? weir_arena_printf(arena, "%s%.0f %% of limit",
                                                  is_knee ? "knee, " : "", 100 * dots.y[i] / limit)
                    : is_knee ? "knee"
                              : weir_pictures_text(set, quantity, dots.y[i]);
        }
        if (limit > 0 && first == t)
            weir_rule_add(set, true, WEIR_TONE_ODD, NULL, limit,
                          weir_arena_printf(arena, "%s%slimit %s", is_common ? "" : table->name,
                                            is_common ? "" : " ",
                                            weir_pictures_text(set, quantity, limit)));
    }
    if (count == 1 && tables[0]->has_efficiency)
        add_ideal(set, tables[0], order, x, 1.1 * top);
    if (has_knees)
        weir_caption_add(set, "The knee is the first step that is not below the best one by more "
                              "than the noise.");
}

static void add_sweep_grid(struct weir_pictures *set, const struct weir_sweep_table *table)
{
    const struct weir_sweep *sweep = &set->run->plan->sweep;
    struct weir_grid grid;

    if (weir_pictures_add(set, "sweep-grid", table->name,
                          weir_arena_printf(&set->arena, "%s over %s and %s", table->name,
                                            sweep->axes[0].name, sweep->axes[1].name)) == NULL)
        return;
    set_axis(&set->latest->y, &sweep->axes[0]);
    set_axis(&set->latest->x, &sweep->axes[1]);
    set->latest->x.scale = set->latest->y.scale = WEIR_SCALE_NAMES;
    grid = weir_grid_add(set, table->group_count, table->group_size, quantity_of(table));
    for (unsigned i = 0; i < table->count; i++) {
        const struct weir_trend_step *step =
            &table->trends[i / table->group_size].steps[i % table->group_size];

        grid.values[i] = table->rows[i].count > 0 ? step->median : NAN;
        grid.is_odd[i] = is_flagged(&table->rows[i]);
        weir_verdict_note(set, table->rows[i].believed);
    }
}

void weir_pictures_make_sweep(struct weir_pictures *set)
{
    const struct weir_plan *plan = set->run->plan;
    const struct weir_sweep_table *tables, **alike;
    unsigned count = 0;

    if (plan == NULL || plan->sweep.axis_count == 0)
        return;
    tables = weir_sweep_tables(&set->arena, plan, set->run->result, &count);
    alike = weir_arena_take(&set->arena, (count + 1) * sizeof *alike);
    for (unsigned ops = 0; ops < 2 && plan->sweep.axis_count == 1; ops++) {
        unsigned n = 0;

        for (unsigned i = 0; i < count; i++)
            if (tables[i].counts_ops == ops)
                alike[n++] = &tables[i];
        if (n > 1)
            add_curves(set, alike, n);
    }
    for (unsigned i = 0; i < count; i++) {
        alike[0] = &tables[i];
        if (plan->sweep.axis_count == 1)
            add_curves(set, alike, 1);
        else
            add_sweep_grid(set, &tables[i]);
    }
}

/* ---- record by file size ---- */

#define CELLS_MAX 65536

/* Index of a size in ascending ones, to which it is added. */
static unsigned place_size(uint64_t sizes[], unsigned *count, uint64_t size)
{
    unsigned i = 0;

    while (i < *count && sizes[i] < size)
        i++;
    if (i == *count || sizes[i] != size) {
        memmove(&sizes[i + 1], &sizes[i], (*count - i) * sizeof *sizes);
        sizes[i] = size;
        ++*count;
    }
    return i;
}

static struct weir_axis axis_of_sizes(struct weir_pictures *set, const char *label,
                                      const uint64_t sizes[], unsigned count)
{
    const char **names = weir_arena_take(&set->arena, (count + 1) * sizeof *names);

    for (unsigned i = 0; i < count; i++) {
        char room[WEIR_SIZE_TEXT_BYTES];

        names[i] = weir_arena_copy(&set->arena, weir_size_format_exact(sizes[i], room));
    }
    return weir_axis_of_names(label, names, count);
}

/* The kinds of phases of one name, if they have several sizes of records or files. */
static void add_record_grid(struct weir_pictures *set, const char *name)
{
    size_t bytes = (set->kind_count + 1) * sizeof(uint64_t);
    uint64_t *files = weir_arena_take(&set->arena, bytes);
    uint64_t *records = weir_arena_take(&set->arena, bytes);
    unsigned rows = 0, columns = 0;
    struct weir_grid grid = {0};

    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned k = 0; k < set->kind_count; k++) {
            const struct weir_phase_kind *kind = &set->kinds[k];
            const struct weir_measured_phase *last = kind->all[kind->count - 1];
            double rate = kind->rates[kind->count - 1];
            unsigned row, column;

            if (strcmp(last->name, name) != 0 || !isfinite(rate))
                continue;
            row = place_size(files, &rows, last->block_bytes);
            column = place_size(records, &columns, last->transfer_bytes);
            if (pass == 0)
                continue;
            grid.values[row * columns + column] = rate;
            grid.is_odd[row * columns + column] = weir_believed_is_bad(last->believed);
            weir_verdict_note(set, last->believed);
        }
        if (pass > 0 || rows < 2 || columns < 2 || (size_t)rows * columns > CELLS_MAX ||
            weir_pictures_add(set, "records", name, NULL) == NULL)
            return;
        grid = weir_grid_add(set, rows, columns, WEIR_QUANTITY_BYTES_PER_S);
        set->latest->x = axis_of_sizes(set, "record", records, columns);
        set->latest->y = axis_of_sizes(set, "file size per process", files, rows);
    }
}

void weir_pictures_make_records(struct weir_pictures *set)
{
    if (strcmp(set->run->dialect, "iozone") != 0 || set->run->plan->sweep.axis_count > 0)
        return;
    for (unsigned k = 0; k < set->kind_count; k++)
        if (!set->kinds[k].is_later && set->kinds[k].quantity == WEIR_QUANTITY_BYTES_PER_S)
            add_record_grid(set, set->kinds[k].first->name);
}

/* ---- targets ---- */

void weir_pictures_make_targets(struct weir_pictures *set)
{
    const struct weir_plan *plan = set->run->plan;
    struct weir_targets_table *tables;
    unsigned count = 0;

    if (plan == NULL || strcmp(plan->dialect, "targets") != 0)
        return;
    tables = weir_targets_tables(&set->arena, plan, set->run->result, &count);
    for (unsigned k = 0; k < count; k++) {
        const struct weir_targets_table *table = &tables[k];
        struct weir_bar *bars = weir_arena_take(&set->arena, (table->count + 1) * sizeof *bars);

        if (weir_pictures_add(set, "targets", weir_verb_names[table->verb], NULL) == NULL)
            return;
        for (unsigned i = 0; i < set->kind_count; i++)
            if (set->kinds[i].first->planned->verb == table->verb &&
                set->kinds[i].first->target[0] != '\0')
                weir_verdict_note(set, set->kinds[i].believed);
        set->latest->x.quantity = WEIR_QUANTITY_BYTES_PER_S;
        for (unsigned i = 0; i < table->count; i++) {
            const struct weir_targets_row *row = &table->rows[i];

            bars[i] = (struct weir_bar){
                .name = row->name,
                .value = row->rate.mean,
                .low = row->rate.min,
                .high = row->rate.max,
                .is_odd = row->verdict != WEIR_PEER_ALIKE,
                .label = weir_arena_printf(
                    &set->arena, "%s%s%s",
                    weir_pictures_text(set, WEIR_QUANTITY_BYTES_PER_S, row->rate.mean),
                    row->verdict != WEIR_PEER_ALIKE ? " " : "",
                    weir_targets_verdict(row->verdict))};
        }
        weir_bars_add(set, 0, 1, NULL, bars, table->count);
        weir_rule_add(set, false, WEIR_TONE_REFERENCE, "median", table->peers.median, NULL);
        if (table->limit > 0)
            weir_rule_add(set, false, WEIR_TONE_ODD, "limit", table->limit, NULL);
    }
}

/* ---- pairs ---- */

#define MATRIX_RANKS_MAX 256

static bool is_pair(const struct weir_phase_kind *kind, uint64_t bytes)
{
    return strcmp(kind->first->part, "pair") == 0 && kind->first->transfer_bytes == bytes;
}

static void add_matrix(struct weir_pictures *set, enum weir_quantity quantity, unsigned ranks,
                       uint64_t bytes)
{
    size_t cells = (size_t)ranks * ranks;
    double *sorted = weir_arena_take(&set->arena, cells * sizeof *sorted), median;
    const char **names = weir_arena_take(&set->arena, ranks * sizeof *names);
    bool is_rate = quantity != WEIR_QUANTITY_SECONDS;
    unsigned source, sink, found = 0;
    char room[WEIR_SIZE_TEXT_BYTES];
    struct weir_grid grid;

    if (weir_pictures_add(set, "pairs", "matrix",
                          weir_arena_printf(&set->arena, "%s of pairs, messages of %s",
                                            is_rate ? "Rates" : "Median latencies",
                                            weir_size_format_exact(bytes, room))) == NULL)
        return;
    grid = weir_grid_add(set, ranks, ranks, quantity);
    for (unsigned k = 0; k < set->kind_count; k++)
        if (is_pair(&set->kinds[k], bytes) &&
            sscanf(set->kinds[k].first->target, "%u->%u", &source, &sink) == 2 && source < ranks &&
            sink < ranks)
            grid.values[(size_t)source * ranks + sink] = set->kinds[k].median;
    for (size_t i = 0; i < cells; i++)
        if (isfinite(grid.values[i]))
            sorted[found++] = grid.values[i];
    median = found > 0 ? weir_median_sort(sorted, found) : NAN;
    for (size_t i = 0; i < cells; i++)
        grid.is_odd[i] = is_rate ? grid.values[i] < 0.9 * median : grid.values[i] > 1.1 * median;
    for (unsigned i = 0; i < ranks; i++)
        names[i] = weir_arena_printf(&set->arena, "%u", i);
    weir_verdict_note(set, set->run->believed);
    set->latest->x = weir_axis_of_names("to rank", names, ranks);
    set->latest->y = weir_axis_of_names("from rank", names, ranks);
}

/* Each pair alone and while all run, and the sums: bars. Rounds in which a pair runs alone are in
 * the order of pairs. */
static void add_alone(struct weir_pictures *set, uint64_t bytes)
{
    const struct weir_phase_kind **lists[2];
    struct weir_bar *bars = weir_arena_take(&set->arena, (set->kind_count + 1) * sizeof *bars);
    unsigned counts[2] = {0};

    for (unsigned all = 0; all < 2; all++)
        lists[all] = weir_arena_take(&set->arena, (set->kind_count + 1) * sizeof **lists);
    for (unsigned k = 0; k < set->kind_count; k++) {
        const struct weir_phase_kind *kind = &set->kinds[k];
        bool all = is_pair(kind, bytes);

        if (all || (strstr(kind->first->name, " alone") != NULL &&
                    kind->first->transfer_bytes == bytes && kind->first->part[0] == '\0'))
            lists[all][counts[all]++] = kind;
    }
    if (counts[1] < 2 || counts[0] == 0 || weir_pictures_add(set, "pairs-sum", "sum", NULL) == NULL)
        return;
    set->latest->x.quantity = WEIR_QUANTITY_BYTES_PER_S;
    set->latest->y.label = "pair";
    weir_verdict_note(set, set->run->believed);
    for (unsigned all = 0; all < 2; all++) {
        bars[0] = (struct weir_bar){.name = weir_arena_printf(&set->arena, "sum of %u", counts[1])};
        for (unsigned i = 0; i < counts[1]; i++) {
            bars[i + 1] = i < counts[all] ? lists[all][i]->bar : (struct weir_bar){.value = NAN};
            bars[i + 1].name = lists[1][i]->first->target;
            bars[0].value += bars[i + 1].value;
        }
        weir_bars_add(set, all, 2, all ? "all at once" : "alone", bars, counts[1] + 1);
    }
}

void weir_pictures_make_pairs(struct weir_pictures *set)
{
    const struct weir_measured_run *run = set->run;
    unsigned ranks = run->ranks < MATRIX_RANKS_MAX ? run->ranks : MATRIX_RANKS_MAX;
    enum weir_quantity quantity = WEIR_QUANTITY_SECONDS;
    uint64_t bytes = 0;

    if (run->plan != NULL || ranks < 2 || set->kind_count == 0)
        return;
    for (unsigned k = 0; k < set->kind_count; k++)
        if (set->kinds[k].first->transfer_bytes > bytes)
            bytes = set->kinds[k].first->transfer_bytes;
    for (unsigned k = 0; k < set->kind_count; k++)
        if (is_pair(&set->kinds[k], bytes))
            quantity = set->kinds[k].quantity;
    if (quantity == WEIR_QUANTITY_BYTES_PER_S)
        add_alone(set, bytes);
    if (weir_text_list_has("all,bisection", run->phases[0].pattern))
        add_matrix(set, quantity, ranks, bytes);
}

/* ---- labels of programs ---- */

/* Rows are ranks if single executions were recorded and ranks are few, else labels. A label without
 * a recorded execution on some rank gets an extra row: outer labels end last, after the limit. */
void weir_pictures_make_labels(struct weir_pictures *set, const struct weir_phase_kind *kind)
{
    const struct weir_phase_result *found = kind->all[kind->typical]->found;
    const struct weir_program_result *program = found->program;
    struct weir_points spans = {0};
    unsigned ranks = found->rank_count, rows = 0, shown, count = 0;
    const char **names;
    bool has_ranks;

    if (program == NULL || program->label_count == 0 ||
        weir_pictures_add(set, "labels", kind->name, NULL) == NULL)
        return;
    has_ranks = program->event_count > 0 && ranks > 1 && ranks <= WEIR_PICTURE_ROWS_MAX &&
                program->label_count <= WEIR_TONES;
    names = weir_arena_take(&set->arena,
                            ((has_ranks ? ranks : 0) + program->label_count) * sizeof *names);
    if (!has_ranks)
        set->latest->caption =
            "Each box is the time from the first begin of a label to its last end.";
    else if (program->unlisted_count > 0)
        weir_caption_add(
            set, weir_arena_printf(&set->arena,
                                   "%llu executions are not in the file. The row of a label "
                                   "is the time from its first begin to its last end.",
                                   (unsigned long long)program->unlisted_count));
    while (has_ranks && rows < ranks) {
        names[rows] = weir_arena_printf(&set->arena, "rank %u", rows);
        rows++;
    }
    shown = weir_pictures_limit(set, program->label_count, WEIR_PICTURE_ROWS_MAX, "label");
    for (unsigned k = 0; k < shown; k++) {
        const struct weir_label_result *label = &program->labels[k];
        unsigned listed_ranks = 0;

        if (has_ranks || k == 0) {
            spans = weir_layer_add(set, WEIR_MARK_SPANS, k, has_ranks ? label->name : NULL,
                                   program->event_count + shown);
            count = 0;
        }
        for (size_t i = 0; i < program->event_count && has_ranks; i++) { /* by rank */
            const struct weir_program_event *event = &program->events[i];

            if (event->label != k || event->rank >= ranks)
                continue;
            listed_ranks += count == 0 || spans.y[count - 1] != event->rank;
            spans.y[count] = event->rank;
            spans.low[count] = event->begin_s;
            spans.high[count++] = event->begin_s + event->seconds;
        }
        if (!has_ranks || (program->unlisted_count > 0 && listed_ranks < label->rank_count)) {
            names[rows] = label->name;
            spans.y[count] = rows++;
            spans.low[count] = label->first_begin_s;
            spans.high[count++] = label->last_end_s;
        }
        spans.layer->count = count;
    }
    set->latest->y = weir_axis_of_names("", names, rows);
}

/* ---- comparisons ---- */

/* "A: before.jsonl", by the label of its first run, or by its file; with --by "filesystem ext4". */
static const char *name_side(struct weir_pictures *set, const struct weir_comparison_table *table,
                             unsigned side)
{
    for (unsigned k = 0; k < table->key_count && table->request->by != NULL; k++)
        if (strcmp(table->keys[k].name, table->request->by) == 0)
            return weir_arena_printf(&set->arena, "%s %s", table->keys[k].name,
                                     table->keys[k].values[side]);
    for (unsigned i = 0; i < table->run_count; i++) {
        const char *source = table->runs[i]->source, *label = table->runs[i]->label;
        const char *slash = strrchr(source, '/');

        if (table->run_groups[i] == (int)side)
            return weir_arena_printf(&set->arena, "%c: %s", (int)('A' + side),
                                     label[0] != '\0' ? label
                                     : slash != NULL  ? slash + 1
                                                      : source);
    }
    return side ? "B" : "A";
}

/* "write 1m", without the figure if all cases are compared by it, and without the value of the
 * other side, which names of lines have with several sides. */
static const char *name_case(struct weir_pictures *set, const struct weir_comparison_table *table,
                             const struct weir_compare_line *line)
{
    const struct weir_compare_request *request = table->request;
    const char *name = line->name, *side, *at, *last = NULL;

    if (request->figures != NULL && strchr(request->figures, ',') == NULL)
        name += strlen(line->figure->name) + strlen(" of ");
    if (table->group_count > 2) {
        side = name_side(set, table, (unsigned)line->b->group) + strlen(request->by);
        side = weir_arena_printf(&set->arena, ",%s", side);
        for (at = name; (at = strstr(at, side)) != NULL; at++)
            last = at;
        if (last != NULL)
            name = weir_arena_printf(&set->arena, "%.*s%s", (int)(last - name), name,
                                     last + strlen(side));
    }
    return weir_pictures_short(set, name);
}

static void note_verdicts(struct weir_pictures *set, const struct weir_compare_line *line)
{
    weir_verdict_note(set, line->a->phase->believed);
    weir_verdict_note(set, line->b->phase->believed);
}

static void add_changes(struct weir_pictures *set, const struct weir_comparison_table *table)
{
    unsigned sides = table->group_count, count = table->judged.count, shown = 0;
    const char **names = weir_arena_take(&set->arena, (count + 1) * sizeof *names);
    struct weir_points ranges, dots;

    weir_pictures_add(set, "change", "",
                      sides > 2
                          ? weir_arena_printf(&set->arena, "%s to others", name_side(set, table, 0))
                          : "A to B");
    ranges = weir_layer_add(set, WEIR_MARK_RANGES, 0, "95 % range", count);
    dots = weir_layer_add(set, WEIR_MARK_DOTS, 0, "change of the median", count);
    for (unsigned i = 0; i < count && shown < WEIR_PICTURE_ROWS_MAX; i++) {
        const struct weir_compare_row *row = &table->judged.rows[i];
        const struct weir_compare_line *line = &table->lines[i];

        if (!(row->ratio > 0) || row->verdict == WEIR_COMPARE_NOT_COMPARABLE)
            continue;
        note_verdicts(set, line);
        names[shown] = name_case(set, table, line);
        if (sides > 2)
            names[shown] =
                weir_arena_printf(&set->arena, "%s, %s",
                                  name_side(set, table, (unsigned)line->b->group), names[shown]);
        ranges.y[shown] = dots.y[shown] = shown;
        dots.x[shown] = row->ratio - 1;
        dots.is_odd[shown] = weir_compare_is_loss(&table->judged, row);
        ranges.low[shown] = row->has_range ? row->ratio_low - 1 : NAN;
        ranges.high[shown] = row->has_range ? row->ratio_high - 1 : NAN;
        shown++;
    }
    weir_pictures_limit(set, count, shown, "case");
    ranges.layer->count = dots.layer->count = shown;
    set->latest->y = weir_axis_of_names("", names, shown);
    weir_rule_add(set, false, WEIR_TONE_REFERENCE, NULL, 0, NULL);
    weir_rule_add(set, false, WEIR_TONE_ODD, "limit", -table->judged.limit, NULL);
    weir_rule_add(set, false, WEIR_TONE_ODD, NULL, table->judged.limit, NULL);
}

/* The rates or times of the first sides, of cases that are compared by one of this unit. */
static void add_sides(struct weir_pictures *set, const struct weir_comparison_table *table,
                      const char *unit)
{
    unsigned sides =
        table->group_count < WEIR_PICTURE_SIDES_MAX ? table->group_count : WEIR_PICTURE_SIDES_MAX;
    unsigned all = table->judged.count, compared = 0, drawn = 0, count = 0;
    struct weir_bar *bars = weir_arena_take(&set->arena, (size_t)sides * all * sizeof *bars);
    const struct weir_compare_line **firsts = weir_arena_take(&set->arena, all * sizeof *firsts);
    enum weir_quantity quantity = weir_pictures_quantity(unit);

    for (size_t i = 0; i < (size_t)sides * all; i++)
        bars[i].value = NAN;
    for (unsigned i = 0; i < all; i++) {
        const struct weir_compare_row *row = &table->judged.rows[i];
        const struct weir_compare_line *line = &table->lines[i];
        unsigned k = 0, side = (unsigned)line->b->group;
        struct weir_bar *a, *b;

        if (strcmp(line->figure->unit, unit) != 0)
            continue;
        if (compared++ == 0)
            weir_pictures_add(set, quantity == WEIR_QUANTITY_SECONDS ? "times" : "sides",
                              quantity == WEIR_QUANTITY_OPS_PER_S ? "ops" : "",
                              sides > 2 ? "all sides" : "A and B");
        if (side >= sides)
            continue;
        /* With --by, each side but the first has a line for the case. */
        while (k < count && (firsts[k]->a != line->a || firsts[k]->figure != line->figure))
            k++;
        firsts[k] = line;
        count += k == count;
        drawn++;
        note_verdicts(set, line);
        a = &bars[k];
        b = &bars[side * all + k];
        *a = weir_bar_of(row->a.count > 0 ? row->a.median : NAN, row->a.values, row->a.count);
        *b = weir_bar_of(row->b.count > 0 ? row->b.median : NAN, row->b.values, row->b.count);
        a->name = name_case(set, table, line);
        a->is_odd = b->is_odd = row->verdict == WEIR_COMPARE_NOT_COMPARABLE;
    }
    if (compared == 0)
        return;
    weir_pictures_limit(set, compared, drawn, "comparison");
    set->latest->x.quantity = quantity;
    for (unsigned side = 0; side < sides; side++)
        weir_bars_add(set, side, sides, name_side(set, table, side), &bars[side * all], count);
}

void weir_pictures_open_comparison(struct weir_pictures *set,
                                   const struct weir_comparison_table *table)
{
    static const char *const units[] = {"bytes/s", "1/s", "s"};

    *set = (struct weir_pictures){0};
    if (table->judged.count > 0)
        add_changes(set, table);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++)
        add_sides(set, table, units[i]);
    set->first_folded = set->count;
    weir_pictures_finish(set);
}
