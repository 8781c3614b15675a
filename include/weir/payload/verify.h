/* SPDX-License-Identifier: Apache-2.0 */
/* The comparison of data that was read: what is wrong, where, and of what kind. */
#ifndef WEIR_PAYLOAD_VERIFY_H
#define WEIR_PAYLOAD_VERIFY_H

#include "weir/measure/mismatch.h"
#include "weir/payload/payload.h"

/* Where a transfer was read, for the log. */
struct weir_expectation {
    uint64_t file_number;
    uint64_t offset;
    uint64_t bytes;  /* read: at most the transfer size; only whole pieces are compared */
    uint32_t writer; /* rank that should have written it */
    uint32_t reader;
    bool is_own_file; /* then the writer must be the right one, too */
    /* Of WEIR_PAYLOAD_IOR, whose data tell places in a shared file apart by their writer: */
    uint32_t ranks;  /* of the job */
    bool any_writer; /* transfers went to ranks in random order */
};

/* Compares `data` with what `source` would have written there, and logs what is wrong. True if all
 * is right. */
bool weir_verify(const struct weir_source *source, const struct weir_expectation *reading,
                 const void *data, struct weir_mismatch_log *log);

#endif
