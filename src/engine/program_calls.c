/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a program by name, and the way of each call to the file that makes it. */
#include "program_calls.h"

#include "check_room.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { CREATE_MODE = 0777, DIRECTORY_MODE = 0700 };

/* What is read past the page cache to the end of a file is whole ones: the last need not be full.
 */
enum { SECTOR_BYTES = 4096 };

/* ---- before the start ---- */

/* Those of the statements and of those in them: a bit for each. */
static unsigned calls_of(const struct weir_statement *statement)
{
    unsigned calls = 0;

    for (; statement != NULL; statement = statement->next) {
        if (statement->kind == WEIR_DO_CALL)
            calls |= 1U << statement->call;
        calls |= calls_of(statement->body) | calls_of(statement->otherwise);
    }
    return calls;
}

static unsigned moving_calls(bool writes)
{
    unsigned calls = 0;

    for (unsigned call = 0; call < WEIR_CALL_COUNT; call++)
        if (weir_calls[call].moves_data && weir_calls[call].writes == writes)
            calls |= 1U << call;
    return calls;
}

/* As many files as the system allows: a program may open more than the usual 1024. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Those of the largest call, as far as it is known; others are made when they are needed. */
static int take_buffers(struct weir_program_walk *walk, struct weir_error *error)
{
    const struct weir_program *program = walk->program;
    const uint64_t bytes = program->largest_bytes;
    const unsigned calls = walk->files->calls;
    bool writes = (calls & moving_calls(true)) != 0, reads = (calls & moving_calls(false)) != 0;

    if (program->skips_calls || bytes == 0)
        return 0;
    if (weir_check_memory(walk->run, bytes * (writes + reads), error) != 0)
        return error->code;
    if ((writes &&
         !weir_program_buffer(walk, program->statements, &walk->files->to_write, bytes)) ||
        (reads && !weir_program_buffer(walk, program->statements, &walk->files->to_read, bytes)))
        *error = walk->error;
    return weir_group_agree(walk->run->group, error);
}

/* ---- what is opened ---- */

void weir_program_opening_set(const struct weir_program_walk *walk,
                              struct weir_program_opening *opening, const char *path,
                              unsigned open_flags, unsigned mode)
{
    const unsigned new = WEIR_OPEN_CREATE | WEIR_OPEN_EXCLUSIVE;
    const unsigned accesses = WEIR_OPEN_READ | WEIR_OPEN_WRITE;

    opening->params = (struct weir_file_params){
        .path = path,
        .can_write = (open_flags & WEIR_OPEN_WRITE) != 0,
        .can_read = (open_flags & accesses) != WEIR_OPEN_WRITE,
        .must_create = (open_flags & WEIR_OPEN_CREATE) != 0,
        .claim = (open_flags & new) == new ? WEIR_CLAIM_NEW : WEIR_CLAIM_ANY,
        .group = walk->run->self,
        .is_item = true,
        .is_exact = true,
        .open_flags = open_flags & ~(accesses | WEIR_OPEN_CREATE),
        .mode = mode,
    };
    opening->request = (struct weir_name_request){.path = path, .params = &opening->params};
}

/* Two calls of one word differ in their names alone: all else is made once. */
static void set_openings(struct weir_program_walk *walk)
{
    static const unsigned flags[WEIR_CALLS_OPENING] = {
        [WEIR_CALL_WRITE] = WEIR_CALL_OPENS_ANEW,
        [WEIR_CALL_APPEND] = WEIR_OPEN_WRITE | WEIR_OPEN_CREATE | WEIR_OPEN_APPEND,
        [WEIR_CALL_READ] = WEIR_OPEN_READ,
        [WEIR_CALL_DIRECT_WRITE] = WEIR_CALL_OPENS_ANEW | WEIR_OPEN_DIRECT,
        [WEIR_CALL_DIRECT_READ] = WEIR_OPEN_READ | WEIR_OPEN_DIRECT,
        [WEIR_CALL_CREATE] = WEIR_CALL_OPENS_ANEW,
    };

    for (unsigned call = 0; call < WEIR_CALLS_OPENING; call++) {
        assert(flags[call] != 0);
        weir_program_opening_set(walk, &walk->files->openings[call], walk->files->names[0],
                                 flags[call],
                                 call == WEIR_CALL_CREATE ? CREATE_MODE : WEIR_CALL_FILE_MODE);
    }
}

/* ---- beginning and end ---- */

static int open_files(struct weir_program_walk *walk)
{
    const struct weir_program *program = walk->program;
    const unsigned opens = 1U << WEIR_CALL_FOPEN | 1U << WEIR_CALL_FCREAT | 1U << WEIR_CALL_PFOPEN;
    const unsigned renames = 1U << WEIR_CALL_RENAME | 1U << WEIR_CALL_LINK;

    walk->files = calloc(1, sizeof *walk->files);
    if (walk->files == NULL)
        return -ENOMEM;
    walk->files->seed = program->seed_is_given ? program->seed : walk->run->data_seed;
    walk->files->piece_bytes = WEIR_CALL_PIECE_FIRST;
    walk->files->calls = calls_of(program->statements);
    walk->files->has_one_name = (walk->files->calls & renames) != 0;
    if ((walk->files->calls & opens) != 0)
        raise_file_limit();
    set_openings(walk);
    return weir_program_names_open(walk);
}

int weir_program_calls_open(struct weir_program_walk *walk, struct weir_error *error)
{
    int code = open_files(walk);

    if (code != 0)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, code, NULL, "a program's files: %s",
                       strerror(-code));
    if (weir_group_agree(walk->run->group, error) != 0)
        return error->code;
    walk->run->session->directory_mode = DIRECTORY_MODE;
    code = take_buffers(walk, error);
    return code != 0 ? code : weir_program_patterns_open(walk, error);
}

void weir_program_calls_close(struct weir_program_walk *walk, bool is_complete)
{
    if (walk->files == NULL)
        return;
    weir_program_handles_close(walk, is_complete);
    weir_program_patterns_close(walk);
    weir_buffers_close(&walk->files->to_write);
    weir_buffers_close(&walk->files->to_read);
    weir_program_names_close(walk);
    free(walk->files);
    walk->files = NULL;
    walk->run->session->directory_mode = 0;
}

/* ---- what is noted ---- */

static struct weir_program_outcome outcome_of(const struct weir_op *op, enum weir_call call,
                                              const char *path)
{
    return (struct weir_program_outcome){
        .call = call,
        .begin_ns = op->issued_ns,
        .end_ns = op->done_ns,
        .code = (int)op->result,
        .path = path,
    };
}

void weir_program_note_op(struct weir_program_walk *walk, const struct weir_statement *statement,
                          const char *path)
{
    const struct weir_program_outcome outcome = outcome_of(&walk->files->op, statement->call, path);

    weir_program_note(walk, statement, &outcome);
}

/* ---- one operation on names ---- */

static int64_t perform(struct weir_program_walk *walk, enum weir_op_verb verb)
{
    walk->files->op.verb = verb;
    weir_queue_perform(&walk->run->queue, &walk->files->op);
    return walk->files->op.result;
}

int64_t weir_program_open(struct weir_program_walk *walk, struct weir_program_opening *opening)
{
    walk->files->op.request = &opening->request;
    walk->files->op.file = NULL;
    weir_queue_touch(&walk->run->queue);
    return perform(walk, WEIR_OP_OPEN);
}

/* As remove(3): of what is no file, as a directory. Only a directory is refused in these ways, or a
 * file that may not be removed. */
static void delete (struct weir_program_walk *walk)
{
    struct weir_op *op = &walk->files->op;
    int64_t code = perform(walk, WEIR_OP_UNLINK);
    uint64_t issued_ns = op->issued_ns;

    if (code != -EISDIR && code != -EPERM)
        return;
    if (perform(walk, WEIR_OP_RMDIR) == -ENOTDIR)
        op->result = code;
    op->issued_ns = issued_ns;
}

static void create(struct weir_program_walk *walk)
{
    static const enum weir_op_verb steps[] = {WEIR_OP_OPEN, WEIR_OP_CLOSE};

    walk->files->op.request = &walk->files->openings[WEIR_CALL_CREATE].request;
    walk->files->op.file = NULL;
    weir_queue_perform_chain(&walk->run->queue, &walk->files->op, steps,
                             sizeof steps / sizeof *steps);
}

static void perform_on_names(struct weir_program_walk *walk, enum weir_call call)
{
    static const enum weir_op_verb verbs[] = {
        [WEIR_CALL_MKDIR] = WEIR_OP_MKDIR,   [WEIR_CALL_RMDIR] = WEIR_OP_RMDIR,
        [WEIR_CALL_RENAME] = WEIR_OP_RENAME, [WEIR_CALL_LINK] = WEIR_OP_LINK,
        [WEIR_CALL_LOOKUP] = WEIR_OP_STAT,   [WEIR_CALL_STAT] = WEIR_OP_STAT,
        [WEIR_CALL_LIST] = WEIR_OP_LIST,
    };

    if (call == WEIR_CALL_CREATE)
        create(walk);
    else if (call == WEIR_CALL_DELETE)
        delete (walk);
    else
        perform(walk, verbs[call]);
}

static int call_names(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_program_files *files = walk->files;
    bool has_two = statement->call == WEIR_CALL_RENAME || statement->call == WEIR_CALL_LINK;
    struct weir_name_facts facts;
    uint64_t found = 0;

    if (weir_program_name(walk, statement, 0) != 0 ||
        (has_two && weir_program_name(walk, statement, 1) != 0))
        return -ECANCELED;
    if (walk->program->skips_calls)
        return 0;
    files->request = (struct weir_name_request){
        .path = files->names[0],
        .new_path = files->names[1],
        .facts = statement->call == WEIR_CALL_LIST ? NULL : &facts,
        .found = &found,
        .follows = true,
    };
    files->op.request = &files->request;
    weir_queue_touch(&walk->run->queue);
    perform_on_names(walk, statement->call);
    weir_program_note_op(walk, statement, files->names[0]);
    return 0;
}

/* ---- data of a file by its name ---- */

int weir_program_take_data(struct weir_program_walk *walk, const struct weir_statement *statement,
                           uint64_t bytes, struct weir_program_transfer *transfer)
{
    struct weir_program_files *files = walk->files;
    const bool writes = transfer->verb == WEIR_OP_WRITE;

    transfer->bytes = transfer->least = bytes;
    transfer->room = bytes < WEIR_CALL_PIECE_BYTES ? bytes : WEIR_CALL_PIECE_BYTES;
    transfer->data = weir_program_buffer(
        walk, statement, writes ? &files->to_write : &files->to_read, transfer->room);
    if (transfer->data == NULL)
        return -ECANCELED;
    weir_queue_touch(&walk->run->queue);
    return 0;
}

int weir_program_take_whole(struct weir_program_walk *walk, const struct weir_statement *statement,
                            struct weir_program_transfer *transfer)
{
    const int64_t size = walk->run->backend->file->size(walk->run->session, transfer->file);
    const uint64_t sectors = statement->call == WEIR_CALL_DIRECT_READ ? SECTOR_BYTES : 1;
    uint64_t bytes;
    int code;

    if (size < 0)
        return (int)size;
    bytes = (uint64_t)size > transfer->offset ? (uint64_t)size - transfer->offset : 0;
    code = weir_program_take_data(walk, statement, (bytes + sectors - 1) / sectors * sectors,
                                  transfer);
    transfer->least = bytes;
    return code;
}

int weir_program_move_checked(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              struct weir_program_transfer *transfer)
{
    int code;

    transfer->begin_ns = transfer->end_ns = walk->run->queue.last_ns;
    if (transfer->bytes == 0)
        return 0;
    code = weir_program_move(walk, transfer);
    if (code == -EINVAL)
        weir_program_tell_direct(walk, statement, transfer);
    return code;
}

void weir_program_note_transfer(struct weir_program_walk *walk,
                                const struct weir_statement *statement,
                                const struct weir_program_transfer *transfer, int code,
                                const char *path)
{
    const struct weir_program_outcome outcome = {
        .call = statement->call,
        .begin_ns = transfer->begin_ns,
        .end_ns = transfer->end_ns,
        .bytes = transfer->moved,
        .offset = transfer->offset,
        .asked = transfer->bytes,
        .code = code,
        .path = path,
    };

    weir_program_note(walk, statement, &outcome);
    if (walk->program->must_verify && transfer->verb == WEIR_OP_READ && transfer->moved > 0)
        weir_program_count_compared(walk, !transfer->is_wrong);
    if (transfer->is_wrong)
        weir_program_tell_wrong(walk, statement, path, transfer->wrong_offset);
}

/* All is noted when the file is closed: nothing comes between the three calls. */
static int move_by_name(struct weir_program_walk *walk, const struct weir_statement *statement,
                        struct weir_program_transfer *transfer, bool is_whole)
{
    struct weir_op *op = &walk->files->op;
    const char *name = walk->files->names[0];
    struct weir_program_outcome opened, closed;
    int code;

    assert(statement->call < WEIR_CALLS_OPENING);
    if (weir_program_open(walk, &walk->files->openings[statement->call]) != 0) {
        weir_program_note_op(walk, statement, name);
        return 0;
    }
    opened = outcome_of(op, WEIR_CALL_NAMED_OPEN, name);
    transfer->begin_ns = transfer->end_ns = op->done_ns;
    transfer->file = op->file;
    code = is_whole ? weir_program_take_whole(walk, statement, transfer) : 0;
    if (code == 0)
        code = weir_program_move_checked(walk, statement, transfer);
    op->file = transfer->file;
    perform(walk, WEIR_OP_CLOSE);
    if (code == -ECANCELED)
        return code;
    closed = outcome_of(op, WEIR_CALL_NAMED_CLOSE, name);
    weir_program_note_beside(walk, statement, &opened);
    weir_program_note_transfer(walk, statement, transfer, code, name);
    weir_program_note_beside(walk, statement, &closed);
    return 0;
}

static int call_by_name(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    bool writes = weir_calls[statement->call].writes;
    struct weir_program_transfer transfer = {.verb = writes ? WEIR_OP_WRITE : WEIR_OP_READ};
    int64_t size = -1, offset = 0;

    if (weir_program_name(walk, statement, 0) != 0 ||
        weir_program_integer(walk, statement, 1, writes ? 0 : -1, &size) != 0 ||
        weir_program_integer(walk, statement, 2, 0, &offset) != 0)
        return -ECANCELED;
    if (walk->program->skips_calls)
        return 0;
    transfer.offset = (uint64_t)offset;
    if (walk->program->must_verify)
        transfer.file_number = weir_program_file_number(walk->files, walk->files->names[0]);
    if (size >= 0 && weir_program_take_data(walk, statement, (uint64_t)size, &transfer) != 0)
        return -ECANCELED;
    return move_by_name(walk, statement, &transfer, size < 0);
}

int weir_program_call(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    const enum weir_call call = statement->call;
    int code;

    if (call >= WEIR_CALL_PWRITE)
        code = weir_program_call_pattern(walk, statement);
    else if (call >= WEIR_CALL_FOPEN)
        code = weir_program_call_handle(walk, statement);
    else if (weir_calls[call].moves_data)
        code = call_by_name(walk, statement);
    else
        code = call_names(walk, statement);
    return code == 0 && walk->must_end ? -ECANCELED : code;
}
