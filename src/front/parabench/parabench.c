/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect parabench, as the front end sees it. */
#include "parabench.h"

#include "options.h"

const struct weir_front_tables weir_parabench_tables = {
    .place = "parabench",
    .title = "Parabench",
    .release = WEIR_PARABENCH_RELEASE,
    .options = &weir_parabench_option_set,
    .additions = &weir_parabench_addition_set,
    .orders = &weir_parabench_order_set,
    .foreign = weir_parabench_foreign_words,
    .operands = "FILE.pbl [NAME=VALUE ...]",
};

static int take_words(struct weir_front_request *base, int count, const char *const words[],
                      struct weir_error *error)
{
    struct weir_parabench_request *request = (struct weir_parabench_request *)base;

    (void)error;
    request->words = words;
    request->word_count = count;
    return 0;
}

static const struct weir_dialect_format formats[] = {{"parabench", WEIR_PARABENCH_REPORTER},
                                                     {"labels", WEIR_PARABENCH_REPORTER_LABELS},
                                                     {"xml", WEIR_PARABENCH_REPORTER_XML},
                                                     {0}};

const struct weir_dialect weir_dialect_parabench = {
    .name = "parabench",
    .alias = "pbl",
    .help = "run a program in the language of Parabench; the same as calling this program so",
    .imitates = "Parabench " WEIR_PARABENCH_RELEASE,
    .tables = &weir_parabench_tables,
    WEIR_DIALECT_REQUEST(struct weir_parabench_request, config),
    .take_words = take_words,
    .lower = weir_parabench_lower,
    .formats = formats,
    .add_compat_page = weir_parabench_compat_page,
};
