/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of a phase at several depths, before it starts and outside of its record. */
#ifndef WEIR_ENGINE_PHASE_TRIALS_H
#define WEIR_ENGINE_PHASE_TRIALS_H

#include "phase_windows.h"

/* True if a search is still to be made. */
bool weir_phase_searches_depth(const struct weir_data_phase *data);

/* Sets the depth and batch of the phase: the plan's, or what a search has found before the first
 * repetition. Failures of trials are those of the phase, which then moves nothing. 0, or -errno if
 * ranks could not agree. Collective. */
int weir_phase_choose_depth(struct weir_data_phase *data);

#endif
