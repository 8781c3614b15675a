/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the load: transfers in flight that the backend does not have, and loads that
 * contradict themselves. */
#include "check.h"

#include <inttypes.h>
#include <math.h>

/* More transfers or bytes a second than anything will ever make; the times between them can still
 * be told apart. */
#define THINK_PPM_MAX 1000000000 /* a thousand times as long */
#define RATE_MAX 1e18

static bool is_untimed(const struct weir_phase *phase)
{
    return phase->is_check || phase->is_prefill;
}

static bool has_rate(const struct weir_phase *phase)
{
    return phase->rate.arrivals != WEIR_ARRIVALS_CLOSED;
}

static int check_depth(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (phase->depth < 1 || phase->depth > WEIR_PLAN_DEPTH_MAX)
        return REFUSE(scope, "queue depth %u is out of range: choose 1 to %d", phase->depth,
                      WEIR_PLAN_DEPTH_MAX);
    if (phase->depth > 1 && !(weir_test_abilities(scope->test) & WEIR_CAN_QUEUE))
        return REFUSE(scope,
                      "queue depth %u: backend %s makes one transfer at a time: choose depth 1, or "
                      "a backend with a queue, such as libaio or uring",
                      phase->depth, scope->test->backend->name);
    if (phase->depth > 1 && phase->transfers.is_collective)
        return REFUSE(scope,
                      "queue depth %u: collective transfers are made one at a time: choose depth "
                      "1, or independent ones",
                      phase->depth);
    return 0;
}

static int check_batch(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (phase->transfers.batch < 1 || phase->transfers.batch > phase->depth)
        return REFUSE(scope,
                      "a batch of %u transfers at a queue depth of %u: choose 1 to as many as the "
                      "depth",
                      phase->transfers.batch, phase->depth);
    return 0;
}

static int check_search(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (!phase->must_find_depth)
        return 0;
    if (phase->depth < 2)
        return REFUSE(scope,
                      "the best depth up to 1 is to be found: choose a greater one to search "
                      "up to, or do not search");
    if (is_untimed(phase))
        return REFUSE(scope, "a depth is to be found in a phase that is not timed: give it one");
    if (has_rate(phase))
        return REFUSE(scope, "the best depth of a closed loop is to be found, and there is a rate: "
                             "give the depth, or leave the rate out");
    return 0;
}

static int check_closed_loop(const struct weir_check_scope *scope)
{
    const struct weir_rate *rate = &scope->phase->rate;

    if (rate->per_s != 0.0 || rate->is_in_bytes || rate->is_per_rank)
        return REFUSE(scope, "a rate without arrivals: choose constant or random ones");
    return 0;
}

static int check_rate(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;
    double per_s = phase->rate.per_s;

    if (!has_rate(phase))
        return check_closed_loop(scope);
    if (!isfinite(per_s) || per_s <= 0.0 || per_s > RATE_MAX)
        return REFUSE(scope, "a rate of %g per second: choose one above 0 and up to %g", per_s,
                      RATE_MAX);
    if (is_untimed(phase))
        return REFUSE(scope, "a rate for a phase that is not timed: leave it out");
    if (phase->transfers.is_collective)
        return REFUSE(scope, "a rate for collective transfers, which wait for each other: choose "
                             "independent ones, or leave the rate out");
    if (phase->think_ns > 0)
        return REFUSE(scope, "a rate and a pause after each transfer: choose one of both");
    return 0;
}

static int check_mix(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (phase->verb != WEIR_MIXED && phase->transfers.mixes_by_rank)
        return REFUSE(scope,
                      "ranks that only read and others that only write: that is a mixed "
                      "phase, and %s is none",
                      weir_verb_name(phase->verb));
    if (phase->verb != WEIR_MIXED)
        return 0;
    if (phase->transfers.read_percent > 100)
        return REFUSE(scope, "%u%% of the transfers read: there are 100%%",
                      phase->transfers.read_percent);
    if (phase->transfers.layout.order == WEIR_ORDER_RANDOM_BLOCKS)
        return REFUSE(scope,
                      "a mixed phase at random block positions, which may repeat, would read "
                      "what it is writing: choose shuffled order");
    if (phase->transfers.layout.order == WEIR_ORDER_ONE_PLACE)
        return REFUSE(scope, "a mixed phase at one place would read what it is writing: choose "
                             "another order");
    if (phase->transfers.is_collective)
        return REFUSE(scope, "a mixed phase with collective transfers, of which some ranks would "
                             "read and others write: choose independent ones");
    return 0;
}

/* Among operations in flight there is none behind which a pause would be. */
static int check_share(const struct weir_check_scope *scope)
{
    const struct weir_phase *phase = scope->phase;

    if (phase->think_ppm > THINK_PPM_MAX)
        return REFUSE(scope, "pauses of %" PRIu64 " times what operations take: give at most %d",
                      phase->think_ppm / 1000000, THINK_PPM_MAX / 1000000);
    if (phase->think_ppm > 0 && (phase->depth > 1 || has_rate(phase)))
        return REFUSE(scope, "pauses in parts of what operations take, and %s: choose one of both",
                      phase->depth > 1 ? "several in flight" : "a rate");
    return 0;
}

int weir_check_load_of_names(const struct weir_check_scope *scope)
{
    static weir_check_rule *const rules[] = {check_depth, check_search, check_rate, check_share,
                                             NULL};
    const struct weir_phase *phase = scope->phase;

    if (phase->must_find_depth && !weir_test_tried_phase(scope->test, phase))
        return REFUSE(scope,
                      "the best depth is to be found, trials of %s cannot be undone, and no phase "
                      "before it finds one: give it a depth",
                      weir_verb_name(phase->verb));
    if (phase->rate.is_in_bytes && weir_phase_op_bytes(phase) == 0)
        return REFUSE(scope, "a rate in bytes, and %s moves none: give operations per second",
                      weir_verb_name(phase->verb));
    return weir_check_apply(rules, scope);
}

int weir_check_load(const struct weir_check_scope *scope)
{
    static weir_check_rule *const rules[] = {check_depth, check_batch, check_search,
                                             check_rate,  check_mix,   NULL};

    return weir_check_apply(rules, scope);
}
