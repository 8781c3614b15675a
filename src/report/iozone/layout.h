/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between the outputs of IOzone's versions: a row per version. */
#ifndef WEIR_REPORT_IOZONE_LAYOUT_H
#define WEIR_REPORT_IOZONE_LAYOUT_H

#include "rows.h"

#include "weir/plan/plan.h"

struct weir_iozone_layout {
    const char *name;    /* as output.style says it */
    const char *version; /* as the header says it */
    const char *kb;      /* kB */
    const char *kbyte;   /* kByte */
    /* the table's headings over its first six columns, those to the stride, those of stdio, and
     * those of -E: the first line, and the second */
    const char *heads[4][2];
    int file_width;
    int record_width;
    int widths[WEIR_IOZONE_COLUMNS]; /* of the values */
};

/* The row that the plan's output follows; of a style that is none of these or NULL, the newest.
 * Never NULL. */
const struct weir_iozone_layout *weir_iozone_layout_of(const struct weir_plan *plan);

#endif
