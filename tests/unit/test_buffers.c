/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the transfer buffers: aligned, apart from one another, and spread as far as
 * asked. */
#include "weir/io/buffers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct shape {
    unsigned slots;
    uint64_t transfer_bytes;
    uint64_t spread_bytes;
    uint32_t alignment;
    unsigned windows; /* expected */
};

static const struct shape shapes[] = {
    {1, 262144, 0, 1, 1},        {1, 1, 0, 1, 1},
    {4, 47008, 0, 512, 1},       {1, 4096, 1 << 20, 4096, 256},
    {8, 4096, 1 << 20, 1, 32},   {3, 4096, 1 << 20, 1, 128},
    {1, 64, 100, 1, 2},          {2, 1000, 0, 65536, 1},
    {1, 1 << 21, 0, 1 << 21, 1},
};

#define SHAPE_COUNT (sizeof shapes / sizeof *shapes)

static void open_shape(struct weir_buffers *buffers, const struct shape *shape)
{
    assert_int_equal(weir_buffers_open(buffers,
                                       &(struct weir_buffers_params){
                                           .slots = shape->slots,
                                           .transfer_bytes = shape->transfer_bytes,
                                           .spread_bytes = shape->spread_bytes,
                                           .alignment = shape->alignment,
                                       }),
                     0);
}

static void every_window_is_aligned(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct weir_buffers buffers;

        open_shape(&buffers, &shapes[i]);
        assert_int_equal((uintptr_t)buffers.memory % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
        for (unsigned window = 0; window < buffers.slots * buffers.windows; window++)
            assert_int_equal((uintptr_t)weir_buffers_window(&buffers, window) % shapes[i].alignment,
                             0);
        weir_buffers_close(&buffers);
    }
}

static void windows_are_as_many_as_the_spread_needs(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct weir_buffers buffers;

        open_shape(&buffers, &shapes[i]);
        assert_int_equal(buffers.windows, shapes[i].windows);
        assert_true(buffers.window_bytes >= shapes[i].transfer_bytes);
        assert_true(buffers.bytes >= shapes[i].spread_bytes);
        weir_buffers_close(&buffers);
    }
}

static void windows_do_not_overlap_and_can_be_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct weir_buffers buffers;
        unsigned char *end;

        open_shape(&buffers, &shapes[i]);
        end = buffers.memory;
        for (unsigned window = 0; window < buffers.slots * buffers.windows; window++) {
            unsigned char *begin = weir_buffers_window(&buffers, window);

            assert_true(begin >= end);
            memset(begin, 0x5a, shapes[i].transfer_bytes);
            end = begin + shapes[i].transfer_bytes;
        }
        assert_true(end <= buffers.memory + buffers.bytes);
        weir_buffers_close(&buffers);
    }
}

static void every_page_is_in_memory_from_the_start(void **state)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    struct weir_buffers buffers;
    unsigned char residence[256];

    (void)state;
    assert_int_equal(weir_buffers_open(
                         &buffers, &(struct weir_buffers_params){.slots = 1,
                                                                 .transfer_bytes = 256 * page_bytes,
                                                                 .spread_bytes = 0,
                                                                 .alignment = 1}),
                     0);
    assert_int_equal(mincore(buffers.memory, buffers.bytes, residence), 0);
    for (size_t page = 0; page < 256; page++)
        assert_true(residence[page] & 1);
    weir_buffers_close(&buffers);
}

static void what_no_machine_has_is_refused(void **state)
{
    struct weir_buffers buffers;

    (void)state;
    assert_int_equal(
        weir_buffers_open(&buffers,
                          &(struct weir_buffers_params){.slots = 4096,
                                                        .transfer_bytes = UINT64_C(1) << 60,
                                                        .spread_bytes = 0,
                                                        .alignment = 4096}),
        -ENOMEM);
    assert_int_equal(
        weir_buffers_open(&buffers, &(struct weir_buffers_params){.slots = 1,
                                                                  .transfer_bytes = UINT64_MAX,
                                                                  .spread_bytes = 0,
                                                                  .alignment = 1}),
        -ENOMEM);
    assert_int_equal(
        weir_buffers_open(&buffers, &(struct weir_buffers_params){.slots = 1,
                                                                  .transfer_bytes = 4096,
                                                                  .spread_bytes = UINT64_MAX,
                                                                  .alignment = 1}),
        -ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_is_aligned),
        cmocka_unit_test(windows_are_as_many_as_the_spread_needs),
        cmocka_unit_test(windows_do_not_overlap_and_can_be_written),
        cmocka_unit_test(every_page_is_in_memory_from_the_start),
        cmocka_unit_test(what_no_machine_has_is_refused),
    };

    return cmocka_run_group_tests_name("buffers", tests, NULL, NULL);
}
