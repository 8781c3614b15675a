/* SPDX-License-Identifier: Apache-2.0 */
/* Scenes of loads: mixed phases, queues, open loops, searches for a depth. Their findings are those
 * of the audit. */
#ifndef WEIR_TESTS_REPORT_LOAD_SCENES_H
#define WEIR_TESTS_REPORT_LOAD_SCENES_H

#include "report_scenes.h"

#include "weir/audit/audit.h"

static const struct weir_descriptor scene_uring = {
    .name = "uring",
    .label = "URING",
    .version = "",
    .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_CAN_QUEUE,
};

static inline struct weir_histogram *scene_histogram(struct scene *scene, uint64_t first_ns,
                                                     uint64_t step_ns, unsigned count)
{
    struct weir_histogram *histogram = weir_arena_take(&scene->plan->arena, sizeof *histogram);

    weir_histogram_reset(histogram);
    for (unsigned i = 0; i < count; i++)
        weir_histogram_add(histogram, first_ns + i * step_ns);
    return histogram;
}

static inline struct weir_test *scene_queue_test(struct scene *scene)
{
    struct weir_test *test = scene_test(scene, 2, "out/f");

    test->backend = &scene_uring;
    test->label = "URING";
    return test;
}

/* A phase through a queue that ran. */
static inline struct weir_phase_result *scene_queued(struct scene *scene,
                                                     const struct weir_test *test,
                                                     const struct weir_phase *phase,
                                                     unsigned repetition, struct scene_row row)
{
    struct weir_phase_result *done = scene_done(scene, test, phase, repetition, row);

    done->depth = phase->depth;
    done->batch = phase->transfers.batch;
    done->submission = scene_histogram(scene, 2000, 100, 8);
    return done;
}

/* Reads and writes at once, between a write and a read, at depth 32. */
static inline struct scene make_mixed(void)
{
    struct scene scene = SCENE_OPEN("ior", "-a", "URING", "--read-percent", "70", "--depth", "32",
                                    "-v", "-i", "2", "-o", "out/f");
    struct weir_test *test = scene_queue_test(&scene);
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *mixed = scene_phase(&scene, test, WEIR_MIXED, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);

    scene.plan->output.verbosity = 1;
    test->repetitions = 2;
    mixed->transfers.read_percent = 70;
    mixed->transfers.must_verify = true;
    mixed->depth = 32;
    mixed->transfers.batch = 4;
    read->shift = (struct weir_shift){.kind = WEIR_SHIFT_NODES, .distance = 1};
    for (unsigned i = 0; i < 2; i++) {
        struct scene_row row = usual_row;
        struct weir_phase_result *done;

        row.total_s *= 1.0 + i;
        scene_queued(&scene, test, write, i, row);
        done = scene_queued(&scene, test, mixed, i, row);
        done->near_rank_count = 2;
        done->write_latency = scene_histogram(&scene, 90000, 10000, 3);
        done->read_latency = scene_histogram(&scene, 20000, 1000, 5);
        done->overlapped_data_share = 0.375;
        done->short_count = 3;
        done->mismatches.checked_transfers = 5;
        weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
        scene_queued(&scene, test, read, i, row);
    }
    return scene;
}

/* A mixed phase alone, on files that are there, at -vvv. */
static inline struct scene make_mixed_rows(void)
{
    struct scene scene = SCENE_OPEN("ior", "-F", "--read-percent", "50", "-vvv", "-o", "out/f");
    struct weir_test *test = scene_queue_test(&scene);
    struct weir_target *target = scene_target(&scene, "out/f", false);
    struct weir_phase *mixed = scene_phase(&scene, test, WEIR_MIXED, target, small_layout);
    struct weir_phase_result *done;

    scene.plan->output.verbosity = 3;
    mixed->transfers.read_percent = 50;
    mixed->transfers.must_verify = true;
    mixed->transfers.must_sync_each = true;
    done = scene_queued(&scene, test, mixed, 0, usual_row);
    done->data_seed = 1795219302;
    scene_rows(&scene, done);
    return scene;
}

/* A write that kept up with its rate, and a read that did not. */
static inline struct scene make_open_loop(void)
{
    struct scene scene =
        SCENE_OPEN("ior", "-a", "URING", "--depth", "4", "--arrivals", "poisson", "-f", "rates");
    struct weir_test *test = scene_queue_test(&scene);
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);
    struct weir_phase *read = scene_phase(&scene, test, WEIR_READ, target, small_layout);
    struct scene_row row = {8 * MIB, 0.0004, 0.25, 0.0001, 0.26, 0.0015};
    struct weir_phase_result *done;

    write->depth = read->depth = 4;
    write->rate = (struct weir_rate){.arrivals = WEIR_ARRIVALS_POISSON, .per_s = 32.5};
    read->rate = (struct weir_rate){.arrivals = WEIR_ARRIVALS_POISSON, .per_s = 1000.0};
    done = scene_queued(&scene, test, write, 0, row);
    done->pace = (struct weir_pace_result){32.5, 0.248, 2e-5, 3e-4, 2};
    done->response = scene_histogram(&scene, 2000000, 150000, 8);
    weir_series_note_backlog(done->series, 0, 2);
    weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
    done = scene_queued(&scene, test, read, 0, row);
    done->pace = (struct weir_pace_result){1000.0, 0.008, 0.24, 0.241, 7};
    done->response = scene_histogram(&scene, 2000000, 30000000, 8);
    weir_series_note_backlog(done->series, 0, 3);
    weir_series_note_backlog(done->series, UINT64_C(3) << 20, 7);
    weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
    return scene;
}

/* Two searches with another outcome each, through a session that did not get all that it asked
 * for. */
static inline struct scene make_depth_search(void)
{
    static const struct weir_depth_point points[] = {{1, 9000.0, 0.00010},
                                                     {2, 17500.5, 0.00011},
                                                     {4, 33000.0, 0.00012},
                                                     {6, 49100.0, 0.00012},
                                                     {8, 50000.0, 0.00015}};
    struct scene scene =
        SCENE_OPEN("ior", "-a", "URING", "--depth", "auto", "-i", "2", "-w", "-o", "out/f");
    struct weir_test *test = scene_queue_test(&scene);
    struct weir_target *target = scene_target(&scene, "out/f", true);
    struct weir_phase *write = scene_phase(&scene, test, WEIR_WRITE, target, small_layout);

    test->repetitions = 2;
    write->depth = 8;
    write->must_find_depth = true;
    for (unsigned i = 0; i < 2; i++) {
        struct weir_phase_result *done = scene_queued(&scene, test, write, i, usual_row);

        done->depth_curve.points = points;
        done->depth_curve.count = sizeof points / sizeof *points;
        done->depth = i == 0 ? 6 : 8;
        done->granted = "ring of 8, single issuer, fixed files";
        done->shortfall = "buffers of 1m were not registered (limit 64k) -> ulimit -l";
        done->shortfall_rank_count = 2;
        done->blocked_count = 1;
        weir_audit_phase(scene.plan, &(struct weir_test_result){0}, done);
    }
    return scene;
}

#endif
