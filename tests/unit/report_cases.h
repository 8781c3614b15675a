/* SPDX-License-Identifier: Apache-2.0 */
/* The results that reports and result files are tested with. */
#ifndef WEIR_TESTS_REPORT_CASES_H
#define WEIR_TESTS_REPORT_CASES_H

#include "report_load_scenes.h"
#include "report_place_scenes.h"
#include "report_scenes.h"

static inline struct scene make_default(void)
{
    struct scene scene = SCENE_OPEN("ior", "-t", "1m", "-b", "4m", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct scene_row faster = usual_row;

    faster.total_s /= 4.0;
    faster.transfer_s /= 4.0;
    faster.latency_s /= 4.0;
    scene_done(&scene, test, write, 0, usual_row);
    scene_done(&scene, test, read, 0, faster);
    return scene;
}

static inline struct scene make_repetitions_on_two_nodes(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "3", "-C", "-t", "1m", "-b", "4m", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 4, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);

    scene.result->tests[0].node_count = 2;
    scene.result->tests[0].ranks_per_node = 2;
    read->shift.kind = WEIR_SHIFT_NODES;
    test->repetitions = 3;
    test->reference = -7;
    for (unsigned i = 0; i < 3; i++) {
        struct scene_row row = usual_row;
        struct weir_phase_result *done;

        row.bytes *= 2;
        row.total_s += 0.001 * i;
        done = scene_done(&scene, test, write, i, row);
        done->clock = (struct weir_clock_quality){.is_cross_node = true,
                                                  .offset_s = 0.25,
                                                  .drift_ppm = 3.5,
                                                  .error_s = 1.2e-6 + 1e-7 * i};
        weir_result_find(done, WEIR_FINDING_SHORT, "the phase took %u ms", 13 + i);
        if (i > 0)
            weir_result_find(done, WEIR_FINDING_STALL, "repetition %u was slow", i);
        scene_done(&scene, test, read, i, row);
    }
    return scene;
}

static inline struct scene make_own_files_checked(void)
{
    struct scene scene = SCENE_OPEN("ior", "-F", "-v", "-w", "-r", "-W", "-R", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f.00000000");
    struct weir_target *target = scene_target(&scene, "out/f", false);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *check = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, small_layout);

    scene.plan->output.verbosity = 2;
    check->is_check = true;
    read->transfers.must_verify = true;
    scene_done(&scene, test, write, 0, usual_row);
    scene_done(&scene, test, check, 0, usual_row)->mismatches.checked_transfers = 8;
    scene_done(&scene, test, read, 0, usual_row)->mismatches.checked_transfers = 8;
    scene_done(&scene, test, removal, 0, (struct scene_row){.total_s = 0.0003});
    return scene;
}

static inline struct scene make_wear_out(void)
{
    struct scene scene = SCENE_OPEN("ior", "-D", "0.5", "-O", "stoneWallingWearOut=1", "-w", "-Z");
    struct weir_test *test = scene_test(&scene, 2, "testFile");
    struct weir_target *target = scene_target(&scene, "testFile", true);
    struct weir_layout random_layout = {.segment_count = 4,
                                        .block_bytes = 64 * MIB,
                                        .transfer_bytes = 256 * KIB,
                                        .order = WEIR_ORDER_SHUFFLED};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, random_layout);
    struct weir_setting *settings = weir_arena_take(&scene.plan->arena, 2 * sizeof *settings);
    struct weir_phase_result *done;

    settings[0] = (struct weir_setting){"reorderTasksRandom", "1"};
    settings[1] = (struct weir_setting){"reorderTasksRandomSeed", "17"};
    test->settings = settings;
    test->setting_count = 2;
    write->stop = (struct weir_stop){.deadline_ns = SECOND_NS / 2, .has_wear_out = true};
    done = scene_done(&scene, test, write, 0,
                      (struct scene_row){200 * MIB, 0.001, 0.62, 0.002, 0.63, 0.0015});
    done->order_seed = 99;
    done->stonewall =
        (struct weir_stonewall){true, true, 300, 400, 350.0, 0.5, 75 * MIB, 87.5 * (double)MIB};
    weir_result_find(done, WEIR_FINDING_STONEWALL, "1024 of 2048 transfers were asked for");
    return scene;
}

static inline struct scene make_interrupted(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "3", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct scene_row half = usual_row;
    struct weir_phase_result *done;

    test->repetitions = 3;
    half.bytes = 3 * MIB;
    scene_done(&scene, test, write, 0, usual_row);
    scene_done(&scene, test, read, 0, usual_row);
    done = scene_done(&scene, test, write, 1, half);
    done->outcome = WEIR_OUTCOME_PARTIAL;
    done->is_interrupted = true;
    weir_result_find(done, WEIR_FINDING_INTERRUPTED, "a signal ended the phase");
    done = scene_done(&scene, test, read, 1, (struct scene_row){0});
    done->outcome = WEIR_OUTCOME_SKIPPED;
    weir_result_find(done, WEIR_FINDING_SKIPPED, "it was not begun");
    scene.result->is_interrupted = true;
    return scene;
}

static inline struct scene make_failed(void)
{
    struct scene scene = SCENE_OPEN("ior", "-w", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct scene_row half = usual_row;
    struct weir_phase_result *done;

    half.bytes = 4 * MIB;
    done = scene_done(&scene, test, write, 0, half);
    done->outcome = WEIR_OUTCOME_PARTIAL;
    done->error_count = 2;
    done->short_count = 5;
    done->file_bytes = UINT64_MAX;
    done->failure =
        "rank 1 on host n2: writing 1048576 bytes at offset 6291456:\nNo space left on device";
    weir_result_find(done, WEIR_FINDING_FAILED, "2 operations failed");
    weir_result_find(done, WEIR_FINDING_SHORT_TRANSFERS, "5 transfers came back short");
    return scene;
}

/* The third repetition found no room at all, the second one found some. */
static inline struct scene make_failing_repetitions(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "3", "-v", "-w", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct scene_row row = usual_row;

    test->repetitions = 3;
    scene.plan->output.verbosity = 1;
    for (unsigned i = 0; i < 3; i++) {
        struct weir_phase_result *done;

        row.bytes = i == 0 ? 8 * MIB : i == 1 ? 3 * MIB : 0;
        done = scene_done(&scene, test, write, i, row);
        if (i == 0)
            continue;
        done->outcome = WEIR_OUTCOME_PARTIAL;
        done->error_count = 1;
        done->failure = "rank 1 on host n2: No space left on device";
        weir_result_find(done, WEIR_FINDING_FAILED, "1 operations failed");
    }
    return scene;
}

static inline void add_mismatch(struct weir_phase_result *done, enum weir_mismatch_kind kind,
                                uint64_t offset, bool has_found)
{
    struct weir_mismatch_summary *summary = &done->mismatches;
    struct weir_mismatch_log log = {.checked_transfers = summary->checked_transfers,
                                    .wrong_transfers = summary->wrong_transfers,
                                    .wrong_bytes = summary->wrong_bytes,
                                    .kept = summary->kept};
    struct weir_mismatch mismatch = {
        .kind = kind,
        .offset = offset,
        .bytes = 4096,
        .writer = 1,
        .has_found = has_found,
    };

    if (has_found) {
        mismatch.found_writer = 0;
        mismatch.found_offset = offset + MIB;
        mismatch.found_generation = kind == WEIR_MISMATCH_STALE ? 41 : 42;
    }
    memcpy(log.kinds, summary->kinds, sizeof log.kinds);
    for (uint64_t i = 0; i < summary->kept; i++)
        log.first[i] = summary->first[i];
    weir_mismatch_log_add(&log, &mismatch);
    *summary = weir_mismatch_summarise(done->arena, &log);
}

/* Too many repetitions to tell of each, but for what is wrong with one. */
static inline struct scene make_many_repetitions(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "6", "-R", "-w", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);

    test->repetitions = 6;
    read->transfers.must_verify = true;
    for (unsigned i = 0; i < 6; i++) {
        struct scene_row row = usual_row;
        struct weir_phase_result *done;

        row.transfer_s *= 1.0 + i;
        row.total_s *= 1.0 + i;
        row.latency_s *= 1.0 + i;
        row.bytes = i == 5 ? MIB : 8 * MIB;
        done = scene_done(&scene, test, write, i, row);
        weir_result_find(done, WEIR_FINDING_SHORT, "the phase took %u ms", 13 * (i + 1));
        if (i == 5) {
            done->outcome = WEIR_OUTCOME_PARTIAL;
            weir_result_find(done, WEIR_FINDING_FAILED, "1 operations failed");
        }
        row.bytes = 8 * MIB;
        done = scene_done(&scene, test, read, i, row);
        done->mismatches.checked_transfers = 8;
        if (i == 3) {
            done->mismatches.wrong_transfers = 1;
            add_mismatch(done, WEIR_MISMATCH_ZERO, MIB, false);
        }
    }
    return scene;
}

static inline struct scene make_remark(void)
{
    static const struct weir_setting settings[] = {
        {"setTimeStampSignature", "-2"}, {"debug", "before the\nupdate"}, {"platform", "big \xff"},
        {"reorderTasks", "0"},           {"stoneWallingStatusFile", ""},
    };
    struct scene scene = SCENE_OPEN("ior", "-vv", "-w", "-G", "-2", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);

    scene.plan->output.verbosity = 2;
    test->settings = settings;
    test->setting_count = sizeof settings / sizeof *settings;
    write->transfers.payload.seed_is_given = true;
    write->transfers.payload.seed = UINT32_MAX - 1;
    scene_done(&scene, test, write, 0, usual_row)->data_seed = UINT32_MAX - 1;
    return scene;
}

static inline struct scene make_mismatches(void)
{
    struct scene scene = SCENE_OPEN("ior", "-w", "-W", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *check = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct weir_phase_result *done;

    check->is_check = true;
    scene_done(&scene, test, write, 0, usual_row);
    done = scene_done(&scene, test, check, 0, usual_row);
    done->generation = 42;
    done->mismatches.checked_transfers = 8;
    done->mismatches.wrong_transfers = 4;
    add_mismatch(done, WEIR_MISMATCH_MISPLACED, 4 * MIB, true);
    add_mismatch(done, WEIR_MISMATCH_STALE, 5 * MIB, true);
    add_mismatch(done, WEIR_MISMATCH_ZERO, 6 * MIB + 512, false);
    add_mismatch(done, WEIR_MISMATCH_ZERO, 6 * MIB + 8192, false);
    add_mismatch(done, WEIR_MISMATCH_FLIP, 7 * MIB, false);
    return scene;
}

static inline struct scene make_dry_run(void)
{
    struct scene scene = SCENE_OPEN("ior", "-O", "dryRun=1", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);

    test->backend = &scene_dummy;
    test->is_dry_run = true;
    scene.result->tests[0].filesystem.is_known = false;
    scene_done(&scene, test, write, 0, (struct scene_row){0});
    scene_done(&scene, test, read, 0, (struct scene_row){0});
    return scene;
}

#define ODD_NAME "o\"u,t/\xc3\xbc\nread 1\\f"

static inline struct scene make_odd_name(void)
{
    struct scene scene = SCENE_OPEN("ior", "-o", ODD_NAME, "-A", "\xff\xfe");
    struct weir_test *test = scene_test(&scene, 2, ODD_NAME "\xff");
    struct weir_target *target = scene_target(&scene, ODD_NAME "\xff", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase_result *done = scene_done(&scene, test, write, 0, usual_row);

    done->error_count = 1;
    done->failure = "closing " ODD_NAME "\xff"
                    ":\nInput/output error";
    return scene;
}

static inline struct scene make_two_tests(void)
{
    struct scene scene = SCENE_OPEN("ior", "-f", "job.ior");

    for (unsigned i = 0; i < 2; i++) {
        struct weir_test *test = scene_test(&scene, 2, "out/f");
        struct weir_target *target = scene_target(&scene, "out/f", i == 0);
        struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
        struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);

        write->transfers.is_collective = i == 1;
        scene_done(&scene, test, write, 0, usual_row);
        scene_done(&scene, test, read, 0, usual_row);
    }
    return scene;
}

/* Files are removed at the end of each repetition, which some versions tell at any verbosity. */
static inline struct scene make_removals(void)
{
    struct scene scene = SCENE_OPEN("ior", "-i", "2", "-s", "4", "-e", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_layout layout = {.segment_count = 4, .block_bytes = MIB, .transfer_bytes = MIB};
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, layout);

    test->repetitions = 2;
    for (unsigned i = 0; i < 2; i++) {
        struct scene_row row = usual_row;

        row.total_s *= 1.0 + i;
        scene_done(&scene, test, write, i, row);
        scene_done(&scene, test, read, i, row);
        scene_done(&scene, test, removal, i, (struct scene_row){.total_s = 0.0004})->file_bytes =
            UINT64_MAX;
    }
    return scene;
}

/* Own files, -C and -v on two nodes, with pauses and memory that is taken away. */
static inline struct scene make_verbose_on_two_nodes(void)
{
    struct scene scene =
        SCENE_OPEN("ior", "-F", "-C", "-v", "-d", "2", "-M", "25%", "-o", "/data/f");
    struct weir_test *test = scene_test(&scene, 4, "/data/f.00000000");
    struct weir_target *target = scene_target(&scene, "/data/f", false);
    struct weir_phase *write, *read, *removal;
    struct scene_row row = usual_row;

    scene.plan->output.verbosity = 1;
    scene.result->tests[0].node_count = 2;
    scene.result->tests[0].ranks_per_node = 2;
    test->hog.percent_of_node = 25;
    weir_plan_add_sleep(scene.plan, &test->steps, 2 * SECOND_NS);
    write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    weir_plan_add_sleep(scene.plan, &test->steps, SECOND_NS / 2);
    read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    removal = scene_phase(&scene, test, WEIR_REMOVE, target, small_layout);
    read->shift.kind = WEIR_SHIFT_NODES;
    row.bytes *= 2;
    scene_done(&scene, test, write, 0, row)->clock = (struct weir_clock_quality){
        .is_cross_node = true, .offset_s = 0.75, .drift_ppm = 3.5, .error_s = 1.2e-6};
    scene_done(&scene, test, read, 0, row)->clock = (struct weir_clock_quality){
        .is_cross_node = true, .offset_s = -0.25, .drift_ppm = 3.5, .error_s = 1.2e-6};
    scene_done(&scene, test, removal, 0, (struct scene_row){.total_s = 0.0003});
    return scene;
}

static inline void add_outliers(struct weir_phase_result *done, uint32_t count)
{
    done->outlier_count = 0;
    for (uint32_t i = 0; i < count && i < WEIR_OUTLIERS_KEPT; i++) {
        struct weir_outlier *outlier = weir_result_add_outlier(done);

        *outlier = (struct weir_outlier){.rank = i / WEIR_OUTLIER_KINDS,
                                         .kind = (enum weir_outlier_kind)(i % WEIR_OUTLIER_KINDS),
                                         .value_s = 2.5 + i,
                                         .mean_s = 0.5,
                                         .stddev_s = 0.125};
        snprintf(outlier->host, sizeof outlier->host, "n%u", i % 2 + 1);
    }
    done->outlier_count = count;
}

/* All that users are warned of. */
static inline struct scene make_warnings(void)
{
    static const char *const remarks[] = {
        "Fake number of node: using 2",
        "too few test repetitions. Using value of 1.",
        "not built\nand ignored",
    };
    struct scene scene = SCENE_OPEN("ior", "-E", "-j", "2", "-D", "1", "-R", "-w", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f");
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct scene_row row = usual_row;
    struct weir_phase_result *done;

    test->remarks = remarks;
    test->remark_count = sizeof remarks / sizeof *remarks;
    test->outlier_ns = 2 * SECOND_NS;
    write->transfers.must_replace = false;
    write->stop.deadline_ns = SECOND_NS;
    read->transfers.must_verify = true;
    scene.result->tests[0].existing_count = 3;
    snprintf(scene.result->tests[0].existing_path, sizeof scene.result->tests[0].existing_path,
             "out/\nf");
    row.bytes = 5 * MIB;
    done = scene_done(&scene, test, write, 0, row);
    done->file_bytes = 20 * MIB;
    done->has_differing_sizes = true;
    done->short_count = 7;
    add_outliers(done, WEIR_OUTLIER_KINDS);
    row.bytes = 8 * MIB;
    done = scene_done(&scene, test, read, 0, row);
    done->data_seed = 1795219302;
    done->mismatches.checked_transfers = 8;
    done->mismatches.wrong_transfers = 3;
    add_outliers(done, 2);
    return scene;
}

/* The result file of a job that was killed between two phases. */
static inline struct scene make_killed(void)
{
    struct scene scene = make_default();

    scene.result->phase_count = 1;
    scene.result->is_interrupted = true;
    scene.result->finished_s = 0.0;
    return scene;
}

static const struct {
    const char *name;
    struct scene (*make)(void);
} scenes[] = {
    {"default", make_default},
    {"repetitions-on-two-nodes", make_repetitions_on_two_nodes},
    {"own-files-checked", make_own_files_checked},
    {"wear-out", make_wear_out},
    {"interrupted", make_interrupted},
    {"failed", make_failed},
    {"mismatches", make_mismatches},
    {"dry-run", make_dry_run},
    {"odd-name", make_odd_name},
    {"two-tests", make_two_tests},
    {"killed", make_killed},
    {"failing-repetitions", make_failing_repetitions},
    {"many-repetitions", make_many_repetitions},
    {"remark", make_remark},
    {"removals", make_removals},
    {"verbose-on-two-nodes", make_verbose_on_two_nodes},
    {"warnings", make_warnings},
    {"mixed", make_mixed},
    {"open-loop", make_open_loop},
    {"depth-search", make_depth_search},
    {"places", make_places},
    {"misplaced", make_misplaced},
};
#define SCENE_COUNT (sizeof scenes / sizeof *scenes)

/* ---- scenes with what is known of single ranks while a job runs ---- */

/* Own files, wear-out and -Z with a prefill, at -vvvv. */
static inline struct scene make_every_word(void)
{
    struct scene scene =
        SCENE_OPEN("ior", "-F", "-Z", "-vvvv", "-D", "1", "-M", "1g", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f.00000000");
    struct weir_target *target = scene_target(&scene, "out/f", false);
    struct weir_phase *prefill = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *check = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct weir_phase *removal = scene_phase(&scene, test, WEIR_REMOVE, target, small_layout);
    struct weir_phase *phases[] = {prefill, write, check, read, removal};

    scene.plan->output.verbosity = 4;
    test->hog.bytes_per_node = GIB;
    prefill->is_prefill = true;
    prefill->transfers.layout.transfer_bytes = 4 * MIB;
    check->is_check = true;
    write->stop = (struct weir_stop){.deadline_ns = SECOND_NS, .has_wear_out = true};
    read->shift = (struct weir_shift){.kind = WEIR_SHIFT_PERMUTATION, .distance = 1, .seed = 4};
    for (unsigned i = 0; i < sizeof phases / sizeof *phases; i++) {
        struct weir_phase_result *done = scene_done(&scene, test, phases[i], 0, usual_row);

        scene_rows(&scene, done);
        done->data_seed = 1795219302;
    }
    scene.result->phases[1].stonewall =
        (struct weir_stonewall){true, true, 100, 101, 100.5, 0.5, 75 * MIB, 87.5 * (double)MIB};
    return scene;
}

/* Own files, -Z on two nodes: whose file a rank reads, the record does not tell. */
static inline struct scene make_rows_on_two_nodes(void)
{
    struct scene scene = SCENE_OPEN("ior", "-F", "-Z", "-vvv", "-o", "out/f");
    struct weir_test *test = scene_test(&scene, 2, "out/f.00000000");
    struct weir_target *target = scene_target(&scene, "out/f", false);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);

    scene.plan->output.verbosity = 3;
    scene.result->tests[0].node_count = 2;
    scene.result->tests[0].ranks_per_node = 1;
    read->shift = (struct weir_shift){.kind = WEIR_SHIFT_RANDOM, .distance = 1, .seed = 3};
    scene_rows(&scene, scene_done(&scene, test, write, 0, usual_row));
    scene_rows(&scene, scene_done(&scene, test, read, 0, usual_row));
    return scene;
}

static const struct {
    const char *name;
    struct scene (*make)(void);
} live_scenes[] = {
    {"every-word", make_every_word},
    {"rows-on-two-nodes", make_rows_on_two_nodes},
    {"mixed-rows", make_mixed_rows},
};
#define LIVE_SCENE_COUNT (sizeof live_scenes / sizeof *live_scenes)

/* ---- formats and versions ---- */

static const struct {
    const char *format;
    const char *suffix;
} formats[] = {
    {"ior", "ior"},
    {"ior csv", "csv"},
    {"ior json", "json"},
};
#define FORMAT_COUNT (sizeof formats / sizeof *formats)

/* Of the text. */
static const struct {
    const char *compat;
    const char *suffix;
} versions[] = {
    {NULL, "ior"},          {"IOR 4.0", "ior-4.0"}, {"IOR 3.3", "ior-3.3"},
    {"IOR 3.2", "ior-3.2"}, {"IOR 3.0", "ior-3.0"}, {"IOR 2.10", "ior-2.10"},
};
#define VERSION_COUNT (sizeof versions / sizeof *versions)

/* ---- texts of a scene ---- */

static inline void report_as(struct weir_text *text, struct scene *scene, const char *format)
{
    weir_text_clear(text);
    scene->result->exit_code = weir_result_judge(scene->result);
    for (unsigned i = 0; i < scene->result->phase_count; i++)
        weir_result_believe(&scene->result->phases[i]);
    scene->plan->output.reporter = format;
    weir_report_whole(text, scene->plan, scene->result);
}

/* The text of a version, told of a run that has its exit code. */
static inline void report_version(struct weir_text *text, struct scene *scene, const char *compat)
{
    scene->plan->output.style = compat;
    report_as(text, scene, "ior");
    scene->plan->output.style = NULL;
}

static inline void record_whole(struct weir_text *text, const struct scene *scene)
{
    struct weir_result *result = scene->result;

    result->exit_code = weir_result_judge(result);
    weir_record_run(text, scene->plan, result);
    for (unsigned i = 0; i < result->test_count; i++)
        weir_record_test(text, scene->plan, result, &result->tests[i]);
    for (unsigned i = 0; i < result->phase_count; i++)
        weir_record_phase(text, scene->plan, result, &result->phases[i]);
    if (result->finished_s > 0.0)
        weir_record_end(text, result);
}

#endif
