/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect md-workbench, as the front end sees it: from its words and environment to a plan. */
#include "mdworkbench.h"

#include "compat.h"
#include "lower.h"
#include "options.h"

#include "weir/base/version.h"

const struct weir_front_tables weir_mdworkbench_option_tables = {
    .place = "md-workbench",
    .title = "md-workbench",
    .options = &weir_mdworkbench_option_set,
    .additions = &weir_mdworkbench_addition_set,
    .orders = &weir_mdworkbench_order_set,
    .foreign = weir_mdworkbench_foreign_words,
};

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_mdworkbench_lower(plan, (const struct weir_mdworkbench_request *)request, error);
}

static const struct weir_dialect_format formats[] = {{"md-workbench", WEIR_MDWORKBENCH_REPORTER},
                                                     {0}};

static const struct weir_dialect_axis axes[] = {
    {.name = "backend", .kind = WEIR_AXIS_TEXTS, .words = {"-a", "%"}},
    {0},
};

const struct weir_dialect weir_dialect_mdworkbench = {
    .name = "md-workbench",
    .help = "run md-workbench's benchmark of a working set; the same as calling this program so",
    .imitates = "md-workbench " WEIR_IOR_VERSION,
    .tables = &weir_mdworkbench_option_tables,
    WEIR_DIALECT_REQUEST(struct weir_mdworkbench_request, config),
    .lower = lower,
    .axes = axes,
    .formats = formats,
    .add_compat_page = weir_mdworkbench_compat_page,
};
