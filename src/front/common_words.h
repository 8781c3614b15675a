/* SPDX-License-Identifier: Apache-2.0 */
/* The options that every dialect has beside its own: one member per option, with nothing
 * interpreted. */
#ifndef WEIR_FRONT_COMMON_WORDS_H
#define WEIR_FRONT_COMMON_WORDS_H

#include "weir/base/options.h"

#include <stdint.h>

struct weir_common_words {
    const char *result_path;
    const char *data; /* NULL: as the dialect's own words say */
    int64_t is_plain;
    int64_t may_overwrite;
    int64_t must_fit;
    const char *depth; /* a number, "auto" or "auto:64"; NULL: as the backend has it */
    int64_t is_direct;
    const char *rate;     /* operations or, with a unit, bytes per second; NULL: none */
    const char *rate_of;  /* NULL: not given */
    const char *arrivals; /* NULL: not given */
    const char *pin;
    const char *pin_order;
    const char *nic;
    const char *membind;
    int64_t wants_huge_pages;
    const char *cache_drop;
    const char *progress;
    const char *stop_before; /* NULL: not given */
    const char *on_error;
    const char *watchdog;
    const char *give_up; /* NULL: never */
};

extern const struct weir_option_set weir_common_set;

/* What is done in place of a run. */
struct weir_orders {
    int64_t explain;
    int64_t help;
    int64_t version;
};

#endif
