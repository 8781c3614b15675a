/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of runs, and pages of HTML with pictures, tables and the facts of runs. */
#ifndef WEIR_REPORT_PICTURES_H
#define WEIR_REPORT_PICTURES_H

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/report/measures.h"

#include <stdbool.h>

/* Appends a line for each picture of a run: its name and its title. */
void weir_pictures_list(const struct weir_measured_run *run, struct weir_text *text);

/* Appends the picture of this name, or of this kind if the run has one of it, as "svg", "gnuplot"
 * or "text", of which several may follow one another, in UTF-8 if the locale has it. 0, or a usage
 * error that names those that there are. */
int weir_pictures_draw(const struct weir_measured_run *run, const char *name, const char *format,
                       struct weir_text *text, struct weir_error *error);

/* ---- a page ---- */

struct weir_page {
    struct weir_text index; /* a row for each run */
    struct weir_text runs;
    unsigned count;
    bool is_redacted; /* scripts of programs are left out */
};

void weir_page_add_run(struct weir_page *page, const struct weir_measured_run *run);
/* Appends the page, which is a whole file without scripts and references. */
void weir_page_end(const struct weir_page *page, struct weir_text *text);
void weir_page_close(struct weir_page *page);

/* True if a file that begins like this was written as a page, an SVG picture or a script. */
bool weir_page_is_own(const char *begin);

#endif
