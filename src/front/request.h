/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a request that every dialect has: the options that all of them know, those of
 * backends, and the parser of them all. */
#ifndef WEIR_FRONT_REQUEST_H
#define WEIR_FRONT_REQUEST_H

#include "common_words.h"
#include "weir/front/front.h"

struct weir_front_request {
    struct weir_common_words common;
    const struct weir_backends *backends;
    void **backend_values;     /* one struct per backend */
    const char *direct_option; /* by which the dialect asks for --direct; NULL = --direct itself */
    const struct weir_option_spelling *spellings; /* as typed, for messages */
    /* writes into this request; knows all tables but the orders */
    struct weir_option_parser parser;
};

/* The tables of a dialect, which come before all others. */
struct weir_front_tables {
    const char *place;   /* what errors begin with: "ior" */
    const char *title;   /* the original: "IOR", ... */
    const char *release; /* ... whose options are those of this release; NULL: of 4.1 */
    const struct weir_option_set *options;
    const struct weir_option_set *old; /* of older versions, with the same values; NULL: none */
    const struct weir_option_set *additions;
    const struct weir_option_set *orders;
    const struct weir_foreign_word *foreign;
    const char *operands; /* what stands behind the options, for the help; NULL: nothing */
};

/* Makes the parser. `values` are those of `options` and of `additions`. Values of backends are
 * allocated in `arena`, as are all texts that are read; all values are zero. */
void weir_front_request_init(struct weir_front_request *request,
                             const struct weir_front_tables *tables, void *const values[2],
                             struct weir_arena *arena, const struct weir_backends *backends);

/* Gives `request` all values of `from`, which has the same tables. */
void weir_front_request_copy(struct weir_front_request *request,
                             const struct weir_front_request *from);

/* Reads the words of a command line into the request, and the orders among them by the rows of
 * `order_set`. 0, or a usage error. */
int weir_front_request_parse(const struct weir_front_request *request, int count,
                             const char *const words[], const struct weir_option_set *order_set,
                             struct weir_orders *orders, struct weir_error *error);

/* Puts --overwrite before the plan's word `first` if WEIR_OVERWRITE is 1: for sites where scripts
 * call weir by the name of the original and cannot be given it. 0, or a usage error at `place`. */
int weir_front_request_add_permission(struct weir_plan *plan, int first, const char *place,
                                      struct weir_error *error);

/* Appends the help of a dialect and of all backends. */
void weir_front_request_add_help(struct weir_text *text, const struct weir_front_tables *tables,
                                 const struct weir_backends *backends);

/* Room for all rows of weir_common_set and their end. */
#define WEIR_COMMON_ROWS_MAX 48

/* The options of all dialects, but for those that this one has a meaning of its own for. Fills
 * `rows`, which the set is of. */
struct weir_option_set weir_front_common_set(const struct weir_front_tables *tables,
                                             struct weir_option rows[WEIR_COMMON_ROWS_MAX]);

#endif
