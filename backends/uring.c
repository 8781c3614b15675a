/* SPDX-License-Identifier: Apache-2.0 */
/* Transfers, syncs and names through io_uring.
 *
 * submit only prepares; it is reap that hands everything over and waits, in one system call. So
 * submission has no time of its own: what the kernel does before it has taken an operation (of a
 * buffered transfer, often all of it) is part of the wait. The queue calls the two right after each
 * other, so that nothing lies about. */
#include "posix_files.h"
#include "uring_names.h"
#include "uring_probes.h"
#include "uring_ring.h"

#include "weir/base/remedy.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TRANSFER_MAX = 0x7ffff000 }; /* what Linux moves at once; more comes back short */

/* Beside the operation in a completion's user data: its result is known already. */
#define SETTLED 1U

extern const struct weir_backend weir_backend_uring;

struct uring_options {
    bool is_direct;
    bool must_lock;
    struct weir_uring_request ring; /* but for depth and spin; entries 0: as many as the depth */
    unsigned spin_us;
    bool wants_huge_pages;
    bool must_not_wait;
    bool must_drop_cache;
    struct weir_striping_options striping;
};

struct uring_session {
    struct weir_posix_session posix;
    struct weir_uring_ring ring;
    struct weir_uring_names names;
    int rw_flags; /* RWF_* of each transfer */
};

#define AT(member) WEIR_OPTION_AT(struct uring_options, member)

static const struct weir_option uring_rows[] = {
    {0, "posix.odirect", WEIR_OPTION_FLAG, AT(is_direct),
     .help = "open files with O_DIRECT, past the page cache"},
    {0, "posix.rangelocks", WEIR_OPTION_FLAG, AT(must_lock),
     .help = "refused: a lock is the process's, and its transfers under way would share it"},
    {0, "uring.entries", WEIR_OPTION_COUNT, AT(ring.entries),
     .help = "operations handed to the kernel in one call at most; 0, or more than the depth: as "
             "many as the depth"},
    {0, "uring.sqpoll", WEIR_OPTION_FLAG, AT(ring.has_poller),
     .help = "a thread of the kernel looks for what is submitted, which then takes no system call "
             "(and a CPU)"},
    {0, "uring.sqpoll-cpu", WEIR_OPTION_INTEGER, AT(ring.poller_cpu), "-1",
     .help = "CPU that this thread is bound to; -1: none", .least = -1, .most = INT_MAX},
    {0, "uring.sqpoll-idle", WEIR_OPTION_COUNT, AT(ring.poller_idle_ms),
     .help = "milliseconds without work after which this thread sleeps; 0: as the kernel likes"},
    {0, "uring.iopoll", WEIR_OPTION_FLAG, AT(ring.is_polled),
     .help = "poll the device for completions instead of being interrupted; for O_DIRECT on a "
             "device with queues for it; syncs then block"},
    /* At most 1 ms: a wait that spins hears of no signal and no deadline. */
    {0, "uring.spin", WEIR_OPTION_COUNT, AT(spin_us), "20", .most = 1000,
     .help = "microseconds that a wait looks for completions before it sleeps, as long as that "
             "finds some; 0: sleeps at once"},
    {0, "uring.fixed-buffers", WEIR_OPTION_FLAG, AT(ring.must_register_memory), "1",
     .help = "register the buffers with the kernel once instead of at each transfer"},
    {0, "uring.fixed-files", WEIR_OPTION_FLAG, AT(ring.must_register_files), "1",
     .help = "register files with the kernel when they are opened instead of at each transfer; not "
             "items of trees and files of programs, in which there are few"},
    {0, "uring.huge-pages", WEIR_OPTION_FLAG, AT(wants_huge_pages),
     .help = "buffers of huge pages, where there are any"},
    {0, "uring.nowait", WEIR_OPTION_FLAG, AT(must_not_wait),
     .help = "forbid that a transfer blocks (RWF_NOWAIT): what would have is counted and sent "
             "again without"},
    {0, "uring.dontcache", WEIR_OPTION_FLAG, AT(must_drop_cache),
     .help = "leave no pages in the page cache behind (RWF_DONTCACHE, Linux 6.14)"},
    WEIR_STRIPING_ROWS(struct uring_options, striping),
    {0},
};

static struct uring_session *uring_session_of(struct weir_session *session)
{
    return (struct uring_session *)session;
}

/* ---- session ---- */

static int check_options(const void *values, struct weir_error *error)
{
    const struct uring_options *options = values;

    if (options->must_lock)
        return weir_error_usage(
            error, "uring",
            "--posix.rangelocks: a lock is the process's, and several of its "
            "transfers are under way at once: leave it out, or use " WEIR_REMEDY_BACKEND " POSIX");
    if (options->ring.is_polled && !options->is_direct)
        return weir_error_usage(error, "uring",
                                "--uring.iopoll polls a device, and what goes through the page "
                                "cache does not wait for one: add --posix.odirect, or leave it "
                                "out");
    if (options->must_drop_cache && options->is_direct)
        return weir_error_usage(error, "uring",
                                "--uring.dontcache is about the page cache, and --posix.odirect "
                                "goes past it: leave out one of them");
    if (!options->ring.has_poller &&
        (options->ring.poller_cpu != -1 || options->ring.poller_idle_ms != 0))
        return weir_error_usage(error, "uring",
                                "--uring.sqpoll-cpu and --uring.sqpoll-idle are about the thread "
                                "that --uring.sqpoll asks for: add that, or leave them out");
    return 0;
}

static int fill_session(struct uring_session *uring, const struct uring_options *options,
                        unsigned depth, struct weir_error *error)
{
    struct weir_uring_request request = options->ring;
    int rc;

    request.depth = depth;
    request.spin_ns = options->spin_us * UINT64_C(1000);
    if (request.entries == 0 || request.entries > depth)
        request.entries = depth;
    weir_posix_session_init(&uring->posix, &weir_backend_uring, options->is_direct, depth);
    /* io_uring fails with -EAGAIN where a transfer of such a file would wait. */
    uring->posix.clears_nonblock = true;
    uring->posix.base.submits_in_reap = true;
    uring->posix.base.wants_huge_pages = options->wants_huge_pages;
    uring->rw_flags = (options->must_not_wait ? RWF_NOWAIT : 0) |
                      (options->must_drop_cache ? WEIR_URING_DROP_CACHE : 0);
    rc = weir_posix_session_stripe(&uring->posix.base, &options->striping, error);
    if (rc < 0)
        return rc;
    rc = weir_uring_ring_open(&uring->ring, &request, "uring", error);
    if (rc < 0)
        return rc;
    rc = weir_uring_names_init(&uring->names, &uring->ring, depth);
    if (rc < 0) {
        weir_uring_ring_close(&uring->ring);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "uring", "out of memory");
    }
    uring->posix.base.queued_names = uring->names.queued;
    if (uring->posix.striping)
        uring->posix.base.queued_names &= ~(1U << WEIR_OP_OPEN);
    return 0;
}

static int uring_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    struct uring_session *opened;
    int rc = check_options(params->options, error);

    if (rc < 0)
        return rc;
    opened = calloc(1, sizeof *opened);
    if (!opened)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "uring", "out of memory");
    rc = fill_session(opened, params->options, params->depth, error);
    if (rc < 0) {
        free(opened);
        return rc;
    }
    *session = &opened->posix.base;
    return 0;
}

static void uring_session_close(struct weir_session *session)
{
    struct uring_session *uring = uring_session_of(session);

    weir_uring_ring_close(&uring->ring);
    weir_uring_names_fini(&uring->names);
    free(uring);
}

static void uring_describe(struct weir_session *session, struct weir_session_facts *facts)
{
    const struct uring_session *uring = uring_session_of(session);

    weir_uring_ring_describe(&uring->ring, facts);
    if (uring->rw_flags & RWF_NOWAIT)
        weir_session_got(facts, "no-wait");
    if (uring->rw_flags & WEIR_URING_DROP_CACHE)
        weir_session_got(facts, "no pages left in the cache");
}

static int uring_lend(struct weir_session *session, void *memory, size_t bytes,
                      struct weir_error *error)
{
    (void)error;
    weir_uring_ring_lend(&uring_session_of(session)->ring, memory, bytes);
    return 0;
}

static void uring_give_back(struct weir_session *session)
{
    weir_uring_ring_give_back(&uring_session_of(session)->ring);
}

/* ---- transfers ---- */

static void prepare_transfer(const struct uring_session *uring, struct weir_op *op,
                             struct io_uring_sqe *sqe)
{
    bool is_write = op->verb == WEIR_OP_WRITE;
    int fd = weir_posix_fd(op->file);
    unsigned number;
    bool is_lent = weir_uring_ring_has_memory(&uring->ring, op->data, op->size, &number);
    unsigned size = op->size < TRANSFER_MAX ? (unsigned)op->size : TRANSFER_MAX;
    int verb = is_write ? IORING_OP_WRITE : IORING_OP_READ;

    if (is_lent)
        verb = is_write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
    io_uring_prep_rw(verb, sqe, fd, op->data, size, op->offset);
    if (is_lent)
        sqe->buf_index = (uint16_t)number;
    if (weir_uring_ring_has_file(&uring->ring, fd))
        sqe->flags = IOSQE_FIXED_FILE;
    sqe->rw_flags = op->may_wait ? uring->rw_flags & ~RWF_NOWAIT : uring->rw_flags;
    op->is_nowait = (sqe->rw_flags & RWF_NOWAIT) != 0;
}

static int prepare_sync(const struct uring_session *uring, const struct weir_op *op,
                        struct io_uring_sqe *sqe)
{
    int fd = weir_posix_fd(op->file);

    if (uring->ring.request.is_polled)
        return -EOPNOTSUPP;
    io_uring_prep_fsync(sqe, fd, 0);
    if (weir_uring_ring_has_file(&uring->ring, fd))
        sqe->flags = IOSQE_FIXED_FILE;
    return 0;
}

static void leave_ring(struct uring_session *uring, const struct weir_file *file)
{
    weir_uring_ring_remove_file(&uring->ring, weir_posix_fd(file));
}

static int uring_close(struct weir_session *session, struct weir_file *file)
{
    struct uring_session *uring = uring_session_of(session);
    int rc;

    leave_ring(uring, file);
    if (!weir_uring_names_own(&uring->names, file))
        return weir_posix_file_ops.close(session, file);
    rc = close(weir_posix_fd(file)) == 0 ? 0 : -errno;
    weir_uring_names_forget(&uring->names, &uring->posix, file);
    return rc;
}

/* What the ring does not take: a sync and a close must be done all the same, and so are at once. */
static int do_without_ring(struct uring_session *uring, const struct weir_op *op)
{
    if (op->verb == WEIR_OP_SYNC)
        return weir_posix_file_ops.sync(&uring->posix.base, op->file);
    if (op->verb == WEIR_OP_CLOSE)
        return uring_close(&uring->posix.base, op->file);
    return -EOPNOTSUPP;
}

/* Returns what goes with the operation in the user data. */
static __attribute__((noinline)) unsigned
prepare_other(struct uring_session *uring, struct weir_op *op, struct io_uring_sqe *sqe)
{
    int rc;

    if (op->verb == WEIR_OP_CLOSE)
        leave_ring(uring, op->file);
    rc = op->verb == WEIR_OP_SYNC ? prepare_sync(uring, op, sqe)
                                  : weir_uring_names_prepare(&uring->names, &uring->posix, op, sqe);
    if (rc == 0)
        return 0;
    /* It goes round the ring all the same, for its turn to come back. */
    op->result = rc == -EOPNOTSUPP ? do_without_ring(uring, op) : rc;
    io_uring_prep_nop(sqe);
    return SETTLED;
}

static int uring_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct uring_session *uring = uring_session_of(session);
    unsigned room = weir_uring_ring_room(&uring->ring);

    /* The kernel's thread is no more. */
    if (room == 0 && uring->ring.flying == 0)
        return -EOWNERDEAD;
    if (count > room)
        count = room;
    for (unsigned i = 0; i < count; i++) {
        struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring.ring);
        struct weir_op *op = ops[i];
        unsigned tag = 0;

        if (op->verb <= WEIR_OP_READ)
            prepare_transfer(uring, op, sqe);
        else
            tag = prepare_other(uring, op, sqe);
        sqe->user_data = (uintptr_t)op | tag;
    }
    uring->ring.flying += count;
    return (int)count;
}

static struct weir_op *finish(struct uring_session *uring, const struct io_uring_cqe *cqe)
{
    struct weir_op *op = (struct weir_op *)(uintptr_t)(cqe->user_data & ~(uint64_t)SETTLED);

    if (op->verb <= WEIR_OP_SYNC) {
        if (!(cqe->user_data & SETTLED))
            op->result = cqe->res;
    } else if (!(cqe->user_data & SETTLED)) {
        weir_uring_names_finish(&uring->names, &uring->posix, op, cqe->res);
    }
    return op;
}

static int uring_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                      unsigned max, uint64_t timeout_ns)
{
    struct uring_session *uring = uring_session_of(session);
    const struct io_uring_cqe *cqe;
    unsigned count = 0;
    unsigned head;
    int rc = weir_uring_ring_turn(&uring->ring, min, timeout_ns);

    if (rc < 0)
        return rc;
    io_uring_for_each_cqe(&uring->ring.ring, head, cqe)
    {
        if (count == max)
            break;
        done[count++] = finish(uring, cqe);
    }
    io_uring_cq_advance(&uring->ring.ring, count);
    uring->ring.flying -= count;
    return (int)count;
}

/* ---- files ---- */

static int uring_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    int rc = weir_posix_file_ops.open(session, params, file);

    /* Registering costs more than the few transfers of an item would gain. */
    if (rc == 0 && !params->is_item)
        weir_uring_ring_add_file(&uring_session_of(session)->ring, weir_posix_fd(*file));
    return rc;
}

static int uring_sync(struct weir_session *session, struct weir_file *file)
{
    return weir_posix_file_ops.sync(session, file);
}

static int64_t uring_size(struct weir_session *session, struct weir_file *file)
{
    return weir_posix_file_ops.size(session, file);
}

/* ---- what is tried out on the target's file system, before anything is touched ---- */

static int try_out(struct uring_session *uring, int fd, bool may_write, const char *path,
                   struct weir_error *error)
{
    if (uring->rw_flags & WEIR_URING_DROP_CACHE &&
        !weir_uring_takes_flag(fd, WEIR_URING_DROP_CACHE))
        return weir_error_usage(error, "uring",
                                "%s: --uring.dontcache: the file system there does not know it, "
                                "or the kernel (it came with Linux 6.14): leave the option out",
                                path);
    if (uring->rw_flags & RWF_NOWAIT && !weir_uring_takes_flag(fd, RWF_NOWAIT))
        return weir_error_usage(error, "uring",
                                "%s: --uring.nowait: the file system there cannot promise not to "
                                "block: leave the option out",
                                path);
    if (uring->ring.request.is_polled && weir_uring_takes_polling(&uring->ring, fd, may_write) == 0)
        return weir_error_usage(error, "uring",
                                "%s: --uring.iopoll: the device there has no queues that can be "
                                "polled (NVMe has with the module parameter nvme.poll_queues): "
                                "leave the option out",
                                path);
    return 0;
}

static int uring_check(struct weir_session *session, const char *path, struct weir_error *error)
{
    struct uring_session *uring = uring_session_of(session);
    int rc = weir_posix_name_ops.check(session, path, error);
    bool may_write;
    int fd;

    if (rc < 0 || (uring->rw_flags == 0 && !uring->ring.request.is_polled))
        return rc;
    fd = weir_uring_open_probe(path, uring->posix.is_direct, &may_write);
    /* Whatever is wrong with the path, others say it. */
    if (fd < 0)
        return 0;
    rc = try_out(uring, fd, may_write, path, error);
    close(fd);
    return rc;
}

static const struct weir_transfer_ops uring_transfer_ops = {
    .submit = uring_submit,
    .reap = uring_reap,
};

static const struct weir_memory_ops uring_memory_ops = {
    .lend = uring_lend,
    .give_back = uring_give_back,
};

static const struct weir_file_ops uring_file_ops = {
    .open = uring_open,
    .close = uring_close,
    .sync = uring_sync,
    .size = uring_size,
    .next_data = weir_posix_next_data,
};

static const struct weir_name_ops uring_name_ops = {
    WEIR_POSIX_NAME_OPS,
    .check = uring_check,
};

const struct weir_backend weir_backend_uring = {
    .descriptor = {.name = "uring",
                   .label = "URING",
                   .alias = "io_uring",
                   .version = "",
                   .summary = "many transfers at once through io_uring",
                   .abilities = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME | WEIR_CAN_QUEUE |
                                WEIR_TAKES_DEVICES,
                   .name_verbs = WEIR_POSIX_NAME_VERBS,
                   .open_flags = WEIR_POSIX_OPEN_FLAGS,
                   .standard_depth = 32,
                   .standard_batch = 1,
                   .options = {"URING", uring_rows, sizeof(struct uring_options)},
                   .check = check_options},
    .open = uring_session_open,
    .close = uring_session_close,
    .describe = uring_describe,
    .diagnose = weir_uring_diagnose,
    .transfer = &uring_transfer_ops,
    .file = &uring_file_ops,
    .names = &uring_name_ops,
    .memory = &uring_memory_ops,
};
