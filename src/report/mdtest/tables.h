/* SPDX-License-Identifier: Apache-2.0 */
/* mdtest's tables over the iterations of a test. */
#ifndef WEIR_REPORT_MDTEST_TABLES_H
#define WEIR_REPORT_MDTEST_TABLES_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* The table of rates, that of times with -Z, or both with -P. */
void weir_mdtest_tables(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test *test);

#endif
