/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of the transfer buffers: aligned, apart from one another, and spread as far as
 * asked. */
#include "weir/io/buffers.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct shape {
    unsigned slots;
    uint64_t transfer_bytes;
    uint64_t spread_bytes;
    uint32_t alignment;
    unsigned per_slot; /* expected */
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
        for (unsigned number = 0; number < buffers.slots * buffers.per_slot; number++)
            assert_int_equal((uintptr_t)weir_buffers_at(&buffers, number) % shapes[i].alignment, 0);
        weir_buffers_close(&buffers);
    }
}

static void windows_are_as_many_as_the_spread_needs(void **state)
{
    (void)state;
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct weir_buffers buffers;

        open_shape(&buffers, &shapes[i]);
        assert_int_equal(buffers.per_slot, shapes[i].per_slot);
        assert_true(buffers.buffer_bytes >= shapes[i].transfer_bytes);
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
        for (unsigned number = 0; number < buffers.slots * buffers.per_slot; number++) {
            unsigned char *begin = weir_buffers_at(&buffers, number);

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

/* ---- huge pages ---- */

/* The first number behind `key` in a table of the kernel; of smaps: of the mapping that `memory`
 * lies in. 0 if there is none. */
static unsigned long look_up(const char *table, const char *key, const void *memory)
{
    unsigned long number = 0;
    bool is_inside = memory == NULL;
    char line[512];
    FILE *facts = fopen(table, "re");

    assert_non_null(facts);
    while (number == 0 && fgets(line, sizeof line, facts)) {
        unsigned long begin;
        unsigned long end;

        if (memory && sscanf(line, "%lx-%lx ", &begin, &end) == 2)
            is_inside = (uintptr_t)memory >= begin && (uintptr_t)memory < end;
        else if (is_inside && strncmp(line, key, strlen(key)) == 0)
            number = strtoul(line + strlen(key), NULL, 10);
    }
    fclose(facts);
    return number;
}

static unsigned long page_kib_of(const struct weir_buffers *buffers)
{
    return look_up("/proc/self/smaps", "KernelPageSize:", buffers->memory);
}

static void open_huge(struct weir_buffers *buffers, uint64_t transfer_bytes, uint32_t alignment)
{
    assert_int_equal(weir_buffers_open(buffers,
                                       &(struct weir_buffers_params){
                                           .slots = 3,
                                           .transfer_bytes = transfer_bytes,
                                           .alignment = alignment,
                                           .wants_huge_pages = true,
                                       }),
                     0);
}

static void check_huge(const struct weir_buffers *buffers, uint64_t transfer_bytes)
{
    unsigned long huge_bytes = look_up("/proc/meminfo", "Hugepagesize:", NULL) * 1024;

    if (huge_bytes > 0) {
        assert_int_equal((uintptr_t)buffers->memory % huge_bytes, 0);
        assert_int_equal(buffers->bytes % huge_bytes, 0);
    }
    assert_true(buffers->bytes >= 3 * transfer_bytes);
    assert_false(buffers->is_huge && buffers->may_be_huge);
    if (buffers->is_huge)
        assert_int_equal(page_kib_of(buffers) * 1024, huge_bytes);
    memset(weir_buffers_at(buffers, 2), 0x5a, transfer_bytes);
}

static void huge_pages_are_asked_for_and_the_kind_is_told(void **state)
{
    static const uint64_t sizes[] = {1, 4096, 47008, 1 << 20, (1 << 21) + 4096};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct weir_buffers buffers;

        open_huge(&buffers, sizes[i], i % 2 == 0 ? 512 : 1 << 22);
        check_huge(&buffers, sizes[i]);
        assert_int_equal((uintptr_t)buffers.memory % (i % 2 == 0 ? 512 : 1 << 22), 0);
        weir_buffers_close(&buffers);
    }
}

static void nobody_gets_huge_pages_unasked(void **state)
{
    struct weir_buffers buffers;

    (void)state;
    open_shape(&buffers, &(struct shape){1, 1 << 21, 0, 1, 1});
    assert_false(buffers.is_huge);
    assert_false(buffers.may_be_huge);
    assert_int_equal(page_kib_of(&buffers) * 1024, sysconf(_SC_PAGESIZE));
    weir_buffers_close(&buffers);
}

static void pages_in_reserve_are_used_and_given_back(void **state)
{
    unsigned long free_count = look_up("/proc/meminfo", "HugePages_Free:", NULL);
    struct weir_buffers buffers;

    (void)state;
    if (free_count < 2) {
        print_message("[  REASON  ] there are no huge pages in reserve (vm.nr_hugepages)\n");
        skip();
    }
    open_huge(&buffers, 4096, 1);
    assert_true(buffers.is_huge);
    assert_int_equal(look_up("/proc/meminfo", "HugePages_Free:", NULL), free_count - 1);
    weir_buffers_close(&buffers);
    assert_int_equal(look_up("/proc/meminfo", "HugePages_Free:", NULL), free_count);
}

static void without_enough_pages_in_reserve_the_kernel_is_asked_to_make_them(void **state)
{
    unsigned long free_count = look_up("/proc/meminfo", "HugePages_Free:", NULL);
    unsigned long huge_bytes = look_up("/proc/meminfo", "Hugepagesize:", NULL) * 1024;
    struct weir_buffers buffers;

    (void)state;
    if (free_count > 32 || huge_bytes > 1 << 21) {
        print_message("[  REASON  ] there are more huge pages than a test should take\n");
        skip();
    }
    open_huge(&buffers, (free_count + 1) * (huge_bytes > 0 ? huge_bytes : 4096), 1);
    assert_false(buffers.is_huge);
    assert_int_equal(buffers.may_be_huge, access("/sys/kernel/mm/transparent_hugepage", F_OK) == 0);
    weir_buffers_close(&buffers);
    assert_int_equal(look_up("/proc/meminfo", "HugePages_Free:", NULL), free_count);
}

/* ---- placing ---- */

/* What the owner was shown, how often, and what it answers. */
struct owner {
    unsigned calls;
    void *memory;
    size_t bytes;
    bool was_touched;
    int answer;
};

static int place(void *context, void *memory, size_t bytes)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char residence[4096];
    struct owner *owner = context;

    owner->calls++;
    owner->memory = memory;
    owner->bytes = bytes;
    assert_true(bytes / page_bytes <= sizeof residence);
    assert_int_equal(mincore(memory, bytes, residence), 0);
    for (size_t page = 0; page < bytes / page_bytes; page++)
        owner->was_touched |= residence[page] & 1;
    return owner->answer;
}

static int open_placed(struct weir_buffers *buffers, struct owner *owner, bool wants_huge_pages)
{
    return weir_buffers_open(buffers, &(struct weir_buffers_params){
                                          .slots = 3,
                                          .transfer_bytes = 1 << 20,
                                          .alignment = 4096,
                                          .wants_huge_pages = wants_huge_pages,
                                          .place = place,
                                          .place_context = owner,
                                      });
}

static void all_of_the_memory_is_placed_before_it_is_touched(void **state)
{
    (void)state;
    for (unsigned huge = 0; huge < 2; huge++) {
        struct weir_buffers buffers;
        struct owner owner = {0};

        assert_int_equal(open_placed(&buffers, &owner, huge != 0), 0);
        /* A second time if there were huge pages in reserve, but too few. */
        assert_in_range(owner.calls, 1, 1 + huge);
        assert_ptr_equal(owner.memory, buffers.memory);
        assert_int_equal(owner.bytes, buffers.bytes);
        assert_false(owner.was_touched);
        weir_buffers_close(&buffers);
    }
}

static unsigned long mapped_kib(void)
{
    return look_up("/proc/self/status", "VmSize:", NULL);
}

static void an_owner_that_fails_ends_it_and_nothing_stays(void **state)
{
    static const int answers[] = {-EINVAL, -ENOSYS, -ENOMEM};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof answers / sizeof *answers; i++) {
        struct weir_buffers buffers = {.slots = 77};
        struct owner owner = {.answer = answers[i / 2]};
        unsigned long before_kib = mapped_kib();

        assert_int_equal(open_placed(&buffers, &owner, i % 2 != 0), answers[i / 2]);
        assert_int_equal(owner.calls, 1);
        assert_int_equal(buffers.slots, 77);
        assert_in_range(mapped_kib(), 0, before_kib + 1024);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_is_aligned),
        cmocka_unit_test(windows_are_as_many_as_the_spread_needs),
        cmocka_unit_test(windows_do_not_overlap_and_can_be_written),
        cmocka_unit_test(every_page_is_in_memory_from_the_start),
        cmocka_unit_test(what_no_machine_has_is_refused),
        cmocka_unit_test(huge_pages_are_asked_for_and_the_kind_is_told),
        cmocka_unit_test(nobody_gets_huge_pages_unasked),
        cmocka_unit_test(pages_in_reserve_are_used_and_given_back),
        cmocka_unit_test(without_enough_pages_in_reserve_the_kernel_is_asked_to_make_them),
        cmocka_unit_test(all_of_the_memory_is_placed_before_it_is_touched),
        cmocka_unit_test(an_owner_that_fails_ends_it_and_nothing_stays),
    };

    return cmocka_run_group_tests_name("buffers", tests, NULL, NULL);
}
