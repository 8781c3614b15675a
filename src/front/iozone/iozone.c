/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect iozone, as the front end sees it: from its words to a plan. */
#include "iozone.h"

#include "lowering.h"

#include <string.h>

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

static const struct weir_dialect_format formats[] = {{"iozone", WEIR_IOZONE_REPORTER},
                                                     {"csv", WEIR_IOZONE_REPORTER_CSV},
                                                     {"json", WEIR_IOZONE_REPORTER_JSON},
                                                     {0}};

const struct weir_dialect weir_dialect_iozone = {
    .name = "iozone",
    .help = "run IOzone's tests, one rank for each child; the same as calling this program so",
    .imitates = "IOzone " WEIR_IOZONE_RELEASE,
    .tables = &tables,
    WEIR_DIALECT_REQUEST(struct weir_iozone_request, config),
    .spell = weir_iozone_spell,
    .lower = lower,
    .formats = formats,
    .read_style = weir_iozone_read_style,
    .add_compat_page = weir_iozone_compat_page,
};
