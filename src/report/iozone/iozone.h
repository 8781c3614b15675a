/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect iozone in reports, and its reporters. */
#ifndef WEIR_REPORT_IOZONE_IOZONE_H
#define WEIR_REPORT_IOZONE_IOZONE_H

#include "dialect.h"

extern const struct weir_reporter weir_reporter_iozone;

/* In the order of the columns of a single stream. */
enum weir_iozone_test {
    WEIR_IOZONE_WRITE,
    WEIR_IOZONE_REWRITE,
    WEIR_IOZONE_READ,
    WEIR_IOZONE_REREAD,
    WEIR_IOZONE_RANDOM_READ,
    WEIR_IOZONE_RANDOM_WRITE,
    WEIR_IOZONE_BACKWARD,
    WEIR_IOZONE_RECORD_REWRITE,
    WEIR_IOZONE_STRIDE,
    WEIR_IOZONE_FWRITE,
    WEIR_IOZONE_FREWRITE,
    WEIR_IOZONE_FREAD,
    WEIR_IOZONE_FREREAD,
    WEIR_IOZONE_PWRITE,
    WEIR_IOZONE_REPWRITE,
    WEIR_IOZONE_PREAD,
    WEIR_IOZONE_REPREAD,
    WEIR_IOZONE_MIXED, /* throughput only: no column */
    WEIR_IOZONE_TESTS
};
#define WEIR_IOZONE_COLUMNS WEIR_IOZONE_MIXED

/* "random-read"; as the setting "tests" and our CSV and JSON have it. */
const char *weir_iozone_name(enum weir_iozone_test test);

/* What a phase is; WEIR_IOZONE_TESTS: nothing that has a number, as a removal. */
enum weir_iozone_test weir_iozone_test_planned(const struct weir_test *test,
                                               const struct weir_phase *phase);
enum weir_iozone_test weir_iozone_test_of(const struct weir_plan *plan,
                                          const struct weir_phase_result *phase);

/* Its number can be printed: nothing of it failed, and nothing that was read was wrong. */
bool weir_iozone_has_number(const struct weir_plan *plan, const struct weir_phase_result *phase);

/* Rates and amounts in the unit of the run: kB (1024 bytes), or operations. */
struct weir_iozone_figures {
    double children; /* sum of the ranks' own rates */
    double parent;   /* all that was moved, until the last rank was done */
    double min;
    double max;
    double mean;
    double min_xfer;
    double wall_s;
    double cpu_s;
};

struct weir_iozone_figures weir_iozone_figures(const struct weir_plan *plan,
                                               const struct weir_phase_result *phase);

/* The same of one rank, whose row is there: `children` is its rate, `min_xfer` its amount. */
struct weir_iozone_figures weir_iozone_child(const struct weir_plan *plan,
                                             const struct weir_phase_result *phase, unsigned rank);

/* Processor time in per cent of the wall's; of several ranks it may be above 100. */
double weir_iozone_cpu_percent(const struct weir_iozone_figures *figures);

/* ---- settings ---- */

bool weir_iozone_is_set(const struct weir_test *test, const char *key);
/* 0: there is none. */
uint64_t weir_iozone_number(const struct weir_test *test, const char *key);
bool weir_iozone_is_throughput(const struct weir_test *test);
bool weir_iozone_counts_ops(const struct weir_test *test);
/* Its tests are of the same row of the table. */
bool weir_iozone_is_same_row(const struct weir_test *test, const struct weir_test *other);
/* The setting "tests" of it names this test. */
bool weir_iozone_selects(const struct weir_test *test, enum weir_iozone_test which);
/* Some test of the plan in the row of this one does; ... */
bool weir_iozone_row_selects(const struct weir_plan *plan, const struct weir_test *test,
                             enum weir_iozone_test which);
/* ... some test of the plan does. */
bool weir_iozone_any_selects(const struct weir_plan *plan, enum weir_iozone_test which);

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
