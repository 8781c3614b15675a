/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect mdtest. */
#include "mdtest.h"

#include "weir/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- saveRankPerformanceDetails ---- */

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
        if (held->cells == NULL) {
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
        if (held->rank_count == phase->rank_count) {
            /* Cells of what a rank did nothing of stay empty. */
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
    }
    /* Also if the last phase has no cells: the lines of a finished iteration are not held. */
    if (planned != NULL && planned == test->phases[test->phase_count - 1])
        end(held, text);
}

const struct weir_rank_csv_format weir_mdtest_rank_csv = {.header = header, .add = add, .end = end};

/* In mdtest's options. */
static const struct weir_remedy_word remedies[] = {
    {WEIR_REMEDY_DETAILS, "-v"},
    {WEIR_REMEDY_PATH, "-d"},
    {WEIR_REMEDY_BACKEND, "-a"},
    {WEIR_REMEDY_FILE_PER_RANK, "-u"},
    {WEIR_REMEDY_REMOVE, "-r"},
    {WEIR_REMEDY_KEEP, "-C"},
    {WEIR_REMEDY_WRITE, "-C"},
    {WEIR_REMEDY_READ, "-E"},
    {WEIR_REMEDY_TRANSFER_SIZE, "-w and -e"},
    {WEIR_REMEDY_REPETITIONS, "-i"},
    {WEIR_REMEDY_DEADLINE, "-W"},
    {WEIR_REMEDY_LONGER_PHASE, "-n"},
    {WEIR_REMEDY_SYNC, "-y"},
    {WEIR_REMEDY_SYNC_ALL, "-Y"},
    {WEIR_REMEDY_SHIFT_NODES, "-N 1"},
    {WEIR_REMEDY_SHIFT_DISTANCE, "-N"},
    {WEIR_REMEDY_PATTERN, "--dataPacketType"},
    {WEIR_REMEDY_SEED, "-G"},
    {WEIR_REMEDY_VERIFY_WRITES, "--verify-write"},
    {WEIR_REMEDY_VERIFY_READS, "--verify-read"},
    {WEIR_REMEDY_REPORT_FILE, "--summaryFile"},
    {WEIR_REMEDY_RANK_FILE, "--saveRankPerformanceDetails"},
    {WEIR_REMEDY_OP_FILES, "--savePerOpDataCSV"},
    {WEIR_REMEDY_STATUS_FILE, "-x"},
    {WEIR_REMEDY_STATUS_WRITER, "a run with -C and the same -x"},
    {0},
};

/* ---- the dialect ---- */

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
                                                         .remedies = remedies,
                                                         .rank_csv = &weir_mdtest_rank_csv,
                                                         .name_row = name_row};
