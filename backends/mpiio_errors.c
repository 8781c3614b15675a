/* SPDX-License-Identifier: Apache-2.0 */
/* Open MPI 4.1 tells failures of a file system as an error of no class, or as a success of no
 * bytes. The kernel's errno is then often left over from the call that failed. */
#include "mpiio_errors.h"

#include <errno.h>
#include <mpi.h>

int weir_mpiio_errno(int mpi_code)
{
    int class = MPI_ERR_UNKNOWN;

    if (mpi_code == MPI_SUCCESS)
        return 0;
    MPI_Error_class(mpi_code, &class);
    switch (class) {
    case MPI_ERR_NO_SPACE:
        return -ENOSPC;
    case MPI_ERR_QUOTA:
        return -EDQUOT;
    case MPI_ERR_FILE_EXISTS:
        return -EEXIST;
    case MPI_ERR_NO_SUCH_FILE:
        return -ENOENT;
    case MPI_ERR_ACCESS:
        return -EACCES;
    case MPI_ERR_READ_ONLY:
        return -EROFS;
    case MPI_ERR_NO_MEM:
        return -ENOMEM;
    default:
        return -EIO;
    }
}

bool weir_mpiio_is_cause(int kernel_errno)
{
    switch (kernel_errno) {
    case EIO:
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EROFS:
    case ESTALE:
    case EREMOTEIO:
        return true;
    default:
        return false;
    }
}

int weir_mpiio_cause(int mpi_code, int kernel_errno, struct weir_mpiio_failure *failure)
{
    int code = weir_mpiio_errno(mpi_code);

    if (code != 0 && code != -EIO)
        return code;
    if (weir_mpiio_is_cause(kernel_errno))
        return -kernel_errno;
    *failure = (struct weir_mpiio_failure){.is_unexplained = true, .mpi_code = mpi_code};
    return -EIO;
}

void weir_mpiio_explain(const struct weir_mpiio_failure *failure, struct weir_text *text)
{
    char words[MPI_MAX_ERROR_STRING] = "it has moved nothing, before the end of the file";
    int length;

    if (!failure->is_unexplained)
        return;
    if (failure->mpi_code != MPI_SUCCESS)
        MPI_Error_string(failure->mpi_code, words, &length);
    weir_text_add(text, "MPI says: %s; it does not pass on what the file system said", words);
}
