/* SPDX-License-Identifier: Apache-2.0 */
/* Shifts: always a permutation of the ranks, and as many nodes away as asked for. */
#include "weir/plan/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define RANKS_MOST 128

enum shape { BLOCK, UNEVEN_BLOCK, DEALT };

/* Which node each rank is on; uneven: two ranks fewer on the last node. */
static struct weir_placement place(enum shape shape, uint64_t nodes, uint64_t ranks_per_node,
                                   uint64_t node_of_rank[RANKS_MOST])
{
    struct weir_placement placement = {
        .ranks = nodes * ranks_per_node - (shape == UNEVEN_BLOCK ? 2 : 0),
        .nodes = nodes,
        .ranks_per_node = ranks_per_node,
        .is_block = shape != DEALT || ranks_per_node == 1,
        .is_even = shape == BLOCK || ranks_per_node == 1,
    };

    for (uint64_t rank = 0; rank < placement.ranks; rank++)
        node_of_rank[rank] = shape == DEALT ? rank % nodes : rank / ranks_per_node;
    return placement;
}

static bool is_permutation(const struct weir_shift *shift, const struct weir_placement *placement)
{
    bool is_taken[RANKS_MOST] = {false};

    for (uint64_t rank = 0; rank < placement->ranks; rank++) {
        uint64_t owner = weir_shift_owner(shift, placement, rank);

        if (owner >= placement->ranks || is_taken[owner])
            return false;
        is_taken[owner] = true;
    }
    return true;
}

static void every_shift_is_a_permutation(void **state)
{
    uint64_t node_of_rank[RANKS_MOST];

    (void)state;
    for (enum weir_shift_kind kind = WEIR_SHIFT_NONE; kind <= WEIR_SHIFT_PERMUTATION; kind++)
        for (enum shape shape = BLOCK; shape <= DEALT; shape++)
            for (uint64_t nodes = 1; nodes <= 9; nodes++)
                for (uint64_t ranks_per_node = 3; ranks_per_node <= 6; ranks_per_node++)
                    for (uint64_t distance = 0; distance <= 10; distance++) {
                        struct weir_placement placement =
                            place(shape, nodes, ranks_per_node, node_of_rank);
                        struct weir_shift shift = {
                            .kind = kind, .distance = distance, .seed = distance + nodes};

                        assert_true(is_permutation(&shift, &placement));
                    }
}

/* How many nodes further the owner's node is, round the ring. */
static uint64_t nodes_further(const struct weir_shift *shift,
                              const struct weir_placement *placement, const uint64_t node_of_rank[],
                              uint64_t rank)
{
    uint64_t owner = weir_shift_owner(shift, placement, rank);

    return (node_of_rank[owner] + placement->nodes - node_of_rank[rank]) % placement->nodes;
}

static void node_shift_leads_exactly_as_far_as_asked(void **state)
{
    static const enum shape shapes[] = {BLOCK, DEALT};
    uint64_t node_of_rank[RANKS_MOST];

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t nodes = 1; nodes <= 8; nodes++)
            for (uint64_t distance = 0; distance <= 10; distance++) {
                struct weir_placement placement = place(shapes[i], nodes, 4, node_of_rank);
                struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = distance};

                for (uint64_t rank = 0; rank < placement.ranks; rank++)
                    assert_int_equal(nodes_further(&shift, &placement, node_of_rank, rank),
                                     distance % nodes);
            }
}

static void node_shift_follows_the_formula_of_ior(void **state)
{
    static const struct {
        enum shape shape;
        uint64_t distance;
        uint64_t rank;
        uint64_t owner;
    } rows[] = {
        {BLOCK, 1, 0, 4}, {BLOCK, 1, 13, 1}, {BLOCK, 2, 5, 13}, {BLOCK, 4, 7, 7},
        {DEALT, 1, 0, 1}, {DEALT, 1, 15, 0}, {DEALT, 3, 5, 8},  {BLOCK, UINT64_MAX, 0, 12},
    };
    uint64_t node_of_rank[RANKS_MOST];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_placement placement = place(rows[i].shape, 4, 4, node_of_rank);
        struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = rows[i].distance};

        assert_int_equal(weir_shift_owner(&shift, &placement, rows[i].rank), rows[i].owner);
    }
}

static void random_shift_keeps_its_distance_in_nodes(void **state)
{
    static const enum shape shapes[] = {BLOCK, DEALT};
    uint64_t node_of_rank[RANKS_MOST];

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (uint64_t nodes = 1; nodes <= 8; nodes++)
            for (uint64_t distance = 0; distance <= 9; distance++)
                for (uint64_t seed = 0; seed < 20; seed++) {
                    struct weir_placement placement = place(shapes[i], nodes, 3, node_of_rank);
                    struct weir_shift shift = {
                        .kind = WEIR_SHIFT_RANDOM, .distance = distance, .seed = seed};
                    uint64_t least = distance < nodes - 1 ? distance : nodes - 1;

                    for (uint64_t rank = 0; rank < placement.ranks; rank++) {
                        uint64_t forward = nodes_further(&shift, &placement, node_of_rank, rank);

                        assert_true(forward >= least);
                        if (2 * least <= nodes && least > 0)
                            assert_true(nodes - forward >= least);
                    }
                }
}

static void random_shift_of_uneven_nodes_keeps_its_distance_in_ranks(void **state)
{
    uint64_t node_of_rank[RANKS_MOST];

    (void)state;
    for (uint64_t distance = 1; distance <= 3; distance++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            struct weir_placement placement = place(UNEVEN_BLOCK, 8, 4, node_of_rank);
            struct weir_shift shift = {
                .kind = WEIR_SHIFT_RANDOM, .distance = distance, .seed = seed};

            for (uint64_t rank = 0; rank < placement.ranks; rank++) {
                uint64_t owner = weir_shift_owner(&shift, &placement, rank);
                uint64_t forward = (owner + placement.ranks - rank) % placement.ranks;

                assert_in_range(forward, 4 * distance, placement.ranks - 4 * distance);
            }
        }
}

/* A node far smaller than the first one leaves no room for the distance: still a permutation. */
static void random_shift_survives_nodes_that_are_far_smaller_than_the_first(void **state)
{
    struct weir_placement placement = {
        .ranks = 10, .nodes = 3, .ranks_per_node = 8, .is_block = true, .is_even = false};
    struct weir_shift shift = {.kind = WEIR_SHIFT_RANDOM, .distance = 2};

    (void)state;
    assert_true(is_permutation(&shift, &placement));
}

static void random_shift_depends_on_its_seed(void **state)
{
    static const enum weir_shift_kind kinds[] = {WEIR_SHIFT_RANDOM, WEIR_SHIFT_PERMUTATION};
    uint64_t node_of_rank[RANKS_MOST];
    struct weir_placement placement = place(BLOCK, 8, 4, node_of_rank);

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct weir_shift one = {.kind = kinds[i], .distance = 1, .seed = 1};
        struct weir_shift other = {.kind = kinds[i], .distance = 1, .seed = 2};
        unsigned differences = 0;

        for (uint64_t rank = 0; rank < placement.ranks; rank++)
            differences += weir_shift_owner(&one, &placement, rank) !=
                           weir_shift_owner(&other, &placement, rank);
        assert_true(differences > placement.ranks / 2);
    }
}

static void every_allowed_rotation_happens(void **state)
{
    uint64_t node_of_rank[RANKS_MOST];
    struct weir_placement placement = place(BLOCK, 8, 2, node_of_rank);
    bool is_met[8] = {false};

    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct weir_shift shift = {.kind = WEIR_SHIFT_RANDOM, .distance = 2, .seed = seed};

        is_met[nodes_further(&shift, &placement, node_of_rank, 0)] = true;
    }
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(is_met[i], i >= 2 && i <= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shift_is_a_permutation),
        cmocka_unit_test(node_shift_leads_exactly_as_far_as_asked),
        cmocka_unit_test(node_shift_follows_the_formula_of_ior),
        cmocka_unit_test(random_shift_keeps_its_distance_in_nodes),
        cmocka_unit_test(random_shift_of_uneven_nodes_keeps_its_distance_in_ranks),
        cmocka_unit_test(random_shift_survives_nodes_that_are_far_smaller_than_the_first),
        cmocka_unit_test(random_shift_depends_on_its_seed),
        cmocka_unit_test(every_allowed_rotation_happens),
    };

    return cmocka_run_group_tests_name("shift", tests, NULL, NULL);
}
