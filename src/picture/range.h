/* SPDX-License-Identifier: Apache-2.0 */
/* A picture on its axes, as all forms of it draw it: ticks, and marks as boxes. Places are from 0
 * to 1 along an axis: to the right, and upwards. */
#ifndef WEIR_PICTURE_RANGE_H
#define WEIR_PICTURE_RANGE_H

#include "weir/picture/picture.h"

#define WEIR_CUT_BYTES 256
#define WEIR_TICKS_MAX 80
#define WEIR_NAME_WIDTH 26 /* columns of the label of a tick */

struct weir_tick {
    double place;
    char label[WEIR_CUT_BYTES];
};

struct weir_range {
    const struct weir_axis *axis;
    double low, high;                /* at the places 0 and 1 */
    unsigned tick_count, tick_width; /* columns of the longest label */
    struct weir_tick ticks[WEIR_TICKS_MAX];
    /* Names on the y axis: the rows that are shown, in order. Their number includes the part of a
     * row, before shown[gap], that says how many others there are. */
    double rows, gap_rows;
    unsigned shown[WEIR_TICKS_MAX], shown_count, gap;
    double spread;              /* part of a row that its bars take */
    char title[WEIR_CUT_BYTES]; /* the label of the axis, with the unit of ticks without one */
};

struct weir_plot {
    const struct weir_picture *picture;
    bool is_horizontal; /* the y axis has names: bars, boxes and whiskers are horizontal */
    struct weir_range x, y;
    struct weir_axis heat_axis;
    struct weir_range heat; /* values of cells; has no ticks */
    unsigned bar_layers;    /* layers that share the room of a name */
    unsigned label_width;   /* columns of the longest label of horizontal bars */
    bool has_data;          /* once a mark or a cell was found */
};

/* Computes the ranges of a picture, with about x_ticks and y_ticks ticks. Of more than y_ticks
 * horizontal bars, the first and the last rows are shown, and odd ones. */
void weir_plot_open(struct weir_plot *plot, const struct weir_picture *picture, unsigned x_ticks,
                    unsigned y_ticks);

/* A point (x0 = x1 and y0 = y1), a line or a box; the points of a layer in one of many columns are
 * one mark from the least to the greatest. */
struct weir_box {
    double x0, y0, x1, y1;
    size_t index; /* the number of the first point */
    bool is_set;
    bool is_first; /* the point before it is missing */
    bool falls;    /* the greatest value precedes the least */
};
#define WEIR_PICTURE_THIN 300

/* Places the points of a layer that can be drawn. Returns the number of boxes. */
unsigned weir_plot_marks(struct weir_plot *plot, const struct weir_layer *layer,
                         struct weir_box boxes[WEIR_PICTURE_THIN]);

#define WEIR_HEAT_CLASSES 8
/* The class of a cell in the n-th line from the top, from 0 on; -1 = it has no value. `cell`: its
 * number. */
int weir_plot_class(const struct weir_plot *plot, unsigned line, unsigned column, size_t *cell);
/* The value on an axis that is `at` of `count` rows or columns of cells from the first: that of a
 * name, or a number between two ends. */
double weir_cells_value(const struct weir_axis *axis, double low, double high, double at,
                        unsigned count);
/* Mean of every `stride`-th value; NAN = there is none. */
double weir_mean(const double *values, unsigned count, unsigned stride);

/* Writes a value with its unit, the name at a position of an axis, or "" for a value that is not
 * finite. Returns the name, or `room`. */
#define WEIR_VALUE_BYTES 32
const char *weir_value_words(char room[WEIR_VALUE_BYTES], const struct weir_axis *axis,
                             double value);
/* Texts of a point for tables and titles: layer, place, value, low, high, label; "" = none. */
#define WEIR_POINT_WORDS 6
struct weir_point {
    const char *names[WEIR_POINT_WORDS], *words[WEIR_POINT_WORDS];
    char rooms[WEIR_POINT_WORDS][WEIR_VALUE_BYTES];
};
void weir_point_read(struct weir_point *point, const struct weir_picture *picture,
                     const struct weir_layer *layer, size_t i);

/* Columns that a text occupies in a monospaced font. */
unsigned weir_utf8_width(const char *string);
/* Copies a text, truncated to `width` columns with ".." at the end. What cannot be shown becomes
 * "?". Returns `room`. */
const char *weir_utf8_cut(const char *string, unsigned width, char room[WEIR_CUT_BYTES]);

#endif
