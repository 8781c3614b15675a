/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's table of a single stream, and the same as Excel text. */
#ifndef WEIR_REPORT_IOZONE_TABLE_H
#define WEIR_REPORT_IOZONE_TABLE_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

void weir_iozone_table_heads(struct weir_text *text, const struct weir_plan *plan);

/* The row that the tests around this one make, as far as they have come. */
void weir_iozone_table_row(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test *test);

void weir_iozone_table_excel(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result);

#endif
