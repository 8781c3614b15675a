/* SPDX-License-Identifier: Apache-2.0 */
/* Items of trees on their way through a loop: the steps of each verb, what is recorded of them, and
 * what a failure means. Nothing is allocated, opened beside the items, or logged here. */
#include "loop_step.h"

#include "weir/base/remedy.h"
#include "weir/base/saturate.h"
#include "weir/base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct weir_item_verb *verb_of(const struct weir_loop *loop,
                                            const struct weir_item_slot *slot)
{
    return &loop->items->verbs[slot->verb];
}

/* ---- data ---- */

static uint64_t data_place(const struct weir_loop *loop, uint64_t place)
{
    return weir_items_data_place(loop->items->names->bytes, loop->source->identity.mode, place);
}

/* A rank may work on the items of others: each has data of its own. */
static void choose_source(struct weir_items *items, uint64_t owner)
{
    const struct weir_source now = *items->source;

    if (__builtin_expect(owner == items->source_owner, 1))
        return;
    weir_source_init(items->source, &now.identity, now.filler, owner, (uint32_t)owner);
    items->source_owner = owner;
}

/* What a cycle of a rotation creates is another item than the one that it works on. */
static bool is_new(const struct weir_loop *loop, enum weir_verb verb)
{
    return verb == WEIR_CREATE && loop->phase->verb == WEIR_CYCLE &&
           loop->items->names->rotation.count > 0;
}

static const char *path_of(const struct weir_loop *loop, const struct weir_item_slot *slot)
{
    return is_new(loop, verb_of(loop, slot)->verb) ? slot->new_path : slot->path;
}

static void fill(struct weir_loop *loop, struct weir_op *op, const struct weir_item_slot *slot)
{
    unsigned buffer = weir_loop_next_buffer(loop, op);
    bool is_other = is_new(loop, WEIR_CREATE);
    uint64_t before_ns;

    choose_source(loop->items, is_other ? slot->new_owner : slot->owner);
    if (!weir_source_varies(loop->source))
        return;
    before_ns = weir_loop_begin_ns(loop);
    /* A verb before this one may have read into it. */
    if (loop->items->verb_count > 1 || loop->items->names->must_verify_made)
        weir_source_init_buffer(loop->source, op->data,
                                weir_source_first_filler(loop->source, buffer));
    weir_source_fill(loop->source, op->data,
                     data_place(loop, is_other ? slot->new_place : slot->place),
                     weir_source_first_filler(loop->source, buffer));
    weir_loop_add_data_ns(loop, before_ns);
}

static void poison(struct weir_loop *loop, struct weir_op *op)
{
    uint64_t before_ns;

    weir_loop_next_buffer(loop, op);
    if (!loop->items->names->must_verify)
        return;
    before_ns = weir_loop_begin_ns(loop);
    weir_source_poison(loop->source, op->data);
    weir_loop_add_data_ns(loop, before_ns);
}

static void verify(struct weir_loop *loop, const struct weir_op *op,
                   const struct weir_item_slot *slot)
{
    uint64_t before_ns = weir_loop_begin_ns(loop);

    choose_source(loop->items, slot->owner);
    loop->reading.file_number = slot->owner;
    loop->reading.writer = (uint32_t)slot->owner;
    loop->reading.offset = data_place(loop, slot->place);
    loop->reading.bytes = op->size;
    weir_verify(loop->source, &loop->reading, op->data, &loop->tally->mismatches);
    weir_loop_add_data_ns(loop, before_ns);
}

/* ---- a verb of an item: before its first step ---- */

static void set_file_params(const struct weir_loop *loop, struct weir_item_slot *slot,
                            const struct weir_item_verb *verb)
{
    bool makes = verb->verb == WEIR_CREATE;

    if (makes)
        slot->data = (struct weir_item_data){
            .bytes = verb->bytes,
            .offset = data_place(loop, is_new(loop, verb->verb) ? slot->new_place : slot->place),
            .owner = is_new(loop, verb->verb) ? slot->new_owner : slot->owner,
            .seed =
                loop->items->names->payload.seed_is_given ? loop->items->names->payload.seed : 0};
    slot->params = (struct weir_file_params){
        .path = path_of(loop, slot),
        .can_write = makes,
        .can_read = true,
        .must_create = makes,
        .claim = !makes                             ? WEIR_CLAIM_ANY
                 : loop->items->names->is_exclusive ? WEIR_CLAIM_NEW
                 : loop->run->test->may_overwrite   ? WEIR_CLAIM_ANY
                                                    : WEIR_CLAIM_ITEM,
        .judge = weir_ownership_judge_item,
        .judge_context = &slot->data,
        .group = loop->run->self,
        .expected_bytes = verb->bytes,
        .transfer_bytes = verb->bytes,
        .is_item = true,
    };
}

static void begin_verb(struct weir_loop *loop, struct weir_op *op, struct weir_item_slot *slot)
{
    const struct weir_item_verb *verb = verb_of(loop, slot);

    slot->step = 0;
    slot->code = 0;
    op->file = NULL;
    op->offset = 0;
    op->size = verb->bytes;
    op->verb = verb->steps[0];
    op->may_wait = false;
    slot->request.path = path_of(loop, slot);
    if (op->verb == WEIR_OP_OPEN)
        set_file_params(loop, slot, verb);
    slot->request.facts = verb->verb == WEIR_LIST ? NULL : &slot->facts;
    if (verb->bytes == 0)
        return;
    if (verb->verb == WEIR_CREATE)
        fill(loop, op, slot);
    else
        poison(loop, op);
    slot->data.data = op->data;
}

static struct weir_item_slot *begin_item(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_items *items = loop->items;
    struct weir_item_slot *slot = &items->slots[op->slot];

    weir_items_choose(items, slot, op->offset);
    slot->verb = 0;
    slot->request = (struct weir_name_request){.path = slot->path,
                                               .new_path = slot->new_path,
                                               .facts = &slot->facts,
                                               .params = &slot->params,
                                               .found = &slot->found};
    op->request = &slot->request;
    begin_verb(loop, op, slot);
    return slot;
}

/* ---- after its last step ---- */

/* Describes what occupies the name of an item. NULL = strerror() is enough. */
static const char *reason_of_stranger(const struct weir_item_slot *slot, enum weir_verb verb,
                                      int code)
{
    if (code == -EEXIST && (verb == WEIR_MKDIR || verb == WEIR_MKNOD))
        return "File exists: the same options with " WEIR_REMEDY_REMOVE
               " remove what an earlier run has left";
    if (verb != WEIR_CREATE || slot->params.claim != WEIR_CLAIM_ITEM)
        return NULL;
    switch (code) {
    case -EEXIST:
        return "it exists, and holds no data of a benchmark: choose another directory "
               "with " WEIR_REMEDY_PATH ", or allow its loss with --overwrite";
    case -EMLINK:
        return "it is one of several names of a file, which would be overwritten: remove the name, "
               "or allow the loss of the file with --overwrite";
    case -ELOOP:
        return "it is a symbolic link, which is not followed: remove it";
    case -EISDIR:
        return "it is a directory: remove it";
    case -ESTALE:
        return "it is no regular file: remove it";
    default:
        return NULL;
    }
}

/* A file that is shorter than what was to be read says more than its error. */
static void note_failure(struct weir_loop *loop, const struct weir_item_slot *slot, int code)
{
    const struct weir_item_verb *verb = verb_of(loop, slot);
    const char *what = weir_verb_name(verb->verb), *path = path_of(loop, slot);
    struct weir_run *run = loop->run;
    struct weir_name_facts facts;
    char reason[96];

    if (reason_of_stranger(slot, verb->verb, code) != NULL) {
        weir_run_fail_for(run, code, what, path, reason_of_stranger(slot, verb->verb, code));
        return;
    }
    if (code != -ENODATA || verb->bytes == 0 ||
        weir_backend_item_names(run->backend)->stat(run->session, path, &facts) != 0) {
        weir_run_fail(run, code, what, path);
        return;
    }
    snprintf(reason, sizeof reason,
             "it ends at offset %" PRIu64 ", and %" PRIu64 " bytes were to "
             "be read",
             facts.bytes, verb->bytes);
    weir_run_fail_for(run, code, what, path, reason);
}

static bool makes_name(enum weir_verb verb)
{
    return verb == WEIR_CREATE || verb == WEIR_MKNOD || verb == WEIR_MKDIR || verb == WEIR_LINK ||
           verb == WEIR_SYMLINK;
}

/* Removals go on: what fails is left, and the rest is not left with it. */
static void fail(struct weir_loop *loop, const struct weir_item_slot *slot, int code)
{
    const struct weir_item_verb *verb = verb_of(loop, slot);

    weir_tally_fail(loop->tally, verb->counted, code, slot->index);
    if (makes_name(verb->verb) &&
        (code == -EEXIST || reason_of_stranger(slot, verb->verb, code) != NULL))
        weir_items_meet_stranger(loop->items, slot);
    note_failure(loop, slot, code);
    if (!loop->run->test->goes_on_after_errors && !weir_run_must_do(loop->run, loop->phase))
        weir_loop_request_stop(loop);
}

/* The first one is told with what is in it, when the loop is over. */
static void leave(struct weir_items *items, const struct weir_item_slot *slot)
{
    if (items->left_count++ == 0)
        memcpy(items->left, slot->path, sizeof items->left);
}

/* A directory of the tree that is there is as good as one that was made; something else is not. */
static int judge_existing(const struct weir_run *run, const char *path)
{
    struct weir_name_facts facts;
    int code = weir_backend_item_names(run->backend)->stat(run->session, path, &facts);

    if (code != 0 || facts.kind == WEIR_NAME_DIRECTORY)
        return code;
    return facts.kind == WEIR_NAME_LINK ? -ELOOP : -ENOTDIR;
}

/* True if the verb has done what it was to do; else what it has come to is noted. */
static bool judge(struct weir_loop *loop, const struct weir_item_slot *slot, int code)
{
    struct weir_items *items = loop->items;
    enum weir_verb verb = verb_of(loop, slot)->verb;

    if (verb == WEIR_LOOKUP)
        code = code == -ENOENT ? 0 : code == 0 ? -EEXIST : code;
    if (code == -EEXIST && verb == WEIR_MKDIR && items->are_directories)
        code = judge_existing(loop->run, slot->path);
    if (code == 0)
        return true;
    if (code == -ENOENT && weir_verb_removes(verb) && !items->must_exist)
        items->absent_count++;
    else if (code == -ENOENT && loop->run->is_ending && weir_run_must_do(loop->run, loop->phase))
        return false; /* it has its name back, or never had another one */
    else if ((code == -ENOTEMPTY || code == -EEXIST) && verb == WEIR_RMDIR)
        leave(items, slot);
    else
        fail(loop, slot, code);
    return false;
}

/* `issued_ns` is that of the first step. */
static void record(struct weir_loop *loop, const struct weir_op *op,
                   const struct weir_item_slot *slot, uint64_t issued_ns, uint64_t accepted_ns)
{
    const struct weir_item_verb *verb = verb_of(loop, slot);
    struct weir_tally *tally = loop->tally;

    if (__builtin_expect(op->done_ns >= loop->look_ns, 0))
        weir_loop_end_interval(loop, op->done_ns);
    weir_loop_count(&tally->verbs[verb->counted], op->done_ns - issued_ns, 1, verb->bytes);
    if (loop->items->visits != NULL)
        weir_visits_add(loop->items->visits,
                        is_new(loop, verb->verb) ? slot->new_directory : slot->directory,
                        op->done_ns - issued_ns);
    if (tally->submission != NULL)
        weir_histogram_add(tally->submission, accepted_ns - issued_ns);
    if (loop->log != NULL)
        weir_op_log_add(loop->log, op, verb->counted);
    if (loop->is_open_loop && slot->verb == 0) {
        weir_loop_record_lateness(loop, op);
        weir_histogram_add(tally->response, op->done_ns - op->due_ns);
    }
}

/* What was made is read at once, outside of the times of operations: an item at a time. */
static void verify_made(struct weir_loop *loop, struct weir_op *op, struct weir_item_slot *slot)
{
    static const enum weir_op_verb steps[] = {WEIR_OP_OPEN, WEIR_OP_READ, WEIR_OP_CLOSE};
    uint64_t before_ns = weir_loop_begin_ns(loop);

    weir_source_poison(loop->source, op->data);
    slot->params.can_write = slot->params.must_create = false;
    slot->params.claim = WEIR_CLAIM_ANY;
    weir_queue_perform_chain(&loop->run->queue, op, steps, sizeof steps / sizeof *steps);
    weir_loop_add_data_ns(loop, before_ns);
    if (op->result == 0)
        verify(loop, op, slot);
    else
        fail(loop, slot, (int)op->result);
}

static void end_verb(struct weir_loop *loop, struct weir_op *op, struct weir_item_slot *slot,
                     uint64_t issued_ns, uint64_t accepted_ns, int code)
{
    const struct weir_item_verb *verb = verb_of(loop, slot);

    if (!judge(loop, slot, code))
        return;
    record(loop, op, slot, issued_ns, accepted_ns);
    if (verb->verb == WEIR_READ_FILE && loop->items->names->must_verify && verb->bytes > 0)
        verify(loop, op, slot);
    else if (verb->verb == WEIR_CREATE && loop->items->names->must_verify_made && verb->bytes > 0)
        verify_made(loop, op, slot);
}

/* ---- one at a time ---- */

static bool is_listed(const struct weir_strangers *strangers, const char *path)
{
    const uint64_t hash = weir_text_hash(path, strlen(path));

    return bsearch(&hash, strangers->hashes, strangers->count, sizeof hash,
                   weir_strangers_compare) != NULL;
}

/* What this test has found in the place of an item, and not made, is not changed or removed. */
static bool must_leave_alone(const struct weir_loop *loop, const struct weir_item_slot *slot)
{
    const struct weir_strangers *strangers = &loop->run->strangers;
    enum weir_verb verb = verb_of(loop, slot)->verb;

    if (strangers->count == 0)
        return false;
    if (verb == WEIR_CHMOD || verb == WEIR_SETXATTR || weir_verb_removes(verb))
        return is_listed(strangers, slot->request.path);
    return verb == WEIR_RENAME &&
           (is_listed(strangers, slot->path) || is_listed(strangers, slot->new_path));
}

/* The mark of an earlier run has listed its name. It counts as a removal that failed, so that the
 * mark stays as well. */
static bool is_foreign(struct weir_loop *loop, const struct weir_item_slot *slot)
{
    int code = -(int)loop->items->foreign[slot->index];

    if (code == 0)
        return false;
    weir_tally_fail(loop->tally, verb_of(loop, slot)->counted, code, slot->index);
    weir_run_fail_for(loop->run, code, weir_verb_name(verb_of(loop, slot)->verb), slot->path,
                      weir_ownership_reason(code));
    return true;
}

static void perform_verb(struct weir_loop *loop, struct weir_op *op, struct weir_item_slot *slot)
{
    const struct weir_item_verb *verb = verb_of(loop, slot);
    struct weir_queue *queue = &loop->run->queue;

    if (__builtin_expect(loop->run->has_failed, 0) && must_leave_alone(loop, slot))
        return;
    if (__builtin_expect(loop->items->foreign != NULL, 0) && is_foreign(loop, slot))
        return;
    weir_queue_touch(queue);
    if (verb->step_count == 1)
        weir_queue_perform(queue, op);
    else
        weir_queue_perform_chain(queue, op, verb->steps, verb->step_count);
    end_verb(loop, op, slot, op->issued_ns, op->accepted_ns, (int)op->result);
    if (__builtin_expect(loop->phase->think_ppm != 0, 0))
        weir_loop_pause_for(
            loop, weir_parts_of(op->done_ns - op->issued_ns, loop->phase->think_ppm, 1000000));
}

void weir_loop_perform_item(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_item_slot *slot = begin_item(loop, op);
    const unsigned verb_count = loop->items->verb_count;

    perform_verb(loop, op, slot);
    while (__builtin_expect(++slot->verb < verb_count, 0)) {
        begin_verb(loop, op, slot);
        perform_verb(loop, op, slot);
    }
    weir_loop_poll(loop, loop->run->queue.last_ns);
    if (__builtin_expect(loop->phase->think_ns != 0, 0))
        weir_loop_pause_for(loop, loop->phase->think_ns);
}

void weir_loop_run_items(struct weir_loop *loop)
{
    struct weir_queue *queue = &loop->run->queue;
    struct weir_op *op = weir_queue_take(queue);

    weir_loop_init_op(loop, op);
    while (weir_loop_has_next(loop, false)) {
        weir_op_source_next(&loop->ops, op);
        weir_loop_perform_item(loop, op);
    }
    weir_queue_give(queue, op);
}

/* ---- several in flight ---- */

void weir_loop_begin_item(struct weir_loop *loop, struct weir_op *op)
{
    begin_item(loop, op);
}

/* What is to be sent again, or the rest of a transfer that came back short. False if nothing is. */
static bool continues(struct weir_loop *loop, struct weir_op *op)
{
    if (op->result < 0 && weir_loop_is_retried(loop, op)) {
        loop->tally->blocked_count += op->result == -EAGAIN && op->is_nowait;
        op->may_wait |= op->result == -EAGAIN;
        return true;
    }
    if (op->result <= 0 || op->result >= (int64_t)op->size)
        return false;
    op->data = (unsigned char *)op->data + op->result;
    op->offset += (uint64_t)op->result;
    op->size -= (uint64_t)op->result;
    return true;
}

static int code_of_step(const struct weir_op *op)
{
    bool moves = op->verb == WEIR_OP_WRITE || op->verb == WEIR_OP_READ;

    if (op->result < 0 || !moves)
        return (int)op->result;
    return op->result == (int64_t)op->size ? 0 : op->verb == WEIR_OP_READ ? -ENODATA : -EIO;
}

/* After a step that failed only a file that is open is still closed. */
static bool has_next_step(struct weir_op *op, struct weir_item_slot *slot,
                          const struct weir_item_verb *verb)
{
    while (++slot->step < verb->step_count) {
        op->verb = verb->steps[slot->step];
        op->may_wait = false;
        if (slot->code == 0 || (op->verb == WEIR_OP_CLOSE && op->file != NULL))
            return true;
    }
    return false;
}

/* Transfers of which parts came back have moved the slot's place in the buffer. */
static void restore(struct weir_op *op, const struct weir_item_verb *verb)
{
    op->data = (unsigned char *)op->data - op->offset;
    op->offset = 0;
    op->size = verb->bytes;
}

bool weir_loop_complete_item(struct weir_loop *loop, struct weir_op *op)
{
    struct weir_item_slot *slot = &loop->items->slots[op->slot];
    const struct weir_item_verb *verb = verb_of(loop, slot);
    int code;

    if (slot->step == 0) {
        slot->issued_ns = op->issued_ns;
        slot->accepted_ns = op->accepted_ns;
    }
    if (continues(loop, op))
        return false;
    code = code_of_step(op);
    if (slot->code == 0)
        slot->code = code;
    if (op->verb == WEIR_OP_WRITE || op->verb == WEIR_OP_READ)
        restore(op, verb);
    if (has_next_step(op, slot, verb))
        return false;
    /* Lateness is that of the first step. */
    op->issued_ns = slot->issued_ns;
    end_verb(loop, op, slot, slot->issued_ns, slot->accepted_ns, slot->code);
    if (++slot->verb >= loop->items->verb_count)
        return true;
    begin_verb(loop, op, slot);
    return false;
}
