/* SPDX-License-Identifier: Apache-2.0 */
/* Linux's own asynchronous transfers: one io_submit(2) hands a batch over, and completions are read
 * from a ring that the kernel maps. */
#include "posix_files.h"

#include "weir/base/remedy.h"

#include <assert.h>
#include <errno.h>
#include <libaio.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

extern const struct weir_backend weir_backend_libaio;

struct libaio_options {
    int64_t is_direct;
    int64_t must_lock;
    int64_t entries;
    int64_t may_read_ring;
    int64_t must_not_wait;
    struct weir_striping_options striping;
};

/* What an io_context_t points at: where the kernel puts completions, and their reader moves
 * `head`. The layout is that of fs/aio.c, for as long as the three numbers below are the same. */
struct completion_ring {
    unsigned id;
    unsigned count; /* of events */
    unsigned head;
    unsigned tail;
    unsigned magic;
    unsigned compatible_features;
    unsigned incompatible_features;
    unsigned header_bytes;
    struct io_event events[];
};

enum { STANDARD_DEPTH = 128 };

#define RING_MAGIC 0xa10a10a1U
#define RING_INCOMPATIBLE_FEATURES 0U

struct libaio_session {
    struct weir_posix_session posix;
    io_context_t context;
    struct completion_ring *ring; /* NULL: completions come by system call */
    unsigned entries;             /* that may be with the kernel at once */
    unsigned flying_count;        /* that are */
    unsigned settled_count;       /* that never got there, and were not reaped yet */
    int rw_flags;
    bool must_read_ring;  /* it was asked for */
    bool syncs_in_submit; /* as it turned out */
    struct iocb *iocbs;   /* of each slot */
    struct iocb **batch;
    struct io_event *events;
    struct weir_op **settled;
};

#define AT(member) WEIR_OPTION_AT(struct libaio_options, member)

static const struct weir_option libaio_rows[] = {
    {0, "posix.odirect", WEIR_OPTION_FLAG, AT(is_direct),
     .help = "open files with O_DIRECT, past the page cache; without, io_submit does the work of "
             "each transfer itself",
     .since = "4.0"},
    {0, "posix.rangelocks", WEIR_OPTION_FLAG, AT(must_lock),
     .help = "refused: a lock is the process's, and its transfers under way would share it",
     .since = "4.0",
     .better = "refused: a lock is the process's, and its transfers under way would share it"},
    {0, "libaio.entries", WEIR_OPTION_COUNT, AT(entries),
     .help = "transfers that the kernel's context has room for; 0, or more than the depth: as many "
             "as the depth"},
    {0, "libaio.user-reap", WEIR_OPTION_FLAG, AT(may_read_ring), "1",
     .help = "read completions from the mapped ring, without a system call where enough are there, "
             "as is done unless =0 asks for io_getevents"},
    {0, "libaio.nowait", WEIR_OPTION_FLAG, AT(must_not_wait),
     .help = "forbid that io_submit blocks (RWF_NOWAIT): a transfer that would have is counted and "
             "sent again without; where the file system does not know it, each transfer fails"},
    WEIR_STRIPING_ROWS(struct libaio_options, striping),
    {0},
};

static struct libaio_session *libaio_session_of(struct weir_session *session)
{
    return (struct libaio_session *)session;
}

/* ---- session ---- */

static int explain_refusal(int rc, unsigned entries, struct weir_error *error)
{
    if (rc == -EAGAIN)
        return weir_error_set(
            error, WEIR_EXIT_ENVIRONMENT, rc, "libaio",
            "no context for %u transfers: all processes of this node may have %ld together "
            "(fs.aio-max-nr), and %ld are taken (fs.aio-nr); raise the limit (sysctl -w "
            "fs.aio-max-nr=1048576), or take fewer with --depth or --libaio.entries",
            entries, weir_posix_kernel_number("/proc/sys/fs/aio-max-nr"),
            weir_posix_kernel_number("/proc/sys/fs/aio-nr"));
    if (rc == -ENOSYS)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "libaio",
                              "this kernel has no asynchronous transfers (io_setup): take another "
                              "backend with " WEIR_REMEDY_BACKEND ", uring or posix");
    if (rc == -EPERM || rc == -EACCES)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "libaio",
                              "io_setup is forbidden to this process, as some containers do: have "
                              "their seccomp profile allow it, or take another backend "
                              "with " WEIR_REMEDY_BACKEND ", uring or posix");
    return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "libaio",
                          "no context for %u transfers (io_setup): %s", entries, strerror(-rc));
}

static bool is_readable(const struct completion_ring *ring)
{
    return ring->magic == RING_MAGIC && ring->incompatible_features == RING_INCOMPATIBLE_FEATURES &&
           ring->header_bytes == sizeof *ring;
}

static int make_slots(struct libaio_session *libaio, unsigned depth)
{
    libaio->iocbs = calloc(depth, sizeof *libaio->iocbs);
    libaio->batch = calloc(depth, sizeof(struct iocb *));
    libaio->events = calloc(depth, sizeof *libaio->events);
    libaio->settled = calloc(depth, sizeof(struct weir_op *));
    return libaio->iocbs && libaio->batch && libaio->events && libaio->settled ? 0 : -ENOMEM;
}

static void free_session(struct libaio_session *libaio)
{
    free(libaio->iocbs);
    free(libaio->batch);
    free(libaio->events);
    free(libaio->settled);
    free(libaio);
}

static int check_options(const void *values, struct weir_error *error)
{
    const struct libaio_options *options = values;

    if (!options->must_lock)
        return 0;
    return weir_error_usage(
        error, "libaio",
        "--posix.rangelocks: a lock is the process's, and several of its "
        "transfers are under way at once: leave it out, or use " WEIR_REMEDY_BACKEND " POSIX");
}

static int set_up(struct libaio_session *libaio, const struct libaio_options *options,
                  struct weir_error *error)
{
    unsigned depth = libaio->posix.base.depth;
    int rc = weir_posix_session_stripe(&libaio->posix.base, &options->striping, error);

    if (rc < 0)
        return rc;
    rc = check_options(options, error);
    if (rc < 0)
        return rc;
    if (make_slots(libaio, depth) < 0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "libaio", "out of memory");
    libaio->entries = depth;
    if (options->entries > 0 && options->entries < depth)
        libaio->entries = (unsigned)options->entries;
    libaio->rw_flags = options->must_not_wait ? RWF_NOWAIT : 0;
    rc = io_setup((int)libaio->entries, &libaio->context);
    if (rc < 0)
        return explain_refusal(rc, libaio->entries, error);
    libaio->must_read_ring = options->may_read_ring != 0;
    if (libaio->must_read_ring && is_readable((struct completion_ring *)libaio->context))
        libaio->ring = (struct completion_ring *)libaio->context;
    return 0;
}

static int libaio_session_open(const struct weir_session_params *params,
                               struct weir_session **session, struct weir_error *error)
{
    const struct libaio_options *options = params->options;
    struct libaio_session *opened = calloc(1, sizeof *opened);
    int rc;

    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "libaio", "out of memory");
    weir_posix_session_init(&opened->posix, &weir_backend_libaio, options->is_direct != 0,
                            params->depth);
    rc = set_up(opened, options, error);
    if (rc < 0) {
        free_session(opened);
        return rc;
    }
    *session = &opened->posix.base;
    return 0;
}

/* Waits for what is still with the kernel, which writes to the buffers until then. */
static void libaio_session_close(struct weir_session *session)
{
    struct libaio_session *libaio = libaio_session_of(session);

    io_destroy(libaio->context);
    free_session(libaio);
}

static void libaio_describe(struct weir_session *session, struct weir_session_facts *facts)
{
    const struct libaio_session *libaio = libaio_session_of(session);

    weir_session_got(facts, "completions %s",
                     libaio->ring ? "from the mapped ring" : "by io_getevents");
    weir_session_got(facts, "context of %u", libaio->entries);
    if (libaio->rw_flags)
        weir_session_got(facts, "no-wait");
    if (libaio->entries < libaio->posix.base.depth)
        weir_session_missed(facts, "the context holds %u of depth %u -> leave --libaio.entries out",
                            libaio->entries, libaio->posix.base.depth);
    if (libaio->must_read_ring && !libaio->ring)
        weir_session_missed(
            facts,
            "completions come by io_getevents, as the ring is unknown -> --libaio.user-reap=0");
    if (libaio->syncs_in_submit)
        weir_session_missed(
            facts,
            "fsync ran inside of io_submit, as it cannot be queued here -> " WEIR_REMEDY_BACKEND
            " uring");
}

/* ---- what this host allows ---- */

static void tell_refusal(struct weir_diagnosis *diagnosis, int rc)
{
    bool is_filtered = weir_posix_is_filtered();

    if (is_filtered && (rc == -EPERM || rc == -ENOSYS)) {
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "libaio", NULL,
                           "io_setup is forbidden by a seccomp filter, as containers have");
        weir_diagnosis_help(diagnosis, WEIR_POSIX_FILTER_REMEDY,
                            "io_setup, io_submit, io_getevents and io_destroy");
    } else if (rc == -ENOSYS) {
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "libaio",
                           "boot a kernel built with CONFIG_AIO, or use " WEIR_REMEDY_BACKEND
                           " uring",
                           "this kernel has no asynchronous transfers (io_setup)");
    } else {
        weir_diagnosis_add(diagnosis, WEIR_MISSING, "libaio", NULL,
                           "no context for %d transfers (io_setup): %s", STANDARD_DEPTH,
                           strerror(-rc));
    }
}

/* Contexts of one rank per processor together, and never less than the present limit. */
static long enough_room(long limit, long taken, long processors)
{
    long room = 1 << 20;

    while (room < LONG_MAX / 2 && (room <= limit || room - taken < processors * STANDARD_DEPTH))
        room *= 2;
    return room;
}

/* The kernel counts what all contexts of the node were asked to have room for. */
static void tell_room(struct weir_diagnosis *diagnosis, bool has_context)
{
    long limit = weir_posix_kernel_number("/proc/sys/fs/aio-max-nr");
    long taken = weir_posix_kernel_number("/proc/sys/fs/aio-nr");
    long ranks = limit > taken ? (limit - taken) / STANDARD_DEPTH : 0;
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    enum weir_verdict verdict = has_context ? WEIR_LIMITED : WEIR_MISSING;

    if (limit < 0 || taken < 0)
        weir_diagnosis_add(diagnosis, WEIR_NOTED, "libaio", NULL,
                           "a context for %d transfers; its limits are not told", STANDARD_DEPTH);
    else if (has_context && ranks >= processors)
        weir_diagnosis_add(diagnosis, WEIR_GOOD, "libaio", NULL,
                           "room for %ld ranks of depth %d (fs.aio-max-nr is %ld, %ld are taken)",
                           ranks, STANDARD_DEPTH, limit, taken);
    else {
        weir_diagnosis_add(diagnosis, verdict, "libaio", NULL,
                           "room for %ld ranks of depth %d only, fewer than processors "
                           "(fs.aio-max-nr is %ld, %ld are taken)",
                           ranks, STANDARD_DEPTH, limit, taken);
        weir_diagnosis_help(diagnosis, "as root: sysctl -w fs.aio-max-nr=%ld",
                            enough_room(limit, taken, processors));
    }
}

static void libaio_diagnose(struct weir_diagnosis *diagnosis, const char *path)
{
    io_context_t context = NULL;
    int rc = io_setup(STANDARD_DEPTH, &context);

    (void)path;
    if (rc == 0)
        io_destroy(context);
    if (rc == 0 || rc == -EAGAIN)
        tell_room(diagnosis, rc == 0);
    else
        tell_refusal(diagnosis, rc);
}

/* ---- transfers ---- */

/* The part of an iocb that is not the same at each use of its slot. */
static void prepare(struct libaio_session *libaio, struct weir_op *op, struct iocb *iocb)
{
    iocb->data = op;
    iocb->aio_fildes = weir_posix_fd(op->file);
    if (__builtin_expect(op->verb == WEIR_OP_SYNC, 0)) {
        /* The kernel refuses a sync that has anything else. */
        memset(&iocb->u, 0, sizeof iocb->u);
        iocb->aio_rw_flags = 0;
        op->is_nowait = false;
        iocb->aio_lio_opcode = IO_CMD_FSYNC;
        return;
    }
    iocb->aio_rw_flags = op->may_wait ? 0 : libaio->rw_flags;
    op->is_nowait = iocb->aio_rw_flags != 0;
    iocb->aio_lio_opcode = op->verb == WEIR_OP_WRITE ? IO_CMD_PWRITE : IO_CMD_PREAD;
    iocb->u.c.buf = op->data;
    iocb->u.c.nbytes = op->size;
    iocb->u.c.offset = (long long)op->offset;
}

static int sync_now(struct libaio_session *libaio, const struct weir_op *op)
{
    libaio->syncs_in_submit = true;
    return weir_posix_file_ops.sync(&libaio->posix.base, op->file);
}

/* A request that the kernel refuses at once is a result like others: reap returns it. */
static void settle(struct libaio_session *libaio, struct weir_op *op, int result)
{
    if (result == -EINVAL && op->verb == WEIR_OP_SYNC)
        result = sync_now(libaio, op);
    op->result = result;
    libaio->settled[libaio->settled_count++] = op;
}

/* Announces the transfers to the file system. Returns how many it accepted. */
static __attribute__((noinline)) unsigned
announce(struct libaio_session *libaio, struct weir_op *const ops[], unsigned count, int *failure)
{
    const struct weir_striping *striping = libaio->posix.striping;

    for (unsigned i = 0; i < count; i++) {
        struct weir_posix_file *file = (struct weir_posix_file *)ops[i]->file;

        if (ops[i]->verb == WEIR_OP_SYNC)
            continue;
        *failure = striping->before(&file->striped, file->fd, ops[i]->offset, ops[i]->size);
        if (*failure < 0)
            return i;
    }
    return count;
}

/* io_submit stops in front of what it refuses, and says why only when that comes first. */
static unsigned hand_over(struct libaio_session *libaio, struct weir_op *const ops[],
                          unsigned count)
{
    unsigned taken = 0;

    while (taken < count) {
        int rc = io_submit(libaio->context, count - taken, libaio->batch + taken);

        if (rc > 0) {
            taken += (unsigned)rc;
            libaio->flying_count += (unsigned)rc;
        } else if (rc == -EAGAIN && libaio->flying_count > 0) {
            break;
        } else {
            settle(libaio, ops[taken++], rc < 0 ? rc : -EAGAIN);
        }
    }
    return taken;
}

static int libaio_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct libaio_session *libaio = libaio_session_of(session);
    unsigned room = libaio->entries - libaio->flying_count;
    int failure = 0;

    if (count > room)
        count = room;
    if (__builtin_expect(libaio->posix.striping && libaio->posix.striping->before, 0)) {
        count = announce(libaio, ops, count, &failure);
        if (count == 0 && failure < 0) {
            settle(libaio, ops[0], failure);
            return 1;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        struct iocb *iocb = &libaio->iocbs[ops[i]->slot];

        prepare(libaio, ops[i], iocb);
        libaio->batch[i] = iocb;
    }
    return (int)hand_over(libaio, ops, count);
}

static unsigned take_settled(struct libaio_session *libaio, struct weir_op *done[], unsigned max)
{
    unsigned count = 0;

    while (libaio->settled_count > 0 && count < max)
        done[count++] = libaio->settled[--libaio->settled_count];
    return count;
}

static struct weir_op *complete(const struct io_event *event)
{
    struct weir_op *op = event->data;

    op->result = (long)event->res;
    return op;
}

/* The kernel moves the tail once an event is whole, and must see the head move only once it has
 * been read. */
static unsigned take_from_ring(struct libaio_session *libaio, struct weir_op *done[], unsigned max)
{
    struct completion_ring *ring = libaio->ring;
    unsigned head = ring->head;
    unsigned tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    unsigned count = 0;

    while (head != tail && count < max) {
        done[count++] = complete(&ring->events[head]);
        head = head + 1 < ring->count ? head + 1 : 0;
    }
    __atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
    libaio->flying_count -= count;
    return count;
}

static int take_from_kernel(struct libaio_session *libaio, struct weir_op *done[], unsigned min,
                            unsigned max, uint64_t timeout_ns)
{
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / 1000000000),
                             .tv_nsec = (long)(timeout_ns % 1000000000)};
    int count;

    if (max > libaio->flying_count)
        max = libaio->flying_count;
    if (min == 0)
        limit = (struct timespec){0};
    count = io_getevents(libaio->context, min, max, libaio->events,
                         min > 0 && timeout_ns == WEIR_FOREVER ? NULL : &limit);
    if (count == -EINTR)
        return 0;
    for (int i = 0; i < count; i++)
        done[i] = complete(&libaio->events[i]);
    if (count > 0)
        libaio->flying_count -= (unsigned)count;
    return count;
}

static int libaio_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                       unsigned max, uint64_t timeout_ns)
{
    struct libaio_session *libaio = libaio_session_of(session);
    unsigned count = take_settled(libaio, done, max);
    int rc;

    if (libaio->ring)
        count += take_from_ring(libaio, done + count, max - count);
    if (libaio->ring ? count >= min : libaio->flying_count == 0)
        return (int)count;
    rc = take_from_kernel(libaio, done + count, min > count ? min - count : 0, max - count,
                          timeout_ns);
    return rc < 0 ? rc : (int)count + rc;
}

static const struct weir_transfer_ops libaio_transfer_ops = {
    .submit = libaio_submit,
    .reap = libaio_reap,
};

const struct weir_backend weir_backend_libaio = {
    .descriptor = {.name = "libaio",
                   .label = "AIO",
                   .alias = "aio",
                   .version = "",
                   .summary = "asynchronous transfers by io_submit, many in flight",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_CAN_QUEUE |
                                WEIR_TAKES_DEVICES,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .open_flags = WEIR_POSIX_OPEN_FLAGS,
                   .standard_depth = STANDARD_DEPTH,
                   .standard_batch = 16,
                   .options = {"AIO", libaio_rows, sizeof(struct libaio_options)},
                   .check = check_options},
    .open = libaio_session_open,
    .close = libaio_session_close,
    .describe = libaio_describe,
    .diagnose = libaio_diagnose,
    .transfer = &libaio_transfer_ops,
    .file = &weir_posix_file_ops,
    .names = &weir_posix_name_ops,
};
