/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect mdtest, as the front end sees it: from its words and environment to a plan. */
#include "mdtest.h"

#include "compat.h"
#include "lower.h"
#include "options.h"
#include "version.h"

#include "weir/base/version.h"

/* True if a page was asked for in place of a plan. */
static bool say(const struct weir_invocation *invocation, const struct weir_orders *orders,
                struct weir_command *command)
{
    if (orders->help)
        weir_mdtest_help(&command->text, invocation->backends);
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
    struct weir_plan *plan = weir_plan_open("mdtest", invocation->argc, invocation->argv);
    struct weir_mdtest_request *request =
        weir_mdtest_request_new(&plan->arena, invocation->backends);
    struct weir_orders orders = {0};
    int failure = weir_front_request_add_permission(plan, invocation->first, "mdtest", error);

    if (!failure)
        failure = weir_front_request_parse(
            &request->base, (int)plan->source.word_count - invocation->first,
            plan->source.words + invocation->first, &weir_mdtest_order_set, &orders, error);
    if (!failure && !say(invocation, &orders, command)) {
        failure = weir_mdtest_lower(plan, request, error);
        failure = failure ? failure : weir_plan_freeze(plan, error);
        plan->output.is_apart = weir_dialect_of_program(invocation) == &weir_dialect_mdtest;
        command->kind = orders.explain ? WEIR_COMMAND_EXPLAIN : WEIR_COMMAND_RUN;
        command->plan = failure ? NULL : plan;
    }
    if (!command->plan)
        weir_plan_close(plan);
    return failure;
}

static const struct weir_dialect_format formats[] = {{"mdtest", WEIR_MDTEST_REPORTER},
                                                     {"csv", WEIR_MDTEST_REPORTER_CSV},
                                                     {"json", WEIR_MDTEST_REPORTER_JSON},
                                                     {0}};

const struct weir_dialect weir_dialect_mdtest = {
    .name = "mdtest",
    .help = "run mdtest's benchmark of names; the same as calling this program as mdtest",
    .imitates = "mdtest " WEIR_IOR_VERSION,
    .read = read_words,
    .formats = formats,
    .read_style = weir_mdtest_version_read,
    .add_compat_page = weir_mdtest_compat_page,
};
