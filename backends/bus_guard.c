/* SPDX-License-Identifier: Apache-2.0 */
/* Lands a copy on its feet when a page of a mapped file cannot be had. */
#include "bus_guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* No page of a page cache is larger: a broken one is told by its first byte. */
#define PAGE_BYTES_MAX ((uintptr_t)64 * 1024)

struct landing {
    sigjmp_buf jump;
    uintptr_t begin; /* of the bytes that may be missed, page and all */
    uintptr_t end;
    const void *volatile missed;
};

/* The state of a signal is the process's, and so is this. */
static struct {
    unsigned users;
    struct sigaction before;
} guard;

/* Where the copy of this thread lands; NULL outside of one. */
static _Thread_local struct landing *volatile landing;

static void land(int signal, siginfo_t *info, void *context)
{
    struct landing *here = landing;
    uintptr_t address = (uintptr_t)info->si_addr;
    struct sigaction ours;

    (void)context;
    if (here && info->si_code > 0 && address >= here->begin && address < here->end) {
        here->missed = info->si_addr;
        siglongjmp(here->jump, 1);
    }
    /* A fault of memory happens again when this returns, under the former handler; a signal that
     * was sent does not, and is raised again. */
    sigaction(SIGBUS, &guard.before, &ours);
    if (info->si_code <= 0) {
        raise(signal);
        sigaction(SIGBUS, &ours, NULL);
    }
}

int weir_bus_guard_open(void)
{
    /* The mask stays as it is: a jump out of the handler does not restore it. */
    struct sigaction action = {.sa_sigaction = land, .sa_flags = SA_SIGINFO | SA_NODEFER};

    if (guard.users == 0) {
        sigemptyset(&action.sa_mask);
        if (sigaction(SIGBUS, &action, &guard.before) != 0)
            return -errno;
    }
    guard.users++;
    return 0;
}

void weir_bus_guard_close(void)
{
    guard.users--;
    if (guard.users == 0)
        sigaction(SIGBUS, &guard.before, NULL);
}

__attribute__((noinline)) const void *weir_bus_guard_copy(void *to, const void *from, size_t bytes,
                                                          const void *mapped)
{
    struct landing here;

    here.begin = (uintptr_t)mapped & ~(PAGE_BYTES_MAX - 1);
    here.end = (uintptr_t)mapped + bytes;
    here.missed = NULL;
    if (sigsetjmp(here.jump, 0) != 0) {
        landing = NULL;
        return here.missed;
    }
    landing = &here;
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(to, from, bytes);
    atomic_signal_fence(memory_order_seq_cst);
    landing = NULL;
    return NULL;
}
