/* SPDX-License-Identifier: Apache-2.0 */
/* Which process of the launcher is which rank. */
#ifndef WEIR_COMMANDS_RANK_ORDER_H
#define WEIR_COMMANDS_RANK_ORDER_H

#include "weir/group/group.h"
#include "weir/plan/plan.h"

/* Writes into `launched`, which has room for all ranks, the rank of the group that each rank of the
 * order is. Ranks of one node stay in their order. 0, or a usage error: the list of hosts names one
 * more often than it has ranks. */
int weir_rank_order_find(const struct weir_rank_order *order, const struct weir_group *group,
                         int launched[], struct weir_error *error);

/* The ranks of the group in the order that the plan asks for: a group of its own, which is to be
 * closed, or `group` itself if they are in that order already. 0, or an error that all ranks know.
 * Collective. */
int weir_rank_order_open(const struct weir_plan *plan, struct weir_group *group,
                         struct weir_group **ordered, struct weir_error *error);

#endif
