/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what ran by the phases of the plan, and merges what was repeated often. */
#include "repetitions.h"

#include "figures.h"

#include <assert.h>
#include <math.h>

/* ---- many as one ---- */

static struct weir_histogram *empty_histogram(struct weir_arena *arena)
{
    struct weir_histogram *histogram = weir_arena_take(arena, sizeof *histogram);

    weir_histogram_reset(histogram);
    return histogram;
}

/* Those of the repetition in which one was the slowest. */
static void take_slow_directories(struct weir_phase_result *whole,
                                  const struct weir_repetitions *all)
{
    for (unsigned i = 0; i < all->row_count; i++) {
        const struct weir_phase_result *row = all->rows[i];

        if (row->slow_directory_count == 0 ||
            row->slow_directories[0].mean_s <= whole->slow_directories[0].mean_s)
            continue;
        whole->slow_directory_count = row->slow_directory_count;
        for (unsigned k = 0; k < row->slow_directory_count; k++)
            whole->slow_directories[k] = row->slow_directories[k];
    }
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
    count = complete_count ? complete_count + all->folded_count : all->row_count;
    assert(count > 0);
    whole->latency = empty_histogram(arena);
    whole->response = empty_histogram(arena);
    whole->write_latency = empty_histogram(arena);
    whole->read_latency = empty_histogram(arena);
    whole->verb_count = all->rows[0]->verb_count;
    for (unsigned i = 0; i < whole->verb_count; i++) {
        whole->verbs[i].verb = all->rows[0]->verbs[i].verb;
        whole->verbs[i].latency = empty_histogram(arena);
    }
    whole->rank_s_min = INFINITY;
    for (unsigned i = 0; i < all->row_count; i++)
        if (complete_count == 0 || all->rows[i]->outcome == WEIR_OUTCOME_COMPLETE)
            weir_result_merge(whole, all->rows[i], count);
    if (complete_count > 0 && all->history != NULL)
        weir_result_merge(whole, all->history->sum, count);
    take_slow_directories(whole, all);
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

    all.history = weir_result_history(result, test, phase->number);
    all.folded_count = all.history != NULL ? all.history->total_s.count : 0;
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
