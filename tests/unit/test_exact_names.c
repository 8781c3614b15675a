/* SPDX-License-Identifier: Apache-2.0 */
/* Exact names of files, held against the ranks that there are. */
#include "engine/check_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define PATHS_MAX 4

static void two_ranks_with_one_file_are_refused(void **state)
{
    static const struct {
        const char *paths[PATHS_MAX];
        size_t path_count;
        int ranks;
        uint64_t rank_limit;
        const char *refusal; /* NULL: taken */
    } cases[] = {
        {{"f"}, 1, 1, 0, NULL},
        {{"f"}, 1, 2, 0, "2 ranks need a file each"},
        {{"f"}, 1, 2, 1, NULL},
        {{"100%%"}, 1, 2, 0, "2 ranks need a file each"},
        {{"f%r"}, 1, 1000, 0, NULL},
        {{"a", "b", "c"}, 3, 3, 0, NULL},
        {{"a", "b", "c"}, 3, 4, 0, "4 ranks need a file each"},
        {{"a", "b", "c"}, 3, 9, 3, NULL},
        {{"a", "b", "c"}, 3, 2, 9, NULL},
        {{"a%r", "b"}, 2, 3, 0, "3 ranks need a file each"},
        {{"a%r", "b%r", "a%r"}, 3, 1000, 0, NULL},
        {{"%r", "1%r"}, 2, 200, 0, NULL}, /* even numbers, and others that end with odd ones */
        {{"x%r", "x1%r", "x%r", "x%r"}, 4, 11, 0, NULL},
        /* x11 is that of rank 1 and of rank 11. */
        {{"x%r", "x1%r", "x%r", "x%r"}, 4, 12, 0, "two of 12 ranks would have one file"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct weir_target target = {
            .paths = cases[i].paths, .path_count = cases[i].path_count, .has_exact_names = true};
        struct weir_phase phase = {.target = &target, .rank_limit = cases[i].rank_limit};
        struct weir_test test = {.dialect = "dd"};
        struct weir_group group = {.size = cases[i].ranks};
        struct weir_run run = {.test = &test, .group = &group};
        struct weir_error error = {0};
        int code = weir_check_files_differ(&run, &phase, &error);

        assert_int_equal(code != 0, cases[i].refusal != NULL);
        if (cases[i].refusal != NULL) {
            assert_int_equal(error.exit, WEIR_EXIT_USAGE);
            assert_non_null(strstr(error.text, cases[i].refusal));
        }
        target.has_exact_names = false; /* names have numbers behind them */
        assert_int_equal(weir_check_files_differ(&run, &phase, &(struct weir_error){0}), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_ranks_with_one_file_are_refused),
    };

    return cmocka_run_group_tests_name("exact_names", tests, NULL, NULL);
}
