/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks agree after each trial on what it came to, and on whether there shall be another. */
#include "trials.h"

#include "gather_tally.h"
#include "loop.h"

/* A search for the best depth ends after this, however long its trials take to end. */
#define SEARCH_NS_MAX (2 * WEIR_DEPTH_SEARCH_NS)

void weir_trials_begin(struct weir_trials *trials, struct weir_run *run)
{
    *trials = (struct weir_trials){.run = run, .started_ns = weir_run_now(run)};
}

/* Rank 0's clock decides for all. */
static bool is_out_of_time(const struct weir_trials *trials)
{
    const struct weir_run *run = trials->run;
    uint64_t now_ns = weir_run_now(run);
    uint64_t limit_ns = run->test->time_limit_ns;

    return run->group->rank == 0 && (now_ns - trials->started_ns >= SEARCH_NS_MAX ||
                                     (limit_ns != 0 && now_ns - run->started_ns >= limit_ns));
}

int weir_trials_agree(struct weir_trials *trials, struct weir_depth_trial *trial)
{
    struct weir_run *run = trials->run;
    struct weir_tally *tally = run->tally;
    uint64_t op_count = weir_tally_ops(tally);
    uint64_t greatest[3] = {trial->spent_ns, 0, weir_run_must_stop(run) || is_out_of_time(trials)};
    int code = weir_group_reduce(run->group, &op_count, 1, WEIR_SUM);

    if (tally->first_error != 0 && trials->error == 0) {
        trials->error = tally->first_error;
        trials->error_offset = tally->first_error_offset;
    }
    greatest[1] = trials->error != 0;
    if (code == 0)
        code = weir_group_reduce(run->group, greatest, 3, WEIR_MAX);
    /* The histograms become those of all ranks: the next trial, or the phase, clears them. */
    weir_tally_join(tally);
    if (code == 0 && tally->latency != NULL)
        code = weir_gather_histograms(run, &tally->latency, 1);
    if (code == 0 && tally->latency != NULL && op_count > 0)
        trial->p50_ns = weir_histogram_percentile(tally->latency, 0.5);
    trial->op_count = op_count;
    trial->spent_ns = greatest[0];
    trials->has_failed = greatest[1] != 0;
    trial->must_end = greatest[1] != 0 || greatest[2] != 0;
    return code;
}

struct weir_depth_choice *weir_trials_choice(const struct weir_run *run,
                                             const struct weir_phase *phase)
{
    size_t i = 0;

    while (run->test->phases[i] != phase)
        i++;
    return &run->depths[i];
}
