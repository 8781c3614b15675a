/* SPDX-License-Identifier: Apache-2.0 */
/* `weir sweep`: the command line of a dialect again and again in one plan, with one or two things
 * varied. */
#ifndef WEIR_FRONT_SWEEP_SWEEP_H
#define WEIR_FRONT_SWEEP_SWEEP_H

#include "dialect.h"

/* Reads "ranks=1..32x2 total=8g --limit 2GB/s -- ior -w -r" into `command`: a plan, whose tests
 * have the number of their step, or a page. 0, or a usage error. */
int weir_sweep_read(const struct weir_invocation *invocation, struct weir_command *command,
                    struct weir_error *error);

#endif
