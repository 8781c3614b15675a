/* SPDX-License-Identifier: Apache-2.0 */
/* The range of an axis with its ticks, and what all forms of a picture have in common. */
#ifndef WEIR_PICTURE_RANGE_H
#define WEIR_PICTURE_RANGE_H

#include "weir/picture/picture.h"

#define WEIR_TICKS_MAX 24

struct weir_tick {
    double value;
    char label[24];
};

struct weir_range {
    enum weir_scale scale;
    double low, high;
    unsigned tick_count;
    struct weir_tick ticks[WEIR_TICKS_MAX];
    const char *unit; /* of the labels; "" = each label has its own, or there is none */
};

/* Computes the ranges of both axes from the data, with at most x_ticks and y_ticks ticks. */
void weir_range_find(const struct weir_picture *picture, unsigned x_ticks, unsigned y_ticks,
                     struct weir_range *x, struct weir_range *y);
/* 0 to 1 from the low end to the high end; NAN = the value is left out. */
double weir_range_place(const struct weir_range *range, double value);

/* True if a point of the layer can be drawn; rules have none. */
bool weir_layer_has_data(const struct weir_picture *picture, const struct weir_layer *layer);

/* The points of a layer in one column of pixels, or a single point. */
struct weir_column {
    size_t count; /* 0 = no point that can be drawn */
    size_t index; /* of the first of them */
    double x;     /* of the first of them, placed */
    double low, high;
    bool falls; /* the lowest point is after the highest */
};
#define WEIR_PICTURE_THIN 300

/* Thins a layer to at most WEIR_PICTURE_THIN columns, with the least and the greatest value of
 * each. Returns their number. */
unsigned weir_layer_thin(const struct weir_picture *picture, const struct weir_layer *layer,
                         const struct weir_range *x, const struct weir_range *y,
                         struct weir_column columns[WEIR_PICTURE_THIN]);

/* Least and greatest value of cells; false = there is none. Colours begin at *low. */
bool weir_cells_extent(const struct weir_cells *cells, double *low, double *high);
#define WEIR_HEAT_CLASSES 8
/* The class of a value, from 0 on; -1 = no value. */
int weir_cells_class(double value, double low, double high);
/* Mean of a row (column = UINT_MAX) or of a column (row = UINT_MAX); NAN = it has no values. */
double weir_cells_mean(const struct weir_cells *cells, unsigned row, unsigned column);

/* The axis without names, along which bars and whiskers are drawn. */
static inline bool weir_picture_lies(const struct weir_picture *picture)
{
    return picture->y.scale == WEIR_SCALE_NAMES;
}

/* The name nearest to a position; NULL = the axis has none there. */
static inline const char *weir_axis_name(const struct weir_axis *axis, double value)
{
    bool has_name =
        axis->scale == WEIR_SCALE_NAMES && value > -0.5 && value < (double)axis->name_count - 0.5;

    return has_name ? axis->names[(size_t)(value + 0.5)] : NULL;
}

/* Columns that a text occupies in a monospaced font. */
unsigned weir_utf8_width(const char *string);
/* Copies a text, truncated to `width` columns with ".." at the end. Control characters become "?".
 * Returns `room`. */
#define WEIR_CUT_BYTES 256
const char *weir_utf8_cut(const char *string, unsigned width, char room[WEIR_CUT_BYTES]);

#endif
