/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's words for a test, read from the plan and not from an option's letter. */

#include "ior.h"

#include "weir/base/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *weir_words_version(const struct weir_plan *plan,
                               char version[WEIR_REPORT_VERSION_BYTES])
{
    static const char *const versions[] = {
        [WEIR_IOR_4_1] = WEIR_IOR_VERSION, [WEIR_IOR_4_0] = "4.0.0", [WEIR_IOR_3_3] = "3.3.0",
        [WEIR_IOR_3_2] = "3.2.1",          [WEIR_IOR_3_0] = "3.0.1", [WEIR_IOR_2_10] = "2.10.3",
    };

    return weir_report_version(plan, versions[weir_ior_layout_of(plan)->release], version);
}

void weir_words_machine(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_host_facts *host)
{
    weir_text_add(text, "%s %s", host->system, host->node);
    if (plan->output.verbosity >= 2)
        weir_text_add(text, " %s %s %s", host->release, host->version, host->machine);
}

void weir_words_path(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_test_result *begun)
{
    const char *slash = strrchr(begun->path, '/');

    if (weir_ior_layout_of(plan)->release < WEIR_IOR_3_3)
        weir_text_add(text, "%s", begun->path);
    else if (!slash)
        weir_text_add(text, ".");
    else
        weir_text_add(text, "%.*s", slash == begun->path ? 1 : (int)(slash - begun->path),
                      begun->path);
}

/* First timed phase of the test that writes, or that reads: of that verb, else a mixed one. NULL if
 * there is none. */
static const struct weir_phase *weir_words_phase(const struct weir_test *test, enum weir_verb verb)
{
    const struct weir_phase *phase = weir_test_phase(test, verb);

    return phase ? phase : weir_test_phase(test, WEIR_MIXED);
}

const struct weir_phase *weir_words_data_phase(const struct weir_test *test)
{
    const struct weir_phase *phase = weir_test_phase(test, WEIR_WRITE);

    if (!phase)
        phase = weir_words_phase(test, WEIR_READ);
    for (size_t i = 0; !phase && i < test->phase_count; i++)
        if (weir_verb_moves_data(test->phases[i]->verb))
            phase = test->phases[i];
    return phase;
}

int64_t weir_words_setting(const struct weir_test *test, const char *key, int64_t otherwise)
{
    const char *value = weir_test_setting(test, key);
    int64_t number;

    return value && weir_integer_parse(value, &number) == 0 ? number : otherwise;
}

/* A plan without reads has no place for the shift of reads, and IOR repeats it all the same. */
static struct weir_shift shift_without_reads(const struct weir_test *test)
{
    int64_t random_count = weir_words_setting(test, "reorderTasksRandom", 0);
    int64_t seed = weir_words_setting(test, "reorderTasksRandomSeed", 0);
    bool is_constant = weir_words_setting(test, "reorderTasksConstant", 0) > 0 ||
                       weir_words_setting(test, "reorderTasks", 0) > 0;
    struct weir_shift shift = {
        .kind = is_constant ? WEIR_SHIFT_NODES : WEIR_SHIFT_NONE,
        .distance = (uint64_t)llabs(weir_words_setting(test, "taskPerNodeOffset", 1)),
        .seed = seed < 0 ? 0 - (uint64_t)seed : (uint64_t)seed,
        .varies = seed < 0,
    };

    if (random_count > 0)
        shift.kind = random_count == 1 ? WEIR_SHIFT_RANDOM : WEIR_SHIFT_PERMUTATION;
    return shift;
}

struct weir_shift weir_words_shift(const struct weir_test *test)
{
    const struct weir_phase *read = weir_test_phase(test, WEIR_READ);

    return read ? read->shift : shift_without_reads(test);
}

unsigned weir_words_random_shift_count(const struct weir_shift *shift)
{
    if (shift->kind == WEIR_SHIFT_PERMUTATION)
        return 2;
    return shift->kind == WEIR_SHIFT_RANDOM ? 1 : 0;
}

int64_t weir_words_shift_seed(const struct weir_shift *shift)
{
    return (int64_t)(shift->varies ? 0 - shift->seed : shift->seed);
}

/* A prefill does it for the write behind it. */
bool weir_words_replaces(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->transfers.must_replace)
            return true;
    return false;
}

void weir_words_file_name(struct weir_text *text, const struct weir_test *test)
{
    const struct weir_phase *phase = weir_words_data_phase(test);

    if (!phase && test->phase_count > 0)
        phase = test->phases[0];
    for (size_t i = 0; phase && i < phase->target->path_count; i++)
        weir_text_add(text, "%s%s", i > 0 ? "@" : "", phase->target->paths[i]);
}

const char *weir_words_remark(const struct weir_test *test)
{
    const char *remark = weir_test_setting(test, "debug");

    return remark && *remark ? remark : NULL;
}

/* ---- the block "Options" ---- */

static void say_size(const struct weir_words_listener *listener, const char *key, uint64_t bytes)
{
    char size[WEIR_SIZE_TEXT_BYTES];

    listener->text(listener->context, key, weir_size_format(bytes, size));
}

static void say_target(const struct weir_words_listener *listener, const struct weir_test *test,
                       const struct weir_phase *phase)
{
    void *context = listener->context;
    struct weir_text name = {0};

    weir_words_file_name(&name, test);
    listener->text(context, "api", test->label);
    /* In a dry run another backend stands in, whose version is not that of the one named. */
    listener->text(context, "apiVersion", test->is_dry_run ? "" : test->backend->version);
    listener->text(context, "test filename", weir_text_string(&name));
    listener->text(context, "access",
                   phase->target->is_shared ? "single-shared-file" : "file-per-process");
    weir_text_close(&name);
}

void weir_words_options(const struct weir_words_listener *listener, const struct weir_plan *plan,
                        const struct weir_test *test, const struct weir_test_result *begun)
{
    static const char *const words[] = {
        [WEIR_SHIFT_NONE] = "no tasks offsets",
        [WEIR_SHIFT_NODES] = "constant task offset",
        [WEIR_SHIFT_RANDOM] = "random task offset",
        [WEIR_SHIFT_PERMUTATION] = "random task offset",
    };
    const struct weir_phase *phase = weir_words_data_phase(test);
    const struct weir_ior_layout *layout = weir_ior_layout_of(plan);
    struct weir_shift shift = weir_words_shift(test);
    void *context = listener->context;
    char percent[16];

    if (!phase)
        return;
    say_target(listener, test, phase);
    listener->text(context, "type", phase->transfers.is_collective ? "collective" : "independent");
    listener->number(context, "segments", (double)phase->transfers.layout.segment_count);
    listener->text(context, "ordering in a file",
                   phase->transfers.layout.order == WEIR_ORDER_SEQUENTIAL ? "sequential"
                                                                          : "random");
    listener->text(context, "ordering inter file", words[shift.kind]);
    if (shift.kind != WEIR_SHIFT_NONE)
        listener->number(context, "task offset", (double)shift.distance);
    if (weir_words_random_shift_count(&shift) > 0)
        listener->number(context, "reorder random seed", (double)weir_words_shift_seed(&shift));
    if (layout->has_nodes)
        listener->number(context, "nodes", begun->node_count);
    listener->number(context, "tasks", begun->rank_count);
    listener->number(context, "clients per node", begun->ranks_per_node);
    /* A share of a node's memory is printed as it was given. */
    if (test->hog.bytes_per_rank > 0)
        say_size(listener, "memoryPerTask", test->hog.bytes_per_rank);
    if (test->hog.bytes_per_node > 0)
        say_size(listener, "memoryPerNode", test->hog.bytes_per_node);
    snprintf(percent, sizeof percent, "%u%%", test->hog.percent_of_node);
    if (test->hog.percent_of_node > 0)
        listener->text(context, "memoryPerNode", percent);
    if (layout->has_buffers) {
        listener->text(context, "memoryBuffer", "CPU");
        listener->text(context, "dataAccess", "CPU");
        listener->text(context, "GPUDirect", "0");
    }
    listener->number(context, "repetitions", (double)test->repetitions);
    say_size(listener, "xfersize", phase->transfers.layout.transfer_bytes);
    say_size(listener, "blocksize", phase->transfers.layout.block_bytes);
    say_size(listener, "aggregate filesize",
             weir_layout_bytes_per_rank(&phase->transfers.layout) * begun->rank_count);
    if (test->is_dry_run)
        listener->number(context, "dryRun", 1);
    if (plan->output.verbosity > 0 && layout->has_verbosity)
        listener->number(context, "verbose", plan->output.verbosity);
    if (phase->stop.deadline_ns > 0) {
        listener->number(context, "stonewallingTime", (double)phase->stop.deadline_ns / 1e9);
        listener->number(context, "stoneWallingWearOut", phase->stop.has_wear_out);
    }
}

/* ---- the file system ---- */

struct weir_words_filesystem weir_words_filesystem(const struct weir_filesystem_facts *facts)
{
    static const struct weir_filesystem_facts unknown = {.is_known = false};
    const struct weir_filesystem_facts *known = facts->is_known ? facts : &unknown;
    double gib = (double)known->bytes_total / WEIR_GIB;
    bool is_large = gib >= 1024.0;
    struct weir_words_filesystem words;

    snprintf(words.capacity, sizeof words.capacity, "%.1f %s", is_large ? gib / 1024.0 : gib,
             is_large ? "TiB" : "GiB");
    snprintf(words.used_capacity, sizeof words.used_capacity, "%.1f%%",
             weir_figures_percent((double)known->bytes_used, (double)known->bytes_total));
    snprintf(words.inodes, sizeof words.inodes, "%.1f Mi", (double)known->inodes_total / WEIR_MIB);
    snprintf(words.used_inodes, sizeof words.used_inodes, "%.1f%%",
             weir_figures_percent((double)known->inodes_used, (double)known->inodes_total));
    return words;
}

/* ---- IOR's variables ---- */

/* The sources of the values. */
struct subject {
    const struct weir_words_listener *listener;
    const struct weir_plan *plan;
    const struct weir_result *result;
    const struct weir_test *test;
    const struct weir_test_result *begun;
    const struct weir_phase *phase; /* stands for the layout of the test */
};

static void say_text(const struct subject *subject, const char *key, const char *value)
{
    subject->listener->text(subject->listener->context, key, value);
}

static void say_number(const struct subject *subject, const char *key, double value)
{
    subject->listener->number(subject->listener->context, key, value);
}

static bool is_version_3(const struct subject *subject)
{
    return weir_ior_layout_of(subject->plan)->release >= WEIR_IOR_3_3;
}

/* 3.2, and what is older and had no such block. */
static bool is_version_3_2(const struct subject *subject)
{
    return weir_ior_layout_of(subject->plan)->release >= WEIR_IOR_3_2;
}

/* A flag of a backend, or of the test, that the plan keeps as a setting. */
static void say_flag(const struct subject *subject, const char *key, const char *setting)
{
    say_number(subject, key, weir_words_setting(subject->test, setting, 0) != 0);
}

/* ---- names ---- */

static void say_names(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    const char *remark = weir_words_remark(test);
    const char *hints = weir_test_setting(test, "mpiio.hintsFileName");
    struct weir_text text = {0};
    const char *given = weir_test_setting(subject->test, "platform");
    const struct weir_host_facts *host = &subject->result->host;

    say_number(subject, "testID", test->number);
    say_number(subject, "refnum", (double)test->reference);
    say_text(subject, "api", test->label);
    /* The user's name of the machine, else IOR's: node(system). */
    if (given && *given)
        weir_text_add(&text, "%s", given);
    else
        weir_text_add(&text, "%s(%s)", host->node, host->system);
    say_text(subject, "platform", weir_text_string(&text));
    weir_text_close(&text);
    if (remark)
        say_text(subject, "debug", remark);
    weir_words_file_name(&text, test);
    say_text(subject, "testFileName", weir_text_string(&text));
    weir_text_close(&text);
    if (is_version_3(subject))
        say_text(subject, "hintsFileName", hints && *hints ? hints : "(null)");
}

/* ---- limits ---- */

static double setting_seconds(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);
    uint64_t ns;

    return value && weir_duration_parse(value, UINT64_C(1000000000), &ns) == 0 ? (double)ns / 1e9
                                                                               : 0.0;
}

static void say_all_limits(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    const struct weir_phase *phase = subject->phase;
    const struct weir_memory_hog *hog = &subject->test->hog;
    char percent[16];

    say_number(subject, "deadlineForStonewall", (double)phase->stop.deadline_ns / 1e9);
    say_number(subject, "stoneWallingWearOut", phase->stop.has_wear_out);
    say_number(subject, "maxTimeDuration", (double)test->time_limit_ns / 60e9);
    say_number(subject, "outlierThreshold", (double)test->outlier_ns / 1e9);
    say_text(subject, "options", "(null)");
    if (!is_version_3_2(subject))
        say_number(subject, "dryRun", test->is_dry_run);
    /* 3.2 says only what was given there. */
    say_number(subject, "nodes",
               is_version_3_2(subject) ? (double)test->given_nodes
                                       : (double)subject->begun->node_count);
    /* A share of a node's memory is not known in bytes before the run, so it is printed as it was
     * given. */
    say_number(subject, "memoryPerTask", (double)hog->bytes_per_rank);
    snprintf(percent, sizeof percent, "%u%%", hog->percent_of_node);
    if (hog->percent_of_node > 0)
        say_text(subject, "memoryPerNode", percent);
    else
        say_number(subject, "memoryPerNode", (double)hog->bytes_per_node);
    say_number(subject, "tasksPerNode", subject->begun->ranks_per_node);
    say_number(subject, "repetitions", (double)test->repetitions);
    say_number(subject, "multiFile", phase->target->is_new_each_repetition);
    say_number(subject, "interTestDelay", setting_seconds(test, "interTestDelay"));
}

/* ---- what is done ---- */

static void say_actions(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    const struct weir_phase *write = weir_words_phase(test, WEIR_WRITE);
    bool keeps_existing = write ? !weir_words_replaces(test)
                                : weir_words_setting(test, "useExistingTestFile", 0) != 0;

    say_number(subject, "fsync", write && write->transfers.must_sync_at_end);
    say_number(subject, "fsyncperwrite", write && write->transfers.must_sync_each);
    say_number(subject, "useExistingTestFile", keeps_existing);
    if (is_version_3(subject))
        say_flag(subject, "showHints", "mpiio.showHints");
    say_number(subject, "uniqueDir", subject->phase->target->has_own_directory);
    if (is_version_3(subject))
        say_flag(subject, "individualDataSets", "individualDataSets");
    say_number(subject, "singleXferAttempt", subject->phase->transfers.is_single_attempt);
    say_number(subject, "readFile", weir_words_phase(test, WEIR_READ) != NULL);
    say_number(subject, "writeFile", write != NULL);
    say_number(subject, "filePerProc", !subject->phase->target->is_shared);
}

/* ---- data ---- */

/* The letter of the data, and its number in IOR 4. */
static const char *data_letter(const struct weir_test *test, int *number)
{
    static const char *const letters[] = {"t", "o", "i", "r"};
    const char *value = weir_test_setting(test, "dataPacketType");

    *number = 0;
    for (int i = 0; value && i < 4; i++)
        if (value[0] == letters[i][0])
            *number = i;
    return letters[*number];
}

static bool has_check(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->is_check)
            return true;
    return false;
}

static bool ends_at_mismatch(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->transfers.ends_at_mismatch)
            return true;
    return false;
}

/* As it was given: -G -1 is -1 in IOR, and seed 2^32 - 1 here. */
static double signature_of(const struct subject *subject)
{
    const struct weir_payload *payload = &subject->phase->transfers.payload;
    int64_t given = weir_words_setting(subject->test, "setTimeStampSignature", 0);

    if (!payload->seed_is_given)
        return 0;
    return given < 0 ? (double)(int32_t)payload->seed : (double)payload->seed;
}

static void say_keeping(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    const struct weir_phase *removal = weir_test_phase(test, WEIR_REMOVE);

    say_number(subject, "keepFile", test->must_keep);
    say_number(subject, "keepFileWithError", removal && removal->names.only_if_clean);
    if (is_version_3(subject))
        say_number(subject, "quitOnError", ends_at_mismatch(test));
    else
        say_number(subject, "warningAsErrors", subject->plan->output.warnings_are_errors);
    say_number(subject, "verbose", subject->plan->output.verbosity);
}

void weir_parameters_say(const struct weir_words_listener *listener, const struct weir_plan *plan,
                         const struct weir_result *result, const struct weir_test_result *begun)
{
    static const int random_offset[] = {
        [WEIR_ORDER_SEQUENTIAL] = 0,
        [WEIR_ORDER_SHUFFLED] = 1,
        [WEIR_ORDER_RANDOM_BLOCKS] = 2,
    };
    const struct weir_test *test = plan->tests[begun->test];
    const struct subject subject = {
        .listener = listener,
        .plan = plan,
        .result = result,
        .test = test,
        .begun = begun,
        .phase = weir_words_data_phase(test),
    };
    int type;

    say_names(&subject);
    if (!subject.phase)
        return;
    say_all_limits(&subject);
    say_actions(&subject);

    enum weir_order order = subject.phase->transfers.layout.order;
    struct weir_shift shift = weir_words_shift(subject.test);

    say_number(&subject, "reorderTasks", shift.kind == WEIR_SHIFT_NODES);
    say_number(&subject, "reorderTasksRandom", weir_words_random_shift_count(&shift));
    say_number(&subject, "reorderTasksRandomSeed", (double)weir_words_shift_seed(&shift));
    /* An order that other dialects have is random enough for IOR's word. */
    say_number(&subject, "randomOffset",
               (size_t)order < sizeof random_offset / sizeof *random_offset ? random_offset[order]
                                                                            : 1);

    const struct weir_phase *read = weir_words_phase(subject.test, WEIR_READ);

    data_letter(subject.test, &type);
    say_number(&subject, "checkWrite", has_check(subject.test));
    say_number(&subject, "checkRead", read && read->transfers.must_verify);
    if (!is_version_3(&subject))
        say_number(&subject, "dataPacketType", type);

    if (is_version_3(&subject)) {
        /* What 3.x prints of its backends MPIIO, HDF5 and NCMPI in every test. */
        say_flag(&subject, "preallocate", "mpiio.preallocate");
        say_flag(&subject, "useFileView", "mpiio.useFileView");
        say_number(&subject, "setAlignment", 1);
        say_number(&subject, "storeFileOffset", 0);
        say_flag(&subject, "useSharedFilePointer", "mpiio.useSharedFilePointer");
        if (is_version_3_2(&subject))
            say_flag(&subject, "useO_DIRECT", "posix.odirect");
        say_flag(&subject, "useStridedDatatype", "mpiio.useStridedDatatype");
    }
    say_keeping(&subject);

    /* IOR 3.x calls its usual data "generic". */
    const struct weir_layout *layout = &subject.phase->transfers.layout;
    const char *letter = data_letter(subject.test, &type);

    say_text(&subject, "data packet type", is_version_3(&subject) && type == 0 ? "g" : letter);
    say_number(&subject, "setTimeStampSignature/incompressibleSeed", signature_of(&subject));
    say_number(&subject, "collective", subject.phase->transfers.is_collective);
    say_number(&subject, "segmentCount", (double)layout->segment_count);
    say_number(&subject, "transferSize", (double)layout->transfer_bytes);
    say_number(&subject, "blockSize", (double)layout->block_bytes);
}

/* ---- versions ---- */

/* IOR 4.1 prints the lines "Max" at -v only, and most scripts look for them: here they are always
 * there, unless --compat 4.0 is given. */
static const struct weir_ior_layout layouts[] = {
    [WEIR_IOR_4_1] = {WEIR_IOR_4_1, "IOR 4.1", 11, .has_stonewall = true, .has_nodes = true,
                      .has_buffers = true, .has_verbosity = true, .has_all_maxima = true,
                      .commencing = WEIR_COMMENCING_LINE, .commencing_verbosity = 3,
                      .has_gap_before_reads = true},
    [WEIR_IOR_4_0] = {WEIR_IOR_4_0, "IOR 4.0", 11, .has_stonewall = true, .has_nodes = true,
                      .has_verbosity = true, .participants = "Participating tasks : ",
                      .commencing = WEIR_COMMENCING_LINE, .commencing_verbosity = 1},
    [WEIR_IOR_3_3] = {WEIR_IOR_3_3, "IOR 3.3", 11, .has_stonewall = true, .has_nodes = true,
                      .has_all_removals = true, .has_all_maxima = true, .has_skew = true,
                      .participants = "Participating tasks: ", .commencing = WEIR_COMMENCING_LINE,
                      .commencing_verbosity = 1},
    [WEIR_IOR_3_2] = {WEIR_IOR_3_2, "IOR 3.2", 9, .has_all_removals = true, .has_all_maxima = true,
                      .has_skew = true, .participants = "Participating tasks: ",
                      .commencing = WEIR_COMMENCING_LINE, .commencing_verbosity = 1},
    [WEIR_IOR_3_0] = {WEIR_IOR_3_0, "IOR 3.0", 9, .has_all_removals = true, .has_all_maxima = true,
                      .has_skew = true, .participants = "Participating tasks: "},
    [WEIR_IOR_2_10] = {WEIR_IOR_2_10, "IOR 2.10", 0, .has_all_maxima = true, .has_skew = true,
                       .participants = "Participating tasks: ", .commencing = WEIR_COMMENCING_BLOCK,
                       .commencing_verbosity = 1},
};

const struct weir_ior_layout *weir_ior_layout_find(const char *style)
{
    for (size_t i = 0; style && i < sizeof layouts / sizeof *layouts; i++)
        if (strcmp(style, layouts[i].name) == 0)
            return &layouts[i];
    return &layouts[WEIR_IOR_4_1];
}

const struct weir_ior_layout *weir_ior_layout_of(const struct weir_plan *plan)
{
    return weir_ior_layout_find(plan->output.style);
}
