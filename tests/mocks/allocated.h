/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_TEST_ALLOCATED_H
#define WEIR_TEST_ALLOCATED_H

#include <malloc.h>
#include <stddef.h>

/* Returns the bytes that malloc has allocated and not freed, in this process. glibc has mallinfo2()
 * since 2.33; the counters of mallinfo() wrap around at 4 GiB. */
static inline size_t weir_test_allocated_bytes(void)
{
#if __GLIBC_PREREQ(2, 33)
    return mallinfo2().uordblks;
#else
    return (unsigned)mallinfo().uordblks;
#endif
}

#endif
