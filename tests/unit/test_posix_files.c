/* SPDX-License-Identifier: Apache-2.0 */
/* What system calls there are for one item of a tree. Block devices as files: their size, what
 * direct transfers must be multiples of, and that opening one makes nothing; on a loop device over
 * a file without a name, skipped where none can be had. */
#include "posix_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { DEVICE_BYTES = 1 << 20, SECTOR_BYTES = 4096, PATH_BYTES = 64 };

extern const struct weir_backend weir_backend_posix;
extern const struct weir_backend weir_backend_stdio;
extern const struct weir_backend weir_backend_direct;

/* ---- a kernel that does not say what direct transfers must be multiples of ---- */

static bool is_statx_silent;
static unsigned look_count; /* system calls that look at a name or a file */

int __real_statx(int directory, const char *path, int flags, unsigned mask, struct statx *facts);
int __wrap_statx(int directory, const char *path, int flags, unsigned mask, struct statx *facts);

int __wrap_statx(int directory, const char *path, int flags, unsigned mask, struct statx *facts)
{
    int rc = __real_statx(directory, path, flags, mask, facts);

    look_count++;
    if (is_statx_silent)
        facts->stx_mask = 0;
    return rc;
}

#define COUNT_LOOKS(call, subject_type)                                                            \
    int __real_##call(subject_type subject, struct stat *facts);                                   \
    int __wrap_##call(subject_type subject, struct stat *facts);                                   \
                                                                                                   \
    int __wrap_##call(subject_type subject, struct stat *facts)                                    \
    {                                                                                              \
        look_count++;                                                                              \
        return __real_##call(subject, facts);                                                      \
    }

COUNT_LOOKS(stat, const char *)
COUNT_LOOKS(lstat, const char *)
COUNT_LOOKS(fstat, int)

/* ---- a C library that has no stream left ---- */

static int stream_error;

FILE *__real_fdopen(int fd, const char *mode);
FILE *__wrap_fdopen(int fd, const char *mode);

FILE *__wrap_fdopen(int fd, const char *mode)
{
    errno = stream_error;
    return stream_error != 0 ? NULL : __real_fdopen(fd, mode);
}

int __real_fstatat(int directory, const char *path, struct stat *facts, int flags);
int __wrap_fstatat(int directory, const char *path, struct stat *facts, int flags);

int __wrap_fstatat(int directory, const char *path, struct stat *facts, int flags)
{
    look_count++;
    return __real_fstatat(directory, path, facts, flags);
}

/* ---- a loop device, which is gone when it is closed ---- */

struct bench {
    char device[PATH_BYTES];
    int device_fd;
    struct weir_group *group;
    struct weir_session *session;
    struct weir_posix_session posix;
};

static int find_free(char device[PATH_BYTES])
{
    int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    int number;

    if (control < 0)
        return -errno;
    number = ioctl(control, LOOP_CTL_GET_FREE);
    close(control);
    if (number < 0)
        return -errno;
    snprintf(device, PATH_BYTES, "/dev/loop%d", number);
    return 0;
}

static int attach(int backing, const char *device)
{
    struct loop_config config = {.fd = (unsigned)backing,
                                 .block_size = SECTOR_BYTES,
                                 .info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};
    int fd = open(device, O_RDWR | O_CLOEXEC);

    if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &config) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Somebody else may take the device that was free a moment ago. */
static int make_device(char device[PATH_BYTES])
{
    int backing = open(".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int fd = -1;

    if (backing < 0 || ftruncate(backing, DEVICE_BYTES) != 0)
        return -1;
    for (int i = 0; i < 8 && fd < 0 && find_free(device) == 0; i++)
        fd = attach(backing, device);
    close(backing);
    return fd;
}

static void open_bench(struct bench *bench, bool is_direct)
{
    *bench = (struct bench){0};
    bench->device_fd = make_device(bench->device);
    is_statx_silent = false;
    if (bench->device_fd < 0)
        skip();
    assert_int_equal(weir_group_self_open(&bench->group), 0);
    weir_posix_session_init(&bench->posix, is_direct ? &weir_backend_direct : &weir_backend_posix,
                            is_direct, 1);
    bench->session = &bench->posix.base;
}

static void close_bench(struct bench *bench)
{
    close(bench->device_fd);
    weir_group_close(bench->group);
}

static struct weir_file *open_device(struct bench *bench)
{
    const struct weir_file_params params = {.path = bench->device,
                                            .can_write = true,
                                            .can_read = true,
                                            .must_create = true,
                                            .group = bench->group};
    struct weir_file *file = NULL;

    assert_int_equal(weir_posix_file_ops.open(bench->session, &params, &file), 0);
    return file;
}

static void move_sector(struct bench *bench, struct weir_file *file, enum weir_op_verb verb,
                        unsigned char *data)
{
    struct weir_op op = {.verb = verb,
                         .file = file,
                         .data = data,
                         .offset = DEVICE_BYTES - SECTOR_BYTES,
                         .size = SECTOR_BYTES};

    assert_int_equal(weir_posix_transfer_ops.transfer(bench->session, &op), SECTOR_BYTES);
}

static void write_and_read(struct bench *bench, struct weir_file *file)
{
    unsigned char *data = aligned_alloc(SECTOR_BYTES, 2 * SECTOR_BYTES);

    assert_non_null(data);
    memset(data, 7, SECTOR_BYTES);
    memset(data + SECTOR_BYTES, 0, SECTOR_BYTES);
    move_sector(bench, file, WEIR_OP_WRITE, data);
    move_sector(bench, file, WEIR_OP_READ, data + SECTOR_BYTES);
    assert_memory_equal(data, data + SECTOR_BYTES, SECTOR_BYTES);
    free(data);
}

/* ---- tests ---- */

static void a_device_has_a_size_under_its_name(void **state)
{
    struct weir_name_facts facts;
    struct bench bench;
    char link[PATH_BYTES];

    (void)state;
    open_bench(&bench, false);
    assert_int_equal(weir_posix_name_ops.stat(bench.session, bench.device, &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_DEVICE);
    assert_int_equal(facts.bytes, DEVICE_BYTES);
    snprintf(link, sizeof link, "weir-device-%d", (int)getpid());
    assert_int_equal(symlink(bench.device, link), 0);
    assert_int_equal(weir_posix_name_ops.stat(bench.session, link, &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_DEVICE);
    assert_int_equal(facts.bytes, DEVICE_BYTES);
    unlink(link);
    assert_int_equal(weir_posix_name_ops.stat(bench.session, "/dev/null", &facts), 0);
    assert_int_equal(facts.kind, WEIR_NAME_DEVICE);
    assert_int_equal(facts.bytes, 0);
    close_bench(&bench);
}

static void a_device_is_opened_and_not_made(void **state)
{
    struct weir_file *file;
    struct stat before, after;
    struct bench bench;

    (void)state;
    for (unsigned is_direct = 0; is_direct <= 1; is_direct++) {
        open_bench(&bench, is_direct != 0);
        assert_int_equal(stat(bench.device, &before), 0);
        file = open_device(&bench);
        assert_int_equal(weir_posix_file_ops.size(bench.session, file), DEVICE_BYTES);
        write_and_read(&bench, file);
        assert_int_equal(weir_posix_file_ops.sync(bench.session, file), 0);
        assert_int_equal(weir_posix_file_ops.close(bench.session, file), 0);
        assert_int_equal(stat(bench.device, &after), 0);
        assert_true(S_ISBLK(after.st_mode));
        assert_int_equal(after.st_ino, before.st_ino);
        close_bench(&bench);
    }
}

static void a_direct_device_asks_for_whole_sectors(void **state)
{
    struct weir_alignment alignment;
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (unsigned is_silent = 0; is_silent <= 1; is_silent++) {
        open_bench(&bench, true);
        is_statx_silent = is_silent != 0;
        assert_int_equal(weir_posix_name_ops.alignment(bench.session, bench.device, &alignment), 0);
        assert_int_equal(alignment.offset, SECTOR_BYTES);
        /* Of a device that was not asked before. */
        bench.posix.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
        file = open_device(&bench);
        assert_int_equal(file->alignment.offset, SECTOR_BYTES);
        assert_int_equal(weir_posix_file_ops.close(bench.session, file), 0);
        close_bench(&bench);
    }
}

/* One system call each is what is measured. */
static void nothing_is_asked_of_an_item_beside_what_is_timed(void **state)
{
    struct weir_file_params params = {
        .can_write = true, .can_read = true, .must_create = true, .is_item = true};
    struct weir_posix_session posix;
    struct weir_name_facts facts;
    struct weir_file *file;
    char path[PATH_BYTES];

    (void)state;
    /* Before 2.33, glibc has no function fstatat() that could be counted. */
    if (!__GLIBC_PREREQ(2, 33))
        skip();
    snprintf(path, sizeof path, "weir-item-%d", (int)getpid());
    params.path = path;
    for (unsigned i = 0; i < 4; i++) {
        bool is_direct = i % 2 != 0;

        params.claim = i < 2 ? WEIR_CLAIM_ANY : WEIR_CLAIM_NEW;
        weir_posix_session_init(&posix, is_direct ? &weir_backend_direct : &weir_backend_posix,
                                is_direct, 1);
        look_count = 0;
        if (weir_posix_file_ops.open(&posix.base, &params, &file) == 0) {
            assert_int_equal(weir_posix_file_ops.close(&posix.base, file), 0);
            assert_int_equal(look_count, 0);
            assert_int_equal(weir_posix_name_ops.stat_item(&posix.base, path, &facts), 0);
            assert_int_equal(look_count, 1);
            assert_int_equal(facts.kind, WEIR_NAME_FILE);
        } else {
            assert_true(is_direct);
        }
        unlink(path);
    }
}

static void a_stream_that_cannot_be_opened_says_why(void **state)
{
    const struct weir_session_params session_params = {0};
    struct weir_file_params params = {.path = "posix-files.stream",
                                      .can_write = true,
                                      .must_create = true,
                                      .transfer_bytes = 4096};
    struct weir_session *session;
    struct weir_file *file;
    struct weir_error error = {0};

    assert_int_equal(weir_backend_stdio.open(&session_params, &session, &error), 0);
    assert_int_equal(weir_group_self_open((struct weir_group **)&params.group), 0);
    stream_error = EMFILE;
    assert_int_equal(weir_backend_stdio.file->open(session, &params, &file), -EMFILE);
    stream_error = 0;
    unlink(params.path);
    weir_group_close((struct weir_group *)params.group);
    weir_backend_stdio.close(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_asked_of_an_item_beside_what_is_timed),
        cmocka_unit_test(a_stream_that_cannot_be_opened_says_why),
        cmocka_unit_test(a_device_has_a_size_under_its_name),
        cmocka_unit_test(a_device_is_opened_and_not_made),
        cmocka_unit_test(a_direct_device_asks_for_whole_sectors),
    };

    return cmocka_run_group_tests_name("posix_files", tests, NULL, NULL);
}
