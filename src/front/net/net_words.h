/* SPDX-License-Identifier: Apache-2.0 */
/* The words behind "weir net". */
#ifndef WEIR_FRONT_NET_NET_WORDS_H
#define WEIR_FRONT_NET_NET_WORDS_H

#include "weir/front/front.h"

/* Reads them into command->net, or into help (WEIR_COMMAND_SAY). 0, or a usage error. */
int weir_net_words_read(int count, const char *const words[], struct weir_command *command,
                        struct weir_error *error);

#endif
