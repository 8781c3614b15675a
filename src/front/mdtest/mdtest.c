/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect mdtest, as the front end sees it: from its words and environment to a plan. */
#include "mdtest.h"

#include "compat.h"
#include "lower.h"
#include "options.h"
#include "sweep/values.h"
#include "version.h"

#include "weir/base/version.h"

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_mdtest_lower(plan, (const struct weir_mdtest_request *)request, error);
}

static const struct weir_dialect_format formats[] = {{"mdtest", WEIR_MDTEST_REPORTER}, {0}};

static const struct weir_dialect_axis axes[] = {
    {.name = "ranks", .kind = WEIR_AXIS_COUNTS, .words = {"-f", "%", "-l", "%"}},
    {.name = "items", .kind = WEIR_AXIS_COUNTS, .words = {"-n", "%"}},
    {.name = "tree-depth", .kind = WEIR_AXIS_COUNTS, .words = {"-z", "%"}},
    {.name = "backend", .kind = WEIR_AXIS_TEXTS, .words = {"-a", "%"}},
    {0},
};

/* A total is one of items. */
static int split(struct weir_front_request *base, uint64_t total, uint64_t ranks, uint64_t *done,
                 struct weir_error *error)
{
    struct weir_mdtest_config *mdtest = &((struct weir_mdtest_request *)base)->mdtest;

    if (mdtest->items > 0 || mdtest->items_per_directory > 0)
        return weir_error_usage(error, "sweep",
                                "total= says how many items (-n, -I) there are; leave one of both "
                                "out");
    mdtest->items = (int64_t)weir_sweep_share(total, ranks, 1);
    *done = (uint64_t)mdtest->items * ranks;
    return 0;
}

const struct weir_dialect weir_dialect_mdtest = {
    .name = "mdtest",
    .help = "run mdtest's benchmark of names; the same as calling this program as mdtest",
    .imitates = "mdtest " WEIR_IOR_VERSION,
    .tables = &weir_mdtest_option_tables,
    WEIR_DIALECT_REQUEST(struct weir_mdtest_request, mdtest),
    .lower = lower,
    .axes = axes,
    .split = split,
    .splits_items = true,
    .formats = formats,
    .read_style = weir_mdtest_version_read,
    .add_compat_page = weir_mdtest_compat_page,
};
