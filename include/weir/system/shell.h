/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the user, which the shell runs, and programs of the system that are asked. */
#ifndef WEIR_SYSTEM_SHELL_H
#define WEIR_SYSTEM_SHELL_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_SHELL_REASON_BYTES 128

/* Asked now and then while a command runs: false asks the shell to end (SIGTERM), and ends what
 * it has started if it does not within 5 seconds (SIGKILL). */
typedef bool weir_shell_goes_on(void *context);

/* Has /bin/sh run `command`, with nothing to read, and waits for its end. 0; -ECHILD if it ended
 * with another exit code than 0, or by a signal; or -errno: it could not be run. `reason` then says
 * which: "exit code 3". `goes_on` may be NULL. */
int weir_shell_run(const char *command, weir_shell_goes_on *goes_on, void *context,
                   char reason[WEIR_SHELL_REASON_BYTES]);

/* Runs the program words[0], which is looked for in PATH, without a shell and with nothing to read;
 * what it prints on standard error is dropped. `text` receives the first bytes - 1 characters of
 * its standard output. After limit_ns, or when *stop_signal (NULL = none) is set, it is ended by
 * SIGKILL, and waited for during one more second. `words` ends with NULL. Returns 0; -ECHILD after
 * another exit code than 0 or a signal; -ETIMEDOUT; -EINTR; or -errno: it could not be run. */
int weir_program_read(const char *const words[], uint64_t limit_ns,
                      const volatile sig_atomic_t *stop_signal, char *text, size_t bytes);

/* A process that runs one command of the shell again and again, each time with a text to read. It
 * is forked before MPI starts, so that nothing is ever forked, or spawned, beside registered
 * memory. Opened while the process has one thread; NULL = it cannot be. It ends with this process.
 */
struct weir_shell_helper;
struct weir_shell_helper *weir_shell_helper_open(const char *command);
void weir_shell_helper_close(struct weir_shell_helper *helper); /* NULL is allowed */

/* Of what the command prints, so many bytes are kept, the last one of which is 0. */
#define WEIR_SHELL_OUTPUT_BYTES 65536

/* Has the command read `bytes` of `record`, and waits for its end. After `limit_ns`, or a second
 * after *stop_signal is set, its process group is killed. `text` receives what it printed on both
 * outputs, *printed how much there was. 0, or an error as of weir_shell_run with its reason;
 * -EPIPE: the helper is gone. */
int weir_shell_helper_run(struct weir_shell_helper *helper, const char *record, size_t bytes,
                          uint64_t limit_ns, const volatile sig_atomic_t *stop_signal,
                          char text[WEIR_SHELL_OUTPUT_BYTES], uint64_t *printed,
                          char reason[WEIR_SHELL_REASON_BYTES]);

#endif
