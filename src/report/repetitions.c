/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what ran by the phases of the plan, and merges what was repeated often. */
#include "repetitions.h"

#include "ior_figures.h"

#include <math.h>

/* ---- many as one ---- */

static void merge_latency(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    if (row->latency)
        weir_histogram_merge(whole->latency, row->latency);
}

static void merge_slowest(struct weir_phase_result *whole, const struct weir_phase_result *row)
{
    if (row->slowest_count == 0 ||
        (whole->slowest_count > 0 && row->slowest[0].seconds <= whole->slowest[0].seconds))
        return;
    whole->slowest[0] = row->slowest[0];
    whole->slowest_count = 1;
}

/* Means of what repetitions took and moved, extremes of their ranks' times. */
static void merge(struct weir_phase_result *whole, const struct weir_phase_result *row,
                  unsigned count)
{
    whole->byte_count += row->byte_count / count;
    whole->wall_s += row->wall_s / count;
    whole->common_s += row->common_s / count;
    whole->data_share += row->data_share / count;
    whole->rank_s_min = fmin(whole->rank_s_min, row->rank_s_min);
    whole->rank_s_mean += row->rank_s_mean / count;
    whole->rank_s_max = fmax(whole->rank_s_max, row->rank_s_max);
    merge_latency(whole, row);
    merge_slowest(whole, row);
}

/* What was cut short says nothing of the others, unless all were. */
static const struct weir_phase_result *merged(struct weir_arena *arena,
                                              const struct weir_repetitions *all)
{
    struct weir_phase_result *whole = weir_arena_take(arena, sizeof *whole);
    unsigned complete_count = 0;

    for (unsigned i = 0; i < all->row_count; i++)
        complete_count += all->rows[i]->outcome == WEIR_OUTCOME_COMPLETE;
    whole->latency = weir_arena_take(arena, sizeof *whole->latency);
    weir_histogram_reset(whole->latency);
    whole->rank_s_min = INFINITY;
    for (unsigned i = 0; i < all->row_count; i++)
        if (complete_count == 0 || all->rows[i]->outcome == WEIR_OUTCOME_COMPLETE)
            merge(whole, all->rows[i], complete_count ? complete_count : all->row_count);
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
