/* SPDX-License-Identifier: Apache-2.0 */
/* The file with the figures of each rank: what stands in a line, and which phases have lines. */
#include "report_cases.h"

static const struct weir_rank_row rank_rows[] = {
    /* opened for 1 ms, moved for 8 ms of which 1 ms went into data, closed for 2 ms */
    {.stamps_ns = {0, 1000000, 1000000, 9000000, 9000000, 11000000},
     .byte_count = 4 * MIB,
     .data_ns = 1000000},
    /* found its part missing */
    {.stamps_ns = {5, 5, 5, 5, 5, 5}},
};

static void assert_lines(struct scene *scene, const struct weir_phase_result *phase,
                         const char *lines)
{
    struct weir_text text = {0};
    struct weir_rank_csv held = {0};

    weir_rank_csv_add(&held, &text, scene->plan, phase);
    weir_rank_csv_end(&held, &text, scene->plan, phase->test);
    assert_string_equal(weir_text_string(&text), lines);
    weir_text_close(&text);
}

static void a_line_tells_what_its_rank_moved_and_how_long_it_took(void **state)
{
    struct scene scene = make_default();

    (void)state;
    scene.result->phases[0].rows = rank_rows;
    assert_lines(
        &scene, &scene.result->phases[0],
        "write,0,1.1000000000e-02,8.0000000000e-03,3.8130036364e+08,5.2428800000e+08,OK,\n"
        "write,1,0.0000000000e+00,0.0000000000e+00,0.0000000000e+00,0.0000000000e+00,OK,\n");
    scene_close(&scene);
}

static void the_header_is_that_of_the_sample(void **state)
{
    struct scene scene = make_default();
    struct weir_text sample = {0};

    (void)state;
    scene.plan->output.is_plain = true;
    scene_load(scene_golden("samples/ior-csv-side-files.txt"), &sample);
    assert_non_null(strstr(weir_text_string(&sample), weir_rank_csv_header(scene.plan, 0)));
    weir_text_close(&sample);
    scene_close(&scene);
}

static void only_phases_of_the_table_have_lines(void **state)
{
    struct scene scene = make_own_files_checked();
    struct weir_phase_result *phases = scene.result->phases;

    (void)state;
    assert_lines(&scene, &phases[0], ""); /* its rows are gone */
    for (unsigned i = 0; i < scene.result->phase_count; i++)
        phases[i].rows = rank_rows;
    assert_lines(&scene, &phases[1], ""); /* a check */
    assert_lines(&scene, &phases[3], ""); /* the removal */
    phases[2].outcome = WEIR_OUTCOME_SKIPPED;
    assert_lines(&scene, &phases[2], "");
    scene.plan->tests[0]->phases[0]->is_prefill = true;
    assert_lines(&scene, &phases[0], "");
    scene_close(&scene);
}

static void lines_of_a_mixed_phase_say_so(void **state)
{
    struct scene scene = make_default();

    (void)state;
    scene.plan->tests[0]->phases[0]->verb = WEIR_MIXED;
    scene.result->phases[0].rank_count = 1;
    scene.result->phases[0].rows = rank_rows;
    assert_lines(
        &scene, &scene.result->phases[0],
        "mixed,0,1.1000000000e-02,8.0000000000e-03,3.8130036364e+08,5.2428800000e+08,OK,\n");
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_tells_what_its_rank_moved_and_how_long_it_took),
        cmocka_unit_test(the_header_is_that_of_the_sample),
        cmocka_unit_test(lines_of_a_mixed_phase_say_so),
        cmocka_unit_test(only_phases_of_the_table_have_lines),
    };

    return cmocka_run_group_tests_name("rank_csv", tests, NULL, NULL);
}
