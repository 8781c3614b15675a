/* SPDX-License-Identifier: Apache-2.0 */
/* Commands whose words are one table of options. */
#ifndef WEIR_FRONT_COMMAND_WORDS_H
#define WEIR_FRONT_COMMAND_WORDS_H

#include "weir/base/options.h"
#include "weir/front/front.h"

struct weir_command_words {
    const char *place; /* what errors begin with: "serve" */
    const struct weir_option_set *set;
    const char *usage;                       /* before the options in its help */
    const struct weir_foreign_word *foreign; /* NULL: none */
};

/* Sets `values` to their defaults and reads the words into them; texts go to `arena`. If the row -h
 * is among them, the command is to say the help. 0, or a usage error. */
int weir_command_words_read(const struct weir_command_words *words, int count,
                            const char *const typed[], void *values, struct weir_arena *arena,
                            struct weir_command *command, struct weir_error *error);

#endif
