/* SPDX-License-Identifier: Apache-2.0 */
/* The block with the verdict, of stored results of all dialects that end in all verdicts. */
#define WEIR_TEST_GOLDEN WEIR_TEST_VERDICTS
#include "golden_text.h"

#include "weir/report/report.h"

#include <dirent.h>

enum { COLUMNS = 100, LINES_MAX = 16, RESULTS_LEAST = 19 };

static void read_result(const char *name, struct weir_recorded *run)
{
    struct weir_error error = {0};
    char path[4096];

    snprintf(path, sizeof path, "%s/%s", WEIR_TEST_VERDICTS, name);
    if (weir_record_read(path, WEIR_LAST_RUN, run, &error) != 0)
        fail_msg("%s: %s", path, error.text);
}

/* The first word is the verdict of the run, no line is wider than 100 columns, and there are few.
 */
static void check_block(const char *name, const struct weir_result *result, const char *text)
{
    const char *word = weir_believed_names[weir_result_believed(result)];
    unsigned lines = 0;

    if (strncmp(text, "weir  ", 6) != 0 || strncmp(text + 6, word, strlen(word)) != 0)
        fail_msg("%s does not begin with %s: %s", name, word, text);
    for (const char *line = text; *line != '\0'; lines++) {
        size_t length = strcspn(line, "\n");

        if (length > COLUMNS)
            fail_msg("%s has a line of %zu columns: %.*s", name, length, (int)length, line);
        assert_true(strncmp(line, "weir  ", 6) == 0);
        line += length + (line[length] == '\n');
    }
    if (lines > LINES_MAX)
        fail_msg("%s has %u lines", name, lines);
}

static void the_verdict_comes_first_and_is_short(void **state)
{
    bool is_met[WEIR_BELIEVED_COUNT] = {false};
    struct dirent **names;
    int count = scandir(WEIR_TEST_VERDICTS, &names, NULL, alphasort), results = 0;

    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *end = strstr(names[i]->d_name, ".jsonl");
        struct weir_recorded run;
        struct weir_text text = {0};
        char name[256];

        if (end != NULL) {
            read_result(names[i]->d_name, &run);
            run.plan->output.has_details = false;
            weir_report_verdict(&text, run.plan, run.result, false);
            weir_report_spell(&text, 0, weir_report_words_of(run.plan, 0));
            check_block(names[i]->d_name, run.result, weir_text_string(&text));
            weir_report_verdict(&text, run.plan, run.result, true);
            snprintf(name, sizeof name, "%.*s.block", (int)(end - names[i]->d_name),
                     names[i]->d_name);
            golden_expect(name, &text);
            is_met[weir_result_believed(run.result)] = true;
            weir_text_close(&text);
            weir_recorded_close(&run);
            results++;
        }
        free(names[i]);
    }
    free(names);
    assert_true(results >= RESULTS_LEAST);
    for (unsigned i = 0; i < WEIR_BELIEVED_COUNT; i++)
        if (!is_met[i])
            fail_msg("no stored result is %s", weir_believed_names[i]);
}

static const char *block_of(struct weir_text *text, const struct weir_recorded *run,
                            bool is_markdown)
{
    weir_text_clear(text);
    weir_report_verdict(text, run->plan, run->result, is_markdown);
    return weir_text_string(text);
}

/* Their common end is longer than what is printed of them. */
static void long_targets_stay_apart(void **state)
{
    static const char *const peers[] = {"/lustre/ost0/benchmark/scratch/file",
                                        "/lustre/ost1/benchmark/scratch/file"};
    struct weir_recorded run;
    struct weir_text text = {0};

    read_result("targets.jsonl", &run);
    for (size_t i = 0; i < run.plan->test_count; i++)
        if (run.plan->tests[i]->peer != NULL)
            run.plan->tests[i]->peer = peers[strcmp(run.plan->tests[i]->peer, ".") != 0];
    block_of(&text, &run, false);
    for (unsigned i = 0; i < 4; i++) {
        static const char *const rows[] = {
            "weir  write ...ost0/benchmark/sc ", "weir  read ...ost0/benchmark/sc ",
            "weir  write ...ost1/benchmark/sc ", "weir  read ...ost1/benchmark/sc "};

        if (strstr(text.data, rows[i]) == NULL)
            fail_msg("no row \"%s\": %s", rows[i], text.data);
    }
    weir_text_close(&text);
    weir_recorded_close(&run);
}

static void names_of_others_steer_nothing(void **state)
{
    struct weir_recorded run;
    struct weir_text text = {0};
    struct weir_label_result *label;

    read_result("parabench.jsonl", &run);
    label = (struct weir_label_result *)(uintptr_t)&run.result->phases[0].program->labels[0];
    label->name = "wr|<b>\033[31m_";
    assert_non_null(strstr(block_of(&text, &run, false), "weir  wr|<b>?[31m_  "));
    assert_null(strchr(text.data, '\033'));
    assert_non_null(strstr(block_of(&text, &run, true), "| wr\\|&lt;b>?\\[31m\\_ |"));
    assert_null(strchr(text.data, '\033'));
    weir_recorded_close(&run);

    read_result("ior-failed.jsonl", &run);
    for (unsigned i = 0; i < run.result->phase_count; i++)
        run.result->phases[i].failure = "/a/`b`*c_d: gone";
    assert_non_null(strstr(block_of(&text, &run, true), "/a/\\`b\\`\\*c\\_d: gone\n"));
    run.plan->tests[0]->label = "my_*back*";
    assert_non_null(strstr(block_of(&text, &run, true), ", my\\_\\*back\\*, "));
    weir_text_close(&text);
    weir_recorded_close(&run);
}

static void what_is_unknown_is_left_out(void **state)
{
    struct weir_target target;
    struct weir_recorded run;
    struct weir_text text = {0};

    read_result("ior-one.jsonl", &run);
    run.plan->tests[0]->phases[0]->transfers.layout.transfer_bytes = 0;
    assert_null(strstr(block_of(&text, &run, false), " 0 "));
    assert_non_null(strstr(text.data, "1 rank, 1 node, POSIX, shared file, "));
    run.result->test_count = 0;
    assert_null(strstr(block_of(&text, &run, false), "node"));
    assert_non_null(strstr(text.data, "weir  1 rank, "));
    run.result->test_count = 1;
    target = *run.plan->tests[0]->phases[0]->target;
    target.is_shared = false;
    target.is_device = true;
    run.plan->tests[0]->phases[0]->target = &target;
    assert_non_null(strstr(block_of(&text, &run, false), ", device per process, "));
    weir_text_close(&text);
    weir_recorded_close(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_verdict_comes_first_and_is_short),
                                       cmocka_unit_test(long_targets_stay_apart),
                                       cmocka_unit_test(names_of_others_steer_nothing),
                                       cmocka_unit_test(what_is_unknown_is_left_out)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
