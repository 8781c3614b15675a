/* SPDX-License-Identifier: Apache-2.0 */
/* Phases that write or read. */
#ifndef WEIR_ENGINE_PHASE_DATA_H
#define WEIR_ENGINE_PHASE_DATA_H

#include "run.h"

/* Runs one phase from preparation to its record. Failed operations are part of the record; *error
 * is for what makes it pointless to go on. The same on every rank. Collective. */
int weir_phase_data(struct weir_run *run, const struct weir_phase *phase, struct weir_error *error);

#endif
