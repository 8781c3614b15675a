/* SPDX-License-Identifier: Apache-2.0 */
/* The one queue: a backend that blocks does a transfer inside of send, others in batches between
 * send and reap, also at depth 1. Every line of the backends' contract that can be seen from here
 * is an assert. */
#include "weir/io/queue.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The life of a slot: each step has one function that takes it. */
enum slot_state { SLOT_FREE, SLOT_LENT, SLOT_SENT, SLOT_FLYING, SLOT_DONE, SLOT_REAPED };

static void enter(struct weir_op *op, enum slot_state from, enum slot_state to)
{
    assert(op->state == from);
    op->state = (uint8_t)to;
}

/* A slot that the engine has, be it lent for the first time or handed back. */
static void leave_engine(struct weir_op *op, enum slot_state to)
{
    assert(op->state == SLOT_LENT || op->state == SLOT_REAPED);
    op->state = (uint8_t)to;
}

static unsigned smaller(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

static uint64_t issue_stamp(struct weir_queue *queue)
{
    return queue->is_last_usable ? queue->last_ns : weir_queue_now(queue);
}

/* What the plan's check lets a test use is there. */
static void check_backend(const struct weir_backend *backend)
{
    const struct weir_name_ops *names = weir_backend_item_names(backend);
    unsigned has = backend->descriptor.name_verbs;

    if (!names || has == 0)
        return;
    assert(names->stat && names->unlink && names->mkdir && names->rmdir);
    assert(!(has & WEIR_NAMES_RENAME) || names->rename);
    assert(!(has & WEIR_NAMES_MKNOD) || names->mknod);
    assert(!(has & WEIR_NAMES_LINK) || names->link);
    assert(!(has & WEIR_NAMES_SYMLINK) || names->symlink);
    assert(!(has & WEIR_NAMES_CHMOD) || names->chmod);
    assert(!(has & WEIR_NAMES_XATTR) || (names->setxattr && names->getxattr));
    assert(!(has & WEIR_NAMES_LIST) || names->list);
    assert(!(has & WEIR_NAMES_SYNC_ALL) || names->sync_all);
}

int weir_queue_open(struct weir_queue *queue, struct weir_session *session,
                    const struct weir_clock *clock)
{
    const struct weir_transfer_ops *transfer = session->backend->transfer;
    unsigned depth = session->depth;
    bool is_blocking = transfer->transfer && (depth == 1 || !transfer->submit);

    check_backend(session->backend);
    assert(depth >= 1 && depth <= WEIR_DEPTH_MAX);
    assert(transfer->transfer || (transfer->submit && transfer->reap));
    *queue = (struct weir_queue){
        .session = session,
        .transfer = transfer,
        .clock = clock,
        .is_blocking = is_blocking,
        .times_submission = !is_blocking && !session->submits_in_reap,
        .depth = depth,
        .free_count = depth,
        .ops = calloc(depth, sizeof *queue->ops),
        .free = calloc(3 * (size_t)depth, sizeof(struct weir_op *)),
    };
    if (!queue->ops || !queue->free) {
        free(queue->ops);
        free(queue->free);
        *queue = (struct weir_queue){0};
        return -ENOMEM;
    }
    queue->pending = queue->free + depth;
    queue->done = queue->pending + depth;
    /* Slot 0 is taken first. */
    for (unsigned slot = 0; slot < depth; slot++) {
        queue->ops[slot].slot = slot;
        queue->free[depth - 1 - slot] = &queue->ops[slot];
    }
    return 0;
}

void weir_queue_close(struct weir_queue *queue)
{
    assert(weir_queue_outstanding(queue) == 0);
    free(queue->ops);
    free(queue->free);
    *queue = (struct weir_queue){0};
}

void weir_queue_limit(struct weir_queue *queue, unsigned limit)
{
    assert(limit >= 1 && limit <= queue->depth);
    assert(queue->free_count == queue->depth);
    queue->reserved = queue->depth - limit;
}

struct weir_op *weir_queue_take(struct weir_queue *queue)
{
    struct weir_op *op;

    if (!weir_queue_has_free(queue))
        return NULL;
    op = queue->free[--queue->free_count];
    enter(op, SLOT_FREE, SLOT_LENT);
    return op;
}

static bool is_transfer(enum weir_op_verb verb)
{
    return verb == WEIR_OP_WRITE || verb == WEIR_OP_READ;
}

/* Syncs and operations on names: seldom, and only for a backend that takes them. */
static __attribute__((noinline)) void check_other_request(const struct weir_queue *queue,
                                                          const struct weir_op *op)
{
    assert(!queue->is_blocking);
    if (op->verb == WEIR_OP_SYNC) {
        assert(op->file != NULL);
        return;
    }
    assert((queue->session->queued_names & 1u << op->verb) != 0);
    assert(op->verb == WEIR_OP_CLOSE ? op->file != NULL : op->request != NULL);
}

static void check_request(const struct weir_queue *queue, const struct weir_op *op)
{
    if (__builtin_expect(!is_transfer(op->verb), 0)) {
        check_other_request(queue, op);
        return;
    }
    assert(op->size > 0);
    assert(((uintptr_t)op->data & (op->file->alignment.memory - 1)) == 0);
}

static void check_result(const struct weir_op *op)
{
    assert(op->result >= -4095);
    assert(op->result <= (is_transfer(op->verb) ? (int64_t)op->size : 0));
}

static void transfer_now(struct weir_queue *queue, struct weir_op *op)
{
    weir_queue_transfer(queue, op);
    op->accepted_ns = op->done_ns;
    check_result(op);
    leave_engine(op, SLOT_DONE);
    queue->done[queue->done_count++] = op;
}

void weir_queue_send(struct weir_queue *queue, struct weir_op *op)
{
    check_request(queue, op);
    if (queue->is_blocking) {
        transfer_now(queue, op);
        return;
    }
    leave_engine(op, SLOT_SENT);
    queue->pending[queue->pending_count++] = op;
}

/* What CHMOD makes of a file of 0664. */
enum { CHANGED_MODE = 0640 };

static int perform(struct weir_session *session, struct weir_op *op)
{
    static const unsigned char attribute[WEIR_XATTR_BYTES] = WEIR_XATTR_VALUE;
    unsigned char found_attribute[WEIR_XATTR_BYTES];
    const struct weir_name_ops *names = weir_backend_item_names(session->backend);
    const struct weir_file_ops *file = session->backend->file;
    const struct weir_name_request *request = op->request;

    switch (op->verb) {
    case WEIR_OP_SYNC:
        return file->sync(session, op->file);
    case WEIR_OP_OPEN:
        return file->open(session, request->params, &op->file);
    case WEIR_OP_CLOSE:
        return file->close(session, op->file);
    case WEIR_OP_STAT:
        if (request->follows && names->stat_target != NULL)
            return names->stat_target(session, request->path, request->facts);
        return (names->stat_item ? names->stat_item : names->stat)(session, request->path,
                                                                   request->facts);
    case WEIR_OP_MKDIR:
        return names->mkdir(session, request->path);
    case WEIR_OP_UNLINK:
        return names->unlink(session, request->path);
    case WEIR_OP_RMDIR:
        return names->rmdir(session, request->path);
    case WEIR_OP_RENAME:
        return names->rename(session, request->path, request->new_path);
    case WEIR_OP_MKNOD:
        return names->mknod(session, request->path);
    case WEIR_OP_LINK:
        return names->link(session, request->path, request->new_path);
    case WEIR_OP_SYMLINK:
        return names->symlink(session, request->path, request->new_path);
    case WEIR_OP_CHMOD:
        return names->chmod(session, request->path, CHANGED_MODE);
    case WEIR_OP_SETXATTR:
        return names->setxattr(session, request->path, attribute);
    case WEIR_OP_GETXATTR:
        return names->getxattr(session, request->path, found_attribute);
    case WEIR_OP_LIST:
        return names->list(session, request->path, NULL, NULL, request->facts, request->found);
    case WEIR_OP_WRITE:
    case WEIR_OP_READ:
    case WEIR_OP_CREATE:
    case WEIR_OP_READ_FILE:
    case WEIR_OP_LOOKUP:
        break;
    }
    assert(!"an operation that goes through send");
    return -EOPNOTSUPP;
}

void weir_queue_perform(struct weir_queue *queue, struct weir_op *op)
{
    op->issued_ns = issue_stamp(queue);
    op->result = perform(queue->session, op);
    op->done_ns = weir_queue_now(queue);
    op->accepted_ns = op->done_ns;
    check_result(op);
}

/* All of the data, outside of the queue: nothing is in flight. */
static int64_t move_part(struct weir_queue *queue, struct weir_op *op)
{
    struct weir_op *done;
    int count;

    if (queue->transfer->transfer != NULL)
        return queue->transfer->transfer(queue->session, op);
    count = queue->transfer->submit(queue->session, &op, 1);
    while (count == 1 &&
           (count = queue->transfer->reap(queue->session, &done, 1, 1, WEIR_FOREVER)) == 0)
        count = 1;
    return count < 0 ? count : op->result;
}

static int move_all(struct weir_queue *queue, struct weir_op *op, enum weir_op_verb verb)
{
    struct weir_op part = *op;

    part.verb = verb;
    while (part.size > 0) {
        int64_t moved = move_part(queue, &part);

        if (moved == -EINTR && (queue->stop_signal == NULL || *queue->stop_signal == 0))
            continue;
        if (moved <= 0)
            return moved < 0 ? (int)moved : verb == WEIR_OP_READ ? -ENODATA : -EIO;
        part.data = (unsigned char *)part.data + moved;
        part.offset += (uint64_t)moved;
        part.size -= (uint64_t)moved;
    }
    return 0;
}

void weir_queue_perform_chain(struct weir_queue *queue, struct weir_op *op,
                              const enum weir_op_verb steps[], unsigned count)
{
    enum weir_op_verb verb = op->verb;
    int result = 0;

    op->file = NULL;
    op->issued_ns = issue_stamp(queue);
    for (unsigned i = 0; i < count; i++) {
        int code;

        if (result != 0 && (steps[i] != WEIR_OP_CLOSE || op->file == NULL))
            continue;
        op->verb = steps[i];
        code = is_transfer(steps[i]) ? move_all(queue, op, steps[i]) : perform(queue->session, op);
        if (result == 0)
            result = code;
    }
    op->done_ns = weir_queue_now(queue);
    op->accepted_ns = op->done_ns;
    op->result = result;
    op->file = NULL;
    op->verb = verb;
}

/* Hands to the backend as much of what waits as it takes. 0, or the error that broke the session.
 * One pair of stamps serves the whole batch. */
static int submit_pending(struct weir_queue *queue)
{
    uint64_t issued_ns;
    uint64_t accepted_ns;
    int taken;

    if (queue->pending_count == 0)
        return 0;
    issued_ns = issue_stamp(queue);
    taken = queue->transfer->submit(queue->session, queue->pending, queue->pending_count);
    accepted_ns = queue->times_submission ? weir_queue_now(queue) : issued_ns;
    if (taken < 0)
        return taken;
    assert((unsigned)taken <= queue->pending_count);
    assert(taken > 0 || queue->flying_count > 0);
    for (int i = 0; i < taken; i++) {
        queue->pending[i]->issued_ns = issued_ns;
        queue->pending[i]->accepted_ns = accepted_ns;
        enter(queue->pending[i], SLOT_SENT, SLOT_FLYING);
    }
    queue->pending_count -= (unsigned)taken;
    queue->flying_count += (unsigned)taken;
    if (queue->pending_count > 0)
        memmove(queue->pending, queue->pending + taken,
                queue->pending_count * sizeof(struct weir_op *));
    return 0;
}

static int reap_flying(struct weir_queue *queue, struct weir_op *done[], unsigned min, unsigned max,
                       uint64_t timeout_ns)
{
    uint64_t done_ns;
    int count;

    if (queue->flying_count == 0)
        return 0;
    count = queue->transfer->reap(queue->session, done, min, max, timeout_ns);
    done_ns = weir_queue_now(queue);
    if (count < 0)
        return count;
    assert((unsigned)count <= max);
    assert((unsigned)count <= queue->flying_count);
    for (int i = 0; i < count; i++) {
        enter(done[i], SLOT_FLYING, SLOT_REAPED);
        check_result(done[i]);
        done[i]->done_ns = done_ns;
    }
    queue->flying_count -= (unsigned)count;
    return count;
}

static int hand_out_done(struct weir_queue *queue, struct weir_op *done[], unsigned max)
{
    unsigned count = smaller(max, queue->done_count);

    for (unsigned i = 0; i < count; i++) {
        done[i] = queue->done[i];
        enter(done[i], SLOT_DONE, SLOT_REAPED);
    }
    queue->done_count -= count;
    for (unsigned i = 0; i < queue->done_count; i++)
        queue->done[i] = queue->done[i + count];
    return (int)count;
}

static uint64_t timeout_left(uint64_t timeout_ns, uint64_t waited_ns)
{
    if (timeout_ns == WEIR_FOREVER)
        return WEIR_FOREVER;
    return waited_ns < timeout_ns ? timeout_ns - waited_ns : 0;
}

int weir_queue_reap(struct weir_queue *queue, struct weir_op *done[], unsigned min, unsigned max,
                    uint64_t timeout_ns)
{
    unsigned least = smaller(min, weir_queue_outstanding(queue));
    unsigned count = 0;
    bool is_interrupted;

    assert(min <= max);
    if (queue->is_blocking)
        return hand_out_done(queue, done, max);
    /* A full backend takes the rest only after it has given something back. */
    do {
        int rc = submit_pending(queue);
        unsigned wanted = smaller(least - count, queue->flying_count);
        uint64_t begin_ns = queue->last_ns;

        if (rc == 0)
            rc = reap_flying(queue, done + count, wanted, max - count, timeout_ns);
        if (rc < 0) {
            queue->is_broken = true;
            return rc;
        }
        count += (unsigned)rc;
        /* The timeout is over, or a signal came. */
        is_interrupted = (unsigned)rc < wanted;
        timeout_ns = timeout_left(timeout_ns, queue->last_ns - begin_ns);
    } while (count < least && !is_interrupted);
    return (int)count;
}

void weir_queue_give(struct weir_queue *queue, struct weir_op *op)
{
    leave_engine(op, SLOT_FREE);
    queue->free[queue->free_count++] = op;
}
