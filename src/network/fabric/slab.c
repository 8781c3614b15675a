/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that other processes of the node can map: memfd, in huge pages if there are any in
 * reserve. */
#include "weir/fabric/fabric.h"
#include "weir/system/memory.h"
#include "weir/system/memory_place.h"
#include "weir/system/small_file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 5.14; older headers do not know it, and older kernels say so. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* A slab that a peer has mapped must not shrink: touching what is gone would end the peer. The shm
 * provider maps nothing that is not sealed like this. */
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* 0: the kernel has none. */
static size_t huge_page_bytes(void)
{
    char kib[32];

    weir_small_file_field("/proc/meminfo", "Hugepagesize", kib, sizeof kib);
    return strtoul(kib, NULL, 10) * 1024;
}

/* Of the host, or of a control group around this process. Memory is had by touching it: where there
 * is too little of it, the kernel ends some process, and in a control group this one. */
static bool is_too_much(size_t bytes)
{
    struct weir_memory_facts memory;

    return weir_memory_describe("", &memory) == 0 && bytes > memory.bytes_available;
}

/* The mapping exists already and has its policy, which fallocate obeys: that tells of too little
 * memory where a touch would be a bus error. */
static int touch_by_hand(const struct weir_slab *slab, size_t page_bytes)
{
    volatile unsigned char *byte = slab->memory;

    assert(byte != NULL);
    if (fallocate(slab->fd, 0, 0, (off_t)slab->bytes) != 0)
        return -errno;
    for (size_t at = 0; at < slab->bytes; at += page_bytes)
        byte[at] = 0;
    return 0;
}

static int touch(const struct weir_slab *slab, size_t page_bytes)
{
    if (madvise(slab->memory, slab->bytes, MADV_POPULATE_WRITE) == 0)
        return 0;
    if (errno == EINVAL)
        return touch_by_hand(slab, page_bytes);
    return errno == EFAULT ? -ENOMEM : -errno; /* EFAULT: a bus error, had it been touched */
}

static int map(struct weir_slab *slab, bool is_hopeful)
{
    if (ftruncate(slab->fd, (off_t)slab->bytes) != 0 || fcntl(slab->fd, F_ADD_SEALS, SEALS) != 0)
        return -errno;
    slab->memory = mmap(NULL, slab->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, slab->fd, 0);
    if (slab->memory == MAP_FAILED) {
        slab->memory = NULL;
        return -errno;
    }
    /* None in reserve: the kernel may still make some. */
    if (is_hopeful)
        madvise(slab->memory, slab->bytes, MADV_HUGEPAGE);
    return 0;
}

/* In pages of `page_bytes`; huge ones have MFD_HUGETLB among the flags. *is_final: another kind of
 * page would not help. 0 or -errno. */
static int attempt(struct weir_slab *slab, const struct weir_slab_params *params, size_t page_bytes,
                   unsigned flags, bool *is_final)
{
    bool is_huge = (flags & MFD_HUGETLB) != 0;
    struct weir_slab made = {.fd = -1, .is_huge = is_huge};
    int code;

    *is_final = false;
    slab->denied_call = NULL;
    if (params->bytes > SIZE_MAX / 2 - page_bytes)
        return -ENOMEM;
    made.bytes = (params->bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (!is_huge && is_too_much(made.bytes))
        return -ENOMEM;
    made.fd = memfd_create("weir", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);
    code = made.fd < 0 ? -errno : map(&made, params->wants_huge_pages && !is_huge);
    if (code == 0 && params->place) {
        code = params->place(params->place_context, made.memory, made.bytes);
        *is_final = code != 0;
    }
    if (code == 0)
        code = touch(&made, page_bytes);
    if (code == 0) {
        *slab = made;
        return 0;
    }
    if (made.fd < 0 && (code == -EPERM || code == -EACCES || code == -ENOSYS))
        slab->denied_call = "memfd_create";
    weir_slab_close(&made);
    return code;
}

int weir_slab_open(struct weir_slab *slab, const struct weir_slab_params *params)
{
    size_t huge_bytes = params->wants_huge_pages ? huge_page_bytes() : 0;
    bool is_final;
    int code;

    slab->denied_call = NULL;
    if (params->bytes == 0)
        return -EINVAL;
    if (huge_bytes > 0) {
        code = attempt(slab, params, huge_bytes, MFD_HUGETLB, &is_final);
        if (code == 0 || is_final)
            return code;
    }
    return attempt(slab, params, (size_t)sysconf(_SC_PAGESIZE), 0, &is_final);
}

uint64_t weir_slab_huge_bytes(const struct weir_slab *slab)
{
    if (slab->memory == NULL)
        return 0;
    return slab->is_huge ? slab->bytes : weir_memory_huge_bytes("", slab->memory, slab->bytes);
}

void weir_slab_close(struct weir_slab *slab)
{
    if (slab->memory)
        munmap(slab->memory, slab->bytes);
    if (slab->fd >= 0)
        close(slab->fd);
    *slab = (struct weir_slab){.fd = -1};
}
