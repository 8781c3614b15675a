/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of values: one for each target and direction, and one for all together. Rates are in bytes
 * per second. */
#include "rows.h"
#include "targets.h"

static const char header[] =
    "target,access,scope,bytes/s,stddev,min,max,repetitions,of_median,verdict,of_limit\n";

static void add_rate(struct weir_text *text, const char *access, const char *scope,
                     const struct weir_targets_rate *rate)
{
    weir_text_add(text, ",%s,%s,%.0f,%.0f,%.0f,%.0f,%u", access, scope, rate->mean, rate->stddev,
                  rate->min, rate->max, rate->count);
}

/* With the share of what is wanted, or nothing. */
static void end_line(struct weir_text *text, double rate, double limit)
{
    if (limit > 0.0)
        weir_text_add(text, ",%.4f\n", rate / limit);
    else
        weir_text_add(text, ",\n");
}

/* Of means: it has no spread of its own. */
static void add_sum(struct weir_text *text, const char *access, const char *scope, double sum)
{
    weir_text_add(text, ",%s,%s,%.0f,,,,,,,\n", access, scope, sum);
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct weir_targets_table *tables = weir_targets_tables(&arena, plan, result, &count);

    for (unsigned i = 0; i < count; i++) {
        const struct weir_targets_table *table = &tables[i];
        const char *access = weir_verb_name(table->verb);

        for (unsigned k = 0; k < table->count; k++) {
            const struct weir_targets_row *row = &table->rows[k];
            double median = table->peers.median;

            weir_text_add_quoted(text, row->name);
            add_rate(text, access, "alone", &row->rate);
            weir_text_add(text, ",%.4f,%s", median > 0.0 ? row->rate.mean / median : 0.0,
                          weir_targets_verdict(row->verdict));
            end_line(text, row->rate.mean, table->limit);
        }
        add_sum(text, access, "alone_sum", table->alone_sum);
        if (table->together.count > 0) {
            add_sum(text, access, "together_sum", table->together_sum);
            add_rate(text, access, "together", &table->together);
            weir_text_add(text, ",,");
            end_line(text, table->together.mean, table->limit_together);
        }
    }
    weir_arena_close(&arena);
}

const struct weir_reporter weir_reporter_targets_csv = {
    .name = "targets csv",
    .header = header,
    .end = end,
};
