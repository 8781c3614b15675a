/* SPDX-License-Identifier: Apache-2.0 */
/* The axes of a sweep: what is varied, over which values, and the words that a value adds to the
 * command line. */
#ifndef WEIR_FRONT_SWEEP_AXES_H
#define WEIR_FRONT_SWEEP_AXES_H

#include "dialect.h"
#include "values.h"

#define WEIR_SWEEP_WORDS_MAX 4 /* that a value adds */

struct weir_sweep_axis_words {
    const struct weir_dialect_axis *row;
    const char *const *texts; /* the values as reports have them: "1m", "posix" */
    uint64_t *numbers;        /* the same; of choices and texts their numbers from 0 on */
    unsigned count;
};

/* Names of the axes that are there without the dialect: ranks that take part are chosen by the
 * sweep. */
#define WEIR_SWEEP_RANKS "ranks"
#define WEIR_SWEEP_NODES "nodes"
#define WEIR_SWEEP_RANKS_PER_NODE "ranks-per-node"

/* Reads "transfer=4k..16m*2": an axis of the dialect, one that all have, or an option with a value
 * by its long name, of `request`'s tables. 0, or a usage error. */
int weir_sweep_axis_read(const struct weir_dialect *dialect,
                         const struct weir_front_request *request, const char *word,
                         struct weir_arena *arena, struct weir_sweep_axis_words *axis,
                         struct weir_error *error);

/* Writes the words of value `i` and returns how many they are, at most WEIR_SWEEP_WORDS_MAX. 0: the
 * value adds none. */
int weir_sweep_axis_spell(const struct weir_sweep_axis_words *axis, unsigned i,
                          struct weir_arena *arena, const char *words[]);

/* Adds the lines of a page of help: the axes of each dialect. */
void weir_sweep_axes_add_help(struct weir_text *text);

#endif
