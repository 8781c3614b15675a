/* SPDX-License-Identifier: Apache-2.0 */
/* One write or read: prepare, start together, open, move, close, gather. The three windows are
 * IOR's. */
#include "phase_data.h"

#include "gather.h"
#include "identity.h"
#include "move.h"
#include "stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct data_phase {
    struct weir_run *run;
    const struct weir_phase *phase;
    const struct weir_target *target;
    char path[WEIR_PATH_BYTES];
    uint64_t owner; /* the rank whose part this rank takes */
    struct weir_share share;
    struct weir_source source;
    struct weir_flight *flights;
    struct weir_op_log log;
    struct weir_file *file;
    struct weir_mover mover;
    struct weir_phase_facts facts;
};

/* ---- before the start: nothing here is timed ---- */

static uint64_t order_seed(const struct weir_run *run, const struct weir_layout *layout)
{
    if (layout->order == WEIR_ORDER_SEQUENTIAL)
        return 0;
    return layout->seed_is_given ? layout->seed : run->order_seed;
}

/* Random blocks are drawn from what there is to read. */
static uint64_t existing_bytes(const struct weir_run *run, const char *path)
{
    struct weir_name_facts facts;

    if (run->backend->names == NULL || run->backend->names->stat(run->session, path, &facts) != 0)
        return 0;
    return facts.bytes;
}

static void set_share(struct data_phase *data)
{
    const struct weir_run *run = data->run;
    const struct weir_layout *layout = &data->phase->layout;
    bool reads_anywhere =
        data->phase->verb == WEIR_READ && layout->order == WEIR_ORDER_RANDOM_BLOCKS;

    data->facts.order_seed = order_seed(run, layout);
    weir_share_init(&data->share, layout,
                    &(struct weir_share_params){
                        .is_shared = data->target->is_shared,
                        .ranks = (uint64_t)run->group->size,
                        .owner = data->owner,
                        .seed = data->facts.order_seed,
                        .file_bytes = reads_anywhere ? existing_bytes(run, data->path) : 0,
                    });
}

static int make_directory(struct weir_run *run, const char *path)
{
    char directory[WEIR_PATH_BYTES];
    char *slash;
    int code;

    memcpy(directory, path, strlen(path) + 1);
    slash = strrchr(directory, '/');
    if (slash == NULL || slash == directory)
        return 0;
    *slash = '\0';
    code = run->backend->names->mkdir(run->session, directory);
    run->has_made_directory |= code == 0;
    return code == -EEXIST ? 0 : code;
}

/* Whoever handles the name makes room for a write. */
static int prepare_name(struct data_phase *data)
{
    struct weir_run *run = data->run;
    int code = 0;

    if (data->phase->verb != WEIR_WRITE || run->backend->names == NULL ||
        !weir_run_handles_name(run, data->target))
        return 0;
    if (data->target->has_own_directory)
        code = make_directory(run, data->path);
    if (code == 0 && data->phase->must_replace) {
        code = run->backend->names->unlink(run->session, data->path);
        if (code == -ENOENT)
            code = 0;
    }
    return code;
}

static int set_identity(struct data_phase *data, struct weir_error *error)
{
    struct weir_identity *identity = &data->facts.identity;
    const struct weir_phase *phase = data->phase;
    int code = 0;

    *identity = (struct weir_identity){.transfer_bytes = phase->layout.transfer_bytes,
                                       .mode = WEIR_PAYLOAD_NONE};
    if (phase->verb == WEIR_WRITE && phase->payload.mode != WEIR_PAYLOAD_NONE)
        code = weir_identity_create(data->run, phase, identity);
    else if (phase->must_verify)
        code = weir_identity_expect(data->run, phase, data->path, identity, error);
    if (code == 0)
        code = weir_identity_prepare_noise(data->run, identity);
    return code;
}

/* Every window gets its noise once; the loop then only puts stamps. */
static void prepare_buffers(struct data_phase *data)
{
    struct weir_run *run = data->run;
    const struct weir_buffers *buffers = &run->buffers;

    weir_source_init(&data->source, &data->facts.identity, run->noise,
                     weir_run_file_number(data->target, data->owner), (uint32_t)data->owner);
    if (data->phase->verb != WEIR_WRITE)
        return;
    for (unsigned window = 0; window < buffers->slots * buffers->windows; window++)
        weir_source_lay(&data->source, weir_buffers_window(buffers, window),
                        weir_source_first_noise(&data->source, window));
}

static int open_log(struct data_phase *data, struct weir_error *error)
{
    int code;

    if (!weir_op_log_is_wanted(data->run, data->phase))
        return 0;
    code = weir_op_log_open(&data->log, data->run, data->phase, data->facts.op_limit);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "ior: savePerOpDataCSV",
                       "no memory for lists of so many transfers on all ranks of this node: move "
                       "less, in larger transfers, or with fewer ranks");
    return weir_group_agree(data->run->group, error);
}

static int prepare(struct data_phase *data, struct weir_error *error)
{
    struct weir_run *run = data->run;
    int code;

    data->owner = weir_run_owner(run, data->phase);
    data->facts.is_near = run->group->node_of_rank[data->owner] == run->group->node;
    code = weir_run_path(run, data->target, data->owner, data->path);
    if (code == 0)
        code = prepare_name(data);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name, "%s: %s",
                       data->path, strerror(-code));
    data->flights = calloc(run->queue.depth, sizeof *data->flights);
    if (data->flights == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    code = set_identity(data, error);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, NULL, "%s", strerror(-code));
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    set_share(data);
    prepare_buffers(data);
    code = weir_stop_limit(run, data->phase, data->owner, data->share.op_count,
                           &data->facts.op_limit, error);
    return code != 0 ? code : open_log(data, error);
}

static int start(struct data_phase *data)
{
    struct weir_run *run = data->run;
    int code = weir_group_synchronise(run->group, run->params->clock, &data->facts.before);

    if (code != 0)
        return code;
    data->facts.begun_s = weir_wall_clock_s();
    data->facts.start_ns =
        weir_group_start_together(run->group, run->params->clock, &data->facts.before);
    if (data->facts.start_ns == 0)
        return -ECOMM;
    weir_tally_reset(run->tally, data->facts.start_ns);
    return 0;
}

/* ---- the three windows ---- */

static void stamp(struct data_phase *data, enum weir_stamp which)
{
    data->run->tally->stamps_ns[which] = weir_run_now(data->run);
}

/* Of a layout in order: one block in each segment. */
static struct weir_file_part part_of(const struct weir_share *share,
                                     const struct weir_layout *layout)
{
    if (layout->order != WEIR_ORDER_SEQUENTIAL)
        return (struct weir_file_part){0};
    return (struct weir_file_part){
        .first_byte = share->first,
        .block_bytes = share->block_bytes,
        .stride_bytes = share->segment_bytes,
        .block_count = layout->segment_count,
    };
}

static void open_file(struct data_phase *data)
{
    struct weir_run *run = data->run;
    bool writes = data->phase->verb == WEIR_WRITE;
    struct weir_file_params params = {
        .path = data->path,
        .can_write = writes,
        .can_read = !writes,
        .must_create = writes,
        .group = weir_run_file_group(run, data->target),
        .expected_bytes = weir_layout_bytes_per_rank(&data->phase->layout) *
                          (data->target->is_shared ? (uint64_t)run->group->size : 1),
        .part = part_of(&data->share, &data->phase->layout),
        .is_random = data->phase->layout.order != WEIR_ORDER_SEQUENTIAL,
    };
    int code;

    stamp(data, WEIR_STAMP_OPEN_START);
    code = run->backend->file->open(run->session, &params, &data->file);
    stamp(data, WEIR_STAMP_OPEN_STOP);
    if (code != 0) {
        weir_tally_fail(run->tally, code, 0);
        weir_run_fail(run, code, "open", data->path);
        data->file = NULL;
    }
}

static void prepare_mover(struct data_phase *data)
{
    data->mover = (struct weir_mover){
        .run = data->run,
        .phase = data->phase,
        .file = data->file,
        .path = data->path,
        .share = &data->share,
        .source = &data->source,
        .reading = {.file_number = weir_run_file_number(data->target, data->owner),
                    .writer = (uint32_t)data->owner,
                    .reader = (uint32_t)data->run->group->rank,
                    .is_own_file = !data->target->is_shared,
                    .ranks = (uint32_t)data->run->group->size,
                    .any_writer = data->target->is_shared &&
                                  data->phase->layout.order != WEIR_ORDER_SEQUENTIAL},
        .limit = data->file == NULL ? 0 : data->facts.op_limit,
        .depth = data->phase->depth,
        .batch = data->phase->batch,
        .flights = data->flights,
        .log = data->log.entries != NULL ? &data->log : NULL,
    };
}

static int move_data(struct data_phase *data)
{
    struct weir_run *run = data->run;
    int code = 0;

    prepare_mover(data);
    stamp(data, WEIR_STAMP_MOVE_START);
    /* Ranks that could not open make no collective transfers, so then nobody does. */
    if (!data->phase->is_collective || !weir_group_any(run->group, data->file == NULL))
        code = weir_move(&data->mover);
    if (code == 0 && data->file != NULL && data->phase->must_sync_at_end) {
        int sync_code = run->backend->file->sync(run->session, data->file);

        if (sync_code != 0) {
            weir_tally_fail(run->tally, sync_code, 0);
            weir_run_fail(run, sync_code, "sync", data->path);
        }
    }
    stamp(data, WEIR_STAMP_MOVE_STOP);
    return code;
}

static void close_file(struct data_phase *data)
{
    struct weir_run *run = data->run;
    int code = 0;

    stamp(data, WEIR_STAMP_CLOSE_START);
    if (data->file != NULL)
        code = run->backend->file->close(run->session, data->file);
    stamp(data, WEIR_STAMP_CLOSE_STOP);
    if (code != 0) {
        weir_tally_fail(run->tally, code, 0);
        weir_run_fail(run, code, "close", data->path);
    }
}

static int pass_windows(struct data_phase *data)
{
    bool has_barriers = data->phase->has_inner_barriers;
    struct weir_group *group = data->run->group;
    int code = 0;

    open_file(data);
    if (has_barriers)
        code = weir_group_barrier(group);
    if (code == 0)
        code = move_data(data);
    if (code == 0 && has_barriers)
        code = weir_group_barrier(group);
    close_file(data);
    return code;
}

/* ---- after the end ---- */

static int remember_write(struct data_phase *data)
{
    struct weir_run *run = data->run;

    if (data->phase->verb != WEIR_WRITE)
        return 0;
    run->written.target = data->target;
    run->written.repetition = run->repetition;
    run->written.identity = data->facts.identity;
    return weir_stop_remember(run, data->mover.furthest, data->share.op_count);
}

static uint64_t ask_size(struct data_phase *data)
{
    struct weir_name_facts facts;

    if (data->run->backend->names == NULL ||
        data->run->backend->names->stat(data->run->session, data->path, &facts) != 0)
        return UINT64_MAX;
    return facts.bytes;
}

/* After a write into one file, every rank asks: file systems that cache sizes may tell each another
 * one. */
static void measure_file(struct data_phase *data)
{
    bool handles_name = weir_run_handles_name(data->run, data->target);
    bool is_shared_write = data->target->is_shared && data->phase->verb == WEIR_WRITE;
    uint64_t bytes = handles_name || is_shared_write ? ask_size(data) : UINT64_MAX;

    data->facts.file_bytes = handles_name ? bytes : UINT64_MAX;
    data->facts.shared_bytes = is_shared_write ? bytes : UINT64_MAX;
}

/* When the record of the phase is safe. */
static int write_log(struct data_phase *data, struct weir_error *error)
{
    if (!weir_op_log_is_wanted(data->run, data->phase))
        return 0;
    weir_op_log_write(&data->log, data->run, data->phase, error);
    return weir_group_agree(data->run->group, error);
}

static int finish(struct data_phase *data, struct weir_error *error)
{
    struct weir_run *run = data->run;
    int code = weir_group_synchronise(run->group, run->params->clock, &data->facts.after);

    if (code == 0)
        code = remember_write(data);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s", strerror(-code));
    measure_file(data);
    data->facts.unlogged = data->log.unlogged;
    code = weir_gather(run, &data->facts, error);
    if (code == 0)
        code = write_log(data, error);
    if (code == 0 && data->phase->verb == WEIR_WRITE && !run->is_ending)
        code = weir_stop_store(run, data->phase, data->mover.furthest, error);
    return code;
}

int weir_phase_data(struct weir_run *run, const struct weir_phase *phase, struct weir_error *error)
{
    struct data_phase data = {
        .run = run, .phase = phase, .target = phase->target, .facts = {.phase = phase}};
    int code;

    run->failure = (struct weir_error){0};
    weir_text_clear(&run->notes);
    run->is_cut = false;
    code = prepare(&data, error);
    if (code == 0) {
        code = start(&data);
        if (code == 0)
            code = pass_windows(&data);
        if (code == 0)
            code = finish(&data, error);
        if (code != 0)
            weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->backend->descriptor.name,
                           "the session broke: %s", strerror(-code));
    }
    free(data.flights);
    weir_op_log_close(&data.log);
    return code;
}
