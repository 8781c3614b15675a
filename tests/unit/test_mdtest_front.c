/* SPDX-License-Identifier: Apache-2.0 */
/* The mdtest dialect: from words to a plan, against made-up backends. */
#include "front_bed.h"

#include "front/common_words.h"
#include "front/mdtest/options.h"

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
    .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_MKNOD | WEIR_NAMES_LINK | WEIR_NAMES_SYMLINK |
                  WEIR_NAMES_CHMOD | WEIR_NAMES_XATTR | WEIR_NAMES_LIST | WEIR_NAMES_SYNC_ALL,
    .options = {"POSIX", NULL, 0},
};
static const struct weir_descriptor uring = {
    .name = "uring",
    .label = "URING",
    .version = "",
    .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_CAN_QUEUE,
    .name_verbs = WEIR_NAMES_RENAME,
    .standard_depth = 4,
    .options = {"URING", NULL, 0},
};
static const struct weir_descriptor *const descriptors[] = {&posix, &uring};
static const struct weir_backends backends = {descriptors, COUNT(descriptors), NULL};

#define PLAN_OF(command, ...)                                                                      \
    plan_of((const char *const[WORDS_MAX]){"mdtest", __VA_ARGS__}, command)

/* ---- which program ---- */

static void links_and_first_words_choose_the_dialect(void **state)
{
    static const char *const cases[][WORDS_MAX] = {
        {"mdtest", "-n", "8"},
        {"/usr/bin/mdtest-4.1", "-n=8", "-F"},
        {"weir", "mdtest", "-n8"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_plan *plan = plan_of(cases[i], &command);

        assert_string_equal(plan->dialect, "mdtest");
        assert_string_equal(plan->tests[0]->dialect, "mdtest");
        assert_string_equal(plan->output.reporter, "mdtest");
        assert_true(plan->output.is_apart == (i < 2));
        weir_command_close(&command);
    }
}

/* All tables are searched for a long name, and each that has it is given the value. */
static void no_long_name_stands_in_two_tables(void **state)
{
    const struct weir_option_set *const sets[] = {&weir_mdtest_option_set, &weir_mdtest_old_set,
                                                  &weir_mdtest_addition_set, &weir_common_set,
                                                  &weir_mdtest_order_set};

    (void)state;
    for (size_t i = 0; i < COUNT(sets); i++)
        for (size_t k = 0; k < i; k++)
            for (const struct weir_option *row = sets[i]->rows; row->letter || row->name; row++)
                if (row->name && weir_options_find(sets[k]->rows, row->name))
                    fail_msg("%s", row->name);
}

/* ---- which phases ---- */

/* "Md" makes items that are directories, "Mt" directories of the tree, "Sf" stats files. */
static void spell_phases(const struct weir_test *test, struct weir_text *text)
{
    static const char letters[WEIR_VERB_COUNT] = {
        [WEIR_CREATE] = 'C', [WEIR_MKNOD] = 'K',  [WEIR_STAT] = 'S',   [WEIR_READ_FILE] = 'R',
        [WEIR_RENAME] = 'N', [WEIR_UNLINK] = 'U', [WEIR_MKDIR] = 'M',  [WEIR_RMDIR] = 'D',
        [WEIR_LINK] = 'L',   [WEIR_LIST] = 'I',   [WEIR_LOOKUP] = 'P', [WEIR_SYMLINK] = 'Y',
    };

    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_names *names = &test->phases[i]->names;

        weir_text_add(text, "%s%c%c", i > 0 ? " " : "", letters[test->phases[i]->verb],
                      names->item == NULL   ? 't'
                      : names->is_directory ? 'd'
                                            : 'f');
    }
}

static void words_choose_the_phases(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *phases;
    } cases[] = {
        {{"mdtest", "-n", "8"}, "Mt Md Sd Nd Dd Cf Sf Rf Uf Dt"},
        {{"mdtest", "-n", "1"}, "Mt Md Sd Dd Cf Sf Rf Uf Dt"},
        {{"mdtest", "-n", "8", "-F"}, "Mt Cf Sf Rf Uf Dt"},
        {{"mdtest", "-n", "8", "-D"}, "Mt Md Sd Nd Dd Dt"},
        {{"mdtest", "-n", "8", "-S"}, "Mt Cf Sf Rf Uf Dt"},
        {{"mdtest", "-n", "8", "-C"}, "Mt Md Cf"},
        {{"mdtest", "-n", "8", "-T"}, "Sd Sf"},
        {{"mdtest", "-n", "8", "-E"}, "Rf"},
        {{"mdtest", "-n", "8", "-r"}, "Dd Uf Dt"},
        {{"mdtest", "-n", "8", "-U"}, "Nd"},
        {{"mdtest", "-n", "8", "-C", "-r", "-F", "-k"}, "Mt Kf Uf Dt"},
        {{"mdtest", "-z", "2", "-b", "2"}, "Mt Dt"},
        {{"mdtest", "-n", "8", "-C", "-F", "--also", "lookup,list,link"}, "Mt Cf Pf It Lf Uf"},
        {{"mdtest", "-n", "8", "-D", "-T", "--also", "symlink,rename"}, "Sd Yd Uf Nd Nd"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_plan *plan = plan_of(cases[i].words, &command);
        struct weir_text text = {0};

        spell_phases(plan->tests[0], &text);
        assert_string_equal(weir_text_string(&text), cases[i].phases);
        weir_text_close(&text);
        weir_command_close(&command);
    }
}

/* What --also makes is gone behind it: whatever comes next finds the names that mdtest made. */
static void further_phases_leave_names_as_they_were(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-n", "8", "-F", "-T", "--also", "link,rename,lookup");
    struct weir_phase *const *phases = plan->tests[0]->phases;

    (void)state;
    assert_string_equal(phases[1]->names.new_item, "file.mdtest.%r.%n.link");
    assert_int_equal(phases[2]->verb, WEIR_UNLINK);
    assert_string_equal(phases[2]->names.item, phases[1]->names.new_item);
    assert_string_equal(phases[3]->names.item, phases[4]->names.new_item);
    assert_string_equal(phases[3]->names.new_item, phases[4]->names.item);
    assert_string_equal(phases[5]->names.item, "file.mdtest.%r.%n.absent");
    weir_command_close(&command);
}

/* ---- which items, and where ---- */

static void counts_and_shapes_of_trees_are_those_of_mdtest(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        uint64_t sets, directories, per_directory, items;
    } cases[] = {
        {{"mdtest", "-n", "8"}, 1, 1, 8, 8},
        {{"mdtest", "-n", "1k"}, 1, 1, 1024, 1024},
        {{"mdtest", "-n", "26", "-z", "2", "-b", "3"}, 1, 13, 2, 26},
        {{"mdtest", "-n", "30", "-z", "2", "-b", "3"}, 1, 13, 2, 26},
        {{"mdtest", "-n", "30", "-z", "2", "-b", "3", "-L"}, 1, 13, 3, 27},
        {{"mdtest", "-n", "8", "-z", "3"}, 1, 4, 2, 8},
        {{"mdtest", "-n", "8", "-z", "3", "-L"}, 1, 4, 8, 8},
        {{"mdtest", "-I", "5", "-z", "2", "-b", "2"}, 1, 7, 5, 35},
        {{"mdtest", "-I", "5", "-z", "2", "-b", "2", "-L"}, 1, 7, 5, 20},
        {{"mdtest", "-I", "5", "-n", "20", "-z", "1", "-b", "2"}, 4, 3, 5, 60},
        {{"mdtest", "-z", "1", "-b", "2"}, 1, 3, 0, 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_tree *tree =
            plan_of(cases[i].words, &command)->tests[0]->phases[0]->target->tree;

        assert_int_equal(tree->set_count, cases[i].sets);
        assert_int_equal(weir_tree_directories(tree), cases[i].directories);
        assert_int_equal(tree->items_per_directory, cases[i].per_directory);
        assert_int_equal(weir_tree_items(tree), cases[i].items);
        weir_command_close(&command);
    }
}

/* What is asked for, and what of it whole numbers allow. */
static void skew_gives_the_first_directories_their_share(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        uint64_t crowded, each, others, items; /* items: of a set */
    } cases[] = {
        {{"mdtest", "--skew", "80/20", "-z", "1", "-b", "9", "-n", "1000"}, 2, 400, 25, 1000},
        {{"mdtest", "--skew", "80/20", "-z", "1", "-b", "9", "-n", "1001"}, 2, 400, 25, 1000},
        {{"mdtest", "--skew", "80/20", "-z", "2", "-b", "3", "-n", "1300"}, 3, 346, 26, 1298},
        {{"mdtest", "--skew", "80/20", "-z", "2", "-b", "3", "-I", "100"}, 3, 346, 26, 1298},
        {{"mdtest", "--skew", "80/20", "-z", "1", "-b", "9", "-I", "9", "-n", "27"}, 2, 37, 2, 90},
        {{"mdtest", "--skew", "100/20", "-z", "1", "-b", "10", "-L", "-n", "7"}, 2, 3, 0, 6},
        {{"mdtest", "--skew", "99.9/0.1", "-z", "1", "-b", "9", "-n", "10k"}, 1, 10231, 1, 10240},
        {{"mdtest", "--skew", "60/50", "-z", "1", "-b", "1", "-n", "11", "-u"}, 1, 7, 4, 11},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test;
        const struct weir_tree *tree;

        test = plan_of(cases[i].words, &command)->tests[0];
        tree = test->phases[0]->target->tree;
        assert_int_equal(tree->crowded_count, cases[i].crowded);
        assert_int_equal(tree->crowded_items, cases[i].each);
        assert_int_equal(tree->items_per_directory, cases[i].others);
        assert_int_equal(weir_tree_items_per_set(tree), cases[i].items);
        assert_int_equal(test->remark_count, 1);
        assert_non_null(strstr(test->remarks[0], "--skew"));
        weir_command_close(&command);
    }
}

/* The second test of each pair: as many items in one directory, named as those of the first. */
static void crowded_tests_are_compared(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        uint64_t items;
        const char *item; /* of the last phase but one */
    } cases[] = {
        {{"mdtest", "-n", "30", "-z", "2", "-b", "3"}, 26, "file.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "-u", "-N", "1"}, 8, "file.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "-u", "-d", "/a@/b"}, 8, "file.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "-I", "2", "-z", "1", "-b", "2", "-L", "-S"},
         16,
         "file.mdtest.shared.%n"},
        {{"mdtest", "-n", "100", "-z", "1", "-b", "9", "--skew", "80/20", "-u", "-c"},
         100,
         "file.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "-u", "-f", "1", "-l", "2"}, 8, "file.mdtest.%r.%n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *words[WORDS_MAX] = {0};
        struct weir_command command;
        const struct weir_plan *plan;
        size_t count = 0;

        while (cases[i].words[count] != NULL) {
            words[count] = cases[i].words[count];
            count++;
        }
        words[count] = "--compare-crowded";
        plan = plan_of(words, &command);
        assert_int_equal(plan->test_count, i == 5 ? 4 : 2);
        for (size_t k = 0; k < plan->test_count; k += 2) {
            const struct weir_test *many = plan->tests[k], *one = plan->tests[k + 1];
            const struct weir_target *target = one->phases[0]->target;

            assert_false(many->is_compared);
            assert_true(one->is_compared);
            assert_int_equal(one->rank_limit, many->rank_limit);
            assert_int_equal(one->phase_count, many->phase_count);
            for (size_t p = 0; p < one->phase_count; p++)
                assert_int_equal(one->phases[p]->verb, many->phases[p]->verb);
            assert_int_equal(weir_tree_items(target->tree), cases[i].items);
            assert_int_equal(weir_tree_items(many->phases[0]->target->tree), cases[i].items);
            assert_int_equal(weir_tree_directories(target->tree), 1);
            assert_int_equal(target->tree->set_count, 1);
            assert_int_equal(target->path_count, 1);
            assert_false(target->tree->is_own);
            assert_string_equal(target->tree->top, "test-dir.crowded.%i-%s");
            assert_string_equal(one->phases[one->phase_count - 2]->names.item, cases[i].item);
            assert_int_equal(one->phases[1]->names.tree_shift.kind, WEIR_SHIFT_NONE);
        }
        weir_command_close(&command);
    }
}

static void names_are_those_of_mdtest(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        const char *top, *node, *item; /* of the last phase but one */
    } cases[] = {
        {{"mdtest", "-n", "8"}, "test-dir.%i-%s", "mdtest_tree.%k", "file.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "-u"}, "test-dir.%i-%s", "mdtest_tree.%r.%k", "file.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "-S"}, "test-dir.%i-%s", "mdtest_tree.%k", "file.mdtest.shared.%n"},
        {{"mdtest", "-n", "8", "-D"}, "test-dir.%i-%s", "mdtest_tree.%k", "dir.mdtest.%r.%n"},
        {{"mdtest", "-n", "8", "--compat", "3.2"},
         "#test-dir.%i-%s",
         "mdtest_tree.%k",
         "file.mdtest.%r.%n"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_command command;
        const struct weir_test *test = plan_of(cases[i].words, &command)->tests[0];
        const struct weir_phase *phase = test->phases[test->phase_count - 2];

        assert_string_equal(phase->target->tree->top, cases[i].top);
        assert_string_equal(phase->target->tree->node, cases[i].node);
        assert_string_equal(phase->names.item, cases[i].item);
        weir_command_close(&command);
    }
}

static void each_phase_goes_further_away_than_the_one_before(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-n", "8", "-F", "-N", "3", "-u");
    static const uint64_t distances[] = {0, 0, 3, 6, 9, 0};

    (void)state;
    assert_int_equal(plan->tests[0]->phase_count, COUNT(distances));
    for (size_t i = 0; i < COUNT(distances); i++) {
        const struct weir_phase *phase = plan->tests[0]->phases[i];
        bool is_of_items = phase->names.item != NULL;

        assert_int_equal(phase->shift.distance, distances[i]);
        assert_true((phase->shift.kind == WEIR_SHIFT_NODES_OR_RANKS) == (distances[i] > 0));
        assert_true((phase->names.tree_shift.kind == WEIR_SHIFT_NODES_OR_RANKS) == is_of_items);
        assert_int_equal(phase->names.tree_shift.distance, is_of_items ? 3 : 0);
    }
    weir_command_close(&command);
}

/* ---- tests, stops and output ---- */

static void a_test_is_made_for_each_number_of_tasks(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-n", "8", "-f", "2", "-l", "9", "-s", "3");

    (void)state;
    assert_int_equal(plan->test_count, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(plan->tests[i]->rank_limit, 2 + 3 * i);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-n", "8");
    assert_int_equal(plan->test_count, 1);
    assert_int_equal(plan->tests[0]->rank_limit, 0);
    weir_command_close(&command);
}

static void stonewalls_wear_out_and_both_kinds_of_items_are_counted(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-n", "8", "-W", "0.5", "-x", "/x", "-i", "2");

    (void)state;
    assert_int_equal(plan->tests[0]->repetitions, 2);
    for (size_t i = 0; i < plan->tests[0]->phase_count; i++) {
        const struct weir_phase *phase = plan->tests[0]->phases[i];
        bool makes =
            phase->names.item != NULL && (phase->verb == WEIR_CREATE || phase->verb == WEIR_MKDIR);

        assert_true((phase->stop.status_path != NULL) == (phase->names.item != NULL));
        assert_true(phase->stop.is_second_count ==
                    (phase->names.item != NULL && phase->names.is_directory));
        assert_int_equal(phase->stop.deadline_ns, makes ? UINT64_C(500000000) : 0);
        assert_true(phase->stop.has_wear_out == makes);
    }
    weir_command_close(&command);
}

/* --depth is that of the queue, and -z that of the tree. A backend's own depth is for transfers. */
static void depths_are_two(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-a", "uring", "-n", "8", "-z", "1", "--depth", "7");

    (void)state;
    assert_int_equal(plan->tests[0]->phases[0]->target->tree->depth, 1);
    assert_int_equal(plan->tests[0]->phases[0]->depth, 1);
    assert_int_equal(plan->tests[0]->phases[1]->depth, 7);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-a", "uring", "-n", "8");
    assert_int_equal(plan->tests[0]->phases[1]->depth, 1);
    weir_command_close(&command);
}

/* Whose trials find the depth of each phase, from the tree's creation to its removal. */
static void depths_are_found_where_trials_can_be_undone(void **state)
{
    static const unsigned tried[] = {1, 2, 1, 1, 5, 6, 7, 5};
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-a", "uring", "-n", "8", "--depth", "auto:9");
    const struct weir_test *test = plan->tests[0];

    (void)state;
    assert_int_equal(test->phase_count, 10);
    assert_false(test->phases[0]->must_find_depth);
    assert_false(test->phases[9]->must_find_depth);
    for (unsigned i = 1; i < 9; i++) {
        assert_true(test->phases[i]->must_find_depth);
        assert_int_equal(test->phases[i]->depth, 9);
        assert_ptr_equal(weir_test_tried_phase(test, test->phases[i]), test->phases[tried[i - 1]]);
    }
    weir_command_close(&command);
}

static void rates_of_bytes_are_those_of_phases_that_move_some(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-n", "8", "-F", "-w", "4k", "-e", "1k", "--rate", "1m");

    (void)state;
    for (unsigned i = 0; i < plan->tests[0]->phase_count; i++) {
        const struct weir_phase *phase = plan->tests[0]->phases[i];

        assert_true(phase->rate.is_in_bytes == (weir_phase_op_bytes(phase) > 0));
        assert_true(phase->rate.is_in_bytes ==
                    (phase->verb == WEIR_CREATE || phase->verb == WEIR_READ_FILE));
    }
    weir_command_close(&command);
}

static void words_of_the_report_are_settings_or_output(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan = PLAN_OF(&command, "-n", "8", "-Z", "-vv", "--compat", "4.0",
                                           "--warningAsErrors", "--showRankStatistics");

    (void)state;
    assert_string_equal(weir_test_setting(plan->tests[0], "print-time"), "1");
    assert_string_equal(weir_test_setting(plan->tests[0], "print-rate-and-time"), "0");
    assert_string_equal(weir_test_setting(plan->tests[0], "showRankStatistics"), "1");
    assert_string_equal(plan->output.style, "mdtest 4.0");
    assert_int_equal(plan->output.verbosity, 2);
    assert_true(plan->output.warnings_are_errors);
    weir_command_close(&command);
    plan = PLAN_OF(&command, "-n", "8", "-V=3", "--summaryFormat", "JSON");
    assert_string_equal(plan->output.reporter, WEIR_REPORTER_JSON);
    assert_null(plan->output.style);
    assert_int_equal(plan->output.verbosity, 3);
    weir_command_close(&command);
}

static void data_and_their_seed_follow_the_words(void **state)
{
    struct weir_command command;
    const struct weir_plan *plan =
        PLAN_OF(&command, "-n", "8", "-F", "-w", "4k", "-e", "1k", "-X", "-G", "-5", "-y", "-Y");
    const struct weir_names *made = &weir_test_phase(plan->tests[0], WEIR_CREATE)->names;
    const struct weir_names *read = &weir_test_phase(plan->tests[0], WEIR_READ_FILE)->names;

    (void)state;
    assert_int_equal(made->bytes, 4096);
    assert_int_equal(read->bytes, 1024);
    assert_true(made->payload.seed_is_given && read->payload.seed_is_given);
    assert_int_equal(made->payload.seed, UINT32_MAX - 4);
    assert_true(read->must_verify && !made->must_verify_made);
    assert_true(made->must_sync && made->must_sync_all && read->must_sync_all);
    assert_false(weir_test_phase(plan->tests[0], WEIR_MKDIR)->names.must_sync_all);
    weir_command_close(&command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_and_first_words_choose_the_dialect),
        cmocka_unit_test(no_long_name_stands_in_two_tables),
        cmocka_unit_test(words_choose_the_phases),
        cmocka_unit_test(further_phases_leave_names_as_they_were),
        cmocka_unit_test(counts_and_shapes_of_trees_are_those_of_mdtest),
        cmocka_unit_test(crowded_tests_are_compared),
        cmocka_unit_test(skew_gives_the_first_directories_their_share),
        cmocka_unit_test(names_are_those_of_mdtest),
        cmocka_unit_test(each_phase_goes_further_away_than_the_one_before),
        cmocka_unit_test(a_test_is_made_for_each_number_of_tasks),
        cmocka_unit_test(stonewalls_wear_out_and_both_kinds_of_items_are_counted),
        cmocka_unit_test(depths_are_two),
        cmocka_unit_test(depths_are_found_where_trials_can_be_undone),
        cmocka_unit_test(rates_of_bytes_are_those_of_phases_that_move_some),
        cmocka_unit_test(words_of_the_report_are_settings_or_output),
        cmocka_unit_test(data_and_their_seed_follow_the_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
