/* SPDX-License-Identifier: Apache-2.0 */
/* Files opened with open(2), and moved with pread(2) and pwrite(2). */
#include "posix_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ALIGNMENT_MAX = 4096 };

static const struct weir_alignment anything = {.memory = 1, .offset = 1};

static struct weir_posix_session *posix_session_of(struct weir_session *session)
{
    return (struct weir_posix_session *)session;
}

void weir_posix_session_init(struct weir_posix_session *session, const struct weir_backend *backend,
                             bool is_direct, unsigned depth)
{
    *session = (struct weir_posix_session){
        .base = {.backend = backend, .depth = depth, .bypasses_cache = is_direct},
        .is_direct = is_direct,
        .alignment = {.memory = ALIGNMENT_MAX, .offset = ALIGNMENT_MAX},
    };
}

int weir_posix_session_open(const struct weir_backend *backend, bool is_direct,
                            struct weir_session **session, struct weir_error *error)
{
    struct weir_posix_session *opened = calloc(1, sizeof *opened);

    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, backend->descriptor.name,
                              "out of memory");
    weir_posix_session_init(opened, backend, is_direct, 1);
    *session = &opened->base;
    return 0;
}

void weir_posix_session_close(struct weir_session *session)
{
    free(session);
}

int weir_posix_session_stripe(struct weir_session *session,
                              const struct weir_striping_options *options, struct weir_error *error)
{
    struct weir_posix_session *posix = posix_session_of(session);

    posix->striping_options = *options;
    return weir_striping_choose(options, session->backend->descriptor.name, &posix->striping,
                                error);
}

long weir_posix_kernel_number(const char *path)
{
    FILE *file = fopen(path, "re");
    char line[32];
    long number = -1;

    if (!file)
        return -1;
    if (fgets(line, sizeof line, file))
        number = strtol(line, NULL, 10);
    fclose(file);
    return number;
}

bool weir_posix_is_filtered(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    int mode = 0;

    while (file && fgets(line, sizeof line, file) && sscanf(line, "Seccomp: %d", &mode) != 1)
        ;
    if (file)
        fclose(file);
    return mode == 2;
}

/* ---- what direct transfers must be multiples of ---- */

/* A block device takes whole sectors at least. */
static bool ask_device(int fd, struct weir_alignment *alignment)
{
    struct stat facts;
    int sector;

    if (fstat(fd, &facts) != 0 || !S_ISBLK(facts.st_mode) || ioctl(fd, BLKSSZGET, &sector) != 0)
        return false;
    *alignment = (struct weir_alignment){.memory = (uint32_t)sector, .offset = (uint32_t)sector};
    return true;
}

/* True if the kernel knows; an answer of zero means that the file cannot be direct. */
static bool ask_alignment(int fd, struct weir_alignment *alignment)
{
#ifdef STATX_DIOALIGN
    struct statx facts;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &facts) == 0 &&
        facts.stx_mask & STATX_DIOALIGN && facts.stx_dio_offset_align > 0) {
        *alignment = (struct weir_alignment){.memory = facts.stx_dio_mem_align,
                                             .offset = facts.stx_dio_offset_align};
        return true;
    }
#endif
    return ask_device(fd, alignment);
}

/* Finds the alignment by trying: memory, offset and size each at an odd multiple, by writing to
 * a temporary file or reading an existing one. */
static int measure_alignment(int fd, bool may_write, struct weir_alignment *alignment)
{
    unsigned char *memory = aligned_alloc(2 * ALIGNMENT_MAX, 2 * ALIGNMENT_MAX);
    int rc = -EINVAL;

    if (!memory)
        return -ENOMEM;
    memset(memory, 0, 2 * ALIGNMENT_MAX);
    for (uint32_t step = 512; rc == -EINVAL && step <= ALIGNMENT_MAX; step *= 2) {
        ssize_t bytes = may_write ? pwrite(fd, memory + step, step, step)
                                  : pread(fd, memory + step, step, step);

        rc = bytes < 0 ? -errno : 0;
        *alignment = (struct weir_alignment){.memory = step, .offset = step};
    }
    free(memory);
    return rc;
}

/* The path of the nearest directory above `path` that exists. */
static void find_directory(const char *path, char directory[PATH_MAX])
{
    struct stat facts;

    snprintf(directory, PATH_MAX, "%s", path);
    while (weir_text_cut_name(directory) && stat(directory, &facts) != 0)
        ;
}

/* For file systems without O_TMPFILE: a file of a name of its own, which is gone at once. */
static int open_nameless(const char *directory, bool is_direct)
{
    char path[PATH_MAX];
    int fd;

    if (snprintf(path, sizeof path, "%s/.weir-XXXXXX", directory) >= (int)sizeof path)
        return -ENAMETOOLONG;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return -errno;
    unlink(path);
    if (is_direct && fcntl(fd, F_SETFL, O_DIRECT) != 0) {
        int rc = -errno;

        close(fd);
        return rc;
    }
    return fd;
}

int weir_posix_open_scratch(const char *path, bool is_direct)
{
    int flags = O_TMPFILE | O_RDWR | O_CLOEXEC | (is_direct ? O_DIRECT : 0);
    char directory[PATH_MAX];
    int fd;

    find_directory(path, directory);
    fd = open(directory, flags, 0600);
    if (fd >= 0)
        return fd;
    return errno == EOPNOTSUPP || errno == EISDIR ? open_nameless(directory, is_direct) : -errno;
}

/* Asks an existing file; it may be a device, or in a directory that cannot be written. */
static bool ask_existing(const char *path, struct weir_alignment *alignment)
{
    int fd = open(path, O_RDONLY | O_DIRECT | O_NONBLOCK | O_CLOEXEC);
    bool is_known;

    if (fd < 0)
        return false;
    is_known = ask_alignment(fd, alignment) || measure_alignment(fd, false, alignment) == 0;
    close(fd);
    return is_known;
}

static int find_alignment(const char *path, struct weir_alignment *alignment)
{
    int rc = 0;
    int fd;

    if (ask_existing(path, alignment))
        return 0;
    fd = weir_posix_open_scratch(path, true);
    if (fd < 0)
        return fd == -EINVAL ? -EOPNOTSUPP : fd;
    if (!ask_alignment(fd, alignment))
        rc = measure_alignment(fd, true, alignment);
    close(fd);
    return rc;
}

int weir_posix_alignment(struct weir_session *session, const char *path,
                         struct weir_alignment *alignment)
{
    struct weir_posix_session *posix = posix_session_of(session);
    struct weir_alignment found = anything;
    int rc = posix->is_direct ? find_alignment(path, &found) : 0;

    if (rc < 0)
        return rc;
    *alignment = posix->alignment = found;
    return 0;
}

/* ---- files ---- */

/* Linux makes the file before it finds that it cannot be direct: only who made it may take it away,
 * and it is empty still. */
static int open_direct(const struct weir_file_params *params, int flags)
{
    const char *path = params->path;
    int fd = open(path, flags | O_EXCL, weir_posix_file_mode(params));
    struct stat made;

    if (fd < 0 && errno == EEXIST && params->claim == WEIR_CLAIM_ANY && !(flags & O_EXCL))
        return open(path, flags & ~O_CREAT);
    if (fd < 0 && errno == EINVAL) {
        if (lstat(path, &made) == 0 && S_ISREG(made.st_mode) && made.st_size == 0)
            unlink(path);
        errno = EINVAL;
    }
    return fd;
}

/* What open(2) means by EINVAL where the path was to be direct. */
static int explain_refusal(const struct weir_file_params *params)
{
    struct stat facts;

    if (stat(params->path, &facts) != 0)
        return -EOPNOTSUPP;
    if (params->claim == WEIR_CLAIM_ITEM && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
        return -ESTALE;
    if (S_ISFIFO(facts.st_mode))
        return -WEIR_EFIFO;
    return S_ISDIR(facts.st_mode) ? -EISDIR : -EOPNOTSUPP;
}

/* Those of an open that were asked for by name. */
static int asked_flags(unsigned open_flags)
{
    static const struct {
        unsigned flag;
        int kernel_flag;
    } rows[] = {
        {WEIR_OPEN_TRUNCATE, O_TRUNC},    {WEIR_OPEN_APPEND, O_APPEND},
        {WEIR_OPEN_EXCLUSIVE, O_EXCL},    {WEIR_OPEN_SYNC, O_SYNC},
        {WEIR_OPEN_DIRECT, O_DIRECT},     {WEIR_OPEN_DIRECTORY, O_DIRECTORY},
        {WEIR_OPEN_NOFOLLOW, O_NOFOLLOW}, {WEIR_OPEN_NOATIME, O_NOATIME},
        {WEIR_OPEN_NONBLOCK, O_NONBLOCK},
    };
    int flags = 0;

    for (size_t i = 0; open_flags != 0 && i < sizeof rows / sizeof *rows; i++) {
        if (open_flags & rows[i].flag)
            flags |= rows[i].kernel_flag;
        open_flags &= ~rows[i].flag;
    }
    return flags;
}

static int access_of(const struct weir_file_params *params)
{
    if (!params->can_write)
        return O_RDONLY;
    return params->is_exact && !params->can_read ? O_WRONLY : O_RDWR;
}

mode_t weir_posix_file_mode(const struct weir_file_params *params)
{
    return params->mode != 0 ? params->mode : WEIR_POSIX_FILE_MODE;
}

mode_t weir_posix_directory_mode(const struct weir_session *session)
{
    return session->directory_mode != 0 ? session->directory_mode : WEIR_POSIX_DIRECTORY_MODE;
}

int weir_posix_open_flags(const struct weir_posix_session *session,
                          const struct weir_file_params *params)
{
    int flags = access_of(params) | O_CLOEXEC | asked_flags(params->open_flags);

    assert(params->can_write || params->can_read);
    assert(params->claim != WEIR_CLAIM_NEW || params->must_create);
    if (params->must_create)
        flags |= O_CREAT;
    if (params->claim == WEIR_CLAIM_NEW ||
        (params->claim == WEIR_CLAIM_ITEM && params->must_create))
        flags |= O_EXCL;
    /* No FIFO that is found in the place of an item is waited for. */
    if (params->claim == WEIR_CLAIM_ITEM && !params->must_create)
        flags |= O_NONBLOCK;
    /* Items are many, and are not looked at before. */
    if (params->claim != WEIR_CLAIM_ANY ||
        (params->is_item && params->can_write && !params->is_exact))
        flags |= O_NOFOLLOW;
    if (session->is_direct)
        flags |= O_DIRECT;
    return flags;
}

/* Opens with O_NONBLOCK what may be there already: open(2) would wait for ever on a FIFO that
 * replaced the file. Transfers of regular files ignore the flag, except those of io_uring; open(2)
 * ignores it unless another process holds a lease. */
static int open_fd(const struct weir_posix_session *session, const struct weir_file_params *params)
{
    int asked = weir_posix_open_flags(session, params);
    int flags = asked | (params->is_exact || (asked & O_EXCL) ? 0 : O_NONBLOCK);
    int fd;

    if (session->is_direct && params->must_create && !params->is_item)
        fd = open_direct(params, flags);
    else
        fd = open(params->path, flags, weir_posix_file_mode(params));
    if (fd < 0 && errno == EWOULDBLOCK && flags != asked)
        fd = open(params->path, asked, weir_posix_file_mode(params));
    else if (fd >= 0 && session->clears_nonblock && !params->is_exact && (flags & O_NONBLOCK))
        fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    if (fd < 0)
        return flags & O_DIRECT && errno == EINVAL ? explain_refusal(params) : -errno;
    return fd;
}

int weir_posix_open_found(const struct weir_posix_session *session,
                          const struct weir_file_params *params)
{
    struct weir_file_params existing = *params;
    struct weir_file_id id;
    int fd, rc;

    existing.must_create = false;
    fd = open_fd(session, &existing);
    if (fd < 0)
        return fd;
    rc = weir_posix_judge(fd, &existing, &id);
    if (rc == 0)
        return fd;
    close(fd);
    return rc;
}

static bool is_same(struct weir_file_id one, struct weir_file_id other)
{
    return one.device == other.device && one.inode == other.inode;
}

static int64_t read_found(const struct weir_found_file *found, void *data, size_t bytes,
                          uint64_t offset)
{
    ssize_t moved = pread(found->descriptor, data, bytes, (off_t)offset);

    return moved < 0 ? -errno : moved;
}

/* Decides on the descriptor: whatever happens to the name meanwhile, this is what is written. */
static int judge_item(int fd, const struct weir_file_params *params, const struct stat *facts)
{
    const struct weir_found_file found = {
        .bytes = (uint64_t)facts->st_size,
        .link_count = facts->st_nlink,
        .modified_s = facts->st_mtime,
        .descriptor = fd,
        .read = read_found,
    };

    if (!S_ISREG(facts->st_mode))
        return -ESTALE;
    if (facts->st_nlink > 1 && params->expected_bytes > 0)
        return -EMLINK;
    return found.bytes == 0 || params->judge == NULL ? 0
                                                     : params->judge(params->judge_context, &found);
}

/* A file that had to be new was made by O_EXCL: there is nothing to compare. */
int weir_posix_judge(int fd, const struct weir_file_params *params, struct weir_file_id *id)
{
    struct stat facts;

    if (fstat(fd, &facts) != 0)
        return -errno;
    if (S_ISDIR(facts.st_mode))
        return -EISDIR;
    *id = weir_posix_id(&facts);
    if (params->claim == WEIR_CLAIM_ITEM && !params->must_create)
        return judge_item(fd, params, &facts);
    if (S_ISFIFO(facts.st_mode) && !params->is_exact)
        return -WEIR_EFIFO;
    if (params->claim != WEIR_CLAIM_OWN)
        return 0;
    if (!S_ISREG(facts.st_mode))
        return -ESTALE;
    if (params->id.inode == 0)
        return facts.st_nlink == 1 ? 0 : -ESTALE;
    return is_same(*id, params->id) ? 0 : -ESTALE;
}

void weir_posix_unlink_same(const char *path, int fd)
{
    struct stat name, file;

    if (lstat(path, &name) == 0 && fstat(fd, &file) == 0 &&
        is_same(weir_posix_id(&name), weir_posix_id(&file)))
        unlink(path);
}

/* A layout is not given in one step with the name, and another rank that opened the file in between
 * would give it the layout of its directory: it comes only when this is done (weir_file_ops.open).
 * A file that is there keeps its layout. */
static int open_striped(const struct weir_posix_session *posix,
                        const struct weir_file_params *params, struct weir_posix_file *opened)
{
    struct weir_file_params existing = *params;
    int rc;

    if (params->must_create) {
        bool must_be_new = params->claim == WEIR_CLAIM_NEW || params->claim == WEIR_CLAIM_ITEM ||
                           params->open_flags & WEIR_OPEN_EXCLUSIVE;

        opened->fd = weir_striping_make(
            posix->striping, &opened->striped, params->path,
            (weir_posix_open_flags(posix, params) & ~(O_CREAT | O_EXCL)) | O_NOFOLLOW,
            weir_posix_file_mode(params));
        if (opened->fd != -EEXIST || must_be_new)
            return opened->fd < 0 ? opened->fd : 0;
    }
    existing.must_create = false;
    opened->fd = open_fd(posix, &existing);
    if (opened->fd < 0)
        return opened->fd;
    rc = posix->striping->opened ? posix->striping->opened(&opened->striped, opened->fd) : 0;
    if (rc < 0)
        close(opened->fd);
    return rc;
}

/* Sets opened->fd, or returns -errno. */
static int open_with(const struct weir_posix_session *posix, const struct weir_file_params *params,
                     struct weir_posix_file *opened)
{
    if (posix->striping) {
        opened->striped = (struct weir_striped){.options = &posix->striping_options,
                                                .part = params->part,
                                                .can_write = params->can_write,
                                                .can_read = params->can_read,
                                                .directory = -1};
        return open_striped(posix, params, opened);
    }
    opened->fd = open_fd(posix, params);
    return opened->fd < 0 ? opened->fd : 0;
}

/* The lock is the open file's and not the process's: that one is lost as soon as anything in the
 * process closes the file, such as a look at its page cache. */
static int lock_whole(const struct weir_posix_session *posix, const struct weir_file_params *params,
                      int fd)
{
    struct flock whole = {.l_type = params->can_write ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
    int rc;

    /* Each rank would wait for the one before it, and that one for all. */
    if (params->can_write && params->group && params->group->size > 1)
        return -EDEADLK;
    do
        rc = fcntl(fd, F_OFD_SETLKW, &whole) == 0 ? 0 : -errno;
    while (rc == -EINTR && (!posix->stop_signal || *posix->stop_signal == 0));
    return rc;
}

/* 0 if it need not be locked. */
static int lock_opened(struct weir_posix_session *posix, const struct weir_file_params *params,
                       int fd)
{
    posix->lock_failure = posix->must_lock_file ? lock_whole(posix, params, fd) : 0;
    if (posix->lock_failure < 0 && params->claim == WEIR_CLAIM_NEW)
        weir_posix_unlink_same(params->path, fd);
    return posix->lock_failure;
}

static struct weir_posix_file *take_file(struct weir_posix_session *posix)
{
    struct weir_posix_file *file =
        posix->own_file_is_open ? malloc(sizeof *file) : &posix->own_file;

    if (file == NULL)
        return NULL;
    posix->own_file_is_open = true;
    file->base = (struct weir_file){0};
    file->striped.directory = -1;
    return file;
}

void weir_posix_file_free(struct weir_posix_session *posix, struct weir_posix_file *file)
{
    if (posix->striping)
        weir_striped_end(&file->striped);
    if (file == &posix->own_file)
        posix->own_file_is_open = false;
    else
        free(file);
}

static int posix_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    struct weir_posix_session *posix = posix_session_of(session);
    struct weir_posix_file *opened = take_file(posix);
    struct weir_file_params existing;
    int rc;

    posix->lock_failure = 0;
    if (!opened)
        return -ENOMEM;
    rc = open_with(posix, params, opened);
    if (rc == -EEXIST && params->claim == WEIR_CLAIM_ITEM) {
        session->found_items++;
        existing = *params;
        existing.must_create = false;
        params = &existing;
        rc = open_with(posix, params, opened);
    }
    if (rc < 0)
        goto free_file;
    /* An item that this open has made is not judged: its open(2) is what is measured. */
    if (!params->is_item || params->claim == WEIR_CLAIM_OWN ||
        (params->claim == WEIR_CLAIM_ITEM && !params->must_create))
        rc = weir_posix_judge(opened->fd, params, &opened->base.id);
    if (rc == 0)
        rc = lock_opened(posix, params, opened->fd);
    if (rc < 0)
        goto close_fd;
    opened->base.alignment = posix->is_direct ? posix->alignment : anything;
    if (posix->is_direct && !params->is_item)
        ask_alignment(opened->fd, &opened->base.alignment);
    *file = &opened->base;
    return 0;

close_fd:
    close(opened->fd);
free_file:
    weir_posix_file_free(posix, opened);
    return rc;
}

static int posix_close(struct weir_session *session, struct weir_file *file)
{
    int rc = close(weir_posix_fd(file)) == 0 ? 0 : -errno;

    weir_posix_file_free(posix_session_of(session), (struct weir_posix_file *)file);
    return rc;
}

static int posix_sync(struct weir_session *session, struct weir_file *file)
{
    (void)session;
    return fsync(weir_posix_fd(file)) == 0 ? 0 : -errno;
}

int64_t weir_posix_device_bytes(int fd)
{
    off_t end = lseek(fd, 0, SEEK_END);

    return end < 0 ? -errno : end;
}

static int64_t posix_size(struct weir_session *session, struct weir_file *file)
{
    struct stat facts;

    (void)session;
    if (fstat(weir_posix_fd(file), &facts) != 0)
        return -errno;
    return S_ISBLK(facts.st_mode) ? weir_posix_device_bytes(weir_posix_fd(file)) : facts.st_size;
}

static int64_t move_bytes(const struct weir_op *op)
{
    int fd = weir_posix_fd(op->file);
    ssize_t bytes = op->verb == WEIR_OP_WRITE ? pwrite(fd, op->data, op->size, (off_t)op->offset)
                                              : pread(fd, op->data, op->size, (off_t)op->offset);

    return bytes < 0 ? -errno : bytes;
}

/* Waits until no other process holds a conflicting lock on the range. */
static int64_t move_locked(const struct weir_op *op)
{
    struct flock range = {
        .l_type = op->verb == WEIR_OP_WRITE ? F_WRLCK : F_RDLCK,
        .l_whence = SEEK_SET,
        .l_start = (off_t)op->offset,
        .l_len = (off_t)op->size,
    };
    int64_t result;

    if (fcntl(weir_posix_fd(op->file), F_SETLKW, &range) != 0)
        return -errno;
    result = move_bytes(op);
    range.l_type = F_UNLCK;
    if (fcntl(weir_posix_fd(op->file), F_SETLK, &range) != 0 && result >= 0)
        result = -errno;
    return result;
}

/* Optional work of a session around each transfer: a hint to the file system, a range lock. */
static __attribute__((noinline)) int64_t move_with_care(const struct weir_posix_session *posix,
                                                        const struct weir_op *op)
{
    int rc = 0;

    if (posix->striping && posix->striping->before)
        rc = posix->striping->before(&((struct weir_posix_file *)op->file)->striped,
                                     weir_posix_fd(op->file), op->offset, op->size);
    if (rc < 0)
        return rc;
    return posix->must_lock ? move_locked(op) : move_bytes(op);
}

static int64_t posix_transfer(struct weir_session *session, struct weir_op *op)
{
    const struct weir_posix_session *posix = posix_session_of(session);

    if (__builtin_expect(posix->must_lock || posix->striping, 0))
        return move_with_care(posix, op);
    return move_bytes(op);
}

/* A file system without holes says that all is data. What is allocated and was never written is a
 * hole to most. */
int64_t weir_posix_next_data(struct weir_session *session, struct weir_file *file, uint64_t offset)
{
    int64_t size = posix_size(session, file);
    off_t found;

    if (size < 0 || (uint64_t)size <= offset)
        return size;
    found = lseek(weir_posix_fd(file), (off_t)offset, SEEK_DATA);
    if (found >= 0 || errno == ENXIO)
        return found >= 0 ? found : size;
    return errno == EINVAL || errno == ESPIPE ? (int64_t)offset : -errno;
}

const struct weir_transfer_ops weir_posix_transfer_ops = {
    .transfer = posix_transfer,
};

const struct weir_file_ops weir_posix_file_ops = {
    .open = posix_open,
    .close = posix_close,
    .sync = posix_sync,
    .size = posix_size,
    .next_data = weir_posix_next_data,
};
