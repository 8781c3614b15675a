/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of single ranks, and their progress over time, bounded to fit the record of a phase. */
#ifndef WEIR_MEASURE_RANK_SERIES_H
#define WEIR_MEASURE_RANK_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#define WEIR_RANK_SERIES_ROWS 256
#define WEIR_RANK_SERIES_COLUMNS 64
/* Phases that are shorter have too few intervals for a picture. */
#define WEIR_RANK_SERIES_NS_MIN UINT64_C(50000000)
/* Only the first repetitions are recorded: 33 KB each in the result file. */
#define WEIR_RANK_SERIES_REPETITIONS 8

/* Bytes or operations by rank and time. A row is a rank, or the sum of equally many successive
 * ones; a column is an interval since the agreed start. */
struct weir_rank_series {
    unsigned rows; /* 0 = not recorded */
    unsigned columns;
    unsigned ranks_per_row;
    uint64_t interval_ns;
    bool is_in_bytes;
    uint64_t greatest;     /* greatest cell */
    const uint8_t *levels; /* row by row, in parts of `greatest`: 255 = all of it */
};

/* The rate of a rank over its own time. */
struct weir_rank_rate {
    uint32_t rank;
    double per_s; /* bytes of phases that move data, else operations */
};
#define WEIR_RANK_RATES_MAX 256

#endif
