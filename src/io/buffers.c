/* SPDX-License-Identifier: Apache-2.0 */
/* One anonymous mapping holds all buffers of all slots: aligned by construction, of huge pages if
 * that is asked for and can be had, and touched before anything is timed. */
#include "weir/io/buffers.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Since Linux 5.14; older headers do not know it, and older kernels say so. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { CACHE_LINE_BYTES = 64, WINDOWS_MAX = 1 << 30, USUAL_HUGE_PAGE_BYTES = 2 << 20 };

static size_t round_up(size_t bytes, size_t granule)
{
    return (bytes + granule - 1) & ~(granule - 1);
}

/* Windows keep to what the file demands; small ones also to cache lines, large ones to pages. */
static size_t buffer_granule(uint64_t transfer_bytes, size_t page_bytes, uint32_t alignment)
{
    size_t natural = transfer_bytes >= page_bytes ? page_bytes : CACHE_LINE_BYTES;

    return alignment > natural ? alignment : natural;
}

/* Of the kind that mmap gives where no size is named. */
static size_t huge_page_bytes(void)
{
    FILE *facts = fopen("/proc/meminfo", "re");
    size_t kib = 0;
    char line[128];

    while (facts && kib == 0 && fgets(line, sizeof line, facts))
        if (sscanf(line, "Hugepagesize: %zu kB", &kib) != 1)
            kib = 0;
    if (facts)
        fclose(facts);
    return kib > 0 ? kib * 1024 : USUAL_HUGE_PAGE_BYTES;
}

/* Maps more than needed where pages alone do not align enough, and gives the margins back. */
static void *map_aligned(size_t bytes, size_t page_bytes, size_t alignment, int flags)
{
    size_t margin = alignment > page_bytes ? alignment - page_bytes : 0;
    unsigned char *mapped = mmap(NULL, bytes + margin, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    size_t head;

    assert(alignment > 0);
    if (mapped == MAP_FAILED)
        return NULL;
    head = (alignment - (uintptr_t)mapped % alignment) % alignment;
    if (head > 0)
        munmap(mapped, head);
    if (margin > head)
        munmap(mapped + head + bytes, margin - head);
    return mapped + head;
}

/* The owner says where pages shall be, as long as there are none. */
static int place(const struct weir_buffers *made, const struct weir_buffers_params *params)
{
    return params->place ? params->place(params->place_context, made->memory, made->bytes) : 0;
}

static void unmap(struct weir_buffers *made)
{
    munmap(made->memory, made->bytes);
    made->memory = NULL;
}

/* Pages out of the reserve. All are had now or not at all: one that is missing later, because a
 * control group has its share or a NUMA node has no more, would be a bus error. 0, without memory
 * if there are too few; or what `place` returns. */
static int map_reserved(struct weir_buffers *made, size_t huge_bytes,
                        const struct weir_buffers_params *params)
{
    size_t alignment = params->alignment > huge_bytes ? params->alignment : huge_bytes;
    int code;

    made->memory = map_aligned(made->bytes, huge_bytes, alignment, MAP_HUGETLB);
    if (!made->memory)
        return 0;
    code = place(made, params);
    if (code != 0 ||
        (madvise(made->memory, made->bytes, MADV_POPULATE_WRITE) != 0 && errno != EINVAL))
        unmap(made);
    else
        made->is_huge = true;
    return code;
}

/* Pages that the kernel makes huge if it can: it needs whole ones for that. */
static void map_hopeful(struct weir_buffers *made, size_t huge_bytes, size_t page_bytes,
                        const struct weir_buffers_params *params)
{
    size_t alignment = params->alignment > huge_bytes ? params->alignment : huge_bytes;

    made->memory = map_aligned(made->bytes, page_bytes, alignment, 0);
    made->may_be_huge = made->memory && madvise(made->memory, made->bytes, MADV_HUGEPAGE) == 0;
}

/* 0, -ENOMEM or what `place` returns. */
static int map_windows(struct weir_buffers *made, size_t page_bytes,
                       const struct weir_buffers_params *params)
{
    size_t granule = params->wants_huge_pages ? huge_page_bytes() : page_bytes;
    int code;

    made->bytes = round_up(made->bytes, granule);
    if (params->wants_huge_pages) {
        code = map_reserved(made, granule, params);
        if (code != 0 || made->memory)
            return code;
        map_hopeful(made, granule, page_bytes, params);
    } else {
        made->memory = map_aligned(made->bytes, page_bytes, params->alignment, 0);
    }
    if (!made->memory)
        return -ENOMEM;
    code = place(made, params);
    if (code != 0)
        unmap(made);
    return code;
}

int weir_buffers_open(struct weir_buffers *buffers, const struct weir_buffers_params *params)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    const unsigned slots = params->slots;
    const uint64_t transfer_bytes = params->transfer_bytes;
    const uint64_t spread_bytes = params->spread_bytes;
    struct weir_buffers made = {.slots = slots, .per_slot = 1};
    size_t row_bytes;
    int code;

    if (transfer_bytes > SIZE_MAX / 4)
        return -ENOMEM;
    made.buffer_bytes = round_up(transfer_bytes > 0 ? transfer_bytes : 1,
                                 buffer_granule(transfer_bytes, page_bytes, params->alignment));
    if (__builtin_mul_overflow(made.buffer_bytes, slots, &row_bytes) ||
        spread_bytes / row_bytes > WINDOWS_MAX / 2)
        return -ENOMEM;
    while (made.per_slot * row_bytes < spread_bytes)
        made.per_slot *= 2;
    if (__builtin_mul_overflow(row_bytes, made.per_slot, &made.bytes) || made.bytes > SIZE_MAX / 4)
        return -ENOMEM;
    code = map_windows(&made, page_bytes, params);
    if (code != 0)
        return code;
    memset(made.memory, 0, made.bytes);
    *buffers = made;
    return 0;
}

void weir_buffers_close(struct weir_buffers *buffers)
{
    if (buffers->memory)
        munmap(buffers->memory, buffers->bytes);
    *buffers = (struct weir_buffers){0};
}
