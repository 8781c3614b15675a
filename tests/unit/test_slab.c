/* SPDX-License-Identifier: Apache-2.0 */
/* Slabs: whole pages, all of them there, of the kind that was to be had, and never smaller. The
 * kernel's reserve of huge pages, its older versions and its refusals are made up. */
#include "weir/fabric/fabric.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PAGE_BYTES = 4096, HUGE_BYTES = 2 << 20 };

/* What the kernel of a test answers; 0 everywhere: as it is, but for the huge pages. */
struct kernel {
    bool has_huge_pages;  /* huge memfds are made, of ordinary pages */
    int huge_map_error;   /* mmap of one */
    int populate_error;   /* madvise */
    int huge_touch_error; /* the same, of a huge one only */
    int fallocate_error;
    const char *meminfo;
    const char *group_bytes; /* what the control group of this process may have; NULL: as it is */
    /* what was seen */
    int huge_fd;
    unsigned populated, allocated, hoped;
    size_t populated_bytes;
};

static struct kernel kernel;

int __real_memfd_create(const char *name, unsigned flags);
int __wrap_memfd_create(const char *name, unsigned flags);
void *__real_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset);
int __real_madvise(void *at, size_t bytes, int advice);
int __wrap_madvise(void *at, size_t bytes, int advice);
int __real_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

int __wrap_memfd_create(const char *name, unsigned flags)
{
    int fd;

    kernel.huge_fd = -1;
    if ((flags & MFD_HUGETLB) == 0)
        return __real_memfd_create(name, flags);
    if (!kernel.has_huge_pages) {
        errno = ENOSYS;
        return -1;
    }
    fd = __real_memfd_create(name, flags & ~MFD_HUGETLB);
    kernel.huge_fd = fd;
    return fd;
}

void *__wrap_mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    if (fd >= 0 && fd == kernel.huge_fd && kernel.huge_map_error != 0) {
        errno = kernel.huge_map_error;
        return MAP_FAILED;
    }
    return __real_mmap(at, bytes, protection, flags, fd, offset);
}

int __wrap_madvise(void *at, size_t bytes, int advice)
{
    if (advice == MADV_HUGEPAGE)
        kernel.hoped++;
    if (advice != MADV_POPULATE_WRITE)
        return __real_madvise(at, bytes, advice);
    errno = kernel.populate_error;
    if (errno == 0 && kernel.huge_fd >= 0 && kernel.populated == 0)
        errno = kernel.huge_touch_error;
    kernel.populated++;
    kernel.populated_bytes = bytes;
    return errno != 0 ? -1 : __real_madvise(at, bytes, advice);
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    kernel.allocated++;
    errno = kernel.fallocate_error;
    return errno != 0 ? -1 : __real_fallocate(fd, mode, offset, bytes);
}

static FILE *open_text(const char *text)
{
    return fmemopen((void *)(uintptr_t)text, strlen(text), "r");
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    static const char limit[] = "/memory.max";
    size_t length = strlen(path);

    if (strcmp(path, "/proc/meminfo") == 0 && kernel.meminfo)
        return open_text(kernel.meminfo);
    if (strcmp(path, "/proc/self/cgroup") == 0 && kernel.group_bytes)
        return open_text("0::/weir\n");
    if (strcmp(path, "/proc/self/mountinfo") == 0 && kernel.group_bytes)
        return open_text("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    if (length > sizeof limit && strcmp(path + length + 1 - sizeof limit, limit) == 0 &&
        kernel.group_bytes)
        return open_text(kernel.group_bytes);
    return __real_fopen(path, mode);
}

static const char usual[] = "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n"
                            "Hugepagesize:       2048 kB\n";

static int begin(void **state)
{
    kernel = (struct kernel){.huge_fd = -1, .meminfo = usual};
    return 0;
}

static unsigned open_descriptors(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static int open_slab(struct weir_slab *slab, size_t bytes, bool wants_huge_pages)
{
    return weir_slab_open(
        slab, &(struct weir_slab_params){.bytes = bytes, .wants_huge_pages = wants_huge_pages});
}

static void a_slab_is_whole_pages_that_are_zero_and_there(void **state)
{
    static const size_t sizes[] = {1, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1, 3 << 20};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char resident[(3 << 20) / PAGE_BYTES];
        unsigned descriptors = open_descriptors();
        struct weir_slab slab;
        struct stat facts;

        assert_int_equal(open_slab(&slab, sizes[i], false), 0);
        assert_int_equal(slab.bytes, (sizes[i] + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
        assert_false(slab.is_huge);
        assert_int_equal(fstat(slab.fd, &facts), 0);
        assert_int_equal(facts.st_size, slab.bytes);
        assert_int_equal(facts.st_blocks * 512, slab.bytes);
        assert_int_equal(mincore(slab.memory, slab.bytes, resident), 0);
        for (size_t page = 0; page < slab.bytes / PAGE_BYTES; page++)
            assert_true(resident[page] & 1);
        for (size_t byte = 0; byte < slab.bytes; byte++)
            assert_int_equal(((unsigned char *)slab.memory)[byte], 0);
        assert_int_equal(kernel.hoped, 0);
        weir_slab_close(&slab);
        assert_int_equal(slab.fd, -1);
        assert_null(slab.memory);
        assert_int_equal(open_descriptors(), descriptors);
    }
}

static void what_another_maps_is_the_same_memory_and_cannot_shrink(void **state)
{
    struct weir_slab slab;
    unsigned char *other;
    char path[64];
    int fd;

    assert_int_equal(open_slab(&slab, 8 * PAGE_BYTES, false), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", slab.fd);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    other = mmap(NULL, slab.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(other, MAP_FAILED);
    other[5 * PAGE_BYTES + 7] = 42;
    assert_int_equal(((unsigned char *)slab.memory)[5 * PAGE_BYTES + 7], 42);
    assert_int_equal(ftruncate(fd, PAGE_BYTES), -1);
    assert_int_equal(ftruncate(slab.fd, 0), -1);
    assert_int_equal(ftruncate(slab.fd, (off_t)slab.bytes * 2), -1);
    assert_true(fcntl(slab.fd, F_GETFD) & FD_CLOEXEC);
    munmap(other, slab.bytes);
    close(fd);
    weir_slab_close(&slab);
}

static void huge_pages_in_reserve_are_taken(void **state)
{
    struct weir_slab slab;

    kernel.has_huge_pages = true;
    assert_int_equal(open_slab(&slab, HUGE_BYTES + 1, true), 0);
    assert_true(slab.is_huge);
    assert_int_equal(slab.bytes, 2 * HUGE_BYTES);
    assert_int_equal(kernel.populated_bytes, slab.bytes);
    assert_int_equal(kernel.hoped, 0);
    weir_slab_close(&slab);
}

/* The kernel has no such pages at all; none in reserve; none left for our control group. */
static void where_huge_pages_are_missing_ordinary_ones_serve(void **state)
{
    static const struct kernel kernels[] = {
        {.huge_fd = -1},
        {.huge_fd = -1, .has_huge_pages = true, .huge_map_error = ENOMEM},
        {.huge_fd = -1, .has_huge_pages = true, .huge_touch_error = EFAULT},
        {.huge_fd = -1, .meminfo = "MemTotal: 2000000 kB\nMemAvailable: 1000000 kB\n"},
    };

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        unsigned descriptors = open_descriptors();
        struct weir_slab slab;

        kernel = kernels[i];
        assert_int_equal(open_slab(&slab, HUGE_BYTES + 1, true), 0);
        assert_false(slab.is_huge);
        assert_int_equal(slab.bytes, HUGE_BYTES + PAGE_BYTES);
        /* The kernel is told that huge pages would be welcome. */
        assert_int_equal(kernel.hoped, 1);
        assert_int_equal(open_descriptors(), descriptors + 1);
        weir_slab_close(&slab);
    }
}

static void a_kernel_that_cannot_populate_is_helped(void **state)
{
    struct weir_slab slab;
    struct stat facts;

    kernel.populate_error = EINVAL;
    assert_int_equal(open_slab(&slab, 64 * PAGE_BYTES, false), 0);
    assert_int_equal(kernel.allocated, 1);
    assert_int_equal(fstat(slab.fd, &facts), 0);
    assert_int_equal(facts.st_blocks * 512, slab.bytes);
    weir_slab_close(&slab);
}

struct refusal {
    struct kernel kernel;
    size_t bytes;
    int code;
};

static void too_little_memory_is_told_and_leaves_nothing_open(void **state)
{
    static const struct refusal refusals[] = {
        {{.huge_fd = -1, .populate_error = EFAULT}, PAGE_BYTES, -ENOMEM},
        {{.huge_fd = -1, .populate_error = ENOMEM}, PAGE_BYTES, -ENOMEM},
        {{.huge_fd = -1, .populate_error = EINVAL, .fallocate_error = ENOSPC}, 1, -ENOSPC},
        {{.huge_fd = -1, .populate_error = EINVAL, .fallocate_error = ENOMEM}, 1, -ENOMEM},
        {{.huge_fd = -1, .meminfo = "MemTotal: 16 kB\nMemAvailable: 8 kB\n"},
         3 * PAGE_BYTES,
         -ENOMEM},
        {{.huge_fd = -1, .group_bytes = "12287\n"}, 3 * PAGE_BYTES, -ENOMEM},
        {{.huge_fd = -1}, SIZE_MAX, -ENOMEM},
        {{.huge_fd = -1}, SIZE_MAX / 2 - 1, -ENOMEM},
        {{.huge_fd = -1}, 0, -EINVAL},
    };

    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct weir_slab slab = {.fd = 12345, .denied_call = "of an earlier attempt"};
        unsigned descriptors = open_descriptors();

        kernel = refusals[i].kernel;
        assert_int_equal(open_slab(&slab, refusals[i].bytes, i % 2), refusals[i].code);
        assert_int_equal(slab.fd, 12345); /* untouched */
        assert_null(slab.denied_call);
        assert_int_equal(open_descriptors(), descriptors);
    }
}

struct placing {
    int answers[2];
    unsigned calls;
    bool was_touched;
};

/* Nothing of it is there yet: what is there already, stays where it is. */
static int place(void *context, void *memory, size_t bytes)
{
    struct placing *placing = context;
    unsigned char resident[64] = {0};

    assert_in_range(bytes, 1, sizeof resident * PAGE_BYTES);
    assert_int_equal(mincore(memory, bytes, resident), 0);
    for (size_t page = 0; page < sizeof resident; page++)
        placing->was_touched = placing->was_touched || (resident[page] & 1);
    return placing->answers[placing->calls++];
}

static void memory_is_placed_before_it_is_touched(void **state)
{
    struct placing placing = {.calls = 0};
    struct weir_slab slab;

    assert_int_equal(weir_slab_open(&slab, &(struct weir_slab_params){.bytes = 16 * PAGE_BYTES,
                                                                      .place = place,
                                                                      .place_context = &placing}),
                     0);
    assert_int_equal(placing.calls, 1);
    assert_false(placing.was_touched);
    assert_int_equal(kernel.populated, 1);
    weir_slab_close(&slab);
}

static int place_never(void *context, void *memory, size_t bytes)
{
    ++*(unsigned *)context;
    return -EPERM;
}

static void who_cannot_place_gets_no_memory_of_any_kind(void **state)
{
    unsigned descriptors = open_descriptors();
    struct weir_slab slab;
    unsigned calls = 0;

    kernel.has_huge_pages = true;
    assert_int_equal(weir_slab_open(&slab, &(struct weir_slab_params){.bytes = PAGE_BYTES,
                                                                      .wants_huge_pages = true,
                                                                      .place = place_never,
                                                                      .place_context = &calls}),
                     -EPERM);
    assert_int_equal(calls, 1);
    assert_int_equal(kernel.populated, 0);
    assert_int_equal(open_descriptors(), descriptors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_slab_is_whole_pages_that_are_zero_and_there, begin),
        cmocka_unit_test_setup(what_another_maps_is_the_same_memory_and_cannot_shrink, begin),
        cmocka_unit_test_setup(huge_pages_in_reserve_are_taken, begin),
        cmocka_unit_test_setup(where_huge_pages_are_missing_ordinary_ones_serve, begin),
        cmocka_unit_test_setup(a_kernel_that_cannot_populate_is_helped, begin),
        cmocka_unit_test_setup(too_little_memory_is_told_and_leaves_nothing_open, begin),
        cmocka_unit_test_setup(memory_is_placed_before_it_is_touched, begin),
        cmocka_unit_test_setup(who_cannot_place_gets_no_memory_of_any_kind, begin),
    };

    return cmocka_run_group_tests_name("slab", tests, NULL, NULL);
}
