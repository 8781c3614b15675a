/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of dd's operands, of what we add to them, and of what is done in place of a run. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_dd_operands, member)
#define OURS(member) WEIR_OPTION_AT(struct weir_dd_additions, member)

#define SINCE .since = WEIR_DD_RELEASE, .is_operand = true
#define NUMBER_HELP                                                                                \
    "with suffixes c (1), w (2), b (512), kB (1000), K or KiB (1024), MB, M, GB, G and so on, "    \
    "and "                                                                                         \
    "products such as 2x512"

static const struct weir_option operand_rows[] = {
    {0, "if", WEIR_OPTION_TEXT, AT(input),
     .help =
         "read this file, which of=/dev/null goes with; %r in its name is the number of the rank; "
         "/dev/zero or /dev/urandom: write",
     SINCE,
     .better = "what is written proves its place: stamps for /dev/zero, and a word for each "
               "8 bytes, which nothing compresses, for /dev/urandom; the first line of the report "
               "says it. Zeros are not written"},
    {0, "of", WEIR_OPTION_TEXT, AT(output),
     .help = "write this file, %r in its name is the number of the rank; /dev/null: read", SINCE,
     .better = "%r in the name is the number of the rank (and %% then a percent sign): a file for "
               "each; without it all ranks write their parts of one file. Files that no benchmark "
               "made are not overwritten without --overwrite"},
    {0, "bs", WEIR_OPTION_TEXT, AT(bs),
     .help = "bytes of a block, 512 if nothing is given; " NUMBER_HELP, SINCE},
    {0, "ibs", WEIR_OPTION_TEXT, AT(ibs), .help = "the same as bs, if obs is as much", SINCE},
    {0, "obs", WEIR_OPTION_TEXT, AT(obs), .help = "the same as bs, if ibs is as much", SINCE},
    {0, "count", WEIR_OPTION_TEXT, AT(count),
     .help = "blocks of each rank; with a B in it (64MB, 1000B), bytes", SINCE,
     .better = "must be given: nothing is written until there is no room left"},
    {0, "skip", WEIR_OPTION_TEXT, AT(skip), .help = "0: each rank begins where its part does",
     SINCE, .better = "anything else is refused"},
    {0, "seek", WEIR_OPTION_TEXT, AT(seek), .help = "0: each rank begins where its part does",
     SINCE, .better = "anything else is refused"},
    {0, "iflag", WEIR_OPTION_TEXT, AT(iflag),
     .help = "of reads, with commas between them: direct (as --direct), fullblock", SINCE,
     .better = "what has no use in a benchmark is refused by name; a block is always read in full"},
    {0, "oflag", WEIR_OPTION_TEXT, AT(oflag),
     .help = "of writes: direct, dsync and sync (both: a sync after each block)", SINCE,
     .better = "what has no use in a benchmark is refused by name"},
    {0, "conv", WEIR_OPTION_TEXT, AT(conv),
     .help = "of writes: fsync, fdatasync (both: a sync before the close, inside of the time), "
             "notrunc (an old file is not made anew)",
     SINCE, .better = "what would change data is refused by name"},
    {0, "status", WEIR_OPTION_CHOICE, AT(status), "default", "default|none|noxfer|progress",
     .help = "dd's lines: none of them, those of records alone (noxfer), or a line each second "
             "while it runs (progress)",
     SINCE},
    {0, "iseek", WEIR_OPTION_TEXT, .help = "the same as skip", SINCE,
     .refusal = "each rank begins where its part of the file does: leave it out"},
    {0, "oseek", WEIR_OPTION_TEXT, .help = "the same as seek", SINCE,
     .refusal = "each rank begins where its part of the file does: leave it out"},
    {0, "cbs", WEIR_OPTION_TEXT, .help = "bytes of records that are converted", SINCE,
     .refusal = "data are made and not converted: leave it out"},
    {0},
};

const struct weir_option_set weir_dd_operand_set = {"dd", operand_rows,
                                                    sizeof(struct weir_dd_operands)};

static const struct weir_option addition_rows[] = {
    {'a', "api", WEIR_OPTION_TEXT, OURS(api), "POSIX", .help = "backend, see weir backends"},
    {0, "device", WEIR_OPTION_CHOICE, OURS(device), NULL, "allow|force",
     .help = "of= may be a block device, whose data are lost; force: even if it is mounted or "
             "carries a file system"},
    {0, "each-rank", WEIR_OPTION_FLAG, OURS(each_rank),
     .help = "dd's lines of each rank before those of all"},
    {0, "rank-order", WEIR_OPTION_TEXT, OURS(rank_order),
     .help = "which process is which rank: round-robin (one of each node in turn), packed (node by "
             "node), or hosts with commas between them, of rank 0, of rank 1 and so on"},
    WEIR_SUMMARY_ROWS(OURS(summary_path), OURS(summary_format)),
};

static const struct weir_option_set addition_set = {"Weir for dd", addition_rows,
                                                    sizeof(struct weir_dd_additions)};

static const struct weir_option order_rows[] = {WEIR_ORDER_ROWS(WEIR_DD_RELEASE)};

static const struct weir_option_set order_set = {"in place of a run", order_rows,
                                                 sizeof(struct weir_orders)};

static const struct weir_foreign_word foreign_words[] = {
    {"np|nprocs|ranks", "mpiexec -n NUMBER weir dd ...: the launcher starts the ranks"},
    {0},
};

const struct weir_front_tables weir_dd_tables = {
    .place = "dd",
    .title = "dd",
    .release = WEIR_DD_RELEASE,
    .options = &weir_dd_operand_set,
    .additions = &addition_set,
    .orders = &order_set,
    .foreign = foreign_words,
};
