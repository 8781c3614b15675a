/* SPDX-License-Identifier: Apache-2.0 */
/* Every plan among the golden command lines, written to a result file and read from it: nothing
 * that explains it may be lost. */
#include "weir/front/front.h"
#include "weir/io/backend.h"
#include "weir/report/report.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include <cmocka.h>

#define BACKENDS_MAX 32

static struct weir_backends built(const struct weir_descriptor *descriptors[BACKENDS_MAX])
{
    assert_in_range(weir_registry.count, 1, BACKENDS_MAX);
    for (size_t i = 0; i < weir_registry.count; i++)
        descriptors[i] = &weir_registry.backends[i]->descriptor;
    return (struct weir_backends){.descriptors = descriptors, .count = weir_registry.count};
}

/* The name of a program, and the words of a .cmd file without its comments. */
static void read_words(const char *path, const char *program, wordexp_t *words)
{
    char line[4096];
    char text[16384];
    FILE *file = fopen(path, "re");

    assert_non_null(file);
    snprintf(text, sizeof text, "%s", program);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = ' ';
        if (line[0] != '#')
            snprintf(text + strlen(text), sizeof text - strlen(text), " %s", line);
    }
    fclose(file);
    assert_int_equal(wordexp(text, words, WRDE_NOCMD), 0);
}

static void store(const struct weir_plan *plan, const char *path)
{
    struct weir_result *result = weir_result_open((unsigned)plan->test_count);
    struct weir_text text = {0};
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    weir_record_run(&text, plan, result);
    fputs(weir_text_string(&text), file);
    fclose(file);
    weir_text_close(&text);
    weir_result_close(result);
}

static char *explanation(const struct weir_plan *plan)
{
    struct weir_text text = {0};

    weir_plan_explain(plan, &text);
    return text.data;
}

static void assert_same_settings(const struct weir_test *wrote, const struct weir_test *read)
{
    assert_int_equal(read->setting_count, wrote->setting_count);
    for (size_t i = 0; i < wrote->setting_count; i++)
        assert_string_equal(weir_test_setting(read, wrote->settings[i].key),
                            wrote->settings[i].value);
    assert_int_equal(read->remark_count, wrote->remark_count);
    for (size_t i = 0; i < wrote->remark_count; i++)
        assert_string_equal(read->remarks[i], wrote->remarks[i]);
}

static void assert_kept(const struct weir_plan *plan, const char *path)
{
    struct weir_recorded run = {0};
    struct weir_error error = {0};
    char *wrote, *read;

    store(plan, path);
    if (weir_record_read(path, WEIR_LAST_RUN, &run, &error) != 0)
        fail_msg("%s: %s", plan->command_line, error.text);
    wrote = explanation(plan);
    read = explanation(run.plan);
    assert_string_equal(read, wrote);
    assert_string_equal(run.plan->command_line, plan->command_line);
    for (size_t i = 0; i < plan->test_count; i++)
        assert_same_settings(plan->tests[i], run.plan->tests[i]);
    free(wrote);
    free(read);
    weir_recorded_close(&run);
}

/* Of the folder `dialect`. Returns how many there are. */
static unsigned keep_plans(const char *dialect, const char *program, const char *path)
{
    const struct weir_descriptor *descriptors[BACKENDS_MAX];
    const struct weir_backends backends = built(descriptors);
    glob_t files = {0};
    unsigned plans = 0;

    if (chdir(dialect) != 0)
        fail_msg("WEIR_GOLDEN is to name tests/golden");
    assert_int_equal(glob("*.cmd", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        wordexp_t words;
        struct weir_command command;
        struct weir_error error = {0};

        read_words(files.gl_pathv[i], program, &words);
        /* Some are refused, and some only print. */
        if (weir_front_read((int)words.we_wordc, (const char *const *)words.we_wordv, &backends,
                            &command, &error) == 0 &&
            command.plan) {
            assert_kept(command.plan, path);
            plans++;
        }
        weir_command_close(&command);
        wordfree(&words);
    }
    globfree(&files);
    assert_int_equal(chdir(".."), 0);
    return plans;
}

static void every_golden_plan_comes_back_whole(void **state)
{
    const char *golden = getenv("WEIR_GOLDEN");
    char path[] = "/tmp/weir-record-plan-XXXXXX";

    (void)state;
    close(mkstemp(path));
    if (chdir(golden ? golden : "../../tests/golden") != 0)
        fail_msg("WEIR_GOLDEN is to name tests/golden");
    assert_in_range(keep_plans("ior", "weir", path), 300, UINT32_MAX);
    assert_in_range(keep_plans("mdtest", "mdtest", path), 90, UINT32_MAX);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_golden_plan_comes_back_whole),
    };

    return cmocka_run_group_tests_name("record_plan", tests, NULL, NULL);
}
