/* SPDX-License-Identifier: Apache-2.0 */
/* What a program has done, over all ranks: its calls, its labels, its single events. Times are on
 * the common clock, relative to the agreed start of the phase. */
#ifndef WEIR_MEASURE_PROGRAM_H
#define WEIR_MEASURE_PROGRAM_H

#include "weir/measure/histogram.h"

#include <stdbool.h>
#include <stdint.h>

#define WEIR_LABELS_MAX 1024      /* different ones of a rank; those behind them are one */
#define WEIR_LABEL_NAME_BYTES 256 /* longer ones are cut */
#define WEIR_LABEL_STARTS 256     /* first executions of a label whose starts are compared */
#define WEIR_LABEL_SLOWEST 3
#define WEIR_CALL_FAILURES_MAX 256 /* different ones (line, call, error) that are told apart */

struct weir_call_result {
    unsigned call;  /* of the plan: enum weir_call */
    uint64_t count; /* that succeeded */
    uint64_t failure_count;
    uint64_t byte_count;
    struct weir_histogram
        *latency; /* of those that succeeded: of the one system call that counts */
};

/* The same line failed in the same way. */
struct weir_call_failure {
    unsigned line;
    unsigned call;
    int code; /* -errno */
    uint64_t count;
    unsigned rank_count;
    unsigned rank;    /* the first that saw it */
    const char *path; /* the first one; may be "" */
};

struct weir_label_rank {
    uint32_t rank;
    double seconds; /* in all executions */
    const char *host;
};

struct weir_label_result {
    const char *name;
    bool is_core; /* ctime: time in calls; else time: wall clock */
    uint64_t execution_count;
    unsigned rank_count; /* that executed it */
    uint64_t call_count; /* in it */
    uint64_t byte_count;
    uint64_t written_asked_bytes;    /* written, and covered by a survey of dirty pages; 0 = none */
    uint64_t unstored_bytes;         /* of these, dirty when the outermost block ended */
    uint64_t unsynced_bytes;         /* of these, dirty although synced after the write */
    struct weir_histogram *duration; /* of executions: wall clock, or the sum of their calls */
    double call_s;                   /* sum over all calls */
    /* first executions of outermost blocks, if the kernel counts bytes that block devices supply.
     * Not in result files. */
    uint64_t read_bytes;         /* by calls of all ranks */
    uint64_t read_bytes_max;     /* by calls of the rank that read most */
    uint64_t storage_read_bytes; /* supplied by block devices to all ranks */
    double first_begin_s;        /* of any rank, ... */
    double last_end_s;           /* ... so the aggregate rate is byte_count over the difference */
    /* time that was between the first rank that began the n-th execution (counted on each rank) and
     * the last that ended it, for any n: without what lies between executions. 0: not known, as
     * with labels that are merged. Estimated: a rank did more than WEIR_LABEL_STARTS of them, and
     * those beyond are taken to last as long as the first ones */
    double inside_s;
    bool inside_is_estimated;
    /* between the first and the last rank that began the same execution (counted on each rank),
     * over the first WEIR_LABEL_STARTS of them that more than one rank did */
    uint64_t skew_count;
    double skew_mean_s;
    double skew_max_s;
    double rank_s_min; /* of ranks: all executions together */
    double rank_s_mean;
    double rank_s_max;
    unsigned slowest_count;
    struct weir_label_rank slowest[WEIR_LABEL_SLOWEST];
};

/* One execution of a timed block on one rank. */
struct weir_program_event {
    uint32_t rank;
    uint32_t label;  /* position in `labels` */
    uint32_t number; /* on its rank, from 0 on, of events of its kind: `time` in the order of their
                        ends, `ctime` in that of their begins */
    double begin_s;
    double seconds; /* time: wall clock; ctime: sum of its calls */
    /* ctime: */
    uint64_t call_count;
    uint64_t byte_count;
    double call_min_s;
    double call_max_s;
    double rate_min_per_s; /* bytes/s of single calls that moved any; 0: none did */
    double rate_max_per_s;
};

struct weir_program_result {
    uint64_t statement_count; /* that all ranks went through */
    unsigned call_count;
    struct weir_call_result *calls; /* that the program has, in the order of their numbers */
    unsigned label_count;
    struct weir_label_result
        *labels;                 /* in the order in which the lowest rank that has each met it */
    uint64_t merged_label_count; /* executions beyond WEIR_LABELS_MAX, under the label "(others)" */
    uint64_t event_count;        /* kept ones: sorted by rank, then kind, then number */
    struct weir_program_event *events;
    uint64_t unlisted_count; /* events beyond the plan's limit */
    unsigned failure_count;
    struct weir_call_failure *failures;
    uint64_t untold_failures; /* failed calls beyond WEIR_CALL_FAILURES_MAX different ones */
    const char *warnings;     /* groups that were cut or not mapped: whole lines; "" */
    /* seconds of rank 0, as Parabench tells them: MPI and files of the run, parsing, the
     * statements, gathering */
    double setup_s;
    double parser_s;
    double interpreter_s;
    double finalize_s;
};

#endif
