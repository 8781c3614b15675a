/* SPDX-License-Identifier: Apache-2.0 */
/* The watch belongs to the thread of the run: other threads make their calls unwatched. */
#include "weir/base/call_watch.h"

#include <stddef.h>

static _Thread_local struct {
    const struct weir_call_watch *watch;
    unsigned depth;
} state;

void weir_call_watch_set(const struct weir_call_watch *watch)
{
    state.watch = watch;
    state.depth = 0;
}

void weir_call_begin(const char *call, const char *path)
{
    if (state.watch != NULL && state.depth++ == 0)
        state.watch->begin(state.watch->context, call, path);
}

void weir_call_end(void)
{
    if (state.watch != NULL && state.depth > 0 && --state.depth == 0)
        state.watch->end(state.watch->context);
}
