// SPDX-License-Identifier: Apache-2.0
// outside: loaded before weir, notes when calls on the benchmark's files begin and end, as a clock
// beside weir's own.
//
// A line per file that was open, when it is closed, in nanoseconds of CLOCK_MONOTONIC:
// rank, date of the open, open begun, open done, first transfer begun and done, last begun and
// done, close begun, close done.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 4096 };

struct span {
    int64_t begin, end;
};
static struct {
    int64_t date;
    struct span open, first, last;
} files[FILES];

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int is_watched(const char *path)
{
    const char *prefix = getenv("OUTSIDE_PREFIX");
    return prefix && path && strncmp(path, prefix, strlen(prefix)) == 0;
}

static void note_open(int file, int64_t begin)
{
    if (file < 0 || file >= FILES)
        return;
    memset(&files[file], 0, sizeof files[file]);
    files[file].open = (struct span){begin, now(CLOCK_MONOTONIC)};
    files[file].date = now(CLOCK_REALTIME);
}

static void note_move(int file, int64_t begin)
{
    if (file < 0 || file >= FILES || files[file].date == 0)
        return;
    files[file].last = (struct span){begin, now(CLOCK_MONOTONIC)};
    if (files[file].first.begin == 0)
        files[file].first = files[file].last;
}

static void note_close(int file, int64_t begin)
{
    if (file < 0 || file >= FILES || files[file].date == 0)
        return;
    int64_t end = now(CLOCK_MONOTONIC);
    char line[320];
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    int length =
        snprintf(line, sizeof line, "%s %lld %lld %lld %lld %lld %lld %lld %lld %lld\n",
                 rank ? rank : "0", (long long)files[file].date, (long long)files[file].open.begin,
                 (long long)files[file].open.end, (long long)files[file].first.begin,
                 (long long)files[file].first.end, (long long)files[file].last.begin,
                 (long long)files[file].last.end, (long long)begin, (long long)end);
    int log = (int)syscall(SYS_openat, AT_FDCWD, getenv("OUTSIDE_LOG"),
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (log < 0 || syscall(SYS_write, log, line, (size_t)length) != length)
        _exit(99);
    syscall(SYS_close, log);
    files[file].date = 0;
}

#define OPEN(name, before, folder_and_path, types)                                                 \
    int name(before const char *path, int flags, ...)                                              \
    {                                                                                              \
        static int (*real)(types, int, ...);                                                       \
        if (!real)                                                                                 \
            real = (int (*)(types, int, ...))dlsym(RTLD_NEXT, #name);                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;                \
        va_end(more);                                                                              \
        int64_t begin = now(CLOCK_MONOTONIC);                                                      \
        int file = real(folder_and_path, flags, mode);                                             \
        if (is_watched(path))                                                                      \
            note_open(file, begin);                                                                \
        return file;                                                                               \
    }
#define COMMA ,
OPEN(open, , path, const char *)
OPEN(open64, , path, const char *)
OPEN(openat, int folder COMMA, folder COMMA path, int COMMA const char *)
OPEN(openat64, int folder COMMA, folder COMMA path, int COMMA const char *)

#define MOVE(name, parameters, words)                                                              \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        static ssize_t(*real) parameters;                                                          \
        if (!real)                                                                                 \
            real = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);                                 \
        int64_t begin = now(CLOCK_MONOTONIC);                                                      \
        ssize_t done = real words;                                                                 \
        note_move(file, begin);                                                                    \
        return done;                                                                               \
    }
MOVE(read, (int file, void *data, size_t size), (file, data, size))
MOVE(write, (int file, const void *data, size_t size), (file, data, size))
MOVE(pread, (int file, void *data, size_t size, off_t at), (file, data, size, at))
MOVE(pread64, (int file, void *data, size_t size, off64_t at), (file, data, size, at))
MOVE(pwrite, (int file, const void *data, size_t size, off_t at), (file, data, size, at))
MOVE(pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at))
MOVE(readv, (int file, const struct iovec *parts, int count), (file, parts, count))
MOVE(writev, (int file, const struct iovec *parts, int count), (file, parts, count))
MOVE(preadv, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))
MOVE(pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at))

int close(int file)
{
    static int (*real)(int);
    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "close");
    int64_t begin = now(CLOCK_MONOTONIC);
    int done = real(file);
    note_close(file, begin);
    return done;
}
