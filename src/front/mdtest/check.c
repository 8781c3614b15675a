/* SPDX-License-Identifier: Apache-2.0 */
/* Combinations of mdtest's options without a meaning: those that mdtest itself refuses, as far as
 * it applies, and a few more; and options that change nothing. */
#include "lowering.h"

#include <inttypes.h>

#define REFUSE(lowering, ...) WEIR_REFUSE(&(lowering)->base, __VA_ARGS__)
#define REMARK(lowering, ...) WEIR_REMARK(&(lowering)->base, __VA_ARGS__)

#define TESTS_MAX 4096 /* -f, -l and -s */

/* ---- what is refused ---- */

static int check_counts(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    int64_t first = mdtest->first_task_count, last = mdtest->last_task_count;
    int64_t stride = mdtest->task_stride;

    if (mdtest->seed < INT32_MIN || mdtest->seed > UINT32_MAX)
        return REFUSE(lowering, "-G: %" PRId64 " has more than 32 bits", mdtest->seed);
    if (first < 1)
        return REFUSE(lowering, "-f: %" PRId64 " tasks; give 1 or more", first);
    if (last < 0)
        return REFUSE(lowering, "-l: %" PRId64 " tasks; give 1 or more, or 0 for all of them, once",
                      last);
    if (stride < 1)
        return REFUSE(lowering, "-s: a step of %" PRId64 " tasks; give 1 or more", stride);
    if (last > 0 && first > last)
        return REFUSE(lowering,
                      "-f: the first number of tasks, %" PRId64
                      ", is greater than the last, %" PRId64 "; give -l a greater one",
                      first, last);
    if (last > 0 && (last - first) / stride >= TESTS_MAX)
        return REFUSE(lowering, "-s: that makes more than %d tests; give a greater step",
                      TESTS_MAX);
    return 0;
}

static int check_kinds(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;

    if (!mdtest->shared_files)
        return 0;
    if (mdtest->by_first_rank)
        return REFUSE(lowering, "-S: files that all tasks make, and -c has task 0 make them; leave "
                                "one of the two out");
    if (mdtest->own_directory)
        return REFUSE(lowering, "-S: files that all tasks share, and -u gives each task a tree of "
                                "its own; leave one of the two out");
    if (mdtest->directories_only && !mdtest->files_only)
        return REFUSE(lowering, "-S: tasks share files, and -D has none; leave one of the two out");
    return 0;
}

/* Counts of two tests do not fit into one file. */
static int check_comparison(const struct weir_mdtest_lowering *lowering)
{
    if (lowering->request->additions.compares_crowded && lowering->mdtest->status_path)
        return REFUSE(lowering, "--compare-crowded: a status file counts the items of one test, "
                                "and there are two; leave -x out");
    return 0;
}

static int check_sizes(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    const struct weir_mdtest_work *work = &lowering->work;

    if (mdtest->makes_nodes && mdtest->write_bytes > 0)
        return REFUSE(lowering, "-k: files made by mknod are not opened, and -w would write to "
                                "them; leave one of the two out");
    if (work->on_files && work->creates && work->reads && mdtest->read_bytes > mdtest->write_bytes)
        return REFUSE(lowering,
                      "-e: %" PRId64 " bytes are more than the %" PRId64
                      " of -w; give -w as many or more",
                      mdtest->read_bytes, mdtest->write_bytes);
    return 0;
}

static int check_made(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;

    if (!mdtest->verify_write)
        return 0;
    if (!lowering->work.creates || !lowering->work.on_files || mdtest->write_bytes == 0) {
        WEIR_REMARK(&lowering->base, "--verify-write: no files are written: it changes nothing");
        return 0;
    }
    return weir_lower_verification(&(struct weir_verification){"--verify-write", &lowering->payload,
                                                               (uint64_t)mdtest->write_bytes, NULL},
                                   lowering->base.place, lowering->base.error);
}

static int check_read(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    const struct weir_verification verification = {
        .option = "-X",
        .payload = &lowering->payload,
        .bytes = (uint64_t)mdtest->read_bytes,
        .maker = lowering->work.creates ? NULL : "-C",
    };

    if (!mdtest->verify_read)
        return 0;
    if (!lowering->work.reads || !lowering->work.on_files) {
        WEIR_REMARK(&lowering->base, "-X: no files are read: it changes nothing");
        return 0;
    }
    if (mdtest->read_bytes == 0)
        return REFUSE(lowering, "-X: there is nothing to verify; give -e the bytes to read");
    return weir_lower_verification(&verification, lowering->base.place, lowering->base.error);
}

int weir_mdtest_check(const struct weir_mdtest_lowering *lowering)
{
    static int (*const checks[])(const struct weir_mdtest_lowering *) = {
        check_counts, check_kinds, check_comparison, check_sizes, check_made, check_read};
    int failure = weir_lower_names(&lowering->base);

    for (size_t i = 0; i < sizeof checks / sizeof *checks && !failure; i++)
        failure = checks[i](lowering);
    return failure;
}

/* ---- what changes nothing ---- */

void weir_mdtest_remark(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    const struct weir_mdtest_work *work = &lowering->work;
    bool writes = work->on_files && work->creates;
    bool reads = work->on_files && work->reads;
    const struct {
        bool is_idle;
        const char *sentence;
    } words[] = {
        {mdtest->no_barriers,
         "-B: phases begin together all the same; the time of a task ends with its own last "
         "operation, and holds no barrier"},
        {mdtest->time_change,
         "-t: tasks do not change into their directories: there is no time that could be counted"},
        {mdtest->first_task_count != 1 && mdtest->last_task_count == 0,
         "-f: without -l there is one test of all tasks"},
        {mdtest->random_order && !work->stats && !reads,
         "-R: nothing is stat'ed or read: it changes nothing; --shuffle is for all phases"},
        {mdtest->random_seed != 0 && !mdtest->random_order &&
             !lowering->request->additions.shuffles,
         "--random-seed: orders are sequential without -R or --shuffle: it changes nothing"},
        {mdtest->write_bytes > 0 && !writes, "-w: no files are made: it changes nothing"},
        {mdtest->read_bytes > 0 && !reads, "-e: no files are read: it changes nothing"},
        {mdtest->sync_files && (!writes || mdtest->makes_nodes),
         "-y: no files are opened to be written: it changes nothing"},
        {mdtest->makes_nodes && !writes, "-k: no files are made: it changes nothing"},
        {mdtest->rename_directories && !work->on_directories,
         "-U: directories are renamed, and there are none: it changes nothing"},
        {mdtest->deadline_ns > 0 && !work->creates, "-W: nothing is made: it changes nothing"},
        {mdtest->aio_max_pending != 128 || mdtest->aio_granularity != 16,
         "--aio.max-pending, --aio.granularity: a file is written in one transfer: they change "
         "nothing; --depth has many files in flight"},
    };

    if (mdtest->verbose > 1 || mdtest->verbosity > 1)
        REMARK(lowering,
               "%s: the lines of the first level are all there are: further levels change nothing",
               weir_options_spelling(&lowering->base.request->parser,
                                     mdtest->verbosity > 1 ? "verbosity" : "verbose", "-v"));
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].is_idle)
            REMARK(lowering, "%s", words[i].sentence);
}
