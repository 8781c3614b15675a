/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of mdtest's options for a test as a whole, and for the output of the run. */
#include "lower.h"

#include "lowering.h"
#include "progress_words.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define REFUSE WEIR_MDTEST_REFUSE
#define REMARK WEIR_MDTEST_REMARK

#define VERBOSITY_MAX 5 /* a higher level prints no more */

static int lower_test(struct weir_plan *plan, const struct weir_mdtest_request *request,
                      uint64_t ranks, struct weir_error *error)
{
    struct weir_mdtest_config *mdtest = weir_arena_take(&plan->arena, sizeof *mdtest);
    struct weir_mdtest_lowering lowering = {
        .plan = plan,
        .request = request,
        .mdtest = mdtest,
        .place = request->parser.place,
        .error = error,
        .work = weir_mdtest_lower_work(&request->mdtest),
    };

    *mdtest = request->mdtest;
    lowering.test = weir_plan_add_test(plan);
    lowering.test->rank_limit = ranks;
    for (size_t i = 0; i < request->backends->count; i++)
        if (strcasecmp(request->backends->descriptors[i]->label, mdtest->api) == 0) {
            lowering.test->backend = request->backends->descriptors[i];
            lowering.test->backend_options = request->backend_values[i];
            lowering.test->label = lowering.test->backend->label;
        }
    lowering.test->repetitions = (uint64_t)mdtest->iterations;
    lowering.test->watchdog_ns = WEIR_PLAN_WATCHDOG_NS;
    lowering.test->rank_csv_path = mdtest->rank_csv_path;
    lowering.test->op_csv_prefix = mdtest->op_csv_prefix;
    lowering.test->must_keep = !lowering.work.removes;
    if (weir_mdtest_lower_target(&lowering) || weir_mdtest_lower_steps(&lowering))
        return -EINVAL;
    return 0;
}

/* ---- output ---- */

static const char *reporter_of(const char *word)
{
    if (strcmp(word, "JSON") == 0)
        return WEIR_MDTEST_REPORTER_JSON;
    return strcmp(word, "CSV") == 0 ? WEIR_MDTEST_REPORTER_CSV : WEIR_MDTEST_REPORTER;
}

static int64_t verbosity_of(const struct weir_mdtest_config *mdtest)
{
    int64_t verbosity = mdtest->verbosity > 0 ? mdtest->verbosity : mdtest->verbose;

    return verbosity < VERBOSITY_MAX ? verbosity : VERBOSITY_MAX;
}

static int lower_output(struct weir_output *output, const struct weir_mdtest_request *request,
                        struct weir_error *error)
{
    output->reporter = reporter_of(request->additions.summary_format);
    output->summary_path = request->additions.summary_path;
    output->warnings_are_errors = request->mdtest.warning_as_errors;
    output->verbosity = (int)verbosity_of(&request->mdtest);
    return weir_mdtest_version_read(request->additions.compat, request->parser.place, error,
                                    &output->style);
}

int weir_mdtest_lower(struct weir_plan *plan, const struct weir_mdtest_request *request,
                      struct weir_error *error)
{
    const struct weir_mdtest_config *mdtest = &request->mdtest;
    int64_t last = mdtest->last_task_count;
    int failure = 0;

    if (last == 0)
        failure = lower_test(plan, request, 0, error);
    for (int64_t ranks = mdtest->first_task_count; ranks <= last && !failure;
         ranks += mdtest->task_stride)
        failure = lower_test(plan, request, (uint64_t)ranks, error);
    return failure ? failure : lower_output(&plan->output, request, error);
}
