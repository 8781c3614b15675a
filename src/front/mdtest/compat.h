/* SPDX-License-Identifier: Apache-2.0 */
/* How this program's mdtest compares with the original: the page docs/compat-mdtest.md. */
#ifndef WEIR_FRONT_MDTEST_COMPAT_H
#define WEIR_FRONT_MDTEST_COMPAT_H

#include "compat_page.h"

/* Ends with a list without a heading. */
extern const struct weir_quirk_list weir_mdtest_quirk_lists[];

/* Appends the page, in Markdown: every row of every option table, then the quirks. */
void weir_mdtest_compat_page(struct weir_text *text, const struct weir_backends *backends);

#endif
