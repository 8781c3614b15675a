/* SPDX-License-Identifier: Apache-2.0 */
/* The dialect mdtest in reports, and its reporters. */
#ifndef WEIR_REPORT_MDTEST_MDTEST_H
#define WEIR_REPORT_MDTEST_MDTEST_H

#include "dialect.h"

extern const struct weir_dialect_reports weir_mdtest_reports;

extern const struct weir_rank_csv_format weir_mdtest_rank_csv;

extern const struct weir_reporter weir_reporter_mdtest;

/* In mdtest's options. */
extern const struct weir_remedy_word weir_mdtest_remedies[];

/* How outputs of mdtest begin, of any release; they may be replaced by another output. */
bool weir_mdtest_holds_text(const char *begin);

#endif
