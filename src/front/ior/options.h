/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the IOR dialect: one member per option, in the dialect's own terms and with nothing
 * interpreted. */
#ifndef WEIR_FRONT_IOR_OPTIONS_H
#define WEIR_FRONT_IOR_OPTIONS_H

#include "request.h"

#include <stdbool.h>
#include <stdint.h>

/* IOR's options and directives. Counters are flags; times are nanoseconds. */
struct weir_ior_config {
    const char *api;
    int64_t reference_number;
    int64_t block_bytes;
    int64_t collective;
    int64_t reorder_tasks;
    int64_t inter_test_delay_ns; /* below 0: none, with a remark */
    uint64_t deadline_ns;
    int64_t fsync;
    int64_t use_existing_test_file;
    const char *script_path;
    int64_t file_per_process;
    int64_t intra_test_barriers;
    int64_t signature;
    int64_t repetitions;
    uint64_t outlier_threshold_ns;
    int64_t keep_file;
    int64_t keep_file_with_error;
    const char *data_packet_type;
    int64_t multi_file;
    const char *memory_per_node; /* a size, or "75%" */
    int64_t memory_per_task;
    int64_t task_count;
    const char *test_file;
    int64_t task_per_node_offset;
    int64_t read_file;
    int64_t check_read;
    int64_t segment_count;
    int64_t transfer_bytes;
    uint64_t max_time_ns;
    int64_t unique_dir;
    int64_t verbose;
    int64_t write_file;
    int64_t check_write;
    int64_t single_transfer_attempt;
    int64_t reorder_tasks_random_seed;
    int64_t dual_mount;
    int64_t fsync_per_write;
    int64_t random_offset;
    int64_t reorder_tasks_random;
    int64_t random_offset_seed;
    int64_t warning_as_errors;
    int64_t dry_run;
    int64_t wear_out;
    int64_t wear_out_iterations;
    const char *status_path;
    uint64_t min_time_ns;
    uint64_t inter_io_delay_ns;
    const char *summary_path;
    const char *summary_format;
    int64_t summary_always;
    int64_t use_o_direct;
    const char *debug;
    const char *platform;
    int64_t prefill_bytes;
    const char *rank_csv_path;
    const char *op_csv_prefix;
    int64_t node_count;      /* -1: as they are */
    int64_t tasks_on_node_0; /* -1: as they are */
    int64_t aio_max_pending;
    int64_t aio_granularity;
    /* words of older versions */
    int64_t quit_on_error;
    int64_t store_file_offset;
    int64_t show_help;
    int64_t individual_data_sets;
    int64_t alignment_bytes;
    int64_t no_fill;
    int64_t collective_metadata;
    int64_t shared_file_pointer;
    int64_t stray_dashes;
};

/* Options that Weir adds to IOR's alone. */
struct weir_ior_additions {
    const char *compat; /* the version of IOR whose layout is printed: "4.1" */
    int64_t keeps_open;
    int64_t batch;        /* 0: as the backend has it */
    const char *device;   /* NULL: no devices */
    int64_t read_percent; /* -1: no mixed phase */
};

/* The words of IOR 4.1, and those that only its older versions knew. Both are read into struct
 * weir_ior_config. */
extern const struct weir_option_set weir_ior_option_set;
extern const struct weir_option_set weir_ior_old_set;
extern const struct weir_option_set weir_ior_addition_set;
extern const struct weir_option_set weir_ior_order_set;
extern const struct weir_front_tables weir_ior_option_tables; /* all of them */

/* Words that mean the same in other programs. */
extern const struct weir_foreign_word weir_ior_foreign_words[];

/* One test as it was asked for. */
struct weir_ior_request {
    struct weir_front_request base;
    struct weir_ior_request *next; /* test of the same script, or NULL */
    struct weir_ior_config ior;
    struct weir_ior_additions additions;
};

/* A request with everything at its default. It lives in `arena`, as do all texts read into it. */
struct weir_ior_request *weir_ior_request_new(struct weir_arena *arena,
                                              const struct weir_backends *backends);

/* Appends a test that has all settings of `request`, which must be the last of its list. */
struct weir_ior_request *weir_ior_request_repeat(struct weir_ior_request *request);

/* Is any of -w -r -W -R given? */
bool weir_ior_is_told(const struct weir_ior_request *request);

/* Without any of -w -r -W -R there is a write and a read, or a mixed phase alone if one is asked
 * for; else only what is given, and the mixed phase. */
bool weir_ior_does_write(const struct weir_ior_request *request);
bool weir_ior_does_mix(const struct weir_ior_request *request);
bool weir_ior_does_read(const struct weir_ior_request *request);

#endif
