/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect dd, as the front end sees it. */
#include "dd.h"

#include "options.h"
#include "sweep/values.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Operands that say the same as options that every dialect has. */
static int read_more(struct weir_plan *plan, struct weir_front_request *base,
                     struct weir_orders *orders, struct weir_error *error)
{
    const struct weir_dd_operands *operands = &((struct weir_dd_request *)base)->operands;

    (void)plan;
    (void)orders;
    (void)error;
    if (!base->common.is_direct && weir_dd_list_has(operands->iflag, "direct"))
        base->direct_option = "iflag=direct";
    else if (!base->common.is_direct && weir_dd_list_has(operands->oflag, "direct"))
        base->direct_option = "oflag=direct";
    base->common.is_direct |= base->direct_option != NULL;
    if (strcmp(operands->status, "progress") == 0 && strcmp(base->common.progress, "auto") == 0)
        base->common.progress = "1";
    return 0;
}

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_dd_lower(plan, (const struct weir_dd_request *)request, error);
}

static const struct weir_dialect_axis axes[] = {
    {.name = "transfer", .kind = WEIR_AXIS_SIZES, .words = {"bs=%"}},
    {.name = "count", .kind = WEIR_AXIS_COUNTS, .words = {"count=%"}},
    {.name = "backend", .kind = WEIR_AXIS_TEXTS, .words = {"-a", "%"}},
    {0},
};

/* A total is one of blocks. */
static int split(struct weir_front_request *base, uint64_t total, uint64_t ranks, uint64_t *done,
                 struct weir_error *error)
{
    struct weir_dd_operands *operands = &((struct weir_dd_request *)base)->operands;
    struct weir_dd_number bs = {0};
    uint64_t bytes;

    if (operands->count != NULL)
        return weir_error_usage(error, "sweep",
                                "total= says how many blocks there are; leave count= out");
    if (operands->bs == NULL)
        return weir_error_usage(error, "sweep", "total= is split into blocks; give bs=");
    if (weir_dd_number_read("bs", operands->bs, &bs, error))
        return -EINVAL;
    if (bs.value == 0)
        return 0; /* lowering refuses it */
    bytes = weir_sweep_share(total, ranks, bs.value);
    operands->count = weir_arena_printf(base->parser.arena, "%" PRIu64, bytes / bs.value);
    *done = bytes * ranks;
    return 0;
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
    .axes = axes,
    .split = split,
    .formats = formats,
    .add_compat_page = weir_dd_compat_page,
};
