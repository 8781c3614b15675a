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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_verdict_comes_first_and_is_short)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
