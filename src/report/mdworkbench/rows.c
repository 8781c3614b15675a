/* SPDX-License-Identifier: Apache-2.0 */
/* md-workbench's numbers from what phases found. */
#include "rows.h"

#include "figures.h"
#include "mdtest/rows.h"

#include <math.h>
#include <string.h>

/* ---- which phases ---- */

static const enum weir_verb verbs[WEIR_MDWORKBENCH_OPS] = {WEIR_READ_FILE, WEIR_STAT, WEIR_CREATE,
                                                           WEIR_UNLINK};

static bool is_of_directories(const struct weir_phase *planned)
{
    return planned->names.item == NULL;
}

/* The phase before, which is the other one of the same line. */
static const struct weir_phase_result *partner_of(const struct weir_plan *plan,
                                                  const struct weir_result *result,
                                                  const struct weir_phase_result *phase,
                                                  enum weir_verb verb)
{
    const struct weir_phase_result *before = phase > result->phases ? phase - 1 : NULL;
    const struct weir_phase *planned = before != NULL ? weir_figures_phase(plan, before) : NULL;

    if (planned == NULL || before->test != phase->test || planned->verb != verb ||
        !weir_figures_has_row(plan, before))
        return NULL;
    return before;
}

static bool find_phases(const struct weir_plan *plan, const struct weir_result *result,
                        const struct weir_phase_result *phase, struct weir_mdworkbench_row *row)
{
    const struct weir_phase *planned = weir_figures_phase(plan, phase);

    if (planned == NULL || !weir_figures_has_row(plan, phase))
        return false;
    row->objects = phase;
    if (planned->verb == WEIR_CYCLE) {
        row->line = WEIR_MDWORKBENCH_BENCHMARK;
    } else if (planned->verb == WEIR_CREATE) {
        row->line = WEIR_MDWORKBENCH_PRECREATE;
        row->directories = partner_of(plan, result, phase, WEIR_MKDIR);
    } else if (planned->verb == WEIR_RMDIR && is_of_directories(planned)) {
        row->line = WEIR_MDWORKBENCH_CLEANUP;
        row->objects = partner_of(plan, result, phase, WEIR_UNLINK);
        row->directories = phase;
    } else {
        return false;
    }
    return row->objects != NULL;
}

double weir_mdworkbench_rounds(const struct weir_test *test)
{
    double rounds = 0;

    for (size_t i = 0; i < test->phase_count; i++)
        rounds += test->phases[i]->verb == WEIR_CYCLE;
    return rounds * (double)test->repetitions;
}

/* ---- what they found ---- */

/* Where the verb is among those of the phase; -1: nowhere. */
static int place_of(const struct weir_phase *planned, const struct weir_phase_result *objects,
                    enum weir_verb verb)
{
    for (unsigned i = 0; i < objects->verb_count; i++)
        if (objects->verbs[i].verb == verb)
            return (int)i;
    return planned->verb == verb ? 0 : -1;
}

static void take_op(const struct weir_phase *planned, int op, struct weir_mdworkbench_row *row)
{
    const struct weir_phase_result *objects = row->objects;
    int place = place_of(planned, objects, verbs[op]);
    const struct weir_histogram *latency;

    if (place < 0)
        return;
    latency = objects->verb_count > 0 ? objects->verbs[place].latency : objects->latency;
    row->done[op] = objects->verb_count > 0 ? objects->verbs[place].op_count : objects->op_count;
    row->is_timed[op] = latency != NULL;
    for (unsigned i = 0; latency != NULL && i < WEIR_QUANTILES; i++)
        row->quantile_ns[op][i] = weir_histogram_percentile(latency, weir_quantile_fractions[i]);
}

/* Of a task. */
static void take_op_of_rank(const struct weir_phase *planned, const struct weir_rank_times *times,
                            int op, struct weir_mdworkbench_row *part)
{
    int place = place_of(planned, part->objects, verbs[op]);

    if (place < 0)
        return;
    part->done[op] = times->op_count[place];
    part->is_timed[op] = true;
    memcpy(part->quantile_ns[op], times->ns[place], sizeof times->ns[place]);
}

static void add_up_ops(const struct weir_phase *planned, struct weir_mdworkbench_row *row)
{
    for (int op = 0; op < WEIR_MDWORKBENCH_OPS; op++)
        row->op_max_s = fmax(row->op_max_s, (double)row->quantile_ns[op][WEIR_QUANTILES - 1] / 1e9);
    row->object_count = row->done[planned->verb == WEIR_CYCLE    ? WEIR_MDWORKBENCH_STAT
                                  : planned->verb == WEIR_CREATE ? WEIR_MDWORKBENCH_CREATE
                                                                 : WEIR_MDWORKBENCH_DELETE];
}

static void take_times(struct weir_mdworkbench_row *row)
{
    const struct weir_phase_result *objects = row->objects;
    double ranks = objects->rank_count;

    if (row->directories != NULL)
        row->directories_s = row->directories->windows.total_s;
    row->max_s = row->directories_s + objects->windows.total_s;
    row->min_s = row->directories_s + objects->rank_s_min;
    row->mean_s = row->directories_s + objects->rank_s_mean;
    row->stddev_s = ranks > 1 ? objects->rank_s_stddev * sqrt(ranks / (ranks - 1)) : 0.0;
}

/* That of the task that came furthest. */
static uint64_t stonewall_iteration_of(const struct weir_phase *planned,
                                       const struct weir_stonewall *stonewall)
{
    uint64_t ops = planned->names.cycle_count * planned->target->tree->set_count;

    return stonewall->is_hit && ops > 0 ? (stonewall->ops_max + ops - 1) / ops : 0;
}

bool weir_mdworkbench_row(const struct weir_plan *plan, const struct weir_result *result,
                          const struct weir_phase_result *phase, struct weir_mdworkbench_row *row)
{
    const struct weir_phase *planned;

    *row = (struct weir_mdworkbench_row){.objects = NULL};
    if (!find_phases(plan, result, phase, row))
        return false;
    planned = weir_figures_phase(plan, row->objects);
    row->rows = row->objects == phase ? phase->rows : phase->earlier_rows;
    row->times = row->objects == phase ? phase->rank_times : phase->earlier_rank_times;
    for (int op = 0; op < WEIR_MDWORKBENCH_OPS; op++)
        take_op(planned, op, row);
    add_up_ops(planned, row);
    take_times(row);
    row->data_sets = row->directories != NULL ? row->directories->op_count : 0;
    row->op_count = row->objects->op_count + row->data_sets;
    row->error_count = row->objects->error_count +
                       (row->directories != NULL ? row->directories->error_count : 0) +
                       row->objects->mismatches.wrong_transfers;
    row->moved_bytes = (double)row->objects->byte_count;
    row->waiting = -1.0;
    if (weir_mdtest_is_set(plan->tests[phase->test], "adaptive-waiting") || planned->think_ppm > 0)
        row->waiting = planned->verb == WEIR_CYCLE ? (double)planned->think_ppm / 1e6 : -1.0;
    row->stonewall_iteration = stonewall_iteration_of(planned, &row->objects->stonewall);
    return true;
}

struct weir_mdworkbench_row weir_mdworkbench_row_of_rank(const struct weir_plan *plan,
                                                         const struct weir_mdworkbench_row *row,
                                                         unsigned rank)
{
    const struct weir_phase *planned = weir_figures_phase(plan, row->objects);
    const struct weir_rank_row *own = &row->rows[rank];
    int64_t ns = own->stamps_ns[WEIR_STAMP_MOVE_STOP] - own->stamps_ns[WEIR_STAMP_MOVE_START];
    struct weir_mdworkbench_row part = {
        .line = row->line,
        .objects = row->objects,
        .directories = row->directories,
        .data_sets = row->directories != NULL ? planned->target->tree->set_count : 0,
        .max_s = row->directories_s + (ns > 0 ? (double)ns / 1e9 : 0.0),
        .error_count = own->error_count,
        .moved_bytes = (double)own->byte_count,
        .waiting = row->waiting,
    };

    part.op_count = own->op_count + part.data_sets;
    for (int op = 0; op < WEIR_MDWORKBENCH_OPS; op++)
        take_op_of_rank(planned, &row->times[rank], op, &part);
    add_up_ops(planned, &part);
    return part;
}
