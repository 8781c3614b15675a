/* SPDX-License-Identifier: Apache-2.0 */
/* What runs measured, in one shape for all dialects: a row for each phase, with its case, its
 * dimensions and its figures. Exports, comparisons and conditions read nothing else. */
#ifndef WEIR_REPORT_MEASURES_H
#define WEIR_REPORT_MEASURES_H

#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/base/finding.h"
#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kind of figure: noise is pooled within one. */
enum weir_figure_kind {
    WEIR_FIGURE_RATE, /* bytes or operations per second */
    WEIR_FIGURE_LATENCY,
    WEIR_FIGURE_TIME,
    WEIR_FIGURE_AMOUNT
};

/* What can be measured of a phase. The table is the one list of names in CSV, JSON, SQL, metrics
 * and conditions. */
struct weir_figure_row {
    const char *name;    /* "rate", "p99" */
    const char *unit;    /* "bytes/s", "1/s", "s", "bytes", "1" */
    bool is_more_better; /* else lower is better */
    enum weir_figure_kind kind;
    const char *meaning; /* a noun phrase, for manuals and metrics */
    size_t offset;       /* of the inputs in measures.c */
    double fraction;     /* of a histogram: the quantile; 2 = the mean, 3 = the greatest */
    unsigned needs;      /* of a phase: weir_figure_is_of */
};

extern const struct weir_figure_row weir_figure_rows[]; /* a row without a name ends it */

/* By name; NULL = there is no such figure. */
const struct weir_figure_row *weir_figure_find(const char *name);
/* False: the phase cannot have the figure, or one verb of its cycle cannot, whatever happens. */
bool weir_figure_is_of(const struct weir_figure_row *row, const struct weir_phase *planned,
                       bool is_cycle_verb);

/* One figure of a phase. Quantiles that need more operations than there are, and what is not known,
 * are left out. */
struct weir_measured_figure {
    const struct weir_figure_row *row;
    double value; /* finite */
    uint64_t n;   /* values that it was computed from: of a quantile, operations; else 1 */
};

struct weir_measured_run;

/* A phase in one repetition. Of programs also each label, of cycles each verb, and of weir net each
 * pair, as a row of its own. Texts are never NULL: "" is none, or unknown. */
struct weir_measured_phase {
    const struct weir_measured_run *run;
    /* NULL in runs of weir net. They live as long as the plan and the result of the run. */
    const struct weir_phase *planned;
    const struct weir_phase_result *found;
    unsigned test;
    unsigned phase;
    unsigned repetition;
    const char *loops;   /* rounds of all loops around it: "2", "0.3"; "" = none */
    double begun_s;      /* wall clock, seconds since 1970 */
    const char *dialect; /* of the test: "ior" also in a sweep over IOR */
    const char *step;    /* of a sweep: "transfer=4k depth=8" */
    const char *name;    /* as the dialect shows it: "write", "random-read", "File creation"; the
                            label of a program, the verb of a cycle */
    const char *verb;    /* of the plan: "write", "create", "program"; of weir net: "bandwidth" */
    const char *part;    /* what of the phase the row is: "" = all of it, "label", "verb", "pair" */
    const char *backend; /* "POSIX", "fault:posix" */
    const char *target;  /* one of several storage targets, or a pair of ranks: "ost3", "0->1" */
    const char *path;    /* file or directory of rank 0 */
    const char *layout;  /* "shared file", "file per process", "tree per process", ... */
    const char *pattern; /* "sequential", "shuffled", ...; of weir net "incast", ... */
    uint64_t transfer_bytes; /* from here on 0 = does not apply */
    uint64_t block_bytes;
    uint64_t segments;
    uint64_t items; /* per rank */
    unsigned depth;
    unsigned ranks;
    unsigned nodes;
    const char *filesystem; /* type: "ext4" */
    const char *storage;    /* source of the mount: "/dev/vda1", "10.0.0.1@tcp:/lfs" */
    const char *options;    /* of the mount */
    const char *transport;  /* "ib", "tcp", "shm"; "" = none that weir chose */
    /* Hash of all that the plan says of the phase but names of targets, ranks and nodes. Phases of
     * one case did the same work, each rank for itself. */
    char case_id[17];
    enum weir_outcome outcome;
    bool is_timed; /* else a check, a fill or a removal of files: it has errors, and no rates */
    enum weir_believed believed;
    enum weir_measure believed_as;           /* what --measure removed an effect for */
    const char *findings;                    /* names, the weightiest first: "resident;short" */
    const struct weir_finding *finding_list; /* all, and those that others explain */
    unsigned finding_count;
    const char *failure; /* the first one, as a sentence */
    const struct weir_measured_figure *figures;
    unsigned figure_count;
};

/* NULL = the phase has no such figure. */
const struct weir_measured_figure *weir_measured_find(const struct weir_measured_phase *phase,
                                                      const char *name);
/* The figure that phases are compared by: operations on names count in operations, data in bytes,
 * and a network's answers in time. */
const struct weir_figure_row *weir_measured_default(const struct weir_measured_phase *phase);

struct weir_measured_run {
    const char *source; /* result file; "" = the run is going on */
    unsigned number;    /* position in all files of the query, from 0 on */
    char run_id[17];    /* "" in files of older versions */
    char plan_id[17];
    double begun_s;
    double finished_s; /* 0 = it has no end */
    const char *dialect;
    const char *label;            /* --label */
    const struct weir_fact *tags; /* --set key=value */
    size_t tag_count;
    const char *command;
    const char *version; /* of weir */
    const char *job;     /* "slurm job 123" */
    const char *host;    /* of rank 0 */
    const char *hosts;   /* all, folded: "n[1-64]" */
    const char *kernel;  /* "mixed" if nodes differ, likewise below */
    const char *distribution;
    const char *cpu_model;
    const char *governor;
    const char *transparent_huge_pages;
    const char *memory_limit; /* of the control groups: "8g"; "" = none */
    const char *container;
    const char *hypervisor;
    const char *clock_source;
    const char *mpi_library;
    unsigned ranks;
    unsigned nodes;
    bool has_ended;
    bool is_interrupted;
    bool is_whole; /* else no figure of it fulfils a condition */
    int exit_code;
    const char *exit_reason;
    enum weir_believed believed;
    struct weir_measured_phase *phases; /* in the order in which they ran */
    unsigned phase_count;
    bool leaves_tests_out;        /* phases of some tests of the plan were not asked for */
    const struct weir_plan *plan; /* NULL of weir net */
    const struct weir_result *result;
};

/* ---- runs in result files ---- */

struct weir_redaction;

/* Which runs of which files. All zero but for the paths: all of them. */
struct weir_measures_query {
    const char *const *paths;
    unsigned path_count;
    const char *run;   /* "last" of each file, an id, or a number from 1 on; NULL or "all" = all */
    const char *label; /* runs with this label only; NULL = any */
    const char *test;  /* phases of the test with this number only; NULL = any */
    bool skips_net;    /* runs of weir net are passed over */
    struct weir_redaction *redaction; /* names in runs become pseudonyms; NULL = they stay */
    bool keeps_results; /* plans and results live as long as the reader, not until the next run */
};

struct weir_measures;

/* Nothing is read yet. What the query points to must outlive the reader. */
struct weir_measures *weir_measures_open(const struct weir_measures_query *query);
/* 1 with the next run, 0 at the end, or an error: a file that cannot be read, or holds no run. Each
 * file is read once. A run lives until weir_measures_close; its plan and result only until the next
 * call. */
int weir_measures_next(struct weir_measures *reader, const struct weir_measured_run **run,
                       struct weir_error *error);
/* Runs in the files that were read to their end. */
unsigned weir_measures_count(const struct weir_measures *reader);
/* A sentence for each file that has damaged lines, which were left out; "" = there is none. Whole
 * at the end. */
const char *weir_measures_damage(const struct weir_measures *reader);
void weir_measures_close(struct weir_measures *reader); /* NULL is allowed */

/* ---- a run that is going on, or has just ended ---- */

/* All of its phases so far; texts in `arena`. */
struct weir_measured_run *weir_measures_of(struct weir_arena *arena, const struct weir_plan *plan,
                                           const struct weir_result *result);
/* The rows of one phase of a run. */
struct weir_measured_phase *weir_measures_of_phase(struct weir_arena *arena,
                                                   const struct weir_measured_run *run,
                                                   const struct weir_phase_result *found,
                                                   unsigned *count);
/* The name of a phase of the plan, as its dialect shows it; in `arena`. */
const char *weir_measures_name_phase(struct weir_arena *arena, const struct weir_test *test,
                                     const struct weir_phase *planned);
/* "shared file", "tree per process", ...; "" of a program. */
const char *weir_measures_layout(const struct weir_phase *planned);
/* The run alone, without phases. */
struct weir_measured_run *weir_measures_of_run(struct weir_arena *arena,
                                               const struct weir_plan *plan,
                                               const struct weir_result *result);

/* A run of weir net from its records, as weir/report/net_report.h writes them, in `arena`. */
struct weir_measured_run *weir_measures_of_net(struct weir_arena *arena, const char *records);

/* ---- as text: docs/results-as-data.md ---- */

/* Lines of values: a line for each figure of a phase. Lines end with a newline alone. */
void weir_measured_csv_header(struct weir_text *text);
void weir_measured_csv_phase(struct weir_text *text, const struct weir_measured_phase *phase);

/* A line of InfluxDB, and gauges of OpenMetrics: of runs with one label set, those of the last.
 * Rows of pairs are left out. */
void weir_measured_influx_phase(struct weir_text *text, const struct weir_measured_phase *phase);
void weir_measured_metrics(struct weir_text *text, const struct weir_measured_run *const runs[],
                           unsigned run_count);

/* A document of any number of runs. */
#define WEIR_MEASURED_JSON_BEGINS "{\"schema\": \"weir-report-1\""
void weir_measured_json_begin(struct weir_text *text);
void weir_measured_json_run(struct weir_text *text, const struct weir_measured_run *run,
                            bool is_first);
void weir_measured_json_end(struct weir_text *text);

#endif
