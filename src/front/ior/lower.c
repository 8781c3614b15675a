/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of IOR's options for a test as a whole, and for the output of the run. */
#include "lower.h"

#include "check.h"
#include "lowering.h"
#include "version.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define VERBOSITY_MAX 5 /* a higher level prints no more */

/* ---- data ---- */

static struct weir_payload lower_payload(const struct weir_ior_request *request)
{
    const struct weir_ior_config *ior = &request->ior;

    return weir_lower_payload(&request->base,
                              ior->store_file_offset ? "offset" : ior->data_packet_type,
                              ior->signature, 0);
}

/* ---- the test ---- */

/* The memory that -M or memoryPerTask takes away. */
static int lower_hog(const struct weir_ior_lowering *lowering)
{
    const char *text = lowering->ior->memory_per_node;
    struct weir_memory_hog *hog = &lowering->base.test->hog;
    size_t length = text ? strlen(text) : 0;
    int64_t percent;

    hog->bytes_per_rank = (uint64_t)lowering->ior->memory_per_task;
    if (text && hog->bytes_per_rank > 0)
        return weir_error_usage(
            lowering->base.error, lowering->base.place,
            "-M: memory is taken per node or per task; leave memoryPerTask out");
    if (length > 0 && text[length - 1] == '%') {
        const char *number =
            weir_arena_printf(&lowering->base.plan->arena, "%.*s", (int)length - 1, text);

        if (weir_integer_parse(number, &percent) || percent < 0 || percent > 100)
            return weir_error_usage(lowering->base.error, lowering->base.place,
                                    "-M: \"%s\" is not a part of memory (0%% to 100%%)", text);
        hog->percent_of_node = (unsigned)percent;
    } else if (text && weir_size_parse(text, &hog->bytes_per_node)) {
        return weir_error_usage(lowering->base.error, lowering->base.place,
                                "-M: \"%s\" is neither a size (2g) nor a part of memory (75%%)",
                                text);
    }
    return 0;
}

/* Nodes and ranks that are counted in place of those that there are. */
static void lower_placement(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_test *test = lowering->base.test;

    if (ior->node_count > 0) {
        test->given_nodes = (uint64_t)ior->node_count;
        weir_plan_add_remark(lowering->base.plan, test, "Fake number of node: using %" PRIu64,
                             test->given_nodes);
    }
    if (ior->tasks_on_node_0 > 0) {
        test->given_ranks_per_node = (uint64_t)ior->tasks_on_node_0;
        weir_plan_add_remark(lowering->base.plan, test, "Fake tasks per node: using %" PRIu64,
                             test->given_ranks_per_node);
    }
}

static void lower_limits(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    const struct weir_ior_additions *additions = &lowering->request->additions;
    struct weir_test *test = lowering->base.test;

    test->rank_limit = ior->task_count > 0 ? (uint64_t)ior->task_count : 0;
    test->time_limit_ns = ior->max_time_ns;
    test->outlier_ns = ior->outlier_threshold_ns;
    test->must_keep = ior->keep_file;
    weir_lower_limits(&lowering->base);
    test->may_take_used_device = additions->device && strcmp(additions->device, "force") == 0;
    test->is_dry_run = ior->dry_run;
    test->reference = ior->reference_number;
    test->rank_csv_path = ior->rank_csv_path;
    test->op_csv_prefix = ior->op_csv_prefix;
}

/* Options that IOR cancels with a warning. */
static void mend_config(const struct weir_ior_lowering *lowering, struct weir_ior_config *ior)
{
    if (ior->repetitions < 1) {
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "-i: %" PRId64 " repetitions are too few: using 1", ior->repetitions);
        ior->repetitions = 1;
    }
    if (ior->inter_test_delay_ns < 0) {
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "-d: a delay below 0 seconds: using 0");
        ior->inter_test_delay_ns = 0;
    }
    if (ior->prefill_bytes > 0 && !ior->random_offset) {
        weir_plan_add_remark(
            lowering->base.plan, lowering->base.test,
            "--randomPrefill: only transfers in random order (-z) need a file that "
            "is filled before: it changes nothing");
        ior->prefill_bytes = 0;
    }
    /* In a shared file there are still the transfers of the other tasks to choose from. */
    if (ior->random_offset == 1 && ior->file_per_process &&
        ior->block_bytes == ior->transfer_bytes) {
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "-z: a block of one transfer has nothing to shuffle (-z -z has): it "
                             "changes nothing");
        ior->random_offset = 0;
    }
    /* A device is not removed. */
    if (lowering->request->additions.device)
        ior->keep_file = 1;
}

/* In a script with several tests an error says which one it means. */
static const char *place_of(struct weir_plan *plan, const struct weir_ior_request *request)
{
    const char *place = request->base.parser.place;

    if (plan->test_count == 0 && !request->next)
        return place;
    return weir_arena_printf(&plan->arena, "%s: test %zu", place, plan->test_count);
}

int weir_ior_lower(struct weir_plan *plan, const struct weir_ior_request *request,
                   struct weir_error *error)
{
    struct weir_ior_config *ior = weir_arena_take(&plan->arena, sizeof *ior);
    struct weir_ior_lowering lowering = {
        .base = {.plan = plan,
                 .request = &request->base,
                 .place = place_of(plan, request),
                 .error = error,
                 .can_repeat = true},
        .request = request,
        .ior = ior,
        .payload = lower_payload(request),
    };

    *ior = request->ior;
    if (weir_ior_check(request, &lowering.payload, lowering.base.place, error))
        return -EINVAL;
    lowering.base.test = weir_plan_add_test(plan);
    mend_config(&lowering, ior);
    lowering.base.test->repetitions = (uint64_t)ior->repetitions;
    if (weir_ior_lower_backend(&lowering) || weir_ior_lower_load(&lowering) ||
        weir_ior_lower_steps(&lowering) || lower_hog(&lowering) || weir_lower_place(&lowering.base))
        return -EINVAL;
    lower_placement(&lowering);
    lower_limits(&lowering);
    /* The script is how the test was written down, not what it is. */
    weir_lower_settings(&lowering.base, &weir_ior_option_set, ior, "scriptFile");
    return 0;
}

/* ---- output ---- */

static const char *reporter_of(const char *word)
{
    if (strcmp(word, "JSON") == 0)
        return WEIR_IOR_REPORTER_JSON;
    return strcmp(word, "CSV") == 0 ? WEIR_IOR_REPORTER_CSV
                                    : weir_lower_reporter(word, WEIR_IOR_REPORTER);
}

int weir_ior_lower_output(struct weir_output *output, const struct weir_ior_request *request,
                          struct weir_error *error)
{
    const struct weir_ior_config *ior = &request->ior;

    output->reporter = reporter_of(ior->summary_format);
    output->summary_path = ior->summary_path;
    output->warnings_are_errors = ior->warning_as_errors;
    if (weir_lower_output(output, &request->base, error))
        return -EINVAL;
    output->verbosity = (int)(ior->verbose < VERBOSITY_MAX ? ior->verbose : VERBOSITY_MAX);
    if (weir_ior_version_read(request->additions.compat, request->base.parser.place, error,
                              &output->style))
        return -EINVAL;
    return weir_ior_version_check(output, request->base.parser.place, error);
}
