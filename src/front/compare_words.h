/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `weir compare`. */
#ifndef WEIR_FRONT_COMPARE_WORDS_H
#define WEIR_FRONT_COMPARE_WORDS_H

#include "weir/front/front.h"

/* Reads the words after "weir compare" into command->compare, or into help (WEIR_COMMAND_SAY).
 * Returns 0 or a usage error. */
int weir_compare_words_read(int count, const char *const words[], struct weir_command *command,
                            struct weir_error *error);

#endif
