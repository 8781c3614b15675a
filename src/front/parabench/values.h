/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a program's parameters, and what follows from them. */
#ifndef WEIR_FRONT_PARABENCH_VALUES_H
#define WEIR_FRONT_PARABENCH_VALUES_H

#include "common_lowering.h"
#include "weir/plan/program.h"

/* Gives parameters their values: of the environment (PARABENCH_name), then of words name=value. A
 * name is that of the parameter or of its variable. 0, or a usage error. */
int weir_pbl_set_parameters(const struct weir_lowering *lowering, struct weir_program *program,
                            int count, const char *const words[]);

/* Bytes of the largest call, as far as it is known from constants and parameters. */
uint64_t weir_pbl_largest_bytes(const struct weir_program *program);

/* ---- roots.c ---- */

/* The directories that names of files may be in: `roots` (lines), or else those that values of
 * parameters name, and behind them the current one. 0, or a usage error. */
int weir_pbl_set_roots(const struct weir_lowering *lowering, struct weir_program *program,
                       const char *roots);

#endif
