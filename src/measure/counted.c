/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of single ranks, each over its own time, and their sums. */
#include "weir/base/memory.h"
#include "weir/measure/result.h"

#include <stdlib.h>

static void add_rate(double rate, double *sum, double *least, double *greatest)
{
    *sum += rate;
    *least = rate < *least ? rate : *least;
    *greatest = rate > *greatest ? rate : *greatest;
}

struct weir_counted weir_counted_derive(const struct weir_rank_row *rows, unsigned rank_count)
{
    struct weir_counted counted = {0};

    for (unsigned i = 0; i < rank_count; i++) {
        const struct weir_rank_row *row = &rows[i];
        double seconds = (double)row->counted_ns / 1e9;
        double bytes_per_s = seconds > 0.0 ? (double)row->counted_bytes / seconds : 0.0;
        double ops_per_s = seconds > 0.0 ? (double)row->counted_ops / seconds : 0.0;

        if (i == 0) {
            counted.bytes_per_s_min = bytes_per_s;
            counted.ops_per_s_min = ops_per_s;
            counted.bytes_min = row->counted_bytes;
            counted.ops_min = row->counted_ops;
        }
        add_rate(bytes_per_s, &counted.bytes_per_s_sum, &counted.bytes_per_s_min,
                 &counted.bytes_per_s_max);
        add_rate(ops_per_s, &counted.ops_per_s_sum, &counted.ops_per_s_min, &counted.ops_per_s_max);
        if (row->counted_bytes < counted.bytes_min)
            counted.bytes_min = row->counted_bytes;
        if (row->counted_ops < counted.ops_min)
            counted.ops_min = row->counted_ops;
        counted.bytes_sum += row->counted_bytes;
        counted.ops_sum += row->counted_ops;
        counted.cpu_s += (double)row->counted_cpu_ns / 1e9;
    }
    return counted;
}

static int compare_rates(const void *one, const void *other)
{
    const struct weir_rank_rate *a = one, *b = other;

    if (a->per_s != b->per_s)
        return a->per_s < b->per_s ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

void weir_rank_rates_derive(struct weir_phase_result *result, const struct weir_rank_row *rows,
                            unsigned rank_count, bool is_in_bytes)
{
    unsigned kept = rank_count < WEIR_RANK_RATES_MAX ? rank_count : WEIR_RANK_RATES_MAX;
    struct weir_rank_rate *all = weir_memory_grow(NULL, (rank_count + 1) * sizeof *all);

    for (unsigned i = 0; i < rank_count; i++) {
        double own_ns = (double)weir_rank_transfer_ns(&rows[i]);
        double seconds = (is_in_bytes ? (double)rows[i].counted_ns : own_ns) / 1e9;
        double amount = (double)(is_in_bytes ? rows[i].counted_bytes : rows[i].op_count);

        all[i] = (struct weir_rank_rate){i, seconds > 0.0 ? amount / seconds : 0.0};
    }
    qsort(all, rank_count, sizeof *all, compare_rates);
    if (rank_count == 0 || !(all[rank_count - 1].per_s > 0.0))
        kept = 0;
    result->rank_rates =
        (struct weir_rank_rates){.count = kept,
                                 .is_in_bytes = is_in_bytes,
                                 .list = weir_arena_take(result->arena, kept * sizeof *all)};
    for (unsigned i = 0; i < kept; i++)
        result->rank_rates.list[i] = all[kept < 2 ? i : (size_t)i * (rank_count - 1) / (kept - 1)];
    free(all);
}
