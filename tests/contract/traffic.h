/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers all over some files, as many in flight as may be, whose data is checked: the engine in
 * small. */
#ifndef WEIR_TESTS_CONTRACT_TRAFFIC_H
#define WEIR_TESTS_CONTRACT_TRAFFIC_H

#include "bench.h"

/* Of each file; a prime, so that every step visits all. */
#define TRAFFIC_UNITS 331

struct traffic {
    enum weir_op_verb verb; /* write or read */
    struct weir_file *files[2];
    unsigned file_count;
    unsigned batch;          /* so many are waited for at once */
    unsigned salt;           /* what is written depends on it, and what is read is expected to */
    bool may_be_interrupted; /* by signals, which end waits early */
    unsigned char *memory;   /* a unit per slot; NULL: memory of its own */
    /* results, added to */
    uint64_t failed_count;
    uint64_t short_count;
};

/* Every unit of every file once, in an order that jumps about. What failed is sent again, and so is
 * the rest of what fell short. */
void run_traffic(struct bench *bench, struct traffic *traffic);

#endif
