/* SPDX-License-Identifier: Apache-2.0 */
/* Which file of the kernel MPI_File_open makes of a name, and whether what it opened is the file
 * that the test may write. */
#ifndef WEIR_BACKENDS_MPIIO_NAMES_H
#define WEIR_BACKENDS_MPIIO_NAMES_H

#include "weir/io/backend.h"

/* Some MPI-IO libraries take the kind of file system before a path ("ufs:/scratch/file"), others
 * take every character for a part of the name. What this one does with the text before the first
 * colon is tried out once. */
struct weir_mpiio_names {
    char prefix[64]; /* with its colon; "": none was tried yet */
    bool is_stripped;
};

/* The file that MPI_File_open makes, or finds, by `path`: `path` itself or the rest of it. NULL if
 * that cannot be told. May open `path` for reading, or make a file beside it and remove it. */
const char *weir_mpiio_kernel_path(struct weir_mpiio_names *names, const char *path);

/* Before MPI_File_open: the number that its descriptor will have, if it opens one. */
int weir_mpiio_next_descriptor(void);

/* After it, before the first byte: whether this process has `path` (of the kernel) open, and
 * whether it is what `params` claim. `descriptor` is what the function above said. 0, and then *id,
 * or -errno as told with enum weir_claim. */
int weir_mpiio_judge(const char *path, const struct weir_file_params *params, int descriptor,
                     struct weir_file_id *id);

/* Whether a file could be made at `path`, as far as its directory tells: searched, and written if
 * `is_maker`. Else errno says why not. */
bool weir_mpiio_may_make(const char *path, bool is_maker);

/* Whether the process has room for the descriptors that one MPI_File_open takes. Else errno says
 * why not. */
bool weir_mpiio_has_descriptors(void);

#endif
