/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a run or a comparison, as plain data for src/picture. */
#ifndef WEIR_REPORT_PICTURE_PICTURES_H
#define WEIR_REPORT_PICTURE_PICTURES_H

#include "weir/base/arena.h"
#include "weir/picture/picture.h"
#include "weir/report/measures.h"

/* Pictures of one kind that a run has at most, the first ones; a third of it for runs of many tests
 * that have a picture of all: sweeps, targets, the auto mode of iozone. */
#define WEIR_PICTURES_OF_KIND 12

/* The repetitions of one phase of a test, in the order in which they ran. */
struct weir_phase_kind {
    const struct weir_measured_phase *first;
    const struct weir_measured_phase **all;
    unsigned count;
    const char *name; /* "write"; with several tests "write, test 2" or with the step of a sweep */
    bool is_in_bytes;
};

struct weir_pictures {
    struct weir_arena arena;
    const struct weir_measured_run *run;
    struct weir_picture **list; /* in the order of a page */
    unsigned count, capacity;
    struct weir_phase_kind *kinds; /* NULL = not found yet */
    unsigned kind_count;
    bool has_whole;    /* it has a picture of all its tests */
    unsigned left_out; /* beyond what there may be of a kind */
};

/* A kind of picture: its name begins that of each picture: "rate-write". */
struct weir_picture_kind {
    const char *name;
    const char *meaning; /* a noun phrase, for lists */
    void (*make)(struct weir_pictures *pictures);
};
extern const struct weir_picture_kind weir_picture_kinds[]; /* a row without a name ends it */

/* Arrays of a layer that are to be filled; NULL if they were not asked for. */
struct weir_points {
    double *x, *y, *low, *high;
    const char **labels;
    bool *is_odd;
    struct weir_layer *layer;
};
enum { WEIR_HAS_X = 1, WEIR_HAS_Y = 2, WEIR_HAS_RANGE = 4, WEIR_HAS_LABELS = 8, WEIR_HAS_ODD = 16 };

/* A picture with room for a number of layers, or NULL: there are enough of the kind. `subject` is
 * the rest of its name, "" = none. */
struct weir_picture *weir_pictures_add(struct weir_pictures *pictures, const char *kind,
                                       const char *subject, unsigned layers, const char *title,
                                       const char *caption);
/* The next layer, with arrays of `count` elements. */
struct weir_points weir_pictures_add_layer(struct weir_pictures *pictures,
                                           struct weir_picture *picture, enum weir_mark mark,
                                           unsigned tone, const char *name, size_t count,
                                           unsigned arrays);

/* "2.09 GB/s", in the arena. */
const char *weir_pictures_text(struct weir_pictures *pictures, enum weir_quantity quantity,
                               double value);

/* Pictures of sweeps, targets, programs and weir net (wholes.c). */
void weir_pictures_make_sweep(struct weir_pictures *pictures);
void weir_pictures_make_records(struct weir_pictures *pictures);
void weir_pictures_make_targets(struct weir_pictures *pictures);
void weir_pictures_make_pairs(struct weir_pictures *pictures);
void weir_pictures_make_labels(struct weir_pictures *pictures);

/* All pictures of a run, or of a comparison. */
void weir_pictures_open(struct weir_pictures *pictures, const struct weir_measured_run *run);
struct weir_comparison_table;
void weir_pictures_open_comparison(struct weir_pictures *pictures,
                                   const struct weir_comparison_table *table);
/* Appends a comparison as its request says it is drawn. `report`: its tables as text. 0, or a usage
 * error: it has no such picture. */
int weir_page_compare(const struct weir_comparison_table *table, const char *report,
                      struct weir_text *text, struct weir_error *error);
void weir_pictures_close(struct weir_pictures *pictures);

#endif
