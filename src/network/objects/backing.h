/* SPDX-License-Identifier: Apache-2.0 */
/* The file or device behind a slab: a thread writes what clients ask to be stable, so that the
 * server goes on meanwhile. */
#ifndef WEIR_NETWORK_OBJECTS_BACKING_H
#define WEIR_NETWORK_OBJECTS_BACKING_H

#include "protocol.h"

struct weir_backing;

struct weir_backing_params {
    const char *path;
    uint64_t bytes;
    const unsigned char *memory; /* aligned to pages; what is written comes from the same offset */
    int (*check_device)(const char *path, struct weir_error *error); /* NULL: none is asked */
    void (*wake)(void *context); /* called by the thread: something can be reaped */
    void *context;
};

/* Pieces of memory to be written and synced. Whoever submits it keeps it until it is reaped. */
struct weir_backing_job {
    struct weir_backing_job *next;
    struct weir_range *pieces;
    uint32_t count;
    int result; /* 0 or -errno */
    void *owner;
};

/* Makes the file, as large as `bytes` and a block of 4096 behind them with a stamp; one with that
 * stamp is made anew. Refuses a file that holds something else, a device that is too small or in
 * use, and what another server has. 0 or the error. `bytes`: a multiple of 4096. */
int weir_backing_open(const struct weir_backing_params *params, struct weir_backing **backing,
                      struct weir_error *error);
/* Jobs that were not reaped are dropped. NULL is allowed. */
void weir_backing_close(struct weir_backing *backing);

void weir_backing_submit(struct weir_backing *backing, struct weir_backing_job *job);
/* One that is done: all of its bytes were written, and then synced. NULL: none. */
struct weir_backing_job *weir_backing_reap(struct weir_backing *backing);

#endif
