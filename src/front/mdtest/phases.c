/* SPDX-License-Identifier: Apache-2.0 */
/* Phases: what mdtest's words ask for in the words of the plan. */
#include "lowering.h"

#include <errno.h>
#include <string.h>

#define REFUSE WEIR_MDTEST_REFUSE
#define REMARK WEIR_MDTEST_REMARK

/* Nodes or tasks, in units of -N, between who made an item and who works on it. */
enum { AT_CREATE = 0, AT_STAT = 1, AT_READ = 2, AT_REMOVE = 3 };

struct weir_mdtest_work weir_mdtest_lower_work(const struct weir_mdtest_config *mdtest)
{
    bool is_told = mdtest->create_only || mdtest->stat_only || mdtest->read_only ||
                   mdtest->remove_only || mdtest->rename_directories;
    bool is_narrowed = mdtest->directories_only || mdtest->files_only;

    return (struct weir_mdtest_work){
        .on_directories = (mdtest->directories_only || !is_narrowed) && mdtest->shared_files == 0,
        .on_files = mdtest->files_only || !is_narrowed,
        .creates = mdtest->create_only || !is_told,
        .stats = mdtest->stat_only || !is_told,
        .reads = mdtest->read_only || !is_told,
        .renames = mdtest->rename_directories || !is_told,
        .removes = mdtest->remove_only || !is_told,
    };
}

/* ---- what phases have in common ---- */

static struct weir_shift shift_of(const struct weir_mdtest_lowering *lowering, uint64_t steps)
{
    uint64_t stride = (uint64_t)lowering->mdtest->rank_stride;

    if (stride == 0 || steps == 0)
        return (struct weir_shift){0};
    return (struct weir_shift){.kind = WEIR_SHIFT_NODES_OR_RANKS, .distance = stride * steps};
}

/* The directories of the trees. */
static struct weir_phase tree_phase(const struct weir_mdtest_lowering *lowering,
                                    enum weir_verb verb)
{
    return (struct weir_phase){
        .verb = verb,
        .target = lowering->target,
        .depth = 1,
        .names = {.is_directory = true, .by_first_rank = lowering->mdtest->by_first_rank},
    };
}

/* A phase on items that are there. */
static struct weir_phase item_phase(const struct weir_mdtest_lowering *lowering,
                                    enum weir_verb verb, bool is_directory, uint64_t steps)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    bool is_shared = mdtest->shared_files;

    return (struct weir_phase){
        .verb = verb,
        .target = lowering->target,
        .shift = shift_of(lowering, steps),
        .depth = 1,
        .stop.status_path = is_directory && lowering->work.on_files ? NULL : mdtest->status_path,
        .names = {.item = is_directory ? "dir.mdtest.%r.%n"
                          : is_shared  ? "file.mdtest.shared.%n"
                                       : "file.mdtest.%r.%n",
                  .is_directory = is_directory,
                  .is_shared = is_shared,
                  .tree_shift = shift_of(lowering, mdtest->own_directory),
                  .order = lowering->request->additions.shuffles ? WEIR_ORDER_SHUFFLED
                                                                 : WEIR_ORDER_SEQUENTIAL,
                  .seed_is_given = mdtest->random_seed != 0,
                  .seed = (uint64_t)mdtest->random_seed,
                  .must_sync_all = mdtest->sync_all,
                  .command_before = mdtest->command_before,
                  .command_after = mdtest->command_after},
    };
}

static struct weir_phase create_phase(const struct weir_mdtest_lowering *lowering,
                                      bool is_directory)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    enum weir_verb verb = is_directory          ? WEIR_MKDIR
                          : mdtest->makes_nodes ? WEIR_MKNOD
                                                : WEIR_CREATE;
    struct weir_phase phase = item_phase(lowering, verb, is_directory, AT_CREATE);

    phase.names.by_first_rank = mdtest->by_first_rank;
    phase.stop.deadline_ns = mdtest->deadline_ns;
    phase.stop.has_wear_out = mdtest->deadline_ns > 0;
    if (verb == WEIR_CREATE) {
        phase.names.bytes = (uint64_t)mdtest->write_bytes;
        phase.names.payload = lowering->payload;
        phase.names.must_verify_made = mdtest->verify_write;
        phase.names.must_sync = mdtest->sync_files;
    }
    return phase;
}

static struct weir_phase look_phase(const struct weir_mdtest_lowering *lowering,
                                    enum weir_verb verb, bool is_directory, uint64_t steps)
{
    struct weir_phase phase = item_phase(lowering, verb, is_directory, steps);

    if (lowering->mdtest->random_order)
        phase.names.order = WEIR_ORDER_SHUFFLED;
    return phase;
}

static struct weir_phase read_phase(const struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    struct weir_phase phase = look_phase(lowering, WEIR_READ_FILE, false, AT_READ);

    phase.names.bytes = (uint64_t)mdtest->read_bytes;
    phase.names.payload = lowering->payload;
    phase.names.must_verify = mdtest->verify_read;
    return phase;
}

static struct weir_phase remove_phase(const struct weir_mdtest_lowering *lowering,
                                      bool is_directory)
{
    struct weir_phase phase =
        item_phase(lowering, is_directory ? WEIR_RMDIR : WEIR_UNLINK, is_directory, AT_REMOVE);

    phase.names.by_first_rank = lowering->mdtest->by_first_rank;
    return phase;
}

/* ---- their order ---- */

static void add_phase(const struct weir_mdtest_lowering *lowering, struct weir_step **steps,
                      struct weir_phase phase)
{
    weir_plan_add_phase(lowering->plan, lowering->test, steps, &phase);
}

static void add_directory_phases(const struct weir_mdtest_lowering *lowering,
                                 struct weir_step **steps)
{
    const struct weir_mdtest_work *work = &lowering->work;

    if (work->creates)
        add_phase(lowering, steps, create_phase(lowering, true));
    if (work->stats)
        add_phase(lowering, steps, look_phase(lowering, WEIR_STAT, true, AT_STAT));
    /* mdtest has a place for reads here, in which it does nothing. */
    if (work->renames && lowering->items > 1)
        add_phase(lowering, steps, item_phase(lowering, WEIR_RENAME, true, AT_READ));
    if (work->removes)
        add_phase(lowering, steps, remove_phase(lowering, true));
}

static void add_file_phases(const struct weir_mdtest_lowering *lowering, struct weir_step **steps)
{
    const struct weir_mdtest_work *work = &lowering->work;

    if (work->creates)
        add_phase(lowering, steps, create_phase(lowering, false));
    if (work->stats)
        add_phase(lowering, steps, look_phase(lowering, WEIR_STAT, false, AT_STAT));
    if (work->reads)
        add_phase(lowering, steps, read_phase(lowering));
    if (work->removes)
        add_phase(lowering, steps, remove_phase(lowering, false));
}

int weir_mdtest_lower_steps(struct weir_mdtest_lowering *lowering)
{
    const struct weir_mdtest_config *mdtest = lowering->mdtest;
    const struct weir_mdtest_work *work = &lowering->work;
    struct weir_step **steps =
        &weir_plan_add_repeat(lowering->plan, &lowering->test->steps, (uint64_t)mdtest->iterations)
             ->body;

    if (mdtest->delay_ns > 0)
        weir_plan_add_sleep(lowering->plan, steps, mdtest->delay_ns);
    if (work->creates)
        add_phase(lowering, steps, tree_phase(lowering, WEIR_MKDIR));
    if (work->on_directories && lowering->items > 0)
        add_directory_phases(lowering, steps);
    if (work->on_files && lowering->items > 0)
        add_file_phases(lowering, steps);
    if (work->removes)
        add_phase(lowering, steps, tree_phase(lowering, WEIR_RMDIR));
    if (lowering->test->phase_count == 0)
        return REFUSE(lowering, "there is nothing to do: -E reads files, and -U renames "
                                "directories, of which there must be two");
    return 0;
}
