/* SPDX-License-Identifier: Apache-2.0 */
/* A backend for tests that does everything late and in reverse order, and is soon full: files are
 * those of posix. */
#include "bench.h"

#include "posix_files.h"

#include <errno.h>
#include <stdlib.h>

struct later_session {
    struct weir_posix_session posix;
    unsigned poll_count;
    unsigned waiting_count;
    struct weir_op *waiting[]; /* half of the depth: more is refused until something was reaped */
};

static struct later_session *later_of(struct weir_session *session)
{
    return (struct later_session *)session;
}

static unsigned capacity_of(const struct weir_session *session)
{
    return (session->depth + 1) / 2;
}

static int later_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    struct later_session *opened =
        calloc(1, sizeof *opened + params->depth * sizeof(struct weir_op *));

    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "later", "out of memory");
    opened->posix.base = (struct weir_session){.backend = &later_backend, .depth = params->depth};
    *session = &opened->posix.base;
    return 0;
}

static int later_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct later_session *later = later_of(session);
    unsigned taken = 0;

    while (taken < count && later->waiting_count < capacity_of(session))
        later->waiting[later->waiting_count++] = ops[taken++];
    return (int)taken;
}

static void work(struct weir_session *session, struct weir_op *op)
{
    op->result = op->verb == WEIR_OP_SYNC ? session->backend->file->sync(session, op->file)
                                          : weir_posix_transfer_ops.transfer(session, op);
}

/* Without timeout, or if nobody waits, it has something every third time. */
static int later_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                      unsigned max, uint64_t timeout_ns)
{
    struct later_session *later = later_of(session);
    unsigned count = 0;

    if (min == 0 || timeout_ns == 0)
        min = ++later->poll_count % 3 == 0 && max > 0 && later->waiting_count > 0;
    while (count < min) {
        struct weir_op *op = later->waiting[--later->waiting_count];

        work(session, op);
        done[count++] = op;
    }
    return (int)count;
}

static const struct weir_transfer_ops later_transfer_ops = {
    .submit = later_submit,
    .reap = later_reap,
};

const struct weir_backend later_backend = {
    .descriptor = {.name = "later",
                   .label = "LATER",
                   .version = "",
                   .summary = "posix, but late and in reverse order",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_CAN_QUEUE,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .open_flags = WEIR_POSIX_OPEN_FLAGS,
                   .options = {.name = "LATER"}},
    .open = later_session_open,
    .close = weir_posix_session_close,
    .transfer = &later_transfer_ops,
    .file = &weir_posix_file_ops,
    .names = &weir_posix_name_ops,
};
