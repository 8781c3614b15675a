/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the user, which the shell runs. */
#ifndef WEIR_SYSTEM_SHELL_H
#define WEIR_SYSTEM_SHELL_H

/* Has /bin/sh run `command`, with nothing to read, and waits for its end. 0; -ECHILD if it ended
 * with another exit code than 0, or by a signal; or -errno: it could not be run. */
int weir_shell_run(const char *command);

#endif
