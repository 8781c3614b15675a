/* SPDX-License-Identifier: Apache-2.0 */
/* Rates that one number does not stand for: repetitions that differ, rates that rise, fall or stop
 * at regular times, devices that others use, storages that lack a part. Each beside its clean twin.
 */
#include "weir/audit/audit.h"

#include "normal_noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#define MIB (UINT64_C(1) << 20)
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const struct weir_descriptor backend = {
    .name = "posix", .label = "POSIX", .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME};

struct scene {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_phase *phase;
    struct weir_target target;
    struct weir_result *result;
    struct weir_test_result *begun;
};

static void open_scene(struct scene *scene, enum weir_verb verb, unsigned repetitions)
{
    static const char *const words[] = {"ior"};
    static const char *const paths[] = {"f"};
    struct weir_phase phase = {
        .verb = verb,
        .transfers.layout = {.segment_count = 1, .block_bytes = MIB, .transfer_bytes = MIB},
        .depth = 1,
        .transfers.batch = 1};

    memset(scene, 0, sizeof *scene);
    scene->target = (struct weir_target){.paths = paths, .path_count = 1, .is_shared = true};
    phase.target = &scene->target;
    scene->plan = weir_plan_open("ior", 1, words);
    scene->test = weir_plan_add_test(scene->plan);
    scene->test->backend = &backend;
    scene->test->repetitions = repetitions;
    scene->phase = weir_plan_add_phase(scene->plan, scene->test, &scene->test->steps, &phase);
    scene->result = weir_result_open(8);
    scene->begun = &scene->result->tests[scene->result->test_count++];
    scene->begun->storage_count = 1;
    scene->begun->storages = weir_arena_take(&scene->result->arena, sizeof *scene->begun->storages);
    scene->begun->storages[0] =
        (struct weir_storage_group){.count = 1,
                                    .hosts = "n1",
                                    .facts = {.is_known = true,
                                              .type = "ext4",
                                              .source = "/dev/sda",
                                              .device_count = 1,
                                              .devices = {{.name = "sda"}}}};
}

static void close_scene(struct scene *scene)
{
    weir_result_close(scene->result);
    weir_plan_close(scene->plan);
}

/* A record of so many MiB, or as many operations, in so many seconds; the latest of the result. */
static struct weir_phase_result *add_record(struct scene *scene, unsigned repetition, double amount,
                                            double seconds)
{
    struct weir_phase_result *record = weir_result_add_phase(scene->result);
    bool moves_data = weir_verb_moves_data(scene->phase->verb);

    record->test = scene->test->number;
    record->phase = scene->phase->number;
    record->repetition = repetition;
    record->failure = "";
    record->rank_count = record->node_count = 1;
    record->op_count = (uint64_t)amount;
    record->byte_count = record->expected_bytes = moves_data ? (uint64_t)(amount * MIB) : 0;
    record->windows.transfer_s = record->windows.total_s = seconds;
    return record;
}

static bool has(const struct weir_phase_result *record, const char *name)
{
    for (unsigned i = 0; i < record->finding_count; i++)
        if (strcmp(record->findings[i].name, name) == 0)
            return true;
    return false;
}

/* ---- repetitions ---- */

static void repetitions_that_differ_are_told_at_the_last_one(void **state)
{
    static const struct {
        double rates[8];
        unsigned count;
        bool has_spread, has_warm_up;
    } cases[] = {
        {{100, 100}, 2, false, false},
        {{100, 115}, 2, false, false},
        {{100, 134}, 2, false, false}, /* 29 % of 117 */
        {{100, 136}, 2, true, false},
        {{136, 100}, 2, true, false},
        {{100, 110, 95, 104, 100}, 5, false, false},
        {{100, 110, 60, 104, 100}, 5, true, false},
        /* The first one differs more than the others do. */
        {{78, 100, 102, 101, 99}, 5, false, true},
        {{60, 100, 104, 98, 101}, 5, true, true},
        {{150, 100, 104, 98, 101}, 5, true, true},
        {{82, 100, 102, 101, 99}, 5, false, false},
        {{78, 100, 130, 101, 99}, 5, true, false},
        {{78, 100, 101}, 3, false, true},
        {{100}, 1, false, false},
    };
    static const enum weir_verb verbs[] = {WEIR_WRITE, WEIR_CREATE, WEIR_CYCLE};

    (void)state;
    for (size_t i = 0; i < COUNT(cases) * COUNT(verbs); i++) {
        const unsigned which = (unsigned)(i / COUNT(verbs));
        struct scene scene;

        open_scene(&scene, verbs[i % COUNT(verbs)], cases[which].count);
        for (unsigned k = 0; k < cases[which].count; k++) {
            struct weir_phase_result *record =
                add_record(&scene, k, cases[which].rates[k] * 2.0, 2.0);
            bool is_last = k + 1 == cases[which].count;

            weir_audit_repetitions(scene.plan, scene.result, record);
            if (has(record, "spread") != (is_last && cases[which].has_spread) ||
                has(record, "warm-up") != (is_last && cases[which].has_warm_up))
                fail_msg("case %u, repetition %u", which, k);
            weir_result_keep_phase(scene.result, false);
        }
        close_scene(&scene);
    }
}

/* Of phases that are over at once only those whose record says so. */
static void short_repetitions_differ_by_chance(void **state)
{
    (void)state;
    for (unsigned is_said = 0; is_said < 2; is_said++) {
        struct weir_phase_result *record = NULL;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 2);
        for (unsigned k = 0; k < 2; k++) {
            record = add_record(&scene, k, k == 0 ? 1.0 : 2.0, 0.05);
            if (is_said)
                weir_result_find(record, WEIR_FINDING_SHORT, "the phase took 50 ms");
            weir_audit_repetitions(scene.plan, scene.result, record);
            if (k == 0)
                weir_result_keep_phase(scene.result, false);
        }
        assert_int_equal(has(record, "spread"), is_said);
        close_scene(&scene);
    }
}

/* What failed has no rate; and what is read from a file is judged anew, not twice. */
static void repetitions_that_failed_have_no_rate(void **state)
{
    struct weir_phase_result *record;
    struct scene scene;

    (void)state;
    open_scene(&scene, WEIR_WRITE, 3);
    for (unsigned k = 0; k < 3; k++) {
        record = add_record(&scene, k, k == 1 ? 10.0 : 200.0, 2.0);
        if (k == 1)
            record->outcome = WEIR_OUTCOME_PARTIAL;
        weir_audit_repetitions(scene.plan, scene.result, record);
        assert_int_equal(record->finding_count, 0);
        weir_result_keep_phase(scene.result, false);
    }
    close_scene(&scene);
}

/* Repetitions of which only sums are kept. */
static void repetitions_without_a_record_count(void **state)
{
    const unsigned count = WEIR_REPETITIONS_KEPT + 10;

    (void)state;
    for (unsigned slow = 0; slow < 2; slow++) {
        struct weir_phase_result *record = NULL;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, count);
        for (unsigned k = 0; k < count; k++) {
            record = add_record(&scene, k, slow && k == count - 5 ? 100.0 : 200.0, 2.0);
            weir_audit_repetitions(scene.plan, scene.result, record);
            if (k + 1 < count)
                weir_result_keep_phase(scene.result, false);
        }
        assert_int_equal(has(record, "spread"), slow);
        close_scene(&scene);
    }
}

/* Each repetition of a target is a test of its own. */
static void targets_have_one_finding_for_all(void **state)
{
    static const double rates[2][3][3] = {{{100, 100, 100}, {50, 51, 50}, {100, 101, 100}},
                                          {{100, 100, 100}, {50, 100, 50}, {100, 60, 100}}};
    static const char *const names[] = {"a", "b", "c"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct weir_phase_result *record = NULL;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 1);
        scene.test->peer = names[0];
        for (unsigned k = 1; k < 9; k++) {
            struct weir_test *test = weir_plan_add_test(scene.plan);

            test->backend = &backend;
            test->repetitions = 1;
            test->peer = names[k % 3];
            weir_plan_add_phase(scene.plan, test, &test->steps, scene.phase);
        }
        for (unsigned k = 0; k < 9; k++) {
            record = add_record(&scene, 0, rates[i][k % 3][k / 3] * 2.0, 2.0);
            record->test = k;
            record->phase = scene.plan->tests[k]->phases[0]->number;
            weir_audit_repetitions(scene.plan, scene.result, record);
            assert_int_equal(record->finding_count, k == 8 && i == 1 ? 1 : 0);
            if (k < 8)
                weir_result_keep_phase(scene.result, false);
        }
        if (i == 1)
            assert_non_null(strstr(record->findings[0].text, "3 repetitions of b differ by 75 %"));
        close_scene(&scene);
    }
}

/* Executions of a label: of two ranks, in one of which they differ; and in both. */
static void executions_of_a_label_are_its_repetitions(void **state)
{
    static const double seconds[3][2][3] = {{{1.0, 1.1, 1.0}, {1.0, 1.0, 1.0}},
                                            {{1.0, 3.0, 1.0}, {1.0, 1.0, 1.0}},
                                            {{1.0, 3.0, 1.0}, {1.0, 2.5, 1.0}}};

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct weir_program_event events[6];
        struct weir_histogram duration;
        struct weir_label_result label = {.name = "x", .duration = &duration};
        struct weir_program_result program = {
            .label_count = 1, .labels = &label, .event_count = 6, .events = events};
        struct weir_phase_result *record;
        struct scene scene;

        weir_histogram_reset(&duration);
        for (uint32_t k = 0; k < 6; k++) {
            events[k] =
                (struct weir_program_event){.rank = k / 3, .seconds = seconds[i][k / 3][k % 3]};
            weir_histogram_add(&duration, (uint64_t)(events[k].seconds * 1e9));
        }
        open_scene(&scene, WEIR_PROGRAM, 1);
        record = add_record(&scene, 0, 100.0, 6.0);
        record->program = &program;
        weir_audit_repetitions(scene.plan, scene.result, record);
        assert_int_equal(has(record, "spread"), i == 2);
        close_scene(&scene);
    }
}

/* ---- the course of a phase ---- */

/* Operations per second at a time, in parts of the usual. */
typedef double course(double at_s);

static double steady(double at_s)
{
    return 1.0;
}
static double falling(double at_s)
{
    return 1.3 - 0.06 * at_s; /* to 0.7 after 10 s */
}
static double rising(double at_s)
{
    return 0.7 + 0.06 * at_s;
}
static double falling_a_little(double at_s)
{
    return 1.08 - 0.016 * at_s;
}
static double stopping_each_second(double at_s)
{
    return fmod(at_s, 1.0) < 0.2 ? 0.0 : 1.0;
}
static double running_each_second(double at_s)
{
    return fmod(at_s, 1.0) < 0.2 ? 1.0 : 0.0;
}
static double stopping_now_and_then(double at_s)
{
    static const double begins[] = {0.7, 1.3, 4.8, 5.4, 8.9};

    for (size_t i = 0; i < COUNT(begins); i++)
        if (at_s >= begins[i] && at_s < begins[i] + 0.2)
            return 0.0;
    return 1.0;
}
static double stopping_shortly(double at_s)
{
    return fmod(at_s, 1.0) < 0.03 ? 0.0 : 1.0;
}
static double stopping_once(double at_s)
{
    return at_s > 4.0 && at_s < 5.0 ? 0.0 : 1.0;
}

/* One rank, 2000 operations per second that vary by some 10 %. */
static void run_course(struct scene *scene, course *rate_at, double seconds, struct noise *noise)
{
    struct weir_phase_result *record = add_record(scene, 0, 0.0, seconds);

    weir_series_reset(record->series, 0);
    for (unsigned ms = 0; ms < (unsigned)(seconds * 1e3); ms += 5) {
        double ops = 10.0 * rate_at(ms / 1e3) * fmax(1.0 + 0.1 * draw(noise), 0.0);

        for (unsigned i = 0; i < (unsigned)ops; i++) {
            weir_series_add(record->series, ms * UINT64_C(1000000) + i * 400000 + 1, MIB);
            weir_histogram_add(record->latency, 500000);
            record->op_count++;
        }
    }
    record->byte_count = record->op_count * MIB;
    record->depth = 1;
}

static void courses_are_told_apart(void **state)
{
    static const struct {
        course *rate_at;
        double seconds;
        bool has_trend, has_stalls;
    } cases[] = {
        {steady, 10, false, false},
        {falling, 10, true, false},
        {rising, 10, true, false},
        {falling, 2.5, false, false},
        {falling_a_little, 10, false, false},
        {stopping_each_second, 10, false, true},
        {stopping_each_second, 5, false, true},
        {stopping_each_second, 3, false, false}, /* three times */
        {running_each_second, 10, false, true},
        {stopping_now_and_then, 10, false, false},
        {stopping_shortly, 10, false, false}, /* 3 % */
        {stopping_once, 10, false, false},
    };
    struct noise noise = {.seed = 3};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct weir_phase_result *record;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 1);
        run_course(&scene, cases[i].rate_at, cases[i].seconds, &noise);
        record = &scene.result->phases[0];
        weir_audit_phase(scene.plan, scene.begun, &scene.result->phases[0]);
        if (has(record, "trend") != cases[i].has_trend ||
            has(record, "periodic-stalls") != cases[i].has_stalls)
            fail_msg("case %zu", i);
        close_scene(&scene);
    }
}

/* Steady rates of 3 to 30 s whose noise lasts for some 50 ms: at most one of a hundred is doubted.
 */
static void steady_rates_are_seldom_doubted(void **state)
{
    struct noise noise = {.seed = 7};
    unsigned doubted = 0;

    (void)state;
    for (unsigned i = 0; i < 300; i++) {
        double level = 0.0, seconds = 3.0 + (i % 10) * 3.0;
        struct weir_phase_result *record;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 1);
        record = add_record(&scene, 0, 0.0, seconds);
        weir_series_reset(record->series, 0);
        for (unsigned ms = 0; ms < (unsigned)(seconds * 1e3); ms += 10) {
            double ops;

            level = 0.8 * level + 0.12 * draw(&noise); /* deviation of 20 % */
            ops = 20.0 * fmax(1.0 + level, 0.0);
            weir_series_add_many(record->series, ms * UINT64_C(1000000) + 1, (uint64_t)ops,
                                 (uint64_t)ops * MIB);
            weir_histogram_add_many(record->latency, 500000, (uint64_t)ops);
            record->op_count += (uint64_t)ops;
        }
        record->byte_count = record->op_count * MIB;
        record->depth = 1;
        weir_audit_phase(scene.plan, scene.begun, record);
        doubted += has(record, "trend") || has(record, "periodic-stalls");
        close_scene(&scene);
    }
    assert_true(doubted <= 3);
}

/* A rank that is done early, and syncs that move nothing, are no falling rate. */
static void ends_of_ranks_are_no_trend(void **state)
{
    struct noise noise = {.seed = 5};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct weir_rank_row rows[2] = {{.op_count = 1}, {.op_count = 1}};
        struct weir_phase_result *record;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 1);
        run_course(&scene, steady, 5.0, &noise);
        run_course(&scene, steady, 10.0, &noise);
        record = &scene.result->phases[1];
        weir_series_coarsen(scene.result->phases[0].series, record->series->shift);
        weir_series_merge(record->series, scene.result->phases[0].series);
        record->rank_count = 2;
        rows[0].stamps_ns[WEIR_STAMP_MOVE_STOP] = INT64_C(7000000000); /* with a sync of 2 s */
        rows[1].stamps_ns[WEIR_STAMP_MOVE_STOP] = INT64_C(12000000000);
        record->rows = i == 0 ? rows : NULL;
        weir_audit_phase(scene.plan, scene.begun, record);
        assert_int_equal(has(record, "trend"), i == 1);
        close_scene(&scene);
    }
}

/* An OSD is killed: of 192 transfers two take 2 s, and four more 100 ms, in a phase of 4 s. */
static void a_stop_in_a_short_phase_with_a_tail_is_a_stall(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct weir_phase_result *record;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 1);
        record = add_record(&scene, 0, 192.0, 4.1);
        record->rank_count = 2;
        record->depth = 1;
        for (unsigned k = 0; k < 186; k++)
            weir_histogram_add(record->latency, 11700000);
        for (unsigned k = 0; k < 4; k++)
            weir_histogram_add(record->latency, 136000000);
        for (unsigned k = 0; k < 2; k++)
            weir_histogram_add(record->latency, i == 0 ? 2060000000 : 600000000);
        for (unsigned k = 0; k < 96; k++)
            weir_series_add(record->series, (k + 1) * UINT64_C(20000000), MIB);
        record->gap = (struct weir_rank_gap){
            .rank = 1, .seconds = i == 0 ? 2.06 : 0.6, .begin_s = 1.5, .host = "n2"};
        weir_audit_phase(scene.plan, scene.begun, record);
        assert_int_equal(has(record, "stall"), i == 0);
        close_scene(&scene);
    }
}

/* ---- devices and parts ---- */

static void bytes_of_others_are_told(void **state)
{
    /* MiB that the phase writes, that the phase before left in memory, that devices have */
    static const struct {
        double own, left, written, read;
        unsigned devices;
        bool is_foreign;
    } cases[] = {
        {100, 0, 100, 0, 1, false},   {100, 0, 125, 0, 1, false},  {100, 0, 200, 0, 1, true},
        {100, 100, 200, 0, 1, false}, {100, 100, 300, 0, 1, true}, {100, 0, 200, 0, 2, false},
        {100, 0, 300, 0, 2, true},    {10, 0, 30, 0, 1, false},    {100, 0, 0, 0, 1, false},
        {100, 0, 100, 100, 1, false}, {10, 0, 50, 0, 1, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct weir_phase_result *record;
        struct scene scene;

        open_scene(&scene, WEIR_WRITE, 2);
        scene.begun->storages[0].facts.device_count = cases[i].devices;
        add_record(&scene, 0, fmax(cases[i].left, 1.0), 1.0)->traffic = (struct weir_traffic){
            .has_devices = true, .device_written_bytes = cases[i].left > 0 ? 0 : MIB};
        record = add_record(&scene, 1, cases[i].own, 1.0);
        record->traffic =
            (struct weir_traffic){.has_devices = true,
                                  .device_written_bytes = (uint64_t)(cases[i].written * MIB),
                                  .device_read_bytes = (uint64_t)(cases[i].read * MIB)};
        weir_audit_neighbours(scene.plan, scene.result, scene.begun, record);
        if (has(record, "foreign-io") != cases[i].is_foreign)
            fail_msg("case %zu", i);
        close_scene(&scene);
    }
}

static void storages_that_lack_a_part_are_degraded(void **state)
{
    (void)state;
    for (uint32_t before = 0; before < 2; before++)
        for (uint32_t after = 0; after < 3; after++) {
            struct weir_phase_result *record;
            struct scene scene;

            open_scene(&scene, WEIR_WRITE, 1);
            record = add_record(&scene, 0, 100.0, 1.0);
            scene.begun->storages[0].facts.failed_count = before;
            scene.begun->storages[0].facts.part_count = 4;
            record->traffic.failed_count = after;
            weir_audit_phase(scene.plan, scene.begun, record);
            assert_int_equal(has(record, "degraded"), before > 0 || after > 0);
            close_scene(&scene);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_that_differ_are_told_at_the_last_one),
        cmocka_unit_test(short_repetitions_differ_by_chance),
        cmocka_unit_test(repetitions_that_failed_have_no_rate),
        cmocka_unit_test(repetitions_without_a_record_count),
        cmocka_unit_test(targets_have_one_finding_for_all),
        cmocka_unit_test(executions_of_a_label_are_its_repetitions),
        cmocka_unit_test(courses_are_told_apart),
        cmocka_unit_test(steady_rates_are_seldom_doubted),
        cmocka_unit_test(ends_of_ranks_are_no_trend),
        cmocka_unit_test(a_stop_in_a_short_phase_with_a_tail_is_a_stall),
        cmocka_unit_test(bytes_of_others_are_told),
        cmocka_unit_test(storages_that_lack_a_part_are_degraded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
