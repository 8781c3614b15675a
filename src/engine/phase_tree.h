/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_PHASE_TREE_H
#define WEIR_ENGINE_PHASE_TREE_H

#include "run.h"

/* One phase on the items or the directories of trees, gathered into a record. 0, or an error that
 * ends the test; operations that fail are results. Collective. */
int weir_phase_tree(struct weir_run *run, const struct weir_phase *phase, struct weir_error *error);

#endif
