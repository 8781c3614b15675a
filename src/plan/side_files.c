/* SPDX-License-Identifier: Apache-2.0 */
#include "weir/plan/side_files.h"

#include <stdio.h>
#include <stdlib.h>

static const char *directory_of(const struct weir_test *test, const char *rank)
{
    return test->side_directories != NULL && rank[0] != '%'
               ? test->side_directories[strtoul(rank, NULL, 10)]
               : "";
}

int weir_test_offset_file(const struct weir_test *test, const char *log_name, const char *rank,
                          char *name, size_t bytes)
{
    bool is_of_each = !test->op_csv_is_of_first;

    return snprintf(name, bytes, "%s%s%s%s%s.dat", directory_of(test, rank), test->op_csv_prefix,
                    is_of_each ? rank : "", is_of_each ? "_" : "", log_name);
}

int weir_test_latency_file(const struct weir_test *test, const char *rank, char *name, size_t bytes)
{
    return snprintf(name, bytes, "%s%s%s.txt", directory_of(test, rank),
                    test->rank_histogram_prefix, rank);
}
