/* SPDX-License-Identifier: Apache-2.0 */
/* One test against the one before: ratios of mean rates, and what their spread leaves open. */
#include "report/repetitions.h"

#include "report_scenes.h"

#define REPETITIONS_MAX 8

static const struct weir_tree many = {
    .node = "n.%k", .set_count = 1, .depth = 1, .branching = 3, .items_per_directory = 25};
static const struct weir_tree one = {.node = "n.%k", .set_count = 1, .items_per_directory = 100};

/* Two tests of one phase each; rates in operations per second, up to a 0. */
static struct scene make(const double before[], const double here[], bool is_compared)
{
    struct scene scene = SCENE_OPEN("mdtest");
    const double *const rates[] = {before, here};

    for (unsigned t = 0; t < 2; t++) {
        struct weir_test *test = scene_test(&scene, 2, "/d");
        struct weir_target *target = scene_target(&scene, "/d", false);
        struct weir_phase phase = {
            .verb = WEIR_STAT, .target = target, .depth = 1, .names.item = "f.%r.%n"};
        const struct weir_phase *planned;

        target->tree = t == 0 ? &many : &one;
        test->is_compared = t == 1 && is_compared;
        planned = weir_plan_add_phase(scene.plan, test, &test->steps, &phase);
        for (unsigned i = 0; rates[t][i] > 0.0; i++) {
            struct weir_phase_result *done = weir_result_add_phase(scene.result);

            done->test = t;
            done->phase = planned->number;
            done->repetition = i;
            done->rank_count = 2;
            done->op_count = 200;
            done->rank_ops_min = done->rank_ops_max = 100;
            done->windows.total_s = 200.0 / rates[t][i];
        }
    }
    return scene;
}

static unsigned find(struct scene *scene, struct weir_arena *arena,
                     struct weir_comparison *comparison)
{
    unsigned phase_count, count;
    struct weir_repetitions *phases =
        weir_repetitions_find(arena, scene->plan, scene->result, &phase_count);
    struct weir_comparison *list =
        weir_comparisons_find(arena, scene->plan, phases, phase_count, &count);

    if (count > 0)
        *comparison = list[0];
    return count;
}

static void ratio_and_margin_are_those_of_the_means(void **state)
{
    static const struct {
        double before[REPETITIONS_MAX], here[REPETITIONS_MAX];
        double ratio, margin; /* margin < 0: not known */
        const char *verdict;
    } cases[] = {
        {{1000}, {500}, 0.5, -1, "too few iterations to tell"},
        {{1000, 1000, 1000}, {500, 500}, 0.5, -1, "too few iterations to tell"},
        {{1000, 1000, 1000}, {500, 500, 500}, 0.5, 0, "slower"},
        {{100, 100, 100, 100}, {300, 300, 300}, 3, 0, "faster"},
        /* Means 100 and 95, standard deviations of samples 10 and 10: the margin is
         * 2.78 * 0.95 * sqrt(100 / 3 / 100^2 + 100 / 3 / 95^2). */
        {{90, 100, 110}, {85, 95, 105}, 0.95, 0.22138, "no difference beyond the spread"},
        {{90, 100, 110}, {40, 50, 60}, 0.5, 0.20526, "slower"},
        /* A single great rate says nothing. */
        {{1, 1, 1000}, {1, 1, 1}, 3.0 / 1002, 0.012836, "no difference beyond the spread"},
        /* 6 of each: 10 degrees of freedom. */
        {{99, 101, 99, 101, 99, 101}, {109, 111, 109, 111, 109, 111}, 1.1, 0.014826, "faster"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = make(cases[i].before, cases[i].here, true);
        struct weir_arena arena = {0};
        struct weir_comparison comparison;

        assert_int_equal(find(&scene, &arena, &comparison), 1);
        assert_int_equal(comparison.all->test, 1);
        assert_float_equal(comparison.ratio, cases[i].ratio, 1e-9);
        assert_int_equal(comparison.is_known, cases[i].margin >= 0);
        assert_float_equal(comparison.margin, comparison.is_known ? cases[i].margin : 0, 1e-5);
        assert_string_equal(weir_comparison_verdict(&comparison), cases[i].verdict);
        weir_arena_close(&arena);
        scene_close(&scene);
    }
}

static void only_what_was_asked_for_and_done_is_compared(void **state)
{
    static const double rates[] = {100, 100, 100, 0}, none[] = {0};
    struct weir_arena arena = {0};
    struct weir_comparison comparison;

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct scene scene = make(i == 1 ? none : rates, i == 2 ? none : rates, i != 0);

        if (i == 3) /* a plan that was read */
            scene.plan->tests[0]->is_compared = !(scene.plan->tests[1]->is_compared = false);
        if (i == 4)
            scene.plan->tests[0]->phases[0]->verb = WEIR_OPEN;
        if (i == 5)
            for (unsigned k = 3; k < 6; k++)
                scene.result->phases[k].outcome = WEIR_OUTCOME_PARTIAL;
        assert_int_equal(find(&scene, &arena, &comparison), 0);
        scene_close(&scene);
    }
    weir_arena_close(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratio_and_margin_are_those_of_the_means),
        cmocka_unit_test(only_what_was_asked_for_and_done_is_compared),
    };

    return cmocka_run_group_tests_name("comparison", tests, NULL, NULL);
}
