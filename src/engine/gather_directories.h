/* SPDX-License-Identifier: Apache-2.0 */
/* The slowest directories of all ranks. */
#ifndef WEIR_ENGINE_GATHER_DIRECTORIES_H
#define WEIR_ENGINE_GATHER_DIRECTORIES_H

#include "gather.h"

/* Ends the visits of this rank, and puts the slowest directories of all ranks into `record` of rank
 * 0 (else NULL), whose times of all operations are known. Collective; nothing without visits. 0 or
 * -errno. */
int weir_gather_directories(struct weir_run *run, const struct weir_phase_facts *facts,
                            struct weir_phase_result *record);

#endif
