/* SPDX-License-Identifier: Apache-2.0 */
/* A file or device that fsync reaches. */
#include "backing.h"

#include "weir/base/thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fs.h>

#define BLOCK 4096u /* what O_DIRECT may ask for */

struct weir_backing {
    struct weir_backing_params params;
    int fd;
    bool is_direct; /* the thread's, once it runs */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock;
    pthread_cond_t is_needed;
    bool is_closing;
    struct weir_backing_job *waiting; /* the newest first */
    struct weir_backing_job *done;
};

/* Behind the last byte of a file: who wrote it. Another's is never written over, however well its
 * size would fit. */
static const _Alignas(BLOCK) char stamp[BLOCK] = "weir: behind the memory of a server\n";

/* There are file systems that take O_DIRECT, but no transfer with it. False: it was not that. */
static bool goes_on_buffered(struct weir_backing *backing)
{
    if (!backing->is_direct)
        return false;
    backing->is_direct = false;
    return fcntl(backing->fd, F_SETFL, 0) == 0;
}

static int write_piece(struct weir_backing *backing, const void *data, uint64_t offset,
                       uint64_t bytes)
{
    while (bytes) {
        ssize_t done = pwrite(backing->fd, data, bytes, (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0 && errno == EINVAL && goes_on_buffered(backing))
            continue;
        if (done <= 0)
            return done ? -errno : -EIO;
        data = (const unsigned char *)data + done;
        offset += (uint64_t)done;
        bytes -= (uint64_t)done;
    }
    return 0;
}

/* ---- opening ---- */

static int refuse(struct weir_error *error, int code, const char *path, const char *what)
{
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "rdma", "backing %s: %s", path, what);
}

static int open_direct(struct weir_backing *backing, int flags)
{
    const char *path = backing->params.path;

    backing->fd = open(path, flags | O_DIRECT, 0600);
    backing->is_direct = backing->fd >= 0;
    if (backing->fd < 0 && errno == EINVAL)
        backing->fd = open(path, flags, 0600);
    return backing->fd < 0 ? -errno : 0;
}

static int open_device(struct weir_backing *backing, struct weir_error *error)
{
    const struct weir_backing_params *params = &backing->params;
    uint64_t bytes = 0;
    int code = open_direct(backing, O_RDWR | O_EXCL | O_CLOEXEC); /* -EBUSY: mounted, ... */

    if (code == -EBUSY)
        return refuse(error, code, params->path,
                      "the device is mounted or in use; unmount it, or name another");
    if (code)
        return refuse(error, code, params->path, strerror(-code));
    if (ioctl(backing->fd, BLKGETSIZE64, &bytes))
        return refuse(error, -errno, params->path, strerror(errno));
    if (bytes < params->bytes)
        return weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, -ENOSPC, "rdma",
            "backing %s: the device has %llu bytes, the server %llu; name a "
            "larger one, or give less capacity (--rdma.capacity, weir serve --capacity)",
            params->path, (unsigned long long)bytes, (unsigned long long)params->bytes);
    return params->check_device ? params->check_device(params->path, error) : 0;
}

/* The stamp comes first: whatever stops this here, the file is empty or known for ours. */
static int allocate(struct weir_backing *backing, off_t present, struct weir_error *error)
{
    const struct weir_backing_params *params = &backing->params;
    off_t whole = (off_t)(params->bytes + BLOCK);
    int code = 0;

    if (present != whole)
        code =
            ftruncate(backing->fd, 0) ? -errno : write_piece(backing, stamp, params->bytes, BLOCK);
    if (!code)
        code = -posix_fallocate(backing->fd, 0, whole);
    if (code == -ENOSPC || code == -EFBIG || code == -EDQUOT)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, "rdma",
                              "backing %s: there is no room for %llu bytes; name a file elsewhere, "
                              "or give less capacity (--rdma.capacity, weir serve --capacity)",
                              params->path, (unsigned long long)params->bytes);
    return code ? refuse(error, code, params->path, strerror(-code)) : 0;
}

static bool is_ours(struct weir_backing *backing, off_t bytes)
{
    _Alignas(BLOCK) char end[BLOCK];
    ssize_t got = -1;

    if (bytes < BLOCK || bytes % BLOCK)
        return false;
    do {
        got = pread(backing->fd, end, BLOCK, bytes - BLOCK);
    } while (got < 0 && (errno == EINTR || (errno == EINVAL && goes_on_buffered(backing))));
    return got == BLOCK && !memcmp(end, stamp, BLOCK);
}

static int open_file(struct weir_backing *backing, bool exists, struct weir_error *error)
{
    const struct weir_backing_params *params = &backing->params;
    struct stat facts;
    int code = open_direct(backing, O_RDWR | O_CREAT | O_CLOEXEC);

    if (code)
        return refuse(error, code, params->path, strerror(-code));
    if (flock(backing->fd, LOCK_EX | LOCK_NB))
        return refuse(
            error, -EBUSY, params->path,
            "another server has it; name another file (%d becomes the number of the server)");
    if (fstat(backing->fd, &facts))
        return refuse(error, -errno, params->path, strerror(errno));
    if (!S_ISREG(facts.st_mode))
        return refuse(error, -EINVAL, params->path, "it is neither a file nor a block device");
    if (facts.st_size && !is_ours(backing, facts.st_size))
        return refuse(
            error, -EEXIST, params->path,
            "the file holds something, and no stamp at its end says that a server of weir "
            "wrote it; remove it, or name another");
    code = allocate(backing, facts.st_size, error);
    if (code) {
        /* What it has taken is given back; should that fail too, the first reason is told. */
        int left = exists ? ftruncate(backing->fd, 0) : unlink(params->path);

        (void)left;
    }
    return code;
}

/* ---- the thread ---- */

static int write_job(struct weir_backing *backing, const struct weir_backing_job *job)
{
    int code = 0;

    for (uint32_t i = 0; i < job->count && !code; i++) {
        uint64_t start = job->pieces[i].offset / BLOCK * BLOCK;
        uint64_t end = job->pieces[i].offset + job->pieces[i].bytes;

        code = write_piece(backing, backing->params.memory + start, start,
                           (end + BLOCK - 1) / BLOCK * BLOCK - start);
    }
    return code;
}

/* One sync serves all who wait for one. */
static void serve(struct weir_backing *backing, struct weir_backing_job *jobs)
{
    struct weir_backing_job *last = jobs;
    int code;

    for (struct weir_backing_job *job = jobs; job; job = job->next) {
        job->result = write_job(backing, job);
        last = job;
    }
    code = fdatasync(backing->fd) ? -errno : 0;
    for (struct weir_backing_job *job = jobs; job; job = job->next)
        if (!job->result)
            job->result = code;
    pthread_mutex_lock(&backing->lock);
    last->next = backing->done;
    backing->done = jobs;
    pthread_mutex_unlock(&backing->lock);
    backing->params.wake(backing->params.context);
}

static void *run(void *context)
{
    struct weir_backing *backing = context;

    pthread_mutex_lock(&backing->lock);
    while (!backing->is_closing) {
        struct weir_backing_job *jobs = backing->waiting;

        if (!jobs) {
            pthread_cond_wait(&backing->is_needed, &backing->lock);
            continue;
        }
        backing->waiting = NULL;
        pthread_mutex_unlock(&backing->lock);
        serve(backing, jobs);
        pthread_mutex_lock(&backing->lock);
    }
    pthread_mutex_unlock(&backing->lock);
    return NULL;
}

static int start(struct weir_backing *backing)
{
    int code = weir_thread_start(&backing->thread, run, backing);

    backing->has_thread = !code;
    return code;
}

/* ---- */

int weir_backing_open(const struct weir_backing_params *params, struct weir_backing **backing,
                      struct weir_error *error)
{
    struct weir_backing *made = calloc(1, sizeof *made);
    struct stat facts;
    bool exists = !stat(params->path, &facts);
    int code;

    if (!made)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "rdma", "no memory");
    made->params = *params;
    made->fd = -1;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->is_needed, NULL);
    code = exists && S_ISBLK(facts.st_mode) ? open_device(made, error)
                                            : open_file(made, exists, error);
    if (!code) {
        code = start(made);
        if (code)
            refuse(error, code, params->path, "no thread can be started");
    }
    if (code) {
        weir_backing_close(made);
        return code;
    }
    *backing = made;
    return 0;
}

void weir_backing_close(struct weir_backing *backing)
{
    if (!backing)
        return;
    pthread_mutex_lock(&backing->lock);
    backing->is_closing = true;
    pthread_cond_signal(&backing->is_needed);
    pthread_mutex_unlock(&backing->lock);
    if (backing->has_thread)
        pthread_join(backing->thread, NULL);
    if (backing->fd >= 0)
        close(backing->fd);
    pthread_cond_destroy(&backing->is_needed);
    pthread_mutex_destroy(&backing->lock);
    free(backing);
}

void weir_backing_submit(struct weir_backing *backing, struct weir_backing_job *job)
{
    pthread_mutex_lock(&backing->lock);
    job->next = backing->waiting;
    backing->waiting = job;
    pthread_cond_signal(&backing->is_needed);
    pthread_mutex_unlock(&backing->lock);
}

struct weir_backing_job *weir_backing_reap(struct weir_backing *backing)
{
    struct weir_backing_job *job;

    pthread_mutex_lock(&backing->lock);
    job = backing->done;
    if (job)
        backing->done = job->next;
    pthread_mutex_unlock(&backing->lock);
    return job;
}
