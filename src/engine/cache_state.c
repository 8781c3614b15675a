/* SPDX-License-Identifier: Apache-2.0 */
/* Reads are of the storage only as far as the page cache does not have them: it is emptied before
 * them where the user wants it, and in any case the kernel is asked how much it holds. What a node
 * remembers of names can only be emptied. */
#include "cache_state.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <string.h>

#define LONG_PHASE_NS UINT64_C(1000000000)
/* A survey of dirty pages after a short phase, and after a long one. */
#define DIRTY_SHORT_NS UINT64_C(500000)
#define DIRTY_LONG_NS UINT64_C(20000000)

/* Items of a tree that are opened to ask for their pages. */
#define DIRTY_ITEMS_MAX 64

static bool has_files(const struct weir_run *run)
{
    return !run->test->is_dry_run && weir_run_has_storage(run) &&
           (weir_test_abilities(run->test) & WEIR_CAN_NAME) != 0;
}

static const char *kernel_path(const struct weir_run *run, const char *path)
{
    const struct weir_name_ops *names = run->backend->names;

    return names->kernel_path == NULL ? path : names->kernel_path(run->session, path);
}

/* ---- measuring ---- */

/* A file that is not there is for the phase to complain of. */
static void measure(struct weir_data_phase *data)
{
    const struct weir_run *run = data->run;
    struct weir_residency seen = {0};

    weir_cache_survey_measure(kernel_path(run, data->path), &data->share, data->facts.op_limit,
                              run->params->clock, &seen);
    data->facts.resident_asked_bytes = seen.asked_bytes;
    data->facts.resident_bytes = seen.resident_bytes;
}

/* A phase that took a second has time for more questions. */
static uint64_t dirty_limit_ns(const struct weir_run *run)
{
    const uint64_t *stamps_ns = run->tally->stamps_ns;
    uint64_t moved_ns = stamps_ns[WEIR_STAMP_MOVE_STOP] - stamps_ns[WEIR_STAMP_MOVE_START];

    return moved_ns < LONG_PHASE_NS ? DIRTY_SHORT_NS : DIRTY_LONG_NS;
}

/* Where ranks write together, MPI-IO moves the data to a few of them first: on each node, the first
 * rank asks about the whole file. */
void weir_cache_state_count_dirty(const struct weir_data_phase *data, uint64_t limit_ns,
                                  struct weir_residency *seen)
{
    const struct weir_transfers *transfers = &data->phase->transfers;
    const struct weir_run *run = data->run;
    bool is_mixed = data->phase->verb == WEIR_MIXED && !transfers->mixes_by_rank;
    bool is_apart = transfers->is_collective && data->target->is_shared && !is_mixed &&
                    run->group->node_count > 1;
    uint64_t whole = weir_layout_extent(&transfers->layout, true, (uint64_t)run->group->size);
    const struct weir_share file = {.op_count = 1,
                                    .ops_per_block = 1,
                                    .transfers_per_op = 1,
                                    .transfer_bytes = whole,
                                    .block_bytes = whole,
                                    .segment_bytes = whole};
    struct weir_mix mix;

    *seen = (struct weir_residency){0};
    if (!weir_verb_writes(data->phase->verb) || data->loop.verb != WEIR_OP_WRITE ||
        data->loop.furthest == 0 || !has_files(run))
        return;
    if (limit_ns == 0)
        limit_ns = dirty_limit_ns(run);
    if (is_mixed)
        weir_mix_init(&mix, transfers->read_percent, data->loop.ops.mix.seed);
    if (!is_apart) {
        weir_cache_survey_dirty(kernel_path(run, data->path), &data->share, data->loop.furthest,
                                is_mixed ? &mix : NULL, run->params->clock, limit_ns, seen);
        return;
    }
    if (run->group->node_rank == 0)
        weir_cache_survey_dirty(kernel_path(run, data->path), &file, 1, NULL, run->params->clock,
                                limit_ns, seen);
    seen->asked_bytes =
        data->loop.furthest * data->share.transfers_per_op * data->share.transfer_bytes;
}

void weir_cache_state_count_dirty_range(const struct weir_run *run, const char *path,
                                        struct weir_extent range, struct weir_residency *seen)
{
    struct weir_residency_probe *probe;

    *seen = (struct weir_residency){0};
    if (!has_files(run) || weir_residency_open(kernel_path(run, path), &probe) != 0)
        return;
    if (weir_residency_knows_dirty(probe))
        weir_residency_add(probe, range, seen);
    weir_residency_close(probe);
}

/* ---- emptying ---- */

static void refuse_file(const struct weir_run *run, const char *path, int code,
                        struct weir_error *error)
{
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->test->dialect,
                       "--drop-caches files: %s cannot be dropped from the page cache: %s", path,
                       strerror(-code));
}

static void refuse_node(const struct weir_run *run, int code, struct weir_error *error)
{
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->test->dialect,
                       "--drop-caches node: the caches of host %s cannot be emptied: %s",
                       run->group->node_names[run->group->node], strerror(-code));
}

static void drop_file(const struct weir_run *run, const char *path, struct weir_error *error)
{
    refuse_file(run, path, weir_cache_drop_file(kernel_path(run, path)), error);
}

/* Page caches are those of nodes. A file of its own may be in two of them: in the reader's, and
 * still unwritten in its writer's. */
static void drop_files(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;
    char own[WEIR_PATH_BYTES];

    if (data->target->is_shared) {
        if (run->group->node_rank == 0)
            drop_file(run, data->path, error);
        return;
    }
    drop_file(run, data->path, error);
    if (data->owner != (uint64_t)run->group->rank &&
        weir_run_path(run, data->target, (uint64_t)run->group->rank, own) == 0)
        drop_file(run, own, error);
}

static void drop_node(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;

    if (run->group->node_rank == 0)
        refuse_node(run, weir_cache_drop_node("", kernel_path(run, data->path), false), error);
}

int weir_cache_state_prepare(struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;
    enum weir_cache_drop drop = weir_phase_cache_drop(run->test, data->phase);

    if (!weir_verb_reads(data->phase->verb) || !has_files(run))
        return 0;
    if (drop == WEIR_DROP_FILES)
        drop_files(data, error);
    else if (drop == WEIR_DROP_NODE)
        drop_node(data, error);
    /* None looks before all have dropped: agreeing waits for all. */
    if (drop != WEIR_DROP_NOTHING && weir_group_agree(run->group, error) != 0)
        return error->code;
    data->facts.has_dropped_caches = drop != WEIR_DROP_NOTHING;
    measure(data);
    return 0;
}

/* ---- after the phase ---- */

/* 5 %: less changes a rate by less than repetitions differ. */
#define MISSING_SHARE 0.05

static uint64_t bytes_read(const struct weir_data_phase *data)
{
    return data->run->tally->verbs[WEIR_OP_READ].byte_count;
}

/* Bytes that this rank read, and that neither a block device nor, before the phase, the page cache
 * had for it. */
static bool misses_bytes(const struct weir_data_phase *data)
{
    const struct weir_phase_facts *facts = &data->facts;
    const struct weir_execution *execution = &facts->around.execution;
    double read = (double)bytes_read(data), cached = 0.0;

    if (execution->storage_read_bytes == WEIR_UNKNOWN)
        return false;
    if (facts->resident_asked_bytes > 0 && !data->run->session->bypasses_cache)
        cached = read * (double)facts->resident_bytes / (double)facts->resident_asked_bytes;
    return read - cached - (double)execution->storage_read_bytes > MISSING_SHARE * read;
}

void weir_cache_state_conclude(struct weir_data_phase *data)
{
    const struct weir_run *run = data->run;
    struct weir_execution *execution = &data->facts.around.execution;
    struct weir_data_origin *origin = &data->facts.origin;
    bool is_direct = run->session->bypasses_cache || run->session->asks_direct;
    struct weir_residency left;
    struct weir_extent_map extents;
    bool misses;

    if (!run->surroundings->counts_reads || !has_files(run) || data->loop.furthest == 0)
        return;
    misses = misses_bytes(data);
    if (!misses && !is_direct)
        return;
    weir_cache_survey_after(kernel_path(run, data->path), &data->share, data->loop.furthest,
                            run->params->clock, misses, &left, &extents);
    if (is_direct && left.asked_bytes > 0) {
        origin->left_asked_bytes = left.asked_bytes;
        origin->left_bytes = left.resident_bytes > data->facts.resident_bytes
                                 ? left.resident_bytes - data->facts.resident_bytes
                                 : 0;
    }
    if (!misses)
        return;
    /* Without extents there is no proof that a block device should have supplied them. */
    if (extents.asked_bytes == 0 && !data->target->is_device)
        execution->storage_read_bytes = WEIR_UNKNOWN;
    origin->extent_bytes = extents.asked_bytes;
    origin->hole_bytes = extents.asked_bytes - extents.mapped_bytes;
    origin->unwritten_bytes = extents.unwritten_bytes;
    origin->inline_bytes = extents.inline_bytes;
    origin->encoded_bytes = extents.encoded_bytes;
    origin->shared_bytes = extents.shared_bytes;
}

/* ---- of trees ---- */

/* Only what is written back can be dropped: by the first rank of each node, wherever trees are. */
static int write_trees_back(const struct weir_run *run, const struct weir_target *target)
{
    int code = 0;

    for (size_t i = 0; code == 0 && run->group->node_rank == 0 && i < target->path_count; i++)
        code = weir_cache_write_back(kernel_path(run, target->paths[i]));
    return code;
}

void weir_cache_state_count_dirty_items(struct weir_items *items, const struct weir_share *order,
                                        uint64_t made, struct weir_residency *seen)
{
    const struct weir_run *run = items->run;
    const uint64_t count = made < DIRTY_ITEMS_MAX ? made : DIRTY_ITEMS_MAX;
    const uint64_t end_ns = weir_run_now(run) + dirty_limit_ns(run);
    struct weir_item_slot *slot = &items->slots[0];
    struct weir_permutation shuffle;
    uint64_t asked = 0;

    *seen = (struct weir_residency){0};
    if (count == 0 || !has_files(run))
        return;
    weir_permutation_init(&shuffle, count, 1);
    for (uint64_t i = 0; i < count && weir_run_now(run) < end_ns; i++) {
        uint64_t op = weir_permutation_at(&shuffle, i) * (made / count);
        struct weir_residency_probe *probe;

        weir_items_choose(items, slot, weir_share_offset(order, op));
        if (weir_residency_open(
                kernel_path(run, items->phase->verb == WEIR_CYCLE ? slot->new_path : slot->path),
                &probe) != 0)
            continue;
        if (weir_residency_knows_dirty(probe) &&
            weir_residency_add(probe, (struct weir_extent){.bytes = items->names->bytes}, seen) ==
                0)
            asked++;
        weir_residency_close(probe);
    }
    if (asked == 0)
        return;
    seen->asked_bytes = seen->asked_bytes / asked * made;
    seen->dirty_bytes = (uint64_t)((double)seen->dirty_bytes / (double)asked * (double)made);
}

static void drop_node_and_names(const struct weir_run *run, const struct weir_target *target,
                                struct weir_error *error)
{
    int code = write_trees_back(run, target);

    if (code == 0 && run->group->node_rank == 0)
        code = weir_cache_drop_node("", kernel_path(run, target->paths[0]), true);
    refuse_node(run, code, error);
}

/* Those that this rank will read, when all nodes have written back what is dirty. */
static void drop_items(struct weir_items *items, struct weir_error *error)
{
    const struct weir_run *run = items->run;
    struct weir_item_slot *slot = &items->slots[0];
    const char *root = items->phase->target->paths[0];
    uint64_t count = items->names->is_shared && run->group->node_rank != 0 ? 0 : items->count;
    int code = 0;

    refuse_file(run, root, write_trees_back(run, items->phase->target), error);
    if (weir_group_agree(run->group, error) != 0)
        return;
    for (uint64_t i = 0; i < count && code == 0 && !weir_run_must_stop(run); i++) {
        weir_items_choose(items, slot, i);
        code = weir_cache_drop_clean_file(kernel_path(run, slot->path));
    }
    refuse_file(run, slot->path, code, error);
}

bool weir_cache_state_drop_tree(struct weir_items *items, struct weir_error *error)
{
    const struct weir_run *run = items->run;
    enum weir_cache_drop drop = weir_phase_cache_drop(run->test, items->phase);

    /* Removals after an interruption are not measured. */
    if (drop == WEIR_DROP_NOTHING || run->is_ending || !has_files(run))
        return false;
    if (drop == WEIR_DROP_NODE)
        drop_node_and_names(run, items->phase->target, error);
    else
        drop_items(items, error);
    return true;
}

/* ---- may it be done? ---- */

/* Names have no other way out of a cache than to be asked for elsewhere. */
static const char *other_way(const struct weir_test *test)
{
    return test->phase_count > 0 && weir_verb_works_on_trees(test->phases[0]->verb)
               ? WEIR_REMEDY_SHIFT_NODES " on several nodes"
               : "--drop-caches files";
}

/* Of the nodes that refuse, all ranks name the first. */
static int check_nodes(const struct weir_run *run, struct weir_error *error)
{
    struct weir_group *group = run->group;
    bool refuses = group->node_rank == 0 && !weir_cache_may_drop_node("");
    uint64_t first = refuses ? (uint64_t)group->node : UINT64_MAX;
    int code = weir_group_reduce(group, &first, 1, WEIR_MIN);

    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                              "ranks cannot tell each other what they may do: %s", strerror(-code));
    if (first == UINT64_MAX)
        return 0;
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EPERM, run->test->dialect,
                          "--drop-caches node: this process may not write "
                          "/proc/sys/vm/drop_caches on host %s: run as root there (in containers "
                          "/proc/sys is often read-only), or use %s",
                          group->node_names[first], other_way(run->test));
}

/* That there are files at all, the plan has been checked for. */
int weir_cache_state_check(struct weir_run *run, struct weir_error *error)
{
    if (run->test->cache_drop != WEIR_DROP_NODE || !has_files(run))
        return 0;
    return check_nodes(run, error);
}
