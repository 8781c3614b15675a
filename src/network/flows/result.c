/* SPDX-License-Identifier: Apache-2.0 */
/* What a net run found, put together as it is measured. */
#include "weir/flows/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct weir_net_result *weir_net_result_open(void)
{
    struct weir_arena arena = {0};
    struct weir_net_result *result = weir_arena_take(&arena, sizeof *result);

    result->arena = arena;
    return result;
}

void weir_net_result_close(struct weir_net_result *result)
{
    struct weir_arena arena;

    if (!result)
        return;
    /* The result lies in its own arena. */
    arena = result->arena;
    weir_arena_close(&arena);
}

/* An array with room for one more: what was in it moves along. */
static void *grow(struct weir_arena *arena, void *elements, size_t stride, uint32_t count,
                  uint32_t *capacity)
{
    uint32_t room = *capacity ? 2 * *capacity : 8;
    void *grown;

    if (count < *capacity)
        return elements;
    grown = weir_arena_take(arena, room * stride);
    if (count > 0)
        memcpy(grown, elements, count * stride);
    *capacity = room;
    return grown;
}

void weir_net_result_keep(struct weir_net_result *result, uint32_t flow_count, uint32_t keep)
{
    result->kept_flow_count = keep;
    result->spare_flow_count = flow_count;
    result->spare_flows =
        weir_arena_take(&result->arena, ((size_t)flow_count + 1) * sizeof *result->spare_flows);
    result->spare_latency = weir_arena_take(&result->arena, sizeof *result->spare_latency);
}

/* The next measurement takes the memory of the last one's latencies. */
static void give_up_latency(struct weir_net_result *result)
{
    struct weir_net_measurement *last = &result->measurements[result->measurement_count - 1];
    struct weir_net_latencies *latencies = result->latencies;
    uint32_t i = 0;

    if (last->latency != result->spare_latency)
        return;
    last->latency = NULL;
    if (weir_net_totals_of(result, last).failed_count > 0 || last->is_alone)
        return;
    while (i < result->latency_count && latencies[i].message_bytes != last->message_bytes)
        i++;
    if (i == result->latency_count) {
        result->latencies = latencies =
            grow(&result->arena, latencies, sizeof *latencies, i, &result->latency_capacity);
        latencies[i].message_bytes = last->message_bytes;
        latencies[i].merged = weir_arena_take(&result->arena, sizeof *latencies[i].merged);
        weir_histogram_reset(latencies[i].merged);
        result->latency_count++;
    }
    weir_histogram_merge(latencies[i].merged, result->spare_latency);
}

struct weir_net_measurement *weir_net_result_add(struct weir_net_result *result,
                                                 uint32_t flow_count)
{
    bool is_spare = result->kept_flow_count > 0 && flow_count <= result->spare_flow_count;
    struct weir_net_measurement *measurement;

    if (is_spare && result->measurement_count > 0)
        give_up_latency(result);

    result->measurements = grow(&result->arena, result->measurements, sizeof *result->measurements,
                                result->measurement_count, &result->measurement_capacity);
    measurement = &result->measurements[result->measurement_count++];
    measurement->latency = is_spare ? result->spare_latency
                                    : weir_arena_take(&result->arena, sizeof *measurement->latency);
    weir_histogram_reset(measurement->latency);
    measurement->flows = is_spare ? result->spare_flows
                                  : weir_arena_take(&result->arena, ((size_t)flow_count + 1) *
                                                                        sizeof *measurement->flows);
    memset(measurement->flows, 0, flow_count * sizeof *measurement->flows);
    measurement->flow_count = flow_count;
    for (uint32_t i = 0; i < flow_count; i++)
        measurement->flows[i].failure = "";
    return measurement;
}

void weir_net_result_add_interval(struct weir_net_result *result,
                                  const struct weir_net_interval *interval)
{
    result->intervals = grow(&result->arena, result->intervals, sizeof *result->intervals,
                             result->interval_count, &result->interval_capacity);
    result->intervals[result->interval_count++] = *interval;
}

void weir_net_result_find(struct weir_net_result *result, enum weir_finding_kind kind,
                          const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    weir_finding_add(&result->arena, &result->findings, &result->finding_count, kind,
                     weir_finding_rows[kind].severity, weir_finding_rows[kind].effect, format,
                     arguments);
    va_end(arguments);
}

void weir_net_result_find_as(struct weir_net_result *result, enum weir_finding_kind kind,
                             enum weir_severity severity, enum weir_effect effect,
                             const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    weir_finding_add(&result->arena, &result->findings, &result->finding_count, kind, severity,
                     effect, format, arguments);
    va_end(arguments);
}
