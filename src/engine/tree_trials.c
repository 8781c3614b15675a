/* SPDX-License-Identifier: Apache-2.0 */
/* A trial does what the phase itself will do: on the same items over and over where that leaves
 * them as they were; where it makes them, on items that were not there, which are removed before
 * the next trial begins. */
#include "tree_trials.h"

#include "cache_state.h"
#include "watchdog.h"

struct context {
    struct weir_trials *trials;
    const struct weir_loop *loop;
};

/* Each was made by this rank: in trials only names that were not there are made. */
static void remove_made(const struct weir_loop *loop, uint64_t count)
{
    struct weir_run *run = loop->run;
    struct weir_items *items = loop->items;
    struct weir_item_slot *slot = &items->slots[0];
    const struct weir_name_ops *names = weir_backend_item_names(run->backend);
    bool are_directories = items->verbs[0].verb == WEIR_MKDIR;

    for (uint64_t i = 0; i < count; i++) {
        int code;

        weir_items_choose(items, slot, weir_share_offset(loop->share, i));
        code = are_directories ? names->rmdir(run->session, slot->path)
                               : names->unlink(run->session, slot->path);
        if (code != 0) {
            weir_tally_fail(run->tally, items->verbs[0].counted, code, slot->index);
            weir_run_fail(run, code, "remove", slot->path);
            return;
        }
    }
}

static int try_depth(void *of_search, struct weir_depth_trial *trial)
{
    struct context *context = of_search;
    struct weir_trials *trials = context->trials;
    struct weir_loop loop = *context->loop;
    struct weir_run *run = loop.run;
    struct weir_phase phase = *loop.phase;
    bool makes_items = weir_verb_makes_items(phase.verb);
    struct weir_tally_parts parts = weir_run_tally_parts(run, &phase);
    uint64_t begun_ns;
    int code;

    phase.stop = (struct weir_stop){.deadline_ns = trial->length_ns,
                                    .minimum_ns = makes_items ? 0 : trial->length_ns};
    phase.names.is_exclusive = makes_items;
    loop.phase = &phase;
    loop.items->names = &phase.names;
    /* One at a time, items block, as in a phase of that depth: queued, each would be waited for. */
    loop.items->is_queued = trial->depth > 1;
    loop.depth = run->trial_depth = trial->depth;
    loop.first_index = makes_items ? 0 : trials->index;
    loop.log = NULL;
    weir_watchdog_say(run, WEIR_ACTIVITY_NAMES, loop.items->paths.names.root);
    weir_tally_reset(run->tally, weir_run_now(run), &parts);
    weir_run_report_beginning(run, context->loop->phase, 0);
    code = weir_group_barrier(run->group);
    begun_ns = weir_run_now(run);
    if (code == 0)
        code = weir_loop_run(&loop);
    trial->spent_ns = weir_run_now(run) - begun_ns;
    trials->index = weir_op_source_index(&loop.ops);
    loop.items->names = &context->loop->phase->names;
    loop.items->is_queued = true;
    /* After a failure it is not known which items are this trial's: none is removed. */
    if (makes_items && run->tally->first_error == 0)
        remove_made(&loop, loop.furthest);
    return code != 0 ? code : weir_trials_agree(trials, trial);
}

int weir_tree_trials_run(struct weir_trials *trials, const struct weir_loop *loop,
                         struct weir_depth_choice *choice, struct weir_error *error)
{
    struct weir_run *run = loop->run;
    struct weir_visits *visits = loop->items->visits;
    struct context context = {trials, loop};
    const struct weir_depth_search search = {
        .depth_max = loop->phase->depth < run->queue.depth ? loop->phase->depth : run->queue.depth,
        .context = &context,
        .try_depth = try_depth};
    int code;

    weir_trials_begin(trials, run);
    /* Directories are told of as the phase itself finds them. */
    loop->items->visits = NULL;
    code = weir_depth_search(&search, &choice->table, &choice->depth);
    loop->items->visits = visits;
    run->trial_depth = 0;
    /* The phase finds nothing in caches that trials have brought there. */
    if (code == 0 && weir_cache_state_drop_tree(loop->items, error))
        code = weir_group_agree(run->group, error);
    return code;
}
