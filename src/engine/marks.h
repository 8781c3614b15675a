/* SPDX-License-Identifier: Apache-2.0 */
/* The marks of a test (weir/system/mark.h): one beside the file of rank 0 for each target that the
 * test writes or removes, as long as the test lasts; of trees one in each of their roots, as long
 * as that is there. */
#ifndef WEIR_ENGINE_MARKS_H
#define WEIR_ENGINE_MARKS_H

#include "run.h"

/* On rank 0, when nothing else speaks against the test. Refuses it where another run works on the
 * same file, or where its file cannot be made. A directory that takes no new files has no mark, if
 * the test needs none there. */
int weir_marks_take(struct weir_run *run, struct weir_error *error);

/* Rank 0: the mark in a root of trees, unless it is held already. 0, or an error as above. */
int weir_marks_take_root(struct weir_run *run, const struct weir_phase *phase, size_t root,
                         struct weir_error *error);

/* The mark that is held in a root; NULL: none. */
struct weir_mark *weir_marks_of_root(const struct weir_run *run, const struct weir_target *target,
                                     size_t root);

/* Removes it, so that the root can be removed. */
void weir_marks_drop_root(struct weir_run *run, const struct weir_target *target, size_t root);

/* Rank 0: notes run->reach in the mark of its target's root, for a run that finds the mark when
 * this one has been killed. Nothing where there is no mark. */
void weir_marks_note_reach(struct weir_run *run);

/* Sets run->reach from what the mark of an earlier run says that it has left. Collective; 0 or
 * -errno. */
int weir_marks_read_reach(struct weir_run *run);

/* Refuses, on the ranks it concerns, a shared file, files that other ranks read, and trees in a
 * directory that they do not see as rank 0 does; sets run->view of a shared file. The error of this
 * rank. Collective. */
int weir_marks_compare(struct weir_run *run, const struct weir_phase *phase,
                       struct weir_error *error);

/* Removes them, but for that of a tree in which the run leaves some items of a working set, which
 * tells a later run of them. */
void weir_marks_drop(struct weir_run *run);

#endif
