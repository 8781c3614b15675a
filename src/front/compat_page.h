/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page on which a dialect is compared with its original, in Markdown. */
#ifndef WEIR_FRONT_COMPAT_PAGE_H
#define WEIR_FRONT_COMPAT_PAGE_H

#include "request.h"
#include "weir/base/text.h"
#include "weir/front/front.h"

/* Something the original does that its users would not expect, and what is done here. */
struct weir_quirk {
    const char *theirs;
    const char *ours;
    const char *reason;
};

/* Quirks of one kind, under one heading. Ends with a quirk that has no members. */
struct weir_quirk_list {
    const char *heading;
    const struct weir_quirk *quirks;
};

/* The chapter of options, table by table: what each means, since when the original has it, and
 * what it is here. Those of `backends` as well, unless it is NULL. */
void weir_compat_add_options(struct weir_text *text, const struct weir_front_tables *tables,
                             const struct weir_backends *backends);

/* The chapter of quirks; the lists end with one without a heading. */
void weir_compat_add_quirks(struct weir_text *text, const char *original,
                            const struct weir_quirk_list lists[]);

#endif
