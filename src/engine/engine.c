/* SPDX-License-Identifier: Apache-2.0 */
/* A plan, test by test: its ranks, what they need, and the steps between. */
#include "weir/engine/engine.h"

#include "gather.h"
#include "gather_tally.h"
#include "phase_names.h"
#include "prepare.h"
#include "run.h"
#include "servers.h"
#include "steps.h"
#include "watchdog.h"

#include "weir/plan/program.h"
#include "weir/system/host.h"
#include "weir/system/room.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tests ---- */

static const char *map_nodes(struct weir_run *run)
{
    const struct weir_group *group = run->group;
    char *map = weir_arena_take(&run->result->arena, (size_t)group->size + 1);

    for (int rank = 0; rank < group->size; rank++)
        map[rank] = group->node_of_rank[rank] == group->node_of_rank[0] ? '1' : '0';
    return map;
}

/* Whether ranks have files on different file systems (IOR: -F -o DIRECTORY@DIRECTORY). */
static bool has_several_filesystems(const struct weir_run *run)
{
    const struct weir_target *target = run->test->phases[0]->target;
    uint64_t count = target->path_count < (uint64_t)run->group->size ? target->path_count
                                                                     : (uint64_t)run->group->size;
    struct weir_room_facts first, other;
    char path[WEIR_PATH_BYTES];

    for (uint64_t i = 0; i < count; i++) {
        weir_run_path(run, target, i, path);
        weir_room_describe(path, 0, i == 0 ? &first : &other);
        if (i > 0 && first.is_known && other.is_known && other.store != first.store)
            return true;
    }
    return false;
}

/* Limit of the statements of a program that are evaluated to find its first file. */
#define STATEMENTS_MAX 10000

/* Sets `path` to a path on the storage of the rank's data: that of its file, or the first file of
 * rank 0 in a program, which may work outside of its directory. 0, or as weir_run_path(). */
static int find_storage_path(const struct weir_run *run, uint64_t rank, char path[WEIR_PATH_BYTES])
{
    const struct weir_phase *phase = run->test->phases[0];
    struct weir_program_count count;

    if (phase->verb == WEIR_PROGRAM) {
        weir_program_count(phase->program, (uint64_t)run->group->size, STATEMENTS_MAX, &count);
        if (count.name[0] != '\0') {
            snprintf(path, WEIR_PATH_BYTES, "%s", count.name);
            return 0;
        }
    }
    return weir_run_path(run, phase->target, rank, path);
}

static struct weir_test_result *describe_test(struct weir_run *run)
{
    struct weir_test_result *facts = &run->result->tests[run->result->test_count++];
    const struct weir_test *test = run->test;
    char path[WEIR_PATH_BYTES];

    *facts = (struct weir_test_result){
        .test = test->number,
        .begun_s = weir_wall_clock_s(),
        .rank_count = (unsigned)run->group->size,
        .node_count = (unsigned)(test->given_nodes != 0 ? test->given_nodes : run->placement.nodes),
        .ranks_per_node = (unsigned)run->placement.ranks_per_node,
        .node_map = map_nodes(run),
        .existing_count = run->existing.count,
    };
    snprintf(facts->existing_path, sizeof facts->existing_path, "%s", run->existing.path);
    memcpy(facts->no_room, run->no_room, sizeof facts->no_room);
    if (test->phase_count > 0)
        weir_run_path(run, test->phases[0]->target, 0, facts->path);
    /* What a device is named in is not what holds the data. */
    if (weir_run_has_storage(run) && !test->phases[0]->target->is_device &&
        find_storage_path(run, 0, path) == 0)
        weir_filesystem_describe(path, &facts->filesystem);
    facts->has_several_filesystems = facts->filesystem.is_known && has_several_filesystems(run);
    return facts;
}

/* Seeds that the user did not give come from rank 0's wall clock, as in IOR, and are kept in the
 * result. */
static int draw_seeds(struct weir_run *run)
{
    uint64_t seconds = (uint64_t)weir_wall_clock_s();
    uint64_t mixed = weir_mix64((uint64_t)(weir_wall_clock_s() * 1e6));
    int code = weir_run_share(run, &seconds);

    if (code == 0)
        code = weir_run_share(run, &mixed);
    run->data_seed = (uint32_t)seconds;
    run->order_seed = mixed >> 1; /* --random-offset-seed can give it back */
    return code;
}

static int begin_test(struct weir_run *run, struct weir_error *error)
{
    const struct weir_observer *observer = run->params->observer;
    int code;

    if (run->result != NULL)
        run->test_result = describe_test(run);
    code = weir_run_has_storage(run)
               ? weir_surroundings_gather_storages(run->surroundings, run->result, run->test_result)
               : 0;
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "the nodes cannot tell what storage they see: %s", strerror(-code));
    if (!weir_error_is_set(error) && run->result != NULL && observer->test_begins != NULL)
        observer->test_begins(observer->context, run->test_result, error);
    return weir_group_agree(run->group, error);
}

static int run_steps(struct weir_run *run, struct weir_error *error)
{
    const struct weir_observer *observer = run->params->observer;

    run->started_ns = weir_run_now(run);
    if (begin_test(run, error) != 0)
        return error->code;
    /* A signal may have come while memory was taken: then nothing has been written yet. */
    if (!run->is_ending)
        weir_steps_run(run, error);
    if (!weir_error_is_set(error)) {
        *error = run->late_error;
        weir_group_agree(run->group, error);
    }
    if (run->result != NULL && observer->test_ends != NULL)
        observer->test_ends(observer->context, run->test_result);
    return error->code;
}

/* Room for what any phase of the test times. */
static int open_tally(struct weir_run *run)
{
    unsigned most = 0;

    for (size_t i = 0; i < run->test->phase_count; i++) {
        struct weir_tally_parts parts = weir_run_tally_parts(run, run->test->phases[i]);
        unsigned count;

        /* Only the session, which is not there yet, knows. */
        parts.has_submission = true;
        count = weir_tally_histograms(&parts);
        most = count > most ? count : most;
    }
    run->tally = malloc(sizeof *run->tally);
    return run->tally != NULL ? weir_tally_open(run->tally, most) : -ENOMEM;
}

static void close_tally(struct weir_run *run)
{
    if (run->tally != NULL)
        weir_tally_close(run->tally);
    free(run->tally);
    run->tally = NULL;
}

static int begin_surroundings(struct weir_run *run, struct weir_error *error)
{
    char path[WEIR_PATH_BYTES];
    /* A path that is too long is refused later on, in better words. */
    bool has_path =
        weir_run_has_storage(run) && find_storage_path(run, (uint64_t)run->group->rank, path) == 0;

    return weir_surroundings_begin_test(run->surroundings, run->group, run->test,
                                        has_path ? path : NULL, error);
}

/* The next test runs, on the same ranks. */
static bool has_next_ranks(const struct weir_run *run, const struct weir_test *next)
{
    return run->group == run->params->group && next->rank_limit == 0 && next->node_limit == 0 &&
           next->ranks_per_node_limit == 0 && !run->has_failed && !run->is_ending;
}

/* Takes memory that a test needs before its session is open, and opens the watchdog. */
static int open_test(struct weir_run *run, struct weir_error *error)
{
    if (open_tally(run) != 0 || weir_gather_open(run) != 0 || weir_steps_open(run) != 0 ||
        weir_group_self_open(&run->self) != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    if (weir_group_agree(run->group, error) == 0)
        weir_watchdog_open(run);
    return error->code;
}

static void close_test(struct weir_run *run)
{
    free(run->package_of_rank);
    weir_group_close(run->self);
    weir_steps_close(run);
    weir_gather_close(run);
    close_tally(run);
}

/* `next`: the test that follows; NULL if none does. */
static int run_test_in_group(struct weir_run *run, const struct weir_test *next,
                             struct weir_error *error)
{
    bool leads_on;

    open_test(run, error);
    if (!weir_error_is_set(error) && draw_seeds(run) != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "mpi", "ranks cannot agree on seeds");
    /* Before all that depends on where the rank runs: packages in names, and its memory. */
    if (!weir_error_is_set(error))
        begin_surroundings(run, error);
    if (!weir_error_is_set(error) && weir_run_place(run) != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "mpi",
                       "ranks cannot tell each other where they run");
    if (!weir_error_is_set(error) && weir_prepare_test(run, error) == 0 &&
        weir_hog_take(run, error) == 0)
        run_steps(run, error);
    weir_hog_drop(run);
    leads_on = next != NULL && !weir_error_is_set(error) && has_next_ranks(run, next);
    run->must_keep_session = leads_on && weir_prepare_does_for(run, next);
    weir_prepare_close(run);
    weir_watchdog_close(run);
    weir_surroundings_end_test(run->surroundings,
                               leads_on && weir_surroundings_suit(run->test, next));
    close_test(run);
    return error->code;
}

/* The run ends, and left the files of run->test to a later one. */
static void remove_pending_in_group(struct weir_run *run, const struct weir_phase *removal,
                                    struct weir_error *error)
{
    struct weir_result *result = run->result;

    for (unsigned i = 0; result != NULL && i < result->test_count; i++)
        if (result->tests[i].test == run->test->number)
            run->test_result = &result->tests[i];
    if (open_test(run, error) == 0 && weir_run_place(run) != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ECOMM, "mpi",
                       "ranks cannot tell each other where they run");
    if (!weir_error_is_set(error) && weir_prepare_removal(run, removal, error) == 0) {
        weir_phase_remove(run, removal, error);
        if (!weir_error_is_set(error))
            *error = run->late_error;
        weir_group_agree(run->group, error);
    }
    weir_prepare_close(run);
    weir_watchdog_close(run);
    close_test(run);
}

/* The ranks of the test, which are clients if there are servers; NULL on those that sit it out. */
static int choose_ranks(const struct weir_servers *servers, struct weir_group **group,
                        struct weir_error *error)
{
    struct weir_group *all = servers->group;
    int count = 0;
    int code;

    *group = all;
    for (int rank = 0; rank < all->size; rank++)
        count += weir_servers_is_client(servers, rank);
    if (count == all->size)
        return 0;
    code = all->ops->part(all, weir_servers_is_client(servers, all->rank), group);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "no group of %d of %d ranks: %s",
                       count, all->size, strerror(-code));
    return weir_group_agree(all, error);
}

/* Rank 0 is part of every test, so it can tell the ranks that sit it out. */
static void run_with_ranks(struct weir_run *run, const struct weir_test *next,
                           struct weir_result *result, struct weir_error *error)
{
    const struct weir_servers *servers = run->servers;
    bool must_stop;
    int code = 0;

    if (choose_ranks(servers, &run->group, error) != 0)
        return;
    if (run->group == NULL) {
        code = weir_servers_wait(servers, run->params->stop_signal);
    } else {
        run->result = run->group->rank == 0 ? result : NULL;
        run_test_in_group(run, next, error);
        if (run->group->rank == 0)
            code = weir_servers_end_wait(servers);
    }
    /* All ranks are here, and none raises the alarm any more. */
    must_stop = weir_group_hears_alarm(servers->group, WEIR_ALARM_CALL_OFF);
    if (run->group != servers->group && weir_group_any(servers->group, must_stop)) {
        run->is_interrupted = true;
        if (code == 0)
            code = weir_group_end_alarm(servers->group, WEIR_ALARM_CALL_OFF);
    }
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "ranks that sat a test out cannot go on: %s", strerror(-code));
}

/* A test after another one, which may have left its session open. */
static void begin_run(struct weir_run *run, const struct weir_test *test)
{
    const struct weir_run last = *run;

    *run = (struct weir_run){
        .params = last.params,
        .test = test,
        .surroundings = last.surroundings,
        .servers = last.servers,
        .backend = last.backend,
        .session = last.session,
        .queue = last.queue,
        .buffers = last.buffers,
        .buffer_alignment = last.buffer_alignment,
        .is_memory_lent = last.is_memory_lent,
        .pending_removal = last.pending_removal,
        .pending_test = last.pending_test,
    };
}

static bool is_skipped(const struct weir_engine_params *params, size_t number)
{
    return params->is_skipped != NULL && params->is_skipped[number];
}

static int skip_test(const struct weir_engine_params *params, size_t number,
                     struct weir_error *error)
{
    const struct weir_observer *observer = params->observer;

    if (params->group->rank == 0 && observer->test_skipped != NULL)
        observer->test_skipped(observer->context, (unsigned)number, error);
    return weir_group_agree(params->group, error);
}

/* The next test that is run; NULL if none is. */
static const struct weir_test *test_after(const struct weir_engine_params *params, size_t number)
{
    for (size_t i = number + 1; i < params->plan->test_count; i++)
        if (!is_skipped(params, i))
            return params->plan->tests[i];
    return NULL;
}

static int run_test(struct weir_run *run, size_t number, struct weir_servers *servers,
                    struct weir_result *result, bool *must_end, struct weir_error *error)
{
    const struct weir_engine_params *params = run->params;
    const struct weir_test *test = params->plan->tests[number];
    const struct weir_test *next = test_after(params, number);
    int code;

    begin_run(run, test);
    if (weir_servers_prepare(servers, params, test, error) == 0)
        run_with_ranks(run, next, result, error);
    if (run->group != params->group)
        weir_group_close(run->group);
    if (result != NULL)
        result->is_interrupted |= run->is_interrupted;
    *must_end = run->is_interrupted || (run->has_failed && !test->goes_on_after_errors);
    assert(params->group != NULL);
    code = weir_group_broadcast(params->group, must_end, sizeof *must_end, 0);
    /* Tells the error to ranks that were not in the test; an error of theirs is kept, too. */
    return code != 0 ? code : weir_group_agree(params->group, error);
}

/* Rank 0 is part of every test, and knows. */
static const struct weir_phase *share_pending(struct weir_run *run)
{
    const struct weir_plan *plan = run->params->plan;
    size_t place[2] = {plan->test_count, 0}; /* the test, and the phase in it */

    if (run->pending_removal != NULL) {
        place[0] = run->pending_test->number;
        while (run->pending_test->phases[place[1]] != run->pending_removal)
            place[1]++;
    }
    if (weir_group_broadcast(run->params->group, place, sizeof place, 0) != 0 ||
        place[0] >= plan->test_count)
        return NULL;
    run->pending_test = plan->tests[place[0]];
    return run->pending_test->phases[place[1]];
}

static bool has_removal_at_end(const struct weir_plan *plan)
{
    for (size_t i = 0; i < plan->test_count; i++)
        for (size_t k = 0; k < plan->tests[i]->phase_count; k++)
            if (plan->tests[i]->phases[k]->names.only_if_ending)
                return true;
    return false;
}

/* Removes files that a test has left to the next one, which did not begin: a signal came between
 * the two, or its preparation failed. The first error of the run is the one that is reported. */
static void remove_pending(struct weir_run *run, struct weir_servers *servers,
                           struct weir_result *result, struct weir_error *error)
{
    struct weir_group *all = run->params->group;
    const struct weir_phase *removal;
    struct weir_error mine = {0};

    if (!has_removal_at_end(run->params->plan) || (removal = share_pending(run)) == NULL)
        return;
    weir_prepare_end(run);
    begin_run(run, run->pending_test);
    run->is_ending = true;
    if (weir_servers_prepare(servers, run->params, run->test, &mine) == 0 &&
        choose_ranks(servers, &run->group, &mine) == 0) {
        if (run->group != NULL) {
            run->result = run->group->rank == 0 ? result : NULL;
            remove_pending_in_group(run, removal, &mine);
        }
        if (run->group != all)
            weir_group_close(run->group);
    }
    weir_group_agree(all, &mine);
    if (weir_error_is_set(error) || !weir_error_is_set(&mine))
        return;
    *error = mine;
    if (error->exit == WEIR_EXIT_USAGE)
        error->exit = WEIR_EXIT_FLAWED;
}

/* Files of later tests would be refused when those before have run. A single test checks its own.
 */
static int check_files(const struct weir_engine_params *params, struct weir_error *error)
{
    const struct weir_plan *plan = params->plan;

    if (plan->test_count < 2)
        return 0;
    for (size_t i = 0; i < plan->test_count && !weir_error_is_set(error); i++) {
        const struct weir_test *test = plan->tests[i];
        const struct weir_run run = {.params = params, .test = test, .group = params->group};
        bool is_of_all =
            test->rank_limit == 0 && test->node_limit == 0 && test->ranks_per_node_limit == 0;

        if (is_skipped(params, i) || test->is_dry_run || (!is_of_all && params->group->rank != 0))
            continue;
        for (size_t k = 0; k < test->phase_count && !weir_error_is_set(error); k++)
            if (test->phases[k]->verb != WEIR_PROGRAM && weir_run_takes_part(&run, test->phases[k]))
                weir_prepare_check_files(&run, test->phases[k], error);
    }
    return weir_group_agree(params->group, error);
}

int weir_engine_run(const struct weir_engine_params *params, struct weir_result *result,
                    struct weir_error *error)
{
    const struct weir_plan *plan = params->plan;
    struct weir_servers servers = {0};
    struct weir_surroundings surroundings;
    struct weir_run run = {.params = params, .surroundings = &surroundings, .servers = &servers};
    bool must_end = false, has_run = false;
    int code = weir_surroundings_open(&surroundings, params->group, params->clock, result, error);

    if (code == 0)
        code = weir_servers_open(&servers, params->group, error);
    if (code == 0)
        code = check_files(params, error);
    for (size_t i = 0; i < plan->test_count && code == 0 && !must_end; i++) {
        code = is_skipped(params, i) ? skip_test(params, i, error)
                                     : run_test(&run, i, &servers, result, &must_end, error);
        /* A usage error says that nothing was touched. */
        if (code != 0 && has_run && error->exit == WEIR_EXIT_USAGE)
            error->exit = WEIR_EXIT_FLAWED;
        has_run |= !is_skipped(params, i) && !plan->tests[i]->is_dry_run;
    }
    if (has_run)
        remove_pending(&run, &servers, result, error);
    weir_prepare_end(&run);
    weir_servers_close(&servers);
    weir_surroundings_close(&surroundings);
    return code != 0 ? code : error->code;
}
