/* SPDX-License-Identifier: Apache-2.0 */
/* The page docs/compat-parabench.md, and behaviour of Parabench that is different here. Each quirk
 * was observed on the original. */
#include "lower.h"

#include "compat_page.h"

static const struct weir_quirk of_the_command_line[] = {
    {0},
};
static const struct weir_quirk_list quirk_lists[] = {
    {"Of the command line", of_the_command_line},
    {0},
};

void weir_parabench_compat_page(struct weir_text *text, const struct weir_backends *backends)
{
    (void)backends;
    weir_compat_add_options(text, &weir_parabench_tables, NULL);
    weir_compat_add_quirks(text, "Parabench", quirk_lists);
}
