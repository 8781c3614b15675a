/* SPDX-License-Identifier: Apache-2.0 */
/* A comparison, from matched rows to its tables. */
#ifndef WEIR_REPORT_COMPARE_COMPARE_H
#define WEIR_REPORT_COMPARE_COMPARE_H

#include "weir/base/compare_request.h"
#include "weir/measure/compare.h"
#include "weir/report/measures.h"

#include <stdbool.h>

/* Group 0 is A. With --by, groups from 1 on are the other values of the key. */
#define WEIR_COMPARE_EARLIER (-1)

/* A key of the match or, if runs differ in it, a line above the table. */
struct weir_compare_key {
    const char *name;
    bool is_matched;  /* rows have it in common, unless it is compared or in --across */
    bool is_compared; /* one value in each group, and not the same in all */
    bool is_across;
    const char **values; /* by group: its only value; NULL = several */
};

/* A timed phase of a run. */
struct weir_compare_sample {
    const struct weir_measured_phase *phase;
    const struct weir_figure_row *figure; /* that is compared unless --figures names others */
    enum weir_measure measure;            /* of --measure */
    const char *plan;                     /* weir_plan_explain_case(); NULL = of net */
    const char *cpus; /* of the ranks: "0-3"; "mixed" if nodes differ, "" = unknown */
    int group;
    unsigned order;      /* in which samples were read */
    const char **values; /* by key */
    const char *match;   /* what rows have in common */
    const char *across;  /* values of keys in --across: "ranks=4"; "" = none */
};

/* A figure of a case. */
struct weir_compare_line {
    struct weir_compare_row row;
    const struct weir_compare_sample *a, *b; /* the first sample of each group */
    const struct weir_figure_row *figure;
    const char *name;     /* "write 1m, 4 ranks" */
    const char *obstacle; /* why it is not comparable; NULL = it is */
};

/* A case that some groups do not have. */
struct weir_compare_unmatched {
    const struct weir_compare_sample *sample; /* that has no partner ... */
    int group;                                /* ... in this group */
    const char *name;
    const char *hint; /* keys in which the other side differs: "ranks"; "" = it has no such case */
    const char *plans[2]; /* of A and of B, what the other one lacks; NULL = no such phase */
};

struct weir_comparison_table {
    const struct weir_compare_request *request;
    struct weir_arena arena;
    struct weir_redaction *redaction; /* of all of them */
    struct weir_measures *readers[3]; /* A, B, earlier runs */
    struct weir_compare_key *keys;
    unsigned key_count;
    unsigned group_count;
    const struct weir_measured_run **runs; /* those of A and B, by group */
    int *run_groups;
    unsigned run_count;
    struct weir_compare_sample *samples;
    unsigned sample_count;
    struct weir_compare_line *lines; /* in the order of A; after the judgement, without rows ... */
    struct weir_compare judged;      /* ... which are here, at the same places */
    struct weir_compare_unmatched *unmatched;
    unsigned unmatched_count;
    unsigned case_count; /* compared cases */
    double precedence;   /* of runs of A; NAN = there are several groups */
    double drift;
    int exit_code;
    struct weir_text reason; /* of the exit code */
};

/* Fills the table from files. Returns 0 or an error. */
int weir_compare_match(struct weir_comparison_table *table, struct weir_error *error);

/* The command line without the options that name a run and not its work, in the arena. */
const char *weir_compare_work(struct weir_arena *arena, const char *command);

/* Names each line and each unmatched case by what distinguishes it from the others. */
void weir_compare_set_names(struct weir_comparison_table *table);

/* Appends the tables for people, or the JSON document. */
void weir_compare_print(const struct weir_comparison_table *table, struct weir_text *text);
void weir_compare_print_json(const struct weir_comparison_table *table, struct weir_text *text);

#endif
