/* SPDX-License-Identifier: Apache-2.0 */
/* The rates of single ranks, each over its own time, and their sums. */
#include "weir/measure/result.h"

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
