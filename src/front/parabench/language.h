/* SPDX-License-Identifier: Apache-2.0 */
/* The language of Parabench: from the text of a program to its statements, checked whole, and the
 * values of its parameters, with what follows from them. */
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

/* ---- values.c ---- */

/* Gives parameters their values: of the environment (PARABENCH_name), then of words name=value. A
 * name is that of the parameter or of its variable. 0, or a usage error. */
int weir_pbl_set_parameters(const struct weir_lowering *lowering, struct weir_program *program,
                            int count, const char *const words[]);

/* Bytes of the largest call, as far as it is known from constants and parameters; of sizes that
 * depend on rounds of loops, the largest in a first or a last round that is not above 64 MiB. */
uint64_t weir_pbl_largest_bytes(const struct weir_program *program);

/* ---- numbers.c: what a check of the whole program finds ---- */

/* Refuses parameters whose values are no numbers where the program takes them for numbers, whatever
 * else it does. 0, or a usage error. */
int weir_pbl_check_numbers(const struct weir_lowering *lowering,
                           const struct weir_program *program);

/* Refuses a use of a file that a statement before it, in the same block, has closed. 0, or a usage
 * error. */
int weir_pbl_check_handles(const struct weir_lowering *lowering,
                           const struct weir_program *program);

/* ---- roots.c ---- */

/* The directories that names of files may be in: `roots` (lines), or else those that values of
 * parameters name, and behind them the current one. Names without variables are checked. 0, or a
 * usage error. */
int weir_pbl_set_roots(const struct weir_lowering *lowering, struct weir_program *program,
                       const char *roots);

#endif
