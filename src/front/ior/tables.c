/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of IOR 4.1's options and directives, of what we add to them, and of what is done in
 * place of a run. */
#include "options.h"

/* ---- IOR 4.1 ---- */

#define AT(member) WEIR_OPTION_AT(struct weir_ior_config, member)

static const char gpu_refusal[] =
    "GPU buffers are not built; leave it out, and buffers are in host memory";
static const char sizes_better[] = "1.5g is 1536 MiB, and what is no size is refused";
static const char decimals_better[] = "decimals and units count: 0.5, 90s, 1.5h";
static const char verify_better[] =
    "misplaced, stale and torn data are found too, and reported with place and kind; the time it "
    "takes is reported apart";

/* One row per option of IOR 4.1, by letter, then those without one. Long names are the keys of
 * IOR's directives. */
static const struct weir_option ior_rows[] = {
    {'a', "api", WEIR_OPTION_TEXT, AT(api), "POSIX", .help = "backend, see weir backends",
     .since = "2.10", .better = "an unknown name is refused with the names that there are"},
    {'A', "refNum", WEIR_OPTION_INTEGER, AT(reference_number),
     .help = "a number of your own, repeated in the summary", .since = "2.10"},
    {'b', "blockSize", WEIR_OPTION_SIZE, AT(block_bytes), "1m",
     .help = "bytes in a row per task and segment, such as 8, 4k, 2m, 1g", .since = "2.10",
     .better = sizes_better},
    {'c', "collective", WEIR_OPTION_FLAG, AT(collective), .help = "collective transfers",
     .since = "2.10", .better = "says so where the backend has none"},
    {'C', "reorderTasksConstant", WEIR_OPTION_FLAG, AT(reorder_tasks),
     .help = "read what a task -Q nodes away has written, past the cache of the own node",
     .since = "2.10", .better = "right with unequal numbers of tasks per node"},
    {0, "reorderTasks", WEIR_OPTION_FLAG, AT(reorder_tasks), .help = "the same as -C",
     .since = "2.10"},
    {'d', "interTestDelay", WEIR_OPTION_DELAY, AT(inter_test_delay_ns),
     .help = "seconds to sleep before each write and each read phase", .since = "2.10",
     .better = decimals_better},
    {'D', "deadlineForStonewalling", WEIR_OPTION_SECONDS, AT(deadline_ns),
     .help = "seconds after which a write or read phase stops; 0: never", .since = "2.10",
     .better = decimals_better},
    {'e', "fsync", WEIR_OPTION_FLAG, AT(fsync),
     .help = "sync after the last write of a task, inside of the timing", .since = "2.10"},
    {'E', "useExistingTestFile", WEIR_OPTION_FLAG, AT(use_existing_test_file),
     .help = "write into an existing file without removing it first", .since = "2.10"},
    {'f', "scriptFile", WEIR_OPTION_TEXT, AT(script_path),
     .help = "read the tests from this script", .since = "2.10",
     .better = "lines may have any length, and errors of a line name it"},
    {'F', "filePerProc", WEIR_OPTION_FLAG, AT(file_per_process), .help = "a file for each task",
     .since = "2.10"},
    {'g', "intraTestBarriers", WEIR_OPTION_FLAG, AT(intra_test_barriers),
     .help = "barriers between opening, moving data and closing", .since = "2.10"},
    {'G', "setTimeStampSignature", WEIR_OPTION_INTEGER, AT(signature),
     .help = "seed of the data, to verify it in a later run; 0: a new one", .since = "2.10",
     .better = "seldom needed: stamps in the data hold what they were written with"},
    {'i', "repetitions", WEIR_OPTION_INTEGER, AT(repetitions), "1",
     .help = "how often the test is repeated", .since = "2.10"},
    {'j', "outlierThreshold", WEIR_OPTION_SECONDS, AT(outlier_threshold_ns),
     .help = "warn of ranks whose opening, transfers, closing, start or end is this many seconds "
             "from the mean; 0: never",
     .since = "2.10", .better = decimals_better},
    {'k', "keepFile", WEIR_OPTION_FLAG, AT(keep_file), .help = "do not remove the files",
     .since = "2.10"},
    {'K', "keepFileWithError", WEIR_OPTION_FLAG, AT(keep_file_with_error),
     .help = "keep the files if verification failed", .since = "2.10"},
    {'l', "dataPacketType", WEIR_OPTION_CHOICE, AT(data_packet_type), "timestamp",
     "offset|incompressible|timestamp|random|...",
     .help = "what is written; the first letter decides", .since = "3.2",
     .better = "data that prove their place, and are incompressible with i and r; IOR's own bytes "
               "with --data ior"},
    {'m', "multiFile", WEIR_OPTION_FLAG, AT(multi_file), .help = "new files in each repetition",
     .since = "2.10"},
    {'M', "memoryPerNode", WEIR_OPTION_TEXT, AT(memory_per_node),
     .help = "memory to take from each node while the test runs, such as 2g or 75%", .since = "3.2",
     .better = "2g is 2 GiB and not 2 percent"},
    {0, "memoryPerTask", WEIR_OPTION_SIZE, AT(memory_per_task),
     .help = "memory that each task takes while the test runs", .since = "3.2",
     .better = sizes_better},
    {'N', "numTasks", WEIR_OPTION_INTEGER, AT(task_count), "-1",
     .help = "use only the first of the tasks; -1 or 0: all", .since = "2.10"},
    {'o', "testFile", WEIR_OPTION_TEXT, AT(test_file), "testFile",
     .help =
         "file to write and read; with -F a list such as /a/f@/b/f, in which @@ is an @ of a name",
     .since = "2.10",
     .better = "a file that holds no data of a benchmark is left alone without --overwrite"},
    {'O', NULL, WEIR_OPTION_DIRECTIVES,
     .help = "key=value with commas between them; a key is a long name of this help",
     .since = "2.10"},
    {'Q', "taskPerNodeOffset", WEIR_OPTION_COUNT, AT(task_per_node_offset), "1",
     .help = "nodes between writer and reader: with -C just as many, with -Z at least",
     .since = "2.10"},
    {'r', "readFile", WEIR_OPTION_FLAG, AT(read_file), .help = "read", .since = "2.10"},
    {'R', "checkRead", WEIR_OPTION_FLAG, AT(check_read), .help = "read, and verify what is read",
     .since = "2.10", .better = verify_better},
    {'s', "segmentCount", WEIR_OPTION_COUNT, AT(segment_count), "1", .help = "number of segments",
     .since = "2.10"},
    {'t', "transferSize", WEIR_OPTION_SIZE, AT(transfer_bytes), "256k",
     .help = "bytes per transfer, such as 8, 4k, 2m", .since = "2.10", .better = sizes_better},
    {'T', "maxTimeDuration", WEIR_OPTION_MINUTES, AT(max_time_ns),
     .help = "minutes after which no further phase is begun; 0: no limit", .since = "2.10",
     .better = "all tasks decide alike; decimals and units count"},
    {'u', "uniqueDir", WEIR_OPTION_FLAG, AT(unique_dir),
     .help = "with -F: a directory for each file", .since = "2.10",
     .better = "with a list of names too, and directories go with their files"},
    {'v', "verbose", WEIR_OPTION_FLAG, AT(verbose), .help = "say more; -vv yet more",
     .since = "2.10", .better = "never shows the environment, and never sleeps"},
    {'w', "writeFile", WEIR_OPTION_FLAG, AT(write_file), .help = "write", .since = "2.10"},
    {'W', "checkWrite", WEIR_OPTION_FLAG, AT(check_write),
     .help = "after the write read everything back and verify it, untimed", .since = "2.10",
     .better = verify_better},
    {'x', "singleXferAttempt", WEIR_OPTION_FLAG, AT(single_transfer_attempt),
     .help = "a short transfer is an error and not continued", .since = "2.10"},
    {'X', "reorderTasksRandomSeed", WEIR_OPTION_INTEGER, AT(reorder_tasks_random_seed),
     .help = "seed of -Z; below 0: the number of the repetition is added", .since = "2.10"},
    {'y', "dualMount", WEIR_OPTION_FLAG, AT(dual_mount),
     .help = "with -F: the file is data in a directory per processor package, /mnt0/data for -o "
             "/mnt",
     .since = "4.1"},
    {'Y', "fsyncPerWrite", WEIR_OPTION_FLAG, AT(fsync_per_write), .help = "sync after each write",
     .since = "2.10", .better = "one sync per write, not two"},
    {'z', "randomOffset", WEIR_OPTION_FLAG, AT(random_offset),
     .help = "transfers in random order; -z -z: random blocks, which may repeat", .since = "2.10",
     .better = "equal shares for all tasks, and no list to be made and kept; -z -z writes too"},
    {'Z', "reorderTasksRandom", WEIR_OPTION_FLAG, AT(reorder_tasks_random),
     .help = "read what a random task has written; -Z -Z: any, near or far", .since = "2.10",
     .better = "no two tasks read the same"},
    {0, "random-offset-seed", WEIR_OPTION_INTEGER, AT(random_offset_seed), "-1",
     .help = "seed of -z; -1: a new one", .since = "4.1"},
    {0, "warningAsErrors", WEIR_OPTION_FLAG, AT(warning_as_errors),
     .help = "a warning makes the exit code 1", .since = "4.0",
     .better = "the run is finished first"},
    {0, "dryRun", WEIR_OPTION_FLAG, AT(dry_run), .help = "go through the motions without any I/O",
     .since = "3.3", .better = "reports are valid"},
    {0, "stoneWallingWearOut", WEIR_OPTION_FLAG, AT(wear_out),
     .help = "after the deadline all tasks go on to the count of the furthest", .since = "3.2"},
    {0, "stoneWallingWearOutIterations", WEIR_OPTION_COUNT, AT(wear_out_iterations),
     .help = "stop after this many transfers per task; 0: no limit", .since = "3.2"},
    {0, "stoneWallingStatusFile", WEIR_OPTION_TEXT, AT(status_path),
     .help = "a write keeps its count of transfers there, and a read takes it from there",
     .since = "3.2", .better = "a file that holds no count is an error and no hang"},
    {0, "minTimeDuration", WEIR_OPTION_SECONDS, AT(min_time_ns),
     .help = "seconds a phase shall last: it starts again from the beginning of the file",
     .since = "4.1", .better = decimals_better},
    {0, "interIODelay", WEIR_OPTION_MICROSECONDS, AT(inter_io_delay_ns),
     .help = "microseconds to sleep after each transfer", .since = "4.1",
     .better = decimals_better},
    {0, "summaryFile", WEIR_OPTION_TEXT, AT(summary_path),
     .help = "the report goes there and not to standard output", .since = "3.2"},
    {0, "summaryFormat", WEIR_OPTION_CHOICE, AT(summary_format), "default",
     "default|JSON|CSV|JUnit|TAP", .help = "format of the report", .since = "3.2",
     .better = "JSON and CSV that always parse, without warnings in between"},
    {0, "summaryAlways", WEIR_OPTION_FLAG, AT(summary_always),
     .help = "with -v: print the rows of the summary after each test as well", .since = "3.2"},
    {0, "useO_DIRECT", WEIR_OPTION_FLAG, AT(use_o_direct), .help = "the same as --posix.odirect",
     .since = "2.10"},
    {0, "debug", WEIR_OPTION_TEXT, AT(debug), .help = "a remark, kept with the result",
     .since = "4.1"},
    {0, "platform", WEIR_OPTION_TEXT, AT(platform),
     .help = "name of the machine, kept with the result", .since = "3.2"},
    {0, "randomPrefill", WEIR_OPTION_SIZE, AT(prefill_bytes),
     .help = "with -z: fill the file first, in order and with transfers of this size",
     .since = "4.1", .better = "outside of the timing"},
    {0, "gpuDirect", WEIR_OPTION_FLAG, .help = "transfers between GPU and file without the host",
     .refusal = gpu_refusal, .since = "4.1"},
    {0, "allocateBufferOnGPU", WEIR_OPTION_FLAG, .help = "buffers in the memory of a GPU",
     .refusal = gpu_refusal, .since = "4.1"},
    {0, "GPUid", WEIR_OPTION_INTEGER, .help = "which GPU", .refusal = gpu_refusal, .since = "4.1"},
    {0, "saveRankPerformanceDetailsCSV", WEIR_OPTION_TEXT, AT(rank_csv_path),
     .help = "file for the figures of each rank", .since = "4.1",
     .better = "throughput of what each rank moved"},
    {0, "savePerOpDataCSV", WEIR_OPTION_TEXT, AT(op_csv_prefix),
     .help = "what the files begin with that keep the figures of each transfer, one per rank",
     .since = "4.1",
     .better = "write and read have files of their own, written outside of the timing"},
    {0, "numNodes", WEIR_OPTION_INTEGER, AT(node_count), "-1",
     .help = "count as this many nodes; -1: as they are", .since = "4.1"},
    {0, "numTasksOnNode0", WEIR_OPTION_INTEGER, AT(tasks_on_node_0), "-1",
     .help = "count as this many tasks on the first node; -1: as they are", .since = "4.1"},
    {0, "aio.max-pending", WEIR_OPTION_COUNT, AT(aio_max_pending), "128",
     .help = "with -a AIO: transfers in flight per task, 8 or more", .since = "4.0",
     .better = "also for data that are verified; --depth goes before it"},
    {0, "aio.granularity", WEIR_OPTION_COUNT, AT(aio_granularity), "16",
     .help = "with -a AIO: transfers that are handed over at once, up to aio.max-pending",
     .since = "4.0", .better = "one system call for all of them; --batch goes before it"},
    {0},
};

const struct weir_option_set weir_ior_option_set = {"IOR", ior_rows,
                                                    sizeof(struct weir_ior_config)};

/* ---- what we add ---- */

#define OURS(member) WEIR_OPTION_AT(struct weir_ior_additions, member)

static const struct weir_option addition_rows[] = {
    {0, "warnings-as-errors", WEIR_OPTION_FLAG, .alias = "warningAsErrors",
     .help = "the same as --warningAsErrors"},
    {0, "compat", WEIR_OPTION_TEXT, OURS(compat),
     .help = "print the layout of this IOR: 2.10, 3.0, 3.2, 3.3, 4.0 or 4.1, and its bare version; "
             "without, that of 4.1"},
    {0, "keep-open", WEIR_OPTION_FLAG, OURS(keeps_open),
     .help = "the reads of a repetition use the file that its write opened: it is closed after the "
             "last of them"},
    {0, "batch", WEIR_OPTION_COUNT, OURS(batch),
     .help = "transfers that are handed over and waited for at once; 0: as the backend has it"},
    {0, "device", WEIR_OPTION_CHOICE, OURS(device), NULL, "allow|force",
     .help = "-o names block devices, whose data may be lost; force: even if they are mounted or "
             "carry a file system"},
    {0, "read-percent", WEIR_OPTION_INTEGER, OURS(read_percent), "-1",
     .help = "after the write, or in a file that is filled first, a mixed phase in which this "
             "share of the transfers reads and the others write; -1: none"},
    {0},
};

const struct weir_option_set weir_ior_addition_set = {"Weir for IOR", addition_rows,
                                                      sizeof(struct weir_ior_additions)};

static const struct weir_option order_rows[] = {WEIR_ORDER_ROWS("2.10")};

const struct weir_option_set weir_ior_order_set = {"in place of a run", order_rows,
                                                   sizeof(struct weir_orders)};
