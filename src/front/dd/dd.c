/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect dd, as the front end sees it. */
#include "dd.h"

#include "options.h"

#include <string.h>

/* Operands that say the same as options that every dialect has. */
static int read_more(struct weir_plan *plan, struct weir_front_request *base,
                     struct weir_orders *orders, struct weir_error *error)
{
    const struct weir_dd_operands *operands = &((struct weir_dd_request *)base)->operands;

    (void)plan;
    (void)orders;
    (void)error;
    if (weir_dd_list_has(operands->iflag, "direct") || weir_dd_list_has(operands->oflag, "direct"))
        base->common.is_direct = true;
    if (strcmp(operands->status, "progress") == 0 && strcmp(base->common.progress, "auto") == 0)
        base->common.progress = "1";
    return 0;
}

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_dd_lower(plan, (const struct weir_dd_request *)request, error);
}

static const struct weir_dialect_format formats[] = {{"dd", WEIR_DD_REPORTER}, {0}};

const struct weir_dialect weir_dialect_dd = {
    .name = "dd",
    .program = WEIR_DD_PROGRAM,
    .help = "write or read a file for each rank, or one for all, with the operands of dd",
    .imitates = "dd " WEIR_DD_RELEASE,
    .tables = &weir_dd_tables,
    WEIR_DIALECT_REQUEST(struct weir_dd_request, operands),
    .read_more = read_more,
    .lower = lower,
    .formats = formats,
    .add_compat_page = weir_dd_compat_page,
};
