/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the files of a test are there where they must be, and ours to write or remove. */
#ifndef WEIR_ENGINE_CHECK_TARGET_H
#define WEIR_ENGINE_CHECK_TARGET_H

#include "run.h"

/* Refuses a file of the phase, in the present repetition, that this rank handles: not a file, not
 * ours, in a directory that is not there, or not there itself where a mixed phase needs it. Notes
 * in run->existing that it is there. Files only: devices have weir_check_device. */
int weir_check_target(struct weir_run *run, const struct weir_phase *phase, const char *path,
                      struct weir_error *error);

/* Refuses exact names of which two ranks would have the same one, before any of them is made. */
int weir_check_files_differ(struct weir_run *run, const struct weir_phase *phase,
                            struct weir_error *error);

/* Refuses a path whose directory of a processor package is not there. */
int weir_check_package_directory(struct weir_run *run, const struct weir_target *target,
                                 const char *path, struct weir_error *error);

#endif
