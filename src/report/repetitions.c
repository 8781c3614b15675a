/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what ran by the phases of the plan, and merges what was repeated often. */
#include "repetitions.h"

#include "ior/figures.h"

#include <assert.h>
#include <math.h>

/* ---- many as one ---- */

static struct weir_histogram *empty_histogram(struct weir_arena *arena)
{
    struct weir_histogram *histogram = weir_arena_take(arena, sizeof *histogram);

    weir_histogram_reset(histogram);
    return histogram;
}

static void merge_histogram(struct weir_histogram *whole, const struct weir_histogram *row)
{
    if (row)
        weir_histogram_merge(whole, row);
}

static void merge_histograms(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    merge_histogram(whole->latency, row->latency);
    merge_histogram(whole->response, row->response);
    merge_histogram(whole->write_latency, row->write_latency);
    merge_histogram(whole->read_latency, row->read_latency);
}

/* A search may find another depth each time: then the mean has none. */
static void merge_load(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    struct weir_pace_result *pace = &whole->pace;

    if (whole->rank_count == 0) { /* nothing is merged yet */
        whole->depth = row->depth;
        whole->batch = row->batch;
    } else if (row->depth != whole->depth || row->batch != whole->batch) {
        whole->depth = 0;
    }
    pace->asked_per_s = fmax(pace->asked_per_s, row->pace.asked_per_s);
    pace->end_lag_s = fmax(pace->end_lag_s, row->pace.end_lag_s);
    pace->max_lag_s = fmax(pace->max_lag_s, row->pace.max_lag_s);
    if (row->pace.max_backlog > pace->max_backlog)
        pace->max_backlog = row->pace.max_backlog;
}

static void merge_slowest(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    if (row->slowest_count == 0 ||
        (whole->slowest_count > 0 && row->slowest[0].seconds <= whole->slowest[0].seconds))
        return;
    whole->slowest[0] = row->slowest[0];
    whole->slowest_count = 1;
}

/* What the nodes moved in the mean, and how much of it was cached in all. */
static void merge_data(struct weir_phase_result *whole, const struct weir_phase_result *row,
                       unsigned count)
{
    struct weir_traffic *traffic = &whole->traffic;

    traffic->has_devices |= row->traffic.has_devices;
    traffic->has_network |= row->traffic.has_network;
    traffic->device_read_bytes += row->traffic.device_read_bytes / count;
    traffic->device_written_bytes += row->traffic.device_written_bytes / count;
    traffic->network_received_bytes += row->traffic.network_received_bytes / count;
    traffic->network_sent_bytes += row->traffic.network_sent_bytes / count;
    whole->residency.asked_bytes += row->residency.asked_bytes;
    whole->residency.resident_bytes += row->residency.resident_bytes;
    whole->test = row->test;
    whole->node_count = row->node_count;
    whole->file_bytes = row->file_bytes;
    whole->expected_bytes = row->expected_bytes;
    whole->node_memory_bytes = row->node_memory_bytes;
}

/* Means of what repetitions took and moved, extremes of their ranks' times. */
static void merge(struct weir_phase_result *whole, const struct weir_phase_result *row,
                  unsigned count)
{
    merge_load(whole, row);
    merge_data(whole, row, count);
    whole->rank_count = row->rank_count;
    whole->op_count += row->op_count;
    whole->byte_count += row->byte_count / count;
    whole->common_s += row->common_s / count;
    whole->data_share += row->data_share / count;
    whole->storage_s += row->storage_s / count;
    whole->cpu_user_s += row->cpu_user_s / count;
    whole->cpu_system_s += row->cpu_system_s / count;
    whole->windows.transfer_s += row->windows.transfer_s / count;
    whole->windows.total_s += row->windows.total_s / count;
    whole->rank_s_min = fmin(whole->rank_s_min, row->rank_s_min);
    whole->rank_s_mean += row->rank_s_mean / count;
    whole->rank_s_max = fmax(whole->rank_s_max, row->rank_s_max);
    merge_histograms(whole, row);
    merge_slowest(whole, row);
}

/* Repetitions that were cut short are left out, unless all were. There is at least one row. */
static const struct weir_phase_result *merged(struct weir_arena *arena,
                                              const struct weir_repetitions *all)
{
    struct weir_phase_result *whole = weir_arena_take(arena, sizeof *whole);
    unsigned complete_count = 0;
    unsigned count;

    for (unsigned i = 0; i < all->row_count; i++)
        complete_count += all->rows[i]->outcome == WEIR_OUTCOME_COMPLETE;
    count = complete_count ? complete_count : all->row_count;
    assert(count > 0);
    whole->latency = empty_histogram(arena);
    whole->response = empty_histogram(arena);
    whole->write_latency = empty_histogram(arena);
    whole->read_latency = empty_histogram(arena);
    whole->rank_s_min = INFINITY;
    for (unsigned i = 0; i < all->row_count; i++)
        if (complete_count == 0 || all->rows[i]->outcome == WEIR_OUTCOME_COMPLETE)
            merge(whole, all->rows[i], count);
    whole->op_count = (whole->op_count + count / 2) / count; /* few are not cut down to none */
    return whole;
}

/* ---- finding them ---- */

static bool is_member(const struct weir_phase_result *candidate, unsigned test,
                      const struct weir_phase *phase)
{
    return candidate->test == test && candidate->phase == phase->number;
}

static unsigned count_members(const struct weir_result *result, unsigned test,
                              const struct weir_phase *phase)
{
    unsigned count = 0;

    for (unsigned i = 0; i < result->phase_count; i++)
        count += is_member(&result->phases[i], test, phase);
    return count;
}

static struct weir_repetitions repetitions_of(struct weir_arena *arena,
                                              const struct weir_plan *plan,
                                              const struct weir_result *result, unsigned test,
                                              const struct weir_phase *phase)
{
    size_t room = (size_t)count_members(result, test, phase) * sizeof(void *);
    struct weir_repetitions all = {.test = test, .phase = phase};

    all.members = weir_arena_take(arena, room);
    all.rows = weir_arena_take(arena, room);
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *candidate = &result->phases[i];

        if (!is_member(candidate, test, phase))
            continue;
        all.members[all.count++] = candidate;
        if (weir_figures_has_row(plan, candidate))
            all.rows[all.row_count++] = candidate;
    }
    if (all.row_count > WEIR_REPETITIONS_SHOWN)
        all.whole = merged(arena, &all);
    return all;
}

struct weir_repetitions *weir_repetitions_find(struct weir_arena *arena,
                                               const struct weir_plan *plan,
                                               const struct weir_result *result, unsigned *count)
{
    struct weir_repetitions *list = weir_arena_take(arena, (plan->phase_count + 1) * sizeof *list);
    unsigned found = 0;

    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test *test = plan->tests[result->tests[i].test];

        for (size_t j = 0; j < test->phase_count; j++)
            list[found++] = repetitions_of(arena, plan, result, test->number, test->phases[j]);
    }
    *count = found;
    return list;
}
