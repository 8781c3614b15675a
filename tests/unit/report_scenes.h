/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and results made by hand, for the tests of reports. */
#ifndef WEIR_TESTS_REPORT_SCENES_H
#define WEIR_TESTS_REPORT_SCENES_H

#include "weir/base/text.h"
#include "weir/base/version.h"
#include "weir/report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BEGUN_S 1795219301.0 /* Sat Nov 21 00:01:41 2026 */
#define KIB UINT64_C(1024)
#define MIB UINT64_C(1048576)
#define GIB UINT64_C(1073741824)
#define SECOND_NS UINT64_C(1000000000)

static const struct weir_descriptor scene_posix = {
    .name = "posix", .label = "POSIX", .version = ""};
static const struct weir_descriptor scene_dummy = {
    .name = "null", .label = "DUMMY", .version = "0.5"};

struct scene {
    struct weir_plan *plan;
    struct weir_result *result;
};

/* What a phase of a scene took, in IOR's words. */
struct scene_row {
    uint64_t bytes;
    double open_s;
    double transfer_s;
    double close_s;
    double total_s;
    double latency_s;
};

static const struct weir_layout small_layout = {
    .segment_count = 1, .block_bytes = 4 * MIB, .transfer_bytes = MIB};
static const struct scene_row usual_row = {8 * MIB, 0.0004, 0.0125, 0.0001, 0.0132, 0.0015};

static inline struct scene scene_open(const char *const words[], int word_count)
{
    struct scene scene = {
        .plan = weir_plan_open("ior", word_count, words),
        .result = weir_result_open(4),
    };

    scene.plan->output.has_details = true;
    snprintf(scene.plan->id, sizeof scene.plan->id, "0123456789abcdef");
    scene.result->begun_s = BEGUN_S;
    scene.result->finished_s = BEGUN_S;
    snprintf(scene.result->clock_name, sizeof scene.result->clock_name, "tsc");
    scene.result->host = (struct weir_host_facts){"Linux", "vm", "6.1.0", "#1 SMP", "x86_64"};
    return scene;
}

#define SCENE_OPEN(...)                                                                            \
    scene_open((const char *const[]){__VA_ARGS__},                                                 \
               (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)))

static inline void scene_close(struct scene *scene)
{
    weir_plan_close(scene->plan);
    weir_result_close(scene->result);
}

static inline struct weir_test *scene_test(struct scene *scene, unsigned ranks, const char *path)
{
    struct weir_test *test = weir_plan_add_test(scene->plan);
    struct weir_test_result *begun = &scene->result->tests[scene->result->test_count++];

    test->backend = &scene_posix;
    test->label = "POSIX";
    *begun = (struct weir_test_result){
        .test = test->number,
        .begun_s = BEGUN_S,
        .rank_count = ranks,
        .node_count = 1,
        .ranks_per_node = ranks,
        .filesystem =
            {
                .is_known = true,
                .bytes_total = 252 * GIB,
                .bytes_used = 252 * GIB / 1000 * 52,
                .inodes_total = 16 * MIB,
                .inodes_used = 16 * MIB / 1000 * 25,
                .type = "ext4",
            },
    };
    snprintf(begun->path, sizeof begun->path, "%s", path);
    return test;
}

static inline struct weir_target *scene_target(struct scene *scene, const char *path,
                                               bool is_shared)
{
    struct weir_target *target = weir_arena_take(&scene->plan->arena, sizeof *target);
    const char **paths = weir_arena_take(&scene->plan->arena, sizeof *paths);

    paths[0] = weir_arena_copy(&scene->plan->arena, path);
    *target = (struct weir_target){.paths = paths, .path_count = 1, .is_shared = is_shared};
    return target;
}

/* A phase in the way most scenes want it; the rest is set by the caller. */
static inline struct weir_phase *scene_phase(struct scene *scene, struct weir_test *test,
                                             enum weir_verb verb, const struct weir_target *target,
                                             struct weir_layout layout)
{
    struct weir_phase phase = {
        .verb = verb,
        .target = target,
        .transfers.layout = layout,
        .shift = {.distance = 1},
        .transfers.must_replace = verb == WEIR_WRITE,
        .depth = 1,
        .transfers.batch = 1,
    };

    return weir_plan_add_phase(scene->plan, test, &test->steps, &phase);
}

/* Spreads and slowest ranks that follow from nothing else in the scene. */
static inline void scene_spread(struct weir_phase_result *done)
{
    static const char *const hosts[] = {"n1", "n2"};

    done->common_s = 0.9 * done->windows.transfer_s;
    done->rank_s_min = 0.92 * done->windows.transfer_s;
    done->rank_s_mean = 0.95 * done->windows.transfer_s;
    done->rank_s_max = 0.98 * done->windows.transfer_s;
    done->rank_s_stddev = 0.01 * done->windows.transfer_s;
    done->data_share = 0.125;
    done->storage_s = 0.875 * done->rank_s_max;
    for (unsigned i = 0; i < done->rank_count && i < WEIR_SLOWEST_KEPT; i++) {
        struct weir_slow_rank *rank = &done->slowest[done->slowest_count++];

        rank->rank = done->rank_count - 1 - i;
        rank->seconds = done->rank_s_max * (1.0 - 0.01 * i);
        snprintf(rank->host, sizeof rank->host, "%s", hosts[rank->rank % 2]);
    }
}

/* The record of a phase that ran, with a few latencies. */
static inline struct weir_phase_result *scene_done(struct scene *scene,
                                                   const struct weir_test *test,
                                                   const struct weir_phase *phase,
                                                   unsigned repetition, struct scene_row row)
{
    struct weir_phase_result *done = weir_result_add_phase(scene->result);
    const struct weir_test_result *begun = &scene->result->tests[test->number];

    done->test = test->number;
    done->phase = phase->number;
    done->repetition = repetition;
    done->begun_s = BEGUN_S;
    done->rank_count = begun->rank_count;
    done->node_count = begun->node_count;
    done->byte_count = row.bytes;
    done->op_count = row.bytes / phase->transfers.layout.transfer_bytes;
    done->expected_bytes = weir_layout_bytes_per_rank(&phase->transfers.layout) * begun->rank_count;
    done->file_bytes = row.bytes;
    done->data_seed = UINT64_C(0xfedcba9876543210);
    done->generation = repetition + 1;
    done->windows = (struct weir_windows){row.open_s, row.transfer_s, row.close_s, row.total_s};
    done->op_s_min = row.latency_s;
    for (uint64_t i = 0; i < done->op_count && i < 32; i++) {
        weir_histogram_add(done->latency,
                           (uint64_t)(row.latency_s * (1e9 + 5e7 * (double)(i * i))));
        weir_series_add(done->series, i << 19, phase->transfers.layout.transfer_bytes);
    }
    done->submission = done->response = NULL;
    done->write_latency = done->read_latency = NULL;
    done->depth = 1;
    done->batch = 1;
    done->cpu_user_s = 0.25 * row.transfer_s;
    done->cpu_system_s = 0.5 * row.transfer_s;
    scene_spread(done);
    return done;
}

/* What is known of single ranks while a job runs. */
static inline void scene_rows(struct scene *scene, struct weir_phase_result *done)
{
    struct weir_rank_row *rows =
        weir_arena_take(&scene->plan->arena, done->rank_count * sizeof *rows);

    for (unsigned rank = 0; rank < done->rank_count; rank++) {
        for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
            rows[rank].stamps_ns[i] = (int64_t)i * 250000 + rank * 1000;
        rows[rank].stonewall_ops = 100 + rank;
    }
    done->rows = rows;
}

/* ---- files ---- */

/* The folder tests/golden, found from this file's own name. */
static inline const char *scene_golden(const char *name)
{
    static char path[4096];
    const char *file = __FILE__;
    const char *folder = strstr(file, "unit/report_scenes.h");

    assert_non_null(folder);
    snprintf(path, sizeof path, "%.*sgolden/%s", (int)(folder - file), file, name);
    return path;
}

static inline void scene_load(const char *path, struct weir_text *text)
{
    FILE *file = fopen(path, "r");
    char bytes[4096];
    size_t count;

    if (!file)
        fail_msg("%s cannot be read; run with WEIR_BLESS=1 to write it", path);
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        weir_text_add_bytes(text, bytes, count);
    fclose(file);
}

static inline void scene_store(const char *path, const char *content)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

#endif
