/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and extremes of what ranks did by themselves, and of how far they were at a stonewall. */
#include "weir/measure/result.h"

#define NS_PER_S 1e9

static void add_rank(struct weir_counted *counted, const struct weir_rank_row *row, bool is_first)
{
    double seconds = (double)row->counted_ns / NS_PER_S;
    double bytes_per_s = seconds > 0 ? (double)row->counted_bytes / seconds : 0.0;
    double ops_per_s = seconds > 0 ? (double)row->counted_ops / seconds : 0.0;

    counted->bytes_per_s_sum += bytes_per_s;
    counted->ops_per_s_sum += ops_per_s;
    counted->bytes_sum += row->counted_bytes;
    counted->ops_sum += row->counted_ops;
    counted->cpu_s += (double)(row->cpu_user_ns + row->cpu_system_ns) / NS_PER_S;
    if (is_first || bytes_per_s < counted->bytes_per_s_min)
        counted->bytes_per_s_min = bytes_per_s;
    if (is_first || ops_per_s < counted->ops_per_s_min)
        counted->ops_per_s_min = ops_per_s;
    if (is_first || row->counted_bytes < counted->bytes_min)
        counted->bytes_min = row->counted_bytes;
    if (is_first || row->counted_ops < counted->ops_min)
        counted->ops_min = row->counted_ops;
    if (bytes_per_s > counted->bytes_per_s_max)
        counted->bytes_per_s_max = bytes_per_s;
    if (ops_per_s > counted->ops_per_s_max)
        counted->ops_per_s_max = ops_per_s;
}

void weir_counted_derive(struct weir_counted *counted, const struct weir_rank_row *rows,
                         unsigned rank_count)
{
    bool has_moved = false;

    *counted = (struct weir_counted){0};
    for (unsigned i = 0; i < rank_count; i++)
        has_moved |= rows[i].counted_ns > 0;
    for (unsigned i = 0; i < rank_count && has_moved; i++)
        add_rank(counted, &rows[i], i == 0);
}

/* A rank that never saw the deadline was done with its whole part before it; if none did, the time
 * is that which all took. */
void weir_stonewall_derive(struct weir_stonewall *stonewall, const struct weir_rank_row *rows,
                           unsigned rank_count)
{
    struct weir_stonewall wall = {.ops_min = UINT64_MAX, .bytes_min = UINT64_MAX};
    unsigned hit_count = 0;
    double hit_s = 0.0;

    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_rank_row *row = &rows[i];
        uint64_t ops = row->hit_deadline ? row->stonewall_ops : row->op_count;
        uint64_t bytes = row->hit_deadline ? row->stonewall_bytes : row->byte_count;

        wall.ops_min = ops < wall.ops_min ? ops : wall.ops_min;
        wall.ops_max = ops > wall.ops_max ? ops : wall.ops_max;
        wall.ops_mean += (double)ops / rank_count;
        wall.bytes_min = bytes < wall.bytes_min ? bytes : wall.bytes_min;
        wall.bytes_mean += (double)bytes / rank_count;
        wall.has_deadline |= row->has_deadline != 0;
        hit_count += row->hit_deadline != 0;
        hit_s += row->hit_deadline ? (double)row->stonewall_ns / NS_PER_S : 0.0;
        wall.seconds += (double)row->stonewall_ns / NS_PER_S / rank_count;
    }
    wall.is_hit = hit_count > 0;
    if (wall.is_hit)
        wall.seconds = hit_s / hit_count;
    *stonewall = wall.has_deadline ? wall : (struct weir_stonewall){.is_hit = false};
}
