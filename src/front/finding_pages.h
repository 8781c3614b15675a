/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of findings and verdicts, as weir help prints them and as docs/findings.md has them. */
#ifndef WEIR_FRONT_FINDING_PAGES_H
#define WEIR_FRONT_FINDING_PAGES_H

#include "weir/base/finding.h"
#include "weir/base/text.h"

/* Appends the page of one finding. `name` may be a former name of it, which the page mentions. */
void weir_front_add_finding_page(struct weir_text *text, enum weir_finding_kind kind,
                                 const char *name);

/* Appends a line for each finding: name, level, effect, and the first sentence of its meaning. */
void weir_front_add_finding_list(struct weir_text *text);

/* Appends the definition of one verdict, or of all of them, the worst first. */
void weir_front_add_verdict_page(struct weir_text *text, enum weir_believed believed);
void weir_front_add_verdict_list(struct weir_text *text);

/* Appends all pages as Markdown: docs/findings.md. */
void weir_front_add_finding_manual(struct weir_text *text);

#endif
