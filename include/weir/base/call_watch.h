/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to a file system outside of the timed parts of a run, which may hang where a server does
 * not answer. The caller names such a call, so that the watchdog of the run can report it. */
#ifndef WEIR_BASE_CALL_WATCH_H
#define WEIR_BASE_CALL_WATCH_H

struct weir_call_watch {
    void (*begin)(void *context, const char *call, const char *path);
    void (*end)(void *context);
    void *context;
};

/* Sets the functions that are called from now on by the functions below in this thread; NULL: none.
 */
void weir_call_watch_set(const struct weir_call_watch *watch);

/* Around a call such as "statfs" on this path. Of nested pairs the outermost one counts. */
void weir_call_begin(const char *call, const char *path);
void weir_call_end(void);

#endif
