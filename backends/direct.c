/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking transfers past the page cache, always. */
#include "posix_files.h"

#include <errno.h>
#include <string.h>

extern const struct weir_backend weir_backend_direct;

static int direct_session_open(const struct weir_session_params *params,
                               struct weir_session **session, struct weir_error *error)
{
    (void)params;
    return weir_posix_session_open(&weir_backend_direct, true, session, error);
}

/* ---- what the file system of a path demands ---- */

static void direct_diagnose(struct weir_diagnosis *diagnosis, const char *path)
{
    struct weir_posix_session session;
    struct weir_alignment found;
    int rc;

    if (!path)
        return;
    weir_posix_session_init(&session, &weir_backend_direct, true, 1);
    rc = weir_posix_name_ops.alignment(&session.base, path, &found);
    if (rc == 0)
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "O_DIRECT", NULL,
                           "offsets and sizes in multiples of %u bytes, memory of %u", found.offset,
                           found.memory);
    else if (rc == -EOPNOTSUPP || rc == -EINVAL)
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "O_DIRECT",
                           "take a target on a file system that has it: ext4, XFS, NFS, Lustre",
                           "the file system takes no direct I/O%s",
                           rc == -EINVAL ? ", though files can be opened for it" : "");
    else
        weir_diagnosis_add(diagnosis, WEIR_LIMITED, "O_DIRECT",
                           "name a directory that you may write to, or a file that you may read",
                           "the alignment was not tried: no file can be made there: %s",
                           strerror(-rc));
}

const struct weir_backend weir_backend_direct = {
    .descriptor = {.name = "direct",
                   .label = "DIRECT",
                   .version = "",
                   .summary = "pread and pwrite with O_DIRECT, past the page cache",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME |
                                WEIR_BYPASSES_CACHE | WEIR_TAKES_DEVICES,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .open_flags = WEIR_POSIX_OPEN_FLAGS,
                   .options = {.name = "DIRECT"}},
    .open = direct_session_open,
    .close = weir_posix_session_close,
    .diagnose = direct_diagnose,
    .transfer = &weir_posix_transfer_ops,
    .file = &weir_posix_file_ops,
    .names = &weir_posix_name_ops,
};
