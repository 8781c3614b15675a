/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's words for a test, read from the plan and not from an option's letter. */
#include "words.h"

#include "figures.h"
#include "layout.h"

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

const struct weir_phase *weir_words_phase(const struct weir_test *test, enum weir_verb verb)
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

static void say_shift(const struct weir_words_listener *listener, const struct weir_shift *shift)
{
    static const char *const words[] = {
        [WEIR_SHIFT_NONE] = "no tasks offsets",
        [WEIR_SHIFT_NODES] = "constant task offset",
        [WEIR_SHIFT_RANDOM] = "random task offset",
        [WEIR_SHIFT_PERMUTATION] = "random task offset",
    };

    listener->text(listener->context, "ordering inter file", words[shift->kind]);
    if (shift->kind != WEIR_SHIFT_NONE)
        listener->number(listener->context, "task offset", (double)shift->distance);
    if (weir_words_random_shift_count(shift) > 0)
        listener->number(listener->context, "reorder random seed",
                         (double)weir_words_shift_seed(shift));
}

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

static void say_layout(const struct weir_words_listener *listener, const struct weir_test *test,
                       const struct weir_phase *phase)
{
    void *context = listener->context;
    struct weir_shift shift = weir_words_shift(test);

    listener->text(context, "type", phase->transfers.is_collective ? "collective" : "independent");
    listener->number(context, "segments", (double)phase->transfers.layout.segment_count);
    listener->text(context, "ordering in a file",
                   phase->transfers.layout.order == WEIR_ORDER_SEQUENTIAL ? "sequential"
                                                                          : "random");
    say_shift(listener, &shift);
}

/* A share of a node's memory is printed as it was given. */
static void say_hog(const struct weir_words_listener *listener, const struct weir_memory_hog *hog)
{
    char percent[16];

    if (hog->bytes_per_rank > 0)
        say_size(listener, "memoryPerTask", hog->bytes_per_rank);
    if (hog->bytes_per_node > 0)
        say_size(listener, "memoryPerNode", hog->bytes_per_node);
    snprintf(percent, sizeof percent, "%u%%", hog->percent_of_node);
    if (hog->percent_of_node > 0)
        listener->text(listener->context, "memoryPerNode", percent);
}

static void say_job(const struct weir_words_listener *listener,
                    const struct weir_ior_layout *layout, const struct weir_test *test,
                    const struct weir_test_result *begun)
{
    void *context = listener->context;

    if (layout->has_nodes)
        listener->number(context, "nodes", begun->node_count);
    listener->number(context, "tasks", begun->rank_count);
    listener->number(context, "clients per node", begun->ranks_per_node);
    say_hog(listener, &test->hog);
    if (layout->has_buffers) {
        listener->text(context, "memoryBuffer", "CPU");
        listener->text(context, "dataAccess", "CPU");
        listener->text(context, "GPUDirect", "0");
    }
    listener->number(context, "repetitions", (double)test->repetitions);
}

static void say_limits(const struct weir_words_listener *listener, const struct weir_plan *plan,
                       const struct weir_test *test, const struct weir_phase *phase)
{
    void *context = listener->context;

    if (test->is_dry_run)
        listener->number(context, "dryRun", 1);
    if (plan->output.verbosity > 0 && weir_ior_layout_of(plan)->has_verbosity)
        listener->number(context, "verbose", plan->output.verbosity);
    if (phase->stop.deadline_ns > 0) {
        listener->number(context, "stonewallingTime", (double)phase->stop.deadline_ns / 1e9);
        listener->number(context, "stoneWallingWearOut", phase->stop.has_wear_out);
    }
}

void weir_words_options(const struct weir_words_listener *listener, const struct weir_plan *plan,
                        const struct weir_test *test, const struct weir_test_result *begun)
{
    const struct weir_phase *phase = weir_words_data_phase(test);

    if (!phase)
        return;
    say_target(listener, test, phase);
    say_layout(listener, test, phase);
    say_job(listener, weir_ior_layout_of(plan), test, begun);
    say_size(listener, "xfersize", phase->transfers.layout.transfer_bytes);
    say_size(listener, "blocksize", phase->transfers.layout.block_bytes);
    say_size(listener, "aggregate filesize",
             weir_layout_bytes_per_rank(&phase->transfers.layout) * begun->rank_count);
    say_limits(listener, plan, test, phase);
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
