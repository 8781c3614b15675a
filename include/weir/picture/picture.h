/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of numbers as plain data, drawn as SVG, as characters of a terminal, or as a script of
 * gnuplot. Values that are not finite, and those <= 0 on a logarithmic axis, are left out. */
#ifndef WEIR_PICTURE_PICTURE_H
#define WEIR_PICTURE_PICTURE_H

#include "weir/base/text.h"

#include <stdbool.h>
#include <stddef.h>

enum weir_quantity {
    WEIR_QUANTITY_NUMBER,
    WEIR_QUANTITY_BYTES_PER_S,
    WEIR_QUANTITY_OPS_PER_S,
    WEIR_QUANTITY_SECONDS,
    WEIR_QUANTITY_BYTES, /* in binary units */
    WEIR_QUANTITY_SHARE, /* 1 = 100 % */
    WEIR_QUANTITY_COUNT
};

/* Appends a value in three digits with its unit: "2.09 GB/s". */
void weir_quantity_add(struct weir_text *text, enum weir_quantity quantity, double value);

enum weir_scale {
    WEIR_SCALE_LINEAR,
    WEIR_SCALE_LOG,
    WEIR_SCALE_LOG2, /* logarithmic with ticks at powers of 2 */
    WEIR_SCALE_NAMES /* position i is that of names[i] */
};

struct weir_axis {
    const char *label; /* "rate"; "" = none */
    enum weir_quantity quantity;
    enum weir_scale scale;
    bool has_zero; /* 0 is on a linear axis */
    const char *const *names;
    unsigned name_count;
};

enum weir_mark {
    WEIR_MARK_LINE,
    WEIR_MARK_BAND,   /* from low to high over x */
    WEIR_MARK_DOTS,   /* at x, y */
    WEIR_MARK_BARS,   /* to the value at each name; horizontal if the y axis has names */
    WEIR_MARK_RANGES, /* whiskers from low to high, along the axis without names */
    WEIR_MARK_SPANS,  /* boxes from low to high, along the axis without names */
    WEIR_MARK_RULE    /* a straight line across the plot at each y, or at each x if y is NULL */
};

/* The bars of all layers at a name have this part of its room: whiskers of one of them are at a
 * fraction beside it. */
#define WEIR_BARS_SPREAD 0.76

/* Colour, dashes and shape: below WEIR_TONES, those of the n-th of several alike layers. */
#define WEIR_TONES 8
enum weir_tone {
    WEIR_TONE_REFERENCE = WEIR_TONES, /* limits, ideal lines, medians */
    WEIR_TONE_ODD                     /* failures, outliers */
};

struct weir_layer {
    enum weir_mark mark;
    unsigned tone;
    const char *name; /* in the legend; NULL = no entry */
    size_t count;
    const double *x, *y;
    const double *low, *high;
    /* near marks, as far as there is room, and on the right of horizontal bars; they may be NULL */
    const char *const *labels;
    const bool *is_odd; /* marks that are hatched or filled; NULL = none */
};

/* A matrix of values, row by row: from the top if the y axis has names, else from the bottom. A
 * numeric x axis is divided evenly from x_low to x_high, and a numeric y axis likewise. */
struct weir_cells {
    unsigned rows, columns;
    const double *values;
    const bool *is_odd; /* cells that are hatched; NULL = none */
    enum weir_quantity quantity;
    double x_low, x_high;
    double y_low, y_high;
    bool has_sums;        /* bars of the means of rows and columns at the edges */
    const char *odd_name; /* what hatched cells are; NULL = not said */
};

struct weir_picture {
    const char *name;    /* "rate": [a-z0-9-]+ */
    const char *title;   /* "write: rate over time" */
    const char *caption; /* a sentence on the content; "" = none */
    struct weir_axis x, y;
    const struct weir_layer *layers;
    unsigned layer_count;
    const struct weir_cells *cells; /* NULL = none */
};

/* Appends an SVG element. `is_alone`: a whole file, with its style, its title and its data as a
 * description; else a part of a page that has weir_picture_style. */
void weir_picture_svg(const struct weir_picture *picture, bool is_alone, struct weir_text *text);
/* Appends the rules of CSS of all pictures. */
void weir_picture_style(struct weir_text *text);
/* Appends the data as a table of HTML, or as lines separated by tabs; points beyond
 * WEIR_PICTURE_ROWS are thinned. */
#define WEIR_PICTURE_ROWS 64
void weir_picture_table(const struct weir_picture *picture, bool is_html, struct weir_text *text);

/* Appends WEIR_PICTURE_LINES lines of WEIR_PICTURE_COLUMNS characters at most; without `is_utf8` in
 * ASCII. */
#define WEIR_PICTURE_COLUMNS 78
#define WEIR_PICTURE_LINES 14
void weir_picture_text(const struct weir_picture *picture, bool is_utf8, struct weir_text *text);

/* Appends a script of gnuplot 5 with its data. */
void weir_picture_gnuplot(const struct weir_picture *picture, struct weir_text *text);

#endif
