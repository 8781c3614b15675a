/* SPDX-License-Identifier: Apache-2.0 */
/* The command that serves objects to jobs: weir serve. */
#ifndef WEIR_FRONT_NET_SERVE_WORDS_H
#define WEIR_FRONT_NET_SERVE_WORDS_H

#include "weir/front/front.h"

/* Reads the words behind "weir serve" into command->serve, or into help (WEIR_COMMAND_SAY). 0, or a
 * usage error. */
int weir_serve_words_read(int count, const char *const words[], struct weir_command *command,
                          struct weir_error *error);

#endif
