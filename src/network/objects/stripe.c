/* SPDX-License-Identifier: Apache-2.0 */
/* Stripes: from the place in an object to the place at a server. */
#include "weir/objects/stripe.h"

#include <assert.h>

struct weir_stripe_piece weir_stripe_locate(const struct weir_striping_pattern *pattern,
                                            uint64_t offset, uint64_t bytes)
{
    uint64_t unit = pattern->unit_bytes;
    uint64_t stripe = offset / unit;
    uint64_t start = offset % unit;
    uint64_t rest = unit - start;

    assert(bytes);
    return (struct weir_stripe_piece){
        .shard = (uint32_t)(stripe % pattern->count),
        .offset = stripe / pattern->count * unit + start,
        .bytes = bytes < rest ? bytes : rest,
    };
}

uint64_t weir_stripe_shard_bytes(const struct weir_striping_pattern *pattern, uint32_t shard,
                                 uint64_t bytes)
{
    uint64_t whole = bytes / pattern->unit_bytes;
    uint64_t last = whole % pattern->count; /* the shard in which the bytes end */
    uint64_t units = whole / pattern->count + (shard < last);

    return units * pattern->unit_bytes + (shard == last ? bytes % pattern->unit_bytes : 0);
}
