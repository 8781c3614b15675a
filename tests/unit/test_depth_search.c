/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the best depth, over storage that is a formula. */
#include "engine/depth_search.h"
#include "weir/plan/plan.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define UNIT_PER_S 1e5

/* What `depth` transfers at once are worth on storage that takes `knee` of them. */
typedef double worth(unsigned depth, unsigned knee);

struct storage {
    worth *worth;
    unsigned knee;
    bool stumbles; /* the first trial of each depth is far too slow, the second far too fast */
    unsigned ends_after; /* trials; 0: never */
    unsigned fails_after;
    unsigned trials;
    unsigned tried[WEIR_PLAN_DEPTH_MAX + 1];
    unsigned sequence[16]; /* the first trials, in order */
    uint64_t planned_ns;
};

static double grows_to_knee(unsigned depth, unsigned knee)
{
    return depth < knee ? depth : knee;
}

static double falls_after_knee(unsigned depth, unsigned knee)
{
    return depth <= knee ? depth : knee - (double)(depth - knee) / 4;
}

static double is_never_worth_more(unsigned depth, unsigned knee)
{
    (void)depth;
    return knee;
}

static int try_storage(void *context, struct weir_depth_trial *trial)
{
    struct storage *storage = context;
    double ops_per_s = storage->worth(trial->depth, storage->knee) * UNIT_PER_S;
    unsigned time = storage->tried[trial->depth]++;

    if (storage->trials < 16)
        storage->sequence[storage->trials] = trial->depth;
    storage->trials++;
    storage->planned_ns += trial->length_ns;
    if (storage->fails_after != 0 && storage->trials > storage->fails_after)
        return -EIO;
    if (storage->stumbles && time < 2)
        ops_per_s *= time == 0 ? 0.1 : 5.0;
    trial->spent_ns = trial->length_ns + 1000;
    trial->op_count = (uint64_t)(ops_per_s * (double)trial->spent_ns * 1e-9);
    trial->must_end = storage->ends_after != 0 && storage->trials > storage->ends_after;
    return 0;
}

static unsigned search(struct storage *storage, unsigned depth_max, struct weir_depth_table *curve)
{
    const struct weir_depth_search search = {
        .depth_max = depth_max, .context = storage, .try_depth = try_storage};
    unsigned depth = 0;

    assert_int_equal(weir_depth_search(&search, curve, &depth), 0);
    return depth;
}

static unsigned least_worth(unsigned depth_max, worth *is_worth, unsigned knee)
{
    double best = 0.0;
    unsigned depth = 1;

    for (unsigned d = 1; d <= depth_max; d++)
        best = fmax(best, is_worth(d, knee));
    while (is_worth(depth, knee) < best * WEIR_DEPTH_WORTH)
        depth++;
    return depth;
}

/* ---- */

static void the_least_depth_that_does_nearly_as_well_is_found(void **state)
{
    static const unsigned maxima[] = {2, 3, 32, 101, 128, 4096};
    static const unsigned knees[] = {1, 2, 3, 5, 8, 24, 33, 64, 99, 101, 127, 128, 1000, 4095};

    (void)state;
    for (size_t i = 0; i < sizeof maxima / sizeof *maxima; i++)
        for (size_t k = 0; k < sizeof knees / sizeof *knees; k++) {
            struct storage storage = {.worth = grows_to_knee, .knee = knees[k]};
            struct weir_depth_table curve;

            assert_int_equal(search(&storage, maxima[i], &curve),
                             least_worth(maxima[i], grows_to_knee, knees[k]));
        }
}

static void more_depth_than_is_good_is_not_chosen(void **state)
{
    struct storage storage = {.worth = falls_after_knee, .knee = 16};
    struct weir_depth_table curve;

    (void)state;
    assert_int_equal(search(&storage, 64, &curve), 16);
    storage = (struct storage){.worth = is_never_worth_more, .knee = 7};
    assert_int_equal(search(&storage, 64, &curve), 1);
}

static void one_trial_too_slow_and_one_too_fast_do_not_decide(void **state)
{
    struct storage storage = {.worth = grows_to_knee, .knee = 24, .stumbles = true};
    struct weir_depth_table curve;

    (void)state;
    assert_int_equal(search(&storage, 64, &curve), 24);
    for (unsigned i = 0; i < curve.count; i++)
        assert_true(fabs(curve.points[i].ops_per_s /
                             (grows_to_knee(curve.points[i].depth, 24) * UNIT_PER_S) -
                         1) < 0.01);
}

static void rounds_go_up_and_down(void **state)
{
    static const unsigned wanted[] = {1, 2, 4, 6, 6, 4, 2, 1, 1, 2, 4, 6};
    struct storage storage = {.worth = grows_to_knee, .knee = 4};
    struct weir_depth_table curve;

    (void)state;
    assert_int_equal(search(&storage, 6, &curve), 4);
    assert_memory_equal(storage.sequence, wanted, sizeof wanted);
}

static void the_curve_has_every_depth_that_was_tried_in_order(void **state)
{
    struct storage storage = {.worth = grows_to_knee, .knee = 3000};
    struct weir_depth_table curve;
    unsigned tried = 0;

    (void)state;
    search(&storage, WEIR_PLAN_DEPTH_MAX, &curve);
    assert_true(curve.count <= WEIR_DEPTH_POINTS_MAX);
    for (unsigned i = 0; i < curve.count; i++) {
        assert_int_equal(storage.tried[curve.points[i].depth], 3);
        assert_true(i == 0 || curve.points[i].depth > curve.points[i - 1].depth);
    }
    for (unsigned depth = 1; depth <= WEIR_PLAN_DEPTH_MAX; depth++)
        tried += storage.tried[depth] > 0;
    assert_int_equal(tried, curve.count);
    assert_true(storage.planned_ns <= WEIR_DEPTH_SEARCH_NS);
}

/* ---- endings ---- */

static void a_search_that_must_end_chooses_among_what_it_knows(void **state)
{
    static const struct {
        unsigned trials;
        unsigned depth;
        unsigned points;
    } cases[] = {{1, 1, 1}, {3, 4, 3}, {6, 32, 6}, {7, 32, 7}, {18, 32, 7}, {22, 24, 8}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct storage storage = {
            .worth = grows_to_knee, .knee = 24, .ends_after = cases[i].trials};
        struct weir_depth_table curve;
        unsigned depth = search(&storage, 64, &curve);

        assert_int_equal(storage.trials, cases[i].trials + 1);
        assert_int_equal(curve.count, cases[i].points);
        assert_int_equal(depth, cases[i].depth);
    }
}

static void nothing_known_is_the_greatest_depth(void **state)
{
    struct storage storage = {.worth = grows_to_knee, .knee = 24, .ends_after = 1};
    const struct weir_depth_search never = {
        .depth_max = 64, .context = &storage, .try_depth = try_storage};
    struct weir_depth_table curve;
    unsigned depth = 0;

    (void)state;
    storage.trials = 1;
    assert_int_equal(weir_depth_search(&never, &curve, &depth), 0);
    assert_int_equal(depth, 64);
    assert_int_equal(curve.count, 0);
}

static void a_trial_that_cannot_be_made_ends_the_search(void **state)
{
    for (unsigned trials = 1; trials < 25; trials++) {
        struct storage storage = {.worth = grows_to_knee, .knee = 24, .fails_after = trials};
        const struct weir_depth_search search = {
            .depth_max = 64, .context = &storage, .try_depth = try_storage};
        struct weir_depth_table curve;
        unsigned depth = 0;

        (void)state;
        assert_int_equal(weir_depth_search(&search, &curve, &depth), -EIO);
        assert_int_equal(storage.trials, trials + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_depth_that_does_nearly_as_well_is_found),
        cmocka_unit_test(more_depth_than_is_good_is_not_chosen),
        cmocka_unit_test(one_trial_too_slow_and_one_too_fast_do_not_decide),
        cmocka_unit_test(rounds_go_up_and_down),
        cmocka_unit_test(the_curve_has_every_depth_that_was_tried_in_order),
        cmocka_unit_test(a_search_that_must_end_chooses_among_what_it_knows),
        cmocka_unit_test(nothing_known_is_the_greatest_depth),
        cmocka_unit_test(a_trial_that_cannot_be_made_ends_the_search),
    };

    return cmocka_run_group_tests_name("depth search", tests, NULL, NULL);
}
