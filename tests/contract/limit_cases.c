/* SPDX-License-Identifier: Apache-2.0 */
/* Where the system gives less than was asked for, or nothing: in a process of its own, which gives
 * up what it must not have. */
#include "queue_cases.h"

#include "bench.h"
#include "traffic.h"
#include "weir/io/buffers.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_BYTES = 4096, TIMEOUT_S = 60 };

/* What the process of its own does. It writes what it has to say to `words`, and exits with 0 if
 * all was as it should, 77 if that cannot be tried here. */
typedef void activity(const struct subject *subject, int words);

static void say(int words, const char *text)
{
    if (write(words, text, strlen(text)) < 0)
        _exit(1);
}

/* In a process that must not go on with the tests of the other. */
static void insist(bool is_right, int words, const char *text)
{
    if (is_right)
        return;
    say(words, text);
    _exit(1);
}

/* Fails with what the process said, if it did not end well; else `text` gets that. */
static void run_apart(const struct subject *subject, activity *act, char text[TEXT_BYTES])
{
    size_t length = 0;
    int words[2];
    ssize_t count;
    pid_t child;
    int status;

    assert_int_equal(pipe(words), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(words[0]);
        signal(SIGABRT, SIG_DFL);
        signal(SIGSEGV, SIG_DFL);
        alarm(TIMEOUT_S);
        act(subject, words[1]);
        _exit(0);
    }
    close(words[1]);
    while ((count = read(words[0], text + length, TEXT_BYTES - 1 - length)) > 0)
        length += (size_t)count;
    text[length] = '\0';
    close(words[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip_because(text);
    if (status != 0)
        fail_msg("status %d: %s", status, text);
}

static void assert_names(const char *text, const char *word)
{
    if (!strstr(text, word))
        fail_msg("'%s' is missing in: %s", word, text);
}

/* ---- the limit of locked memory ---- */

static void lock_little(int words)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2] = {0};
    const struct rlimit little = {.rlim_cur = 65536, .rlim_max = 65536};
    const __u32 lock = 1u << CAP_IPC_LOCK;

    insist(syscall(SYS_capget, &header, sets) == 0, words, "capget");
    sets[0].effective &= ~lock;
    sets[0].permitted &= ~lock;
    sets[0].inheritable &= ~lock;
    insist(syscall(SYS_capset, &header, sets) == 0, words, "capset");
    insist(setrlimit(RLIMIT_MEMLOCK, &little) == 0, words, "setrlimit");
}

/* Either it goes on without and says so, or it refuses; never without the limit and a way out. */
static void lend_where_little_may_be_locked(const struct subject *subject, int words)
{
    struct traffic traffic = {.file_count = 1, .batch = 4};
    const struct weir_memory_ops *memory = subject->backend->memory;
    struct weir_session_facts facts = {0};
    struct weir_error error = {0};
    struct weir_buffers buffers;
    struct bench bench;

    lock_little(words);
    insist(weir_buffers_open(&buffers, &(struct weir_buffers_params){.slots = subject->depth,
                                                                     .transfer_bytes = 1 << 20,
                                                                     .alignment = 4096}) == 0,
           words, "no memory");
    if (try_session(&bench, subject, NULL, &error) < 0 ||
        memory->lend(bench.session, buffers.memory, buffers.bytes, &error) < 0) {
        say(words, error.text);
        return;
    }
    bench.backend->describe(bench.session, &facts);
    say(words, weir_text_string(&facts.shortfall));
    weir_clock_calibrate(&bench.clock, false);
    insist(weir_queue_open(&bench.queue, bench.session, &bench.clock) == 0, words, "no queue");
    traffic.files[0] = make_file(&bench, path_of(&bench, "unlocked"));
    traffic.memory = buffers.memory;
    traffic.verb = WEIR_OP_WRITE;
    run_traffic(&bench, &traffic);
    traffic.verb = WEIR_OP_READ;
    run_traffic(&bench, &traffic);
    memory->give_back(bench.session);
    close_file(&bench, traffic.files[0]);
    remove_name(&bench, path_of(&bench, "unlocked"));
    weir_text_close(&facts.granted);
    weir_text_close(&facts.shortfall);
    close_bench(&bench);
    weir_buffers_close(&buffers);
}

void little_memory_may_be_locked(void **state)
{
    const struct subject *subject = *state;
    char text[TEXT_BYTES];

    if (!subject->backend->memory)
        skip_because("the backend registers no memory");
    if (subject->options && strstr(subject->options, "fixed-buffers=0"))
        skip_because("no memory is to be registered");
    run_apart(subject, lend_where_little_may_be_locked, text);
    assert_names(text, "64k");
    assert_names(text, "ulimit -l");
}

/* ---- system calls that are not there ---- */

static void forbid(unsigned call, int errno_told, int words)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)errno_told),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof rules / sizeof *rules, .filter = rules};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        say(words, "the kernel filters no system calls");
        _exit(77);
    }
}

static void open_without(const struct subject *subject, unsigned call, int errno_told, int words)
{
    struct weir_error error = {0};
    struct bench bench;

    forbid(call, errno_told, words);
    insist(try_session(&bench, subject, NULL, &error) < 0, words, "the session opened");
    insist(bench.session == NULL, words, "there is a session");
    insist(error.exit == WEIR_EXIT_ENVIRONMENT, words, "it is no error of the environment");
    say(words, error.text);
    forget_session(&bench);
}

static void open_where_io_uring_is_forbidden(const struct subject *subject, int words)
{
    open_without(subject, SYS_io_uring_setup, EPERM, words);
}

void io_uring_is_forbidden(void **state)
{
    char text[TEXT_BYTES];

    run_apart(*state, open_where_io_uring_is_forbidden, text);
    assert_names(text, "kernel.io_uring_disabled");
    assert_names(text, "libaio");
}

static void open_where_io_uring_is_missing(const struct subject *subject, int words)
{
    open_without(subject, SYS_io_uring_setup, ENOSYS, words);
}

void the_kernel_has_no_io_uring(void **state)
{
    char text[TEXT_BYTES];

    run_apart(*state, open_where_io_uring_is_missing, text);
    assert_names(text, "kernel");
    assert_names(text, "libaio");
}

static void open_where_contexts_are_used_up(const struct subject *subject, int words)
{
    open_without(subject, SYS_io_setup, EAGAIN, words);
}

static void open_where_contexts_are_missing(const struct subject *subject, int words)
{
    open_without(subject, SYS_io_setup, ENOSYS, words);
}

void the_kernel_has_no_more_contexts(void **state)
{
    char text[TEXT_BYTES];

    run_apart(*state, open_where_contexts_are_used_up, text);
    assert_names(text, "fs.aio-max-nr");
    assert_names(text, "--depth");
    run_apart(*state, open_where_contexts_are_missing, text);
    assert_names(text, "kernel");
    assert_names(text, "posix");
}

/* ---- a file system that has no O_DIRECT ---- */

/* ramfs has none; seen by this process alone, it is gone with it. */
static void mount_ramfs(const char *directory, int words)
{
    bool is_mounted = (unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0) &&
                      mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
                      mount("none", directory, "ramfs", 0, NULL) == 0;

    if (is_mounted)
        return;
    say(words, "no file system can be mounted here");
    _exit(77);
}

static void open_on_ramfs(const struct subject *subject, int words)
{
    struct weir_alignment alignment;
    struct weir_error error = {0};
    struct weir_file *file = NULL;
    struct bench bench;
    struct weir_file_params params = {
        .can_write = true,
        .must_create = true,
        .group = subject->group,
    };

    mount_ramfs(subject->directory, words);
    insist(try_session(&bench, subject, "posix.odirect=1", &error) == 0, words, error.text);
    params.path = path_of(&bench, "direct");
    insist(bench.backend->names->alignment(bench.session, params.path, &alignment) == -EOPNOTSUPP,
           words, "an alignment is told");
    insist(bench.backend->file->open(bench.session, &params, &file) == -EOPNOTSUPP, words,
           "a file is opened");
    insist(file == NULL && access(params.path, F_OK) != 0, words, "a file is left");
    forget_session(&bench);
}

void a_file_system_without_direct_transfers_is_told(void **state)
{
    char text[TEXT_BYTES];

    run_apart(*state, open_on_ramfs, text);
}
