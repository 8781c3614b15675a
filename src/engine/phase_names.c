/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank removes its own file, rank 0 a shared one. */
#include "phase_names.h"

#include "gather.h"

#include <errno.h>
#include <string.h>

/* Whoever made a directory removes it: the one for its own file, whoever's file it removed. */
static void remove_directory(struct weir_run *run, const struct weir_target *target)
{
    char path[WEIR_PATH_BYTES];

    if (weir_run_path(run, target, (uint64_t)run->group->rank, path) != 0)
        return;
    weir_text_cut_name(path);
    /* Others may have put something there: then it stays. */
    if (run->backend->names->rmdir(run->session, path) == 0)
        run->has_made_directory = false;
}

/* As in IOR, that of the rank whose part this one read. */
static void remove_file(struct weir_run *run, const struct weir_phase *phase)
{
    char path[WEIR_PATH_BYTES];
    int code = weir_run_path(run, phase->target, weir_run_owner(run, phase), path);

    if (code == 0)
        code = run->backend->names->unlink(run->session, path);
    if (code == 0) {
        run->tally->op_count++;
    } else if (code != -ENOENT) {
        weir_tally_fail(run->tally, code, 0);
        weir_run_fail(run, code, "remove", path);
    }
}

/* A directory is empty when the file in it is gone, which another rank may have removed. */
static int remove_names(struct weir_run *run, const struct weir_phase *phase)
{
    int code = 0;

    if (weir_run_handles_name(run, phase->target))
        remove_file(run, phase);
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

int weir_phase_remove(struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error)
{
    struct weir_phase_facts facts = {.phase = phase, .file_bytes = UINT64_MAX};
    uint64_t start_ns;
    int code;

    /* A device is nobody's to remove; what was written to it stays there. */
    if (run->backend->names == NULL || phase->target->is_device ||
        (phase->only_if_clean && run->is_dirty))
        return 0;
    run->failure = (struct weir_error){0};
    weir_text_clear(&run->notes);
    run->is_cut = run->is_called_off = false;
    weir_group_synchronise(run->group, run->params->clock, &facts.before);
    facts.begun_s = weir_wall_clock_s();
    facts.start_ns = weir_group_start_together(run->group, run->params->clock, &facts.before);
    weir_tally_reset(run->tally, facts.start_ns);
    start_ns = weir_run_now(run);
    code = remove_names(run, phase);
    set_stamps(run->tally, start_ns, weir_run_now(run));
    weir_group_synchronise(run->group, run->params->clock, &facts.after);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                              "ranks cannot wait for each other: %s", strerror(-code));
    return weir_gather(run, &facts, error);
}
