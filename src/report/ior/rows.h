/* SPDX-License-Identifier: Apache-2.0 */
/* IOR's table of phases, with 9 columns or with 11, and what stands between its rows. */
#ifndef WEIR_REPORT_IOR_ROWS_H
#define WEIR_REPORT_IOR_ROWS_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* The names of the columns, after an empty line; nothing for a version without a table. */
void weir_rows_head(struct weir_text *text, const struct weir_plan *plan);

/* Everything that is printed of a phase. As phase_done of struct weir_reporter. */
void weir_rows_phase(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result, const struct weir_phase_result *phase);

/* The number of transfers that a deadline with wear-out made of the last write of the test. */
void weir_rows_pairs(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_result *result, const struct weir_test_result *test);

#endif
