/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the user around phases and between them. */
#ifndef WEIR_ENGINE_USER_COMMAND_H
#define WEIR_ENGINE_USER_COMMAND_H

#include "run.h"

#include "weir/system/shell.h"

/* Has the shell run it on this rank, as weir_shell_run. Between weir_run_arm and weir_run_disarm
 * the rank still answers others, and a command that `may_end` is asked to where the run is called
 * off. The watchdog names the command if it lasts. */
int weir_user_command_run(struct weir_run *run, const char *command, bool may_end,
                          char reason[WEIR_SHELL_REASON_BYTES]);

/* Sets *error if `code` is that of a command that failed. */
void weir_user_command_judge(const char *command, int code, const char *reason,
                             struct weir_error *error);

#endif
