/* SPDX-License-Identifier: Apache-2.0 */
/* The commands that look at a host in place of running anything: doctor and topology. */
#ifndef WEIR_FRONT_HOST_COMMANDS_H
#define WEIR_FRONT_HOST_COMMANDS_H

#include "weir/front/front.h"

/* Reads the words behind "weir doctor" and "weir topology" into command->question, or into help
 * (WEIR_COMMAND_SAY). 0, or a usage error. */
int weir_doctor_read(int count, const char *const words[], struct weir_command *command,
                     struct weir_error *error);
int weir_topology_read(int count, const char *const words[], struct weir_command *command,
                       struct weir_error *error);

#endif
