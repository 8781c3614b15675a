/* SPDX-License-Identifier: Apache-2.0 */
/* How a file is opened, and with what mode it and a directory are made, over every backend that
 * says it can be asked. */
#include "queue_cases.h"

#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens of one session, blocking or through the queue. */
struct opener {
    struct bench bench;
    bool is_queued;
    unsigned flags; /* that the backend takes */
    mode_t old_umask;
};

static void begin(struct opener *opener, const struct subject *subject, bool is_queued)
{
    *opener = (struct opener){
        .is_queued = is_queued,
        .flags = (subject->inner ? subject->inner : subject->backend)->descriptor.open_flags};
    if (opener->flags == 0 || (abilities_of(subject) & WEIR_CAN_KEEP) == 0)
        skip_because("the backend takes no flags of opens, or keeps no data");
    open_bench(&opener->bench, subject, NULL);
    opener->old_umask = umask(022);
}

static void end(struct opener *opener)
{
    umask(opener->old_umask);
    close_bench(&opener->bench);
}

static int64_t perform(struct opener *opener, struct weir_op *own)
{
    struct weir_queue *queue = &opener->bench.queue;
    struct weir_op *op;

    if (!opener->is_queued || queue->is_blocking ||
        !(opener->bench.session->queued_names & 1U << own->verb)) {
        weir_queue_perform(queue, own);
        return own->result;
    }
    op = weir_queue_take(queue);
    op->verb = own->verb;
    op->request = own->request;
    op->file = NULL;
    op->size = 0;
    weir_queue_send(queue, op);
    assert_int_equal(weir_queue_reap(queue, &op, 1, 1, WEIR_FOREVER), 1);
    own->file = op->file;
    own->result = op->result;
    weir_queue_give(queue, op);
    return own->result;
}

static int open_as(struct opener *opener, struct weir_file_params params, struct weir_file **file)
{
    const struct weir_name_request request = {.path = params.path, .params = &params};
    struct weir_op op = {.verb = WEIR_OP_OPEN, .request = &request};
    int64_t result;

    params.is_item = true;
    params.is_exact = true;
    params.group = opener->bench.subject->group;
    result = perform(opener, &op);
    if (result == 0)
        *file = op.file;
    return (int)result;
}

static void put_unit(struct opener *opener, const char *path, unsigned seed)
{
    struct weir_file *file = make_file(&opener->bench, path);
    unsigned char *data = make_data(&opener->bench, 1, seed);

    assert_int_equal(move(&opener->bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    close_file(&opener->bench, file);
}

static uint64_t bytes_of(const char *path)
{
    struct stat facts;

    assert_int_equal(stat(path, &facts), 0);
    return (uint64_t)facts.st_size;
}

static mode_t mode_of(const char *path)
{
    struct stat facts;

    assert_int_equal(stat(path, &facts), 0);
    return facts.st_mode & 07777;
}

static void check_truncate(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f");
    struct weir_file_params params = {.path = path, .can_write = true, .must_create = true};
    struct weir_file *file = NULL;

    if (!(opener->flags & WEIR_OPEN_TRUNCATE))
        return;
    put_unit(opener, path, 1);
    assert_int_equal(open_as(opener, params, &file), 0);
    close_file(&opener->bench, file);
    assert_int_equal(bytes_of(path), UNIT_BYTES);
    params.open_flags = WEIR_OPEN_TRUNCATE;
    assert_int_equal(open_as(opener, params, &file), 0);
    close_file(&opener->bench, file);
    assert_int_equal(bytes_of(path), 0);
    remove_name(&opener->bench, path);
}

static void check_append(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f");
    struct weir_file_params params = {
        .path = path, .can_write = true, .open_flags = WEIR_OPEN_APPEND};
    unsigned char *first = make_data(&opener->bench, 1, 1);
    unsigned char *data = make_data(&opener->bench, 1, 2);
    unsigned char *back = make_data(&opener->bench, 2, 3);
    struct weir_file *file = NULL;

    if (!(opener->flags & WEIR_OPEN_APPEND))
        return;
    put_unit(opener, path, 1);
    assert_int_equal(open_as(opener, params, &file), 0);
    assert_int_equal(move(&opener->bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    close_file(&opener->bench, file);
    assert_int_equal(bytes_of(path), 2 * UNIT_BYTES);
    assert_int_equal(open_file(&opener->bench, path, false, &file), 0);
    assert_int_equal(move(&opener->bench, WEIR_OP_READ, file, back, 0, UNIT_BYTES), UNIT_BYTES);
    assert_int_equal(
        move(&opener->bench, WEIR_OP_READ, file, back + UNIT_BYTES, UNIT_BYTES, UNIT_BYTES),
        UNIT_BYTES);
    close_file(&opener->bench, file);
    assert_memory_equal(back, first, UNIT_BYTES);
    assert_memory_equal(back + UNIT_BYTES, data, UNIT_BYTES);
    remove_name(&opener->bench, path);
}

static void check_exclusive(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f");
    struct weir_file_params params = {.path = path,
                                      .can_write = true,
                                      .must_create = true,
                                      .claim = WEIR_CLAIM_NEW,
                                      .open_flags = WEIR_OPEN_EXCLUSIVE};
    struct weir_file *file = NULL;

    if (!(opener->flags & WEIR_OPEN_EXCLUSIVE))
        return;
    assert_int_equal(open_as(opener, params, &file), 0);
    close_file(&opener->bench, file);
    assert_int_equal(open_as(opener, params, &file), -EEXIST);
    params.claim = WEIR_CLAIM_ANY;
    assert_int_equal(open_as(opener, params, &file), -EEXIST);
    params.open_flags = 0;
    assert_int_equal(open_as(opener, params, &file), 0);
    close_file(&opener->bench, file);
    remove_name(&opener->bench, path);
}

/* Neither more nor less than is asked for. */
static void check_access(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f");
    struct weir_file_params params = {.path = path, .can_write = true, .can_read = true};
    unsigned char *data = make_data(&opener->bench, 1, 1);
    struct weir_file *file = NULL;

    put_unit(opener, path, 1);
    for (unsigned i = 0; i < 3; i++) {
        params.can_write = i != 1;
        params.can_read = i != 0;
        assert_int_equal(open_as(opener, params, &file), 0);
        assert_int_equal(move(&opener->bench, WEIR_OP_READ, file, data, 0, UNIT_BYTES),
                         params.can_read ? UNIT_BYTES : -EBADF);
        if (params.can_write)
            assert_int_equal(move(&opener->bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES),
                             UNIT_BYTES);
        close_file(&opener->bench, file);
    }
    remove_name(&opener->bench, path);
}

static void check_links(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f"), *link = path_of(&opener->bench, "l");
    struct weir_file_params params = {.path = link, .can_write = true};
    struct weir_file *file = NULL;

    put_unit(opener, path, 1);
    assert_int_equal(symlink("f", link), 0);
    assert_int_equal(open_as(opener, params, &file), 0);
    close_file(&opener->bench, file);
    if (opener->flags & WEIR_OPEN_NOFOLLOW) {
        params.open_flags = WEIR_OPEN_NOFOLLOW;
        assert_int_equal(open_as(opener, params, &file), -ELOOP);
    }
    if (opener->flags & WEIR_OPEN_DIRECTORY) {
        params.open_flags = WEIR_OPEN_DIRECTORY;
        assert_int_equal(open_as(opener, params, &file), -ENOTDIR);
    }
    assert_int_equal(unlink(link), 0);
    remove_name(&opener->bench, path);
}

static void check_modes(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f"), *directory = path_of(&opener->bench, "d");
    struct weir_file_params params = {.path = path, .can_write = true, .must_create = true};
    const struct weir_name_request request = {.path = directory};
    struct weir_op make = {.verb = WEIR_OP_MKDIR, .request = &request};
    struct weir_file *file = NULL;

    for (unsigned i = 0; i < 2; i++) {
        params.mode = i == 0 ? 0 : 0777;
        assert_int_equal(open_as(opener, params, &file), 0);
        close_file(&opener->bench, file);
        assert_int_equal(mode_of(path), i == 0 ? 0644 : 0755);
        remove_name(&opener->bench, path);
        opener->bench.session->directory_mode = i == 0 ? 0 : 0710;
        assert_int_equal(perform(opener, &make), 0);
        assert_int_equal(mode_of(directory), i == 0 ? 0755 : 0710);
        assert_int_equal(rmdir(directory), 0);
    }
}

/* ---- items of trees ---- */

struct verdict {
    int code;
    uint64_t bytes; /* of the file that was judged; 0: none was */
};

static int judge_by(void *context, const struct weir_found_file *found)
{
    static _Alignas(4096) unsigned char data[64 * 1024];
    struct verdict *verdict = context;

    verdict->bytes = found->bytes;
    assert_int_equal(found->read(found, data, sizeof data, 0), found->bytes);
    return verdict->code;
}

static int open_item(struct opener *opener, const char *path, struct verdict *verdict)
{
    const struct weir_file_params params = {.path = path,
                                            .can_write = true,
                                            .can_read = true,
                                            .must_create = true,
                                            .claim = WEIR_CLAIM_ITEM,
                                            .judge = judge_by,
                                            .judge_context = verdict,
                                            .group = opener->bench.subject->group,
                                            .expected_bytes = UNIT_BYTES,
                                            .transfer_bytes = UNIT_BYTES,
                                            .is_item = true};
    const struct weir_name_request request = {.path = path, .params = &params};
    struct weir_op op = {.verb = WEIR_OP_OPEN, .request = &request};
    int64_t result = perform(opener, &op);

    if (result == 0)
        close_file(&opener->bench, op.file);
    return (int)result;
}

/* What is in the place of an item is written only if it is a file of its own that is empty, or
 * accepted by its content. */
static void check_item(struct opener *opener)
{
    const char *path = path_of(&opener->bench, "f"), *other = path_of(&opener->bench, "o");
    struct verdict verdict = {.code = -EEXIST};

    assert_int_equal(open_item(opener, path, &verdict), 0);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(open_item(opener, path, &verdict), 0);
    assert_int_equal(verdict.bytes, 0);
    remove_name(&opener->bench, path);

    put_unit(opener, other, 1);
    assert_int_equal(link(other, path), 0);
    verdict.code = 0;
    assert_int_equal(open_item(opener, path, &verdict), -EMLINK);
    assert_int_equal(verdict.bytes, 0);
    remove_name(&opener->bench, path);
    assert_int_equal(symlink(strrchr(other, '/') + 1, path), 0);
    assert_int_equal(open_item(opener, path, &verdict), -ELOOP);
    remove_name(&opener->bench, path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(open_item(opener, path, &verdict), -ESTALE);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(open_item(opener, path, &verdict), -EISDIR);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(verdict.bytes, 0);

    assert_int_equal(rename(other, path), 0);
    verdict.code = -EEXIST;
    assert_int_equal(open_item(opener, path, &verdict), -EEXIST);
    assert_int_equal(verdict.bytes, UNIT_BYTES);
    assert_int_equal(bytes_of(path), UNIT_BYTES);
    verdict.code = 0;
    assert_int_equal(open_item(opener, path, &verdict), 0);
    remove_name(&opener->bench, path);
}

void an_item_is_opened_in_a_place_of_its_own(void **state)
{
    const struct subject *subject = *state;
    const struct weir_backend *backend = subject->inner ? subject->inner : subject->backend;

    if ((!(backend->descriptor.name_verbs & WEIR_NAMES_MKNOD) &&
         (backend->names == NULL || backend->names->kernel_path == NULL)) ||
        (abilities_of(subject) & WEIR_CAN_KEEP) == 0)
        skip_because("the backend has no trees of files in the kernel");
    for (unsigned is_queued = 0; is_queued <= 1; is_queued++) {
        struct opener opener = {.is_queued = is_queued != 0};

        open_bench(&opener.bench, subject, NULL);
        check_item(&opener);
        close_bench(&opener.bench);
    }
}

static void in_both_ways(const struct subject *subject, void (*check)(struct opener *opener))
{
    for (unsigned is_queued = 0; is_queued <= 1; is_queued++) {
        struct opener opener;

        begin(&opener, subject, is_queued != 0);
        check(&opener);
        end(&opener);
    }
}

void an_open_truncates_if_asked(void **state)
{
    in_both_ways(*state, check_truncate);
}

void an_open_appends_if_asked(void **state)
{
    in_both_ways(*state, check_append);
}

void an_exclusive_open_makes_the_file(void **state)
{
    in_both_ways(*state, check_exclusive);
}

void an_exact_open_is_for_what_it_says(void **state)
{
    in_both_ways(*state, check_access);
}

void an_exact_open_follows_links_unless_told(void **state)
{
    in_both_ways(*state, check_links);
}

void files_and_directories_have_the_modes_asked_for(void **state)
{
    in_both_ways(*state, check_modes);
}
