/* SPDX-License-Identifier: Apache-2.0 */
/* Reports of results made by hand against the texts in tests/golden/report. WEIR_BLESS=1 writes all
 * of them anew, and WEIR_BLESS=ior those of IOR's text. */
#include "report_cases.h"

#include <jansson.h>
#include <time.h>

/* ---- golden texts ---- */

/* Nor is another compiler. */
#define BUILD                                                                                      \
    "\"build\":{\"type\":\"" WEIR_BUILD_TYPE "\",\"compiler\":\"" WEIR_BUILD_COMPILER              \
    "\",\"flags\":\""

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
        if (strncmp(text, BUILD, strlen(BUILD)) == 0) {
            weir_text_add(masked, "\"build\":\"BUILD\"");
            text = strchr(text, '}') + 1;
            continue;
        }
        if (length == 0) {
            weir_text_add_bytes(masked, text++, 1);
            continue;
        }
        weir_text_add_bytes(masked, text, length - strlen(WEIR_VERSION));
        weir_text_add(masked, "VERSION");
        text += length;
    }
}

static bool is_blessed(const char *suffix)
{
    const char *what = getenv("WEIR_BLESS");

    return what && (strcmp(what, "1") == 0 || strncmp(suffix, what, strlen(what)) == 0);
}

static void assert_golden(const char *name, const char *suffix, const struct weir_text *text)
{
    struct weir_text expected = {0};
    struct weir_text actual = {0};
    char file[128];

    mask_version(&actual, weir_text_string(text));
    snprintf(file, sizeof file, "report/%s.%s", name, suffix);
    if (is_blessed(suffix))
        scene_store(scene_golden(file), weir_text_string(&actual));
    scene_load(scene_golden(file), &expected);
    assert_string_equal(weir_text_string(&actual), weir_text_string(&expected));
    weir_text_close(&expected);
    weir_text_close(&actual);
}

static void assert_golden_versions(const char *name, struct scene scene)
{
    struct weir_text text = {0};

    for (size_t i = 0; i < VERSION_COUNT; i++) {
        report_version(&text, &scene, versions[i].compat);
        assert_golden(name, versions[i].suffix, &text);
    }
    weir_text_close(&text);
    scene_close(&scene);
}

static void texts_of_all_versions_are_the_golden_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENE_COUNT; i++)
        assert_golden_versions(scenes[i].name, scenes[i].make());
    for (size_t i = 0; i < LIVE_SCENE_COUNT; i++)
        assert_golden_versions(live_scenes[i].name, live_scenes[i].make());
}

static void other_formats_and_records_are_the_golden_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct weir_text text = {0};

        for (size_t j = 0; j < FORMAT_COUNT; j++) {
            if (strcmp(formats[j].format, "ior") == 0)
                continue;
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
    report_as(&text, &scene, "ior json");
    assert_null(strstr(weir_text_string(&text), "\"Weir\""));
    scene.plan->output.is_plain = false;
    weir_text_clear(&text);
    scene.plan->output.reporter = "ior csv";
    weir_report_trust(&text, scene.plan, scene.result);
    assert_int_equal(text.length, 0);
    weir_text_close(&text);
    scene_close(&scene);
}

/* A result file may be damaged: each number is finite, and the share made from it is not. */
static void shares_are_finite_whatever_was_read(void **state)
{
    static const struct weir_depth_point nothing = {0};
    struct scene scene = make_default();
    struct weir_text text = {0};

    (void)state;
    scene.result->phases[0].data_share = 1e308;
    scene.result->phases[0].depth_curve = (struct weir_depth_curve){1, &nothing};
    scene.result->phases[0].residency.asked_bytes = 0;
    weir_report_trust(&text, scene.plan, scene.result);
    assert_null(strstr(weir_text_string(&text), "inf%"));
    assert_null(strstr(weir_text_string(&text), "nan%"));
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

        for (size_t j = 0; j < FORMAT_COUNT + VERSION_COUNT; j++) {
            if (j < FORMAT_COUNT)
                report_as(&text, &scene, formats[j].format);
            else
                report_version(&text, &scene, versions[j - FORMAT_COUNT].compat);
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

        report_as(&text, &scene, "ior json");
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
        done->clock = (struct weir_clock_quality){
            .is_cross_node = true, .offset_s = 0.25, .drift_ppm = 3.5, .error_s = 1e-6};
        done->order_seed = 17;
        weir_result_find(done, WEIR_FINDING_SHORT, "the phase took 13 ms");
        weir_result_find(done, WEIR_FINDING_DATA_SHARE, "12 %% of the time");
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
    assert_int_equal(count_places(weir_text_string(&block), " write, read: "), 4);
    assert_int_equal(count_places(weir_text_string(&block), " (100 repetitions each)\n"), 2);
    /* The fastest of the fast, and the slowest of the slow. */
    assert_non_null(strstr(weir_text_string(&block), "write    11.5 ms   14.8 ms   24.5 ms"));
    assert_non_null(strstr(weir_text_string(&block), "seed of the data 18364758544493064720, "
                                                     "seed of the random order 17\n"));
    weir_text_close(&block);
    scene_close(&scene);
}

static void errors_of_clocks_are_told_once(void **state)
{
    struct scene scene = make_a_hundred();
    struct weir_text block = {0};

    (void)state;
    for (unsigned i = 0; i < 200; i++)
        weir_result_find(&scene.result->phases[i], WEIR_FINDING_CLOCK_ERROR,
                         "the nodes' clocks agree to %u.5 us only", i);
    weir_report_trust(&block, scene.plan, scene.result);
    assert_int_equal(count_places(weir_text_string(&block), "  warning clock-error write, read: "),
                     1);
    assert_int_equal(count_places(weir_text_string(&block), " (100 repetitions each)\n"), 2);
    assert_int_equal(count_places(weir_text_string(&block), " (first of 200)\n"), 1);
    weir_text_close(&block);
    scene_close(&scene);
}

/* As results keep them: of equal notes those of the first repetition stand for all. */
static void notes_that_repetitions_share_are_told_once(void **state)
{
    struct scene scene = make_a_hundred();
    struct weir_text block = {0};

    (void)state;
    for (unsigned i = 2; i < 200; i++)
        scene.result->phases[i].findings = scene.result->phases[i % 2].findings;
    weir_report_trust(&block, scene.plan, scene.result);
    assert_int_equal(count_places(weir_text_string(&block), "  note short write, read: "), 1);
    assert_int_equal(count_places(weir_text_string(&block), "  note data-share write, read: "), 1);
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

        done->failure = weir_arena_printf(done->arena, "rank %u failed", i);
        weir_result_find(done, WEIR_FINDING_FAILED, "1 operation failed");
    }
    weir_report_trust(&block, scene.plan, scene.result);
    assert_int_equal(count_places(weir_text_string(&block), ": rank "),
                     101); /* once in the verdict */
    assert_int_equal(count_places(weir_text_string(&block), "  warning failed write "), 100);
    weir_text_close(&block);
    scene_close(&scene);
}

static void drift_is_told_where_it_exceeds_the_error_of_the_clocks(void **state)
{
    struct scene scene = make_default();
    struct weir_text block = {0};
    struct weir_phase_result *done = &scene.result->phases[1];

    (void)state;
    done->windows.total_s = 10.0;
    for (unsigned i = 0; i < 2; i++) {
        /* Records of older versions lack the bound: 1 us at each end of 10 s. */
        done->clock = (struct weir_clock_quality){.is_cross_node = true,
                                                  .offset_s = 0.25,
                                                  .drift_ppm = 0.19,
                                                  .error_s = 1e-6,
                                                  .drift_error_ppm = i == 0 ? 0.2 : 0.0};
        weir_report_trust(&block, scene.plan, scene.result);
        assert_null(strstr(weir_text_string(&block), "drift"));
        weir_text_clear(&block);
        done->clock.drift_ppm = 0.21;
        weir_report_trust(&block, scene.plan, scene.result);
        assert_non_null(strstr(weir_text_string(&block), "offset 250 ms, drift 0.21 ppm\n"));
        weir_text_clear(&block);
    }
    weir_text_close(&block);
    scene_close(&scene);
}

static void nothing_that_went_wrong_is_said_twice(void **state)
{
    struct scene scene = make_failed();
    struct weir_text block = {0};

    (void)state;
    scene.plan->output.has_details = false;
    weir_report_trust(&block, scene.plan, scene.result);
    assert_int_equal(count_places(weir_text_string(&block), "No space left on"), 1);
    assert_int_equal(count_places(weir_text_string(&block), "operations"), 0);
    weir_text_close(&block);
    scene_close(&scene);
}

/* ---- phases that failed ---- */

static void a_failed_phase_without_data_has_no_row_and_its_run_no_end(void **state)
{
    struct scene scene = make_failing_repetitions();
    struct weir_text text = {0};

    (void)state;
    report_as(&text, &scene, "ior");
    assert_int_equal(count_places(weir_text_string(&text), "\nwrite "), 2);
    assert_int_equal(count_places(weir_text_string(&text), "WARNING: write 1 failed"), 1);
    /* 8 MiB in 13.2 ms, and no other: one repetition of the three. */
    assert_non_null(strstr(weir_text_string(&text), "Max Write: 606.06 MiB/sec"));
    assert_null(strstr(weir_text_string(&text), "Summary of all tests"));
    assert_null(strstr(weir_text_string(&text), "Finished"));
    /* Interrupted ones stand in for none that is complete, failed ones never do. */
    scene.result->phases[0].outcome = WEIR_OUTCOME_PARTIAL;
    report_as(&text, &scene, "ior");
    assert_non_null(strstr(weir_text_string(&text), "Max Write: 606.06 MiB/sec"));
    scene.result->phases[0].error_count = 1;
    report_as(&text, &scene, "ior");
    assert_null(strstr(weir_text_string(&text), "Max Write"));
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
    whole.result->is_interrupted = damaged.result->is_interrupted = true; /* both are PARTIAL */
    whole.plan->output.verbosity = damaged.plan->output.verbosity = 2;
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        report_as(&expected, &whole, formats[i].format);
        report_as(&actual, &damaged, formats[i].format);
        if (strcmp(formats[i].format, "ior") != 0) /* which tells the seeds of all */
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

            phase->begun_s = phase->storage_s = times[i];
            phase->rank_s_mean = phase->rank_s_max = times[i];
            phase->windows = (struct weir_windows){times[i], times[i], times[i], times[i]};
        }
        for (size_t j = 0; j < FORMAT_COUNT + VERSION_COUNT; j++) {
            if (j < FORMAT_COUNT)
                report_as(&text, &scene, formats[j].format);
            else
                report_version(&text, &scene, versions[j - FORMAT_COUNT].compat);
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
    report_as(&text, &scene, "ior");
    assert_int_equal(count_places(weir_text_string(&text), "Using Time Stamp"), 1);
    line = strstr(weir_text_string(&text),
                  "\nUsing Time Stamp 1795219302 (0x6b00df66) for Data Signature\nwrite ");
    assert_non_null(line);
    scene.plan->output.verbosity = 1;
    report_as(&text, &scene, "ior");
    assert_null(strstr(weir_text_string(&text), "Using Time Stamp"));
    weir_text_close(&text);
    scene_close(&scene);
}

static void a_negative_seed_comes_back_negative(void **state)
{
    struct scene scene = make_remark();
    struct weir_text text = {0};

    (void)state;
    report_as(&text, &scene, "ior json");
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
    report_as(&text, &scene, "ior");
    assert_non_null(strstr(weir_text_string(&text),
                           "\n\n*** DEBUG MODE ***\n*** before the?update ***\n\nOptions: \n"));
    report_as(&text, &scene, "ior json");
    assert_non_null(strstr(weir_text_string(&text), "\"debug\": \"before the\\nupdate\""));
    assert_non_null(strstr(weir_text_string(&text), "\"platform\": \"big \xef\xbf\xbd\""));
    weir_text_clear(&text);
    weir_record_test(&text, scene.plan, scene.result, &scene.result->tests[0]);
    assert_non_null(
        strstr(weir_text_string(&text),
               "\"debug\":\"before the\\nupdate\",\"platform\":{\"hex\":\"62696720ff\"}"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* ---- versions of the text ---- */

/* The words of the line that begins with `start`, which is a line end and more. */
static unsigned count_words(const char *text, const char *start)
{
    const char *line = strstr(text, start);
    unsigned count = 0;

    assert_non_null(line);
    for (const char *byte = line + 1; *byte && *byte != '\n'; byte++)
        count += *byte != ' ' && (byte[1] == ' ' || byte[1] == '\n');
    return count;
}

static void each_version_has_its_columns(void **state)
{
    static const struct {
        const char *compat;
        unsigned row;
        unsigned summary;
    } columns[] = {
        {NULL, 11, 27},     {"IOR 4.0", 11, 27}, {"IOR 3.3", 11, 27},
        {"IOR 3.2", 9, 25}, {"IOR 3.0", 9, 21},
    };
    struct scene scene = make_removals();
    struct weir_text text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const char *summary;

        report_version(&text, &scene, columns[i].compat);
        assert_int_equal(count_words(weir_text_string(&text), "\naccess    bw"), columns[i].row);
        assert_int_equal(count_words(weir_text_string(&text), "\nwrite "), columns[i].row);
        summary = strstr(weir_text_string(&text), "\nSummary of all tests:");
        assert_int_equal(count_words(summary, "\nOperation "), columns[i].summary);
        assert_int_equal(count_words(summary, "\nwrite "), columns[i].summary);
        assert_int_equal(count_words(summary, "\nread "), columns[i].summary);
    }
    report_version(&text, &scene, "IOR 2.10");
    assert_null(strstr(weir_text_string(&text), "\naccess    bw"));
    assert_int_equal(count_words(weir_text_string(&text), "\nwrite "), 11); /* EXCEL is the last */
    weir_text_close(&text);
    scene_close(&scene);
}

/* Where rows for writes and reads are, and nowhere else. */
static void a_mixed_phase_has_its_rows_in_each_version(void **state)
{
    struct scene mixed = make_mixed();
    struct scene usual = make_mixed();
    struct weir_text text = {0};

    (void)state;
    usual.plan->tests[0]->phases[1]->verb = WEIR_READ;
    usual.plan->tests[0]->phases[1]->shift = usual.plan->tests[0]->phases[2]->shift;
    mixed.plan->output.is_plain = usual.plan->output.is_plain = true;
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        unsigned row_count, line_count;

        report_version(&text, &usual, versions[i].compat);
        row_count = count_places(weir_text_string(&text), "\nwrite ");
        line_count = count_lines(weir_text_string(&text));
        assert_int_equal(count_places(weir_text_string(&text), "ixed"), 0);
        report_version(&text, &mixed, versions[i].compat);
        assert_int_equal(count_places(weir_text_string(&text), "\nmixed "), row_count);
        assert_int_equal(count_places(weir_text_string(&text), "\nMax Mixed: 606.06 MiB/sec"), 1);
        /* One in the summary, and the maximum; 4.x has an empty line behind the start of reads. */
        assert_in_range(count_lines(weir_text_string(&text)), line_count, line_count + 2);
    }
    weir_text_close(&text);
    scene_close(&mixed);
    scene_close(&usual);
}

static void a_mixed_phase_is_in_csv_and_json(void **state)
{
    struct scene scene = make_mixed();
    struct weir_text text = {0};
    json_t *report, *test, *row;

    (void)state;
    report_as(&text, &scene, "ior csv");
    assert_int_equal(count_places(weir_text_string(&text), "\nmixed,606.0606,640.0000,"), 1);
    assert_int_equal(count_places(weir_text_string(&text), "\nmixed,"), 2);
    report_as(&text, &scene, "ior json");
    report = json_loads(weir_text_string(&text), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(report);
    test = json_array_get(json_object_get(report, "tests"), 0);
    row = json_array_get(json_object_get(test, "Results"), 1);
    assert_string_equal(json_string_value(json_object_get(row, "access")), "mixed");
    assert_true(json_number_value(json_object_get(row, "bwMiB")) > 606.0);
    row = json_array_get(json_object_get(report, "summary"), 2);
    assert_string_equal(json_string_value(json_object_get(row, "operation")), "mixed");
    row = json_object_get(test, "max"); /* at -v */
    assert_true(json_number_value(json_object_get(row, "mixedMiB")) > 606.0);
    assert_true(json_number_value(json_object_get(row, "mixedMB")) > 635.0);
    json_decref(report);
    weir_text_close(&text);
    scene_close(&scene);
}

/* What IOR says of writes and reads is true of a phase that does both. */
static void a_mixed_phase_alone_stands_for_writes_and_reads(void **state)
{
    static const char *const words[] = {
        "\nwriteFile           : 1\n",     "\nreadFile            : 1\n",
        "\nfsyncperwrite       : 1\n",     "\ncheckRead           : 1\n",
        "\nxfersize            : 1 MiB\n", "\ntask 0 reading and writing out/f.00000000\n"};
    struct scene scene = make_mixed_rows();
    struct weir_text text = {0};

    (void)state;
    report_version(&text, &scene, NULL);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (count_places(weir_text_string(&text), words[i]) != 1)
            fail_msg("\"%s\" is not there once", words[i]);
    weir_text_close(&text);
    scene_close(&scene);
}

static const json_t *trust_phase(const json_t *report, size_t number)
{
    return json_array_get(json_object_get(json_object_get(report, "Weir"), "phases"), number);
}

static double number_at(const json_t *object, const char *first, const char *second)
{
    const json_t *number = json_object_get(json_object_get(object, first), second);

    assert_true(json_is_number(number));
    return json_number_value(number);
}

static void loads_are_in_our_part_of_json(void **state)
{
    struct scene scene = make_open_loop();
    struct weir_text text = {0};
    json_t *report;

    (void)state;
    report_as(&text, &scene, "ior json");
    report = json_loads(weir_text_string(&text), JSON_REJECT_DUPLICATES, NULL);
    assert_true(number_at(trust_phase(report, 0), "response", "mean_ns") == 2525000.0);
    assert_true(number_at(trust_phase(report, 0), "submission", "max_ns") == 2700.0);
    assert_true(number_at(trust_phase(report, 1), "pace", "asked_per_s") == 1000.0);
    assert_null(json_object_get(trust_phase(report, 0), "read_latency"));
    json_decref(report);
    scene_close(&scene);
    scene = make_mixed();
    report_as(&text, &scene, "ior json");
    report = json_loads(weir_text_string(&text), JSON_REJECT_DUPLICATES, NULL);
    assert_true(number_at(trust_phase(report, 1), "write_latency", "max_ns") == 110000.0);
    assert_true(number_at(trust_phase(report, 1), "read_latency", "max_ns") == 24000.0);
    assert_true(json_is_null(json_object_get(trust_phase(report, 1), "pace")));
    json_decref(report);
    weir_text_close(&text);
    scene_close(&scene);
}

static void operations_of_2_10_are_those_of_one_segment(void **state)
{
    struct scene scene = make_removals();
    struct weir_text text = {0};

    (void)state;
    /* 8 MiB in 13.2 ms and in 26.4 ms: 606 and 303 operations a second, in 4 segments. */
    report_version(&text, &scene, "IOR 2.10");
    assert_non_null(
        strstr(weir_text_string(&text),
               "\nwrite         606.06     303.03      454.55    151.52     151.52      "
               "75.76      113.64     37.88   0.01980   EXCEL\n"));
    weir_text_close(&text);
    scene_close(&scene);
}

/* The text without the lines that scripts skip. */
static void strip_warnings(struct weir_text *kept, const char *text)
{
    static const char *const starts[] = {"WARNING: ", "Fake ", "Used Time Stamp "};

    while (*text) {
        size_t length = strcspn(text, "\n") + 1;
        bool is_skipped = false;

        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
            is_skipped = is_skipped || strncmp(text, starts[i], strlen(starts[i])) == 0;
        if (!is_skipped)
            weir_text_add_bytes(kept, text, length);
        text += length;
    }
}

static void remove_what_is_warned_of(struct scene *scene)
{
    scene->plan->tests[0]->remark_count = 0;
    scene->result->tests[0].existing_count = 0;
    for (unsigned i = 0; i < scene->result->phase_count; i++) {
        struct weir_phase_result *phase = &scene->result->phases[i];

        phase->outlier_count = 0;
        phase->short_count = 0;
        phase->mismatches.wrong_transfers = 0;
        phase->has_differing_sizes = false;
        phase->expected_bytes = phase->file_bytes = phase->byte_count;
    }
}

static void warnings_add_lines_that_scripts_skip_and_change_no_other(void **state)
{
    struct scene odd = make_warnings();
    struct scene usual = make_warnings();
    struct weir_text text = {0};
    struct weir_text expected = {0};
    struct weir_text actual = {0};

    (void)state;
    remove_what_is_warned_of(&usual);
    odd.plan->output.is_plain = usual.plan->output.is_plain = true;
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        weir_text_clear(&actual);
        report_version(&expected, &usual, versions[i].compat);
        assert_null(strstr(weir_text_string(&expected), "WARNING"));
        report_version(&text, &odd, versions[i].compat);
        assert_int_equal(count_places(weir_text_string(&text), "WARNING: "), 17);
        strip_warnings(&actual, weir_text_string(&text));
        assert_string_equal(weir_text_string(&actual), weir_text_string(&expected));
    }
    weir_text_close(&text);
    weir_text_close(&expected);
    weir_text_close(&actual);
    scene_close(&odd);
    scene_close(&usual);
}

static void outliers_beyond_those_kept_are_counted(void **state)
{
    struct scene scene = make_warnings();
    struct weir_text text = {0};

    (void)state;
    add_outliers(&scene.result->phases[0], WEIR_OUTLIERS_KEPT + 2);
    add_outliers(&scene.result->phases[1], WEIR_OUTLIERS_KEPT);
    report_version(&text, &scene, NULL);
    assert_int_equal(count_places(weir_text_string(&text), "WARNING: for n"),
                     2 * WEIR_OUTLIERS_KEPT);
    assert_int_equal(count_places(weir_text_string(&text), "more outliers"), 1);
    assert_non_null(strstr(weir_text_string(&text), "\nWARNING: 2 more outliers are not shown\n"));
    weir_text_close(&text);
    scene_close(&scene);
}

static void assert_one_place(const struct weir_text *text, const char *words, bool is_there)
{
    assert_int_equal(count_places(weir_text_string(text), words), is_there);
}

static void sizes_are_warned_of_only_where_they_are_not_as_asked_for(void **state)
{
    struct scene scene = make_default();
    struct weir_phase_result *write = &scene.result->phases[0];
    struct weir_text text = {0};

    (void)state;
    write->file_bytes = UINT64_MAX; /* nobody asked */
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "WARNING", false);
    write->file_bytes = write->expected_bytes + 1;
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "WARNING: Stat() of aggregate file size      = 8388609\n", true);
    assert_one_place(&text, "deadlineForStonewalling", false);
    write->file_bytes = UINT64_MAX;
    write->byte_count *= 3;
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "WARNING: Using actual aggregate bytes moved = 25165824\n", true);
    assert_one_place(&text, "WARNING: Stat()", false);
    scene.plan->tests[0]->phases[0]->stop.minimum_ns = SECOND_NS;
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "WARNING", false);
    weir_text_close(&text);
    scene_close(&scene);
}

static void files_are_deleted_where_any_write_replaces_them(void **state)
{
    struct scene scene = make_every_word();
    struct weir_text text = {0};

    (void)state;
    scene.result->tests[0].existing_count = 1;
    snprintf(scene.result->tests[0].existing_path, sizeof scene.result->tests[0].existing_path,
             "/a/b");
    scene.plan->tests[0]->phases[1]->transfers.must_replace = false; /* behind the prefill */
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "WARNING: The file \"/a/b\" exists already and will be deleted\n",
                     true);
    scene.plan->tests[0]->phases[0]->transfers.must_replace = false;
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "WARNING: The file \"/a/b\" exists already and will be overwritten\n",
                     true);
    weir_text_close(&text);
    scene_close(&scene);
}

static void a_seed_that_varies_is_told_as_it_was_given(void **state)
{
    struct scene scene = make_every_word();
    struct weir_text text = {0};

    (void)state;
    scene.plan->tests[0]->phases[3]->shift =
        (struct weir_shift){.kind = WEIR_SHIFT_RANDOM, .distance = 1, .seed = 5, .varies = true};
    report_version(&text, &scene, NULL);
    assert_one_place(&text, "\nreorder random seed : -5\n", true);
    assert_one_place(&text, "\nreorderTasksRandomSeed: -5\n", true);
    report_version(&text, &scene, "IOR 3.0");
    assert_one_place(&text, "\tordering inter file= random task offsets = 1, seed=-5\n", true);
    assert_int_equal(count_places(weir_text_string(&text), "0.01320 0 2 2 1 1 0 1 1 -5 1 "), 2);
    weir_text_close(&text);
    scene_close(&scene);
}

/* ---- verbosity ---- */

/* Clocks of several nodes are compared with the first phase, and not before. */
static void skew_is_told_where_it_is_known_and_once(void **state)
{
    static const char words[] = "Start time skew across all tasks: ";
    struct scene scene = make_verbose_on_two_nodes();
    struct weir_text text = {0};
    struct weir_result begun = *scene.result;

    (void)state;
    scene.plan->output.style = "IOR 3.3";
    begun.phase_count = 0;
    weir_reporter_find(&scene.plan->output)->begin(&text, scene.plan, &begun);
    assert_one_place(&text, words, false);
    report_version(&text, &scene, "IOR 3.3");
    assert_int_equal(count_places(weir_text_string(&text), words), 1);
    assert_one_place(&text, "Start time skew across all tasks: 0.75 sec\n", true);
    scene.result->tests[0].node_count = 1;
    report_version(&text, &scene, "IOR 3.3");
    assert_one_place(&text, "Start time skew across all tasks: 0.00 sec\nTestID ", true);
    scene.plan->output.verbosity = 0;
    report_version(&text, &scene, "IOR 3.3");
    assert_one_place(&text, words, false);
    weir_text_close(&text);
    scene_close(&scene);
}

static void single_ranks_are_told_only_while_their_rows_are_there(void **state)
{
    static const char *const words[] = {", Time=", "task 0 ", "0: stonewalling pairs"};
    struct scene scene = make_every_word();
    struct weir_text text = {0};

    (void)state;
    report_version(&text, &scene, NULL);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_non_null(strstr(weir_text_string(&text), words[i]));
    for (unsigned i = 0; i < scene.result->phase_count; i++)
        scene.result->phases[i].rows = NULL;
    report_version(&text, &scene, NULL);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_null(strstr(weir_text_string(&text), words[i]));
    weir_text_close(&text);
    scene_close(&scene);
}

static void the_environment_is_never_told(void **state)
{
    struct scene scene = make_every_word();
    struct weir_text text = {0};

    (void)state;
    setenv("WEIR_TEST_SECRET", "sesame", 1);
    for (int verbosity = 0; verbosity < 8; verbosity++) {
        scene.plan->output.verbosity = verbosity;
        for (size_t i = 0; i < VERSION_COUNT; i++) {
            report_version(&text, &scene, versions[i].compat);
            assert_null(strstr(weir_text_string(&text), "sesame"));
            assert_null(strstr(weir_text_string(&text), "ENVIRON"));
        }
    }
    unsetenv("WEIR_TEST_SECRET");
    weir_text_close(&text);
    scene_close(&scene);
}

/* Lines that tell the level, and those that hold more at -v. */
static bool hangs_on_level(const char *line)
{
    static const char *const starts[] = {"verbose  ", "Machine", "Operation  Max (MiB)", "write  ",
                                         "read  "};

    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void assert_lines_are_in(const char *less, const char *more)
{
    for (size_t length; *less; less += length) {
        char line[1024];

        length = strcspn(less, "\n") + 1;
        snprintf(line, sizeof line, "%.*s", (int)length, less);
        if (!hangs_on_level(line) && !strstr(more, line))
            fail_msg("a line is gone at the next level: %s", line);
    }
}

static void each_level_says_what_the_level_below_says(void **state)
{
    struct scene scene = make_every_word();
    struct weir_text less = {0};
    struct weir_text more = {0};

    (void)state;
    scene.plan->output.is_plain = true;
    for (size_t i = 0; i < VERSION_COUNT; i++) {
        for (int verbosity = 1; verbosity < 6; verbosity++) {
            scene.plan->output.verbosity = verbosity - 1;
            report_version(&less, &scene, versions[i].compat);
            scene.plan->output.verbosity = verbosity;
            report_version(&more, &scene, versions[i].compat);
            assert_lines_are_in(weir_text_string(&less), weir_text_string(&more));
        }
    }
    weir_text_close(&less);
    weir_text_close(&more);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_all_versions_are_the_golden_ones),
        cmocka_unit_test(other_formats_and_records_are_the_golden_ones),
        cmocka_unit_test(our_block_holds_no_line_that_scripts_take_for_results),
        cmocka_unit_test(plain_output_and_other_formats_have_no_block),
        cmocka_unit_test(shares_are_finite_whatever_was_read),
        cmocka_unit_test(no_number_is_nan_or_infinite),
        cmocka_unit_test(json_is_valid_and_keeps_the_names),
        cmocka_unit_test(our_block_is_short_for_a_hundred_repetitions),
        cmocka_unit_test(errors_of_clocks_are_told_once),
        cmocka_unit_test(notes_that_repetitions_share_are_told_once),
        cmocka_unit_test(what_is_wrong_is_told_however_often_it_is_repeated),
        cmocka_unit_test(drift_is_told_where_it_exceeds_the_error_of_the_clocks),
        cmocka_unit_test(nothing_that_went_wrong_is_said_twice),
        cmocka_unit_test(a_failed_phase_without_data_has_no_row_and_its_run_no_end),
        cmocka_unit_test(phases_that_the_plan_does_not_have_are_left_out),
        cmocka_unit_test(times_out_of_reason_give_finite_numbers),
        cmocka_unit_test(a_drawn_seed_is_told_once_and_a_given_one_before_the_table),
        cmocka_unit_test(a_negative_seed_comes_back_negative),
        cmocka_unit_test(remark_and_platform_of_the_user_are_repeated),
        cmocka_unit_test(each_version_has_its_columns),
        cmocka_unit_test(a_mixed_phase_has_its_rows_in_each_version),
        cmocka_unit_test(a_mixed_phase_is_in_csv_and_json),
        cmocka_unit_test(a_mixed_phase_alone_stands_for_writes_and_reads),
        cmocka_unit_test(loads_are_in_our_part_of_json),
        cmocka_unit_test(operations_of_2_10_are_those_of_one_segment),
        cmocka_unit_test(warnings_add_lines_that_scripts_skip_and_change_no_other),
        cmocka_unit_test(outliers_beyond_those_kept_are_counted),
        cmocka_unit_test(sizes_are_warned_of_only_where_they_are_not_as_asked_for),
        cmocka_unit_test(files_are_deleted_where_any_write_replaces_them),
        cmocka_unit_test(a_seed_that_varies_is_told_as_it_was_given),
        cmocka_unit_test(skew_is_told_where_it_is_known_and_once),
        cmocka_unit_test(single_ranks_are_told_only_while_their_rows_are_there),
        cmocka_unit_test(the_environment_is_never_told),
        cmocka_unit_test(each_level_says_what_the_level_below_says),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
