/* SPDX-License-Identifier: Apache-2.0 */
/* The word of a list that was probably meant by a mistyped one. */
#ifndef WEIR_BASE_NEAREST_H
#define WEIR_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* `typed` (not ended by a NUL) and `length` are set by the caller, the rest starts as 0. */
struct weir_nearest {
    const char *typed;
    size_t length;
    const char *word; /* the nearest of those offered; NULL: none is near */
    unsigned cost;    /* of `word` */
    bool is_ambiguous;
};

/* Considers one more word. Near is a word that begins as typed (3 letters at least; several such
 * words must begin with the shortest of them), or that one edit away, two from 6 letters on, or
 * three from 9 on: a letter more, less, another, or two swapped (optimal string alignment, a
 * restricted form of Damerau's distance), without regard to case. Of equals the first stays. */
void weir_nearest_offer(struct weir_nearest *nearest, const char *word);

/* The nearest word; NULL if none is near, or if several are begun alike. */
const char *weir_nearest_word(const struct weir_nearest *nearest);

#endif
