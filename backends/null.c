/* SPDX-License-Identifier: Apache-2.0 */
/* Moves no data: what is measured is the cost of the program itself, and any delay that was
 * asked for. */
#include "weir/io/backend.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

extern const struct weir_backend weir_backend_null;

#define LONGEST_SLEEP_NS UINT64_C(100000000)

struct null_options {
    uint64_t create_ns;
    uint64_t close_ns;
    uint64_t sync_ns;
    uint64_t transfer_ns;
    int64_t only_rank_0;
};

/* Operations in flight wait in a ring, and are returned in order of their due times. */
struct null_session {
    struct weir_session base;
    struct null_options delays;
    bool is_timed;       /* transfers or syncs take a time that was asked for */
    unsigned ring_mask;  /* its length, a power of two and at least the depth, less 1 */
    unsigned ring_begin; /* of the oldest; both run on and on */
    unsigned ring_end;
    struct weir_op **ring;
    uint64_t *due_ns;                         /* beside the ring; not used unless timed */
    const volatile sig_atomic_t *stop_signal; /* of the run; or NULL */
};

struct null_file {
    struct weir_file base;
    uint64_t bytes; /* end of the furthest write */
};

#define AT(member) WEIR_OPTION_AT(struct null_options, member)

static const struct weir_option null_rows[] = {
    {0, "dummy.delay-create", WEIR_OPTION_MICROSECONDS, AT(create_ns),
     .help = "delay per create in microseconds", .since = "4.0"},
    {0, "dummy.delay-close", WEIR_OPTION_MICROSECONDS, AT(close_ns),
     .help = "delay per close in microseconds", .since = "4.0"},
    {0, "dummy.delay-sync", WEIR_OPTION_MICROSECONDS, AT(sync_ns),
     .help = "delay per sync in microseconds", .since = "4.0"},
    {0, "dummy.delay-xfer", WEIR_OPTION_MICROSECONDS, AT(transfer_ns),
     .help = "delay per transfer in microseconds", .since = "4.0"},
    {0, "dummy.delay-only-rank0", WEIR_OPTION_FLAG, AT(only_rank_0), .help = "delay only on rank 0",
     .since = "4.0"},
    {0},
};

static const struct null_options *delays_of(const struct weir_session *session)
{
    return &((const struct null_session *)session)->delays;
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

static bool must_stop(const struct null_session *null)
{
    return null->stop_signal != NULL && *null->stop_signal != 0;
}

/* Sleeps until the run is to end, in slices: the signal may come just before a sleep, or be
 * delivered to another thread. */
static void delay(const struct weir_session *session, uint64_t ns)
{
    const struct null_session *null = (const struct null_session *)session;

    while (ns != 0 && !must_stop(null)) {
        uint64_t slice_ns = ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS;
        struct timespec rest = timespec_of(slice_ns);

        while (!must_stop(null) && nanosleep(&rest, &rest) != 0 && errno == EINTR)
            ;
        ns -= slice_ns;
    }
}

static void null_session_close(struct weir_session *session)
{
    struct null_session *null = (struct null_session *)session;

    free(null->ring);
    free(null->due_ns);
    free(null);
}

static int make_ring(struct null_session *null, unsigned depth)
{
    size_t length = 1;

    while (length < depth)
        length *= 2;
    null->ring_mask = (unsigned)length - 1;
    null->ring = calloc(length, sizeof(struct weir_op *));
    null->due_ns = calloc(length, sizeof *null->due_ns);
    return null->ring && null->due_ns ? 0 : -ENOMEM;
}

static int null_session_open(const struct weir_session_params *params,
                             struct weir_session **session, struct weir_error *error)
{
    const struct null_options *options = params->options;
    struct null_session *opened = calloc(1, sizeof *opened);

    if (!opened || make_ring(opened, params->depth) < 0) {
        if (opened)
            null_session_close(&opened->base);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "null", "out of memory");
    }
    opened->base = (struct weir_session){.backend = &weir_backend_null, .depth = params->depth};
    if (!options->only_rank_0 || params->group->rank == 0)
        opened->delays = *options;
    opened->stop_signal = params->stop_signal;
    opened->is_timed = opened->delays.transfer_ns != 0 || opened->delays.sync_ns != 0;
    *session = &opened->base;
    return 0;
}

static int null_open(struct weir_session *session, const struct weir_file_params *params,
                     struct weir_file **file)
{
    struct null_file *opened = calloc(1, sizeof *opened);

    if (!opened)
        return -ENOMEM;
    opened->base.alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    if (params->must_create)
        delay(session, delays_of(session)->create_ns);
    *file = &opened->base;
    return 0;
}

static int null_close(struct weir_session *session, struct weir_file *file)
{
    delay(session, delays_of(session)->close_ns);
    free(file);
    return 0;
}

static int null_sync(struct weir_session *session, struct weir_file *file)
{
    (void)file;
    delay(session, delays_of(session)->sync_ns);
    return 0;
}

static int64_t null_size(struct weir_session *session, struct weir_file *file)
{
    (void)session;
    return (int64_t)((struct null_file *)file)->bytes;
}

static __attribute__((noinline)) int64_t delayed_transfer(const struct weir_session *session,
                                                          const struct weir_op *op)
{
    delay(session, delays_of(session)->transfer_ns);
    return (int64_t)op->size;
}

/* The file is as long as its furthest write. */
static inline void extend(const struct weir_op *op)
{
    struct null_file *file = (struct null_file *)op->file;
    uint64_t end = op->offset + op->size;

    if (op->verb == WEIR_OP_WRITE && end > file->bytes)
        file->bytes = end;
}

static int64_t null_transfer(struct weir_session *session, struct weir_op *op)
{
    extend(op);
    /* Other backends are compared with this one, so without delays it does next to nothing. */
    if (__builtin_expect(delays_of(session)->transfer_ns != 0, 0))
        return delayed_transfer(session, op);
    return (int64_t)op->size;
}

/* ---- many at once ---- */

/* The one clock in a backend, and only where a delay was asked for: the delays of what is in flight
 * run side by side, each from when it was submitted, and no sleep can be that long without knowing
 * how much of it is over. The readings are part of the delay. */
static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Puts the newest of the ring in front of those that are due later: syncs and transfers may take
 * different times. */
static void sort_in(struct null_session *null, struct weir_op *op, uint64_t due_ns)
{
    unsigned place = null->ring_end - 1;

    while (place != null->ring_begin && null->due_ns[(place - 1) & null->ring_mask] > due_ns) {
        null->ring[place & null->ring_mask] = null->ring[(place - 1) & null->ring_mask];
        null->due_ns[place & null->ring_mask] = null->due_ns[(place - 1) & null->ring_mask];
        place--;
    }
    null->ring[place & null->ring_mask] = op;
    null->due_ns[place & null->ring_mask] = due_ns;
}

static __attribute__((noinline)) void put_off(struct null_session *null,
                                              struct weir_op *const ops[], unsigned count)
{
    uint64_t submitted_ns = now_ns();

    for (unsigned i = 0; i < count; i++) {
        null->ring_end++;
        sort_in(null, ops[i],
                submitted_ns + (ops[i]->verb == WEIR_OP_SYNC ? null->delays.sync_ns
                                                             : null->delays.transfer_ns));
    }
}

/* Operations without a delay complete at once. The ring has as many places as the session is
 * deep, so it is never full. */
static int null_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct null_session *null = (struct null_session *)session;
    struct weir_op **ring = null->ring;
    unsigned mask = null->ring_mask;
    unsigned end = null->ring_end;

    assert(end - null->ring_begin + count <= mask + 1);
    for (unsigned i = 0; i < count; i++) {
        struct weir_op *op = ops[i];

        if (op->verb == WEIR_OP_SYNC) {
            op->result = 0;
        } else {
            extend(op);
            op->result = (int64_t)op->size;
        }
        ring[end++ & mask] = op;
    }
    if (__builtin_expect(null->is_timed, 0))
        put_off(null, ops, count);
    else
        null->ring_end = end;
    return (int)count;
}

/* Sleeps until `min` are due, the timeout is over or a signal comes; returns how many are due. */
static __attribute__((noinline)) unsigned await_due(const struct null_session *null, unsigned min,
                                                    unsigned max, uint64_t timeout_ns)
{
    uint64_t seen_ns = now_ns();
    uint64_t until_ns = timeout_ns < WEIR_FOREVER - seen_ns ? seen_ns + timeout_ns : WEIR_FOREVER;
    unsigned count = 0;

    while (count < max) {
        uint64_t due_ns = null->due_ns[(null->ring_begin + count) & null->ring_mask];
        uint64_t wake_ns = due_ns < until_ns ? due_ns : until_ns;
        struct timespec wake = timespec_of(wake_ns);

        if (due_ns <= seen_ns) {
            count++;
            continue;
        }
        if (count >= min || seen_ns >= until_ns ||
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, NULL) != 0)
            break;
        seen_ns = now_ns();
    }
    return count;
}

static int null_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                     unsigned max, uint64_t timeout_ns)
{
    struct null_session *null = (struct null_session *)session;
    unsigned begin = null->ring_begin;
    unsigned count = null->ring_end - begin;

    if (count > max)
        count = max;
    if (__builtin_expect(null->is_timed, 0))
        count = await_due(null, min, count, timeout_ns);
    for (unsigned i = 0; i < count; i++)
        done[i] = null->ring[(begin + i) & null->ring_mask];
    null->ring_begin = begin + count;
    return (int)count;
}

static const struct weir_transfer_ops null_transfer_ops = {
    .transfer = null_transfer,
    .submit = null_submit,
    .reap = null_reap,
};

static const struct weir_file_ops null_file_ops = {
    .open = null_open,
    .close = null_close,
    .sync = null_sync,
    .size = null_size,
};

const struct weir_backend weir_backend_null = {
    .descriptor = {.name = "null",
                   .label = "DUMMY",
                   .alias = "dummy",
                   .version = "0.5",
                   .summary = "moves nothing: the cost of the program itself",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_QUEUE,
                   .options = {"DUMMY", null_rows, sizeof(struct null_options)}},
    .open = null_session_open,
    .close = null_session_close,
    .transfer = &null_transfer_ops,
    .file = &null_file_ops,
};
