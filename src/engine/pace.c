/* SPDX-License-Identifier: Apache-2.0 */
/* Due times as functions of a counter: nothing is stored, and the same counter gives the same time.
 */
#include "pace.h"

#include "weir/base/random.h"

#include <math.h>
#include <sched.h>
#include <sys/prctl.h>

#define NS_PER_S 1e9
/* A signal that comes just before a sleep does not interrupt it: sleeps are no longer than this. */
#define LONGEST_SLEEP_NS UINT64_C(100000000)
/* While the target is further away than this, other threads of an oversubscribed node may run. */
#define YIELD_NS UINT64_C(20000)
/* 292 years: a rate that is next to nothing makes longer ones, which no clock can show. */
#define LONGEST_NS 0x1p63
/* Most due times that are counted in one call: counting must end under any overload. */
#define STEPS_AT_ONCE 4096

/* ---- arrivals ---- */

/* From arrival `number` - 1 to it, exponentially distributed. */
static double random_distance(const struct weir_pacer *pacer, uint64_t number)
{
    /* In [0, 1), as fine as a double can tell. */
    double fraction = (double)(weir_random_at(pacer->seed, number) >> 11) * 0x1p-53;

    return -log1p(-fraction) * pacer->distance_ns;
}

static double when(const struct weir_pacer *pacer, uint64_t number)
{
    return fmin(pacer->first_ns + (double)number * pacer->distance_ns, LONGEST_NS);
}

static void step(const struct weir_pacer *pacer, struct weir_arrival *arrival)
{
    arrival->number++;
    arrival->after_ns =
        pacer->is_poisson
            ? fmin(arrival->after_ns + random_distance(pacer, arrival->number), LONGEST_NS)
            : when(pacer, arrival->number);
}

static double distance_of(const struct weir_pacer_params *params)
{
    const struct weir_rate *rate = params->rate;
    double per_s = rate->per_s;

    if (rate->is_in_bytes)
        per_s /= (double)params->transfer_bytes;
    if (!rate->is_per_rank)
        per_s /= (double)params->ranks;
    return fmin(NS_PER_S / per_s, LONGEST_NS);
}

void weir_pacer_open(struct weir_pacer *pacer, const struct weir_pacer_params *params)
{
    *pacer = (struct weir_pacer){
        .is_poisson = params->rate->arrivals == WEIR_ARRIVALS_POISSON,
        .start_ns = params->start_ns,
        .seed = weir_random_at(params->seed, params->rank),
        .limit = params->limit,
        .distance_ns = distance_of(params),
        .timer_slack_ns = prctl(PR_GET_TIMERSLACK),
    };
    pacer->first_ns = pacer->is_poisson
                          ? random_distance(pacer, 0)
                          : pacer->distance_ns * (double)params->rank / (double)params->ranks;
    pacer->first_ns = fmin(pacer->first_ns, LONGEST_NS);
    pacer->next.after_ns = pacer->first_ns;
    pacer->seen = pacer->next;
    prctl(PR_SET_TIMERSLACK, 1UL);
}

void weir_pacer_close(struct weir_pacer *pacer)
{
    if (pacer->timer_slack_ns > 0)
        prctl(PR_SET_TIMERSLACK, (unsigned long)pacer->timer_slack_ns);
}

void weir_pacer_advance(struct weir_pacer *pacer)
{
    step(pacer, &pacer->next);
}

/* ---- what waits ---- */

/* How many constant arrivals are due so long after the start. They are due at whole nanoseconds. */
static uint64_t constant_arrivals(const struct weir_pacer *pacer, uint64_t after_ns)
{
    double end_ns = (double)after_ns + 1;
    double exact;
    uint64_t count;

    if (end_ns <= pacer->first_ns)
        return 0;
    exact = ceil((end_ns - pacer->first_ns) / pacer->distance_ns);
    if (exact >= (double)pacer->limit)
        return pacer->limit;
    count = (uint64_t)exact;
    /* The division may be off by its last digit. */
    if (count > 0 && when(pacer, count - 1) >= end_ns)
        return count - 1;
    return when(pacer, count) < end_ns ? count + 1 : count;
}

static void look_at_constant(struct weir_pacer *pacer, uint64_t after_ns)
{
    uint64_t count = constant_arrivals(pacer, after_ns);

    pacer->seen.number = count < pacer->limit ? count : pacer->limit;
}

static void look_at_random(struct weir_pacer *pacer, uint64_t after_ns)
{
    if (pacer->seen.number < pacer->next.number)
        pacer->seen = pacer->next;
    for (int steps = 0; steps < STEPS_AT_ONCE; steps++) {
        if (pacer->seen.number >= pacer->limit || (uint64_t)pacer->seen.after_ns > after_ns)
            return;
        step(pacer, &pacer->seen);
    }
}

uint64_t weir_pacer_backlog(struct weir_pacer *pacer, uint64_t now_ns)
{
    if (now_ns < pacer->start_ns)
        return 0;
    if (pacer->is_poisson)
        look_at_random(pacer, now_ns - pacer->start_ns);
    else
        look_at_constant(pacer, now_ns - pacer->start_ns);
    return pacer->seen.number > pacer->next.number ? pacer->seen.number - pacer->next.number : 0;
}

void weir_pacer_resume(struct weir_pacer *pacer, uint64_t now_ns)
{
    uint64_t due_ns = weir_pacer_next_due(pacer);

    if (due_ns < now_ns)
        pacer->start_ns += now_ns - due_ns;
}

/* ---- waiting ---- */

static void relax(void)
{
#if defined(__x86_64__)
    _mm_pause();
#endif
}

static void sleep_ns(uint64_t ns)
{
    uint64_t length_ns = ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS;
    struct timespec pause = {.tv_nsec = (long)length_ns};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
}

void weir_pace_wait(const struct weir_clock *clock, uint64_t until_ns,
                    const volatile sig_atomic_t *stop_signal)
{
    uint64_t now_ns = weir_clock_ns(clock);

    while (now_ns < until_ns && *stop_signal == 0) {
        uint64_t left_ns = until_ns - now_ns;

        if (left_ns > WEIR_PACE_SPIN_NS)
            sleep_ns(left_ns - WEIR_PACE_SPIN_NS);
        else if (left_ns > YIELD_NS)
            sched_yield();
        else
            relax();
        now_ns = weir_clock_ns(clock);
    }
}
