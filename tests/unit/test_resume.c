/* SPDX-License-Identifier: Apache-2.0 */
/* What a result file has finished of a plan: plans and runs made by hand. */
#include "report_scenes.h"

#include <errno.h>
#include <unistd.h>

#define TESTS 4
#define ROUNDS 2
#define RANKS 4

static const char path[] = "test_resume.jsonl";

static void add_test(struct scene *scene, unsigned step, enum weir_step_kind kind)
{
    struct weir_test *test = scene_test(scene, RANKS, "f");
    const struct weir_phase phase = {
        .verb = WEIR_WRITE,
        .target = scene_target(scene, "f", true),
        .transfers.layout = small_layout,
        .depth = 1,
        .transfers.batch = 1,
    };
    struct weir_step *loop = kind == WEIR_STEP_UNTIL
                                 ? weir_plan_add_until(scene->plan, &test->steps, SECOND_NS)
                                 : weir_plan_add_repeat(scene->plan, &test->steps, ROUNDS);

    test->dialect = "ior";
    test->repetitions = ROUNDS;
    test->sweep_step = step;
    weir_plan_add_phase(scene->plan, test, &loop->body, &phase);
}

/* Without results. */
static struct scene open_plan(const unsigned steps[TESTS], enum weir_step_kind kind)
{
    static const char *const values[] = {"1", "2", "4"};
    struct scene scene = SCENE_OPEN("ior", "-w");

    for (unsigned i = 0; i < TESTS; i++)
        add_test(&scene, steps ? steps[i] : 0, kind);
    if (steps) {
        scene.plan->sweep.axis_count = 1;
        scene.plan->sweep.axes[0] = (struct weir_sweep_axis){"ranks", values, 3};
    }
    scene.plan->output.reporter = "ior";
    scene.plan->output.result_path = path;
    scene.result->rank_count = RANKS;
    scene.result->finished_s = 0.0;
    scene.result->test_count = 0;
    return scene;
}

static void append(struct weir_text *lines)
{
    FILE *file = fopen(path, "ae");

    assert_non_null(file);
    assert_true(fputs(weir_text_string(lines), file) >= 0);
    fclose(file);
    weir_text_close(lines);
}

static void begin_run(struct scene *scene, uint64_t id, uint64_t resumed_id)
{
    struct weir_text lines = {0};

    scene->result->run_id = id;
    scene->result->test_count = scene->result->phase_count = 0;
    scene->result->resumed = (struct weir_resumed){.begun_s = BEGUN_S};
    if (resumed_id > 0)
        snprintf(scene->result->resumed.run_id, sizeof scene->result->resumed.run_id, "%016llx",
                 (unsigned long long)resumed_id);
    weir_record_run(&lines, scene->plan, scene->result);
    append(&lines);
}

/* The record of the latest round is as `last` says; NULL: complete. */
static void do_test(struct scene *scene, unsigned number, unsigned rounds,
                    const struct weir_phase_result *last)
{
    const struct weir_test *test = scene->plan->tests[number];
    struct weir_test_result *begun = &scene->result->tests[scene->result->test_count++];
    struct weir_text lines = {0};

    *begun = (struct weir_test_result){
        .test = number, .begun_s = BEGUN_S, .rank_count = RANKS, .node_count = 1};
    weir_record_test(&lines, scene->plan, scene->result, begun);
    for (unsigned i = 0; i < rounds; i++) {
        struct weir_phase_result *done = weir_result_begin_phase(scene->result);

        if (last && i + 1 == rounds)
            *done = *last;
        done->test = number;
        done->phase = test->phases[0]->number;
        done->repetition = i;
        done->failure = done->failure ? done->failure : "";
        weir_record_phase(&lines, scene->plan, scene->result, done);
    }
    append(&lines);
}

static int look(const struct scene *scene, unsigned ranks, struct weir_resumption *resumption)
{
    struct weir_error error = {0};

    return weir_resumption_open(resumption, scene->plan, ranks, &error);
}

/* `kept`: "1011", a character of each test. */
static void expect(const struct scene *scene, const char *kept, unsigned steps, unsigned kept_steps)
{
    struct weir_resumption resumption;
    char found[TESTS + 1] = "";

    assert_int_equal(look(scene, RANKS, &resumption), 0);
    for (unsigned i = 0; i < TESTS; i++)
        found[i] = resumption.kept[i] ? '1' : '0';
    assert_string_equal(found, kept);
    assert_int_equal(resumption.step_count, steps);
    assert_int_equal(resumption.kept_count, kept_steps);
    weir_resumption_close(&resumption);
}

static void close_plan(struct scene *scene)
{
    scene_close(scene);
    unlink(path);
}

/* ---- tests ---- */

static void nothing_is_kept_of_no_file_and_of_no_run(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);
    struct weir_text lines = {0};

    (void)state;
    unlink(path);
    expect(&scene, "0000", TESTS, 0);
    weir_text_add(&lines, "\n");
    append(&lines);
    expect(&scene, "0000", TESTS, 0);
    close_plan(&scene);
}

static void test_alone_is_finished_with_its_last_round(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    do_test(&scene, 1, ROUNDS - 1, NULL);
    do_test(&scene, 3, ROUNDS, NULL);
    expect(&scene, "1001", TESTS, 2);
    close_plan(&scene);
}

static void phase_that_was_cut_or_failed_is_not_finished(void **state)
{
    const struct weir_phase_result flaws[TESTS] = {
        {.is_interrupted = true},
        {.outcome = WEIR_OUTCOME_PARTIAL},
        {.failure = "rank 1: write f: Input/output error"},
        {.error_count = 1},
    };
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);

    (void)state;
    begin_run(&scene, 1, 0);
    for (unsigned i = 0; i < TESTS; i++)
        do_test(&scene, i, ROUNDS, &flaws[i]);
    expect(&scene, "0000", TESTS, 0);
    close_plan(&scene);
}

static void step_of_a_sweep_is_kept_with_all_its_tests_or_not_at_all(void **state)
{
    const unsigned steps[TESTS] = {0, 0, 1, 2};
    struct scene scene = open_plan(steps, WEIR_STEP_REPEAT);

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    expect(&scene, "0000", 3, 0);
    do_test(&scene, 1, ROUNDS - 1, NULL);
    do_test(&scene, 2, ROUNDS, NULL);
    expect(&scene, "0010", 3, 1);
    begin_run(&scene, 2, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    do_test(&scene, 1, ROUNDS, NULL);
    expect(&scene, "1100", 3, 1);
    close_plan(&scene);
}

/* As the parts of a row of IOzone: an interruption of the second removes the file of the first. */
static void tests_that_need_files_of_each_other_are_one_step(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);
    struct weir_test *first = scene.plan->tests[1];
    const struct weir_phase removal = {
        .verb = WEIR_REMOVE, .target = first->phases[0]->target, .names.only_if_ending = true};

    (void)state;
    weir_plan_add_phase(scene.plan, first, &first->steps->body, &removal);
    for (unsigned i = 0, number = 0; i < TESTS; i++)
        for (size_t k = 0; k < scene.plan->tests[i]->phase_count; k++)
            scene.plan->tests[i]->phases[k]->number = number++;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    do_test(&scene, 1, ROUNDS, NULL);
    do_test(&scene, 2, ROUNDS - 1, NULL);
    expect(&scene, "1000", 3, 1);
    begin_run(&scene, 2, 0);
    do_test(&scene, 1, ROUNDS, NULL);
    do_test(&scene, 2, ROUNDS, NULL);
    do_test(&scene, 3, 1, NULL);
    expect(&scene, "0110", 3, 1);
    close_plan(&scene);
}

static void loop_until_a_time_has_ended_when_the_run_went_on(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_UNTIL);
    struct weir_phase_result kept = {.kept_from = "0000000000000009"};

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, 5, NULL);
    expect(&scene, "0000", TESTS, 0);
    do_test(&scene, 2, 1, &kept);
    expect(&scene, "0000", TESTS, 0);
    do_test(&scene, 3, 1, NULL);
    expect(&scene, "1010", TESTS, 2);
    close_plan(&scene);
}

/* As of a backend without files, or with wrong data in them. */
static void removal_without_a_record_has_ended_when_the_run_went_on(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);

    (void)state;
    for (unsigned i = 0; i < TESTS; i++) {
        struct weir_test *test = scene.plan->tests[i];
        const struct weir_phase removal = {.verb = WEIR_REMOVE, .target = test->phases[0]->target};

        weir_plan_add_phase(scene.plan, test, &test->steps->body, &removal);
    }
    for (unsigned i = 0, number = 0; i < TESTS; i++)
        for (size_t k = 0; k < scene.plan->tests[i]->phase_count; k++)
            scene.plan->tests[i]->phases[k]->number = number++;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    expect(&scene, "0000", TESTS, 0);
    do_test(&scene, 1, ROUNDS, NULL);
    expect(&scene, "1000", TESTS, 1);
    close_plan(&scene);
}

static void run_that_went_on_with_another_has_what_that_one_finished(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    do_test(&scene, 2, ROUNDS, NULL);
    begin_run(&scene, 2, 1);
    do_test(&scene, 1, ROUNDS, NULL);
    expect(&scene, "1110", TESTS, 3);
    begin_run(&scene, 3, 0); /* from the start: what was done before counts no more */
    do_test(&scene, 3, ROUNDS, NULL);
    expect(&scene, "0001", TESTS, 1);
    close_plan(&scene);
}

/* ---- repetitions ---- */

static void expect_repetitions(const struct scene *scene, uint64_t first, uint64_t second,
                               double lost_s)
{
    struct weir_resumption resumption;

    assert_int_equal(look(scene, RANKS, &resumption), 0);
    assert_int_equal(resumption.repetitions[0], first);
    assert_int_equal(resumption.repetitions[1], second);
    assert_int_equal(resumption.kept_repetitions, first + second);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(resumption.repetitions[i] > 0,
                         resumption.partly[i] != NULL && resumption.kept[i] == NULL);
    assert_true(resumption.lost_s > lost_s - 0.001 && resumption.lost_s < lost_s + 0.001);
    weir_resumption_close(&resumption);
}

static void end_run(struct scene *scene, bool is_out_of_time)
{
    struct weir_text lines = {0};

    scene->result->finished_s = BEGUN_S + 40;
    scene->result->is_interrupted = scene->result->is_out_of_time = is_out_of_time;
    weir_record_end(&lines, scene->result);
    append(&lines);
    scene->result->finished_s = 0;
    scene->result->is_interrupted = scene->result->is_out_of_time = false;
}

static void repetitions_of_a_test_that_was_cut_are_kept(void **state)
{
    const struct weir_phase_result cut = {.is_interrupted = true};
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);

    (void)state;
    for (unsigned i = 0; i < TESTS; i++)
        scene.plan->tests[i]->steps->count = scene.plan->tests[i]->repetitions = 5;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, 4, &cut);
    expect_repetitions(&scene, 3, 0, 0);
    /* Not as many in a later one. */
    begin_run(&scene, 2, 1);
    do_test(&scene, 0, 2, NULL);
    expect_repetitions(&scene, 3, 0, 0);
    begin_run(&scene, 3, 2);
    do_test(&scene, 0, 5, NULL);
    do_test(&scene, 1, 1, NULL);
    expect_repetitions(&scene, 0, 1, 0);
    expect(&scene, "1000", TESTS, 1);
    close_plan(&scene);
}

/* A depth is that of all repetitions; a loop until a time has rounds, and no repetitions; and tests
 * of one step belong together. */
static void repetitions_that_depend_on_one_another_are_not_kept(void **state)
{
    const unsigned steps[TESTS] = {0, 0, 1, 2};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct scene scene =
            open_plan(i == 2 ? steps : NULL, i == 1 ? WEIR_STEP_UNTIL : WEIR_STEP_REPEAT);

        scene.plan->tests[0]->phases[0]->must_find_depth = i == 0;
        begin_run(&scene, 1, 0);
        do_test(&scene, 0, ROUNDS - 1, NULL);
        expect_repetitions(&scene, 0, 0, 0);
        close_plan(&scene);
    }
}

static void time_that_a_run_has_lost_is_found(void **state)
{
    const struct weir_phase_result cut = {.is_interrupted = true};
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, 1, &cut);
    end_run(&scene, false); /* a signal of the user */
    expect_repetitions(&scene, 0, 0, 0);
    begin_run(&scene, 2, 1);
    do_test(&scene, 0, 1, &cut);
    end_run(&scene, true);
    expect_repetitions(&scene, 0, 0, 40);
    begin_run(&scene, 3, 2);
    do_test(&scene, 0, 1, NULL);
    end_run(&scene, true);
    expect_repetitions(&scene, 1, 0, 0);
    close_plan(&scene);
}

static void torn_last_line_does_not_count(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);
    struct weir_text torn = {0};

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    weir_text_add(&torn, "{\"record\":\"phase\",\"run_id\":\"0000000000000001\",\"outco");
    append(&torn);
    expect(&scene, "1000", TESTS, 1);
    close_plan(&scene);
}

static void other_plans_and_other_ranks_are_refused(void **state)
{
    struct scene scene = open_plan(NULL, WEIR_STEP_REPEAT);
    struct weir_resumption resumption;

    (void)state;
    begin_run(&scene, 1, 0);
    do_test(&scene, 0, ROUNDS, NULL);
    assert_int_not_equal(look(&scene, RANKS + 1, &resumption), 0);
    weir_resumption_close(&resumption);
    snprintf(scene.plan->id, sizeof scene.plan->id, "fedcba9876543210");
    assert_int_not_equal(look(&scene, RANKS, &resumption), 0);
    weir_resumption_close(&resumption);
    begin_run(&scene, 2, 0);
    snprintf(scene.plan->id, sizeof scene.plan->id, "0123456789abcdef");
    expect(&scene, "1000", TESTS, 1); /* the other one is the last */
    close_plan(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_kept_of_no_file_and_of_no_run),
        cmocka_unit_test(test_alone_is_finished_with_its_last_round),
        cmocka_unit_test(phase_that_was_cut_or_failed_is_not_finished),
        cmocka_unit_test(step_of_a_sweep_is_kept_with_all_its_tests_or_not_at_all),
        cmocka_unit_test(tests_that_need_files_of_each_other_are_one_step),
        cmocka_unit_test(loop_until_a_time_has_ended_when_the_run_went_on),
        cmocka_unit_test(removal_without_a_record_has_ended_when_the_run_went_on),
        cmocka_unit_test(run_that_went_on_with_another_has_what_that_one_finished),
        cmocka_unit_test(repetitions_of_a_test_that_was_cut_are_kept),
        cmocka_unit_test(repetitions_that_depend_on_one_another_are_not_kept),
        cmocka_unit_test(time_that_a_run_has_lost_is_found),
        cmocka_unit_test(torn_last_line_does_not_count),
        cmocka_unit_test(other_plans_and_other_ranks_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
