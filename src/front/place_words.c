/* SPDX-License-Identifier: Apache-2.0 */
/* Options for the places of tasks and their buffers, the state of the page cache, and the end of
 * the run. */
#include "common_lowering.h"

#include "pinning_words.h"
#include "time_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE WEIR_REFUSE
#define REMARK WEIR_REMARK

/* Three or four repetitions are often near each other by chance, and would end the loop too early.
 */
#define INTERVAL_LEAST 5
#define REPETITIONS_MAX 30 /* default of --max-repetitions */

/* ---- tasks and buffers ---- */

static int lower_pinning(const struct weir_lowering *lowering)
{
    const struct weir_common_words *common = &lowering->request->common;
    const struct weir_pinning_words words = {common->pin, common->pin_order, common->nic};
    struct weir_test *test = lowering->test;

    if (weir_pinning_read(&words, &lowering->plan->arena, lowering->place, &test->pinning,
                          lowering->error))
        return -EINVAL;
    if (test->pinning.policy == WEIR_PIN_STORAGE && !(lowering->loop->abilities & WEIR_CAN_NAME))
        return REFUSE(lowering,
                      "--pin: backend %s has no files whose devices ranks could be near to; choose "
                      "another policy, such as core or numa, or another backend",
                      test->label);
    return 0;
}

/* ---- the page cache ---- */

static bool drops_any(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_phase_cache_drop(test, test->phases[i]) != WEIR_DROP_NOTHING)
            return true;
    return false;
}

/* Without a privilege a process lets go of the pages of a file, but not of its name. */
static void remark_on_names(const struct weir_lowering *lowering)
{
    const struct weir_test *test = lowering->test;

    for (size_t i = 0; i < test->phase_count; i++)
        if (test->cache_drop == WEIR_DROP_FILES &&
            weir_verb_works_on_trees(test->phases[i]->verb)) {
            REMARK(lowering, "--drop-caches files: drops the data of files; names and attributes "
                             "stay cached, and only --drop-caches node (as root) drops them");
            return;
        }
}

static void lower_cache_drop(const struct weir_lowering *lowering)
{
    const char *drop = lowering->request->common.cache_drop;
    struct weir_test *test = lowering->test;

    if (strcmp(drop, "none") == 0)
        return;
    if (!(lowering->loop->abilities & WEIR_CAN_NAME)) {
        REMARK(lowering,
               "--drop-caches: backend %s has no files that a page cache could hold: nothing is "
               "dropped",
               test->label);
        return;
    }
    test->cache_drop = strcmp(drop, "node") == 0 ? WEIR_DROP_NODE : WEIR_DROP_FILES;
    remark_on_names(lowering);
    if (!drops_any(test)) {
        REMARK(lowering, "--drop-caches: nothing is read in this test: nothing is dropped");
        test->cache_drop = WEIR_DROP_NOTHING;
        return;
    }
    if (lowering->loop->abilities & WEIR_BYPASSES_CACHE)
        REMARK(lowering,
               "--drop-caches: backend %s reads past the page cache: it is emptied all the same, "
               "and should change nothing",
               test->label);
}

/* ---- the end of the job ---- */

/* A run ends once: the setting of the first test holds for all. */
static int lower_stop_before(const struct weir_lowering *lowering)
{
    const char *text = lowering->request->common.stop_before;
    struct weir_plan *plan = lowering->plan;
    uint64_t ns = 0;

    if (text && weir_time_read("--stop-before", text, lowering->place, lowering->error, &ns))
        return -EINVAL;
    if (lowering->test->number == 0) {
        plan->has_stop_before = text != NULL;
        plan->stop_before_ns = ns;
        return 0;
    }
    if (text && (!plan->has_stop_before || plan->stop_before_ns != ns))
        return REFUSE(lowering,
                      "--stop-before: the run as a whole ends once, and test 0 says %s; say it on "
                      "the command line, or before the first RUN",
                      plan->has_stop_before ? "another time" : "nothing of it");
    return 0;
}

/* Makes the loop of repetitions end by --until-interval. */
static int lower_interval(const struct weir_lowering *lowering)
{
    const struct weir_common_words *common = &lowering->request->common;
    struct weir_test *test = lowering->test;
    struct weir_step *loop = test->steps;
    const char *share = common->until_interval;
    char *end;
    double percent;

    if (share == NULL && (common->max_repetitions > 0 || common->repeat_time != NULL))
        return WEIR_REFUSE(lowering, "%s is a limit of --until-interval: use both",
                           common->max_repetitions > 0 ? "--max-repetitions" : "--repeat-time");
    if (share == NULL)
        return 0;
    if (!lowering->can_repeat)
        return WEIR_REFUSE(lowering,
                           "--until-interval: %s has no repetitions that could end "
                           "earlier; weir ior and weir mdtest have some",
                           lowering->place);
    if (common->must_resume)
        return WEIR_REFUSE(lowering, "--until-interval and --resume: a result file does not record "
                                     "whether the interval was narrow; use one of them");
    percent = strtod(share, &end);
    if (end == share || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) || !(percent >= 0.1) ||
        !(percent <= 50))
        return WEIR_REFUSE(lowering,
                           "--until-interval: \"%s\" is no share of a median: use 0.1%% "
                           "to 50%%, such as 3%%",
                           share);
    test->interval_ppm = (uint64_t)(percent * 1e4 + 0.5);
    test->least_repetitions = loop->count > INTERVAL_LEAST ? loop->count : INTERVAL_LEAST;
    loop->count = common->max_repetitions > 0 ? (uint64_t)common->max_repetitions : REPETITIONS_MAX;
    if (common->max_repetitions == 0 && loop->count < test->least_repetitions)
        loop->count = test->least_repetitions;
    if (loop->count < test->least_repetitions)
        return WEIR_REFUSE(lowering,
                           "--max-repetitions: %" PRIu64 " are fewer than the %" PRIu64
                           " that an interval needs here (at least 5, and those of -i)",
                           loop->count, test->least_repetitions);
    test->repetitions = loop->count;
    return weir_time_read("--repeat-time", common->repeat_time != NULL ? common->repeat_time : "1h",
                          lowering->place, lowering->error, &test->repeat_limit_ns);
}

int weir_lower_place(const struct weir_lowering *lowering)
{
    const struct weir_common_words *common = &lowering->request->common;

    if (lower_interval(lowering) || lower_pinning(lowering) || lower_stop_before(lowering) ||
        weir_watchdog_read(common->watchdog, common->give_up, lowering->place, lowering->error,
                           &lowering->test->watchdog_ns, &lowering->test->give_up_ns) ||
        weir_membind_read(common->membind, lowering->place, &lowering->test->membind,
                          lowering->error))
        return -EINVAL;
    if (weir_allowed_check(common->allowed, lowering->place, lowering->error))
        return -EINVAL;
    lowering->test->allowed =
        common->allowed == NULL ? NULL : weir_arena_copy(&lowering->plan->arena, common->allowed);
    lowering->test->measure = strcmp(common->measure, "cache") == 0    ? WEIR_MEASURE_CACHE
                              : strcmp(common->measure, "memory") == 0 ? WEIR_MEASURE_MEMORY
                                                                       : WEIR_MEASURE_STORAGE;
    lowering->test->wants_huge_pages = common->wants_huge_pages > 0;
    lower_cache_drop(lowering);
    return 0;
}
