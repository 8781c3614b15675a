/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect ior, as the front end sees it: from its words, script and environment to a plan. */
#include "ior.h"

#include "compat.h"
#include "lower.h"
#include "options.h"
#include "script.h"
#include "version.h"

#include "weir/base/version.h"

#include <stdlib.h>

static int lower_requests(struct weir_plan *plan, const struct weir_ior_request *request,
                          struct weir_error *error)
{
    int failure = 0;

    for (; request && !failure; request = request->next) {
        failure = weir_ior_lower(plan, request, error);
        if (!failure && !request->next)
            failure = weir_ior_lower_output(&plan->output, request, error);
    }
    return failure ? failure : weir_plan_freeze(plan, error);
}

/* Settings that IOR takes from its environment are put before all other words, so that the
 * result file keeps them and the command line overrides them. */
static int add_environment(const struct weir_invocation *invocation, struct weir_plan *plan,
                           struct weir_error *error)
{
    static const struct {
        const char *variable;
        const char *key;
    } fakes[] = {
        {"IOR_FAKE_NODES", "numNodes"},
        {"IOR_FAKE_TASK_PER_NODES", "numTasksOnNode0"},
    };
    int first = invocation->first;

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
    return weir_front_request_add_permission(plan, first, "ior", error);
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

static bool wants_help(const struct weir_ior_request *request, const struct weir_orders *orders)
{
    for (; request; request = request->next) {
        if (request->ior.show_help)
            return true;
    }
    return orders->help != 0;
}

/* True if a page was asked for in place of a plan. */
static bool say(const struct weir_invocation *invocation, const struct weir_ior_request *request,
                const struct weir_orders *orders, struct weir_command *command)
{
    if (wants_help(request, orders))
        weir_ior_help(&command->text, invocation->backends);
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
    struct weir_plan *plan = weir_plan_open("ior", invocation->argc, invocation->argv);
    struct weir_ior_request *request = weir_ior_request_new(&plan->arena, invocation->backends);
    struct weir_orders orders = {0};
    int failure = add_environment(invocation, plan, error);

    if (!failure)
        failure = weir_front_request_parse(
            &request->base, (int)plan->source.word_count - invocation->first,
            plan->source.words + invocation->first, &weir_ior_order_set, &orders, error);
    if (!failure && request->ior.script_path && !orders.help && !orders.version)
        failure = read_script(plan, request, error);
    if (!failure && !say(invocation, request, &orders, command)) {
        failure = lower_requests(plan, request, error);
        plan->output.is_apart = weir_dialect_of_program(invocation) == &weir_dialect_ior;
        command->kind = orders.explain ? WEIR_COMMAND_EXPLAIN : WEIR_COMMAND_RUN;
        command->plan = failure ? NULL : plan;
    }
    if (!command->plan)
        weir_plan_close(plan);
    return failure;
}

static const struct weir_dialect_format formats[] = {{"ior", WEIR_IOR_REPORTER},
                                                     {"csv", WEIR_IOR_REPORTER_CSV},
                                                     {"json", WEIR_IOR_REPORTER_JSON},
                                                     {0}};

const struct weir_dialect weir_dialect_ior = {
    .name = "ior",
    .help = "run IOR's benchmark; the same as calling this program as ior",
    .imitates = "IOR " WEIR_IOR_VERSION,
    .read = read_words,
    .formats = formats,
    .read_style = weir_ior_version_read,
    .check_output = weir_ior_version_check,
    .add_compat_page = weir_ior_compat_page,
};
