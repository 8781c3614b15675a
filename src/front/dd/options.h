/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the dialect dd: one member per operand, as it was typed. */
#ifndef WEIR_FRONT_DD_OPTIONS_H
#define WEIR_FRONT_DD_OPTIONS_H

#include "request.h"
#include "weir/plan/plan.h"

#include <stdint.h>

#define WEIR_DD_RELEASE "9.1" /* of coreutils: the dd that was looked at */
#define WEIR_DD_REPORTER "dd" /* as in src/report/report.c */
#define WEIR_DD_PROGRAM                                                                            \
    "weir-dd" /* a link named dd would be taken for the dd that copies files                       \
               */

/* dd's operands; NULL: not given. */
struct weir_dd_operands {
    const char *input;
    const char *output;
    const char *bs, *ibs, *obs;
    const char *count;
    const char *skip, *seek;
    const char *iflag, *oflag;
    const char *conv;
    const char *status;
};

/* Options that Weir adds. */
struct weir_dd_additions {
    const char *api;
    const char *rank_order; /* NULL: as launched */
    int64_t each_rank;
    const char *device; /* "allow" or "force"; NULL: none is written */
    const char *summary_path;
    const char *summary_format;
};

extern const struct weir_option_set weir_dd_operand_set;
extern const struct weir_front_tables weir_dd_tables; /* all of them */

struct weir_dd_request {
    struct weir_front_request base;
    struct weir_dd_operands operands;
    struct weir_dd_additions additions;
};

/* A number as dd reads it: digits with a suffix (c w b kB K KiB MB M ...), or several with x
 * between them. A B anywhere in it says that it counts bytes and not blocks. 0, or a usage error.
 */
struct weir_dd_number {
    uint64_t value;
    bool is_in_bytes;
};
int weir_dd_number_read(const char *operand, const char *text, struct weir_dd_number *number,
                        struct weir_error *error);

/* Whether a list with commas has that word. NULL has none. */
bool weir_dd_list_has(const char *list, const char *word);

/* Appends the test that `request` asks for. 0, or a usage error. */
int weir_dd_lower(struct weir_plan *plan, const struct weir_dd_request *request,
                  struct weir_error *error);

/* The page docs/compat-dd.md. */
void weir_dd_compat_page(struct weir_text *text, const struct weir_backends *backends);

#endif
