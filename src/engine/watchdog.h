/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks that have not moved for a long time, as others on their node see it: a rank that a system
 * call or a signal holds cannot tell by itself. Of a node that is held as a whole, the first rank
 * of the run tells, and of that one's node the first rank of the second node, once they wait for
 * it. */
#ifndef WEIR_ENGINE_WATCHDOG_H
#define WEIR_ENGINE_WATCHDOG_H

#include "weir/base/text.h"

#include <stdint.h>

struct weir_run;
struct weir_watchdog;

/* What a rank does, as it says to the watchdog. */
enum weir_activity {
    WEIR_ACTIVITY_NONE, /* nothing that is watched */
    WEIR_ACTIVITY_CHECK,
    WEIR_ACTIVITY_OPEN,
    WEIR_ACTIVITY_WRITE,
    WEIR_ACTIVITY_READ,
    WEIR_ACTIVITY_MIX,
    WEIR_ACTIVITY_SYNC,
    WEIR_ACTIVITY_CLOSE,
    WEIR_ACTIVITY_REMOVE,
    WEIR_ACTIVITY_NAMES,   /* of a tree */
    WEIR_ACTIVITY_COMMAND, /* of the user: in place of a file */
    WEIR_ACTIVITY_PROGRAM, /* statements: the path is that of their source */
    WEIR_ACTIVITY_MEET, /* ranks of a program wait for one another: told only if all of them on the
                           node do, since the last of them began */
    WEIR_ACTIVITY_CALL, /* to a file system between phases: see weir/base/call_watch.h */
    WEIR_ACTIVITY_WAIT, /* for other ranks: not one that others wait for */
};

/* The ranks of a node share memory, in which each says what it does, and the first two have a
 * thread that reads it a few times in the plan's time: the second one watches the first. The thread
 * of rank 0 also reports counters to the observer (weir_observer.counted). Leaves run->watchdog
 * NULL where the plan wants none, or the system does not allow it. Collective. */
void weir_watchdog_open(struct weir_run *run);
void weir_watchdog_close(struct weir_run *run);

/* Says what this rank does from now on, and with which file (NULL: the same as before). */
void weir_watchdog_say(struct weir_run *run, enum weir_activity activity, const char *path);

/* Says that it has moved: now and then; nothing while it meets others. `offset`: of its latest
 * transfer. */
void weir_watchdog_beat(struct weir_run *run, uint64_t offset);

/* Says the line of the statement that comes next: nearly free, and no sign of movement. */
void weir_watchdog_mark(struct weir_run *run, unsigned line);

/* Publishes this rank's tally of the present phase, and that it did `index` of `limit` operations
 * (0 = unknown), for reports of progress: a few stores into shared memory. The first call begins
 * the count, weir_watchdog_end_count() ends it when no rank works any more. */
void weir_watchdog_count(struct weir_run *run, uint64_t index, uint64_t limit);
void weir_watchdog_end_count(struct weir_run *run);

/* The same of a rank that waits for others, and asks for them now and then. Does not return if it
 * is the first one, and the time after which the plan gives up is over. */
void weir_watchdog_wait(struct weir_run *run);

/* How long this rank was seen not to move since it said the path, and in what: 0 and nothing, if it
 * was not. */
uint64_t weir_watchdog_stall(const struct weir_run *run, struct weir_text *text);

#endif
