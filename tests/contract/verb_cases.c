/* SPDX-License-Identifier: Apache-2.0 */
/* Each operation on names that a backend says it has, as POSIX has it, blocking and through the
 * queue. */
#include "queue_cases.h"

#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { MANY = 5000, SOME = 40 };

/* Paths and ways of one case. */
struct trial {
    struct bench bench;
    const char *directory;
    bool is_queued; /* where the session has the verb queued; else all of them block */
    unsigned verbs; /* of enum weir_name_verb */
};

static void open_trial(struct trial *trial, const struct subject *subject, const char *options)
{
    *trial = (struct trial){
        .verbs = (subject->inner ? subject->inner : subject->backend)->descriptor.name_verbs};
    if (!(abilities_of(subject) & WEIR_CAN_NAME))
        skip_because("the backend has no names");
    open_bench(&trial->bench, subject, options);
    trial->directory = path_of(&trial->bench, "names");
    assert_int_equal(trial->bench.backend->names->mkdir(trial->bench.session, trial->directory), 0);
}

static void close_trial(struct trial *trial)
{
    assert_int_equal(trial->bench.backend->names->rmdir(trial->bench.session, trial->directory), 0);
    close_bench(&trial->bench);
}

static const char *in(struct trial *trial, const char *name)
{
    return weir_arena_printf(&trial->bench.arena, "%s/%s", trial->directory, name);
}

static int64_t perform(struct trial *trial, enum weir_op_verb verb,
                       const struct weir_name_request *request)
{
    struct weir_queue *queue = &trial->bench.queue;
    struct weir_op own = {.verb = verb, .request = request};
    struct weir_op *op = &own;
    int64_t result;

    if (!trial->is_queued || queue->is_blocking ||
        !(trial->bench.session->queued_names & 1U << verb)) {
        weir_queue_perform(queue, op);
        return op->result;
    }
    op = weir_queue_take(queue);
    op->verb = verb;
    op->request = request;
    op->file = NULL;
    op->size = 0;
    weir_queue_send(queue, op);
    assert_int_equal(weir_queue_reap(queue, &op, 1, 1, WEIR_FOREVER), 1);
    result = op->result;
    weir_queue_give(queue, op);
    return result;
}

/* Of names in the trial's directory. */
static int64_t do_two(struct trial *trial, enum weir_op_verb verb, const char *name,
                      const char *new_name)
{
    const struct weir_name_request request = {.path = in(trial, name),
                                              .new_path = in(trial, new_name)};

    return perform(trial, verb, &request);
}

static int64_t do_one(struct trial *trial, enum weir_op_verb verb, const char *name)
{
    return do_two(trial, verb, name, "");
}

static struct weir_name_facts facts_of(struct trial *trial, const char *name)
{
    struct weir_name_facts facts = {.kind = WEIR_NAME_OTHER, .bytes = UINT64_MAX};
    const struct weir_name_request request = {.path = in(trial, name), .facts = &facts};

    assert_int_equal(perform(trial, WEIR_OP_STAT, &request), 0);
    return facts;
}

static int64_t look_for(struct trial *trial, const char *name)
{
    struct weir_name_facts facts;
    const struct weir_name_request request = {.path = in(trial, name), .facts = &facts};

    return perform(trial, WEIR_OP_STAT, &request);
}

static void make(struct trial *trial, const char *name)
{
    close_file(&trial->bench, make_file(&trial->bench, in(trial, name)));
}

static void in_both_ways(const struct subject *subject, unsigned verbs,
                         void (*check)(struct trial *trial))
{
    for (unsigned is_queued = 0; is_queued <= 1; is_queued++) {
        struct trial trial;

        open_trial(&trial, subject, NULL);
        trial.is_queued = is_queued != 0;
        if ((trial.verbs & verbs) == verbs)
            check(&trial);
        close_trial(&trial);
        if ((trial.verbs & verbs) != verbs)
            skip_because("the backend has no such operation");
    }
}

/* ---- directories and files ---- */

static void check_removal(struct trial *trial)
{
    assert_int_equal(do_one(trial, WEIR_OP_MKDIR, "d"), 0);
    assert_int_equal(do_one(trial, WEIR_OP_MKDIR, "d"), -EEXIST);
    assert_int_equal(facts_of(trial, "d").kind, WEIR_NAME_DIRECTORY);
    make(trial, "d/f");
    assert_int_equal(facts_of(trial, "d/f").kind, WEIR_NAME_FILE);
    assert_int_equal(facts_of(trial, "d/f").bytes, 0);
    assert_int_equal(do_one(trial, WEIR_OP_MKDIR, "d/f"), -EEXIST);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "d"), -EISDIR);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "d"), -ENOTEMPTY);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "d/f"), -ENOTDIR);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "d/f"), 0);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "d/f"), -ENOENT);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "d"), 0);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "d"), -ENOENT);
    assert_int_equal(look_for(trial, "d"), -ENOENT);
}

void names_are_made_looked_at_and_removed(void **state)
{
    in_both_ways(*state, 0, check_removal);
}

static void check_rename(struct trial *trial)
{
    assert_int_equal(do_two(trial, WEIR_OP_RENAME, "a", "b"), -ENOENT);
    make(trial, "a");
    assert_int_equal(do_two(trial, WEIR_OP_RENAME, "a", "b"), 0);
    assert_int_equal(look_for(trial, "a"), -ENOENT);
    assert_int_equal(facts_of(trial, "b").kind, WEIR_NAME_FILE);
    /* What is there is replaced. */
    make(trial, "a");
    assert_int_equal(do_two(trial, WEIR_OP_RENAME, "a", "b"), 0);
    assert_int_equal(look_for(trial, "a"), -ENOENT);
    assert_int_equal(do_one(trial, WEIR_OP_MKDIR, "d"), 0);
    assert_int_equal(do_two(trial, WEIR_OP_RENAME, "d", "b"), -ENOTDIR);
    assert_int_equal(do_two(trial, WEIR_OP_RENAME, "b", "d"), -EISDIR);
    assert_int_equal(do_two(trial, WEIR_OP_RENAME, "d", "e"), 0);
    assert_int_equal(look_for(trial, "d"), -ENOENT);
    assert_int_equal(facts_of(trial, "e").kind, WEIR_NAME_DIRECTORY);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "e"), 0);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "b"), 0);
}

void a_rename_takes_the_place_of_what_is_there(void **state)
{
    in_both_ways(*state, WEIR_NAMES_RENAME, check_rename);
}

static void check_mknod(struct trial *trial)
{
    assert_int_equal(do_one(trial, WEIR_OP_MKNOD, "f"), 0);
    assert_int_equal(facts_of(trial, "f").kind, WEIR_NAME_FILE);
    assert_int_equal(facts_of(trial, "f").bytes, 0);
    assert_int_equal(do_one(trial, WEIR_OP_MKNOD, "f"), -EEXIST);
    assert_int_equal(do_one(trial, WEIR_OP_MKNOD, "none/f"), -ENOENT);
    assert_int_equal(do_one(trial, WEIR_OP_MKNOD, "f/f"), -ENOTDIR);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "f"), 0);
}

void a_node_is_an_empty_file(void **state)
{
    in_both_ways(*state, WEIR_NAMES_MKNOD, check_mknod);
}

/* ---- links ---- */

static void check_link(struct trial *trial)
{
    struct stat file, second;

    make(trial, "f");
    assert_int_equal(do_two(trial, WEIR_OP_LINK, "f", "g"), 0);
    assert_int_equal(stat(in(trial, "f"), &file), 0);
    assert_int_equal(stat(in(trial, "g"), &second), 0);
    assert_int_equal(file.st_ino, second.st_ino);
    assert_int_equal(second.st_nlink, 2);
    assert_int_equal(do_two(trial, WEIR_OP_LINK, "f", "g"), -EEXIST);
    assert_int_equal(do_two(trial, WEIR_OP_LINK, "none", "h"), -ENOENT);
    assert_int_equal(do_one(trial, WEIR_OP_MKDIR, "d"), 0);
    assert_int_equal(do_two(trial, WEIR_OP_LINK, "d", "h"), -EPERM);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "d"), 0);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "f"), 0);
    assert_int_equal(facts_of(trial, "g").kind, WEIR_NAME_FILE);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "g"), 0);
}

void a_link_is_a_second_name(void **state)
{
    in_both_ways(*state, WEIR_NAMES_LINK, check_link);
}

static void check_symlink(struct trial *trial)
{
    char target[BENCH_PATH_BYTES] = "";

    make(trial, "f");
    assert_int_equal(do_two(trial, WEIR_OP_SYMLINK, "f", "s"), 0);
    assert_int_equal(readlink(in(trial, "s"), target, sizeof target - 1), strlen(in(trial, "f")));
    assert_string_equal(target, in(trial, "f"));
    assert_int_equal(facts_of(trial, "s").kind, WEIR_NAME_LINK);
    assert_int_equal(do_two(trial, WEIR_OP_SYMLINK, "f", "s"), -EEXIST);
    assert_int_equal(do_two(trial, WEIR_OP_SYMLINK, "f", "none/s"), -ENOENT);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "s"), 0);
    assert_int_equal(facts_of(trial, "f").kind, WEIR_NAME_FILE);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "f"), 0);
}

void a_symbolic_link_leads_where_it_was_told_to(void **state)
{
    in_both_ways(*state, WEIR_NAMES_SYMLINK, check_symlink);
}

/* ---- what a file has beside its data ---- */

static void check_mode(struct trial *trial)
{
    struct stat facts;

    assert_int_equal(do_one(trial, WEIR_OP_CHMOD, "f"), -ENOENT);
    make(trial, "f");
    assert_int_equal(do_one(trial, WEIR_OP_CHMOD, "f"), 0);
    assert_int_equal(stat(in(trial, "f"), &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    if (trial->verbs & WEIR_NAMES_SYMLINK) {
        assert_int_equal(chmod(in(trial, "f"), 0600), 0);
        assert_int_equal(symlink("f", in(trial, "s")), 0);
        assert_int_equal(do_one(trial, WEIR_OP_CHMOD, "s"), -ELOOP);
        assert_int_equal(stat(in(trial, "f"), &facts), 0);
        assert_int_equal(facts.st_mode & 07777, 0600);
        assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "s"), 0);
    }
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "f"), 0);
}

void a_mode_is_changed(void **state)
{
    in_both_ways(*state, WEIR_NAMES_CHMOD, check_mode);
}

static void check_attributes(struct trial *trial)
{
    char value[WEIR_XATTR_BYTES + 1] = "";
    int64_t set;

    assert_int_equal(do_one(trial, WEIR_OP_SETXATTR, "f"), -ENOENT);
    assert_int_equal(do_one(trial, WEIR_OP_GETXATTR, "f"), -ENOENT);
    make(trial, "f");
    if (trial->verbs & WEIR_NAMES_SYMLINK) {
        assert_int_equal(symlink("f", in(trial, "s")), 0);
        assert_true(do_one(trial, WEIR_OP_SETXATTR, "s") < 0);
        assert_true(getxattr(in(trial, "f"), WEIR_XATTR_NAME, value, sizeof value) < 0);
        assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "s"), 0);
    }
    set = do_one(trial, WEIR_OP_SETXATTR, "f");
    if (set == 0) {
        assert_int_equal(getxattr(in(trial, "f"), WEIR_XATTR_NAME, value, sizeof value),
                         WEIR_XATTR_BYTES);
        assert_string_equal(value, WEIR_XATTR_VALUE);
        assert_int_equal(do_one(trial, WEIR_OP_SETXATTR, "f"), 0);
        assert_int_equal(do_one(trial, WEIR_OP_GETXATTR, "f"), 0);
        assert_int_equal(removexattr(in(trial, "f"), WEIR_XATTR_NAME), 0);
        assert_int_equal(do_one(trial, WEIR_OP_GETXATTR, "f"), -ENODATA);
        /* One of another length is none of ours. */
        assert_int_equal(setxattr(in(trial, "f"), WEIR_XATTR_NAME, "x", 1, 0), 0);
        assert_int_equal(do_one(trial, WEIR_OP_GETXATTR, "f"), -ENODATA);
    } else {
        assert_int_equal(set, -EOPNOTSUPP);
    }
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "f"), 0);
}

void attributes_are_set_and_got(void **state)
{
    in_both_ways(*state, WEIR_NAMES_XATTR, check_attributes);
}

/* ---- directories as a whole ---- */

struct seen {
    bool has[MANY];
    unsigned count;
    unsigned limit;
};

static int see(void *context, const char *name)
{
    struct seen *seen = context;
    unsigned number;

    if (sscanf(name, "n%u", &number) != 1 || number >= MANY || seen->has[number])
        fail_msg("%s is in the list", name);
    seen->has[number] = true;
    return ++seen->count == seen->limit;
}

static void expect_names(struct trial *trial, unsigned count)
{
    const struct weir_name_ops *names = trial->bench.backend->names;
    struct weir_session *session = trial->bench.session;
    const char *path = in(trial, "d");
    struct seen *seen = weir_arena_take(&trial->bench.arena, sizeof *seen);
    struct weir_name_facts facts = {.kind = WEIR_NAME_OTHER};
    uint64_t found = UINT64_MAX;
    struct weir_name_request request = {.path = path, .found = &found};

    assert_int_equal(perform(trial, WEIR_OP_LIST, &request), 0);
    assert_int_equal(found, count);
    request.facts = &facts;
    assert_int_equal(perform(trial, WEIR_OP_LIST, &request), 0);
    assert_int_equal(found, count);
    assert_int_equal(facts.kind, count > 0 ? WEIR_NAME_FILE : WEIR_NAME_OTHER);
    memset(seen, 0, sizeof *seen);
    assert_int_equal(names->list(session, path, see, seen, NULL, &found), 0);
    assert_int_equal(found, count);
    assert_int_equal(seen->count, count);
    if (count < 2)
        return;
    memset(seen, 0, sizeof *seen);
    seen->limit = 2;
    assert_int_equal(names->list(session, path, see, seen, NULL, &found), 0);
    assert_int_equal(seen->count, 2);
}

static const char *number_name(struct trial *trial, unsigned number)
{
    return weir_arena_printf(&trial->bench.arena, "d/n%u", number);
}

/* What one call of the kernel or one message does not hold: once a backend, for it takes seconds.
 */
static unsigned count_many(const struct trial *trial)
{
    const struct subject *subject = trial->bench.subject;
    bool is_plain = subject->depth == 1 && !subject->inner && !subject->options;

    return is_plain && !trial->is_queued ? MANY : SOME;
}

static void make_plain(struct trial *trial, const char *name)
{
    if (trial->verbs & WEIR_NAMES_MKNOD)
        assert_int_equal(do_one(trial, WEIR_OP_MKNOD, name), 0);
    else
        make(trial, name);
}

static void check_list(struct trial *trial)
{
    unsigned many = count_many(trial);

    assert_int_equal(do_one(trial, WEIR_OP_MKDIR, "d"), 0);
    expect_names(trial, 0);
    make(trial, number_name(trial, 0));
    expect_names(trial, 1);
    for (unsigned i = 1; i < many; i++)
        make_plain(trial, number_name(trial, i));
    expect_names(trial, many);
    for (unsigned i = 0; i < many; i++)
        assert_int_equal(do_one(trial, WEIR_OP_UNLINK, number_name(trial, i)), 0);
    expect_names(trial, 0);
    assert_int_equal(do_one(trial, WEIR_OP_RMDIR, "d"), 0);
}

void a_list_has_each_name_once(void **state)
{
    in_both_ways(*state, WEIR_NAMES_LIST, check_list);
}

static void check_list_errors(struct trial *trial)
{
    uint64_t found = 7;
    struct weir_name_request request = {.path = in(trial, "none"), .found = &found};

    assert_int_equal(perform(trial, WEIR_OP_LIST, &request), -ENOENT);
    make(trial, "f");
    request.path = in(trial, "f");
    assert_int_equal(perform(trial, WEIR_OP_LIST, &request), -ENOTDIR);
    assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "f"), 0);
    if (trial->verbs & WEIR_NAMES_SYMLINK) {
        /* A link may lead out of the tree. */
        assert_int_equal(symlink(".", in(trial, "s")), 0);
        request.path = in(trial, "s");
        assert_int_equal(perform(trial, WEIR_OP_LIST, &request), -ENOTDIR);
        assert_int_equal(do_one(trial, WEIR_OP_UNLINK, "s"), 0);
    }
    assert_int_equal(found, 7);
}

void only_directories_are_listed(void **state)
{
    in_both_ways(*state, WEIR_NAMES_LIST, check_list_errors);
}

static void check_sync_all(struct trial *trial)
{
    const struct weir_name_ops *names = trial->bench.backend->names;

    assert_int_equal(names->sync_all(trial->bench.session, trial->directory), 0);
    assert_int_equal(names->sync_all(trial->bench.session, in(trial, "none")), -ENOENT);
}

void a_file_system_is_synced_as_a_whole(void **state)
{
    in_both_ways(*state, WEIR_NAMES_SYNC_ALL, check_sync_all);
}

/* ---- files of trees ---- */

static int open_item(struct trial *trial, const char *name, enum weir_claim claim, bool must_create,
                     struct weir_file **file)
{
    const struct weir_file_params params = {
        .path = in(trial, name),
        .can_write = true,
        .can_read = true,
        .must_create = must_create,
        .claim = claim,
        .group = trial->bench.subject->group,
        .is_item = true,
    };

    return trial->bench.backend->file->open(trial->bench.session, &params, file);
}

void an_item_is_a_file_like_others(void **state)
{
    struct trial trial;
    struct weir_file *file = NULL;
    unsigned char *data;
    unsigned char *back;

    open_trial(&trial, *state, NULL);
    data = make_data(&trial.bench, 1, 1);
    back = make_data(&trial.bench, 1, 2);
    assert_int_equal(open_item(&trial, "f", WEIR_CLAIM_ANY, false, &file), -ENOENT);
    assert_int_equal(open_item(&trial, "f", WEIR_CLAIM_NEW, true, &file), 0);
    assert_int_equal(move(&trial.bench, WEIR_OP_WRITE, file, data, 0, UNIT_BYTES), UNIT_BYTES);
    close_file(&trial.bench, file);
    if (!trial.bench.backend->server)
        assert_int_equal(open_item(&trial, "f", WEIR_CLAIM_NEW, true, &file), -EEXIST);
    assert_int_equal(open_item(&trial, "f", WEIR_CLAIM_ANY, true, &file), 0);
    assert_int_equal(move(&trial.bench, WEIR_OP_READ, file, back, 0, UNIT_BYTES), UNIT_BYTES);
    assert_memory_equal(data, back, UNIT_BYTES);
    close_file(&trial.bench, file);
    assert_int_equal(do_one(&trial, WEIR_OP_UNLINK, "f"), 0);
    close_trial(&trial);
}

/* ---- single backends ---- */

void faults_hit_one_verb_of_names(void **state)
{
    for (unsigned is_queued = 0; is_queued <= 1; is_queued++) {
        struct trial trial;
        struct weir_file *file = NULL;

        open_trial(&trial, *state, "fault.verb=rename,fault.at=1,fault.errno=EEXIST");
        trial.is_queued = is_queued != 0;
        make(&trial, "a");
        assert_int_equal(do_two(&trial, WEIR_OP_RENAME, "a", "b"), 0);
        assert_int_equal(facts_of(&trial, "b").kind, WEIR_NAME_FILE);
        assert_int_equal(do_two(&trial, WEIR_OP_RENAME, "b", "c"), -EEXIST);
        assert_int_equal(look_for(&trial, "c"), -ENOENT);
        assert_int_equal(do_two(&trial, WEIR_OP_RENAME, "b", "c"), 0);
        assert_int_equal(do_one(&trial, WEIR_OP_UNLINK, "c"), 0);
        close_trial(&trial);

        /* The one before is that of the trial's directory. */
        open_trial(&trial, *state, "fault.verb=mkdir,fault.at=1,fault.errno=EACCES");
        trial.is_queued = is_queued != 0;
        assert_int_equal(do_one(&trial, WEIR_OP_MKDIR, "d"), -EACCES);
        assert_int_equal(do_one(&trial, WEIR_OP_MKDIR, "d"), 0);
        assert_int_equal(do_one(&trial, WEIR_OP_RMDIR, "d"), 0);
        close_trial(&trial);

        open_trial(&trial, *state, "fault.verb=open,fault.at=1,fault.errno=EMFILE");
        make(&trial, "f");
        assert_int_equal(open_item(&trial, "f", WEIR_CLAIM_ANY, false, &file), -EMFILE);
        make(&trial, "f");
        assert_int_equal(do_one(&trial, WEIR_OP_UNLINK, "f"), 0);
        close_trial(&trial);
    }
}

static const enum weir_op_verb named[] = {
    WEIR_OP_STAT,   WEIR_OP_MKDIR,    WEIR_OP_UNLINK,   WEIR_OP_RMDIR,
    WEIR_OP_RENAME, WEIR_OP_MKNOD,    WEIR_OP_LINK,     WEIR_OP_SYMLINK,
    WEIR_OP_CHMOD,  WEIR_OP_SETXATTR, WEIR_OP_GETXATTR, WEIR_OP_LIST,
};

/* Files that data are moved to have no names there, so that the engine looks for none. */
void void_names_do_everything_and_nothing(void **state)
{
    for (unsigned is_queued = 0; is_queued <= 1; is_queued++) {
        struct trial trial = {.is_queued = is_queued != 0, .directory = "nowhere"};
        struct weir_name_facts facts = {.kind = WEIR_NAME_OTHER};
        uint64_t found = 7;
        const struct weir_name_request request = {
            .path = "nowhere/a", .new_path = "nowhere/b", .facts = &facts, .found = &found};

        open_bench(&trial.bench, *state, NULL);
        assert_null(trial.bench.backend->names);
        for (size_t i = 0; i < sizeof named / sizeof *named; i++)
            assert_int_equal(perform(&trial, named[i], &request), 0);
        assert_int_equal(facts.kind, WEIR_NAME_DIRECTORY);
        assert_int_equal(found, 0);
        assert_int_equal(access("nowhere", F_OK), -1);
        close_bench(&trial.bench);
    }
}

void files_of_a_void_queue_come_from_a_store(void **state)
{
    enum { FILES = 16384 };
    const struct weir_file_params params = {.can_write = true, .must_create = true};
    const struct weir_name_request request = {.path = "nowhere", .params = &params};
    struct weir_file **files;
    struct weir_op *op;
    struct bench bench;

    open_bench(&bench, *state, NULL);
    if (bench.queue.is_blocking) {
        close_bench(&bench);
        skip_because("transfers block");
    }
    files = weir_arena_take(&bench.arena, (FILES + 1) * sizeof(struct weir_file *));
    for (unsigned round = 0; round < 3; round++) {
        bool is_close = round == 1;

        for (unsigned i = 0; i <= FILES; i++) {
            op = weir_queue_take(&bench.queue);
            op->verb = is_close && i < FILES ? WEIR_OP_CLOSE : WEIR_OP_OPEN;
            op->file = is_close ? files[i] : NULL;
            op->request = &request;
            weir_queue_send(&bench.queue, op);
            assert_int_equal(weir_queue_reap(&bench.queue, &op, 1, 1, WEIR_FOREVER), 1);
            assert_int_equal(op->result, i == FILES && !is_close ? -EMFILE : 0);
            files[i] = op->file;
            weir_queue_give(&bench.queue, op);
            if (is_close && i == FILES)
                close_file(&bench, files[i]);
        }
    }
    close_bench(&bench);
}

void delays_are_those_of_their_verb(void **state)
{
    static const struct {
        const char *options;
        enum weir_op_verb verbs[2];
    } rows[] = {
        {"dummy.delay-create=20000", {WEIR_OP_MKDIR, WEIR_OP_MKNOD}},
        {"dummy.delay-stat=20000", {WEIR_OP_STAT, WEIR_OP_STAT}},
        {"dummy.delay-remove=20000", {WEIR_OP_UNLINK, WEIR_OP_RMDIR}},
    };
    const uint64_t delay_ns = UINT64_C(20000000);
    struct weir_name_facts facts;
    const struct weir_name_request request = {.path = "a", .new_path = "b", .facts = &facts};

    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        struct trial trial = {.is_queued = i % 2 != 0, .directory = "nowhere"};
        uint64_t begin_ns;

        open_bench(&trial.bench, *state, rows[i / 2].options);
        begin_ns = weir_clock_ns(&trial.bench.clock);
        for (unsigned n = 0; n < 2; n++)
            assert_int_equal(perform(&trial, rows[i / 2].verbs[n], &request), 0);
        assert_true(weir_clock_ns(&trial.bench.clock) - begin_ns >= 2 * delay_ns);
        close_bench(&trial.bench);
    }
}
