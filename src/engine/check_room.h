/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the files of a test fit where they are to be written. */
#ifndef WEIR_ENGINE_CHECK_ROOM_H
#define WEIR_ENGINE_CHECK_ROOM_H

#include "run.h"

/* Compares what the ranks are to write with the space, inodes and quota that are left, file system
 * by file system; blocks that the files have already count as free, and trees whose first item is
 * there as made. On rank 0 run->no_room says
 * what does not fit; a test that must fit is refused instead, on all ranks, unless a deadline may
 * cut its writes. 0, -errno if the ranks cannot tell each other, or the refusal's code. Collective.
 */
int weir_check_room(struct weir_run *run, struct weir_error *error);

/* Refuses buffers of `bytes` bytes on each rank that the memory of some node does not hold: to take
 * them would have the kernel kill ranks. Collective. */
int weir_check_memory(struct weir_run *run, uint64_t bytes, struct weir_error *error);

#endif
