/* SPDX-License-Identifier: Apache-2.0 */
/* What a run passes on to other programs while it goes on: see docs/live.md. */
#ifndef WEIR_BASE_LIVE_H
#define WEIR_BASE_LIVE_H

#include <stdint.h>

/* A socket is named by this and its path. */
#define WEIR_LIVE_SOCKET "unix:"

struct weir_live_request {
    const char *path;           /* --live: a file, or WEIR_LIVE_SOCKET and a path; NULL = none */
    uint64_t interval_ns;       /* between its lines */
    const char *on_phase;       /* command that reads the record of each phase; NULL = none */
    uint64_t on_phase_limit_ns; /* after which it is ended */
};

#endif
