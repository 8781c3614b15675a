/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on figures (--expect): parsed and checked before a run, judged with its figures. */
#ifndef WEIR_REPORT_EXPECT_H
#define WEIR_REPORT_EXPECT_H

#include "weir/base/arena.h"
#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/measure/result.h"
#include "weir/plan/plan.h"

#include <stdbool.h>

#define WEIR_EXPECT_PLACE "--expect" /* errors of conditions begin with it */

struct weir_condition {
    const char *text;   /* as typed: "write.rate >= 100GB/s" */
    const char *phase;  /* NULL = every phase that has the figure */
    const char *figure; /* the name after the last dot */
    unsigned accepts;   /* bits: 1 = values below the limit, 2 = the limit, 4 = values above it */
    const char *unit;   /* of the figure */
    double limit;       /* in this unit */
};

/* A phase with all of its repetitions. */
struct weir_expect_case {
    const char *phase;           /* "write", "read of ost3", "write at ranks=4" */
    double value;                /* median over repetitions */
    unsigned count;              /* repetitions that have the figure; 0 = none has it */
    enum weir_believed believed; /* worst of the repetitions; PARTIAL if the phase did not run */
    bool holds;
    const char *text; /* "write 1.12 GB/s, median of 3, ..." */
};

struct weir_expectation {
    const struct weir_condition *condition;
    struct weir_expect_case *cases;
    unsigned case_count;
    bool holds;       /* in all cases, of which there is one at least */
    const char *text; /* of the worst case */
};

struct weir_expectations {
    struct weir_expectation verdicts; /* not a condition: a case for each phase */
    struct weir_expectation *rows;
    unsigned count;
    const struct weir_expectation *failed; /* the first that does not hold; NULL = none */
};

/* Parses a value in the unit of a figure: "bytes/s" (100GB/s, 5GiB/s), "1/s" (20000, 20k/s), "s"
 * (5ms, 1.5h), "bytes" (4k, 1GiB), "1" (0, 10k, 0.5, 50%). Returns 0, -EINVAL or -ERANGE. */
int weir_condition_value(const char *text, const char *unit, double *value);

/* Parses conditions, [PHASE.]FIGURE OP VALUE each, which commas or ends of lines separate. OP is
 * one of >= <= > < = == !=. Returns 0, or a usage error at `place`: also of a figure that does not
 * exist, and of a value in another unit. */
int weir_conditions_parse(const char *list, struct weir_arena *arena,
                          struct weir_condition **conditions, unsigned *count, const char *place,
                          struct weir_error *error);

/* Refuses conditions that cannot be parsed and, with a plan (NULL = none), those on phases that it
 * does not have and figures that it cannot measure. `list` may be NULL. Returns 0, or a usage error
 * at `place`. */
int weir_expect_check(const char *list, const struct weir_plan *plan, const char *place,
                      struct weir_error *error);

/* Refuses conditions that cannot be parsed, or that weir net cannot measure; `phase` is what it
 * measures, "bandwidth" or "latency". `list` may be NULL. Returns 0, or a usage error at `place`.
 */
int weir_expect_check_net(const char *list, const char *phase, const char *place,
                          struct weir_error *error);

struct weir_measured_run;

/* Judges the phases of a run, which may be one of weir net, and conditions (NULL = none). */
const struct weir_expectations *weir_expect_judge_run(struct weir_arena *arena,
                                                      const struct weir_measured_run *run,
                                                      const char *conditions,
                                                      bool allows_unverified);
/* Judges the phases of a run, and the conditions of its plan. */
const struct weir_expectations *weir_expect_judge(struct weir_arena *arena,
                                                  const struct weir_plan *plan,
                                                  const struct weir_result *result);

/* Appends a line for each condition, first for those that hold. */
void weir_expect_add_lines(struct weir_text *text, const struct weir_expectations *expectations);

/* Sets an error with exit code 1, if a condition does not hold. */
void weir_expect_fail(const struct weir_expectations *expectations, struct weir_error *error);

#endif
