/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a sweep: formats that every dialect has if its run is one. */
#ifndef WEIR_REPORT_SWEEP_SWEEP_H
#define WEIR_REPORT_SWEEP_SWEEP_H

#include "dialect.h"

#include "weir/base/arena.h"
#include "weir/measure/trend.h"

extern const struct weir_reporter weir_reporter_sweep;

#define WEIR_SWEEP_AXES 2

/* What became of the repetitions of a step; the worst is told. */
enum weir_sweep_state {
    WEIR_SWEEP_COMPLETE,
    WEIR_SWEEP_MISSING, /* not reached, or not there any more */
    WEIR_SWEEP_SKIPPED,
    WEIR_SWEEP_INTERRUPTED,
    WEIR_SWEEP_WRONG, /* wrong data were read */
    WEIR_SWEEP_FAILED
};

struct weir_sweep_row {
    const char *values[WEIR_SWEEP_AXES]; /* of the axes; NULL beyond them */
    enum weir_sweep_state state;
    unsigned count;         /* repetitions that are in the rate: complete and right ones alone */
    unsigned planned_count; /* repetitions that were asked for */
    unsigned rank_count;    /* that took part; 0: not known */
    unsigned node_count;
    uint64_t bytes_per_rank; /* as planned */
    double *rates;           /* `count`, in the unit of the table, ... */
    double *bytes_per_s;     /* ... and in bytes */
    double rate_min;
    double rate_max;
    double p99_s;      /* of single operations, all repetitions; from here on 0: not known */
    double change;     /* of the rate: parts of that of the step before, along the last axis */
    double efficiency; /* rate of each rank or node in parts of that of the first one measured */
    double of_limit;
    const char *findings;        /* names, joined by ", "; NULL: there are none */
    enum weir_believed believed; /* the worst verdict of its phases */
};

struct weir_sweep_table {
    const char *name;    /* of the phase: "write", "create files", "random-read" */
    bool counts_ops;     /* rates are in operations per second, else in bytes */
    bool moves_data;     /* else it works on names */
    double limit;        /* bytes per second; 0: none */
    bool has_efficiency; /* ranks or nodes are an axis */
    bool has_latency;
    unsigned count; /* rows: steps of the sweep */
    struct weir_sweep_row *rows;
    unsigned group_count;      /* values of the first of two axes; else 1 */
    unsigned group_size;       /* rows of each */
    struct weir_trend *trends; /* of each group; its step i is row i of the group */
};

/* `*count` tables in the order of the plan, in `arena`; none if the plan is no sweep. */
struct weir_sweep_table *weir_sweep_tables(struct weir_arena *arena, const struct weir_plan *plan,
                                           const struct weir_result *result, unsigned *count);

/* "failed", "missing"; "" if complete. */
const char *weir_sweep_state_name(enum weir_sweep_state state);

/* The lines of a sweep behind our block; none if the plan is no sweep. */
void weir_sweep_report(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result);

/* What the rates of a table mean, a line for each thing. */
void weir_sweep_sentences(struct weir_text *text, const struct weir_sweep_table *table,
                          const struct weir_plan *plan);

/* True if the rates of a group grow up to its knee, and a step after it was measured. */
bool weir_sweep_has_knee(const struct weir_plan *plan, const struct weir_sweep_table *table,
                         unsigned group);

/* "2.10 GB/s", "1234 ops/s". Returns `buffer`. */
char *weir_sweep_rate(double rate, bool counts_ops, char buffer[WEIR_RATE_TEXT_BYTES]);

#endif
