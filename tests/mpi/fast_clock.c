/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that runs 1 % fast from the start of the process on: for LD_PRELOAD. The kernel's own is
 * reached by system calls only. */
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int64_t first_ns;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int code = (int)syscall(SYS_clock_gettime, clock, now);
    int64_t ns = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec;

    if (code != 0 || clock != CLOCK_MONOTONIC_RAW)
        return code;
    if (first_ns == 0)
        first_ns = ns;
    ns += (ns - first_ns) / 100;
    now->tv_sec = ns / 1000000000;
    now->tv_nsec = ns % 1000000000;
    return 0;
}
