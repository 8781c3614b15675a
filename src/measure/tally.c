/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's tally of one phase: emptied before it, and summed up after it. */
#include "weir/measure/tally.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static unsigned verb_count(const struct weir_tally_parts *parts)
{
    return (unsigned)__builtin_popcount(parts->verbs);
}

/* Several verbs need one more, for all of them together. */
unsigned weir_tally_histograms(const struct weir_tally_parts *parts)
{
    unsigned verbs = verb_count(parts);

    return verbs + (verbs > 1) + parts->has_submission + parts->has_response;
}

int weir_tally_open(struct weir_tally *tally, unsigned histogram_count)
{
    *tally = (struct weir_tally){.histogram_count = histogram_count};
    tally->histograms =
        calloc(histogram_count > 0 ? histogram_count : 1, sizeof *tally->histograms);
    return tally->histograms != NULL ? 0 : -ENOMEM;
}

void weir_tally_close(struct weir_tally *tally)
{
    free(tally->histograms);
    *tally = (struct weir_tally){0};
}

static struct weir_histogram *take(const struct weir_tally *tally, unsigned *taken)
{
    struct weir_histogram *histogram = &tally->histograms[(*taken)++];

    assert(*taken <= tally->histogram_count);
    weir_histogram_clear(histogram);
    return histogram;
}

/* A short phase would spend most of its time on zeroing tables of which it used an entry or two:
 * what was used is cleared. */
void weir_tally_reset(struct weir_tally *tally, uint64_t start_ns,
                      const struct weir_tally_parts *parts)
{
    unsigned taken = 0;

    memset(tally, 0, offsetof(struct weir_tally, series));
    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++)
        if ((parts->verbs & 1u << verb) != 0)
            tally->latency = tally->verbs[verb].latency = take(tally, &taken);
    if (taken > 1)
        tally->latency = take(tally, &taken);
    if (parts->has_submission)
        tally->submission = take(tally, &taken);
    if (parts->has_response)
        tally->response = take(tally, &taken);
    weir_series_clear(&tally->series, start_ns);
}

void weir_tally_fail(struct weir_tally *tally, unsigned verb, int error, uint64_t offset)
{
    assert(error < 0);
    tally->verbs[verb].error_count++;
    if (tally->first_error != 0)
        return;
    tally->first_error = error;
    tally->first_error_offset = offset;
}

void weir_tally_add(struct weir_tally *tally, unsigned verb, uint64_t latency_ns)
{
    weir_histogram_add(tally->verbs[verb].latency, latency_ns);
}

uint64_t weir_tally_ops(const struct weir_tally *tally)
{
    uint64_t count = 0;

    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++)
        if (tally->verbs[verb].latency != NULL)
            count += tally->verbs[verb].latency->total;
    return count;
}

uint64_t weir_tally_bytes(const struct weir_tally *tally)
{
    uint64_t count = tally->partial_bytes;

    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++)
        count += tally->verbs[verb].byte_count;
    return count;
}

uint64_t weir_tally_errors(const struct weir_tally *tally)
{
    uint64_t count = 0;

    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++)
        count += tally->verbs[verb].error_count;
    return count;
}

void weir_tally_join(struct weir_tally *tally)
{
    for (unsigned verb = 0; verb < WEIR_TALLY_VERBS; verb++) {
        const struct weir_histogram *latency = tally->verbs[verb].latency;

        if (latency != NULL && latency != tally->latency)
            weir_histogram_merge(tally->latency, latency);
    }
}
