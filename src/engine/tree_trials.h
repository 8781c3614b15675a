/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of a phase on items of trees at several depths, before it starts. */
#ifndef WEIR_ENGINE_TREE_TRIALS_H
#define WEIR_ENGINE_TREE_TRIALS_H

#include "loop.h"
#include "trials.h"

/* Finds the depth of the phase that `loop` is prepared for; what trials make, they remove, and what
 * the test wants dropped before the phase is dropped behind them. Failures are left in *trials. 0;
 * -errno if ranks could not agree; or an error. Collective. */
int weir_tree_trials_run(struct weir_trials *trials, const struct weir_loop *loop,
                         struct weir_depth_choice *choice, struct weir_error *error);

#endif
