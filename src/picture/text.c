/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as characters: a title, a plot, ticks, and a legend. */
#include "range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLOT_LINES (WEIR_PICTURE_LINES - 3)
#define NAME_COLUMNS 20  /* room for names on the y axis */
#define LABEL_COLUMNS 10 /* room for values on the right of lying bars */

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
    const char *labels[PLOT_LINES];                        /* on the right of lying bars */
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

    if (layer->mark == WEIR_MARK_LINE || (layer->mark == WEIR_MARK_DOTS && !is_odd))
        return GLYPH_TONES + layer->tone;
    if (layer->mark == WEIR_MARK_RULE)
        return layer->y != NULL ? GLYPH_RULE_ACROSS : GLYPH_RULE_DOWN;
    if (layer->mark == WEIR_MARK_BARS || layer->mark == WEIR_MARK_SPANS)
        return is_odd ? GLYPH_HATCH : is_other ? GLYPH_BAND : GLYPH_BAR;
    return layer->mark == WEIR_MARK_DOTS   ? GLYPH_ODD
           : layer->mark == WEIR_MARK_BAND ? GLYPH_BAND
                                           : GLYPH_RANGE;
}

/* The cell at a place, of `count` in a row. */
static unsigned cell_of(double place, unsigned count)
{
    return (unsigned)fmin(fmax(place, 0) * count, count - 1);
}

static void fill(struct sheet *sheet, double x0, double y0, double x1, double y1, unsigned glyph)
{
    unsigned left = cell_of(x0, sheet->width), right = cell_of(x1, sheet->width);

    for (unsigned line = cell_of(1 - y1, sheet->height); line <= cell_of(1 - y0, sheet->height);
         line++)
        memset(&sheet->cells[line][left], (int)glyph, right - left + 1);
}

static void draw_layer(struct sheet *sheet, const struct weir_layer *layer)
{
    bool is_line = layer->mark == WEIR_MARK_LINE;
    struct weir_box boxes[WEIR_PICTURE_THIN];
    unsigned count = weir_plot_marks(&sheet->plot, layer, boxes);

    for (unsigned i = 0; i < count; i++) {
        const struct weir_box *at = &boxes[i], *last = &boxes[i > 0 ? i - 1 : 0];
        bool is_odd = layer->is_odd != NULL && layer->is_odd[at->index];
        unsigned glyph = glyph_of(layer, is_odd);
        unsigned line = cell_of(1 - (at->y0 + at->y1) / 2, sheet->height);

        /* Between two points of a line, one in each column. */
        for (double x = last->x0; x < at->x0 && (is_line || layer->mark == WEIR_MARK_BAND);
             x += 0.5 / sheet->width) {
            double part = (x - last->x0) / (at->x0 - last->x0);
            double low = last->y0 + part * (at->y0 - last->y0);
            double high = last->y1 + part * (at->y1 - last->y1);

            fill(sheet, x, is_line ? (low + high) / 2 : low, x, is_line ? (low + high) / 2 : high,
                 glyph);
        }
        fill(sheet, at->x0, at->y0, at->x1, at->y1, glyph);
        if (sheet->plot.label_width > 0 && layer->labels != NULL && sheet->labels[line] == NULL)
            sheet->labels[line] = layer->labels[at->index];
    }
}

/* Several rows of cells may be in one line: each character is the first that is in its place. */
static void draw_cells(struct sheet *sheet, const struct weir_cells *cells)
{
    size_t cell;

    for (unsigned line = 0; line < sheet->height; line++)
        for (unsigned column = 0; column < sheet->width; column++) {
            int class = weir_plot_class(&sheet->plot, line * cells->rows / sheet->height,
                                        column * cells->columns / sheet->width, &cell);

            if (class >= 0)
                sheet->cells[line][column] = (unsigned char)(GLYPH_HEAT + class);
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

/* Adds the first line, or the last one, cut to the width of the picture. */
static void add_line(struct weir_text *text, struct weir_text *words)
{
    char room[WEIR_CUT_BYTES];

    weir_text_add(text, "%s\n", weir_utf8_cut(weir_text_string(words), WEIR_PICTURE_COLUMNS, room));
    weir_text_close(words);
}

static void add_legend(const struct sheet *sheet, struct weir_text *text)
{
    const struct weir_picture *picture = sheet->plot.picture;
    struct weir_text words = {0};
    char room[WEIR_VALUE_BYTES];

    weir_text_add(&words, "%s", sheet->plot.x.title);
    for (unsigned k = 0; k < picture->layer_count; k++)
        if (picture->layers[k].name != NULL) {
            weir_text_add(&words, "   ");
            add_glyph(&words, sheet, glyph_of(&picture->layers[k], false));
            weir_text_add(&words, " %s", picture->layers[k].name);
        }
    if (picture->cells != NULL && sheet->plot.has_data) {
        weir_text_add(&words, "   %s ",
                      weir_value_words(room, &sheet->plot.heat_axis, sheet->plot.heat.low));
        for (unsigned class = 0; class < WEIR_HEAT_CLASSES; class ++)
            add_glyph(&words, sheet, GLYPH_HEAT + class);
        weir_text_add(&words, " %s",
                      weir_value_words(room, &sheet->plot.heat_axis, sheet->plot.heat.high));
    }
    add_line(text, &words);
}

void weir_picture_text(const struct weir_picture *picture, bool is_utf8, struct weir_text *text)
{
    struct sheet sheet = {.is_utf8 = is_utf8, .height = PLOT_LINES};
    const struct weir_range *y = &sheet.plot.y;
    struct weir_text words = {0};
    char room[WEIR_CUT_BYTES];

    weir_plot_open(&sheet.plot, picture, picture->x.scale == WEIR_SCALE_NAMES ? WEIR_TICKS_MAX : 6,
                   picture->y.scale == WEIR_SCALE_NAMES ? PLOT_LINES : 5);
    if (sheet.plot.lies && picture->y.name_count > 0 && picture->y.name_count < sheet.height)
        sheet.height = picture->y.name_count;
    sheet.left = y->tick_width < NAME_COLUMNS ? y->tick_width : NAME_COLUMNS;
    sheet.width = WEIR_PICTURE_COLUMNS - sheet.left - 1 -
                  (sheet.plot.label_width > 0 ? LABEL_COLUMNS + 1 : 0);
    if (picture->cells != NULL && sheet.plot.has_data)
        draw_cells(&sheet, picture->cells);
    for (unsigned k = 0; k < picture->layer_count; k++)
        draw_layer(&sheet, &picture->layers[k]);

    weir_text_add(&words, "%s%s%s%s", picture->title, y->title[0] != '\0' ? "   " : "", y->title,
                  sheet.plot.has_data ? "" : " (no data)");
    add_line(text, &words);
    for (unsigned line = 0; line < sheet.height; line++) {
        unsigned shown = sheet.width;
        const char *label = "";

        for (unsigned i = 0; i < y->tick_count; i++)
            if (cell_of(1 - y->ticks[i].place, sheet.height) == line)
                label = y->ticks[i].label;
        label = weir_utf8_cut(label, sheet.left, room);
        weir_text_add(text, "%*s%s%s", (int)(sheet.left - weir_utf8_width(label)), "", label,
                      is_utf8 ? "\u2502" : "|");
        while (shown > 0 && sheet.cells[line][shown - 1] == 0)
            shown--;
        for (unsigned i = 0; i < shown; i++)
            add_glyph(text, &sheet, sheet.cells[line][i]);
        if (sheet.labels[line] != NULL)
            weir_text_add(text, " %s", weir_utf8_cut(sheet.labels[line], LABEL_COLUMNS, room));
        weir_text_add(text, "\n");
    }
    add_ticks(&sheet, text);
    add_legend(&sheet, text);
}
