/* SPDX-License-Identifier: Apache-2.0 */
/* Moves no data: what is measured is the cost of the program itself, and any delay that was
 * asked for. */
#include "weir/io/backend.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct weir_backend weir_backend_null;

#define LONGEST_SLEEP_NS UINT64_C(100000000)

enum { FILES_MAX = 16384 };

/* All verbs of names: those of transfers and syncs stand before them. */
#define QUEUED ((1U << WEIR_OP_BACKEND_VERBS) - (1U << WEIR_OP_OPEN))

struct null_options {
    uint64_t create_ns;
    uint64_t close_ns;
    uint64_t sync_ns;
    uint64_t transfer_ns;
    uint64_t stat_ns;
    uint64_t remove_ns;
    int64_t only_rank_0;
};

struct null_file {
    struct weir_file base;
    uint64_t bytes;         /* end of the furthest write */
    struct null_file *next; /* of those that are idle */
};

/* Operations in flight wait in a ring, and are returned in order of their due times. */
struct null_session {
    struct weir_session base;
    struct null_options delays;
    bool is_timed;       /* something takes a time that was asked for */
    unsigned ring_mask;  /* its length, a power of two and at least the depth, less 1 */
    unsigned ring_begin; /* of the oldest; both run on and on */
    unsigned ring_end;
    struct weir_op **ring;
    uint64_t *due_ns;                         /* beside the ring; not used unless timed */
    const volatile sig_atomic_t *stop_signal; /* of the run; or NULL */
    struct null_file *files;                  /* FILES_MAX, made once */
    unsigned used_count;    /* of these, from the front, were lent at least once */
    struct null_file *idle; /* what came back of them */
};

#define AT(member) WEIR_OPTION_AT(struct null_options, member)

static const struct weir_option null_rows[] = {
    {0, "dummy.delay-create", WEIR_OPTION_MICROSECONDS, AT(create_ns),
     .help = "delay per create in microseconds, of a directory too", .since = "4.0"},
    {0, "dummy.delay-close", WEIR_OPTION_MICROSECONDS, AT(close_ns),
     .help = "delay per close in microseconds", .since = "4.0"},
    {0, "dummy.delay-sync", WEIR_OPTION_MICROSECONDS, AT(sync_ns),
     .help = "delay per sync in microseconds", .since = "4.0"},
    {0, "dummy.delay-xfer", WEIR_OPTION_MICROSECONDS, AT(transfer_ns),
     .help = "delay per transfer in microseconds", .since = "4.0"},
    {0, "dummy.delay-stat", WEIR_OPTION_MICROSECONDS, AT(stat_ns),
     .help = "delay per stat of an item of a tree in microseconds"},
    {0, "dummy.delay-remove", WEIR_OPTION_MICROSECONDS, AT(remove_ns),
     .help = "delay per removal of an item of a tree in microseconds"},
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
    free(null->files);
    free(null);
}

static int make_room(struct null_session *null, unsigned depth)
{
    size_t length = 1;

    while (length < depth)
        length *= 2;
    null->ring_mask = (unsigned)length - 1;
    null->ring = calloc(length, sizeof(struct weir_op *));
    null->due_ns = calloc(length, sizeof *null->due_ns);
    null->files = calloc(FILES_MAX, sizeof *null->files);
    return null->ring && null->due_ns && null->files ? 0 : -ENOMEM;
}

static bool has_delays(const struct null_options *delays)
{
    return (delays->create_ns | delays->close_ns | delays->sync_ns | delays->transfer_ns |
            delays->stat_ns | delays->remove_ns) != 0;
}

static int null_session_open(const struct weir_session_params *params,
                             struct weir_session **session, struct weir_error *error)
{
    const struct null_options *options = params->options;
    struct null_session *opened = calloc(1, sizeof *opened);

    if (!opened || make_room(opened, params->depth) < 0) {
        if (opened)
            null_session_close(&opened->base);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "null", "out of memory");
    }
    opened->base = (struct weir_session){
        .backend = &weir_backend_null, .depth = params->depth, .queued_names = QUEUED};
    if (!options->only_rank_0 || params->group->rank == 0)
        opened->delays = *options;
    opened->stop_signal = params->stop_signal;
    opened->is_timed = has_delays(&opened->delays);
    *session = &opened->base;
    return 0;
}

/* ---- files ---- */

static int take_file(struct weir_session *session, struct weir_file **file)
{
    struct null_session *null = (struct null_session *)session;
    struct null_file *taken = null->idle;

    if (taken)
        null->idle = taken->next;
    else if (null->used_count < FILES_MAX)
        taken = &null->files[null->used_count++];
    else
        return -EMFILE;
    *taken = (struct null_file){.base = {.alignment = {.memory = 1, .offset = 1}}};
    *file = &taken->base;
    return 0;
}

static void give_file(struct weir_session *session, struct weir_file *file)
{
    struct null_session *null = (struct null_session *)session;
    struct null_file *given = (struct null_file *)file;

    given->next = null->idle;
    null->idle = given;
}

static int null_open(struct weir_session *session, const struct weir_file_params *params,
                     struct weir_file **file)
{
    if (params->must_create)
        delay(session, delays_of(session)->create_ns);
    return take_file(session, file);
}

static int null_close(struct weir_session *session, struct weir_file *file)
{
    delay(session, delays_of(session)->close_ns);
    give_file(session, file);
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

/* ---- names: every one is there, and none is ---- */

/* What is looked at before anything is made are directories. */
static void find_nothing(struct weir_name_facts *facts)
{
    *facts = (struct weir_name_facts){.kind = WEIR_NAME_DIRECTORY, .link_count = 1};
}

static int null_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    (void)path;
    delay(session, delays_of(session)->stat_ns);
    find_nothing(facts);
    return 0;
}

static int null_make(struct weir_session *session, const char *path)
{
    (void)path;
    delay(session, delays_of(session)->create_ns);
    return 0;
}

static int null_remove(struct weir_session *session, const char *path)
{
    (void)path;
    delay(session, delays_of(session)->remove_ns);
    return 0;
}

static int null_tie(struct weir_session *session, const char *path, const char *new_path)
{
    (void)session, (void)path, (void)new_path;
    return 0;
}

static int null_chmod(struct weir_session *session, const char *path, unsigned mode)
{
    (void)session, (void)path, (void)mode;
    return 0;
}

static int null_setxattr(struct weir_session *session, const char *path,
                         const unsigned char value[WEIR_XATTR_BYTES])
{
    (void)session, (void)path, (void)value;
    return 0;
}

static int null_getxattr(struct weir_session *session, const char *path,
                         unsigned char value[WEIR_XATTR_BYTES])
{
    (void)session, (void)path;
    memset(value, 0, WEIR_XATTR_BYTES);
    return 0;
}

static int null_list(struct weir_session *session, const char *path, weir_name_visit *visit,
                     void *context, struct weir_name_facts *facts, uint64_t *found)
{
    (void)session, (void)path, (void)visit, (void)context, (void)facts;
    *found = 0;
    return 0;
}

static int null_sync_all(struct weir_session *session, const char *path)
{
    (void)path;
    delay(session, delays_of(session)->sync_ns);
    return 0;
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

static uint64_t delay_of(const struct null_options *delays, const struct weir_op *op)
{
    switch (op->verb) {
    case WEIR_OP_WRITE:
    case WEIR_OP_READ:
        return delays->transfer_ns;
    case WEIR_OP_SYNC:
        return delays->sync_ns;
    case WEIR_OP_OPEN:
        return op->request->params->must_create ? delays->create_ns : 0;
    case WEIR_OP_MKDIR:
    case WEIR_OP_MKNOD:
        return delays->create_ns;
    case WEIR_OP_CLOSE:
        return delays->close_ns;
    case WEIR_OP_STAT:
        return delays->stat_ns;
    case WEIR_OP_UNLINK:
    case WEIR_OP_RMDIR:
        return delays->remove_ns;
    default:
        return 0;
    }
}

static __attribute__((noinline)) void put_off(struct null_session *null,
                                              struct weir_op *const ops[], unsigned count)
{
    uint64_t submitted_ns = now_ns();

    for (unsigned i = 0; i < count; i++) {
        null->ring_end++;
        sort_in(null, ops[i], submitted_ns + delay_of(&null->delays, ops[i]));
    }
}

/* Syncs and operations on names. */
static __attribute__((noinline)) int do_other(struct weir_session *session, struct weir_op *op)
{
    switch (op->verb) {
    case WEIR_OP_OPEN:
        return take_file(session, &op->file);
    case WEIR_OP_CLOSE:
        give_file(session, op->file);
        return 0;
    case WEIR_OP_STAT:
        find_nothing(op->request->facts);
        return 0;
    case WEIR_OP_LIST:
        *op->request->found = 0;
        return 0;
    default:
        return 0;
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

        if (op->verb <= WEIR_OP_READ) {
            extend(op);
            op->result = (int64_t)op->size;
        } else {
            op->result = do_other(session, op);
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

static const struct weir_name_ops null_name_ops = {
    .stat = null_stat,
    .unlink = null_remove,
    .mkdir = null_make,
    .rmdir = null_remove,
    .rename = null_tie,
    .mknod = null_make,
    .link = null_tie,
    .symlink = null_tie,
    .chmod = null_chmod,
    .setxattr = null_setxattr,
    .getxattr = null_getxattr,
    .list = null_list,
    .sync_all = null_sync_all,
    .implies_directories = true,
};

const struct weir_backend weir_backend_null = {
    .descriptor = {.name = "null",
                   .label = "DUMMY",
                   .alias = "dummy",
                   .version = "0.5",
                   .summary = "moves nothing: the cost of the program itself",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_COLLECT | WEIR_CAN_QUEUE,
                   .name_verbs = WEIR_NAMES_RENAME | WEIR_NAMES_MKNOD | WEIR_NAMES_LINK |
                                 WEIR_NAMES_SYMLINK | WEIR_NAMES_CHMOD | WEIR_NAMES_XATTR |
                                 WEIR_NAMES_LIST | WEIR_NAMES_SYNC_ALL | WEIR_NAMES_ARE_VOID,
                   .open_flags = ~0U - (WEIR_OPEN_TRUNCATE - 1),
                   .options = {"DUMMY", null_rows, sizeof(struct null_options)}},
    .open = null_session_open,
    .close = null_session_close,
    .transfer = &null_transfer_ops,
    .file = &null_file_ops,
    .void_names = &null_name_ops,
};
