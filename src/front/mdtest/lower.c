/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of mdtest's options for a test as a whole, and for the output of the run. */
#include "lower.h"

#include "lowering.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define VERBOSITY_MAX 5  /* a higher level prints no more */
#define STANDARD_DEPTH 1 /* whatever a backend does with transfers */

static void lower_limits(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    struct weir_test *test = lowering->base.test;

    weir_lower_limits(&lowering->base);
    test->must_keep = !lowering->work.removes;
    test->rank_csv_path = mdtest->rank_csv_path;
    test->op_csv_prefix = mdtest->op_csv_prefix;
}

/* Options that mdtest would not do without. */
static void mend_config(const struct weir_mdtest_lowering *lowering,
                        struct weir_mdtest_config *mdtest)
{
    if (mdtest->iterations < 1) {
        WEIR_REMARK(&lowering->base, "-i: %" PRId64 " iterations are too few: using 1",
                    mdtest->iterations);
        mdtest->iterations = 1;
    }
}

/* A test on the first `ranks` tasks; 0: on all. */
static int lower_test(struct weir_plan *plan, const struct weir_mdtest_request *request,
                      uint64_t ranks, uint64_t *items, struct weir_error *error)
{
    struct weir_mdtest_config *mdtest = weir_arena_take(&plan->arena, sizeof *mdtest);
    struct weir_mdtest_lowering lowering = {
        .base = {.plan = plan,
                 .test = weir_plan_add_test(plan),
                 .request = &request->base,
                 .place = request->base.parser.place,
                 .error = error,
                 .can_repeat = true},
        .request = request,
        .mdtest = mdtest,
        .work = weir_mdtest_lower_work(&request->mdtest),
        .payload = weir_lower_payload(&request->base, request->mdtest.data_packet_type,
                                      request->mdtest.seed, -1),
    };

    *mdtest = request->mdtest;
    lowering.base.test->rank_limit = ranks;
    lowering.base.test->is_compared = request->is_crowded;
    mend_config(&lowering, mdtest);
    lowering.base.test->repetitions = (uint64_t)mdtest->iterations;
    if (weir_lower_backend(&lowering.base, mdtest->api, WEIR_WORK_TREES) ||
        weir_lower_load(&lowering.base, STANDARD_DEPTH) || weir_mdtest_check(&lowering) ||
        weir_mdtest_lower_also(&lowering) || weir_mdtest_lower_target(&lowering) ||
        weir_mdtest_lower_steps(&lowering) || weir_lower_place(&lowering.base) ||
        weir_lower_fake_nodes(&lowering.base))
        return -EINVAL;
    weir_mdtest_remark(&lowering);
    lower_limits(&lowering);
    weir_lower_settings(&lowering.base, &weir_mdtest_option_set, mdtest, NULL);
    *items = lowering.items;
    return 0;
}

/* The same with as many items of each task in a single directory of all tasks. */
static struct weir_mdtest_request *crowd(struct weir_plan *plan,
                                         const struct weir_mdtest_request *request, uint64_t items)
{
    struct weir_mdtest_request *crowded = weir_arena_take(&plan->arena, sizeof *crowded);
    struct weir_mdtest_config *mdtest = &crowded->mdtest;

    *crowded = *request;
    crowded->is_crowded = true;
    crowded->additions.skew = NULL;
    mdtest->own_directory = mdtest->only_leaves = mdtest->depth = mdtest->items_per_directory = 0;
    mdtest->items = (int64_t)items;
    return crowded;
}

static int lower_tests(struct weir_plan *plan, const struct weir_mdtest_request *request,
                       uint64_t ranks, struct weir_error *error)
{
    uint64_t items;
    int failure = lower_test(plan, request, ranks, &items, error);

    if (failure || !request->additions.compares_crowded)
        return failure;
    return lower_test(plan, crowd(plan, request, items), ranks, &items, error);
}

/* ---- output ---- */

static int64_t verbosity_of(const struct weir_mdtest_config *mdtest)
{
    int64_t verbosity = mdtest->verbosity > 0 ? mdtest->verbosity : mdtest->verbose;

    return verbosity < VERBOSITY_MAX ? verbosity : VERBOSITY_MAX;
}

static int lower_output(struct weir_output *output, const struct weir_mdtest_request *request,
                        struct weir_error *error)
{
    output->reporter = weir_lower_reporter(request->additions.summary_format, WEIR_MDTEST_REPORTER);
    output->summary_path = request->additions.summary_path;
    output->warnings_are_errors = request->mdtest.warning_as_errors;
    output->verbosity = (int)verbosity_of(&request->mdtest);
    if (weir_lower_output(output, &request->base, error))
        return -EINVAL;
    return weir_mdtest_version_read(request->additions.compat, request->base.parser.place, error,
                                    &output->style);
}

int weir_mdtest_lower(struct weir_plan *plan, const struct weir_mdtest_request *request,
                      struct weir_error *error)
{
    const struct weir_mdtest_config *mdtest = &request->mdtest;
    int64_t first = mdtest->first_task_count, last = mdtest->last_task_count;
    /* The first test refuses numbers that make none. */
    int failure = lower_tests(plan, request, last == 0 ? 0 : (uint64_t)first, error);

    for (int64_t ranks = first; !failure && last - ranks >= mdtest->task_stride;)
        failure = lower_tests(plan, request, (uint64_t)(ranks += mdtest->task_stride), error);
    return failure ? failure : lower_output(&plan->output, request, error);
}
