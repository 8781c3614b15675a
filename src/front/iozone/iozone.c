/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect iozone, as the front end sees it: from its words to a plan. */
#include "iozone.h"

#include "lowering.h"
#include "sweep/values.h"

#include <inttypes.h>
#include <string.h>

#define KB UINT64_C(1024)
#define STANDARD_RECORD (4 * KB)

static const struct weir_front_tables tables = {
    .place = "iozone",
    .title = "IOzone",
    .options = &weir_iozone_option_set,
    .additions = &weir_iozone_addition_set,
    .orders = &weir_iozone_order_set,
    .foreign = weir_iozone_foreign_words,
};

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_iozone_lower(plan, (const struct weir_iozone_request *)request, error);
}

static const struct weir_dialect_format formats[] = {{"iozone", WEIR_IOZONE_REPORTER}, {0}};

static const struct weir_dialect_axis axes[] = {
    {.name = "ranks", .kind = WEIR_AXIS_COUNTS, .words = {"-t", "%"}},
    {.name = "transfer", .kind = WEIR_AXIS_SIZES_IN_K, .words = {"-r", "%"}},
    {.name = "size", .kind = WEIR_AXIS_SIZES_IN_K, .words = {"-s", "%"}},
    {0},
};

/* A total is one of files. */
static int split(struct weir_front_request *base, uint64_t total, uint64_t ranks, uint64_t *done,
                 struct weir_error *error)
{
    struct weir_iozone_config *config = &((struct weir_iozone_request *)base)->config;
    uint64_t record = STANDARD_RECORD, bytes;

    if (config->sizes != NULL)
        return weir_error_usage(error, "sweep",
                                "total= says how large files (-s) are; leave one of both out");
    /* Lowering refuses what is no size. */
    if (config->records != NULL &&
        (strchr(config->records, WEIR_IOZONE_SEPARATOR) != NULL ||
         weir_iozone_size_parse(config->records, &record) || record == 0))
        return weir_error_usage(error, "sweep",
                                "total= is split into records of one size; give one with -r");
    bytes = weir_sweep_share(total, ranks, record);
    if (bytes % KB != 0)
        return weir_error_usage(
            error, "sweep", "total=: files of %" PRIu64 " bytes are not whole kilobytes", bytes);
    config->sizes = weir_arena_printf(base->parser.arena, "%" PRIu64 "k", bytes / KB);
    *done = bytes * ranks;
    return 0;
}

const struct weir_dialect weir_dialect_iozone = {
    .name = "iozone",
    .help = "run IOzone's tests, one rank for each child; the same as calling this program so",
    .imitates = "IOzone " WEIR_IOZONE_RELEASE,
    .tables = &tables,
    WEIR_DIALECT_REQUEST(struct weir_iozone_request, config),
    .spell = weir_iozone_spell,
    .lower = lower,
    .axes = axes,
    .split = split,
    .formats = formats,
    .read_style = weir_iozone_read_style,
    .add_compat_page = weir_iozone_compat_page,
};
