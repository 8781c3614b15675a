/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a file seen through MPI's views: every byte lies where it would without one. */
#include "special_cases.h"

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *const views[] = {
    "mpiio.useFileView=1",
    "mpiio.useFileView=1,mpiio.useStridedDatatype=1",
};

#define VIEW_COUNT (sizeof views / sizeof *views)
#define SPANNING 1 /* transfers continue in the next block */

/* Blocks of two units at 1, 4 and 7. */
static const struct weir_file_part part = {
    .first_byte = UNIT_BYTES,
    .block_bytes = 2 * UNIT_BYTES,
    .stride_bytes = 3 * UNIT_BYTES,
    .block_count = 3,
};

static struct weir_file *open_part(struct bench *bench, const char *path,
                                   const struct weir_file_part *seen, bool can_write)
{
    const struct weir_file_params params = {
        .path = path,
        .can_write = can_write,
        .can_read = !can_write,
        .must_create = can_write,
        .group = bench->subject->group,
        .part = *seen,
    };
    struct weir_file *file = NULL;

    assert_int_equal(bench->backend->file->open(bench->session, &params, &file), 0);
    return file;
}

static int64_t move_unit(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                         unsigned char *data, unsigned unit)
{
    return move(bench, verb, file, data + (uint64_t)unit * UNIT_BYTES, (uint64_t)unit * UNIT_BYTES,
                UNIT_BYTES);
}

/* The file as the kernel has it: `data` where the part is, zeros in between. */
static void check_bytes(struct bench *bench, const char *path, const unsigned char *data)
{
    unsigned char *back = make_data(bench, 10, 0);
    unsigned char *right = make_data(bench, 10, 0);
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    memset(right, 0, 10 * UNIT_BYTES);
    for (uint64_t unit = 1; unit < 9; unit++)
        if (unit % 3 != 0)
            memcpy(right + unit * UNIT_BYTES, data + unit * UNIT_BYTES, UNIT_BYTES);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, back, 10 * UNIT_BYTES), 9 * UNIT_BYTES);
    assert_memory_equal(back, right, 9 * UNIT_BYTES);
    close(fd);
}

static void check_outside(struct bench *bench, struct weir_file *file, unsigned char *data,
                          bool spans_blocks)
{
    static const unsigned outside[] = {0, 3, 6, 9, 10};

    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        assert_int_equal(move_unit(bench, WEIR_OP_WRITE, file, data, outside[i]), -EINVAL);
    if (!spans_blocks)
        assert_int_equal(
            move(bench, WEIR_OP_WRITE, file, data, 2 * UNIT_BYTES, (uint64_t)2 * UNIT_BYTES),
            -EINVAL);
    assert_int_equal(
        move(bench, WEIR_OP_WRITE, file, data, 7 * UNIT_BYTES, (uint64_t)3 * UNIT_BYTES), -EINVAL);
}

void a_view_shows_only_its_part(void **state)
{
    static const unsigned order[] = {8, 1, 5, 2, 7, 4};
    const struct subject *subject = *state;

    for (size_t i = 0; i < VIEW_COUNT; i++) {
        struct weir_file *file;
        struct bench bench;
        unsigned char *data;
        unsigned char *back;
        const char *path;

        open_bench(&bench, subject, views[i]);
        data = make_data(&bench, 11, 1);
        back = make_data(&bench, 11, 0);
        path = path_of(&bench, "seen");
        file = open_part(&bench, path, &part, true);
        check_outside(&bench, file, data, i == SPANNING);
        for (size_t n = 0; n < sizeof order / sizeof *order; n++)
            assert_int_equal(move_unit(&bench, WEIR_OP_WRITE, file, data, order[n]), UNIT_BYTES);
        assert_int_equal(bench.backend->file->size(bench.session, file), 9 * UNIT_BYTES);
        close_file(&bench, file);
        check_bytes(&bench, path, data);

        assert_int_equal(truncate(path, 8 * UNIT_BYTES + UNIT_BYTES / 2), 0);
        file = open_part(&bench, path, &part, false);
        for (unsigned unit = 1; unit < 8; unit++)
            assert_int_equal(move_unit(&bench, WEIR_OP_READ, file, back, unit),
                             unit % 3 == 0 ? -EINVAL : UNIT_BYTES);
        assert_memory_equal(back + UNIT_BYTES, data + UNIT_BYTES, 2 * UNIT_BYTES);
        assert_memory_equal(back + 4 * UNIT_BYTES, data + 4 * UNIT_BYTES, 2 * UNIT_BYTES);
        assert_memory_equal(back + 7 * UNIT_BYTES, data + 7 * UNIT_BYTES, UNIT_BYTES);
        assert_int_equal(move_unit(&bench, WEIR_OP_READ, file, back, 8), UNIT_BYTES / 2);
        close_file(&bench, file);
        assert_int_equal(truncate(path, 7 * UNIT_BYTES), 0);
        file = open_part(&bench, path, &part, false);
        assert_int_equal(move_unit(&bench, WEIR_OP_READ, file, back, 8), 0);
        close_file(&bench, file);
        remove_name(&bench, path);
        close_bench(&bench);
    }
}

/* One transfer of all blocks, parts of it that begin in the middle of one, and a file that ends in
 * the last block or between two. */
void a_transfer_of_a_strided_view_spans_blocks(void **state)
{
    static const unsigned units[] = {1, 2, 4, 5, 7, 8};
    unsigned char *data, *back, *packed;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    open_bench(&bench, *state, views[SPANNING]);
    data = make_data(&bench, 11, 1);
    back = make_data(&bench, 11, 0);
    packed = make_data(&bench, 6, 0);
    for (size_t i = 0; i < 6; i++)
        memcpy(packed + i * UNIT_BYTES, data + (size_t)units[i] * UNIT_BYTES, UNIT_BYTES);
    path = path_of(&bench, "spanned");
    file = open_part(&bench, path, &part, true);
    assert_int_equal(
        move(&bench, WEIR_OP_WRITE, file, packed, UNIT_BYTES, (uint64_t)6 * UNIT_BYTES),
        6 * UNIT_BYTES);
    close_file(&bench, file);
    check_bytes(&bench, path, data);

    file = open_part(&bench, path, &part, false);
    assert_int_equal(
        move(&bench, WEIR_OP_READ, file, back, 5 * UNIT_BYTES, (uint64_t)3 * UNIT_BYTES),
        3 * UNIT_BYTES);
    assert_memory_equal(back, packed + 3 * UNIT_BYTES, 3 * UNIT_BYTES);
    close_file(&bench, file);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(truncate(path, i == 0 ? 8 * UNIT_BYTES + 100 : 6 * UNIT_BYTES + 100), 0);
        file = open_part(&bench, path, &part, false);
        assert_int_equal(
            move(&bench, WEIR_OP_READ, file, back, UNIT_BYTES, (uint64_t)6 * UNIT_BYTES),
            i == 0 ? 5 * UNIT_BYTES + 100 : 4 * UNIT_BYTES);
        close_file(&bench, file);
    }
    remove_name(&bench, path);
    close_bench(&bench);
}

/* Longer than an int can count; the file is full of holes. */
void a_view_of_long_blocks_finds_its_places(void **state)
{
    static const struct weir_file_part far = {
        .first_byte = UNIT_BYTES,
        .block_bytes = 3ull << 30 | UNIT_BYTES,
        .stride_bytes = 7ull << 30,
        .block_count = 2,
    };
    const uint64_t offset = far.first_byte + far.stride_bytes + far.block_bytes - UNIT_BYTES;
    const struct subject *subject = *state;

    for (size_t i = 0; i < VIEW_COUNT; i++) {
        struct weir_file *file;
        struct bench bench;
        unsigned char *data;
        unsigned char *back;
        const char *path;
        int fd;

        open_bench(&bench, subject, views[i]);
        data = make_data(&bench, 1, 1);
        back = make_data(&bench, 1, 0);
        path = path_of(&bench, "far");
        file = open_part(&bench, path, &far, true);
        assert_int_equal(move(&bench, WEIR_OP_WRITE, file, data, offset, UNIT_BYTES), UNIT_BYTES);
        assert_int_equal(bench.backend->file->size(bench.session, file), offset + UNIT_BYTES);
        close_file(&bench, file);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        assert_int_equal(pread(fd, back, UNIT_BYTES, (off_t)offset), UNIT_BYTES);
        assert_memory_equal(back, data, UNIT_BYTES);
        close(fd);
        remove_name(&bench, path);
        close_bench(&bench);
    }
}

/* A rank that cannot open what the others open would keep them waiting for ever. An open takes
 * several descriptors. */
void an_open_is_refused_before_for_want_of_descriptors(void **state)
{
    const struct subject *subject = *state;
    struct weir_file_params params = {
        .can_write = true,
        .must_create = true,
        .group = subject->group,
    };
    struct rlimit before, few;
    struct bench bench;
    int highest;

    open_bench(&bench, subject, NULL);
    params.path = path_of(&bench, "many");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    highest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(highest >= 0);
    few = before;
    few.rlim_cur = (rlim_t)highest + 3;
    assert_int_equal(bench.backend->file->may_open(bench.session, &params), 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_int_equal(bench.backend->file->may_open(bench.session, &params), -EMFILE);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(bench.backend->file->may_open(bench.session, &params), 0);
    close(highest);
    close_bench(&bench);
}

void random_transfers_without_a_part_have_no_view(void **state)
{
    const struct subject *subject = *state;
    struct weir_file_params params = {
        .can_write = true,
        .must_create = true,
        .group = subject->group,
        .is_random = true,
    };
    struct weir_file *file;
    struct weir_name_facts facts;
    struct bench bench;

    open_bench(&bench, subject, views[0]);
    params.path = path_of(&bench, "anywhere");
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), -EINVAL);
    assert_int_equal(stat_name(&bench, params.path, &facts), -ENOENT);
    /* Who only looks at a file sees all of it. */
    params.is_random = false;
    assert_int_equal(bench.backend->file->open(bench.session, &params, &file), 0);
    assert_int_equal(
        move(&bench, WEIR_OP_WRITE, file, make_data(&bench, 1, 1), 5 * UNIT_BYTES, UNIT_BYTES),
        UNIT_BYTES);
    close_file(&bench, file);
    remove_name(&bench, params.path);
    close_bench(&bench);
}

static int see(struct bench *bench, struct weir_file *file, const struct weir_file_part *seen)
{
    return bench->backend->file->view(bench->session, file, seen);
}

void an_open_file_is_seen_through_a_view(void **state)
{
    static const unsigned units[] = {1, 2, 4, 5, 7, 8};
    const struct weir_file_part none = {0}, empty = {.block_count = 3};
    unsigned char *data, *back, *packed;
    struct weir_file *file;
    struct bench bench;
    const char *path;

    open_bench(&bench, *state, NULL);
    data = make_data(&bench, 11, 1);
    back = make_data(&bench, 11, 0);
    packed = make_data(&bench, 6, 0);
    for (size_t i = 0; i < 6; i++)
        memcpy(packed + i * UNIT_BYTES, data + (size_t)units[i] * UNIT_BYTES, UNIT_BYTES);
    path = path_of(&bench, "seen");
    file = make_file(&bench, path);
    assert_int_equal(see(&bench, file, &empty), -EINVAL);
    assert_int_equal(see(&bench, file, &part), 0);
    assert_int_equal(move(&bench, WEIR_OP_WRITE, file, packed, 0, (uint64_t)6 * UNIT_BYTES),
                     6 * UNIT_BYTES);
    check_bytes(&bench, path, data);
    assert_int_equal(move(&bench, WEIR_OP_READ, file, back, UNIT_BYTES, (uint64_t)4 * UNIT_BYTES),
                     4 * UNIT_BYTES);
    assert_memory_equal(back, packed + UNIT_BYTES, 4 * UNIT_BYTES);
    assert_int_equal(see(&bench, file, &none), 0);
    assert_int_equal(move_unit(&bench, WEIR_OP_READ, file, back, 7), UNIT_BYTES);
    assert_memory_equal(back + 7 * UNIT_BYTES, data + 7 * UNIT_BYTES, UNIT_BYTES);
    close_file(&bench, file);

    /* The file ends in the last block, and then between two of them. */
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(truncate(path, i == 0 ? 8 * UNIT_BYTES + 100 : 6 * UNIT_BYTES + 100), 0);
        assert_int_equal(open_file(&bench, path, false, &file), 0);
        assert_int_equal(see(&bench, file, &part), 0);
        assert_int_equal(move(&bench, WEIR_OP_READ, file, back, 0, (uint64_t)6 * UNIT_BYTES),
                         i == 0 ? 5 * UNIT_BYTES + 100 : 4 * UNIT_BYTES);
        close_file(&bench, file);
    }
    remove_name(&bench, path);
    close_bench(&bench);
}
