/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of a plan on this host: amounts, room, memory and time. */
#ifndef WEIR_COMMANDS_OUTLOOK_H
#define WEIR_COMMANDS_OUTLOOK_H

#include "weir/plan/plan.h"

/* Appends, for so many ranks, what each test moves and leaves, what is free where its files go, the
 * memory of its buffers, and what is known of its time. All of it is of this host and this launch,
 * and no part of the plan or its id. */
void weir_outlook_add(struct weir_text *text, const struct weir_plan *plan, unsigned ranks);

#endif
