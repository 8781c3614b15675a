/* SPDX-License-Identifier: Apache-2.0 */
/* What one rank of each node, and the ranks of one node, tell each other. */
#include "thread_group.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- ranks as threads ---- */

enum { VALUES_MAX = RANKS_MAX + 2, UNTOUCHED = -7 };

struct member {
    pthread_t thread;
    struct thread_group group;
    void (*task)(struct member *member);
    int mine;
    int all[VALUES_MAX]; /* filled with UNTOUCHED */
    size_t bytes;
    int code;
};

/* Fails from now on, for the rank that is given these. */
static int failing_send(struct weir_group *group, const void *data, size_t bytes, int to)
{
    /* The message goes out all the same: a rank that is waited for is what would hang. */
    thread_send(group, data, bytes, to);
    return -EIO;
}

static void *start_member(void *argument)
{
    struct member *member = argument;

    member->task(member);
    return NULL;
}

/* `failing` is a rank whose messages are told to have failed; -1: none. */
static void gather_members(struct world *world, struct member members[],
                           void (*task)(struct member *), int failing)
{
    struct weir_group_ops failing_ops = thread_ops;

    failing_ops.send = failing_send;
    for (int rank = 0; rank < world->size; rank++) {
        struct member *member = &members[rank];

        *member = (struct member){.task = task, .mine = 100 + rank, .bytes = sizeof member->mine};
        for (int i = 0; i < VALUES_MAX; i++)
            member->all[i] = UNTOUCHED;
        join_world(&member->group, world, rank);
        if (rank == failing)
            member->group.base.ops = &failing_ops;
        assert_int_equal(pthread_create(&member->thread, NULL, start_member, member), 0);
    }
    for (int rank = 0; rank < world->size; rank++)
        assert_int_equal(pthread_join(members[rank].thread, NULL), 0);
}

static const struct {
    int size;
    int ranks_per_node;
} worlds[] = {{1, 1}, {2, 1}, {2, 2}, {4, 2}, {7, 3}, {12, 5}, {12, 12}};

#define WORLDS (sizeof worlds / sizeof *worlds)

/* ---- nodes to rank 0 ---- */

static void tell_of_node(struct member *member)
{
    struct weir_group *group = &member->group.base;

    member->code = weir_group_gather_nodes(group, &member->mine, member->bytes,
                                           group->rank == 0 ? member->all : NULL);
}

static void rank_0_hears_the_first_rank_of_each_node_in_the_order_of_nodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORLDS; i++) {
        struct member members[RANKS_MAX];
        struct world world;

        open_world(&world, worlds[i].size, worlds[i].ranks_per_node);
        gather_members(&world, members, tell_of_node, -1);
        for (int rank = 0; rank < world.size; rank++)
            assert_int_equal(members[rank].code, 0);
        for (int node = 0; node < world.node_count; node++)
            assert_int_equal(members[0].all[node], 100 + world.node_leader[node]);
        assert_int_equal(members[0].all[world.node_count], UNTOUCHED);
        close_world(&world);
    }
}

static void a_failure_on_one_rank_is_one_on_all_and_nobody_waits(void **state)
{
    struct member members[RANKS_MAX];
    struct world world;

    (void)state;
    open_world(&world, 7, 3);
    gather_members(&world, members, tell_of_node, 3);
    for (int rank = 0; rank < world.size; rank++)
        assert_int_equal(members[rank].code, rank == 3 ? -EIO : -ECOMM);
    close_world(&world);
}

/* ---- one node ---- */

static void tell_each_other(struct member *member)
{
    struct weir_group *group = &member->group.base;
    int *all = group->node_rank == 0 ? member->all : NULL;

    member->code = weir_group_gather_on_node(group, &member->mine, member->bytes, all);
    for (int i = 0; all != NULL && i < group->node_size; i++)
        all[i] += 1000;
    member->mine = UNTOUCHED;
    if (member->code == 0)
        member->code = weir_group_scatter_on_node(group, all, member->bytes, &member->mine);
}

static void the_first_rank_of_a_node_hears_and_answers_each_of_its_ranks(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORLDS; i++) {
        struct member members[RANKS_MAX];
        struct world world;

        open_world(&world, worlds[i].size, worlds[i].ranks_per_node);
        gather_members(&world, members, tell_each_other, -1);
        for (int rank = 0; rank < world.size; rank++) {
            const struct weir_group *group = &members[rank].group.base;

            assert_int_equal(members[rank].code, 0);
            assert_int_equal(members[rank].mine, 1100 + rank);
            if (group->node_rank == 0) {
                assert_int_equal(members[rank].all[group->node_size - 1],
                                 1100 + rank + group->node_size - 1);
                assert_int_equal(members[rank].all[group->node_size], UNTOUCHED);
            }
        }
        close_world(&world);
    }
}

static void a_failure_within_a_node_is_one_of_all_nodes(void **state)
{
    struct member members[RANKS_MAX];
    struct world world;

    (void)state;
    open_world(&world, 7, 3);
    gather_members(&world, members, tell_each_other, 5);
    for (int rank = 0; rank < world.size; rank++)
        assert_int_equal(members[rank].code, rank == 5 ? -EIO : -ECOMM);
    close_world(&world);
}

/* ---- alone ---- */

static void a_group_of_one_tells_itself(void **state)
{
    struct weir_group *group;
    int mine = 5, all = 0, back = 0;

    (void)state;
    assert_int_equal(weir_group_self_open(&group), 0);
    assert_int_equal(weir_group_gather_nodes(group, &mine, sizeof mine, &all), 0);
    assert_int_equal(all, 5);
    mine = 6;
    assert_int_equal(weir_group_gather_on_node(group, &mine, sizeof mine, &all), 0);
    assert_int_equal(all, 6);
    assert_int_equal(weir_group_scatter_on_node(group, &all, sizeof all, &back), 0);
    assert_int_equal(back, 6);
    assert_string_equal(weir_group_library(group), "");
    weir_group_close(group);
}

static void a_version_is_one_line_with_single_blanks(void **state)
{
    static const char *const cases[][2] = {
        {"MPICH Version:      5.0.2\nMPICH Release date: x\n", "MPICH Version: 5.0.2"},
        {"MPICH Version:\t4.0.2\nMPICH", "MPICH Version: 4.0.2"},
        {"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev",
         "Open MPI v4.1.4, package: Debian OpenMPI"},
        {"  Intel(R)\t \tMPI\r\n", "Intel(R) MPI"},
        {"", ""},
        {"\n", ""},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char version[128];

        snprintf(version, sizeof version, "%s", cases[i][0]);
        weir_group_shorten_version(version);
        assert_string_equal(version, cases[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_hears_the_first_rank_of_each_node_in_the_order_of_nodes),
        cmocka_unit_test(a_failure_on_one_rank_is_one_on_all_and_nobody_waits),
        cmocka_unit_test(the_first_rank_of_a_node_hears_and_answers_each_of_its_ranks),
        cmocka_unit_test(a_failure_within_a_node_is_one_of_all_nodes),
        cmocka_unit_test(a_group_of_one_tells_itself),
        cmocka_unit_test(a_version_is_one_line_with_single_blanks),
    };

    return cmocka_run_group_tests_name("group", tests, NULL, NULL);
}
