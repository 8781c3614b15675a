/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the dialect parabench: one member per option, as it was typed; and what becomes of
 * them. */
#ifndef WEIR_FRONT_PARABENCH_OPTIONS_H
#define WEIR_FRONT_PARABENCH_OPTIONS_H

#include "request.h"

#include <stdint.h>

#define WEIR_PARABENCH_RELEASE "1.0"
/* Names of reporters, as in src/report/report.c. */
#define WEIR_PARABENCH_REPORTER "parabench"
#define WEIR_PARABENCH_REPORTER_LABELS "parabench labels"
#define WEIR_PARABENCH_REPORTER_XML "parabench xml"

/* Settings of the test that the reports look at: the path of the file, or NULL; "1", or NULL. */
#define WEIR_PARABENCH_XML "xml"
#define WEIR_PARABENCH_SILENT "silent"

struct weir_parabench_config {
    int64_t exports;
    int64_t is_silent;
    int64_t cleans;
    int64_t is_dry;
    int64_t is_agile;
    int64_t waits;
    const char *groups; /* NAME[:SIZE], a line each; NULL: none */
};

struct weir_parabench_additions {
    const char *backend;
    const char *on_error;
    const char *time_limit; /* NULL: none */
    const char *roots;      /* a line each; NULL: as the parameters say */
    int64_t is_anywhere;
    const char *seed; /* NULL: a new one */
    int64_t must_verify;
    const char *think; /* NULL: none */
    int64_t event_limit;
    const char *summary_path;
    const char *summary_format;
};

extern const struct weir_option_set weir_parabench_option_set;
extern const struct weir_option_set weir_parabench_addition_set;
extern const struct weir_option_set weir_parabench_order_set;
extern const struct weir_front_tables weir_parabench_tables; /* all of them */
extern const struct weir_foreign_word weir_parabench_foreign_words[];

/* What was asked for. */
struct weir_parabench_request {
    struct weir_front_request base;
    struct weir_parabench_config config;
    struct weir_parabench_additions additions;
    const char *const *words; /* that stand alone: the program, and name=value */
    int word_count;
};

/* Appends the test of the program. 0, or a usage error. */
int weir_parabench_lower(struct weir_plan *plan, const struct weir_front_request *request,
                         struct weir_error *error);

/* Appends the page that compares us with the original. */
void weir_parabench_compat_page(struct weir_text *text, const struct weir_backends *backends);

#endif
