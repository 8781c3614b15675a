/* SPDX-License-Identifier: Apache-2.0 */
/* Makes one system call fail, for a test program that is linked with -Wl,--wrap=syscall and defines
 * DENIED_CALL, the number of the call, before it includes this header. */
#ifndef WEIR_TESTS_DENIED_SYSCALL_H
#define WEIR_TESTS_DENIED_SYSCALL_H

#include <errno.h>
#include <stdarg.h>

static int denied_errno;      /* errno that the call fails with; 0: the kernel answers it */
static unsigned denied_calls; /* how often it failed */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

long __wrap_syscall(long number, ...)
{
    long words[6];
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(list, long);
    va_end(list);
    if (number != DENIED_CALL || denied_errno == 0)
        return __real_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
    denied_calls++;
    errno = denied_errno;
    return -1;
}

#endif
