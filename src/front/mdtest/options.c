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

bool weir_mdtest_has_old_names(const struct weir_mdtest_request *request)
{
    return weir_mdtest_version_has_old_names(request->additions.compat);
}
