/* SPDX-License-Identifier: Apache-2.0 */
/* Phases on trees, on one rank without MPI: command lines of mdtest in, records and names out. */
#include "engine_bed.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>

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

/* io_uring is left out where liburing is missing or old. */
static bool is_built(const char *line)
{
    return strcasestr(line, "uring") == NULL || weir_backend_find(&weir_registry, "uring") != NULL;
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

        if (!is_built(lines[i]))
            continue;
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

/* ---- depths that are found ---- */

static unsigned curve_of(struct bed *bed, unsigned k)
{
    return phase(bed, k)->depth_curve.count;
}

/* Of the operations in a directory none is a trial's: of 9 items there are 9. */
static void assert_told_without_trials(const struct weir_phase_result *record)
{
    for (unsigned i = 0; i < record->slow_directory_count; i++)
        assert_int_equal(record->slow_directories[i].op_count, 9);
}

/* Creation, stat and read try depths; what removes goes with creation. */
static void a_depth_is_found_and_trials_leave_nothing(void **state)
{
    static const char *const lines[] = {
        "-a URING -d %s/o -n 200 -F --depth auto:2",
        "-a URING -d %s/o -b 3 -z 2 -I 9 -u -D -C -T -r --depth auto:2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        unsigned remover;
        struct bed bed;

        if (!is_built(lines[i]))
            continue;
        set_up_trees(&bed);
        run_well(&bed, lines[i]);
        remover = bed.result->phase_count - 2;
        assert_int_equal(curve_of(&bed, 0), 0);
        for (unsigned k = 1; k < remover; k++) {
            assert_int_equal(curve_of(&bed, k), 2);
            assert_in_range(phase(&bed, k)->depth, 1, 2);
            assert_int_equal(phase(&bed, k)->slow_directory_count, i == 0 ? 0 : 3);
            assert_told_without_trials(phase(&bed, k));
        }
        assert_int_equal(curve_of(&bed, remover), 0);
        assert_int_equal(phase(&bed, remover)->depth, phase(&bed, 1)->depth);
        assert_int_equal(phase(&bed, 1)->op_count, phase(&bed, remover)->op_count);
        assert_clean(&bed, lines[i]);
        tear_down_trees(&bed);
    }
}

/* A trial makes what is not there, and nothing that is there is taken for its own. */
static void trials_leave_items_that_were_there(void **state)
{
    struct stat facts;
    struct bed bed;
    char path[PATH_MAX];

    (void)state;
    if (!is_built("uring"))
        skip();
    set_up_trees(&bed);
    run_well(&bed, "-d %s/o -n 5 -F -C -w 100");
    run(&bed, "-a URING -d %s/o -n 5 -F -C -w 100 --depth auto:2");
    assert_true(phase(&bed, 1)->error_count > 0);
    assert_int_equal(phase(&bed, 1)->op_count, 0);
    for (unsigned k = 0; k < 5; k++) {
        snprintf(path, sizeof path, "%s/o/test-dir.0-0/mdtest_tree.0/file.mdtest.0.%u",
                 bed.directory, k);
        assert_int_equal(stat(path, &facts), 0);
        assert_int_equal(facts.st_size, 100);
    }
    tear_down_trees(&bed);
}

/* 20 files of 50 KiB at 5000 KiB per second are due over 0.19 s; the other phases have no rate. */
static void a_rate_of_bytes_is_that_of_phases_with_bytes(void **state)
{
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    run_well(&bed, "-d %s/o -n 20 -F -w 51200 --rate 5000k");
    assert_true(phase(&bed, 1)->pace.asked_per_s == 100.0);
    assert_true(phase(&bed, 1)->windows.total_s >= 0.19);
    assert_true(phase(&bed, 2)->pace.asked_per_s == 0.0);
    assert_clean(&bed, "rate");
    tear_down_trees(&bed);
}

/* The same of operations, one at a time and in flight. */
static void a_rate_of_operations_is_that_of_all_phases_on_items(void **state)
{
    static const char *const lines[] = {"-d %s/o -n 20 -F --rate 100",
                                        "-a URING -d %s/o -n 20 -F --rate 100 --depth 4"};

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        if (!is_built(lines[i]))
            continue;
        set_up_trees(&bed);
        run_well(&bed, lines[i]);
        for (unsigned k = 1; k + 1 < bed.result->phase_count; k++)
            assert_true(phase(&bed, k)->windows.total_s >= 0.19);
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

        if (!is_built(lines[i]))
            continue;
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

static struct bed *bed_of_timer;

static void on_timer(int number)
{
    bed_of_timer->stop_signal = number;
}

static void a_signal_at_any_time_leaves_nothing(void **state)
{
    static const char *const backends[] = {"posix", "uring --depth 8"};
    unsigned interrupted = 0;
    char line[160];

    (void)state;
    assert_true(signal(SIGALRM, on_timer) != SIG_ERR);
    for (unsigned i = 0; i < 20; i++) {
        struct itimerval timer = {.it_value.tv_usec = 10000 + 40000 * (i / 2)};
        struct bed bed;

        if (!is_built(backends[i % 2]))
            continue;
        set_up_trees(&bed);
        bed_of_timer = &bed;
        snprintf(line, sizeof line,
                 "-a fault:%s --fault.verb=name --fault.every=1 --fault.delay=1000 -d %%s/o -n 42 "
                 "-z 2 -b 4",
                 backends[i % 2]);
        assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
        run(&bed, line);
        timer.it_value.tv_usec = 0;
        assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
        interrupted += bed.result->is_interrupted;
        for (unsigned k = 0; k < bed.result->phase_count; k++)
            assert_int_equal(phase(&bed, k)->error_count + phase(&bed, k)->left_count, 0);
        assert_int_equal(count_files(&bed), 0);
        tear_down_trees(&bed);
    }
    assert_true(interrupted > 0);
    signal(SIGALRM, SIG_DFL);
}

/* ---- second names, and those that are taken and given back ---- */

static void end_at_also(struct bed *bed, const struct weir_phase_result *phase)
{
    enum weir_verb verb = weir_plan_find_phase(bed->plan, 0, phase->phase)->verb;

    if (verb == WEIR_SYMLINK || verb == WEIR_LINK || verb == WEIR_RENAME)
        bed->stop_signal = 15;
}

static void die_at_also(struct bed *bed, const struct weir_phase_result *phase)
{
    end_at_also(bed, phase);
    if (bed->stop_signal != 0)
        _exit(0);
}

static void names_beside_items_go_with_them(void **state)
{
    static const char *const lines[] = {
        "-d %s/o -n 9 -F --also rename", "-d %s/o -n 9 -D --also rename",
        "-d %s/o -n 9 -F --also link --shuffle", "-d %s/o -n 9 -D --also symlink"};
    char again[128];

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;
        pid_t child;

        set_up_trees(&bed);
        bed.when_shown = end_at_also;
        run(&bed, lines[i]);
        assert_true(bed.result->is_interrupted);
        assert_clean(&bed, lines[i]);
        bed.stop_signal = 0;
        child = fork();
        if (child == 0) {
            bed.when_shown = die_at_also;
            run(&bed, lines[i]);
            _exit(1);
        }
        assert_int_equal(waitpid(child, NULL, 0), child);
        bed.when_shown = NULL;
        assert_int_equal(count_files(&bed), 1);
        snprintf(again, sizeof again, "%s -r", lines[i]);
        run_well(&bed, again);
        assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_DONE);
        assert_int_equal(count_files(&bed), 0);
        tear_down_trees(&bed);
    }
}

/* A creation that a deadline cut has made fewer than the words say. */
static void second_names_are_those_of_what_was_made(void **state)
{
    static const char line[] = "-a fault:posix --fault.verb=mkdir --fault.every=1 "
                               "--fault.delay=1000 -d %s/o -n 3000 -D -W 1 --also symlink";
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    run_well(&bed, line);
    assert_clean(&bed, line);
    tear_down_trees(&bed);
}

/* ---- what is said of bytes ---- */

static void bytes_that_are_asked_for_are_those_of_all_verbs(void **state)
{
    static const char *const lines[][2] = {
        {"mdtest", "-d %s/o -n 3 -F -w 100 -e 70"},
        {"md-workbench", "-o %s/o -I 3 -P 5 -D 2 -S 100 -R 1"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        set_up_trees(&bed);
        bed.dialect = lines[i][0];
        run_well(&bed, lines[i][1]);
        for (unsigned k = 0; k < bed.result->phase_count; k++)
            assert_int_equal(phase(&bed, k)->expected_bytes, phase(&bed, k)->byte_count);
        bed.dialect = "mdtest";
        run(&bed, "-a DUMMY -d %s/o -n 1099511627776 -F -w 1g -W 1");
        assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
        assert_int_equal(bed.result->phase_count, 0);
        tear_down_trees(&bed);
    }
}

/* ---- what is killed, another run's, or another user's ---- */

static unsigned last_phase;

static void die(struct bed *bed, const struct weir_phase_result *phase)
{
    (void)bed;
    if (phase->phase == last_phase)
        _exit(0);
}

/* A run that ends without a word behind that phase. */
static void run_to_death(struct bed *bed, const char *line, unsigned phase)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        last_phase = phase;
        bed->when_shown = die;
        run(bed, line);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const char *path_in(const struct bed *bed, const char *name)
{
    static char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", bed->directory, name);
    return path;
}

static void make_in(const struct bed *bed, const char *name)
{
    assert_int_equal(mkdir(path_in(bed, name), 0755), 0);
}

/* It is there, and nothing is in it. */
static void assert_empty(const struct bed *bed, const char *name)
{
    assert_int_equal(rmdir(path_in(bed, name)), 0);
}

static void what_a_killed_run_has_made_is_removed_and_nothing_else(void **state)
{
    static const char *const lines[] = {"-d %s/a/b/ -n 3", "-d %s/theirs/o -n 3 -F -i 2",
                                        "-d %s/a/x@%s/theirs/y/z -u -n 3", "-d %s/theirs/ -n 3 -D"};
    char again[128];

    (void)state;
    for (size_t i = 0; i < 2 * sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        set_up_trees(&bed);
        make_in(&bed, "theirs");
        run_to_death(&bed, lines[i / 2], i % 2);
        snprintf(again, sizeof again, "%s%s", lines[i / 2], i % 2 == 1 ? " -r" : "");
        run_well(&bed, again);
        assert_empty(&bed, "theirs");
        assert_int_equal(count_files(&bed), 0);
        tear_down_trees(&bed);
    }
}

/* Of a run that ended by itself the directory stays, as mdtest has it. */
static void a_root_that_is_found_stays(void **state)
{
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    run_well(&bed, "-d %s/o -n 3 -C");
    run_well(&bed, "-d %s/o -n 3 -r");
    assert_empty(&bed, "o");
    tear_down_trees(&bed);
}

static void start_others(struct bed *bed, const struct weir_phase_result *phase)
{
    static const char *const lines[] = {"-d %s/b -n 3 -F", "-d %s/c@%s/b/ -u -n 3 -F",
                                        "-d %s/link -n 3 -F", "-d %s/c/../b/. -n 3 -r"};
    struct bed other;

    if (phase->phase != 1)
        return;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        set_up_trees(&other);
        rmdir(other.directory);
        memcpy(other.directory, bed->directory, sizeof other.directory);
        run(&other, lines[i]);
        assert_int_equal(other.error.exit, WEIR_EXIT_USAGE);
        assert_int_equal(other.result->phase_count, 0);
        weir_result_close(other.result);
        weir_plan_close(other.plan);
        weir_group_close(other.group);
    }
}

static void each_root_is_that_of_one_run_whatever_it_is_called(void **state)
{
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    make_in(&bed, "c");
    assert_int_equal(symlink("b", path_in(&bed, "link")), 0);
    bed.when_shown = start_others;
    run_well(&bed, "-d %s/a@%s/b -u -n 3 -F");
    assert_int_equal(phase(&bed, bed.result->phase_count - 1)->left_count, 0);
    assert_empty(&bed, "c");
    assert_int_equal(unlink(path_in(&bed, "link")), 0);
    assert_int_equal(count_files(&bed), 0);
    tear_down_trees(&bed);
}

static unsigned open_now(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static unsigned open_at_most;

static void take_mark_away(struct bed *bed, const struct weir_phase_result *phase)
{
    if (open_now() > open_at_most)
        open_at_most = open_now();
    if (phase->phase == 0)
        assert_int_equal(unlink(path_in(bed, ".weir-cbf29ce484222325")), 0);
}

/* As cleaning of a scratch directory may do it. Each repetition makes one anew, in the same place.
 */
static void a_mark_that_is_taken_away_again_and_again_takes_one_place(void **state)
{
    unsigned most[2];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct bed bed;

        set_up_trees(&bed);
        open_at_most = 0;
        bed.when_shown = take_mark_away;
        run_well(&bed, i == 0 ? "-d %s -n 2 -F -i 1" : "-d %s -n 2 -F -i 20");
        most[i] = open_at_most;
        assert_int_equal(count_files(&bed), 0);
        tear_down_trees(&bed);
    }
    assert_int_equal(most[0], most[1]);
}

static void a_tree_behind_a_link_or_of_another_user_is_left(void **state)
{
    static const char *const lines[] = {"-d %s/a@%s/b -u -n 3 -F -i 2 -r", "-d %s/b -n 3 -i 2",
                                        "-d %s/b -n 3 -F -i 2 -r -S"};
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    for (size_t i = 0; i < 2 * sizeof lines / sizeof *lines; i++) {
        bool is_link = i % 2 == 0;

        run_well(&bed, "-d %s/outside -n 3 -F -C");
        make_in(&bed, "b");
        if (is_link)
            assert_int_equal(symlink("../outside/test-dir.0-0", path_in(&bed, "b/test-dir.1-0")),
                             0);
        else
            make_in(&bed, "b/test-dir.1-0");
        if (!is_link && lchown(path_in(&bed, "b/test-dir.1-0"), 12345, -1) != 0)
            break; /* only root gives files away */
        run(&bed, lines[i / 2]);
        /* The first repetition was done. */
        assert_int_equal(bed.error.exit, WEIR_EXIT_FLAWED);
        assert_int_equal(
            unlinkat(AT_FDCWD, path_in(&bed, "b/test-dir.1-0"), is_link ? 0 : AT_REMOVEDIR), 0);
        assert_empty(&bed, "b");
        run_well(&bed, "-d %s/outside -n 3 -F -r");
        assert_int_equal(phase(&bed, 0)->op_count, 3);
        assert_empty(&bed, "outside");
    }
    tear_down_trees(&bed);
}

/* ---- what stands in the place of a name ---- */

static void a_file_is_no_directory_of_a_tree(void **state)
{
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    make_in(&bed, "test-dir.0-0");
    assert_int_equal(close(open(path_in(&bed, "test-dir.0-0/mdtest_tree.0"), O_CREAT, 0600)), 0);
    run(&bed, "-d %s -C -n 3 -F -z 1 -b 2");
    assert_int_equal(phase(&bed, 0)->op_count, 0);
    assert_int_equal(phase(&bed, 0)->error_count, 1);
    tear_down_trees(&bed);
}

static void a_link_in_the_place_of_an_item_is_not_written_through(void **state)
{
    static const char *const backends[] = {"POSIX", "DIRECT", "MMAP", "AIO", "URING --depth 4"};
    char line[128];

    (void)state;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct stat facts;
        struct bed bed;

        if (!is_built(backends[i]))
            continue;
        set_up_trees(&bed);
        make_in(&bed, "test-dir.0-0");
        make_in(&bed, "test-dir.0-0/mdtest_tree.0");
        assert_int_equal(close(open(path_in(&bed, "theirs"), O_CREAT, 0600)), 0);
        assert_int_equal(
            symlink("../../theirs", path_in(&bed, "test-dir.0-0/mdtest_tree.0/file.mdtest.0.1")),
            0);
        snprintf(line, sizeof line, "-a %s -d %%s -n 3 -F -C -w 4096", backends[i]);
        run(&bed, line);
        assert_int_equal(phase(&bed, 1)->error_count, 1);
        assert_int_equal(stat(path_in(&bed, "theirs"), &facts), 0);
        assert_int_equal(facts.st_size, 0);
        tear_down_trees(&bed);
    }
}

/* ---- what would go on for ever ---- */

static void a_write_that_is_always_cut_ends_with_the_signal(void **state)
{
    struct bed bed;

    (void)state;
    set_up_trees(&bed);
    bed.phases_until_signal = 1;
    alarm(30);
    run(&bed, "-a fault:posix --fault.verb=write --fault.every=1 --fault.errno=EINTR -d %s/o -n 3 "
              "-F -w 10");
    alarm(0);
    assert_true(bed.result->is_interrupted);
    assert_int_equal(count_files(&bed), 0);
    tear_down_trees(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_worked_on_once_and_nothing_is_left),
        cmocka_unit_test(a_depth_is_found_and_trials_leave_nothing),
        cmocka_unit_test(trials_leave_items_that_were_there),
        cmocka_unit_test(a_rate_of_bytes_is_that_of_phases_with_bytes),
        cmocka_unit_test(a_rate_of_operations_is_that_of_all_phases_on_items),
        cmocka_unit_test(after_a_signal_all_that_was_made_is_removed),
        cmocka_unit_test(phases_behind_a_cut_one_work_on_what_was_made),
        cmocka_unit_test(a_chain_that_is_cut_leaves_no_item_away),
        cmocka_unit_test(of_two_roots_only_the_one_that_was_made_is_removed),
        cmocka_unit_test(a_signal_at_any_time_leaves_nothing),
        cmocka_unit_test(names_beside_items_go_with_them),
        cmocka_unit_test(second_names_are_those_of_what_was_made),
        cmocka_unit_test(bytes_that_are_asked_for_are_those_of_all_verbs),
        cmocka_unit_test(what_a_killed_run_has_made_is_removed_and_nothing_else),
        cmocka_unit_test(a_root_that_is_found_stays),
        cmocka_unit_test(each_root_is_that_of_one_run_whatever_it_is_called),
        cmocka_unit_test(a_mark_that_is_taken_away_again_and_again_takes_one_place),
        cmocka_unit_test(a_tree_behind_a_link_or_of_another_user_is_left),
        cmocka_unit_test(a_file_is_no_directory_of_a_tree),
        cmocka_unit_test(a_link_in_the_place_of_an_item_is_not_written_through),
        cmocka_unit_test(a_write_that_is_always_cut_ends_with_the_signal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
