/* SPDX-License-Identifier: Apache-2.0 */
/* The options that every dialect has beside its own: one member per option, with nothing
 * interpreted. */
#ifndef WEIR_FRONT_COMMON_WORDS_H
#define WEIR_FRONT_COMMON_WORDS_H

#include "weir/base/error.h"
#include "weir/base/facts.h"
#include "weir/base/options.h"

#include <stdint.h>

struct weir_common_words {
    const char *result_path;
    int64_t must_resume;
    const char *label; /* NULL: none */
    const char *tags;  /* key=value, with newlines between them; NULL: none */
    const char *data;  /* NULL: as the dialect's own words say */
    int64_t is_plain;
    int64_t has_details;
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
    const char *measure;
    const char *allowed; /* names of findings, separated by commas; NULL = none */
    int64_t is_strict;
    const char *expect; /* conditions with commas or ends of lines between them; NULL = none */
    int64_t allows_unverified;
    const char *until_interval; /* NULL = not given */
    int64_t max_repetitions;    /* 0 = not given */
    const char *repeat_time;    /* NULL = not given */
    const char *progress;
    const char *live; /* NULL = none, as on_phase */
    const char *on_phase;
    const char *on_phase_limit;
    const char *stop_before; /* NULL: not given */
    const char *on_error;
    const char *watchdog;
    const char *give_up; /* NULL: never */
};

#define WEIR_EXPECT_HELP                                                                           \
    "conditions [PHASE.]FIGURE OP VALUE, separated by commas, such as 'write.rate >= 100GB/s, "    \
    "p99 <= 5ms'; exit code 1 if one does not hold; figures are those of --format csv-long; may "  \
    "be repeated"
#define WEIR_ALLOW_UNVERIFIED_HELP                                                                 \
    "with --expect: figures of phases that are UNVERIFIED count; if not given, their conditions "  \
    "fail"

extern const struct weir_option_set weir_common_set;

#define WEIR_LABEL_HELP                                                                            \
    "name of the run in its record, by which weir report --label and weir compare find it"
#define WEIR_SET_HELP                                                                              \
    "KEY=VALUE that is kept in the record of the run, such as cluster=a; may be repeated"

/* 0, or -EINVAL with the error: a name in the list of --allow (NULL = none) is no finding. */
int weir_allowed_check(const char *list, const char *place, struct weir_error *error);

/* 0, or -EINVAL with the error: a label (NULL = none) is too long or has control characters.
 */
int weir_label_check(const char *label, const char *place, struct weir_error *error);

/* Parts the values of --set, "key=value" with newlines between them (NULL = none). 0, or -EINVAL
 * with the error. */
int weir_tags_read(const char *list, struct weir_arena *arena, const char *place,
                   struct weir_error *error, const struct weir_fact **tags, size_t *count);

/* What is done in place of a run. */
struct weir_orders {
    int64_t explain;
    int64_t help;
    int64_t version;
};

/* Their rows, with the release of the original since which there is -h. */
#define WEIR_ORDER_ROWS(since_release)                                                             \
    {0, "explain", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, explain),                  \
     .help = "print what would be done, and stop"},                                                \
        {'h',                                                                                      \
         "help",                                                                                   \
         WEIR_OPTION_FLAG,                                                                         \
         WEIR_OPTION_AT(struct weir_orders, help),                                                 \
         .help = "print this, and stop",                                                           \
         .since = since_release,                                                                   \
         .better = "once, with exit code 0"},                                                      \
        {0, "version", WEIR_OPTION_FLAG, WEIR_OPTION_AT(struct weir_orders, version),              \
         .help = "print the version, and stop"},                                                   \
    {                                                                                              \
        0                                                                                          \
    }

/* Rows of dialects that do not have them: where the report goes, and its format. */
#define WEIR_SUMMARY_ROWS(path_member, format_member)                                              \
    {0, "summaryFile", WEIR_OPTION_TEXT, path_member,                                              \
     .help = "the report goes there and not to standard output"},                                  \
        {0,                                                                                        \
         "summaryFormat",                                                                          \
         WEIR_OPTION_CHOICE,                                                                       \
         format_member,                                                                            \
         "default",                                                                                \
         "default|JSON|CSV|JUnit|TAP",                                                             \
         .help = "format of the report"},                                                          \
    {                                                                                              \
        0                                                                                          \
    }

#endif
