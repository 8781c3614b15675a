/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a sweep for people: behind our block, or alone. Lines begin as those of our block
 * do, so no script takes them for results. */
#include "sweep.h"
#include "trust/tables.h"

#include <stdio.h>
#include <string.h>

#define MB 1e6
#define ROW_COLUMNS (100 - 6) /* after "weir  " */

char *weir_sweep_rate(double rate, bool counts_ops, char buffer[WEIR_RATE_TEXT_BYTES])
{
    if (counts_ops) {
        snprintf(buffer, WEIR_RATE_TEXT_BYTES, rate < 100.0 ? "%.3g ops/s" : "%.0f ops/s", rate);
        return buffer;
    }
    return weir_rate_format(rate, "B/s", buffer);
}

/* ---- cells ---- */

/* Columns of the values of an axis. */
static int width_of(const struct weir_sweep_axis *axis)
{
    size_t width = strlen(axis->name);

    for (unsigned i = 0; i < axis->count; i++)
        if (strlen(axis->values[i]) > width)
            width = strlen(axis->values[i]);
    return (int)width;
}

static void add_percent(struct weir_text *line, const char *format, double share, bool is_known)
{
    char cell[32] = "-";

    if (is_known)
        snprintf(cell, sizeof cell, format, 100.0 * share);
    weir_text_add(line, " %10s", cell);
}

/* ---- lines ---- */

static bool has_sizes(const struct weir_plan *plan, const struct weir_sweep_table *table)
{
    return plan->sweep.total_bytes > 0 && table->moves_data;
}

static void add_header(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_sweep_table *table)
{
    const struct weir_sweep *sweep = &plan->sweep;
    struct weir_text line = {0};

    weir_trust_line(text, "%s", "");
    weir_trust_line(text, "sweep: %s", table->name);
    for (unsigned a = 0; a < sweep->axis_count; a++)
        weir_text_add(&line, "  %*s", width_of(&sweep->axes[a]), sweep->axes[a].name);
    weir_text_add(&line, "  %9s", "took part");
    if (has_sizes(plan, table))
        weir_text_add(&line, " %12s", "per rank");
    weir_text_add(&line, " %11s %10s %10s", table->counts_ops ? "ops/s" : "MB/s", "spread",
                  "change");
    if (table->has_efficiency)
        weir_text_add(&line, " %10s", "efficiency");
    if (table->has_latency)
        weir_text_add(&line, " %10s", "p99");
    if (table->limit > 0.0)
        weir_text_add(&line, " %10s", "of limit");
    weir_trust_line(text, "%s", weir_text_string(&line));
    weir_text_close(&line);
}

/* Names that do not fit into the line are counted: "* short, cpu-pressure +2". */
static void add_findings(struct weir_text *line, const char *names)
{
    size_t length = strlen(names);
    const char *comma;
    unsigned left_out = 0;

    while (line->length + 16 < ROW_COLUMNS &&
           line->length + strlen("  *  +99") + length > ROW_COLUMNS &&
           (comma = memrchr(names, ',', length)) != NULL) {
        length = (size_t)(comma - names);
        left_out++;
    }
    weir_text_add(line, "  * %.*s", (int)length, names);
    if (left_out > 0)
        weir_text_add(line, " +%u", left_out);
}

static void add_row(struct weir_text *text, const struct weir_plan *plan,
                    const struct weir_sweep_table *table, unsigned index)
{
    const struct weir_sweep *sweep = &plan->sweep;
    const struct weir_sweep_row *row = &table->rows[index];
    const struct weir_trend_step *step =
        &table->trends[index / table->group_size].steps[index % table->group_size];
    char size[WEIR_SIZE_TEXT_BYTES], ranks[16] = "-";
    struct weir_text line = {0};

    if (row->rank_count > 0)
        snprintf(ranks, sizeof ranks, "%u", row->rank_count);
    for (unsigned a = 0; a < sweep->axis_count; a++)
        weir_text_add(&line, "  %*s", width_of(&sweep->axes[a]), row->values[a]);
    weir_text_add(&line, "  %9s", ranks);
    if (has_sizes(plan, table))
        weir_text_add(&line, " %12s", weir_size_format(row->bytes_per_rank, size));
    if (row->count > 0)
        weir_text_add(&line, " %11.*f", table->counts_ops ? 1 : 2,
                      table->counts_ops ? step->median : step->median / MB);
    else
        weir_text_add(&line, " %11s", "-");
    add_percent(&line, "%.1f %%", step->spread, row->count > 1);
    add_percent(&line, "%+.1f %%", row->change - 1.0, row->change > 0.0);
    if (table->has_efficiency)
        add_percent(&line, "%.1f %%", row->efficiency, row->efficiency > 0.0);
    if (table->has_latency) {
        char duration[WEIR_DURATION_TEXT_BYTES];

        weir_text_add(&line, " %10s",
                      row->p99_s > 0.0 ? weir_duration_format(row->p99_s, duration) : "-");
    }
    if (table->limit > 0.0)
        add_percent(&line, "%.1f %%", row->of_limit, row->of_limit > 0.0);
    if (row->state != WEIR_SWEEP_COMPLETE && row->count > 0)
        weir_text_add(&line, "  %u of %u, others %s", row->count, row->planned_count,
                      weir_sweep_state_name(row->state));
    else if (row->state != WEIR_SWEEP_COMPLETE)
        weir_text_add(&line, "  %s", weir_sweep_state_name(row->state));
    if (row->findings != NULL)
        add_findings(&line, row->findings);
    weir_trust_line(text, "%s", weir_text_string(&line));
    weir_text_close(&line);
}

static void add_head(struct weir_text *text, const struct weir_sweep *sweep)
{
    char size[WEIR_SIZE_TEXT_BYTES], rate[WEIR_RATE_TEXT_BYTES];
    struct weir_text line = {0};

    weir_text_add(&line, "sweep over ");
    for (unsigned a = 0; a < sweep->axis_count; a++)
        weir_text_add(&line, "%s%s (%u value%s)", a > 0 ? " and " : "", sweep->axes[a].name,
                      sweep->axes[a].count, sweep->axes[a].count == 1 ? "" : "s");
    if (sweep->total_bytes > 0)
        weir_text_add(&line, ", %s split among the ranks",
                      weir_size_format(sweep->total_bytes, size));
    if (sweep->write_limit_per_s > 0.0)
        weir_text_add(&line, ", limit of writes %s",
                      weir_sweep_rate(sweep->write_limit_per_s, false, rate));
    if (sweep->read_limit_per_s > 0.0)
        weir_text_add(&line, ", limit of reads %s",
                      weir_sweep_rate(sweep->read_limit_per_s, false, rate));
    weir_trust_line(text, "%s", "");
    weir_trust_line(text, "%s", weir_text_string(&line));
    weir_trust_line(text, "rates are medians of the repetitions (MB: 10^6 bytes), spread is half "
                          "of their range; noise: the least difference between two steps that "
                          "counts, from the repetitions");
    weir_text_close(&line);
}

static bool has_findings(const struct weir_sweep_table *tables, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < tables[i].count; k++)
            if (tables[i].rows[k].findings != NULL)
                return true;
    return false;
}

void weir_sweep_report(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct weir_sweep_table *tables = weir_sweep_tables(&arena, plan, result, &count);
    struct weir_text lines = {0};

    if (plan->sweep.axis_count > 0)
        add_head(&lines, &plan->sweep);
    if (has_findings(tables, count))
        weir_trust_line(&lines, "* the step has findings, which bear on its rate%s",
                        weir_report_has_details(&plan->output)
                            ? ""
                            : "; their sentences: " WEIR_REMEDY_DETAILS);
    for (unsigned i = 0; i < count; i++) {
        add_header(&lines, plan, &tables[i]);
        for (unsigned k = 0; k < tables[i].count; k++) {
            if (k > 0 && k % tables[i].group_size == 0)
                weir_trust_line(&lines, "%s", "");
            add_row(&lines, plan, &tables[i], k);
        }
        weir_sweep_sentences(&lines, &tables[i], plan);
    }
    for (char *line = lines.data, *end; line != NULL && *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        weir_trust_broken(text, "", line);
    }
    weir_text_close(&lines);
    weir_arena_close(&arena);
}

/* ---- alone ---- */

const struct weir_reporter weir_reporter_sweep = {
    .name = "sweep",
    .is_text = true, /* the block has the table */
    .is_of_sweep = true,
    .openings = (const char *const[]){"weir  OK", "weir  CAUTION", "weir  UNVERIFIED",
                                      "weir  PARTIAL", "weir  DO NOT USE", "weir  WRONG DATA",
                                      "weir\nweir  sweep over ", NULL},
};

static const struct weir_reporter *const reporters[] = {&weir_reporter_sweep, NULL};

const struct weir_dialect_reports weir_sweep_reports = {.dialect = "sweep", .reporters = reporters};
