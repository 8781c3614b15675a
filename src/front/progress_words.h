/* SPDX-License-Identifier: Apache-2.0 */
/* The words of --progress, for all commands that have it. */
#ifndef WEIR_FRONT_PROGRESS_WORDS_H
#define WEIR_FRONT_PROGRESS_WORDS_H

#include "weir/base/error.h"

#include <stdint.h>

#define WEIR_PROGRESS_HELP                                                                         \
    "how far the run is, on standard error: auto (a line that is kept up to date on a terminal, "  \
    "else one every 10 minutes), on (else one every 10 seconds), off, or seconds between lines"

/* Reads "auto", "on", "off" or seconds above 0. 0, or a usage error at `place`. */
int weir_progress_read(const char *word, const char *place, struct weir_error *error,
                       uint64_t *interval_ns);

#endif
