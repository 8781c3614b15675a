// SPDX-License-Identifier: Apache-2.0
// swap: loaded before a program, puts a link to a file of somebody else in the place of a name just
// before the program's n-th call that takes it.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

static void tell(const char *call, const char *what)
{
    char line[128];
    snprintf(line, sizeof line, "%s%s\n", call, what);
    int log = (int)syscall(SYS_openat, AT_FDCWD, setting("SWAP_LOG"), O_WRONLY | O_CREAT | O_APPEND,
                           0600);
    if (log < 0 || syscall(SYS_write, log, line, strlen(line)) < 0)
        _exit(99);
    syscall(SYS_close, log);
}

// The name itself, not names that are made of it; SWAP_RANK says which rank of a job does it.
static int is_meant(const char *path)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    const char *target = setting("SWAP_NAME");
    if (!path || !*target || strcmp(rank ? rank : "0", setting("SWAP_RANK")) != 0)
        return 0;
    const char *slash = strrchr(path, '/');
    const char *own_slash = strrchr(target, '/');
    return strcmp(slash ? slash + 1 : path, own_slash ? own_slash + 1 : target) == 0;
}

static void attend(const char *call, const char *path)
{
    static long calls;
    if (!is_meant(path))
        return;
    const char *name = setting("SWAP_NAME");
    const char *victim = setting("SWAP_VICTIM");
    const char *aside = setting("SWAP_ASIDE");
    long when = strtol(setting("SWAP_AT"), NULL, 10);
    calls++;
    if (calls == when) {
        syscall(SYS_renameat, AT_FDCWD, name, AT_FDCWD, aside);
        if (*setting("SWAP_KIND") == 's')
            syscall(SYS_symlinkat, victim, AT_FDCWD, name);
        else
            syscall(SYS_linkat, AT_FDCWD, victim, AT_FDCWD, name, 0);
        tell(call, " swapped");
    } else if (calls == when + 1 && *setting("SWAP_BACK") == '1') {
        syscall(SYS_unlinkat, AT_FDCWD, name, 0);
        syscall(SYS_renameat, AT_FDCWD, aside, AT_FDCWD, name);
        tell(call, " swapped back");
    } else {
        tell(call, "");
    }
}

#define REAL(type, name, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (!real)                                                                                     \
    real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static mode_t mode_of(int flags, va_list more)
{
    return flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(more, int) : 0;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        REAL(int, name, const char *, int, ...);                                                   \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, more);                                                        \
        va_end(more);                                                                              \
        attend(#name, path);                                                                       \
        return real(path, flags, mode);                                                            \
    }
#define OPENAT(name)                                                                               \
    int name(int folder, const char *path, int flags, ...)                                         \
    {                                                                                              \
        REAL(int, name, int, const char *, int, ...);                                              \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, more);                                                        \
        va_end(more);                                                                              \
        attend(#name, path);                                                                       \
        return real(folder, path, flags, mode);                                                    \
    }
#define TWO(name, second)                                                                          \
    int name(const char *path, second more)                                                        \
    {                                                                                              \
        REAL(int, name, const char *, second);                                                     \
        attend(#name, path);                                                                       \
        return real(path, more);                                                                   \
    }
#define FOUR(name, third)                                                                          \
    int name(int folder, const char *path, third value, int flags)                                 \
    {                                                                                              \
        REAL(int, name, int, const char *, third, int);                                            \
        attend(#name, path);                                                                       \
        return real(folder, path, value, flags);                                                   \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
TWO(creat, mode_t)
TWO(stat, struct stat *)
TWO(stat64, struct stat64 *)
TWO(lstat, struct stat *)
TWO(lstat64, struct stat64 *)
TWO(access, int)
TWO(truncate, off_t)
TWO(truncate64, off64_t)
FOUR(fstatat, struct stat *)
FOUR(fstatat64, struct stat64 *)
FOUR(faccessat, int)

int unlink(const char *path)
{
    REAL(int, unlink, const char *);
    attend("unlink", path);
    return real(path);
}

int unlinkat(int folder, const char *path, int flags)
{
    REAL(int, unlinkat, int, const char *, int);
    attend("unlinkat", path);
    return real(folder, path, flags);
}

int rename(const char *from, const char *to)
{
    REAL(int, rename, const char *, const char *);
    attend("rename", from);
    attend("rename", to);
    return real(from, to);
}

int statx(int folder, const char *restrict path, int flags, unsigned mask,
          struct statx *restrict out)
{
    REAL(int, statx, int, const char *, int, unsigned, struct statx *);
    attend("statx", path);
    return real(folder, path, flags, mask, out);
}

long syscall(long number, ...)
{
    static long (*real)(long, ...);
    if (!real)
        real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    va_list more;
    va_start(more, number);
    long word[6];
    for (int i = 0; i < 6; i++)
        word[i] = va_arg(more, long);
    va_end(more);
    static __thread int own;
    if (!own && (number == SYS_openat2 || number == SYS_openat || number == SYS_statx)) {
        own = 1;
        attend("syscall", (const char *)word[1]);
        own = 0;
    }
    return real(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
