/* SPDX-License-Identifier: Apache-2.0 */
/* The clockwork of an open loop: when each transfer is due, whether earlier ones are done or not.
 */
#ifndef WEIR_ENGINE_PACE_H
#define WEIR_ENGINE_PACE_H

#include "weir/base/clock.h"
#include "weir/plan/plan.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct weir_pacer_params {
    const struct weir_rate *rate; /* its arrivals are not those of a closed loop */
    uint64_t rank;
    uint64_t ranks;
    uint64_t transfer_bytes;
    uint64_t start_ns; /* of the load */
    uint64_t seed;     /* of random arrivals: the job's, ranks differ by themselves */
    uint64_t limit;    /* arrivals there are; UINT64_MAX: without end */
};

/* One transfer that is to be made. */
struct weir_arrival {
    uint64_t number; /* from 0 */
    double after_ns; /* the start */
};

struct weir_pacer {
    bool is_poisson;
    uint64_t start_ns;
    uint64_t seed;
    uint64_t limit;
    double first_ns;          /* constant: of arrival 0, so that ranks come in turn */
    double distance_ns;       /* from one arrival to the next; Poisson: on average */
    struct weir_arrival next; /* the first that was not taken yet */
    struct weir_arrival seen; /* the first that was not due when weir_pacer_backlog looked */
    int timer_slack_ns;       /* of the process, before */
};

/* Constant arrivals of rank r of n are at (r / n + i) distances from the start, so that the job's
 * come at equal distances too; Poisson arrivals of n ranks together are Poisson arrivals again.
 * Equal parameters give equal times. Until it is closed, sleeps of this thread end as punctually as
 * the kernel can. */
void weir_pacer_open(struct weir_pacer *pacer, const struct weir_pacer_params *params);
void weir_pacer_close(struct weir_pacer *pacer);

/* When the next transfer is due. */
static inline uint64_t weir_pacer_next_due(const struct weir_pacer *pacer)
{
    return pacer->start_ns + (uint64_t)pacer->next.after_ns;
}

/* The next transfer is on its way: the one after it is the next now. */
void weir_pacer_advance(struct weir_pacer *pacer);

/* How many transfers are due at `now_ns` and not on their way. Exact, unless more than 4096 random
 * ones became due since the last call: then at least that many. `now_ns` must not go back. */
uint64_t weir_pacer_backlog(struct weir_pacer *pacer, uint64_t now_ns);

/* If the next transfer is overdue: it is due at `now_ns`, and all later ones that much later. */
void weir_pacer_resume(struct weir_pacer *pacer, uint64_t now_ns);

/* Sleeps, and spins for the last WEIR_PACE_SPIN_NS, until the clock shows `until_ns` or a signal
 * has set `*stop_signal`. */
void weir_pace_wait(const struct weir_clock *clock, uint64_t until_ns,
                    const volatile sig_atomic_t *stop_signal);

/* A sleep ends up to so much too late. */
#define WEIR_PACE_SPIN_NS UINT64_C(50000)

#endif
