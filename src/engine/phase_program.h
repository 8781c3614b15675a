/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_PHASE_PROGRAM_H
#define WEIR_ENGINE_PHASE_PROGRAM_H

#include "run.h"

/* A program, through which each rank of the test goes by itself, gathered into a record. 0, or an
 * error that ends the test; calls that fail are results, and so is a program that ends because of
 * an error of its own. Collective. */
int weir_phase_program(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error);

#endif
