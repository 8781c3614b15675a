/* SPDX-License-Identifier: Apache-2.0 */
/* Children that crash, what they print on standard error, and the signal that ends them. */
#include "weir/base/crash.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#ifdef __SANITIZE_ADDRESS__
#define ENDS_BY_SIGNAL false /* a sanitizer prints as well, and exits */
#else
#define ENDS_BY_SIGNAL true
#endif

static char printed[65536];

/* The functions that are to be found on the stack are not inlined, and have something to do after
 * their calls. */
__attribute__((noinline)) static void read_through_null_pointer(void)
{
    volatile int *volatile nothing = NULL;

    *nothing = 1;
}

__attribute__((noinline)) static void call_null_pointer(void)
{
    void (*volatile nothing)(void) = NULL;

    nothing();
    __asm__ volatile("");
}

__attribute__((noinline)) static int descend_without_end(volatile int depth)
{
    volatile char room[4096];

    room[0] = (char)depth;
    return depth < 0 ? 0 : descend_without_end(depth + 1) + room[0];
}

__attribute__((noinline)) static void overflow_stack(void)
{
    /* A small stack: that of a child is as large as the limit of the machine. */
    setrlimit(RLIMIT_STACK, &(struct rlimit){.rlim_cur = 256 * 1024, .rlim_max = RLIM_INFINITY});
    descend_without_end(0);
}

__attribute__((noinline)) static void abort_run(void)
{
    abort();
}

__attribute__((noinline)) static void receive_signal(void)
{
    kill(getpid(), SIGILL);
}

__attribute__((noinline)) static void touch_missing_page(void)
{
    char name[] = "/tmp/weir-crash-XXXXXX";
    int fd = mkstemp(name);
    volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    unlink(name);
    page[0] = 1;
}

/* As the kernel sends it to a process that has not touched the page: no instruction repeats it. */
__attribute__((noinline)) static void hear_of_broken_memory(void)
{
    static char page[4096];
    siginfo_t facts = {.si_signo = SIGBUS, .si_code = BUS_MCEERR_AO};

    facts.si_addr = page;
    syscall(SYS_rt_sigqueueinfo, getpid(), SIGBUS, &facts);
}

static void crash_at_exit(void)
{
    read_through_null_pointer();
}

static void exit_and_crash(void)
{
    atexit(crash_at_exit);
    exit(0);
}

static void *crash_in_thread(void *context)
{
    read_through_null_pointer();
    return context;
}

static void start_thread(void)
{
    pthread_t thread;
    sigset_t all;

    sigfillset(&all);
    weir_crash_allow(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    pthread_create(&thread, NULL, crash_in_thread, NULL);
    pthread_join(thread, NULL);
}

/* A library that installs a handler after ours was there. */
static void say_library(int number)
{
    static const char text[] = "the library's handler\n";

    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    signal(number, SIG_DFL);
    raise(number);
}

static void crash_with_library(void)
{
    signal(SIGSEGV, say_library);
    weir_crash_watch();
    read_through_null_pointer();
}

/* Runs `crash` in a child, keeps its standard error, and returns its wait status. */
static int run_child(void (*crash)(void))
{
    const struct rlimit none = {0};
    int ends[2], status;
    size_t length = 0;
    ssize_t bytes;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &none);
        /* Those of cmocka are not ours. */
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        signal(SIGFPE, SIG_DFL);
        signal(SIGILL, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        weir_crash_watch();
        weir_crash_set_rank(3, "node\n17");
        weir_crash_set_work("%s of test %d", "write", 5);
        crash();
        _exit(0);
    }
    close(ends[1]);
    while (length < sizeof printed - 1 &&
           (bytes = read(ends[0], printed + length, sizeof printed - 1 - length)) > 0)
        length += (size_t)bytes;
    printed[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void expect_text(const char *text)
{
    if (strstr(printed, text) == NULL)
        fail_msg("\"%s\" is not in: %s", text, printed);
}

static void a_crash_prints_rank_host_work_and_functions(void **state)
{
    static const struct {
        void (*crash)(void);
        int signal;
        const char *head;
        const char *function;
    } cases[] = {
        {read_through_null_pointer, SIGSEGV, "crashed by SIGSEGV at address 0x0, host node?17, ",
         "in read_through_null_pointer"},
        {call_null_pointer, SIGSEGV, "crashed by SIGSEGV at address 0x0", "call_null_pointer"},
        {overflow_stack, SIGSEGV, "crashed by SIGSEGV at address 0x", "in descend_without_end"},
        {abort_run, SIGABRT, "crashed by SIGABRT, host", "in abort_run"},
        {receive_signal, SIGILL, "crashed by SIGILL from process ", "in run_child"},
        {touch_missing_page, SIGBUS, "crashed by SIGBUS at address 0x", "in touch_missing_page"},
        {hear_of_broken_memory, SIGBUS, "crashed by SIGBUS at address 0x",
         "in hear_of_broken_memory"},
        {exit_and_crash, SIGSEGV, "crashed by SIGSEGV at address 0x0", "in exit_and_crash"},
        {start_thread, SIGSEGV, ", thread ", "in crash_in_thread"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = run_child(cases[i].crash);

        expect_text("weir: rank 3: crashed by ");
        expect_text(cases[i].head);
        expect_text(", during write of test 5\n");
        expect_text(cases[i].function);
        if (ENDS_BY_SIGNAL) {
            assert_true(WIFSIGNALED(status));
            assert_int_equal(WTERMSIG(status), cases[i].signal);
        }
    }
}

static void a_handler_that_was_there_is_called_after_ours(void **state)
{
    int status = run_child(crash_with_library);

    expect_text("in read_through_null_pointer");
    expect_text("the library's handler\n");
    assert_true(strstr(printed, "crashed by") < strstr(printed, "the library's handler"));
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_prints_rank_host_work_and_functions),
        cmocka_unit_test(a_handler_that_was_there_is_called_after_ours),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
