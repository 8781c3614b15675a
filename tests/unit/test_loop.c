/* SPDX-License-Identifier: Apache-2.0 */
/* The loops that move data, over a device that is nothing but memory and a clock: what it does, and
 * when, is up to each test. Time passes only where somebody looks at the clock, sleeps or waits. */
#include "engine/loop.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 64, OPS_MAX = 4096, TRANSFER_BYTES = 8192 };
#define SECOND UINT64_C(1000000000)
#define MILLISECOND UINT64_C(1000000)
#define NEVER UINT64_MAX

/* ---- the world ---- */

static struct {
    uint64_t now_ns;
    uint64_t signal_at_ns; /* 0: never */
    volatile sig_atomic_t signal;
    /* if set: whoever sleeps has prepared one transfer more than were submitted */
    const struct weir_loop *loop;
    const unsigned *op_count;
    unsigned sleep_count;
    unsigned
        looks_until_jump; /* so many looks at the clock from now a millisecond is lost; 0: no */
} world;

static void pass_time(uint64_t ns)
{
    world.now_ns += ns;
    if (world.signal_at_ns != 0 && world.now_ns >= world.signal_at_ns)
        world.signal = SIGTERM;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    pass_time(20);
    if (world.looks_until_jump > 0 && --world.looks_until_jump == 0)
        pass_time(MILLISECOND);
    *now = (struct timespec){.tv_sec = (time_t)(world.now_ns / SECOND),
                             .tv_nsec = (long)(world.now_ns % SECOND)};
    return 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    if (world.loop != NULL)
        assert_int_equal(weir_op_source_index(&world.loop->ops), *world.op_count + 1);
    world.sleep_count++;
    pass_time((uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec + 5000);
    return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *left)
{
    (void)clock;
    (void)flags;
    return __wrap_nanosleep(time, left);
}

/* ---- the device ---- */

/* What a request that is not just done comes to, by its number of all that were submitted. */
struct mishap {
    unsigned number;
    int64_t result; /* of a transfer of TRANSFER_BYTES */
};

struct request {
    struct weir_op *op;
    uint64_t taken_ns;
    uint64_t done_ns;
    int64_t result;
};

struct device {
    struct weir_session base;
    struct weir_file file;
    uint64_t write_ns; /* how long each takes; NEVER: it does not come back */
    uint64_t read_ns;
    uint64_t sync_ns;
    unsigned capacity; /* of what it takes before it is full; 0: all */
    bool is_serial;    /* does one after the other */
    bool is_nowait;    /* sends with the order not to block */
    const struct mishap *mishaps;
    unsigned mishap_count;
    unsigned breaks_at; /* submit fails when so many were submitted; 0: never */
    uint64_t flip_at;   /* a bit there is another one when it is read; NEVER: none */

    unsigned char *memory;
    uint64_t busy_until_ns;
    uint64_t
        flight_ns; /* of all requests: from when they were taken to when they were given back */
    struct request flying[DEPTH_MAX];
    unsigned flying_count;
    unsigned deepest;
    unsigned submit_count;
    unsigned batches[OPS_MAX]; /* how many each submit was offered */
    unsigned op_count;
    struct {
        enum weir_op_verb verb;
        uint64_t offset;
        unsigned slot;
        bool could_wait;
        uint64_t issued_ns;
    } ops[OPS_MAX]; /* in the order of submission */
    unsigned sync_calls;
};

static struct device *device_of(struct weir_session *session)
{
    return (struct device *)session;
}

static uint64_t service_ns(const struct device *device, const struct weir_op *op)
{
    switch (op->verb) {
    case WEIR_OP_WRITE:
        return device->write_ns;
    case WEIR_OP_READ:
        return device->read_ns;
    default:
        return device->sync_ns;
    }
}

static int64_t result_of(const struct device *device, const struct weir_op *op)
{
    for (unsigned i = 0; i < device->mishap_count; i++)
        if (device->mishaps[i].number == device->op_count)
            return device->mishaps[i].result;
    return op->verb == WEIR_OP_SYNC ? 0 : (int64_t)op->size;
}

static int64_t begin_op(struct device *device, struct weir_op *op)
{
    int64_t result = result_of(device, op);
    unsigned number = device->op_count++;

    assert_true(number < OPS_MAX);
    device->ops[number].verb = op->verb;
    device->ops[number].offset = op->offset;
    device->ops[number].slot = op->slot;
    device->ops[number].could_wait = op->may_wait;
    op->is_nowait = device->is_nowait && !op->may_wait;
    device->ops[number].issued_ns = world.now_ns;
    return result;
}

static void move_bytes(struct device *device, const struct weir_op *op, int64_t bytes)
{
    if (bytes <= 0)
        return;
    if (op->verb == WEIR_OP_WRITE)
        memcpy(device->memory + op->offset, op->data, (size_t)bytes);
    else if (op->verb == WEIR_OP_READ)
        memcpy(op->data, device->memory + op->offset, (size_t)bytes);
    if (op->verb == WEIR_OP_READ && device->flip_at >= op->offset &&
        device->flip_at < op->offset + (uint64_t)bytes)
        ((unsigned char *)op->data)[device->flip_at - op->offset] ^= 4;
}

static int64_t device_transfer(struct weir_session *session, struct weir_op *op)
{
    struct device *device = device_of(session);
    int64_t result = begin_op(device, op);

    device->deepest = 1;
    pass_time(service_ns(device, op));
    move_bytes(device, op, result);
    return result;
}

static uint64_t begin_ns(const struct device *device)
{
    bool must_queue = device->is_serial && device->busy_until_ns > world.now_ns;

    return must_queue ? device->busy_until_ns : world.now_ns;
}

static int device_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct device *device = device_of(session);
    unsigned taken = count;

    if (device->breaks_at != 0 && device->op_count >= device->breaks_at)
        return -EPIPE;
    if (device->capacity != 0 && taken > device->capacity - device->flying_count)
        taken = device->capacity - device->flying_count;
    device->batches[device->submit_count++ % OPS_MAX] = count;
    for (unsigned i = 0; i < taken; i++) {
        struct request *request = &device->flying[device->flying_count++];
        uint64_t service = service_ns(device, ops[i]);

        request->op = ops[i];
        request->taken_ns = world.now_ns;
        request->done_ns = service == NEVER ? NEVER : begin_ns(device) + service;
        device->busy_until_ns = request->done_ns;
        request->result = begin_op(device, ops[i]);
    }
    if (device->flying_count > device->deepest)
        device->deepest = device->flying_count;
    return (int)taken;
}

static struct request *earliest(struct device *device)
{
    struct request *first = NULL;

    for (unsigned i = 0; i < device->flying_count; i++)
        if (first == NULL || device->flying[i].done_ns < first->done_ns)
            first = &device->flying[i];
    return first;
}

/* A signal ends the wait when it comes. */
static bool wait_until(uint64_t done_ns, uint64_t end_ns)
{
    uint64_t wake_ns = done_ns < end_ns ? done_ns : end_ns;
    bool is_signalled = world.signal_at_ns > world.now_ns && world.signal_at_ns < wake_ns;

    if (is_signalled)
        wake_ns = world.signal_at_ns;
    assert_true(wake_ns != NEVER);
    if (wake_ns > world.now_ns)
        pass_time(wake_ns - world.now_ns);
    return world.now_ns >= done_ns;
}

static int device_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                       unsigned max, uint64_t timeout_ns)
{
    struct device *device = device_of(session);
    uint64_t end_ns = timeout_ns == WEIR_FOREVER ? NEVER : world.now_ns + timeout_ns;
    struct request *request;
    uint64_t taken_ns = 0;
    unsigned count = 0;

    assert_true(min <= max);
    while (count < max && (request = earliest(device)) != NULL) {
        if (request->done_ns > world.now_ns &&
            (count >= min || !wait_until(request->done_ns, end_ns)))
            break;
        move_bytes(device, request->op, request->result);
        request->op->result = request->result;
        taken_ns += request->taken_ns;
        done[count++] = request->op;
        device->flying_count--;
        memmove(request, request + 1,
                (size_t)(&device->flying[device->flying_count] - request) * sizeof *request);
    }
    device->flight_ns += count * world.now_ns - taken_ns;
    return (int)count;
}

static int device_sync(struct weir_session *session, struct weir_file *file)
{
    struct device *device = device_of(session);

    (void)file;
    device->sync_calls++;
    pass_time(device->sync_ns);
    return 0;
}

static const struct weir_transfer_ops queued_ops = {.submit = device_submit, .reap = device_reap};
static const struct weir_transfer_ops blocking_ops = {.transfer = device_transfer};
static const struct weir_file_ops file_ops = {.sync = device_sync};
static const struct weir_backend queued = {
    .descriptor = {.name = "device"}, .transfer = &queued_ops, .file = &file_ops};
static const struct weir_backend blocking = {
    .descriptor = {.name = "device"}, .transfer = &blocking_ops, .file = &file_ops};

/* ---- a phase ---- */

struct bench {
    struct device device;
    struct weir_clock clock;
    struct weir_observer observer;
    struct weir_engine_params params;
    struct weir_test test;
    struct weir_target target;
    struct weir_phase phase;
    struct weir_tally *tally;
    struct weir_run run;
    struct weir_share share;
    struct weir_identity identity;
    struct weir_source source;
    struct weir_filler filler;
    struct weir_op_state op_states[DEPTH_MAX];
    struct weir_loop loop;
};

static struct bench *open_bench(const struct weir_backend *backend, unsigned depth, uint64_t ops)
{
    struct bench *bench = calloc(1, sizeof *bench);
    static const char *const paths[] = {"/device"};

    assert_non_null(bench);
    world.now_ns = 100 * SECOND;
    world.signal_at_ns = 0;
    world.signal = 0;
    world.loop = NULL;
    world.sleep_count = 0;
    bench->device = (struct device){.base = {.backend = backend, .depth = depth},
                                    .file.alignment = {.memory = 1, .offset = 1},
                                    .write_ns = 10000,
                                    .read_ns = 10000,
                                    .sync_ns = 50000,
                                    .flip_at = NEVER,
                                    .memory = calloc(ops, TRANSFER_BYTES)};
    assert_non_null(bench->device.memory);
    bench->params = (struct weir_engine_params){
        .clock = &bench->clock, .observer = &bench->observer, .stop_signal = &world.signal};
    bench->target.paths = paths;
    bench->target.path_count = 1;
    bench->target.is_shared = true;
    bench->test.backend = &backend->descriptor;
    bench->phase = (struct weir_phase){
        .verb = WEIR_WRITE,
        .target = &bench->target,
        .transfers.layout = {.segment_count = 1,
                             .block_bytes = ops * TRANSFER_BYTES,
                             .transfer_bytes = TRANSFER_BYTES},
        .transfers.payload.mode = WEIR_PAYLOAD_STAMP,
        .depth = depth,
        .transfers.batch = 1,
    };
    bench->identity = (struct weir_identity){
        .generation = 77, .transfer_bytes = TRANSFER_BYTES, .seed = 5, .mode = WEIR_PAYLOAD_STAMP};
    bench->tally = malloc(sizeof *bench->tally);
    assert_non_null(bench->tally);
    assert_int_equal(weir_tally_open(bench->tally, 5), 0);
    bench->run = (struct weir_run){.params = &bench->params,
                                   .test = &bench->test,
                                   .backend = backend,
                                   .session = &bench->device.base,
                                   .alignment = {.memory = 1, .offset = 1},
                                   .tally = bench->tally};
    assert_int_equal(weir_group_self_open(&bench->run.group), 0);
    assert_int_equal(weir_queue_open(&bench->run.queue, &bench->device.base, &bench->clock), 0);
    assert_int_equal(weir_buffers_open(
                         &bench->run.buffers,
                         &(struct weir_buffers_params){.slots = depth,
                                                       .transfer_bytes = TRANSFER_BYTES,
                                                       .spread_bytes = 4UL * depth * TRANSFER_BYTES,
                                                       .alignment = 1}),
                     0);
    assert_int_equal(
        weir_filler_prepare(&bench->filler, weir_filler_seed(&bench->identity), WEIR_FILLER_PIECES),
        0);
    return bench;
}

static void close_bench(struct bench *bench)
{
    weir_buffers_close(&bench->run.buffers);
    weir_queue_close(&bench->run.queue);
    weir_group_close(bench->run.group);
    weir_filler_close(&bench->filler);
    weir_tally_close(bench->tally);
    free(bench->tally);
    free(bench->device.memory);
    free(bench);
}

static void forget_traffic(struct device *device)
{
    device->op_count = 0;
    device->submit_count = 0;
    device->flying_count = 0;
    device->flight_ns = 0;
    device->deepest = 0;
    device->sync_calls = 0;
}

/* The phase as phase_data.c would set it up. */
static int move(struct bench *bench)
{
    const struct weir_buffers *buffers = &bench->run.buffers;
    struct weir_tally_parts parts = weir_run_tally_parts(&bench->run, &bench->phase);
    int code;

    forget_traffic(&bench->device);
    bench->run.failure = (struct weir_error){0};
    weir_share_init(&bench->share, &bench->phase.transfers.layout,
                    &(struct weir_share_params){.is_shared = true, .ranks = 1, .seed = 3});
    weir_source_init(&bench->source, &bench->identity, bench->filler.bytes, 0, 0);
    for (unsigned i = 0; i < buffers->slots * buffers->per_slot; i++)
        weir_source_init_buffer(&bench->source, weir_buffers_at(buffers, i),
                                weir_source_first_filler(&bench->source, i));
    memset(bench->op_states, 0, sizeof bench->op_states);
    weir_tally_reset(bench->tally, world.now_ns, &parts);
    bench->loop.run = &bench->run;
    bench->loop.phase = &bench->phase;
    bench->loop.file = &bench->device.file;
    bench->loop.path = "/device";
    bench->loop.share = &bench->share;
    bench->loop.source = &bench->source;
    bench->loop.reading = (struct weir_expectation){.ranks = 1};
    bench->loop.limit = bench->share.op_count;
    bench->loop.depth = bench->phase.depth;
    bench->loop.batch = bench->phase.transfers.batch;
    bench->loop.op_states = bench->op_states;
    code = weir_loop_run(&bench->loop);
    weir_tally_join(bench->tally);
    return code;
}

/* A second phase of the same bench has a loop of its own. */
static int move_on(struct bench *bench)
{
    bench->loop = (struct weir_loop){0};
    return move(bench);
}

static void read_all(struct bench *bench)
{
    bench->phase.verb = WEIR_READ;
    bench->phase.transfers.must_verify = true;
    bench->phase.transfers.must_sync_each = false;
    assert_int_equal(move_on(bench), 0);
}

static void assert_device_holds_all(struct bench *bench)
{
    bench->device.mishap_count = 0;
    read_all(bench);
    assert_int_equal(weir_tally_errors(bench->tally), 0);
    assert_int_equal(bench->tally->mismatches.wrong_transfers, 0);
    assert_int_equal(bench->tally->mismatches.checked_transfers, bench->share.op_count);
}

static uint64_t series_ops(const struct weir_series *series)
{
    uint64_t ops = 0;

    for (uint32_t i = 0; i < series->used; i++)
        ops += series->ops[i];
    return ops;
}

/* ---- depth and batch ---- */

static void check_depth(unsigned queue_depth, unsigned depth, unsigned batch, unsigned capacity,
                        bool is_serial)
{
    struct bench *bench = open_bench(&queued, queue_depth, 500);
    bool is_seen[500] = {0};

    bench->phase.depth = depth;
    bench->phase.transfers.batch = batch;
    bench->phase.transfers.layout.order = WEIR_ORDER_SHUFFLED;
    bench->device.capacity = capacity;
    bench->device.is_serial = is_serial;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->device.deepest, capacity != 0 ? capacity : depth);
    assert_int_equal(bench->device.op_count, 500);
    for (unsigned i = 0; i < 500; i++) {
        assert_false(is_seen[bench->device.ops[i].offset / TRANSFER_BYTES]);
        is_seen[bench->device.ops[i].offset / TRANSFER_BYTES] = true;
    }
    assert_int_equal(weir_tally_ops(bench->tally), 500);
    assert_int_equal(weir_tally_bytes(bench->tally), 500 * TRANSFER_BYTES);
    assert_int_equal(bench->tally->latency->total, 500);
    assert_int_equal(bench->tally->submission->total, 500);
    assert_int_equal(series_ops(&bench->tally->series), 500);
    assert_true(bench->tally->latency->min_ns >= 10000);
    assert_true(is_serial || bench->tally->latency->max_ns < 30000);
    assert_true(bench->tally->submission->min_ns >= 20);
    /* The stamps are those of the device, but for the look at the clock after it gave back. */
    assert_int_equal(bench->tally->latency->sum_ns, bench->device.flight_ns + 500 * 20);
    bench->device.capacity = 0;
    assert_device_holds_all(bench);
    close_bench(bench);
}

static void depth_is_reached_and_never_exceeded_and_each_offset_moved_once(void **state)
{
    (void)state;
    check_depth(1, 1, 1, 0, false);
    check_depth(8, 8, 1, 0, false);
    check_depth(64, 64, 64, 0, false);
    check_depth(64, 5, 2, 0, true);
    check_depth(64, 32, 16, 3, false);
    check_depth(64, 32, 8, 24, true);
}

static void a_batch_is_handed_over_at_once(void **state)
{
    struct bench *bench = open_bench(&queued, 16, 200);

    (void)state;
    bench->phase.transfers.batch = 4;
    bench->device.is_serial = true;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->device.batches[0], 16);
    for (unsigned i = 1; i + 1 < bench->device.submit_count; i++)
        assert_true(bench->device.batches[i] >= 4);
    close_bench(bench);
}

static void the_first_pass_starts_where_it_is_told_to(void **state)
{
    struct bench *bench = open_bench(&queued, 4, 100);

    (void)state;
    bench->loop.first_index = 70;
    bench->phase.stop.minimum_ns = MILLISECOND;
    assert_int_equal(move(bench), 0);
    assert_true(bench->device.op_count > 130);
    for (unsigned i = 0; i < bench->device.op_count; i++)
        assert_int_equal(bench->device.ops[i].offset / TRANSFER_BYTES, (70 + i) % 100);
    close_bench(bench);
}

/* The device has work while what came back is recorded, although all of it came back together. */
static void a_quarter_is_taken_back_at_once(void **state)
{
    struct bench *bench = open_bench(&queued, 16, 160);

    (void)state;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->device.batches[0], 16);
    for (unsigned i = 1; i + 1 < bench->device.submit_count; i++)
        assert_int_equal(bench->device.batches[i], 4);
    assert_device_holds_all(bench);
    close_bench(bench);
}

static void going_round_does_not_empty_the_queue(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 100);

    (void)state;
    bench->phase.transfers.batch = 8;
    bench->phase.stop.minimum_ns = 5 * MILLISECOND;
    assert_int_equal(move(bench), 0);
    assert_true(bench->device.op_count > 3000);
    assert_int_equal(bench->device.op_count % 100, 0);
    assert_int_equal(bench->loop.furthest, 100);
    /* Each submit but the first hands over what came back, which is all: they take equally long. */
    for (unsigned i = 1; i + 1 < bench->device.submit_count; i++)
        assert_int_equal(bench->device.batches[i], 8);
    close_bench(bench);
}

static void the_log_has_every_transfer_in_the_order_of_ends(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 50);
    struct weir_op_entry entries[50];
    struct weir_op_log log = {.entries = entries, .capacity = 50};

    (void)state;
    bench->loop.log = &log;
    assert_int_equal(move(bench), 0);
    assert_int_equal(log.count, 50);
    for (unsigned i = 1; i < 50; i++)
        assert_true(entries[i].issued_ns + entries[i].duration_ns >=
                    entries[i - 1].issued_ns + entries[i - 1].duration_ns);
    close_bench(bench);
}

/* ---- verbs ---- */

static void check_mix(const struct weir_backend *backend, unsigned depth, unsigned per_slot,
                      enum weir_payload_mode mode)
{
    struct bench *bench = open_bench(backend, depth, 400);
    unsigned reads = 0;

    bench->identity.mode = mode;
    bench->run.buffers.per_slot = per_slot;
    assert_int_equal(move(bench), 0);
    bench->phase.verb = WEIR_MIXED;
    bench->phase.transfers.read_percent = 30;
    bench->phase.transfers.must_verify = true;
    bench->device.read_ns = 40000;
    assert_int_equal(move_on(bench), 0);
    for (unsigned i = 0; i < 400; i++)
        reads += bench->device.ops[i].verb == WEIR_OP_READ;
    assert_int_equal(bench->device.op_count, 400);
    assert_int_equal(reads, 120);
    assert_int_equal(bench->tally->latency->total, 400);
    assert_int_equal(bench->tally->verbs[WEIR_OP_READ].latency->total, 120);
    assert_int_equal(bench->tally->verbs[WEIR_OP_WRITE].latency->total, 280);
    assert_true(bench->tally->verbs[WEIR_OP_READ].latency->min_ns >= 40000);
    assert_true(bench->tally->verbs[WEIR_OP_WRITE].latency->min_ns < 40000);
    assert_int_equal(bench->tally->mismatches.checked_transfers, 120);
    assert_int_equal(bench->tally->mismatches.wrong_transfers, 0);
    /* What it wrote is what was to be there. */
    assert_device_holds_all(bench);
    close_bench(bench);
}

static void a_mix_has_its_shares_and_leaves_the_file_as_it_is_to_be(void **state)
{
    (void)state;
    check_mix(&queued, 8, 4, WEIR_PAYLOAD_STAMP);
    check_mix(&queued, 8, 2, WEIR_PAYLOAD_STAMP);
    check_mix(&queued, 8, 1, WEIR_PAYLOAD_STAMP);
    check_mix(&queued, 8, 1, WEIR_PAYLOAD_FULL);
    check_mix(&blocking, 1, 1, WEIR_PAYLOAD_STAMP);
    check_mix(&blocking, 1, 4, WEIR_PAYLOAD_FULL);
}

static void each_sync_follows_its_write_in_the_same_slot(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 100);
    uint64_t written[8];
    bool is_written[8] = {0};

    (void)state;
    bench->phase.transfers.must_sync_each = true;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->device.op_count, 200);
    for (unsigned i = 0; i < 200; i++) {
        unsigned slot = bench->device.ops[i].slot;

        assert_int_equal(bench->device.ops[i].verb,
                         is_written[slot] ? WEIR_OP_SYNC : WEIR_OP_WRITE);
        if (is_written[slot]) {
            assert_int_equal(bench->device.ops[i].offset, written[slot]);
            assert_true(bench->device.ops[i].issued_ns >= 10000);
        }
        written[slot] = bench->device.ops[i].offset;
        is_written[slot] = !is_written[slot];
    }
    assert_int_equal(weir_tally_ops(bench->tally), 100);
    /* From the issue of the write to the end of the sync; handing over took no part of it. */
    assert_true(bench->tally->latency->min_ns >= 60000);
    assert_true(bench->tally->latency->max_ns < 80000);
    assert_true(bench->tally->submission->max_ns < 5000);
    assert_int_equal(bench->device.sync_calls, 0);
    assert_device_holds_all(bench);
    close_bench(bench);
}

static void a_sync_that_fails_is_told(void **state)
{
    const struct mishap mishap = {.number = 5, .result = -EIO};
    struct bench *bench = open_bench(&queued, 4, 40);

    (void)state;
    bench->phase.transfers.batch = 4;
    bench->phase.transfers.must_sync_each = true;
    bench->device.mishaps = &mishap;
    bench->device.mishap_count = 1;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->device.ops[5].verb, WEIR_OP_SYNC);
    assert_int_equal(weir_tally_errors(bench->tally), 1);
    assert_int_equal(bench->tally->first_error, -EIO);
    assert_non_null(strstr(bench->run.failure.text, "sync at offset 8192 of /device"));
    /* The others were in flight: they end, and nothing new begins. */
    assert_int_equal(weir_tally_ops(bench->tally), 4);
    assert_int_equal(bench->device.op_count, 8);
    close_bench(bench);
}

/* ---- transfers that do not come back whole ---- */

static void short_transfers_are_continued_at_depth(void **state)
{
    const struct mishap mishaps[] = {{2, 4096}, {3, 1}, {20, 8191}, {21, -EINTR}};
    struct bench *bench = open_bench(&queued, 8, 60);

    (void)state;
    bench->device.mishaps = mishaps;
    bench->device.mishap_count = 4;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_errors(bench->tally), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 60);
    assert_int_equal(bench->tally->short_count, 3);
    assert_int_equal(bench->device.op_count, 64);
    /* Both parts count. */
    assert_true(bench->tally->latency->max_ns >= 20000);
    assert_true(bench->tally->submission->max_ns < 5000);
    assert_device_holds_all(bench);
    close_bench(bench);
}

static void what_would_block_is_sent_again_and_may_wait(void **state)
{
    const struct mishap mishaps[] = {{3, -EAGAIN}, {12, -EAGAIN}};
    struct bench *bench = open_bench(&queued, 4, 40);
    unsigned waiting = 0;

    (void)state;
    bench->device.is_nowait = true;
    bench->device.mishaps = mishaps;
    bench->device.mishap_count = 2;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_errors(bench->tally), 0);
    assert_int_equal(bench->tally->short_count, 0);
    assert_int_equal(bench->tally->blocked_count, 2);
    assert_int_equal(weir_tally_ops(bench->tally), 40);
    assert_int_equal(bench->device.op_count, 42);
    /* Only those two: the slot's next transfer must not wait again. */
    for (unsigned i = 0; i < 42; i++)
        waiting += bench->device.ops[i].could_wait;
    assert_int_equal(waiting, 2);
    assert_device_holds_all(bench);
    close_bench(bench);
}

/* The kernel had no room for it, and nobody forbade it to block. */
static void what_had_no_room_is_sent_again_and_not_told_as_blocking(void **state)
{
    const struct mishap mishap = {3, -EAGAIN};
    struct bench *bench = open_bench(&queued, 4, 40);

    (void)state;
    bench->device.mishaps = &mishap;
    bench->device.mishap_count = 1;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_errors(bench->tally), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 40);
    assert_int_equal(bench->tally->blocked_count, 0);
    assert_device_holds_all(bench);
    close_bench(bench);
}

/* What is in the file counts, whatever became of the transfer. */
static void bytes_of_a_transfer_that_failed_half_way_count(void **state)
{
    const struct mishap mishaps[] = {{2, 4096}, {3, 1024}, {4, -ENOSPC}};
    struct bench *bench = open_bench(&queued, 1, 40);

    (void)state;
    bench->device.mishaps = mishaps;
    bench->device.mishap_count = 3;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->tally->first_error, -ENOSPC);
    assert_int_equal(weir_tally_ops(bench->tally), 2);
    assert_int_equal(weir_tally_bytes(bench->tally),
                     2 * bench->phase.transfers.layout.transfer_bytes + 4096 + 1024);
    close_bench(bench);
}

static void what_blocks_even_if_it_may_wait_has_failed(void **state)
{
    const struct mishap mishaps[] = {{0, -EAGAIN}, {1, -EAGAIN}};
    struct bench *bench = open_bench(&queued, 1, 40);

    (void)state;
    bench->device.mishaps = mishaps;
    bench->device.mishap_count = 2;
    assert_int_equal(move(bench), 0);
    assert_int_equal(bench->tally->first_error, -EAGAIN);
    assert_int_equal(weir_tally_ops(bench->tally), 0);
    close_bench(bench);
}

static void a_failure_ends_the_phase_when_the_others_are_back(void **state)
{
    const struct mishap mishap = {.number = 10, .result = -ENOSPC};
    struct bench *bench = open_bench(&queued, 8, 100);

    (void)state;
    bench->phase.transfers.batch = 8;
    bench->device.mishaps = &mishap;
    bench->device.mishap_count = 1;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_errors(bench->tally), 1);
    assert_int_equal(bench->tally->first_error, -ENOSPC);
    assert_int_equal(bench->device.op_count, 16);
    assert_int_equal(weir_tally_ops(bench->tally), 15);
    assert_int_equal(bench->run.queue.free_count, 8);
    close_bench(bench);
}

static void a_session_that_breaks_is_told_and_never_used_again(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 100);

    (void)state;
    bench->phase.transfers.batch = 8;
    bench->device.breaks_at = 24;
    bench->phase.stop.has_wear_out = true;
    bench->phase.stop.minimum_ns = SECOND;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 24);
    assert_int_equal(bench->tally->first_error, -EPIPE);
    assert_non_null(strstr(bench->run.failure.text, "the session broke in the middle of /device"));
    bench->device.breaks_at = 0;
    assert_int_equal(move_on(bench), 0);
    assert_int_equal(bench->device.op_count, 0);
    assert_int_equal(weir_tally_ops(bench->tally), 0);
    assert_int_equal(weir_tally_errors(bench->tally), 1);
    assert_non_null(strstr(bench->run.failure.text, "the session broke before any transfer"));
    close_bench(bench);
}

/* ---- verification ---- */

static void a_wrong_bit_is_found_at_depth(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 100);

    (void)state;
    assert_int_equal(move(bench), 0);
    bench->device.flip_at = 42 * TRANSFER_BYTES + 5000;
    read_all(bench);
    assert_int_equal(bench->tally->mismatches.checked_transfers, 100);
    assert_int_equal(bench->tally->mismatches.wrong_transfers, 1);
    assert_int_equal(bench->tally->mismatches.first[0].offset / 4096,
                     42 * TRANSFER_BYTES / 4096 + 1);
    assert_int_equal(weir_tally_ops(bench->tally), 100);
    close_bench(bench);
}

/* Each look at the clock takes 20 ns, and nothing else takes any time: so much at least, and not
 * much more, goes into spoiling and checking each transfer. */
static void checks_are_counted_once_and_where_they_belong(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 800);
    uint64_t begin_ns;

    (void)state;
    bench->phase.transfers.batch = 8;
    assert_int_equal(move(bench), 0);
    /* All come back together, so nothing is in flight while they are checked. */
    begin_ns = world.now_ns;
    read_all(bench);
    assert_in_range(bench->tally->data_ns, 2 * 800 * 20, 2 * 800 * 40);
    assert_int_equal(bench->tally->overlapped_data_ns, 0);
    assert_true(bench->tally->data_ns < world.now_ns - begin_ns);
    /* One after the other: the others are in flight. */
    bench->device.is_serial = true;
    bench->phase.transfers.batch = 1;
    read_all(bench);
    assert_true(bench->tally->overlapped_data_ns > 0);
    assert_in_range(bench->tally->data_ns + bench->tally->overlapped_data_ns, 2 * 800 * 20,
                    2 * 800 * 40);
    close_bench(bench);
}

/* ---- ends before the end ---- */

static void a_deadline_is_seen_while_nothing_comes_back(void **state)
{
    struct bench *bench = open_bench(&queued, 4, 100);

    (void)state;
    bench->device.write_ns = 10 * SECOND;
    bench->phase.stop.deadline_ns = SECOND;
    assert_int_equal(move(bench), 0);
    assert_true(bench->tally->hit_deadline);
    assert_in_range(bench->tally->stonewall_ns, SECOND, SECOND + 1000);
    assert_int_equal(bench->tally->stonewall_ops, 0);
    /* What was in flight came to its end. */
    assert_int_equal(weir_tally_ops(bench->tally), 4);
    assert_int_equal(bench->device.op_count, 4);
    close_bench(bench);
}

static void a_stonewall_counts_all_that_came_back_by_then(void **state)
{
    struct bench *bench = open_bench(&queued, 8, 4000);

    (void)state;
    bench->phase.stop.deadline_ns = MILLISECOND;
    assert_int_equal(move(bench), 0);
    /* It came in the middle of the last eight. */
    assert_int_equal(bench->tally->stonewall_ops, weir_tally_ops(bench->tally) - 8);
    assert_int_equal(bench->tally->stonewall_ops % 8, 0);
    assert_in_range(bench->tally->stonewall_ops, 640, 8 * 100);
    assert_in_range(bench->tally->stonewall_ns, MILLISECOND / 2, MILLISECOND + 1000);
    close_bench(bench);
}

/* Whenever it comes: in one of these runs just before those that came back would go out again. */
static void nothing_is_launched_once_the_deadline_was_seen(void **state)
{
    unsigned seen_in_time = 0;

    (void)state;
    for (uint64_t after_ns = 9900; after_ns < 10400; after_ns += 10) {
        struct bench *bench = open_bench(&queued, 8, 100);

        bench->phase.transfers.batch = 8;
        bench->identity.mode = WEIR_PAYLOAD_NONE;
        bench->phase.stop.deadline_ns = after_ns;
        assert_int_equal(move(bench), 0);
        assert_true(bench->tally->hit_deadline);
        seen_in_time += bench->tally->stonewall_ops == 8 && weir_tally_ops(bench->tally) == 8;
        close_bench(bench);
    }
    assert_true(seen_in_time > 0);
}

static void a_signal_ends_the_phase_when_the_others_are_back(void **state)
{
    struct bench *bench = open_bench(&queued, 4, 100);

    (void)state;
    bench->device.write_ns = 5 * SECOND;
    world.signal_at_ns = world.now_ns + 6 * SECOND;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 8);
    assert_int_equal(weir_tally_errors(bench->tally), 0);
    assert_true(bench->run.is_cut);
    assert_false(bench->run.queue.is_broken);
    close_bench(bench);
}

static void a_device_that_never_answers_does_not_hold_up_the_end(void **state)
{
    struct bench *bench = open_bench(&queued, 4, 100);
    uint64_t signal_ns = world.now_ns + 6 * SECOND;

    (void)state;
    bench->device.write_ns = NEVER;
    world.signal_at_ns = signal_ns;
    assert_int_equal(move(bench), 0);
    assert_in_range(world.now_ns, signal_ns + 10 * SECOND, signal_ns + 11 * SECOND);
    assert_true(bench->run.queue.is_broken);
    assert_int_equal(bench->tally->first_error, -ETIMEDOUT);
    assert_non_null(strstr(bench->run.failure.text, "4 transfers did not come back within 10 s"));
    close_bench(bench);
}

static void each_slot_pauses_after_its_transfer(void **state)
{
    struct bench *bench = open_bench(&queued, 4, 40);
    uint64_t begin_ns = world.now_ns;

    (void)state;
    bench->phase.think_ns = MILLISECOND;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 40);
    assert_int_equal(bench->device.deepest, 4);
    /* Ten transfers each, nine pauses between them; and no transfer was noticed late for it. */
    assert_in_range(world.now_ns - begin_ns, 9 * MILLISECOND, 10 * MILLISECOND);
    assert_true(bench->tally->latency->max_ns < 20000);
    close_bench(bench);
}

/* ---- open loops ---- */

static void set_rate(struct bench *bench, enum weir_arrivals arrivals, double per_s)
{
    bench->phase.rate = (struct weir_rate){.arrivals = arrivals, .per_s = per_s};
}

static void check_sustained(const struct weir_backend *backend, unsigned depth,
                            enum weir_arrivals arrivals)
{
    struct bench *bench = open_bench(backend, depth, 200);
    uint64_t begin_ns = world.now_ns;

    bench->identity.mode = WEIR_PAYLOAD_FULL; /* each buffer is filled anew */
    /* Buffers are ready when their transfers are due. */
    world.loop = &bench->loop;
    world.op_count = &bench->device.op_count;
    set_rate(bench, arrivals, 1000);
    assert_int_equal(move(bench), 0);
    world.loop = NULL;
    assert_true(world.sleep_count >= 150);
    assert_int_equal(weir_tally_ops(bench->tally), 200);
    assert_int_equal(bench->tally->response->total, 200);
    if (arrivals == WEIR_ARRIVALS_CONSTANT) {
        /* The first is due when it is ready. */
        assert_in_range(bench->device.ops[0].issued_ns, begin_ns, begin_ns + 1000);
        for (unsigned i = 0; i < 200; i++)
            assert_in_range(bench->device.ops[i].issued_ns, begin_ns + i * MILLISECOND,
                            begin_ns + i * MILLISECOND + 1000);
        assert_in_range(bench->tally->pace.offered_ns, 199 * MILLISECOND, 200 * MILLISECOND);
        assert_true(bench->tally->response->max_ns < 12000);
        assert_true(bench->tally->pace.max_lag_ns < 1000);
        assert_int_equal(bench->tally->pace.max_backlog, 0);
    }
    assert_true(bench->tally->response->min_ns >= 10000);
    assert_true(bench->tally->latency->max_ns < 12000);
    assert_true(bench->tally->pace.end_lag_ns <= bench->tally->pace.max_lag_ns);
    assert_device_holds_all(bench);
    close_bench(bench);
}

static void a_rate_that_can_be_kept_is_kept(void **state)
{
    (void)state;
    check_sustained(&queued, 8, WEIR_ARRIVALS_CONSTANT);
    check_sustained(&queued, 1, WEIR_ARRIVALS_CONSTANT);
    check_sustained(&blocking, 1, WEIR_ARRIVALS_CONSTANT);
    check_sustained(&queued, 8, WEIR_ARRIVALS_POISSON);
    check_sustained(&blocking, 1, WEIR_ARRIVALS_POISSON);
}

static void a_load_begins_when_its_first_buffer_is_ready(void **state)
{
    struct bench *bench = open_bench(&queued, 4, 20);

    (void)state;
    bench->identity.mode = WEIR_PAYLOAD_FULL;
    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 1000);
    world.looks_until_jump = 3;
    assert_int_equal(move(bench), 0);
    /* That was when the first buffer was filled. */
    assert_true(bench->tally->data_ns > MILLISECOND);
    assert_true(bench->tally->pace.max_lag_ns < 1000);
    close_bench(bench);
}

/* Transfers are due by the clock, which does not stop while a buffer is filled or checked: to cut
 * that out would make more transfers a second than were due. */
static void check_open_data(const struct weir_backend *backend, unsigned depth)
{
    struct bench *bench = open_bench(backend, depth, 400);

    bench->identity.mode = WEIR_PAYLOAD_FULL;
    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 1000);
    assert_int_equal(move(bench), 0);
    assert_in_range(bench->tally->data_ns, 1, 100);
    assert_in_range(bench->tally->overlapped_data_ns, 399 * 20, 399 * 60);
    close_bench(bench);
}

static void the_clock_of_an_open_loop_goes_on_while_data_are_made(void **state)
{
    (void)state;
    check_open_data(&queued, 4);
    check_open_data(&blocking, 1);
}

/* The device does 4 in 4 ms, and 1.5 per ms are due: in the end two thirds were done when they
 * were due. */
static void check_overload(const struct weir_backend *backend, unsigned depth, uint64_t service,
                           enum weir_arrivals arrivals)
{
    struct bench *bench = open_bench(backend, depth, 600);
    const struct weir_tally *tally = bench->tally;

    bench->device.write_ns = service;
    set_rate(bench, arrivals, 1500);
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(tally), 600);
    /* Service takes what it takes; the response grows with the line. */
    assert_true(tally->latency->max_ns < service + 10000);
    assert_true(tally->response->max_ns > 20 * tally->latency->max_ns);
    assert_in_range(tally->pace.offered_ns, 300 * MILLISECOND, 500 * MILLISECOND);
    assert_in_range(tally->pace.end_lag_ns, 100 * MILLISECOND, 300 * MILLISECOND);
    assert_true(tally->pace.max_lag_ns >= tally->pace.end_lag_ns);
    assert_in_range(tally->pace.max_backlog, 100, 300);
    assert_true(tally->response->max_ns <= tally->pace.max_lag_ns + tally->latency->max_ns);
    close_bench(bench);
}

static void a_rate_that_cannot_be_kept_shows(void **state)
{
    (void)state;
    check_overload(&queued, 4, 4 * MILLISECOND, WEIR_ARRIVALS_CONSTANT);
    check_overload(&queued, 4, 4 * MILLISECOND, WEIR_ARRIVALS_POISSON);
    check_overload(&blocking, 1, MILLISECOND, WEIR_ARRIVALS_CONSTANT);
    check_overload(&blocking, 1, MILLISECOND, WEIR_ARRIVALS_POISSON);
}

static void the_backlog_stands_in_the_series_when_it_was_there(void **state)
{
    struct bench *bench = open_bench(&queued, 2, 100);
    const struct weir_series *series = &bench->tally->series;
    uint64_t most = 0;
    unsigned looks = 0;

    (void)state;
    /* Nothing comes back for a second, a transfer per 20 ms is due. */
    bench->device.write_ns = SECOND;
    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 50);
    bench->phase.stop.deadline_ns = SECOND + MILLISECOND;
    assert_int_equal(move(bench), 0);
    for (uint32_t i = 0; i < series->used; i++) {
        if (series->backlog[i] == 0)
            continue;
        /* It only grows, and it is looked at while waiting, too. */
        assert_true(series->backlog[i] >= most);
        most = series->backlog[i];
        looks++;
    }
    assert_true(looks >= 9);
    assert_in_range(most, 47, 50);
    assert_int_equal(bench->tally->pace.max_backlog, most);
    close_bench(bench);
}

static void check_open_deadline(const struct weir_backend *backend, unsigned depth)
{
    struct bench *bench = open_bench(backend, depth, 100);
    uint64_t begin_ns = world.now_ns;

    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 0.5);
    bench->phase.stop.deadline_ns = 5 * SECOND;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 3);
    assert_int_equal(bench->loop.furthest, 3);
    assert_true(bench->tally->hit_deadline);
    assert_in_range(world.now_ns, begin_ns + 5 * SECOND, begin_ns + 5 * SECOND + MILLISECOND);
    assert_int_equal(bench->run.queue.free_count, depth);
    close_bench(bench);
}

static void a_deadline_comes_between_two_due_times(void **state)
{
    (void)state;
    check_open_deadline(&queued, 4);
    check_open_deadline(&blocking, 1);
}

static void check_open_signal(const struct weir_backend *backend, unsigned depth)
{
    struct bench *bench = open_bench(backend, depth, 100);

    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 0.01);
    world.signal_at_ns = world.now_ns + 5 * SECOND;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 1);
    assert_true(bench->run.is_cut);
    assert_true(world.now_ns < world.signal_at_ns + SECOND / 5);
    close_bench(bench);
}

static void a_signal_ends_the_wait_for_a_due_time(void **state)
{
    (void)state;
    check_open_signal(&queued, 4);
    check_open_signal(&blocking, 1);
}

/* What all ranks have agreed to make is made, but no longer when it is due. */
static void a_signal_ends_the_wait_of_ranks_that_go_on_together(void **state)
{
    struct bench *bench = open_bench(&blocking, 1, 100);

    (void)state;
    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 0.01);
    bench->phase.transfers.is_collective = true;
    world.signal_at_ns = world.now_ns + 5 * SECOND;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 2);
    assert_true(bench->run.is_cut);
    assert_true(world.now_ns < world.signal_at_ns + SECOND / 5);
    close_bench(bench);
}

/* ---- collective transfers ---- */

/* A group of two ranks, of which the other one has always seen as much time pass as `other_ns`. */
struct pair {
    struct weir_group base;
    uint64_t other_ns;
    unsigned agreement_count;
    uint64_t latest_ns;
    uint64_t longest_ns; /* between two agreements */
};

static int pair_reduce(struct weir_group *group, uint64_t *values, size_t count,
                       enum weir_reduction reduction)
{
    struct pair *pair = (struct pair *)group;

    assert_int_equal(count, 2);
    assert_int_equal(reduction, WEIR_MAX);
    if (pair->agreement_count++ > 0 && world.now_ns - pair->latest_ns > pair->longest_ns)
        pair->longest_ns = world.now_ns - pair->latest_ns;
    pair->latest_ns = world.now_ns;
    if (values[1] < pair->other_ns)
        values[1] = pair->other_ns;
    return 0;
}

static struct pair agree_on(unsigned op_count, uint64_t write_ns, uint64_t other_ns,
                            uint64_t deadline_ns)
{
    static const struct weir_group_ops ops = {.reduce = pair_reduce};
    struct pair pair = {.base = {.ops = &ops, .size = 2}, .other_ns = other_ns};
    struct bench *bench = open_bench(&blocking, 1, op_count);
    struct weir_group *alone = bench->run.group;

    bench->run.group = &pair.base;
    bench->device.write_ns = write_ns;
    bench->phase.transfers.is_collective = true;
    bench->phase.stop.deadline_ns = deadline_ns;
    assert_int_equal(move(bench), 0);
    assert_int_equal(weir_tally_ops(bench->tally), op_count);
    bench->run.group = alone;
    close_bench(bench);
    return pair;
}

static void quick_transfers_agree_seldom_and_slow_ones_often(void **state)
{
    (void)state;
    /* 4000 transfers of 10 us take 40 ms: 1, 2, 4 ... of them, and then 512 or 1024 at once */
    struct pair quick = agree_on(4000, 10000, 0, 0);
    assert_in_range(quick.agreement_count, 10, 20);
    assert_in_range(quick.longest_ns, 5 * MILLISECOND, 20 * MILLISECOND);
    /* of 3 ms: two or four at once */
    struct pair slow = agree_on(400, 3 * MILLISECOND, 0, 0);
    assert_in_range(slow.agreement_count, 100, 202);
    assert_in_range(slow.longest_ns, 5 * MILLISECOND, 20 * MILLISECOND);
    /* of 30 ms: each but the second, as none has taken time before the first */
    assert_int_equal(agree_on(20, 30 * MILLISECOND, 0, 0).agreement_count, 19);
    /* the slowest rank decides */
    assert_int_equal(agree_on(400, 10000, 30 * MILLISECOND, 0).agreement_count, 400);
    /* with a deadline all end together */
    assert_int_equal(agree_on(400, 10000, 0, 100 * SECOND).agreement_count, 400);
}

static void open_loops_go_with_mixes_syncs_and_short_transfers(void **state)
{
    const struct mishap mishaps[] = {{50, -EAGAIN}, {20, 4096}};
    struct bench *bench = open_bench(&queued, 8, 100);

    (void)state;
    assert_int_equal(move(bench), 0);
    /* The last one that was due is not the last to come back. */
    bench->device.read_ns = 4 * MILLISECOND;
    bench->phase.verb = WEIR_MIXED;
    bench->phase.transfers.read_percent = 50;
    bench->phase.transfers.must_verify = true;
    bench->phase.transfers.must_sync_each = true;
    bench->phase.stop.minimum_ns = 150 * MILLISECOND;
    bench->device.mishaps = mishaps;
    bench->device.mishap_count = 2;
    set_rate(bench, WEIR_ARRIVALS_CONSTANT, 1000);
    assert_int_equal(move_on(bench), 0);
    assert_int_equal(weir_tally_errors(bench->tally), 0);
    assert_int_equal(weir_tally_ops(bench->tally), 200);
    assert_int_equal(bench->tally->response->total, 200);
    assert_int_equal(bench->tally->verbs[WEIR_OP_READ].latency->total, 100);
    assert_true(bench->tally->verbs[WEIR_OP_WRITE].latency->min_ns >= 60000);
    assert_true(bench->device.flight_ns > 200 * MILLISECOND);
    assert_in_range(bench->tally->pace.offered_ns, 199 * MILLISECOND, 199 * MILLISECOND + 1000);
    assert_int_equal(bench->tally->mismatches.wrong_transfers, 0);
    bench->phase.rate = (struct weir_rate){0};
    bench->phase.stop = (struct weir_stop){0};
    assert_device_holds_all(bench);
    close_bench(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_is_reached_and_never_exceeded_and_each_offset_moved_once),
        cmocka_unit_test(a_batch_is_handed_over_at_once),
        cmocka_unit_test(the_first_pass_starts_where_it_is_told_to),
        cmocka_unit_test(a_quarter_is_taken_back_at_once),
        cmocka_unit_test(going_round_does_not_empty_the_queue),
        cmocka_unit_test(the_log_has_every_transfer_in_the_order_of_ends),
        cmocka_unit_test(a_mix_has_its_shares_and_leaves_the_file_as_it_is_to_be),
        cmocka_unit_test(each_sync_follows_its_write_in_the_same_slot),
        cmocka_unit_test(a_sync_that_fails_is_told),
        cmocka_unit_test(short_transfers_are_continued_at_depth),
        cmocka_unit_test(what_would_block_is_sent_again_and_may_wait),
        cmocka_unit_test(what_had_no_room_is_sent_again_and_not_told_as_blocking),
        cmocka_unit_test(bytes_of_a_transfer_that_failed_half_way_count),
        cmocka_unit_test(what_blocks_even_if_it_may_wait_has_failed),
        cmocka_unit_test(a_failure_ends_the_phase_when_the_others_are_back),
        cmocka_unit_test(a_session_that_breaks_is_told_and_never_used_again),
        cmocka_unit_test(a_wrong_bit_is_found_at_depth),
        cmocka_unit_test(checks_are_counted_once_and_where_they_belong),
        cmocka_unit_test(a_deadline_is_seen_while_nothing_comes_back),
        cmocka_unit_test(a_stonewall_counts_all_that_came_back_by_then),
        cmocka_unit_test(nothing_is_launched_once_the_deadline_was_seen),
        cmocka_unit_test(a_signal_ends_the_phase_when_the_others_are_back),
        cmocka_unit_test(a_device_that_never_answers_does_not_hold_up_the_end),
        cmocka_unit_test(each_slot_pauses_after_its_transfer),
        cmocka_unit_test(a_rate_that_can_be_kept_is_kept),
        cmocka_unit_test(a_load_begins_when_its_first_buffer_is_ready),
        cmocka_unit_test(the_clock_of_an_open_loop_goes_on_while_data_are_made),
        cmocka_unit_test(a_rate_that_cannot_be_kept_shows),
        cmocka_unit_test(the_backlog_stands_in_the_series_when_it_was_there),
        cmocka_unit_test(a_deadline_comes_between_two_due_times),
        cmocka_unit_test(a_signal_ends_the_wait_for_a_due_time),
        cmocka_unit_test(a_signal_ends_the_wait_of_ranks_that_go_on_together),
        cmocka_unit_test(quick_transfers_agree_seldom_and_slow_ones_often),
        cmocka_unit_test(open_loops_go_with_mixes_syncs_and_short_transfers),
    };

    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
