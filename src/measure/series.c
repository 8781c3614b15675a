/* SPDX-License-Identifier: Apache-2.0 */
/* Series of bytes and operations over time: the interval doubles so that the array never
 * overflows. */
#include "weir/measure/series.h"

#include <assert.h>
#include <string.h>

void weir_series_reset(struct weir_series *series, uint64_t start_ns)
{
    memset(series, 0, sizeof *series);
    series->start_ns = start_ns;
    series->shift = WEIR_SERIES_FIRST_SHIFT;
}

void weir_series_clear(struct weir_series *series, uint64_t start_ns)
{
    memset(series->ops, 0, series->used * sizeof *series->ops);
    memset(series->bytes, 0, series->used * sizeof *series->bytes);
    memset(series->backlog, 0, series->used * sizeof *series->backlog);
    series->start_ns = start_ns;
    series->shift = WEIR_SERIES_FIRST_SHIFT;
    series->used = 0;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void double_interval(struct weir_series *series)
{
    uint32_t used = (series->used + 1) / 2;

    for (uint32_t i = 0; i < used; i++) {
        /* An odd count of used intervals is followed by an empty one: the count of intervals is
         * even. */
        series->ops[i] = series->ops[2 * i] + series->ops[2 * i + 1];
        series->bytes[i] = series->bytes[2 * i] + series->bytes[2 * i + 1];
        series->backlog[i] = greater(series->backlog[2 * i], series->backlog[2 * i + 1]);
    }
    memset(&series->ops[used], 0, (WEIR_SERIES_INTERVALS - used) * sizeof *series->ops);
    memset(&series->bytes[used], 0, (WEIR_SERIES_INTERVALS - used) * sizeof *series->bytes);
    memset(&series->backlog[used], 0, (WEIR_SERIES_INTERVALS - used) * sizeof *series->backlog);
    series->used = used;
    series->shift++;
}

void weir_series_coarsen(struct weir_series *series, uint32_t shift)
{
    assert(shift < 64);
    while (series->shift < shift)
        double_interval(series);
}

uint64_t weir_series_grow(struct weir_series *series, uint64_t done_ns)
{
    /* A stamp before the start can only be the clock's grain: it counts into the first interval. */
    uint64_t elapsed_ns = done_ns > series->start_ns ? done_ns - series->start_ns : 0;
    uint64_t index;

    while (elapsed_ns >> series->shift >= WEIR_SERIES_INTERVALS)
        double_interval(series);
    index = elapsed_ns >> series->shift;
    if (index >= series->used)
        series->used = (uint32_t)index + 1;
    return index;
}

void weir_series_note_backlog(struct weir_series *series, uint64_t now_ns, uint64_t backlog)
{
    uint64_t index = (now_ns - series->start_ns) >> series->shift;

    if (index >= series->used)
        index = weir_series_grow(series, now_ns);
    series->backlog[index] = greater(series->backlog[index], backlog);
}

void weir_series_merge(struct weir_series *into, const struct weir_series *from)
{
    assert(into->shift == from->shift);
    for (uint32_t i = 0; i < from->used; i++) {
        into->ops[i] += from->ops[i];
        into->bytes[i] += from->bytes[i];
        into->backlog[i] += from->backlog[i];
    }
    if (from->used > into->used)
        into->used = from->used;
}

struct weir_series_gap weir_series_longest_gap(const struct weir_series *series)
{
    struct weir_series_gap longest = {0};
    uint32_t begin = UINT32_MAX;

    for (uint32_t i = 0; i < series->used; i++) {
        if (series->ops[i] == 0)
            continue;
        if (begin != UINT32_MAX && i - begin > longest.count)
            longest = (struct weir_series_gap){.first = begin, .count = i - begin};
        begin = i + 1;
    }
    return longest;
}
