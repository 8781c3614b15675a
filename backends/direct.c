/* SPDX-License-Identifier: Apache-2.0 */
/* Blocking transfers past the page cache, always. */
#include "posix_files.h"

extern const struct weir_backend weir_backend_direct;

static int direct_session_open(const struct weir_session_params *params,
                               struct weir_session **session, struct weir_error *error)
{
    (void)params;
    return weir_posix_session_open(&weir_backend_direct, true, session, error);
}

const struct weir_backend weir_backend_direct = {
    .descriptor = {.name = "direct",
                   .label = "DIRECT",
                   .version = "",
                   .summary = "pread and pwrite with O_DIRECT, past the page cache",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME |
                                WEIR_BYPASSES_CACHE | WEIR_TAKES_DEVICES,
                   .options = {.name = "DIRECT"}},
    .open = direct_session_open,
    .close = weir_posix_session_close,
    .transfer = &weir_posix_transfer_ops,
    .file = &weir_posix_file_ops,
    .names = &weir_posix_name_ops,
};
