/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of the host against what the kernel says on other ways. */
#include "weir/system/host.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>
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
        cmocka_unit_test(a_path_that_is_not_there_yet_belongs_to_its_nearest_parent),
        cmocka_unit_test(nothing_is_known_of_a_path_that_no_system_call_takes),
    };

    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
