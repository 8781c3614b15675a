/* SPDX-License-Identifier: Apache-2.0 */
/* The options on what a run passes on while it goes on, for all commands that have them. */
#ifndef WEIR_FRONT_PROGRESS_WORDS_H
#define WEIR_FRONT_PROGRESS_WORDS_H

#include "weir/base/error.h"
#include "weir/base/live.h"

#include <stdint.h>

#define WEIR_PROGRESS_HELP                                                                         \
    "how far the run is, on standard error: auto (a line that is kept up to date on a terminal, "  \
    "else one every 10 minutes), on (else one every 10 seconds), off, or seconds between lines"

#define WEIR_LIVE_HELP                                                                             \
    "append a JSON line each second, or every --progress SECONDS, to this file, or send it to "    \
    "unix:PATH, a socket at which another process listens; a slow reader loses lines, and "        \
    "neither a reader nor a full disk stops the run"
#define WEIR_ON_PHASE_HELP                                                                         \
    "shell command, run on the host of rank 0 after each phase, outside of timed windows, with "   \
    "the record of the phase on its standard input; its output goes to standard error, and its "   \
    "failure is a warning"
#define WEIR_ON_PHASE_LIMIT_HELP                                                                   \
    "time after which the command of --on-phase and all that it started is killed"

/* Reads "auto", "on", "off" or seconds above 0. 0, or a usage error at `place`. */
int weir_progress_read(const char *word, const char *place, struct weir_error *error,
                       uint64_t *interval_ns);

/* Completes a request of which the path and the command are set. Lines of --live follow the
 * interval of --progress if that is a time. 0, or a usage error at `place`. */
int weir_live_read(const char *limit, uint64_t progress_ns, const char *place,
                   struct weir_error *error, struct weir_live_request *request);

#endif
