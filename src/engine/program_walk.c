/* SPDX-License-Identifier: Apache-2.0 */
/* One rank goes through the statements of a program. Statements around a statement are kept on a
 * stack of known height. */
#include "program.h"
#include "watchdog.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Of statements and rounds: after so many, the clock is read. */
#define LOOK_EACH 256
/* As often as a rank that waits looks for an alarm. */
#define LOOK_NS WEIR_GROUP_TICK_NS

/* A statement whose body is being done. */
struct weir_program_frame {
    const struct weir_statement *statement; /* NULL: the program itself */
    const struct weir_statement *next;      /* of the body: what comes next */
    /* REPEAT */
    int64_t round;
    int64_t count;
    uint64_t until_ns; /* if it has a duration */
    /* GROUP */
    unsigned outer; /* the innermost group around it */
};

size_t weir_program_frames_bytes(const struct weir_program *program)
{
    return ((size_t)program->nesting + 1) * sizeof(struct weir_program_frame);
}

/* ---- the end before the end ---- */

int weir_program_fail(struct weir_program_walk *walk, const struct weir_statement *statement,
                      const char *format, ...)
{
    char sentence[WEIR_ERROR_TEXT_BYTES], place[WEIR_PATH_BYTES + 32];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (statement != NULL)
        snprintf(place, sizeof place, "%s:%u", walk->program->path, statement->line);
    else
        snprintf(place, sizeof place, "%s", walk->program->path);
    weir_error_set(&walk->error, WEIR_EXIT_FLAWED, -ECANCELED, place, "%s", sentence);
    if (!weir_error_is_set(&walk->run->failure))
        walk->run->failure = walk->error;
    walk->must_end = true;
    weir_run_call_off(walk->run);
    return -ECANCELED;
}

static void fail_expression(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    weir_program_fail(walk, statement, "%s", walk->scope.reason);
}

static void end_at_limit(struct weir_program_walk *walk, uint64_t now_ns)
{
    struct weir_tally *tally = walk->run->tally;

    tally->hit_deadline = true;
    tally->stonewall_ops = weir_tally_ops(tally);
    tally->stonewall_bytes = weir_tally_bytes(tally);
    tally->stonewall_ns = now_ns - walk->begun_ns;
    weir_program_fail(walk, NULL, "the time limit of %g s has ended it",
                      (double)walk->phase->stop.deadline_ns * 1e-9);
}

void weir_program_look(struct weir_program_walk *walk, uint64_t now_ns)
{
    struct weir_run *run = walk->run;
    bool is_called_off = weir_run_hears_call_off(run);

    if (weir_run_must_stop(run)) {
        run->is_cut = walk->must_end = true;
        weir_run_call_off(run);
    } else if (now_ns >= walk->deadline_ns) {
        /* Before the alarm of a rank whose clock is a little ahead: all say the same. */
        end_at_limit(walk, now_ns);
    } else if (is_called_off) {
        run->is_called_off = walk->must_end = true;
    }
    weir_watchdog_beat(run, walk->line_number);
    weir_watchdog_count(run, 0, 0);
    walk->look_ns = now_ns + LOOK_NS;
    if (walk->deadline_ns < walk->look_ns)
        walk->look_ns = walk->deadline_ns;
}

void weir_program_sleep(struct weir_program_walk *walk, uint64_t until_ns)
{
    const struct weir_engine_params *params = walk->run->params;
    uint64_t now_ns;

    while (!walk->must_end && (now_ns = weir_run_now(walk->run)) < until_ns) {
        if (weir_program_must_look(walk, now_ns))
            weir_program_look(walk, now_ns);
        else
            weir_pace_wait(params->clock, until_ns < walk->look_ns ? until_ns : walk->look_ns,
                           params->stop_signal);
    }
}

/* ---- statements without a body ---- */

/* In one piece, as other ranks print into the same file. 0, or -1 with errno set. */
static int put(const struct weir_text *line)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    for (size_t written = 0; written < line->length;) {
        ssize_t bytes = write(STDOUT_FILENO, line->data + written, line->length - written);

        if (bytes < 0 && errno == EAGAIN)
            poll(&out, 1, -1);
        else if (bytes < 0 && errno != EINTR)
            return -1;
        written += bytes > 0 ? (size_t)bytes : 0;
    }
    return 0;
}

static void do_print(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_text *line = &walk->line;
    char value[WEIR_VALUE_BYTES];
    size_t length;

    weir_text_clear(line);
    weir_text_add(line, "[%d] ", walk->run->group->rank);
    for (unsigned i = 0; i < statement->argument_count; i++) {
        if (weir_expr_evaluate_text(statement->arguments[i], &walk->scope, value, &length) != 0) {
            fail_expression(walk, statement);
            return;
        }
        if (i > 0)
            weir_text_add_bytes(line, " ", 1);
        weir_text_add_bytes(line, value, length);
    }
    weir_text_add_bytes(line, "\n", 1);
    /* Behind what was printed before. */
    fflush(stdout);
    if (put(line) != 0)
        weir_program_fail(walk, statement, "standard output: %s", strerror(errno));
}

static void do_sleep(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    uint64_t now_ns = weir_run_now(walk->run);
    int64_t microseconds;

    if (weir_expr_evaluate_integer(statement->arguments[0], &walk->scope, &microseconds) != 0)
        fail_expression(walk, statement);
    else if (microseconds < 0)
        weir_program_fail(walk, statement, "a sleep of %" PRId64 " microseconds", microseconds);
    else if (microseconds > WEIR_SLEEP_US_MAX)
        weir_program_fail(walk, statement,
                          "a sleep of %" PRId64 " microseconds is longer than %" PRId64
                          " (292 years)",
                          microseconds, WEIR_SLEEP_US_MAX);
    else if (!walk->program->skips_sleeps)
        weir_program_sleep(walk, now_ns + 1000 * (uint64_t)microseconds);
}

static void do_barrier(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    unsigned group = weir_program_group(walk, statement->group);

    if (walk->groups[group].group != NULL)
        weir_program_meet(walk, group, statement);
}

/* Calls of an open loop are due at times of their own; the next one waits for its own. */
static void wait_for_turn(struct weir_program_walk *walk)
{
    walk->due_ns = weir_pacer_next_due(&walk->pacer);
    weir_program_sleep(walk, walk->due_ns);
    weir_pacer_advance(&walk->pacer);
}

static void do_call(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    uint64_t think_ns = walk->phase->think_ns;

    walk->line_number = statement->line;
    weir_watchdog_mark(walk->run, statement->line);
    if (walk->phase->rate.arrivals != WEIR_ARRIVALS_CLOSED)
        wait_for_turn(walk);
    if (walk->must_end)
        return;
    if (weir_program_call(walk, statement) != 0)
        walk->must_end = true;
    if (think_ns > 0 && !walk->must_end) {
        uint64_t before_ns = weir_run_now(walk->run);

        weir_program_sleep(walk, before_ns + think_ns);
        walk->run->tally->paused_ns += weir_run_now(walk->run) - before_ns;
    }
}

static void do_assign(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    if (weir_expr_assign(statement->arguments[0], &walk->scope,
                         &walk->values[statement->variable]) != 0)
        fail_expression(walk, statement);
}

/* ---- bodies ---- */

static struct weir_program_frame *push(struct weir_program_walk *walk,
                                       const struct weir_statement *statement,
                                       const struct weir_statement *body)
{
    struct weir_program_frame *frame = &walk->frames[walk->height++];

    assert(walk->height <= walk->program->nesting + 1);
    frame->statement = statement;
    frame->next = body;
    return frame;
}

static void set_integer(struct weir_program_walk *walk, unsigned variable, int64_t value)
{
    if (variable == WEIR_NO_VARIABLE)
        return;
    walk->values[variable].kind = WEIR_VALUE_INTEGER;
    walk->values[variable].integer = value;
}

/* What a variable holds is gone behind the loop, as in the original. */
static void unset(struct weir_program_walk *walk, unsigned variable)
{
    if (variable != WEIR_NO_VARIABLE)
        walk->values[variable].kind = WEIR_VALUE_NONE;
}

static bool find_count(struct weir_program_walk *walk, const struct weir_statement *statement,
                       int64_t *count)
{
    *count = INT64_MAX;
    if (statement->argument_count == 0 || statement->arguments[0] == NULL)
        return true;
    if (weir_expr_evaluate_integer(statement->arguments[0], &walk->scope, count) != 0)
        fail_expression(walk, statement);
    else if (*count < 0)
        weir_program_fail(walk, statement, "a loop of %" PRId64 " rounds", *count);
    return !walk->must_end;
}

static void begin_repeat(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_program_frame *frame;
    int64_t count;

    if (!find_count(walk, statement, &count))
        return;
    if (count == 0) {
        unset(walk, statement->variable);
        return;
    }
    frame = push(walk, statement, statement->body);
    frame->round = 0;
    frame->count = count;
    if (statement->duration_ns > 0)
        frame->until_ns = weir_run_now(walk->run) + statement->duration_ns;
    set_integer(walk, statement->variable, 0);
}

/* Ranks that would wait for one another inside go by the clock of the first. */
static bool is_out_of_time(struct weir_program_walk *walk, const struct weir_program_frame *frame)
{
    uint64_t is_late;

    if (frame->statement->duration_ns == 0)
        return false;
    is_late = weir_run_now(walk->run) >= frame->until_ns;
    if (frame->statement->is_together)
        weir_program_share(walk, walk->innermost, frame->statement, &is_late);
    return is_late != 0;
}

/* True if there is no further round. */
static bool end_round(struct weir_program_walk *walk, struct weir_program_frame *frame)
{
    const struct weir_statement *statement = frame->statement;

    frame->round++;
    if (frame->round >= frame->count || is_out_of_time(walk, frame)) {
        unset(walk, statement->variable);
        return true;
    }
    set_integer(walk, statement->variable, frame->round);
    frame->next = statement->body;
    return false;
}

static void begin_if(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    int64_t value;

    if (weir_expr_evaluate_integer(statement->arguments[0], &walk->scope, &value) != 0)
        fail_expression(walk, statement);
    else
        push(walk, statement, value != 0 ? statement->body : statement->otherwise);
}

static void begin_time(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    push(walk, statement, statement->body);
    if (weir_program_time_begin(walk, statement) != 0)
        walk->height--;
}

static void enter(struct weir_program_walk *walk, unsigned group)
{
    struct weir_program_ranks *ranks = &walk->groups[group];

    walk->innermost = group;
    walk->scope.internals[WEIR_INTERNAL_GROUP_RANK] = ranks->group->rank;
    walk->scope.internals[WEIR_INTERNAL_GROUP_SIZE] = ranks->group->size;
    walk->scope.common_count = &ranks->common_count;
}

static void begin_group(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    unsigned group = weir_program_group(walk, statement->group);

    if (walk->groups[group].group == NULL)
        return;
    push(walk, statement, statement->body)->outer = walk->innermost;
    enter(walk, group);
}

static void begin_master(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    if (walk->groups[walk->innermost].group->rank == 0)
        push(walk, statement, statement->body);
}

static void end_body(struct weir_program_walk *walk)
{
    struct weir_program_frame *frame = &walk->frames[walk->height - 1];
    const struct weir_statement *statement = frame->statement;

    if (statement != NULL && statement->kind == WEIR_DO_REPEAT && !walk->must_end &&
        !end_round(walk, frame))
        return;
    walk->height--;
    if (statement == NULL)
        return;
    if (statement->kind == WEIR_DO_TIME || statement->kind == WEIR_DO_CORE_TIME)
        weir_program_time_end(walk);
    else if (statement->kind == WEIR_DO_GROUP)
        enter(walk, frame->outer);
}

/* ---- the walk ---- */

static void do_statement(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    static void (*const doers[])(struct weir_program_walk *, const struct weir_statement *) = {
        [WEIR_DO_ASSIGN] = do_assign,     [WEIR_DO_PRINT] = do_print,
        [WEIR_DO_CALL] = do_call,         [WEIR_DO_REPEAT] = begin_repeat,
        [WEIR_DO_IF] = begin_if,          [WEIR_DO_TIME] = begin_time,
        [WEIR_DO_CORE_TIME] = begin_time, [WEIR_DO_GROUP] = begin_group,
        [WEIR_DO_MASTER] = begin_master,  [WEIR_DO_BARRIER] = do_barrier,
        [WEIR_DO_SLEEP] = do_sleep,
    };

    walk->statement_count++;
    doers[statement->kind](walk, statement);
}

static void look_now_and_then(struct weir_program_walk *walk)
{
    uint64_t now_ns = weir_run_now(walk->run);

    if (weir_program_must_look(walk, now_ns))
        weir_program_look(walk, now_ns);
}

void weir_program_go(struct weir_program_walk *walk)
{
    unsigned turns = 0;

    weir_program_look(walk, weir_run_now(walk->run));
    push(walk, NULL, walk->program->statements);
    while (walk->height > 0 && !walk->must_end) {
        struct weir_program_frame *frame = &walk->frames[walk->height - 1];
        const struct weir_statement *statement = frame->next;

        if (++turns % LOOK_EACH == 0)
            look_now_and_then(walk);
        if (statement == NULL) {
            end_body(walk);
        } else {
            frame->next = statement->next;
            do_statement(walk, statement);
        }
    }
    /* Blocks that the end has cut are timed up to it. */
    while (walk->height > 0)
        end_body(walk);
}
