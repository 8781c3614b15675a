/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the md-workbench dialect: one member per option, in the dialect's own terms and with
 * nothing interpreted. */
#ifndef WEIR_FRONT_MDWORKBENCH_OPTIONS_H
#define WEIR_FRONT_MDWORKBENCH_OPTIONS_H

#include "request.h"

#include <stdint.h>

/* Names of reporters, as in src/report/report.c; the other formats are those of mdtest. */
#define WEIR_MDWORKBENCH_REPORTER "md-workbench"

/* md-workbench's options. Counters are flags. */
struct weir_mdworkbench_config {
    int64_t offset;
    const char *api;
    int64_t objects;    /* of each data set in an iteration */
    int64_t precreated; /* objects of each data set */
    int64_t data_sets;
    int64_t seed; /* -1: a new one */
    const char *directory;
    int64_t quiet;
    int64_t object_bytes;
    int64_t iterations;
    int64_t adaptive_waiting;
    int64_t runs_precreate;
    int64_t runs_benchmark;
    int64_t runs_cleanup;
    int64_t wear_out;
    int64_t verify_read;
    const char *data_packet_type;
    int64_t start_item;
    int64_t detailed_stats;
    int64_t read_only;
    int64_t ignores_precreate_errors;
    int64_t process_reports;
    int64_t verbose;
    const char *run_info_path;
    uint64_t waiting_ns;  /* for each second that an operation took */
    uint64_t deadline_ns; /* 0: none */
    const char *latency;  /* prefix of files; NULL: none */
    int64_t latency_all;
};

/* Options that Weir adds to md-workbench's alone. */
struct weir_mdworkbench_additions {
    const char *summary_path;
    const char *summary_format;
};

extern const struct weir_option_set weir_mdworkbench_option_set;
extern const struct weir_option_set weir_mdworkbench_addition_set;
extern const struct weir_option_set weir_mdworkbench_order_set;
extern const struct weir_front_tables weir_mdworkbench_option_tables; /* all of them */

/* Words that mean the same in other programs. */
extern const struct weir_foreign_word weir_mdworkbench_foreign_words[];

/* What was asked for. */
struct weir_mdworkbench_request {
    struct weir_front_request base;
    struct weir_mdworkbench_config config;
    struct weir_mdworkbench_additions additions;
};

#endif
