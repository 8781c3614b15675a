/* SPDX-License-Identifier: Apache-2.0 */
/* Which chunks of the slab are free: bits, looked through from where the last one was found. */
#ifndef WEIR_NETWORK_OBJECTS_CHUNKS_H
#define WEIR_NETWORK_OBJECTS_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_CHUNK_NONE UINT32_MAX

struct weir_chunks {
    unsigned char *memory; /* chunk n begins at n * WEIR_CHUNK_BYTES; all zero at the start */
    uint32_t count;
    uint32_t free_count;
    uint32_t stale_count; /* free, but with old data in them */
    uint32_t cursor;      /* the word where the last one was found */
    uint64_t *free_bits;
    uint64_t *stale_bits; /* subset of those that are free */
};

/* 0 or -ENOMEM. */
int weir_chunks_init(struct weir_chunks *chunks, void *memory, uint32_t count);
void weir_chunks_fini(struct weir_chunks *chunks);

/* A chunk full of zeros: `wanted` if that is free, else the next one. One must be free. */
uint32_t weir_chunks_take(struct weir_chunks *chunks, uint32_t wanted);
void weir_chunks_give(struct weir_chunks *chunks, uint32_t chunk);

/* Zeroes one of those that are free, for somebody who has nothing else to do. False: there was
 * none. */
bool weir_chunks_tidy(struct weir_chunks *chunks);

#endif
