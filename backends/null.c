/* SPDX-License-Identifier: Apache-2.0 */
/* The backend that moves nothing: what remains is the cost of the program itself, and any delay
 * that was asked for. */
#include "weir/io/backend.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

extern const struct weir_backend weir_backend_null;

struct null_options {
    uint64_t create_ns;
    uint64_t close_ns;
    uint64_t sync_ns;
    uint64_t transfer_ns;
    int64_t only_rank_0;
};

struct null_session {
    struct weir_session base;
    struct null_options delays;
};

struct null_file {
    struct weir_file base;
    uint64_t bytes; /* end of the furthest write */
};

static const struct weir_option null_rows[] = {
    {.name = "dummy.delay-create",
     .type = WEIR_OPTION_MICROSECONDS,
     .offset = offsetof(struct null_options, create_ns),
     .help = "delay per create in microseconds",
     .since = "4.0"},
    {.name = "dummy.delay-close",
     .type = WEIR_OPTION_MICROSECONDS,
     .offset = offsetof(struct null_options, close_ns),
     .help = "delay per close in microseconds",
     .since = "4.0"},
    {.name = "dummy.delay-sync",
     .type = WEIR_OPTION_MICROSECONDS,
     .offset = offsetof(struct null_options, sync_ns),
     .help = "delay per sync in microseconds",
     .since = "4.0"},
    {.name = "dummy.delay-xfer",
     .type = WEIR_OPTION_MICROSECONDS,
     .offset = offsetof(struct null_options, transfer_ns),
     .help = "delay per transfer in microseconds",
     .since = "4.0"},
    {.name = "dummy.delay-only-rank0",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct null_options, only_rank_0),
     .help = "delay only on rank 0",
     .since = "4.0"},
    {0},
};

static const struct null_options *delays_of(const struct weir_session *session)
{
    return &((const struct null_session *)session)->delays;
}

static void delay(uint64_t ns)
{
    struct timespec rest = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    /* The pause is all there is to do here; a backend that moves data leaves EINTR to the engine.
     */
    while (ns != 0 && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
}

static int null_session_open(const struct weir_session_params *params,
                             struct weir_session **session, struct weir_error *error)
{
    const struct null_options *options = params->options;
    struct null_session *opened = calloc(1, sizeof *opened);

    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "null", "out of memory");
    opened->base = (struct weir_session){.backend = &weir_backend_null, .depth = 1};
    if (!options->only_rank_0 || params->group->rank == 0)
        opened->delays = *options;
    *session = &opened->base;
    return 0;
}

static void null_session_close(struct weir_session *session)
{
    free(session);
}

static int null_open(struct weir_session *session, const struct weir_file_params *params,
                     struct weir_file **file)
{
    struct null_file *opened = calloc(1, sizeof *opened);

    if (!opened)
        return -ENOMEM;
    opened->base.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    if (params->must_create)
        delay(delays_of(session)->create_ns);
    *file = &opened->base;
    return 0;
}

static int null_close(struct weir_session *session, struct weir_file *file)
{
    delay(delays_of(session)->close_ns);
    free(file);
    return 0;
}

static int null_sync(struct weir_session *session, struct weir_file *file)
{
    (void)file;
    delay(delays_of(session)->sync_ns);
    return 0;
}

static int64_t null_size(struct weir_session *session, struct weir_file *file)
{
    (void)session;
    return (int64_t)((struct null_file *)file)->bytes;
}

static __attribute__((noinline)) int64_t delayed_transfer(const struct weir_session *session,
                                                          const struct weir_op *op)
{
    delay(delays_of(session)->transfer_ns);
    return (int64_t)op->size;
}

static int64_t null_transfer(struct weir_session *session, struct weir_op *op)
{
    struct null_file *file = (struct null_file *)op->file;
    uint64_t end = op->offset + op->size;

    if (op->verb == WEIR_OP_WRITE && end > file->bytes)
        file->bytes = end;
    /* This is the floor that other backends are compared with: next to nothing, where nothing was
     * asked for. */
    if (__builtin_expect(delays_of(session)->transfer_ns != 0, 0))
        return delayed_transfer(session, op);
    return (int64_t)op->size;
}

static const struct weir_transfer_ops null_transfer_ops = {
    .transfer = null_transfer,
};

static const struct weir_file_ops null_file_ops = {
    .open = null_open,
    .close = null_close,
    .sync = null_sync,
    .size = null_size,
};

const struct weir_backend weir_backend_null = {
    .descriptor = {.name = "null",
                   .label = "DUMMY",
                   .alias = "dummy",
                   .version = "0.5",
                   .summary = "moves nothing: the cost of the program itself",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_COLLECT,
                   .options = {"DUMMY", null_rows, sizeof(struct null_options)}},
    .open = null_session_open,
    .close = null_session_close,
    .transfer = &null_transfer_ops,
    .file = &null_file_ops,
};
