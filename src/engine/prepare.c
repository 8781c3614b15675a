/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is created or removed here: a test that cannot or must not run is refused while all is as
 * it was. */
#include "prepare.h"

#include "cache_state.h"
#include "check_device.h"
#include "check_room.h"
#include "check_target.h"
#include "claim.h"
#include "marks.h"
#include "op_log.h"
#include "rank_histogram.h"
#include "servers.h"
#include "stop.h"
#include "tree_places.h"
#include "watchdog.h"

#include "weir/base/remedy.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A writer goes round at least this many bytes, so that what it writes does not repeat at short
 * range. */
#define SPREAD_BYTES (UINT64_C(1) << 20)

/* ---- what the plan needs, over all phases ---- */

/* Bytes that the phase moves at once. */
static uint64_t transfer_of(const struct weir_phase *phase)
{
    return weir_verb_moves_data(phase->verb) ? weir_phase_op_bytes(phase) : phase->names.bytes;
}

static uint64_t largest_transfer(const struct weir_test *test)
{
    uint64_t largest = 1;

    for (size_t i = 0; i < test->phase_count; i++)
        if (transfer_of(test->phases[i]) > largest)
            largest = transfer_of(test->phases[i]);
    return largest;
}

/* Of all phases, or (`is_fixed`) of those that do not look for one up to theirs. */
static unsigned greatest_depth(const struct weir_test *test, bool is_fixed)
{
    unsigned greatest = 1;

    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->depth > greatest && !(is_fixed && test->phases[i]->must_find_depth))
            greatest = test->phases[i]->depth;
    return greatest;
}

static bool has_payload(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if ((weir_verb_writes(test->phases[i]->verb) &&
             test->phases[i]->transfers.payload.mode != WEIR_PAYLOAD_NONE) ||
            (test->phases[i]->names.bytes > 0 &&
             test->phases[i]->names.payload.mode != WEIR_PAYLOAD_NONE))
            return true;
    return false;
}

/* ---- what the backend says of a path ---- */

static int ask_backend(struct weir_run *run, const char *path, struct weir_error *error)
{
    const struct weir_name_ops *names = run->backend->names;

    return names->check == NULL ? 0 : names->check(run->session, path, error);
}

/* ---- alignment ---- */

static int check_alignment(const struct weir_run *run, const struct weir_phase *phase,
                           const char *path, struct weir_error *error)
{
    uint64_t demand = run->alignment.offset;
    uint64_t transfer = transfer_of(phase);

    if (transfer % demand == 0)
        return 0;
    if (phase->target->tree != NULL)
        return weir_error_usage(error, run->backend->descriptor.name,
                                "%s: items of %llu bytes are not multiples of the %llu bytes that "
                                "direct I/O needs there: change " WEIR_REMEDY_TRANSFER_SIZE
                                ", or leave direct I/O out",
                                path, (unsigned long long)transfer, (unsigned long long)demand);
    return weir_error_usage(error, run->backend->descriptor.name,
                            "%s: transfers of %llu bytes are not multiples of the %llu bytes that "
                            "direct I/O needs there: change " WEIR_REMEDY_TRANSFER_SIZE
                            ", or leave direct I/O out",
                            path, (unsigned long long)transfer, (unsigned long long)demand);
}

static int ask_alignment(struct weir_run *run, const char *path, struct weir_error *error)
{
    struct weir_alignment alignment = {.memory = 1, .offset = 1};
    int code;

    if (run->backend->names == NULL || run->backend->names->alignment == NULL)
        return 0;
    code = run->backend->names->alignment(run->session, path, &alignment);
    if (code == -EOPNOTSUPP)
        return weir_error_set(error, WEIR_EXIT_USAGE, code, run->backend->descriptor.name,
                              "%s: this file system takes no direct I/O (%s): " WEIR_REMEDY_BUFFERED
                              ", or use " WEIR_REMEDY_BACKEND " POSIX",
                              path, strerror(-code));
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_USAGE, code, run->backend->descriptor.name,
                              "%s: what direct I/O needs there cannot be found out: %s", path,
                              strerror(-code));
    if (alignment.memory > run->alignment.memory)
        run->alignment.memory = alignment.memory;
    if (alignment.offset > run->alignment.offset)
        run->alignment.offset = alignment.offset;
    return 0;
}

/* ---- size ---- */

static int check_item_total(const struct weir_run *run, const struct weir_phase *phase,
                            struct weir_error *error)
{
    uint64_t per_rank = weir_phase_items(phase), bytes = weir_phase_op_bytes(phase);
    uint64_t total;

    if (!__builtin_mul_overflow(per_rank, (uint64_t)run->group->size, &total) &&
        !__builtin_mul_overflow(total, bytes > 0 ? bytes : 1, &total) && total <= INT64_MAX)
        return 0;
    return weir_error_usage(error, run->test->dialect,
                            "%d ranks with %llu items each, for which %llu bytes are moved, are "
                            "more than can be counted: choose fewer or smaller ones",
                            run->group->size, (unsigned long long)per_rank,
                            (unsigned long long)bytes);
}

/* The plan has seen to it that one rank's part can be addressed; now the ranks are counted. */
static int check_total(const struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error)
{
    uint64_t per_rank = weir_layout_bytes_per_rank(&phase->transfers.layout);
    uint64_t total;

    if (weir_verb_works_on_trees(phase->verb))
        return check_item_total(run, phase, error);
    if (!weir_verb_moves_data(phase->verb) || !phase->target->is_shared)
        return 0;
    if (!__builtin_mul_overflow(per_rank, (uint64_t)run->group->size, &total) && total <= INT64_MAX)
        return 0;
    return weir_error_usage(
        error, run->test->dialect,
        "%d ranks with %llu bytes each are more than a shared file can hold: move less "
        "(" WEIR_REMEDY_LESS_DATA "), or use " WEIR_REMEDY_FILE_PER_RANK,
        run->group->size, (unsigned long long)per_rank);
}

/* ---- what ranks see of the same files ---- */

/* True if some rank reads, or looks up, what another one has made. */
static bool needs_files_of_others(const struct weir_run *run, const struct weir_phase *phase)
{
    const struct weir_target *target = phase->target;

    if (target->tree != NULL || target->is_shared)
        return true;
    return phase->shift.kind != WEIR_SHIFT_NONE &&
           weir_group_any(run->group, weir_run_owner(run, phase) != (uint64_t)run->group->rank);
}

/* Of a shared file: a write, or else the phase that finds the file. Of trees the first phase, and
 * again when they have been made. */
static int check_shared_view(struct weir_run *run, const struct weir_phase *phase,
                             struct weir_error *error)
{
    const struct weir_target *target = phase->target;
    const bool is_made = weir_verb_makes_files(phase->verb) && !target->is_device;

    if (phase->verb == WEIR_PROGRAM || run->group->size == 1 || run->backend->names == NULL ||
        !needs_files_of_others(run, phase))
        return 0;
    if (target->tree != NULL ? phase != run->test->phases[0]
                             : target->is_shared && !is_made && !target->is_device &&
                                   weir_test_phase(run->test, WEIR_WRITE) != NULL)
        return 0;
    return weir_marks_compare(run, phase, error);
}

/* ---- over all phases, repetitions and files of this rank ---- */

static int check_file(struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error)
{
    char path[WEIR_PATH_BYTES];
    int code = weir_run_path(run, phase->target, (uint64_t)run->group->rank, path);

    if (code != 0)
        return weir_error_usage(error, run->test->dialect,
                                WEIR_REMEDY_PATH
                                ": the path of a file would be longer than %d bytes",
                                WEIR_PATH_BYTES - 1);
    /* Items of a tree have names of their own: what is said is of the directory that they are in.
     */
    if (phase->target->tree != NULL && phase->target->path_count > 0)
        snprintf(path, sizeof path, "%s",
                 phase->target->paths[(size_t)run->group->rank % phase->target->path_count]);
    if (run->repetition == 0) {
        code = ask_backend(run, path, error);
        if (code == 0)
            code = weir_check_package_directory(run, phase->target, path, error);
        if (code == 0)
            code = ask_alignment(run, path, error);
        if (code == 0)
            code = check_alignment(run, phase, path, error);
    }
    if (code == 0 && phase->target->tree != NULL)
        code = weir_tree_places_check(run, phase, error);
    else if (code == 0 && !phase->target->is_device && weir_run_handles_name(run, phase->target))
        code = weir_check_target(run, phase, path, error);
    return code;
}

static int check_files(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error)
{
    uint64_t repetitions = phase->target->is_new_each_repetition ? run->test->repetitions : 1;
    int code = 0;

    for (run->repetition = 0; code == 0 && run->repetition < repetitions; run->repetition++)
        code = check_file(run, phase, error);
    run->repetition = 0;
    return code;
}

/* Phases on trees look at what they find themselves. */
void weir_prepare_look_again(struct weir_run *run, struct weir_error *error)
{
    char path[WEIR_PATH_BYTES];

    for (size_t i = 0; i < run->test->phase_count && !weir_error_is_set(error); i++) {
        const struct weir_phase *phase = run->test->phases[i];
        const struct weir_target *target = phase->target;

        if (phase->verb != WEIR_PROGRAM && target->tree == NULL && !target->is_device &&
            run->backend->names != NULL && weir_run_takes_part(run, phase) &&
            weir_run_handles_name(run, target) &&
            weir_run_path(run, target, (uint64_t)run->group->rank, path) == 0)
            weir_check_target(run, phase, path, error);
    }
}

static int check_status_file(const struct weir_run *run, const struct weir_phase *phase,
                             struct weir_error *error)
{
    bool stores = weir_verb_makes_files(phase->verb) || weir_verb_makes_items(phase->verb);

    if (!stores || phase->stop.status_path == NULL || run->group->rank != 0)
        return 0;
    return weir_stop_check_status(run->test, phase->stop.status_path, error);
}

int weir_prepare_check_files(const struct weir_run *run, const struct weir_phase *phase,
                             struct weir_error *error)
{
    int code = check_status_file(run, phase, error);

    if (code == 0)
        code = weir_op_log_check(run, phase, error);
    if (code == 0)
        code = weir_rank_histogram_check(run, phase, error);
    return code;
}

static int check_phase(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error)
{
    int code;

    if (!weir_run_takes_part(run, phase))
        return 0;
    /* Its files are what its statements make of them. */
    if (phase->verb == WEIR_PROGRAM)
        return 0;
    code = check_total(run, phase, error);
    if (code == 0)
        code = weir_prepare_check_files(run, phase, error);
    if (code == 0)
        code = weir_check_files_differ(run, phase, error);
    if (code == 0 && run->backend->names != NULL)
        code = check_files(run, phase, error);
    return code;
}

static const char *path_of(const struct weir_run *run, const struct weir_phase *phase,
                           char path[WEIR_PATH_BYTES])
{
    if (weir_run_path(run, phase->target, (uint64_t)run->group->rank, path) != 0)
        return "";
    return path;
}

static int check_phases(struct weir_run *run, struct weir_error *error)
{
    char path[WEIR_PATH_BYTES];
    int code = 0;

    for (size_t i = 0; code == 0 && i < run->test->phase_count; i++) {
        weir_watchdog_say(run, WEIR_ACTIVITY_CHECK, path_of(run, run->test->phases[i], path));
        check_phase(run, run->test->phases[i], error);
        weir_watchdog_say(run, WEIR_ACTIVITY_NONE, NULL);
        if (i + 1 == run->test->phase_count && run->group->rank == 0 && !weir_error_is_set(error))
            weir_marks_take(run, error);
        code = weir_group_agree(run->group, error);
        if (code == 0)
            code = weir_check_device(run, run->test->phases[i], error);
    }
    for (size_t i = 0; code == 0 && i < run->test->phase_count; i++)
        code = check_shared_view(run, run->test->phases[i], error);
    return code;
}

/* Rank 0 learns how many there are over all ranks, and the path of the first rank that has one. */
static int gather_existing(struct weir_run *run)
{
    struct weir_existing *existing = &run->existing;
    uint64_t first = existing->count > 0 ? (uint64_t)run->group->rank : UINT64_MAX;
    int code = weir_group_reduce(run->group, &existing->count, 1, WEIR_SUM);

    if (code == 0)
        code = weir_group_reduce(run->group, &first, 1, WEIR_MIN);
    if (code != 0 || first == UINT64_MAX)
        return code;
    return weir_group_broadcast(run->group, existing->path, sizeof existing->path, (int)first);
}

/* Objects that an earlier run has left in disorder are none to be worked on. */
static int check_working_set(const struct weir_run *run, struct weir_error *error)
{
    const struct weir_reach *reach = &run->reach;
    size_t i = 0;

    if (!reach->is_earlier)
        return 0;
    while (run->test->phases[i]->names.rotation.count == 0)
        i++;
    if (run->test->phases[i]->verb != WEIR_CYCLE)
        return 0;
    return weir_error_usage(error, run->backend->descriptor.name,
                            "%s: a run that ended early has left files of the items %llu to %llu, "
                            "of which some may be missing: remove them with " WEIR_REMEDY_REMOVE
                            ", and make new ones with " WEIR_REMEDY_WRITE,
                            reach->target->paths[0], (unsigned long long)reach->first,
                            (unsigned long long)reach->end - 1);
}

/* ---- opening ---- */

static int open_session(struct weir_run *run, struct weir_error *error)
{
    const struct weir_test *test = run->test;
    const struct weir_registry *registry = run->params->registry;
    struct weir_session_params params = {
        .depth = greatest_depth(test, false),
        .options = test->backend_options,
        .group = run->group,
        .inner = test->inner == NULL ? NULL : weir_backend_find(registry, test->inner->name),
        .inner_options = test->inner_options,
        .notes = run->result != NULL ? &run->notes : NULL,
        .stop_signal = run->params->stop_signal,
    };

    weir_servers_fill_params(run->servers, &params);
    run->backend = weir_backend_find(registry, test->backend->name);
    if (run->backend->open(&params, &run->session, error) != 0)
        run->session = NULL;
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    assert(run->session != NULL);
    if (run->session->depth < greatest_depth(test, true))
        weir_error_usage(error, run->backend->descriptor.name,
                         "a queue depth of %u is not possible here: the most is %u",
                         greatest_depth(test, true), run->session->depth);
    if (weir_queue_open(&run->queue, run->session, run->params->clock) != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    run->queue.stop_signal = run->params->stop_signal;
    return weir_group_agree(run->group, error);
}

/* Ranks may have been told different alignments; a job has one. */
static int agree_alignment(struct weir_run *run)
{
    uint64_t values[2] = {run->alignment.memory, run->alignment.offset};
    int code = weir_group_reduce(run->group, values, 2, WEIR_MAX);

    run->alignment.memory = (uint32_t)values[0];
    run->alignment.offset = (uint32_t)values[1];
    return code;
}

/* ---- memory ---- */

/* The session may want to see all of it before the first transfer. */
static void lend_buffers(struct weir_run *run, struct weir_error *error)
{
    const struct weir_memory_ops *memory = run->backend->memory;

    if (memory == NULL)
        return;
    memory->lend(run->session, run->buffers.memory, run->buffers.bytes, error);
    run->is_memory_lent = !weir_error_is_set(error);
}

/* Where they could not be placed as asked, that is why. */
static void refuse_buffers(struct weir_run *run, const struct weir_buffers_params *params, int code,
                           struct weir_error *error)
{
    if (weir_error_is_set(&run->surroundings->refusal))
        *error = run->surroundings->refusal;
    else
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, NULL,
                       "no memory for transfers of %llu bytes, %u at a time (%s): use smaller "
                       "transfers, a smaller --depth, or fewer ranks per node",
                       (unsigned long long)params->transfer_bytes, params->slots, strerror(-code));
}

static void close_buffers(struct weir_run *run)
{
    if (run->is_memory_lent)
        run->backend->memory->give_back(run->session);
    run->is_memory_lent = false;
    weir_buffers_close(&run->buffers);
}

static int take_buffers(struct weir_run *run, struct weir_error *error)
{
    struct weir_buffers_params params = {
        .slots = run->queue.depth,
        .transfer_bytes = largest_transfer(run->test),
        .spread_bytes = has_payload(run->test) ? SPREAD_BYTES : 0,
        .alignment = run->alignment.memory,
        .wants_huge_pages = weir_run_wants_huge_pages(run),
        .place = weir_surroundings_place_memory,
        .place_context = run->surroundings,
    };
    int code;

    if (run->buffers.memory != NULL && run->buffer_alignment == params.alignment)
        return 0;
    close_buffers(run);
    run->buffer_alignment = params.alignment;
    if (weir_check_memory(run, params.slots * params.transfer_bytes, error) != 0)
        return error->code;
    run->surroundings->refusal = (struct weir_error){0};
    code = weir_buffers_open(&run->buffers, &params);
    if (code != 0)
        refuse_buffers(run, &params, code, error);
    else
        lend_buffers(run, error);
    return weir_group_agree(run->group, error);
}

int weir_prepare_test(struct weir_run *run, struct weir_error *error)
{
    int code = run->session != NULL ? 0 : open_session(run, error);

    if (code != 0)
        return code;
    run->alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    code = weir_cache_state_check(run, error);
    if (code == 0)
        code = check_phases(run, error);
    if (code != 0)
        return code;
    code = agree_alignment(run);
    if (code == 0)
        code = gather_existing(run);
    if (code == 0)
        code = weir_marks_read_reach(run);
    if (code == 0 && check_working_set(run, error) != 0)
        return error->code;
    if (code == 0)
        code = weir_check_room(run, error);
    if (weir_error_is_set(error))
        return error->code;
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                              "ranks cannot tell each other what they found: %s", strerror(-code));
    run->depths = calloc(run->test->phase_count, sizeof *run->depths);
    if (run->depths == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    return take_buffers(run, error);
}

int weir_prepare_removal(struct weir_run *run, const struct weir_phase *phase,
                         struct weir_error *error)
{
    if (open_session(run, error) != 0)
        return error->code;
    run->alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    run->depths = calloc(run->test->phase_count, sizeof *run->depths);
    if (run->depths == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    else
        check_phase(run, phase, error);
    return weir_group_agree(run->group, error);
}

/* Where ranks and their memory are. */
static bool has_same_place(const struct weir_test *one, const struct weir_test *other)
{
    return weir_surroundings_suit(one, other) && one->membind.policy == other->membind.policy &&
           one->membind.node == other->membind.node &&
           one->wants_huge_pages == other->wants_huge_pages;
}

/* A backend around another one counts operations from the begin of its session on, and servers may
 * be others for each test. */
static bool keeps_nothing(const struct weir_backend *backend)
{
    return (backend->descriptor.abilities & WEIR_WRAPS) != 0 || backend->server != NULL;
}

bool weir_prepare_does_for(const struct weir_run *run, const struct weir_test *next)
{
    const struct weir_test *test = run->test;

    return run->session != NULL && run->buffers.memory != NULL && !keeps_nothing(run->backend) &&
           test->backend == next->backend &&
           weir_options_are_same(&test->backend->options, test->backend_options,
                                 next->backend_options) &&
           has_same_place(test, next) &&
           greatest_depth(test, false) == greatest_depth(next, false) &&
           greatest_depth(test, true) == greatest_depth(next, true) &&
           largest_transfer(test) == largest_transfer(next) &&
           has_payload(test) == has_payload(next);
}

void weir_prepare_end(struct weir_run *run)
{
    if (run->is_memory_lent)
        run->backend->memory->give_back(run->session);
    run->is_memory_lent = false;
    if (run->session != NULL)
        run->backend->close(run->session);
    run->session = NULL;
    /* After the session: transfers in flight of a broken session use queue and buffers until then.
     */
    weir_queue_close(&run->queue);
    weir_buffers_close(&run->buffers);
}

void weir_prepare_close(struct weir_run *run)
{
    weir_marks_drop(run);
    if (!run->must_keep_session)
        weir_prepare_end(run);
    weir_claim_close(run);
    free(run->depths);
    weir_text_close(&run->notes);
    free(run->written.ops_of_rank);
    free(run->made[0].ops_of_rank);
    free(run->made[1].ops_of_rank);
    free(run->made[2].ops_of_rank);
    free(run->strangers.hashes);
    run->strangers = (struct weir_strangers){0};
    free(run->tree_roots.made);
    weir_filler_close(&run->filler);
}
