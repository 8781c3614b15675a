/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on names through a ring: those of them that the kernel's io_uring has. It has none
 * that makes an empty file without opening it, changes a mode, or lists a directory.
 *
 * They do what the functions of posix_files.h do, but for this:
 *  - a stat looks at the name alone: a symbolic link is one even if it leads to a device, and of
 *    either bytes are 0;
 *  - a directory can be opened for reading;
 *  - files are not opened with stripes, nor registered with the ring;
 *  - attributes are those of what a symbolic link leads to;
 *  - a direct file that must be made stays behind, empty, where the file system turns out not to be
 *    able: weir_name_ops.alignment has asked that before. */
#ifndef WEIR_BACKENDS_URING_NAMES_H
#define WEIR_BACKENDS_URING_NAMES_H

#include "posix_files.h"
#include "uring_ring.h"

#include <sys/stat.h>

/* What the kernel fills for one slot. */
union weir_uring_found {
    struct statx facts;
    char attribute[WEIR_XATTR_BYTES];
};

struct weir_uring_names {
    unsigned queued;                  /* as weir_session.queued_names */
    union weir_uring_found *found;    /* one per slot */
    struct weir_posix_file **opening; /* the file that a slot opens */
    /* the files that were opened here: made once, as many as the process may have open */
    struct weir_posix_file *files;
    unsigned file_count;
    unsigned used_count;           /* of `files`, from the front, were lent at least once */
    struct weir_posix_file **idle; /* of these, what came back */
    unsigned idle_count;
};

/* 0 or -ENOMEM. */
int weir_uring_names_init(struct weir_uring_names *names, const struct weir_uring_ring *ring,
                          unsigned depth);
void weir_uring_names_fini(struct weir_uring_names *names);

/* Fills `sqe` for an operation on names. 0, or -errno: it fails with that, and `sqe` is as it
 * was. */
int weir_uring_names_prepare(struct weir_uring_names *names, const struct weir_posix_session *posix,
                             const struct weir_op *op, struct io_uring_sqe *sqe);

/* What the kernel said of it becomes the operation's result. */
void weir_uring_names_finish(struct weir_uring_names *names, struct weir_posix_session *posix,
                             struct weir_op *op, int result);

/* The file was opened here: weir_posix_file_ops must not close it. */
bool weir_uring_names_own(const struct weir_uring_names *names, const struct weir_file *file);

/* Frees a file whose descriptor is closed, opened by the ring or not. */
void weir_uring_names_forget(struct weir_uring_names *names, struct weir_posix_session *posix,
                             struct weir_file *file);

#endif
