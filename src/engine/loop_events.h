/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a loop or interrupts it for a moment: failures, deadlines, alarms of other ranks,
 * signals, and the observer's progress. Private to the files of the loop. */
#ifndef WEIR_ENGINE_LOOP_EVENTS_H
#define WEIR_ENGINE_LOOP_EVENTS_H

#include "loop.h"

/* Kept out of the loop, so that the compiler spends its registers on what happens at every
 * transfer. */
#define WEIR_COLD __attribute__((noinline, cold))

/* A rank may leave a collective phase only together with the others. */
WEIR_COLD void weir_loop_request_stop(struct weir_loop *loop);

/* Counts a failure and asks to stop: of a transfer, or of the session, which nothing more is asked
 * of then. `what` begins a sentence that ends with the path. */
WEIR_COLD void weir_loop_fail(struct weir_loop *loop, int code, uint64_t offset, const char *what);
WEIR_COLD void weir_loop_fail_session(struct weir_loop *loop, int code, const char *what);

/* Sets the timers of the phase that begins. */
void weir_loop_set_timers(struct weir_loop *loop);

/* Does what is due when the clock is past timer_ns, and sets the next one. */
WEIR_COLD void weir_loop_check_timers(struct weir_loop *loop, uint64_t now_ns);

/* True if another rank has raised an alarm: then nothing more is prepared. Looks for one only now
 * and then. */
WEIR_COLD bool weir_loop_check_alarm(struct weir_loop *loop, uint64_t now_ns);

/* Whether the phase had more to do is known when the loop has ended. */
WEIR_COLD void weir_loop_on_signal(struct weir_loop *loop);

/* Before a collective transfer: do all ranks go on? */
WEIR_COLD void weir_loop_agree(struct weir_loop *loop);

/* Counts the transfers so far, which the histogram has; all of them are of one size. Of those that
 * failed a part may have been moved. */
void weir_loop_count(struct weir_loop *loop);

/* Records how far the rank was at its deadline. */
void weir_loop_record_stonewall(struct weir_loop *loop, uint64_t now_ns);

#endif
