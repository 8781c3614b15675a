/* SPDX-License-Identifier: Apache-2.0 */
/* The libaio backend, with its three system calls counted and made to fail: how many it makes, and
 * what becomes of transfers that the kernel refuses, forgets, or still has. */
#include "posix_files.h"
#include "weir/base/remedy.h"
#include "weir/io/backend.h"

#include <errno.h>
#include <libaio.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct weir_backend weir_backend_libaio;

#define tested_backend weir_backend_libaio
#include "backend_bed.h"

/* ---- the system calls ---- */

struct calls {
    unsigned submits;
    unsigned waits;
    unsigned no_waits;     /* transfers that must not wait */
    int setup_result;      /* below 0: of io_setup */
    int sync_result;       /* below 0: of submitting a sync */
    int submit_result;     /* below 0: of submitting anything */
    long submit_most;      /* what one io_submit takes; 0: all */
    bool must_forget;      /* transfers are taken, and never come back */
    bool has_strange_ring; /* of a version that does not exist */
};

static struct calls calls;

int __real_io_setup(int count, io_context_t *context);
int __real_io_submit(io_context_t context, long count, struct iocb *iocbs[]);
int __real_io_getevents(io_context_t context, long min, long max, struct io_event *events,
                        struct timespec *limit);
int __wrap_io_setup(int count, io_context_t *context);
int __wrap_io_submit(io_context_t context, long count, struct iocb *iocbs[]);
int __wrap_io_getevents(io_context_t context, long min, long max, struct io_event *events,
                        struct timespec *limit);

int __wrap_io_setup(int count, io_context_t *context)
{
    enum { INCOMPATIBLE_FEATURES = 6 };
    int rc = calls.setup_result < 0 ? calls.setup_result : __real_io_setup(count, context);

    if (rc == 0 && calls.has_strange_ring)
        ((unsigned *)*context)[INCOMPATIBLE_FEATURES] = 1;
    return rc;
}

int __wrap_io_submit(io_context_t context, long count, struct iocb *iocbs[])
{
    calls.submits++;
    for (long i = 0; i < count; i++)
        calls.no_waits += iocbs[i]->aio_rw_flags == RWF_NOWAIT;
    if (calls.submit_result < 0)
        return calls.submit_result;
    if (calls.sync_result < 0 && iocbs[0]->aio_lio_opcode == IO_CMD_FSYNC)
        return calls.sync_result;
    if (calls.submit_most > 0 && count > calls.submit_most)
        count = calls.submit_most;
    return calls.must_forget ? (int)count : __real_io_submit(context, count, iocbs);
}

int __wrap_io_getevents(io_context_t context, long min, long max, struct io_event *events,
                        struct timespec *limit)
{
    calls.waits++;
    return __real_io_getevents(context, min, max, events, limit);
}

/* ---- a session with a file ---- */

static int open_file(struct bench *bench, bool can_write, struct weir_file **file)
{
    const struct weir_file_params params = {.path = bench->path,
                                            .can_write = can_write,
                                            .can_read = true,
                                            .must_create = can_write,
                                            .group = bench->group};

    return weir_backend_libaio.file->open(bench->session, &params, file);
}

/* Each op writes its own place. Skips the test where files are to be direct and cannot be. */
static void open_bench(struct bench *bench, const char *options)
{
    int rc;

    calls = (struct calls){0};
    if (try_session(bench, options) < 0)
        fail_msg("%s", bench->error.text);
    snprintf(bench->path, sizeof bench->path, "weir-libaio-%d", (int)getpid());
    unlink(bench->path);
    rc = open_file(bench, true, &bench->file);
    if (rc == -EOPNOTSUPP) {
        forget_session(bench);
        skip();
    }
    assert_int_equal(rc, 0);
    fill_ops(bench);
}

static void close_bench(struct bench *bench)
{
    close_file(bench, bench->file);
    unlink(bench->path);
    forget_session(bench);
    free(bench->data);
}

/* ---- how many system calls ---- */

static void a_batch_is_one_system_call_and_its_completions_none(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    /* Buffered: all are complete when io_submit is back. More often than the ring is long. */
    for (unsigned round = 1; round <= 100; round++) {
        move_all(&bench, WEIR_OP_WRITE);
        assert_int_equal(calls.submits, round);
        assert_int_equal(calls.waits, 0);
    }
    memset(bench.data, 0, (size_t)DEPTH * TRANSFER);
    move_all(&bench, WEIR_OP_READ);
    for (unsigned i = 0; i < DEPTH; i++)
        assert_int_equal(bench.data[(size_t)i * TRANSFER + TRANSFER - 1], i + 1);
    close_bench(&bench);
}

static void completions_come_by_system_call_where_that_is_asked_for(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    open_bench(&bench, "libaio.user-reap=0");
    move_all(&bench, WEIR_OP_WRITE);
    assert_int_equal(calls.waits, 1);
    assert_null(strstr(describe(&bench, &facts), "kernel's ring"));
    assert_string_equal(weir_text_string(&facts.granted),
                        "completions by io_getevents, context of 32");
    forget_facts(&facts);
    close_bench(&bench);
}

static void a_ring_of_an_unknown_version_is_left_alone(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    close_bench(&bench);
    calls.has_strange_ring = true;
    assert_int_equal(try_session(&bench, ""), 0);
    assert_non_null(strstr(describe(&bench, &facts), "ring is unknown"));
    assert_string_equal(weir_text_string(&facts.granted),
                        "completions by io_getevents, context of 32");
    forget_facts(&facts);
    forget_session(&bench);
}

static void no_more_than_the_context_has_room_for_are_taken(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, "libaio.entries=8");
    assert_int_equal(submit(&bench, 0, DEPTH), 8);
    assert_int_equal(submit(&bench, 8, DEPTH - 8), 0);
    assert_int_equal(reap(&bench, 8, WEIR_FOREVER), 8);
    assert_int_equal(submit(&bench, 8, DEPTH - 8), 8);
    assert_int_equal(reap(&bench, 8, WEIR_FOREVER), 8);
    close_bench(&bench);
}

/* ---- what the kernel refuses ---- */

static void a_refused_transfer_is_a_result_and_those_around_it_go_on(void **state)
{
    struct weir_file *closed_to_writes;
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    assert_int_equal(open_file(&bench, false, &closed_to_writes), 0);
    bench.ops[0].file = bench.ops[3].file = bench.ops[DEPTH - 1].file = closed_to_writes;
    assert_int_equal(submit(&bench, 0, DEPTH), DEPTH);
    assert_int_equal(reap(&bench, DEPTH, WEIR_FOREVER), DEPTH);
    for (unsigned i = 0; i < DEPTH; i++)
        assert_int_equal(bench.ops[i].result,
                         bench.ops[i].file == closed_to_writes ? -EBADF : TRANSFER);
    close_file(&bench, closed_to_writes);
    close_bench(&bench);
}

static void a_submit_in_pieces_takes_all(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    calls.submit_most = 5;
    move_all(&bench, WEIR_OP_WRITE);
    assert_int_equal(calls.submits, (DEPTH + 4) / 5);
    close_bench(&bench);
}

static void a_full_kernel_is_full_only_while_something_is_in_flight(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    assert_int_equal(submit(&bench, 0, 4), 4);
    calls.submit_result = -EAGAIN;
    assert_int_equal(submit(&bench, 4, 4), 0);
    assert_int_equal(reap(&bench, 4, WEIR_FOREVER), 4);
    /* There is nothing to reap first: it must not be offered for ever. */
    assert_int_equal(submit(&bench, 4, 4), 4);
    assert_int_equal(reap(&bench, 4, WEIR_FOREVER), 4);
    for (unsigned i = 4; i < 8; i++)
        assert_int_equal(bench.ops[i].result, -EAGAIN);
    close_bench(&bench);
}

/* ---- syncs ---- */

static void sync_one(struct bench *bench)
{
    bench->ops[0].verb = WEIR_OP_SYNC;
    bench->ops[0].result = -1;
    assert_int_equal(submit(bench, 0, 1), 1);
    assert_int_equal(reap(bench, 1, WEIR_FOREVER), 1);
}

static void a_sync_follows_a_write_in_its_slot(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    move_all(&bench, WEIR_OP_WRITE);
    sync_one(&bench);
    assert_int_equal(bench.ops[0].result, 0);
    assert_null(strstr(describe(&bench, &facts), "fsync"));
    forget_facts(&facts);
    move_all(&bench, WEIR_OP_READ);
    close_bench(&bench);
}

static void a_kernel_without_asynchronous_sync_is_helped_and_told_of(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    calls.sync_result = -EINVAL;
    sync_one(&bench);
    assert_int_equal(bench.ops[0].result, 0);
    assert_non_null(strstr(describe(&bench, &facts), "fsync"));
    forget_facts(&facts);
    calls.sync_result = -EIO;
    sync_one(&bench);
    assert_int_equal(bench.ops[0].result, -EIO);
    close_bench(&bench);
}

/* ---- options ---- */

static void a_transfer_must_not_wait_unless_it_may(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, "libaio.nowait=1");
    bench.ops[1].may_wait = true;
    bench.ops[2].verb = WEIR_OP_SYNC;
    calls.must_forget = true;
    assert_int_equal(submit(&bench, 0, 4), 4);
    assert_int_equal(calls.no_waits, 2);
    close_bench(&bench);
}

static void what_was_granted_is_told(void **state)
{
    struct weir_session_facts facts;
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    assert_string_equal(describe(&bench, &facts), "");
    assert_string_equal(weir_text_string(&facts.granted),
                        "completions from the mapped ring, context of 32");
    forget_facts(&facts);
    close_bench(&bench);
    assert_int_equal(try_session(&bench, "libaio.nowait=1"), 0);
    describe(&bench, &facts);
    assert_non_null(strstr(weir_text_string(&facts.granted), "no-wait"));
    forget_facts(&facts);
    forget_session(&bench);
    assert_int_equal(try_session(&bench, "libaio.entries=8"), 0);
    assert_non_null(strstr(describe(&bench, &facts), " 32"));
    assert_non_null(strstr(weir_text_string(&facts.granted), "context of 8"));
    forget_facts(&facts);
    forget_session(&bench);
}

static void locks_of_ranges_are_refused(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){0};
    assert_int_equal(try_session(&bench, "posix.rangelocks=1"), -EINVAL);
    assert_null(bench.session);
    assert_non_null(strstr(bench.error.text, WEIR_REMEDY_BACKEND " POSIX"));
    forget_session(&bench);
}

static void a_node_without_contexts_is_told_with_its_limit(void **state)
{
    struct bench bench;

    (void)state;
    calls = (struct calls){.setup_result = -EAGAIN};
    assert_int_equal(try_session(&bench, ""), -EAGAIN);
    assert_null(bench.session);
    assert_int_equal(bench.error.exit, WEIR_EXIT_ENVIRONMENT);
    assert_non_null(strstr(bench.error.text, " 32 "));
    assert_non_null(strstr(bench.error.text, "sysctl -w fs.aio-max-nr"));
    assert_null(strstr(bench.error.text, "-1"));
    forget_session(&bench);
    calls = (struct calls){.setup_result = -ENOSYS};
    assert_int_equal(try_session(&bench, ""), -ENOSYS);
    assert_non_null(strstr(bench.error.text, WEIR_REMEDY_BACKEND));
    forget_session(&bench);
}

/* ---- file systems that are told of transfers ---- */

enum { UNWANTED = 2 * TRANSFER };

static int refuse_unwanted(struct weir_striped *file, int fd, uint64_t offset, uint64_t size)
{
    (void)file;
    (void)fd;
    (void)size;
    return offset == UNWANTED ? -EIO : 0;
}

static void a_transfer_that_the_file_system_refuses_is_a_result(void **state)
{
    static const struct weir_striping striping = {.before = refuse_unwanted};
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    ((struct weir_posix_session *)bench.session)->striping = &striping;
    assert_int_equal(submit(&bench, 0, 5), 2);
    assert_int_equal(submit(&bench, 2, 3), 1);
    assert_int_equal(submit(&bench, 3, 2), 2);
    assert_int_equal(reap(&bench, 5, WEIR_FOREVER), 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(bench.ops[i].result, bench.ops[i].offset == UNWANTED ? -EIO : TRANSFER);
    close_bench(&bench);
}

/* ---- waiting ---- */

static void timeout_ends(void **state)
{
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    calls.must_forget = true;
    assert_int_equal(submit(&bench, 0, 2), 2);
    assert_int_equal(reap(&bench, 1, 2000000), 0);
    assert_int_equal(reap(&bench, 0, WEIR_FOREVER), 0);
    close_bench(&bench);
    open_bench(&bench, "libaio.user-reap=0");
    calls.must_forget = true;
    assert_int_equal(submit(&bench, 0, 2), 2);
    assert_int_equal(reap(&bench, 1, 2000000), 0);
    assert_int_equal(reap(&bench, 0, WEIR_FOREVER), 0);
    close_bench(&bench);
}

static void ignore(int number)
{
    (void)number;
}

static void a_signal_ends_the_wait(void **state)
{
    /* Again and again: the first may come before the wait does. */
    const struct itimerval soon = {.it_value = {.tv_usec = 2000}, .it_interval = {.tv_usec = 2000}};
    const struct itimerval never = {0};
    struct sigaction before, action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    struct bench bench;

    (void)state;
    open_bench(&bench, "");
    calls.must_forget = true;
    assert_int_equal(submit(&bench, 0, 2), 2);
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &soon, NULL);
    assert_int_equal(reap(&bench, 2, WEIR_FOREVER), 0);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    close_bench(&bench);
}

/* Reads that were under way may not reach buffers that are gone. */
static void closing_waits_for_what_is_in_flight(void **state)
{
    struct bench bench;
    int fd;

    (void)state;
    open_bench(&bench, "posix.odirect=1");
    fd = weir_posix_fd(bench.file);
    move_all(&bench, WEIR_OP_WRITE);
    for (unsigned i = 0; i < DEPTH; i++)
        bench.ops[i].verb = WEIR_OP_READ;
    assert_int_equal(submit(&bench, 0, DEPTH), DEPTH);
    weir_backend_libaio.close(bench.session);
    bench.session = NULL;
    memset(bench.data, 0xff, (size_t)DEPTH * TRANSFER);
    for (unsigned byte = 0; byte < DEPTH * TRANSFER; byte++)
        assert_int_equal(bench.data[byte], 0xff);
    close(fd);
    unlink(bench.path);
    forget_session(&bench);
    free(bench.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_one_system_call_and_its_completions_none),
        cmocka_unit_test(completions_come_by_system_call_where_that_is_asked_for),
        cmocka_unit_test(a_ring_of_an_unknown_version_is_left_alone),
        cmocka_unit_test(no_more_than_the_context_has_room_for_are_taken),
        cmocka_unit_test(a_refused_transfer_is_a_result_and_those_around_it_go_on),
        cmocka_unit_test(a_submit_in_pieces_takes_all),
        cmocka_unit_test(a_full_kernel_is_full_only_while_something_is_in_flight),
        cmocka_unit_test(a_sync_follows_a_write_in_its_slot),
        cmocka_unit_test(a_kernel_without_asynchronous_sync_is_helped_and_told_of),
        cmocka_unit_test(a_transfer_must_not_wait_unless_it_may),
        cmocka_unit_test(what_was_granted_is_told),
        cmocka_unit_test(locks_of_ranges_are_refused),
        cmocka_unit_test(a_node_without_contexts_is_told_with_its_limit),
        cmocka_unit_test(a_transfer_that_the_file_system_refuses_is_a_result),
        cmocka_unit_test(timeout_ends),
        cmocka_unit_test(a_signal_ends_the_wait),
        cmocka_unit_test(closing_waits_for_what_is_in_flight),
    };

    return cmocka_run_group_tests_name("libaio", tests, NULL, NULL);
}
