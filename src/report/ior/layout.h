/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between the output of IOR's versions that are a matter of yes or no: a row per
 * version. */
#ifndef WEIR_REPORT_IOR_LAYOUT_H
#define WEIR_REPORT_IOR_LAYOUT_H

#include "weir/plan/plan.h"

#include <stdbool.h>

/* How the start of a phase is printed. */
enum weir_commencing {
    WEIR_COMMENCING_NOWHERE, /* 3.0 prints it on its standard error only */
    WEIR_COMMENCING_BLOCK,   /* words, date, and an empty line before them */
    WEIR_COMMENCING_LINE
};

/* Newest first. */
enum weir_ior_release {
    WEIR_IOR_4_1,
    WEIR_IOR_4_0,
    WEIR_IOR_3_3,
    WEIR_IOR_3_2,
    WEIR_IOR_3_0,
    WEIR_IOR_2_10
};

struct weir_ior_layout {
    enum weir_ior_release release;
    const char *name;       /* as output.style says it: "IOR 3.3" */
    unsigned table_columns; /* of the table of phases; 0: there is none */
    bool has_stonewall;     /* the summary's columns of the stonewall */
    bool has_nodes;         /* in the options: the number of nodes, ... */
    bool has_buffers;       /* ... where buffers are, ... */
    bool has_verbosity;     /* ... and how much is said */
    bool has_all_removals;  /* a row for removals at any verbosity, else at -v */
    bool has_all_maxima;    /* the lines "Max" at any verbosity, else at -v */
    /* at -v: how far clocks lay apart, and what -C takes for granted */
    bool has_skew;
    const char *participants; /* at -v: before the number of tasks; NULL: it is not printed */
    enum weir_commencing commencing;
    int commencing_verbosity;
    bool has_gap_before_reads; /* an empty line behind the start of a read */
};

/* The row of a release, by its name; of a style that is none of these or NULL, the newest. Never
 * NULL. */
const struct weir_ior_layout *weir_ior_layout_find(const char *style);

/* The row that the plan's output follows. Never NULL. */
const struct weir_ior_layout *weir_ior_layout_of(const struct weir_plan *plan);

#endif
