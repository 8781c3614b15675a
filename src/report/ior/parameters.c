/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's variables by their names, read from the plan: 3.x has some that 4.x has not, and 4.x a few
 * that 3.x has not. */
#include "parameters.h"

#include "layout.h"

#include <stdio.h>

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

/* The user's name of the machine, else IOR's: node(system). */
static void say_platform(const struct subject *subject)
{
    const char *given = weir_test_setting(subject->test, "platform");
    const struct weir_host_facts *host = &subject->result->host;
    struct weir_text text = {0};

    if (given && *given)
        weir_text_add(&text, "%s", given);
    else
        weir_text_add(&text, "%s(%s)", host->node, host->system);
    say_text(subject, "platform", weir_text_string(&text));
    weir_text_close(&text);
}

static void say_names(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    const char *remark = weir_words_remark(test);
    const char *hints = weir_test_setting(test, "mpiio.hintsFileName");
    struct weir_text text = {0};

    say_number(subject, "testID", test->number);
    say_number(subject, "refnum", (double)test->reference);
    say_text(subject, "api", test->label);
    say_platform(subject);
    if (remark)
        say_text(subject, "debug", remark);
    weir_words_file_name(&text, test);
    say_text(subject, "testFileName", weir_text_string(&text));
    weir_text_close(&text);
    if (is_version_3(subject))
        say_text(subject, "hintsFileName", hints && *hints ? hints : "(null)");
}

/* ---- limits ---- */

/* A share of a node's memory is not known in bytes before the run, so it is printed as it was
 * given. */
static void say_memory(const struct subject *subject)
{
    const struct weir_memory_hog *hog = &subject->test->hog;
    char percent[16];

    say_number(subject, "memoryPerTask", (double)hog->bytes_per_rank);
    snprintf(percent, sizeof percent, "%u%%", hog->percent_of_node);
    if (hog->percent_of_node > 0)
        say_text(subject, "memoryPerNode", percent);
    else
        say_number(subject, "memoryPerNode", (double)hog->bytes_per_node);
}

static double setting_seconds(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);
    uint64_t ns;

    return value && weir_duration_parse(value, UINT64_C(1000000000), &ns) == 0 ? (double)ns / 1e9
                                                                               : 0.0;
}

static void say_limits(const struct subject *subject)
{
    const struct weir_test *test = subject->test;
    const struct weir_phase *phase = subject->phase;

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
    say_memory(subject);
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

static void say_order(const struct subject *subject)
{
    static const int random_offset[] = {
        [WEIR_ORDER_SEQUENTIAL] = 0,
        [WEIR_ORDER_SHUFFLED] = 1,
        [WEIR_ORDER_RANDOM_BLOCKS] = 2,
    };
    enum weir_order order = subject->phase->transfers.layout.order;
    struct weir_shift shift = weir_words_shift(subject->test);

    say_number(subject, "reorderTasks", shift.kind == WEIR_SHIFT_NODES);
    say_number(subject, "reorderTasksRandom", weir_words_random_shift_count(&shift));
    say_number(subject, "reorderTasksRandomSeed", (double)weir_words_shift_seed(&shift));
    /* An order that other dialects have is random enough for IOR's word. */
    say_number(subject, "randomOffset",
               (size_t)order < sizeof random_offset / sizeof *random_offset ? random_offset[order]
                                                                            : 1);
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

static void say_checks(const struct subject *subject)
{
    const struct weir_phase *read = weir_words_phase(subject->test, WEIR_READ);
    int type;

    data_letter(subject->test, &type);
    say_number(subject, "checkWrite", has_check(subject->test));
    say_number(subject, "checkRead", read && read->transfers.must_verify);
    if (!is_version_3(subject))
        say_number(subject, "dataPacketType", type);
}

/* What 3.x prints of its backends MPIIO, HDF5 and NCMPI in every test. */
static void say_old_backends(const struct subject *subject)
{
    say_flag(subject, "preallocate", "mpiio.preallocate");
    say_flag(subject, "useFileView", "mpiio.useFileView");
    say_number(subject, "setAlignment", 1);
    say_number(subject, "storeFileOffset", 0);
    say_flag(subject, "useSharedFilePointer", "mpiio.useSharedFilePointer");
    if (is_version_3_2(subject))
        say_flag(subject, "useO_DIRECT", "posix.odirect");
    say_flag(subject, "useStridedDatatype", "mpiio.useStridedDatatype");
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

/* IOR 3.x calls its usual data "generic". */
static void say_data(const struct subject *subject)
{
    const struct weir_layout *layout = &subject->phase->transfers.layout;
    int type;
    const char *letter = data_letter(subject->test, &type);

    say_text(subject, "data packet type", is_version_3(subject) && type == 0 ? "g" : letter);
    say_number(subject, "setTimeStampSignature/incompressibleSeed", signature_of(subject));
    say_number(subject, "collective", subject->phase->transfers.is_collective);
    say_number(subject, "segmentCount", (double)layout->segment_count);
    say_number(subject, "transferSize", (double)layout->transfer_bytes);
    say_number(subject, "blockSize", (double)layout->block_bytes);
}

void weir_parameters_say(const struct weir_words_listener *listener, const struct weir_plan *plan,
                         const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const struct subject subject = {
        .listener = listener,
        .plan = plan,
        .result = result,
        .test = test,
        .begun = begun,
        .phase = weir_words_data_phase(test),
    };

    say_names(&subject);
    if (!subject.phase)
        return;
    say_limits(&subject);
    say_actions(&subject);
    say_order(&subject);
    say_checks(&subject);
    if (is_version_3(&subject))
        say_old_backends(&subject);
    say_keeping(&subject);
    say_data(&subject);
}
