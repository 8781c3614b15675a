/* SPDX-License-Identifier: Apache-2.0 */
/* A run on storage targets as a JSON document. Rates are in bytes per second. */
#include "ior/signature.h"
#include "json_report.h"
#include "rows.h"
#include "targets.h"

#include "weir/base/version.h"

static void put_rate(json_t *object, const struct weir_targets_rate *rate)
{
    weir_json_put_real(object, "mean", rate->mean);
    weir_json_put_real(object, "stddev", rate->stddev);
    weir_json_put_real(object, "min", rate->min);
    weir_json_put_real(object, "max", rate->max);
    weir_json_put_integer(object, "repetitions", rate->count);
}

static json_t *row_of(const struct weir_targets_table *table, const struct weir_targets_row *row)
{
    json_t *object = json_object();

    weir_json_put_text(object, "target", row->name);
    weir_json_put_integer(object, "TestID", row->test);
    put_rate(object, &row->rate);
    if (table->peers.median > 0.0)
        weir_json_put_real(object, "ofMedian", row->rate.mean / table->peers.median);
    if (table->limit > 0.0)
        weir_json_put_real(object, "ofLimit", row->rate.mean / table->limit);
    weir_json_put_text(object, "verdict", weir_targets_verdict(row->verdict));
    return object;
}

static json_t *table_of(const struct weir_targets_table *table)
{
    json_t *object = json_object(), *rows = json_array(), *together;

    for (unsigned i = 0; i < table->count; i++)
        json_array_append_new(rows, row_of(table, &table->rows[i]));
    weir_json_put_text(object, "access", weir_verb_name(table->verb));
    weir_json_put_value(object, "alone", rows);
    weir_json_put_real(object, "median", table->peers.median);
    weir_json_put_real(object, "usualFrom", table->peers.low);
    weir_json_put_real(object, "usualTo", table->peers.high);
    weir_json_put_value(object, "canTell", json_boolean(table->peers.can_tell));
    weir_json_put_value(object, "knowsNoise", json_boolean(table->peers.knows_noise));
    weir_json_put_value(object, "isWide", json_boolean(table->peers.is_wide));
    weir_json_put_real(object, "sumAlone", table->alone_sum);
    if (table->together.count == 0)
        return object;
    together = json_object();
    put_rate(together, &table->together);
    weir_json_put_real(together, "sum", table->together_sum);
    if (table->is_whole && table->alone_ranks_sum > 0.0)
        weir_json_put_real(together, "ofSumAlone", table->together_sum / table->alone_ranks_sum);
    if (table->limit_together > 0.0)
        weir_json_put_real(together, "ofLimit", table->together.mean / table->limit_together);
    weir_json_put_value(object, "together", together);
    return object;
}

static void end(struct weir_text *text, const struct weir_plan *plan,
                const struct weir_result *result)
{
    struct weir_arena arena = {0};
    unsigned count;
    const struct weir_targets_table *tables = weir_targets_tables(&arena, plan, result, &count);
    json_t *report = weir_json_begin(plan, result, WEIR_VERSION);
    json_t *list = json_array();

    for (unsigned i = 0; i < count; i++)
        json_array_append_new(list, table_of(&tables[i]));
    weir_json_put_value(report, "targets", list);
    weir_json_end(text, report, plan, result);
    weir_arena_close(&arena);
}

const struct weir_reporter weir_reporter_targets_json = {
    .name = "targets json",
    .is_document = true,
    .is_held = weir_ior_holds_json, /* the same first keys */
    .end = end,
};
