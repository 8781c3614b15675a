/* SPDX-License-Identifier: Apache-2.0 */
/* What this host can do for a benchmark, subject by subject, each with a verdict and the way out.
 */
#ifndef WEIR_BASE_DIAGNOSIS_H
#define WEIR_BASE_DIAGNOSIS_H

#include "weir/base/arena.h"

#include <stddef.h>

enum weir_verdict {
    WEIR_GOOD,    /* nothing to do */
    WEIR_LIMITED, /* works, but not all of it, or not as fast as it could */
    WEIR_MISSING  /* does not work here */
};

struct weir_diagnosis_line {
    enum weir_verdict verdict;
    const char *subject; /* a word or two: "io_uring" */
    const char *text;    /* what was found, without a full stop */
    const char *remedy;  /* how it is made good; NULL: nothing is to be done */
};

/* All zero is empty. Lines and their texts live in the arena. */
struct weir_diagnosis {
    struct weir_arena arena;
    struct weir_diagnosis_line *lines;
    size_t count;
    size_t capacity;
};

/* Adds a line. `remedy` may be NULL; it is copied, as is `subject`. */
void weir_diagnosis_add(struct weir_diagnosis *diagnosis, enum weir_verdict verdict,
                        const char *subject, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

void weir_diagnosis_close(struct weir_diagnosis *diagnosis);

#endif
