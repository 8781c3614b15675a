/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a run or a comparison, as plain data for src/picture. */
#ifndef WEIR_REPORT_PICTURE_PICTURES_H
#define WEIR_REPORT_PICTURE_PICTURES_H

#include "weir/base/arena.h"
#include "weir/picture/picture.h"
#include "weir/report/measures.h"

struct weir_comparison_table;

#define WEIR_PICTURE_ROWS_MAX 64                     /* rows of one picture */
#define WEIR_PICTURE_SIDES_MAX 8                     /* bars of one row */
#define WEIR_PICTURE_LAYERS_MAX (4 * WEIR_TONES + 2) /* curves of sweeps are the most */

/* Arrays of a layer that are to be filled: those that its mark uses, else NULL. */
struct weir_points {
    double *x, *y, *low, *high;
    const char **labels;
    bool *is_odd; /* dots become crosses, bars are hatched */
    struct weir_layer *layer;
};

struct weir_bar {
    const char *name;
    double value;      /* NAN = none */
    double low, high;  /* ends of whiskers, if they differ */
    const char *label; /* NULL = the value */
    bool is_odd;
};

/* The repetitions of one phase of a test, in the order in which they ran; in runs of weir net also
 * those of a pair of ranks, which are parts of phases. */
struct weir_phase_kind {
    const struct weir_measured_phase *first;
    const struct weir_measured_phase **all;
    double *rates; /* of each repetition, or median latencies; NAN = it has none */
    unsigned count;
    bool is_later;    /* an earlier kind has the same name of phases */
    const char *name; /* "write"; with several tests "write, test 2" or with the step of a sweep */
    struct weir_bar bar; /* named as the line of the report: md-workbench has one for two phases */
    enum weir_quantity quantity; /* bytes or operations per second, or seconds */
    enum weir_believed believed; /* worst of all repetitions */
    double median;               /* of the rates of complete repetitions; NAN = none */
    unsigned typical; /* the repetition whose rate is nearest to the median, else the first */
};

struct weir_pictures {
    struct weir_arena arena;
    const struct weir_measured_run *run;
    struct weir_picture **list; /* in the order of a page */
    unsigned count;
    unsigned first_folded;         /* in the list: of phases, where others show all tests */
    unsigned left_out;             /* beyond what there may be of a kind */
    struct weir_phase_kind *kinds; /* of timed phases */
    unsigned kind_count;
    struct weir_picture *latest; /* that is being made, and from here on what belongs to it */
    struct weir_layer *layers;
    struct weir_points *points; /* of its layers */
    struct weir_cells *cells;
    const char *odd_name;
    enum weir_believed verdict; /* the worst of the phases that it shows */
};

/* Adds a picture, the latest. NULL: there are enough of the kind. `key` is that of a row of texts
 * in pictures.c; `subject` is the rest of its name, "" = none; `shown` is the variable part of its
 * title, NULL = `subject`. */
struct weir_picture *weir_pictures_add(struct weir_pictures *set, const char *key,
                                       const char *subject, const char *shown);
void weir_caption_add(struct weir_pictures *set, const char *sentence);
/* Returns `count`, or `most` if it is less, and appends "3 phases are left out." to the caption. */
unsigned weir_pictures_limit(struct weir_pictures *set, unsigned count, unsigned most,
                             const char *thing);
/* The title of the latest picture begins with the worst verdict, unless that is OK. */
void weir_verdict_note(struct weir_pictures *set, enum weir_believed believed);
/* Adds a layer with arrays of `count` elements. Whiskers are level: they have a y. */
struct weir_points weir_layer_add(struct weir_pictures *set, enum weir_mark mark, unsigned tone,
                                  const char *name, size_t count);
/* Adds a rule at `value` of the x axis, or of the y axis if it is level. */
void weir_rule_add(struct weir_pictures *set, bool is_level, unsigned tone, const char *name,
                   double value, const char *label);
/* A bar with whiskers over all values. */
struct weir_bar weir_bar_of(double value, const double values[], unsigned count);
/* Adds horizontal bars with whiskers. Rows have `sides` bars, of which these are one; the y axis
 * has the names of side 0. */
void weir_bars_add(struct weir_pictures *set, unsigned side, unsigned sides, const char *legend,
                   const struct weir_bar bars[], unsigned count);

/* Makes the picture a matrix, whose values are to be filled: NAN = none. */
struct weir_grid {
    double *values;
    bool *is_odd;
    struct weir_cells *cells;
};
struct weir_grid weir_grid_add(struct weir_pictures *set, unsigned rows, unsigned columns,
                               enum weir_quantity quantity);

struct weir_axis weir_axis_of_names(const char *label, const char *const *names, unsigned count);
/* "program x.pbl" of "program /a/b/x.pbl". */
const char *weir_pictures_short(struct weir_pictures *set, const char *name);
/* True if figures must not be used: PARTIAL, DO NOT USE, WRONG DATA. */
static inline bool weir_believed_is_bad(enum weir_believed believed)
{
    return believed > WEIR_BELIEVED_UNVERIFIED;
}

/* True if it has this name, or is of a kind of this name. */
bool weir_picture_is_of(const struct weir_picture *picture, const char *name);

/* Quantity of a unit of weir_figure_rows. */
enum weir_quantity weir_pictures_quantity(const char *unit);
/* "2.09 GB/s", in the arena. */
const char *weir_pictures_text(struct weir_pictures *set, enum weir_quantity quantity,
                               double value);
/* Ends the latest picture. */
void weir_pictures_finish(struct weir_pictures *set);

/* Pictures of sweeps, targets, programs and weir net (dialects.c). */
void weir_pictures_make_sweep(struct weir_pictures *set);
void weir_pictures_make_records(struct weir_pictures *set);
void weir_pictures_make_targets(struct weir_pictures *set);
void weir_pictures_make_pairs(struct weir_pictures *set);
void weir_pictures_make_labels(struct weir_pictures *set, const struct weir_phase_kind *kind);

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
