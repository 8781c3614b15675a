/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of mdtest 4.1's options, of what we add to them, and of what is done in place of a run.
 * mdtest has letters for most of them; their long names are ours, after the variables that it shows
 * at -v. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_mdtest_config, member)

static const char gpu_refusal[] =
    "GPU buffers are not built; leave it out, and buffers are in host memory";
static const char decimals_better[] = "decimals and units count: 0.5, 90s, 1.5h";
static const char sizes_better[] = "1.5g is 1536 MiB, and what is no size is refused";
static const char verify_better[] =
    "misplaced, stale and torn data are found too, and reported with place and kind; wrong data "
    "make the exit code 1";

/* One row per option of mdtest 4.1, by letter, then those without one. */
static const struct weir_option mdtest_rows[] = {
    {'a', "api", WEIR_OPTION_TEXT, AT(api), "POSIX", .help = "backend, see weir backends",
     .since = "3.2", .better = "an unknown name is refused with the names that there are"},
    {'b', "branch-factor", WEIR_OPTION_INTEGER, AT(branching), "1",
     .help = "directories in each directory of the tree", .since = "1.9"},
    {'B', "no-barriers", WEIR_OPTION_FLAG, AT(no_barriers),
     .help = "no barriers between phases: accepted, as no time of a phase holds one",
     .since = "1.9", .better = "takes no value, and does not end the run"},
    {'c', "collective-creates", WEIR_OPTION_FLAG, AT(by_first_rank),
     .help = "task 0 makes and removes the items of all tasks", .since = "1.9"},
    {'C', "create-only", WEIR_OPTION_FLAG, AT(create_only), .help = "create files and directories",
     .since = "1.9"},
    {'d', "dirpath", WEIR_OPTION_TEXT, AT(directories), "./out",
     .help = "directory in which the trees are; with -u a list such as /a@/b, in which @@ is an @ "
             "of a name",
     .since = "1.9",
     .better = "what was there before, and what is none of the test's, stays there and is named"},
    {'D', "dirs-only", WEIR_OPTION_FLAG, AT(directories_only), .help = "directories only, no files",
     .since = "1.9"},
    {'e', "read-bytes", WEIR_OPTION_SIZE, AT(read_bytes), .help = "bytes to read from each file",
     .since = "1.9", .better = sizes_better},
    {'E', "read-only", WEIR_OPTION_FLAG, AT(read_only), .help = "read files", .since = "1.9"},
    {'f', "first", WEIR_OPTION_INTEGER, AT(first_task_count), "1",
     .help = "with -l: the first number of tasks", .since = "1.9"},
    {'F', "files-only", WEIR_OPTION_FLAG, AT(files_only), .help = "files only, no directories",
     .since = "1.9"},
    {'G', "random-buffer-offset", WEIR_OPTION_INTEGER, AT(seed), "-1",
     .help = "seed of the data, to verify them in a later run; -1: a new one", .since = "4.0",
     .better = "seldom needed: stamps in the data hold what they were written with"},
    {'i', "iterations", WEIR_OPTION_INTEGER, AT(iterations), "1",
     .help = "how often the test is repeated", .since = "1.9"},
    {'I', "items-per-dir", WEIR_OPTION_COUNT, AT(items_per_directory),
     .help = "items of each task in each directory of the tree", .since = "1.9"},
    {'k', "make-node", WEIR_OPTION_FLAG, AT(makes_nodes),
     .help = "make files with mknod, without opening them", .since = "3.3"},
    {'l', "last", WEIR_OPTION_INTEGER, AT(last_task_count),
     .help = "the last number of tasks, from -f on in steps of -s; 0: all tasks, once",
     .since = "1.9"},
    {'L', "leaf-only", WEIR_OPTION_FLAG, AT(only_leaves),
     .help = "items only in the deepest directories of the tree", .since = "1.9"},
    {'n', "items", WEIR_OPTION_COUNT, AT(items),
     .help = "items of each task: so many files, and so many directories", .since = "1.9",
     .better = "where the directories of the tree do not divide it, a remark says what is made"},
    {'N', "nstride", WEIR_OPTION_COUNT, AT(rank_stride),
     .help = "what a task stats, reads and removes is that of the task so many nodes away (on one "
             "node: tasks), twice and three times as far: past the cache of the own node",
     .since = "1.9", .better = "with -u and a tree, too, and right with unequal tasks per node"},
    {'p', "pre-delay", WEIR_OPTION_SECONDS, AT(delay_ns),
     .help = "seconds to sleep before each iteration", .since = "1.9", .better = decimals_better},
    {'P', "print-rate-and-time", WEIR_OPTION_FLAG, AT(print_both), .help = "print rates and times",
     .since = "3.3"},
    {'r', "remove-only", WEIR_OPTION_FLAG, AT(remove_only),
     .help = "remove files and directories, also those of an earlier run", .since = "1.9"},
    {'R', "random-order", WEIR_OPTION_FLAG, AT(random_order),
     .help = "stat and read in random order", .since = "1.9",
     .better = "no list to be made and kept; --shuffle has all phases do so"},
    {'s', "stride", WEIR_OPTION_INTEGER, AT(task_stride), "1",
     .help = "with -l: from one number of tasks to the next", .since = "1.9"},
    {'S', "shared-file", WEIR_OPTION_FLAG, AT(shared_files),
     .help = "all tasks work on the same files; no directories", .since = "1.9"},
    {'t', "time-unique-dir-overhead", WEIR_OPTION_FLAG, AT(time_change),
     .help = "accepted: tasks do not change into directories, which would take time",
     .since = "1.9"},
    {'T', "stat-only", WEIR_OPTION_FLAG, AT(stat_only), .help = "stat files and directories",
     .since = "1.9"},
    {'u', "unique-dir-per-task", WEIR_OPTION_FLAG, AT(own_directory),
     .help = "a tree for each task, which makes and removes it", .since = "1.9"},
    {'U', "rename-dirs", WEIR_OPTION_FLAG, AT(rename_directories),
     .help = "rename directories: each gets the name of the one before it", .since = "4.1"},
    {'v', "verbose", WEIR_OPTION_FLAG, AT(verbose),
     .help = "print the figures of each phase as it ends", .since = "1.9",
     .better = "one line each, not one per task; a remark beyond the first level"},
    {'V', "verbosity", WEIR_OPTION_COUNT, AT(verbosity), .help = "the same as so many -v",
     .since = "1.9"},
    {'w', "write-bytes", WEIR_OPTION_SIZE, AT(write_bytes),
     .help = "bytes to write to each file when it is made", .since = "1.9", .better = sizes_better},
    {'W', "stone-wall-timer-seconds", WEIR_OPTION_SECONDS, AT(deadline_ns),
     .help = "seconds after which items are no longer made, but for those that another task is "
             "ahead; later phases work on what was made; 0: never",
     .since = "3.2",
     .better = "decimals and units count; trees of any shape, and directories as well"},
    {'x', "stone-wall-status-file", WEIR_OPTION_TEXT, AT(status_path),
     .help =
         "what makes files keeps their number per task there, and other runs take it from there",
     .since = "3.2", .better = "a file that holds no count is an error"},
    {'X', "verify-read", WEIR_OPTION_FLAG, AT(verify_read), .help = "verify what is read",
     .since = "3.3", .better = verify_better},
    {'y', "sync-file", WEIR_OPTION_FLAG, AT(sync_files),
     .help = "sync each file before it is closed, inside of the timing", .since = "1.9"},
    {'Y', "call-sync", WEIR_OPTION_FLAG, AT(sync_all),
     .help = "sync the file system after each phase, inside of the timing", .since = "3.3",
     .better = "a system call, and no shell"},
    {'z', "tree-depth", WEIR_OPTION_INTEGER, AT(depth), .help = "levels of the tree below its top",
     .since = "1.9"},
    {'Z', "print-time", WEIR_OPTION_FLAG, AT(print_time), .help = "print times in place of rates",
     .since = "3.2", .better = "in the unit that the title names"},
    {0, "verify-write", WEIR_OPTION_FLAG, AT(verify_write),
     .help = "read back and verify each file before it is closed", .since = "4.0",
     .better = verify_better},
    {0, "dataPacketType", WEIR_OPTION_CHOICE, AT(data_packet_type), "timestamp",
     "offset|incompressible|timestamp|random|...",
     .help = "what is written; the first letter decides", .since = "4.0",
     .better = "data that prove their place, and are incompressible with i and r; mdtest's own "
               "bytes with --data ior"},
    {0, "print-all-procs", WEIR_OPTION_FLAG, AT(print_all_procs),
     .help = "print the figures of each task", .since = "4.0"},
    {0, "random-seed", WEIR_OPTION_INTEGER, AT(random_seed), .help = "seed of -R; 0: a new one",
     .since = "3.2"},
    {0, "run-cmd-before-phase", WEIR_OPTION_TEXT, AT(command_before),
     .help = "a command for the shell of each task before each phase on items, outside of the "
             "timing",
     .since = "4.0"},
    {0, "run-cmd-after-phase", WEIR_OPTION_TEXT, AT(command_after),
     .help = "a command for the shell of each task after each phase on items, inside of the timing",
     .since = "4.0", .better = "only when all tasks are done"},
    {0, "saveRankPerformanceDetails", WEIR_OPTION_TEXT, AT(rank_csv_path),
     .help = "file for the figures of each rank", .since = "4.0"},
    {0, "savePerOpDataCSV", WEIR_OPTION_TEXT, AT(op_csv_prefix),
     .help = "what the files begin with that keep the figures of each operation, one per rank",
     .since = "4.1", .better = "written outside of the timing; directories as well"},
    {0, "showRankStatistics", WEIR_OPTION_FLAG, AT(show_rank_statistics),
     .help = "columns for the figures of single tasks", .since = "4.0"},
    {0, "warningAsErrors", WEIR_OPTION_FLAG, AT(warning_as_errors),
     .help = "a warning makes the exit code 1", .since = "4.0",
     .better = "the run is finished first"},
    {0, "gpuDirect", WEIR_OPTION_FLAG, .help = "transfers between GPU and file without the host",
     .refusal = gpu_refusal, .since = "4.0"},
    {0, "allocateBufferOnGPU", WEIR_OPTION_FLAG, .help = "buffers in the memory of a GPU",
     .refusal = gpu_refusal, .since = "4.0"},
    {0, "GPUid", WEIR_OPTION_INTEGER, .help = "which GPU", .refusal = gpu_refusal, .since = "4.0"},
    {0, "aio.max-pending", WEIR_OPTION_COUNT, AT(aio_max_pending), "128",
     .help = "with -a AIO: transfers in flight: accepted, as a file is written in one",
     .since = "4.0", .better = "--depth has many files in flight"},
    {0, "aio.granularity", WEIR_OPTION_COUNT, AT(aio_granularity), "16",
     .help = "with -a AIO: transfers that are handed over at once: accepted likewise",
     .since = "4.0"},
    {0},
};

const struct weir_option_set weir_mdtest_option_set = {"mdtest", mdtest_rows,
                                                       sizeof(struct weir_mdtest_config)};

/* ---- older versions ---- */

static const struct weir_option old_rows[] = {
    {'g', "global-dir-layout", WEIR_OPTION_FLAG,
     .help = "builds for Lustre: directories spread over metadata servers",
     .refusal = "layouts of directories are not set here; leave it out, and say lfs setdirstripe "
                "for the directory of -d before",
     .since = "3.2"},
    {0},
};

const struct weir_option_set weir_mdtest_old_set = {"older mdtest", old_rows,
                                                    sizeof(struct weir_mdtest_config)};

/* ---- what we add ---- */

#define OURS(member) WEIR_OPTION_AT(struct weir_mdtest_additions, member)

static const struct weir_option addition_rows[] = {
    {0, "warnings-as-errors", WEIR_OPTION_FLAG, .alias = "warningAsErrors",
     .help = "the same as --warningAsErrors"},
    {0, "also", WEIR_OPTION_TEXT, OURS(also),
     .help = "further phases on what was made, with commas between them: stat, list, list-stat, "
             "lookup, open, chmod, setxattr, getxattr, link, symlink, rename"},
    {0, "compare-crowded", WEIR_OPTION_FLAG, OURS(compares_crowded),
     .help = "each test once more with all items of all tasks in one directory, and the ratios of "
             "the rates"},
    {0, "skew", WEIR_OPTION_TEXT, OURS(skew),
     .help = "ITEMS/DIRECTORIES: so many percent of the items are in so many percent of the "
             "directories, the first ones: 80/20"},
    {0, "shuffle", WEIR_OPTION_FLAG, OURS(shuffles),
     .help = "all phases in random order, and not only those of -R"},
    {0, "run-cmd-on", WEIR_OPTION_CHOICE, OURS(command_on), "task", "task|node|first",
     .help = "who runs the commands around phases: each task, the first task of each node, or task "
             "0 alone"},
    {0, "compat", WEIR_OPTION_TEXT, OURS(compat),
     .help = "print the layout of this mdtest: 1.9.3 (which is 3.2), 3.2, 3.3, 4.0 or 4.1, and its "
             "bare version; before 3.3 there is a # before the names of the test's directories; "
             "without, that of 4.1"},
    WEIR_SUMMARY_ROWS(OURS(summary_path), OURS(summary_format)),
};

const struct weir_option_set weir_mdtest_addition_set = {"Weir for mdtest", addition_rows,
                                                         sizeof(struct weir_mdtest_additions)};

static const struct weir_option order_rows[] = {WEIR_ORDER_ROWS("1.9")};

const struct weir_option_set weir_mdtest_order_set = {"in place of a run", order_rows,
                                                      sizeof(struct weir_orders)};
