/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes and operations over time, in a bounded array whose interval doubles when it is full. */
#ifndef WEIR_MEASURE_SERIES_H
#define WEIR_MEASURE_SERIES_H

#include <stdint.h>

#define WEIR_SERIES_INTERVALS 512
#define WEIR_SERIES_FIRST_SHIFT 20 /* the first interval is 2^20 ns, about 1 ms */

/* Interval k covers [start + k * 2^shift, start + (k+1) * 2^shift) ns; an operation counts where it
 * is done. */
struct weir_series {
    uint64_t start_ns;
    uint32_t shift;
    uint32_t used; /* intervals in use: the last one counted into, plus one */
    uint64_t ops[WEIR_SERIES_INTERVALS];
    uint64_t bytes[WEIR_SERIES_INTERVALS];
    /* open loop: the most transfers that were due and not yet issued; over ranks the sum of that */
    uint64_t backlog[WEIR_SERIES_INTERVALS];
};

/* Empties any memory. */
void weir_series_reset(struct weir_series *series, uint64_t start_ns);
/* Empties a series, or zeroed memory: clears the intervals in use. */
void weir_series_clear(struct weir_series *series, uint64_t start_ns);

/* Doubles the interval until it is 2^shift ns. */
void weir_series_coarsen(struct weir_series *series, uint32_t shift);

/* For weir_series_add: makes room for `index`. */
uint64_t weir_series_grow(struct weir_series *series, uint64_t done_ns);

/* `count` operations of `bytes` altogether. */
static inline void weir_series_add_many(struct weir_series *series, uint64_t done_ns,
                                        uint64_t count, uint64_t bytes)
{
    uint64_t index = (done_ns - series->start_ns) >> series->shift;

    if (__builtin_expect(index >= series->used, 0))
        index = weir_series_grow(series, done_ns);
    series->ops[index] += count;
    series->bytes[index] += bytes;
}

/* When the interval ends that `at_ns` is in: what is done before may be counted there together. */
static inline uint64_t weir_series_interval_end(const struct weir_series *series, uint64_t at_ns)
{
    return series->start_ns +
           ((((at_ns - series->start_ns) >> series->shift) + 1) << series->shift);
}

static inline void weir_series_add(struct weir_series *series, uint64_t done_ns, uint64_t bytes)
{
    weir_series_add_many(series, done_ns, 1, bytes);
}

/* Notes how many transfers were due and not yet issued at `now_ns`. */
void weir_series_note_backlog(struct weir_series *series, uint64_t now_ns, uint64_t backlog);

/* Adds a series with the same interval and the same start on the common clock. */
void weir_series_merge(struct weir_series *into, const struct weir_series *from);

/* Intervals in which nothing ended between two in which something did. */
struct weir_series_gap {
    uint32_t first;
    uint32_t count; /* 0: there is none */
};

/* The longest gap, and of equally long ones the first. */
struct weir_series_gap weir_series_longest_gap(const struct weir_series *series);

#endif
