/* SPDX-License-Identifier: Apache-2.0 */
/* The uring backend, with the calls of liburing counted and made to fail: how many system calls it
 * makes, what it does on kernels that have less, and names by the thousand. */
#include "uring_ring.h"
#include "weir/base/remedy.h"
#include "weir/io/queue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct weir_backend weir_backend_uring;

#define tested_backend weir_backend_uring
#include "backend_bed.h"

/* ---- the calls ---- */

struct calls {
    unsigned enters;         /* that hand over, wait or look */
    unsigned known_flags;    /* of io_uring_setup; others are -EINVAL; 0: as the kernel has it */
    int setup_result;        /* below 0: of all set-ups */
    int memory_result;       /* below 0: of registering */
    int ring_result;         /* the same */
    int sparse_result;       /* the same */
    int flag_error;          /* of preadv2 with flags; 0: as the kernel has it */
    int unknown_verb;        /* to the kernel; 0: it knows all */
    unsigned refused_enters; /* to come: they fail with EAGAIN */
    unsigned set_ups;
    unsigned listed_files; /* places that were registered by list */
    unsigned space_waits;  /* for a place in the ring */
    int space_result;      /* below 0: of all of them; 0: the third finds one */
    unsigned *ring_head;   /* that it moves */
};

static struct calls calls;

int __real_io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                                      struct io_uring_params *params);
int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned count);
int __real_io_uring_submit_and_get_events(struct io_uring *ring);
int __real_io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe,
                                            unsigned count, struct __kernel_timespec *timeout,
                                            sigset_t *mask);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *pieces,
                                     unsigned count);
int __real_io_uring_register_ring_fd(struct io_uring *ring);
int __real_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count);
int __real_io_uring_register_files_sparse(struct io_uring *ring, unsigned count);
struct io_uring_probe *__real_io_uring_get_probe_ring(struct io_uring *ring);
struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring);
int __real___io_uring_sqring_wait(struct io_uring *ring);
int __wrap___io_uring_sqring_wait(struct io_uring *ring);
ssize_t __real_preadv2(int fd, const struct iovec *places, int count, off_t offset, int flags);
int __wrap_io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                                      struct io_uring_params *params);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned count);
int __wrap_io_uring_submit_and_get_events(struct io_uring *ring);
int __wrap_io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe,
                                            unsigned count, struct __kernel_timespec *timeout,
                                            sigset_t *mask);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *pieces,
                                     unsigned count);
int __wrap_io_uring_register_ring_fd(struct io_uring *ring);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count);
int __wrap_io_uring_register_files_sparse(struct io_uring *ring, unsigned count);
ssize_t __wrap_preadv2(int fd, const struct iovec *places, int count, off_t offset, int flags);

int __wrap_io_uring_queue_init_params(unsigned entries, struct io_uring *ring,
                                      struct io_uring_params *params)
{
    calls.set_ups++;
    if (calls.setup_result < 0)
        return calls.setup_result;
    if (calls.known_flags != 0 && params->flags & ~calls.known_flags)
        return -EINVAL;
    return __real_io_uring_queue_init_params(entries, ring, params);
}

struct io_uring_probe *__wrap_io_uring_get_probe_ring(struct io_uring *ring)
{
    struct io_uring_probe *probe = __real_io_uring_get_probe_ring(ring);

    if (probe && calls.unknown_verb != 0)
        probe->ops[calls.unknown_verb].flags = 0;
    return probe;
}

static bool is_refused(void)
{
    calls.enters++;
    if (calls.refused_enters == 0)
        return false;
    calls.refused_enters--;
    return true;
}

int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned count)
{
    if (is_refused())
        return -EAGAIN;
    return __real_io_uring_submit_and_wait(ring, count);
}

int __wrap_io_uring_submit_and_get_events(struct io_uring *ring)
{
    if (is_refused())
        return -EAGAIN;
    return __real_io_uring_submit_and_get_events(ring);
}

int __wrap_io_uring_submit_and_wait_timeout(struct io_uring *ring, struct io_uring_cqe **cqe,
                                            unsigned count, struct __kernel_timespec *timeout,
                                            sigset_t *mask)
{
    if (is_refused())
        return -EAGAIN;
    return __real_io_uring_submit_and_wait_timeout(ring, cqe, count, timeout, mask);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *pieces,
                                     unsigned count)
{
    return calls.memory_result < 0 ? calls.memory_result
                                   : __real_io_uring_register_buffers(ring, pieces, count);
}

int __wrap_io_uring_register_ring_fd(struct io_uring *ring)
{
    return calls.ring_result < 0 ? calls.ring_result : __real_io_uring_register_ring_fd(ring);
}

int __wrap_io_uring_register_files(struct io_uring *ring, const int *files, unsigned count)
{
    calls.listed_files = count;
    return __real_io_uring_register_files(ring, files, count);
}

int __wrap_io_uring_register_files_sparse(struct io_uring *ring, unsigned count)
{
    return calls.sparse_result < 0 ? calls.sparse_result
                                   : __real_io_uring_register_files_sparse(ring, count);
}

/* A ring of a test's own (the others wait in truth): a signal comes, then somebody is too early. */
int __wrap___io_uring_sqring_wait(struct io_uring *ring)
{
    if (!calls.ring_head)
        return __real___io_uring_sqring_wait(ring);
    calls.space_waits++;
    if (calls.space_result < 0)
        return calls.space_result;
    if (calls.space_waits == 3)
        ++*calls.ring_head;
    return calls.space_waits == 1 ? -EINTR : 0;
}

ssize_t __wrap_preadv2(int fd, const struct iovec *places, int count, off_t offset, int flags)
{
    if (calls.flag_error != 0 && flags != 0) {
        errno = calls.flag_error;
        return -1;
    }
    return __real_preadv2(fd, places, count, offset, flags);
}

/* ---- a session with a file ---- */

/* is_exact: a FIFO is opened as well. */
static struct weir_file *make_file(struct bench *bench, const char *path)
{
    const struct weir_file_params params = {.path = path,
                                            .can_write = true,
                                            .can_read = true,
                                            .must_create = true,
                                            .is_exact = true,
                                            .group = bench->group};
    struct weir_file *file;

    assert_int_equal(weir_backend_uring.file->open(bench->session, &params, &file), 0);
    return file;
}

/* Under set-ups as `calls` has them. Where io_uring is forbidden there is nothing to test. Each op
 * writes its own place. */
static void open_bench(struct bench *bench, const char *options)
{
    int rc = try_session(bench, options);

    if (rc == -EPERM || rc == -ENOSYS) {
        forget_session(bench);
        skip();
    }
    if (rc < 0)
        fail_msg("%s", bench->error.text);
    snprintf(bench->path, sizeof bench->path, "weir-uring-%d", (int)getpid());
    unlink(bench->path);
    bench->file = make_file(bench, bench->path);
    fill_ops(bench);
    assert_int_equal(weir_backend_uring.memory->lend(bench->session, bench->data,
                                                     (size_t)DEPTH * TRANSFER, &bench->error),
                     0);
}

static void close_bench(struct bench *bench)
{
    close_file(bench, bench->file);
    unlink(bench->path);
    weir_backend_uring.memory->give_back(bench->session);
    forget_session(bench);
    free(bench->data);
}

static void assert_round_trip(struct bench *bench)
{
    move_all(bench, WEIR_OP_WRITE);
    memset(bench->data, 0, (size_t)DEPTH * TRANSFER);
    move_all(bench, WEIR_OP_READ);
    for (unsigned i = 0; i < DEPTH; i++)
        assert_int_equal(bench->data[(size_t)i * TRANSFER + TRANSFER - 1], i + 1);
}

static void assert_says(const struct weir_text *text, const char *words)
{
    if (!strstr(weir_text_string(text), words))
        fail_msg("\"%s\" does not say \"%s\"", weir_text_string(text), words);
}

static void assert_refused(const char *options, const char *words)
{
    struct bench bench;

    assert_true(try_session(&bench, options) < 0);
    if (!strstr(bench.error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", bench.error.text, words);
    forget_session(&bench);
}

/* ---- how many system calls ---- */

static void a_batch_is_handed_over_and_waited_for_in_one_call(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "uring.spin=0");
    for (unsigned round = 1; round <= 100; round++) {
        move_all(&bench, WEIR_OP_WRITE);
        assert_int_equal(calls.enters, round);
    }
    assert_round_trip(&bench);
    close_bench(&bench);
}

static void a_wait_with_an_end_is_one_call_too(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "uring.spin=0");
    assert_int_equal(submit(&bench, 0, DEPTH), DEPTH);
    assert_int_equal(reap(&bench, DEPTH, UINT64_C(60000000000)), DEPTH);
    assert_int_equal(calls.enters, 1);
    close_bench(&bench);
}

static void a_look_that_is_in_vain_is_no_call(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(reap(&bench, 0, WEIR_FOREVER), 0);
    assert_int_equal(calls.enters, 0);
    /* It hands over what there is. */
    assert_int_equal(submit(&bench, 0, 1), 1);
    while (reap(&bench, 0, WEIR_FOREVER) == 0)
        ;
    assert_in_range(calls.enters, 1, 1000000);
    assert_int_equal(bench.ops[0].result, TRANSFER);
    close_bench(&bench);
}

static void spin_for(struct weir_uring_ring *ring, uint64_t spin_ns)
{
    const struct weir_uring_request request = {
        .depth = 4, .entries = 4, .poller_cpu = -1, .spin_ns = spin_ns};
    struct weir_error error = {0};
    int rc;

    calls = (struct calls){0};
    rc = weir_uring_ring_open(ring, &request, "uring", &error);
    if (rc == -EPERM || rc == -ENOSYS)
        skip();
    assert_int_equal(rc, 0);
}

/* Two calls where a wait spins in vain, one where it sleeps at once. */
static void a_device_slower_than_the_spin_is_spun_for_seldom(void **state)
{
    struct weir_uring_ring ring = {0};
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    spin_for(&ring, 20000);
    io_uring_prep_poll_add(io_uring_get_sqe(&ring.ring), ends[0], POLLIN);
    ring.flying = 1;
    for (unsigned i = 0; i < 128; i++)
        assert_int_equal(weir_uring_ring_turn(&ring, 1, 1000000), 0);
    /* Those before which 0, 1, 3, 7, 15, 31 and 63 slept. */
    assert_int_equal(calls.enters, 128 + 7);
    assert_int_equal(write(ends[1], "", 1), 1);
    weir_uring_ring_close(&ring);
    close(ends[0]);
    close(ends[1]);
}

static void a_spin_that_finds_something_is_one_call_and_no_sleep(void **state)
{
    struct weir_uring_ring ring = {0};

    (void)state;
    spin_for(&ring, 20000);
    ring.spin_misses = 3;
    for (unsigned i = 1; i <= 100; i++) {
        io_uring_prep_nop(io_uring_get_sqe(&ring.ring));
        assert_int_equal(weir_uring_ring_turn(&ring, 1, WEIR_FOREVER), 0);
        assert_int_equal(calls.enters, i);
        io_uring_cq_advance(&ring.ring, 1);
    }
    assert_int_equal(ring.spin_misses, 0);
    weir_uring_ring_close(&ring);
}

static void no_more_are_taken_than_one_call_hands_over(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "uring.entries=8");
    assert_int_equal(submit(&bench, 0, DEPTH), 8);
    assert_int_equal(submit(&bench, 8, DEPTH - 8), 0);
    assert_int_equal(reap(&bench, 8, WEIR_FOREVER), 8);
    assert_int_equal(submit(&bench, 8, DEPTH - 8), 8);
    assert_int_equal(reap(&bench, 8, WEIR_FOREVER), 8);
    close_bench(&bench);
}

static void what_the_kernel_has_no_memory_for_is_sent_again(void **state)
{
    struct bench bench;
    int count;
    int more;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    assert_int_equal(submit(&bench, 0, 4), 4);
    count = reap(&bench, 0, WEIR_FOREVER);
    assert_int_equal(submit(&bench, 4, 4), 4);
    if (count < 4) {
        /* One of the first four is waited for, and what was refused goes with the next call. */
        calls.refused_enters = 1;
        more = reap(&bench, 1, WEIR_FOREVER);
        assert_in_range(more, 1, 4 - count);
        count += more;
    }
    assert_int_equal(reap(&bench, (unsigned)(8 - count), WEIR_FOREVER), 8 - count);
    /* With nothing to wait for there is no way on. */
    assert_int_equal(submit(&bench, 0, 1), 1);
    calls.refused_enters = 1;
    assert_int_equal(reap(&bench, 1, WEIR_FOREVER), -ENOMEM);
    assert_int_equal(reap(&bench, 1, WEIR_FOREVER), 1);
    close_bench(&bench);
}

/* A read from a pipe that nobody writes to has the kernel's memory, and never gives it back. */
static void a_kernel_without_memory_is_waited_for_as_long_as_asked(void **state)
{
    struct weir_file *silent;
    struct bench bench;
    char path[PATH_BYTES + 2];

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    snprintf(path, sizeof path, "%s-2", bench.path);
    assert_int_equal(mkfifo(path, 0600), 0);
    silent = make_file(&bench, path);
    unlink(path);
    bench.ops[0].file = silent;
    bench.ops[0].verb = WEIR_OP_READ;
    bench.ops[0].offset = 0;
    assert_int_equal(submit(&bench, 0, 1), 1);
    assert_int_equal(reap(&bench, 1, 1000000), 0);
    assert_int_equal(submit(&bench, 1, 1), 1);
    alarm(20); /* ends a wait without end, and the test */
    calls.refused_enters = 1;
    assert_int_equal(reap(&bench, 1, 1000000), 0);
    alarm(0);
    assert_int_equal(calls.refused_enters, 0);
    assert_int_equal(reap(&bench, 1, WEIR_FOREVER), 1);
    assert_int_equal(bench.ops[1].result, TRANSFER);
    close_file(&bench, silent);
    close_bench(&bench);
}

/* The kernel's thread completes an operation before it says that its place in the ring is free. */
static void a_ring_with_nothing_in_flight_takes_one_at_any_time(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "uring.sqpoll=1,uring.entries=1");
    for (unsigned i = 0; i < 5000; i++) {
        assert_int_equal(submit(&bench, 0, 1), 1);
        assert_int_equal(reap(&bench, 1, WEIR_FOREVER), 1);
    }
    close_bench(&bench);
}

/* The same, with the kernel's thread as slow as can be. */
static void a_full_ring_with_nothing_in_flight_is_waited_for(void **state)
{
    unsigned head = 0;
    struct weir_uring_ring ring = {
        .room = 8,
        .ring = {.flags = IORING_SETUP_SQPOLL,
                 .sq = {.khead = &head, .sqe_head = 4, .sqe_tail = 4, .ring_entries = 4}},
    };

    (void)state;
    calls = (struct calls){.ring_head = &head};
    ring.flying = 1;
    assert_int_equal(weir_uring_ring_room(&ring), 0);
    assert_int_equal(calls.space_waits, 0);
    ring.flying = 0;
    assert_int_equal(weir_uring_ring_room(&ring), 1);
    assert_int_equal(calls.space_waits, 3);
    /* Of a thread that is no more nothing can be expected. */
    head = 0;
    calls.space_result = -EOWNERDEAD;
    assert_int_equal(weir_uring_ring_room(&ring), 0);
    calls = (struct calls){0};
}

/* ---- kernels that have less ---- */

static void what_an_older_kernel_does_not_have_is_left_out_and_told(void **state)
{
    static const struct {
        unsigned known_flags;
        const char *missing;
        const char *granted;
        unsigned set_ups;
    } kernels[] = {
        {IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN |
             IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SINGLE_ISSUER,
         "has no deferred task work -> Linux 6.1", "single issuer", 2},
        {IORING_SETUP_CQSIZE | IORING_SETUP_SUBMIT_ALL, "has no single issuer", "ring of 32", 4},
        {IORING_SETUP_CQSIZE, "has no cooperative task work", "ring of 32", 5},
        {IORING_SETUP_CLAMP, "has no cooperative task work", "ring of 32", 6},
    };
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        calls = (struct calls){.known_flags = kernels[i].known_flags};
        open_bench(&bench, "");
        assert_int_equal(calls.set_ups, kernels[i].set_ups);
        assert_round_trip(&bench);
        describe(&bench, &facts);
        assert_says(&facts.shortfall, kernels[i].missing);
        assert_says(&facts.granted, kernels[i].granted);
        assert_null(strstr(weir_text_string(&facts.granted), "deferred"));
        forget_facts(&facts);
        close_bench(&bench);
    }
}

static void what_can_not_be_registered_is_done_without_and_told(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    calls = (struct calls){.memory_result = -ENOMEM, .ring_result = -EINVAL};
    calls.sparse_result = -EMFILE;
    open_bench(&bench, "");
    assert_round_trip(&bench);
    describe(&bench, &facts);
    assert_says(&facts.shortfall, "128k");
    assert_says(&facts.shortfall, "ulimit -l");
    assert_says(&facts.shortfall, "files were not registered");
    assert_says(&facts.shortfall, "the ring was not registered");
    assert_null(strstr(weir_text_string(&facts.granted), "fixed"));
    assert_null(strstr(weir_text_string(&facts.granted), "registered"));
    forget_facts(&facts);
    close_bench(&bench);
}

static void files_are_registered_by_list_where_there_is_no_other_way(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    calls = (struct calls){.sparse_result = -EINVAL};
    open_bench(&bench, "");
    assert_true(calls.listed_files > 0);
    assert_round_trip(&bench);
    describe(&bench, &facts);
    assert_says(&facts.granted, "registered files");
    forget_facts(&facts);
    close_bench(&bench);
}

static void nothing_is_registered_that_was_not_asked_for(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "uring.fixed-buffers=0,uring.fixed-files=0,uring.huge-pages=1");
    assert_true(bench.session->wants_huge_pages);
    assert_round_trip(&bench);
    describe(&bench, &facts);
    assert_null(strstr(weir_text_string(&facts.granted), "fixed buffers"));
    assert_null(strstr(weir_text_string(&facts.granted), "registered files"));
    assert_null(strstr(weir_text_string(&facts.shortfall), "registered"));
    forget_facts(&facts);
    close_bench(&bench);
}

static void no_ring_is_a_sentence_with_a_way_out(void **state)
{
    (void)state;
    calls = (struct calls){.setup_result = -EPERM};
    assert_refused("", "kernel.io_uring_disabled");
    assert_refused("", WEIR_REMEDY_BACKEND " libaio or " WEIR_REMEDY_BACKEND " posix");
    calls.setup_result = -ENOSYS;
    assert_refused("", WEIR_REMEDY_BACKEND " libaio or " WEIR_REMEDY_BACKEND " posix");
    calls.setup_result = -ENOMEM;
    assert_refused("", "ulimit -l");
    calls.setup_result = -EINVAL;
    assert_refused("uring.sqpoll=1,uring.sqpoll-cpu=7", "no CPU 7");
    calls.setup_result = -EMFILE;
    assert_refused("", "Too many open files");
}

/* ---- options ---- */

static void options_that_make_no_sense_together_are_refused(void **state)
{
    (void)state;
    calls = (struct calls){0};
    assert_refused("uring.iopoll=1", "--uring.iopoll");
    assert_refused("uring.dontcache=1,posix.odirect=1", "--uring.dontcache");
    assert_refused("uring.sqpoll-cpu=0", "--uring.sqpoll-cpu");
    assert_refused("uring.sqpoll-idle=5", "--uring.sqpoll-idle");
    assert_int_equal(calls.set_ups, 0);
}

static void assert_path_refused(const char *options, const char *words)
{
    struct bench bench;

    open_bench(&bench, options);
    assert_true(weir_backend_uring.names->check(bench.session, "none/none", &bench.error) < 0);
    if (!strstr(bench.error.text, words))
        fail_msg("\"%s\" does not say \"%s\"", bench.error.text, words);
    close_bench(&bench);
}

static void flags_that_a_file_system_does_not_know_are_refused(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){.flag_error = EOPNOTSUPP};
    assert_path_refused("uring.dontcache=1", "--uring.dontcache");
    assert_path_refused("uring.nowait=1", "--uring.nowait");
    /* Anything else is said by others. */
    calls.flag_error = EAGAIN;
    open_bench(&bench, "uring.dontcache=1,uring.nowait=1");
    assert_int_equal(weir_backend_uring.names->check(bench.session, "none/none", &bench.error), 0);
    close_bench(&bench);
    calls.flag_error = EOPNOTSUPP;
    open_bench(&bench, "");
    assert_int_equal(weir_backend_uring.names->check(bench.session, "none/none", &bench.error), 0);
    close_bench(&bench);
}

static void what_would_block_says_so_until_it_may(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "uring.nowait=1");
    describe(&bench, &facts);
    assert_says(&facts.granted, "no-wait");
    forget_facts(&facts);
    if (weir_backend_uring.names->check(bench.session, bench.path, &bench.error) < 0) {
        close_bench(&bench);
        skip();
    }
    assert_int_equal(submit(&bench, 0, DEPTH), DEPTH);
    assert_int_equal(reap(&bench, DEPTH, WEIR_FOREVER), DEPTH);
    for (unsigned i = 0; i < DEPTH; i++) {
        assert_true(bench.ops[i].result == TRANSFER || bench.ops[i].result == -EAGAIN);
        bench.ops[i].may_wait = true;
    }
    assert_round_trip(&bench);
    close_bench(&bench);
}

/* ---- what is registered ---- */

static void a_descriptor_that_is_used_again_is_another_file(void **state)
{
    unsigned char byte = 0;
    struct weir_file *other;
    struct bench bench;
    char path[PATH_BYTES + 2];
    int fd;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    move_all(&bench, WEIR_OP_WRITE);
    close_file(&bench, bench.file);
    snprintf(path, sizeof path, "%s-2", bench.path);
    other = make_file(&bench, path);
    bench.ops[0].file = other;
    memset(bench.data, 99, TRANSFER);
    assert_int_equal(submit(&bench, 0, 1), 1);
    assert_int_equal(reap(&bench, 1, WEIR_FOREVER), 1);
    assert_int_equal(bench.ops[0].result, TRANSFER);
    fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 99);
    close(fd);
    fd = open(bench.path, O_RDONLY);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 1);
    close(fd);
    unlink(path);
    bench.file = other;
    close_bench(&bench);
}

static void memory_beyond_or_across_a_registered_buffer_is_not_in_one(void **state)
{
    const uint64_t most = UINT64_C(1) << WEIR_URING_BUFFER_SHIFT;
    struct weir_uring_ring ring = {.memory = 0x10000, .registered_bytes = 3 * most - 4096};
    const unsigned char *memory = (const unsigned char *)ring.memory;
    unsigned number = 9;

    (void)state;
    assert_true(weir_uring_ring_has_memory(&ring, memory, most, &number));
    assert_int_equal(number, 0);
    assert_true(weir_uring_ring_has_memory(&ring, memory + most, 4096, &number));
    assert_int_equal(number, 1);
    assert_true(weir_uring_ring_has_memory(&ring, memory + 3 * most - 8192, 4096, &number));
    assert_int_equal(number, 2);
    assert_false(weir_uring_ring_has_memory(&ring, memory + 3 * most - 8192, 4097, &number));
    assert_false(weir_uring_ring_has_memory(&ring, memory + most - 1, 2, &number));
    assert_false(weir_uring_ring_has_memory(&ring, memory - 1, 2, &number));
    assert_false(weir_uring_ring_has_memory(&ring, memory - 4096, 4096, &number));
    ring.registered_bytes = 0;
    assert_false(weir_uring_ring_has_memory(&ring, memory, 1, &number));
}

/* ---- names ---- */

enum { NAMES = 2048, STEPS = 6 };

/* What each name goes through, all of them at once. */
struct name {
    struct weir_name_request request;
    struct weir_name_facts facts;
    struct weir_file *file;
    char path[PATH_BYTES];
    char new_path[PATH_BYTES];
    unsigned step;
};

static const enum weir_op_verb steps[STEPS] = {WEIR_OP_OPEN,   WEIR_OP_CLOSE, WEIR_OP_STAT,
                                               WEIR_OP_RENAME, WEIR_OP_STAT,  WEIR_OP_UNLINK};

static void send_step(struct weir_queue *queue, struct weir_op *op, struct name *name)
{
    name->request.path = name->step > 3 ? name->new_path : name->path;
    op->verb = steps[name->step];
    op->file = name->file;
    op->request = &name->request;
    op->data = name;
    op->size = 0;
    op->result = -1;
    name->facts = (struct weir_name_facts){.kind = WEIR_NAME_OTHER, .bytes = 1};
    weir_queue_send(queue, op);
}

static void check_step(const struct weir_op *op, struct name *name)
{
    assert_int_equal(op->result, 0);
    if (op->verb == WEIR_OP_STAT) {
        assert_int_equal(name->facts.kind, WEIR_NAME_FILE);
        assert_int_equal(name->facts.bytes, 0);
    }
    name->file = op->verb == WEIR_OP_OPEN ? op->file : NULL;
    name->step++;
}

static void run_names(struct weir_queue *queue, struct name *names)
{
    struct weir_op *done[DEPTH];
    unsigned begun = 0;
    unsigned over = 0;

    while (over < NAMES) {
        int count;

        while (begun < NAMES && weir_queue_has_free(queue))
            send_step(queue, weir_queue_take(queue), &names[begun++]);
        count = weir_queue_reap(queue, done, 1, DEPTH, WEIR_FOREVER);
        assert_true(count > 0);
        for (int i = 0; i < count; i++) {
            struct name *name = done[i]->data;

            check_step(done[i], name);
            if (name->step < STEPS) {
                send_step(queue, done[i], name);
                continue;
            }
            weir_queue_give(queue, done[i]);
            over++;
        }
    }
}

static void thousands_of_names_come_and_go(void **state)
{
    struct name *names = calloc(NAMES, sizeof *names);
    struct weir_file_params params = {.can_write = true, .must_create = true};
    struct weir_clock clock;
    struct weir_queue queue;
    struct bench bench;
    char directory[32];

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    weir_clock_calibrate(&clock, false);
    assert_non_null(names);
    assert_int_equal(weir_queue_open(&queue, bench.session, &clock), 0);
    snprintf(directory, sizeof directory, "weir-names-%d", (int)getpid());
    assert_int_equal(mkdir(directory, 0700), 0);
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(names[i].path, PATH_BYTES, "%s/old-%u", directory, i);
        snprintf(names[i].new_path, PATH_BYTES, "%s/new-%u", directory, i);
        names[i].request = (struct weir_name_request){
            .new_path = names[i].new_path, .facts = &names[i].facts, .params = &params};
    }
    run_names(&queue, names);
    /* Nothing is left, and what was opened is closed. */
    assert_int_equal(rmdir(directory), 0);
    weir_queue_close(&queue);
    free(names);
    close_bench(&bench);
}

static int do_one(struct bench *bench, enum weir_op_verb verb, struct weir_file **file,
                  const struct weir_name_request *request)
{
    struct weir_op op = {.verb = verb, .file = *file, .request = request, .result = 1};
    struct weir_op *ops[1] = {&op};

    assert_int_equal(weir_backend_uring.transfer->submit(bench->session, ops, 1), 1);
    assert_int_equal(weir_backend_uring.transfer->reap(bench->session, ops, 1, 1, WEIR_FOREVER), 1);
    assert_ptr_equal(ops[0], &op);
    *file = op.file;
    return (int)op.result;
}

static void a_file_may_be_opened_one_way_and_closed_the_other(void **state)
{
    struct weir_file_params params = {.can_write = true, .can_read = true, .must_create = true};
    struct weir_name_request request = {.params = &params};
    struct weir_file *file = NULL;
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    request.path = bench.path;
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(do_one(&bench, WEIR_OP_OPEN, &file, &request), 0);
        bench.ops[0].file = file;
        assert_int_equal(submit(&bench, 0, 1), 1);
        assert_int_equal(reap(&bench, 1, WEIR_FOREVER), 1);
        assert_int_equal(bench.ops[0].result, TRANSFER);
        close_file(&bench, file);
        file = make_file(&bench, bench.path);
        assert_int_equal(do_one(&bench, WEIR_OP_CLOSE, &file, NULL), 0);
    }
    close_bench(&bench);
}

static void a_file_opened_through_the_ring_is_not_whoever_had_its_descriptor(void **state)
{
    struct weir_file_params params = {.can_write = true, .can_read = true, .must_create = true};
    struct weir_name_request request = {.params = &params};
    unsigned char byte = 0;
    struct bench bench;
    char path[PATH_BYTES + 2];
    int fd;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    close_file(&bench, bench.file);
    snprintf(path, sizeof path, "%s-2", bench.path);
    request.path = path;
    assert_int_equal(do_one(&bench, WEIR_OP_OPEN, &bench.file, &request), 0);
    bench.ops[0].file = bench.file;
    assert_int_equal(submit(&bench, 0, 1), 1);
    assert_int_equal(reap(&bench, 1, WEIR_FOREVER), 1);
    fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &byte, 1, 0), 1);
    assert_int_equal(byte, 1);
    close(fd);
    unlink(path);
    close_bench(&bench);
}

static void files_without_end_are_an_error_of_the_last(void **state)
{
    enum { LIMIT = 64 };
    struct weir_file_params params = {.can_write = true, .must_create = true};
    struct weir_name_request request = {.params = &params};
    struct weir_file *files[LIMIT] = {NULL};
    struct rlimit before;
    struct bench bench;
    unsigned count = 0;
    int rc;

    (void)state;
    calls = (struct calls){0};
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){.rlim_cur = LIMIT, .rlim_max = before.rlim_max}),
        0);
    open_bench(&bench, "");
    request.path = bench.path;
    do {
        rc = do_one(&bench, WEIR_OP_OPEN, &files[count], &request);
        count += rc == 0;
    } while (rc == 0 && count < LIMIT);
    assert_int_equal(rc, -EMFILE);
    assert_in_range(count, 1, LIMIT - 1);
    while (count > 0)
        close_file(&bench, files[--count]);
    close_bench(&bench);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

static void what_the_kernel_does_not_know_is_not_queued(void **state)
{
    static const struct {
        int unknown;
        unsigned verbs;
    } kernels[] = {
        {IORING_OP_LINKAT, 1U << WEIR_OP_LINK},
        {IORING_OP_SYMLINKAT, 1U << WEIR_OP_SYMLINK},
        {IORING_OP_GETXATTR, 1U << WEIR_OP_GETXATTR},
        {IORING_OP_UNLINKAT, 1U << WEIR_OP_UNLINK | 1U << WEIR_OP_RMDIR},
        {IORING_OP_RENAMEAT, 1U << WEIR_OP_RENAME},
    };
    struct bench bench;
    unsigned all;

    (void)state;
    calls = (struct calls){0};
    open_bench(&bench, "");
    all = bench.session->queued_names;
    close_bench(&bench);
    assert_int_equal(all & (1U << WEIR_OP_MKNOD | 1U << WEIR_OP_CHMOD | 1U << WEIR_OP_LIST |
                            1U << WEIR_OP_SETXATTR),
                     0);
    for (unsigned i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        calls = (struct calls){.unknown_verb = kernels[i].unknown};
        open_bench(&bench, "");
        assert_int_equal(bench.session->queued_names, all & ~kernels[i].verbs);
        close_bench(&bench);
    }
}

static void a_ring_that_is_polled_does_other_things_without_it(void **state)
{
    struct weir_file *file;
    struct weir_name_request request = {.path = "none"};
    struct weir_file *nothing = NULL;
    struct bench bench;
    int rc;

    (void)state;
    calls = (struct calls){0};
    rc = try_session(&bench, "uring.iopoll=1,posix.odirect=1");
    if (rc == -EPERM || rc == -ENOSYS) {
        forget_session(&bench);
        skip();
    }
    assert_int_equal(rc, 0);
    snprintf(bench.path, sizeof bench.path, "weir-uring-%d", (int)getpid());
    if (weir_backend_uring.file->open(
            bench.session,
            &(struct weir_file_params){
                .path = bench.path, .can_write = true, .must_create = true, .group = bench.group},
            &file) != 0) {
        forget_session(&bench);
        skip();
    }
    assert_int_equal(bench.session->queued_names, 0);
    assert_int_equal(do_one(&bench, WEIR_OP_SYNC, &file, NULL), 0);
    assert_int_equal(do_one(&bench, WEIR_OP_UNLINK, &nothing, &request), -EOPNOTSUPP);
    assert_int_equal(do_one(&bench, WEIR_OP_CLOSE, &file, NULL), 0);
    unlink(bench.path);
    forget_session(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_handed_over_and_waited_for_in_one_call),
        cmocka_unit_test(a_wait_with_an_end_is_one_call_too),
        cmocka_unit_test(a_look_that_is_in_vain_is_no_call),
        cmocka_unit_test(a_device_slower_than_the_spin_is_spun_for_seldom),
        cmocka_unit_test(a_spin_that_finds_something_is_one_call_and_no_sleep),
        cmocka_unit_test(no_more_are_taken_than_one_call_hands_over),
        cmocka_unit_test(what_the_kernel_has_no_memory_for_is_sent_again),
        cmocka_unit_test(a_kernel_without_memory_is_waited_for_as_long_as_asked),
        cmocka_unit_test(a_ring_with_nothing_in_flight_takes_one_at_any_time),
        cmocka_unit_test(a_full_ring_with_nothing_in_flight_is_waited_for),
        cmocka_unit_test(what_an_older_kernel_does_not_have_is_left_out_and_told),
        cmocka_unit_test(what_can_not_be_registered_is_done_without_and_told),
        cmocka_unit_test(files_are_registered_by_list_where_there_is_no_other_way),
        cmocka_unit_test(nothing_is_registered_that_was_not_asked_for),
        cmocka_unit_test(no_ring_is_a_sentence_with_a_way_out),
        cmocka_unit_test(options_that_make_no_sense_together_are_refused),
        cmocka_unit_test(flags_that_a_file_system_does_not_know_are_refused),
        cmocka_unit_test(what_would_block_says_so_until_it_may),
        cmocka_unit_test(a_descriptor_that_is_used_again_is_another_file),
        cmocka_unit_test(memory_beyond_or_across_a_registered_buffer_is_not_in_one),
        cmocka_unit_test(thousands_of_names_come_and_go),
        cmocka_unit_test(a_file_may_be_opened_one_way_and_closed_the_other),
        cmocka_unit_test(a_file_opened_through_the_ring_is_not_whoever_had_its_descriptor),
        cmocka_unit_test(files_without_end_are_an_error_of_the_last),
        cmocka_unit_test(what_the_kernel_does_not_know_is_not_queued),
        cmocka_unit_test(a_ring_that_is_polled_does_other_things_without_it),
    };

    return cmocka_run_group_tests_name("uring", tests, NULL, NULL);
}
