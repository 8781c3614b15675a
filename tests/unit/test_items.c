/* SPDX-License-Identifier: Apache-2.0 */
/* Phases on trees, on one rank without MPI: command lines of mdtest in, records and names out. */
#include "engine_bed.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

static void set_up_trees(struct bed *bed)
{
    set_up(bed);
    bed->dialect = "mdtest";
}

static int remove_name(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

static void tear_down_trees(struct bed *bed)
{
    nftw(bed->directory, remove_name, 16, FTW_DEPTH | FTW_PHYS);
    mkdir(bed->directory, 0700);
    tear_down(bed);
}

/* No operation failed, nothing was missed, and nothing stays. */
static void assert_clean(const struct bed *bed, const char *line)
{
    for (unsigned i = 0; i < bed->result->phase_count; i++) {
        const struct weir_phase_result *record = &bed->result->phases[i];

        if (record->error_count + record->absent_count + record->left_count +
                    record->mismatches.wrong_transfers !=
                0 ||
            (record->failure != NULL && record->failure[0] != '\0'))
            fail_msg("%s: phase %u: %s", line, record->phase, record->failure);
    }
    if (count_files(bed) != 0)
        fail_msg("%s: something is left", line);
}

/* ---- what a run does ---- */

static void every_item_is_worked_on_once_and_nothing_is_left(void **state)
{
    static const char *const lines[] = {
        "-d %s/o -n 30",
        "-d %s/o -n 30 -R",
        "-d %s/o -n 30 --shuffle",
        "-d %s/o -b 3 -z 2 -I 2 -u",
        "-d %s/o -b 2 -z 3 -n 32 -L -D",
        "-d %s/o -b 1 -z 5 -I 3 -i 2",
        "-d %s/o -n 30 -c",
        "-d %s/o -n 30 -c -u -R",
        "-d %s/o -n 30 -S -w 100 -e 100",
        "-d %s/o -n 30 -F -w 5000 -e 5000 -X -G 7 -R",
        "-d %s/o -n 30 -F -c -w 5000 -e 5000 -X -G 7 -R",
        "-a URING -d %s/o -n 100 -F -w 5000 -e 5000 -X -G 7 -R --depth 32",
        "-a URING -d %s/o -n 100 -F -w 5000 -e 5000 -X -G 7 -R -y",
        "-a URING -d %s/o -n 100 --depth 32 --shuffle",
        "-a fault:posix --fault.every=3 --fault.short=512 -d %s/o -n 20 -F -w 4096 -e 4096 -X -G 7",
        "-a DUMMY -d %s/o -n 30 -F",
        "-a DUMMY -d %s/o -n 30 -F --depth 32 -w 10",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        set_up_trees(&bed);
        run_well(&bed, lines[i]);
        for (unsigned k = 0; k < bed.result->phase_count; k++) {
            assert_int_equal(phase(&bed, k)->outcome, WEIR_OUTCOME_COMPLETE);
            assert_true(phase(&bed, k)->op_count > 0);
        }
        assert_clean(&bed, lines[i]);
        tear_down_trees(&bed);
    }
}

/* ---- what ends it early ---- */

static void after_a_signal_all_that_was_made_is_removed(void **state)
{
    static const char *const lines[] = {"-d %s/o -n 30 -F", "-d %s/o -n 30 -F --shuffle -u",
                                        "-a URING -d %s/o -n 300 -F --depth 32",
                                        "-d %s/o -n 30 -D"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        set_up_trees(&bed);
        bed.phases_until_signal = 2;
        run(&bed, lines[i]);
        assert_true(bed.result->is_interrupted);
        assert_clean(&bed, lines[i]);
        tear_down_trees(&bed);
    }
}

/* Items that one phase made are those that the others take up. */
static void phases_behind_a_cut_one_work_on_what_was_made(void **state)
{
    static const char *const lines[] = {
        "-a fault:posix --fault.verb=open --fault.every=1 --fault.delay=1000 -d %s/o -n 3000 -F "
        "-W 1 -R",
        "-a fault:posix --fault.verb=open --fault.every=1 --fault.delay=1000 -d %s/o -n 3000 -F "
        "-W 1 --shuffle",
        "-a fault:posix --fault.verb=open --fault.every=1 --fault.delay=1000 -d %s/o -n 3000 -F "
        "-W 1 -c",
        "-a fault:posix --fault.verb=open --fault.every=1 --fault.delay=1000 -d %s/o -n 3000 -F "
        "-W 1 -S",
        "-a fault:posix --fault.verb=mkdir --fault.every=1 --fault.delay=1000 -d %s/o -n 3000 -D "
        "-W 1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct weir_phase_result *made;
        struct bed bed;

        set_up_trees(&bed);
        run(&bed, lines[i]);
        assert_string_equal(bed.error.text, "");
        made = phase(&bed, 1);
        assert_true(made->stonewall.is_hit);
        assert_true(made->op_count < 3000);
        for (unsigned k = 2; k + 1 < bed.result->phase_count; k++)
            assert_true(phase(&bed, k)->op_count >= made->op_count);
        assert_clean(&bed, lines[i]);
        tear_down_trees(&bed);
    }
}

static void cut_the_chain(struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->tests[0]->phase_count; i++)
        if (plan->tests[0]->phases[i]->verb == WEIR_RENAME)
            plan->tests[0]->phases[i]->stop.deadline_ns = 20000000;
}

static void a_chain_that_is_cut_leaves_no_item_away(void **state)
{
    static const char line[] = "-a fault:posix --fault.verb=rename --fault.every=1 "
                               "--fault.delay=1000 -d %s/o -n 500 -D";
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    bed.change = cut_the_chain;
    run_well(&bed, line);
    assert_true(phase(&bed, 3)->op_count < 500);
    assert_clean(&bed, line);
    tear_down_trees(&bed);
}

/* ---- what is the user's ---- */

static void of_two_roots_only_the_one_that_was_made_is_removed(void **state)
{
    struct bed bed;
    char path[PATH_MAX];

    (void)state;
    set_up_trees(&bed);
    snprintf(path, sizeof path, "%s/theirs", bed.directory);
    assert_int_equal(mkdir(path, 0700), 0);
    run_well(&bed, "-d %s/ours@%s/theirs -u -n 3 -F");
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(count_files(&bed), 1);
    tear_down_trees(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_worked_on_once_and_nothing_is_left),
        cmocka_unit_test(after_a_signal_all_that_was_made_is_removed),
        cmocka_unit_test(phases_behind_a_cut_one_work_on_what_was_made),
        cmocka_unit_test(a_chain_that_is_cut_leaves_no_item_away),
        cmocka_unit_test(of_two_roots_only_the_one_that_was_made_is_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
