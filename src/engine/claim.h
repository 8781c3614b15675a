/* SPDX-License-Identifier: Apache-2.0 */
/* Which files a test may write into and remove: those that it made, and those that were judged
 * before its first phase. They are known by device and inode, not by name: others may put another
 * file under the name at any time. */
#ifndef WEIR_ENGINE_CLAIM_H
#define WEIR_ENGINE_CLAIM_H

#include "phase_windows.h"

/* False where any file may be written: with --overwrite, and where the kernel has no files of the
 * test. Then files are found, opened and removed by name alone. */
bool weir_claim_is_needed(const struct weir_run *run);

/* From now on the file may be written and removed. 0 or -ENOMEM. */
int weir_claim_add(struct weir_run *run, struct weir_file_id id);

/* Forgets a file that is gone, or about to go: its inode number may be given to a foreign file. */
void weir_claim_drop(struct weir_run *run, struct weir_file_id id);

/* What stands under `path`: 0 if it may be written and removed, and then *id; -ENOENT if there is
 * nothing; -ESTALE if it is another file; or why it cannot be looked at. */
int weir_claim_find(struct weir_run *run, const char *path, struct weir_file_id *id);

/* Removes what stands under `path` if it may be removed; 0 as well if there is nothing. Another
 * program may change the name after the look at it, which no system call can exclude. */
int weir_claim_remove(struct weir_run *run, const char *path);

/* What is to be said of `code`: "another file has taken this name since ...", or strerror(3). */
const char *weir_claim_reason(int code);

/* A file of rank 0, as this rank knows it: {0} if it numbers files in its own way. */
struct weir_file_id weir_claim_translate(const struct weir_run *run, struct weir_file_id id);

/* Before the file of the phase is opened, untimed: sets data->claim, data->id and
 * data->must_create. 0, or the error of this rank. Collective where the file is shared. */
int weir_claim_prepare(struct weir_data_phase *data);

/* Frees what is remembered. */
void weir_claim_close(struct weir_run *run);

#endif
