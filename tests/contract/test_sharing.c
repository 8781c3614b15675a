/* SPDX-License-Identifier: Apache-2.0 */
/* What several ranks may rely on when they open one file together; run with two ranks or more. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNITS = 6 };

static void meet(const struct subject *subject)
{
    assert_int_equal(weir_group_barrier(subject->group), 0);
}

/* Opened and closed by all ranks together; rank 0 removes it when all are done. */
static struct weir_file *share_file(struct bench *bench, const char *path)
{
    struct weir_file *file = make_file(bench, path);

    meet(bench->subject);
    return file;
}

static void drop_file(struct bench *bench, struct weir_file *file, const char *path)
{
    meet(bench->subject);
    close_file(bench, file);
    meet(bench->subject);
    if (bench->subject->group->rank == 0)
        assert_int_equal(bench->backend->names->unlink(bench->session, path), 0);
    meet(bench->subject);
}

static int64_t move_alike(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                          void *data, uint64_t offset, bool is_collective)
{
    struct weir_op *op = weir_queue_take(&bench->queue);

    op->verb = verb;
    op->is_collective = is_collective;
    op->file = file;
    op->data = data;
    op->offset = offset;
    op->size = UNIT_BYTES;
    if (bench->queue.is_blocking) {
        weir_queue_transfer(&bench->queue, op);
    } else {
        weir_queue_send(&bench->queue, op);
        assert_int_equal(weir_queue_reap(&bench->queue, &op, 1, 1, WEIR_FOREVER), 1);
    }
    weir_queue_give(&bench->queue, op);
    return op->result;
}

static int64_t move_together(struct bench *bench, enum weir_op_verb verb, struct weir_file *file,
                             void *data, uint64_t offset)
{
    return move_alike(bench, verb, file, data, offset,
                      (bench->backend->descriptor.abilities & WEIR_CAN_COLLECT) != 0);
}

/* Units go round the ranks, and each rank reads what its neighbour wrote. */
static void a_rank_reads_what_another_wrote(void **state)
{
    const struct subject *subject = *state;
    const uint64_t ranks = (uint64_t)subject->group->size;
    const uint64_t rank = (uint64_t)subject->group->rank;
    const uint64_t neighbour = (rank + 1) % ranks;
    struct weir_file *file;
    struct bench bench;
    unsigned char *back;
    const char *path;

    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "shared");
    back = make_data(&bench, 1, 0);
    file = share_file(&bench, path);
    for (uint64_t i = 0; i < UNITS; i++)
        assert_int_equal(move_together(&bench, WEIR_OP_WRITE, file,
                                       make_data(&bench, 1, (unsigned)(i * ranks + rank)),
                                       (i * ranks + rank) * UNIT_BYTES),
                         UNIT_BYTES);
    assert_int_equal(bench.backend->file->sync(bench.session, file), 0);
    meet(subject);
    assert_int_equal(bench.backend->file->size(bench.session, file), UNITS * ranks * UNIT_BYTES);
    for (uint64_t i = 0; i < UNITS; i++) {
        uint64_t unit = i * ranks + neighbour;

        assert_int_equal(move_together(&bench, WEIR_OP_READ, file, back, unit * UNIT_BYTES),
                         UNIT_BYTES);
        assert_memory_equal(back, make_data(&bench, 1, (unsigned)unit), UNIT_BYTES);
    }
    drop_file(&bench, file, path);
    close_bench(&bench);
}

static void only_the_rank_that_reads_past_the_end_is_short(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;
    const char *path;
    bool is_first = subject->group->rank == 0;

    open_bench(&bench, subject, NULL);
    path = path_of(&bench, "end");
    file = share_file(&bench, path);
    assert_int_equal(move_together(&bench, WEIR_OP_WRITE, file, make_data(&bench, 1, 1), 0),
                     UNIT_BYTES);
    meet(subject);
    assert_int_equal(move_together(&bench, WEIR_OP_READ, file, make_data(&bench, 1, 0),
                                   is_first ? 0 : 9 * UNIT_BYTES),
                     is_first ? UNIT_BYTES : 0);
    drop_file(&bench, file, path);
    close_bench(&bench);
}

static void a_file_that_is_not_there_is_missed_by_all(void **state)
{
    const struct subject *subject = *state;
    struct weir_file *file;
    struct bench bench;

    open_bench(&bench, subject, NULL);
    assert_true(open_file(&bench, path_of(&bench, "none"), false, &file) < 0);
    close_bench(&bench);
}

/* ---- views: units go round the ranks, and each sees those of one ---- */

static struct weir_file *share_part(struct bench *bench, const char *path, uint64_t owner,
                                    uint64_t units, bool can_write)
{
    const struct weir_file_params params = {
        .path = path,
        .can_write = can_write,
        .can_read = !can_write,
        .must_create = can_write,
        .group = bench->subject->group,
        .part = {.first_byte = owner * UNIT_BYTES,
                 .block_bytes = UNIT_BYTES,
                 .stride_bytes = (uint64_t)bench->subject->group->size * UNIT_BYTES,
                 .block_count = units},
    };
    struct weir_file *file = NULL;

    assert_int_equal(bench->backend->file->open(bench->session, &params, &file), 0);
    meet(bench->subject);
    return file;
}

static void write_own_part(struct bench *bench, const char *path, bool is_collective)
{
    const uint64_t ranks = (uint64_t)bench->subject->group->size;
    const uint64_t rank = (uint64_t)bench->subject->group->rank;
    struct weir_file *file = share_part(bench, path, rank, UNITS, true);

    for (uint64_t i = 0; i < UNITS; i++) {
        uint64_t unit = i * ranks + rank;

        assert_int_equal(move_alike(bench, WEIR_OP_WRITE, file, make_data(bench, 1, (unsigned)unit),
                                    unit * UNIT_BYTES, is_collective),
                         UNIT_BYTES);
    }
    assert_int_equal(bench->backend->file->sync(bench->session, file), 0);
    meet(bench->subject);
    assert_int_equal(bench->backend->file->size(bench->session, file), UNITS * ranks * UNIT_BYTES);
    meet(bench->subject);
    close_file(bench, file);
    meet(bench->subject);
}

/* The neighbour's part, and a unit more than there is; then rank 0 reads something that it does not
 * see, and the others do not wait for it. */
static void read_part_of_neighbour(struct bench *bench, const char *path, bool is_collective)
{
    const uint64_t ranks = (uint64_t)bench->subject->group->size;
    const uint64_t rank = (uint64_t)bench->subject->group->rank;
    const uint64_t neighbour = (rank + 1) % ranks;
    struct weir_file *file = share_part(bench, path, neighbour, UNITS + 1, false);
    unsigned char *back = make_data(bench, 1, 0);
    uint64_t first = rank == 0 ? 0 : neighbour;

    for (uint64_t i = 0; i <= UNITS; i++) {
        uint64_t unit = i * ranks + neighbour;

        assert_int_equal(
            move_alike(bench, WEIR_OP_READ, file, back, unit * UNIT_BYTES, is_collective),
            i < UNITS ? UNIT_BYTES : 0);
        if (i < UNITS)
            assert_memory_equal(back, make_data(bench, 1, (unsigned)unit), UNIT_BYTES);
    }
    assert_int_equal(move_alike(bench, WEIR_OP_READ, file, back, first * UNIT_BYTES, is_collective),
                     rank == 0 ? -EINVAL : UNIT_BYTES);
    drop_file(bench, file, path);
}

static void a_rank_reads_through_a_view_what_another_wrote(void **state)
{
    static const char *const views[] = {"mpiio.useFileView=1",
                                        "mpiio.useFileView=1,mpiio.useStridedDatatype=1"};
    const struct subject *subject = *state;

    for (unsigned i = 0; i < 4; i++) {
        bool is_collective = i >= 2;
        struct bench bench;
        const char *path;

        open_bench(&bench, subject, views[i % 2]);
        path = path_of(&bench, "viewed");
        write_own_part(&bench, path, is_collective);
        read_part_of_neighbour(&bench, path, is_collective);
        close_bench(&bench);
    }
}

/* ---- the group itself, as MPI makes it ---- */

static void ranks_of_a_node_are_known(void **state)
{
    const struct subject *subject = *state;
    const struct weir_group *group = subject->group;

    assert_in_range(group->node, 0, group->node_count - 1);
    assert_int_equal(group->node_of_rank[group->rank], group->node);
    assert_int_equal(group->node_of_rank[group->node_leader[group->node]], group->node);
    assert_in_range(group->node_rank, 0, group->node_size - 1);
    assert_int_equal(group->node_start[0], 0);
    assert_int_equal(group->node_start[group->node + 1] - group->node_start[group->node],
                     group->node_size);
    assert_int_equal(group->node_start[group->node_count], group->size);
    for (int node = 0; node < group->node_count; node++)
        assert_int_not_equal(group->node_names[node][0], '\0');
}

static void values_are_reduced_over_all_ranks(void **state)
{
    const struct subject *subject = *state;
    struct weir_group *group = subject->group;
    uint64_t size = (uint64_t)group->size;
    uint64_t values[3] = {1, (uint64_t)group->rank, UINT64_MAX};

    assert_int_equal(weir_group_reduce(group, values, 2, WEIR_SUM), 0);
    assert_int_equal(values[0], size);
    assert_int_equal(values[1], size * (size - 1) / 2);
    assert_true(values[2] == UINT64_MAX);
    values[0] = (uint64_t)group->rank;
    assert_int_equal(weir_group_reduce(group, values, 1, WEIR_MIN), 0);
    assert_int_equal(values[0], 0);
    values[0] = (uint64_t)group->rank;
    assert_int_equal(weir_group_reduce(group, values, 1, WEIR_MAX), 0);
    assert_int_equal(values[0], size - 1);
    /* Beyond what fits into a signed number. */
    values[0] = values[1] = group->rank == 0 ? UINT64_MAX : 5;
    assert_int_equal(weir_group_reduce(group, &values[0], 1, WEIR_MIN), 0);
    assert_true(values[0] == (size > 1 ? 5 : UINT64_MAX));
    assert_int_equal(weir_group_reduce(group, &values[1], 1, WEIR_MAX), 0);
    assert_true(values[1] == UINT64_MAX);
}

static void values_are_gathered_in_rank_order(void **state)
{
    const struct subject *subject = *state;
    struct weir_group *group = subject->group;
    int all[64];

    assert_in_range(group->size, 1, 64);
    assert_int_equal(
        weir_group_gather(group, &group->rank, sizeof group->rank, group->rank == 0 ? all : NULL),
        0);
    for (int rank = 0; group->rank == 0 && rank < group->size; rank++)
        assert_int_equal(all[rank], rank);
}

static void the_first_ranks_are_a_group_of_their_own(void **state)
{
    const struct subject *subject = *state;
    struct weir_group *group = subject->group;
    struct weir_group *part = group;

    assert_int_equal(group->ops->part(group, group->rank < 1, &part), 0);
    if (group->rank > 0) {
        assert_null(part);
        return;
    }
    assert_int_equal(part->size, 1);
    assert_int_equal(part->node_count, 1);
    weir_group_close(part);
}

static void an_error_of_one_rank_is_everyones(void **state)
{
    const struct subject *subject = *state;
    struct weir_group *group = subject->group;
    struct weir_error error = {0};

    if (group->rank == group->size - 1)
        weir_error_set(&error, WEIR_EXIT_ENVIRONMENT, -5, "test", "broken");
    assert_int_equal(weir_group_agree(group, &error), -5);
    assert_non_null(strstr(error.text, "test: broken"));
    assert_int_equal(strncmp(error.text, "rank ", 5) == 0, group->size > 1);
}

static void ranks_of_a_node_share_one_clock_and_start_together(void **state)
{
    const struct subject *subject = *state;
    struct weir_group *group = subject->group;
    struct weir_time_point point = {0};
    struct weir_clock clock;
    uint64_t instant_ns;
    uint64_t earliest_ns;

    assert_int_equal(weir_group_share_clock(group, &clock), 0);
    assert_int_equal(weir_group_synchronise(group, &clock, &point), 0);
    instant_ns = weir_group_start_together(group, &clock, &point);
    assert_true(weir_clock_ns(&clock) >= instant_ns);
    instant_ns += (uint64_t)point.offset_ns;
    earliest_ns = instant_ns;
    assert_int_equal(weir_group_reduce(group, &earliest_ns, 1, WEIR_MIN), 0);
    if (group->size > 1)
        assert_int_equal(instant_ns, earliest_ns);
}

struct sharing_case {
    const char *sentence;
    CMUnitTestFunction check;
};

static const struct sharing_case group_cases[] = {
    {"ranks_of_a_node_are_known", ranks_of_a_node_are_known},
    {"values_are_reduced_over_all_ranks", values_are_reduced_over_all_ranks},
    {"values_are_gathered_in_rank_order", values_are_gathered_in_rank_order},
    {"the_first_ranks_are_a_group_of_their_own", the_first_ranks_are_a_group_of_their_own},
    {"an_error_of_one_rank_is_everyones", an_error_of_one_rank_is_everyones},
    {"ranks_of_a_node_share_one_clock_and_start_together",
     ranks_of_a_node_share_one_clock_and_start_together},
};

static const struct sharing_case file_cases[] = {
    {"a_rank_reads_what_another_wrote", a_rank_reads_what_another_wrote},
    {"only_the_rank_that_reads_past_the_end_is_short",
     only_the_rank_that_reads_past_the_end_is_short},
    {"a_file_that_is_not_there_is_missed_by_all", a_file_that_is_not_there_is_missed_by_all},
};

static const struct sharing_case mpiio_cases[] = {
    {"a_rank_reads_through_a_view_what_another_wrote",
     a_rank_reads_through_a_view_what_another_wrote},
};

#define MPIIO_CASE_COUNT (sizeof mpiio_cases / sizeof *mpiio_cases)
#define GROUP_CASE_COUNT (sizeof group_cases / sizeof *group_cases)
#define FILE_CASE_COUNT (sizeof file_cases / sizeof *file_cases)

static bool is_sharer(const struct weir_backend *backend)
{
    const unsigned needed = WEIR_CAN_SHARE | WEIR_CAN_KEEP | WEIR_CAN_NAME;

    return (backend->descriptor.abilities & needed) == needed;
}

static size_t add_cases(struct weir_arena *arena, struct subject *subject, const char *name,
                        const struct sharing_case cases[], size_t count, struct CMUnitTest tests[])
{
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){
            .name = weir_arena_printf(arena, "%s.%s", name, cases[i].sentence),
            .test_func = cases[i].check,
            .initial_state = subject,
        };
    return count;
}

static size_t add_all(struct weir_arena *arena, struct weir_group *group, const char *directory,
                      struct served *served, struct CMUnitTest **tests)
{
    size_t count = 0;
    struct subject *subject = weir_arena_take(arena, sizeof *subject);

    *tests = weir_arena_take(
        arena, (GROUP_CASE_COUNT + weir_registry.count * FILE_CASE_COUNT + MPIIO_CASE_COUNT) *
                   sizeof **tests);
    *subject = (struct subject){.group = group, .depth = 1, .directory = directory};
    count += add_cases(arena, subject, "group", group_cases, GROUP_CASE_COUNT, *tests);
    for (size_t i = 0; i < weir_registry.count; i++) {
        const struct weir_backend *backend = weir_registry.backends[i];

        if (!is_sharer(backend))
            continue;
        subject = weir_arena_take(arena, sizeof *subject);
        *subject = (struct subject){.backend = backend,
                                    .depth = 1,
                                    .group = group,
                                    .directory = directory,
                                    .served = served};
        count += add_cases(arena, subject, backend->descriptor.name, file_cases, FILE_CASE_COUNT,
                           *tests + count);
        if (strcmp(backend->descriptor.name, "mpiio") == 0)
            count += add_cases(arena, subject, backend->descriptor.name, mpiio_cases,
                               MPIIO_CASE_COUNT, *tests + count);
    }
    return count;
}

int main(int argc, char **argv)
{
    char directory[] = "sharing-XXXXXX";
    struct weir_arena arena = {0};
    struct weir_error error = {0};
    struct served served = {0};
    struct weir_group *group;
    struct CMUnitTest *tests;
    size_t count;
    int failures;

    if (weir_group_mpi_open(&argc, &argv, &group, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (group->rank == 0 && !mkdtemp(directory))
        perror(directory);
    weir_group_broadcast(group, directory, sizeof directory, 0);
    count = add_all(&arena, group, directory, &served, &tests);
    failures = _cmocka_run_group_tests("sharing", tests, count, NULL, NULL);
    weir_group_barrier(group);
    close_served(&served);
    if (group->rank == 0)
        rmdir(directory);
    weir_arena_close(&arena);
    weir_group_close(group);
    return failures;
}
