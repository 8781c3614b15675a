/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep as lines of values: one for each phase and step. Rates are in bytes or operations per
 * second, shares in parts of 1; what is not known is empty. */
#include "rows.h"
#include "sweep.h"

#include <string.h>

static const char first_columns[] = "phase,step,";
static const char columns[] = ",rank_count,node_count,bytes_per_rank,repetitions,planned,unit,rate,"
                              "rate_min,rate_max,spread,change,efficiency,p99_s,of_limit,state,"
                              "findings,believed\n";

static bool holds_csv(const char *begin)
{
    return weir_text_begins(begin, first_columns) &&
           strstr(begin, ",rank_count,node_count,") != NULL;
}

static void begin(struct weir_text *text, const struct weir_plan *plan,
                  const struct weir_result *result)
{
    (void)result;
    weir_text_add(text, "%s", first_columns);
    for (unsigned a = 0; a < plan->sweep.axis_count; a++)
        weir_text_add(text, "%s%s", a > 0 ? "," : "", plan->sweep.axes[a].name);
    weir_text_add(text, "%s", columns);
}

/* In quotes if a comma or a quote is in it. */
static void add_word(struct weir_text *text, const char *word)
{
    if (strpbrk(word, ",\"\r\n") != NULL)
        weir_text_add_quoted(text, word);
    else
        weir_text_add(text, "%s", word);
    weir_text_add(text, ",");
}

static void add_number(struct weir_text *text, double value, bool is_known)
{
    if (is_known)
        weir_text_add(text, "%.9g", value);
    weir_text_add(text, ",");
}

static void add_line(struct weir_text *text, const struct weir_plan *plan,
                     const struct weir_sweep_table *table, unsigned index)
{
    const struct weir_sweep_row *row = &table->rows[index];
    const struct weir_trend_step *step =
        &table->trends[index / table->group_size].steps[index % table->group_size];

    add_word(text, table->name);
    weir_text_add(text, "%u,", index);
    for (unsigned a = 0; a < plan->sweep.axis_count; a++)
        add_word(text, row->values[a]);
    add_number(text, row->rank_count, row->rank_count > 0);
    add_number(text, row->node_count, row->node_count > 0);
    if (table->moves_data)
        weir_text_add(text, "%llu", (unsigned long long)row->bytes_per_rank);
    weir_text_add(text, ",%u,%u,%s,", row->count, row->planned_count,
                  table->counts_ops ? "ops/s" : "B/s");
    add_number(text, step->median, row->count > 0);
    add_number(text, row->rate_min, row->count > 0);
    add_number(text, row->rate_max, row->count > 0);
    add_number(text, step->spread, row->count > 1);
    add_number(text, row->change - 1.0, row->change > 0.0);
    add_number(text, row->efficiency, table->has_efficiency && row->efficiency > 0.0);
    add_number(text, row->p99_s, row->p99_s > 0.0);
    add_number(text, row->of_limit, row->of_limit > 0.0);
    add_word(text,
             row->state == WEIR_SWEEP_COMPLETE ? "complete" : weir_sweep_state_name(row->state));
    for (const char *name = row->findings; name != NULL && *name != '\0'; name++)
        if (*name != ' ')
            weir_text_add(text, "%c", *name == ',' ? ';' : *name);
    weir_text_add(text, ",%s\n", row->count > 0 ? weir_believed_names[row->believed] : "");
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct weir_sweep_table *tables = weir_sweep_tables(&arena, plan, result, &count);

    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < tables[i].count; k++)
            add_line(text, plan, &tables[i], k);
    weir_arena_close(&arena);
}

const struct weir_reporter weir_reporter_sweep_csv = {
    .name = "sweep csv",
    .is_of_sweep = true,
    .is_held = holds_csv,
    .begin = begin,
    .end = end,
};
