/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of IOR's text that several of its layouts have in common. */
#ifndef WEIR_REPORT_IOR_LINES_H
#define WEIR_REPORT_IOR_LINES_H

#include "figures.h"

#include "weir/base/facts.h"
#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* Appends "Linux vm", and at -vv the kernel. */
void weir_lines_machine(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_host_facts *host);

/* Appends "252.0 GiB   Used FS: 5.2%   Inodes: 16.0 Mi   Used Inodes: 2.5%". */
void weir_lines_filesystem(struct weir_text *text, const struct weir_filesystem_facts *facts);

/* The user's remark in IOR's place for it; nothing if there is none. */
void weir_lines_remark(struct weir_text *text, const struct weir_test *test);

/* At -v, of versions that have it: how far the clocks of the nodes lay apart. On several nodes that
 * is not known before the first phase, with which they are compared. */
void weir_lines_skew_of_one_node(struct weir_text *text, const struct weir_plan *plan,
                                 const struct weir_result *result);
void weir_lines_skew_of_nodes(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result,
                              const struct weir_phase_result *phase);

/* At -v, of versions that have it: how many tasks there are, and what -C takes for granted. */
void weir_lines_tasks(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_test_result *begun);

/* The lines "Max Write" and "Max Read", and "Max Mixed" if there was such a phase, where the
 * version has them at this verbosity. */
void weir_lines_maxima(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_test *test);

/* Figures of the summary of 3.x and 4.x: four columns, each with a blank behind it. */
void weir_lines_spread(struct weir_text *text, const struct weir_spread *spread);

/* Makes the rows of a summary. */
typedef void weir_lines_summary_row(struct weir_text *text, const struct weir_plan *plan,
                                    const struct weir_test_result *begun, enum weir_verb verb,
                                    const struct weir_ior_summary *summary);

/* A row for each verb of the test that has one. */
void weir_lines_summary(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun,
                        weir_lines_summary_row *add_row);

#endif
