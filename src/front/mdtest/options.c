/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: the values of one command line for the rows of all tables. */
#include "options.h"

#include "version.h"

const struct weir_front_tables weir_mdtest_option_tables = {
    .place = "mdtest",
    .title = "mdtest",
    .options = &weir_mdtest_option_set,
    .old = &weir_mdtest_old_set,
    .additions = &weir_mdtest_addition_set,
    .orders = &weir_mdtest_order_set,
    .foreign = weir_mdtest_foreign_words,
};

struct weir_mdtest_request *weir_mdtest_request_new(struct weir_arena *arena,
                                                    const struct weir_backends *backends)
{
    struct weir_mdtest_request *request = weir_arena_take(arena, sizeof *request);

    weir_front_request_init(&request->base, &weir_mdtest_option_tables,
                            (void *[]){&request->mdtest, &request->additions}, arena, backends);
    weir_options_reset(&request->base.parser);
    return request;
}

bool weir_mdtest_has_old_names(const struct weir_mdtest_request *request)
{
    return weir_mdtest_version_has_old_names(request->additions.compat);
}
