/* SPDX-License-Identifier: Apache-2.0 */
/* Due times of open loops, by a clock that only moves when it is looked at or slept on. */
#include "engine/pace.h"

#include "weir/base/saturate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <sys/prctl.h>

#define SECOND UINT64_C(1000000000)

/* ---- a simulated clock ---- */

static struct {
    uint64_t now_ns;
    uint64_t slept_ns;
    uint64_t signal_at_ns; /* 0: never */
    volatile sig_atomic_t signal;
} world;

static void pass(uint64_t ns)
{
    world.now_ns += ns;
    if (world.signal_at_ns != 0 && world.now_ns >= world.signal_at_ns)
        world.signal = SIGTERM;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *left);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    pass(20);
    *now = (struct timespec){.tv_sec = (time_t)(world.now_ns / SECOND),
                             .tv_nsec = (long)(world.now_ns % SECOND)};
    return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *left)
{
    uint64_t ns = (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;

    (void)clock;
    (void)flags;
    (void)left;
    world.slept_ns += ns;
    pass(ns + 5000);
    return 0;
}

/* ---- pacers ---- */

static void open_pacer(struct weir_pacer *pacer, enum weir_arrivals arrivals, double per_s,
                       uint64_t rank, uint64_t ranks)
{
    const struct weir_rate rate = {.arrivals = arrivals, .per_s = per_s};

    weir_pacer_open(pacer, &(struct weir_pacer_params){.rate = &rate,
                                                       .rank = rank,
                                                       .ranks = ranks,
                                                       .transfer_bytes = 4096,
                                                       .start_ns = 7 * SECOND,
                                                       .seed = 42,
                                                       .limit = UINT64_MAX});
}

static void constant_arrivals_are_at_equal_distances(void **state)
{
    struct weir_pacer pacer;

    (void)state;
    open_pacer(&pacer, WEIR_ARRIVALS_CONSTANT, 3000, 0, 1);
    for (uint64_t i = 0; i < 3000; i++) {
        uint64_t due_ns = 7 * SECOND + i * SECOND / 3000;

        /* Thirds of nanoseconds do not add up to an error. */
        assert_in_range(weir_pacer_next_due(&pacer), due_ns - 1, due_ns + 1);
        weir_pacer_advance(&pacer);
    }
    assert_int_equal(weir_pacer_next_due(&pacer), 8 * SECOND);
    weir_pacer_close(&pacer);
}

/* No double is too large for the clock, and no rate so low or high that arrivals wrap around. */
static void extreme_rates_stay_in_range(void **state)
{
    static const double rates[] = {1e-300, 5e-324, 1e-10, 1e18};
    static const enum weir_arrivals arrivals[] = {WEIR_ARRIVALS_CONSTANT, WEIR_ARRIVALS_POISSON};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof rates / sizeof *rates; i++) {
        const double rate = rates[i / 2];
        struct weir_pacer pacer;

        open_pacer(&pacer, arrivals[i % 2], rate, 1, 2);
        for (int k = 0; k < 3; k++) {
            assert_in_range(weir_pacer_next_due(&pacer), 7 * SECOND,
                            7 * SECOND + (UINT64_C(1) << 63));
            if (rate < 1e-9 && k > 0)
                assert_true(weir_pacer_next_due(&pacer) > 1000 * SECOND);
            weir_pacer_advance(&pacer);
        }
        if (rate < 1e-9)
            assert_int_equal(weir_pacer_backlog(&pacer, 100 * SECOND), 0);
        else
            assert_true(weir_pacer_backlog(&pacer, 100 * SECOND) >= 4093);
        weir_pacer_close(&pacer);
    }
}

/* A pause of a thousand times a call of 20 s is more than 64 bits in between. */
static void parts_of_long_times_do_not_wrap_around(void **state)
{
    (void)state;
    assert_int_equal(weir_parts_of(20 * SECOND, 1000000000, 1000000), 20000 * SECOND);
    assert_int_equal(weir_parts_of(UINT64_MAX, 2, 1), UINT64_MAX);
    assert_int_equal(weir_parts_of(7, 1, 2), 3);
}

static void ranks_of_a_job_take_turns(void **state)
{
    struct weir_pacer pacers[4];

    (void)state;
    for (uint64_t rank = 0; rank < 4; rank++)
        open_pacer(&pacers[rank], WEIR_ARRIVALS_CONSTANT, 1000, rank, 4);
    for (uint64_t i = 0; i < 100; i++) {
        struct weir_pacer *pacer = &pacers[i % 4];

        assert_int_equal(weir_pacer_next_due(pacer), 7 * SECOND + i * SECOND / 1000);
        weir_pacer_advance(pacer);
    }
}

static void rates_in_bytes_and_per_rank_are_told_apart(void **state)
{
    struct weir_pacer_params params = {.ranks = 8, .transfer_bytes = 1 << 20, .limit = UINT64_MAX};
    struct weir_rate rate = {
        .arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 256.0 * (1 << 20), .is_in_bytes = true};
    struct weir_pacer pacer;

    (void)state;
    params.rate = &rate;
    weir_pacer_open(&pacer, &params);
    assert_float_equal(pacer.distance_ns, 1e9 / (256.0 / 8), 1e-3);
    rate.is_per_rank = true;
    weir_pacer_open(&pacer, &params);
    assert_float_equal(pacer.distance_ns, 1e9 / 256, 1e-3);
    rate.is_in_bytes = false;
    weir_pacer_open(&pacer, &params);
    assert_float_equal(pacer.distance_ns, 1e9 / rate.per_s, 1e-3);
}

static void poisson_arrivals_have_their_mean_and_spread(void **state)
{
    const int count = 100000;
    struct weir_pacer pacer;
    uint64_t last_ns = 7 * SECOND;
    double sum = 0, squares = 0;

    (void)state;
    open_pacer(&pacer, WEIR_ARRIVALS_POISSON, 10000, 0, 1);
    for (int i = 0; i < count; i++) {
        double distance = (double)(weir_pacer_next_due(&pacer) - last_ns);

        last_ns = weir_pacer_next_due(&pacer);
        sum += distance;
        squares += distance * distance;
        weir_pacer_advance(&pacer);
    }
    /* Of an exponential distribution mean and deviation are the same; 3 in a thousand is one sigma
     * of the mean. */
    assert_true(fabs(sum / count / 100000 - 1) < 0.015);
    assert_true(fabs(sqrt(squares / count - sum / count * sum / count) / 100000 - 1) < 0.03);
}

static void poisson_arrivals_are_the_same_again_but_not_on_other_ranks(void **state)
{
    struct weir_pacer one, again, other;
    int equal = 0;

    (void)state;
    open_pacer(&one, WEIR_ARRIVALS_POISSON, 10000, 0, 2);
    open_pacer(&again, WEIR_ARRIVALS_POISSON, 10000, 0, 2);
    open_pacer(&other, WEIR_ARRIVALS_POISSON, 10000, 1, 2);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(weir_pacer_next_due(&one), weir_pacer_next_due(&again));
        equal += weir_pacer_next_due(&one) == weir_pacer_next_due(&other);
        weir_pacer_advance(&one);
        weir_pacer_advance(&again);
        weir_pacer_advance(&other);
    }
    assert_true(equal < 3);
}

/* Counts by asking for one due time after the other. */
static uint64_t count_due(enum weir_arrivals arrivals, double per_s, uint64_t now_ns)
{
    struct weir_pacer pacer;
    uint64_t count = 0;

    open_pacer(&pacer, arrivals, per_s, 1, 3);
    while (weir_pacer_next_due(&pacer) <= now_ns) {
        weir_pacer_advance(&pacer);
        count++;
    }
    return count;
}

static void check_backlog(enum weir_arrivals arrivals, double per_s)
{
    struct weir_pacer pacer;
    uint64_t taken = 0;

    open_pacer(&pacer, arrivals, per_s, 1, 3);
    for (uint64_t now_ns = 7 * SECOND; now_ns < 7 * SECOND + SECOND / 10; now_ns += 777777) {
        uint64_t due = count_due(arrivals, per_s, now_ns);

        assert_int_equal(weir_pacer_backlog(&pacer, now_ns), due - taken);
        /* Some are taken, now more and now fewer than became due; never one before its time. */
        for (unsigned i = 0; i < now_ns % 9 && taken < due; i++, taken++)
            weir_pacer_advance(&pacer);
        assert_int_equal(weir_pacer_backlog(&pacer, now_ns), due - taken);
    }
}

static void backlog_is_what_is_due_and_was_not_taken(void **state)
{
    (void)state;
    check_backlog(WEIR_ARRIVALS_CONSTANT, 17000);
    check_backlog(WEIR_ARRIVALS_CONSTANT, 1000);
    check_backlog(WEIR_ARRIVALS_POISSON, 17000);
    check_backlog(WEIR_ARRIVALS_POISSON, 1000);
}

static void nobody_needs_to_ask_for_the_backlog_all_the_time(void **state)
{
    struct weir_pacer pacer;
    struct weir_pacer ahead;

    (void)state;
    open_pacer(&pacer, WEIR_ARRIVALS_POISSON, 1000, 0, 1);
    for (int i = 0; i < 10000; i++)
        weir_pacer_advance(&pacer);
    ahead = pacer;
    for (int i = 0; i < 6; i++)
        weir_pacer_advance(&ahead);
    assert_int_equal(weir_pacer_backlog(&pacer, weir_pacer_next_due(&ahead)), 7);
}

static void backlog_counts_an_arrival_from_the_nanosecond_it_is_due(void **state)
{
    struct weir_pacer pacer;

    (void)state;
    open_pacer(&pacer, WEIR_ARRIVALS_CONSTANT, 3000, 0, 1);
    for (int i = 0; i < 1000; i++) {
        uint64_t due_ns = weir_pacer_next_due(&pacer);

        if (i > 0)
            assert_int_equal(weir_pacer_backlog(&pacer, due_ns - 1), 0);
        assert_int_equal(weir_pacer_backlog(&pacer, due_ns), 1);
        weir_pacer_advance(&pacer);
    }
}

static void nothing_is_due_beyond_the_limit(void **state)
{
    const struct weir_rate rates[] = {{.arrivals = WEIR_ARRIVALS_CONSTANT, .per_s = 1000},
                                      {.arrivals = WEIR_ARRIVALS_POISSON, .per_s = 1000}};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct weir_pacer pacer;

        weir_pacer_open(&pacer,
                        &(struct weir_pacer_params){
                            .rate = &rates[i], .ranks = 1, .transfer_bytes = 1, .limit = 10});
        assert_int_equal(weir_pacer_backlog(&pacer, 100 * SECOND), 10);
        weir_pacer_advance(&pacer);
        assert_int_equal(weir_pacer_backlog(&pacer, 100 * SECOND), 9);
    }
}

static void an_absurd_rate_does_not_hold_up_whoever_asks(void **state)
{
    struct weir_pacer pacer;

    (void)state;
    open_pacer(&pacer, WEIR_ARRIVALS_POISSON, 1e15, 0, 1);
    assert_true(weir_pacer_backlog(&pacer, 1000 * SECOND) >= 4096);
    open_pacer(&pacer, WEIR_ARRIVALS_CONSTANT, 1e12, 0, 1);
    assert_true(weir_pacer_backlog(&pacer, 8 * SECOND) >= UINT64_C(1000000000000));
}

static void resuming_moves_what_is_overdue_to_now(void **state)
{
    struct weir_pacer pacer;

    (void)state;
    open_pacer(&pacer, WEIR_ARRIVALS_CONSTANT, 1000, 0, 1);
    weir_pacer_resume(&pacer, 9 * SECOND);
    assert_int_equal(weir_pacer_next_due(&pacer), 9 * SECOND);
    weir_pacer_advance(&pacer);
    assert_int_equal(weir_pacer_next_due(&pacer), 9 * SECOND + 1000000);
    weir_pacer_resume(&pacer, 9 * SECOND);
    assert_int_equal(weir_pacer_next_due(&pacer), 9 * SECOND + 1000000);
}

static void sleeps_are_punctual_while_a_pacer_is_open(void **state)
{
    struct weir_pacer pacer;

    (void)state;
    prctl(PR_SET_TIMERSLACK, 54321UL);
    open_pacer(&pacer, WEIR_ARRIVALS_CONSTANT, 1000, 0, 1);
    assert_int_equal(prctl(PR_GET_TIMERSLACK), 1);
    weir_pacer_close(&pacer);
    assert_int_equal(prctl(PR_GET_TIMERSLACK), 54321);
}

static void waiting_sleeps_and_spins_only_at_the_end(void **state)
{
    const struct weir_clock clock = {0};

    (void)state;
    world.now_ns = SECOND;
    world.slept_ns = 0;
    weir_pace_wait(&clock, 3 * SECOND, &world.signal);
    assert_true(world.now_ns >= 3 * SECOND);
    assert_true(world.now_ns < 3 * SECOND + 1000);
    assert_true(world.slept_ns > 2 * SECOND - 500000);
}

static void a_signal_ends_waiting(void **state)
{
    const struct weir_clock clock = {0};

    (void)state;
    world.now_ns = SECOND;
    world.signal_at_ns = 2 * SECOND;
    weir_pace_wait(&clock, 1000 * SECOND, &world.signal);
    /* It came in the middle of a sleep, which need not notice. */
    assert_true(world.now_ns >= 2 * SECOND);
    assert_true(world.now_ns < 2 * SECOND + SECOND / 5);
    world.signal_at_ns = 0;
    world.signal = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_arrivals_are_at_equal_distances),
        cmocka_unit_test(extreme_rates_stay_in_range),
        cmocka_unit_test(parts_of_long_times_do_not_wrap_around),
        cmocka_unit_test(ranks_of_a_job_take_turns),
        cmocka_unit_test(rates_in_bytes_and_per_rank_are_told_apart),
        cmocka_unit_test(poisson_arrivals_have_their_mean_and_spread),
        cmocka_unit_test(poisson_arrivals_are_the_same_again_but_not_on_other_ranks),
        cmocka_unit_test(backlog_is_what_is_due_and_was_not_taken),
        cmocka_unit_test(nobody_needs_to_ask_for_the_backlog_all_the_time),
        cmocka_unit_test(backlog_counts_an_arrival_from_the_nanosecond_it_is_due),
        cmocka_unit_test(nothing_is_due_beyond_the_limit),
        cmocka_unit_test(an_absurd_rate_does_not_hold_up_whoever_asks),
        cmocka_unit_test(resuming_moves_what_is_overdue_to_now),
        cmocka_unit_test(sleeps_are_punctual_while_a_pacer_is_open),
        cmocka_unit_test(waiting_sleeps_and_spins_only_at_the_end),
        cmocka_unit_test(a_signal_ends_waiting),
    };

    return cmocka_run_group_tests_name("pace", tests, NULL, NULL);
}
