/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect ior, as the front end sees it: from its words, script and environment to a plan. */
#include "ior.h"

#include "compat.h"
#include "lower.h"
#include "options.h"
#include "script.h"
#include "sweep/values.h"
#include "version.h"

#include "weir/base/version.h"

#include <stdlib.h>

static int lower(struct weir_plan *plan, const struct weir_front_request *base,
                 struct weir_error *error)
{
    const struct weir_ior_request *request = (const struct weir_ior_request *)base;
    int failure = 0;

    for (; request && !failure; request = request->next) {
        failure = weir_ior_lower(plan, request, error);
        if (!failure && !request->next)
            failure = weir_ior_lower_output(&plan->output, request, error);
    }
    return failure;
}

/* Settings that IOR takes from its environment are put before all other words, so that the
 * result file keeps them and the command line overrides them. */
static int add_environment(struct weir_plan *plan, int first, struct weir_error *error)
{
    static const struct {
        const char *variable;
        const char *key;
    } fakes[] = {
        {"IOR_FAKE_NODES", "numNodes"},
        {"IOR_FAKE_TASK_PER_NODES", "numTasksOnNode0"},
    };

    for (size_t i = 0; i < sizeof fakes / sizeof *fakes; i++) {
        const char *value = getenv(fakes[i].variable);
        int64_t number;

        if (!value || *value == '\0')
            continue;
        if (weir_integer_parse(value, &number) || number < 1)
            return weir_error_usage(error, "ior",
                                    "%s: \"%s\" is not a number of 1 or more; unset it",
                                    fakes[i].variable, value);
        weir_plan_insert_word(plan, (size_t)first++, "-O");
        weir_plan_insert_word(plan, (size_t)first++,
                              weir_arena_printf(&plan->arena, "%s=%s", fakes[i].key, value));
    }
    return 0;
}

static int read_script(struct weir_plan *plan, struct weir_ior_request *request,
                       struct weir_error *error)
{
    const char *path = request->ior.script_path;
    const char *text = NULL;
    int failure =
        weir_ior_script_load(path, &plan->arena, &text, request->base.parser.place, error);

    if (failure)
        return failure;
    plan->source.script = text;
    return weir_ior_script_parse(request, text, path, error);
}

/* A script may ask for help as well. */
static int read_more(struct weir_plan *plan, struct weir_front_request *base,
                     struct weir_orders *orders, struct weir_error *error)
{
    struct weir_ior_request *request = (struct weir_ior_request *)base;
    int failure = request->ior.script_path && !orders->help && !orders->version
                      ? read_script(plan, request, error)
                      : 0;

    for (; request; request = request->next)
        if (request->ior.show_help)
            orders->help = 1;
    return failure;
}

static const struct weir_dialect_format formats[] = {{"ior", WEIR_IOR_REPORTER},
                                                     {"csv", WEIR_IOR_REPORTER_CSV},
                                                     {"json", WEIR_IOR_REPORTER_JSON},
                                                     {0}};

static const struct weir_dialect_axis axes[] = {
    {.name = "ranks", .kind = WEIR_AXIS_COUNTS, .words = {"-N", "%"}},
    {.name = "transfer", .kind = WEIR_AXIS_SIZES, .words = {"-t", "%"}},
    {.name = "block", .kind = WEIR_AXIS_SIZES, .words = {"-b", "%"}},
    {.name = "segments", .kind = WEIR_AXIS_COUNTS, .words = {"-s", "%"}},
    {.name = "backend", .kind = WEIR_AXIS_TEXTS, .words = {"-a", "%"}},
    {.name = "order", .kind = WEIR_AXIS_CHOICES, .words = {"-z=%"}, .choices = "sequential|random"},
    {0},
};

/* A total is one of blocks. */
static int split(struct weir_front_request *base, uint64_t total, uint64_t ranks, uint64_t *done,
                 struct weir_error *error)
{
    struct weir_ior_config *ior = &((struct weir_ior_request *)base)->ior;
    uint64_t parts;

    if (weir_options_is_changed(weir_options_find(weir_ior_option_set.rows, "blockSize"), ior))
        return weir_error_usage(error, "sweep",
                                "total= says how large blocks (-b) are; leave one of both out");
    /* Lowering refuses these. */
    if (ior->transfer_bytes <= 0 || ior->segment_count <= 0 ||
        __builtin_mul_overflow(ranks, (uint64_t)ior->segment_count, &parts))
        return 0;
    ior->block_bytes = (int64_t)weir_sweep_share(total, parts, (uint64_t)ior->transfer_bytes);
    *done = (uint64_t)ior->block_bytes * parts;
    return 0;
}

const struct weir_dialect weir_dialect_ior = {
    .name = "ior",
    .help = "run IOR's benchmark; the same as calling this program as ior",
    .imitates = "IOR " WEIR_IOR_VERSION,
    .tables = &weir_ior_option_tables,
    WEIR_DIALECT_REQUEST(struct weir_ior_request, ior),
    .add_environment = add_environment,
    .read_more = read_more,
    .lower = lower,
    .axes = axes,
    .split = split,
    .formats = formats,
    .read_style = weir_ior_version_read,
    .check_output = weir_ior_version_check,
    .add_compat_page = weir_ior_compat_page,
};
