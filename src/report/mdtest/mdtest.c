/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect mdtest. */
#include "mdtest.h"
#include "rows.h"

#include <stddef.h>
#include <string.h>

static const struct weir_reporter *const reporters[] = {&weir_reporter_mdtest, NULL};

static const char *name_row(const struct weir_test *test, const struct weir_phase *phase)
{
    int row = weir_mdtest_row(phase);

    (void)test;
    return row >= 0 ? weir_mdtest_row_name(row) : NULL;
}

const struct weir_dialect_reports weir_mdtest_reports = {.dialect = "mdtest",
                                                         .work = WEIR_WORKS_ON_TREES,
                                                         .reporters = reporters,
                                                         .remedies = weir_mdtest_remedies,
                                                         .rank_csv = &weir_mdtest_rank_csv,
                                                         .name_row = name_row};

/* ---- files of its own ---- */

/* The date, behind what it prints before that at -v and of a backend. */
bool weir_mdtest_holds_text(const char *line)
{
    while (line != NULL && !weir_text_begins(line, "-- started at ")) {
        if (!weir_text_begins(line, "V-1: Entering ") && !weir_text_begins(line, "WARNING: "))
            return false;
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return line != NULL;
}
