/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect targets. */
#ifndef WEIR_REPORT_TARGETS_TARGETS_H
#define WEIR_REPORT_TARGETS_TARGETS_H

#include "dialect.h"

#include "weir/base/arena.h"
#include "weir/measure/peers.h"

extern const struct weir_reporter weir_reporter_targets;

#define WEIR_MB 1e6

/* Rates in bytes per second over repetitions. */
struct weir_targets_rate {
    unsigned count; /* repetitions; 0: not measured */
    double mean;
    double stddev; /* of the sample; 0 of a single one */
    double min;
    double max;
};

struct weir_targets_row {
    const char *name;
    unsigned test;
    struct weir_targets_rate rate;
    enum weir_peer_verdict verdict;
};

struct weir_targets_table {
    enum weir_verb verb;
    unsigned count;                /* targets that were measured */
    struct weir_targets_row *rows; /* the fastest first */
    struct weir_peers peers;
    double alone_sum;
    double alone_ranks_sum; /* the same of the ranks' own rates, as together_sum has them */
    struct weir_targets_rate together; /* of all at once: until the last of them is done */
    /* of all at once, mean over repetitions: what ranks reach until they are done themselves, added
     * up. One slow target does not lower what the others have of it. 0: not measured */
    double together_sum;
    double limit;          /* of one target; 0: none */
    double limit_together; /* of all: as given, else that of one times the targets; 0: none */
    bool is_whole;         /* every target of the plan was measured alone */
};

/* The tables of the verbs that were measured, writes first: `*count` of them, in `arena`. */
struct weir_targets_table *weir_targets_tables(struct weir_arena *arena,
                                               const struct weir_plan *plan,
                                               const struct weir_result *result, unsigned *count);

/* "slow", "fast"; "" if alike. */
const char *weir_targets_verdict(enum weir_peer_verdict verdict);

/* A number among the settings of a test; 0 if it is not there. */
double weir_targets_setting(const struct weir_test *test, const char *key);

#endif
