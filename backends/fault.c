/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps another backend and injects faults where its options say so: for tests of how the rest
 * of the program reacts. */
#include "fault.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct weir_backend weir_backend_fault;

#define AT(member) WEIR_OPTION_AT(struct fault_options, member)

#define VERBS_OF_NAMES                                                                             \
    "open|close|stat|mkdir|unlink|rmdir|rename|mknod|link|symlink|chmod|setxattr|getxattr|list"

static const struct weir_option fault_rows[] = {
    {0, "fault.verb", WEIR_OPTION_CHOICE, AT(verb), "any",
     "any|read|write|sync|name|" VERBS_OF_NAMES,
     .help =
         "what is counted and hit: any: transfers; name: any operation on names, queued or not"},
    {0, "fault.at", WEIR_OPTION_COUNT, AT(at),
     .help = "number of the first transfer to be hit, from 0"},
    {0, "fault.every", WEIR_OPTION_COUNT, AT(every),
     .help = "hit every so many transfers from there on; 0: only one"},
    {0, "fault.errno", WEIR_OPTION_TEXT, AT(transfer_error),
     .help = "what a transfer that is hit fails with, as in ENOSPC"},
    {0, "fault.short", WEIR_OPTION_SIZE, AT(short_bytes),
     .help = "bytes by which a transfer that is hit falls short"},
    {0, "fault.flip", WEIR_OPTION_FLAG, AT(must_flip),
     .help = "flip one bit in the middle of what a read that is hit returns"},
    {0, "fault.delay", WEIR_OPTION_MICROSECONDS, AT(delay_ns),
     .help = "pause before a transfer that is hit, in microseconds"},
    {0, "fault.pause", WEIR_OPTION_MICROSECONDS, AT(pause_ns),
     .help = "pause before each transfer, hit or not, in microseconds"},
    {0, "fault.late", WEIR_OPTION_COUNT, AT(late_count),
     .help = "transfers that come back before one that is hit, as far as there are any"},
    {0, "fault.rank", WEIR_OPTION_INTEGER, AT(rank), "-1",
     .help = "the only rank on which anything goes wrong; -1: on all"},
    {0, "fault.in", WEIR_OPTION_TEXT, AT(part_of_path),
     .help = "a part of the paths of files in whose transfers and syncs anything goes wrong"},
    {0, "fault.open", WEIR_OPTION_TEXT, AT(open_error), .help = "what open fails with"},
    {0, "fault.close", WEIR_OPTION_TEXT, AT(close_error),
     .help = "what close fails with, after it is done"},
    {0, "fault.sync", WEIR_OPTION_TEXT, AT(sync_error), .help = "what sync fails with"},
    {0, "fault.stat", WEIR_OPTION_SIZE, AT(stat_bytes),
     .help = "bytes by which the size of a file is told too small"},
    {0, "fault.swap", WEIR_OPTION_TEXT, AT(swapped_in),
     .help = "a name that takes the place of the file's, as another program could do it"},
    {0, "fault.swap-at", WEIR_OPTION_CHOICE, AT(swaps_at), "open", "open|close",
     .help = "when: before an open that writes, or after a close"},
    {0},
};

/* ---- session ---- */

/* 0 if no error is asked for. */
static int read_errno(const char *option, const char *name, int *rc, struct weir_error *error)
{
    static const struct {
        const char *name;
        int number;
    } known[] = {
        {"EACCES", EACCES},       {"EAGAIN", EAGAIN},         {"EBADF", EBADF},
        {"EDQUOT", EDQUOT},       {"EEXIST", EEXIST},         {"EMFILE", EMFILE},
        {"ENOTEMPTY", ENOTEMPTY}, {"EOPNOTSUPP", EOPNOTSUPP}, {"EFBIG", EFBIG},
        {"EINTR", EINTR},         {"EINVAL", EINVAL},         {"EIO", EIO},
        {"EISDIR", EISDIR},       {"ENODEV", ENODEV},         {"ENOENT", ENOENT},
        {"ENOMEM", ENOMEM},       {"ENOSPC", ENOSPC},         {"EPERM", EPERM},
        {"EROFS", EROFS},         {"ESTALE", ESTALE},         {"ETIMEDOUT", ETIMEDOUT},
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
    fault->slots = calloc(fault->base.depth, sizeof *fault->slots);
    fault->kept = calloc(fault->base.depth, sizeof(struct weir_op *));
    return fault->slots && fault->kept ? 0 : -ENOMEM;
}

static void fault_session_close(struct weir_session *session)
{
    struct fault_session *fault = weir_fault_session(session);

    if (fault->inner)
        fault->inner->backend->close(fault->inner);
    free(fault->slots);
    free(fault->kept);
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
    fault->is_target_rank = fault->options.rank < 0 || fault->options.rank == params->group->rank;
    rc = read_errors(fault, error);
    if (rc == 0)
        rc = open_inner(fault, params, error);
    if (rc == 0) {
        assert(fault->inner != NULL);
        fault->base.backend = &weir_backend_fault;
        fault->base.depth = fault->inner->backend->transfer->submit ? fault->inner->depth : 1;
        fault->base.wants_huge_pages = fault->inner->wants_huge_pages;
        fault->base.bypasses_cache = fault->inner->bypasses_cache;
        fault->base.submits_in_reap = fault->inner->submits_in_reap;
        fault->base.queued_names = fault->inner->queued_names;
        rc = make_slots(fault);
    }
    if (rc < 0) {
        fault_session_close(&fault->base);
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, rc, "fault", "%s", strerror(-rc));
    }
    *session = &fault->base;
    return 0;
}

static void fault_describe(struct weir_session *session, struct weir_session_facts *facts)
{
    struct weir_session *inner = weir_fault_session(session)->inner;

    if (inner->backend->describe)
        inner->backend->describe(inner, facts);
}

static int fault_lend(struct weir_session *session, void *memory, size_t bytes,
                      struct weir_error *error)
{
    struct weir_session *inner = weir_fault_session(session)->inner;

    return inner->backend->memory ? inner->backend->memory->lend(inner, memory, bytes, error) : 0;
}

static void fault_give_back(struct weir_session *session)
{
    struct weir_session *inner = weir_fault_session(session)->inner;

    if (inner->backend->memory)
        inner->backend->memory->give_back(inner);
}

/* ---- files ---- */

static int fault_may_open(struct weir_session *session, const struct weir_file_params *params)
{
    struct weir_session *inner = weir_fault_session(session)->inner;

    return inner->backend->file->may_open ? inner->backend->file->may_open(inner, params) : 0;
}

static void fault_abandon(struct weir_session *session, struct weir_file *file)
{
    struct weir_session *inner = weir_fault_session(session)->inner;

    inner->backend->file->abandon(inner, weir_fault_inner_file(file));
    free(file);
}

/* Once: then there is no such name any more. */
static void swap(const struct fault_session *fault, const char *path, const char *when)
{
    const struct weir_name_ops *names = fault->inner->backend->names;

    if (*path == '\0' || strcmp(fault->options.swaps_at, when) != 0)
        return;
    if (names && names->kernel_path)
        path = names->kernel_path(fault->inner, path);
    if (fault->is_target_rank && fault->options.swapped_in && path)
        rename(fault->options.swapped_in, path);
}

static int fault_open(struct weir_session *session, const struct weir_file_params *params,
                      struct weir_file **file)
{
    struct fault_session *fault = weir_fault_session(session);
    int staged_rc = weir_fault_stage(fault, WEIR_OP_OPEN);
    struct fault_file *opened;
    int rc;

    /* Where ranks open together, the others wait for this rank: it opens too, and fails
     * afterwards. */
    if (staged_rc < 0 && (params->group->size == 1 || fault->inner->backend->file->abandon == NULL))
        return staged_rc;
    opened = calloc(1, sizeof *opened);
    if (!opened)
        return -ENOMEM;
    fault->is_elsewhere = fault->options.part_of_path != NULL &&
                          strstr(params->path, fault->options.part_of_path) == NULL;
    snprintf(opened->path, sizeof opened->path, "%s", params->can_write ? params->path : "");
    swap(fault, opened->path, "open");
    rc = fault->inner->backend->file->open(fault->inner, params, &opened->inner);
    if (rc < 0) {
        free(opened);
        return rc;
    }
    if (staged_rc < 0) {
        fault_abandon(session, &opened->base);
        return staged_rc;
    }
    opened->base = *opened->inner;
    *file = &opened->base;
    return 0;
}

static int fault_close(struct weir_session *session, struct weir_file *file)
{
    struct fault_session *fault = weir_fault_session(session);
    int staged_rc = weir_fault_stage(fault, WEIR_OP_CLOSE);
    int rc = fault->inner->backend->file->close(fault->inner, weir_fault_inner_file(file));

    swap(fault, ((struct fault_file *)file)->path, "close");
    free(file);
    return staged_rc < 0 ? staged_rc : rc;
}

static int fault_sync(struct weir_session *session, struct weir_file *file)
{
    struct fault_session *fault = weir_fault_session(session);
    int rc = fault->inner->backend->file->sync(fault->inner, weir_fault_inner_file(file));
    int staged_rc = weir_fault_stage(fault, WEIR_OP_SYNC);

    return staged_rc < 0 ? staged_rc : rc;
}

static int64_t fault_size(struct weir_session *session, struct weir_file *file)
{
    struct fault_session *fault = weir_fault_session(session);

    return fault->inner->backend->file->size(fault->inner, weir_fault_inner_file(file));
}

static const struct weir_file_ops fault_file_ops = {
    .may_open = fault_may_open,
    .open = fault_open,
    .abandon = fault_abandon,
    .close = fault_close,
    .sync = fault_sync,
    .size = fault_size,
};

static const struct weir_memory_ops fault_memory_ops = {
    .lend = fault_lend,
    .give_back = fault_give_back,
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
    .describe = fault_describe,
    .transfer = &weir_fault_transfer_ops,
    .file = &fault_file_ops,
    .names = &weir_fault_name_ops,
    .memory = &fault_memory_ops,
};
