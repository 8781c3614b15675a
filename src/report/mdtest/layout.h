/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between the outputs of mdtest's versions: a row per version. */
#ifndef WEIR_REPORT_MDTEST_LAYOUT_H
#define WEIR_REPORT_MDTEST_LAYOUT_H

#include "weir/plan/plan.h"

#include <stdbool.h>

struct weir_mdtest_layout {
    const char *name;       /* as output.style says it: "mdtest 3.3" */
    const char *version;    /* as the banner says it */
    const char *rate_title; /* "SUMMARY rate (in ops/sec):" */
    const char *time_title;
    const char *key;  /* format of "Path" and "FS" before their values */
    const char *head; /* blanks before the first column's "Max" */
    char quote;       /* around the words of the command line */
    /* Of names in the table, with a colon behind them; 0: that of 4.x, without a colon */
    unsigned label_columns;
    bool has_population_deviation; /* "Std Dev" divides by the number of iterations, not one less */
    bool has_rename;               /* a row for renamed directories */
    bool has_op_times;             /* the second table has ms per operation, else seconds */
    bool has_read_warning;         /* of reads that only open and close */
    bool has_node_map;             /* which tasks are on the node of task 0 */
    bool has_node_map_first;       /* that, before the file system */
    bool has_directory_above;      /* "Path" is the directory around the one that was given */
    bool has_gap_before_tasks;     /* an empty line behind the file system */
    bool has_gap_before_end;       /* an empty line before the date at the end, ... */
    bool has_gap_after_end;        /* ... or behind it */
};

/* The row that the plan's output follows; of a style that is none of these or NULL, the newest.
 * Never NULL. */
const struct weir_mdtest_layout *weir_mdtest_layout_of(const struct weir_plan *plan);

#endif
