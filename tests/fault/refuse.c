/* SPDX-License-Identifier: Apache-2.0 */
/* LD_PRELOAD: reads and writes at explicit offsets fail from REFUSE_FROM on in files whose path
 * begins with REFUSE_PREFIX, with errno REFUSE_ERRNO. The call number HANG_AT, from 1 on, of the
 * function HANG_CALL ("stat" is each of its family) on a path that begins with HANG_PREFIX never
 * returns, as on a file system whose server is gone, and leaves a line in HANG_LOG. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

static bool refuses(int descriptor, off_t offset)
{
    const char *prefix = getenv("REFUSE_PREFIX");
    char link[64], path[4096];
    ssize_t length;

    if (prefix == NULL || offset < strtoll(getenv("REFUSE_FROM"), NULL, 10))
        return false;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0 || strncmp(path, prefix, strlen(prefix)) != 0)
        return false;
    errno = (int)strtol(getenv("REFUSE_ERRNO"), NULL, 10);
    return true;
}

#define PASS_ON(name, what, type, count)                                                           \
    ssize_t name(int descriptor, type data, count amount, off_t offset);                           \
    ssize_t name(int descriptor, type data, count amount, off_t offset)                            \
    {                                                                                              \
        ssize_t (*real)(int, type, count, off_t);                                                  \
                                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, what);                                                  \
        return refuses(descriptor, offset) ? -1 : real(descriptor, data, amount, offset);          \
    }

PASS_ON(pread, "pread", void *, size_t)
PASS_ON(pread64, "pread64", void *, size_t)
PASS_ON(pwrite, "pwrite", const void *, size_t)
PASS_ON(pwrite64, "pwrite64", const void *, size_t)
PASS_ON(preadv, "preadv", const struct iovec *, int)
PASS_ON(preadv64, "preadv64", const struct iovec *, int)
PASS_ON(pwritev, "pwritev", const struct iovec *, int)
PASS_ON(pwritev64, "pwritev64", const struct iovec *, int)

/* ---- hangs ---- */

static bool has_prefix(const char *path)
{
    const char *prefix = getenv("HANG_PREFIX");

    return prefix != NULL && strncmp(path, prefix, strlen(prefix)) == 0;
}

static void hang_on_path(const char *call, const char *path)
{
    static int seen;
    const char *name = getenv("HANG_CALL"), *log = getenv("HANG_LOG");
    FILE *file;

    if (name == NULL || strcmp(name, call) != 0 || !has_prefix(path) ||
        ++seen != strtol(getenv("HANG_AT"), NULL, 10))
        return;
    file = fopen(log, "a");
    if (file != NULL) {
        fprintf(file, "%s %s\n", call, path);
        fclose(file);
    }
    for (;;)
        sleep(1000);
}

static void hang_on_descriptor(const char *call, int descriptor)
{
    int before = errno;
    char link[64], path[4096];
    ssize_t length;

    if (getenv("HANG_CALL") == NULL)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, sizeof path - 1);
    if (length > 0) {
        path[length] = '\0';
        hang_on_path(call, path);
    }
    errno = before;
}

#define HANG(result, name, call, declared, path, passed)                                           \
    result name declared;                                                                          \
    result name declared                                                                           \
    {                                                                                              \
        result(*real) declared;                                                                    \
                                                                                                   \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        hang_on_path(call, path);                                                                  \
        return real passed;                                                                        \
    }

HANG(int, statvfs, "statvfs", (const char *path, struct statvfs *facts), path, (path, facts))
HANG(int, statvfs64, "statvfs", (const char *path, struct statvfs64 *facts), path, (path, facts))
HANG(int, stat, "stat", (const char *path, struct stat *facts), path, (path, facts))
HANG(int, stat64, "stat", (const char *path, struct stat64 *facts), path, (path, facts))
HANG(int, lstat, "stat", (const char *path, struct stat *facts), path, (path, facts))
HANG(int, lstat64, "stat", (const char *path, struct stat64 *facts), path, (path, facts))
HANG(int, fstatat, "stat", (int at, const char *path, struct stat *facts, int flags), path,
     (at, path, facts, flags))
HANG(int, statx, "stat", (int at, const char *path, int flags, unsigned mask, struct statx *facts),
     path, (at, path, flags, mask, facts))
HANG(int, unlink, "unlink", (const char *path), path, (path))
HANG(int, unlinkat, "unlink", (int at, const char *path, int flags), path, (at, path, flags))
HANG(int, mkdir, "mkdir", (const char *path, mode_t mode), path, (path, mode))
HANG(int, rmdir, "rmdir", (const char *path), path, (path))

int close(int descriptor)
{
    int (*real)(int);

    *(void **)&real = dlsym(RTLD_NEXT, "close");
    hang_on_descriptor("close", descriptor);
    return real(descriptor);
}

static mode_t mode_of(int flags, va_list arguments)
{
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

#define HANG_OPEN(name)                                                                            \
    int name(const char *path, int flags, ...);                                                    \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        int (*real)(const char *, int, ...);                                                       \
        va_list arguments;                                                                         \
        mode_t mode;                                                                               \
                                                                                                   \
        va_start(arguments, flags);                                                                \
        mode = mode_of(flags, arguments);                                                          \
        va_end(arguments);                                                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        hang_on_path("open", path);                                                                \
        return real(path, flags, mode);                                                            \
    }

HANG_OPEN(open)
HANG_OPEN(open64)
