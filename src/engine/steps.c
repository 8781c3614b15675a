/* SPDX-License-Identifier: Apache-2.0 */
/* Steps within steps are kept on a stack of our own, whose height is known when the test begins: no
 * plan is nested too deep for it. */
#include "steps.h"

#include "gather.h"
#include "phase_data.h"
#include "phase_names.h"
#include "phase_program.h"
#include "phase_tree.h"
#include "phase_windows.h"
#include "prepare.h"
#include "user_command.h"

#include "weir/base/crash.h"
#include "weir/base/log.h"
#include "weir/measure/compare.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step whose body is being done. */
struct frame {
    const struct weir_step *step; /* NULL: the list of the test itself */
    const struct weir_step *next; /* of the body: what comes next */
    uint64_t begun_ns;            /* UNTIL, TIMED: on this node's clock */
    /* TIMED */
    bool is_measured; /* not begun after the end */
    struct weir_time_point before;
    double wall_s;
    /* ON_RANKS */
    struct weir_group *group; /* around the step, where the body has another one; else NULL */
};

struct weir_step_stack {
    struct frame *frames;
    unsigned height;
    struct part *parts; /* groups of ON_RANKS steps, by their numbers */
};

/* Opened where the step is done for the first time. */
struct part {
    bool is_open;
    struct weir_group *group; /* NULL: this rank is not in it */
};

static bool is_loop(const struct weir_step *step)
{
    return step->kind == WEIR_STEP_REPEAT || step->kind == WEIR_STEP_UNTIL;
}

static int cannot_go_on(struct weir_error *error, int code, const char *what)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi", "%s: %s", what,
                          strerror(-code));
}

/* ---- steps without a body ---- */

/* Decided by rank 0's clock for all: ranks that differed would wait for each other forever. */
static bool is_out_of_time(struct weir_run *run)
{
    uint64_t is_late;

    if (run->test->time_limit_ns == 0)
        return false;
    is_late = weir_run_now(run) - run->started_ns >= run->test->time_limit_ns;
    return weir_run_share(run, &is_late) == 0 && is_late != 0;
}

static int run_phase(struct weir_run *run, const struct weir_phase *phase, struct weir_error *error)
{
    if (weir_run_must_do(run, phase) || !run->is_ending)
        weir_run_report_beginning(run, phase, 0);
    if (weir_verb_works_on_trees(phase->verb) && weir_run_must_do(run, phase))
        return weir_phase_tree(run, phase, error);
    if (weir_verb_works_on_names(phase->verb) && !weir_verb_works_on_trees(phase->verb))
        return weir_phase_remove(run, phase, error);
    if (run->is_ending) {
        weir_phase_close_left_file(run);
        return 0;
    }
    if (is_out_of_time(run)) {
        weir_phase_close_left_file(run);
        run->is_ending = true;
        weir_gather_skipped(run, phase);
        return 0;
    }
    if (phase->verb == WEIR_PROGRAM)
        return weir_phase_program(run, phase, error);
    return weir_verb_works_on_trees(phase->verb) ? weir_phase_tree(run, phase, error)
                                                 : weir_phase_data(run, phase, error);
}

/* In slices, so that a signal is noticed, which may come to another rank alone. */
static void sleep_awake(struct weir_run *run, uint64_t until_ns)
{
    const uint64_t slice_ns = 50000000;
    uint64_t now_ns;

    while (!weir_run_hears_call_off(run) && !weir_run_must_stop(run) &&
           (now_ns = weir_run_now(run)) < until_ns)
        weir_clock_wait(run->params->clock,
                        until_ns - now_ns < slice_ns ? until_ns : now_ns + slice_ns);
    if (weir_run_must_stop(run))
        weir_run_call_off(run);
}

/* All ranks leave together what weir_run_arm began, and know then whether one was interrupted. */
static int meet(struct weir_run *run, struct weir_error *error)
{
    int code = weir_run_disarm(run);
    uint64_t seen[2];

    seen[0] = weir_run_must_stop(run);
    seen[1] = weir_group_hears_alarm(run->group, WEIR_ALARM_CALL_OFF);
    if (code == 0)
        code = weir_group_reduce(run->group, seen, 2, WEIR_MAX);
    if (code == 0 && seen[1] != 0)
        code = weir_group_end_alarm(run->group, WEIR_ALARM_CALL_OFF);
    if (code != 0)
        return cannot_go_on(error, code, "ranks that waited cannot go on");
    run->is_interrupted |= seen[0] != 0;
    run->is_ending |= run->is_interrupted;
    return 0;
}

static int run_pause(struct weir_run *run, uint64_t duration_ns, struct weir_error *error)
{
    weir_run_arm(run);
    sleep_awake(run, weir_run_now(run) + duration_ns);
    return meet(run, error);
}

/* A command that was asked to end, because the run is, has not failed. */
static int run_command(struct weir_run *run, const struct weir_step *step, struct weir_error *error)
{
    const struct weir_group *group = run->group;
    char reason[WEIR_SHELL_REASON_BYTES];
    int code = 0;

    if (run->is_ending || run->test->is_dry_run)
        return 0;
    weir_run_arm(run);
    if (step->is_per_node ? group->node_rank == 0 : group->rank == 0)
        code = weir_user_command_run(run, step->command, true, reason);
    meet(run, error);
    if (!run->is_ending && !weir_error_is_set(error))
        weir_user_command_judge(step->command, code, reason, error);
    if (weir_group_agree(run->group, error) == 0)
        weir_prepare_look_again(run, error);
    return weir_group_agree(run->group, error);
}

static int run_sleep(struct weir_run *run, uint64_t duration_ns, struct weir_error *error)
{
    if (run->is_ending)
        return 0;
    weir_run_report_beginning(run, NULL, duration_ns);
    return run_pause(run, duration_ns, error);
}

/* ---- loops ---- */

static void begin_round(struct weir_run *run, uint64_t round)
{
    run->loops[run->loop_count - 1] = round;
    if (run->loop_count > 1)
        return;
    run->repetition = round;
    run->is_dirty = false;
}

/* Repetitions that an earlier run has finished are left out of the outermost loop. */
static void begin_loop(struct weir_run *run, struct frame *frame)
{
    const uint64_t *first = run->params->first_repetitions;

    frame->begun_ns = weir_run_now(run);
    run->loop_count++;
    begin_round(run, run->loop_count == 1 && first != NULL ? first[run->test->number] : 0);
}

static int is_over(struct weir_run *run, const struct frame *frame, bool *is_over)
{
    uint64_t is_late = weir_run_now(run) - frame->begun_ns >= frame->step->until_ns;
    int code = weir_run_share(run, &is_late);

    *is_over = code != 0 || is_late != 0;
    return code;
}

/* The widest 95 % interval of the median of a timed phase of the test, in millionths of it. Called
 * where the result is. */
static double find_widest_interval(const struct weir_run *run)
{
    const struct weir_test *test = run->test;
    const struct weir_result *result = run->result;
    struct weir_arena arena = {0};
    double *rates = weir_arena_take(&arena, (result->phase_count + 1) * sizeof *rates);
    double widest = 0.0;

    for (size_t i = 0; i < test->phase_count; i++) {
        const struct weir_phase *phase = test->phases[i];
        unsigned count = 0;

        /* The few directories of a tree are no measurement. */
        if (phase->is_check || phase->is_prefill || phase->verb == WEIR_REMOVE ||
            (weir_verb_works_on_trees(phase->verb) && phase->names.item == NULL))
            continue;
        for (unsigned k = 0; k < result->phase_count; k++) {
            const struct weir_phase_result *found = &result->phases[k];

            if (found->test == test->number && found->phase == phase->number &&
                found->op_count > 0 && found->windows.total_s > 0.0)
                rates[count++] = (double)found->op_count / found->windows.total_s;
        }
        widest = fmax(widest, weir_compare_interval(rates, count, &arena));
    }
    weir_arena_close(&arena);
    return 1e6 * widest;
}

/* Rank 0 decides for all whether further repetitions are worth their time. */
static int is_narrow(struct weir_run *run, const struct frame *frame, uint64_t round, bool *is_over)
{
    const struct weir_test *test = run->test;
    uint64_t must_end = 0;
    int code;

    if (run->result != NULL) {
        bool is_late = weir_run_now(run) - frame->begun_ns >= test->repeat_limit_ns;
        double widest = find_widest_interval(run);
        bool is_narrow = widest <= (double)test->interval_ppm;

        must_end = round >= frame->step->count || is_late ||
                   (is_narrow && round >= test->least_repetitions);
        if (must_end && !is_narrow)
            weir_log(WEIR_LOG_WARNING,
                     "the 95 %% interval of a median is +-%.1f %% after %" PRIu64
                     " repetitions, more than %g %%: %s ended them",
                     widest / 1e4, round, (double)test->interval_ppm / 1e4,
                     is_late ? "--repeat-time" : "--max-repetitions");
    }
    code = weir_run_share(run, &must_end);
    *is_over = code != 0 || must_end != 0;
    return code;
}

/* Goes back to the begin of the body, or leaves the loop. */
static bool end_round(struct weir_run *run, struct frame *frame, struct weir_error *error)
{
    uint64_t round = run->loops[run->loop_count - 1] + 1;
    bool must_end = run->is_ending;
    int code = 0;

    if (!must_end && frame->step->kind == WEIR_STEP_UNTIL)
        code = is_over(run, frame, &must_end);
    else if (!must_end && run->loop_count == 1 && run->test->interval_ppm > 0)
        code = is_narrow(run, frame, round, &must_end);
    else if (!must_end)
        must_end = round >= frame->step->count;
    if (code != 0)
        cannot_go_on(error, code, "ranks cannot agree whether a loop ends");
    if (!must_end) {
        frame->next = frame->step->body;
        begin_round(run, round);
        return false;
    }
    run->loop_count--;
    if (run->loop_count == 0)
        run->repetition = 0;
    return true;
}

/* ---- times ---- */

static int begin_time(struct weir_run *run, struct frame *frame, struct weir_error *error)
{
    int code;

    frame->is_measured = !run->is_ending;
    if (run->is_ending)
        return 0;
    code = weir_group_synchronise(run->group, run->params->clock, &frame->before);
    frame->wall_s = weir_wall_clock_s();
    frame->begun_ns = weir_run_now(run);
    return code == 0 ? 0 : cannot_go_on(error, code, "clocks cannot be compared");
}

/* Over the ranks: earliest start, latest end, greatest error of a clock. */
static int find_span(struct weir_run *run, const struct frame *frame, uint64_t ended_ns,
                     uint64_t span[3])
{
    struct weir_time_point after;
    int code = weir_group_synchronise(run->group, run->params->clock, &after);

    if (code != 0)
        return code;
    span[0] = ~(uint64_t)weir_time_global(&frame->before, &after, frame->begun_ns);
    span[1] = (uint64_t)weir_time_global(&frame->before, &after, ended_ns);
    span[2] = frame->before.error_ns > after.error_ns ? frame->before.error_ns : after.error_ns;
    code = weir_group_reduce(run->group, span, 3, WEIR_MAX);
    span[0] = ~span[0];
    return code;
}

static struct weir_timed_result *record_time(struct weir_run *run, const struct frame *frame,
                                             const uint64_t span[3])
{
    struct weir_timed_result *record = weir_result_add_timed(run->result);

    *record = (struct weir_timed_result){
        .test = run->test->number,
        .label = weir_arena_copy(&run->result->arena, frame->step->label),
        .loop_count = run->loop_count,
        .loops = weir_run_keep_loops(run),
        .rank_count = (unsigned)run->group->size,
        .outcome = run->is_ending ? WEIR_OUTCOME_PARTIAL : WEIR_OUTCOME_COMPLETE,
        .begun_s = frame->wall_s,
        .seconds = (double)(span[1] - span[0]) * 1e-9,
        .clock_error_s = (double)span[2] * 1e-9,
    };
    return record;
}

static void end_time(struct weir_run *run, const struct frame *frame, struct weir_error *error)
{
    const struct weir_observer *observer = run->params->observer;
    uint64_t ended_ns = weir_run_now(run), span[3];
    int code;

    if (!frame->is_measured || weir_error_is_set(error))
        return;
    code = find_span(run, frame, ended_ns, span);
    if (code != 0) {
        cannot_go_on(error, code, "a time cannot be gathered");
        return;
    }
    if (run->result != NULL) {
        const struct weir_timed_result *record = record_time(run, frame, span);

        if (observer->timed_done != NULL)
            observer->timed_done(observer->context, record, error);
    }
    weir_group_agree(run->group, error);
}

/* ---- some of the ranks ---- */

static void enter(struct weir_run *run, struct weir_group *group)
{
    run->group = group;
    run->placement = weir_run_placement(run);
}

/* The group of the body; NULL on ranks that are not in it. */
static int find_part(struct weir_run *run, const struct weir_step *step, struct weir_group **group)
{
    struct part *part = &run->steps->parts[step->number];
    bool is_member = weir_rank_set_has(&step->ranks, (uint64_t)run->group->rank);
    int code;

    if (!part->is_open) {
        code = run->group->ops->part(run->group, is_member, &part->group);
        if (code != 0)
            return code;
        part->is_open = true;
    }
    *group = part->group;
    return 0;
}

/* True on ranks that do the body. */
static bool begin_ranks(struct weir_run *run, struct frame *frame, struct weir_error *error)
{
    const struct weir_rank_set *ranks = &frame->step->ranks;
    uint64_t size = (uint64_t)run->group->size;
    struct weir_group *part = NULL;
    int code;

    if (ranks->first >= size)
        return false;
    if (ranks->first == 0 && ranks->stride == 1 && ranks->count >= size)
        return true;
    code = find_part(run, frame->step, &part);
    if (code != 0)
        cannot_go_on(error, code, "no group of some of the ranks");
    /* A group that some ranks did not get is of no use to the others. */
    if (weir_group_agree(run->group, error) != 0)
        return false;
    frame->group = run->group;
    if (part != NULL)
        enter(run, part);
    return part != NULL;
}

/* What ranks outside did not see. */
static int share_state(struct weir_run *run)
{
    uint64_t any[] = {run->is_ending, run->is_interrupted || weir_run_must_stop(run),
                      run->has_failed, run->is_dirty, run->last_generation};
    int code = weir_group_reduce(run->group, any, sizeof any / sizeof *any, WEIR_MAX);

    run->is_interrupted |= any[1] != 0;
    run->is_ending |= any[0] != 0 || run->is_interrupted;
    run->has_failed |= any[2] != 0;
    run->is_dirty |= any[3] != 0;
    run->last_generation = any[4];
    return code;
}

/* Ranks outside wait for the others to arrive, and their signals end the step. */
static void end_ranks(struct weir_run *run, const struct frame *frame, struct weir_error *error)
{
    int code;

    if (frame->group == NULL)
        return;
    run->is_outside = run->group == frame->group;
    enter(run, frame->group);
    weir_run_arm(run);
    meet(run, error);
    run->is_outside = false;
    /* What only some ranks know is nothing that all may go by. */
    run->written.target = run->made[0].target = run->made[1].target = run->made[2].target = NULL;
    code = share_state(run);
    if (code != 0)
        cannot_go_on(error, code, "ranks that waited for others cannot go on");
    weir_group_agree(run->group, error);
}

/* ---- the walk ---- */

static void push(struct weir_step_stack *stack, const struct weir_step *step,
                 const struct weir_step *body)
{
    stack->frames[stack->height++] = (struct frame){.step = step, .next = body};
}

/* A step with a body: what comes next is the body, or on ranks that have no part in it, its end. */
static void begin_body(struct weir_run *run, const struct weir_step *step, struct weir_error *error)
{
    struct weir_step_stack *stack = run->steps;
    struct frame *frame;

    push(stack, step, step->body);
    frame = &stack->frames[stack->height - 1];
    if (is_loop(step))
        begin_loop(run, frame);
    else if (step->kind == WEIR_STEP_TIMED)
        begin_time(run, frame, error);
    else if (!begin_ranks(run, frame, error))
        frame->next = NULL;
}

static void end_body(struct weir_run *run, struct weir_error *error)
{
    struct weir_step_stack *stack = run->steps;
    struct frame *frame = &stack->frames[stack->height - 1];

    if (frame->step != NULL && is_loop(frame->step)) {
        if (!end_round(run, frame, error))
            return;
    } else if (frame->step != NULL && frame->step->kind == WEIR_STEP_TIMED) {
        end_time(run, frame, error);
    } else if (frame->step != NULL) {
        end_ranks(run, frame, error);
    }
    stack->height--;
}

static void run_step(struct weir_run *run, const struct weir_step *step, struct weir_error *error)
{
    switch (step->kind) {
    case WEIR_STEP_PHASE:
        weir_crash_set_work("%s of test %u, repetition %" PRIu64, weir_verb_name(step->phase->verb),
                            run->test->number, run->repetition);
        run_phase(run, step->phase, error);
        weir_crash_set_work("work after %s of test %u, repetition %" PRIu64,
                            weir_verb_name(step->phase->verb), run->test->number, run->repetition);
        break;
    case WEIR_STEP_SLEEP:
        run_sleep(run, step->sleep_ns, error);
        break;
    case WEIR_STEP_COMMAND:
        run_command(run, step, error);
        break;
    case WEIR_STEP_BARRIER:
        if (!run->is_ending)
            run_pause(run, 0, error);
        break;
    case WEIR_STEP_REPEAT:
    case WEIR_STEP_UNTIL:
    case WEIR_STEP_TIMED:
    case WEIR_STEP_ON_RANKS:
        begin_body(run, step, error);
        break;
    }
}

int weir_steps_run(struct weir_run *run, struct weir_error *error)
{
    struct weir_step_stack *stack = run->steps;
    bool has_worked = false;

    push(stack, NULL, run->test->steps);
    while (stack->height > 0) {
        struct frame *frame = &stack->frames[stack->height - 1];
        const struct weir_step *step = frame->next;
        /* After the first error the walk goes on for the removals; only the first is reported. */
        struct weir_error later = {0};
        struct weir_error *mine = weir_error_is_set(error) ? &later : error;

        if (step == NULL) {
            end_body(run, error);
        } else {
            frame->next = step->next;
            run_step(run, step, mine);
            /* A usage error says that nothing was touched. */
            if (has_worked && weir_error_is_set(error) && error->exit == WEIR_EXIT_USAGE)
                error->exit = WEIR_EXIT_FLAWED;
            has_worked |= step->kind == WEIR_STEP_PHASE && !weir_error_is_set(error);
        }
        run->is_ending |= weir_error_is_set(error);
    }
    return error->code;
}

/* ---- memory ---- */

int weir_steps_open(struct weir_run *run)
{
    size_t room = (size_t)weir_test_nesting(run->test) + 1;
    struct weir_step_stack *steps = calloc(1, sizeof *steps);

    run->steps = steps;
    if (steps == NULL)
        return -ENOMEM;
    steps->frames = calloc(room, sizeof *steps->frames);
    steps->parts = calloc((size_t)run->test->rank_set_count + 1, sizeof *steps->parts);
    run->loops = calloc(room, sizeof *run->loops);
    return steps->frames == NULL || steps->parts == NULL || run->loops == NULL ? -ENOMEM : 0;
}

void weir_steps_close(struct weir_run *run)
{
    struct weir_step_stack *steps = run->steps;

    if (steps == NULL)
        return;
    /* Inner groups have greater numbers than those around them. */
    for (unsigned i = run->test->rank_set_count; steps->parts != NULL && i-- > 0;)
        weir_group_close(steps->parts[i].group);
    free(steps->frames);
    free(steps->parts);
    free(steps);
    free(run->loops);
    run->steps = NULL;
}
