/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the mdtest dialect: one member per option, in the dialect's own terms and with
 * nothing interpreted. */
#ifndef WEIR_FRONT_MDTEST_OPTIONS_H
#define WEIR_FRONT_MDTEST_OPTIONS_H

#include "request.h"

#include <stdbool.h>
#include <stdint.h>

/* mdtest's options. Counters are flags; times are nanoseconds. */
struct weir_mdtest_config {
    const char *api;
    int64_t branching;
    int64_t no_barriers;
    int64_t by_first_rank;
    int64_t create_only;
    const char *directories;
    int64_t directories_only;
    int64_t read_bytes;
    int64_t read_only;
    int64_t first_task_count;
    int64_t files_only;
    int64_t seed; /* -1: a new one */
    int64_t iterations;
    int64_t items_per_directory;
    int64_t makes_nodes;
    int64_t last_task_count;
    int64_t only_leaves;
    int64_t items;
    int64_t rank_stride;
    uint64_t delay_ns;
    int64_t print_both;
    int64_t remove_only;
    int64_t random_order;
    int64_t task_stride;
    int64_t shared_files;
    int64_t time_change;
    int64_t stat_only;
    int64_t own_directory;
    int64_t rename_directories;
    int64_t verbose;
    int64_t verbosity; /* 0: as verbose says */
    int64_t write_bytes;
    uint64_t deadline_ns;
    const char *status_path;
    int64_t verify_read;
    int64_t verify_write;
    int64_t sync_files;
    int64_t sync_all;
    int64_t depth;
    int64_t print_time;
    const char *data_packet_type;
    int64_t print_all_procs;
    int64_t random_seed; /* 0: a new one */
    const char *command_before;
    const char *command_after;
    const char *rank_csv_path;
    const char *op_csv_prefix;
    int64_t show_rank_statistics;
    int64_t warning_as_errors;
    int64_t aio_max_pending;
    int64_t aio_granularity;
};

/* Options that Weir adds to mdtest's alone. */
struct weir_mdtest_additions {
    const char *also;   /* further phases, with commas between them; NULL: none */
    const char *compat; /* the version of mdtest whose layout is printed: "4.1" */
    int64_t compares_crowded;
    const char *skew; /* "80/20": percent of the items in percent of the directories; NULL: none */
    int64_t shuffles;
    const char *command_on; /* which tasks run the commands: "task", "node" or "first" */
    const char *summary_path;
    const char *summary_format;
};

extern const struct weir_option_set weir_mdtest_option_set;
extern const struct weir_option_set weir_mdtest_old_set;
extern const struct weir_option_set weir_mdtest_addition_set;
extern const struct weir_option_set weir_mdtest_order_set;
extern const struct weir_front_tables weir_mdtest_option_tables; /* all of them */

/* Words that mean the same in other programs. */
extern const struct weir_foreign_word weir_mdtest_foreign_words[];

/* What was asked for. */
struct weir_mdtest_request {
    struct weir_front_request base;
    struct weir_mdtest_config mdtest;
    struct weir_mdtest_additions additions;
    bool is_crowded; /* of --compare-crowded the test with all items in one directory */
};

/* Whether names are those of mdtest before 3.3, with a # before those of the test's directories. */
bool weir_mdtest_has_old_names(const struct weir_mdtest_request *request);

#endif
