/* SPDX-License-Identifier: Apache-2.0 */
/* Our block, where it tells of what few tests have: packages, remarks, prefills, outliers. */
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
    static const char *const lines[] = {"what to know\n",
                                        "weir       0             -x means nothing here\n",
                                        "weir       0             nor does?-y\n"};
    struct scene scene = make_repetitions_on_two_nodes();

    (void)state;
    scene.plan->tests[0]->remarks = remarks;
    scene.plan->tests[0]->remark_count = 2;
    assert_block(&scene, lines, 3);
}

static void a_prefill_is_told_from_the_write(void **state)
{
    static const char *const lines[] = {"weir       0    0 fill    failed: no space\n",
                                        "weir       0    0 read "};
    struct scene scene = make_default();
    struct weir_phase_result *done = &scene.result->phases[0];

    (void)state;
    scene.plan->tests[0]->phases[0]->is_prefill = true;
    scene.result->phases[1].latency->total = 0;
    snprintf(done->failure, sizeof done->failure, "no space");
    assert_block(&scene, lines, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_path_of_a_mismatch_leaves_the_package_open),
        cmocka_unit_test(an_own_directory_stands_behind_the_package),
        cmocka_unit_test(a_long_path_hides_nothing_behind_it),
        cmocka_unit_test(remarks_are_told_once_for_a_test),
        cmocka_unit_test(a_prefill_is_told_from_the_write),
    };

    return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
