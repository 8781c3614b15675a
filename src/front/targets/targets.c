/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect targets, as the front end sees it. */
#include "targets.h"

#include "lower.h"
#include "options.h"

const struct weir_front_tables weir_targets_option_tables = {
    .place = "targets",
    .title = "the report of targets",
    .options = &weir_targets_option_set,
    .additions = &weir_targets_addition_set,
    .orders = &weir_targets_order_set,
    .foreign = weir_targets_foreign_words,
};

static int take_words(struct weir_front_request *base, int count, const char *const words[],
                      struct weir_error *error)
{
    struct weir_targets_request *request = (struct weir_targets_request *)base;

    (void)error;
    request->paths = words;
    request->path_count = count;
    return 0;
}

static int read_more(struct weir_plan *plan, struct weir_front_request *base,
                     struct weir_orders *orders, struct weir_error *error)
{
    struct weir_targets_request *request = (struct weir_targets_request *)base;

    (void)plan;
    (void)error;
    request->is_explained = orders->explain > 0;
    return 0;
}

static int lower(struct weir_plan *plan, const struct weir_front_request *request,
                 struct weir_error *error)
{
    return weir_targets_lower(plan, (const struct weir_targets_request *)request, error);
}

static const struct weir_dialect_format formats[] = {{"targets", WEIR_TARGETS_REPORTER}, {0}};

const struct weir_dialect weir_dialect_targets = {
    .name = "targets",
    .help = "write and read each storage target alone, then all together; name those that are slow",
    .tables = &weir_targets_option_tables,
    WEIR_DIALECT_REQUEST(struct weir_targets_request, config),
    .take_words = take_words,
    .read_more = read_more,
    .lower = lower,
    .formats = formats,
};
