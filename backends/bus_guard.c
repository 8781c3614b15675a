/* SPDX-License-Identifier: Apache-2.0 */
/* A copy from or to a mapped file that ends with an error where a page cannot be had: SIGBUS is
 * caught, and the copy left by siglongjmp. */
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

/* The handler of a signal belongs to the process, so this variable does too. */
static struct {
    unsigned users;
    struct sigaction before;
} guard;

/* Where the copy of this thread goes on after SIGBUS; NULL while none is made. */
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
    /* Restores the former handler. A fault of memory happens again when this returns; a signal
     * that was sent with kill(2) does not, and is raised again. */
    sigaction(SIGBUS, &guard.before, &ours);
    if (info->si_code <= 0) {
        raise(signal);
        sigaction(SIGBUS, &ours, NULL);
    }
}

int weir_bus_guard_open(void)
{
    /* SA_NODEFER: siglongjmp does not restore the signal mask here, so SIGBUS must stay
     * unblocked. */
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
