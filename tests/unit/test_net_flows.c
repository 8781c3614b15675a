/* SPDX-License-Identifier: Apache-2.0 */
/* Who sends to whom: every pattern covers what it says, and in a round nobody is asked too much;
 * and how much is under way. */
#include "weir/flows/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS_MOST = 33 };

struct cover {
    uint32_t times[RANKS_MOST][RANKS_MOST]; /* [source][sink], over all rounds */
    uint32_t rounds;
};

static uint32_t flows_of(const struct weir_net_plan *plan, uint32_t ranks, uint32_t round,
                         struct weir_net_flow flows[2 * RANKS_MOST])
{
    uint32_t count;

    memset(flows, 0xff, 2 * RANKS_MOST * sizeof *flows);
    count = weir_net_round_flows(plan, ranks, round, flows);
    assert_in_range(count, 1, 2 * ranks);
    for (uint32_t i = 0; i < count; i++) {
        assert_in_range(flows[i].source, 0, ranks - 1);
        assert_in_range(flows[i].sink, 0, ranks - 1);
        assert_int_not_equal(flows[i].source, flows[i].sink);
    }
    for (uint32_t i = count; i < 2 * RANKS_MOST; i++)
        assert_int_equal(flows[i].source, UINT32_MAX);
    return count;
}

static void cover(const struct weir_net_plan *plan, uint32_t ranks, struct cover *cover)
{
    struct weir_net_flow flows[2 * RANKS_MOST];

    memset(cover, 0, sizeof *cover);
    cover->rounds = weir_net_round_count(plan, ranks);
    for (uint32_t round = 0; round < cover->rounds; round++) {
        uint32_t count = flows_of(plan, ranks, round, flows);

        for (uint32_t i = 0; i < count; i++)
            cover->times[flows[i].source][flows[i].sink]++;
    }
}

/* In one direction, no rank has a part in two flows of a round. */
static void assert_disjoint(const struct weir_net_plan *plan, uint32_t ranks)
{
    struct weir_net_flow flows[2 * RANKS_MOST];

    for (uint32_t round = 0; round < weir_net_round_count(plan, ranks); round++) {
        uint32_t parts[RANKS_MOST] = {0};
        uint32_t count = flows_of(plan, ranks, round, flows);

        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(parts[flows[i].source]++, 0);
            assert_int_equal(parts[flows[i].sink]++, 0);
        }
    }
}

static void all_has_each_ordered_pair_exactly_once(void **state)
{
    for (int both = 0; both < 2; both++) {
        const struct weir_net_plan plan = {.pattern = WEIR_NET_ALL, .is_both_ways = both};

        for (uint32_t ranks = 2; ranks <= RANKS_MOST; ranks++) {
            struct cover seen;

            cover(&plan, ranks, &seen);
            for (uint32_t a = 0; a < ranks; a++)
                for (uint32_t b = 0; b < ranks; b++)
                    assert_int_equal(seen.times[a][b], a != b);
        }
    }
}

static void all_is_disjoint_in_a_round_and_has_no_round_too_many(void **state)
{
    const struct weir_net_plan plan = {.pattern = WEIR_NET_ALL};
    const struct weir_net_plan both = {.pattern = WEIR_NET_ALL, .is_both_ways = true};

    for (uint32_t ranks = 2; ranks <= RANKS_MOST; ranks++) {
        uint32_t least = ranks - 1 + ranks % 2;

        assert_disjoint(&plan, ranks);
        assert_int_equal(weir_net_round_count(&plan, ranks), 2 * least);
        assert_int_equal(weir_net_round_count(&both, ranks), least);
    }
}

static void pairs_are_alone_before_they_are_together(void **state)
{
    const struct weir_net_plan plan = {.pattern = WEIR_NET_PAIRS};
    struct weir_net_flow flows[2 * RANKS_MOST];

    for (uint32_t ranks = 4; ranks <= RANKS_MOST; ranks++) {
        uint32_t half = ranks / 2;

        assert_int_equal(weir_net_round_count(&plan, ranks), half + 1);
        for (uint32_t round = 0; round < half; round++) {
            assert_int_equal(flows_of(&plan, ranks, round, flows), 1);
            assert_int_equal(flows[0].source, round);
            assert_int_equal(flows[0].sink, half + round);
        }
        assert_int_equal(flows_of(&plan, ranks, half, flows), half);
        for (uint32_t i = 0; i < half; i++) {
            assert_int_equal(flows[i].source, i);
            assert_int_equal(flows[i].sink, half + i);
        }
    }
}

static void one_pair_is_not_measured_twice(void **state)
{
    const struct weir_net_plan plan = {.pattern = WEIR_NET_PAIRS};
    struct weir_net_flow flows[2 * RANKS_MOST];

    for (uint32_t ranks = 2; ranks <= 3; ranks++) {
        assert_int_equal(weir_net_round_count(&plan, ranks), 1);
        assert_int_equal(flows_of(&plan, ranks, 0, flows), 1);
        assert_int_equal(flows[0].sink, 1);
    }
}

static void bisection_uses_every_link_between_the_halves_once(void **state)
{
    const struct weir_net_plan plan = {.pattern = WEIR_NET_BISECTION};

    for (uint32_t ranks = 2; ranks <= RANKS_MOST; ranks++) {
        uint32_t half = ranks / 2;
        struct cover seen;

        cover(&plan, ranks, &seen);
        assert_disjoint(&plan, ranks);
        assert_int_equal(seen.rounds, half);
        for (uint32_t a = 0; a < ranks; a++)
            for (uint32_t b = 0; b < ranks; b++)
                assert_int_equal(seen.times[a][b], a < half && b >= half && b < 2 * half);
    }
}

static void stars_have_rank_0_in_the_middle(void **state)
{
    const struct weir_net_plan inward = {.pattern = WEIR_NET_INCAST};
    const struct weir_net_plan outward = {.pattern = WEIR_NET_OUTCAST};

    for (uint32_t ranks = 2; ranks <= RANKS_MOST; ranks++) {
        struct cover in, out;

        cover(&inward, ranks, &in);
        cover(&outward, ranks, &out);
        assert_int_equal(in.rounds, 1);
        assert_int_equal(out.rounds, 1);
        for (uint32_t a = 0; a < ranks; a++)
            for (uint32_t b = 0; b < ranks; b++) {
                assert_int_equal(in.times[a][b], a > 0 && b == 0);
                assert_int_equal(out.times[a][b], a == 0 && b > 0);
            }
    }
}

static void a_pair_is_that_of_the_first_two(void **state)
{
    const struct weir_net_plan plan = {.pattern = WEIR_NET_PAIR};

    for (uint32_t ranks = 2; ranks <= 5; ranks++) {
        struct cover seen;

        cover(&plan, ranks, &seen);
        assert_int_equal(seen.rounds, 1);
        for (uint32_t a = 0; a < ranks; a++)
            for (uint32_t b = 0; b < ranks; b++)
                assert_int_equal(seen.times[a][b], a == 0 && b == 1);
    }
}

static void both_ways_adds_the_way_back_to_each_flow_of_a_round(void **state)
{
    static const enum weir_net_pattern patterns[] = {WEIR_NET_PAIR, WEIR_NET_PAIRS, WEIR_NET_INCAST,
                                                     WEIR_NET_OUTCAST, WEIR_NET_BISECTION};

    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        const struct weir_net_plan one = {.pattern = patterns[p]};
        const struct weir_net_plan both = {.pattern = patterns[p], .is_both_ways = true};

        for (uint32_t ranks = 2; ranks <= 9; ranks++) {
            struct weir_net_flow there[2 * RANKS_MOST], back[2 * RANKS_MOST];

            assert_int_equal(weir_net_round_count(&both, ranks), weir_net_round_count(&one, ranks));
            for (uint32_t round = 0; round < weir_net_round_count(&one, ranks); round++) {
                uint32_t count = flows_of(&one, ranks, round, there);

                assert_int_equal(flows_of(&both, ranks, round, back), 2 * count);
                for (uint32_t i = 0; i < count; i++) {
                    assert_memory_equal(&back[i], &there[i], sizeof there[i]);
                    assert_int_equal(back[count + i].source, there[i].sink);
                    assert_int_equal(back[count + i].sink, there[i].source);
                }
            }
        }
    }
}

static void one_rank_alone_is_refused_with_the_way_out(void **state)
{
    const struct weir_net_plan plan = {.pattern = WEIR_NET_INCAST};
    const struct weir_launch_mismatch none = {.fact = ""};
    const struct weir_launch_mismatch four = {.fact = "the launcher started 4", .remedy = "srun"};
    struct weir_error error = {0};

    assert_int_equal(weir_net_ranks_check(2, &none, &error), 0);
    assert_int_not_equal(weir_net_ranks_check(1, &none, &error), 0);
    assert_int_equal(error.exit, WEIR_EXIT_USAGE);
    assert_null(strstr(error.text, "--pattern"));
    assert_non_null(strstr(error.text, "mpiexec -n 2"));
    assert_int_equal(weir_net_round_count(&plan, 1), 0);
    error = (struct weir_error){0};
    assert_int_not_equal(weir_net_ranks_check(1, &four, &error), 0);
    assert_non_null(strstr(error.text, "started 4; srun"));
    assert_null(strstr(error.text, "there is one rank"));
}

/* ---- how much is in flight ---- */

static void bytes_in_flight_limit_the_depth_of_large_messages(void **state)
{
    static const struct {
        unsigned depth, batch, pairs;
        uint64_t in_flight, message;
        unsigned expected_depth, expected_batch;
    } cases[] = {
        {128, 16, 1, 0, 1 << 20, 128, 16},      /* no limit */
        {128, 16, 1, 2 << 20, 1, 128, 16},      /* far from it */
        {128, 16, 1, 2 << 20, 16384, 128, 16},  /* just fits */
        {128, 16, 1, 2 << 20, 16385, 127, 16},  /* just does not */
        {128, 16, 1, 2 << 20, 65536, 32, 8},    /* a quarter at once */
        {128, 2, 1, 2 << 20, 65536, 32, 2},     /* or as was said */
        {128, 16, 1, 1 << 20, 131072, 8, 2},    /* and never less than 8, ... */
        {128, 16, 1, 1 << 20, 64 << 20, 8, 2},  /* ... however large */
        {128, 16, 4, 1 << 20, 64 << 20, 32, 2}, /* of each pair, */
        {128, 16, 4, 1 << 20, 65536, 32, 2},
        {3, 3, 4, 2 << 20, 64 << 20, 3, 3}, /* unless the depth is less */
        {1, 1, 1, 2 << 20, 64 << 20, 1, 1},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_net_plan plan = {.depth = cases[i].depth,
                                           .batch = cases[i].batch,
                                           .pairs = cases[i].pairs,
                                           .in_flight_bytes = cases[i].in_flight};

        assert_int_equal(weir_net_plan_depth(&plan, cases[i].message), cases[i].expected_depth);
        assert_int_equal(weir_net_plan_batch(&plan, cases[i].message), cases[i].expected_batch);
    }
    assert_int_equal(
        weir_net_plan_batch(
            &(struct weir_net_plan){
                .depth = 128, .batch = 7, .is_batch_given = true, .pairs = 1, .in_flight_bytes = 1},
            65536),
        7);
}

static void the_outlook_has_rounds_and_the_time_of_all(void **state)
{
    static const struct {
        enum weir_net_pattern pattern;
        bool is_both_ways;
        uint64_t iterations;
        uint32_t ranks;
        const char *text;
    } cases[] = {
        {WEIR_NET_PAIR, false, 0, 2,
         "ranks: 2\nrounds: 1\nmeasurements: 4 (rounds x sizes x repetitions)\n"
         "time: 13.2 s at least, 3.3 s for each measurement\n"},
        {WEIR_NET_ALL, false, 0, 128,
         "ranks: 128\nrounds: 254\nmeasurements: 1016 (rounds x sizes x repetitions)\n"
         "time: 56 min at least, 3.3 s for each measurement\n"},
        {WEIR_NET_ALL, false, 0, 10000,
         "ranks: 10000\nrounds: 19998\nmeasurements: 79992 (rounds x sizes x repetitions)\n"
         "time: 73.3 h at least, 3.3 s for each measurement\n"},
        {WEIR_NET_PAIRS, false, 100, 8,
         "ranks: 8\nrounds: 5\nmeasurements: 20 (rounds x sizes x repetitions)\n"
         "time: 6 s at least, 0.3 s and the messages for each measurement\n"},
        {WEIR_NET_ALL, true, 0, 1,
         "rounds: n - 1 on n ranks (n, if n is odd)\ntime: 3.3 s for each round, size and "
         "repetition; start it with mpiexec -n N to see the sum\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_net_plan plan = {.pattern = cases[i].pattern,
                                           .is_both_ways = cases[i].is_both_ways,
                                           .iterations = cases[i].iterations,
                                           .duration_ns =
                                               cases[i].iterations > 0 ? 0 : UINT64_C(3000000000),
                                           .warm_up_ns = 300000000,
                                           .size_count = 2,
                                           .repetitions = 2};
        struct weir_text text = {0};

        weir_net_outlook_add(&plan, cases[i].ranks, &text);
        assert_string_equal(weir_text_string(&text), cases[i].text);
        weir_text_close(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_in_flight_limit_the_depth_of_large_messages),
        cmocka_unit_test(all_has_each_ordered_pair_exactly_once),
        cmocka_unit_test(all_is_disjoint_in_a_round_and_has_no_round_too_many),
        cmocka_unit_test(pairs_are_alone_before_they_are_together),
        cmocka_unit_test(one_pair_is_not_measured_twice),
        cmocka_unit_test(bisection_uses_every_link_between_the_halves_once),
        cmocka_unit_test(stars_have_rank_0_in_the_middle),
        cmocka_unit_test(a_pair_is_that_of_the_first_two),
        cmocka_unit_test(both_ways_adds_the_way_back_to_each_flow_of_a_round),
        cmocka_unit_test(one_rank_alone_is_refused_with_the_way_out),
        cmocka_unit_test(the_outlook_has_rounds_and_the_time_of_all),
    };

    return cmocka_run_group_tests_name("net_flows", tests, NULL, NULL);
}
