/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank counts and times in a program: one writer, gathered after the end. */
#ifndef WEIR_ENGINE_PROGRAM_TIMES_H
#define WEIR_ENGINE_PROGRAM_TIMES_H

#include "program.h"

/* Behind the last label: those that came when there was no more room, of `time` and of `ctime`. */
#define WEIR_LABEL_PLACES (WEIR_LABELS_MAX + 2)
#define WEIR_OTHER_LABELS "(others)"
/* Ranges of an outermost block whose pages are asked for at its end; further ones are not. */
#define WEIR_WRITTEN_RANGES 16
#define WEIR_WRONG_LINES 16 /* of a rank: of more than so many, wrong data are only counted */

/* Executions of a label. Times in nanoseconds, on this node's clock. */
struct weir_label {
    char name[WEIR_LABEL_NAME_BYTES];
    bool is_core;
    unsigned open_count; /* blocks of it that this rank is in, one around the other */
    uint64_t execution_count;
    uint64_t call_count; /* these four: of blocks in no other one of the label */
    uint64_t byte_count;
    uint64_t call_ns;
    uint64_t total_ns;
    uint64_t
        written_asked_bytes; /* of what its blocks wrote: pages that the kernel was asked about, */
    uint64_t unstored_bytes; /* ... and those that were dirty when the outermost block ended */
    uint64_t unsynced_bytes; /* dirty ones of ranges that were synced after they were written */
    uint64_t survey_count;
    /* first executions outside of other blocks: bytes that their calls read, and bytes that block
     * devices supplied */
    uint64_t read_bytes; /* 0 where the kernel does not count */
    uint64_t storage_read_bytes;
    uint64_t first_begin_ns;
    uint64_t last_end_ns;
    uint64_t starts_ns[WEIR_LABEL_STARTS]; /* of the first executions, ... */
    uint64_t ends_ns[WEIR_LABEL_STARTS];   /* ... and their ends: wall clock of `ctime`, too */
    struct weir_histogram duration;
};

/* As struct weir_program_event; an execution that still goes on has the label alone. */
struct weir_label_event {
    uint32_t label;
    uint32_t number;
    uint64_t begin_ns;
    uint64_t duration_ns;
    uint64_t call_count;
    uint64_t byte_count;
    uint64_t call_min_ns;
    uint64_t call_max_ns;
    double rate_min; /* bytes per ns; 0: no call moved any */
    double rate_max;
};

struct weir_call_counts {
    uint64_t failure_count;
    uint64_t byte_count;
    struct weir_histogram latency; /* its total is the number of those that succeeded */
};

struct weir_failure {
    unsigned line;
    unsigned call;
    int code;
    uint64_t count;
    char path[WEIR_PATH_BYTES]; /* of the first */
};

/* A timed block that this rank is in. */
struct weir_open_block {
    unsigned label;
    bool is_core;
    bool has_event;
    uint64_t event; /* position of that of a `ctime`; its number is given when it begins */
    uint64_t begin_ns;
    uint64_t call_ns;
    uint64_t read_bytes;
    uint64_t storage_read_bytes;  /* read by the process until it began */
    struct weir_label_event sums; /* of its calls */
};

/* Where a block wrote through the page cache: one range of a file. */
struct weir_written_range {
    unsigned label; /* of the innermost block */
    bool is_synced; /* after the latest write */
    uint64_t begin;
    uint64_t end;
    char path[WEIR_PATH_BYTES];
};

struct weir_program_times {
    struct weir_call_counts *calls; /* WEIR_CALL_COUNT */
    struct weir_label *labels;      /* WEIR_LABEL_PLACES */
    unsigned label_count;
    uint32_t *table;        /* by hash: number of a label plus 1 */
    uint32_t *of_statement; /* likewise: of a statement whose label is always the same, or 0 */
    uint64_t merged_count;  /* executions under WEIR_OTHER_LABELS */
    struct weir_open_block *open; /* program->nesting */
    unsigned open_count;
    struct weir_written_range *written; /* WEIR_WRITTEN_RANGES, of the present outermost block */
    unsigned written_count;
    struct weir_label_event *events; /* program->event_limit */
    uint64_t event_count;
    uint64_t unlisted_count;
    uint32_t numbers[2];           /* of the next event of `time`, and of `ctime` */
    struct weir_failure *failures; /* WEIR_CALL_FAILURES_MAX */
    unsigned failure_count;
    uint64_t untold_count;
    unsigned wrong_lines[WEIR_WRONG_LINES]; /* whose wrong data were told */
    unsigned wrong_line_count;
};

#endif
