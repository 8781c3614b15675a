/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of md-workbench 4.1's options, of what we add to them, and of what is done in place of a
 * run; and words of other programs. Long names beside -G and -o are ours. */
#include "options.h"

#define AT(member) WEIR_OPTION_AT(struct weir_mdworkbench_config, member)

#define COUNT_MAX (INT64_C(1) << 28) /* what data sets have numbers for */

/* One row per option of md-workbench 4.1, by letter, then those without one. */
static const struct weir_option rows[] = {
    {'1', "run-precreate", WEIR_OPTION_FLAG, AT(runs_precreate),
     .help = "make the directories and objects; of -1, -2 and -3 those that are given are done, "
             "without any of them all",
     .since = "4.0"},
    {'2', "run-benchmark", WEIR_OPTION_FLAG, AT(runs_benchmark),
     .help = "the phase that is measured, -R times", .since = "4.0"},
    {'3', "run-cleanup", WEIR_OPTION_FLAG, AT(runs_cleanup),
     .help = "remove objects and directories", .since = "4.0",
     .better = "what was there before, and what is none of the test's, stays there and is named"},
    {'a', "api", WEIR_OPTION_TEXT, AT(api), "POSIX", .help = "backend, see weir backends",
     .since = "4.0", .better = "an unknown name is refused with the names that there are"},
    {'D', "data-sets", WEIR_OPTION_COUNT, AT(data_sets), "10", .least = 1, .most = 1 << 20,
     .help = "data sets, which are directories, of each task", .since = "4.0"},
    {'G', "seed", WEIR_OPTION_INTEGER, AT(seed), "-1",
     .help = "seed of the data, to verify them in a later run; -1: a new one", .since = "4.0",
     .better = "seldom needed: stamps in the data hold what they were written with"},
    {'I', "obj-per-proc", WEIR_OPTION_COUNT, AT(objects), "1000", .least = 1, .most = COUNT_MAX,
     .help = "objects of each data set that an iteration works on", .since = "4.0"},
    {'L', "latency", WEIR_OPTION_TEXT, AT(latency),
     .help = "files with the times of single operations, whose names begin so", .since = "4.0",
     .better = "start and duration of each operation on task 0 to the nanosecond; written after "
               "each iteration, outside of its time"},
    {'o', "output-directory", WEIR_OPTION_TEXT, AT(directory), "./out",
     .help = "directory in which the data sets are", .since = "4.0",
     .better = "what is none of the test's stays"},
    {'O', "offset", WEIR_OPTION_COUNT, AT(offset), "1", .most = 1 << 20,
     .help = "a task works on objects of data set d that lie so many tasks times d + 1 before it, "
             "and makes new ones as far behind it; 0: on its own",
     .since = "4.0"},
    {'P', "precreate-per-set", WEIR_OPTION_COUNT, AT(precreated), "3000", .least = 1,
     .most = COUNT_MAX, .help = "objects of each data set that there are at any time",
     .since = "4.0"},
    {'q', "quiet", WEIR_OPTION_FLAG, AT(quiet), .help = "leave the line of arguments out",
     .since = "4.0"},
    {'R', "iterations", WEIR_OPTION_COUNT, AT(iterations), "3", .least = 1, .most = 1 << 16,
     .help = "how often the benchmark is repeated", .since = "4.0"},
    {'S', "object-size", WEIR_OPTION_SIZE, AT(object_bytes), "3901", .help = "bytes of an object",
     .since = "4.0", .better = "1.5k is 1536, and what is no size is refused"},
    {'t', "waiting-time", WEIR_OPTION_SECONDS, AT(waiting_ns), "0",
     .help =
         "pause after each operation of the benchmark, in parts of the time that it took: 1 is as "
         "long",
     .since = "4.0", .better = "to the microsecond; printed at the end of the line"},
    {'T', "adaptive-waiting", WEIR_OPTION_FLAG, AT(adaptive_waiting),
     .help =
         "each iteration is done without pauses and then with 1/16, 1/8 and so on up to 4 times "
         "what operations take: the lines show at which rate the storage is not saturated",
     .since = "4.0", .better = "the line of each says its waiting time"},
    {'v', "verbose", WEIR_OPTION_FLAG, AT(verbose),
     .help = "accepted, with a remark: there is no more to print", .since = "4.0"},
    {'w', "stonewall-timer", WEIR_OPTION_SECONDS, AT(deadline_ns), "0",
     .help = "end an iteration after this time; with -W, or with --read-only", .since = "4.0",
     .better = "without -W only where nothing moves: tasks would move the working set by different "
               "numbers, and miss objects of others"},
    {'W', "stonewall-wear-out", WEIR_OPTION_FLAG, AT(wear_out),
     .help = "with -w: all tasks go on to the count of the furthest", .since = "4.0"},
    {'X', "verify-read", WEIR_OPTION_FLAG, AT(verify_read), .help = "verify what is read",
     .since = "4.0",
     .better = "misplaced, stale and torn data are found too, and reported with place and kind; "
               "wrong data make the exit code 1"},
    {0, "dataPacketType", WEIR_OPTION_CHOICE, AT(data_packet_type), "timestamp",
     "offset|incompressible|timestamp|random|...",
     .help = "what is written; the first letter decides", .since = "4.0",
     .better = "data that prove their place, and are incompressible with i and r; the original's "
               "own bytes with --data ior"},
    {0, "ignore-precreate-errors", WEIR_OPTION_FLAG, AT(ignores_precreate_errors),
     .help = "operations that fail are counted, and the run goes on", .since = "4.0"},
    {0, "latency-all", WEIR_OPTION_FLAG, AT(latency_all),
     .help = "with -L: files of all tasks, called -all", .since = "4.0",
     .better = "the tasks follow one another in the file"},
    {0, "print-detailed-stats", WEIR_OPTION_FLAG, AT(detailed_stats),
     .help = "a table in place of the lines of phases", .since = "4.0"},
    {0, "process-reports", WEIR_OPTION_FLAG, AT(process_reports),
     .help = "lines for single tasks behind those of phases", .since = "4.0",
     .better = "to the nanosecond"},
    {0, "read-only", WEIR_OPTION_FLAG, AT(read_only),
     .help = "the benchmark stats and reads, and the working set stays where it is",
     .since = "4.0"},
    {0, "run-info-file", WEIR_OPTION_TEXT, AT(run_info_path), "md-workbench.status",
     .help = "file with the place of the working set, for a later run", .since = "4.0",
     .better = "a file that holds something else is neither read nor overwritten"},
    {0, "start-item", WEIR_OPTION_COUNT, AT(start_item), "0", .most = COUNT_MAX,
     .help = "the first object of the working set; 0: as the file of --run-info-file says",
     .since = "4.0"},
    {0},
};

const struct weir_option_set weir_mdworkbench_option_set = {"md-workbench", rows,
                                                            sizeof(struct weir_mdworkbench_config)};

/* ---- what we add ---- */

#define OURS(member) WEIR_OPTION_AT(struct weir_mdworkbench_additions, member)

static const struct weir_option addition_rows[] = {
    WEIR_SUMMARY_ROWS(OURS(summary_path), OURS(summary_format)),
};

const struct weir_option_set weir_mdworkbench_addition_set = {
    "Weir for md-workbench", addition_rows, sizeof(struct weir_mdworkbench_additions)};

static const struct weir_option order_rows[] = {WEIR_ORDER_ROWS("4.0")};

const struct weir_option_set weir_mdworkbench_order_set = {"in place of a run", order_rows,
                                                           sizeof(struct weir_orders)};

/* ---- words of others ---- */

const struct weir_foreign_word weir_mdworkbench_foreign_words[] = {
    {"skew", "weir mdtest --skew (crowded directories: data sets are alike in size)"},
    {"n|files|nrfiles|items|objects", "-P NUMBER and -I NUMBER (objects of each data set)"},
    {"d|dir|directory|path|testFile|target|out", "-o DIRECTORY"},
    {"size|filesize|file-size|bs|blocksize|record", "-S BYTES"},
    {"np|nprocs|numprocs|ntasks|numjobs|jobs|threads|procs|processes|tasks|ranks|hosts",
     "mpiexec -n NUMBER weir ...: the launcher starts the ranks"},
    {"i|repeat|repeats|repetitions|loops|iter|runs", "-R NUMBER (iterations)"},
    {"create|precreate", "-1"},
    {"benchmark|bench", "-2"},
    {"delete|remove|unlink|cleanup|clean|rm|r", "-3"},
    {"verify|check|crc|checkRead", "-X (verify what is read)"},
    {"format|output-format", "--summaryFormat default|JSON|CSV"},
    {"json", "--summaryFormat JSON"},
    {"csv", "--summaryFormat CSV"},
    {"silent|brief|short", "--plain (md-workbench's lines alone)"},
    {"dry|dry-run|dryRun|print", "--explain (print what would be done), or -a DUMMY"},
    {"force", "--overwrite (what this program did not make may be lost)"},
    {0},
};
