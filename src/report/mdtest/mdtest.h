/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect mdtest in reports, and its reporters. */
#ifndef WEIR_REPORT_MDTEST_MDTEST_H
#define WEIR_REPORT_MDTEST_MDTEST_H

#include "dialect.h"

extern const struct weir_rank_csv_format weir_mdtest_rank_csv;

extern const struct weir_reporter weir_reporter_mdtest;

/* How outputs of mdtest begin, of any release; they may be replaced by another output. */
bool weir_mdtest_holds_text(const char *begin);

/* mdtest's own, in the order of its tables; behind them are those for verbs that it does not have.
 */
#define WEIR_MDTEST_DIRECTORY_RENAME 3
#define WEIR_MDTEST_ROWS 11

/* The number of a phase's row, and its name: "File creation". A phase has one if it works on a
 * tree; else -1. */
int weir_mdtest_row(const struct weir_phase *phase);
const char *weir_mdtest_row_name(int row); /* NULL: there are not so many */

/* Whether a row is in the tables of a test. mdtest has rows for what was not asked for, except
 * with -F and -D. */
bool weir_mdtest_has_row(const struct weir_test *test, int row);

/* Whether a phase that ran has figures. */
bool weir_mdtest_is_shown(const struct weir_plan *plan, const struct weir_phase_result *result);

/* Items of a task in one iteration: of each kind if there are files and directories; of all tasks
 * with -S. */
uint64_t weir_mdtest_items(const struct weir_test *test);

/* Items of a task that a phase worked on: after a stonewall fewer than weir_mdtest_items. 0 = the
 * phase does not tell: it is of trees, or a chain of renames. */
uint64_t weir_mdtest_items_done(const struct weir_plan *plan,
                                const struct weir_phase_result *result);

/* Whether each phase of the test was completed in each repetition, without a failed operation. */
bool weir_mdtest_is_done(const struct weir_plan *plan, const struct weir_result *result,
                         const struct weir_test *test);

/* The directory that was given, the first one if they are several. */
const char *weir_mdtest_path(const struct weir_test *test, const struct weir_test_result *begun);

/* A flag of mdtest without a meaning for the plan ("print-time"). */
bool weir_mdtest_is_set(const struct weir_test *test, const char *key);

/* What a table can show of a row. */
enum weir_mdtest_quantity {
    WEIR_MDTEST_RATE,    /* operations per second */
    WEIR_MDTEST_SECONDS, /* of the phase */
    WEIR_MDTEST_OP_MS,   /* milliseconds of an operation of a task */
    WEIR_MDTEST_QUANTITIES
};

/* Of one iteration: of the phase, and of single ranks, whose time ends with their last operation.
 */
struct weir_mdtest_figures {
    double all[WEIR_MDTEST_QUANTITIES];
    unsigned trees; /* in the rate: one per rank in phases on the trees of -u, else 1 */
    struct weir_spread ranks[WEIR_MDTEST_QUANTITIES]; /* without stddev */
};

struct weir_mdtest_figures weir_mdtest_figures(const struct weir_plan *plan,
                                               const struct weir_phase_result *result);

/* Rate and seconds of a rank, whose row is there. */
void weir_mdtest_of_rank(const struct weir_plan *plan, const struct weir_phase_result *result,
                         unsigned rank, double *rate, double *seconds);

/* Of a row over its complete iterations or, if there is none, those that were interrupted; what
 * failed is in none. All zero: there is none. `all` has the standard deviation of a sample, or in
 * the layouts of 3.x of a population. */
struct weir_mdtest_summary {
    unsigned count; /* iterations */
    uint64_t items; /* of a task, in the last of them */
    unsigned trees; /* as in struct weir_mdtest_figures */
    struct weir_spread all[WEIR_MDTEST_QUANTITIES];
    struct weir_spread ranks[WEIR_MDTEST_QUANTITIES];
};

struct weir_mdtest_summary weir_mdtest_summary(const struct weir_plan *plan,
                                               const struct weir_result *result,
                                               const struct weir_test *test, int row);

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
