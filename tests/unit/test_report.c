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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_are_the_golden_texts),
        cmocka_unit_test(our_block_holds_no_line_that_scripts_take_for_results),
        cmocka_unit_test(plain_output_and_other_formats_have_no_block),
        cmocka_unit_test(no_number_is_nan_or_infinite),
        cmocka_unit_test(json_is_valid_and_keeps_the_names),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
