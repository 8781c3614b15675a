/* SPDX-License-Identifier: Apache-2.0 */
/* A fatal signal prints who it hit, what the rank was doing, and the stack, and then ends the
 * process as it would have without us: by the same signal, with a core file where the system
 * writes one. */
#ifndef WEIR_BASE_CRASH_H
#define WEIR_BASE_CRASH_H

#include <signal.h>

/* Installs the handlers of SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGABRT. A handler that is already
 * there, of a sanitizer or of an MPI library, is called after ours. To be called first of all in
 * main(), and again after libraries that may have replaced the handlers. */
void weir_crash_watch(void);

/* Takes the fatal signals out of a set that a thread is to block: the kernel ends a process,
 * without its handler, by a fault in a thread that blocks the signal. */
void weir_crash_allow(sigset_t *signals);

/* Names this process in the report of a crash. `rank` < 0: not a rank of a group. */
void weir_crash_set_rank(int rank, const char *host);

/* Names what the process is doing: a noun phrase, which is copied. */
void weir_crash_set_work(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
