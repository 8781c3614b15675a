/* SPDX-License-Identifier: Apache-2.0 */
/* One program: prepare, start together, each rank for itself, meet at the end, gather. */
#include "phase_program.h"

#include "gather.h"
#include "program.h"
#include "program_calls.h"
#include "watchdog.h"

#include "weir/base/log.h"
#include "weir/base/random.h"
#include "weir/system/processor.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program_phase {
    struct weir_run *run;
    const struct weir_phase *phase;
    struct weir_program_walk walk;
    struct weir_phase_facts facts;
};

/* ---- before the start ---- */

static uint64_t seed_of(const struct program_phase *own)
{
    const struct weir_program *program = own->phase->program;

    return program->seed_is_given ? program->seed : own->run->order_seed;
}

static void set_scope(struct program_phase *own)
{
    struct weir_program_walk *walk = &own->walk;
    const struct weir_group *group = own->run->group;
    uint64_t seed = seed_of(own);

    walk->innermost = walk->program->group_count;
    walk->scope = (struct weir_scope){
        .variables = &walk->program->variables,
        .values = walk->values,
        .internals = {[WEIR_INTERNAL_RANK] = group->rank,
                      [WEIR_INTERNAL_SIZE] = group->size,
                      [WEIR_INTERNAL_GROUP_RANK] = group->rank,
                      [WEIR_INTERNAL_GROUP_SIZE] = group->size,
                      [WEIR_INTERNAL_NODE] = group->node},
        .host = group->node_names[group->node],
        .random_seed = weir_random_at(seed, (uint64_t)group->rank),
        .common_seed = seed,
        .common_count = &walk->groups[walk->innermost].common_count,
    };
}

static int prepare_alone(struct weir_program_walk *walk)
{
    const struct weir_program *program = walk->program;
    size_t variables = program->variables.count > 0 ? program->variables.count : 1;
    int code;

    walk->values = calloc(variables, sizeof *walk->values);
    walk->frames = calloc(1, weir_program_frames_bytes(program));
    code = weir_program_times_open(walk);
    if (walk->values == NULL || walk->frames == NULL)
        return -ENOMEM;
    return code != 0 ? code : weir_program_set_parameters(program, walk->values);
}

static int prepare(struct program_phase *own, struct weir_error *error)
{
    struct weir_program_walk *walk = &own->walk;
    int code = prepare_alone(walk);

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, walk->program->path,
                       "the program cannot be prepared: %s", strerror(-code));
    if (weir_group_agree(own->run->group, error) != 0 || weir_program_groups_open(walk, error) != 0)
        return error->code;
    set_scope(own);
    weir_program_calls_open(walk, error);
    return weir_group_agree(own->run->group, error);
}

/* ---- a signal to begin ---- */

static volatile sig_atomic_t may_begin;

static void note_begin(int number)
{
    may_begin = number;
}

/* Until SIGUSR1, which else would end the run. */
static void wait_for_signal(struct weir_run *run)
{
    struct sigaction action = {.sa_handler = note_begin}, before;

    sigemptyset(&action.sa_mask);
    may_begin = 0;
    sigaction(SIGUSR1, &action, &before);
    weir_log(WEIR_LOG_WARNING, "the program begins when process %ld on host %s gets SIGUSR1",
             (long)getpid(), run->group->node_names[run->group->node]);
    while (may_begin == 0 && !weir_run_hears_call_off(run) && !weir_run_must_stop(run)) {
        const struct timespec slice = {.tv_nsec = 50000000};

        nanosleep(&slice, NULL);
        weir_watchdog_wait(run);
    }
    sigaction(SIGUSR1, &before, NULL);
    if (weir_run_must_stop(run))
        weir_run_call_off(run);
}

/* Ranks that wait leave together. One that was told to stop ends its walk before the first
 * statement. */
static int await_begin(struct weir_run *run)
{
    weir_run_arm(run);
    if (run->group->rank == 0)
        wait_for_signal(run);
    return weir_run_disarm(run);
}

/* ---- the work ---- */

static void stamp(struct program_phase *own, enum weir_stamp first, enum weir_stamp last)
{
    uint64_t now_ns = weir_run_now(own->run);

    for (unsigned i = first; i <= (unsigned)last; i++)
        own->run->tally->stamps_ns[i] = now_ns;
}

static void begin_times(struct program_phase *own)
{
    struct weir_program_walk *walk = &own->walk;
    const struct weir_run *run = own->run;
    const struct weir_phase *phase = own->phase;

    walk->begun_ns = own->facts.start_ns;
    walk->look_ns = walk->begun_ns;
    walk->deadline_ns =
        phase->stop.deadline_ns == 0 ? UINT64_MAX : walk->begun_ns + phase->stop.deadline_ns;
    if (phase->rate.arrivals != WEIR_ARRIVALS_CLOSED)
        weir_pacer_open(&walk->pacer, &(struct weir_pacer_params){
                                          .rate = &phase->rate,
                                          .rank = (uint64_t)run->group->rank,
                                          .ranks = (uint64_t)run->group->size,
                                          .transfer_bytes = 1,
                                          .start_ns = walk->begun_ns,
                                          .seed = seed_of(own),
                                          .limit = UINT64_MAX,
                                      });
}

/* Stamps are those of this rank's statements: it does not count as work to wait for others. */
static int work(struct program_phase *own)
{
    struct weir_program_walk *walk = &own->walk;
    struct weir_run *run = own->run;
    struct weir_processor_time before, now;

    begin_times(own);
    weir_run_arm(run);
    before = weir_processor_time();
    weir_watchdog_say(run, WEIR_ACTIVITY_PROGRAM, walk->program->path);
    stamp(own, WEIR_STAMP_OPEN_START, WEIR_STAMP_MOVE_START);
    weir_program_go(walk);
    stamp(own, WEIR_STAMP_MOVE_STOP, WEIR_STAMP_CLOSE_STOP);
    now = weir_processor_time();
    run->tally->cpu_user_ns = now.user_ns - before.user_ns;
    run->tally->cpu_system_ns = now.system_ns - before.system_ns;
    weir_surroundings_leave(run->surroundings);
    if (own->phase->rate.arrivals != WEIR_ARRIVALS_CLOSED)
        weir_pacer_close(&walk->pacer);
    own->facts.is_incomplete = weir_program_meet(walk, walk->program->group_count, NULL) != 0;
    return weir_run_disarm(run);
}

/* ---- after the end ---- */

static bool has_drawn(const struct weir_program_walk *walk)
{
    bool has_drawn = walk->scope.random_count > 0;

    for (unsigned i = 0; i <= walk->program->group_count; i++)
        has_drawn |= walk->groups[i].common_count > 0;
    return has_drawn;
}

/* The first file that the rank moved data in by name, else the directory of the program, which one
 * rank of each node stats. */
static void take_sight(const struct program_phase *own)
{
    struct weir_run *run = own->run;

    if (own->walk.files->data_name[0] != '\0')
        weir_run_take_sight(run, own->phase->target, own->walk.files->data_name);
    if (run->group->node_rank == 0)
        weir_run_take_sight(run, own->phase->target, run->surroundings->path);
}

static int finish(struct program_phase *own, struct weir_error *error)
{
    struct weir_run *run = own->run;
    int code;

    weir_surroundings_end(run->surroundings, run->group, run->buffers.memory, run->buffers.bytes,
                          &own->facts.around);
    code = weir_group_synchronise(run->group, run->params->clock, &own->facts.after);
    if (code != 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s", strerror(-code));
    own->facts.walk = &own->walk;
    if (weir_group_any(run->group, has_drawn(&own->walk)))
        own->facts.order_seed = seed_of(own);
    return weir_gather(run, &own->facts, error);
}

static int run_program(struct program_phase *own, struct weir_error *error)
{
    struct weir_run *run = own->run;
    int code = own->walk.program->waits_for_signal ? await_begin(run) : 0;

    if (code == 0)
        code = weir_phase_start(run, &own->facts);
    if (code == 0)
        code = work(own);
    take_sight(own);
    weir_program_calls_close(&own->walk, code == 0 && !own->facts.is_incomplete);
    if (code == 0)
        code = finish(own, error);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "the session broke: %s",
                       strerror(-code));
    weir_program_groups_close(&own->walk);
    return code;
}

static void close_walk(struct weir_program_walk *walk)
{
    weir_program_times_close(walk);
    for (unsigned i = 0; walk->values != NULL && i < walk->program->variables.count; i++)
        free(walk->values[i].text);
    free(walk->values);
    free(walk->frames);
    weir_text_close(&walk->line);
    weir_text_close(&walk->warnings);
}

int weir_phase_program(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error)
{
    struct program_phase own = {.run = run,
                                .phase = phase,
                                .walk = {.run = run, .phase = phase, .program = phase->program},
                                .facts = {.phase = phase,
                                          .file_bytes = UINT64_MAX,
                                          .shared_bytes = UINT64_MAX,
                                          .depth = 1,
                                          .batch = 1}};
    int code;

    run->failure = (struct weir_error){0};
    weir_text_clear(&run->notes);
    run->is_cut = run->is_called_off = false;
    *error = run->late_error;
    code = prepare(&own, error);
    if (code == 0) {
        code = run_program(&own, error);
    } else if (own.walk.groups != NULL) {
        weir_program_calls_close(&own.walk, true);
        weir_program_groups_close(&own.walk);
    }
    close_walk(&own.walk);
    return code;
}
