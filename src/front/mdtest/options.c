/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one command line for the rows of all tables, and the help that rows
 * make. */
#include "options.h"

#include "absent_backends.h"
#include "version.h"

struct weir_mdtest_request *weir_mdtest_request_new(struct weir_arena *arena,
                                                    const struct weir_backends *backends)
{
    struct weir_mdtest_request *request = weir_arena_take(arena, sizeof *request);
    const struct weir_option_binding bindings[] = {
        {&weir_mdtest_option_set, &request->mdtest},
        {&weir_mdtest_old_set, &request->mdtest},
        {&weir_absent_backend_set, NULL},
        {&weir_mdtest_addition_set, &request->additions},
    };
    const struct weir_front_request_tables tables = {
        "mdtest", bindings, sizeof bindings / sizeof *bindings, weir_mdtest_foreign_words};

    weir_front_request_init(&request->base, &tables, arena, backends);
    weir_options_reset(&request->base.parser);
    return request;
}

bool weir_mdtest_has_old_names(const struct weir_mdtest_request *request)
{
    return weir_mdtest_version_has_old_names(request->additions.compat);
}

void weir_mdtest_help(struct weir_text *text, const struct weir_backends *backends)
{
    weir_text_add(text, "Synopsis mdtest [options]\n");
    weir_options_help(text, &weir_mdtest_option_set);
    weir_front_request_add_backends_help(text, backends);
    weir_front_request_add_help(text, "Weir", &weir_common_set);
    weir_front_request_add_help(text, "Weir, for mdtest", &weir_mdtest_addition_set);
    weir_front_request_add_help(text, "In place of a run", &weir_mdtest_order_set);
    weir_front_request_add_help(text, "Older versions of mdtest", &weir_mdtest_old_set);
    weir_front_request_add_help(text, "Backends that are not built", &weir_absent_backend_set);
}
