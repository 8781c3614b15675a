/* SPDX-License-Identifier: Apache-2.0 */
/* Where ranks ran, node by node: cores for each, who was moved, what was far; and names of hosts in
 * short. */
#include "weir/base/clock.h"
#include "weir/measure/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- ranks made by hand ---- */

#define RANKS_MAX 4096

struct scene {
    struct weir_arena arena;
    struct weir_execution executions[RANKS_MAX];
    struct weir_placed_rank placed[RANKS_MAX];
    const char *hosts[RANKS_MAX];
    unsigned rank_count;
    unsigned node_count;
    struct weir_node_places *nodes;
    struct weir_rank_place *ranks;
};

static struct scene *open_scene(void)
{
    return calloc(1, sizeof(struct scene));
}

static void close_scene(struct scene *scene)
{
    weir_arena_close(&scene->arena);
    free(scene);
}

static struct weir_cpu_set set_of(const char *list)
{
    struct weir_cpu_set set = {0};

    assert_true(*list == '\0' || weir_cpu_set_parse(list, &set) == 0);
    return set;
}

/* A rank on node `node` with these cores, each of one processor. */
static struct weir_execution *add(struct scene *scene, unsigned node, const char *cores)
{
    static const char *const names[] = {"n1", "n2", "n3"};
    struct weir_execution *execution = &scene->executions[scene->rank_count];

    *execution = (struct weir_execution){
        .is_known = true,
        .cpus = set_of(cores),
        .cores = set_of(cores),
        .throttled_ns = WEIR_UNKNOWN,
    };
    scene->placed[scene->rank_count] =
        (struct weir_placed_rank){.node = node, .execution = execution};
    scene->hosts[scene->rank_count++] = names[node % 3];
    if (scene->node_count <= node)
        scene->node_count = node + 1;
    return execution;
}

static void derive(struct scene *scene)
{
    weir_places_derive(&scene->arena, scene->placed, scene->rank_count, scene->hosts,
                       scene->node_count, &scene->nodes, &scene->ranks);
}

static void assert_cpus(const struct weir_cpu_set *set, const char *expected)
{
    struct weir_text text = {0};

    weir_cpu_set_format(set, &text);
    assert_string_equal(weir_text_string(&text), expected);
    weir_text_close(&text);
}

/* ---- cores ---- */

/* Ranks of one node in the order of their numbers, "|" between them. */
static void ranks_without_a_core_of_their_own_are_counted(void **state)
{
    static const struct {
        const char *ranks;
        unsigned cores;
        unsigned crowded;
        unsigned first;
        unsigned cpu;
    } cases[] = {
        {"0", 1, 0, 0, 0},
        {"0|1", 2, 0, 0, 0},
        {"0-1|0-1", 2, 0, 0, 0},
        {"3|3", 1, 1, 1, 3},
        {"3|3|0-7", 8, 1, 1, 3},
        {"0-1|0-1|0-1|0-1", 2, 2, 2, 0},
        /* Rank 0 must make room for rank 1, ... */
        {"0-1|0", 2, 0, 0, 0},
        {"0-1|1-2|0|2-3", 4, 0, 0, 0},
        /* ... by a path through all of them, ... */
        {"0-1|1-2|2-3|3-4|0", 5, 0, 0, 0},
        /* ... of which there is none for the last. */
        {"0-1|1-2|2-3|3-4|0|4", 5, 1, 5, 4},
        {"0-1|0-1|0-1|5|5", 3, 2, 2, 0},
        {"1023|1022-1023|1022", 2, 1, 2, 1022},
        {"2|", 1, 0, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *scene = open_scene();
        char list[64];
        char *rest = list;

        snprintf(list, sizeof list, "%s", cases[i].ranks);
        while (rest)
            add(scene, 0, strsep(&rest, "|"));
        derive(scene);
        if (scene->nodes[0].crowded_count != cases[i].crowded)
            fail_msg("%s: %u", cases[i].ranks, scene->nodes[0].crowded_count);
        assert_int_equal(scene->nodes[0].core_count, cases[i].cores);
        assert_int_equal(scene->nodes[0].first_crowded, cases[i].first);
        assert_int_equal(scene->nodes[0].crowded_cpu, cases[i].cpu);
        close_scene(scene);
    }
}

static void each_node_has_cores_of_its_own(void **state)
{
    struct scene *scene = open_scene();

    (void)state;
    add(scene, 0, "0");
    add(scene, 1, "0");
    add(scene, 1, "0-3");
    add(scene, 0, "0");
    derive(scene);
    assert_int_equal(scene->nodes[0].crowded_count, 1);
    assert_int_equal(scene->nodes[0].first_crowded, 3);
    assert_int_equal(scene->nodes[1].crowded_count, 0);
    assert_string_equal(scene->nodes[0].host, "n1");
    assert_string_equal(scene->nodes[1].host, "n2");
    assert_int_equal(scene->nodes[1].rank_count, 2);
    assert_cpus(&scene->nodes[0].cpus, "0");
    assert_cpus(&scene->nodes[1].cpus, "0-3");
    close_scene(scene);
}

/* Tries all ways to give out cores. */
static unsigned most_seated(const struct weir_execution *ranks, unsigned count, unsigned taken)
{
    unsigned most = 0;

    if (count == 0)
        return 0;
    most = most_seated(ranks + 1, count - 1, taken);
    for (unsigned core = 0; core < 6; core++)
        if (weir_cpu_set_has(&ranks->cores, core) && !(taken >> core & 1)) {
            unsigned seated = 1 + most_seated(ranks + 1, count - 1, taken | 1u << core);

            most = seated > most ? seated : most;
        }
    return most;
}

static void as_many_ranks_as_possible_have_a_core(void **state)
{
    uint64_t random = 88172645463325252;

    (void)state;
    for (unsigned trial = 0; trial < 2000; trial++) {
        struct scene *scene = open_scene();

        for (unsigned rank = 0; rank < 1 + trial % 6; rank++) {
            struct weir_execution *execution = add(scene, 0, "");

            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            execution->cores.words[0] = 1u << random % 6 | 1u << (random >> 8) % 6;
        }
        derive(scene);
        assert_int_equal(scene->rank_count - scene->nodes[0].crowded_count,
                         most_seated(scene->executions, scene->rank_count, 0));
        close_scene(scene);
    }
}

static void add_alike(struct scene *scene, unsigned count, const char *cores)
{
    for (unsigned i = 0; i < count; i++)
        add(scene, 0, cores);
}

static void all_on_1024(struct scene *scene)
{
    add_alike(scene, RANKS_MAX, "0-1023");
}

static void all_on_one(struct scene *scene)
{
    add_alike(scene, RANKS_MAX - 1, "0");
    add(scene, 0, "0-1023");
}

static void as_many_as_cores(struct scene *scene)
{
    add_alike(scene, 512, "0-511");
}

/* Each new rank pushes all of those before it one core further. */
static void all_push(struct scene *scene)
{
    char cores[32];

    for (unsigned i = 0; i < 512; i++) {
        snprintf(cores, sizeof cores, "0-%u", 511 - i);
        add(scene, 0, cores);
    }
}

/* The first 512 take the cores that the others need, and there are too many of those. */
static void half_give_way(struct scene *scene)
{
    add_alike(scene, 512, "0-1023");
    add_alike(scene, RANKS_MAX - 512, "0-511");
}

static void matchings_are_fast(void **state)
{
    static const struct {
        const char *name;
        void (*add)(struct scene *scene);
        unsigned crowded;
    } cases[] = {
        {"4096 ranks that may all use the same 1024 cores", all_on_1024, 3072},
        {"4095 ranks on one core, one on 1024", all_on_one, 4094},
        {"512 ranks that may all use the same 512 cores", as_many_as_cores, 0},
        {"512 ranks with a core less each", all_push, 0},
        {"512 ranks on 1024 cores, 3584 on half of them", half_give_way, 3072},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene *scene = open_scene();
        uint64_t start;
        double seconds;

        cases[i].add(scene);
        start = weir_clock_kernel_ns();
        derive(scene);
        seconds = (double)(weir_clock_kernel_ns() - start) * 1e-9;
        print_message("%s: %.2f ms\n", cases[i].name, 1e3 * seconds);
        assert_int_equal(scene->nodes[0].crowded_count, cases[i].crowded);
        assert_true(seconds < 1.0);
        close_scene(scene);
    }
}

/* ---- what else is known ---- */

static void ranks_that_were_moved_or_narrowed_are_counted_and_the_first_is_named(void **state)
{
    struct scene *scene = open_scene();

    (void)state;
    add(scene, 0, "0");
    add(scene, 0, "1")->is_moved = true;
    add(scene, 0, "2")->is_moved = true;
    add(scene, 0, "3")->is_narrowed = true;
    add(scene, 0, "4")->is_far = true;
    add(scene, 1, "0")->is_pinned = true;
    derive(scene);
    assert_int_equal(scene->nodes[0].moved_count, 2);
    assert_int_equal(scene->nodes[0].first_moved, 1);
    assert_int_equal(scene->nodes[0].narrowed_count, 1);
    assert_int_equal(scene->nodes[0].far_count, 1);
    assert_false(scene->nodes[0].is_pinned);
    assert_true(scene->nodes[1].is_pinned);
    assert_int_equal(scene->nodes[1].moved_count, 0);
    assert_true(scene->ranks[1].is_moved);
    assert_false(scene->ranks[3].is_moved);
    close_scene(scene);
}

static void numa_nodes_of_processors_and_of_pages_are_told_apart(void **state)
{
    struct scene *scene = open_scene();
    struct weir_execution *execution;

    (void)state;
    execution = add(scene, 0, "0");
    execution->cpu_nodes = execution->page_nodes = 1;
    execution = add(scene, 0, "1");
    execution->cpu_nodes = 1;
    execution->page_nodes = 3;
    execution->away_permille = 1000;
    execution = add(scene, 0, "2");
    execution->cpu_nodes = 2;
    execution->page_nodes = 1;
    execution->away_permille = 250;
    execution = add(scene, 1, "0");
    execution->page_nodes = 4; /* processors without memory of their own */
    execution->asks_nodes = true;
    derive(scene);
    assert_int_equal(scene->nodes[0].cpu_nodes, 3);
    assert_int_equal(scene->nodes[0].page_nodes, 3);
    assert_int_equal(scene->nodes[0].away_count, 2);
    assert_int_equal(scene->nodes[0].first_away, 1);
    assert_int_equal(scene->nodes[0].away_permille, 1000);
    assert_int_equal(scene->nodes[0].remote_count, 2);
    assert_int_equal(scene->nodes[0].first_remote, 1);
    assert_false(scene->nodes[0].asks_nodes);
    assert_true(scene->nodes[1].asks_nodes);
    assert_int_equal(scene->nodes[1].remote_count, 0);
    assert_int_equal(scene->ranks[2].page_nodes, 1);
    assert_int_equal(scene->ranks[2].cpu_nodes, 2);
    assert_int_equal(scene->ranks[2].away_permille, 250);
    close_scene(scene);
}

static void times_are_added_or_the_greatest_counts(void **state)
{
    struct scene *scene = open_scene();
    struct weir_execution *execution;

    (void)state;
    execution = add(scene, 0, "0");
    execution->wall_ns = 2000000000;
    execution->migrations = 3;
    execution->preemptions = WEIR_UNKNOWN;
    execution->throttled_ns = 500000000;
    execution->stolen_ns = 100000000;
    execution->stolen_cpus = 1;
    scene->placed[0].cpu_ns = 1500000000;
    execution = add(scene, 0, "1-2");
    execution->wall_ns = 4000000000;
    execution->migrations = WEIR_UNKNOWN;
    execution->preemptions = WEIR_UNKNOWN;
    execution->stolen_ns = 800000000;
    execution->stolen_cpus = 2;
    execution->last_cpu = 2;
    scene->placed[1].cpu_ns = 250000000;
    execution = add(scene, 0, "3");
    execution->migrations = 4;
    execution->preemptions = WEIR_UNKNOWN;
    execution->wall_ns = 1000000000;
    execution->stolen_ns = WEIR_UNKNOWN;
    execution->stolen_cpus = 1;
    derive(scene);
    assert_float_equal(scene->nodes[0].cpu_s, 1.75, 1e-9);
    assert_float_equal(scene->nodes[0].wall_s, 4.0, 1e-9);
    assert_float_equal(scene->nodes[0].throttled_s, 0.5, 1e-9);
    assert_float_equal(scene->nodes[0].stolen_share, 0.1, 1e-9);
    assert_true(scene->nodes[0].migrations == 7);
    assert_true(scene->nodes[0].preemptions == WEIR_UNKNOWN);
    assert_int_equal(scene->ranks[1].last_cpu, 2);
    assert_true(scene->ranks[1].migrations == WEIR_UNKNOWN);
    assert_true(scene->ranks[0].migrations == 3);
    close_scene(scene);
}

static void ranks_of_which_nothing_is_known_are_only_counted(void **state)
{
    struct scene *scene = open_scene();
    struct weir_execution *execution;

    (void)state;
    add(scene, 0, "0")->migrations = 1;
    execution = add(scene, 0, "0");
    *execution = (struct weir_execution){.is_moved = true, .migrations = 7};
    execution->cores = execution->cpus = set_of("0-1");
    scene->placed[1].cpu_ns = 1000000000;
    add(scene, 1, "");
    scene->placed[2].execution = NULL;
    derive(scene);
    assert_int_equal(scene->nodes[0].rank_count, 2);
    assert_cpus(&scene->nodes[0].cpus, "0");
    assert_int_equal(scene->nodes[0].crowded_count, 0);
    assert_int_equal(scene->nodes[0].moved_count, 0);
    assert_int_equal(scene->nodes[0].migrations, 1);
    assert_float_equal(scene->nodes[0].cpu_s, 0.0, 0);
    assert_int_equal(scene->nodes[1].rank_count, 1);
    assert_string_equal(scene->nodes[1].host, "n2");
    assert_true(scene->nodes[1].migrations == WEIR_UNKNOWN);
    assert_int_equal(scene->ranks[1].rank, 1);
    assert_true(weir_cpu_set_is_empty(&scene->ranks[1].cpus));
    assert_int_equal(scene->ranks[2].node, 1);
    close_scene(scene);
}

static void nothing_is_told_if_nobody_looked(void **state)
{
    struct scene *scene = open_scene();

    (void)state;
    add(scene, 0, "0")->is_known = false;
    scene->nodes = (void *)scene;
    scene->ranks = (void *)scene;
    derive(scene);
    assert_null(scene->nodes);
    assert_null(scene->ranks);
    close_scene(scene);
}

static void many_ranks_are_not_kept_one_by_one(void **state)
{
    struct scene *scene = open_scene();

    (void)state;
    add_alike(scene, WEIR_RANK_PLACES_MAX, "0-3");
    derive(scene);
    assert_non_null(scene->ranks);
    assert_int_equal(scene->ranks[WEIR_RANK_PLACES_MAX - 1].rank, WEIR_RANK_PLACES_MAX - 1);
    add_alike(scene, 1, "0-3");
    derive(scene);
    assert_null(scene->ranks);
    assert_int_equal(scene->nodes[0].rank_count, WEIR_RANK_PLACES_MAX + 1);
    close_scene(scene);
}

/* ---- names of hosts ---- */

static void names_of_hosts_are_folded(void **state)
{
    static const struct {
        const char *names;
        unsigned shown_max;
        const char *folded;
    } cases[] = {
        {"n1", 8, "n1"},
        {"n1 n2", 8, "n[1-2]"},
        {"n7 n3 n1 n2", 8, "n[1-3,7]"},
        {"n1 login", 8, "login, n1"},
        {"n8 n9 n10 n11", 8, "n[8-11]"},
        {"n08 n09 n10 n11", 8, "n[08-11]"},
        {"node001 node003 node002", 8, "node[001-003]"},
        {"n1 n01 n2 n02", 8, "n[1-2], n[01-02]"},
        {"n01 n02 n100", 8, "n100, n[01-02]"},
        {"n0 n1 n2", 8, "n[0-2]"},
        {"n n0", 8, "n, n0"},
        {"ab2 a1 ab1 a2", 8, "a[1-2], ab[1-2]"},
        {"n1.x n2.x", 8, "n1.x, n2.x"},
        {"n1 n1 n2 n1", 8, "n[1-2]"},
        {"7 8 9", 8, "[7-9]"},
        {"n1 n3 n5 n7 n9", 3, "n[1,3,5] and 2 more"},
        {"n1 n2 n3 n5 a b c d", 2, "a, b and 6 more"},
        {"n1 n2 n3 n5 n6 n9 a", 3, "a, n[1-3,5-6] and 1 more"},
        {"a n1 n3", 1, "a and 2 more"},
        {"a b", 0, "a and 1 more"},
        {"x12345678901234567 x12345678901234568", 8, "x12[345678901234567-345678901234568]"},
        {"", 8, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_arena arena = {0};
        const char *names[16];
        char list[128];
        char *rest = list;
        unsigned count = 0;

        snprintf(list, sizeof list, "%s", cases[i].names);
        while (rest && *rest)
            names[count++] = strsep(&rest, " ");
        assert_string_equal(weir_hosts_fold(&arena, names, count, cases[i].shown_max),
                            cases[i].folded);
        weir_arena_close(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_without_a_core_of_their_own_are_counted),
        cmocka_unit_test(each_node_has_cores_of_its_own),
        cmocka_unit_test(as_many_ranks_as_possible_have_a_core),
        cmocka_unit_test(matchings_are_fast),
        cmocka_unit_test(ranks_that_were_moved_or_narrowed_are_counted_and_the_first_is_named),
        cmocka_unit_test(numa_nodes_of_processors_and_of_pages_are_told_apart),
        cmocka_unit_test(times_are_added_or_the_greatest_counts),
        cmocka_unit_test(ranks_of_which_nothing_is_known_are_only_counted),
        cmocka_unit_test(nothing_is_told_if_nobody_looked),
        cmocka_unit_test(many_ranks_are_not_kept_one_by_one),
        cmocka_unit_test(names_of_hosts_are_folded),
    };

    return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
