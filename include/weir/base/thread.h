/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that work beside the program's own. */
#ifndef WEIR_BASE_THREAD_H
#define WEIR_BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that no signal comes to: signals are for the program's own threads. 0 or -errno.
 */
int weir_thread_start(pthread_t *thread, void *(*run)(void *context), void *context);

/* Opens a condition whose timed waits end by CLOCK_MONOTONIC. */
void weir_condition_open(pthread_cond_t *condition);

#endif
