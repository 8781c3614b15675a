/* SPDX-License-Identifier: Apache-2.0 */
/* Before a test touches anything: the session, what the targets demand, and whether they are ours
 * to write. */
#ifndef WEIR_ENGINE_PREPARE_H
#define WEIR_ENGINE_PREPARE_H

#include "run.h"

/* Opens the session, queue and buffers of run->test for run->group, and refuses targets that cannot
 * be aligned or are not ours. The same outcome on every rank. Collective. weir_prepare_close takes
 * back whatever was opened. */
int weir_prepare_test(struct weir_run *run, struct weir_error *error);
void weir_prepare_close(struct weir_run *run);

#endif
