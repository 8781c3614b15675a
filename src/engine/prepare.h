/* SPDX-License-Identifier: Apache-2.0 */
/* Before a test touches anything: the session, what the targets demand, and whether they are ours
 * to write. */
#ifndef WEIR_ENGINE_PREPARE_H
#define WEIR_ENGINE_PREPARE_H

#include "run.h"

/* Opens the session, queue and buffers of run->test for run->group, unless the test before left
 * them open, and refuses targets that cannot be aligned or are not ours. The same outcome on every
 * rank. Collective. weir_prepare_close takes back whatever was opened, but for session, queue and
 * buffers if run->must_keep_session. */
int weir_prepare_test(struct weir_run *run, struct weir_error *error);
void weir_prepare_close(struct weir_run *run);

/* Prepares a removal alone, of a test that has run before: it checks no room and takes no buffers.
 * weir_prepare_close takes back what was opened. Collective. */
int weir_prepare_removal(struct weir_run *run, const struct weir_phase *phase,
                         struct weir_error *error);

/* Whether the files that a command of the plan has left for this rank are ours to write and remove,
 * as weir_prepare_test asks it of those that were there before. An error of this rank alone. */
void weir_prepare_look_again(struct weir_run *run, struct weir_error *error);

/* Whether the session, queue and buffers of run->test, which all ranks of the job did without a
 * failure, do for `next` as well. The same on every rank. */
bool weir_prepare_does_for(const struct weir_run *run, const struct weir_test *next);

/* Closes session, queue and buffers, if they are open. */
void weir_prepare_end(struct weir_run *run);

/* Refuses files beside the data of a phase (counts, times of operations, latencies) that this rank
 * could not write. 0, or a usage error. */
int weir_prepare_check_files(const struct weir_run *run, const struct weir_phase *phase,
                             struct weir_error *error);

#endif
