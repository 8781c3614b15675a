/* SPDX-License-Identifier: Apache-2.0 */
/* Executions that overlap, as those of ranks that drift apart do, are counted once. */
#include "label_spans.h"

#include <math.h>
#include <stdlib.h>

void weir_label_spans_add(struct weir_label_spans *spans, uint64_t number,
                          const struct weir_label_span *span)
{
    struct weir_label_span *whole = &spans->spans[number];
    int64_t *last_begin_ns = &spans->last_begins_ns[number];

    if (spans->rank_counts[number]++ == 0) {
        *whole = *span;
        *last_begin_ns = span->begin_ns;
        return;
    }
    if (span->begin_ns < whole->begin_ns)
        whole->begin_ns = span->begin_ns;
    if (span->begin_ns > *last_begin_ns)
        *last_begin_ns = span->begin_ns;
    if (span->end_ns > whole->end_ns)
        whole->end_ns = span->end_ns;
}

static void find_skew(const struct weir_label_spans *spans, struct weir_label_result *result)
{
    double sum_s = 0.0;

    for (unsigned i = 0; i < WEIR_LABEL_STARTS; i++) {
        double skew_s = (double)(spans->last_begins_ns[i] - spans->spans[i].begin_ns) * 1e-9;

        if (spans->rank_counts[i] < 2)
            continue;
        result->skew_count++;
        result->skew_max_s = fmax(result->skew_max_s, skew_s);
        sum_s += skew_s;
    }
    if (result->skew_count > 0)
        result->skew_mean_s = sum_s / (double)result->skew_count;
}

static int compare_begins(const void *one, const void *other)
{
    int64_t a = ((const struct weir_label_span *)one)->begin_ns;
    int64_t b = ((const struct weir_label_span *)other)->begin_ns;

    return (a > b) - (a < b);
}

/* A label around itself ends its inner execution first, so that they are not in the order of their
 * begins. */
static void find_inside(struct weir_label_spans *spans, struct weir_label_result *result)
{
    int64_t done_ns = INT64_MIN, inside_ns = 0;
    unsigned count = 0;

    while (count < WEIR_LABEL_STARTS && spans->rank_counts[count] > 0)
        count++;
    qsort(spans->spans, count, sizeof *spans->spans, compare_begins);
    for (unsigned i = 0; i < count; i++) {
        const struct weir_label_span *span = &spans->spans[i];
        int64_t begin_ns = span->begin_ns > done_ns ? span->begin_ns : done_ns;

        if (span->end_ns <= begin_ns)
            continue;
        inside_ns += span->end_ns - begin_ns;
        done_ns = span->end_ns;
    }
    result->inside_s = (double)inside_ns * 1e-9;
    result->inside_is_estimated = inside_ns > 0 && spans->most_executions > WEIR_LABEL_STARTS;
    if (result->inside_is_estimated)
        result->inside_s *= (double)spans->most_executions / WEIR_LABEL_STARTS;
}

void weir_label_spans_finish(struct weir_label_spans *spans, struct weir_label_result *result)
{
    find_skew(spans, result);
    find_inside(spans, result);
    if (result->inside_is_estimated)
        result->inside_s = fmin(result->inside_s, result->last_end_s - result->first_begin_s);
}
