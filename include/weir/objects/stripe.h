/* SPDX-License-Identifier: Apache-2.0 */
/* Where the bytes of an object lie: round robin over servers, stripe unit by stripe unit, as
 * parallel file systems do it (RAID 0). Pure arithmetic. */
#ifndef WEIR_OBJECTS_STRIPE_H
#define WEIR_OBJECTS_STRIPE_H

#include <stdint.h>

struct weir_striping_pattern {
    uint64_t unit_bytes;   /* > 0 */
    uint32_t count;        /* servers that hold a part, 1 to server_count */
    uint32_t server_count; /* all of them */
    uint32_t first_server; /* holds the first stripe */
};

/* A piece of an object that lies in one place. */
struct weir_stripe_piece {
    uint32_t shard;  /* 0 to count-1; the server is (first_server + shard) % server_count */
    uint64_t offset; /* in the shard */
    uint64_t bytes;  /* to the end of the stripe unit, or of the range */
};

/* The piece that begins at `offset` of the object, of a range that is `bytes` (> 0) long from
 * there. */
struct weir_stripe_piece weir_stripe_locate(const struct weir_striping_pattern *pattern,
                                            uint64_t offset, uint64_t bytes);

/* How much of the first `bytes` bytes of an object lies in a shard. */
uint64_t weir_stripe_shard_bytes(const struct weir_striping_pattern *pattern, uint32_t shard,
                                 uint64_t bytes);

static inline uint32_t weir_stripe_server(const struct weir_striping_pattern *pattern,
                                          uint32_t shard)
{
    return (pattern->first_server + shard) % pattern->server_count;
}

#endif
