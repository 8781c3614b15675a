/* SPDX-License-Identifier: Apache-2.0 */
/* One write, read or mix of both: prepare, start together, open, move, close, gather. The three
 * windows are IOR's. */
#include "phase_data.h"

#include "cache_state.h"
#include "claim.h"
#include "identity.h"
#include "phase_trials.h"
#include "phase_windows.h"
#include "rank_histogram.h"
#include "stop.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- before the start: nothing here is timed ---- */

/* Of all that is random in a phase: the order of its transfers, which of them read, and when they
 * are due. One number, the same on all ranks, so that --random-offset-seed makes all of it again;
 * 0 if nothing is. */
static uint64_t order_seed(const struct weir_run *run, const struct weir_phase *phase)
{
    bool is_random = weir_order_is_random(phase->transfers.layout.order) ||
                     phase->verb == WEIR_MIXED || phase->rate.arrivals == WEIR_ARRIVALS_POISSON;

    if (!is_random)
        return 0;
    return phase->transfers.layout.seed_is_given ? phase->transfers.layout.seed : run->order_seed;
}

/* Returns the size of the rank's file; 0 = there is none. Of a shared file, rank 0 asks the server,
 * which may be slow, and tells the others: collective. */
static uint64_t existing_bytes(const struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    struct weir_name_facts facts;
    uint64_t bytes = 0;

    if (run->backend->names == NULL)
        return 0;
    if ((!data->target->is_shared || run->group->rank == 0) &&
        weir_run_stat(run, data->path, &facts) == 0)
        bytes = facts.bytes;
    if (data->target->is_shared && weir_run_share(run, &bytes) != 0)
        return 0;
    return bytes;
}

static void set_share(struct weir_data_phase *data)
{
    const struct weir_run *run = data->run;
    const struct weir_layout *layout = &data->phase->transfers.layout;
    /* But a device has no end of ours. */
    bool reads_anywhere = data->phase->verb == WEIR_READ && !data->target->is_device &&
                          layout->order == WEIR_ORDER_RANDOM_BLOCKS;

    data->facts.order_seed = order_seed(run, data->phase);
    weir_share_init(&data->share, layout,
                    &(struct weir_share_params){
                        .is_shared = data->target->is_shared,
                        .ranks = (uint64_t)run->group->size,
                        .owner = data->owner,
                        .seed = data->facts.order_seed,
                        .file_bytes = reads_anywhere ? existing_bytes(data) : 0,
                    });
}

static int make_directory(struct weir_run *run, const char *path)
{
    char directory[WEIR_PATH_BYTES];
    int code;

    memcpy(directory, path, strlen(path) + 1);
    weir_text_cut_name(directory);
    code = weir_run_mkdir(run, directory);
    run->has_made_directory |= code == 0;
    return code == -EEXIST ? 0 : code;
}

/* Before a write, on the rank that handles the name: makes its directory, removes the old file. */
static int prepare_name(struct weir_data_phase *data, struct weir_error *error)
{
    struct weir_run *run = data->run;
    const char *place = run->backend->descriptor.name;
    int code = 0;

    if (!weir_phase_handles_made_file(data))
        return 0;
    if (data->target->has_own_directory)
        code = make_directory(run, data->path);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_FLAWED, code, place, "make the directory of %s: %s",
                              data->path, strerror(-code));
    if (data->phase->transfers.must_replace)
        code = weir_claim_remove(run, data->path);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_FLAWED, code, place, "remove %s: %s", data->path,
                              weir_claim_reason(code));
    return 0;
}

/* A mixed phase writes the bytes that are there already, with their generation and seed: its own
 * reads and all later ones expect the same, and need no record of the places that were rewritten.
 * If data are not verified and the file has no readable
 * identity, it gets a new one. */
static int continue_identity(struct weir_data_phase *data, struct weir_error *error)
{
    struct weir_identity *identity = &data->facts.identity;
    struct weir_error unknown = {0};
    int code;

    if (data->phase->transfers.must_verify)
        return weir_identity_expect(data->run, data->phase, data->path, identity, error);
    code = weir_identity_expect(data->run, data->phase, data->path, identity, &unknown);
    return code == 0 ? 0 : weir_identity_create(data->run, data->phase, identity);
}

/* Of the file that is there it leaves most, or may leave some, as it is: what it writes must be
 * what later reads expect everywhere. */
static bool rewrites_a_part(const struct weir_phase *phase)
{
    return phase->verb == WEIR_WRITE && !phase->transfers.must_replace &&
           ((phase->stop.ends_with_first && !phase->stop.has_wear_out) ||
            phase->transfers.layout.order == WEIR_ORDER_ONE_PLACE);
}

static int set_identity(struct weir_data_phase *data, struct weir_error *error)
{
    struct weir_identity *identity = &data->facts.identity;
    const struct weir_phase *phase = data->phase;
    bool has_payload = phase->transfers.payload.mode != WEIR_PAYLOAD_NONE;
    int code = 0;

    *identity = (struct weir_identity){.transfer_bytes = phase->transfers.layout.transfer_bytes,
                                       .mode = WEIR_PAYLOAD_NONE};
    if (weir_verb_makes_files(phase->verb) && has_payload && !rewrites_a_part(phase))
        code = weir_identity_create(data->run, phase, identity);
    else if (weir_verb_writes(phase->verb) && has_payload)
        code = continue_identity(data, error);
    else if (phase->transfers.must_verify)
        code = weir_identity_expect(data->run, phase, data->path, identity, error);
    return code;
}

/* Bytes that a file must have for this rank's transfers; 0 if that is not known: a write that was
 * cut, or a limit, may have left less than the layout. */
static uint64_t needed_bytes(const struct weir_data_phase *data)
{
    const struct weir_layout *layout = &data->phase->transfers.layout;
    uint64_t limit = data->facts.op_limit;

    if (limit == 0 || weir_run_has_written(data->run, data->target))
        return 0;
    if (layout->order == WEIR_ORDER_SEQUENTIAL)
        return weir_share_transfer_offset(&data->share, limit * data->share.transfers_per_op - 1) +
               layout->transfer_bytes;
    if (layout->order == WEIR_ORDER_BACKWARD || layout->order == WEIR_ORDER_ONE_PLACE)
        return weir_share_offset(&data->share, 0) + layout->transfer_bytes;
    if (limit < data->share.op_count)
        return 0;
    if (layout->order == WEIR_ORDER_LISTED)
        return layout->listing.end;
    return weir_layout_bytes_per_rank(layout) *
           (data->target->is_shared ? (uint64_t)data->run->group->size : 1);
}

/* Before anything is written into it: a mixed phase makes no file longer. */
static void check_length(const struct weir_data_phase *data, struct weir_error *error)
{
    uint64_t bytes = existing_bytes(data);
    uint64_t needed = needed_bytes(data);

    if (bytes < needed)
        weir_error_usage(error, data->run->backend->descriptor.name,
                         "%s has %llu bytes, and a mixed phase would read and write up to %llu: "
                         "write it first in that size, with " WEIR_REMEDY_WRITE
                         ", or with " WEIR_REMEDY_WRITE " " WEIR_REMEDY_KEEP " in a run of its own",
                         data->path, (unsigned long long)bytes, (unsigned long long)needed);
}

/* Else the transfer finds it that meets the end, after all before it. One that is missing, or that
 * a deadline or a count of errors may leave unread, is not judged here; where data are verified,
 * those that are missing are a result. */
static void check_read(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_phase *phase = data->phase;
    uint64_t bytes = existing_bytes(data);
    uint64_t needed = needed_bytes(data);

    if (bytes == 0 || bytes >= needed || phase->transfers.must_verify ||
        phase->stop.deadline_ns > 0 || phase->stop.ends_with_first ||
        data->run->test->goes_on_after_errors ||
        phase->transfers.layout.order == WEIR_ORDER_RANDOM_BLOCKS)
        return;
    weir_error_usage(
        error, data->run->backend->descriptor.name,
        "%s has %llu bytes, and would be read up to %llu: write it first in that size, "
        "or read less of it (" WEIR_REMEDY_BLOCK_SIZE ")",
        data->path, (unsigned long long)bytes, (unsigned long long)needed);
}

/* A phase that finds its file: is it as long as what is to be moved in it? */
static int check_found(const struct weir_data_phase *data, struct weir_error *error)
{
    bool has_length = data->run->backend->names != NULL && !data->target->is_device;

    if (data->phase->verb != WEIR_MIXED && data->phase->verb != WEIR_READ)
        return 0;
    if (has_length && data->phase->verb == WEIR_MIXED)
        check_length(data, error);
    else if (has_length)
        check_read(data, error);
    return weir_group_agree(data->run->group, error);
}

static int open_log(struct weir_data_phase *data, struct weir_error *error)
{
    int code;

    if (!weir_op_log_is_wanted(data->run, data->phase))
        return 0;
    code = weir_op_log_open(&data->log, data->run, data->phase, data->facts.op_limit);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, WEIR_REMEDY_OP_FILES,
                       "no memory for lists of so many transfers on all ranks of this node: move "
                       "less, in larger transfers, or with fewer ranks");
    return weir_group_agree(data->run->group, error);
}

/* What is to be moved, and the buffers for it. */
static void prepare_data(struct weir_data_phase *data, struct weir_error *error)
{
    struct weir_run *run = data->run;
    int code = set_identity(data, error);
    int limit_code;

    set_share(data);
    limit_code = weir_stop_limit(run, data->phase, data->owner, data->share.op_count,
                                 &data->facts.op_limit, error);
    if (code == 0)
        code = limit_code;
    data->op_states = calloc(run->queue.depth, sizeof *data->op_states);
    if (code == 0)
        code = data->op_states != NULL ? weir_phase_init_buffers(data) : -ENOMEM;
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, NULL, "%s", strerror(-code));
}

static int prepare(struct weir_data_phase *data, struct weir_error *error)
{
    struct weir_run *run = data->run;
    int code;

    data->owner = weir_run_owner(run, data->phase);
    data->must_create = weir_phase_makes_file(data);
    data->facts.is_near = run->group->node_of_rank[data->owner] == run->group->node;
    code = weir_run_path(run, data->target, data->owner, data->path);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name, "%s: %s",
                       data->path, strerror(-code));
    else if (!weir_error_is_set(error))
        prepare_name(data, error);
    prepare_data(data, error);
    code = check_found(data, error);
    if (code == 0)
        code = open_log(data, error);
    if (code == 0)
        weir_phase_try_to_open(data);
    return code;
}

/* Where caches are to be empty, trials of depths find them so as the phase will, which then finds
 * nothing of theirs. */
static int choose_depth(struct weir_data_phase *data, struct weir_error *error)
{
    bool empties_caches = data->run->test->cache_drop != WEIR_DROP_NOTHING;
    bool searches = weir_phase_searches_depth(data);
    int code = 0;

    if (empties_caches && searches)
        code = weir_cache_state_prepare(data, error);
    if (code == 0 && searches)
        code = weir_group_agree(data->run->group, error);
    if (code == 0)
        code = weir_phase_choose_depth(data);
    if (code == 0)
        code = weir_cache_state_prepare(data, error);
    return code;
}

/* The last agreement before the start: all ranks learn here of errors since the previous phase was
 * gathered. A rank with such an error has taken part in all messages until here. Nothing that could
 * change what stands under the name of the file comes between the claim and the start. */
static int claim_file(struct weir_data_phase *data, struct weir_error *error)
{
    int code = weir_claim_prepare(data);

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_FLAWED, code, data->run->backend->descriptor.name,
                       "open %s: %s", data->path, weir_claim_reason(code));
    return weir_group_agree(data->run->group, error);
}

static int start(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;
    int code = weir_phase_start(run, &data->facts);

    if (code == 0 && data->trials.error != 0)
        weir_tally_fail(run->tally, WEIR_OP_OPEN, data->trials.error, data->trials.error_offset);
    return code;
}

static int pass_windows(struct weir_data_phase *data)
{
    int code, end_code;

    data->run->has_wall = data->phase->stop.ends_with_first;
    weir_run_arm(data->run);
    code = weir_phase_pass_windows(data);
    end_code = weir_run_disarm(data->run);
    if (data->run->has_wall && code == 0 && end_code == 0)
        end_code = weir_group_end_alarm(data->run->group, WEIR_ALARM_WALL);
    data->run->has_wall = false;
    return code != 0 ? code : end_code;
}

/* ---- after the end ---- */

static int remember_write(struct weir_data_phase *data)
{
    struct weir_run *run = data->run;

    if (!weir_verb_makes_files(data->phase->verb) || rewrites_a_part(data->phase))
        return 0;
    run->written.target = data->target;
    run->written.repetition = run->repetition;
    run->written.identity = data->facts.identity;
    return weir_stop_remember(run, data->loop.furthest);
}

static uint64_t ask_size(struct weir_data_phase *data)
{
    struct weir_name_facts facts;

    if (data->run->backend->names == NULL || weir_run_stat(data->run, data->path, &facts) != 0)
        return UINT64_MAX;
    return facts.bytes;
}

/* After a write into one file, one rank of each node asks: file systems that cache sizes may tell
 * each node another one, and each question is work for the metadata server. While the file is open
 * that is no fault, so nothing is asked. */
static void measure_file(struct weir_data_phase *data)
{
    bool handles_name = weir_run_handles_name(data->run, data->target);
    bool is_shared_write = data->target->is_shared && weir_verb_makes_files(data->phase->verb) &&
                           data->run->group->node_rank == 0;
    bool is_asked =
        (handles_name || is_shared_write) && !data->target->is_device && !data->phase->leaves_open;
    uint64_t bytes = is_asked ? ask_size(data) : UINT64_MAX;

    data->facts.file_bytes = handles_name ? bytes : UINT64_MAX;
    data->facts.shared_bytes = is_shared_write ? bytes : UINT64_MAX;
}

/* Pages that are dirty when all ranks have ended, before anything else syncs or removes the file. A
 * survey from before a sync that the rate leaves out is kept. */
static void count_dirty(struct weir_data_phase *data)
{
    bool syncs_in_time = weir_phase_syncs_in_time(data);
    bool syncs_after = data->phase->transfers.must_sync_after;
    struct weir_residency seen;

    weir_cache_state_count_dirty(data, 0, &seen);
    if (data->facts.unstored.asked_bytes == 0 && (syncs_in_time || !syncs_after))
        data->facts.unstored = seen;
    /* A rank that is told to stop does not sync any more. */
    if ((syncs_in_time || syncs_after) && !weir_run_must_stop(data->run))
        data->facts.unsynced = seen;
}

/* When the record of the phase is safe. */
static int write_log(struct weir_data_phase *data, const uint64_t bands[], struct weir_error *error)
{
    bool has_bands = weir_rank_histogram_is_wanted(data->run, data->phase);
    bool has_log = weir_op_log_is_wanted(data->run, data->phase);

    if (!has_log && !has_bands)
        return 0;
    if (has_log)
        weir_op_log_write(&data->log, data->run, data->phase, error);
    if (has_bands && !weir_error_is_set(error))
        weir_rank_histogram_write(data->run, data->phase, bands, error);
    return weir_group_agree(data->run->group, error);
}

static int finish(struct weir_data_phase *data, struct weir_error *error)
{
    struct weir_run *run = data->run;
    uint64_t bands[WEIR_RANK_BANDS];
    int code;

    weir_surroundings_end(run->surroundings, run->group, run->buffers.memory, run->buffers.bytes,
                          &data->facts.around);
    code = weir_group_synchronise(run->group, run->params->clock, &data->facts.after);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s", strerror(-code));
    count_dirty(data);
    measure_file(data);
    if (!data->target->is_shared || run->group->node_rank == 0)
        weir_run_take_sight(run, data->target, data->path);
    weir_cache_state_conclude(data);
    data->facts.unlogged = data->log.unlogged;
    data->facts.is_incomplete =
        weir_verb_makes_files(data->phase->verb) && data->loop.furthest < data->share.op_count;
    if (weir_rank_histogram_is_wanted(run, data->phase))
        weir_rank_histogram_take(run->tally, bands);
    code = weir_gather(run, &data->facts, error);
    if (code == 0)
        code = remember_write(data);
    if (code == 0)
        code = write_log(data, bands, error);
    if (code == 0 && weir_verb_makes_files(data->phase->verb) && !run->is_ending)
        code = weir_stop_store(run, data->phase, data->loop.furthest, error);
    return code;
}

int weir_phase_data(struct weir_run *run, const struct weir_phase *phase, struct weir_error *error)
{
    struct weir_data_phase data = {
        .run = run, .phase = phase, .target = phase->target, .facts = {.phase = phase}};
    int code;

    run->failure = (struct weir_error){0};
    weir_text_clear(&run->notes);
    run->is_cut = run->is_called_off = false;
    *error = run->late_error;
    code = prepare(&data, error);
    if (code == 0) {
        code = choose_depth(&data, error);
        if (code == 0)
            code = claim_file(&data, error);
        if (code == 0)
            code = start(&data);
        if (code == 0)
            code = pass_windows(&data);
        if (code == 0)
            code = finish(&data, error);
        if (code != 0)
            weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->backend->descriptor.name,
                           "the session broke: %s", strerror(-code));
    }
    free(data.op_states);
    weir_op_log_close(&data.log);
    return code;
}
