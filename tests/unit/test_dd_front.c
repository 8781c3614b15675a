/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and lists in dd's operands, as coreutils 9.1 reads them (tried there). */
#include "front/dd/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void numbers_are_those_of_dd(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
        bool is_in_bytes;
    } cases[] = {
        {"0", 0, false},
        {"010", 10, false},
        {"7c", 7, false},
        {"7w", 14, false},
        {"7b", 3584, false},
        {"10B", 10, true},
        {"1kB", 1000, true},
        {"1KB", 1000, true},
        {"1k", 1024, false},
        {"1K", 1024, false},
        {"1KiB", 1024, true},
        {"3MB", 3000000, true},
        {"3M", 3 << 20, false},
        {"3MiB", 3 << 20, true},
        {"2G", UINT64_C(2) << 30, false},
        {"2GB", UINT64_C(2000000000), true},
        {"1T", UINT64_C(1) << 40, false},
        {"1P", UINT64_C(1) << 50, false},
        {"7E", UINT64_C(7) << 60, false},
        {"2x512", 1024, false},
        {"1xM", 1 << 20, false},
        {"2x3xkB", 6000, true},
        {"2Bx3", 6, true},
        {"0x10", 0, false},
        {"9223372036854775807", INT64_MAX, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_dd_number number = {0};
        struct weir_error error = {0};

        assert_int_equal(weir_dd_number_read("bs", cases[i].text, &number, &error), 0);
        assert_int_equal(number.value, cases[i].value);
        assert_int_equal(number.is_in_bytes, cases[i].is_in_bytes);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const texts[] = {"",
                                        "x",
                                        "x2",
                                        "M",
                                        "-1",
                                        "+1",
                                        " 1",
                                        "1 ",
                                        "1m",
                                        "1g",
                                        "1t",
                                        "1Q",
                                        "1.5",
                                        "1kBB",
                                        "1xx2",
                                        "2x",
                                        "1KiBB",
                                        "8E",
                                        "2x5E",
                                        "1Mi",
                                        "9223372036854775808",
                                        "99999999999999999999"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct weir_dd_number number = {7, false};
        struct weir_error error = {0};

        assert_int_not_equal(weir_dd_number_read("bs", texts[i], &number, &error), 0);
        assert_int_equal(error.exit, WEIR_EXIT_USAGE);
        assert_int_equal(number.value, 7);
    }
}

static void words_of_a_list_are_whole(void **state)
{
    assert_true(weir_dd_list_has("direct", "direct"));
    assert_true(weir_dd_list_has("sync,direct", "direct"));
    assert_true(weir_dd_list_has("direct,sync", "direct"));
    assert_false(weir_dd_list_has("directory", "direct"));
    assert_false(weir_dd_list_has("dsync,fdatasync", "sync"));
    assert_false(weir_dd_list_has("", "sync"));
    assert_false(weir_dd_list_has(NULL, "sync"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_dd),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(words_of_a_list_are_whole),
    };

    return cmocka_run_group_tests_name("dd_front", tests, NULL, NULL);
}
