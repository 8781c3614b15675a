/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on names through the queue, as many in flight as may be. */
#include "queue_cases.h"

#include "bench.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One name and what became of it. */
struct row {
    struct weir_name_request request;
    struct weir_file_params params;
    struct weir_name_facts facts;
    struct weir_file *file;
    int64_t result;
};

/* So many that slots are used again. */
static unsigned row_count(const struct bench *bench)
{
    return bench->session->depth + 5;
}

static void open_naming(struct bench *bench, const struct subject *subject, const char *options)
{
    if (!(abilities_of(subject) & WEIR_CAN_NAME))
        skip_because("the backend has no names");
    open_bench(bench, subject, options);
    if (bench->session->queued_names == 0 || bench->queue.is_blocking) {
        close_bench(bench);
        skip_because("names are not queued");
    }
}

static struct row *make_rows(struct bench *bench)
{
    struct row *rows = weir_arena_take(&bench->arena, row_count(bench) * sizeof *rows);

    memset(rows, 0, row_count(bench) * sizeof *rows);
    for (unsigned i = 0; i < row_count(bench); i++)
        rows[i].request = (struct weir_name_request){
            .facts = &rows[i].facts,
            .params = &rows[i].params,
        };
    return rows;
}

/* "<directory>/<kind><i>" for each. */
static void set_paths(struct bench *bench, struct row *rows, const char *kind)
{
    for (unsigned i = 0; i < row_count(bench); i++) {
        rows[i].request.path =
            weir_arena_printf(&bench->arena, "%s/%s%u", bench->subject->directory, kind, i);
        rows[i].params = (struct weir_file_params){
            .path = rows[i].request.path,
            .can_write = true,
            .can_read = true,
            .group = bench->subject->group,
        };
    }
}

static void set_new_paths(struct bench *bench, struct row *rows, const char *kind)
{
    for (unsigned i = 0; i < row_count(bench); i++)
        rows[i].request.new_path =
            weir_arena_printf(&bench->arena, "%s/%s%u", bench->subject->directory, kind, i);
}

static void finish_row(struct bench *bench, struct row *rows, struct weir_op *op)
{
    struct row *row = &rows[op->offset];

    row->result = op->result;
    if (op->verb == WEIR_OP_OPEN && op->result == 0)
        row->file = op->file;
    weir_queue_give(&bench->queue, op);
}

/* The same with every name. */
static void run(struct bench *bench, enum weir_op_verb verb, struct row *rows)
{
    struct weir_op *done[WEIR_DEPTH_MAX];
    unsigned sent = 0;

    while (sent < row_count(bench) || weir_queue_outstanding(&bench->queue) > 0) {
        int count;

        while (sent < row_count(bench) && weir_queue_has_free(&bench->queue)) {
            struct weir_op *op = weir_queue_take(&bench->queue);

            op->verb = verb;
            op->request = &rows[sent].request;
            op->file = rows[sent].file;
            op->data = NULL;
            op->size = 0;
            op->offset = sent++;
            weir_queue_send(&bench->queue, op);
        }
        count = weir_queue_reap(&bench->queue, done, 1, WEIR_DEPTH_MAX, WEIR_FOREVER);
        assert_true(count >= 1);
        for (int i = 0; i < count; i++)
            finish_row(bench, rows, done[i]);
    }
}

static void expect(struct bench *bench, enum weir_op_verb verb, struct row *rows, int64_t result)
{
    run(bench, verb, rows);
    for (unsigned i = 0; i < row_count(bench); i++)
        assert_int_equal(rows[i].result, result);
}

static void expect_facts(struct bench *bench, struct row *rows, enum weir_name_kind kind,
                         uint64_t bytes)
{
    for (unsigned i = 0; i < row_count(bench); i++)
        rows[i].facts = (struct weir_name_facts){.kind = WEIR_NAME_OTHER, .bytes = UINT64_MAX};
    expect(bench, WEIR_OP_STAT, rows, 0);
    for (unsigned i = 0; i < row_count(bench); i++) {
        assert_int_equal(rows[i].facts.kind, kind);
        if (kind == WEIR_NAME_FILE)
            assert_int_equal(rows[i].facts.bytes, bytes);
    }
}

static void create_files(struct bench *bench, struct row *rows)
{
    for (unsigned i = 0; i < row_count(bench); i++) {
        rows[i].params.must_create = true;
        rows[i].file = NULL;
    }
    expect(bench, WEIR_OP_OPEN, rows, 0);
    for (unsigned i = 0; i < row_count(bench); i++)
        assert_non_null(rows[i].file);
}

/* What the queue opened is a file as any other. */
static void use_files(struct bench *bench, struct row *rows)
{
    unsigned char *data = make_data(bench, 1, 3);
    unsigned char *back = make_data(bench, 1, 0);

    for (unsigned i = 0; i < row_count(bench); i++) {
        assert_int_equal(__builtin_popcount(rows[i].file->alignment.offset), 1);
        assert_int_equal(move(bench, WEIR_OP_WRITE, rows[i].file, data, 0, UNIT_BYTES), UNIT_BYTES);
        assert_int_equal(move(bench, WEIR_OP_READ, rows[i].file, back, 0, UNIT_BYTES), UNIT_BYTES);
        assert_memory_equal(back, data, UNIT_BYTES);
        assert_int_equal(bench->backend->file->size(bench->session, rows[i].file), UNIT_BYTES);
    }
}

void names_go_through_the_queue_at_full_depth(void **state)
{
    struct bench bench;
    struct row *rows;

    open_naming(&bench, *state, NULL);
    rows = make_rows(&bench);
    set_paths(&bench, rows, "d");
    expect(&bench, WEIR_OP_MKDIR, rows, 0);
    expect_facts(&bench, rows, WEIR_NAME_DIRECTORY, 0);

    set_paths(&bench, rows, "f");
    set_new_paths(&bench, rows, "g");
    create_files(&bench, rows);
    use_files(&bench, rows);
    expect_facts(&bench, rows, WEIR_NAME_FILE, UNIT_BYTES);
    expect(&bench, WEIR_OP_CLOSE, rows, 0);
    expect(&bench, WEIR_OP_RENAME, rows, 0);
    expect(&bench, WEIR_OP_STAT, rows, -ENOENT);

    /* Empty files take the place of those that were renamed. */
    create_files(&bench, rows);
    expect(&bench, WEIR_OP_CLOSE, rows, 0);
    expect(&bench, WEIR_OP_RENAME, rows, 0);
    set_paths(&bench, rows, "g");
    expect_facts(&bench, rows, WEIR_NAME_FILE, 0);
    expect(&bench, WEIR_OP_UNLINK, rows, 0);
    expect(&bench, WEIR_OP_STAT, rows, -ENOENT);

    set_paths(&bench, rows, "d");
    expect(&bench, WEIR_OP_RMDIR, rows, 0);
    expect(&bench, WEIR_OP_STAT, rows, -ENOENT);
    close_bench(&bench);
}

void errors_of_names_are_results(void **state)
{
    struct weir_file *const untouched = (struct weir_file *)&state;
    struct bench bench;
    struct row *rows;

    open_naming(&bench, *state, NULL);
    rows = make_rows(&bench);
    set_paths(&bench, rows, "e");
    set_new_paths(&bench, rows, "n");
    for (unsigned i = 0; i < row_count(&bench); i++)
        rows[i].file = untouched;
    expect(&bench, WEIR_OP_OPEN, rows, -ENOENT);
    for (unsigned i = 0; i < row_count(&bench); i++)
        assert_ptr_equal(rows[i].file, untouched);
    expect(&bench, WEIR_OP_UNLINK, rows, -ENOENT);
    expect(&bench, WEIR_OP_RMDIR, rows, -ENOENT);
    expect(&bench, WEIR_OP_RENAME, rows, -ENOENT);

    expect(&bench, WEIR_OP_MKDIR, rows, 0);
    expect(&bench, WEIR_OP_MKDIR, rows, -EEXIST);
    expect(&bench, WEIR_OP_OPEN, rows, -EISDIR);
    expect(&bench, WEIR_OP_UNLINK, rows, -EISDIR);
    set_paths(&bench, rows, "e0/below");
    create_files(&bench, rows);
    expect(&bench, WEIR_OP_CLOSE, rows, 0);
    expect(&bench, WEIR_OP_RMDIR, rows, -ENOTDIR);
    set_paths(&bench, rows, "e");
    run(&bench, WEIR_OP_RMDIR, rows);
    for (unsigned i = 0; i < row_count(&bench); i++)
        assert_int_equal(rows[i].result, i == 0 ? -ENOTEMPTY : 0);
    set_paths(&bench, rows, "e0/below");
    expect(&bench, WEIR_OP_UNLINK, rows, 0);
    assert_int_equal(bench.backend->names->rmdir(bench.session, path_of(&bench, "e0")), 0);
    close_bench(&bench);
}

static struct weir_name_facts stat_queued(struct bench *bench, const char *path)
{
    struct weir_name_facts facts = {0};
    const struct weir_name_request request = {.path = path, .facts = &facts};
    struct weir_op *op = weir_queue_take(&bench->queue);

    op->verb = WEIR_OP_STAT;
    op->file = NULL;
    op->request = &request;
    weir_queue_send(&bench->queue, op);
    assert_int_equal(weir_queue_reap(&bench->queue, &op, 1, 1, WEIR_FOREVER), 1);
    assert_int_equal(op->result, 0);
    weir_queue_give(&bench->queue, op);
    return facts;
}

void a_name_is_told_alike_with_and_without_the_queue(void **state)
{
    static const char *const names[] = {"file", "link", "dangling", "pipe", "directory"};
    const struct subject *subject = *state;
    struct bench bench;

    open_naming(&bench, subject, NULL);
    close_file(&bench, make_file(&bench, path_of(&bench, "file")));
    assert_int_equal(truncate(path_of(&bench, "file"), UNIT_BYTES), 0);
    assert_int_equal(symlink("file", path_of(&bench, "link")), 0);
    assert_int_equal(symlink("nowhere", path_of(&bench, "dangling")), 0);
    assert_int_equal(mkfifo(path_of(&bench, "pipe"), 0600), 0);
    assert_int_equal(mkdir(path_of(&bench, "directory"), 0700), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = path_of(&bench, names[i]);
        struct weir_name_facts queued = stat_queued(&bench, path);
        struct weir_name_facts facts;

        assert_int_equal(stat_name(&bench, path, &facts), 0);
        assert_int_equal(queued.kind, facts.kind);
        /* What a link leads to is a second question, which one request need not ask. */
        if (facts.kind == WEIR_NAME_FILE)
            assert_int_equal(queued.bytes, facts.bytes);
        if (facts.kind == WEIR_NAME_DIRECTORY)
            assert_int_equal(rmdir(path), 0);
        else
            remove_name(&bench, path);
    }
    assert_int_equal(stat_queued(&bench, "/dev/null").kind, WEIR_NAME_DEVICE);
    close_bench(&bench);
}

void faults_of_names_are_staged_in_the_queue(void **state)
{
    struct bench bench;
    struct row *rows;

    open_naming(&bench, *state, "fault.verb=name,fault.errno=EIO,fault.at=1,fault.every=3");
    rows = make_rows(&bench);
    set_paths(&bench, rows, "d");
    run(&bench, WEIR_OP_MKDIR, rows);
    for (unsigned i = 0; i < row_count(&bench); i++) {
        assert_int_equal(rows[i].result, i % 3 == 1 ? -EIO : 0);
        assert_int_equal(rmdir(rows[i].request.path), i % 3 == 1 ? -1 : 0);
    }
    close_bench(&bench);

    open_naming(&bench, *state, "fault.open=EACCES");
    rows = make_rows(&bench);
    set_paths(&bench, rows, "f");
    expect(&bench, WEIR_OP_OPEN, rows, -EACCES);
    close_bench(&bench);

    open_naming(&bench, *state, "fault.close=EDQUOT,fault.stat=4096");
    rows = make_rows(&bench);
    set_paths(&bench, rows, "f");
    create_files(&bench, rows);
    use_files(&bench, rows);
    expect_facts(&bench, rows, WEIR_NAME_FILE, UNIT_BYTES - 4096);
    expect(&bench, WEIR_OP_CLOSE, rows, -EDQUOT);
    expect(&bench, WEIR_OP_UNLINK, rows, 0);
    close_bench(&bench);
}
