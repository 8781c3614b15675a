/* SPDX-License-Identifier: Apache-2.0 */
/* The child is spawned and not forked: MPI libraries have memory that a fork must not copy. */
#include "weir/system/shell.h"

#include "weir/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_MAX_NS 20000000
#define GRACE_NS UINT64_C(5000000000)

static int spawn(const char *command, pid_t *child)
{
    char *const words[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(void *)command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);

    if (code != 0)
        return -code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        /* A group of its own, so that what the shell has started hears of the end, too. */
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (code == 0)
            code = posix_spawn(child, "/bin/sh", &actions, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -code;
}

static int judge(int status, char reason[WEIR_SHELL_REASON_BYTES])
{
    if (WIFSIGNALED(status))
        snprintf(reason, WEIR_SHELL_REASON_BYTES, "signal %d ended it", WTERMSIG(status));
    else
        snprintf(reason, WEIR_SHELL_REASON_BYTES, "exit code %d", WEXITSTATUS(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
}

/* Looks often at first: most commands are short. */
static void nap(long *nap_ns)
{
    nanosleep(&(struct timespec){.tv_nsec = *nap_ns}, NULL);
    if (*nap_ns < NAP_MAX_NS)
        *nap_ns *= 2;
}

int weir_shell_run(const char *command, weir_shell_goes_on *goes_on, void *context,
                   char reason[WEIR_SHELL_REASON_BYTES])
{
    pid_t child, ended = 0;
    int status = 0, code = spawn(command, &child);
    long nap_ns = 200000;
    uint64_t told_ns = 0;

    while (code == 0 && ended == 0) {
        ended = waitpid(child, &status, goes_on ? WNOHANG : 0);
        if (ended < 0 && errno == EINTR)
            ended = 0;
        else if (ended < 0)
            code = -errno;
        if (ended != 0 || !goes_on)
            continue;
        if (told_ns == 0 && !goes_on(context) && kill(-child, SIGTERM) == 0)
            told_ns = weir_clock_kernel_ns();
        else if (told_ns != 0 && weir_clock_kernel_ns() - told_ns > GRACE_NS)
            kill(-child, SIGKILL);
        nap(&nap_ns);
    }
    if (code == 0)
        return judge(status, reason);
    snprintf(reason, WEIR_SHELL_REASON_BYTES, "%s", strerror(-code));
    return code;
}

/* ---- a program that is asked ---- */

static int spawn_program(const char *const words[], int out, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);

    if (code != 0)
        return -code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (code == 0)
            code =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (code == 0)
            code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (code == 0)
            code = posix_spawnp(child, words[0], &actions, &attributes,
                                (char *const *)(const void *)words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -code;
}

int weir_program_read(const char *const words[], uint64_t limit_ns, char *text, size_t bytes)
{
    const uint64_t end_ns = weir_clock_kernel_ns() + limit_ns;
    int pipe_ends[2], status = 0, code;
    size_t length = 0;
    pid_t child;

    text[0] = '\0';
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return -errno;
    code = spawn_program(words, pipe_ends[1], &child);
    close(pipe_ends[1]);
    if (code != 0) {
        close(pipe_ends[0]);
        return code;
    }

    /* What has no room is read, too: the program must not wait for it. */
    for (;;) {
        struct pollfd ready = {.fd = pipe_ends[0], .events = POLLIN};
        uint64_t now_ns = weir_clock_kernel_ns();
        char piece[512];
        ssize_t got;

        if (now_ns >= end_ns) {
            code = -ETIMEDOUT;
            break;
        }
        if (poll(&ready, 1, (int)((end_ns - now_ns) / 1000000 + 1)) <= 0)
            continue;
        got = read(pipe_ends[0], piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got && length + 1 < bytes; i++)
            text[length++] = piece[i];
        text[length] = '\0';
    }
    close(pipe_ends[0]);

    /* A program that has closed its output may still run. */
    for (pid_t ended = 0; ended == 0;) {
        if (code == -ETIMEDOUT || weir_clock_kernel_ns() >= end_ns) {
            code = -ETIMEDOUT;
            kill(-child, SIGKILL);
        }
        ended = waitpid(child, &status, code == -ETIMEDOUT ? 0 : WNOHANG);
        if (ended < 0 && errno == EINTR)
            ended = 0;
        else if (ended < 0)
            return -errno;
        else if (ended == 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (code == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
        code = -ECHILD;
    return code;
}
