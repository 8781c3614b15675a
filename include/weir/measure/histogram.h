/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies as counts in log-linear buckets: fixed size, relative error below 1 %, merged by
 * adding. */
#ifndef WEIR_MEASURE_HISTOGRAM_H
#define WEIR_MEASURE_HISTOGRAM_H

#include "weir/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* Values below 64 ns have a bucket each; every octave above has 64. A bucket is told as its middle,
 * so the error is at most 1/128 = 0.78 %. Values from 2^42 ns (73 min) on fall into the last
 * bucket; min, max and sum are exact. The idea of log-linear buckets is HdrHistogram's (Tene). */
#define WEIR_HISTOGRAM_LINEAR_BITS 6
#define WEIR_HISTOGRAM_MAX_BITS 42
#define WEIR_HISTOGRAM_BUCKETS                                                                     \
    ((WEIR_HISTOGRAM_MAX_BITS - WEIR_HISTOGRAM_LINEAR_BITS + 1) << WEIR_HISTOGRAM_LINEAR_BITS)

/* Plain counters: all ranks' histograms are merged exactly by adding `counts`, `total` and `sum_ns`
 * and by taking the least and greatest of `min_ns` and `max_ns`. */
struct weir_histogram {
    uint64_t total;
    uint64_t sum_ns;
    uint64_t min_ns; /* UINT64_MAX if empty */
    uint64_t max_ns;
    uint64_t short_ns; /* up to here a value is neither the greatest nor beyond the last bucket */
    uint64_t first;    /* bucket of counts[0]: 0, but in copies that were trimmed */
    uint64_t counts[WEIR_HISTOGRAM_BUCKETS];
};

/* Empties any memory. */
void weir_histogram_reset(struct weir_histogram *histogram);
/* Empties a histogram, or zeroed memory: clears the buckets that were counted into. */
void weir_histogram_clear(struct weir_histogram *histogram);

/* Of a value below 2^WEIR_HISTOGRAM_MAX_BITS. */
static inline uint64_t weir_histogram_bucket_inside(uint64_t value_ns)
{
    uint64_t exponent;

    /* Below two times the linear range the exponent is 0, and the bucket is the value itself. */
    exponent = (uint64_t)(63 - WEIR_HISTOGRAM_LINEAR_BITS) -
               (uint64_t)__builtin_clzll(value_ns | UINT64_C(1) << WEIR_HISTOGRAM_LINEAR_BITS);
    return (exponent << WEIR_HISTOGRAM_LINEAR_BITS) + (value_ns >> exponent);
}

static inline unsigned weir_histogram_bucket(uint64_t value_ns)
{
    return value_ns >> WEIR_HISTOGRAM_MAX_BITS ? WEIR_HISTOGRAM_BUCKETS - 1
                                               : (unsigned)weir_histogram_bucket_inside(value_ns);
}

/* For weir_histogram_add: the bucket of a value above short_ns, which may be the greatest so far.
 */
unsigned weir_histogram_bucket_of_long(struct weir_histogram *histogram, uint64_t value_ns);

/* `count` (> 0) equal values at once. */
static inline void weir_histogram_add_many(struct weir_histogram *histogram, uint64_t value_ns,
                                           uint64_t count)
{
    if (__builtin_expect(value_ns > histogram->short_ns, 0))
        histogram->counts[weir_histogram_bucket_of_long(histogram, value_ns)] += count;
    else
        histogram->counts[weir_histogram_bucket_inside(value_ns)] += count;
    histogram->total += count;
    histogram->sum_ns += value_ns * count;
    if (__builtin_expect(value_ns < histogram->min_ns, 0))
        histogram->min_ns = value_ns;
}

static inline void weir_histogram_add(struct weir_histogram *histogram, uint64_t value_ns)
{
    weir_histogram_add_many(histogram, value_ns, 1);
}

void weir_histogram_merge(struct weir_histogram *into, const struct weir_histogram *from);

/* A copy in an arena from the bucket of its least value to that of its greatest, many kilobytes
 * less. It is to be read by the functions here, or trimmed again, and not to be added to. NULL
 * stays NULL. */
struct weir_histogram *weir_histogram_trim(struct weir_arena *arena,
                                           const struct weir_histogram *histogram);

/* The value below or at which `fraction` (0 to 1) of the recorded values lie; 0 if empty; never
 * outside [min, max]. */
uint64_t weir_histogram_percentile(const struct weir_histogram *histogram, double fraction);

/* Whether there are enough values for this quantile, 100 for 99 %: with fewer it is the greatest
 * value by another name. */
bool weir_histogram_has_quantile(const struct weir_histogram *histogram, double fraction);

/* Those that md-workbench prints: the least, the quartiles, 90 % and 99 %, the greatest. */
#define WEIR_QUANTILES 7
extern const double weir_quantile_fractions[WEIR_QUANTILES];

/* 0 if empty. */
double weir_histogram_mean_ns(const struct weir_histogram *histogram);

/* Lowest value of a bucket, and the first value beyond it. */
uint64_t weir_histogram_bucket_low(unsigned bucket);
uint64_t weir_histogram_bucket_end(unsigned bucket);

#endif
