/* SPDX-License-Identifier: Apache-2.0 */
/* The latencies of each rank by itself, in the bands of IOzone's histogram files. */
#ifndef WEIR_ENGINE_RANK_HISTOGRAM_H
#define WEIR_ENGINE_RANK_HISTOGRAM_H

#include "run.h"

#define WEIR_RANK_BANDS 40

/* True if the test and the phase ask for a file of each rank. */
bool weir_rank_histogram_is_wanted(const struct weir_run *run, const struct weir_phase *phase);

/* Refuses this rank's file if it cannot be made or holds something else. */
int weir_rank_histogram_check(const struct weir_run *run, const struct weir_phase *phase,
                              struct weir_error *error);

/* Counts this rank's own latencies, before those of all ranks are added up. A value within 1.6 % of
 * the end of a band may be counted in the next one. */
void weir_rank_histogram_take(const struct weir_tally *tally, uint64_t bands[WEIR_RANK_BANDS]);

/* Appends them to <prefix><rank>.txt. */
int weir_rank_histogram_write(const struct weir_run *run, const struct weir_phase *phase,
                              const uint64_t bands[WEIR_RANK_BANDS], struct weir_error *error);

#endif
