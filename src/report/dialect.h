/* SPDX-License-Identifier: Apache-2.0 */
/* A dialect in the reports. Each is a folder here and a row in the table of report.c. */
#ifndef WEIR_REPORT_DIALECT_H
#define WEIR_REPORT_DIALECT_H

#include "figures.h"

#include "weir/report/report.h"

/* A format of the file with the figures of each rank. */
struct weir_rank_csv_format {
    const char *header;       /* its first line */
    const char *plain_header; /* of plain reports; NULL = the same */
    /* Appends what is due when a phase is done; what has to wait is held. */
    void (*add)(struct weir_rank_csv *held, struct weir_text *text, const struct weir_plan *plan,
                const struct weir_phase_result *phase);
    /* Appends what is held. NULL: nothing ever is. */
    void (*end)(struct weir_rank_csv *held, struct weir_text *text);
};

/* A second report, in a file that a setting of the test names. */
struct weir_side_format {
    const char *setting;
    const char *option; /* that asks for it */
    const struct weir_reporter *reporter;
};

/* The rate of a phase as the lines of the dialect have it. */
struct weir_shown_figure {
    double value;
    const char *unit; /* NULL if `is_scaled` */
    int decimals;
    bool is_scaled; /* the value is in bytes per second, and its unit follows from its size */
};

/* What the phases of a test are, which its reporters take for granted. */
enum weir_dialect_work {
    WEIR_WORKS_ON_ANY,   /* the tests are those of other dialects */
    WEIR_WORKS_ON_FILES, /* at least one phase moves data; the others do or remove files */
    WEIR_WORKS_ON_TREES,
    WEIR_WORKS_ON_PROGRAMS
};

struct weir_dialect_reports {
    const char *dialect;
    enum weir_dialect_work work;
    const struct weir_reporter *const *reporters; /* NULL ends the list */
    const struct weir_remedy_word *remedies;      /* in its own options; NULL: neutral words */
    /* Those of a test, where they differ from one to another; NULL: they do not. */
    const struct weir_remedy_word *(*remedies_of)(const struct weir_test *test);
    const struct weir_rank_csv_format *rank_csv;
    const struct weir_side_format *side; /* NULL: none */
    /* What a sweep calls a phase; NULL: it has no row. No such function: as our block calls it. */
    const char *(*name_phase)(const struct weir_test *test, const struct weir_phase *phase);
    /* What its own lines call a phase, where a sweep calls it otherwise or has no row for it; NULL:
     * as name_phase. */
    const char *(*name_row)(const struct weir_test *test, const struct weir_phase *phase);
    /* Seconds over which its own lines count what a phase moved; NULL: from the first open to the
     * last close. */
    double (*time_s)(const struct weir_plan *plan, const struct weir_phase_result *phase);
    /* Whether a sweep tells the data phases of a test in operations. NULL: in bytes. */
    bool (*counts_ops)(const struct weir_test *test);
    /* False: the phase has no figure. NULL: MiB/s of data, operations per second of names. */
    bool (*find_figure)(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure);
};

/* The rows of that table. */
extern const struct weir_dialect_reports weir_ior_reports;
extern const struct weir_dialect_reports weir_mdtest_reports;
extern const struct weir_dialect_reports weir_mdworkbench_reports;
extern const struct weir_dialect_reports weir_iozone_reports;
extern const struct weir_dialect_reports weir_dd_reports;
extern const struct weir_dialect_reports weir_parabench_reports;
extern const struct weir_dialect_reports weir_targets_reports;
/* Reporters only, which print runs of all dialects: the table of a sweep, JUnit and TAP, figures as
 * data. */
extern const struct weir_dialect_reports weir_sweep_reports;
extern const struct weir_dialect_reports weir_ci_reports;
extern const struct weir_dialect_reports weir_measured_reports;

/* NULL: no dialect has this name, or it has no reports. */
const struct weir_dialect_reports *weir_report_dialect(const char *dialect);

/* Whether the tests of a plan, which was read from a file, are those of its dialect. Dialects that
 * this version does not know have any. */
bool weir_report_fits(const struct weir_plan *plan);

/* What our reports call a phase: as a sweep does, or by its verb: "create files". */
#define WEIR_SHOWN_NAME_BYTES 32
void weir_report_phase_name(const struct weir_test *test, const struct weir_phase *phase,
                            char name[WEIR_SHOWN_NAME_BYTES]);

/* The figure of a phase in the unit of its dialect; false if there is none. */
bool weir_report_shown_figure(const struct weir_plan *plan, const struct weir_result *result,
                              const struct weir_phase_result *phase,
                              struct weir_shown_figure *figure);

#endif
