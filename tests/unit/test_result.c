/* SPDX-License-Identifier: Apache-2.0 */
/* Results: windows, spreads and sums from rows made by hand; the mismatch log; the exit code. */
#include "weir/measure/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS INT64_C(1000000)

static struct weir_arena arena; /* of what records point to */
static const char *const hosts[] = {"n1", "n1", "n2", "n2"};

static void assert_seconds(double actual, double expected)
{
    if (fabs(actual - expected) > 1e-12)
        fail_msg("%.12f s, expected %.12f s", actual, expected);
}

/* open 0-1 ms, move 2-12 ms, close 13-14 ms */
static struct weir_rank_row plain_row(void)
{
    return (struct weir_rank_row){
        .stamps_ns = {0, 1 * MS, 2 * MS, 12 * MS, 13 * MS, 14 * MS},
        .op_count = 10,
        .byte_count = 10240,
    };
}

static void windows_reach_from_the_first_start_to_the_last_stop(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        rows[1].stamps_ns[i] += 3 * MS;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.windows.open_s, 0.004);
    assert_seconds(result.windows.transfer_s, 0.013);
    assert_seconds(result.windows.close_s, 0.004);
    assert_seconds(result.windows.total_s, 0.017);
    assert_seconds(result.common_s, 0.007);
    assert_int_equal(result.op_count, 20);
    assert_int_equal(result.byte_count, 20480);
    assert_int_equal(result.rank_count, 2);
}

/* IOR compares within its timed loop. What ranks do between their transfers leaves the device to
 * the others: no window gets shorter by it. */
static void data_work_is_within_all_windows(void **state)
{
    static struct weir_phase_result plain = {.arena = &arena};
    static struct weir_phase_result result = {.arena = &arena};
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    rows[1].stamps_ns[WEIR_STAMP_MOVE_START] += 7 * MS;
    weir_result_derive(&plain, rows, 2, hosts, 0.001);
    rows[0].data_ns = 9 * MS;
    rows[1].data_ns = 1 * MS;
    weir_result_derive(&result, rows, 2, hosts, 0.001);
    assert_memory_equal(&result.windows, &plain.windows, sizeof plain.windows);
    assert_seconds(result.windows.transfer_s, 0.010);
    assert_seconds(result.windows.total_s, 0.014);
    assert_seconds(result.common_s, 0.003);
    assert_seconds(result.rank_s_min, 0.003);
    assert_seconds(result.rank_s_mean, plain.rank_s_mean);
    assert_seconds(result.rank_s_max, 0.010);
    assert_seconds(result.rank_s_stddev, plain.rank_s_stddev);
    assert_seconds(result.op_s_min, 0.0003);
    assert_seconds(result.slowest[0].seconds, 0.010);
    assert_int_equal(result.outlier_count, plain.outlier_count);
    assert_seconds(result.data_share, 10.0 / 13.0);
}

/* With a barrier before it the close begins at one time for all: it takes no longer than the
 * slowest of them, however unequal their work on data was. */
static void a_close_takes_no_longer_than_between_two_barriers(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        rows[i] = plain_row();
        rows[i].stamps_ns[WEIR_STAMP_MOVE_STOP] -= i * MS;
        rows[i].data_ns = (uint64_t)(2 * i * MS);
    }
    weir_result_derive(&result, rows, 4, hosts, 0.0);
    assert_seconds(result.windows.close_s, 0.001);
    assert_seconds(result.common_s, 0.007);
}

/* What the storage did by itself is a guess, and told apart. */
static void the_estimate_leaves_out_the_work_of_each_rank(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.storage_s, 0.0);
    rows[0].data_ns = 4 * MS;
    rows[1].data_ns = 6 * MS;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.data_share, 0.5);
    assert_seconds(result.storage_s, 0.006);
    assert_seconds(result.windows.transfer_s, 0.010);
    /* Beside transfers it may have cost nothing: there is no estimate then. */
    rows[0].overlapped_data_ns = 4 * MS;
    rows[1].overlapped_data_ns = 50 * MS; /* of the 4 ms that are left */
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.data_share, 0.5);
    assert_seconds(result.overlapped_data_share, 0.4);
    assert_seconds(result.storage_s, 0.0);
}

static void the_stonewall_has_work_on_data_in_it(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row row = plain_row();

    (void)state;
    row.has_deadline = 1;
    row.hit_deadline = 1;
    row.stonewall_ops = 5;
    row.stonewall_ns = 8 * MS;
    row.data_ns = 6 * MS;
    weir_result_derive(&result, &row, 1, hosts, 0.0);
    assert_seconds(result.stonewall.seconds, 0.008);
}

static void processor_times_and_blocked_transfers_are_sums(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    rows[0].cpu_user_ns = 2 * MS;
    rows[1].cpu_user_ns = 3 * MS;
    rows[0].cpu_system_ns = 1 * MS;
    rows[1].cpu_system_ns = 6 * MS;
    rows[0].blocked_count = 4;
    rows[1].blocked_count = 1;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.cpu_user_s, 0.005);
    assert_seconds(result.cpu_system_s, 0.007);
    assert_int_equal(result.blocked_count, 5);
}

static void the_rank_that_is_furthest_behind_speaks_for_an_open_loop(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    result.pace.asked_per_s = 2500.0; /* which rows do not tell */
    rows[0].pace = (struct weir_pace_tally){10 * MS, 3 * MS, 4 * MS, 70};
    rows[1].pace = (struct weir_pace_tally){11 * MS, 2 * MS, 9 * MS, 50};
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.pace.asked_per_s, 2500.0);
    assert_seconds(result.pace.offered_s, 0.011);
    assert_seconds(result.pace.end_lag_s, 0.003);
    assert_seconds(result.pace.max_lag_s, 0.009);
    assert_int_equal(result.pace.max_backlog, 70);
}

static void data_work_longer_than_the_transfers_leaves_no_negative_time(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row row = plain_row();

    (void)state;
    row.data_ns = 50 * MS;
    weir_result_derive(&result, &row, 1, hosts, 0.0);
    assert_seconds(result.windows.transfer_s, 0.010);
    assert_seconds(result.data_share, 1.0);
    assert_seconds(result.storage_s, 0.0);
}

static void ranks_that_never_overlap_have_no_common_time(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        rows[1].stamps_ns[i] += 100 * MS;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.common_s, 0.0);
}

static void ranks_without_operations_do_not_count_as_fast(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    rows[1].op_count = 0;
    rows[1].stamps_ns[WEIR_STAMP_MOVE_STOP] = rows[1].stamps_ns[WEIR_STAMP_MOVE_START];
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_seconds(result.op_s_min, 0.001);
    assert_seconds(result.rank_s_min, 0.0);
}

static void no_ranks_or_no_time_give_zeros_and_never_nan(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row idle[2];

    (void)state;
    memset(idle, 0, sizeof idle);
    for (unsigned count = 0; count <= 2; count++) {
        memset(&result, 0xff, sizeof result);
        weir_result_derive(&result, idle, count, hosts, 0.0);
        assert_seconds(result.windows.open_s, 0.0);
        assert_seconds(result.windows.transfer_s, 0.0);
        assert_seconds(result.windows.close_s, 0.0);
        assert_seconds(result.windows.total_s, 0.0);
        assert_seconds(result.storage_s, 0.0);
        assert_seconds(result.common_s, 0.0);
        assert_seconds(result.rank_s_min, 0.0);
        assert_seconds(result.rank_s_mean, 0.0);
        assert_seconds(result.rank_s_max, 0.0);
        assert_seconds(result.rank_s_stddev, 0.0);
        assert_seconds(result.op_s_min, 0.0);
        assert_seconds(result.data_share, 0.0);
        assert_seconds(result.overlapped_data_share, 0.0);
        assert_seconds(result.cpu_user_s, 0.0);
        assert_seconds(result.cpu_system_s, 0.0);
        assert_seconds(result.pace.offered_s, 0.0);
        assert_seconds(result.pace.end_lag_s, 0.0);
        assert_seconds(result.clock.drift_ppm, 0.0);
        assert_false(result.stonewall.is_hit);
        assert_int_equal(result.op_count, 0);
        assert_int_equal(result.slowest_count, count);
    }
}

static void slowest_ranks_are_named_in_order_with_their_hosts(void **state)
{
    static const int64_t extra_ms[] = {0, 5, 9, 5};
    static struct weir_phase_result result;
    struct weir_rank_row rows[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        rows[i] = plain_row();
        rows[i].stamps_ns[WEIR_STAMP_MOVE_STOP] += extra_ms[i] * MS;
    }
    weir_result_derive(&result, rows, 4, hosts, 0.0);
    assert_int_equal(result.slowest_count, 3);
    assert_int_equal(result.slowest[0].rank, 2);
    assert_string_equal(result.slowest[0].host, "n2");
    assert_seconds(result.slowest[0].seconds, 0.019);
    assert_int_equal(result.slowest[1].rank, 1);
    assert_string_equal(result.slowest[1].host, "n1");
    assert_int_equal(result.slowest[2].rank, 3);
}

/* Rank 3 comes 5 ms late, opens for 3 ms more, moves 8 ms longer, and
 * closes for 3 ms more. */
static void make_rank_3_late(struct weir_rank_row rows[4])
{
    static const int64_t more_ms[WEIR_STAMP_COUNT] = {5, 8, 8, 16, 16, 19};

    for (unsigned i = 0; i < 4; i++)
        rows[i] = plain_row();
    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        rows[3].stamps_ns[i] += more_ms[i] * MS;
}

static void ranks_far_from_the_mean_are_named_by_what_is_far(void **state)
{
    /* of rank 3; the others have these without the excess */
    static const struct {
        enum weir_outlier_kind kind;
        double value_s;
        double excess_s;
    } expected[] = {
        {WEIR_OUTLIER_START, 0.005, 0.005},    {WEIR_OUTLIER_OPEN, 0.004, 0.003},
        {WEIR_OUTLIER_TRANSFER, 0.018, 0.008}, {WEIR_OUTLIER_CLOSE, 0.004, 0.003},
        {WEIR_OUTLIER_END, 0.033, 0.019},
    };
    static struct weir_phase_result result = {.arena = &arena};
    struct weir_rank_row rows[4];

    (void)state;
    make_rank_3_late(rows);
    /* The others are off by a quarter of the excess, rank 3 by three quarters. */
    weir_result_derive(&result, rows, 4, hosts, 0.0051);
    assert_int_equal(result.outlier_count, 2);
    assert_int_equal(result.outliers[0].kind, WEIR_OUTLIER_TRANSFER);
    assert_int_equal(result.outliers[1].kind, WEIR_OUTLIER_END);
    weir_result_derive(&result, rows, 4, hosts, 0.0021);
    assert_int_equal(result.outlier_count, 8);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct weir_outlier *outlier = &result.outliers[3 + i];
        double excess = expected[i].excess_s;

        assert_int_equal(outlier->rank, 3);
        assert_int_equal(outlier->kind, expected[i].kind);
        assert_string_equal(outlier->host, "n2");
        assert_seconds(outlier->value_s, expected[i].value_s);
        assert_seconds(outlier->mean_s, expected[i].value_s - 0.75 * excess);
        /* of the population: sqrt(3) / 4 of it */
        assert_seconds(outlier->stddev_s, sqrt(3.0) / 4.0 * excess);
    }
}

static void outliers_are_counted_beyond_the_room_and_only_if_asked_for(void **state)
{
    static struct weir_phase_result result = {.arena = &arena};
    static struct weir_rank_row rows[2 * WEIR_OUTLIERS_KEPT];
    static const char *many_hosts[2 * WEIR_OUTLIERS_KEPT];

    (void)state;
    for (unsigned i = 0; i < 2 * WEIR_OUTLIERS_KEPT; i++) {
        rows[i] = plain_row();
        many_hosts[i] = "n1";
        /* One half opens 10 ms after the other: all are 5 ms from the mean. */
        for (unsigned k = 0; k < WEIR_STAMP_COUNT; k++)
            rows[i].stamps_ns[k] += i % 2 ? 10 * MS : 0;
    }
    weir_result_derive(&result, rows, 2 * WEIR_OUTLIERS_KEPT, many_hosts, 0.004);
    assert_int_equal(result.outlier_count, 4 * WEIR_OUTLIERS_KEPT); /* starts and ends */
    assert_int_equal(result.outliers[WEIR_OUTLIERS_KEPT - 1].rank, WEIR_OUTLIERS_KEPT / 2 - 1);
    weir_result_derive(&result, rows, 2 * WEIR_OUTLIERS_KEPT, many_hosts, 0.006);
    assert_int_equal(result.outlier_count, 0);
    weir_result_derive(&result, rows, 2 * WEIR_OUTLIERS_KEPT, many_hosts, 0.0);
    assert_int_equal(result.outlier_count, 0);
}

static void stonewall_counts_what_each_rank_had_done_at_the_deadline(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    for (unsigned i = 0; i < 2; i++)
        rows[i].has_deadline = 1;
    rows[0].hit_deadline = 1;
    rows[0].stonewall_ops = 6;
    rows[0].stonewall_bytes = 6144;
    rows[0].stonewall_ns = 1000 * (uint64_t)MS;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_true(result.stonewall.is_hit);
    assert_int_equal(result.stonewall.ops_min, 6);
    assert_int_equal(result.stonewall.ops_max, 10);
    assert_int_equal(result.stonewall.bytes_min, 6144);
    assert_seconds(result.stonewall.bytes_mean, 8192.0);
    assert_seconds(result.stonewall.seconds, 1.0);
}

static void clock_error_is_the_sum_of_the_two_worst_nodes(void **state)
{
    static const uint64_t error_ns[] = {2000, 2000, 3000, 3000};
    static struct weir_phase_result result;
    struct weir_rank_row rows[4];

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        rows[i] = plain_row();
        rows[i].error_ns = error_ns[i];
        rows[i].offset_ns = i < 2 ? 0 : -7 * MS;
        rows[i].drift_ns = i < 2 ? 0 : 14;
        rows[i].drift_span_ns = 28 * MS;
        rows[i].drift_error_ns = 2 * error_ns[i];
    }
    weir_result_derive(&result, rows, 4, hosts, 0.0);
    assert_true(result.clock.is_cross_node);
    assert_seconds(result.clock.error_s, 5e-6);
    assert_seconds(result.clock.offset_s, 0.007);
    /* 14 ns between two comparisons that are 28 ms apart, each good to 3 and 2 us */
    assert_true(fabs(result.clock.drift_ppm - 0.5) < 1e-9);
    assert_true(fabs(result.clock.drift_error_ppm - 10e3 / 28.0) < 1e-6);
    assert_false(weir_result_has_drift(&result));
    for (unsigned i = 0; i < 2; i++) {
        rows[i].error_ns = 0;
        rows[i].offset_ns = 0;
    }
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_false(result.clock.is_cross_node);
}

/* Two hosts share one clock. A phase of 1 ms lies between comparisons that are 2 ms apart; they are
 * off by 20 us each, in opposite directions: 18,000 ppm is within what they can be wrong by. */
static void comparisons_that_are_off_make_no_drift_of_a_short_phase(void **state)
{
    static const uint64_t drift_ns[] = {36000, 41000};
    static struct weir_phase_result result;
    struct weir_rank_row rows[4];

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 4; i++) {
            rows[i] = plain_row();
            rows[i].error_ns = i < 2 ? 0 : 20000;
            rows[i].drift_ns = i < 2 ? 0 : (int64_t)drift_ns[k];
            rows[i].drift_span_ns = 2 * MS;
            rows[i].drift_error_ns = i < 2 ? 0 : 40000;
        }
        weir_result_derive(&result, rows, 4, hosts, 0.0);
        assert_true(fabs(result.clock.drift_ppm - (double)drift_ns[k] / 2.0) < 1e-6);
        assert_true(fabs(result.clock.drift_error_ppm - 20000.0) < 1e-6);
        assert_int_equal(weir_result_has_drift(&result), k == 1);
    }
    /* Where nobody compared clocks, none drifts. */
    for (unsigned i = 0; i < 4; i++)
        rows[i].drift_span_ns = 0;
    weir_result_derive(&result, rows, 4, hosts, 0.0);
    assert_seconds(result.clock.drift_ppm, 0.0);
}

/* Rates of the clocks of one to four nodes in ppm against the first one's, and the node that is
 * named; "": a pair. */
static void the_node_whose_clock_stands_alone_is_named(void **state)
{
    static const struct {
        unsigned count;
        int ppm[4];
        int kernel_ppm; /* of the last node, against its own kernel */
        const char *odd;
        bool is_pair;
        int odd_ppm;
    } cases[] = {
        {4, {0, 5, 9000, -5}, 0, "c", false, 8995},
        {4, {0, 8000, 8010, 7990}, 0, "a", false, -7990}, /* the first node itself */
        {3, {0, 10, -2000}, 0, "c", false, -2000},
        {2, {0, 900}, 0, "b", true, 900},
        {4, {0, 0, 5000, 5000}, 0, "d", true, 5000}, /* nobody stands alone */
        {2, {0, 900}, 900, "b", false, 900},
        {1, {0}, -10000, "a", false, -10000},
    };
    static const char *const names[] = {"a", "b", "c", "d"};

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        static struct weir_phase_result result;
        struct weir_rank_row rows[4];

        for (unsigned i = 0; i < cases[k].count; i++) {
            rows[i] = plain_row();
            rows[i].node = i;
            rows[i].error_ns = i > 0 ? 1000 : 0;
            rows[i].drift_ns = -cases[k].ppm[i] * 1000; /* in a second */
            rows[i].drift_span_ns = 1000 * MS;
            rows[i].drift_error_ns = i > 0 ? 2000 : 0;
        }
        rows[cases[k].count - 1].execution.clock_ppm = cases[k].kernel_ppm;
        rows[cases[k].count - 1].execution.clock_error_ppm = 1.0;
        weir_result_derive(&result, rows, cases[k].count, names, 0.0);
        assert_string_equal(result.clock.odd_host, cases[k].odd);
        assert_int_equal(result.clock.odd_other[0] != '\0', cases[k].is_pair);
        assert_int_equal(lround(result.clock.odd_ppm), cases[k].odd_ppm);
        assert_int_equal(result.clock.is_against_kernel, cases[k].kernel_ppm != 0);
    }
}

/* As IOR tells it: what ranks had done when they were done. */
static void a_deadline_that_nobody_saw_has_figures_too(void **state)
{
    static struct weir_phase_result result;
    struct weir_rank_row rows[2] = {plain_row(), plain_row()};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        rows[i].has_deadline = 1;
        rows[i].stonewall_ns = (i + 1) * (uint64_t)MS;
    }
    rows[1].op_count = 8;
    rows[1].byte_count = 8192;
    weir_result_derive(&result, rows, 2, hosts, 0.0);
    assert_true(result.stonewall.has_deadline);
    assert_false(result.stonewall.is_hit);
    assert_int_equal(result.stonewall.ops_min, 8);
    assert_int_equal(result.stonewall.ops_max, 10);
    assert_int_equal(result.stonewall.bytes_min, 8192);
    assert_seconds(result.stonewall.bytes_mean, 9216.0);
    assert_seconds(result.stonewall.seconds, 0.0015);
}

static struct weir_mismatch mismatch_at(uint64_t file_number, uint64_t offset)
{
    return (struct weir_mismatch){
        .kind = WEIR_MISMATCH_STALE, .file_number = file_number, .offset = offset, .bytes = 512};
}

static void merged_mismatches_are_the_first_by_place(void **state)
{
    static struct weir_mismatch_log a;
    static struct weir_mismatch_log b;

    (void)state;
    for (uint64_t i = 0; i < WEIR_MISMATCHES_KEPT + 4; i++) {
        struct weir_mismatch late = mismatch_at(1, 1000 - i);
        struct weir_mismatch early = mismatch_at(0, i);

        weir_mismatch_log_add(&a, &late);
        if (i < 2)
            weir_mismatch_log_add(&b, &early);
    }
    assert_int_equal(a.kept, WEIR_MISMATCHES_KEPT);
    weir_mismatch_log_merge(&a, &b);
    assert_int_equal(a.kept, WEIR_MISMATCHES_KEPT);
    assert_int_equal(a.kinds[WEIR_MISMATCH_STALE], WEIR_MISMATCHES_KEPT + 6);
    assert_int_equal(a.wrong_bytes, 512 * (WEIR_MISMATCHES_KEPT + 6));
    assert_int_equal(a.first[0].file_number, 0);
    assert_int_equal(a.first[1].offset, 1);
    assert_int_equal(a.first[2].file_number, 1);
    for (unsigned i = 3; i < a.kept; i++)
        assert_true(a.first[i].offset > a.first[i - 1].offset);
}

static void every_kind_of_mismatch_has_its_name(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WEIR_MISMATCH_KIND_COUNT; i++)
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(weir_mismatch_name((enum weir_mismatch_kind)i),
                                    weir_mismatch_name((enum weir_mismatch_kind)j));
}

static void a_tally_keeps_the_first_failure(void **state)
{
    static const struct weir_tally_parts parts = {.verbs = 1u << 3};
    struct weir_tally tally;

    (void)state;
    assert_int_equal(weir_tally_open(&tally, weir_tally_histograms(&parts)), 0);
    weir_tally_reset(&tally, 77, &parts);
    assert_int_equal(tally.series.start_ns, 77);
    assert_true(tally.verbs[3].latency->min_ns == UINT64_MAX);
    assert_int_equal(weir_tally_errors(&tally), 0);
    weir_tally_fail(&tally, 3, -5, 4096);
    weir_tally_fail(&tally, 0, -28, 8192);
    assert_int_equal(weir_tally_errors(&tally), 2);
    assert_int_equal(tally.verbs[3].error_count, 1);
    assert_int_equal(tally.first_error, -5);
    assert_int_equal(tally.first_error_offset, 4096);
    weir_tally_close(&tally);
}

static void a_tally_has_the_histograms_that_its_phase_needs(void **state)
{
    static const struct weir_tally_parts one = {.verbs = 1u << 1};
    static const struct weir_tally_parts both = {
        .verbs = 1u << 0 | 1u << 1, .has_submission = true, .has_response = true};
    struct weir_tally tally;

    (void)state;
    assert_int_equal(weir_tally_histograms(&one), 1);
    assert_int_equal(weir_tally_histograms(&both), 5);
    assert_int_equal(weir_tally_open(&tally, 5), 0);
    weir_tally_reset(&tally, 0, &both);
    assert_non_null(tally.submission);
    assert_non_null(tally.response);
    weir_tally_add(&tally, 0, 10);
    weir_tally_add(&tally, 0, 1000);
    weir_tally_add(&tally, 1, 20);
    tally.verbs[1].byte_count = 7;
    tally.partial_bytes = 2;
    assert_int_equal(weir_tally_ops(&tally), 3);
    assert_int_equal(weir_tally_bytes(&tally), 9);
    assert_int_equal(tally.latency->total, 0);
    weir_tally_join(&tally);
    assert_int_equal(tally.latency->total, 3);
    assert_int_equal(tally.latency->max_ns, 1000);
    assert_int_equal(tally.verbs[0].latency->total, 2);
    /* The next phase uses the same memory. */
    weir_tally_reset(&tally, 0, &one);
    assert_null(tally.verbs[0].latency);
    assert_null(tally.submission);
    assert_null(tally.response);
    weir_tally_add(&tally, 1, 5);
    weir_tally_join(&tally);
    assert_ptr_equal(tally.latency, tally.verbs[1].latency);
    assert_int_equal(tally.latency->total, 1);
    assert_int_equal(weir_tally_ops(&tally), 1);
    weir_tally_close(&tally);
}

static void phases_stay_whole_while_the_result_grows(void **state)
{
    struct weir_result *result = weir_result_open(2);

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        struct weir_phase_result *phase = weir_result_add_phase(result);

        assert_int_equal(phase->op_count, 0);
        assert_int_equal(phase->latency->total, 0);
        assert_int_equal(phase->response->total, 0);
        assert_true(phase->response->min_ns == UINT64_MAX);
        assert_int_equal(phase->write_latency->total, 0);
        assert_int_equal(phase->read_latency->total, 0);
        phase->phase = i;
        weir_histogram_add(phase->latency, i);
        weir_result_find(phase, WEIR_FINDING_SHORT, "phase %u", i);
    }
    for (unsigned i = 0; i < 100; i++) {
        char text[16];

        snprintf(text, sizeof text, "phase %u", i);
        assert_int_equal(result->phases[i].phase, i);
        assert_int_equal(result->phases[i].latency->max_ns, i);
        assert_string_equal(result->phases[i].findings[0].text, text);
    }
    weir_result_close(result);
    weir_result_close(NULL);
}

/* A warning that comes after many notes is a warning all the same. */
static void no_finding_is_left_out(void **state)
{
    struct weir_result *result = weir_result_open(1);
    struct weir_phase_result *phase = weir_result_add_phase(result);

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        weir_result_find(phase, WEIR_FINDING_SHORT, "%u and %0400u", i, i);
    weir_result_find(phase, WEIR_FINDING_STALL, "100 of them");
    assert_int_equal(phase->finding_count, 101);
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(strtoul(phase->findings[i].text, NULL, 10), i);
    assert_int_equal(strlen(phase->findings[0].text), WEIR_FINDING_TEXT_BYTES - 1);
    assert_int_equal(phase->findings[100].severity, WEIR_WARNING);
    assert_string_equal(phase->findings[100].text, "100 of them");
    weir_result_close(result);
}

static void mark_nothing(struct weir_result *result)
{
    (void)result;
}

static void mark_run_interrupted(struct weir_result *result)
{
    result->is_interrupted = true;
}

static void mark_phase_interrupted(struct weir_result *result)
{
    result->phases[0].is_interrupted = true;
}

static void mark_errors(struct weir_result *result)
{
    result->phases[0].error_count = 1;
}

static void mark_wrong_data(struct weir_result *result)
{
    result->phases[0].mismatches.wrong_transfers = 1;
}

static void mark_partial(struct weir_result *result)
{
    result->phases[0].outcome = WEIR_OUTCOME_PARTIAL;
}

static void mark_skipped_by_the_clock(struct weir_result *result)
{
    result->phases[0].outcome = WEIR_OUTCOME_SKIPPED;
}

static void mark_skipped_after_failure(struct weir_result *result)
{
    result->phases[0].outcome = WEIR_OUTCOME_SKIPPED;
    result->phases[0].failure = "x";
}

static void mark_warning(struct weir_result *result)
{
    weir_result_find(&result->phases[0], WEIR_FINDING_CPU_CACHE, "read from memory");
}

static void mark_short(struct weir_result *result)
{
    result->phases[0].short_count = 3;
}

static void exit_code_tells_flaws_from_limits(void **state)
{
    static const struct {
        void (*mark)(struct weir_result *result);
        int code;
    } cases[] = {
        {mark_nothing, 0},
        {mark_run_interrupted, 1},
        {mark_phase_interrupted, 1},
        {mark_errors, 1},
        {mark_wrong_data, 1},
        {mark_partial, 1},
        {mark_skipped_by_the_clock, 0},
        {mark_skipped_after_failure, 1},
        {mark_warning, 0},
        {mark_short, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_result *result = weir_result_open(1);

        weir_result_add_phase(result);
        cases[i].mark(result);
        assert_int_equal(weir_result_judge(result), cases[i].code);
        weir_result_close(result);
    }
}

/* A record of a phase that has been shown, with one finding. */
static struct weir_phase_result keep(struct weir_result *result, unsigned phase,
                                     enum weir_severity severity, const char *text,
                                     bool keeps_each_note)
{
    struct weir_phase_result *record = weir_result_begin_phase(result);

    record->arena = &result->shown;
    record->phase = phase;
    record->granted = "a ring";
    weir_result_find_as(record, WEIR_FINDING_SHORT, severity, WEIR_QUALIFY, "%s", text);
    weir_result_keep_phase(result, keeps_each_note);
    return result->phases[result->phase_count - 1];
}

static void repetitions_keep_what_they_have_in_common_once(void **state)
{
    struct weir_result *result = weir_result_open(1);
    struct weir_phase_result first = keep(result, 0, WEIR_NOTE, "1 ms", false);
    struct weir_phase_result other = keep(result, 1, WEIR_NOTE, "2 ms", false);
    struct weir_phase_result again = keep(result, 0, WEIR_NOTE, "1 ms", false);
    struct weir_phase_result slower = keep(result, 0, WEIR_NOTE, "3 ms", false);
    struct weir_phase_result each = keep(result, 0, WEIR_NOTE, "4 ms", true);
    struct weir_phase_result warned = keep(result, 0, WEIR_WARNING, "5 ms", false);

    (void)state;
    assert_string_equal(first.findings[0].text, "1 ms");
    assert_string_equal(other.findings[0].text, "2 ms");
    assert_ptr_equal(again.findings, first.findings);
    assert_string_equal(slower.findings[0].text, "3 ms");
    assert_string_equal(each.findings[0].text, "4 ms");
    assert_string_equal(warned.findings[0].text, "5 ms");
    assert_string_equal(first.granted, "a ring");
    assert_ptr_equal(again.granted, first.granted);
    assert_string_equal(first.failure, "");
    weir_result_close(result);
}

static struct weir_histogram *one_time(struct weir_result *result, uint64_t ns)
{
    struct weir_histogram *histogram = weir_arena_take(&result->shown, sizeof *histogram);

    weir_histogram_reset(histogram);
    weir_histogram_add(histogram, ns);
    return histogram;
}

/* A repetition of a cycle of two operations. Returns the record as it was shown, whose texts and
 * times are gone when it is kept. */
static struct weir_phase_result keep_cycle(struct weir_result *result, uint64_t ns,
                                           uint64_t left_count)
{
    struct weir_phase_result *record = weir_result_begin_phase(result);
    struct weir_phase_result shown;

    record->arena = &result->shown;
    record->rank_count = 1;
    record->failure = "";
    record->latency = one_time(result, ns);
    record->verb_count = 2;
    for (unsigned i = 0; i < 2; i++)
        record->verbs[i] = (struct weir_verb_result){.verb = 5 + i,
                                                     .op_count = 1,
                                                     .error_count = i,
                                                     .latency = one_time(result, ns * (i + 1))};
    record->op_count = 2;
    record->rank_ops_min = record->rank_ops_max = ns;
    record->left_count = left_count;
    shown = *record;
    weir_result_keep_phase(result, false);
    return shown;
}

static void times_of_a_cycle_outlive_the_record_that_was_shown(void **state)
{
    struct weir_result *result = weir_result_open(1);
    const struct weir_phase_result shown = keep_cycle(result, 50, 3);
    const struct weir_phase_result *kept = &result->phases[0];

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        assert_ptr_not_equal(kept->verbs[i].latency, shown.verbs[i].latency);
        assert_int_equal(kept->verbs[i].latency->total, 1);
        assert_int_equal(kept->verbs[i].latency->max_ns, 50 * (i + 1));
        assert_int_equal(kept->verbs[i].op_count, 1);
    }
    weir_result_close(result);
}

static void cycles_are_added_up_verb_by_verb(void **state)
{
    struct weir_result *result = weir_result_open(1);
    const struct weir_phase_result *sum;

    (void)state;
    for (unsigned i = 0; i < WEIR_REPETITIONS_KEPT + 10; i++)
        keep_cycle(result, i + 1, 0);
    assert_int_equal(result->phase_count, WEIR_REPETITIONS_KEPT);
    keep_cycle(result, 1, 1); /* directories that were left have a record of their own */
    assert_int_equal(result->phase_count, WEIR_REPETITIONS_KEPT + 1);
    sum = weir_result_history(result, 0, 0)->sum;
    assert_int_equal(sum->op_count, 20);
    assert_int_equal(sum->rank_ops_min, WEIR_REPETITIONS_KEPT + 1);
    assert_int_equal(sum->rank_ops_max, WEIR_REPETITIONS_KEPT + 10);
    assert_int_equal(sum->verb_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sum->verbs[i].verb, 5 + i);
        assert_int_equal(sum->verbs[i].op_count, 10);
        assert_int_equal(sum->verbs[i].error_count, 10 * i);
        assert_int_equal(sum->verbs[i].latency->total, 10);
        assert_int_equal(sum->verbs[i].latency->max_ns, (WEIR_REPETITIONS_KEPT + 10) * (i + 1));
    }
    weir_result_close(result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_keep_what_they_have_in_common_once),
        cmocka_unit_test(times_of_a_cycle_outlive_the_record_that_was_shown),
        cmocka_unit_test(cycles_are_added_up_verb_by_verb),
        cmocka_unit_test(windows_reach_from_the_first_start_to_the_last_stop),
        cmocka_unit_test(data_work_is_within_all_windows),
        cmocka_unit_test(a_close_takes_no_longer_than_between_two_barriers),
        cmocka_unit_test(the_estimate_leaves_out_the_work_of_each_rank),
        cmocka_unit_test(the_stonewall_has_work_on_data_in_it),
        cmocka_unit_test(processor_times_and_blocked_transfers_are_sums),
        cmocka_unit_test(the_rank_that_is_furthest_behind_speaks_for_an_open_loop),
        cmocka_unit_test(data_work_longer_than_the_transfers_leaves_no_negative_time),
        cmocka_unit_test(ranks_that_never_overlap_have_no_common_time),
        cmocka_unit_test(ranks_without_operations_do_not_count_as_fast),
        cmocka_unit_test(no_ranks_or_no_time_give_zeros_and_never_nan),
        cmocka_unit_test(slowest_ranks_are_named_in_order_with_their_hosts),
        cmocka_unit_test(ranks_far_from_the_mean_are_named_by_what_is_far),
        cmocka_unit_test(outliers_are_counted_beyond_the_room_and_only_if_asked_for),
        cmocka_unit_test(a_deadline_that_nobody_saw_has_figures_too),
        cmocka_unit_test(stonewall_counts_what_each_rank_had_done_at_the_deadline),
        cmocka_unit_test(clock_error_is_the_sum_of_the_two_worst_nodes),
        cmocka_unit_test(the_node_whose_clock_stands_alone_is_named),
        cmocka_unit_test(comparisons_that_are_off_make_no_drift_of_a_short_phase),
        cmocka_unit_test(merged_mismatches_are_the_first_by_place),
        cmocka_unit_test(every_kind_of_mismatch_has_its_name),
        cmocka_unit_test(a_tally_keeps_the_first_failure),
        cmocka_unit_test(a_tally_has_the_histograms_that_its_phase_needs),
        cmocka_unit_test(phases_stay_whole_while_the_result_grows),
        cmocka_unit_test(no_finding_is_left_out),
        cmocka_unit_test(exit_code_tells_flaws_from_limits),
    };

    return cmocka_run_group_tests_name("result", tests, NULL, NULL);
}
