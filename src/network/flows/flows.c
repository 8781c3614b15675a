/* SPDX-License-Identifier: Apache-2.0 */
/* Who talks to whom, round by round. */
#include "weir/flows/plan.h"

#include <assert.h>

/* A rank too many for pairs stays idle. */
static uint32_t half_of(uint32_t rank_count)
{
    return rank_count / 2;
}

/* Players of a tournament in which everybody meets everybody: with an odd number, one more, whose
 * opponent has nothing to do. */
static uint32_t player_count(uint32_t rank_count)
{
    return rank_count + rank_count % 2;
}

uint32_t weir_net_round_count(const struct weir_net_plan *plan, uint32_t rank_count)
{
    uint32_t half = half_of(rank_count);

    if (rank_count < 2)
        return 0;
    switch (plan->pattern) {
    case WEIR_NET_PAIRS:
        return half > 1 ? half + 1 : 1;
    case WEIR_NET_ALL:
        return (player_count(rank_count) - 1) * (plan->is_both_ways ? 1 : 2);
    case WEIR_NET_BISECTION:
        return half;
    default:
        return 1;
    }
}

/* The other one of player `of` in a round: the last player keeps his binding, and the others sit
 * in a circle that is turned by one each time. */
static uint32_t opponent_of(uint32_t of, uint32_t players, uint32_t round)
{
    uint32_t bindings = players - 1;
    uint32_t other;

    assert(bindings > 0);
    if (of == bindings)
        return round % bindings;
    other = (2 * (round % bindings) + 2 * bindings - of) % bindings;
    return other == of ? bindings : other;
}

static uint32_t tournament_flows(uint32_t rank_count, uint32_t round, bool is_backward,
                                 struct weir_net_flow *flows)
{
    uint32_t count = 0;

    for (uint32_t rank = 0; rank < rank_count; rank++) {
        uint32_t other = opponent_of(rank, player_count(rank_count), round);

        if (other < rank || other >= rank_count)
            continue;
        flows[count++] =
            is_backward ? (struct weir_net_flow){other, rank} : (struct weir_net_flow){rank, other};
    }
    return count;
}

static uint32_t star_flows(uint32_t rank_count, bool is_inward, struct weir_net_flow *flows)
{
    for (uint32_t rank = 1; rank < rank_count; rank++)
        flows[rank - 1] =
            is_inward ? (struct weir_net_flow){rank, 0} : (struct weir_net_flow){0, rank};
    return rank_count - 1;
}

/* From each rank of the lower half to one of the upper half. */
static uint32_t half_flows(uint32_t half, uint32_t turn, struct weir_net_flow *flows)
{
    for (uint32_t rank = 0; rank < half; rank++)
        flows[rank] = (struct weir_net_flow){rank, half + (rank + turn) % half};
    return half;
}

static uint32_t pairs_flows(uint32_t half, uint32_t round, struct weir_net_flow *flows)
{
    if (half == 1 || round == half)
        return half_flows(half, 0, flows);
    flows[0] = (struct weir_net_flow){round, half + round};
    return 1;
}

static uint32_t forward_flows(const struct weir_net_plan *plan, uint32_t rank_count, uint32_t round,
                              struct weir_net_flow *flows)
{
    switch (plan->pattern) {
    case WEIR_NET_PAIR:
        flows[0] = (struct weir_net_flow){0, 1};
        return 1;
    case WEIR_NET_PAIRS:
        return pairs_flows(half_of(rank_count), round, flows);
    case WEIR_NET_ALL:
        if (plan->is_both_ways)
            return tournament_flows(rank_count, round, false, flows);
        return tournament_flows(rank_count, round / 2, round % 2 != 0, flows);
    case WEIR_NET_INCAST:
        return star_flows(rank_count, true, flows);
    case WEIR_NET_OUTCAST:
        return star_flows(rank_count, false, flows);
    case WEIR_NET_BISECTION:
        return half_flows(half_of(rank_count), round, flows);
    }
    return 0;
}

uint32_t weir_net_round_flows(const struct weir_net_plan *plan, uint32_t rank_count, uint32_t round,
                              struct weir_net_flow *flows)
{
    uint32_t count;

    assert(round < weir_net_round_count(plan, rank_count));
    count = forward_flows(plan, rank_count, round, flows);
    if (!plan->is_both_ways)
        return count;
    for (uint32_t i = 0; i < count; i++)
        flows[count + i] = (struct weir_net_flow){flows[i].sink, flows[i].source};
    return 2 * count;
}

int weir_net_ranks_check(uint32_t rank_count, const struct weir_launch_mismatch *mismatch,
                         struct weir_error *error)
{
    if (rank_count >= 2)
        return 0;
    if (mismatch->fact[0] != '\0')
        return weir_error_usage(error, "net", "data go from one rank to another, and %s; %s",
                                mismatch->fact, mismatch->remedy);
    return weir_error_usage(
        error, "net",
        "data go from one rank to another, and there is one rank; start it with "
        "mpiexec -n 2 or more");
}
