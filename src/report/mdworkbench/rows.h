/* SPDX-License-Identifier: Apache-2.0 */
/* md-workbench's numbers: those of a line, which one or two phases of the plan make. */
#ifndef WEIR_REPORT_MDWORKBENCH_ROWS_H
#define WEIR_REPORT_MDWORKBENCH_ROWS_H

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

enum weir_mdworkbench_line {
    WEIR_MDWORKBENCH_PRECREATE, /* directories, then objects */
    WEIR_MDWORKBENCH_BENCHMARK, /* an iteration */
    WEIR_MDWORKBENCH_CLEANUP    /* objects, then directories */
};

/* In the order of md-workbench's lines. */
enum weir_mdworkbench_op {
    WEIR_MDWORKBENCH_READ,
    WEIR_MDWORKBENCH_STAT,
    WEIR_MDWORKBENCH_CREATE,
    WEIR_MDWORKBENCH_DELETE,
    WEIR_MDWORKBENCH_OPS
};

struct weir_mdworkbench_row {
    enum weir_mdworkbench_line line;
    const struct weir_phase_result *objects;     /* the phase that works on objects */
    const struct weir_rank_row *rows;            /* of its tasks; NULL: not there */
    const struct weir_rank_times *times;         /* likewise */
    const struct weir_phase_result *directories; /* NULL: none */
    double directories_s;                        /* time of those, which all tasks have in common */
    double max_s;                                /* of all tasks, the directories' with it */
    double min_s;
    double mean_s;
    double stddev_s;    /* of a sample */
    uint64_t data_sets; /* that were made or removed */
    uint64_t done[WEIR_MDWORKBENCH_OPS];
    bool is_timed[WEIR_MDWORKBENCH_OPS]; /* else there is no such operation */
    uint64_t quantile_ns[WEIR_MDWORKBENCH_OPS][WEIR_QUANTILES];
    uint64_t object_count;
    uint64_t op_count; /* operations on objects and directories */
    uint64_t error_count;
    double op_max_s;
    double moved_bytes; /* written and read */
    double waiting;     /* pauses, in parts of what operations took; below 0: none were asked for */
    uint64_t stonewall_iteration; /* objects of a data set when the deadline came; 0: it did not */
};

/* How often the benchmark is done. */
double weir_mdworkbench_rounds(const struct weir_test *test);

/* The line that ends with this phase. False: none does. */
bool weir_mdworkbench_row(const struct weir_plan *plan, const struct weir_result *result,
                          const struct weir_phase_result *phase, struct weir_mdworkbench_row *row);

/* The part of one task, whose rows and times are there. */
struct weir_mdworkbench_row weir_mdworkbench_row_of_rank(const struct weir_plan *plan,
                                                         const struct weir_mdworkbench_row *row,
                                                         unsigned rank);

#endif
