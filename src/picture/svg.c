/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures as SVG. Colours are classes, so that one style serves light, dark and printed pages; no
 * element has an id, so that a page may hold any number of pictures. */
#include "range.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define WIDTH 440.0
#define PLOT_HEIGHT 176.0
#define ROW_HEIGHT 19.0 /* of a name on the y axis */
#define PLOT_HEIGHT_MAX 640.0
#define CHARACTER 7.4 /* width of a digit in the widest of the usual fonts of 12 pixels */
#define LINE_HEIGHT 17.0
#define BOXES 160
#define NAME_WIDTH 26    /* characters of a name on an axis, and ... */
#define TURNED_WIDTH 14  /* ... of one that is turned */
#define TITLED_MARKS 160 /* with more marks, only the layer has a title */
#define SUM_WIDTH 46.0   /* of the bars of means at the edges of cells */

struct box {
    double left, top, right, bottom;
};

/* Where things are, in units of the picture. */
struct frame {
    const struct weir_picture *picture;
    struct weir_text *text;
    struct weir_range x, y;
    double left, top, width, height; /* of the plot */
    double total_height;
    bool is_turned;          /* names below the plot are */
    unsigned bar_layers;     /* whose bars share the room of a name, ... */
    unsigned bar;            /* ... and the number of this one */
    double last_x, last_y;   /* of the path, rounded as they were written */
    struct box boxes[BOXES]; /* of labels in the plot */
    unsigned box_count;
};

/* ---- numbers, points and words ---- */

static void add_number(struct weir_text *text, double value)
{
    char number[32];
    size_t length = (size_t)snprintf(number, sizeof number, "%.1f", value);

    if (length > 2 && number[length - 1] == '0')
        number[length - 2] = '\0';
    weir_text_add(text, "%s", strcmp(number, "-0") == 0 ? "0" : number);
}

/* Appends a text with a number, of one decimal at most, in the place of each '#'. */
static void add_shape(struct weir_text *text, const char *shape, ...)
{
    va_list numbers;

    va_start(numbers, shape);
    for (; *shape != '\0'; shape++)
        if (*shape == '#')
            add_number(text, va_arg(numbers, double));
        else
            weir_text_add_bytes(text, shape, 1);
    va_end(numbers);
}

/* Continues a path: a move, or a line from the last point, which is written relative to it. */
static void add_point(struct frame *frame, double x, double y, bool is_move)
{
    x = round(x * 10) / 10;
    y = round(y * 10) / 10;
    add_shape(frame->text, is_move ? "M# #" : "l# #", is_move ? x : x - frame->last_x,
              is_move ? y : y - frame->last_y);
    frame->last_x = x;
    frame->last_y = y;
}

static void add_box_path(struct frame *frame, double left, double top, double width, double height)
{
    add_shape(frame->text, "M# #h#v#h#z", left, top, width, height, -width);
}

/* Lines at 45 degrees across a box, cut at its edges. */
static void add_hatch(struct frame *frame, double left, double top, double width, double height)
{
    weir_text_add(frame->text, "<path class=\"hatch\" d=\"");
    for (double at = 3; at < width + height; at += 5) {
        add_point(frame, left + fmin(at, width), top + fmax(0, at - width), true);
        add_point(frame, left + fmax(0, at - height), top + fmin(at, height), false);
    }
    weir_text_add(frame->text, "\"/>\n");
}

/* `anchor`: "start", "middle" or "end". */
static void add_words(struct frame *frame, double x, double y, const char *anchor,
                      const char *class, const char *words)
{
    add_shape(frame->text, "<text x=\"#\" y=\"#\"", x, y);
    if (strcmp(anchor, "start") != 0)
        weir_text_add(frame->text, " text-anchor=\"%s\"", anchor);
    if (class != NULL)
        weir_text_add(frame->text, " class=\"%s\"", class);
    weir_text_add(frame->text, ">");
    weir_xml_add(frame->text, words);
    weir_text_add(frame->text, "</text>\n");
}

/* Writes a label near a point, above it or, where another one is, at its sides or below. */
static void add_label(struct frame *frame, double x, double y, const char *words)
{
    char room[WEIR_CUT_BYTES];
    const char *shown = weir_utf8_cut(words, NAME_WIDTH, room);
    double width = CHARACTER * weir_utf8_width(shown);
    const double places[][2] = {{x - width / 2, y - 7},
                                {x + 6, y - 5},
                                {x - 6 - width, y - 5},
                                {x + 6, y + 13},
                                {x - width / 2, y + 17}};

    for (size_t i = 0; i < sizeof places / sizeof *places && frame->box_count < BOXES; i++) {
        struct box box = {places[i][0], places[i][1] - 11, places[i][0] + width, places[i][1] + 3};
        bool is_free = box.left >= frame->left && box.right <= WIDTH && box.top >= frame->top - 4 &&
                       box.bottom <= frame->top + frame->height;

        for (unsigned k = 0; is_free && k < frame->box_count; k++)
            is_free = box.right < frame->boxes[k].left || box.left > frame->boxes[k].right ||
                      box.bottom < frame->boxes[k].top || box.top > frame->boxes[k].bottom;
        if (!is_free)
            continue;
        frame->boxes[frame->box_count++] = box;
        add_words(frame, box.left, places[i][1], "start", "label", shown);
        return;
    }
}

static void add_title(struct frame *frame, const struct weir_layer *layer, size_t i)
{
    const struct weir_picture *picture = frame->picture;
    const struct weir_axis *axes[] = {&picture->x, &picture->y};
    const double *values[] = {layer->x, layer->y};
    bool is_across = weir_picture_lies(picture) || layer->mark == WEIR_MARK_SPANS;
    struct weir_text title = {0};

    if (layer->name != NULL)
        weir_text_add(&title, "%s: ", layer->name);
    for (unsigned k = 0; k < 2; k++) {
        if (values[k] == NULL)
            continue;
        weir_text_add(&title, "%s", k > 0 && values[0] != NULL ? ", " : "");
        if (weir_axis_name(axes[k], values[k][i]) != NULL)
            weir_text_add(&title, "%s", weir_axis_name(axes[k], values[k][i]));
        else {
            weir_text_add(&title, "%s ", axes[k]->label);
            weir_quantity_add(&title, axes[k]->quantity, values[k][i]);
        }
    }
    if (layer->low != NULL) {
        weir_text_add(&title, ", from ");
        weir_quantity_add(&title, axes[!is_across]->quantity, layer->low[i]);
        weir_text_add(&title, " to ");
        weir_quantity_add(&title, axes[!is_across]->quantity, layer->high[i]);
    }
    if (layer->labels != NULL && layer->labels[i] != NULL)
        weir_text_add(&title, " (%s)", layer->labels[i]);
    weir_text_add(frame->text, "<title>");
    weir_xml_add(frame->text, weir_text_string(&title));
    weir_text_add(frame->text, "</title>");
    weir_text_close(&title);
}

/* ---- layers ---- */

static double at_x(const struct frame *frame, double place)
{
    return frame->left + place * frame->width;
}

static double at_y(const struct frame *frame, double place)
{
    return frame->top + (weir_picture_lies(frame->picture) ? place : 1 - place) * frame->height;
}

static void draw_line(struct frame *frame, const struct weir_layer *layer)
{
    struct weir_column columns[WEIR_PICTURE_THIN];
    unsigned count = weir_layer_thin(frame->picture, layer, &frame->x, &frame->y, columns);
    bool is_thinned = count < layer->count, is_move = true;
    size_t begin;

    weir_text_add(frame->text, "<path class=\"line s%u\" d=\"", layer->tone);
    begin = frame->text->length;
    for (unsigned i = 0; i < count; i++) {
        const struct weir_column *at = &columns[i];

        if (at->count == 0) {
            is_move |= !is_thinned;
            continue;
        }
        add_point(frame, at_x(frame, at->x), at_y(frame, at->falls ? at->high : at->low), is_move);
        is_move = false;
        if (at->high > at->low)
            add_point(frame, at_x(frame, at->x), at_y(frame, at->falls ? at->low : at->high),
                      false);
        else if (i == 0 || columns[i - 1].count == 0)
            weir_text_add(frame->text, "h0.1"), frame->last_x += 0.1;
    }
    if (frame->text->length == begin)
        weir_text_add(frame->text, "M0 0");
    weir_text_add(frame->text, "\"><title>");
    weir_xml_add(frame->text, layer->name != NULL ? layer->name : frame->picture->title);
    weir_text_add(frame->text, "</title></path>\n");
}

static void draw_band(struct frame *frame, const struct weir_layer *layer)
{
    struct weir_column columns[WEIR_PICTURE_THIN];
    unsigned count = weir_layer_thin(frame->picture, layer, &frame->x, &frame->y, columns);
    bool is_move = true;

    weir_text_add(frame->text, "<path class=\"band f%u\" d=\"M0 0", layer->tone);
    for (unsigned i = 0; i < count; i++)
        if (columns[i].count > 0) {
            add_point(frame, at_x(frame, columns[i].x), at_y(frame, columns[i].high), is_move);
            is_move = false;
        }
    for (unsigned i = count; i > 0; i--)
        if (columns[i - 1].count > 0)
            add_point(frame, at_x(frame, columns[i - 1].x), at_y(frame, columns[i - 1].low), false);
    weir_text_add(frame->text, "%s\"><title>", is_move ? "" : "z");
    weir_xml_add(frame->text, layer->name != NULL ? layer->name : frame->picture->title);
    weir_text_add(frame->text, "</title></path>\n");
}

/* Shapes differ by tone, for pictures without colours. */
static void add_dot(struct frame *frame, double x, double y, unsigned tone)
{
    static const char *const shapes[] = {"m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
                                         "m-3-3h6v6h-6z", "m0-4l4 7h-8z",
                                         "m0-4.5l4 4.5-4 4.5-4-4.5z", "m0 4l4-7h-8z"};

    add_point(frame, x, y, true);
    weir_text_add(frame->text, "%s",
                  tone == WEIR_TONE_ODD ? "m-4-4l8 8m0-8l-8 8" : shapes[tone % 5]);
}

static void draw_dots(struct frame *frame, const struct weir_layer *layer)
{
    struct weir_column columns[WEIR_PICTURE_THIN];
    unsigned count = weir_layer_thin(frame->picture, layer, &frame->x, &frame->y, columns);
    bool has_titles = layer->count <= TITLED_MARKS, lies = weir_picture_lies(frame->picture);

    /* Odd dots are drawn first: their labels have priority. */
    for (unsigned pass = 0; pass < 2; pass++) {
        unsigned tone = pass == 0 ? (unsigned)WEIR_TONE_ODD : layer->tone;

        if (!has_titles)
            weir_text_add(frame->text, "<path class=\"dot s%u f%u\" d=\"M0 0", tone, tone);
        for (unsigned i = 0; i < count; i++) {
            const struct weir_column *at = &columns[i];
            bool is_odd = at->count > 0 && layer->is_odd != NULL && layer->is_odd[at->index];

            for (unsigned k = 0;
                 at->count > 0 && is_odd == (pass == 0) && k <= (at->high > at->low); k++) {
                double value = k == 0 ? at->low : at->high;
                double x = at_x(frame, lies ? value : at->x), y = at_y(frame, lies ? at->x : value);

                if (has_titles)
                    weir_text_add(frame->text, "<path class=\"dot s%u f%u\" d=\"", tone, tone);
                add_dot(frame, x, y, tone);
                if (!has_titles)
                    continue;
                weir_text_add(frame->text, "\">");
                add_title(frame, layer, at->index);
                weir_text_add(frame->text, "</path>\n");
                if (layer->labels != NULL && layer->labels[at->index] != NULL)
                    add_label(frame, x, y, layer->labels[at->index]);
            }
        }
        if (!has_titles)
            weir_text_add(frame->text, "\"/>\n");
    }
}

/* Bars, and the boxes of spans. */
static void draw_bars(struct frame *frame, const struct weir_layer *layer)
{
    bool lies = weir_picture_lies(frame->picture), is_span = layer->mark == WEIR_MARK_SPANS;
    const struct weir_range *value = lies ? &frame->x : &frame->y;
    const struct weir_range *place = lies ? &frame->y : &frame->x;
    double room = (lies ? frame->height : frame->width) / (place->high - place->low) * 0.76;
    double zero = value->scale == WEIR_SCALE_LINEAR ? weir_range_place(value, 0) : 0, shift = 0;
    struct weir_column columns[WEIR_PICTURE_THIN];
    unsigned count = weir_layer_thin(frame->picture, layer, &frame->x, &frame->y, columns);
    bool has_titles = layer->count <= TITLED_MARKS;

    if (place->scale != WEIR_SCALE_NAMES)
        room = 8;
    if (!is_span && frame->bar_layers > 1) {
        room /= frame->bar_layers;
        shift = room * (frame->bar++ - (frame->bar_layers - 1) / 2.0);
    }
    room = fmax(room, 0.5);
    if (!has_titles)
        weir_text_add(frame->text, "<path class=\"bar f%u\" d=\"M0 0", layer->tone);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_column *at = &columns[i];
        double from = is_span ? at->low : fmin(zero, at->low);
        double to = is_span ? at->high : fmax(zero, at->high), left, top, width, height;

        if (at->count == 0)
            continue;
        left = lies ? at_x(frame, from) : at_x(frame, at->x) + shift - room / 2;
        top = lies ? at_y(frame, at->x) + shift - room / 2 : at_y(frame, to);
        width = lies ? fmax((to - from) * frame->width, 0.5) : room;
        height = lies ? room : (to - from) * frame->height;
        if (has_titles)
            weir_text_add(frame->text, "<path class=\"bar f%u\" d=\"", layer->tone);
        add_box_path(frame, left, top, width, height);
        if (!has_titles)
            continue;
        weir_text_add(frame->text, "\">");
        add_title(frame, layer, at->index);
        weir_text_add(frame->text, "</path>\n");
        if (layer->is_odd != NULL && layer->is_odd[at->index])
            add_hatch(frame, left, top, width, height);
        if (layer->labels != NULL && layer->labels[at->index] != NULL && room >= 10 && lies)
            add_words(frame, frame->left + frame->width + 6, top + room / 2 + 4, "start", NULL,
                      layer->labels[at->index]);
    }
    if (!has_titles)
        weir_text_add(frame->text, "\"/>\n");
}

static void draw_ranges(struct frame *frame, const struct weir_layer *layer)
{
    bool lies = weir_picture_lies(frame->picture);
    const double *places = lies ? layer->y : layer->x;

    weir_text_add(frame->text, "<path class=\"whisker s%u\" d=\"M0 0", layer->tone);
    for (size_t i = 0; i < layer->count; i += 1 + layer->count / WEIR_PICTURE_THIN) {
        double place = weir_range_place(lies ? &frame->y : &frame->x, places[i]);
        double low = weir_range_place(lies ? &frame->x : &frame->y, layer->low[i]);
        double high = weir_range_place(lies ? &frame->x : &frame->y, layer->high[i]);

        if (isnan(place) || isnan(low) || isnan(high))
            continue;
        for (unsigned end = 0; end < 2; end++) {
            double x = at_x(frame, lies ? end ? high : low : place);
            double y = at_y(frame, lies ? place : end ? high : low);

            add_point(frame, lies ? x : x - 3, lies ? y - 3 : y, true);
            add_point(frame, lies ? x : x + 3, lies ? y + 3 : y, false);
        }
        add_point(frame, at_x(frame, lies ? low : place), at_y(frame, lies ? place : low), true);
        add_point(frame, at_x(frame, lies ? high : place), at_y(frame, lies ? place : high), false);
    }
    weir_text_add(frame->text, "\"/>\n");
}

static void draw_rules(struct frame *frame, const struct weir_layer *layer)
{
    for (size_t i = 0; i < layer->count && i < WEIR_PICTURE_THIN; i++) {
        bool is_level = layer->y != NULL;
        double at = is_level ? weir_range_place(&frame->y, layer->y[i])
                             : weir_range_place(&frame->x, layer->x[i]);

        if (isnan(at) || at < -1e-6 || at > 1 + 1e-6)
            continue;
        weir_text_add(frame->text, "<path class=\"line s%u\" d=\"", layer->tone);
        add_point(frame, is_level ? frame->left : at_x(frame, at),
                  is_level ? at_y(frame, at) : frame->top, true);
        add_point(frame, is_level ? frame->left + frame->width : at_x(frame, at),
                  is_level ? at_y(frame, at) : frame->top + frame->height, false);
        weir_text_add(frame->text, "\">");
        add_title(frame, layer, i);
        weir_text_add(frame->text, "</path>\n");
        if (layer->labels != NULL && layer->labels[i] != NULL)
            add_label(frame, is_level ? frame->left + frame->width : at_x(frame, at),
                      is_level ? at_y(frame, at) : frame->top + 16, layer->labels[i]);
    }
}

/* ---- cells ---- */

/* The first row of numbered ones is the lowest, as on any axis. */
static double row_top(const struct frame *frame, unsigned row)
{
    unsigned rows = frame->picture->cells->rows;

    return frame->top +
           frame->height / rows * (weir_picture_lies(frame->picture) ? row : rows - 1 - row);
}

/* Draws the cells of each class as one path, in a grid of unit cells: a run of cells in a row is a
 * line as wide as the row. The most frequent class is one box below the others. */
static void draw_cell_classes(struct frame *frame, double low, double high)
{
    const struct weir_cells *cells = frame->picture->cells;
    bool lies = weir_picture_lies(frame->picture);
    size_t counts[WEIR_HEAT_CLASSES] = {0}, all = (size_t)cells->rows * cells->columns, known = 0;
    int base = 0;

    for (size_t i = 0; i < all; i++)
        if (weir_cells_class(cells->values[i], low, high) >= 0) {
            counts[weir_cells_class(cells->values[i], low, high)]++;
            known++;
        }
    for (int class = 0; class < WEIR_HEAT_CLASSES; class ++)
        base = counts[class] > counts[base] ? class : base;
    base = known == all ? base : -1;
    weir_text_add(frame->text, "<g transform=\"translate(%.1f %.1f) scale(%.5f %.5f)\">\n",
                  frame->left, frame->top, frame->width / cells->columns,
                  frame->height / cells->rows);
    for (int n = 0; n <= WEIR_HEAT_CLASSES; n++) {
        int class = n == 0 ? base : n - 1, at_column = 0, at_row = 0;
        double from = low + (high - low) * class / WEIR_HEAT_CLASSES;

        if (class < 0 || (n > 0 && class == base) || counts[class] == 0)
            continue;
        if (n == 0)
            weir_text_add(frame->text, "<path class=\"swatch h%d\" d=\"M0 0h%uv%uH0z", class,
                          cells->columns, cells->rows);
        else
            weir_text_add(frame->text, "<path class=\"heat h%d\" d=\"M0 .5", class);
        for (unsigned line = 0; line < cells->rows && n > 0; line++)
            for (unsigned k = 0, run; k < cells->columns; k += run + (run == 0)) {
                size_t row = lies ? line : cells->rows - 1 - line;
                const double *values = &cells->values[row * cells->columns];

                for (run = 0; k + run < cells->columns &&
                              weir_cells_class(values[k + run], low, high) == class;)
                    run++;
                if (run == 0)
                    continue;
                weir_text_add(frame->text, "m%d %dh%u", (int)k - at_column, (int)line - at_row,
                              run);
                at_column = (int)(k + run);
                at_row = (int)line;
            }
        weir_text_add(frame->text, "\"><title>");
        weir_quantity_add(frame->text, cells->quantity, from);
        weir_text_add(frame->text, " to ");
        weir_quantity_add(frame->text, cells->quantity, from + (high - low) / WEIR_HEAT_CLASSES);
        weir_text_add(frame->text, "</title></path>\n");
    }
    weir_text_add(frame->text, "</g>\n");
}

static void draw_cells(struct frame *frame)
{
    const struct weir_cells *cells = frame->picture->cells;
    double width = frame->width / fmax(cells->columns, 1), low, high;
    double height = frame->height / fmax(cells->rows, 1), greatest[2] = {0, 0};
    unsigned counts[2] = {cells->columns, cells->rows};
    struct weir_text words = {0};

    if (!weir_cells_extent(cells, &low, &high))
        return;
    draw_cell_classes(frame, low, high);
    for (unsigned i = 0; i < cells->rows && height >= 13; i++)
        for (unsigned k = 0; k < cells->columns; k++) {
            double value = cells->values[(size_t)i * cells->columns + k];
            int class = weir_cells_class(value, low, high);
            double left = frame->left + k * width, top = row_top(frame, i);

            if (class < 0)
                continue;
            if (cells->is_odd != NULL && cells->is_odd[(size_t)i * cells->columns + k])
                add_hatch(frame, left, top, fmin(width, 8), height);
            if (width >= 9.5 * CHARACTER) {
                char name[16];

                snprintf(name, sizeof name, "n%d", class);
                weir_text_clear(&words);
                weir_quantity_add(&words, cells->quantity, value);
                add_words(frame, left + width / 2 + 3, top + height / 2 + 4, "middle", name,
                          weir_text_string(&words));
            }
        }
    weir_text_close(&words);
    for (unsigned edge = 0; cells->has_sums && edge < 2; edge++) {
        for (unsigned i = 0; i < counts[edge]; i++)
            greatest[edge] = fmax(greatest[edge],
                                  weir_cells_mean(cells, edge ? i : UINT_MAX, edge ? UINT_MAX : i));
        weir_text_add(frame->text, "<path class=\"bar f0\" d=\"M0 0");
        for (unsigned i = 0; i < counts[edge] && greatest[edge] > 0; i++) {
            double mean = weir_cells_mean(cells, edge ? i : UINT_MAX, edge ? UINT_MAX : i);
            double size = (SUM_WIDTH - 10) * fmax(mean, 0) / greatest[edge];

            if (isnan(size) || size < 0.05)
                continue;
            if (edge == 0)
                add_box_path(frame, frame->left + i * width, frame->top - 4 - size, width * 0.9,
                             size);
            else
                add_box_path(frame, frame->left + frame->width + 4, row_top(frame, i), size,
                             height * 0.9);
        }
        weir_text_add(frame->text, "\"><title>mean of each %s</title></path>\n",
                      edge ? "row" : "column");
    }
}

/* ---- axes ---- */

static void add_grid(struct frame *frame, const char *class, double x, double y, double width,
                     double height)
{
    weir_text_add(frame->text, "<path class=\"%s\" d=\"", class);
    add_shape(frame->text, "M# #l# #\"/>\n", x, y, width, height);
}

static void draw_names(struct frame *frame, bool is_y)
{
    const struct weir_axis *axis = is_y ? &frame->picture->y : &frame->picture->x;
    double room = (is_y ? frame->height : frame->width) / fmax(axis->name_count, 1);
    double needed = is_y || frame->is_turned ? 14 : 0;
    char cut[WEIR_CUT_BYTES];
    unsigned every;

    for (unsigned i = 0; i < axis->name_count && needed == 0; i++)
        if (CHARACTER * (weir_utf8_width(axis->names[i]) + 1) > room)
            needed = CHARACTER * (weir_utf8_width(axis->names[i]) + 1);
    every = needed > room ? (unsigned)ceil(needed / room) : 1;
    for (unsigned i = 0; i < axis->name_count; i += every) {
        unsigned most = frame->is_turned && !is_y ? TURNED_WIDTH : NAME_WIDTH;
        const char *name = weir_utf8_cut(axis->names[i], most, cut);
        double at = (i + 0.5) * room;

        if (is_y) {
            add_words(frame, frame->left - 6, frame->top + at + 4, "end", NULL, name);
        } else if (!frame->is_turned) {
            add_words(frame, frame->left + at, frame->top + frame->height + 17, "middle", NULL,
                      name);
        } else {
            weir_text_add(frame->text,
                          "<text text-anchor=\"end\" transform=\"translate(%.1f %.1f) "
                          "rotate(-40)\">",
                          frame->left + at + 4, frame->top + frame->height + 13);
            weir_xml_add(frame->text, name);
            weir_text_add(frame->text, "</text>\n");
        }
    }
}

static void draw_axes(struct frame *frame)
{
    const struct weir_picture *picture = frame->picture;
    double bottom = frame->top + frame->height, until = -1e9, at;
    struct weir_text words = {0};

    for (unsigned i = 0; i < frame->y.tick_count; i++) {
        at = at_y(frame, weir_range_place(&frame->y, frame->y.ticks[i].value));
        if (picture->cells == NULL)
            add_grid(frame, "grid", frame->left, at, frame->width, 0);
        add_words(frame, frame->left - 6, at + 4, "end", NULL, frame->y.ticks[i].label);
    }
    for (unsigned i = 0; i < frame->x.tick_count; i++) {
        double half = CHARACTER * weir_utf8_width(frame->x.ticks[i].label) / 2;

        at = at_x(frame, weir_range_place(&frame->x, frame->x.ticks[i].value));
        if (picture->cells == NULL)
            add_grid(frame, "grid", at, frame->top, 0, frame->height);
        if (at - half < until)
            continue;
        until = at + half + CHARACTER;
        add_words(frame, fmin(at, WIDTH - half), bottom + 17, "middle", NULL,
                  frame->x.ticks[i].label);
    }
    for (unsigned is_y = 0; is_y < 2; is_y++)
        if ((is_y ? picture->y.scale : picture->x.scale) == WEIR_SCALE_NAMES)
            draw_names(frame, is_y);
    add_grid(frame, "axis", frame->left, bottom, frame->width, 0);
    add_grid(frame, "axis", frame->left, frame->top, 0, frame->height);
    for (unsigned is_y = 0; is_y < 2; is_y++) {
        const struct weir_axis *axis = is_y ? &picture->y : &picture->x;
        const char *unit = is_y ? frame->y.unit : frame->x.unit;

        weir_text_clear(&words);
        weir_text_add(&words, "%s%s%s", axis->label, axis->label[0] && unit[0] ? ", " : "", unit);
        if (words.length == 0)
            continue;
        if (is_y)
            add_words(frame, 2, 14, "start", "axis-name", weir_text_string(&words));
        else
            add_words(frame, frame->left + frame->width, frame->total_height + 11, "end",
                      "axis-name", weir_text_string(&words));
    }
    weir_text_close(&words);
}

/* ---- legend ---- */

static void add_swatch(struct frame *frame, const struct weir_layer *layer, double x, double y)
{
    struct weir_text *text = frame->text;

    if (layer->mark == WEIR_MARK_DOTS) {
        weir_text_add(text, "<path class=\"dot s%u f%u\" d=\"", layer->tone, layer->tone);
        add_dot(frame, x + 11, y - 4, layer->tone);
        weir_text_add(text, "\"/>");
    } else if (layer->mark == WEIR_MARK_BAND || layer->mark == WEIR_MARK_BARS ||
               layer->mark == WEIR_MARK_SPANS) {
        weir_text_add(text, "<path class=\"%s f%u\" d=\"",
                      layer->mark == WEIR_MARK_BAND ? "band" : "bar", layer->tone);
        add_box_path(frame, x, y - 10, 22, 10);
        weir_text_add(text, "\"/>");
    } else {
        weir_text_add(text, "<path class=\"%s s%u\" d=\"",
                      layer->mark == WEIR_MARK_RANGES ? "whisker" : "line", layer->tone);
        add_point(frame, x, y - 4, true);
        add_point(frame, x + 22, y - 4, false);
        weir_text_add(text, "\"/>");
    }
}

/* Draws the legend below the plot, or only measures it (frame->text == NULL). Returns its height.
 */
static double draw_legend(struct frame *frame, double top)
{
    const struct weir_cells *cells = frame->picture->cells;
    double x = 2, y = top, low, high;
    struct weir_text words = {0};
    char room[WEIR_CUT_BYTES];

    for (unsigned k = 0; k < frame->picture->layer_count; k++) {
        const struct weir_layer *layer = &frame->picture->layers[k];
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
        if (frame->text != NULL) {
            add_swatch(frame, layer, x, y + 12);
            add_words(frame, x + 27, y + 12, "start", NULL, name);
        }
        x += width + 12;
    }
    if (cells != NULL && weir_cells_extent(cells, &low, &high)) {
        y += x > 2 ? LINE_HEIGHT : 0;
        x = 2;
        for (unsigned end = 0; end < 2 && frame->text != NULL; end++) {
            weir_text_clear(&words);
            weir_quantity_add(&words, cells->quantity, end ? high : low);
            add_words(frame, x, y + 12, "start", NULL, weir_text_string(&words));
            x += CHARACTER * weir_utf8_width(weir_text_string(&words)) + 6;
            for (int class = 0; class < WEIR_HEAT_CLASSES && end == 0; class ++, x += 16) {
                weir_text_add(frame->text, "<path class=\"swatch h%d\" d=\"", class);
                add_box_path(frame, x, y + 2, 16, 12);
                weir_text_add(frame->text, "\"/>");
            }
            x += 6;
        }
        if (cells->odd_name != NULL && frame->text != NULL) {
            add_hatch(frame, x + 10, y + 2, 16, 12);
            add_words(frame, x + 32, y + 12, "start", NULL,
                      weir_utf8_cut(cells->odd_name, 24, room));
        }
        x = 3;
    }
    weir_text_close(&words);
    return x > 2 ? y + LINE_HEIGHT - top : 0;
}

/* ---- the whole ---- */

static unsigned longest_name(const struct weir_axis *axis)
{
    unsigned longest = 0;

    for (unsigned i = 0; i < axis->name_count; i++)
        if (weir_utf8_width(axis->names[i]) > longest)
            longest = weir_utf8_width(axis->names[i]);
    return longest > NAME_WIDTH ? NAME_WIDTH : longest;
}

static void lay_out(struct frame *frame)
{
    const struct weir_picture *picture = frame->picture;
    bool lies = weir_picture_lies(picture);
    unsigned widest = 2, label = 0, longest;
    double right = 12;

    frame->height =
        lies ? fmin(PLOT_HEIGHT_MAX, fmax(picture->y.name_count, 2) * ROW_HEIGHT) : PLOT_HEIGHT;
    if (picture->cells != NULL && !lies)
        frame->height = fmax(PLOT_HEIGHT, fmin(picture->cells->rows, 320));
    weir_range_find(picture, 7, (unsigned)(frame->height / 32), &frame->x, &frame->y);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        const struct weir_layer *layer = &picture->layers[k];

        frame->bar_layers += layer->mark == WEIR_MARK_BARS;
        for (size_t i = 0; lies && layer->labels != NULL && i < layer->count && i < 1000; i++)
            if (layer->labels[i] != NULL && weir_utf8_width(layer->labels[i]) > label)
                label = weir_utf8_width(layer->labels[i]);
    }
    if (lies && frame->bar_layers > 1)
        frame->height = fmin(PLOT_HEIGHT_MAX, picture->y.name_count * 17.0 * frame->bar_layers);
    for (unsigned i = 0; i < frame->y.tick_count; i++)
        if (weir_utf8_width(frame->y.ticks[i].label) > widest)
            widest = weir_utf8_width(frame->y.ticks[i].label);
    frame->left = 10 + CHARACTER * (lies ? longest_name(&picture->y) : widest);
    if (label > 0)
        right += CHARACTER * (label > 24 ? 24 : label);
    if (picture->cells != NULL && picture->cells->has_sums)
        right += SUM_WIDTH;
    frame->top = 24 + (picture->cells != NULL && picture->cells->has_sums ? SUM_WIDTH : 0);
    frame->width = fmax(WIDTH - frame->left - right, 120);
    frame->total_height = frame->top + frame->height + 22;
    if (picture->x.scale == WEIR_SCALE_NAMES) {
        double room = frame->width / fmax(picture->x.name_count, 1);

        longest = longest_name(&picture->x);
        frame->is_turned = CHARACTER * (longest + 1) > room;
        longest = longest < TURNED_WIDTH ? longest : TURNED_WIDTH;
        if (frame->is_turned) {
            double left = 0.8 * CHARACTER * longest - room / 2;

            frame->width -= fmax(left - frame->left, 0);
            frame->left = fmax(left, frame->left);
            frame->total_height += 0.65 * CHARACTER * longest;
        }
    }
}

void weir_picture_svg(const struct weir_picture *picture, bool is_alone, struct weir_text *text)
{
    struct frame frame = {.picture = picture};
    bool has_axis_name = picture->x.label[0] != '\0';
    double legend, shift = is_alone ? 22 : 0, axis_name;

    lay_out(&frame);
    has_axis_name |= frame.x.unit[0] != '\0';
    axis_name = has_axis_name ? 16 : 0;
    legend = draw_legend(&frame, 0);
    frame.text = text;
    weir_text_add(text,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"weir-picture\" role=\"img\" "
                  "viewBox=\"0 %g %g %.0f\"",
                  0 - shift, WIDTH, frame.total_height + axis_name + legend + shift + 6);
    if (is_alone)
        weir_text_add(text, " width=\"%.0f\"", WIDTH * 1.5);
    weir_text_add(text, " aria-label=\"");
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
        weir_text_add(text, "</style>\n");
        weir_text_add(text,
                      "<rect class=\"paper\" x=\"0\" y=\"%g\" width=\"100%%\" height=\"100%%\"/>\n",
                      -shift);
        add_words(&frame, 2, -6, "start", "picture-title", picture->title);
    }
    if (!weir_picture_has_data(picture))
        add_words(&frame, frame.left + frame.width / 2, frame.top + frame.height / 2, "middle",
                  NULL, "no data");
    if (picture->cells != NULL)
        draw_cells(&frame);
    draw_axes(&frame);
    for (unsigned k = 0; k < picture->layer_count; k++) {
        static void (*const draw[])(struct frame *, const struct weir_layer *) = {
            [WEIR_MARK_LINE] = draw_line,     [WEIR_MARK_BAND] = draw_band,
            [WEIR_MARK_DOTS] = draw_dots,     [WEIR_MARK_BARS] = draw_bars,
            [WEIR_MARK_RANGES] = draw_ranges, [WEIR_MARK_SPANS] = draw_bars,
            [WEIR_MARK_RULE] = draw_rules};

        draw[picture->layers[k].mark](&frame, &picture->layers[k]);
    }
    draw_legend(&frame, frame.total_height + axis_name);
    weir_text_add(text, "</svg>\n");
}
