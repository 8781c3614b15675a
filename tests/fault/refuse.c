/* SPDX-License-Identifier: Apache-2.0 */
/* LD_PRELOAD: reads and writes at explicit offsets fail from REFUSE_FROM on in files whose path
 * begins with REFUSE_PREFIX, with errno REFUSE_ERRNO. */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
