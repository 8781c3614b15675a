/* SPDX-License-Identifier: Apache-2.0 */
/* A trial opens, moves and closes as the phase itself will do. What it writes, it writes as the
 * phase would; what it leaves is cleared up before the phase starts. */
#include "phase_trials.h"

#include "claim.h"
#include "depth_search.h"

#include <errno.h>

/* A search for the best depth ends after this, however long its trials take to end. */
#define SEARCH_NS_MAX (2 * WEIR_DEPTH_SEARCH_NS)

/* Rank 0's clock decides for all. */
static bool is_out_of_time(const struct weir_data_phase *data)
{
    const struct weir_run *run = data->run;
    uint64_t now_ns = weir_run_now(run);
    uint64_t limit_ns = run->test->time_limit_ns;

    return run->group->rank == 0 && (now_ns - data->trials_started_ns >= SEARCH_NS_MAX ||
                                     (limit_ns != 0 && now_ns - run->started_ns >= limit_ns));
}

static void note_failure(struct weir_data_phase *data)
{
    const struct weir_tally *tally = data->run->tally;

    if (tally->first_error == 0 || data->trial_error != 0)
        return;
    data->trial_error = tally->first_error;
    data->trial_error_offset = tally->first_error_offset;
}

static int agree_on_trial(struct weir_data_phase *data, struct weir_depth_trial *trial)
{
    const struct weir_run *run = data->run;
    uint64_t op_count = weir_tally_ops(run->tally);
    uint64_t greatest[3] = {trial->spent_ns, data->trial_error != 0,
                            weir_run_must_stop(run) || is_out_of_time(data)};
    int code = weir_group_reduce(run->group, &op_count, 1, WEIR_SUM);

    if (code == 0)
        code = weir_group_reduce(run->group, greatest, 3, WEIR_MAX);
    trial->op_count = op_count;
    trial->spent_ns = greatest[0];
    data->has_failed_trial = greatest[1] != 0;
    trial->must_end = greatest[1] != 0 || greatest[2] != 0;
    return code;
}

/* A phase that makes its files anew pays for allocating them, and so does each of its trials. */
static int start_anew(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    int code = 0;

    data->trial_index = 0;
    if (weir_phase_handles_made_file(data))
        code = weir_claim_remove(run, data->path);
    return weir_group_any(run->group, code != 0) ? -EIO : 0;
}

/* The phase for a while, all else being equal: with its payload and its checks; in files of its own
 * making if it makes them, and else from where the trial before it ended, so that none of them
 * finds other caches or extents than the others. */
static int try_depth(void *context, struct weir_depth_trial *trial)
{
    struct weir_data_phase *data = context;
    struct weir_run *run = data->run;
    struct weir_phase phase = *data->phase;
    struct weir_tally_parts parts = weir_run_tally_parts(run, &phase);
    uint64_t begun_ns;
    int code = phase.transfers.must_replace ? start_anew(data) : 0;

    if (code == 0)
        code = weir_group_any(run->group, weir_claim_prepare(data) != 0) ? -EIO : 0;
    if (code != 0)
        return code;
    phase.stop =
        (struct weir_stop){.deadline_ns = trial->length_ns,
                           .minimum_ns = phase.transfers.must_replace ? 0 : trial->length_ns};
    data->facts.depth = run->trial_depth = trial->depth;
    data->facts.batch = phase.transfers.batch < trial->depth ? phase.transfers.batch : trial->depth;
    weir_tally_reset(run->tally, weir_run_now(run), &parts);
    weir_phase_init_buffers(data);
    weir_phase_open_file(data);
    weir_phase_prepare_loop(data);
    data->loop.phase = &phase;
    data->loop.first_index = data->trial_index;
    data->loop.log = NULL;
    code = weir_group_barrier(run->group);
    begun_ns = weir_run_now(run);
    if (code == 0)
        code = weir_loop_run(&data->loop);
    trial->spent_ns = weir_run_now(run) - begun_ns;
    data->trial_index = weir_op_source_index(&data->loop.ops);
    weir_phase_close_file(data);
    note_failure(data);
    return code != 0 ? code : agree_on_trial(data, trial);
}

/* What the trials wrote goes where it was not there before: the phase begins as it would have
 * without them. */
static int clear_up_trials(struct weir_data_phase *data, bool was_there)
{
    int code = 0;

    if (weir_phase_handles_made_file(data) && (data->phase->transfers.must_replace || !was_there))
        code = weir_claim_remove(data->run, data->path);
    weir_text_clear(&data->run->notes);
    weir_phase_init_buffers(data);
    return code;
}

static int search_depth(struct weir_data_phase *data, struct weir_depth_choice *choice)
{
    struct weir_run *run = data->run;
    struct weir_name_facts facts;
    bool was_there = weir_phase_handles_made_file(data) &&
                     run->backend->names->stat(run->session, data->path, &facts) == 0;
    const unsigned depth_max =
        data->phase->depth < run->queue.depth ? data->phase->depth : run->queue.depth;
    const struct weir_depth_search search = {
        .depth_max = depth_max, .context = data, .try_depth = try_depth};
    int code;

    data->trials_started_ns = weir_run_now(run);
    code = weir_depth_search(&search, &choice->table, &choice->depth);
    run->trial_depth = 0;
    if (code != 0)
        return code;
    code = clear_up_trials(data, was_there);
    if (code != 0) {
        weir_run_fail(run, code, "remove", data->path);
        data->trial_error = data->trial_error != 0 ? data->trial_error : code;
    }
    data->has_failed_trial = weir_group_any(run->group, data->trial_error != 0);
    return 0;
}

static struct weir_depth_choice *choice_of(const struct weir_data_phase *data)
{
    const struct weir_test *test = data->run->test;
    size_t i = 0;

    while (test->phases[i] != data->phase)
        i++;
    return &data->run->depths[i];
}

bool weir_phase_searches_depth(const struct weir_data_phase *data)
{
    return data->phase->must_find_depth && choice_of(data)->depth == 0;
}

/* Once for all repetitions, which would not be the same work at different depths. */
int weir_phase_choose_depth(struct weir_data_phase *data)
{
    const struct weir_phase *phase = data->phase;
    struct weir_depth_choice *choice = choice_of(data);
    int code = 0;

    if (weir_phase_searches_depth(data))
        code = search_depth(data, choice);
    else if (!phase->must_find_depth)
        choice->depth = phase->depth;
    data->facts.depth = choice->depth;
    data->facts.batch =
        phase->transfers.batch < choice->depth ? phase->transfers.batch : choice->depth;
    data->facts.choice = choice;
    return code;
}
