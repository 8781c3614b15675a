/* SPDX-License-Identifier: Apache-2.0 */
/* Stands around another backend and goes wrong where it is told to: for tests of what everything
 * else does then. */
#include "weir/io/backend.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct weir_backend weir_backend_fault;

struct fault_options {
    const char *verb;
    int64_t at;
    int64_t every;
    int64_t short_bytes;
    int64_t must_flip;
    int64_t rank;
    uint64_t delay_ns;
    const char *transfer_error;
    const char *open_error;
    const char *close_error;
    const char *sync_error;
    int64_t stat_bytes;
};

/* What has become of the request in a slot. */
struct errand {
    struct weir_file *file; /* as the caller has it */
    uint64_t size;
    bool is_hit;
};

struct fault_session {
    struct weir_session base;
    struct weir_session *inner;
    struct fault_options options;
    bool is_struck;  /* this rank is one that goes wrong */
    int transfer_rc; /* the errors as numbers; 0: none */
    int open_rc;
    int close_rc;
    int sync_rc;
    uint64_t op_count;
    struct errand *errands;  /* one per slot */
    struct weir_op **failed; /* done without having reached the inner backend */
    unsigned failed_count;
};

struct fault_file {
    struct weir_file base;
    struct weir_file *inner;
};

static const struct weir_option fault_rows[] = {
    {.name = "fault.verb",
     .type = WEIR_OPTION_CHOICE,
     .offset = offsetof(struct fault_options, verb),
     .standard = "any",
     .choices = "any|read|write",
     .help = "transfers that are counted and hit"},
    {.name = "fault.at",
     .type = WEIR_OPTION_COUNT,
     .offset = offsetof(struct fault_options, at),
     .help = "number of the first transfer to be hit, from 0"},
    {.name = "fault.every",
     .type = WEIR_OPTION_COUNT,
     .offset = offsetof(struct fault_options, every),
     .help = "hit every so many transfers from there on; 0: only one"},
    {.name = "fault.errno",
     .type = WEIR_OPTION_TEXT,
     .offset = offsetof(struct fault_options, transfer_error),
     .help = "what a transfer that is hit fails with, as in ENOSPC"},
    {.name = "fault.short",
     .type = WEIR_OPTION_SIZE,
     .offset = offsetof(struct fault_options, short_bytes),
     .help = "bytes by which a transfer that is hit falls short"},
    {.name = "fault.flip",
     .type = WEIR_OPTION_FLAG,
     .offset = offsetof(struct fault_options, must_flip),
     .help = "flip one bit in the middle of what a read that is hit returns"},
    {.name = "fault.delay",
     .type = WEIR_OPTION_MICROSECONDS,
     .offset = offsetof(struct fault_options, delay_ns),
     .help = "pause before a transfer that is hit, in microseconds"},
    {.name = "fault.rank",
     .type = WEIR_OPTION_INTEGER,
     .offset = offsetof(struct fault_options, rank),
     .standard = "-1",
     .help = "the only rank on which anything goes wrong; -1: on all"},
    {.name = "fault.open",
     .type = WEIR_OPTION_TEXT,
     .offset = offsetof(struct fault_options, open_error),
     .help = "what open fails with"},
    {.name = "fault.close",
     .type = WEIR_OPTION_TEXT,
     .offset = offsetof(struct fault_options, close_error),
     .help = "what close fails with, after it is done"},
    {.name = "fault.sync",
     .type = WEIR_OPTION_TEXT,
     .offset = offsetof(struct fault_options, sync_error),
     .help = "what sync fails with"},
    {.name = "fault.stat",
     .type = WEIR_OPTION_SIZE,
     .offset = offsetof(struct fault_options, stat_bytes),
     .help = "bytes by which the size of a file is told too small"},
    {0},
};

static struct fault_session *fault_session_of(struct weir_session *session)
{
    return (struct fault_session *)session;
}

static struct weir_file *inner_file_of(struct weir_file *file)
{
    return ((struct fault_file *)file)->inner;
}

static const struct weir_transfer_ops *inner_transfer_of(const struct fault_session *fault)
{
    assert(fault->inner != NULL);
    return fault->inner->backend->transfer;
}

/* ---- session ---- */

/* 0 if no error is asked for. */
static int read_errno(const char *option, const char *name, int *rc, struct weir_error *error)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {
        {"EACCES", EACCES},       {"EAGAIN", EAGAIN}, {"EBADF", EBADF},   {"EDQUOT", EDQUOT},
        {"EFBIG", EFBIG},         {"EINTR", EINTR},   {"EINVAL", EINVAL}, {"EIO", EIO},
        {"EISDIR", EISDIR},       {"ENODEV", ENODEV}, {"ENOENT", ENOENT}, {"ENOMEM", ENOMEM},
        {"ENOSPC", ENOSPC},       {"EPERM", EPERM},   {"EROFS", EROFS},   {"ESTALE", ESTALE},
        {"ETIMEDOUT", ETIMEDOUT},
    };

    *rc = 0;
    if (!name)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) == 0) {
            *rc = -known[i].number;
            return 0;
        }
    }
    return weir_error_usage(error, option, "%s is not among the errors that can be staged", name);
}

static int read_errors(struct fault_session *fault, struct weir_error *error)
{
    const struct fault_options *options = &fault->options;
    int rc = read_errno("fault.errno", options->transfer_error, &fault->transfer_rc, error);

    if (rc == 0)
        rc = read_errno("fault.open", options->open_error, &fault->open_rc, error);
    if (rc == 0)
        rc = read_errno("fault.close", options->close_error, &fault->close_rc, error);
    if (rc == 0)
        rc = read_errno("fault.sync", options->sync_error, &fault->sync_rc, error);
    return rc;
}

static int open_inner(struct fault_session *fault, const struct weir_session_params *params,
                      struct weir_error *error)
{
    struct weir_session_params inner = *params;

    if (!params->inner)
        return weir_error_usage(error, "fault", "name the backend to stand around: fault:posix");
    inner.options = params->inner_options;
    inner.inner = NULL;
    inner.inner_options = NULL;
    return params->inner->open(&inner, &fault->inner, error);
}

static int make_slots(struct fault_session *fault)
{
    fault->errands = calloc(fault->base.depth, sizeof *fault->errands);
    fault->failed = calloc(fault->base.depth, sizeof(struct weir_op *));
    return fault->errands && fault->failed ? 0 : -ENOMEM;
}

static void fault_session_close(struct weir_session *session)
{
    struct fault_session *fault = fault_session_of(session);

    if (fault->inner)
        fault->inner->backend->close(fault->inner);
    free(fault->errands);
    free(fault->failed);
    free(fault);
}

static int fault_session_open(const struct weir_session_params *params,
                              struct weir_session **session, struct weir_error *error)
{
    struct fault_session *fault = calloc(1, sizeof *fault);
    int rc;

    if (!fault)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, "fault", "out of memory");
    fault->options = *(const struct fault_options *)params->options;
    fault->is_struck = fault->options.rank < 0 || fault->options.rank == params->group->rank;
    rc = read_errors(fault, error);
    if (rc == 0)
        rc = open_inner(fault, params, error);
    if (rc == 0) {
        fault->base.backend = &weir_backend_fault;
        fault->base.depth = inner_transfer_of(fault)->submit ? fault->inner->depth : 1;
        rc = make_slots(fault);
    }
    if (rc < 0) {
        fault_session_close(&fault->base);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "fault", "%s", strerror(-rc));
    }
    *session = &fault->base;
    return 0;
}

/* ---- transfers ---- */

static bool is_counted(const struct fault_session *fault, const struct weir_op *op)
{
    const char *verb = op->verb == WEIR_OP_WRITE ? "write" : "read";

    return strcmp(fault->options.verb, "any") == 0 || strcmp(fault->options.verb, verb) == 0;
}

static bool is_hit(struct fault_session *fault, const struct weir_op *op)
{
    uint64_t at = (uint64_t)fault->options.at;
    uint64_t every = (uint64_t)fault->options.every;
    uint64_t number;

    if (!fault->is_struck || !is_counted(fault, op))
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

/* Makes the request one of the inner backend. False if it must not get there: the result stands
 * already. */
static bool set_out(struct fault_session *fault, struct weir_op *op)
{
    struct errand *errand = &fault->errands[op->slot];
    uint64_t cut = (uint64_t)fault->options.short_bytes;

    *errand = (struct errand){.file = op->file, .size = op->size, .is_hit = is_hit(fault, op)};
    if (errand->is_hit) {
        pause_for(fault->options.delay_ns);
        if (fault->transfer_rc < 0 && op->is_collective)
            cut = 0; /* the other ranks wait for it: it fails when it is done */
        else if (fault->transfer_rc < 0 || cut >= op->size) {
            op->result = fault->transfer_rc;
            return false;
        }
        op->size -= cut;
    }
    op->file = inner_file_of(op->file);
    return true;
}

/* Makes the request the caller's again. */
static void bring_home(struct fault_session *fault, struct weir_op *op)
{
    const struct errand *errand = &fault->errands[op->slot];

    op->file = errand->file;
    op->size = errand->size;
    if (errand->is_hit && fault->transfer_rc < 0)
        op->result = fault->transfer_rc;
    if (errand->is_hit && fault->options.must_flip && op->verb == WEIR_OP_READ && op->result > 0)
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
    if (rc == 1)
        rc = inner->reap(fault->inner, &done, 1, 1, WEIR_FOREVER);
    return rc == 1 ? op->result : rc < 0 ? rc : -EIO;
}

static int64_t fault_transfer(struct weir_session *session, struct weir_op *op)
{
    struct fault_session *fault = fault_session_of(session);

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
    struct fault_session *fault = fault_session_of(session);
    unsigned taken;

    for (taken = 0; taken < count; taken++) {
        struct weir_op *op = ops[taken];
        uint64_t op_count = fault->op_count;
        int rc;

        if (!set_out(fault, op)) {
            fault->failed[fault->failed_count++] = op;
            continue;
        }
        rc = inner_transfer_of(fault)->submit(fault->inner, &op, 1);
        if (rc < 0)
            return rc;
        if (rc == 0) {
            op->file = fault->errands[op->slot].file;
            op->size = fault->errands[op->slot].size;
            fault->op_count = op_count;
            break;
        }
    }
    return (int)taken;
}

static int fault_reap(struct weir_session *session, struct weir_op *done[], unsigned min,
                      unsigned max, uint64_t patience_ns)
{
    struct fault_session *fault = fault_session_of(session);
    unsigned count = 0;
    int reaped;

    while (count < max && fault->failed_count > 0)
        done[count++] = fault->failed[--fault->failed_count];
    if (count == max)
        return (int)count;
    reaped = inner_transfer_of(fault)->reap(
        fault->inner, done + count, min > count ? min - count : 0, max - count, patience_ns);
    if (reaped < 0)
        return reaped;
    for (int i = 0; i < reaped; i++)
        bring_home(fault, done[count + (unsigned)i]);
    return (int)count + reaped;
}

/* ---- files ---- */

static int fault_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    struct fault_session *fault = fault_session_of(session);
    struct fault_file *opened;
    int rc;

    if (fault->is_struck && fault->open_rc < 0)
        return fault->open_rc;
    opened = calloc(1, sizeof *opened);
    if (!opened)
        return -ENOMEM;
    rc = fault->inner->backend->file->open(fault->inner, params, &opened->inner);
    if (rc < 0) {
        free(opened);
        return rc;
    }
    opened->base = *opened->inner;
    *file = &opened->base;
    return 0;
}

static int fault_close(struct weir_session *session, struct weir_file *file)
{
    struct fault_session *fault = fault_session_of(session);
    int rc = fault->inner->backend->file->close(fault->inner, inner_file_of(file));

    free(file);
    return fault->is_struck && fault->close_rc < 0 ? fault->close_rc : rc;
}

static int fault_sync(struct weir_session *session, struct weir_file *file)
{
    struct fault_session *fault = fault_session_of(session);
    int rc = fault->inner->backend->file->sync(fault->inner, inner_file_of(file));

    return fault->is_struck && fault->sync_rc < 0 ? fault->sync_rc : rc;
}

static int64_t fault_size(struct weir_session *session, struct weir_file *file)
{
    struct fault_session *fault = fault_session_of(session);

    return fault->inner->backend->file->size(fault->inner, inner_file_of(file));
}

/* ---- names: the inner backend's, if it has any ---- */

static const struct weir_name_ops *inner_names_of(struct weir_session *session)
{
    return fault_session_of(session)->inner->backend->names;
}

static int fault_stat(struct weir_session *session, const char *path, struct weir_name_facts *facts)
{
    const struct weir_name_ops *names = inner_names_of(session);
    const struct fault_session *fault = fault_session_of(session);
    uint64_t hidden = fault->is_struck ? (uint64_t)fault->options.stat_bytes : 0;
    int rc = names ? names->stat(fault->inner, path, facts) : -ENOSYS;

    if (rc == 0)
        facts->bytes -= hidden < facts->bytes ? hidden : facts->bytes;
    return rc;
}

static int fault_unlink(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return names ? names->unlink(fault_session_of(session)->inner, path) : -ENOSYS;
}

static int fault_mkdir(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return names ? names->mkdir(fault_session_of(session)->inner, path) : -ENOSYS;
}

static int fault_rmdir(struct weir_session *session, const char *path)
{
    const struct weir_name_ops *names = inner_names_of(session);

    return names ? names->rmdir(fault_session_of(session)->inner, path) : -ENOSYS;
}

static int fault_check(struct weir_session *session, const char *path, struct weir_error *error)
{
    const struct weir_name_ops *names = inner_names_of(session);

    if (names && names->check)
        return names->check(fault_session_of(session)->inner, path, error);
    return 0;
}

static int fault_alignment(struct weir_session *session, const char *path,
                           struct weir_alignment *alignment)
{
    const struct weir_name_ops *names = inner_names_of(session);

    if (names && names->alignment)
        return names->alignment(fault_session_of(session)->inner, path, alignment);
    *alignment = (struct weir_alignment){.memory = 1, .offset = 1};
    return 0;
}

static const struct weir_transfer_ops fault_transfer_ops = {
    .transfer = fault_transfer,
    .submit = fault_submit,
    .reap = fault_reap,
};

static const struct weir_file_ops fault_file_ops = {
    .open = fault_open,
    .close = fault_close,
    .sync = fault_sync,
    .size = fault_size,
};

static const struct weir_name_ops fault_name_ops = {
    .stat = fault_stat,
    .unlink = fault_unlink,
    .mkdir = fault_mkdir,
    .rmdir = fault_rmdir,
    .check = fault_check,
    .alignment = fault_alignment,
};

const struct weir_backend weir_backend_fault = {
    .descriptor = {.name = "fault",
                   .label = "FAULT",
                   .version = "",
                   .summary =
                       "stands around another backend and goes wrong on request (tests only)",
                   .abilities = WEIR_WRAPS,
                   .options = {"FAULT", fault_rows, sizeof(struct fault_options)}},
    .open = fault_session_open,
    .close = fault_session_close,
    .transfer = &fault_transfer_ops,
    .file = &fault_file_ops,
    .names = &fault_name_ops,
};
