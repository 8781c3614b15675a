/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking transfers through the page cache, or past it on request. */
#include "posix_files.h"
#include "striping.h"

struct posix_options {
    int64_t is_direct;
    int64_t must_lock;
    struct weir_striping_options striping;
};

extern const struct weir_backend weir_backend_posix;

#define AT(member) WEIR_OPTION_AT(struct posix_options, member)

static const struct weir_option posix_rows[] = {
    {0, "posix.odirect", WEIR_OPTION_FLAG, AT(is_direct),
     .help = "open files with O_DIRECT, past the page cache", .since = "3.3"},
    {0, "posix.rangelocks", WEIR_OPTION_FLAG, AT(must_lock),
     .help = "lock the range of each transfer with fcntl while it lasts, shared for reads and "
             "exclusive for writes; waiting counts as transfer time",
     .since = "4.0"},
    WEIR_STRIPING_ROWS(struct posix_options, striping),
    {0},
};

static int posix_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    const struct posix_options *options = params->options;
    int rc = weir_posix_session_open(&weir_backend_posix, options->is_direct != 0, session, error);

    if (rc < 0)
        return rc;
    ((struct weir_posix_session *)*session)->must_lock = options->must_lock != 0;
    rc = weir_posix_session_stripe(*session, &options->striping, error);
    if (rc < 0)
        weir_posix_session_close(*session);
    return rc;
}

const struct weir_backend weir_backend_posix = {
    .descriptor = {.name = "posix",
                   .label = "POSIX",
                   .version = "",
                   .summary = "pread and pwrite on files of the kernel's file systems",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_TAKES_DEVICES,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .options = {"POSIX", posix_rows, sizeof(struct posix_options)}},
    .open = posix_session_open,
    .close = weir_posix_session_close,
    .transfer = &weir_posix_transfer_ops,
    .file = &weir_posix_file_ops,
    .names = &weir_posix_name_ops,
};
