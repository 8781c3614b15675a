/* SPDX-License-Identifier: Apache-2.0 */
/* Remedies: what a user can ask for, named without the option of any dialect. Sentences below front
 * and report hold the name ("use " WEIR_REMEDY_SHIFT_NODES); reports, the result file and the log
 * get the word of the dialect in its place ("use -C"). Options that every
 * dialect has (--depth, --result) and those of backends (--uring.entries) are no remedies: they are
 * written as they are. */
#ifndef WEIR_BASE_REMEDY_H
#define WEIR_BASE_REMEDY_H

#include <stdbool.h>
#include <stddef.h>

/* Where the data are. */
#define WEIR_REMEDY_PATH "{path}"
#define WEIR_REMEDY_BACKEND "{backend}" /* the name of one follows */
#define WEIR_REMEDY_FILE_PER_RANK "{file-per-rank}"
#define WEIR_REMEDY_PACKAGE_DIRECTORIES "{package-directories}"
#define WEIR_REMEDY_ROOT "{root}"                 /* a directory that a program works in */
#define WEIR_REMEDY_ANYWHERE "{anywhere}"         /* in any directory */
#define WEIR_REMEDY_DEVICE "{device}"             /* the paths are block devices */
#define WEIR_REMEDY_DEVICE_FORCE "{device-force}" /* even if they are in use or hold anything */
#define WEIR_REMEDY_KEEP "{keep}"
#define WEIR_REMEDY_KEEP_FAILED "{keep-failed}"
#define WEIR_REMEDY_KEEP_OPEN "{keep-open}"
#define WEIR_REMEDY_USE_EXISTING "{use-existing}"
#define WEIR_REMEDY_REMOVE "{remove}" /* a run that only removes */
/* The size of the work. */
#define WEIR_REMEDY_WRITE "{write}"
#define WEIR_REMEDY_READ "{read}"
#define WEIR_REMEDY_TRANSFER_SIZE "{transfer-size}"
#define WEIR_REMEDY_BLOCK_SIZE "{block-size}"
#define WEIR_REMEDY_LESS_DATA "{less-data}" /* the options that say how much is moved */
#define WEIR_REMEDY_REPETITIONS "{repetitions}"
#define WEIR_REMEDY_DEADLINE "{deadline}"
#define WEIR_REMEDY_LONGER_PHASE "{longer-phase}"
#define WEIR_REMEDY_SYNC "{sync}"         /* at the end of writes */
#define WEIR_REMEDY_SYNC_ALL "{sync-all}" /* of the file system, at the end of a phase */
#define WEIR_REMEDY_WEAR_OUT "{wear-out}"
#define WEIR_REMEDY_FEWER_RANKS "{fewer-ranks}" /* a run that does with fewer of them */
#define WEIR_REMEDY_BUFFERED "{buffered}"       /* transfers through the page cache */
/* Whose part a rank reads. */
#define WEIR_REMEDY_SHIFT_NODES "{shift-nodes}"
#define WEIR_REMEDY_SHIFT_RANDOM "{shift-random}"
#define WEIR_REMEDY_SHIFT_PERMUTATION "{shift-permutation}"
#define WEIR_REMEDY_SHIFT_DISTANCE "{shift-distance}"
/* The content of the data, and its verification. */
#define WEIR_REMEDY_FOREIGN_DATA "{foreign-data}" /* data that another program wrote */
#define WEIR_REMEDY_UNKNOWN_DATA "{unknown-data}" /* nothing says what was written: a clause */
#define WEIR_REMEDY_PATTERN "{pattern}"
#define WEIR_REMEDY_SEED "{seed}"
#define WEIR_REMEDY_VERIFY_WRITES "{verify-writes}"
#define WEIR_REMEDY_VERIFY_READS "{verify-reads}"
/* Reports; also the places of errors in them. */
#define WEIR_REMEDY_OUTLIERS "{outliers}"
#define WEIR_REMEDY_DETAILS "{details}" /* tables behind the verdict */
#define WEIR_REMEDY_REPORT_FILE "{report-file}"
#define WEIR_REMEDY_RANK_FILE "{rank-file}"
#define WEIR_REMEDY_OP_FILES "{op-files}"
#define WEIR_REMEDY_HISTOGRAMS "{histograms}"
#define WEIR_REMEDY_STATUS_FILE "{status-file}"
#define WEIR_REMEDY_STATUS_WRITER "{status-writer}" /* a run that makes this file */
/* The host. */
#define WEIR_REMEDY_HOG_PER_RANK "{hog-per-rank}"
#define WEIR_REMEDY_HOG_PER_NODE "{hog-per-node}"

/* How a dialect asks for a remedy. Words have neither quotes nor backslashes: they may come to
 * stand in JSON. */
struct weir_remedy_word {
    const char *remedy; /* one of the above; NULL ends a list */
    const char *word;   /* "-C" */
};

/* All remedies, with a neutral word for dialects that have none of their own. */
extern const struct weir_remedy_word weir_remedy_neutral[];

/* Copies a text with the words of a dialect (a list; NULL: none) for the remedies in it. As
 * snprintf does: returns the length of all of it, of which `bytes` - 1 are in `copy`. */
size_t weir_remedy_spell(const struct weir_remedy_word *words, const char *text, char *copy,
                         size_t bytes);

#endif
