/* SPDX-License-Identifier: Apache-2.0 */
/* What the flows of a measurement make together, and which of them are kept where there are too
 * many: those that failed or had wrong data, then the slowest. */
#include "samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair is odd beyond both of these. */
#define ODD_DEVIATIONS 4.0
#define ODD_PART 0.1

/* ---- samples ---- */

struct flows_samples flows_samples_open(struct weir_arena *arena, size_t capacity)
{
    return (struct flows_samples){.values =
                                      weir_arena_take(arena, (capacity + 1) * sizeof(double))};
}

static int compare_values(const void *first, const void *second)
{
    double a = *(const double *)first;
    double b = *(const double *)second;

    return (a > b) - (a < b);
}

double flows_percentile(struct flows_samples *samples, double fraction)
{
    double place = fraction * (double)samples->count;
    size_t at = (size_t)place;

    if (samples->count == 0)
        return 0;
    qsort(samples->values, samples->count, sizeof *samples->values, compare_values);
    if ((double)at < place || at == 0)
        return samples->values[at];
    return (samples->values[at - 1] + samples->values[at]) / 2;
}

struct flows_rule flows_rule_of(struct weir_arena *arena, struct flows_samples *samples)
{
    struct flows_samples deviations = flows_samples_open(arena, samples->count);
    double median = flows_median(samples);

    for (size_t i = 0; i < samples->count; i++)
        flows_sample(&deviations, fabs(samples->values[i] - median));
    return (struct flows_rule){median,
                               fmax(ODD_DEVIATIONS * flows_median(&deviations), ODD_PART * median)};
}

/* ---- totals ---- */

static double flow_rate(const struct weir_net_flow_result *flow)
{
    return flow->seconds > 0 ? (double)flow->byte_count / flow->seconds : 0;
}

double flows_value(const struct weir_net_result *result, const struct weir_net_flow_result *flow)
{
    return result->is_latency ? flow->latency_median_s : flow_rate(flow);
}

bool weir_net_flow_is_inside(const struct weir_net_result *result,
                             const struct weir_net_flow_result *flow)
{
    return result->ranks != NULL && flow->source < result->rank_count &&
           flow->sink < result->rank_count &&
           strcmp(result->ranks[flow->source].host, result->ranks[flow->sink].host) == 0;
}

static void add_flow(const struct weir_net_result *result, const struct weir_net_flow_result *flow,
                     struct weir_net_totals *totals)
{
    bool has_failed = weir_net_flow_has_failed(flow);

    totals->flow_count++;
    totals->failed_count += has_failed;
    totals->inside_count += weir_net_flow_is_inside(result, flow);
    totals->message_count += flow->message_count;
    totals->wrong_count += flow->wrong_count;
    totals->peak_bytes_per_s = fmax(totals->peak_bytes_per_s, flow->peak_bytes_per_s);
    totals->fastest_bytes_per_s = fmax(totals->fastest_bytes_per_s, flow_rate(flow));
    /* A flow that failed has no rate that says anything, unless all did. */
    if (!has_failed)
        totals->slowest_bytes_per_s = fmin(totals->slowest_bytes_per_s, flow_rate(flow));
    if (flow->retransmit_count == UINT64_MAX)
        return;
    /* Of TCP, every flow has its own; of verbs, the port's, which flows of one rank share. */
    if (totals->retransmit_count == UINT64_MAX)
        totals->retransmit_count = 0;
    if (strcmp(result->provider, "verbs") != 0)
        totals->retransmit_count += flow->retransmit_count;
    else if (flow->retransmit_count > totals->retransmit_count)
        totals->retransmit_count = flow->retransmit_count;
}

struct weir_net_totals weir_net_totals_of(const struct weir_net_result *result,
                                          const struct weir_net_measurement *measurement)
{
    struct weir_net_totals totals = {.retransmit_count = UINT64_MAX,
                                     .slowest_bytes_per_s = INFINITY};

    if (measurement->totals != NULL)
        return *measurement->totals;
    for (uint32_t i = 0; i < measurement->flow_count; i++)
        add_flow(result, &measurement->flows[i], &totals);
    if (!isfinite(totals.slowest_bytes_per_s))
        totals.slowest_bytes_per_s = 0;
    return totals;
}

/* ---- leaving flows out ---- */

struct rank_of_flow {
    double badness;
    uint32_t place;
};

static int compare_badness(const void *first, const void *second)
{
    const struct rank_of_flow *a = first, *b = second;

    if (a->badness != b->badness)
        return a->badness < b->badness ? 1 : -1;
    return (a->place > b->place) - (a->place < b->place);
}

/* The places of its flows, worst first; and what those that did not fail are like. */
static struct rank_of_flow *sort_flows(struct weir_arena *arena,
                                       const struct weir_net_result *result,
                                       const struct weir_net_measurement *measurement,
                                       struct weir_net_totals *totals)
{
    struct flows_samples samples = flows_samples_open(arena, measurement->flow_count);
    struct rank_of_flow *ranks =
        weir_arena_take(arena, (measurement->flow_count + 1) * sizeof *ranks);
    struct flows_rule rule;

    for (uint32_t i = 0; i < measurement->flow_count; i++) {
        const struct weir_net_flow_result *flow = &measurement->flows[i];
        double value = flows_value(result, flow);

        ranks[i].place = i;
        ranks[i].badness = weir_net_flow_has_failed(flow) ? INFINITY
                           : flow->wrong_count > 0        ? 1e300
                           : result->is_latency           ? value
                                                          : -value;
        if (!weir_net_flow_has_failed(flow))
            flows_sample(&samples, value);
    }
    qsort(ranks, measurement->flow_count, sizeof *ranks, compare_badness);
    rule = flows_rule_of(arena, &samples);
    totals->median = rule.median;
    totals->odd_beyond = rule.room;
    totals->first_percentile = flows_percentile(&samples, 0.01);
    totals->last_percentile = flows_percentile(&samples, 0.99);
    for (size_t i = 0; i < samples.count; i++)
        totals->odd_count += flows_is_odd(&rule, samples.values[i], result->is_latency);
    return ranks;
}

void weir_net_measurement_reduce(struct weir_net_result *result,
                                 struct weir_net_measurement *measurement, uint32_t keep)
{
    struct weir_net_totals *totals = weir_arena_take(&result->arena, sizeof *totals);
    uint32_t count = measurement->flow_count < keep ? measurement->flow_count : keep;
    struct weir_net_flow_result *kept = weir_arena_take(&result->arena, (count + 1) * sizeof *kept);
    double latency[WEIR_NET_LATENCY_COUNT];
    struct weir_arena arena = {0};
    struct rank_of_flow *ranks;

    *totals = weir_net_totals_of(result, measurement);
    ranks = sort_flows(&arena, result, measurement, totals);
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = measurement->flows[ranks[i].place];
        kept[i].failure =
            kept[i].failure[0] == '\0' ? "" : weir_arena_copy(&result->arena, kept[i].failure);
    }
    weir_net_latency_describe(measurement->latency, latency);
    totals->latency_median_s = latency[WEIR_NET_LATENCY_MEDIAN];
    totals->latency_max_s = latency[WEIR_NET_LATENCY_MAX];
    measurement->totals = totals;
    measurement->flows = kept;
    measurement->flow_count = count;
    weir_arena_close(&arena);
}
