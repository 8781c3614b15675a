/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronising clocks that are known to be wrong: ranks are threads, messages go through sockets,
 * and each node's clock is the real one with an offset and a drift. */
#include "thread_group.h"

#include <pthread.h>

/* ---- one rank ---- */

struct rank_run {
    pthread_t thread;
    struct thread_group group;
    struct weir_clock clock;
    void (*task)(struct rank_run *run);
    struct weir_time_point before;
    struct weir_time_point after;
    uint64_t began_ns; /* on its own clock */
    struct weir_error error;
    bool is_any;
    int rc;
};

static void *run_rank(void *argument)
{
    struct rank_run *run = argument;

    run->task(run);
    return NULL;
}

static void run_all(struct world *world, struct rank_run runs[], void (*task)(struct rank_run *))
{
    for (int rank = 0; rank < world->size; rank++) {
        join_world(&runs[rank].group, world, rank);
        runs[rank].task = task;
        assert_int_equal(pthread_create(&runs[rank].thread, NULL, run_rank, &runs[rank]), 0);
    }
    for (int rank = 0; rank < world->size; rank++)
        assert_int_equal(pthread_join(runs[rank].thread, NULL), 0);
}

/* ---- clocks with known faults ---- */

/* Ticks stand for nanoseconds here, give or take the drift: only the differences between clocks
 * matter. */
static void skew_clock(struct weir_clock *clock, int node, uint64_t base_ticks, double drift)
{
    *clock = (struct weir_clock){
        .is_tsc = true,
        .multiplier = (uint64_t)((double)(UINT64_C(1) << WEIR_CLOCK_SHIFT) * (1.0 + drift * node)),
        .base_ticks = base_ticks,
        .base_ns = UINT64_C(1000000000000) + (uint64_t)node * UINT64_C(777777777777),
    };
}

/* What the first node's clock shows when this one shows `local_ns`. */
static double true_global_ns(const struct weir_clock *first, const struct weir_clock *clock,
                             uint64_t local_ns)
{
    double ticks = (double)(local_ns - clock->base_ns) * (double)(UINT64_C(1) << WEIR_CLOCK_SHIFT) /
                   (double)clock->multiplier;

    return (double)first->base_ns +
           ticks * (double)first->multiplier / (double)(UINT64_C(1) << WEIR_CLOCK_SHIFT);
}

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

static void skew_clocks(struct world *world, struct rank_run runs[], double drift)
{
    uint64_t base_ticks = 0;

#if defined(__x86_64__)
    base_ticks = __rdtsc();
#else
    skip(); /* only the time stamp counter's arithmetic can be made wrong on purpose */
#endif
    for (int rank = 0; rank < world->size; rank++)
        skew_clock(&runs[rank].clock, world->node_of_rank[rank], base_ticks, drift);
}

static void synchronise(struct rank_run *run)
{
    run->rc = weir_group_synchronise(&run->group.base, &run->clock, &run->before);
}

static void offsets_are_found_within_the_stated_error(void **state)
{
    static const int sizes[] = {2, 3, 4, 5, 8, 11};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct world world;
        struct rank_run runs[RANKS_MAX] = {0};

        open_world(&world, sizes[i], 1);
        skew_clocks(&world, runs, 0);
        run_all(&world, runs, synchronise);
        for (int rank = 0; rank < world.size; rank++) {
            int64_t offset_ns = (int64_t)(runs[0].clock.base_ns - runs[rank].clock.base_ns);

            assert_int_equal(runs[rank].rc, 0);
            assert_true(distance((double)runs[rank].before.offset_ns, (double)offset_ns) <=
                        (double)runs[rank].before.error_ns + 1);
            assert_int_equal(runs[rank].before.error_ns == 0, rank == 0);
        }
        close_world(&world);
    }
}

static void ranks_of_one_node_hold_the_same_point(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 10, 4);
    skew_clocks(&world, runs, 0);
    run_all(&world, runs, synchronise);
    for (int rank = 0; rank < world.size; rank++) {
        int leader = world.node_leader[world.node_of_rank[rank]];

        assert_int_equal(runs[rank].rc, 0);
        assert_memory_equal(&runs[rank].before, &runs[leader].before, sizeof runs[rank].before);
    }
    close_world(&world);
}

static void a_single_node_has_nothing_to_correct(void **state)
{
    const struct weir_time_point nothing = {0};
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 4, 4);
    for (int rank = 0; rank < world.size; rank++)
        memset(&runs[rank].before, 0xff, sizeof runs[rank].before);
    run_all(&world, runs, synchronise);
    for (int rank = 0; rank < world.size; rank++)
        assert_memory_equal(&runs[rank].before, &nothing, sizeof nothing);
    close_world(&world);
}

static void synchronise_twice(struct rank_run *run)
{
    run->rc = weir_group_synchronise(&run->group.base, &run->clock, &run->before);
    usleep(50 * 1000);
    if (run->rc == 0)
        run->rc = weir_group_synchronise(&run->group.base, &run->clock, &run->after);
}

static void drift_is_interpolated_between_two_measurements(void **state)
{
    const double drift = 0.001;
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 3, 1);
    skew_clocks(&world, runs, drift);
    run_all(&world, runs, synchronise_twice);
    for (int rank = 1; rank < world.size; rank++) {
        const struct rank_run *run = &runs[rank];
        uint64_t middle_ns =
            run->before.local_ns + (run->after.local_ns - run->before.local_ns) / 2;
        double expected_ns = true_global_ns(&runs[0].clock, &run->clock, middle_ns);
        /* A parent uses what it learned a little earlier: its own drift in between is not in the
         * bound. */
        double error_ns = (double)(run->before.error_ns + run->after.error_ns) + 5000;

        assert_int_equal(run->rc, 0);
        assert_true(distance((double)weir_time_global(&run->before, &run->after, middle_ns),
                             expected_ns) <= error_ns);
    }
    close_world(&world);
}

static void interpolation_is_linear_and_ends_at_the_measurements(void **state)
{
    const struct weir_time_point before = {.local_ns = 1000, .offset_ns = 100};
    const struct weir_time_point after = {.local_ns = 3000, .offset_ns = -300};
    static const struct {
        uint64_t local_ns;
        int64_t global_ns;
    } cases[] = {
        {0, 100},     {1000, 1100}, {1500, 1500}, {2000, 1900},
        {2500, 2300}, {3000, 2700}, {9000, 8700},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(weir_time_global(&before, &after, cases[i].local_ns), cases[i].global_ns);
    /* Two measurements at one time tell no drift. */
    assert_int_equal(weir_time_global(&before, &before, 5000), 5100);
}

static void start(struct rank_run *run)
{
    uint64_t named_ns;

    run->rc = weir_group_synchronise(&run->group.base, &run->clock, &run->before);
    named_ns = weir_group_start_together(&run->group.base, &run->clock, &run->before);
    run->began_ns = weir_clock_ns(&run->clock) >= named_ns ? named_ns : 0;
}

static void all_ranks_start_at_one_instant_and_never_before_it(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 6, 2);
    skew_clocks(&world, runs, 0);
    run_all(&world, runs, start);
    for (int rank = 0; rank < world.size; rank++) {
        assert_int_not_equal(runs[rank].began_ns, 0);
        assert_int_equal((int64_t)runs[rank].began_ns + runs[rank].before.offset_ns,
                         (int64_t)runs[0].began_ns);
    }
    close_world(&world);
}

/* ---- agreement, which needs more ranks than one to mean anything ---- */

static void agree(struct rank_run *run)
{
    run->rc = weir_group_agree(&run->group.base, &run->error);
}

static void fail_with(struct weir_error *error, int code, const char *text)
{
    *error = (struct weir_error){.code = code, .exit = WEIR_EXIT_ENVIRONMENT};
    strncpy(error->text, text, sizeof error->text - 1);
}

static void the_error_of_the_lowest_rank_is_told_with_its_place(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 4, 2);
    fail_with(&runs[2].error, -ENOSPC, "posix: no space");
    fail_with(&runs[3].error, -EIO, "posix: broken");
    run_all(&world, runs, agree);
    for (int rank = 0; rank < world.size; rank++) {
        assert_int_equal(runs[rank].rc, -ENOSPC);
        assert_int_equal(runs[rank].error.exit, WEIR_EXIT_ENVIRONMENT);
        assert_string_equal(runs[rank].error.text, "rank 2 on host host-1: posix: no space");
    }
    close_world(&world);
}

static void an_error_common_to_all_names_no_rank(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 3, 1);
    for (int rank = 0; rank < world.size; rank++)
        fail_with(&runs[rank].error, -EINVAL, "ior: -b: too odd");
    run_all(&world, runs, agree);
    for (int rank = 0; rank < world.size; rank++)
        assert_string_equal(runs[rank].error.text, "ior: -b: too odd");
    close_world(&world);
}

static void a_text_too_long_for_its_place_is_cut(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 2, 1);
    fail_with(&runs[1].error, -EIO, "");
    memset(runs[1].error.text, 'x', sizeof runs[1].error.text - 1);
    run_all(&world, runs, agree);
    assert_int_equal(strlen(runs[0].error.text), sizeof runs[0].error.text - 1);
    assert_string_equal(runs[0].error.text, runs[1].error.text);
    close_world(&world);
}

static void no_error_is_agreed_on_as_none(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    open_world(&world, 3, 1);
    run_all(&world, runs, agree);
    for (int rank = 0; rank < world.size; rank++) {
        assert_int_equal(runs[rank].rc, 0);
        assert_false(weir_error_is_set(&runs[rank].error));
    }
    close_world(&world);
}

static void ask_any(struct rank_run *run)
{
    run->is_any = weir_group_any(&run->group.base, run->group.base.rank == 2);
}

static void what_one_rank_says_all_ranks_know(void **state)
{
    struct world world;
    struct rank_run runs[RANKS_MAX] = {0};

    (void)state;
    for (int size = 2; size <= 4; size++) {
        open_world(&world, size, 1);
        run_all(&world, runs, ask_any);
        for (int rank = 0; rank < size; rank++)
            assert_int_equal(runs[rank].is_any, size > 2);
        close_world(&world);
    }
}

static void placement_tells_how_ranks_are_dealt_to_nodes(void **state)
{
    static const struct {
        int size;
        int node_of_rank[6];
        int node_start[5];
        struct weir_placement expected;
        bool is_regular;
    } cases[] = {
        {1, {0}, {0, 1}, {1, 1, 1, true, NULL, NULL}, true},
        {4, {0, 0, 0, 0}, {0, 4}, {4, 1, 4, true, NULL, NULL}, true},
        {4, {0, 0, 1, 1}, {0, 2, 4}, {4, 2, 2, true, NULL, NULL}, true},
        {4, {0, 1, 0, 1}, {0, 2, 4}, {4, 2, 2, false, NULL, NULL}, true},
        {4, {0, 1, 2, 3}, {0, 1, 2, 3, 4}, {4, 4, 1, true, NULL, NULL}, true},
        {5, {0, 0, 0, 1, 1}, {0, 3, 5}, {5, 2, 3, true, NULL, NULL}, false},
        {5, {0, 0, 1, 1, 1}, {0, 2, 5}, {5, 2, 2, true, NULL, NULL}, false},
        {4, {0, 1, 1, 1}, {0, 1, 4}, {4, 2, 1, false, NULL, NULL}, false},
        {5, {0, 1, 0, 1, 0}, {0, 3, 5}, {5, 2, 3, false, NULL, NULL}, false},
        {4, {0, 1, 1, 0}, {0, 2, 4}, {4, 2, 2, false, NULL, NULL}, false},
        {6, {0, 0, 1, 1, 0, 1}, {0, 3, 6}, {6, 2, 3, true, NULL, NULL}, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_group group = {
            .size = cases[i].size,
            .node_count = (int)cases[i].expected.nodes,
            .node_of_rank = cases[i].node_of_rank,
            .node_start = cases[i].node_start,
        };
        struct weir_placement placement = weir_group_placement(&group);

        assert_int_equal(placement.ranks, cases[i].expected.ranks);
        assert_int_equal(placement.nodes, cases[i].expected.nodes);
        assert_int_equal(placement.ranks_per_node, cases[i].expected.ranks_per_node);
        assert_int_equal(placement.is_block, cases[i].expected.is_block);
        assert_ptr_equal(placement.node_of_rank,
                         cases[i].is_regular ? NULL : cases[i].node_of_rank);
        assert_ptr_equal(placement.node_start, cases[i].is_regular ? NULL : cases[i].node_start);
    }
}

static void a_group_of_one_agrees_with_itself(void **state)
{
    struct weir_group *group;
    struct weir_error error = {0};
    uint64_t value = 7;
    uint64_t gathered = 0;

    (void)state;
    assert_int_equal(weir_group_self_open(&group), 0);
    assert_int_equal(weir_group_placement(group).ranks_per_node, 1);
    assert_null(weir_group_placement(group).node_of_rank);
    assert_int_equal(weir_group_barrier(group), 0);
    assert_int_equal(weir_group_reduce(group, &value, 1, WEIR_SUM), 0);
    assert_int_equal(weir_group_gather(group, &value, sizeof value, &gathered), 0);
    assert_int_equal(gathered, 7);
    assert_int_equal(weir_group_broadcast(group, &value, sizeof value, 0), 0);
    fail_with(&error, -EIO, "posix: broken");
    assert_int_equal(weir_group_agree(group, &error), -EIO);
    assert_string_equal(error.text, "posix: broken");
    weir_group_close(group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offsets_are_found_within_the_stated_error),
        cmocka_unit_test(ranks_of_one_node_hold_the_same_point),
        cmocka_unit_test(a_single_node_has_nothing_to_correct),
        cmocka_unit_test(drift_is_interpolated_between_two_measurements),
        cmocka_unit_test(interpolation_is_linear_and_ends_at_the_measurements),
        cmocka_unit_test(all_ranks_start_at_one_instant_and_never_before_it),
        cmocka_unit_test(the_error_of_the_lowest_rank_is_told_with_its_place),
        cmocka_unit_test(an_error_common_to_all_names_no_rank),
        cmocka_unit_test(a_text_too_long_for_its_place_is_cut),
        cmocka_unit_test(no_error_is_agreed_on_as_none),
        cmocka_unit_test(what_one_rank_says_all_ranks_know),
        cmocka_unit_test(placement_tells_how_ranks_are_dealt_to_nodes),
        cmocka_unit_test(a_group_of_one_agrees_with_itself),
    };

    return cmocka_run_group_tests_name("clock_sync", tests, NULL, NULL);
}
