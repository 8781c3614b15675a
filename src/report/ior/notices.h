/* SPDX-License-Identifier: Apache-2.0 */
/* The lines "WARNING: ..." of IOR's text, in IOR's words where it has them. Scripts skip lines that
 * begin so. */
#ifndef WEIR_REPORT_IOR_NOTICES_H
#define WEIR_REPORT_IOR_NOTICES_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* What the environment pretends of nodes: stands before everything else. */
void weir_notices_begin(struct weir_text *text, const struct weir_plan *plan);

/* What was changed or ignored of the test's options. */
void weir_notices_test(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_test *test);

/* What the test found: fewer ranks than asked for, files that were there already. */
void weir_notices_begun(struct weir_text *text, const struct weir_test *test,
                        const struct weir_test_result *begun);

/* What is odd about a phase that moved data: stands before its row. */
void weir_notices_phase(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_phase_result *result);

#endif
