/* SPDX-License-Identifier: Apache-2.0 */
/* What is around the trees of a test: the directories that they lie in, which rank 0 makes before
 * the trees and removes after them, outside of the timing. Nothing but directories of the plan's
 * own names is ever removed here, and those only if they are empty. */
#ifndef WEIR_ENGINE_TREE_PLACES_H
#define WEIR_ENGINE_TREE_PLACES_H

#include "items.h"

/* Before anything is touched: roots and tops that are there are directories, and reached by no
 * symbolic link below the root. 0, or a usage error. */
int weir_tree_places_check(struct weir_run *run, const struct weir_phase *phase,
                           struct weir_error *error);

/* Before a phase that changes the tree, once in a repetition: what is there of its directories is
 * no symbolic link, behind which other people's names may be, and this user's. Ranks share the
 * work. 0, or an error. */
int weir_tree_places_check_directories(struct weir_run *run, const struct weir_phase *phase,
                                       struct weir_error *error);

/* Rank 0: makes the roots that are missing, with the directories above them, and the tops. 0, or
 * the error. */
int weir_tree_places_make(struct weir_run *run, const struct weir_phase *phase,
                          struct weir_error *error);

/* Rank 0: removes tops, and what this run has made for roots, where they are empty. A top that is
 * not is left as a directory of `items` is. */
void weir_tree_places_remove(struct weir_run *run, const struct weir_phase *phase,
                             struct weir_items *items);

/* This rank's failure, if it has left a directory: names the first one, and what is in it. */
void weir_tree_places_tell_left(struct weir_run *run, const struct weir_items *items);

/* Whether a directory of the trees is there that this rank makes, or that all share. */
bool weir_tree_places_exist(struct weir_run *run, const struct weir_phase *phase);

/* Whether the mark in a root of the target was a dead run's. False but on rank 0. */
bool weir_tree_places_are_inherited(const struct weir_run *run, const struct weir_target *target);

/* Removes the tops that are empty, and nothing else. */
void weir_tree_places_remove_tops(struct weir_run *run, const struct weir_phase *phase);

#endif
