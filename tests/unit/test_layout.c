/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts: the formulas, and over many random layouts that walks equal them and that ranks cover a
 * file exactly once. */
#include "weir/plan/layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIB UINT64_C(1024)
#define TIB (UINT64_C(1) << 40)
#define ORDERS (WEIR_ORDER_ONE_PLACE + 1)

struct job {
    struct weir_layout layout;
    bool is_shared;
    uint64_t ranks;
    uint64_t seed;
    uint64_t file_bytes;
};

static struct weir_share share_of(const struct job *job, uint64_t owner)
{
    struct weir_share share;

    weir_share_init(&share, &job->layout,
                    &(struct weir_share_params){
                        .is_shared = job->is_shared,
                        .ranks = job->ranks,
                        .owner = owner,
                        .seed = job->seed,
                        .file_bytes = job->file_bytes,
                    });
    return share;
}

/* Small, but with blocks shorter and longer than WEIR_WALK_AHEAD, and odd sizes. */
static struct job random_job(uint64_t number, enum weir_order order)
{
    uint64_t ops_per_block = 1 + weir_random_below(weir_random_at(number, 0), 150);
    uint64_t transfer_bytes = 1 + weir_random_below(weir_random_at(number, 1), 5000);

    return (struct job){
        .layout = {.segment_count = 1 + weir_random_below(weir_random_at(number, 2), 12),
                   .block_bytes = ops_per_block * transfer_bytes,
                   .transfer_bytes = transfer_bytes,
                   .order = order,
                   .stride = 1 + weir_random_below(weir_random_at(number, 7), 200)},
        .is_shared = weir_random_at(number, 3) & 1,
        .ranks = 1 + weir_random_below(weir_random_at(number, 4), 9),
        .seed = weir_random_at(number, 5),
        .file_bytes = weir_random_at(number, 6) & 1 ? 1000000 : 0,
    };
}

static uint64_t file_bytes(const struct job *job)
{
    return weir_layout_bytes_per_rank(&job->layout) * (job->is_shared ? job->ranks : 1);
}

static void sequential_offsets_follow_the_formula(void **state)
{
    /* 3 ranks, segments of 3 blocks of 4 transfers; rank 1 */
    static const uint64_t shared[] = {16, 20, 24, 28, 64, 68, 72, 76};
    static const uint64_t own[] = {0, 4, 8, 12, 16, 20, 24, 28};
    struct job job = {.layout = {.segment_count = 2, .block_bytes = 16, .transfer_bytes = 4},
                      .ranks = 3};

    (void)state;
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        struct weir_share share;

        job.is_shared = is_shared;
        share = share_of(&job, 1);
        assert_int_equal(share.op_count, 8);
        for (uint64_t i = 0; i < 8; i++)
            assert_int_equal(weir_share_offset(&share, i), is_shared ? shared[i] : own[i]);
    }
}

/* The one operation is at the first byte; its transfers and bytes are where single ones are. */
static void one_operation_moves_all_blocks_of_a_rank(void **state)
{
    struct job job = {.layout = {.segment_count = 3, .block_bytes = 16, .transfer_bytes = 4},
                      .ranks = 3};

    (void)state;
    for (int is_shared = 0; is_shared < 2; is_shared++) {
        struct weir_share single, whole;
        struct weir_walk walk;

        job.is_shared = is_shared;
        job.layout.is_at_once = false;
        single = share_of(&job, 1);
        job.layout.is_at_once = true;
        whole = share_of(&job, 1);
        assert_int_equal(weir_layout_ops_per_rank(&job.layout), 1);
        assert_int_equal(weir_layout_op_bytes(&job.layout), 48);
        assert_int_equal(weir_layout_transfers_per_op(&job.layout), 12);
        assert_int_equal(whole.op_count, 1);
        assert_int_equal(weir_share_bytes(&whole, 0), 48);
        weir_walk_start(&walk, &whole, 0);
        assert_int_equal(weir_walk_next(&walk), weir_share_offset(&single, 0));
        for (uint64_t i = 0; i < single.op_count; i++) {
            assert_int_equal(weir_share_transfer_offset(&whole, i), weir_share_offset(&single, i));
            assert_int_equal(weir_share_byte_offset(&whole, i * 4 + 3),
                             weir_share_offset(&single, i) + 3);
        }
    }
}

static void bytes_and_operations_per_rank_are_counted(void **state)
{
    struct weir_layout layout = {
        .segment_count = 4, .block_bytes = 64 * KIB, .transfer_bytes = 8 * KIB};

    (void)state;
    assert_int_equal(weir_layout_bytes_per_rank(&layout), 256 * KIB);
    assert_int_equal(weir_layout_ops_per_rank(&layout), 32);
}

static void walk_equals_the_definition(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 300; number++) {
        struct job job = random_job(number, (enum weir_order)(number % ORDERS));
        uint64_t owner = number % job.ranks;
        struct weir_share share = share_of(&job, owner);
        struct weir_walk walk;

        weir_walk_start(&walk, &share, 0);
        for (uint64_t i = 0; i < share.op_count; i++) {
            assert_int_equal(walk.index, i);
            assert_int_equal(weir_walk_next(&walk), weir_share_offset(&share, i));
        }
    }
}

static void walk_can_start_anywhere(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 300; number++) {
        struct job job = random_job(number, (enum weir_order)(number % ORDERS));
        struct weir_share share = share_of(&job, 0);
        uint64_t first = weir_random_below(weir_random_at(number, 9), share.op_count);
        struct weir_walk walk;

        weir_walk_start(&walk, &share, first);
        for (uint64_t i = first; i < share.op_count; i++)
            assert_int_equal(weir_walk_next(&walk), weir_share_offset(&share, i));
        weir_walk_start(&walk, &share, share.op_count);
        weir_walk_start(&walk, &share, 0);
        assert_int_equal(weir_walk_next(&walk), weir_share_offset(&share, 0));
    }
}

/* Marks each transfer of one owner; false if one is off its grid, outside of the file or marked
 * already. */
static bool mark_share(const struct job *job, uint64_t owner, unsigned char *marks)
{
    struct weir_share share = share_of(job, owner);

    for (uint64_t i = 0; i < share.op_count; i++) {
        uint64_t offset = weir_share_offset(&share, i);
        uint64_t place = offset / job->layout.transfer_bytes;

        if (offset % job->layout.transfer_bytes != 0 || offset >= file_bytes(job) || marks[place])
            return false;
        marks[place] = 1;
    }
    return true;
}

static void covers_every_transfer_once(enum weir_order order)
{
    for (uint64_t number = 0; number < 200; number++) {
        struct job job = random_job(number, order);
        uint64_t transfers = file_bytes(&job) / job.layout.transfer_bytes;
        unsigned char *marks = calloc(transfers, 1);

        assert_non_null(marks);
        for (uint64_t owner = 0; owner < job.ranks; owner++) {
            if (!job.is_shared)
                memset(marks, 0, transfers);
            assert_true(mark_share(&job, owner, marks));
            if (!job.is_shared)
                assert_null(memchr(marks, 0, transfers));
        }
        assert_null(memchr(marks, 0, transfers));
        free(marks);
    }
}

static void offsets_sequential_order_covers_every_transfer_once(void **state)
{
    (void)state;
    covers_every_transfer_once(WEIR_ORDER_SEQUENTIAL);
}

static void offsets_shuffled_order_covers_every_transfer_once(void **state)
{
    (void)state;
    covers_every_transfer_once(WEIR_ORDER_SHUFFLED);
}

static void offsets_backward_and_strided_orders_cover_every_transfer_once(void **state)
{
    (void)state;
    covers_every_transfer_once(WEIR_ORDER_BACKWARD);
    covers_every_transfer_once(WEIR_ORDER_STRIDED);
}

/* 3 ranks, segments of 3 blocks of 4 transfers of 4 bytes; rank 1, whose part has 8 transfers */
static void orders_that_are_not_random_follow_their_formulas(void **state)
{
    static const struct {
        enum weir_order order;
        bool is_shared;
        uint64_t offsets[8];
    } rows[] = {
        {WEIR_ORDER_BACKWARD, false, {28, 24, 20, 16, 12, 8, 4, 0}},
        {WEIR_ORDER_BACKWARD, true, {76, 72, 68, 64, 28, 24, 20, 16}},
        {WEIR_ORDER_STRIDED, false, {0, 12, 24, 4, 16, 28, 8, 20}},
        {WEIR_ORDER_STRIDED, true, {16, 28, 72, 20, 64, 76, 24, 68}},
        {WEIR_ORDER_ONE_PLACE, false, {0}},
        {WEIR_ORDER_ONE_PLACE, true, {16, 16, 16, 16, 16, 16, 16, 16}},
    };

    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        struct job job = {.layout = {.segment_count = 2,
                                     .block_bytes = 16,
                                     .transfer_bytes = 4,
                                     .order = rows[row].order,
                                     .stride = 3},
                          .is_shared = rows[row].is_shared,
                          .ranks = 3};
        struct weir_share share = share_of(&job, 1);

        for (uint64_t i = 0; i < 8; i++)
            assert_int_equal(weir_share_offset(&share, i), rows[row].offsets[i]);
    }
}

static void alike_orders_are_the_same_in_own_files_only(void **state)
{
    struct job job = {.layout = {.segment_count = 1,
                                 .block_bytes = 1000 * KIB,
                                 .transfer_bytes = KIB,
                                 .order = WEIR_ORDER_SHUFFLED,
                                 .is_alike = true},
                      .ranks = 4,
                      .seed = 1};
    struct weir_share one = share_of(&job, 0), other = share_of(&job, 3);
    uint64_t moved = 0;

    (void)state;
    for (uint64_t i = 0; i < one.op_count; i++) {
        assert_int_equal(weir_share_offset(&one, i), weir_share_offset(&other, i));
        moved += weir_share_offset(&one, i) != i * KIB;
    }
    assert_true(moved > 900);
}

static void extent_is_what_files_hold(void **state)
{
    struct weir_layout layout = {.segment_count = 4, .block_bytes = 64, .transfer_bytes = 8};

    (void)state;
    assert_int_equal(weir_layout_extent(&layout, true, 3), 768);
    layout.order = WEIR_ORDER_ONE_PLACE;
    assert_int_equal(weir_layout_extent(&layout, true, 3), 136);
    assert_int_equal(weir_layout_extent(&layout, false, 3), 24);
}

/* More transfers than a walk knows ahead, none where or as large as a formula would have it. */
static void listed_transfers_are_those_of_the_list(void **state)
{
    enum { COUNT = 3 * WEIR_WALK_AHEAD + 7 };
    struct weir_listed listed[COUNT];
    struct job job = {.layout = {.segment_count = 1,
                                 .transfer_bytes = 5000,
                                 .order = WEIR_ORDER_LISTED,
                                 .listing = {.path = "list", .count = COUNT, .transfers = listed}},
                      .ranks = 3};

    (void)state;
    for (uint64_t i = 0; i < COUNT; i++) {
        struct weir_listed *one = &listed[i];

        *one = (struct weir_listed){
            .offset = weir_random_below(weir_random_at(1, i), TIB),
            .bytes = 1 + (uint32_t)weir_random_below(weir_random_at(2, i), 5000)};
        job.layout.block_bytes += one->bytes;
        if (job.layout.listing.end < one->offset + one->bytes)
            job.layout.listing.end = one->offset + one->bytes;
    }
    assert_int_equal(weir_layout_ops_per_rank(&job.layout), COUNT);
    assert_int_equal(weir_layout_bytes_per_rank(&job.layout), job.layout.block_bytes);
    assert_int_equal(weir_layout_extent(&job.layout, false, 1), job.layout.listing.end);
    for (uint64_t owner = 0; owner < job.ranks; owner++) {
        struct weir_share share = share_of(&job, owner);

        assert_int_equal(share.op_count, COUNT);
        for (uint64_t start = 0; start < COUNT; start += 50) {
            struct weir_walk walk;

            weir_walk_start(&walk, &share, start);
            for (uint64_t i = start; i < COUNT; i++) {
                assert_int_equal(weir_walk_next(&walk), listed[i].offset);
                assert_int_equal(weir_share_offset(&share, i), listed[i].offset);
                assert_int_equal(weir_share_bytes(&share, i), listed[i].bytes);
            }
        }
    }
}

static void shuffled_transfers_stay_in_their_segment(void **state)
{
    struct job job = {.layout = {.segment_count = 5,
                                 .block_bytes = 64 * KIB,
                                 .transfer_bytes = KIB,
                                 .order = WEIR_ORDER_SHUFFLED},
                      .is_shared = true,
                      .ranks = 3,
                      .seed = 4};
    struct weir_share share = share_of(&job, 2);

    (void)state;
    for (uint64_t i = 0; i < share.op_count; i++)
        assert_int_equal(weir_share_offset(&share, i) / (3 * 64 * KIB), i / 64);
}

/* Transfer i of owner r is element i * ranks + r of one sequence: the same at 2 ranks as at 8. */
static void shuffled_job_follows_one_sequence_at_any_number_of_ranks(void **state)
{
    struct job wide = {.layout = {.segment_count = 2,
                                  .block_bytes = 8 * KIB,
                                  .transfer_bytes = KIB,
                                  .order = WEIR_ORDER_SHUFFLED},
                       .is_shared = true,
                       .ranks = 8,
                       .seed = 11};
    struct job narrow = wide;

    (void)state;
    narrow.layout.block_bytes = 32 * KIB;
    narrow.ranks = 2;
    for (uint64_t element = 0; element < 64; element++) {
        struct weir_share of_wide = share_of(&wide, element % 8);
        struct weir_share of_narrow = share_of(&narrow, element % 2);

        assert_int_equal(weir_share_offset(&of_wide, element / 8),
                         weir_share_offset(&of_narrow, element / 2));
    }
}

/* How many of the first 100 transfers two shares make at the same offset. */
static unsigned common_offsets(const struct weir_share *a, const struct weir_share *b)
{
    unsigned common = 0;

    for (uint64_t i = 0; i < 100; i++)
        common += weir_share_offset(a, i) == weir_share_offset(b, i);
    return common;
}

static void random_orders_differ_between_seeds_and_owners(void **state)
{
    static const enum weir_order orders[] = {WEIR_ORDER_SHUFFLED, WEIR_ORDER_RANDOM_BLOCKS};

    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct job job = {.layout = {.segment_count = 200,
                                     .block_bytes = 1000 * KIB,
                                     .transfer_bytes = KIB,
                                     .order = orders[i]},
                          .ranks = 4,
                          .seed = 1};
        struct weir_share one, other_owner, other_seed;

        if (orders[i] == WEIR_ORDER_RANDOM_BLOCKS)
            job.layout.block_bytes = KIB;
        one = share_of(&job, 0);
        other_owner = share_of(&job, 1);
        job.seed = 2;
        other_seed = share_of(&job, 0);
        assert_true(common_offsets(&one, &other_owner) < 10);
        assert_true(common_offsets(&one, &other_seed) < 10);
    }
}

static void shuffled_segments_have_orders_of_their_own(void **state)
{
    struct job job = {.layout = {.segment_count = 2,
                                 .block_bytes = 1000 * KIB,
                                 .transfer_bytes = KIB,
                                 .order = WEIR_ORDER_SHUFFLED},
                      .is_shared = true,
                      .ranks = 2,
                      .seed = 1};
    struct weir_share share = share_of(&job, 0);
    unsigned equal = 0;

    (void)state;
    for (uint64_t i = 0; i < 1000; i++)
        equal += weir_share_offset(&share, i) + share.segment_bytes ==
                 weir_share_offset(&share, 1000 + i);
    assert_true(equal < 10);
}

static void random_blocks_are_whole_blocks_inside_of_the_file(void **state)
{
    static const struct {
        bool is_shared;
        uint64_t file_bytes;
        uint64_t positions;
    } rows[] = {
        {true, 0, 40},           /* 4 ranks, 10 segments */
        {false, 0, 10},          /* one rank's own file */
        {true, 64 * KIB + 1, 8}, /* a tail shorter than a block is never read */
        {false, 1000, 1},        /* a file shorter than a block: its beginning */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job job = {.layout = {.segment_count = 10,
                                     .block_bytes = 8 * KIB,
                                     .transfer_bytes = KIB,
                                     .order = WEIR_ORDER_RANDOM_BLOCKS},
                          .is_shared = rows[i].is_shared,
                          .ranks = 4,
                          .seed = 3,
                          .file_bytes = rows[i].file_bytes};
        struct weir_share share = share_of(&job, 3);

        assert_int_equal(share.block_positions, rows[i].positions);
        for (uint64_t k = 0; k < share.op_count; k++) {
            uint64_t offset = weir_share_offset(&share, k);

            assert_true(offset / (8 * KIB) < rows[i].positions);
            assert_int_equal(offset % (8 * KIB), k % 8 * KIB);
        }
    }
}

static void random_blocks_reach_every_position_and_repeat(void **state)
{
    struct job job = {.layout = {.segment_count = 2000,
                                 .block_bytes = KIB,
                                 .transfer_bytes = KIB,
                                 .order = WEIR_ORDER_RANDOM_BLOCKS},
                      .ranks = 1,
                      .seed = 8,
                      .file_bytes = 100 * KIB};
    struct weir_share share = share_of(&job, 0);
    unsigned visits[100] = {0};

    (void)state;
    for (uint64_t i = 0; i < share.op_count; i++)
        visits[weir_share_offset(&share, i) / KIB]++;
    for (size_t i = 0; i < 100; i++)
        assert_in_range(visits[i], 1, 60);
}

/* The end of a tebibyte is as near as its beginning. */
static void huge_shuffle_costs_no_memory(void **state)
{
    struct job job = {.layout = {.segment_count = 1,
                                 .block_bytes = TIB,
                                 .transfer_bytes = 4 * KIB,
                                 .order = WEIR_ORDER_SHUFFLED},
                      .is_shared = true,
                      .ranks = 1000,
                      .seed = 6};
    struct weir_share share = share_of(&job, 999);
    struct weir_walk walk;

    (void)state;
    weir_walk_start(&walk, &share, share.op_count - 100);
    for (uint64_t i = share.op_count - 100; i < share.op_count; i++) {
        uint64_t offset = weir_walk_next(&walk);

        assert_int_equal(offset, weir_share_offset(&share, i));
        assert_true(offset < 1000 * TIB);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequential_offsets_follow_the_formula),
        cmocka_unit_test(one_operation_moves_all_blocks_of_a_rank),
        cmocka_unit_test(bytes_and_operations_per_rank_are_counted),
        cmocka_unit_test(walk_equals_the_definition),
        cmocka_unit_test(walk_can_start_anywhere),
        cmocka_unit_test(offsets_sequential_order_covers_every_transfer_once),
        cmocka_unit_test(offsets_shuffled_order_covers_every_transfer_once),
        cmocka_unit_test(offsets_backward_and_strided_orders_cover_every_transfer_once),
        cmocka_unit_test(orders_that_are_not_random_follow_their_formulas),
        cmocka_unit_test(alike_orders_are_the_same_in_own_files_only),
        cmocka_unit_test(extent_is_what_files_hold),
        cmocka_unit_test(listed_transfers_are_those_of_the_list),
        cmocka_unit_test(shuffled_transfers_stay_in_their_segment),
        cmocka_unit_test(shuffled_job_follows_one_sequence_at_any_number_of_ranks),
        cmocka_unit_test(random_orders_differ_between_seeds_and_owners),
        cmocka_unit_test(shuffled_segments_have_orders_of_their_own),
        cmocka_unit_test(random_blocks_are_whole_blocks_inside_of_the_file),
        cmocka_unit_test(random_blocks_reach_every_position_and_repeat),
        cmocka_unit_test(huge_shuffle_costs_no_memory),
    };

    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
