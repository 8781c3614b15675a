/* SPDX-License-Identifier: Apache-2.0 */
/* Which rank's part a rank takes in each repetition, how ranks count as placed, and what failures
 * say. */
#include "engine/run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define RANKS 8

/* Eight ranks, four each on two nodes. */
static const int node_of_rank[RANKS] = {0, 0, 0, 0, 1, 1, 1, 1};
static const int node_leader[2] = {0, 4};
static const int node_start[3] = {0, 4, 8};

static struct weir_group group_of_two_nodes(void)
{
    return (struct weir_group){
        .size = RANKS,
        .node_count = 2,
        .node_size = 4,
        .node_of_rank = node_of_rank,
        .node_leader = node_leader,
        .node_start = node_start,
    };
}

static void owners(struct weir_run *run, const struct weir_phase *phase, uint64_t of[RANKS])
{
    for (run->group->rank = 0; run->group->rank < RANKS; run->group->rank++)
        of[run->group->rank] = weir_run_owner(run, phase);
}

static bool are_alike(const uint64_t one[RANKS], const uint64_t other[RANKS])
{
    for (unsigned rank = 0; rank < RANKS; rank++)
        if (one[rank] != other[rank])
            return false;
    return true;
}

static void a_shift_that_varies_has_another_seed_in_each_repetition(void **state)
{
    struct weir_group group = group_of_two_nodes();
    const struct weir_test test = {.repetitions = 3};
    struct weir_run run = {.group = &group, .test = &test};
    const struct weir_phase steady = {.shift = {.kind = WEIR_SHIFT_PERMUTATION, .seed = 5}};
    const struct weir_phase varying = {
        .shift = {.kind = WEIR_SHIFT_PERMUTATION, .seed = 4, .varies = true}};
    uint64_t first[RANKS], second[RANKS], of_steady[RANKS];

    (void)state;
    assert_int_equal(weir_run_place(&run), 0);
    owners(&run, &varying, first);
    owners(&run, &steady, of_steady);
    run.repetition = 1;
    owners(&run, &varying, second);
    assert_false(are_alike(first, second));
    /* Seed 4 in the second repetition is seed 5. */
    assert_true(are_alike(second, of_steady));
    owners(&run, &steady, first);
    assert_true(are_alike(first, of_steady));
}

static void what_the_user_says_of_nodes_counts_for_shifts(void **state)
{
    static const struct {
        uint64_t nodes;
        uint64_t ranks_per_node;
        uint64_t owner_of_0;
        uint64_t nodes_counted;
    } cases[] = {
        {0, 0, 4, 2}, {4, 2, 2, 4}, {0, 2, 2, 2}, {8, 1, 1, 8}, {1, 8, 0, 1}, {100, 1, 1, 8},
    };
    const struct weir_phase phase = {.shift = {.kind = WEIR_SHIFT_NODES, .distance = 1}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_group group = group_of_two_nodes();
        const struct weir_test test = {.given_nodes = cases[i].nodes,
                                       .given_ranks_per_node = cases[i].ranks_per_node};
        struct weir_run run = {.group = &group, .test = &test};
        uint64_t of[RANKS];

        assert_int_equal(weir_run_place(&run), 0);
        assert_int_equal(run.placement.nodes, cases[i].nodes_counted);
        owners(&run, &phase, of);
        for (uint64_t rank = 0; rank < RANKS; rank++)
            assert_int_equal(of[rank], (rank + cases[i].owner_of_0) % RANKS);
    }
}

/* Whatever is said, a random shift stays a permutation. */
static void shifts_on_nodes_that_cannot_be_are_permutations(void **state)
{
    static const enum weir_shift_kind kinds[] = {WEIR_SHIFT_NODES, WEIR_SHIFT_RANDOM,
                                                 WEIR_SHIFT_PERMUTATION};

    (void)state;
    for (uint64_t i = 0; i < 11 * 11 * 3; i++) {
        struct weir_group group = group_of_two_nodes();
        const struct weir_test test = {.given_nodes = i % 11, .given_ranks_per_node = i / 11 % 11};
        const struct weir_phase phase = {
            .shift = {.kind = kinds[i / 121], .distance = 1, .seed = i}};
        struct weir_run run = {.group = &group, .test = &test};
        uint64_t of[RANKS];
        unsigned taken = 0;

        assert_int_equal(weir_run_place(&run), 0);
        owners(&run, &phase, of);
        for (unsigned rank = 0; rank < RANKS; rank++)
            taken |= 1u << of[rank];
        assert_int_equal(taken, 0xff);
    }
}

/* ---- failures ---- */

static void explain(struct weir_session *session, struct weir_text *text)
{
    if (session->depth > 0)
        weir_text_add(text, "server %u at n2:7471 does not answer", session->depth);
}

static void a_failure_says_whom_it_concerned(void **state)
{
    static const struct {
        void (*explain)(struct weir_session *session, struct weir_text *text);
        unsigned server;
        const char *text;
    } cases[] = {
        {NULL, 1, "rdma: write /f: Host is down"},
        {explain, 0, "rdma: write /f: Host is down"},
        {explain, 1, "rdma: write /f: Host is down (server 1 at n2:7471 does not answer)"},
    };
    const struct weir_test test = {.number = 0};
    const struct weir_clock clock = {.is_tsc = false};
    const struct weir_engine_params params = {.clock = &clock};
    static struct weir_tally tally;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_backend backend = {.descriptor = {.name = "rdma"},
                                             .explain = cases[i].explain};
        struct weir_session session = {.backend = &backend, .depth = cases[i].server};
        struct weir_run run = {.backend = &backend,
                               .test = &test,
                               .session = &session,
                               .params = &params,
                               .tally = &tally};

        assert_int_equal(weir_run_fail(&run, -EHOSTDOWN, "write", "/f"), -EHOSTDOWN);
        assert_string_equal(run.failure.text, cases[i].text);
        assert_true(tally.failed_ns > 0);
        tally.failed_ns = 0;
        /* the first one counts */
        session.depth = 7;
        assert_int_equal(weir_run_fail(&run, -EIO, "read", "/g"), -EHOSTDOWN);
        assert_string_equal(run.failure.text, cases[i].text);
        assert_true(tally.failed_ns == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shift_that_varies_has_another_seed_in_each_repetition),
        cmocka_unit_test(what_the_user_says_of_nodes_counts_for_shifts),
        cmocka_unit_test(shifts_on_nodes_that_cannot_be_are_permutations),
        cmocka_unit_test(a_failure_says_whom_it_concerned),
    };

    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
