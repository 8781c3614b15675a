/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `weir export`, and the options of --redact that other commands share. */
#ifndef WEIR_FRONT_EXPORT_WORDS_H
#define WEIR_FRONT_EXPORT_WORDS_H

#include "weir/front/front.h"

/* Rows for a table of options of `structure`, which has a struct weir_redact_request `redact`. */
#define WEIR_REDACT_ROWS(structure)                                                                \
    {0, "redact", WEIR_OPTION_FLAG, WEIR_OPTION_AT(structure, redact.redacts),                     \
     .help = "put pseudonyms such as host-1 in the place of hosts, users, paths, jobs and "        \
             "targets"},                                                                           \
    {                                                                                              \
        0, "redact-key", WEIR_OPTION_TEXT, WEIR_OPTION_AT(structure, redact.key_path),             \
            .help = "the same, from a hash with the key in this file (16 bytes or more): equal "   \
                    "names have equal pseudonyms in all outputs with this key"                     \
    }

/* Reads the words after "weir export" into command->export, or into help (WEIR_COMMAND_SAY).
 * Returns 0 or a usage error. */
int weir_export_words_read(int count, const char *const words[], struct weir_command *command,
                           struct weir_error *error);

#endif
