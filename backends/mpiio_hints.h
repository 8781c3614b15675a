/* SPDX-License-Identifier: Apache-2.0 */
/* Hints to MPI-IO in the way IOR takes them, and as it shows them. */
#ifndef WEIR_BACKENDS_MPIIO_HINTS_H
#define WEIR_BACKENDS_MPIIO_HINTS_H

#include "weir/base/error.h"
#include "weir/base/text.h"
#include "weir/group/group.h"

#include <mpi.h>

/* Adds what the environment and the file (NULL: none) of rank 0 say: MPI wants the same hints on
 * every rank. Collective. 0 or -errno. */
int weir_mpiio_hints_read(struct weir_group *group, const char *path, MPI_Info hints,
                          struct weir_error *error);

/* Appends them as IOR prints them. */
void weir_mpiio_hints_write(struct weir_text *notes, const char *caption, MPI_Info hints);

#endif
