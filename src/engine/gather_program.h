/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEIR_ENGINE_GATHER_PROGRAM_H
#define WEIR_ENGINE_GATHER_PROGRAM_H

#include "gather.h"

/* What the program of the phase has done on all ranks, into record->program on rank 0 (`record` is
 * NULL elsewhere), in the arena of the result. Nothing of other phases. 0 or -errno. Collective. */
int weir_gather_program(struct weir_run *run, const struct weir_phase_facts *facts,
                        struct weir_phase_result *record);

/* Turns the numbers of events that ranks have into those that they send, which are `limit` at most:
 * an equal share for each, and what is left of it for the first ranks. */
void weir_program_share_events(uint64_t counts[], unsigned ranks, uint64_t limit);

#endif
