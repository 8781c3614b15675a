/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of a program wait for one another along a binomial tree: each sends a word to its parent
 * once its children have sent theirs, and the word to go on comes back the same way. A rank that is
 * to end leaves, and tells its neighbours in the tree, which then leave as well. But behind its own
 * word it waits for its parent alone: so a rank goes on only if all of its group do, and none is
 * left behind in a collective call. */
#include "program.h"
#include "watchdog.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Looks for a message before a wait begins to yield. */
#define BUSY_LOOKS 1000
/* After this time a wait sleeps between its looks, as group_mpi.c does. */
#define NAP_AFTER_NS UINT64_C(4000000)
#define NAP_NS 100000

enum word {
    WORD_WAIT, /* up: all below wait at the statement */
    WORD_GO,   /* down */
    WORD_LEAVE /* either: the last one. The rank has ended the program, or is about to */
};

struct message {
    uint32_t word;
    uint32_t number; /* of the statement; UINT32_MAX: the end of the program */
    uint32_t line;
    uint32_t kind;      /* of the statement, ... */
    uint32_t call;      /* ... and its call, if it is one */
    uint32_t has_ended; /* LEAVE: it came to the end */
    uint64_t value;     /* GO: of the first rank */
};

/* ---- the tree ---- */

static int parent_of(int rank)
{
    return rank & (rank - 1);
}

/* The children of a rank are at these distances: 1, 2, 4, ... below the end. */
static int distance_end(const struct weir_group *group)
{
    return group->rank == 0 ? group->size : group->rank & -group->rank;
}

static bool has_child(const struct weir_group *group, int distance)
{
    return distance < distance_end(group) && group->rank + distance < group->size;
}

/* One bit for each: children by their distance, and the parent. */
static uint64_t bit_of(const struct weir_group *group, int neighbour)
{
    return neighbour < group->rank ? UINT64_C(1) << 63 : (uint64_t)(neighbour - group->rank);
}

/* ---- messages ---- */

static struct message message_of(enum word word, const struct weir_statement *statement)
{
    struct message message = {.word = word, .number = UINT32_MAX};

    if (statement == NULL)
        return message;
    message.number = statement->number;
    message.line = statement->line;
    message.kind = statement->kind;
    message.call = statement->call;
    return message;
}

static int send(struct weir_group *group, const struct message *message, int to)
{
    return group->ops->send(group, message, sizeof *message, to);
}

static int send_down(struct weir_group *group, const struct message *message)
{
    int code = 0;

    for (int distance = 1; has_child(group, distance); distance *= 2) {
        int sent = send(group, message, group->rank + distance);

        code = code != 0 ? code : sent;
    }
    return code;
}

static int receive_from(struct weir_program_ranks *ranks, int from, struct message *message)
{
    struct weir_group *group = ranks->group;
    int code = group->ops->receive(group, message, sizeof *message, from);

    if (code == 0 && message->word == WORD_LEAVE)
        ranks->left |= bit_of(group, from);
    return code;
}

/* ---- waits ---- */

struct wait {
    struct weir_program_walk *walk;
    struct weir_program_ranks *ranks;
    struct weir_group *group;
    bool may_leave; /* an alarm is enough */
    uint64_t looks;
    uint64_t begun_ns;
    uint64_t next_ns; /* when to look for an alarm */
};

/* What it hears, others wait for, whether it may leave or not. */
static void look(struct wait *wait, uint64_t now_ns)
{
    struct weir_program_walk *walk = wait->walk;
    const struct weir_group *all = walk->run->group;

    if (wait->may_leave)
        weir_program_look(walk, now_ns);
    if (all->idle != NULL)
        all->idle(all->idle_context);
    wait->next_ns = now_ns + WEIR_GROUP_TICK_NS;
}

static void stay_awake(struct wait *wait)
{
    static const struct timespec nap = {.tv_nsec = NAP_NS};
    uint64_t now_ns = weir_run_now(wait->walk->run);

    if (wait->begun_ns == 0) {
        wait->begun_ns = now_ns;
        wait->next_ns = now_ns + WEIR_GROUP_TICK_NS;
        weir_watchdog_mark(wait->walk->run, wait->walk->line_number);
        weir_watchdog_say(wait->walk->run, WEIR_ACTIVITY_MEET, NULL);
    }
    if (now_ns >= wait->next_ns)
        look(wait, now_ns);
    if (now_ns - wait->begun_ns < NAP_AFTER_NS)
        sched_yield();
    else
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
}

/* -ECANCELED: the rank is to end, and nothing was received. */
static int receive(struct wait *wait, int from, struct message *message)
{
    struct weir_group *group = wait->group;

    while (!group->ops->has_message(group, from)) {
        if (wait->may_leave && wait->walk->must_end)
            return -ECANCELED;
        if (++wait->looks > BUSY_LOOKS)
            stay_awake(wait);
    }
    return receive_from(wait->ranks, from, message);
}

/* ---- who waits where ---- */

static void describe(char text[128], const struct message *message)
{
    if (message->number == UINT32_MAX)
        snprintf(text, 128, "has ended the program");
    else if (message->kind == WEIR_DO_BARRIER)
        snprintf(text, 128, "waits at the barrier of line %u", message->line);
    else if (message->kind == WEIR_DO_CALL)
        snprintf(text, 128, "waits at the %s of line %u", weir_calls[message->call].word,
                 message->line);
    else
        snprintf(text, 128, "waits at the end of a round of line %u", message->line);
}

static int refuse(struct wait *wait, const struct weir_statement *statement, int other,
                  const struct message *message)
{
    struct message mine = message_of(WORD_WAIT, statement);
    unsigned long long first = wait->ranks->first;
    char here[128], there[128];

    describe(here, &mine);
    describe(there, message);
    return weir_program_fail(wait->walk, statement, "rank %llu %s while rank %llu %s",
                             first + (unsigned long long)other, there,
                             first + (unsigned long long)wait->group->rank, here);
}

/* A rank that has left because it was to end is followed; one that has come to the end is missed.
 */
static int follow(struct wait *wait, const struct weir_statement *statement, int other,
                  const struct message *message)
{
    struct message end = message_of(WORD_LEAVE, NULL);

    if (message->has_ended)
        return refuse(wait, statement, other, &end);
    weir_program_look(wait->walk, weir_run_now(wait->walk->run));
    wait->walk->run->is_called_off = wait->walk->must_end = true;
    return -ECANCELED;
}

/* Barriers of one group meet wherever they stand in the program, and so do equal calls. */
static bool meets(const struct message *one, const struct message *other)
{
    if (one->number == UINT32_MAX || other->number == UINT32_MAX || one->kind != other->kind)
        return one->number == other->number;
    return one->kind == WEIR_DO_BARRIER ||
           (one->kind == WEIR_DO_CALL && one->call == other->call) || one->number == other->number;
}

static int receive_child(struct wait *wait, const struct weir_statement *statement, int child)
{
    struct message mine = message_of(WORD_WAIT, statement), message;
    int code = receive(wait, child, &message);

    if (code != 0)
        return code;
    if (message.word == WORD_LEAVE)
        return follow(wait, statement, child, &message);
    return meets(&message, &mine) ? 0 : refuse(wait, statement, child, &message);
}

/* ---- meeting ---- */

static int meet_below(struct wait *wait, const struct weir_statement *statement)
{
    const struct weir_group *group = wait->group;
    int code = 0;

    wait->may_leave = true;
    for (int distance = 1; code == 0 && has_child(group, distance); distance *= 2)
        code = receive_child(wait, statement, group->rank + distance);
    return code;
}

static int meet_above(struct wait *wait, const struct weir_statement *statement, struct message *go)
{
    struct message mine = message_of(WORD_WAIT, statement);
    int parent = parent_of(wait->group->rank);
    int code = send(wait->group, &mine, parent);

    wait->may_leave = false;
    if (code == 0)
        code = receive(wait, parent, go);
    return code == 0 && go->word == WORD_LEAVE ? follow(wait, statement, parent, go) : code;
}

static int exchange(struct wait *wait, const struct weir_statement *statement, uint64_t *value)
{
    struct message go = message_of(WORD_GO, statement);
    int code = meet_below(wait, statement);

    go.value = *value;
    if (code == 0 && wait->group->rank != 0)
        code = meet_above(wait, statement, &go);
    if (code == 0)
        code = send_down(wait->group, &go);
    *value = go.value;
    return code;
}

/* To all neighbours, once. */
static void leave(struct weir_program_ranks *ranks, bool has_ended)
{
    struct message message = message_of(WORD_LEAVE, NULL);
    struct weir_group *group = ranks->group;

    if (group == NULL || ranks->has_left)
        return;
    ranks->has_left = true;
    message.has_ended = has_ended;
    if (group->rank != 0)
        send(group, &message, parent_of(group->rank));
    send_down(group, &message);
}

/* The end is one for all ranks; groups of some of them learn who will not come any more. */
static void leave_groups(struct weir_program_walk *walk, bool has_ended)
{
    for (unsigned i = 0; i < walk->program->group_count; i++)
        leave(&walk->groups[i], has_ended);
}

/* A rank that cannot go on leaves at once: its neighbours may wait for its message alone, while the
 * rank enters a collective call with them, such as the close of a file. */
int weir_program_share(struct weir_program_walk *walk, unsigned group,
                       const struct weir_statement *statement, uint64_t *value)
{
    struct weir_program_ranks *ranks = &walk->groups[group];
    struct wait wait = {.walk = walk, .ranks = ranks, .group = ranks->group};
    uint64_t before_ns;
    int code;

    if (walk->must_end) {
        leave(ranks, false);
        return -ECANCELED;
    }
    if (ranks->group->size == 1)
        return 0;
    before_ns = weir_run_now(walk->run);
    walk->line_number = statement != NULL ? statement->line : 0;
    code = exchange(&wait, statement, value);
    if (statement != NULL)
        walk->run->tally->waited_ns += weir_run_now(walk->run) - before_ns;
    if (wait.begun_ns != 0)
        weir_watchdog_say(walk->run, WEIR_ACTIVITY_PROGRAM, NULL);
    if (code != 0 && !walk->must_end)
        weir_program_fail(walk, statement, "ranks cannot wait for one another: %s",
                          strerror(-code));
    if (code != 0)
        leave(ranks, false);
    return code;
}

int weir_program_meet(struct weir_program_walk *walk, unsigned group,
                      const struct weir_statement *statement)
{
    uint64_t value = 0;

    if (statement == NULL)
        leave_groups(walk, !walk->must_end);
    return weir_program_share(walk, group, statement, &value);
}

/* ---- opening and closing ---- */

static int open_group(struct weir_program_walk *walk, unsigned number,
                      const struct weir_rank_range *range)
{
    struct weir_group *all = walk->run->group;
    struct weir_program_ranks *ranks = &walk->groups[number];
    uint64_t rank = (uint64_t)all->rank;

    ranks->first = range->first;
    return all->ops->part(all, rank >= range->first && rank - range->first < range->count,
                          &ranks->group);
}

static int open_groups(struct weir_program_walk *walk, const struct weir_rank_range ranges[])
{
    const struct weir_rank_range all = {.count = (uint64_t)walk->run->group->size};
    unsigned count = walk->program->group_count;
    int code = 0;

    for (unsigned i = 0; code == 0 && i <= count; i++)
        if (i == count || ranges[i].count > 0)
            code = open_group(walk, i, i == count ? &all : &ranges[i]);
    return code;
}

static void close_groups(struct weir_program_walk *walk)
{
    unsigned count = walk->groups != NULL ? walk->program->group_count + 1 : 0;

    for (unsigned i = count; i-- > 0;)
        weir_group_close(walk->groups[i].group);
    free(walk->groups);
    walk->groups = NULL;
    weir_text_close(&walk->warnings);
}

/* Where a rank has no group, the others' is of no use. */
int weir_program_groups_open(struct weir_program_walk *walk, struct weir_error *error)
{
    const struct weir_program *program = walk->program;
    struct weir_group *group = walk->run->group;
    struct weir_rank_range *ranges;
    int code = 0;

    ranges = calloc((size_t)program->group_count + 1, sizeof *ranges);
    walk->groups = calloc((size_t)program->group_count + 1, sizeof *walk->groups);
    if (weir_group_any(group, ranges == NULL || walk->groups == NULL))
        code = -ENOMEM;
    if (code == 0) {
        weir_program_map_groups(program, (uint64_t)group->size, ranges, &walk->warnings);
        code = open_groups(walk, ranges);
    }
    free(ranges);
    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "mpi",
                       "no groups of the ranks of a program: %s", strerror(-code));
    if (weir_group_agree(group, error) != 0)
        close_groups(walk);
    return error->code;
}

static void drain_from(struct weir_program_ranks *ranks, int from)
{
    struct message message;
    int code = 0;

    while (code == 0 && (ranks->left & bit_of(ranks->group, from)) == 0)
        code = receive_from(ranks, from, &message);
}

/* A message that came when its group is closed already might be taken for one of a later group. */
static void drain(struct weir_program_ranks *ranks)
{
    const struct weir_group *group = ranks->group;

    if (group->rank != 0)
        drain_from(ranks, parent_of(group->rank));
    for (int distance = 1; has_child(group, distance); distance *= 2)
        drain_from(ranks, group->rank + distance);
}

void weir_program_groups_close(struct weir_program_walk *walk)
{
    unsigned count = walk->groups != NULL ? walk->program->group_count + 1 : 0;

    for (unsigned i = 0; i < count; i++)
        leave(&walk->groups[i], false);
    for (unsigned i = 0; i < count; i++)
        if (walk->groups[i].group != NULL)
            drain(&walk->groups[i]);
    close_groups(walk);
}
