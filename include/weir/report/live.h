/* SPDX-License-Identifier: Apache-2.0 */
/* A line of --live: docs/live.md. */
#ifndef WEIR_REPORT_LIVE_H
#define WEIR_REPORT_LIVE_H

#include "weir/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Unknown numbers are NAN, and are left out. */
struct weir_live_line {
    double time_s; /* wall clock, since 1970 */
    uint64_t run_id;
    const char *event; /* "interval", "phase" */
    unsigned test;
    const char *name; /* as in csv-long; "pause" between phases */
    unsigned repetition;
    unsigned trial_depth; /* 0 = no depth is on trial */
    double elapsed_s;
    double bytes; /* of all ranks */
    double operations;
    double rate; /* of the interval: bytes/s */
    double ops;  /* likewise, 1/s */
    double share;
    double left_s;
    unsigned ranks;
    unsigned ranks_counted; /* fewer: bytes and operations are estimated from those of so many */
    double slowest_rank;
    double slowest_share;
};

/* Appends the line. */
void weir_report_live(struct weir_text *text, const struct weir_live_line *line);

#endif
