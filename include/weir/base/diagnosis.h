/* SPDX-License-Identifier: Apache-2.0 */
/* The state of this host for benchmarks, subject by subject, each with a verdict and a remedy.
 * */
#ifndef WEIR_BASE_DIAGNOSIS_H
#define WEIR_BASE_DIAGNOSIS_H

#include "weir/base/arena.h"

#include <stddef.h>

enum weir_verdict {
    WEIR_GOOD,    /* nothing to do */
    WEIR_LIMITED, /* works, but not all of it, or not as fast as it could */
    WEIR_MISSING, /* does not work here */
    WEIR_NOTED    /* a fact that is neither good nor bad, or that is unknown */
};
#define WEIR_VERDICTS 4

struct weir_diagnosis_line {
    enum weir_verdict verdict;
    const char *heading; /* what the subject is a part of: "memory" */
    const char *subject; /* a word or two: "io_uring" */
    const char *text;    /* what was found, without a full stop */
    /* the remedy; alternatives are separated by '\n', one per line. NULL: nothing is to be done
     * */
    const char *remedy;
};

/* All zero is empty. Lines and their texts live in the arena. */
struct weir_diagnosis {
    struct weir_arena arena;
    struct weir_diagnosis_line *lines;
    size_t count;
    size_t capacity;
    const char *heading; /* of lines to come */
};

/* Lines from now on belong to `heading`, which is copied. At first it is "". */
void weir_diagnosis_begin(struct weir_diagnosis *diagnosis, const char *heading);

/* Adds a line. `remedy` may be NULL; it is copied, as is `subject`. */
void weir_diagnosis_add(struct weir_diagnosis *diagnosis, enum weir_verdict verdict,
                        const char *subject, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds an alternative remedy, on a line of its own, to the line that was added last. */
void weir_diagnosis_help(struct weir_diagnosis *diagnosis, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Lines with this verdict. */
size_t weir_diagnosis_count(const struct weir_diagnosis *diagnosis, enum weir_verdict verdict);

/* "good", "limited", "missing", "note" */
const char *weir_verdict_name(enum weir_verdict verdict);

void weir_diagnosis_close(struct weir_diagnosis *diagnosis);

#endif
