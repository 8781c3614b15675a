/* SPDX-License-Identifier: Apache-2.0 */
/* The command that measures networks: the run, and what is told of it. */
#ifndef WEIR_NET_RUN_H
#define WEIR_NET_RUN_H

#include "weir/group/group.h"
#include "weir/flows/plan.h"

#include <signal.h>

/* Measures on all ranks of the group; rank 0 reports. The exit code, the same on all ranks; *error
 * is set where a run could not be. Collective. */
int weir_net_run_command(struct weir_group *group, const struct weir_net_plan *plan,
                         const volatile sig_atomic_t *stop_signal, struct weir_error *error);

#endif
