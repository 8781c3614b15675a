/* SPDX-License-Identifier: Apache-2.0 */
/* Small questions about the state of a run that several phases ask. */
#include "run.h"

#include <string.h>

uint64_t weir_run_file_number(const struct weir_target *target, uint64_t owner)
{
    return target->is_shared ? 0 : owner;
}

int weir_run_path(const struct weir_run *run, const struct weir_target *target, uint64_t owner,
                  char path[WEIR_PATH_BYTES])
{
    const struct weir_file_place place = {
        .number = weir_run_file_number(target, owner),
        .repetition = run->repetition,
    };

    return weir_target_path(target, &place, path);
}

struct weir_group *weir_run_file_group(const struct weir_run *run, const struct weir_target *target)
{
    return target->is_shared ? run->group : run->self;
}

bool weir_run_handles_name(const struct weir_run *run, const struct weir_target *target)
{
    return !target->is_shared || run->group->rank == 0;
}

int weir_run_fail(struct weir_run *run, int code, const char *what, const char *path)
{
    return weir_error_set(&run->failure, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
                          "%s %s: %s", what, path, strerror(-code));
}

bool weir_run_has_written(const struct weir_run *run, const struct weir_target *target)
{
    return run->written.target == target &&
           (!target->is_new_each_repetition || run->written.repetition == run->repetition);
}

int weir_run_share(struct weir_run *run, uint64_t *value)
{
    return weir_group_broadcast(run->group, value, sizeof *value, 0);
}
