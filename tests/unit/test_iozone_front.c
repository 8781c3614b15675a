/* SPDX-License-Identifier: Apache-2.0 */
/* The iozone dialect: from words to a plan, against made-up backends. */
#include "front_bed.h"

#include "front/iozone/lowering.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const struct weir_descriptor posix = {
    .name = "posix",
    .label = "POSIX",
    .version = "",
    .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME,
    .options = {"POSIX", NULL, 0},
};
static const struct weir_descriptor stdio_backend = {
    .name = "stdio",
    .label = "STDIO",
    .version = "",
    .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME,
    .options = {"STDIO", NULL, 0},
};
static const struct weir_descriptor *const descriptors[] = {&posix, &stdio_backend};
static const struct weir_backends backends = {descriptors, COUNT(descriptors), NULL};

#define PLAN_OF(command, ...)                                                                      \
    plan_of((const char *const[WORDS_MAX]){"iozone", __VA_ARGS__}, command)

static void sizes_without_a_unit_are_kilobytes(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"4", 4096},
                 {"4k", 4096},
                 {"1m", 1 << 20},
                 {"1.5", 1536},
                 {"2g", UINT64_C(2) << 30},
                 {"1T", UINT64_C(1) << 40}};
    uint64_t bytes;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(weir_iozone_size_parse(cases[i].text, &bytes), 0);
        assert_int_equal(bytes, cases[i].bytes);
    }
    assert_int_not_equal(weir_iozone_size_parse("", &bytes), 0);
    assert_int_not_equal(weir_iozone_size_parse("k", &bytes), 0);
}

/* Clusters, attached values, operands of -+ behind other words, lists, in one line or in many. */
static void spellings_mean_the_same(void **state)
{
    static const char *const cases[][WORDS_MAX] = {
        {"iozone", "-t", "2", "-i", "0", "-i", "8", "-s", "1m", "-ceO", "-+p", "75", "-+n"},
        {"/usr/bin/iozone", "-t2", "-i0", "-i8", "-s1m", "-Oec", "-+n", "-+p", "75"},
        {"weir", "iozone", "-+n", "-+p", "75", "-i8", "-i0", "-cs", "1024", "-eOt2"},
    };
    char id[17] = "";

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_plan *plan = plan_of(cases[i], &command);

        assert_string_equal(plan->dialect, "iozone");
        assert_true(i == 0 || strcmp(plan->id, id) == 0);
        memcpy(id, plan->id, sizeof id);
        weir_plan_close(command.plan);
    }
}

static const struct weir_phase *tests_removal(const struct weir_test *test)
{
    assert_int_equal(test->phases[test->phase_count - 1]->verb, WEIR_REMOVE);
    return test->phases[test->phase_count - 1];
}

static void tests_of_children_are_in_their_order(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-t", "2", "-s", "1m", "-r", "64k");

    assert_int_equal(plan->test_count, 2);
    assert_int_equal(plan->rank_need, 2);
    assert_string_equal(weir_test_setting(plan->tests[0], "tests"),
                        "write rewrite read reread backward stride random-read mixed random-write "
                        "pwrite pread -");
    assert_true(tests_removal(plan->tests[0])->names.only_if_ending);
    assert_false(tests_removal(plan->tests[1])->names.only_if_ending);
    assert_string_equal(weir_test_setting(plan->tests[1], "tests"), "fwrite fread -");
    assert_ptr_equal(plan->tests[1]->backend, &stdio_backend);
    assert_true(plan->tests[0]->must_keep && !plan->tests[1]->must_keep);
    weir_plan_close(command.plan);
}

static void the_stonewall_is_that_of_the_test(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-t", "2", "-s", "1m", "-i", "0", "-i", "6");
    struct weir_phase **phases = plan->tests[0]->phases;

    assert_true(phases[0]->stop.ends_with_first && phases[0]->stop.has_wear_out);
    assert_true(phases[1]->stop.ends_with_first && !phases[1]->stop.has_wear_out);
    assert_false(plan->tests[1]->phases[0]->stop.ends_with_first);
    weir_plan_close(command.plan);
    plan = PLAN_OF(&command, "-t", "2", "-s", "1m", "-i", "0", "-x");
    assert_false(plan->tests[0]->phases[0]->stop.ends_with_first);
    weir_plan_close(command.plan);
}

/* 64 kB: 5 records of up to its size; 32 MB: those from 64 kB on, or all with -z. */
static void auto_mode_skips_small_records_of_large_files(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        size_t tests;
    } cases[] = {
        {{"iozone", "-a", "-i", "0", "-n", "64k", "-g", "64k"}, 5},
        {{"iozone", "-a", "-i", "0", "-n", "32m", "-g", "32m"}, 9},
        {{"iozone", "-i", "0", "-n", "64k", "-g", "128k", "-y", "4k", "-q", "8k"}, 1},
        {{"iozone", "-i", "0", "-s", "64k", "-s", "128k"}, 11},
        {{"iozone", "-i", "0", "-r", "1m", "-r", "2m", "-n", "2m", "-g", "8m"}, 6},
        {{"iozone", "-az", "-i", "0", "-n", "32m", "-g", "32m"}, 13},
        {{"iozone", "-s", "2m", "-s", "1m", "-r", "64", "-r", "4", "-i", "0"}, 4},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;

        assert_int_equal(plan_of(cases[i].words, &command)->test_count, cases[i].tests);
        weir_plan_close(command.plan);
    }
}

static void header_lines_are_in_the_order_of_the_words(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-e", "-s", "4m", "-+n", "-r", "64", "-c", "-i", "0");

    assert_string_equal(weir_test_setting(plan->tests[0], "splash"),
                        "Include fsync in write timing\nFile size set to 4096 kB\n"
                        "No retest option selected\nRecord Size 64 kB\n"
                        "Include close in write timing");
    weir_plan_close(command.plan);
}

/* Some options add two lines, and some a line after that of the unit. */
static void modes_add_all_lines_of_the_original(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *splash, *compute_time;
    } cases[] = {
        {{"iozone", "-+d"},
         ">>> I/O Diagnostic mode enabled. <<<\n"
         "Performance measurements are invalid in this mode.",
         NULL},
        {{"iozone", "-V", "5"},
         "Verify Mode. Pattern 5050505\nPerformance measurements are invalid in this mode.",
         NULL},
        {{"iozone", "-V", "255"},
         "Verify Mode. Pattern ffffffff\nPerformance measurements are invalid in this mode.",
         NULL},
        {{"iozone", "-J", "20"}, NULL, "0.020000 seconds for reads and writes.\n"},
        {{"iozone", "-J", "1500", "-+J"},
         ">>> Think time is included in throughput cal. <<<",
         "1.500000 seconds for reads and writes.\n"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];
        const char *const found[] = {weir_test_setting(test, "splash"),
                                     weir_test_setting(test, "compute-time")};
        const char *const wanted[] = {cases[i].splash, cases[i].compute_time};

        for (unsigned k = 0; k < COUNT(found); k++)
            if (wanted[k])
                assert_string_equal(found[k], wanted[k]);
            else
                assert_null(found[k]);
        weir_plan_close(command.plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_without_a_unit_are_kilobytes),
        cmocka_unit_test(spellings_mean_the_same),
        cmocka_unit_test(tests_of_children_are_in_their_order),
        cmocka_unit_test(the_stonewall_is_that_of_the_test),
        cmocka_unit_test(auto_mode_skips_small_records_of_large_files),
        cmocka_unit_test(header_lines_are_in_the_order_of_the_words),
        cmocka_unit_test(modes_add_all_lines_of_the_original),
    };

    return cmocka_run_group_tests_name("iozone_front", tests, NULL, NULL);
}
