/* SPDX-License-Identifier: Apache-2.0 */
/* The words of the iozone dialect: one member per option, in the dialect's own terms and with
 * nothing interpreted. */
#ifndef WEIR_FRONT_IOZONE_OPTIONS_H
#define WEIR_FRONT_IOZONE_OPTIONS_H

#include "request.h"

/* Names of reporters, as in src/report/report.c. */
#define WEIR_IOZONE_REPORTER "iozone"

#define WEIR_IOZONE_RELEASE "3.487"

/* Between the values of an option that is given again and again. */
#define WEIR_IOZONE_SEPARATOR '\n'

/* Sizes are texts: without a unit they are kilobytes. Lists have a separator between values. */
struct weir_iozone_config {
    int64_t is_auto, is_old_auto, uses_mmap, counts_close, has_child_lines, syncs_map_later,
        flushes, has_pwrite, syncs_map, is_direct, in_microseconds, is_sync, in_ops, has_excel,
        has_threads, keeps, has_no_wall, has_no_crossover, tells_machine, unused, has_latency_files,
        has_histograms, locks_file, locks_records;
    const char *excel_path, *file, *files, *tests, *records, *sizes, *children;
    const char *largest_file, *smallest_file, *largest_record, *smallest_record, *remount, *pattern;
    int64_t aio_copy_depth, aio_depth, stride, least_children, most_children;
    uint64_t stagger_ns, think_ns, delay_ns;
    int64_t line_bytes, cache_kb, first_processor;
    /* -+x */
    int64_t verifies, is_dsync, is_foreign, counts_think, splits_total, no_retest, has_old_file,
        is_rsync, has_cpu, mixes_in_order;
    const char *host_list, *name_list, *print_only, *write_list, *read_list;
    int64_t readers, rate, read_percent, growth, advice;
};

/* Options that Weir adds to IOzone's alone. */
struct weir_iozone_additions {
    const char *backend;
    int64_t has_same_order;
    const char *compat;
    const char *summary_path;
    const char *summary_format;
};

extern const struct weir_option_set weir_iozone_option_set;
extern const struct weir_option_set weir_iozone_addition_set;
extern const struct weir_option_set weir_iozone_order_set;
extern const struct weir_foreign_word weir_iozone_foreign_words[];

struct weir_iozone_request {
    struct weir_front_request base;
    struct weir_iozone_config config;
    struct weir_iozone_additions additions;
    const char *splash; /* header lines of the options, in the order of the command line */
};

#endif
