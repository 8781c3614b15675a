/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the user, which the shell runs. */
#ifndef WEIR_SYSTEM_SHELL_H
#define WEIR_SYSTEM_SHELL_H

#include <stdbool.h>

#define WEIR_SHELL_REASON_BYTES 128

/* Asked now and then while a command runs: false asks the shell to end (SIGTERM), and ends what
 * it has started if it does not within 5 seconds (SIGKILL). */
typedef bool weir_shell_goes_on(void *context);

/* Has /bin/sh run `command`, with nothing to read, and waits for its end. 0; -ECHILD if it ended
 * with another exit code than 0, or by a signal; or -errno: it could not be run. `reason` then says
 * which: "exit code 3". `goes_on` may be NULL. */
int weir_shell_run(const char *command, weir_shell_goes_on *goes_on, void *context,
                   char reason[WEIR_SHELL_REASON_BYTES]);

#endif
