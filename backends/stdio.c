/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers through a stream of the C library, whose buffer is as large as one of them. */
#include "posix_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <unistd.h>

extern const struct weir_backend weir_backend_stdio;

enum { BUFFER_ALIGNMENT = 4096 };

struct stdio_file {
    struct weir_posix_file posix;
    FILE *stream;
    char *buffer;
    off_t position;             /* of the stream; -1: not known, seek first */
    enum weir_op_verb previous; /* a stream does not turn from one to the other without a seek */
};

static struct stdio_file *stdio_file_of(struct weir_file *file)
{
    return (struct stdio_file *)file;
}

static int stdio_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    (void)params;
    return weir_posix_session_open(&weir_backend_stdio, false, session, error);
}

/* ---- files ---- */

/* None of them makes, cuts or moves anything: the descriptor is open. */
static const char *stream_mode(const struct weir_file_params *params)
{
    if (!params->can_write)
        return "r";
    return params->is_exact && !params->can_read ? "w" : "r+";
}

/* The buffer of the stream is ours: the C library would take its own at the first transfer. */
static int open_stream(struct stdio_file *file, const struct weir_file_params *params)
{
    size_t bytes = params->transfer_bytes > 0 ? (size_t)params->transfer_bytes : BUFSIZ;
    size_t rounded = (bytes + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT * BUFFER_ALIGNMENT;

    file->position = -1;
    file->buffer = aligned_alloc(BUFFER_ALIGNMENT, rounded);
    if (!file->buffer)
        return -ENOMEM;
    errno = 0;
    file->stream = fdopen(file->posix.fd, stream_mode(params));
    if (file->stream && setvbuf(file->stream, file->buffer, _IOFBF, bytes) == 0)
        return 0;
    return errno != 0 ? -errno : -ENOMEM;
}

static int stdio_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    struct stdio_file *opened = calloc(1, sizeof *opened);
    struct weir_file *plain;
    int rc = opened ? weir_posix_file_ops.open(session, params, &plain) : -ENOMEM;

    if (rc < 0)
        goto free_file;
    opened->posix = *(struct weir_posix_file *)plain;
    weir_posix_file_free((struct weir_posix_session *)session, (struct weir_posix_file *)plain);
    rc = open_stream(opened, params);
    if (rc < 0)
        goto close_file;
    *file = &opened->posix.base;
    return 0;

close_file:
    if (params->claim == WEIR_CLAIM_NEW)
        weir_posix_unlink_same(params->path, opened->posix.fd);
    if (opened->stream)
        fclose(opened->stream);
    else
        close(opened->posix.fd);
    free(opened->buffer);
free_file:
    free(opened);
    return rc;
}

static int stdio_close(struct weir_session *session, struct weir_file *file)
{
    struct stdio_file *open = stdio_file_of(file);
    int rc = fclose(open->stream) == 0 ? 0 : -errno;

    (void)session;
    free(open->buffer);
    free(open);
    return rc;
}

/* What the stream cannot write is dropped with the error that tells of it: a second try at another
 * transfer, or at the close, would be told as theirs. */
static int fail(struct stdio_file *file)
{
    int code = errno != 0 ? -errno : -EIO;

    __fpurge(file->stream);
    clearerr(file->stream);
    file->position = -1;
    return code;
}

static int flush(struct stdio_file *file)
{
    errno = 0;
    return fflush(file->stream) == 0 ? 0 : fail(file);
}

static int stdio_sync(struct weir_session *session, struct weir_file *file)
{
    int rc = flush(stdio_file_of(file));

    return rc < 0 ? rc : weir_posix_file_ops.sync(session, file);
}

/* Looks at the descriptor, and leaves its position as the stream believes it to be. */
static int64_t stdio_size(struct weir_session *session, struct weir_file *file)
{
    int rc = flush(stdio_file_of(file));
    off_t position = lseek(weir_posix_fd(file), 0, SEEK_CUR);
    int64_t size = rc < 0 ? rc : weir_posix_file_ops.size(session, file);

    lseek(weir_posix_fd(file), position, SEEK_SET);
    return size;
}

static int64_t stdio_next_data(struct weir_session *session, struct weir_file *file,
                               uint64_t offset)
{
    int rc = flush(stdio_file_of(file));
    off_t position = lseek(weir_posix_fd(file), 0, SEEK_CUR);
    int64_t found = rc < 0 ? rc : weir_posix_next_data(session, file, offset);

    lseek(weir_posix_fd(file), position, SEEK_SET);
    return found;
}

/* ---- transfers ---- */

/* What a stream has read ahead is dropped: others may have written there since. */
static int seek(struct stdio_file *file, const struct weir_op *op)
{
    if (file->previous == WEIR_OP_READ)
        __fpurge(file->stream);
    if (fseeko(file->stream, (off_t)op->offset, SEEK_SET) != 0)
        return fail(file);
    file->position = (off_t)op->offset;
    file->previous = op->verb;
    return 0;
}

static int64_t stdio_transfer(struct weir_session *session, struct weir_op *op)
{
    struct stdio_file *file = stdio_file_of(op->file);
    size_t moved;
    int rc;

    (void)session;
    errno = 0;
    if (file->position != (off_t)op->offset || file->previous != op->verb) {
        rc = seek(file, op);
        if (rc < 0)
            return rc;
    }
    if (op->verb == WEIR_OP_WRITE)
        moved = fwrite(op->data, 1, op->size, file->stream);
    else
        moved = fread(op->data, 1, op->size, file->stream);
    file->position += (off_t)moved;
    if (moved == op->size)
        return (int64_t)moved;
    if (ferror(file->stream)) {
        rc = fail(file);
        return moved > 0 ? (int64_t)moved : rc;
    }
    /* The end of the file, which may be further on next time. */
    file->position = -1;
    return (int64_t)moved;
}

static const struct weir_transfer_ops stdio_transfer_ops = {
    .transfer = stdio_transfer,
};

static const struct weir_file_ops stdio_file_ops = {
    .open = stdio_open,
    .close = stdio_close,
    .sync = stdio_sync,
    .size = stdio_size,
    .next_data = stdio_next_data,
};

const struct weir_backend weir_backend_stdio = {
    .descriptor = {.name = "stdio",
                   .label = "STDIO",
                   .version = "",
                   .summary = "fread and fwrite with a buffer of one transfer",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_TAKES_DEVICES,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .open_flags = WEIR_POSIX_OPEN_FLAGS & ~WEIR_OPEN_DIRECT,
                   .options = {.name = "STDIO"}},
    .open = stdio_session_open,
    .close = weir_posix_session_close,
    .transfer = &stdio_transfer_ops,
    .file = &stdio_file_ops,
    .names = &weir_posix_name_ops,
};
