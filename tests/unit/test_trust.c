/* SPDX-License-Identifier: Apache-2.0 */
/* Our block, where it tells of what few tests have: packages, remarks, prefills, outliers,
 * queues and open loops. */
#include "report_cases.h"

static void assert_block(struct scene *scene, const char *const lines[], size_t count)
{
    struct weir_text block = {0};

    weir_report_trust(&block, scene->plan, scene->result);
    for (size_t i = 0; i < count; i++) {
        const char *line = strstr(weir_text_string(&block), lines[i]);

        if (!line)
            fail_msg("\"%s\" is missing in\n%s", lines[i], weir_text_string(&block));
        assert_null(strstr(line + 1, lines[i]));
    }
    weir_text_close(&block);
    scene_close(scene);
}

/* Which package wrote it is not known: a star stands for its number. */
static void the_path_of_a_mismatch_leaves_the_package_open(void **state)
{
    static const char *const line[] = {"/mnt*/data.00000000.0, offset 4194304: misplaced"};
    static const char *const paths[] = {"/mnt"};
    static const struct weir_target target = {.paths = paths,
                                              .path_count = 1,
                                              .has_package_directory = true,
                                              .is_new_each_repetition = true};
    struct scene scene = make_mismatches();

    (void)state;
    scene.plan->tests[0]->phases[1]->target = &target;
    assert_block(&scene, line, 1);
}

static void an_own_directory_stands_behind_the_package(void **state)
{
    static const char *const line[] = {"/mnt*/0/data.00000000, offset 4194304: misplaced"};
    static const char *const paths[] = {"/mnt"};
    static const struct weir_target target = {
        .paths = paths, .path_count = 1, .has_package_directory = true, .has_own_directory = true};
    struct scene scene = make_mismatches();

    (void)state;
    scene.plan->tests[0]->phases[1]->target = &target;
    assert_block(&scene, line, 1);
}

/* What is wrong stands behind the path, and must not be cut off with it. */
static void a_long_path_hides_nothing_behind_it(void **state)
{
    static const char *const line[] = {"x, offset 4194304: misplaced"};
    static char path[3000];
    static const char *const paths[] = {path};
    static const struct weir_target target = {.paths = paths, .path_count = 1, .is_shared = true};
    struct scene scene = make_mismatches();

    (void)state;
    memset(path, 'x', sizeof path - 1);
    scene.plan->tests[0]->phases[1]->target = &target;
    assert_block(&scene, line, 1);
}

static void remarks_are_told_once_for_a_test(void **state)
{
    static const char *const remarks[] = {"-x means nothing here", "nor does\n-y"};
    static const char *const lines[] = {"what to know\n", "weir  -x means nothing here\n",
                                        "weir  nor does?-y\n"};
    struct scene scene = make_repetitions_on_two_nodes();

    (void)state;
    scene.plan->tests[0]->remarks = remarks;
    scene.plan->tests[0]->remark_count = 2;
    assert_block(&scene, lines, 3);
}

static void the_weightiest_finding_is_first_and_what_it_explains_is_hidden(void **state)
{
    static const char *const lines[] = {"what to know\n",
                                        "weir  warning wrong-data read: 1 of 4\n",
                                        "weir  note resident read: all of it\n",
                                        "weir  warning interrupted read: a signal\n",
                                        "weir  warning steal write: 8 %\n",
                                        "weir  note depth-edge write: 64\n"};
    static const char *const explained[] = {"weir  note short read: 3 ms (because of resident)\n"};
    struct scene scene = make_default();
    struct weir_phase_result *phases = scene.result->phases;
    struct weir_text block = {0};

    (void)state;
    weir_result_find(&phases[0], WEIR_FINDING_DEPTH_EDGE, "64");
    weir_result_find(&phases[0], WEIR_FINDING_STEAL, "8 %%");
    weir_result_find(&phases[1], WEIR_FINDING_SHORT, "3 ms");
    phases[1].findings[0].explained_by = "resident";
    weir_result_find(&phases[1], WEIR_FINDING_INTERRUPTED, "a signal");
    weir_result_find(&phases[1], WEIR_FINDING_RESIDENT, "all of it");
    weir_result_find(&phases[1], WEIR_FINDING_WRONG_DATA, "1 of 4");
    weir_report_trust(&block, scene.plan, scene.result);
    assert_null(strstr(weir_text_string(&block), "short"));
    weir_text_clear(&block);
    weir_report_add_findings(&block, &phases[1]);
    assert_string_equal(weir_text_string(&block), "wrong-data;resident;interrupted");
    weir_text_close(&block);
    scene.plan->output.verbosity = 1;
    assert_block(&scene, explained, 1);
    scene = make_default();
    phases = scene.result->phases;
    weir_result_find(&phases[0], WEIR_FINDING_DEPTH_EDGE, "64");
    weir_result_find(&phases[0], WEIR_FINDING_STEAL, "8 %%");
    weir_result_find(&phases[1], WEIR_FINDING_INTERRUPTED, "a signal");
    weir_result_find(&phases[1], WEIR_FINDING_RESIDENT, "all of it");
    weir_result_find(&phases[1], WEIR_FINDING_WRONG_DATA, "1 of 4");
    assert_block(&scene, lines, sizeof lines / sizeof *lines);
}

/* A line for several phases or repetitions has the numbers of one of them. */
static void numbers_of_a_line_for_several_are_those_of_the_first(void **state)
{
    static const char *const lines[] = {"weir  note short write, read: 3 ms (first of 2)\n",
                                        "weir  note depth-edge write, read: 64\n"};
    static const char *const repeated[] = {
        "weir  note short write: 3 ms (first of 3)\n",
        "weir  note depth-edge write, read: 64 -> -e (3 repetitions each)\n"};
    struct scene scene = make_default();
    struct weir_phase_result *phases = scene.result->phases;

    (void)state;
    weir_result_find(&phases[0], WEIR_FINDING_SHORT, "3 ms");
    weir_result_find(&phases[1], WEIR_FINDING_SHORT, "4 ms");
    weir_result_find(&phases[0], WEIR_FINDING_DEPTH_EDGE, "64");
    weir_result_find(&phases[1], WEIR_FINDING_DEPTH_EDGE, "64");
    assert_block(&scene, lines, 2);
    scene = make_repetitions_on_two_nodes();
    phases = scene.result->phases;
    for (unsigned i = 0; i < scene.result->phase_count; i++) {
        phases[i].finding_count = 0;
        if (phases[i].phase == 0)
            weir_result_find(&phases[i], WEIR_FINDING_SHORT, "%u ms", 3 + phases[i].repetition);
        /* The remedies of an earlier run that is resumed are spelt already. */
        weir_result_find(&phases[i], WEIR_FINDING_DEPTH_EDGE, "64 -> %s",
                         phases[i].repetition == 0 ? "-e" : WEIR_REMEDY_SYNC);
    }
    assert_block(&scene, repeated, 2);
}

static void a_prefill_is_told_from_the_write(void **state)
{
    static const char *const lines[] = {"weir  warning failed fill: no space\n",
                                        "weir       0    0 read "};
    struct scene scene = make_default();
    struct weir_phase_result *done = &scene.result->phases[0];

    (void)state;
    scene.plan->tests[0]->phases[0]->is_prefill = true;
    scene.result->phases[1].latency->total = 0;
    done->failure = "no space";
    assert_block(&scene, lines, 2);
}

static void a_mixed_phase_has_lines_for_its_writes_and_its_reads(void **state)
{
    static const char *const lines[] = {
        "weir       0    1 mixed          8   2.81 ms   2.18 ms                                 "
        "5.17 ms  depth 32, batch 4\n"
        "weir       0    1 mixed          3    100 us   99.8 us                                  "
        "110 us  its writes\n"
        "weir       0    1 mixed          5   22.0 us   21.9 us                                 "
        "24.0 us  its reads\n"
        "weir       0    0 read ",
    };
    struct scene scene = make_mixed();

    (void)state;
    assert_block(&scene, lines, 1);
}

static void an_open_loop_tells_what_was_due_and_what_was_done(void **state)
{
    static const char *const lines[] = {
        ("5.17 ms  from issue, depth 4, batch 1\n"
         "weir       0    0 write          8   2.52 ms   2.44 ms                                 "
         "3.05 ms  from when they were due\n"),
        ("phase      asked/s      done/s asked MiB/s  done MiB/s   waiting   at last   at most\n"
         "weir       0    0 write         32.5        32.0       32.50       32.00         2   "
         "20.0 us    300 us\n"
         "weir       0    0 read        1000.0        32.0     1000.00       32.00         7    "
         "240 ms    241 ms\n"),
        "warning rate-not-sustained read: 32.00 of 1000 transfers/s (1000.0 MiB/s) done, ",
    };
    struct scene scene = make_open_loop();

    (void)state;
    assert_block(&scene, lines, 3);
}

static void a_search_is_told_with_its_curve_and_others_if_they_ended_elsewhere(void **state)
{
    static const char *const lines[] = {
        "phase      depth transfers/s of the best\n"
        "weir       0    0 write          1      9000.0       18.0%\n"
        "weir       0    0 write          2     17500.5       35.0%\n"
        "weir       0    0 write          4     33000.0       66.0%\n"
        "weir       0    0 write          6     49100.0       98.2%  taken\n"
        "weir       0    0 write          8     50000.0      100.0%\n"
        "weir       0    1 write          8                          taken\nweir\n",
    };
    struct scene scene = make_depth_search();

    (void)state;
    assert_block(&scene, lines, 1);
}

static void an_equal_search_is_told_once(void **state)
{
    static const char *const lines[] = {"98.2%  taken\n", "8     50000.0      100.0%\nweir\n"};
    struct scene scene = make_depth_search();

    (void)state;
    scene.result->phases[1].depth = 6;
    assert_block(&scene, lines, 2);
}

/* A search may end differently in each repetition; what was granted differs if limits do. */
static void what_was_granted_is_told_once_unless_it_differs(void **state)
{
    static const char *const lines[] = {
        "what sessions were granted\n"
        "weir       0             ring of 8, single issuer, fixed files\nweir\n"};
    static const char *const both[] = {
        "what sessions were granted\n"
        "weir       0             ring of 8, single issuer, fixed files\n"
        "weir       0             ring of 4\nweir\n"};
    struct scene scene = make_depth_search();

    (void)state;
    assert_block(&scene, lines, 1);
    scene = make_depth_search();
    scene.result->phases[1].granted = "ring of 4";
    assert_block(&scene, both, 1);
}

/* Older results do not tell it, and dry runs move nothing. */
static void processor_time_that_is_not_known_is_a_dash(void **state)
{
    static const char *const lines[] = {"12.5%     700.60   1.17 ms  1 on",
                                        "12.5%    2802.41         -  1 on"};
    struct scene scene = make_default();

    (void)state;
    scene.result->phases[1].cpu_user_s = scene.result->phases[1].cpu_system_s = 0.0;
    assert_block(&scene, lines, 2);
}

/* Five repetitions, which are told as one. */
static struct scene make_five_open_loops(void)
{
    struct scene scene = make_open_loop();
    const struct weir_test *test = scene.plan->tests[0];

    scene.result->phase_count = 0;
    for (unsigned i = 0; i < 5; i++) {
        struct scene_row row = usual_row;
        struct weir_phase_result *done;

        row.transfer_s = 0.1 * (i + 1);
        done = scene_queued(&scene, test, test->phases[0], i, row);
        done->pace = (struct weir_pace_result){40.0, 0.1, 0.001 * i, 0.002 * i, 10 * i};
        done->response = scene_histogram(&scene, 1000000 * (i + 1), 0, 8);
    }
    return scene;
}

static void many_open_loops_are_told_by_their_means_and_their_worst(void **state)
{
    static const char *const lines[] = {
        /* 8 in 0.3 s, which is the mean */
        "weir       0  all write         40.0        26.7       40.00       26.67        40   "
        "4.00 ms   8.00 ms\n",
        "  from issue, depth 4, batch 1\n"
        "weir       0  all write         40   3.00 ms   3.00 ms   5.00 ms                       "
        "5.00 ms  from when they were due\n",
    };
    static const char *const unequal[] = {"  from issue\n"};
    struct scene scene = make_five_open_loops();

    (void)state;
    assert_block(&scene, lines, 2);
    scene = make_five_open_loops();
    scene.result->phases[2].depth = 5;
    assert_block(&scene, unequal, 1);
}

static void many_mixed_phases_are_told_with_all_their_writes_and_reads(void **state)
{
    static const char *const lines[] = {
        "  depth 32, batch 4\n"
        "weir       0  all mixed         10   2.00 ms   2.01 ms   3.00 ms                       "
        "3.00 ms  its writes\n"
        "weir       0  all mixed         10   6.00 ms   6.00 ms   6.98 ms                       "
        "7.00 ms  its reads\n",
    };
    struct scene scene = make_mixed();
    const struct weir_test *test = scene.plan->tests[0];

    (void)state;
    scene.result->phase_count = 0;
    for (unsigned i = 0; i < 5; i++) {
        struct weir_phase_result *done = scene_queued(&scene, test, test->phases[1], i, usual_row);

        done->write_latency = scene_histogram(&scene, 1000000 + 500000 * i, 0, 2);
        done->read_latency = scene_histogram(&scene, 5000000 + 500000 * i, 0, 2);
    }
    assert_block(&scene, lines, 1);
}

/* A least time goes through the layout again; before, this was "8388608 of 4194304 bytes". */
static void a_cut_phase_that_went_round_is_not_said_to_have_moved_more_than_all(void **state)
{
    static const char *const line[] = {"warning partial write: 8388608 bytes were moved, the "
                                       "4194304 of the layout more than once\n"};
    struct scene scene = make_default();

    (void)state;
    scene.result->phases[0].outcome = WEIR_OUTCOME_PARTIAL;
    scene.result->phases[0].byte_count = 8388608;
    scene.result->phases[0].expected_bytes = 4194304;
    assert_block(&scene, line, 1);
}

static void a_run_that_was_given_up_says_so(void **state)
{
    static const char *const line[] = {"the run was aborted by --give-up: rank 1 on host n2"};
    struct scene scene = make_default();

    (void)state;
    scene.result->given_up = "rank 1 on host n2 has not moved";
    assert_block(&scene, line, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_of_a_mismatch_leaves_the_package_open),
        cmocka_unit_test(an_own_directory_stands_behind_the_package),
        cmocka_unit_test(a_long_path_hides_nothing_behind_it),
        cmocka_unit_test(remarks_are_told_once_for_a_test),
        cmocka_unit_test(the_weightiest_finding_is_first_and_what_it_explains_is_hidden),
        cmocka_unit_test(numbers_of_a_line_for_several_are_those_of_the_first),
        cmocka_unit_test(a_prefill_is_told_from_the_write),
        cmocka_unit_test(a_mixed_phase_has_lines_for_its_writes_and_its_reads),
        cmocka_unit_test(an_open_loop_tells_what_was_due_and_what_was_done),
        cmocka_unit_test(a_search_is_told_with_its_curve_and_others_if_they_ended_elsewhere),
        cmocka_unit_test(an_equal_search_is_told_once),
        cmocka_unit_test(what_was_granted_is_told_once_unless_it_differs),
        cmocka_unit_test(a_cut_phase_that_went_round_is_not_said_to_have_moved_more_than_all),
        cmocka_unit_test(a_run_that_was_given_up_says_so),
        cmocka_unit_test(processor_time_that_is_not_known_is_a_dash),
        cmocka_unit_test(many_mixed_phases_are_told_with_all_their_writes_and_reads),
        cmocka_unit_test(many_open_loops_are_told_by_their_means_and_their_worst),
    };

    return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
