/* SPDX-License-Identifier: Apache-2.0 */
/* Measured phases of all dialects as lines of values and as one JSON document. Both formats have
 * the same names, which docs/results-as-data.md explains. */
#include "measured.h"

#include "record/record.h"

#include "weir/base/version.h"
#include "weir/report/measures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

#define PHASE(key_text, member, ...)                                                               \
    WEIR_JSON_FIELD(weir_measured_phase, key_text, member, __VA_ARGS__)
/* Null, and an empty cell, for 0: it does not apply. */
#define PHASE_IF_ANY(key_text, member, type)                                                       \
    PHASE(key_text, member, type, WEIR_JSON_WHEN(weir_measured_phase, member))
#define RUN(key_text, member, ...) WEIR_JSON_FIELD(weir_measured_run, key_text, member, __VA_ARGS__)

static json_t *date_of(double seconds)
{
    char date[WEIR_DATE_BYTES];

    weir_date_format_utc(seconds, date);
    return date[0] != '\0' ? json_string(date) : json_null();
}

static json_t *write_phase_date(const void *values)
{
    return date_of(((const struct weir_measured_phase *)values)->begun_s);
}

static json_t *write_run_begin(const void *values)
{
    return date_of(((const struct weir_measured_run *)values)->begun_s);
}

static json_t *write_run_end(const void *values)
{
    return date_of(((const struct weir_measured_run *)values)->finished_s);
}

/* "key=value;key=value" */
static json_t *write_tag_list(const void *values)
{
    const struct weir_measured_run *run = values;
    struct weir_text text = {0};
    json_t *list;

    for (size_t i = 0; i < run->tag_count; i++)
        weir_text_add(&text, "%s%s=%s", i > 0 ? ";" : "", run->tags[i].key, run->tags[i].value);
    list = weir_json_readable(weir_text_string(&text));
    weir_text_close(&text);
    return list;
}

static json_t *write_tags(const void *values)
{
    const struct weir_measured_run *run = values;
    json_t *tags = json_object();

    for (size_t i = 0; i < run->tag_count; i++)
        json_object_set_new(tags, run->tags[i].key, weir_json_readable(run->tags[i].value));
    return tags;
}

const struct weir_json_field weir_measured_phase_columns[] = {
    PHASE("begun", begun_s, OWN, .write = write_phase_date),
    PHASE("case_id", case_id, TEXT),
    PHASE("dialect", dialect, STRING),
    PHASE("test", test, UNSIGNED),
    PHASE("phase", phase, UNSIGNED),
    PHASE("repetition", repetition, UNSIGNED),
    PHASE("loops", loops, STRING),
    PHASE("step", step, STRING),
    PHASE("name", name, STRING),
    PHASE("verb", verb, STRING),
    PHASE("part", part, STRING),
    PHASE("target", target, STRING),
    PHASE("backend", backend, STRING),
    PHASE("path", path, STRING),
    PHASE("layout", layout, STRING),
    PHASE("pattern", pattern, STRING),
    PHASE_IF_ANY("transfer_bytes", transfer_bytes, COUNT),
    PHASE_IF_ANY("block_bytes", block_bytes, COUNT),
    PHASE_IF_ANY("segments", segments, COUNT),
    PHASE_IF_ANY("items", items, COUNT),
    PHASE_IF_ANY("depth", depth, UNSIGNED),
    PHASE("ranks", ranks, UNSIGNED),
    PHASE("nodes", nodes, UNSIGNED),
    PHASE("filesystem", filesystem, STRING),
    PHASE("storage", storage, STRING),
    PHASE("mount_options", options, STRING),
    PHASE("transport", transport, STRING),
    PHASE("outcome", outcome, NAME, .names = weir_record_outcome_names,
          .name_count = WEIR_OUTCOME_SKIPPED + 1),
    PHASE("believed", believed, NAME, .names = weir_believed_names,
          .name_count = WEIR_BELIEVED_COUNT),
    PHASE("measured", believed_as, NAME, .names = weir_measure_names,
          .name_count = sizeof weir_measure_names / sizeof *weir_measure_names),
    {0},
};

/* Columns before and after those of the phase. */
const struct weir_json_field weir_measured_first_columns[] = {
    RUN("run_id", run_id, TEXT),
    RUN("label", label, STRING),
    RUN("tags", tags, OWN, .write = write_tag_list),
    {0},
};
const struct weir_json_field weir_measured_last_columns[] = {
    RUN("plan_id", plan_id, TEXT), RUN("hosts", hosts, STRING),  RUN("kernel", kernel, STRING),
    RUN("job", job, STRING),       RUN("weir", version, STRING), {0},
};
#define FIGURE_COLUMNS "findings,figure,value,unit,better,n"

const struct weir_json_field weir_measured_run_fields[] = {
    RUN("run_id", run_id, TEXT),
    RUN("plan_id", plan_id, TEXT),
    RUN("begun", begun_s, OWN, .write = write_run_begin),
    RUN("finished", finished_s, OWN, .write = write_run_end),
    RUN("dialect", dialect, STRING),
    RUN("label", label, STRING),
    RUN("tags", tags, OWN, .write = write_tags),
    RUN("command", command, STRING),
    RUN("weir", version, STRING),
    RUN("job", job, STRING),
    RUN("host", host, STRING),
    RUN("hosts", hosts, STRING),
    RUN("kernel", kernel, STRING),
    RUN("distribution", distribution, STRING),
    RUN("cpu_model", cpu_model, STRING),
    RUN("mpi_library", mpi_library, STRING),
    RUN("ranks", ranks, UNSIGNED),
    RUN("nodes", nodes, UNSIGNED),
    RUN("interrupted", is_interrupted, FLAG),
    RUN("exit_code", exit_code, INTEGER, WEIR_JSON_WHEN(weir_measured_run, has_ended)),
    RUN("exit_reason", exit_reason, STRING),
    RUN("believed", believed, NAME, .names = weir_believed_names,
        .name_count = WEIR_BELIEVED_COUNT),
    {0},
};

json_t *weir_measured_value(const struct weir_json_field *field, const void *values)
{
    const char *member = (const char *)values + field->offset, *text;

    for (size_t i = 0; field->when_bytes > 0; i++) {
        if (i == field->when_bytes)
            return json_null();
        if (((const char *)values)[field->when + i] != 0)
            break;
    }
    switch (field->type) {
    case WEIR_JSON_OWN:
        return field->write(values);
    case WEIR_JSON_TEXT:
        return weir_json_readable(member);
    case WEIR_JSON_STRING:
        memcpy(&text, member, sizeof text);
        return weir_json_readable(text);
    default:
        return weir_json_scalar(field, member);
    }
}

/* ---- lines of values ---- */

void weir_measured_add_number(struct weir_text *text, double value)
{
    char number[32];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value)
            break;
    }
    weir_text_add(text, "%s", number);
}

static void add_cell(struct weir_text *text, const char *cell)
{
    if (strpbrk(cell, ",\"\r\n") != NULL)
        weir_text_add_quoted(text, cell);
    else
        weir_text_add(text, "%s", cell);
}

static void add_columns(struct weir_text *text, const struct weir_json_field *fields,
                        const void *values)
{
    for (const struct weir_json_field *field = fields; field->key != NULL; field++) {
        json_t *value = weir_measured_value(field, values);

        if (json_is_string(value))
            add_cell(text, json_string_value(value));
        else if (json_is_integer(value))
            weir_text_add(text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        weir_text_add(text, ",");
        json_decref(value);
    }
}

static void add_names(struct weir_text *text, const struct weir_json_field *fields)
{
    for (; fields->key != NULL; fields++)
        weir_text_add(text, "%s,", fields->key);
}

void weir_measured_csv_header(struct weir_text *text)
{
    add_names(text, weir_measured_first_columns);
    add_names(text, weir_measured_phase_columns);
    add_names(text, weir_measured_last_columns);
    weir_text_add(text, FIGURE_COLUMNS "\n");
}

void weir_measured_csv_phase(struct weir_text *text, const struct weir_measured_phase *phase)
{
    struct weir_text line = {0};

    add_columns(&line, weir_measured_first_columns, phase->run);
    add_columns(&line, weir_measured_phase_columns, phase);
    add_columns(&line, weir_measured_last_columns, phase->run);
    add_cell(&line, phase->findings);
    for (unsigned i = 0; i < phase->figure_count; i++) {
        const struct weir_measured_figure *figure = &phase->figures[i];

        weir_text_add_bytes(text, line.data, line.length);
        weir_text_add(text, ",%s,", figure->row->name);
        weir_measured_add_number(text, figure->value);
        weir_text_add(text, ",%s,%s,%llu\n", figure->row->unit,
                      figure->row->is_more_better ? "higher" : "lower",
                      (unsigned long long)figure->n);
    }
    weir_text_close(&line);
}

/* ---- a document ---- */

static json_t *object_of(const struct weir_json_field *fields, const void *values)
{
    json_t *object = json_object();

    for (; fields->key != NULL; fields++)
        json_object_set_new(object, fields->key, weir_measured_value(fields, values));
    return object;
}

static json_t *figures_of(const struct weir_measured_phase *phase)
{
    json_t *object = json_object();

    for (unsigned i = 0; i < phase->figure_count; i++) {
        const struct weir_measured_figure *figure = &phase->figures[i];

        json_object_set_new(object, figure->row->name,
                            json_pack("{s:o,s:s,s:s,s:I}", "value", weir_json_number(figure->value),
                                      "unit", figure->row->unit, "better",
                                      figure->row->is_more_better ? "higher" : "lower", "n",
                                      (json_int_t)figure->n));
    }
    return object;
}

static json_t *phase_of(const struct weir_measured_phase *phase)
{
    json_t *object = object_of(weir_measured_phase_columns, phase), *findings = json_array();

    for (unsigned i = 0; i < phase->finding_count; i++) {
        const struct weir_finding *finding = &phase->finding_list[i];
        json_t *each = weir_json_object(weir_record_finding_fields, finding);

        json_object_set_new(each, "text", weir_json_readable(finding->text));
        json_array_append_new(findings, each);
    }
    json_object_set_new(object, "failure", weir_json_readable(phase->failure));
    json_object_set_new(object, "findings", findings);
    json_object_set_new(object, "figures", figures_of(phase));
    return object;
}

void weir_measured_json_begin(struct weir_text *text)
{
    weir_text_add(text,
                  WEIR_MEASURED_JSON_BEGINS ", \"weir\": \"" WEIR_VERSION "\", \"runs\": [\n");
}

void weir_measured_json_run(struct weir_text *text, const struct weir_measured_run *run,
                            bool is_first)
{
    json_t *object = object_of(weir_measured_run_fields, run), *phases = json_array();

    for (unsigned i = 0; i < run->phase_count; i++)
        json_array_append_new(phases, phase_of(&run->phases[i]));
    json_object_set_new(object, "phases", phases);
    if (!is_first)
        weir_text_add(text, ",\n");
    weir_json_add(text, object, JSON_INDENT(1));
}

void weir_measured_json_end(struct weir_text *text)
{
    weir_text_add(text, "]}\n");
}

/* ---- reports of a run that is going on ---- */

static void csv_begins(struct weir_text *text, const struct weir_plan *plan,
                       const struct weir_result *result)
{
    (void)plan;
    (void)result;
    weir_measured_csv_header(text);
}

static void csv_phase_done(struct weir_text *text, const struct weir_plan *plan,
                           const struct weir_result *result, const struct weir_phase_result *phase)
{
    struct weir_arena arena = {0};
    const struct weir_measured_run *run = weir_measures_of_run(&arena, plan, result);
    unsigned count;
    const struct weir_measured_phase *rows = weir_measures_of_phase(&arena, run, phase, &count);

    for (unsigned i = 0; i < count; i++)
        weir_measured_csv_phase(text, &rows[i]);
    weir_arena_close(&arena);
}

static void json_ends(struct weir_text *text, const struct weir_plan *plan,
                      const struct weir_result *result)
{
    struct weir_arena arena = {0};

    weir_measured_json_begin(text);
    weir_measured_json_run(text, weir_measures_of(&arena, plan, result), true);
    weir_measured_json_end(text);
    weir_arena_close(&arena);
}

static const struct weir_reporter csv = {
    .name = WEIR_REPORTER_CSV,
    .openings = (const char *const[]){"run_id,label,tags,begun,case_id,", NULL},
    .begin = csv_begins,
    .phase_done = csv_phase_done,
};

static const struct weir_reporter json = {
    .name = WEIR_REPORTER_JSON,
    .openings = (const char *const[]){WEIR_MEASURED_JSON_BEGINS, NULL},
    .end = json_ends,
};

static void influx_phase_done(struct weir_text *text, const struct weir_plan *plan,
                              const struct weir_result *result,
                              const struct weir_phase_result *phase)
{
    struct weir_arena arena = {0};
    const struct weir_measured_run *run = weir_measures_of_run(&arena, plan, result);
    unsigned count;
    const struct weir_measured_phase *rows = weir_measures_of_phase(&arena, run, phase, &count);

    for (unsigned i = 0; i < count; i++)
        weir_measured_influx_phase(text, &rows[i]);
    weir_arena_close(&arena);
}

static void metrics_end(struct weir_text *text, const struct weir_plan *plan,
                        const struct weir_result *result)
{
    struct weir_arena arena = {0};
    const struct weir_measured_run *run = weir_measures_of(&arena, plan, result);

    weir_measured_metrics(text, &run, 1);
    weir_arena_close(&arena);
}

static const struct weir_reporter influx = {
    .name = WEIR_REPORTER_INFLUX,
    .openings = (const char *const[]){"weir,", NULL},
    .phase_done = influx_phase_done,
};

static const struct weir_reporter metrics = {
    .name = WEIR_REPORTER_METRICS,
    .openings = (const char *const[]){"# TYPE weir_", "# EOF", NULL},
    .end = metrics_end,
};

/* ---- the verdict alone ---- */

static void verdict_ends(struct weir_text *text, const struct weir_plan *plan,
                         const struct weir_result *result)
{
    weir_report_verdict(text, plan, result, false);
}

static void markdown_ends(struct weir_text *text, const struct weir_plan *plan,
                          const struct weir_result *result)
{
    weir_report_verdict(text, plan, result, true);
}

static const struct weir_reporter verdict = {
    .name = "verdict",
    .openings =
        (const char *const[]){"weir  OK", "weir  CAUTION", "weir  UNVERIFIED", "weir  PARTIAL",
                              "weir  DO NOT USE", "weir  WRONG DATA", NULL},
    .end = verdict_ends,
};

static const struct weir_reporter markdown = {
    .name = "markdown",
    .openings = (const char *const[]){"### OK", "### CAUTION", "### UNVERIFIED", "### PARTIAL",
                                      "### DO NOT USE", "### WRONG DATA", NULL},
    .end = markdown_ends,
};

static const struct weir_reporter *const reporters[] = {&csv,     &json,     &influx, &metrics,
                                                        &verdict, &markdown, NULL};

const struct weir_dialect_reports weir_measured_reports = {.dialect = "weir",
                                                           .reporters = reporters};
