/* SPDX-License-Identifier: Apache-2.0 */
/* Faults in transfers and other queued operations: errors, short transfers, delays, late
 * completions. */
#include "fault.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const struct weir_transfer_ops *inner_transfer_of(const struct fault_session *fault)
{
    assert(fault->inner != NULL);
    return fault->inner->backend->transfer;
}

/* ---- what is hit ---- */

static bool is_transfer(enum weir_op_verb verb)
{
    return verb == WEIR_OP_READ || verb == WEIR_OP_WRITE;
}

static bool is_counted(const struct fault_session *fault, enum weir_op_verb verb)
{
    static const char *const words[WEIR_OP_BACKEND_VERBS] = {
        [WEIR_OP_OPEN] = "open",         [WEIR_OP_CLOSE] = "close",
        [WEIR_OP_STAT] = "stat",         [WEIR_OP_MKDIR] = "mkdir",
        [WEIR_OP_UNLINK] = "unlink",     [WEIR_OP_RMDIR] = "rmdir",
        [WEIR_OP_RENAME] = "rename",     [WEIR_OP_MKNOD] = "mknod",
        [WEIR_OP_LINK] = "link",         [WEIR_OP_SYMLINK] = "symlink",
        [WEIR_OP_CHMOD] = "chmod",       [WEIR_OP_SETXATTR] = "setxattr",
        [WEIR_OP_GETXATTR] = "getxattr", [WEIR_OP_LIST] = "list",
    };
    const char *counted = fault->options.verb;

    switch (verb) {
    case WEIR_OP_WRITE:
        return strcmp(counted, "any") == 0 || strcmp(counted, "write") == 0;
    case WEIR_OP_READ:
        return strcmp(counted, "any") == 0 || strcmp(counted, "read") == 0;
    case WEIR_OP_SYNC:
        return strcmp(counted, "sync") == 0;
    default:
        return strcmp(counted, "name") == 0 || strcmp(counted, words[verb]) == 0;
    }
}

bool weir_fault_hits(struct fault_session *fault, enum weir_op_verb verb)
{
    uint64_t at = (uint64_t)fault->options.at;
    uint64_t every = (uint64_t)fault->options.every;
    uint64_t number;

    if (!fault->is_target_rank || fault->is_elsewhere || !is_counted(fault, verb))
        return false;
    number = fault->op_count++;
    return number == at || (every > 0 && number > at && (number - at) % every == 0);
}

static void pause_for(uint64_t ns)
{
    struct timespec rest = {.tv_sec = (time_t)(ns / 1000000000),
                            .tv_nsec = (long)(ns % 1000000000)};

    while (ns > 0 && nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
}

int weir_fault_error(const struct fault_session *fault, enum weir_op_verb verb, bool is_hit)
{
    if (is_hit && fault->transfer_rc < 0)
        return fault->transfer_rc;
    if (!fault->is_target_rank)
        return 0;
    return verb == WEIR_OP_OPEN    ? fault->open_rc
           : verb == WEIR_OP_CLOSE ? fault->close_rc
           : verb == WEIR_OP_SYNC  ? fault->sync_rc
                                   : 0;
}

int weir_fault_stage(struct fault_session *fault, enum weir_op_verb verb)
{
    bool is_hit = weir_fault_hits(fault, verb);

    if (is_hit)
        pause_for(fault->options.delay_ns);
    return weir_fault_error(fault, verb, is_hit);
}

/* ---- transfers and whatever else comes through the queue ---- */

/* False if the inner backend must not see it: its result is set already. */
static bool strike(const struct fault_session *fault, struct weir_op *op, bool is_hit)
{
    uint64_t cut = is_transfer(op->verb) && is_hit ? (uint64_t)fault->options.short_bytes : 0;
    int rc = weir_fault_error(fault, op->verb, is_hit);

    /* A collective transfer is made and reported as failed afterwards, because the other ranks
     * wait for it. So are closes and syncs. */
    if (rc < 0 && (op->is_collective || op->verb == WEIR_OP_CLOSE || op->verb == WEIR_OP_SYNC))
        return true;
    if (rc < 0 || (cut > 0 && cut >= op->size)) {
        op->result = rc;
        return false;
    }
    op->size -= cut;
    return true;
}

/* Turns the request into one of the inner backend. False if the inner backend must not see it:
 * its result is set already. */
static bool set_out(struct fault_session *fault, struct weir_op *op)
{
    struct fault_slot *fault_slot = &fault->slots[op->slot];

    if (is_transfer(op->verb))
        pause_for(fault->options.pause_ns);
    *fault_slot = (struct fault_slot){
        .file = op->file, .size = op->size, .is_hit = weir_fault_hits(fault, op->verb)};
    if (fault_slot->is_hit) {
        pause_for(fault->options.delay_ns);
        fault_slot->late_count = fault->options.late_count;
    }
    if (!strike(fault, op, fault_slot->is_hit))
        return false;
    fault->inner->directory_mode = fault->base.directory_mode;
    if (op->verb == WEIR_OP_OPEN) {
        fault_slot->opened = calloc(1, sizeof *fault_slot->opened);
        if (!fault_slot->opened) {
            op->result = -ENOMEM;
            return false;
        }
    } else if (is_transfer(op->verb) || op->verb == WEIR_OP_SYNC || op->verb == WEIR_OP_CLOSE) {
        op->file = weir_fault_inner_file(op->file);
    }
    return true;
}

static void clear_slot(struct fault_session *fault, struct weir_op *op)
{
    struct fault_slot *fault_slot = &fault->slots[op->slot];

    op->file = fault_slot->file;
    op->size = fault_slot->size;
    free(fault_slot->opened);
    fault_slot->opened = NULL;
}

static void bring_home_file(struct fault_slot *fault_slot, struct weir_op *op)
{
    fault_slot->opened->inner = op->file;
    fault_slot->opened->base = *op->file;
    fault_slot->file = &fault_slot->opened->base;
    fault_slot->opened = NULL;
}

void weir_fault_hide_bytes(const struct fault_session *fault, struct weir_name_facts *facts)
{
    uint64_t hidden = fault->is_target_rank ? (uint64_t)fault->options.stat_bytes : 0;

    facts->bytes -= hidden < facts->bytes ? hidden : facts->bytes;
}

/* Makes the request the caller's again. */
static void bring_home(struct fault_session *fault, struct weir_op *op)
{
    struct fault_slot *fault_slot = &fault->slots[op->slot];
    int rc = weir_fault_error(fault, op->verb, fault_slot->is_hit);

    if (op->verb == WEIR_OP_OPEN && op->result == 0)
        bring_home_file(fault_slot, op);
    if (op->verb == WEIR_OP_CLOSE) {
        free(fault_slot->file);
        fault_slot->file = NULL;
    }
    if (op->verb == WEIR_OP_STAT && op->result == 0)
        weir_fault_hide_bytes(fault, op->request->facts);
    clear_slot(fault, op);
    if (rc < 0)
        op->result = rc;
    if (fault_slot->is_hit && fault->options.must_flip && op->verb == WEIR_OP_READ &&
        op->result > 0)
        ((unsigned char *)op->data)[op->result / 2] ^= 1;
}

static int64_t transfer_inner(struct fault_session *fault, struct weir_op *op)
{
    const struct weir_transfer_ops *inner = inner_transfer_of(fault);
    struct weir_op *done;
    int rc;

    if (inner->transfer)
        return inner->transfer(fault->inner, op);
    rc = inner->submit(fault->inner, &op, 1);
    if (rc != 1)
        return rc < 0 ? rc : -EIO;
    /* After a signal the wait goes on: the operation is still in flight. */
    do
        rc = inner->reap(fault->inner, &done, 1, 1, WEIR_FOREVER);
    while (rc == 0);
    return rc < 0 ? rc : op->result;
}

static int64_t fault_transfer(struct weir_session *session, struct weir_op *op)
{
    struct fault_session *fault = weir_fault_session(session);

    if (!set_out(fault, op))
        return op->result;
    op->result = transfer_inner(fault, op);
    bring_home(fault, op);
    return op->result;
}

/* One at a time, so that a full inner backend stops exactly here: an operation refused is one that
 * never was. */
static int fault_submit(struct weir_session *session, struct weir_op *const ops[], unsigned count)
{
    struct fault_session *fault = weir_fault_session(session);
    unsigned taken;

    for (taken = 0; taken < count; taken++) {
        struct weir_op *op = ops[taken];
        uint64_t op_count = fault->op_count;
        int rc;

        if (!set_out(fault, op)) {
            fault->kept[fault->kept_count++] = op;
            continue;
        }
        rc = inner_transfer_of(fault)->submit(fault->inner, &op, 1);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            clear_slot(fault, op);
            fault->op_count = op_count;
            break;
        }
        fault->inner_count++;
    }
    return (int)taken;
}

/* Each completion brings those that are held back one step nearer to theirs. */
static void hand_back(struct fault_session *fault, struct weir_op *op, struct weir_op **place)
{
    *place = op;
    for (unsigned i = 0; i < fault->kept_count; i++)
        fault->slots[fault->kept[i]->slot].late_count--;
}

/* Returns held completions that are due, at most `max`, and their number. */
static unsigned release_kept(struct fault_session *fault, struct weir_op *done[], unsigned max)
{
    unsigned count = 0;
    unsigned i = 0;

    while (i < fault->kept_count && count < max) {
        struct weir_op *op = fault->kept[i];

        if (fault->slots[op->slot].late_count > 0 && fault->inner_count > 0) {
            i++;
            continue;
        }
        fault->kept_count--;
        memmove(fault->kept + i, fault->kept + i + 1,
                (fault->kept_count - i) * sizeof(struct weir_op *));
        hand_back(fault, op, &done[count++]);
        i = 0; /* others may have waited for this one */
    }
    return count;
}

/* Of `count` completions of the inner backend, holds back those that are to be late. Returns the
 * number of the others. */
static unsigned keep_late(struct fault_session *fault, struct weir_op *done[], unsigned count)
{
    unsigned left = 0;

    fault->inner_count -= count;
    for (unsigned i = 0; i < count; i++) {
        struct weir_op *op = done[i];

        bring_home(fault, op);
        if (fault->slots[op->slot].late_count > 0)
            fault->kept[fault->kept_count++] = op;
        else
            hand_back(fault, op, &done[left++]);
    }
    return left;
}

/* Each wait for the inner backend gets the whole timeout, since a backend reads no clock. */
static int fault_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                      unsigned max, uint64_t timeout_ns)
{
    struct fault_session *fault = weir_fault_session(session);
    unsigned count = release_kept(fault, done, max);
    bool is_interrupted = false;

    while (count < max && fault->inner_count > 0 && !is_interrupted) {
        unsigned missing = min > count ? min - count : 0;
        unsigned wanted = missing < fault->inner_count ? missing : fault->inner_count;
        int rc = inner_transfer_of(fault)->reap(fault->inner, done + count, wanted, max - count,
                                                timeout_ns);

        if (rc < 0)
            return rc;
        count += keep_late(fault, done + count, (unsigned)rc);
        count += release_kept(fault, done + count, max - count);
        is_interrupted = (unsigned)rc < wanted;
        if (count >= min)
            break;
    }
    return (int)count;
}

const struct weir_transfer_ops weir_fault_transfer_ops = {
    .transfer = fault_transfer,
    .submit = fault_submit,
    .reap = fault_reap,
};
