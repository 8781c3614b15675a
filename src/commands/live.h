/* SPDX-License-Identifier: Apache-2.0 */
/* What a run says while it goes on: progress on standard error, lines of --live, and the command of
 * --on-phase. Rank 0 only. The caller serialises all calls. */
#ifndef WEIR_COMMANDS_LIVE_H
#define WEIR_COMMANDS_LIVE_H

#include "progress_line.h"

#include "weir/base/error.h"
#include "weir/base/live.h"
#include "weir/engine/engine.h"
#include "weir/system/shell.h"

#include <signal.h>

/* The phase that goes on, as lines name it. */
struct weir_live_work {
    char title[128]; /* for people: "test 1, write 2 of 3" */
    char name[64];   /* as in csv-long */
    unsigned test;
    unsigned repetition;
    unsigned trial_depth;
    double minimum_s; /* the phase is filled up to this, 0 = it is not ... */
    double limit_s;   /* ... and is over after this, 0 = never */
    bool is_pause;
    bool moves_data; /* its progress is one of bytes, else of operations */
};

struct weir_live {
    const struct weir_live_request *request;
    struct weir_progress_line progress;
    uint64_t run_id;
    bool has_work; /* a phase goes on */
    struct weir_live_work work;
    double began_s;           /* on the kernel's clock */
    struct weir_counts shown; /* as of the latest progress line ... */
    struct weir_counts sent;  /* ... and the latest live line: all zero at first */
    uint64_t due_ns;          /* of the next live line */
    int fd;                   /* -1 = not open */
    struct weir_text rest;    /* of a line that the socket took a part of */
    uint64_t line_count;
    uint64_t dropped_count;
    bool is_over;                     /* the file failed */
    struct weir_shell_helper *helper; /* of the caller */
    const volatile sig_atomic_t *stop_signal;
    uint64_t command_count;
    uint64_t failure_count;
};

/* Nothing is opened yet. `progress_ns` as of weir_progress_line_open(). */
void weir_live_open(struct weir_live *live, const struct weir_live_request *request,
                    uint64_t progress_ns);

/* Nanoseconds between calls of weir_live_count(); 0 = none are needed. */
uint64_t weir_live_interval(const struct weir_live *live);

/* Refuses a file that is no file of live lines, or cannot be one; a socket may appear later. Makes
 * nothing. 0 or a usage error. */
int weir_live_check(const struct weir_live_request *request, struct weir_error *error);

/* A phase, a trial or a pause begins. */
void weir_live_begin(struct weir_live *live, const struct weir_live_work *work);
/* Counters of the phase. */
void weir_live_count(struct weir_live *live, const struct weir_counts *counts);
/* The phase is over, with these counters of all ranks and this record, which may be empty. The
 * command runs in weir_live_run_command(), after the phase was reported. */
void weir_live_end(struct weir_live *live, const struct weir_counts *counts);
void weir_live_run_command(struct weir_live *live, const struct weir_text *record);

/* Says what was lost. */
void weir_live_close(struct weir_live *live);

#endif
