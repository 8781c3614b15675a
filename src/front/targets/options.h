/* SPDX-License-Identifier: Apache-2.0 */
/* The words of weir targets: one member per option, with nothing interpreted. */
#ifndef WEIR_FRONT_TARGETS_OPTIONS_H
#define WEIR_FRONT_TARGETS_OPTIONS_H

#include "request.h"

#include <stdint.h>

/* Names of reporters, as in src/report/report.c. */
#define WEIR_TARGETS_REPORTER "targets"

struct weir_targets_config {
    const char *api;
    int64_t repetitions;
    int64_t bytes; /* on each target, 0 = 10 GiB if --explain asks */
    int64_t transfer_bytes;
    int64_t ranks_per_target;
    int64_t is_buffered;
    int64_t reads_only;
    int64_t must_keep;
    int64_t is_alone_only;
    const char *write_devices; /* "allow" or "force"; NULL: devices are read */
    const char *beegfs;        /* a directory */
    const char *lustre;        /* a directory, with :POOL behind it or not */
    int64_t takes_devices;
    const char *limit;          /* of one target; NULL: not given */
    const char *limit_together; /* of all together; NULL: not given */
};

struct weir_targets_additions {
    const char *format;
    const char *summary_path;
    int64_t warnings_are_errors;
};

extern const struct weir_option_set weir_targets_option_set;
extern const struct weir_option_set weir_targets_addition_set;
extern const struct weir_option_set weir_targets_order_set;
extern const struct weir_front_tables weir_targets_option_tables; /* all of them */
extern const struct weir_foreign_word weir_targets_foreign_words[];

/* What was asked for. */
struct weir_targets_request {
    struct weir_front_request base;
    struct weir_targets_config config;
    struct weir_targets_additions additions;
    const char *const *paths; /* words that stand alone */
    int path_count;
    bool is_explained; /* --explain: no run follows */
};

#endif
