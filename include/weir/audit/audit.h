/* SPDX-License-Identifier: Apache-2.0 */
/* How far a number can be believed: (plan, result) to findings. Pure. */
#ifndef WEIR_AUDIT_AUDIT_H
#define WEIR_AUDIT_AUDIT_H

#include "weir/measure/result.h"
#include "weir/plan/plan.h"

/* Adds findings to the record of one finished phase of the test `begun`. */
void weir_audit_phase(const struct weir_plan *plan, const struct weir_test_result *begun,
                      struct weir_phase_result *phase);

/* Adds findings to a record, which is the latest of the result, if it is the last one of several
 * storage targets that were measured one by one: targets that differ from the others. */
void weir_audit_peers(const struct weir_plan *plan, const struct weir_result *result,
                      struct weir_phase_result *record);

/* The same of a record that is kept from another run, which may have compared other rates. */
void weir_audit_peers_anew(const struct weir_plan *plan, const struct weir_result *result,
                           struct weir_phase_result *record);

/* Adds findings to the latest record of the result that follow from the repetitions before it, if
 * it is the last of them: rates that differ. */
void weir_audit_repetitions(const struct weir_plan *plan, const struct weir_result *result,
                            struct weir_phase_result *record);

/* Adds a finding to the latest record if others used the devices or ports of its storage, as far as
 * earlier phases do not explain the traffic. */
void weir_audit_neighbours(const struct weir_plan *plan, const struct weir_result *result,
                           const struct weir_test_result *begun, struct weir_phase_result *record);

/* Adds a finding to a record of a run of which MPI knows fewer tasks than the launcher started. */
void weir_audit_launch(const struct weir_result *result, struct weir_phase_result *record);

/* Ends the audit of a record, and may be called again after findings were added: removes the
 * effects that --allow and --measure name, links findings to those that cause them, and computes
 * the verdict. */
void weir_audit_conclude(const struct weir_plan *plan, struct weir_phase_result *record);

/* True if a phase of a finished run has a finding that voids its figure. */
bool weir_audit_voids(const struct weir_result *result);

/* True if there is anything in a finished run that its user is warned of: a word that was changed
 * or ignored, fewer ranks than asked for, a file that was replaced, sizes that are not those asked
 * for, a finding of that severity. */
bool weir_audit_warns(const struct weir_plan *plan, const struct weir_result *result);

#endif
