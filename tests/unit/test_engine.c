/* SPDX-License-Identifier: Apache-2.0 */
/* The engine on one rank without MPI: command lines in, records out. */
#include "engine_bed.h"
#include "weir/base/remedy.h"

/* ---- what a run does ---- */

static void a_write_and_a_read_move_what_the_layout_says_and_leave_nothing(void **state)
{
    static const char *const lines[] = {
        "-a POSIX -t 64k -b 256k -s 4 -R -w -r -o %s/f",
        "-a POSIX -t 64k -b 256k -s 4 -F -R -w -r -o %s/f",
        "-a POSIX -t 64k -b 256k -s 4 -z -R -w -r -o %s/f",
        "-a POSIX -t 47008 -b 47008 -s 23 -R -w -r -o %s/f",
        "-a POSIX -t 16 -b 64 -s 8 -R -w -r -o %s/f",
        "-a POSIX -t 64k -b 256k -s 4 -F -u -m -l random -W -r -w -o %s/f",
        "-a fault:posix --fault.every=3 --fault.short=4096 -t 64k -b 256k -s 4 -R -w -r -o %s/f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct weir_layout *layout;
        struct bed bed;

        set_up(&bed);
        run_well(&bed, lines[i]);
        layout = &bed.plan->tests[0]->phases[0]->transfers.layout;
        for (unsigned k = 0; k + 1 < bed.result->phase_count; k++) {
            assert_int_equal(phase(&bed, k)->outcome, WEIR_OUTCOME_COMPLETE);
            assert_int_equal(phase(&bed, k)->op_count, weir_layout_ops_per_rank(layout));
            assert_int_equal(phase(&bed, k)->byte_count, weir_layout_bytes_per_rank(layout));
            assert_int_equal(phase(&bed, k)->latency->total, phase(&bed, k)->op_count);
            assert_int_equal(phase(&bed, k)->mismatches.wrong_transfers, 0);
        }
        assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_DONE);
        assert_int_equal(count_files(&bed), 0);
        tear_down(&bed);
    }
}

static void reads_take_up_what_a_cut_write_left(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -r -R -t 4k -b 64m -D 0.02 -O interIODelay=1000 -o %s/f");
    assert_true(phase(&bed, 0)->stonewall.is_hit);
    assert_true(phase(&bed, 0)->op_count > 0);
    assert_true(phase(&bed, 0)->op_count < 16384);
    assert_true(phase(&bed, 1)->op_count <= phase(&bed, 0)->op_count);
    assert_int_equal(phase(&bed, 1)->error_count, 0);
    assert_int_equal(phase(&bed, 1)->mismatches.wrong_transfers, 0);
    tear_down(&bed);
}

static void a_status_file_limits_a_later_read(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(&bed, "-a POSIX -w -k -t 4k -b 64m -D 0.02 -o %s/f -O "
                   "stoneWallingWearOut=1,interIODelay=1000,stoneWallingStatusFile=%s/status");
    uint64_t written = phase(&bed, 0)->op_count;

    run_well(&bed, "-a POSIX -r -R -k -t 4k -b 64m -o %s/f -O stoneWallingStatusFile=%s/status");
    assert_int_equal(phase(&bed, 0)->op_count, written);
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 0);
    tear_down(&bed);
}

static void read_status(const struct bed *bed, char text[32])
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/status", bed->directory);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(text, 32, file));
    fclose(file);
}

static void a_dry_run_leaves_the_status_file_alone(void **state)
{
    char before[32], after[32];
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(&bed, "-a POSIX -w -k -t 4k -b 64m -D 0.02 -o %s/f -O "
                   "stoneWallingWearOut=1,interIODelay=1000,stoneWallingStatusFile=%s/status");
    read_status(&bed, before);
    run_well(&bed, "-a POSIX -w -k -t 4k -b 4m -D 1 -o %s/f -O "
                   "dryRun=1,stoneWallingWearOut=1,stoneWallingStatusFile=%s/status");
    assert_int_equal(phase(&bed, 0)->op_count, 1024);
    read_status(&bed, after);
    assert_string_equal(after, before);
    /* Nor does it need one that a run would have made before. */
    run_well(&bed, "-a POSIX -r -k -t 4k -b 4m -o %s/f -O dryRun=1,stoneWallingStatusFile=%s/none");
    assert_int_equal(phase(&bed, 0)->op_count, 1024);
    tear_down(&bed);
}

static void a_minimum_time_goes_round_again(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a null -w -t 4k -b 64k -O minTimeDuration=0.05 -o %s/f");
    assert_true(phase(&bed, 0)->op_count > 16);
    assert_int_equal(phase(&bed, 0)->op_count % 16, 0);
    assert_true(phase(&bed, 0)->windows.transfer_s >= 0.05);
    tear_down(&bed);
}

static void a_limit_of_transfers_is_kept(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a null -w -r -t 4k -b 64k -O stoneWallingWearOutIterations=5 -o %s/f");
    assert_int_equal(phase(&bed, 0)->op_count, 5);
    assert_int_equal(phase(&bed, 1)->op_count, 5);
    tear_down(&bed);
}

/* ---- endings ---- */

static void a_failure_ends_the_run_with_what_was_done(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(
        &bed,
        "-a fault:posix --fault.verb=write --fault.at=20 --fault.errno=ENOSPC -i 3 -t 4k -b 64k "
        "-o %s/f");
    assert_int_equal(bed.result->phase_count, 5);
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(phase(&bed, 3)->outcome, WEIR_OUTCOME_PARTIAL);
    assert_int_equal(phase(&bed, 3)->op_count, 4);
    assert_int_equal(phase(&bed, 3)->error_count, 1);
    assert_non_null(strstr(phase(&bed, 3)->failure, "write at offset 16384"));
    assert_non_null(strstr(phase(&bed, 3)->failure, "No space left on device"));
    assert_int_equal(bed.plan->tests[0]->phases[2]->number, phase(&bed, 4)->phase);
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void a_signal_ends_the_run_in_order(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    bed.phases_until_signal = 4; /* the write of the second repetition */
    run(&bed, "-a POSIX -i 5 -t 4k -b 64k -o %s/f");
    assert_true(bed.result->is_interrupted);
    assert_int_equal(phase(&bed, 0)->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(phase(&bed, bed.result->phase_count - 1)->repetition, 1);
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void a_time_limit_skips_the_rest_without_a_flaw(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a null -T 0.0005 -w -i 1000 -t 4k -b 4k -O interIODelay=5000 -o %s/f");
    assert_true(bed.result->phase_count < 1000);
    assert_int_equal(phase(&bed, bed.result->phase_count - 1)->outcome, WEIR_OUTCOME_SKIPPED);
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_DONE);
    tear_down(&bed);
}

/* ---- what is not ours ---- */

static void write_stranger(const struct bed *bed, const char *name)
{
    char path[PATH_MAX];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", bed->directory, name);
    file = fopen(path, "we");
    assert_non_null(file);
    for (unsigned i = 0; i < 100000; i++)
        fprintf(file, "line %u\n", i);
    assert_int_equal(fclose(file), 0);
}

static void files_of_strangers_are_neither_written_nor_removed(void **state)
{
    static const char *const lines[] = {
        "-a POSIX -w -t 4k -b 64k -o %s/f",
        "-a POSIX -w -E -t 4k -b 64k -o %s/f",
        "-a POSIX -r -t 4k -b 64k -o %s/f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        set_up(&bed);
        write_stranger(&bed, "f");
        run(&bed, lines[i]);
        assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
        assert_non_null(strstr(bed.error.text, "/f"));
        assert_non_null(strstr(bed.error.text, "--overwrite"));
        assert_int_equal(bed.result->phase_count, 0);
        assert_int_equal(count_files(&bed), 1);
        tear_down(&bed);
    }
}

/* A sparse file has few stamps; its end has one. */
static void sparse_files_of_ours_are_recognised(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -z -t 4k -b 256m --random-offset-seed=5 -o %s/f -O "
              "stoneWallingWearOutIterations=20");
    run_well(&bed, "-a POSIX -r -R -k -z -t 4k -b 256m --random-offset-seed=5 -o %s/f -O "
                   "stoneWallingWearOutIterations=20");
    assert_int_equal(phase(&bed, 0)->mismatches.checked_transfers, 20);
    assert_int_equal(phase(&bed, 0)->mismatches.wrong_transfers, 0);
    run_well(&bed, "-a POSIX -w -t 4k -b 64k -o %s/f");
    tear_down(&bed);
}

static void links_are_not_replaced(void **state)
{
    char path[PATH_MAX];
    struct bed bed;

    (void)state;
    set_up(&bed);
    snprintf(path, sizeof path, "%s/f", bed.directory);
    assert_int_equal(symlink("nowhere", path), 0);
    run(&bed, "-a POSIX -w -t 4k -b 64k -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "symbolic link"));
    assert_int_equal(count_files(&bed), 1);
    tear_down(&bed);
}

/* The names of many devices are links: to allow the loss of a link is not to allow that of a
 * device.
 */
static void links_to_devices_are_devices(void **state)
{
    static const char *const lines[] = {
        "-a POSIX -w -E --overwrite -t 4k -b 64k -o %s/f",
        "-a POSIX -w --overwrite -t 4k -b 64k -o %s/f",
        "-a POSIX -r -t 4k -b 64k -o %s/f",
        ("-a POSIX -w -k --overwrite -t 4k -b 64k -o %s/g -D 10 -O "
         "stoneWallingWearOut=1 -O stoneWallingStatusFile=%s/f"),
    };
    char path[PATH_MAX];
    struct bed bed;

    (void)state;
    set_up(&bed);
    snprintf(path, sizeof path, "%s/f", bed.directory);
    assert_int_equal(symlink("/dev/null", path), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(&bed, lines[i]);
        assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
        assert_non_null(strstr(bed.error.text, "is a device"));
        assert_int_equal(bed.result->phase_count, 0);
        assert_int_equal(count_files(&bed), 1);
    }
    tear_down(&bed);
}

static void data_without_a_stamp_is_not_verified(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    write_stranger(&bed, "f");
    run(&bed, "-a POSIX -r -R -k -t 4k -b 64k -o %s/f");
    assert_int_equal(bed.error.exit, WEIR_EXIT_FLAWED);
    assert_non_null(strstr(bed.error.text, "no stamp"));
    tear_down(&bed);
}

static void a_check_after_several_rounds_reads_all(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(&bed, "-a POSIX -w -W -t 4k -b 1m -o %s/f -D 0.5 -O minTimeDuration=0.05");
    assert_int_equal(phase(&bed, 1)->mismatches.checked_transfers, 256);
    tear_down(&bed);
}

static void a_status_file_of_strangers_is_kept(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    write_stranger(&bed, "status");
    run(&bed, "-a POSIX -w -k -t 4k -b 64k -D 1 -o %s/f -O "
              "stoneWallingWearOut=1,stoneWallingStatusFile=%s/status");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "/status"));
    assert_int_equal(count_files(&bed), 1);
    tear_down(&bed);
}

static void strangers_may_be_read_if_they_are_kept_and_lost_if_allowed(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    write_stranger(&bed, "f");
    run_well(&bed, "-a POSIX -r -k -t 4k -b 64k -o %s/f");
    assert_int_equal(count_files(&bed), 1);
    run_well(&bed, "-a POSIX -w --overwrite -t 4k -b 64k -o %s/f");
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

static void our_own_files_are_replaced_without_being_asked(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -t 4k -b 64k -o %s/f");
    run(&bed, "-a POSIX -w -k -t 1m -b 1m -l random -o %s/f");
    run_well(&bed, "-a POSIX -w -t 47008 -b 47008 -o %s/f");
    assert_int_equal(count_files(&bed), 0);
    tear_down(&bed);
}

/* ---- prefills ---- */

static void a_prefilled_file_holds_what_was_written_last(void **state)
{
    static const char *const lines[] = {
        /* transfers larger and smaller than those of the write */
        "-a POSIX -w -W -r -R -z --randomPrefill=1m -t 4k -b 2m -s 2 -o %s/f",
        "-a POSIX -w -W -r -R -z --randomPrefill=4k -t 64k -b 2m -s 2 -F -o %s/f",
        "-a POSIX -w -W -r -R -z --randomPrefill=1m -t 4k -b 2m -l random -i 2 -o %s/f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct weir_phase *prefill;
        struct bed bed;

        set_up(&bed);
        run_well(&bed, lines[i]);
        prefill = bed.plan->tests[0]->phases[0];
        assert_true(prefill->is_prefill);
        assert_int_equal(phase(&bed, 0)->op_count,
                         weir_layout_ops_per_rank(&prefill->transfers.layout));
        assert_int_equal(phase(&bed, 0)->byte_count,
                         weir_layout_bytes_per_rank(&prefill->transfers.layout));
        assert_true(phase(&bed, 0)->generation < phase(&bed, 1)->generation);
        for (unsigned k = 2; k < 4; k++) {
            assert_int_equal(phase(&bed, k)->mismatches.checked_transfers,
                             phase(&bed, 1)->op_count);
            assert_int_equal(phase(&bed, k)->mismatches.wrong_transfers, 0);
        }
        assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_DONE);
        assert_int_equal(count_files(&bed), 0);
        tear_down(&bed);
    }
}

/* The deadline is the write's: the prefill, which would not be done by then either, has none. */
static void a_cut_write_into_a_prefilled_file_is_read_as_far_as_it_came(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(&bed,
             "-a fault:posix --fault.verb=write --fault.every=1 --fault.delay=50 -w -W -r -R -z "
             "--randomPrefill=4k -t 4k -b 8m -D 0.02 -o %s/f");
    assert_int_equal(phase(&bed, 0)->op_count, 2048);
    assert_true(phase(&bed, 0)->windows.transfer_s > 0.1);
    assert_false(phase(&bed, 0)->stonewall.is_hit);
    assert_true(phase(&bed, 1)->stonewall.is_hit);
    assert_true(phase(&bed, 1)->op_count > 0);
    assert_true(phase(&bed, 1)->op_count < 2048);
    assert_int_equal(phase(&bed, 2)->mismatches.checked_transfers, phase(&bed, 1)->op_count);
    assert_int_equal(phase(&bed, 2)->mismatches.wrong_transfers, 0);
    assert_true(phase(&bed, 3)->op_count > 0);
    assert_int_equal(phase(&bed, 3)->mismatches.wrong_transfers, 0);
    tear_down(&bed);
}

/* ---- memory that is taken away ---- */

static void a_hog_holds_its_memory_until_the_test_ends(void **state)
{
    static const char *const lines[] = {
        "-a null -w -t 4k -b 64k -M 64m -o %s/f",
        "-a null -w -t 4k -b 64k -O memoryPerTask=64m -o %s/f",
        /* more than 64 MiB on any host that has 8 GiB */
        "-a null -w -t 4k -b 64k -M 1%% -o %s/f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        uint64_t before = resident_kib();
        struct bed bed;

        set_up(&bed);
        run_well(&bed, lines[i]);
        assert_true(bed.resident_kib >= before + 64 * 1024 - 8 * 1024);
        assert_true(resident_kib() <= before + 16 * 1024);
        tear_down(&bed);
    }
}

static void a_hog_that_does_not_fit_is_refused(void **state)
{
    static const char *const lines[] = {
        "-a POSIX -w -t 4k -b 64k -M 1p -o %s/f",
        "-a POSIX -w -t 4k -b 64k -M 100%% -o %s/f",
        "-a POSIX -w -t 4k -b 64k -O memoryPerTask=1p -o %s/f",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct bed bed;

        set_up(&bed);
        run(&bed, lines[i]);
        assert_int_equal(bed.error.exit, WEIR_EXIT_ENVIRONMENT);
        assert_non_null(
            strstr(bed.error.text, i < 2 ? WEIR_REMEDY_HOG_PER_NODE : WEIR_REMEDY_HOG_PER_RANK));
        assert_int_equal(bed.result->phase_count, 0);
        assert_int_equal(count_files(&bed), 0);
        tear_down(&bed);
    }
}

/* What was there before is not even removed. */
static void a_signal_while_memory_is_taken_ends_the_run_before_it_began(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -k -t 4k -b 64k -o %s/f");
    bed.stop_signal = 15;
    run_well(&bed, "-a POSIX -w -t 4k -b 64k -M 64m -o %s/f");
    assert_true(bed.result->is_interrupted);
    assert_int_equal(bed.result->phase_count, 0);
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    assert_int_equal(count_files(&bed), 1);
    tear_down(&bed);
}

/* ---- the list of transfers ---- */

/* Lines of a list, or -1 if its header is not as it should be; *time_s is the last start. */
static int count_lines(const struct bed *bed, const char *name, double *time_s)
{
    char path[PATH_MAX];
    char line[128];
    int count = 0;
    double seconds, rate;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", bed->directory, name);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "time,runtime,tp\n");
    while (fgets(line, sizeof line, file) != NULL) {
        assert_int_equal(sscanf(line, "%le,%le,%le\n", time_s, &seconds, &rate), 3);
        assert_true(*time_s >= 0.0);
        assert_true(seconds > 0.0);
        /* seven digits of one, nine of the other */
        assert_true(rate * seconds > 4095.9 && rate * seconds < 4096.1);
        count++;
    }
    fclose(file);
    return count;
}

static void every_transfer_is_listed_phase_by_phase(void **state)
{
    double last_s;
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(&bed, "-a POSIX -w -W -r -z --randomPrefill=64k -t 4k -b 64k -i 2 -o %s/f -O "
                   "savePerOpDataCSV=%s/op,interIODelay=1000");
    assert_int_equal(count_files(&bed), 6);
    assert_int_equal(count_lines(&bed, "op-write-0-00000.csv", &last_s), 16);
    assert_true(last_s >= 0.015);
    assert_int_equal(count_lines(&bed, "op-read-1-00000.csv", &last_s), 16);
    assert_int_equal(count_lines(&bed, "op-check-1-00000.csv", &last_s), 16);
    assert_int_equal(phase(&bed, 1)->unlogged_ops, 0);
    /* The next run replaces its own, even an empty one, ... */
    run_well(&bed, "-a POSIX -w -t 4k -b 32k -o %s/f -O savePerOpDataCSV=%s/op");
    assert_int_equal(count_lines(&bed, "op-write-0-00000.csv", &last_s), 8);
    tear_down(&bed);
}

static void lists_of_transfers_replace_nothing_else(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    write_stranger(&bed, "op-read-1-00000.csv");
    run(&bed, "-a POSIX -w -r -i 2 -t 4k -b 64k -o %s/f -O savePerOpDataCSV=%s/op");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "op-read-1-00000.csv"));
    assert_int_equal(count_files(&bed), 1);
    run(&bed, "-a POSIX -w -t 4k -b 64k -o %s/f -O savePerOpDataCSV=%s/none/op");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    assert_non_null(strstr(bed.error.text, "/none/op"));
    assert_int_equal(bed.result->phase_count, 0);
    tear_down(&bed);
}

/* ---- what else a record says ---- */

static void rows_of_ranks_are_shown_with_the_record_and_then_gone(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -t 4k -b 64k -k -o %s/f");
    assert_int_equal(bed.rows_bytes, 65536);
    assert_null(phase(&bed, 0)->rows);
    assert_false(phase(&bed, 0)->has_differing_sizes);
    tear_down(&bed);
}

static void files_that_a_write_will_replace_are_counted_once(void **state)
{
    static const struct {
        const char *line;
        unsigned count;
        const char *name;
    } cases[] = {
        {"-a POSIX -w -W -r -t 4k -b 64k -k -i 2 -o %s/f", 0, NULL},
        {"-a POSIX -w -W -r -t 4k -b 64k -k -i 2 -o %s/f", 1, "/f"},
        {"-a POSIX -w -W -r -z --randomPrefill=64k -t 4k -b 64k -k -o %s/f", 1, "/f"},
        {"-a POSIX -r -t 4k -b 64k -k -o %s/f", 0, NULL},
        {"-a POSIX -w -t 4k -b 64k -k -m -i 3 -o %s/f", 0, NULL},
        {"-a POSIX -w -t 4k -b 64k -k -m -i 4 -o %s/f", 3, "/f.0"},
    };
    struct bed bed;

    (void)state;
    set_up(&bed);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_test_result *test;

        run_well(&bed, cases[i].line);
        test = &bed.result->tests[0];
        assert_int_equal(test->existing_count, cases[i].count);
        if (cases[i].name == NULL)
            assert_string_equal(test->existing_path, "");
        else
            assert_string_equal(test->existing_path + strlen(bed.directory), cases[i].name);
    }
    tear_down(&bed);
}

static void a_read_that_quits_stops_at_its_first_wrong_transfer(void **state)
{
    struct bed bed;

    (void)state;
    set_up(&bed);
    run_well(&bed, "-a fault:posix --fault.verb=read --fault.at=5 --fault.every=2 --fault.flip "
                   "-w -r -R -O quitOnError=1 -t 4k -b 64k -o %s/f");
    assert_int_equal(phase(&bed, 1)->op_count, 6);
    assert_int_equal(phase(&bed, 1)->mismatches.wrong_transfers, 1);
    assert_int_equal(phase(&bed, 1)->outcome, WEIR_OUTCOME_COMPLETE);
    assert_int_equal(weir_result_judge(bed.result), WEIR_EXIT_FLAWED);
    run(&bed, "-a fault:posix --fault.verb=read --fault.at=5 --fault.every=2 --fault.flip "
              "-w -r -R -t 4k -b 64k -o %s/f");
    assert_int_equal(phase(&bed, 1)->op_count, 16);
    assert_int_equal(phase(&bed, 1)->mismatches.wrong_transfers, 6);
    tear_down(&bed);
}

/* ---- what a backend is told ---- */

/* The last file that the engine opened for a phase. */
static struct weir_file_params seen;

static int see_and_open(struct weir_session *session, const struct weir_file_params *params,
                        struct weir_file **file)
{
    seen = *params;
    return weir_backend_find(&weir_registry, "posix")->file->open(session, params, file);
}

static void a_backend_is_told_where_transfers_will_lie(void **state)
{
    static const struct {
        const char *line;
        struct weir_file_part part;
        bool is_random;
    } cases[] = {
        {"-a POSIX -w -t 4k -b 64k -s 3 -o %s/f", {0, 65536, 65536, 3}, false},
        {"-a POSIX -w -F -t 4k -b 64k -s 3 -o %s/f", {0, 65536, 65536, 3}, false},
        {"-a POSIX -w -z -t 4k -b 64k -s 3 -o %s/f", {0, 0, 0, 0}, true},
        {"-a POSIX -w -k -t 4k -b 64k -o %s/f", {0, 65536, 65536, 1}, false},
        {"-a POSIX -r -z -z -t 4k -b 8k -s 8 -o %s/f", {0, 0, 0, 0}, true},
    };
    struct weir_backend watched = *weir_backend_find(&weir_registry, "posix");
    struct weir_file_ops file = *watched.file;
    const struct weir_backend *const backends[] = {&watched};
    const struct weir_registry registry = {.backends = backends, .count = 1};
    struct bed bed;

    (void)state;
    file.open = see_and_open;
    watched.file = &file;
    set_up(&bed);
    bed.registry = &registry;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_well(&bed, cases[i].line);
        assert_memory_equal(&seen.part, &cases[i].part, sizeof seen.part);
        assert_int_equal(seen.is_random, cases[i].is_random);
    }
    tear_down(&bed);
}

/* ---- sessions of several tests ---- */

static unsigned sessions_opened, sessions_open;

static int count_and_open(const struct weir_session_params *params, struct weir_session **session,
                          struct weir_error *error)
{
    sessions_opened++;
    sessions_open++;
    return weir_backend_find(&weir_registry, "posix")->open(params, session, error);
}

static void count_and_close(struct weir_session *session)
{
    sessions_open--;
    weir_backend_find(&weir_registry, "posix")->close(session);
}

static void (*change_last)(struct weir_plan *plan, struct weir_test *test);

/* Four tests, of which the last one may be another one. */
static void make_tests(struct weir_plan *plan)
{
    for (unsigned i = 1; i < 4; i++) {
        struct weir_test *test = weir_plan_add_test(plan);
        unsigned number = test->number;

        *test = *plan->tests[0];
        test->number = number;
        if (i == 3 && change_last != NULL)
            change_last(plan, test);
    }
}

static void copy_phase(struct weir_plan *plan, struct weir_test *test, unsigned depth,
                       uint64_t transfer_bytes)
{
    struct weir_phase phase = *test->phases[0];

    phase.depth = depth;
    phase.transfers.layout.transfer_bytes = transfer_bytes;
    test->steps = NULL;
    test->phases = NULL;
    test->phase_count = 0;
    weir_plan_add_phase(plan, test, &test->steps, &phase);
}

static void change_size(struct weir_plan *plan, struct weir_test *test)
{
    copy_phase(plan, test, 1, 8192);
}

static void change_count(struct weir_plan *plan, struct weir_test *test)
{
    copy_phase(plan, test, 1, 4096);
}

static void change_pinning(struct weir_plan *plan, struct weir_test *test)
{
    (void)plan;
    test->pinning.policy = WEIR_PIN_CORE;
}

static void change_pages(struct weir_plan *plan, struct weir_test *test)
{
    (void)plan;
    test->membind.policy = WEIR_MEMBIND_NONE;
}

static void change_limit(struct weir_plan *plan, struct weir_test *test)
{
    (void)plan;
    test->rank_limit = 1;
}

static void equal_tests_share_a_session_and_what_surrounds_them(void **state)
{
    static const struct {
        void (*change)(struct weir_plan *plan, struct weir_test *test);
        unsigned sessions;
        bool has_new_places;
    } cases[] = {
        {NULL, 1, false},          {change_count, 1, false}, {change_size, 2, false},
        {change_pinning, 2, true}, {change_pages, 2, false}, {change_limit, 2, true},
    };
    struct weir_backend counted = *weir_backend_find(&weir_registry, "posix");
    const struct weir_backend *const backends[] = {&counted};
    const struct weir_registry registry = {.backends = backends, .count = 1};
    struct bed bed;

    (void)state;
    counted.open = count_and_open;
    counted.close = count_and_close;
    set_up(&bed);
    bed.registry = &registry;
    bed.change = make_tests;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        change_last = cases[i].change;
        sessions_opened = sessions_open = 0;
        run_well(&bed, "-a POSIX -w -t 4k -b 64k -o %s/f");
        assert_int_equal(bed.result->test_count, 4);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(phase(&bed, 2 * k)->byte_count, 65536);
        assert_int_equal(sessions_opened, cases[i].sessions);
        /* What the nodes see behind the target was asked for once for as long as ranks stayed where
         * they were. */
        assert_non_null(bed.result->tests[0].storages);
        assert_ptr_equal(bed.result->tests[1].storages, bed.result->tests[0].storages);
        assert_int_equal(bed.result->tests[3].storages != bed.result->tests[0].storages,
                         cases[i].has_new_places);
        assert_int_equal(sessions_open, 0);
        remove_files(&bed);
    }
    tear_down(&bed);
}

static void a_missing_directory_of_a_package_is_named(void **state)
{
    char wanted[128];
    struct bed bed;

    (void)state;
    set_up(&bed);
    run(&bed, "-a POSIX -w -F -y -t 4k -b 64k -o %s/mnt");
    assert_int_equal(bed.error.exit, WEIR_EXIT_USAGE);
    snprintf(wanted, sizeof wanted, "%s/mnt", bed.directory);
    assert_non_null(strstr(bed.error.text, wanted));
    tear_down(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_and_a_read_move_what_the_layout_says_and_leave_nothing),
        cmocka_unit_test(reads_take_up_what_a_cut_write_left),
        cmocka_unit_test(a_status_file_limits_a_later_read),
        cmocka_unit_test(a_dry_run_leaves_the_status_file_alone),
        cmocka_unit_test(a_minimum_time_goes_round_again),
        cmocka_unit_test(a_limit_of_transfers_is_kept),
        cmocka_unit_test(a_failure_ends_the_run_with_what_was_done),
        cmocka_unit_test(a_signal_ends_the_run_in_order),
        cmocka_unit_test(a_time_limit_skips_the_rest_without_a_flaw),
        cmocka_unit_test(files_of_strangers_are_neither_written_nor_removed),
        cmocka_unit_test(sparse_files_of_ours_are_recognised),
        cmocka_unit_test(links_are_not_replaced),
        cmocka_unit_test(links_to_devices_are_devices),
        cmocka_unit_test(data_without_a_stamp_is_not_verified),
        cmocka_unit_test(a_check_after_several_rounds_reads_all),
        cmocka_unit_test(a_status_file_of_strangers_is_kept),
        cmocka_unit_test(strangers_may_be_read_if_they_are_kept_and_lost_if_allowed),
        cmocka_unit_test(our_own_files_are_replaced_without_being_asked),
        cmocka_unit_test(a_prefilled_file_holds_what_was_written_last),
        cmocka_unit_test(a_cut_write_into_a_prefilled_file_is_read_as_far_as_it_came),
        cmocka_unit_test(a_hog_holds_its_memory_until_the_test_ends),
        cmocka_unit_test(a_hog_that_does_not_fit_is_refused),
        cmocka_unit_test(a_signal_while_memory_is_taken_ends_the_run_before_it_began),
        cmocka_unit_test(every_transfer_is_listed_phase_by_phase),
        cmocka_unit_test(lists_of_transfers_replace_nothing_else),
        cmocka_unit_test(rows_of_ranks_are_shown_with_the_record_and_then_gone),
        cmocka_unit_test(files_that_a_write_will_replace_are_counted_once),
        cmocka_unit_test(a_read_that_quits_stops_at_its_first_wrong_transfer),
        cmocka_unit_test(a_backend_is_told_where_transfers_will_lie),
        cmocka_unit_test(equal_tests_share_a_session_and_what_surrounds_them),
        cmocka_unit_test(a_missing_directory_of_a_package_is_named),
    };

    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
