/* SPDX-License-Identifier: Apache-2.0 */
/* One rank's tally of one phase: emptied before it, and told of failures. */
#include "weir/measure/tally.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* A short phase would spend most of its time on zeroing tables of which it used an entry or two. */
void weir_tally_reset(struct weir_tally *tally, uint64_t start_ns)
{
    memset(tally, 0, offsetof(struct weir_tally, latency));
    weir_histogram_clear(&tally->latency);
    weir_histogram_clear(&tally->submission);
    weir_histogram_clear(&tally->response);
    weir_histogram_clear(&tally->write_latency);
    weir_histogram_clear(&tally->read_latency);
    weir_series_clear(&tally->series, start_ns);
}

void weir_tally_fail(struct weir_tally *tally, int error, uint64_t offset)
{
    assert(error < 0);
    if (tally->error_count++ > 0)
        return;
    tally->first_error = error;
    tally->first_error_offset = offset;
}
