/* SPDX-License-Identifier: Apache-2.0 */
/* Children are spawned and not forked: MPI libraries have memory that a fork must not copy. The
 * helper process is forked, before MPI starts. */
#include "weir/system/shell.h"

#include "weir/base/call_watch.h"
#include "weir/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAP_MAX_NS 20000000
#define GRACE_NS UINT64_C(5000000000)
/* A signal that arrives just before poll(2) is noticed after this time. */
#define POLL_MS 100
/* The kernel ends a killed process within milliseconds, unless it cannot. */
#define KILL_NS UINT64_C(1000000000)
/* After a signal to the run, launchers kill it within a few seconds. */
#define STOPPED_NS UINT64_C(1000000000)

/* Starts `program`, which is looked for in PATH, with the arguments `words`. It reads `in` (-1 =
 * nothing) and prints to `out`, with its errors if it reads, else without; -1: it shares both
 * outputs of this process. */
static int spawn(const char *program, const char *const words[], int in, int out, pid_t *child)
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
        if (in >= 0) {
            sigset_t all;

            /* The helper process ignores signals that are meant for the run. */
            sigfillset(&all);
            posix_spawnattr_setsigdefault(&attributes, &all);
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
            code = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        } else {
            code =
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        }
        if (code == 0 && out >= 0)
            code = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (code == 0 && out >= 0 && in >= 0)
            code = posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
        else if (code == 0 && out >= 0)
            code =
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
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
    int status = 0, code = spawn("/bin/sh", words, -1, -1, &child);
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

/* Waits for the end of a program until end_ns, or ends it; *status receives how it ended. One that
 * does not end by SIGKILL, such as in a call to a dead file server, is left to init. */
static int reap_program(pid_t child, uint64_t end_ns, const volatile sig_atomic_t *stop_signal,
                        int code, int *status)
{
    uint64_t killed_ns = 0;

    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);

        if (ended < 0)
            return -errno;
        if (ended > 0 && code == 0)
            return WIFEXITED(*status) && WEXITSTATUS(*status) == 0 ? 0 : -ECHILD;
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

/* A program, its input (NULL = none) and a buffer for its output. `length` is set to the size of
 * the whole output, of which the first `bytes` - 1 are kept. */
struct exchange {
    const char *program;
    const char *const *words;
    const char *in;
    size_t bytes_in;
    uint64_t limit_ns;
    const volatile sig_atomic_t *stop_signal;
    char *text;
    size_t bytes;
    size_t length;
    int status;
};

/* Output is read until the program has ended and the pipe is empty. What it has started in the
 * background may hold the pipe for longer. */
static int run_program(struct exchange *exchange)
{
    const uint64_t end_ns = weir_clock_kernel_ns() + exchange->limit_ns;
    int out[2], in[2] = {-1, -1}, code = 0;
    size_t written = 0;
    int wait_ms = 1, unread = 0;
    bool is_reaped = false;
    pid_t child;

    exchange->text[0] = '\0';
    exchange->length = 0;
    if (pipe2(out, O_CLOEXEC) != 0)
        return -errno;
    if (exchange->in != NULL && pipe2(in, O_CLOEXEC) != 0)
        code = -errno;
    if (code == 0)
        code = spawn(exchange->program, exchange->words, in[0], out[1], &child);
    close(out[1]);
    if (in[0] >= 0)
        close(in[0]);
    if (code != 0) {
        close(out[0]);
        if (in[1] >= 0)
            close(in[1]);
        return code;
    }
    if (in[1] >= 0)
        fcntl(in[1], F_SETFL, O_NONBLOCK);

    /* What has no room is read, too: the program must not wait for it. */
    for (;;) {
        struct pollfd ready[] = {{.fd = out[0], .events = POLLIN},
                                 {.fd = in[1], .events = POLLOUT}};
        char piece[4096];
        ssize_t got;

        if (!is_reaped && waitpid(child, &exchange->status, WNOHANG) > 0) {
            is_reaped = true;
            ioctl(out[0], FIONREAD, &unread);
        }
        if (is_reaped && unread <= 0)
            break;
        if (!is_reaped && weir_clock_kernel_ns() >= end_ns)
            code = -ETIMEDOUT;
        else if (!is_reaped && exchange->stop_signal != NULL && *exchange->stop_signal != 0)
            code = -EINTR;
        if (code != 0)
            break;
        if (poll(ready, 2, wait_ms) <= 0) {
            wait_ms = wait_ms * 2 < POLL_MS ? wait_ms * 2 : POLL_MS;
            continue;
        }
        if (ready[1].revents != 0) {
            got = write(in[1], exchange->in + written, exchange->bytes_in - written);
            written += got > 0 ? (size_t)got : 0;
            /* A program may close its input early. */
            if (written == exchange->bytes_in || (got < 0 && errno != EAGAIN && errno != EINTR)) {
                close(in[1]);
                in[1] = -1;
            }
        }
        if (ready[0].revents == 0)
            continue;
        got = read(out[0], piece, sizeof piece);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        unread -= (int)got;
        for (ssize_t i = 0; i < got; i++, exchange->length++)
            if (exchange->length + 1 < exchange->bytes)
                exchange->text[exchange->length] = piece[i];
    }
    if (exchange->bytes > 0)
        exchange
            ->text[exchange->length < exchange->bytes ? exchange->length : exchange->bytes - 1] =
            '\0';
    close(out[0]);
    if (in[1] >= 0)
        close(in[1]);

    if (is_reaped)
        return WIFEXITED(exchange->status) && WEXITSTATUS(exchange->status) == 0 ? 0 : -ECHILD;
    /* A program that has closed its output may still run. */
    return reap_program(child, end_ns, exchange->stop_signal, code, &exchange->status);
}

int weir_program_read(const char *const words[], uint64_t limit_ns,
                      const volatile sig_atomic_t *stop_signal, char *text, size_t bytes)
{
    struct exchange exchange = {.program = words[0],
                                .words = words,
                                .limit_ns = limit_ns,
                                .stop_signal = stop_signal,
                                .text = text,
                                .bytes = bytes};

    return run_program(&exchange);
}

/* ---- the helper process ---- */

/* Between the two processes, over a stream socket: a request and its text one way, an answer and
 * the output of the command the other way. */
struct request {
    uint64_t limit_ns;
    uint64_t bytes;
};

struct answer {
    int code;
    char reason[WEIR_SHELL_REASON_BYTES];
    uint64_t printed; /* bytes, of which the first WEIR_SHELL_OUTPUT_BYTES - 1 follow */
};

struct weir_shell_helper {
    pid_t process;
    int socket;
};

static volatile sig_atomic_t must_end;

static void note_end(int number)
{
    must_end = number;
}

static bool receive(int fd, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = recv(fd, (char *)data + done, bytes - done, 0);

        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool send_all(int fd, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t sent = send(fd, (const char *)data + done, bytes - done, MSG_NOSIGNAL);

        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

/* Runs the command for each request, until the run is gone. It holds no descriptor of the launcher,
 * which would wait for it, and is told by a signal to end a command. */
static _Noreturn void serve(int fd, pid_t parent, const char *command)
{
    static char text[WEIR_SHELL_OUTPUT_BYTES];
    static const int ignored[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                  SIGPIPE, SIGUSR1, SIGUSR2, SIGXCPU};
    const char *const words[] = {"sh", "-c", command, NULL};
    struct sigaction action = {.sa_handler = note_end};
    struct request request;
    sigset_t none;
    int null;

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigaction(SIGALRM, &action, NULL);
    prctl(PR_SET_PDEATHSIG, SIGALRM);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = STDIN_FILENO; null >= 0 && i <= STDERR_FILENO; i++)
        dup2(null, i);
    fd = dup2(fd, STDERR_FILENO + 1);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    for (long i = fd + 1, end = sysconf(_SC_OPEN_MAX); i < end && i < 4096; i++)
        close((int)i);
    while (getppid() == parent && receive(fd, &request, sizeof request)) {
        struct answer answer = {.code = -ENOMEM};
        char *record = malloc(request.bytes + 1);
        struct exchange exchange = {.program = "/bin/sh",
                                    .words = words,
                                    .in = record,
                                    .bytes_in = request.bytes,
                                    .limit_ns = request.limit_ns,
                                    .stop_signal = &must_end,
                                    .text = text,
                                    .bytes = sizeof text};

        if (record == NULL || !receive(fd, record, request.bytes))
            break;
        must_end = 0;
        answer.code = run_program(&exchange);
        if (answer.code == -ETIMEDOUT)
            snprintf(answer.reason, sizeof answer.reason, "it did not end in %.4g s and was killed",
                     (double)request.limit_ns * 1e-9);
        else if (answer.code == -EINTR)
            snprintf(answer.reason, sizeof answer.reason, "a signal to the run ended it");
        else if (answer.code == -ECHILD)
            judge(exchange.status, answer.reason);
        else if (answer.code != 0)
            snprintf(answer.reason, sizeof answer.reason, "%s", strerror(-answer.code));
        answer.printed = exchange.length;
        free(record);
        if (!send_all(fd, &answer, sizeof answer) ||
            !send_all(fd, text, answer.printed < sizeof text ? answer.printed : sizeof text - 1))
            break;
    }
    _exit(0);
}

struct weir_shell_helper *weir_shell_helper_open(const char *command)
{
    struct weir_shell_helper *helper = malloc(sizeof *helper);
    const struct timeval grace = {.tv_sec = GRACE_NS / 1000000000};
    pid_t parent = getpid();
    int ends[2];

    if (helper == NULL || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        free(helper);
        return NULL;
    }
    /* A helper that was stopped by a signal does not stop the run. */
    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &grace, sizeof grace);
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &grace, sizeof grace);
    helper->process = fork();
    if (helper->process == 0)
        serve(ends[1], parent, command);
    close(ends[1]);
    helper->socket = ends[0];
    if (helper->process > 0)
        return helper;
    close(helper->socket);
    free(helper);
    return NULL;
}

/* Ends the helper, which then kills a command that runs; waits for it for a moment. */
static void end_helper(struct weir_shell_helper *helper)
{
    bool is_gone = helper->socket < 0;

    if (!is_gone)
        close(helper->socket);
    helper->socket = -1;
    for (unsigned i = 0; !is_gone && i < 200; i++) {
        is_gone = waitpid(helper->process, NULL, WNOHANG) != 0;
        if (i == 100)
            kill(helper->process, SIGKILL);
        if (!is_gone)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

void weir_shell_helper_close(struct weir_shell_helper *helper)
{
    if (helper != NULL)
        end_helper(helper);
    free(helper);
}

int weir_shell_helper_run(struct weir_shell_helper *helper, const char *record, size_t bytes,
                          uint64_t limit_ns, const volatile sig_atomic_t *stop_signal,
                          char text[WEIR_SHELL_OUTPUT_BYTES], uint64_t *printed,
                          char reason[WEIR_SHELL_REASON_BYTES])
{
    const struct request request = {.limit_ns = limit_ns, .bytes = bytes};
    uint64_t end_ns = weir_clock_kernel_ns() + limit_ns + GRACE_NS, told_ns = 0;
    struct pollfd ready = {.fd = helper->socket, .events = POLLIN};
    struct answer answer = {0};
    bool is_told = false, is_lost = helper->socket < 0;

    text[0] = '\0';
    *printed = 0;
    if (!is_lost)
        is_lost = !send_all(helper->socket, &request, sizeof request) ||
                  !send_all(helper->socket, record, bytes);
    while (!is_lost && poll(&ready, 1, POLL_MS) <= 0) {
        uint64_t now_ns = weir_clock_kernel_ns();

        /* The watchdog of the run watches this rank for calls that do not return. */
        weir_call_begin("run", "the command of --on-phase");
        if (*stop_signal != 0 && told_ns == 0)
            told_ns = now_ns;
        if (told_ns != 0 && now_ns - told_ns > STOPPED_NS && !is_told) {
            is_told = kill(helper->process, SIGALRM) == 0;
            end_ns = now_ns + GRACE_NS;
        }
        is_lost = now_ns >= end_ns;
        weir_call_end();
    }
    is_lost = is_lost || !receive(helper->socket, &answer, sizeof answer);
    if (!is_lost) {
        size_t kept =
            answer.printed < WEIR_SHELL_OUTPUT_BYTES ? answer.printed : WEIR_SHELL_OUTPUT_BYTES - 1;

        is_lost = kept > 0 && !receive(helper->socket, text, kept);
        text[is_lost ? 0 : kept] = '\0';
    }
    if (is_lost) {
        end_helper(helper);
        snprintf(reason, WEIR_SHELL_REASON_BYTES, "the process that runs it is gone");
        return -EPIPE;
    }
    *printed = answer.printed;
    memcpy(reason, answer.reason, WEIR_SHELL_REASON_BYTES);
    return answer.code;
}
