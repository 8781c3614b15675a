/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's lines of a test of several children, and the same as Excel text. */
#ifndef WEIR_REPORT_IOZONE_BLOCKS_H
#define WEIR_REPORT_IOZONE_BLOCKS_H

#include "rows.h"

#include "weir/base/text.h"

/* The block of a phase that has a number. */
void weir_iozone_block(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase);

/* "initial writers" */
const char *weir_iozone_block_name(enum weir_iozone_test which);

void weir_iozone_blocks_excel(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result);

#endif
