/* SPDX-License-Identifier: Apache-2.0 */
/* The clock: never backwards, as fast as the kernel's, and never early when it waits. */
#include "weir/base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)

static void does_not_run_backwards(const struct weir_clock *clock)
{
    uint64_t last = weir_clock_ns(clock);

    for (int i = 0; i < 200000; i++) {
        uint64_t now = weir_clock_ns(clock);

        assert_true(now >= last);
        last = now;
    }
}

/* The same instant on both clocks. */
struct instant {
    uint64_t ours;
    uint64_t kernels;
};

/* A busy host may pause us between two readings: of several tries, the quickest. */
static struct instant read_both(const struct weir_clock *clock)
{
    struct instant best = {0};
    uint64_t quickest = UINT64_MAX;

    for (int i = 0; i < 100; i++) {
        uint64_t ours = weir_clock_ns(clock);
        uint64_t kernels = weir_clock_kernel_ns();
        uint64_t taken = weir_clock_ns(clock) - ours;

        if (taken < quickest) {
            quickest = taken;
            best = (struct instant){.ours = ours, .kernels = kernels};
        }
    }
    return best;
}

static void agrees_with_the_kernel(const struct weir_clock *clock)
{
    struct instant first = read_both(clock);
    struct instant last = first;

    assert_true(fabs((double)first.ours - (double)first.kernels) < (double)MS);
    while (last.kernels - first.kernels < 50 * MS)
        last = read_both(clock);
    assert_true(
        fabs((double)(last.ours - first.ours) / (double)(last.kernels - first.kernels) - 1) < 0.01);
}

static void clock_never_runs_backwards(void **state)
{
    struct weir_clock clock;

    (void)state;
    weir_clock_calibrate(&clock, true);
    does_not_run_backwards(&clock);
    weir_clock_calibrate(&clock, false);
    does_not_run_backwards(&clock);
}

static void clock_agrees_with_the_kernel_within_one_percent(void **state)
{
    struct weir_clock clock;

    (void)state;
    weir_clock_calibrate(&clock, true);
    agrees_with_the_kernel(&clock);
    weir_clock_calibrate(&clock, false);
    agrees_with_the_kernel(&clock);
}

static void kernel_clock_is_used_where_asked_for(void **state)
{
    struct weir_clock clock;

    (void)state;
    weir_clock_calibrate(&clock, false);
    assert_false(clock.is_tsc);
    assert_string_equal(weir_clock_name(&clock), "monotonic_raw");
}

static void name_tells_which_clock_is_used(void **state)
{
    struct weir_clock clock;

    (void)state;
    weir_clock_calibrate(&clock, true);
    assert_string_equal(weir_clock_name(&clock), clock.is_tsc ? "tsc" : "monotonic_raw");
}

static void ratio_keeps_its_precision(void **state)
{
    struct weir_clock clock;

    (void)state;
    weir_clock_calibrate(&clock, true);
    if (!clock.is_tsc)
        skip();
    /* 2^30 and more steps: rounding the ratio costs less than one in a billion. */
    assert_true(clock.multiplier >> 30);
}

static void wait_ends_at_or_after_its_instant(void **state)
{
    static const uint64_t waits_ns[] = {0, 1000, 50000, 61000, 2 * MS, 20 * MS};
    struct weir_clock clock;

    (void)state;
    weir_clock_calibrate(&clock, true);
    for (size_t i = 0; i < sizeof waits_ns / sizeof *waits_ns; i++) {
        uint64_t until = weir_clock_ns(&clock) + waits_ns[i];

        weir_clock_wait(&clock, until);
        assert_true(weir_clock_ns(&clock) >= until);
    }
}

static void wait_for_the_past_returns_at_once(void **state)
{
    struct weir_clock clock;
    uint64_t begin;

    (void)state;
    weir_clock_calibrate(&clock, true);
    begin = weir_clock_ns(&clock);
    weir_clock_wait(&clock, begin - 1000 * MS);
    weir_clock_wait(&clock, 0);
    assert_true(weir_clock_ns(&clock) - begin < 500 * MS);
}

static void wall_clock_tells_this_century(void **state)
{
    (void)state;
    assert_true(weir_wall_clock_s() > 1.7e9);
    assert_true(weir_wall_clock_s() < 4.2e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clock_never_runs_backwards),
        cmocka_unit_test(clock_agrees_with_the_kernel_within_one_percent),
        cmocka_unit_test(kernel_clock_is_used_where_asked_for),
        cmocka_unit_test(name_tells_which_clock_is_used),
        cmocka_unit_test(ratio_keeps_its_precision),
        cmocka_unit_test(wait_ends_at_or_after_its_instant),
        cmocka_unit_test(wait_for_the_past_returns_at_once),
        cmocka_unit_test(wall_clock_tells_this_century),
    };

    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
