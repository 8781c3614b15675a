/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as SVG. Colours are classes, so that one style serves light, dark and printed pages; no
 * element has an id, so that a page may hold any number of pictures. */
#include "range.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH 440.0
#define PLOT_HEIGHT 176.0
#define ROW_HEIGHT 19.0 /* room for a name on the y axis */
#define PLOT_HEIGHT_MAX 880.0
#define SQUARE 4.0     /* of the map of lines */
#define ROWS_MAX 80    /* of horizontal bars */
#define TITLE_WIDTH 54 /* columns of a title: it is bold */
#define CHARACTER 7.4  /* width of a digit in the widest of the usual fonts of 12 pixels */
#define LINE_HEIGHT 17.0
#define LABELS_MAX 160
#define LABEL_WIDTH 24   /* columns of a label of a horizontal bar */
#define TURNED_WIDTH 14  /* columns of a name below the plot that is turned */
#define TITLED_MARKS 160 /* with more marks, only the layer has a title */
#define SUM_WIDTH 46.0   /* room for the means at the edges of cells */

struct box {
    double left, top, right, bottom;
};

/* Where things are, in units of the picture. */
struct frame {
    struct weir_plot plot;
    struct weir_text text;
    struct box in;                 /* the plot */
    double bottom;                 /* lower end of the drawing */
    struct box labels[LABELS_MAX]; /* in the plot */
    unsigned label_count;
    bool has_line[240][111]; /* squares: PLOT_HEIGHT_MAX, with what is above it, and WIDTH */
};

static double x_of(const struct frame *frame, double place)
{
    return frame->in.left + place * (frame->in.right - frame->in.left);
}

static double y_of(const struct frame *frame, double place)
{
    return frame->in.bottom - place * (frame->in.bottom - frame->in.top);
}

/* The classes "middle" and "end" set the anchor. */
static void add_words(struct frame *frame, double x, double y, const char *classes,
                      const char *words)
{
    weir_text_add(&frame->text, "<text x=\"%.4g\" y=\"%.4g\" class=\"%s\">", x, y, classes);
    weir_xml_add(&frame->text, words);
    weir_text_add(&frame->text, "</text>\n");
}

/* Returns true if no label is in a box, which then is one. */
static bool take_room(struct frame *frame, const struct box *box)
{
    if (frame->label_count == LABELS_MAX)
        return false;
    for (unsigned k = 0; k < frame->label_count; k++)
        if (box->right >= frame->labels[k].left && box->left <= frame->labels[k].right &&
            box->bottom >= frame->labels[k].top && box->top <= frame->labels[k].bottom)
            return false;
    frame->labels[frame->label_count++] = *box;
    return true;
}

/* Writes a label near the upper right end of a mark, or near its other end: above, at the sides or
 * below, where no other label is, and if possible no line. */
static void add_label(struct frame *frame, const struct box *mark, const char *words)
{
    char room[WEIR_CUT_BYTES];
    const char *shown = weir_utf8_cut(words, WEIR_NAME_WIDTH, room);
    double width = CHARACTER * weir_utf8_width(shown);
    const double places[][2] = {{-width / 2, -7}, {6, -5},          {-6 - width, -5},
                                {6, 13},          {-6 - width, 13}, {-width / 2, 17}};

    for (unsigned i = 0; i < 4 * 6; i++) {
        double x = (i / 6 % 2 == 0 ? mark->right : mark->left) + places[i % 6][0];
        double y = (i / 6 % 2 == 0 ? mark->top : mark->bottom) + places[i % 6][1];
        struct box box = {x, y - 11, x + width, y + 3};
        bool is_crossed = false;

        for (double v = fmax(box.top, 0); v < fmin(box.bottom, frame->in.bottom); v += SQUARE)
            for (double u = fmax(box.left, 0); u < fmin(box.right, WIDTH); u += SQUARE)
                is_crossed |= frame->has_line[(unsigned)(v / SQUARE)][(unsigned)(u / SQUARE)];
        if (box.left >= frame->in.left && box.right <= WIDTH && box.top >= frame->in.top - 4 &&
            box.bottom <= frame->in.bottom && (i >= 2 * 6 || !is_crossed) &&
            take_room(frame, &box)) {
            add_words(frame, x, y, "label", shown);
            return;
        }
    }
}

/* ---- layers ---- */

static void open_path(struct frame *frame, enum weir_mark mark, unsigned tone)
{
    static const char *const classes[] = {"line", "band", "dot", "bar", "whisker", "bar", "line"};

    weir_text_add(&frame->text, "<path class=\"%s t%u\" d=\"", classes[mark], tone);
}

/* Ends a path with a title: the name of the layer, or with a point all that is known of it. */
static void close_path(struct frame *frame, const struct weir_layer *layer, const size_t *point)
{
    const struct weir_picture *picture = frame->plot.picture;
    struct weir_text title = {0};
    struct weir_point at;

    if (point != NULL)
        weir_point_read(&at, picture, layer, *point);
    for (unsigned k = 0; k < WEIR_POINT_WORDS && point != NULL; k++)
        if (at.words[k][0] != '\0')
            weir_text_add(&title, "%s%s%s%s", title.length > 0 ? ", " : "", at.names[k],
                          at.names[k][0] != '\0' ? " " : "", at.words[k]);
    weir_text_add(&frame->text, "\"><title>");
    weir_xml_add(&frame->text, point != NULL         ? weir_text_string(&title)
                               : layer->name != NULL ? layer->name
                                                     : picture->title);
    weir_text_add(&frame->text, "</title></path>\n");
    weir_text_close(&title);
}

/* Draws stripes across a box: one line as wide as the box is high, dashed, in the colour of paper,
 * or in that of the numbers in a class of cells. */
static void add_hatch(struct frame *frame, const struct box *box, int class)
{
    char name[16] = "";

    if (class >= 0)
        snprintf(name, sizeof name, " n%d", class);
    weir_text_add(&frame->text,
                  "<path class=\"hatch%s\" stroke-width=\"%.4g\" d=\"M%.4g %.4gH%.4g\"/>\n", name,
                  box->bottom - box->top, box->left, (box->top + box->bottom) / 2, box->right);
}

/* Adds the outline of a mark to a path. Shapes of dots differ by tone, for pictures without
 * colours. */
static void add_shape(struct frame *frame, enum weir_mark mark, unsigned tone,
                      const struct box *box)
{
    static const char *const dots[] = {"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
                                       "m-3-3h6v6h-6z", "m0-4l4 7h-8z", "m0-4.5l4 4.5-4 4.5-4-4.5z",
                                       "m0 4l4-7h-8z"};
    const char *dot = tone == WEIR_TONE_ODD ? "m-4-4l8 8m0-8l-8 8" : dots[tone % 5];
    double x0 = box->left, y0 = box->top, x1 = box->right, y1 = box->bottom;
    int cap_x = x1 > x0 ? 0 : 3, cap_y = 3 - cap_x;

    if (mark == WEIR_MARK_DOTS) {
        weir_text_add(&frame->text, "M%.4g %.4g%s", x0, y0, dot);
        if (x1 > x0 || y1 > y0)
            weir_text_add(&frame->text, "M%.4g %.4g%s", x1, y1, dot);
    } else if (mark == WEIR_MARK_LINE || mark == WEIR_MARK_RULE || mark == WEIR_MARK_RANGES) {
        weir_text_add(&frame->text, "M%.4g %.4gL%.4g %.4g", x0, y0, x1, y1);
        if (mark == WEIR_MARK_RANGES)
            weir_text_add(&frame->text, "m-%d-%dl%d %dM%.4g %.4gm-%d-%dl%d %d", cap_x, cap_y,
                          2 * cap_x, 2 * cap_y, x0, y0, cap_x, cap_y, 2 * cap_x, 2 * cap_y);
    } else {
        weir_text_add(&frame->text, "M%.4g %.4gH%.4gV%.4gH%.4gz", x0, y0, fmax(x1, x0 + 0.5), y1,
                      x0);
    }
}

/* Draws a line, or a band: its upper edge, and its lower one backwards. */
static void draw_path(struct frame *frame, const struct weir_layer *layer)
{
    struct weir_box boxes[WEIR_PICTURE_THIN];
    unsigned count = weir_plot_marks(&frame->plot, layer, boxes);
    bool is_band = layer->mark == WEIR_MARK_BAND;

    open_path(frame, layer->mark, layer->tone);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_box *at = &boxes[i];
        bool is_high = is_band || at->falls;
        double x0 = x_of(frame, at->x0), x1 = x_of(frame, at->x1);
        double y0 = y_of(frame, at->y0), y1 = y_of(frame, at->y1);

        for (double part = is_band || at->is_first ? 1 : 0; part < 1; part += 1.0 / 64) {
            double x = x_of(frame, at[-1].x0 + part * (at->x0 - at[-1].x0));
            double y = y_of(frame, at[-1].y0 + part * (at->y0 - at[-1].y0));

            frame->has_line[(unsigned)(y / SQUARE)][(unsigned)(x / SQUARE)] = true;
        }
        weir_text_add(&frame->text, "%c%.4g %.4g", is_band ? "LM"[i == 0] : "LM"[at->is_first],
                      is_high ? x1 : x0, is_high ? y1 : y0);
        if (!is_band && (x1 > x0 || y1 < y0))
            weir_text_add(&frame->text, "L%.4g %.4g", is_high ? x0 : x1, is_high ? y0 : y1);
        else if (!is_band && at->is_first) /* a point alone is seen */
            weir_text_add(&frame->text, "h.1");
    }
    for (unsigned i = count; is_band && i-- > 0;)
        weir_text_add(&frame->text, "L%.4g %.4g", x_of(frame, boxes[i].x0),
                      y_of(frame, boxes[i].y0));
    close_path(frame, layer, NULL);
}

static void draw_marks(struct frame *frame, const struct weir_layer *layer)
{
    struct weir_box boxes[WEIR_PICTURE_THIN];
    unsigned count = weir_plot_marks(&frame->plot, layer, boxes);

    /* Odd marks are drawn first: their labels have priority. */
    for (unsigned is_odd = 2; is_odd-- > 0;) {
        unsigned tone = is_odd && layer->mark == WEIR_MARK_DOTS ? WEIR_TONE_ODD : layer->tone;
        bool is_open = false;
        bool has_titles = layer->count <= TITLED_MARKS || (is_odd && layer->mark != WEIR_MARK_DOTS);

        for (unsigned i = 0; i < count; i++) {
            const struct weir_box *at = &boxes[i];
            struct box box = {x_of(frame, at->x0), y_of(frame, at->y1), x_of(frame, at->x1),
                              y_of(frame, at->y0)};
            const char *label = layer->labels != NULL ? layer->labels[at->index] : NULL;
            double middle = (box.top + box.bottom) / 2;
            char room[WEIR_CUT_BYTES];

            if ((layer->is_odd != NULL && layer->is_odd[at->index]) != is_odd)
                continue;
            if (!is_open)
                open_path(frame, layer->mark, tone);
            add_shape(frame, layer->mark, tone, &box);
            is_open = !has_titles;
            if (is_open)
                continue;
            close_path(frame, layer, &at->index);
            if (is_odd && layer->mark != WEIR_MARK_DOTS)
                add_hatch(frame, &box, -1);
            if (label != NULL && layer->mark != WEIR_MARK_BARS)
                add_label(frame, &box, label);
            else if (label != NULL && frame->plot.is_horizontal &&
                     take_room(frame, &(struct box){WIDTH, middle - 5, WIDTH, middle + 5}))
                add_words(frame, frame->in.right + 6, middle + 4, "",
                          weir_utf8_cut(label, LABEL_WIDTH, room));
        }
        if (is_open)
            close_path(frame, layer, NULL);
    }
}

/* ---- cells ---- */

static void draw_cells(struct frame *frame, const struct weir_cells *cells)
{
    const struct weir_plot *plot = &frame->plot;
    const struct box *in = &frame->in;
    double width = (in->right - in->left) / cells->columns;
    double height = (in->bottom - in->top) / cells->rows;
    double low = plot->heat.low, step = (plot->heat.high - low) / WEIR_HEAT_CLASSES;
    char room[WEIR_VALUE_BYTES], other[WEIR_VALUE_BYTES], name[24];
    size_t cell;

    /* A path for each class, in units of cells: runs are lines as wide as a row. */
    weir_text_add(&frame->text, "<g transform=\"translate(%.4g %.4g) scale(%.6g %.6g)\">\n",
                  in->left, in->top, width, height);
    for (int class = 0; class < WEIR_HEAT_CLASSES; class ++) {
        weir_text_add(&frame->text, "<path class=\"heat h%d\" d=\"", class);
        for (unsigned line = 0; line < cells->rows; line++)
            for (unsigned k = 0, at = 0, run; k < cells->columns; k += run + 1) {
                for (run = 0; k + run < cells->columns &&
                              weir_plot_class(plot, line, k + run, &cell) == class;)
                    run++;
                if (run > 0 && at == 0)
                    weir_text_add(&frame->text, "M%u %u.5h%u", k, line, run);
                else if (run > 0)
                    weir_text_add(&frame->text, "m%u 0h%u", k - at, run);
                at = run > 0 ? k + run : at;
            }
        weir_text_add(&frame->text, "\"><title>%s to %s</title></path>\n",
                      weir_value_words(room, &plot->heat_axis, low + step * class),
                      weir_value_words(other, &plot->heat_axis, low + step * (class + 1)));
    }
    weir_text_add(&frame->text, "</g>\n");

    /* The values, if there is room. */
    for (unsigned line = 0; line < cells->rows && height >= 13; line++)
        for (unsigned k = 0; k < cells->columns; k++) {
            int class = weir_plot_class(plot, line, k, &cell);
            double left = in->left + k * width, top = in->top + line * height;

            if (class >= 0 && cells->is_odd != NULL && cells->is_odd[cell])
                add_hatch(frame, &(struct box){left, top, left + fmin(width, 8), top + height},
                          class);
            if (class < 0 || width < 9.5 * CHARACTER)
                continue;
            snprintf(name, sizeof name, "middle n%d", class);
            add_words(frame, left + width / 2 + 3, top + height / 2 + 4, name,
                      weir_value_words(room, &plot->heat_axis, cells->values[cell]));
        }

    /* Bars of the means of columns above them, and of rows on their right. */
    for (unsigned edge = 0; edge < 2 && cells->has_sums; edge++) {
        double greatest = 0;

        weir_text_add(&frame->text, "<path class=\"bar t0\" d=\"M0 0");
        for (unsigned pass = 0; pass < 2; pass++)
            for (unsigned i = 0; i < (edge ? cells->rows : cells->columns); i++) {
                size_t row = frame->plot.is_horizontal ? i : cells->rows - 1 - i;
                double mean =
                    edge ? weir_mean(&cells->values[row * cells->columns], cells->columns, 1)
                         : weir_mean(&cells->values[i], cells->rows, cells->columns);
                double left = in->left + i * width, top = in->top + i * height, size;

                greatest = fmax(greatest, mean);
                size = (SUM_WIDTH - 10) * fmax(mean, 0) / greatest;
                if (pass == 1 && size >= 0.05)
                    add_shape(frame, WEIR_MARK_BARS, 0,
                              edge ? &(struct box){in->right + 4, top, in->right + 4 + size,
                                                   top + height * 0.9}
                                   : &(struct box){left, in->top - 4 - size, left + width * 0.9,
                                                   in->top - 4});
            }
        weir_text_add(&frame->text, "\"><title>mean of each %s</title></path>\n",
                      edge ? "row" : "column");
    }
}

/* ---- axes and legend ---- */

static void draw_axes(struct frame *frame, bool is_turned)
{
    const struct weir_plot *plot = &frame->plot;
    const struct box *in = &frame->in;
    double until = -1e9;
    char room[WEIR_CUT_BYTES];

    for (unsigned i = 0; i < plot->y.tick_count; i++) {
        double y = y_of(frame, plot->y.ticks[i].place);

        if (plot->picture->cells == NULL && !plot->is_horizontal)
            weir_text_add(&frame->text, "<path class=\"grid\" d=\"M%.4g %.4gH%.4g\"/>\n", in->left,
                          y, in->right);
        add_words(frame, in->left - 6, y + 4, "end", plot->y.ticks[i].label);
    }
    for (unsigned i = 0; i < plot->x.tick_count; i++) {
        double x = x_of(frame, plot->x.ticks[i].place);
        double half = CHARACTER * weir_utf8_width(plot->x.ticks[i].label) / 2;

        if (plot->picture->cells == NULL && plot->x.axis->scale != WEIR_SCALE_NAMES)
            weir_text_add(&frame->text, "<path class=\"grid\" d=\"M%.4g %.4gV%.4g\"/>\n", x,
                          in->top, in->bottom);
        if (is_turned) {
            weir_text_add(&frame->text,
                          "<text class=\"end\" transform=\"translate(%.4g %.4g) rotate(-40)\">",
                          x + 4, in->bottom + 13);
            weir_xml_add(&frame->text, weir_utf8_cut(plot->x.ticks[i].label, TURNED_WIDTH, room));
            weir_text_add(&frame->text, "</text>\n");
        } else if (x - half >= until) {
            until = x + half + CHARACTER;
            add_words(frame, fmin(x, WIDTH - half), in->bottom + 17, "middle",
                      plot->x.ticks[i].label);
        }
    }
    weir_text_add(&frame->text, "<path class=\"axis\" d=\"M%.4g %.4gV%.4gH%.4g\"/>\n", in->left,
                  in->top, in->bottom, in->right);
    if (plot->y.title[0] != '\0')
        add_words(frame, 2, 14, "axis-name", plot->y.title);
    if (plot->x.title[0] != '\0')
        add_words(frame, in->right, (frame->bottom += 16) - 5, "axis-name end", plot->x.title);
}

/* Draws the legend below all. */
static void draw_legend(struct frame *frame)
{
    const struct weir_cells *cells = frame->plot.picture->cells;
    double x = 2, y = frame->bottom + 12;
    char room[WEIR_CUT_BYTES], one[WEIR_VALUE_BYTES];

    for (unsigned k = 0; k < frame->plot.picture->layer_count; k++) {
        const struct weir_layer *layer = &frame->plot.picture->layers[k];
        enum weir_mark mark = layer->mark;
        bool is_area = mark == WEIR_MARK_BAND || mark == WEIR_MARK_BARS || mark == WEIR_MARK_SPANS;
        const char *name;
        double width;

        if (layer->name == NULL)
            continue;
        name = weir_utf8_cut(layer->name, 56, room);
        width = 28 + CHARACTER * weir_utf8_width(name);
        if (x > 2 && x + width > WIDTH) {
            x = 2;
            y += LINE_HEIGHT;
        }
        open_path(frame, mark, layer->tone);
        add_shape(frame, mark, layer->tone,
                  is_area                  ? &(struct box){x, y - 10, x + 22, y}
                  : mark == WEIR_MARK_DOTS ? &(struct box){x + 11, y - 4, x + 11, y - 4}
                                           : &(struct box){x, y - 4, x + 22, y - 4});
        weir_text_add(&frame->text, "\"/>");
        add_words(frame, x + 27, y, "", name);
        x += width + 12;
    }
    if (cells != NULL && frame->plot.has_data) {
        const char *low = weir_value_words(one, &frame->plot.heat_axis, frame->plot.heat.low);

        y += x > 2 ? LINE_HEIGHT : 0;
        x = 2;
        add_words(frame, x, y, "", low);
        x += CHARACTER * weir_utf8_width(low) + 6;
        for (int class = 0; class < WEIR_HEAT_CLASSES; class ++, x += 16)
            weir_text_add(&frame->text, "<path class=\"swatch h%d\" d=\"M%.4g %.4gh16v12h-16z\"/>",
                          class, x, y - 10);
        weir_value_words(one, &frame->plot.heat_axis, frame->plot.heat.high);
        add_words(frame, x + 6, y, "", one);
        x += CHARACTER * weir_utf8_width(one) + 6;
        if (cells->odd_name != NULL) {
            add_hatch(frame, &(struct box){x + 16, y - 10, x + 32, y + 2}, 0);
            add_words(frame, x + 38, y, "", weir_utf8_cut(cells->odd_name, 24, room));
        }
    }
    if (x > 2)
        frame->bottom = y + 5;
}

/* ---- style ---- */

/* Without variables of CSS, which programs that draw SVG do not know. */
#define P ".weir-picture "

/* Colours of each enum weir_tone on light and dark paper, and dashes. */
static const char *const tones[][3] = {
    {"#1f5fa8", "#7db3f0", "none"},    {"#b35300", "#f0a860", "7 3"},
    {"#1b7a3d", "#72cf93", "2 2"},     {"#7b3fa0", "#cf9df0", "8 3 2 3"},
    {"#00707a", "#62d0d8", "4 2 1 2"}, {"#8a5a00", "#d9bd6a", "12 3"},
    {"#a3295f", "#f09abf", "1 3"},     {"#4d5a66", "#aebbc7", "12 3 3 3"},
    {"#444444", "#c8c8c8", "5 4"},     {"#b3261e", "#ff8f85", "3 2"}};
static const char *const papers[] = {"#ffffff", "#14181d"};
static const char *const heats[WEIR_HEAT_CLASSES][2] = {
    {"#eef4fb", "#1a2836"}, {"#d3e3f4", "#1f3a55"}, {"#b0cdea", "#255078"}, {"#8ab6e0", "#5a8fc0"},
    {"#679fd2", "#7aa9d6"}, {"#2f6fb0", "#9bc1e6"}, {"#1c5390", "#c0daf3"}, {"#0b3766", "#e6f1fc"}};

void weir_picture_style(struct weir_text *text)
{
    for (unsigned dark = 0; dark < 2; dark++) {
        weir_text_add(text, "%s" P ".hatch{color:%s}\n",
                      dark ? "@media screen and (prefers-color-scheme:dark){\n" : "", papers[dark]);
        for (unsigned i = 0; i < sizeof tones / sizeof *tones; i++)
            weir_text_add(text, P ".t%u{stroke:%s;fill:%s}\n", i, tones[i][dark], tones[i][dark]);
        for (unsigned i = 0; i < WEIR_HEAT_CLASSES; i++) {
            const char *number = (dark ? i >= 3 : i < 5) ? "#111111" : "#ffffff";

            weir_text_add(text, P ".h%u{fill:%s;stroke:%s}" P ".n%u{fill:%s;color:%s}\n", i,
                          heats[i][dark], heats[i][dark], i, number, number);
        }
        weir_text_add(text,
                      P "text{fill:%s}" P ".grid{stroke:%s}" P ".axis{stroke:%s}" P
                        ".label{stroke:%s}" P ".paper{fill:%s}\n",
                      dark ? "#e4e8ec" : "#1c2126", dark ? "#39424c" : "#dfe4ea",
                      dark ? "#9aa6b2" : "#4d5a66", papers[dark], papers[dark]);
    }
    weir_text_add(text,
                  "}\n" P "text{font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}" P
                  ".middle{text-anchor:middle}" P ".end{text-anchor:end}" P
                  ".picture-title{font-weight:bold}" P ".axis-name{font-style:italic}\n" P
                  ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}" P
                  ".band{fill-opacity:.25;stroke:none}" P ".dot{stroke-width:1.2}" P
                  ".dot.t9{stroke-width:2.2}" P ".bar{fill-opacity:.8;stroke:none}" P
                  ".whisker{fill:none;stroke-width:1.3}\n" P ".axis{fill:none;stroke-width:1.2}" P
                  ".hatch{stroke:currentColor;stroke-dasharray:2 3}" P
                  ".heat{shape-rendering:crispEdges}" P ".swatch{stroke-width:0}" P
                  ".label{stroke-width:3;paint-order:stroke;stroke-linejoin:round}\n");
    for (unsigned i = 0; i < sizeof tones / sizeof *tones; i++)
        weir_text_add(text, P ".line.t%u{stroke-dasharray:%s}", i, tones[i][2]);
    weir_text_add(text, "\n");
}

/* ---- the whole ---- */

/* Computes the place of the plot. Returns true if the names below it are turned. */
static bool lay_out(struct frame *frame, const struct weir_picture *picture)
{
    bool has_sums = picture->cells != NULL && picture->cells->has_sums;
    bool has_names = picture->x.scale == WEIR_SCALE_NAMES;
    struct weir_plot *plot = &frame->plot;
    struct box *in = &frame->in;
    double height = PLOT_HEIGHT, room, width;

    weir_plot_open(plot, picture, has_names ? 30 : 7,
                   picture->y.scale == WEIR_SCALE_NAMES ? ROWS_MAX : 5);
    if (plot->is_horizontal)
        height = fmin(PLOT_HEIGHT_MAX,
                      fmax(plot->y.rows, 2) * fmax(ROW_HEIGHT, LINE_HEIGHT * plot->bar_layers));
    else if (picture->cells != NULL)
        height = fmax(PLOT_HEIGHT, fmin(picture->cells->rows, 320));
    in->left = 10 + CHARACTER * fmax(plot->y.tick_width, 2);
    in->top = (plot->y.title[0] != '\0' ? 24 : 8) + (has_sums ? SUM_WIDTH : 0);
    in->right =
        WIDTH - 12 - CHARACTER * fmin(plot->label_width, LABEL_WIDTH) - (has_sums ? SUM_WIDTH : 0);
    in->right = fmax(in->right, in->left + 120);
    in->bottom = in->top + height;
    frame->bottom = in->bottom + 22;
    room = (in->right - in->left) / fmax(plot->x.tick_count, 1);
    if (!has_names || CHARACTER * (plot->x.tick_width + 1) <= room)
        return false;
    width = CHARACTER * fmin(plot->x.tick_width, TURNED_WIDTH);
    in->left = fmax(in->left, 0.8 * width - room / 2);
    frame->bottom += 0.65 * width;
    return true;
}

void weir_picture_svg(const struct weir_picture *picture, bool is_alone, struct weir_text *text)
{
    struct frame frame = {0};
    bool is_turned = lay_out(&frame, picture);
    double shift = is_alone ? 22 : 0;
    char room[WEIR_CUT_BYTES];

    if (is_alone)
        add_words(&frame, 2, -6, "picture-title", weir_utf8_cut(picture->title, TITLE_WIDTH, room));
    if (picture->cells != NULL && frame.plot.has_data)
        draw_cells(&frame, picture->cells);
    draw_axes(&frame, is_turned);
    for (unsigned k = 0; k < 2 * picture->layer_count; k++) { /* labels follow lines */
        const struct weir_layer *layer = &picture->layers[k % picture->layer_count];
        bool is_path = layer->mark == WEIR_MARK_LINE || layer->mark == WEIR_MARK_BAND;

        if (is_path == (k < picture->layer_count))
            (is_path ? draw_path : draw_marks)(&frame, layer);
    }
    if (!frame.plot.has_data)
        add_words(&frame, x_of(&frame, 0.5), y_of(&frame, 0.5), "middle", "no data");
    draw_legend(&frame);

    weir_text_add(text,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-picture\" role=\"img\" "
                  "viewBox=\"0 %g %g %.0f\"%s aria-label=\"",
                  0 - shift, WIDTH, frame.bottom + shift + 6, is_alone ? " width=\"660\"" : "");
    weir_xml_add(text, picture->title);
    weir_text_add(text, "%s", picture->caption[0] != '\0' ? ": " : "");
    weir_xml_add(text, picture->caption);
    weir_text_add(text, "\">\n");
    if (is_alone) {
        weir_text_add(text, "<title>");
        weir_xml_add(text, picture->title);
        weir_text_add(text, "</title>\n<desc>");
        weir_picture_table(picture, false, text);
        weir_text_add(text, "</desc>\n<style>");
        weir_picture_style(text);
        weir_text_add(
            text, "</style>\n<rect class=\"paper\" y=\"-22\" width=\"100%%\" height=\"100%%\"/>\n");
    }
    weir_text_add_bytes(text, weir_text_string(&frame.text), frame.text.length);
    weir_text_add(text, "</svg>\n");
    weir_text_close(&frame.text);
}
