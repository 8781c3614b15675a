/* SPDX-License-Identifier: Apache-2.0 */
/* Starting threads that are not in the way of signals. */
#include "weir/base/thread.h"

#include "weir/base/crash.h"

#include <signal.h>
#include <time.h>

int weir_thread_start(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    int code;

    /* A thread begins with the mask of the one that starts it. */
    sigfillset(&all);
    weir_crash_allow(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    code = -pthread_create(thread, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

void weir_condition_open(pthread_cond_t *condition)
{
    pthread_condattr_t clock;

    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &clock);
    pthread_condattr_destroy(&clock);
}
