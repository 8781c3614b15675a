/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that print something and run nothing. Rank 0 only. */
#ifndef WEIR_SHOW_H
#define WEIR_SHOW_H

#include "weir/front/front.h"

/* Does what any command but WEIR_COMMAND_RUN asks for, as one of so many ranks. 0, or *error is
 * set. */
int weir_show(const struct weir_command *command, const struct weir_backends *backends,
              unsigned ranks, struct weir_error *error);

#endif
