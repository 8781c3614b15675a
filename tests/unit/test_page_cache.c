/* SPDX-License-Identifier: Apache-2.0 */
/* What the page cache holds of real files, asked in both ways, and that it lets go of them. */
#include "weir/system/page_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB (UINT64_C(1) << 20)
#define TMPFS 0x01021994
#define NOBODY 65534

#define CACHESTAT 451
#define DENIED_CALL CACHESTAT
#include "denied_syscall.h"

/* ---- files ---- */

struct file {
    char path[64];
    int fd;
    uint64_t page;
};

static void make_file(struct file *file, uint64_t bytes)
{
    unsigned char *data = malloc(MIB);

    snprintf(file->path, sizeof file->path, "/tmp/test_page_cache.XXXXXX");
    file->fd = mkstemp(file->path);
    file->page = (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(file->fd >= 0 && data != NULL);
    memset(data, 7, MIB);
    for (uint64_t done = 0; done < bytes; done += MIB) {
        size_t count = bytes - done < MIB ? bytes - done : MIB;

        assert_int_equal(pwrite(file->fd, data, count, (off_t)done), count);
    }
    free(data);
}

static void remove_file(struct file *file)
{
    close(file->fd);
    unlink(file->path);
    denied_errno = 0;
}

static void need_storage(void)
{
    struct statfs facts;

    assert_int_equal(statfs("/tmp", &facts), 0);
    if (facts.f_type == TMPFS) {
        print_message("/tmp is in memory, and the page cache never lets go of that\n");
        skip();
    }
}

/* Data, a hole, and blocks that are allocated and not written, as far as the file system of /tmp
 * has them. */
static void the_extents_under_a_file_are_told_apart(void **state)
{
    struct weir_extent_map whole = {0}, hole = {0};
    struct weir_residency_probe *probe;
    struct file file;
    int code;

    (void)state;
    need_storage();
    make_file(&file, MIB);
    assert_int_equal(ftruncate(file.fd, 3 * MIB), 0);
    code = fallocate(file.fd, 0, 2 * MIB, MIB);
    assert_int_equal(fsync(file.fd), 0);
    assert_int_equal(weir_residency_open(file.path, &probe), 0);
    if (code == 0)
        code = weir_extent_map_add(probe, (struct weir_extent){0, 9 * MIB}, &whole);
    if (code == 0)
        code = weir_extent_map_add(probe, (struct weir_extent){MIB + 4096, MIB / 2}, &hole);
    weir_residency_close(probe);
    remove_file(&file);
    if (code != 0)
        skip();
    assert_int_equal(whole.asked_bytes, 3 * MIB);
    assert_int_equal(whole.mapped_bytes, 2 * MIB);
    assert_int_equal(whole.unwritten_bytes, MIB);
    assert_int_equal(whole.inline_bytes, 0);
    assert_int_equal(hole.asked_bytes, MIB / 2);
    assert_int_equal(hole.mapped_bytes, 0);
}

static void touch_page(const struct file *file, uint64_t number)
{
    char byte;

    assert_int_equal(posix_fadvise(file->fd, 0, 0, POSIX_FADV_RANDOM), 0);
    assert_int_equal(pread(file->fd, &byte, 1, (off_t)(number * file->page)), 1);
}

static struct weir_residency ask(const struct file *file, uint64_t offset, uint64_t bytes)
{
    struct weir_residency sum = {0};
    struct weir_residency_probe *probe;

    assert_int_equal(weir_residency_open(file->path, &probe), 0);
    assert_string_equal(weir_residency_source(probe), denied_errno == 0 ? "cachestat" : "mincore");
    assert_int_equal(weir_residency_add(probe, (struct weir_extent){offset, bytes}, &sum), 0);
    weir_residency_close(probe);
    return sum;
}

static void expect(const struct file *file, uint64_t offset, uint64_t bytes, uint64_t asked_pages,
                   uint64_t resident_pages)
{
    struct weir_residency sum = ask(file, offset, bytes);

    assert_int_equal(sum.asked_bytes, asked_pages * file->page);
    assert_int_equal(sum.resident_bytes, resident_pages * file->page);
}

static bool knows_cachestat(const struct file *file)
{
    uint64_t range[2] = {0, 1}, counts[5];

    return __real_syscall(CACHESTAT, file->fd, range, counts, 0) == 0;
}

static uint64_t count_dirty(const struct file *file)
{
    uint64_t range[2] = {0, 0}, counts[5];

    assert_int_equal(__real_syscall(CACHESTAT, file->fd, range, counts, 0), 0);
    return counts[1];
}

/* ---- asking ---- */

/* Once as the kernel likes it, once without cachestat. */
static void try_both(void (*look)(struct file *file), uint64_t bytes)
{
    static const int answers[] = {0, ENOSYS};

    for (size_t i = 0; i < 2; i++) {
        struct file file;

        make_file(&file, bytes);
        denied_errno = answers[i];
        if (i == 0 && !knows_cachestat(&file))
            print_message("this kernel has no cachestat: only mincore is tried\n");
        else
            look(&file);
        remove_file(&file);
    }
}

static void look_before_and_after_a_drop(struct file *file)
{
    uint64_t pages = 8 * MIB / file->page + 1;

    expect(file, 0, UINT64_MAX, pages, pages);
    assert_int_equal(weir_cache_drop_file(file->path), 0);
    expect(file, 0, UINT64_MAX, pages, 0);
    /* Asking has not read anything. */
    expect(file, 0, UINT64_MAX, pages, 0);
}

static void what_was_written_is_resident_until_it_is_dropped(void **state)
{
    (void)state;
    need_storage();
    try_both(look_before_and_after_a_drop, 8 * MIB + 100);
}

static void look_at_parts(struct file *file)
{
    const uint64_t page = file->page;

    assert_int_equal(weir_cache_drop_file(file->path), 0);
    touch_page(file, 3);
    touch_page(file, 10);
    expect(file, 0, MIB, MIB / page, 2);
    expect(file, 3 * page, page, 1, 1);
    expect(file, 4 * page, 6 * page, 6, 0);
    expect(file, 3 * page, 8 * page, 8, 2);
    /* Parts of pages count as pages. */
    expect(file, 3 * page + 1, 1, 1, 1);
    expect(file, 3 * page - 1, 2, 2, 1);
    expect(file, 4 * page - 1, 1, 1, 1);
    expect(file, 4 * page, 1, 1, 0);
    /* The file ends, and the last page is one all the same. */
    expect(file, 0, MIB + 100, MIB / page + 1, 2);
    expect(file, MIB, UINT64_MAX, 1, 0);
    expect(file, MIB + 100, 1, 0, 0);
    expect(file, UINT64_MAX, UINT64_MAX, 0, 0);
    expect(file, 3 * page, 0, 0, 0);
}

static void parts_are_counted_in_whole_pages_up_to_the_end(void **state)
{
    (void)state;
    need_storage();
    try_both(look_at_parts, MIB + 100);
}

static void look_at_much(struct file *file)
{
    const uint64_t page = file->page;

    assert_int_equal(ftruncate(file->fd, 130 * MIB), 0);
    assert_int_equal(weir_cache_drop_file(file->path), 0);
    touch_page(file, 0);
    touch_page(file, 64 * MIB / page - 1);
    touch_page(file, 64 * MIB / page);
    touch_page(file, 130 * MIB / page - 1);
    expect(file, 0, 130 * MIB, 130 * MIB / page, 4);
    expect(file, page, 130 * MIB, 130 * MIB / page - 1, 3);
    expect(file, page, 129 * MIB, 129 * MIB / page, 2);
}

static void long_parts_are_counted_piece_by_piece(void **state)
{
    (void)state;
    need_storage();
    try_both(look_at_much, 0);
}

static void look_at_dirty_pages(struct file *file)
{
    const uint64_t page = file->page;
    const bool is_known = denied_errno == 0;
    struct weir_residency_probe *probe;

    assert_int_equal(weir_residency_open(file->path, &probe), 0);
    assert_int_equal(weir_residency_knows_dirty(probe), is_known);
    weir_residency_close(probe);
    assert_int_equal(ask(file, 0, MIB).dirty_bytes, is_known ? MIB : 0);
    assert_int_equal(ask(file, page, 2 * page).dirty_bytes, is_known ? 2 * page : 0);
    assert_int_equal(fsync(file->fd), 0);
    assert_int_equal(ask(file, 0, MIB).dirty_bytes, 0);
    assert_int_equal(pwrite(file->fd, "x", 1, (off_t)(3 * page)), 1);
    assert_true(ask(file, 0, MIB).dirty_bytes == 0 || is_known);
    assert_true(ask(file, 0, MIB).dirty_bytes > 0 || !is_known);
}

static void pages_are_dirty_until_they_are_synced(void **state)
{
    (void)state;
    need_storage();
    try_both(look_at_dirty_pages, MIB);
}

static void look_twice(struct file *file)
{
    struct weir_residency sum = {.asked_bytes = 5, .resident_bytes = 3};
    struct weir_residency_probe *probe;

    assert_int_equal(weir_residency_open(file->path, &probe), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(weir_residency_add(probe, (struct weir_extent){0, file->page}, &sum), 0);
    assert_int_equal(sum.asked_bytes, 5 + 2 * file->page);
    assert_int_equal(sum.resident_bytes, 3 + 2 * file->page);
    weir_residency_close(probe);
}

static void parts_add_up(void **state)
{
    (void)state;
    try_both(look_twice, MIB);
}

static void look_and_compare(struct file *file)
{
    char command[128];
    unsigned long long bytes;
    FILE *answer;

    assert_int_equal(weir_cache_drop_file(file->path), 0);
    assert_int_equal(posix_fadvise(file->fd, 0, 0, POSIX_FADV_NORMAL), 0);
    assert_int_equal(posix_fadvise(file->fd, 2 * MIB, MIB + 5, POSIX_FADV_WILLNEED), 0);
    for (uint64_t page = 0; page < MIB / file->page; page++)
        touch_page(file, page);
    snprintf(command, sizeof command, "fincore --bytes --noheadings --output RES %s", file->path);
    answer = popen(command, "re");
    assert_non_null(answer);
    assert_int_equal(fscanf(answer, "%llu", &bytes), 1);
    assert_int_equal(pclose(answer), 0);
    assert_true(bytes >= MIB && bytes < 8 * MIB);
    assert_int_equal(ask(file, 0, 8 * MIB).resident_bytes, bytes);
}

static bool has_fincore(void)
{
    FILE *answer = popen("fincore --version 2>/dev/null", "re");
    char line[128];

    assert_non_null(answer);
    while (fgets(line, sizeof line, answer) != NULL)
        continue;
    return pclose(answer) == 0;
}

static void the_figure_is_that_of_fincore(void **state)
{
    (void)state;
    need_storage();
    if (!has_fincore()) {
        print_message("there is no fincore here\n");
        skip();
    }
    try_both(look_and_compare, 8 * MIB);
}

static void asking_by_mincore_leaves_the_time_of_access_alone(void **state)
{
    const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 2000}};
    struct stat facts;
    struct file file;

    (void)state;
    make_file(&file, MIB);
    assert_int_equal(futimens(file.fd, times), 0);
    denied_errno = ENOSYS;
    ask(&file, 0, MIB);
    assert_int_equal(fstat(file.fd, &facts), 0);
    assert_int_equal(facts.st_atim.tv_sec, 1000);
    remove_file(&file);
}

/* ---- refusals ---- */

static void what_is_no_file_is_refused(void **state)
{
    struct weir_residency_probe *probe = (void *)&denied_errno;
    char path[] = "/tmp/test_page_cache.XXXXXX";
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(weir_residency_open(path, &probe), -ENOENT);
    assert_int_equal(weir_residency_open("/tmp", &probe), -EINVAL);
    assert_int_equal(weir_residency_open("/dev/null", &probe), -EINVAL);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(weir_residency_open(path, &probe), -EINVAL);
    assert_ptr_equal(probe, &denied_errno);
    unlink(path);
    close(fd);
}

static void a_kernel_that_breaks_off_leaves_the_sum_as_it_was(void **state)
{
    struct weir_residency sum = {.asked_bytes = 5, .resident_bytes = 3};
    struct weir_residency_probe *probe;
    struct file file;

    (void)state;
    make_file(&file, MIB);
    if (knows_cachestat(&file)) {
        assert_int_equal(weir_residency_open(file.path, &probe), 0);
        denied_errno = EIO;
        assert_int_equal(weir_residency_add(probe, (struct weir_extent){0, MIB}, &sum), -EIO);
        assert_int_equal(sum.asked_bytes, 5);
        assert_int_equal(sum.resident_bytes, 3);
        weir_residency_close(probe);
    }
    remove_file(&file);
}

static int open_and_close(const char *path)
{
    struct weir_residency_probe *probe;
    int code = weir_residency_open(path, &probe);

    if (code == 0)
        weir_residency_close(probe);
    return code;
}

/* What a call returns to somebody without privileges. */
static int ask_as_nobody(int (*call)(const char *path), const char *path)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        if (setresgid(NOBODY, NOBODY, NOBODY) != 0 || setresuid(NOBODY, NOBODY, NOBODY) != 0)
            _exit(255);
        _exit(-call(path));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return -WEXITSTATUS(status);
}

static void need_root(void)
{
    if (geteuid() != 0) {
        print_message("only root can become somebody else\n");
        skip();
    }
}

static void mincore_is_asked_only_where_the_kernel_tells_the_truth(void **state)
{
    struct file file;

    (void)state;
    need_root();
    make_file(&file, MIB);
    denied_errno = EPERM;
    assert_int_equal(fchmod(file.fd, 0644), 0);
    assert_int_equal(open_and_close(file.path), 0);
    assert_int_equal(ask_as_nobody(open_and_close, file.path), -EPERM);
    assert_int_equal(fchmod(file.fd, 0646), 0);
    assert_int_equal(ask_as_nobody(open_and_close, file.path), 0);
    assert_int_equal(fchmod(file.fd, 0444), 0);
    assert_int_equal(fchown(file.fd, NOBODY, NOBODY), 0);
    assert_int_equal(ask_as_nobody(open_and_close, file.path), 0);
    assert_int_equal(fchmod(file.fd, 0), 0);
    assert_int_equal(ask_as_nobody(open_and_close, file.path), -EACCES);
    remove_file(&file);
}

/* ---- emptying ---- */

static void a_file_is_dropped_without_privileges_and_without_loss(void **state)
{
    struct file file;
    char byte = 0;

    (void)state;
    need_root();
    need_storage();
    make_file(&file, 4 * MIB);
    assert_int_equal(fchmod(file.fd, 0644), 0);
    assert_int_equal(ask_as_nobody(weir_cache_drop_file, file.path), 0);
    assert_int_equal(ask(&file, 0, 4 * MIB).resident_bytes, 0);
    assert_int_equal(pread(file.fd, &byte, 1, 3 * MIB), 1);
    assert_int_equal(byte, 7);
    assert_int_equal(fchmod(file.fd, 0), 0);
    assert_int_equal(ask_as_nobody(weir_cache_drop_file, file.path), -EACCES);
    remove_file(&file);
}

static void there_is_nothing_to_drop_of_a_file_that_is_not_there(void **state)
{
    (void)state;
    assert_int_equal(weir_cache_drop_file("/tmp/no/such/file"), 0);
}

/* A root directory with a switch of its own in it. */
struct stand_in {
    char root[64];
    char vm[128];
    char path[192];
};

static void make_stand_in(struct stand_in *stand_in)
{
    FILE *file;

    snprintf(stand_in->root, sizeof stand_in->root, "/tmp/test_page_cache.XXXXXX");
    assert_non_null(mkdtemp(stand_in->root));
    assert_int_equal(chmod(stand_in->root, 0755), 0);
    snprintf(stand_in->vm, sizeof stand_in->vm, "%s/proc", stand_in->root);
    assert_int_equal(mkdir(stand_in->vm, 0755), 0);
    snprintf(stand_in->vm, sizeof stand_in->vm, "%s/proc/sys", stand_in->root);
    assert_int_equal(mkdir(stand_in->vm, 0755), 0);
    snprintf(stand_in->vm, sizeof stand_in->vm, "%s/proc/sys/vm", stand_in->root);
    assert_int_equal(mkdir(stand_in->vm, 0755), 0);
    snprintf(stand_in->path, sizeof stand_in->path, "%s/drop_caches", stand_in->vm);
    file = fopen(stand_in->path, "we");
    assert_non_null(file);
    fclose(file);
    assert_int_equal(chmod(stand_in->path, 0200), 0);
}

static void remove_stand_in(struct stand_in *stand_in)
{
    unlink(stand_in->path);
    for (size_t levels = 4; levels > 0; levels--) {
        rmdir(stand_in->vm);
        *strrchr(stand_in->vm, '/') = '\0';
    }
}

static void expect_switch(const struct stand_in *stand_in, const char *content)
{
    char text[16] = "";
    FILE *file;

    assert_int_equal(chmod(stand_in->path, 0600), 0);
    file = fopen(stand_in->path, "re");
    assert_non_null(file);
    assert_true(fgets(text, sizeof text, file) != NULL || text[0] == '\0');
    fclose(file);
    assert_string_equal(text, content);
}

static int may_drop(const char *root)
{
    return weir_cache_may_drop_node(root) ? 0 : -1;
}

static int drop_node(const char *root)
{
    return weir_cache_drop_node(root, "/tmp", false);
}

static void whether_a_node_may_be_emptied_is_found_out_without_doing_it(void **state)
{
    struct stand_in stand_in;

    (void)state;
    make_stand_in(&stand_in);
    assert_true(weir_cache_may_drop_node(stand_in.root));
    expect_switch(&stand_in, "");
    assert_false(weir_cache_may_drop_node("/tmp/no/such/root"));
    if (geteuid() == 0) {
        assert_int_equal(ask_as_nobody(may_drop, stand_in.root), -1);
        assert_int_equal(ask_as_nobody(drop_node, stand_in.root), -EACCES);
        assert_int_equal(chmod(stand_in.path, 0222), 0);
        assert_int_equal(ask_as_nobody(may_drop, stand_in.root), 0);
    }
    expect_switch(&stand_in, "");
    remove_stand_in(&stand_in);
}

static void a_node_is_emptied_of_clean_pages_alone(void **state)
{
    struct stand_in stand_in;
    char path[128];
    struct file file;

    (void)state;
    make_stand_in(&stand_in);
    make_file(&file, MIB);
    if (knows_cachestat(&file))
        assert_true(count_dirty(&file) > 0);
    /* Of a path that is not there, the nearest parent tells the file system. */
    snprintf(path, sizeof path, "%s/not/there/yet", stand_in.root);
    assert_int_equal(weir_cache_drop_node(stand_in.root, path, false), 0);
    expect_switch(&stand_in, "1");
    if (knows_cachestat(&file))
        assert_int_equal(count_dirty(&file), 0);
    remove_file(&file);
    assert_int_equal(weir_cache_drop_node(stand_in.root, path, true), 0);
    expect_switch(&stand_in, "3");
    assert_int_equal(weir_cache_drop_node("/tmp/no/such/root", path, true), -ENOENT);
    remove_stand_in(&stand_in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_resident_until_it_is_dropped),
        cmocka_unit_test(parts_are_counted_in_whole_pages_up_to_the_end),
        cmocka_unit_test(long_parts_are_counted_piece_by_piece),
        cmocka_unit_test(pages_are_dirty_until_they_are_synced),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(the_extents_under_a_file_are_told_apart),
        cmocka_unit_test(the_figure_is_that_of_fincore),
        cmocka_unit_test(asking_by_mincore_leaves_the_time_of_access_alone),
        cmocka_unit_test(what_is_no_file_is_refused),
        cmocka_unit_test(a_kernel_that_breaks_off_leaves_the_sum_as_it_was),
        cmocka_unit_test(mincore_is_asked_only_where_the_kernel_tells_the_truth),
        cmocka_unit_test(a_file_is_dropped_without_privileges_and_without_loss),
        cmocka_unit_test(there_is_nothing_to_drop_of_a_file_that_is_not_there),
        cmocka_unit_test(whether_a_node_may_be_emptied_is_found_out_without_doing_it),
        cmocka_unit_test(a_node_is_emptied_of_clean_pages_alone),
    };

    return cmocka_run_group_tests_name("page_cache", tests, NULL, NULL);
}
