/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded, for options.py: writes a line "RANK CALL PATH ARGUMENTS" to the file $WEIR_CALLS per
 * system call on a file in the current directory, and per call that sleeps, binds, or synchronises
 * ranks. Calls are written before they are made, those that open files after. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#ifdef WEIR_LIBURING
#include <liburing.h>
#endif
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum {
    FILES = 4096,
    PATH_BYTES = 256,
    DONTCACHE = 0x80 /* RWF_DONTCACHE of Linux 6.14 */,
    SYS_FCHMODAT2 = 452,
    SYS_EPOLL_PWAIT2 = 441
};

static char paths[FILES][PATH_BYTES]; /* of the files that are open; "" = not in the directory */

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void note(const char *format, ...)
{
    static int log = -1;
    static pid_t
        owner; /* a child of fork may have closed the descriptor, and given it to another */
    const char *path = getenv("WEIR_CALLS");
    const char *rank =
        getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    char line[1024];
    va_list values;
    int length;

    if (path == NULL)
        return;
    if (log < 0 || owner != getpid())
        log = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                           0600);
    owner = getpid();
    length = snprintf(line, sizeof line - 1, "%s ", rank ? rank : "0");
    va_start(values, format);
    length += vsnprintf(line + length, sizeof line - 1 - (size_t)length, format, values);
    va_end(values);
    if (length > (int)sizeof line - 2)
        length = (int)sizeof line - 2;
    line[length++] = '\n';
    if (syscall(SYS_write, log, line, (size_t)length) != length)
        _exit(99);
}

/* `path` relative to the current directory; NULL: it is elsewhere. */
static const char *relative(const char *path)
{
    static char here[PATH_BYTES];
    size_t length;

    if (path == NULL || *path == '\0')
        return NULL;
    if (*path != '/')
        return strncmp(path, "./", 2) == 0 ? path + 2 : path;
    if (*here == '\0' && syscall(SYS_getcwd, here, sizeof here) < 0)
        return NULL;
    length = strlen(here);
    if (strncmp(path, here, length) != 0 || (path[length] != '/' && path[length] != '\0'))
        return NULL;
    return path[length] == '\0' ? "." : path + length + 1;
}

static const char *path_of(int file)
{
    return file >= 0 && file < FILES && *paths[file] != '\0' ? paths[file] : NULL;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

/* ---- files ---- */

static int note_open(int file, const char *call, const char *path, int flags)
{
    static const char *const accesses[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_RDWR"};
    const char *shown = relative(path);

    if (file >= 0 && file < FILES)
        snprintf(paths[file], PATH_BYTES, "%s", shown ? shown : "");
    if (shown)
        note("%s %s %s%s%s%s%s%s%s%s%s", call, shown, accesses[flags & O_ACCMODE],
             flags & O_CREAT ? "|O_CREAT" : "", flags & O_EXCL ? "|O_EXCL" : "",
             flags & O_TRUNC ? "|O_TRUNC" : "", flags & O_DIRECT ? "|O_DIRECT" : "",
             (flags & O_SYNC) == O_SYNC     ? "|O_SYNC"
             : (flags & O_DSYNC) == O_DSYNC ? "|O_DSYNC"
                                            : "",
             flags & O_APPEND ? "|O_APPEND" : "", flags & O_DIRECTORY ? "|O_DIRECTORY" : "",
             file < 0 ? " failed" : "");
    return file;
}

static unsigned mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list more;                                                                              \
        unsigned mode;                                                                             \
                                                                                                   \
        va_start(more, flags);                                                                     \
        mode = mode_of(flags, more);                                                               \
        va_end(more);                                                                              \
        return note_open(real(path, flags, mode), "open", path, flags);                            \
    }
OPEN(open)
OPEN(open64)

/* Walks through other directories do not count. */
static int is_elsewhere(int folder, const char *path)
{
    return folder != AT_FDCWD && path != NULL && *path != '/';
}

#define OPENAT(name)                                                                               \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list more;                                                                              \
        unsigned mode;                                                                             \
                                                                                                   \
        va_start(more, flags);                                                                     \
        mode = mode_of(flags, more);                                                               \
        va_end(more);                                                                              \
        return note_open(real(folder, path, flags, mode), "open",                                  \
                         is_elsewhere(folder, path) ? NULL : path, flags);                         \
    }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                                                                \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        REAL(name);                                                                                \
        FILE *stream = real(path, mode);                                                           \
                                                                                                   \
        note_open(stream ? fileno(stream) : -1, "fopen", path,                                     \
                  *mode == 'r' ? O_RDONLY : O_WRONLY);                                             \
        return stream;                                                                             \
    }
FOPEN(fopen)
FOPEN(fopen64)

int close(int file)
{
    REAL(close);

    if (path_of(file))
        note("close %s", path_of(file));
    if (file >= 0 && file < FILES)
        *paths[file] = '\0';
    return real(file);
}

/* Calls of an open file, and of a path: their arguments and, as a format, what is written. */
#define ON_FILE(type, name, parameters, arguments, ...)                                            \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name);                                                                                \
                                                                                                   \
        if (path_of(file))                                                                         \
            note(#name " %s" __VA_ARGS__);                                                         \
        return real arguments;                                                                     \
    }

#define MOVE(name, parameters, arguments)                                                          \
    ON_FILE(ssize_t, name, parameters, arguments, " +%zu", path_of(file), bytes)
#define MOVE_AT(name, call, parameters, arguments)                                                 \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        REAL(name);                                                                                \
                                                                                                   \
        if (path_of(file))                                                                         \
            note(call " %s %lld+%zu", path_of(file), (long long)at, bytes);                        \
        return real arguments;                                                                     \
    }
MOVE(read, (int file, void *data, size_t bytes), (file, data, bytes))
MOVE(write, (int file, const void *data, size_t bytes), (file, data, bytes))
MOVE_AT(pread, "pread", (int file, void *data, size_t bytes, off_t at), (file, data, bytes, at))
MOVE_AT(pread64, "pread", (int file, void *data, size_t bytes, off64_t at), (file, data, bytes, at))
MOVE_AT(pwrite, "pwrite", (int file, const void *data, size_t bytes, off_t at),
        (file, data, bytes, at))
MOVE_AT(pwrite64, "pwrite", (int file, const void *data, size_t bytes, off64_t at),
        (file, data, bytes, at))
ON_FILE(int, fsync, (int file), (file), "", path_of(file))
ON_FILE(int, fdatasync, (int file), (file), "", path_of(file))
ON_FILE(int, syncfs, (int file), (file), "", path_of(file))
ON_FILE(int, ftruncate, (int file, off_t bytes), (file, bytes), " %lld", path_of(file),
        (long long)bytes)
ON_FILE(int, fallocate, (int file, int mode, off_t at, off_t bytes), (file, mode, at, bytes),
        " %lld+%lld", path_of(file), (long long)at, (long long)bytes)
ON_FILE(int, posix_fallocate, (int file, off_t at, off_t bytes), (file, at, bytes), " %lld+%lld",
        path_of(file), (long long)at, (long long)bytes)

int posix_fadvise(int file, off_t at, off_t bytes, int advice)
{
    REAL(posix_fadvise);

    if (path_of(file))
        note("posix_fadvise %s %lld+%lld %s", path_of(file), (long long)at, (long long)bytes,
             advice == POSIX_FADV_DONTNEED ? "DONTNEED" : "other");
    return real(file, at, bytes, advice);
}

static int note_lock(int (*real)(int, int, ...), int file, int command, void *argument)
{
    if (path_of(file) && (command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
                          command == F_OFD_SETLKW)) {
        const struct flock *lock = argument;

        note("fcntl %s %s %lld+%lld", path_of(file),
             lock->l_type == F_RDLCK   ? "F_RDLCK"
             : lock->l_type == F_WRLCK ? "F_WRLCK"
                                       : "F_UNLCK",
             (long long)lock->l_start, (long long)lock->l_len);
    }
    return real(file, command, argument);
}

#define FCNTL(name)                                                                                \
    int name(int file, int command, ...)                                                           \
    {                                                                                              \
        REAL(name);                                                                                \
        va_list more;                                                                              \
        void *argument;                                                                            \
                                                                                                   \
        va_start(more, command);                                                                   \
        argument = va_arg(more, void *);                                                           \
        va_end(more);                                                                              \
        return note_lock(real, file, command, argument);                                           \
    }
FCNTL(fcntl)
FCNTL(fcntl64)

/* ---- names ---- */

#define ON_PATH(type, name, parameters, arguments, ...)                                            \
    type name parameters                                                                           \
    {                                                                                              \
        REAL(name);                                                                                \
                                                                                                   \
        if (relative(path))                                                                        \
            note(#name " %s" __VA_ARGS__);                                                         \
        return real arguments;                                                                     \
    }
ON_PATH(int, unlink, (const char *path), (path), "", relative(path))
ON_PATH(int, rmdir, (const char *path), (path), "", relative(path))
ON_PATH(int, mkdir, (const char *path, mode_t mode), (path, mode), "", relative(path))
ON_PATH(int, mknod, (const char *path, mode_t mode, dev_t device), (path, mode, device), "",
        relative(path))
ON_PATH(int, truncate, (const char *path, off_t bytes), (path, bytes), " %lld", relative(path),
        (long long)bytes)
ON_PATH(int, stat, (const char *restrict path, struct stat *restrict facts), (path, facts), "",
        relative(path))
ON_PATH(int, lstat, (const char *restrict path, struct stat *restrict facts), (path, facts), "",
        relative(path))

int fstatat(int folder, const char *restrict path, struct stat *restrict facts, int flags)
{
    REAL(fstatat);

    if (is_elsewhere(folder, path) && path_of(folder))
        note("fstatat %s/%s", path_of(folder), path);
    else if (!is_elsewhere(folder, path) && relative(path))
        note("fstatat %s", relative(path));
    return real(folder, path, facts, flags);
}

ON_PATH(int, statx,
        (int folder, const char *restrict path, int flags, unsigned mask,
         struct statx *restrict facts),
        (folder, path, flags, mask, facts), "", relative(path))
ON_PATH(int, access, (const char *path, int mode), (path, mode), "", relative(path))
ON_PATH(DIR *, opendir, (const char *path), (path), "", relative(path))
ON_PATH(int, rename, (const char *path, const char *to), (path, to), " %s", relative(path),
        relative(to) ? relative(to) : to)
ON_PATH(int, link, (const char *path, const char *to), (path, to), " %s", relative(path),
        relative(to) ? relative(to) : to)
ON_PATH(int, fchmodat, (int folder, const char *path, mode_t mode, int flags),
        (folder, path, mode, flags), " %03o", relative(path), mode)
ON_PATH(int, lsetxattr,
        (const char *path, const char *name, const void *value, size_t bytes, int flags),
        (path, name, value, bytes, flags), " %s", relative(path), name)
ON_PATH(ssize_t, lgetxattr, (const char *path, const char *name, void *value, size_t bytes),
        (path, name, value, bytes), " %s", relative(path), name)

int symlink(const char *target, const char *path)
{
    REAL(symlink);

    if (relative(path))
        note("symlink %s %s", relative(path), target);
    return real(target, path);
}

/* ---- memory ---- */

static const char *advice_name(int advice)
{
    switch (advice) {
    case MADV_NORMAL:
        return "NORMAL";
    case MADV_RANDOM:
        return "RANDOM";
    case MADV_SEQUENTIAL:
        return "SEQUENTIAL";
    case MADV_WILLNEED:
        return "WILLNEED";
    case MADV_DONTNEED:
        return "DONTNEED";
    case MADV_HUGEPAGE:
        return "HUGEPAGE";
    default:
        return "other";
    }
}

int madvise(void *memory, size_t bytes, int advice)
{
    REAL(madvise);

    note("madvise +%zu %s", bytes, advice_name(advice));
    return real(memory, bytes, advice);
}

int msync(void *memory, size_t bytes, int flags)
{
    REAL(msync);

    note("msync +%zu %s", bytes, flags & MS_SYNC ? "MS_SYNC" : "MS_ASYNC");
    return real(memory, bytes, flags);
}

#define MMAP(name, offset)                                                                         \
    void *name(void *memory, size_t bytes, int protection, int flags, int file, offset at)         \
    {                                                                                              \
        REAL(name);                                                                                \
                                                                                                   \
        if (path_of(file))                                                                         \
            note("mmap %s %lld+%zu%s", path_of(file), (long long)at, bytes,                        \
                 protection &PROT_WRITE ? " PROT_WRITE" : "");                                     \
        else if (flags & MAP_HUGETLB)                                                              \
            note("mmap +%zu MAP_HUGETLB", bytes);                                                  \
        return real(memory, bytes, protection, flags, file, at);                                   \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* Of calls without a function of their own, some have a line. */
long syscall(long number, ...)
{
    REAL(syscall);
    static const char *const modes[] = {"DEFAULT",    "PREFERRED", "BIND",
                                        "INTERLEAVE", "LOCAL",     "PREFERRED_MANY"};
    va_list more;
    long word[6];

    va_start(more, number);
    for (size_t i = 0; i < 6; i++)
        word[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_FCHMODAT2 && relative((const char *)word[1]))
        note("fchmodat %s %03lo", relative((const char *)word[1]), word[2]);
    if (number == SYS_EPOLL_PWAIT2)
        note("epoll_wait");
    if (number == SYS_mbind)
        note("mbind +%ld %s", word[1], (word[2] & 15) < 6 ? modes[word[2] & 15] : "other");
    return real(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

/* ---- time and places ---- */

int nanosleep(const struct timespec *time, struct timespec *left)
{
    REAL(nanosleep);

    note("nanosleep %lld.%09ld", (long long)time->tv_sec, time->tv_nsec);
    return real(time, left);
}

/* Times of day are not the same in any two runs. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left)
{
    REAL(clock_nanosleep);

    if (flags & TIMER_ABSTIME)
        note("clock_nanosleep until");
    else
        note("clock_nanosleep %lld.%09ld", (long long)time->tv_sec, time->tv_nsec);
    return real(clock, flags, time, left);
}

int sched_setaffinity(pid_t process, size_t bytes, const cpu_set_t *set)
{
    REAL(sched_setaffinity);
    char list[256] = "";
    size_t length = 0;

    for (size_t cpu = 0; cpu < bytes * 8 && length + 8 < sizeof list; cpu++)
        if (CPU_ISSET_S(cpu, bytes, set))
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%zu",
                                       length > 0 ? "," : "", cpu);
    note("sched_setaffinity %s", list);
    return real(process, bytes, set);
}

/* Those that do not wait are not noted. */
int epoll_wait(int set, struct epoll_event *events, int most, int timeout_ms)
{
    REAL(epoll_wait);

    if (timeout_ms != 0)
        note("epoll_wait %d", timeout_ms);
    return real(set, events, most, timeout_ms);
}

FILE *popen(const char *command, const char *mode)
{
    REAL(popen);

    note("popen %s", command);
    return real(command, mode);
}

/* ---- queues of the kernel ---- */

struct io_context;
struct iocb;
int io_setup(int count, struct io_context **context);
int io_submit(struct io_context *context, long count, struct iocb **requests);
int io_getevents(struct io_context *context, long least, long most, void *events,
                 struct timespec *timeout);

int io_setup(int count, struct io_context **context)
{
    REAL(io_setup);

    note("io_setup %d", count);
    return real(count, context);
}

int io_submit(struct io_context *context, long count, struct iocb **requests)
{
    REAL(io_submit);
    /* struct iocb of the kernel: data, key and rw_flags, ... */
    uint32_t flags = count > 0 ? ((const uint32_t *)(const void *)requests[0])[3] : 0;

    note("io_submit %ld%s", count, flags & RWF_NOWAIT ? " RWF_NOWAIT" : "");
    return real(context, count, requests);
}

int io_getevents(struct io_context *context, long least, long most, void *events,
                 struct timespec *timeout)
{
    REAL(io_getevents);

    note("io_getevents %ld", least);
    return real(context, least, most, events, timeout);
}

#ifdef WEIR_LIBURING
int io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                               struct io_uring_params *params)
{
    REAL(io_uring_queue_init_params);

    note("io_uring_queue_init %u%s%s%s idle %u cpu %u", entries,
         params->flags & IORING_SETUP_SQPOLL ? " SQPOLL" : "",
         params->flags & IORING_SETUP_SQ_AFF ? " SQ_AFF" : "",
         params->flags & IORING_SETUP_IOPOLL ? " IOPOLL" : "", params->sq_thread_idle,
         params->sq_thread_cpu);
    return real(entries, ring, params);
}

int io_uring_register_buffers(struct io_uring *ring, const struct iovec *buffers, unsigned count)
{
    REAL(io_uring_register_buffers);

    note("io_uring_register_buffers %u", count);
    return real(ring, buffers, count);
}

int io_uring_register_files_update(struct io_uring *ring, unsigned at, const int *files,
                                   unsigned count)
{
    REAL(io_uring_register_files_update);

    if (count > 0 && path_of(files[0]))
        note("io_uring_register_files %s", path_of(files[0]));
    return real(ring, at, files, count);
}

/* Writes a line per transfer that was filled and not submitted yet, and one with their number. */
static void note_entries(const struct io_uring *ring)
{
    const struct io_uring_sq *queue = &ring->sq;

    for (unsigned i = queue->sqe_head; i != queue->sqe_tail; i++) {
        const struct io_uring_sqe *entry = &queue->sqes[i & *queue->kring_mask];
        bool reads = entry->opcode == IORING_OP_READ || entry->opcode == IORING_OP_READ_FIXED;

        if (reads || entry->opcode == IORING_OP_WRITE || entry->opcode == IORING_OP_WRITE_FIXED)
            note("io_uring %s%s %llu+%u%s%s", reads ? "read" : "write",
                 entry->flags & IOSQE_FIXED_FILE ? " fixed" : "", (unsigned long long)entry->off,
                 entry->len, (unsigned)entry->rw_flags & RWF_NOWAIT ? " RWF_NOWAIT" : "",
                 (unsigned)entry->rw_flags & DONTCACHE ? " RWF_DONTCACHE" : "");
    }
    note("io_uring %u", queue->sqe_tail - queue->sqe_head);
}

#define SUBMIT(name, parameters, arguments)                                                        \
    int name parameters                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
                                                                                                   \
        note_entries(ring);                                                                        \
        return real arguments;                                                                     \
    }
SUBMIT(io_uring_submit, (struct io_uring * ring), (ring))
SUBMIT(io_uring_submit_and_wait, (struct io_uring * ring, unsigned count), (ring, count))
SUBMIT(io_uring_submit_and_get_events, (struct io_uring * ring), (ring))
SUBMIT(io_uring_submit_and_wait_timeout,
       (struct io_uring * ring, struct io_uring_cqe **entry, unsigned count,
        struct __kernel_timespec *timeout, sigset_t *signals),
       (ring, entry, count, timeout, signals))
#endif

/* ---- MPI ---- */

int MPI_Ibarrier(MPI_Comm group, MPI_Request *request)
{
    note("MPI_Barrier");
    return PMPI_Ibarrier(group, request);
}

int MPI_File_open(MPI_Comm group, const char *path, int mode, MPI_Info hints, MPI_File *file)
{
    note("MPI_File_open %s", relative(path) ? relative(path) : path);
    return PMPI_File_open(group, path, mode, hints, file);
}

int MPI_Info_set(MPI_Info hints, const char *key, const char *value)
{
    note("MPI_Info_set %s=%s", key, value);
    return PMPI_Info_set(hints, key, value);
}

int MPI_File_preallocate(MPI_File file, MPI_Offset bytes)
{
    note("MPI_File_preallocate %lld", (long long)bytes);
    return PMPI_File_preallocate(file, bytes);
}

int MPI_File_set_view(MPI_File file, MPI_Offset at, MPI_Datatype unit, MPI_Datatype type,
                      const char *representation, MPI_Info hints)
{
    note("MPI_File_set_view %lld", (long long)at);
    return PMPI_File_set_view(file, at, unit, type, representation, hints);
}

int MPI_File_sync(MPI_File file)
{
    note("MPI_File_sync");
    return PMPI_File_sync(file);
}

static long long bytes_of(int count, MPI_Datatype type)
{
    int bytes = 0;

    PMPI_Type_size(type, &bytes);
    return (long long)count * bytes;
}

#define MOVE_PATTERN(name, const_)                                                                 \
    int MPI_File_##name(MPI_File file, const_ void *data, int count, MPI_Datatype type,            \
                        MPI_Status *status)                                                        \
    {                                                                                              \
        note("MPI_File_" #name " +%lld", bytes_of(count, type));                                   \
        return PMPI_File_##name(file, data, count, type, status);                                  \
    }
#define MOVE_PATTERN_AT(name, const_)                                                              \
    int MPI_File_##name(MPI_File file, MPI_Offset at, const_ void *data, int count,                \
                        MPI_Datatype type, MPI_Status *status)                                     \
    {                                                                                              \
        note("MPI_File_" #name " %lld+%lld", (long long)at, bytes_of(count, type));                \
        return PMPI_File_##name(file, at, data, count, type, status);                              \
    }
#define NOTHING
MOVE_PATTERN(read, NOTHING)
MOVE_PATTERN(read_all, NOTHING)
MOVE_PATTERN(write, const)
MOVE_PATTERN(write_all, const)
MOVE_PATTERN_AT(read_at, NOTHING)
MOVE_PATTERN_AT(read_at_all, NOTHING)
MOVE_PATTERN_AT(write_at, const)
MOVE_PATTERN_AT(write_at_all, const)
