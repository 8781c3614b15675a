/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect mdtest, as the front end sees it: from its words and environment to a plan. */
#include "mdtest.h"

#include "compat.h"
#include "lower.h"
#include "options.h"
#include "version.h"

#include "weir/base/version.h"

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_mdtest_lower(plan, (const struct weir_mdtest_request *)request, error);
}

static const struct weir_dialect_format formats[] = {{"mdtest", WEIR_MDTEST_REPORTER},
                                                     {"csv", WEIR_MDTEST_REPORTER_CSV},
                                                     {"json", WEIR_MDTEST_REPORTER_JSON},
                                                     {0}};

const struct weir_dialect weir_dialect_mdtest = {
    .name = "mdtest",
    .help = "run mdtest's benchmark of names; the same as calling this program as mdtest",
    .imitates = "mdtest " WEIR_IOR_VERSION,
    .tables = &weir_mdtest_option_tables,
    WEIR_DIALECT_REQUEST(struct weir_mdtest_request, mdtest),
    .lower = lower,
    .formats = formats,
    .read_style = weir_mdtest_version_read,
    .add_compat_page = weir_mdtest_compat_page,
};
