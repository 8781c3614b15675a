/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as characters: a title, a plot, ticks, and a legend. */
#include "range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLOT_LINES (WEIR_PICTURE_LINES - 3)
#define NAME_COLUMNS 20  /* room for names on the y axis */
#define LABEL_COLUMNS 18 /* room for values on the right of horizontal bars */
#define LEGEND_NAMES 4   /* with more of them, names of the legend are shortened: three in a line */

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
    struct weir_plot plot;
    unsigned left, width, height;
    unsigned char cells[PLOT_LINES][WEIR_PICTURE_COLUMNS]; /* glyphs */
    const char *labels[PLOT_LINES];                        /* on the right of horizontal bars */
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
    bool is_area = layer->mark == WEIR_MARK_BARS || layer->mark == WEIR_MARK_SPANS;

    if (layer->mark == WEIR_MARK_RULE)
        return layer->y != NULL ? GLYPH_RULE_ACROSS : GLYPH_RULE_DOWN;
    if (layer->mark == WEIR_MARK_RANGES)
        return GLYPH_RANGE;
    if (is_odd)
        return is_area ? GLYPH_HATCH : GLYPH_ODD;
    if (is_area && (layer->tone == 0 || layer->tone >= WEIR_TONES))
        return GLYPH_BAR;
    if (layer->mark == WEIR_MARK_BAND || (is_area && layer->tone == 1))
        return GLYPH_BAND;
    return GLYPH_TONES + layer->tone;
}

/* The cell at a place, of `count` in a row. */
static unsigned cell_of(double place, unsigned count)
{
    return (unsigned)fmin(fmax(place, 0) * count, count - 1);
}

/* Fills a box. Whiskers leave the ends of bars visible. */
static void fill(struct sheet *sheet, double x0, double y0, double x1, double y1, unsigned glyph)
{
    for (unsigned line = cell_of(1 - y1, sheet->height); line <= cell_of(1 - y0, sheet->height);
         line++)
        for (unsigned k = cell_of(x0, sheet->width); k <= cell_of(x1, sheet->width); k++)
            if (glyph != GLYPH_RANGE || sheet->cells[line][k] == 0)
                sheet->cells[line][k] = (unsigned char)glyph;
}

static void draw_layer(struct sheet *sheet, const struct weir_layer *layer)
{
    bool is_line = layer->mark == WEIR_MARK_LINE, is_horizontal = sheet->plot.is_horizontal;
    struct weir_box boxes[WEIR_PICTURE_THIN];
    unsigned count = weir_plot_marks(&sheet->plot, layer, boxes);

    for (unsigned i = 0; i < count; i++) {
        const struct weir_box *at = &boxes[i], *last = at->is_first ? at : &boxes[i - 1];
        bool is_odd = layer->is_odd != NULL && layer->is_odd[at->index];
        unsigned glyph = glyph_of(layer, is_odd);
        double middle = (at->y0 + at->y1) / 2;
        const char **label = &sheet->labels[cell_of(1 - middle, sheet->height)];

        /* Between two points of a line, one in each column. */
        for (double x = last->x0; x < at->x0 && (is_line || layer->mark == WEIR_MARK_BAND);
             x += 0.5 / sheet->width) {
            double part = (x - last->x0) / (at->x0 - last->x0);
            double low = last->y0 + part * (at->y0 - last->y0);
            double high = last->y1 + part * (at->y1 - last->y1),
                   cut = is_line ? (high - low) / 2 : 0;

            fill(sheet, x, low + cut, x, high - cut, glyph);
        }
        if (is_horizontal && layer->mark != WEIR_MARK_RULE)
            fill(sheet, at->x0, middle, at->x1, middle, glyph);
        else
            fill(sheet, at->x0, at->y0, at->x1, at->y1, glyph);
        if (sheet->plot.label_width > 0 && layer->labels != NULL && *label == NULL)
            *label = layer->labels[at->index];
    }
}

/* Several cells may be in one character: it is that of the least rate, or of the longest time, so
 * that a slow rank remains visible. */
static void draw_cells(struct sheet *sheet, const struct weir_cells *cells)
{
    bool is_time = cells->quantity == WEIR_QUANTITY_SECONDS;
    unsigned height = sheet->height, width = sheet->width;
    size_t cell;

    for (unsigned i = 0; i < fmax(cells->rows, height); i++)
        for (unsigned k = 0; k < fmax(cells->columns, width); k++) {
            unsigned row = cells->rows > height ? i : i * cells->rows / height;
            unsigned column = cells->columns > width ? k : k * cells->columns / width;
            unsigned char *at =
                &sheet->cells[cells->rows > height ? i * height / cells->rows : i]
                             [cells->columns > width ? k * width / cells->columns : k];
            int class = weir_plot_class(&sheet->plot, row, column, &cell);

            if (class >= 0 && (*at == 0 || (GLYPH_HEAT + class < *at) != is_time))
                *at = (unsigned char)(GLYPH_HEAT + class);
        }
}

/* Adds the ticks or the names below the plot, as many as there is room for. */
static void add_ticks(const struct sheet *sheet, struct weir_text *text)
{
    unsigned until = 0;
    char room[WEIR_CUT_BYTES];

    for (unsigned i = 0; i < sheet->plot.x.tick_count; i++) {
        const struct weir_tick *tick = &sheet->plot.x.ticks[i];
        const char *words = weir_utf8_cut(tick->label, 14, room);
        unsigned width = weir_utf8_width(words);
        unsigned at = sheet->left + 1 + cell_of(tick->place, sheet->width);

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

/* Adds the unit of the x axis, and the names of layers, in as many lines as they need. Returns the
 * number of lines. */
static unsigned add_legend(const struct sheet *sheet, struct weir_text *text)
{
    const struct weir_picture *picture = sheet->plot.picture;
    const struct weir_cells *cells = picture->cells;
    const struct weir_range *heat = &sheet->plot.heat;
    unsigned lines = 1, used, named = 0;
    char room[WEIR_VALUE_BYTES], cut[WEIR_CUT_BYTES];

    for (unsigned k = 0; k < picture->layer_count; k++)
        named += picture->layers[k].name != NULL;
    weir_utf8_cut(sheet->plot.x.title, named > LEGEND_NAMES ? 20 : 40, cut);
    weir_text_add(text, "%s", cut);
    used = weir_utf8_width(cut);
    for (unsigned k = 0; k < picture->layer_count; k++)
        if (picture->layers[k].name != NULL) {
            weir_utf8_cut(picture->layers[k].name, named > LEGEND_NAMES ? 20 : 60, cut);
            used += weir_utf8_width(cut) + 5;
            weir_text_add(text, used > WEIR_PICTURE_COLUMNS ? "\n" : "   ");
            if (used > WEIR_PICTURE_COLUMNS) {
                used = weir_utf8_width(cut) + 2;
                lines++;
            }
            add_glyph(text, sheet, glyph_of(&picture->layers[k], false));
            weir_text_add(text, " %s", cut);
        }
    if (cells != NULL && sheet->plot.has_data) {
        unsigned each = (cells->rows + PLOT_LINES - 1) / PLOT_LINES *
                        ((cells->columns + sheet->width - 1) / sheet->width);
        bool is_time = cells->quantity == WEIR_QUANTITY_SECONDS;

        weir_text_add(text, "   %s ", weir_value_words(room, heat->axis, heat->low));
        for (unsigned class = 0; class < WEIR_HEAT_CLASSES; class ++)
            add_glyph(text, sheet, GLYPH_HEAT + class);
        weir_text_add(text, " %s", weir_value_words(room, heat->axis, heat->high));
        if (each > 1)
            weir_text_add(text, " (%s of %u)", is_time ? "greatest" : "least", each);
    }
    weir_text_add(text, "\n");
    return lines;
}

void weir_picture_text(const struct weir_picture *picture, bool is_utf8, struct weir_text *text)
{
    struct sheet sheet = {.is_utf8 = is_utf8, .height = PLOT_LINES, .width = WEIR_PICTURE_COLUMNS};
    const struct weir_range *y = &sheet.plot.y;
    struct weir_text legend = {0};
    char room[WEIR_CUT_BYTES], unit[WEIR_CUT_BYTES];
    unsigned layers, columns;

    /* Twice, as the legend may need lines of the plot. */
    for (unsigned is_last = 0; is_last < 2; is_last++) {
        weir_plot_open(&sheet.plot, picture,
                       picture->x.scale == WEIR_SCALE_NAMES ? WEIR_TICKS_MAX : 6,
                       picture->y.scale == WEIR_SCALE_NAMES ? sheet.height : 5);
        sheet.left = y->tick_width < NAME_COLUMNS ? y->tick_width : NAME_COLUMNS;
        columns = sheet.plot.label_width < LABEL_COLUMNS ? sheet.plot.label_width : LABEL_COLUMNS;
        sheet.width = WEIR_PICTURE_COLUMNS - sheet.left - 1 - (columns > 0 ? columns + 1 : 0);
        weir_text_clear(&legend);
        sheet.height = PLOT_LINES + 1 - add_legend(&sheet, &legend);
    }
    layers = sheet.plot.bar_layers > 0 ? sheet.plot.bar_layers : 1;
    if (sheet.plot.is_horizontal)
        sheet.height = (unsigned)fmin(sheet.height, round(y->rows * layers));
    sheet.plot.y.spread = 1; /* a line for each bar */
    if (picture->cells != NULL && sheet.plot.has_data)
        draw_cells(&sheet, picture->cells);
    for (unsigned k = 0; k < picture->layer_count; k++)
        draw_layer(&sheet, &picture->layers[k]);

    /* The unit has priority over the title. */
    weir_utf8_cut(y->title, WEIR_NAME_WIDTH, unit);
    weir_text_add(
        text, "%s%s%s%s\n",
        weir_utf8_cut(picture->title, WEIR_PICTURE_COLUMNS - 13 - weir_utf8_width(unit), room),
        unit[0] != '\0' ? "   " : "", unit, sheet.plot.has_data ? "" : " (no data)");
    for (unsigned line = 0; line < sheet.height; line++) {
        unsigned shown = sheet.width;
        const char *label = "";

        for (unsigned i = 0; i < y->tick_count; i++)
            if (cell_of(1 - y->ticks[i].place - 1e-9, sheet.height) == line)
                label = y->ticks[i].label;
        label = weir_utf8_cut(label, sheet.left, room);
        weir_text_add(text, "%*s%s%s", (int)(sheet.left - weir_utf8_width(label)), "", label,
                      is_utf8 ? "\u2502" : "|");
        while (shown > 0 && sheet.cells[line][shown - 1] == 0)
            shown--;
        for (unsigned i = 0; i < shown; i++)
            add_glyph(text, &sheet, sheet.cells[line][i]);
        if (sheet.labels[line] != NULL)
            weir_text_add(text, " %s", weir_utf8_cut(sheet.labels[line], columns, room));
        weir_text_add(text, "\n");
    }
    add_ticks(&sheet, text);
    weir_text_add(text, "%s", weir_text_string(&legend));
    weir_text_close(&legend);
}
