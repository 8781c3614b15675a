/* SPDX-License-Identifier: Apache-2.0 */
/* The lines "WARNING: ..." of IOR's text, in IOR's words where it has them. Scripts skip lines that
 * begin so. */
#ifndef WEIR_REPORT_IOR_NOTICES_H
#define WEIR_REPORT_IOR_NOTICES_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>

/* True of a remark on nodes or tasks that the environment pretends (IOR_FAKE_NODES and its like),
 * which IOR and mdtest print without WARNING before it. */
bool weir_notices_is_pretence(const char *remark);

/* Those remarks of the first test: they are printed before everything else. */
void weir_notices_begin(struct weir_text *text, const struct weir_plan *plan);

/* Options of the test that were changed or ignored. */
void weir_notices_test(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_test *test);

/* Findings at the start of a test: fewer ranks than asked for, files that were there already. */
void weir_notices_begun(struct weir_text *text, const struct weir_test *test,
                        const struct weir_test_result *begun);

/* Irregularities of a phase that moved data: stands before its row. */
void weir_notices_phase(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_phase_result *result);

#endif
