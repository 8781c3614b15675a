/* SPDX-License-Identifier: Apache-2.0 */
/* Units, round ticks, the places of marks, and the data of a picture as a table. */
#include "range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TABLE_COLUMNS 16 /* the most columns of cells in a table */

/* ---- texts and units ---- */

/* Characters from U+1000 on are as wide as two, as a rule. */
unsigned weir_utf8_width(const char *string)
{
    unsigned width = 0;

    for (; *string != '\0'; string++)
        width += ((*string & 0xc0) != 0x80) + ((unsigned char)*string >= 0xe1);
    return width;
}

const char *weir_utf8_cut(const char *string, unsigned width, char room[WEIR_CUT_BYTES])
{
    bool is_cut = weir_utf8_width(string) > width;
    unsigned left = is_cut ? width - 2 : width;
    size_t at = 0;

    while (*string != '\0' && at + 8 < WEIR_CUT_BYTES) {
        unsigned char first = (unsigned char)*string;
        unsigned bytes = first < ' ' || first == 0x7f ? 0 : weir_utf8_bytes(string);
        unsigned columns = bytes >= 3 && first >= 0xe1 ? 2 : 1;

        if (columns > left)
            break;
        left -= columns;
        memcpy(room + at, bytes > 0 ? string : "?", bytes > 0 ? bytes : 1);
        at += bytes > 0 ? bytes : 1;
        string += bytes > 0 ? bytes : 1;
    }
    memcpy(room + at, is_cut ? ".." : "", is_cut ? 3 : 1);
    return room;
}

struct unit {
    double factor;
    const char *name;
};

static struct unit unit_of(enum weir_quantity quantity, double value)
{
    static const struct {
        double first, ratio;
        const char *names[7];
    } rows[WEIR_QUANTITY_COUNT] = {
        [WEIR_QUANTITY_NUMBER] = {1, 1, {""}},
        [WEIR_QUANTITY_BYTES_PER_S] = {1, 1e3, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"}},
        [WEIR_QUANTITY_OPS_PER_S] = {1, 1e3, {"ops/s", "kops/s", "Mops/s", "Gops/s"}},
        [WEIR_QUANTITY_SECONDS] = {1e-9, 1e3, {"ns", "us", "ms", "s"}},
        [WEIR_QUANTITY_BYTES] = {1, 1024, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"}},
        [WEIR_QUANTITY_SHARE] = {0.01, 1, {"%"}}};
    struct unit unit = {rows[quantity].first, rows[quantity].names[0]};

    if (quantity == WEIR_QUANTITY_SECONDS && fabs(value) >= 600)
        return fabs(value) >= 7200 ? (struct unit){3600, "h"} : (struct unit){60, "min"};
    /* 999.6 is shown in the next unit: "1.00 GB/s", not "1000 MB/s". */
    for (unsigned i = 1; rows[quantity].names[i] != NULL &&
                         fabs(value) * 1.0005 >= unit.factor * rows[quantity].ratio;
         i++)
        unit = (struct unit){unit.factor * rows[quantity].ratio, rows[quantity].names[i]};
    return unit;
}

const char *weir_value_words(char room[WEIR_VALUE_BYTES], const struct weir_axis *axis,
                             double value)
{
    struct unit unit = unit_of(axis->quantity, value);
    double shown = value / unit.factor + 0.0, size = fabs(shown);
    bool is_whole = fabs(size - round(size)) <= size * 1e-9;
    int decimals = is_whole || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    const char *name = size > 0 ? unit.name : "", *space = name[0] != '\0' ? " " : "";

    if (axis->scale == WEIR_SCALE_NAMES && value > -0.5 && value < axis->name_count - 0.5)
        return axis->names[(size_t)(value + 0.5)];
    room[0] = '\0';
    if (isfinite(shown) && (size >= 1e6 || (size > 0 && size < 0.005)))
        snprintf(room, WEIR_VALUE_BYTES, "%.3g%s%s", shown, space, name);
    else if (isfinite(shown))
        snprintf(room, WEIR_VALUE_BYTES, "%.*f%s%s", decimals, shown, space, name);
    return room;
}

void weir_quantity_add(struct weir_text *text, enum weir_quantity quantity, double value)
{
    const struct weir_axis axis = {.quantity = quantity};
    char room[WEIR_VALUE_BYTES];

    weir_text_add(text, "%s", isfinite(value) ? weir_value_words(room, &axis, value) : "none");
}

/* ---- ranges ---- */

/* Values beyond are left out: their squares and differences would not be finite. */
#define GREATEST 1e150

static bool is_log(const struct weir_axis *axis)
{
    return axis->scale == WEIR_SCALE_LOG || axis->scale == WEIR_SCALE_LOG2;
}

static bool is_drawn(const struct weir_axis *axis, double value)
{
    return isfinite(value) && fabs(value) < GREATEST && (!is_log(axis) || value > 1 / GREATEST);
}

/* Returns NAN for a value that is left out. */
static double place_of(const struct weir_range *range, double value)
{
    if (!is_drawn(range->axis, value))
        return NAN;
    if (range->shown_count > 0) {
        double row = floor(value + 0.5);
        unsigned k = 0;

        while (k < range->shown_count && range->shown[k] != row)
            k++;
        if (k == range->shown_count)
            return NAN;
        value = k + (k >= range->gap ? range->gap_rows : 0) +
                (value - row) * range->spread / WEIR_BARS_SPREAD;
    }
    if (is_log(range->axis))
        return log(value / range->low) / log(range->high / range->low);
    return (value - range->low) / (range->high - range->low);
}

static void extend(struct weir_range *range, const double *values, size_t count)
{
    for (size_t i = 0; values != NULL && i < count; i++)
        if (is_drawn(range->axis, values[i])) {
            range->low = fmin(range->low, values[i]);
            range->high = fmax(range->high, values[i]);
        }
}

static void add_tick(struct weir_range *range, double value, const char *label)
{
    struct weir_tick *tick = &range->ticks[range->tick_count];

    if (range->tick_count == WEIR_TICKS_MAX)
        return;
    tick->place = place_of(range, value);
    weir_utf8_cut(label, WEIR_NAME_WIDTH, tick->label);
    if (weir_utf8_width(tick->label) > range->tick_width)
        range->tick_width = weir_utf8_width(tick->label);
    range->tick_count++;
}

/* The n-th of the powers of 2, or of 1, 2 and 5 times the powers of 10. */
static double round_number(enum weir_scale scale, int n)
{
    static const double parts[] = {1, 2, 5};
    int power = (int)floor(n / 3.0);

    return scale == WEIR_SCALE_LOG2 ? ldexp(1, n) : parts[n - 3 * power] * pow(10, power);
}

/* Returns the least n whose round number is not below a value. */
static int round_up(enum weir_scale scale, double value)
{
    int n = (int)floor(scale == WEIR_SCALE_LOG2 ? log2(value) : 3 * log10(value)) - 1;

    while (round_number(scale, n) < value * (1 - 1e-9))
        n++;
    return n;
}

/* Ticks in steps of a round number, in the unit of the greatest value. */
static void find_linear(struct weir_range *range, unsigned most, bool has_ends)
{
    const struct weir_axis *axis = range->axis;
    double size, span, step;
    struct unit unit;
    char label[WEIR_VALUE_BYTES];
    int n;

    if (axis->has_zero) {
        range->low = fmin(range->low, 0);
        range->high = fmax(range->high, 0);
    }
    size = fmax(fabs(range->low), fabs(range->high));
    /* Below a thousandth, labels of four digits would be alike. */
    if (range->high - range->low <= size * 1e-3) {
        range->low -= axis->has_zero && range->low >= 0 ? 0 : size * 0.1;
        range->high += size > 0 ? size * 0.1 : 1;
        size *= 1.1;
    }
    unit = unit_of(axis->quantity, size);
    snprintf(range->title, sizeof range->title, "%s%s%s", axis->label,
             axis->label[0] != '\0' && unit.name[0] != '\0' ? ", " : "", unit.name);
    span = (range->high - range->low) / unit.factor;
    n = round_up(axis->scale, span / most);
    /* Numbers count ranks, repetitions or steps: no halves of these. */
    if (axis->quantity == WEIR_QUANTITY_NUMBER && span >= 2 && n < 0)
        n = 0;
    step = round_number(axis->scale, n) * unit.factor;
    if (!has_ends) {
        range->low = floor(range->low / step + 1e-9) * step;
        range->high = ceil(range->high / step - 1e-9) * step;
    }
    for (double i = ceil(range->low / step - 1e-9); i * step <= range->high + step * 1e-9; i++) {
        snprintf(label, sizeof label, "%.9g", i * step / unit.factor + 0.0);
        add_tick(range, i * step, label);
    }
}

/* Ends and ticks at round numbers, at every n-th power if there are many. */
static void find_log(struct weir_range *range, unsigned most)
{
    enum weir_scale scale = range->axis->scale;
    int first = round_up(scale, range->low), last = round_up(scale, range->high), every = 1;
    char room[WEIR_VALUE_BYTES];

    first -= first == last || round_number(scale, first) > range->low * (1 + 1e-9);
    range->low = round_number(scale, first);
    range->high = round_number(scale, last);
    while ((unsigned)((last - first) / every) + 1 > most)
        every += scale == WEIR_SCALE_LOG2 ? 1 : 3 - every % 3;
    for (int n = first; n <= last; n++)
        if (n % every == 0) {
            double value = round_number(scale, n);

            add_tick(range, value, weir_value_words(room, range->axis, value));
        }
}

/* Chooses the rows of names that are shown if there is room for `most` horizontal bars: of too many
 * a third from each end, and odd ones between them. */
static void find_rows(struct weir_plot *plot, unsigned most)
{
    const struct weir_picture *picture = plot->picture;
    struct weir_range *range = &plot->y;
    unsigned count = picture->y.name_count, layers = plot->bar_layers > 0 ? plot->bar_layers : 1;
    bool is_cut = count > most / layers;
    char label[WEIR_VALUE_BYTES];

    range->gap = most = is_cut ? (most > layers ? (most - 1) / layers : 1) : count;
    range->gap_rows = is_cut ? 1.0 / layers : 0;
    range->rows = fmax(most + range->gap_rows, 1);
    range->low = range->rows - 0.5;
    range->high = -0.5;
    for (unsigned row = 0; row < count; row++) {
        unsigned left = most - range->shown_count;
        bool has_priority = row < most / 3;

        for (unsigned k = 0; k < picture->layer_count; k++)
            for (size_t i = 0; picture->layers[k].is_odd != NULL && i < picture->layers[k].count;
                 i++)
                has_priority |=
                    picture->layers[k].is_odd[i] && floor(picture->layers[k].y[i] + 0.5) == row;
        if (count - row <= left || (has_priority && left > most / 3)) {
            range->shown[range->shown_count++] = row;
            add_tick(range, row, picture->y.names[row]);
        } else if (range->gap == most) {
            range->gap = range->shown_count;
        }
    }
    if (is_cut) {
        snprintf(label, sizeof label, "... %u more", count - most);
        add_tick(range, range->shown[0], label);
        range->ticks[most].place = 1 - (range->gap + range->gap_rows / 2) / range->rows;
    }
}

static void find_range(struct weir_range *range, bool is_y, unsigned most, bool has_ends)
{
    const struct weir_axis *axis = range->axis;
    double last = axis->name_count > 0 ? axis->name_count - 0.5 : 0.5;

    range->rows = axis->name_count > 0 ? axis->name_count : 50;
    if (axis->scale == WEIR_SCALE_NAMES) { /* from the left, and from the top */
        range->low = is_y ? last : -0.5;
        range->high = is_y ? -0.5 : last;
        for (unsigned i = 0; i < axis->name_count; i += 1 + (axis->name_count - 1) / most)
            add_tick(range, i, axis->names[i]);
        return;
    }
    if (range->low > range->high) {
        range->low = is_log(axis) ? 1 : 0;
        range->high = is_log(axis) ? 10 : 1;
    }
    if (is_log(axis))
        find_log(range, most);
    else
        find_linear(range, most, has_ends);
}

void weir_plot_open(struct weir_plot *plot, const struct weir_picture *picture, unsigned x_ticks,
                    unsigned y_ticks)
{
    const struct weir_cells *cells = picture->cells;
    bool has_ends = cells != NULL;
    struct weir_range *across;

    *plot = (struct weir_plot){.picture = picture,
                               .is_horizontal = picture->y.scale == WEIR_SCALE_NAMES};
    plot->x = (struct weir_range){.axis = &picture->x, .low = INFINITY, .high = -INFINITY};
    plot->y = (struct weir_range){.axis = &picture->y, .low = INFINITY, .high = -INFINITY};
    plot->x.spread = plot->y.spread = WEIR_BARS_SPREAD;
    snprintf(plot->x.title, sizeof plot->x.title, "%s", picture->x.label);
    snprintf(plot->y.title, sizeof plot->y.title, "%s", picture->y.label);
    plot->heat = (struct weir_range){.axis = &plot->heat_axis, .low = INFINITY, .high = -INFINITY};
    across = plot->is_horizontal ? &plot->x : &plot->y;
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];

        extend(&plot->x, layer->x, layer->count);
        extend(&plot->y, layer->y, layer->count);
        extend(across, layer->low, layer->count);
        extend(across, layer->high, layer->count);
        if (layer->mark == WEIR_MARK_BARS)
            extend(across, &(double){0}, 1);
        for (size_t i = 0; layer->labels != NULL && i < layer->count && plot->is_horizontal; i++)
            if (layer->labels[i] != NULL && weir_utf8_width(layer->labels[i]) > plot->label_width)
                plot->label_width = weir_utf8_width(layer->labels[i]);
        plot->bar_layers += layer->mark == WEIR_MARK_BARS;
        has_ends |= !plot->is_horizontal &&
                    (layer->mark == WEIR_MARK_LINE || layer->mark == WEIR_MARK_BAND);
    }
    if (cells != NULL) {
        extend(&plot->x, (double[]){cells->x_low, cells->x_high}, 2);
        extend(&plot->y, (double[]){cells->y_low, cells->y_high}, 2);
        plot->heat_axis.quantity = cells->quantity;
        extend(&plot->heat, cells->values, (size_t)cells->rows * cells->columns);
        plot->has_data = plot->heat.low <= plot->heat.high;
        /* Classes begin at 0 unless all values are close together. */
        if (plot->heat.low > 0 && plot->heat.low < plot->heat.high * 0.5)
            plot->heat.low = 0;
    }
    /* Lines and cells reach the ends of the x axis. */
    find_range(&plot->x, false, x_ticks, has_ends);
    if (plot->is_horizontal && cells == NULL)
        find_rows(plot, y_ticks);
    else
        find_range(&plot->y, true, y_ticks, cells != NULL);
}

/* ---- marks ---- */

unsigned weir_plot_marks(struct weir_plot *plot, const struct weir_layer *layer,
                         struct weir_box boxes[WEIR_PICTURE_THIN])
{
    bool is_rule = layer->mark == WEIR_MARK_RULE, is_bar = layer->mark == WEIR_MARK_BARS;
    bool is_level = is_rule ? layer->y != NULL : plot->is_horizontal;
    bool is_thinned = layer->count > WEIR_PICTURE_THIN;
    /* Odd points have boxes of their own. */
    unsigned kinds = layer->is_odd != NULL ? 2 : 1, columns = WEIR_PICTURE_THIN / kinds;
    const struct weir_range *along = is_level ? &plot->y : &plot->x;
    const struct weir_range *across = is_level ? &plot->x : &plot->y;
    const double *places = is_level ? layer->y : layer->x;
    const double *low = is_level ? layer->x : layer->y, *high = low;
    double zero = fmax(place_of(across, 0), 0), shift = 0, half = 0; /* fmax() ignores NAN */
    bool is_gap = true;
    unsigned count = 0;

    if (layer->mark == WEIR_MARK_BAND || layer->mark == WEIR_MARK_RANGES ||
        layer->mark == WEIR_MARK_SPANS) {
        low = layer->low;
        high = layer->high;
    }
    if (is_bar || layer->mark == WEIR_MARK_SPANS)
        half = along->spread / 2 / along->rows;
    if (is_bar) { /* the bars of several layers are side by side */
        half /= plot->bar_layers;
        shift = half * (1.0 - plot->bar_layers);
        for (const struct weir_layer *other = plot->picture->layers; other != layer; other++)
            shift += other->mark == WEIR_MARK_BARS ? 2 * half : 0;
        shift = is_level ? -shift : shift;
    }
    memset(boxes, 0, WEIR_PICTURE_THIN * sizeof *boxes);
    for (size_t i = 0; i < layer->count; i++) {
        double place = place_of(along, places[i]);
        double from = is_rule ? 0 : place_of(across, low[i]);
        double to = is_rule ? 1 : place_of(across, high[i]);
        bool is_odd = layer->is_odd != NULL && layer->is_odd[i];
        struct weir_box *box;

        if (isnan(place) || isnan(from) || isnan(to) || place < -1e-9 || place > 1 + 1e-9) {
            is_gap = true;
            continue;
        }
        from = is_bar ? fmin(from, zero) : from;
        to = is_bar ? fmax(to, zero) : to;
        box =
            &boxes[is_thinned ? (size_t)fmin(fmax(place, 0) * columns, columns - 1) * kinds + is_odd
                              : i];
        if (!box->is_set)
            *box = (struct weir_box){
                place + shift - half, from, place + shift + half, to, i, .is_set = true,
                .is_first = is_gap};
        is_gap = false;
        box->falls = from < box->y0 || (box->falls && to <= box->y1);
        box->y0 = fmin(box->y0, from);
        box->y1 = fmax(box->y1, to);
    }
    for (unsigned i = 0; i < WEIR_PICTURE_THIN; i++) {
        struct weir_box box = boxes[i];

        if (!box.is_set)
            continue;
        box.is_first |= count == 0;
        if (is_level) {
            box.x0 = boxes[i].y0;
            box.x1 = boxes[i].y1;
            box.y0 = boxes[i].x0;
            box.y1 = boxes[i].x1;
        }
        boxes[count++] = box;
    }
    plot->has_data |= count > 0 && !is_rule;
    return count;
}

int weir_plot_class(const struct weir_plot *plot, unsigned line, unsigned column, size_t *cell)
{
    const struct weir_cells *cells = plot->picture->cells;
    double low = plot->heat.low, high = plot->heat.high;

    *cell = (size_t)(plot->is_horizontal ? line : cells->rows - 1 - line) * cells->columns + column;
    if (!is_drawn(plot->heat.axis, cells->values[*cell]))
        return -1;
    if (low == high)
        return WEIR_HEAT_CLASSES / 2;
    return (int)fmin((cells->values[*cell] - low) / (high - low) * WEIR_HEAT_CLASSES,
                     WEIR_HEAT_CLASSES - 1);
}

double weir_cells_value(const struct weir_axis *axis, double low, double high, double at,
                        unsigned count)
{
    return axis->scale == WEIR_SCALE_NAMES ? floor(at) : low + (high - low) * at / count;
}

double weir_mean(const double *values, unsigned count, unsigned stride)
{
    unsigned found = 0;
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i * stride])) {
            sum += values[i * stride];
            found++;
        }
    return found > 0 ? sum / found : NAN;
}

/* ---- the table ---- */

void weir_point_read(struct weir_point *point, const struct weir_picture *picture,
                     const struct weir_layer *layer, size_t i)
{
    bool is_horizontal = picture->y.scale == WEIR_SCALE_NAMES;
    const struct weir_axis *along = is_horizontal ? &picture->y : &picture->x;
    const struct weir_axis *across = is_horizontal ? &picture->x : &picture->y;
    const double *values[] = {NULL,
                              is_horizontal ? layer->y : layer->x,
                              is_horizontal ? layer->x : layer->y,
                              layer->low,
                              layer->high,
                              NULL};

    *point = (struct weir_point){.names = {"", along->label, across->label, "from", "to", ""}};
    for (unsigned k = 0; k < WEIR_POINT_WORDS; k++)
        point->words[k] =
            values[k] == NULL
                ? ""
                : weir_value_words(point->rooms[k], k == 1 ? along : across, values[k][i]);
    if (layer->name != NULL)
        point->words[0] = layer->name;
    if (layer->labels != NULL && layer->labels[i] != NULL)
        point->words[WEIR_POINT_WORDS - 1] = layer->labels[i];
}

/* Markup of rows and cells: elements of HTML, or tabs and line ends. */
struct table {
    struct weir_text *text;
    const char *row, *row_end, *cell[2], *cell_end[2]; /* [1]: head */
};

static void add_cell(const struct table *table, bool is_head, const char *words)
{
    weir_text_add(table->text, "%s", table->cell[is_head]);
    weir_xml_add(table->text, words);
    weir_text_add(table->text, "%s", table->cell_end[is_head]);
}

/* Adds a row for each row of cells; of many rows and columns, every n-th. */
static void add_cells(const struct table *table, const struct weir_picture *picture)
{
    const struct weir_cells *cells = picture->cells;
    const struct weir_axis axis = {.quantity = cells->quantity};
    unsigned down = 1 + (cells->rows - 1) / WEIR_PICTURE_ROWS;
    unsigned right = 1 + (cells->columns - 1) / TABLE_COLUMNS;
    char room[WEIR_VALUE_BYTES];

    weir_text_add(table->text, "%s", table->row);
    add_cell(table, true, picture->y.label);
    for (unsigned k = 0; k < cells->columns; k += right) {
        double x = weir_cells_value(&picture->x, cells->x_low, cells->x_high, k, cells->columns);

        add_cell(table, true, weir_value_words(room, &picture->x, x));
    }
    for (unsigned i = 0; i < cells->rows; i += down) {
        const double *values = &cells->values[(size_t)i * cells->columns];
        double y = weir_cells_value(&picture->y, cells->y_low, cells->y_high, i, cells->rows);

        weir_text_add(table->text, "%s%s", table->row_end, table->row);
        add_cell(table, false, weir_value_words(room, &picture->y, y));
        for (unsigned k = 0; k < cells->columns; k += right)
            add_cell(table, false, weir_value_words(room, &axis, values[k]));
    }
    weir_text_add(table->text, "%s", table->row_end);
}

static void add_row(const struct table *table, bool is_head, const char *const words[],
                    const bool has[])
{
    weir_text_add(table->text, "%s", table->row);
    for (unsigned c = 0; c < WEIR_POINT_WORDS; c++)
        if (has[c])
            add_cell(table, is_head, words[c]);
    weir_text_add(table->text, "%s", table->row_end);
}

void weir_picture_table(const struct weir_picture *picture, bool is_html, struct weir_text *text)
{
    const struct table html = {text, "<tr>", "</tr>\n", {"<td>", "<th>"}, {"</td>", "</th>"}};
    const struct table lines = {text, "", "\n", {"", ""}, {"\t", "\t"}};
    const struct table *table = is_html ? &html : &lines;
    bool has[WEIR_POINT_WORDS] = {false, true, true}, is_head = true;
    struct weir_point point;
    size_t all = 0;

    weir_text_add(text, is_html ? "<table>\n" : "");
    if (picture->cells != NULL && picture->cells->rows > 0)
        add_cells(table, picture);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        all += picture->layers[k].count;
        has[0] |= picture->layers[k].name != NULL;
        has[3] |= picture->layers[k].low != NULL;
        has[4] = has[3];
        has[5] |= picture->layers[k].labels != NULL;
    }
    for (unsigned k = 0; k < picture->layer_count; k++)
        for (size_t i = 0; i < picture->layers[k].count; i += 1 + all / (WEIR_PICTURE_ROWS + 1)) {
            weir_point_read(&point, picture, &picture->layers[k], i);
            if (is_head)
                add_row(table, true, point.names, has);
            add_row(table, false, point.words, has);
            is_head = false;
        }
    weir_text_add(text, is_html ? "</table>\n" : "");
}
