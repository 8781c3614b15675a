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

struct weir_net_measurement *weir_net_result_add(struct weir_net_result *result,
                                                 uint32_t flow_count)
{
    struct weir_net_measurement *measurement;

    result->measurements = grow(&result->arena, result->measurements, sizeof *result->measurements,
                                result->measurement_count, &result->measurement_capacity);
    measurement = &result->measurements[result->measurement_count++];
    measurement->latency = weir_arena_take(&result->arena, sizeof *measurement->latency);
    weir_histogram_reset(measurement->latency);
    measurement->flows =
        weir_arena_take(&result->arena, ((size_t)flow_count + 1) * sizeof *measurement->flows);
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

void weir_net_result_find(struct weir_net_result *result, enum weir_severity severity,
                          const char *name, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    weir_finding_add(&result->arena, &result->findings, &result->finding_count, severity, name,
                     format, arguments);
    va_end(arguments);
}
