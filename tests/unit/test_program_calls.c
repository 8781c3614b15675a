/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of programs, one at a time, on files of the kernel: what they make, and what is noted. */
#include "engine/program_calls.h"

#include "weir/base/remedy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUTCOMES_MAX = 64, ARGUMENTS_MAX = 3, VARIABLES = 2, KIB = 1024 };

static const char *const variable_names[VARIABLES] = {"f", "g"};

struct bed {
    struct weir_program_walk walk;
    struct weir_program program;
    struct weir_run run;
    struct weir_test test;
    struct weir_surroundings surroundings;
    struct weir_engine_params params;
    struct weir_tally tally;
    struct weir_clock clock;
    struct weir_arena arena;
    struct weir_variables variables;
    struct weir_value values[VARIABLES];
    struct weir_program_ranks ranks;
    volatile sig_atomic_t stop_signal;
    char directory[64];
    const char *root;
    mode_t old_umask;
    struct weir_statement statement;
    const struct weir_expr *arguments[ARGUMENTS_MAX];
    struct weir_program_outcome outcomes[OUTCOMES_MAX];
    unsigned outcome_count;
    unsigned wrong_count; /* that was told, the last one here: */
    uint64_t wrong_offset;
    char wrong_path[256];
    char failure[512];
    unsigned look_count;
    unsigned must_end_at; /* this look, from 1 on; 0: never */
};

/* ---- the rest of the walk ---- */

static struct bed *bed_of(struct weir_program_walk *walk)
{
    return (struct bed *)walk;
}

int __wrap_weir_program_fail(struct weir_program_walk *walk, const struct weir_statement *statement,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));
void __wrap_weir_program_look(struct weir_program_walk *walk, uint64_t now_ns);
int __wrap_weir_program_meet(struct weir_program_walk *walk, unsigned group,
                             const struct weir_statement *statement);
void __wrap_weir_program_note(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              const struct weir_program_outcome *outcome);
void __wrap_weir_program_note_beside(struct weir_program_walk *walk,
                                     const struct weir_statement *statement,
                                     const struct weir_program_outcome *outcome);
void __wrap_weir_program_tell_wrong(struct weir_program_walk *walk,
                                    const struct weir_statement *statement, const char *path,
                                    uint64_t offset);

int __wrap_weir_program_fail(struct weir_program_walk *walk, const struct weir_statement *statement,
                             const char *format, ...)
{
    struct bed *bed = bed_of(walk);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(bed->failure, sizeof bed->failure, format, arguments);
    va_end(arguments);
    return -ECANCELED;
}

void __wrap_weir_program_look(struct weir_program_walk *walk, uint64_t now_ns)
{
    struct bed *bed = bed_of(walk);

    if (++bed->look_count == bed->must_end_at)
        walk->must_end = true;
}

int __wrap_weir_program_meet(struct weir_program_walk *walk, unsigned group,
                             const struct weir_statement *statement)
{
    return 0;
}

void __wrap_weir_program_note(struct weir_program_walk *walk,
                              const struct weir_statement *statement,
                              const struct weir_program_outcome *outcome)
{
    struct bed *bed = bed_of(walk);

    assert_true(outcome->begin_ns > 0 && outcome->end_ns >= outcome->begin_ns);
    assert_non_null(outcome->path);
    bed->outcomes[bed->outcome_count++ % OUTCOMES_MAX] = *outcome;
}

void __wrap_weir_program_note_beside(struct weir_program_walk *walk,
                                     const struct weir_statement *statement,
                                     const struct weir_program_outcome *outcome)
{
    assert_true(outcome->call >= WEIR_CALL_WORDS);
    __wrap_weir_program_note(walk, statement, outcome);
}

void __wrap_weir_program_tell_wrong(struct weir_program_walk *walk,
                                    const struct weir_statement *statement, const char *path,
                                    uint64_t offset)
{
    struct bed *bed = bed_of(walk);

    bed->wrong_count++;
    bed->wrong_offset = offset;
    snprintf(bed->wrong_path, sizeof bed->wrong_path, "%s", path);
}

/* ---- the bed ---- */

static void set_up(struct bed *bed, const char *backend)
{
    memset(bed, 0, sizeof *bed);
    snprintf(bed->directory, sizeof bed->directory, "/tmp/test_program_calls.XXXXXX");
    assert_non_null(mkdtemp(bed->directory));
    bed->old_umask = umask(022);
    bed->root = bed->directory;
    bed->variables = (struct weir_variables){.names = variable_names, .count = VARIABLES};
    bed->program = (struct weir_program){
        .variables = bed->variables, .roots = &bed->root, .root_count = 1, .largest_bytes = 64};
    weir_clock_calibrate(&bed->clock, true);
    bed->surroundings.test = &bed->test;
    bed->params = (struct weir_engine_params){
        .registry = &weir_registry, .clock = &bed->clock, .stop_signal = &bed->stop_signal};
    bed->run = (struct weir_run){
        .params = &bed->params,
        .test = &bed->test,
        .surroundings = &bed->surroundings,
        .tally = &bed->tally,
        .backend = weir_backend_find(&weir_registry, backend),
        .data_seed = 7,
    };
    assert_non_null(bed->run.backend);
    assert_int_equal(weir_group_self_open(&bed->run.group), 0);
    bed->run.self = bed->run.group;
    bed->ranks.group = bed->run.group;
    bed->walk = (struct weir_program_walk){
        .run = &bed->run,
        .program = &bed->program,
        .scope = {.variables = &bed->variables, .values = bed->values},
        .values = bed->values,
        .groups = &bed->ranks,
    };
}

static void start(struct bed *bed, unsigned depth)
{
    struct weir_error error = {0};
    const struct weir_option_set *set = &bed->run.backend->descriptor.options;
    struct weir_option_binding binding = {
        .set = set, .values = weir_arena_take(&bed->arena, set->values_bytes + 1)};
    const struct weir_option_parser parser = {.place = "test",
                                              .arena = &bed->arena,
                                              .bindings = &binding,
                                              .binding_count = set->rows != NULL};
    const struct weir_session_params params = {
        .depth = depth, .group = bed->run.group, .options = binding.values};

    weir_options_reset(&parser);
    if (bed->run.backend->open(&params, &bed->run.session, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(weir_queue_open(&bed->run.queue, bed->run.session, &bed->clock), 0);
    if (weir_program_calls_open(&bed->walk, &error) != 0)
        fail_msg("%s", error.text);
}

static const char *in(struct bed *bed, const char *name)
{
    return weir_arena_printf(&bed->arena, "%s/%s", bed->directory, name);
}

static void finish(struct bed *bed)
{
    weir_program_calls_close(&bed->walk, true);
    weir_queue_close(&bed->run.queue);
    bed->run.backend->close(bed->run.session);
    weir_group_close(bed->run.group);
    weir_arena_close(&bed->arena);
    umask(bed->old_umask);
    if (rmdir(bed->directory) != 0)
        fail_msg("%s: something is left", bed->directory);
}

static void open_posix(struct bed *bed)
{
    set_up(bed, "posix");
    start(bed, 1);
}

/* ---- statements ---- */

#define HANDLE "$f"

static const struct weir_expr *argument(struct bed *bed, const char *text, int64_t number)
{
    char reason[128];

    if (text == NULL)
        return weir_expr_integer(&bed->arena, number);
    if (strcmp(text, HANDLE) == 0)
        return weir_expr_variable(&bed->arena, 0);
    return weir_expr_text(&bed->arena, &bed->variables, text, strlen(text), reason, sizeof reason);
}

static int call(struct bed *bed, enum weir_call call, unsigned count)
{
    bed->statement.kind = WEIR_DO_CALL;
    bed->statement.line = 1;
    bed->statement.call = call;
    bed->statement.arguments = bed->arguments;
    bed->statement.argument_count = count;
    bed->statement.variable = weir_calls[call].gives_handle ? 0 : WEIR_NO_VARIABLE;
    bed->outcome_count = 0;
    bed->failure[0] = '\0';
    return weir_program_call(&bed->walk, &bed->statement);
}

static int call_name(struct bed *bed, enum weir_call which, const char *name)
{
    bed->arguments[0] = argument(bed, name, 0);
    return call(bed, which, 1);
}

static int call_names(struct bed *bed, enum weir_call which, const char *name, const char *new_name)
{
    bed->arguments[0] = argument(bed, name, 0);
    bed->arguments[1] = argument(bed, new_name, 0);
    return call(bed, which, 2);
}

static int call_size(struct bed *bed, enum weir_call which, const char *name, int64_t size)
{
    bed->arguments[0] = argument(bed, name, 0);
    bed->arguments[1] = argument(bed, NULL, size);
    return call(bed, which, 2);
}

static int call_place(struct bed *bed, enum weir_call which, const char *name, int64_t size,
                      int64_t offset)
{
    bed->arguments[0] = argument(bed, name, 0);
    bed->arguments[1] = argument(bed, NULL, size);
    bed->arguments[2] = argument(bed, NULL, offset);
    return call(bed, which, 3);
}

static int call_open(struct bed *bed, const char *name, unsigned flags)
{
    bed->statement.open_flags = flags;
    return call_names(bed, WEIR_CALL_FOPEN, name, "any");
}

static const struct weir_program_outcome *latest(const struct bed *bed)
{
    assert_true(bed->outcome_count > 0);
    return &bed->outcomes[bed->outcome_count - 1];
}

static void expect_one(const struct bed *bed, enum weir_call which, int code)
{
    assert_string_equal(bed->failure, "");
    assert_int_equal(bed->outcome_count, 1);
    assert_int_equal(bed->outcomes[0].call, which);
    assert_int_equal(bed->outcomes[0].code, code);
}

/* Open, move and close, one after the other. */
static void expect_move(const struct bed *bed, enum weir_call which, uint64_t bytes, int code)
{
    assert_string_equal(bed->failure, "");
    assert_int_equal(bed->outcome_count, 3);
    assert_int_equal(bed->outcomes[0].call, WEIR_CALL_NAMED_OPEN);
    assert_int_equal(bed->outcomes[1].call, which);
    assert_int_equal(bed->outcomes[1].bytes, bytes);
    assert_int_equal(bed->outcomes[1].code, code);
    assert_int_equal(bed->outcomes[2].call, WEIR_CALL_NAMED_CLOSE);
    /* What was read is compared between the two. */
    if (bed->program.must_verify && which == WEIR_CALL_READ)
        assert_true(bed->outcomes[2].begin_ns > bed->outcomes[1].end_ns);
    else
        assert_int_equal(bed->outcomes[2].begin_ns, bed->outcomes[1].end_ns);
}

static struct stat facts_of(const char *path)
{
    struct stat facts;

    if (stat(path, &facts) != 0)
        fail_msg("%s: %s", path, strerror(errno));
    return facts;
}

static void expect_bytes(const char *path, const char *expected, size_t bytes)
{
    char found[256] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(read(fd, found, sizeof found), bytes);
    close(fd);
    assert_memory_equal(found, expected, bytes);
}

/* ---- by name ---- */

static void a_write_is_open_write_and_close(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "w");
    assert_int_equal(call_size(&bed, WEIR_CALL_WRITE, path, 5), 0);
    expect_move(&bed, WEIR_CALL_WRITE, 5, 0);
    assert_int_equal(bed.outcomes[1].begin_ns, bed.outcomes[0].end_ns);
    expect_bytes(path, "00000", 5);
    assert_int_equal(facts_of(path).st_mode & 07777, 0644);
    /* What was there is cut, even in front of an offset. */
    call_place(&bed, WEIR_CALL_WRITE, path, 2, 1);
    expect_move(&bed, WEIR_CALL_WRITE, 2, 0);
    expect_bytes(path,
                 "\0"
                 "00",
                 3);
    assert_int_equal(call_size(&bed, WEIR_CALL_WRITE, path, 0), 0);
    expect_move(&bed, WEIR_CALL_WRITE, 0, 0);
    assert_int_equal(facts_of(path).st_size, 0);
    assert_int_equal(call_size(&bed, WEIR_CALL_WRITE, path, 300 * KIB), 0);
    expect_move(&bed, WEIR_CALL_WRITE, 300 * KIB, 0);
    assert_int_equal(facts_of(path).st_size, 300 * KIB);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void an_append_goes_behind_what_is_there(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "a");
    for (unsigned i = 1; i <= 2; i++) {
        assert_int_equal(call_size(&bed, WEIR_CALL_APPEND, path, 3), 0);
        expect_move(&bed, WEIR_CALL_APPEND, 3, 0);
        assert_int_equal(facts_of(path).st_size, 3 * i);
    }
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void a_read_that_finds_the_end_has_failed(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "r");
    call_size(&bed, WEIR_CALL_WRITE, path, 100);
    call_name(&bed, WEIR_CALL_READ, path);
    expect_move(&bed, WEIR_CALL_READ, 100, 0);
    call_place(&bed, WEIR_CALL_READ, path, 40, 60);
    expect_move(&bed, WEIR_CALL_READ, 40, 0);
    call_place(&bed, WEIR_CALL_READ, path, 41, 60);
    expect_move(&bed, WEIR_CALL_READ, 40, -ENODATA);
    call_place(&bed, WEIR_CALL_READ, path, -1, 30);
    expect_move(&bed, WEIR_CALL_READ, 70, 0);
    call_name(&bed, WEIR_CALL_READ, in(&bed, "none"));
    expect_one(&bed, WEIR_CALL_READ, -ENOENT);
    assert_int_equal(call_size(&bed, WEIR_CALL_WRITE, path, -1), -ECANCELED);
    assert_string_equal(bed.failure, "write: -1 is no size");
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void names_are_made_and_removed(void **state)
{
    struct bed bed;
    const char *directory, *file, *other;

    open_posix(&bed);
    directory = in(&bed, "d");
    file = in(&bed, "d/f");
    other = in(&bed, "d/o");
    call_name(&bed, WEIR_CALL_MKDIR, directory);
    expect_one(&bed, WEIR_CALL_MKDIR, 0);
    assert_int_equal(facts_of(directory).st_mode & 07777, 0700);
    call_name(&bed, WEIR_CALL_MKDIR, directory);
    expect_one(&bed, WEIR_CALL_MKDIR, -EEXIST);
    call_name(&bed, WEIR_CALL_CREATE, file);
    expect_one(&bed, WEIR_CALL_CREATE, 0);
    assert_int_equal(facts_of(file).st_mode & 07777, 0755);
    call_name(&bed, WEIR_CALL_DELETE, directory);
    expect_one(&bed, WEIR_CALL_DELETE, -ENOTEMPTY);
    call_names(&bed, WEIR_CALL_LINK, file, other);
    expect_one(&bed, WEIR_CALL_LINK, 0);
    assert_int_equal(facts_of(other).st_nlink, 2);
    call_name(&bed, WEIR_CALL_LIST, directory);
    expect_one(&bed, WEIR_CALL_LIST, 0);
    call_names(&bed, WEIR_CALL_RENAME, other, in(&bed, "d/n"));
    expect_one(&bed, WEIR_CALL_RENAME, 0);
    call_name(&bed, WEIR_CALL_LOOKUP, other);
    expect_one(&bed, WEIR_CALL_LOOKUP, -ENOENT);
    call_name(&bed, WEIR_CALL_STAT, in(&bed, "d/n"));
    expect_one(&bed, WEIR_CALL_STAT, 0);
    call_name(&bed, WEIR_CALL_DELETE, in(&bed, "d/n"));
    expect_one(&bed, WEIR_CALL_DELETE, 0);
    call_name(&bed, WEIR_CALL_RMDIR, file);
    expect_one(&bed, WEIR_CALL_RMDIR, -ENOTDIR);
    call_name(&bed, WEIR_CALL_DELETE, file);
    call_name(&bed, WEIR_CALL_DELETE, directory);
    expect_one(&bed, WEIR_CALL_DELETE, 0);
    call_name(&bed, WEIR_CALL_DELETE, directory);
    expect_one(&bed, WEIR_CALL_DELETE, -ENOENT);
    finish(&bed);
}

/* ---- handles ---- */

static void a_handle_goes_on_where_it_was(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "h");
    call_name(&bed, WEIR_CALL_FCREAT, path);
    expect_one(&bed, WEIR_CALL_FCREAT, 0);
    call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 4);
    call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 4);
    expect_one(&bed, WEIR_CALL_FWRITE, 0);
    assert_int_equal(facts_of(path).st_size, 8);
    call_size(&bed, WEIR_CALL_FSEEK, HANDLE, 20);
    expect_one(&bed, WEIR_CALL_FSEEK, 0);
    call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 4);
    assert_int_equal(facts_of(path).st_size, 24);
    call_place(&bed, WEIR_CALL_FWRITE, HANDLE, 4, 0);
    call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 1);
    expect_bytes(path,
                 "00000000\0\0\0\0\0\0\0\0\0\0\0\0"
                 "0000",
                 24);
    call_size(&bed, WEIR_CALL_FREAD, HANDLE, 1);
    expect_one(&bed, WEIR_CALL_FREAD, -EBADF);
    call_name(&bed, WEIR_CALL_FSYNC, HANDLE);
    expect_one(&bed, WEIR_CALL_FSYNC, 0);
    call_name(&bed, WEIR_CALL_FCLOSE, HANDLE);
    expect_one(&bed, WEIR_CALL_FCLOSE, 0);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void a_read_without_a_size_is_of_the_whole_file(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "h");
    call_size(&bed, WEIR_CALL_WRITE, path, 10);
    call_open(&bed, path, WEIR_OPEN_READ | WEIR_OPEN_WRITE);
    expect_one(&bed, WEIR_CALL_FOPEN, 0);
    call_size(&bed, WEIR_CALL_FREAD, HANDLE, 7);
    assert_int_equal(latest(&bed)->bytes, 7);
    call_size(&bed, WEIR_CALL_FREAD, HANDLE, 4);
    expect_one(&bed, WEIR_CALL_FREAD, -ENODATA);
    assert_int_equal(latest(&bed)->bytes, 3);
    call_name(&bed, WEIR_CALL_FREAD, HANDLE);
    expect_one(&bed, WEIR_CALL_FREAD, 0);
    assert_int_equal(latest(&bed)->bytes, 10);
    call_place(&bed, WEIR_CALL_FSEEK, HANDLE, -3, 2);
    expect_one(&bed, WEIR_CALL_FSEEK, 0);
    call_size(&bed, WEIR_CALL_FREAD, HANDLE, 3);
    expect_one(&bed, WEIR_CALL_FREAD, 0);
    call_place(&bed, WEIR_CALL_FSEEK, HANDLE, -11, 1);
    expect_one(&bed, WEIR_CALL_FSEEK, -EINVAL);
    call_name(&bed, WEIR_CALL_FCLOSE, HANDLE);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void an_appending_handle_goes_on_behind_what_it_wrote(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "h");
    call_size(&bed, WEIR_CALL_WRITE, path, 10);
    call_open(&bed, path, WEIR_OPEN_READ | WEIR_OPEN_WRITE | WEIR_OPEN_APPEND);
    call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 5);
    assert_int_equal(facts_of(path).st_size, 15);
    call_place(&bed, WEIR_CALL_FSEEK, HANDLE, -2, 1);
    call_size(&bed, WEIR_CALL_FREAD, HANDLE, 2);
    expect_one(&bed, WEIR_CALL_FREAD, 0);
    call_size(&bed, WEIR_CALL_FREAD, HANDLE, 1);
    expect_one(&bed, WEIR_CALL_FREAD, -ENODATA);
    /* What is open at the end is closed. */
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void a_closed_handle_ends_the_program(void **state)
{
    struct bed bed;
    const char *path;
    struct weir_value copy;

    open_posix(&bed);
    path = in(&bed, "h");
    call_name(&bed, WEIR_CALL_FCREAT, path);
    copy = bed.values[0];
    assert_int_equal(call_name(&bed, WEIR_CALL_FCLOSE, HANDLE), 0);
    assert_int_equal(bed.values[0].kind, WEIR_VALUE_NONE);
    assert_int_equal(call_name(&bed, WEIR_CALL_FCLOSE, HANDLE), -ECANCELED);
    assert_string_equal(bed.failure,
                        "fclose: $f is not set: the file is closed, or its open has failed");
    bed.values[0] = copy;
    assert_int_equal(call_name(&bed, WEIR_CALL_FSYNC, HANDLE), -ECANCELED);
    assert_string_equal(bed.failure, "fsync: the file of $f is closed already");
    /* The next open has the same place, and is another file. */
    call_name(&bed, WEIR_CALL_FCREAT, path);
    bed.values[1] = bed.values[0];
    bed.values[0] = copy;
    assert_int_equal(call_name(&bed, WEIR_CALL_FSYNC, HANDLE), -ECANCELED);
    bed.values[0] = bed.values[1];
    call_name(&bed, WEIR_CALL_FSYNC, HANDLE);
    expect_one(&bed, WEIR_CALL_FSYNC, 0);
    call_open(&bed, in(&bed, "none"), WEIR_OPEN_READ);
    expect_one(&bed, WEIR_CALL_FOPEN, -ENOENT);
    assert_int_equal(bed.values[0].kind, WEIR_VALUE_NONE);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void many_files_are_open_at_once(void **state)
{
    enum { FILES = 2000 };
    struct bed bed;
    struct weir_value *values = calloc(FILES, sizeof *values);
    const char *path;

    set_up(&bed, "posix");
    bed.statement.kind = WEIR_DO_CALL;
    bed.statement.call = WEIR_CALL_FOPEN;
    bed.program.statements = &bed.statement;
    start(&bed, 1);
    path = in(&bed, "h");
    call_size(&bed, WEIR_CALL_WRITE, path, 10);
    for (unsigned i = 0; i < FILES; i++) {
        call_open(&bed, path, WEIR_OPEN_READ);
        expect_one(&bed, WEIR_CALL_FOPEN, 0);
        values[i] = bed.values[0];
    }
    for (unsigned i = 0; i < FILES; i += 3) {
        bed.values[0] = values[i];
        call_name(&bed, WEIR_CALL_FREAD, HANDLE);
        expect_one(&bed, WEIR_CALL_FREAD, 0);
        call_name(&bed, WEIR_CALL_FCLOSE, HANDLE);
        expect_one(&bed, WEIR_CALL_FCLOSE, 0);
    }
    call_name(&bed, WEIR_CALL_DELETE, path);
    free(values);
    finish(&bed);
}

/* ---- roots ---- */

static void names_outside_of_the_roots_end_the_program(void **state)
{
    static const char *const bad[] = {"%s2/x", "%s/../x", "%s/a/../../x", "/x",
                                      "x",     "",        "//x",          "%sx"};
    static const char *const good[] = {"%s/x", "%s//x", "/.%s/./x", "%s/a/../x", "/tmp/../%s/x"};
    struct bed bed;

    open_posix(&bed);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char name[256];

        snprintf(name, sizeof name, bad[i], bed.directory);
        assert_int_equal(call_name(&bed, WEIR_CALL_CREATE, name), -ECANCELED);
        assert_int_equal(bed.outcome_count, 0);
        assert_non_null(strstr(bed.failure, WEIR_REMEDY_ROOT));
    }
    assert_int_equal(mkdir(in(&bed, "a"), 0700), 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char name[256];

        snprintf(name, sizeof name, good[i], bed.directory);
        call_name(&bed, WEIR_CALL_CREATE, name);
        expect_one(&bed, WEIR_CALL_CREATE, 0);
        assert_int_equal(unlink(in(&bed, "x")), 0);
    }
    assert_int_equal(chdir(in(&bed, "a")), 0);
    weir_program_calls_close(&bed.walk, true);
    assert_int_equal(weir_program_calls_open(&bed.walk, &(struct weir_error){0}), 0);
    call_name(&bed, WEIR_CALL_CREATE, "../x");
    expect_one(&bed, WEIR_CALL_CREATE, 0);
    assert_int_equal(call_name(&bed, WEIR_CALL_CREATE, "../../x"), -ECANCELED);
    call_name(&bed, WEIR_CALL_DELETE, "../x");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(in(&bed, "a")), 0);
    finish(&bed);
}

/* ---- what is verified ---- */

static const struct weir_mismatch_log *log_of(const struct bed *bed)
{
    return &bed->tally.mismatches;
}

struct verdict {
    const char *name;
    bool is_inside;
};

/* Each pair of names, one behind the other: the verdict on one does not depend on that before. */
static void judge_pairs(const char *const roots[], unsigned root_count,
                        const struct verdict verdicts[], unsigned count)
{
    struct bed bed;

    set_up(&bed, "null");
    bed.program.roots = roots;
    bed.program.root_count = root_count;
    start(&bed, 1);
    for (unsigned i = 0; i < 2 * count * count; i++) {
        const struct verdict *verdict = &verdicts[i % 2 ? i / 2 / count : i / 2 % count];

        assert_int_equal(call_name(&bed, WEIR_CALL_LOOKUP, verdict->name),
                         verdict->is_inside ? 0 : -ECANCELED);
    }
    finish(&bed);
}

static void roots_are_told_apart_in_any_order(void **state)
{
    static const char *const two[] = {"/a", "/ab/c"}, *const all[] = {"/b", "/"};
    static const struct verdict of_two[] = {{"/a", true},   {"/ab/c/x", true}, {"/ab", false},
                                            {"/a/x", true}, {"/ab/x", false},  {"/ab/cd", false},
                                            {"/", false},   {"/ab/c", true}};
    static const struct verdict of_all[] = {{"/ab/x", true}, {"/", true}, {"/b/x", true}};

    judge_pairs(two, 2, of_two, sizeof of_two / sizeof *of_two);
    judge_pairs(all, 2, of_all, sizeof of_all / sizeof *of_all);
}

static void data_are_verified_in_any_sizes(void **state)
{
    struct bed bed;
    const char *path;

    set_up(&bed, "posix");
    bed.program.must_verify = true;
    start(&bed, 1);
    path = in(&bed, "v");
    call_name(&bed, WEIR_CALL_FCREAT, path);
    for (unsigned i = 0; i < 40; i++)
        call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 1 + i * 37);
    call_place(&bed, WEIR_CALL_FWRITE, HANDLE, 1003, 77);
    call_name(&bed, WEIR_CALL_FCLOSE, HANDLE);
    call_name(&bed, WEIR_CALL_READ, path);
    expect_move(&bed, WEIR_CALL_READ, 40 + 37 * 780, 0);
    call_place(&bed, WEIR_CALL_READ, in(&bed, "./v"), 5001, 13);
    assert_int_equal(log_of(&bed)->checked_transfers, 2);
    assert_int_equal(log_of(&bed)->wrong_transfers, 0);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void flip(const char *path, off_t offset)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    unsigned char byte;

    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    byte ^= 4;
    assert_int_equal(pwrite(fd, &byte, 1, offset), 1);
    close(fd);
}

static void wrong_data_are_told_with_their_place(void **state)
{
    struct bed bed;
    const char *path, *other;

    set_up(&bed, "posix");
    bed.program.must_verify = true;
    start(&bed, 1);
    path = in(&bed, "v");
    other = in(&bed, "w");
    call_size(&bed, WEIR_CALL_WRITE, path, 10000);
    flip(path, 5003);
    call_name(&bed, WEIR_CALL_READ, path);
    assert_int_equal(log_of(&bed)->wrong_transfers, 1);
    assert_int_equal(log_of(&bed)->kinds[WEIR_MISMATCH_FLIP], 1);
    assert_int_equal(log_of(&bed)->first[0].offset, 5003);
    assert_int_equal(log_of(&bed)->first[0].bytes, 1);
    assert_int_equal(bed.wrong_count, 1);
    assert_int_equal(bed.wrong_offset, 5003);
    assert_string_equal(bed.wrong_path, path);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, 10000), 0);
    call_name(&bed, WEIR_CALL_READ, path);
    assert_true(log_of(&bed)->kinds[WEIR_MISMATCH_ZERO] > 0);
    assert_int_equal(log_of(&bed)->wrong_transfers, 2);
    assert_int_equal(bed.wrong_offset, 0);
    /* The data of another file. */
    call_size(&bed, WEIR_CALL_WRITE, path, 10000);
    assert_int_equal(rename(path, other), 0);
    call_name(&bed, WEIR_CALL_READ, other);
    assert_int_equal(log_of(&bed)->wrong_transfers, 3);
    assert_true(log_of(&bed)->kinds[WEIR_MISMATCH_GARBAGE] > 0);
    call_name(&bed, WEIR_CALL_DELETE, other);
    finish(&bed);
}

static void renamed_files_are_verified_by_their_places_alone(void **state)
{
    struct weir_statement renames = {.kind = WEIR_DO_CALL, .call = WEIR_CALL_RENAME};
    struct bed bed;

    set_up(&bed, "posix");
    bed.program.must_verify = true;
    bed.program.statements = &renames;
    start(&bed, 1);
    call_size(&bed, WEIR_CALL_WRITE, in(&bed, "v"), 10000);
    call_names(&bed, WEIR_CALL_RENAME, in(&bed, "v"), in(&bed, "w"));
    call_name(&bed, WEIR_CALL_READ, in(&bed, "w"));
    assert_int_equal(log_of(&bed)->checked_transfers, 1);
    assert_int_equal(log_of(&bed)->wrong_transfers, 0);
    call_name(&bed, WEIR_CALL_DELETE, in(&bed, "w"));
    finish(&bed);
}

/* ---- other ways ---- */

static void a_dry_run_makes_nothing(void **state)
{
    struct bed bed;

    set_up(&bed, "posix");
    bed.program.skips_calls = true;
    start(&bed, 1);
    assert_int_equal(call_size(&bed, WEIR_CALL_WRITE, in(&bed, "w"), 5), 0);
    assert_int_equal(call_name(&bed, WEIR_CALL_MKDIR, in(&bed, "d")), 0);
    assert_int_equal(call_name(&bed, WEIR_CALL_FCREAT, in(&bed, "h")), 0);
    assert_int_equal(bed.values[0].kind, WEIR_VALUE_FILE);
    assert_int_equal(call_size(&bed, WEIR_CALL_FWRITE, HANDLE, 5), 0);
    assert_int_equal(call_name(&bed, WEIR_CALL_FREAD, HANDLE), 0);
    assert_int_equal(call_name(&bed, WEIR_CALL_FCLOSE, HANDLE), 0);
    assert_int_equal(bed.outcome_count, 0);
    assert_int_equal(call_name(&bed, WEIR_CALL_FCLOSE, HANDLE), -ECANCELED);
    finish(&bed);
}

static void queues_that_do_not_block_move_as_well(void **state)
{
    struct bed bed;
    const char *path;

    if (weir_backend_find(&weir_registry, "libaio") == NULL)
        skip();
    set_up(&bed, "libaio");
    bed.program.must_verify = true;
    start(&bed, 1);
    assert_false(bed.run.queue.is_blocking);
    path = in(&bed, "q");
    call_size(&bed, WEIR_CALL_WRITE, path, 5000);
    expect_move(&bed, WEIR_CALL_WRITE, 5000, 0);
    call_name(&bed, WEIR_CALL_READ, path);
    expect_move(&bed, WEIR_CALL_READ, 5000, 0);
    call_size(&bed, WEIR_CALL_READ, path, 6000);
    expect_move(&bed, WEIR_CALL_READ, 5000, -ENODATA);
    assert_int_equal(log_of(&bed)->checked_transfers, 2);
    assert_int_equal(log_of(&bed)->wrong_transfers, 0);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void past_the_page_cache_sizes_are_multiples(void **state)
{
    struct bed bed;
    const char *path;

    open_posix(&bed);
    path = in(&bed, "d");
    call_size(&bed, WEIR_CALL_DIRECT_WRITE, path, 8192);
    if (latest(&bed)->code == -EOPNOTSUPP) {
        unlink(path);
        finish(&bed);
        skip();
    }
    expect_move(&bed, WEIR_CALL_DIRECT_WRITE, 8192, 0);
    call_name(&bed, WEIR_CALL_DIRECT_READ, path);
    expect_move(&bed, WEIR_CALL_DIRECT_READ, 8192, 0);
    call_size(&bed, WEIR_CALL_WRITE, path, 5000);
    call_name(&bed, WEIR_CALL_DIRECT_READ, path);
    expect_move(&bed, WEIR_CALL_DIRECT_READ, 5000, 0);
    call_size(&bed, WEIR_CALL_DIRECT_WRITE, path, 1000);
    assert_true(bed.outcomes[1].code == -EINVAL || bed.outcomes[1].code == 0);
    call_name(&bed, WEIR_CALL_DELETE, path);
    finish(&bed);
}

static void nothing_is_moved_without_storage(void **state)
{
    struct bed bed;

    set_up(&bed, "null");
    start(&bed, 1);
    call_size(&bed, WEIR_CALL_WRITE, in(&bed, "w"), 5000);
    expect_move(&bed, WEIR_CALL_WRITE, 5000, 0);
    call_name(&bed, WEIR_CALL_MKDIR, in(&bed, "d"));
    expect_one(&bed, WEIR_CALL_MKDIR, 0);
    call_name(&bed, WEIR_CALL_DELETE, in(&bed, "w"));
    expect_one(&bed, WEIR_CALL_DELETE, 0);
    finish(&bed);
}

static void buffers_grow_to_what_one_piece_moves(void **state)
{
    const uint64_t piece = WEIR_CALL_PIECE_BYTES;

    assert_int_equal(weir_program_buffer_bytes(0, 100), 100);
    assert_int_equal(weir_program_buffer_bytes(100, 101), 200);
    assert_int_equal(weir_program_buffer_bytes(100, 1000), 1000);
    assert_int_equal(weir_program_buffer_bytes(piece / 2 + 1, piece / 2 + 2), piece);
    assert_int_equal(weir_program_buffer_bytes(piece - 1, piece), piece);
}

/* Pieces follow the rate that they see, whatever the size of the call. */
static void pieces_take_about_as_long_on_any_storage(void **state)
{
    static const struct {
        uint64_t ns_per_mib;
        uint64_t least, most; /* MiB that pieces end with */
    } cases[] = {{100, 64, 64}, {10000000, 8, 16}, {1000000000, 1, 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_program_files files = {.piece_bytes = WEIR_CALL_PIECE_FIRST};
        uint64_t longest_ns = 0;

        for (int k = 0; k < 40; k++) {
            struct weir_op op = {.size = files.piece_bytes, .issued_ns = 5};

            op.done_ns = op.issued_ns + (op.size >> 20) * cases[i].ns_per_mib;
            if (k > 0 && op.done_ns > longest_ns)
                longest_ns = op.done_ns;
            weir_program_adapt_piece(&files, &op);
        }
        assert_in_range(files.piece_bytes >> 20, cases[i].least, cases[i].most);
        assert_true(longest_ns <= 1100000000);
    }
}

/* No page of the data is touched: there is no storage. */
static void large_calls_are_moved_in_pieces_and_given_up_between_them(void **state)
{
    struct bed bed;
    struct weir_program_transfer transfer = {.verb = WEIR_OP_WRITE};

    set_up(&bed, "null");
    start(&bed, 1);
    transfer.bytes = transfer.least = 3 * WEIR_CALL_PIECE_BYTES + 1;
    transfer.room = WEIR_CALL_PIECE_BYTES;
    bed.walk.files->piece_bytes = WEIR_CALL_PIECE_BYTES;
    transfer.data = mmap(NULL, WEIR_CALL_PIECE_BYTES, PROT_READ,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(transfer.data != MAP_FAILED);
    call_name(&bed, WEIR_CALL_FCREAT, in(&bed, "h"));
    transfer.file = bed.walk.files->handles[0].file;
    bed.look_count = 0;
    assert_int_equal(weir_program_move(&bed.walk, &transfer), 0);
    assert_int_equal(transfer.moved, transfer.bytes);
    assert_int_equal(bed.look_count, 3);
    bed.look_count = 0;
    bed.must_end_at = 2;
    assert_int_equal(weir_program_move(&bed.walk, &transfer), -EINTR);
    assert_int_equal(transfer.moved, 2 * WEIR_CALL_PIECE_BYTES);
    munmap(transfer.data, WEIR_CALL_PIECE_BYTES);
    bed.walk.must_end = false;
    finish(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_is_open_write_and_close),
        cmocka_unit_test(an_append_goes_behind_what_is_there),
        cmocka_unit_test(a_read_that_finds_the_end_has_failed),
        cmocka_unit_test(names_are_made_and_removed),
        cmocka_unit_test(a_handle_goes_on_where_it_was),
        cmocka_unit_test(a_read_without_a_size_is_of_the_whole_file),
        cmocka_unit_test(an_appending_handle_goes_on_behind_what_it_wrote),
        cmocka_unit_test(a_closed_handle_ends_the_program),
        cmocka_unit_test(many_files_are_open_at_once),
        cmocka_unit_test(names_outside_of_the_roots_end_the_program),
        cmocka_unit_test(roots_are_told_apart_in_any_order),
        cmocka_unit_test(data_are_verified_in_any_sizes),
        cmocka_unit_test(wrong_data_are_told_with_their_place),
        cmocka_unit_test(renamed_files_are_verified_by_their_places_alone),
        cmocka_unit_test(a_dry_run_makes_nothing),
        cmocka_unit_test(queues_that_do_not_block_move_as_well),
        cmocka_unit_test(past_the_page_cache_sizes_are_multiples),
        cmocka_unit_test(nothing_is_moved_without_storage),
        cmocka_unit_test(buffers_grow_to_what_one_piece_moves),
        cmocka_unit_test(pieces_take_about_as_long_on_any_storage),
        cmocka_unit_test(large_calls_are_moved_in_pieces_and_given_up_between_them),
    };

    return cmocka_run_group_tests_name("program_calls", tests, NULL, NULL);
}
