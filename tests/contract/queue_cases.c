/* SPDX-License-Identifier: Apache-2.0 */
/* Many operations in flight: what a queue of requests promises beyond a single one. */
#include "queue_cases.h"

#include "bench.h"
#include "traffic.h"
#include "weir/io/buffers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NS_PER_MS UINT64_C(1000000)

static void open_deep(struct bench *bench, const struct subject *subject, const char *options)
{
    open_bench(bench, subject, options);
    if (bench->queue.is_blocking) {
        close_bench(bench);
        skip_because("transfers block");
    }
}

static void open_deep_with_data(struct bench *bench, const struct subject *subject,
                                const char *options)
{
    if (!(abilities_of(subject) & WEIR_CAN_KEEP))
        skip_because("the backend keeps no data");
    open_deep(bench, subject, options);
}

/* ---- for every backend ---- */

void a_backend_that_queues_says_so(void **state)
{
    const struct subject *subject = *state;
    const struct weir_backend *backend = subject->inner ? subject->inner : subject->backend;
    bool can_queue = (backend->descriptor.abilities & WEIR_CAN_QUEUE) != 0;

    assert_int_equal(can_queue, backend->transfer->submit != NULL);
    assert_int_equal(can_queue, backend->transfer->reap != NULL);
    assert_true(can_queue || backend->transfer->transfer != NULL);
    assert_true(can_queue || backend->descriptor.standard_depth <= 1);
    assert_true(backend->descriptor.standard_batch <= 1 ||
                backend->descriptor.standard_batch <= backend->descriptor.standard_depth);
}

void scattered_transfers_keep_their_data_at_full_depth(void **state)
{
    static const unsigned batches[] = {1, 3, 16};
    struct traffic traffic = {.file_count = 2};
    struct bench bench;

    open_deep_with_data(&bench, *state, NULL);
    traffic.files[0] = make_file(&bench, path_of(&bench, "scattered"));
    traffic.files[1] = make_file(&bench, path_of(&bench, "other"));
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        traffic.batch = batches[i];
        traffic.salt = (unsigned)i;
        traffic.verb = WEIR_OP_WRITE;
        run_traffic(&bench, &traffic);
        traffic.verb = WEIR_OP_READ;
        run_traffic(&bench, &traffic);
        assert_int_equal(traffic.failed_count + traffic.short_count, 0);
    }
    close_file(&bench, traffic.files[0]);
    close_file(&bench, traffic.files[1]);
    remove_name(&bench, path_of(&bench, "scattered"));
    remove_name(&bench, path_of(&bench, "other"));
    close_bench(&bench);
}

static void do_nothing(int signal)
{
    (void)signal;
}

/* A signal every so often, or none any more. */
static void ring(suseconds_t every_us)
{
    const struct sigaction action = {.sa_handler = do_nothing};
    const struct itimerval times = {.it_interval = {.tv_usec = every_us},
                                    .it_value = {.tv_usec = every_us}};

    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &times, NULL), 0);
}

/* They end waits, and nothing else. */
void signals_cost_no_data(void **state)
{
    struct traffic traffic = {.file_count = 2, .batch = 8, .may_be_interrupted = true};
    struct bench bench;

    open_deep_with_data(&bench, *state, NULL);
    traffic.files[0] = make_file(&bench, path_of(&bench, "scattered"));
    traffic.files[1] = make_file(&bench, path_of(&bench, "other"));
    ring(200);
    for (unsigned i = 0; i < 2; i++) {
        traffic.verb = i == 0 ? WEIR_OP_WRITE : WEIR_OP_READ;
        run_traffic(&bench, &traffic);
    }
    ring(0);
    assert_int_equal(traffic.failed_count + traffic.short_count, 0);
    close_file(&bench, traffic.files[0]);
    close_file(&bench, traffic.files[1]);
    remove_name(&bench, path_of(&bench, "scattered"));
    remove_name(&bench, path_of(&bench, "other"));
    close_bench(&bench);
}

/* The write of a slot, then its sync in the same slot, while other slots are elsewhere. */
void a_sync_goes_behind_its_write(void **state)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    struct weir_file *file;
    struct bench bench;
    unsigned char *data;
    uint64_t written = 0;
    uint64_t synced = 0;
    uint64_t total;

    open_deep(&bench, *state, NULL);
    file = make_file(&bench, path_of(&bench, "synced"));
    total = bench.session->depth + 3;
    data = make_data(&bench, bench.session->depth, 1);
    while (synced < total) {
        int count;

        while (written < total && weir_queue_has_free(&bench.queue)) {
            send_op(&bench, WEIR_OP_WRITE, file, data, written * UNIT_BYTES, UNIT_BYTES);
            written++;
        }
        count = weir_queue_reap(&bench.queue, done, 1, WEIR_DEPTH_MAX, WEIR_FOREVER);
        assert_true(count >= 1);
        for (int i = 0; i < count; i++) {
            assert_ptr_equal(done[i]->file, file);
            if (done[i]->verb == WEIR_OP_WRITE) {
                assert_int_equal(done[i]->result, UNIT_BYTES);
                done[i]->verb = WEIR_OP_SYNC;
                weir_queue_send(&bench.queue, done[i]);
                continue;
            }
            assert_int_equal(done[i]->verb, WEIR_OP_SYNC);
            assert_int_equal(done[i]->result, 0);
            assert_int_equal(done[i]->size, UNIT_BYTES);
            synced++;
            weir_queue_give(&bench.queue, done[i]);
        }
    }
    close_file(&bench, file);
    remove_name(&bench, path_of(&bench, "synced"));
    close_bench(&bench);
}

/* As many reads of what is there as there are slots. */
static struct weir_file *send_reads(struct bench *bench, const char *name)
{
    struct weir_file *file = make_file(bench, path_of(bench, name));
    unsigned depth = bench->session->depth;
    unsigned char *data = make_data(bench, depth, 1);

    move_units(bench, WEIR_OP_WRITE, file, data, depth, false);
    for (unsigned i = 0; i < depth; i++)
        assert_non_null(send_op(bench, WEIR_OP_READ, file, data + (size_t)i * UNIT_BYTES,
                                (uint64_t)i * UNIT_BYTES, UNIT_BYTES));
    return file;
}

static void give_all(struct bench *bench, struct weir_op *done[], int count)
{
    assert_true(count >= 0);
    for (int i = 0; i < count; i++) {
        assert_int_equal(done[i]->result, done[i]->size);
        weir_queue_give(&bench->queue, done[i]);
    }
}

static void reap_until_none(struct bench *bench, unsigned min, uint64_t timeout_ns)
{
    struct weir_op *done[WEIR_DEPTH_MAX];

    while (weir_queue_outstanding(&bench->queue) > 0)
        give_all(bench, done,
                 weir_queue_reap(&bench->queue, done, min, WEIR_DEPTH_MAX, timeout_ns));
}

void a_reap_that_asks_for_nothing_never_waits(void **state)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    struct weir_file *file;
    struct bench bench;

    open_deep(&bench, *state, NULL);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 0, WEIR_DEPTH_MAX, WEIR_FOREVER), 0);
    file = send_reads(&bench, "polled");
    reap_until_none(&bench, 0, WEIR_FOREVER);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 0, WEIR_DEPTH_MAX, WEIR_FOREVER), 0);
    close_file(&bench, file);
    remove_name(&bench, path_of(&bench, "polled"));
    close_bench(&bench);
}

void a_wait_without_timeout_ends(void **state)
{
    static const uint64_t timeouts_ns[] = {0, 1, NS_PER_MS, 60000 * NS_PER_MS};
    struct bench bench;

    open_deep(&bench, *state, NULL);
    for (size_t i = 0; i < sizeof timeouts_ns / sizeof *timeouts_ns; i++) {
        struct weir_file *file = send_reads(&bench, "impatient");

        reap_until_none(&bench, bench.session->depth, timeouts_ns[i]);
        close_file(&bench, file);
        remove_name(&bench, path_of(&bench, "impatient"));
    }
    close_bench(&bench);
}

/* Behind the back of the queue: `count` operations of one file, from slot 0 on. */
static struct weir_op *make_ops(struct bench *bench, struct weir_file *file, unsigned char *data,
                                unsigned count)
{
    struct weir_op *ops = weir_arena_take(&bench->arena, count * sizeof *ops);

    for (unsigned i = 0; i < count; i++)
        ops[i] = (struct weir_op){
            .verb = WEIR_OP_WRITE,
            .file = file,
            .data = data + (size_t)i * UNIT_BYTES,
            .offset = (uint64_t)i * UNIT_BYTES,
            .size = UNIT_BYTES,
            .slot = i,
        };
    return ops;
}

/* Counts what comes back: each one once. Returns how many. */
static unsigned reap_raw(struct bench *bench, unsigned min, unsigned max, unsigned char *seen)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    int count = bench->backend->transfer->reap(bench->session, done, min, max, WEIR_FOREVER);

    assert_in_range(count, min, max);
    for (int i = 0; i < count; i++) {
        assert_int_equal(done[i]->result, UNIT_BYTES);
        assert_int_equal(seen[done[i]->slot]++, 0);
    }
    return (unsigned)count;
}

void what_is_submitted_comes_back_once_whatever_the_batch(void **state)
{
    struct weir_op *batch[WEIR_DEPTH_MAX];
    unsigned char seen[WEIR_DEPTH_MAX];
    struct weir_file *file;
    struct bench bench;
    struct weir_op *ops;
    unsigned depth;

    open_deep(&bench, *state, NULL);
    depth = bench.session->depth;
    file = make_file(&bench, path_of(&bench, "batches"));
    ops = make_ops(&bench, file, make_data(&bench, depth, 1), depth);
    for (unsigned i = 0; i < depth; i++)
        batch[i] = &ops[i];
    for (unsigned size = 1; size <= depth; size = size * 2 + 1) {
        unsigned taken = 0;
        unsigned back = 0;

        memset(seen, 0, sizeof seen);
        while (back < depth) {
            unsigned offered = depth - taken < size ? depth - taken : size;
            int rc = offered == 0
                         ? 0
                         : bench.backend->transfer->submit(bench.session, batch + taken, offered);

            assert_in_range(rc, taken == back && offered > 0 ? 1 : 0, offered);
            taken += (unsigned)rc;
            back += reap_raw(&bench, (unsigned)rc < offered || taken == depth, 1 + size / 2, seen);
            /* It must not hand back what it has not got. */
            for (unsigned i = taken; i < depth; i++)
                assert_int_equal(seen[i], 0);
        }
        assert_int_equal(taken, depth);
    }
    close_file(&bench, file);
    remove_name(&bench, path_of(&bench, "batches"));
    close_bench(&bench);
}

void a_full_queue_takes_from_the_front(void **state)
{
    struct weir_op *batch[WEIR_DEPTH_MAX];
    unsigned char seen[WEIR_DEPTH_MAX] = {0};
    struct weir_file *file;
    struct bench bench;
    struct weir_op *ops;
    unsigned taken = 0;
    unsigned depth;
    int rc;

    open_deep(&bench, *state, NULL);
    depth = bench.session->depth;
    file = make_file(&bench, path_of(&bench, "full"));
    ops = make_ops(&bench, file, make_data(&bench, depth, 1), depth);
    for (unsigned i = 0; i < depth; i++)
        batch[i] = &ops[i];
    /* Until it is full, or has everything. */
    do {
        rc = bench.backend->transfer->submit(bench.session, batch + taken, depth - taken);
        assert_in_range(rc, 0, depth - taken);
        taken += (unsigned)rc;
    } while (rc > 0 && taken < depth);
    assert_true(taken >= 1);
    for (unsigned back = 0; back < taken;)
        back += reap_raw(&bench, taken - back, taken - back, seen);
    for (unsigned i = 0; i < depth; i++)
        assert_int_equal(seen[i], i < taken);
    close_file(&bench, file);
    remove_name(&bench, path_of(&bench, "full"));
    close_bench(&bench);
}

/* The kernel makes the end of the file; servers of objects only know of what was written. */
static void make_end(struct bench *bench, struct weir_file *file, const char *path, uint64_t end)
{
    if (bench->backend->server)
        assert_int_equal(move(bench, WEIR_OP_WRITE, file, make_data(bench, 1, 1), end - 512, 512),
                         512);
    else
        assert_int_equal(truncate(path, (off_t)end), 0);
}

void reads_around_the_end_are_short_or_empty(void **state)
{
    enum { END = 3 * UNIT_BYTES + 4096 };
    const struct subject *subject = *state;
    struct weir_op *done[WEIR_DEPTH_MAX];
    struct weir_file *file;
    struct bench bench;
    unsigned char *data;
    const char *path;
    unsigned depth;

    open_deep_with_data(&bench, subject, NULL);
    depth = bench.session->depth;
    data = make_data(&bench, depth, 1);
    path = path_of(&bench, "ending");
    file = make_file(&bench, path);
    make_end(&bench, file, path, END);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < depth; i++)
            send_op(&bench, WEIR_OP_READ, file, data + (size_t)i * UNIT_BYTES,
                    (uint64_t)(i + round * 3) % 7 * UNIT_BYTES, UNIT_BYTES);
        for (unsigned back = 0; back < depth;) {
            int count = weir_queue_reap(&bench.queue, done, 1, WEIR_DEPTH_MAX, WEIR_FOREVER);

            assert_true(count >= 1);
            back += (unsigned)count;
            for (int i = 0; i < count; i++) {
                uint64_t unit = done[i]->offset / UNIT_BYTES;

                assert_int_equal(done[i]->result, unit < 3    ? UNIT_BYTES
                                                  : unit == 3 ? END % UNIT_BYTES
                                                              : 0);
                weir_queue_give(&bench.queue, done[i]);
            }
        }
    }
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

void errors_are_results_of_their_own_transfers(void **state)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    struct weir_file *files[2];
    struct bench bench;
    unsigned char *data;
    const char *path;
    unsigned depth;

    open_deep_with_data(&bench, *state, NULL);
    depth = bench.session->depth;
    data = make_data(&bench, depth, 1);
    path = path_of(&bench, "mixed");
    files[0] = make_file(&bench, path);
    assert_int_equal(open_file(&bench, path, false, &files[1]), 0);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < depth; i++)
            send_op(&bench, WEIR_OP_WRITE, files[(i + round) % 2], data + (size_t)i * UNIT_BYTES,
                    (uint64_t)i * UNIT_BYTES, UNIT_BYTES);
        for (unsigned back = 0; back < depth;) {
            int count = weir_queue_reap(&bench.queue, done, 1, WEIR_DEPTH_MAX, WEIR_FOREVER);

            assert_true(count >= 1);
            back += (unsigned)count;
            for (int i = 0; i < count; i++) {
                assert_int_equal(done[i]->result, done[i]->file == files[0] ? UNIT_BYTES : -EBADF);
                weir_queue_give(&bench.queue, done[i]);
            }
        }
    }
    close_file(&bench, files[0]);
    close_file(&bench, files[1]);
    remove_name(&bench, path);
    close_bench(&bench);
}

/* ---- memory ---- */

static void open_buffers(struct weir_buffers *buffers, unsigned slots)
{
    assert_int_equal(weir_buffers_open(buffers,
                                       &(struct weir_buffers_params){
                                           .slots = slots,
                                           .transfer_bytes = UNIT_BYTES,
                                           .alignment = UNIT_BYTES,
                                       }),
                     0);
}

/* All of it, none, or half of it with an end in the middle of a transfer: written out of the memory
 * that may be lent and read into other memory, then the other way. */
void memory_may_be_lent_and_need_not_be(void **state)
{
    const struct subject *subject = *state;
    const struct weir_memory_ops *memory = subject->backend->memory;
    struct traffic traffic = {.file_count = 1, .batch = 1};
    struct weir_error error = {0};
    struct weir_buffers buffers;
    struct bench bench;

    if (!memory)
        skip_because("the backend registers no memory");
    open_deep_with_data(&bench, subject, NULL);
    traffic.files[0] = make_file(&bench, path_of(&bench, "lent"));
    open_buffers(&buffers, bench.session->depth);
    for (unsigned round = 0; round < 8; round++) {
        bool is_lent = round % 2 == 0;
        size_t bytes = round % 4 == 0 ? buffers.bytes : buffers.bytes / 2 + UNIT_BYTES / 2;

        if (is_lent && memory->lend(bench.session, buffers.memory, bytes, &error) < 0)
            fail_msg("%s", error.text);
        traffic.salt = round;
        traffic.verb = WEIR_OP_WRITE;
        traffic.memory = round < 4 ? buffers.memory : NULL;
        run_traffic(&bench, &traffic);
        traffic.verb = WEIR_OP_READ;
        traffic.memory = round < 4 ? NULL : buffers.memory;
        run_traffic(&bench, &traffic);
        assert_int_equal(traffic.failed_count + traffic.short_count, 0);
        if (is_lent)
            memory->give_back(bench.session);
    }
    weir_buffers_close(&buffers);
    close_file(&bench, traffic.files[0]);
    remove_name(&bench, path_of(&bench, "lent"));
    close_bench(&bench);
}

void a_session_tells_the_same_at_each_asking(void **state)
{
    struct weir_session_facts facts[2] = {0};
    struct bench bench;

    open_bench(&bench, *state, NULL);
    if (!bench.backend->describe) {
        close_bench(&bench);
        skip_because("there is nothing to tell");
    }
    for (int i = 0; i < 2; i++)
        bench.backend->describe(bench.session, &facts[i]);
    assert_string_equal(weir_text_string(&facts[0].granted), weir_text_string(&facts[1].granted));
    assert_string_equal(weir_text_string(&facts[0].shortfall),
                        weir_text_string(&facts[1].shortfall));
    assert_null(strchr(weir_text_string(&facts[0].granted), '\n'));
    for (int i = 0; i < 2; i++) {
        weir_text_close(&facts[i].granted);
        weir_text_close(&facts[i].shortfall);
    }
    close_bench(&bench);
}

/* Reads as many as there are slots, and waits for none of them. */
static void leave_in_flight(struct bench *bench, struct weir_op *ops)
{
    const struct weir_transfer_ops *transfer = bench->backend->transfer;
    unsigned depth = bench->session->depth;
    struct weir_op *batch[WEIR_DEPTH_MAX];
    struct weir_op *done[1];

    for (unsigned i = 0; i < depth; i++) {
        batch[i] = &ops[i];
        ops[i].verb = WEIR_OP_READ;
    }
    assert_true(transfer->submit(bench->session, batch, depth) >= 1);
    /* What was taken may not be on its way before the first reap. */
    assert_in_range(transfer->reap(bench->session, done, 0, 1, 0), 0, 1);
}

/* After a session broke, nobody reaps any more: once it is closed, the buffers are the engine's. */
void a_session_closed_in_flight_leaves_the_buffers_alone(void **state)
{
    struct weir_file *file;
    struct bench bench;
    struct weir_op *ops;
    unsigned char *data;
    unsigned depth;

    open_deep(&bench, *state, NULL);
    depth = bench.session->depth;
    data = make_data(&bench, depth, 1);
    file = make_file(&bench, path_of(&bench, "abandoned"));
    move_units(&bench, WEIR_OP_WRITE, file, data, depth, false);
    ops = make_ops(&bench, file, data, depth);
    leave_in_flight(&bench, ops);
    weir_queue_close(&bench.queue);
    remove_name(&bench, path_of(&bench, "abandoned"));
    close_file(&bench, file);
    bench.backend->close(bench.session);
    bench.session = NULL;
    memset(data, 0xa5, (size_t)depth * UNIT_BYTES);
    usleep(2000);
    for (size_t i = 0; i < (size_t)depth * UNIT_BYTES; i++)
        assert_int_equal(data[i], 0xa5);
    forget_session(&bench);
}

/* ---- null ---- */

void delays_of_transfers_in_flight_run_side_by_side(void **state)
{
    const uint64_t delay_ns = 50 * NS_PER_MS;
    struct weir_op *done[WEIR_DEPTH_MAX];
    struct weir_file *file;
    struct bench bench;
    unsigned char *data;
    uint64_t begin_ns;
    unsigned depth;

    open_deep(&bench, *state, "dummy.delay-xfer=50000,dummy.delay-sync=1000");
    depth = bench.session->depth;
    data = make_data(&bench, 1, 1);
    file = make_file(&bench, "delayed");
    begin_ns = weir_clock_ns(&bench.clock);
    for (unsigned i = 0; i < depth; i++)
        send_op(&bench, i + 1 < depth ? WEIR_OP_WRITE : WEIR_OP_SYNC, file, data, 0, UNIT_BYTES);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 0, depth, WEIR_FOREVER), 0);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, depth, WEIR_FOREVER), 1);
    assert_int_equal(done[0]->verb, WEIR_OP_SYNC);
    assert_int_equal(weir_queue_reap(&bench.queue, done + 1, 1, depth, NS_PER_MS), 0);
    assert_int_equal(weir_queue_reap(&bench.queue, done + 1, depth - 1, depth, WEIR_FOREVER),
                     depth - 1);
    assert_true(weir_clock_ns(&bench.clock) - begin_ns >= delay_ns);
    assert_true(weir_clock_ns(&bench.clock) - begin_ns < depth * delay_ns / 2);
    for (unsigned i = 0; i < depth; i++)
        weir_queue_give(&bench.queue, done[i]);
    close_file(&bench, file);
    close_bench(&bench);
}

void a_signal_ends_a_wait_for_a_delay(void **state)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    struct weir_file *file;
    struct bench bench;

    open_deep(&bench, *state, "dummy.delay-xfer=200000");
    file = make_file(&bench, "delayed");
    send_op(&bench, WEIR_OP_WRITE, file, make_data(&bench, 1, 1), 0, UNIT_BYTES);
    ring(5000);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 1, WEIR_FOREVER), 0);
    ring(0);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 1, WEIR_FOREVER), 1);
    weir_queue_give(&bench.queue, done[0]);
    close_file(&bench, file);
    close_bench(&bench);
}

/* ---- what is never complete: reads from a pipe that nobody writes to ---- */

static struct weir_file *open_pipe(struct bench *bench, const char *path)
{
    const struct weir_file_params params = {.path = path,
                                            .can_write = true,
                                            .can_read = true,
                                            .is_exact = true, /* other opens refuse a FIFO */
                                            .group = bench->subject->group};
    struct weir_file *file;
    int rc;

    assert_int_equal(mkfifo(path, 0600), 0);
    rc = bench->backend->file->open(bench->session, &params, &file);
    if (rc < 0) {
        unlink(path);
        close_bench(bench);
        skip_because("the backend does not open pipes");
    }
    return file;
}

void a_read_from_an_empty_pipe_waits_as_long_as_asked(void **state)
{
    struct weir_op *done[1];
    struct weir_file *file;
    struct bench bench;
    unsigned char *data;
    const char *path;
    int fd;

    open_deep(&bench, *state, NULL);
    path = path_of(&bench, "silent");
    data = make_data(&bench, 1, 1);
    file = open_pipe(&bench, path);
    send_op(&bench, WEIR_OP_READ, file, data, 0, 4);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 0, 1, WEIR_FOREVER), 0);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 1, 0), 0);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 1, NS_PER_MS), 0);
    ring(5000);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 1, WEIR_FOREVER), 0);
    ring(0);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "word", 4), 4);
    assert_int_equal(weir_queue_reap(&bench.queue, done, 1, 1, WEIR_FOREVER), 1);
    assert_int_equal(done[0]->result, 4);
    assert_memory_equal(data, "word", 4);
    weir_queue_give(&bench.queue, done[0]);
    close(fd);
    close_file(&bench, file);
    remove_name(&bench, path);
    close_bench(&bench);
}

void a_read_that_never_ends_does_not_keep_a_session_open(void **state)
{
    struct weir_file *file;
    struct utsname host;
    struct weir_op *ops;
    struct bench bench;
    unsigned depth;

    assert_int_equal(uname(&host), 0);
    if (strtol(host.release, NULL, 10) < 6)
        skip_because("io_uring of Linux before 6.0 cannot cancel all that it has");
    open_deep(&bench, *state, NULL);
    depth = bench.session->depth;
    file = open_pipe(&bench, path_of(&bench, "silent"));
    ops = make_ops(&bench, file, make_data(&bench, depth, 1), depth);
    leave_in_flight(&bench, ops);
    weir_queue_close(&bench.queue);
    remove_name(&bench, path_of(&bench, "silent"));
    close_file(&bench, file);
    forget_session(&bench);
}

/* ---- fault ---- */

void faults_at_full_depth_cost_no_data(void **state)
{
    static const struct {
        const char *options;
        bool has_failed;
        bool has_short;
    } cases[] = {
        {"fault.errno=EIO,fault.every=3", true, false},
        {"fault.errno=EAGAIN,fault.at=5,fault.every=2", true, false},
        {"fault.short=4096,fault.every=5", false, true},
        {"fault.short=8192,fault.every=7", false, true},
        {"fault.late=9,fault.every=4", false, false},
        {"fault.late=1000,fault.every=2", false, false},
        {"fault.late=5,fault.errno=EIO,fault.every=3", true, false},
        {"fault.late=3,fault.short=4096,fault.every=2", false, true},
        {"fault.delay=100,fault.every=16", false, false},
    };
    struct bench bench;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct traffic traffic = {.file_count = 2, .batch = 1 + (unsigned)i % 3 * 4};

        open_deep_with_data(&bench, *state, cases[i].options);
        traffic.files[0] = make_file(&bench, path_of(&bench, "scattered"));
        traffic.files[1] = make_file(&bench, path_of(&bench, "other"));
        traffic.verb = WEIR_OP_WRITE;
        run_traffic(&bench, &traffic);
        traffic.verb = WEIR_OP_READ;
        run_traffic(&bench, &traffic);
        assert_int_equal(traffic.failed_count > 0, cases[i].has_failed);
        assert_int_equal(traffic.short_count > 0, cases[i].has_short);
        close_file(&bench, traffic.files[0]);
        close_file(&bench, traffic.files[1]);
        remove_name(&bench, path_of(&bench, "scattered"));
        remove_name(&bench, path_of(&bench, "other"));
        close_bench(&bench);
    }
}

void a_late_one_comes_after_others(void **state)
{
    static const unsigned late_counts[] = {1, 5, 1000};
    struct weir_op *done;

    for (size_t i = 0; i < sizeof late_counts / sizeof *late_counts; i++) {
        struct weir_file *file;
        struct bench bench;
        struct weir_op *late;
        char options[64];
        unsigned depth;
        unsigned least;

        snprintf(options, sizeof options, "fault.verb=read,fault.late=%u", late_counts[i]);
        open_deep(&bench, *state, options);
        depth = bench.session->depth;
        file = make_file(&bench, path_of(&bench, "late"));
        move_units(&bench, WEIR_OP_WRITE, file, make_data(&bench, 1, 1), 1, false);
        late = send_op(&bench, WEIR_OP_READ, file, make_data(&bench, 1, 1), 0, UNIT_BYTES);
        while (send_op(&bench, WEIR_OP_READ, file, make_data(&bench, 1, 1), 0, UNIT_BYTES))
            ;
        least = late_counts[i] < depth ? late_counts[i] : depth - 1;
        for (unsigned place = 0; place < depth; place++) {
            assert_int_equal(weir_queue_reap(&bench.queue, &done, 1, 1, WEIR_FOREVER), 1);
            assert_true(done != late || place >= least);
            weir_queue_give(&bench.queue, done);
        }
        close_file(&bench, file);
        remove_name(&bench, path_of(&bench, "late"));
        close_bench(&bench);
    }
}

static void tell_when_lent(const struct subject *subject, bool *wants_huge_pages,
                           struct weir_session_facts *facts)
{
    const struct weir_memory_ops *memory = subject->backend->memory;
    struct weir_error error = {0};
    struct weir_buffers buffers;
    struct bench bench;

    open_bench(&bench, subject, NULL);
    *wants_huge_pages = bench.session->wants_huge_pages;
    open_buffers(&buffers, bench.session->depth);
    if (memory && memory->lend(bench.session, buffers.memory, buffers.bytes, &error) < 0)
        fail_msg("%s", error.text);
    if (bench.backend->describe)
        bench.backend->describe(bench.session, facts);
    if (memory)
        memory->give_back(bench.session);
    weir_buffers_close(&buffers);
    close_bench(&bench);
}

void what_is_granted_is_what_the_inner_backend_got(void **state)
{
    const struct subject *subject = *state;
    struct subject inner = *subject;
    struct weir_session_facts facts[2] = {0};
    bool wants_huge_pages[2];

    inner.backend = subject->inner;
    inner.inner = NULL;
    tell_when_lent(subject, &wants_huge_pages[0], &facts[0]);
    tell_when_lent(&inner, &wants_huge_pages[1], &facts[1]);
    assert_int_equal(wants_huge_pages[0], wants_huge_pages[1]);
    assert_string_equal(weir_text_string(&facts[0].granted), weir_text_string(&facts[1].granted));
    assert_string_equal(weir_text_string(&facts[0].shortfall),
                        weir_text_string(&facts[1].shortfall));
    for (int i = 0; i < 2; i++) {
        weir_text_close(&facts[i].granted);
        weir_text_close(&facts[i].shortfall);
    }
}

/* Blocking ones and those that come through the queue. */
void syncs_are_counted_and_hit(void **state)
{
    static const struct {
        const char *options;
        const char *expected; /* one letter per sync */
    } cases[] = {
        {NULL, "fffff"},
        {"fault.errno=EIO,fault.every=1", "fffff"},
        {"fault.sync=EIO", "EEEEE"},
        {"fault.verb=sync,fault.errno=EIO,fault.at=2", "ffEff"},
        {"fault.verb=sync,fault.errno=EIO,fault.at=1,fault.every=2", "fEfEf"},
        {"fault.verb=write,fault.sync=EIO", "EEEEE"},
    };

    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        const char *expected = cases[i / 2].expected;
        struct weir_file *file;
        struct bench bench;
        bool is_queued = i % 2 != 0;

        open_deep(&bench, *state, cases[i / 2].options);
        file = make_file(&bench, path_of(&bench, "synced"));
        for (unsigned n = 0; expected[n] != '\0'; n++)
            assert_int_equal(is_queued ? move(&bench, WEIR_OP_SYNC, file, NULL, 0, UNIT_BYTES)
                                       : bench.backend->file->sync(bench.session, file),
                             expected[n] == 'E' ? -EIO : 0);
        close_file(&bench, file);
        remove_name(&bench, path_of(&bench, "synced"));
        close_bench(&bench);
    }
}
