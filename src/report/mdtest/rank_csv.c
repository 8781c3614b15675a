/* SPDX-License-Identifier: Apache-2.0 */
/* mdtest's saveRankPerformanceDetails: after each iteration a line for all ranks and one for each
 * of them, with a pair of columns for each test. */
#include "mdtest.h"
#include "rows.h"

#include "weir/base/memory.h"

#include <math.h>
#include <stdlib.h>

#define CELLS (2 * WEIR_MDTEST_ROWS) /* a rate and a time of each test */

/* In the order of the rows. */
static const char header[] =
    "rank,items,rate-Directory creation,time-Directory creation,rate-Directory stat,"
    "time-Directory stat,rate-Directory read,time-Directory read,rate-Directory rename,"
    "time-Directory rename,rate-Directory removal,time-Directory removal,rate-File creation,"
    "time-File creation,rate-File stat,time-File stat,rate-File read,time-File read,"
    "rate-File removal,time-File removal,rate-Tree creation,time-Tree creation,"
    "rate-Tree removal,time-Tree removal\n";

static void add_cells(struct weir_text *text, const double *cells)
{
    for (int i = 0; i < CELLS; i++)
        if (isnan(cells[i]))
            weir_text_add(text, ",");
        else
            weir_text_add(text, ",%.10e", cells[i]);
    weir_text_add(text, "\n");
}

static void end(struct weir_rank_csv *held, struct weir_text *text)
{
    if (held->cells != NULL) {
        weir_text_add(text, "all,%llu", (unsigned long long)held->items);
        add_cells(text, held->cells);
        for (unsigned rank = 0; rank < held->rank_count; rank++) {
            weir_text_add(text, "%u,", rank);
            add_cells(text, held->cells + ((size_t)rank + 1) * CELLS);
        }
        free(held->cells);
    }
    *held = (struct weir_rank_csv){0};
}

static void begin(struct weir_rank_csv *held, const struct weir_test *test,
                  const struct weir_phase_result *phase)
{
    size_t count = ((size_t)phase->rank_count + 1) * CELLS;

    *held = (struct weir_rank_csv){
        .iteration = phase->repetition,
        .rank_count = phase->rank_count,
        .items = weir_mdtest_items(test),
        .cells = weir_memory_grow(NULL, count * sizeof(double)),
    };
    for (size_t i = 0; i < count; i++)
        held->cells[i] = NAN;
}

/* Cells of what a rank did nothing of stay empty. */
static void fill(struct weir_rank_csv *held, const struct weir_plan *plan,
                 const struct weir_phase_result *phase, int row)
{
    struct weir_mdtest_figures figures = weir_mdtest_figures(plan, phase);
    uint64_t items = weir_mdtest_items_done(plan, phase);
    double *cells = held->cells + 2 * (size_t)row;

    if (items > 0)
        held->items = items;
    cells[0] = figures.all[WEIR_MDTEST_RATE];
    cells[1] = figures.all[WEIR_MDTEST_SECONDS];
    for (unsigned rank = 0; rank < held->rank_count; rank++) {
        cells += CELLS;
        if (phase->rows[rank].op_count > 0)
            weir_mdtest_of_rank(plan, phase, rank, &cells[0], &cells[1]);
    }
}

static void add(struct weir_rank_csv *held, struct weir_text *text, const struct weir_plan *plan,
                const struct weir_phase_result *phase)
{
    const struct weir_test *test = plan->tests[phase->test];
    const struct weir_phase *planned = weir_figures_phase(plan, phase);
    int row = planned != NULL ? weir_mdtest_row(planned) : -1;

    if (phase->rows && row >= 0 && row < WEIR_MDTEST_ROWS && weir_mdtest_is_shown(plan, phase) &&
        !weir_figures_has_failed(phase)) {
        if (held->cells != NULL && held->iteration != phase->repetition)
            end(held, text);
        if (held->cells == NULL)
            begin(held, test, phase);
        if (held->rank_count == phase->rank_count)
            fill(held, plan, phase, row);
    }
    /* Also if the last phase has no cells: the lines of a finished iteration are not held. */
    if (planned != NULL && planned == test->phases[test->phase_count - 1])
        end(held, text);
}

const struct weir_rank_csv_format weir_mdtest_rank_csv = {.header = header, .add = add, .end = end};
