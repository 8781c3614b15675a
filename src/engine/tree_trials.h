/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of a phase on items of trees at several depths, before it starts. */
#ifndef WEIR_ENGINE_TREE_TRIALS_H
#define WEIR_ENGINE_TREE_TRIALS_H

#include "loop.h"
#include "trials.h"

/* Finds the depth of the phase that `loop` is prepared for; what trials make, they remove. Failures
 * are left in *trials. 0, or -errno if ranks could not agree. Collective. */
int weir_tree_trials_run(struct weir_trials *trials, const struct weir_loop *loop,
                         struct weir_depth_choice *choice);

#endif
