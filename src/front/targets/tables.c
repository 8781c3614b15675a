/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the options of weir targets, and words of other programs for them. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_targets_config, member)

static const struct weir_option rows[] = {
    {'a', "api", WEIR_OPTION_TEXT, AT(api), "POSIX", .help = "backend, see weir backends"},
    {'i', "repetitions", WEIR_OPTION_COUNT, AT(repetitions), "3", .least = 1, .most = 1 << 16,
     .help = "how often each target is written and read, with new files each time"},
    {0, "size", WEIR_OPTION_SIZE, AT(bytes), .most = INT64_MAX,
     .help = "bytes on each target, by all of its ranks; 0: 10g, which is refused if more than "
             "1 GiB would be moved in all"},
    {0, "transfer", WEIR_OPTION_SIZE, AT(transfer_bytes), "1m", .least = 1, .most = INT64_MAX,
     .help = "bytes of one transfer"},
    {0, "ranks-per-target", WEIR_OPTION_COUNT, AT(ranks_per_target), "1", .least = 1,
     .most = 1 << 16, .help = "ranks that work on each target, with a file each"},
    {0, "buffered", WEIR_OPTION_FLAG, AT(is_buffered),
     .help = "through the page cache; else transfers pass it (--direct), where the backend can"},
    {0, "read-only", WEIR_OPTION_FLAG, AT(reads_only),
     .help =
         "only read: files that a run with --keep has left, or devices, which is their default"},
    {0, "keep", WEIR_OPTION_FLAG, AT(must_keep), .help = "leave the files of the last repetition"},
    {0, "alone-only", WEIR_OPTION_FLAG, AT(is_alone_only),
     .help = "each target alone, and not all together, which takes the ranks of all"},
    {0, "write", WEIR_OPTION_CHOICE, AT(write_devices), NULL, "allow|force",
     .help = "with --devices: write them, and lose what is on them; force: even if they are in use "
             "or carry a file system"},
    {0, "beegfs", WEIR_OPTION_TEXT, AT(beegfs),
     .help = "the storage targets of the BeeGFS on which this directory is"},
    {0, "lustre", WEIR_OPTION_TEXT, AT(lustre),
     .help = "the OSTs of the Lustre on which this directory is, with :POOL behind it those of a "
             "pool"},
    {0, "devices", WEIR_OPTION_FLAG, AT(takes_devices),
     .help = "the paths are block devices; without paths, all of the host that are not in use"},
    {0, "limit", WEIR_OPTION_TEXT, AT(limit),
     .help = "what one target should reach, such as 5.5GB/s or 5GiB/s: rates are told as shares of "
             "it"},
    {0, "limit-together", WEIR_OPTION_TEXT, AT(limit_together),
     .help = "what all of them should reach together, such as the rate of the network; without it, "
             "--limit times the targets"},
    {0},
};

const struct weir_option_set weir_targets_option_set = {"targets", rows,
                                                        sizeof(struct weir_targets_config)};

#define OURS(member) WEIR_OPTION_AT(struct weir_targets_additions, member)

static const struct weir_option addition_rows[] = {
    {0, "format", WEIR_OPTION_CHOICE, OURS(format), "text", "text|csv|json|junit|tap",
     .help = "format of the report"},
    {0, "summary-file", WEIR_OPTION_TEXT, OURS(summary_path),
     .help = "the report goes there and not to standard output"},
    {0, "warnings-as-errors", WEIR_OPTION_FLAG, OURS(warnings_are_errors),
     .help = "exit code 1 if a target is slow, or anything else is warned of"},
    {0, "warningAsErrors", WEIR_OPTION_FLAG, .alias = "warnings-as-errors",
     .help = "the same as --warnings-as-errors"},
    {0},
};

const struct weir_option_set weir_targets_addition_set = {"report", addition_rows,
                                                          sizeof(struct weir_targets_additions)};

static const struct weir_option order_rows[] = {WEIR_ORDER_ROWS(NULL)};

const struct weir_option_set weir_targets_order_set = {"in place of a run", order_rows,
                                                       sizeof(struct weir_orders)};

const struct weir_foreign_word weir_targets_foreign_words[] = {
    {"s|filesize|file-size|b|count", "--size BYTES (of each target)"},
    {"t|bs|blocksize|block-size|record", "--transfer BYTES"},
    {"o|d|dir|directory|path|out|target|targets", "weir targets PATH... (words that stand alone)"},
    {"np|n|nprocs|ntasks|numjobs|jobs|threads|numthreads",
     "mpiexec -n NUMBER weir targets, and --ranks-per-target NUMBER"},
    {"repeat|repeats|loops|iterations|runs", "-i NUMBER"},
    {"ost|osts|pool", "--lustre DIRECTORY:POOL"},
    {"device|dev", "--devices PATH..."},
    {"readonly|r", "--read-only"},
    {"iodepth|qd", "--depth NUMBER"},
    {"k|keep-files", "--keep"},
    {0},
};
