/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of results made by hand against the texts in tests/golden/report. WEIR_BLESS=1 writes the
 * texts anew. */
#include "report_cases.h"

#include <jansson.h>
#include <time.h>

/* ---- golden texts ---- */

/* A new version of the program is no new text. */
static void mask_version(struct weir_text *masked, const char *text)
{
    static const char *const places[] = {
        "+weir-" WEIR_VERSION,
        "version " WEIR_VERSION,
        "\"weir\":\"" WEIR_VERSION,
        "\"version\": \"" WEIR_VERSION,
    };

    while (*text) {
        size_t length = 0;

        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (strncmp(text, places[i], strlen(places[i])) == 0)
                length = strlen(places[i]);
        if (length == 0) {
            weir_text_add_bytes(masked, text++, 1);
            continue;
        }
        weir_text_add_bytes(masked, text, length - strlen(WEIR_VERSION));
        weir_text_add(masked, "VERSION");
        text += length;
    }
}

static void assert_golden(const char *name, const char *suffix, const struct weir_text *text)
{
    struct weir_text expected = {0};
    struct weir_text actual = {0};
    char file[128];

    mask_version(&actual, weir_text_string(text));
    snprintf(file, sizeof file, "report/%s.%s", name, suffix);
    if (getenv("WEIR_BLESS"))
        scene_store(scene_golden(file), weir_text_string(&actual));
    scene_load(scene_golden(file), &expected);
    assert_string_equal(weir_text_string(&actual), weir_text_string(&expected));
    weir_text_close(&expected);
    weir_text_close(&actual);
}

static void reports_are_the_golden_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct weir_text text = {0};

        for (size_t j = 0; j < FORMAT_COUNT; j++) {
            report_as(&text, &scene, formats[j].format);
            assert_golden(scenes[i].name, formats[j].suffix, &text);
        }
        weir_text_clear(&text);
        record_whole(&text, &scene);
        assert_golden(scenes[i].name, "result", &text);
        weir_text_close(&text);
        scene_close(&scene);
    }
}

/* ---- what holds for all of them ---- */

static void assert_no_line_begins_with_a_result_word(const char *block)
{
    static const char *const words[] = {"read", "write", "remove", "Max", "IOR", "Operation"};

    for (const char *line = block; *line;) {
        const char *end = strchr(line, '\n');
        const char *start = line + strspn(line, " \t");

        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (strncasecmp(start, words[i], strlen(words[i])) == 0)
                fail_msg("a line of the block begins with %s", words[i]);
        assert_non_null(end);
        assert_true(strncmp(line, "weir", 4) == 0);
        assert_true(end == line || end[-1] != ' ');
        line = end + 1;
    }
}

static void our_block_holds_no_line_that_scripts_take_for_results(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct weir_text block = {0};

        weir_report_trust(&block, scene.plan, scene.result);
        assert_true(block.length > 0);
        assert_no_line_begins_with_a_result_word(weir_text_string(&block));
        weir_text_close(&block);
        scene_close(&scene);
    }
}

static void plain_output_and_other_formats_have_no_block(void **state)
{
    struct scene scene = make_default();
    struct weir_text text = {0};

    (void)state;
    scene.plan->output.is_plain = true;
    weir_report_trust(&text, scene.plan, scene.result);
    assert_int_equal(text.length, 0);
    report_as(&text, &scene, WEIR_FORMAT_IOR_JSON);
    assert_null(strstr(weir_text_string(&text), "\"Weir\""));
    scene.plan->output.is_plain = false;
    weir_text_clear(&text);
    scene.plan->output.format = WEIR_FORMAT_IOR_CSV;
    weir_report_trust(&text, scene.plan, scene.result);
    assert_int_equal(text.length, 0);
    weir_text_close(&text);
    scene_close(&scene);
}

static void no_number_is_nan_or_infinite(void **state)
{
    static const char *const words[] = {" nan", " inf", "-nan", "-inf", ",nan", ",inf", ":nan"};

    (void)state;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct weir_text text = {0};

        for (size_t j = 0; j < FORMAT_COUNT; j++) {
            report_as(&text, &scene, formats[j].format);
            for (size_t k = 0; k < sizeof words / sizeof *words; k++)
                assert_null(strstr(weir_text_string(&text), words[k]));
        }
        weir_text_close(&text);
        scene_close(&scene);
    }
}

static void json_is_valid_and_keeps_the_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct weir_text text = {0};
        json_error_t error;
        json_t *json;

        report_as(&text, &scene, WEIR_FORMAT_IOR_JSON);
        json = json_loads(weir_text_string(&text), JSON_REJECT_DUPLICATES, &error);
        assert_non_null(json);
        assert_non_null(json_object_get(json, "Finished"));
        assert_non_null(json_object_get(json, "Weir"));
        if (scenes[i].make == make_odd_name) {
            json_t *test = json_array_get(json_object_get(json, "tests"), 0);

            assert_string_equal(json_string_value(json_object_get(test, "Path")),
                                ODD_NAME "\xef\xbf\xbd");
        }
        json_decref(json);
        weir_text_close(&text);
        scene_close(&scene);
    }
}

/* ---- our block ---- */

static unsigned count_lines(const char *text)
{
    unsigned count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

static unsigned count_places(const char *text, const char *words)
{
    unsigned count = 0;

    for (; (text = strstr(text, words)) != NULL; text++)
        count++;
    return count;
}

/* A hundred writes and reads with the notes that short phases get. */
static struct scene make_a_hundred(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "100", "-w", "-r", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *phases[] = {
        scene_phase(&scene, test, WEIR_WRITE, target, small_layout),
        scene_phase(&scene, test, WEIR_READ, target, small_layout),
    };

    test->repetitions = 100;
    for (unsigned i = 0; i < 200; i++) {
        struct scene_row row = usual_row;
        struct weir_phase_result *done;

        row.transfer_s *= i < 150 ? 1.0 : 2.0;
        done = scene_done(&scene, test, phases[i % 2], i / 2, row);
        done->clock = (struct weir_clock_quality){true, 0.25, 3.5, 1e-6};
        done->order_seed = 17;
        weir_result_find(done, WEIR_NOTE, "short", "the phase took 13 ms");
        weir_result_find(done, WEIR_NOTE, "data-share", "12 %% of the time");
    }
    return scene;
}

static void our_block_is_short_for_a_hundred_repetitions(void **state)
{
    struct scene scene = make_a_hundred();
    struct weir_text block = {0};

    (void)state;
    weir_report_trust(&block, scene.plan, scene.result);
    assert_in_range(count_lines(weir_text_string(&block)), 10, 29);
    assert_int_equal(count_places(weir_text_string(&block), "(alike in 100 repetitions)"), 4);
    /* The fastest of the fast, and the slowest of the slow. */
    assert_non_null(strstr(weir_text_string(&block), "write    11.5 ms   14.8 ms   24.5 ms"));
    assert_non_null(strstr(weir_text_string(&block), "seed of the data 18364758544493064720, "
                                                     "seed of the random order 17\n"));
    weir_text_close(&block);
    scene_close(&scene);
}

static void what_is_wrong_is_told_however_often_it_is_repeated(void **state)
{
    struct scene scene = make_a_hundred();
    struct weir_text block = {0};

    (void)state;
    for (unsigned i = 0; i < 200; i += 2) {
        struct weir_phase_result *done = &scene.result->phases[i];

        snprintf(done->failure, sizeof done->failure, "rank %u failed", i);
        weir_result_find(done, WEIR_WARNING, "failed", "1 operations failed");
    }
    weir_report_trust(&block, scene.plan, scene.result);
    assert_int_equal(count_places(weir_text_string(&block), "  failed: rank "), 100);
    assert_int_equal(count_places(weir_text_string(&block), "  warning failed: "), 100);
    weir_text_close(&block);
    scene_close(&scene);
}

static void drift_is_told_where_it_exceeds_the_error_of_the_clocks(void **state)
{
    struct scene scene = make_default();
    struct weir_text block = {0};
    struct weir_phase_result *done = &scene.result->phases[1];

    (void)state;
    done->wall_s = 10.0;
    done->clock = (struct weir_clock_quality){true, 0.25, 0.09, 1e-6};
    weir_report_trust(&block, scene.plan, scene.result);
    assert_null(strstr(weir_text_string(&block), "drift"));
    weir_text_clear(&block);
    done->clock.drift_ppm = 0.11;
    weir_report_trust(&block, scene.plan, scene.result);
    assert_non_null(strstr(weir_text_string(&block), "offset 250 ms, drift 0.11 ppm\n"));
    weir_text_close(&block);
    scene_close(&scene);
}

static void nothing_that_went_wrong_is_said_twice(void **state)
{
    struct scene scene = make_failed();
    struct weir_text block = {0};

    (void)state;
    weir_report_trust(&block, scene.plan, scene.result);
    assert_int_equal(count_places(weir_text_string(&block), "No space left on device"), 1);
    assert_int_equal(count_places(weir_text_string(&block), "operations"), 1);
    assert_int_equal(count_places(weir_text_string(&block), "short"), 2); /* name and sentence */
    weir_text_close(&block);
    scene_close(&scene);
}

/* ---- phases that failed ---- */

static void a_failed_phase_without_data_has_no_row_and_the_summary_takes_complete_ones(void **state)
{
    struct scene scene = make_failing_repetitions();
    struct weir_text text = {0};

    (void)state;
    report_as(&text, &scene, WEIR_FORMAT_IOR);
    assert_int_equal(count_places(weir_text_string(&text), "\nwrite "), 3);
    /* 8 MiB in 13.2 ms, and no other. */
    assert_non_null(
        strstr(weir_text_string(&text), "\nwrite         606.06     606.06     606.06       0.00"));
    assert_non_null(strstr(weir_text_string(&text), "Max Write: 606.06 MiB/sec"));
    scene.result->phases[0].outcome = WEIR_OUTCOME_PARTIAL;
    report_as(&text, &scene, WEIR_FORMAT_IOR);
    assert_non_null(strstr(weir_text_string(&text), "\nwrite         606.06     227.27"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* ---- results that a damaged file may hold ---- */

static void phases_that_the_plan_does_not_have_are_left_out(void **state)
{
    struct scene whole = make_default();
    struct scene damaged = make_default();
    struct weir_text expected = {0};
    struct weir_text actual = {0};

    (void)state;
    whole.result->phase_count = 0;
    damaged.result->phases[0].phase = 77;
    damaged.result->phases[1].test = 3;
    whole.plan->output.verbosity = damaged.plan->output.verbosity = 2;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        report_as(&expected, &whole, formats[i].format);
        report_as(&actual, &damaged, formats[i].format);
        if (formats[i].format != WEIR_FORMAT_IOR) /* which tells the seeds of all */
            assert_string_equal(weir_text_string(&actual), weir_text_string(&expected));
        assert_null(strstr(weir_text_string(&actual), "\nwrite"));
    }
    weir_text_close(&expected);
    weir_text_close(&actual);
    scene_close(&whole);
    scene_close(&damaged);
}

static void times_out_of_reason_give_finite_numbers(void **state)
{
    static const double times[] = {5e-324, 1e-300, -1.0, 1e308};

    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        struct scene scene = make_repetitions_on_two_nodes();
        struct weir_text text = {0};

        scene.result->begun_s = times[i];
        for (unsigned j = 0; j < scene.result->phase_count; j++) {
            struct weir_phase_result *phase = &scene.result->phases[j];

            phase->begun_s = phase->wall_s = times[i];
            phase->rank_s_mean = phase->rank_s_max = times[i];
            phase->windows = (struct weir_windows){times[i], times[i], times[i], times[i]};
        }
        for (size_t j = 0; j < FORMAT_COUNT; j++) {
            report_as(&text, &scene, formats[j].format);
            assert_null(strstr(weir_text_string(&text), "inf"));
            assert_null(strstr(weir_text_string(&text), "nan"));
        }
        weir_text_close(&text);
        scene_close(&scene);
    }
}

/* ---- the seed of the data ---- */

static void a_drawn_seed_is_told_once_and_a_given_one_before_the_table(void **state)
{
    struct scene scene = make_repetitions_on_two_nodes();
    struct weir_text text = {0};
    const char *line;

    (void)state;
    scene.plan->output.verbosity = 2;
    for (unsigned i = 0; i < scene.result->phase_count; i++)
        scene.result->phases[i].data_seed = 1795219302;
    report_as(&text, &scene, WEIR_FORMAT_IOR);
    assert_int_equal(count_places(weir_text_string(&text), "Using Time Stamp"), 1);
    line = strstr(weir_text_string(&text),
                  "\nUsing Time Stamp 1795219302 (0x6b00df66) for Data Signature\nwrite ");
    assert_non_null(line);
    scene.plan->output.verbosity = 1;
    report_as(&text, &scene, WEIR_FORMAT_IOR);
    assert_null(strstr(weir_text_string(&text), "Using Time Stamp"));
    weir_text_close(&text);
    scene_close(&scene);
}

static void a_negative_seed_comes_back_negative(void **state)
{
    struct scene scene = make_remark();
    struct weir_text text = {0};

    (void)state;
    report_as(&text, &scene, WEIR_FORMAT_IOR_JSON);
    assert_non_null(
        strstr(weir_text_string(&text), "\"setTimeStampSignature/incompressibleSeed\": -2,"));
    weir_text_close(&text);
    scene_close(&scene);
}

static void remark_and_platform_of_the_user_are_repeated(void **state)
{
    struct scene scene = make_remark();
    struct weir_text text = {0};

    (void)state;
    report_as(&text, &scene, WEIR_FORMAT_IOR);
    assert_non_null(strstr(weir_text_string(&text),
                           "\n\n*** DEBUG MODE ***\n*** before the?update ***\n\nOptions: \n"));
    report_as(&text, &scene, WEIR_FORMAT_IOR_JSON);
    assert_non_null(strstr(weir_text_string(&text), "\"debug\": \"before the\\nupdate\""));
    assert_non_null(strstr(weir_text_string(&text), "\"platform\": \"big \xef\xbf\xbd\""));
    weir_text_clear(&text);
    weir_record_test(&text, scene.plan, &scene.result->tests[0]);
    assert_non_null(
        strstr(weir_text_string(&text),
               "\"settings\":{\"setTimeStampSignature\":\"-2\","
               "\"debug\":\"before the\\nupdate\",\"platform\":{\"hex\":\"62696720ff\"}}"));
    weir_text_close(&text);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_the_golden_texts),
        cmocka_unit_test(our_block_holds_no_line_that_scripts_take_for_results),
        cmocka_unit_test(plain_output_and_other_formats_have_no_block),
        cmocka_unit_test(no_number_is_nan_or_infinite),
        cmocka_unit_test(json_is_valid_and_keeps_the_names),
        cmocka_unit_test(our_block_is_short_for_a_hundred_repetitions),
        cmocka_unit_test(what_is_wrong_is_told_however_often_it_is_repeated),
        cmocka_unit_test(drift_is_told_where_it_exceeds_the_error_of_the_clocks),
        cmocka_unit_test(nothing_that_went_wrong_is_said_twice),
        cmocka_unit_test(
            a_failed_phase_without_data_has_no_row_and_the_summary_takes_complete_ones),
        cmocka_unit_test(phases_that_the_plan_does_not_have_are_left_out),
        cmocka_unit_test(times_out_of_reason_give_finite_numbers),
        cmocka_unit_test(a_drawn_seed_is_told_once_and_a_given_one_before_the_table),
        cmocka_unit_test(a_negative_seed_comes_back_negative),
        cmocka_unit_test(remark_and_platform_of_the_user_are_repeated),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
