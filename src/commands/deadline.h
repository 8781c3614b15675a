/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the job that the batch system has set: the run ends in order before it, by a signal
 * like any other. */
#ifndef WEIR_COMMANDS_DEADLINE_H
#define WEIR_COMMANDS_DEADLINE_H

#include "weir/base/error.h"
#include "weir/group/group.h"
#include "weir/plan/plan.h"

#include <signal.h>

/* Rank 0 finds out when the job ends: from SLURM_JOB_END_TIME, or from WEIR_JOB_END_TIME for other
 * batch systems (seconds since 1970); in a job of Slurm without either, it queries squeue and
 * scontrol. Every rank then has SIGALRM delivered that long before. Does nothing for a plan that
 * does not ask. Returns 0; or a usage error if the end is unknown, and one of the environment
 * (-ETIME) if it is too near. *rest_s receives the seconds until the signal; 0 = there is none, as
 * after *stop_signal was set during a query. Collective. */
int weir_deadline_set(struct weir_group *group, const struct weir_plan *plan,
                      const volatile sig_atomic_t *stop_signal, double *rest_s,
                      struct weir_error *error);

/* No signal comes any more. */
void weir_deadline_clear(void);

#endif
