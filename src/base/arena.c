/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas: a chain of zeroed blocks, each filled from its start. */
#include "weir/base/arena.h"

#include "weir/base/error.h"
#include "weir/base/memory.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)16 * 1024)

struct weir_arena_block {
    struct weir_arena_block *older;
    size_t used;
    size_t size;
    alignas(max_align_t) unsigned char bytes[];
};

static size_t round_up(size_t bytes)
{
    const size_t unit = alignof(max_align_t);

    return bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
}

static struct weir_arena_block *add_block(struct weir_arena *arena, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct weir_arena_block *block = weir_memory_take(sizeof *block + size);

    block->size = size;
    block->older = arena->newest;
    arena->newest = block;
    return block;
}

void *weir_arena_take(struct weir_arena *arena, size_t bytes)
{
    struct weir_arena_block *block = arena->newest;
    void *piece;

    if (bytes > SIZE_MAX / 2)
        weir_error_out_of_memory();
    bytes = round_up(bytes);
    if (!block || block->size - block->used < bytes)
        block = add_block(arena, bytes);
    piece = block->bytes + block->used;
    block->used += bytes;
    return piece;
}

char *weir_arena_copy(struct weir_arena *arena, const char *text)
{
    size_t bytes;

    if (!text)
        return NULL;
    bytes = strlen(text) + 1;
    return memcpy(weir_arena_take(arena, bytes), text, bytes);
}

char *weir_arena_printf(struct weir_arena *arena, const char *format, ...)
{
    va_list arguments;
    int length;
    char *text;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0)
        weir_error_out_of_memory();
    text = weir_arena_take(arena, (size_t)length + 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

void weir_arena_clear(struct weir_arena *arena)
{
    struct weir_arena_block *first = arena->newest;

    if (!first)
        return;
    while (first->older) {
        arena->newest = first->older;
        free(first);
        first = arena->newest;
    }
    memset(first->bytes, 0, first->used);
    first->used = 0;
}

void weir_arena_close(struct weir_arena *arena)
{
    while (arena->newest) {
        struct weir_arena_block *older = arena->newest->older;

        free(arena->newest);
        arena->newest = older;
    }
}
