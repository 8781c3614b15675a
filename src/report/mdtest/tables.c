/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed parts are byte for byte those that parsers of mdtest know. */
#include "tables.h"

#include "layout.h"
#include "rows.h"

#include <string.h>

struct table {
    const struct weir_mdtest_layout *layout;
    const char *title;
    enum weir_mdtest_quantity quantity;
    bool has_ranks;
    bool is_done; /* all of the test */
};

/* Of what was not completed there is a table, but no "SUMMARY", which scripts take for success. */
static void add_head(struct weir_text *text, const struct table *table, uint64_t iterations)
{
    const char *blanks = table->layout->head;
    const char *of_what = table->title + strlen("SUMMARY");

    if (table->is_done)
        weir_text_add(text, "\n%s (of %llu iterations)\n", table->title,
                      (unsigned long long)iterations);
    else
        weir_text_add(text,
                      "\nINCOMPLETE%s (of %llu iterations, not all of which were completed)\n",
                      of_what, (unsigned long long)iterations);
    if (table->has_ranks)
        weir_text_add(text,
                      "   Operation     per Rank: Max            Min           Mean      "
                      "per Iteration: Max            Min           Mean        Std Dev\n"
                      "   ---------               ---            ---           ----                "
                      "      ---            ---           ----        -------\n");
    else
        weir_text_add(text,
                      "   Operation      %s               Max            Min           Mean        "
                      "Std Dev\n"
                      "   ---------      %s               ---            ---           ----        "
                      "-------\n",
                      blanks, blanks);
}

/* A table with columns of ranks holds them to the left of where names end in the other one. */
static void add_name(struct weir_text *text, const struct table *table, int row)
{
    const char *name = weir_mdtest_row_name(row);
    bool is_of_tree = weir_text_begins(name, "Tree ");

    if (table->layout->label_columns > 0)
        weir_text_add(text, "   %-*s: ", (int)table->layout->label_columns, name);
    else
        weir_text_add(text, "   %-*s ", table->has_ranks && !is_of_tree ? 18 : 22, name);
}

static void add_ranks(struct weir_text *text, const struct table *table, int row,
                      const struct weir_spread *ranks)
{
    bool is_of_tree = strncmp(weir_mdtest_row_name(row), "Tree ", strlen("Tree ")) == 0;

    if (table->has_ranks)
        weir_text_add(text, "%14.3f %14.3f %14.3f %s", ranks->max, ranks->min, ranks->mean,
                      is_of_tree || table->layout->label_columns > 0 ? "    " : "        ");
}

static void add_row(struct weir_text *text, const struct table *table, int row,
                    const struct weir_mdtest_summary *summary)
{
    const struct weir_spread *all = &summary->all[table->quantity];
    /* mdtest's tables have the rate of one tree, whose directories task 0 makes in its time. */
    double trees = table->quantity == WEIR_MDTEST_RATE && summary->trees > 1 ? summary->trees : 1.0;

    add_name(text, table, row);
    add_ranks(text, table, row, &summary->ranks[table->quantity]);
    weir_text_add(text, "%14.3f %14.3f %14.3f %14.3f\n", all->max / trees, all->min / trees,
                  all->mean / trees, all->stddev / trees);
}

/* 3.x renames no directories: what it does not know of has a row only if it was asked for. */
static bool is_shown(const struct weir_mdtest_layout *layout, const struct weir_test *test, int row)
{
    if (!layout->has_rename && row == WEIR_MDTEST_DIRECTORY_RENAME &&
        !weir_mdtest_is_set(test, "rename-dirs"))
        return false;
    return weir_mdtest_has_row(test, row);
}

static void add_table(struct weir_text *text, const struct table *table,
                      const struct weir_plan *plan, const struct weir_result *result,
                      const struct weir_test *test)
{
    add_head(text, table, weir_figures_repetitions(result, test));
    for (int row = 0; weir_mdtest_row_name(row) != NULL; row++) {
        struct weir_mdtest_summary summary;

        if (!is_shown(table->layout, test, row))
            continue;
        summary = weir_mdtest_summary(plan, result, test, row);
        add_row(text, table, row, &summary);
    }
}

void weir_mdtest_tables(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result, const struct weir_test *test)
{
    struct table table = {.layout = weir_mdtest_layout_of(plan),
                          .has_ranks = weir_mdtest_is_set(test, "showRankStatistics"),
                          .is_done = weir_mdtest_is_done(plan, result, test)};
    bool has_both = weir_mdtest_is_set(test, "print-rate-and-time");

    table.title = table.layout->rate_title;
    table.quantity = WEIR_MDTEST_RATE;
    if (has_both || !weir_mdtest_is_set(test, "print-time"))
        add_table(text, &table, plan, result, test);
    table.title = table.layout->time_title;
    table.quantity = table.layout->has_op_times ? WEIR_MDTEST_OP_MS : WEIR_MDTEST_SECONDS;
    if (has_both || weir_mdtest_is_set(test, "print-time"))
        add_table(text, &table, plan, result, test);
}
