/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as characters: a title, a plot, ticks, and a legend. */
#include "range.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define PLOT_LINES (WEIR_PICTURE_LINES - 3)
#define NAME_COLUMNS 20  /* of names on the y axis */
#define LABEL_COLUMNS 10 /* of values on the right of lying bars */

enum {
    GLYPH_TONES = 1,
    GLYPH_ODD = GLYPH_TONES + WEIR_TONES + 1,
    GLYPH_BAND,
    GLYPH_BAR,
    GLYPH_HATCH,
    GLYPH_RANGE,
    GLYPH_RULE_ACROSS,
    GLYPH_RULE_DOWN,
    GLYPH_HEAT
};

static const char ascii[] = " *o+x%@=&-X:#/--|..::oO#@";
static const char utf8[][4] = {" ",      "\u25cf", "\u25cb", "\u25b2", "\u25c6", "\u25bc", "\u25a0",
                               "\u25a1", "\u25b3", "\u2508", "\u00d7", "\u2591", "\u2588", "\u2593",
                               "\u2500", "\u2508", "\u250a", "\u00b7", "\u2591", "\u2591", "\u2592",
                               "\u2592", "\u2593", "\u2593", "\u2588"};
_Static_assert(sizeof ascii - 1 == sizeof utf8 / sizeof *utf8, "both have all glyphs");

struct sheet {
    const struct weir_picture *picture;
    struct weir_range x, y;
    unsigned left, width, height;
    unsigned char cells[PLOT_LINES][WEIR_PICTURE_COLUMNS]; /* glyphs */
    char labels[PLOT_LINES][LABEL_COLUMNS + 1];            /* on the right of lying bars */
    bool is_utf8;
};

static void add_glyph(struct weir_text *text, const struct sheet *sheet, unsigned glyph)
{
    weir_text_add(text, sheet->is_utf8 ? "%s" : "%.1s",
                  sheet->is_utf8 ? utf8[glyph] : &ascii[glyph]);
}

/* The glyph of a mark, or of a layer in the legend. */
static unsigned glyph_of(const struct weir_layer *layer, bool is_odd)
{
    bool is_other = layer->tone > 0 && layer->tone < WEIR_TONES;

    switch (layer->mark) {
    case WEIR_MARK_LINE:
    case WEIR_MARK_DOTS:
        return GLYPH_TONES + layer->tone;
    case WEIR_MARK_BAND:
        return GLYPH_BAND;
    case WEIR_MARK_RANGES:
        return GLYPH_RANGE;
    case WEIR_MARK_RULE:
        return GLYPH_RULE_ACROSS;
    default:
        return is_odd ? GLYPH_HATCH : is_other ? GLYPH_BAND : GLYPH_BAR;
    }
}

/* -1 = outside of the plot. */
static int column_of(const struct sheet *sheet, double x)
{
    return isnan(x) || x < -1e-6 || x > 1 + 1e-6 ? -1
                                                 : (int)fmin(x * sheet->width, sheet->width - 1);
}

static int line_of(const struct sheet *sheet, double y)
{
    if (isnan(y) || y < -1e-6 || y > 1 + 1e-6)
        return -1;
    return (int)fmin((weir_picture_lies(sheet->picture) ? y : 1 - y) * sheet->height,
                     sheet->height - 1);
}

static void fill(struct sheet *sheet, double x0, double y0, double x1, double y1, unsigned glyph)
{
    int left = column_of(sheet, x0), right = column_of(sheet, x1);
    int top = line_of(sheet, y0), bottom = line_of(sheet, y1);

    if (left < 0 || right < 0 || top < 0 || bottom < 0)
        return;
    if (left > right)
        fill(sheet, x1, y0, x0, y1, glyph);
    else if (top > bottom)
        fill(sheet, x0, y1, x1, y0, glyph);
    else
        for (int line = top; line <= bottom; line++)
            memset(&sheet->cells[line][left], (int)glyph, (size_t)(right - left + 1));
}

static void draw_rules(struct sheet *sheet, const struct weir_layer *layer)
{
    for (size_t i = 0; i < layer->count && i < WEIR_PICTURE_COLUMNS; i++)
        if (layer->y != NULL) {
            double y = weir_range_place(&sheet->y, layer->y[i]);

            fill(sheet, 0, y, 1, y, GLYPH_RULE_ACROSS);
        } else {
            double x = weir_range_place(&sheet->x, layer->x[i]);

            fill(sheet, x, 0, x, 1, GLYPH_RULE_DOWN);
        }
}

static void draw_points(struct sheet *sheet, const struct weir_layer *layer)
{
    bool lies = weir_picture_lies(sheet->picture), is_line = layer->mark == WEIR_MARK_LINE;
    struct weir_column columns[WEIR_PICTURE_THIN];
    unsigned count = weir_layer_thin(sheet->picture, layer, &sheet->x, &sheet->y, columns);
    const struct weir_column *last = NULL;

    for (unsigned i = 0; i < count; i++) {
        const struct weir_column *at = &columns[i];
        bool is_odd = layer->is_odd != NULL && at->count > 0 && layer->is_odd[at->index];
        unsigned glyph = is_odd && !is_line ? (unsigned)GLYPH_ODD : glyph_of(layer, false);

        if (at->count == 0)
            continue;
        /* Between two points of a line, one in each column. */
        if (last != NULL && (is_line || layer->mark == WEIR_MARK_BAND))
            for (double x = last->x; x < at->x; x += 0.5 / sheet->width) {
                double part = (x - last->x) / (at->x - last->x);
                double low = last->low + part * (at->low - last->low);
                double high = last->high + part * (at->high - last->high);

                fill(sheet, x, is_line ? (low + high) / 2 : low, x,
                     is_line ? (low + high) / 2 : high, glyph);
            }
        fill(sheet, lies ? at->low : at->x, lies ? at->x : at->low, lies ? at->high : at->x,
             lies ? at->x : at->high, glyph);
        last = at;
    }
}

static void draw_boxes(struct sheet *sheet, const struct weir_layer *layer)
{
    bool lies = weir_picture_lies(sheet->picture);
    const struct weir_range *value = lies ? &sheet->x : &sheet->y,
                            *place = lies ? &sheet->y : &sheet->x;
    double zero = value->scale == WEIR_SCALE_LINEAR ? weir_range_place(value, 0) : 0;

    for (size_t i = 0; i < layer->count; i++) {
        double at = weir_range_place(place, lies ? layer->y[i] : layer->x[i]);
        double from = layer->mark == WEIR_MARK_BARS ? zero : weir_range_place(value, layer->low[i]);
        double to = layer->mark != WEIR_MARK_BARS
                        ? weir_range_place(value, layer->high[i])
                        : weir_range_place(value, lies ? layer->x[i] : layer->y[i]);
        unsigned glyph = glyph_of(layer, layer->is_odd != NULL && layer->is_odd[i]);
        int line;

        if (lies)
            fill(sheet, from, at, to, at, glyph);
        else
            fill(sheet, at, from, at, to, glyph);
        line = lies ? line_of(sheet, at) : -1;
        if (line >= 0 && layer->labels != NULL && layer->labels[i] != NULL &&
            sheet->labels[line][0] == '\0') {
            char room[WEIR_CUT_BYTES];

            snprintf(sheet->labels[line], sizeof sheet->labels[line], "%s",
                     weir_utf8_cut(layer->labels[i], LABEL_COLUMNS, room));
        }
    }
}

/* Several rows of cells may be in one line: each character is the first that is in its place. */
static void draw_cells(struct sheet *sheet)
{
    const struct weir_cells *cells = sheet->picture->cells;
    double low, high;

    if (!weir_cells_extent(cells, &low, &high))
        return;
    for (unsigned line = 0; line < sheet->height; line++)
        for (unsigned column = 0; column < sheet->width; column++) {
            size_t from_top = weir_picture_lies(sheet->picture) ? line : sheet->height - 1 - line;
            size_t row = from_top * cells->rows / sheet->height;
            size_t k = (size_t)column * cells->columns / sheet->width;
            int class = weir_cells_class(cells->values[row * cells->columns + k], low, high);

            if (class >= 0)
                sheet->cells[line][column] = (unsigned char)(GLYPH_HEAT + class);
        }
}

/* Adds the ticks or the names below the plot, as many as there is room for. */
static void add_ticks(const struct sheet *sheet, struct weir_text *text)
{
    const struct weir_axis *axis = &sheet->picture->x;
    bool has_names = axis->scale == WEIR_SCALE_NAMES;
    unsigned count = has_names ? axis->name_count : sheet->x.tick_count, until = 0;
    char room[WEIR_CUT_BYTES];

    for (unsigned i = 0; i < count; i++) {
        const char *words =
            weir_utf8_cut(has_names ? axis->names[i] : sheet->x.ticks[i].label, 14, room);
        unsigned width = weir_utf8_width(words);
        int middle =
            column_of(sheet, weir_range_place(&sheet->x, has_names ? i : sheet->x.ticks[i].value));
        unsigned at = sheet->left + 1 + (unsigned)(middle > 0 ? middle : 0);

        at = at > width / 2 ? at - width / 2 : 0;
        if (at + width > WEIR_PICTURE_COLUMNS)
            at = WEIR_PICTURE_COLUMNS - width;
        if (i > 0 && at < until + 1)
            continue;
        weir_text_add(text, "%*s%s", (int)(at - until), "", words);
        until = at + width;
    }
    weir_text_add(text, "\n");
}

static void add_legend(const struct sheet *sheet, struct weir_text *text)
{
    const struct weir_picture *picture = sheet->picture;
    struct weir_text words = {0};
    char room[WEIR_CUT_BYTES];
    double low, high;

    weir_text_add(&words, "%s%s%s", picture->x.label,
                  picture->x.label[0] != '\0' && sheet->x.unit[0] != '\0' ? ", " : "",
                  sheet->x.unit);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];

        if (layer->name == NULL)
            continue;
        weir_text_add(&words, "   ");
        add_glyph(&words, sheet, glyph_of(layer, false));
        weir_text_add(&words, " %s", layer->name);
    }
    if (picture->cells != NULL && weir_cells_extent(picture->cells, &low, &high)) {
        weir_text_add(&words, "   ");
        weir_quantity_add(&words, picture->cells->quantity, low);
        weir_text_add(&words, " ");
        for (unsigned class = 0; class < WEIR_HEAT_CLASSES; class ++)
            add_glyph(&words, sheet, GLYPH_HEAT + class);
        weir_text_add(&words, " ");
        weir_quantity_add(&words, picture->cells->quantity, high);
    }
    weir_text_add(text, "%s\n",
                  weir_utf8_cut(weir_text_string(&words), WEIR_PICTURE_COLUMNS, room));
    weir_text_close(&words);
}

void weir_picture_text(const struct weir_picture *picture, bool is_utf8, struct weir_text *text)
{
    struct sheet sheet = {.picture = picture, .is_utf8 = is_utf8, .height = PLOT_LINES};
    bool lies = weir_picture_lies(picture), has_labels = false;
    struct weir_text words = {0};
    char room[WEIR_CUT_BYTES];
    unsigned shown;

    weir_range_find(picture, 6, 5, &sheet.x, &sheet.y);
    if (lies && picture->y.name_count > 0 && picture->y.name_count < sheet.height)
        sheet.height = picture->y.name_count;
    for (unsigned i = 0; lies && i < picture->y.name_count; i++)
        if (weir_utf8_width(picture->y.names[i]) > sheet.left)
            sheet.left = weir_utf8_width(picture->y.names[i]);
    for (unsigned i = 0; i < sheet.y.tick_count; i++)
        if (weir_utf8_width(sheet.y.ticks[i].label) > sheet.left)
            sheet.left = weir_utf8_width(sheet.y.ticks[i].label);
    if (sheet.left > NAME_COLUMNS)
        sheet.left = NAME_COLUMNS;
    for (unsigned k = 0; k < picture->layer_count; k++)
        has_labels |= lies && picture->layers[k].labels != NULL;
    sheet.width = WEIR_PICTURE_COLUMNS - sheet.left - 1 - (has_labels ? LABEL_COLUMNS + 1 : 0);
    if (picture->cells != NULL)
        draw_cells(&sheet);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];

        if (layer->mark == WEIR_MARK_RULE)
            draw_rules(&sheet, layer);
        else if (layer->mark == WEIR_MARK_BARS || layer->mark == WEIR_MARK_RANGES ||
                 layer->mark == WEIR_MARK_SPANS)
            draw_boxes(&sheet, layer);
        else
            draw_points(&sheet, layer);
    }
    weir_text_add(&words, "%s%s%s%s%s", picture->title, picture->y.label[0] != '\0' ? "   " : "",
                  picture->y.label, sheet.y.unit[0] != '\0' ? ", " : "", sheet.y.unit);
    if (!weir_picture_has_data(picture))
        weir_text_add(&words, " (no data)");
    weir_text_add(text, "%s\n",
                  weir_utf8_cut(weir_text_string(&words), WEIR_PICTURE_COLUMNS, room));
    weir_text_close(&words);
    for (unsigned line = 0; line < sheet.height; line++) {
        const char *label = "";

        if (lies && picture->y.name_count > 0)
            label = picture->y.names[(size_t)line * picture->y.name_count / sheet.height];
        for (unsigned i = 0; i < sheet.y.tick_count; i++)
            if (line_of(&sheet, weir_range_place(&sheet.y, sheet.y.ticks[i].value)) == (int)line)
                label = sheet.y.ticks[i].label;
        label = weir_utf8_cut(label, sheet.left, room);
        weir_text_add(text, "%*s%s%s", (int)(sheet.left - weir_utf8_width(label)), "", label,
                      is_utf8 ? "\xe2\x94\x82" : "|");
        for (shown = sheet.width; shown > 0 && sheet.cells[line][shown - 1] == 0;)
            shown--;
        for (unsigned i = 0; i < shown; i++)
            add_glyph(text, &sheet, sheet.cells[line][i]);
        weir_text_add(text, "%s%s\n", sheet.labels[line][0] != '\0' ? " " : "", sheet.labels[line]);
    }
    add_ticks(&sheet, text);
    add_legend(&sheet, text);
}
