/* SPDX-License-Identifier: Apache-2.0 */
/* The reserve is in pieces that malloc takes from its heap, where they are one stretch again when
 * they are freed; larger ones would be mapped, and given back to the system. */
#include "weir/base/memory.h"

#include "weir/base/error.h"

#include <stdlib.h>
#include <sys/mman.h>

#define PIECE_BYTES ((size_t)96 * 1024)
#define PIECES 32
#define CHECKED_PIECES 10

static struct {
    void *pieces[PIECES];
    void *end; /* keeps the heap as long as it is */
    bool is_short;
} reserve;

void weir_memory_reserve(void)
{
    for (unsigned i = 0; i < PIECES; i++)
        reserve.pieces[i] = malloc(PIECE_BYTES);
    reserve.end = malloc(1);
}

bool weir_memory_is_short(void)
{
    return reserve.is_short;
}

static void give_up_reserve(void)
{
    if (reserve.is_short)
        weir_error_out_of_memory();
    reserve.is_short = true;
    for (unsigned i = 0; i < PIECES; i++)
        free(reserve.pieces[i]);
}

/* The system is asked first, which is faster than to have the heap grow and shrink. */
static bool has_more(void)
{
    void *more = mmap(NULL, CHECKED_PIECES * PIECE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *volatile pieces[CHECKED_PIECES];
    unsigned count = 0;

    if (more != MAP_FAILED) {
        munmap(more, CHECKED_PIECES * PIECE_BYTES);
        return true;
    }
    while (count < CHECKED_PIECES && (pieces[count] = malloc(PIECE_BYTES)) != NULL)
        count++;
    for (unsigned i = 0; i < count; i++)
        free(pieces[i]);
    return count == CHECKED_PIECES;
}

void weir_memory_check(void)
{
    if (!reserve.is_short && !has_more())
        give_up_reserve();
}

void *weir_memory_take(size_t bytes)
{
    void *piece = calloc(1, bytes);

    if (piece != NULL)
        return piece;
    give_up_reserve();
    piece = calloc(1, bytes);
    if (piece == NULL)
        weir_error_out_of_memory();
    return piece;
}

void *weir_memory_grow(void *piece, size_t bytes)
{
    void *grown = realloc(piece, bytes);

    if (grown != NULL)
        return grown;
    give_up_reserve();
    grown = realloc(piece, bytes);
    if (grown == NULL)
        weir_error_out_of_memory();
    return grown;
}
