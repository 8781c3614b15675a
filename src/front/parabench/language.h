/* SPDX-License-Identifier: Apache-2.0 */
/* The language of Parabench: from the text of a program to its statements, checked whole. */
#ifndef WEIR_FRONT_PARABENCH_LANGUAGE_H
#define WEIR_FRONT_PARABENCH_LANGUAGE_H

#include "common_lowering.h"
#include "weir/plan/program.h"

/* -g NAME:SIZE */
struct weir_pbl_group_size {
    const char *name;
    uint64_t size;
};

struct weir_pbl_job {
    const char *path; /* of the program, as typed */
    const char *text; /* of it; lives as long as the plan */
    const struct weir_pbl_group_size *sizes;
    size_t size_count;
};

/* Fills in `program` (all zero) but for the values of its parameters, which are the defaults, and
 * how it is run. Of the lowering, the plan, the test (for remarks), the place and the error are
 * used. 0, or a usage error that points at the place. */
int weir_pbl_compile(const struct weir_lowering *lowering, const struct weir_pbl_job *job,
                     struct weir_program *program);

#endif
