/* SPDX-License-Identifier: Apache-2.0 */
/* Stripes: from the place in an object to the place at a server. */
#include "weir/objects/stripe.h"

#include <errno.h>

struct weir_stripe_piece weir_stripe_locate(const struct weir_striping_pattern *pattern,
                                            uint64_t offset, uint64_t bytes)
{
    (void)pattern;
    (void)offset;
    (void)bytes;
    return (struct weir_stripe_piece){0};
}

uint64_t weir_stripe_shard_bytes(const struct weir_striping_pattern *pattern, uint32_t shard,
                                 uint64_t bytes)
{
    (void)pattern;
    (void)shard;
    (void)bytes;
    return 0;
}

uint32_t weir_stripe_home(const char *path, uint32_t server_count)
{
    (void)path;
    (void)server_count;
    return 0;
}
