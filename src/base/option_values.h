/* SPDX-License-Identifier: Apache-2.0 */
/* One value of one row, for the parser of options. */
#ifndef WEIR_BASE_OPTION_VALUES_H
#define WEIR_BASE_OPTION_VALUES_H

#include "weir/base/options.h"

#include <stdbool.h>

/* Texts and choices: stored as strings. */
bool weir_option_is_text(const struct weir_option *row);

/* Bytes of those choices that are told to someone who wrote another one: without a final "|...". */
size_t weir_option_choices_length(const char *choices);

/* Reads `text` and stores it. Texts are copied into `arena`. 0, or a usage error at `place`. Not
 * for directives. */
int weir_option_read(const struct weir_option *row, void *values, const char *text,
                     struct weir_arena *arena, const char *place, struct weir_error *error);

/* Adds one to a flag. */
void weir_option_count_up(const struct weir_option *row, void *values);

/* Stores the default; leaves rows alone that have no value of their own. */
void weir_option_reset(const struct weir_option *row, void *values);

#endif
