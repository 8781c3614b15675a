/* SPDX-License-Identifier: Apache-2.0 */
/* Phases that work on names: for now, removal. */
#ifndef WEIR_ENGINE_PHASE_NAMES_H
#define WEIR_ENGINE_PHASE_NAMES_H

#include "run.h"

/* Removes the target's files (and the directories made for them), timed as one window over all
 * ranks. Collective. */
int weir_phase_remove(struct weir_run *run, const struct weir_phase *phase,
                      struct weir_error *error);

#endif
