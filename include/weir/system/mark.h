/* SPDX-License-Identifier: Apache-2.0 */
/* A small file beside the file of a test, as long as the test lasts: it names the run that works
 * there, and is locked by it. By it a second run on the same file learns of the first, and the
 * ranks of one run that they see the same directory.
 *
 * Its name is ".weir-" and 16 hexadecimal digits made of the file's name (FNV-1a, 64 bits), so that
 * it fits where the file's own name does and is not met by accident. Its content is lines of
 * "key value"; the first one is "weir-mark 1". */
#ifndef WEIR_SYSTEM_MARK_H
#define WEIR_SYSTEM_MARK_H

#include "weir/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_MARK_PATH_BYTES 4096
#define WEIR_MARK_TEXT_BYTES 1024

struct weir_mark {
    char path[WEIR_MARK_PATH_BYTES];
    int fd;                            /* locked; -1: there is no mark */
    char others[WEIR_MARK_TEXT_BYTES]; /* whose mark was found: "host h, process 12, since ..." */
    size_t text_bytes;                 /* that were written */
    bool is_inherited;                 /* a dead run's mark was there before */
    /* Notes for a run that finds the mark when this one is dead. weir_mark_take() reads those of a
     * dead run of this user into them. */
    unsigned made;       /* directories of its path that the run has made */
    uint64_t first_item; /* range of item numbers of which files may be left, ... */
    uint64_t end_item;   /* ... up to the one before this; 0 = none */
};

/* Where the mark of a file is: beside it, `levels` directories further up. 0 or -ENAMETOOLONG. */
int weir_mark_path(const char *file_path, unsigned levels, char path[WEIR_MARK_PATH_BYTES]);

enum weir_mark_outcome {
    WEIR_MARK_TAKEN,
    WEIR_MARK_IN_DOUBT, /* taken, from a run on another host that may be alive: see `others` */
    WEIR_MARK_HELD,     /* a run works there that is alive: see `others` */
    WEIR_MARK_NONE      /* none can be made; errno tells why */
};

/* Makes the mark at mark->path, with `text` as its lines after the first. One that is left from a
 * run that is dead is replaced: its lock is free, or, where there are no locks, its process is gone
 * from this host. Something else of that name is left alone (WEIR_MARK_NONE, EEXIST). */
enum weir_mark_outcome weir_mark_take(struct weir_mark *mark, const char *text);

/* Writes the notes of `mark` into the file. */
void weir_mark_write_notes(struct weir_mark *mark);

/* Removes the file, if it is still the one that was made, and gives the lock back. */
void weir_mark_drop(struct weir_mark *mark);

/* Gives the lock back and leaves the file with its notes, as that of a dead run. */
void weir_mark_leave(struct weir_mark *mark);

/* Adds "host H", "pid P", "start T", "user U" and "since S" of this process, a line each: what
 * weir_mark_take compares. */
void weir_mark_describe_self(char *text, size_t bytes);

/* The numbers of the mark as this process sees it: 0 or -errno. Directories whose content the
 * kernel remembers for a while are asked anew. */
int weir_mark_stat(const char *path, uint64_t *device, uint64_t *inode);

#endif
