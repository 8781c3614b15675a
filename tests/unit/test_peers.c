/* SPDX-License-Identifier: Apache-2.0 */
/* Storage targets that should be alike: the rule that names those that are not, how often it is
 * wrong, and what findings and reports make of it. */
#include "weir/measure/peers.h"

#include "normal_noise.h"
#include "report/targets/targets.h"
#include "report_scenes.h"

#include "weir/audit/audit.h"

#include <math.h>

#define MANY 64
#define DRAWS 10000

/* ---- the rule ---- */

static void rule_names_what_is_far_from_the_median(void **state)
{
    static const struct {
        struct weir_peer all[MANY];
        unsigned count;
        const char *verdicts; /* of each: '.' alike, 's' slow, 'f' fast */
    } cases[] = {
        {{{100, 0}, {100, 0}, {100, 0}, {100, 0}, {50, 0}}, 5, "....s"},
        {{{100, 0}, {100, 0}, {100, 0}, {100, 0}, {200, 0}}, 5, "....f"},
        {{{100, 0}, {100, 0}, {30, 0}, {100, 0}, {100, 0}, {20, 0}}, 6, "..s..s"},
        /* A MAD of 0, and less than a tenth from the median. */
        {{{100, 0}, {100, 0}, {100, 0}, {100, 0}, {90.5, 0}}, 5, "....."},
        {{{100, 0}, {100, 0}, {100, 0}, {100, 0}, {89.5, 0}}, 5, "....s"},
        /* 1.4826 * MAD is 0.072, and 77.6 the least that is usual. */
        {{{100, 0}, {105, 0}, {95, 0}, {110, 0}, {79, 0}}, 5, "....."},
        {{{100, 0}, {105, 0}, {95, 0}, {105, 0}, {73, 0}}, 5, "....s"},
        /* What repetitions of one differ by is no difference between targets. */
        {{{100, 10}, {101, 8}, {99, 12}, {100, 9}, {75, 3}}, 5, "....."},
        {{{100, 10}, {101, 8}, {99, 12}, {100, 9}, {60, 3}}, 5, "....s"},
        /* However much repetitions differ, there is something too slow. */
        {{{100, 40}, {100, 40}, {100, 40}, {100, 40}, {20, 1}}, 5, "....s"},
        /* Two of four may be as good as the other two. */
        {{{100, 0}, {100, 0}, {50, 0}, {50, 0}}, 4, "...."},
        {{{100, 0}, {100, 0}, {100, 0}, {50, 0}}, 4, "...s"},
        /* Too few, or nothing to compare. */
        {{{100, 0}, {100, 0}, {1, 0}}, 3, "..."},
        {{{100, 0}, {1, 0}}, 2, ".."},
        {{{100, 0}}, 1, "."},
        {{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {9, 0}}, 5, "....."},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double work[MANY];
        struct weir_peers peers = weir_peers_of(cases[i].all, cases[i].count, work);

        for (unsigned k = 0; k < cases[i].count; k++)
            assert_int_equal(".sf"[weir_peers_judge(&peers, cases[i].all[k].mean)],
                             cases[i].verdicts[k]);
        assert_int_equal(peers.knows_noise, cases[i].all[0].stddev > 0);
    }
    assert_int_equal(weir_peers_of(NULL, 0, NULL).can_tell, false);
}

static void rates_may_differ_too_much_for_one_to_be_slow(void **state)
{
    const struct weir_peer wide[] = {{100, 1}, {100, 1}, {25, 1}, {25, 1}};
    const struct weir_peer alike[] = {{100, 1}, {101, 1}, {99, 1}, {25, 1}};
    double work[MANY];

    assert_true(weir_peers_of(wide, 4, work).is_wide);
    assert_false(weir_peers_of(alike, 4, work).is_wide);
}

/* ---- how often it is wrong ---- */

struct world {
    unsigned targets, repetitions;
    double between; /* deviation of targets that are alike, ... */
    double within;  /* ... and of repetitions of one, in parts of the rate */
    double slow;    /* rate of one that is not, in parts of the others; 1: all are alike */
};

static struct weir_peer measure(const struct world *world, double share, struct noise *noise)
{
    double rate = share * (1.0 + world->between * draw(noise)), sum = 0.0, square = 0.0;

    for (unsigned i = 0; i < world->repetitions; i++) {
        double measured = rate * (1.0 + world->within * draw(noise));

        sum += measured;
        square += measured * measured;
    }
    sum /= world->repetitions;
    square = square / world->repetitions - sum * sum;
    return (struct weir_peer){
        sum, world->repetitions > 1
                 ? sqrt(fmax(square, 0.0) * world->repetitions / (world->repetitions - 1.0))
                 : 0.0};
}

/* Draws in which a target is called slow that is not, and those in which the slow one is named. */
static void count(const struct world *world, unsigned *false_alarms, unsigned *hits)
{
    struct noise noise = {.seed = 18};
    struct weir_peer all[MANY];
    double work[MANY];

    *false_alarms = *hits = 0;
    for (unsigned i = 0; i < DRAWS; i++) {
        struct weir_peers peers;
        unsigned wrong = 0;

        for (unsigned k = 0; k < world->targets; k++)
            all[k] = measure(world, k == 0 ? world->slow : 1.0, &noise);
        peers = weir_peers_of(all, world->targets, work);
        for (unsigned k = 0; k < world->targets; k++)
            if (weir_peers_judge(&peers, all[k].mean) == WEIR_PEER_SLOW) {
                wrong += k > 0 || world->slow == 1.0;
                *hits += k == 0 && world->slow < 1.0;
            }
        *false_alarms += wrong > 0;
    }
}

static void alike_targets_are_seldom_called_slow(void **state)
{
    /* Runs in ten thousand, at most. Devices of one kind differ by 1 or 2 %, and their repetitions
     * by as much; 5 and 10 % are those of a machine that others use meanwhile. */
    static const struct {
        struct world world;
        unsigned most;
    } cases[] = {
        {{4, 3, 0.01, 0.02, 1}, 1},    {{5, 3, 0.01, 0.02, 1}, 1},   {{24, 3, 0.01, 0.02, 1}, 1},
        {{5, 1, 0.01, 0.02, 1}, 10},   {{5, 3, 0.02, 0.02, 1}, 10},  {{5, 3, 0.01, 0.05, 1}, 60},
        {{5, 3, 0.01, 0.1, 1}, 60},    {{5, 3, 0.03, 0.05, 1}, 100}, {{5, 3, 0.05, 0.1, 1}, 150},
        {{24, 3, 0.03, 0.05, 1}, 150}, {{24, 3, 0.05, 0.1, 1}, 150},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct world *world = &cases[i].world;
        unsigned false_alarms, hits;

        count(world, &false_alarms, &hits);
        print_message("%2u targets, %u repetitions, %4.1f %% between, %4.1f %% within: %u of %u "
                      "runs with a false alarm\n",
                      world->targets, world->repetitions, 100 * world->between, 100 * world->within,
                      false_alarms, DRAWS);
        assert_true(false_alarms <= cases[i].most);
    }
}

static void slow_target_is_named(void **state)
{
    static const struct {
        struct world world;
        unsigned least;
    } cases[] = {
        {{5, 3, 0.01, 0.02, 0.7}, 9900},
        {{5, 3, 0.01, 0.05, 0.5}, 9900},
        {{24, 3, 0.02, 0.05, 0.6}, 9900},
        {{5, 3, 0.05, 0.1, 0.2}, 9500},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct world *world = &cases[i].world;
        unsigned false_alarms, hits;

        count(world, &false_alarms, &hits);
        print_message("%2u targets, one at %.0f %%, %4.1f %% between, %4.1f %% within: named in %u "
                      "of %u runs\n",
                      world->targets, 100 * world->slow, 100 * world->between, 100 * world->within,
                      hits, DRAWS);
        assert_true(hits >= cases[i].least);
    }
}

/* ---- findings and tables ---- */

#define PEERS 5
#define ROUNDS 2
#define TESTS (PEERS * ROUNDS + 1)

static const char *const names[PEERS] = {"/mnt/a", "/mnt/b", "/mnt/c", "/mnt/d", "/mnt/e"};

/* A plan of two rounds of five targets alone, and of all together. */
static struct scene make(void)
{
    struct scene scene = SCENE_OPEN("targets");

    weir_result_close(scene.result);
    scene.result = weir_result_open(TESTS);
    for (unsigned i = 0; i < TESTS; i++) {
        struct weir_test *test = scene_test(&scene, 1, "/mnt");

        test->repetitions = 1;
        test->peer = i < PEERS * ROUNDS ? names[i % PEERS] : NULL;
        scene_phase(&scene, test, WEIR_READ, scene_target(&scene, "/mnt", false), small_layout);
    }
    return scene;
}

static struct weir_phase_result *add_phase(struct scene *scene, unsigned test, double mb_per_s)
{
    struct weir_phase_result *done = weir_result_add_phase(scene->result);

    done->test = test;
    done->phase = scene->plan->tests[test]->phases[0]->number;
    done->rank_count = 1;
    done->op_count = 100;
    done->byte_count = 100000000;
    done->failure = "";
    done->windows.total_s = 100.0 / mb_per_s;
    done->rank_ops_per_s_mean = 1.5e6 * mb_per_s / small_layout.transfer_bytes;
    weir_audit_peers(scene->plan, scene->result, done);
    return done;
}

/* Findings of the whole run; all of them are where the last target is measured last. */
static unsigned run(struct scene *scene, const double mb_per_s[PEERS],
                    const struct weir_phase_result **last)
{
    unsigned count = 0;

    for (unsigned i = 0; i < TESTS; i++)
        add_phase(scene, i, i + 1 < TESTS ? mb_per_s[i % PEERS] : 200.0);
    *last = &scene->result->phases[TESTS - 2];
    for (unsigned i = 0; i < scene->result->phase_count; i++)
        count += scene->result->phases[i].finding_count;
    assert_int_equal(count, (*last)->finding_count);
    return count;
}

static void findings_name_targets_when_all_are_measured(void **state)
{
    static const double alike[PEERS] = {100, 99, 101, 102, 98},
                        slow[PEERS] = {100, 99, 40, 102, 98},
                        both[PEERS] = {100, 900, 100, 10, 100};
    const struct weir_phase_result *last;
    struct scene scene = make();

    assert_int_equal(run(&scene, alike, &last), 0);
    scene_close(&scene);
    scene = make();
    assert_int_equal(run(&scene, slow, &last), 1);
    assert_string_equal(last->findings[0].name, "slow-target");
    assert_int_equal(last->findings[0].severity, WEIR_WARNING);
    assert_non_null(strstr(last->findings[0].text, "/mnt/c has reads of 40.0 MB/s"));
    assert_true(weir_audit_warns(scene.plan, scene.result));
    scene_close(&scene);
    scene = make();
    assert_int_equal(run(&scene, both, &last), 2);
    assert_string_equal(last->findings[0].name, "slow-target");
    assert_string_equal(last->findings[1].name, "fast-target");
    assert_int_equal(last->findings[1].severity, WEIR_NOTE);
    assert_non_null(strstr(last->findings[1].text, "/mnt/b"));
    scene_close(&scene);
}

/* The record of the last target is kept, and one before it was measured again and is slow no more.
 */
static void findings_of_a_record_that_is_kept_are_made_anew(void **state)
{
    static const double slow[PEERS] = {100, 99, 40, 102, 98};
    const struct weir_phase_result *last;
    struct scene scene = make();

    run(&scene, slow, &last);
    for (unsigned i = 2; i < TESTS; i += PEERS)
        scene.result->phases[i].windows.total_s = 1.0;
    weir_result_find(&scene.result->phases[TESTS - 2], WEIR_FINDING_SHORT, "stays");
    weir_audit_peers_anew(scene.plan, scene.result, &scene.result->phases[TESTS - 2]);
    assert_int_equal(last->finding_count, 1);
    assert_string_equal(last->findings[0].name, "short");
    scene.result->phases[2].windows.total_s = scene.result->phases[7].windows.total_s = 100.0 / 40;
    for (unsigned i = 0; i < 2; i++) /* the second time, there is one already */
        weir_audit_peers_anew(scene.plan, scene.result, &scene.result->phases[TESTS - 2]);
    assert_int_equal(last->finding_count, 2);
    assert_string_equal(last->findings[1].name, "slow-target");
    scene_close(&scene);
}

static void table_is_in_order_of_rate(void **state)
{
    static const double rates[PEERS] = {100, 99, 40, 102, 98};
    const struct weir_phase_result *last;
    struct scene scene = make();
    struct weir_arena arena = {0};
    const struct weir_targets_table *table;
    unsigned count;

    run(&scene, rates, &last);
    table = weir_targets_tables(&arena, scene.plan, scene.result, &count);
    assert_int_equal(count, 1);
    assert_int_equal(table->verb, WEIR_READ);
    assert_int_equal(table->count, PEERS);
    for (unsigned i = 0; i < PEERS; i++) {
        assert_string_equal(table->rows[i].name, names["dabec"[i] - 'a']);
        assert_int_equal(table->rows[i].rate.count, ROUNDS);
        assert_int_equal(table->rows[i].verdict, i == 4 ? WEIR_PEER_SLOW : WEIR_PEER_ALIKE);
    }
    assert_float_equal(table->peers.median, 99e6, 1);
    assert_float_equal(table->alone_sum, 439e6, 1);
    assert_float_equal(table->alone_ranks_sum, 658.5e6, 1);
    assert_float_equal(table->together.mean, 200e6, 1);
    assert_float_equal(table->together_sum, 300e6, 1);
    assert_true(table->is_whole);
    weir_arena_close(&arena);
    scene_close(&scene);
}

/* A run that was interrupted says of what is there, and calls it no whole. */
static void table_of_a_part_is_no_whole(void **state)
{
    struct scene scene = make();
    struct weir_arena arena = {0};
    const struct weir_targets_table *table;
    unsigned count;

    weir_targets_tables(&arena, scene.plan, scene.result, &count);
    assert_int_equal(count, 0);
    add_phase(&scene, 0, 100);
    add_phase(&scene, 1, 50)->outcome = WEIR_OUTCOME_SKIPPED;
    table = weir_targets_tables(&arena, scene.plan, scene.result, &count);
    assert_int_equal(count, 1);
    assert_int_equal(table->count, 1);
    assert_false(table->is_whole);
    assert_false(table->peers.can_tell);
    weir_arena_close(&arena);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rule_names_what_is_far_from_the_median),
        cmocka_unit_test(rates_may_differ_too_much_for_one_to_be_slow),
        cmocka_unit_test(alike_targets_are_seldom_called_slow),
        cmocka_unit_test(slow_target_is_named),
        cmocka_unit_test(findings_name_targets_when_all_are_measured),
        cmocka_unit_test(findings_of_a_record_that_is_kept_are_made_anew),
        cmocka_unit_test(table_is_in_order_of_rate),
        cmocka_unit_test(table_of_a_part_is_no_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
