/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect md-workbench, as the front end sees it: from its words and environment to a plan. */
#include "mdworkbench.h"

#include "absent_backends.h"
#include "compat.h"
#include "lower.h"
#include "options.h"

#include "weir/base/version.h"

static struct weir_mdworkbench_request *request_new(struct weir_arena *arena,
                                                    const struct weir_backends *backends)
{
    struct weir_mdworkbench_request *request = weir_arena_take(arena, sizeof *request);
    const struct weir_option_binding bindings[] = {
        {&weir_mdworkbench_option_set, &request->config},
        {&weir_absent_backend_set, NULL},
        {&weir_mdworkbench_addition_set, &request->additions},
    };
    const struct weir_front_request_tables tables = {"md-workbench", bindings,
                                                     sizeof bindings / sizeof *bindings,
                                                     weir_mdworkbench_foreign_words};

    weir_front_request_init(&request->base, &tables, arena, backends);
    weir_options_reset(&request->base.parser);
    return request;
}

static void add_help(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(text, "Synopsis md-workbench [options]\n");
    weir_options_help(text, &weir_mdworkbench_option_set);
    weir_front_request_add_backends_help(text, backends);
    weir_front_request_add_help(text, "Weir", &weir_common_set);
    weir_front_request_add_help(text, "Weir, for md-workbench", &weir_mdworkbench_addition_set);
    weir_front_request_add_help(text, "In place of a run", &weir_mdworkbench_order_set);
    weir_front_request_add_help(text, "Backends that are not built", &weir_absent_backend_set);
}

/* True if a page was asked for in place of a plan. */
static bool say(const struct weir_invocation *invocation, const struct weir_orders *orders,
                struct weir_command *command)
{
    if (orders->help)
        add_help(&command->text, invocation->backends);
    else if (orders->version)
        weir_front_add_version(&command->text);
    else
        return false;
    command->kind = WEIR_COMMAND_SAY;
    return true;
}

static int read_words(const struct weir_invocation *invocation, struct weir_command *command,
                      struct weir_error *error)
{
    struct weir_plan *plan = weir_plan_open("md-workbench", invocation->argc, invocation->argv);
    struct weir_mdworkbench_request *request = request_new(&plan->arena, invocation->backends);
    struct weir_orders orders = {0};
    int failure = weir_front_request_add_permission(plan, invocation->first, "md-workbench", error);

    if (!failure)
        failure = weir_front_request_parse(
            &request->base, (int)plan->source.word_count - invocation->first,
            plan->source.words + invocation->first, &weir_mdworkbench_order_set, &orders, error);
    if (!failure && !say(invocation, &orders, command)) {
        failure = weir_mdworkbench_lower(plan, request, error);
        failure = failure ? failure : weir_plan_freeze(plan, error);
        plan->output.is_apart = weir_dialect_of_program(invocation) == &weir_dialect_mdworkbench;
        command->kind = orders.explain ? WEIR_COMMAND_EXPLAIN : WEIR_COMMAND_RUN;
        command->plan = failure ? NULL : plan;
    }
    if (!command->plan)
        weir_plan_close(plan);
    return failure;
}

static const struct weir_dialect_format formats[] = {{"md-workbench", WEIR_MDWORKBENCH_REPORTER},
                                                     {"csv", WEIR_MDWORKBENCH_REPORTER_CSV},
                                                     {"json", WEIR_MDWORKBENCH_REPORTER_JSON},
                                                     {0}};

const struct weir_dialect weir_dialect_mdworkbench = {
    .name = "md-workbench",
    .help = "run md-workbench's benchmark of a working set; the same as calling this program so",
    .imitates = "md-workbench " WEIR_IOR_VERSION,
    .read = read_words,
    .formats = formats,
    .add_compat_page = weir_mdworkbench_compat_page,
};
