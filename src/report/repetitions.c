/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what ran by the phases of the plan, and merges what was repeated often. */
#include "repetitions.h"
#include "figures.h"
#include "repetitions.h"

#include <assert.h>
#include <math.h>

/* ---- many as one ---- */

static struct weir_histogram *empty_histogram(struct weir_arena *arena)
{
    struct weir_histogram *histogram = weir_arena_take(arena, sizeof *histogram);

    weir_histogram_reset(histogram);
    return histogram;
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
    /* Those of the repetition in which one was the slowest. */
    for (unsigned i = 0; i < all->row_count; i++) {
        const struct weir_phase_result *row = all->rows[i];

        if (row->slow_directory_count == 0 ||
            row->slow_directories[0].mean_s <= whole->slow_directories[0].mean_s)
            continue;
        whole->slow_directory_count = row->slow_directory_count;
        for (unsigned k = 0; k < row->slow_directory_count; k++)
            whole->slow_directories[k] = row->slow_directories[k];
    }
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

/* ---- a test against the one before it ---- */

/* Of the mean of a test's rates. */
struct mean {
    double value;
    double variance; /* that of a sample, over the number of values */
    unsigned freedom;
};

static struct mean mean_of(const struct weir_sums *sums)
{
    struct weir_spread spread = weir_figures_spread(sums);
    unsigned freedom = sums->count - 1;

    return (struct mean){.value = spread.mean,
                         .variance = freedom > 0 ? spread.stddev * spread.stddev / freedom : 0.0,
                         .freedom = freedom};
}

/* How far a sum of two estimates of these variances may be off in 95 of 100 cases, with Welch's
 * degrees of freedom: quantiles of Student's t distribution, beyond the table nearly. */
static double margin_of(double one, unsigned one_freedom, double other, unsigned other_freedom)
{
    static const double quantiles[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};
    const unsigned known = sizeof quantiles / sizeof *quantiles;
    double sum = one + other, freedom;

    if (!(sum > 0.0))
        return 0.0;
    freedom = round(sum * sum / (one * one / one_freedom + other * other / other_freedom));
    if (freedom > known)
        return (1.96 + 2.5 / freedom) * sqrt(sum);
    return quantiles[freedom > 1.0 ? (unsigned)freedom - 1 : 0] * sqrt(sum);
}

static struct weir_sums rates_of(const struct weir_repetitions *all)
{
    struct weir_sums sums = {.count = 0};

    for (unsigned i = 0; i < all->row_count; i++)
        if (all->rows[i]->outcome == WEIR_OUTCOME_COMPLETE &&
            !weir_figures_has_failed(all->rows[i]))
            weir_sums_add(&sums, weir_figures_ops_per_s(all->phase, all->rows[i]));
    return sums;
}

static struct weir_comparison compare(const struct weir_repetitions *all,
                                      const struct weir_sums *now, const struct weir_sums *then)
{
    struct mean here = mean_of(now), there = mean_of(then);
    struct weir_comparison made = {.all = all,
                                   .count = now->count,
                                   .before_count = then->count,
                                   .ops_per_s = here.value,
                                   .before_ops_per_s = there.value,
                                   .ratio = here.value / there.value};

    made.is_known = now->count >= WEIR_COMPARISON_LEAST && then->count >= WEIR_COMPARISON_LEAST;
    if (!made.is_known)
        return made;
    made.margin =
        made.ratio * margin_of(here.variance / (here.value * here.value), here.freedom,
                               there.variance / (there.value * there.value), there.freedom);
    /* Of rates that differ much among themselves the ratio says little. */
    made.differs = fabs(here.value - there.value) >
                   margin_of(here.variance, here.freedom, there.variance, there.freedom);
    return made;
}

/* The phase at the same place of the test before. */
static const struct weir_repetitions *before(const struct weir_plan *plan,
                                             const struct weir_repetitions *phases,
                                             unsigned phase_count,
                                             const struct weir_repetitions *all)
{
    const struct weir_test *test = plan->tests[all->test], *other;
    size_t place = 0;

    if (!test->is_compared || test->number == 0 || all->phase->names.item == NULL)
        return NULL;
    other = plan->tests[test->number - 1];
    while (place < test->phase_count && test->phases[place] != all->phase)
        place++;
    if (place >= test->phase_count || place >= other->phase_count ||
        other->phases[place]->verb != all->phase->verb)
        return NULL;
    for (unsigned i = 0; i < phase_count; i++)
        if (phases[i].test == other->number && phases[i].phase == other->phases[place])
            return &phases[i];
    return NULL;
}

struct weir_comparison *weir_comparisons_find(struct weir_arena *arena,
                                              const struct weir_plan *plan,
                                              const struct weir_repetitions *phases,
                                              unsigned phase_count, unsigned *count)
{
    struct weir_comparison *list = weir_arena_take(arena, (phase_count + 1) * sizeof *list);

    *count = 0;
    for (unsigned i = 0; i < phase_count; i++) {
        const struct weir_repetitions *other = before(plan, phases, phase_count, &phases[i]);
        struct weir_sums now = rates_of(&phases[i]), then;

        if (other == NULL)
            continue;
        then = rates_of(other);
        if (now.sum > 0.0 && then.sum > 0.0)
            list[(*count)++] = compare(&phases[i], &now, &then);
    }
    return list;
}

const char *weir_comparison_verdict(const struct weir_comparison *comparison)
{
    if (!comparison->is_known)
        return "too few iterations to tell";
    if (!comparison->differs)
        return "no difference beyond the spread";
    return comparison->ratio < 1.0 ? "slower" : "faster";
}
