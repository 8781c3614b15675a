/* SPDX-License-Identifier: Apache-2.0 */
/* Powers of two first, then halving: about as many trials as the depth has bits. */
#include "depth_search.h"

#include "weir/measure/median.h"

#include <assert.h>
#include <string.h>

#define ROUNDS 3
#define TRIAL_NS_MAX UINT64_C(250000000)
#define NS_PER_S 1e9

struct candidate {
    unsigned depth;
    unsigned count; /* of trials */
    double rates[ROUNDS], p50_s[ROUNDS];
};

struct state {
    const struct weir_depth_search *search;
    uint64_t trial_ns;
    bool must_end;
    unsigned count;
    struct candidate candidates[WEIR_DEPTH_POINTS_MAX]; /* by depth */
};

/* ---- what a candidate is worth ---- */

/* Median of one value per trial; -1 = no trial. */
static double median_of(const double values[ROUNDS], unsigned count)
{
    double sorted[ROUNDS];

    if (count == 0)
        return -1.0;
    memcpy(sorted, values, sizeof sorted);
    return weir_median_sort(sorted, count);
}

static double median_rate(const struct candidate *candidate)
{
    return median_of(candidate->rates, candidate->count);
}

static double best_median(const struct state *state)
{
    double best = -1.0;

    for (unsigned i = 0; i < state->count; i++) {
        double median = median_rate(&state->candidates[i]);

        best = median > best ? median : best;
    }
    return best;
}

/* The index of the least depth that is worth it; `count` if none was tried. */
static unsigned least_good(const struct state *state)
{
    double enough = best_median(state) * WEIR_DEPTH_WORTH;
    unsigned i = 0;

    while (i < state->count &&
           (state->candidates[i].count == 0 || median_rate(&state->candidates[i]) < enough))
        i++;
    return i;
}

/* ---- trials ---- */

static int try_one(struct state *state, struct candidate *candidate)
{
    struct weir_depth_trial trial = {.depth = candidate->depth, .length_ns = state->trial_ns};
    int code = state->search->try_depth(state->search->context, &trial);

    if (code != 0)
        return code;
    state->must_end = trial.must_end;
    if (trial.must_end)
        return 0;
    candidate->p50_s[candidate->count] = (double)trial.p50_ns / NS_PER_S;
    candidate->rates[candidate->count++] =
        trial.spent_ns == 0 ? 0.0 : (double)trial.op_count * NS_PER_S / (double)trial.spent_ns;
    return 0;
}

static int try_in_rounds(struct state *state)
{
    int code = 0;

    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < state->count && code == 0 && !state->must_end; i++) {
            unsigned turn = round % 2 == 0 ? i : state->count - 1 - i;

            code = try_one(state, &state->candidates[turn]);
        }
    return code;
}

/* Puts one more between those at `index` - 1 and `index`, halfway. */
static int try_between(struct state *state, unsigned index)
{
    struct candidate *candidates = state->candidates;
    unsigned depth = (candidates[index - 1].depth + candidates[index].depth) / 2;
    int code = 0;

    memmove(&candidates[index + 1], &candidates[index],
            (state->count - index) * sizeof *candidates);
    candidates[index] = (struct candidate){.depth = depth};
    state->count++;
    for (unsigned round = 0; round < ROUNDS && code == 0 && !state->must_end; round++)
        code = try_one(state, &candidates[index]);
    return code;
}

static int close_gap(struct state *state)
{
    int code = 0;

    while (code == 0 && !state->must_end && state->count < WEIR_DEPTH_POINTS_MAX) {
        unsigned good = least_good(state);

        if (good == 0 || good == state->count ||
            state->candidates[good].depth - state->candidates[good - 1].depth < 2)
            break;
        code = try_between(state, good);
    }
    return code;
}

/* ---- the search ---- */

static void add_powers(struct state *state)
{
    unsigned depth_max = state->search->depth_max;

    for (unsigned depth = 1; depth < depth_max; depth *= 2)
        state->candidates[state->count++] = (struct candidate){.depth = depth};
    state->candidates[state->count++] = (struct candidate){.depth = depth_max};
}

/* Halving the widest gap takes two trials fewer than there are powers. */
static uint64_t length_of_trial(const struct state *state)
{
    uint64_t fair_ns = WEIR_DEPTH_SEARCH_NS / (UINT64_C(2) * ROUNDS * state->count);

    return fair_ns < TRIAL_NS_MAX ? fair_ns : TRIAL_NS_MAX;
}

static void fill_table(const struct state *state, struct weir_depth_table *table)
{
    *table = (struct weir_depth_table){0};
    for (unsigned i = 0; i < state->count; i++) {
        const struct candidate *candidate = &state->candidates[i];

        if (candidate->count > 0)
            table->points[table->count++] =
                (struct weir_depth_point){.depth = candidate->depth,
                                          .ops_per_s = median_rate(candidate),
                                          .p50_s = median_of(candidate->p50_s, candidate->count)};
    }
}

int weir_depth_search(const struct weir_depth_search *search, struct weir_depth_table *table,
                      unsigned *depth)
{
    struct state state = {.search = search};
    unsigned good;
    int code;

    assert(search->depth_max >= 1);
    add_powers(&state);
    state.trial_ns = length_of_trial(&state);
    code = try_in_rounds(&state);
    if (code == 0)
        code = close_gap(&state);
    if (code != 0)
        return code;
    fill_table(&state, table);
    good = least_good(&state);
    *depth = good < state.count ? state.candidates[good].depth : search->depth_max;
    return 0;
}
