/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank removes its own file, rank 0 a shared one. */
#include "phase_names.h"

#include "claim.h"
#include "gather.h"
#include "watchdog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The rank that made a directory removes it: that of its own file, also where the file that it
 * removed is another rank's. */
static void remove_directory(struct weir_run *run, const struct weir_target *target)
{
    char path[WEIR_PATH_BYTES];

    if (weir_run_path(run, target, (uint64_t)run->group->rank, path) != 0)
        return;
    weir_text_cut_name(path);
    /* Others may have put something there: then it stays. */
    if (weir_run_rmdir(run, path) == 0)
        run->has_made_directory = false;
}

struct removal {
    char path[WEIR_PATH_BYTES];
    struct weir_file_id id; /* of this rank's own file, where that is to go */
    int code;               /* why there is nothing to be removed; 0: there is */
};

/* The identity of this rank's own file, for the rank that removes it; {0} if it must not be. */
static struct weir_file_id find_own(struct weir_run *run, const struct weir_target *target)
{
    struct weir_file_id id = {0};
    char path[WEIR_PATH_BYTES];

    if (weir_run_path(run, target, (uint64_t)run->group->rank, path) == 0)
        weir_claim_find(run, path, &id);
    return id;
}

/* Of the file of another rank, which has told its inode. Nodes may number the files of a shared
 * file system each in its own way: between them only the kind is looked at. */
static int look_at_other(struct weir_run *run, const char *path, uint64_t owner, uint64_t inode)
{
    struct weir_name_facts facts;
    int code = weir_run_stat(run, path, &facts);

    if (code != 0)
        return code;
    if (inode == 0 || facts.kind != WEIR_NAME_FILE)
        return -ESTALE;
    if (run->group->node_of_rank[owner] == run->group->node)
        return facts.id.inode == inode ? 0 : -ESTALE;
    return facts.link_count == 1 ? 0 : -ESTALE;
}

/* As in IOR, the file of the rank whose part this one read. */
static int find_removal(struct weir_run *run, const struct weir_phase *phase,
                        struct removal *removal)
{
    uint64_t owner = weir_run_owner(run, phase);
    uint64_t *inodes = NULL;
    int code = 0;

    removal->id = (struct weir_file_id){0};
    removal->code = weir_run_path(run, phase->target, owner, removal->path);
    if (!weir_claim_is_needed(run))
        return 0;
    if (!phase->target->is_shared && phase->shift.kind != WEIR_SHIFT_NONE) {
        removal->id = find_own(run, phase->target);
        code = weir_run_collect(run, removal->id.inode, &inodes);
    }
    if (code == 0 && removal->code == 0 && weir_run_handles_name(run, phase->target))
        removal->code = inodes != NULL ? look_at_other(run, removal->path, owner, inodes[owner])
                                       : weir_claim_find(run, removal->path, &removal->id);
    free(inodes);
    return code;
}

/* Where a phase before it failed, there may be nothing of ours: what is there is not told twice. */
static void remove_file(struct weir_run *run, const struct removal *removal)
{
    const struct weir_name_request request = {.path = removal->path};
    struct weir_op op = {.verb = WEIR_OP_UNLINK, .request = &request};
    int code = removal->code;

    weir_claim_drop(run, removal->id);
    weir_watchdog_say(run, WEIR_ACTIVITY_REMOVE, removal->path);
    if (code == 0) {
        weir_queue_touch(&run->queue);
        weir_queue_perform(&run->queue, &op);
        code = (int)op.result;
    }
    weir_watchdog_say(run, WEIR_ACTIVITY_NONE, NULL);
    if (removal->code != 0 && run->has_failed)
        return;
    if (code == 0) {
        weir_tally_add(run->tally, WEIR_OP_UNLINK, op.done_ns - op.issued_ns);
    } else if (code != -ENOENT) {
        weir_tally_fail(run->tally, WEIR_OP_UNLINK, code, 0);
        weir_run_fail_for(run, code, "remove", removal->path, weir_claim_reason(code));
    }
}

/* A directory is empty when the file in it is gone, which another rank may have removed. */
static int remove_names(struct weir_run *run, const struct weir_phase *phase,
                        const struct removal *removal)
{
    int code = 0;

    if (weir_run_handles_name(run, phase->target))
        remove_file(run, removal);
    if (phase->target->has_own_directory && phase->shift.kind != WEIR_SHIFT_NONE)
        code = weir_group_barrier(run->group);
    if (code == 0 && run->has_made_directory)
        remove_directory(run, phase->target);
    return code;
}

static void set_stamps(struct weir_tally *tally, uint64_t start_ns, uint64_t stop_ns)
{
    for (unsigned i = 0; i < WEIR_STAMP_COUNT; i++)
        tally->stamps_ns[i] = stop_ns;
    tally->stamps_ns[WEIR_STAMP_OPEN_START] = start_ns;
}

static int cannot_wait(struct weir_error *error, int code)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                          "ranks cannot wait for each other: %s", strerror(-code));
}

int weir_phase_remove(struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error)
{
    struct weir_phase_facts facts = {.phase = phase, .file_bytes = UINT64_MAX};
    struct weir_tally_parts parts = weir_run_tally_parts(run, phase);
    struct removal removal;
    uint64_t start_ns;
    int code;

    /* Devices are not removed, and keep what was written. */
    if (run->backend->names == NULL || phase->target->is_device ||
        (phase->names.only_if_clean && run->is_dirty))
        return 0;
    if (phase->names.only_if_ending && !run->is_ending) {
        run->pending_removal = phase;
        run->pending_test = run->test;
        return 0;
    }
    if (run->pending_removal != NULL && run->pending_removal->target == phase->target)
        run->pending_removal = NULL;
    run->failure = (struct weir_error){0};
    weir_text_clear(&run->notes);
    run->is_cut = run->is_called_off = false;
    code = find_removal(run, phase, &removal);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                              "ranks cannot tell each other their files: %s", strerror(-code));
    code = weir_group_synchronise(run->group, run->params->clock, &facts.before);
    facts.begun_s = weir_wall_clock_s();
    if (code == 0)
        facts.start_ns = weir_group_start_together(run->group, run->params->clock, &facts.before);
    if (code != 0 || facts.start_ns == 0)
        return cannot_wait(error, code != 0 ? code : -ECOMM);
    weir_tally_reset(run->tally, facts.start_ns, &parts);
    start_ns = weir_run_now(run);
    code = remove_names(run, phase, &removal);
    set_stamps(run->tally, start_ns, weir_run_now(run));
    if (code == 0)
        code = weir_group_synchronise(run->group, run->params->clock, &facts.after);
    if (code != 0)
        return cannot_wait(error, code);
    return weir_gather(run, &facts, error);
}
