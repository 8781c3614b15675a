/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is taken piece by piece and given back whole. Plans, configurations and results live
 * in arenas. */
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct weir_arena_block;

/* All zero is an empty arena, ready for use. */
struct weir_arena {
    struct weir_arena_block *newest;
};

/* Zeroed memory, aligned for any type, valid until weir_arena_close. Never NULL: running out of
 * memory for a description of the run ends the process with exit code 3 and a sentence. */
void *weir_arena_take(struct weir_arena *arena, size_t bytes);

/* A copy of `text`; NULL stays NULL. */
char *weir_arena_copy(struct weir_arena *arena, const char *text);

char *weir_arena_printf(struct weir_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Gives back all that was taken; one block stays for what is taken next. */
void weir_arena_clear(struct weir_arena *arena);

/* Frees all that was taken; the arena is then empty. */
void weir_arena_close(struct weir_arena *arena);

#endif
