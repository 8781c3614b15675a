/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that is too small is told before hours are spent on filling it. */
#include "check_room.h"

#include "items.h"

#include "weir/base/remedy.h"
#include "weir/base/saturate.h"
#include "weir/plan/need.h"
#include "weir/system/memory.h"
#include "weir/system/room.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What one rank adds to a file system. */
struct claim {
    struct weir_room_facts room;
    uint64_t bytes; /* beyond the blocks that its file has already */
    uint64_t files; /* that are not there yet; of trees, directories as well */
};

/* Directories of a tree may be on another file system than a rank's items. */
enum { OF_FILE, OF_ITEMS = OF_FILE, OF_DIRECTORIES, CLAIMS };

/* What is needed: of files, or of trees. */
struct needs {
    struct weir_need files;
    struct weir_tree_need trees;
};

static void describe(const struct weir_run *run, const char *path, struct weir_room_facts *room)
{
    const struct weir_name_ops *names = run->backend->names;

    weir_room_describe(names->kernel_path ? names->kernel_path(run->session, path) : path,
                       run->group->node, room);
}

/* A shared file is claimed by rank 0 alone. */
static void claim_file(const struct weir_run *run, const struct weir_need *need,
                       struct claim *claim)
{
    uint64_t ranks = (uint64_t)run->group->size;
    uint64_t sharers = need->rank_limit > 0 && need->rank_limit < ranks ? need->rank_limit : ranks;
    uint64_t writers = need->target->is_shared ? sharers : 1;
    uint64_t bytes = weir_times(weir_times(need->bytes_per_rank, writers), need->copies);
    char path[WEIR_PATH_BYTES];

    if (!weir_run_handles_name(run, need->target) || (uint64_t)run->group->rank >= sharers ||
        weir_run_path(run, need->target, (uint64_t)run->group->rank, path) != 0)
        return;
    describe(run, path, &claim->room);
    claim->bytes = bytes > claim->room.file_bytes ? bytes - claim->room.file_bytes : 0;
    claim->files = need->copies - (claim->room.is_there ? 1 : 0);
}

static uint64_t tree_of(const struct weir_run *run, const struct weir_phase *phase, uint64_t rank,
                        unsigned which)
{
    return which == OF_ITEMS ? weir_items_tree_owner(run, phase, rank) : rank;
}

static const char *root_of(const struct weir_run *run, const struct weir_phase *phase,
                           uint64_t rank, unsigned which)
{
    const struct weir_target *target = phase->target;

    return target->paths[tree_of(run, phase, rank, which) % target->path_count];
}

/* For how many ranks this one makes them: rank 0 for all, or all for themselves. */
static uint64_t makes_for(const struct weir_run *run, const struct weir_phase *phase,
                          bool is_of_all)
{
    uint64_t ranks = (uint64_t)run->group->size, rank = (uint64_t)run->group->rank;

    if (phase->rank_limit > 0 && phase->rank_limit < ranks)
        ranks = phase->rank_limit;
    if (rank >= ranks || (rank > 0 && (is_of_all || phase->names.by_first_rank)))
        return 0;
    return phase->names.by_first_rank && !is_of_all ? ranks : 1;
}

/* Where the first one is there, an earlier run has made them all. */
static void claim_names(const struct weir_run *run, const struct weir_tree_need *need,
                        unsigned which, struct claim *claim)
{
    const struct weir_phase *phase = need->phase;
    const struct weir_names *names = &phase->names;
    bool are_items = which == OF_ITEMS;
    bool is_of_all = are_items ? names->is_shared : !phase->target->tree->is_own;
    uint64_t rank = (uint64_t)run->group->rank, count = makes_for(run, phase, is_of_all);
    char path[WEIR_PATH_BYTES];
    struct weir_tree_paths paths;

    if (count == 0 || (are_items && need->items == 0) ||
        weir_tree_paths_init(
            &paths, phase->target->tree,
            &(struct weir_tree_names){.root = root_of(run, phase, rank, which),
                                      .item = are_items ? names->item : NULL,
                                      .tree_owner = tree_of(run, phase, rank, which),
                                      .item_owner = rank}) != 0)
        return;
    if (are_items)
        weir_tree_item_path(&paths, names->rotation.first, path);
    else
        weir_tree_directory_path(&paths, 0, path);
    describe(run, path, &claim->room);
    if (claim->room.is_there)
        return;
    claim->bytes = are_items ? weir_times(count, need->bytes) : 0;
    claim->files = weir_times(count, are_items ? need->items : need->directories);
    if (!are_items && rank == 0)
        claim->files = weir_plus(claim->files, need->tops);
}

/* The claims of all ranks on one file system; false if it is that of an earlier claim. */
static bool add_up(const struct claim *claims, int count, int first, struct claim *total)
{
    for (int i = 0; i < first; i++)
        if (claims[i].room.is_known && claims[i].room.store == claims[first].room.store)
            return false;
    *total = (struct claim){.room = claims[first].room};
    for (int i = first; i < count; i++) {
        const struct claim *claim = &claims[i];

        if (!claim->room.is_known || claim->room.store != total->room.store)
            continue;
        total->bytes = weir_plus(total->bytes, claim->bytes);
        total->files = weir_plus(total->files, claim->files);
    }
    return true;
}

static void tell(struct weir_run *run, const struct needs *needs, const struct claim *total,
                 int which)
{
    const char *whose =
        total->room.is_quota ? "the quota of the user leaves" : "the file system has";
    bool are_trees = needs->trees.phase != NULL;
    uint64_t rank = (uint64_t)(which / CLAIMS);
    char path[WEIR_PATH_BYTES], needed[WEIR_SIZE_TEXT_BYTES], left[WEIR_SIZE_TEXT_BYTES];

    if (are_trees)
        snprintf(path, sizeof path, "%s",
                 root_of(run, needs->trees.phase, rank, (unsigned)which % CLAIMS));
    else if (weir_run_path(run, needs->files.target, rank, path) != 0)
        return;
    if (total->bytes > total->room.bytes_free)
        snprintf(run->no_room, sizeof run->no_room,
                 "%.200s: files that need %s more do not fit: %s %s%s: write less (%s), choose "
                 "another place, or make room",
                 path, weir_size_format(total->bytes, needed), whose,
                 weir_size_format(total->room.bytes_free, left),
                 needs->files.may_be_cut || needs->trees.may_be_cut
                     ? ", and only the deadline may end it earlier"
                     : "",
                 are_trees ? "fewer or smaller files" : WEIR_REMEDY_LESS_DATA);
    else
        snprintf(run->no_room, sizeof run->no_room,
                 "%.200s: %" PRIu64 " new files%s are more than the %" PRIu64
                 " that %s: use %s, or "
                 "another place",
                 path, total->files, are_trees ? " and directories" : "", total->room.inodes_free,
                 whose, are_trees ? "fewer items" : "fewer ranks, a shared file");
}

static void compare(struct weir_run *run, const struct needs *needs, const struct claim *claims)
{
    int count = CLAIMS * run->group->size;
    struct claim total;

    for (int i = 0; i < count && run->no_room[0] == '\0'; i++) {
        if (!claims[i].room.is_known || !add_up(claims, count, i, &total))
            continue;
        if (total.bytes > total.room.bytes_free || total.files > total.room.inodes_free)
            tell(run, needs, &total, i);
    }
}

static void make_claims(const struct weir_run *run, const struct needs *needs,
                        struct claim claims[CLAIMS])
{
    if (needs->files.target != NULL) {
        claim_file(run, &needs->files, &claims[OF_FILE]);
        return;
    }
    claim_names(run, &needs->trees, OF_ITEMS, &claims[OF_ITEMS]);
    claim_names(run, &needs->trees, OF_DIRECTORIES, &claims[OF_DIRECTORIES]);
}

int weir_check_room(struct weir_run *run, struct weir_error *error)
{
    struct claim mine[CLAIMS] = {0}, *all = NULL;
    struct needs needs;
    int code;

    weir_test_need(run->test, &needs.files);
    weir_test_tree_need(run->test, &needs.trees);
    if ((needs.files.target == NULL || needs.files.target->is_device) && needs.trees.phase == NULL)
        return 0;
    if (!weir_run_has_storage(run))
        return 0;
    make_claims(run, &needs, mine);
    if (run->group->rank == 0)
        all = calloc((size_t)run->group->size, sizeof mine);
    code = weir_group_any(run->group, run->group->rank == 0 && all == NULL) ? -ENOMEM : 0;
    if (code == 0)
        code = weir_group_gather(run->group, mine, sizeof mine, all);
    if (code == 0 && all != NULL)
        compare(run, &needs, all);
    free(all);
    if (code != 0)
        return code;
    if (run->test->must_fit && !needs.files.may_be_cut && !needs.trees.may_be_cut &&
        run->no_room[0] != '\0')
        weir_error_usage(error, run->test->dialect, "%s; or leave --must-fit out", run->no_room);
    return weir_group_agree(run->group, error);
}

/* Whether one operation of a phase of the test moves all blocks of a rank. */
static bool moves_all_at_once(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->transfers.layout.is_at_once)
            return true;
    return false;
}

int weir_check_memory(struct weir_run *run, uint64_t bytes, struct weir_error *error)
{
    uint64_t needed = weir_times(bytes, (uint64_t)run->group->node_size);
    struct weir_memory_facts memory;
    char all[WEIR_SIZE_TEXT_BYTES], left[WEIR_SIZE_TEXT_BYTES];

    if (run->group->node_rank == 0 && weir_memory_describe("", &memory) == 0 &&
        needed > memory.bytes_available)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL,
                       "the transfers in flight on this host need %s of memory, and %s is "
                       "available: use %s, or fewer ranks per node",
                       weir_size_format(needed, all),
                       weir_size_format(memory.bytes_available, left),
                       moves_all_at_once(run->test)
                           ? "fewer segments or smaller blocks, all of which are in one transfer"
                           : "smaller transfers, a smaller --depth");
    return weir_group_agree(run->group, error);
}
