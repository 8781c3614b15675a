/* SPDX-License-Identifier: Apache-2.0 */
/* Figures, cases and dimensions of phases: of storage runs from plan and result, of weir net from
 * its records. */
#include "weir/report/measures.h"

#include "dialect.h"
#include "parabench/parabench.h"
#include "record/record.h"
#include "trust/tables.h"

#include "weir/base/version.h"
#include "weir/report/redact.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- figures ---- */

/* All that figures of a row are made of. NAN and NULL: not known, or not of this kind of work. */
struct inputs {
    double rate, ops;
    double time, open, transfer, close, overlap, cpu;
    double bytes, operations, errors, wrong, retransmits;
    double stonewall_rate, stonewall_time;
    double rank_rate_sum, rank_rate_min, rank_rate_max;
    double rank_time_min, rank_time_mean, rank_time_max;
    double cached, dirty;
    double median, longest; /* p50 and latency_max, where there is no histogram */
    const struct weir_histogram *latency, *response, *read, *write;
};

/* What a figure needs of a phase, as the plan says. */
#define TIMED 1u  /* not a check, a fill, or a removal of files */
#define WHOLE 2u  /* not one verb of a cycle */
#define BYTES 4u  /* it moves bytes, also in items of trees, or in calls of a program */
#define DATA 8u   /* it moves data */
#define READS 16u /* ... and looks for them in page caches before */
#define WRITES 32u
#define MIXED 64u
#define OPEN_LOOP 128u
#define DEADLINE 256u
#define VERIFIES 512u
#define NET 1024u

#define MEAN 2.0
#define MAXIMUM 3.0
#define VALUE(name_text, member, unit_text, is_better, kind_name, of_phase, text)                  \
    {                                                                                              \
        .name = (name_text), .unit = (unit_text), .is_more_better = (is_better),                   \
        .kind = WEIR_FIGURE_##kind_name, .meaning = (text),                                        \
        .offset = offsetof(struct inputs, member), .fraction = -1.0, .needs = (of_phase)           \
    }
#define LATENCY(name_text, member, which, of_phase, text)                                          \
    {                                                                                              \
        .name = (name_text), .unit = "s", .kind = WEIR_FIGURE_LATENCY, .meaning = (text),          \
        .offset = offsetof(struct inputs, member), .fraction = (which), .needs = (of_phase)        \
    }

const struct weir_figure_row weir_figure_rows[] = {
    VALUE("rate", rate, "bytes/s", true, RATE, TIMED | BYTES,
          "bytes of all ranks over the time of the phase"),
    VALUE("ops", ops, "1/s", true, RATE, TIMED,
          "operations of all ranks over the time of the phase"),
    LATENCY("p50", latency, 0.5, TIMED, "median time of an operation, from issue to completion"),
    LATENCY("p90", latency, 0.9, TIMED, "90 % quantile of the time of an operation"),
    LATENCY("p99", latency, 0.99, TIMED, "99 % quantile of the time of an operation"),
    LATENCY("p999", latency, 0.999, TIMED, "99.9 % quantile of the time of an operation"),
    LATENCY("latency_mean", latency, MEAN, TIMED, "mean time of an operation"),
    LATENCY("latency_max", latency, MAXIMUM, TIMED, "longest time of an operation"),
    LATENCY("response_p50", response, 0.5, TIMED | OPEN_LOOP,
            "median time from when an operation was due (--rate)"),
    LATENCY("response_p99", response, 0.99, TIMED | OPEN_LOOP,
            "99 % quantile of the time since it was due"),
    LATENCY("response_p999", response, 0.999, TIMED | OPEN_LOOP,
            "99.9 % quantile of the time since it was due"),
    LATENCY("response_max", response, MAXIMUM, TIMED | OPEN_LOOP,
            "longest time since an operation was due"),
    LATENCY("read_p50", read, 0.5, TIMED | MIXED, "median time of the reads of a mixed phase"),
    LATENCY("read_p99", read, 0.99, TIMED | MIXED, "99 % quantile of the time of these reads"),
    LATENCY("write_p50", write, 0.5, TIMED | MIXED, "median time of the writes of a mixed phase"),
    LATENCY("write_p99", write, 0.99, TIMED | MIXED, "99 % quantile of the time of these writes"),
    VALUE("time", time, "s", false, TIME, WHOLE,
          "time of the phase, as the rates count it: from the first open to "
          "the last close of a rank, in IOzone without opens"),
    VALUE("open", open, "s", false, TIME, TIMED | DATA, "first start to last end of opens"),
    VALUE("transfer", transfer, "s", false, TIME, TIMED | DATA,
          "first start to last end of transfers"),
    VALUE("close", close, "s", false, TIME, TIMED | DATA, "first start to last end of closes"),
    VALUE("overlap", overlap, "s", true, TIME, TIMED | DATA,
          "time in which all ranks were transferring"),
    VALUE("rank_time_min", rank_time_min, "s", false, TIME, TIMED | WHOLE,
          "transfer time of the fastest rank"),
    VALUE("rank_time_mean", rank_time_mean, "s", false, TIME, TIMED | WHOLE,
          "mean transfer time of the ranks"),
    VALUE("rank_time_max", rank_time_max, "s", false, TIME, TIMED | WHOLE,
          "transfer time of the slowest rank"),
    VALUE("cpu", cpu, "s", false, TIME, TIMED | WHOLE,
          "CPU time of all ranks while they transferred"),
    VALUE("bytes", bytes, "bytes", true, AMOUNT, BYTES, "bytes moved by all ranks"),
    VALUE("operations", operations, "1", true, AMOUNT, 0, "operations completed by all ranks"),
    VALUE("errors", errors, "1", false, AMOUNT, 0, "operations that failed"),
    VALUE("wrong", wrong, "1", false, AMOUNT, VERIFIES, "transfers that read wrong data"),
    VALUE("stonewall_rate", stonewall_rate, "bytes/s", true, RATE, TIMED | BYTES | DEADLINE,
          "rate until the stonewall"),
    VALUE("stonewall_time", stonewall_time, "s", false, TIME, TIMED | DEADLINE,
          "time until the stonewall"),
    VALUE("rank_rate_sum", rank_rate_sum, "bytes/s", true, RATE, TIMED | DATA,
          "sum of the ranks' own rates"),
    VALUE("rank_rate_min", rank_rate_min, "bytes/s", true, RATE, TIMED | DATA,
          "rate of the slowest rank"),
    VALUE("rank_rate_max", rank_rate_max, "bytes/s", true, RATE, TIMED | DATA,
          "rate of the fastest rank"),
    VALUE("cached", cached, "1", false, AMOUNT, TIMED | READS,
          "part of the data in page caches before a read"),
    VALUE("dirty", dirty, "1", false, AMOUNT, TIMED | WRITES,
          "part of the data not on storage after a write"),
    VALUE("retransmits", retransmits, "1", false, AMOUNT, NET, "segments that TCP sent again"),
    {0},
};
#define ROW_COUNT (sizeof weir_figure_rows / sizeof *weir_figure_rows - 1)

const struct weir_figure_row *weir_figure_find(const char *name)
{
    for (const struct weir_figure_row *row = weir_figure_rows; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

static unsigned needs_met(const struct weir_phase *planned, bool is_cycle_verb)
{
    const struct weir_names *names = &planned->names;
    unsigned met =
        planned->is_check || planned->is_prefill || planned->verb == WEIR_REMOVE ? 0 : TIMED;
    bool creates = planned->verb == WEIR_CREATE, reads = planned->verb == WEIR_READ_FILE;

    if (is_cycle_verb)
        return met;
    met |= WHOLE | (planned->rate.per_s > 0.0 ? OPEN_LOOP : 0) |
           (planned->stop.deadline_ns > 0 ? DEADLINE : 0);
    if (planned->program != NULL)
        return met | BYTES | WRITES | (planned->program->must_verify ? VERIFIES : 0);
    if (weir_verb_moves_data(planned->verb))
        return met | BYTES | DATA | (weir_verb_reads(planned->verb) ? READS : 0) |
               (weir_verb_writes(planned->verb) ? WRITES : 0) |
               (planned->verb == WEIR_MIXED ? MIXED : 0) |
               (planned->transfers.must_verify ? VERIFIES : 0);
    for (unsigned i = 0; i < names->cycle_count; i++) {
        creates |= names->cycle[i] == WEIR_CREATE;
        reads |= names->cycle[i] == WEIR_READ_FILE;
    }
    if (weir_verb_works_on_trees(planned->verb) && names->bytes > 0)
        met |= (creates || reads ? BYTES : 0) | (creates ? WRITES : 0) |
               (names->must_verify || names->must_verify_made ? VERIFIES : 0);
    return met;
}

bool weir_figure_is_of(const struct weir_figure_row *row, const struct weir_phase *planned,
                       bool is_cycle_verb)
{
    return (row->needs & ~needs_met(planned, is_cycle_verb)) == 0;
}

const struct weir_measured_figure *weir_measured_find(const struct weir_measured_phase *phase,
                                                      const char *name)
{
    for (unsigned i = 0; i < phase->figure_count; i++)
        if (strcmp(phase->figures[i].row->name, name) == 0)
            return &phase->figures[i];
    return NULL;
}

const struct weir_figure_row *weir_measured_default(const struct weir_measured_phase *phase)
{
    bool counts_ops = phase->planned != NULL && weir_verb_works_on_trees(phase->planned->verb);

    if (!counts_ops && weir_measured_find(phase, "rate") != NULL)
        return weir_figure_find("rate");
    if (weir_measured_find(phase, "ops") == NULL && weir_measured_find(phase, "p50") != NULL)
        return weir_figure_find("p50");
    return weir_figure_find("ops");
}

static struct inputs no_inputs(void)
{
    struct inputs inputs = {0};
    double *value = &inputs.rate;

    while (value <= &inputs.longest)
        *value++ = NAN;
    return inputs;
}

/* NAN if there are too few values for the figure of this row. */
static double quantile_of(const struct weir_figure_row *row, const struct weir_histogram *histogram)
{
    if (histogram == NULL || histogram->total == 0)
        return NAN;
    if (row->fraction == MEAN)
        return weir_histogram_mean_ns(histogram) / 1e9;
    if (row->fraction == MAXIMUM)
        return (double)histogram->max_ns / 1e9;
    if (!weir_histogram_has_quantile(histogram, row->fraction))
        return NAN;
    return (double)weir_histogram_percentile(histogram, row->fraction) / 1e9;
}

/* Only those of rows whose needs are `met`. */
static void set_figures(struct weir_arena *arena, struct weir_measured_phase *phase,
                        const struct inputs *inputs, unsigned met)
{
    struct weir_measured_figure figures[ROW_COUNT], *kept;
    unsigned count = 0;

    for (const struct weir_figure_row *row = weir_figure_rows; row->name != NULL; row++) {
        const char *member = (const char *)inputs + row->offset;
        struct weir_measured_figure figure = {.row = row, .n = 1};

        if (row->fraction < 0) {
            memcpy(&figure.value, member, sizeof figure.value);
        } else {
            const struct weir_histogram *histogram;

            memcpy(&histogram, member, sizeof histogram);
            figure.value = quantile_of(row, histogram);
            figure.n = histogram != NULL ? histogram->total : 1;
            if (histogram == NULL && row->offset == offsetof(struct inputs, latency))
                figure.value = row->fraction == 0.5       ? inputs->median
                               : row->fraction == MAXIMUM ? inputs->longest
                                                          : NAN;
            if (histogram == NULL && isfinite(figure.value) && inputs->operations >= 1.0 &&
                inputs->operations < 0x1p53)
                figure.n = (uint64_t)inputs->operations;
        }
        if ((row->needs & ~met) == 0 && isfinite(figure.value) &&
            figure.value >= 0.0) /* a damaged file may hold anything */
            figures[count++] = figure;
    }
    kept = weir_arena_take(arena, count * sizeof *kept);
    memcpy(kept, figures, count * sizeof *kept);
    phase->figures = kept;
    phase->figure_count = count;
}

static double or_nan(double value)
{
    return value > 0.0 ? value : NAN;
}

static double ratio(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

/* Rates are those of the dialect's own lines: over the time that these count. */
static struct inputs inputs_of(const struct weir_plan *plan, const struct weir_phase *planned,
                               const struct weir_phase_result *found)
{
    const struct weir_dialect_reports *dialect =
        weir_report_dialect(plan->tests[found->test]->dialect);
    const struct weir_stonewall *stonewall = &found->stonewall;
    bool has_own_time =
        dialect != NULL && dialect->time_s != NULL && weir_verb_moves_data(planned->verb);
    double time_s = has_own_time ? dialect->time_s(plan, found) : found->windows.total_s;
    struct inputs inputs = no_inputs();

    if (found->outcome == WEIR_OUTCOME_SKIPPED)
        return inputs;
    inputs.time = time_s;
    inputs.bytes = or_nan((double)found->byte_count);
    inputs.operations = (double)found->op_count;
    inputs.errors = (double)found->error_count;
    if (found->mismatches.checked_transfers > 0)
        inputs.wrong = (double)found->mismatches.wrong_transfers;
    inputs.rate = or_nan(weir_figures_rate((double)found->byte_count, time_s));
    inputs.ops = or_nan(weir_verb_works_on_trees(planned->verb)
                            ? weir_figures_ops_per_s(planned, found)
                            : weir_figures_rate((double)found->op_count, time_s));
    inputs.latency = found->latency;
    inputs.response = found->response;
    inputs.read = found->read_latency;
    inputs.write = found->write_latency;
    inputs.rank_time_min = or_nan(found->rank_s_min);
    inputs.rank_time_mean = or_nan(found->rank_s_mean);
    inputs.rank_time_max = or_nan(found->rank_s_max);
    inputs.cpu = or_nan(found->cpu_user_s + found->cpu_system_s);
    inputs.open = found->windows.open_s;
    inputs.transfer = found->windows.transfer_s;
    inputs.close = found->windows.close_s;
    inputs.overlap = found->common_s;
    inputs.rank_rate_sum = or_nan(found->counted.bytes_per_s_sum);
    inputs.rank_rate_min = or_nan(found->counted.bytes_per_s_min);
    inputs.rank_rate_max = or_nan(found->counted.bytes_per_s_max);
    if (stonewall->has_deadline && stonewall->seconds > 0.0) {
        inputs.stonewall_time = stonewall->seconds;
        inputs.stonewall_rate = or_nan(
            weir_figures_rate(stonewall->bytes_mean * found->rank_count, stonewall->seconds));
    }
    inputs.cached = ratio(found->residency.resident_bytes, found->residency.asked_bytes);
    inputs.dirty = ratio(found->dirty.unstored_bytes, found->dirty.asked_bytes);
    return inputs;
}

/* ---- dimensions ---- */

static const char *or_none(struct weir_arena *arena, const char *text)
{
    return text != NULL && text[0] != '\0' ? weir_arena_copy(arena, text) : "";
}

const char *weir_measures_layout(const struct weir_phase *planned)
{
    const struct weir_target *target = planned->target;

    if (target->tree != NULL)
        return target->tree->is_own ? "tree per process" : "shared tree";
    if (planned->program != NULL)
        return "";
    if (target->is_device)
        return target->is_shared ? "shared device" : "device per process";
    if (target->has_own_directory)
        return "directory per process";
    return target->is_shared ? "shared file" : "file per process";
}

const char *weir_measures_name_phase(struct weir_arena *arena, const struct weir_test *test,
                                     const struct weir_phase *planned)
{
    const struct weir_dialect_reports *dialect = weir_report_dialect(test->dialect);
    struct weir_text text = {0};
    const char *name = NULL;

    if (dialect != NULL && dialect->name_row != NULL)
        name = dialect->name_row(test, planned);
    else if (dialect != NULL && dialect->name_phase != NULL)
        name = dialect->name_phase(test, planned);
    if (name != NULL)
        return weir_arena_copy(arena, name);
    if (planned->is_check || planned->is_prefill || planned->verb == WEIR_REMOVE)
        return planned->is_check ? "check" : planned->is_prefill ? "fill" : "remove";
    weir_trust_add_phase(&text, planned);
    name = weir_arena_copy(arena, weir_text_string(&text));
    weir_text_close(&text);
    return name;
}

static const char *loops_of(struct weir_arena *arena, const struct weir_phase_result *found)
{
    struct weir_text text = {0};
    const char *loops;

    for (unsigned i = 0; i < found->loop_count; i++)
        weir_text_add(&text, "%s%" PRIu64, i > 0 ? "." : "", found->loops[i]);
    loops = or_none(arena, weir_text_string(&text));
    weir_text_close(&text);
    return loops;
}

static void set_storage(struct weir_arena *arena, struct weir_measured_phase *phase,
                        const struct weir_result *result)
{
    phase->path = phase->filesystem = phase->storage = phase->options = "";
    for (unsigned i = 0; i < result->test_count; i++) {
        const struct weir_test_result *begun = &result->tests[i];
        const struct weir_storage_facts *facts =
            begun->storage_count > 0 ? &begun->storages[0].facts : NULL;

        if (begun->test != phase->test)
            continue;
        phase->path = or_none(arena, begun->path);
        phase->filesystem = or_none(arena, begun->filesystem.type);
        if (facts == NULL || !facts->is_known)
            return;
        if (phase->filesystem[0] == '\0')
            phase->filesystem = or_none(arena, facts->type);
        phase->storage = or_none(arena, facts->source);
        phase->options = or_none(arena, facts->options);
        return;
    }
}

/* What carried the data of a client: the clause after provider and device in "provider tcp, device
 * eth0, TCP, ...", as describe_network() of the backend rdma composes it. */
static void set_transport(struct weir_arena *arena, struct weir_measured_phase *phase,
                          const struct weir_phase_result *found)
{
    const char *at = found->granted;

    phase->transport = "";
    if (at == NULL || strncmp(at, "provider ", strlen("provider ")) != 0)
        return;
    do {
        at = strstr(at, ", ");
        at = at != NULL ? at + 2 : "";
    } while (strncmp(at, "device ", strlen("device ")) == 0);
    phase->transport = weir_arena_printf(arena, "%.*s", (int)strcspn(at, ","), at);
}

/* The values of the axes in this step of the sweep, of which the first axis varies slowest. */
static const char *step_of(struct weir_arena *arena, const struct weir_sweep *sweep, unsigned step)
{
    const unsigned inner = sweep->axis_count > 1 ? sweep->axes[1].count : 1;
    struct weir_text text = {0};
    const char *values;

    for (unsigned i = 0; i < sweep->axis_count && inner > 0; i++) {
        const struct weir_sweep_axis *axis = &sweep->axes[i];
        unsigned place = i == 0 ? step / inner : step % inner;

        if (place < axis->count)
            weir_text_add(&text, "%s%s=%s", i > 0 ? " " : "", axis->name, axis->values[place]);
    }
    values = or_none(arena, weir_text_string(&text));
    weir_text_close(&text);
    return values;
}

/* The case of a part of a phase. */
static void set_case_of_part(struct weir_measured_phase *phase)
{
    struct weir_text text = {0};

    weir_text_add(&text, "%s %s %s", phase->case_id, phase->part, phase->name);
    snprintf(phase->case_id, sizeof phase->case_id, "%016" PRIx64,
             weir_text_hash(weir_text_string(&text), text.length));
    weir_text_close(&text);
}

/* ---- rows ---- */

static void set_phase(struct weir_arena *arena, struct weir_measured_phase *phase,
                      const struct weir_plan *plan, const struct weir_result *result,
                      const struct weir_phase_result *found)
{
    const struct weir_phase *planned = weir_figures_phase(plan, found);
    const struct weir_test *test = plan->tests[found->test];
    const struct inputs inputs = inputs_of(plan, planned, found);
    struct weir_text text = {0};

    phase->planned = planned;
    phase->found = found;
    phase->test = found->test;
    phase->phase = found->phase;
    phase->repetition = found->repetition;
    phase->loops = loops_of(arena, found);
    phase->begun_s = found->begun_s;
    phase->dialect = or_none(arena, test->dialect);
    phase->step = step_of(arena, &plan->sweep, test->sweep_step);
    phase->name = weir_measures_name_phase(arena, test, planned);
    phase->verb = weir_verb_name(planned->verb);
    phase->part = "";
    phase->backend = or_none(arena, test->label != NULL ? test->label : test->backend->label);
    phase->target = or_none(arena, test->peer);
    phase->layout = weir_measures_layout(planned);
    phase->pattern = "";
    if (weir_verb_moves_data(planned->verb)) {
        const struct weir_layout *layout = &planned->transfers.layout;

        phase->pattern = weir_record_order_names[layout->order];
        phase->transfer_bytes = layout->transfer_bytes;
        phase->block_bytes = layout->block_bytes;
        phase->segments = layout->segment_count;
    } else if (weir_verb_works_on_trees(planned->verb)) {
        phase->pattern = weir_record_order_names[planned->names.order];
        phase->transfer_bytes = planned->names.bytes;
        phase->items = weir_phase_items(planned);
    }
    phase->depth = found->depth;
    phase->ranks = found->rank_count;
    phase->nodes = found->node_count;
    set_storage(arena, phase, result);
    set_transport(arena, phase, found);
    if (planned->case_id[0] != '\0')
        memcpy(phase->case_id, planned->case_id, sizeof phase->case_id);
    else
        weir_plan_case_id(test, planned, phase->case_id);
    phase->outcome = found->outcome;
    phase->is_timed =
        (needs_met(planned, false) & TIMED) != 0 && (isfinite(inputs.rate) || isfinite(inputs.ops));
    phase->believed = found->believed;
    phase->believed_as = found->believed_as;

    struct weir_finding *list = weir_arena_take(arena, found->finding_count * sizeof *list);

    for (unsigned i = 0; i < found->finding_count; i++) {
        list[i] = found->findings[i];
        list[i].name = weir_arena_copy(arena, list[i].name);
        list[i].text = weir_arena_copy(arena, list[i].text);
        list[i].explained_by = weir_arena_copy(arena, list[i].explained_by);
    }
    weir_report_add_findings(&text, found);
    phase->findings = or_none(arena, weir_text_string(&text));
    phase->finding_list = list;
    phase->finding_count = found->finding_count;
    phase->failure = or_none(arena, found->failure);
    weir_text_close(&text);

    /* What was checked is told, whatever the plan says. */
    set_figures(arena, phase, &inputs,
                needs_met(planned, false) | (isfinite(inputs.wrong) ? VERIFIES : 0));
}

/* A row of one verb of a cycle. */
static void set_verb(struct weir_arena *arena, struct weir_measured_phase *phase,
                     const struct weir_verb_result *verb)
{
    struct inputs inputs = no_inputs();

    phase->part = "verb";
    phase->name = phase->verb = weir_verb_name((enum weir_verb)verb->verb);
    set_case_of_part(phase);
    inputs.operations = (double)verb->op_count;
    inputs.errors = (double)verb->error_count;
    inputs.latency = verb->latency;
    inputs.ops = or_nan(weir_figures_rate((double)verb->op_count, phase->found->windows.total_s));
    phase->is_timed = isfinite(inputs.ops);
    set_figures(arena, phase, &inputs, ~0u);
}

/* A row of one label of a program. */
static void set_label(struct weir_arena *arena, struct weir_measured_phase *phase,
                      const struct weir_label_result *label)
{
    struct inputs inputs = no_inputs();

    phase->part = "label";
    phase->name = or_none(arena, label->name);
    phase->ranks = label->rank_count;
    set_case_of_part(phase);
    inputs.time = or_nan(label->last_end_s - label->first_begin_s);
    inputs.rate = or_nan(weir_parabench_label_rate(label));
    inputs.ops = or_nan(weir_figures_rate((double)label->call_count, inputs.time));
    inputs.bytes = or_nan((double)label->byte_count);
    inputs.operations = (double)label->call_count;
    inputs.latency = label->duration;
    inputs.rank_time_min = or_nan(label->rank_s_min);
    inputs.rank_time_mean = or_nan(label->rank_s_mean);
    inputs.rank_time_max = or_nan(label->rank_s_max);
    inputs.dirty = ratio(label->unstored_bytes, label->written_asked_bytes);
    phase->is_timed = isfinite(inputs.time);
    set_figures(arena, phase, &inputs, ~0u);
}

struct weir_measured_phase *weir_measures_of_phase(struct weir_arena *arena,
                                                   const struct weir_measured_run *run,
                                                   const struct weir_phase_result *found,
                                                   unsigned *count)
{
    unsigned labels = found->program != NULL ? found->program->label_count : 0;
    unsigned verbs =
        found->verb_count < WEIR_VERB_RESULTS_MAX ? found->verb_count : WEIR_VERB_RESULTS_MAX;
    struct weir_measured_phase *rows = weir_arena_take(arena, (1 + labels + verbs) * sizeof *rows);

    *count = 0;
    if (weir_figures_phase(run->plan, found) == NULL)
        return rows;
    rows[0].run = run;
    set_phase(arena, &rows[(*count)++], run->plan, run->result, found);
    for (unsigned i = 0; i < verbs; i++) {
        rows[*count] = rows[0];
        set_verb(arena, &rows[(*count)++], &found->verbs[i]);
    }
    for (unsigned i = 0; i < labels; i++) {
        rows[*count] = rows[0];
        set_label(arena, &rows[(*count)++], &found->program->labels[i]);
    }
    return rows;
}

/* ---- runs ---- */

/* The text at this offset of the nodes' facts, if all nodes have the same. */
static const char *common_fact(struct weir_arena *arena, const struct weir_result *result,
                               size_t offset)
{
    const char *first = NULL;

    for (unsigned i = 0; i < result->node_group_count; i++) {
        const char *fact = (const char *)&result->node_groups[i].facts + offset;

        if (first != NULL && strcmp(first, fact) != 0)
            return "mixed";
        first = fact;
    }
    return or_none(arena, first);
}

static const char *memory_limit_of(struct weir_arena *arena, const struct weir_result *result)
{
    char size[WEIR_SIZE_TEXT_BYTES];
    uint64_t first = WEIR_UNLIMITED;

    for (unsigned i = 0; i < result->node_group_count; i++) {
        uint64_t bytes = result->node_groups[i].facts.memory_limit_bytes;

        if (i > 0 && bytes != first)
            return "mixed";
        first = bytes;
    }
    return first == WEIR_UNLIMITED || first == 0
               ? ""
               : weir_arena_copy(arena, weir_size_format_exact(first, size));
}

static const char *hosts_of(struct weir_arena *arena, const struct weir_result *result)
{
    struct weir_text text = {0};
    const char *hosts;

    for (unsigned i = 0; i < result->node_group_count; i++)
        weir_text_add(&text, "%s%s", i > 0 ? "," : "", result->node_groups[i].hosts);
    hosts = or_none(arena, text.length > 0 ? weir_text_string(&text) : result->host.node);
    weir_text_close(&text);
    return hosts;
}

/* "slurm job 123": not "slurm array job". */
static const char *job_of(struct weir_arena *arena, const struct weir_result *result)
{
    for (unsigned i = 0; i < result->job_count; i++) {
        const char *word = strchr(result->job[i].key, ' ');

        if (word != NULL && strcmp(word, " job") == 0)
            return weir_arena_printf(arena, "%s %s", result->job[i].key, result->job[i].value);
    }
    return "";
}

/* What plan and result, or the host of a run of weir net, say of a run. */
static void set_run(struct weir_arena *arena, struct weir_measured_run *run,
                    const struct weir_result *result)
{
    if (result->run_id != 0)
        snprintf(run->run_id, sizeof run->run_id, "%016" PRIx64, result->run_id);
    run->source = "";
    run->begun_s = result->begun_s;
    run->finished_s = result->finished_s;
    run->version = WEIR_VERSION;
    run->exit_reason = or_none(arena, result->exit_reason);
    run->job = job_of(arena, result);
    run->host = or_none(arena, result->host.node);
    run->hosts = hosts_of(arena, result);
    run->kernel = common_fact(arena, result, offsetof(struct weir_node_facts, kernel));
    if (run->kernel[0] == '\0')
        run->kernel = weir_arena_printf(arena, "%s %s %s", result->host.system,
                                        result->host.release, result->host.machine);
    run->distribution = common_fact(arena, result, offsetof(struct weir_node_facts, distribution));
    run->cpu_model = common_fact(arena, result, offsetof(struct weir_node_facts, cpu_model));
    run->governor = common_fact(arena, result, offsetof(struct weir_node_facts, governor));
    run->transparent_huge_pages =
        common_fact(arena, result, offsetof(struct weir_node_facts, transparent_huge_pages));
    run->container = common_fact(arena, result, offsetof(struct weir_node_facts, container));
    run->hypervisor = common_fact(arena, result, offsetof(struct weir_node_facts, hypervisor));
    run->clock_source = common_fact(arena, result, offsetof(struct weir_node_facts, clock_source));
    run->memory_limit = memory_limit_of(arena, result);
    run->mpi_library = or_none(arena, result->mpi_library);
    run->ranks = result->rank_count;
    for (unsigned i = 0; i < result->node_group_count; i++)
        run->nodes += result->node_groups[i].count;
    run->has_ended = result->finished_s > 0.0;
    run->is_interrupted = result->is_interrupted;
    run->exit_code = result->exit_code;
}

struct weir_measured_run *weir_measures_of_run(struct weir_arena *arena,
                                               const struct weir_plan *plan,
                                               const struct weir_result *result)
{
    struct weir_measured_run *run = weir_arena_take(arena, sizeof *run);
    struct weir_fact *tags = weir_arena_take(arena, plan->output.tag_count * sizeof *tags);

    set_run(arena, run, result);
    memcpy(run->plan_id, plan->id, sizeof run->plan_id);
    run->dialect = or_none(arena, plan->dialect);
    run->label = or_none(arena, plan->output.label);
    run->command = or_none(arena, plan->command_line);
    for (size_t i = 0; i < plan->output.tag_count; i++)
        tags[i] = (struct weir_fact){weir_arena_copy(arena, plan->output.tags[i].key),
                                     weir_arena_copy(arena, plan->output.tags[i].value)};
    run->tags = tags;
    run->tag_count = plan->output.tag_count;
    run->is_whole = weir_result_is_whole(result);
    run->believed = weir_result_believed(result);
    run->leaves_tests_out = result->left_out_tests > 0;
    run->plan = plan;
    run->result = result;
    return run;
}

struct weir_measured_run *weir_measures_of(struct weir_arena *arena, const struct weir_plan *plan,
                                           const struct weir_result *result)
{
    struct weir_measured_run *run = weir_measures_of_run(arena, plan, result);
    struct weir_measured_phase **rows =
        weir_arena_take(arena, (result->phase_count + 1) * sizeof *rows);
    unsigned *counts = weir_arena_take(arena, (result->phase_count + 1) * sizeof *counts);

    for (unsigned i = 0; i < result->phase_count; i++) {
        rows[i] = weir_measures_of_phase(arena, run, &result->phases[i], &counts[i]);
        run->phase_count += counts[i];
    }
    run->phases = weir_arena_take(arena, run->phase_count * sizeof *run->phases);
    run->phase_count = 0;
    for (unsigned i = 0; i < result->phase_count; i++) {
        memcpy(&run->phases[run->phase_count], rows[i], counts[i] * sizeof **rows);
        run->phase_count += counts[i];
    }
    return run;
}

/* ---- weir net ---- */

static const char *net_text(struct weir_arena *arena, const json_t *object, const char *key)
{
    return or_none(arena, json_string_value(json_object_get(object, key)));
}

static double net_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static uint64_t net_count(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (uint64_t)value : 0;
}

/* A row of one flow of a measurement. */
static void set_flow(struct weir_arena *arena, struct weir_measured_phase *phase,
                     const json_t *flow)
{
    struct inputs inputs = no_inputs();
    const char *failure = json_string_value(json_object_get(flow, "failure"));
    double seconds = net_number(flow, "seconds");
    bool is_latency = strncmp(phase->name, "latency", 7) == 0;

    phase->part = "pair";
    phase->target = weir_arena_printf(arena, "%" PRIu64 "->%" PRIu64, net_count(flow, "source"),
                                      net_count(flow, "sink"));
    phase->ranks = 2;
    set_case_of_part(phase);
    inputs.time = or_nan(seconds);
    inputs.bytes = net_number(flow, "bytes");
    inputs.operations = net_number(flow, "messages");
    inputs.errors = failure != NULL && failure[0] != '\0';
    inputs.wrong = net_number(flow, "wrong_messages");
    inputs.retransmits = net_number(flow, "retransmits");
    if (!is_latency)
        inputs.rate = or_nan(weir_figures_rate(inputs.bytes, seconds));
    inputs.ops = or_nan(weir_figures_rate(inputs.operations, seconds));
    inputs.median = or_nan(net_number(flow, "latency_median_s"));
    inputs.longest = or_nan(net_number(flow, "latency_max_s"));
    phase->failure = or_none(arena, failure);
    phase->outcome = inputs.errors > 0 ? WEIR_OUTCOME_PARTIAL : WEIR_OUTCOME_COMPLETE;
    phase->is_timed = isfinite(inputs.ops);
    set_figures(arena, phase, &inputs, ~0u);
}

/* All flows of a measurement together. */
static void set_measurement(struct weir_arena *arena, struct weir_measured_phase *phase,
                            const json_t *plan, const json_t *measured)
{
    const json_t *flows = json_object_get(measured, "flows"), *flow;
    const json_t *latency = json_object_get(measured, "latency");
    const char *measure = json_string_value(json_object_get(plan, "measure"));
    const bool is_alone = json_is_true(json_object_get(measured, "alone"));
    const bool is_latency = measure != NULL && strcmp(measure, "latency") == 0;
    struct weir_histogram *histogram = NULL;
    struct inputs inputs = no_inputs();
    const json_t *size;
    size_t i;
    char *text;

    phase->transfer_bytes = net_count(measured, "message_bytes");
    json_array_foreach(json_object_get(plan, "sizes"), i,
                       size) if ((uint64_t)json_integer_value(size) == phase->transfer_bytes)
        phase->phase = (unsigned)i;
    phase->repetition = (unsigned)net_count(measured, "repetition");
    phase->loops = weir_arena_printf(arena, "%" PRIu64, net_count(measured, "round"));
    phase->name = weir_arena_printf(arena, "%s%s", phase->verb, is_alone ? " alone" : "");

    /* What was asked for, without what makes several measurements of one plan. */
    json_t *work = json_copy((json_t *)plan);

    json_object_del(work, "sizes");
    json_object_del(work, "repetitions");
    json_object_set(work, "message_bytes", json_object_get(measured, "message_bytes"));
    json_object_set(work, "alone", json_object_get(measured, "alone"));
    text = json_dumps(work, JSON_COMPACT | JSON_SORT_KEYS);
    snprintf(phase->case_id, sizeof phase->case_id, "%016" PRIx64,
             weir_text_hash(text != NULL ? text : "", text != NULL ? strlen(text) : 0));
    free(text);
    json_decref(work);

    inputs.bytes = inputs.operations = inputs.errors = inputs.wrong = 0;
    json_array_foreach(flows, i, flow)
    {
        const char *failure = json_string_value(json_object_get(flow, "failure"));

        inputs.bytes += (double)net_count(flow, "bytes");
        inputs.operations += (double)net_count(flow, "messages");
        inputs.wrong += (double)net_count(flow, "wrong_messages");
        inputs.errors += failure != NULL && failure[0] != '\0';
    }
    inputs.time = or_nan(net_number(measured, "seconds"));
    inputs.overlap = net_number(measured, "overlap_s");
    inputs.cpu = or_nan(net_number(measured, "cpu_s"));
    if (json_is_object(json_object_get(measured, "totals"))) {
        const json_t *totals = json_object_get(measured, "totals");

        inputs.operations = net_number(totals, "messages");
        inputs.errors = net_number(totals, "failed");
        inputs.wrong = net_number(totals, "wrong_messages");
        inputs.retransmits = net_number(totals, "retransmits");
        inputs.bytes = inputs.operations * (double)phase->transfer_bytes;
    }
    if (!is_latency)
        inputs.rate = or_nan(net_number(measured, "bytes_per_s"));
    inputs.ops = or_nan(weir_figures_rate(inputs.operations, inputs.time));
    if (json_is_object(latency)) {
        histogram = weir_arena_take(arena, sizeof *histogram);
        weir_histogram_reset(histogram);
        if (weir_json_take(latency, weir_record_histogram_fields, histogram, arena))
            inputs.latency = histogram;
    }
    phase->outcome = inputs.errors > 0 ? WEIR_OUTCOME_PARTIAL : WEIR_OUTCOME_COMPLETE;
    phase->is_timed = isfinite(inputs.ops);
    set_figures(arena, phase, &inputs, ~0u);
}

static void set_net_end(struct weir_arena *arena, struct weir_measured_run *run, const json_t *end,
                        struct weir_measured_phase *usual)
{
    const char *believed = json_string_value(json_object_get(end, "believed"));
    const json_t *findings = json_object_get(end, "findings"), *finding;
    struct weir_finding *list = weir_arena_take(arena, json_array_size(findings) * sizeof *list);
    struct weir_text names = {0};
    size_t i;

    run->finished_s = json_number_value(json_object_get(end, "finished_s"));
    run->has_ended = run->finished_s > 0.0;
    run->is_interrupted = json_is_true(json_object_get(end, "is_interrupted"));
    run->exit_code = (int)json_integer_value(json_object_get(end, "exit_code"));
    run->is_whole = run->has_ended && !run->is_interrupted && run->exit_code <= WEIR_EXIT_FLAWED;
    run->exit_reason = net_text(arena, end, "exit_reason");
    for (i = 0; believed != NULL && i < WEIR_BELIEVED_COUNT; i++)
        if (strcmp(weir_believed_names[i], believed) == 0)
            run->believed = (enum weir_believed)i;
    usual->believed = run->believed;
    usual->finding_list = list;
    json_array_foreach(findings, i, finding)
    {
        struct weir_finding *each = &list[usual->finding_count];

        if (!weir_json_take(finding, weir_record_finding_fields, each, arena))
            continue;
        weir_text_add(&names, "%s%s", names.length > 0 ? ";" : "", each->name);
        usual->finding_count++;
    }
    usual->findings = or_none(arena, weir_text_string(&names));
    weir_text_close(&names);
}

static void set_net_tags(struct weir_arena *arena, struct weir_measured_run *run, json_t *tags)
{
    struct weir_fact *made = weir_arena_take(arena, json_object_size(tags) * sizeof *made);
    const char *key;
    json_t *value;

    run->tags = made;
    json_object_foreach(tags, key, value)
    {
        made[run->tag_count].key = weir_arena_copy(arena, key);
        made[run->tag_count++].value = or_none(arena, json_string_value(value));
    }
}

static bool is_record(const json_t *record, const char *kind)
{
    const char *name = json_string_value(json_object_get(record, "record"));

    return name != NULL && strcmp(name, kind) == 0;
}

/* A run of weir net from its records. */
static struct weir_measured_run *net_run_of(struct weir_arena *arena, const json_t *records)
{
    struct weir_measured_run *run = weir_arena_take(arena, sizeof *run);
    struct weir_measured_phase usual = {
        .part = "",
        .step = "",
        .target = "",
        .path = "",
        .layout = "",
        .filesystem = "",
        .storage = "",
        .options = "",
        .failure = "",
    };
    const json_t *begun = json_array_get(records, 0), *plan = json_object_get(begun, "plan");
    struct weir_result *host = weir_result_open(1);
    const json_t *record, *flow;
    size_t i, j, count = 0;
    unsigned order = 0;

    weir_json_take(begun, weir_record_run_fields, host, &host->arena);
    set_run(arena, run, host);
    run->dialect = usual.dialect = "net";
    run->label = net_text(arena, begun, "label");
    set_net_tags(arena, run, json_object_get(begun, "tags"));
    run->command = net_text(arena, begun, "command_line");
    run->believed = usual.believed = WEIR_BELIEVED_PARTIAL;
    usual.run = run;
    usual.begun_s = run->begun_s;
    usual.verb = net_text(arena, plan, "measure");
    usual.pattern = net_text(arena, plan, "pattern");
    usual.depth = (unsigned)net_count(plan, "depth");
    usual.backend = usual.transport = usual.findings = "";
    json_array_foreach(records, i, record)
    {
        const json_t *network = json_object_get(record, "network");

        if (is_record(record, "network")) {
            usual.backend = net_text(arena, network, "provider");
            usual.transport = net_text(arena, network, "transport");
            usual.ranks = (unsigned)net_count(network, "ranks");
            usual.nodes = (unsigned)net_count(network, "nodes");
        }
        if (is_record(record, "end"))
            set_net_end(arena, run, record, &usual);
        if (is_record(record, "measurement"))
            count += 1 + json_array_size(json_object_get(record, "flows"));
    }
    if (usual.transport[0] == '\0')
        usual.transport = usual.backend;
    run->ranks = usual.ranks;
    run->nodes = usual.nodes;
    run->phases = weir_arena_take(arena, (count + 1) * sizeof *run->phases);
    json_array_foreach(records, i, record)
    {
        const json_t *flows = json_object_get(record, "flows");
        struct weir_measured_phase *whole = &run->phases[run->phase_count];

        if (!is_record(record, "measurement"))
            continue;
        *whole = usual;
        /* Older records have no times. Points of a time series must differ in theirs. */
        whole->begun_s = net_number(record, "begun_s");
        if (!(whole->begun_s > 0.0))
            whole->begun_s = run->begun_s + 1e-6 * order++;
        set_measurement(arena, whole, plan, record);
        run->phase_count++;
        if (json_array_size(flows) < 2)
            continue;
        json_array_foreach(flows, j, flow)
        {
            run->phases[run->phase_count] = *whole;
            set_flow(arena, &run->phases[run->phase_count++], flow);
        }
    }
    weir_result_close(host);
    return run;
}

struct weir_measured_run *weir_measures_of_net(struct weir_arena *arena, const char *records)
{
    struct weir_measured_run *run;
    json_t *list = json_array();
    size_t length;

    for (const char *line = records; *line != '\0'; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        json_array_append_new(list, json_loadb(line, length, 0, NULL));
    }
    run = net_run_of(arena, list);
    snprintf(run->run_id, sizeof run->run_id, "%s",
             net_text(arena, json_array_get(list, 0), "run_id"));
    run->source = "";
    json_decref(list);
    return run;
}

/* ---- result files ---- */

struct weir_measures {
    struct weir_measures_query query;
    struct weir_arena arena;
    unsigned file;                 /* the next of the query's paths */
    unsigned before;               /* runs in the files before */
    char found[WEIR_RUN_ID_BYTES]; /* id, or number, of the first run that was asked for */
    const char *lost;              /* the first file with a run that cannot be read */
    unsigned lost_run;             /* its number; the first is 1 */
    struct weir_record_reader *reader;
    struct weir_recorded *kept; /* the latest run, or all of them */
    unsigned kept_count;
    struct weir_text damage;
};

struct weir_measures *weir_measures_open(const struct weir_measures_query *query)
{
    struct weir_measures *reader = calloc(1, sizeof *reader);

    if (reader == NULL)
        weir_error_out_of_memory();
    reader->query = *query;
    return reader;
}

/* 1 with the next run that was recorded, 0 at the end, or an error. */
static int next_recorded(struct weir_measures *reader, struct weir_recorded *recorded,
                         struct weir_error *error)
{
    const char *word = reader->query.run != NULL ? reader->query.run : "all";

    for (int code = 0;;) {
        if (reader->reader == NULL && reader->file == reader->query.path_count)
            return 0;
        if (reader->reader == NULL) {
            const char *path = reader->query.paths[reader->file++];

            code = weir_record_open(path, WEIR_ALL_RUNS, &reader->reader, error);
            if (code < 0)
                return code;
            weir_record_select(reader->reader, word, reader->before, !reader->query.skips_net);
            weir_record_redact(reader->reader, reader->query.redaction);
        }
        code = weir_record_next(reader->reader, recorded, error);
        if (code != 0)
            return code;

        unsigned damaged = weir_record_damaged(reader->reader);

        if (damaged > 0)
            weir_text_add(
                &reader->damage, "%s: %u line%s damaged or cut off, and left out\n",
                weir_redaction_path(reader->query.redaction, reader->query.paths[reader->file - 1]),
                damaged, damaged == 1 ? " is" : "s are");
        if (reader->lost == NULL && weir_record_lost(reader->reader) > 0) {
            reader->lost = reader->query.paths[reader->file - 1];
            reader->lost_run = reader->before + weir_record_lost(reader->reader);
        }
        reader->before += weir_record_count(reader->reader);
        weir_record_close(reader->reader);
        reader->reader = NULL;
    }
}

static void release_results(struct weir_measures *reader)
{
    for (unsigned i = 0; i < reader->kept_count; i++)
        weir_recorded_close(&reader->kept[i]);
    free(reader->kept);
    reader->kept = NULL;
    reader->kept_count = 0;
}

int weir_measures_next(struct weir_measures *reader, const struct weir_measured_run **next,
                       struct weir_error *error)
{
    const char *word = reader->query.run;
    const bool is_single =
        word != NULL && strcasecmp(word, "all") != 0 && strcasecmp(word, "last") != 0;

    for (;;) {
        struct weir_recorded recorded;
        struct weir_measured_run *run;
        const struct weir_recorded_run *summary;
        char name[sizeof reader->found];
        int code = next_recorded(reader, &recorded, error);

        if (code == 0 && reader->found[0] == '\0' && reader->lost != NULL)
            return weir_error_set(error, WEIR_EXIT_ENVIRONMENT, -EBADMSG, reader->lost,
                                  "run %u is damaged: its first line does not hold the plan of a "
                                  "run",
                                  reader->lost_run);
        if (code == 0 && reader->found[0] == '\0' && is_single)
            return weir_error_usage(error, "report",
                                    "--run: there is no run %s: give last, all, list, a number "
                                    "from 1 to %u, or the beginning of an id that --run list shows",
                                    reader->query.run, reader->before);
        if (code <= 0)
            return code;
        if (!reader->query.keeps_results)
            release_results(reader);
        reader->kept = realloc(reader->kept, (reader->kept_count + 1) * sizeof *reader->kept);
        if (reader->kept == NULL)
            weir_error_out_of_memory();
        reader->kept[reader->kept_count++] = recorded;
        summary = &recorded.summary;
        run = recorded.plan != NULL
                  ? weir_measures_of(&reader->arena, recorded.plan, recorded.result)
                  : net_run_of(&reader->arena, recorded.records);
        run->source = weir_arena_copy(
            &reader->arena,
            weir_redaction_path(reader->query.redaction, reader->query.paths[reader->file - 1]));
        run->number = reader->before + recorded.number;
        run->version = or_none(&reader->arena, summary->version);
        memcpy(run->run_id, summary->id, sizeof run->run_id);
        snprintf(name, sizeof name, "%s", run->run_id);
        if (name[0] == '\0')
            snprintf(name, sizeof name, "%u", run->number + 1);
        if (is_single && reader->found[0] != '\0' && strcmp(reader->found, name) != 0)
            return weir_error_usage(error, "report",
                                    "--run: %s is the run %s as well as %s: give more of the id",
                                    reader->query.run, reader->found, name);
        memcpy(reader->found, name, sizeof name);
        if (reader->query.label != NULL && strcmp(reader->query.label, run->label) != 0)
            continue;

        /* Takes the rows of other tests out. */
        unsigned count = 0;

        for (unsigned i = 0; reader->query.test != NULL && i < run->phase_count; i++)
            if (run->phases[i].test == strtoul(reader->query.test, NULL, 10))
                run->phases[count++] = run->phases[i];
        if (reader->query.test != NULL)
            run->phase_count = count;
        run->leaves_tests_out = reader->query.test != NULL;

        *next = run;
        return 1;
    }
}

unsigned weir_measures_count(const struct weir_measures *reader)
{
    return reader->before;
}

const char *weir_measures_damage(const struct weir_measures *reader)
{
    return weir_text_string(&reader->damage);
}

void weir_measures_close(struct weir_measures *reader)
{
    if (reader == NULL)
        return;
    release_results(reader);
    weir_record_close(reader->reader);
    weir_text_close(&reader->damage);
    weir_arena_close(&reader->arena);
    free(reader);
}
