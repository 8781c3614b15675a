/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of single ranks, and their progress over time, bounded to fit the record of a phase. */
#ifndef WEIR_MEASURE_RANK_SERIES_H
#define WEIR_MEASURE_RANK_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_RANK_SERIES_ROWS 256
#define WEIR_RANK_SERIES_COLUMNS 64
/* Phases that are shorter have too few intervals for a picture. */
#define WEIR_RANK_SERIES_NS_MIN UINT64_C(50000000)
/* Only the first repetitions have either: 40 KB each in the result file. */
#define WEIR_RANK_SERIES_REPETITIONS 8

/* Bytes or operations by rank and time. A row is a rank, or the mean of successive ones: as many in
 * each row, but for the last one. A column is an interval since the agreed start. */
struct weir_rank_series {
    unsigned rows; /* 0 = not recorded */
    unsigned columns;
    unsigned ranks_per_row;
    uint64_t interval_ns;
    bool is_in_bytes;
    double greatest;       /* greatest cell: of a rank in an interval */
    const uint8_t *levels; /* row by row: 255 times the square root of the part of `greatest` */
};

/* The rate of a rank of a row in an interval: bytes or operations per second. */
static inline double weir_rank_series_rate(const struct weir_rank_series *series, unsigned row,
                                           unsigned column)
{
    double root = series->levels[(size_t)row * series->columns + column] / 255.0;

    return root * root * series->greatest * 1e9 / (double)series->interval_ns;
}

/* The rate of a rank over its own time. */
struct weir_rank_rate {
    uint32_t rank;
    double per_s;
};

/* Ascending, of all ranks or of WEIR_RANK_RATES_MAX evenly spaced ones. */
struct weir_rank_rates {
    unsigned count; /* 0 = not recorded */
    bool is_in_bytes;
    struct weir_rank_rate *list;
};
#define WEIR_RANK_RATES_MAX 256

#endif
