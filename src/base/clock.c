/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which clock can be trusted, calibrates it against the kernel's, and waits for an
 * instant. */
#include "weir/base/clock.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define NS_PER_S UINT64_C(1000000000)
#define CALIBRATION_NS UINT64_C(20000000)
#define BRACKET_TRIES 64
/* 8 comparisons of two clocks: the best of these is rarely preempted. */
#define COMPARISONS 8
/* A sleeping thread wakes up about 50 us late with the usual timer slack. */
#define SPIN_NS UINT64_C(60000)
/* While the target is further away than this, other threads of an oversubscribed node may run. */
#define YIELD_NS UINT64_C(20000)

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

#if defined(__x86_64__)

/* The same instant on both clocks. */
struct reading {
    uint64_t ticks;
    uint64_t ns;
};

static bool kernel_trusts_tsc(void)
{
    char source[16] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (!file)
        return false;
    if (!fgets(source, sizeof source, file))
        source[0] = '\0';
    fclose(file);
    return strcmp(source, "tsc\n") == 0;
}

static bool is_tsc_invariant(void)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) && edx & (1u << 8);
}

/* The kernel's clock between two readings of the counter: of several, the one with the least time
 * in between. */
static struct reading read_both(void)
{
    struct reading best = {0};
    uint64_t narrowest = UINT64_MAX;

    for (int i = 0; i < BRACKET_TRIES; i++) {
        uint64_t before = __rdtsc();
        uint64_t ns = weir_clock_kernel_ns();
        uint64_t width = __rdtsc() - before;

        if (width < narrowest) {
            narrowest = width;
            best = (struct reading){.ticks = before + width / 2, .ns = ns};
        }
    }
    return best;
}

static struct reading earliest; /* of this process; all zero: none */

/* The first of two readings that lie CALIBRATION_NS apart, or more. */
static struct reading read_first(void)
{
    struct reading first = earliest.ns != 0 ? earliest : read_both();
    uint64_t age_ns = weir_clock_kernel_ns() - first.ns;
    struct timespec pause = {.tv_nsec = (long)(CALIBRATION_NS - age_ns)};

    while (age_ns < CALIBRATION_NS && clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, &pause) == EINTR)
        ;
    return first;
}

/* Leaves the clock as it is where the counter cannot be trusted. */
static void calibrate_tsc(struct weir_clock *clock)
{
    struct reading first, last;

    if (!is_tsc_invariant() || !kernel_trusts_tsc())
        return;
    first = read_first();
    last = read_both();
    if (last.ticks <= first.ticks || last.ns <= first.ns)
        return;
    clock->multiplier = (uint64_t)(((unsigned __int128)(last.ns - first.ns) << WEIR_CLOCK_SHIFT) /
                                   (last.ticks - first.ticks));
    clock->base_ticks = first.ticks;
    clock->base_ns = first.ns;
    clock->is_tsc = true;
}

#else

static void calibrate_tsc(struct weir_clock *clock)
{
    (void)clock;
}

#endif

void weir_clock_read_early(void)
{
#if defined(__x86_64__)
    earliest = read_both();
#endif
}

void weir_clock_calibrate(struct weir_clock *clock, bool allow_tsc)
{
    *clock = (struct weir_clock){0};
    if (allow_tsc)
        calibrate_tsc(clock);
}

void weir_clock_compare(const struct weir_clock *clock, struct weir_clock_pair *pair)
{
    *pair = (struct weir_clock_pair){.error_ns = UINT64_MAX};
    for (int i = 0; i < COMPARISONS; i++) {
        uint64_t before = weir_clock_ns(clock);
        struct timespec now;
        bool is_known = syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now) == 0;
        uint64_t width = weir_clock_ns(clock) - before;

        if (is_known && width < pair->error_ns)
            *pair = (struct weir_clock_pair){
                .clock_ns = before + width / 2,
                .kernel_ns = (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec,
                .error_ns = width / 2 + 1,
            };
    }
}

double weir_clock_drift_ppm(const struct weir_clock_pair *before,
                            const struct weir_clock_pair *after, double *error_ppm)
{
    double kernel_ns = (double)after->kernel_ns - (double)before->kernel_ns;
    double clock_ns = (double)after->clock_ns - (double)before->clock_ns;

    *error_ppm = 0.0;
    if (before->kernel_ns == 0 || after->kernel_ns == 0 || kernel_ns <= 0.0)
        return 0.0;
    *error_ppm = (double)(before->error_ns + after->error_ns) / kernel_ns * 1e6;
    return (clock_ns - kernel_ns) / kernel_ns * 1e6;
}

const char *weir_clock_name(const struct weir_clock *clock)
{
    return clock->is_tsc ? "tsc" : "monotonic_raw";
}

static void sleep_ns(uint64_t ns)
{
    struct timespec pause = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

void weir_clock_wait(const struct weir_clock *clock, uint64_t until_ns)
{
    uint64_t now = weir_clock_ns(clock);

    while (now < until_ns) {
        uint64_t left = until_ns - now;

        /* The kernel's sleeping clock may run a little faster or slower than ours, and a signal may
         * cut the sleep short: the loop sees to what is left. */
        if (left > SPIN_NS)
            sleep_ns(left - SPIN_NS);
        else if (left > YIELD_NS)
            sched_yield();
        else
            relax();
        now = weir_clock_ns(clock);
    }
}

double weir_wall_clock_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / (double)NS_PER_S;
}
