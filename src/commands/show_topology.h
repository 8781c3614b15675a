/* SPDX-License-Identifier: Apache-2.0 */
/* The command topology: which processors ranks would get on a host. */
#ifndef WEIR_COMMANDS_SHOW_TOPOLOGY_H
#define WEIR_COMMANDS_SHOW_TOPOLOGY_H

#include "weir/base/text.h"
#include "weir/front/front.h"

/* Appends the picture. 0, or *error is set. */
int weir_show_topology(const struct weir_host_question *question, struct weir_text *text,
                       struct weir_error *error);

#endif
