/* SPDX-License-Identifier: Apache-2.0 */
/* The additional text of IOR at -v and above, beside the rows. The environment of the job is
 * never printed: it may hold secrets. */
#ifndef WEIR_REPORT_IOR_VERBOSE_H
#define WEIR_REPORT_IOR_VERBOSE_H

#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* -vv: the seed of the data, if it was given. Stands before the table. */
void weir_verbose_given_seed(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_test *test);

/* -vvv: memory that is taken away. -vvvv: the files with the times of single transfers. */
void weir_verbose_test(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_test *test);

/* The lines before the row of a phase: pauses and stonewalls of single ranks (-v), a seed that
 * was drawn and how often data is read (-vv), stamps of single ranks (-vvv). Lines of single ranks
 * are printed only while the job runs: the result file does not have them. */
void weir_verbose_phase(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_phase_result *phase);

#endif
