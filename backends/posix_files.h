/* SPDX-License-Identifier: Apache-2.0 */
/* Files and names of the kernel's file systems, shared by the backends that open them with
 * open(2). */
#ifndef WEIR_BACKENDS_POSIX_FILES_H
#define WEIR_BACKENDS_POSIX_FILES_H

#include "striping.h"
#include "weir/io/backend.h"

/* A backend that needs more embeds this as the first member of its own session. */
struct weir_posix_session {
    struct weir_session base;
    bool is_direct; /* files are opened with O_DIRECT */
    bool must_lock; /* the range of each transfer is locked while it lasts */
    /* the file system that is told more of its files than open(2) can; NULL: none */
    const struct weir_striping *striping;
    struct weir_striping_options striping_options;
    /* of direct files whose file system does not say: what was measured last */
    struct weir_alignment alignment;
};

struct weir_posix_file {
    struct weir_file base;
    int fd;
    struct weir_striped striped; /* if the session is striping */
};

/* A blocking session, one transfer at a time. Errors as in weir_backend.open. */
int weir_posix_session_open(const struct weir_backend *backend, bool is_direct,
                            struct weir_session **session, struct weir_error *error);
void weir_posix_session_close(struct weir_session *session);

/* From now on files are made and opened as `options` ask; or refuses these, with *error set. */
int weir_posix_session_stripe(struct weir_session *session,
                              const struct weir_striping_options *options,
                              struct weir_error *error);

/* pread(2) and pwrite(2). */
extern const struct weir_transfer_ops weir_posix_transfer_ops;

/* Creates with mode 0664 and without O_TRUNC, as IOR does. Where the session is direct and the file
 * system cannot be, open and alignment return -EOPNOTSUPP. */
extern const struct weir_file_ops weir_posix_file_ops;
extern const struct weir_name_ops weir_posix_name_ops;

#endif
