/* SPDX-License-Identifier: Apache-2.0 */
/* Units, round ticks, thinning, and the data of a picture as a table. */
#include "range.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define TABLE_COLUMNS 16 /* of a matrix: of a wider one the table has the mean of each row */
#define CELL_BYTES 256

/* ---- texts ---- */

unsigned weir_utf8_width(const char *string)
{
    unsigned width = 0;

    for (unsigned bytes; *string != '\0'; string += bytes > 0 ? bytes : 1, width++) {
        bytes = weir_utf8_bytes(string);
        width += bytes >= 3 && (unsigned char)*string >= 0xe1; /* as wide as two, as a rule */
    }
    return width;
}

const char *weir_utf8_cut(const char *string, unsigned width, char room[WEIR_CUT_BYTES])
{
    bool is_cut = weir_utf8_width(string) > width;
    unsigned left = is_cut ? width - 2 : width;
    size_t at = 0;

    for (unsigned bytes, wide; *string != '\0' && at + 8 < WEIR_CUT_BYTES; string += bytes) {
        bytes = weir_utf8_bytes(string);
        wide = bytes >= 3 && (unsigned char)*string >= 0xe1 ? 2 : 1;
        if (wide > left)
            break;
        left -= wide;
        if (bytes == 0 || (unsigned char)*string < ' ' || *string == 0x7f) {
            room[at++] = '?';
            bytes = 1;
        } else {
            memcpy(room + at, string, bytes);
            at += bytes;
        }
    }
    memcpy(room + at, is_cut ? ".." : "", is_cut ? 3 : 1);
    return room;
}

/* ---- units ---- */

struct unit {
    double from; /* the least value that is shown in it */
    double factor;
    const char *name;
};

static const struct unit units[WEIR_QUANTITY_COUNT][8] = {
    [WEIR_QUANTITY_NUMBER] = {{0, 1, ""}},
    [WEIR_QUANTITY_BYTES_PER_S] = {{0, 1, "B/s"},
                                   {1e3, 1e3, "kB/s"},
                                   {1e6, 1e6, "MB/s"},
                                   {1e9, 1e9, "GB/s"},
                                   {1e12, 1e12, "TB/s"},
                                   {1e15, 1e15, "PB/s"}},
    [WEIR_QUANTITY_OPS_PER_S] = {{0, 1, "ops/s"},
                                 {1e3, 1e3, "kops/s"},
                                 {1e6, 1e6, "Mops/s"},
                                 {1e9, 1e9, "Gops/s"}},
    [WEIR_QUANTITY_SECONDS] = {{0, 1e-9, "ns"},
                               {1e-6, 1e-6, "us"},
                               {1e-3, 1e-3, "ms"},
                               {1, 1, "s"},
                               {600, 60, "min"},
                               {7200, 3600, "h"}},
    [WEIR_QUANTITY_BYTES] = {{0, 1, "B"},
                             {0x1p10, 0x1p10, "KiB"},
                             {0x1p20, 0x1p20, "MiB"},
                             {0x1p30, 0x1p30, "GiB"},
                             {0x1p40, 0x1p40, "TiB"},
                             {0x1p50, 0x1p50, "PiB"}},
    [WEIR_QUANTITY_SHARE] = {{0, 0.01, "%"}},
};

static const struct unit *unit_of(enum weir_quantity quantity, double value)
{
    const struct unit *unit = units[quantity];

    /* 999.6 is shown as the next unit: "1.00 GB/s", not "1000 MB/s". */
    while (unit[1].name != NULL && fabs(value) * 1.0005 >= unit[1].from)
        unit++;
    return unit;
}

void weir_quantity_add(struct weir_text *text, enum weir_quantity quantity, double value)
{
    const struct unit *unit = unit_of(quantity, value);
    double shown = value / unit->factor, size = fabs(shown);
    bool is_whole = fabs(size - round(size)) < size * 1e-9;

    if (!isfinite(shown))
        weir_text_add(text, "none");
    else if (size == 0.0)
        weir_text_add(text, "0");
    else if (size >= 1e6 || size < 0.005)
        weir_text_add(text, "%.3g", shown);
    else if (is_whole && (quantity == WEIR_QUANTITY_NUMBER || size < 1000))
        weir_text_add(text, "%.0f", shown);
    else
        weir_text_add(text, "%.*f", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, shown);
    if (isfinite(shown) && unit->name[0] != '\0' && size > 0.0)
        weir_text_add(text, " %s", unit->name);
}

/* ---- ranges ---- */

/* Values beyond are left out: their squares and differences would not be finite. */
#define GREATEST 1e150

static bool is_drawn(enum weir_scale scale, double value)
{
    bool is_log = scale == WEIR_SCALE_LOG || scale == WEIR_SCALE_LOG2;

    return isfinite(value) && fabs(value) < GREATEST && (!is_log || value > 1.0 / GREATEST);
}

double weir_range_place(const struct weir_range *range, double value)
{
    if (!is_drawn(range->scale, value))
        return NAN;
    if (range->scale == WEIR_SCALE_LOG || range->scale == WEIR_SCALE_LOG2)
        return (log(value) - log(range->low)) / (log(range->high) - log(range->low));
    return (value - range->low) / (range->high - range->low);
}

static void extend(struct weir_range *range, double value)
{
    if (!is_drawn(range->scale, value))
        return;
    if (range->tick_count++ == 0)
        range->low = range->high = value;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

static void add_tick(struct weir_range *range, const struct weir_axis *axis, double value,
                     const struct unit *unit, int decimals)
{
    struct weir_tick *tick = &range->ticks[range->tick_count];
    struct weir_text text = {0};

    if (range->tick_count == WEIR_TICKS_MAX)
        return;
    tick->value = value;
    if (unit == NULL)
        weir_quantity_add(&text, axis->quantity, value);
    else if (decimals <= 6)
        weir_text_add(&text, "%.*f", decimals, value / unit->factor + 0.0);
    else
        weir_text_add(&text, "%.6g", value / unit->factor);
    snprintf(tick->label, sizeof tick->label, "%s", weir_text_string(&text));
    weir_text_close(&text);
    range->tick_count++;
}

/* Steps of 1, 2 or 5 times a power of 10, in the unit of the greatest value. */
static void find_linear(struct weir_range *range, const struct weir_axis *axis, unsigned most,
                        bool has_ends)
{
    const struct unit *unit;
    double span, step, size;

    if (axis->has_zero) {
        range->low = fmin(range->low, 0.0);
        range->high = fmax(range->high, 0.0);
    }
    size = fmax(fabs(range->low), fabs(range->high));
    /* Below a thousandth, labels of four digits would be alike. */
    if (range->high - range->low <= size * 1e-3) {
        range->low -= axis->has_zero && range->low >= 0 ? 0 : size > 0 ? size * 0.1 : 0.0;
        range->high += size > 0 ? size * 0.1 : 1.0;
    }
    size = fmax(fabs(range->low), fabs(range->high));
    unit = unit_of(axis->quantity, size);
    range->unit = unit->name;
    if (most < 2)
        most = 2;
    span = (range->high - range->low) / unit->factor;
    step = pow(10, floor(log10(span / most)));
    for (unsigned i = 0; i < 4 && span / step > most; i++)
        step *= i % 2 == 1 && i < 3 ? 2.5 : 2;
    /* Numbers count ranks, repetitions or steps: no halves of these. */
    if (axis->quantity == WEIR_QUANTITY_NUMBER && span >= 2 && step < 1)
        step = 1;
    step *= unit->factor;
    if (!has_ends) {
        range->low = floor(range->low / step + 1e-9) * step;
        range->high = ceil(range->high / step - 1e-9) * step;
    }
    for (double i = ceil(range->low / step - 1e-9); i * step <= range->high + step * 1e-9; i++)
        add_tick(range, axis, i * step, unit,
                 (int)fmax(0, ceil(-log10(step / unit->factor) - 1e-9)));
}

/* Ticks at powers of 2, or at 1, 2 and 5 times powers of 10: every n-th power if there are many. */
static void find_log(struct weir_range *range, const struct weir_axis *axis, unsigned most,
                     bool has_ends)
{
    double base = range->scale == WEIR_SCALE_LOG2 ? 2.0 : 10.0, first, last;
    unsigned every = 1;

    if (range->high <= range->low * 1.05) {
        range->low /= base == 2.0 ? 2.0 : 3.0;
        range->high *= base == 2.0 ? 2.0 : 3.0;
    }
    if (!has_ends && base == 10.0) { /* to 1, 2 or 5 times a power of 10 */
        double low = pow(10, floor(log10(range->low))), high = pow(10, floor(log10(range->high)));

        range->low = low * (range->low >= 5 * low ? 5 : range->low >= 2 * low ? 2 : 1);
        range->high = high * (range->high > 5 * high   ? 10
                              : range->high > 2 * high ? 5
                              : range->high > high     ? 2
                                                       : 1);
    }
    first = ceil(log(range->low) / log(base) - 1e-9);
    last = floor(log(range->high) / log(base) + 1e-9);
    range->unit = "";
    if (base == 10.0 && (last - first + 1) * 3 <= most) {
        static const double parts[] = {1, 2, 5};

        for (double power = first - 1; power <= last; power++)
            for (unsigned i = 0; i < 3; i++) {
                double value = parts[i] * pow(10, power);

                if (value >= range->low * (1 - 1e-9) && value <= range->high * (1 + 1e-9))
                    add_tick(range, axis, value, NULL, 0);
            }
        if (range->tick_count > 0)
            return;
    }
    while ((last - first) / every + 1 > most)
        every++;
    for (double power = first; power <= last; power += every)
        add_tick(range, axis, pow(base, power), NULL, 0);
    if (range->tick_count == 0)
        add_tick(range, axis, sqrt(range->low * range->high), NULL, 0);
}

static void find_range(struct weir_range *range, const struct weir_axis *axis, unsigned most,
                       bool has_ends)
{
    bool is_empty = range->tick_count == 0;

    range->tick_count = 0;
    range->unit = "";
    if (axis->scale == WEIR_SCALE_NAMES) {
        range->low = -0.5;
        range->high = axis->name_count > 0 ? (double)axis->name_count - 0.5 : 0.5;
        return;
    }
    if (is_empty) {
        range->low = axis->scale == WEIR_SCALE_LINEAR ? 0 : 1;
        range->high = axis->scale == WEIR_SCALE_LINEAR ? 1 : 10;
    }
    if (axis->scale == WEIR_SCALE_LINEAR)
        find_linear(range, axis, most, has_ends);
    else
        find_log(range, axis, most, has_ends);
}

void weir_range_find(const struct weir_picture *picture, unsigned x_ticks, unsigned y_ticks,
                     struct weir_range *x, struct weir_range *y)
{
    const struct weir_cells *cells = picture->cells;
    bool lies = weir_picture_lies(picture), has_line = false;

    *x = (struct weir_range){.scale = picture->x.scale};
    *y = (struct weir_range){.scale = picture->y.scale};
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];
        bool is_across = lies || layer->mark == WEIR_MARK_SPANS;

        has_line |= layer->mark == WEIR_MARK_LINE || layer->mark == WEIR_MARK_BAND;
        for (size_t i = 0; i < layer->count; i++) {
            if (layer->x != NULL)
                extend(x, layer->x[i]);
            if (layer->y != NULL)
                extend(y, layer->y[i]);
            if (layer->low != NULL && layer->high != NULL) {
                extend(is_across ? x : y, layer->low[i]);
                extend(is_across ? x : y, layer->high[i]);
            }
        }
        if (layer->mark == WEIR_MARK_BARS)
            extend(lies ? x : y, 0.0);
    }
    if (cells != NULL) {
        extend(x, cells->x_low);
        extend(x, cells->x_high);
        extend(y, cells->y_low);
        extend(y, cells->y_high);
    }
    /* Lines and cells reach the ends of the x axis, and whiskers need room. */
    find_range(x, &picture->x, x_ticks, (has_line || cells != NULL) && !lies);
    find_range(y, &picture->y, y_ticks, cells != NULL);
    if (cells == NULL && !has_line && picture->x.scale >= WEIR_SCALE_LOG &&
        picture->x.scale != WEIR_SCALE_NAMES) {
        double room = pow(x->high / x->low, 0.03);

        x->low /= room;
        x->high *= room;
    }
}

/* ---- points ---- */

unsigned weir_layer_thin(const struct weir_picture *picture, const struct weir_layer *layer,
                         const struct weir_range *x, const struct weir_range *y,
                         struct weir_column columns[WEIR_PICTURE_THIN])
{
    bool lies = weir_picture_lies(picture),
         is_band = layer->mark == WEIR_MARK_BAND || layer->mark == WEIR_MARK_SPANS;
    const double *along = lies ? layer->y : layer->x;
    const double *low = is_band ? layer->low : lies ? layer->x : layer->y;
    const double *high = is_band ? layer->high : low;
    bool is_thinned = layer->count > WEIR_PICTURE_THIN;

    memset(columns, 0, WEIR_PICTURE_THIN * sizeof *columns);
    for (size_t i = 0; i < layer->count; i++) {
        double place = weir_range_place(lies ? y : x, along[i]);
        double from = weir_range_place(lies ? x : y, low[i]);
        double to = weir_range_place(lies ? x : y, high[i]);
        struct weir_column *column;

        if (isnan(place) || isnan(from) || isnan(to) || place < -1e-9 || place > 1 + 1e-9)
            continue;
        column = &columns[is_thinned ? (size_t)fmin(fmax(place, 0) * WEIR_PICTURE_THIN,
                                                    WEIR_PICTURE_THIN - 1)
                                     : i];
        if (column->count++ == 0) {
            *column =
                (struct weir_column){.count = 1, .index = i, .x = place, .low = from, .high = to};
            continue;
        }
        if (from < column->low) {
            column->low = from;
            column->falls = true;
        }
        if (to > column->high) {
            column->high = to;
            column->falls = false;
        }
    }
    return is_thinned ? WEIR_PICTURE_THIN : (unsigned)layer->count;
}

bool weir_layer_has_data(const struct weir_picture *picture, const struct weir_layer *layer)
{
    bool lies = weir_picture_lies(picture);
    const double *first = layer->x != NULL ? layer->x : layer->low != NULL ? layer->low : layer->y;
    const double *other = layer->low != NULL && (layer->y == NULL || !lies) ? layer->high
                          : layer->y != NULL                                ? layer->y
                                                                            : layer->high;

    if (lies && layer->low != NULL)
        first = layer->low;
    for (size_t i = 0; i < layer->count && layer->mark != WEIR_MARK_RULE; i++)
        if (is_drawn(picture->x.scale, first[i]) && is_drawn(picture->y.scale, other[i]))
            return true;
    return false;
}

bool weir_picture_has_data(const struct weir_picture *picture)
{
    double low, high;

    for (unsigned k = 0; k < picture->layer_count; k++)
        if (weir_layer_has_data(picture, &picture->layers[k]))
            return true;
    return picture->cells != NULL && weir_cells_extent(picture->cells, &low, &high);
}

/* ---- cells ---- */

bool weir_cells_extent(const struct weir_cells *cells, double *low, double *high)
{
    struct weir_range range = {0};

    for (size_t i = 0; i < (size_t)cells->rows * cells->columns; i++)
        extend(&range, cells->values[i]);
    /* Classes begin at 0 unless all values are close together. */
    *low = range.low > 0 && range.low < range.high * 0.5 ? 0 : range.low;
    *high = range.high;
    return range.tick_count > 0;
}

int weir_cells_class(double value, double low, double high)
{
    if (!is_drawn(WEIR_SCALE_LINEAR, value))
        return -1;
    if (high <= low)
        return WEIR_HEAT_CLASSES / 2;
    return (int)fmax(0,
                     fmin((value - low) / (high - low) * WEIR_HEAT_CLASSES, WEIR_HEAT_CLASSES - 1));
}

double weir_cells_mean(const struct weir_cells *cells, unsigned row, unsigned column)
{
    unsigned count = row == UINT_MAX ? cells->rows : cells->columns, found = 0;
    double sum = 0;

    for (unsigned i = 0; i < count; i++) {
        size_t at = row == UINT_MAX ? (size_t)i * cells->columns + column
                                    : (size_t)row * cells->columns + i;

        if (is_drawn(WEIR_SCALE_LINEAR, cells->values[at])) {
            sum += cells->values[at];
            found++;
        }
    }
    return found > 0 ? sum / found : NAN;
}

/* ---- the table ---- */

enum { COLUMN_NAME, COLUMN_X, COLUMN_Y, COLUMN_FROM, COLUMN_TO, COLUMN_LABEL, COLUMN_COUNT };

/* Adds a row of the cells that are not NULL. */
static void add_row(struct weir_text *text, bool is_html, bool is_head, unsigned count,
                    const char *const cells[])
{
    weir_text_add(text, is_html ? "<tr>" : "");
    for (unsigned i = 0; i < count; i++) {
        if (cells[i] == NULL)
            continue;
        weir_text_add(text, is_html ? is_head ? "<th>" : "<td>" : "");
        weir_xml_add(text, cells[i]);
        weir_text_add(text, is_html ? is_head ? "</th>" : "</td>" : "\t");
    }
    weir_text_add(text, is_html ? "</tr>\n" : "\n");
}

/* "" of a value that is not known. */
static const char *value_text(char room[CELL_BYTES], const struct weir_axis *axis,
                              const double *values, size_t i)
{
    struct weir_text cell = {0};

    if (values != NULL && weir_axis_name(axis, values[i]) != NULL)
        weir_text_add(&cell, "%s", weir_axis_name(axis, values[i]));
    else if (values != NULL && isfinite(values[i]))
        weir_quantity_add(&cell, axis->quantity, values[i]);
    snprintf(room, CELL_BYTES, "%s", weir_text_string(&cell));
    weir_text_close(&cell);
    return room;
}

/* A row of values for each row of cells, or the mean of each where they are too many. */
static void add_cells_table(const struct weir_picture *picture, bool is_html,
                            struct weir_text *text)
{
    const struct weir_cells *cells = picture->cells;
    const struct weir_axis value = {.quantity = cells->quantity};
    bool is_whole = cells->columns <= TABLE_COLUMNS && cells->rows <= WEIR_PICTURE_ROWS;
    unsigned columns = is_whole ? cells->columns : 1;
    char rooms[TABLE_COLUMNS + 1][CELL_BYTES];
    const char *row[TABLE_COLUMNS + 1] = {picture->y.label};

    for (unsigned k = 0; k < columns; k++) {
        const char *name = is_whole ? weir_axis_name(&picture->x, k) : NULL;

        snprintf(rooms[k], CELL_BYTES, is_whole ? "%u" : "mean of %u",
                 is_whole ? k : cells->columns);
        row[k + 1] = name != NULL ? name : rooms[k];
    }
    add_row(text, is_html, true, columns + 1, row);
    for (unsigned i = 0; i < cells->rows; i += 1 + (cells->rows - 1) / WEIR_PICTURE_ROWS) {
        double at = cells->y_low + (cells->y_high - cells->y_low) * i / cells->rows, mean;

        at = weir_picture_lies(picture) ? i : at;
        row[0] = value_text(rooms[columns], &picture->y, &at, 0);
        for (unsigned k = 0; k < columns; k++) {
            mean = is_whole ? cells->values[(size_t)i * cells->columns + k]
                            : weir_cells_mean(cells, i, UINT_MAX);
            row[k + 1] = value_text(rooms[k], &value, &mean, 0);
        }
        add_row(text, is_html, false, columns + 1, row);
    }
}

void weir_picture_table(const struct weir_picture *picture, bool is_html, struct weir_text *text)
{
    bool lies = weir_picture_lies(picture), has[COLUMN_COUNT] = {false};
    const struct weir_axis *along = lies ? &picture->y : &picture->x;
    const struct weir_axis *across = lies ? &picture->x : &picture->y;
    const char *row[COLUMN_COUNT] = {"", along->label, across->label, "from", "to", ""};
    char rooms[COLUMN_COUNT][CELL_BYTES];
    size_t all = 0;

    weir_text_add(text, is_html ? "<table>\n" : "");
    if (picture->cells != NULL && picture->cells->rows > 0)
        add_cells_table(picture, is_html, text);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        all += picture->layers[k].count;
        has[COLUMN_NAME] |= picture->layers[k].name != NULL;
        has[COLUMN_FROM] |= picture->layers[k].low != NULL;
        has[COLUMN_LABEL] |= picture->layers[k].labels != NULL;
    }
    has[COLUMN_X] = has[COLUMN_Y] = true;
    has[COLUMN_TO] = has[COLUMN_FROM];
    for (unsigned c = 0; c < COLUMN_COUNT; c++)
        row[c] = has[c] ? row[c] : NULL;
    if (all > 0)
        add_row(text, is_html, true, COLUMN_COUNT, row);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];
        size_t step = all > WEIR_PICTURE_ROWS
                          ? 1 + layer->count * picture->layer_count / WEIR_PICTURE_ROWS
                          : 1;

        for (size_t i = 0; i < layer->count; i += step) {
            const struct weir_axis *range = layer->mark == WEIR_MARK_SPANS ? &picture->x : across;

            row[COLUMN_NAME] = layer->name != NULL ? layer->name : "";
            row[COLUMN_X] = value_text(rooms[COLUMN_X], along, lies ? layer->y : layer->x, i);
            row[COLUMN_Y] = value_text(rooms[COLUMN_Y], across, lies ? layer->x : layer->y, i);
            row[COLUMN_FROM] = value_text(rooms[COLUMN_FROM], range, layer->low, i);
            row[COLUMN_TO] = value_text(rooms[COLUMN_TO], range, layer->high, i);
            row[COLUMN_LABEL] =
                layer->labels != NULL && layer->labels[i] != NULL ? layer->labels[i] : "";
            for (unsigned c = 0; c < COLUMN_COUNT; c++)
                row[c] = has[c] ? row[c] : NULL;
            add_row(text, is_html, false, COLUMN_COUNT, row);
        }
    }
    weir_text_add(text, is_html ? "</table>\n" : "");
}
