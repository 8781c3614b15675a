/* SPDX-License-Identifier: Apache-2.0 */
/* The front door and the IOR dialect: from words to a plan, against made-up backends. */
#include "weir/front/front.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
#define WORDS_MAX 16
#define SECOND UINT64_C(1000000000)

struct posix_values {
    int64_t direct;
    int64_t stripe_count;
    int64_t stripe_bytes;
};
static const struct weir_option posix_rows[] = {
    {0, "posix.odirect", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct posix_values, direct),
     .help = "direct"},
    {0, "posix.lustre.stripecount", WEIR_OPTION_INTEGER,
     WEIR_OPTION_AT(struct posix_values, stripe_count), .help = "stripes"},
    {0, "posix.lustre.stripesize", WEIR_OPTION_SIZE,
     WEIR_OPTION_AT(struct posix_values, stripe_bytes), .help = "bytes of a stripe"},
    {0, "posix.gpfs.releasetoken", WEIR_OPTION_FLAG,
     .refusal = "tokens are not built; leave it out"},
    {0},
};
struct mpiio_values {
    int64_t show_hints;
    int64_t preallocate;
    int64_t strided;
    int64_t view;
    const char *hints_path;
};
static const struct weir_option mpiio_rows[] = {
    {0, "mpiio.useStridedDatatype", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct mpiio_values, strided),
     .help = "strided"},
    {0, "mpiio.useFileView", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct mpiio_values, view),
     .help = "view"},
    {0, "mpiio.showHints", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct mpiio_values, show_hints),
     .help = "hints"},
    {0, "mpiio.preallocate", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct mpiio_values, preallocate),
     .help = "preallocate"},
    {0, "mpiio.hintsFileName", WEIR_OPTION_TEXT, WEIR_OPTION_AT(struct mpiio_values, hints_path),
     .help = "file of hints"},
    {0},
};

#define CAN_ALL (WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_KEEP | WEIR_CAN_NAME)

static const struct weir_descriptor posix = {
    .name = "posix",
    .label = "POSIX",
    .version = "",
    .abilities = (CAN_ALL & ~WEIR_CAN_COLLECT) | WEIR_TAKES_DEVICES,
    .options = {"POSIX", posix_rows, sizeof(struct posix_values)},
};
static const struct weir_descriptor mpiio = {
    .name = "mpiio",
    .label = "MPIIO",
    .version = "(3.1)",
    .abilities = CAN_ALL,
    .options = {"MPIIO", mpiio_rows, sizeof(struct mpiio_values)},
};
static const struct weir_descriptor libaio = {
    .name = "libaio",
    .label = "AIO",
    .alias = "aio",
    .version = "",
    .abilities = (CAN_ALL & ~WEIR_CAN_COLLECT) | WEIR_CAN_QUEUE | WEIR_TAKES_DEVICES,
    .standard_depth = 128,
    .standard_batch = 16,
    .options = {"AIO", posix_rows, sizeof(struct posix_values)},
};
static const struct weir_descriptor uring = {
    .name = "uring",
    .label = "URING",
    .version = "",
    .abilities = (CAN_ALL & ~WEIR_CAN_COLLECT) | WEIR_CAN_QUEUE | WEIR_BYPASSES_CACHE,
    .standard_depth = 32,
    .options = {"URING", NULL, 0},
};
static const struct weir_descriptor null = {
    .name = "null",
    .label = "DUMMY",
    .alias = "dummy",
    .version = "",
    .abilities = (CAN_ALL & ~WEIR_CAN_KEEP & ~WEIR_CAN_NAME) | WEIR_CAN_QUEUE,
    .options = {"DUMMY", NULL, 0},
};
static const struct weir_descriptor fault = {
    .name = "fault",
    .label = "FAULT",
    .version = "",
    .abilities = WEIR_WRAPS,
    .options = {"FAULT", NULL, 0},
};
static const struct weir_descriptor *const descriptors[] = {&posix, &mpiio, &libaio,
                                                            &uring, &null,  &fault};
static const struct weir_backends backends = {descriptors, COUNT(descriptors), NULL};

static int count_words(const char *const words[])
{
    int count = 0;

    while (count < WORDS_MAX && words[count])
        count++;
    return count;
}

static int read_words(const char *const words[], struct weir_command *command,
                      struct weir_error *error)
{
    *error = (struct weir_error){0};
    return weir_front_read(count_words(words), words, &backends, command, error);
}

/* The plan of words that must be right. */
static const struct weir_plan *plan_of(const char *const words[], struct weir_command *command)
{
    struct weir_error error;

    if (read_words(words, command, &error))
        fail_msg("%s", error.text);
    assert_int_equal(command->kind, WEIR_COMMAND_RUN);
    return command->plan;
}

#define PLAN_OF(command, ...) plan_of((const char *const[WORDS_MAX]){"ior", __VA_ARGS__}, command)

static const struct weir_phase *check_of(const struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->tests[0]->phase_count; i++) {
        if (plan->tests[0]->phases[i]->is_check)
            return plan->tests[0]->phases[i];
    }
    return NULL;
}

static const struct weir_phase *phase_of(const struct weir_plan *plan, enum weir_verb verb)
{
    const struct weir_phase *phase = weir_test_phase(plan->tests[0], verb);

    assert_non_null(phase);
    return phase;
}

/* ---- the front door ---- */

static void program_name_and_first_word_choose_the_command(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        enum weir_command_kind kind;
    } cases[] = {
        {{"weir"}, WEIR_COMMAND_SAY},
        {{"/usr/bin/ior"}, WEIR_COMMAND_RUN},
        {{"./ior-weir", "-w"}, WEIR_COMMAND_RUN},
        {{"weir", "ior"}, WEIR_COMMAND_RUN},
        {{"weir", "ior", "-w", "-k"}, WEIR_COMMAND_RUN},
        {{"weir", "-a", "POSIX"}, WEIR_COMMAND_RUN},
        {{"weir", "-w", "--explain"}, WEIR_COMMAND_EXPLAIN},
        {{"weir", "--explain", "-w"}, WEIR_COMMAND_EXPLAIN},
        {{"weir", "--help"}, WEIR_COMMAND_SAY},
        {{"weir", "-h"}, WEIR_COMMAND_SAY},
        {{"weir", "--version"}, WEIR_COMMAND_SAY},
        {{"weir", "version"}, WEIR_COMMAND_SAY},
        {{"weir", "-V"}, WEIR_COMMAND_SAY},
        {{"weir", "-V", "-w"}, WEIR_COMMAND_RUN},
        {{"ior", "-V"}, WEIR_COMMAND_RUN},
        {{"weir", "ior", "--help"}, WEIR_COMMAND_SAY},
        {{"ior", "-h"}, WEIR_COMMAND_SAY},
        {{"ior", "-w", "--version"}, WEIR_COMMAND_SAY},
        {{"weir", "backends"}, WEIR_COMMAND_BACKENDS},
        {{"ior", "backends"}, WEIR_COMMAND_BACKENDS},
        {{"ior", "report", "run.jsonl"}, WEIR_COMMAND_REPORT},
        {{"weir", "report", "run.jsonl"}, WEIR_COMMAND_REPORT},
        {{"weir", "doctor"}, WEIR_COMMAND_DOCTOR},
        {{"weir", "dd", "if=/dev/zero", "of=f", "count=1"}, WEIR_COMMAND_RUN},
        {{"weir-dd", "if=/dev/zero", "of=f", "count=1"}, WEIR_COMMAND_RUN},
        {{"weir-dd", "--explain", "if=f", "of=/dev/null", "count=1"}, WEIR_COMMAND_EXPLAIN},
        {{"weir", "topology"}, WEIR_COMMAND_TOPOLOGY},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        struct weir_error error;

        if (read_words(cases[i].words, &command, &error))
            fail_msg("case %zu: %s", i, error.text);
        assert_int_equal(command.kind, cases[i].kind);
        assert_true((command.plan != NULL) == (cases[i].kind <= WEIR_COMMAND_EXPLAIN));
        weir_command_close(&command);
    }
}

static void help_names_every_table(void **state)
{
    static const char *const words[WORDS_MAX] = {"weir", "ior", "--help"};
    static const char *const parts[] = {
        "  -b, --blockSize=1m ", "Module POSIX",          "--posix.odirect",
        "Module MPIIO",          "--mpiio.showHints",     "\nWeir\n",
        "--result=STRING",       "\nIn place of a run\n", "--explain"};
    struct weir_command command;
    struct weir_error error;

    (void)state;
    assert_int_equal(read_words(words, &command, &error), 0);
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!strstr(weir_text_string(&command.text), parts[i]))
            fail_msg("%s is missing", parts[i]);
    }
    weir_command_close(&command);
}

static void report_takes_a_file_and_a_format(void **state)
{
    static const char *const words[WORDS_MAX] = {
        "weir", "report",  "run.jsonl",          "--format",
        "json", "--plain", "--summary-file=out", "--compat=3.2.1"};
    struct weir_command command;
    struct weir_error error;

    (void)state;
    assert_int_equal(read_words(words, &command, &error), 0);
    assert_string_equal(command.result_paths[0], "run.jsonl");
    assert_string_equal(command.output.reporter, "ior json");
    assert_string_equal(command.output.style, "IOR 3.2");
    assert_string_equal(command.output.summary_path, "out");
    assert_true(command.output.is_plain);
    weir_command_close(&command);
}

static const struct {
    const char *words[WORDS_MAX];
    const char *text;
} wrong_commands[] = {
    {{"weir", "iro"},
     "unknown command \"iro\" (did you mean weir ior?); there are: ior, mdtest, md-workbench, "
     "iozone, dd, parabench, "
     "targets, net, "
     "serve, "
     "backends, "
     "doctor, topology, sweep, compat, "
     "report, compare, export, help, --help, --version"},
    {{"dd", "if=/dev/zero", "of=f", "count=1"},
     "unknown command \"if=/dev/zero\"; there are: ior, mdtest, md-workbench, iozone, dd, "
     "parabench, targets, "
     "net, "
     "serve, "
     "backends, doctor, topology, sweep, compat, report, compare, export, help, --help, --version"},
    {{"ddrescue", "if=f", "of=/dev/null", "count=1"},
     "unknown command \"if=f\"; there are: ior, mdtest, md-workbench, iozone, dd, parabench, "
     "targets, net, "
     "serve, "
     "backends, "
     "doctor, topology, sweep, compat, report, compare, export, help, --help, --version"},
    {{"weir", "backends", "all"}, "backends: \"all\" is a word too many"},
    {{"weir", "report"}, "report: the result file is missing: weir report FILE... [OPTION...]"},
    {{"weir", "report", "f", "g", "--test", "one"},
     "report: --test: \"one\" is no number of a test"},
    {{"weir", "report", "--format", "csv"},
     "report: the result file is missing: weir report FILE... [OPTION...]"},
    {{"weir", "report", "f", "--format=yaml"},
     "report: --format: \"yaml\" is not one of "
     "ior|csv|json|csv-long|json-long|influx|openmetrics|sweep|verdict|markdown|junit|tap|html|svg|"
     "gnuplot|text"},
    {{"weir", "-w", "ior"}, "ior: \"ior\" is not an option; options begin with -"},
    {{"ior", "-a", "nosuch"},
     "ior: -a: unknown backend \"nosuch\"; there are: posix, mpiio, libaio, uring, null, fault"},
    {{"ior", "stray"}, "ior: \"stray\" is not an option; options begin with -"},
    {{"ior", "-a", "hdf5"},
     "ior: -a: backend HDF5 is known to IOR, and not built here; there are: posix, mpiio, "
     "libaio, uring, null, fault"},
    {{"ior", "-a", "fault:gfarm"},
     "ior: -a: backend Gfarm is known to IOR, and not built here; there are: posix, mpiio, "
     "libaio, uring, null, fault"},
    {{"ior", "-z", "-z", "-w", "-R"},
     "ior: -z -z: data written at random positions, twice or never, cannot be verified; use "
     "-z once"},
    {{"ior", "-o", "out/f", "--result=./out//f"},
     "ior: result file ./out//f is one of the data files out/f: give it a path of its own"},
    {{"ior", "-P", "-a", "mpiio"},
     "ior: -P: shared file pointers are not built; leave it out, and transfers are at explicit "
     "offsets"},
    {{"ior", "-O", "gpfsReleaseToken=1"},
     "ior: -O: gpfsReleaseToken: tokens are not built; leave it out"},
    {{"ior", "-M", "2x"}, "ior: -M: \"2x\" is neither a size (2g) nor a part of memory (75%)"},
    {{"ior", "-M", "101%"}, "ior: -M: \"101%\" is not a part of memory (0% to 100%)"},
    {{"ior", "-M", "2.5%"}, "ior: -M: \"2.5%\" is not a part of memory (0% to 100%)"},
    {{"ior", "-M", "2g", "-O", "memoryPerTask=1g"},
     "ior: -M: memory is taken per node or per task; leave memoryPerTask out"},
    {{"ior", "-y"},
     "ior: -y: a mount point for each processor package needs a file for each task; give -F"},
    {{"ior", "-yuF"}, "ior: -y: files lie in the directories of the mount points; leave -u out"},
    {{"ior", "-z", "--randomPrefill=768k"},
     "ior: --randomPrefill: block size 1048576 is not a multiple of size 786432"},
    {{"ior", "-z", "--randomPrefill=4"}, "ior: --randomPrefill: size 4 is not a multiple of 8"},
    {{"ior", "-O", "numNodes=-2"},
     "ior: numNodes: -2 nodes; give at least 1, or -1 for those there are"},
    {{"ior", "-O", "numTasksOnNode0=-2"},
     "ior: numTasksOnNode0: -2 tasks; give at least 1, or -1 for those there are"},
    {{"ior", "--compat=3.1"},
     "ior: --compat: the layout of IOR 3.1 is not known; there are 2.10, 3.0, 3.2, 3.3, 4.0 "
     "and 4.1"},
    {{"ior", "--compat=3.01"},
     "ior: --compat: the layout of IOR 3.01 is not known; there are 2.10, 3.0, 3.2, 3.3, 4.0 "
     "and 4.1"},
    {{"ior", "--compat=3.0", "-O", "summaryFormat=JSON"},
     "ior: IOR before 3.2 had no JSON: choose the layout of a later one, or text"},
    {{"ior", "--compat=3.3", "-O", "summaryFormat=CSV"},
     "ior: IOR before 4.0 had no CSV: choose the layout of a later one, or text"},
    {{"weir", "report", "f", "--compat=2.10", "--format=json"},
     "report: IOR before 3.2 had no JSON: choose the layout of a later one, or text"},
    {{"ior", "-R", "--data=ior", "-l", "r"},
     "ior: -R: IOR's random data do not tell the seed that they were made with: without -w "
     "there must be -G with the seed that the data were written with"},
    {{"ior", "-R", "--data=ior", "-l", "o", "-t", "8"},
     "ior: -R: a word of IOR's that holds an offset does not tell the seed: without -w there "
     "must be -G with the seed that the data were written with"},
    {{"ior", "-o", "out/f-0.csv", "-O", "savePerOpDataCSV=out/./f"},
     "ior: file of figures of transfers out/./f is one of the data files out/f-0.csv: give it "
     "a path of its own"},
    {{"ior", "-yF", "-o", "mnt/", "-O", "saveRankPerformanceDetailsCSV=mnt/12/data.00000003"},
     "ior: file of figures of ranks mnt/12/data.00000003 is one of the data files mnt/: give "
     "it a path of its own"},
    {{"ior", "--hdf5.chunkSize=4"},
     "ior: --hdf5.chunkSize: the backend that it is for is not built; see weir backends for "
     "those that are"},
    {{"ior", "-a", "fault"},
     "ior: -a: fault stands around another backend; name it, such as fault:posix"},
    {{"ior", "-a", "fault:fault"},
     "ior: -a: fault cannot stand around fault, which itself stands around another backend"},
    {{"ior", "-a", "fault:nosuch"},
     "ior: -a: unknown backend \"nosuch\"; there are: posix, mpiio, libaio, uring, null, fault"},
    {{"ior", "-b", "1000", "-t", "262144"},
     "ior: -b: block size 1000 is not a multiple of transfer size 262144"},
    {{"ior", "-b", "0"}, "ior: -b: block size 0 is smaller than transfer size 262144"},
    {{"ior", "--depth=4"},
     "ior: queue depth 4: backend posix makes one transfer at a time: choose depth 1, or a backend "
     "with a queue, such as libaio or uring"},
    {{"ior", "--depth=auto"},
     "ior: queue depth 256: backend posix makes one transfer at a time: choose depth 1, or a "
     "backend with a queue, such as libaio or uring"},
    {{"ior", "-a", "aio", "--depth=0"}, "ior: --depth: 0 operations in flight; give 1 to 4096"},
    {{"ior", "-a", "aio", "--depth=5k"}, "ior: --depth: 5120 operations in flight; give 1 to 4096"},
    {{"ior", "-a", "aio", "--depth=automatic"},
     "ior: --depth: \"automatic\" is neither a number nor auto nor auto:NUMBER"},
    {{"ior", "-a", "aio", "--depth=auto:x"},
     "ior: --depth: \"auto:x\" is neither a number nor auto nor auto:NUMBER"},
    {{"ior", "-a", "aio", "--depth=auto:1"},
     "ior: the best depth up to 1 is to be found: choose a greater one to search up to, or do not "
     "search"},
    {{"ior", "-a", "null", "-c", "--depth=2"},
     "ior: queue depth 2: collective transfers are made one at a time: choose depth 1, or "
     "independent ones"},
    {{"ior", "-a", "aio", "--depth=8", "--batch=9"},
     "ior: --batch: 9 transfers at once are more than the 8 that are in flight; give fewer, or a "
     "greater --depth"},
    {{"ior", "--batch=2"},
     "ior: --batch: 2 transfers at once are more than the 1 that are in flight; give fewer, or a "
     "greater --depth"},
    {{"ior", "-a", "aio", "--depth=8", "--aio.granularity=9"},
     "ior: aio.granularity: 9 transfers at once are more than the 8 that are in flight; give "
     "fewer, or a greater --depth"},
    {{"ior", "-a", "aio", "--aio.max-pending=7"},
     "ior: aio.max-pending: 7 transfers in flight; give 8 to 4096, or --depth"},
    {{"ior", "-a", "aio", "--aio.max-pending=8", "--aio.granularity=9"},
     "ior: aio.granularity: 9 transfers at once; give 1 to as many as aio.max-pending, 8"},
    {{"ior", "-a", "aio", "--aio.granularity=0"},
     "ior: aio.granularity: 0 transfers at once; give 1 to as many as aio.max-pending, 128"},
    {{"ior", "-a", "aio", "--aio.max-pending=8", "--depth=16"},
     "ior: --depth: 16 contradicts aio.max-pending, which says 8; leave one of the two out"},
    {{"ior", "-a", "aio", "--aio.max-pending=8", "--depth=auto:8"},
     "ior: --depth: auto:8 contradicts aio.max-pending, which says 8; leave one of the two out"},
    {{"ior", "-a", "aio", "--aio.granularity=8", "--batch=16"},
     "ior: --batch: 16 contradicts aio.granularity, which says 8; leave one of the two out"},
    {{"ior", "-a", "mpiio", "--direct"},
     "ior: --direct: backend MPIIO has no transfers past the page cache; leave it out, or choose "
     "another backend, such as posix or direct"},
    {{"ior", "--read-percent=101"}, "ior: --read-percent: 101% of the transfers; give 0 to 100"},
    {{"ior", "--read-percent=-2"}, "ior: --read-percent: -2% of the transfers; give 0 to 100"},
    {{"ior", "--read-percent=50", "-zz"},
     "ior: --read-percent: -z -z may come to a block while it is being written; use -z once"},
    {{"ior", "-a", "mpiio", "-c", "--read-percent=50"},
     "ior: a mixed phase with collective transfers, of which some ranks would read and others "
     "write: choose independent ones"},
    {{"ior", "--rate=0"},
     "ior: --rate: at a rate of 0 nothing is ever due; give more, or leave it out"},
    {{"ior", "--rate=0.0"},
     "ior: --rate: at a rate of 0 nothing is ever due; give more, or leave it out"},
    {{"ior", "--rate=-5"},
     "ior: --rate: \"-5\" is no rate; give operations per second, such as 20000, or bytes per "
     "second with a unit, such as 200m"},
    {{"ior", "--rate=1.2.3"},
     "ior: --rate: \"1.2.3\" is no rate; give operations per second, such as 20000, or bytes per "
     "second with a unit, such as 200m"},
    {{"ior", "--rate=."},
     "ior: --rate: \".\" is no rate; give operations per second, such as 20000, or bytes per "
     "second with a unit, such as 200m"},
    {{"ior", "--rate=fast"},
     "ior: --rate: \"fast\" is no rate; give operations per second, such as 20000, or bytes per "
     "second with a unit, such as 200m"},
    {{"ior", "-a", "mpiio", "-c", "--rate=5"},
     "ior: --rate: collective transfers wait for each other, and none can have a time of its own; "
     "leave -c or --rate out"},
    {{"ior", "--rate=5", "-O", "interIODelay=3"},
     "ior: --rate: transfers come at times, and interIODelay would have them come after pauses; "
     "leave one of the two out"},
    {{"ior", "-a", "aio", "--rate=5", "--depth=auto"},
     "ior: --rate: --depth auto looks for the depth of a load without a rate; give a number, or "
     "leave --rate out"},
    {{"ior", "--device=allow", "-uF"},
     "ior: -u: a device has the name that it has, and no directory of ours; leave it out with "
     "--device"},
    {{"ior", "--device=allow", "-m"},
     "ior: -m: a device has the name that it has, and no directory of ours; leave it out with "
     "--device"},
    {{"ior", "--device=allow", "-yF"},
     "ior: -y: a device has the name that it has, and no directory of ours; leave it out with "
     "--device"},
    {{"ior", "--device=allow", "-a", "mpiio"},
     "ior: backend mpiio does not take devices: choose one that does, such as posix, direct, "
     "libaio or uring, or use a file"},
    {{"ior", "--device=allow", "-F", "-o", "/dev/a@/dev/b@/dev/a"},
     "ior: device /dev/a is listed twice: list each one once"},
    {{"ior", "--pin=cores"},
     "ior: --pin: there is no policy \"cores\" (did you mean core?); there are: none, core, pu, "
     "numa, package, storage, "
     "nic, list:0-3,8 and rankfile:PATH"},
    {{"ior", "--pin=storage", "-a", "null"},
     "ior: --pin: backend DUMMY has no files whose devices ranks could be near to; choose another "
     "policy, such as core or numa, or another backend"},
    {{"ior", "--pin=storage", "-a", "null", "--dryRun"},
     "ior: --pin: backend DUMMY has no files whose devices ranks could be near to; choose another "
     "policy, such as core or numa, or another backend"},
    {{"ior", "--pin-order=rows"}, "ior: --pin-order: \"rows\" is not one of auto|compact|scatter"},
    {{"ior", "--pin-order=compact"},
     "ior: --pin-order: ranks stay where the launcher has placed them; give --pin, or say auto"},
    {{"ior", "--nic=eth0"},
     "ior: --nic: only --pin nic looks for a network device, and this is --pin none; say auto, or "
     "give --pin nic"},
    {{"ior", "--membind=node:64"},
     "ior: --membind: \"node:64\" is no NUMA node; give one from node:0 to node:63"},
    {{"ior", "--drop-caches=all"}, "ior: --drop-caches: \"all\" is not one of none|node|files"},
    {{"ior", "--drop-caches"}, "ior: --drop-caches: value is missing; there are none|node|files"},
    {{"ior", "-O", "pin=list:0-3,8"}, "ior: -O: \"8\" is not key=value"},
    {{"ior", "--stop-before=soon"},
     "ior: --stop-before: \"soon\" is no time; give seconds, minutes or hours, such as 60s, 5m or "
     "1.5h"},
    {{"ior", "--stop-before=60us"},
     "ior: --stop-before: \"60us\" is no time; give seconds, minutes or hours, such as 60s, 5m or "
     "1.5h"},
    {{"ior", "--stop-before=-60"},
     "ior: --stop-before: \"-60\" is no time; give seconds, minutes or hours, such as 60s, 5m or "
     "1.5h"},
    {{"ior", "--stop-before=m"},
     "ior: --stop-before: \"m\" is no time; give seconds, minutes or hours, such as 60s, 5m or "
     "1.5h"},
    {{"ior", "--stop-before=1.2.3h"},
     "ior: --stop-before: \"1.2.3h\" is no time; give seconds, minutes or hours, such as 60s, 5m "
     "or 1.5h"},
};

static void a_backend_that_was_left_out_is_refused_with_the_reason(void **state)
{
    static const char *const left_out[] = {"libaio: libaio was not found when weir was built",
                                           "uring: weir was built with WEIR_WITH_URING=OFF", NULL};
    static const struct weir_descriptor *const built[] = {&posix, &null};
    static const struct weir_backends few = {built, COUNT(built), left_out};
    static const char *const names[][2] = {
        {"uring", "ior: -a: backend uring is not in this build: weir was built with "
                  "WEIR_WITH_URING=OFF; there are: posix, null"},
        {"IO_URING", "ior: -a: backend uring is not in this build: weir was built with "
                     "WEIR_WITH_URING=OFF; there are: posix, null"},
        {"AIO", "ior: -a: backend libaio is not in this build: libaio was not found when weir was "
                "built; there are: posix, null"},
        {"urin", "ior: -a: unknown backend \"urin\"; there are: posix, null"},
    };

    for (size_t i = 0; i < COUNT(names); i++) {
        const char *words[] = {"weir", "ior", "-a", names[i][0], "-o", "f", NULL};
        struct weir_command command = {0};
        struct weir_error error = {0};

        assert_int_not_equal(weir_front_read(6, words, &few, &command, &error), 0);
        assert_string_equal(error.text, names[i][1]);
        weir_command_close(&command);
    }
}

static void wrong_commands_are_refused_with_what_there_is(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(wrong_commands); i++) {
        struct weir_command command;
        struct weir_error error;

        assert_int_equal(read_words(wrong_commands[i].words, &command, &error), -EINVAL);
        assert_string_equal(error.text, wrong_commands[i].text);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        weir_command_close(&command);
    }
}

/* ---- IOR ---- */

static void without_an_action_there_is_a_write_and_a_read(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *phases; /* f, w, c, m, r, x: fill, write, check, mixed, read, remove */
    } cases[] = {
        {{"ior"}, "wrx"},
        {{"ior", "-w"}, "wx"},
        {{"ior", "-r"}, "rx"},
        {{"ior", "-wr"}, "wrx"},
        {{"ior", "-wW"}, "wcx"},
        {{"ior", "-W", "-G1"}, "cx"},
        {{"ior", "-wR"}, "wrx"},
        {{"ior", "-R", "-G1"}, "rx"},
        {{"ior", "-wWrR", "-k"}, "wcr"},
        {{"ior", "-wWrR", "-K"}, "wcrx"},
        {{"ior", "--read-percent=70"}, "fmx"},
        {{"ior", "--read-percent=0", "-k"}, "fm"},
        {{"ior", "--read-percent=70", "-E"}, "mx"},
        {{"ior", "--read-percent=70", "-zE", "--randomPrefill=1m"}, "fmx"},
        {{"ior", "--read-percent=70", "-w"}, "wmx"},
        {{"ior", "--read-percent=70", "-r"}, "mrx"},
        {{"ior", "--read-percent=70", "-wWr"}, "wcmrx"},
        {{"ior", "--read-percent=70", "-wR"}, "wmrx"},
        {{"ior", "--read-percent=70", "-wz", "--randomPrefill=1m"}, "fwmx"},
        {{"ior", "--read-percent=-1"}, "wrx"},
        {{"ior", "--device=allow"}, "wr"},
        {{"ior", "--device=force", "--read-percent=1"}, "fm"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];
        char phases[8] = "";

        assert_true(test->phase_count < sizeof phases);
        for (size_t k = 0; k < test->phase_count; k++) {
            const struct weir_phase *phase = test->phases[k];

            phases[k] = phase->is_check ? 'c' : phase->is_prefill ? 'f' : "wrmx"[phase->verb];
        }
        assert_string_equal(phases, cases[i].phases);
        weir_command_close(&command);
    }
}

static void options_of_a_write_do_not_reach_the_read(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-wWr", "-e", "-Y", "-g", "-x", "-D", "5",
                                           "-O", "interIODelay=7,minTimeDuration=2");
    const struct weir_phase *write = phase_of(plan, WEIR_WRITE);
    const struct weir_phase *read = phase_of(plan, WEIR_READ);
    const struct weir_phase *check = check_of(plan);

    (void)state;
    assert_true(write->transfers.must_sync_at_end && write->transfers.must_sync_each &&
                write->transfers.must_replace);
    assert_false(read->transfers.must_sync_at_end || read->transfers.must_sync_each ||
                 read->transfers.must_replace);
    assert_true(write->transfers.has_inner_barriers && read->transfers.has_inner_barriers);
    assert_true(write->transfers.is_single_attempt && read->transfers.is_single_attempt);
    assert_true(write->think_ns == 7000 && read->think_ns == 7000 && check->think_ns == 0);
    assert_true(write->stop.deadline_ns == 5 * SECOND && read->stop.deadline_ns == 5 * SECOND);
    assert_true(check->stop.deadline_ns == 0 && check->stop.minimum_ns == 0);
    assert_true(check->transfers.must_verify && !read->transfers.must_verify);
    assert_true(write->depth == 1);
    weir_command_close(&command);
}

static void shifts_are_of_reads_and_one_node_further_for_checks(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-wWr", "-C", "-Q", "2");

    (void)state;
    assert_int_equal(phase_of(plan, WEIR_WRITE)->shift.kind, WEIR_SHIFT_NONE);
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.kind, WEIR_SHIFT_NODES);
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.distance, 2);
    assert_int_equal(check_of(plan)->shift.distance, 3);
    assert_true(check_of(plan)->shift.avoids_circle);
    assert_false(phase_of(plan, WEIR_READ)->shift.avoids_circle);
    assert_int_equal(phase_of(plan, WEIR_REMOVE)->shift.kind, WEIR_SHIFT_NONE);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-wWr", "-C", "-Q", "2", "-F");
    assert_int_equal(phase_of(plan, WEIR_REMOVE)->shift.kind, WEIR_SHIFT_NODES);
    assert_int_equal(phase_of(plan, WEIR_REMOVE)->shift.distance, 2);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-wW", "-C", "-Q", "2");
    assert_int_equal(check_of(plan)->shift.distance, 2);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-r", "-Q", "4");
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.kind, WEIR_SHIFT_NONE);
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.distance, 4);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-r", "-ZZ", "-X", "9");
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.kind, WEIR_SHIFT_PERMUTATION);
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.seed, 9);
    assert_false(phase_of(plan, WEIR_READ)->shift.varies);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-r", "-Z", "-X", "-9");
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.seed, 9);
    assert_true(phase_of(plan, WEIR_READ)->shift.varies);
    weir_command_close(&command);
}

static void data_options_choose_the_payload(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        enum weir_payload_mode mode;
        enum weir_ior_pattern pattern;
    } cases[] = {
        {{"ior"}, WEIR_PAYLOAD_STAMP, WEIR_IOR_TIMESTAMP},
        {{"ior", "-l", "t"}, WEIR_PAYLOAD_STAMP, WEIR_IOR_TIMESTAMP},
        {{"ior", "-l", "o"}, WEIR_PAYLOAD_STAMP, WEIR_IOR_TIMESTAMP},
        {{"ior", "-l", "i"}, WEIR_PAYLOAD_FULL, WEIR_IOR_TIMESTAMP},
        {{"ior", "-l", "r"}, WEIR_PAYLOAD_FULL, WEIR_IOR_TIMESTAMP},
        {{"ior", "-l", "rnd"}, WEIR_PAYLOAD_FULL, WEIR_IOR_TIMESTAMP},
        {{"ior", "-l", "r", "--data", "stamp"}, WEIR_PAYLOAD_STAMP, WEIR_IOR_TIMESTAMP},
        {{"ior", "--data", "full"}, WEIR_PAYLOAD_FULL, WEIR_IOR_TIMESTAMP},
        {{"ior", "--data=none"}, WEIR_PAYLOAD_NONE, WEIR_IOR_TIMESTAMP},
        {{"ior", "--data=ior"}, WEIR_PAYLOAD_IOR, WEIR_IOR_TIMESTAMP},
        {{"ior", "--data=ior", "-l", "o"}, WEIR_PAYLOAD_IOR, WEIR_IOR_OFFSET},
        {{"ior", "--data=ior", "-l", "i"}, WEIR_PAYLOAD_IOR, WEIR_IOR_INCOMPRESSIBLE},
        {{"ior", "--data=ior", "-l", "r"}, WEIR_PAYLOAD_IOR, WEIR_IOR_RANDOM},
        {{"ior", "--data=ior", "-OstoreFileOffset=1"}, WEIR_PAYLOAD_IOR, WEIR_IOR_OFFSET},
        {{"ior", "-l", "r", "-OstoreFileOffset=1"}, WEIR_PAYLOAD_STAMP, WEIR_IOR_TIMESTAMP},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_plan *plan = plan_of(cases[i].words, &command);

        assert_int_equal(phase_of(plan, WEIR_WRITE)->transfers.payload.mode, cases[i].mode);
        assert_int_equal(phase_of(plan, WEIR_WRITE)->transfers.payload.pattern, cases[i].pattern);
        weir_command_close(&command);
    }
}

static void limits_belong_to_the_test(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-N", "3", "-T", "2", "-i", "4", "-j", "0.5",
                                           "-A-7", "-k", "--overwrite");
    const struct weir_test *test = plan->tests[0];

    (void)state;
    assert_int_equal(test->rank_limit, 3);
    assert_true(test->time_limit_ns == 120 * SECOND);
    assert_int_equal(test->repetitions, 4);
    assert_int_equal(test->steps->count, 4);
    assert_true(test->outlier_ns == SECOND / 2);
    assert_true(test->reference == -7);
    assert_true(test->must_keep && test->may_overwrite && !test->is_dry_run);
    weir_command_close(&command);
    assert_int_equal(PLAN_OF(&command, "-O", "numTasks=0")->tests[0]->rank_limit, 0);
    weir_command_close(&command);
}

static void memory_is_taken_per_node_or_per_task(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        struct weir_memory_hog hog;
    } cases[] = {
        {{"ior"}, {0}},
        {{"ior", "-M", "2g"}, {.bytes_per_node = UINT64_C(2) << 30}},
        {{"ior", "-M", "75%"}, {.percent_of_node = 75}},
        {{"ior", "-O", "memoryPerNode=100%"}, {.percent_of_node = 100}},
        {{"ior", "-O", "memoryPerTask=1k"}, {.bytes_per_rank = 1024}},
        {{"ior", "-M", "0", "-O", "memoryPerTask=0"}, {0}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];

        assert_memory_equal(&test->hog, &cases[i].hog, sizeof test->hog);
        weir_command_close(&command);
    }
}

static void a_prefill_goes_before_each_write_and_replaces_for_it(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-wr", "-z", "-e", "-g", "-d", "2", "--randomPrefill=512k", "-D", "9");
    const struct weir_step *steps = plan->tests[0]->steps->body;
    const struct weir_phase *prefill = steps->phase;

    (void)state;
    assert_int_equal(steps->kind, WEIR_STEP_PHASE);
    assert_true(prefill->is_prefill && prefill->verb == WEIR_WRITE &&
                prefill->transfers.must_replace);
    assert_true(prefill->transfers.must_sync_at_end && !prefill->transfers.has_inner_barriers);
    assert_int_equal(prefill->transfers.layout.transfer_bytes, 512 * 1024);
    assert_int_equal(prefill->transfers.layout.order, WEIR_ORDER_SEQUENTIAL);
    assert_true(prefill->stop.deadline_ns == 0);
    assert_int_equal(steps->next->kind, WEIR_STEP_SLEEP);
    assert_ptr_equal(steps->next->next->phase, phase_of(plan, WEIR_WRITE));
    assert_false(phase_of(plan, WEIR_WRITE)->transfers.must_replace);
    assert_false(phase_of(plan, WEIR_WRITE)->is_prefill);
    weir_command_close(&command);
    assert_false(PLAN_OF(&command, "-wz", "-E", "--randomPrefill=1m")
                     ->tests[0]
                     ->phases[0]
                     ->transfers.must_replace);
    weir_command_close(&command);
    assert_int_equal(PLAN_OF(&command, "-rz", "--randomPrefill=1m")->tests[0]->phase_count, 2);
    weir_command_close(&command);
}

static void a_task_that_quits_on_errors_ends_verifying_reads(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-q", "-wWR");

    (void)state;
    assert_false(phase_of(plan, WEIR_WRITE)->transfers.ends_at_mismatch);
    assert_true(phase_of(plan, WEIR_READ)->transfers.ends_at_mismatch);
    assert_true(check_of(plan)->transfers.ends_at_mismatch);
    weir_command_close(&command);
    assert_false(phase_of(PLAN_OF(&command, "-q", "-wr"), WEIR_READ)->transfers.ends_at_mismatch);
    weir_command_close(&command);
}

static void depth_and_batch_are_those_that_were_given_or_the_backends_own(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        unsigned depth, batch;
    } cases[] = {
        {{"ior"}, 1, 1},
        {{"ior", "--depth=1", "--batch=1"}, 1, 1},
        {{"ior", "-a", "null"}, 1, 1},
        {{"ior", "-a", "null", "--depth", "7"}, 7, 1},
        {{"ior", "-a", "uring"}, 32, 1},
        {{"ior", "-a", "uring", "--depth=4", "--batch=4"}, 4, 4},
        {{"ior", "-a", "uring", "-O", "depth=4,batch=2"}, 4, 2},
        {{"ior", "-a", "uring", "--depth=1k"}, 1024, 1},
        {{"ior", "-a", "AIO"}, 128, 16},
        {{"ior", "-a", "AIO", "--depth=8"}, 8, 8},
        {{"ior", "-a", "AIO", "--batch=0"}, 128, 16},
        {{"ior", "-a", "AIO", "--aio.max-pending=64"}, 64, 16},
        {{"ior", "-a", "AIO", "--aio.max-pending=8"}, 8, 8},
        {{"ior", "-a", "AIO", "--aio.max-pending=64", "--aio.granularity=32"}, 64, 32},
        {{"ior", "-a", "AIO", "--aio.max-pending=64", "--depth=64"}, 64, 16},
        {{"ior", "-a", "AIO", "--aio.max-pending=128", "--depth=64"}, 64, 16},
        {{"ior", "-a", "AIO", "--aio.granularity=8", "--batch=8"}, 128, 8},
        {{"ior", "-a", "fault:libaio"}, 128, 16},
        {{"ior", "-a", "fault:aio", "--aio.granularity=4"}, 128, 4},
        {{"ior", "-a", "aio", "--dryRun"}, 128, 16},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];

        for (size_t k = 0; k < test->phase_count; k++) {
            bool is_data = test->phases[k]->verb != WEIR_REMOVE;

            assert_int_equal(test->phases[k]->depth, is_data ? cases[i].depth : 1);
            assert_int_equal(test->phases[k]->transfers.batch, is_data ? cases[i].batch : 0);
            assert_false(test->phases[k]->must_find_depth);
        }
        assert_int_equal(test->remark_count, 0);
        weir_command_close(&command);
    }
}

static void a_depth_is_found_in_timed_phases_only(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-a", "aio", "-wWr", "-z", "--randomPrefill=1m", "--depth=auto",
                "--read-percent=50");
    const struct weir_test *test = plan->tests[0];

    (void)state;
    assert_int_equal(test->phase_count, 6);
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];
        bool is_data = phase->verb != WEIR_REMOVE;
        bool is_timed = is_data && !phase->is_check && !phase->is_prefill;

        assert_int_equal(phase->must_find_depth, is_timed);
        assert_int_equal(phase->depth, is_timed ? 256 : is_data ? 128 : 1);
        assert_int_equal(phase->transfers.batch, is_data ? 16 : 0);
    }
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-a", "uring", "-wW", "--depth=AUTO:20", "--batch=20");
    assert_true(phase_of(plan, WEIR_WRITE)->must_find_depth);
    assert_int_equal(phase_of(plan, WEIR_WRITE)->depth, 20);
    assert_int_equal(phase_of(plan, WEIR_WRITE)->transfers.batch, 20);
    assert_int_equal(check_of(plan)->depth, 20);
    assert_int_equal(check_of(plan)->transfers.batch, 20);
    weir_command_close(&command);
}

static void a_mixed_phase_writes_as_a_write_and_verifies_as_a_read(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-w", "-R", "-q", "-e", "-Y", "-z", "-C", "-D", "5", "-d", "2", "-O",
                "interIODelay=7", "--read-percent=70");
    const struct weir_phase *mixed = phase_of(plan, WEIR_MIXED);

    (void)state;
    assert_int_equal(mixed->transfers.read_percent, 70);
    assert_true(mixed->transfers.must_sync_at_end && mixed->transfers.must_sync_each &&
                !mixed->transfers.must_replace);
    assert_true(mixed->transfers.must_verify && mixed->transfers.ends_at_mismatch &&
                !mixed->is_check);
    assert_int_equal(mixed->transfers.layout.order, WEIR_ORDER_SHUFFLED);
    assert_int_equal(mixed->shift.kind, WEIR_SHIFT_NONE);
    assert_true(mixed->stop.deadline_ns == 5 * SECOND && mixed->think_ns == 7000);
    assert_int_equal(phase_of(plan, WEIR_READ)->shift.kind, WEIR_SHIFT_NODES);
    assert_int_equal(phase_of(plan, WEIR_READ)->transfers.read_percent, 0);
    assert_int_equal(plan->tests[0]->steps->body->next->next->kind, WEIR_STEP_SLEEP);
    assert_ptr_equal(plan->tests[0]->steps->body->next->next->next->phase, mixed);
    assert_string_equal(plan->tests[0]->remarks[0],
                        "-C: a mixed phase writes too, and each task works on its own part there");
    weir_command_close(&command);
    mixed = phase_of(PLAN_OF(&command, "--read-percent=70"), WEIR_MIXED);
    assert_false(mixed->transfers.must_verify || mixed->transfers.must_sync_at_end ||
                 mixed->transfers.must_sync_each);
    weir_command_close(&command);
}

static void a_mixed_phase_alone_is_given_a_file_in_large_transfers(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        uint64_t transfer_bytes;
    } cases[] = {
        {{"ior", "-t4k", "-b1m"}, 1 << 20},
        {{"ior", "-t4k", "-b64m"}, 1 << 20},
        {{"ior", "-t4k", "-b64k"}, 1 << 16},
        {{"ior", "-t2m", "-b8m"}, 2 << 20},
        {{"ior", "-t1m", "-b1m"}, 1 << 20},
        {{"ior", "-t47008", "-b1034176"}, 1034176},
        {{"ior", "-t47008", "-b2068352"}, 1034176},
        {{"ior", "-t4k", "-b4124k"}, 4096},
        {{"ior", "-t4k", "-b3m"}, 1 << 20},
        {{"ior", "-t8", "-b8"}, 8},
        {{"ior", "-t4k", "-b1m", "-z", "--randomPrefill=8k"}, 8192},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *words[WORDS_MAX];
        struct weir_command command;
        const struct weir_phase *fill;

        memcpy(words, cases[i].words, sizeof words);
        words[count_words(words)] = "--read-percent=50";
        fill = plan_of(words, &command)->tests[0]->phases[0];
        assert_true(fill->is_prefill && fill->transfers.must_replace);
        assert_int_equal(fill->transfers.layout.order, WEIR_ORDER_SEQUENTIAL);
        assert_int_equal(fill->transfers.layout.transfer_bytes, cases[i].transfer_bytes);
        weir_command_close(&command);
    }
}

static void a_rate_is_of_transfers_or_with_a_unit_of_bytes(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        struct weir_rate rate;
    } cases[] = {
        {{"ior"}, {0}},
        {{"ior", "--rate=20000"}, {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 20000}},
        {{"ior", "--rate", "0.5"}, {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 0.5}},
        {{"ior", "--rate=200m"},
         {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 209715200, .is_in_bytes = true}},
        {{"ior", "--rate=1.5GiB"},
         {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 1610612736, .is_in_bytes = true}},
        {{"ior", "--rate=7", "--rate-of=rank", "--arrivals=p"},
         {.arrivals = WEIR_ARRIVALS_POISSON, .per_s = 7, .is_per_rank = true}},
        {{"ior", "--rate=7", "--rate-of=job", "--arrivals=constant"},
         {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 7}},
        {{"ior", "-c", "--rate=7"}, {.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 7}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *words[WORDS_MAX];
        struct weir_command command;
        const struct weir_test *test;

        memcpy(words, cases[i].words, sizeof words);
        words[count_words(words)] = "--read-percent=50";
        words[count_words(words)] = "-wWr";
        test = plan_of(words, &command)->tests[0];
        assert_int_equal(test->phase_count, 5);
        for (size_t k = 0; k < test->phase_count; k++) {
            const struct weir_phase *phase = test->phases[k];
            const struct weir_rate none = {0};
            bool is_timed = !phase->is_check && phase->verb != WEIR_REMOVE;
            const struct weir_rate *rate = is_timed ? &cases[i].rate : &none;

            assert_int_equal(phase->rate.arrivals, rate->arrivals);
            assert_true(phase->rate.per_s == rate->per_s);
            assert_int_equal(phase->rate.is_in_bytes, rate->is_in_bytes);
            assert_int_equal(phase->rate.is_per_rank, rate->is_per_rank);
        }
        weir_command_close(&command);
    }
}

static void a_device_keeps_its_name_and_its_data(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "--device=allow", "-o", "/dev/a");
    const struct weir_test *test = plan->tests[0];

    (void)state;
    assert_true(test->must_keep && !test->may_take_used_device && !test->may_overwrite);
    assert_true(test->phases[0]->target->is_device);
    assert_false(test->phases[0]->transfers.must_replace);
    assert_string_equal(weir_test_setting(test, "keepFile"), "1");
    weir_command_close(&command);
    plan = PLAN_OF(&command, "--device=f", "-F", "-o", "/dev/a@/dev/b");
    assert_true(plan->tests[0]->may_take_used_device);
    assert_int_equal(plan->tests[0]->phases[0]->target->path_count, 2);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "--device=allow", "-w", "-D", "1", "-O",
                   "stoneWallingStatusFile=s,stoneWallingWearOut=1");
    assert_true(plan->tests[0]->must_keep);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "--device=allow", "-a", "mpiio", "--dryRun");
    assert_true(plan->tests[0]->phases[0]->target->is_device);
    weir_command_close(&command);
}

static void direct_is_an_option_of_the_backend_or_what_it_does_anyway(void **state)
{
    static const char *const apis[] = {"posix", "aio", "fault:posix"};
    struct weir_command command;
    const struct weir_test *test;

    (void)state;
    for (size_t i = 0; i < COUNT(apis); i++) {
        const struct posix_values *values;

        test = PLAN_OF(&command, "--direct", "-a", apis[i])->tests[0];
        values = test->inner ? test->inner_options : test->backend_options;
        assert_true(values->direct == 1);
        assert_string_equal(weir_test_setting(test, "posix.odirect"), "1");
        assert_int_equal(test->remark_count, 0);
        weir_command_close(&command);
    }
    test = PLAN_OF(&command, "--direct", "-a", "uring")->tests[0];
    assert_null(weir_test_setting(test, "posix.odirect"));
    assert_int_equal(test->remark_count, 0);
    weir_command_close(&command);
}

static void side_files_and_given_placement_belong_to_the_test(void **state)
{
    struct weir_command command;
    const struct weir_test *test =
        PLAN_OF(&command, "-yF", "-o", "/a@/b", "-O",
                "numNodes=4,numTasksOnNode0=2,savePerOpDataCSV=p,saveRankPerformanceDetailsCSV=q")
            ->tests[0];

    (void)state;
    assert_int_equal(test->given_nodes, 4);
    assert_int_equal(test->given_ranks_per_node, 2);
    assert_int_equal(test->remark_count, 2);
    assert_string_equal(test->remarks[0], "Fake number of node: using 4");
    assert_string_equal(test->remarks[1], "Fake tasks per node: using 2");
    assert_string_equal(test->op_csv_prefix, "p");
    assert_string_equal(test->rank_csv_path, "q");
    assert_true(test->phases[0]->target->has_package_directory);
    assert_int_equal(test->phases[0]->target->path_count, 2);
    weir_command_close(&command);
    test = PLAN_OF(&command, "-O", "numNodes=0,numTasksOnNode0=-1")->tests[0];
    assert_true(test->given_nodes == 0 && test->given_ranks_per_node == 0);
    assert_int_equal(test->remark_count, 0);
    weir_command_close(&command);
}

/* Leaves the environment as it was: without these. */
/* ---- places, caches, and the end of the job ---- */

static void places_of_ranks_and_buffers_belong_to_the_test(void **state)
{
    struct weir_command command;
    const struct weir_test *test = PLAN_OF(&command, "--pin=nic", "--pin-order=scatter",
                                           "--nic=mlx5_0", "--membind=node:3", "--huge-pages")
                                       ->tests[0];

    (void)state;
    assert_int_equal(test->pinning.policy, WEIR_PIN_NIC);
    assert_int_equal(test->pinning.order, WEIR_PIN_SCATTER);
    assert_string_equal(test->pinning.nic, "mlx5_0");
    assert_int_equal(test->membind.policy, WEIR_MEMBIND_NODE);
    assert_int_equal(test->membind.node, 3);
    assert_true(test->wants_huge_pages);
    weir_command_close(&command);
    test = PLAN_OF(&command, "-O", "pin=list:0-3+8,membind=none,huge-pages=0")->tests[0];
    assert_int_equal(test->pinning.policy, WEIR_PIN_LIST);
    assert_string_equal(test->pinning.list, "0-3,8");
    assert_int_equal(test->membind.policy, WEIR_MEMBIND_NONE);
    assert_false(test->wants_huge_pages);
    weir_command_close(&command);
    assert_int_equal(PLAN_OF(&command, "--pin=storage", "--dryRun")->tests[0]->pinning.policy,
                     WEIR_PIN_STORAGE);
    weir_command_close(&command);
}

static void words_for_places_that_are_as_they_would_be_leave_the_plan_as_it_is(void **state)
{
    static const char *const ways[][WORDS_MAX] = {
        {"ior", "--pin=none", "--pin-order=auto", "--nic=auto"},
        {"ior", "--membind=auto", "--huge-pages=0"},
        {"ior", "--drop-caches=none"},
    };
    struct weir_command plain;
    const char *id = PLAN_OF(&plain, NULL)->id;

    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct weir_command command;

        assert_string_equal(plan_of(ways[i], &command)->id, id);
        weir_command_close(&command);
    }
    weir_command_close(&plain);
}

static void caches_are_dropped_where_reads_could_come_from_them(void **state)
{
    static const char no_reads[] =
        "--drop-caches: nothing is read in this test: nothing is dropped";
    static const char no_files[] = "--drop-caches: backend DUMMY has no files that a page cache "
                                   "could hold: nothing is dropped";
    static const char past_cache[] =
        "--drop-caches: backend URING reads past the page cache: it is emptied all the same, and "
        "should change nothing";
    static const struct {
        const char *words[WORDS_MAX];
        enum weir_cache_drop drop;
        const char *remark;
    } cases[] = {
        {{"ior"}, WEIR_DROP_NOTHING, NULL},
        {{"ior", "--drop-caches=none", "-w"}, WEIR_DROP_NOTHING, NULL},
        {{"ior", "--drop-caches=node"}, WEIR_DROP_NODE, NULL},
        {{"ior", "--drop-caches=f", "-r"}, WEIR_DROP_FILES, NULL},
        {{"ior", "--drop-caches", "files", "-wW"}, WEIR_DROP_FILES, NULL},
        {{"ior", "-Odrop-caches=files", "--read-percent=0"}, WEIR_DROP_FILES, NULL},
        {{"ior", "--drop-caches=node", "-w"}, WEIR_DROP_NOTHING, no_reads},
        {{"ior", "--drop-caches=node", "-a", "null"}, WEIR_DROP_NOTHING, no_files},
        {{"ior", "--drop-caches=files", "-a", "null", "--dryRun"}, WEIR_DROP_NOTHING, no_files},
        {{"ior", "--drop-caches=files", "-a", "uring"}, WEIR_DROP_FILES, past_cache},
        {{"ior", "--drop-caches=files", "-a", "fault:uring"},
         WEIR_DROP_FILES,
         "--drop-caches: backend FAULT:URING reads past the page cache: it is emptied all the "
         "same, "
         "and should change nothing"},
        {{"ior", "--drop-caches=node", "--dryRun"}, WEIR_DROP_NODE, NULL},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];

        assert_int_equal(test->cache_drop, cases[i].drop);
        assert_int_equal(test->remark_count, cases[i].remark != NULL);
        if (cases[i].remark)
            assert_string_equal(test->remarks[0], cases[i].remark);
        weir_command_close(&command);
    }
}

static void a_run_ends_before_its_job_by_seconds_minutes_or_hours(void **state)
{
    static const struct {
        const char *word;
        uint64_t ns;
    } cases[] = {
        {"60", 60 * SECOND},     {"60s", 60 * SECOND}, {"5m", 300 * SECOND},  {"5M", 300 * SECOND},
        {"1.5h", 5400 * SECOND}, {"0.25", SECOND / 4}, {"2H", 7200 * SECOND}, {"0", 0},
    };
    struct weir_command command;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct weir_plan *plan = PLAN_OF(&command, "--stop-before", cases[i].word);

        assert_true(plan->has_stop_before);
        assert_true(plan->stop_before_ns == cases[i].ns);
        weir_command_close(&command);
    }
    assert_false(PLAN_OF(&command, "-w")->has_stop_before);
    weir_command_close(&command);
}

static void environment_is_kept_with_the_words_and_has_the_first_word(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan;
    struct weir_error error = {0};

    (void)state;
    setenv("IOR_FAKE_NODES", "3", 1);
    setenv("IOR_FAKE_TASK_PER_NODES", "", 1);
    plan = PLAN_OF(&command, "-w");
    assert_int_equal(plan->tests[0]->given_nodes, 3);
    assert_int_equal(plan->tests[0]->given_ranks_per_node, 0);
    assert_string_equal(plan->command_line, "ior -w");
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-O", "numNodes=7");
    assert_int_equal(plan->tests[0]->given_nodes, 7);
    weir_command_close(&command);
    setenv("IOR_FAKE_NODES", "none", 1);
    assert_int_equal(weir_front_read(1, (const char *const[]){"ior"}, &backends, &command, &error),
                     -EINVAL);
    assert_string_equal(error.text,
                        "ior: IOR_FAKE_NODES: \"none\" is not a number of 1 or more; unset it");
    weir_command_close(&command);
    unsetenv("IOR_FAKE_NODES");
    unsetenv("IOR_FAKE_TASK_PER_NODES");
}

static void what_is_changed_or_ignored_is_remarked(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *remark; /* NULL: none */
    } cases[] = {
        {{"ior", "-i", "0"}, "-i: 0 repetitions are too few: using 1"},
        {{"ior", "-i", "-3"}, "-i: -3 repetitions are too few: using 1"},
        {{"ior", "-d", "-0.5"}, "-d: a delay below 0 seconds: using 0"},
        {{"ior", "-c"}, "-c: backend POSIX has no collective transfers: they are independent"},
        {{"ior", "-c", "--dryRun"},
         "-c: backend POSIX has no collective transfers: they are independent"},
        {{"ior", "-c", "-a", "mpiio"}, NULL},
        {{"ior", "-u"},
         "-u: without -F there is one file for all tasks, and it has no directory of its own"},
        {{"ior", "-B", "-a", "fault:MPIIO"},
         "-B: an option of backend POSIX, and this test uses FAULT:MPIIO: it changes nothing"},
        {{"ior", "-O", "useO_DIRECT=1", "-a", "fault:MPIIO"},
         "useO_DIRECT: an option of backend POSIX, and this test uses FAULT:MPIIO: it changes "
         "nothing"},
        {{"ior", "-O", "useO_DIRECT=1", "-a", "fault:MPIIO", "-o/scratch/Bob"},
         "useO_DIRECT: an option of backend POSIX, and this test uses FAULT:MPIIO: it changes "
         "nothing"},
        {{"ior", "-wkB", "-a", "fault:MPIIO"},
         "-B: an option of backend POSIX, and this test uses FAULT:MPIIO: it changes nothing"},
        {{"ior", "-B", "-a", "fault:posix"}, NULL},
        {{"ior", "-H"},
         "-H: an option of backend MPIIO, and this test uses POSIX: it changes nothing"},
        {{"ior", "-wH"},
         "-H: an option of backend MPIIO, and this test uses POSIX: it changes nothing"},
        {{"ior", "--showHints"},
         "--showHints: an option of backend MPIIO, and this test uses POSIX: it changes nothing"},
        {{"ior", "-O", "showHints=1"},
         "showHints: an option of backend MPIIO, and this test uses POSIX: it changes nothing"},
        {{"ior", "-H", "-O", "mpiio.showHints=1"},
         "mpiio.showHints: an option of backend MPIIO, and this test uses POSIX: it changes "
         "nothing"},
        {{"ior", "-O", "collective=1"},
         "collective: backend POSIX has no collective transfers: they are independent"},
        {{"ior", "-O", "individualDataSets=1"},
         "individualDataSets: an option of backend HDF5, and this test uses POSIX: it changes "
         "nothing"},
        {{"ior", "--mpiio.showHints"},
         "--mpiio.showHints: an option of backend MPIIO, and this test uses POSIX: it changes "
         "nothing"},
        {{"ior", "--mpiio.showHints=0"}, NULL},
        {{"ior", "--aio.max-pending=64"},
         "--aio.max-pending: an option of backend AIO, and this test uses POSIX: it changes "
         "nothing; use --depth and --batch"},
        {{"ior", "-a", "uring", "--aio.granularity=8"},
         "--aio.granularity: an option of backend AIO, and this test uses URING: it changes "
         "nothing; use --depth and --batch"},
        {{"ior", "--aio.max-pending=128", "--aio.granularity=16"}, NULL},
        {{"ior", "-Z", "--read-percent=5"},
         "-Z: a mixed phase writes too, and each task works on its own part there"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];

        assert_int_equal(test->remark_count, cases[i].remark != NULL);
        if (cases[i].remark)
            assert_string_equal(test->remarks[0], cases[i].remark);
        assert_int_equal(test->repetitions, 1);
        assert_int_equal(test->steps->count, 1);
        assert_int_equal(test->steps->body->kind, WEIR_STEP_PHASE);
        weir_command_close(&command);
    }
}

static void releases_are_known_by_their_numbers(void **state)
{
    static const struct {
        const char *word;
        const char *style;
    } cases[] = {
        {"2.10", "IOR 2.10"},   {"2.10.3", "IOR 2.10"}, {"3.0.1", "IOR 3.0"}, {"3.2", "IOR 3.2"},
        {"3.3+dev", "IOR 3.3"}, {"4.0", "IOR 4.0"},     {"4.1", "IOR 4.1"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;

        const char *style = PLAN_OF(&command, "--compat", cases[i].word)->output.style;

        assert_string_equal(style, cases[i].style);
        weir_command_close(&command);
    }
}

static void backends_are_found_by_name_alias_or_label(void **state)
{
    static const struct {
        const char *api;
        const struct weir_descriptor *backend;
        const struct weir_descriptor *inner;
        const char *label;
    } cases[] = {
        {"POSIX", &posix, NULL, "POSIX"},
        {"posix", &posix, NULL, "POSIX"},
        {"MpiIo", &mpiio, NULL, "MPIIO"},
        {"Dummy", &null, NULL, "DUMMY"},
        {"null", &null, NULL, "DUMMY"},
        {"fault:posix", &fault, &posix, "FAULT:POSIX"},
        {"FAULT:MPIIO", &fault, &mpiio, "FAULT:MPIIO"},
        {"AIO", &libaio, NULL, "AIO"},
        {"libaio", &libaio, NULL, "AIO"},
        {"uring", &uring, NULL, "URING"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = PLAN_OF(&command, "-w", "-a", cases[i].api)->tests[0];

        assert_ptr_equal(test->backend, cases[i].backend);
        assert_ptr_equal(test->inner, cases[i].inner);
        assert_string_equal(test->label, cases[i].label);
        weir_command_close(&command);
    }
}

static void a_dry_run_keeps_the_label_of_the_backend(void **state)
{
    struct weir_command command;
    const struct weir_test *test = PLAN_OF(&command, "--dryRun", "-a", "mpiio")->tests[0];

    (void)state;
    assert_ptr_equal(test->backend, &null);
    assert_string_equal(test->label, "MPIIO");
    assert_true(test->is_dry_run);
    weir_command_close(&command);
}

static void options_of_a_backend_reach_it_and_the_settings(void **state)
{
    static const char *const ways[] = {"--posix.odirect", "-Oposix.odirect=1", "-OuseO_DIRECT=1",
                                       "-O--POSIX.odirect=1"};

    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        struct weir_command command;
        const struct weir_test *test = PLAN_OF(&command, ways[i], "--mpiio.showHints")->tests[0];
        const struct posix_values *values = test->backend_options;

        assert_true(values->direct == 1);
        assert_string_equal(weir_test_setting(test, "posix.odirect"), "1");
        assert_null(weir_test_setting(test, "mpiio.showHints"));
        weir_command_close(&command);
    }
}

static void words_of_older_versions_mean_options_of_file_systems(void **state)
{
    struct weir_command command;
    const struct weir_test *test =
        PLAN_OF(&command, "-O", "lustreStripeCount=-1,lustreStripeSize=2m")->tests[0];
    const struct posix_values *values = test->backend_options;

    (void)state;
    assert_true(values->stripe_count == -1 && values->stripe_bytes == 2097152);
    assert_int_equal(test->remark_count, 0);
    weir_command_close(&command);
    test = PLAN_OF(&command, "-a", "MPIIO", "-VS")->tests[0];
    assert_true(((const struct mpiio_values *)test->backend_options)->view == 1);
    assert_true(((const struct mpiio_values *)test->backend_options)->strided == 1);
    weir_command_close(&command);
}

static void words_of_older_versions_mean_options_of_backends(void **state)
{
    struct weir_command command;
    const struct weir_test *test = PLAN_OF(&command, "-B")->tests[0];
    const struct posix_values *posix_values = test->backend_options;
    const struct mpiio_values *mpiio_values;

    (void)state;
    assert_true(posix_values->direct == 1);
    weir_command_close(&command);
    test = PLAN_OF(&command, "-B", "-a", "fault:posix")->tests[0];
    posix_values = test->inner_options;
    assert_true(posix_values->direct == 1);
    weir_command_close(&command);
    test = PLAN_OF(&command, "-a", "mpiio", "-Hp", "-U", "hints")->tests[0];
    mpiio_values = test->backend_options;
    assert_true(mpiio_values->show_hints == 1 && mpiio_values->preallocate == 1);
    assert_string_equal(mpiio_values->hints_path, "hints");
    weir_command_close(&command);
    test = PLAN_OF(&command, "-a", "mpiio", "-O", "showHints=1,hintsFileName=h")->tests[0];
    mpiio_values = test->backend_options;
    assert_true(mpiio_values->show_hints == 1 && mpiio_values->preallocate == 0);
    assert_string_equal(mpiio_values->hints_path, "h");
    assert_null(weir_test_setting(test, "showHints"));
    assert_string_equal(weir_test_setting(test, "mpiio.showHints"), "1");
    weir_command_close(&command);
}

static void settings_repeat_the_words_of_the_dialect(void **state)
{
    struct weir_command command;
    const struct weir_test *test =
        PLAN_OF(&command, "-b", "4m", "-vv", "-D", "0.5", "-C", "-O", "platform=x")->tests[0];

    (void)state;
    assert_string_equal(weir_test_setting(test, "blockSize"), "4m");
    assert_string_equal(weir_test_setting(test, "transferSize"), "256k");
    assert_string_equal(weir_test_setting(test, "verbose"), "2");
    assert_string_equal(weir_test_setting(test, "deadlineForStonewalling"), "0.5");
    assert_string_equal(weir_test_setting(test, "reorderTasks"), "1");
    assert_string_equal(weir_test_setting(test, "platform"), "x");
    assert_string_equal(weir_test_setting(test, "debug"), "");
    assert_null(weir_test_setting(test, "scriptFile"));
    assert_string_equal(weir_test_setting(test, "memoryPerNode"), "");
    assert_null(weir_test_setting(test, "gpuDirect"));
    weir_command_close(&command);
}

static void output_is_of_the_whole_run(void **state)
{
    struct weir_command command;
    const struct weir_output *output =
        &PLAN_OF(&command, "-vvvvvvv", "--plain", "--result=r", "--warningAsErrors", "-O",
                 "summaryFormat=json,summaryFile=s")
             ->output;

    (void)state;
    assert_string_equal(output->reporter, "ior json");
    assert_string_equal(output->summary_path, "s");
    assert_string_equal(output->result_path, "r");
    assert_true(output->is_plain && output->warnings_are_errors);
    assert_null(output->style);
    assert_int_equal(output->verbosity, 5);
    weir_command_close(&command);
}

/* ---- scripts ---- */

static void write_script(char path[], const char *text)
{
    int descriptor = mkstemp(path);
    ssize_t length = (ssize_t)strlen(text);

    assert_true(descriptor >= 0);
    assert_true(write(descriptor, text, (size_t)length) == length);
    close(descriptor);
}

static void tests_of_a_script_inherit_and_stay_apart(void **state)
{
    char path[] = "/tmp/weir-script-XXXXXX";
    struct weir_command command;
    const struct weir_plan *plan;
    const struct posix_values *values[2];

    (void)state;
    write_script(path, "quirk=1\n \tIor  Start \n#no\n  segmentCount=3\n\nRUN\n"
                       "--posix.odirect=1\nblockSize = 2m # two\nrun\nIOR STOP\nquirk=1\n");
    plan = PLAN_OF(&command, "-i", "5", "-f", path, "-F");
    unlink(path);
    assert_int_equal(plan->test_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct weir_test *test = plan->tests[i];

        assert_int_equal(test->repetitions, 5);
        assert_false(test->phases[0]->target->is_shared);
        assert_int_equal(test->phases[0]->transfers.layout.segment_count, 3);
        values[i] = test->backend_options;
    }
    assert_int_equal(plan->tests[0]->phases[0]->transfers.layout.block_bytes, 1048576);
    assert_int_equal(plan->tests[1]->phases[0]->transfers.layout.block_bytes, 2097152);
    assert_true(values[0]->direct == 0 && values[1]->direct == 1);
    weir_command_close(&command);
}

static void tests_of_a_script_have_places_of_their_own_and_end_together(void **state)
{
    static const enum weir_pin_policy policies[] = {WEIR_PIN_NIC, WEIR_PIN_CORE, WEIR_PIN_LIST,
                                                    WEIR_PIN_NONE};
    char path[] = "/tmp/weir-script-XXXXXX";
    struct weir_command command;
    const struct weir_plan *plan;

    (void)state;
    write_script(path,
                 "IOR START\npin=nic,nic=eth0\nstop-before=60\nRUN\n"
                 "pin=core,nic=auto,pin-order=scatter,membind=interleave,stop-before=1m\nRUN\n"
                 "pin=list:1+0,pin-order=auto,drop-caches=files\nRUN\npin=none\nRUN\nIOR STOP\n");
    plan = PLAN_OF(&command, "-f", path);
    unlink(path);
    assert_int_equal(plan->test_count, COUNT(policies));
    for (size_t i = 0; i < COUNT(policies); i++)
        assert_int_equal(plan->tests[i]->pinning.policy, policies[i]);
    assert_string_equal(plan->tests[0]->pinning.nic, "eth0");
    assert_null(plan->tests[1]->pinning.nic);
    assert_int_equal(plan->tests[0]->membind.policy, WEIR_MEMBIND_AUTO);
    assert_int_equal(plan->tests[3]->membind.policy, WEIR_MEMBIND_INTERLEAVE);
    assert_int_equal(plan->tests[1]->cache_drop, WEIR_DROP_NOTHING);
    assert_int_equal(plan->tests[2]->cache_drop, WEIR_DROP_FILES);
    assert_true(plan->has_stop_before && plan->stop_before_ns == 60 * SECOND);
    weir_command_close(&command);
}

static void a_later_test_cannot_say_when_the_run_ends(void **state)
{
    static const struct {
        const char *script;
        const char *text;
    } cases[] = {
        {"IOR START\nRUN\nstop-before=60s\nRUN\n",
         "ior: test 1: --stop-before: the run as a whole ends once, and test 0 says nothing of it; "
         "say it on the command line, or before the first RUN"},
        {"IOR START\nRUN\nstop-before=0\nRUN\n",
         "ior: test 1: --stop-before: the run as a whole ends once, and test 0 says nothing of it; "
         "say it on the command line, or before the first RUN"},
        {"IOR START\nstop-before=60\nRUN\nRUN\nstop-before=61\nRUN\n",
         "ior: test 2: --stop-before: the run as a whole ends once, and test 0 says another time; "
         "say it on the command line, or before the first RUN"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[] = "/tmp/weir-script-XXXXXX";
        const char *const words[WORDS_MAX] = {"ior", "-f", path};
        struct weir_command command;
        struct weir_error error;

        write_script(path, cases[i].script);
        assert_int_equal(read_words(words, &command, &error), -EINVAL);
        unlink(path);
        assert_string_equal(error.text, cases[i].text);
        weir_command_close(&command);
    }
}

static void a_line_of_a_script_may_be_long(void **state)
{
    char path[] = "/tmp/weir-script-XXXXXX";
    struct weir_command command;
    struct weir_text script = {0};
    char name[3001];

    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    weir_text_add(&script, "IOR START\ntestFile=%s\nIOR STOP\n", name);
    write_script(path, weir_text_string(&script));
    assert_string_equal(PLAN_OF(&command, "-f", path)->tests[0]->phases[0]->target->paths[0], name);
    unlink(path);
    weir_text_close(&script);
    weir_command_close(&command);
}

static void errors_of_scripts_name_file_and_line(void **state)
{
    static const struct {
        const char *script;
        const char *text; /* behind "ior: FILE" */
    } cases[] = {
        {"", ": no line says IOR START"},
        {"segmentCount=1\n", ": no line says IOR START"},
        {"IOR START\n\nfoo=1\n", ":3: unknown key \"foo\""},
        {"IOR START\nfsync\n", ":2: \"fsync\" is not key=value"},
        {"IOR START\nfsync=1,blockSize=x",
         ":2: blockSize: \"x\" is not a size (whole bytes, or a number with k, m, g, t or p behind "
         "it)"},
        {"IOR START\n-f=other\n", ":2: a script cannot call another one with -f"},
        {"IOR START\nscriptFile=other\n", ":2: a script cannot call another one with -f"},
        {"IOR START\nhelp=1\n", ":2: unknown key \"help\""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[] = "/tmp/weir-script-XXXXXX";
        const char *const words[WORDS_MAX] = {"ior", "-f", path};
        struct weir_command command;
        struct weir_error error;
        struct weir_text expected = {0};

        write_script(path, cases[i].script);
        assert_int_equal(read_words(words, &command, &error), -EINVAL);
        unlink(path);
        weir_text_add(&expected, "ior: %s%s", path, cases[i].text);
        assert_string_equal(error.text, weir_text_string(&expected));
        weir_text_close(&expected);
        weir_command_close(&command);
    }
}

static void a_script_that_cannot_be_read_is_an_error(void **state)
{
    static const char *const missing[WORDS_MAX] = {"ior", "-f", "/nonexistent/job.ior"};
    static const char *const directory[WORDS_MAX] = {"ior", "-f", "/tmp"};
    struct weir_command command;
    struct weir_error error;

    (void)state;
    assert_int_equal(read_words(missing, &command, &error), -ENOENT);
    assert_int_equal(error.exit, WEIR_EXIT_ENVIRONMENT);
    assert_string_equal(
        error.text,
        "ior: -f: /nonexistent/job.ior: No such file or directory (-f names a script of "
        "tests; -o names the file to write and read)");
    weir_command_close(&command);
    assert_int_equal(read_words(directory, &command, &error), -EISDIR);
    assert_string_equal(error.text, "ior: -f: /tmp: cannot be read: Is a directory");
    weir_command_close(&command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_name_and_first_word_choose_the_command),
        cmocka_unit_test(help_names_every_table),
        cmocka_unit_test(report_takes_a_file_and_a_format),
        cmocka_unit_test(a_backend_that_was_left_out_is_refused_with_the_reason),
        cmocka_unit_test(wrong_commands_are_refused_with_what_there_is),
        cmocka_unit_test(without_an_action_there_is_a_write_and_a_read),
        cmocka_unit_test(options_of_a_write_do_not_reach_the_read),
        cmocka_unit_test(shifts_are_of_reads_and_one_node_further_for_checks),
        cmocka_unit_test(data_options_choose_the_payload),
        cmocka_unit_test(limits_belong_to_the_test),
        cmocka_unit_test(memory_is_taken_per_node_or_per_task),
        cmocka_unit_test(a_prefill_goes_before_each_write_and_replaces_for_it),
        cmocka_unit_test(a_task_that_quits_on_errors_ends_verifying_reads),
        cmocka_unit_test(depth_and_batch_are_those_that_were_given_or_the_backends_own),
        cmocka_unit_test(a_depth_is_found_in_timed_phases_only),
        cmocka_unit_test(a_mixed_phase_writes_as_a_write_and_verifies_as_a_read),
        cmocka_unit_test(a_mixed_phase_alone_is_given_a_file_in_large_transfers),
        cmocka_unit_test(a_rate_is_of_transfers_or_with_a_unit_of_bytes),
        cmocka_unit_test(a_device_keeps_its_name_and_its_data),
        cmocka_unit_test(direct_is_an_option_of_the_backend_or_what_it_does_anyway),
        cmocka_unit_test(side_files_and_given_placement_belong_to_the_test),
        cmocka_unit_test(places_of_ranks_and_buffers_belong_to_the_test),
        cmocka_unit_test(words_for_places_that_are_as_they_would_be_leave_the_plan_as_it_is),
        cmocka_unit_test(caches_are_dropped_where_reads_could_come_from_them),
        cmocka_unit_test(a_run_ends_before_its_job_by_seconds_minutes_or_hours),
        cmocka_unit_test(environment_is_kept_with_the_words_and_has_the_first_word),
        cmocka_unit_test(what_is_changed_or_ignored_is_remarked),
        cmocka_unit_test(releases_are_known_by_their_numbers),
        cmocka_unit_test(backends_are_found_by_name_alias_or_label),
        cmocka_unit_test(a_dry_run_keeps_the_label_of_the_backend),
        cmocka_unit_test(options_of_a_backend_reach_it_and_the_settings),
        cmocka_unit_test(words_of_older_versions_mean_options_of_backends),
        cmocka_unit_test(words_of_older_versions_mean_options_of_file_systems),
        cmocka_unit_test(settings_repeat_the_words_of_the_dialect),
        cmocka_unit_test(output_is_of_the_whole_run),
        cmocka_unit_test(tests_of_a_script_inherit_and_stay_apart),
        cmocka_unit_test(tests_of_a_script_have_places_of_their_own_and_end_together),
        cmocka_unit_test(a_later_test_cannot_say_when_the_run_ends),
        cmocka_unit_test(a_line_of_a_script_may_be_long),
        cmocka_unit_test(errors_of_scripts_name_file_and_line),
        cmocka_unit_test(a_script_that_cannot_be_read_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
