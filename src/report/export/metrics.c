/* SPDX-License-Identifier: Apache-2.0 */
/* Measured phases as lines of InfluxDB and as gauges that OpenMetrics and the textfile collector of
 * node_exporter both accept. Tags have few values: run ids, paths and hosts are none. */
#include "measured.h"

#include "record/record.h"

#include "weir/measure/median.h"
#include "weir/report/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tags ---- */

#define TAGS_MAX 12

struct tag {
    const char *key;
    const char *value; /* "" = it is left out */
    bool is_of_gauges; /* only: points of InfluxDB differ in time instead */
};

static const char *cluster_of(const struct weir_measured_run *run)
{
    for (size_t i = 0; i < run->tag_count; i++)
        if (strcmp(run->tags[i].key, "cluster") == 0)
            return run->tags[i].value;
    return "";
}

/* Appends `value` with a backslash before each character of `escaped`. Ends of lines become
 * blanks, and with `replaces` so do backslashes: in tags of InfluxDB they cannot be escaped. */
static void add_escaped(struct weir_text *text, const char *value, const char *escaped,
                        bool replaces)
{
    json_t *readable = weir_json_readable(value);

    for (const char *at = json_string_value(readable); *at != '\0'; at++) {
        bool is_blank = (unsigned char)*at < ' ' || (replaces && *at == '\\');
        const char written = is_blank ? ' ' : *at;

        if (strchr(escaped, written) != NULL)
            weir_text_add(text, "\\");
        weir_text_add_bytes(text, &written, 1);
    }
    json_decref(readable);
}

/* Appends the tags in the order of their names. */
static void add_tags(struct weir_text *text, const struct weir_measured_phase *phase, bool is_gauge)
{
    char ranks[24], nodes[24], test[24];
    const struct tag tags[] = {
        {"backend", phase->backend, false},
        {"case_id", phase->case_id, false},
        {"cluster", cluster_of(phase->run), false},
        {"dialect", phase->dialect, false},
        {"filesystem", phase->filesystem, true},
        {"label", phase->run->label, false},
        {"name", phase->name, false},
        {"nodes", nodes, true},
        {"ranks", ranks, true},
        {"target", phase->target, false},
        {"test", test, true},
        {"verb", phase->verb, false},
    };
    const char *separator = is_gauge ? "" : ",";

    snprintf(ranks, sizeof ranks, "%u", phase->ranks);
    snprintf(nodes, sizeof nodes, "%u", phase->nodes);
    snprintf(test, sizeof test, "%u", phase->test);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (tags[i].value[0] == '\0' || (tags[i].is_of_gauges && !is_gauge))
            continue;
        weir_text_add(text, "%s%s=%s", separator, tags[i].key, is_gauge ? "\"" : "");
        add_escaped(text, tags[i].value, is_gauge ? "\\\"" : ", =", !is_gauge);
        weir_text_add(text, "%s", is_gauge ? "\"" : "");
        separator = ",";
    }
}

static bool is_left_out(const struct weir_measured_phase *phase)
{
    return strcmp(phase->part, "pair") == 0 || phase->outcome == WEIR_OUTCOME_SKIPPED ||
           phase->figure_count == 0;
}

/* ---- InfluxDB ---- */

void weir_measured_influx_phase(struct weir_text *text, const struct weir_measured_phase *phase)
{
    const struct {
        const char *key, *value;
    } texts[] = {{"believed", weir_believed_names[phase->believed]},
                 {"findings", phase->findings},
                 {"outcome", weir_record_outcome_names[phase->outcome]},
                 {"run_id", phase->run->run_id},
                 {"step", phase->step}};

    /* InfluxDB has times in 64 bits. */
    if (is_left_out(phase) || !(phase->begun_s > 0.0 && phase->begun_s < 9e9))
        return;
    weir_text_add(text, "weir");
    add_tags(text, phase, false);
    weir_text_add(text, " ranks=%ui,nodes=%ui,test=%ui,repetition=%ui", phase->ranks, phase->nodes,
                  phase->test, phase->repetition);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].value[0] == '\0')
            continue;
        weir_text_add(text, ",%s=\"", texts[i].key);
        add_escaped(text, texts[i].value, "\\\"", false);
        weir_text_add(text, "\"");
    }
    for (unsigned i = 0; i < phase->figure_count; i++) {
        weir_text_add(text, ",%s=", phase->figures[i].row->name);
        weir_measured_add_number(text, phase->figures[i].value);
    }
    weir_text_add(text, " %" PRIu64 "%09.0f\n", (uint64_t)phase->begun_s,
                  floor((phase->begun_s - floor(phase->begun_s)) * 1e9));
}

/* ---- OpenMetrics ---- */

/* A phase, and the labels of its series. */
struct sample {
    const char *labels;
    const struct weir_measured_phase *phase;
    unsigned order; /* position of the phase in all runs */
};

static int by_labels(const void *left, const void *right)
{
    const struct sample *a = left, *b = right;
    int order = strcmp(a->labels, b->labels);
    double older = a->phase->run->begun_s - b->phase->run->begun_s;

    if (order == 0)
        order = (older > 0) - (older < 0);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* The name of a gauge ends in its base unit. */
static const char *suffix_of(const struct weir_figure_row *row)
{
    if (strcmp(row->unit, row->name) == 0 || strcmp(row->unit, "1") == 0)
        return "";
    return strcmp(row->unit, "bytes/s") == 0 ? "_bytes_per_second"
           : strcmp(row->unit, "1/s") == 0   ? "_per_second"
           : strcmp(row->unit, "s") == 0     ? "_seconds"
                                             : "_bytes";
}

static void add_head(struct weir_text *text, const char *name, const char *suffix,
                     const char *meaning)
{
    weir_text_add(text, "# TYPE weir_%s%s gauge\n", name, suffix);
    if (suffix[0] != '\0')
        weir_text_add(text, "# UNIT weir_%s%s %s\n", name, suffix, suffix + 1);
    weir_text_add(text, "# HELP weir_%s%s %s.\n", name, suffix, meaning);
}

/* A gauge of one figure: the median over the repetitions of a series, but the greatest of errors
 * and of what else should be small. */
static void add_gauge(struct weir_text *text, const struct weir_figure_row *row,
                      const struct sample samples[], unsigned count, double values[])
{
    bool is_worst = row->kind == WEIR_FIGURE_AMOUNT && !row->is_more_better;
    bool has_head = false;

    for (unsigned i = 0, end; i < count; i = end) {
        unsigned kept = 0;
        double worst = 0.0;

        for (end = i; end < count && samples[end].labels == samples[i].labels; end++) {
            const struct weir_measured_figure *figure =
                weir_measured_find(samples[end].phase, row->name);

            if (figure != NULL) {
                values[kept++] = figure->value;
                worst = fmax(worst, figure->value);
            }
        }
        if (kept == 0)
            continue;
        if (!has_head)
            add_head(text, row->name, suffix_of(row), row->meaning);
        has_head = true;
        weir_text_add(text, "weir_%s%s{%s} ", row->name, suffix_of(row), samples[i].labels);
        weir_measured_add_number(text, is_worst ? worst : weir_median_sort(values, kept));
        weir_text_add(text, "\n");
    }
}

static void add_verdicts(struct weir_text *text, const struct sample samples[], unsigned count)
{
    if (count > 0)
        add_head(text, "believed", "", "1 for the verdict of the phase, the worst of repetitions");
    for (unsigned i = 0, end; i < count; i = end) {
        enum weir_believed worst = samples[i].phase->believed;

        for (end = i; end < count && samples[end].labels == samples[i].labels; end++)
            if (samples[end].phase->believed > worst)
                worst = samples[end].phase->believed;
        weir_text_add(text, "weir_believed{%s,believed=\"%s\"} 1\n", samples[i].labels,
                      weir_believed_names[worst]);
    }
}

/* The time and exit code of the last run that ended, by dialect, label and cluster. */
static void add_ends(struct weir_text *text, const struct weir_measured_run *const runs[],
                     unsigned run_count, bool is_time)
{
    bool has_head = false;

    for (unsigned i = 0; i < run_count; i++) {
        bool is_last = runs[i]->has_ended;

        for (unsigned k = 0; is_last && k < run_count; k++) {
            bool is_same = strcmp(runs[i]->dialect, runs[k]->dialect) == 0 &&
                           strcmp(runs[i]->label, runs[k]->label) == 0 &&
                           strcmp(cluster_of(runs[i]), cluster_of(runs[k])) == 0;

            is_last = !is_same || !runs[k]->has_ended ||
                      runs[k]->finished_s < runs[i]->finished_s ||
                      (runs[k]->finished_s == runs[i]->finished_s && k <= i);
        }
        if (!is_last)
            continue;
        if (!has_head && is_time)
            add_head(text, "run_finished", "_seconds", "when the run ended, since 1970");
        else if (!has_head)
            add_head(text, "run_exit_code", "", "exit code of the run");
        has_head = true;
        weir_text_add(text, "weir_run_%s{dialect=\"%s\"",
                      is_time ? "finished_seconds" : "exit_code", runs[i]->dialect);
        for (int k = 0; k < 2; k++) {
            weir_text_add(text, ",%s=\"", k == 0 ? "label" : "cluster");
            add_escaped(text, k == 0 ? runs[i]->label : cluster_of(runs[i]), "\\\"", false);
            weir_text_add(text, "\"");
        }
        weir_text_add(text, "} ");
        weir_measured_add_number(text, is_time ? runs[i]->finished_s : runs[i]->exit_code);
        weir_text_add(text, "\n");
    }
}

void weir_measured_metrics(struct weir_text *text, const struct weir_measured_run *const runs[],
                           unsigned run_count)
{
    struct weir_arena arena = {0};
    struct sample *samples;
    unsigned count = 0, kept = 0;

    for (unsigned i = 0; i < run_count; i++)
        count += runs[i]->phase_count;
    samples = weir_arena_take(&arena, (count + 1) * sizeof *samples);
    count = 0;
    for (unsigned i = 0; i < run_count; i++)
        for (unsigned k = 0; k < runs[i]->phase_count; k++) {
            struct weir_text labels = {0};

            if (is_left_out(&runs[i]->phases[k]))
                continue;
            add_tags(&labels, &runs[i]->phases[k], true);
            samples[count] = (struct sample){weir_arena_copy(&arena, weir_text_string(&labels)),
                                             &runs[i]->phases[k], count};
            count++;
            weir_text_close(&labels);
        }
    qsort(samples, count, sizeof *samples, by_labels);

    /* Of a series, the last run stays. Its labels are one text from here on. */
    for (unsigned i = 0, end; i < count; i = end) {
        for (end = i; end < count && strcmp(samples[end].labels, samples[i].labels) == 0;)
            end++;
        for (unsigned k = i; k < end; k++)
            if (samples[k].phase->run == samples[end - 1].phase->run)
                samples[kept++] =
                    (struct sample){.labels = samples[end - 1].labels, .phase = samples[k].phase};
    }
    for (const struct weir_figure_row *row = weir_figure_rows; row->name != NULL; row++)
        add_gauge(text, row, samples, kept, weir_arena_take(&arena, (kept + 1) * sizeof(double)));
    add_verdicts(text, samples, kept);
    add_ends(text, runs, run_count, true);
    add_ends(text, runs, run_count, false);
    weir_text_add(text, "# EOF\n");
    weir_arena_close(&arena);
}
