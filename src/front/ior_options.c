/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's options and directives as rows, and the requests that receive their values. */
#include "ior_options.h"

#include <string.h>

/* ---- the tables ---- */

#define AT(member) offsetof(struct weir_ior_config, member)

static const char memory_refusal[] = "taking memory away to shrink the page cache is not "
                                     "built; use -C, --posix.odirect, or "
                                     "the memory limit of the batch system";
static const char gpu_refusal[] =
    "GPU buffers are not built; leave it out, and buffers are in host memory";
static const char per_node_refusal[] =
    "how ranks are placed is measured and not given; set it with the options of mpiexec";

/* One row per option of IOR 4.1, by letter, then those without one. Long names are the keys of
 * IOR's directives. */
static const struct weir_option ior_rows[] = {
    {'a', "api", WEIR_OPTION_TEXT, AT(api), "POSIX", .help = "backend, see weir backends"},
    {'A', "refNum", WEIR_OPTION_INTEGER, AT(reference_number),
     .help = "a number of your own, repeated in the summary"},
    {'b', "blockSize", WEIR_OPTION_SIZE, AT(block_bytes), "1m",
     .help = "bytes in a row per task and segment, such as 8, 4k, 2m, 1g"},
    {'c', "collective", WEIR_OPTION_FLAG, AT(collective), .help = "collective transfers"},
    {'C', "reorderTasksConstant", WEIR_OPTION_FLAG, AT(reorder_tasks),
     .help = "read what a task -Q nodes away has written, past the cache of the own node"},
    {0, "reorderTasks", WEIR_OPTION_FLAG, AT(reorder_tasks), .help = "the same as -C"},
    {'d', "interTestDelay", WEIR_OPTION_SECONDS, AT(inter_test_delay_ns),
     .help = "seconds to sleep before each write and each read phase"},
    {'D', "deadlineForStonewalling", WEIR_OPTION_SECONDS, AT(deadline_ns),
     .help = "seconds after which a write or read phase stops; 0: never"},
    {'e', "fsync", WEIR_OPTION_FLAG, AT(fsync),
     .help = "sync after the last write of a task, inside of the timing"},
    {'E', "useExistingTestFile", WEIR_OPTION_FLAG, AT(use_existing_test_file),
     .help = "write into an existing file without removing it first"},
    {'f', "scriptFile", WEIR_OPTION_TEXT, AT(script_path),
     .help = "read the tests from this script"},
    {'F', "filePerProc", WEIR_OPTION_FLAG, AT(file_per_process), .help = "a file for each task"},
    {'g', "intraTestBarriers", WEIR_OPTION_FLAG, AT(intra_test_barriers),
     .help = "barriers between opening, moving data and closing"},
    {'G', "setTimeStampSignature", WEIR_OPTION_INTEGER, AT(signature),
     .help = "seed of the data, to verify it in a later run; 0: a new one"},
    {'i', "repetitions", WEIR_OPTION_INTEGER, AT(repetitions), "1",
     .help = "how often the test is repeated"},
    {'j', "outlierThreshold", WEIR_OPTION_SECONDS, AT(outlier_threshold_ns),
     .help = "warn of ranks (up to three, the slowest) that took this many seconds longer than "
             "ranks on average; 0: never"},
    {'k', "keepFile", WEIR_OPTION_FLAG, AT(keep_file), .help = "do not remove the files"},
    {'K', "keepFileWithError", WEIR_OPTION_FLAG, AT(keep_file_with_error),
     .help = "keep the files if verification failed"},
    {'l', "dataPacketType", WEIR_OPTION_CHOICE, AT(data_packet_type), "timestamp",
     "offset|incompressible|timestamp|random|...",
     .help = "what is written; the first letter decides"},
    {'m', "multiFile", WEIR_OPTION_FLAG, AT(multi_file), .help = "new files in each repetition"},
    {'M', "memoryPerNode", WEIR_OPTION_TEXT, .refusal = memory_refusal},
    {0, "memoryPerTask", WEIR_OPTION_SIZE, .refusal = memory_refusal},
    {'N', "numTasks", WEIR_OPTION_INTEGER, AT(task_count), "-1",
     .help = "use only the first of the tasks; -1: all"},
    {'o', "testFile", WEIR_OPTION_TEXT, AT(test_file), "testFile",
     .help = "file to write and read; with -F a list such as /a/f@/b/f"},
    {'O', NULL, WEIR_OPTION_DIRECTIVES,
     .help = "key=value with commas between them; a key is a long name of this help"},
    {'Q', "taskPerNodeOffset", WEIR_OPTION_COUNT, AT(task_per_node_offset), "1",
     .help = "nodes between writer and reader: with -C just as many, with -Z at least"},
    {'r', "readFile", WEIR_OPTION_FLAG, AT(read_file), .help = "read"},
    {'R', "checkRead", WEIR_OPTION_FLAG, AT(check_read), .help = "read, and verify what is read"},
    {'s', "segmentCount", WEIR_OPTION_COUNT, AT(segment_count), "1", .help = "number of segments"},
    {'t', "transferSize", WEIR_OPTION_SIZE, AT(transfer_bytes), "256k",
     .help = "bytes per transfer, such as 8, 4k, 2m"},
    {'T', "maxTimeDuration", WEIR_OPTION_MINUTES, AT(max_time_ns),
     .help = "minutes after which no further phase is begun; 0: no limit"},
    {'u', "uniqueDir", WEIR_OPTION_FLAG, AT(unique_dir),
     .help = "with -F: a directory for each file"},
    {'v', "verbose", WEIR_OPTION_FLAG, AT(verbose), .help = "say more; -vv yet more"},
    {'w', "writeFile", WEIR_OPTION_FLAG, AT(write_file), .help = "write"},
    {'W', "checkWrite", WEIR_OPTION_FLAG, AT(check_write),
     .help = "after the write read everything back and verify it, untimed"},
    {'x', "singleXferAttempt", WEIR_OPTION_FLAG, AT(single_transfer_attempt),
     .help = "a short transfer is an error and not continued"},
    {'X', "reorderTasksRandomSeed", WEIR_OPTION_INTEGER, AT(reorder_tasks_random_seed),
     .help = "seed of -Z"},
    {'y', "dualMount", WEIR_OPTION_FLAG,
     .refusal = "a mount point per socket is not built; with -F, give the mount points as a "
                "list: -o /a/f@/b/f"},
    {'Y', "fsyncPerWrite", WEIR_OPTION_FLAG, AT(fsync_per_write), .help = "sync after each write"},
    {'z', "randomOffset", WEIR_OPTION_FLAG, AT(random_offset),
     .help = "transfers in random order; -z -z: random blocks, which may repeat"},
    {'Z', "reorderTasksRandom", WEIR_OPTION_FLAG, AT(reorder_tasks_random),
     .help = "read what a random task has written; -Z -Z: any, near or far"},
    {0, "random-offset-seed", WEIR_OPTION_INTEGER, AT(random_offset_seed), "-1",
     .help = "seed of -z; -1: a new one"},
    {0, "warningAsErrors", WEIR_OPTION_FLAG, AT(warning_as_errors),
     .help = "a warning makes the exit code 1"},
    {0, "dryRun", WEIR_OPTION_FLAG, AT(dry_run), .help = "go through the motions without any I/O"},
    {0, "stoneWallingWearOut", WEIR_OPTION_FLAG, AT(wear_out),
     .help = "after the deadline all tasks go on to the count of the furthest"},
    {0, "stoneWallingWearOutIterations", WEIR_OPTION_COUNT, AT(wear_out_iterations),
     .help = "stop after this many transfers per task; 0: no limit"},
    {0, "stoneWallingStatusFile", WEIR_OPTION_TEXT, AT(status_path),
     .help = "a write keeps its count of transfers there, and a read takes it from there"},
    {0, "minTimeDuration", WEIR_OPTION_SECONDS, AT(min_time_ns),
     .help = "seconds a phase shall last: it starts again from the beginning of the file"},
    {0, "interIODelay", WEIR_OPTION_MICROSECONDS, AT(inter_io_delay_ns),
     .help = "microseconds to sleep after each transfer"},
    {0, "summaryFile", WEIR_OPTION_TEXT, AT(summary_path),
     .help = "the report goes there and not to standard output"},
    {0, "summaryFormat", WEIR_OPTION_CHOICE, AT(summary_format), "default", "default|JSON|CSV",
     .help = "format of the report"},
    {0, "summaryAlways", WEIR_OPTION_FLAG, AT(summary_always),
     .help = "accepted: a summary after each test is not needed, rows come as they are made"},
    {0, "useO_DIRECT", WEIR_OPTION_FLAG, AT(use_o_direct), .help = "the same as --posix.odirect"},
    {0, "debug", WEIR_OPTION_TEXT, AT(debug), .help = "a remark, kept with the result"},
    {0, "platform", WEIR_OPTION_TEXT, AT(platform),
     .help = "name of the machine, kept with the result"},
    {0, "randomPrefill", WEIR_OPTION_SIZE,
     .refusal = "filling the file inside of the timing is not built; write it first "
                "in a run of its own with -w -k, then use -E"},
    {0, "gpuDirect", WEIR_OPTION_FLAG, .refusal = gpu_refusal},
    {0, "allocateBufferOnGPU", WEIR_OPTION_FLAG, .refusal = gpu_refusal},
    {0, "GPUid", WEIR_OPTION_INTEGER, .refusal = gpu_refusal},
    {0, "saveRankPerformanceDetailsCSV", WEIR_OPTION_TEXT,
     .refusal = "not built; --result FILE keeps the spread over ranks and the slowest"},
    {0, "savePerOpDataCSV", WEIR_OPTION_TEXT,
     .refusal = "not built; --result FILE keeps the histogram of all latencies"},
    {0, "numNodes", WEIR_OPTION_INTEGER, .refusal = per_node_refusal},
    {0, "numTasksOnNode0", WEIR_OPTION_INTEGER, .refusal = per_node_refusal},
    {0},
};

const struct weir_option_set weir_ior_option_set = {"IOR", ior_rows,
                                                    sizeof(struct weir_ior_config)};

static const char datatype_refusal[] =
    "strided datatypes, file views and shared file pointers are not built; leave it out, and "
    "transfers are at explicit offsets";
static const char lustre_refusal[] =
    "stripes are not set here; set them on the directory before the run: lfs setstripe -c COUNT "
    "-S SIZE -i OST DIRECTORY";
static const char lustre_locks_refusal[] =
    "transfers without Lustre's locks are not built; leave it out";
static const char beegfs_refusal[] =
    "stripes are not set here; set them on the directory before the run: beegfs-ctl --setpattern "
    "--numtargets=COUNT --chunksize=SIZE DIRECTORY";
static const char gpfs_refusal[] = "hints to GPFS are not built; leave it out";
static const char format_refusal[] =
    "the backends HDF5 and NCMPI, which it is for, are not built; leave it out";
static const char backend_refusal[] =
    "the backend that it is for is not built; see weir backends for those that are";

/* Words of IOR 2.10 to 3.3, and families of words for backends and file systems. What still has a
 * meaning is an alias; the rest is refused with what to do in its place. */
static const struct weir_option old_rows[] = {
    {'B', NULL, WEIR_OPTION_FLAG, AT(use_o_direct), .help = "the same as --posix.odirect"},
    {'H', "showHints", WEIR_OPTION_FLAG, AT(show_hints), .help = "the same as --mpiio.showHints"},
    {'p', "preallocate", WEIR_OPTION_FLAG, AT(preallocate),
     .help = "the same as --mpiio.preallocate"},
    {'U', "hintsFileName", WEIR_OPTION_TEXT, AT(hints_path),
     .help = "the same as --mpiio.hintsFileName"},
    {'P', "useSharedFilePointer", WEIR_OPTION_FLAG, .refusal = datatype_refusal},
    {'S', "useStridedDatatype", WEIR_OPTION_FLAG, .refusal = datatype_refusal},
    {'V', "useFileView", WEIR_OPTION_FLAG, .refusal = datatype_refusal},
    {'I', "individualDataSets", WEIR_OPTION_FLAG, .refusal = format_refusal},
    {'J', "setAlignment", WEIR_OPTION_SIZE, .refusal = format_refusal},
    {'n', "noFill", WEIR_OPTION_FLAG, .refusal = format_refusal},
    {'q', "quitOnError", WEIR_OPTION_FLAG,
     .refusal = "leave it out: errors are counted, told, and make the exit code 1"},
    {0, "storeFileOffset", WEIR_OPTION_FLAG,
     .refusal = "leave it out: the stamps in the data hold their offsets"},
    {0, "corruptFile", WEIR_OPTION_FLAG,
     .refusal = "spoiling data on purpose is not built; leave it out"},
    {0, "incompressibleSeed", WEIR_OPTION_INTEGER,
     .refusal = "write -G SEED, or setTimeStampSignature=SEED"},
    {0, "randomSeed", WEIR_OPTION_INTEGER,
     .refusal = "write --random-offset-seed SEED for -z, and -X SEED for -Z"},
    {0, "showHelp", WEIR_OPTION_FLAG, .refusal = "write --help as a word of the command line"},
    {0, "mpiNumHints", WEIR_OPTION_INTEGER,
     .refusal = "leave it out: hints are counted; they come from --mpiio.hintsFileName and from "
                "IOR_HINT__MPI__... in the environment"},
    {0, "queryBw", WEIR_OPTION_FLAG, .refusal = "not built; leave it out"},
    {0, "lustreIgnoreLocks", WEIR_OPTION_FLAG, .refusal = lustre_locks_refusal},
    {0, "posix.lustre.ignorelocks", WEIR_OPTION_FLAG, .refusal = lustre_locks_refusal},
    {0, "lustreStripeCount", WEIR_OPTION_INTEGER, .refusal = lustre_refusal},
    {0, "lustreStripeSize", WEIR_OPTION_SIZE, .refusal = lustre_refusal},
    {0, "lustreStartOST", WEIR_OPTION_INTEGER, .refusal = lustre_refusal},
    {0, "posix.lustre.*", WEIR_OPTION_TEXT, .refusal = lustre_refusal},
    {0, "beegfsNumTargets", WEIR_OPTION_INTEGER, .refusal = beegfs_refusal},
    {0, "beegfsChunkSize", WEIR_OPTION_SIZE, .refusal = beegfs_refusal},
    {0, "posix.beegfs.*", WEIR_OPTION_TEXT, .refusal = beegfs_refusal},
    {0, "gpfsHintAccess", WEIR_OPTION_FLAG, .refusal = gpfs_refusal},
    {0, "gpfsReleaseToken", WEIR_OPTION_FLAG, .refusal = gpfs_refusal},
    {0, "posix.gpfs.*", WEIR_OPTION_TEXT, .refusal = gpfs_refusal},
    {0, "aio.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "hdf5.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "ncmpi.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "mmap.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "dfs.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "rados.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "cephfs.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "S3-*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "hdfs.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "ime.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "chfs.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "finchfs.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0, "libnfs.*", WEIR_OPTION_TEXT, .refusal = backend_refusal},
    {0},
};

const struct weir_option_set weir_ior_old_set = {"older IOR", old_rows,
                                                 sizeof(struct weir_ior_config)};

static const struct weir_option addition_rows[] = {
    {0, "result", WEIR_OPTION_TEXT, offsetof(struct weir_ior_additions, result_path),
     .help = "append the whole result to this file, phase by phase, as lines of JSON"},
    {0, "data", WEIR_OPTION_CHOICE, offsetof(struct weir_ior_additions, data), NULL,
     "stamp|full|none",
     .help =
         "what is written, instead of -l: a stamp per 4 KiB, every word, or nothing that can be "
         "verified"},
    {0, "plain", WEIR_OPTION_FLAG, offsetof(struct weir_ior_additions, is_plain),
     .help = "print what IOR prints, and nothing of our own"},
    {0, "overwrite", WEIR_OPTION_FLAG, offsetof(struct weir_ior_additions, may_overwrite),
     .help = "overwrite and remove files that this program did not make"},
    {0},
};

const struct weir_option_set weir_ior_addition_set = {"Weir", addition_rows,
                                                      sizeof(struct weir_ior_additions)};

static const struct weir_option order_rows[] = {
    {0, "explain", WEIR_OPTION_FLAG, offsetof(struct weir_ior_orders, explain),
     .help = "print what would be done, and stop"},
    {'h', "help", WEIR_OPTION_FLAG, offsetof(struct weir_ior_orders, help),
     .help = "print this, and stop"},
    {0, "version", WEIR_OPTION_FLAG, offsetof(struct weir_ior_orders, version),
     .help = "print the version, and stop"},
    {0},
};

const struct weir_option_set weir_ior_order_set = {"in place of a run", order_rows,
                                                   sizeof(struct weir_ior_orders)};

/* ---- requests ---- */

static bool is_told_what_to_do(const struct weir_ior_config *ior)
{
    return ior->write_file || ior->read_file || ior->check_write || ior->check_read;
}

bool weir_ior_does_write(const struct weir_ior_config *ior)
{
    return ior->write_file || !is_told_what_to_do(ior);
}

bool weir_ior_does_read(const struct weir_ior_config *ior)
{
    return ior->read_file || ior->check_read || !is_told_what_to_do(ior);
}

/* Tables before those of the backends. */
#define OWN_SETS 3

/* A request whose parser is set up; values are all zero. */
static struct weir_ior_request *make_request(struct weir_arena *arena,
                                             const struct weir_backends *backends)
{
    struct weir_ior_request *request = weir_arena_take(arena, sizeof *request);
    size_t count = OWN_SETS + backends->count;
    struct weir_option_binding *bindings = weir_arena_take(arena, count * sizeof *bindings);

    request->backends = backends;
    request->backend_values =
        weir_arena_take(arena, backends->count * sizeof *request->backend_values);
    bindings[0] = (struct weir_option_binding){&weir_ior_option_set, &request->ior};
    bindings[1] = (struct weir_option_binding){&weir_ior_old_set, &request->ior};
    bindings[2] = (struct weir_option_binding){&weir_ior_addition_set, &request->additions};
    for (size_t i = 0; i < backends->count; i++) {
        const struct weir_option_set *set = &backends->descriptors[i]->options;

        request->backend_values[i] = weir_arena_take(arena, set->values_bytes);
        bindings[OWN_SETS + i] = (struct weir_option_binding){set, request->backend_values[i]};
    }
    request->parser = (struct weir_option_parser){
        .place = "ior", .arena = arena, .bindings = bindings, .binding_count = count};
    return request;
}

struct weir_ior_request *weir_ior_request_new(struct weir_arena *arena,
                                              const struct weir_backends *backends)
{
    struct weir_ior_request *request = make_request(arena, backends);

    weir_options_reset(&request->parser);
    return request;
}

struct weir_ior_request *weir_ior_request_repeat(struct weir_ior_request *request)
{
    struct weir_ior_request *next = make_request(request->parser.arena, request->backends);

    for (size_t i = 0; i < request->parser.binding_count; i++) {
        const struct weir_option_binding *from = &request->parser.bindings[i];

        if (from->set->values_bytes > 0)
            memcpy(next->parser.bindings[i].values, from->values, from->set->values_bytes);
    }
    request->next = next;
    return next;
}

int weir_ior_request_parse(struct weir_ior_request *request, int count, const char *const words[],
                           struct weir_ior_orders *orders, struct weir_error *error)
{
    struct weir_option_parser parser = request->parser;
    struct weir_option_binding *bindings =
        weir_arena_take(parser.arena, (parser.binding_count + 1) * sizeof *bindings);

    memcpy(bindings, parser.bindings, parser.binding_count * sizeof *bindings);
    bindings[parser.binding_count++] = (struct weir_option_binding){&weir_ior_order_set, orders};
    parser.bindings = bindings;
    return weir_options_parse(&parser, count, words, error);
}

/* ---- help ---- */

static void add_table(struct weir_text *text, const char *title, const struct weir_option_set *set)
{
    weir_text_add(text, "\n\n%s\n", title);
    weir_options_help(text, set);
}

static void add_module(struct weir_text *text, const struct weir_option_set *set)
{
    weir_text_add(text, "\n\nModule %s\n", set->name);
    weir_options_help(text, set);
}

void weir_ior_help(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(text, "Synopsis ior [options]\n");
    weir_options_help(text, &weir_ior_option_set);
    for (size_t i = 0; i < backends->count; i++) {
        if (backends->descriptors[i]->options.rows)
            add_module(text, &backends->descriptors[i]->options);
    }
    add_table(text, "Weir", &weir_ior_addition_set);
    add_table(text, "In place of a run", &weir_ior_order_set);
    add_table(text, "Older versions of IOR, and backends that are not built", &weir_ior_old_set);
}
