/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a run writes beside its data. One place decides which files that exist already may be
 * replaced or appended to, and opens them: what is judged is what is then written. */
#ifndef WEIR_BASE_OUTPUT_FILE_H
#define WEIR_BASE_OUTPUT_FILE_H

#include "weir/base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum weir_output_kind {
    WEIR_OUTPUT_REPORT,     /* recognised by is_held, which must be given */
    WEIR_OUTPUT_RESULT,     /* runs, one record per line */
    WEIR_OUTPUT_RANK_CSV,   /* figures of ranks */
    WEIR_OUTPUT_OP_CSV,     /* times of transfers */
    WEIR_OUTPUT_OFFSETS,    /* offsets and times of transfers */
    WEIR_OUTPUT_HISTOGRAMS, /* latencies of a rank, in bands */
    WEIR_OUTPUT_STATUS,     /* a count of transfers: decimal digits */
    WEIR_OUTPUT_POSITION,   /* the place of a working set: "pos: " and decimal digits */
    WEIR_OUTPUT_SERVERS,    /* addresses of servers, one per line */
    WEIR_OUTPUT_DATABASE,   /* SQLite */
    WEIR_OUTPUT_LIVE        /* lines of --live */
};

/* Key of the second count in a status file: the directories of mdtest. */
#define WEIR_STATUS_DIRECTORIES "directories "
/* The first line of a file of offsets. */
#define WEIR_OUTPUT_OFFSETS_HEADING                                                                \
    "Offset in kBytes   Latency in microseconds  Transfer size in bytes\n"

struct weir_output_file {
    const char *path;
    const char *place; /* of errors: the option that names the path */
    enum weir_output_kind kind;
    bool (*is_held)(const char *begin); /* REPORT: does a file that begins like this hold one? */
    bool may_overwrite;                 /* a regular file may be lost whatever it holds */
    bool must_append;                   /* what the file holds stays; else it is emptied */
    bool is_renamed;  /* a new file takes its place, as it always does of a status file */
    bool may_be_full; /* no room for it is no error of the check */
};

/* Refuses what weir_output_file_open would refuse, and a file that could not be made or filled (no
 * directory, no permission, no space left), as usage errors; makes and changes nothing. 0, or the
 * error. */
int weir_output_file_check(const struct weir_output_file *file, struct weir_error *error);

/* Opens the file for writing (not through stdio, close-on-exec), and makes it if there is none.
 * Refused, without waiting: a file that holds something else, a directory, a FIFO, a socket, and
 * each device but null, full and terminals (of a status file or a list of servers, which a new file
 * takes the place of: each device). What /dev/stdout, /dev/stderr and /dev/fd/N lead to is
 * open already, and is taken as it is. Sets *fd only on success. 0, or the error. */
int weir_output_file_open(const struct weir_output_file *file, int *fd, struct weir_error *error);

/* Writes all of it; 0 or -errno. */
int weir_output_file_write(int fd, const char *text, size_t bytes);

/* Puts a new file with this content in the place of `path`, which a crash leaves with the old
 * content or the new one: written beside it, synced, renamed, the directory synced. Keeps the
 * permissions of a file that is there if `mode` is 0, or else sets these. 0 or -errno, and then the
 * old one is untouched. */
int weir_output_file_replace(const char *path, const char *text, size_t bytes, unsigned mode);

/* The steps of it: makes a file for writing in the directory of `file`, and sets its path. Returns
 * a descriptor or -errno. */
int weir_output_file_beside(const char *file, char path[PATH_MAX]);
/* Puts the file `beside` in the place of `path`, and syncs the directory; or removes it. Returns 0
 * or -errno: -EEXIST where another file is there and `may_replace` is false. */
int weir_output_file_settle(const char *beside, const char *path, bool may_replace);

#endif
