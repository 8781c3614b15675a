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

/* A placement, and the node of each rank, of which the placement may or may not know. */
struct scene {
    struct weir_placement placement;
    int node_of_rank[RANKS_MOST];
    int node_start[RANKS_MOST + 1];
};

/* Counts nodes and their ranks from node_of_rank, where nodes are numbered by their first ranks. */
static void count_nodes(struct scene *scene, uint64_t ranks)
{
    struct weir_placement *placement = &scene->placement;

    *placement = (struct weir_placement){.ranks = ranks};
    memset(scene->node_start, 0, sizeof scene->node_start);
    for (uint64_t rank = 0; rank < ranks; rank++) {
        scene->node_start[scene->node_of_rank[rank] + 1]++;
        if ((uint64_t)scene->node_of_rank[rank] == placement->nodes)
            placement->nodes++;
    }
    placement->ranks_per_node = (uint64_t)scene->node_start[1];
    for (uint64_t node = 0; node < placement->nodes; node++)
        scene->node_start[node + 1] += scene->node_start[node];
    placement->is_block =
        placement->nodes == ranks || scene->node_of_rank[0] == scene->node_of_rank[1];
    placement->node_of_rank = scene->node_of_rank;
    placement->node_start = scene->node_start;
}

enum shape { BLOCK, DEALT };

/* A regular placement, of which only the numbers are told. */
static void place(struct scene *scene, enum shape shape, uint64_t nodes, uint64_t ranks_per_node)
{
    uint64_t ranks = nodes * ranks_per_node;

    for (uint64_t rank = 0; rank < ranks; rank++)
        scene->node_of_rank[rank] = (int)(shape == DEALT ? rank % nodes : rank / ranks_per_node);
    count_nodes(scene, ranks);
    scene->placement.node_of_rank = NULL;
    scene->placement.node_start = NULL;
}

/* Up to 8 nodes of 1 to 9 ranks; on `nodes` in blocks, or in any order. */
static void scatter(struct scene *scene, uint64_t seed)
{
    uint64_t nodes = 1 + weir_random_below(weir_random_at(seed, 0), 8);
    bool is_block = weir_random_below(weir_random_at(seed, 1), 3) == 0;
    int number[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    int home[RANKS_MOST];
    uint64_t ranks = 0;
    int met = 0;
    struct weir_permutation order;

    for (uint64_t node = 0; node < nodes; node++)
        for (uint64_t i = weir_random_below(weir_random_at(seed, 2 + node), 9) + 1; i > 0; i--)
            home[ranks++] = (int)node;
    weir_permutation_init(&order, ranks, seed);
    for (uint64_t rank = 0; rank < ranks; rank++) {
        int node = home[is_block ? rank : weir_permutation_at(&order, rank)];

        if (number[node] < 0)
            number[node] = met++;
        scene->node_of_rank[rank] = number[node];
    }
    count_nodes(scene, ranks);
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

static void assert_all_shifts_permute(const struct weir_placement *placement)
{
    for (enum weir_shift_kind kind = WEIR_SHIFT_NONE; kind <= WEIR_SHIFT_NODES_OR_RANKS; kind++)
        for (uint64_t distance = 0; distance <= 10; distance++) {
            struct weir_shift shift = {
                .kind = kind, .distance = distance, .seed = distance + placement->nodes};

            assert_true(is_permutation(&shift, placement));
        }
}

static void every_shift_is_a_permutation(void **state)
{
    struct scene scene;

    (void)state;
    for (enum shape shape = BLOCK; shape <= DEALT; shape++)
        for (uint64_t nodes = 1; nodes <= 9; nodes++)
            for (uint64_t ranks_per_node = 1; ranks_per_node <= 6; ranks_per_node++) {
                place(&scene, shape, nodes, ranks_per_node);
                assert_all_shifts_permute(&scene.placement);
            }
    for (uint64_t seed = 0; seed < 300; seed++) {
        scatter(&scene, seed);
        assert_all_shifts_permute(&scene.placement);
    }
}

/* Users may say what is not so: nodes without ranks, a last node fuller than the others. */
static void shifts_of_given_placements_that_do_not_fit_are_permutations(void **state)
{
    (void)state;
    for (uint64_t ranks = 1; ranks <= 9; ranks++)
        for (uint64_t nodes = 1; nodes <= ranks; nodes++)
            for (uint64_t ranks_per_node = 1; ranks_per_node <= 12; ranks_per_node++)
                for (unsigned is_block = 0; is_block <= 1; is_block++) {
                    struct weir_placement placement = {.ranks = ranks,
                                                       .nodes = nodes,
                                                       .ranks_per_node = ranks_per_node,
                                                       .is_block = is_block};

                    assert_all_shifts_permute(&placement);
                }
}

/* How many nodes further the owner's node is, round the ring. */
static uint64_t nodes_further(const struct weir_shift *shift, const struct scene *scene,
                              uint64_t rank)
{
    uint64_t owner = weir_shift_owner(shift, &scene->placement, rank);
    uint64_t nodes = scene->placement.nodes;

    return ((uint64_t)scene->node_of_rank[owner] + nodes - (uint64_t)scene->node_of_rank[rank]) %
           nodes;
}

static uint64_t count_near(const struct weir_shift *shift, const struct scene *scene)
{
    uint64_t count = 0;

    for (uint64_t rank = 0; rank < scene->placement.ranks; rank++)
        count += nodes_further(shift, scene, rank) == 0;
    return count;
}

/* ---- by a number of nodes ---- */

static void node_shift_leads_exactly_as_far_as_asked_where_nodes_are_even(void **state)
{
    struct scene scene;

    (void)state;
    for (enum shape shape = BLOCK; shape <= DEALT; shape++)
        for (uint64_t nodes = 1; nodes <= 8; nodes++)
            for (uint64_t distance = 0; distance <= 10; distance++) {
                struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = distance};

                place(&scene, shape, nodes, 4);
                for (uint64_t rank = 0; rank < scene.placement.ranks; rank++)
                    assert_int_equal(nodes_further(&shift, &scene, rank), distance % nodes);
            }
}

static void node_shift_follows_the_formula_of_ior_where_nodes_are_even(void **state)
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
    struct scene scene;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = rows[i].distance};

        place(&scene, rows[i].shape, 4, 4);
        assert_int_equal(weir_shift_owner(&shift, &scene.placement, rows[i].rank), rows[i].owner);
    }
}

/* Ranks in pairs, dealt in turn: nodes are even, and ranks neither in blocks nor singly dealt. */
static void node_shift_is_exact_on_even_nodes_in_any_order(void **state)
{
    struct scene scene;

    (void)state;
    for (uint64_t nodes = 2; nodes <= 5; nodes++)
        for (uint64_t distance = 0; distance <= 6; distance++) {
            struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = distance};

            for (uint64_t rank = 0; rank < nodes * 6; rank++)
                scene.node_of_rank[rank] = (int)(rank / 2 % nodes);
            count_nodes(&scene, nodes * 6);
            for (uint64_t rank = 0; rank < scene.placement.ranks; rank++)
                assert_int_equal(nodes_further(&shift, &scene, rank), distance % nodes);
        }
}

/* The same as by IOR's rule, as there is nobody to be led wrong by it. */
static void node_shift_leads_past_a_last_node_that_is_short(void **state)
{
    static const int node_of_rank[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3};
    struct scene scene;

    (void)state;
    memcpy(scene.node_of_rank, node_of_rank, sizeof node_of_rank);
    count_nodes(&scene, 14);
    for (uint64_t distance = 1; distance <= 2; distance++) {
        struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = distance};

        for (uint64_t rank = 0; rank < 14; rank++)
            assert_int_equal(weir_shift_owner(&shift, &scene.placement, rank),
                             (rank + 4 * distance) % 14);
    }
}

/* The most ranks on `count` neighbours: node by node, unlike the code under test. */
static uint64_t fullest(const struct scene *scene, uint64_t count)
{
    uint64_t nodes = scene->placement.nodes;
    uint64_t result = 0;

    for (uint64_t first = 0; first < nodes; first++) {
        uint64_t ranks = 0;

        for (uint64_t rank = 0; rank < scene->placement.ranks; rank++)
            ranks += ((uint64_t)scene->node_of_rank[rank] + nodes - first) % nodes < count;
        result = ranks > result ? ranks : result;
    }
    return result;
}

static uint64_t least_near(const struct scene *scene)
{
    uint64_t largest = fullest(scene, 1);
    uint64_t ranks = scene->placement.ranks;

    return 2 * largest > ranks ? 2 * largest - ranks : 0;
}

static void node_shift_keeps_as_few_as_can_be_and_its_distance_if_there_is_room(void **state)
{
    struct scene scene;

    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        scatter(&scene, seed);
        for (uint64_t distance = 0; distance <= 9; distance++) {
            struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = distance};
            uint64_t further = distance % scene.placement.nodes;
            uint64_t ranks = scene.placement.ranks;
            bool has_room = fullest(&scene, further) + fullest(&scene, 1) <= ranks;

            assert_int_equal(count_near(&shift, &scene), further == 0 ? ranks : least_near(&scene));
            for (uint64_t rank = 0; has_room && rank < ranks; rank++)
                assert_true(nodes_further(&shift, &scene, rank) >= further);
        }
    }
}

/* The fewest that any permutation of `ranks` leaves on their nodes, by trying all of them. */
static uint64_t try_all(const struct scene *scene, uint64_t rank, unsigned taken)
{
    uint64_t fewest = UINT64_MAX;

    if (rank == scene->placement.ranks)
        return 0;
    for (uint64_t owner = 0; owner < scene->placement.ranks; owner++) {
        uint64_t near;

        if (taken >> owner & 1)
            continue;
        near = try_all(scene, rank + 1, taken | 1u << owner) +
               (scene->node_of_rank[rank] == scene->node_of_rank[owner]);
        fewest = near < fewest ? near : fewest;
    }
    return fewest;
}

/* Goes through all placements that begin with the first `rank` ranks of the scene. */
static void compare_with_all(struct scene *scene, uint64_t rank, uint64_t ranks, int nodes)
{
    if (rank < ranks) {
        for (int node = 0; node <= nodes; node++) {
            scene->node_of_rank[rank] = node;
            compare_with_all(scene, rank + 1, ranks, nodes + (node == nodes));
        }
        return;
    }
    count_nodes(scene, ranks);
    for (uint64_t distance = 1; distance < scene->placement.nodes; distance++) {
        struct weir_shift shift = {.kind = WEIR_SHIFT_NODES, .distance = distance};

        assert_int_equal(count_near(&shift, scene), try_all(scene, 0, 0));
        shift.kind = WEIR_SHIFT_RANDOM;
        assert_int_equal(count_near(&shift, scene), try_all(scene, 0, 0));
    }
}

static void no_permutation_keeps_fewer_in_any_placement_of_up_to_six_ranks(void **state)
{
    struct scene scene;

    (void)state;
    for (uint64_t ranks = 1; ranks <= 6; ranks++)
        compare_with_all(&scene, 0, ranks, 0);
}

static void a_check_goes_past_its_own_node_if_there_is_a_third_one(void **state)
{
    static const struct {
        uint64_t nodes;
        uint64_t distance;
        uint64_t expected;
    } rows[] = {
        {1, 2, 2}, {2, 1, 1}, {2, 2, 2}, {3, 2, 2}, {3, 3, 4}, {3, 4, 4}, {4, 4, 5}, {4, 8, 9},
    };
    struct scene scene;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct weir_shift shift = {
            .kind = WEIR_SHIFT_NODES, .distance = rows[i].distance, .avoids_circle = true};

        assert_int_equal(weir_shift_distance(&shift, rows[i].nodes), rows[i].expected);
        for (enum shape shape = BLOCK; shape <= DEALT; shape++) {
            place(&scene, shape, rows[i].nodes, 3);
            assert_int_equal(nodes_further(&shift, &scene, 1), rows[i].expected % rows[i].nodes);
        }
        shift.avoids_circle = false;
        assert_int_equal(weir_shift_distance(&shift, rows[i].nodes), rows[i].distance);
    }
}

/* ---- by nodes, or by ranks on a single one ---- */

static void ranks_of_a_single_node_are_shifted_by_ranks(void **state)
{
    struct scene scene;

    (void)state;
    for (unsigned is_known = 0; is_known <= 1; is_known++)
        for (uint64_t ranks = 1; ranks <= 7; ranks++)
            for (uint64_t distance = 0; distance <= 9; distance++) {
                struct weir_shift shift = {.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = distance};

                place(&scene, BLOCK, 1, ranks);
                if (is_known)
                    count_nodes(&scene, ranks);
                for (uint64_t rank = 0; rank < ranks; rank++)
                    assert_int_equal(weir_shift_owner(&shift, &scene.placement, rank),
                                     (rank + distance) % ranks);
            }
}

/* Expected by hand: three ranks on the first node and two on the second one. */
static void ranks_of_uneven_nodes_are_shifted_by_nodes(void **state)
{
    static const int node_of_rank[] = {0, 0, 0, 1, 1};
    static const uint64_t owners[][5] = {
        {0, 1, 2, 3, 4}, /* 0 nodes, or all the way round */
        {2, 3, 4, 0, 1}, /* rotated by the two ranks of the smaller node: one must stay at home */
    };
    struct scene scene;

    (void)state;
    for (uint64_t distance = 0; distance <= 3; distance++) {
        const struct weir_shift shift = {.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = distance};

        memcpy(scene.node_of_rank, node_of_rank, sizeof node_of_rank);
        count_nodes(&scene, 5);
        for (uint64_t rank = 0; rank < 5; rank++)
            assert_int_equal(weir_shift_owner(&shift, &scene.placement, rank),
                             owners[distance % 2][rank]);
    }
}

/* On several nodes it is the shift by nodes. */
static void several_nodes_are_shifted_as_by_nodes(void **state)
{
    struct scene scene;

    (void)state;
    for (uint64_t seed = 0; seed < 500; seed++) {
        scatter(&scene, seed);
        for (uint64_t distance = 0; distance <= 9 && scene.placement.nodes > 1; distance++) {
            const struct weir_shift nodes = {.kind = WEIR_SHIFT_NODES, .distance = distance};
            const struct weir_shift either = {.kind = WEIR_SHIFT_NODES_OR_RANKS,
                                              .distance = distance};

            for (uint64_t rank = 0; rank < scene.placement.ranks; rank++)
                assert_int_equal(weir_shift_owner(&either, &scene.placement, rank),
                                 weir_shift_owner(&nodes, &scene.placement, rank));
        }
    }
}

/* ---- at random ---- */

static void random_shift_keeps_its_distance_in_nodes(void **state)
{
    struct scene scene;

    (void)state;
    for (enum shape shape = BLOCK; shape <= DEALT; shape++)
        for (uint64_t nodes = 1; nodes <= 8; nodes++)
            for (uint64_t distance = 0; distance <= 9; distance++)
                for (uint64_t seed = 0; seed < 20; seed++) {
                    struct weir_shift shift = {
                        .kind = WEIR_SHIFT_RANDOM, .distance = distance, .seed = seed};
                    uint64_t least = distance < nodes - 1 ? distance : nodes - 1;

                    place(&scene, shape, nodes, 3);
                    for (uint64_t rank = 0; rank < scene.placement.ranks; rank++) {
                        uint64_t forward = nodes_further(&shift, &scene, rank);

                        assert_true(forward >= least);
                        if (2 * least <= nodes && least > 0)
                            assert_true(nodes - forward >= least);
                    }
                }
}

static void random_shift_keeps_as_few_as_can_be_and_its_distance_if_there_is_room(void **state)
{
    struct scene scene;

    (void)state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        scatter(&scene, seed);
        for (uint64_t distance = 1; distance < scene.placement.nodes; distance++) {
            struct weir_shift shift = {
                .kind = WEIR_SHIFT_RANDOM, .distance = distance, .seed = seed};
            uint64_t ranks = scene.placement.ranks;
            uint64_t passed = fullest(&scene, distance);

            assert_int_equal(count_near(&shift, &scene), least_near(&scene));
            for (uint64_t rank = 0; rank < ranks; rank++) {
                uint64_t forward = nodes_further(&shift, &scene, rank);

                assert_true(forward >= distance || passed + fullest(&scene, 1) > ranks);
                assert_true(scene.placement.nodes - forward >= distance || 2 * passed > ranks);
            }
        }
    }
}

/* Placements that are known by numbers only, and the same ones rank by rank. */
static void random_shift_does_not_ask_how_a_placement_is_told(void **state)
{
    struct scene scene;

    (void)state;
    for (enum shape shape = BLOCK; shape <= DEALT; shape++)
        for (uint64_t nodes = 1; nodes <= 6; nodes++)
            for (uint64_t distance = 0; distance <= 3; distance++) {
                struct weir_shift shift = {
                    .kind = WEIR_SHIFT_RANDOM, .distance = distance, .seed = nodes};
                struct weir_placement told;

                place(&scene, shape, nodes, 5);
                told = scene.placement;
                count_nodes(&scene, told.ranks);
                for (uint64_t rank = 0; rank < told.ranks; rank++)
                    assert_int_equal(weir_shift_owner(&shift, &told, rank),
                                     weir_shift_owner(&shift, &scene.placement, rank));
            }
}

static void random_shift_depends_on_its_seed(void **state)
{
    static const enum weir_shift_kind kinds[] = {WEIR_SHIFT_RANDOM, WEIR_SHIFT_PERMUTATION};
    struct scene scene;

    (void)state;
    place(&scene, BLOCK, 8, 4);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct weir_shift one = {.kind = kinds[i], .distance = 1, .seed = 1};
        struct weir_shift other = {.kind = kinds[i], .distance = 1, .seed = 2};
        unsigned differences = 0;

        for (uint64_t rank = 0; rank < scene.placement.ranks; rank++)
            differences += weir_shift_owner(&one, &scene.placement, rank) !=
                           weir_shift_owner(&other, &scene.placement, rank);
        assert_true(differences > scene.placement.ranks / 2);
    }
}

static void every_allowed_rotation_happens(void **state)
{
    struct scene scene;
    bool is_met[8] = {false};

    (void)state;
    place(&scene, BLOCK, 8, 2);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct weir_shift shift = {.kind = WEIR_SHIFT_RANDOM, .distance = 2, .seed = seed};

        is_met[nodes_further(&shift, &scene, 0)] = true;
    }
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(is_met[i], i >= 2 && i <= 6);
}

static void a_rotation_by_nothing_is_as_likely_as_any_other(void **state)
{
    struct scene scene;
    unsigned home = 0;

    (void)state;
    place(&scene, BLOCK, 2, 1);
    for (uint64_t seed = 0; seed < 1000; seed++) {
        struct weir_shift shift = {.kind = WEIR_SHIFT_RANDOM, .seed = seed};

        home += weir_shift_owner(&shift, &scene.placement, 0) == 0;
    }
    assert_in_range(home, 400, 600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_a_single_node_are_shifted_by_ranks),
        cmocka_unit_test(ranks_of_uneven_nodes_are_shifted_by_nodes),
        cmocka_unit_test(several_nodes_are_shifted_as_by_nodes),
        cmocka_unit_test(every_shift_is_a_permutation),
        cmocka_unit_test(shifts_of_given_placements_that_do_not_fit_are_permutations),
        cmocka_unit_test(node_shift_leads_exactly_as_far_as_asked_where_nodes_are_even),
        cmocka_unit_test(node_shift_follows_the_formula_of_ior_where_nodes_are_even),
        cmocka_unit_test(node_shift_is_exact_on_even_nodes_in_any_order),
        cmocka_unit_test(node_shift_leads_past_a_last_node_that_is_short),
        cmocka_unit_test(node_shift_keeps_as_few_as_can_be_and_its_distance_if_there_is_room),
        cmocka_unit_test(no_permutation_keeps_fewer_in_any_placement_of_up_to_six_ranks),
        cmocka_unit_test(a_check_goes_past_its_own_node_if_there_is_a_third_one),
        cmocka_unit_test(random_shift_keeps_its_distance_in_nodes),
        cmocka_unit_test(random_shift_keeps_as_few_as_can_be_and_its_distance_if_there_is_room),
        cmocka_unit_test(random_shift_does_not_ask_how_a_placement_is_told),
        cmocka_unit_test(random_shift_depends_on_its_seed),
        cmocka_unit_test(every_allowed_rotation_happens),
        cmocka_unit_test(a_rotation_by_nothing_is_as_likely_as_any_other),
    };

    return cmocka_run_group_tests_name("shift", tests, NULL, NULL);
}
