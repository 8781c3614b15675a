/* SPDX-License-Identifier: Apache-2.0 */
/* The queue against backends that block, that complete out of order, that are often full, and that
 * break the contract. */
#include "weir/io/queue.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEPTH = 8, OP_BYTES = 64 };

/* How the fake backend misbehaves. */
enum vice {
    NO_VICE,
    TAKES_TOO_MANY,
    IS_FULL_WHEN_EMPTY,
    REAPS_TWICE,
    MOVES_TOO_MUCH,
    MOVES_IN_A_SYNC,
    BREAKS_IN_SUBMIT,
    BREAKS_IN_REAP
};

struct fake_session {
    struct weir_session base;
    struct weir_clock *clock;
    enum vice vice;
    unsigned capacity; /* operations it takes before it says that it is full */
    unsigned flying_count;
    unsigned submit_calls;
    unsigned widest_submit;
    unsigned most_reaped; /* no more at once, as if a signal had come; 0: as many as wanted */
    uint64_t reap_ns;     /* how long each reap takes, at least */
    unsigned reap_calls;
    uint64_t timeout_ns[DEPTH]; /* of the first reaps */
    uint64_t transfer_begin_ns;
    uint64_t transfer_end_ns;
    struct weir_op *flying[DEPTH];
};

static struct fake_session *fake_of(struct weir_session *session)
{
    return (struct fake_session *)session;
}

/* Even slots move all, odd ones fail. */
static int64_t outcome(const struct weir_op *op)
{
    if (op->verb != WEIR_OP_WRITE && op->verb != WEIR_OP_READ)
        return 0;
    return op->slot % 2 == 0 ? (int64_t)op->size : -EIO;
}

static void spend(const struct fake_session *fake, uint64_t ns)
{
    uint64_t begin_ns = weir_clock_ns(fake->clock);

    while (weir_clock_ns(fake->clock) - begin_ns < ns)
        ;
}

static int64_t fake_transfer(struct weir_session *session, struct weir_op *op)
{
    struct fake_session *fake = fake_of(session);

    fake->transfer_begin_ns = weir_clock_ns(fake->clock);
    spend(fake, 1000);
    fake->transfer_end_ns = weir_clock_ns(fake->clock);
    return fake->vice == MOVES_TOO_MUCH ? (int64_t)op->size + 1 : outcome(op);
}

static int fake_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct fake_session *fake = fake_of(session);
    unsigned taken = 0;

    if (fake->vice == BREAKS_IN_SUBMIT)
        return -EPIPE;
    if (fake->vice == IS_FULL_WHEN_EMPTY)
        return 0;
    fake->submit_calls++;
    if (count > fake->widest_submit)
        fake->widest_submit = count;
    while (taken < count && fake->flying_count < fake->capacity)
        fake->flying[fake->flying_count++] = ops[taken++];
    return fake->vice == TAKES_TOO_MANY ? (int)count + 1 : (int)taken;
}

/* Last in, first out. */
static int fake_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                     unsigned max, uint64_t timeout_ns)
{
    struct fake_session *fake = fake_of(session);
    unsigned count = 0;

    if (fake->vice == BREAKS_IN_REAP)
        return -EPIPE;
    assert_true(min <= fake->flying_count);
    assert_true(min <= max);
    fake->timeout_ns[fake->reap_calls++ % DEPTH] = timeout_ns;
    spend(fake, fake->reap_ns);
    while (count < min && (fake->most_reaped == 0 || count < fake->most_reaped)) {
        struct weir_op *op = fake->flying[--fake->flying_count];

        op->result = fake->vice == MOVES_IN_A_SYNC  ? 1
                     : fake->vice == MOVES_TOO_MUCH ? (int64_t)op->size + 1
                                                    : outcome(op);
        done[count++] = op;
    }
    if (fake->vice == REAPS_TWICE && count > 1)
        done[1] = done[0];
    fake->transfer_end_ns = weir_clock_ns(fake->clock);
    return (int)count;
}

static const struct weir_transfer_ops blocking_ops = {.transfer = fake_transfer};
static const struct weir_transfer_ops queued_ops = {.submit = fake_submit, .reap = fake_reap};
static const struct weir_transfer_ops both_ops = {
    .transfer = fake_transfer, .submit = fake_submit, .reap = fake_reap};

static const struct weir_backend blocking = {.transfer = &blocking_ops};
static const struct weir_backend queued = {.transfer = &queued_ops};
static const struct weir_backend naming = {.transfer = &queued_ops};
static const struct weir_backend both = {.transfer = &both_ops};

static int slow_unlink(struct weir_session *session, const char *path)
{
    spend(fake_of(session), 1000);
    return strcmp(path, "/there") == 0 ? 0 : -ENOENT;
}

static const struct weir_name_ops slow_names = {.unlink = slow_unlink};
static const struct weir_backend removing = {.transfer = &queued_ops, .names = &slow_names};

struct bench {
    struct weir_clock clock;
    struct fake_session session;
    struct weir_file file;
    struct weir_queue queue;
    unsigned char data[OP_BYTES];
};

static void open_bench(struct bench *bench, const struct weir_backend *backend, unsigned depth)
{
    memset(bench, 0, sizeof *bench);
    weir_clock_calibrate(&bench->clock, false);
    bench->session = (struct fake_session){
        .base = {.backend = backend,
                 .depth = depth,
                 .queued_names = backend == &naming ? 1u << WEIR_OP_STAT | 1u << WEIR_OP_CLOSE : 0},
        .clock = &bench->clock,
        .capacity = DEPTH,
    };
    bench->file.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    assert_int_equal(weir_queue_open(&bench->queue, &bench->session.base, &bench->clock), 0);
}

static void fill(struct bench *bench, struct weir_op *op, uint64_t offset)
{
    op->verb = WEIR_OP_WRITE;
    op->file = &bench->file;
    op->data = bench->data;
    op->offset = offset;
    op->size = OP_BYTES;
}

static void take_and_send(struct bench *bench, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct weir_op *op = weir_queue_take(&bench->queue);

        assert_non_null(op);
        fill(bench, op, (uint64_t)i * OP_BYTES);
        weir_queue_send(&bench->queue, op);
    }
}

static void reap_all(struct bench *bench)
{
    struct weir_op *done[DEPTH];

    while (weir_queue_outstanding(&bench->queue) > 0) {
        int count = weir_queue_reap(&bench->queue, done, 1, DEPTH, WEIR_FOREVER);

        assert_true(count >= 1);
        for (int i = 0; i < count; i++) {
            assert_int_equal(done[i]->result, outcome(done[i]));
            weir_queue_give(&bench->queue, done[i]);
        }
    }
}

static void a_queue_lends_each_slot_once_and_then_none(void **state)
{
    const struct weir_backend *backends[] = {&blocking, &queued, &both};

    (void)state;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct bench bench;
        bool is_lent[DEPTH] = {false};

        open_bench(&bench, backends[i], DEPTH);
        for (unsigned n = 0; n < DEPTH; n++) {
            struct weir_op *op = weir_queue_take(&bench.queue);

            assert_false(is_lent[op->slot]);
            is_lent[op->slot] = true;
            fill(&bench, op, 0);
            weir_queue_send(&bench.queue, op);
        }
        assert_null(weir_queue_take(&bench.queue));
        assert_int_equal(weir_queue_outstanding(&bench.queue), DEPTH);
        reap_all(&bench);
        assert_non_null(weir_queue_take(&bench.queue));
        weir_queue_close(&bench.queue);
    }
}

static void a_queue_blocks_at_depth_one_or_where_nothing_else_is_offered(void **state)
{
    static const struct {
        const struct weir_backend *backend;
        unsigned depth;
        bool is_blocking;
    } cases[] = {
        {&blocking, 1, true},    {&blocking, DEPTH, true}, {&queued, 1, false},
        {&queued, DEPTH, false}, {&both, 1, true},         {&both, DEPTH, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;

        open_bench(&bench, cases[i].backend, cases[i].depth);
        assert_int_equal(bench.queue.is_blocking, cases[i].is_blocking);
        weir_queue_close(&bench.queue);
    }
}

static void no_more_slots_are_lent_than_the_limit_allows(void **state)
{
    static const unsigned limits[] = {1, 3, DEPTH, 2, DEPTH - 1, 1};
    struct bench bench;

    (void)state;
    open_bench(&bench, &queued, DEPTH);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        weir_queue_limit(&bench.queue, limits[i]);
        for (unsigned round = 0; round < 2; round++) {
            take_and_send(&bench, limits[i]);
            assert_false(weir_queue_has_free(&bench.queue));
            assert_null(weir_queue_take(&bench.queue));
            assert_int_equal(weir_queue_outstanding(&bench.queue), limits[i]);
            reap_all(&bench);
        }
    }
    weir_queue_close(&bench.queue);
}

static void operations_that_wait_are_submitted_as_one_batch(void **state)
{
    struct bench bench;
    struct weir_op *done[DEPTH];

    (void)state;
    open_bench(&bench, &queued, DEPTH);
    take_and_send(&bench, DEPTH);
    assert_int_equal(bench.session.submit_calls, 0);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 0, DEPTH, WEIR_FOREVER), 0);
    assert_int_equal(bench.session.submit_calls, 1);
    assert_int_equal(bench.session.widest_submit, DEPTH);
    assert_int_equal(weir_queue_outstanding(&bench.queue), DEPTH);
    reap_all(&bench);
    weir_queue_close(&bench.queue);
}

static void all_operations_come_back_from_a_backend_that_is_often_full(void **state)
{
    (void)state;
    for (unsigned capacity = 1; capacity <= DEPTH; capacity++) {
        struct bench bench;
        struct weir_op *done[DEPTH];

        open_bench(&bench, &queued, DEPTH);
        bench.session.capacity = capacity;
        take_and_send(&bench, DEPTH);
        assert_int_equal(weir_queue_reap(&bench.queue, done, DEPTH, DEPTH, WEIR_FOREVER), DEPTH);
        for (unsigned i = 0; i < DEPTH; i++)
            weir_queue_give(&bench.queue, done[i]);
        assert_int_equal(weir_queue_outstanding(&bench.queue), 0);
        weir_queue_close(&bench.queue);
    }
}

static void reap_never_asks_for_more_than_is_outstanding(void **state)
{
    const struct weir_backend *backends[] = {&blocking, &queued, &both};

    (void)state;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct bench bench;
        struct weir_op *done[DEPTH];

        open_bench(&bench, backends[i], DEPTH);
        assert_int_equal(weir_queue_reap(&bench.queue, done, DEPTH, DEPTH, WEIR_FOREVER), 0);
        take_and_send(&bench, 3);
        assert_int_equal(weir_queue_reap(&bench.queue, done, DEPTH, DEPTH, WEIR_FOREVER), 3);
        weir_queue_close(&bench.queue);
    }
}

static void reap_hands_back_at_most_as_many_as_asked(void **state)
{
    struct bench bench;
    struct weir_op *done[DEPTH];

    (void)state;
    open_bench(&bench, &blocking, DEPTH);
    take_and_send(&bench, DEPTH);
    for (unsigned i = 0; i < DEPTH; i += 2) {
        assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 2, WEIR_FOREVER), 2);
        /* In the order in which they were done. */
        assert_int_equal(done[0]->offset, (uint64_t)i * OP_BYTES);
        assert_int_equal(done[1]->offset, (uint64_t)(i + 1) * OP_BYTES);
    }
    weir_queue_close(&bench.queue);
}

static void a_wait_that_is_cut_short_hands_back_what_is_there(void **state)
{
    const uint64_t timeouts_ns[] = {WEIR_FOREVER, 1000000000, 0};

    (void)state;
    for (size_t i = 0; i < sizeof timeouts_ns / sizeof *timeouts_ns; i++) {
        struct bench bench;
        struct weir_op *done[DEPTH];

        open_bench(&bench, &queued, DEPTH);
        take_and_send(&bench, 4);
        bench.session.most_reaped = 1;
        assert_int_equal(weir_queue_reap(&bench.queue, done, 3, DEPTH, timeouts_ns[i]), 1);
        assert_int_equal(bench.session.reap_calls, 1);
        assert_int_equal(weir_queue_outstanding(&bench.queue), 3);
        weir_queue_give(&bench.queue, done[0]);
        reap_all(&bench);
        weir_queue_close(&bench.queue);
    }
}

/* A backend that is full is asked several times within one timeout. */
static void all_waits_of_one_reap_share_its_timeout(void **state)
{
    const uint64_t timeout_ns = 1000000;
    const uint64_t reap_ns = 300000;
    struct bench bench;
    struct weir_op *done[DEPTH];

    (void)state;
    open_bench(&bench, &queued, DEPTH);
    bench.session.capacity = 1;
    bench.session.reap_ns = reap_ns;
    take_and_send(&bench, DEPTH);
    assert_int_equal(weir_queue_reap(&bench.queue, done, DEPTH, DEPTH, timeout_ns), DEPTH);
    assert_int_equal(bench.session.reap_calls, DEPTH);
    assert_int_equal(bench.session.timeout_ns[0], timeout_ns);
    for (unsigned i = 1; i < DEPTH; i++) {
        uint64_t most_ns = i * reap_ns < timeout_ns ? timeout_ns - i * reap_ns : 0;

        assert_true(bench.session.timeout_ns[i] <= most_ns);
    }
    weir_queue_close(&bench.queue);
}

static void who_waits_forever_does_so_at_each_attempt(void **state)
{
    struct bench bench;
    struct weir_op *done[DEPTH];

    (void)state;
    open_bench(&bench, &queued, DEPTH);
    bench.session.capacity = 3;
    take_and_send(&bench, DEPTH);
    assert_int_equal(weir_queue_reap(&bench.queue, done, DEPTH, DEPTH, WEIR_FOREVER), DEPTH);
    assert_int_equal(bench.session.reap_calls, 3);
    for (unsigned i = 0; i < 3; i++)
        assert_true(bench.session.timeout_ns[i] == WEIR_FOREVER);
    weir_queue_close(&bench.queue);
}

static void syncs_and_names_go_the_way_of_transfers(void **state)
{
    static const enum weir_op_verb verbs[] = {WEIR_OP_SYNC, WEIR_OP_STAT, WEIR_OP_CLOSE};
    const struct weir_name_request request = {.path = "any"};
    struct bench bench;

    (void)state;
    open_bench(&bench, &naming, DEPTH);
    bench.file.alignment.memory = 4096;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        struct weir_op *op = weir_queue_take(&bench.queue);

        op->verb = verbs[i];
        op->file = verbs[i] == WEIR_OP_STAT ? NULL : &bench.file;
        op->request = &request;
        op->data = (void *)1;
        op->size = 0;
        weir_queue_send(&bench.queue, op);
    }
    reap_all(&bench);
    weir_queue_close(&bench.queue);
}

static void stamps_enclose_a_blocking_transfer(void **state)
{
    struct bench bench;
    struct weir_op *op;

    (void)state;
    open_bench(&bench, &blocking, 1);
    take_and_send(&bench, 1);
    assert_int_equal(weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER), 1);
    assert_true(op->issued_ns <= bench.session.transfer_begin_ns);
    assert_true(op->done_ns >= bench.session.transfer_end_ns);
    assert_int_equal(op->accepted_ns, op->done_ns);
    weir_queue_close(&bench.queue);
}

static void one_reading_of_the_clock_ends_one_operation_and_begins_the_next(void **state)
{
    const struct weir_backend *backends[] = {&blocking, &queued};

    (void)state;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct bench bench;
        struct weir_op *op;
        uint64_t last_done_ns;

        open_bench(&bench, backends[i], 1);
        take_and_send(&bench, 1);
        assert_int_equal(weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER), 1);
        last_done_ns = op->done_ns;
        weir_queue_give(&bench.queue, op);
        take_and_send(&bench, 1);
        assert_int_equal(weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER), 1);
        assert_int_equal(op->issued_ns, last_done_ns);
        weir_queue_close(&bench.queue);
    }
}

static void time_after_a_touch_does_not_count_for_the_next_operation(void **state)
{
    const struct weir_backend *backends[] = {&blocking, &queued};

    (void)state;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct bench bench;
        struct weir_op *op;
        uint64_t filled_ns;

        open_bench(&bench, backends[i], 1);
        take_and_send(&bench, 1);
        assert_int_equal(weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER), 1);
        weir_queue_give(&bench.queue, op);
        weir_queue_touch(&bench.queue);
        usleep(1000);
        filled_ns = weir_clock_ns(&bench.clock);
        take_and_send(&bench, 1);
        assert_int_equal(weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER), 1);
        assert_true(op->issued_ns >= filled_ns);
        weir_queue_close(&bench.queue);
    }
}

static void stamps_of_a_batch_are_in_order(void **state)
{
    struct bench bench;
    struct weir_op *done[DEPTH];

    (void)state;
    open_bench(&bench, &queued, DEPTH);
    take_and_send(&bench, DEPTH);
    assert_int_equal(weir_queue_reap(&bench.queue, done, DEPTH, DEPTH, WEIR_FOREVER), DEPTH);
    for (unsigned i = 0; i < DEPTH; i++) {
        assert_true(done[i]->issued_ns <= done[i]->accepted_ns);
        assert_true(done[i]->accepted_ns <= done[i]->done_ns);
        assert_true(done[i]->done_ns >= bench.session.transfer_end_ns);
        /* One reading for all of them. */
        assert_int_equal(done[i]->issued_ns, done[0]->issued_ns);
        assert_int_equal(done[i]->accepted_ns, done[0]->accepted_ns);
        assert_int_equal(done[i]->done_ns, done[0]->done_ns);
    }
    weir_queue_close(&bench.queue);
}

static void a_slot_goes_back_unused_or_is_sent_again_after_it_was_reaped(void **state)
{
    const struct weir_backend *backends[] = {&blocking, &queued};

    (void)state;
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
        struct bench bench;
        struct weir_op *op;
        struct weir_op *done;

        open_bench(&bench, backends[i], 1);
        weir_queue_give(&bench.queue, weir_queue_take(&bench.queue));
        op = weir_queue_take(&bench.queue);
        fill(&bench, op, 0);
        for (unsigned attempt = 0; attempt < 3; attempt++) {
            weir_queue_send(&bench.queue, op);
            assert_int_equal(weir_queue_reap(&bench.queue, &done, 1, 1, WEIR_FOREVER), 1);
            assert_ptr_equal(done, op);
        }
        weir_queue_give(&bench.queue, op);
        weir_queue_close(&bench.queue);
    }
}

static void a_transfer_without_the_way_through_the_queue_is_stamped_alike(void **state)
{
    struct bench bench;
    struct weir_op *op;
    uint64_t last_done_ns;

    (void)state;
    open_bench(&bench, &blocking, 1);
    op = weir_queue_take(&bench.queue);
    fill(&bench, op, 0);
    weir_queue_transfer(&bench.queue, op);
    assert_int_equal(op->result, OP_BYTES);
    assert_true(op->issued_ns <= bench.session.transfer_begin_ns);
    assert_true(op->done_ns >= bench.session.transfer_end_ns);
    last_done_ns = op->done_ns;
    weir_queue_transfer(&bench.queue, op);
    assert_int_equal(op->issued_ns, last_done_ns);
    weir_queue_give(&bench.queue, op);
    weir_queue_close(&bench.queue);
}

static void a_broken_session_is_told_by_reap(void **state)
{
    const enum vice vices[] = {BREAKS_IN_SUBMIT, BREAKS_IN_REAP};

    (void)state;
    for (size_t i = 0; i < sizeof vices / sizeof *vices; i++) {
        struct bench bench;
        struct weir_op *done[DEPTH];

        open_bench(&bench, &queued, DEPTH);
        take_and_send(&bench, 1);
        bench.session.vice = vices[i];
        assert_int_equal(weir_queue_reap(&bench.queue, done, 1, DEPTH, WEIR_FOREVER), -EPIPE);
        bench.session.vice = NO_VICE;
        reap_all(&bench);
        weir_queue_close(&bench.queue);
    }
}

/* ---- what the queue does not let pass ---- */

static void misuse(const struct weir_backend *backend, enum vice vice)
{
    struct bench bench;
    struct weir_op *done[DEPTH];

    open_bench(&bench, backend, DEPTH);
    bench.session.vice = vice;
    take_and_send(&bench, 2);
    weir_queue_reap(&bench.queue, done, 2, DEPTH, WEIR_FOREVER);
}

static void send_twice(void)
{
    struct bench bench;
    struct weir_op *op;

    open_bench(&bench, &queued, DEPTH);
    op = weir_queue_take(&bench.queue);
    fill(&bench, op, 0);
    weir_queue_send(&bench.queue, op);
    weir_queue_send(&bench.queue, op);
}

static void give_twice(void)
{
    struct bench bench;
    struct weir_op *op;

    open_bench(&bench, &queued, DEPTH);
    op = weir_queue_take(&bench.queue);
    weir_queue_give(&bench.queue, op);
    weir_queue_give(&bench.queue, op);
}

static void give_while_waiting(void)
{
    struct bench bench;
    struct weir_op *op;

    open_bench(&bench, &queued, DEPTH);
    op = weir_queue_take(&bench.queue);
    fill(&bench, op, 0);
    weir_queue_send(&bench.queue, op);
    weir_queue_give(&bench.queue, op);
}

static void close_while_flying(void)
{
    struct bench bench;

    open_bench(&bench, &queued, DEPTH);
    take_and_send(&bench, 1);
    weir_queue_close(&bench.queue);
}

static void send_nothing(void)
{
    struct bench bench;
    struct weir_op *op;

    open_bench(&bench, &blocking, 1);
    op = weir_queue_take(&bench.queue);
    fill(&bench, op, 0);
    op->size = 0;
    weir_queue_send(&bench.queue, op);
}

static void send_misaligned_memory(void)
{
    struct bench bench;
    struct weir_op *op;

    open_bench(&bench, &blocking, 1);
    bench.file.alignment.memory = 4096;
    op = weir_queue_take(&bench.queue);
    fill(&bench, op, 0);
    op->data = (void *)((uintptr_t)bench.data | 1);
    weir_queue_send(&bench.queue, op);
}

static void limit_while_lent(void)
{
    struct bench bench;

    open_bench(&bench, &queued, DEPTH);
    weir_queue_take(&bench.queue);
    weir_queue_limit(&bench.queue, 1);
}

/* Of an operation that is no transfer. */
static void send_other(const struct weir_backend *backend, unsigned depth, enum weir_op_verb verb,
                       enum vice vice)
{
    const struct weir_name_request request = {.path = "any"};
    struct bench bench;
    struct weir_op *op;

    open_bench(&bench, backend, depth);
    bench.session.vice = vice;
    op = weir_queue_take(&bench.queue);
    fill(&bench, op, 0);
    op->verb = verb;
    op->request = &request;
    weir_queue_send(&bench.queue, op);
    weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER);
}

static void send_a_name_that_is_not_queued(void)
{
    send_other(&naming, DEPTH, WEIR_OP_MKDIR, NO_VICE);
}

static void send_a_name_where_there_are_none(void)
{
    send_other(&queued, DEPTH, WEIR_OP_STAT, NO_VICE);
}

static void send_a_sync_where_transfers_block(void)
{
    send_other(&both, 1, WEIR_OP_SYNC, NO_VICE);
}

static void reap_a_sync_that_moved_something(void)
{
    send_other(&queued, DEPTH, WEIR_OP_SYNC, MOVES_IN_A_SYNC);
}

static void assert_aborts(void (*misdeed)(void), const struct weir_backend *backend, enum vice vice)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        /* The test framework catches the signal for its own ends. */
        signal(SIGABRT, SIG_DFL);
        if (misdeed)
            misdeed();
        else
            misuse(backend, vice);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
}

static void a_breach_of_the_contract_by_a_backend_ends_the_program(void **state)
{
    (void)state;
    assert_aborts(NULL, &queued, TAKES_TOO_MANY);
    assert_aborts(NULL, &queued, IS_FULL_WHEN_EMPTY);
    assert_aborts(NULL, &queued, REAPS_TWICE);
    assert_aborts(NULL, &queued, MOVES_TOO_MUCH);
    assert_aborts(NULL, &blocking, MOVES_TOO_MUCH);
    assert_aborts(reap_a_sync_that_moved_something, NULL, NO_VICE);
}

static void a_breach_of_the_contract_by_the_engine_ends_the_program(void **state)
{
    (void)state;
    assert_aborts(send_twice, NULL, NO_VICE);
    assert_aborts(give_twice, NULL, NO_VICE);
    assert_aborts(give_while_waiting, NULL, NO_VICE);
    assert_aborts(close_while_flying, NULL, NO_VICE);
    assert_aborts(send_nothing, NULL, NO_VICE);
    assert_aborts(send_misaligned_memory, NULL, NO_VICE);
    assert_aborts(limit_while_lent, NULL, NO_VICE);
    assert_aborts(send_a_name_that_is_not_queued, NULL, NO_VICE);
    assert_aborts(send_a_name_where_there_are_none, NULL, NO_VICE);
    assert_aborts(send_a_sync_where_transfers_block, NULL, NO_VICE);
}

/* A queue that is not for names does them at once, while its transfers stay where they are. */
static void an_operation_on_a_name_is_performed_with_its_stamps(void **state)
{
    static const struct {
        const char *path;
        int64_t result;
    } cases[] = {{"/there", 0}, {"/gone", -ENOENT}};
    struct bench bench;
    struct weir_op *done[DEPTH];

    (void)state;
    open_bench(&bench, &removing, DEPTH);
    take_and_send(&bench, 2);
    for (size_t i = 0; i < 2; i++) {
        struct weir_name_request request = {.path = cases[i].path};
        struct weir_op op = {.verb = WEIR_OP_UNLINK, .request = &request, .result = 1};

        weir_queue_perform(&bench.queue, &op);
        assert_int_equal(op.result, cases[i].result);
        assert_true(op.done_ns >= op.issued_ns + 1000);
        assert_int_equal(weir_queue_outstanding(&bench.queue), 2);
    }
    assert_int_equal(weir_queue_reap(&bench.queue, done, 2, 2, WEIR_FOREVER), 2);
    weir_queue_give(&bench.queue, done[0]);
    weir_queue_give(&bench.queue, done[1]);
    weir_queue_close(&bench.queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_lends_each_slot_once_and_then_none),
        cmocka_unit_test(a_queue_blocks_at_depth_one_or_where_nothing_else_is_offered),
        cmocka_unit_test(no_more_slots_are_lent_than_the_limit_allows),
        cmocka_unit_test(operations_that_wait_are_submitted_as_one_batch),
        cmocka_unit_test(all_operations_come_back_from_a_backend_that_is_often_full),
        cmocka_unit_test(reap_never_asks_for_more_than_is_outstanding),
        cmocka_unit_test(reap_hands_back_at_most_as_many_as_asked),
        cmocka_unit_test(a_wait_that_is_cut_short_hands_back_what_is_there),
        cmocka_unit_test(all_waits_of_one_reap_share_its_timeout),
        cmocka_unit_test(who_waits_forever_does_so_at_each_attempt),
        cmocka_unit_test(syncs_and_names_go_the_way_of_transfers),
        cmocka_unit_test(stamps_enclose_a_blocking_transfer),
        cmocka_unit_test(one_reading_of_the_clock_ends_one_operation_and_begins_the_next),
        cmocka_unit_test(time_after_a_touch_does_not_count_for_the_next_operation),
        cmocka_unit_test(stamps_of_a_batch_are_in_order),
        cmocka_unit_test(a_slot_goes_back_unused_or_is_sent_again_after_it_was_reaped),
        cmocka_unit_test(a_transfer_without_the_way_through_the_queue_is_stamped_alike),
        cmocka_unit_test(a_broken_session_is_told_by_reap),
        cmocka_unit_test(an_operation_on_a_name_is_performed_with_its_stamps),
        cmocka_unit_test(a_breach_of_the_contract_by_a_backend_ends_the_program),
        cmocka_unit_test(a_breach_of_the_contract_by_the_engine_ends_the_program),
    };

    return cmocka_run_group_tests_name("queue", tests, NULL, NULL);
}
