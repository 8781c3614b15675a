/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions against runs: which phases they hold for, medians, verdicts, and what is refused
 * before a run. */
#include "report_scenes.h"

#include "weir/report/expect.h"

#include <math.h>

#define MEGA 1000000.0

/* Three writes of 50, 100 and 60 MB/s, and a read of 200 MB/s. */
static struct scene make_scene(void)
{
    struct scene scene = SCENE_OPEN("weir", "ior");
    struct weir_test *test = scene_test(&scene, 2, "/x/f");
    const struct weir_target *target = scene_target(&scene, "/x/f", true);
    const struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    const struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    static const double rates[] = {50, 100, 60};

    test->repetitions = 3;
    for (unsigned i = 0; i < 3; i++) {
        struct scene_row row = usual_row;

        row.total_s = (double)row.bytes / (rates[i] * MEGA);
        scene_done(&scene, test, write, i, row);
    }
    {
        struct scene_row row = usual_row;

        row.total_s = (double)row.bytes / (200 * MEGA);
        scene_done(&scene, test, read, 0, row);
    }
    return scene;
}

static const struct weir_expectations *judge(struct scene *scene, const char *conditions)
{
    scene->plan->output.expect = conditions;
    return weir_expect_judge(&scene->result->arena, scene->plan, scene->result);
}

static void assert_judged(struct scene *scene, const char *condition, bool holds, unsigned cases)
{
    const struct weir_expectations *all = judge(scene, condition);

    if (all->count != 1 || all->rows[0].holds != holds || all->rows[0].case_count != cases)
        fail_msg("%s: %s with %u cases", condition, all->rows[0].holds ? "holds" : "does not hold",
                 all->rows[0].case_count);
    assert_int_equal(all->failed == NULL, holds);
}

static void the_median_over_repetitions_counts(void **state)
{
    struct scene scene = make_scene();
    const struct weir_expectations *all = judge(&scene, "write.rate >= 59MB/s");

    assert_int_equal(all->rows[0].case_count, 1);
    assert_int_equal(all->rows[0].cases[0].count, 3);
    assert_true(fabs(all->rows[0].cases[0].value - 60 * MEGA) < 1);
    assert_string_equal(all->rows[0].cases[0].text,
                        "write 60 MB/s, median of 3, 50 MB/s to 100 MB/s");
    assert_judged(&scene, "write.rate >= 59MB/s", true, 1);
    assert_judged(&scene, "write.rate >= 61MB/s", false, 1);
    assert_judged(&scene, "write.rate <= 61MB/s", true, 1);
    scene_close(&scene);
}

static void without_a_phase_all_that_have_the_figure_count(void **state)
{
    struct scene scene = make_scene();

    assert_judged(&scene, "rate >= 59MB/s", true, 2);
    assert_judged(&scene, "rate >= 61MB/s", false, 2);
    assert_judged(&scene, "READ.rate >= 61MB/s", true, 1);
    assert_judged(&scene, "errors = 0", true, 2);
    /* No phase has it: eight operations are too few, and no phase was read from a cache. */
    assert_judged(&scene, "p999 <= 1h", false, 0);
    assert_judged(&scene, "read.p999 <= 1h", false, 1);
    scene_close(&scene);
}

static void the_worst_verdict_of_the_repetitions_decides(void **state)
{
    static const bool passes[WEIR_BELIEVED_COUNT] = {
        [WEIR_BELIEVED_OK] = true, [WEIR_BELIEVED_CAUTION] = true};

    for (unsigned believed = 0; believed < WEIR_BELIEVED_COUNT; believed++) {
        struct scene scene = make_scene();

        scene.result->phases[1].believed = believed;
        assert_judged(&scene, "write.rate >= 1MB/s", passes[believed], 1);
        assert_judged(&scene, "read.rate >= 1MB/s", true, 1);
        scene.plan->output.allows_unverified = true;
        assert_judged(&scene, "write.rate >= 1MB/s",
                      passes[believed] || believed == WEIR_BELIEVED_UNVERIFIED, 1);
        scene_close(&scene);
    }
}

static void phases_that_did_not_run_fulfil_nothing(void **state)
{
    struct scene scene = make_scene();

    scene.result->phase_count = 3;
    assert_judged(&scene, "write.rate >= 1MB/s", true, 1);
    assert_judged(&scene, "read.rate >= 1MB/s", false, 1);
    assert_judged(&scene, "rate >= 1MB/s", false, 2);
    assert_string_equal(judge(&scene, "read.rate >= 1MB/s")->rows[0].cases[0].text,
                        "read did not run");
    scene_close(&scene);
}

static void a_run_that_was_cut_fulfils_nothing(void **state)
{
    struct scene scene = make_scene();

    for (unsigned cut = 0; cut < 4; cut++) {
        const struct weir_expectations *all;

        scene.result->is_interrupted = cut == 1;
        scene.result->lost_records = cut == 2;
        scene.result->exit_code = cut == 3 ? WEIR_EXIT_ENVIRONMENT : WEIR_EXIT_DONE;
        assert_judged(&scene, "write.rate >= 1MB/s", cut == 0, 1);
        all = judge(&scene, "read.rate >= 1MB/s");
        assert_int_equal(all->rows[0].cases[0].believed,
                         cut > 0 ? WEIR_BELIEVED_PARTIAL : WEIR_BELIEVED_OK);
        assert_string_equal(all->rows[0].text,
                            cut > 0 ? "read 200 MB/s, and the run is PARTIAL" : "read 200 MB/s");
        assert_true(all->verdicts.cases[0].holds); /* its own is that of the phase */
    }
    scene_close(&scene);
}

static void a_value_is_printed_on_its_side_of_the_limit(void **state)
{
    static const struct {
        const char *condition;
        double seconds; /* of 1 GB */
        const char *text;
    } cases[] = {
        {"rate >= 1GB/s", 1.00004, "999.96 MB/s"},
        {"rate >= 1GB/s", 1, "1 GB/s"},
        {"rate > 1GB/s", 1, "1 GB/s"},
        {"rate >= 2GB/s", 1.00004, "1000 MB/s"},
        {"rate >= 1GiB/s", 1, "953.7 MiB/s"},
        {"rate <= 1MB/s", 999.99999, "1.00000001 MB/s"},
        {"rate < 1B/s", 1e10, "0.1 B/s"},
        {"time <= 5ms", 0.00500004, "5.00004 ms"},
        {"time <= 5ms", 0.005, "5 ms"},
        {"time <= 1s", 0.00325, "3.25 ms"},
        {"time <= 1s", 90, "90 s"},
        {"bytes >= 1GiB", 1, "953.7 MiB"},
        {"operations = 7", 1, "8"},
        {"errors = 0", 1, "0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene = make_scene();
        struct weir_phase_result *read = &scene.result->phases[3];
        const struct weir_expectations *all;
        char *condition = weir_arena_printf(&scene.result->arena, "read.%s", cases[i].condition);

        read->byte_count = UINT64_C(1000000000);
        read->op_count = 8;
        read->windows.total_s = cases[i].seconds;
        all = judge(&scene, condition);
        if (strcmp(all->rows[0].text + strlen("read "), cases[i].text) != 0)
            fail_msg("%s: %s and not %s", condition, all->rows[0].text, cases[i].text);
        scene_close(&scene);
    }
}

static void a_quantile_is_one_of_each_repetition(void **state)
{
    struct scene scene = make_scene();
    const char *text;

    for (unsigned i = 0; i < 3; i++) {
        scene.result->phases[i].latency =
            weir_arena_take(&scene.result->arena, sizeof(struct weir_histogram));
        weir_histogram_reset(scene.result->phases[i].latency);
        for (unsigned k = 0; k < 1000; k++)
            weir_histogram_add(scene.result->phases[i].latency, 1000000 * (i + 1));
    }
    text = judge(&scene, "write.p99 <= 5ms")->rows[0].text;
    if (strstr(text, ", median of 3 values of p99, ") == NULL)
        fail_msg("%s", text);
    scene_close(&scene);
}

static void lines_end_with_what_failed(void **state)
{
    struct scene scene = make_scene();
    struct weir_text text = {0};
    const struct weir_expectations *all =
        judge(&scene, "write.rate >= 1GiB/s, read.rate >= 1MB/s, errors = 0");
    struct weir_error error = {0};

    weir_expect_add_lines(&text, all);
    assert_string_equal(
        weir_text_string(&text),
        "weir  expect pass  read.rate >= 1MB/s: read 200 MB/s\n"
        "weir  expect pass  errors = 0: write 0, median of 3, 0 to 0 (the worst of 2 phases)\n"
        "weir  expect FAIL  write.rate >= 1GiB/s: write 57.22 MiB/s, median of 3, 47.68 MiB/s to "
        "95.37 MiB/s\n");
    weir_expect_fail(all, &error);
    assert_true(weir_text_begins(error.text, "--expect: write.rate >= 1GiB/s: write 57.22 MiB/s"));
    assert_int_equal(error.exit, WEIR_EXIT_FLAWED);
    weir_text_close(&text);
    scene_close(&scene);
}

static void what_cannot_be_measured_is_refused_before_the_run(void **state)
{
    static const struct {
        const char *condition, *says;
    } cases[] = {
        {"speed >= 1", "there is no figure \"speed\""},
        {"ratee >= 1", "did you mean rate?"},
        {"rate >= 5ms", "\"5ms\" is no value of rate; give one such as 1GB/s"},
        {"p99 <= 5GB/s", "\"5GB/s\" is no value of p99"},
        {"create.rate >= 1GB/s", "there is no phase \"create\"; the plan has write,read"},
        {"response_p99 <= 1ms", "no such phase of the plan measures response_p99"},
        {"write_p99 <= 1ms", "no such phase of the plan measures write_p99"},
        {"stonewall_rate >= 1GB/s", "no such phase of the plan measures stonewall_rate"},
        {"retransmits = 0", "no such phase of the plan measures retransmits"},
        {"write.cached <= 0", "no such phase of the plan measures cached"},
        {"read.dirty <= 0", "no such phase of the plan measures dirty"},
        {"wrong = 0", "no such phase of the plan measures wrong"},
        {"rate >= 1GB/s, p99", "is no condition"},
    };
    struct scene scene = make_scene();
    struct weir_error none = {0};
    struct weir_phase *read = scene.plan->tests[0]->phases[1];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};

        assert_true(weir_expect_check(cases[i].condition, scene.plan, "--expect", &error) < 0);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        if (strstr(error.text, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].condition, error.text);
    }
    assert_int_equal(weir_expect_check("write.rate >= 1GB/s, Read.p99 <= 5ms, errors = 0",
                                       scene.plan, "--expect", &none),
                     0);
    assert_int_equal(weir_expect_check(NULL, scene.plan, "--expect", &none), 0);
    read->transfers.must_verify = true;
    read->rate.per_s = 10;
    read->stop.deadline_ns = 10;
    assert_int_equal(weir_expect_check("wrong = 0, read.cached <= 0, write.dirty <= 0, "
                                       "read.response_p99 <= 1s, stonewall_rate > 0",
                                       scene.plan, "--expect", &none),
                     0);
    read->is_check = true;
    assert_int_equal(
        weir_expect_check("wrong = 0, check.errors = 0", scene.plan, "--expect", &none), 0);
    assert_true(weir_expect_check("check.rate >= 1MB/s", scene.plan, "--expect", &none) < 0);
    scene_close(&scene);
}

static void a_run_without_conditions_has_none(void **state)
{
    struct scene scene = make_scene();

    assert_int_equal(judge(&scene, NULL)->count, 0);
    assert_int_equal(judge(&scene, "figure_of_another_version >= 1")->count, 0);
    assert_int_equal(judge(&scene, NULL)->verdicts.case_count, 2);
    scene_close(&scene);
}

/* ---- the syntax ---- */

static void conditions_are_parsed_with_and_without_a_phase(void **state)
{
    enum { BELOW = 1, EQUAL = 2, ABOVE = 4 };
    static const struct {
        const char *text, *phase, *figure;
        double limit;
        unsigned accepts;
    } cases[] = {
        {"write.rate >= 100GB/s", "write", "rate", 100e9, EQUAL | ABOVE},
        {"p99<=5ms", NULL, "p99", 5e-3, BELOW | EQUAL},
        {"  File creation.ops > 20k/s ", "File creation", "ops", 20000, ABOVE},
        {"errors = 0", NULL, "errors", 0, EQUAL},
        {"errors == 0", NULL, "errors", 0, EQUAL},
        {"cached < 1%", NULL, "cached", 0.01, BELOW},
        {"wrong != 1", NULL, "wrong", 1, BELOW | ABOVE},
        {"io.v1.p50 < 1ms", "io.v1", "p50", 1e-3, BELOW},
    };
    struct weir_condition *conditions;
    struct weir_arena arena = {0};
    struct weir_error error = {0};
    unsigned count;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            weir_conditions_parse(cases[i].text, &arena, &conditions, &count, "x", &error), 0);
        assert_int_equal(count, 1);
        assert_int_equal(conditions->phase == NULL, cases[i].phase == NULL);
        if (cases[i].phase != NULL)
            assert_string_equal(conditions->phase, cases[i].phase);
        assert_string_equal(conditions->figure, cases[i].figure);
        assert_true(fabs(conditions->limit - cases[i].limit) <= 1e-12 * cases[i].limit);
        assert_int_equal(conditions->accepts, cases[i].accepts);
    }
    assert_int_equal(weir_conditions_parse("write.rate >= 1GB/s, p99 <= 5ms\nerrors = 0", &arena,
                                           &conditions, &count, "x", &error),
                     0);
    assert_int_equal(count, 3);
    assert_string_equal(conditions[1].text, "p99 <= 5ms");
    assert_string_equal(conditions[2].figure, "errors");
    weir_arena_close(&arena);
}

static void other_words_are_refused_with_the_condition(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "a condition is missing"},
        {"rate > 1kB/s,", "a condition is missing"},
        {",rate > 1kB/s", "a condition is missing"},
        {"rate", "\"rate\" is no condition"},
        {"rate 5GB/s", "is no condition"},
        {"rate ! 5", "is no condition"},
        {">= 5", "no figure \"\""},
        {"write. >= 5", "no figure \"\""},
        {".rate >= 5", "a phase is missing"},
        {"rate >=", "\"\" is no value"},
        {"rate => 5", "\"> 5\" is no value"},
        {"1ms < p99 < 5ms", "no figure \"1ms\""},
    };
    struct weir_condition *conditions;
    struct weir_arena arena = {0};
    struct weir_text many = {0};
    struct weir_error full = {0};
    unsigned count;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_error error = {0};

        assert_true(weir_conditions_parse(cases[i].text, &arena, &conditions, &count, "x", &error) <
                    0);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        if (strstr(error.text, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].text, error.text);
    }
    for (unsigned i = 0; i < 1001; i++)
        weir_text_add(&many, "%serrors = 0", i > 0 ? "," : "");
    assert_true(weir_conditions_parse(many.data, &arena, &conditions, &count, "x", &full) < 0);
    assert_non_null(strstr(full.text, "more than 1000"));
    weir_text_close(&many);
    weir_arena_close(&arena);
}

static void values_have_the_units_of_options(void **state)
{
    static const struct {
        const char *text, *unit;
        double value;
    } cases[] = {
        {"100GB/s", "bytes/s", 100e9},
        {"5.5 GiB/s", "bytes/s", 5.5 * 1073741824},
        {"200k", "bytes/s", 200e3},
        {"1B/s", "bytes/s", 1},
        {"0", "bytes/s", 0},
        {"20000", "1/s", 20000},
        {"20k/s", "1/s", 20000},
        {"1.5M", "1/s", 1.5e6},
        {"2Ki/s", "1/s", 2048},
        {"5ms", "s", 5e-3},
        {"250us", "s", 250e-6},
        {"800ns", "s", 800e-9},
        {"1.5h", "s", 5400},
        {"2", "s", 2},
        {"4k", "bytes", 4096},
        {"1GiB", "bytes", 1073741824},
        {"0", "1", 0},
        {"10k", "1", 10240},
        {"50%", "1", 0.5},
        {"0.25", "1", 0.25},
        {"2.5%", "1", 0.025},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;

        if (weir_condition_value(cases[i].text, cases[i].unit, &value) != 0)
            fail_msg("%s is refused as %s", cases[i].text, cases[i].unit);
        if (fabs(value - cases[i].value) > 1e-12 * cases[i].value)
            fail_msg("%s is %g and not %g", cases[i].text, value, cases[i].value);
    }
}

static void values_of_other_units_are_refused(void **state)
{
    static const struct {
        const char *texts, *unit;
    } cases[] = {
        {"100 5ms GB/s -1GB/s nan inf 1e9 0x10GB/s 1GB/h 1gbit/s 1iB/s", "bytes/s"},
        {"20kB/s 5ms -1 nan 1/s/s k", "1/s"},
        {"5GB/s 5k -5ms ms nan 1:30 %", "s"},
        {"1.5 5ms 1GB/s -1", "bytes"},
        {"5ms 50%% % 1GB/s -1 nan . 1..5 12345678901234567890123456789012345678901%", "1"},
    };
    double value;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (const char *at = cases[i].texts; *at != '\0';) {
            char text[64];
            size_t length = strcspn(at, " ");

            snprintf(text, sizeof text, "%.*s", (int)length, at);
            if (weir_condition_value(text, cases[i].unit, &value) >= 0)
                fail_msg("%s is taken as %s", text, cases[i].unit);
            at += length + (at[length] == ' ');
        }
}

static void exit_codes_have_one_order(void **state)
{
    static const enum weir_exit order[] = {WEIR_EXIT_USAGE,         WEIR_EXIT_ENVIRONMENT,
                                           WEIR_EXIT_MISSING_CASES, WEIR_EXIT_FLAWED,
                                           WEIR_EXIT_UNFINISHED,    WEIR_EXIT_DONE};

    for (unsigned i = 0; i < WEIR_EXIT_COUNT; i++)
        for (unsigned k = i; k < WEIR_EXIT_COUNT; k++) {
            assert_int_equal(weir_exit_worse(order[i], order[k]), order[i]);
            assert_int_equal(weir_exit_worse(order[k], order[i]), order[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_over_repetitions_counts),
        cmocka_unit_test(without_a_phase_all_that_have_the_figure_count),
        cmocka_unit_test(the_worst_verdict_of_the_repetitions_decides),
        cmocka_unit_test(phases_that_did_not_run_fulfil_nothing),
        cmocka_unit_test(a_run_that_was_cut_fulfils_nothing),
        cmocka_unit_test(a_value_is_printed_on_its_side_of_the_limit),
        cmocka_unit_test(a_quantile_is_one_of_each_repetition),
        cmocka_unit_test(lines_end_with_what_failed),
        cmocka_unit_test(what_cannot_be_measured_is_refused_before_the_run),
        cmocka_unit_test(a_run_without_conditions_has_none),
        cmocka_unit_test(conditions_are_parsed_with_and_without_a_phase),
        cmocka_unit_test(other_words_are_refused_with_the_condition),
        cmocka_unit_test(values_have_the_units_of_options),
        cmocka_unit_test(values_of_other_units_are_refused),
        cmocka_unit_test(exit_codes_have_one_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
