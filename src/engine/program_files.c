/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a program has open: handles, and the calls with them. */
#include "program_calls.h"

#include "weir/base/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { FIRST_HANDLES = 64, SLOT_BITS = 24 };

/* ---- handles: a variable has the number of one, and of its open ---- */

static void *name_of(const struct weir_program_files *files,
                     const struct weir_program_handle *handle)
{
    uint64_t slot = (uint64_t)(handle - files->handles);

    return (void *)(uintptr_t)(handle->number << SLOT_BITS | slot);
}

static int make_handles(struct weir_program_files *files)
{
    unsigned room = files->handle_room > 0 ? 2 * files->handle_room : FIRST_HANDLES;
    struct weir_program_handle *grown;

    if (room > 1U << SLOT_BITS)
        return -EMFILE;
    grown = realloc(files->handles, room * sizeof *grown);
    if (grown == NULL)
        return -ENOMEM;
    for (unsigned i = files->handle_room; i < room; i++)
        grown[i] = (struct weir_program_handle){.next = i + 1};
    files->handles = grown;
    files->handle_room = room;
    return 0;
}

struct weir_program_handle *weir_program_handle_take(struct weir_program_walk *walk,
                                                     const struct weir_statement *statement)
{
    struct weir_program_files *files = walk->files;
    struct weir_program_handle *handle;
    char *path = strdup(files->names[0]);
    int code = path == NULL ? -ENOMEM : 0;

    if (code == 0 && files->first_idle == files->handle_room)
        code = make_handles(files);
    if (code != 0) {
        free(path);
        weir_program_fail(walk, statement, "%s: no memory for one more open file: %s",
                          weir_calls[statement->call].word, strerror(-code));
        return NULL;
    }
    handle = &files->handles[files->first_idle];
    files->first_idle = handle->next;
    *handle = (struct weir_program_handle){.path = path, .number = ++files->open_count};
    if (walk->program->must_verify)
        handle->file_number = weir_program_file_number(files, path);
    return handle;
}

void weir_program_handle_free(struct weir_program_walk *walk, struct weir_program_handle *handle)
{
    struct weir_program_files *files = walk->files;

    free(handle->path);
    *handle = (struct weir_program_handle){.next = files->first_idle};
    files->first_idle = (unsigned)(handle - files->handles);
}

static struct weir_value *variable_of(struct weir_program_walk *walk,
                                      const struct weir_statement *statement)
{
    return &walk->values[weir_expr_single_variable(weir_program_argument(statement, 0))];
}

void weir_program_handle_set(struct weir_program_walk *walk, const struct weir_statement *statement,
                             const struct weir_program_handle *handle)
{
    struct weir_value *value;

    if (statement->variable == WEIR_NO_VARIABLE)
        return;
    value = &walk->values[statement->variable];
    value->kind = handle != NULL ? WEIR_VALUE_FILE : WEIR_VALUE_NONE;
    value->file = handle != NULL ? name_of(walk->files, handle) : NULL;
}

void weir_program_handle_unset(struct weir_program_walk *walk,
                               const struct weir_statement *statement)
{
    variable_of(walk, statement)->kind = WEIR_VALUE_NONE;
}

static const char *kind_of_file(bool is_pattern)
{
    return is_pattern ? "of pfopen" : "of fopen or fcreat";
}

struct weir_program_handle *weir_program_handle_find(struct weir_program_walk *walk,
                                                     const struct weir_statement *statement,
                                                     bool is_pattern)
{
    const struct weir_program_files *files = walk->files;
    const struct weir_expr *argument = weir_program_argument(statement, 0);
    const char *word = weir_calls[statement->call].word;
    int variable = weir_expr_single_variable(argument);
    const struct weir_value *value = variable < 0 ? NULL : &walk->values[variable];
    struct weir_program_handle *handle = NULL;
    const char *name = variable < 0 ? "?" : walk->program->variables.names[variable];

    if (value == NULL || value->kind == WEIR_VALUE_NONE) {
        weir_program_fail(walk, statement,
                          "%s: $%s is not set: the file is closed, or its open has failed", word,
                          name);
        return NULL;
    }
    if (value->kind == WEIR_VALUE_FILE) {
        uint64_t number = (uint64_t)(uintptr_t)value->file;
        uint64_t slot = number & ((1U << SLOT_BITS) - 1);

        handle = slot < files->handle_room ? &files->handles[slot] : NULL;
        if (handle != NULL && handle->number != number >> SLOT_BITS)
            handle = NULL;
    }
    if (handle == NULL)
        weir_program_fail(walk, statement,
                          value->kind == WEIR_VALUE_FILE ? "%s: the file of $%s is closed already"
                                                         : "%s: $%s is no open file",
                          word, name);
    else if (handle->is_pattern != is_pattern)
        weir_program_fail(walk, statement, "%s: $%s is a file %s, and one %s is needed", word, name,
                          kind_of_file(handle->is_pattern), kind_of_file(is_pattern));
    return handle != NULL && handle->is_pattern == is_pattern ? handle : NULL;
}

/* Those of patterns in the order of their opens, which is the same on all ranks that share them. */
static struct weir_program_handle *next_open(struct weir_program_files *files, uint64_t number)
{
    struct weir_program_handle *next = NULL;

    for (unsigned i = 0; i < files->handle_room; i++) {
        struct weir_program_handle *handle = &files->handles[i];

        if (handle->is_pattern && handle->number > number &&
            (next == NULL || handle->number < next->number))
            next = handle;
    }
    return next;
}

void weir_program_handles_close(struct weir_program_walk *walk, bool is_complete)
{
    struct weir_program_files *files = walk->files;
    struct weir_program_handle *handle;
    uint64_t number = 0;

    while ((handle = next_open(files, number)) != NULL) {
        number = handle->number;
        if (handle->file != NULL)
            weir_program_pattern_drop(walk, handle, is_complete);
    }
    for (unsigned i = 0; i < files->handle_room; i++) {
        handle = &files->handles[i];
        if (!handle->is_pattern && handle->file != NULL)
            walk->run->backend->file->close(walk->run->session, handle->file);
        free(handle->path);
    }
    free(files->handles);
}

/* ---- opens ---- */

/* Tells once what to do about it. */
static void tell_limit(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct rlimit limit = {0};

    if (walk->files->has_told_limit)
        return;
    walk->files->has_told_limit = true;
    getrlimit(RLIMIT_NOFILE, &limit);
    weir_log(WEIR_LOG_WARNING,
             "rank %d: line %u: %s: a process may have no more than %" PRIu64
             " files open here: close some, or raise the limit before the start (ulimit -n)",
             walk->run->group->rank, statement->line, weir_calls[statement->call].word,
             (uint64_t)limit.rlim_cur);
}

static int open_handle(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    const unsigned flags =
        statement->call == WEIR_CALL_FCREAT ? WEIR_CALL_OPENS_ANEW : statement->open_flags;
    struct weir_program_files *files = walk->files;
    struct weir_program_handle *handle;

    if (weir_program_name(walk, statement, 0) != 0)
        return -ECANCELED;
    handle = weir_program_handle_take(walk, statement);
    if (handle == NULL)
        return -ECANCELED;
    handle->appends = (flags & WEIR_OPEN_APPEND) != 0;
    if (!walk->program->skips_calls) {
        weir_program_opening_set(walk, &files->opening, handle->path, flags, WEIR_CALL_FILE_MODE);
        weir_program_open(walk, &files->opening);
        handle->file = files->op.file;
        weir_program_note_op(walk, statement, handle->path);
        if (files->op.result == -EMFILE)
            tell_limit(walk, statement);
        if (files->op.result != 0) {
            weir_program_handle_free(walk, handle);
            handle = NULL;
        }
    }
    weir_program_handle_set(walk, statement, handle);
    return 0;
}

/* ---- calls with a handle ---- */

/* One operation on the file as a whole. */
static void perform(struct weir_program_walk *walk, const struct weir_statement *statement,
                    enum weir_op_verb verb, const struct weir_program_handle *handle)
{
    struct weir_op *op = &walk->files->op;

    op->verb = verb;
    op->file = handle->file;
    weir_queue_touch(&walk->run->queue);
    weir_queue_perform(&walk->run->queue, op);
    weir_program_note_op(walk, statement, handle->path);
}

static void close_handle(struct weir_program_walk *walk, const struct weir_statement *statement,
                         struct weir_program_handle *handle)
{
    if (handle->file != NULL)
        perform(walk, statement, WEIR_OP_CLOSE, handle);
    weir_program_handle_free(walk, handle);
    weir_program_handle_unset(walk, statement);
}

static int64_t size_of(struct weir_program_walk *walk, const struct weir_program_handle *handle)
{
    return walk->run->backend->file->size(walk->run->session, handle->file);
}

/* Where the next call without an offset is: behind what was appended, wherever that is. */
static uint64_t position_of(struct weir_program_walk *walk, struct weir_program_handle *handle)
{
    int64_t size = handle->is_at_end ? size_of(walk, handle) : -1;

    if (size >= 0)
        handle->position = (uint64_t)size;
    handle->is_at_end = false;
    return handle->position;
}

static int move_handle(struct weir_program_walk *walk, const struct weir_statement *statement,
                       struct weir_program_handle *handle)
{
    const bool writes = statement->call == WEIR_CALL_FWRITE;
    struct weir_program_transfer transfer = {
        .verb = writes ? WEIR_OP_WRITE : WEIR_OP_READ,
        .file = handle->file,
        .file_number = handle->file_number,
        .appends = writes && handle->appends,
    };
    int64_t size = -1, offset = -1;
    int code;

    if (weir_program_integer(walk, statement, 1, writes ? 0 : -1, &size) != 0 ||
        weir_program_integer(walk, statement, 2, -1, &offset) != 0)
        return -ECANCELED;
    if (handle->file == NULL)
        return 0;
    if (offset >= 0)
        transfer.offset = (uint64_t)offset;
    else if (size >= 0 && !transfer.appends)
        transfer.offset = position_of(walk, handle);
    if (size >= 0)
        code = weir_program_take_data(walk, statement, (uint64_t)size, &transfer);
    else
        code = weir_program_take_whole(walk, statement, &transfer);
    if (code == -ECANCELED)
        return code;
    weir_queue_now(&walk->run->queue);
    if (code == 0)
        code = weir_program_move_checked(walk, statement, &transfer);
    else
        transfer.begin_ns = transfer.end_ns = walk->run->queue.last_ns;
    handle->position = transfer.offset + transfer.moved;
    handle->is_at_end = transfer.appends;
    weir_program_note_transfer(walk, statement, &transfer, code, handle->path);
    return 0;
}

/* No system call but for the end. */
static int seek(struct weir_program_walk *walk, const struct weir_statement *statement,
                struct weir_program_handle *handle)
{
    struct weir_program_outcome outcome = {.call = statement->call, .path = handle->path};
    struct weir_queue *queue = &walk->run->queue;
    int64_t offset = 0, whence = 0, from = 0, place;

    if (weir_program_integer(walk, statement, 1, INT64_MIN, &offset) != 0 ||
        weir_program_integer(walk, statement, 2, 0, &whence) != 0)
        return -ECANCELED;
    if (handle->file == NULL)
        return 0;
    outcome.begin_ns = weir_queue_now(queue);
    if (whence == 1)
        from = (int64_t)position_of(walk, handle);
    else if (whence == 2)
        from = size_of(walk, handle);
    outcome.end_ns = weir_queue_now(queue);
    if (from < 0)
        outcome.code = (int)from;
    else if (whence > 2 || __builtin_add_overflow(from, offset, &place) || place < 0)
        outcome.code = -EINVAL;
    else
        handle->position = (uint64_t)place;
    if (outcome.code == 0)
        handle->is_at_end = false;
    weir_program_note(walk, statement, &outcome);
    return 0;
}

int weir_program_call_handle(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_program_handle *handle;

    if (statement->call == WEIR_CALL_FOPEN || statement->call == WEIR_CALL_FCREAT)
        return open_handle(walk, statement);
    handle = weir_program_handle_find(walk, statement, false);
    if (handle == NULL)
        return -ECANCELED;
    switch (statement->call) {
    case WEIR_CALL_FCLOSE:
        close_handle(walk, statement, handle);
        return 0;
    case WEIR_CALL_FSYNC:
        if (handle->file != NULL)
            perform(walk, statement, WEIR_OP_SYNC, handle);
        return 0;
    case WEIR_CALL_FSEEK:
        return seek(walk, statement, handle);
    default:
        return move_handle(walk, statement, handle);
    }
}
