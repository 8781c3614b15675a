/* SPDX-License-Identifier: Apache-2.0 */
/* Times with a unit, and what --watchdog and --give-up say, for all commands that have them. */
#ifndef WEIR_FRONT_TIME_WORDS_H
#define WEIR_FRONT_TIME_WORDS_H

#include "weir/base/error.h"

#include <stdint.h>

#define WEIR_WATCHDOG_HELP                                                                         \
    "tell of tasks that have not moved for so long, such as 60s, 5m or 1.5h: where they are and "  \
    "what they are in; 0: never"

/* Reads "250ms", "60s", "5m" or "5min", "1.5h", or a number of seconds. 0, or a usage error at
 * `place`. */
int weir_time_read(const char *option, const char *text, const char *place,
                   struct weir_error *error, uint64_t *ns);

/* `give_up` may be NULL: 0, never. 0, or a usage error at `place`. */
int weir_watchdog_read(const char *watchdog, const char *give_up, const char *place,
                       struct weir_error *error, uint64_t *watchdog_ns, uint64_t *give_up_ns);

#endif
