/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that is too small is told before hours are spent on filling it. */
#include "check_room.h"

#include "weir/base/remedy.h"
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
    uint64_t files; /* that are not there yet */
};

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* A shared file is claimed by rank 0 alone. */
static void make_claim(const struct weir_run *run, const struct weir_need *need,
                       struct claim *claim)
{
    const struct weir_name_ops *names = run->backend->names;
    uint64_t ranks = (uint64_t)run->group->size;
    uint64_t sharers = need->rank_limit > 0 && need->rank_limit < ranks ? need->rank_limit : ranks;
    uint64_t writers = need->target->is_shared ? sharers : 1;
    uint64_t bytes = times(times(need->bytes_per_rank, writers), need->copies);
    char path[WEIR_PATH_BYTES];

    if (!weir_run_handles_name(run, need->target) || (uint64_t)run->group->rank >= sharers ||
        weir_run_path(run, need->target, (uint64_t)run->group->rank, path) != 0)
        return;
    weir_room_describe(names->kernel_path ? names->kernel_path(run->session, path) : path,
                       run->group->node, &claim->room);
    claim->bytes = bytes > claim->room.file_bytes ? bytes - claim->room.file_bytes : 0;
    claim->files = need->copies - (claim->room.is_there ? 1 : 0);
}

/* The claims of all ranks on one file system; false if it is that of an earlier rank. */
static bool add_up(const struct claim *claims, int count, int first, struct claim *total)
{
    for (int rank = 0; rank < first; rank++)
        if (claims[rank].room.is_known && claims[rank].room.store == claims[first].room.store)
            return false;
    *total = (struct claim){.room = claims[first].room};
    for (int rank = first; rank < count; rank++) {
        const struct claim *claim = &claims[rank];

        if (!claim->room.is_known || claim->room.store != total->room.store)
            continue;
        total->bytes = plus(total->bytes, claim->bytes);
        total->files = plus(total->files, claim->files);
    }
    return true;
}

static void tell(struct weir_run *run, const struct weir_need *need, const struct claim *total,
                 int rank)
{
    const char *whose =
        total->room.is_quota ? "the quota of the user leaves" : "the file system has";
    char path[WEIR_PATH_BYTES], needed[WEIR_SIZE_TEXT_BYTES], left[WEIR_SIZE_TEXT_BYTES];

    if (weir_run_path(run, need->target, (uint64_t)rank, path) != 0)
        return;
    if (total->bytes > total->room.bytes_free)
        snprintf(run->no_room, sizeof run->no_room,
                 "%.200s: files that need %s more do not fit: %s %s%s: write less "
                 "(" WEIR_REMEDY_BLOCK_SIZE ", " WEIR_REMEDY_SEGMENTS "), choose "
                 "another place, or make room",
                 path, weir_size_format(total->bytes, needed), whose,
                 weir_size_format(total->room.bytes_free, left),
                 need->may_be_cut ? ", and only the deadline may end it earlier" : "");
    else
        snprintf(run->no_room, sizeof run->no_room,
                 "%.200s: %" PRIu64 " new files are more than the %" PRIu64
                 " that %s: use fewer ranks, a shared file, or another place",
                 path, total->files, total->room.inodes_free, whose);
}

static void compare(struct weir_run *run, const struct weir_need *need, const struct claim *claims)
{
    struct claim total;

    for (int rank = 0; rank < run->group->size && run->no_room[0] == '\0'; rank++) {
        if (!claims[rank].room.is_known || !add_up(claims, run->group->size, rank, &total))
            continue;
        if (total.bytes > total.room.bytes_free || total.files > total.room.inodes_free)
            tell(run, need, &total, rank);
    }
}

int weir_check_room(struct weir_run *run, struct weir_error *error)
{
    struct claim mine = {0}, *all = NULL;
    struct weir_need need;
    int code;

    weir_test_need(run->test, &need);
    if (need.target == NULL || need.target->is_device || !weir_run_has_storage(run))
        return 0;
    make_claim(run, &need, &mine);
    if (run->group->rank == 0)
        all = calloc((size_t)run->group->size, sizeof *all);
    code = weir_group_any(run->group, run->group->rank == 0 && all == NULL) ? -ENOMEM : 0;
    if (code == 0)
        code = weir_group_gather(run->group, &mine, sizeof mine, all);
    if (code == 0 && all != NULL)
        compare(run, &need, all);
    free(all);
    if (code != 0)
        return code;
    if (run->test->must_fit && !need.may_be_cut && run->no_room[0] != '\0')
        weir_error_usage(error, run->test->dialect, "%s; or leave --must-fit out", run->no_room);
    return weir_group_agree(run->group, error);
}

int weir_check_memory(struct weir_run *run, uint64_t bytes, struct weir_error *error)
{
    uint64_t needed = times(bytes, (uint64_t)run->group->node_size);
    struct weir_memory_facts memory;
    char all[WEIR_SIZE_TEXT_BYTES], left[WEIR_SIZE_TEXT_BYTES];

    if (run->group->node_rank == 0 && weir_memory_describe("", &memory) == 0 &&
        needed > memory.bytes_available)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL,
                       "the transfers in flight on this host need %s of memory, and %s is "
                       "available: use smaller transfers, "
                       "a smaller --depth, or fewer ranks per node",
                       weir_size_format(needed, all),
                       weir_size_format(memory.bytes_available, left));
    return weir_group_agree(run->group, error);
}
