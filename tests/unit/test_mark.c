/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of dead runs: those of other users are removed by one process at a time, and what the owner
 * wrote last is not missed. */
#include "weir/system/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534

/* It writes its notes and ends as soon as somebody has read its mark. */
static struct weir_mark owner = {.fd = -1};

/* In the place of the C library's. */
ssize_t pread(int fd, void *data, size_t bytes, off_t offset)
{
    ssize_t count = syscall(SYS_pread64, fd, data, bytes, offset);

    if (owner.fd >= 0) {
        weir_mark_write_notes(&owner);
        weir_mark_leave(&owner);
    }
    return count;
}

/* The outcome of weir_mark_take() in a process of another user. */
static int take_as_nobody(const char *path)
{
    struct weir_mark mark = {.fd = -1};
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        enum weir_mark_outcome outcome = WEIR_MARK_NONE;

        snprintf(mark.path, sizeof mark.path, "%s", path);
        if (setgid(NOBODY) == 0 && setuid(NOBODY) == 0)
            outcome = weir_mark_take(&mark, "user nobody\n");
        weir_mark_drop(&mark);
        _exit((int)outcome);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_dead_mark_of_another_user_is_removed_by_one_process(void **state)
{
    char directory[] = "/tmp/test_mark.XXXXXX";
    char path[64], host[256] = "";
    struct stat before, after;
    int fd;

    (void)state;
    if (geteuid() != 0)
        skip();
    assert_non_null(mkdtemp(directory));
    assert_int_equal(chmod(directory, 0777), 0);
    snprintf(path, sizeof path, "%s/.weir-0123456789abcdef", directory);
    gethostname(host, sizeof host - 1);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    dprintf(fd, "weir-mark 1\nhost %s\npid 1\nstart 1\nuser root\n", host);
    assert_int_equal(fstat(fd, &before), 0);

    /* Another process is about to remove it. */
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_int_equal(take_as_nobody(path), WEIR_MARK_NONE);
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_ino, before.st_ino);

    assert_int_equal(flock(fd, LOCK_UN), 0);
    assert_int_equal(take_as_nobody(path), WEIR_MARK_TAKEN);
    assert_int_equal(stat(path, &after), -1);
    close(fd);
    assert_int_equal(rmdir(directory), 0);
}

static void notes_of_an_owner_that_ends_meanwhile_are_read(void **state)
{
    char directory[] = "/tmp/test_mark.XXXXXX";
    char text[WEIR_MARK_TEXT_BYTES / 2];
    struct weir_mark mark = {.fd = -1};
    enum weir_mark_outcome outcome = WEIR_MARK_HELD;

    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(mark.path, sizeof mark.path, "%s/.weir-0123456789abcdef", directory);
    snprintf(owner.path, sizeof owner.path, "%s", mark.path);
    weir_mark_describe_self(text, sizeof text);
    assert_int_equal(weir_mark_take(&owner, text), WEIR_MARK_TAKEN);
    owner.made = 1;
    owner.first_item = 3;
    owner.end_item = 9;

    for (int i = 0; i < 3 && outcome == WEIR_MARK_HELD; i++)
        outcome = weir_mark_take(&mark, text);
    assert_int_equal(outcome, WEIR_MARK_TAKEN);
    assert_int_equal(owner.fd, -1);
    assert_true(mark.is_inherited);
    assert_int_equal(mark.made, 1);
    assert_int_equal(mark.first_item, 3);
    assert_int_equal(mark.end_item, 9);
    weir_mark_drop(&mark);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_mark_of_another_user_is_removed_by_one_process),
        cmocka_unit_test(notes_of_an_owner_that_ends_meanwhile_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
