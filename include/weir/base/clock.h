/* SPDX-License-Identifier: Apache-2.0 */
/* The monotonic clock of one node, in nanoseconds: the time stamp counter where it can be trusted,
 * else the kernel's clock. Two processes of one node that share a calibration read the same
 * clock. */
#ifndef WEIR_BASE_CLOCK_H
#define WEIR_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Of the multiplier: a fixed shift is one instruction, and 40 bits keep the ratio to better than
 * one in a billion. */
#define WEIR_CLOCK_SHIFT 40

/* Plain data: a node's first rank calibrates and hands a copy to the others.
 * Nanoseconds are base_ns + ((ticks - base_ticks) * multiplier >> WEIR_CLOCK_SHIFT). */
struct weir_clock {
    bool is_tsc; /* else CLOCK_MONOTONIC_RAW */
    uint64_t multiplier;
    uint64_t base_ticks;
    uint64_t base_ns; /* CLOCK_MONOTONIC_RAW at base_ticks: both kinds tell nearly the same time */
};

/* The first reading of a calibration in this process, which then need not wait for another one. */
void weir_clock_read_early(void);

/* Calibrates over the time since weir_clock_read_early, at least 20 ms, or for 20 ms. The time
 * stamp counter is used if the processor calls it invariant and the kernel itself runs on it;
 * `allow_tsc` false asks for the kernel's clock. Never fails. */
void weir_clock_calibrate(struct weir_clock *clock, bool allow_tsc);

/* "tsc" or "monotonic_raw". */
const char *weir_clock_name(const struct weir_clock *clock);

static inline uint64_t weir_clock_kernel_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Nanoseconds now. Costs one counter read and one multiplication. */
static inline uint64_t weir_clock_ns(const struct weir_clock *clock)
{
#if defined(__x86_64__)
    if (__builtin_expect(clock->is_tsc, 1)) {
        unsigned __int128 ticks = __rdtsc() - clock->base_ticks;

        return clock->base_ns + (uint64_t)(ticks * clock->multiplier >> WEIR_CLOCK_SHIFT);
    }
#endif
    (void)clock;
    return weir_clock_kernel_ns();
}

/* The same instant on a clock and on CLOCK_MONOTONIC_RAW. The latter is read by a system call,
 * which a library that replaces clock_gettime (LD_PRELOAD) does not intercept. */
struct weir_clock_pair {
    uint64_t clock_ns;
    uint64_t kernel_ns; /* 0 = the kernel did not answer */
    uint64_t error_ns;  /* upper bound of the time between the two readings */
};

/* Reads both clocks, which takes some microseconds. */
void weir_clock_compare(const struct weir_clock *clock, struct weir_clock_pair *pair);

/* Returns the parts per million by which the clock ran faster than the kernel's between two
 * comparisons, and sets *error_ppm to the bound of their error; both 0 = unknown. */
double weir_clock_drift_ppm(const struct weir_clock_pair *before,
                            const struct weir_clock_pair *after, double *error_ppm);

/* Sleeps, then spins for the last stretch, until the clock shows `until_ns`. */
void weir_clock_wait(const struct weir_clock *clock, uint64_t until_ns);

/* Wall-clock time in seconds since 1970. For dates in reports only: never subtracted to time
 * anything. */
double weir_wall_clock_s(void);

#endif
