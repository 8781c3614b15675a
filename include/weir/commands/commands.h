/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of the program, after the front end has read their options. A signal number in
 * *stop_signal ends a command in order. */
#ifndef WEIR_COMMANDS_COMMANDS_H
#define WEIR_COMMANDS_COMMANDS_H

#include "weir/front/front.h"
#include "weir/group/group.h"
#include "weir/system/shell.h"

#include <signal.h>

/* Messages of this process say remedies in the words of this dialect from now on. */
void weir_use_words_of(const struct weir_command *command);

/* Prepares what the start of MPI gives time for, or must come before it: the clock's calibration,
 * the environment of hwloc, and where JSON has its memory from. Before weir_group_mpi_open. Returns
 * the process that runs the command of --on-phase; NULL = none is wanted. */
struct weir_shell_helper *weir_prepare_process(const struct weir_command *command);

/* Runs the plan on all ranks of the group: engine, audit, reports and result file; rank 0 reports.
 * `helper` (NULL = none) is that of weir_prepare_process, which any rank may turn out to need.
 * The exit code, the same on all ranks; *error is set where a run could not be. Collective. */
int weir_run_plan(struct weir_group *group, const struct weir_plan *plan,
                  struct weir_shell_helper *helper, volatile sig_atomic_t *stop_signal,
                  struct weir_error *error);

/* Measures the network between all ranks of the group; likewise. */
int weir_run_net(struct weir_group *group, const struct weir_net_plan *plan,
                 struct weir_shell_helper *helper, const volatile sig_atomic_t *stop_signal,
                 struct weir_error *error);

/* A server of objects as a process of its own, until *stop_signal is not 0, or the request says
 * that it is over. Prints where it is once it can be reached, and totals at the end. Each rank of a
 * launcher is a server by itself. The exit code, with *error set if it is not WEIR_EXIT_DONE. */
int weir_serve(const struct weir_serve_request *request, const volatile sig_atomic_t *stop_signal,
               struct weir_error *error);

/* Prints what any other command asks for, as the first rank of the group. 0, or *error is set.
 * *exit_code is set by commands that end with others than 0 after they have printed. */
int weir_show(const struct weir_command *command, const struct weir_group *group, int *exit_code,
              struct weir_error *error);

#endif
