/* SPDX-License-Identifier: Apache-2.0 */
/* Free chunks of the slab. */
#include "chunks.h"

#include "weir/objects/server.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t words_of(uint32_t count)
{
    return (count + 63) / 64;
}

static bool get_bit(const uint64_t bits[], uint32_t i)
{
    return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t bits[], uint32_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void clear_bit(uint64_t bits[], uint32_t i)
{
    bits[i / 64] &= ~(UINT64_C(1) << i % 64);
}

int weir_chunks_init(struct weir_chunks *chunks, void *memory, uint32_t count)
{
    *chunks = (struct weir_chunks){.memory = memory, .count = count, .free_count = count};
    chunks->free_bits = calloc(words_of(count) + 1, sizeof *chunks->free_bits);
    chunks->stale_bits = calloc(words_of(count) + 1, sizeof *chunks->stale_bits);
    if (!chunks->free_bits || !chunks->stale_bits) {
        weir_chunks_fini(chunks);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++)
        set_bit(chunks->free_bits, i);
    return 0;
}

void weir_chunks_fini(struct weir_chunks *chunks)
{
    free(chunks->free_bits);
    free(chunks->stale_bits);
    chunks->free_bits = chunks->stale_bits = NULL;
}

static void zero(struct weir_chunks *chunks, uint32_t chunk)
{
    memset(chunks->memory + chunk * WEIR_CHUNK_BYTES, 0, WEIR_CHUNK_BYTES);
    clear_bit(chunks->stale_bits, chunk);
    chunks->stale_count--;
}

static uint32_t next_free(struct weir_chunks *chunks)
{
    uint32_t words = words_of(chunks->count);

    while (!chunks->free_bits[chunks->cursor])
        chunks->cursor = chunks->cursor + 1 < words ? chunks->cursor + 1 : 0;
    return chunks->cursor * 64 + (uint32_t)__builtin_ctzll(chunks->free_bits[chunks->cursor]);
}

uint32_t weir_chunks_take(struct weir_chunks *chunks, uint32_t wanted)
{
    uint32_t chunk = wanted;

    assert(chunks->free_count);
    if (wanted >= chunks->count || !get_bit(chunks->free_bits, wanted))
        chunk = next_free(chunks);
    clear_bit(chunks->free_bits, chunk);
    chunks->free_count--;
    if (get_bit(chunks->stale_bits, chunk))
        zero(chunks, chunk);
    return chunk;
}

void weir_chunks_give(struct weir_chunks *chunks, uint32_t chunk)
{
    assert(chunk < chunks->count && !get_bit(chunks->free_bits, chunk));
    set_bit(chunks->free_bits, chunk);
    set_bit(chunks->stale_bits, chunk);
    chunks->free_count++;
    chunks->stale_count++;
}

bool weir_chunks_tidy(struct weir_chunks *chunks)
{
    if (!chunks->stale_count)
        return false;
    for (uint32_t word = 0; word < words_of(chunks->count); word++)
        if (chunks->stale_bits[word]) {
            zero(chunks, word * 64 + (uint32_t)__builtin_ctzll(chunks->stale_bits[word]));
            return true;
        }
    return false;
}
