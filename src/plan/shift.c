/* SPDX-License-Identifier: Apache-2.0 */
/* Gives each rank the part of another one, so that data is not read where it is still cached from
 * writing. */
#include "weir/plan/layout.h"

#include <assert.h>
#include <stddef.h>

/* For seeds of several choices that are made from one seed. */
enum { CHOICE_ROTATION, CHOICE_NODE = 2 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t permuted(uint64_t index, uint64_t count, uint64_t seed)
{
    struct weir_permutation permutation;

    weir_permutation_init(&permutation, count, seed);
    return weir_permutation_at(&permutation, index);
}

/* ---- the row: all ranks, node by node, and on each node in the order of their numbers ---- */

static uint64_t node_of(const struct weir_placement *placement, uint64_t rank)
{
    if (placement->node_of_rank != NULL)
        return (uint64_t)placement->node_of_rank[rank];
    if (!placement->is_block)
        return rank % placement->nodes;
    return least(rank / placement->ranks_per_node, placement->nodes - 1);
}

/* The place of a node's first rank; of node number `nodes`, the end of the row. */
static uint64_t start_of(const struct weir_placement *placement, uint64_t node)
{
    if (node == placement->nodes)
        return placement->ranks;
    if (placement->node_of_rank != NULL)
        return (uint64_t)placement->node_start[node];
    if (!placement->is_block)
        return node * (placement->ranks / placement->nodes) +
               least(node, placement->ranks % placement->nodes);
    return least(node * placement->ranks_per_node, placement->ranks);
}

static uint64_t place_of(const struct weir_placement *placement, uint64_t rank)
{
    uint64_t node = node_of(placement, rank);
    uint64_t place = start_of(placement, node);

    for (uint64_t lower = 0; lower < rank; lower++)
        place += node_of(placement, lower) == node;
    return place;
}

static uint64_t rank_at(const struct weir_placement *placement, uint64_t place)
{
    uint64_t node = 0;
    uint64_t left;
    uint64_t rank = 0;

    while (start_of(placement, node + 1) <= place)
        node++;
    left = place - start_of(placement, node);
    while (node_of(placement, rank) != node || left-- > 0)
        rank++;
    return rank;
}

/* The most ranks that any `count` (< nodes) neighbours in the ring of nodes have. */
static uint64_t fullest(const struct weir_placement *placement, uint64_t count)
{
    uint64_t nodes = placement->nodes;
    uint64_t result = 0;

    for (uint64_t first = 0; first < nodes; first++) {
        uint64_t end = first + count;
        uint64_t ranks = end <= nodes ? start_of(placement, end)
                                      : placement->ranks + start_of(placement, end - nodes);

        ranks -= start_of(placement, first);
        result = ranks > result ? ranks : result;
    }
    return result;
}

/* ---- rotations of the row ---- */

/* By how many places the row may be rotated. */
struct rotations {
    uint64_t low;
    uint64_t high;
};

/* Those that keep the fewest ranks on their own nodes, and lead the others at least `distance` (<
 * nodes) nodes forward wherever the fullest node leaves room for it.
 *
 * Let N be all ranks and L those of the fullest node. No permutation keeps fewer than 2L - N ranks
 * on that node: it has L of them, and there are N - L parts elsewhere. Rotation by R leads max(0,
 * c - R) ranks of a node of c forward to its own places, and max(0, c - (N - R)) all the way round.
 * That is none if neither R nor N - R is below L. If L > N / 2, then R = N - L keeps (L - R) + (L -
 * N + R) = 2L - N of the fullest node, and none of the others, which have N - L ranks or fewer. So
 * rotations from L to N - L, or else the one by N - L, are as good as any permutation.
 *
 * Who is led as many places forward as any `distance` neighbours have ranks has passed these nodes;
 * and who is led N - L forward at most is not yet home. */
static struct rotations far_rotations(const struct weir_placement *placement, uint64_t distance)
{
    uint64_t high = placement->ranks - fullest(placement, 1);

    return (struct rotations){.low = least(fullest(placement, distance), high), .high = high};
}

static uint64_t rotated(const struct weir_placement *placement, uint64_t place, uint64_t rotation)
{
    return rank_at(placement, (place + rotation) % placement->ranks);
}

/* ---- by a number of nodes ---- */

/* IOR's rule: by nodes if ranks are placed in blocks, else by ranks. */
static uint64_t regular_owner(const struct weir_placement *placement, uint64_t distance,
                              uint64_t rank)
{
    uint64_t ranks_per_node = placement->is_block ? placement->ranks_per_node : 1;
    unsigned __int128 further = (unsigned __int128)distance * ranks_per_node;

    return (uint64_t)((rank + further) % placement->ranks);
}

/* On nodes with unequal numbers of ranks IOR's rule, which counts ranks, could give a rank the data
 * of its own node. The list of real nodes is rotated instead, by the shortest rotation that avoids
 * it; on equal nodes both are the same. */
static uint64_t irregular_owner(const struct weir_placement *placement, uint64_t distance,
                                uint64_t rank)
{
    return rotated(placement, place_of(placement, rank),
                   far_rotations(placement, distance % placement->nodes).low);
}

/* What a check reads, no node is to have cached by writing it, nor is it to be cached by the check
 * for the timed reads that follow, which go one node less far: IOR has checks go one node further,
 * which leads home where reads go to the last node. Two nodes further than reads is then a third
 * place to read from, if there are three nodes. Of two, one has the data from writing and the other
 * is where it will be read with a clock running: the check has to stay at home. */
uint64_t weir_shift_distance(const struct weir_shift *shift, uint64_t nodes)
{
    bool must_go_on = shift->avoids_circle && nodes > 2 && shift->distance % nodes == 0;

    return shift->distance + (must_go_on ? 1 : 0);
}

static uint64_t shifted_owner(const struct weir_shift *shift,
                              const struct weir_placement *placement, uint64_t rank)
{
    uint64_t distance = weir_shift_distance(shift, placement->nodes);

    return placement->node_of_rank == NULL ? regular_owner(placement, distance, rank)
                                           : irregular_owner(placement, distance, rank);
}

/* ---- at random ---- */

static struct rotations random_rotations(const struct weir_shift *shift,
                                         const struct weir_placement *placement)
{
    uint64_t distance = least(shift->distance, placement->nodes - 1);
    struct rotations rotations = far_rotations(placement, distance);

    if (distance == 0)
        return (struct rotations){.low = 0, .high = placement->ranks - 1};
    /* As far backward as forward, where there is room for both. */
    if (2 * rotations.low <= placement->ranks)
        rotations.high = placement->ranks - rotations.low;
    return rotations;
}

/* The ranks of each node are shuffled in their places, and the row is rotated. */
static uint64_t random_owner(const struct weir_shift *shift, const struct weir_placement *placement,
                             uint64_t rank)
{
    struct rotations rotations = random_rotations(shift, placement);
    uint64_t rotation =
        rotations.low + weir_random_below(weir_random_at(shift->seed, CHOICE_ROTATION),
                                          rotations.high - rotations.low + 1);
    uint64_t node = node_of(placement, rank);
    uint64_t start = start_of(placement, node);
    uint64_t place =
        start + permuted(place_of(placement, rank) - start, start_of(placement, node + 1) - start,
                         weir_random_at(shift->seed, CHOICE_NODE + node));

    return rotated(placement, place, rotation);
}

uint64_t weir_shift_owner(const struct weir_shift *shift, const struct weir_placement *placement,
                          uint64_t rank)
{
    assert(rank < placement->ranks);
    assert(placement->nodes > 0 && placement->ranks_per_node > 0);
    switch (shift->kind) {
    case WEIR_SHIFT_NONE:
        return rank;
    case WEIR_SHIFT_NODES:
        return shifted_owner(shift, placement, rank);
    case WEIR_SHIFT_NODES_OR_RANKS:
        return placement->nodes > 1 ? shifted_owner(shift, placement, rank)
                                    : (rank + shift->distance) % placement->ranks;
    case WEIR_SHIFT_RANDOM:
        return random_owner(shift, placement, rank);
    case WEIR_SHIFT_PERMUTATION:
        return permuted(rank, placement->ranks, shift->seed);
    }
    assert(!"a shift that is none");
    return rank;
}
