/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's table of a single stream: a row for each size of file and record, which several tests of
 * the plan make. What failed is "failed", so that no reader takes it for a number. */
#include "table.h"

#include "layout.h"
#include "rows.h"

#include <string.h>

/* ---- which columns ---- */

/* Groups of columns: they are there or not as a whole. */
enum { STREAMS, OTHERS, STDIO, POSITIONED, GROUPS };
static const enum weir_iozone_test group_begins[GROUPS + 1] = {
    WEIR_IOZONE_WRITE, WEIR_IOZONE_RANDOM_READ, WEIR_IOZONE_FWRITE, WEIR_IOZONE_PWRITE,
    WEIR_IOZONE_COLUMNS};

static bool has_stdio(const struct weir_plan *plan)
{
    const struct weir_test *test = plan->tests[0];
    const char *backend = test->inner != NULL ? test->inner->name : test->backend->name;

    return strcmp(backend, "mmap") != 0 && strcmp(backend, "libaio") != 0;
}

static bool has_group(const struct weir_plan *plan, unsigned group)
{
    const struct weir_test *test = plan->tests[0];

    if (group == STREAMS)
        return true;
    if (weir_iozone_is_set(test, "short-table"))
        return false;
    if (group == STDIO)
        return has_stdio(plan);
    return group == POSITIONED ? weir_iozone_is_set(test, "has-pwrite") : true;
}

void weir_iozone_table_heads(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_iozone_layout *layout = weir_iozone_layout_of(plan);
    bool is_short = weir_iozone_is_set(plan->tests[0], "short-table");

    for (unsigned line = 0; line < 2; line++) {
        for (unsigned group = 0; group < GROUPS; group++) {
            if (has_group(plan, group))
                weir_text_add(text, "%s", layout->heads[group][line]);
            else if (group == STDIO && !is_short) /* its place stays empty */
                weir_text_add(text, "%*s", (int)strlen(layout->heads[group][line]), "");
        }
        weir_text_add(text, "\n");
    }
}

/* ---- values ---- */

struct cell {
    enum { EMPTY, ZERO, MISSING, FAILED, VALUE } kind; /* missing: the run ended before it */
    unsigned long long value;
    double cpu_percent;
};

/* A number of any size is one: a rate beyond all integers comes from a damaged file. */
static unsigned long long whole(double value)
{
    return value > 0.0 && value < 1e18 ? (unsigned long long)value : 0;
}

static struct cell cell_of(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    const char *unit = weir_test_setting(plan->tests[phase->test], "unit");
    struct weir_iozone_figures figures = weir_iozone_figures(plan, phase);
    double ops_per_s = phase->counted.ops_per_s_sum;
    struct cell cell = {.kind = VALUE, .value = whole(figures.children)};

    if (phase->outcome == WEIR_OUTCOME_SKIPPED)
        return (struct cell){.kind = MISSING};
    if (!weir_iozone_has_number(plan, phase))
        return (struct cell){.kind = FAILED};
    if (unit != NULL && strcmp(unit, "us") == 0)
        cell.value = ops_per_s > 0.0 ? whole(1e6 / ops_per_s) : 0;
    cell.cpu_percent = weir_iozone_cpu_percent(&figures);
    return cell;
}

/* The pass before it in the same test of IOzone; WEIR_IOZONE_TESTS: it is no second pass. */
static enum weir_iozone_test first_pass(enum weir_iozone_test which)
{
    switch (which) {
    case WEIR_IOZONE_REWRITE:
    case WEIR_IOZONE_REREAD:
    case WEIR_IOZONE_FREWRITE:
    case WEIR_IOZONE_FREREAD:
    case WEIR_IOZONE_REPWRITE:
    case WEIR_IOZONE_REPREAD:
        return which - 1;
    default:
        return WEIR_IOZONE_TESTS;
    }
}

/* All columns of the row of a test; of repetitions, the latest. */
static void find_cells(const struct weir_plan *plan, const struct weir_result *result,
                       const struct weir_test *test, struct cell cells[WEIR_IOZONE_COLUMNS])
{
    bool is_of_row = false;

    memset(cells, 0, WEIR_IOZONE_COLUMNS * sizeof *cells);
    for (unsigned i = 0; i < result->phase_count; i++) {
        const struct weir_phase_result *phase = &result->phases[i];
        enum weir_iozone_test which;

        if (i == 0 || phase->test != phase[-1].test) /* a result file may have any number */
            is_of_row = phase->test < plan->test_count &&
                        weir_iozone_is_same_row(plan->tests[phase->test], test);
        which = is_of_row ? weir_iozone_test_of(plan, phase) : WEIR_IOZONE_TESTS;
        if (which < WEIR_IOZONE_COLUMNS)
            cells[which] = cell_of(plan, phase);
    }
    for (enum weir_iozone_test which = 0; which < WEIR_IOZONE_COLUMNS; which++) {
        enum weir_iozone_test first = first_pass(which);

        if (cells[which].kind != EMPTY)
            continue;
        if (weir_iozone_row_selects(plan, test, which))
            cells[which].kind = MISSING;
        else if (first != WEIR_IOZONE_TESTS && weir_iozone_is_set(test, "no-retest") &&
                 weir_iozone_row_selects(plan, test, first))
            cells[which].kind = ZERO;
    }
}

static void add_cell(struct weir_text *text, const struct cell *cell, int width)
{
    if (cell->kind == EMPTY)
        weir_text_add(text, "%*s", width, "");
    else if (cell->kind == FAILED || cell->kind == MISSING)
        weir_text_add(text, "%*s", width, cell->kind == FAILED ? "failed" : "-");
    else
        weir_text_add(text, "%*llu", width, cell->value);
}

void weir_iozone_table_row(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test *test)
{
    const struct weir_iozone_layout *layout = weir_iozone_layout_of(plan);
    struct cell cells[WEIR_IOZONE_COLUMNS];

    find_cells(plan, result, test, cells);
    weir_text_add(text, "%*llu%*llu", layout->file_width,
                  (unsigned long long)weir_iozone_number(test, "file-kb"), layout->record_width,
                  (unsigned long long)weir_iozone_number(test, "record-kb"));
    for (unsigned group = 0; group < GROUPS; group++) {
        if (!has_group(plan, group))
            continue;
        for (enum weir_iozone_test which = group_begins[group]; which < group_begins[group + 1];
             which++) {
            /* The last column of stdio is one blank short when it is empty. */
            bool is_short = which == WEIR_IOZONE_FREREAD && cells[which].kind == EMPTY;

            add_cell(text, &cells[which], layout->widths[which] - is_short);
        }
    }
    weir_text_add(text, "\n");
}

/* ---- Excel text ---- */

static const char *const titles[WEIR_IOZONE_COLUMNS] = {
    "Writer",        "Re-writer",      "Reader",      "Re-Reader", "Random read", "Random write",
    "Backward read", "Record rewrite", "Stride read", "Fwrite",    "Re-Fwrite",   "Fread",
    "Re-Fread",      "Pwrite",         "Re-Pwrite",   "Pread",     "Re-Pread"};

/* 0: there is none. */
static uint64_t kb_of(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);
    uint64_t bytes;

    return value != NULL && weir_size_parse(value, &bytes) == 0 ? bytes / 1024 : 0;
}

/* The least size of record above this one in the whole run; 0: there is none. Where the settings
 * tell the sizes of auto mode, all between them, whether they were run or not. */
static uint64_t record_above(const struct weir_plan *plan, uint64_t below)
{
    const struct weir_test *first = plan->tests[0];
    uint64_t least = kb_of(first, "smallest-record"), most = kb_of(first, "largest-record");
    uint64_t growth = weir_iozone_number(first, "growth"), found = 0;

    if (least > 0 && most > 0) {
        found = below == 0 ? least : below * (growth > 1 ? growth : 2);
        return found <= most && found > below ? found : 0;
    }
    for (unsigned i = 0; i < plan->test_count; i++) {
        uint64_t kb = weir_iozone_number(plan->tests[i], "record-kb");

        if (kb > below && (found == 0 || kb < found))
            found = kb;
    }
    return found;
}

static void add_excel_cell(struct weir_text *text, const struct cell *cell, bool is_cpu)
{
    if (cell->kind == FAILED || cell->kind == MISSING)
        weir_text_add(text, " %s ", cell->kind == FAILED ? "failed" : "-");
    else if (is_cpu)
        weir_text_add(text, " %6.2f", cell->cpu_percent);
    else
        weir_text_add(text, " %llu ", cell->value);
}

/* The first plan test of these sizes; NULL: there is none. */
static const struct weir_test *test_of_sizes(const struct weir_plan *plan, uint64_t file_kb,
                                             uint64_t record_kb)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (weir_iozone_number(plan->tests[i], "file-kb") == file_kb &&
            weir_iozone_number(plan->tests[i], "record-kb") == record_kb)
            return plan->tests[i];
    return NULL;
}

/* In the order of the heading, whatever that of the command line: sizes of records that were left
 * out before the last one of the file are 0. */
static void add_excel_row(struct weir_text *text, const struct weir_plan *plan,
                          const struct weir_result *result, uint64_t file_kb,
                          enum weir_iozone_test which, bool is_cpu)
{
    static const struct cell nothing = {.kind = ZERO};
    uint64_t record_kb = 0, last = 0;

    while ((record_kb = record_above(plan, record_kb)) != 0)
        if (test_of_sizes(plan, file_kb, record_kb) != NULL)
            last = record_kb;
    weir_text_add(text, "\"%llu\"  ", (unsigned long long)file_kb);
    while (record_kb < last && (record_kb = record_above(plan, record_kb)) != 0) {
        const struct weir_test *test = test_of_sizes(plan, file_kb, record_kb);
        struct cell cells[WEIR_IOZONE_COLUMNS];

        if (test != NULL)
            find_cells(plan, result, test, cells);
        add_excel_cell(text, test != NULL ? &cells[which] : &nothing, is_cpu);
    }
    weir_text_add(text, "\n");
}

static bool is_first_of_file(const struct weir_plan *plan, unsigned test)
{
    uint64_t file_kb = weir_iozone_number(plan->tests[test], "file-kb");

    for (unsigned i = 0; i < test; i++)
        if (weir_iozone_number(plan->tests[i], "file-kb") == file_kb)
            return false;
    return true;
}

static void add_excel_report(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result, enum weir_iozone_test which,
                             bool is_cpu)
{
    uint64_t record_kb = 0;

    weir_text_add(text, "\n\"%s %sreport%s\"\n      ", titles[which],
                  is_cpu ? "CPU utilization " : "",
                  is_cpu ? " (Zero values should be ignored)" : "");
    while ((record_kb = record_above(plan, record_kb)) != 0)
        weir_text_add(text, "  \"%llu\"", (unsigned long long)record_kb);
    weir_text_add(text, "\n");
    for (unsigned i = 0; i < plan->test_count; i++)
        if (is_first_of_file(plan, i))
            add_excel_row(text, plan, result, weir_iozone_number(plan->tests[i], "file-kb"), which,
                          is_cpu);
}

void weir_iozone_table_excel(struct weir_text *text, const struct weir_plan *plan,
                             const struct weir_result *result)
{
    bool has_cpu = weir_iozone_is_set(plan->tests[0], "cpu");

    weir_text_add(text, "Excel output is below:\n");
    for (int is_cpu = 0; is_cpu <= has_cpu; is_cpu++)
        for (enum weir_iozone_test which = 0; which < WEIR_IOZONE_COLUMNS; which++)
            if (weir_iozone_any_selects(plan, which))
                add_excel_report(text, plan, result, which, is_cpu);
}
