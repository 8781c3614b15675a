/* SPDX-License-Identifier: Apache-2.0 */
/* Files, data and phases: what IOR's words ask for in the words of the plan. */
#include "lowering.h"

#include <errno.h>
#include <string.h>

/* Transfer size of a fill for which none is given. */
#define FILL_BYTES (UINT64_C(1) << 20)

/* ---- what all phases have in common ---- */

static int check_target(const struct weir_ior_lowering *lowering, const struct weir_target *target)
{
    const struct weir_ior_config *ior = lowering->ior;

    if (ior->dual_mount && target->is_shared)
        return weir_error_usage(lowering->base.error, lowering->base.place,
                                "-y: a mount point for each processor package needs a file for "
                                "each task; give -F");
    if (ior->dual_mount && ior->unique_dir)
        return weir_error_usage(lowering->base.error, lowering->base.place,
                                "-y: files lie in the directories of the mount points; leave -u "
                                "out");
    return 0;
}

static int lower_target(struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_target *target = weir_arena_take(&lowering->base.plan->arena, sizeof *target);

    target->is_shared = !ior->file_per_process;
    if (target->is_shared) /* which has one name, and not a list */
        weir_lower_path(&lowering->base, ior->test_file, target);
    else if (weir_lower_paths(&lowering->base, "-o", ior->test_file, target))
        return -EINVAL;
    target->has_own_directory = ior->unique_dir && !target->is_shared;
    target->has_package_directory = ior->dual_mount;
    target->is_new_each_repetition = ior->multi_file;
    target->is_device = lowering->request->additions.device != NULL;
    if (check_target(lowering, target))
        return -EINVAL;
    if (ior->unique_dir && target->is_shared)
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "-u: without -F there is one file for all tasks, and it has no "
                             "directory of its own");
    if (weir_ior_does_mix(lowering->request) && (ior->reorder_tasks || ior->reorder_tasks_random))
        weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                             "%s: a mixed phase writes too, and each task works on its own part "
                             "there",
                             ior->reorder_tasks ? "-C" : "-Z");
    lowering->target = target;
    return 0;
}

static struct weir_layout lower_layout(const struct weir_ior_config *ior)
{
    struct weir_layout layout = {
        .segment_count = (uint64_t)ior->segment_count,
        .block_bytes = (uint64_t)ior->block_bytes,
        .transfer_bytes = (uint64_t)ior->transfer_bytes,
        .order = WEIR_ORDER_SEQUENTIAL,
        .seed_is_given = ior->random_offset_seed >= 0,
        .seed = ior->random_offset_seed >= 0 ? (uint64_t)ior->random_offset_seed : 0,
    };

    if (ior->random_offset == 1)
        layout.order = WEIR_ORDER_SHUFFLED;
    else if (ior->random_offset > 1)
        layout.order = WEIR_ORDER_RANDOM_BLOCKS;
    return layout;
}

static uint64_t magnitude_of(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

/* Under -C the check reads one node further than the reads do, so that no node reads twice what it
 * has cached; and not its own node's data either if there is another to choose. */
static struct weir_shift lower_shift(const struct weir_ior_lowering *lowering, bool is_check)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_shift shift = {.kind = WEIR_SHIFT_NONE,
                               .distance = (uint64_t)ior->task_per_node_offset};

    if (ior->reorder_tasks) {
        shift.kind = WEIR_SHIFT_NODES;
        shift.distance += is_check && weir_ior_does_read(lowering->request) ? 1 : 0;
        shift.avoids_circle = is_check;
    } else if (ior->reorder_tasks_random) {
        shift.kind = ior->reorder_tasks_random == 1 ? WEIR_SHIFT_RANDOM : WEIR_SHIFT_PERMUTATION;
        shift.seed = magnitude_of(ior->reorder_tasks_random_seed);
        shift.varies = ior->reorder_tasks_random_seed < 0;
    }
    return shift;
}

static struct weir_stop lower_stop(const struct weir_ior_config *ior)
{
    return (struct weir_stop){
        .deadline_ns = ior->deadline_ns,
        .has_wear_out = ior->wear_out,
        .op_limit = (uint64_t)ior->wear_out_iterations,
        .minimum_ns = ior->min_time_ns,
        .status_path = ior->status_path,
    };
}

/* ---- phases ---- */

/* A phase that moves data, without what only writes or reads have. */
static struct weir_phase data_phase(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;

    return (struct weir_phase){
        .target = lowering->target,
        .depth = lowering->base.load.steady_depth,
        .transfers = {.layout = lower_layout(ior),
                      .payload = lowering->payload,
                      .batch = lowering->steady_batch,
                      .is_collective = lowering->is_collective,
                      .has_inner_barriers = ior->intra_test_barriers,
                      .is_single_attempt = ior->single_transfer_attempt},
    };
}

/* Timed phases run at the depth and the rate that were asked for. */
static void load_phase(const struct weir_ior_lowering *lowering, struct weir_phase *phase)
{
    phase->depth = lowering->base.load.depth;
    phase->transfers.batch = lowering->batch;
    phase->must_find_depth = lowering->base.load.must_find_depth;
    phase->rate = lowering->base.load.rate;
}

static bool must_replace(const struct weir_ior_lowering *lowering)
{
    return !lowering->ior->use_existing_test_file && !lowering->target->is_device;
}

static struct weir_phase write_phase(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_WRITE;
    load_phase(lowering, &phase);
    phase.shift.distance = (uint64_t)ior->task_per_node_offset;
    phase.stop = lower_stop(ior);
    phase.transfers.must_replace = must_replace(lowering) && ior->prefill_bytes == 0;
    phase.transfers.must_sync_at_end = ior->fsync;
    phase.transfers.must_sync_each = ior->fsync_per_write;
    phase.think_ns = ior->inter_io_delay_ns;
    return phase;
}

/* Each rank reads and writes its own part, also under -C and -Z: what it writes must be its own. */
static struct weir_phase mixed_phase(const struct weir_ior_lowering *lowering)
{
    struct weir_phase phase = write_phase(lowering);

    phase.verb = WEIR_MIXED;
    phase.transfers.read_percent = (unsigned)lowering->request->additions.read_percent;
    phase.transfers.must_replace = false;
    phase.transfers.must_verify = lowering->ior->check_read && !lowering->ior->dry_run;
    phase.transfers.ends_at_mismatch = phase.transfers.must_verify && lowering->ior->quit_on_error;
    return phase;
}

/* A fill without a given size goes in large transfers: whole ones of those that follow. */
static uint64_t fill_bytes(const struct weir_ior_config *ior)
{
    uint64_t transfer = (uint64_t)ior->transfer_bytes;
    uint64_t per_block = (uint64_t)ior->block_bytes / transfer;
    uint64_t count = FILL_BYTES / transfer < per_block ? FILL_BYTES / transfer : per_block;

    if (ior->prefill_bytes > 0)
        return (uint64_t)ior->prefill_bytes;
    while (count > 1 && per_block % count != 0)
        count--;
    return count > 1 ? count * transfer : transfer;
}

/* Fills the file before what is timed, with transfers of a size of its own. What it leaves in the
 * page cache must not be synced in the time of the write. */
static struct weir_phase prefill_phase(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_WRITE;
    phase.is_prefill = true;
    phase.transfers.layout.transfer_bytes = fill_bytes(ior);
    phase.transfers.layout.order = WEIR_ORDER_SEQUENTIAL;
    phase.transfers.layout.seed_is_given = false;
    phase.transfers.layout.seed = 0;
    phase.shift.distance = (uint64_t)ior->task_per_node_offset;
    phase.transfers.must_replace = must_replace(lowering);
    phase.transfers.must_sync_at_end = ior->fsync || ior->fsync_per_write;
    phase.transfers.has_inner_barriers = false;
    return phase;
}

static struct weir_phase read_phase(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_READ;
    load_phase(lowering, &phase);
    phase.shift = lower_shift(lowering, false);
    phase.stop = lower_stop(ior);
    phase.transfers.must_verify = ior->check_read && !ior->dry_run;
    phase.transfers.ends_at_mismatch = phase.transfers.must_verify && ior->quit_on_error;
    phase.think_ns = ior->inter_io_delay_ns;
    return phase;
}

/* Reads everything that was written, however long it takes: no deadline, no pauses. */
static struct weir_phase check_phase(const struct weir_ior_lowering *lowering)
{
    struct weir_phase phase = data_phase(lowering);

    phase.verb = WEIR_READ;
    phase.is_check = true;
    phase.transfers.must_verify = true;
    phase.transfers.ends_at_mismatch = lowering->ior->quit_on_error;
    phase.shift = lower_shift(lowering, true);
    phase.stop.op_limit = (uint64_t)lowering->ior->wear_out_iterations;
    return phase;
}

/* Under -C each rank removes the file that it read, if it has one of its own. */
static struct weir_phase remove_phase(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_phase phase = {
        .verb = WEIR_REMOVE,
        .target = lowering->target,
        .shift = {.distance = (uint64_t)ior->task_per_node_offset},
        .depth = 1,
        .names = {.only_if_clean = ior->keep_file_with_error},
    };

    if (ior->reorder_tasks && !lowering->target->is_shared)
        phase.shift = lower_shift(lowering, false);
    return phase;
}

static void add_phase(struct weir_ior_lowering *lowering, struct weir_step **steps,
                      struct weir_phase phase)
{
    struct weir_phase *added =
        weir_plan_add_phase(lowering->base.plan, lowering->base.test, steps, &phase);

    if (!weir_verb_moves_data(phase.verb) || phase.is_prefill)
        return;
    if (lowering->request->additions.keeps_open && lowering->latest != NULL)
        lowering->latest->leaves_open = true;
    lowering->latest = added;
}

static void add_delay(const struct weir_ior_lowering *lowering, struct weir_step **steps)
{
    if (lowering->ior->inter_test_delay_ns > 0)
        weir_plan_add_sleep(lowering->base.plan, steps,
                            (uint64_t)lowering->ior->inter_test_delay_ns);
}

/* A mixed phase alone needs a file, unless there is one. */
static bool must_fill(const struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;

    if (weir_ior_does_write(lowering->request))
        return ior->prefill_bytes > 0;
    return weir_ior_does_mix(lowering->request) && !weir_ior_is_told(lowering->request) &&
           (!ior->use_existing_test_file || ior->prefill_bytes > 0);
}

static void lower_phases(struct weir_ior_lowering *lowering)
{
    const struct weir_ior_config *ior = lowering->ior;
    struct weir_step **steps =
        &weir_plan_add_repeat(lowering->base.plan, &lowering->base.test->steps,
                              (uint64_t)ior->repetitions)
             ->body;

    if (must_fill(lowering))
        add_phase(lowering, steps, prefill_phase(lowering));
    if (weir_ior_does_write(lowering->request)) {
        add_delay(lowering, steps);
        add_phase(lowering, steps, write_phase(lowering));
    }
    if (ior->check_write && !ior->dry_run)
        add_phase(lowering, steps, check_phase(lowering));
    if (weir_ior_does_mix(lowering->request)) {
        add_delay(lowering, steps);
        add_phase(lowering, steps, mixed_phase(lowering));
    }
    if (weir_ior_does_read(lowering->request)) {
        add_delay(lowering, steps);
        add_phase(lowering, steps, read_phase(lowering));
    }
    if (!ior->keep_file)
        add_phase(lowering, steps, remove_phase(lowering));
}

static int check_open_files(const struct weir_ior_lowering *lowering)
{
    const struct weir_test *test = lowering->base.test;

    if (!lowering->request->additions.keeps_open)
        return 0;
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->leaves_open)
            return 0;
    weir_plan_add_remark(lowering->base.plan, lowering->base.test,
                         "--keep-open: one phase alone opens and closes its file: without a read "
                         "(-r or -W) it changes nothing");
    return 0;
}

int weir_ior_lower_steps(struct weir_ior_lowering *lowering)
{
    if (lower_target(lowering))
        return -EINVAL;
    lower_phases(lowering);
    return check_open_files(lowering);
}
