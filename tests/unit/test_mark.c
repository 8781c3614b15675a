/* SPDX-License-Identifier: Apache-2.0 */
/* Marks of dead runs of other users are removed by one process at a time. */
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
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NOBODY 65534

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dead_mark_of_another_user_is_removed_by_one_process),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
