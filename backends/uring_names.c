/* SPDX-License-Identifier: Apache-2.0 */
/* One row a verb: what the kernel calls it, how it is asked for. Files come from a store that was
 * made before anything was timed. */
#include "uring_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { FILES_MAX = 16384 };

static const struct weir_alignment anything = {.memory = 1, .offset = 1};

/* IORING_OP_SETXATTR follows symbolic links, so that it would change other files: it is left out.
 */
static const struct {
    enum weir_op_verb verb;
    enum io_uring_op kernel_verb;
} verbs[] = {
    {WEIR_OP_OPEN, IORING_OP_OPENAT},       {WEIR_OP_CLOSE, IORING_OP_CLOSE},
    {WEIR_OP_STAT, IORING_OP_STATX},        {WEIR_OP_MKDIR, IORING_OP_MKDIRAT},
    {WEIR_OP_UNLINK, IORING_OP_UNLINKAT},   {WEIR_OP_RMDIR, IORING_OP_UNLINKAT},
    {WEIR_OP_RENAME, IORING_OP_RENAMEAT},   {WEIR_OP_LINK, IORING_OP_LINKAT},
    {WEIR_OP_SYMLINK, IORING_OP_SYMLINKAT}, {WEIR_OP_GETXATTR, IORING_OP_GETXATTR},
};

/* A ring whose completions are polled for takes transfers alone. */
static void ask_verbs(struct weir_uring_names *names, const struct weir_uring_ring *ring)
{
    struct io_uring_probe *probe;

    if (ring->request.is_polled)
        return;
    probe = io_uring_get_probe_ring((struct io_uring *)&ring->ring);
    if (!probe)
        return;
    for (unsigned i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (io_uring_opcode_supported(probe, verbs[i].kernel_verb))
            names->queued |= 1U << verbs[i].verb;
    io_uring_free_probe(probe);
}

static unsigned count_files(void)
{
    struct rlimit limit = {.rlim_cur = FILES_MAX};

    getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < FILES_MAX ? (unsigned)limit.rlim_cur : FILES_MAX;
}

int weir_uring_names_init(struct weir_uring_names *names, const struct weir_uring_ring *ring,
                          unsigned depth)
{
    *names = (struct weir_uring_names){.file_count = count_files()};
    names->found = calloc(depth, sizeof *names->found);
    names->opening = calloc(depth, sizeof(struct weir_posix_file *));
    names->files = calloc(names->file_count, sizeof *names->files);
    names->idle = calloc(names->file_count, sizeof(struct weir_posix_file *));
    if (!names->found || !names->opening || !names->files || !names->idle) {
        weir_uring_names_fini(names);
        return -ENOMEM;
    }
    ask_verbs(names, ring);
    return 0;
}

void weir_uring_names_fini(struct weir_uring_names *names)
{
    free(names->found);
    free(names->opening);
    free(names->files);
    free(names->idle);
}

/* ---- files ---- */

static struct weir_posix_file *take_file(struct weir_uring_names *names)
{
    if (names->idle_count > 0)
        return names->idle[--names->idle_count];
    return names->used_count < names->file_count ? &names->files[names->used_count++] : NULL;
}

static void give_file(struct weir_uring_names *names, struct weir_posix_file *file)
{
    names->idle[names->idle_count++] = file;
}

bool weir_uring_names_own(const struct weir_uring_names *names, const struct weir_file *file)
{
    uintptr_t from = (uintptr_t)file - (uintptr_t)names->files;

    return from < names->file_count * sizeof *names->files;
}

void weir_uring_names_forget(struct weir_uring_names *names, struct weir_posix_session *posix,
                             struct weir_file *file)
{
    struct weir_posix_file *closed = (struct weir_posix_file *)file;

    if (weir_uring_names_own(names, file))
        give_file(names, closed);
    else
        weir_posix_file_free(posix, closed);
}

/* ---- one operation ---- */

static int prepare_open(struct weir_uring_names *names, const struct weir_posix_session *posix,
                        const struct weir_op *op, struct io_uring_sqe *sqe)
{
    struct weir_posix_file *file;

    file = take_file(names);
    if (!file)
        return -EMFILE;
    names->opening[op->slot] = file;
    io_uring_prep_openat(sqe, AT_FDCWD, op->request->path,
                         weir_posix_open_flags(posix, op->request->params),
                         weir_posix_file_mode(op->request->params));
    return 0;
}

int weir_uring_names_prepare(struct weir_uring_names *names, const struct weir_posix_session *posix,
                             const struct weir_op *op, struct io_uring_sqe *sqe)
{
    const struct weir_name_request *request = op->request;

    if (!(names->queued & 1U << op->verb))
        return -EOPNOTSUPP;
    switch (op->verb) {
    case WEIR_OP_OPEN:
        return prepare_open(names, posix, op, sqe);
    case WEIR_OP_CLOSE:
        io_uring_prep_close(sqe, weir_posix_fd(op->file));
        return 0;
    case WEIR_OP_STAT:
        io_uring_prep_statx(sqe, AT_FDCWD, request->path, AT_SYMLINK_NOFOLLOW,
                            STATX_TYPE | STATX_SIZE, &names->found[op->slot].facts);
        return 0;
    case WEIR_OP_MKDIR:
        io_uring_prep_mkdirat(sqe, AT_FDCWD, request->path,
                              weir_posix_directory_mode(&posix->base));
        return 0;
    case WEIR_OP_UNLINK:
        io_uring_prep_unlinkat(sqe, AT_FDCWD, request->path, 0);
        return 0;
    case WEIR_OP_RMDIR:
        io_uring_prep_unlinkat(sqe, AT_FDCWD, request->path, AT_REMOVEDIR);
        return 0;
    case WEIR_OP_RENAME:
        io_uring_prep_renameat(sqe, AT_FDCWD, request->path, AT_FDCWD, request->new_path, 0);
        return 0;
    case WEIR_OP_LINK:
        io_uring_prep_linkat(sqe, AT_FDCWD, request->path, AT_FDCWD, request->new_path, 0);
        return 0;
    case WEIR_OP_SYMLINK:
        io_uring_prep_symlinkat(sqe, request->path, AT_FDCWD, request->new_path);
        return 0;
    case WEIR_OP_GETXATTR:
        io_uring_prep_getxattr(sqe, WEIR_XATTR_NAME, names->found[op->slot].attribute,
                               request->path, WEIR_XATTR_BYTES);
        return 0;
    default:
        return -EOPNOTSUPP;
    }
}

static int finish_open(struct weir_uring_names *names, struct weir_posix_session *posix,
                       struct weir_op *op, int fd)
{
    const struct weir_file_params *params = op->request->params;
    struct weir_posix_file *file = names->opening[op->slot];
    struct weir_file_id id = {0};
    int rc = 0;

    /* Seldom: an earlier run has left it, or another program. */
    if (fd == -EEXIST && params->claim == WEIR_CLAIM_ITEM) {
        posix->base.found_items++;
        fd = weir_posix_open_found(posix, params);
    }
    /* Only what was there before can be another file: the other claims were the kernel's to see. */
    if (fd >= 0 && params->claim == WEIR_CLAIM_OWN)
        rc = weir_posix_judge(fd, params, &id);
    if (rc < 0)
        close(fd);
    if (fd < 0 || rc < 0) {
        give_file(names, file);
        if (rc < 0)
            return rc;
        return posix->is_direct && fd == -EINVAL ? -EOPNOTSUPP : fd;
    }
    *file = (struct weir_posix_file){
        .base = {.alignment = posix->is_direct ? posix->alignment : anything, .id = id},
        .fd = fd,
    };
    op->file = &file->base;
    return 0;
}

static int finish_stat(const struct weir_uring_names *names, const struct weir_op *op)
{
    const struct statx *found = &names->found[op->slot].facts;

    *op->request->facts = (struct weir_name_facts){
        .kind = S_ISLNK(found->stx_mode) ? WEIR_NAME_LINK : weir_posix_kind(found->stx_mode),
        .bytes = S_ISLNK(found->stx_mode) ? 0 : found->stx_size,
    };
    return 0;
}

void weir_uring_names_finish(struct weir_uring_names *names, struct weir_posix_session *posix,
                             struct weir_op *op, int result)
{
    if (op->verb == WEIR_OP_OPEN)
        result = finish_open(names, posix, op, result);
    else if (op->verb == WEIR_OP_STAT && result == 0)
        result = finish_stat(names, op);
    else if (op->verb == WEIR_OP_GETXATTR && result >= 0)
        result = weir_posix_judge_xattr(result);
    else if (op->verb == WEIR_OP_CLOSE)
        weir_uring_names_forget(names, posix, op->file);
    op->result = result;
}
