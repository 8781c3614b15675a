/* SPDX-License-Identifier: Apache-2.0 */
/* Medians, and what is odd beside them. */
#ifndef WEIR_NETWORK_FLOWS_SAMPLES_H
#define WEIR_NETWORK_FLOWS_SAMPLES_H

#include "weir/flows/result.h"

#include <stddef.h>

struct flows_samples {
    double *values;
    size_t count;
};

struct flows_samples flows_samples_open(struct weir_arena *arena, size_t capacity);

static inline void flows_sample(struct flows_samples *samples, double value)
{
    samples->values[samples->count++] = value;
}

/* Of `fraction` of them, which this sorts, none is greater; of two in the middle, their mean. 0 if
 * there is none. */
double flows_percentile(struct flows_samples *samples, double fraction);
static inline double flows_median(struct flows_samples *samples)
{
    return flows_percentile(samples, 0.5);
}

/* A value is odd that is further from the median than both 4 times the median deviation and 10 %.
 */
struct flows_rule {
    double median;
    double room;
};
struct flows_rule flows_rule_of(struct weir_arena *arena, struct flows_samples *samples);
/* Odd in the direction of being slow. */
static inline bool flows_is_odd(const struct flows_rule *rule, double value, bool is_latency)
{
    return (is_latency ? value - rule->median : rule->median - value) > rule->room;
}

/* What a flow is compared by: bytes a second, or the time of a message. */
double flows_value(const struct weir_net_result *result, const struct weir_net_flow_result *flow);

#endif
