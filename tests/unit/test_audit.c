/* SPDX-License-Identifier: Apache-2.0 */
/* Each doubt: the record that raises it, and the sound one that does not. */
#include "weir/audit/audit.h"
#include "weir/base/remedy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)

/* A plan of one test that writes and reads, and the record of one of its phases: sound until a case
 * spoils it. */
struct subject {
    struct weir_plan *plan;
    struct weir_test *test;
    struct weir_phase *write;
    struct weir_phase *read;
    struct weir_target target;
    struct weir_test_result begun;
    struct weir_phase_result record;
    struct weir_histogram latency;
    struct weir_histogram submission;
    struct weir_histogram response;
    struct weir_series series;
    struct weir_depth_point points[2];
};

static const struct weir_descriptor backend = {
    .name = "posix", .label = "POSIX", .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME};
static const struct weir_descriptor null = {.name = "null", .label = "NULL"};
static const struct weir_descriptor direct = {.name = "direct",
                                              .label = "DIRECT",
                                              .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP |
                                                           WEIR_CAN_NAME | WEIR_BYPASSES_CACHE};

static void set_up(struct subject *subject)
{
    static const char *const words[] = {"ior"};
    static const char *const paths[] = {"f"};
    struct weir_phase phase = {
        .transfers.layout = {.segment_count = 1, .block_bytes = MIB, .transfer_bytes = 4096},
        .depth = 1,
        .transfers.batch = 1};

    memset(subject, 0, sizeof *subject);
    subject->target = (struct weir_target){.paths = paths, .path_count = 1, .is_shared = true};
    subject->plan = weir_plan_open("ior", 1, words);
    subject->test = weir_plan_add_test(subject->plan);
    subject->test->backend = &backend;
    phase.target = &subject->target;
    phase.verb = WEIR_WRITE;
    subject->write =
        weir_plan_add_phase(subject->plan, subject->test, &subject->test->steps, &phase);
    phase.verb = WEIR_READ;
    subject->read =
        weir_plan_add_phase(subject->plan, subject->test, &subject->test->steps, &phase);
    subject->record = (struct weir_phase_result){
        .arena = &subject->plan->arena,
        .failure = "",
        .phase = subject->write->number,
        .rank_count = 4,
        .node_count = 2,
        .near_rank_count = 4,
        .op_count = 1024,
        .byte_count = 4 * MIB,
        .expected_bytes = 4 * MIB,
        .file_bytes = 4 * MIB,
        .windows = {.transfer_s = 1.0, .total_s = 1.1},
        .rank_s_min = 0.9,
        .rank_s_mean = 0.95,
        .rank_s_max = 1.0,
        .common_s = 0.8,
    };
}

static const struct weir_finding *find(const struct subject *subject, const char *name)
{
    for (unsigned i = 0; i < subject->record.finding_count; i++)
        if (strcmp(subject->record.findings[i].name, name) == 0)
            return &subject->record.findings[i];
    return NULL;
}

#define SPOIL(name, ...)                                                                           \
    static void name(struct subject *x)                                                            \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }

SPOIL(interrupt, x->record.is_interrupted = true; x->record.outcome = WEIR_OUTCOME_PARTIAL)
SPOIL(fail_it, x->record.failure = "posix: write f: no space"; x->record.error_count = 1;
      x->record.outcome = WEIR_OUTCOME_PARTIAL)
SPOIL(skip_it, x->record.outcome = WEIR_OUTCOME_SKIPPED; x->record.op_count = 0)
SPOIL(shorten, x->record.short_count = 3)
SPOIL(work, (void)x)
SPOIL(move_for_show, x->test->is_dry_run = true)
SPOIL(move_nowhere, x->test->backend = &null)
SPOIL(stonewall, x->record.stonewall.is_hit = true; x->record.stonewall.ops_min = 10;
      x->record.stonewall.ops_max = 20)
SPOIL(stonewall_of_alike_ranks, stonewall(x); x->record.stonewall.ops_min = 17)
SPOIL(wear_out, stonewall(x); x->write->stop.has_wear_out = true)
SPOIL(shrink, x->record.file_bytes = MIB)
SPOIL(shrink_after_deadline, shrink(x); stonewall(x); x->record.byte_count = MIB)
SPOIL(corrupt, x->record.mismatches.checked_transfers = 9; x->record.mismatches.wrong_transfers = 2)
SPOIL(blur_clock, x->record.clock.is_cross_node = true; x->record.clock.error_s = 0.02)
static void name_odd_host(struct subject *x, const char *host)
{
    snprintf(x->record.clock.odd_host, sizeof x->record.clock.odd_host, "%s", host);
}

SPOIL(drift_apart, name_odd_host(x, "n2"); x->record.clock.odd_ppm = -601.0;
      x->record.clock.odd_error_ppm = 100.0)
SPOIL(drift_slowly, name_odd_host(x, "n2"); x->record.clock.odd_ppm = 500.0)
SPOIL(drift_within_error, name_odd_host(x, "n2"); x->record.clock.odd_ppm = 2000.0;
      x->record.clock.odd_error_ppm = 1600.0)
SPOIL(sharpen_clock, x->record.clock.is_cross_node = true; x->record.clock.error_s = 0.001)
SPOIL(write_into_memory, x->record.traffic.has_devices = true)
SPOIL(write_nearly_all, write_into_memory(x); x->record.traffic.device_written_bytes = 4 * MIB - 1)
SPOIL(write_and_sync, write_into_memory(x); x->write->transfers.must_sync_at_end = true)
SPOIL(write_and_sync_after, write_into_memory(x); x->write->transfers.must_sync_after = true;
      x->record.windows.transfer_s = 0.5; x->record.windows.close_s = 0.6)
SPOIL(write_and_sync_little_after, write_into_memory(x); x->write->transfers.must_sync_after = true;
      x->record.windows.transfer_s = 0.6; x->record.windows.close_s = 0.5)
SPOIL(write_and_sync_each, write_into_memory(x); x->write->transfers.must_sync_each = true)
SPOIL(write_directly, write_into_memory(x); x->test->backend = &direct)
SPOIL(write_dirty, x->record.dirty = (struct weir_dirty_result){1000, 50, 0, 0, 4})
SPOIL(write_nearly_clean, x->record.dirty = (struct weir_dirty_result){1000, 49, 0, 0, 4})
SPOIL(write_clean_beside_others, write_into_memory(x);
      x->record.dirty = (struct weir_dirty_result){1000, 0, 0, 0, 4})
SPOIL(write_dirty_beside_others, write_dirty(x); x->record.traffic.has_devices = true;
      x->record.traffic.device_written_bytes = 99 * MIB)
SPOIL(sync_and_leave_dirty, x->write->transfers.must_sync_at_end = true;
      x->record.dirty = (struct weir_dirty_result){1000, 10, 1000, 10, 4})
SPOIL(sync_and_leave_nearly_clean, x->write->transfers.must_sync_at_end = true;
      x->record.dirty = (struct weir_dirty_result){1000, 9, 1000, 9, 4})
SPOIL(sync_half, write_and_sync(x); x->record.traffic.device_written_bytes = 2 * MIB)
SPOIL(fail_to_sync, sync_and_leave_dirty(x); x->record.error_count = 1)
static void write_far(struct subject *x, uint64_t sent, uint64_t looped)
{
    static struct weir_storage_group storage = {
        .facts = {.is_network = true, .type = "fuse.sshfs"}};

    x->begun.storages = &storage;
    x->begun.storage_count = 1;
    x->record.traffic = (struct weir_traffic){.has_network = true,
                                              .has_loopback = true,
                                              .network_sent_bytes = sent,
                                              .loopback_bytes = looped};
}
SPOIL(write_far_unseen, write_far(x, 0, 0))
SPOIL(write_far_by_loopback, write_far(x, 0, 4 * MIB))
SPOIL(write_far_in_part, write_far(x, MIB, 0))
/* Ports have a quarter of the data. */
static void write_past_ports(struct subject *x, const char *type, uint64_t to_disks)
{
    static struct weir_storage_group storage;

    storage = (struct weir_storage_group){.facts = {.is_known = true, .is_network = true}};
    snprintf(storage.facts.type, sizeof storage.facts.type, "%s", type);
    write_far_in_part(x);
    x->begun.storages = &storage;
    x->record.traffic.has_disks = to_disks > 0;
    x->record.traffic.disks_written_bytes = to_disks;
}
SPOIL(write_to_san, write_past_ports(x, "gpfs", 3 * MIB))
SPOIL(write_to_san_in_part, write_past_ports(x, "gpfs", MIB))
SPOIL(write_to_host, write_past_ports(x, "virtiofs", 0))
static void sync_on_mount(struct subject *x, const char *options, bool is_memory)
{
    static struct weir_storage_group storage;

    storage = (struct weir_storage_group){
        .facts = {.type = "ext4", .device_count = 1, .devices = {{.is_memory = is_memory}}}};
    snprintf(storage.facts.options, sizeof storage.facts.options, "%s", options);
    x->begun.storages = &storage;
    x->begun.storage_count = 1;
    x->write->transfers.must_sync_at_end = true;
}
SPOIL(sync_volatile_overlay, sync_on_mount(x, "rw,volatile", false))
SPOIL(sync_newer_volatile_overlay, sync_on_mount(x, "rw,fsync=volatile", false))
SPOIL(sync_without_barrier, sync_on_mount(x, "rw,nobarrier", false))
SPOIL(sync_with_barrier, sync_on_mount(x, "rw,barrier=1", false))
SPOIL(sync_on_ram_disk, sync_on_mount(x, "rw", true))
SPOIL(write_to_the_unknown, x->record.traffic.has_network = true)
/* Half of 1024 transfers write: 2 MiB. */
static void mix_into_memory(struct subject *x, uint64_t left_bytes)
{
    static struct weir_histogram writes;

    weir_histogram_reset(&writes);
    for (unsigned i = 0; i < 512; i++)
        weir_histogram_add(&writes, 2000);
    x->write->verb = WEIR_MIXED;
    x->record.write_latency = &writes;
    x->record.traffic.has_devices = true;
    x->record.traffic.device_written_bytes = left_bytes;
}
SPOIL(mix_and_write_all, mix_into_memory(x, 2 * MIB))
SPOIL(mix_and_write_half, mix_into_memory(x, MIB))
SPOIL(mix_without_writes, mix_into_memory(x, 0); weir_histogram_reset(x->record.write_latency))
SPOIL(write_to_several, write_into_memory(x); x->begun.has_several_filesystems = true)
SPOIL(write_again, x->write->stop.minimum_ns = 1; x->record.byte_count = 40 * MIB)
SPOIL(write_again_directly, write_again(x); x->test->backend = &direct)
SPOIL(write_once, write_again(x); x->record.byte_count = 4 * MIB)
SPOIL(write_to_tmpfs, snprintf(x->begun.filesystem.type, sizeof x->begun.filesystem.type, "tmpfs"))
SPOIL(write_to_tmpfs_directly, write_to_tmpfs(x); x->test->backend = &direct)
SPOIL(write_to_ext4, snprintf(x->begun.filesystem.type, sizeof x->begun.filesystem.type, "ext4"))
SPOIL(hurry, x->record.windows.total_s = 0.01)
SPOIL(pass_by, x->record.common_s = 0)
SPOIL(ponder, x->record.data_share = 0.4)
SPOIL(ponder_a_little, x->record.data_share = 0.1)
SPOIL(ponder_hardly, x->record.data_share = 0.099)
SPOIL(read_back, x->record.phase = x->read->number)
SPOIL(read_back_elsewhere, read_back(x); x->record.near_rank_count = 0)
SPOIL(check_near, read_back(x); x->read->is_check = true)
SPOIL(read_back_directly, read_back(x); x->test->backend = &direct)
SPOIL(shift_far, read_back(x); x->read->shift.kind = WEIR_SHIFT_NODES; x->read->shift.distance = 1;
      x->record.near_rank_count = 2)
SPOIL(shift_directly, shift_far(x); x->test->backend = &direct)
SPOIL(shift_without_a_write, shift_far(x); x->write->verb = WEIR_READ)
SPOIL(shift_anywhere_directly, shift_directly(x); x->read->shift.kind = WEIR_SHIFT_PERMUTATION)
SPOIL(shift_with_success, shift_directly(x); x->record.near_rank_count = 0)
SPOIL(shift_on_one_node, shift_far(x); x->record.node_count = 1; x->record.near_rank_count = 4)
SPOIL(draw_on_one_node, shift_on_one_node(x); x->read->shift.kind = WEIR_SHIFT_RANDOM)
SPOIL(shift_round, shift_far(x); x->read->shift.distance = 4; x->record.near_rank_count = 4)
SPOIL(shift_by_nothing, shift_round(x); x->read->shift.distance = 0)
SPOIL(shift_as_given, shift_round(x); x->test->given_nodes = 4)
SPOIL(check_round, shift_round(x); x->read->is_check = true; x->read->shift.avoids_circle = true)
SPOIL(check_round_before_reads, check_round(x); x->write->verb = WEIR_READ)
SPOIL(check_past_home, check_round(x); x->read->shift.distance = 3; x->record.node_count = 3;
      x->record.near_rank_count = 2)
SPOIL(draw_far, shift_far(x); x->read->shift.kind = WEIR_SHIFT_RANDOM)
SPOIL(draw_any, shift_far(x); x->read->shift.kind = WEIR_SHIFT_PERMUTATION)
SPOIL(draw_after_check, draw_far(x); x->record.near_rank_count = 0; x->write->is_check = true)
SPOIL(draw_after_check_directly, draw_after_check(x); x->test->backend = &direct)
SPOIL(shift_after_check, draw_after_check(x); x->read->shift.kind = WEIR_SHIFT_NODES)
SPOIL(check_after_check, draw_after_check(x); x->read->is_check = true)
/* Names rank 3 as the slowest. */
static void slow_down(struct subject *x, double mean_s, double max_s)
{
    x->record.rank_s_mean = mean_s;
    x->record.rank_s_max = max_s;
    x->record.slowest_count = 1;
    x->record.slowest[0] = (struct weir_slow_rank){.rank = 3, .seconds = max_s, .host = "n2"};
}

SPOIL(limp, slow_down(x, 1.05, 2.0))
/* One of two nodes is half as fast: the slowest are near the mean. */
SPOIL(limp_by_halves, slow_down(x, 1.5, 2.0))
SPOIL(limp_until_interrupted, limp(x); x->record.outcome = WEIR_OUTCOME_PARTIAL)
SPOIL(limp_by_a_fifth, slow_down(x, 0.849, 1.0))
SPOIL(limp_a_little, slow_down(x, 0.851, 1.0))
SPOIL(limp_in_two, x->record.rank_count = 2; slow_down(x, 0.849, 1.0))
SPOIL(limp_little_in_two, x->record.rank_count = 2; slow_down(x, 0.851, 1.0))

/* Four ranks move for 6 s, a transfer of each in 2 ms, but for ranks that stop after 3 s. */
static void go_on(struct subject *x, unsigned stopped_ranks, uint64_t stop_ms)
{
    weir_histogram_reset(&x->latency);
    weir_series_reset(&x->series, 0);
    x->record.latency = &x->latency;
    x->record.series = &x->series;
    x->record.windows.transfer_s = 6.0;
    for (unsigned rank = 0; rank < 4; rank++)
        for (uint64_t ms = 2; ms <= 6000; ms += 2) {
            bool is_stopped = rank < stopped_ranks && ms > 3000 && ms <= 3000 + stop_ms;

            if (is_stopped && ms != 3000 + stop_ms)
                continue;
            weir_series_add(&x->series, ms * 1000000, 4096);
            weir_histogram_add(&x->latency, is_stopped ? stop_ms * 1000000 : 2000000);
        }
}

/* Depth 4 did 1000 transfers each second, and `depth` so many. */
static void draw_curve(struct subject *x, unsigned depth, double ops_per_s)
{
    x->points[0] = (struct weir_depth_point){.depth = 4, .ops_per_s = 1000.0};
    x->points[1] = (struct weir_depth_point){.depth = depth, .ops_per_s = ops_per_s};
    x->record.depth_curve = (struct weir_depth_curve){2, x->points};
}

/* It was in its own work, on data maybe: no transfer took long. */
static void stop_between_transfers(struct subject *x)
{
    go_on(x, 0, 0);
    x->record.gap = (struct weir_rank_gap){.rank = 3, .seconds = 2.0, .begin_s = 1.0, .host = "n2"};
}

SPOIL(go_on_steadily, go_on(x, 0, 0))
SPOIL(stop_all, go_on(x, 4, 2000))
SPOIL(stop_one, go_on(x, 1, 2000))
SPOIL(stop_all_shortly, go_on(x, 4, 200))
SPOIL(stop_one_shortly, go_on(x, 1, 200))
SPOIL(stop_in_a_short_phase, go_on(x, 1, 300); x->record.windows.transfer_s = 1.0)

/* Nothing is in flight for 2 s. */
static void pause_all(struct subject *x)
{
    struct weir_series series;

    go_on(x, 4, 2000);
    series = x->series;
    go_on(x, 0, 0);
    x->series = series;
}

/* Pauses that the plan asks for: a rank that is done before the next one begins, ... */
SPOIL(stop_between_ranks, pause_all(x); x->write->stagger_ns = UINT64_C(2000000000))
SPOIL(stop_longer_than_a_stagger, pause_all(x); x->write->stagger_ns = UINT64_C(500000000))
SPOIL(stop_one_in_a_stagger, stop_between_transfers(x); x->write->stagger_ns = UINT64_C(2000000000))
/* ... listed pauses, ... */
SPOIL(stop_in_thought, pause_all(x); x->write->think_ns = UINT64_C(1000000000))
/* A transfer of a rank is due every four seconds. */
SPOIL(stop_as_asked, pause_all(x); x->record.pace.asked_per_s = 1.0)
SPOIL(stop_as_listed, pause_all(x);
      x->write->transfers.layout.listing.longest_pause_ns = UINT64_C(2000000000))
/* ... and nine times the time of an operation, which took 0.2 s. */
SPOIL(stop_after_a_slow_one, stop_between_transfers(x); x->write->think_ppm = 9000000)
SPOIL(stop_for_longer_than_thought, stop_between_transfers(x); x->write->think_ppm = 100000)

/* Four transfers of each of four ranks into nothing, after 0.5 s that filled their buffers. */
static void fill_for_long(struct subject *x)
{
    weir_histogram_reset(&x->latency);
    weir_series_reset(&x->series, 0);
    x->record.latency = &x->latency;
    x->record.series = &x->series;
    x->record.windows.transfer_s = x->record.rank_s_mean = 2.0;
    for (unsigned i = 0; i < 16; i++) {
        weir_histogram_add(&x->latency, 1000);
        weir_series_add(&x->series, (i / 4 + 1) * UINT64_C(500000000), 4096);
    }
    x->record.data_share = 0.99;
}
SPOIL(stop_for_long, fill_for_long(x); x->record.data_share = 0.0)

/* 500 transfers/s of each rank are due. */
SPOIL(stop_in_an_open_loop, go_on(x, 4, 2000);
      x->record.pace = (struct weir_pace_result){2000.0, 6.0, 0.0001, 2.0, 1000})
SPOIL(go_on_in_an_open_loop, go_on(x, 0, 0);
      x->record.pace = (struct weir_pace_result){2000.0, 6.0, 0.0001, 0.0009, 3})

/* Transfers that take seconds end seldom. */
static void be_slow(struct subject *x)
{
    go_on(x, 0, 0);
    weir_histogram_reset(&x->latency);
    weir_series_reset(&x->series, 0);
    for (uint64_t i = 1; i <= 10; i++) {
        weir_histogram_add(&x->latency, UINT64_C(2000000000));
        weir_series_add(&x->series, i * UINT64_C(2000000000), 4096);
    }
}

/* As many slow transfers as are in flight are a stop; more of them are what the storage does. */
static void be_uneven(struct subject *x)
{
    go_on(x, 0, 0);
    for (unsigned i = 0; i < 200; i++)
        weir_histogram_add(&x->latency, UINT64_C(2000000000));
}
static void straggle(struct subject *x)
{
    *weir_result_add_outlier(&x->record) = (struct weir_outlier){
        .rank = 3, .kind = WEIR_OUTLIER_CLOSE, .value_s = 1.5, .mean_s = 0.95, .host = "n2"};
}

SPOIL(straggle_in_a_check, straggle(x); read_back(x); x->read->is_check = true)
SPOIL(straggle_in_a_prefill, straggle(x); x->write->is_prefill = true)
SPOIL(straggle_often, weir_result_add_outlier(&x->record); x->record.outlier_count = 1000)
SPOIL(straggle_four_times, straggle(x); x->record.outlier_count = 4)
SPOIL(disagree, x->record.has_differing_sizes = true)
SPOIL(overflow, x->record.unlogged_ops = 7)
SPOIL(err_without_words, x->record.error_count = 1)

/* ---- loads ---- */

static const struct weir_descriptor nothing = {.name = "null", .label = "DUMMY"};

static void set_setting(struct subject *x, const char *key, const char *value)
{
    struct weir_setting *setting = weir_arena_take(&x->plan->arena, sizeof *setting);

    *setting = (struct weir_setting){key, value};
    x->test->settings = setting;
    x->test->setting_count = 1;
}

/* 256 transfers of each of four ranks, 200 us each, at depth 8. */
static void queue_up(struct subject *x)
{
    weir_histogram_reset(&x->latency);
    weir_histogram_reset(&x->submission);
    for (unsigned i = 0; i < 1024; i++) {
        weir_histogram_add(&x->latency, 200000);
        weir_histogram_add(&x->submission, 5000);
    }
    x->record.latency = &x->latency;
    x->record.submission = &x->submission;
    x->record.depth = x->write->depth = 8;
    x->record.batch = x->write->transfers.batch = 1;
    x->record.cpu_user_s = 0.4;
    x->record.cpu_system_s = 0.6;
}

/* At 1000 transfers/s, kept up with. */
SPOIL(pace, queue_up(x); x->record.pace = (struct weir_pace_result){1000.0, 1.0, 0.0001, 0.0009, 3})
SPOIL(fall_behind, pace(x); x->record.pace.end_lag_s = 0.051)
SPOIL(fall_behind_a_little, pace(x); x->record.pace.end_lag_s = 0.049)
SPOIL(fall_behind_for_a_moment, pace(x); x->record.pace.offered_s = 0.1;
      x->record.pace.end_lag_s = 0.009)
SPOIL(fall_behind_in_a_moment, pace(x); x->record.pace.offered_s = 0.1;
      x->record.pace.end_lag_s = 0.011)
/* Two in ten take long: all were issued in time, into free slots. */
static void respond_after(struct subject *x, double seconds)
{
    pace(x);
    weir_histogram_reset(&x->response);
    for (unsigned i = 0; i < 10; i++)
        weir_histogram_add(&x->response, i < 8 ? 1000 : (uint64_t)(seconds * 1e9));
    x->record.response = &x->response;
}

SPOIL(respond_late, respond_after(x, 0.051))
SPOIL(respond_a_little_late, respond_after(x, 0.049))
SPOIL(respond_late_in_a_moment, respond_after(x, 0.011); x->record.pace.offered_s = 0.001)
SPOIL(respond_soon_in_a_moment, respond_after(x, 0.009); x->record.pace.offered_s = 0.001)
SPOIL(respond_late_until_interrupted, respond_after(x, 0.051);
      x->record.outcome = WEIR_OUTCOME_PARTIAL)

/* After a stop of all ranks for 2 s, responses are late, and maybe the last transfer of the phase.
 */
static void respond_late_after_a_stop(struct subject *x, double end_lag_s)
{
    respond_after(x, 0.5);
    go_on(x, 4, 2000);
    x->record.depth = 1;
    x->record.pace = (struct weir_pace_result){2000.0, 6.0, end_lag_s, 2.0, 1000};
}
SPOIL(catch_up_after_a_stop, respond_late_after_a_stop(x, 0.0001))
SPOIL(end_soon_after_a_stop, respond_late_after_a_stop(x, 2.0))
SPOIL(fall_behind_beside_a_stop, respond_late_after_a_stop(x, 3.0))
SPOIL(respond_late_without_a_stop, respond_late_after_a_stop(x, 0.0001); go_on(x, 0, 0))
SPOIL(respond_late_and_fall_behind, respond_after(x, 0.051); x->record.pace.end_lag_s = 0.051)
SPOIL(respond_late_in_a_closed_loop, respond_after(x, 0.051); x->record.pace.asked_per_s = 0)
SPOIL(close_the_loop, fall_behind(x); x->record.pace.asked_per_s = 0)
SPOIL(pause_it, pace(x); x->record.pace.max_lag_s = 0.0021)
SPOIL(pause_a_little, pace(x); x->record.pace.max_lag_s = 0.0019)
SPOIL(pause_shorter_than_a_ms, pace(x); weir_histogram_reset(&x->latency);
      weir_histogram_add(&x->latency, 1000))
SPOIL(pause_behind, pause_it(x); x->record.pace.end_lag_s = 0.1)
SPOIL(pause_behind_a_slow_one, pause_it(x); weir_histogram_add(&x->latency, 2200000))
SPOIL(pause_behind_two_slow_ones, pause_it(x); weir_histogram_add(&x->latency, 1100000))
/* 250/s of a rank, of 20 ms each: five of eight slots on average */
SPOIL(pause_with_full_slots, pace(x); weir_histogram_reset(&x->latency);
      weir_histogram_add(&x->latency, 20000000); x->record.pace.max_lag_s = 0.21)
SPOIL(pause_with_free_slots, pause_with_full_slots(x); x->record.pace.asked_per_s = 700)
SPOIL(pause_to_think, pause_it(x); x->write->think_ns = 1)
SPOIL(read_after_search, draw_after_check(x); draw_curve(x, 8, 2000.0))
SPOIL(read_after_search_directly, draw_after_check_directly(x); draw_curve(x, 8, 2000.0))
SPOIL(fall_short, x->record.shortfall = "no huge pages"; x->record.shortfall_rank_count = 1)
SPOIL(fall_short_of_nothing, x->record.shortfall = "")
SPOIL(block, x->record.blocked_count = 2)
SPOIL(reach_the_edge, queue_up(x); draw_curve(x, 8, 2000.0))
SPOIL(stay_off_the_edge, reach_the_edge(x); x->record.depth = 4)
SPOIL(reach_the_last_edge, reach_the_edge(x); x->record.depth = 4096; draw_curve(x, 4096, 2000.0))
/* 1024 transfers in 0.95 s */
SPOIL(do_as_found, reach_the_edge(x); x->record.op_count = 1024;
      x->record.windows.transfer_s = 0.95)
SPOIL(do_less_than_found, do_as_found(x); draw_curve(x, 8, 2200.0))
SPOIL(do_less_until_interrupted, do_less_than_found(x); x->record.outcome = WEIR_OUTCOME_PARTIAL)
SPOIL(do_less_elsewhere, do_less_than_found(x); x->record.depth = 4)
SPOIL(find_no_curve, reach_the_edge(x); x->record.depth_curve.count = 1)
SPOIL(submit_slowly, queue_up(x); weir_histogram_reset(&x->submission);
      weir_histogram_add(&x->submission, 110000))
SPOIL(submit_less_slowly, queue_up(x); weir_histogram_reset(&x->submission);
      weir_histogram_add(&x->submission, 90000))
SPOIL(submit_one_slowly, submit_slowly(x); x->record.depth = 1)
SPOIL(submit_to_nothing, submit_slowly(x); x->test->backend = &nothing)
SPOIL(submit_for_show, submit_slowly(x); x->test->is_dry_run = true)
SPOIL(submit_by_blocking, submit_slowly(x); x->record.submission = NULL)
/* of 0.95 s of each of four ranks */
SPOIL(sweat, queue_up(x); x->record.cpu_user_s = 1.0; x->record.cpu_system_s = 2.7)
SPOIL(sweat_less, queue_up(x); x->record.cpu_user_s = 1.0; x->record.cpu_system_s = 2.5)
SPOIL(sweat_alone, sweat(x); x->record.depth = 1)
SPOIL(sweat_over_nothing, sweat(x); x->test->backend = &nothing)
SPOIL(sweat_by_polling, sweat(x); set_setting(x, "uring.iopoll", "1"))
SPOIL(sweat_without_polling, sweat(x); set_setting(x, "uring.iopoll", "0"))
SPOIL(sweat_in_an_open_loop, sweat(x); x->record.pace.asked_per_s = 1000)
SPOIL(sweat_in_pauses, sweat(x); x->write->think_ns = 1)
SPOIL(sweat_shortly, sweat(x); x->record.rank_s_mean = 0.09)
SPOIL(multitask, x->record.overlapped_data_share = 0.2)
SPOIL(multitask_a_little, x->record.overlapped_data_share = 0.1)
SPOIL(check_behind, fall_behind(x); x->write->is_prefill = true)
SPOIL(mix_after_write, read_back(x); x->read->verb = WEIR_MIXED)
SPOIL(mix_directly, mix_after_write(x); x->record.bypasses_cache = true)
SPOIL(mix_alone, mix_after_write(x); x->write->verb = WEIR_READ)
SPOIL(read_after_mix, read_back(x); x->write->verb = WEIR_MIXED)
SPOIL(shrink_a_mix, shrink(x); x->write->verb = WEIR_MIXED)

/* ---- page caches ---- */

/* Of 1000 bytes, so many were resident. */
static void find_resident(struct subject *x, uint64_t bytes)
{
    read_back(x);
    x->record.residency = (struct weir_residency_result){1000, bytes, 4};
}

SPOIL(read_cached, find_resident(x, 1000))
SPOIL(read_just_cached, find_resident(x, 50))
SPOIL(read_hardly_cached, find_resident(x, 49))
SPOIL(read_uncached, find_resident(x, 0))
SPOIL(read_cached_elsewhere, read_cached(x); x->record.near_rank_count = 0)
SPOIL(read_cached_directly, read_cached(x); x->test->backend = &direct)
SPOIL(read_cached_for_show, read_cached(x); x->test->is_dry_run = true)
SPOIL(read_cached_by_some, read_cached(x); x->record.residency.rank_count = 3)
SPOIL(read_cached_although_dropped, read_cached(x); x->test->cache_drop = WEIR_DROP_FILES)
SPOIL(read_back_after_drop, read_back(x); x->test->cache_drop = WEIR_DROP_FILES)
SPOIL(write_cached, read_cached(x); x->record.phase = x->write->number)
SPOIL(check_cached, read_cached(x); x->read->is_check = true)
SPOIL(check_cached_elsewhere, check_cached(x); x->record.near_rank_count = 0)
SPOIL(check_uncached, read_uncached(x); x->read->is_check = true)
SPOIL(mix_cached, read_cached(x); x->read->verb = WEIR_MIXED)
SPOIL(mix_uncached, read_uncached(x); x->read->verb = WEIR_MIXED)
SPOIL(search_cached, read_after_search(x); find_resident(x, 800))
SPOIL(search_uncached, read_after_search(x); find_resident(x, 0))
SPOIL(draw_cached_after_check, draw_after_check(x); find_resident(x, 800))
SPOIL(draw_uncached_after_check, draw_after_check(x); find_resident(x, 0))
SPOIL(shift_cached, shift_far(x); find_resident(x, 600))
SPOIL(shift_uncached, shift_far(x); find_resident(x, 0))
/* Written by another run; 2 MiB a node. */
SPOIL(read_what_fits, read_back(x); x->write->verb = WEIR_READ;
      x->record.node_memory_bytes = 4096 * MIB)
SPOIL(read_what_just_fits, read_what_fits(x); x->record.node_memory_bytes = 2 * MIB + 1)
SPOIL(read_what_just_does_not_fit, read_what_fits(x); x->record.node_memory_bytes = 2 * MIB)
SPOIL(read_what_fits_and_is_known, read_what_fits(x);
      x->record.residency = (struct weir_residency_result){1000, 0, 4})
SPOIL(read_what_fits_after_drop, read_what_fits(x); x->test->cache_drop = WEIR_DROP_NODE)
SPOIL(read_what_fits_directly, read_what_fits(x); x->test->backend = &direct)
SPOIL(check_what_fits, read_what_fits(x); x->read->is_check = true)
SPOIL(read_back_what_fits, read_what_fits(x); x->write->verb = WEIR_WRITE)
SPOIL(read_elsewhere_what_fits, read_back_what_fits(x); x->record.near_rank_count = 0)
SPOIL(search_what_fits, read_what_fits(x); draw_curve(x, 8, 2000.0))
SPOIL(draw_what_fits_after_check, draw_after_check(x); x->record.node_memory_bytes = 16 * MIB)

/* A second test reads what the first one wrote, by the name of the file. */
static void read_in_a_later_test(struct subject *x)
{
    struct weir_phase phase = *x->read;
    struct weir_target *target = weir_arena_take(&x->plan->arena, sizeof *target);
    struct weir_test *test = weir_plan_add_test(x->plan);

    *target = x->target;
    phase.target = target;
    test->backend = &backend;
    x->record.phase = weir_plan_add_phase(x->plan, test, &test->steps, &phase)->number;
    x->record.test = test->number;
}

static void read_another_file_in_a_later_test(struct subject *x)
{
    static const char *const paths[] = {"g"};

    read_in_a_later_test(x);
    x->target.paths = paths;
}

/* What is read before it is written is, in the next repetition, read after that. */
static void read_before_write(struct subject *x)
{
    x->write->verb = WEIR_READ;
    x->read->verb = WEIR_WRITE;
}

SPOIL(read_before_write_again, read_before_write(x); x->record.repetition = 1)
SPOIL(read_before_write_of_new_files, read_before_write_again(x);
      x->target.is_new_each_repetition = true)

struct audit_case {
    void (*spoil)(struct subject *subject);
    const char *name;
    enum weir_severity severity;
    bool is_raised;
};

static void assert_cases(const struct audit_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, cases[i].name);
        if ((finding != NULL) != cases[i].is_raised)
            fail_msg("case %zu: %s", i, cases[i].name);
        if (finding != NULL)
            assert_int_equal(finding->severity, cases[i].severity);
        weir_plan_close(subject.plan);
    }
}

static void files_that_are_shorter_than_what_was_written_are_a_flaw(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_false(subject.record.has_lost_bytes);
    shrink(&subject);
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_true(subject.record.has_lost_bytes);
    weir_plan_close(subject.plan);
}

static void each_finding_is_made_for_its_record_and_no_other(void **state)
{
    static const struct audit_case cases[] = {
        {interrupt, "interrupted", WEIR_WARNING, true},
        {fail_it, "failed", WEIR_WARNING, true},
        {skip_it, "skipped", WEIR_WARNING, true},
        {shorten, "short-transfers", WEIR_NOTE, true},
        {work, "short-transfers", WEIR_NOTE, false},
        {move_for_show, "no-storage", WEIR_NOTE, true},
        {move_nowhere, "no-storage", WEIR_NOTE, true},
        {work, "no-storage", WEIR_NOTE, false},
        {work, "wrong-data", WEIR_WARNING, false},
        {work, "unlogged", WEIR_WARNING, false},
        {work, "sizes-differ", WEIR_WARNING, false},
        {work, "no-overlap", WEIR_NOTE, false},
        {work, "skipped", WEIR_WARNING, false},
        {stonewall, "stonewall", WEIR_NOTE, true},
        {stonewall_of_alike_ranks, "stonewall", WEIR_NOTE, false},
        {wear_out, "stonewall", WEIR_NOTE, false},
        {shrink, "file-size", WEIR_WARNING, true},
        {shrink_after_deadline, "file-size", WEIR_WARNING, false},
        {corrupt, "wrong-data", WEIR_WARNING, true},
        {blur_clock, "clock-error", WEIR_WARNING, true},
        {sharpen_clock, "clock-error", WEIR_WARNING, false},
        {hurry, "short", WEIR_NOTE, true},
        {pass_by, "no-overlap", WEIR_NOTE, true},
        {ponder, "data-share", WEIR_NOTE, true},
        {ponder_a_little, "data-share", WEIR_NOTE, true},
        {ponder_hardly, "data-share", WEIR_NOTE, false},
        {read_back, "maybe-cached", WEIR_NOTE, true},
        {read_back_elsewhere, "maybe-cached", WEIR_NOTE, false},
        {check_near, "maybe-cached", WEIR_NOTE, true},
        {read_back_directly, "maybe-cached", WEIR_NOTE, false},
        {shift_far, "maybe-cached", WEIR_NOTE, true},
        {shift_far, "same-node", WEIR_NOTE, false},
        {shift_directly, "same-node", WEIR_NOTE, true},
        {shift_without_a_write, "same-node", WEIR_NOTE, true},
        {shift_anywhere_directly, "same-node", WEIR_NOTE, false},
        {shift_with_success, "same-node", WEIR_NOTE, false},
        {read_back_directly, "same-node", WEIR_NOTE, false},
        {draw_after_check, "checked-before", WEIR_NOTE, true},
        {draw_after_check_directly, "checked-before", WEIR_NOTE, false},
        {shift_after_check, "checked-before", WEIR_NOTE, false},
        {check_after_check, "checked-before", WEIR_NOTE, false},
        {draw_far, "checked-before", WEIR_NOTE, false},
        {limp, "imbalance", WEIR_NOTE, true},
        {read_in_a_later_test, "maybe-cached", WEIR_NOTE, true},
        {read_another_file_in_a_later_test, "maybe-cached", WEIR_NOTE, false},
        {read_before_write, "maybe-cached", WEIR_NOTE, false},
        {read_before_write_again, "maybe-cached", WEIR_NOTE, true},
        {read_before_write_of_new_files, "maybe-cached", WEIR_NOTE, false},
        {limp_by_halves, "imbalance", WEIR_NOTE, true},
        {limp_by_a_fifth, "imbalance", WEIR_NOTE, true},
        {limp_a_little, "imbalance", WEIR_NOTE, false},
        {limp_in_two, "imbalance", WEIR_NOTE, true},
        {limp_little_in_two, "imbalance", WEIR_NOTE, false},
        {drift_apart, "clock-drift", WEIR_WARNING, true},
        {drift_slowly, "clock-drift", WEIR_WARNING, false},
        {drift_within_error, "clock-drift", WEIR_WARNING, false},
        {limp_until_interrupted, "imbalance", WEIR_NOTE, false},
        {go_on_steadily, "stall", WEIR_WARNING, false},
        {stop_all, "stall", WEIR_WARNING, true},
        {stop_one, "stall", WEIR_WARNING, true},
        {stop_all_shortly, "stall", WEIR_WARNING, false},
        {stop_one_shortly, "stall", WEIR_WARNING, false},
        {stop_between_transfers, "stall", WEIR_WARNING, true},
        {stop_in_a_short_phase, "stall", WEIR_WARNING, true},
        {stop_as_asked, "stall", WEIR_WARNING, false},
        {stop_in_thought, "stall", WEIR_WARNING, false},
        {stop_between_ranks, "stall", WEIR_WARNING, false},
        {stop_longer_than_a_stagger, "stall", WEIR_WARNING, true},
        {stop_one_in_a_stagger, "stall", WEIR_WARNING, true},
        {stop_as_listed, "stall", WEIR_WARNING, false},
        {stop_after_a_slow_one, "stall", WEIR_WARNING, false},
        {stop_for_longer_than_thought, "stall", WEIR_WARNING, true},
        {fill_for_long, "stall", WEIR_WARNING, false},
        {stop_for_long, "stall", WEIR_WARNING, true},
        {stop_in_an_open_loop, "stall", WEIR_WARNING, true},
        {go_on_in_an_open_loop, "stall", WEIR_WARNING, false},
        {be_slow, "stall", WEIR_WARNING, false},
        {be_uneven, "stall", WEIR_WARNING, false},
        {straggle, "outlier", WEIR_WARNING, true},
        {straggle, "more-outliers", WEIR_WARNING, false},
        {straggle_in_a_check, "outlier", WEIR_WARNING, false},
        {straggle_in_a_prefill, "outlier", WEIR_WARNING, false},
        {straggle_often, "more-outliers", WEIR_WARNING, true},
        {straggle_four_times, "more-outliers", WEIR_WARNING, false},
        {disagree, "sizes-differ", WEIR_WARNING, true},
        {overflow, "unlogged", WEIR_WARNING, true},
        {err_without_words, "failed", WEIR_WARNING, true},
    };

    (void)state;
    assert_cases(cases, sizeof cases / sizeof *cases);
}

static void rates_of_memory_are_named_as_such(void **state)
{
    static const struct audit_case cases[] = {
        {write_into_memory, "unsynced", WEIR_NOTE, true},
        {write_nearly_all, "unsynced", WEIR_NOTE, false},
        {write_and_sync, "unsynced", WEIR_NOTE, false},
        {write_and_sync_each, "unsynced", WEIR_NOTE, false},
        {write_and_sync_after, "unsynced", WEIR_NOTE, true},
        {write_and_sync_little_after, "unsynced", WEIR_NOTE, false},
        {write_directly, "unsynced", WEIR_NOTE, false},
        {write_to_the_unknown, "unsynced", WEIR_NOTE, false},
        {mix_and_write_all, "unsynced", WEIR_NOTE, false},
        {mix_and_write_half, "unsynced", WEIR_NOTE, true},
        {mix_without_writes, "unsynced", WEIR_NOTE, false},
        {write_to_several, "unsynced", WEIR_NOTE, false},
        {write_dirty, "unsynced", WEIR_NOTE, true},
        {write_nearly_clean, "unsynced", WEIR_NOTE, false},
        {write_clean_beside_others, "unsynced", WEIR_NOTE, false},
        {write_dirty_beside_others, "unsynced", WEIR_NOTE, true},
        {write_far_unseen, "unsynced", WEIR_NOTE, false},
        {write_far_by_loopback, "unsynced", WEIR_NOTE, false},
        {write_far_in_part, "unsynced", WEIR_NOTE, true},
        {write_to_san, "unsynced", WEIR_NOTE, false},
        {write_to_san_in_part, "unsynced", WEIR_NOTE, true},
        {write_to_host, "unsynced", WEIR_NOTE, false},
        {sync_and_leave_dirty, "sync-no-effect", WEIR_WARNING, true},
        {sync_and_leave_nearly_clean, "sync-no-effect", WEIR_WARNING, false},
        {write_and_sync, "sync-no-effect", WEIR_WARNING, true},
        {sync_half, "sync-no-effect", WEIR_WARNING, false},
        {fail_to_sync, "sync-no-effect", WEIR_WARNING, false},
        {sync_volatile_overlay, "volatile-mount", WEIR_WARNING, true},
        {sync_newer_volatile_overlay, "volatile-mount", WEIR_WARNING, true},
        {sync_without_barrier, "volatile-mount", WEIR_WARNING, true},
        {sync_with_barrier, "volatile-mount", WEIR_WARNING, false},
        {sync_with_barrier, "volatile-cache", WEIR_NOTE, false},
        {sync_on_ram_disk, "volatile-cache", WEIR_NOTE, true},
        {write_again, "repeated", WEIR_NOTE, true},
        {write_again_directly, "repeated", WEIR_NOTE, false},
        {write_once, "repeated", WEIR_NOTE, false},
        {write_to_tmpfs, "in-memory", WEIR_NOTE, true},
        {write_to_tmpfs_directly, "in-memory", WEIR_NOTE, true},
        {write_to_ext4, "in-memory", WEIR_NOTE, false},
    };

    (void)state;
    assert_cases(cases, sizeof cases / sizeof *cases);
}

static void a_stonewall_says_if_some_ranks_had_done_all(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        stonewall(&subject);
        subject.record.stonewall.ops_max = 255 + i; /* of MIB / 4096 */
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "stonewall");
        assert_non_null(finding);
        assert_int_equal(strstr(finding->text, "some were done") != NULL, i == 1);
        weir_plan_close(subject.plan);
    }
}

/* A full file system cuts a transfer, and fails what is left of it. */
static void short_transfers_of_a_phase_that_failed_are_not_said_to_go_on(void **state)
{
    (void)state;
    for (unsigned errors = 0; errors < 2; errors++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        shorten(&subject);
        subject.record.error_count = errors;
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "short-transfers");
        assert_non_null(finding);
        assert_int_equal(strstr(finding->text, "continued") != NULL, errors == 0);
        weir_plan_close(subject.plan);
    }
}

static void no_estimate_is_made_of_wrong_data_and_no_rank_advised_without_a_core(void **state)
{
    struct weir_node_places places[2] = {{.rank_count = 2, .core_count = 2},
                                         {.rank_count = 2, .core_count = 3}};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        ponder(&subject);
        subject.record.storage_s = 0.5;
        subject.record.mismatches.wrong_transfers = i & 1;
        subject.record.node_places = i & 2 ? places : NULL;
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "data-share");
        assert_non_null(finding);
        /* 4 MiB in 0.5 s and the 0.1 s outside of transfers, which the rate has too */
        assert_int_equal(strstr(finding->text, "6.67 MiB/s") != NULL, (i & 1) == 0);
        assert_int_equal(strstr(finding->text, "-> more ranks") != NULL, (i & 2) == 0);
        weir_plan_close(subject.plan);
    }
}

static void open_loops_are_doubted_where_they_fell_behind_or_paused(void **state)
{
    static const struct audit_case cases[] = {
        {pace, "rate-not-sustained", WEIR_WARNING, false},
        {fall_behind, "rate-not-sustained", WEIR_WARNING, true},
        {fall_behind_a_little, "rate-not-sustained", WEIR_WARNING, false},
        {fall_behind_for_a_moment, "rate-not-sustained", WEIR_WARNING, false},
        {fall_behind_in_a_moment, "rate-not-sustained", WEIR_WARNING, true},
        {close_the_loop, "rate-not-sustained", WEIR_WARNING, false},
        {check_behind, "rate-not-sustained", WEIR_WARNING, false},
        {pace, "rate-not-shown", WEIR_WARNING, false},
        {respond_late, "rate-not-shown", WEIR_WARNING, true},
        {respond_late, "rate-not-sustained", WEIR_WARNING, false},
        {respond_a_little_late, "rate-not-shown", WEIR_WARNING, false},
        {respond_late_in_a_moment, "rate-not-shown", WEIR_WARNING, true},
        {respond_soon_in_a_moment, "rate-not-shown", WEIR_WARNING, false},
        {respond_late_and_fall_behind, "rate-not-shown", WEIR_WARNING, false},
        {respond_late_and_fall_behind, "rate-not-sustained", WEIR_WARNING, true},
        {respond_late_in_a_closed_loop, "rate-not-shown", WEIR_WARNING, false},
        {respond_late_until_interrupted, "rate-not-shown", WEIR_WARNING, false},
        {catch_up_after_a_stop, "stall", WEIR_WARNING, true},
        {catch_up_after_a_stop, "rate-not-shown", WEIR_WARNING, false},
        {respond_late_without_a_stop, "rate-not-shown", WEIR_WARNING, true},
        {end_soon_after_a_stop, "rate-not-sustained", WEIR_WARNING, false},
        {fall_behind_beside_a_stop, "rate-not-sustained", WEIR_WARNING, true},
        {pause_it, "late-issue", WEIR_NOTE, true},
        {pause_a_little, "late-issue", WEIR_NOTE, false},
        {pause_shorter_than_a_ms, "late-issue", WEIR_NOTE, false},
        {pause_behind, "late-issue", WEIR_NOTE, false},
        {pause_behind_a_slow_one, "late-issue", WEIR_NOTE, false},
        {pause_behind_two_slow_ones, "late-issue", WEIR_NOTE, false},
        {pause_with_full_slots, "late-issue", WEIR_NOTE, false},
        {pause_with_free_slots, "late-issue", WEIR_NOTE, true},
        {pause_to_think, "late-issue", WEIR_NOTE, false},
        {queue_up, "late-issue", WEIR_NOTE, false},
    };

    (void)state;
    assert_cases(cases, sizeof cases / sizeof *cases);
}

static void queues_are_doubted_where_something_else_than_the_storage_is_the_limit(void **state)
{
    static const struct audit_case cases[] = {
        {read_after_search, "searched-before", WEIR_NOTE, true},
        {read_after_search_directly, "searched-before", WEIR_NOTE, false},
        {draw_after_check, "searched-before", WEIR_NOTE, false},
        {fall_short, "not-granted", WEIR_NOTE, true},
        {fall_short_of_nothing, "not-granted", WEIR_NOTE, false},
        {block, "would-block", WEIR_NOTE, true},
        {queue_up, "would-block", WEIR_NOTE, false},
        {reach_the_edge, "depth-edge", WEIR_NOTE, true},
        {reach_the_last_edge, "depth-edge", WEIR_NOTE, false},
        {stay_off_the_edge, "depth-edge", WEIR_NOTE, false},
        {find_no_curve, "depth-edge", WEIR_NOTE, false},
        {do_as_found, "search-differs", WEIR_NOTE, false},
        {do_less_than_found, "search-differs", WEIR_NOTE, true},
        {do_less_until_interrupted, "search-differs", WEIR_NOTE, false},
        {do_less_elsewhere, "search-differs", WEIR_NOTE, false},
        {queue_up, "search-differs", WEIR_NOTE, false},
        {submit_slowly, "submit-blocks", WEIR_NOTE, true},
        {submit_less_slowly, "submit-blocks", WEIR_NOTE, false},
        {submit_one_slowly, "submit-blocks", WEIR_NOTE, false},
        {submit_to_nothing, "submit-blocks", WEIR_NOTE, false},
        {submit_for_show, "submit-blocks", WEIR_NOTE, false},
        {submit_by_blocking, "submit-blocks", WEIR_NOTE, false},
        {sweat, "cpu-bound", WEIR_NOTE, true},
        {sweat_less, "cpu-bound", WEIR_NOTE, false},
        {sweat_alone, "cpu-bound", WEIR_NOTE, false},
        {sweat_over_nothing, "cpu-bound", WEIR_NOTE, false},
        {sweat_by_polling, "cpu-bound", WEIR_NOTE, false},
        {sweat_without_polling, "cpu-bound", WEIR_NOTE, true},
        {sweat_in_an_open_loop, "cpu-bound", WEIR_NOTE, false},
        {sweat_in_pauses, "cpu-bound", WEIR_NOTE, false},
        {sweat_shortly, "cpu-bound", WEIR_NOTE, false},
        {multitask, "data-in-flight", WEIR_NOTE, true},
        {multitask_a_little, "data-in-flight", WEIR_NOTE, false},
    };

    (void)state;
    assert_cases(cases, sizeof cases / sizeof *cases);
}

static void mixed_phases_are_doubted_as_the_reads_that_they_are(void **state)
{
    static const struct audit_case cases[] = {
        {mix_after_write, "maybe-cached", WEIR_NOTE, true},
        {mix_directly, "maybe-cached", WEIR_NOTE, false},
        {mix_alone, "maybe-cached", WEIR_NOTE, false},
        {read_after_mix, "maybe-cached", WEIR_NOTE, true},
        {shrink_a_mix, "file-size", WEIR_WARNING, false},
    };

    (void)state;
    assert_cases(cases, sizeof cases / sizeof *cases);
}

/* Audits a spoilt phase. Returns its only finding of these names, which must be the one that is due
 * (NULL = none). */
static const struct weir_finding *audit_case(struct subject *subject,
                                             void (*spoil)(struct subject *subject),
                                             const char *const names[], const char *due,
                                             size_t number)
{
    set_up(subject);
    spoil(subject);
    weir_audit_phase(subject->plan, &subject->begun, &subject->record);
    for (size_t k = 0; names[k] != NULL; k++)
        if ((find(subject, names[k]) != NULL) != (due != NULL && strcmp(due, names[k]) == 0))
            fail_msg("case %zu: %s", number, names[k]);
    return due != NULL ? find(subject, due) : NULL;
}

/* What the kernel tells takes the place of what may be. */
static void known_residency_is_told_once_and_suspicions_are_not(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *name; /* the one finding about caches; NULL: none */
    } cases[] = {
        {read_cached, "resident"},
        {read_just_cached, "resident"},
        {read_hardly_cached, NULL},
        {read_uncached, NULL},
        {read_cached_elsewhere, "resident"},
        {read_cached_directly, NULL},
        {read_cached_for_show, NULL},
        {read_cached_by_some, "resident"},
        {read_cached_although_dropped, "resident"},
        {read_back_after_drop, NULL},
        {write_cached, NULL},
        {check_cached, "resident"},
        {check_cached_elsewhere, NULL},
        {check_uncached, NULL},
        {mix_cached, "resident"},
        {mix_uncached, NULL},
        {search_cached, "resident"},
        {search_uncached, NULL},
        {draw_cached_after_check, "resident"},
        {draw_uncached_after_check, NULL},
        {shift_cached, "resident"},
        {shift_uncached, "same-node"},
        {read_what_fits, "fits-in-memory"},
        {read_what_just_fits, "fits-in-memory"},
        {read_what_just_does_not_fit, NULL},
        {read_what_fits_and_is_known, NULL},
        {read_what_fits_after_drop, NULL},
        {read_what_fits_directly, NULL},
        {check_what_fits, NULL},
        {read_back_what_fits, "maybe-cached"},
        {read_elsewhere_what_fits, NULL},
        {search_what_fits, "searched-before"},
        {draw_what_fits_after_check, "checked-before"},
    };
    static const char *const names[] = {
        "resident",        "maybe-cached",   "same-node", "checked-before",
        "searched-before", "fits-in-memory", NULL};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject subject;
        const struct weir_finding *finding =
            audit_case(&subject, cases[i].spoil, names, cases[i].name, i);

        assert_true(finding == NULL || finding->severity == WEIR_NOTE);
        weir_plan_close(subject.plan);
    }
}

#define RESIDENT(share, who) share " % of the data" who " was in the page cache -> "

static void residency_is_told_with_its_share_and_the_way_out(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *text;
    } cases[] = {
        {read_cached, RESIDENT("100", "") "--drop-caches files or --direct"},
        {read_just_cached, RESIDENT("5", "") "--drop-caches files or --direct"},
        {read_cached_by_some,
         RESIDENT("100", " of 3 of 4 ranks") "--drop-caches files or --direct"},
        {mix_cached, RESIDENT("100", "") "--drop-caches files or --direct"},
        {read_cached_although_dropped, RESIDENT("100", "") "--direct"},
        {read_what_fits, "2 MiB per node fit into 4 GiB of memory, and may be in it -> --direct"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "resident");
        if (finding == NULL)
            finding = find(&subject, "fits-in-memory");
        assert_non_null(finding);
        assert_string_equal(finding->text, cases[i].text);
        weir_plan_close(subject.plan);
    }
}

static void a_read_of_its_own_nodes_data_is_told_why(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *why;
    } cases[] = {
        {read_back, "-> " WEIR_REMEDY_SHIFT_NODES " on several nodes, or --direct"},
        {shift_on_one_node, "-> several nodes for " WEIR_REMEDY_SHIFT_NODES ", or --direct"},
        {draw_on_one_node, "-> several nodes for " WEIR_REMEDY_SHIFT_RANDOM ", or --direct"},
        {shift_round, "-> another " WEIR_REMEDY_SHIFT_DISTANCE " than 4, a full circle of 2 nodes"},
        {shift_by_nothing, "-> " WEIR_REMEDY_SHIFT_DISTANCE " 1, or --direct"},
        {shift_as_given, "-> no given numbers of nodes and ranks, or --direct"},
        {check_round, "-> another " WEIR_REMEDY_SHIFT_DISTANCE " than 4, a full circle of 2 nodes"},
        {check_round_before_reads, "-> verify with " WEIR_REMEDY_VERIFY_READS ", or --direct"},
        {check_past_home, "-> equally many ranks on each node: one has 3 of 4"},
        {shift_far, "-> equally many ranks on each node: one has 3 of 4"},
        {draw_far, "-> equally many ranks on each node: one has 3 of 4"},
        {draw_any, "-> " WEIR_REMEDY_SHIFT_RANDOM " instead of " WEIR_REMEDY_SHIFT_PERMUTATION},
        {mix_after_write, "that their node wrote -> --direct"},
        {shift_directly, "2 of 4 ranks read data that their node writes -> equally many"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "maybe-cached");
        if (finding == NULL)
            finding = find(&subject, "same-node");
        assert_non_null(finding);
        if (strstr(finding->text, cases[i].why) == NULL)
            fail_msg("case %zu: %s", i, finding->text);
        weir_plan_close(subject.plan);
    }
}

/* Sentences of phases that are short, or in memory, name the option without a riddle. */
SPOIL(hurry_directly, hurry(x); x->test->backend = &direct)
static void the_way_out_of_memory_is_a_sentence(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *name, *text;
    } cases[] = {
        {write_to_tmpfs, "in-memory",
         "tmpfs is memory, direct I/O included -> choose a storage with " WEIR_REMEDY_PATH},
        {hurry, "short", "the phase took 10 ms -> move more data"},
        {hurry_directly, "short",
         "the phase took 10 ms -> move more data with " WEIR_REMEDY_LONGER_PHASE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, cases[i].name);
        assert_non_null(finding);
        assert_string_equal(finding->text, cases[i].text);
        weir_plan_close(subject.plan);
    }
}

/* A user must see from the sentence alone what to do, so it must not be cut off. */
static void sentences_about_loads_say_the_way_out(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *name;
        const char *end;
    } cases[] = {
        {fall_behind, "rate-not-sustained", "-> a lower --rate, or --depth"},
        {respond_late, "rate-not-shown", "-> move more data, or a lower --rate"},
        {do_less_than_found, "search-differs", "-> move more data, or " WEIR_REMEDY_REPETITIONS},
        {pause_it, "late-issue", "-> free CPUs"},
        {reach_the_edge, "depth-edge", "-> --depth auto:16"},
        {submit_slowly, "submit-blocks", "-> --direct"},
        {sweat, "cpu-bound", "-> more ranks"},
        {multitask, "data-in-flight", "-> more ranks"},
        {block, "would-block", "-> leave nowait out"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;
        size_t length;

        set_up(&subject);
        subject.record.op_count = UINT64_C(10000000000000);
        subject.record.byte_count = UINT64_C(1) << 60;
        cases[i].spoil(&subject);
        subject.record.pace.asked_per_s *= 1e9;
        subject.record.pace.max_backlog = 1000000000;
        if (strcmp(cases[i].name, "late-issue") == 0)
            subject.record.pace.asked_per_s = 1.0;
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, cases[i].name);
        assert_non_null(finding);
        length = strlen(finding->text);
        assert_true(length < WEIR_FINDING_TEXT_BYTES - 1);
        if (strcmp(finding->text + length - strlen(cases[i].end), cases[i].end) != 0)
            fail_msg("case %zu: %s", i, finding->text);
        weir_plan_close(subject.plan);
    }
}

/* ---- bytes that no device supplied, and what devices did ---- */

/* 4 MiB are read, of which so many come from a device, and none from the page cache. */
static void read_from_device(struct subject *x, uint64_t bytes, struct weir_data_origin origin)
{
    find_resident(x, 0);
    x->record.supply = (struct weir_supply_result){4, bytes, origin};
}

static void read_on_a_disk(struct subject *x, unsigned requests, uint64_t bytes)
{
    static struct weir_storage_group storage;

    storage =
        (struct weir_storage_group){.count = 2, .facts = {.is_known = true, .device_count = 1}};
    snprintf(storage.facts.devices[0].name, sizeof storage.facts.devices[0].name, "sda");
    storage.facts.devices[0].request_count = 64;
    storage.facts.devices[0].queue_depth = 32;
    x->begun.storages = &storage;
    x->begun.storage_count = 1;
    read_from_device(x, bytes, (struct weir_data_origin){0});
    x->record.traffic = (struct weir_traffic){.has_devices = true,
                                              .device_read_bytes = bytes,
                                              .top_reads = requests,
                                              .top_read_bytes = bytes};
}

/* Transfers of 4 KiB took 0.1 ms on average: 1024 of them by four ranks in 0.95 s each. */
static void fly(struct subject *x, unsigned depth, uint64_t mean_ns)
{
    weir_histogram_reset(&x->latency);
    for (unsigned i = 0; i < 1024; i++)
        weir_histogram_add(&x->latency, mean_ns);
    x->record.latency = &x->latency;
    x->record.depth = depth;
}

SPOIL(read_supplied, read_from_device(x, 4 * MIB, (struct weir_data_origin){0}))
SPOIL(read_half_a_hole,
      read_from_device(x, 2 * MIB, (struct weir_data_origin){.hole_bytes = 2 * MIB}))
SPOIL(read_little_unwritten,
      read_from_device(x, 4 * MIB - 300 * 1024,
                       (struct weir_data_origin){.unwritten_bytes = 300 * 1024}))
SPOIL(read_compressed,
      read_from_device(x, MIB, (struct weir_data_origin){.encoded_bytes = 4 * MIB}))
SPOIL(read_from_elsewhere, read_from_device(x, 0, (struct weir_data_origin){0}))
SPOIL(read_unknown, read_from_elsewhere(x); x->record.supply.rank_count = 3)
SPOIL(read_known_pages, read_from_elsewhere(x); x->record.residency.resident_bytes = 1000)
SPOIL(read_hole_directly, read_half_a_hole(x); x->test->backend = &direct)
SPOIL(buffer_directly, read_supplied(x); x->test->backend = &direct;
      x->record.supply.origin.left_asked_bytes = 4 * MIB; x->record.supply.origin.left_bytes = MIB)
SPOIL(buffer_hardly, buffer_directly(x); x->record.supply.origin.left_bytes = 100 * 1024)
SPOIL(split, read_on_a_disk(x, 2048, 4 * MIB); x->test->backend = &direct)
SPOIL(split_beside_others, split(x); x->record.traffic.top_read_bytes = 8 * MIB)
SPOIL(split_not, split(x); x->record.traffic.top_reads = 1024)
SPOIL(queue_deeply, split_not(x); fly(x, 17, 60000000))
SPOIL(queue_just, split_not(x); fly(x, 16, 60000000))
SPOIL(fly_high, split_not(x); fly(x, 8, 15000000))
SPOIL(fly_low, split_not(x); fly(x, 8, 14000000))
SPOIL(fly_low_by_rate, fly_low(x); x->record.pace.asked_per_s = 1000.0)
SPOIL(read_ahead, read_on_a_disk(x, 32, 4 * MIB))
SPOIL(read_as_asked, read_on_a_disk(x, 1024, 4 * MIB))
SPOIL(read_far_too_much, read_on_a_disk(x, 1024, 12 * MIB))
SPOIL(read_places_again, read_supplied(x);
      x->read->transfers.layout.order = WEIR_ORDER_RANDOM_BLOCKS;
      x->read->transfers.layout.block_bytes = 4096)
SPOIL(read_few_places, read_places_again(x); x->record.file_bytes = 400 * MIB)
SPOIL(read_places_once, read_supplied(x); x->read->transfers.layout.order = WEIR_ORDER_SHUFFLED)

static void what_no_device_did_is_found_with_its_effect(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *name; /* NULL = none */
        enum weir_effect effect;
        const char *text;
    } cases[] = {
        {read_supplied, NULL, 0, NULL},
        {read_half_a_hole, "no-device-io", WEIR_VOID,
         "50 % of the bytes read came from the device, 50 % are holes -> write the file first"},
        {read_little_unwritten, "no-device-io", WEIR_QUALIFY, "7 % are unwritten extents"},
        {read_compressed, "no-device-io", WEIR_VOID,
         "25 % of the bytes read came from the device, 100 % are in compressed extents -> write it "
         "with --data full"},
        {read_from_elsewhere, "no-device-io", WEIR_VOID, "a cache had the rest -> --direct"},
        {read_unknown, NULL, 0, NULL},
        {read_known_pages, NULL, 0, NULL},
        {read_hole_directly, "no-device-io", WEIR_VOID, "50 % are holes"},
        {buffer_directly, "buffered-direct", WEIR_VOID,
         "25 % of the data are in the page cache after direct I/O"},
        {buffer_hardly, NULL, 0, NULL},
        {split, "small-requests", WEIR_QUALIFY, "sda got requests of 2 KiB for transfers of 4 KiB"},
        {split_beside_others, NULL, 0, NULL},
        {split_not, NULL, 0, NULL},
        {queue_deeply, "queue-limit", WEIR_QUALIFY,
         "sda queues 32 requests, and 2 x depth 17 are asked for -> a smaller --depth"},
        {queue_just, NULL, 0, NULL},
        {fly_high, NULL, 0, NULL},
        {fly_low, "depth-not-reached", WEIR_QUALIFY, "a rank had 3.8 of 8 transfers in flight"},
        {fly_low_by_rate, NULL, 0, NULL},
        {read_ahead, "read-ahead", WEIR_QUALIFY, "requests of 128 KiB of reads of 4.0 KiB"},
        {read_as_asked, NULL, 0, NULL},
        {read_far_too_much, "read-ahead", WEIR_QUALIFY, "the device read 3.0 times"},
        {read_places_again, "repeated", WEIR_VOID, "37 % of the bytes were moved before"},
        {read_few_places, NULL, 0, NULL},
        {read_places_once, NULL, 0, NULL},
    };
    static const char *const names[] = {
        "no-device-io",      "buffered-direct", "small-requests", "queue-limit",
        "depth-not-reached", "read-ahead",      "repeated",       NULL};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct subject subject;
        const struct weir_finding *finding =
            audit_case(&subject, cases[i].spoil, names, cases[i].name, i);

        if (finding != NULL) {
            assert_int_equal(finding->effect, cases[i].effect);
            if (strstr(finding->text, cases[i].text) == NULL)
                fail_msg("case %zu: %s", i, finding->text);
        }
        weir_plan_close(subject.plan);
    }
}

/* ---- evidence ---- */

/* The file system is on a loop device that caches its file, over a disk that moved so many bytes
 * in each direction while the loop device was asked for 4 MiB. */
static void work_on_loop(struct subject *x, uint64_t bytes)
{
    static struct weir_storage_group storage;

    storage = (struct weir_storage_group){
        .count = 2,
        .facts = {
            .is_known = true,
            .type = "ext4",
            .device_count = 2,
            .devices = {{.name = "loop3", .is_buffered_loop = true}, {.name = "sda", .level = 1}}}};
    x->begun.storages = &storage;
    x->begun.storage_count = 1;
    x->record.near_rank_count = 0;
    x->record.traffic = (struct weir_traffic){.has_devices = true,
                                              .device_read_bytes = bytes,
                                              .device_written_bytes = bytes,
                                              .top_read_bytes = 4 * MIB,
                                              .top_written_bytes = 4 * MIB};
}
SPOIL(write_on_loop, work_on_loop(x, 400 * MIB); x->test->backend = &direct)
SPOIL(write_on_loop_without_cache, write_on_loop(x);
      x->begun.storages[0].facts.devices[0].is_buffered_loop = false)
SPOIL(write_half_on_loop, write_on_loop(x); x->record.traffic.device_written_bytes = 2 * MIB)
SPOIL(write_clean_on_loop, work_on_loop(x, 400 * MIB);
      x->record.dirty = (struct weir_dirty_result){1000, 0, 0, 0, 4})
SPOIL(write_dirty_on_loop, work_on_loop(x, 400 * MIB); write_dirty(x))
SPOIL(sync_on_loop, write_clean_on_loop(x); x->write->transfers.must_sync_at_end = true;
      x->record.dirty = (struct weir_dirty_result){1000, 0, 1000, 0, 4})
SPOIL(sync_on_loop_without_effect, sync_on_loop(x); x->record.traffic.device_written_bytes = MIB)
SPOIL(sync_on_disk, sync_on_loop(x); x->begun.storages[0].facts.devices[0].is_buffered_loop = false)
SPOIL(read_on_loop, read_supplied(x); work_on_loop(x, 400 * MIB))
SPOIL(read_half_on_loop, read_on_loop(x); x->record.traffic.device_read_bytes = 2 * MIB)
SPOIL(read_on_loop_without_cache, read_on_loop(x);
      x->begun.storages[0].facts.devices[0].is_buffered_loop = false)

/* Its sync was swallowed, so that its data never came to the loop device; others sync theirs. */
SPOIL(swallow_sync_on_loop, sync_on_loop(x); x->record.traffic.device_written_bytes = 3 * MIB;
      x->record.traffic.top_written_bytes = 3 * MIB)
SPOIL(read_resident_on_loop, read_half_on_loop(x); x->record.supply.rank_count = 0;
      x->record.traffic.top_read_bytes = 2 * MIB)

/* Disks below a loop device have the traffic of others. */
static void others_on_the_disk_neither_cause_nor_raise_a_lower_cache(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *text; /* NULL = not found */
    } cases[] = {
        {read_half_on_loop, "the cache of loop3 had at least 2.0 of 4.0 MiB -> losetup"},
        {write_half_on_loop, "the cache of loop3 has at least 2.0 of 4.0 MiB -> losetup"},
        {read_on_loop, NULL},
        {write_on_loop, NULL},
        {swallow_sync_on_loop, NULL},
        {read_resident_on_loop, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "lower-cache");
        if ((finding != NULL) != (cases[i].text != NULL))
            fail_msg("case %zu: %s", i, finding != NULL ? finding->text : "not found");
        if (finding != NULL && strstr(finding->text, cases[i].text) == NULL)
            fail_msg("case %zu: %s", i, finding->text);
        weir_plan_close(subject.plan);
    }
}

SPOIL(read_on_disk, read_on_a_disk(x, 1024, 4 * MIB))
SPOIL(read_cached_on_disk, read_on_disk(x); read_cached(x))
SPOIL(read_hardly_cached_on_disk, read_on_disk(x); read_hardly_cached(x))
SPOIL(read_again_on_disk, read_on_disk(x); x->read->stop.minimum_ns = 1;
      x->record.byte_count = 40 * MIB)
SPOIL(read_in_memory, read_on_disk(x); write_to_tmpfs(x))
SPOIL(read_in_memory_directly, read_in_memory(x); x->test->backend = &direct)
/* Nothing counts the bytes of the host. */
SPOIL(read_from_host, read_back(x); write_to_host(x); x->record.phase = x->read->number)
SPOIL(read_cached_from_host, read_from_host(x); find_resident(x, 100))
SPOIL(read_little_cached_from_host, read_from_host(x); find_resident(x, 99))

static void evidence_is_what_readings_can_tell(void **state)
{
#define LOOP "a loop device caches its file"
    static const struct {
        void (*spoil)(struct subject *subject);
        enum weir_evidence_question question;
        enum weir_evidence_state state;
        const char *reason; /* NULL = any */
    } cases[] = {
        /* Another writer moves more than this run: the disk has proven nothing. */
        {write_on_loop, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE, LOOP},
        {write_half_on_loop, WEIR_EVIDENCE_STORED, WEIR_SEEN, NULL},
        {write_on_loop_without_cache, WEIR_EVIDENCE_STORED, WEIR_NOT_SEEN, "direct I/O"},
        {write_clean_on_loop, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE, LOOP},
        {write_dirty_on_loop, WEIR_EVIDENCE_STORED, WEIR_SEEN, NULL},
        {sync_on_loop, WEIR_EVIDENCE_SYNCED, WEIR_CANNOT_OBSERVE, LOOP},
        {sync_on_loop, WEIR_EVIDENCE_STORED, WEIR_CANNOT_OBSERVE, LOOP},
        {sync_on_loop_without_effect, WEIR_EVIDENCE_SYNCED, WEIR_SEEN, NULL},
        {sync_on_disk, WEIR_EVIDENCE_SYNCED, WEIR_NOT_SEEN, "dirty pages"},
        {sync_on_disk, WEIR_EVIDENCE_STORED, WEIR_NOT_SEEN, NULL},
        {read_on_loop, WEIR_EVIDENCE_SUPPLIED, WEIR_CANNOT_OBSERVE, LOOP},
        {read_half_on_loop, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, NULL},
        {read_on_loop_without_cache, WEIR_EVIDENCE_SUPPLIED, WEIR_NOT_SEEN, NULL},
        {read_on_disk, WEIR_EVIDENCE_SUPPLIED, WEIR_NOT_SEEN, NULL},
        {read_cached_on_disk, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, "page cache"},
        {read_hardly_cached_on_disk, WEIR_EVIDENCE_SUPPLIED, WEIR_NOT_SEEN, NULL},
        {read_again_on_disk, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, NULL},
        {read_in_memory, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, "memory"},
        {read_in_memory_directly, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, "memory"},
        {read_from_host, WEIR_EVIDENCE_SUPPLIED, WEIR_CANNOT_OBSERVE, NULL},
        {read_cached_from_host, WEIR_EVIDENCE_SUPPLIED, WEIR_SEEN, "page cache"},
        /* Of the rest nothing is known. */
        {read_little_cached_from_host, WEIR_EVIDENCE_SUPPLIED, WEIR_CANNOT_OBSERVE, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_evidence *evidence;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        evidence = &subject.record.evidence[cases[i].question];
        if (evidence->state != cases[i].state ||
            (cases[i].reason != NULL &&
             (evidence->reason == NULL || strstr(evidence->reason, cases[i].reason) == NULL)))
            fail_msg("case %zu: %s (%s)", i, weir_evidence_state_names[evidence->state],
                     evidence->reason != NULL ? evidence->reason : "no reason");
        weir_plan_close(subject.plan);
    }
}

SPOIL(ponder_on_disk, read_on_disk(x); ponder(x))
SPOIL(ponder_cached, read_cached_on_disk(x); ponder(x))
SPOIL(ponder_unsynced, write_dirty(x); ponder(x))
SPOIL(ponder_in_memory, write_to_tmpfs(x); ponder(x))

/* Next to memory, buffers are filled and checked as slowly as data are moved. */
static void memory_explains_the_share_of_data_work(void **state)
{
    static const struct {
        void (*spoil)(struct subject *subject);
        const char *cause; /* NULL = none */
    } cases[] = {{ponder_on_disk, NULL},
                 {ponder_cached, "resident"},
                 {ponder_unsynced, "unsynced"},
                 {ponder_in_memory, "in-memory"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_finding *finding;
        struct subject subject;

        set_up(&subject);
        cases[i].spoil(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        finding = find(&subject, "data-share");
        assert_non_null(finding);
        assert_int_equal(finding->explained_by != NULL, cases[i].cause != NULL);
        if (cases[i].cause != NULL)
            assert_string_equal(finding->explained_by, cases[i].cause);
        weir_plan_close(subject.plan);
    }
}

static void a_rate_that_was_not_sustained_is_told_in_numbers(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    fall_behind(&subject);
    subject.record.windows.transfer_s = 2.0;
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_string_equal(find(&subject, "rate-not-sustained")->text,
                        "512 of 1000 transfers/s (3.9 MiB/s) done, the last 51.0 ms late -> a "
                        "lower --rate, or --depth");
    weir_plan_close(subject.plan);
}

static void advice_is_such_that_it_can_be_followed(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    submit_slowly(&subject);
    subject.record.bypasses_cache = true;
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_non_null(strstr(find(&subject, "submit-blocks")->text, "-> more ranks"));
    weir_plan_close(subject.plan);
    set_up(&subject);
    submit_slowly(&subject);
    subject.record.bypasses_cache = true;
    subject.write->transfers.must_replace = true;
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_non_null(
        strstr(find(&subject, "submit-blocks")->text, "existing files (" WEIR_REMEDY_USE_EXISTING));
    weir_plan_close(subject.plan);
    set_up(&subject);
    multitask(&subject);
    subject.write->transfers.payload.mode = WEIR_PAYLOAD_FULL;
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_non_null(strstr(find(&subject, "data-in-flight")->text, "ranks, or --data stamp"));
    weir_plan_close(subject.plan);
}

static unsigned count_findings(const struct subject *subject, const char *name)
{
    unsigned count = 0;

    for (unsigned i = 0; i < subject->record.finding_count; i++)
        count += strcmp(subject->record.findings[i].name, name) == 0;
    return count;
}

static void what_was_not_granted_is_told_line_by_line(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    fall_short(&subject);
    subject.record.shortfall = "no pages -> vm.nr_hugepages\nno 1.5; luck";
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_int_equal(count_findings(&subject, "not-granted"), 2);
    assert_string_equal(find(&subject, "not-granted")->text,
                        "on 1 of 4 ranks, no pages -> vm.nr_hugepages");
    assert_string_equal(subject.record.findings[subject.record.finding_count - 1].text,
                        "on 1 of 4 ranks, no 1.5; luck");
    weir_plan_close(subject.plan);
}

static void a_rate_that_was_not_sustained_makes_a_run_one_to_warn_of(void **state)
{
    struct weir_result *result = weir_result_open(1);
    struct subject subject;

    (void)state;
    for (int is_behind = 0; is_behind < 2; is_behind++) {
        set_up(&subject);
        (is_behind ? fall_behind : pace)(&subject);
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        result->phases = &subject.record;
        result->phase_count = 1;
        assert_int_equal(weir_audit_warns(subject.plan, result), is_behind);
        weir_plan_close(subject.plan);
    }
    result->phases = NULL;
    weir_result_close(result);
}

/* IOR prints its line about sizes for each of these. */
static void a_part_of_a_file_that_is_read_on_purpose_is_not_one_to_warn_of(void **state)
{
    static const struct {
        bool reads;
        uint64_t bytes, file_bytes;
        bool warns;
    } cases[] = {
        {true, 4 * MIB, 4 * MIB, false}, {true, 4 * MIB, 8 * MIB, false},
        {true, 4 * MIB, 2 * MIB, true},  {true, 3 * MIB, 8 * MIB, true},
        {false, 4 * MIB, 8 * MIB, true},
    };
    struct weir_result *result = weir_result_open(1);
    struct subject subject;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_up(&subject);
        if (cases[i].reads)
            read_back_directly(&subject);
        subject.record.byte_count = cases[i].bytes;
        subject.record.file_bytes = cases[i].file_bytes;
        result->phases = &subject.record;
        result->phase_count = 1;
        assert_int_equal(weir_audit_warns(subject.plan, result), cases[i].warns);
        weir_plan_close(subject.plan);
    }
    result->phases = NULL;
    weir_result_close(result);
}

static void an_outlier_is_told_with_rank_host_activity_and_mean(void **state)
{
    static const char *const activities[WEIR_OUTLIER_KINDS] = {
        "rank 3 on n2 began 1.500 s after the agreed start, mean 0.950 s",
        "rank 3 on n2 took 1.500 s to open, mean 0.950 s",
        "rank 3 on n2 took 1.500 s to transfer, mean 0.950 s",
        "rank 3 on n2 took 1.500 s to close, mean 0.950 s",
        "rank 3 on n2 ended 1.500 s after the agreed start, mean 0.950 s",
    };

    (void)state;
    for (unsigned i = 0; i < WEIR_OUTLIER_KINDS; i++) {
        struct subject subject;

        set_up(&subject);
        straggle(&subject);
        subject.record.outliers[0].kind = (enum weir_outlier_kind)i;
        weir_audit_phase(subject.plan, &subject.begun, &subject.record);
        assert_non_null(find(&subject, "outlier"));
        assert_memory_equal(find(&subject, "outlier")->text, activities[i], strlen(activities[i]));
        weir_plan_close(subject.plan);
    }
}

/* Four of their own, and one that counts the others: there is room for other doubts. */
static void a_thousand_outliers_leave_room_for_other_findings(void **state)
{
    struct subject subject;
    unsigned count = 0;

    (void)state;
    set_up(&subject);
    straggle_often(&subject);
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    for (unsigned i = 0; i < subject.record.finding_count; i++)
        count += strcmp(subject.record.findings[i].name, "outlier") == 0;
    assert_int_equal(count, 4);
    assert_non_null(strstr(find(&subject, "more-outliers")->text, "996 more times"));
    weir_plan_close(subject.plan);
}

static void a_sound_phase_has_no_finding(void **state)
{
    struct subject subject;

    (void)state;
    set_up(&subject);
    weir_audit_phase(subject.plan, &subject.begun, &subject.record);
    assert_int_equal(subject.record.finding_count, 0);
    weir_plan_close(subject.plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_are_shorter_than_what_was_written_are_a_flaw),
        cmocka_unit_test(each_finding_is_made_for_its_record_and_no_other),
        cmocka_unit_test(rates_of_memory_are_named_as_such),
        cmocka_unit_test(a_stonewall_says_if_some_ranks_had_done_all),
        cmocka_unit_test(short_transfers_of_a_phase_that_failed_are_not_said_to_go_on),
        cmocka_unit_test(no_estimate_is_made_of_wrong_data_and_no_rank_advised_without_a_core),
        cmocka_unit_test(open_loops_are_doubted_where_they_fell_behind_or_paused),
        cmocka_unit_test(queues_are_doubted_where_something_else_than_the_storage_is_the_limit),
        cmocka_unit_test(mixed_phases_are_doubted_as_the_reads_that_they_are),
        cmocka_unit_test(known_residency_is_told_once_and_suspicions_are_not),
        cmocka_unit_test(residency_is_told_with_its_share_and_the_way_out),
        cmocka_unit_test(what_no_device_did_is_found_with_its_effect),
        cmocka_unit_test(others_on_the_disk_neither_cause_nor_raise_a_lower_cache),
        cmocka_unit_test(evidence_is_what_readings_can_tell),
        cmocka_unit_test(memory_explains_the_share_of_data_work),
        cmocka_unit_test(a_read_of_its_own_nodes_data_is_told_why),
        cmocka_unit_test(the_way_out_of_memory_is_a_sentence),
        cmocka_unit_test(sentences_about_loads_say_the_way_out),
        cmocka_unit_test(a_rate_that_was_not_sustained_is_told_in_numbers),
        cmocka_unit_test(advice_is_such_that_it_can_be_followed),
        cmocka_unit_test(what_was_not_granted_is_told_line_by_line),
        cmocka_unit_test(a_rate_that_was_not_sustained_makes_a_run_one_to_warn_of),
        cmocka_unit_test(a_part_of_a_file_that_is_read_on_purpose_is_not_one_to_warn_of),
        cmocka_unit_test(an_outlier_is_told_with_rank_host_activity_and_mean),
        cmocka_unit_test(a_thousand_outliers_leave_room_for_other_findings),
        cmocka_unit_test(a_sound_phase_has_no_finding),
    };

    return cmocka_run_group_tests_name("audit", tests, NULL, NULL);
}
