/* SPDX-License-Identifier: Apache-2.0 */
/* Small questions about the state of a run that several phases ask. */
#include "run.h"

#include "items.h"
#include "watchdog.h"

#include "weir/base/call_watch.h"
#include "weir/plan/program.h"
#include "weir/system/host.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
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
        .package = run->package_of_rank != NULL ? run->package_of_rank[owner] : 0,
    };

    return weir_target_path(target, &place, path);
}

bool weir_run_has_storage(const struct weir_run *run)
{
    const struct weir_registry *registry = run->params->registry;
    const struct weir_test *test = run->test;
    const struct weir_backend *backend = weir_backend_find(registry, test->backend->name);
    const struct weir_backend *inner =
        test->inner != NULL ? weir_backend_find(registry, test->inner->name) : backend;

    return backend->names != NULL && inner->server == NULL && test->phase_count > 0;
}

uint64_t weir_run_owner(const struct weir_run *run, const struct weir_phase *phase)
{
    struct weir_shift shift = phase->shift;

    if (shift.varies)
        shift.seed += run->repetition;
    return weir_shift_owner(&shift, &run->placement, (uint64_t)run->group->rank);
}

static bool takes_back(const struct weir_phase *phase, const struct weir_phase *earlier)
{
    return earlier->verb == WEIR_RENAME && earlier->target == phase->target &&
           earlier->names.new_item != NULL &&
           strcmp(earlier->names.new_item, phase->names.item) == 0 &&
           strcmp(earlier->names.item, phase->names.new_item) == 0;
}

bool weir_run_must_do(const struct weir_run *run, const struct weir_phase *phase)
{
    const struct weir_test *test = run->test;

    if (phase->verb != WEIR_RENAME || phase->names.new_item == NULL)
        return weir_verb_removes(phase->verb);
    for (size_t i = 0; test->phases[i] != phase; i++)
        if (takes_back(phase, test->phases[i]))
            return true;
    return false;
}

/* What the user says of nodes is taken to be regular, so that shifts count as told. */
struct weir_placement weir_run_placement(const struct weir_run *run)
{
    const struct weir_placement real = weir_group_placement(run->group);
    const struct weir_test *test = run->test;
    uint64_t nodes = test->given_nodes != 0 ? test->given_nodes : real.nodes;
    uint64_t ranks_per_node =
        test->given_ranks_per_node != 0 ? test->given_ranks_per_node : real.ranks_per_node;

    if (test->given_nodes == 0 && test->given_ranks_per_node == 0)
        return real;
    if (nodes > real.ranks)
        nodes = real.ranks;
    return (struct weir_placement){
        .ranks = real.ranks,
        .nodes = nodes,
        .ranks_per_node = ranks_per_node,
        .is_block = real.is_block,
    };
}

static bool has_package_directories(const struct weir_test *test)
{
    for (size_t i = 0; i < test->phase_count; i++)
        if (test->phases[i]->target->has_package_directory)
            return true;
    return false;
}

int weir_run_place(struct weir_run *run)
{
    run->placement = weir_run_placement(run);
    if (!has_package_directories(run->test))
        return 0;
    return weir_run_collect(run, weir_processor_package(""), &run->package_of_rank);
}

struct weir_group *weir_run_file_group(const struct weir_run *run, const struct weir_target *target)
{
    return target->is_shared ? run->group : run->self;
}

bool weir_run_handles_name(const struct weir_run *run, const struct weir_target *target)
{
    return !target->is_shared || run->group->rank == 0;
}

void weir_run_explain(const struct weir_run *run, struct weir_text *text)
{
    struct weir_text peer = {0};

    if (run->backend->explain != NULL && run->session != NULL)
        run->backend->explain(run->session, &peer);
    if (peer.length > 0)
        weir_text_add(text, " (%s)", weir_text_string(&peer));
    weir_text_close(&peer);
}

int weir_run_fail_for(struct weir_run *run, int code, const char *what, const char *path,
                      const char *reason)
{
    struct weir_text peer = {0};

    if (weir_error_is_set(&run->failure))
        return run->failure.code;
    weir_run_explain(run, &peer);
    weir_error_set(&run->failure, WEIR_EXIT_FLAWED, code, run->backend->descriptor.name,
                   "%s %s: %s%s", what, path, reason, weir_text_string(&peer));
    run->tally->failed_ns = weir_run_now(run);
    weir_text_close(&peer);
    if (!run->test->goes_on_after_errors)
        weir_run_call_off(run);
    return run->failure.code;
}

const char *weir_run_reason(int code)
{
    if (code == -WEIR_EFIFO)
        return "it is a FIFO, not a regular file";
    return code == -ESPIPE ? "it is a FIFO or a socket, not a regular file" : strerror(-code);
}

int weir_run_fail(struct weir_run *run, int code, const char *what, const char *path)
{
    return weir_run_fail_for(run, code, what, path, weir_run_reason(code));
}

/* ---- names ---- */

int weir_run_stat(const struct weir_run *run, const char *path, struct weir_name_facts *facts)
{
    int code;

    weir_call_begin("stat", path);
    code = weir_backend_item_names(run->backend)->stat(run->session, path, facts);
    weir_call_end();
    return code;
}

void weir_run_take_sight(struct weir_run *run, const struct weir_target *target, const char *path)
{
    const struct weir_name_ops *names = run->backend->names;

    if (run->sighted == target || run->test->is_dry_run || !weir_run_has_storage(run))
        return;
    if (names != NULL && names->kernel_path != NULL)
        path = names->kernel_path(run->session, path);
    run->sight = (struct weir_sight){0};
    if (path == NULL)
        return;
    weir_call_begin("stat", path);
    weir_sight_take(path, &run->sight);
    weir_call_end();
    run->sighted = run->sight.name != 0 ? target : NULL;
}

int weir_run_mkdir(const struct weir_run *run, const char *path)
{
    int code;

    weir_call_begin("mkdir", path);
    code = weir_backend_item_names(run->backend)->mkdir(run->session, path);
    weir_call_end();
    return code;
}

int weir_run_rmdir(const struct weir_run *run, const char *path)
{
    int code;

    weir_call_begin("rmdir", path);
    code = weir_backend_item_names(run->backend)->rmdir(run->session, path);
    weir_call_end();
    return code;
}

int weir_run_unlink(const struct weir_run *run, const char *path)
{
    int code;

    weir_call_begin("unlink", path);
    code = weir_backend_item_names(run->backend)->unlink(run->session, path);
    weir_call_end();
    return code;
}

/* ---- alarms ---- */

bool weir_run_hears_call_off(struct weir_run *run)
{
    for (struct weir_group *group = run->group->around; group != NULL; group = group->around)
        if (weir_group_hears_alarm(group, WEIR_ALARM_CALL_OFF) && !weir_run_must_stop(run))
            *run->params->stop_signal = SIGTERM;
    return weir_group_hears_alarm(run->group, WEIR_ALARM_CALL_OFF);
}

/* While this rank waits: a signal may come to it alone, and what it hears, others wait for. */
static void listen_idly(void *context)
{
    struct weir_run *run = context;

    weir_run_hears_call_off(run);
    if (weir_run_must_stop(run))
        weir_run_call_off(run);
    if (run->has_wall)
        weir_group_hears_alarm(run->group, WEIR_ALARM_WALL);
    weir_watchdog_wait(run);
}

void weir_run_arm(struct weir_run *run)
{
    run->has_alarm = true;
    run->group->idle = listen_idly;
    run->group->idle_context = run;
}

int weir_run_disarm(struct weir_run *run)
{
    int code = weir_group_barrier(run->group);

    run->has_alarm = false;
    run->group->idle = NULL;
    weir_watchdog_say(run, WEIR_ACTIVITY_NONE, NULL);
    weir_watchdog_end_count(run);
    return code;
}

void weir_run_call_off(struct weir_run *run)
{
    if (run->has_alarm)
        weir_group_raise_alarm(run->group, WEIR_ALARM_CALL_OFF);
}

bool weir_run_has_written(const struct weir_run *run, const struct weir_target *target)
{
    return run->written.target == target &&
           (!target->is_new_each_repetition || run->written.repetition == run->repetition);
}

bool weir_run_wants_huge_pages(const struct weir_run *run)
{
    return run->test->wants_huge_pages || run->session->wants_huge_pages;
}

int weir_run_share(struct weir_run *run, uint64_t *value)
{
    return weir_group_broadcast(run->group, value, sizeof *value, 0);
}

int weir_run_collect(struct weir_run *run, uint64_t mine, uint64_t **all)
{
    struct weir_group *group = run->group;
    uint64_t *values = calloc((size_t)group->size, sizeof *values);
    int code = weir_group_any(group, values == NULL) ? -ENOMEM : 0;

    if (code == 0)
        code = weir_group_gather(group, &mine, sizeof mine, group->rank == 0 ? values : NULL);
    if (code == 0)
        code = weir_group_broadcast(group, values, (size_t)group->size * sizeof *values, 0);
    if (code != 0)
        free(values);
    else
        *all = values;
    return code;
}

const uint64_t *weir_run_keep_loops(const struct weir_run *run)
{
    size_t bytes = run->loop_count * sizeof *run->loops;

    if (bytes == 0)
        return NULL;
    return memcpy(weir_arena_take(&run->result->arena, bytes), run->loops, bytes);
}

bool weir_run_reports_progress(const struct weir_run *run)
{
    const struct weir_observer *observer = run->params->observer;

    return run->result != NULL && observer->progress != NULL && observer->progress_interval_ns != 0;
}

void weir_run_report_beginning(const struct weir_run *run, const struct weir_phase *phase,
                               uint64_t sleep_ns)
{
    const struct weir_observer *observer = run->params->observer;
    const struct weir_progress progress = {.phase = phase,
                                           .repetition = (unsigned)run->repetition,
                                           .trial_depth = run->trial_depth,
                                           .sleep_s = (double)sleep_ns * 1e-9};

    if (weir_run_reports_progress(run))
        observer->progress(observer->context, &progress);
}

struct weir_tally_parts weir_run_tally_parts(const struct weir_run *run,
                                             const struct weir_phase *phase)
{
    struct weir_tally_parts parts = {
        .has_submission = run->queue.times_submission,
        .has_response = phase->rate.arrivals != WEIR_ARRIVALS_CLOSED,
    };

    _Static_assert(WEIR_TALLY_VERBS == WEIR_OP_VERB_COUNT, "a tally for each verb");
    if (weir_verb_writes(phase->verb))
        parts.verbs |= 1u << WEIR_OP_WRITE;
    if (weir_verb_reads(phase->verb))
        parts.verbs |= 1u << WEIR_OP_READ;
    if (phase->verb == WEIR_PROGRAM)
        for (unsigned i = 0; i < WEIR_CALL_COUNT; i++)
            parts.verbs |= 1u << weir_calls[i].verb;
    if (weir_verb_works_on_trees(phase->verb))
        parts.verbs = weir_items_counted(phase);
    else if (weir_verb_removes(phase->verb))
        parts.verbs |= 1u << WEIR_OP_UNLINK;
    return parts;
}
