/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a run or a comparison, as plain data for src/picture. */
#ifndef WEIR_REPORT_PICTURE_PICTURES_H
#define WEIR_REPORT_PICTURE_PICTURES_H

#include "weir/base/arena.h"
#include "weir/picture/picture.h"
#include "weir/report/measures.h"

struct weir_comparison_table;

struct weir_pictures {
    struct weir_arena arena;
    const struct weir_measured_run *run;
    struct weir_picture **list; /* in the order of a page */
    unsigned count;
    unsigned first_folded;    /* in the list: of phases, where others show all tests */
    unsigned left_out;        /* beyond what there may be of a kind */
    struct phase_kind *kinds; /* of timed phases */
    unsigned kind_count;
    struct weir_picture *latest; /* that is being made, and from here on what belongs to it */
    struct weir_layer *layers;
    struct points *points; /* of its layers */
    struct weir_cells *cells;
    const char *odd_name;
    enum weir_believed verdict; /* the worst of the phases that it shows */
};

/* True if it has this name, or is of a kind of this name. */
bool weir_picture_is_of(const struct weir_picture *picture, const char *name);

/* Quantity of a unit of weir_figure_rows. */
enum weir_quantity weir_pictures_quantity(const char *unit);
/* "2.09 GB/s", in the arena. */
const char *weir_pictures_text(struct weir_pictures *set, enum weir_quantity quantity,
                               double value);
/* All pictures of a run, or of a comparison. */
void weir_pictures_open(struct weir_pictures *set, const struct weir_measured_run *run);
void weir_pictures_open_comparison(struct weir_pictures *set,
                                   const struct weir_comparison_table *table);
void weir_pictures_close(struct weir_pictures *set);
/* Appends the medians of the first phases: "write 2.1 GB/s, read 3.0 GB/s"; with several tests the
 * least and the greatest of each name. */
void weir_pictures_add_rates(const struct weir_pictures *set, struct weir_text *text);

/* Appends a comparison as its request says it is drawn. `report`: its tables as text. 0, or a usage
 * error: it has no such picture. */
int weir_page_compare(const struct weir_comparison_table *table, const char *report,
                      struct weir_text *text, struct weir_error *error);

#endif
