/* SPDX-License-Identifier: Apache-2.0 */
/* Gives each rank the part of another one, so that data is not read where it is still cached from
 * writing. */
#include "weir/plan/layout.h"

#include <assert.h>

/* For seeds of several choices that are made from one seed. */
enum { CHOICE_ROTATION, CHOICE_TURN, CHOICE_NODE };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t node_distance(const struct weir_shift *shift,
                              const struct weir_placement *placement)
{
    return least(shift->distance, placement->nodes - 1);
}

/* A random rotation of a ring of `count` that leads at least `distance` forward, and backward too
 * if there is room. */
static uint64_t draw_rotation(uint64_t count, uint64_t distance, uint64_t random)
{
    uint64_t low = least(distance, count - 1);
    uint64_t high = 2 * low <= count ? count - low : count - 1;

    return low + weir_random_below(random, least(high, count - 1) - low + 1);
}

static uint64_t permuted(uint64_t index, uint64_t count, uint64_t seed)
{
    struct weir_permutation permutation;

    weir_permutation_init(&permutation, count, seed);
    return weir_permutation_at(&permutation, index);
}

/* Whole nodes are rotated, and the ranks of each node shuffled: node distances are kept exactly. */
static uint64_t rotate_nodes(const struct weir_shift *shift, const struct weir_placement *placement,
                             uint64_t rank)
{
    uint64_t node = rank / placement->ranks_per_node;
    uint64_t seed = weir_random_at(shift->seed, CHOICE_NODE + node);
    uint64_t rotation = draw_rotation(placement->nodes, node_distance(shift, placement),
                                      weir_random_at(shift->seed, CHOICE_ROTATION));
    uint64_t owner_node = (node + rotation) % placement->nodes;

    return owner_node * placement->ranks_per_node +
           permuted(rank % placement->ranks_per_node, placement->ranks_per_node, seed);
}

/* Blocks of unequal length: as many ranks away as the nodes have if they are all like the first. */
static uint64_t rotate_ranks(const struct weir_shift *shift, const struct weir_placement *placement,
                             uint64_t rank)
{
    uint64_t distance = node_distance(shift, placement) * placement->ranks_per_node;
    uint64_t rotation =
        draw_rotation(placement->ranks, distance, weir_random_at(shift->seed, CHOICE_ROTATION));

    return (rank + rotation) % placement->ranks;
}

/* Ranks that are dealt to the nodes in turn: one rank further is one node further, and a whole turn
 * leads home. */
static uint64_t rotate_dealt_ranks(const struct weir_shift *shift,
                                   const struct weir_placement *placement, uint64_t rank)
{
    uint64_t turns = placement->ranks / placement->nodes;
    uint64_t turn = weir_random_below(weir_random_at(shift->seed, CHOICE_TURN), turns);
    uint64_t rotation = draw_rotation(placement->nodes, node_distance(shift, placement),
                                      weir_random_at(shift->seed, CHOICE_ROTATION));

    return (rank + turn * placement->nodes + rotation) % placement->ranks;
}

static uint64_t random_owner(const struct weir_shift *shift, const struct weir_placement *placement,
                             uint64_t rank)
{
    if (!placement->is_block)
        return rotate_dealt_ranks(shift, placement, rank);
    if (placement->is_even)
        return rotate_nodes(shift, placement, rank);
    return rotate_ranks(shift, placement, rank);
}

/* IOR's rule: by nodes if ranks are placed in blocks, else by ranks. */
static uint64_t shifted_owner(const struct weir_shift *shift,
                              const struct weir_placement *placement, uint64_t rank)
{
    uint64_t ranks_per_node = placement->is_block ? placement->ranks_per_node : 1;
    unsigned __int128 distance = (unsigned __int128)shift->distance * ranks_per_node;

    return (uint64_t)((rank + distance) % placement->ranks);
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
    case WEIR_SHIFT_RANDOM:
        return random_owner(shift, placement, rank);
    case WEIR_SHIFT_PERMUTATION:
        return permuted(rank, placement->ranks, shift->seed);
    }
    assert(!"a shift that is none");
    return rank;
}
