/* SPDX-License-Identifier: Apache-2.0 */
/* IOzone's lines of a test of several children: each blank and tab of them is what parsers know. */
#include "blocks.h"

#include "layout.h"

#include <string.h>

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

const char *weir_iozone_block_name(enum weir_iozone_test which)
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

static void add_children(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_phase_result *phase, struct units units)
{
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

static void add_rates(struct weir_text *text, const struct weir_test *test,
                      const struct weir_phase_result *phase, const struct line_words *line,
                      const struct weir_iozone_figures *figures, struct units units)
{
    const char *child = weir_iozone_is_set(test, "threads") ? "thread" : "process";
    const char *rate = units.rate;

    weir_text_add(text, "\tChildren see throughput for %*u %s%s= %10.2f %s\n", line->count_width,
                  phase->rank_count, line->name, line->children_gap, figures->children, rate);
    weir_text_add(text, "\tParent sees throughput for %*u %s%s= %10.2f %s\n", line->count_width,
                  phase->rank_count, line->name, line->parent_gap, figures->parent, rate);
    weir_text_add(text, "\tMin throughput per %s \t\t\t= %10.2f %s \n", child, figures->min, rate);
    weir_text_add(text, "\tMax throughput per %s \t\t\t= %10.2f %s\n", child, figures->max, rate);
    weir_text_add(text, "\tAvg throughput per %s \t\t\t= %10.2f %s\n", child, figures->mean, rate);
    weir_text_add(text, "\tMin xfer \t\t\t\t\t= %10.2f %s\n", figures->min_xfer, units.amount);
}

void weir_iozone_block(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result, const struct weir_phase_result *phase)
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
    add_rates(text, test, phase, line, &figures, units);
    if (weir_iozone_is_set(test, "cpu"))
        weir_text_add(text,
                      "\tCPU %s: Wall time %8.3f    CPU time %8.3f    CPU utilization %6.2f %%\n\n",
                      is_first(plan, result, phase) ? "Utilization" : "utilization", figures.wall_s,
                      figures.cpu_s, weir_iozone_cpu_percent(&figures));
    /* Figures of single ranks are there while their phase is the latest one. */
    if (weir_iozone_is_set(test, "child-lines") && phase->rows != NULL)
        add_children(text, plan, phase, units);
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

static void add_excel_row(struct weir_text *text, const struct weir_plan *plan,
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
            add_excel_row(text, plan, result, is_of_writes && !has_writes ? "" : lines[i].row,
                          lines[i].test, is_cpu);
    }
}

void weir_iozone_blocks_excel(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result)
{
    add_excel_table(text, plan, result, false);
    if (weir_iozone_is_set(plan->tests[0], "cpu"))
        add_excel_table(text, plan, result, true);
}
