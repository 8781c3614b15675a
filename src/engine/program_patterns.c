/* SPDX-License-Identifier: Apache-2.0 */
/* Files of patterns: all ranks of a group open them together through MPI-IO, and write or read in
 * rounds. What each rank comes to is exchanged before any goes on, so that none waits for one that
 * has failed. */
#include "program_calls.h"

#include "weir/base/saturate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- session ---- */

static const char *why_left_out(const struct weir_registry *registry, const char *name)
{
    size_t bytes = strlen(name);

    for (size_t i = 0; registry->left_out != NULL && registry->left_out[i] != NULL; i++)
        if (strncmp(registry->left_out[i], name, bytes) == 0 && registry->left_out[i][bytes] == ':')
            return registry->left_out[i] + bytes + 1;
    return " it is not among the backends";
}

static int open_session(struct weir_program_walk *walk, const struct weir_backend *backend,
                        struct weir_error *error)
{
    struct weir_program_files *files = walk->files;
    const struct weir_option_set *set = &backend->descriptor.options;
    /* Zeros are what its options have where nothing is said. */
    void *options = calloc(1, set->values_bytes + 1);
    const struct weir_session_params params = {
        .depth = 1,
        .options = options,
        .group = walk->run->group,
        .stop_signal = walk->run->params->stop_signal,
    };

    if (options == NULL)
        weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    if (weir_group_agree(walk->run->group, error) == 0)
        backend->open(&params, &files->pattern_session, error);
    free(options);
    if (weir_error_is_set(error))
        return error->code;
    if (weir_queue_open(&files->pattern_queue, files->pattern_session, walk->run->params->clock) !=
        0)
        return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -ENOMEM, NULL, "out of memory");
    files->pattern_queue.stop_signal = params.stop_signal;
    return 0;
}

int weir_program_patterns_open(struct weir_program_walk *walk, struct weir_error *error)
{
    const struct weir_registry *registry = walk->run->params->registry;
    const struct weir_backend *backend;

    if (!walk->program->uses_patterns || walk->program->skips_calls)
        return 0;
    backend = weir_backend_find(registry, "mpiio");
    if (backend == NULL)
        return weir_error_usage(error, walk->run->test->dialect,
                                "patterns are written and read through MPI-IO, which this build "
                                "does not have (%s): build it with MPI, or use write and read",
                                why_left_out(registry, "mpiio") + 1);
    open_session(walk, backend, error);
    return weir_group_agree(walk->run->group, error);
}

void weir_program_patterns_close(struct weir_program_walk *walk)
{
    struct weir_program_files *files = walk->files;

    if (files->pattern_queue.ops != NULL)
        weir_queue_close(&files->pattern_queue);
    if (files->pattern_session != NULL)
        files->pattern_session->backend->close(files->pattern_session);
    files->pattern_session = NULL;
}

/* ---- what ranks agree on ---- */

static struct weir_group *group_of(const struct weir_program_walk *walk)
{
    return walk->groups[walk->innermost].group;
}

/* The error of any rank is that of all: the one with the highest number. */
static int agree(struct weir_program_walk *walk, int code)
{
    uint64_t number = (uint64_t)-code;
    int rc = weir_group_reduce(group_of(walk), &number, 1, WEIR_MAX);

    return rc != 0 ? rc : -(int)number;
}

/* ---- opens and closes, untimed ---- */

static const struct weir_file_ops *file_ops(const struct weir_program_walk *walk)
{
    return walk->files->pattern_session->backend->file;
}

/* The same on all ranks of the group. 0 or -errno. */
static int open_together(struct weir_program_walk *walk, const char *path, bool writes,
                         struct weir_file **file)
{
    struct weir_session *session = walk->files->pattern_session;
    const struct weir_file_ops *ops = file_ops(walk);
    const struct weir_file_params params = {
        .path = path,
        .can_write = writes,
        .can_read = true,
        .must_create = writes,
        .group = group_of(walk),
    };
    int code = agree(walk, ops->may_open != NULL ? ops->may_open(session, &params) : 0);
    int mine;

    if (code != 0)
        return code;
    mine = ops->open(session, &params, file);
    code = agree(walk, mine);
    if (code != 0 && mine == 0 && ops->abandon != NULL)
        ops->abandon(session, *file);
    return code;
}

void weir_program_pattern_drop(struct weir_program_walk *walk, struct weir_program_handle *handle,
                               bool is_complete)
{
    const struct weir_file_ops *ops = file_ops(walk);

    if (is_complete || ops->abandon == NULL)
        ops->close(walk->files->pattern_session, handle->file);
    else
        ops->abandon(walk->files->pattern_session, handle->file);
    handle->file = NULL;
}

static void begin(struct weir_program_walk *walk, struct weir_program_outcome *outcome)
{
    outcome->begin_ns = weir_run_now(walk->run);
}

static void end(struct weir_program_walk *walk, const struct weir_statement *statement,
                struct weir_program_outcome *outcome, int code)
{
    outcome->end_ns = weir_run_now(walk->run);
    outcome->code = code;
    if (outcome->call == statement->call)
        weir_program_note(walk, statement, outcome);
    else
        weir_program_note_beside(walk, statement, outcome);
}

static int call_pfopen(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_program_outcome outcome = {.call = statement->call};
    struct weir_program_handle *handle;
    int code;

    if (weir_program_name(walk, statement, 0) != 0)
        return -ECANCELED;
    handle = weir_program_handle_take(walk, statement);
    if (handle == NULL)
        return -ECANCELED;
    handle->is_pattern = true;
    handle->group = walk->innermost;
    if (!walk->program->skips_calls) {
        if (weir_program_meet(walk, walk->innermost, statement) != 0)
            return -ECANCELED;
        outcome.path = handle->path;
        begin(walk, &outcome);
        code = open_together(walk, handle->path, true, &handle->file);
        end(walk, statement, &outcome, code);
        if (code != 0) {
            handle->file = NULL;
            weir_program_handle_free(walk, handle);
            handle = NULL;
        }
    }
    weir_program_handle_set(walk, statement, handle);
    return 0;
}

static struct weir_program_handle *find_handle(struct weir_program_walk *walk,
                                               const struct weir_statement *statement)
{
    struct weir_program_handle *handle = weir_program_handle_find(walk, statement, true);

    if (handle == NULL || handle->group == walk->innermost)
        return handle;
    weir_program_fail(
        walk, statement,
        "%s: the file was opened by the ranks of another group, which use it together",
        weir_calls[statement->call].word);
    return NULL;
}

static int call_pfclose(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_program_outcome outcome = {.call = statement->call};
    struct weir_program_handle *handle = find_handle(walk, statement);

    if (handle == NULL)
        return -ECANCELED;
    if (handle->file != NULL) {
        if (weir_program_meet(walk, walk->innermost, statement) != 0)
            return -ECANCELED;
        outcome.path = handle->path;
        begin(walk, &outcome);
        end(walk, statement, &outcome,
            file_ops(walk)->close(walk->files->pattern_session, handle->file));
        handle->file = NULL;
    }
    weir_program_handle_free(walk, handle);
    weir_program_handle_unset(walk, statement);
    return 0;
}

static int call_pdelete(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    struct weir_session *session = walk->files->pattern_session;
    struct weir_program_outcome outcome = {.call = statement->call, .path = walk->files->names[0]};

    if (weir_program_name(walk, statement, 0) != 0)
        return -ECANCELED;
    if (walk->program->skips_calls)
        return 0;
    begin(walk, &outcome);
    end(walk, statement, &outcome, session->backend->names->unlink(session, walk->files->names[0]));
    return 0;
}

/* ---- rounds ---- */

/* One call through a pattern. Its rounds are one transfer each, or all of them are one. */
struct rounds {
    const struct weir_pattern *pattern;
    uint64_t ranks;
    uint64_t rank;
    uint64_t count;   /* of transfers, ... */
    uint64_t bytes;   /* ... of so many bytes each */
    bool is_together; /* all ranks make each of them together */
    bool is_viewed;   /* all rounds are one transfer, in a view of the rank's part */
    bool writes;
    unsigned char *data;
    uint64_t data_step; /* from one round to the next in the buffer */
    uint64_t file_number;
    uint64_t begin_ns;
    uint64_t end_ns; /* less aside_ns */
    uint64_t moved;
    /* of ranks that move together, which ask each other now and then whether to go on: */
    uint64_t unasked;  /* they do after so many rounds ... */
    uint64_t asked_at; /* ... from this one on */
    uint64_t asked_ns;
    uint64_t aside_ns; /* it has taken so long */
};

/* So many rounds or bytes come before the first time; it is to take as long from time to time. */
#define ROUNDS_UNASKED 64
#define BYTES_UNASKED (UINT64_C(64) << 20)
#define ASK_NS UINT64_C(250000000)

static uint64_t place_of(const struct rounds *rounds, uint64_t round)
{
    return (round * rounds->ranks + rounds->rank) * rounds->pattern->elem;
}

static const char *group_name(const struct weir_program_walk *walk, unsigned group)
{
    const struct weir_program *program = walk->program;

    return group < program->group_count ? program->groups[group].name : "world";
}

/* The pattern that is named, for the ranks of the innermost group. */
static const struct weir_pattern *find_pattern(struct weir_program_walk *walk,
                                               const struct weir_statement *statement)
{
    char *name = walk->files->names[1];
    const struct weir_program *program = walk->program;
    const struct weir_pattern *pattern;
    unsigned group;
    size_t length;

    if (weir_expr_evaluate_text(weir_program_argument(statement, 1), &walk->scope, name, &length) !=
        0) {
        weir_program_fail(walk, statement, "%s", walk->scope.reason);
        return NULL;
    }
    pattern = weir_program_find_pattern(program, name);
    if (pattern == NULL) {
        weir_program_fail(walk, statement, "%s: there is no pattern \"%s\"",
                          weir_calls[statement->call].word, name);
        return NULL;
    }
    group = pattern->group == WEIR_ALL_RANKS ? program->group_count : pattern->group;
    if (group == walk->innermost)
        return pattern;
    weir_program_fail(walk, statement,
                      "%s: the pattern \"%s\" is for the ranks of \"%s\", and these are those of "
                      "\"%s\": name the group in the pattern, or use another pattern here",
                      weir_calls[statement->call].word, name, group_name(walk, group),
                      group_name(walk, walk->innermost));
    return NULL;
}

/* Buffers: of one round, if all are the same. */
static int take_rounds(struct weir_program_walk *walk, const struct weir_statement *statement,
                       const struct weir_pattern *pattern, struct rounds *rounds)
{
    const bool must_verify = walk->program->must_verify;
    const struct weir_group *group = group_of(walk);
    uint64_t mine, all;

    if (__builtin_mul_overflow(pattern->iter, pattern->elem, &mine) ||
        __builtin_mul_overflow(mine, (uint64_t)group->size, &all) || all > INT64_MAX)
        return weir_program_fail(walk, statement,
                                 "%s: the pattern \"%s\" is longer than a file can be",
                                 weir_calls[statement->call].word, pattern->name);
    *rounds = (struct rounds){
        .pattern = pattern,
        .ranks = (uint64_t)group->size,
        .rank = (uint64_t)group->rank,
        .is_together = pattern->level % 2 == 1,
        .is_viewed = pattern->level >= 2,
        .writes = weir_calls[statement->call].writes,
        .count = pattern->level >= 2 ? 1 : pattern->iter,
        .bytes = pattern->level >= 2 ? mine : pattern->elem,
    };
    if (mine == 0)
        rounds->count = 0;
    rounds->unasked = rounds->bytes > 0 ? BYTES_UNASKED / rounds->bytes : ROUNDS_UNASKED;
    rounds->unasked = rounds->unasked < 1                ? 1
                      : rounds->unasked > ROUNDS_UNASKED ? ROUNDS_UNASKED
                                                         : rounds->unasked;
    if (must_verify && !rounds->is_viewed)
        rounds->data_step = pattern->elem;
    rounds->data = weir_program_buffer(
        walk, statement, rounds->writes ? &walk->files->to_write : &walk->files->to_read,
        rounds->data_step > 0 ? mine : rounds->bytes);
    return rounds->data != NULL ? 0 : -ECANCELED;
}

/* Makes what is written, or damages what is about to be read. */
static void fill_rounds(struct weir_program_walk *walk, const struct rounds *rounds)
{
    const uint64_t elem = rounds->pattern->elem;

    for (uint64_t i = 0; walk->program->must_verify && i < rounds->pattern->iter; i++)
        if (rounds->writes)
            weir_program_fill(walk, rounds->file_number, place_of(rounds, i),
                              rounds->data + i * elem, elem);
        else
            weir_program_poison(walk, rounds->data + i * elem, elem);
}

/* As far as it was read. */
static void verify_rounds(struct weir_program_walk *walk, const struct weir_statement *statement,
                          const struct rounds *rounds, const char *path)
{
    const uint64_t elem = rounds->pattern->elem;

    if (!walk->program->must_verify || rounds->writes)
        return;
    for (uint64_t i = 0; i < rounds->pattern->iter && i * elem < rounds->moved; i++) {
        uint64_t left = rounds->moved - i * elem, wrong_offset;
        bool is_right =
            weir_program_compare(walk, rounds->file_number, place_of(rounds, i),
                                 rounds->data + i * elem, left < elem ? left : elem, &wrong_offset);

        weir_program_count_compared(walk, is_right);
        if (!is_right)
            weir_program_tell_wrong(walk, statement, path, wrong_offset);
    }
}

/* The part of the file that the transfers see. Collective. */
static int set_view(struct weir_program_walk *walk, const struct rounds *rounds,
                    struct weir_file *file)
{
    struct weir_file_part part = {0};

    if (rounds->is_viewed)
        part = (struct weir_file_part){
            .first_byte = place_of(rounds, 0),
            .block_bytes = rounds->pattern->elem,
            .stride_bytes = rounds->ranks * rounds->pattern->elem,
            .block_count = rounds->pattern->iter,
        };
    return agree(walk, file_ops(walk)->view(walk->files->pattern_session, file, &part));
}

static int judge(const struct rounds *rounds, const struct weir_op *op)
{
    if (op->result < 0)
        return (int)op->result;
    return op->result == (int64_t)op->size ? 0 : rounds->writes ? -EIO : -ENODATA;
}

/* Whether the program is to end between two rounds. Ranks that move together find out together, so
 * that none of them waits alone in the next round. */
static bool must_leave(struct weir_program_walk *walk, const struct weir_statement *statement,
                       struct rounds *rounds, uint64_t round)
{
    const uint64_t now_ns = rounds->end_ns + rounds->aside_ns;
    const uint64_t done = round - rounds->asked_at;
    uint64_t next;

    if (rounds->is_together && done < rounds->unasked)
        return false;
    if (weir_program_must_look(walk, now_ns))
        weir_program_look(walk, now_ns);
    if (!rounds->is_together)
        return walk->must_end;
    next = weir_parts_of(done, ASK_NS, now_ns - rounds->asked_ns + 1);
    next = next < 1 ? 1 : next > 16 * done ? 16 * done : next;
    if (weir_program_share(walk, walk->innermost, statement, &next) != 0)
        return true;
    rounds->unasked = next;
    rounds->asked_at = round;
    rounds->asked_ns = weir_queue_now(&walk->files->pattern_queue);
    rounds->aside_ns += rounds->asked_ns - now_ns;
    return false;
}

/* Ranks that move together make as many transfers, whatever becomes of them. */
static int move_rounds(struct weir_program_walk *walk, const struct weir_statement *statement,
                       struct rounds *rounds, struct weir_file *file)
{
    struct weir_queue *queue = &walk->files->pattern_queue;
    struct weir_op op = {
        .verb = rounds->writes ? WEIR_OP_WRITE : WEIR_OP_READ,
        .is_collective = rounds->is_together,
        .file = file,
        .size = rounds->bytes,
    };
    int code = 0;

    weir_queue_touch(queue);
    rounds->begin_ns = rounds->end_ns = rounds->asked_ns = weir_queue_now(queue);
    for (uint64_t i = 0; i < rounds->count; i++) {
        int result;

        if (!rounds->is_together && code != 0)
            break;
        if (i > 0 && must_leave(walk, statement, rounds, i)) {
            code = code != 0 ? code : -EINTR;
            break;
        }
        op.data = rounds->data + i * rounds->data_step;
        op.offset = rounds->is_viewed ? 0 : place_of(rounds, i);
        weir_queue_transfer(queue, &op);
        result = judge(rounds, &op);
        if (code == 0 && op.result > 0)
            rounds->moved += (uint64_t)op.result;
        if (code == 0)
            code = result;
        rounds->end_ns = op.done_ns - rounds->aside_ns;
    }
    return code;
}

static void note_rounds(struct weir_program_walk *walk, const struct weir_statement *statement,
                        const struct rounds *rounds, int code, const char *path)
{
    const struct weir_program_outcome outcome = {
        .call = statement->call,
        .begin_ns = rounds->begin_ns,
        .end_ns = rounds->end_ns,
        .bytes = rounds->moved,
        .code = code,
        .path = path,
    };

    weir_program_note(walk, statement, &outcome);
    verify_rounds(walk, statement, rounds, path);
}

/* Of an open file: `code` is that of its open. */
static void move_through(struct weir_program_walk *walk, const struct weir_statement *statement,
                         struct rounds *rounds, struct weir_file *file, int code, const char *path)
{
    if (walk->program->must_verify)
        rounds->file_number = weir_program_file_number(walk->files, path);
    if (code == 0)
        code = set_view(walk, rounds, file);
    if (code == 0) {
        fill_rounds(walk, rounds);
        code = move_rounds(walk, statement, rounds, file);
    } else {
        rounds->begin_ns = rounds->end_ns = weir_run_now(walk->run);
    }
    note_rounds(walk, statement, rounds, code, path);
}

/* Opened, moved and closed; only the transfers are timed. */
static int call_by_name(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    const char *path = walk->files->names[0];
    const struct weir_pattern *pattern;
    struct weir_program_outcome edge = {.path = path};
    struct weir_file *file = NULL;
    struct rounds rounds;
    int code;

    if (weir_program_name(walk, statement, 0) != 0 ||
        (pattern = find_pattern(walk, statement)) == NULL)
        return -ECANCELED;
    if (walk->program->skips_calls)
        return 0;
    if (take_rounds(walk, statement, pattern, &rounds) != 0 ||
        weir_program_meet(walk, walk->innermost, statement) != 0)
        return -ECANCELED;
    begin(walk, &edge);
    code = open_together(walk, path, rounds.writes, &file);
    edge.call = WEIR_CALL_NAMED_OPEN;
    if (code == 0)
        end(walk, statement, &edge, 0);
    move_through(walk, statement, &rounds, file, code, path);
    if (code != 0)
        return 0;
    begin(walk, &edge);
    edge.call = WEIR_CALL_NAMED_CLOSE;
    end(walk, statement, &edge, file_ops(walk)->close(walk->files->pattern_session, file));
    return 0;
}

static int call_by_handle(struct weir_program_walk *walk, const struct weir_statement *statement)
{
    const struct weir_program_handle *handle = find_handle(walk, statement);
    const struct weir_pattern *pattern;
    struct rounds rounds;

    if (handle == NULL || (pattern = find_pattern(walk, statement)) == NULL)
        return -ECANCELED;
    if (handle->file == NULL)
        return 0;
    if (take_rounds(walk, statement, pattern, &rounds) != 0 ||
        weir_program_meet(walk, walk->innermost, statement) != 0)
        return -ECANCELED;
    move_through(walk, statement, &rounds, handle->file, 0, handle->path);
    return 0;
}

int weir_program_call_pattern(struct weir_program_walk *walk,
                              const struct weir_statement *statement)
{
    switch (statement->call) {
    case WEIR_CALL_PFOPEN:
        return call_pfopen(walk, statement);
    case WEIR_CALL_PFCLOSE:
        return call_pfclose(walk, statement);
    case WEIR_CALL_PDELETE:
        return call_pdelete(walk, statement);
    case WEIR_CALL_PFWRITE:
    case WEIR_CALL_PFREAD:
        return call_by_handle(walk, statement);
    default:
        return call_by_name(walk, statement);
    }
}
