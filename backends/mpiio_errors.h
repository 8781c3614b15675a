/* SPDX-License-Identifier: Apache-2.0 */
/* What errors of MPI-IO are in words of the kernel, as far as MPI passes that on. */
#ifndef WEIR_BACKENDS_MPIIO_ERRORS_H
#define WEIR_BACKENDS_MPIIO_ERRORS_H

#include "weir/base/text.h"

#include <stdbool.h>

/* Of the latest transfer that failed. */
struct weir_mpiio_failure {
    bool is_unexplained; /* the library gave no reason */
    int mpi_code;        /* MPI_SUCCESS: MPI said that it had moved nothing */
};

/* 0 or -errno, by the class of the error alone: -EIO if the class says nothing. */
int weir_mpiio_errno(int mpi_code);

/* The same for a transfer, after which errno was `kernel_errno`; if neither tells the cause it is
 * -EIO and left in *failure. `mpi_code` may be MPI_SUCCESS, if nothing was moved. */
int weir_mpiio_cause(int mpi_code, int kernel_errno, struct weir_mpiio_failure *failure);

/* True if errno can only be about a file, and tells that a call that began with errno 0 failed. */
bool weir_mpiio_is_cause(int kernel_errno);

/* What MPI says instead of a cause; nothing if it gave one. */
void weir_mpiio_explain(const struct weir_mpiio_failure *failure, struct weir_text *text);

#endif
