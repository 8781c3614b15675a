/* SPDX-License-Identifier: Apache-2.0 */
/* Files mapped into memory: a transfer is a copy, and the kernel moves pages when it likes. */
#include "bus_guard.h"
#include "posix_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK_BYTES = 512 };

extern const struct weir_backend weir_backend_mmap;

struct mmap_options {
    int64_t must_drop;
    int64_t must_drop_as_well; /* the same by another name */
    int64_t must_tell_pattern;
    int advice; /* a word of `advices`, -1: none */
};

static const int advices[] = {MADV_NORMAL, MADV_RANDOM, MADV_SEQUENTIAL, MADV_DONTNEED,
                              MADV_WILLNEED};

struct mmap_session {
    struct weir_posix_session posix;
    bool must_drop;
    bool must_tell_pattern;
    int advice; /* for all files, or MADV_NORMAL */
};

struct mmap_file {
    struct weir_posix_file posix;
    struct weir_session *session;
    unsigned char *bytes; /* NULL as long as nothing is mapped */
    uint64_t mapped_bytes;
    uint64_t file_bytes; /* when it was last asked for; never more than what is mapped */
    bool can_write;
    bool can_grow;
    bool can_reserve; /* the file system gives blocks before they are written */
    int pattern;      /* advice for all that is mapped, or MADV_NORMAL */
};

#define AT(member) WEIR_OPTION_AT(struct mmap_options, member)

static const struct weir_option mmap_rows[] = {
    {0, "mmap.madv_dont_need", WEIR_OPTION_FLAG, AT(must_drop),
     .help = "after opening and before closing, drop the file's pages from the process "
             "(MADV_DONTNEED) and those that are clean and nobody else maps from the page cache "
             "(POSIX_FADV_DONTNEED); after a sync, what was written is clean",
     .since = "4.0",
     .better = "the advice to the mapping alone would leave every page in the page cache"},
    {0, "mmap.madvise_dont_need", WEIR_OPTION_FLAG, AT(must_drop_as_well),
     .help = "another spelling of --mmap.madv_dont_need"},
    {0, "mmap.madv_pattern", WEIR_OPTION_FLAG, AT(must_tell_pattern),
     .help = "tell the kernel the order of transfers: MADV_RANDOM for a random one, else "
             "MADV_SEQUENTIAL",
     .since = "4.0"},
    {0, "mmap.advice", WEIR_OPTION_CHOICE, AT(advice),
     .choices = "normal|random|sequential|dontneed|willneed",
     .help = "advice on the whole mapping (madvise): dontneed and willneed once, when the file is "
             "open, the others also on what it grows by"},
    {0},
};

static struct mmap_file *mmap_file_of(struct weir_file *file)
{
    return (struct mmap_file *)file;
}

static const struct mmap_session *mmap_session_of(const struct weir_session *session)
{
    return (const struct mmap_session *)session;
}

/* ---- session ---- */

static int mmap_session_open(const struct weir_session_params *params,
                             struct weir_session **session, struct weir_error *error)
{
    const struct mmap_options *options = params->options;
    struct mmap_session *opened;
    int rc;

    if (options->advice >= 0 && options->must_tell_pattern)
        return weir_error_usage(error, "mmap",
                                "--mmap.advice: --mmap.madv_pattern gives advice as well; leave "
                                "one of the two out");
    opened = calloc(1, sizeof *opened);
    rc = opened ? weir_bus_guard_open() : -ENOMEM;
    if (rc < 0) {
        free(opened);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "mmap", "%s", strerror(-rc));
    }
    weir_posix_session_init(&opened->posix, &weir_backend_mmap, false, 1);
    opened->must_drop = options->must_drop || options->must_drop_as_well;
    opened->must_tell_pattern = options->must_tell_pattern != 0;
    opened->advice = options->advice >= 0 ? advices[options->advice] : MADV_NORMAL;
    *session = &opened->posix.base;
    return 0;
}

static void mmap_session_close(struct weir_session *session)
{
    weir_bus_guard_close();
    free(session);
}

/* ---- the mapping ---- */

/* What is mapped may reach beyond the end of the file, so that a file that grows is seldom mapped
 * anew; the part beyond the end must not be touched. */
static int map(struct mmap_file *file, uint64_t bytes)
{
    int protection = file->can_write ? PROT_READ | PROT_WRITE : PROT_READ;
    void *mapped;

    if (file->bytes)
        mapped = mremap(file->bytes, file->mapped_bytes, bytes, MREMAP_MAYMOVE);
    else
        mapped = mmap(NULL, bytes, protection, MAP_SHARED, file->posix.fd, 0);
    if (mapped == MAP_FAILED)
        return -errno;
    file->bytes = mapped;
    file->mapped_bytes = bytes;
    return madvise(mapped, bytes, file->pattern) == 0 ? 0 : -errno;
}

/* A file that has grown is mapped with as much again behind it, where the address space allows,
 * because it may grow further. */
static int follow_growth(struct mmap_file *file, uint64_t bytes)
{
    int rc = file->bytes ? map(file, 2 * bytes) : -ENOMEM;

    return rc == -ENOMEM ? map(file, bytes) : rc;
}

/* Asks how long the file is now, and maps it if it has outgrown what is mapped. */
static int update_size(struct mmap_file *file)
{
    int64_t now = weir_posix_file_ops.size(file->session, &file->posix.base);
    int rc = 0;

    if (now < 0)
        return (int)now;
    if ((uint64_t)now > file->mapped_bytes)
        rc = follow_growth(file, (uint64_t)now);
    if (rc == 0)
        file->file_bytes = (uint64_t)now;
    return rc;
}

/* Of the mapping and of the page cache: the latter drops only what no mapping holds. */
static int drop_pages(const struct mmap_file *file)
{
    if (file->bytes && madvise(file->bytes, file->mapped_bytes, MADV_DONTNEED) != 0)
        return -errno;
    return -posix_fadvise(file->posix.fd, 0, 0, POSIX_FADV_DONTNEED);
}

/* ---- files ---- */

static bool is_unable(int failure)
{
    return failure == EOPNOTSUPP || failure == ENOSYS;
}

/* Makes the file as long as it will be, with blocks for all of it where the file system can: a disk
 * that is full says so here, and not in the middle of a copy. All ranks of a shared file come here
 * with the same size, so that none of them cuts what another has grown. */
static int grow_to(struct mmap_file *file, uint64_t bytes, const struct stat *before)
{
    bool is_long_enough = (uint64_t)before->st_size >= bytes;
    int rc;

    if (is_long_enough && (uint64_t)before->st_blocks * BLOCK_BYTES >= bytes)
        return 0;
    do
        rc = fallocate(file->posix.fd, 0, 0, (off_t)bytes) == 0 ? 0 : -errno;
    while (rc == -EINTR);
    if (rc == 0 || !is_unable(-rc))
        return rc;
    file->can_reserve = false;
    return is_long_enough || ftruncate(file->posix.fd, (off_t)bytes) == 0 ? 0 : -errno;
}

static int open_fd(const struct weir_file_params *params, bool *is_made)
{
    /* O_NONBLOCK: a FIFO that replaced the file would be waited for. */
    int flags = (params->can_write ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_CLOEXEC;
    bool is_new = params->claim == WEIR_CLAIM_NEW;
    int fd = -1;

    assert(params->can_write || params->can_read);
    *is_made = false;
    if (params->claim != WEIR_CLAIM_ANY || (params->is_item && params->can_write))
        flags |= O_NOFOLLOW;
    if (params->must_create) {
        flags |= O_CREAT;
        fd = open(params->path, flags | O_EXCL, weir_posix_file_mode(params));
        *is_made = fd >= 0;
    }
    if (fd < 0 && !is_new && (!params->must_create || errno == EEXIST))
        fd = open(params->path, params->claim == WEIR_CLAIM_ITEM ? flags & ~O_CREAT : flags,
                  weir_posix_file_mode(params));
    return fd < 0 ? -errno : fd;
}

/* Cuts the file back to its former length, without the reserved blocks. Where ranks share the
 * file, another rank may have cut it back further already. */
static int undo(const struct mmap_file *file, const struct weir_file_params *params, bool is_made,
                const struct stat *before)
{
    struct stat now;

    if (is_made) {
        weir_posix_unlink_same(params->path, file->posix.fd);
        return 0;
    }
    if (!params->can_write || !file->can_grow || params->expected_bytes == 0)
        return 0;
    if (fstat(file->posix.fd, &now) != 0 || now.st_size < before->st_size)
        return 0;
    return ftruncate(file->posix.fd, before->st_size);
}

static int check_kind(mode_t mode)
{
    if (S_ISDIR(mode))
        return -EISDIR;
    return S_ISREG(mode) || S_ISBLK(mode) ? 0 : -ENODEV;
}

/* These act at once, and would act on all of a file again each time that it grows. */
static bool is_of_once(int advice)
{
    return advice == MADV_DONTNEED || advice == MADV_WILLNEED;
}

static int advise_once(const struct mmap_session *session, const struct mmap_file *file)
{
    if (!file->bytes || !is_of_once(session->advice))
        return 0;
    return madvise(file->bytes, file->mapped_bytes, session->advice) == 0 ? 0 : -errno;
}

static int set_up(const struct mmap_session *session, const struct weir_file_params *params,
                  bool is_made, struct mmap_file *file)
{
    struct stat before;
    int rc;

    rc = weir_posix_judge(file->posix.fd, params, &file->posix.base.id);
    if (rc < 0)
        return rc;
    if (fstat(file->posix.fd, &before) != 0)
        return -errno;
    rc = check_kind(before.st_mode);
    if (rc < 0)
        return rc;
    file->can_grow = S_ISREG(before.st_mode);
    if (params->can_write && file->can_grow && params->expected_bytes > 0)
        rc = grow_to(file, params->expected_bytes, &before);
    if (rc == 0)
        rc = update_size(file);
    if (rc == 0 && session->must_drop)
        rc = drop_pages(file);
    if (rc == 0)
        rc = advise_once(session, file);
    if (rc < 0) {
        if (file->bytes)
            munmap(file->bytes, file->mapped_bytes);
        undo(file, params, is_made, &before);
    }
    return rc;
}

static int mmap_open(struct weir_session *session, const struct weir_file_params *params,
                     struct weir_file **file)
{
    const struct mmap_session *mmap_session = mmap_session_of(session);
    struct mmap_file *opened = calloc(1, sizeof *opened);
    struct weir_file_params found = *params;
    bool is_made;
    int rc;

    if (!opened)
        return -ENOMEM;
    opened->posix.base.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    opened->session = session;
    opened->can_write = params->can_write;
    opened->can_reserve = true;
    opened->pattern = is_of_once(mmap_session->advice) ? MADV_NORMAL : mmap_session->advice;
    if (mmap_session->must_tell_pattern)
        opened->pattern = params->is_random ? MADV_RANDOM : MADV_SEQUENTIAL;
    rc = open_fd(params, &is_made);
    if (rc < 0)
        goto free_file;
    opened->posix.fd = rc;
    found.must_create = is_made;
    rc = set_up(mmap_session, &found, is_made, opened);
    if (rc < 0)
        goto close_fd;
    *file = &opened->posix.base;
    return 0;

close_fd:
    close(opened->posix.fd);
free_file:
    free(opened);
    return rc;
}

static int mmap_close(struct weir_session *session, struct weir_file *file)
{
    struct mmap_file *mapped = mmap_file_of(file);
    int rc = mmap_session_of(session)->must_drop ? drop_pages(mapped) : 0;
    int close_rc;

    if (mapped->bytes && munmap(mapped->bytes, mapped->mapped_bytes) != 0 && rc == 0)
        rc = -errno;
    close_rc = weir_posix_file_ops.close(session, file);
    return rc < 0 ? rc : close_rc;
}

static int mmap_sync(struct weir_session *session, struct weir_file *file)
{
    const struct mmap_file *mapped = mmap_file_of(file);

    if (mapped->bytes && msync(mapped->bytes, mapped->mapped_bytes, MS_SYNC) != 0)
        return -errno;
    return weir_posix_file_ops.sync(session, file);
}

/* ---- transfers ---- */

/* SIGBUS has no errno; a transfer of one byte at the same place has. It may even succeed where
 * the copy failed, because the kernel frees blocks when it writes other pages back. */
static int explain_fault(struct mmap_file *file, const struct weir_op *op, const void *missed)
{
    const unsigned char *begin = file->bytes + op->offset;
    const unsigned char *place = missed;
    uint64_t index = place > begin ? (uint64_t)(place - begin) : 0;
    unsigned char *byte = (unsigned char *)op->data + index;
    off_t offset = (off_t)(op->offset + index);

    if (update_size(file) < 0 || (uint64_t)offset >= file->file_bytes)
        return -EIO;
    if (op->verb == WEIR_OP_WRITE)
        return pwrite(file->posix.fd, byte, 1, offset) < 0 ? -errno : -ENOSPC;
    return pread(file->posix.fd, byte, 1, offset) < 0 ? -errno : -EIO;
}

/* Makes room for a write beyond the end. Where blocks cannot be had in advance, the last byte of
 * the write itself makes the file longer: that cannot cut what another rank has grown. */
static int grow_by(struct mmap_file *file, const struct weir_op *op)
{
    const unsigned char *data = op->data;
    off_t last = (off_t)(op->offset + op->size - 1);

    if (!file->can_grow)
        return -ENOSPC;
    if (file->can_reserve) {
        if (fallocate(file->posix.fd, 0, (off_t)op->offset, (off_t)op->size) == 0)
            return update_size(file);
        if (!is_unable(errno))
            return -errno;
        file->can_reserve = false;
    }
    if (pwrite(file->posix.fd, data + op->size - 1, 1, last) < 0)
        return -errno;
    return update_size(file);
}

static int64_t copy_in(struct mmap_file *file, const struct weir_op *op)
{
    const void *missed;

    if (!file->can_write)
        return -EBADF;
    if (op->offset + op->size > file->file_bytes) {
        int rc = grow_by(file, op);

        if (rc < 0)
            return rc;
    }
    missed =
        weir_bus_guard_copy(file->bytes + op->offset, op->data, op->size, file->bytes + op->offset);
    return missed ? explain_fault(file, op, missed) : (int64_t)op->size;
}

static int64_t copy_out(struct mmap_file *file, const struct weir_op *op)
{
    uint64_t bytes = op->size;
    const void *missed;

    if (op->offset + bytes > file->file_bytes) {
        int rc = update_size(file);

        if (rc < 0)
            return rc;
        if (op->offset >= file->file_bytes)
            return 0;
        if (op->offset + bytes > file->file_bytes)
            bytes = file->file_bytes - op->offset;
    }
    missed =
        weir_bus_guard_copy(op->data, file->bytes + op->offset, bytes, file->bytes + op->offset);
    return missed ? explain_fault(file, op, missed) : (int64_t)bytes;
}

static int64_t mmap_transfer(struct weir_session *session, struct weir_op *op)
{
    struct mmap_file *file = mmap_file_of(op->file);

    (void)session;
    return op->verb == WEIR_OP_WRITE ? copy_in(file, op) : copy_out(file, op);
}

static const struct weir_transfer_ops mmap_transfer_ops = {
    .transfer = mmap_transfer,
};

static int64_t mmap_size(struct weir_session *session, struct weir_file *file)
{
    return weir_posix_file_ops.size(session, file);
}

static const struct weir_file_ops mmap_file_ops = {
    .open = mmap_open,
    .close = mmap_close,
    .sync = mmap_sync,
    .size = mmap_size,
    .next_data = weir_posix_next_data,
};

const struct weir_backend weir_backend_mmap = {
    .descriptor = {.name = "mmap",
                   .label = "MMAP",
                   .version = "",
                   .summary = "copies from and to files mapped into memory",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .options = {"MMAP", mmap_rows, sizeof(struct mmap_options)}},
    .open = mmap_session_open,
    .close = mmap_session_close,
    .transfer = &mmap_transfer_ops,
    .file = &mmap_file_ops,
    .names = &weir_posix_name_ops,
};
