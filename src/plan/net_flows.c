/* SPDX-License-Identifier: Apache-2.0 */
/* Who talks to whom, round by round. */
#include "weir/plan/net_plan.h"

#include <errno.h>

uint32_t weir_net_round_count(const struct weir_net_plan *plan, uint32_t rank_count)
{
    (void)plan;
    (void)rank_count;
    return 0;
}

uint32_t weir_net_round_flows(const struct weir_net_plan *plan, uint32_t rank_count, uint32_t round,
                              struct weir_net_flow *flows)
{
    (void)plan;
    (void)rank_count;
    (void)round;
    (void)flows;
    return 0;
}

int weir_net_ranks_check(const struct weir_net_plan *plan, uint32_t rank_count,
                         struct weir_error *error)
{
    (void)plan;
    (void)rank_count;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOSYS, NULL, "not built yet");
}
