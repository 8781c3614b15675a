/* SPDX-License-Identifier: Apache-2.0 */
/* Targets take turns: a directory that is missing on the last one, or too little room on it, would
 * be found when all others have been measured. */
#include "check_targets.h"

#include "weir/base/descriptor.h"
#include "weir/base/log.h"
#include "weir/base/memory.h"
#include "weir/base/remedy.h"
#include "weir/base/text.h"
#include "weir/plan/need.h"
#include "weir/system/room.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether the test is one of a target alone whose files are in a directory of the host. */
static bool has_directory(const struct weir_test *test)
{
    const struct weir_descriptor *backend = test->inner ? test->inner : test->backend;

    return test->peer && test->phase_count > 0 && !test->is_dry_run &&
           !test->phases[0]->target->is_device && (backend->abilities & WEIR_TAKES_DEVICES) != 0;
}

static void find_directory(const struct weir_test *test, char directory[WEIR_PATH_BYTES])
{
    snprintf(directory, WEIR_PATH_BYTES, "%s", test->phases[0]->target->paths[0]);
    weir_text_cut_name(directory);
}

/* 0, or what is wrong, as errno says it. */
static uint64_t look_at(const struct weir_test *test)
{
    char directory[WEIR_PATH_BYTES];
    int mode = X_OK;

    for (size_t i = 0; i < test->phase_count; i++)
        if (weir_verb_makes_files(test->phases[i]->verb))
            mode = W_OK | X_OK;
    find_directory(test, directory);
    return access(directory, mode) == 0 ? 0 : (uint64_t)errno;
}

static void refuse(const struct weir_plan *plan, const uint64_t *errors, size_t count,
                   struct weir_error *error)
{
    struct weir_text list = {0};
    char directory[WEIR_PATH_BYTES];

    for (size_t i = 0; i < count; i++)
        if (errors[i] != 0) {
            find_directory(plan->tests[i], directory);
            weir_text_add(&list, "%s%s: %s", list.length > 0 ? ", " : "", directory,
                          strerror((int)errors[i]));
        }
    if (list.length > 0)
        weir_error_usage(error, plan->dialect,
                         "%s: make such directories and see to it that they can be written to, or "
                         "leave these targets out",
                         list.data);
    weir_text_close(&list);
}

/* ---- room ---- */

/* Reports the targets that are too small, over all ranks that work on each: an error if the files
 * must fit, else a warning of rank 0. */
static int check_room(struct weir_group *group, const struct weir_plan *plan, size_t count,
                      struct weir_error *error)
{
    uint64_t *needed = weir_memory_grow(NULL, 2 * count * sizeof *needed);
    uint64_t *used = needed + count; /* all but the free bytes, so that the greatest counts */
    struct weir_text list = {0};
    int code;

    memset(needed, 0, 2 * count * sizeof *needed);
    for (size_t i = 0; i < count; i++) {
        const struct weir_test *test = plan->tests[i];
        const struct weir_file_place place = {.number = (uint64_t)group->rank};
        struct weir_room_facts room;
        struct weir_need need;
        char path[WEIR_PATH_BYTES];

        weir_test_need(test, &need);
        if (need.target == NULL || (uint64_t)group->rank >= test->rank_limit ||
            weir_target_path(need.target, &place, path) != 0)
            continue;
        weir_room_describe(path, group->node, &room);
        if (!room.is_known || room.bytes_free == UINT64_MAX)
            continue;
        needed[i] =
            need.bytes_per_rank > room.file_bytes ? need.bytes_per_rank - room.file_bytes : 0;
        used[i] = UINT64_MAX - room.bytes_free;
    }
    code = weir_group_reduce(group, needed, count, WEIR_SUM);
    if (code == 0)
        code = weir_group_reduce(group, used, count, WEIR_MAX);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "the free space of targets cannot be exchanged between ranks: %s",
                       strerror(-code));
    for (size_t i = 0; code == 0 && i < count; i++) {
        char directory[WEIR_PATH_BYTES], more[WEIR_SIZE_TEXT_BYTES], left[WEIR_SIZE_TEXT_BYTES];

        if (used[i] == 0 || needed[i] <= UINT64_MAX - used[i])
            continue;
        find_directory(plan->tests[i], directory);
        weir_text_add(&list, "%s%s: files of %s do not fit into %s", list.length > 0 ? ", " : "",
                      directory, weir_size_format(needed[i], more),
                      weir_size_format(UINT64_MAX - used[i], left));
    }
    if (list.length > 0 && plan->tests[0]->must_fit)
        weir_error_usage(error, plan->dialect,
                         "%s: write less (" WEIR_REMEDY_LESS_DATA
                         "), make room, or leave --must-fit out",
                         list.data);
    else if (list.length > 0 && group->rank == 0)
        weir_log(WEIR_LOG_WARNING,
                 "%s: write less (" WEIR_REMEDY_LESS_DATA "), make room, or leave them out",
                 list.data);
    weir_text_close(&list);
    free(needed);
    return weir_group_agree(group, error);
}

int weir_check_targets(struct weir_group *group, const struct weir_plan *plan,
                       struct weir_error *error)
{
    uint64_t *errors;
    size_t count = 0;
    int code;

    /* Later tests repeat them. */
    while (count < plan->test_count && has_directory(plan->tests[count]) &&
           (count == 0 || strcmp(plan->tests[count]->peer, plan->tests[0]->peer) != 0))
        count++;
    if (count == 0)
        return 0;
    errors = weir_memory_grow(NULL, count * sizeof *errors);
    for (size_t i = 0; i < count; i++) {
        uint64_t limit = plan->tests[i]->rank_limit;

        errors[i] = limit == 0 || (uint64_t)group->rank < limit ? look_at(plan->tests[i]) : 0;
    }
    code = weir_group_reduce(group, errors, count, WEIR_MAX);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "ranks cannot tell each other what they found: %s", strerror(-code));
    else
        refuse(plan, errors, count, error);
    free(errors);
    code = weir_group_agree(group, error);
    return code != 0 ? code : check_room(group, plan, count, error);
}
