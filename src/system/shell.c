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
/* A signal that arrives just before poll(2) is noticed after this time. */
#define POLL_MS 100
/* The kernel ends a killed process within milliseconds, unless it cannot. */
#define KILL_NS UINT64_C(1000000000)

/* Starts `program`, which is looked for in PATH, with the arguments `words` and nothing to read. It
 * prints to `out`, and its errors are dropped; -1: it shares both outputs of this process. */
static int spawn(const char *program, const char *const words[], int out, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&actions);

    if (code != 0)
        return -code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        /* A group of its own, so that what the program has started hears of the end, too. */
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
        code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        if (code == 0 && out >= 0)
            code =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        if (code == 0 && out >= 0)
            code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (code == 0)
            code = posix_spawnp(child, program, &actions, &attributes,
                                (char *const *)(const void *)words, environ);
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
    const char *const words[] = {"sh", "-c", command, NULL};
    pid_t child, ended = 0;
    int status = 0, code = spawn("/bin/sh", words, -1, &child);
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

/* Waits for the end of a program until end_ns, or ends it. One that does not end by SIGKILL, such
 * as in a call to a dead file server, is left to init. */
static int reap_program(pid_t child, uint64_t end_ns, const volatile sig_atomic_t *stop_signal,
                        int code)
{
    uint64_t killed_ns = 0;
    int status;

    for (;;) {
        pid_t ended = waitpid(child, &status, WNOHANG);

        if (ended < 0)
            return -errno;
        if (ended > 0 && code == 0)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECHILD;
        if (ended > 0 || (killed_ns != 0 && weir_clock_kernel_ns() - killed_ns > KILL_NS))
            return code;
        if (code == 0 && weir_clock_kernel_ns() >= end_ns)
            code = -ETIMEDOUT;
        if (code == 0 && stop_signal != NULL && *stop_signal != 0)
            code = -EINTR;
        if (code != 0 && killed_ns == 0) {
            kill(-child, SIGKILL);
            killed_ns = weir_clock_kernel_ns();
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

int weir_program_read(const char *const words[], uint64_t limit_ns,
                      const volatile sig_atomic_t *stop_signal, char *text, size_t bytes)
{
    const uint64_t end_ns = weir_clock_kernel_ns() + limit_ns;
    int pipe_ends[2], code;
    size_t length = 0;
    pid_t child;

    text[0] = '\0';
    if (pipe2(pipe_ends, O_CLOEXEC) != 0)
        return -errno;
    code = spawn(words[0], words, pipe_ends[1], &child);
    close(pipe_ends[1]);
    if (code != 0) {
        close(pipe_ends[0]);
        return code;
    }

    /* What has no room is read, too: the program must not wait for it. */
    for (;;) {
        struct pollfd ready = {.fd = pipe_ends[0], .events = POLLIN};
        char piece[512];
        ssize_t got;

        if (weir_clock_kernel_ns() >= end_ns)
            code = -ETIMEDOUT;
        else if (stop_signal != NULL && *stop_signal != 0)
            code = -EINTR;
        if (code != 0)
            break;
        if (poll(&ready, 1, POLL_MS) <= 0)
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
    return reap_program(child, end_ns, stop_signal, code);
}
