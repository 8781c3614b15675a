/* SPDX-License-Identifier: Apache-2.0 */
/* What trials of depths have in common, whatever the phase works on: when they end, and what
 * becomes of their failures. */
#ifndef WEIR_ENGINE_TRIALS_H
#define WEIR_ENGINE_TRIALS_H

#include "depth_search.h"
#include "run.h"

struct weir_trials {
    struct weir_run *run;
    uint64_t started_ns;
    uint64_t index;  /* of the next operation, where trials go on from each other */
    bool has_failed; /* on some rank: then the phase does nothing */
    int error;       /* of this rank: what the first failure was, and where */
    uint64_t error_offset;
};

void weir_trials_begin(struct weir_trials *trials, struct weir_run *run);

/* After a trial, whose operations are in the tally of the run: sets what all ranks are to know of
 * it. 0, or -errno if they could not agree. Collective. */
int weir_trials_agree(struct weir_trials *trials, struct weir_depth_trial *trial);

/* What was found, or is to be, for a phase of the present test. */
struct weir_depth_choice *weir_trials_choice(const struct weir_run *run,
                                             const struct weir_phase *phase);

#endif
