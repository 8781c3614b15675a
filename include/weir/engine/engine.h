/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a plan: intent in, numbers out. */
#ifndef WEIR_ENGINE_ENGINE_H
#define WEIR_ENGINE_ENGINE_H

#include "weir/base/clock.h"
#include "weir/base/error.h"
#include "weir/group/group.h"
#include "weir/io/backend.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <signal.h>

/* What rank 0 begins. */
struct weir_progress {
    const struct weir_phase *phase; /* NULL = a sleep between phases */
    unsigned repetition;
    unsigned trial_depth; /* not 0: of a search, this depth is being tried */
    double sleep_s;
};

/* What the ranks on the node of rank 0 have done of the present phase, as they published it at most
 * WEIR_GROUP_TICK_NS ago. Ranks on other nodes are not asked. */
struct weir_counts {
    unsigned ranks;         /* of the test */
    unsigned ranks_counted; /* whose work is in the sums */
    uint64_t operations;
    uint64_t bytes;
    bool has_share;        /* the size of the work is known */
    double share;          /* 0 to 1: mean part done of those that have begun; 1 = none left */
    unsigned slowest_rank; /* the one with the smallest part done */
    double slowest_share;
    double seconds; /* since the first of these ranks began; 0 = none has */
};

/* Called on rank 0 only, between phases, but for `counted`. Members may be NULL. `progress` comes
 * before each phase, each trial of a depth and each sleep, outside of what is timed; `counted`
 * every `progress_interval_ns` while a test runs, from a thread that calls nothing of MPI. */
struct weir_observer {
    void *context;
    /* In the place of a test that is not to be run. An error ends the run. */
    int (*test_skipped)(void *context, unsigned test, struct weir_error *error);
    /* Before the first step, when the test has been found fit to run. An error ends the run. */
    int (*test_begins)(void *context, const struct weir_test_result *test,
                       struct weir_error *error);
    /* The record is final but for findings, which the callee may add. An error ends the run. */
    int (*phase_done)(void *context, struct weir_phase_result *phase, struct weir_error *error);
    /* Behind the steps of a timed label. An error ends the run. */
    int (*timed_done)(void *context, const struct weir_timed_result *timed,
                      struct weir_error *error);
    void (*test_ends)(void *context, const struct weir_test_result *test);
    void (*progress)(void *context, const struct weir_progress *progress);
    void (*counted)(void *context, const struct weir_counts *counts);
    bool keeps_each_note;          /* see weir_result_keep_phase */
    uint64_t progress_interval_ns; /* 0: never */
};

struct weir_engine_params {
    const struct weir_plan *plan;
    const struct weir_registry *registry;
    struct weir_group *group;
    const struct weir_clock *clock;
    const bool *is_skipped; /* by test, the same on all ranks: not run, and nothing is opened,
                               looked at or removed for it; NULL: none */
    /* By test, the same on all ranks: repetitions that are not run, from the first one on, of a
     * test that is a loop; NULL = none. */
    const uint64_t *first_repetitions;
    /* An earlier run of the plan has begun tests that are done now: what it has left of their trees
     * is removed before these are made. */
    bool is_resumed;
    const struct weir_observer *observer;
    /* Not 0: end cleanly, as soon as possible. Set by the engine as well, where a rank that sits
     * the test out has received a signal. */
    volatile sig_atomic_t *stop_signal;
    /* Ends all ranks when one has made no progress for longer than the plan allows; the reason
     * names it. Called on the rank that notices it. `is_held`: called from a thread other than that
     * of MPI, which may be inside an MPI call. Does not return. NULL: the process exits. */
    void (*give_up)(void *context, const char *reason, bool is_held);
    void *give_up_context;
};

/* Examines the files that a test of so many ranks would find, through the kernel. Appends a line if
 * its first phase that needs them would not be done: a file that is missing, too short, foreign or
 * of another kind, or a directory that is missing or cannot be written. Nothing is made, locked or
 * changed. Of files of ranks, the first ones are examined. */
void weir_engine_examine(const struct weir_registry *registry, const struct weir_test *test,
                         uint64_t ranks, struct weir_text *text);

/* Runs all tests. Rank 0 fills `result` (others may pass NULL). 0 if the plan ran to its end or was
 * ended early in order (the result says so); else *error is set, the same on every rank.
 * Collective. */
int weir_engine_run(const struct weir_engine_params *params, struct weir_result *result,
                    struct weir_error *error);

#endif
