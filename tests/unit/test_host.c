/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the host against what the kernel says on other ways. */
#include "weir/system/host.h"
#include "weir/system/room.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

static void a_host_is_described_as_uname_does(void **state)
{
    struct weir_host_facts facts;
    struct utsname host;

    (void)state;
    assert_int_equal(uname(&host), 0);
    weir_host_describe(&facts);
    assert_string_equal(facts.system, host.sysname);
    assert_string_equal(facts.machine, host.machine);
    assert_string_equal(facts.release, host.release);
    assert_memory_equal(facts.node, host.nodename, strnlen(facts.node, sizeof facts.node - 1));
}

static void proc_is_known_by_its_type(void **state)
{
    struct weir_filesystem_facts facts;

    (void)state;
    weir_filesystem_describe("/proc/self/status", &facts);
    assert_true(facts.is_known);
    assert_string_equal(facts.type, "proc");
}

static void a_file_system_is_as_large_as_statfs_says(void **state)
{
    struct weir_filesystem_facts facts;
    struct statfs told;

    (void)state;
    assert_int_equal(statfs("/", &told), 0);
    weir_filesystem_describe("/", &facts);
    assert_true(facts.is_known);
    assert_int_equal(facts.bytes_total, (uint64_t)told.f_blocks * (uint64_t)told.f_frsize);
    assert_true(facts.bytes_used <= facts.bytes_total);
    assert_true(facts.inodes_used <= facts.inodes_total);
    assert_int_not_equal(facts.type[0], '\0');
}

/* CephFS reports 1 file, of which -1 are free; others more that is free than there is. */
static void totals_that_cannot_be_right_are_unknown(void **state)
{
    static const struct {
        uint64_t blocks, free, available, files, files_free;
        uint64_t bytes_total, inodes_total, inodes_used, bytes_free, inodes_free;
    } cases[] = {
        {100, 60, 50, 1000, 400, 409600, 1000, 600, 204800, 400},
        {100, 60, 50, 1, UINT64_MAX, 409600, 0, 0, 204800, UINT64_MAX},
        {100, 60, 50, 10, 11, 409600, 0, 0, 204800, UINT64_MAX},
        {100, 60, 50, 0, 0, 409600, 0, 0, 204800, UINT64_MAX},
        {100, 60, 50, 10, 0, 409600, 10, 10, 204800, 0},
        {100, 100, 100, 7, 7, 409600, 7, 0, 409600, 7},
        {100, 101, UINT64_MAX, 10, 10, 0, 10, 0, UINT64_MAX, 10},
        {0, 0, 0, 0, 0, 0, 0, 0, UINT64_MAX, UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct statvfs told = {.f_frsize = 4096,
                                     .f_blocks = cases[i].blocks,
                                     .f_bfree = cases[i].free,
                                     .f_bavail = cases[i].available,
                                     .f_files = cases[i].files,
                                     .f_ffree = cases[i].files_free,
                                     .f_favail = cases[i].files_free};
        struct weir_filesystem_facts facts = {.is_known = true};
        struct weir_room_facts room = {.is_known = true};

        weir_filesystem_count(&told, &facts);
        assert_int_equal(facts.bytes_total, cases[i].bytes_total);
        assert_int_equal(facts.inodes_total, cases[i].inodes_total);
        assert_int_equal(facts.inodes_used, cases[i].inodes_used);
        weir_room_count(&told, &room);
        assert_int_equal(room.bytes_free, cases[i].bytes_free);
        assert_int_equal(room.inodes_free, cases[i].inodes_free);
    }
}

static void a_path_that_is_not_there_yet_belongs_to_its_nearest_parent(void **state)
{
    static const struct {
        const char *path;
        const char *parent;
    } cases[] = {
        {"/proc/self/none", "/proc/self"},
        {"/none/of/these", "/"},
        {"none", "."},
        {"none/of/these", "."},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_filesystem_facts facts;
        struct weir_filesystem_facts expected;

        weir_filesystem_describe(cases[i].path, &facts);
        weir_filesystem_describe(cases[i].parent, &expected);
        assert_true(facts.is_known);
        assert_string_equal(facts.type, expected.type);
        assert_int_equal(facts.bytes_total, expected.bytes_total);
    }
}

static void nothing_is_known_of_a_path_that_no_system_call_takes(void **state)
{
    static char path[2 * PATH_MAX];
    struct weir_filesystem_facts facts;

    (void)state;
    memset(path, '/', sizeof path - 1);
    weir_filesystem_describe(path, &facts);
    assert_false(facts.is_known);
    assert_string_equal(facts.type, "");
    weir_filesystem_describe("", &facts);
    assert_true(facts.is_known); /* the directory that we are in */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_is_described_as_uname_does),
        cmocka_unit_test(proc_is_known_by_its_type),
        cmocka_unit_test(a_file_system_is_as_large_as_statfs_says),
        cmocka_unit_test(totals_that_cannot_be_right_are_unknown),
        cmocka_unit_test(a_path_that_is_not_there_yet_belongs_to_its_nearest_parent),
        cmocka_unit_test(nothing_is_known_of_a_path_that_no_system_call_takes),
    };

    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
