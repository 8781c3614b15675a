/* SPDX-License-Identifier: Apache-2.0 */
/* The result file: there and back, cut off, damaged. */
#include "report_cases.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

static int open_file(char *path, size_t bytes)
{
    const char *folder = getenv("TMPDIR");
    int descriptor;

    snprintf(path, bytes, "%s/weir-record-XXXXXX", folder ? folder : "/tmp");
    descriptor = mkostemp(path, O_APPEND);
    assert_true(descriptor >= 0);
    return descriptor;
}

static void assert_same_reports(struct scene *left, struct scene *right)
{
    struct weir_text a = {0};
    struct weir_text b = {0};

    for (size_t j = 0; j < FORMAT_COUNT; j++) {
        report_as(&a, left, formats[j].format);
        report_as(&b, right, formats[j].format);
        assert_string_equal(weir_text_string(&a), weir_text_string(&b));
    }
    weir_text_clear(&a);
    weir_text_clear(&b);
    record_whole(&a, left);
    record_whole(&b, right);
    assert_string_equal(weir_text_string(&a), weir_text_string(&b));
    weir_text_close(&a);
    weir_text_close(&b);
}

static void assert_words(const char *path, const struct weir_plan *plan)
{
    struct weir_arena arena = {0};
    struct weir_error error = {0};
    struct weir_plan_source source;
    char id[17];

    assert_int_equal(weir_record_read_source(path, &arena, &source, id, &error), 0);
    assert_int_equal(source.word_count, plan->source.word_count);
    for (size_t i = 0; i < source.word_count; i++)
        assert_string_equal(source.words[i], plan->source.words[i]);
    if (plan->source.script)
        assert_string_equal(source.script, plan->source.script);
    else
        assert_null(source.script);
    assert_string_equal(id, plan->id);
    weir_arena_close(&arena);
}

static void a_result_that_was_recorded_and_read_gives_the_same_reports(void **state)
{
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    /* Each run is appended to those before it: the last one counts. */
    for (size_t i = 0; i < SCENE_COUNT; i++) {
        struct scene scene = scenes[i].make();
        struct scene again = {.plan = scene.plan};
        struct weir_error error = {0};
        struct weir_text text = {0};

        record_whole(&text, &scene);
        assert_int_equal(weir_record_append(descriptor, &text), 0);
        assert_int_equal(weir_record_read(path, 4, &again.result, &error), 0);
        assert_same_reports(&scene, &again);
        assert_words(path, scene.plan);
        weir_result_close(again.result);
        weir_text_close(&text);
        scene_close(&scene);
    }
    close(descriptor);
    unlink(path);
}

/* All that came with reports of ranks, of transfers and of files that were there before. */
static struct scene make_rich(void)
{
    static const char *const remarks[] = {"-z was \"ignored\"", "so was -c\nand \xff"};
    struct scene scene = make_default();
    struct weir_test *test = scene.plan->tests[0];
    struct weir_test_result *begun = &scene.result->tests[0];
    struct weir_phase_result *done = &scene.result->phases[0];

    test->remarks = remarks;
    test->remark_count = 2;
    test->given_nodes = 8;
    test->given_ranks_per_node = 4;
    begun->existing_count = 3;
    snprintf(begun->existing_path, sizeof begun->existing_path, "out/\xfe");
    done->has_differing_sizes = true;
    done->unlogged_ops = 12345678901;
    done->outlier_count = 70;
    for (unsigned i = 0; i < WEIR_OUTLIERS_KEPT; i++) {
        struct weir_outlier *outlier = &done->outliers[i];

        *outlier = (struct weir_outlier){.rank = i,
                                         .kind = (enum weir_outlier_kind)(i % WEIR_OUTLIER_KINDS),
                                         .value_s = 0.5 * i,
                                         .mean_s = 0.25,
                                         .stddev_s = 0.125};
        snprintf(outlier->host, sizeof outlier->host, "n%u", i);
    }
    return scene;
}

static void assert_rich(const struct weir_result *result)
{
    const struct weir_phase_result *phase = &result->phases[0];

    assert_int_equal(result->tests[0].existing_count, 3);
    assert_string_equal(result->tests[0].existing_path, "out/\xfe");
    assert_true(phase->has_differing_sizes);
    assert_int_equal(phase->unlogged_ops, 12345678901);
    assert_int_equal(phase->outlier_count, 70);
    for (unsigned i = 0; i < WEIR_OUTLIERS_KEPT; i++) {
        char host[16];

        snprintf(host, sizeof host, "n%u", i);
        assert_int_equal(phase->outliers[i].rank, i);
        assert_int_equal(phase->outliers[i].kind, i % WEIR_OUTLIER_KINDS);
        assert_string_equal(phase->outliers[i].host, host);
        assert_float_equal(phase->outliers[i].value_s, 0.5 * i, 0);
        assert_float_equal(phase->outliers[i].mean_s, 0.25, 0);
        assert_float_equal(phase->outliers[i].stddev_s, 0.125, 0);
    }
}

static void outliers_sizes_logs_and_existing_files_come_back(void **state)
{
    struct scene scene = make_rich();
    struct scene again = {.plan = scene.plan};
    struct weir_error error = {0};
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    record_whole(&text, &scene);
    assert_non_null(strstr(text.data, "\"given_nodes\":8,\"given_ranks_per_node\":4"));
    assert_non_null(strstr(text.data, "\"remarks\":[\"-z was \\\"ignored\\\"\",{\"hex\":"));
    assert_int_equal(weir_record_append(descriptor, &text), 0);
    assert_int_equal(weir_record_read(path, 4, &again.result, &error), 0);
    assert_rich(again.result);
    assert_same_reports(&scene, &again);
    weir_result_close(again.result);
    weir_text_close(&text);
    close(descriptor);
    unlink(path);
    scene_close(&scene);
}

/* Removes `"key":value,` wherever it stands; values end at the bracket or the comma that is given.
 */
static void cut_out(char *text, const char *start, char last)
{
    while ((text = strstr(text, start))) {
        const char *end = strchr(text + strlen(start), last);

        assert_non_null(end);
        memmove(text, end + 1 + (last == ']'), strlen(end + 1 + (last == ']')) + 1);
    }
}

/* What version 0.1.0 wrote. */
static void files_without_the_newer_keys_are_read(void **state)
{
    static const char *const keys[] = {
        "\"prefill\":",       "\"differing_sizes\":",      "\"unlogged_ops\":",
        "\"outlier_count\":", "\"existing_files\":",       "\"existing_path\":",
        "\"given_nodes\":",   "\"given_ranks_per_node\":",
    };
    struct scene scene = make_default();
    struct scene again = {.plan = scene.plan};
    struct weir_error error = {0};
    struct weir_text text = {0};
    char path[256];

    (void)state;
    close(open_file(path, sizeof path));
    record_whole(&text, &scene);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        cut_out(text.data, keys[i], ',');
    cut_out(text.data, "\"outliers\":", ']');
    cut_out(text.data, "\"remarks\":", ']');
    assert_null(strstr(text.data, "outlier"));
    scene_store(path, text.data);
    assert_int_equal(weir_record_read(path, 4, &again.result, &error), 0);
    assert_same_reports(&scene, &again);
    weir_result_close(again.result);
    weir_text_close(&text);
    unlink(path);
    scene_close(&scene);
}

/* What was written before there were queues: neither depths nor processor times are known of it. */
static void files_without_the_keys_of_loads_are_read(void **state)
{
    static const char *const keys[] = {
        "\"overlapped_data_share\":",
        "\"blocked_transfers\":",
        "\"depth\":",
        "\"batch\":",
        "\"depth_curve\":",
        "\"pace\":",
        "\"granted\":",
        "\"shortfall\":",
        "\"response\":",
        "\"write_latency\":",
        "\"read_latency\":",
    };
    struct scene scene = make_default();
    struct scene again = {.plan = scene.plan};
    struct weir_error error = {0};
    struct weir_text text = {0};
    char path[256];

    (void)state;
    for (unsigned i = 0; i < scene.result->phase_count; i++) {
        struct weir_phase_result *done = &scene.result->phases[i];

        done->depth = done->batch = 0;
        done->cpu_user_s = done->cpu_system_s = 0.0;
    }
    close(open_file(path, sizeof path));
    record_whole(&text, &scene);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_non_null(strstr(text.data, keys[i]));
        cut_out(text.data, keys[i], ',');
    }
    cut_out(text.data, "\"cpu\":{\"user_s\":0.0", ',');
    cut_out(text.data, "\"system_s\":0.0}", ',');
    scene_store(path, text.data);
    assert_int_equal(weir_record_read(path, 4, &again.result, &error), 0);
    assert_null(again.result->phases[0].response);
    assert_null(again.result->phases[0].read_latency);
    assert_null(again.result->phases[0].granted);
    assert_same_reports(&scene, &again);
    weir_result_close(again.result);
    weir_text_close(&text);
    unlink(path);
    scene_close(&scene);
}

/* Writes the scene to a file and reads it. */
static struct weir_result *reread(const struct scene *scene)
{
    struct weir_result *result = NULL;
    struct weir_error error = {0};
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);

    record_whole(&text, scene);
    assert_int_equal(weir_record_append(descriptor, &text), 0);
    assert_int_equal(weir_record_read(path, 4, &result, &error), 0);
    close(descriptor);
    unlink(path);
    weir_text_close(&text);
    return result;
}

static void open_loops_come_back_with_their_backlog(void **state)
{
    struct scene scene = make_open_loop();
    const struct weir_phase_result *wrote = &scene.result->phases[1];
    const struct weir_phase_result *read;
    struct weir_result *result;

    (void)state;
    result = reread(&scene);
    read = &result->phases[1];
    assert_memory_equal(&read->pace, &wrote->pace, sizeof read->pace);
    assert_memory_equal(read->response, wrote->response, sizeof *read->response);
    assert_memory_equal(read->submission, wrote->submission, sizeof *read->submission);
    assert_memory_equal(read->series, wrote->series, sizeof *read->series);
    assert_int_equal(read->series->backlog[3], 7);
    assert_int_equal(read->depth, 4);
    assert_int_equal(read->batch, 1);
    assert_float_equal(read->cpu_user_s, wrote->cpu_user_s, 0);
    assert_float_equal(read->cpu_system_s, wrote->cpu_system_s, 0);
    assert_null(read->write_latency);
    weir_result_close(result);
    scene_close(&scene);
}

static void searches_and_grants_come_back(void **state)
{
    struct scene scene = make_depth_search();
    struct weir_phase_result *wrote = &scene.result->phases[0];
    const struct weir_phase_result *read;
    struct weir_result *result;

    (void)state;
    wrote->granted = "ring\xff";
    wrote->blocked_count = 12345678901;
    result = reread(&scene);
    read = &result->phases[0];
    assert_memory_equal(&read->depth_curve, &wrote->depth_curve, sizeof read->depth_curve);
    assert_string_equal(read->granted, "ring\xff");
    assert_string_equal(read->shortfall, wrote->shortfall);
    assert_int_equal(read->shortfall_rank_count, 2);
    assert_int_equal(read->blocked_count, 12345678901);
    weir_result_close(result);
    scene_close(&scene);
}

static void mixed_phases_come_back_with_what_reads_and_writes_took(void **state)
{
    struct scene scene = make_mixed();
    const struct weir_phase_result *wrote = &scene.result->phases[1];
    const struct weir_phase_result *read;
    struct weir_result *result;

    (void)state;
    result = reread(&scene);
    read = &result->phases[1];
    assert_memory_equal(read->write_latency, wrote->write_latency, sizeof *read->write_latency);
    assert_memory_equal(read->read_latency, wrote->read_latency, sizeof *read->read_latency);
    assert_float_equal(read->overlapped_data_share, 0.375, 0);
    assert_null(read->response);
    assert_int_equal(read->depth_curve.count, 0);
    assert_null(read->shortfall);
    weir_result_close(result);
    scene_close(&scene);
}

/* Of another version the same words may give a plan with another id: what counts is whether the
 * phases are the plan's. */
static void a_run_fits_the_plan_that_has_its_phases(void **state)
{
    struct scene scene = make_default();
    struct weir_phase *read = scene.plan->tests[0]->phases[1];
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    record_whole(&text, &scene);
    assert_int_equal(weir_record_append(descriptor, &text), 0);
    assert_true(weir_record_fits(path, scene.plan));
    read->is_check = true;
    assert_false(weir_record_fits(path, scene.plan));
    read->is_check = false;
    read->verb = WEIR_WRITE;
    assert_false(weir_record_fits(path, scene.plan));
    read->verb = WEIR_READ;
    read->number = 99;
    assert_false(weir_record_fits(path, scene.plan));
    assert_false(weir_record_fits("/nowhere/result", scene.plan));
    close(descriptor);
    unlink(path);
    weir_text_close(&text);
    scene_close(&scene);
}

/* Cuts the file at every length: the reader must live with each, and what it gives is never more
 * than was written. */
static void a_file_cut_off_anywhere_is_read_as_far_as_it_goes(void **state)
{
    struct scene scene = make_default();
    struct weir_text text = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);
    size_t first_line;

    (void)state;
    record_whole(&text, &scene);
    first_line = (size_t)(strchr(text.data, '\n') - text.data);
    assert_int_equal(weir_record_append(descriptor, &text), 0);
    for (size_t length = text.length; length-- > 0;) {
        struct weir_result *result = NULL;
        struct weir_error error = {0};
        int code;

        assert_int_equal(ftruncate(descriptor, (off_t)length), 0);
        code = weir_record_read(path, 4, &result, &error);
        assert_int_equal(code == 0, length >= first_line);
        assert_int_equal(code != 0, weir_error_is_set(&error));
        if (code == 0) {
            /* Only the newline of the end record may be missing. */
            assert_int_equal(result->is_interrupted, length < text.length - 1);
            assert_in_range(result->phase_count, 0, scene.result->phase_count);
        }
        weir_result_close(result);
    }
    close(descriptor);
    unlink(path);
    weir_text_close(&text);
    scene_close(&scene);
}

static void a_run_appended_to_a_cut_line_begins_a_line_of_its_own(void **state)
{
    struct scene scene = make_default();
    struct weir_text text = {0};
    struct weir_text cut = {0};
    struct weir_result *result = NULL;
    struct weir_error error = {0};
    char path[256];
    int descriptor = open_file(path, sizeof path);

    (void)state;
    record_whole(&text, &scene);
    weir_text_add_bytes(&cut, text.data, text.length - 100);
    assert_int_equal(weir_record_append(descriptor, &cut), 0);
    assert_int_equal(weir_record_append(descriptor, &text), 0);
    assert_int_equal(weir_record_read(path, 4, &result, &error), 0);
    assert_false(result->is_interrupted);
    assert_int_equal(result->phase_count, scene.result->phase_count);
    weir_result_close(result);
    close(descriptor);
    unlink(path);
    weir_text_close(&cut);
    weir_text_close(&text);
    scene_close(&scene);
}

#define DAMAGED_PHASE(members)                                                                     \
    "{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n"                                          \
    "{\"record\":\"test\",\"test\":0}\n"                                                           \
    "{\"record\":\"phase\",\"outcome\":\"complete\",\"test\":0," members "}\n"
#define TWO_POINTS "{\"depth\":1},{\"depth\":2},"
#define EIGHT_POINTS TWO_POINTS TWO_POINTS TWO_POINTS TWO_POINTS

static void files_that_are_no_result_files_are_refused_with_a_sentence(void **state)
{
    static const struct {
        const char *content;
        const char *sentence;
    } cases[] = {
        {"", "holds no run"},
        {"write 1 2 3\n", "holds no run"},
        {"[1]\n{\"record\":\"phase\"}\n", "holds no run"},
        {"{\"record\":\"run\"}\n", "has the schema (none)"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-9\"}\n", "has the schema weir-result-9"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\",\"host\":{\"node\":5}}\n", "damaged"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n{\"record\":\"phase\"}\n", "damaged"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n{\"record\":\"test\",\"test\":9}\n",
         "damaged"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n{\"record\":\"test\",\"test\":1}\n"
         "{\"record\":\"test\",\"test\":1}\n",
         "\"test\" of the last run is damaged"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n"
         "{\"record\":\"test\",\"test\":0}\n{\"record\":\"phase\",\"outcome\":\"complete\","
         "\"test\":0,\"outlier_count\":2,\"outliers\":[{\"kind\":\"open\"}]}\n",
         "\"phase\" of the last run is damaged"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n"
         "{\"record\":\"test\",\"test\":0}\n{\"record\":\"phase\",\"outcome\":\"complete\","
         "\"test\":0,\"outlier_count\":1,\"outliers\":[{\"kind\":\"lunch\"}]}\n",
         "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"granted\":7"), "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"depth\":-1"), "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"pace\":{\"asked_per_s\":\"fast\"}"),
         "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"cpu\":{\"user_s\":\"all\"}"), "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"shortfall\":{\"text\":\"\",\"ranks\":-1}"),
         "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"depth_curve\":[" EIGHT_POINTS EIGHT_POINTS EIGHT_POINTS EIGHT_POINTS
                       "{\"depth\":33}]"),
         "\"phase\" of the last run is damaged"},
        {DAMAGED_PHASE("\"series\":{\"interval_ns\":1048576,\"ops\":[1],\"bytes\":[1],"
                       "\"backlog\":[1,2]}"),
         "\"phase\" of the last run is damaged"},
        {"{\"record\":\"run\",\"schema\":\"weir-result-1\"}\n"
         "{\"record\":\"phase\",\"outcome\":\"complete\",\"test\":0}\n"
         "{\"record\":\"test\",\"test\":0}\n",
         "\"phase\" of the last run is damaged"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_result *result = NULL;
        struct weir_error error = {0};
        char path[256];

        close(open_file(path, sizeof path));
        scene_store(path, cases[i].content);
        assert_true(weir_record_read(path, 4, &result, &error) < 0);
        assert_null(result);
        assert_non_null(strstr(error.text, cases[i].sentence));
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        unlink(path);
    }
}

static void a_missing_file_is_an_error_with_its_name(void **state)
{
    struct weir_result *result = NULL;
    struct weir_error error = {0};

    (void)state;
    assert_int_equal(weir_record_read("/nowhere/result", 1, &result, &error), -2);
    assert_non_null(strstr(error.text, "/nowhere/result: No such file"));
}

static void an_append_that_fails_tells_why(void **state)
{
    struct weir_text text = {0};
    int full = open("/dev/full", O_WRONLY);

    (void)state;
    if (full < 0)
        skip();
    weir_text_add(&text, "x\n");
    assert_int_equal(weir_record_append(full, &text), -28);
    close(full);
    weir_text_close(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_that_was_recorded_and_read_gives_the_same_reports),
        cmocka_unit_test(outliers_sizes_logs_and_existing_files_come_back),
        cmocka_unit_test(files_without_the_newer_keys_are_read),
        cmocka_unit_test(files_without_the_keys_of_loads_are_read),
        cmocka_unit_test(open_loops_come_back_with_their_backlog),
        cmocka_unit_test(searches_and_grants_come_back),
        cmocka_unit_test(mixed_phases_come_back_with_what_reads_and_writes_took),
        cmocka_unit_test(a_run_fits_the_plan_that_has_its_phases),
        cmocka_unit_test(a_file_cut_off_anywhere_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_run_appended_to_a_cut_line_begins_a_line_of_its_own),
        cmocka_unit_test(files_that_are_no_result_files_are_refused_with_a_sentence),
        cmocka_unit_test(a_missing_file_is_an_error_with_its_name),
        cmocka_unit_test(an_append_that_fails_tells_why),
    };

    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
