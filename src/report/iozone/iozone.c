/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of the dialect iozone: its text from 3.420 to 3.487, the file of -b, and remedies in
 * its options. The fixed parts are byte for byte those that parsers of it know; where it names its
 * authors, as many lines say what is other here, so that scripts that count lines find what they
 * look for. */
#include "dialect.h"

#include "weir/base/version.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers ---- */

/* In the order of the columns of a single stream. */
enum weir_iozone_test {
    WEIR_IOZONE_WRITE,
    WEIR_IOZONE_REWRITE,
    WEIR_IOZONE_READ,
    WEIR_IOZONE_REREAD,
    WEIR_IOZONE_RANDOM_READ,
    WEIR_IOZONE_RANDOM_WRITE,
    WEIR_IOZONE_BACKWARD,
    WEIR_IOZONE_RECORD_REWRITE,
    WEIR_IOZONE_STRIDE,
    WEIR_IOZONE_FWRITE,
    WEIR_IOZONE_FREWRITE,
    WEIR_IOZONE_FREAD,
    WEIR_IOZONE_FREREAD,
    WEIR_IOZONE_PWRITE,
    WEIR_IOZONE_REPWRITE,
    WEIR_IOZONE_PREAD,
    WEIR_IOZONE_REPREAD,
    WEIR_IOZONE_MIXED, /* throughput only: no column */
    WEIR_IOZONE_TESTS
};
#define WEIR_IOZONE_COLUMNS WEIR_IOZONE_MIXED

/* Rates and amounts in the unit of the run: kB (1024 bytes), or operations. */
struct weir_iozone_figures {
    double children; /* sum of the ranks' own rates */
    double parent;   /* all that was moved, until the last rank was done */
    double min;
    double max;
    double mean;
    double min_xfer;
    double wall_s;
    double cpu_s;
};

struct weir_iozone_layout {
    const char *name;    /* as output.style says it */
    const char *version; /* as the header says it */
    const char *kb;      /* kB */
    const char *kbyte;   /* kByte */
    /* the table's headings over its first six columns, those to the stride, those of stdio, and
     * those of -E: the first line, and the second */
    const char *heads[4][2];
    int file_width;
    int record_width;
    int widths[WEIR_IOZONE_COLUMNS]; /* of the values */
};

static const char *const names[WEIR_IOZONE_TESTS] = {
    "write",    "rewrite",        "read",     "reread", "random-read", "random-write",
    "backward", "record-rewrite", "stride",   "fwrite", "frewrite",    "fread",
    "freread",  "pwrite",         "repwrite", "pread",  "repread",     "mixed"};

/* ---- settings ---- */

static bool weir_iozone_is_set(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);

    return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

/* 0: there is none. */
static uint64_t weir_iozone_number(const struct weir_test *test, const char *key)
{
    const char *value = weir_test_setting(test, key);

    return value != NULL ? strtoull(value, NULL, 10) : 0;
}

static bool is(const struct weir_test *test, const char *key, const char *value)
{
    const char *own = weir_test_setting(test, key);

    return own != NULL && strcmp(own, value) == 0;
}

static bool weir_iozone_is_throughput(const struct weir_test *test)
{
    return is(test, "mode", "throughput");
}

static bool weir_iozone_counts_ops(const struct weir_test *test)
{
    return is(test, "unit", "ops");
}

/* Its tests are of the same row of the table. */
static bool weir_iozone_is_same_row(const struct weir_test *test, const struct weir_test *other)
{
    return test->sweep_step == other->sweep_step &&
           weir_iozone_number(test, "file-kb") == weir_iozone_number(other, "file-kb") &&
           weir_iozone_number(test, "record-kb") == weir_iozone_number(other, "record-kb") &&
           weir_iozone_number(test, "children") == weir_iozone_number(other, "children");
}

/* ---- which test ---- */

/* "random-read"; as the setting "tests" and our CSV and JSON have it. */
static const char *weir_iozone_name(enum weir_iozone_test test)
{
    return names[test];
}

static enum weir_iozone_test test_named(const char *word, size_t length)
{
    unsigned i = 0;

    while (i < WEIR_IOZONE_TESTS &&
           (strlen(names[i]) != length || strncmp(names[i], word, length) != 0))
        i++;
    return i;
}

/* Goes to the next word; NULL: there is none. */
static const char *next_word(const char *words, size_t *length)
{
    words += strspn(words, " ");
    *length = strcspn(words, " ");
    return *length > 0 ? words : NULL;
}

/* The setting "tests" of it names this test. */
static bool weir_iozone_selects(const struct weir_test *test, enum weir_iozone_test which)
{
    const char *word = weir_test_setting(test, "tests");
    size_t length;

    while (word != NULL && (word = next_word(word, &length)) != NULL) {
        if (test_named(word, length) == which)
            return true;
        word += length;
    }
    return false;
}

/* Some test of the plan in the row of this one does; ... */
static bool weir_iozone_row_selects(const struct weir_plan *plan, const struct weir_test *test,
                                    enum weir_iozone_test which)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (weir_iozone_is_same_row(plan->tests[i], test) &&
            weir_iozone_selects(plan->tests[i], which))
            return true;
    return false;
}

/* ... some test of the plan does. */
static bool weir_iozone_any_selects(const struct weir_plan *plan, enum weir_iozone_test which)
{
    for (unsigned i = 0; i < plan->test_count; i++)
        if (weir_iozone_selects(plan->tests[i], which))
            return true;
    return false;
}

/* What a phase is; WEIR_IOZONE_TESTS: nothing that has a number, as a removal. */
static enum weir_iozone_test weir_iozone_test_planned(const struct weir_test *test,
                                                      const struct weir_phase *phase)
{
    const char *word = weir_test_setting(test, "tests");
    size_t length = 0;

    for (size_t i = 0; word != NULL && i < test->phase_count; i++) {
        word = next_word(word + length, &length);
        if (word != NULL && test->phases[i] == phase)
            return test_named(word, length);
    }
    return WEIR_IOZONE_TESTS;
}

static enum weir_iozone_test weir_iozone_test_of(const struct weir_plan *plan,
                                                 const struct weir_phase_result *phase)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    return planned != NULL ? weir_iozone_test_planned(plan->tests[phase->test], planned)
                           : WEIR_IOZONE_TESTS;
}

/* Its number can be printed: nothing of it failed, and nothing that was read was wrong. */
static bool weir_iozone_has_number(const struct weir_plan *plan,
                                   const struct weir_phase_result *phase)
{
    return weir_figures_has_row(plan, phase) && !weir_figures_has_failed(phase) &&
           phase->failure[0] == '\0' && phase->mismatches.wrong_transfers == 0;
}

/* ---- numbers ---- */

/* Children begin after the barrier at which all have opened, so that the parent's time leaves the
 * open out, and has the sync and the close after the transfers in it. The time of one stream has
 * neither, but for the close of -c. */
static double wall_of(const struct weir_phase *planned, const struct weir_windows *windows)
{
    double wall_s = windows->total_s;

    if (!planned->transfers.has_inner_barriers)
        wall_s = windows->transfer_s + (planned->transfers.counts_close ? windows->close_s : 0.0);
    else if (windows->open_s < wall_s)
        wall_s -= windows->open_s;
    return wall_s;
}

static struct weir_iozone_figures weir_iozone_figures(const struct weir_plan *plan,
                                                      const struct weir_phase_result *phase)
{
    const struct weir_counted *counted = &phase->counted;
    bool is_ops = weir_iozone_counts_ops(plan->tests[phase->test]);
    double wall_s = wall_of(weir_figures_phase(plan, phase), &phase->windows);
    struct weir_iozone_figures figures = {.wall_s = wall_s, .cpu_s = counted->cpu_s};

    if (is_ops) {
        figures.children = counted->ops_per_s_sum;
        figures.min = counted->ops_per_s_min;
        figures.max = counted->ops_per_s_max;
        figures.min_xfer = (double)counted->ops_min;
        figures.parent = weir_figures_rate((double)phase->op_count, wall_s);
    } else {
        figures.children = counted->bytes_per_s_sum / WEIR_KIB;
        figures.min = counted->bytes_per_s_min / WEIR_KIB;
        figures.max = counted->bytes_per_s_max / WEIR_KIB;
        figures.min_xfer = (double)counted->bytes_min / WEIR_KIB;
        figures.parent = weir_figures_rate((double)phase->byte_count / WEIR_KIB, wall_s);
    }
    figures.mean = phase->rank_count > 0 ? figures.children / phase->rank_count : 0.0;
    return figures;
}

/* The same of one rank, whose row is there: `children` is its rate, `min_xfer` its amount. */
static struct weir_iozone_figures weir_iozone_child(const struct weir_plan *plan,
                                                    const struct weir_phase_result *phase,
                                                    unsigned rank)
{
    const struct weir_rank_row *row = &phase->rows[rank];
    bool is_ops = weir_iozone_counts_ops(plan->tests[phase->test]);
    double amount = is_ops ? (double)row->counted_ops : (double)row->counted_bytes / WEIR_KIB;
    struct weir_iozone_figures child = {
        .wall_s = (double)row->counted_ns / 1e9,
        .cpu_s = (double)(row->cpu_user_ns + row->cpu_system_ns) / 1e9,
        .min_xfer = amount,
    };

    child.children = weir_figures_rate(amount, child.wall_s);
    return child;
}

/* Processor time in per cent of the wall's; of several ranks it may be above 100. */
static double weir_iozone_cpu_percent(const struct weir_iozone_figures *figures)
{
    return weir_figures_percent(figures->cpu_s, figures->wall_s);
}

/* ---- versions ---- */

#define BLANKS_15 "               "
#define BLANKS_60 BLANKS_15 BLANKS_15 BLANKS_15 BLANKS_15

static const struct weir_iozone_layout layouts[] = {
    {"iozone 3.487", .version = "3.487", .kb = "kB", .kbyte = "kByte",
     .heads = {{BLANKS_60, "              kB  reclen    write  rewrite    read    reread"},
               {"  random    random     bkwd    record    stride",
                "    read     write     read   rewrite      read"},
               {BLANKS_15 BLANKS_15 "      ", "   fwrite frewrite    fread  freread"},
               {BLANKS_15 BLANKS_15 "     ", "  pwrite repwrite   pread   repread"}},
     .file_width = 16, .record_width = 8,
     .widths = {9, 9, 9, 9, 9, 9, 9, 10, 10, 9, 9, 9, 9, 9, 9, 8, 9}},
    {"3.420", .version = "3.420", .kb = "KB", .kbyte = "Kbyte",
     .heads = {{BLANKS_15 BLANKS_15 BLANKS_15 "             ",
                "              KB  reclen   write rewrite    read    reread"},
               {"  random  random    bkwd   record   stride",
                "    read   write    read  rewrite     read"},
               {BLANKS_15 BLANKS_15 "     ", "   fwrite frewrite   fread  freread"},
               {BLANKS_15 BLANKS_15 "     ", "  pwrite repwrite   pread   repread"}},
     .file_width = 16, .record_width = 8,
     .widths = {8, 8, 9, 9, 8, 8, 8, 9, 9, 9, 9, 8, 9, 9, 9, 8, 9}},
};

/* The row that the plan's output follows; of a style that is none of these or NULL, the newest.
 * Never NULL. */
static const struct weir_iozone_layout *weir_iozone_layout_of(const struct weir_plan *plan)
{
    const char *style = plan->output.style;

    for (size_t i = 0; style != NULL && i < sizeof layouts / sizeof *layouts; i++)
        if (strstr(style, layouts[i].version) != NULL)
            return &layouts[i];
    return &layouts[0];
}

/* ---- text ---- */

/* ---- the table of a single stream ---- */

/* A row for each size of file and record, which several tests of the plan make. What failed is
 * "failed", so that no reader takes it for a number. */

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

/* ---- a test of several children ---- */

struct line_words {
    enum weir_iozone_test test;
    const char *name;
    const char *children_gap; /* before the "=" of "Children see", and ... */
    const char *parent_gap;   /* ... of "Parent sees" */
    int count_width;
    const char *row; /* in Excel text */
};

/* In the order in which they run. */
static const struct line_words lines[] = {
    {WEIR_IOZONE_WRITE, "initial writers", " \t", " \t", 2, "Initial write"},
    {WEIR_IOZONE_REWRITE, "rewriters", " \t", " \t", 2, "Rewrite"},
    {WEIR_IOZONE_READ, "readers", " \t\t", " \t\t", 2, "Read"},
    {WEIR_IOZONE_REREAD, "re-readers", " \t", " \t", 1, "Re-read"},
    {WEIR_IOZONE_BACKWARD, "reverse readers", " \t", " \t", 1, "Reverse Read"},
    {WEIR_IOZONE_STRIDE, "stride readers", " \t", " \t", 1, "Stride read"},
    {WEIR_IOZONE_RANDOM_READ, "random readers", " \t", " \t", 1, "Random read"},
    {WEIR_IOZONE_MIXED, "mixed workload", " \t", " \t", 1, "Mixed workload"},
    {WEIR_IOZONE_RANDOM_WRITE, "random writers", " \t", " \t", 1, "Random write"},
    {WEIR_IOZONE_PWRITE, "pwrite writers", " \t", " \t", 1, "Pwrite"},
    {WEIR_IOZONE_PREAD, "pread readers", " \t", " \t", 1, "Pread"},
    {WEIR_IOZONE_FWRITE, "fwriters", " \t", " \t\t", 2, "Fwrite"},
    {WEIR_IOZONE_FREAD, "freaders", " \t", " \t\t", 2, "Fread"},
};
#define LINE_COUNT (sizeof lines / sizeof *lines)

/* NULL: throughput mode has no such test. */
static const struct line_words *line_of(enum weir_iozone_test which)
{
    for (size_t i = 0; i < LINE_COUNT; i++)
        if (lines[i].test == which)
            return &lines[i];
    return NULL;
}

/* "initial writers" */
static const char *weir_iozone_block_name(enum weir_iozone_test which)
{
    const struct line_words *line = line_of(which);

    return line != NULL ? line->name : weir_iozone_name(which);
}

/* ---- a block ---- */

struct units {
    const char *amount;
    const char *rate;
};

static struct units units_of(const struct weir_plan *plan, const struct weir_test *test)
{
    static const struct units ops = {"ops", "ops/sec"}, new = {"kB", "kB/sec"},
                              old = {"KB", "KB/sec"};

    if (weir_iozone_counts_ops(test))
        return ops;
    return weir_iozone_layout_of(plan)->kb[0] == 'K' ? old : new;
}

/* The first test of a run says "Utilization". */
static bool is_first(const struct weir_plan *plan, const struct weir_result *result,
                     const struct weir_phase_result *phase)
{
    for (const struct weir_phase_result *other = result->phases; other < phase; other++)
        if (weir_iozone_test_of(plan, other) != WEIR_IOZONE_TESTS)
            return false;
    return true;
}

/* The block of a phase that has a number. */
static void weir_iozone_block(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result,
                              const struct weir_phase_result *phase)
{
    const struct weir_test *test = plan->tests[phase->test];
    const struct line_words *line = line_of(weir_iozone_test_of(plan, phase));
    struct weir_iozone_figures figures = weir_iozone_figures(plan, phase);
    struct units units = units_of(plan, test);

    if (line == NULL)
        return;
    weir_text_add(text, "\n");
    if (weir_iozone_is_set(test, "clustered"))
        weir_text_add(text, "\tTest running:\n");

    const char *who = weir_iozone_is_set(test, "threads") ? "thread" : "process";
    const char *rate = units.rate;

    weir_text_add(text, "\tChildren see throughput for %*u %s%s= %10.2f %s\n", line->count_width,
                  phase->rank_count, line->name, line->children_gap, figures.children, rate);
    weir_text_add(text, "\tParent sees throughput for %*u %s%s= %10.2f %s\n", line->count_width,
                  phase->rank_count, line->name, line->parent_gap, figures.parent, rate);
    weir_text_add(text, "\tMin throughput per %s \t\t\t= %10.2f %s \n", who, figures.min, rate);
    weir_text_add(text, "\tMax throughput per %s \t\t\t= %10.2f %s\n", who, figures.max, rate);
    weir_text_add(text, "\tAvg throughput per %s \t\t\t= %10.2f %s\n", who, figures.mean, rate);
    weir_text_add(text, "\tMin xfer \t\t\t\t\t= %10.2f %s\n", figures.min_xfer, units.amount);

    if (weir_iozone_is_set(test, "cpu"))
        weir_text_add(text,
                      "\tCPU %s: Wall time %8.3f    CPU time %8.3f    CPU utilization %6.2f %%\n\n",
                      is_first(plan, result, phase) ? "Utilization" : "utilization", figures.wall_s,
                      figures.cpu_s, weir_iozone_cpu_percent(&figures));
    /* Figures of single ranks are there while their phase is the latest one. */
    if (weir_iozone_is_set(test, "child-lines") && phase->rows != NULL) {
        bool has_cpu = weir_iozone_is_set(plan->tests[phase->test], "cpu");

        for (unsigned rank = 0; rank < phase->rank_count; rank++) {
            struct weir_iozone_figures child = weir_iozone_child(plan, phase, rank);

            weir_text_add(text, "\tChild[%u] xfer count = %10.2f %s, Throughput = %10.2f %s", rank,
                          child.min_xfer, units.amount, child.children, units.rate);
            if (has_cpu)
                weir_text_add(text, ", wall=%6.3f, cpu=%6.3f, %%=%6.2f", child.wall_s, child.cpu_s,
                              weir_iozone_cpu_percent(&child));
            weir_text_add(text, "\n");
        }
    }
}

/* ---- Excel text ---- */

/* What this count of children did, with these sizes; NULL: it did not run. */
static const struct weir_phase_result *find_phase(const struct weir_plan *plan,
                                                  const struct weir_result *result,
                                                  const struct weir_test *test,
                                                  enum weir_iozone_test which)
{
    for (unsigned i = result->phase_count; i-- > 0;) {
        const struct weir_phase_result *phase = &result->phases[i];

        if (weir_iozone_test_of(plan, phase) == which &&
            weir_iozone_is_same_row(plan->tests[phase->test], test))
            return phase;
    }
    return NULL;
}

static void add_throughput_row(struct weir_text *text, const struct weir_plan *plan,
                               const struct weir_result *result, const char *name,
                               enum weir_iozone_test which, bool is_cpu)
{
    weir_text_add(text, "\"%15s \"", name);
    for (unsigned i = 0; i < plan->test_count; i++) {
        const struct weir_test *test = plan->tests[i];
        const struct weir_phase_result *phase = find_phase(plan, result, test, which);
        struct weir_iozone_figures figures = {0};

        if (i > 0 && weir_iozone_is_same_row(test, plan->tests[i - 1])) /* its second plan test */
            continue;
        if (weir_iozone_row_selects(plan, test, which)) {
            if (phase == NULL || !weir_iozone_has_number(plan, phase)) {
                weir_text_add(text, " %10s ", "failed");
                continue;
            }
            figures = weir_iozone_figures(plan, phase);
        }
        weir_text_add(text, " %10.2f ",
                      is_cpu ? weir_iozone_cpu_percent(&figures) : figures.children);
    }
    weir_text_add(text, "\n\n");
}

/* IOzone always has two rows of test 0: without it the second one has no name. */
static void add_excel_table(struct weir_text *text, const struct weir_plan *plan,
                            const struct weir_result *result, bool is_cpu)
{
    const struct weir_test *test = plan->tests[0];
    const char *kbyte = weir_iozone_layout_of(plan)->kbyte;
    bool has_writes = weir_iozone_any_selects(plan, WEIR_IOZONE_WRITE);

    weir_text_add(text,
                  "\n\"%s report Y-axis is type of test X-axis is number of %s\"\n"
                  "\"Record size = %llu %ss \"\n",
                  is_cpu ? "CPU utilization" : "Throughput",
                  weir_iozone_is_set(test, "threads") ? "threads" : "processes",
                  (unsigned long long)weir_iozone_number(test, "record-kb"), kbyte);
    if (is_cpu)
        weir_text_add(text, "\"Output is in CPU%%\"\n\n");
    else if (weir_iozone_counts_ops(test))
        weir_text_add(text, "\"Output is in ops/sec\"\n\n");
    else
        weir_text_add(text, "\"Output is in %ss/sec\"\n\n", kbyte);
    for (size_t i = 0; i < LINE_COUNT; i++) {
        bool is_of_writes = lines[i].test == WEIR_IOZONE_REWRITE;

        if (lines[i].test == WEIR_IOZONE_WRITE || is_of_writes ||
            weir_iozone_any_selects(plan, lines[i].test))
            add_throughput_row(text, plan, result, is_of_writes && !has_writes ? "" : lines[i].row,
                               lines[i].test, is_cpu);
    }
}

/* ---- the head ---- */

static const char about[] =
    "\tWeir " WEIR_VERSION " prints the lines of IOzone. What is other than there:\n"
    "\t             Children are MPI ranks, of one node or of many.\n"
    "\t             Parent sees all that was moved, over the time until the\n"
    "\t             last child was done, by synchronised clocks, on any\n"
    "\t             number of nodes.\n"
    "\t             Min throughput and Min xfer are those of the slowest\n"
    "\t             child, be they 0.\n"
    "\t             A test that failed has no number, and the run then\n"
    "\t             ends with a code that is not 0.\n";

/* The lines of the options, as the front end has them; older versions have other units. */
static void add_splash(struct weir_text *text, const struct weir_plan *plan)
{
    const char *line = weir_test_setting(plan->tests[0], "splash");
    const char *kb = weir_iozone_layout_of(plan)->kb;

    while (line != NULL && *line != '\0') {
        size_t length = strcspn(line, "\n");
        size_t begin;

        weir_text_add(text, "\t");
        begin = text->length;
        weir_text_add_bytes(text, line, length);
        weir_text_make_visible(text->data + begin, "\t");
        if (length > 3 && strcmp(text->data + text->length - 3, " kB") == 0)
            memcpy(text->data + text->length - 2, kb, 2);
        weir_text_add(text, "\n");
        line += length + (line[length] == '\n');
    }
}

/* The whole unit of an older version has another case: "Kbytes". */
static void add_settings(struct weir_text *text, const struct weir_plan *plan)
{
    const struct weir_test *test = plan->tests[0];
    const char *kbyte = weir_iozone_layout_of(plan)->kbyte;
    const char *unit = weir_test_setting(test, "unit");
    uint64_t cache_kb = weir_iozone_number(test, "cache-kb");
    uint64_t line_bytes = weir_iozone_number(test, "line-bytes");
    uint64_t stride = weir_iozone_number(test, "stride");

    if (unit == NULL || strcmp(unit, "kb") == 0)
        weir_text_add(text, "\tOutput is in %ss/sec\n", kbyte);
    for (const char *line = weir_test_setting(test, "compute-time"); line && *line != '\0';) {
        size_t length = strcspn(line, "\n");

        weir_text_add(text, "\tCompute time ");
        weir_text_add_bytes(text, line, length);
        weir_text_add(text, "\n");
        line += length + (line[length] == '\n');
    }
    weir_text_add(text,
                  "\tTime Resolution = 0.000001 seconds.\n"
                  "\tProcessor cache size set to %llu %ss.\n"
                  "\tProcessor cache line size set to %llu bytes.\n"
                  "\tFile stride size set to %llu * record size.\n",
                  (unsigned long long)(cache_kb > 0 ? cache_kb : 1024), kbyte,
                  (unsigned long long)(line_bytes > 0 ? line_bytes : 32),
                  (unsigned long long)(stride > 0 ? stride : 17));
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    char date[WEIR_DATE_BYTES];
    const char *system = result->host.system;

    weir_text_add(text,
                  "\tIozone: Performance Test of File I/O\n\t        Version $Revision: %s $\n",
                  weir_iozone_layout_of(plan)->version);
    weir_text_add(text, "\t\tCompiled for 64 bit mode.\n\t\tBuild: ");
    for (; *system != '\0'; system++)
        weir_text_add(text, "%c", tolower((unsigned char)*system));
    weir_text_add(text, "-%s \n",
                  strcmp(result->host.machine, "x86_64") == 0 ? "AMD64" : result->host.machine);
    weir_text_add(text, "\n%s\n", about);
    if (plan->test_count == 0)
        return;
    /* Options that the front end changed or ignored. */
    for (unsigned i = 0; i < plan->test_count; i++)
        weir_report_remarks(text, "\tNote: ", plan, plan->tests[i]);
    if (result->launch_mismatch != NULL)
        weir_report_sentence(text, "\tNote: ", result->launch_mismatch);
    weir_text_add(text, "\tRun began: %s\n\n", weir_date_format(result->begun_s, date));
    add_splash(text, plan);
    weir_text_add(text, "\tCommand line used:");
    for (size_t i = 0; i < plan->source.word_count; i++) {
        weir_text_add(text, " ");
        weir_text_add_visible(text, plan->source.words[i]);
    }
    weir_text_add(text, "\n");
    add_settings(text, plan);
    if (weir_iozone_is_throughput(plan->tests[0])) {
        const struct weir_test *test = plan->tests[0];
        uint64_t least = weir_iozone_number(test, "least-children"), shown = least;
        uint64_t most = weir_iozone_number(test, "most-children");
        bool has_threads = weir_iozone_is_set(test, "threads");

        if (least > 0)
            weir_text_add(text, "\tMin process = %llu \n\tMax process = %llu \n",
                          (unsigned long long)least, (unsigned long long)most);
        for (unsigned k = 0; least == 0 && k < plan->test_count; k++) {
            uint64_t children = weir_iozone_number(plan->tests[k], "children");

            shown = children > shown ? children : shown;
        }
        weir_text_add(text, "\tThroughput test with %llu %s\n", (unsigned long long)shown,
                      has_threads ? (shown == 1 ? "thread" : "threads")
                                  : (shown == 1 ? "process" : "processes"));
    } else {
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
}

/* ---- tests ---- */

/* Tests of the plan that make one row, or one count of children, follow one another. */
static bool is_last_of_row(const struct weir_plan *plan, const struct weir_test *test)
{
    return test->number + 1 >= plan->test_count ||
           !weir_iozone_is_same_row(test, plan->tests[test->number + 1]);
}

static bool is_first_of_row(const struct weir_plan *plan, const struct weir_test *test)
{
    return test->number == 0 || !weir_iozone_is_same_row(test, plan->tests[test->number - 1]);
}

static void test_begins(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test_result *begun)
{
    const struct weir_test *test = plan->tests[begun->test];
    const char *kbyte = weir_iozone_layout_of(plan)->kbyte;

    (void)result;
    if (is_first_of_row(plan, test))
        weir_report_room(text, "\tNote: ", begun);
    if (weir_iozone_is_throughput(test) && is_first_of_row(plan, test))
        weir_text_add(text, "\tEach %s writes a %llu %s file in %llu %s records\n",
                      weir_iozone_is_set(test, "threads") ? "thread" : "process",
                      (unsigned long long)weir_iozone_number(test, "file-kb"), kbyte,
                      (unsigned long long)weir_iozone_number(test, "record-kb"), kbyte);
}

static void phase_done(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
{
    if (weir_figures_phase(plan, phase) == NULL || phase->outcome == WEIR_OUTCOME_SKIPPED)
        return;
    if (phase->notes != NULL)
        weir_report_notes(text, phase);

    enum weir_iozone_test which = weir_iozone_test_of(plan, phase);
    const char *name =
        which < WEIR_IOZONE_TESTS ? weir_iozone_block_name(which) : "files of the test";

    if (phase->failure[0] != '\0') {
        weir_text_add(text, "ERROR: %s: ", name);
        weir_text_add_visible(text, phase->failure);
        weir_text_add(text, "\n");
    } else if (phase->outcome == WEIR_OUTCOME_PARTIAL) {
        weir_text_add(text, "WARNING: %s: %s after %llu operations\n", name,
                      weir_figures_has_failed(phase) ? "failed" : "interrupted",
                      (unsigned long long)phase->op_count);
    }
    if (phase->mismatches.wrong_transfers > 0)
        weir_text_add(text, "ERROR: %s: data of %llu operations are not those that were written\n",
                      name, (unsigned long long)phase->mismatches.wrong_transfers);

    if (weir_iozone_is_throughput(plan->tests[phase->test]) &&
        weir_iozone_test_of(plan, phase) != WEIR_IOZONE_TESTS &&
        weir_iozone_has_number(plan, phase))
        weir_iozone_block(text, plan, result, phase);
}

static void add_end_of_row(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_test *test)
{
    if (weir_iozone_is_throughput(test)) {
        weir_text_add(text, "\n\n");
    } else {
        /* The row that the tests around this one make, as far as they have come. */
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
}

static void test_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result, const struct weir_test_result *ended)
{
    const struct weir_test *test = plan->tests[ended->test];

    if (is_last_of_row(plan, test))
        add_end_of_row(text, plan, result, test);
}

/* ---- the end ---- */

/* Programs take these words for success. */
static bool is_complete(const struct weir_plan *plan, const struct weir_result *result)
{
    for (unsigned i = 0; i < result->phase_count; i++)
        if (weir_iozone_test_of(plan, &result->phases[i]) != WEIR_IOZONE_TESTS &&
            !weir_iozone_has_number(plan, &result->phases[i]))
            return false;
    return result->finished_s > 0.0 && result->test_count == plan->test_count &&
           result->phase_count > 0 && weir_result_judge(result) == WEIR_EXIT_DONE;
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    const struct weir_test *last =
        result->test_count > 0 ? plan->tests[result->tests[result->test_count - 1].test] : NULL;
    bool is_throughput, has_excel;

    if (last == NULL)
        return;
    is_throughput = weir_iozone_is_throughput(last);
    has_excel = weir_iozone_is_set(plan->tests[0], "excel");
    if (!is_last_of_row(plan, last)) /* the run was cut in the middle of a row */
        add_end_of_row(text, plan, result, last);
    if (is_throughput && has_excel) {
        add_excel_table(text, plan, result, false);
        if (weir_iozone_is_set(plan->tests[0], "cpu"))
            add_excel_table(text, plan, result, true);
    }
    if (is_complete(plan, result))
        weir_text_add(text, "\niozone test complete.\n");
    else
        weir_text_add(text, "\niozone: %s\n",
                      result->is_interrupted ? "interrupted" : "not all tests were done");
    if (!is_throughput && has_excel) {
        bool has_cpu = weir_iozone_is_set(plan->tests[0], "cpu");

        weir_text_add(text, "Excel output is below:\n");
        for (int is_cpu = 0; is_cpu <= has_cpu; is_cpu++)
            for (enum weir_iozone_test which = 0; which < WEIR_IOZONE_COLUMNS; which++)
                if (weir_iozone_any_selects(plan, which)) {
                    uint64_t record_kb = 0;

                    weir_text_add(text, "\n\"%s %sreport%s\"\n      ", titles[which],
                                  is_cpu ? "CPU utilization " : "",
                                  is_cpu ? " (Zero values should be ignored)" : "");
                    while ((record_kb = record_above(plan, record_kb)) != 0)
                        weir_text_add(text, "  \"%llu\"", (unsigned long long)record_kb);
                    weir_text_add(text, "\n");
                    for (unsigned i = 0; i < plan->test_count; i++)
                        if (is_first_of_file(plan, i))
                            add_excel_row(text, plan, result,
                                          weir_iozone_number(plan->tests[i], "file-kb"), which,
                                          is_cpu);
                }
    }
}

static const struct weir_reporter reporter = {
    .name = "iozone",
    .is_text = true,
    .openings = (const char *const[]){"\tIozone: Performance Test of File I/O\n", NULL},
    .begin = begin,
    .test_begins = test_begins,
    .phase_done = phase_done,
    .test_ends = test_ends,
    .end = end,
};

/* ---- the dialect ---- */

static const struct weir_reporter *const reporters[] = {&reporter, NULL};

/* `path` is the option that names the files of the test. */
#define REMEDIES(path)                                                                             \
    {                                                                                              \
        {WEIR_REMEDY_PATH, path}, {WEIR_REMEDY_BACKEND, "--backend"}, {WEIR_REMEDY_KEEP, "-w"},    \
            {WEIR_REMEDY_DEVICE, "weir ior --device allow"},                                       \
            {WEIR_REMEDY_DEVICE_FORCE, "weir ior --device force"},                                 \
            {WEIR_REMEDY_REPETITIONS, "the same command again"},                                   \
            {WEIR_REMEDY_USE_EXISTING, "-+N"}, {WEIR_REMEDY_WRITE, "-i 0"},                        \
            {WEIR_REMEDY_READ, "-i 1"}, {WEIR_REMEDY_TRANSFER_SIZE, "-r"},                         \
            {WEIR_REMEDY_BLOCK_SIZE, "-s"}, {WEIR_REMEDY_LESS_DATA, "-s"},                         \
            {WEIR_REMEDY_LONGER_PHASE, "-s"}, {WEIR_REMEDY_SYNC, "-e"},                            \
            {WEIR_REMEDY_SYNC_ALL, "-e"}, {WEIR_REMEDY_WEAR_OUT, "-x"},                            \
            {WEIR_REMEDY_BUFFERED, "leave -I (--direct) out"},                                     \
            {WEIR_REMEDY_SHIFT_NODES, "a later run with the hosts of -+m in another order"},       \
            {WEIR_REMEDY_FOREIGN_DATA, "-+E"},                                                     \
            {WEIR_REMEDY_UNKNOWN_DATA, "leave -V and -+d out, or read files of others with -+E"},  \
            {WEIR_REMEDY_PATTERN, "-V"}, {WEIR_REMEDY_VERIFY_READS, "-+d"},                        \
            {WEIR_REMEDY_REPORT_FILE, "--summaryFile"}, {WEIR_REMEDY_RANK_FILE, "-b"},             \
            {WEIR_REMEDY_OP_FILES, "-Q"}, {WEIR_REMEDY_HISTOGRAMS, "-+z"}, {0},                    \
    }

static const struct weir_remedy_word remedies[] = REMEDIES("-f");
static const struct weir_remedy_word remedies_of_children[] = REMEDIES("-F");
static const struct weir_remedy_word remedies_of_hosts[] = REMEDIES("-+m");

static const struct weir_remedy_word *remedies_of(const struct weir_test *test)
{
    if (weir_iozone_is_set(test, "clustered"))
        return remedies_of_hosts;
    return weir_iozone_is_throughput(test) ? remedies_of_children : remedies;
}

static double time_s(const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    return weir_iozone_figures(plan, phase).wall_s;
}

static const char *name_phase(const struct weir_test *test, const struct weir_phase *phase)
{
    enum weir_iozone_test which = weir_iozone_test_planned(test, phase);

    return which != WEIR_IOZONE_TESTS ? weir_iozone_name(which) : NULL;
}

/* What was moved until the last child was done, as its "Parent sees throughput" has it. */
static bool find_figure(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_shown_figure *figure)
{
    bool counts_ops = weir_iozone_counts_ops(plan->tests[phase->test]);

    (void)result;
    if (weir_iozone_test_of(plan, phase) == WEIR_IOZONE_TESTS ||
        !weir_iozone_has_number(plan, phase))
        return false;
    *figure = (struct weir_shown_figure){
        .value = weir_iozone_figures(plan, phase).parent,
        .unit = counts_ops ? "ops/s" : "kB/s",
        .decimals = weir_iozone_is_throughput(plan->tests[phase->test]) ? 2 : 0};
    return true;
}

/* ---- the file of -b ---- */

static const char header[] = "access,mode,unit,children,fileKB,recordKB,childrenSum,parent,min,max,"
                             "mean,minXfer,p50(us),p99(us),total(s),iter\n";

/* Empty if there are no times of single transfers, or too few of them. */
static void add_percentile(struct weir_text *text, const struct weir_histogram *latency,
                           double fraction)
{
    weir_text_add(text, ",");
    if (latency != NULL && weir_histogram_has_quantile(latency, fraction))
        weir_text_add(text, "%.3f", (double)weir_histogram_percentile(latency, fraction) / 1e3);
}

static void add_to_file(struct weir_rank_csv *held, struct weir_text *text,
                        const struct weir_plan *plan, const struct weir_phase_result *phase)
{
    struct weir_iozone_figures figures;

    (void)held;

    const struct weir_test *test = plan->tests[phase->test];
    const char *mode = weir_test_setting(test, "mode");
    enum weir_iozone_test which = weir_iozone_test_of(plan, phase);

    if (which == WEIR_IOZONE_TESTS || !weir_iozone_has_number(plan, phase))
        return;
    figures = weir_iozone_figures(plan, phase);
    weir_text_add(text, "%s,%s,%s,%u,%llu,%llu,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f",
                  weir_iozone_name(which), mode != NULL ? mode : "single",
                  weir_iozone_counts_ops(test) ? "ops" : "kB", phase->rank_count,
                  (unsigned long long)weir_iozone_number(test, "file-kb"),
                  (unsigned long long)weir_iozone_number(test, "record-kb"), figures.children,
                  figures.parent, figures.min, figures.max, figures.mean, figures.min_xfer);
    add_percentile(text, phase->latency, 0.5);
    add_percentile(text, phase->latency, 0.99);
    weir_text_add(text, ",%.9f,%u\n", figures.wall_s, phase->repetition);
}

/* The lines of the file of -b. */
static const struct weir_rank_csv_format rank_csv = {.header = header, .add = add_to_file};

/* ---- the dialect ---- */

const struct weir_dialect_reports weir_iozone_reports = {.dialect = "iozone",
                                                         .work = WEIR_WORKS_ON_FILES,
                                                         .reporters = reporters,
                                                         .remedies = remedies,
                                                         .remedies_of = remedies_of,
                                                         .rank_csv = &rank_csv,
                                                         .name_phase = name_phase,
                                                         .time_s = time_s,
                                                         .counts_ops = weir_iozone_counts_ops,
                                                         .find_figure = find_figure};
