/* SPDX-License-Identifier: Apache-2.0 */
/* The file behind a slab: what it may be, and that what was committed is in it. */
#include "network/objects/backing.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define BYTES (4 * WEIR_CHUNK_BYTES)

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
int __wrap_posix_fallocate(int fd, off_t offset, off_t bytes);

struct bed {
    char directory[32];
    char path[64];
    unsigned char *memory;
    atomic_uint wakes;
    struct weir_backing *backing;
    struct weir_error error;
};

/* What the system is to do; changed only while no job is under way. */
static struct {
    atomic_int sync_code, write_code, fallocate_code;
    atomic_uint syncs;
} plan;

int __wrap_fdatasync(int fd)
{
    atomic_fetch_add(&plan.syncs, 1);
    errno = plan.sync_code;
    return plan.sync_code ? -1 : __real_fdatasync(fd);
}

ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    int code = plan.write_code;

    if (code == EINVAL || code == EINTR) /* once */
        plan.write_code = 0;
    errno = code;
    /* Short ones are gone on with. */
    return code ? -1 : __real_pwrite(fd, data, bytes > 8192 ? 8192 : bytes, offset);
}

int __wrap_posix_fallocate(int fd, off_t offset, off_t bytes)
{
    struct stat facts;

    (void)offset;
    if (plan.fallocate_code)
        return plan.fallocate_code;
    return fstat(fd, &facts) == 0 && facts.st_size >= bytes ? 0 : ftruncate(fd, bytes);
}

static void wake(void *context)
{
    atomic_fetch_add(&((struct bed *)context)->wakes, 1);
}

static int open_backing(struct bed *bed)
{
    struct weir_backing_params params = {
        .path = bed->path, .bytes = BYTES, .memory = bed->memory, .wake = wake, .context = bed};

    memset(&bed->error, 0, sizeof bed->error);
    return weir_backing_open(&params, &bed->backing, &bed->error);
}

static int set_up(void **state)
{
    struct bed *bed = calloc(1, sizeof *bed);

    snprintf(bed->directory, sizeof bed->directory, "%s", "/tmp/weir-backing-XXXXXX");
    assert_non_null(mkdtemp(bed->directory));
    snprintf(bed->path, sizeof bed->path, "%s/back", bed->directory);
    bed->memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < BYTES; i++)
        bed->memory[i] = (unsigned char)(i * 31 >> 7 | 1);
    memset(&plan, 0, sizeof plan);
    *state = bed;
    return 0;
}

static int tear_down(void **state)
{
    struct bed *bed = *state;

    weir_backing_close(bed->backing);
    unlink(bed->path);
    rmdir(bed->directory);
    munmap(bed->memory, BYTES);
    free(bed);
    return 0;
}

static struct weir_backing_job *await(struct bed *bed)
{
    struct weir_backing_job *job;

    for (int i = 0; i < 10000; i++) {
        job = weir_backing_reap(bed->backing);
        if (job)
            return job;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("the job did not come back");
    return NULL;
}

static unsigned char at(struct bed *bed, off_t offset)
{
    int fd = open(bed->path, O_RDONLY);
    unsigned char byte = 0;

    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    close(fd);
    return byte;
}

static int commit(struct bed *bed, struct weir_range *pieces, uint32_t count)
{
    struct weir_backing_job job = {.pieces = pieces, .count = count, .owner = bed};

    weir_backing_submit(bed->backing, &job);
    assert_ptr_equal(await(bed), &job);
    assert_null(weir_backing_reap(bed->backing));
    return job.result;
}

static void what_was_committed_is_in_the_file_and_nothing_else(void **state)
{
    struct bed *bed = *state;
    struct weir_range pieces[] = {{5000, 20000}, {2 * WEIR_CHUNK_BYTES, WEIR_CHUNK_BYTES}};
    struct stat facts;

    assert_int_equal(open_backing(bed), 0);
    stat(bed->path, &facts);
    assert_int_equal(facts.st_size, BYTES + 4096);
    assert_int_equal(facts.st_mode & 077, 0);
    assert_int_equal(commit(bed, pieces, 2), 0);
    assert_int_equal(plan.syncs, 1);
    assert_true(bed->wakes >= 1);
    for (off_t i = 5000; i < 25000; i += 77)
        assert_int_equal(at(bed, i), bed->memory[i]);
    assert_int_equal(at(bed, 24999), bed->memory[24999]);
    for (off_t i = 2 * WEIR_CHUNK_BYTES; i < (off_t)(3 * WEIR_CHUNK_BYTES); i += 9999)
        assert_int_equal(at(bed, i), bed->memory[i]);
    assert_int_equal(at(bed, 4095), 0);
    assert_int_equal(at(bed, 30000), 0);
    assert_int_equal(at(bed, 3 * WEIR_CHUNK_BYTES), 0);
}

static void nothing_is_called_stable_that_was_not_synced(void **state)
{
    struct bed *bed = *state;
    struct weir_range piece = {0, 100};

    assert_int_equal(open_backing(bed), 0);
    plan.sync_code = EIO;
    assert_int_equal(commit(bed, &piece, 1), -EIO);
    plan.sync_code = 0;
    plan.write_code = ENOSPC;
    assert_int_equal(commit(bed, &piece, 1), -ENOSPC);
    plan.write_code = EINTR;
    assert_int_equal(commit(bed, &piece, 1), 0);
    plan.write_code = 0;
    assert_int_equal(commit(bed, &piece, 1), 0);
    assert_int_equal(plan.syncs, 4);
}

static void a_file_system_that_refuses_direct_writes_gets_others(void **state)
{
    struct bed *bed = *state;
    struct weir_range piece = {0, 100};

    assert_int_equal(open_backing(bed), 0);
    plan.write_code = EINVAL;
    /* /tmp may have no O_DIRECT at all: then this is a real error. */
    commit(bed, &piece, 1);
    plan.write_code = 0;
    assert_int_equal(commit(bed, &piece, 1), 0);
    assert_int_equal(at(bed, 1), bed->memory[1]);
}

static void files_of_others_are_refused(void **state)
{
    struct bed *bed = *state;
    struct weir_backing *first;
    struct stat facts;
    int fd = open(bed->path, O_CREAT | O_WRONLY, 0600);

    assert_int_equal(write(fd, "precious", 8), 8);
    close(fd);
    assert_int_equal(open_backing(bed), -EEXIST);
    assert_non_null(strstr(bed->error.text, "no stamp"));
    stat(bed->path, &facts);
    assert_int_equal(facts.st_size, 8);
    /* Nor does the right size make it ours. */
    for (off_t bytes = BYTES; bytes <= (off_t)BYTES + 4096; bytes += 4096) {
        assert_int_equal(truncate(bed->path, bytes), 0);
        assert_int_equal(open_backing(bed), -EEXIST);
        stat(bed->path, &facts);
        assert_int_equal(facts.st_size, bytes);
        assert_int_equal(at(bed, 0), 'p');
    }
    unlink(bed->path);

    assert_int_equal(open_backing(bed), 0);
    first = bed->backing;
    bed->backing = NULL;
    assert_int_equal(open_backing(bed), -EBUSY);
    assert_non_null(strstr(bed->error.text, "another server has it"));
    weir_backing_close(first);
    assert_int_equal(open_backing(bed), 0); /* as the first one left it */
}

static void a_file_of_ours_becomes_as_large_as_it_is_to_be(void **state)
{
    struct bed *bed = *state;
    struct stat facts;

    for (uint64_t bytes = BYTES; bytes > 0; bytes -= BYTES / 2) {
        struct weir_backing_params params = {
            .path = bed->path, .bytes = bytes, .memory = bed->memory, .wake = wake, .context = bed};

        assert_int_equal(weir_backing_open(&params, &bed->backing, &bed->error), 0);
        stat(bed->path, &facts);
        assert_int_equal(facts.st_size, params.bytes + 4096);
        weir_backing_close(bed->backing);
    }
    assert_int_equal(open_backing(bed), 0);
    stat(bed->path, &facts);
    assert_int_equal(facts.st_size, BYTES + 4096);
}

static void a_full_disk_is_told_and_leaves_no_file(void **state)
{
    struct bed *bed = *state;
    struct weir_backing_params params;

    plan.fallocate_code = ENOSPC;
    assert_int_equal(open_backing(bed), -ENOSPC);
    assert_non_null(strstr(bed->error.text, "--rdma.capacity"));
    assert_int_equal(access(bed->path, F_OK), -1);
    /* One of ours stays ours, whatever stops its growth. */
    plan.fallocate_code = 0;
    assert_int_equal(open_backing(bed), 0);
    weir_backing_close(bed->backing);
    bed->backing = NULL;
    plan.fallocate_code = ENOSPC;
    params = (struct weir_backing_params){
        .path = bed->path, .bytes = 2 * BYTES, .memory = bed->memory, .wake = wake, .context = bed};
    assert_int_equal(weir_backing_open(&params, &bed->backing, &bed->error), -ENOSPC);
    plan.fallocate_code = 0;
    assert_int_equal(open_backing(bed), 0);
    weir_backing_close(bed->backing);
    bed->backing = NULL;
    unlink(bed->path);
    snprintf(bed->path, sizeof bed->path, "/nowhere/at/all");
    assert_int_equal(open_backing(bed), -ENOENT);
    snprintf(bed->path, sizeof bed->path, "/dev/null");
    assert_int_not_equal(open_backing(bed), 0);
    bed->path[0] = 0;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_was_committed_is_in_the_file_and_nothing_else),
        TEST(nothing_is_called_stable_that_was_not_synced),
        TEST(a_file_system_that_refuses_direct_writes_gets_others),
        TEST(files_of_others_are_refused),
        TEST(a_file_of_ours_becomes_as_large_as_it_is_to_be),
        TEST(a_full_disk_is_told_and_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
