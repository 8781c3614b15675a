/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking transfers through the page cache, or past it on request. */
#include "posix_files.h"
#include "striping.h"

#include <errno.h>

struct posix_options {
    int64_t is_direct;
    int64_t must_lock;
    int64_t must_lock_file;
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
    {0, "posix.filelock", WEIR_OPTION_FLAG, AT(must_lock_file),
     .help = "lock each file whole with fcntl while it is open, shared if it is only read and "
             "exclusive if it is written; waiting counts as time of the open"},
    WEIR_STRIPING_ROWS(struct posix_options, striping),
    {0},
};

static int posix_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    const struct posix_options *options = params->options;
    struct weir_posix_session *posix;
    int rc;

    if (options->must_lock && options->must_lock_file)
        return weir_error_usage(error, "posix",
                                "--posix.filelock: the file is locked whole, and a range of it "
                                "would wait for that for ever: leave --posix.rangelocks out");
    rc = weir_posix_session_open(&weir_backend_posix, options->is_direct != 0, session, error);
    if (rc < 0)
        return rc;
    posix = (struct weir_posix_session *)*session;
    posix->must_lock = options->must_lock != 0;
    posix->must_lock_file = options->must_lock_file != 0;
    posix->stop_signal = params->stop_signal;
    rc = weir_posix_session_stripe(*session, &options->striping, error);
    if (rc < 0)
        weir_posix_session_close(*session);
    return rc;
}

static void posix_explain(struct weir_session *session, struct weir_text *text)
{
    int failure = ((const struct weir_posix_session *)session)->lock_failure;

    if (failure == -EDEADLK)
        weir_text_add(text, "--posix.filelock: ranks that write one shared file would lock each "
                            "other out: give each a file of its own");
    else if (failure != 0 && failure != -EINTR)
        weir_text_add(text, "--posix.filelock: the file could not be locked: leave it out, or take "
                            "a file system with locks");
}

const struct weir_backend weir_backend_posix = {
    .descriptor = {.name = "posix",
                   .label = "POSIX",
                   .version = "",
                   .summary = "pread and pwrite on files of the kernel's file systems",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_TAKES_DEVICES,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .open_flags = WEIR_POSIX_OPEN_FLAGS,
                   .options = {"POSIX", posix_rows, sizeof(struct posix_options)}},
    .open = posix_session_open,
    .close = weir_posix_session_close,
    .explain = posix_explain,
    .transfer = &weir_posix_transfer_ops,
    .file = &weir_posix_file_ops,
    .names = &weir_posix_name_ops,
};
