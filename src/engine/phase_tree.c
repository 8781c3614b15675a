/* SPDX-License-Identifier: Apache-2.0 */
/* One phase on the names of trees: prepare, start together, go through the items, gather. Its
 * operations are timed from the agreed start on; syncs of the whole file system and the user's
 * command behind them are within the phase, as its close. */
#include "phase_tree.h"

#include "cache_state.h"
#include "gather.h"
#include "identity.h"
#include "loop.h"
#include "marks.h"
#include "stop.h"
#include "tree_places.h"
#include "tree_trials.h"
#include "user_command.h"
#include "watchdog.h"

#include "weir/base/log.h"
#include "weir/base/remedy.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct tree_phase {
    struct weir_run *run;
    const struct weir_phase *phase;
    const struct weir_names *names;
    struct weir_items items;
    struct weir_share share;
    struct weir_source source;
    struct weir_op_state *op_states;
    struct weir_op_log log;
    struct weir_trials trials; /* of depths */
    struct weir_loop loop;
    uint64_t found_items; /* of the session, before the phase */
    struct weir_phase_facts facts;
};

static bool makes_items(const struct weir_phase *phase)
{
    return phase->names.item != NULL && weir_verb_makes_items(phase->verb);
}

/* Second names of items, which a later phase removes. */
static bool makes_names(const struct weir_phase *phase)
{
    return phase->verb == WEIR_LINK || phase->verb == WEIR_SYMLINK;
}

static bool makes_names_of_items(const struct tree_phase *tree)
{
    return tree->phase->verb == WEIR_CYCLE || makes_items(tree->phase) || makes_names(tree->phase);
}

/* What is known of those that the phase makes, or works on. */
static struct weir_made *made_for(const struct tree_phase *tree)
{
    struct weir_made *made = tree->run->made;
    const char *item = tree->names->item;
    bool is_second =
        made[2].target == tree->phase->target && item != NULL && strcmp(made[2].item, item) == 0;

    return &made[is_second ? 2 : tree->names->is_directory];
}

/* ---- before the start ---- */

static bool is_shuffled(const struct tree_phase *tree)
{
    return tree->names->order != WEIR_ORDER_SEQUENTIAL && !tree->items.is_chain;
}

static void set_order(struct tree_phase *tree)
{
    const struct weir_names *names = tree->names;

    if (is_shuffled(tree))
        tree->facts.order_seed = names->seed_is_given ? names->seed : tree->run->order_seed;
}

/* `count` items as a layout has transfers: one byte each, in the order of the phase, which goes
 * with the owner so that a later phase of another rank finds the same first ones. */
static void set_share(struct tree_phase *tree, uint64_t count)
{
    const struct weir_group *group = tree->run->group;
    const struct weir_layout layout = {.segment_count = 1,
                                       .block_bytes = count > 0 ? count : 1,
                                       .transfer_bytes = 1,
                                       .order = is_shuffled(tree) ? tree->names->order
                                                                  : WEIR_ORDER_SEQUENTIAL};

    weir_share_init(&tree->share, &layout,
                    &(struct weir_share_params){
                        .ranks = (uint64_t)group->size,
                        .owner = tree->names->is_shared ? (uint64_t)group->rank : tree->items.owner,
                        .seed = tree->facts.order_seed});
}

/* As a phase on a file would be that moves the data of an item: what is known of data is asked so.
 */
static struct weir_phase as_data_phase(const struct tree_phase *tree)
{
    struct weir_phase data = *tree->phase;

    data.verb = tree->phase->verb == WEIR_READ_FILE ? WEIR_READ : WEIR_WRITE;
    data.transfers.layout = (struct weir_layout){.segment_count = 1,
                                                 .block_bytes = tree->names->bytes,
                                                 .transfer_bytes = tree->names->bytes};
    data.transfers.payload = tree->names->payload;
    data.transfers.must_verify = tree->names->must_verify;
    return data;
}

static bool writes_data(const struct tree_phase *tree)
{
    const struct weir_names *names = tree->names;
    bool creates = tree->phase->verb == WEIR_CREATE;

    for (unsigned i = 0; i < names->cycle_count; i++)
        creates |= names->cycle[i] == WEIR_CREATE;
    return names->bytes > 0 && creates;
}

static int set_identity(struct tree_phase *tree, struct weir_error *error)
{
    struct weir_phase data = as_data_phase(tree);
    struct weir_identity *identity = &tree->facts.identity;
    bool is_cycle = tree->phase->verb == WEIR_CYCLE;
    char path[WEIR_PATH_BYTES] = "";

    *identity =
        (struct weir_identity){.transfer_bytes = tree->names->bytes, .mode = WEIR_PAYLOAD_NONE};
    if (tree->names->payload.mode == WEIR_PAYLOAD_NONE || tree->names->bytes == 0)
        return 0;
    /* Cycles read what they and the phases before them have written: all of one generation. */
    if (is_cycle && weir_run_has_written(tree->run, tree->phase->target)) {
        *identity = tree->run->written.identity;
        return 0;
    }
    /* What an earlier run has made is read, and what is made beside it goes on with its
     * generation. */
    if (is_cycle && tree->names->must_verify)
        data.verb = WEIR_READ;
    else if (writes_data(tree))
        return weir_identity_create(tree->run, &data, identity);
    if (!tree->names->must_verify)
        return 0;
    weir_tree_item_path(&tree->items.paths, tree->items.first, path);
    return weir_identity_expect(tree->run, &data, path, identity, error);
}

/* Buffers get their filler once; the loop then only puts stamps. */
static int set_source(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    const struct weir_identity *identity = &tree->facts.identity;
    int code = 0;

    if (identity->mode == WEIR_PAYLOAD_STAMP)
        code = weir_filler_prepare(&run->filler, weir_filler_seed(identity), WEIR_FILLER_PIECES);
    if (code != 0)
        return code;
    weir_source_init(&tree->source, identity, run->filler.bytes, tree->items.owner,
                     (uint32_t)tree->items.owner);
    tree->items.source = &tree->source;
    tree->items.source_owner = tree->items.owner;
    if (!writes_data(tree))
        return 0;
    for (unsigned i = 0; i < run->buffers.slots * run->buffers.per_slot; i++)
        weir_source_init_buffer(&tree->source, weir_buffers_at(&run->buffers, i),
                                weir_source_first_filler(&tree->source, i));
    return 0;
}

/* Are the items that were made the first ones of this phase, too? */
static bool has_order_of(const struct tree_phase *tree, const struct weir_made *made)
{
    const struct weir_items *items = &tree->items;

    if (items->count > items->per_owner && !made->by_first_rank)
        return false;
    return !made->is_shuffled ||
           (!made->is_shared && is_shuffled(tree) && made->seed == tree->facts.order_seed &&
            made->count == items->count);
}

/* Of `count` items those that were made. */
static uint64_t made_of(const struct tree_phase *tree, const struct weir_made *made, uint64_t count)
{
    uint64_t owner = tree->items.owner, before = 0, ops;

    if (made->by_first_rank) {
        before = owner * weir_tree_items(tree->phase->target->tree);
        owner = 0;
    }
    ops = made->ops_of_rank[owner] > before ? made->ops_of_rank[owner] - before : 0;
    return ops < count ? ops : count;
}

/* A status file counts the items of each owner, also where the first rank works on those of all. */
static int limit_by_status(struct tree_phase *tree, uint64_t *there, struct weir_error *error)
{
    struct weir_items *items = &tree->items;
    uint64_t owners = items->per_owner > 0 ? items->count / items->per_owner : 0;
    uint64_t per_owner = items->per_owner - (items->is_chain && items->per_owner > 0);
    int code = weir_stop_limit_by_status(tree->run, tree->phase, &per_owner, error);

    items->per_owner = per_owner;
    items->count = *there = owners * per_owner;
    return code;
}

/* Items that this run has not made, as it was cut, are not asked for. Where it is not known which
 * ones these are, what removes them looks for all; a chain has no place for one that is missing. */
static int set_limit(struct tree_phase *tree, struct weir_error *error)
{
    const struct weir_made *made = made_for(tree);
    struct weir_items *items = &tree->items;
    uint64_t there = items->count, first_of;
    int code = 0;

    if (items->is_chain && there > 0)
        there--;
    first_of = there;
    if (items->are_directories || makes_items(tree->phase)) {
        /* All of them. */
    } else if (made->target == tree->phase->target &&
               (tree->names->rotation.count > 0 || made->repetition == tree->run->repetition)) {
        bool is_known = made->ops_of_rank == NULL || has_order_of(tree, made);

        items->must_exist = is_known && !tree->run->is_ending && !tree->run->has_failed;
        if (made->ops_of_rank != NULL && is_known && tree->run->reach.target != tree->phase->target)
            there = made_of(tree, made, there);
        else if (!is_known && items->is_chain)
            there = 0;
        if (!made->is_shuffled)
            first_of = there;
    } else {
        code = limit_by_status(tree, &there, error);
        first_of = there;
    }
    if (items->is_chain)
        items->per_owner = items->count = first_of = there = there > 1 ? there + 1 : 0;
    tree->facts.op_limit = there;
    set_share(tree, first_of);
    return code;
}

static int allocate(struct tree_phase *tree)
{
    int code = weir_items_init(&tree->items, tree->run, tree->phase);

    tree->op_states = calloc(tree->run->queue.depth, sizeof *tree->op_states);
    return code == 0 && tree->op_states == NULL ? -ENOMEM : code;
}

/* Runs the user's command if this rank is one of those that do; the others wait for them at the
 * next agreement. */
static int run_command(const struct tree_phase *tree, const char *command,
                       char reason[WEIR_SHELL_REASON_BYTES])
{
    const struct weir_group *group = tree->run->group;
    enum weir_command_ranks ranks = tree->names->command_ranks;
    bool is_mine = ranks == WEIR_COMMAND_EACH_RANK ||
                   (ranks == WEIR_COMMAND_EACH_NODE && group->node_rank == 0) || group->rank == 0;

    return command != NULL && is_mine ? weir_user_command_run(tree->run, command, false, reason)
                                      : 0;
}

static bool changes_names(enum weir_verb verb)
{
    return verb != WEIR_OPEN && verb != WEIR_READ_FILE && verb != WEIR_STAT &&
           verb != WEIR_LOOKUP && verb != WEIR_GETXATTR && verb != WEIR_LIST &&
           verb != WEIR_LIST_STAT;
}

static int prepare_alone(struct tree_phase *tree, struct weir_error *error)
{
    int code = allocate(tree);

    if (code == 0)
        code = weir_items_judge_earlier(&tree->items);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, tree->run->backend->descriptor.name,
                       "the tree in %s: %s", tree->phase->target->paths[0], strerror(-code));
    else if (changes_names(tree->phase->verb))
        weir_tree_places_check_directories(tree->run, tree->phase, error);
    return weir_group_agree(tree->run->group, error);
}

/* Removes the names that `made` would make: items, second names, or the directories of trees.
 * Returns how many there were. */
static uint64_t remove_leftovers(struct weir_run *run, const struct weir_phase *made)
{
    bool are_directories = made->names.item == NULL || made->names.is_directory;
    bool is_cycle = made->verb == WEIR_CYCLE, is_chain;
    struct weir_phase removal = *made;
    struct weir_items items;
    uint64_t removed = 0;

    if (!weir_run_takes_part(run, made))
        return 0;
    is_chain = made->verb == WEIR_RENAME && made->names.new_item == NULL;
    if (made->names.new_item != NULL)
        removal.names.item = made->names.new_item;
    removal.names.new_item = NULL;
    if (!is_cycle)
        removal.verb = are_directories ? WEIR_RMDIR : WEIR_UNLINK;
    if (weir_items_init(&items, run, &removal) == 0) {
        for (uint64_t i = 0; i < items.count && !weir_run_must_stop(run); i++) {
            struct weir_item_slot *slot = &items.slots[0];
            const char *path = is_cycle ? slot->new_path : slot->path;

            if (is_chain && i % items.per_owner != 0)
                continue;
            weir_items_choose(&items, slot, i);
            if (is_chain)
                weir_items_away_path(&items, i / items.per_owner, slot->path);
            removed +=
                (are_directories ? weir_run_rmdir(run, path) : weir_run_unlink(run, path)) == 0;
        }
    }
    weir_items_fini(&items);
    return removed;
}

/* What a run that was cut has left of the trees is not measured as if it were made now. All ranks
 * remove their items before the directories go. */
static int clear_place(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    const struct weir_test *test = run->test;
    const struct weir_phase *phase = tree->phase;
    bool must_clear =
        run->params->is_resumed || (run->params->plan->output.must_resume &&
                                    weir_tree_places_are_inherited(run, phase->target));
    uint64_t removed = 0;
    int code;

    if (!weir_group_any(run->group, must_clear && weir_tree_places_exist(run, phase)))
        return 0;
    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *other = test->phases[i];
        bool makes = makes_items(other) || makes_names(other) || other->verb == WEIR_RENAME ||
                     other->verb == WEIR_CYCLE;

        if (other->target == phase->target && makes)
            removed += remove_leftovers(run, other);
    }
    code = weir_group_barrier(run->group);
    removed += remove_leftovers(run, phase);
    if (code == 0)
        code = weir_group_barrier(run->group);
    weir_tree_places_remove_tops(run, phase);
    if (code == 0)
        code = weir_group_reduce(run->group, &removed, 1, WEIR_SUM);
    if (run->group->rank == 0 && removed > 0)
        weir_log(WEIR_LOG_WARNING,
                 "--resume: %" PRIu64 " names that an earlier run has left in %s are removed first",
                 removed, phase->target->paths[0]);
    return code;
}

static int prepare_place(struct tree_phase *tree, struct weir_error *error)
{
    const char *command = tree->names->command_before;
    char reason[WEIR_SHELL_REASON_BYTES];
    int code;

    if (tree->items.are_directories && tree->phase->verb == WEIR_MKDIR) {
        code = tree->run->params->plan->output.must_resume ? clear_place(tree) : 0;
        if (code != 0)
            return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s", strerror(-code));
        weir_tree_places_make(tree->run, tree->phase, error);
        code = weir_group_agree(tree->run->group, error);
        if (code == 0 && tree->run->group->size > 1 && tree->run->backend->names != NULL)
            code = weir_marks_compare(tree->run, tree->phase, error);
        if (code != 0) {
            weir_tree_places_remove(tree->run, tree->phase, &tree->items);
            return code;
        }
    }
    if (!weir_error_is_set(error))
        weir_user_command_judge(command, run_command(tree, command, reason), reason, error);
    return weir_group_agree(tree->run->group, error);
}

/* True if the phase adds items to a working set that moves on. */
static bool extends_set(const struct tree_phase *tree)
{
    const struct weir_rotation *rotation = &tree->names->rotation;

    return rotation->count > 0 && (tree->phase->verb == WEIR_CREATE || rotation->working_set > 0);
}

/* Counts what the phase is about to make among what may be there: however the phase ends, it can be
 * removed. What an earlier run has left goes first. */
static int widen_reach(struct tree_phase *tree, struct weir_error *error)
{
    struct weir_run *run = tree->run;
    const struct weir_rotation *rotation = &tree->names->rotation;
    uint64_t first = tree->items.first, end = first + rotation->count + rotation->working_set;
    struct weir_reach *reach = &run->reach;
    char path[WEIR_PATH_BYTES];
    int code = 0;

    if (!extends_set(tree))
        return 0;
    if (reach->is_earlier)
        code = weir_items_remove_range(&tree->items, reach->first, reach->end, path);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
                       "remove %s, which an earlier run has left: %s", path, strerror(-code));
    if (weir_group_agree(run->group, error) != 0)
        return error->code;
    if (reach->target != tree->phase->target ||
        (reach->is_earlier && !weir_group_any(run->group, weir_run_must_stop(run))))
        *reach = (struct weir_reach){.target = tree->phase->target, .first = first, .end = end};
    reach->is_earlier = false;
    reach->first = first < reach->first ? first : reach->first;
    reach->end = end > reach->end ? end : reach->end;
    reach->is_ragged = true;
    weir_marks_note_reach(run);
    return 0;
}

static int prepare(struct tree_phase *tree, struct weir_error *error)
{
    int code = prepare_alone(tree, error);

    if (code == 0)
        code = prepare_place(tree, error);
    if (code != 0 && tree->items.are_directories && tree->phase->verb == WEIR_MKDIR) {
        tree->run->missing_tree =
            (struct weir_made){.target = tree->phase->target, .repetition = tree->run->repetition};
        tree->run->is_tree_of_others = error->exit == WEIR_EXIT_USAGE;
    }
    if (code == 0)
        code = widen_reach(tree, error);
    if (code != 0)
        return code;
    set_order(tree);
    code = set_limit(tree, error);
    if (code == 0)
        code = set_identity(tree, error);
    if (code == 0)
        code = set_source(tree);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, NULL, "%s", strerror(-code));
    if (!weir_error_is_set(error) && weir_op_log_is_wanted(tree->run, tree->phase) &&
        weir_op_log_open(&tree->log, tree->run, tree->phase, tree->facts.op_limit) != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, WEIR_REMEDY_OP_FILES,
                       "no memory for lists of so many operations on all ranks of this node");
    tree->items.must_exist |= tree->phase->verb == WEIR_CYCLE;
    tree->facts.batch = 1;
    tree->facts.is_near = weir_items_are_near(&tree->items);
    tree->facts.has_dropped_caches = weir_cache_state_drop_tree(&tree->items, error);
    return weir_group_agree(tree->run->group, error);
}

/* ---- the work ---- */

static void prepare_loop(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;

    tree->loop = (struct weir_loop){
        .run = run,
        .phase = tree->phase,
        .path = tree->phase->target->paths[0],
        .share = &tree->share,
        .source = &tree->source,
        .items = &tree->items,
        .reading = {.file_number = tree->items.owner,
                    .writer = (uint32_t)tree->items.owner,
                    .reader = (uint32_t)run->group->rank,
                    .is_own_file = true,
                    .ranks = (uint32_t)run->group->size},
        .limit = tree->trials.has_failed ? 0 : tree->facts.op_limit,
        .depth = tree->facts.depth,
        .batch = 1,
        .mix_seed = weir_random_at(tree->facts.order_seed, UINT32_MAX),
        .op_states = tree->op_states,
        .log = tree->log.entries != NULL ? &tree->log : NULL,
    };
}

static void stamp(struct tree_phase *tree, enum weir_stamp first, enum weir_stamp last)
{
    uint64_t now_ns = weir_run_now(tree->run);

    for (unsigned i = first; i <= (unsigned)last; i++)
        tree->run->tally->stamps_ns[i] = now_ns;
}

/* What makes all of it stable, and what the user wants done, as far as the phase did anything. */
static void end_work(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    const char *root = tree->items.paths.names.root;
    char reason[WEIR_SHELL_REASON_BYTES];
    int code;

    if (tree->names->must_sync_all && tree->items.count > 0) {
        weir_watchdog_say(run, WEIR_ACTIVITY_SYNC, root);
        code = weir_backend_item_names(run->backend)->sync_all(run->session, root);
        if (code != 0) {
            weir_tally_fail(run->tally, WEIR_OP_SYNC, code, 0);
            weir_run_fail(run, code, "sync", root);
        }
    }
    if (tree->names->command_after == NULL)
        return;
    /* The command sees what all ranks have done. Where the barrier fails, so does the next one. */
    weir_watchdog_say(run, WEIR_ACTIVITY_NONE, NULL);
    if (weir_group_barrier(run->group) != 0)
        return;
    code = run_command(tree, tree->names->command_after, reason);
    if (code != 0 && !weir_error_is_set(&run->failure)) {
        weir_user_command_judge(tree->names->command_after, code, reason, &run->failure);
        if (!run->test->goes_on_after_errors)
            weir_run_call_off(run);
    }
}

/* Of a chain that was cut no item keeps the name that only a chain gives. */
static void close_chain(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    struct weir_item_slot *slot = tree->items.slots;
    uint64_t done = tree->loop.furthest;
    int code;

    if (!tree->items.is_chain || done == 0 || done == tree->items.count ||
        run->tally->first_error != 0)
        return;
    weir_items_close_chain(&tree->items, slot, done);
    code = weir_backend_item_names(run->backend)->rename(run->session, slot->path, slot->new_path);
    if (code != 0)
        weir_run_fail(run, code, weir_verb_name(WEIR_RENAME), slot->path);
}

/* Once for all repetitions, as for data. What removes or changes items goes with the phase that
 * tried; where that was left out, one at a time. */
static int choose_depth(struct tree_phase *tree, struct weir_error *error)
{
    const struct weir_phase *phase = tree->phase;
    const struct weir_phase *tried = weir_test_tried_phase(tree->run->test, phase);
    struct weir_depth_choice *choice;
    int code = 0;

    /* Kernels of some nodes may queue less than those of others: all ranks search, or none. */
    if (phase->must_find_depth && weir_group_any(tree->run->group, !tree->items.is_queued))
        tree->items.is_queued = false;
    tree->facts.depth = tree->items.is_queued ? phase->depth : 1;
    if (!phase->must_find_depth || !tree->items.is_queued)
        return 0;
    choice = weir_trials_choice(tree->run, tried);
    if (tried == phase && choice->depth == 0) {
        prepare_loop(tree);
        code = weir_tree_trials_run(&tree->trials, &tree->loop, choice, error);
    }
    if (tried == phase)
        tree->facts.choice = choice;
    tree->facts.depth = choice->depth > 0 ? choice->depth : 1;
    if (tree->facts.depth > phase->depth)
        tree->facts.depth = phase->depth;
    tree->items.is_queued = tree->facts.depth > 1;
    return code;
}

static int work(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    struct weir_processor_time before, now;
    int code, end_code;

    weir_run_arm(run);
    /* Whatever happened to a rank: a removal goes on, and the tree does not stay. */
    run->has_alarm = !weir_run_must_do(run, tree->phase);
    tree->found_items = run->session->found_items;
    prepare_loop(tree);
    before = weir_processor_time();
    weir_watchdog_say(run, WEIR_ACTIVITY_NAMES, tree->items.paths.names.root);
    if (tree->trials.error != 0)
        weir_tally_fail(run->tally, tree->items.verbs[0].counted, tree->trials.error,
                        tree->trials.error_offset);
    stamp(tree, WEIR_STAMP_OPEN_START, WEIR_STAMP_MOVE_START);
    code = weir_loop_run(&tree->loop);
    stamp(tree, WEIR_STAMP_MOVE_STOP, WEIR_STAMP_CLOSE_START);
    close_chain(tree);
    now = weir_processor_time();
    run->tally->cpu_user_ns = now.user_ns - before.user_ns;
    run->tally->cpu_system_ns = now.system_ns - before.system_ns;
    end_work(tree);
    stamp(tree, WEIR_STAMP_CLOSE_STOP, WEIR_STAMP_CLOSE_STOP);
    weir_surroundings_leave(run->surroundings);
    end_code = weir_run_disarm(run);
    return code != 0 ? code : end_code;
}

/* ---- after the end ---- */

/* What a deadline has left undone is not moved either. */
static int remember_lag(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    uint64_t done = tree->loop.furthest;
    int code;

    if (tree->names->rotation.working_set == 0 || tree->phase->stop.deadline_ns == 0)
        return 0;
    code = weir_group_reduce(run->group, &done, 1, WEIR_MAX);
    if (run->lag.target != tree->phase->target)
        run->lag = (struct weir_lag){.target = tree->phase->target};
    run->lag.items += (tree->items.count - done) / tree->phase->target->tree->set_count;
    if (run->result != NULL)
        run->result->lag_items = run->lag.items;
    return code;
}

/* What may be there after the phase. Where it was cut or something failed that is all of what might
 * have been, until a removal has done all. */
static int narrow_reach(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    struct weir_reach *reach = &run->reach;
    const struct weir_rotation *rotation = &tree->names->rotation;
    uint64_t sets = tree->phase->target->tree->set_count;
    uint64_t greatest[3] = {tree->loop.furthest, ~tree->loop.furthest,
                            weir_tally_errors(run->tally)};
    uint64_t done;
    int code;

    if (rotation->count == 0 || reach->target != tree->phase->target ||
        (!extends_set(tree) && tree->phase->verb != WEIR_UNLINK))
        return 0;
    code = weir_group_reduce(run->group, greatest, 3, WEIR_MAX);
    done = greatest[0];
    if (code != 0 || done != ~greatest[1] || greatest[2] > 0)
        return code;
    if (tree->phase->verb == WEIR_UNLINK) {
        if (done < tree->items.count)
            return 0;
        reach->first = reach->end = 0;
    } else if (reach->first != tree->items.first || done % sets != 0 ||
               (tree->phase->verb == WEIR_CREATE && done < tree->items.count)) {
        return 0;
    } else if (rotation->working_set > 0) {
        reach->first += done / sets;
        reach->end = reach->first + rotation->working_set;
    }
    reach->is_ragged = false;
    weir_marks_note_reach(run);
    if (reach->end == 0)
        reach->target = NULL;
    return 0;
}

/* Hashes of one rank in a round of share_strangers: rank 0 receives 520 bytes from each. */
#define ROUND_HASHES 64

struct stranger_round {
    uint64_t count;
    uint64_t hashes[ROUND_HASHES];
};

/* All ranks learn what some have found in the places of items: who removes these may be another.
 * Rank 0 gathers the hashes in rounds, and sends the list once. */
static int share_strangers(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    const struct weir_strangers *met = &tree->items.met;
    struct weir_strangers *known = &run->strangers;
    const bool is_first = run->group->rank == 0;
    uint64_t most = met->count, count = 0;
    struct stranger_round *rounds = NULL;
    int code = weir_group_reduce(run->group, &most, 1, WEIR_MAX);

    if (code != 0 || most == 0)
        return code;
    if (is_first) {
        rounds = calloc((size_t)run->group->size, sizeof *rounds);
        if (rounds == NULL)
            weir_error_out_of_memory();
    }
    for (uint64_t done = 0; code == 0 && done < most; done += ROUND_HASHES) {
        struct stranger_round mine = {0};

        if (done < met->count) {
            mine.count = met->count - done < ROUND_HASHES ? met->count - done : ROUND_HASHES;
            memcpy(mine.hashes, met->hashes + done, mine.count * sizeof *mine.hashes);
        }
        code = weir_group_gather(run->group, &mine, sizeof mine, rounds);
        for (int rank = 0; code == 0 && is_first && rank < run->group->size; rank++)
            weir_strangers_add(known, rounds[rank].hashes, rounds[rank].count);
    }
    free(rounds);
    if (is_first) {
        qsort(known->hashes, known->count, sizeof *known->hashes, weir_strangers_compare);
        count = known->count;
    }
    if (code == 0)
        code = weir_group_broadcast(run->group, &count, sizeof count, 0);
    if (code == 0 && !is_first) {
        weir_strangers_reserve(known, count);
        known->count = count;
    }
    if (code == 0)
        code = weir_group_broadcast(run->group, known->hashes, count * sizeof *known->hashes, 0);
    return code;
}

/* Which items there are now: all, or of each rank so many. */
static int remember(struct tree_phase *tree)
{
    struct weir_run *run = tree->run;
    bool is_second = makes_names(tree->phase);
    struct weir_made *made = &run->made[is_second ? 2 : tree->names->is_directory];
    uint64_t furthest = tree->loop.furthest;
    int code = 0;

    if (run->has_failed && makes_names_of_items(tree))
        code = share_strangers(tree);
    if (code != 0)
        return code;
    if (writes_data(tree)) {
        run->written.target = tree->phase->target;
        run->written.repetition = run->repetition;
        run->written.identity = tree->facts.identity;
    }
    if (!makes_items(tree->phase) && !is_second)
        return remember_lag(tree);
    free(made->ops_of_rank);
    *made = (struct weir_made){
        .target = tree->phase->target,
        .repetition = run->repetition,
        .item = is_second ? tree->names->new_item : tree->names->item,
        .by_first_rank = tree->names->by_first_rank && !tree->names->is_shared,
        .is_shared = tree->names->is_shared,
        .is_shuffled = is_shuffled(tree),
        .seed = tree->facts.order_seed,
        .count = tree->items.count,
    };
    if (!run->has_incomplete_rank)
        return 0;
    if (made->is_shared)
        code = weir_group_reduce(run->group, &furthest, 1, WEIR_MAX);
    return code != 0 ? code : weir_run_collect(run, furthest, &made->ops_of_rank);
}

/* Of a chain of renames that was cut, in this run or in one before it. */
static void remove_away(struct tree_phase *tree)
{
    struct weir_items *items = &tree->items;
    char path[WEIR_PATH_BYTES];

    if (tree->phase->verb != WEIR_RMDIR || items->are_directories || items->absent_count == 0)
        return;
    for (uint64_t owner = 0; owner < items->count / items->per_owner; owner++) {
        weir_items_away_path(items, owner, path);
        weir_backend_item_names(tree->run->backend)->rmdir(tree->run->session, path);
    }
}

static int finish(struct tree_phase *tree, struct weir_error *error)
{
    struct weir_run *run = tree->run;
    int code;

    weir_surroundings_end(run->surroundings, run->group, run->buffers.memory, run->buffers.bytes,
                          &tree->facts.around);
    code = weir_group_synchronise(run->group, run->params->clock, &tree->facts.after);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s", strerror(-code));
    if (writes_data(tree))
        weir_cache_state_count_dirty_items(&tree->items, &tree->share, tree->loop.furthest,
                                           &tree->facts.unstored);
    if ((tree->names->must_sync || tree->names->must_sync_all) && !weir_run_must_stop(run))
        tree->facts.unsynced = tree->facts.unstored;
    remove_away(tree);
    if (tree->items.are_directories && tree->phase->verb == WEIR_RMDIR)
        weir_tree_places_remove(run, tree->phase, &tree->items);
    weir_tree_places_tell_left(run, &tree->items);
    tree->facts.unlogged = tree->log.unlogged;
    tree->facts.absent_count = tree->items.absent_count;
    tree->facts.found_count = run->session->found_items - tree->found_items;
    if (run->group->node_rank == 0 || tree->phase->target->path_count > 1)
        weir_run_take_sight(run, tree->phase->target, tree->items.paths.names.root);
    tree->facts.left_count = tree->items.left_count;
    tree->facts.visits = tree->items.visits;
    tree->facts.is_incomplete = (makes_items(tree->phase) || makes_names(tree->phase)) &&
                                tree->loop.furthest < tree->items.count;
    code = weir_gather(run, &tree->facts, error);
    if (code == 0)
        code = narrow_reach(tree);
    if (code == 0)
        code = remember(tree);
    if (code == 0 && weir_op_log_is_wanted(run, tree->phase)) {
        weir_op_log_write(&tree->log, run, tree->phase, error);
        code = weir_group_agree(run->group, error);
    }
    if (code == 0 && makes_items(tree->phase) && !run->is_ending)
        code = weir_stop_store(run, tree->phase,
                               tree->loop.furthest < tree->items.per_owner ? tree->loop.furthest
                                                                           : tree->items.per_owner,
                               error);
    return code;
}

int weir_phase_tree(struct weir_run *run, const struct weir_phase *phase, struct weir_error *error)
{
    struct tree_phase tree = {
        .run = run,
        .phase = phase,
        .names = &phase->names,
        .facts = {.phase = phase, .file_bytes = UINT64_MAX, .shared_bytes = UINT64_MAX}};
    int code;

    /* No item was made in a tree that could not be; some directories of it may be there. */
    if (run->missing_tree.target == phase->target &&
        run->missing_tree.repetition == run->repetition &&
        (phase->names.item != NULL || run->is_tree_of_others))
        return 0;
    run->failure = (struct weir_error){0};
    weir_text_clear(&run->notes);
    run->is_cut = run->is_called_off = false;
    *error = run->late_error;
    code = prepare(&tree, error);
    if (code == 0) {
        code = choose_depth(&tree, error);
        if (code == 0)
            code = weir_phase_start(run, &tree.facts);
        if (code == 0)
            code = work(&tree);
        if (code == 0)
            code = finish(&tree, error);
        if (code != 0)
            weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->backend->descriptor.name,
                           "the session broke: %s", strerror(-code));
    }
    weir_items_fini(&tree.items);
    weir_op_log_close(&tree.log);
    free(tree.op_states);
    return code;
}
