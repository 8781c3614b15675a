/* SPDX-License-Identifier: Apache-2.0 */
/* Each rank tells of the directories that were its slowest; the same ones of several ranks are put
 * together on rank 0, which finds their paths. */
#include "gather_directories.h"

#include <errno.h>
#include <stdlib.h>

/* Numbers count the trees of rank 0, then those of rank 1, and so on. */
static const char *path_of(const struct weir_run *run, const struct weir_phase *phase,
                           uint64_t number, struct weir_arena *arena)
{
    const struct weir_target *target = phase->target;
    uint64_t per_owner = target->tree->set_count * weir_tree_directories(target->tree);
    uint64_t owner = number / per_owner;
    struct weir_tree_paths paths;
    char path[WEIR_TREE_PATH_BYTES];

    if (weir_tree_paths_init(&paths, target->tree,
                             &(struct weir_tree_names){
                                 .root = target->paths[owner % target->path_count],
                                 .tree_owner = owner,
                                 .repetition = run->repetition,
                             }) != 0)
        return "";
    weir_tree_directory_path(&paths, number % per_owner, path);
    return weir_arena_copy(arena, path);
}

static void fill_record(const struct weir_run *run, const struct weir_phase *phase,
                        struct weir_visits *all, struct weir_phase_result *record)
{
    weir_visits_end(all);
    for (unsigned i = 0; i < all->slowest_count; i++) {
        const struct weir_visit *visit = &all->slowest[i];

        record->slow_directories[record->slow_directory_count++] = (struct weir_slow_directory){
            .path = path_of(run, phase, visit->directory, record->arena),
            .op_count = visit->op_count,
            .rank_count = (unsigned)visit->rank_count,
            .mean_s = (double)visit->sum_ns * 1e-9 / (double)visit->op_count,
            .max_s = (double)visit->max_ns * 1e-9,
        };
    }
}

int weir_gather_directories(struct weir_run *run, const struct weir_phase_facts *facts,
                            struct weir_phase_result *record)
{
    struct weir_visits *visits = facts->visits;
    struct weir_visit *all = run->gather.visits;
    int code;

    if (visits == NULL)
        return 0;
    weir_visits_end(visits);
    for (unsigned i = 0; i < WEIR_SLOW_DIRECTORIES_KEPT; i++)
        visits->slowest[i].rank_count = i < visits->slowest_count;
    code = weir_group_gather(run->group, visits->slowest, sizeof visits->slowest, all);
    if (code != 0 || record == NULL)
        return code;
    /* Those of this rank have been told: their memory takes those of all. */
    *visits = (struct weir_visits){.slowest_count = 0};
    for (int i = 0; i < run->group->size * WEIR_SLOW_DIRECTORIES_KEPT; i++)
        if (all[i].op_count > 0)
            weir_visits_merge(visits, &all[i]);
    fill_record(run, facts->phase, visits, record);
    return 0;
}
