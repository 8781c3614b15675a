/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts what a sweep has measured by kind of phase and step. A kind is a name and, if a step has
 * phases of this name in several sizes, its number among them. */

#include "sweep.h"
#include "trust/tables.h"

#include "weir/measure/median.h"

#include <string.h>

#define PERCENTILE 0.99

/* More are no sweep that was run: a file may hold anything. */
#define STEPS_MAX (1u << 16)

/* A phase of the plan as a sweep sees it. */
struct sighting {
    const struct weir_test *test;
    const struct weir_phase *phase;
    const char *name;
    unsigned step;
    unsigned shape; /* number among the sizes of this name in its step */
};

struct view {
    struct weir_arena *arena;
    const struct weir_plan *plan;
    const struct weir_result *result;
    struct sighting *sightings;
    unsigned count;
    unsigned step_count;
    struct weir_histogram *latency; /* for merging */
};

/* ---- which phases ---- */

static bool is_shown(const struct weir_phase *phase)
{
    return !phase->is_check && !phase->is_prefill &&
           (weir_verb_moves_data(phase->verb) || weir_verb_works_on_trees(phase->verb));
}

static const char *name_of(struct weir_arena *arena, const struct weir_test *test,
                           const struct weir_phase *phase)
{
    const struct weir_dialect_reports *dialect = weir_report_dialect(test->dialect);
    struct weir_text text = {0};
    const char *name = NULL;

    if (dialect != NULL && dialect->name_phase != NULL)
        return dialect->name_phase(test, phase);
    weir_trust_add_phase(&text, phase);
    name = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return name;
}

static bool is_same_size(const struct weir_phase *one, const struct weir_phase *other)
{
    return one->transfers.layout.transfer_bytes == other->transfers.layout.transfer_bytes &&
           weir_layout_bytes_per_rank(&one->transfers.layout) ==
               weir_layout_bytes_per_rank(&other->transfers.layout) &&
           one->names.bytes == other->names.bytes;
}

static unsigned shape_of(const struct view *view, const struct sighting *sighting)
{
    unsigned shape = 0;

    for (unsigned i = 0; i < view->count; i++) {
        const struct sighting *earlier = &view->sightings[i];

        if (earlier->step != sighting->step || strcmp(earlier->name, sighting->name) != 0)
            continue;
        if (is_same_size(earlier->phase, sighting->phase))
            return earlier->shape;
        if (earlier->shape >= shape)
            shape = earlier->shape + 1;
    }
    return shape;
}

/* ---- what they found ---- */

static double bytes_rate(const struct weir_phase_result *found)
{
    return weir_figures_rate((double)found->byte_count, found->windows.total_s);
}

/* All rates are of the whole time, so that none is above what was done in it: sums of the ranks'
 * own rates, as IOzone tells them, can be several times as much where ranks take turns. */
static double rate_of(const struct sighting *sighting, const struct weir_phase_result *found,
                      bool counts_ops)
{
    if (!counts_ops)
        return bytes_rate(found);
    return weir_verb_moves_data(sighting->phase->verb)
               ? weir_figures_rate((double)found->op_count, found->windows.total_s)
               : weir_figures_ops_per_s(sighting->phase, found);
}

static bool counts_ops(const struct sighting *sighting)
{
    const struct weir_dialect_reports *dialect = weir_report_dialect(sighting->test->dialect);

    return !weir_verb_moves_data(sighting->phase->verb) ||
           (dialect != NULL && dialect->counts_ops != NULL && dialect->counts_ops(sighting->test));
}

static enum weir_sweep_state state_of(const struct weir_phase_result *found)
{
    if (found->failure[0] != '\0' || found->error_count > 0 || found->has_lost_bytes)
        return WEIR_SWEEP_FAILED;
    if (found->mismatches.wrong_transfers > 0)
        return WEIR_SWEEP_WRONG;
    if (found->is_interrupted || found->outcome == WEIR_OUTCOME_PARTIAL)
        return WEIR_SWEEP_INTERRUPTED;
    return found->outcome == WEIR_OUTCOME_SKIPPED ? WEIR_SWEEP_SKIPPED : WEIR_SWEEP_COMPLETE;
}

static void add_member(struct view *view, struct weir_sweep_table *table,
                       struct weir_sweep_row *row, const struct sighting *sighting,
                       const struct weir_phase_result *found)
{
    const struct weir_histogram *latency = found->response ? found->response : found->latency;
    enum weir_sweep_state state = state_of(found);
    double rate = 0.0;

    if (state == WEIR_SWEEP_COMPLETE && weir_figures_has_row(view->plan, found))
        rate = rate_of(sighting, found, table->counts_ops);
    if (rate > 0.0) {
        row->rates[row->count] = rate;
        row->bytes_per_s[row->count] = bytes_rate(found);
        if (row->count == 0 || rate < row->rate_min)
            row->rate_min = rate;
        if (row->count == 0 || rate > row->rate_max)
            row->rate_max = rate;
        row->count++;
        if (latency != NULL)
            weir_histogram_merge(view->latency, latency);
    } else if (state == WEIR_SWEEP_COMPLETE) {
        state = WEIR_SWEEP_FAILED; /* nothing was done, in no time */
    }
    if (state > row->state)
        row->state = state;
    if (found->rank_count > row->rank_count)
        row->rank_count = found->rank_count;
    if (found->node_count > row->node_count)
        row->node_count = found->node_count;
}

/* Those without a record are complete, and alike: the median is that of the others. */
static unsigned folded_count(const struct view *view, const struct sighting *sighting)
{
    const struct weir_phase_history *history =
        weir_result_history(view->result, sighting->test->number, sighting->phase->number);

    return history != NULL ? history->total_s.count : 0;
}

static bool is_member(const struct sighting *sighting, const struct weir_phase_result *found)
{
    return found->test == sighting->test->number && found->phase == sighting->phase->number;
}

static bool is_of_row(const struct sighting *sighting, const struct sighting *kind, unsigned step)
{
    return sighting->step == step && sighting->shape == kind->shape &&
           strcmp(sighting->name, kind->name) == 0;
}

/* All that ran of them. */
static unsigned count_members(const struct view *view, const struct sighting *kind, unsigned step)
{
    unsigned count = 0;

    for (unsigned i = 0; i < view->count; i++)
        for (unsigned k = 0;
             is_of_row(&view->sightings[i], kind, step) && k < view->result->phase_count; k++)
            count += is_member(&view->sightings[i], &view->result->phases[k]);
    return count;
}

static void fill_row(struct view *view, struct weir_sweep_table *table, struct weir_sweep_row *row,
                     const struct sighting *kind, unsigned step)
{
    size_t room = count_members(view, kind, step) * sizeof(double);
    struct weir_text findings = {0};
    unsigned folded = 0;

    row->rates = weir_arena_take(view->arena, room);
    row->bytes_per_s = weir_arena_take(view->arena, room);
    weir_histogram_clear(view->latency);
    for (unsigned i = 0; i < view->count; i++) {
        const struct sighting *sighting = &view->sightings[i];

        if (!is_of_row(sighting, kind, step))
            continue;
        row->planned_count +=
            sighting->test->interval_ppm > 0 ? 1 : (unsigned)sighting->test->repetitions;
        row->bytes_per_rank = weir_layout_bytes_per_rank(&sighting->phase->transfers.layout);
        folded += folded_count(view, sighting);
        for (unsigned k = 0; k < view->result->phase_count; k++) {
            const struct weir_phase_result *found = &view->result->phases[k];

            if (!is_member(sighting, found))
                continue;
            add_member(view, table, row, sighting, found);
            for (unsigned j = 0; j < found->finding_count; j++) {
                const char *name = found->findings[j].name, *at = weir_text_string(&findings);
                size_t length = strlen(name);
                bool is_there = found->findings[j].explained_by != NULL;

                for (; !is_there && *at != '\0'; at += strcspn(at, ","), at += strspn(at, ", "))
                    is_there = strcspn(at, ",") == length && strncmp(at, name, length) == 0;
                if (!is_there)
                    weir_text_add(&findings, "%s%s", findings.length > 0 ? ", " : "", name);
            }
            if (found->believed > row->believed)
                row->believed = found->believed;
        }
    }
    if (row->state == WEIR_SWEEP_COMPLETE &&
        (row->count == 0 || row->count + folded < row->planned_count))
        row->state = WEIR_SWEEP_MISSING;
    if (weir_histogram_has_quantile(view->latency, PERCENTILE))
        row->p99_s = (double)weir_histogram_percentile(view->latency, PERCENTILE) / 1e9;
    table->has_latency |= row->p99_s > 0.0;
    if (findings.length > 0)
        row->findings = weir_arena_copy(view->arena, findings.data);
    weir_text_close(&findings);
}

/* ---- from row to row ---- */

static double median_of(struct weir_arena *arena, const double values[], unsigned count)
{
    double *sorted = weir_arena_take(arena, count * sizeof *sorted);

    memcpy(sorted, values, count * sizeof *sorted);
    return weir_median_sort(sorted, count);
}

static const struct weir_trend_step *step_of(const struct weir_sweep_table *table, unsigned row)
{
    return &table->trends[row / table->group_size].steps[row % table->group_size];
}

/* The first axis along which ranks or nodes change; false: there is none. */
static bool find_scaling(const struct weir_sweep *sweep, unsigned *axis, bool *is_nodes)
{
    for (*axis = 0; *axis < sweep->axis_count; ++*axis) {
        const struct weir_sweep_axis *at = &sweep->axes[*axis];

        *is_nodes = strcmp(at->name, "nodes") == 0;
        if (at->count > 1 && (*is_nodes || strcmp(at->name, "ranks") == 0 ||
                              strcmp(at->name, "ranks-per-node") == 0))
            return true;
    }
    return false;
}

static double rate_of_each(const struct weir_sweep_table *table, unsigned row, bool is_nodes)
{
    const struct weir_sweep_row *at = &table->rows[row];
    unsigned parts = is_nodes ? at->node_count : at->rank_count;

    return parts > 0 ? step_of(table, row)->median / parts : 0.0;
}

/* Against the first row along the axis that has a rate, at the same value of the other axis. */
static void add_efficiency(struct weir_sweep_table *table, const struct weir_sweep *sweep)
{
    unsigned axis, stride, length;
    bool is_nodes;

    table->has_efficiency = find_scaling(sweep, &axis, &is_nodes);
    if (!table->has_efficiency)
        return;
    stride = axis + 1 == sweep->axis_count ? 1 : table->group_size;
    length = sweep->axes[axis].count;
    for (unsigned i = 0; i < table->count; i++) {
        unsigned first = i - i / stride % length * stride;

        while (first < i && table->rows[first].count == 0)
            first += stride;
        table->rows[i].efficiency = weir_figures_percent(rate_of_each(table, i, is_nodes),
                                                         rate_of_each(table, first, is_nodes)) /
                                    100.0;
    }
}

/* ---- tables ---- */

static double limit_of(const struct weir_sweep *sweep, const struct weir_phase *phase)
{
    if (!weir_verb_moves_data(phase->verb) || phase->verb == WEIR_MIXED)
        return 0.0;
    return weir_verb_writes(phase->verb) ? sweep->write_limit_per_s : sweep->read_limit_per_s;
}

static void make_table(struct weir_sweep_table *table, struct view *view,
                       const struct sighting *kind)
{
    const struct weir_sweep *sweep = &view->plan->sweep;
    unsigned inner = sweep->axis_count > 1 ? sweep->axes[1].count : 1;

    *table = (struct weir_sweep_table){.name = kind->name,
                                       .moves_data = weir_verb_moves_data(kind->phase->verb),
                                       .counts_ops = counts_ops(kind),
                                       .limit = limit_of(sweep, kind->phase),
                                       .count = view->step_count};
    if (kind->shape > 0)
        table->name = weir_arena_printf(view->arena, "%s (%u)", kind->name, kind->shape + 1);
    table->rows = weir_arena_take(view->arena, table->count * sizeof *table->rows);
    for (unsigned i = 0; i < table->count; i++) {
        struct weir_sweep_row *row = &table->rows[i];

        *row = (struct weir_sweep_row){.values = {sweep->axes[0].values[i / inner]}};
        if (sweep->axis_count > 1)
            row->values[1] = sweep->axes[1].values[i % inner];
        fill_row(view, table, row, kind, i);
    }
    table->group_count = sweep->axis_count > 1 ? sweep->axes[0].count : 1;
    table->group_size = table->count / table->group_count;
    table->trends = weir_arena_take(view->arena, table->group_count * sizeof *table->trends);
    for (unsigned g = 0; g < table->group_count; g++) {
        struct weir_trend *trend = &table->trends[g];

        trend->count = table->group_size;
        trend->steps = weir_arena_take(view->arena, trend->count * sizeof *trend->steps);
        for (unsigned i = 0; i < trend->count; i++) {
            const struct weir_sweep_row *row = &table->rows[g * table->group_size + i];

            trend->steps[i] = (struct weir_trend_step){.rates = row->rates, .count = row->count};
        }
        weir_trend_find(trend, view->arena);
    }
    add_efficiency(table, sweep);
    for (unsigned i = 0; i < table->count; i++) {
        struct weir_sweep_row *row = &table->rows[i];

        if (row->count == 0)
            continue;
        if (i % table->group_size > 0 && table->rows[i - 1].count > 0)
            row->change = step_of(table, i)->median / step_of(table, i - 1)->median;
        if (table->limit > 0.0)
            row->of_limit = median_of(view->arena, row->bytes_per_s, row->count) / table->limit;
    }
}

static bool is_first(const struct view *view, unsigned index)
{
    const struct sighting *kind = &view->sightings[index];

    for (unsigned i = 0; i < index; i++)
        if (is_of_row(&view->sightings[i], kind, view->sightings[i].step))
            return false;
    return true;
}

struct weir_sweep_table *weir_sweep_tables(struct weir_arena *arena, const struct weir_plan *plan,
                                           const struct weir_result *result, unsigned *count)
{
    const struct weir_sweep *sweep = &plan->sweep;
    struct view view = {.arena = arena, .plan = plan, .result = result, .step_count = 1};
    struct weir_sweep_table *tables;

    *count = 0;
    for (unsigned i = 0; i < sweep->axis_count && view.step_count > 0; i++)
        view.step_count = sweep->axes[i].count <= STEPS_MAX / view.step_count
                              ? view.step_count * sweep->axes[i].count
                              : 0;
    if (sweep->axis_count == 0 || view.step_count == 0)
        return NULL;
    view.sightings = weir_arena_take(arena, plan->phase_count * sizeof *view.sightings);
    view.latency = weir_arena_take(arena, sizeof *view.latency);
    weir_histogram_reset(view.latency);
    for (size_t i = 0; i < plan->test_count; i++) {
        for (size_t k = 0; k < plan->tests[i]->phase_count; k++) {
            struct sighting sighting = {.test = plan->tests[i],
                                        .phase = plan->tests[i]->phases[k],
                                        .step = plan->tests[i]->sweep_step};

            if (!is_shown(sighting.phase))
                continue;
            sighting.name = name_of(view.arena, plan->tests[i], sighting.phase);
            if (sighting.name == NULL)
                continue;
            sighting.shape = shape_of(&view, &sighting);
            view.sightings[view.count++] = sighting;
        }
    }
    tables = weir_arena_take(arena, (view.count + 1) * sizeof *tables);
    for (unsigned i = 0; i < view.count; i++)
        if (is_first(&view, i))
            make_table(&tables[(*count)++], &view, &view.sightings[i]);
    return tables;
}

const char *weir_sweep_state_name(enum weir_sweep_state state)
{
    static const char *const names[] = {"",           "missing", "skipped", "interrupted",
                                        "wrong data", "failed"};

    return names[state];
}
