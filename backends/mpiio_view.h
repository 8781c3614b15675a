/* SPDX-License-Identifier: Apache-2.0 */
/* File views: one rank's part of a file as MPI shows it, without what lies between its blocks. */
#ifndef WEIR_BACKENDS_MPIIO_VIEW_H
#define WEIR_BACKENDS_MPIIO_VIEW_H

#include "weir/io/backend.h"

#include <mpi.h>

/* How a part is told to MPI. */
enum weir_mpiio_view {
    WEIR_MPIIO_VIEW_NONE,
    WEIR_MPIIO_VIEW_BLOCKS, /* a block and the gap behind it, over and over */
    WEIR_MPIIO_VIEW_WHOLE   /* all blocks of the part as one strided type */
};

/* Whether the part has blocks that such a view can show. */
bool weir_mpiio_view_fits(enum weir_mpiio_view view, const struct weir_file_part *part);

/* Shows of the open file no more than the part, which must fit. Collective. An MPI error code. */
int weir_mpiio_view_set(MPI_File handle, enum weir_mpiio_view view,
                        const struct weir_file_part *part);

/* Bytes of the part in the first `end` bytes of the file. */
uint64_t weir_mpiio_view_bytes(const struct weir_file_part *part, uint64_t end);

/* Finds the position in the view of `size` bytes that begin at `offset` of the file and, if
 * `spans_blocks`, continue in the next block where one ends. False if the part does not have them.
 */
bool weir_mpiio_view_find(const struct weir_file_part *part, bool spans_blocks, uint64_t offset,
                          uint64_t size, uint64_t *position);

#endif
