/* SPDX-License-Identifier: Apache-2.0 */
/* Counts that stay at the greatest there is where they would be more. */
#ifndef WEIR_BASE_SATURATE_H
#define WEIR_BASE_SATURATE_H

#include <stdint.h>

static inline uint64_t weir_times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline uint64_t weir_plus(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* a * parts / whole, where the product alone may be beyond 64 bits. */
static inline uint64_t weir_parts_of(uint64_t a, uint64_t parts, uint64_t whole)
{
    unsigned __int128 result = (unsigned __int128)a * parts / whole;

    return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

#endif
