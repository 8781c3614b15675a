/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of latencies: what is read from the counted buckets. */
#include "weir/measure/histogram.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

void weir_histogram_reset(struct weir_histogram *histogram)
{
    memset(histogram, 0, sizeof *histogram);
    histogram->min_ns = UINT64_MAX;
}

void weir_histogram_clear(struct weir_histogram *histogram)
{
    if (histogram->total > 0) {
        unsigned first = weir_histogram_bucket(histogram->min_ns);
        unsigned end = weir_histogram_bucket(histogram->max_ns) + 1;

        memset(histogram->counts + first, 0, (end - first) * sizeof *histogram->counts);
    }
    memset(histogram, 0, offsetof(struct weir_histogram, counts));
    histogram->min_ns = UINT64_MAX;
}

static void raise_max(struct weir_histogram *histogram, uint64_t value_ns)
{
    const uint64_t end_ns = UINT64_C(1) << WEIR_HISTOGRAM_MAX_BITS;

    if (value_ns > histogram->max_ns)
        histogram->max_ns = value_ns;
    histogram->short_ns = histogram->max_ns < end_ns ? histogram->max_ns : end_ns - 1;
}

unsigned weir_histogram_bucket_of_long(struct weir_histogram *histogram, uint64_t value_ns)
{
    raise_max(histogram, value_ns);
    return weir_histogram_bucket(value_ns);
}

/* Behind them is nothing, and nothing is looked at. */
static unsigned used_buckets(const struct weir_histogram *histogram)
{
    return histogram->total == 0 ? 0 : weir_histogram_bucket(histogram->max_ns) + 1;
}

struct weir_histogram *weir_histogram_trim(struct weir_arena *arena,
                                           const struct weir_histogram *histogram)
{
    struct weir_histogram *trimmed;
    size_t head = offsetof(struct weir_histogram, counts), bytes;
    unsigned first;

    if (!histogram)
        return NULL;
    first = histogram->total == 0 ? 0 : weir_histogram_bucket(histogram->min_ns);
    assert(histogram->first == 0 || histogram->first == first);
    bytes = (used_buckets(histogram) - first) * sizeof *histogram->counts;
    trimmed = weir_arena_take(arena, head + bytes);
    memcpy(trimmed, histogram, head);
    trimmed->first = first;
    memcpy(trimmed->counts, histogram->counts + (first - histogram->first), bytes);
    return trimmed;
}

void weir_histogram_merge(struct weir_histogram *into, const struct weir_histogram *from)
{
    assert(into->first == 0);
    for (unsigned i = (unsigned)from->first; i < used_buckets(from); i++)
        into->counts[i] += from->counts[i - from->first];
    into->total += from->total;
    into->sum_ns += from->sum_ns;
    if (from->min_ns < into->min_ns)
        into->min_ns = from->min_ns;
    raise_max(into, from->max_ns);
}

uint64_t weir_histogram_bucket_low(unsigned bucket)
{
    const unsigned per_octave = 1u << WEIR_HISTOGRAM_LINEAR_BITS;

    if (bucket < per_octave)
        return bucket;
    return (uint64_t)(per_octave + bucket % per_octave) << (bucket / per_octave - 1);
}

uint64_t weir_histogram_bucket_end(unsigned bucket)
{
    return weir_histogram_bucket_low(bucket + 1);
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

static uint64_t middle_of(unsigned bucket)
{
    uint64_t low = weir_histogram_bucket_low(bucket);

    return low + (weir_histogram_bucket_end(bucket) - low) / 2;
}

const double weir_quantile_fractions[WEIR_QUANTILES] = {0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0};

/* Exact for 10 values and 90 %, although 1.0 - 0.9 is not 0.1. */
bool weir_histogram_has_quantile(const struct weir_histogram *histogram, double fraction)
{
    return fraction >= 1.0 ? histogram->total > 0
                           : (double)histogram->total * (1.0 - fraction) >= 1.0 - 1e-9;
}

uint64_t weir_histogram_percentile(const struct weir_histogram *histogram, double fraction)
{
    /* A product such as 0.55 * 100 comes out just above its true value, and must not be rounded up
     * for that. */
    double position = ceil(fraction * (double)histogram->total * (1.0 - 4.0 * DBL_EPSILON));
    uint64_t seen = 0;

    if (histogram->total == 0)
        return 0;
    if (position <= 1.0)
        return histogram->min_ns;
    if (position >= (double)histogram->total)
        return histogram->max_ns;
    for (unsigned i = (unsigned)histogram->first; i < used_buckets(histogram); i++) {
        seen += histogram->counts[i - histogram->first];
        if ((double)seen >= position)
            return clamp(middle_of(i), histogram->min_ns, histogram->max_ns);
    }
    return histogram->max_ns;
}

double weir_histogram_mean_ns(const struct weir_histogram *histogram)
{
    return histogram->total ? (double)histogram->sum_ns / (double)histogram->total : 0.0;
}
