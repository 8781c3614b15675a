/* SPDX-License-Identifier: Apache-2.0 */
/* A trial opens, moves and closes as the phase itself will do. What it writes, it writes as the
 * phase would; what it leaves is cleared up before the phase starts. */
#include "phase_trials.h"

#include "claim.h"

#include <errno.h>

/* A phase that makes its files anew pays for allocating them, and so does each of its trials. */
static int start_anew(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    int code = 0;

    data->trials.index = 0;
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
    data->loop.first_index = data->trials.index;
    data->loop.log = NULL;
    weir_run_report_beginning(run, data->phase, 0);
    code = weir_group_barrier(run->group);
    begun_ns = weir_run_now(run);
    if (code == 0)
        code = weir_loop_run(&data->loop);
    trial->spent_ns = weir_run_now(run) - begun_ns;
    data->trials.index = weir_op_source_index(&data->loop.ops);
    weir_phase_close_file(data);
    return code != 0 ? code : weir_trials_agree(&data->trials, trial);
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
    bool was_there =
        weir_phase_handles_made_file(data) && weir_run_stat(run, data->path, &facts) == 0;
    const unsigned depth_max =
        data->phase->depth < run->queue.depth ? data->phase->depth : run->queue.depth;
    const struct weir_depth_search search = {
        .depth_max = depth_max, .context = data, .try_depth = try_depth};
    int code;

    weir_trials_begin(&data->trials, run);
    code = weir_depth_search(&search, &choice->table, &choice->depth);
    run->trial_depth = 0;
    if (code != 0)
        return code;
    code = clear_up_trials(data, was_there);
    if (code != 0) {
        weir_run_fail(run, code, "remove", data->path);
        data->trials.error = data->trials.error != 0 ? data->trials.error : code;
    }
    data->trials.has_failed = weir_group_any(run->group, data->trials.error != 0);
    return 0;
}

bool weir_phase_searches_depth(const struct weir_data_phase *data)
{
    return data->phase->must_find_depth && weir_trials_choice(data->run, data->phase)->depth == 0;
}

/* Once for all repetitions, which would not be the same work at different depths. */
int weir_phase_choose_depth(struct weir_data_phase *data)
{
    const struct weir_phase *phase = data->phase;
    struct weir_depth_choice *choice = weir_trials_choice(data->run, phase);
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
