/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for what describes the run: plans, records, texts. Some is held in reserve, so that a run
 * that meets its limit still tells what it has measured, and removes its files. */
#ifndef WEIR_BASE_MEMORY_H
#define WEIR_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Puts some megabytes aside. Once, when the process begins. */
void weir_memory_reserve(void);

/* Zeroed memory for free(). Never NULL: where there is none, the reserve is given up, and where
 * that is used up as well, the process ends with exit code 3 and a sentence. */
void *weir_memory_take(size_t bytes);
/* The same for realloc(). What it adds is not zeroed. */
void *weir_memory_grow(void *piece, size_t bytes);

/* Gives the reserve up where the next megabyte could not be had: for libraries that take memory of
 * their own, and may wait for ever where they get none. Before work that ranks do together. */
void weir_memory_check(void);

/* True once the reserve was given up: the run is to end. */
bool weir_memory_is_short(void);

#endif
