/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a net plan over all ranks of a group. */
#ifndef WEIR_NET_NET_H
#define WEIR_NET_NET_H

#include "weir/flows/plan.h"
#include "weir/flows/result.h"
#include "weir/group/group.h"

#include <signal.h>

/* The result keeps what each flow did, up to so many flows of all measurements together; of more,
 * so many of each measurement (weir_net_measurement_reduce). */
#define WEIR_NET_FLOWS_MOST 65536u
#define WEIR_NET_FLOWS_KEPT 16u

/* Where another thread of rank 0 sees how far the measurement that goes on is. All zero before the
 * first one. */
struct weir_net_window {
    const void *run;
};

/* Messages that the flows which this rank drives have completed, *own of *all flows. */
uint64_t weir_net_count_messages(const struct weir_net_window *view, uint64_t *own, uint64_t *all);

struct weir_net_params {
    const struct weir_net_plan *plan;
    struct weir_group *group;
    const struct weir_clock *clock;
    const volatile sig_atomic_t *stop_signal;
    uint64_t flows_most; /* 0: WEIR_NET_FLOWS_MOST */
    /* Of rank 0: its last-level cache, 0 = unknown; and the memory that measuring the copy rate may
     * take, 0 = the copy rate is not measured. */
    uint64_t cache_bytes;
    uint64_t copy_memory_bytes;
    /* Called on rank 0 before each measurement, with the number of those before it and of all,
     * and after it; NULL. */
    void (*measures)(void *context, uint64_t bytes, unsigned done, unsigned all);
    void (*measured)(void *context, const struct weir_net_result *result);
    void *context;
    struct weir_net_window *view; /* NULL = not used */
    void (*ends)(void *context);  /* called on rank 0 before the view is void; NULL */
};

/* Links are made, tried with one full-size message per pair, and measured round by round. `result`
 * is NULL on all ranks but rank 0. A flow that fails fails alone: the others are measured, and the
 * result says so. 0, or an error that all ranks know. Collective. */
int weir_net_run(const struct weir_net_params *params, struct weir_net_result *result,
                 struct weir_error *error);

#endif
