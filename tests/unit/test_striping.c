/* SPDX-License-Identifier: Apache-2.0 */
/* What the posix backend tells Lustre, GPFS and BeeGFS, with stand-ins for their libraries: which
 * calls with which arguments, and that nothing is left behind when they fail. */
#include "striping.h"

#include "mocks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <gpfs_fcntl.h>
#include <lustre/lustreapi.h>

enum { LUSTRE = 0x0BD00BD0, GPFS = 0x47504653, BEEGFS = 0x19830326, EXT4 = 0xEF53 };
enum { BLOCK = 65536, TRANSFER = 4096, PATH_BYTES = 256 };

extern const struct weir_backend weir_backend_posix;
extern const struct weir_backend weir_backend_fault;

/* ---- a session with options, in a directory of its own ---- */

struct bench {
    struct weir_arena arena;
    void *options;
    struct weir_group *group;
    struct weir_session *session;
    struct weir_error error;
    char directory[PATH_BYTES];
    char path[PATH_BYTES + 8]; /* "file" in the directory, which is not there yet */
    unsigned descriptors;
};

static unsigned count_descriptors(void)
{
    unsigned count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static int try_bench(struct bench *bench, long magic, const char *options)
{
    const struct weir_option_set *set = &weir_backend_posix.descriptor.options;
    struct weir_session_params params = {.depth = 1};
    struct weir_option_binding binding = {.set = set};
    const struct weir_option_parser parser = {
        .place = "test", .arena = &bench->arena, .bindings = &binding, .binding_count = 1};

    memset(bench, 0, sizeof *bench);
    mocks_reset(magic);
    snprintf(bench->directory, sizeof bench->directory, "/tmp/weir-striping-XXXXXX");
    assert_non_null(mkdtemp(bench->directory));
    snprintf(bench->path, sizeof bench->path, "%s/file", bench->directory);
    bench->options = weir_arena_take(&bench->arena, set->values_bytes);
    binding.values = bench->options;
    weir_options_reset(&parser);
    if (weir_options_assign_list(&parser, "test", options, &bench->error) < 0)
        fail_msg("%s", bench->error.text);
    assert_int_equal(weir_group_self_open(&bench->group), 0);
    params.options = bench->options;
    params.group = bench->group;
    bench->descriptors = count_descriptors();
    return weir_backend_posix.open(&params, &bench->session, &bench->error);
}

static void open_bench(struct bench *bench, long magic, const char *options)
{
    if (try_bench(bench, magic, options) < 0)
        fail_msg("%s", bench->error.text);
}

static bool is_there(const struct bench *bench)
{
    struct stat facts;

    return stat(bench->path, &facts) == 0;
}

/* No descriptor, layout or name is left. */
static void close_bench(struct bench *bench)
{
    if (bench->session)
        weir_backend_posix.close(bench->session);
    assert_int_equal(count_descriptors(), bench->descriptors);
    assert_int_equal(mocks.lustre.layouts, 0);
    unlink(bench->path);
    assert_int_equal(rmdir(bench->directory), 0);
    weir_group_close(bench->group);
    weir_arena_close(&bench->arena);
}

static struct weir_file_params write_params(const struct bench *bench)
{
    return (struct weir_file_params){
        .path = bench->path, .can_write = true, .must_create = true, .group = bench->group};
}

static int close_file(struct bench *bench, struct weir_file *file)
{
    return weir_backend_posix.file->close(bench->session, file);
}

static int open_params(struct bench *bench, const struct weir_file_params *params,
                       struct weir_file **file)
{
    return weir_backend_posix.file->open(bench->session, params, file);
}

static int open_write(struct bench *bench, struct weir_file **file)
{
    const struct weir_file_params params = write_params(bench);

    return open_params(bench, &params, file);
}

static int64_t move(struct bench *bench, struct weir_file *file, enum weir_op_verb verb,
                    uint64_t offset)
{
    static unsigned char data[TRANSFER];
    struct weir_op op = {
        .verb = verb, .file = file, .data = data, .offset = offset, .size = sizeof data};

    return weir_backend_posix.transfer->transfer(bench->session, &op);
}

static void put_file(const struct bench *bench, const char *text)
{
    FILE *file = fopen(bench->path, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const struct bench *bench, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(bench->path, "r");

    assert_non_null(file);
    assert_true(fgets(found, sizeof found, file) || *text == '\0');
    fclose(file);
    assert_string_equal(found, text);
}

/* ---- rows ---- */

static const char *const names[] = {
    "posix.lustre.stripecount", "posix.lustre.stripesize",
    "posix.lustre.startost",    "posix.lustre.ignorelocks",
    "posix.lustre.pool",        "posix.gpfs.hintaccess",
    "posix.gpfs.releasetoken",  "posix.gpfs.finegrainwritesharing",
    "posix.gpfs.createsharing", "posix.gpfs.finegrainreadsharing",
    "posix.beegfs.NumTargets",  "posix.beegfs.ChunkSize",
};

static void each_option_has_a_row_that_says_what_it_needs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct weir_option *row = weir_backend_posix.descriptor.options.rows;

        while (row->name && strcmp(row->name, names[i]) != 0)
            row++;
        assert_non_null(row->name);
        assert_null(row->refusal);
        assert_string_equal(row->since, "4.0");
        assert_non_null(strstr(row->needs, ".h"));
        assert_non_null(strstr(row->needs, "stand-in"));
        assert_non_null(strstr(row->help, "stand-in"));
        assert_non_null(row->better);
    }
}

static void values_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *options;
        const char *sentence; /* NULL: accepted */
    } cases[] = {
        {"posix.lustre.stripecount=-1", NULL},
        {"posix.lustre.stripecount=-2", "stripecount: -2 is not a count of OSTs"},
        {"posix.lustre.stripesize=64k", NULL},
        {"posix.lustre.stripesize=192k", NULL},
        {"posix.lustre.stripesize=65535", "stripesize: 65535 bytes are not a multiple of 64k"},
        {"posix.lustre.stripesize=100k", "stripesize: 102400 bytes are not a multiple of 64k"},
        {"posix.lustre.startost=0", NULL},
        {"posix.lustre.startost=-2", "startost: -2 is not the number of an OST"},
        {"posix.beegfs.ChunkSize=64k", NULL},
        {"posix.beegfs.ChunkSize=-1", NULL},
        {"posix.beegfs.ChunkSize=2g", NULL},
        {"posix.beegfs.ChunkSize=32k", "ChunkSize: \"32k\" is not a power of two from 64k"},
        {"posix.beegfs.ChunkSize=96k", "ChunkSize: \"96k\" is not a power of two from 64k"},
        {"posix.beegfs.ChunkSize=0", "ChunkSize: \"0\" is not a power of two from 64k"},
        {"posix.beegfs.ChunkSize=4g", "ChunkSize: \"4g\" is not a power of two from 64k"},
        {"posix.beegfs.ChunkSize=much", "ChunkSize: \"much\" is not a power of two from 64k"},
        {"posix.beegfs.NumTargets=1", NULL},
        {"posix.beegfs.NumTargets=-1", NULL},
        {"posix.beegfs.NumTargets=0", "NumTargets: 0 is not a count of storage targets"},
        {"posix.beegfs.NumTargets=-2", "NumTargets: -2 is not a count of storage targets"},
        {"posix.lustre.stripecount=4,posix.beegfs.NumTargets=4",
         "--posix.lustre.* and --posix.beegfs.* are for two file systems"},
        {"posix.gpfs.hintaccess=1,posix.lustre.ignorelocks=1", "are for two file systems"},
    };
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rc = try_bench(&bench, LUSTRE, cases[i].options);

        if (!cases[i].sentence) {
            assert_int_equal(rc, 0);
        } else {
            assert_int_equal(rc, -EINVAL);
            assert_int_equal(bench.error.exit, WEIR_EXIT_USAGE);
            assert_non_null(strstr(bench.error.text, cases[i].sentence));
            bench.session = NULL;
        }
        close_bench(&bench);
    }
}

/* ---- which file system ---- */

static void a_path_on_another_file_system_is_refused(void **state)
{
    static const struct {
        long magic;
        const char *options;
        const char *sentence; /* NULL: fits */
    } cases[] = {
        {LUSTRE, "posix.lustre.stripecount=2", NULL},
        {EXT4, "posix.lustre.stripecount=2",
         "is not on Lustre (its file system is of type "
         "0x0000ef53, not 0x0bd00bd0): leave "
         "--posix.lustre.* out"},
        {GPFS, "posix.gpfs.hintaccess=1", NULL},
        {EXT4, "posix.gpfs.hintaccess=1", "is not on GPFS"},
        {BEEGFS, "posix.beegfs.ChunkSize=64k", NULL},
        {LUSTRE, "posix.beegfs.ChunkSize=64k", "is not on BeeGFS"},
        {EXT4, "posix.odirect=0", NULL},
    };
    struct bench bench;
    char below[PATH_BYTES + 16];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct weir_name_ops *ops = weir_backend_posix.names;
        int rc;

        open_bench(&bench, cases[i].magic, cases[i].options);
        rc = ops->check(bench.session, bench.path, &bench.error);
        assert_int_equal(rc, cases[i].sentence ? -EINVAL : 0);
        snprintf(below, sizeof below, "%s/not/there", bench.directory);
        assert_int_equal(ops->check(bench.session, below, &bench.error), rc);
        assert_int_equal(ops->check(bench.session, "relative", &bench.error), rc);
        if (cases[i].sentence)
            assert_non_null(strstr(bench.error.text, cases[i].sentence));
        assert_false(is_there(&bench));
        close_bench(&bench);
    }
    assert_int_equal(mocks.statfses, 0); /* nobody asked in the last case */
}

static void a_wrapping_backend_passes_the_question_on(void **state)
{
    struct weir_error error = {0};
    struct weir_session *session;
    struct bench bench;
    struct weir_session_params params = {.depth = 1, .inner = &weir_backend_posix};
    const struct weir_option_set *set = &weir_backend_fault.descriptor.options;

    (void)state;
    open_bench(&bench, EXT4, "posix.lustre.pool=fast");
    params.options = weir_arena_take(&bench.arena, set->values_bytes);
    weir_options_reset(&(struct weir_option_parser){
        .arena = &bench.arena,
        .bindings = &(struct weir_option_binding){set, (void *)params.options},
        .binding_count = 1});
    params.inner_options = bench.options;
    params.group = bench.group;
    assert_int_equal(weir_backend_fault.open(&params, &session, &error), 0);
    assert_int_equal(weir_backend_fault.names->check(session, bench.path, &error), -EINVAL);
    assert_non_null(strstr(error.text, "Lustre"));
    weir_backend_fault.close(session);
    close_bench(&bench);
}

/* ---- Lustre ---- */

static void lustre_gets_the_layout_that_was_asked_for(void **state)
{
    static const struct {
        const char *options;
        struct mock_lustre expected;
    } cases[] = {
        {"posix.lustre.stripecount=4", {.had_layout = true, .count = 4, .first = UINT64_MAX}},
        {"posix.lustre.stripecount=-1",
         {.had_layout = true, .count = LLAPI_LAYOUT_WIDE, .first = UINT64_MAX}},
        {"posix.lustre.stripesize=1m", {.had_layout = true, .bytes = 1 << 20, .first = UINT64_MAX}},
        {"posix.lustre.startost=0", {.had_layout = true, .first = 0}},
        {"posix.lustre.pool=fast", {.had_layout = true, .first = UINT64_MAX, .pool = "fast"}},
        {"posix.lustre.stripecount=2,posix.lustre.stripesize=64k,posix.lustre.startost=7,"
         "posix.lustre.pool=p",
         {.had_layout = true, .count = 2, .bytes = 65536, .first = 7, .pool = "p"}},
        {"posix.lustre.ignorelocks=1", {.had_layout = false}},
    };
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mock_lustre *expected = &cases[i].expected;

        open_bench(&bench, LUSTRE, cases[i].options);
        assert_int_equal(open_write(&bench, &file), 0);
        assert_int_equal(mocks.lustre.created, 1);
        assert_int_equal(mocks.lustre.had_layout, expected->had_layout);
        assert_int_equal(mocks.lustre.count, expected->count);
        assert_int_equal(mocks.lustre.bytes, expected->bytes);
        assert_int_equal(mocks.lustre.first, expected->first);
        assert_string_equal(mocks.lustre.pool, expected->pool);
        assert_int_equal(mocks.lustre.flags & O_ACCMODE, O_RDWR);
        assert_int_equal(mocks.lustre.mode, 0664);
        assert_int_equal(move(&bench, file, WEIR_OP_WRITE, 0), TRANSFER);
        assert_int_equal(move(&bench, file, WEIR_OP_READ, 0), TRANSFER);
        assert_int_equal(close_file(&bench, file), 0);
        close_bench(&bench);
    }
}

static void lustre_that_fails_leaves_nothing_behind(void **state)
{
    static const char *const calls[] = {"alloc", "count",  "size", "index",
                                        "pool",  "create", "ioctl"};
    struct weir_file *const untouched = (struct weir_file *)&calls;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < 2 * sizeof calls / sizeof *calls; i++) {
        struct weir_file *file = untouched;

        open_bench(&bench, LUSTRE,
                   "posix.lustre.stripecount=4,posix.lustre.stripesize=1m,"
                   "posix.lustre.startost=1,posix.lustre.pool=p,posix.lustre.ignorelocks=1");
        mocks.fails = calls[i / 2];
        mocks.error = i % 2 ? EINVAL : ENOMEM;
        mocks.leaves_file = i % 2;
        assert_int_equal(open_write(&bench, &file), -mocks.error);
        assert_ptr_equal(file, untouched);
        assert_false(is_there(&bench));
        close_bench(&bench);
    }
}

static void lustre_transfers_without_locks_on_every_descriptor(void **state)
{
    struct weir_file *file;
    struct bench bench;
    struct weir_file_params params;

    (void)state;
    open_bench(&bench, LUSTRE, "posix.lustre.ignorelocks=1");
    assert_int_equal(open_write(&bench, &file), 0);
    assert_int_equal(mocks.lustre.ioctls, 1);
    assert_int_equal(mocks.lustre.ioctl_flags, LL_FILE_IGNORE_LOCK);
    assert_int_equal(move(&bench, file, WEIR_OP_WRITE, 0), TRANSFER);
    assert_int_equal(close_file(&bench, file), 0);
    params = (struct weir_file_params){.path = bench.path, .can_read = true, .group = bench.group};
    assert_int_equal(open_params(&bench, &params, &file), 0);
    assert_int_equal(mocks.lustre.ioctls, 2);
    assert_int_equal(mocks.lustre.created, 1);
    assert_int_equal(close_file(&bench, file), 0);
    mocks.fails = "ioctl";
    mocks.error = ENOTTY;
    assert_int_equal(open_params(&bench, &params, &file), -ENOTTY);
    assert_true(is_there(&bench));
    close_bench(&bench);
}

/* ---- files that are there ---- */

static const char *const creating[] = {"posix.lustre.stripecount=2", "posix.beegfs.NumTargets=2",
                                       "posix.gpfs.createsharing=1"};
static const long creating_on[] = {LUSTRE, BEEGFS, GPFS};

static void a_file_that_is_there_keeps_its_layout_and_data(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        open_bench(&bench, creating_on[i], creating[i]);
        put_file(&bench, "old");
        assert_int_equal(open_write(&bench, &file), 0);
        assert_int_equal(weir_backend_posix.file->size(bench.session, file), 3);
        assert_int_equal(close_file(&bench, file), 0);
        assert_int_equal(mocks.lustre.created + mocks.beegfs.created + mocks.hint_count, 0);
        assert_holds(&bench, "old");
        close_bench(&bench);
    }
}

/* Somebody makes the file while we are about to: that one is not ours to remove. */
static void a_file_that_appears_meanwhile_is_opened(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_bench(&bench, creating_on[i], creating[i]);
        mocks.fails = "create";
        mocks.error = EEXIST;
        mocks.leaves_file = true;
        assert_int_equal(open_write(&bench, &file), 0);
        assert_int_equal(close_file(&bench, file), 0);
        assert_true(is_there(&bench));
        close_bench(&bench);
    }
}

static void a_file_that_holds_data_is_never_removed(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    open_bench(&bench, LUSTRE, "posix.lustre.pool=p");
    mocks.fails = "create";
    mocks.error = EINVAL;
    mocks.leaves_file = mocks.leaves_data = true;
    assert_int_equal(open_write(&bench, &file), -EINVAL);
    assert_holds(&bench, "data");
    close_bench(&bench);
}

/* Through it a file would be made without any layout. */
static void a_link_to_nowhere_makes_no_file(void **state)
{
    char target[PATH_BYTES + 16];
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        open_bench(&bench, creating_on[i], creating[i]);
        snprintf(target, sizeof target, "%s/target", bench.directory);
        assert_int_equal(symlink(target, bench.path), 0);
        assert_int_equal(open_write(&bench, &file), -ENOENT);
        assert_false(is_there(&bench));
        close_bench(&bench);
    }
}

static void a_directory_is_never_made_or_removed(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        open_bench(&bench, creating_on[i], creating[i]);
        assert_int_equal(mkdir(bench.path, 0777), 0);
        assert_int_equal(open_write(&bench, &file), -EISDIR);
        assert_int_equal(rmdir(bench.path), 0);
        snprintf(bench.path, sizeof bench.path, "%s/a/b", bench.directory);
        assert_int_equal(open_write(&bench, &file), -ENOENT);
        close_bench(&bench);
    }
}

/* ---- BeeGFS ---- */

static void beegfs_gets_targets_and_chunk_size(void **state)
{
    static const struct {
        const char *options;
        unsigned targets, chunk;
    } cases[] = {
        {"posix.beegfs.NumTargets=4", 4, 0},
        {"posix.beegfs.ChunkSize=512k", 0, 512 * 1024},
        {"posix.beegfs.NumTargets=2,posix.beegfs.ChunkSize=64k", 2, 65536},
    };
    struct stat directory;
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_bench(&bench, BEEGFS, cases[i].options);
        assert_int_equal(stat(bench.directory, &directory), 0);
        assert_int_equal(open_write(&bench, &file), 0);
        assert_int_equal(mocks.beegfs.created, 1);
        assert_int_equal(mocks.beegfs.directory, directory.st_ino);
        assert_string_equal(mocks.beegfs.name, "file");
        assert_int_equal(mocks.beegfs.mode, 0664);
        assert_int_equal(mocks.beegfs.targets, cases[i].targets);
        assert_int_equal(mocks.beegfs.chunk, cases[i].chunk);
        assert_int_equal(move(&bench, file, WEIR_OP_WRITE, 0), TRANSFER);
        assert_int_equal(move(&bench, file, WEIR_OP_READ, 0), TRANSFER);
        assert_int_equal(close_file(&bench, file), 0);
        close_bench(&bench);
    }
}

static void beegfs_takes_names_without_a_directory(void **state)
{
    char before[PATH_MAX];
    struct weir_file *file;
    struct bench bench;
    struct weir_file_params params;

    (void)state;
    open_bench(&bench, BEEGFS, "posix.beegfs.NumTargets=1");
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(bench.directory), 0);
    params = write_params(&bench);
    params.path = "file";
    assert_int_equal(open_params(&bench, &params, &file), 0);
    assert_int_equal(chdir(before), 0);
    assert_true(is_there(&bench));
    assert_int_equal(close_file(&bench, file), 0);
    close_bench(&bench);
}

static void beegfs_that_fails_leaves_nothing_behind(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (int leaves = 0; leaves < 2; leaves++) {
        open_bench(&bench, BEEGFS, "posix.beegfs.NumTargets=4");
        mocks.fails = "create";
        mocks.error = EINVAL;
        mocks.leaves_file = leaves;
        assert_int_equal(open_write(&bench, &file), -EINVAL);
        assert_false(is_there(&bench));
        close_bench(&bench);
    }
}

/* ---- GPFS ---- */

static gpfsAccessRange_t range_of(const struct mock_hint *hint)
{
    gpfsAccessRange_t range;

    assert_int_equal(hint->type, GPFS_ACCESS_RANGE);
    memcpy(&range, hint->bytes, sizeof range);
    return range;
}

static void assert_range(unsigned number, uint64_t start, uint64_t length, int is_write)
{
    gpfsAccessRange_t range;

    assert_true(number < mocks.hint_count);
    range = range_of(&mocks.hints[number]);
    assert_int_equal(range.start, start);
    assert_int_equal(range.length, length);
    assert_int_equal(range.isWrite, is_write);
}

static void gpfs_gets_all_hints_of_a_file_in_one_call(void **state)
{
    static const int of_a_writer[] = {GPFS_CANCEL_HINTS, GPFS_FREE_RANGE,
                                      GPFS_FINE_GRAIN_WRITE_SHARING, GPFS_ACCESS_RANGE};
    static const int of_a_reader[] = {GPFS_CANCEL_HINTS, GPFS_FREE_RANGE,
                                      GPFS_FINE_GRAIN_READ_SHARING, GPFS_ACCESS_RANGE};
    struct weir_file_params params;
    struct weir_file *file;
    struct bench bench;

    (void)state;
    open_bench(&bench, GPFS,
               "posix.gpfs.hintaccess=1,posix.gpfs.releasetoken=1,"
               "posix.gpfs.finegrainwritesharing=1,posix.gpfs.finegrainreadsharing=1");
    for (int reads = 0; reads < 2; reads++) {
        params = write_params(&bench);
        params.can_write = params.must_create = !reads;
        params.can_read = reads;
        params.part = (struct weir_file_part){BLOCK, BLOCK, 4 * BLOCK, 3};
        assert_int_equal(open_params(&bench, &params, &file), 0);
        assert_int_equal(mocks.fcntls, 1);
        assert_int_equal(mocks.hint_count, 4);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(mocks.hints[i].type, reads ? of_a_reader[i] : of_a_writer[i]);
            assert_false(mocks.hints[i].is_directory);
        }
        assert_range(3, BLOCK, BLOCK, !reads);
        assert_int_equal(close_file(&bench, file), 0);
        mocks_reset(GPFS);
    }
    close_bench(&bench);
}

static void gpfs_hears_of_each_block_once(void **state)
{
    const uint64_t stride = 4 * BLOCK;
    struct weir_file_params params;
    struct weir_file *file;
    struct bench bench;

    (void)state;
    open_bench(&bench, GPFS, "posix.gpfs.hintaccess=1");
    params = write_params(&bench);
    params.part = (struct weir_file_part){BLOCK, BLOCK, stride, 3};
    assert_int_equal(open_params(&bench, &params, &file), 0);
    for (uint64_t block = 0; block < 3; block++) {
        for (uint64_t at = 0; at < BLOCK; at += TRANSFER)
            move(&bench, file, WEIR_OP_WRITE, BLOCK + block * stride + at);
        assert_int_equal(mocks.fcntls, block + 1);
        assert_range((unsigned)block, BLOCK + block * stride, BLOCK, 1);
    }
    /* Outside of all blocks a transfer is declared by itself: before, between and behind them. */
    move(&bench, file, WEIR_OP_WRITE, 0);
    assert_range(3, 0, TRANSFER, 1);
    move(&bench, file, WEIR_OP_WRITE, 2 * BLOCK);
    assert_range(4, 2 * BLOCK, TRANSFER, 1);
    move(&bench, file, WEIR_OP_WRITE, BLOCK + 3 * stride);
    assert_range(5, BLOCK + 3 * stride, TRANSFER, 1);
    move(&bench, file, WEIR_OP_WRITE, 2 * BLOCK - TRANSFER / 2);
    assert_range(6, 2 * BLOCK - TRANSFER / 2, TRANSFER, 1);
    assert_int_equal(close_file(&bench, file), 0);
    close_bench(&bench);
}

static void gpfs_hears_of_a_single_block_that_has_no_stride(void **state)
{
    struct weir_file_params params;
    struct weir_file *file;
    struct bench bench;

    (void)state;
    open_bench(&bench, GPFS, "posix.gpfs.hintaccess=1");
    params = write_params(&bench);
    params.part =
        (struct weir_file_part){.first_byte = BLOCK, .block_bytes = BLOCK, .block_count = 1};
    assert_int_equal(open_params(&bench, &params, &file), 0);
    assert_range(0, BLOCK, BLOCK, 1);
    move(&bench, file, WEIR_OP_WRITE, 2 * BLOCK - TRANSFER);
    assert_int_equal(mocks.fcntls, 1);
    move(&bench, file, WEIR_OP_WRITE, 0);
    assert_range(1, 0, TRANSFER, 1);
    assert_int_equal(close_file(&bench, file), 0);
    close_bench(&bench);
}

static void gpfs_hears_of_each_transfer_where_no_block_is_known(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    open_bench(&bench, GPFS, "posix.gpfs.hintaccess=1");
    assert_int_equal(open_write(&bench, &file), 0);
    assert_int_equal(mocks.fcntls, 0);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(move(&bench, file, WEIR_OP_WRITE, (uint64_t)i * TRANSFER), TRANSFER);
        assert_range(i, (uint64_t)i * TRANSFER, TRANSFER, 1);
    }
    mocks.fails = "fcntl";
    mocks.error = EIO;
    assert_int_equal(move(&bench, file, WEIR_OP_WRITE, BLOCK), -EIO);
    assert_int_equal(move(&bench, file, WEIR_OP_WRITE, BLOCK),
                     -EIO); /* and not taken for declared */
    assert_int_equal(close_file(&bench, file), 0);
    close_bench(&bench);
}

static void gpfs_shares_the_directory_of_new_files(void **state)
{
    struct weir_file *file;
    struct bench bench;

    (void)state;
    open_bench(&bench, GPFS, "posix.gpfs.createsharing=1");
    assert_int_equal(open_write(&bench, &file), 0);
    assert_int_equal(mocks.hint_count, 1);
    assert_int_equal(mocks.hints[0].type, GPFS_CREATE_SHARING);
    assert_true(mocks.hints[0].is_directory);
    assert_true(fcntl(mocks.hints[0].fd, F_GETFD) >= 0);
    assert_int_equal(close_file(&bench, file), 0);
    assert_true(fcntl(mocks.hints[0].fd, F_GETFD) < 0);
    close_bench(&bench);
}

static void gpfs_that_fails_leaves_nothing_behind(void **state)
{
    static const char *const options[] = {"posix.gpfs.releasetoken=1", "posix.gpfs.createsharing=1",
                                          "posix.gpfs.createsharing=1,posix.gpfs.releasetoken=1"};
    struct weir_file *file;
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        open_bench(&bench, GPFS, options[i]);
        mocks.fails = "fcntl";
        mocks.error = EINVAL;
        assert_int_equal(open_write(&bench, &file), -EINVAL);
        assert_false(is_there(&bench));
        close_bench(&bench);
    }
    open_bench(&bench, GPFS, "posix.gpfs.releasetoken=1");
    put_file(&bench, "old");
    mocks.fails = "fcntl";
    mocks.error = EINVAL;
    assert_int_equal(open_write(&bench, &file), -EINVAL);
    assert_holds(&bench, "old");
    close_bench(&bench);
}

#define TEST(name)                                                                                 \
    {                                                                                              \
        "striping." #name, name, NULL, NULL, NULL                                                  \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_option_has_a_row_that_says_what_it_needs),
        TEST(values_that_make_no_sense_are_refused),
        TEST(a_path_on_another_file_system_is_refused),
        TEST(a_wrapping_backend_passes_the_question_on),
        TEST(lustre_gets_the_layout_that_was_asked_for),
        TEST(lustre_that_fails_leaves_nothing_behind),
        TEST(lustre_transfers_without_locks_on_every_descriptor),
        TEST(a_file_that_is_there_keeps_its_layout_and_data),
        TEST(a_file_that_appears_meanwhile_is_opened),
        TEST(a_file_that_holds_data_is_never_removed),
        TEST(a_link_to_nowhere_makes_no_file),
        TEST(a_directory_is_never_made_or_removed),
        TEST(beegfs_gets_targets_and_chunk_size),
        TEST(beegfs_takes_names_without_a_directory),
        TEST(beegfs_that_fails_leaves_nothing_behind),
        TEST(gpfs_gets_all_hints_of_a_file_in_one_call),
        TEST(gpfs_hears_of_each_block_once),
        TEST(gpfs_hears_of_a_single_block_that_has_no_stride),
        TEST(gpfs_hears_of_each_transfer_where_no_block_is_known),
        TEST(gpfs_shares_the_directory_of_new_files),
        TEST(gpfs_that_fails_leaves_nothing_behind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
