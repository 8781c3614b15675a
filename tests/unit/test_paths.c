/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of objects: what they are in, and which server they belong to. */
#include "network/objects/paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct weir_path path(const char *text)
{
    return (struct weir_path){text, strlen(text)};
}

static void a_path_is_a_directory_and_a_last_part(void **state)
{
    static const struct {
        const char *text, *trimmed, *directory, *last;
    } cases[] = {
        {"", "", "", ""},
        {"/", "", "", ""},
        {"///", "", "", ""},
        {"a", "a", "", "a"},
        {"/a", "/a", "", "a"},
        {"/a/", "/a", "", "a"},
        {"a/b", "a/b", "a", "b"},
        {"a//b//", "a//b", "a", "b"},
        {"/x/y/z", "/x/y/z", "/x/y", "z"},
        {"./x", "./x", ".", "x"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_path given = path(cases[i].text);

        assert_true(weir_path_is_same(weir_path_trim(given), path(cases[i].trimmed)));
        assert_true(weir_path_is_same(weir_path_directory(given), path(cases[i].directory)));
        assert_true(weir_path_is_same(weir_path_last(given), path(cases[i].last)));
    }
}

static void directories_that_differ_in_a_digit_spread(void **state)
{
    unsigned count[16] = {0};

    for (unsigned i = 0; i < 1600; i++) {
        char name[32], again[40];

        snprintf(name, sizeof name, "/scratch/mdtest.%08u", i);
        snprintf(again, sizeof again, "%s/", name);
        assert_int_equal(weir_path_server(path(name), 1), 0);
        assert_int_equal(weir_path_server(path(name), 16), weir_path_server(path(again), 16));
        count[weir_path_server(path(name), 16)]++;
    }
    for (unsigned i = 0; i < 16; i++)
        assert_in_range(count[i], 60, 150);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_a_directory_and_a_last_part),
        cmocka_unit_test(directories_that_differ_in_a_digit_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
