/* SPDX-License-Identifier: Apache-2.0 */
/* Reads are of the storage only as far as the page cache does not have them: it is emptied before
 * them where the user wants it, and in any case the kernel is asked how much it holds. */
#include "cache_state.h"

#include <errno.h>
#include <string.h>

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

/* ---- emptying ---- */

static void drop_file(const struct weir_data_phase *data, const char *path,
                      struct weir_error *error)
{
    int code = weir_cache_drop_file(kernel_path(data->run, path));

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, data->run->test->dialect,
                       "--drop-caches files: %s cannot be dropped from the page cache: %s", path,
                       strerror(-code));
}

/* Page caches are those of nodes. A file of its own may be in two of them: in the reader's, and
 * still unwritten in its writer's. */
static void drop_files(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;
    char own[WEIR_PATH_BYTES];

    if (data->target->is_shared) {
        if (run->group->node_rank == 0)
            drop_file(data, data->path, error);
        return;
    }
    drop_file(data, data->path, error);
    if (data->owner != (uint64_t)run->group->rank &&
        weir_run_path(run, data->target, (uint64_t)run->group->rank, own) == 0)
        drop_file(data, own, error);
}

static void drop_node(const struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;
    int code;

    if (run->group->node_rank != 0)
        return;
    code = weir_cache_drop_node("", kernel_path(run, data->path));
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, run->test->dialect,
                       "--drop-caches node: the page cache of host %s cannot be emptied: %s",
                       run->group->node_names[run->group->node], strerror(-code));
}

int weir_cache_state_prepare(struct weir_data_phase *data, struct weir_error *error)
{
    const struct weir_run *run = data->run;

    if (!weir_verb_reads(data->phase->verb) || !has_files(run))
        return 0;
    if (run->test->cache_drop == WEIR_DROP_FILES)
        drop_files(data, error);
    else if (run->test->cache_drop == WEIR_DROP_NODE)
        drop_node(data, error);
    /* None looks before all have dropped: agreeing waits for all. */
    if (run->test->cache_drop != WEIR_DROP_NOTHING && weir_group_agree(run->group, error) != 0)
        return error->code;
    measure(data);
    return 0;
}

/* ---- may it be done? ---- */

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
                          "/proc/sys is often read-only), or use --drop-caches files",
                          group->node_names[first]);
}

/* That there are files at all, the plan has been checked for. */
int weir_cache_state_check(struct weir_run *run, struct weir_error *error)
{
    if (run->test->cache_drop != WEIR_DROP_NODE || !has_files(run))
        return 0;
    return check_nodes(run, error);
}
